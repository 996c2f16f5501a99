/* SPDX-License-Identifier: Apache-2.0 */
/* Methods of dict and set. Layer eval. */
#include "interp/eval/methods.h"

/* ---- dict ---- */

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

static bool empty(nkx_vm *vm, const char *text)
{
    nkx_value v = nkx_cstr(vm, text);
    key_error(vm, v);
    nkx_drop(v);
    return false;
}

static bool d_get(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value v;
    if (!nkx_dict_get(vm, in[0], in[1], &v)) return false;
    return nkx_give(out, nkx_ref(v.type == NKX_V_UNSET ? in[2] : v));
}

static bool d_keys(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return nkx_give(out, nkx_dictview_new(vm, in[0], 0));
}
static bool d_values(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return nkx_give(out, nkx_dictview_new(vm, in[0], 1));
}
static bool d_items(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return nkx_give(out, nkx_dictview_new(vm, in[0], 2));
}

static bool d_pop(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    nkx_value taken;
    if (a->n_kw > 0) return nkx_type_error(vm, "dict.pop() takes no keyword arguments");
    if (a->n < 2 || a->n > 3)
        return nkx_type_error(vm, "pop expected %s, got %u",
                              a->n < 2 ? "at least 1 argument" : "at most 2 arguments", a->n - 1);
    if (!nkx_dict_del(vm, a->at[0], a->at[1], &taken)) return false;
    if (taken.type != NKX_V_UNSET) return nkx_give(out, taken);
    return a->n == 3 ? nkx_give(out, nkx_ref(a->at[2])) : key_error(vm, a->at[1]);
}

static bool d_popitem(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value key, value, last[2] = {NKX_UNSET, NKX_UNSET}, taken;
    for (uint32_t i = 0; nkx_dict_next(in[0], &i, &key, &value);) {
        last[0] = key;
        last[1] = value;
    }
    if (last[0].type == NKX_V_UNSET) return empty(vm, "popitem(): dictionary is empty");
    *out = nkx_tuple_of(vm, last, 2);
    if (!nkx_dict_del(vm, in[0], NKX_AS(nkx_tuple, *out)->at[0], &taken)) return false;
    nkx_drop(taken);
    return true;
}

static bool d_setdefault(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value v;
    if (!nkx_dict_get(vm, in[0], in[1], &v)) return false;
    if (v.type != NKX_V_UNSET) return nkx_give(out, nkx_ref(v));
    return nkx_dict_set(vm, in[0], in[1], in[2]) && nkx_give(out, nkx_ref(in[2]));
}

static bool d_update(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_tuple *args = NKX_AS(nkx_tuple, in[1]);
    (void)out;
    if (args->n > 1)
        return nkx_raise(vm, NKX_E206, "TypeError", "update expected at most 1 argument, got %u",
                         args->n);
    return (args->n == 0 || nkx_dict_update(vm, in[0], args->at[0])) &&
           nkx_dict_copy_into(vm, in[0], in[2]);
}

static bool d_clear(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)out;
    nkx_dict_clear(in[0]);
    return true;
}

static bool d_copy(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    *out = nkx_dict_new(vm);
    return nkx_dict_copy_into(vm, *out, in[0]);
}

static bool d_fromkeys(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value list, d = nkx_dict_new(vm);
    bool ok = nkx_list_of(vm, in[0], &list);
    for (uint32_t i = 0; ok && i < NKX_AS(nkx_list, list)->n; i++) {
        ok = nkx_dict_set(vm, d, NKX_AS(nkx_list, list)->at[i], in[1]);
        if (!ok) {
            nkx_drop(list);
            nkx_drop(d);
            return false;
        }
    }
    if (!ok) {
        nkx_drop(d);
        return false;
    }
    nkx_drop(list);
    return nkx_give(out, d);
}

/* ---- set ---- */

static bool changeable(nkx_vm *vm, nkx_value set, const char *method)
{
    if ((set.u.o->flags & NKX_OF_FROZEN) == 0) return true;
    return nkx_raise(vm, NKX_E203, "AttributeError", "'frozenset' object has no attribute '%s'",
                     method);
}

static bool set_copy(nkx_vm *vm, nkx_value set, nkx_value *out)
{
    nkx_value k;
    *out = nkx_set_new(vm);
    for (uint32_t i = 0; nkx_dict_next(set, &i, &k, NULL);) {
        if (!nkx_set_add(vm, *out, k)) {
            nkx_drop(*out);
            return false;
        }
    }
    return true;
}

/* Any iterable as a set; owned. */
static bool as_set(nkx_vm *vm, nkx_value v, nkx_value *out)
{
    nkx_value list;
    if (v.type == NKX_V_SET) return nkx_give(out, nkx_ref(v));
    if (!nkx_list_of(vm, v, &list)) return false;
    *out = nkx_set_new(vm);
    bool ok = true;
    for (uint32_t i = 0; ok && i < NKX_AS(nkx_list, list)->n; i++)
        ok = nkx_set_add(vm, *out, NKX_AS(nkx_list, list)->at[i]);
    nkx_drop(list);
    if (!ok) nkx_drop(*out);
    return ok;
}

/* Removes from dst what is (or is not) in src. */
static bool keep_where(nkx_vm *vm, nkx_value dst, nkx_value src, bool present)
{
    nkx_value list, taken;
    if (!nkx_list_of(vm, dst, &list)) return false;
    bool ok = true;
    for (uint32_t i = 0; ok && i < NKX_AS(nkx_list, list)->n; i++) {
        bool has = false;
        nkx_value k = NKX_AS(nkx_list, list)->at[i];
        ok = nkx_contains(vm, src, k, &has);
        if (ok && has != present) {
            ok = nkx_dict_del(vm, dst, k, &taken);
            if (ok) nkx_drop(taken);
        }
    }
    nkx_drop(list);
    return ok;
}

static bool add_all(nkx_vm *vm, nkx_value dst, nkx_value src)
{
    nkx_value k;
    for (uint32_t i = 0; nkx_dict_next(src, &i, &k, NULL);) {
        if (!nkx_set_add(vm, dst, k)) return false;
    }
    return true;
}

typedef enum set_op { SET_UNION, SET_INTERSECTION, SET_DIFFERENCE, SET_SYMMETRIC } set_op;

static bool combine(nkx_vm *vm, nkx_value dst, nkx_value other, set_op op)
{
    nkx_value s, extra;
    if (!as_set(vm, other, &s)) return false;
    bool ok = false;
    switch (op) {
    case SET_UNION: ok = add_all(vm, dst, s); break;
    case SET_INTERSECTION: ok = keep_where(vm, dst, s, true); break;
    case SET_DIFFERENCE: ok = keep_where(vm, dst, s, false); break;
    case SET_SYMMETRIC:
        if (!set_copy(vm, s, &extra)) break;
        ok = keep_where(vm, extra, dst, false) && keep_where(vm, dst, s, false) &&
             add_all(vm, dst, extra);
        nkx_drop(extra);
        break;
    }
    nkx_drop(s);
    return ok;
}

/* in[1] is the tuple of others, or one other. */
static bool combined(nkx_vm *vm, const nkx_value *in, set_op op, bool in_place, nkx_value *out)
{
    const nkx_value *at = &in[1];
    uint32_t n = 1;
    nkx_value dst;
    if (op != SET_SYMMETRIC) nkx_items(in[1], &at, &n);
    if (in_place) {
        dst = nkx_ref(in[0]);
    } else if (!set_copy(vm, in[0], &dst)) {
        return false;
    }
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++) ok = combine(vm, dst, at[i], op);
    if (ok && !in_place) return nkx_give(out, dst);
    nkx_drop(dst);
    return ok;
}

#define SET_PAIR(name, op)                                                                         \
    static bool e_##name(nkx_vm *vm, const nkx_value *in, nkx_value *out)                          \
    {                                                                                              \
        return combined(vm, in, op, false, out);                                                   \
    }                                                                                              \
    static bool e_##name##_update(nkx_vm *vm, const nkx_value *in, nkx_value *out)                 \
    {                                                                                              \
        return changeable(vm, in[0], "update") && combined(vm, in, op, true, out);                 \
    }
SET_PAIR(union, SET_UNION)
SET_PAIR(intersection, SET_INTERSECTION)
SET_PAIR(difference, SET_DIFFERENCE)
SET_PAIR(symmetric_difference, SET_SYMMETRIC)
#undef SET_PAIR

static bool e_add(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    return changeable(vm, in[0], "add") && nkx_set_add(vm, in[0], in[1]);
}

static bool e_discard(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value taken;
    (void)out;
    if (!changeable(vm, in[0], "discard") || !nkx_dict_del(vm, in[0], in[1], &taken)) return false;
    nkx_drop(taken);
    return true;
}

static bool e_remove(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    bool has;
    if (!nkx_contains(vm, in[0], in[1], &has)) return false;
    return has ? e_discard(vm, in, out) : key_error(vm, in[1]);
}

static bool e_pop(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value k, taken;
    uint32_t i = 0;
    if (!changeable(vm, in[0], "pop")) return false;
    if (!nkx_dict_next(in[0], &i, &k, NULL)) return empty(vm, "pop from an empty set");
    *out = nkx_ref(k);
    if (!nkx_dict_del(vm, in[0], *out, &taken)) return false;
    nkx_drop(taken);
    return true;
}

static bool e_clear(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    if (!changeable(vm, in[0], "clear")) return false;
    nkx_dict_clear(in[0]);
    return true;
}

static bool e_copy(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return set_copy(vm, in[0], out);
}

static bool all_in(nkx_vm *vm, nkx_value a, nkx_value b, bool *out)
{
    nkx_value k;
    *out = true;
    for (uint32_t i = 0; *out && nkx_dict_next(a, &i, &k, NULL);) {
        if (!nkx_contains(vm, b, k, out)) return false;
    }
    return true;
}

static bool compare_sets(nkx_vm *vm, const nkx_value *in, int how, nkx_value *out)
{
    nkx_value s, k;
    bool yes = true;
    if (!as_set(vm, in[1], &s)) return false;
    bool ok = true;
    if (how == 0) ok = all_in(vm, in[0], s, &yes);
    if (how == 1) ok = all_in(vm, s, in[0], &yes);
    for (uint32_t i = 0; how == 2 && ok && yes && nkx_dict_next(in[0], &i, &k, NULL);) {
        bool has;
        ok = nkx_contains(vm, s, k, &has);
        if (ok) yes = !has;
    }
    nkx_drop(s);
    return ok && nkx_give_bool(out, yes);
}

static bool e_issubset(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return compare_sets(vm, in, 0, out);
}
static bool e_issuperset(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return compare_sets(vm, in, 1, out);
}
static bool e_isdisjoint(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return compare_sets(vm, in, 2, out);
}

#define M      NKX_BF_METHOD
#define RAW(f) ((bool (*)(nkx_vm *, const nkx_value *, nkx_value *))(void (*)(void))(f))

const nkx_builtin nkx_dict_methods[] = {
    {"clear",      "self",                       d_clear,      "removes all items",                  M             },
    {"copy",       "self",                       d_copy,       "a new dict of the same items",       M             },
    {"fromkeys",   "iterable, value=None, /",    d_fromkeys,   "a dict of keys with one value",
     NKX_BF_STATIC                                                                                                 },
    {"get",        "self, key, default=None, /", d_get,        "the value of key, or default",       M             },
    {"items",      "self",                       d_items,      "pairs of key and value",             M             },
    {"keys",       "self",                       d_keys,       "the keys",                           M             },
    {"pop",        "self, *args",                RAW(d_pop),   "removes a key and gives its value",  M | NKX_BF_RAW},
    {"popitem",    "self",                       d_popitem,    "removes the last item and gives it", M             },
    {"setdefault", "self, key, default=None, /", d_setdefault,
     "the value of key, set to default if missing",                                                  M             },
    {"update",     "self, *args, **kwargs",      d_update,     "takes over items",                   M             },
    {"values",     "self",                       d_values,     "the values",                         M             },
    {NULL,         NULL,                         NULL,         NULL,                                 0             },
};

const nkx_builtin nkx_set_methods[] = {
    {"add",                         "self, object, /", e_add,                         "adds an item",                   M},
    {"clear",                       "self",            e_clear,                       "removes all items",              M},
    {"copy",                        "self",            e_copy,                        "a new set of the same items",    M},
    {"difference",                  "self, *others",   e_difference,                  "items in no other",              M},
    {"difference_update",           "self, *others",   e_difference_update,           "removes the items of others",    M},
    {"discard",                     "self, object, /", e_discard,                     "removes an item if it is there", M},
    {"intersection",                "self, *others",   e_intersection,                "items in all",                   M},
    {"intersection_update",         "self, *others",   e_intersection_update,         "keeps the items in all",         M},
    {"isdisjoint",                  "self, other, /",  e_isdisjoint,                  "no item in common?",             M},
    {"issubset",                    "self, other, /",  e_issubset,                    "all items in other?",            M},
    {"issuperset",                  "self, other, /",  e_issuperset,                  "all items of other here?",       M},
    {"pop",                         "self",            e_pop,                         "removes some item and gives it", M},
    {"remove",                      "self, object, /", e_remove,                      "removes an item",                M},
    {"symmetric_difference",        "self, other, /",  e_symmetric_difference,        "items in one of both",           M},
    {"symmetric_difference_update", "self, other, /",  e_symmetric_difference_update,
     "keeps the items in one of both",                                                                                  M},
    {"union",                       "self, *others",   e_union,                       "items of all",                   M},
    {"update",                      "self, *others",   e_union_update,                "adds the items of others",       M},
    {NULL,                          NULL,              NULL,                          NULL,                             0},
};
