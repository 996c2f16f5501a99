/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tile product over vectors, for files compiled for one kind of processor. The includer
 * defines VEC, WIDTH (floats in one), ZERO(), LOAD(p), STORE(p, v), SPREAD(p) (one float in all
 * places) and FMA(a, b, c), then names the kernel with NKX_TILE_DEFINE.
 *
 * Six rows by two vectors: twelve sums hide the latency of the multiply-add, and with the two
 * moving vectors and one spread value fit sixteen registers.
 */
#include "interp/num/gemm_tile.h"

#include "interp/num/simd.h"

/* gcc keeps the sums in registers only if these loops are gone early; clang does it by itself. */
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 6")
#endif

NKX_INLINE void strip_product(int rows, int depth, const float *strip, const float *panel,
                              float *dst, int64_t ldd, bool accumulate)
{
    VEC sum[NKX_TILE_ROWS][2];
    UNROLL
    for (int r = 0; r < rows; r++) {
        sum[r][0] = accumulate ? LOAD(dst + r * ldd) : ZERO();
        sum[r][1] = accumulate ? LOAD(dst + r * ldd + WIDTH) : ZERO();
    }
    for (int k = 0; k < depth; k++, strip += rows, panel += 2 * WIDTH) {
        VEC low = LOAD(panel), high = LOAD(panel + WIDTH);
        UNROLL
        for (int r = 0; r < rows; r++) {
            VEC s = SPREAD(strip + r);
            sum[r][0] = FMA(s, low, sum[r][0]);
            sum[r][1] = FMA(s, high, sum[r][1]);
        }
    }
    UNROLL
    for (int r = 0; r < rows; r++) {
        STORE(dst + r * ldd, sum[r][0]);
        STORE(dst + r * ldd + WIDTH, sum[r][1]);
    }
}

#define CASE(n)                                                                                    \
    case n: strip_product(n, depth, strip, panel, dst, ldd, accumulate); break;
static void tile(int rows, int depth, const float *strip, const float *panel, float *dst,
                 int64_t ldd, bool accumulate)
{
    switch (rows) {
        CASE(1)
        CASE(2)
        CASE(3)
        CASE(4)
        CASE(5)
        CASE(6)
    default: nkx_unreachable();
    }
}
#undef CASE
#undef UNROLL

#define NKX_TILE_DEFINE(name) const nkx_tile_kernel name = {tile, 2 * WIDTH}
