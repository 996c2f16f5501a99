/* SPDX-License-Identifier: Apache-2.0 */
/* numpy.testing: assertions on arrays, worded as NumPy words them. Layer eval. */
#include "interp/eval/mod_numpy.h"

#include "interp/host/digits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHOWN 5 /* mismatches listed by place */

typedef struct check {
    const char *header;
    nkx_value err_msg;
    nkx_ndarray *a, *b;   /* as given */
    const char *x, *y;    /* what they are called */
    nkx_ndarray *bad;     /* bool, in the broadcast shape */
    nkx_ndarray *fa, *fb; /* float64, in the broadcast shape */
} check;

/* ---- the message ---- */

/* At most three lines, six digits. */
static void show_array(nkx_vm *vm, const char *label, nkx_ndarray *a, nkx_buf *out)
{
    nkx_nd_error e;
    nkx_print_options o = nkx_np_state_of(vm)->print;
    nkx_ndarray *plain = a->scalar ? nkx_nd_reshape(a, 0, NULL, 'C', &e) : nkx_nd_ref(a);
    nkx_buf b = {0};
    o.precision = 6;
    nkx_nd_repr(plain, &o, &b);
    nkx_nd_drop(plain);
    size_t lines = 1, third = 0;
    for (size_t i = 0; i < b.len; i++) {
        if (b.at[i] == '\n' && lines++ == 3) third = i;
    }
    nkx_buf_printf(out, "\n %s: ", label);
    nkx_buf_add(out, b.at, lines > 4 ? third : b.len);
    if (lines > 4) nkx_buf_str(out, "...");
    nkx_buf_fini(&b);
}

static bool failed(nkx_vm *vm, const check *c, const char *detail)
{
    nkx_buf b = {0};
    nkx_buf_printf(&b, "\n%s\n", c->header);
    if (c->err_msg.type == NKX_V_STR) nkx_buf_str(&b, nkx_text(c->err_msg));
    nkx_buf_printf(&b, "\n%s", detail);
    show_array(vm, c->x, c->a, &b);
    show_array(vm, c->y, c->b, &b);
    nkx_raise(vm, NKX_E262, "AssertionError", "%s", b.at);
    nkx_buf_fini(&b);
    return false;
}

static void show_number(nkx_vm *vm, nkx_dtype t, double v, nkx_buf *out)
{
    nkx_nd_error e;
    nkx_ndarray *s = nkx_nd_scalar_f64(nkx_dtype_is_int(t) && v != floor(v) ? NKX_DT_FP64 : t, v),
                *a = nkx_nd_reshape(s, 0, NULL, 'C', &e);
    nkx_nd_array2string(a, &nkx_np_state_of(vm)->print, " ", 0, 0, out);
    nkx_nd_drop(s);
    nkx_nd_drop(a);
}

/* An element as the Python number it is. */
static void show_element(nkx_ndarray *a, const nkx_ndarray *like, int64_t flat, nkx_buf *out)
{
    nkx_nd_error e;
    nkx_dtype t = (nkx_dtype)a->dtype;
    nkx_ndarray *wide = nkx_nd_broadcast_to(a, like->ndim, like->shape, &e);
    const uint8_t *at = nkx_nd_at(wide, flat);
    if (nkx_dtype_is_float(t)) {
        nkx_repr_float(nkx_nd_elem_f64(t, at), out);
    } else {
        nkx_repr_scalar(t, at, out);
    }
    nkx_nd_drop(wide);
}

static void show_places(const check *c, int64_t n_bad, nkx_buf *out)
{
    int64_t n = nkx_nd_size(c->bad), shown = 0;
    if (c->bad->ndim == 0) return;
    if (n_bad > SHOWN)
        nkx_buf_printf(out, "\nFirst %d mismatches are at indices:", SHOWN);
    else
        nkx_buf_str(out, n_bad == 1 ? "\nMismatch at index:" : "\nMismatch at indices:");
    for (int64_t i = 0; i < n && shown < SHOWN; i++) {
        if (!nkx_nd_elem_true(NKX_DT_BOOL, nkx_nd_at(c->bad, i))) continue;
        int64_t r = i, at[NKX_ND_MAX];
        for (int d = c->bad->ndim - 1; d >= 0; d--) {
            at[d] = r % c->bad->shape[d];
            r /= c->bad->shape[d];
        }
        nkx_buf_str(out, "\n [");
        for (int d = 0; d < c->bad->ndim; d++)
            nkx_buf_printf(out, d > 0 ? ", %lld" : "%lld", (long long)at[d]);
        nkx_buf_str(out, "]: ");
        show_element(c->a, c->bad, i, out);
        nkx_buf_printf(out, " (%s), ", c->x);
        show_element(c->b, c->bad, i, out);
        nkx_buf_printf(out, " (%s)", c->y);
        shown++;
    }
}

static bool mismatch(nkx_vm *vm, const check *c, int64_t n_bad)
{
    nkx_buf b = {0};
    int64_t n = nkx_nd_size(c->bad);
    double percent = 100.0 * (double)n_bad / (double)n, worst = 0, worst_rel = 0;
    nkx_dtype t = nkx_promote((nkx_dtype)c->a->dtype, (nkx_dtype)c->b->dtype);
    nkx_buf_printf(&b, "Mismatched elements: %lld / %lld (%.3g%%)", (long long)n_bad, (long long)n,
                   percent);
    show_places(c, n_bad, &b);
    for (int64_t i = 0; i < n; i++) {
        if (!nkx_nd_elem_true(NKX_DT_BOOL, nkx_nd_at(c->bad, i))) continue;
        double x = nkx_nd_get_f64(c->fa, i), y = nkx_nd_get_f64(c->fb, i), d = fabs(x - y);
        if (isnan(d)) continue;
        double rel = y == 0 ? (double)INFINITY : d / fabs(y);
        worst = d > worst ? d : worst;
        worst_rel = rel > worst_rel ? rel : worst_rel;
    }
    nkx_buf_str(&b, "\nMax absolute difference among violations: ");
    show_number(vm, t == NKX_DT_BOOL ? NKX_DT_INT64 : t, worst, &b);
    nkx_buf_str(&b, "\nMax relative difference among violations: ");
    show_number(vm, nkx_dtype_is_int(t) ? NKX_DT_FP64 : t, worst_rel, &b);
    bool ok = failed(vm, c, b.at);
    nkx_buf_fini(&b);
    return ok;
}

/* ---- the comparison ---- */

typedef bool (*good_fn)(double a, double b, const double *tol);

static bool good_close(double a, double b, const double *tol)
{
    if (a == b) return true;
    return isfinite(a) && isfinite(b) && fabs(a - b) <= tol[1] + tol[0] * fabs(b);
}

static bool good_equal(double a, double b, const double *tol)
{
    (void)tol;
    return a == b;
}

static bool good_less(double a, double b, const double *tol)
{
    (void)tol;
    return a < b;
}

/* NaN must be in the same places; so must infinities of each sign. */
static bool same_specials(nkx_vm *vm, const check *c, bool nan, const char *what)
{
    int64_t n = nkx_nd_size(c->fa);
    char text[64];
    for (int64_t i = 0; i < n; i++) {
        double x = nkx_nd_get_f64(c->fa, i), y = nkx_nd_get_f64(c->fb, i);
        bool same = nan ? isnan(x) == isnan(y)
                    : (isinf(x) && !isnan(y)) || (isinf(y) && !isnan(x))
                        ? isinf(x) == isinf(y) && (x > 0) == (y > 0)
                        : true;
        if (same) continue;
        strcpy(text, what);
        strcat(text, " location mismatch:");
        return failed(vm, c, text);
    }
    return true;
}

static bool compare(nkx_vm *vm, check *c, good_fn good, const double *tol, bool equal_nan,
                    bool strict, bool specials)
{
    char text[256];
    int64_t shape[NKX_ND_MAX], n_bad = 0;
    int ndim;
    nkx_ndarray *pair[2] = {c->a, c->b};
    nkx_nd_error e;
    bool scalar = c->a->ndim == 0 || c->b->ndim == 0;
    if ((!scalar || strict) && !nkx_nd_same_shape(c->a, c->b)) {
        nkx_buf b = {0};
        nkx_buf_str(&b, "(shapes ");
        nkx_nd_shape_text(&b, c->a->ndim, c->a->shape);
        nkx_buf_str(&b, ", ");
        nkx_nd_shape_text(&b, c->b->ndim, c->b->shape);
        nkx_buf_str(&b, " mismatch)");
        failed(vm, c, b.at);
        nkx_buf_fini(&b);
        return false;
    }
    if (strict && c->a->dtype != c->b->dtype) {
        snprintf(text, sizeof text, "(dtypes %s, %s mismatch)",
                 nkx_nd_type_name((nkx_dtype)c->a->dtype),
                 nkx_nd_type_name((nkx_dtype)c->b->dtype));
        return failed(vm, c, text);
    }
    if (!nkx_nd_broadcast_shape(2, pair, &ndim, shape, &e)) return nkx_np_raise(vm, &e);
    nkx_ndarray *wa = nkx_nd_broadcast_to(c->a, ndim, shape, &e),
                *wb = nkx_nd_broadcast_to(c->b, ndim, shape, &e);
    c->fa = nkx_nd_astype(wa, NKX_DT_FP64);
    c->fb = nkx_nd_astype(wb, NKX_DT_FP64);
    c->bad = nkx_nd_new(NKX_DT_BOOL, ndim, shape, &e);
    nkx_nd_drop(wa);
    nkx_nd_drop(wb);
    bool ok = c->bad != NULL || nkx_np_raise(vm, &e);
    if (ok && specials)
        ok =
            (!equal_nan || same_specials(vm, c, true, "nan")) && same_specials(vm, c, false, "inf");
    int64_t n = ok ? nkx_nd_size(c->bad) : 0;
    for (int64_t i = 0; i < n; i++) {
        double x = nkx_nd_get_f64(c->fa, i), y = nkx_nd_get_f64(c->fb, i);
        bool fine = (equal_nan && isnan(x) && isnan(y)) || good(x, y, tol);
        c->bad->at[i] = !fine;
        n_bad += !fine;
    }
    if (ok && n_bad > 0) ok = mismatch(vm, c, n_bad);
    nkx_nd_drop(c->fa);
    nkx_nd_drop(c->fb);
    nkx_nd_drop(c->bad);
    return ok;
}

static bool two_arrays(nkx_vm *vm, nkx_value x, nkx_value y, check *c)
{
    if (!nkx_np_array(vm, x, -1, &c->a)) return false;
    if (nkx_np_array(vm, y, -1, &c->b)) return true;
    nkx_nd_drop(c->a);
    return false;
}

static bool run(nkx_vm *vm, nkx_value x, nkx_value y, nkx_value err_msg, const char *header,
                good_fn good, const double *tol, bool equal_nan, bool strict, bool specials,
                nkx_value *out)
{
    check c = {.header = header, .err_msg = err_msg, .x = "ACTUAL", .y = "DESIRED"};
    *out = NKX_NONE;
    if (good == good_less) c.x = "x", c.y = "y";
    if (!two_arrays(vm, x, y, &c)) return false;
    bool ok = compare(vm, &c, good, tol, equal_nan, strict, specials);
    nkx_nd_drop(c.a);
    nkx_nd_drop(c.b);
    return ok;
}

/* actual, desired, rtol, atol, equal_nan, err_msg, verbose, strict */
static bool t_allclose(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    double tol[2];
    bool equal_nan, strict;
    char header[128];
    if (!nkx_as_float(vm, in[2], "rtol", &tol[0]) || !nkx_as_float(vm, in[3], "atol", &tol[1]) ||
        !nkx_truth(vm, in[4], &equal_nan) || !nkx_truth(vm, in[7], &strict)) {
        return false;
    }
    snprintf(header, sizeof header, "Not equal to tolerance rtol=%g, atol=%g", tol[0], tol[1]);
    return run(vm, in[0], in[1], in[5], header, good_close, tol, equal_nan, strict, true, out);
}

/* actual, desired, err_msg, verbose, strict */
static bool t_array_equal(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    bool strict;
    return nkx_truth(vm, in[4], &strict) && run(vm, in[0], in[1], in[2], "Arrays are not equal",
                                                good_equal, NULL, true, strict, true, out);
}

/* x, y, err_msg, verbose */
static bool t_array_less(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return run(vm, in[0], in[1], in[2], "Arrays are not strictly ordered `x < y`", good_less, NULL,
               true, false, false, out);
}

/* actual, desired, decimal, err_msg, verbose */
static bool t_almost_equal(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t decimal;
    double tol[2] = {0, 0};
    char header[128];
    if (!nkx_as_int(vm, in[2], "decimal", &decimal)) return false;
    tol[1] = 1.5 * pow(10.0, (double)-decimal);
    snprintf(header, sizeof header, "Arrays are not almost equal to %lld decimals",
             (long long)decimal);
    return run(vm, in[0], in[1], in[3], header, good_close, tol, true, false, true, out);
}

/* actual, desired, err_msg, verbose */
static bool t_equal(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    bool same;
    if (in[0].type == NKX_V_ARRAY || in[1].type == NKX_V_ARRAY) {
        return run(vm, in[0], in[1], in[2], "Arrays are not equal", good_equal, NULL, true, false,
                   true, out);
    }
    if (!nkx_equal(vm, in[0], in[1], &same)) return false;
    if (same) return true;
    nkx_buf b = {0};
    nkx_buf_str(&b, "\nItems are not equal:");
    if (in[2].type == NKX_V_STR && nkx_text_len(in[2]) > 0)
        nkx_buf_printf(&b, " %s", nkx_text(in[2]));
    nkx_buf_str(&b, "\n ACTUAL: ");
    bool ok = nkx_repr(vm, in[0], &b);
    nkx_buf_str(&b, "\n DESIRED: ");
    ok = ok && nkx_repr(vm, in[1], &b);
    if (ok) nkx_raise(vm, NKX_E262, "AssertionError", "%s", b.at);
    nkx_buf_fini(&b);
    return false;
}

const nkx_builtin nkx_np_testing_rows[] = {
    {"assert_allclose",
     "actual, desired, rtol=1e-07, atol=0, equal_nan=True, err_msg='', verbose=True, strict=False", t_allclose,     "raises where elements differ beyond the tolerance", 0},
    {"assert_array_equal",        "actual, desired, err_msg='', verbose=True, strict=False",        t_array_equal,
     "raises where elements differ",                                                                                                                                     0},
    {"assert_array_less",         "x, y, err_msg='', verbose=True",                                 t_array_less,
     "raises where x is not below y",                                                                                                                                    0},
    {"assert_array_almost_equal", "actual, desired, decimal=6, err_msg='', verbose=True",
     t_almost_equal,                                                                                                "raises where decimals differ",                      0},
    {"assert_almost_equal",       "actual, desired, decimal=7, err_msg='', verbose=True",           t_almost_equal,
     "raises where decimals differ",                                                                                                                                     0},
    {"assert_equal",              "actual, desired, err_msg='', verbose=True",                      t_equal,
     "raises where the values differ",                                                                                                                                   0},
    {NULL,                        NULL,                                                             NULL,           NULL,                                                0},
};
