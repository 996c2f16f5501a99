/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of jobs on a pool of threads (exec.h). Layer machine. A batch is a graph of units; a unit
 * is one job or a fused chain. The ready unit that was queued first runs first, on every thread,
 * which keeps the order near the program's and the caches warm.
 */
#include "interp/machine/exec.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BATCH_JOBS = 4096,
    BATCH_ARG_BYTES = 1 << 21,
    LONGEST_CHAIN = 64, /* jobs fused into one unit */
    OPEN_CHAINS = 8,    /* chains that may still grow */
    LONGEST_LIST = 16,  /* jobs of a list that is used again and again */
    MOST_THREADS = 256,
    WORD_BITS = 64,
};

typedef struct job {
    void (*run)(const void *arg);
    const void *arg;
    uint32_t unit, next; /* next job of the unit, plus one */
} job;

typedef struct unit {
    uint32_t first, last, n; /* jobs */
    uint32_t waits;          /* unfinished units before this one */
    uint32_t successors;     /* edge list, plus one */
    uint32_t mark;           /* last unit that listed this one as predecessor, plus one */
    uint64_t fuse_key;
    void (*run_many)(const void *const *args, size_t n);
} unit;

typedef struct edge {
    uint32_t to, next;
} edge;

typedef struct node {
    uint64_t job;
    uint32_t next;
} node;

typedef struct leaving { /* a block that goes when the batch has run */
    nkx_pool *pool;
    void *at;
    size_t bytes;
} leaving;

struct nkx_executor {
    int threads, started; /* wanted; running, the caller among them */
    pthread_t workers[MOST_THREADS];

    job jobs[BATCH_JOBS];
    unit units[BATCH_JOBS];
    uint32_t n_jobs, n_units;
    uint32_t chains[OPEN_CHAINS], n_chains; /* units that may grow, newest last */
    edge *edges;
    uint32_t n_edges, cap_edges;
    node *nodes; /* of job lists; index 0 is no node */
    uint32_t n_nodes, cap_nodes;
    uint64_t stamps[BATCH_JOBS], stamp; /* jobs of the list that was joined to last bear it */
    uint32_t joined, joined_from;       /* that list, and the last one joined to it */
    nkx_arena args;
    size_t arg_bytes;
    uint64_t first_id; /* of the batch being filled */
    uint32_t batch;    /* number of that batch */
    leaving *later;
    size_t n_later, cap_later;

    /* while a batch runs, under the lock */
    pthread_mutex_t lock;
    pthread_cond_t more; /* ready units, or the end of the batch */
    uint64_t ready[BATCH_JOBS / WORD_BITS];
    uint32_t n_ready, n_left, scan;
    bool stop;
};

/* --- job lists --- */

void nkx_jobs_add(nkx_executor *x, nkx_jobs *list, uint64_t job_id)
{
    if (x->n_nodes >= x->cap_nodes) {
        x->cap_nodes = x->cap_nodes * 2 + BATCH_JOBS;
        x->nodes = nkx_realloc(x->nodes, x->cap_nodes * sizeof *x->nodes);
    }
    uint32_t old = nkx_jobs_first(x, list);
    x->nodes[x->n_nodes] = (node){job_id, old};
    *list = (nkx_jobs){x->batch, x->n_nodes++};
}

uint32_t nkx_jobs_first(const nkx_executor *x, const nkx_jobs *list)
{
    return list->batch == x->batch ? list->head : 0;
}

uint32_t nkx_jobs_next(const nkx_executor *x, uint32_t n)
{
    return x->nodes[n].next;
}

uint64_t nkx_jobs_at(const nkx_executor *x, uint32_t n)
{
    return x->nodes[n].job;
}

/* Whether a job of this batch has the stamp already; it has it afterwards. */
static bool stamped(nkx_executor *x, uint64_t job_id)
{
    if (job_id < x->first_id) return true;
    uint64_t *at = &x->stamps[job_id - x->first_id];
    bool before = *at == x->stamp;
    *at = x->stamp;
    return before;
}

/* Bytes cut into pieces and joined again bring one list many times: each job is taken once. */
void nkx_jobs_join(nkx_executor *x, nkx_jobs *to, const nkx_jobs *from)
{
    uint32_t first = nkx_jobs_first(x, from), old = nkx_jobs_first(x, to);
    if (first == 0 || first == old) return;
    if (old == 0) {
        *to = *from;
        return;
    }
    if (old != x->joined) {
        x->stamp++;
        x->joined_from = 0;
        for (uint32_t n = old; n; n = x->nodes[n].next) (void)stamped(x, x->nodes[n].job);
    } else if (first == x->joined_from) {
        return;
    }
    for (uint32_t n = first; n; n = x->nodes[n].next) {
        uint64_t job_id = x->nodes[n].job;
        if (!stamped(x, job_id)) nkx_jobs_add(x, to, job_id);
    }
    x->joined = to->head;
    x->joined_from = first;
}

void nkx_past_join(struct nkx_executor *x, nkx_past *to, const nkx_past *from)
{
    for (int e = 0; e < NKX_N_ENGINES; e++) {
        if (from->at[e] <= to->at[e]) continue;
        to->at[e] = from->at[e];
        to->id[e] = from->id[e];
    }
    if (x) nkx_jobs_join(x, &to->jobs, &from->jobs);
}

/* --- running --- */

static void run_unit(nkx_executor *x, const unit *u)
{
    if (u->n == 1) {
        const job *j = &x->jobs[u->first];
        j->run(j->arg);
        return;
    }
    const void *args[LONGEST_CHAIN];
    size_t n = 0;
    for (uint32_t i = u->first + 1; i != 0; i = x->jobs[i - 1].next) args[n++] = x->jobs[i - 1].arg;
    u->run_many(args, n);
}

static void set_ready(nkx_executor *x, uint32_t u)
{
    x->ready[u / WORD_BITS] |= (uint64_t)1 << (u % WORD_BITS);
    if (u / WORD_BITS < x->scan) x->scan = u / WORD_BITS;
    x->n_ready++;
}

/* The ready unit that was queued first. There is one. */
static uint32_t take_ready(nkx_executor *x)
{
    while (x->ready[x->scan] == 0) x->scan++;
    uint32_t bit = (uint32_t)__builtin_ctzll(x->ready[x->scan]);
    x->ready[x->scan] &= x->ready[x->scan] - 1;
    x->n_ready--;
    return x->scan * WORD_BITS + bit;
}

static uint32_t finish_unit(nkx_executor *x, uint32_t u)
{
    uint32_t woken = 0;
    for (uint32_t e = x->units[u].successors; e; e = x->edges[e - 1].next) {
        uint32_t to = x->edges[e - 1].to;
        if (--x->units[to].waits == 0) {
            set_ready(x, to);
            woken++;
        }
    }
    x->n_left--;
    return woken;
}

static void run_alone(nkx_executor *x)
{
    while (x->n_left > 0) {
        uint32_t u = take_ready(x);
        run_unit(x, &x->units[u]);
        (void)finish_unit(x, u);
    }
}

/* Runs ready units until none is left; the lock is held on entry and exit. */
static void work(nkx_executor *x)
{
    while (x->n_ready > 0) {
        uint32_t u = take_ready(x);
        pthread_mutex_unlock(&x->lock);
        run_unit(x, &x->units[u]);
        pthread_mutex_lock(&x->lock);
        uint32_t woken = finish_unit(x, u);
        if (x->n_left == 0) pthread_cond_broadcast(&x->more); /* the caller may be waiting */
        for (; woken > 1; woken--) pthread_cond_signal(&x->more);
    }
}

static void *worker(void *arg)
{
    nkx_executor *x = arg;
    pthread_mutex_lock(&x->lock);
    while (!x->stop) {
        work(x);
        if (!x->stop) pthread_cond_wait(&x->more, &x->lock);
    }
    pthread_mutex_unlock(&x->lock);
    return NULL;
}

/* On the first batch that can use them: many runs are too short to. */
static void start_workers(nkx_executor *x)
{
    while (x->started < x->threads) {
        if (pthread_create(&x->workers[x->started], NULL, worker, x) != 0) {
            x->threads = x->started;
        } else {
            x->started++;
        }
    }
}

static void run_shared(nkx_executor *x)
{
    start_workers(x);
    pthread_mutex_lock(&x->lock);
    pthread_cond_broadcast(&x->more);
    while (x->n_left > 0) {
        work(x);
        if (x->n_left > 0) pthread_cond_wait(&x->more, &x->lock);
    }
    pthread_mutex_unlock(&x->lock);
}

static void reset_batch(nkx_executor *x)
{
    x->first_id += x->n_jobs;
    x->batch++;
    x->n_jobs = x->n_units = x->n_edges = x->n_chains = 0;
    x->n_nodes = 1;
    x->joined = x->joined_from = 0;
    x->arg_bytes = 0;
    nkx_arena_reset(&x->args);
    for (size_t i = 0; i < x->n_later; i++) {
        nkx_pages_free(x->later[i].pool, x->later[i].at, x->later[i].bytes);
    }
    x->n_later = 0;
}

void nkx_executor_flush(nkx_executor *x)
{
    if (x->n_jobs > 0) {
        pthread_mutex_lock(&x->lock);
        memset(x->ready, 0, sizeof x->ready);
        x->n_ready = x->scan = 0;
        x->n_left = x->n_units;
        for (uint32_t u = 0; u < x->n_units; u++) {
            if (x->units[u].waits == 0) set_ready(x, u);
        }
        pthread_mutex_unlock(&x->lock);
        if (x->threads == 1 || x->n_units == 1) {
            run_alone(x);
        } else {
            run_shared(x);
        }
    }
    if (x->n_jobs > 0 || x->n_later > 0) reset_batch(x);
}

/* --- queueing --- */

static uint32_t unit_of(const nkx_executor *x, uint64_t id)
{
    return x->jobs[id - x->first_id].unit;
}

/* The chain that a job may join: same key, no successor yet, so that no circle can arise. */
static uint32_t find_chain(const nkx_executor *x, uint64_t key)
{
    for (uint32_t i = x->n_chains; i > 0; i--) {
        const unit *u = &x->units[x->chains[i - 1]];
        if (u->fuse_key != key) continue;
        return u->successors == 0 && u->n < LONGEST_CHAIN ? x->chains[i - 1] : UINT32_MAX;
    }
    return UINT32_MAX;
}

static void open_chain(nkx_executor *x, uint32_t u)
{
    if (x->n_chains == OPEN_CHAINS) {
        memmove(x->chains, x->chains + 1, (OPEN_CHAINS - 1) * sizeof *x->chains);
        x->n_chains--;
    }
    x->chains[x->n_chains++] = u;
}

static uint32_t unit_for(nkx_executor *x, const nkx_work *w, uint32_t index)
{
    uint32_t u = w->fuse_key ? find_chain(x, w->fuse_key) : UINT32_MAX;
    if (u != UINT32_MAX) {
        x->jobs[x->units[u].last].next = index + 1;
        x->units[u].last = index;
        x->units[u].n++;
        return u;
    }
    u = x->n_units++;
    x->units[u] = (unit){
        .first = index, .last = index, .n = 1, .fuse_key = w->fuse_key, .run_many = w->run_many};
    if (w->fuse_key) open_chain(x, u);
    return u;
}

static void add_edge(nkx_executor *x, uint32_t from, uint32_t to)
{
    if (from == to || x->units[from].mark == to + 1) return;
    x->units[from].mark = to + 1;
    if (x->n_edges == x->cap_edges) {
        x->cap_edges = x->cap_edges * 2 + BATCH_JOBS;
        x->edges = nkx_realloc(x->edges, x->cap_edges * sizeof *x->edges);
    }
    x->edges[x->n_edges] = (edge){to, x->units[from].successors};
    x->units[from].successors = ++x->n_edges;
    x->units[to].waits++;
}

uint64_t nkx_executor_add(nkx_executor *x, const nkx_work *w, const uint64_t *after, size_t n_after)
{
    uint32_t index = x->n_jobs++;
    uint32_t u = unit_for(x, w, index);
    void *arg = nkx_arena_alloc(&x->args, w->arg_bytes ? w->arg_bytes : 1);
    if (w->arg_bytes) memcpy(arg, w->arg, w->arg_bytes);
    x->arg_bytes += w->arg_bytes;
    x->jobs[index] = (job){w->run, arg, u, 0};
    for (size_t i = 0; i < n_after; i++) {
        if (after[i] >= x->first_id) add_edge(x, unit_of(x, after[i]), u);
    }
    return x->first_id + index;
}

static void nothing(const void *arg)
{
    (void)arg;
}

void nkx_jobs_gather(nkx_executor *x, nkx_jobs *list)
{
    const nkx_work w = {.run = nothing};
    uint32_t length = 0, first = nkx_jobs_first(x, list);
    for (uint32_t n = first; n && length <= LONGEST_LIST; n = x->nodes[n].next) length++;
    if (length <= LONGEST_LIST || nkx_executor_full(x)) return;
    uint64_t id = nkx_executor_add(x, &w, NULL, 0);
    uint32_t u = unit_of(x, id);
    for (uint32_t n = first; n; n = x->nodes[n].next) {
        if (x->nodes[n].job >= x->first_id) add_edge(x, unit_of(x, x->nodes[n].job), u);
    }
    *list = (nkx_jobs){0};
    nkx_jobs_add(x, list, id);
}

bool nkx_executor_full(const nkx_executor *x)
{
    return x->n_jobs == BATCH_JOBS || x->arg_bytes >= BATCH_ARG_BYTES;
}

uint64_t nkx_executor_batch(const nkx_executor *x)
{
    return x->first_id;
}

void nkx_executor_free_later(nkx_executor *x, nkx_pool *pool, void *p, size_t bytes)
{
    if (x->n_jobs == 0) {
        nkx_pages_free(pool, p, bytes);
        return;
    }
    if (x->n_later == x->cap_later) {
        x->cap_later = x->cap_later * 2 + 16;
        x->later = nkx_realloc(x->later, x->cap_later * sizeof *x->later);
    }
    x->later[x->n_later++] = (leaving){pool, p, bytes};
}

int nkx_executor_threads(const nkx_executor *x)
{
    return x->threads;
}

nkx_executor *nkx_executor_new(int threads)
{
    nkx_executor *x = nkx_alloc(sizeof *x);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (threads <= 0) threads = cores > 0 ? (int)cores : 1;
    x->threads = threads > MOST_THREADS ? MOST_THREADS : threads;
    x->first_id = 1;
    x->batch = 1;
    x->n_nodes = 1;
    nkx_arena_init(&x->args);
    pthread_mutex_init(&x->lock, NULL);
    pthread_cond_init(&x->more, NULL);
    x->started = 1; /* the caller works too */
    return x;
}

void nkx_executor_free(nkx_executor *x)
{
    if (x == NULL) return;
    nkx_executor_flush(x);
    pthread_mutex_lock(&x->lock);
    x->stop = true;
    pthread_cond_broadcast(&x->more);
    pthread_mutex_unlock(&x->lock);
    for (int i = 1; i < x->started; i++) pthread_join(x->workers[i], NULL);
    pthread_mutex_destroy(&x->lock);
    pthread_cond_destroy(&x->more);
    nkx_arena_fini(&x->args);
    free(x->edges);
    free(x->nodes);
    free(x->later);
    free(x);
}
