/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the program on a case and collects what it writes, under a time limit. */
#include "tests/runner/golden.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef NKX_VEC(char *) words;

/* Splits at blanks; quotes '...' and "..." keep them. */
static void add_words(words *w, const char *s)
{
    while (s && *s) {
        nkx_buf b = {0};
        char quote = 0;
        while (*s == ' ') s++;
        if (*s == '\0') break;
        for (; *s && (quote || *s != ' '); s++) {
            if (quote && *s == quote)
                quote = 0;
            else if (!quote && (*s == '\'' || *s == '"'))
                quote = *s;
            else
                nkx_buf_char(&b, *s);
        }
        nkx_push(w, nkx_buf_take(&b));
    }
}

static void add_word(words *w, const char *s)
{
    nkx_push(w, nkx_dup(s, strlen(s) + 1));
}

static void add_machine(words *w, const golden *g)
{
    nkx_buf b = {0};
    const char *slash = strrchr(g->path, '/');
    if (g->machine[0] != '/' && slash) nkx_buf_add(&b, g->path, (size_t)(slash - g->path + 1));
    nkx_buf_str(&b, g->machine);
    add_word(w, "--machine");
    nkx_push(w, nkx_buf_take(&b));
}

/* nkx COMMAND FILE ARGS; exact times come from the JSON of a profile. */
static void command_line(const golden *g, const char *program, words *w)
{
    const char *command = g->command ? g->command : g->has_ps ? "profile" : "run";
    add_word(w, program);
    add_words(w, command);
    add_word(w, g->path);
    if (g->has_ps) add_words(w, "--format json");
    add_word(w, "--target");
    add_word(w, g->target ? g->target : "trn2");
    if (g->machine) add_machine(w, g);
    add_words(w, g->args);
    nkx_push(w, NULL);
}

static void child(const golden *g, char **argv, int out, int err)
{
    int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    setenv("NO_COLOR", "1", 1);
    unsetenv("NEURON_PLATFORM_TARGET_OVERRIDE");
    unsetenv("NKI_PRECISE_FP");
    if (g->env) putenv(g->env);
    execv(argv[0], argv);
    fprintf(stderr, "cannot start %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

static bool drain(int fd, nkx_buf *b)
{
    char chunk[65536];
    ssize_t n = read(fd, chunk, sizeof chunk);
    if (n > 0) nkx_buf_add(b, chunk, (size_t)n);
    return n > 0 || (n < 0 && errno == EINTR);
}

static void collect(pid_t pid, int out, int err, int seconds, outcome *o)
{
    struct pollfd fds[2] = {
        {.fd = out, .events = POLLIN},
        {.fd = err, .events = POLLIN}
    };
    time_t limit = time(NULL) + seconds;
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        if (time(NULL) > limit) {
            kill(pid, SIGKILL);
            nkx_buf_str(&o->err, "\nstopped: over the time limit\n");
            break;
        }
        if (poll(fds, 2, 1000) <= 0) continue;
        if (fds[0].revents && !drain(out, &o->out)) fds[0].fd = -1;
        if (fds[1].revents && !drain(err, &o->err)) fds[1].fd = -1;
    }
}

void golden_run(const golden *g, const char *program, int seconds, outcome *o)
{
    words w = {0};
    int out[2], err[2], status = 0;
    *o = (outcome){0};
    nkx_buf_str(&o->out, "");
    nkx_buf_str(&o->err, "");
    command_line(g, program, &w);
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) abort();
    pid_t pid = fork();
    if (pid == 0) child(g, w.at, out[1], err[1]);
    close(out[1]);
    close(err[1]);
    if (pid > 0) {
        collect(pid, out[0], err[0], seconds, o);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    close(out[0]);
    close(err[0]);
    o->exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    for (size_t i = 0; i < w.n; i++) free(w.at[i]);
    nkx_vec_fini(&w);
}

void outcome_fini(outcome *o)
{
    nkx_buf_fini(&o->out);
    nkx_buf_fini(&o->err);
}
