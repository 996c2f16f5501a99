/* SPDX-License-Identifier: Apache-2.0 */
/* While a run goes on: a progress line after the first second, and Ctrl-C that stops it cleanly. */
#include "interp/cli/cli.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* Signal handlers take no argument: the one place of the program that needs something global. */
static nkx_runtime *volatile watched;

static pthread_t thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static bool running, stop;
static struct sigaction old_action;

static void on_interrupt(int sig)
{
    (void)sig;
    nkx_runtime *rt = watched;
    if (rt) nkx_interrupt(rt);
}

static void *draw(void *arg)
{
    nkx_runtime *rt = arg;
    struct timespec at, begin;
    bool drawn = false;
    clock_gettime(CLOCK_REALTIME, &begin);
    at = begin;
    at.tv_sec += 1;
    pthread_mutex_lock(&lock);
    while (!stop) {
        pthread_cond_timedwait(&wake, &lock, &at);
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        if (stop || now.tv_sec < at.tv_sec) continue;
        at.tv_sec = now.tv_sec + 1;
        unsigned long long n = nkx_progress(rt);
        fprintf(stderr, "\r%llu instructions, %lld s ", n, (long long)(now.tv_sec - begin.tv_sec));
        fflush(stderr);
        drawn = true;
    }
    pthread_mutex_unlock(&lock);
    if (drawn) fputs("\r\033[K", stderr);
    return NULL;
}

void watch_begin(nkx_runtime *rt)
{
    struct sigaction sa = {.sa_handler = on_interrupt};
    watched = rt;
    sigemptyset(&sa.sa_mask);
    sigaction(SIGINT, &sa, &old_action);
    if (!isatty(STDERR_FILENO)) return;
    stop = false;
    running = pthread_create(&thread, NULL, draw, rt) == 0;
}

void watch_end(void)
{
    if (running) {
        pthread_mutex_lock(&lock);
        stop = true;
        pthread_cond_signal(&wake);
        pthread_mutex_unlock(&lock);
        pthread_join(thread, NULL);
        running = false;
    }
    sigaction(SIGINT, &old_action, NULL);
    watched = NULL;
}
