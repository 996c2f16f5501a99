/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tile products in plain C; see gemm_tile.h. Layer num. On arm64 the compiler makes vectors and
 * fused multiply-adds of it. x86-64 comes here only when it is too old to have them; products are
 * then rounded before they are added, and last bits differ from those of newer machines.
 */
#include "interp/num/gemm_tile.h"

#include "interp/num/simd.h"

#include <math.h>

#if defined(__FP_FAST_FMAF)
#define FMA(a, b, c) fmaf(a, b, c)
#else
#define FMA(a, b, c) ((a) * (b) + (c))
#endif

enum { COLS = 16 };

NKX_INLINE void strip_product(int rows, int depth, const float *strip, const float *panel,
                              float *dst, int64_t ldd, bool accumulate)
{
    float sum[NKX_TILE_ROWS][COLS] = {{0}};
    for (int r = 0; r < rows && accumulate; r++) {
        memcpy(sum[r], dst + r * ldd, sizeof sum[r]);
    }
    for (int k = 0; k < depth; k++, strip += rows, panel += COLS) {
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < COLS; c++) {
                sum[r][c] = FMA(strip[r], panel[c], sum[r][c]);
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        memcpy(dst + r * ldd, sum[r], sizeof sum[r]);
    }
}

static void tile(int rows, int depth, const float *strip, const float *panel, float *dst,
                 int64_t ldd, bool accumulate)
{
    if (rows == NKX_TILE_ROWS) { /* a constant for the compiler to unroll by */
        strip_product(NKX_TILE_ROWS, depth, strip, panel, dst, ldd, accumulate);
    } else {
        strip_product(rows, depth, strip, panel, dst, ldd, accumulate);
    }
}

const nkx_tile_kernel nkx_tile_any = {tile, COLS};
