/* SPDX-License-Identifier: Apache-2.0 */
/* The module math, with CPython's errors. Layer eval. */
#include "interp/eval/mod_std.h"

#include <math.h>

static bool real(nkx_vm *vm, nkx_value v, double *out)
{
    nkx_value f;
    bool found = false;
    *out = 0;
    if (nkx_is_number(v, out)) return true;
    if (v.type == NKX_V_ARRAY) return nkx_as_float(vm, v, "the argument", out);
    if (!nkx_call_special(vm, v, vm->id.d_float, NULL, 0, &f, &found)) return false;
    if (!found) return nkx_type_error(vm, "must be real number, not %s", nkx_type_name(v));
    bool ok = nkx_as_float(vm, f, "the result of __float__", out);
    nkx_drop(f);
    return ok;
}

static bool whole_number(nkx_vm *vm, nkx_value v, int64_t *out)
{
    if (v.type == NKX_V_FLOAT || v.type == NKX_V_STR || v.type == NKX_V_NONE) {
        return nkx_type_error(vm, "'%s' object cannot be interpreted as an integer",
                              nkx_type_name(v));
    }
    return nkx_as_int(vm, v, "the argument", out);
}

static bool domain(nkx_vm *vm)
{
    return nkx_value_error(vm, "math domain error");
}
static bool range_error(nkx_vm *vm)
{
    return nkx_raise(vm, NKX_E215, "OverflowError", "math range error");
}

/* A float result: NaN from a number is a domain error, infinity from finite numbers a range error.
 */
static bool give(nkx_vm *vm, double r, double x, bool inf_is_domain, nkx_value *out)
{
    if (isnan(r) && !isnan(x)) return domain(vm);
    if (isinf(r) && isfinite(x)) return inf_is_domain ? domain(vm) : range_error(vm);
    return nkx_give(out, nkx_float(r));
}

#define FN1(name, expr, inf_is_domain)                                                             \
    static bool f_##name(nkx_vm *vm, const nkx_value *in, nkx_value *out)                          \
    {                                                                                              \
        double x;                                                                                  \
        return real(vm, in[0], &x) && give(vm, (expr), x, inf_is_domain, out);                     \
    }
FN1(sqrt, sqrt(x), true)
FN1(cbrt, cbrt(x), true)
FN1(exp, exp(x), false)
FN1(exp2, exp2(x), false)
FN1(expm1, expm1(x), false)
FN1(log1p, log1p(x), true)
FN1(sin, sin(x), true)
FN1(cos, cos(x), true)
FN1(tan, tan(x), true)
FN1(asin, asin(x), true)
FN1(acos, acos(x), true)
FN1(atan, atan(x), true)
FN1(sinh, sinh(x), false)
FN1(cosh, cosh(x), false)
FN1(tanh, tanh(x), true)
FN1(asinh, asinh(x), true)
FN1(acosh, acosh(x), true)
FN1(atanh, atanh(x), true)
FN1(erf, erf(x), true)
FN1(erfc, erfc(x), true)
FN1(fabs, fabs(x), true)
FN1(degrees, x *(180.0 / 3.14159265358979323846), true)
FN1(radians, x *(3.14159265358979323846 / 180.0), true)
FN1(lgamma, lgamma(x), true)
FN1(ulp, nextafter(fabs(x), (double)INFINITY) - fabs(x), true)
#undef FN1

static bool f_gamma(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    double x;
    if (!real(vm, in[0], &x)) return false;
    if (x == 0 || (x < 0 && floor(x) == x)) return domain(vm);
    return give(vm, tgamma(x), x, false, out);
}

#define FN2(name, expr)                                                                            \
    static bool f_##name(nkx_vm *vm, const nkx_value *in, nkx_value *out)                          \
    {                                                                                              \
        double x, y;                                                                               \
        return real(vm, in[0], &x) && real(vm, in[1], &y) && nkx_give(out, nkx_float(expr));       \
    }
FN2(atan2, atan2(x, y))
FN2(copysign, copysign(x, y))
FN2(nextafter, nextafter(x, y))
FN2(remainder, remainder(x, y))
#undef FN2

static bool f_fmod(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    double x, y;
    if (!real(vm, in[0], &x) || !real(vm, in[1], &y)) return false;
    if ((y == 0 && !isnan(x)) || (isinf(x) && !isnan(y))) return domain(vm);
    return nkx_give(out, nkx_float(fmod(x, y)));
}

static bool f_pow(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    double x, y;
    if (!real(vm, in[0], &x) || !real(vm, in[1], &y)) return false;
    double r = pow(x, y);
    if (isnan(r) && !isnan(x) && !isnan(y)) return domain(vm);
    if (isinf(r) && isfinite(x) && isfinite(y)) return x == 0 ? domain(vm) : range_error(vm);
    return nkx_give(out, nkx_float(r));
}

static bool log_of(nkx_vm *vm, nkx_value v, double (*f)(double), double *out)
{
    double x;
    if (!real(vm, v, &x)) return false;
    if (x <= 0) return domain(vm);
    *out = f(x);
    return true;
}

static bool f_log(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    double x = 0, b = 0;
    if (!log_of(vm, in[0], log, &x)) return false;
    if (!nkx_given(in[1])) return nkx_give(out, nkx_float(x));
    if (!log_of(vm, in[1], log, &b)) return false;
    if (b == 0) return nkx_raise(vm, NKX_E214, "ZeroDivisionError", "float division by zero");
    return nkx_give(out, nkx_float(x / b));
}

static bool f_log2(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    double x = 0;
    return log_of(vm, in[0], log2, &x) && nkx_give(out, nkx_float(x));
}

static bool f_log10(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    double x = 0;
    return log_of(vm, in[0], log10, &x) && nkx_give(out, nkx_float(x));
}

static bool whole(nkx_vm *vm, nkx_value v, const char *method, double (*f)(double), nkx_value *out)
{
    int64_t i;
    double x;
    bool found = false;
    if (nkx_is_int(v, &i)) return nkx_give_int(out, i);
    if (!nkx_call_special(vm, v, nkx_intern(vm, method), NULL, 0, out, &found)) return false;
    if (found) return true;
    return real(vm, v, &x) && nkx_float_to_int(vm, isfinite(x) ? f(x) : x, out);
}

static bool f_ceil(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return whole(vm, in[0], "__ceil__", ceil, out);
}
static bool f_floor(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return whole(vm, in[0], "__floor__", floor, out);
}
static bool f_trunc(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return whole(vm, in[0], "__trunc__", trunc, out);
}

#define TEST1(name, expr)                                                                          \
    static bool f_##name(nkx_vm *vm, const nkx_value *in, nkx_value *out)                          \
    {                                                                                              \
        double x;                                                                                  \
        return real(vm, in[0], &x) && nkx_give_bool(out, (expr));                                  \
    }
TEST1(isnan, isnan(x))
TEST1(isinf, isinf(x))
TEST1(isfinite, isfinite(x))
#undef TEST1

static bool f_isclose(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    double a, b, rel, abs_tol;
    if (!real(vm, in[0], &a) || !real(vm, in[1], &b) || !nkx_as_float(vm, in[2], "rel_tol", &rel) ||
        !nkx_as_float(vm, in[3], "abs_tol", &abs_tol))
        return false;
    if (rel < 0 || abs_tol < 0) return nkx_value_error(vm, "tolerances must be non-negative");
    if (a == b) return nkx_give_bool(out, true);
    if (isinf(a) || isinf(b)) return nkx_give_bool(out, false);
    double d = fabs(a - b);
    return nkx_give_bool(out, d <= fabs(rel * b) || d <= fabs(rel * a) || d <= abs_tol);
}

/* ---- integers ---- */

static uint64_t magnitude(int64_t v)
{
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

static bool too_large(nkx_vm *vm, const char *what)
{
    return nkx_raise(vm, NKX_E215, "OverflowError", "%s does not fit 64 bits", what);
}

static bool f_gcd(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_tuple *t = NKX_AS(nkx_tuple, in[0]);
    uint64_t g = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        int64_t v;
        if (!whole_number(vm, t->at[i], &v)) return false;
        g = gcd(g, magnitude(v));
    }
    return g <= INT64_MAX ? nkx_give_int(out, (int64_t)g) : too_large(vm, "gcd()");
}

static bool f_lcm(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_tuple *t = NKX_AS(nkx_tuple, in[0]);
    uint64_t m = 1;
    for (uint32_t i = 0; i < t->n; i++) {
        int64_t v;
        if (!whole_number(vm, t->at[i], &v)) return false;
        if (v == 0) return nkx_give_int(out, 0);
        if (__builtin_mul_overflow(m / gcd(m, magnitude(v)), magnitude(v), &m))
            return too_large(vm, "lcm()");
    }
    return m <= INT64_MAX ? nkx_give_int(out, (int64_t)m) : too_large(vm, "lcm()");
}

static bool f_isqrt(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t n;
    if (!whole_number(vm, in[0], &n)) return false;
    if (n < 0) return nkx_value_error(vm, "isqrt() argument must be nonnegative");
    uint64_t r = (uint64_t)sqrt((double)n);
    while (r * r > (uint64_t)n) r--;
    while ((r + 1) * (r + 1) <= (uint64_t)n) r++;
    return nkx_give_int(out, (int64_t)r);
}

static bool f_factorial(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t n, r = 1;
    if (in[0].type == NKX_V_FLOAT)
        return nkx_type_error(vm, "'float' object cannot be interpreted as an integer");
    if (!whole_number(vm, in[0], &n)) return false;
    if (n < 0) return nkx_value_error(vm, "factorial() not defined for negative values");
    for (int64_t i = 2; i <= n; i++) {
        if (__builtin_mul_overflow(r, i, &r)) return too_large(vm, "factorial()");
    }
    return nkx_give_int(out, r);
}

/* n (n-1) ... over k!, or without the division */
static bool choose(nkx_vm *vm, nkx_value nv, nkx_value kv, bool ordered, nkx_value *out)
{
    int64_t n, k, r = 1;
    if (!whole_number(vm, nv, &n)) return false;
    k = n;
    if (nkx_given(kv) && !whole_number(vm, kv, &k)) return false;
    if (n < 0 || k < 0)
        return nkx_value_error(vm, "%s must be a non-negative integer", n < 0 ? "n" : "k");
    if (k > n) return nkx_give_int(out, 0);
    if (!ordered && k > n - k) k = n - k;
    for (int64_t i = 0; i < k; i++) {
        int64_t t;
        if (__builtin_mul_overflow(r, n - i, &t))
            return too_large(vm, ordered ? "perm()" : "comb()");
        r = ordered ? t : t / (i + 1);
    }
    return nkx_give_int(out, r);
}

static bool f_comb(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return choose(vm, in[0], in[1], false, out);
}
static bool f_perm(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return choose(vm, in[0], in[1], true, out);
}

/* ---- several results, several arguments ---- */

static bool pair_of(nkx_vm *vm, nkx_value a, nkx_value b, nkx_value *out)
{
    nkx_value pair[2] = {a, b};
    *out = nkx_tuple_of(vm, pair, 2);
    return true;
}

static bool f_modf(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    double x, i;
    if (!real(vm, in[0], &x)) return false;
    double f = modf(x, &i);
    return pair_of(vm, nkx_float(f), nkx_float(i), out);
}

static bool f_frexp(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    double x;
    int e = 0;
    if (!real(vm, in[0], &x)) return false;
    double m = isfinite(x) ? frexp(x, &e) : x;
    return pair_of(vm, nkx_float(m), nkx_int(e), out);
}

static bool f_ldexp(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    double x;
    int64_t e;
    if (!real(vm, in[0], &x) || !whole_number(vm, in[1], &e)) return false;
    return give(vm,
                ldexp(x, (int)(e > 100000    ? 100000
                               : e < -100000 ? -100000
                                             : e)),
                x, false, out);
}

/* Sum of floats without intermediate rounding: Shewchuk's partials. */
static bool f_fsum(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value list;
    NKX_VEC(double) p = {0};
    bool ok = true;
    double special = 0;
    if (!nkx_list_of(vm, in[0], &list)) return false;
    for (uint32_t k = 0; ok && k < NKX_AS(nkx_list, list)->n; k++) {
        double x;
        size_t n = 0;
        ok = real(vm, NKX_AS(nkx_list, list)->at[k], &x);
        if (!ok) break;
        if (!isfinite(x)) {
            special += x;
            continue;
        }
        for (size_t i = 0; i < p.n; i++) {
            double y = p.at[i];
            if (fabs(x) < fabs(y)) {
                double t = x;
                x = y;
                y = t;
            }
            volatile double hi = x + y, lo = y - (hi - x);
            if (lo != 0) p.at[n++] = lo;
            x = hi;
        }
        p.n = n;
        nkx_push(&p, x);
    }
    double s = special;
    for (size_t i = p.n; ok && i > 0; i--) s += p.at[i - 1];
    nkx_vec_fini(&p);
    nkx_drop(list);
    return ok && nkx_give(out, nkx_float(s));
}

static bool f_prod(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value list, acc = nkx_ref(in[1]), next;
    if (!nkx_list_of(vm, in[0], &list)) {
        nkx_drop(acc);
        return false;
    }
    bool ok = true;
    for (uint32_t i = 0; ok && i < NKX_AS(nkx_list, list)->n; i++) {
        ok = nkx_binary(vm, NKX_OP_MULT, acc, NKX_AS(nkx_list, list)->at[i], &next);
        nkx_drop(acc);
        acc = ok ? next : NKX_NONE;
    }
    nkx_drop(list);
    return ok && nkx_give(out, acc);
}

static bool f_hypot(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_tuple *t = NKX_AS(nkx_tuple, in[0]);
    double r = 0, x;
    for (uint32_t i = 0; i < t->n; i++) {
        if (!real(vm, t->at[i], &x)) return false;
        r = hypot(r, x);
    }
    return nkx_give(out, nkx_float(r));
}

static bool f_dist(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_value *p, *q;
    uint32_t n, m;
    double r = 0, x, y;
    if (!nkx_items(in[0], &p, &n) || !nkx_items(in[1], &q, &m))
        return nkx_type_error(vm, "dist() needs two sequences");
    if (n != m) return nkx_value_error(vm, "both points must have the same number of dimensions");
    for (uint32_t i = 0; i < n; i++) {
        if (!real(vm, p[i], &x) || !real(vm, q[i], &y)) return false;
        r = hypot(r, x - y);
    }
    return nkx_give(out, nkx_float(r));
}

static bool init(nkx_vm *vm, nkx_value m)
{
    return nkx_module_put(vm, m, "pi", nkx_float(3.14159265358979323846)) &&
           nkx_module_put(vm, m, "e", nkx_float(2.71828182845904523536)) &&
           nkx_module_put(vm, m, "tau", nkx_float(6.28318530717958647692)) &&
           nkx_module_put(vm, m, "inf", nkx_float((double)INFINITY)) &&
           nkx_module_put(vm, m, "nan", nkx_float((double)NAN));
}

#define ONE(name, doc)                                                                             \
    {                                                                                              \
#name, "x, /", f_##name, doc, 0                                                            \
    }

static const nkx_builtin functions[] = {
    ONE(acos, "arc cosine"),
    ONE(acosh, "inverse hyperbolic cosine"),
    ONE(asin, "arc sine"),
    ONE(asinh, "inverse hyperbolic sine"),
    ONE(atan, "arc tangent"),
    {"atan2",     "y, x, /",                             f_atan2,     "angle of a point",              0},
    ONE(atanh, "inverse hyperbolic tangent"),
    ONE(cbrt, "cube root"),
    ONE(ceil, "smallest integer not below x"),
    {"comb",      "n, k, /",                             f_comb,      "ways to choose k of n",         0},
    {"copysign",  "x, y, /",                             f_copysign,  "x with the sign of y",          0},
    ONE(cos, "cosine"),
    ONE(cosh, "hyperbolic cosine"),
    ONE(degrees, "radians to degrees"),
    {"dist",      "p, q, /",                             f_dist,      "distance of two points",        0},
    ONE(erf, "error function"),
    ONE(erfc, "1 - erf(x)"),
    ONE(exp, "e to the x"),
    ONE(exp2, "2 to the x"),
    ONE(expm1, "exp(x) - 1"),
    ONE(fabs, "absolute value as a float"),
    ONE(factorial, "1 * 2 * ... * x"),
    ONE(floor, "largest integer not above x"),
    {"fmod",      "x, y, /",                             f_fmod,      "remainder with the sign of x",  0},
    ONE(frexp, "mantissa and exponent"),
    {"fsum",      "seq, /",                              f_fsum,      "exact sum of floats",           0},
    ONE(gamma, "gamma function"),
    {"gcd",       "*integers",                           f_gcd,       "greatest common divisor",       0},
    {"hypot",     "*coordinates",                        f_hypot,     "length of a vector",            0},
    {"isclose",   "a, b, *, rel_tol=1e-09, abs_tol=0.0", f_isclose,   "are they close?",               0},
    ONE(isfinite, "neither infinite nor NaN?"),
    ONE(isinf, "infinite?"),
    ONE(isnan, "NaN?"),
    {"isqrt",     "n, /",                                f_isqrt,     "integer square root",           0},
    {"lcm",       "*integers",                           f_lcm,       "least common multiple",         0},
    {"ldexp",     "x, i, /",                             f_ldexp,     "x * 2**i",                      0},
    ONE(lgamma, "logarithm of the gamma function"),
    {"log",       "x, base=None, /",                     f_log,       "logarithm",                     0},
    ONE(log10, "logarithm to base 10"),
    ONE(log1p, "log(1 + x)"),
    ONE(log2, "logarithm to base 2"),
    ONE(modf, "fraction and whole part"),
    {"nextafter", "x, y, /",                             f_nextafter, "next float from x towards y",   0},
    {"perm",      "n, k=None, /",                        f_perm,      "ordered ways to choose k of n", 0},
    {"pow",       "x, y, /",                             f_pow,       "x to the y as floats",          0},
    {"prod",      "iterable, /, *, start=1",             f_prod,      "product of all items",          0},
    ONE(radians, "degrees to radians"),
    {"remainder", "x, y, /",                             f_remainder, "IEEE remainder",                0},
    ONE(sin, "sine"),
    ONE(sinh, "hyperbolic sine"),
    ONE(sqrt, "square root"),
    ONE(tan, "tangent"),
    ONE(tanh, "hyperbolic tangent"),
    ONE(trunc, "whole part"),
    ONE(ulp, "distance to the next float"),
    {NULL,        NULL,                                  NULL,        NULL,                            0},
};

const nkx_module_def nkx_mod_math = {.name = "math", .functions = functions, .init = init};
