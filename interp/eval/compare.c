/* SPDX-License-Identifier: Apache-2.0 */
/* Truth, equality, hashes, order and membership of values, by Python's rules. Layer eval. */
#include "interp/eval/nki.h"
#include "interp/eval/objects.h"

#include <math.h>
#include <string.h>

/* ---- truth ---- */

static bool instance_truth(nkx_vm *vm, nkx_value v, bool *out)
{
    nkx_value r;
    bool found;
    if (!nkx_call_special(vm, v, vm->id.d_bool, NULL, 0, &r, &found)) return false;
    if (found) {
        *out = r.type == NKX_V_BOOL && r.u.i != 0;
        bool is_bool = r.type == NKX_V_BOOL;
        if (!is_bool) {
            nkx_raise(vm, NKX_E210, "TypeError", "__bool__ should return bool, returned %s",
                      nkx_type_name(r));
        }
        nkx_drop(r);
        return is_bool;
    }
    const nkx_class *c;
    int64_t bits;
    if (nkx_flag_bits(v, &c, &bits)) {
        *out = bits != 0;
        return true;
    }
    if (nkx_class_lookup(NKX_AS(nkx_instance, v)->cls, vm->id.d_len).type != NKX_V_UNSET) {
        int64_t n;
        if (!nkx_len(vm, v, &n)) return false;
        *out = n != 0;
        return true;
    }
    int64_t i;
    *out = nkx_is_int(v, &i) ? i != 0 : true;
    return true;
}

static bool range_empty(const nkx_range_obj *r)
{
    return r->step > 0 ? r->start >= r->stop : r->start <= r->stop;
}

bool nkx_truth(nkx_vm *vm, nkx_value v, bool *out)
{
    switch ((nkx_vtype)v.type) {
    case NKX_V_NONE:
    case NKX_V_UNSET: *out = false; return true;
    case NKX_V_BOOL:
    case NKX_V_INT: *out = v.u.i != 0; return true;
    case NKX_V_FLOAT: *out = v.u.f != 0; return true;
    case NKX_V_STR:
    case NKX_V_BYTES: *out = nkx_text_len(v) != 0; return true;
    case NKX_V_TUPLE: *out = NKX_AS(nkx_tuple, v)->n != 0; return true;
    case NKX_V_LIST: *out = NKX_AS(nkx_list, v)->n != 0; return true;
    case NKX_V_DICT:
    case NKX_V_SET: *out = NKX_AS(nkx_dict, v)->n != 0; return true;
    case NKX_V_DICTVIEW: *out = nkx_dict_len(NKX_AS(nkx_dictview, v)->dict) != 0; return true;
    case NKX_V_RANGE: *out = !range_empty(NKX_AS(nkx_range_obj, v)); return true;
    case NKX_V_INSTANCE: return instance_truth(vm, v, out);
    case NKX_V_TENSOR: return nkx_tensor_truth(vm, v, out);
    case NKX_V_REGISTER: return nkx_register_truth(vm, v, out);
    case NKX_V_ARRAY: return nkx_array_truth(vm, v, out);
    case NKX_V_ELLIPSIS:
    case NKX_V_NOT_IMPLEMENTED:
    case NKX_V_DTYPE:
    case NKX_V_OP:
    case NKX_V_MEMBER:
    case NKX_V_TYPE:
    case NKX_V_BUILTIN:
    case NKX_V_SLICE:
    case NKX_V_ITER:
    case NKX_V_CELL:
    case NKX_V_FUNCTION:
    case NKX_V_METHOD:
    case NKX_V_KERNEL:
    case NKX_V_CLASS:
    case NKX_V_MODULE:
    case NKX_V_PROPERTY:
    case NKX_V_STATICMETHOD:
    case NKX_V_CLASSMETHOD:
    case NKX_V_SUPER:
    case NKX_N_VTYPES: *out = true; return true;
    case NKX_V_NATIVE: *out = true; return !nkx_is_placeholder(v) || nkx_placeholder_used(vm, v);
    }
    *out = true;
    return true;
}

/* ---- equality ---- */

static bool equal_items(nkx_vm *vm, const nkx_value *a, const nkx_value *b, uint32_t n, bool *out)
{
    *out = true;
    for (uint32_t i = 0; i < n && *out; i++) {
        if (!nkx_equal(vm, a[i], b[i], out)) return false;
    }
    return true;
}

static bool equal_dicts(nkx_vm *vm, nkx_value a, nkx_value b, bool *out)
{
    nkx_value key, x, y;
    *out = nkx_dict_len(a) == nkx_dict_len(b);
    for (uint32_t i = 0; *out && nkx_dict_next(a, &i, &key, &x);) {
        if (!nkx_dict_get(vm, b, key, &y)) return false;
        if (y.type == NKX_V_UNSET) {
            *out = false;
        } else if (a.type == NKX_V_DICT && !nkx_equal(vm, x, y, out)) {
            return false;
        }
    }
    return true;
}

/* Fields of two instances of one dataclass, in order. */
static bool equal_fields(nkx_vm *vm, nkx_value a, nkx_value b, bool *out)
{
    const nkx_instance *x = NKX_AS(nkx_instance, a), *y = NKX_AS(nkx_instance, b);
    *out = true;
    for (uint32_t i = 0; i < x->cls->n_fields && *out; i++) {
        const nkx_field *f = &x->cls->fields[i];
        if (!f->compare || f->class_var) continue;
        nkx_value u = nkx_attrs_get(&x->attrs, f->name), v = nkx_attrs_get(&y->attrs, f->name);
        if (!nkx_equal(vm, u, v, out)) return false;
    }
    return true;
}

static bool try_eq(nkx_vm *vm, nkx_value a, nkx_value b, bool *found, bool *out)
{
    nkx_value r;
    *found = false;
    if (a.type != NKX_V_INSTANCE) return true;
    if (!nkx_call_special(vm, a, vm->id.d_eq, &b, 1, &r, found)) return false;
    if (!*found) return true;
    if (r.type == NKX_V_NOT_IMPLEMENTED) {
        *found = false;
        return true;
    }
    bool ok = nkx_truth(vm, r, out);
    nkx_drop(r);
    return ok;
}

static bool is_named_tuple(nkx_value v)
{
    return v.type == NKX_V_INSTANCE && (NKX_AS(nkx_instance, v)->cls->flags & NKX_CF_NAMEDTUPLE);
}

static bool equal_instances(nkx_vm *vm, nkx_value a, nkx_value b, bool *out)
{
    bool found;
    int64_t i, j;
    if (!try_eq(vm, a, b, &found, out)) return false;
    if (found) return true;
    if (!try_eq(vm, b, a, &found, out)) return false;
    if (found) return true;
    if (is_named_tuple(a) || is_named_tuple(b)) {
        nkx_value x = is_named_tuple(a) ? nkx_fields_tuple(vm, a) : nkx_ref(a);
        nkx_value y = is_named_tuple(b) ? nkx_fields_tuple(vm, b) : nkx_ref(b);
        bool ok = nkx_equal(vm, x, y, out);
        nkx_drop(x);
        nkx_drop(y);
        return ok;
    }
    if (a.type == NKX_V_INSTANCE && b.type == NKX_V_INSTANCE) {
        const nkx_class *c = NKX_AS(nkx_instance, a)->cls;
        if (a.u.o == b.u.o) {
            *out = true;
            return true;
        }
        if (c == NKX_AS(nkx_instance, b)->cls && (c->flags & NKX_CF_EQ)) {
            return equal_fields(vm, a, b, out);
        }
    }
    if (nkx_is_int(a, &i) && nkx_is_int(b, &j)) {
        *out = i == j;
        return true;
    }
    if (a.type == NKX_V_INSTANCE && (NKX_AS(nkx_instance, a)->cls->flags & NKX_CF_STRENUM)) {
        return nkx_equal(
            vm, nkx_attrs_get(&NKX_AS(nkx_instance, a)->attrs, vm->id.underscore_value), b, out);
    }
    if (b.type == NKX_V_INSTANCE && (NKX_AS(nkx_instance, b)->cls->flags & NKX_CF_STRENUM)) {
        return equal_instances(vm, b, a, out);
    }
    *out = nkx_is_counted(a) && nkx_is_counted(b) && a.u.o == b.u.o;
    return true;
}

static bool equal_arrays(nkx_vm *vm, nkx_value a, nkx_value b, bool *out)
{
    nkx_value r;
    if (!nkx_array_compare(vm, NKX_OP_EQ, a, b, &r)) return false;
    bool ok = nkx_truth(vm, r, out);
    nkx_drop(r);
    return ok;
}

static bool equal_text(nkx_value a, nkx_value b)
{
    const nkx_str *x = NKX_AS(nkx_str, a), *y = NKX_AS(nkx_str, b);
    return x == y || (x->len == y->len && memcmp(x->text, y->text, x->len) == 0);
}

static int64_t range_len(const nkx_range_obj *r)
{
    if (range_empty(r)) return 0;
    uint64_t span = r->step > 0 ? (uint64_t)r->stop - (uint64_t)r->start
                                : (uint64_t)r->start - (uint64_t)r->stop;
    uint64_t step = r->step > 0 ? (uint64_t)r->step : 0 - (uint64_t)r->step;
    return (int64_t)((span - 1) / step + 1);
}

static bool equal_ranges(const nkx_range_obj *a, const nkx_range_obj *b)
{
    int64_t n = range_len(a);
    if (n != range_len(b)) return false;
    return n == 0 || (a->start == b->start && (n == 1 || a->step == b->step));
}

/* keys() and items() are sets; values() is nothing but itself. */
static bool is_set_like(nkx_value v)
{
    return v.type == NKX_V_SET || (v.type == NKX_V_DICTVIEW && NKX_AS(nkx_dictview, v)->what != 1);
}

static bool equal_views(nkx_vm *vm, nkx_value a, nkx_value b, bool *out)
{
    int64_t n, m;
    nkx_value it, item;
    *out = a.type == b.type && a.u.o == b.u.o;
    if (*out || !is_set_like(a) || !is_set_like(b)) return true;
    if (!nkx_len(vm, a, &n) || !nkx_len(vm, b, &m)) return false;
    *out = n == m;
    if (!*out) return true;
    if (!nkx_iter(vm, a, &it)) return false;
    bool ok = true;
    while (ok && *out) {
        ok = nkx_next(vm, it, &item);
        if (!ok || item.type == NKX_V_UNSET) break;
        ok = nkx_contains(vm, b, item, out);
        nkx_drop(item);
    }
    nkx_drop(it);
    return ok;
}

/* Both of one counted type. */
static bool equal_objects(nkx_vm *vm, nkx_value a, nkx_value b, bool *out)
{
    *out = a.u.o == b.u.o;
    if (a.type == NKX_V_STR || a.type == NKX_V_BYTES) {
        *out = equal_text(a, b);
    } else if (*out) {
        return true;
    } else if (a.type == NKX_V_TUPLE) {
        const nkx_tuple *x = NKX_AS(nkx_tuple, a), *y = NKX_AS(nkx_tuple, b);
        return x->n != y->n || equal_items(vm, x->at, y->at, x->n, out);
    } else if (a.type == NKX_V_LIST) {
        const nkx_list *x = NKX_AS(nkx_list, a), *y = NKX_AS(nkx_list, b);
        return x->n != y->n || equal_items(vm, x->at, y->at, x->n, out);
    } else if (a.type == NKX_V_DICT || a.type == NKX_V_SET) {
        return equal_dicts(vm, a, b, out);
    } else if (a.type == NKX_V_RANGE) {
        *out = equal_ranges(NKX_AS(nkx_range_obj, a), NKX_AS(nkx_range_obj, b));
    } else if (a.type == NKX_V_SLICE) {
        const nkx_slice_obj *x = NKX_AS(nkx_slice_obj, a), *y = NKX_AS(nkx_slice_obj, b);
        return equal_items(vm, &x->start, &y->start, 3, out);
    } else if (a.type == NKX_V_METHOD) {
        const nkx_method *x = NKX_AS(nkx_method, a), *y = NKX_AS(nkx_method, b);
        return equal_items(vm, &x->self, &y->self, 2, out);
    } else if (a.type == NKX_V_NATIVE) {
        const nkx_native *x = NKX_AS(nkx_native, a), *y = NKX_AS(nkx_native, b);
        *out = x->type == y->type && x->type->equal != NULL && x->type->equal(a, b);
    }
    return true;
}

/* Generations of targets are ordered and compare with ints (isa.md 4.1). */
static bool generation(nkx_value v, int64_t *out)
{
    if (v.type != NKX_V_MEMBER || v.u.m.which != NKX_ENUM_NC_VERSION) return false;
    *out = v.u.m.value;
    return true;
}

/*
 * Arguments lie in HBM that is neither of the kernel's own kinds, and public kernels compare their
 * .buffer with either (isa.md 1.3): it equals both.
 */
static bool same_member(nkx_value a, nkx_value b)
{
    if (a.u.i == b.u.i) return true;
    if (a.type != NKX_V_MEMBER || (a.aux == 0 && b.aux == 0)) return false;
    return a.u.m.which == NKX_ENUM_MEMORY_REGION && b.u.m.which == a.u.m.which &&
           !nkx_member_on_chip(a) && !nkx_member_on_chip(b);
}

/* The type of arrays that a Python type stands for: an array of truth values has dtype bool. */
static int64_t type_as_dtype(nkx_value v)
{
    switch ((int)v.u.i) {
    case NKX_V_BOOL: return NKX_DT_BOOL;
    case NKX_V_INT: return NKX_DT_INT64;
    case NKX_V_FLOAT: return NKX_DT_FP64;
    default: return -1;
    }
}

bool nkx_equal(nkx_vm *vm, nkx_value a, nkx_value b, bool *out)
{
    double x, y;
    int64_t i, j;
    if (a.type == NKX_V_INT && b.type == NKX_V_INT) {
        *out = a.u.i == b.u.i;
        return true;
    }
    if (a.type == NKX_V_INSTANCE || b.type == NKX_V_INSTANCE) {
        return nkx_stack_check(vm) && equal_instances(vm, a, b, out);
    }
    if (a.type == NKX_V_ARRAY || b.type == NKX_V_ARRAY) {
        if (a.type != NKX_V_NONE && b.type != NKX_V_NONE) return equal_arrays(vm, a, b, out);
    }
    if (nkx_is_int(a, &i) && nkx_is_int(b, &j)) {
        *out = i == j;
        return true;
    }
    if (nkx_is_number(a, &x) && nkx_is_number(b, &y)) {
        /* a long double holds every 64-bit integer */
        *out = (nkx_is_int(a, &i) ? (long double)i : (long double)x) ==
               (nkx_is_int(b, &j) ? (long double)j : (long double)y);
        return true;
    }
    if (a.type == NKX_V_DICTVIEW || b.type == NKX_V_DICTVIEW) return equal_views(vm, a, b, out);
    if (a.type == b.type && nkx_is_counted(a)) {
        return nkx_stack_check(vm) && equal_objects(vm, a, b, out);
    }
    if (a.type == NKX_V_DTYPE && b.type == NKX_V_STR) {
        *out = (int64_t)nkx_dtype_find(nkx_text(b)) == a.u.i;
    } else if (a.type == NKX_V_STR && b.type == NKX_V_DTYPE) {
        *out = (int64_t)nkx_dtype_find(nkx_text(a)) == b.u.i;
    } else if (a.type == NKX_V_DTYPE && b.type == NKX_V_TYPE) {
        *out = a.u.i == type_as_dtype(b);
    } else if (a.type == NKX_V_TYPE && b.type == NKX_V_DTYPE) {
        *out = b.u.i == type_as_dtype(a);
    } else if (a.type == NKX_V_NONE || a.type == NKX_V_ELLIPSIS || a.type == NKX_V_UNSET) {
        *out = a.type == b.type;
    } else if ((generation(a, &i) && nkx_is_int(b, &j)) ||
               (nkx_is_int(a, &i) && generation(b, &j))) {
        *out = i == j;
    } else {
        *out = a.type == b.type && same_member(a, b);
    }
    return true;
}

/* ---- hashes ---- */

static uint64_t mix(uint64_t h)
{
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdULL;
    h ^= h >> 33;
    return h;
}

static bool hash_items(nkx_vm *vm, const nkx_value *at, uint32_t n, uint64_t *out)
{
    uint64_t h = 0x345678 + n;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t one;
        if (!nkx_hash(vm, at[i], &one)) return false;
        h = mix(h ^ one) + i;
    }
    *out = h;
    return true;
}

static bool unhashable(nkx_vm *vm, nkx_value v)
{
    return nkx_raise(vm, NKX_E229, "TypeError", "unhashable type: '%s'", nkx_type_name(v));
}

static bool hash_instance(nkx_vm *vm, nkx_value v, uint64_t *out)
{
    const nkx_instance *x = NKX_AS(nkx_instance, v);
    nkx_value r;
    bool found;
    int64_t i;
    nkx_value f = nkx_class_lookup(x->cls, vm->id.d_hash);
    if (f.type == NKX_V_NONE) return unhashable(vm, v);
    if (!nkx_call_special(vm, v, vm->id.d_hash, NULL, 0, &r, &found)) return false;
    if (found) {
        bool ok = nkx_as_int(vm, r, "the result of __hash__", &i);
        nkx_drop(r);
        *out = mix((uint64_t)i);
        return ok;
    }
    if (x->cls->flags & NKX_CF_UNHASHABLE) return unhashable(vm, v);
    if (x->cls->flags & NKX_CF_STRENUM)
        return nkx_hash(vm, nkx_attrs_get(&x->attrs, vm->id.underscore_value), out);
    if (x->cls->flags & NKX_CF_NEWHASH) {
        uint64_t h = 17;
        for (uint32_t k = 0; k < x->cls->n_fields; k++) {
            uint64_t one = 0;
            if (x->cls->fields[k].class_var) continue;
            nkx_value field = nkx_attrs_get(&x->attrs, x->cls->fields[k].name);
            if (!nkx_hash(vm, field, &one)) return false;
            h = mix(h ^ one) + k;
        }
        *out = h;
        return true;
    }
    *out = nkx_is_int(v, &i) ? mix((uint64_t)i) : mix((uint64_t)(uintptr_t)v.u.o);
    return true;
}

bool nkx_hash(nkx_vm *vm, nkx_value v, uint64_t *out)
{
    switch ((nkx_vtype)v.type) {
    case NKX_V_BOOL:
    case NKX_V_INT: *out = mix((uint64_t)v.u.i); return true;
    case NKX_V_FLOAT:
        if (v.u.f == floor(v.u.f) && fabs(v.u.f) < 9e18) {
            *out = mix((uint64_t)(int64_t)v.u.f);
        } else {
            *out = mix((uint64_t)v.u.i);
        }
        return true;
    case NKX_V_STR:
    case NKX_V_BYTES: *out = nkx_str_hash(NKX_AS(nkx_str, v)); return true;
    case NKX_V_TUPLE:
        return nkx_stack_check(vm) &&
               hash_items(vm, NKX_AS(nkx_tuple, v)->at, NKX_AS(nkx_tuple, v)->n, out);
    case NKX_V_INSTANCE: return nkx_stack_check(vm) && hash_instance(vm, v, out);
    case NKX_V_METHOD: return hash_items(vm, &NKX_AS(nkx_method, v)->self, 2, out);
    case NKX_V_RANGE: *out = mix((uint64_t)range_len(NKX_AS(nkx_range_obj, v))); return true;
    case NKX_V_LIST:
    case NKX_V_DICT:
    case NKX_V_SET:
        /* frozenset is a set that is flagged: its items mix without order */
        if (v.type == NKX_V_SET && (v.u.o->flags & NKX_OF_FROZEN)) {
            nkx_value key;
            uint64_t h = 1;
            for (uint32_t i = 0; nkx_dict_next(v, &i, &key, NULL);) {
                h += mix(NKX_AS(nkx_dict, v)->at[i - 1].hash);
            }
            *out = h;
            return true;
        }
        return unhashable(vm, v);
    case NKX_V_ARRAY: { /* a NumPy scalar is the number it holds */
        const nkx_ndarray *a = NKX_AS(nkx_array_obj, v)->a;
        if (!a->scalar) return unhashable(vm, v);
        if (nkx_dtype_is_int((nkx_dtype)a->dtype)) {
            return nkx_hash(vm, nkx_int(nkx_load_i64((nkx_dtype)a->dtype, a->at)), out);
        }
        return nkx_hash(vm, nkx_float(nkx_load_f64((nkx_dtype)a->dtype, a->at)), out);
    }
    case NKX_V_SLICE:
    case NKX_V_DICTVIEW: return unhashable(vm, v);
    case NKX_V_UNSET:
    case NKX_V_NONE:
    case NKX_V_ELLIPSIS:
    case NKX_V_NOT_IMPLEMENTED:
    case NKX_V_DTYPE:
    case NKX_V_OP:
    case NKX_V_MEMBER:
    case NKX_V_TYPE:
    case NKX_V_BUILTIN: *out = mix((uint64_t)v.u.i + ((uint64_t)v.type << 56)); return true;
    case NKX_V_ITER:
    case NKX_V_CELL:
    case NKX_V_FUNCTION:
    case NKX_V_KERNEL:
    case NKX_V_CLASS:
    case NKX_V_MODULE:
    case NKX_V_PROPERTY:
    case NKX_V_STATICMETHOD:
    case NKX_V_CLASSMETHOD:
    case NKX_V_SUPER:
    case NKX_V_TENSOR:
    case NKX_V_REGISTER:
    case NKX_N_VTYPES: *out = mix((uint64_t)(uintptr_t)v.u.o); return true;
    case NKX_V_NATIVE:
        *out =
            mix((uint64_t)(uintptr_t)(nkx_is_placeholder(v) ? (const void *)nkx_placeholder_path(v)
                                                            : (const void *)v.u.o));
        return true;
    }
    return unhashable(vm, v);
}

/* ---- order ---- */

static bool holds(int op, int order)
{
    switch (op) {
    case NKX_OP_LT: return order < 0;
    case NKX_OP_LTE: return order <= 0;
    case NKX_OP_GT: return order > 0;
    default: return order >= 0;
    }
}

static bool order_text(int op, nkx_value a, nkx_value b)
{
    const nkx_str *x = NKX_AS(nkx_str, a), *y = NKX_AS(nkx_str, b);
    uint32_t n = x->len < y->len ? x->len : y->len;
    int c = memcmp(x->text, y->text, n);
    if (c == 0) c = (x->len > y->len) - (x->len < y->len);
    return holds(op, c);
}

/* a long double holds every 64-bit integer */
static bool order_numbers(int op, long double x, long double y)
{
    switch (op) {
    case NKX_OP_LT: return x < y;
    case NKX_OP_LTE: return x <= y;
    case NKX_OP_GT: return x > y;
    default: return x >= y;
    }
}

static const char *op_text(int op)
{
    return nkx_op_text((nkx_ast_op)op);
}

static bool no_order(nkx_vm *vm, int op, nkx_value a, nkx_value b)
{
    return nkx_raise(vm, NKX_E209, "TypeError",
                     "'%s' not supported between instances of '%s' and '%s'", op_text(op),
                     nkx_type_name(a), nkx_type_name(b));
}

/* Sequences: the first items that differ decide. */
static bool order_items(nkx_vm *vm, int op, const nkx_value *a, uint32_t n, const nkx_value *b,
                        uint32_t m, nkx_value *out)
{
    uint32_t i = 0;
    for (bool same = true; i < n && i < m; i++) {
        if (!nkx_equal(vm, a[i], b[i], &same)) return false;
        if (!same) return nkx_compare_values(vm, op, a[i], b[i], out);
    }
    *out = nkx_bool(holds(op, (n > m) - (n < m)));
    return true;
}

static bool subset(nkx_vm *vm, nkx_value a, nkx_value b, bool *out)
{
    nkx_value key, found;
    *out = true;
    for (uint32_t i = 0; *out && nkx_dict_next(a, &i, &key, NULL);) {
        if (!nkx_dict_get(vm, b, key, &found)) return false;
        *out = found.type != NKX_V_UNSET;
    }
    return true;
}

static bool order_sets(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    bool ok;
    if (op == NKX_OP_GT || op == NKX_OP_GTE) {
        nkx_value t = a;
        a = b;
        b = t;
    }
    if (!subset(vm, a, b, &ok)) return false;
    bool strict = op == NKX_OP_LT || op == NKX_OP_GT;
    *out = nkx_bool(ok && (!strict || nkx_dict_len(a) < nkx_dict_len(b)));
    return true;
}

/* __lt__ and its like, then the mirrored one of the other side. */
static bool order_instances(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    const nkx_name *const names[] = {vm->id.d_lt, vm->id.d_le, vm->id.d_gt, vm->id.d_ge};
    const nkx_name *const mirror[] = {vm->id.d_gt, vm->id.d_ge, vm->id.d_lt, vm->id.d_le};
    bool found = false;
    if (a.type == NKX_V_INSTANCE) {
        if (!nkx_call_special(vm, a, names[op - NKX_OP_LT], &b, 1, out, &found)) return false;
        if (found && out->type != NKX_V_NOT_IMPLEMENTED) return true;
    }
    if (b.type == NKX_V_INSTANCE) {
        if (!nkx_call_special(vm, b, mirror[op - NKX_OP_LT], &a, 1, out, &found)) return false;
        if (found && out->type != NKX_V_NOT_IMPLEMENTED) return true;
    }
    if (a.type == NKX_V_INSTANCE && b.type == NKX_V_INSTANCE) {
        const nkx_instance *x = NKX_AS(nkx_instance, a), *y = NKX_AS(nkx_instance, b);
        if (x->cls == y->cls && (x->cls->flags & NKX_CF_ORDER)) {
            nkx_value s = nkx_fields_tuple(vm, a), t = nkx_fields_tuple(vm, b);
            bool ok = nkx_compare_values(vm, op, s, t, out);
            nkx_drop(s);
            nkx_drop(t);
            return ok;
        }
    }
    int64_t i, j;
    if (nkx_is_int(a, &i) && nkx_is_int(b, &j)) {
        *out = nkx_bool(holds(op, (i > j) - (i < j)));
        return true;
    }
    return no_order(vm, op, a, b);
}

static bool order_values(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    double x, y;
    int64_t i, j;
    if (generation(a, &i) || generation(b, &j)) {
        if (!(generation(a, &i) || nkx_is_int(a, &i)) ||
            !(generation(b, &j) || nkx_is_int(b, &j))) {
            return no_order(vm, op, a, b);
        }
        *out = nkx_bool(holds(op, (i > j) - (i < j)));
        return true;
    }
    if (a.type == NKX_V_INSTANCE || b.type == NKX_V_INSTANCE) {
        return order_instances(vm, op, a, b, out);
    }
    if (nkx_is_int(a, &i) && nkx_is_int(b, &j)) {
        *out = nkx_bool(holds(op, (i > j) - (i < j)));
        return true;
    }
    if (nkx_is_number(a, &x) && nkx_is_number(b, &y)) {
        *out = nkx_bool(order_numbers(op, nkx_is_int(a, &i) ? (long double)i : (long double)x,
                                      nkx_is_int(b, &j) ? (long double)j : (long double)y));
        return true;
    }
    if (a.type != b.type) return no_order(vm, op, a, b);
    switch (a.type) {
    case NKX_V_STR:
    case NKX_V_BYTES: *out = nkx_bool(order_text(op, a, b)); return true;
    case NKX_V_TUPLE:
        return order_items(vm, op, NKX_AS(nkx_tuple, a)->at, NKX_AS(nkx_tuple, a)->n,
                           NKX_AS(nkx_tuple, b)->at, NKX_AS(nkx_tuple, b)->n, out);
    case NKX_V_LIST:
        return order_items(vm, op, NKX_AS(nkx_list, a)->at, NKX_AS(nkx_list, a)->n,
                           NKX_AS(nkx_list, b)->at, NKX_AS(nkx_list, b)->n, out);
    case NKX_V_SET: return order_sets(vm, op, a, b, out);
    default: return no_order(vm, op, a, b);
    }
}

bool nkx_compare_order(nkx_vm *vm, nkx_value a, nkx_value b, bool *less)
{
    nkx_value r;
    if (!nkx_compare_values(vm, NKX_OP_LT, a, b, &r)) return false;
    bool ok = nkx_truth(vm, r, less);
    nkx_drop(r);
    return ok;
}

/* ---- membership ---- */

static bool text_contains(nkx_value in, nkx_value x)
{
    uint32_t n = nkx_text_len(in), m = nkx_text_len(x);
    return m == 0 || memmem(nkx_text(in), n, nkx_text(x), m) != NULL;
}

static bool any_equal(nkx_vm *vm, const nkx_value *at, uint32_t n, nkx_value x, bool *out)
{
    *out = false;
    for (uint32_t i = 0; i < n && !*out; i++) {
        if (nkx_is_counted(x) && x.type == at[i].type && x.u.o == at[i].u.o) {
            *out = true;
        } else if (!nkx_equal(vm, at[i], x, out)) {
            return false;
        }
    }
    return true;
}

static bool iterated_contains(nkx_vm *vm, nkx_value in, nkx_value x, bool *out)
{
    nkx_value it, item;
    *out = false;
    if (!nkx_iter(vm, in, &it)) return false;
    bool ok = true;
    while (ok && !*out) {
        ok = nkx_next(vm, it, &item);
        if (!ok || item.type == NKX_V_UNSET) break;
        ok = any_equal(vm, &item, 1, x, out);
        nkx_drop(item);
    }
    nkx_drop(it);
    return ok;
}

static bool view_contains(nkx_vm *vm, nkx_value in, nkx_value x, bool *out)
{
    const nkx_dictview *v = NKX_AS(nkx_dictview, in);
    if (v->what != 0) return iterated_contains(vm, in, x, out);
    return nkx_contains(vm, v->dict, x, out);
}

bool nkx_contains(nkx_vm *vm, nkx_value in, nkx_value x, bool *out)
{
    nkx_value found;
    switch (in.type) {
    case NKX_V_TUPLE:
        return any_equal(vm, NKX_AS(nkx_tuple, in)->at, NKX_AS(nkx_tuple, in)->n, x, out);
    case NKX_V_LIST:
        return any_equal(vm, NKX_AS(nkx_list, in)->at, NKX_AS(nkx_list, in)->n, x, out);
    case NKX_V_DICT:
    case NKX_V_SET:
        if (!nkx_dict_get(vm, in, x, &found)) return false;
        *out = found.type != NKX_V_UNSET;
        return true;
    case NKX_V_STR:
        if (x.type != NKX_V_STR) {
            return nkx_raise(vm, NKX_E210, "TypeError",
                             "'in <string>' requires string as left operand, not %s",
                             nkx_type_name(x));
        }
        *out = text_contains(in, x);
        return true;
    case NKX_V_RANGE: {
        const nkx_range_obj *r = NKX_AS(nkx_range_obj, in);
        int64_t i;
        if (!nkx_is_int(x, &i)) return iterated_contains(vm, in, x, out);
        bool inside = r->step > 0 ? i >= r->start && i < r->stop : i <= r->start && i > r->stop;
        *out = inside && (i - r->start) % r->step == 0;
        return true;
    }
    case NKX_V_DICTVIEW: return view_contains(vm, in, x, out);
    case NKX_V_INSTANCE: {
        nkx_value r;
        bool has;
        if (!nkx_call_special(vm, in, vm->id.d_contains, &x, 1, &r, &has)) return false;
        const nkx_class *c, *d;
        int64_t all, some;
        if (!has && nkx_flag_bits(in, &c, &all) && nkx_flag_bits(x, &d, &some) && c == d) {
            *out = (all & some) == some;
            return true;
        }
        if (!has && !nkx_iterable(in)) {
            return nkx_raise(vm, NKX_E210, "TypeError", "argument of type '%s' is not iterable",
                             nkx_type_name(in));
        }
        if (!has) return iterated_contains(vm, in, x, out);
        bool ok = nkx_truth(vm, r, out);
        nkx_drop(r);
        return ok;
    }
    default:
        if (!nkx_iterable(in)) {
            nkx_raise(vm, NKX_E210, "TypeError", "argument of type '%s' is not iterable",
                      nkx_type_name(in));
            return nkx_placeholder_blame(vm, &in, 1);
        }
        return iterated_contains(vm, in, x, out);
    }
}

/* ---- the comparison operators ---- */

static bool is_same(nkx_value a, nkx_value b)
{
    if (a.type != b.type) return false;
    if (a.type == NKX_V_NONE || a.type == NKX_V_ELLIPSIS) return true;
    if (a.type == NKX_V_STR) return equal_text(a, b);
    if (a.type == NKX_V_TUPLE && NKX_AS(nkx_tuple, a)->n == 0) {
        return NKX_AS(nkx_tuple, b)->n == 0;
    }
    return a.u.i == b.u.i;
}

static bool compare_equal(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    bool r, none = a.type == NKX_V_NONE || b.type == NKX_V_NONE;
    if (!none && (a.type == NKX_V_ARRAY || b.type == NKX_V_ARRAY)) {
        return nkx_array_compare(vm, op, a, b, out);
    }
    if (!none && (a.type == NKX_V_REGISTER || b.type == NKX_V_REGISTER)) {
        return nkx_register_binary(vm, op, a, b, out);
    }
    if (!none && (a.type == NKX_V_TENSOR || b.type == NKX_V_TENSOR)) {
        return nkx_tensor_compare(vm, op, a, b, out);
    }
    const nkx_name *name = op == NKX_OP_EQ ? vm->id.d_eq : vm->id.d_ne;
    for (int turn = 0; turn < 2; turn++) { /* the method's own answer, whatever it is */
        bool found;
        if (!nkx_call_special(vm, turn == 0 ? a : b, name, turn == 0 ? &b : &a, 1, out, &found)) {
            return false;
        }
        if (found && out->type != NKX_V_NOT_IMPLEMENTED) return true;
    }
    if (!nkx_equal(vm, a, b, &r)) return false;
    *out = nkx_bool(r == (op == NKX_OP_EQ));
    return true;
}

static bool device_order(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out, bool *done)
{
    *done = true;
    if (a.type == NKX_V_ARRAY || b.type == NKX_V_ARRAY) {
        return nkx_array_compare(vm, op, a, b, out);
    }
    if (a.type == NKX_V_REGISTER || b.type == NKX_V_REGISTER) {
        return nkx_register_binary(vm, op, a, b, out);
    }
    if (a.type == NKX_V_TENSOR || b.type == NKX_V_TENSOR) {
        return nkx_tensor_compare(vm, op, a, b, out);
    }
    *done = false;
    return true;
}

bool nkx_compare_values(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    bool r, done;
    if (nkx_is_unknown(a) || nkx_is_unknown(b))
        return nkx_placeholder_used(vm, nkx_is_unknown(a) ? a : b);
    switch (op) {
    case NKX_OP_EQ:
    case NKX_OP_NOTEQ: return compare_equal(vm, op, a, b, out);
    case NKX_OP_IS:
    case NKX_OP_ISNOT: *out = nkx_bool(is_same(a, b) == (op == NKX_OP_IS)); return true;
    case NKX_OP_IN:
    case NKX_OP_NOTIN:
        if (!nkx_contains(vm, b, a, &r)) return false;
        *out = nkx_bool(r == (op == NKX_OP_IN));
        return true;
    default:
        if (!device_order(vm, op, a, b, out, &done)) return false;
        if (done || (nkx_stack_check(vm) && order_values(vm, op, a, b, out))) return true;
        return nkx_placeholder_blame(vm, (nkx_value[]){a, b}, 2);
    }
}
