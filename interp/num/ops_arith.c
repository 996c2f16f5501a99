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

/* The versions of a loop are private; one plain function stands in front of them. */
#define OPERATORS(F)                                                                               \
    F(add)                                                                                         \
    F(subtract)                                                                                    \
    F(multiply)                                                                                    \
    F(maximum)                                                                                     \
    F(minimum)                                                                                     \
    F(equal)                                                                                       \
    F(not_equal)                                                                                   \
    F(greater)                                                                                     \
    F(greater_equal)                                                                               \
    F(less)                                                                                        \
    F(less_equal)                                                                                  \
    F(logical_and)                                                                                 \
    F(logical_or)                                                                                  \
    F(logical_xor)                                                                                 \
    F(abs_max)                                                                                     \
    F(abs_min)                                                                                     \
    F(bypass)                                                                                      \
    F(divide)
#define VV(op)                                                                                     \
    NKX_CLONES static void vv_##op(float *dst, const float *a, const float *b, int64_t n)          \
    {                                                                                              \
        loop_vv(dst, a, b, n, op);                                                                 \
    }                                                                                              \
    void nkx_vv_##op(float *dst, const float *a, const float *b, int64_t n)                        \
    {                                                                                              \
        vv_##op(dst, a, b, n);                                                                     \
    }
#define VS(op)                                                                                     \
    NKX_CLONES static void vs_##op(float *dst, const float *a, float s, int64_t n)                 \
    {                                                                                              \
        loop_vs(dst, a, s, n, op);                                                                 \
    }                                                                                              \
    void nkx_vs_##op(float *dst, const float *a, float s, int64_t n)                               \
    {                                                                                              \
        vs_##op(dst, a, s, n);                                                                     \
    }
#define SV(op)                                                                                     \
    NKX_CLONES static void sv_##op(float *dst, float s, const float *b, int64_t n)                 \
    {                                                                                              \
        loop_sv(dst, s, b, n, op);                                                                 \
    }                                                                                              \
    void nkx_sv_##op(float *dst, float s, const float *b, int64_t n)                               \
    {                                                                                              \
        sv_##op(dst, s, b, n);                                                                     \
    }
OPERATORS(VV)
OPERATORS(VS)
OPERATORS(SV)
#undef VV
#undef VS
#undef SV
#undef OPERATORS

/* Remainders go through the C library, one at a time. */
#define REMAINDER(op, f)                                                                           \
    void nkx_vv_##op(float *dst, const float *a, const float *b, int64_t n)                        \
    {                                                                                              \
        loop_vv(dst, a, b, n, f);                                                                  \
    }                                                                                              \
    void nkx_vs_##op(float *dst, const float *a, float s, int64_t n)                               \
    {                                                                                              \
        loop_vs(dst, a, s, n, f);                                                                  \
    }                                                                                              \
    void nkx_sv_##op(float *dst, float s, const float *b, int64_t n)                               \
    {                                                                                              \
        loop_sv(dst, s, b, n, f);                                                                  \
    }
REMAINDER(mod, mod)
REMAINDER(fmod, fmodf)
#undef REMAINDER

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

#define FOLD(name, f, identity)                                                                    \
    NKX_CLONES static float fold_##f(float acc, const float *a, int64_t n)                         \
    {                                                                                              \
        return fold(acc, a, n, f, identity);                                                       \
    }                                                                                              \
    float name(float acc, const float *a, int64_t n)                                               \
    {                                                                                              \
        return fold_##f(acc, a, n);                                                                \
    }
FOLD(nkx_sum_row, add, 0.0f)
FOLD(nkx_fold_multiply, multiply, 1.0f)
FOLD(nkx_fold_maximum, maximum, -INFINITY)
FOLD(nkx_fold_minimum, minimum, INFINITY)
FOLD(nkx_fold_logical_and, logical_and, 1.0f)
FOLD(nkx_fold_logical_or, logical_or, 0.0f)
FOLD(nkx_fold_logical_xor, logical_xor, 0.0f)
FOLD(nkx_fold_abs_max, abs_max, 0.0f)
FOLD(nkx_fold_abs_min, abs_min, INFINITY)
#undef FOLD

/* Sums of the elements of even and of odd index, less shift[index % 2], squared when told. */
NKX_INLINE void halves(const float *a, int64_t n, const float shift[2], bool squared, float sum[2])
{
    float lane[LANES] = {0}, off[LANES];
    int64_t i = 0;
    for (int j = 0; j < LANES; j++) {
        off[j] = shift[j % 2];
    }
    for (; i + LANES <= n; i += LANES) {
        KEEP_LOOP
        for (int j = 0; j < LANES; j++) {
            float d = a[i + j] - off[j];
            lane[j] += squared ? d * d : d;
        }
    }
    for (int j = 0; i + j < n; j++) {
        float d = a[i + j] - off[j];
        lane[j] += squared ? d * d : d;
    }
    for (int half = LANES / 2; half > 1; half /= 2) {
        for (int j = 0; j < half; j++) {
            lane[j] += lane[j + half];
        }
    }
    sum[0] = lane[0];
    sum[1] = lane[1];
}

NKX_CLONES static void moments(const float *a, int64_t n, float out[6])
{
    const float zero[2] = {0, 0}, count[2] = {(float)((n + 1) / 2), (float)(n / 2)};
    float sum[2], mean[2], m2[2];
    halves(a, n, zero, false, sum);
    for (int i = 0; i < 2; i++) {
        mean[i] = count[i] > 0 ? sum[i] / count[i] : 0;
    }
    halves(a, n, mean, true, m2);
    for (int i = 0; i < 2; i++) {
        out[3 * i] = count[i];
        out[3 * i + 1] = mean[i];
        out[3 * i + 2] = m2[i];
    }
}

void nkx_moments_row(const float *x, int64_t n, float out[6])
{
    moments(x, n, out);
}

/* Left to right by its nature. */
float nkx_fold_subtract(float acc, const float *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        acc -= a[i];
    }
    return acc;
}

NKX_CLONES static void scale_bias(float *dst, const float *x, float scale, float bias, int64_t n)
{
    NKX_IVDEP
    for (int64_t i = 0; i < n; i++) {
        dst[i] = x[i] * scale + bias;
    }
}

void nkx_scale_bias_row(float *dst, const float *x, float scale, float bias, int64_t n)
{
    scale_bias(dst, x, scale, bias, n);
}
