/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding to device types, matrix products and test values, by definition; see ref.h. */
#include "tests/support/ref.h"

#include <math.h>

typedef struct shape {
    int mant, min_exp; /* explicit mantissa bits, exponent of the smallest normal */
    double max;
    bool has_inf;
} shape;

static bool float_shape(nkx_dtype t, shape *s)
{
    switch ((int)t) {
    case NKX_DT_FP16: *s = (shape){10, -14, 65504, true}; return true;
    case NKX_DT_BF16: *s = (shape){7, -126, 0x1.fep127, true}; return true;
    case NKX_DT_TF32: *s = (shape){10, -126, 0x1.ffcp127, true}; return true;
    case NKX_DT_FP32: *s = (shape){23, -126, 0x1.fffffep127, true}; return true;
    case NKX_DT_FP8_E4M3: *s = (shape){3, -6, 240, true}; return true;
    case NKX_DT_FP8_E4M3FN: *s = (shape){3, -6, 448, false}; return true;
    case NKX_DT_FP8_E5M2: *s = (shape){2, -14, 57344, true}; return true;
    default: return false;
    }
}

/* Spacing of the type at |x|, then a rounding in units of it: both exact in float64. */
static double round_float(shape s, double x)
{
    int exponent = 0;
    if (isnan(x)) return x;
    if (isinf(x)) return s.has_inf ? x : NAN;
    (void)frexp(x, &exponent);
    if (exponent - 1 < s.min_exp || x == 0) exponent = s.min_exp + 1;
    double unit = ldexp(1.0, exponent - 1 - s.mant);
    double r = nearbyint(x / unit) * unit;
    if (fabs(r) > s.max) return s.has_inf ? copysign(INFINITY, x) : NAN;
    return copysign(r, x);
}

static double round_power_of_two(double x)
{
    int exponent = 0;
    if (!(x > 0) || isinf(x)) return NAN;
    double fraction = frexp(x, &exponent); /* [0.5, 1) */
    exponent += fraction >= 0.75 ? 0 : -1;
    if (exponent > 127) return NAN;
    return ldexp(1.0, exponent < -127 ? -127 : exponent);
}

double ref_round(nkx_dtype t, double x)
{
    shape s;
    if (float_shape(t, &s)) return round_float(s, x);
    if (t == NKX_DT_FP8_E8M0) return round_power_of_two(x);
    if (t == NKX_DT_BOOL) return x != 0;
    if (isnan(x)) return 0;
    double r = nearbyint(x), lo = nkx_dtypes[t].lowest, hi = nkx_dtypes[t].max;
    return r < lo ? lo : (r > hi ? hi : r);
}

void ref_gemm_tn(int m, int n, int k, const float *st, int64_t ldst, const float *mv, int64_t ldmv,
                 double *dst, int64_t ldd, bool accumulate)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = accumulate ? dst[i * ldd + j] : 0;
            for (int p = 0; p < k; p++) {
                sum += (double)st[p * ldst + i] * mv[p * ldmv + j];
            }
            dst[i * ldd + j] = sum;
        }
    }
}

uint32_t ref_next(ref_random *r)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint32_t x = (uint32_t)((r->state >> 18 ^ r->state) >> 27);
    int turn = (int)(r->state >> 59);
    return x >> turn | x << (-turn & 31);
}

double ref_uniform(ref_random *r, double lo, double hi)
{
    return lo + (hi - lo) * (ref_next(r) * 0x1p-32);
}

float ref_any_float(ref_random *r)
{
    static const float special[] = {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 0x1p-149f};
    uint32_t kind = ref_next(r) % 32;
    if (kind < NKX_COUNT(special)) return special[kind];
    double fraction = ref_uniform(r, 1, 2);
    double magnitude = ldexp(fraction, (int)(ref_next(r) % 276) - 149);
    return (float)((ref_next(r) & 1) ? -magnitude : magnitude);
}
