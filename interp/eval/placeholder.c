/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Placeholders for what is not here: modules of other frameworks, parts of known modules, types.
 * They can be imported, passed on, given attributes of and subclassed; any other use is E223.
 * nkx check goes on behind such a use in module code: the statement is left out with a warning,
 * and what it would have bound is unknown. Layer eval.
 */
#include "interp/eval/walk.h"

#include <stdlib.h>
#include <string.h>

typedef struct placeholder {
    const nkx_name *path;    /* "torch.nn" */
    const nkx_name *missing; /* what is not there: "the module 'torch'" */
    const nkx_name *module;  /* "torch", for suggestions; NULL where it is no module */
    bool unknown;            /* any value may stand here: that of a statement left out */
} placeholder;

static placeholder *payload(nkx_value v)
{
    return NKX_PAYLOAD(placeholder, v);
}

/* ---- suggestions ---- */

const char *nkx_near_module(const char *name, size_t len)
{
    const nkx_module_def *const *const lists[] = {nkx_modules_std, nkx_modules_nki,
                                                  nkx_modules_core};
    NKX_VEC(const char *) names = {0};
    char *text = nkx_alloc(len + 1);
    memcpy(text, name, len);
    for (size_t k = 0; k < NKX_COUNT(lists); k++) {
        for (const nkx_module_def *const *d = lists[k]; *d != NULL; d++) {
            if (strstr((*d)->name, "._") == NULL) nkx_push(&names, (*d)->name);
        }
    }
    const char *near = nkx_nearest(text, names.at, names.n);
    free((void *)names.at);
    free(text);
    return near;
}

/* "numpi": so near to a module that is here that it cannot mean another framework. */
static bool is_misspelt(const nkx_name *module)
{
    const char *near = nkx_near_module(module->text, module->len);
    size_t n = near == NULL ? 0 : strlen(near);
    if (n < 5 || n + 1 < module->len || module->len + 1 < n) return false;
    size_t wrong = 0;
    for (size_t i = 0; i < n && i < module->len; i++) wrong += near[i] != module->text[i];
    return wrong <= 2 && strcmp(near, module->text) != 0;
}

/* ---- use ---- */

bool nkx_placeholder_used(nkx_vm *vm, nkx_value p)
{
    const placeholder *h = payload(p);
    nkx_raise(vm, NKX_E223, "ModuleNotFoundError", "'%s' is used, but %s is not available",
              h->path->text, h->missing->text);
    bool old = h->module != NULL && strcmp(h->module->text, "neuronxcc") == 0;
    bool bad = old || (h->module != NULL && is_misspelt(h->module));
    if (!bad) NKX_AS(nkx_instance, vm->exception)->exc->missing = h->missing;
    if (old) {
        nkx_raise_hint(vm, "The namespace neuronxcc.nki is the old dialect. Import nki, "
                           "nki.language and nki.isa.");
    } else if (h->module != NULL) {
        const char *near = nkx_near_module(h->module->text, h->module->len);
        if (near != NULL && strcmp(near, h->module->text) != 0)
            nkx_raise_hint(vm, "Did you mean '%s'?", near);
    }
    return false;
}

bool nkx_placeholder_blame(nkx_vm *vm, const nkx_value *at, uint32_t n)
{
    if (!nkx_exception_is(vm, NKX_CLS_TypeError)) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!nkx_is_placeholder(at[i])) continue;
        nkx_exception_clear(vm);
        return nkx_placeholder_used(vm, at[i]);
    }
    return false;
}

/* ---- the type ---- */

static bool placeholder_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    if (name->text[0] == '_' && name->text[1] == '_') return true;
    nkx_buf b = {0};
    nkx_buf_printf(&b, "%s.%s", payload(self)->path->text, name->text);
    *out = nkx_placeholder_under(vm, self, b.at);
    nkx_buf_fini(&b);
    return true;
}

static bool placeholder_call(nkx_vm *vm, nkx_value self, const nkx_args *a, nkx_value *out)
{
    (void)a, (void)out;
    return nkx_placeholder_used(vm, self);
}

static bool placeholder_item(nkx_vm *vm, nkx_value self, nkx_value key, nkx_value *out)
{
    (void)vm, (void)key;
    *out = nkx_ref(self); /* torch.Tensor[...] in an annotation */
    return true;
}

static bool placeholder_repr(nkx_vm *vm, nkx_value self, nkx_buf *out)
{
    (void)vm;
    const placeholder *h = payload(self);
    nkx_buf_printf(out, "<missing %s '%s'>", h->unknown ? "value" : "module", h->path->text);
    return true;
}

/* Each access makes an object of its own; the path says whether they are the same thing. */
static bool placeholder_equal(nkx_value a, nkx_value b)
{
    return payload(a)->path == payload(b)->path && !payload(a)->unknown && !payload(b)->unknown;
}

static const nkx_native_type placeholder_type = {
    .name = "missing module",
    .attr = placeholder_attr,
    .call = placeholder_call,
    .item = placeholder_item,
    .repr = placeholder_repr,
    .equal = placeholder_equal,
};

const char *nkx_placeholder_path(nkx_value v)
{
    return payload(v)->path->text;
}

bool nkx_is_placeholder(nkx_value v)
{
    return nkx_is_native(v, &placeholder_type);
}

bool nkx_is_unknown(nkx_value v)
{
    return nkx_is_placeholder(v) && payload(v)->unknown;
}

static nkx_value make(nkx_vm *vm, const char *path, placeholder like)
{
    nkx_value v = nkx_native_new(vm, &placeholder_type, sizeof(placeholder));
    *payload(v) = like;
    payload(v)->path = nkx_intern(vm, path);
    return v;
}

nkx_value nkx_placeholder_new(nkx_vm *vm, const char *path, const char *kind, const char *missing)
{
    nkx_buf b = {0};
    nkx_buf_printf(&b, "%s '%s'", kind, missing);
    placeholder h = {.missing = nkx_intern(vm, b.at)};
    if (strcmp(kind, "the module") == 0) h.module = nkx_intern(vm, missing);
    nkx_buf_fini(&b);
    return make(vm, path, h);
}

nkx_value nkx_placeholder_under(nkx_vm *vm, nkx_value up, const char *path)
{
    return make(vm, path, *payload(up));
}

/* ---- statements that are left out ---- */

typedef struct skipped {
    nkx_frame *f;
    const nkx_name *missing;
} skipped;

static nkx_value unknown_value(const skipped *s, const nkx_name *name)
{
    return make(s->f->vm, name->text, (placeholder){.missing = s->missing, .unknown = true});
}

static void bind_name(const skipped *s, uint8_t scope, uint32_t slot, const nkx_name *name)
{
    nkx_value v = unknown_value(s, name);
    nkx_assign_name(s->f, scope, slot, name, v);
    nkx_drop(v);
}

static void bind_target(const skipped *s, const nkx_node *t)
{
    if (t->kind == NKX_NAME) {
        const nkx_name_node *n = NKX_NODE(nkx_name_node, t);
        bind_name(s, n->scope, n->slot, n->id);
    } else if (t->kind == NKX_LIST || t->kind == NKX_TUPLE) {
        const nkx_nodes *elts = &NKX_NODE(nkx_seq, t)->elts;
        for (uint32_t i = 0; i < elts->n; i++) bind_target(s, elts->at[i]);
    } else if (t->kind == NKX_STARRED) {
        bind_target(s, NKX_NODE(nkx_starred, t)->value);
    } else { /* an item or attribute, as far as what holds it is there */
        nkx_value v = unknown_value(s, nkx_intern(s->f->vm, "value"));
        if (!nkx_assign_to(s->f, t, v)) nkx_exception_clear(s->f->vm);
        nkx_drop(v);
    }
}

static void bind_all(const skipped *s, const nkx_nodes *body);

static void bind_import(const skipped *s, const nkx_import_node *n)
{
    for (uint32_t i = 0; i < n->n_names; i++) {
        const nkx_alias *a = &n->names[i];
        if (strcmp(a->name->text, "*") != 0) bind_name(s, a->scope, a->slot, a->bound);
    }
}

static void bind_try(const skipped *s, const nkx_try *n)
{
    bind_all(s, &n->body);
    for (uint32_t i = 0; i < n->n_handlers; i++) bind_all(s, &n->handlers[i].body);
    bind_all(s, &n->orelse);
    bind_all(s, &n->finalbody);
}

static void bind_with(const skipped *s, const nkx_with *n)
{
    for (uint32_t i = 0; i < n->n_items; i++) {
        if (n->items[i].target != NULL) bind_target(s, n->items[i].target);
    }
    bind_all(s, &n->body);
}

/* Whatever the statement could have bound is unknown from here on. */
static void bind_statement(const skipped *s, const nkx_node *n)
{
    switch ((int)n->kind) {
    case NKX_ASSIGN: {
        const nkx_nodes *t = &NKX_NODE(nkx_assign, n)->targets;
        for (uint32_t i = 0; i < t->n; i++) bind_target(s, t->at[i]);
        break;
    }
    case NKX_AUG_ASSIGN: bind_target(s, NKX_NODE(nkx_aug_assign, n)->target); break;
    case NKX_ANN_ASSIGN:
        if (NKX_NODE(nkx_ann_assign, n)->value != NULL)
            bind_target(s, NKX_NODE(nkx_ann_assign, n)->target);
        break;
    case NKX_IF:
    case NKX_WHILE:
        bind_all(s, &NKX_NODE(nkx_if, n)->body);
        bind_all(s, &NKX_NODE(nkx_if, n)->orelse);
        break;
    case NKX_FOR:
        bind_target(s, NKX_NODE(nkx_for, n)->target);
        bind_all(s, &NKX_NODE(nkx_for, n)->body);
        bind_all(s, &NKX_NODE(nkx_for, n)->orelse);
        break;
    case NKX_WITH: bind_with(s, NKX_NODE(nkx_with, n)); break;
    case NKX_TRY: bind_try(s, NKX_NODE(nkx_try, n)); break;
    case NKX_FUNCTION_DEF: {
        const nkx_function_def *d = NKX_NODE(nkx_function_def, n);
        bind_name(s, d->scope, d->slot, d->name);
        break;
    }
    case NKX_CLASS_DEF: {
        const nkx_class_def *d = NKX_NODE(nkx_class_def, n);
        bind_name(s, d->scope, d->slot, d->name);
        break;
    }
    case NKX_IMPORT:
    case NKX_IMPORT_FROM: bind_import(s, NKX_NODE(nkx_import_node, n)); break;
    default: break;
    }
}

static void bind_all(const skipped *s, const nkx_nodes *body)
{
    for (uint32_t i = 0; i < body->n; i++) bind_statement(s, body->at[i]);
}

bool nkx_skip_statement(nkx_frame *f, const nkx_node *n)
{
    nkx_vm *vm = f->vm;
    if (!vm->o.skip_missing || f->fn != NULL || f->trying > 0 || vm->kernel > 0) return false;
    if (vm->exception.type != NKX_V_INSTANCE) return false;
    nkx_value x = nkx_exception_take(vm);
    const nkx_exc *e = NKX_AS(nkx_instance, x)->exc;
    if (e->missing == NULL || e->fatal) {
        vm->exception = x;
        return false;
    }
    nkx_buf text = {0};
    if (!nkx_exception_text(vm, x, &text)) nkx_exception_clear(vm);
    nkx_diag *g = nkx_diag_add(vm->diags, NKX_E236, e->span, "%s: the statement is left out",
                               text.at == NULL ? "" : text.at);
    for (uint32_t i = 0; g != NULL && i < e->n_notes; i++)
        nkx_diag_note(vm->diags, g, e->note_spans[i], "%s", e->notes[i]);
    nkx_buf_fini(&text);
    bind_statement(&(skipped){.f = f, .missing = e->missing}, n);
    nkx_drop(x);
    return true;
}
