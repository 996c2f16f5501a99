/* SPDX-License-Identifier: Apache-2.0 */
/* What builtin types make when they are called: int(x), list(it), dict(a=1), ... Layer eval. */
#include "interp/eval/builtins.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interp/eval/mod_numpy.h"

/* ---- numbers from text ---- */

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
    return 99;
}

static void trim(const char **s, const char **end)
{
    while (*s < *end && isspace((unsigned char)**s)) (*s)++;
    while (*s < *end && isspace((unsigned char)(*end)[-1])) (*end)--;
}

static bool bad_int(nkx_vm *vm, nkx_value text, int64_t base)
{
    nkx_buf b = {0};
    nkx_str_repr(nkx_text(text), nkx_text_len(text), &b);
    nkx_value_error(vm, "invalid literal for int() with base %lld: %s", (long long)base, b.at);
    nkx_buf_fini(&b);
    return false;
}

/* A base prefix that fits: 0x, 0o, 0b. Base 0 takes it from the prefix. */
static const char *skip_prefix(const char *s, const char *end, int64_t *base)
{
    if (end - s < 2 || s[0] != '0') {
        if (*base == 0) *base = 10;
        return s;
    }
    int c = tolower((unsigned char)s[1]), b = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 0;
    if (b != 0 && (*base == 0 || *base == b)) {
        *base = b;
        return s[2] == '_' ? s + 3 : s + 2;
    }
    if (*base == 0) *base = 10;
    return s;
}

bool nkx_parse_int(nkx_vm *vm, nkx_value text, int64_t base, nkx_value *out)
{
    const char *s = nkx_text(text), *end = s + nkx_text_len(text);
    int64_t asked = base;
    uint64_t v = 0;
    bool negative = false, digit = false;
    if (base != 0 && (base < 2 || base > 36))
        return nkx_value_error(vm, "int() base must be >= 2 and <= 36, or 0");
    trim(&s, &end);
    if (s < end && (*s == '-' || *s == '+')) negative = *s++ == '-';
    s = skip_prefix(s, end, &base);
    for (; s < end; s++) {
        if (*s == '_' && digit && s + 1 < end && s[1] != '_') continue;
        int d = digit_of(*s);
        if (d >= base) return bad_int(vm, text, asked);
        digit = true;
        if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
            __builtin_add_overflow(v, (uint64_t)d, &v)) {
            return nkx_raise(vm, NKX_E215, "OverflowError",
                             "the integer %.40s does not fit 64 bits", nkx_text(text));
        }
    }
    if (!digit) return bad_int(vm, text, asked);
    if (v > (uint64_t)INT64_MAX + (negative ? 1u : 0u)) {
        return nkx_raise(vm, NKX_E215, "OverflowError", "the integer %.40s does not fit 64 bits",
                         nkx_text(text));
    }
    return nkx_give_int(out, (int64_t)(negative ? 0 - v : v));
}

static bool bad_float(nkx_vm *vm, nkx_value text)
{
    nkx_buf b = {0};
    nkx_str_repr(nkx_text(text), nkx_text_len(text), &b);
    nkx_value_error(vm, "could not convert string to float: %s", b.at);
    nkx_buf_fini(&b);
    return false;
}

bool nkx_parse_float(nkx_vm *vm, nkx_value text, double *out)
{
    const char *s = nkx_text(text), *end = s + nkx_text_len(text);
    char plain[400], *stop;
    size_t n = 0;
    trim(&s, &end);
    for (const char *c = s; c < end && n + 1 < sizeof plain; c++) {
        bool between =
            c > s && isdigit((unsigned char)c[-1]) && c + 1 < end && isdigit((unsigned char)c[1]);
        if (*c == '_' && between) continue;
        if (*c == 'x' || *c == 'X' || *c == '(' || *c == '_')
            return bad_float(vm, text); /* strtod's own forms */
        plain[n++] = *c;
    }
    plain[n] = '\0';
    if (n == 0) return bad_float(vm, text);
    *out = strtod(plain, &stop);
    if (*stop != '\0') return bad_float(vm, text);
    return true;
}

bool nkx_float_to_int(nkx_vm *vm, double f, nkx_value *out)
{
    if (isnan(f)) return nkx_value_error(vm, "cannot convert float NaN to integer");
    if (isinf(f))
        return nkx_raise(vm, NKX_E215, "OverflowError", "cannot convert float infinity to integer");
    f = trunc(f);
    if (!(f >= -9223372036854775808.0 && f < 9223372036854775808.0)) {
        return nkx_raise(vm, NKX_E215, "OverflowError", "%g does not fit an integer of 64 bits", f);
    }
    return nkx_give_int(out, (int64_t)f);
}

/* ---- int, float, bool, str, bytes ---- */

static bool one_element(nkx_vm *vm, nkx_value x, const nkx_ndarray **out)
{
    *out = NKX_AS(nkx_array_obj, x)->a;
    if (nkx_nd_size(*out) == 1) return true;
    return nkx_type_error(vm, "only 0-dimensional arrays can be converted to Python scalars");
}

bool nkx_int_new(nkx_vm *vm, nkx_value x, nkx_value base, nkx_value *out)
{
    int64_t i, b = 10;
    bool found = false;
    const nkx_ndarray *a = NULL;
    if (nkx_given(base)) {
        if (!nkx_as_int(vm, base, "base", &b)) return false;
        if (x.type != NKX_V_STR && x.type != NKX_V_BYTES)
            return nkx_type_error(vm, "int() can't convert non-string with explicit base");
    }
    if (nkx_is_int(x, &i)) return nkx_give_int(out, i);
    switch (x.type) {
    case NKX_V_FLOAT: return nkx_float_to_int(vm, x.u.f, out);
    case NKX_V_STR:
    case NKX_V_BYTES: return nkx_parse_int(vm, x, b, out);
    case NKX_V_ARRAY:
        if (!one_element(vm, x, &a)) return false;
        if (nkx_dtype_is_float((nkx_dtype)a->dtype))
            return nkx_float_to_int(vm, nkx_nd_elem_f64((nkx_dtype)a->dtype, a->at), out);
        return nkx_give_int(out, nkx_nd_elem_i64((nkx_dtype)a->dtype, a->at));
    default: break;
    }
    if (!nkx_call_special(vm, x, vm->id.d_int, NULL, 0, out, &found)) return false;
    if (!found && !nkx_call_special(vm, x, vm->id.d_index, NULL, 0, out, &found)) return false;
    if (found) return true;
    return nkx_type_error(
        vm, "int() argument must be a string, a bytes-like object or a real number, not '%s'",
        nkx_type_name(x));
}

bool nkx_float_new(nkx_vm *vm, nkx_value x, nkx_value *out)
{
    double f = 0;
    bool found = false;
    const nkx_ndarray *a = NULL;
    if (nkx_is_number(x, &f)) return nkx_give(out, nkx_float(f));
    if (x.type == NKX_V_STR) return nkx_parse_float(vm, x, &f) && nkx_give(out, nkx_float(f));
    if (x.type == NKX_V_ARRAY)
        return one_element(vm, x, &a) &&
               nkx_give(out, nkx_float(nkx_nd_elem_f64((nkx_dtype)a->dtype, a->at)));
    if (!nkx_call_special(vm, x, vm->id.d_float, NULL, 0, out, &found)) return false;
    if (found) return true;
    return nkx_type_error(vm, "float() argument must be a string or a real number, not '%s'",
                          nkx_type_name(x));
}

static bool t_int(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return nkx_int_new(vm, in[0], in[1], out);
}
static bool t_float(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return nkx_float_new(vm, in[0], out);
}

static bool t_bool(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    bool b;
    return nkx_truth(vm, in[0], &b) && nkx_give_bool(out, b);
}

static bool t_str(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_buf b = {0};
    if (in[0].type == NKX_V_STR) return nkx_give(out, nkx_ref(in[0]));
    if (in[0].type == NKX_V_BYTES && nkx_given(in[1])) {
        *out = nkx_str_new(vm, nkx_text(in[0]), nkx_text_len(in[0]));
        return true;
    }
    bool ok = nkx_str_of(vm, in[0], &b);
    if (ok) *out = nkx_str_take(vm, &b);
    nkx_buf_fini(&b);
    return ok;
}

static bool t_bytes(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value list;
    int64_t n;
    nkx_buf b = {0};
    if (in[0].type == NKX_V_STR) {
        if (!nkx_given(in[1])) return nkx_type_error(vm, "string argument without an encoding");
        *out = nkx_bytes_new(vm, nkx_text(in[0]), nkx_text_len(in[0]));
        return true;
    }
    if (in[0].type == NKX_V_BYTES) return nkx_give(out, nkx_ref(in[0]));
    if (nkx_is_int(in[0], &n)) {
        if (n < 0) return nkx_value_error(vm, "negative count");
        if (!nkx_reserve(vm, (uint64_t)n)) return false;
        for (int64_t i = 0; i < n; i++) nkx_buf_char(&b, '\0');
    } else {
        if (!nkx_list_of(vm, in[0], &list)) return false;
        for (uint32_t i = 0; i < NKX_AS(nkx_list, list)->n; i++) {
            int64_t c = -1;
            if (!nkx_as_int(vm, NKX_AS(nkx_list, list)->at[i], "a byte", &c) || c < 0 || c > 255) {
                if (!nkx_exception_pending(vm))
                    nkx_value_error(vm, "bytes must be in range(0, 256)");
                nkx_drop(list);
                nkx_buf_fini(&b);
                return false;
            }
            nkx_buf_char(&b, (char)c);
        }
        nkx_drop(list);
    }
    *out = nkx_bytes_new(vm, b.at != NULL ? b.at : "", b.len);
    nkx_buf_fini(&b);
    return true;
}

/* ---- containers ---- */

static bool t_list(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return nkx_list_of(vm, in[0], out);
}

static bool t_tuple(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value list;
    if (in[0].type == NKX_V_TUPLE) return nkx_give(out, nkx_ref(in[0]));
    if (!nkx_list_of(vm, in[0], &list)) return false;
    *out = nkx_tuple_of(vm, NKX_AS(nkx_list, list)->at, NKX_AS(nkx_list, list)->n);
    nkx_drop(list);
    return true;
}

/* One [key, value] of dict(pairs). */
static bool put_pair(nkx_vm *vm, nkx_value dict, nkx_value pair, uint32_t i)
{
    nkx_value items;
    if (!nkx_iterable(pair))
        return nkx_type_error(
            vm, "cannot convert dictionary update sequence element #%u to a sequence", i);
    if (!nkx_list_of(vm, pair, &items)) return false;
    const nkx_list *l = NKX_AS(nkx_list, items);
    bool ok = l->n == 2
                  ? nkx_dict_set(vm, dict, l->at[0], l->at[1])
                  : nkx_value_error(
                        vm, "dictionary update sequence element #%u has length %u; 2 is required",
                        i, l->n);
    nkx_drop(items);
    return ok;
}

/* dict.update: from a dict, from something with keys(), or from pairs. */
bool nkx_dict_update(nkx_vm *vm, nkx_value dict, nkx_value from)
{
    nkx_value list;
    if (from.type == NKX_V_DICT) return nkx_dict_copy_into(vm, dict, from);
    if (!nkx_list_of(vm, from, &list)) return false;
    bool ok = true;
    for (uint32_t i = 0; ok && i < NKX_AS(nkx_list, list)->n; i++)
        ok = put_pair(vm, dict, NKX_AS(nkx_list, list)->at[i], i);
    nkx_drop(list);
    return ok;
}

static bool t_dict(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_tuple *args = NKX_AS(nkx_tuple, in[0]);
    if (args->n > 1)
        return nkx_raise(vm, NKX_E206, "TypeError", "dict expected at most 1 argument, got %u",
                         args->n);
    nkx_value d = nkx_dict_new(vm);
    if ((args->n == 1 && !nkx_dict_update(vm, d, args->at[0])) ||
        !nkx_dict_copy_into(vm, d, in[1])) {
        nkx_drop(d);
        return false;
    }
    return nkx_give(out, d);
}

static bool t_set(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value list, s;
    if (!nkx_list_of(vm, in[0], &list)) return false;
    s = nkx_set_new(vm);
    bool ok = true;
    for (uint32_t i = 0; ok && i < NKX_AS(nkx_list, list)->n; i++)
        ok = nkx_set_add(vm, s, NKX_AS(nkx_list, list)->at[i]);
    nkx_drop(list);
    if (!ok) nkx_drop(s);
    return ok && nkx_give(out, s);
}

static bool t_range(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    int64_t v[3] = {0, 0, 1};
    if (a->n_kw > 0) return nkx_type_error(vm, "range() takes no keyword arguments");
    if (!nkx_count_check(vm, "range", a, 1, 3)) return false;
    for (uint32_t i = 0; i < a->n; i++) {
        if (nkx_is_int(a->at[i], &v[i])) continue;
        if (a->at[i].type == NKX_V_FLOAT || a->at[i].type == NKX_V_STR ||
            a->at[i].type == NKX_V_NONE) {
            return nkx_type_error(vm, "'%s' object cannot be interpreted as an integer",
                                  nkx_type_name(a->at[i]));
        }
        if (!nkx_as_int(vm, a->at[i], "range() argument", &v[i])) return false;
    }
    if (a->n == 1) {
        v[1] = v[0];
        v[0] = 0;
    }
    if (v[2] == 0) return nkx_value_error(vm, "range() arg 3 must not be zero");
    *out = nkx_range_new(vm, v[0], v[1], v[2]);
    return true;
}

static bool t_slice(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    if (a->n_kw > 0) return nkx_type_error(vm, "slice() takes no keyword arguments");
    if (!nkx_count_check(vm, "slice", a, 1, 3)) return false;
    *out = a->n == 1 ? nkx_slice_new(vm, NKX_NONE, a->at[0], NKX_NONE)
                     : nkx_slice_new(vm, a->at[0], a->at[1], a->n == 3 ? a->at[2] : NKX_NONE);
    return true;
}

static bool t_type(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    if (a->n == 3)
        return nkx_type_error(
            vm, "type() with three arguments is not supported: write a class statement");
    if (a->n != 1) return nkx_type_error(vm, "type() takes 1 or 3 arguments");
    *out = nkx_type_of(vm, a->at[0]);
    return true;
}

#define RAW(f) ((bool (*)(nkx_vm *, const nkx_value *, nkx_value *))(void (*)(void))(f))

static const nkx_builtin int_row = {"int", "x=0, /, base=None", t_int, "int(x, base=10)", 0};
static const nkx_builtin float_row = {"float", "x=0.0, /", t_float, "float(x)", 0};
static const nkx_builtin bool_row = {"bool", "x=False, /", t_bool, "bool(x)", 0};
static const nkx_builtin str_row = {"str", "object='', encoding=None, errors=None", t_str,
                                    "str(object)", 0};
static const nkx_builtin bytes_row = {"bytes", "source=(), encoding=None, errors=None", t_bytes,
                                      "bytes(source)", 0};
static const nkx_builtin list_row = {"list", "iterable=(), /", t_list, "list(iterable)", 0};
static const nkx_builtin tuple_row = {"tuple", "iterable=(), /", t_tuple, "tuple(iterable)", 0};
static const nkx_builtin dict_row = {"dict", "*args, **kwargs", t_dict,
                                     "dict(mapping or pairs, **items)", 0};
static const nkx_builtin set_row = {"set", "iterable=(), /", t_set, "set(iterable)", 0};
static const nkx_builtin range_row = {"range", "*args", RAW(t_range),
                                      "range(stop) or range(start, stop, step)", NKX_BF_RAW};
static const nkx_builtin slice_row = {"slice", "*args", RAW(t_slice),
                                      "slice(stop) or slice(start, stop, step)", NKX_BF_RAW};
static const nkx_builtin type_row = {"type", "*args", RAW(t_type), "the type of a value",
                                     NKX_BF_RAW};

const nkx_builtin *nkx_type_constructor(nkx_vtype t)
{
    switch ((int)t) {
    case NKX_V_INT: return &int_row;
    case NKX_V_FLOAT: return &float_row;
    case NKX_V_BOOL: return &bool_row;
    case NKX_V_STR: return &str_row;
    case NKX_V_BYTES: return &bytes_row;
    case NKX_V_LIST: return &list_row;
    case NKX_V_TUPLE: return &tuple_row;
    case NKX_V_DICT: return &dict_row;
    case NKX_V_SET: return &set_row;
    case NKX_V_RANGE: return &range_row;
    case NKX_V_SLICE: return &slice_row;
    case NKX_V_TYPE: return &type_row;
    case NKX_V_ARRAY: return &nkx_np_ndarray_row;
    default: return NULL;
    }
}
