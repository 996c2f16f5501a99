/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Printing arrays. A first pass over the shown elements settles one format for all (positional or
 * scientific, digits, widths); a second lays out rows and wraps lines. Layer host.
 */
#include "interp/host/print.h"

#include "interp/host/cast.h"
#include "interp/host/digits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How every element of one array is written. */
typedef struct format {
    nkx_dtype type;
    bool floats, scientific;
    int precision, left, right, exp_digits;
    size_t width; /* not floats: texts are padded to it */
} format;

typedef struct printer {
    nkx_ndarray *a;
    const nkx_print_options *o;
    const char *separator;
    size_t sep_trim; /* separator's length without trailing blanks */
    bool summary;
    format f;
} printer;

static bool plain_float(nkx_dtype t)
{
    return t == NKX_DT_FP64 || t == NKX_DT_FP32 || t == NKX_DT_FP16 || t == NKX_DT_TF32;
}

/* ---- the elements that are shown ---- */

typedef void (*visit_fn)(void *user, nkx_dtype t, const uint8_t *at);

static void visit(const printer *p, int d, const uint8_t *at, visit_fn fn, void *user)
{
    if (d == p->a->ndim) {
        fn(user, (nkx_dtype)p->a->dtype, at);
        return;
    }
    int64_t n = p->a->shape[d], edge = p->o->edgeitems;
    for (int64_t i = 0; i < n; i++) {
        if (p->summary && n > 2 * edge && i == edge) i = n - edge;
        visit(p, d + 1, at + i * p->a->stride[d], fn, user);
    }
}

typedef struct range {
    double min, max;
    bool any, any_finite, nan, inf, neg_inf;
} range;

static void see_range(void *user, nkx_dtype t, const uint8_t *at)
{
    range *r = user;
    double v = nkx_nd_elem_f64(t, at), m = fabs(v);
    r->nan = r->nan || isnan(v);
    r->inf = r->inf || isinf(v);
    r->neg_inf = r->neg_inf || (isinf(v) && v < 0);
    if (!isfinite(v)) return;
    r->any_finite = true;
    if (m == 0) return;
    r->min = !r->any || m < r->min ? m : r->min;
    r->max = !r->any || m > r->max ? m : r->max;
    r->any = true;
}

/* Digits of one value, at most `precision` after the point (or after the first digit), rounded from
 * the value itself where the shortest form has more. `least`: at least so many, exact ones. */
static void digits_of(const format *f, double v, int precision, bool least, nkx_digits *d)
{
    nkx_digits_shortest(v, f->type, d);
    int have = f->scientific ? d->n - 1 : d->n - d->point;
    if (have > precision || (least && have < precision && v != 0)) {
        if (f->scientific) {
            nkx_digits_significant(v, precision + 1, d);
        } else {
            nkx_digits_fixed(v, precision, d);
        }
        if (!least) nkx_digits_strip(d);
    }
    d->negative = signbit(v) != 0;
}

typedef struct sizes {
    format *f;
    int precision, left, right, exp_digits;
} sizes;

static int int_digits(const nkx_digits *d)
{
    return (d->negative ? 1 : 0) + (d->point > 0 ? d->point : 1);
}

static void see_size(void *user, nkx_dtype t, const uint8_t *at)
{
    sizes *s = user;
    nkx_digits d;
    double v = nkx_nd_elem_f64(t, at);
    if (!isfinite(v)) return;
    digits_of(s->f, v, s->precision, false, &d);
    int left, right, e = 0;
    if (s->f->scientific) {
        left = d.negative ? 2 : 1;
        right = d.n - 1;
        e = v == 0 ? 0 : abs(d.point - 1);
        int digits = e >= 100 ? 3 : 2;
        s->exp_digits = digits > s->exp_digits ? digits : s->exp_digits;
    } else {
        left = int_digits(&d);
        right = d.n > d.point ? d.n - d.point : 0;
    }
    s->left = left > s->left ? left : s->left;
    s->right = right > s->right ? right : s->right;
}

static void see_width(void *user, nkx_dtype t, const uint8_t *at)
{
    format *f = user;
    nkx_buf b = {0};
    nkx_repr_scalar(t, at, &b);
    f->width = b.len > f->width ? b.len : f->width;
    nkx_buf_fini(&b);
}

static double cutoff(nkx_dtype t)
{
    return t == NKX_DT_FP64 ? 1e8 : t == NKX_DT_FP16 || t == NKX_DT_TF32 ? 1e3 : 1e6;
}

static void settle_float(printer *p)
{
    format *f = &p->f;
    range r = {0};
    visit(p, 0, p->a->at, see_range, &r);
    f->scientific = r.any && (r.max >= cutoff(f->type) ||
                              (!p->o->suppress && (r.min < 0.0001 || r.max / r.min > 1000.0)));
    sizes s = {f, p->o->precision, 0, 0, 0};
    visit(p, 0, p->a->at, see_size, &s);
    f->left = s.left;
    f->right = s.right;
    f->exp_digits = s.exp_digits;
    f->precision = s.right;
    int wide = f->scientific ? f->exp_digits + 2 + f->right : f->right;
    if (!r.any_finite) wide = 0;
    f->right = wide;
    if (r.nan || r.inf) {
        int nan_left = 3 - (wide + 1), inf_left = 3 + (r.neg_inf ? 1 : 0) - (wide + 1);
        f->left = f->left > nan_left ? f->left : nan_left;
        f->left = f->left > inf_left ? f->left : inf_left;
    }
}

/* ---- one element ---- */

static void pad(nkx_buf *out, int n)
{
    for (; n > 0; n--) nkx_buf_char(out, ' ');
}

static void write_scientific(const format *f, const nkx_digits *d, double v, nkx_buf *out)
{
    int e = v == 0 ? 0 : d->point - 1;
    pad(out, f->left - (d->negative ? 2 : 1));
    if (d->negative) nkx_buf_char(out, '-');
    nkx_buf_char(out, d->digits[0]);
    nkx_buf_char(out, '.');
    for (int i = 1; i <= f->precision; i++) nkx_buf_char(out, i < d->n ? d->digits[i] : '0');
    nkx_buf_printf(out, "e%c%0*d", e < 0 ? '-' : '+', f->exp_digits, abs(e));
}

static void write_positional(const format *f, const nkx_digits *d, nkx_buf *out)
{
    int written = 0;
    pad(out, f->left - int_digits(d));
    if (d->negative) nkx_buf_char(out, '-');
    if (d->point <= 0) nkx_buf_char(out, '0');
    for (int i = 0; i < d->point; i++) nkx_buf_char(out, i < d->n ? d->digits[i] : '0');
    nkx_buf_char(out, '.');
    bool zero = d->n == 1 && d->digits[0] == '0';
    for (int i = d->point; i < 0 && !zero; i++, written++) nkx_buf_char(out, '0');
    for (int i = d->point > 0 ? d->point : 0; i < d->n; i++, written++)
        nkx_buf_char(out, d->digits[i]);
    pad(out, f->right - written);
}

static void write_element(const printer *p, const uint8_t *at, nkx_buf *out)
{
    const format *f = &p->f;
    if (!f->floats) {
        nkx_buf b = {0};
        nkx_repr_scalar(f->type, at, &b);
        pad(out, (int)f->width - (int)b.len);
        nkx_buf_add(out, b.at, b.len);
        nkx_buf_fini(&b);
        return;
    }
    double v = nkx_nd_elem_f64(f->type, at);
    nkx_digits d;
    if (!isfinite(v)) {
        const char *text = isnan(v) ? "nan" : v < 0 ? "-inf" : "inf";
        pad(out, f->left + f->right + 1 - (int)strlen(text));
        nkx_buf_str(out, text);
        return;
    }
    digits_of(f, v, f->precision, f->scientific, &d);
    if (f->scientific) {
        write_scientific(f, &d, v, out);
    } else {
        write_positional(f, &d, out);
    }
}

/* ---- rows ---- */

typedef struct line {
    size_t start; /* offset in out where the line begins */
    size_t indent;
    size_t width;
} line;

static void put_word(nkx_buf *out, line *l, const char *word, size_t len)
{
    if (out->len - l->start + len > l->width && out->len - l->start > l->indent) {
        while (out->len > l->start && out->at[out->len - 1] == ' ') out->len--;
        nkx_buf_char(out, '\n');
        l->start = out->len;
        pad(out, (int)l->indent);
    }
    nkx_buf_add(out, word, len);
}

/* The last axis: words wrapped at the line's width. */
static void write_row(const printer *p, const uint8_t *at, size_t indent, size_t width,
                      size_t line_start, nkx_buf *out)
{
    int d = p->a->ndim - 1;
    int64_t n = p->a->shape[d], edge = p->o->edgeitems;
    line l = {line_start, indent, width - (p->sep_trim > 1 ? p->sep_trim : 1)};
    nkx_buf word = {0};
    for (int64_t i = 0; i < n; i++) {
        if (p->summary && n > 2 * edge && i == edge) {
            put_word(out, &l, "...", 3);
            nkx_buf_str(out, p->separator);
            i = n - edge;
        }
        nkx_buf_clear(&word);
        write_element(p, at + i * p->a->stride[d], &word);
        put_word(out, &l, word.at, word.len);
        if (i + 1 < n) nkx_buf_str(out, p->separator);
    }
    nkx_buf_fini(&word);
}

/* Everything below axis d, with its brackets. `width` is what a line may hold. */
static void write_axis(const printer *p, int d, const uint8_t *at, size_t indent, size_t width,
                       size_t line_start, nkx_buf *out)
{
    if (d == p->a->ndim) {
        write_element(p, at, out);
        return;
    }
    nkx_buf_char(out, '[');
    if (d == p->a->ndim - 1) {
        write_row(p, at, indent + 1, width, line_start, out);
    } else {
        int64_t n = p->a->shape[d], edge = p->o->edgeitems;
        for (int64_t i = 0; i < n; i++) {
            if (p->summary && n > 2 * edge && i == edge) {
                nkx_buf_str(out, "...");
                nkx_buf_add(out, p->separator, p->sep_trim);
                for (int k = d + 1; k < p->a->ndim; k++) nkx_buf_char(out, '\n');
                line_start = out->len;
                pad(out, (int)indent + 1);
                i = n - edge;
            }
            write_axis(p, d + 1, at + i * p->a->stride[d], indent + 1, width - 1, line_start, out);
            if (i + 1 < n) {
                nkx_buf_add(out, p->separator, p->sep_trim);
                for (int k = d + 1; k < p->a->ndim; k++) nkx_buf_char(out, '\n');
                line_start = out->len;
                pad(out, (int)indent + 1);
            }
        }
    }
    nkx_buf_char(out, ']');
}

void nkx_nd_array2string(nkx_ndarray *a, const nkx_print_options *o, const char *separator,
                         size_t prefix, size_t suffix, nkx_buf *out)
{
    printer p = {.a = a, .o = o, .separator = separator, .sep_trim = strlen(separator)};
    while (p.sep_trim > 0 && separator[p.sep_trim - 1] == ' ') p.sep_trim--;
    if (nkx_nd_size(a) == 0) {
        nkx_buf_str(out, "[]");
        return;
    }
    p.summary = nkx_nd_size(a) > o->threshold;
    p.f.type = (nkx_dtype)a->dtype;
    p.f.floats = plain_float(p.f.type);
    if (p.f.floats) {
        settle_float(&p);
    } else if (p.f.type == NKX_DT_BOOL || nkx_dtype_is_int(p.f.type)) {
        visit(&p, 0, a->at, see_width, &p.f);
        if (p.f.type == NKX_DT_BOOL && a->ndim > 0) p.f.width = 5;
    }
    /* ml_dtypes' elements are written as they are, without columns. */
    size_t width = (size_t)o->linewidth - suffix;
    nkx_buf body = {0};
    pad(&body,
        (int)prefix); /* stands for the text before, so that the first line wraps where it should */
    write_axis(&p, 0, a->at, prefix, width, 0, &body);
    nkx_buf_add(out, body.at + prefix, body.len - prefix);
    nkx_buf_fini(&body);
}

void nkx_nd_str(nkx_ndarray *a, const nkx_print_options *o, nkx_buf *out)
{
    if (a->ndim == 0) {
        nkx_repr_scalar((nkx_dtype)a->dtype, a->at, out);
        return;
    }
    nkx_nd_array2string(a, o, " ", 0, 0, out);
}

static bool implied(nkx_dtype t)
{
    return t == NKX_DT_FP64 || t == NKX_DT_INT64 || t == NKX_DT_BOOL;
}

static bool ml_type(nkx_dtype t)
{
    return (nkx_dtype_is_float(t) && !plain_float(t)) || nkx_nd_is_packed(t);
}

static void repr_scalar_object(const nkx_ndarray *a, nkx_buf *out)
{
    nkx_dtype t = (nkx_dtype)a->dtype;
    if (ml_type(t)) {
        nkx_repr_scalar(t, a->at, out);
    } else if (t == NKX_DT_BOOL) {
        nkx_buf_str(out, nkx_nd_elem_true(t, a->at) ? "np.True_" : "np.False_");
    } else {
        nkx_buf_printf(out, "np.%s(", nkx_nd_type_name(t));
        nkx_repr_scalar(t, a->at, out);
        nkx_buf_char(out, ')');
    }
}

void nkx_nd_repr(nkx_ndarray *a, const nkx_print_options *o, nkx_buf *out)
{
    nkx_dtype t = (nkx_dtype)a->dtype;
    int64_t size = nkx_nd_size(a);
    nkx_buf extra = {0};
    if (a->scalar) {
        repr_scalar_object(a, out);
        return;
    }
    size_t begin = out->len;
    nkx_buf_str(out, "array(");
    if (a->ndim == 0) {
        printer p = {.a = a, .o = o, .separator = ", "};
        p.f.type = t;
        p.f.floats = plain_float(t);
        if (p.f.floats) settle_float(&p);
        write_element(&p, a->at, out);
    } else {
        nkx_nd_array2string(a, o, ", ", 6, 1, out);
    }
    bool shape = (size == 0 && !(a->ndim == 1)) || size > o->threshold;
    if (shape) {
        nkx_buf_str(&extra, "shape=");
        nkx_nd_shape_text(&extra, a->ndim, a->shape);
    }
    if (!implied(t) || size == 0) {
        if (shape) nkx_buf_str(&extra, ", ");
        nkx_buf_printf(&extra, ml_type(t) ? "dtype=dtype(%s)" : "dtype=%s", nkx_nd_type_name(t));
    }
    if (extra.len > 0) {
        size_t last = begin;
        nkx_buf_char(out, ',');
        for (size_t i = begin; i < out->len; i++) {
            if (out->at[i] == '\n') last = i + 1;
        }
        bool wrap = out->len - last + extra.len + 1 + 1 > (size_t)o->linewidth;
        nkx_buf_str(out, wrap ? "\n      " : " ");
        nkx_buf_add(out, extra.at, extra.len);
    }
    nkx_buf_char(out, ')');
    nkx_buf_fini(&extra);
}
