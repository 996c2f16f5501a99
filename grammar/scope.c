/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols of scopes, and CPython's rules of where a name lives. Layer syntax. */
#include "grammar/scope.h"

#include <string.h>

/* ---- noting down ---- */

nkx_scope_info *nkx_scope_enter(nkx_resolver *r, nkx_scope_kind kind, nkx_frame_info *frame)
{
    nkx_scope_info *s = NKX_ARENA_NEW(&r->scratch, nkx_scope_info);
    s->kind = kind;
    s->parent = r->scope;
    s->frame = frame;
    if (r->last_scope != NULL) {
        r->last_scope->next = s;
    } else {
        r->first_scope = s;
    }
    r->last_scope = s;
    r->scope = s;
    return s;
}

void nkx_scope_leave(nkx_resolver *r)
{
    r->scope = r->scope->parent;
}

/* Names have dense ids: multiplied, they spread well enough. */
static uint32_t hash(const nkx_name *name)
{
    return name->id * 2654435769u >> 7;
}

static nkx_symbol **find(const nkx_scope_info *s, const nkx_name *name)
{
    uint32_t i = hash(name) & (s->cap - 1);
    while (s->table[i] != NULL && s->table[i]->name != name) i = (i + 1) & (s->cap - 1);
    return &s->table[i];
}

static void grow(nkx_resolver *r, nkx_scope_info *s)
{
    s->cap = s->cap ? s->cap * 2 : 8;
    s->table = NKX_ARENA_ARRAY(&r->scratch, nkx_symbol *, s->cap);
    for (nkx_symbol *sym = s->first; sym != NULL; sym = sym->next) *find(s, sym->name) = sym;
}

nkx_symbol *nkx_scope_symbol(nkx_resolver *r, nkx_scope_info *s, const nkx_name *name,
                             nkx_span span)
{
    if (s->cap != 0) {
        nkx_symbol *known = *find(s, name);
        if (known != NULL) return known;
    }
    if ((s->n + 1) * 2 > s->cap) grow(r, s);
    nkx_symbol *sym = NKX_ARENA_NEW(&r->scratch, nkx_symbol);
    sym->name = name;
    sym->span = span;
    *find(s, name) = sym;
    s->n++;
    if (s->last != NULL) {
        s->last->next = sym;
    } else {
        s->first = sym;
    }
    s->last = sym;
    return sym;
}

void nkx_scope_bind(nkx_scope_info *s, nkx_symbol *sym)
{
    if (sym->bound || sym->is_global || sym->is_nonlocal) return;
    sym->bound = true;
    if (s->frame != NULL) sym->slot = s->n_slots++;
}

void nkx_scope_refer(nkx_resolver *r, nkx_symbol *sym, uint8_t *scope, uint32_t *slot,
                     bool *is_cell)
{
    nkx_reference ref = {0};
    ref.symbol = sym;
    ref.scope = scope;
    ref.slot = slot;
    ref.is_cell = is_cell;
    nkx_push(&r->references, ref);
}

uint32_t nkx_scope_global(nkx_resolver *r, const nkx_name *name)
{
    if (name->id >= r->slot_of.n) {
        size_t want = (size_t)name->id + 1;
        nkx_vec_reserve(&r->slot_of, want);
        memset(r->slot_of.at + r->slot_of.n, 0, (want - r->slot_of.n) * sizeof *r->slot_of.at);
        r->slot_of.n = want;
    }
    uint32_t *slot = &r->slot_of.at[name->id];
    if (*slot == 0) {
        nkx_push(r->globals, name);
        *slot = (uint32_t)r->globals->n;
    }
    return *slot - 1;
}

/* ---- settling ---- */

/* The next scope out that has a frame, or the module. */
static nkx_scope_info *frame_around(const nkx_scope_info *s)
{
    nkx_scope_info *p = s->parent;
    while (p != NULL && p->kind == NKX_IN_CLASS) p = p->parent;
    return p;
}

static nkx_symbol *look_up(const nkx_scope_info *s, const nkx_name *name)
{
    return s->cap != 0 ? *find(s, name) : NULL;
}

/*
 * Index of a name in the closure of s. It is bound in a frame further out; every frame between
 * passes it on.
 */
static uint32_t capture(nkx_scope_info *s, const nkx_name *name)
{
    for (uint32_t i = 0; i < s->captures.n; i++) {
        if (s->captures.at[i].name == name) return i;
    }
    nkx_scope_info *p = frame_around(s);
    nkx_symbol *sym = look_up(p, name);
    struct nkx_capture c = {.name = name};
    if (sym != NULL && sym->bound) {
        sym->captured = true;
        c.from_cell = true;
        c.index = sym->slot;
    } else {
        c.index = capture(p, name);
    }
    nkx_push(&s->captures, c);
    return (uint32_t)s->captures.n - 1;
}

/* Is the name bound by a function around s, so that s can capture it? */
static bool bound_around(const nkx_scope_info *s, const nkx_name *name)
{
    for (const nkx_scope_info *p = frame_around(s); p != NULL && p->frame != NULL;
         p = frame_around(p)) {
        const nkx_symbol *sym = look_up(p, name);
        if (sym == NULL) continue;
        if (sym->bound) return true;
        if (sym->is_global) return false;
    }
    return false;
}

static void settle_global(nkx_resolver *r, nkx_symbol *sym)
{
    sym->where = NKX_SCOPE_GLOBAL;
    sym->slot = nkx_scope_global(r, sym->name);
}

static void no_binding(nkx_resolver *r, const nkx_symbol *sym)
{
    (void)nkx_resolve_error(r, NKX_E123, sym->span, "no binding for nonlocal '%s' found",
                            sym->name->text);
}

static void settle_in_frame(nkx_resolver *r, nkx_scope_info *s, nkx_symbol *sym)
{
    if (sym->bound) {
        sym->where = NKX_SCOPE_LOCAL; /* or CELL, once all captures are known */
    } else if (!sym->is_global && bound_around(s, sym->name)) {
        sym->where = NKX_SCOPE_FREE;
        sym->slot = capture(s, sym->name);
    } else {
        if (sym->is_nonlocal) no_binding(r, sym);
        settle_global(r, sym);
    }
}

/* A class body has no frame: a name that it does not bind lives where the frame around has it. */
static void settle_in_class(nkx_resolver *r, nkx_scope_info *s, nkx_symbol *sym)
{
    nkx_scope_info *p = frame_around(s);
    if (sym->bound) {
        sym->where = NKX_SCOPE_CLASS;
        sym->slot = nkx_scope_global(r, sym->name);
        return;
    }
    if (sym->is_global || !bound_around(s, sym->name)) {
        if (sym->is_nonlocal) no_binding(r, sym);
        settle_global(r, sym);
        return;
    }
    nkx_symbol *outer = look_up(p, sym->name);
    if (outer != NULL && outer->bound) {
        sym->where = NKX_SCOPE_LOCAL;
        sym->slot = outer->slot;
    } else {
        sym->where = NKX_SCOPE_FREE;
        sym->slot = capture(p, sym->name);
    }
}

/* LOCAL becomes CELL for names that inner functions capture, also as seen from a class body. */
static void settle_cells(nkx_scope_info *s)
{
    for (nkx_symbol *sym = s->first; sym != NULL; sym = sym->next) {
        if (sym->where != NKX_SCOPE_LOCAL) continue;
        bool captured = sym->captured;
        if (s->kind == NKX_IN_CLASS) captured = look_up(frame_around(s), sym->name)->captured;
        sym->captured = captured;
        if (captured) sym->where = NKX_SCOPE_CELL;
    }
}

static void fill_frame(nkx_resolver *r, nkx_scope_info *s)
{
    nkx_frame_info *f = s->frame;
    nkx_arena *a = r->m->arena;
    f->n_slots = s->n_slots;
    f->slot_names = NKX_ARENA_ARRAY(a, const nkx_name *, s->n_slots);
    f->slot_is_cell = NKX_ARENA_ARRAY(a, uint8_t, s->n_slots);
    for (const nkx_symbol *sym = s->first; sym != NULL; sym = sym->next) {
        if (!sym->bound) continue;
        f->slot_names[sym->slot] = sym->name;
        f->slot_is_cell[sym->slot] = sym->captured;
    }
    f->n_free = (uint32_t)s->captures.n;
    f->captures = NKX_ARENA_ARRAY(a, struct nkx_capture, f->n_free);
    if (f->n_free) memcpy(f->captures, s->captures.at, f->n_free * sizeof *f->captures);
}

void nkx_scopes_settle(nkx_resolver *r)
{
    for (nkx_scope_info *s = r->first_scope; s != NULL; s = s->next) {
        for (nkx_symbol *sym = s->first; sym != NULL; sym = sym->next) {
            if (s->kind == NKX_IN_MODULE) {
                settle_global(r, sym);
            } else if (s->kind == NKX_IN_CLASS) {
                settle_in_class(r, s, sym);
            } else {
                settle_in_frame(r, s, sym);
            }
        }
    }
    for (nkx_scope_info *s = r->first_scope; s != NULL; s = s->next) {
        settle_cells(s);
        if (s->frame != NULL) fill_frame(r, s);
    }
    for (size_t i = 0; i < r->references.n; i++) {
        const nkx_reference *ref = &r->references.at[i];
        if (ref->scope != NULL) *ref->scope = ref->symbol->where;
        if (ref->slot != NULL) *ref->slot = ref->symbol->slot;
        if (ref->is_cell != NULL) *ref->is_cell = ref->symbol->where == NKX_SCOPE_CELL;
    }
}

void nkx_scopes_fini(nkx_resolver *r)
{
    for (nkx_scope_info *s = r->first_scope; s != NULL; s = s->next) nkx_vec_fini(&s->captures);
    nkx_vec_fini(&r->references);
    nkx_vec_fini(&r->slot_of);
    nkx_arena_fini(&r->scratch);
}
