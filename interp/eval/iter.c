/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Iteration: iterators of the builtin containers and of user classes, and what is built on them
 * (list(it), extend, unpacking). The evaluator walks ranges, lists and tuples without an iterator.
 * Layer eval.
 */
#include "interp/eval/objects.h"

static bool next_list(nkx_vm *vm, nkx_iter_obj *it, nkx_value *out)
{
    (void)vm;
    const nkx_list *l = NKX_AS(nkx_list, it->a);
    if (it->i < l->n) *out = nkx_ref(l->at[it->i++]);
    return true;
}

static bool next_tuple(nkx_vm *vm, nkx_iter_obj *it, nkx_value *out)
{
    (void)vm;
    const nkx_tuple *t = NKX_AS(nkx_tuple, it->a);
    if (it->i < t->n) *out = nkx_ref(t->at[it->i++]);
    return true;
}

static bool next_range(nkx_vm *vm, nkx_iter_obj *it, nkx_value *out)
{
    (void)vm;
    if (it->step > 0 ? it->i >= it->stop : it->i <= it->stop) return true;
    *out = nkx_int(it->i);
    if (!nkx_add_i64(it->i, it->step, &it->i)) it->i = it->stop;
    return true;
}

static bool next_text(nkx_vm *vm, nkx_iter_obj *it, nkx_value *out)
{
    const char *text = nkx_text(it->a);
    uint32_t len = nkx_text_len(it->a), from = (uint32_t)it->i, to = from + 1;
    if (from >= len) return true;
    if (it->a.type == NKX_V_BYTES) {
        *out = nkx_int((unsigned char)text[from]);
        it->i++;
        return true;
    }
    while (to < len && ((unsigned char)text[to] & 0xC0) == 0x80) to++;
    *out = nkx_str_new(vm, text + from, to - from);
    it->i = to;
    return true;
}

/* b: keys 0, values 1, items 2; stop: the size when the walk began. */
static bool next_dict(nkx_vm *vm, nkx_iter_obj *it, nkx_value *out)
{
    nkx_value key, value;
    uint32_t i = (uint32_t)it->i;
    if (nkx_dict_len(it->a) != (uint64_t)it->stop) {
        it->stop = -1;
        return nkx_raise(vm, NKX_E234, "RuntimeError", "%s changed size during iteration",
                         it->a.type == NKX_V_SET ? "Set" : "dictionary");
    }
    if (!nkx_dict_next(it->a, &i, &key, &value)) return true;
    it->i = i;
    if (it->step == 2) {
        *out = nkx_tuple_of(vm, (nkx_value[]){key, value}, 2);
    } else {
        *out = nkx_ref(it->step == 1 ? value : key);
    }
    return true;
}

static bool next_array(nkx_vm *vm, nkx_iter_obj *it, nkx_value *out)
{
    if (it->i >= it->stop) return true;
    return nkx_array_index(vm, it->a, nkx_int(it->i++), out);
}

/* Classes with __getitem__ alone: 0, 1, 2, ... until IndexError. */
static bool next_items(nkx_vm *vm, nkx_iter_obj *it, nkx_value *out)
{
    if (it->stop != 0) return true;
    if (nkx_get_item(vm, it->a, nkx_int(it->i++), out)) return true;
    *out = NKX_UNSET;
    it->stop = 1;
    if (!nkx_exception_is(vm, NKX_CLS_IndexError)) return false;
    nkx_exception_clear(vm);
    return true;
}

static const nkx_iter_type list_iter = {"list_iterator", next_list, NULL};
static const nkx_iter_type tuple_iter = {"tuple_iterator", next_tuple, NULL};
static const nkx_iter_type range_iter = {"range_iterator", next_range, NULL};
static const nkx_iter_type text_iter = {"str_iterator", next_text, NULL};
static const nkx_iter_type dict_iter = {"dict_iterator", next_dict, NULL};
static const nkx_iter_type array_iter = {"array_iterator", next_array, NULL};
static const nkx_iter_type items_iter = {"iterator", next_items, NULL};

bool nkx_iterable(nkx_value v)
{
    switch (v.type) {
    case NKX_V_STR:
    case NKX_V_BYTES:
    case NKX_V_TUPLE:
    case NKX_V_LIST:
    case NKX_V_DICT:
    case NKX_V_SET:
    case NKX_V_RANGE:
    case NKX_V_ITER:
    case NKX_V_DICTVIEW:
    case NKX_V_ARRAY: return true;
    case NKX_V_CLASS: return NKX_AS(nkx_class, v)->members.type == NKX_V_LIST;
    case NKX_V_INSTANCE: {
        const nkx_class *c = NKX_AS(nkx_instance, v)->cls;
        const nkx_vm *vm = nkx_obj_vm(v.u.o);
        return nkx_class_lookup(c, vm->id.d_iter).type != NKX_V_UNSET ||
               nkx_class_lookup(c, vm->id.d_getitem).type != NKX_V_UNSET ||
               nkx_class_lookup(c, vm->id.d_next).type != NKX_V_UNSET ||
               (c->flags & NKX_CF_NAMEDTUPLE) != 0;
    }
    default: return false;
    }
}

static nkx_value walk(nkx_vm *vm, const nkx_iter_type *type, nkx_value v)
{
    return nkx_iter_new(vm, type, v, NKX_UNSET);
}

static nkx_value walk_dict(nkx_vm *vm, nkx_value d, int what)
{
    nkx_value it = walk(vm, &dict_iter, d);
    nkx_iter_obj *o = NKX_AS(nkx_iter_obj, it);
    o->stop = nkx_dict_len(d);
    o->step = what;
    return it;
}

static bool iter_instance(nkx_vm *vm, nkx_value v, nkx_value *out)
{
    const nkx_class *c = NKX_AS(nkx_instance, v)->cls;
    bool found;
    if (!nkx_call_special(vm, v, vm->id.d_iter, NULL, 0, out, &found)) return false;
    if (found) {
        bool is_iterator =
            out->type == NKX_V_ITER ||
            (out->type == NKX_V_INSTANCE &&
             nkx_class_lookup(NKX_AS(nkx_instance, *out)->cls, vm->id.d_next).type != NKX_V_UNSET);
        if (is_iterator) return true;
        nkx_raise(vm, NKX_E217, "TypeError", "iter() returned non-iterator of type '%s'",
                  nkx_type_name(*out));
        nkx_drop(*out);
        return false;
    }
    if (nkx_class_lookup(c, vm->id.d_getitem).type != NKX_V_UNSET) {
        *out = walk(vm, &items_iter, v);
        return true;
    }
    if (c->flags & NKX_CF_NAMEDTUPLE) {
        nkx_value t = nkx_fields_tuple(vm, v);
        *out = walk(vm, &tuple_iter, t);
        nkx_drop(t);
        return true;
    }
    if (c->flags & NKX_CF_FLAG) {
        nkx_value parts = nkx_flag_parts(vm, v);
        *out = walk(vm, &list_iter, parts);
        nkx_drop(parts);
        return true;
    }
    return nkx_raise(vm, NKX_E217, "TypeError", "'%s' object is not iterable", nkx_type_name(v));
}

bool nkx_iter(nkx_vm *vm, nkx_value v, nkx_value *out)
{
    *out = NKX_UNSET;
    switch (v.type) {
    case NKX_V_ITER: *out = nkx_ref(v); return true;
    case NKX_V_LIST: *out = walk(vm, &list_iter, v); return true;
    case NKX_V_TUPLE: *out = walk(vm, &tuple_iter, v); return true;
    case NKX_V_STR:
    case NKX_V_BYTES: *out = walk(vm, &text_iter, v); return true;
    case NKX_V_DICT:
    case NKX_V_SET: *out = walk_dict(vm, v, 0); return true;
    case NKX_V_DICTVIEW:
        *out = walk_dict(vm, NKX_AS(nkx_dictview, v)->dict, NKX_AS(nkx_dictview, v)->what);
        return true;
    case NKX_V_RANGE: {
        const nkx_range_obj *r = NKX_AS(nkx_range_obj, v);
        *out = walk(vm, &range_iter, v);
        nkx_iter_obj *o = NKX_AS(nkx_iter_obj, *out);
        o->i = r->start;
        o->stop = r->stop;
        o->step = r->step;
        return true;
    }
    case NKX_V_ARRAY: {
        int64_t n;
        if (NKX_AS(nkx_array_obj, v)->a->ndim == 0) {
            return nkx_raise(vm, NKX_E217, "TypeError", "iteration over a 0-d array");
        }
        if (!nkx_len(vm, v, &n)) return false;
        *out = walk(vm, &array_iter, v);
        NKX_AS(nkx_iter_obj, *out)->stop = n;
        return true;
    }
    case NKX_V_CLASS:
        if (NKX_AS(nkx_class, v)->members.type == NKX_V_LIST) {
            *out = walk(vm, &list_iter, NKX_AS(nkx_class, v)->members);
            return true;
        }
        break;
    case NKX_V_INSTANCE: return iter_instance(vm, v, out);
    default: break;
    }
    if (nkx_is_placeholder(v)) return nkx_placeholder_used(vm, v);
    return nkx_raise(vm, NKX_E217, "TypeError", "'%s' object is not iterable", nkx_type_name(v));
}

bool nkx_next(nkx_vm *vm, nkx_value v, nkx_value *out)
{
    *out = NKX_UNSET;
    if (v.type == NKX_V_ITER) {
        nkx_iter_obj *it = NKX_AS(nkx_iter_obj, v);
        return it->type->next(vm, it, out);
    }
    if (v.type == NKX_V_INSTANCE) {
        bool found;
        if (!nkx_call_special(vm, v, vm->id.d_next, NULL, 0, out, &found)) {
            *out = NKX_UNSET;
            if (!nkx_exception_is(vm, NKX_CLS_StopIteration)) return false;
            nkx_exception_clear(vm);
            return true;
        }
        if (found) return true;
    }
    return nkx_raise(vm, NKX_E217, "TypeError", "'%s' object is not an iterator", nkx_type_name(v));
}

bool nkx_list_extend(nkx_vm *vm, nkx_value list, nkx_value iterable)
{
    nkx_value it, item;
    if (iterable.type == NKX_V_LIST || iterable.type == NKX_V_TUPLE) {
        bool is_list = iterable.type == NKX_V_LIST;
        uint32_t n = is_list ? NKX_AS(nkx_list, iterable)->n : NKX_AS(nkx_tuple, iterable)->n;
        if (!nkx_reserve(vm, n * sizeof(nkx_value))) return false;
        for (uint32_t i = 0; i < n; i++) {
            nkx_list_append(list, is_list ? NKX_AS(nkx_list, iterable)->at[i]
                                          : NKX_AS(nkx_tuple, iterable)->at[i]);
        }
        return true;
    }
    if (!nkx_iter(vm, iterable, &it)) return false;
    bool ok;
    while ((ok = nkx_next(vm, it, &item)) && item.type != NKX_V_UNSET) {
        nkx_list_append(list, item);
        nkx_drop(item);
        if ((NKX_AS(nkx_list, list)->n & 0xfff) == 0 && !nkx_reserve(vm, 0)) {
            ok = false;
            break;
        }
    }
    nkx_drop(it);
    return ok;
}

bool nkx_list_of(nkx_vm *vm, nkx_value iterable, nkx_value *out)
{
    *out = nkx_list_new(vm, 0);
    if (nkx_list_extend(vm, *out, iterable)) return true;
    nkx_drop(*out);
    *out = NKX_UNSET;
    return false;
}
