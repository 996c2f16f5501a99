/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of the element-wise functions, dense rows in one lane each, and the table that names
 * them. A kernel is one loop over a two-line scalar expression; dst may be an input.
 */
#include "interp/host/ufunc.h"
#include "interp/num/vmath.h"

#include <math.h>
#include <string.h>

#define BIN(name, T, expr)                                                                         \
    static void name(void *dst, const void *pa, const void *pb, int64_t n)                         \
    {                                                                                              \
        T *d = dst;                                                                                \
        const T *x = pa, *y = pb;                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                          \
            T a = x[i], b = y[i];                                                                  \
            d[i] = (T)(expr);                                                                      \
        }                                                                                          \
    }
#define CMP(name, T, expr)                                                                         \
    static void name(void *dst, const void *pa, const void *pb, int64_t n)                         \
    {                                                                                              \
        uint8_t *d = dst;                                                                          \
        const T *x = pa, *y = pb;                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                          \
            T a = x[i], b = y[i];                                                                  \
            d[i] = (uint8_t)((expr) ? 1 : 0);                                                      \
        }                                                                                          \
    }
#define UN(name, T, expr)                                                                          \
    static void name(void *dst, const void *pa, const void *pb, int64_t n)                         \
    {                                                                                              \
        T *d = dst;                                                                                \
        const T *x = pa;                                                                           \
        (void)pb;                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                          \
            T a = x[i];                                                                            \
            d[i] = (T)(expr);                                                                      \
        }                                                                                          \
    }
#define TST(name, T, expr)                                                                         \
    static void name(void *dst, const void *pa, const void *pb, int64_t n)                         \
    {                                                                                              \
        uint8_t *d = dst;                                                                          \
        const T *x = pa;                                                                           \
        (void)pb;                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                          \
            T a = x[i];                                                                            \
            (void)a;                                                                               \
            d[i] = (uint8_t)((expr) ? 1 : 0);                                                      \
        }                                                                                          \
    }
/* Both float lanes from one expression; M is the suffix of the libm function. */
#define BINF(name, e32, e64) BIN(name##_f32, float, e32) BIN(name##_f64, double, e64)
#define UNF(name, e32, e64)  UN(name##_f32, float, e32) UN(name##_f64, double, e64)
#define CMPS(name, op)                                                                             \
    CMP(name##_f32, float, a op b)                                                                 \
    CMP(name##_f64, double, a op b)                                                                \
    CMP(name##_i64, int64_t, a op b)                                                               \
    CMP(name##_u64, uint64_t, a op b)
#define LOGS(name, expr)                                                                           \
    CMP(name##_f32, float, expr)                                                                   \
    CMP(name##_f64, double, expr)                                                                  \
    CMP(name##_i64, int64_t, expr)

/* ---- scalar helpers: integers as C, zero divisors give 0 as NumPy does ---- */

static int64_t i64_wrap_sub(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t i64_floordiv(int64_t a, int64_t b)
{
    if (b == 0) return 0;
    if (b == -1) return i64_wrap_sub(0, a);
    int64_t q = a / b;
    return a % b != 0 && ((a < 0) != (b < 0)) ? q - 1 : q;
}

static int64_t i64_mod(int64_t a, int64_t b)
{
    if (b == 0 || b == -1) return 0;
    int64_t r = a % b;
    return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}

static int64_t i64_fmod(int64_t a, int64_t b)
{
    return b == 0 || b == -1 ? 0 : a % b;
}

static uint64_t u64_pow(uint64_t a, uint64_t b)
{
    uint64_t r = 1;
    for (; b != 0; b >>= 1) {
        if (b & 1u) r *= a;
        a *= a;
    }
    return r;
}

/* Negative powers are refused before the loop, apart from 1 and -1. */
static int64_t i64_pow(int64_t a, int64_t b)
{
    if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 != 0 ? -1 : 1) : 0;
    return (int64_t)u64_pow((uint64_t)a, (uint64_t)b);
}

static int64_t i64_shl(int64_t a, int64_t b)
{
    return b < 0 || b > 63 ? 0 : (int64_t)((uint64_t)a << b);
}
static int64_t i64_shr(int64_t a, int64_t b)
{
    return b < 0 || b > 63 ? (a < 0 ? -1 : 0) : a >> b;
}
static uint64_t u64_shl(uint64_t a, uint64_t b)
{
    return b > 63 ? 0 : a << b;
}
static uint64_t u64_shr(uint64_t a, uint64_t b)
{
    return b > 63 ? 0 : a >> b;
}

static uint64_t u64_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

static uint64_t i64_mag(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}
static int64_t i64_gcd(int64_t a, int64_t b)
{
    return (int64_t)u64_gcd(i64_mag(a), i64_mag(b));
}

static int64_t i64_lcm(int64_t a, int64_t b)
{
    uint64_t g = u64_gcd(i64_mag(a), i64_mag(b));
    return g == 0 ? 0 : (int64_t)(i64_mag(a) / g * i64_mag(b));
}

static uint64_t u64_lcm(uint64_t a, uint64_t b)
{
    uint64_t g = u64_gcd(a, b);
    return g == 0 ? 0 : a / g * b;
}

static double f64_mod(double a, double b)
{
    double r = fmod(a, b);
    if (b == 0) return r;
    if (r == 0) return copysign(0.0, b);
    return (b < 0) != (r < 0) ? r + b : r;
}

static double f64_floordiv(double a, double b)
{
    if (b == 0) return a / b;
    double r = fmod(a, b), div = (a - r) / b;
    if (r != 0 && (b < 0) != (r < 0)) div -= 1.0;
    if (div == 0) return copysign(0.0, a / b);
    double f = floor(div);
    return div - f > 0.5 ? f + 1.0 : f;
}

static float f32_mod(float a, float b)
{
    float r = fmodf(a, b);
    if (b == 0) return r;
    if (r == 0) return copysignf(0.0f, b);
    return (b < 0) != (r < 0) ? r + b : r;
}

static float f32_floordiv(float a, float b)
{
    if (b == 0) return a / b;
    float r = fmodf(a, b), div = (a - r) / b;
    if (r != 0 && (b < 0) != (r < 0)) div -= 1.0f;
    if (div == 0) return copysignf(0.0f, a / b);
    float f = floorf(div);
    return div - f > 0.5f ? f + 1.0f : f;
}

static double f64_logaddexp(double a, double b)
{
    if (a == b) return a + 0.693147180559945309417232121458176568;
    double d = a - b;
    if (d > 0) return a + log1p(exp(-d));
    return d <= 0 ? b + log1p(exp(d)) : d;
}

static double f64_logaddexp2(double a, double b)
{
    double d = a - b;
    if (a == b) return a + 1.0;
    if (d > 0) return a + log1p(exp2(-d)) * 1.442695040888963407359924681001892137;
    return d <= 0 ? b + log1p(exp2(d)) * 1.442695040888963407359924681001892137 : d;
}

static double f64_sign(double a)
{
    return a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a;
}
static double f64_heaviside(double a, double b)
{
    return isnan(a) ? a : a < 0 ? 0 : a > 0 ? 1 : b;
}
static double f64_spacing(double a)
{
    return isinf(a) ? (double)NAN : nextafter(a, a < 0 ? -(double)INFINITY : (double)INFINITY) - a;
}
static float f32_spacing(float a)
{
    return isinf(a) ? NAN : nextafterf(a, a < 0 ? -INFINITY : INFINITY) - a;
}

/* ---- two operands ---- */

BINF(add, a + b, a + b)
BIN(add_i64, uint64_t, a + b)
BINF(sub, a - b, a - b)
BIN(sub_i64, uint64_t, a - b)
BINF(mul, a *b, a *b)
BIN(mul_i64, uint64_t, a *b)
BINF(div, a / b, a / b)
BINF(floordiv, f32_floordiv(a, b), f64_floordiv(a, b))
BIN(floordiv_i64, int64_t, i64_floordiv(a, b))
BIN(floordiv_u64, uint64_t, b == 0 ? 0 : a / b)
BINF(mod, f32_mod(a, b), f64_mod(a, b))
BIN(mod_i64, int64_t, i64_mod(a, b))
BIN(mod_u64, uint64_t, b == 0 ? 0 : a % b)
BINF(fmod, fmodf(a, b), fmod(a, b))
BIN(fmod_i64, int64_t, i64_fmod(a, b))
BINF(pow, powf(a, b), pow(a, b))
BIN(pow_i64, int64_t, i64_pow(a, b))
BIN(pow_u64, uint64_t, u64_pow(a, b))
BINF(max, a >= b || isnan(a) ? a : b, a >= b || isnan(a) ? a : b)
BIN(max_i64, int64_t, a >= b ? a : b)
BIN(max_u64, uint64_t, a >= b ? a : b)
BINF(min, a <= b || isnan(a) ? a : b, a <= b || isnan(a) ? a : b)
BIN(min_i64, int64_t, a <= b ? a : b)
BIN(min_u64, uint64_t, a <= b ? a : b)
BINF(fmax, a >= b || isnan(b) ? a : b, a >= b || isnan(b) ? a : b)
BINF(fmin, a <= b || isnan(b) ? a : b, a <= b || isnan(b) ? a : b)
CMPS(eq, ==)
CMPS(ne, !=)
CMPS(lt, <)
CMPS(le, <=)
CMPS(gt, >)
CMPS(ge, >=)
LOGS(land, a != 0 && b != 0)
LOGS(lor, a != 0 || b != 0)
LOGS(lxor, (a != 0) != (b != 0))
BIN(band, uint64_t, a &b)
BIN(bor, uint64_t, a | b)
BIN(bxor, uint64_t, a ^ b)
BIN(shl_i64, int64_t, i64_shl(a, b))
BIN(shl_u64, uint64_t, u64_shl(a, b))
BIN(shr_i64, int64_t, i64_shr(a, b))
BIN(shr_u64, uint64_t, u64_shr(a, b))
BINF(atan2, atan2f(a, b), atan2(a, b))
BINF(hypot, hypotf(a, b), hypot(a, b))
BINF(copysign, copysignf(a, b), copysign(a, b))
BINF(logaddexp, (float)f64_logaddexp((double)a, (double)b), f64_logaddexp(a, b))
BINF(logaddexp2, (float)f64_logaddexp2((double)a, (double)b), f64_logaddexp2(a, b))
BINF(nextafter, nextafterf(a, b), nextafter(a, b))
BINF(heaviside, (float)f64_heaviside((double)a, (double)b), f64_heaviside(a, b))
BIN(gcd_i64, int64_t, i64_gcd(a, b))
BIN(gcd_u64, uint64_t, u64_gcd(a, b))
BIN(lcm_i64, int64_t, i64_lcm(a, b))
BIN(lcm_u64, uint64_t, u64_lcm(a, b))

/* ---- one operand ---- */

UNF(neg, -a, -a)
UN(neg_i64, uint64_t, 0 - a)
UNF(pos, a, a)
UN(pos_i64, uint64_t, a)
UNF(abs, fabsf(a), fabs(a))
UN(abs_i64, int64_t, a < 0 ? i64_wrap_sub(0, a) : a)
UNF(sign, (float)f64_sign((double)a), f64_sign(a))
UN(sign_i64, int64_t, a > 0 ? 1 : a < 0 ? -1 : 0)
UN(sign_u64, uint64_t, a > 0)
UNF(square, a *a, a *a)
UN(square_i64, uint64_t, a *a)
UNF(recip, 1.0f / a, 1.0 / a)
UN(recip_i64, int64_t, a == 1 ? 1 : a == -1 ? -1 : 0)
UN(invert_i64, uint64_t, ~a)
TST(lnot_f32, float, a == 0)
TST(lnot_f64, double, a == 0)
TST(lnot_i64, int64_t, a == 0)
UNF(floor, floorf(a), floor(a))
UNF(ceil, ceilf(a), ceil(a))
UNF(trunc, truncf(a), trunc(a))
UNF(rint, rintf(a), rint(a))
UNF(sqrt, sqrtf(a), sqrt(a))
UNF(cbrt, cbrtf(a), cbrt(a))
UN(exp_f64, double, exp(a))
UNF(exp2, exp2f(a), exp2(a))
UNF(expm1, expm1f(a), expm1(a))
UN(log_f64, double, log(a))
UNF(log2, log2f(a), log2(a))
UNF(log10, log10f(a), log10(a))
UNF(log1p, log1pf(a), log1p(a))
UN(sin_f64, double, sin(a))
UN(sin_f32, float, sinf(a))
UNF(cos, cosf(a), cos(a))
UNF(tan, tanf(a), tan(a))
UNF(asin, asinf(a), asin(a))
UNF(acos, acosf(a), acos(a))
UNF(atan, atanf(a), atan(a))
UNF(sinh, sinhf(a), sinh(a))
UNF(cosh, coshf(a), cosh(a))
UN(tanh_f64, double, tanh(a))
UNF(asinh, asinhf(a), asinh(a))
UNF(acosh, acoshf(a), acosh(a))
UNF(atanh, atanhf(a), atanh(a))
UNF(deg2rad, a *(float)(3.14159265358979323846 / 180.0), a *(3.14159265358979323846 / 180.0))
UNF(rad2deg, a *(float)(180.0 / 3.14159265358979323846), a *(180.0 / 3.14159265358979323846))
UNF(spacing, f32_spacing(a), f64_spacing(a))
UN(erf_f64, double, erf(a))
TST(isnan_f32, float, isnan(a))
TST(isnan_f64, double, isnan(a))
TST(never_i64, int64_t, 0)
TST(isinf_f32, float, isinf(a))
TST(isinf_f64, double, isinf(a))
TST(isfinite_f32, float, isfinite(a))
TST(isfinite_f64, double, isfinite(a))
TST(always_i64, int64_t, 1)
TST(signbit_f32, float, signbit(a))
TST(signbit_f64, double, signbit(a))
TST(signbit_i64, int64_t, a < 0)
#undef BIN
#undef CMP
#undef UN
#undef TST
#undef BINF
#undef UNF
#undef CMPS
#undef LOGS

/* Vector versions of the four that kernels' references use most, at most 1 ulp. */
#define VEC(name)                                                                                  \
    static void name##_f32(void *dst, const void *a, const void *b, int64_t n)                     \
    {                                                                                              \
        (void)b;                                                                                   \
        nkx_v##name(dst, a, n);                                                                    \
    }
VEC(exp)
VEC(log)
VEC(tanh)
VEC(erf)
#undef VEC

const nkx_uf_row nkx_uf_rows[NKX_N_UFUNCS] = {
    [NKX_UF_ADD] = {"add",           2, NKX_UK_ARITH,   add_f32,        add_f64,        add_i64,     NULL,         true,  0        },
    [NKX_UF_SUBTRACT] = {"subtract",      2, NKX_UK_NO_BOOL, sub_f32,        sub_f64,        sub_i64,     NULL,         false, 0        },
    [NKX_UF_MULTIPLY] = {"multiply",      2, NKX_UK_ARITH,   mul_f32,        mul_f64,        mul_i64,     NULL,         true,  1        },
    [NKX_UF_DIVIDE] = {"divide",        2, NKX_UK_DIVIDE,  div_f32,        div_f64,        NULL,        NULL,         false, 0        },
    [NKX_UF_FLOOR_DIVIDE] = {"floor_divide",  2, NKX_UK_INT8,    floordiv_f32,   floordiv_f64,
                    floordiv_i64,                                                                    floordiv_u64, false, 0        },
    [NKX_UF_REMAINDER] = {"remainder",     2, NKX_UK_INT8,    mod_f32,        mod_f64,        mod_i64,     mod_u64,      false,
                    0                                                                                                              },
    [NKX_UF_FMOD] = {"fmod",          2, NKX_UK_INT8,    fmod_f32,       fmod_f64,       fmod_i64,    mod_u64,      false, 0        },
    [NKX_UF_POWER] = {"power",         2, NKX_UK_INT8,    pow_f32,        pow_f64,        pow_i64,     pow_u64,      false, 0        },
    [NKX_UF_FLOAT_POWER] = {"float_power",   2, NKX_UK_FLOAT64, NULL,           pow_f64,        NULL,        NULL,         false, 0        },
    [NKX_UF_MAXIMUM] = {"maximum",       2, NKX_UK_ARITH,   max_f32,        max_f64,        max_i64,     max_u64,      false, 0        },
    [NKX_UF_MINIMUM] = {"minimum",       2, NKX_UK_ARITH,   min_f32,        min_f64,        min_i64,     min_u64,      false, 0        },
    [NKX_UF_FMAX] = {"fmax",          2, NKX_UK_ARITH,   fmax_f32,       fmax_f64,       max_i64,     max_u64,      false, 0        },
    [NKX_UF_FMIN] = {"fmin",          2, NKX_UK_ARITH,   fmin_f32,       fmin_f64,       min_i64,     min_u64,      false, 0        },
    [NKX_UF_EQUAL] = {"equal",         2, NKX_UK_COMPARE, eq_f32,         eq_f64,         eq_i64,      eq_u64,       false, 0        },
    [NKX_UF_NOT_EQUAL] = {"not_equal",     2, NKX_UK_COMPARE, ne_f32,         ne_f64,         ne_i64,      ne_u64,       false, 0        },
    [NKX_UF_LESS] = {"less",          2, NKX_UK_COMPARE, lt_f32,         lt_f64,         lt_i64,      lt_u64,       false, 0        },
    [NKX_UF_LESS_EQUAL] = {"less_equal",    2, NKX_UK_COMPARE, le_f32,         le_f64,         le_i64,      le_u64,       false,
                    0                                                                                                              },
    [NKX_UF_GREATER] = {"greater",       2, NKX_UK_COMPARE, gt_f32,         gt_f64,         gt_i64,      gt_u64,       false, 0        },
    [NKX_UF_GREATER_EQUAL] = {"greater_equal", 2, NKX_UK_COMPARE, ge_f32,         ge_f64,         ge_i64,      ge_u64,
                    false,                                                                                                0        },
    [NKX_UF_LOGICAL_AND] = {"logical_and",   2, NKX_UK_LOGIC,   land_f32,       land_f64,       land_i64,    NULL,
                    true,                                                                                                 1        },
    [NKX_UF_LOGICAL_OR] = {"logical_or",    2, NKX_UK_LOGIC,   lor_f32,        lor_f64,        lor_i64,     NULL,         true,  0        },
    [NKX_UF_LOGICAL_XOR] = {"logical_xor",   2, NKX_UK_LOGIC,   lxor_f32,       lxor_f64,       lxor_i64,    NULL,
                    true,                                                                                                 0        },
    [NKX_UF_BITWISE_AND] = {"bitwise_and",   2, NKX_UK_BITS,    NULL,           NULL,           band,        NULL,         true,  -1       },
    [NKX_UF_BITWISE_OR] = {"bitwise_or",    2, NKX_UK_BITS,    NULL,           NULL,           bor,         NULL,         true,  0        },
    [NKX_UF_BITWISE_XOR] = {"bitwise_xor",   2, NKX_UK_BITS,    NULL,           NULL,           bxor,        NULL,         true,  0        },
    [NKX_UF_LEFT_SHIFT] = {"left_shift",    2, NKX_UK_SHIFT,   NULL,           NULL,           shl_i64,     shl_u64,      false, 0        },
    [NKX_UF_RIGHT_SHIFT] = {"right_shift",   2, NKX_UK_SHIFT,   NULL,           NULL,           shr_i64,     shr_u64,      false, 0        },
    [NKX_UF_ARCTAN2] = {"arctan2",       2, NKX_UK_FLOAT,   atan2_f32,      atan2_f64,      NULL,        NULL,         false, 0        },
    [NKX_UF_HYPOT] = {"hypot",         2, NKX_UK_FLOAT,   hypot_f32,      hypot_f64,      NULL,        NULL,         true,  0        },
    [NKX_UF_COPYSIGN] = {"copysign",      2, NKX_UK_FLOAT,   copysign_f32,   copysign_f64,   NULL,        NULL,         false,
                    0                                                                                                              },
    [NKX_UF_LOGADDEXP] = {"logaddexp",     2, NKX_UK_FLOAT,   logaddexp_f32,  logaddexp_f64,  NULL,        NULL,
                    true,                                                                                                 -HUGE_VAL},
    [NKX_UF_LOGADDEXP2] = {"logaddexp2",    2, NKX_UK_FLOAT,   logaddexp2_f32, logaddexp2_f64, NULL,
                    NULL,                                                                                          true,  -HUGE_VAL},
    [NKX_UF_NEXTAFTER] = {"nextafter",     2, NKX_UK_FLOAT,   nextafter_f32,  nextafter_f64,  NULL,        NULL,
                    false,                                                                                                0        },
    [NKX_UF_HEAVISIDE] = {"heaviside",     2, NKX_UK_FLOAT,   heaviside_f32,  heaviside_f64,  NULL,        NULL,
                    false,                                                                                                0        },
    [NKX_UF_GCD] = {"gcd",           2, NKX_UK_INTEGER, NULL,           NULL,           gcd_i64,     gcd_u64,      true,  0        },
    [NKX_UF_LCM] = {"lcm",           2, NKX_UK_INTEGER, NULL,           NULL,           lcm_i64,     lcm_u64,      false, 0        },
    [NKX_UF_NEGATIVE] = {"negative",      1, NKX_UK_NO_BOOL, neg_f32,        neg_f64,        neg_i64,     NULL,         false, 0        },
    [NKX_UF_POSITIVE] = {"positive",      1, NKX_UK_NO_BOOL, pos_f32,        pos_f64,        pos_i64,     NULL,         false, 0        },
    [NKX_UF_ABSOLUTE] = {"absolute",      1, NKX_UK_ARITH,   abs_f32,        abs_f64,        abs_i64,     pos_i64,      false, 0        },
    [NKX_UF_FABS] = {"fabs",          1, NKX_UK_FLOAT,   abs_f32,        abs_f64,        NULL,        NULL,         false, 0        },
    [NKX_UF_SIGN] = {"sign",          1, NKX_UK_NO_BOOL, sign_f32,       sign_f64,       sign_i64,    sign_u64,     false, 0        },
    [NKX_UF_SQUARE] = {"square",        1, NKX_UK_INT8,    square_f32,     square_f64,     square_i64,  NULL,         false,
                    0                                                                                                              },
    [NKX_UF_RECIPROCAL] = {"reciprocal",    1, NKX_UK_INT8,    recip_f32,      recip_f64,      recip_i64,   NULL,
                    false,                                                                                                0        },
    [NKX_UF_CONJUGATE] = {"conjugate",     1, NKX_UK_INT8,    pos_f32,        pos_f64,        pos_i64,     NULL,         false, 0        },
    [NKX_UF_INVERT] = {"invert",        1, NKX_UK_BITS,    NULL,           NULL,           invert_i64,  NULL,         false, 0        },
    [NKX_UF_LOGICAL_NOT] = {"logical_not",   1, NKX_UK_LOGIC,   lnot_f32,       lnot_f64,       lnot_i64,    NULL,
                    false,                                                                                                0        },
    [NKX_UF_FLOOR] = {"floor",         1, NKX_UK_ROUND,   floor_f32,      floor_f64,      pos_i64,     NULL,         false, 0        },
    [NKX_UF_CEIL] = {"ceil",          1, NKX_UK_ROUND,   ceil_f32,       ceil_f64,       pos_i64,     NULL,         false, 0        },
    [NKX_UF_TRUNC] = {"trunc",         1, NKX_UK_ROUND,   trunc_f32,      trunc_f64,      pos_i64,     NULL,         false, 0        },
    [NKX_UF_RINT] = {"rint",          1, NKX_UK_FLOAT,   rint_f32,       rint_f64,       NULL,        NULL,         false, 0        },
    [NKX_UF_SQRT] = {"sqrt",          1, NKX_UK_FLOAT,   sqrt_f32,       sqrt_f64,       NULL,        NULL,         false, 0        },
    [NKX_UF_CBRT] = {"cbrt",          1, NKX_UK_FLOAT,   cbrt_f32,       cbrt_f64,       NULL,        NULL,         false, 0        },
    [NKX_UF_EXP] = {"exp",           1, NKX_UK_FLOAT,   exp_f32,        exp_f64,        NULL,        NULL,         false, 0        },
    [NKX_UF_EXP2] = {"exp2",          1, NKX_UK_FLOAT,   exp2_f32,       exp2_f64,       NULL,        NULL,         false, 0        },
    [NKX_UF_EXPM1] = {"expm1",         1, NKX_UK_FLOAT,   expm1_f32,      expm1_f64,      NULL,        NULL,         false, 0        },
    [NKX_UF_LOG] = {"log",           1, NKX_UK_FLOAT,   log_f32,        log_f64,        NULL,        NULL,         false, 0        },
    [NKX_UF_LOG2] = {"log2",          1, NKX_UK_FLOAT,   log2_f32,       log2_f64,       NULL,        NULL,         false, 0        },
    [NKX_UF_LOG10] = {"log10",         1, NKX_UK_FLOAT,   log10_f32,      log10_f64,      NULL,        NULL,         false, 0        },
    [NKX_UF_LOG1P] = {"log1p",         1, NKX_UK_FLOAT,   log1p_f32,      log1p_f64,      NULL,        NULL,         false, 0        },
    [NKX_UF_SIN] = {"sin",           1, NKX_UK_FLOAT,   sin_f32,        sin_f64,        NULL,        NULL,         false, 0        },
    [NKX_UF_COS] = {"cos",           1, NKX_UK_FLOAT,   cos_f32,        cos_f64,        NULL,        NULL,         false, 0        },
    [NKX_UF_TAN] = {"tan",           1, NKX_UK_FLOAT,   tan_f32,        tan_f64,        NULL,        NULL,         false, 0        },
    [NKX_UF_ARCSIN] = {"arcsin",        1, NKX_UK_FLOAT,   asin_f32,       asin_f64,       NULL,        NULL,         false, 0        },
    [NKX_UF_ARCCOS] = {"arccos",        1, NKX_UK_FLOAT,   acos_f32,       acos_f64,       NULL,        NULL,         false, 0        },
    [NKX_UF_ARCTAN] = {"arctan",        1, NKX_UK_FLOAT,   atan_f32,       atan_f64,       NULL,        NULL,         false, 0        },
    [NKX_UF_SINH] = {"sinh",          1, NKX_UK_FLOAT,   sinh_f32,       sinh_f64,       NULL,        NULL,         false, 0        },
    [NKX_UF_COSH] = {"cosh",          1, NKX_UK_FLOAT,   cosh_f32,       cosh_f64,       NULL,        NULL,         false, 0        },
    [NKX_UF_TANH] = {"tanh",          1, NKX_UK_FLOAT,   tanh_f32,       tanh_f64,       NULL,        NULL,         false, 0        },
    [NKX_UF_ARCSINH] = {"arcsinh",       1, NKX_UK_FLOAT,   asinh_f32,      asinh_f64,      NULL,        NULL,         false, 0        },
    [NKX_UF_ARCCOSH] = {"arccosh",       1, NKX_UK_FLOAT,   acosh_f32,      acosh_f64,      NULL,        NULL,         false, 0        },
    [NKX_UF_ARCTANH] = {"arctanh",       1, NKX_UK_FLOAT,   atanh_f32,      atanh_f64,      NULL,        NULL,         false, 0        },
    [NKX_UF_DEG2RAD] = {"deg2rad",       1, NKX_UK_FLOAT,   deg2rad_f32,    deg2rad_f64,    NULL,        NULL,         false, 0        },
    [NKX_UF_RAD2DEG] = {"rad2deg",       1, NKX_UK_FLOAT,   rad2deg_f32,    rad2deg_f64,    NULL,        NULL,         false, 0        },
    [NKX_UF_SPACING] = {"spacing",       1, NKX_UK_FLOAT,   spacing_f32,    spacing_f64,    NULL,        NULL,         false, 0        },
    [NKX_UF_ERF] = {"erf",           1, NKX_UK_FLOAT,   erf_f32,        erf_f64,        NULL,        NULL,         false, 0        },
    [NKX_UF_ISNAN] = {"isnan",         1, NKX_UK_TEST,    isnan_f32,      isnan_f64,      never_i64,   NULL,         false, 0        },
    [NKX_UF_ISINF] = {"isinf",         1, NKX_UK_TEST,    isinf_f32,      isinf_f64,      never_i64,   NULL,         false, 0        },
    [NKX_UF_ISFINITE] = {"isfinite",      1, NKX_UK_TEST,    isfinite_f32,   isfinite_f64,   always_i64,  NULL,
                    false,                                                                                                0        },
    [NKX_UF_SIGNBIT] = {"signbit",       1, NKX_UK_TEST,    signbit_f32,    signbit_f64,    signbit_i64, never_i64,
                    false,                                                                                                0        },
};

nkx_ufunc nkx_uf_find(const char *name)
{
    static const struct {
        const char *alias;
        nkx_ufunc f;
    } aliases[] = {
        {"abs",                 NKX_UF_ABSOLUTE   },
        {"mod",                 NKX_UF_REMAINDER  },
        {"true_divide",         NKX_UF_DIVIDE     },
        {"pow",                 NKX_UF_POWER      },
        {"bitwise_not",         NKX_UF_INVERT     },
        {"bitwise_invert",      NKX_UF_INVERT     },
        {"conj",                NKX_UF_CONJUGATE  },
        {"radians",             NKX_UF_DEG2RAD    },
        {"degrees",             NKX_UF_RAD2DEG    },
        {"asin",                NKX_UF_ARCSIN     },
        {"acos",                NKX_UF_ARCCOS     },
        {"atan",                NKX_UF_ARCTAN     },
        {"atan2",               NKX_UF_ARCTAN2    },
        {"asinh",               NKX_UF_ARCSINH    },
        {"acosh",               NKX_UF_ARCCOSH    },
        {"atanh",               NKX_UF_ARCTANH    },
        {"bitwise_left_shift",  NKX_UF_LEFT_SHIFT },
        {"bitwise_right_shift", NKX_UF_RIGHT_SHIFT},
    };
    for (int f = 0; f < NKX_N_UFUNCS; f++) {
        if (strcmp(nkx_uf_rows[f].name, name) == 0) return (nkx_ufunc)f;
    }
    for (size_t i = 0; i < NKX_COUNT(aliases); i++) {
        if (strcmp(aliases[i].alias, name) == 0) return aliases[i].f;
    }
    return NKX_N_UFUNCS;
}
