/* SPDX-License-Identifier: Apache-2.0 */
/* What each type of object holds and gives back when it goes. Layer eval. */
#include "interp/eval/objects.h"

#include <stdlib.h>

static void take(nkx_value *v)
{
    nkx_value old = *v;
    *v = NKX_UNSET;
    nkx_drop(old);
}

static void take_all(nkx_value *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) take(&at[i]);
}

static void clear_list(nkx_list *l)
{
    nkx_value *at = l->at;
    uint32_t n = l->n;
    nkx_obj_vm(&l->base)->bytes -= l->cap * sizeof *at;
    l->at = NULL;
    l->n = l->cap = 0;
    for (uint32_t i = 0; i < n; i++) nkx_drop(at[i]);
    free(at);
}

static void clear_function(nkx_function *f)
{
    nkx_value *cells = f->cells, *defaults = f->defaults;
    f->cells = f->defaults = NULL;
    if (cells != NULL) {
        for (uint32_t i = 0; i < f->info->n_free; i++) nkx_drop(cells[i]);
        free(cells);
    }
    if (defaults != NULL) {
        for (uint32_t i = 0; i < f->params->n_pos + f->params->n_kwonly; i++) nkx_drop(defaults[i]);
        free(defaults);
    }
    nkx_attrs *attrs = f->attrs;
    f->attrs = NULL;
    if (attrs != NULL) {
        nkx_attrs_fini(attrs);
        free(attrs);
    }
}

static void disown(nkx_class *c, nkx_value v)
{
    if (v.type == NKX_V_FUNCTION && NKX_AS(nkx_function, v)->owner == c) {
        NKX_AS(nkx_function, v)->owner = NULL;
    }
}

static void clear_class(nkx_class *c)
{
    for (uint32_t i = 0; i < c->attrs.n; i++) {
        nkx_value v = c->attrs.values[i];
        disown(c, v);
        if (v.type == NKX_V_PROPERTY || v.type == NKX_V_STATICMETHOD ||
            v.type == NKX_V_CLASSMETHOD) {
            const nkx_wrap *w = NKX_AS(nkx_wrap, v);
            disown(c, w->func);
            disown(c, w->setter);
            disown(c, w->deleter);
        }
    }
    nkx_attrs_fini(&c->attrs);
    for (uint32_t i = 0; i < c->n_all; i++) {
        take(&c->fields[i].dflt);
        take(&c->fields[i].factory);
    }
    free(c->fields);
    c->fields = NULL;
    c->n_fields = c->n_all = c->cap_fields = 0;
    take(&c->members);
    take(&c->unit_base);
    for (uint32_t i = 0; i < c->n_extra; i++) nkx_drop(nkx_of(c->extra[i]));
    free((void *)c->extra);
    free((void *)c->mro);
    c->extra = NULL;
    c->mro = NULL;
    c->n_extra = c->n_mro = 0;
    nkx_class *up = c->super;
    c->super = NULL;
    if (up != NULL) nkx_drop(nkx_of(up));
}

static void clear_exc(nkx_instance *x)
{
    nkx_exc *e = x->exc;
    x->exc = NULL;
    if (e == NULL) return;
    take(&e->args);
    take(&e->cause);
    take(&e->context);
    free(e->hint);
    for (uint32_t i = 0; i < e->n_notes; i++) free(e->notes[i]);
    free((void *)e->notes);
    free(e->note_spans);
    free(e);
}

static void clear_instance(nkx_instance *x)
{
    nkx_attrs_fini(&x->attrs);
    clear_exc(x);
    nkx_class *c = x->cls;
    x->cls = NULL;
    if (c != NULL) nkx_drop(nkx_of(c));
}

static void clear_module(nkx_module_obj *m)
{
    nkx_attrs_fini(&m->globals);
    take(&m->names);
    nkx_vec_fini(&m->global_names);
    free(m->fallback);
    free(m->path);
    free(m->dir);
    free(m->init_path);
    m->fallback = NULL;
    m->n_fallback = 0;
    m->path = m->dir = m->init_path = NULL;
}

static void clear_iter(nkx_iter_obj *it)
{
    if (it->type != NULL && it->type->fini != NULL) it->type->fini(it);
    it->type = NULL;
    take(&it->a);
    take(&it->b);
    take(&it->c);
}

static void clear_dict(nkx_dict *d)
{
    nkx_value v = nkx_of(d);
    nkx_dict_clear(v);
    free(d->at);
    free(d->index);
    nkx_obj_vm(&d->base)->bytes -= d->cap * sizeof *d->at;
    d->at = NULL;
    d->index = NULL;
    d->cap = d->n_index = 0;
    nkx_obj *owner = d->owner;
    d->owner = NULL;
    if (owner != NULL) nkx_drop(nkx_of(owner));
}

static void clear_device(nkx_obj *o)
{
    if (o->type == NKX_V_TENSOR) {
        nkx_view *v = ((nkx_tensor_obj *)(void *)o)->view;
        ((nkx_tensor_obj *)(void *)o)->view = NULL;
        nkx_view_drop(v);
    } else if (o->type == NKX_V_REGISTER) {
        nkx_register *r = ((nkx_register_obj *)(void *)o)->reg;
        ((nkx_register_obj *)(void *)o)->reg = NULL;
        if (r != NULL) nkx_register_drop(r);
    } else {
        nkx_ndarray *a = ((nkx_array_obj *)(void *)o)->a;
        ((nkx_array_obj *)(void *)o)->a = NULL;
        if (a != NULL) nkx_nd_drop(a);
    }
}

static void clear_native(nkx_native *n)
{
    const nkx_native_type *t = n->type;
    n->type = NULL;
    if (t != NULL && t->fini != NULL) t->fini(&n->base);
}

static void clear_kernel(nkx_kernel_obj *k)
{
    take(&k->func);
    take(&k->schedule);
    take(&k->extra);
}

static void clear_super(nkx_super *s)
{
    nkx_class *c = s->from;
    s->from = NULL;
    if (c != NULL) nkx_drop(nkx_of(c));
    take(&s->self);
}

void nkx_obj_clear(nkx_obj *o)
{
    void *p = o;
    switch ((nkx_vtype)o->type) {
    case NKX_V_UNSET:
    case NKX_V_NONE:
    case NKX_V_BOOL:
    case NKX_V_INT:
    case NKX_V_FLOAT:
    case NKX_V_ELLIPSIS:
    case NKX_V_NOT_IMPLEMENTED:
    case NKX_V_DTYPE:
    case NKX_V_OP:
    case NKX_V_MEMBER:
    case NKX_V_TYPE:
    case NKX_V_BUILTIN:
    case NKX_V_STR:
    case NKX_V_BYTES:
    case NKX_V_RANGE:
    case NKX_N_VTYPES: return;
    case NKX_V_TUPLE: take_all(((nkx_tuple *)p)->at, ((nkx_tuple *)p)->n); return;
    case NKX_V_LIST: clear_list(p); return;
    case NKX_V_DICT:
    case NKX_V_SET: clear_dict(p); return;
    case NKX_V_SLICE: take_all(&((nkx_slice_obj *)p)->start, 3); return;
    case NKX_V_ITER: clear_iter(p); return;
    case NKX_V_CELL: take(&((nkx_cell *)p)->v); return;
    case NKX_V_FUNCTION: clear_function(p); return;
    case NKX_V_METHOD: take_all(&((nkx_method *)p)->self, 2); return;
    case NKX_V_KERNEL: clear_kernel(p); return;
    case NKX_V_CLASS: clear_class(p); return;
    case NKX_V_INSTANCE: clear_instance(p); return;
    case NKX_V_MODULE: clear_module(p); return;
    case NKX_V_PROPERTY:
    case NKX_V_STATICMETHOD:
    case NKX_V_CLASSMETHOD: take_all(&((nkx_wrap *)p)->func, 3); return;
    case NKX_V_SUPER: clear_super(p); return;
    case NKX_V_TENSOR:
    case NKX_V_REGISTER:
    case NKX_V_ARRAY: clear_device(o); return;
    case NKX_V_NATIVE: clear_native(p); return;
    case NKX_V_DICTVIEW: take(&((nkx_dictview *)p)->dict); return;
    }
}
