/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products: the only file that includes cblas.h. OpenBLAS runs with one thread inside a
 * call; parallelism comes from running independent instructions side by side, so that results do
 * not depend on the number of threads.
 */
#ifndef NKX_NUM_GEMM_H
#define NKX_NUM_GEMM_H

#include "interp/num/dtype.h"

void nkx_gemm_init(void); /* once a process, thread-safe: pins OpenBLAS to one thread per call */

/* dst(MxN, fp32, row pitch ldd floats) = st^T(KxM) . mv(KxN) [+ dst when accumulate]. All fp32,
 * pitches in floats. */
void nkx_gemm_tn_f32(int m, int n, int k, const float *st, int64_t ldst, const float *mv,
                     int64_t ldmv, float *dst, int64_t ldd, bool accumulate);

/* Whole problems in float64 for checks and host arrays: c = op(a) . op(b), row-major, dense.
 * threads >= 1. */
void nkx_gemm_f64(int m, int n, int k, const double *a, bool trans_a, const double *b, bool trans_b,
                  double *c, int threads);
void nkx_gemm_f32(int m, int n, int k, const float *a, bool trans_a, const float *b, bool trans_b,
                  float *c, int threads);

const char *nkx_gemm_library(void); /* "OpenBLAS 0.3.21 Zen": for reports */

#endif
