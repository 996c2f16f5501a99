/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tile product over vectors, for files compiled for one kind of processor. The includer
 * defines VEC, WIDTH (floats in one), ZERO(), LOAD(p), STORE(p, v), SPREAD(p) (one float in all
 * places), FMA(a, b, c) and FETCH(p), then names the kernel with NKX_TILE_DEFINE.
 *
 * Six rows by two vectors: twelve sums hide the latency of the multiply-add, and with the two
 * moving vectors and one spread value fit sixteen registers. The moving operand is read where it
 * lies: a row of a panel is one or two cache lines.
 */
#include "interp/num/gemm_tile.h"

#include "interp/num/simd.h"

/* gcc keeps the sums in registers only if these loops are gone early; clang does it by itself. */
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 6")
#endif

NKX_INLINE void strip_product(int rows, const float *strip, const nkx_tile_run *runs, int n_runs,
                              float *dst, int64_t ldd, bool accumulate, bool ahead)
{
    VEC sum[NKX_TILE_ROWS][2];
    UNROLL
    for (int r = 0; r < rows; r++) {
        sum[r][0] = accumulate ? LOAD(dst + r * ldd) : ZERO();
        sum[r][1] = accumulate ? LOAD(dst + r * ldd + WIDTH) : ZERO();
    }
    for (int i = 0; i < n_runs; i++) {
        const float *mv = runs[i].mv;
        for (int k = 0; k < runs[i].k; k++) {
            VEC low = LOAD(mv), high = LOAD(mv + WIDTH);
            if (ahead) {
                FETCH(mv + 2 * WIDTH);
                if (WIDTH > 8) FETCH(mv + 3 * WIDTH);
            }
            UNROLL
            for (int r = 0; r < rows; r++) {
                VEC s = SPREAD(strip + r);
                sum[r][0] = FMA(s, low, sum[r][0]);
                sum[r][1] = FMA(s, high, sum[r][1]);
            }
            mv += runs[i].pitch;
            strip += rows;
        }
    }
    UNROLL
    for (int r = 0; r < rows; r++) {
        STORE(dst + r * ldd, sum[r][0]);
        STORE(dst + r * ldd + WIDTH, sum[r][1]);
    }
}

#define CASE(n)                                                                                    \
    case n:                                                                                        \
        if (ahead) {                                                                               \
            strip_product(n, strip, runs, n_runs, dst, ldd, accumulate, true);                     \
        } else {                                                                                   \
            strip_product(n, strip, runs, n_runs, dst, ldd, accumulate, false);                    \
        }                                                                                          \
        break;
static void tile(int rows, const float *strip, const nkx_tile_run *runs, int n_runs, float *dst,
                 int64_t ldd, bool accumulate, bool ahead)
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
