/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builtin functions. Each is a row: name, signature, function. Semantics and messages are
 * CPython's; integers have 64 bits. Layer eval.
 */
#include "interp/eval/builtins.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

nkx_value nkx_kw_get(const nkx_args *a, const char *name)
{
    for (uint32_t i = 0; i < a->n_kw; i++) {
        if (strcmp(a->kw[i]->text, name) == 0) return a->at[a->n + i];
    }
    return NKX_UNSET;
}

bool nkx_kw_check(nkx_vm *vm, const char *func, const nkx_args *a, const char *const *known)
{
    for (uint32_t i = 0; i < a->n_kw; i++) {
        bool ok = false;
        for (size_t k = 0; known[k] != NULL; k++) ok = ok || strcmp(known[k], a->kw[i]->text) == 0;
        if (!ok)
            return nkx_raise(vm, NKX_E205, "TypeError",
                             "%s() got an unexpected keyword argument '%s'", func, a->kw[i]->text);
    }
    return true;
}

bool nkx_count_check(nkx_vm *vm, const char *func, const nkx_args *a, uint32_t lo, uint32_t hi)
{
    if (a->n < lo) {
        return nkx_raise(vm, NKX_E204, "TypeError", "%s expected at least %u argument%s, got %u",
                         func, lo, lo == 1 ? "" : "s", a->n);
    }
    if (a->n > hi)
        return nkx_raise(vm, NKX_E206, "TypeError", "%s expected at most %u argument%s, got %u",
                         func, hi, hi == 1 ? "" : "s", a->n);
    return true;
}

/* ---- numbers ---- */

static bool b_abs(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t i;
    bool found = false;
    if (in[0].type == NKX_V_FLOAT) return nkx_give(out, nkx_float(fabs(in[0].u.f)));
    if (nkx_is_int(in[0], &i)) {
        if (i == INT64_MIN)
            return nkx_raise(vm, NKX_E215, "OverflowError", "abs(%lld) does not fit 64 bits",
                             (long long)i);
        return nkx_give_int(out, i < 0 ? -i : i);
    }
    if (in[0].type == NKX_V_ARRAY) {
        const char *name = "__abs__";
        return nkx_call_method(vm, in[0], nkx_intern(vm, name), NULL, 0, out);
    }
    if (!nkx_call_special(vm, in[0], vm->id.d_abs, NULL, 0, out, &found)) return false;
    return found ? true
                 : nkx_type_error(vm, "bad operand type for abs(): '%s'", nkx_type_name(in[0]));
}

static bool b_divmod(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value pair[2] = {NKX_UNSET, NKX_UNSET};
    if (!nkx_binary(vm, NKX_OP_FLOORDIV, in[0], in[1], &pair[0])) return false;
    if (!nkx_binary(vm, NKX_OP_MOD, in[0], in[1], &pair[1])) {
        nkx_drop(pair[0]);
        return false;
    }
    *out = nkx_tuple_of(vm, pair, 2);
    nkx_drop(pair[0]);
    nkx_drop(pair[1]);
    return true;
}

/* a ** e mod m by squaring, in 128 bits. */
__extension__ typedef __int128 i128;

static bool b_pow(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t a, e, m;
    if (!nkx_given(in[2])) return nkx_binary(vm, NKX_OP_POW, in[0], in[1], out);
    if (!nkx_is_int(in[0], &a) || !nkx_is_int(in[1], &e) || !nkx_is_int(in[2], &m)) {
        return nkx_type_error(vm,
                              "pow() 3rd argument not allowed unless all arguments are integers");
    }
    if (m == 0) return nkx_value_error(vm, "pow() 3rd argument cannot be 0");
    if (e < 0)
        return nkx_value_error(vm, "pow() with a negative exponent and a modulus is not supported");
    i128 r = 1, b = a % m;
    for (; e > 0; e >>= 1) {
        if (e & 1) r = r * b % m;
        b = b * b % m;
    }
    r %= m;
    if (r != 0 && (r < 0) != (m < 0)) r += m;
    return nkx_give_int(out, (int64_t)r);
}

double nkx_round_digits(double v, int digits)
{
    char text[400];
    if (!isfinite(v) || digits > 300) return v;
    if (digits < -308) return copysign(0.0, v);
    if (digits >= 0) {
        snprintf(text, sizeof text, "%.*f", digits, v); /* exact decimal value, half to even */
        return strtod(text, NULL);
    }
    double p = pow(10.0, -digits), q = v / p, r = rint(q);
    return r * p;
}

static bool round_int(nkx_vm *vm, int64_t v, int64_t digits, nkx_value *out)
{
    if (digits >= 0 || v == 0) return nkx_give_int(out, v);
    if (digits < -18) return nkx_give_int(out, 0);
    int64_t p = 1;
    for (; digits < 0; digits++) p *= 10;
    int64_t r = ((v % p) + p) % p, down;
    if (__builtin_sub_overflow(v, r, &down))
        return nkx_raise(vm, NKX_E215, "OverflowError", "round() does not fit 64 bits");
    bool up = 2 * r > p || (2 * r == p && (down / p) % 2 != 0);
    if (r > p / 2 + 1) up = true;
    return nkx_give_int(out, up ? down + p : down);
}

static bool b_round(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t i, digits = 0;
    bool found = false;
    if (nkx_given(in[1]) && !nkx_as_int(vm, in[1], "ndigits", &digits)) return false;
    if (in[0].type == NKX_V_FLOAT) {
        if (nkx_given(in[1]))
            return nkx_give(
                out, nkx_float(nkx_round_digits(in[0].u.f, (int)(digits > 400    ? 400
                                                                 : digits < -400 ? -400
                                                                                 : digits))));
        return nkx_float_to_int(vm, isfinite(in[0].u.f) ? rint(in[0].u.f) : in[0].u.f, out);
    }
    if (nkx_is_int(in[0], &i)) return round_int(vm, i, digits, out);
    if (in[0].type == NKX_V_ARRAY)
        return nkx_call_method(vm, in[0], nkx_intern(vm, "__round__"),
                               nkx_given(in[1]) ? &in[1] : NULL, nkx_given(in[1]), out);
    if (!nkx_call_special(vm, in[0], vm->id.d_round, nkx_given(in[1]) ? &in[1] : NULL,
                          nkx_given(in[1]), out, &found))
        return false;
    return found ? true
                 : nkx_type_error(vm, "type %s doesn't define __round__ method",
                                  nkx_type_name(in[0]));
}

static bool based(nkx_vm *vm, nkx_value v, const char *prefix, unsigned base, nkx_value *out)
{
    int64_t i;
    char text[80];
    size_t at = sizeof text;
    if (!nkx_as_int(vm, v, "the argument", &i)) return false;
    uint64_t m = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    do {
        text[--at] = "0123456789abcdef"[m % base];
        m /= base;
    } while (m > 0);
    *out = nkx_str_printf(vm, "%s%s%.*s", i < 0 ? "-" : "", prefix, (int)(sizeof text - at),
                          text + at);
    return true;
}

static bool b_bin(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return based(vm, in[0], "0b", 2, out);
}
static bool b_oct(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return based(vm, in[0], "0o", 8, out);
}
static bool b_hex(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return based(vm, in[0], "0x", 16, out);
}

static bool b_chr(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t i;
    nkx_buf b = {0};
    if (!nkx_as_int(vm, in[0], "chr() argument", &i)) return false;
    if (i < 0 || i > 0x10ffff) return nkx_value_error(vm, "chr() arg not in range(0x110000)");
    if (i == 0) {
        *out = nkx_str_new(vm, "", 1);
        return true;
    }
    nkx_buf_utf8(&b, (uint32_t)i);
    *out = nkx_str_take(vm, &b);
    return true;
}

static bool b_ord(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    if (in[0].type == NKX_V_BYTES && nkx_text_len(in[0]) == 1)
        return nkx_give_int(out, (uint8_t)nkx_text(in[0])[0]);
    if (in[0].type != NKX_V_STR)
        return nkx_type_error(vm, "ord() expected string of length 1, but %s found",
                              nkx_type_name(in[0]));
    if (nkx_str_chars(in[0]) != 1)
        return nkx_type_error(vm, "ord() expected a character, but string of length %zu found",
                              nkx_str_chars(in[0]));
    const uint8_t *p = (const uint8_t *)nkx_text(in[0]);
    uint32_t c = p[0];
    int more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
    if (more > 0) c &= 0x3fu >> more;
    for (int k = 1; k <= more; k++) c = c << 6 | (p[k] & 0x3fu);
    return nkx_give_int(out, c);
}

/* ---- reductions over iterables ---- */

static bool truth_of_all(nkx_vm *vm, nkx_value iterable, bool stop_at, nkx_value *out)
{
    nkx_value it, x;
    if (!nkx_iter(vm, iterable, &it)) return false;
    for (;;) {
        bool t = false, ok = nkx_next(vm, it, &x);
        if (ok && x.type == NKX_V_UNSET) break;
        ok = ok && nkx_truth(vm, x, &t);
        if (ok) nkx_drop(x);
        if (!ok || t == stop_at) {
            nkx_drop(it);
            return ok && nkx_give_bool(out, stop_at);
        }
    }
    nkx_drop(it);
    return nkx_give_bool(out, !stop_at);
}

static bool b_all(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return truth_of_all(vm, in[0], false, out);
}
static bool b_any(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return truth_of_all(vm, in[0], true, out);
}

static bool b_sum(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value it, x, acc = nkx_ref(in[1]);
    if (in[1].type == NKX_V_STR) {
        nkx_drop(acc);
        return nkx_type_error(vm, "sum() can't sum strings [use ''.join(seq) instead]");
    }
    if (!nkx_iter(vm, in[0], &it)) {
        nkx_drop(acc);
        return false;
    }
    for (;;) {
        nkx_value next;
        if (!nkx_next(vm, it, &x)) break;
        if (x.type == NKX_V_UNSET) {
            nkx_drop(it);
            return nkx_give(out, acc);
        }
        bool ok = nkx_binary(vm, NKX_OP_ADD, acc, x, &next);
        nkx_drop(x);
        if (!ok) break;
        nkx_drop(acc);
        acc = next;
    }
    nkx_drop(acc);
    nkx_drop(it);
    return false;
}

/* One candidate against the best so far, through the key function. Takes x. */
static bool consider(nkx_vm *vm, nkx_value x, nkx_value key, bool want_max, nkx_value *best,
                     nkx_value *best_key)
{
    nkx_value k;
    bool better = true;
    if (key.type == NKX_V_NONE || key.type == NKX_V_UNSET) {
        k = nkx_ref(x);
    } else if (!nkx_call_n(vm, key, &x, 1, &k)) {
        nkx_drop(x);
        return false;
    }
    bool ok =
        best->type == NKX_V_UNSET || (want_max ? nkx_compare_order(vm, *best_key, k, &better)
                                               : nkx_compare_order(vm, k, *best_key, &better));
    if (ok && better) {
        nkx_drop(*best);
        nkx_drop(*best_key);
        *best = x;
        *best_key = k;
        return true;
    }
    nkx_drop(x);
    nkx_drop(k);
    return ok;
}

static bool extreme(nkx_vm *vm, const nkx_args *a, const char *name, bool want_max, nkx_value *out)
{
    static const char *const known[] = {"key", "default", NULL};
    nkx_value key = nkx_kw_get(a, "key"), dflt = nkx_kw_get(a, "default"), best = NKX_UNSET,
              best_key = NKX_UNSET;
    bool ok = true;
    if (!nkx_kw_check(vm, name, a, known)) return false;
    if (a->n == 2 && a->n_kw == 0 && a->at[0].type == NKX_V_INT &&
        a->at[1].type == NKX_V_INT) { /* by far the most frequent call */
        bool second = want_max ? a->at[1].u.i > a->at[0].u.i : a->at[1].u.i < a->at[0].u.i;
        return nkx_give(out, a->at[second]);
    }
    if (a->n == 0)
        return nkx_raise(vm, NKX_E204, "TypeError", "%s expected at least 1 argument, got 0", name);
    if (a->n > 1) {
        if (dflt.type != NKX_V_UNSET)
            return nkx_type_error(
                vm, "Cannot specify a default for %s() with multiple positional arguments", name);
        for (uint32_t i = 0; ok && i < a->n; i++)
            ok = consider(vm, nkx_ref(a->at[i]), key, want_max, &best, &best_key);
    } else {
        nkx_value it, x;
        if (!nkx_iter(vm, a->at[0], &it)) return false;
        while ((ok = nkx_next(vm, it, &x)) && x.type != NKX_V_UNSET) {
            ok = consider(vm, x, key, want_max, &best, &best_key);
            if (!ok) break;
        }
        nkx_drop(it);
    }
    nkx_drop(best_key);
    if (!ok) {
        nkx_drop(best);
        return false;
    }
    if (best.type == NKX_V_UNSET) {
        if (dflt.type == NKX_V_UNSET)
            return nkx_value_error(vm, "%s() arg is an empty sequence", name);
        best = nkx_ref(dflt);
    }
    return nkx_give(out, best);
}

static bool b_min(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    return extreme(vm, a, "min", false, out);
}
static bool b_max(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    return extreme(vm, a, "max", true, out);
}

/* ---- order ---- */

typedef struct sort_item {
    nkx_value key, value;
} sort_item;

static bool merge(nkx_vm *vm, sort_item *from, sort_item *to, uint32_t lo, uint32_t mid,
                  uint32_t hi, bool reverse)
{
    uint32_t i = lo, j = mid;
    for (uint32_t o = lo; o < hi; o++) {
        bool right = i >= mid;
        if (!right && j < hi) {
            /* take the right one only when it is strictly before: stable, also in reverse */
            if (!(reverse ? nkx_compare_order(vm, from[i].key, from[j].key, &right)
                          : nkx_compare_order(vm, from[j].key, from[i].key, &right)))
                return false;
        }
        to[o] = right ? from[j++] : from[i++];
    }
    return true;
}

bool nkx_sort_values(nkx_vm *vm, nkx_value *at, uint32_t n, nkx_value key, bool reverse)
{
    bool keyed = key.type != NKX_V_NONE && key.type != NKX_V_UNSET, ok = true;
    if (n == 0) return true;
    sort_item *items = nkx_alloc((size_t)n * sizeof *items),
              *tmp = nkx_alloc((size_t)n * sizeof *tmp), *from = items, *to = tmp;
    uint32_t made = 0;
    for (; ok && made < n; made++) {
        items[made] = (sort_item){at[made], at[made]};
        if (keyed) {
            ok = nkx_call_n(vm, key, &at[made], 1, &items[made].key);
            if (!ok) break;
        }
    }
    for (uint32_t w = 1; ok && w < n; w *= 2) {
        for (uint32_t lo = 0; ok && lo < n; lo += 2 * w) {
            uint32_t mid = n - lo > w ? lo + w : n, hi = n - lo > 2 * w ? lo + 2 * w : n;
            ok = merge(vm, from, to, lo, mid, hi, reverse);
        }
        if (ok) {
            sort_item *t = from;
            from = to;
            to = t;
        }
        if (w > n / 2) break;
    }
    for (uint32_t i = 0; i < made; i++) {
        if (ok) at[i] = from[i].value;
        if (keyed) nkx_drop(from[i].key);
    }
    free(items);
    free(tmp);
    return ok;
}

static bool b_sorted(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value list;
    bool reverse;
    if (!nkx_truth(vm, in[2], &reverse) || !nkx_list_of(vm, in[0], &list)) return false;
    nkx_list *l = NKX_AS(nkx_list, list);
    if (!nkx_sort_values(vm, l->at, l->n, in[1], reverse)) {
        nkx_drop(list);
        return false;
    }
    return nkx_give(out, list);
}

/* ---- attributes and types ---- */

static bool name_arg(nkx_vm *vm, nkx_value v, const char *func, const nkx_name **out)
{
    if (v.type != NKX_V_STR)
        return nkx_type_error(vm, "%sattribute name must be string, not '%s'", func,
                              nkx_type_name(v));
    *out = nkx_name_of(vm, v);
    return true;
}

static bool b_getattr(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    const nkx_name *name = NULL;
    if (!nkx_count_check(vm, "getattr", a, 2, 3) || !name_arg(vm, a->at[1], "", &name))
        return false;
    if (a->n == 2) return nkx_get_attr(vm, a->at[0], name, out);
    if (!nkx_find_attr(vm, a->at[0], name, out)) {
        if (!nkx_exception_is(vm, NKX_CLS_AttributeError)) return false;
        nkx_exception_clear(vm);
        out->type = NKX_V_UNSET;
    }
    return out->type != NKX_V_UNSET ? true : nkx_give(out, nkx_ref(a->at[2]));
}

static bool b_hasattr(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_name *name = NULL;
    nkx_value v = NKX_UNSET;
    if (!name_arg(vm, in[1], "", &name)) return false;
    if (!nkx_find_attr(vm, in[0], name, &v)) {
        if (!nkx_exception_is(vm, NKX_CLS_AttributeError)) return false;
        nkx_exception_clear(vm);
        return nkx_give_bool(out, false);
    }
    bool has = v.type != NKX_V_UNSET;
    nkx_drop(v);
    return nkx_give_bool(out, has);
}

static bool b_setattr(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_name *name = NULL;
    (void)out;
    return name_arg(vm, in[1], "", &name) && nkx_set_attr(vm, in[0], name, in[2]);
}

static bool b_delattr(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_name *name = NULL;
    (void)out;
    return name_arg(vm, in[1], "", &name) && nkx_del_attr(vm, in[0], name);
}

static bool b_isinstance(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    bool yes;
    return nkx_isinstance(vm, in[0], in[1], &yes) && nkx_give_bool(out, yes);
}

static bool b_issubclass(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    bool yes;
    return nkx_issubclass(vm, in[0], in[1], &yes) && nkx_give_bool(out, yes);
}

static bool b_callable(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return nkx_give_bool(out, nkx_callable(vm, in[0]));
}

static bool b_id(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give_int(out, nkx_is_counted(in[0]) ? (int64_t)(intptr_t)in[0].u.o : in[0].u.i);
}

static bool b_hash(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    uint64_t h;
    int64_t i;
    nkx_value v = in[0];
    if (v.type == NKX_V_ARRAY && NKX_AS(nkx_array_obj, v)->a->scalar) {
        const nkx_ndarray *a = NKX_AS(nkx_array_obj, v)->a;
        bool whole = nkx_dtype_is_int((nkx_dtype)a->dtype);
        v = whole ? nkx_int(nkx_nd_elem_i64((nkx_dtype)a->dtype, a->at))
                  : nkx_float(nkx_nd_elem_f64((nkx_dtype)a->dtype, a->at));
    }
    if (v.type == NKX_V_FLOAT && v.u.f == floor(v.u.f) && fabs(v.u.f) < 9e18)
        v = nkx_int((int64_t)v.u.f);
    if (v.type == NKX_V_INSTANCE) { /* the program's own number */
        nkx_value r;
        bool found;
        if (!nkx_call_special(vm, v, vm->id.d_hash, NULL, 0, &r, &found)) return false;
        if (found) {
            bool ok = nkx_as_int(vm, r, "the result of __hash__", &i);
            nkx_drop(r);
            return ok && nkx_give_int(out, i == -1 ? -2 : i);
        }
    }
    if (nkx_is_int(v, &i)) { /* as CPython: modulo 2**61 - 1 */
        const int64_t p = ((int64_t)1 << 61) - 1;
        i %= p;
        return nkx_give_int(out, i == -1 ? -2 : i);
    }
    return nkx_hash(vm, in[0], &h) && nkx_give_int(out, (int64_t)(h >> 1));
}

static bool b_vars(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    if (!nkx_given(in[0])) return nkx_type_error(vm, "vars() without an argument is not supported");
    return nkx_get_attr(vm, in[0], vm->id.d_dict, out);
}

/* ---- text ---- */

static bool b_repr(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_buf b = {0};
    bool ok = nkx_repr(vm, in[0], &b);
    if (ok) *out = nkx_str_take(vm, &b);
    nkx_buf_fini(&b);
    return ok;
}

static bool b_ascii(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_buf b = {0}, plain = {0};
    bool ok = nkx_repr(vm, in[0], &b);
    for (size_t i = 0; ok && i < b.len; i++) {
        uint8_t c = (uint8_t)b.at[i];
        uint32_t u = c;
        int more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
        if (more > 0) u &= 0x3fu >> more;
        for (int k = 0; k < more && i + 1 < b.len; k++) u = u << 6 | ((uint8_t)b.at[++i] & 0x3fu);
        if (u < 0x80) {
            nkx_buf_char(&plain, (char)u);
        } else {
            nkx_buf_printf(&plain, u < 0x100 ? "\\x%02x" : u < 0x10000 ? "\\u%04x" : "\\U%08x", u);
        }
    }
    if (ok) *out = nkx_str_take(vm, &plain);
    nkx_buf_fini(&b);
    nkx_buf_fini(&plain);
    return ok;
}

static bool b_format(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_buf b = {0};
    if (in[1].type != NKX_V_STR)
        return nkx_type_error(vm, "format() argument 2 must be str, not %s", nkx_type_name(in[1]));
    bool ok = nkx_format_value(vm, in[0], nkx_text(in[1]), nkx_text_len(in[1]), &b);
    if (ok) *out = nkx_str_take(vm, &b);
    nkx_buf_fini(&b);
    return ok;
}

/* Which stream a file= argument means: sys.stderr is told by its name. */
static int stream_of(nkx_vm *vm, nkx_value file)
{
    nkx_value name = NKX_UNSET;
    bool err = false;
    if (file.type == NKX_V_NATIVE && nkx_find_attr(vm, file, nkx_intern(vm, "name"), &name) &&
        name.type == NKX_V_STR)
        err = nkx_str_is(name, "<stderr>");
    nkx_drop(name);
    return err ? 2 : 1;
}

static bool b_print(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_tuple *args = NKX_AS(nkx_tuple, in[0]);
    nkx_buf b = {0};
    (void)out;
    for (int k = 1; k <= 2; k++) {
        if (in[k].type != NKX_V_STR && in[k].type != NKX_V_NONE)
            return nkx_type_error(vm, "%s must be None or a string, not %s", k == 1 ? "sep" : "end",
                                  nkx_type_name(in[k]));
    }
    for (uint32_t i = 0; i < args->n; i++) {
        if (i > 0) {
            if (in[1].type == NKX_V_STR)
                nkx_buf_add(&b, nkx_text(in[1]), nkx_text_len(in[1]));
            else
                nkx_buf_char(&b, ' ');
        }
        if (!nkx_str_of(vm, args->at[i], &b)) {
            nkx_buf_fini(&b);
            return false;
        }
    }
    if (in[2].type == NKX_V_STR)
        nkx_buf_add(&b, nkx_text(in[2]), nkx_text_len(in[2]));
    else
        nkx_buf_char(&b, '\n');
    bool own = in[3].type == NKX_V_NATIVE || !nkx_given(in[3]);
    bool ok = true;
    if (own) {
        if (b.len > 0) nkx_vm_write(vm, stream_of(vm, in[3]), b.at, b.len);
    } else { /* an object of the program's own with a write method */
        nkx_value text = nkx_str_new(vm, b.at != NULL ? b.at : "", b.len), r;
        ok = nkx_call_method(vm, in[3], nkx_intern(vm, "write"), &text, 1, &r);
        if (ok) nkx_drop(r);
        nkx_drop(text);
    }
    nkx_buf_fini(&b);
    return ok;
}

static bool refuse_input(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)in;
    (void)out;
    nkx_raise(vm, NKX_E260, "RuntimeError",
              "input() is not available: programs run without a terminal");
    nkx_raise_hint(vm, "Pass values as NAME=VALUE on the command line, or set them in the file.");
    return false;
}

static bool refuse_open(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)in;
    (void)out;
    nkx_raise(vm, NKX_E260, "RuntimeError",
              "open() is not available: programs do not read or write files of their own");
    nkx_raise_hint(vm, "Arrays are read with np.load and written with np.save, or given as "
                       "NAME=@file.npy on the command line.");
    return false;
}

/* ---- sequences and iterators ---- */

static bool b_len(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t n;
    return nkx_len(vm, in[0], &n) && nkx_give_int(out, n);
}

#define RAW(f) ((bool (*)(nkx_vm *, const nkx_value *, nkx_value *))(void (*)(void))(f))

const nkx_builtin nkx_builtins[] = {
    {"abs",        "x, /",                                               b_abs,           "abs(x): the absolute value",                         0         },
    {"all",        "iterable, /",                                        b_all,           "all(iterable): True if no item is false",            0         },
    {"any",        "iterable, /",                                        b_any,           "any(iterable): True if an item is true",             0         },
    {"ascii",      "obj, /",                                             b_ascii,         "repr() with everything beyond ASCII escaped",        0         },
    {"bin",        "number, /",                                          b_bin,           "bin(5): '0b101'",                                    0         },
    {"callable",   "obj, /",                                             b_callable,      "can it be called?",                                  0         },
    {"chr",        "i, /",                                               b_chr,           "the character of a code point",                      0         },
    {"delattr",    "obj, name, /",                                       b_delattr,       "removes an attribute",                               0         },
    {"divmod",     "x, y, /",                                            b_divmod,        "(x // y, x % y)",                                    0         },
    {"enumerate",  "iterable, start=0",                                  nkx_b_enumerate, "pairs of number and item",                           0         },
    {"filter",     "function, iterable, /",                              nkx_b_filter,    "the items for which function is true",               0         },
    {"format",     "value, spec='', /",                                  b_format,        "value as text by a format spec",                     0         },
    {"getattr",    "obj, name, default",                                 RAW(b_getattr),  "getattr(obj, name[, default])",                      NKX_BF_RAW},
    {"hasattr",    "obj, name, /",                                       b_hasattr,       "is there an attribute of that name?",                0         },
    {"hash",       "obj, /",                                             b_hash,          "hash of a value",                                    0         },
    {"hex",        "number, /",                                          b_hex,           "hex(255): '0xff'",                                   0         },
    {"id",         "obj, /",                                             b_id,            "a number that is the object's alone while it lives", 0         },
    {"input",      "prompt='', /",                                       refuse_input,    "not available",                                      0         },
    {"isinstance", "obj, class_or_tuple, /",                             b_isinstance,    "is obj of that class?",                              0         },
    {"issubclass", "cls, class_or_tuple, /",                             b_issubclass,    "does cls derive from it?",                           0         },
    {"iter",       "obj, sentinel",                                      RAW(nkx_b_iter), "an iterator over obj",                               NKX_BF_RAW},
    {"len",        "obj, /",                                             b_len,           "number of items",                                    0         },
    {"map",        "function, /, *iterables",                            nkx_b_map,       "function of each item",                              0         },
    {"max",        "*args",                                              RAW(b_max),      "max(a, b, ...) or max(iterable, key=, default=)",    NKX_BF_RAW},
    {"min",        "*args",                                              RAW(b_min),      "min(a, b, ...) or min(iterable, key=, default=)",    NKX_BF_RAW},
    {"next",       "iterator, default",                                  RAW(nkx_b_next), "the next item of an iterator",                       NKX_BF_RAW},
    {"oct",        "number, /",                                          b_oct,           "oct(8): '0o10'",                                     0         },
    {"open",       "*args, **kwargs",                                    refuse_open,     "not available",                                      0         },
    {"ord",        "c, /",                                               b_ord,           "the code point of a character",                      0         },
    {"pow",        "base, exp, mod=None",                                b_pow,           "base ** exp, or modulo mod",                         0         },
    {"print",      "*values, sep=' ', end='\n', file=None, flush=False", b_print,
     "writes values as text",                                                                                                                   0         },
    {"repr",       "obj, /",                                             b_repr,          "the value as Python source would write it",          0         },
    {"reversed",   "sequence, /",                                        nkx_b_reversed,  "the items from the end",                             0         },
    {"round",      "number, ndigits=None",                               b_round,         "rounded half to even",                               0         },
    {"setattr",    "obj, name, value, /",                                b_setattr,       "sets an attribute",                                  0         },
    {"sorted",     "iterable, /, *, key=None, reverse=False",            b_sorted,        "a new sorted list; stable",                          0         },
    {"sum",        "iterable, /, start=0",                               b_sum,           "start plus all items",                               0         },
    {"vars",       "obj=None, /",                                        b_vars,          "the attributes of an object as a dict",              0         },
    {"zip",        "*iterables, strict=False",                           nkx_b_zip,       "tuples of items side by side",                       0         },
    {NULL,         NULL,                                                 NULL,            NULL,                                                 0         },
};
