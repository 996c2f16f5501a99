/* SPDX-License-Identifier: Apache-2.0 */
/* repr() and str() of values, as Python writes them. Layer eval. */
#include "interp/eval/objects.h"

#include <string.h>

/* A container that is being printed prints as [...] inside itself. */
static bool enter(nkx_value v, const char *ring, nkx_buf *out)
{
    if (v.u.o->flags & NKX_OF_BUSY) {
        nkx_buf_str(out, ring);
        return false;
    }
    v.u.o->flags |= NKX_OF_BUSY;
    return true;
}

static void leave(nkx_value v)
{
    v.u.o->flags &= (uint8_t)~NKX_OF_BUSY;
}

static bool repr_items(nkx_vm *vm, const nkx_value *at, uint32_t n, nkx_buf *out)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) nkx_buf_str(out, ", ");
        if (!nkx_repr(vm, at[i], out)) return false;
    }
    return true;
}

static bool repr_tuple(nkx_vm *vm, nkx_value v, nkx_buf *out)
{
    const nkx_tuple *t = NKX_AS(nkx_tuple, v);
    if (!enter(v, "(...)", out)) return true;
    nkx_buf_char(out, '(');
    bool ok = repr_items(vm, t->at, t->n, out);
    nkx_buf_str(out, t->n == 1 ? ",)" : ")");
    leave(v);
    return ok;
}

static bool repr_list(nkx_vm *vm, nkx_value v, nkx_buf *out)
{
    const nkx_list *l = NKX_AS(nkx_list, v);
    if (!enter(v, "[...]", out)) return true;
    nkx_buf_char(out, '[');
    bool ok = true;
    for (uint32_t i = 0; ok && i < l->n; i++) {
        if (i > 0) nkx_buf_str(out, ", ");
        ok = nkx_repr(vm, l->at[i], out);
    }
    nkx_buf_char(out, ']');
    leave(v);
    return ok;
}

static bool repr_dict(nkx_vm *vm, nkx_value v, nkx_buf *out)
{
    nkx_value key, value;
    if (!enter(v, "{...}", out)) return true;
    nkx_buf_char(out, '{');
    bool ok = true, first = true;
    for (uint32_t i = 0; ok && nkx_dict_next(v, &i, &key, &value); first = false) {
        if (!first) nkx_buf_str(out, ", ");
        ok = nkx_repr(vm, key, out);
        nkx_buf_str(out, ": ");
        ok = ok && nkx_repr(vm, value, out);
    }
    nkx_buf_char(out, '}');
    leave(v);
    return ok;
}

static bool repr_set(nkx_vm *vm, nkx_value v, nkx_buf *out)
{
    nkx_value key;
    bool frozen = (v.u.o->flags & NKX_OF_FROZEN) != 0;
    if (nkx_dict_len(v) == 0) {
        nkx_buf_str(out, frozen ? "frozenset()" : "set()");
        return true;
    }
    if (!enter(v, "{...}", out)) return true;
    nkx_buf_str(out, frozen ? "frozenset({" : "{");
    bool ok = true, first = true;
    for (uint32_t i = 0; ok && nkx_dict_next(v, &i, &key, NULL); first = false) {
        if (!first) nkx_buf_str(out, ", ");
        ok = nkx_repr(vm, key, out);
    }
    nkx_buf_str(out, frozen ? "})" : "}");
    leave(v);
    return ok;
}

static bool repr_dictview(nkx_vm *vm, nkx_value v, nkx_buf *out)
{
    nkx_value items;
    if (!nkx_list_of(vm, v, &items)) return false;
    nkx_buf_printf(out, "%s(", nkx_type_name(v));
    bool ok = nkx_repr(vm, items, out);
    nkx_buf_char(out, ')');
    nkx_drop(items);
    return ok;
}

static bool repr_slice(nkx_vm *vm, nkx_value v, nkx_buf *out)
{
    const nkx_slice_obj *s = NKX_AS(nkx_slice_obj, v);
    nkx_buf_str(out, s->is_ds ? "ds(" : "slice(");
    bool ok = repr_items(vm, &s->start, s->is_ds ? 2 : 3, out);
    nkx_buf_char(out, ')');
    return ok;
}

static void repr_range(nkx_value v, nkx_buf *out)
{
    const nkx_range_obj *r = NKX_AS(nkx_range_obj, v);
    nkx_buf_printf(out, "range(%lld, %lld", (long long)r->start, (long long)r->stop);
    if (r->step != 1) nkx_buf_printf(out, ", %lld", (long long)r->step);
    nkx_buf_char(out, ')');
}

static const char *module_of(const nkx_class *c)
{
    return c->module == NULL ? NULL : c->module->name->text;
}

static bool repr_fields(nkx_vm *vm, nkx_value v, nkx_buf *out)
{
    const nkx_instance *x = NKX_AS(nkx_instance, v);
    bool ok = true, first = true;
    if (!enter(v, "...", out)) return true;
    nkx_buf_printf(out, "%s(", x->cls->qualname);
    for (uint32_t i = 0; ok && i < x->cls->n_fields; i++) {
        const nkx_field *f = &x->cls->fields[i];
        if (!f->repr || f->class_var) continue;
        if (!first) nkx_buf_str(out, ", ");
        first = false;
        nkx_buf_printf(out, "%s=", f->name->text);
        nkx_value item = nkx_attrs_get(&x->attrs, f->name);
        ok = nkx_repr(vm, item, out);
    }
    nkx_buf_char(out, ')');
    leave(v);
    return ok;
}

static bool repr_exception(nkx_vm *vm, const nkx_instance *x, nkx_buf *out)
{
    const nkx_tuple *args = NKX_AS(nkx_tuple, x->exc->args);
    nkx_buf_printf(out, "%s(", x->cls->name->text);
    bool ok = repr_items(vm, args->at, args->n, out);
    nkx_buf_char(out, ')');
    return ok;
}

static bool special_text(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_buf *out, bool *found)
{
    nkx_value r;
    if (!nkx_call_special(vm, v, name, NULL, 0, &r, found)) return false;
    if (!*found) return true;
    bool is_str = r.type == NKX_V_STR;
    if (is_str) {
        nkx_buf_add(out, nkx_text(r), nkx_text_len(r));
    } else {
        nkx_raise(vm, NKX_E210, "TypeError", "%s returned non-string (type %s)", name->text,
                  nkx_type_name(r));
    }
    nkx_drop(r);
    return is_str;
}

static bool repr_instance(nkx_vm *vm, nkx_value v, nkx_buf *out)
{
    const nkx_instance *x = NKX_AS(nkx_instance, v);
    bool found;
    if (!special_text(vm, v, vm->id.d_repr, out, &found)) return false;
    if (found) return true;
    if (x->exc != NULL) return repr_exception(vm, x, out);
    if (x->cls->flags & NKX_CF_ENUM) {
        nkx_value name = nkx_attrs_get(&x->attrs, vm->id.underscore_name);
        nkx_value value = nkx_attrs_get(&x->attrs, vm->id.underscore_value);
        nkx_buf_printf(out, "<%s%s%s: ", x->cls->name->text, name.type == NKX_V_STR ? "." : "",
                       name.type == NKX_V_STR ? nkx_text(name) : "");
        if (!nkx_repr(vm, value, out)) return false;
        nkx_buf_char(out, '>');
        return true;
    }
    bool fields = (x->cls->flags & (NKX_CF_DATACLASS | NKX_CF_NAMEDTUPLE)) != 0;
    if (fields && !(x->cls->flags & NKX_CF_NO_REPR)) return repr_fields(vm, v, out);
    const char *module = module_of(x->cls);
    nkx_buf_printf(out, "<%s%s%s object>", module == NULL ? "" : module, module == NULL ? "" : ".",
                   x->cls->qualname);
    return true;
}

static bool repr_class(nkx_value v, nkx_buf *out)
{
    const nkx_class *c = NKX_AS(nkx_class, v);
    const char *module = module_of(c);
    if (c->flags & NKX_CF_ENUM && !(c->flags & NKX_CF_BUILTIN)) {
        nkx_buf_printf(out, "<enum '%s'>", c->name->text);
    } else {
        nkx_buf_printf(out, "<class '%s%s%s'>", module == NULL ? "" : module,
                       module == NULL ? "" : ".", c->qualname);
    }
    return true;
}

static bool repr_native(nkx_vm *vm, nkx_value v, nkx_buf *out)
{
    const nkx_native_type *t = NKX_AS(nkx_native, v)->type;
    if (t->repr != NULL) return t->repr(vm, v, out);
    nkx_buf_printf(out, "<%s object>", t->name);
    return true;
}

static bool repr_callable(nkx_vm *vm, nkx_value v, nkx_buf *out)
{
    (void)vm;
    if (v.type == NKX_V_FUNCTION) {
        nkx_buf_printf(out, "<function %s>", NKX_AS(nkx_function, v)->qualname);
    } else if (v.type == NKX_V_BUILTIN) {
        nkx_buf_printf(out, "<built-in function %s>", v.u.builtin->name);
    } else if (v.type == NKX_V_KERNEL) {
        nkx_buf_printf(out, "<nki kernel %s>", NKX_AS(nkx_kernel_obj, v)->name->text);
    } else {
        nkx_value f = NKX_AS(nkx_method, v)->func;
        if (f.type == NKX_V_BUILTIN) {
            nkx_buf_printf(out, "<built-in method %s of %s object>", f.u.builtin->name,
                           nkx_type_name(NKX_AS(nkx_method, v)->self));
        } else {
            nkx_buf_printf(out, "<bound method %s>",
                           f.type == NKX_V_FUNCTION ? NKX_AS(nkx_function, f)->qualname : "?");
        }
    }
    return true;
}

static void repr_bytes(nkx_value v, nkx_buf *out)
{
    nkx_buf_str(out, "b'");
    for (uint32_t i = 0; i < nkx_text_len(v); i++) {
        unsigned char c = (unsigned char)nkx_text(v)[i];
        if (c == '\\' || c == '\'') {
            nkx_buf_printf(out, "\\%c", c);
        } else if (c == '\n') {
            nkx_buf_str(out, "\\n");
        } else if (c == '\t') {
            nkx_buf_str(out, "\\t");
        } else if (c == '\r') {
            nkx_buf_str(out, "\\r");
        } else if (c < 0x20 || c >= 0x7f) {
            nkx_buf_printf(out, "\\x%02x", c);
        } else {
            nkx_buf_char(out, (char)c);
        }
    }
    nkx_buf_char(out, '\'');
}

bool nkx_repr(nkx_vm *vm, nkx_value v, nkx_buf *out)
{
    switch ((nkx_vtype)v.type) {
    case NKX_V_UNSET: nkx_buf_str(out, "<unset>"); return true;
    case NKX_V_NONE: nkx_buf_str(out, "None"); return true;
    case NKX_V_BOOL: nkx_buf_str(out, v.u.i ? "True" : "False"); return true;
    case NKX_V_INT: nkx_buf_printf(out, "%lld", (long long)v.u.i); return true;
    case NKX_V_FLOAT: nkx_float_repr(v.u.f, out); return true;
    case NKX_V_ELLIPSIS: nkx_buf_str(out, "Ellipsis"); return true;
    case NKX_V_NOT_IMPLEMENTED: nkx_buf_str(out, "NotImplemented"); return true;
    case NKX_V_DTYPE: nkx_buf_str(out, nkx_dtypes[v.u.i].name); return true;
    case NKX_V_OP: nkx_buf_str(out, nkx_alu_rows[v.u.i].name); return true;
    case NKX_V_MEMBER: nkx_member_repr(v, out); return true;
    case NKX_V_TYPE:
        nkx_buf_printf(out, "<class '%s'>", nkx_vtype_name((nkx_vtype)v.u.i));
        return true;
    case NKX_V_STR: nkx_str_repr(nkx_text(v), nkx_text_len(v), out); return true;
    case NKX_V_BYTES: repr_bytes(v, out); return true;
    case NKX_V_TUPLE: return nkx_stack_check(vm) && repr_tuple(vm, v, out);
    case NKX_V_LIST: return nkx_stack_check(vm) && repr_list(vm, v, out);
    case NKX_V_DICT: return nkx_stack_check(vm) && repr_dict(vm, v, out);
    case NKX_V_SET: return nkx_stack_check(vm) && repr_set(vm, v, out);
    case NKX_V_RANGE: repr_range(v, out); return true;
    case NKX_V_SLICE: return repr_slice(vm, v, out);
    case NKX_V_BUILTIN:
    case NKX_V_FUNCTION:
    case NKX_V_METHOD:
    case NKX_V_KERNEL: return repr_callable(vm, v, out);
    case NKX_V_CLASS: return repr_class(v, out);
    case NKX_V_INSTANCE: return nkx_stack_check(vm) && repr_instance(vm, v, out);
    case NKX_V_MODULE:
        nkx_buf_printf(out, "<module '%s'>", NKX_AS(nkx_module_obj, v)->name->text);
        return true;
    case NKX_V_TENSOR: return nkx_tensor_repr(vm, v, out);
    case NKX_V_REGISTER: return nkx_register_repr(vm, v, out);
    case NKX_V_ARRAY: return nkx_array_repr(vm, v, false, out);
    case NKX_V_NATIVE: return repr_native(vm, v, out);
    case NKX_V_DICTVIEW: return repr_dictview(vm, v, out);
    case NKX_V_ITER:
    case NKX_V_CELL:
    case NKX_V_PROPERTY:
    case NKX_V_STATICMETHOD:
    case NKX_V_CLASSMETHOD:
    case NKX_V_SUPER:
    case NKX_N_VTYPES: nkx_buf_printf(out, "<%s object>", nkx_type_name(v)); return true;
    }
    return true;
}

static bool str_instance(nkx_vm *vm, nkx_value v, nkx_buf *out)
{
    const nkx_instance *x = NKX_AS(nkx_instance, v);
    bool found;
    if (!special_text(vm, v, vm->id.d_str, out, &found)) return false;
    if (found) return true;
    if (x->exc != NULL) return nkx_exception_text(vm, v, out);
    if ((x->cls->flags & NKX_CF_INTENUM) != 0) {
        return nkx_repr(vm, nkx_attrs_get(&x->attrs, vm->id.underscore_value), out);
    }
    if (x->cls->flags & NKX_CF_ENUM) {
        nkx_value name = nkx_attrs_get(&x->attrs, vm->id.underscore_name);
        if (name.type != NKX_V_STR) { /* a flag without bits */
            nkx_buf_printf(out, "%s(0)", x->cls->name->text);
            return true;
        }
        nkx_buf_printf(out, "%s.%s", x->cls->name->text, nkx_text(name));
        return true;
    }
    return nkx_repr(vm, v, out);
}

bool nkx_str_of(nkx_vm *vm, nkx_value v, nkx_buf *out)
{
    if (v.type == NKX_V_STR) {
        nkx_buf_add(out, nkx_text(v), nkx_text_len(v));
        return true;
    }
    if (v.type == NKX_V_INSTANCE) return str_instance(vm, v, out);
    if (v.type == NKX_V_ARRAY) return nkx_array_repr(vm, v, true, out);
    return nkx_repr(vm, v, out);
}
