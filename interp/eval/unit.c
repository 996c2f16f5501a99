/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units: one parsed text with its constants and caches. Parsing, resolving, running; module values
 * and their global slots. Layer eval.
 */
#include "interp/eval/walk.h"

#include <stdlib.h>
#include <string.h>

/* ---- modules as values ---- */

nkx_value nkx_module_value_new(nkx_vm *vm, const char *name)
{
    nkx_module_obj *m = nkx_obj_new(vm, NKX_V_MODULE, sizeof *m);
    m->name = nkx_intern(vm, name);
    m->vm = vm;
    return nkx_of(m);
}

nkx_value nkx_vm_module_new(nkx_vm *vm, const char *name)
{
    nkx_value v = nkx_module_value_new(vm, name);
    nkx_module_obj *m = NKX_AS(nkx_module_obj, v);
    nkx_value text = nkx_cstr(vm, name);
    nkx_module_set_name(m, vm->id.d_name, text);
    nkx_drop(text);
    nkx_push(&vm->modules, nkx_ref(v)); /* units point at it until the VM ends */
    nkx_dict_put_name(vm, vm->sys_modules, m->name, v);
    return v;
}

void nkx_module_set_name(nkx_module_obj *m, const nkx_name *name, nkx_value v)
{
    uint32_t known = m->globals.n;
    nkx_attrs_set(&m->globals, name, v);
    if (m->globals.n > known && m->global_names.n < m->globals.n) nkx_push(&m->global_names, name);
}

bool nkx_module_set(nkx_vm *vm, nkx_value module, const char *name, nkx_value v)
{
    nkx_module_set_name(NKX_AS(nkx_module_obj, module), nkx_intern(vm, name), v);
    return true;
}

bool nkx_module_get(nkx_vm *vm, nkx_value module, const char *name, nkx_value *out)
{
    return nkx_find_attr(vm, module, nkx_intern(vm, name), out);
}

/* Global slots that the resolver added get a place, and the builtin of their name to fall back on.
 */
static void sync_globals(nkx_vm *vm, nkx_module_obj *m)
{
    for (size_t i = m->globals.n; i < m->global_names.n; i++) {
        nkx_attrs_slot(&m->globals, m->global_names.at[i]);
    }
    if (m->globals.n <= m->n_fallback) return;
    m->fallback = nkx_realloc(m->fallback, m->globals.n * sizeof *m->fallback);
    for (uint32_t i = m->n_fallback; i < m->globals.n; i++) {
        m->fallback[i] = nkx_attrs_get(&vm->builtins->globals, m->globals.names[i]);
    }
    m->n_fallback = m->globals.n;
}

/* ---- constants ---- */

static nkx_value make_const(nkx_vm *vm, const nkx_constant *c)
{
    switch (c->what) {
    case NKX_CONST_NONE: return NKX_NONE;
    case NKX_CONST_TRUE: return nkx_bool(true);
    case NKX_CONST_FALSE: return nkx_bool(false);
    case NKX_CONST_ELLIPSIS: return (nkx_value){.type = NKX_V_ELLIPSIS};
    case NKX_CONST_INT: return nkx_int(c->i);
    case NKX_CONST_FLOAT: return nkx_float(c->f);
    case NKX_CONST_STR: return nkx_str_new(vm, c->text, c->len);
    case NKX_CONST_BYTES: return nkx_bytes_new(vm, c->text, c->len);
    case NKX_CONST_BIGINT:
    case NKX_CONST_IMAG: break; /* made an error where they are reached */
    }
    return NKX_UNSET;
}

nkx_value nkx_eval_constant(nkx_frame *f, const nkx_constant *c)
{
    nkx_value *at = &f->unit->consts[c->pool];
    if (at->type == NKX_V_UNSET) *at = make_const(f->vm, c);
    if (at->type != NKX_V_UNSET) return nkx_ref(*at);
    f->at = &c->base;
    if (c->what == NKX_CONST_BIGINT) {
        nkx_raise(f->vm, NKX_E215, "OverflowError", "the integer %.40s does not fit in 64 bits",
                  c->text);
        nkx_wide_attach_text(f->vm, c->text);
    } else {
        nkx_raise(f->vm, NKX_E227, "SyntaxError", "complex numbers are not supported");
    }
    return NKX_UNSET;
}

/* ---- units ---- */

nkx_unit *nkx_unit_new(nkx_vm *vm, nkx_module_obj *m, const char *path, const char *text,
                       size_t len)
{
    const nkx_source *src = nkx_sources_add(vm->sources, path, text, len);
    nkx_unit *u = nkx_alloc(sizeof *u);
    nkx_arena_init(&u->arena);
    u->module = m;
    u->ast = nkx_parse(src, &u->arena, vm->names, vm->diags);
    if (u->ast == NULL || !nkx_resolve(u->ast, &m->global_names, vm->names, vm->diags)) {
        nkx_arena_fini(&u->arena);
        free(u);
        sync_globals(vm, m);
        return NULL;
    }
    sync_globals(vm, m);
    u->consts = nkx_alloc((u->ast->n_consts + 1) * sizeof *u->consts);
    u->caches = nkx_alloc((u->ast->n_caches + 1) * sizeof *u->caches);
    u->sites = nkx_alloc((u->ast->n_caches + 1) * sizeof *u->sites);
    u->next = vm->units;
    vm->units = u;
    m->unit = u;
    return u;
}

static void free_unit(nkx_unit *u)
{
    uint32_t n = u->ast->n_consts, n_sites = u->ast->n_caches;
    for (uint32_t i = 0; i < n; i++) nkx_drop(u->consts[i]);
    for (uint32_t i = 0; i < n_sites; i++) {
        if (u->sites[i] == NULL) continue;
        free(u->sites[i]->map);
        free(u->sites[i]->memo);
    }
    free(u->consts);
    free(u->caches);
    free((void *)u->sites);
    nkx_arena_fini(&u->arena);
    free(u);
}

void nkx_units_free(nkx_vm *vm)
{
    for (nkx_unit *u = vm->units, *next; u != NULL; u = next) {
        next = u->next;
        free_unit(u);
    }
    vm->units = NULL;
}

/* The text's statements; *last (may be NULL) gets the value of a closing expression statement. */
bool nkx_unit_run(nkx_vm *vm, nkx_unit *u, nkx_value *last)
{
    const nkx_nodes *body = &u->ast->body;
    nkx_frame f = {.vm = vm, .unit = u, .module = u->module, .up = vm->frame, .kernel = vm->kernel};
    nkx_nodes head = *body;
    bool tail = last != NULL && body->n > 0 && body->at[body->n - 1]->kind == NKX_EXPR_STMT;
    if (last != NULL) *last = NKX_UNSET;
    if (tail) head.n--;
    if (!nkx_stack_check(vm)) return false;
    vm->frame = &f;
    bool ok = nkx_exec(&f, &head) != NKX_FLOW_FAIL;
    if (ok && tail) {
        const nkx_node *s = body->at[body->n - 1];
        f.at = s;
        *last = nkx_eval(&f, NKX_NODE(nkx_value_stmt, s)->value);
        ok = last->type != NKX_V_UNSET;
    }
    vm->frame = f.up;
    return ok;
}
