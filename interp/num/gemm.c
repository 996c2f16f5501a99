/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products through OpenBLAS; see gemm.h. Layer num.
 *
 * OpenBLAS is held to one thread for the life of the process: its own threads would fight with
 * instructions that run side by side, and its results depend on how it splits the work. Whole
 * problems are split here instead, by rows of the result, which leaves every sum as it is.
 */
#include "interp/num/gemm.h"

#include "interp/base/alloc.h"

#include <cblas.h>
#include <pthread.h>
#include <stdlib.h>

static void pin_one_thread(void) { openblas_set_num_threads(1); }

void nkx_gemm_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, pin_one_thread);
}

const char *nkx_gemm_library(void) { return openblas_get_config(); }

void nkx_gemm_tn_f32(int m, int n, int k, const float *st, int64_t ldst, const float *mv,
                     int64_t ldmv, float *dst, int64_t ldd, bool accumulate)
{
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, k, 1.0f, st, (blasint)ldst, mv,
                (blasint)ldmv, accumulate ? 1.0f : 0.0f, dst, (blasint)ldd);
}

/* ---- whole problems ---- */

typedef struct problem {
    int         m, n, k; /* m: rows of this part */
    bool        wide, trans_a, trans_b;
    int         lda;     /* row pitch of a as stored */
    const void *a, *b;
    void       *c;
} problem;

static void *run_part(void *arg)
{
    const problem  *p = arg;
    CBLAS_TRANSPOSE ta = p->trans_a ? CblasTrans : CblasNoTrans;
    CBLAS_TRANSPOSE tb = p->trans_b ? CblasTrans : CblasNoTrans;
    int             ldb = p->trans_b ? p->k : p->n;
    if (p->wide) {
        cblas_dgemm(CblasRowMajor, ta, tb, p->m, p->n, p->k, 1.0, p->a, p->lda, p->b, ldb, 0.0,
                    p->c, p->n);
    } else {
        cblas_sgemm(CblasRowMajor, ta, tb, p->m, p->n, p->k, 1.0f, p->a, p->lda, p->b, ldb, 0.0f,
                    p->c, p->n);
    }
    return NULL;
}

/* Rows of the result from `first` on. */
static problem part_of(const problem *whole, int first, int rows)
{
    const size_t size = whole->wide ? sizeof(double) : sizeof(float);
    const size_t a_step = whole->trans_a ? 1 : (size_t)whole->k;
    problem      part = *whole;
    part.m = rows;
    part.a = (const char *)whole->a + (size_t)first * a_step * size;
    part.c = (char *)whole->c + (size_t)first * (size_t)whole->n * size;
    return part;
}

enum { PART_ROWS = 64, MAX_THREADS = 64 };

static void run_whole(problem *whole, int threads)
{
    problem   parts[MAX_THREADS];
    pthread_t ids[MAX_THREADS];
    bool      started[MAX_THREADS] = {false};
    int       blocks = (whole->m + PART_ROWS - 1) / PART_ROWS;
    nkx_gemm_init();
    if (whole->m <= 0 || whole->n <= 0) return;
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    if (threads > blocks) threads = blocks;
    if (threads < 1) threads = 1;
    for (int t = 0; t < threads; t++) {
        int first = (int)((int64_t)blocks * t / threads) * PART_ROWS;
        int last = (int)((int64_t)blocks * (t + 1) / threads) * PART_ROWS;
        if (last > whole->m) last = whole->m;
        parts[t] = part_of(whole, first, last - first);
        if (t > 0) started[t] = pthread_create(&ids[t], NULL, run_part, &parts[t]) == 0;
    }
    (void)run_part(&parts[0]);
    for (int t = 1; t < threads; t++) {
        if (started[t]) {
            (void)pthread_join(ids[t], NULL);
        } else {
            (void)run_part(&parts[t]);
        }
    }
}

void nkx_gemm_f64(int m, int n, int k, const double *a, bool trans_a, const double *b, bool trans_b,
                  double *c, int threads)
{
    problem p = {m, n, k, true, trans_a, trans_b, trans_a ? m : k, a, b, c};
    run_whole(&p, threads);
}

void nkx_gemm_f32(int m, int n, int k, const float *a, bool trans_a, const float *b, bool trans_b,
                  float *c, int threads)
{
    problem p = {m, n, k, false, trans_a, trans_b, trans_a ? m : k, a, b, c};
    run_whole(&p, threads);
}
