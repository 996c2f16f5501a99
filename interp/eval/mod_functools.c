/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functools and operator: what kernels call while they are built stands here in C; the rest of
 * functools, and itertools, copy, contextlib, collections and unittest are NKI source in stdlib.
 * Layer eval.
 */
#include "interp/eval/mod_std.h"

#include <stdlib.h>
#include <string.h>

/* ---- functools.reduce, partial, lru_cache ---- */

static bool f_reduce(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value it, acc = nkx_ref(in[2]), x, next;
    if (!nkx_iter(vm, in[1], &it)) {
        nkx_drop(acc);
        return false;
    }
    bool ok = true;
    if (acc.type == NKX_V_UNSET) {
        ok = nkx_next(vm, it, &acc);
        if (ok && acc.type == NKX_V_UNSET)
            ok = nkx_type_error(vm, "reduce() of empty iterable with no initial value");
        if (!ok) acc = NKX_NONE;
    }
    while (ok && (ok = nkx_next(vm, it, &x)) && x.type != NKX_V_UNSET) {
        nkx_value pair[2] = {acc, x};
        ok = nkx_call_n(vm, in[0], pair, 2, &next);
        nkx_drop(x);
        nkx_drop(acc);
        acc = ok ? next : NKX_NONE;
    }
    nkx_drop(it);
    if (!ok) nkx_drop(acc);
    return ok && nkx_give(out, acc);
}

typedef struct partial {
    nkx_value func, args, kwargs;
} partial;

static void partial_fini(nkx_obj *o)
{
    partial *p = NKX_PAYLOAD(partial, nkx_of(o));
    nkx_drop(p->func);
    nkx_drop(p->args);
    nkx_drop(p->kwargs);
}

/* The stored arguments, then those of the call; a keyword of the call wins. */
static bool partial_call(nkx_vm *vm, nkx_value self, const nkx_args *a, nkx_value *out)
{
    const partial *p = NKX_PAYLOAD(partial, self);
    const nkx_tuple *first = NKX_AS(nkx_tuple, p->args);
    nkx_value key, value;
    NKX_VEC(nkx_value) at = {0};
    NKX_VEC(const nkx_name *) kw = {0};
    for (uint32_t i = 0; i < first->n; i++) nkx_push(&at, first->at[i]);
    for (uint32_t i = 0; i < a->n; i++) nkx_push(&at, a->at[i]);
    uint32_t n = (uint32_t)at.n;
    for (uint32_t i = 0; nkx_dict_next(p->kwargs, &i, &key, &value);) {
        const nkx_name *name = nkx_name_of(vm, key);
        bool given = false;
        for (uint32_t k = 0; k < a->n_kw; k++) given = given || a->kw[k] == name;
        if (given) continue;
        nkx_push(&at, value);
        nkx_push(&kw, name);
    }
    for (uint32_t k = 0; k < a->n_kw; k++) {
        nkx_push(&at, a->at[a->n + k]);
        nkx_push(&kw, a->kw[k]);
    }
    nkx_args all = {.at = at.at, .n = n, .n_kw = (uint32_t)kw.n, .kw = kw.at, .span = a->span};
    bool ok = nkx_call(vm, p->func, &all, out);
    nkx_vec_fini(&at);
    nkx_vec_fini(&kw);
    return ok;
}

static bool partial_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    const partial *p = NKX_PAYLOAD(partial, self);
    (void)vm;
    if (strcmp(name->text, "func") == 0) return nkx_give(out, nkx_ref(p->func));
    if (strcmp(name->text, "args") == 0) return nkx_give(out, nkx_ref(p->args));
    if (strcmp(name->text, "keywords") == 0) return nkx_give(out, nkx_ref(p->kwargs));
    return true;
}

static const nkx_native_type partial_type = {
    .name = "functools.partial", .fini = partial_fini, .attr = partial_attr, .call = partial_call};

static bool f_partial(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    if (!nkx_callable(vm, in[0])) return nkx_type_error(vm, "the first argument must be callable");
    *out = nkx_native_new(vm, &partial_type, sizeof(partial));
    *NKX_PAYLOAD(partial, *out) = (partial){nkx_ref(in[0]), nkx_ref(in[1]), nkx_ref(in[2])};
    return true;
}

/* A cache of results by arguments. */
typedef struct cached {
    nkx_value func, results;
} cached;

static void cached_fini(nkx_obj *o)
{
    cached *c = NKX_PAYLOAD(cached, nkx_of(o));
    nkx_drop(c->func);
    nkx_drop(c->results);
}

static nkx_value key_of(nkx_vm *vm, const nkx_args *a)
{
    nkx_value key = nkx_tuple_new(vm, a->n + 2 * a->n_kw);
    nkx_value *at = NKX_AS(nkx_tuple, key)->at;
    for (uint32_t i = 0; i < a->n; i++) *at++ = nkx_ref(a->at[i]);
    for (uint32_t k = 0; k < a->n_kw; k++) {
        *at++ = nkx_str_of_name(vm, a->kw[k]);
        *at++ = nkx_ref(a->at[a->n + k]);
    }
    return key;
}

static bool cached_call(nkx_vm *vm, nkx_value self, const nkx_args *a, nkx_value *out)
{
    const cached *c = NKX_PAYLOAD(cached, self);
    nkx_value key = key_of(vm, a), found;
    bool ok = nkx_dict_get(vm, c->results, key, &found);
    if (ok && found.type != NKX_V_UNSET) {
        *out = nkx_ref(found);
    } else if (ok) {
        ok = nkx_call(vm, c->func, a, out) && nkx_dict_set(vm, c->results, key, *out);
    }
    nkx_drop(key);
    return ok;
}

static bool cache_clear(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)out;
    nkx_dict_clear(NKX_PAYLOAD(cached, in[0])->results);
    return true;
}

static const nkx_builtin cache_clear_row = {"cache_clear", "self", cache_clear,
                                            "forgets all results", NKX_BF_METHOD};

static bool cached_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    if (strcmp(name->text, "__wrapped__") == 0)
        return nkx_give(out, nkx_ref(NKX_PAYLOAD(cached, self)->func));
    if (strcmp(name->text, "cache_clear") == 0)
        return nkx_give(out, nkx_method_new(vm, self, nkx_builtin_value(&cache_clear_row)));
    return nkx_find_attr(vm, NKX_PAYLOAD(cached, self)->func, name, out);
}

static const nkx_native_type cached_type = {.name = "functools._lru_cache_wrapper",
                                            .fini = cached_fini,
                                            .attr = cached_attr,
                                            .call = cached_call};

static nkx_value cached_new(nkx_vm *vm, nkx_value func)
{
    nkx_value v = nkx_native_new(vm, &cached_type, sizeof(cached));
    *NKX_PAYLOAD(cached, v) = (cached){nkx_ref(func), nkx_dict_new(vm)};
    return v;
}

static bool f_cache(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return nkx_give(out, cached_new(vm, in[0]));
}

static bool decorator_call(nkx_vm *vm, nkx_value self, const nkx_args *a, nkx_value *out)
{
    (void)self;
    if (a->n != 1 || a->n_kw != 0) return nkx_type_error(vm, "a decorator takes one function");
    return nkx_give(out, cached_new(vm, a->at[0]));
}

static const nkx_native_type decorator_type = {.name = "decorator", .call = decorator_call};

/* @lru_cache and @lru_cache(maxsize=...): nothing is ever forgotten. */
static bool f_lru_cache(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    if (in[0].type == NKX_V_FUNCTION || in[0].type == NKX_V_BUILTIN) return f_cache(vm, in, out);
    return nkx_give(out, nkx_native_new(vm, &decorator_type, 1));
}

static const nkx_builtin functools_rows[] = {
    {"reduce",    "function, iterable, initial=..., /", f_reduce,    "folds from the left",                  0},
    {"partial",   "func, /, *args, **keywords",         f_partial,   "a function with some arguments given", 0},
    {"lru_cache", "maxsize=128, typed=False",           f_lru_cache, "remembers results",                    0},
    {"cache",     "user_function, /",                   f_cache,     "remembers results",                    0},
    {NULL,        NULL,                                 NULL,        NULL,                                   0},
};

/* ---- operator ---- */

#define BINARY(name, op)                                                                           \
    static bool o_##name(nkx_vm *vm, const nkx_value *in, nkx_value *out)                          \
    {                                                                                              \
        return nkx_binary(vm, op, in[0], in[1], out);                                              \
    }
#define COMPARE(name, op)                                                                          \
    static bool o_##name(nkx_vm *vm, const nkx_value *in, nkx_value *out)                          \
    {                                                                                              \
        return nkx_compare_values(vm, op, in[0], in[1], out);                                      \
    }
#define UNARY(name, op)                                                                            \
    static bool o_##name(nkx_vm *vm, const nkx_value *in, nkx_value *out)                          \
    {                                                                                              \
        return nkx_unary(vm, op, in[0], out);                                                      \
    }
BINARY(add, NKX_OP_ADD)
BINARY(sub, NKX_OP_SUB)
BINARY(mul, NKX_OP_MULT)
BINARY(matmul, NKX_OP_MATMULT)
BINARY(truediv, NKX_OP_DIV)
BINARY(floordiv, NKX_OP_FLOORDIV)
BINARY(mod, NKX_OP_MOD)
BINARY(pow, NKX_OP_POW)
BINARY(lshift, NKX_OP_LSHIFT)
BINARY(rshift, NKX_OP_RSHIFT)
BINARY(and_, NKX_OP_BITAND)
BINARY(or_, NKX_OP_BITOR)
BINARY(xor, NKX_OP_BITXOR)
COMPARE(eq, NKX_OP_EQ)
COMPARE(ne, NKX_OP_NOTEQ)
COMPARE(lt, NKX_OP_LT)
COMPARE(le, NKX_OP_LTE)
COMPARE(gt, NKX_OP_GT)
COMPARE(ge, NKX_OP_GTE)
COMPARE(is_, NKX_OP_IS)
COMPARE(is_not, NKX_OP_ISNOT)
UNARY(neg, NKX_OP_USUB)
UNARY(pos, NKX_OP_UADD)
UNARY(invert, NKX_OP_INVERT)
UNARY(not_, NKX_OP_NOT)
#undef BINARY
#undef COMPARE
#undef UNARY

static bool o_truth(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    bool b;
    return nkx_truth(vm, in[0], &b) && nkx_give_bool(out, b);
}

static bool o_contains(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    bool b;
    return nkx_contains(vm, in[0], in[1], &b) && nkx_give_bool(out, b);
}

static bool o_getitem(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return nkx_get_item(vm, in[0], in[1], out);
}

static bool o_setitem(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    return nkx_set_item(vm, in[0], in[1], in[2]);
}

static bool o_index(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t i;
    return nkx_as_int(vm, in[0], "the argument", &i) && nkx_give_int(out, i);
}

/* itemgetter and attrgetter: keys is a tuple */
typedef struct getter {
    nkx_value keys;
    bool attr;
} getter;

static void getter_fini(nkx_obj *o)
{
    nkx_drop(NKX_PAYLOAD(getter, nkx_of(o))->keys);
}

/* "a.b.c" of a value. */
static bool dotted(nkx_vm *vm, nkx_value v, nkx_value path, nkx_value *out)
{
    const char *s = nkx_text(path);
    *out = nkx_ref(v);
    while (*s != '\0') {
        size_t n = strcspn(s, ".");
        nkx_value name = nkx_str_new(vm, s, n), next;
        bool ok = nkx_get_attr(vm, *out, nkx_name_of(vm, name), &next);
        nkx_drop(name);
        nkx_drop(*out);
        if (!ok) return false;
        *out = next;
        s += n;
        if (*s == '.') s++;
    }
    return true;
}

static bool get_one(nkx_vm *vm, const getter *g, nkx_value v, nkx_value key, nkx_value *out)
{
    return g->attr ? dotted(vm, v, key, out) : nkx_get_item(vm, v, key, out);
}

static bool getter_call(nkx_vm *vm, nkx_value self, const nkx_args *a, nkx_value *out)
{
    const getter *g = NKX_PAYLOAD(getter, self);
    const nkx_tuple *keys = NKX_AS(nkx_tuple, g->keys);
    if (a->n != 1 || a->n_kw != 0) return nkx_type_error(vm, "a getter takes one value");
    if (keys->n == 1) return get_one(vm, g, a->at[0], keys->at[0], out);
    nkx_value r = nkx_tuple_new(vm, keys->n);
    for (uint32_t i = 0; i < keys->n; i++) {
        if (get_one(vm, g, a->at[0], keys->at[i], &NKX_AS(nkx_tuple, r)->at[i])) continue;
        NKX_AS(nkx_tuple, r)->at[i] = NKX_NONE;
        nkx_drop(r);
        return false;
    }
    return nkx_give(out, r);
}

static const nkx_native_type getter_type = {
    .name = "operator.itemgetter", .fini = getter_fini, .call = getter_call};

static bool new_getter(nkx_vm *vm, nkx_value keys, bool attr, nkx_value *out)
{
    const nkx_tuple *t = NKX_AS(nkx_tuple, keys);
    if (t->n == 0)
        return nkx_type_error(vm, "%s expected at least 1 argument, got 0",
                              attr ? "attrgetter" : "itemgetter");
    for (uint32_t i = 0; attr && i < t->n; i++) {
        if (t->at[i].type != NKX_V_STR)
            return nkx_type_error(vm, "attribute name must be a string");
    }
    *out = nkx_native_new(vm, &getter_type, sizeof(getter));
    *NKX_PAYLOAD(getter, *out) = (getter){nkx_ref(keys), attr};
    return true;
}

static bool o_itemgetter(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return new_getter(vm, in[0], false, out);
}
static bool o_attrgetter(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return new_getter(vm, in[0], true, out);
}

#define TWO(name, doc)                                                                             \
    {                                                                                              \
#name, "a, b, /", o_##name, doc, 0                                                         \
    }

static const nkx_builtin operator_rows[] = {
    TWO(add, "a + b"),
    TWO(sub, "a - b"),
    TWO(mul, "a * b"),
    TWO(matmul, "a @ b"),
    TWO(truediv, "a / b"),
    TWO(floordiv, "a // b"),
    TWO(mod, "a % b"),
    TWO(pow, "a ** b"),
    TWO(lshift, "a << b"),
    TWO(rshift, "a >> b"),
    TWO(and_, "a & b"),
    TWO(or_, "a | b"),
    TWO(xor, "a ^ b"),
    TWO(eq, "a == b"),
    TWO(ne, "a != b"),
    TWO(lt, "a < b"),
    TWO(le, "a <= b"),
    TWO(gt, "a > b"),
    TWO(ge, "a >= b"),
    TWO(is_, "a is b"),
    TWO(is_not, "a is not b"),
    TWO(contains, "b in a"),
    TWO(getitem, "a[b]"),
    {"concat",     "a, b, /",    o_add,        "a + b",                            0},
    {"setitem",    "a, b, c, /", o_setitem,    "a[b] = c",                         0},
    {"neg",        "a, /",       o_neg,        "-a",                               0},
    {"pos",        "a, /",       o_pos,        "+a",                               0},
    {"invert",     "a, /",       o_invert,     "~a",                               0},
    {"inv",        "a, /",       o_invert,     "~a",                               0},
    {"not_",       "a, /",       o_not_,       "not a",                            0},
    {"truth",      "a, /",       o_truth,      "bool(a)",                          0},
    {"index",      "a, /",       o_index,      "a as an integer",                  0},
    {"itemgetter", "*items",     o_itemgetter, "a function that takes items",      0},
    {"attrgetter", "*attrs",     o_attrgetter, "a function that takes attributes", 0},
    {NULL,         NULL,         NULL,         NULL,                               0},
};

const nkx_module_def nkx_mod_functools = {
    .name = "functools", .functions = functools_rows, .stdlib = "functools.nki"};
const nkx_module_def nkx_mod_operator = {.name = "operator", .functions = operator_rows};
