/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products through OpenBLAS; see gemm.h. Layer num.
 *
 * OpenBLAS is loaded by the first product that needs it: mapping it, its Fortran run-time and its
 * tables takes longer than all of a small kernel, and most runs never call it.
 *
 * It is held to one thread for the life of the process: its own threads would fight with
 * instructions that run side by side, and its results depend on how it splits the work. Whole
 * problems are split here instead, into parts of fixed height that any number of threads works
 * through: OpenBLAS adds up a row in an order that depends on the size of the call.
 */
#include "interp/num/gemm.h"
#include "interp/num/simd.h"

#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- loading ---- */

static struct blas {
    __typeof__(cblas_sgemm) *sgemm;
    __typeof__(cblas_dgemm) *dgemm;
    __typeof__(openblas_set_num_threads) *set_num_threads;
    __typeof__(openblas_get_config) *get_config;
    char error[256]; /* why it cannot be used; empty when it can */
} blas;

/* ISO C has no conversion from what dlsym returns to a function. */
static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void load(void)
{
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so"};
    void *library = NULL;
    for (size_t i = 0; i < NKX_COUNT(names) && library == NULL; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL || !find(library, "cblas_sgemm", &blas.sgemm) ||
        !find(library, "cblas_dgemm", &blas.dgemm) ||
        !find(library, "openblas_set_num_threads", &blas.set_num_threads) ||
        !find(library, "openblas_get_config", &blas.get_config)) {
        const char *why = dlerror();
        (void)snprintf(blas.error, sizeof blas.error, "OpenBLAS cannot be loaded: %s",
                       why != NULL ? why : "it lacks a function");
        return;
    }
    blas.set_num_threads(1);
}

const char *nkx_gemm_error(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, load);
    return blas.error[0] != '\0' ? blas.error : NULL;
}

const char *nkx_gemm_library(void)
{
    return nkx_gemm_error() != NULL ? "" : blas.get_config();
}

void nkx_gemm_prepare_process(void)
{
    (void)setenv("OPENBLAS_NUM_THREADS", "1", 0);
#if defined(__x86_64__)
    if (nkx_has_avx512()) {
        (void)setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
    } else if (nkx_has_avx2()) {
        (void)setenv("OPENBLAS_CORETYPE", "Haswell", 0);
    }
#endif
}

/* ---- whole problems ---- */

typedef struct problem {
    int m, n, k;
    bool wide, trans_a, trans_b;
    int lda; /* row pitch of a as stored */
    const void *a, *b;
    void *c;
} problem;

static void run_part(const problem *p)
{
    CBLAS_TRANSPOSE ta = p->trans_a ? CblasTrans : CblasNoTrans;
    CBLAS_TRANSPOSE tb = p->trans_b ? CblasTrans : CblasNoTrans;
    int ldb = p->trans_b ? p->k : p->n;
    if (p->wide) {
        blas.dgemm(CblasRowMajor, ta, tb, p->m, p->n, p->k, 1.0, p->a, p->lda, p->b, ldb, 0.0, p->c,
                   p->n);
    } else {
        blas.sgemm(CblasRowMajor, ta, tb, p->m, p->n, p->k, 1.0f, p->a, p->lda, p->b, ldb, 0.0f,
                   p->c, p->n);
    }
}

enum { PART_ROWS = 256, MAX_THREADS = 64 };

/* What the threads share: parts are handed out in turn. */
typedef struct team {
    problem whole;
    int parts;
    atomic_int next;
} team;

static problem part_of(const problem *whole, int number)
{
    const size_t size = whole->wide ? sizeof(double) : sizeof(float);
    const size_t a_step = whole->trans_a ? 1 : (size_t)whole->k;
    const int first = number * PART_ROWS, left = whole->m - first;
    problem part = *whole;
    part.m = left < PART_ROWS ? left : PART_ROWS;
    part.a = (const char *)whole->a + (size_t)first * a_step * size;
    part.c = (char *)whole->c + (size_t)first * (size_t)whole->n * size;
    return part;
}

static void *work(void *arg)
{
    team *t = arg;
    for (int i = atomic_fetch_add(&t->next, 1); i < t->parts; i = atomic_fetch_add(&t->next, 1)) {
        problem part = part_of(&t->whole, i);
        run_part(&part);
    }
    return NULL;
}

static void run_whole(const problem *whole, int threads)
{
    pthread_t ids[MAX_THREADS];
    int helpers = 0;
    if (nkx_gemm_error() != NULL) nkx_unreachable(); /* the caller has asked */
    if (whole->m <= 0 || whole->n <= 0) return;
    team t = {.whole = *whole, .parts = (whole->m + PART_ROWS - 1) / PART_ROWS};
    atomic_init(&t.next, 0);
    while (helpers < threads - 1 && helpers < t.parts - 1 && helpers < MAX_THREADS) {
        if (pthread_create(&ids[helpers], NULL, work, &t) != 0) break;
        helpers++;
    }
    (void)work(&t);
    for (int i = 0; i < helpers; i++) {
        (void)pthread_join(ids[i], NULL);
    }
}

void nkx_gemm_f64(int m, int n, int k, const double *a, bool trans_a, const double *b, bool trans_b,
                  double *c, int threads)
{
    const problem p = {m, n, k, true, trans_a, trans_b, trans_a ? m : k, a, b, c};
    run_whole(&p, threads);
}

void nkx_gemm_f32(int m, int n, int k, const float *a, bool trans_a, const float *b, bool trans_b,
                  float *c, int threads)
{
    const problem p = {m, n, k, false, trans_a, trans_b, trans_a ? m : k, a, b, c};
    run_whole(&p, threads);
}
