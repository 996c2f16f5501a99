/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One-operand operators and activation functions (isa.md 2.2, 2.4). Layer num.
 *
 * Composed functions work in blocks that stay in the first cache: elementary rows from vmath,
 * plain vectorised arithmetic around them. The forms are chosen so that nothing cancels and
 * nothing overflows before the result does; where an argument's rounding would be magnified
 * (e^(-x^2), erfc), its lost bits are computed and put back to first order. Functions that vanish
 * at minus infinity give -0 there, not the NaN of the literal formula.
 */
#include "interp/num/kernels.h"
#include "interp/num/ops.h"
#include "interp/num/simd.h"
#include "interp/num/vmath.h"

#include <math.h>

enum { BLOCK = 256 };

static const float SQRT_HALF = 0.70710678f, SQRT_HALF_LOW = 1.21016175e-8f;
static const float TWO_OVER_SQRT_PI = 1.12837917f, ONE_OVER_SQRT_2PI = 0.39894228f;
static const float PI = 3.14159274f, PI_LOW = -8.74227766e-8f;

NKX_INLINE float magnitude(float x)
{
    return nkx_float_of(nkx_bits_of(x) & 0x7fffffffu);
}
/* The leading 12 bits: products of two such halves are exact. */
NKX_INLINE float leading(float x)
{
    return nkx_float_of(nkx_bits_of(x) & 0xfffff000u);
}

/* a*b - p, where p is the rounded product. */
NKX_INLINE float product_error(float a, float b, float p)
{
    float ah = leading(a), al = a - ah, bh = leading(b), bl = b - bh;
    return ((ah * bh - p) + (ah * bl + al * bh)) + al * bl;
}

/* sigma(x) for z = e^(-|x|). */
NKX_INLINE float sigma(float x, float z)
{
    return (x >= 0 ? 1.0f : z) / (1.0f + z);
}
/* x*s, where s vanishes faster than x grows. */
NKX_INLINE float damped(float x, float s)
{
    return s == 0 ? -0.0f : x * s;
}

void nkx_un_copy(float *dst, const float *a, int64_t n)
{
    if (n > 0) memmove(dst, a, (size_t)n * sizeof *a);
}

#define SIMPLE(name, expr)                                                                         \
    NKX_CLONES static void row_##name(float *dst, const float *a, int64_t n)                       \
    {                                                                                              \
        NKX_IVDEP                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                          \
            float x = a[i];                                                                        \
            dst[i] = (expr);                                                                       \
        }                                                                                          \
    }                                                                                              \
    void nkx_un_##name(float *dst, const float *a, int64_t n)                                      \
    {                                                                                              \
        row_##name(dst, a, n);                                                                     \
    }
SIMPLE(square, x *x)
SIMPLE(abs, magnitude(x))
SIMPLE(sign, x > 0 ? 1.0f : (x < 0 ? -1.0f : (x == 0 ? 0.0f : x)))
SIMPLE(relu, x <= 0 ? 0.0f : x)
SIMPLE(reciprocal, 1.0f / x)
SIMPLE(logical_not, x == 0 ? 1.0f : 0.0f)
#undef SIMPLE

NKX_CLONES static void row_prelu(float *dst, const float *a, float slope, int64_t n)
{
    NKX_IVDEP
    for (int64_t i = 0; i < n; i++) {
        dst[i] = a[i] >= 0 ? a[i] : slope * a[i];
    }
}

void nkx_un_prelu(float *dst, const float *a, float slope, int64_t n)
{
    row_prelu(dst, a, slope, n);
}

void nkx_un_rsqrt(float *dst, const float *a, int64_t n)
{
    nkx_vsqrt(dst, a, n);
    nkx_un_reciprocal(dst, dst, n);
}

/*
 * A composed function: pre makes the argument of one elementary row from x, post joins x and that
 * row's value. Everything is inlined, so each becomes two vector loops around a SLEEF row.
 */
typedef float (*pre_fn)(float x);
typedef float (*post_fn)(float x, float e);
typedef void (*row_fn)(float *dst, const float *src, int64_t n);

NKX_INLINE void compose(float *dst, const float *a, int64_t n, pre_fn pre, row_fn row, post_fn post)
{
    float t[BLOCK];
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t m = n - i < BLOCK ? n - i : BLOCK;
        for (int64_t j = 0; j < m; j++) {
            t[j] = pre(a[i + j]);
        }
        row(t, t, m);
        NKX_IVDEP
        for (int64_t j = 0; j < m; j++) {
            dst[i + j] = post(a[i + j], t[j]);
        }
    }
}

NKX_INLINE float minus_abs(float x)
{
    return -magnitude(x);
}

NKX_INLINE float softplus_of(float x, float log1p_z)
{
    return (x > 0 ? x : 0.0f) + log1p_z;
}
NKX_INLINE float silu_of(float x, float z)
{
    return damped(x, sigma(x, z));
}

/* sigma(a)(1 + a sigma(-a)), a = argument of z. */
NKX_INLINE float silu_dx_of(float a, float z)
{
    float s = (a >= 0 ? 1.0f : z) / (1.0f + z), q = (a >= 0 ? z : 1.0f) / (1.0f + z);
    float aq = q == 0 ? 0.0f : a * q;
    return damped(1.0f + aq, s);
}

/* tanh(ln(1+w)) = (w^2+2w)/(w^2+2w+2), in z = min(w, 1/w). */
NKX_INLINE float mish_of(float x, float z)
{
    float num = x >= 0 ? 1.0f + 2.0f * z : z * (z + 2.0f);
    float den = num + (x >= 0 ? 2.0f * (z * z) : 2.0f);
    return damped(x, num / den);
}

/* e^(-x^2): the square's rounding error is put back. */
NKX_INLINE float minus_square(float x)
{
    return -(x * x);
}
NKX_INLINE float erf_dx_of(float x, float e)
{
    float lost = product_error(x, x, x * x);
    return e == 0 ? 0.0f : TWO_OVER_SQRT_PI * (e * (1.0f - lost));
}

/* t = -x/sqrt(2), the argument of erfc, and what its rounding lost. */
NKX_INLINE float erfc_argument(float x)
{
    return -(x * SQRT_HALF);
}
NKX_INLINE float half_erfc(float x, float erfc)
{
    float t = erfc_argument(x);
    float lost = -(product_error(x, SQRT_HALF, x * SQRT_HALF) + x * SQRT_HALF_LOW);
    return 0.5f * (t > 1.0f ? erfc * (1.0f - (2.0f * t + 0.5f) * lost) : erfc);
}
NKX_INLINE float gelu_of(float x, float erfc)
{
    return erfc == 0 ? -0.0f : x * half_erfc(x, erfc);
}

NKX_INLINE float apprx_sigmoid_argument(float x)
{
    return 1.702f * x;
}
/* 1 + tanh(u) = 2 sigma(2u) */
NKX_INLINE float apprx_tanh_argument(float x)
{
    return 1.5957691f * (x + 0.044715f * (x * x * x));
}
NKX_INLINE float pre_apprx_sigmoid(float x)
{
    return minus_abs(apprx_sigmoid_argument(x));
}
NKX_INLINE float pre_apprx_tanh(float x)
{
    return minus_abs(apprx_tanh_argument(x));
}
NKX_INLINE float apprx_sigmoid_of(float x, float z)
{
    return damped(x, sigma(x, z));
}
NKX_INLINE float apprx_sigmoid_dx_of(float x, float z)
{
    return silu_dx_of(apprx_sigmoid_argument(x), z);
}

/* No range reduction: past pi the segment around pi goes on (isa.md 2.4). */
NKX_INLINE float inside(float x)
{
    return magnitude(x) <= PI ? x : 0.0f;
}
NKX_INLINE float sin_of(float x, float sine)
{
    float d = x > 0 ? (x - PI) - PI_LOW : (x + PI) + PI_LOW;
    return magnitude(x) <= PI ? sine : -d + d * d * (d / 6.0f);
}

#define COMPOSED(name, pre, row, post)                                                             \
    NKX_CLONES static void row_##name(float *dst, const float *a, int64_t n)                       \
    {                                                                                              \
        compose(dst, a, n, pre, row, post);                                                        \
    }                                                                                              \
    void nkx_un_##name(float *dst, const float *a, int64_t n)                                      \
    {                                                                                              \
        row_##name(dst, a, n);                                                                     \
    }
COMPOSED(sigmoid, minus_abs, nkx_vexp, sigma)
COMPOSED(silu, minus_abs, nkx_vexp, silu_of)
COMPOSED(silu_dx, minus_abs, nkx_vexp, silu_dx_of)
COMPOSED(mish, minus_abs, nkx_vexp, mish_of)
COMPOSED(erf_dx, minus_square, nkx_vexp, erf_dx_of)
COMPOSED(gelu, erfc_argument, nkx_verfc, gelu_of)
COMPOSED(gelu_apprx_sigmoid, pre_apprx_sigmoid, nkx_vexp, apprx_sigmoid_of)
COMPOSED(gelu_apprx_sigmoid_dx, pre_apprx_sigmoid, nkx_vexp, apprx_sigmoid_dx_of)
COMPOSED(gelu_apprx_tanh, pre_apprx_tanh, nkx_vexp, apprx_sigmoid_of)
COMPOSED(sin, inside, nkx_vsin, sin_of)
#undef COMPOSED

static void log1p_of_exp(float *dst, const float *src, int64_t n)
{
    nkx_vexp(dst, src, n);
    nkx_vlog1p(dst, dst, n);
}

NKX_CLONES static void row_softplus(float *dst, const float *a, int64_t n)
{
    compose(dst, a, n, minus_abs, log1p_of_exp, softplus_of);
}

void nkx_un_softplus(float *dst, const float *a, int64_t n)
{
    row_softplus(dst, a, n);
}

/* Two elementary rows: the distribution and the density of the normal law. */
NKX_CLONES static void row_gelu_dx(float *dst, const float *a, int64_t n)
{
    float phi[BLOCK], e[BLOCK];
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t m = n - i < BLOCK ? n - i : BLOCK;
        const float *x = a + i;
        for (int64_t j = 0; j < m; j++) {
            phi[j] = erfc_argument(x[j]);
            e[j] = 0.5f * minus_square(x[j]);
        }
        nkx_verfc(phi, phi, m);
        nkx_vexp(e, e, m);
        NKX_IVDEP
        for (int64_t j = 0; j < m; j++) {
            float lost = 0.5f * product_error(x[j], x[j], x[j] * x[j]);
            float density = ONE_OVER_SQRT_2PI * (e[j] * (1.0f - lost));
            float slope = e[j] == 0 ? 0.0f : x[j] * density;
            dst[i + j] = (phi[j] == 0 ? 0.0f : half_erfc(x[j], phi[j])) + slope;
        }
    }
}

void nkx_un_gelu_dx(float *dst, const float *a, int64_t n)
{
    row_gelu_dx(dst, a, n);
}

void nkx_activation_row(nkx_alu f, float *dst, const float *x, float scale, float bias,
                        float relu_param, int64_t n)
{
    if (scale != 1.0f || bias != 0.0f) {
        nkx_scale_bias_row(dst, x, scale, bias, n);
        x = dst;
    }
    if (f == NKX_ALU_PRELU) {
        nkx_un_prelu(dst, x, relu_param, n);
    } else if (nkx_alu_rows[f].unary != NULL && (nkx_alu_rows[f].flags & NKX_OPF_ACTIVATION)) {
        nkx_alu_rows[f].unary(dst, x, n);
    } else {
        nkx_unreachable();
    }
}
