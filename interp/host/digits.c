/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal digits of floats, by printing with enough digits and reading back. Layer host. */
#include "interp/host/digits.h"

#include "interp/host/cast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes apart "[-]d.ddde[+-]xx". Trailing zeros stay. */
static void parse_e(const char *s, nkx_digits *out)
{
    out->n = 0;
    out->negative = *s == '-';
    for (; *s != '\0' && *s != 'e'; s++) {
        if (*s >= '0' && *s <= '9') out->digits[out->n++] = *s;
    }
    out->digits[out->n] = '\0';
    out->point = *s == 'e' ? atoi(s + 1) + 1 : 1;
}

void nkx_digits_strip(nkx_digits *d)
{
    while (d->n > 1 && d->digits[d->n - 1] == '0') d->n--;
    d->digits[d->n] = '\0';
    if (d->n == 1 && d->digits[0] == '0') d->point = 1;
}

void nkx_digits_significant(double v, int n, nkx_digits *out)
{
    char text[840];
    n = n < 1 ? 1 : n > 780 ? 780 : n;
    snprintf(text, sizeof text, "%.*e", n - 1, v);
    parse_e(text, out);
    if (v == 0) out->point = 1;
}

void nkx_digits_fixed(double v, int decimals, nkx_digits *out)
{
    char text[1200];
    int n = 0, point = 0;
    bool lead = true, dot = false;
    decimals = decimals > 450 ? 450 : decimals;
    snprintf(text, sizeof text, "%.*f", decimals, v);
    out->negative = signbit(v) != 0;
    for (const char *s = text; *s != '\0'; s++) {
        if (*s == '.') dot = true;
        if (*s < '0' || *s > '9') continue;
        if (lead && *s == '0') {
            if (dot) point--;
            continue;
        }
        lead = false;
        if (n < (int)sizeof out->digits - 1) out->digits[n++] = *s;
        if (!dot) point++;
    }
    if (n == 0) {
        out->digits[n++] = '0';
        point = 1;
    }
    out->digits[n] = '\0';
    out->n = n;
    out->point = point;
}

static bool reads_back(const char *text, double v, nkx_dtype t)
{
    double r = strtod(text, NULL);
    uint64_t raw = 0;
    if (t == NKX_DT_FP64) return r == v;
    if (t == NKX_DT_FP32 || t == NKX_DT_TF32) return (double)strtof(text, NULL) == v;
    nkx_nd_put_f64(t, &raw, r);
    return nkx_nd_elem_f64(t, &raw) == v;
}

void nkx_digits_shortest(double v, nkx_dtype t, nkx_digits *out)
{
    char text[64];
    int most = t == NKX_DT_FP64 ? 17 : t == NKX_DT_FP32 || t == NKX_DT_TF32 ? 9 : 9;
    /* So many digits always read back when the shortest form has no more; below normal range they
     * may not. */
    bool sub = fabs(v) < nkx_dtypes[t].min_normal;
    int safe = sub ? 1 : t == NKX_DT_FP64 ? 15 : t == NKX_DT_FP32 ? 6 : 1;
    for (int n = safe; n <= most; n++) {
        snprintf(text, sizeof text, "%.*e", n - 1, v);
        if (n == most || reads_back(text, v, t)) break;
    }
    parse_e(text, out);
    nkx_digits_strip(out);
}

/* Positional or scientific, as repr does: exponents from -4 up to `high` are written out. */
static void write_repr(const nkx_digits *d, int high, bool point_zero, nkx_buf *out)
{
    int e = d->point - 1;
    if (d->negative) nkx_buf_char(out, '-');
    if (e < -4 || e >= high) {
        nkx_buf_char(out, d->digits[0]);
        if (d->n > 1) nkx_buf_printf(out, ".%s", d->digits + 1);
        nkx_buf_printf(out, "e%c%02d", e < 0 ? '-' : '+', abs(e));
        return;
    }
    if (d->point <= 0) {
        nkx_buf_str(out, "0.");
        for (int i = d->point; i < 0; i++) nkx_buf_char(out, '0');
        nkx_buf_str(out, d->digits);
        return;
    }
    for (int i = 0; i < d->point; i++) nkx_buf_char(out, i < d->n ? d->digits[i] : '0');
    if (d->n > d->point) {
        nkx_buf_char(out, '.');
        nkx_buf_str(out, d->digits + d->point);
    } else if (point_zero) {
        nkx_buf_str(out, ".0");
    }
}

static bool not_finite(double v, nkx_buf *out)
{
    if (isnan(v)) nkx_buf_str(out, "nan");
    if (isinf(v)) nkx_buf_str(out, v < 0 ? "-inf" : "inf");
    return !isfinite(v);
}

void nkx_repr_float(double v, nkx_buf *out)
{
    nkx_digits d;
    if (not_finite(v, out)) return;
    nkx_digits_shortest(v, NKX_DT_FP64, &d);
    d.negative = signbit(v) != 0;
    write_repr(&d, 16, true, out);
}

void nkx_repr_scalar(nkx_dtype t, const void *p, nkx_buf *out)
{
    nkx_digits d;
    if (t == NKX_DT_BOOL) {
        nkx_buf_str(out, nkx_nd_elem_true(t, p) ? "True" : "False");
        return;
    }
    if (t == NKX_DT_UINT64) {
        nkx_buf_printf(out, "%llu", (unsigned long long)nkx_nd_elem_i64(t, p));
        return;
    }
    if (nkx_dtype_is_int(t)) {
        nkx_buf_printf(out, "%lld", (long long)nkx_nd_elem_i64(t, p));
        return;
    }
    double v = nkx_nd_elem_f64(t, p);
    if (not_finite(v, out)) return;
    if (t == NKX_DT_FP64 || t == NKX_DT_FP32 || t == NKX_DT_FP16 || t == NKX_DT_TF32) {
        nkx_digits_shortest(v, t, &d);
        d.negative = signbit(v) != 0;
        write_repr(&d, 16, true, out);
        return;
    }
    /* ml_dtypes prints through a float with six significant digits. */
    nkx_buf_printf(out, "%g", v);
}
