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

/*
 * dst (rows x the kernel's columns, pitch ldd floats) = strip . panel [+ dst]. Both are packed: for
 * each of `depth` steps of the contraction `rows` floats of the strip, `cols` of the panel.
 */
typedef void (*nkx_tile_fn)(int rows, int depth, const float *strip, const float *panel, float *dst,
                            int64_t ldd, bool accumulate);

typedef struct nkx_tile_kernel {
    nkx_tile_fn run;
    int cols;
} nkx_tile_kernel;

extern const nkx_tile_kernel nkx_tile_avx2, nkx_tile_avx512; /* x86-64 only */
extern const nkx_tile_kernel nkx_tile_any;                   /* plain C */

#endif
