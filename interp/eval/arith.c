/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arithmetic operators. Integers have 64 bits and overflow is an error; floor division and
 * modulo take the sign of the divisor. Sequences add and repeat; user classes answer by their
 * methods. Layer eval.
 */
#include "interp/eval/objects.h"

#include <math.h>
#include <string.h>

static const char *op_text(int op)
{
    return nkx_op_text((nkx_ast_op)op);
}

static bool unsupported(nkx_vm *vm, int op, nkx_value a, nkx_value b)
{
    if (op == NKX_OP_ADD &&
        (a.type == NKX_V_STR || a.type == NKX_V_LIST || a.type == NKX_V_TUPLE)) {
        return nkx_raise(vm, NKX_E209, "TypeError", "can only concatenate %s (not \"%s\") to %s",
                         nkx_type_name(a), nkx_type_name(b), nkx_type_name(a));
    }
    bool repeats = op == NKX_OP_MULT && (a.type == NKX_V_STR || a.type == NKX_V_LIST ||
                                         a.type == NKX_V_TUPLE || a.type == NKX_V_BYTES);
    if (repeats) {
        return nkx_raise(vm, NKX_E209, "TypeError",
                         "can't multiply sequence by non-int of type '%s'", nkx_type_name(b));
    }
    return nkx_raise(vm, NKX_E209, "TypeError",
                     "unsupported operand type(s) for %s%s: '%s' and '%s'", op_text(op),
                     op == NKX_OP_POW ? " or pow()" : "", nkx_type_name(a), nkx_type_name(b));
}

static bool overflow(nkx_vm *vm, int op, int64_t a, int64_t b)
{
    nkx_raise(vm, NKX_E215, "OverflowError", "%lld %s %lld does not fit in 64 bits", (long long)a,
              op_text(op), (long long)b);
    nkx_wide_attach(vm, op, a, b);
    return false;
}

static bool zero_division(nkx_vm *vm, int op, bool floats)
{
    const char *what = floats ? "float" : "integer";
    if (op == NKX_OP_DIV) {
        return nkx_raise(vm, NKX_E214, "ZeroDivisionError", "%s",
                         floats ? "float division by zero" : "division by zero");
    }
    if (op == NKX_OP_FLOORDIV) {
        return nkx_raise(vm, NKX_E214, "ZeroDivisionError", "%s",
                         floats ? "float floor division by zero"
                                : "integer division or modulo by zero");
    }
    return nkx_raise(vm, NKX_E214, "ZeroDivisionError", floats ? "%s modulo" : "%s modulo by zero",
                     what);
}

/* ---- numbers ---- */

static bool int_pow(nkx_vm *vm, int64_t a, int64_t b, nkx_value *out)
{
    if (b < 0) {
        if (a == 0) {
            return nkx_raise(vm, NKX_E214, "ZeroDivisionError",
                             "0.0 cannot be raised to a negative power");
        }
        *out = nkx_float(pow((double)a, (double)b));
        return true;
    }
    int64_t r = 1, base = a;
    for (int64_t n = b; n > 0; n >>= 1) {
        if ((n & 1) && !nkx_mul_i64(r, base, &r)) return overflow(vm, NKX_OP_POW, a, b);
        if (n > 1 && !nkx_mul_i64(base, base, &base)) {
            return overflow(vm, NKX_OP_POW, a, b);
        }
    }
    *out = nkx_int(r);
    return true;
}

static bool int_shift(nkx_vm *vm, int op, int64_t a, int64_t b, nkx_value *out)
{
    if (b < 0) return nkx_raise(vm, NKX_E211, "ValueError", "negative shift count");
    if (op == NKX_OP_RSHIFT) {
        *out = nkx_int(b > 63 ? (a < 0 ? -1 : 0) : a >> b);
        return true;
    }
    int64_t r = 0;
    if (a != 0 && (b > 62 || !nkx_mul_i64(a, (int64_t)1 << b, &r))) return overflow(vm, op, a, b);
    *out = nkx_int(r);
    return true;
}

static bool int_divide(nkx_vm *vm, int op, int64_t a, int64_t b, nkx_value *out)
{
    if (b == 0) return zero_division(vm, op, false);
    if (a == INT64_MIN && b == -1) {
        if (op == NKX_OP_FLOORDIV) return overflow(vm, op, a, b);
        *out = nkx_int(0);
        return true;
    }
    int64_t q = a / b, r = a % b;
    if (r != 0 && (r < 0) != (b < 0)) {
        q--;
        r += b;
    }
    *out = nkx_int(op == NKX_OP_FLOORDIV ? q : r);
    return true;
}

static bool int_binary(nkx_vm *vm, int op, int64_t a, int64_t b, nkx_value *out)
{
    int64_t r = 0;
    bool fits = true;
    switch (op) {
    case NKX_OP_ADD: fits = nkx_add_i64(a, b, &r); break;
    case NKX_OP_SUB: fits = !__builtin_sub_overflow(a, b, &r); break;
    case NKX_OP_MULT: fits = nkx_mul_i64(a, b, &r); break;
    case NKX_OP_DIV:
        if (b == 0) return zero_division(vm, op, false);
        *out = nkx_float((double)((long double)a / (long double)b));
        return true;
    case NKX_OP_FLOORDIV:
    case NKX_OP_MOD: return int_divide(vm, op, a, b, out);
    case NKX_OP_POW: return int_pow(vm, a, b, out);
    case NKX_OP_LSHIFT:
    case NKX_OP_RSHIFT: return int_shift(vm, op, a, b, out);
    case NKX_OP_BITAND: r = a & b; break;
    case NKX_OP_BITOR: r = a | b; break;
    case NKX_OP_BITXOR: r = a ^ b; break;
    default: return unsupported(vm, op, nkx_int(a), nkx_int(b));
    }
    if (!fits) return overflow(vm, op, a, b);
    *out = nkx_int(r);
    return true;
}

/* Quotient and remainder as Python defines them on floats. */
static void float_divmod(double a, double b, double *div, double *mod)
{
    double m = fmod(a, b), d = (a - m) / b;
    if (m != 0) {
        if ((b < 0) != (m < 0)) {
            m += b;
            d -= 1;
        }
    } else {
        m = copysign(0.0, b);
    }
    if (d != 0) {
        double f = floor(d);
        if (d - f > 0.5) f += 1;
        d = f;
    } else {
        d = copysign(0.0, a / b);
    }
    *div = d;
    *mod = m;
}

static bool float_pow(nkx_vm *vm, double a, double b, nkx_value *out)
{
    if (a == 0 && b < 0) {
        return nkx_raise(vm, NKX_E214, "ZeroDivisionError",
                         "0.0 cannot be raised to a negative power");
    }
    if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b)) {
        return nkx_raise(vm, NKX_E211, "ValueError",
                         "a negative number to a fractional power is complex");
    }
    double r = pow(a, b);
    if (isinf(r) && isfinite(a) && isfinite(b)) {
        return nkx_raise(vm, NKX_E215, "OverflowError", "%g ** %g is too large for a float", a, b);
    }
    *out = nkx_float(r);
    return true;
}

static bool float_binary(nkx_vm *vm, int op, double a, double b, nkx_value *out)
{
    double div, mod;
    switch (op) {
    case NKX_OP_ADD: *out = nkx_float(a + b); return true;
    case NKX_OP_SUB: *out = nkx_float(a - b); return true;
    case NKX_OP_MULT: *out = nkx_float(a * b); return true;
    case NKX_OP_DIV:
        if (b == 0) return zero_division(vm, op, true);
        *out = nkx_float(a / b);
        return true;
    case NKX_OP_FLOORDIV:
    case NKX_OP_MOD:
        if (b == 0) return zero_division(vm, op, true);
        float_divmod(a, b, &div, &mod);
        *out = nkx_float(op == NKX_OP_MOD ? mod : div);
        return true;
    case NKX_OP_POW: return float_pow(vm, a, b, out);
    default: return unsupported(vm, op, nkx_float(a), nkx_float(b));
    }
}

/* ---- sequences and sets ---- */

static bool repeat_text(nkx_vm *vm, nkx_value s, int64_t times, nkx_value *out)
{
    uint32_t len = nkx_text_len(s);
    int64_t total;
    if (times < 0) times = 0;
    if (!nkx_mul_i64(len, times, &total) || total > 1 << 30) {
        return nkx_raise(vm, NKX_E250, "MemoryError", "a string of %u bytes %lld times is too long",
                         len, (long long)times);
    }
    if (!nkx_reserve(vm, (uint64_t)total)) return false;
    nkx_buf b = {0};
    for (int64_t i = 0; i < times; i++) nkx_buf_add(&b, nkx_text(s), len);
    *out = s.type == NKX_V_STR ? nkx_str_take(vm, &b)
                               : nkx_bytes_new(vm, b.at == NULL ? "" : b.at, b.len);
    nkx_buf_fini(&b);
    return true;
}

static bool items_of(nkx_value v, const nkx_value **at, uint32_t *n)
{
    if (v.type == NKX_V_TUPLE) {
        *at = NKX_AS(nkx_tuple, v)->at;
        *n = NKX_AS(nkx_tuple, v)->n;
        return true;
    }
    if (v.type == NKX_V_LIST) {
        *at = NKX_AS(nkx_list, v)->at;
        *n = NKX_AS(nkx_list, v)->n;
        return true;
    }
    return false;
}

/* A tuple or list of n unset items, and where they stand. */
static nkx_value *new_items(nkx_vm *vm, uint8_t type, uint32_t n, nkx_value *out)
{
    if (type == NKX_V_TUPLE) {
        *out = nkx_tuple_new(vm, n);
        return NKX_AS(nkx_tuple, *out)->at;
    }
    *out = nkx_list_new(vm, n);
    NKX_AS(nkx_list, *out)->n = n;
    return NKX_AS(nkx_list, *out)->at;
}

static bool repeat_items(nkx_vm *vm, nkx_value v, int64_t times, nkx_value *out)
{
    const nkx_value *at = NULL;
    uint32_t n = 0;
    int64_t total;
    items_of(v, &at, &n);
    if (times < 0) times = 0;
    if (!nkx_mul_i64(n, times, &total) || total > 1 << 28) {
        return nkx_raise(vm, NKX_E250, "MemoryError", "a %s of %u items %lld times is too long",
                         nkx_type_name(v), n, (long long)times);
    }
    if (!nkx_reserve(vm, (uint64_t)total * sizeof(nkx_value))) return false;
    nkx_value *to = new_items(vm, v.type, (uint32_t)total, out);
    for (int64_t i = 0; i < total; i++) to[i] = nkx_ref(at[i % n]);
    return true;
}

static bool concat_items(nkx_vm *vm, nkx_value a, nkx_value b, nkx_value *out)
{
    const nkx_value *x = NULL, *y = NULL;
    uint32_t n = 0, m = 0;
    items_of(a, &x, &n);
    items_of(b, &y, &m);
    if (!nkx_reserve(vm, ((uint64_t)n + m) * sizeof(nkx_value))) return false;
    nkx_value *to = new_items(vm, a.type, n + m, out);
    for (uint32_t i = 0; i < n; i++) to[i] = nkx_ref(x[i]);
    for (uint32_t i = 0; i < m; i++) to[n + i] = nkx_ref(y[i]);
    return true;
}

static bool concat_text(nkx_vm *vm, nkx_value a, nkx_value b, nkx_value *out)
{
    uint64_t len = (uint64_t)nkx_text_len(a) + nkx_text_len(b);
    if (len > 1 << 30) return nkx_raise(vm, NKX_E250, "MemoryError", "the string is too long");
    if (!nkx_reserve(vm, len)) return false;
    nkx_buf buf = {0};
    nkx_buf_add(&buf, nkx_text(a), nkx_text_len(a));
    nkx_buf_add(&buf, nkx_text(b), nkx_text_len(b));
    *out = a.type == NKX_V_STR ? nkx_str_new(vm, buf.at == NULL ? "" : buf.at, buf.len)
                               : nkx_bytes_new(vm, buf.at == NULL ? "" : buf.at, buf.len);
    nkx_buf_fini(&buf);
    return true;
}

/* Adds the items of `from` whose presence in `in` is `present` to the set. */
static bool add_where(nkx_vm *vm, nkx_value set, nkx_value from, nkx_value in, bool present)
{
    nkx_value key, found;
    for (uint32_t i = 0; nkx_dict_next(from, &i, &key, NULL);) {
        if (!nkx_dict_get(vm, in, key, &found)) return false;
        if ((found.type != NKX_V_UNSET) == present && !nkx_set_add(vm, set, key)) return false;
    }
    return true;
}

static bool set_binary(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    nkx_value s = nkx_set_new(vm);
    bool ok = true;
    switch (op) {
    case NKX_OP_BITOR: ok = nkx_dict_copy_into(vm, s, a) && nkx_dict_copy_into(vm, s, b); break;
    case NKX_OP_BITAND: ok = add_where(vm, s, a, b, true); break;
    case NKX_OP_SUB: ok = add_where(vm, s, a, b, false); break;
    case NKX_OP_BITXOR: ok = add_where(vm, s, a, b, false) && add_where(vm, s, b, a, false); break;
    default: ok = unsupported(vm, op, a, b); break;
    }
    if (!ok) {
        nkx_drop(s);
        return false;
    }
    s.u.o->flags |= a.u.o->flags & NKX_OF_FROZEN;
    *out = s;
    return true;
}

/* Keys and items of dicts take part in set operations. */
static bool as_set(nkx_vm *vm, nkx_value v, nkx_value *out)
{
    if (v.type == NKX_V_SET) {
        *out = nkx_ref(v);
        return true;
    }
    nkx_value it, item;
    nkx_value s = nkx_set_new(vm);
    if (!nkx_iter(vm, v, &it)) {
        nkx_drop(s);
        return false;
    }
    bool ok;
    while ((ok = nkx_next(vm, it, &item)) && item.type != NKX_V_UNSET) {
        ok = nkx_set_add(vm, s, item);
        nkx_drop(item);
        if (!ok) break;
    }
    nkx_drop(it);
    *out = s;
    if (!ok) nkx_drop(s);
    return ok;
}

static bool view_binary(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    nkx_value x, y;
    if (!as_set(vm, a, &x)) return false;
    if (!as_set(vm, b, &y)) {
        nkx_drop(x);
        return false;
    }
    bool ok = set_binary(vm, op, x, y, out);
    nkx_drop(x);
    nkx_drop(y);
    return ok;
}

static bool merge_dicts(nkx_vm *vm, nkx_value a, nkx_value b, nkx_value *out)
{
    *out = nkx_dict_new(vm);
    if (nkx_dict_copy_into(vm, *out, a) && nkx_dict_copy_into(vm, *out, b)) return true;
    nkx_drop(*out);
    return false;
}

static bool is_sequence(nkx_value v)
{
    return v.type == NKX_V_STR || v.type == NKX_V_BYTES || v.type == NKX_V_LIST ||
           v.type == NKX_V_TUPLE;
}

static bool repeat(nkx_vm *vm, nkx_value v, int64_t times, nkx_value *out)
{
    if (v.type == NKX_V_STR || v.type == NKX_V_BYTES) return repeat_text(vm, v, times, out);
    return repeat_items(vm, v, times, out);
}

static bool object_binary(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    int64_t times;
    if (op == NKX_OP_MOD && a.type == NKX_V_STR) return nkx_str_percent(vm, a, b, out);
    if (op == NKX_OP_MULT && is_sequence(a) && nkx_is_int(b, &times)) {
        return repeat(vm, a, times, out);
    }
    if (op == NKX_OP_MULT && is_sequence(b) && nkx_is_int(a, &times)) {
        return repeat(vm, b, times, out);
    }
    if (a.type != b.type) {
        bool views = a.type == NKX_V_DICTVIEW || b.type == NKX_V_DICTVIEW;
        return views ? view_binary(vm, op, a, b, out) : unsupported(vm, op, a, b);
    }
    if (op == NKX_OP_ADD && (a.type == NKX_V_STR || a.type == NKX_V_BYTES)) {
        return concat_text(vm, a, b, out);
    }
    if (op == NKX_OP_ADD && is_sequence(a)) return concat_items(vm, a, b, out);
    if (a.type == NKX_V_SET) return set_binary(vm, op, a, b, out);
    if (a.type == NKX_V_DICTVIEW) return view_binary(vm, op, a, b, out);
    if (a.type == NKX_V_DICT && op == NKX_OP_BITOR) return merge_dicts(vm, a, b, out);
    return unsupported(vm, op, a, b);
}

/* ---- user classes ---- */

/* `X | None` between types is a union: the tuple that isinstance takes. */
static bool is_type_like(nkx_value v)
{
    if (v.type == NKX_V_TUPLE) { /* a union made so far */
        const nkx_tuple *t = NKX_AS(nkx_tuple, v);
        for (uint32_t i = 0; i < t->n; i++) {
            if (!is_type_like(t->at[i])) return false;
        }
        return t->n > 0;
    }
    return v.type == NKX_V_TYPE || v.type == NKX_V_CLASS || v.type == NKX_V_NONE ||
           v.type == NKX_V_NATIVE || v.type == NKX_V_DTYPE;
}

static nkx_value union_of(nkx_vm *vm, nkx_value a, nkx_value b)
{
    nkx_value l = nkx_list_new(vm, 2);
    for (int k = 0; k < 2; k++) {
        nkx_value v = k == 0 ? a : b;
        if (v.type == NKX_V_TUPLE) {
            for (uint32_t i = 0; i < NKX_AS(nkx_tuple, v)->n; i++)
                nkx_list_append(l, NKX_AS(nkx_tuple, v)->at[i]);
        } else {
            nkx_list_append(l, v);
        }
    }
    nkx_value t = nkx_tuple_of(vm, NKX_AS(nkx_list, l)->at, NKX_AS(nkx_list, l)->n);
    nkx_drop(l);
    return t;
}

/* The class of the result when flags are joined: two of one class, or an IntFlag and a number. */
static nkx_class *flag_class(nkx_value a, nkx_value b, int64_t *i, int64_t *j)
{
    const nkx_class *x = NULL, *y = NULL;
    bool fa = nkx_flag_bits(a, &x, i), fb = nkx_flag_bits(b, &y, j);
    if (fa && fb) return x == y ? NKX_AS(nkx_instance, a)->cls : NULL;
    if (fa && (x->flags & NKX_CF_INTENUM) && nkx_is_int(b, j)) return NKX_AS(nkx_instance, a)->cls;
    if (fb && (y->flags & NKX_CF_INTENUM) && nkx_is_int(a, i)) return NKX_AS(nkx_instance, b)->cls;
    return NULL;
}

/* A member of an enum of strings is that string. Borrowed. */
static nkx_value plain_of(const nkx_vm *vm, nkx_value v)
{
    if (v.type != NKX_V_INSTANCE || !(NKX_AS(nkx_instance, v)->cls->flags & NKX_CF_STRENUM))
        return v;
    return nkx_attrs_get(&NKX_AS(nkx_instance, v)->attrs, vm->id.underscore_value);
}

/* A NamedTuple is a tuple. */
static bool tuple_binary(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    nkx_value t = nkx_fields_tuple(vm, a);
    bool named =
        b.type == NKX_V_INSTANCE && (NKX_AS(nkx_instance, b)->cls->flags & NKX_CF_NAMEDTUPLE);
    nkx_value u = named ? nkx_fields_tuple(vm, b) : nkx_ref(b);
    bool ok = nkx_binary(vm, op, t, u, out);
    nkx_drop(t);
    nkx_drop(u);
    return ok;
}

static bool instance_binary(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    bool found = false;
    bool swap = a.type == NKX_V_INSTANCE && b.type == NKX_V_INSTANCE &&
                NKX_AS(nkx_instance, a)->cls != NKX_AS(nkx_instance, b)->cls &&
                nkx_class_is(NKX_AS(nkx_instance, b)->cls, NKX_AS(nkx_instance, a)->cls);
    for (int turn = 0; turn < 2; turn++) {
        bool right = (turn == 1) != swap; /* a derived class on the right goes first */
        nkx_value self = right ? b : a, other = right ? a : b;
        if (self.type != NKX_V_INSTANCE) continue;
        const nkx_name *name = right ? vm->id.reflected[op] : vm->id.binary[op];
        if (!nkx_call_special(vm, self, name, &other, 1, out, &found)) return false;
        if (found && out->type != NKX_V_NOT_IMPLEMENTED) return true;
    }
    int64_t i, j;
    nkx_class *flags = op >= NKX_OP_BITOR && op <= NKX_OP_BITAND ? flag_class(a, b, &i, &j) : NULL;
    if (flags != NULL) {
        i = op == NKX_OP_BITOR ? i | j : op == NKX_OP_BITXOR ? i ^ j : i & j;
        return nkx_flag_member(vm, flags, i, out);
    }
    if (nkx_is_int(a, &i) && nkx_is_int(b, &j)) return int_binary(vm, op, i, j, out);
    double x, y;
    if (nkx_is_number(a, &x) && nkx_is_number(b, &y)) return float_binary(vm, op, x, y, out);
    nkx_value plain_a = plain_of(vm, a), plain_b = plain_of(vm, b);
    if (plain_a.type != NKX_V_INSTANCE && plain_b.type != NKX_V_INSTANCE)
        return nkx_binary(vm, op, plain_a, plain_b, out);
    if (a.type == NKX_V_INSTANCE && (NKX_AS(nkx_instance, a)->cls->flags & NKX_CF_NAMEDTUPLE))
        return tuple_binary(vm, op, a, b, out);
    return unsupported(vm, op, a, b);
}

/* Annotations may join it to other types; it has no value to compute with. */
static bool placeholder_binary(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    if (op != NKX_OP_BITOR || !is_type_like(a) || !is_type_like(b))
        return nkx_placeholder_used(vm, nkx_is_placeholder(a) ? a : b);
    *out = union_of(vm, a, b);
    return true;
}

bool nkx_binary(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    int64_t i, j;
    double x, y;
    *out = NKX_UNSET;
    if (a.type == NKX_V_FLOAT && b.type == NKX_V_FLOAT)
        return float_binary(vm, op, a.u.f, b.u.f, out);
    if (a.type == NKX_V_INSTANCE || b.type == NKX_V_INSTANCE) {
        return instance_binary(vm, op, a, b, out);
    }
    if (nkx_is_int(a, &i) && nkx_is_int(b, &j)) {
        bool bools = a.type == NKX_V_BOOL && b.type == NKX_V_BOOL;
        if (!int_binary(vm, op, i, j, out)) return false;
        if (bools && op >= NKX_OP_BITOR && op <= NKX_OP_BITAND) *out = nkx_bool(out->u.i != 0);
        return true;
    }
    if (nkx_is_number(a, &x) && nkx_is_number(b, &y)) {
        bool bits = op >= NKX_OP_BITOR && op <= NKX_OP_BITAND;
        if (bits || op == NKX_OP_LSHIFT || op == NKX_OP_RSHIFT) return unsupported(vm, op, a, b);
        return float_binary(vm, op, x, y, out);
    }
    if (nkx_is_placeholder(a) || nkx_is_placeholder(b))
        return placeholder_binary(vm, op, a, b, out);
    if (a.type == NKX_V_ARRAY || b.type == NKX_V_ARRAY) return nkx_array_binary(vm, op, a, b, out);
    if (a.type == NKX_V_REGISTER || b.type == NKX_V_REGISTER) {
        return nkx_register_binary(vm, op, a, b, out);
    }
    if (a.type == NKX_V_TENSOR || b.type == NKX_V_TENSOR) {
        return nkx_tensor_binary(vm, op, a, b, false, out);
    }
    if (op == NKX_OP_BITOR && is_type_like(a) && is_type_like(b)) {
        *out = union_of(vm, a, b);
        return true;
    }
    return object_binary(vm, op, a, b, out);
}

/* `a op= b`: lists and sets change in place, user classes by __iadd__ and its like. */
bool nkx_binary_inplace(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    *out = NKX_UNSET;
    if (a.type == NKX_V_LIST && op == NKX_OP_ADD) {
        if (!nkx_list_extend(vm, a, b)) return false;
        *out = nkx_ref(a);
        return true;
    }
    if ((a.type == NKX_V_DICT || a.type == NKX_V_SET) && b.type == a.type && op == NKX_OP_BITOR &&
        (a.u.o->flags & NKX_OF_FROZEN) == 0) {
        if (!nkx_dict_copy_into(vm, a, b)) return false;
        *out = nkx_ref(a);
        return true;
    }
    if (a.type == NKX_V_ARRAY) return nkx_array_inplace(vm, op, a, b, out);
    if (a.type == NKX_V_TENSOR) return nkx_tensor_binary(vm, op, a, b, true, out);
    if (a.type == NKX_V_INSTANCE) {
        bool found;
        if (!nkx_call_special(vm, a, vm->id.inplace[op], &b, 1, out, &found)) return false;
        if (found && out->type != NKX_V_NOT_IMPLEMENTED) return true;
    }
    return nkx_binary(vm, op, a, b, out);
}

static bool bad_unary(nkx_vm *vm, int op, nkx_value a)
{
    return nkx_raise(vm, NKX_E209, "TypeError", "bad operand type for unary %s: '%s'", op_text(op),
                     nkx_type_name(a));
}

static bool int_unary(nkx_vm *vm, int op, int64_t i, nkx_value *out)
{
    if (op == NKX_OP_USUB) {
        if (i == INT64_MIN) return overflow(vm, NKX_OP_SUB, 0, i);
        *out = nkx_int(-i);
    } else {
        *out = nkx_int(op == NKX_OP_INVERT ? ~i : i);
    }
    return true;
}

bool nkx_unary(nkx_vm *vm, int op, nkx_value a, nkx_value *out)
{
    int64_t i;
    bool b;
    *out = NKX_UNSET;
    if (op == NKX_OP_NOT) {
        if (!nkx_truth(vm, a, &b)) return false;
        *out = nkx_bool(!b);
        return true;
    }
    if (a.type == NKX_V_INSTANCE) {
        bool found;
        const nkx_name *name = op == NKX_OP_USUB   ? vm->id.d_neg
                               : op == NKX_OP_UADD ? vm->id.d_pos
                                                   : vm->id.d_invert;
        if (!nkx_call_special(vm, a, name, NULL, 0, out, &found)) return false;
        if (found) return true;
        const nkx_class *c;
        if (op == NKX_OP_INVERT && nkx_flag_bits(a, &c, &i))
            return nkx_flag_member(vm, NKX_AS(nkx_instance, a)->cls, nkx_flag_all(vm, c) & ~i, out);
    }
    if (nkx_is_int(a, &i)) return int_unary(vm, op, i, out);
    if (a.type == NKX_V_FLOAT && op != NKX_OP_INVERT) {
        *out = nkx_float(op == NKX_OP_USUB ? -a.u.f : a.u.f);
        return true;
    }
    if (a.type == NKX_V_ARRAY) return nkx_array_unary(vm, op, a, out);
    if (a.type == NKX_V_TENSOR) return nkx_tensor_unary(vm, op, a, out);
    if (a.type == NKX_V_REGISTER) return nkx_register_binary(vm, op, a, NKX_UNSET, out);
    if (nkx_is_placeholder(a)) return nkx_placeholder_used(vm, a);
    return bad_unary(vm, op, a);
}
