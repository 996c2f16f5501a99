/* SPDX-License-Identifier: Apache-2.0 */
/* Executor: order kept, results equal for any number of threads, chains fused by the stream alone.
 */
#include "interp/machine/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CELLS = 64, JOBS = 5000 };

typedef struct step {
    uint64_t *cells;
    int dst, a, b;
    uint64_t salt;
} step;

/* dst = mix(dst, a, b): any wrong order shows. */
static void run_step(const void *arg)
{
    const step *s = arg;
    uint64_t x =
        s->cells[s->dst] * 6364136223846793005u + s->cells[s->a] * 31 + s->cells[s->b] + s->salt;
    for (int i = 0; i < 50; i++) x = x * 2862933555777941757u + 3037000493u;
    s->cells[s->dst] = x;
}

typedef struct last {
    uint64_t writer;
    uint64_t readers[JOBS];
    size_t n;
} last;

static void random_stream(int threads, uint64_t *cells)
{
    static last use[CELLS];
    static uint64_t after[JOBS * 3];
    nkx_executor *x = nkx_executor_new(threads);
    uint32_t seed = 99;
    memset(use, 0, sizeof use);
    for (int i = 0; i < CELLS; i++) cells[i] = (uint64_t)i;
    for (int j = 0; j < JOBS; j++) {
        int c[3];
        for (int k = 0; k < 3; k++) {
            seed = seed * 1664525u + 1013904223u;
            c[k] = (int)(seed >> 16) % CELLS;
        }
        size_t n = 0;
        for (int k = 0; k < 3; k++) {
            if (use[c[k]].writer) after[n++] = use[c[k]].writer;
        }
        for (size_t k = 0; k < use[c[0]].n; k++) after[n++] = use[c[0]].readers[k];
        step s = {cells, c[0], c[1], c[2], (uint64_t)j};
        nkx_work w = {.run = run_step, .arg = &s, .arg_bytes = sizeof s};
        if (nkx_executor_full(x)) nkx_executor_flush(x);
        uint64_t id = nkx_executor_add(x, &w, after, n);
        use[c[1]].readers[use[c[1]].n++] = id;
        use[c[2]].readers[use[c[2]].n++] = id;
        use[c[0]].writer = id;
        use[c[0]].n = 0;
    }
    nkx_executor_free(x); /* runs the rest */
}

static void test_same_for_any_threads(void **state)
{
    (void)state;
    static uint64_t one[CELLS], two[CELLS], many[CELLS];
    random_stream(1, one);
    random_stream(2, two);
    random_stream(5, many);
    assert_memory_equal(one, two, sizeof one);
    assert_memory_equal(one, many, sizeof one);
}

typedef struct add {
    int *sum, *calls;
    int value;
} add;

static void run_add(const void *arg)
{
    const add *a = arg;
    *a->sum = *a->sum * 3 + a->value;
    (*a->calls)++;
}

static void run_adds(const void *const *args, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const add *a = args[i];
        *a->sum = *a->sum * 3 + a->value;
    }
    (*((const add *)args[0])->calls)++;
}

static void test_fusing(void **state)
{
    (void)state;
    int sum = 0, calls = 0, other = 0, other_calls = 0;
    nkx_executor *x = nkx_executor_new(1);
    uint64_t id = 0, between = 0;
    for (int i = 1; i <= 5; i++) {
        add o = {&other, &other_calls, i}, a = {&sum, &calls, i};
        nkx_work load = {.run = run_add, .arg = &o, .arg_bytes = sizeof o};
        between = nkx_executor_add(x, &load, &between, 1);
        nkx_work w = {
            .run = run_add, .arg = &a, .arg_bytes = sizeof a, .fuse_key = 7, .run_many = run_adds};
        uint64_t after[2] = {id, between};
        id = nkx_executor_add(x, &w, after, 2);
    }
    nkx_executor_flush(x);
    assert_int_equal(calls, 1); /* one chain: nothing waited for its parts */
    assert_int_equal(sum, (((1 * 3 + 2) * 3 + 3) * 3 + 4) * 3 + 5);
    assert_int_equal(other_calls, 5);
    nkx_executor_free(x);
}

static void test_no_fusing_past_a_reader(void **state)
{
    (void)state;
    int sum = 0, calls = 0;
    nkx_executor *x = nkx_executor_new(1);
    add a = {&sum, &calls, 1};
    nkx_work w = {
        .run = run_add, .arg = &a, .arg_bytes = sizeof a, .fuse_key = 7, .run_many = run_adds};
    nkx_work reader = {.run = run_add, .arg = &a, .arg_bytes = sizeof a};
    uint64_t first = nkx_executor_add(x, &w, NULL, 0);
    uint64_t read = nkx_executor_add(x, &reader, &first, 1);
    nkx_executor_add(x, &w, &read, 1); /* in the chain it would wait for itself */
    nkx_executor_flush(x);
    assert_int_equal(calls, 3);
    nkx_executor_free(x);
}

static void test_lists_and_memory(void **state)
{
    (void)state;
    nkx_executor *x = nkx_executor_new(2);
    nkx_jobs a = {0}, b = {0};
    int sum = 0, calls = 0;
    add v = {&sum, &calls, 1};
    nkx_work w = {.run = run_add, .arg = &v, .arg_bytes = sizeof v};
    assert_int_equal(nkx_jobs_first(x, &a), 0);
    uint64_t id = nkx_executor_add(x, &w, NULL, 0);
    nkx_jobs_add(x, &a, id);
    nkx_jobs_join(x, &b, &a);
    assert_int_equal(nkx_jobs_at(x, nkx_jobs_first(x, &b)), id);
    nkx_executor_free_later(x, NULL, nkx_pages_new(NULL, 10), 10);
    nkx_executor_flush(x);
    assert_int_equal(nkx_jobs_first(x, &b), 0); /* done with its batch */
    assert_true(nkx_executor_batch(x) > id);
    nkx_executor_free_later(x, NULL, nkx_pages_new(NULL, 10), 10);
    nkx_executor_free(x);
}

static size_t length(const nkx_executor *x, const nkx_jobs *list)
{
    size_t n = 0;
    for (uint32_t i = nkx_jobs_first(x, list); i; i = nkx_jobs_next(x, i)) n++;
    return n;
}

/* Lists joined crosswise hold each job once, whatever came in between. */
static void test_joined_once(void **state)
{
    (void)state;
    nkx_executor *x = nkx_executor_new(1);
    int sum = 0, calls = 0;
    add v = {&sum, &calls, 1};
    nkx_work w = {.run = run_add, .arg = &v, .arg_bytes = sizeof v};
    for (int round = 0; round < 2; round++) {
        nkx_jobs ab = {0}, bc = {0}, all = {0}, other = {0};
        uint64_t a = nkx_executor_add(x, &w, NULL, 0), b = nkx_executor_add(x, &w, NULL, 0);
        uint64_t c = nkx_executor_add(x, &w, NULL, 0);
        nkx_jobs_add(x, &ab, a);
        nkx_jobs_add(x, &ab, b);
        nkx_jobs_add(x, &bc, b);
        nkx_jobs_add(x, &bc, c);
        nkx_jobs_join(x, &all, &ab);
        nkx_jobs_join(x, &all, &bc);
        nkx_jobs_join(x, &other, &bc);
        nkx_jobs_join(x, &other, &ab);
        nkx_jobs_join(x, &all, &bc);
        nkx_jobs_join(x, &all, &other);
        assert_int_equal(length(x, &all), 3);
        assert_int_equal(length(x, &other), 3);
        assert_int_equal(length(x, &ab), 2); /* what others were made of stays */
        assert_int_equal(length(x, &bc), 2);
        nkx_executor_flush(x); /* marks of this batch say nothing of the next */
    }
    nkx_executor_free(x);
}

/* Whoever waits for a gathered list runs after all of it; whoever does not runs when it may. */
static void test_gathered_list(void **state)
{
    (void)state;
    enum { WRITERS = 40 };
    static uint64_t cells[WRITERS + 1];
    for (int threads = 1; threads <= 3; threads++) {
        nkx_executor *x = nkx_executor_new(threads);
        nkx_jobs list = {0}, few = {0};
        memset(cells, 0, sizeof cells);
        for (int i = 0; i < WRITERS; i++) {
            step s = {cells, i, i, i, (uint64_t)i};
            nkx_work w = {.run = run_step, .arg = &s, .arg_bytes = sizeof s};
            nkx_jobs_add(x, &list, nkx_executor_add(x, &w, NULL, 0));
            if (i < 3) nkx_jobs_add(x, &few, nkx_jobs_at(x, nkx_jobs_first(x, &list)));
        }
        nkx_jobs_gather(x, &few);
        assert_int_equal(length(x, &few), 3); /* short enough */
        nkx_jobs_gather(x, &list);
        assert_int_equal(length(x, &list), 1);
        uint64_t after = nkx_jobs_at(x, nkx_jobs_first(x, &list));
        for (int i = 0; i < WRITERS; i++) { /* one job after another reads each cell */
            step s = {cells, WRITERS, i, i, 0};
            nkx_work w = {.run = run_step, .arg = &s, .arg_bytes = sizeof s};
            after = nkx_executor_add(x, &w, &after, 1);
        }
        nkx_executor_flush(x);
        uint64_t got = cells[WRITERS];
        cells[WRITERS] = 0;
        for (int i = 0; i < WRITERS; i++) run_step(&(step){cells, WRITERS, i, i, 0});
        assert_true(got == cells[WRITERS]);
        nkx_executor_free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_for_any_threads),
        cmocka_unit_test(test_fusing),
        cmocka_unit_test(test_no_fusing_past_a_reader),
        cmocka_unit_test(test_lists_and_memory),
        cmocka_unit_test(test_joined_once),
        cmocka_unit_test(test_gathered_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
