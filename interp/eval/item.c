/* SPDX-License-Identifier: Apache-2.0 */
/* Subscripts of host values: items and slices, read, written and deleted; len(). Layer eval. */
#include "interp/eval/walk.h"

#include <string.h>

/* ---- slices ---- */

static bool bound(nkx_vm *vm, nkx_value v, bool *given, int64_t *out)
{
    *given = v.type != NKX_V_NONE && v.type != NKX_V_UNSET;
    return !*given || nkx_as_int(vm, v, "a slice index", out);
}

static int64_t clip(int64_t i, int64_t n, int64_t lo, int64_t hi)
{
    if (i < 0) i = i < -n ? -1 : i + n;
    return i < lo ? lo : i > hi ? hi : i;
}

bool nkx_slice_resolve(nkx_vm *vm, nkx_value slice, int64_t n, int64_t *start, int64_t *step,
                       int64_t *count)
{
    const nkx_slice_obj *s = NKX_AS(nkx_slice_obj, slice);
    bool has_start, has_stop, has_step;
    int64_t a = 0, b = 0, c = 1;
    if (!bound(vm, s->start, &has_start, &a) || !bound(vm, s->stop, &has_stop, &b) ||
        !bound(vm, s->step, &has_step, &c)) {
        return false;
    }
    if (s->is_ds && !nkx_add_i64(a, b, &b)) b = INT64_MAX;
    if (has_step && c == 0)
        return nkx_raise(vm, NKX_E211, "ValueError", "slice step cannot be zero");
    int64_t lo = c > 0 ? 0 : -1, hi = c > 0 ? n : n - 1;
    a = has_start ? clip(a, n, lo, hi) : (c > 0 ? lo : hi);
    b = has_stop ? clip(b, n, lo, hi) : (c > 0 ? hi : lo);
    *start = a;
    *step = c;
    if (c > 0) {
        *count = b > a ? (b - a - 1) / c + 1 : 0;
    } else {
        *count = a > b ? (a - b - 1) / -(c < -INT64_MAX ? -INT64_MAX : c) + 1 : 0;
    }
    return true;
}

static bool slice_items(nkx_vm *vm, nkx_value v, const nkx_value *at, uint32_t n, nkx_value key,
                        nkx_value *out)
{
    int64_t start, step, count;
    if (!nkx_slice_resolve(vm, key, n, &start, &step, &count)) return false;
    nkx_value *to;
    if (v.type == NKX_V_TUPLE) {
        *out = nkx_tuple_new(vm, (uint32_t)count);
        to = NKX_AS(nkx_tuple, *out)->at;
    } else {
        *out = nkx_list_new(vm, (uint32_t)count);
        NKX_AS(nkx_list, *out)->n = (uint32_t)count;
        to = NKX_AS(nkx_list, *out)->at;
    }
    for (int64_t i = 0; i < count; i++) to[i] = nkx_ref(at[start + i * step]);
    return true;
}

static bool slice_text(nkx_vm *vm, nkx_value v, nkx_value key, nkx_value *out)
{
    int64_t start, step, count;
    int64_t n = (int64_t)nkx_str_chars(v);
    if (!nkx_slice_resolve(vm, key, n, &start, &step, &count)) return false;
    nkx_buf b = {0};
    if (count > 0 && step == 1) {
        size_t from = nkx_str_offset(v, (size_t)start);
        size_t to = nkx_str_offset(v, (size_t)(start + count));
        nkx_buf_add(&b, nkx_text(v) + from, to - from);
    } else {
        for (int64_t i = 0; i < count; i++) {
            size_t from = nkx_str_offset(v, (size_t)(start + i * step));
            size_t to = nkx_str_offset(v, (size_t)(start + i * step) + 1);
            nkx_buf_add(&b, nkx_text(v) + from, to - from);
        }
    }
    *out = v.type == NKX_V_STR ? nkx_str_new(vm, b.at == NULL ? "" : b.at, b.len)
                               : nkx_bytes_new(vm, b.at == NULL ? "" : b.at, b.len);
    nkx_buf_fini(&b);
    return true;
}

static bool slice_range(nkx_vm *vm, nkx_value v, nkx_value key, nkx_value *out)
{
    const nkx_range_obj *r = NKX_AS(nkx_range_obj, v);
    int64_t start, step, count, n;
    if (!nkx_len(vm, v, &n) || !nkx_slice_resolve(vm, key, n, &start, &step, &count)) return false;
    int64_t from = r->start + start * r->step;
    *out = nkx_range_new(vm, from, from + count * step * r->step, step * r->step);
    return true;
}

/* ---- length ---- */

static bool range_len(nkx_vm *vm, const nkx_range_obj *r, int64_t *out)
{
    bool empty = r->step > 0 ? r->start >= r->stop : r->start <= r->stop;
    *out = 0;
    if (empty) return true;
    uint64_t span = r->step > 0 ? (uint64_t)r->stop - (uint64_t)r->start
                                : (uint64_t)r->start - (uint64_t)r->stop;
    uint64_t n = (span - 1) / (r->step > 0 ? (uint64_t)r->step : 0 - (uint64_t)r->step) + 1;
    if (n > INT64_MAX) return nkx_raise(vm, NKX_E215, "OverflowError", "the range is too long");
    *out = (int64_t)n;
    return true;
}

static bool instance_len(nkx_vm *vm, nkx_value v, int64_t *out)
{
    const nkx_instance *x = NKX_AS(nkx_instance, v);
    nkx_value r;
    bool found;
    if (!nkx_call_special(vm, v, vm->id.d_len, NULL, 0, &r, &found)) return false;
    if (!found && (x->cls->flags & NKX_CF_NAMEDTUPLE)) {
        *out = x->cls->n_fields;
        return true;
    }
    if (!found && (x->cls->flags & NKX_CF_STRENUM))
        return nkx_len(vm, nkx_attrs_get(&x->attrs, vm->id.underscore_value), out);
    if (!found && (x->cls->flags & NKX_CF_FLAG)) {
        nkx_value parts = nkx_flag_parts(vm, v);
        *out = NKX_AS(nkx_list, parts)->n;
        nkx_drop(parts);
        return true;
    }
    if (!found) {
        return nkx_raise(vm, NKX_E210, "TypeError", "object of type '%s' has no len()",
                         nkx_type_name(v));
    }
    bool ok = nkx_as_int(vm, r, "the result of __len__", out);
    nkx_drop(r);
    if (ok && *out < 0) {
        return nkx_raise(vm, NKX_E211, "ValueError", "__len__() should return >= 0");
    }
    return ok;
}

static bool view_rank0(nkx_vm *vm, nkx_value v)
{
    return nkx_raise(vm, NKX_E210, "TypeError", "len() of unsized object (%s)", nkx_type_name(v));
}

bool nkx_len(nkx_vm *vm, nkx_value v, int64_t *out)
{
    switch (v.type) {
    case NKX_V_STR:
    case NKX_V_BYTES: *out = (int64_t)nkx_str_chars(v); return true;
    case NKX_V_TUPLE: *out = NKX_AS(nkx_tuple, v)->n; return true;
    case NKX_V_LIST: *out = NKX_AS(nkx_list, v)->n; return true;
    case NKX_V_DICT:
    case NKX_V_SET: *out = nkx_dict_len(v); return true;
    case NKX_V_DICTVIEW: *out = nkx_dict_len(NKX_AS(nkx_dictview, v)->dict); return true;
    case NKX_V_RANGE: return range_len(vm, NKX_AS(nkx_range_obj, v), out);
    case NKX_V_INSTANCE: return instance_len(vm, v, out);
    case NKX_V_CLASS:
        if (NKX_AS(nkx_class, v)->members.type == NKX_V_LIST) {
            *out = NKX_AS(nkx_list, NKX_AS(nkx_class, v)->members)->n;
            return true;
        }
        break;
    case NKX_V_ARRAY:
        if (NKX_AS(nkx_array_obj, v)->a->ndim == 0) return view_rank0(vm, v);
        *out = NKX_AS(nkx_array_obj, v)->a->shape[0];
        return true;
    case NKX_V_TENSOR: *out = NKX_AS(nkx_tensor_obj, v)->view->shape[0]; return true;
    default: break;
    }
    return nkx_raise(vm, NKX_E210, "TypeError", "object of type '%s' has no len()",
                     nkx_type_name(v));
}

/* ---- reading ---- */

static bool index_of(nkx_vm *vm, nkx_value v, nkx_value key, int64_t n, int64_t *out)
{
    int64_t i;
    if (!nkx_is_int(key, &i)) {
        if (nkx_is_placeholder(key)) return nkx_placeholder_used(vm, key);
        bool has_index = key.type == NKX_V_ARRAY || key.type == NKX_V_INSTANCE;
        if (!has_index) {
            if (v.type == NKX_V_STR)
                return nkx_raise(vm, NKX_E210, "TypeError",
                                 "string indices must be integers, not '%s'", nkx_type_name(key));
            return nkx_raise(vm, NKX_E210, "TypeError",
                             "%s indices must be integers or slices, not %s", nkx_type_name(v),
                             nkx_type_name(key));
        }
        if (!nkx_as_int(vm, key, "an index", &i)) return false;
    }
    int64_t at = i < 0 ? i + n : i;
    if (at < 0 || at >= n) {
        nkx_raise(vm, NKX_E212, "IndexError", "%s index out of range",
                  v.type == NKX_V_STR     ? "string"
                  : v.type == NKX_V_RANGE ? "range object"
                                          : nkx_type_name(v));
        if (n == 0) {
            nkx_raise_hint(vm, "The index is %lld, but the %s is empty.", (long long)i,
                           nkx_type_name(v));
        } else {
            nkx_raise_hint(vm, "The index is %lld; items are numbered 0 to %lld.", (long long)i,
                           (long long)(n - 1));
        }
        return false;
    }
    *out = at;
    return true;
}

static bool text_item(nkx_vm *vm, nkx_value v, nkx_value key, nkx_value *out)
{
    int64_t i;
    if (!index_of(vm, v, key, (int64_t)nkx_str_chars(v), &i)) return false;
    if (v.type == NKX_V_BYTES) {
        *out = nkx_int((unsigned char)nkx_text(v)[i]);
        return true;
    }
    size_t from = nkx_str_offset(v, (size_t)i), to = nkx_str_offset(v, (size_t)i + 1);
    *out = nkx_str_new(vm, nkx_text(v) + from, to - from);
    return true;
}

static bool key_error(nkx_vm *vm, nkx_value key)
{
    nkx_buf b = {0};
    if (!nkx_repr(vm, key, &b)) {
        nkx_buf_fini(&b);
        return false;
    }
    nkx_raise(vm, NKX_E213, "KeyError", "%s", b.at);
    nkx_buf_fini(&b);
    nkx_exception_set_arg(vm, key);
    return false;
}

static bool dict_item(nkx_vm *vm, nkx_value v, nkx_value key, nkx_value *out)
{
    if (!nkx_dict_get(vm, v, key, out)) return false;
    if (out->type == NKX_V_UNSET) {
        return key_error(vm, key);
    }
    *out = nkx_ref(*out);
    return true;
}

static bool not_subscriptable(nkx_vm *vm, nkx_value v)
{
    return nkx_raise(vm, NKX_E228, "TypeError", "'%s' object is not subscriptable",
                     nkx_type_name(v));
}

/* Enum["NAME"], and Class[...] of annotations, which is the class. */
static bool class_item(nkx_vm *vm, nkx_value v, nkx_value key, nkx_value *out)
{
    const nkx_class *c = NKX_AS(nkx_class, v);
    if (c->members.type == NKX_V_LIST) {
        nkx_value m = NKX_UNSET;
        if (key.type == NKX_V_STR) m = nkx_attrs_get(&c->attrs, nkx_name_of(vm, key));
        if (m.type != NKX_V_INSTANCE || NKX_AS(nkx_instance, m)->cls != c)
            return key_error(vm, key);
        *out = nkx_ref(m);
        return true;
    }
    nkx_value f = nkx_class_lookup(c, vm->id.d_class_getitem);
    if (f.type != NKX_V_UNSET) {
        if (f.type == NKX_V_CLASSMETHOD) f = NKX_AS(nkx_wrap, f)->func;
        return nkx_call_n(vm, f, (nkx_value[]){v, key}, 2, out);
    }
    *out = nkx_ref(v);
    return true;
}

static bool instance_item(nkx_vm *vm, nkx_value v, nkx_value key, nkx_value *out)
{
    bool found;
    if (!nkx_call_special(vm, v, vm->id.d_getitem, &key, 1, out, &found)) return false;
    if (found) return true;
    if (NKX_AS(nkx_instance, v)->cls->flags & NKX_CF_NAMEDTUPLE) {
        nkx_value t = nkx_fields_tuple(vm, v);
        bool ok = nkx_get_item(vm, t, key, out);
        nkx_drop(t);
        return ok;
    }
    return not_subscriptable(vm, v);
}

bool nkx_get_item(nkx_vm *vm, nkx_value v, nkx_value key, nkx_value *out)
{
    int64_t i;
    *out = NKX_UNSET;
    switch (v.type) {
    case NKX_V_TUPLE: {
        const nkx_tuple *t = NKX_AS(nkx_tuple, v);
        if (key.type == NKX_V_SLICE) return slice_items(vm, v, t->at, t->n, key, out);
        if (!index_of(vm, v, key, t->n, &i)) return false;
        *out = nkx_ref(t->at[i]);
        return true;
    }
    case NKX_V_LIST: {
        const nkx_list *l = NKX_AS(nkx_list, v);
        if (key.type == NKX_V_SLICE) return slice_items(vm, v, l->at, l->n, key, out);
        if (!index_of(vm, v, key, l->n, &i)) return false;
        *out = nkx_ref(l->at[i]);
        return true;
    }
    case NKX_V_STR:
    case NKX_V_BYTES:
        return key.type == NKX_V_SLICE ? slice_text(vm, v, key, out) : text_item(vm, v, key, out);
    case NKX_V_DICT: return dict_item(vm, v, key, out);
    case NKX_V_RANGE: {
        int64_t n;
        if (key.type == NKX_V_SLICE) return slice_range(vm, v, key, out);
        if (!nkx_len(vm, v, &n) || !index_of(vm, v, key, n, &i)) return false;
        *out = nkx_int(NKX_AS(nkx_range_obj, v)->start + i * NKX_AS(nkx_range_obj, v)->step);
        return true;
    }
    case NKX_V_INSTANCE: return instance_item(vm, v, key, out);
    case NKX_V_CLASS: return class_item(vm, v, key, out);
    case NKX_V_TYPE: *out = v; return true; /* list[int] */
    case NKX_V_TENSOR: return nkx_tensor_index(vm, v, key, out);
    case NKX_V_ARRAY: return nkx_array_index(vm, v, key, out);
    case NKX_V_KERNEL: return nkx_kernel_index(vm, v, key, out);
    case NKX_V_NATIVE:
        if (NKX_AS(nkx_native, v)->type->item != NULL) {
            return NKX_AS(nkx_native, v)->type->item(vm, v, key, out);
        }
        return not_subscriptable(vm, v);
    default: return not_subscriptable(vm, v);
    }
}

/* ---- writing ---- */

/* l[a:b] = items: any number of items when the step is 1. */
static bool set_slice(nkx_vm *vm, nkx_value v, nkx_value key, nkx_value x)
{
    nkx_list *l = NKX_AS(nkx_list, v);
    int64_t start, step, count;
    nkx_value items;
    if (!nkx_slice_resolve(vm, key, l->n, &start, &step, &count)) return false;
    if (!nkx_list_of(vm, x, &items)) return false;
    nkx_list *from = NKX_AS(nkx_list, items);
    if (step != 1) {
        bool fits = from->n == (uint64_t)count;
        for (int64_t i = 0; fits && i < count; i++) {
            nkx_value old = l->at[start + i * step];
            l->at[start + i * step] = nkx_ref(from->at[i]);
            nkx_drop(old);
        }
        uint32_t n = from->n;
        nkx_drop(items);
        if (fits) return true;
        return nkx_raise(vm, NKX_E211, "ValueError",
                         "attempt to assign sequence of size %u to extended slice of size %lld", n,
                         (long long)count);
    }
    nkx_value old = nkx_list_new(vm, (uint32_t)count);
    for (int64_t i = 0; i < count; i++) nkx_list_append(old, l->at[start + i]);
    for (int64_t i = 0; i < count; i++) nkx_drop(l->at[start + i]);
    uint32_t n = l->n - (uint32_t)count + from->n;
    nkx_list_reserve(l, n);
    memmove((void *)(l->at + start + from->n), l->at + start + count,
            (size_t)(l->n - start - count) * sizeof *l->at);
    for (uint32_t i = 0; i < from->n; i++) l->at[start + i] = nkx_ref(from->at[i]);
    l->n = n;
    nkx_drop(items);
    nkx_drop(old);
    return true;
}

static bool set_list_item(nkx_vm *vm, nkx_value v, nkx_value key, nkx_value x)
{
    nkx_list *l = NKX_AS(nkx_list, v);
    int64_t i;
    if (key.type == NKX_V_SLICE) return set_slice(vm, v, key, x);
    if (!index_of(vm, v, key, l->n, &i)) return false;
    nkx_value old = l->at[i];
    l->at[i] = nkx_ref(x);
    nkx_drop(old);
    return true;
}

bool nkx_set_item(nkx_vm *vm, nkx_value v, nkx_value key, nkx_value x)
{
    nkx_value r;
    bool found;
    switch (v.type) {
    case NKX_V_LIST: return set_list_item(vm, v, key, x);
    case NKX_V_DICT: return nkx_dict_set(vm, v, key, x);
    case NKX_V_TENSOR: return nkx_tensor_set_index(vm, v, key, x);
    case NKX_V_ARRAY: return nkx_array_set_index(vm, v, key, x);
    case NKX_V_INSTANCE: {
        nkx_value at[] = {key, x};
        if (!nkx_call_special(vm, v, vm->id.d_setitem, at, 2, &r, &found)) return false;
        if (!found) break;
        nkx_drop(r);
        return true;
    }
    case NKX_V_NATIVE:
        if (nkx_is_placeholder(v)) return true;
        break;
    default: break;
    }
    return nkx_raise(vm, NKX_E228, "TypeError", "'%s' object does not support item assignment",
                     nkx_type_name(v));
}

static bool del_list_item(nkx_vm *vm, nkx_value v, nkx_value key)
{
    nkx_list *l = NKX_AS(nkx_list, v);
    int64_t start, step = 1, count = 1;
    if (key.type == NKX_V_SLICE) {
        if (!nkx_slice_resolve(vm, key, l->n, &start, &step, &count)) return false;
        if (step < 0) {
            start += (count - 1) * step;
            step = -step;
        }
    } else if (!index_of(vm, v, key, l->n, &start)) {
        return false;
    }
    nkx_value gone = nkx_list_new(vm, (uint32_t)count);
    for (int64_t i = count; i-- > 0;) {
        int64_t at = start + i * step;
        nkx_list_append(gone, l->at[at]);
        nkx_drop(l->at[at]);
        memmove((void *)(l->at + at), l->at + at + 1, (size_t)(l->n - at - 1) * sizeof *l->at);
        l->n--;
    }
    nkx_drop(gone);
    return true;
}

bool nkx_del_item(nkx_vm *vm, nkx_value v, nkx_value key)
{
    nkx_value r;
    bool found;
    switch (v.type) {
    case NKX_V_LIST: return del_list_item(vm, v, key);
    case NKX_V_DICT:
        if (!nkx_dict_del(vm, v, key, &r)) return false;
        if (r.type == NKX_V_UNSET) return key_error(vm, key);
        nkx_drop(r);
        return true;
    case NKX_V_INSTANCE:
        if (!nkx_call_special(vm, v, vm->id.d_delitem, &key, 1, &r, &found)) return false;
        if (!found) break;
        nkx_drop(r);
        return true;
    default: break;
    }
    return nkx_raise(vm, NKX_E228, "TypeError", "'%s' object does not support item deletion",
                     nkx_type_name(v));
}
