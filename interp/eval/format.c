/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format specs, as f-strings, format() and str.format() take them:
 * [[fill]align][sign][#][0][width][grouping][.precision][type]. Layer eval.
 */
#include "interp/eval/methods.h"

#include "interp/host/digits.h"
#include "interp/host/print.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WIDTH 1000000

typedef struct spec {
    char fill[5]; /* one character of UTF-8 */
    char align;   /* < > ^ =; 0: not given */
    char sign;    /* + - blank */
    bool alt, zero, no_neg_zero;
    int64_t width;
    char group;        /* , _ or 0 */
    int64_t precision; /* -1: not given */
    char type;         /* 0: not given */
} spec;

void nkx_float_repr(double f, nkx_buf *out)
{
    nkx_repr_float(f, out);
}

void nkx_str_repr(const char *text, size_t len, nkx_buf *out)
{
    bool single = memchr(text, '\'', len) != NULL, dbl = memchr(text, '"', len) != NULL;
    char q = single && !dbl ? '"' : '\'';
    nkx_buf_char(out, q);
    for (const char *s = text, *end = text + len; s < end;) {
        uint32_t c = nkx_char_at(s);
        size_t n = nkx_char_bytes(s);
        if (c == (uint32_t)q || c == '\\') {
            nkx_buf_char(out, '\\');
            nkx_buf_char(out, (char)c);
        } else if (c == '\n' || c == '\r' || c == '\t') {
            nkx_buf_str(out, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
        } else if (c < 0x20 || c == 0x7f || (c >= 0x80 && c < 0xa1) || c == 0xad) {
            nkx_buf_printf(out, "\\x%02x", c);
        } else {
            nkx_buf_add(out, s, n);
        }
        s += n;
    }
    nkx_buf_char(out, q);
}

/* ---- parsing a spec ---- */

static bool parse_number(const char **s, const char *end, int64_t *out)
{
    if (*s == end || !isdigit((unsigned char)**s)) return false;
    for (*out = 0; *s < end && isdigit((unsigned char)**s); (*s)++) {
        if (*out < 100000000) *out = *out * 10 + (**s - '0');
    }
    return true;
}

static bool is_align(char c)
{
    return c == '<' || c == '>' || c == '^' || c == '=';
}

static bool parse_spec(nkx_vm *vm, const char *s, size_t len, nkx_value v, spec *f)
{
    const char *end = s + len, *all = s;
    *f = (spec){.fill = " ", .precision = -1};
    size_t n = len > 0 ? nkx_char_bytes(s) : 0;
    if (n > 0 && n < len && is_align(s[n])) {
        memcpy(f->fill, s, n);
        f->fill[n] = '\0';
        f->align = s[n];
        s += n + 1;
    } else if (s < end && is_align(*s)) {
        f->align = *s++;
    }
    if (s < end && (*s == '+' || *s == '-' || *s == ' ')) f->sign = *s++;
    if (s < end && *s == 'z') f->no_neg_zero = *s++ != 0;
    if (s < end && *s == '#') f->alt = *s++ != 0;
    if (s < end && *s == '0') {
        f->zero = true;
        s++;
    }
    parse_number(&s, end, &f->width);
    if (s < end && (*s == ',' || *s == '_')) f->group = *s++;
    if (s < end && *s == '.') {
        s++;
        if (!parse_number(&s, end, &f->precision))
            return nkx_value_error(vm, "Format specifier missing precision");
    }
    if (s < end) f->type = *s++;
    if (s != end)
        return nkx_value_error(vm, "Invalid format specifier '%.*s' for object of type '%s'",
                               (int)len, all, nkx_type_name(v));
    if (f->width > MAX_WIDTH || f->precision > MAX_WIDTH)
        return nkx_value_error(vm, "Too many decimal digits in format string");
    return true;
}

static bool bad_type(nkx_vm *vm, const spec *f, const char *type)
{
    return nkx_value_error(vm, "Unknown format code '%c' for object of type '%s'", f->type, type);
}

/* ---- placing text ---- */

static void fill(nkx_buf *out, const spec *f, int64_t n)
{
    for (; n > 0; n--) nkx_buf_str(out, f->fill);
}

static size_t chars_of(const char *s, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) n += ((uint8_t)s[i] & 0xc0) != 0x80;
    return n;
}

static void place(nkx_buf *out, const spec *f, char dflt, const char *text, size_t len)
{
    int64_t room = f->width - (int64_t)chars_of(text, len);
    char align = f->align != 0 ? f->align : dflt;
    if (room < 0) room = 0;
    int64_t left = align == '<' ? 0 : align == '^' ? room / 2 : room;
    fill(out, f, left);
    nkx_buf_add(out, text, len);
    fill(out, f, room - left);
}

/* Digits with separators every `every`, at least `least` characters wide (zeros in front). */
static void group_digits(nkx_buf *out, const char *digits, size_t n, char sep, size_t every,
                         int64_t least)
{
    size_t total = n, width = sep != 0 && n > 0 ? n + (n - 1) / every : n;
    while (least > 0 && (int64_t)width < least) {
        total++;
        width = sep != 0 ? total + (total - 1) / every : total;
    }
    for (size_t i = 0; i < total; i++) {
        if (sep != 0 && i > 0 && (total - i) % every == 0) nkx_buf_char(out, sep);
        nkx_buf_char(out, i < total - n ? '0' : digits[i - (total - n)]);
    }
}

/* sign, prefix, digits with grouping, rest (".50", "e+05", "%"), all placed. */
static void place_number(nkx_buf *out, const spec *f, bool negative, const char *prefix,
                         const char *digits, size_t n, size_t every, const char *rest)
{
    nkx_buf body = {0};
    const char *sign = negative ? "-" : f->sign == '+' ? "+" : f->sign == ' ' ? " " : "";
    size_t outside = strlen(sign) + strlen(prefix) + strlen(rest);
    bool by_zero = (f->zero && f->align == 0) || (f->align == '=' && strcmp(f->fill, "0") == 0);
    int64_t least = by_zero ? f->width - (int64_t)outside : 0;
    group_digits(&body, digits, n, f->group, every, least);
    nkx_buf_str(&body, rest);
    if (f->align == '=' && !by_zero) {
        nkx_buf_str(out, sign);
        nkx_buf_str(out, prefix);
        fill(out, f, f->width - (int64_t)(strlen(sign) + strlen(prefix) + body.len));
        nkx_buf_add(out, body.at, body.len);
    } else {
        nkx_buf whole = {0};
        nkx_buf_str(&whole, sign);
        nkx_buf_str(&whole, prefix);
        nkx_buf_add(&whole, body.at, body.len);
        spec g = *f;
        if (f->zero && f->align != 0 && strcmp(f->fill, " ") == 0) strcpy(g.fill, "0");
        place(out, &g, '>', whole.at, whole.len);
        nkx_buf_fini(&whole);
    }
    nkx_buf_fini(&body);
}

/* ---- floats ---- */

/* Text of |v| for a type code; may carry an exponent, a point, a percent sign. */
static void float_text(const spec *f, double v, nkx_buf *out)
{
    char type = f->type;
    int p = f->precision < 0 ? 6 : (int)(f->precision > 450 ? 450 : f->precision);
    v = fabs(v);
    if (type == '%') {
        nkx_buf_printf(out, f->alt ? "%#.*f%%" : "%.*f%%", p, v * 100.0);
        return;
    }
    if (type == 0 && f->precision < 0) {
        nkx_repr_float(v, out);
        return;
    }
    if (type ==
        0) { /* as 'g', but with a digit after the point, and an exponent one place earlier */
        nkx_digits d;
        if (p == 0) p = 1;
        nkx_digits_significant(v, p, &d);
        while (d.n > 1 && d.digits[d.n - 1] == '0') d.n--;
        if (v != 0 && (d.point <= -4 || d.point > p - 1)) {
            nkx_buf_printf(out, "%.*e", d.n - 1, v);
            return;
        }
        int decimals = d.n - d.point;
        nkx_buf_printf(out, "%.*f", decimals < 1 ? 1 : decimals, v);
        return;
    }
    if (type == 'n') type = 'g';
    char form[16];
    snprintf(form, sizeof form, "%%%s.*%c", f->alt ? "#" : "", type);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    nkx_buf_printf(out, form, p == 0 && (type == 'g' || type == 'G') ? 1 : p, v);
#pragma GCC diagnostic pop
}

static bool rounds_to_zero(const char *text)
{
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text >= '1' && *text <= '9') return false;
    }
    return true;
}

static bool format_float(nkx_vm *vm, double v, const spec *f, nkx_buf *out)
{
    nkx_buf text = {0};
    if (f->type != 0 && strchr("eEfFgGn%", f->type) == NULL) return bad_type(vm, f, "float");
    if (!isfinite(v)) {
        bool upper = f->type != 0 && isupper((unsigned char)f->type);
        spec g = *f;
        if (g.zero && g.align == 0) g.align = '>'; /* not digits: zeros in front would lie */
        g.zero = false;
        g.group = 0;
        const char *word = isnan(v) ? (upper ? "NAN" : "nan") : upper ? "INF" : "inf";
        place_number(out, &g, !isnan(v) && v < 0, "", "", 0, 3,
                     f->type == '%' ? (isnan(v) ? "nan%" : "inf%") : word);
        return true;
    }
    float_text(f, v, &text);
    size_t whole = strspn(text.at, "0123456789");
    bool negative = signbit(v) != 0 && !(f->no_neg_zero && rounds_to_zero(text.at));
    place_number(out, f, negative, "", text.at, whole, 3, text.at + whole);
    nkx_buf_fini(&text);
    return true;
}

/* ---- integers ---- */

static bool format_int(nkx_vm *vm, int64_t v, const spec *f, nkx_buf *out)
{
    uint64_t m = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    unsigned base = 10;
    const char *prefix = "";
    char digits[72];
    size_t at = sizeof digits;
    switch (f->type) {
    case 'b':
        base = 2;
        prefix = "0b";
        break;
    case 'o':
        base = 8;
        prefix = "0o";
        break;
    case 'x':
        base = 16;
        prefix = "0x";
        break;
    case 'X':
        base = 16;
        prefix = "0X";
        break;
    case 0:
    case 'd':
    case 'n': break;
    case 'c':
        if (v < 0 || v > 0x10ffff)
            return nkx_raise(vm, NKX_E215, "OverflowError", "%%c arg not in range(0x110000)");
        nkx_buf one = {0};
        nkx_buf_utf8(&one, (uint32_t)v);
        place(out, f, '<', one.at, one.len);
        nkx_buf_fini(&one);
        return true;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case '%': return format_float(vm, (double)v, f, out);
    default: return bad_type(vm, f, "int");
    }
    if (f->precision >= 0) {
        return nkx_value_error(vm, "Precision not allowed in integer format specifier");
    }
    if (f->no_neg_zero) {
        return nkx_value_error(
            vm, "Negative zero coercion (z) not allowed in integer format specifier");
    }
    do {
        digits[--at] = (f->type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[m % base];
        m /= base;
    } while (m > 0);
    if (f->group == ',' && base != 10)
        return nkx_value_error(vm, "Cannot specify ',' with '%c'.", f->type);
    place_number(out, f, v < 0, f->alt ? prefix : "", digits + at, sizeof digits - at,
                 base == 10 ? 3 : 4, "");
    return true;
}

static bool format_text(nkx_vm *vm, const char *s, size_t len, const spec *f, nkx_buf *out)
{
    if (f->type != 0 && f->type != 's') return bad_type(vm, f, "str");
    if (f->sign != 0) return nkx_value_error(vm, "Sign not allowed in string format specifier");
    if (f->align == '=')
        return nkx_value_error(vm, "'=' alignment not allowed in string format specifier");
    if (f->group != 0) return nkx_value_error(vm, "Cannot specify '%c' with 's'.", f->group);
    if (f->precision >= 0) {
        size_t keep = 0;
        for (int64_t i = 0; i < f->precision && keep < len; i++) keep += nkx_char_bytes(s + keep);
        len = keep < len ? keep : len;
    }
    spec g = *f;
    if (f->zero && f->align == 0) strcpy(g.fill, "0");
    place(out, &g, '<', s, len);
    return true;
}

/* ---- any value ---- */

static bool format_array(nkx_vm *vm, nkx_value v, const spec *f, nkx_buf *out)
{
    const nkx_ndarray *a = NKX_AS(nkx_array_obj, v)->a;
    nkx_dtype t = (nkx_dtype)a->dtype;
    if (a->ndim > 0)
        return nkx_type_error(vm, "unsupported format string passed to numpy.ndarray.__format__");
    if (nkx_dtype_is_int(t)) return format_int(vm, nkx_nd_elem_i64(t, a->at), f, out);
    if (f->type == 0 && f->precision < 0 && t != NKX_DT_FP64) {
        nkx_buf text = {0};
        nkx_repr_scalar(t, a->at, &text);
        place(out, f, '>', text.at, text.len);
        nkx_buf_fini(&text);
        return true;
    }
    return format_float(vm, nkx_nd_elem_f64(t, a->at), f, out);
}

static bool format_instance(nkx_vm *vm, nkx_value v, const char *text, size_t len, nkx_buf *out,
                            bool *found)
{
    nkx_value arg = nkx_str_new(vm, text, len), r = NKX_UNSET;
    bool ok = nkx_call_special(vm, v, vm->id.d_format, &arg, 1, &r, found);
    nkx_drop(arg);
    if (!ok || !*found) return ok;
    ok = r.type == NKX_V_STR ||
         nkx_type_error(vm, "__format__ must return a str, not %s", nkx_type_name(r));
    if (ok) nkx_buf_add(out, nkx_text(r), nkx_text_len(r));
    nkx_drop(r);
    return ok;
}

bool nkx_format_value(nkx_vm *vm, nkx_value v, const char *text, size_t len, nkx_buf *out)
{
    spec f;
    int64_t i;
    bool found = false;
    if (v.type == NKX_V_INSTANCE) {
        if (!format_instance(vm, v, text, len, out, &found)) return false;
        if (found) return true;
    }
    if (len == 0 && v.type == NKX_V_ARRAY && NKX_AS(nkx_array_obj, v)->a->ndim == 0) {
        const nkx_ndarray *a =
            NKX_AS(nkx_array_obj, v)->a; /* NumPy hands its float to float's format */
        if (a->dtype == NKX_DT_FP32 || a->dtype == NKX_DT_FP16) {
            nkx_repr_float(nkx_nd_elem_f64((nkx_dtype)a->dtype, a->at), out);
            return true;
        }
    }
    if (len == 0) return nkx_str_of(vm, v, out);
    if (!parse_spec(vm, text, len, v, &f)) return false;
    if (v.type == NKX_V_STR) return format_text(vm, nkx_text(v), nkx_text_len(v), &f, out);
    if (v.type == NKX_V_FLOAT) return format_float(vm, v.u.f, &f, out);
    if (nkx_is_int(v, &i)) return format_int(vm, i, &f, out);
    if (v.type == NKX_V_ARRAY) return format_array(vm, v, &f, out);
    if (v.type == NKX_V_INSTANCE &&
        nkx_instance_of(vm, v, NKX_CLS_Enum)) { /* members format as their text */
        nkx_buf b = {0};
        bool ok =
            nkx_str_of(vm, v, &b) && format_text(vm, b.at != NULL ? b.at : "", b.len, &f, out);
        nkx_buf_fini(&b);
        return ok;
    }
    if (nkx_is_placeholder(v)) return nkx_placeholder_used(vm, v);
    return nkx_type_error(vm, "unsupported format string passed to %s.__format__",
                          nkx_type_name(v));
}
