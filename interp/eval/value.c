/* SPDX-License-Identifier: Apache-2.0 */
/* Makers of values, names of types, conversions. Layer eval. */
#include "interp/eval/objects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

nkx_value nkx_tuple_new(nkx_vm *vm, uint32_t n)
{
    nkx_tuple *t = nkx_obj_new(vm, NKX_V_TUPLE, sizeof *t + n * sizeof(nkx_value));
    t->n = n;
    for (uint32_t i = 0; i < n; i++) t->at[i] = NKX_NONE;
    return nkx_of(t);
}

nkx_value nkx_tuple_of(nkx_vm *vm, const nkx_value *items, uint32_t n)
{
    nkx_tuple *t = nkx_obj_new(vm, NKX_V_TUPLE, sizeof *t + n * sizeof(nkx_value));
    t->n = n;
    for (uint32_t i = 0; i < n; i++) t->at[i] = nkx_ref(items[i]);
    return nkx_of(t);
}

void nkx_list_reserve(nkx_list *l, uint32_t cap)
{
    if (cap <= l->cap) return;
    uint32_t want = l->cap + l->cap / 2 + 4;
    if (want < cap) want = cap;
    nkx_obj_vm(&l->base)->bytes += (want - l->cap) * sizeof *l->at;
    l->at = nkx_realloc(l->at, want * sizeof *l->at);
    l->cap = want;
}

nkx_value nkx_list_new(nkx_vm *vm, uint32_t cap)
{
    nkx_list *l = nkx_obj_new(vm, NKX_V_LIST, sizeof *l);
    if (cap > 0) nkx_list_reserve(l, cap);
    return nkx_of(l);
}

void nkx_list_append(nkx_value list, nkx_value item)
{
    nkx_list *l = NKX_AS(nkx_list, list);
    if (l->n == l->cap) nkx_list_reserve(l, l->n + 1);
    l->at[l->n++] = nkx_ref(item);
}

nkx_value nkx_slice_new(nkx_vm *vm, nkx_value start, nkx_value stop, nkx_value step)
{
    nkx_slice_obj *s = nkx_obj_new(vm, NKX_V_SLICE, sizeof *s);
    s->start = nkx_ref(start);
    s->stop = nkx_ref(stop);
    s->step = nkx_ref(step);
    return nkx_of(s);
}

nkx_value nkx_range_new(nkx_vm *vm, int64_t start, int64_t stop, int64_t step)
{
    nkx_range_obj *r = nkx_obj_new(vm, NKX_V_RANGE, sizeof *r);
    r->start = start;
    r->stop = stop;
    r->step = step;
    return nkx_of(r);
}

nkx_value nkx_tensor_take(nkx_vm *vm, nkx_view *view)
{
    nkx_tensor_obj *t = nkx_obj_new(vm, NKX_V_TENSOR, sizeof *t);
    t->view = view;
    return nkx_of(t);
}

nkx_value nkx_register_value_take(nkx_vm *vm, nkx_register *reg)
{
    nkx_register_obj *r = nkx_obj_new(vm, NKX_V_REGISTER, sizeof *r);
    r->reg = reg;
    return nkx_of(r);
}

nkx_value nkx_array_take(nkx_vm *vm, nkx_ndarray *a)
{
    nkx_array_obj *o = nkx_obj_new(vm, NKX_V_ARRAY, sizeof *o);
    o->a = a;
    return nkx_of(o);
}

nkx_value nkx_method_new(nkx_vm *vm, nkx_value self, nkx_value func)
{
    nkx_method *m = nkx_obj_new(vm, NKX_V_METHOD, sizeof *m);
    m->self = nkx_ref(self);
    m->func = nkx_ref(func);
    return nkx_of(m);
}

nkx_value nkx_cell_new(nkx_vm *vm, nkx_value v)
{
    nkx_cell *c = nkx_obj_new(vm, NKX_V_CELL, sizeof *c);
    c->v = nkx_ref(v);
    return nkx_of(c);
}

nkx_value nkx_wrap_new(nkx_vm *vm, nkx_vtype type, nkx_value func)
{
    nkx_wrap *w = nkx_obj_new(vm, type, sizeof *w);
    w->func = nkx_ref(func);
    return nkx_of(w);
}

nkx_value nkx_kernel_new(nkx_vm *vm, nkx_value func)
{
    nkx_kernel_obj *k = nkx_obj_new(vm, NKX_V_KERNEL, sizeof *k);
    k->func = nkx_ref(func);
    if (func.type == NKX_V_FUNCTION) {
        const nkx_function *f = NKX_AS(nkx_function, func);
        k->name = f->name;
        k->span = f->node->span;
    } else {
        k->name = nkx_intern(vm, "kernel");
    }
    return nkx_of(k);
}

nkx_value nkx_iter_new(nkx_vm *vm, const nkx_iter_type *type, nkx_value a, nkx_value b)
{
    nkx_iter_obj *it = nkx_obj_new(vm, NKX_V_ITER, sizeof *it);
    it->type = type;
    it->a = nkx_ref(a);
    it->b = nkx_ref(b);
    return nkx_of(it);
}

nkx_value nkx_dictview_new(nkx_vm *vm, nkx_value dict, int what)
{
    nkx_dictview *v = nkx_obj_new(vm, NKX_V_DICTVIEW, sizeof *v);
    v->dict = nkx_ref(dict);
    v->what = what;
    return nkx_of(v);
}

nkx_value nkx_native_new(nkx_vm *vm, const nkx_native_type *type, size_t bytes)
{
    nkx_native *n = nkx_obj_new(vm, NKX_V_NATIVE, sizeof *n + bytes);
    n->type = type;
    n->bytes = bytes;
    return nkx_of(n);
}

nkx_value nkx_builtin_value(const nkx_builtin *row)
{
    return (nkx_value){.type = NKX_V_BUILTIN, .u.builtin = row};
}

const char *nkx_vtype_name(nkx_vtype t)
{
    static const char *const names[NKX_N_VTYPES] = {
        [NKX_V_UNSET] = "unset",
        [NKX_V_NONE] = "NoneType",
        [NKX_V_BOOL] = "bool",
        [NKX_V_INT] = "int",
        [NKX_V_FLOAT] = "float",
        [NKX_V_ELLIPSIS] = "ellipsis",
        [NKX_V_NOT_IMPLEMENTED] = "NotImplementedType",
        [NKX_V_DTYPE] = "dtype",
        [NKX_V_OP] = "operator",
        [NKX_V_MEMBER] = "enum member",
        [NKX_V_TYPE] = "type",
        [NKX_V_BUILTIN] = "builtin_function_or_method",
        [NKX_V_STR] = "str",
        [NKX_V_BYTES] = "bytes",
        [NKX_V_TUPLE] = "tuple",
        [NKX_V_LIST] = "list",
        [NKX_V_DICT] = "dict",
        [NKX_V_SET] = "set",
        [NKX_V_RANGE] = "range",
        [NKX_V_SLICE] = "slice",
        [NKX_V_ITER] = "iterator",
        [NKX_V_CELL] = "cell",
        [NKX_V_FUNCTION] = "function",
        [NKX_V_METHOD] = "method",
        [NKX_V_KERNEL] = "Kernel",
        [NKX_V_CLASS] = "type",
        [NKX_V_INSTANCE] = "object",
        [NKX_V_MODULE] = "module",
        [NKX_V_PROPERTY] = "property",
        [NKX_V_STATICMETHOD] = "staticmethod",
        [NKX_V_CLASSMETHOD] = "classmethod",
        [NKX_V_SUPER] = "super",
        [NKX_V_TENSOR] = "NkiTensor",
        [NKX_V_REGISTER] = "VirtualRegister",
        [NKX_V_ARRAY] = "numpy.ndarray",
        [NKX_V_NATIVE] = "object",
        [NKX_V_DICTVIEW] = "dict_view",
    };
    return names[t];
}

static const char *const view_names[] = {"dict_keys", "dict_values", "dict_items"};

const char *nkx_type_name(nkx_value v)
{
    if (v.type == NKX_V_INSTANCE) return NKX_AS(nkx_instance, v)->cls->name->text;
    if (v.type == NKX_V_NATIVE) return NKX_AS(nkx_native, v)->type->name;
    if (v.type == NKX_V_ITER) return NKX_AS(nkx_iter_obj, v)->type->name;
    if (v.type == NKX_V_MEMBER) return nkx_isa_enums[v.u.m.which].name;
    if (v.type == NKX_V_DICTVIEW) return view_names[NKX_AS(nkx_dictview, v)->what];
    return nkx_vtype_name((nkx_vtype)v.type);
}

nkx_value nkx_type_of(nkx_vm *vm, nkx_value v)
{
    (void)vm;
    if (v.type == NKX_V_INSTANCE) return nkx_ref(nkx_of(NKX_AS(nkx_instance, v)->cls));
    nkx_vtype t = v.type == NKX_V_CLASS ? NKX_V_TYPE : (nkx_vtype)v.type;
    return (nkx_value){.type = NKX_V_TYPE, .u.i = t};
}

bool nkx_is_int(nkx_value v, int64_t *out)
{
    if (v.type == NKX_V_INT || v.type == NKX_V_BOOL) {
        *out = v.u.i;
        return true;
    }
    if (v.type != NKX_V_INSTANCE) return false;
    const nkx_instance *x = NKX_AS(nkx_instance, v);
    if ((x->cls->flags & NKX_CF_INTENUM) == 0) return false;
    const nkx_vm *vm = nkx_obj_vm(&x->base);
    return nkx_is_int(nkx_attrs_get(&x->attrs, vm->id.underscore_value), out);
}

bool nkx_is_number(nkx_value v, double *out)
{
    int64_t i;
    if (v.type == NKX_V_FLOAT) {
        *out = v.u.f;
        return true;
    }
    if (!nkx_is_int(v, &i)) return false;
    *out = (double)i;
    return true;
}

bool nkx_as_int(nkx_vm *vm, nkx_value v, const char *what, int64_t *out)
{
    if (nkx_is_int(v, out)) return true;
    if (v.type == NKX_V_INSTANCE) {
        nkx_value f = nkx_class_lookup(NKX_AS(nkx_instance, v)->cls, vm->id.d_index), r;
        if (f.type != NKX_V_UNSET) {
            if (!nkx_call_n(vm, f, &v, 1, &r)) return false;
            bool is_int = nkx_is_int(r, out);
            nkx_drop(r);
            if (is_int) return true;
        }
    }
    if (v.type == NKX_V_ARRAY) { /* numpy integers of rank 0 stand for ints */
        const nkx_ndarray *a = NKX_AS(nkx_array_obj, v)->a;
        if (a->ndim == 0 && nkx_dtype_is_int((nkx_dtype)a->dtype)) {
            *out = nkx_load_i64((nkx_dtype)a->dtype, a->at);
            return true;
        }
    }
    return nkx_raise(vm, NKX_E210, "TypeError", "%s must be an integer, not '%s'", what,
                     nkx_type_name(v));
}

bool nkx_as_float(nkx_vm *vm, nkx_value v, const char *what, double *out)
{
    if (nkx_is_number(v, out)) return true;
    if (v.type == NKX_V_ARRAY) {
        const nkx_ndarray *a = NKX_AS(nkx_array_obj, v)->a;
        if (nkx_nd_size(a) == 1) {
            *out = nkx_load_f64((nkx_dtype)a->dtype, a->at);
            return true;
        }
    }
    return nkx_raise(vm, NKX_E210, "TypeError", "%s must be a number, not '%s'", what,
                     nkx_type_name(v));
}

/* A shape is one int, or a tuple or list of ints. */
bool nkx_as_shape(nkx_vm *vm, nkx_value v, const char *what, int64_t *dims, int max, int *n)
{
    if (nkx_is_int(v, dims)) {
        *n = 1;
        return true;
    }
    const nkx_value *at = NULL;
    uint32_t len = 0;
    if (v.type == NKX_V_TUPLE) {
        at = NKX_AS(nkx_tuple, v)->at;
        len = NKX_AS(nkx_tuple, v)->n;
    } else if (v.type == NKX_V_LIST) {
        at = NKX_AS(nkx_list, v)->at;
        len = NKX_AS(nkx_list, v)->n;
    } else {
        return nkx_raise(vm, NKX_E210, "TypeError", "%s must be a tuple of integers, not '%s'",
                         what, nkx_type_name(v));
    }
    if (len > (uint32_t)max) {
        return nkx_raise(vm, NKX_E211, "ValueError",
                         "%s has %u dimensions, at most %d are possible", what, len, max);
    }
    for (uint32_t i = 0; i < len; i++) {
        if (!nkx_as_int(vm, at[i], what, &dims[i])) return false;
    }
    *n = (int)len;
    return true;
}
