/* SPDX-License-Identifier: Apache-2.0 */
/* Formatting by templates: "{}".format(...) and "%d" % (...). Layer eval. */
#include "interp/eval/methods.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- str.format ---- */

typedef struct fields {
    nkx_value args, kwargs;
    int next; /* number of the next {} field; -1 once numbers were written out */
} fields;

static bool key_error(nkx_vm *vm, nkx_value key)
{
    nkx_buf b = {0};
    if (nkx_repr(vm, key, &b)) {
        nkx_raise(vm, NKX_E213, "KeyError", "%s", b.at);
        nkx_exception_set_arg(vm, key);
    }
    nkx_buf_fini(&b);
    return false;
}

/* The first part of a field name: a number, a name, or nothing. Owned. */
static bool field_root(nkx_vm *vm, fields *f, const char *s, size_t n, nkx_value *out)
{
    const nkx_tuple *args = NKX_AS(nkx_tuple, f->args);
    int64_t i = 0;
    bool number = n > 0;
    for (size_t k = 0; k < n; k++) {
        number = number && isdigit((unsigned char)s[k]);
        if (number && i < 1000000) i = i * 10 + (s[k] - '0');
    }
    if (n == 0) {
        if (f->next < 0)
            return nkx_value_error(
                vm, "cannot switch from manual field specification to automatic field numbering");
        i = f->next++;
    } else if (number) {
        if (f->next > 0)
            return nkx_value_error(
                vm, "cannot switch from automatic field numbering to manual field specification");
        f->next = -1;
    } else {
        nkx_value key = nkx_str_new(vm, s, n), v;
        bool ok = nkx_dict_get(vm, f->kwargs, key, &v);
        if (ok && v.type == NKX_V_UNSET) ok = key_error(vm, key);
        if (ok) *out = nkx_ref(v);
        nkx_drop(key);
        return ok;
    }
    if (i >= args->n)
        return nkx_raise(vm, NKX_E212, "IndexError",
                         "Replacement index %lld out of range for positional args tuple",
                         (long long)i);
    return nkx_give(out, nkx_ref(args->at[i]));
}

/* name.attr[item]... */
static bool field_value(nkx_vm *vm, fields *f, const char *s, size_t n, nkx_value *out)
{
    size_t k = 0;
    while (k < n && s[k] != '.' && s[k] != '[') k++;
    if (!field_root(vm, f, s, k, out)) return false;
    while (k < n) {
        size_t b = k + 1, e = b;
        bool item = s[k] == '[';
        nkx_value next;
        while (e < n && (item ? s[e] != ']' : s[e] != '.' && s[e] != '[')) e++;
        bool ok;
        if (e == b) {
            ok = nkx_value_error(vm, "Empty attribute in format string");
        } else if (item) {
            bool number = true;
            for (size_t i = b; i < e; i++) number = number && isdigit((unsigned char)s[i]);
            nkx_value key = nkx_str_new(vm, s + b, e - b), index = key;
            ok = !number || nkx_parse_int(vm, key, 10, &index);
            ok = ok && nkx_get_item(vm, *out, index, &next);
            nkx_drop(key);
        } else {
            nkx_value name = nkx_str_new(vm, s + b, e - b);
            ok = nkx_get_attr(vm, *out, nkx_name_of(vm, name), &next);
            nkx_drop(name);
        }
        nkx_drop(*out);
        if (!ok) return false;
        *out = next;
        k = item ? e + 1 : e;
    }
    return true;
}

static bool expand(nkx_vm *vm, fields *f, const char *s, size_t n, int depth, nkx_buf *out);

/* One field without its braces: name, !conversion, :spec. */
static bool expand_field(nkx_vm *vm, fields *f, const char *s, size_t n, int depth, nkx_buf *out)
{
    size_t k = 0;
    char conv = 0;
    nkx_buf spec = {0}, text = {0};
    nkx_value v;
    bool in_item = false;
    for (; k < n; k++) {
        if (s[k] == '[') in_item = true;
        if (s[k] == ']') in_item = false;
        if (!in_item && (s[k] == '!' || s[k] == ':')) break;
    }
    size_t name = k;
    if (k < n && s[k] == '!') {
        if (k + 1 >= n)
            return nkx_value_error(vm, "end of string while looking for conversion specifier");
        conv = s[k + 1];
        k += 2;
        if (k < n && s[k] != ':')
            return nkx_value_error(vm, "expected ':' after conversion specifier");
    }
    if (!field_value(vm, f, s, name, &v)) return false;
    bool ok = k >= n || expand(vm, f, s + k + 1, n - k - 1, depth + 1, &spec);
    if (ok && conv != 0) {
        if (conv == 'r' || conv == 'a') {
            ok = nkx_repr(vm, v, &text);
        } else if (conv == 's') {
            ok = nkx_str_of(vm, v, &text);
        } else {
            ok = nkx_value_error(vm, "Unknown conversion specifier '%c'", conv);
        }
        if (ok) {
            nkx_drop(v);
            v = nkx_str_take(vm, &text);
        }
    }
    ok = ok && nkx_format_value(vm, v, spec.at != NULL ? spec.at : "", spec.len, out);
    nkx_drop(v);
    nkx_buf_fini(&spec);
    nkx_buf_fini(&text);
    return ok;
}

static bool expand(nkx_vm *vm, fields *f, const char *s, size_t n, int depth, nkx_buf *out)
{
    if (depth > 2) return nkx_value_error(vm, "Max string recursion exceeded");
    for (size_t i = 0; i < n; i++) {
        if (s[i] != '{' && s[i] != '}') {
            nkx_buf_char(out, s[i]);
            continue;
        }
        if (i + 1 < n && s[i + 1] == s[i] && depth == 0) {
            nkx_buf_char(out, s[i++]);
            continue;
        }
        if (s[i] == '}') return nkx_value_error(vm, "Single '}' encountered in format string");
        size_t b = ++i;
        int level = 1;
        for (; i < n && level > 0; i++) {
            if (s[i] == '{') level++;
            if (s[i] == '}') level--;
        }
        if (level > 0)
            return nkx_value_error(vm, b >= n ? "Single '{' encountered in format string"
                                              : "expected '}' before end of string");
        if (!expand_field(vm, f, s + b, i - b - 1, depth, out)) return false;
        i--;
    }
    return true;
}

bool nkx_str_format(nkx_vm *vm, nkx_value fmt, nkx_value args, nkx_value kwargs, nkx_value *out)
{
    nkx_buf b = {0};
    fields f = {args, kwargs, 0};
    bool ok = expand(vm, &f, nkx_text(fmt), nkx_text_len(fmt), 0, &b);
    if (ok) *out = nkx_str_take(vm, &b);
    nkx_buf_fini(&b);
    return ok;
}

/* ---- % ---- */

typedef struct percent {
    nkx_value arg;       /* right-hand side */
    const nkx_value *at; /* its items */
    uint32_t n, used;
    const char *text; /* the whole template */
} percent;

static bool next_arg(nkx_vm *vm, percent *p, nkx_value *out)
{
    if (p->used >= p->n) return nkx_type_error(vm, "not enough arguments for format string");
    return nkx_give(out, p->at[p->used++]);
}

/* Builds a format spec for one conversion and lets the formatter do it. */
static bool convert(nkx_vm *vm, nkx_value v, const char *flags, int64_t width, int64_t precision,
                    size_t at, char c, nkx_buf *out)
{
    nkx_buf spec = {0}, text = {0};
    nkx_value shown = nkx_ref(v);
    bool left = strchr(flags, '-') != NULL, zero = strchr(flags, '0') != NULL && !left,
         is_text = c == 's' || c == 'r' || c == 'a' || c == 'c', ok = true;
    if (c == 'i' || c == 'u') c = 'd';
    if (c == 'c' && v.type == NKX_V_STR && nkx_str_chars(v) != 1)
        ok = nkx_type_error(vm, "%%c requires int or char");
    if (is_text && !(c == 'c' && v.type != NKX_V_STR)) {
        ok = ok && (c == 's' || c == 'c' ? nkx_str_of(vm, v, &text) : nkx_repr(vm, v, &text));
        nkx_drop(shown);
        shown = nkx_str_take(vm, &text);
        c = 's';
    } else if (strchr("dxXo", c) != NULL) {
        double f;
        if (v.type == NKX_V_FLOAT && c == 'd') {
            ok = nkx_float_to_int(vm, v.u.f, &shown);
        } else if (!nkx_is_number(v, &f) && v.type != NKX_V_ARRAY) {
            ok = nkx_type_error(vm, "%%%c format: %s is required, not %s", c,
                                c == 'd' ? "a real number" : "an integer", nkx_type_name(v));
        }
    } else if (strchr("eEfFgG", c) != NULL) {
        double f = 0;
        ok = nkx_is_number(v, &f) || v.type == NKX_V_ARRAY ||
             nkx_type_error(vm, "must be real number, not %s", nkx_type_name(v));
        if (ok && v.type != NKX_V_ARRAY) shown = nkx_float(f);
    } else if (c != 'c') {
        ok = nkx_value_error(vm, "unsupported format character '%c' (0x%x) at index %zu", c,
                             (unsigned)(uint8_t)c, at);
    }
    nkx_buf_char(&spec, left || (is_text && left) ? '<' : zero && !is_text ? '=' : '>');
    if (zero && !is_text) spec.at[0] = '0', nkx_buf_char(&spec, '=');
    if (!is_text && strchr(flags, '+') != NULL)
        nkx_buf_char(&spec, '+');
    else if (!is_text && strchr(flags, ' ') != NULL)
        nkx_buf_char(&spec, ' ');
    if (!is_text && strchr(flags, '#') != NULL) nkx_buf_char(&spec, '#');
    if (width > 0) nkx_buf_printf(&spec, "%lld", (long long)width);
    if (precision >= 0 && strchr("dxXoc", c) == NULL)
        nkx_buf_printf(&spec, ".%lld", (long long)precision);
    nkx_buf_char(&spec, c);
    ok = ok && nkx_format_value(vm, shown, spec.at, spec.len, out);
    nkx_drop(shown);
    nkx_buf_fini(&spec);
    nkx_buf_fini(&text);
    return ok;
}

/* A number or `*` of a conversion. */
static bool number(nkx_vm *vm, percent *p, const char **s, int64_t *out)
{
    nkx_value v;
    if (**s == '*') {
        (*s)++;
        return next_arg(vm, p, &v) && nkx_as_int(vm, v, "*", out);
    }
    for (*out = 0; isdigit((unsigned char)**s); (*s)++) {
        if (*out < 1000000) *out = *out * 10 + (**s - '0');
    }
    return true;
}

static bool conversion(nkx_vm *vm, percent *p, const char **at, nkx_buf *out)
{
    const char *s = *at;
    char flags[8] = "";
    int64_t width = 0, precision = -1;
    nkx_value v = NKX_UNSET, owned = NKX_UNSET;
    if (*s == '(') {
        const char *close = strchr(s, ')');
        if (close == NULL) return nkx_value_error(vm, "incomplete format key");
        if (p->arg.type != NKX_V_DICT) return nkx_type_error(vm, "format requires a mapping");
        nkx_value key = nkx_str_new(vm, s + 1, (size_t)(close - s - 1));
        bool ok = nkx_get_item(vm, p->arg, key, &owned);
        nkx_drop(key);
        if (!ok) return false;
        v = owned;
        s = close + 1;
    }
    while (*s != '\0' && strchr("-+ #0", *s) != NULL) {
        size_t n = strlen(flags);
        if (n + 1 < sizeof flags) {
            flags[n] = *s;
            flags[n + 1] = '\0';
        }
        s++;
    }
    bool ok = number(vm, p, &s, &width);
    if (ok && *s == '.') {
        s++;
        ok = number(vm, p, &s, &precision);
    }
    if (ok && width < 0) {
        width = -width;
        strcpy(flags, "-");
    }
    while (*s == 'l' || *s == 'h') s++;
    if (ok && *s == '\0') ok = nkx_value_error(vm, "incomplete format");
    if (ok && *s == '%') {
        nkx_buf_char(out, '%');
    } else if (ok) {
        ok = v.type != NKX_V_UNSET || next_arg(vm, p, &v);
        ok = ok && convert(vm, v, flags, width, precision, (size_t)(s - p->text), *s, out);
    }
    nkx_drop(owned);
    *at = s + 1;
    return ok;
}

bool nkx_str_percent(nkx_vm *vm, nkx_value fmt, nkx_value arg, nkx_value *out)
{
    nkx_buf b = {0};
    percent p = {.arg = arg, .at = &arg, .n = 1, .text = nkx_text(fmt)};
    const char *s = nkx_text(fmt), *end = s + nkx_text_len(fmt);
    bool ok = true;
    if (arg.type == NKX_V_TUPLE) nkx_items(arg, &p.at, &p.n);
    while (ok && s < end) {
        if (*s == '%') {
            s++;
            ok = conversion(vm, &p, &s, &b);
        } else {
            nkx_buf_char(&b, *s++);
        }
    }
    if (ok && p.used < p.n && arg.type != NKX_V_DICT && !(arg.type == NKX_V_ARRAY && p.used > 0)) {
        ok = nkx_type_error(vm, "not all arguments converted during string formatting");
    }
    if (ok) *out = nkx_str_take(vm, &b);
    nkx_buf_fini(&b);
    return ok;
}
