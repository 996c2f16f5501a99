/* SPDX-License-Identifier: Apache-2.0 */
/* Functions as values: def, lambda, closures, decorators. Layer eval. */
#include "interp/eval/classes.h"

#include <stdlib.h>

nkx_value nkx_capture(const nkx_frame *f, const struct nkx_capture *c)
{
    return nkx_ref(c->from_cell ? f->slots[c->index] : f->cells[c->index]);
}

/* Defaults are evaluated once, where the function is defined; annotations never. */
static bool eval_defaults(nkx_frame *f, nkx_function *fn)
{
    const nkx_params *ps = fn->params;
    uint32_t n = ps->n_pos + ps->n_kwonly;
    bool any = false;
    for (uint32_t i = 0; i < n; i++) any |= ps->at[i].dflt != NULL;
    if (!any) return true;
    fn->defaults = nkx_alloc(n * sizeof *fn->defaults);
    for (uint32_t i = 0; i < n; i++) {
        if (ps->at[i].dflt == NULL) continue;
        nkx_value v = nkx_eval(f, ps->at[i].dflt);
        if (v.type == NKX_V_UNSET) return false;
        fn->defaults[i] = v;
    }
    return true;
}

static bool is_plain(const nkx_params *ps, const nkx_frame_info *info)
{
    if (ps->vararg != NULL || ps->kwarg != NULL || ps->n_kwonly > 0) return false;
    for (uint32_t i = 0; i < info->n_slots; i++) {
        if (info->slot_is_cell[i]) return false;
    }
    return true;
}

static const char *qualname_of(nkx_frame *f, const nkx_name *name)
{
    if (f->build == NULL) return name->text;
    return nkx_arena_printf(&f->unit->arena, "%s.%s", f->build->cls->qualname, name->text);
}

nkx_value nkx_make_function(nkx_frame *f, const nkx_node *node)
{
    nkx_vm *vm = f->vm;
    nkx_function *fn = nkx_obj_new(vm, NKX_V_FUNCTION, sizeof *fn);
    bool is_def = node->kind == NKX_FUNCTION_DEF;
    fn->node = node;
    if (is_def) {
        const nkx_function_def *d = NKX_NODE(nkx_function_def, node);
        fn->params = &d->params;
        fn->info = &d->frame;
        fn->name = d->name;
        fn->qualname = qualname_of(f, d->name);
    } else {
        const nkx_lambda *l = NKX_NODE(nkx_lambda, node);
        fn->params = &l->params;
        fn->info = &l->frame;
        fn->name = nkx_intern(vm, "<lambda>");
        fn->qualname = fn->name->text;
    }
    fn->unit = f->unit;
    fn->module = f->module;
    fn->rules_done = f->unit->is_stdlib;
    fn->plain = is_plain(fn->params, fn->info);
    nkx_value v = nkx_of(fn);
    if (!eval_defaults(f, fn)) {
        nkx_drop(v);
        return NKX_UNSET;
    }
    uint32_t n = fn->info->n_free;
    if (n > 0) fn->cells = nkx_alloc(n * sizeof *fn->cells);
    for (uint32_t i = 0; i < n; i++) fn->cells[i] = nkx_capture(f, &fn->info->captures[i]);
    return v;
}

/* Does the expression lead into a module that is not there? Then the decorator is left out. */
static bool placeholder_decorator(nkx_frame *f, const nkx_node *n, bool *skip)
{
    *skip = false;
    while (n->kind == NKX_CALL) n = NKX_NODE(nkx_call_node, n)->func;
    const nkx_node *root = n;
    while (root->kind == NKX_ATTRIBUTE) root = NKX_NODE(nkx_attribute, root)->value;
    if (root->kind != NKX_NAME) return true;
    nkx_value v = nkx_eval(f, root);
    if (v.type == NKX_V_UNSET) return false;
    *skip = nkx_is_placeholder(v);
    nkx_drop(v);
    return true;
}

bool nkx_decorate(nkx_frame *f, const nkx_nodes *decorators, nkx_value *v)
{
    for (uint32_t i = decorators->n; i-- > 0;) {
        const nkx_node *n = decorators->at[i];
        bool skip;
        if (!placeholder_decorator(f, n, &skip)) return false;
        if (skip) continue;
        nkx_value d = nkx_eval(f, n), r;
        if (d.type == NKX_V_UNSET) return false;
        f->at = n;
        bool ok = nkx_call_n(f->vm, d, v, 1, &r);
        nkx_drop(d);
        if (!ok) return false;
        nkx_drop(*v);
        *v = r;
    }
    return true;
}
