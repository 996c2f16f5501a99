/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kernel is called with (isa.md 6.1): host arrays become HBM tensors over the caller's
 * bytes, also inside tuples, dicts and objects; scalars, strings, enums and functions pass as they
 * are. nki.typing.tensor annotations are compared with the shapes. Layer eval.
 */
#include "interp/eval/launch.h"
#include "interp/eval/walk.h"

#include <stdlib.h>
#include <string.h>

typedef struct converting {
    nkx_vm *vm;
    nkx_launch_args *la;
    const char *name; /* of the parameter */
    int depth;
} converting;

/* ---- arrays ---- */

static bool array_refused(nkx_vm *vm, const nkx_ndarray *a, const char *name)
{
    if (a->ndim > NKX_MAX_RANK || nkx_nd_size(a) == 0) {
        return nkx_raise(vm, NKX_E710, "ValueError",
                         "argument '%s': an array of %d dimensions and %lld elements is no tensor",
                         name, a->ndim, (long long)nkx_nd_size(a));
    }
    nkx_raise(vm, NKX_E710, "TypeError", "argument '%s': device memory holds no %s", name,
              nkx_nd_type_name((nkx_dtype)a->dtype));
    nkx_raise_hint(vm, "Convert it before the call: array.astype(np.%s).",
                   a->dtype == NKX_DT_FP64     ? "float32"
                   : a->dtype == NKX_DT_UINT64 ? "uint32"
                                               : "int32");
    return false;
}

/* OCP e4m3 becomes the legacy type before gen4, its bytes unchanged (isa.md 1.1). */
static nkx_dtype boundary_dtype(const nkx_core *core, const nkx_ndarray *a)
{
    if (a->dtype == NKX_DT_FP8_E4M3FN && core->config->gen < 4) return NKX_DT_FP8_E4M3;
    return (nkx_dtype)a->dtype;
}

static bool convert_array(converting *c, nkx_value v, nkx_value *out)
{
    nkx_vm *vm = c->vm;
    nkx_ndarray *a = NKX_AS(nkx_array_obj, v)->a;
    if (a->ndim == 0) { /* np.float32(0.5) is a number */
        bool is_float = nkx_dtype_is_float((nkx_dtype)a->dtype) || a->dtype == NKX_DT_FP64;
        *out = a->dtype == NKX_DT_BOOL ? nkx_bool(nkx_nd_get_i64(a, 0) != 0)
               : is_float              ? nkx_float(nkx_nd_get_f64(a, 0))
                                       : nkx_int(nkx_nd_get_i64(a, 0));
        return true;
    }
    if (!nkx_dtypes[a->dtype].device || a->ndim > NKX_MAX_RANK || nkx_nd_size(a) == 0)
        return array_refused(vm, a, c->name);
    nkx_launch_array l = {.given = nkx_nd_ref(a)};
    l.bytes = nkx_nd_is_dense(a) && !a->readonly ? nkx_nd_ref(a) : nkx_nd_copy(a);
    bool ok = nkx_view_external(vm->core, l.bytes->at, a->ndim, a->shape,
                                boundary_dtype(vm->core, a), nkx_vm_span(vm), c->name, &l.view);
    if (!ok) {
        nkx_nd_drop(l.given);
        nkx_nd_drop(l.bytes);
        return nkx_raise_diagnosed(vm);
    }
    l.view->st->is_input = true;
    nkx_push(&c->la->arrays, l);
    *out = nkx_tensor_take(vm, nkx_view_ref(l.view));
    return true;
}

/* ---- containers ---- */

static bool convert(converting *c, nkx_value v, nkx_value *out);

static bool convert_items(converting *c, const nkx_value *at, uint32_t n, nkx_value *to)
{
    for (uint32_t i = 0; i < n; i++) {
        nkx_value item = NKX_NONE;
        bool ok = convert(c, at[i], &item);
        nkx_drop(to[i]);
        to[i] = item;
        if (!ok) return false;
    }
    return true;
}

static bool convert_tuple(converting *c, nkx_value v, nkx_value *out)
{
    const nkx_tuple *t = NKX_AS(nkx_tuple, v);
    *out = nkx_tuple_new(c->vm, t->n);
    return convert_items(c, t->at, t->n, NKX_AS(nkx_tuple, *out)->at);
}

static bool convert_list(converting *c, nkx_value v, nkx_value *out)
{
    const nkx_list *l = NKX_AS(nkx_list, v);
    nkx_diag *g = nkx_diag_add(c->vm->diags, NKX_E711, nkx_vm_span(c->vm),
                               "argument '%s' is a list", c->name);
    nkx_diag_hint(c->vm->diags, g,
                  "Pass a tuple: the compiler takes no lists as kernel arguments since NKI 0.3.");
    if (nkx_diag_stops(g)) return nkx_raise_diagnosed(c->vm);
    *out = nkx_list_new(c->vm, l->n);
    for (uint32_t i = 0; i < l->n; i++) {
        nkx_value item = NKX_NONE;
        bool ok = convert(c, l->at[i], &item);
        nkx_list_append(*out, item);
        nkx_drop(item);
        if (!ok) return false;
    }
    return true;
}

static bool convert_dict(converting *c, nkx_value v, nkx_value *out)
{
    nkx_value key, value, item;
    *out = nkx_dict_new(c->vm);
    for (uint32_t i = 0; nkx_dict_next(v, &i, &key, &value);) {
        item = NKX_NONE;
        bool ok = convert(c, value, &item) && nkx_dict_set(c->vm, *out, key, item);
        nkx_drop(item);
        if (!ok) return false;
    }
    return true;
}

/* Is there an array to convert in an object's fields? Objects without are passed as they are. */
static bool holds_array(nkx_value v, int depth)
{
    if (v.type == NKX_V_ARRAY) return true;
    if (depth == 0) return false;
    if (v.type == NKX_V_TUPLE || v.type == NKX_V_LIST) {
        const nkx_value *at =
            v.type == NKX_V_TUPLE ? NKX_AS(nkx_tuple, v)->at : NKX_AS(nkx_list, v)->at;
        uint32_t n = v.type == NKX_V_TUPLE ? NKX_AS(nkx_tuple, v)->n : NKX_AS(nkx_list, v)->n;
        for (uint32_t i = 0; i < n; i++) {
            if (holds_array(at[i], depth - 1)) return true;
        }
    } else if (v.type == NKX_V_DICT) {
        nkx_value key, value;
        for (uint32_t i = 0; nkx_dict_next(v, &i, &key, &value);) {
            if (holds_array(value, depth - 1)) return true;
        }
    } else if (v.type == NKX_V_INSTANCE) {
        const nkx_attrs *a = &NKX_AS(nkx_instance, v)->attrs;
        for (uint32_t i = 0; i < a->n; i++) {
            if (holds_array(a->values[i], depth - 1)) return true;
        }
    }
    return false;
}

/* An object argument is rebuilt from its fields. */
static bool convert_instance(converting *c, nkx_value v, nkx_value *out)
{
    const nkx_instance *from = NKX_AS(nkx_instance, v);
    *out = nkx_instance_new(c->vm, from->cls);
    for (uint32_t i = 0; i < from->attrs.n; i++) {
        nkx_value item = NKX_NONE;
        if (from->attrs.values[i].type == NKX_V_UNSET) continue;
        bool ok = convert(c, from->attrs.values[i], &item);
        nkx_attrs_set(&NKX_AS(nkx_instance, *out)->attrs, from->attrs.names[i], item);
        nkx_drop(item);
        if (!ok) return false;
    }
    return true;
}

enum { MAX_DEPTH = 8 };

static bool convert(converting *c, nkx_value v, nkx_value *out)
{
    if (v.type == NKX_V_ARRAY) return convert_array(c, v, out);
    if (v.type == NKX_V_LIST && c->depth == 0) return convert_list(c, v, out);
    if (!nkx_is_counted(v) || c->depth >= MAX_DEPTH || !holds_array(v, MAX_DEPTH - c->depth)) {
        *out = nkx_ref(v);
        return true;
    }
    c->depth++;
    bool ok = true;
    switch (v.type) {
    case NKX_V_TUPLE: ok = convert_tuple(c, v, out); break;
    case NKX_V_LIST: ok = convert_list(c, v, out); break;
    case NKX_V_DICT: ok = convert_dict(c, v, out); break;
    case NKX_V_INSTANCE: ok = convert_instance(c, v, out); break;
    default: *out = nkx_ref(v); break;
    }
    c->depth--;
    return ok;
}

/* ---- parameters ---- */

static const nkx_params *params_of(const nkx_kernel_obj *k)
{
    return k->func.type == NKX_V_FUNCTION ? NKX_AS(nkx_function, k->func)->params : NULL;
}

/* Parameter that value i of the call goes to, as far as that is plain; NULL for the rest. */
static const nkx_param *param_of(const nkx_params *p, const nkx_args *a, uint32_t i)
{
    if (p == NULL) return NULL;
    if (i < a->n) return i < p->n_pos ? &p->at[i] : NULL;
    for (uint32_t k = 0; k < p->n_pos + p->n_kwonly; k++) {
        if (p->at[k].name == a->kw[i - a->n]) return &p->at[k];
    }
    return NULL;
}

/* The annotation's text ends in `tensor[...]`: the only kind that is evaluated. */
static bool names_tensor(const nkx_node *n)
{
    if (n == NULL || n->kind != NKX_SUBSCRIPT) return false;
    const nkx_node *base = NKX_NODE(nkx_subscript, n)->value;
    if (base->kind == NKX_ATTRIBUTE)
        return strcmp(NKX_NODE(nkx_attribute, base)->attr->text, "tensor") == 0;
    return base->kind == NKX_NAME && strcmp(NKX_NODE(nkx_name_node, base)->id->text, "tensor") == 0;
}

static bool shape_differs(nkx_vm *vm, const nkx_param *p, nkx_value shape, const nkx_view *v)
{
    nkx_buf want = {0}, got = {0};
    bool ok = nkx_repr(vm, shape, &want);
    for (int d = 0; d < v->ndim; d++)
        nkx_buf_printf(&got, "%s%lld", d > 0 ? ", " : "", (long long)v->shape[d]);
    if (ok) {
        nkx_raise(vm, NKX_E717, "TypeError",
                  "argument '%s' has shape (%s%s), its annotation says %s", p->name->text, got.at,
                  v->ndim == 1 ? "," : "", want.at);
    }
    nkx_buf_fini(&want);
    nkx_buf_fini(&got);
    return false;
}

/* Extents that are no ints (names of symbolic sizes) fit anything. */
static bool shape_fits(nkx_vm *vm, const nkx_param *p, nkx_value shape, const nkx_view *v)
{
    const nkx_value *at = &shape;
    uint32_t n = 1;
    if (shape.type == NKX_V_TUPLE) {
        at = NKX_AS(nkx_tuple, shape)->at;
        n = NKX_AS(nkx_tuple, shape)->n;
    }
    int64_t extent;
    if ((int)n != v->ndim) return shape_differs(vm, p, shape, v);
    for (uint32_t d = 0; d < n; d++) {
        if (nkx_is_int(at[d], &extent) && extent != v->shape[d])
            return shape_differs(vm, p, shape, v);
    }
    return true;
}

static bool check_annotation(nkx_vm *vm, const nkx_function *fn, const nkx_param *p, nkx_value v)
{
    if (v.type != NKX_V_TENSOR || !names_tensor(p->annotation)) return true;
    nkx_frame f = {.vm = vm, .unit = fn->unit, .module = fn->module, .up = vm->frame};
    int kernel = vm->kernel;
    vm->kernel = 0;
    nkx_frame *before = vm->frame;
    f.at = p->annotation;
    vm->frame = &f;
    nkx_value t = nkx_eval(&f, p->annotation), shape = NKX_UNSET;
    vm->frame = before;
    vm->kernel = kernel;
    if (t.type == NKX_V_UNSET) return false;
    bool ok = !nkx_typing_shape(t, &shape) || shape_fits(vm, p, shape, nkx_view_of(v));
    nkx_drop(t);
    return ok;
}

bool nkx_launch_args_make(nkx_vm *vm, const nkx_kernel_obj *k, const nkx_args *a,
                          nkx_launch_args *out)
{
    const nkx_params *params = params_of(k);
    out->at = nkx_alloc((a->n + a->n_kw + 1) * sizeof *out->at);
    for (uint32_t i = 0; i < a->n + a->n_kw; i++) {
        const nkx_param *p = param_of(params, a, i);
        converting c = {.vm = vm, .la = out, .name = p != NULL ? p->name->text : "argument"};
        out->at[i] = NKX_NONE;
        out->n = i + 1;
        if (!convert(&c, a->at[i], &out->at[i])) return false;
        if (p != NULL && !check_annotation(vm, NKX_AS(nkx_function, k->func), p, out->at[i]))
            return false;
    }
    return true;
}

/* ---- afterwards ---- */

bool nkx_launch_args_end(nkx_vm *vm, nkx_launch_args *la, bool done)
{
    bool ok = true;
    for (size_t i = 0; i < la->arrays.n; i++) {
        nkx_launch_array *l = &la->arrays.at[i];
        nkx_nd_error e = {0};
        if (l->view->st->is_output) l->given->touched = true;
        if (!done || !vm->core->modes.exec || l->given->readonly) continue;
        if (vm->core->modes.fp32)
            nkx_view_read(l->view, l->bytes->at); /* elements were kept apart */
        if (l->bytes != l->given && ok) {
            ok = nkx_nd_assign(l->given, l->bytes, &e) || nkx_nd_raise(vm, NKX_E710, &e);
        }
    }
    return ok;
}

void nkx_launch_args_fini(nkx_launch_args *la)
{
    for (uint32_t i = 0; i < la->n; i++) nkx_drop(la->at[i]);
    free(la->at);
    for (size_t i = 0; i < la->arrays.n; i++) {
        nkx_view_drop(la->arrays.at[i].view);
        nkx_nd_drop(la->arrays.at[i].bytes);
        nkx_nd_drop(la->arrays.at[i].given);
    }
    nkx_vec_fini(&la->arrays);
}
