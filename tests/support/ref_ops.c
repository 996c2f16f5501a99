/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of isa.md 2.2 and 2.4 in float64 with the C library's functions; see ref.h. */
#include "tests/support/ref.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static double sigma(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}
static double normal_cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}
/* x times a factor that vanishes faster than x grows. */
static double damped(double x, double s)
{
    return s == 0 ? -0.0 : x * s;
}

/* The cubic around pi, with its terms' magnitudes added (sign 1) or as they are (sign -1). */
static double past_pi(double x, double sign)
{
    double d = x > 0 ? x - PI : x + PI;
    return sign > 0 ? fabs(d) + fabs(d * d * d / 6) : -d + d * d * d / 6;
}

static double sine(double x)
{
    return fabs(x) <= (double)(float)PI ? sin(x) : past_pi(x, -1);
}

static double silu_dx(double a)
{
    double s = sigma(a), q = sigma(-a);
    return s == 0 ? -0.0 : s * (1 + (q == 0 ? 0 : a * q));
}

static double mish(double x)
{
    double softplus = fmax(x, 0) + log1p(exp(-fabs(x)));
    return damped(x, tanh(softplus));
}

static double gelu_dx(double x)
{
    double density = exp(-x * x / 2) / sqrt(2 * PI);
    return normal_cdf(x) + (density == 0 ? 0 : x * density);
}

static double sign(double x)
{
    return isnan(x) ? x : (double)((x > 0) - (x < 0));
}

double ref_unary(nkx_alu op, double x, double param)
{
    switch ((int)op) {
    case NKX_ALU_ABS: return fabs(x);
    case NKX_ALU_SQUARE: return x * x;
    case NKX_ALU_RELU: return isnan(x) ? x : (x > 0 ? x : 0);
    case NKX_ALU_RSQRT: return 1 / sqrt(x);
    case NKX_ALU_RECIPROCAL: return 1 / x;
    case NKX_ALU_LOGICAL_NOT: return x == 0;
    case NKX_ALU_COPY: return x;
    case NKX_ALU_SIGN: return sign(x);
    case NKX_ALU_PRELU: return x >= 0 ? x : param * x;
    case NKX_ALU_SIGMOID: return sigma(x);
    case NKX_ALU_TANH: return tanh(x);
    case NKX_ALU_EXP: return exp(x);
    case NKX_ALU_LOG: return log(x);
    case NKX_ALU_SQRT: return sqrt(x);
    case NKX_ALU_SIN: return sine(x);
    case NKX_ALU_ARCTAN: return atan(x);
    case NKX_ALU_ERF: return erf(x);
    case NKX_ALU_ERF_DX: return 2 / sqrt(PI) * exp(-x * x);
    case NKX_ALU_GELU: return damped(x, normal_cdf(x));
    case NKX_ALU_GELU_DX: return gelu_dx(x);
    case NKX_ALU_GELU_APPRX_TANH:
        return damped(x, sigma(2 * sqrt(2 / PI) * (x + 0.044715 * x * x * x)));
    case NKX_ALU_GELU_APPRX_SIGMOID: return damped(x, sigma(1.702 * x));
    case NKX_ALU_GELU_APPRX_SIGMOID_DX: return silu_dx(1.702 * x);
    case NKX_ALU_SILU: return damped(x, sigma(x));
    case NKX_ALU_SILU_DX: return silu_dx(x);
    case NKX_ALU_SOFTPLUS: return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
    case NKX_ALU_MISH: return mish(x);
    default: return NAN;
    }
}

static double mod(double a, double b)
{
    double r = fmod(a, b);
    if (r == 0) return copysign(0, b);
    return (r < 0) != (b < 0) ? r + b : r;
}

static double larger(double a, double b)
{
    if (isnan(a) || isnan(b)) return NAN;
    return a >= b ? a : b;
}

static double smaller(double a, double b)
{
    if (isnan(a) || isnan(b)) return NAN;
    return a <= b ? a : b;
}

double ref_binary(nkx_alu op, double a, double b)
{
    switch ((int)op) {
    case NKX_ALU_ADD:
    case NKX_ALU_AVERAGE: return a + b;
    case NKX_ALU_SUBTRACT: return a - b;
    case NKX_ALU_MULTIPLY: return a * b;
    case NKX_ALU_MAXIMUM: return larger(a, b);
    case NKX_ALU_MINIMUM: return smaller(a, b);
    case NKX_ALU_EQUAL: return a == b;
    case NKX_ALU_NOT_EQUAL: return a != b;
    case NKX_ALU_GREATER: return a > b;
    case NKX_ALU_GREATER_EQUAL: return a >= b;
    case NKX_ALU_LESS: return a < b;
    case NKX_ALU_LESS_EQUAL: return a <= b;
    case NKX_ALU_LOGICAL_AND: return a != 0 && b != 0;
    case NKX_ALU_LOGICAL_OR: return a != 0 || b != 0;
    case NKX_ALU_LOGICAL_XOR: return (a != 0) != (b != 0);
    case NKX_ALU_POWER: return pow(a, b);
    case NKX_ALU_ABS_MAX: return fabs(a) > fabs(b) ? a : b;
    case NKX_ALU_ABS_MIN: return fabs(a) < fabs(b) ? a : b;
    case NKX_ALU_BYPASS: return a;
    case NKX_ALU_DIVIDE: return a / b;
    case NKX_ALU_MOD: return mod(a, b);
    case NKX_ALU_FMOD: return fmod(a, b);
    default: return NAN;
    }
}

uint32_t ref_bits(nkx_alu op, uint32_t a, uint32_t b, int width)
{
    uint64_t mask = (UINT64_C(1) << width) - 1, r = 0;
    switch ((int)op) {
    case NKX_ALU_BITWISE_AND: r = a & b; break;
    case NKX_ALU_BITWISE_OR: r = a | b; break;
    case NKX_ALU_BITWISE_XOR: r = a ^ b; break;
    case NKX_ALU_INVERT: r = ~(uint64_t)a; break;
    case NKX_ALU_LEFT_SHIFT: r = b < 32 ? (uint64_t)a << b : 0; break;
    case NKX_ALU_RIGHT_SHIFT: r = b < (uint32_t)width ? (a & mask) >> b : 0; break;
    default: break;
    }
    return (uint32_t)(r & mask);
}

uint32_t ref_int32(nkx_alu op, uint32_t a, uint32_t b, bool is_signed)
{
    int64_t x = is_signed ? (int64_t)(int32_t)a : (int64_t)a;
    int64_t y = is_signed ? (int64_t)(int32_t)b : (int64_t)b;
    switch ((int)op) {
    case NKX_ALU_ADD: return (uint32_t)(x + y);
    case NKX_ALU_SUBTRACT: return (uint32_t)(x - y);
    case NKX_ALU_MULTIPLY: return (uint32_t)((uint64_t)x * (uint64_t)y);
    case NKX_ALU_MAXIMUM: return x >= y ? a : b;
    case NKX_ALU_MINIMUM: return x <= y ? a : b;
    case NKX_ALU_EQUAL: return x == y;
    case NKX_ALU_NOT_EQUAL: return x != y;
    case NKX_ALU_GREATER: return x > y;
    case NKX_ALU_GREATER_EQUAL: return x >= y;
    case NKX_ALU_LESS: return x < y;
    case NKX_ALU_LESS_EQUAL: return x <= y;
    default: return 0;
    }
}

/*
 * Where an argument is itself rounded before the function sees it, its error grows with the
 * function's condition there: |a| for e^a and sigma(a) in the left tail.
 */
double ref_ulp_bound(nkx_alu op, double x)
{
    double a = fabs(x);
    switch ((int)op) {
    case NKX_ALU_EXP:
    case NKX_ALU_LOG:
    case NKX_ALU_TANH:
    case NKX_ALU_ERF:
    case NKX_ALU_ARCTAN:
    case NKX_ALU_POWER: return 1.5;
    case NKX_ALU_RSQRT: return 1.5;
    case NKX_ALU_SIGMOID:
    case NKX_ALU_SOFTPLUS: return 3;
    case NKX_ALU_SIN: return 1.5;
    case NKX_ALU_SILU: return 4;
    case NKX_ALU_ERF_DX:
    case NKX_ALU_MISH: return 5;
    case NKX_ALU_GELU: return 7;
    case NKX_ALU_GELU_APPRX_SIGMOID: return 5 + 2 * 1.702 * a;
    case NKX_ALU_GELU_APPRX_TANH: return 6 + 5 * 1.6 * (a + 0.0448 * a * a * a);
    case NKX_ALU_MOD: return 1;
    default: return 0.5; /* one rounding */
    }
}

double ref_slack(nkx_alu op, double x)
{
    const double ulp = 0x1p-23;
    switch ((int)op) {
    case NKX_ALU_GELU_DX: return 2 * ulp * normal_cdf(x) + 4 * ulp * exp(-x * x / 2) * fabs(x);
    case NKX_ALU_SILU_DX: return 3 * ulp * sigma(x) * (1 + fabs(x));
    case NKX_ALU_GELU_APPRX_SIGMOID_DX:
        return 4 * ulp * sigma(1.702 * x) * (1 + 1.702 * fabs(x)) * (1 + 1.702 * fabs(x));
    case NKX_ALU_SIN: return fabs(x) <= (double)(float)PI ? 0 : 4 * ulp * past_pi(x, 1);
    default: return 0;
    }
}

double ref_fold(nkx_alu op, double acc, const float *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        acc = ref_binary(op, acc, a[i]);
    }
    return acc;
}
