/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products. Tile products, as the tensor engine does them, run in our own kernels (chains);
 * whole problems, for checks and host arrays, go to OpenBLAS, so that a check and what it checks
 * share no code. gemm.c alone includes cblas.h. Everything runs on the calling thread unless told
 * otherwise; parallelism comes from running independent instructions side by side.
 *
 * Why not OpenBLAS for tiles: a call on 128x512x128 packs both operands for little work, measured
 * at 1.12 to 1.16 of the time in one whole product, against 1.04 to 1.08 here; and its order of
 * summation depends on the size of the call and the processor, so that joining calls would change
 * results.
 */
#ifndef NKX_NUM_GEMM_H
#define NKX_NUM_GEMM_H

#include "interp/num/dtype.h"

/*
 * One product of a chain: k rows of a stationary (k x m) and a moving (k x n) operand of any float
 * type. Pitch: bytes from one row of the contraction to the next; step: from one value to the
 * next within a row.
 */
typedef struct nkx_gemm_step {
    int k;
    nkx_dtype st_type, mv_type;
    const void *st, *mv;
    int64_t st_pitch, mv_pitch, st_step, mv_step;
} nkx_gemm_step;

/*
 * dst (m x n, fp32, pitch ldd floats) = sum over the steps of st^T . mv [+ dst when accumulate].
 * Needs no heap, about 300 KiB of stack. dst overlaps no operand.
 *
 * Each element is one sequence of fused multiply-adds in the order of the steps, from 0 or from
 * dst: a chain gives the bits of its steps run one by one, on any machine with fused multiply-add.
 */
void nkx_gemm_chain(int m, int n, const nkx_gemm_step *steps, int n_steps, float *dst, int64_t ldd,
                    bool accumulate);

/* A chain of one step, fp32, pitches in floats. */
void nkx_gemm_tn_f32(int m, int n, int k, const float *st, int64_t ldst, const float *mv,
                     int64_t ldmv, float *dst, int64_t ldd, bool accumulate);

/*
 * Loads OpenBLAS, once a process. NULL: whole problems may be run; else why not, as a sentence
 * that lives as long as the process. From any thread.
 */
const char *nkx_gemm_error(void);

/*
 * Chooses OpenBLAS's kernels by what this processor can do, and keeps its threads from starting,
 * through the environment, which has its own say where it is set already. A library that knows no
 * processor newer than itself falls back to SSE, five times slower. For a program of one thread,
 * before the first product; a process that is not ours to arrange does without.
 */
void nkx_gemm_prepare_process(void);

/* Whole problems for checks and host arrays: c = op(a) . op(b), row-major, dense. threads >= 1.
 * Only while nkx_gemm_error() is NULL. */
void nkx_gemm_f64(int m, int n, int k, const double *a, bool trans_a, const double *b, bool trans_b,
                  double *c, int threads);
void nkx_gemm_f32(int m, int n, int k, const float *a, bool trans_a, const float *b, bool trans_b,
                  float *c, int threads);

const char *nkx_gemm_library(void); /* "OpenBLAS 0.3.21 Zen": for reports */

#endif
