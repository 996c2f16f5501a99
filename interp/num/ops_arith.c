/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two-operand arithmetic in fp32 and the reductions (isa.md 2.2). Layer num. A scalar function
 * says what an operator is; three loops make its row kernels, one more its reduction.
 *
 * Order of a reduction: sixteen partial results, element i going to number i mod 16, joined as
 * a balanced tree (j with j+8, then j+4, j+2, j+1), the accumulator last. It is the same on every
 * machine and vector width, depends on nothing but the row, and errs less than left to right.
 */
#include "interp/num/kernels.h"
#include "interp/num/ops.h"
#include "interp/num/simd.h"
#include "interp/num/vmath.h"

#include <math.h>

static inline float add(float a, float b)
{
    return a + b;
}
static inline float subtract(float a, float b)
{
    return a - b;
}
static inline float multiply(float a, float b)
{
    return a * b;
}
static inline float divide(float a, float b)
{
    return a / b;
}
static inline float maximum(float a, float b)
{
    return ((a >= b) | (a != a)) ? a : b;
}
static inline float minimum(float a, float b)
{
    return ((a <= b) | (a != a)) ? a : b;
}
static inline float equal(float a, float b)
{
    return a == b ? 1.0f : 0.0f;
}
static inline float not_equal(float a, float b)
{
    return a != b ? 1.0f : 0.0f;
}
static inline float greater(float a, float b)
{
    return a > b ? 1.0f : 0.0f;
}
static inline float greater_equal(float a, float b)
{
    return a >= b ? 1.0f : 0.0f;
}
static inline float less(float a, float b)
{
    return a < b ? 1.0f : 0.0f;
}
static inline float less_equal(float a, float b)
{
    return a <= b ? 1.0f : 0.0f;
}
static inline float logical_and(float a, float b)
{
    return ((a != 0) & (b != 0)) ? 1.0f : 0.0f;
}
static inline float logical_or(float a, float b)
{
    return ((a != 0) | (b != 0)) ? 1.0f : 0.0f;
}
static inline float logical_xor(float a, float b)
{
    return ((a != 0) ^ (b != 0)) ? 1.0f : 0.0f;
}
static inline float bypass(float a, float b)
{
    return (void)b, a;
}

static inline float magnitude(float a)
{
    return nkx_float_of(nkx_bits_of(a) & 0x7fffffffu);
}
static inline float abs_max(float a, float b)
{
    return magnitude(a) > magnitude(b) ? a : b;
}
static inline float abs_min(float a, float b)
{
    return magnitude(a) < magnitude(b) ? a : b;
}

/* Sign of the divisor, exact: the host's fmod, moved by one divisor where the signs differ. */
static inline float mod(float a, float b)
{
    float r = fmodf(a, b);
    if (r == 0) return copysignf(0.0f, b);
    return (r < 0) != (b < 0) ? r + b : r;
}

typedef float (*scalar_fn)(float a, float b);

NKX_INLINE void loop_vv(float *dst, const float *a, const float *b, int64_t n, scalar_fn f)
{
    NKX_IVDEP
    for (int64_t i = 0; i < n; i++) {
        dst[i] = f(a[i], b[i]);
    }
}

NKX_INLINE void loop_vs(float *dst, const float *a, float s, int64_t n, scalar_fn f)
{
    NKX_IVDEP
    for (int64_t i = 0; i < n; i++) {
        dst[i] = f(a[i], s);
    }
}

NKX_INLINE void loop_sv(float *dst, float s, const float *b, int64_t n, scalar_fn f)
{
    NKX_IVDEP
    for (int64_t i = 0; i < n; i++) {
        dst[i] = f(s, b[i]);
    }
}

#define KERNELS(op, f, CLONES)                                                                     \
    CLONES void nkx_vv_##op(float *dst, const float *a, const float *b, int64_t n)                 \
    {                                                                                              \
        loop_vv(dst, a, b, n, f);                                                                  \
    }                                                                                              \
    CLONES void nkx_vs_##op(float *dst, const float *a, float s, int64_t n)                        \
    {                                                                                              \
        loop_vs(dst, a, s, n, f);                                                                  \
    }                                                                                              \
    CLONES void nkx_sv_##op(float *dst, float s, const float *b, int64_t n)                        \
    {                                                                                              \
        loop_sv(dst, s, b, n, f);                                                                  \
    }
KERNELS(add, add, NKX_GLOBAL_CLONES)
KERNELS(subtract, subtract, NKX_GLOBAL_CLONES)
KERNELS(multiply, multiply, NKX_GLOBAL_CLONES)
KERNELS(maximum, maximum, NKX_GLOBAL_CLONES)
KERNELS(minimum, minimum, NKX_GLOBAL_CLONES)
KERNELS(equal, equal, NKX_GLOBAL_CLONES)
KERNELS(not_equal, not_equal, NKX_GLOBAL_CLONES)
KERNELS(greater, greater, NKX_GLOBAL_CLONES)
KERNELS(greater_equal, greater_equal, NKX_GLOBAL_CLONES)
KERNELS(less, less, NKX_GLOBAL_CLONES)
KERNELS(less_equal, less_equal, NKX_GLOBAL_CLONES)
KERNELS(logical_and, logical_and, NKX_GLOBAL_CLONES)
KERNELS(logical_or, logical_or, NKX_GLOBAL_CLONES)
KERNELS(logical_xor, logical_xor, NKX_GLOBAL_CLONES)
KERNELS(abs_max, abs_max, NKX_GLOBAL_CLONES)
KERNELS(abs_min, abs_min, NKX_GLOBAL_CLONES)
KERNELS(bypass, bypass, NKX_GLOBAL_CLONES)
KERNELS(divide, divide, NKX_GLOBAL_CLONES)
KERNELS(mod, mod, )
KERNELS(fmod, fmodf, )
#undef KERNELS

enum { BLOCK = 256 };

static void fill(float *dst, float v, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        dst[i] = v;
    }
}

void nkx_vv_power(float *dst, const float *a, const float *b, int64_t n)
{
    nkx_vpow(dst, a, b, n);
}

void nkx_vs_power(float *dst, const float *a, float s, int64_t n)
{
    float block[BLOCK];
    fill(block, s, n < BLOCK ? n : BLOCK);
    for (int64_t i = 0; i < n; i += BLOCK) {
        nkx_vpow(dst + i, a + i, block, n - i < BLOCK ? n - i : BLOCK);
    }
}

void nkx_sv_power(float *dst, float s, const float *b, int64_t n)
{
    float block[BLOCK];
    fill(block, s, n < BLOCK ? n : BLOCK);
    for (int64_t i = 0; i < n; i += BLOCK) {
        nkx_vpow(dst + i, block, b + i, n - i < BLOCK ? n - i : BLOCK);
    }
}

/* ---- reductions ---- */

enum { LANES = 16 };

/* gcc makes vectors of this loop, but not of what is left when it has unrolled it. */
#if defined(__clang__)
#define KEEP_LOOP
#else
#define KEEP_LOOP _Pragma("GCC unroll 1")
#endif

NKX_INLINE float fold(float acc, const float *a, int64_t n, scalar_fn f, float identity)
{
    float lane[LANES];
    int64_t i = 0;
    for (int j = 0; j < LANES; j++) {
        lane[j] = identity;
    }
    for (; i + LANES <= n; i += LANES) {
        KEEP_LOOP
        for (int j = 0; j < LANES; j++) {
            lane[j] = f(lane[j], a[i + j]);
        }
    }
    for (int j = 0; i + j < n; j++) {
        lane[j] = f(lane[j], a[i + j]);
    }
    for (int half = LANES / 2; half > 0; half /= 2) {
        for (int j = 0; j < half; j++) {
            lane[j] = f(lane[j], lane[j + half]);
        }
    }
    return f(acc, lane[0]);
}

NKX_GLOBAL_CLONES float nkx_sum_row(float acc, const float *x, int64_t n)
{
    return fold(acc, x, n, add, 0.0f);
}

NKX_GLOBAL_CLONES float nkx_fold_multiply(float acc, const float *a, int64_t n)
{
    return fold(acc, a, n, multiply, 1.0f);
}

NKX_GLOBAL_CLONES float nkx_fold_maximum(float acc, const float *a, int64_t n)
{
    return fold(acc, a, n, maximum, -INFINITY);
}

NKX_GLOBAL_CLONES float nkx_fold_minimum(float acc, const float *a, int64_t n)
{
    return fold(acc, a, n, minimum, INFINITY);
}

/* Left to right by its nature. */
float nkx_fold_subtract(float acc, const float *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        acc -= a[i];
    }
    return acc;
}

NKX_GLOBAL_CLONES float nkx_fold_logical_and(float acc, const float *a, int64_t n)
{
    return fold(acc, a, n, logical_and, 1.0f);
}

NKX_GLOBAL_CLONES float nkx_fold_logical_or(float acc, const float *a, int64_t n)
{
    return fold(acc, a, n, logical_or, 0.0f);
}

NKX_GLOBAL_CLONES float nkx_fold_logical_xor(float acc, const float *a, int64_t n)
{
    return fold(acc, a, n, logical_xor, 0.0f);
}

NKX_GLOBAL_CLONES float nkx_fold_abs_max(float acc, const float *a, int64_t n)
{
    return fold(acc, a, n, abs_max, 0.0f);
}

NKX_GLOBAL_CLONES float nkx_fold_abs_min(float acc, const float *a, int64_t n)
{
    return fold(acc, a, n, abs_min, INFINITY);
}

NKX_GLOBAL_CLONES void nkx_scale_bias_row(float *dst, const float *x, float scale, float bias,
                                          int64_t n)
{
    NKX_IVDEP
    for (int64_t i = 0; i < n; i++) {
        dst[i] = x[i] * scale + bias;
    }
}
