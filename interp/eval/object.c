/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of every type of value. nkx_load_attr finds the value without making a bound method: a
 * call of a method passes self itself. Layer eval.
 */
#include "interp/eval/versions.h"
#include "interp/eval/walk.h"

#include <stdlib.h>
#include <string.h>

/* ---- methods of builtin types: an index by name, made on first use ---- */

enum { INDEX_CAP = 256 };

typedef struct nkx_method_index {
    uint32_t cap;
    const nkx_name **names;
    const nkx_builtin **rows;
} nkx_method_index;

static void add_row(nkx_method_index *x, const nkx_name *name, const nkx_builtin *row)
{
    uint32_t i = name->id & (x->cap - 1);
    while (x->names[i] != NULL) {
        if (x->names[i] == name) return;
        i = (i + 1) & (x->cap - 1);
    }
    x->names[i] = name;
    x->rows[i] = row;
}

static void make_index(nkx_vm *vm, nkx_vtype t)
{
    const nkx_builtin *rows = nkx_method_table(t);
    uint32_t n = 0;
    while (rows != NULL && rows[n].name != NULL) n++;
    nkx_method_index *x = nkx_alloc(sizeof *x);
    x->cap = 16;
    while (x->cap < n * 2) x->cap *= 2;
    x->names = nkx_alloc(x->cap * sizeof *x->names);
    x->rows = nkx_alloc(x->cap * sizeof *x->rows);
    for (uint32_t i = 0; i < n; i++) add_row(x, nkx_intern(vm, rows[i].name), &rows[i]);
    vm->method_index[t] = x;
}

const nkx_builtin *nkx_find_method(nkx_vm *vm, nkx_vtype t, const nkx_name *name)
{
    if (t == NKX_V_BOOL) t = NKX_V_INT;
    if (vm->method_index[t] == NULL) make_index(vm, t);
    const nkx_method_index *x = vm->method_index[t];
    for (uint32_t i = name->id & (x->cap - 1); x->names[i] != NULL; i = (i + 1) & (x->cap - 1)) {
        if (x->names[i] == name) return x->rows[i];
    }
    return NULL;
}

void nkx_method_index_free(nkx_vm *vm)
{
    for (unsigned t = 0; t < NKX_N_VTYPES; t++) {
        if (vm->method_index[t] == NULL) continue;
        free((void *)vm->method_index[t]->names);
        free((void *)vm->method_index[t]->rows);
        free(vm->method_index[t]);
        vm->method_index[t] = NULL;
    }
}

/* ---- reading ---- */

static bool special(const nkx_name *name)
{
    return name->text[0] == '_' && name->text[1] == '_';
}

static nkx_value module_name(nkx_vm *vm, const nkx_module_obj *m)
{
    return m == NULL ? nkx_cstr(vm, "builtins") : nkx_str_of_name(vm, m->name);
}

static nkx_value doc_of(nkx_vm *vm, const char *doc)
{
    return doc == NULL ? NKX_NONE : nkx_cstr(vm, doc);
}

/* A value of a class as seen through `self` (INSTANCE or, for class methods, CLASS). */
static bool bind(nkx_vm *vm, nkx_value v, nkx_value self, nkx_value *out, bool *takes_self)
{
    switch (v.type) {
    case NKX_V_FUNCTION:
        *out = nkx_ref(v);
        *takes_self = true;
        return true;
    case NKX_V_BUILTIN:
        *out = v;
        *takes_self = (v.u.builtin->flags & NKX_BF_METHOD) != 0;
        return true;
    case NKX_V_STATICMETHOD: *out = nkx_ref(NKX_AS(nkx_wrap, v)->func); return true;
    case NKX_V_CLASSMETHOD: {
        nkx_value cls = self.type == NKX_V_CLASS ? self : nkx_of(NKX_AS(nkx_instance, self)->cls);
        *out = nkx_method_new(vm, cls, NKX_AS(nkx_wrap, v)->func);
        return true;
    }
    case NKX_V_PROPERTY:
        if (NKX_AS(nkx_wrap, v)->func.type == NKX_V_NONE) {
            return nkx_raise(vm, NKX_E203, "AttributeError", "unreadable attribute");
        }
        return nkx_call_n(vm, NKX_AS(nkx_wrap, v)->func, &self, 1, out);
    default: *out = nkx_ref(v); return true;
    }
}

static nkx_value dict_of_attrs(nkx_vm *vm, const nkx_attrs *a);

/* As dict_of_attrs; assignments into it reach the object. */
static nkx_value live_dict(nkx_vm *vm, const nkx_attrs *a, nkx_value owner)
{
    nkx_value d = dict_of_attrs(vm, a);
    NKX_AS(nkx_dict, d)->owner = nkx_ref(owner).u.o;
    return d;
}

static nkx_value dict_of_attrs(nkx_vm *vm, const nkx_attrs *a)
{
    nkx_value d = nkx_dict_new(vm);
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->values[i].type == NKX_V_UNSET) continue;
        nkx_dict_put_name(vm, d, a->names[i], a->values[i]);
    }
    return d;
}

static bool exception_attr(nkx_vm *vm, const nkx_instance *x, const nkx_name *name, nkx_value *out)
{
    if (name == vm->id.plain_args) {
        *out = nkx_ref(x->exc->args);
    } else if (name == vm->id.d_cause) {
        *out = nkx_ref(x->exc->cause);
    } else if (name == vm->id.d_context) {
        *out = nkx_ref(x->exc->context);
    } else if (name == vm->id.d_traceback) {
        *out = NKX_NONE;
    } else if (name == vm->id.code && nkx_class_is(x->cls, vm->classes[NKX_CLS_SystemExit])) {
        const nkx_tuple *args = NKX_AS(nkx_tuple, x->exc->args);
        *out = args->n > 0 ? nkx_ref(args->at[0]) : NKX_NONE;
    }
    if (out->type == NKX_V_UNSET && name == vm->id.plain_value) {
        const nkx_tuple *args = NKX_AS(nkx_tuple, x->exc->args);
        if (nkx_class_is(x->cls, vm->classes[NKX_CLS_StopIteration])) {
            *out = args->n > 0 ? nkx_ref(args->at[0]) : NKX_NONE;
        }
    }
    return true;
}

/* What every object has, and what a member of an enum of strings or numbers has from its value. */
static bool plain_method(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out,
                         bool *takes_self)
{
    const nkx_instance *x = NKX_AS(nkx_instance, v);
    if (!nkx_object_method(vm, v, name, out, takes_self)) return false;
    if (out->type != NKX_V_UNSET || !(x->cls->flags & (NKX_CF_STRENUM | NKX_CF_INTENUM)))
        return true;
    nkx_value plain = nkx_attrs_get(&x->attrs, vm->id.underscore_value);
    return plain.type == NKX_V_INSTANCE || nkx_find_attr(vm, plain, name, out);
}

static bool instance_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out,
                          bool *takes_self)
{
    const nkx_instance *x = NKX_AS(nkx_instance, v);
    nkx_value own = nkx_attrs_get(&x->attrs, name);
    if (own.type != NKX_V_UNSET) {
        *out = nkx_ref(own);
        return true;
    }
    nkx_value c = nkx_class_lookup(x->cls, name);
    if (c.type != NKX_V_UNSET) return bind(vm, c, v, out, takes_self);
    if (x->cls->flags & NKX_CF_ENUM) {
        const nkx_name *hidden = name == vm->id.plain_name    ? vm->id.underscore_name
                                 : name == vm->id.plain_value ? vm->id.underscore_value
                                                              : NULL;
        if (hidden != NULL) {
            *out = nkx_ref(nkx_attrs_get(&x->attrs, hidden));
            return true;
        }
    }
    if (x->exc != NULL && !exception_attr(vm, x, name, out)) return false;
    if (out->type != NKX_V_UNSET) return true;
    if (name == vm->id.d_class) {
        *out = nkx_ref(nkx_of(x->cls));
    } else if (name == vm->id.d_dict) {
        *out = live_dict(vm, &x->attrs, v);
    } else if (name == vm->id.d_doc || name == vm->id.d_module) {
        return nkx_find_attr(vm, nkx_of(x->cls), name, out);
    } else {
        nkx_value f = nkx_class_lookup(x->cls, vm->id.d_getattr);
        if (f.type == NKX_V_UNSET) return plain_method(vm, v, name, out, takes_self);
        nkx_value text = nkx_str_of_name(vm, name);
        bool ok = nkx_call_n(vm, f, (nkx_value[]){v, text}, 2, out);
        nkx_drop(text);
        return ok;
    }
    return true;
}

static nkx_value bases_of(nkx_vm *vm, const nkx_class *c)
{
    nkx_value t = nkx_tuple_new(vm, (c->super != NULL) + c->n_extra);
    uint32_t n = 0;
    if (c->super != NULL) NKX_AS(nkx_tuple, t)->at[n++] = nkx_ref(nkx_of(c->super));
    for (uint32_t i = 0; i < c->n_extra; i++) {
        NKX_AS(nkx_tuple, t)->at[n++] = nkx_ref(nkx_of(c->extra[i]));
    }
    return t;
}

static nkx_value mro_of(nkx_vm *vm, const nkx_class *c)
{
    nkx_value l = nkx_list_new(vm, 4);
    uint32_t i = 0;
    for (const nkx_class *k = c; k != NULL; k = nkx_class_next(c, k, &i)) {
        nkx_list_append(l, (nkx_value){.type = NKX_V_CLASS, .u.o = (nkx_obj *)(uintptr_t)k});
    }
    nkx_value t = nkx_tuple_of(vm, NKX_AS(nkx_list, l)->at, NKX_AS(nkx_list, l)->n);
    nkx_drop(l);
    return t;
}

static nkx_value members_of(nkx_vm *vm, const nkx_class *c)
{
    nkx_value d = nkx_dict_new(vm);
    for (uint32_t i = 0; i < c->attrs.n; i++) {
        nkx_value m = c->attrs.values[i];
        if (m.type != NKX_V_INSTANCE || NKX_AS(nkx_instance, m)->cls != c) continue;
        nkx_dict_put_name(vm, d, c->attrs.names[i], m);
    }
    return d;
}

static nkx_value annotations_of(nkx_vm *vm, const nkx_class *c)
{
    nkx_value d = nkx_dict_new(vm);
    for (uint32_t i = 0; i < c->n_fields; i++) {
        nkx_dict_put_name(vm, d, c->fields[i].name, NKX_NONE);
    }
    return d;
}

static bool class_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out)
{
    const nkx_class *c = NKX_AS(nkx_class, v);
    nkx_value own = nkx_class_lookup(c, name);
    bool unbound = false;
    if (own.type == NKX_V_PROPERTY || own.type == NKX_V_FUNCTION || own.type == NKX_V_BUILTIN) {
        *out = nkx_ref(own);
        return true;
    }
    if (own.type != NKX_V_UNSET) return bind(vm, own, v, out, &unbound);
    if (!special(name)) return true;
    if (name == vm->id.d_name) {
        *out = nkx_str_of_name(vm, c->name);
    } else if (name == vm->id.d_qualname) {
        *out = nkx_cstr(vm, c->qualname);
    } else if (name == vm->id.d_module) {
        *out = module_name(vm, c->module);
    } else if (name == vm->id.d_doc) {
        *out = NKX_NONE;
    } else if (name == vm->id.d_dict) {
        *out = dict_of_attrs(vm, &c->attrs);
    } else if (name == vm->id.d_bases) {
        *out = bases_of(vm, c);
    } else if (name == vm->id.d_mro) {
        *out = mro_of(vm, c);
    } else if (name == vm->id.d_members && c->members.type == NKX_V_LIST) {
        *out = members_of(vm, c);
    } else if (name == vm->id.d_annotations) {
        *out = annotations_of(vm, c);
    } else if (name == vm->id.d_class) {
        *out = nkx_type_of(vm, v);
    } else {
        bool self = false;
        return nkx_object_method(vm, v, name, out, &self);
    }
    return true;
}

/* __defaults__ as a tuple, __kwdefaults__ as a dict; None for none. */
static nkx_value defaults_of(nkx_vm *vm, const nkx_function *f, bool positional)
{
    const nkx_params *ps = f->params;
    nkx_value l = nkx_list_new(vm, 4), d = nkx_dict_new(vm), out = NKX_NONE;
    for (uint32_t i = 0; f->defaults != NULL && i < ps->n_pos + ps->n_kwonly; i++) {
        if (f->defaults[i].type == NKX_V_UNSET) continue;
        if (i < ps->n_pos) {
            nkx_list_append(l, f->defaults[i]);
        } else {
            nkx_dict_put_name(vm, d, ps->at[i].name, f->defaults[i]);
        }
    }
    if (positional && NKX_AS(nkx_list, l)->n > 0)
        out = nkx_tuple_of(vm, NKX_AS(nkx_list, l)->at, NKX_AS(nkx_list, l)->n);
    if (!positional && nkx_dict_len(d) > 0) out = nkx_ref(d);
    nkx_drop(l);
    nkx_drop(d);
    return out;
}

static bool function_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out)
{
    const nkx_function *f = NKX_AS(nkx_function, v);
    if (f->attrs != NULL) {
        nkx_value own = nkx_attrs_get(f->attrs, name);
        if (own.type != NKX_V_UNSET) {
            *out = nkx_ref(own);
            return true;
        }
    }
    if (name == vm->id.d_defaults || strcmp(name->text, "__kwdefaults__") == 0) {
        *out = defaults_of(vm, f, name == vm->id.d_defaults);
    } else if (name == vm->id.d_name) {
        *out = nkx_str_of_name(vm, f->name);
    } else if (name == vm->id.d_qualname) {
        *out = nkx_cstr(vm, f->qualname);
    } else if (name == vm->id.d_module) {
        *out = module_name(vm, f->module);
    } else if (name == vm->id.d_doc) {
        bool is_def = f->node->kind == NKX_FUNCTION_DEF;
        *out = doc_of(vm,
                      is_def ? ((const nkx_function_def *)(const void *)f->node)->docstring : NULL);
    } else if (name == vm->id.d_dict) {
        *out = f->attrs == NULL ? nkx_dict_new(vm) : dict_of_attrs(vm, f->attrs);
    } else if (name == vm->id.d_call) {
        *out = nkx_ref(v);
    }
    return true;
}

static bool method_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out)
{
    const nkx_method *m = NKX_AS(nkx_method, v);
    if (strcmp(name->text, "__self__") == 0) {
        *out = nkx_ref(m->self);
    } else if (strcmp(name->text, "__func__") == 0) {
        *out = nkx_ref(m->func);
    } else {
        return nkx_find_attr(vm, m->func, name, out);
    }
    return true;
}

static bool module_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out)
{
    nkx_module_obj *m = NKX_AS(nkx_module_obj, v);
    nkx_value own = nkx_attrs_get(&m->globals, name);
    if (own.type == NKX_V_UNSET && m->def != NULL && m->def->stdlib != NULL && !m->stdlib_loaded) {
        if (!nkx_module_load_stdlib(vm, m)) return false;
        own = nkx_attrs_get(&m->globals, name);
    }
    if (own.type != NKX_V_UNSET) {
        *out = nkx_ref(own);
    } else if (name == vm->id.d_name) {
        *out = nkx_str_of_name(vm, m->name);
    } else if (name == vm->id.d_dict) {
        *out = live_dict(vm, &m->globals, v);
    } else if (name == vm->id.d_doc || name == vm->id.d_file) {
        *out = NKX_NONE;
    } else {
        nkx_value f = nkx_attrs_get(&m->globals, vm->id.d_getattr);
        if (f.type == NKX_V_UNSET) return true;
        nkx_value text = nkx_str_of_name(vm, name);
        bool ok = nkx_call_n(vm, f, &text, 1, out);
        nkx_drop(text);
        return ok;
    }
    return true;
}

static bool builtin_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out)
{
    const nkx_builtin *b = v.u.builtin;
    if (name == vm->id.d_name || name == vm->id.d_qualname) {
        *out = nkx_cstr(vm, b->name);
    } else if (name == vm->id.d_doc) {
        *out = doc_of(vm, b->doc);
    } else if (name == vm->id.d_module) {
        *out = nkx_cstr(vm, "builtins");
    }
    return true;
}

static bool type_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out)
{
    const nkx_builtin *row = nkx_find_method(vm, (nkx_vtype)v.u.i, name);
    if (row != NULL) {
        *out = nkx_builtin_value(row);
    } else if (name == vm->id.d_name || name == vm->id.d_qualname) {
        *out = nkx_cstr(vm, nkx_vtype_name((nkx_vtype)v.u.i));
    } else if (name == vm->id.d_module) {
        *out = nkx_cstr(vm, "builtins");
    } else if (name == vm->id.d_doc) {
        *out = NKX_NONE;
    }
    return true;
}

static bool super_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out,
                       bool *takes_self)
{
    const nkx_super *s = NKX_AS(nkx_super, v);
    const nkx_class *c = s->self.type == NKX_V_CLASS ? NKX_AS(nkx_class, s->self)
                                                     : NKX_AS(nkx_instance, s->self)->cls;
    nkx_value found = nkx_class_lookup_behind(c, s->from, name);
    bool ok = found.type == NKX_V_UNSET ? nkx_object_method(vm, s->self, name, out, takes_self)
                                        : bind(vm, found, s->self, out, takes_self);
    if (ok && *takes_self) { /* self is not the super object itself: bind at once */
        nkx_value f = *out;
        *out = nkx_method_new(vm, s->self, f);
        nkx_drop(f);
        *takes_self = false;
    }
    return ok;
}

static bool wrap_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out,
                      bool *takes_self)
{
    if (v.type == NKX_V_PROPERTY) {
        const nkx_builtin *row = nkx_property_method(name);
        if (row != NULL) {
            *out = nkx_builtin_value(row);
            *takes_self = true;
            return true;
        }
    }
    if (strcmp(name->text, "__func__") == 0 || strcmp(name->text, "fget") == 0) {
        *out = nkx_ref(NKX_AS(nkx_wrap, v)->func);
        return true;
    }
    return nkx_find_attr(vm, NKX_AS(nkx_wrap, v)->func, name, out);
}

static bool slice_attr(nkx_value v, const nkx_name *name, nkx_value *out)
{
    int which = strcmp(name->text, "start") == 0  ? 0
                : strcmp(name->text, "stop") == 0 ? 1
                : strcmp(name->text, "step") == 0 ? 2
                                                  : -1;
    if (which < 0) return true;
    if (v.type == NKX_V_SLICE) {
        const nkx_slice_obj *s = NKX_AS(nkx_slice_obj, v);
        *out = nkx_ref(which == 0 ? s->start : which == 1 ? s->stop : s->step);
    } else {
        const nkx_range_obj *r = NKX_AS(nkx_range_obj, v);
        *out = nkx_int(which == 0 ? r->start : which == 1 ? r->stop : r->step);
    }
    return true;
}

static bool op_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out)
{
    if (name == vm->id.d_name || name == vm->id.plain_name) {
        *out = nkx_cstr(vm, nkx_alu_rows[v.u.i].name);
    }
    return true;
}

/* Attributes beyond the rows of the type's method table. */
static bool other_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out,
                       bool *takes_self)
{
    switch ((nkx_vtype)v.type) {
    case NKX_V_INSTANCE: return instance_attr(vm, v, name, out, takes_self);
    case NKX_V_CLASS: return class_attr(vm, v, name, out);
    case NKX_V_MODULE: return module_attr(vm, v, name, out);
    case NKX_V_FUNCTION: return function_attr(vm, v, name, out);
    case NKX_V_METHOD: return method_attr(vm, v, name, out);
    case NKX_V_BUILTIN: return builtin_attr(vm, v, name, out);
    case NKX_V_TYPE: return type_attr(vm, v, name, out);
    case NKX_V_SUPER: return super_attr(vm, v, name, out, takes_self);
    case NKX_V_PROPERTY:
    case NKX_V_STATICMETHOD:
    case NKX_V_CLASSMETHOD: return wrap_attr(vm, v, name, out, takes_self);
    case NKX_V_SLICE:
    case NKX_V_RANGE: return slice_attr(v, name, out);
    case NKX_V_KERNEL: return nkx_kernel_attr(vm, v, name, out);
    case NKX_V_DTYPE: return nkx_dtype_attr(vm, v, name, out);
    case NKX_V_MEMBER: return nkx_member_attr(vm, v, name, out);
    case NKX_V_OP: return op_attr(vm, v, name, out);
    case NKX_V_NATIVE:
        if (NKX_AS(nkx_native, v)->type->attr == NULL) return true;
        return NKX_AS(nkx_native, v)->type->attr(vm, v, name, out);
    case NKX_V_UNSET:
    case NKX_V_NONE:
    case NKX_V_BOOL:
    case NKX_V_INT:
    case NKX_V_FLOAT:
    case NKX_V_ELLIPSIS:
    case NKX_V_NOT_IMPLEMENTED:
    case NKX_V_STR:
    case NKX_V_BYTES:
    case NKX_V_TUPLE:
    case NKX_V_LIST:
    case NKX_V_DICT:
    case NKX_V_SET:
    case NKX_V_ITER:
    case NKX_V_CELL:
    case NKX_V_TENSOR:
    case NKX_V_REGISTER:
    case NKX_V_ARRAY:
    case NKX_V_DICTVIEW:
    case NKX_N_VTYPES: return true;
    }
    return true;
}

bool nkx_load_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out, bool *takes_self)
{
    *out = NKX_UNSET;
    *takes_self = false;
    bool own_attrs = v.type == NKX_V_INSTANCE || v.type == NKX_V_MODULE || v.type == NKX_V_CLASS;
    if (!own_attrs) {
        const nkx_builtin *row = nkx_find_method(vm, (nkx_vtype)v.type, name);
        if (row != NULL) {
            if (row->flags & NKX_BF_GETTER) {
                *out = NKX_NONE;
                if (row->call(vm, &v, out)) return true;
                *out = NKX_UNSET;
                return false;
            }
            *out = nkx_builtin_value(row);
            *takes_self = (row->flags & NKX_BF_STATIC) == 0;
            return true;
        }
    }
    if (!other_attr(vm, v, name, out, takes_self)) return false;
    if (out->type == NKX_V_UNSET && name == vm->id.d_class) *out = nkx_type_of(vm, v);
    return true;
}

bool nkx_find_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out)
{
    bool takes_self;
    *out = NKX_UNSET;
    if (nkx_newer_name(vm, v, name) > 0) return true;
    if (!nkx_load_attr(vm, v, name, out, &takes_self)) {
        /* __getattr__ says "none" by raising */
        return false;
    }
    if (takes_self && out->type != NKX_V_UNSET) {
        nkx_value f = *out;
        *out = nkx_method_new(vm, v, f);
        nkx_drop(f);
    }
    return true;
}

bool nkx_get_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out)
{
    if (!nkx_find_attr(vm, v, name, out)) return false;
    return out->type != NKX_V_UNSET || nkx_no_attr(vm, v, name);
}

/* ---- "did you mean" ---- */

typedef NKX_VEC(const char *) texts;

static void gather_attrs(texts *t, const nkx_attrs *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->values[i].type != NKX_V_UNSET) nkx_push(t, a->names[i]->text);
    }
}

static void gather(nkx_value v, texts *t)
{
    const nkx_class *c = NULL;
    if (v.type == NKX_V_INSTANCE) {
        gather_attrs(t, &NKX_AS(nkx_instance, v)->attrs);
        c = NKX_AS(nkx_instance, v)->cls;
    } else if (v.type == NKX_V_CLASS) {
        c = NKX_AS(nkx_class, v);
    } else if (v.type == NKX_V_MODULE) {
        gather_attrs(t, &NKX_AS(nkx_module_obj, v)->globals);
    } else {
        const nkx_builtin *rows =
            nkx_method_table(v.type == NKX_V_TYPE ? (nkx_vtype)v.u.i : (nkx_vtype)v.type);
        for (; rows != NULL && rows->name != NULL; rows++) nkx_push(t, rows->name);
    }
    for (; c != NULL; c = c->super) gather_attrs(t, &c->attrs);
}

/* A module of Python's library, of which there are only parts here. */
static bool is_std_module(nkx_value v)
{
    if (v.type != NKX_V_MODULE) return false;
    const nkx_module_def *const *d = nkx_modules_std;
    while (*d != NULL && *d != NKX_AS(nkx_module_obj, v)->def) d++;
    return *d != NULL;
}

bool nkx_no_attr(nkx_vm *vm, nkx_value v, const nkx_name *name)
{
    if (nkx_newer_name(vm, v, name) > 0) {
        nkx_raise_newer(vm, "AttributeError", v, name);
        return false;
    }
    if (nkx_is_placeholder(v)) return nkx_placeholder_used(vm, v);
    if (v.type == NKX_V_MODULE) {
        nkx_raise(vm, NKX_E203, "AttributeError", "module '%s' has no attribute '%s'",
                  NKX_AS(nkx_module_obj, v)->name->text, name->text);
    } else if (v.type == NKX_V_CLASS || v.type == NKX_V_TYPE) {
        nkx_raise(vm, NKX_E203, "AttributeError", "type object '%s' has no attribute '%s'",
                  v.type == NKX_V_CLASS ? NKX_AS(nkx_class, v)->name->text
                                        : nkx_vtype_name((nkx_vtype)v.u.i),
                  name->text);
    } else {
        nkx_raise(vm, NKX_E203, "AttributeError", "'%s' object has no attribute '%s'",
                  nkx_type_name(v), name->text);
    }
    texts t = {0};
    gather(v, &t);
    const char *near = nkx_nearest(name->text, t.at, t.n);
    if (near != NULL) nkx_raise_hint(vm, "Did you mean '%s'?", near);
    if (near == NULL && is_std_module(v)) {
        nkx_buf b = {0};
        nkx_buf_printf(&b, "'%s.%s'", NKX_AS(nkx_module_obj, v)->name->text, name->text);
        NKX_AS(nkx_instance, vm->exception)->exc->missing = nkx_intern(vm, b.at);
        nkx_buf_fini(&b);
    }
    free((void *)t.at);
    return false;
}

/* ---- writing ---- */

static bool frozen(nkx_vm *vm, nkx_value v, const nkx_name *name, const char *verb)
{
    (void)v;
    return nkx_raise(vm, NKX_E230, "FrozenInstanceError", "cannot %s field '%s'", verb, name->text);
}

static bool set_property(nkx_vm *vm, nkx_value p, nkx_value self, const nkx_name *name, nkx_value x)
{
    nkx_value r, setter = NKX_AS(nkx_wrap, p)->setter;
    if (setter.type == NKX_V_UNSET) {
        return nkx_raise(vm, NKX_E203, "AttributeError",
                         "property '%s' of '%s' object has no setter", name->text,
                         nkx_type_name(self));
    }
    if (!nkx_call_n(vm, setter, (nkx_value[]){self, x}, 2, &r)) return false;
    nkx_drop(r);
    return true;
}

static bool set_instance_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value x)
{
    nkx_instance *o = NKX_AS(nkx_instance, v);
    if ((o->cls->flags & NKX_CF_FROZEN) && (o->base.flags & NKX_OF_FROZEN)) {
        return frozen(vm, v, name, "assign to");
    }
    nkx_value c = nkx_class_lookup(o->cls, name);
    if (c.type == NKX_V_PROPERTY) return set_property(vm, c, v, name, x);
    nkx_value f = nkx_class_lookup(o->cls, vm->id.d_setattr);
    if (f.type != NKX_V_UNSET) {
        nkx_value r, text = nkx_str_of_name(vm, name);
        bool ok = nkx_call_n(vm, f, (nkx_value[]){v, text, x}, 3, &r);
        nkx_drop(text);
        if (ok) nkx_drop(r);
        return ok;
    }
    if ((o->cls->flags & NKX_CF_ENUM) &&
        (name == vm->id.plain_name || name == vm->id.plain_value)) {
        return nkx_raise(vm, NKX_E203, "AttributeError", "<enum '%s'> cannot set attribute '%s'",
                         o->cls->name->text, name->text);
    }
    if (o->exc != NULL && name == vm->id.plain_args) {
        nkx_drop(o->exc->args);
        o->exc->args = nkx_ref(x);
        return true;
    }
    nkx_attrs_set(&o->attrs, name, x);
    return true;
}

static bool set_class_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value x)
{
    nkx_class *c = NKX_AS(nkx_class, v);
    if (c->flags & NKX_CF_BUILTIN) {
        return nkx_raise(vm, NKX_E210, "TypeError",
                         "cannot set '%s' attribute of immutable type '%s'", name->text,
                         c->name->text);
    }
    nkx_value old = nkx_attrs_get(&c->attrs, name);
    if (c->members.type == NKX_V_LIST && old.type == NKX_V_INSTANCE &&
        NKX_AS(nkx_instance, old)->cls == c) {
        return nkx_raise(vm, NKX_E203, "AttributeError", "cannot reassign member '%s'", name->text);
    }
    nkx_attrs_set(&c->attrs, name, x);
    return true;
}

bool nkx_set_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value x)
{
    switch (v.type) {
    case NKX_V_INSTANCE: return set_instance_attr(vm, v, name, x);
    case NKX_V_CLASS: return set_class_attr(vm, v, name, x);
    case NKX_V_MODULE: nkx_module_set_name(NKX_AS(nkx_module_obj, v), name, x); return true;
    case NKX_V_FUNCTION: {
        nkx_function *f = NKX_AS(nkx_function, v);
        if (f->attrs == NULL) f->attrs = nkx_alloc(sizeof *f->attrs);
        nkx_attrs_set(f->attrs, name, x);
        return true;
    }
    case NKX_V_ARRAY: return nkx_array_set_attr(vm, v, name, x);
    case NKX_V_NATIVE:
        if (nkx_is_placeholder(v)) return true; /* somebody patches what is not there */
        break;
    default: break;
    }
    return nkx_raise(vm, NKX_E203, "AttributeError", "'%s' object has no attribute '%s'",
                     nkx_type_name(v), name->text);
}

bool nkx_del_attr(nkx_vm *vm, nkx_value v, const nkx_name *name)
{
    nkx_attrs *a = NULL;
    if (v.type == NKX_V_INSTANCE) {
        nkx_instance *o = NKX_AS(nkx_instance, v);
        if ((o->cls->flags & NKX_CF_FROZEN) && (o->base.flags & NKX_OF_FROZEN)) {
            return frozen(vm, v, name, "delete");
        }
        nkx_value p = nkx_class_lookup(o->cls, name);
        if (p.type == NKX_V_PROPERTY && NKX_AS(nkx_wrap, p)->deleter.type != NKX_V_UNSET) {
            nkx_value r;
            if (!nkx_call_n(vm, NKX_AS(nkx_wrap, p)->deleter, &v, 1, &r)) return false;
            nkx_drop(r);
            return true;
        }
        a = &o->attrs;
    } else if (v.type == NKX_V_CLASS) {
        a = &NKX_AS(nkx_class, v)->attrs;
    } else if (v.type == NKX_V_MODULE) {
        a = &NKX_AS(nkx_module_obj, v)->globals;
    }
    uint32_t i = a == NULL ? UINT32_MAX : nkx_attrs_find(a, name);
    if (i == UINT32_MAX || a->values[i].type == NKX_V_UNSET) return nkx_no_attr(vm, v, name);
    nkx_value old = a->values[i];
    a->values[i] = NKX_UNSET;
    nkx_drop(old);
    return true;
}
