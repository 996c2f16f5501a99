/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inner loop of tile products, once for each kind of processor. Private to interp/num:
 * gemm_chain.c prepares the operands and chooses, gemm_avx2.c and its like define these.
 *
 * Every element of the result is one sequence of fused multiply-adds over the contraction, in its
 * order, from 0 or from what was there. The bits therefore depend neither on blocking nor on
 * vector width nor on how many products are joined in a call.
 */
#ifndef NKX_NUM_GEMM_TILE_H
#define NKX_NUM_GEMM_TILE_H

#include "interp/base/attr.h"

/* Strips of the stationary operand are at most so high, panels of the moving one so wide. */
enum { NKX_TILE_ROWS = 6, NKX_TILE_MAX_COLS = 32 };

/* A run of the contraction: k rows of the moving operand, `pitch` floats apart. */
typedef struct nkx_tile_run {
    const float *mv;
    int64_t pitch;
    int k;
} nkx_tile_run;

/*
 * dst (rows x the kernel's columns, pitch ldd floats) = strip . panel over all runs [+ dst]. The
 * strip is packed: `rows` floats for each step of the contraction, runs one after another. With
 * `ahead` the columns that come next are asked for meanwhile.
 */
typedef void (*nkx_tile_fn)(int rows, const float *strip, const nkx_tile_run *runs, int n_runs,
                            float *dst, int64_t ldd, bool accumulate, bool ahead);

typedef struct nkx_tile_kernel {
    nkx_tile_fn run;
    int cols;
} nkx_tile_kernel;

extern const nkx_tile_kernel nkx_tile_avx2, nkx_tile_avx512; /* x86-64 only */
extern const nkx_tile_kernel nkx_tile_any;                   /* plain C */

#endif
