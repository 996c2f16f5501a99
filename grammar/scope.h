/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scopes and symbols: what the resolver notes down on its walk, and where each name lives once the
 * walk is over. Internal to the syntax layer.
 *
 * A scope that runs (module, function, lambda, comprehension) owns slots. A class body runs in the
 * frame around it: the names it does not bind itself are looked up as if they stood there.
 */
#ifndef NKX_GRAMMAR_SCOPE_H
#define NKX_GRAMMAR_SCOPE_H

#include "grammar/resolve.h"

typedef enum nkx_scope_kind {
    NKX_IN_MODULE,
    NKX_IN_CLASS,
    NKX_IN_FUNCTION,
    NKX_IN_COMPREHENSION
} nkx_scope_kind;

typedef struct nkx_symbol {
    const nkx_name *name;
    struct nkx_symbol *next; /* in order of first use in the scope */
    bool bound, used, is_param, is_global, is_nonlocal,
        is_iteration; /* global, nonlocal: declared so */
    bool captured;    /* an inner function reads it: a cell */
    bool annotated;
    nkx_span span; /* of the first use or declaration */
    uint8_t where; /* nkx_scope, after nkx_scopes_settle */
    uint32_t slot;
} nkx_symbol;

typedef struct nkx_reference { /* a place in the tree to be filled in */
    nkx_symbol *symbol;
    uint8_t *scope; /* NULL: not wanted */
    uint32_t *slot;
    bool *is_cell; /* NULL: not wanted */
} nkx_reference;

typedef struct nkx_scope_info {
    nkx_scope_kind kind;
    struct nkx_scope_info *parent, *next; /* next: in order of creation, parents first */
    nkx_frame_info *frame;                /* NULL for modules and classes */
    nkx_symbol *first, *last;
    nkx_symbol **table; /* by name; cap is a power of two */
    uint32_t n, cap;
    uint32_t n_slots;
    NKX_VEC(struct nkx_capture) captures;
    uint32_t loops;     /* around the present statement */
    uint32_t iterables; /* comprehension: within its own `in` expressions */
} nkx_scope_info;

typedef struct nkx_resolver {
    nkx_module_ast *m;
    nkx_global_names *globals;
    nkx_names *names;
    nkx_diags *diags;
    nkx_arena scratch;
    nkx_scope_info *scope, *first_scope, *last_scope;
    NKX_VEC(nkx_reference) references;
    NKX_VEC(uint32_t) slot_of; /* by name id: global slot + 1, 0 for none */
    bool failed;
} nkx_resolver;

nkx_scope_info *nkx_scope_enter(nkx_resolver *r, nkx_scope_kind kind, nkx_frame_info *frame);
void nkx_scope_leave(nkx_resolver *r);
/* The symbol of a name in a scope, made on first use. */
nkx_symbol *nkx_scope_symbol(nkx_resolver *r, nkx_scope_info *s, const nkx_name *name,
                             nkx_span span);
/* Marks it as bound there and gives it a slot if it lives in a frame. */
void nkx_scope_bind(nkx_scope_info *s, nkx_symbol *sym);
void nkx_scope_refer(nkx_resolver *r, nkx_symbol *sym, uint8_t *scope, uint32_t *slot,
                     bool *is_cell);
uint32_t nkx_scope_global(nkx_resolver *r, const nkx_name *name);
/* After the walk: decides where every symbol lives, fills in all references and frames. */
void nkx_scopes_settle(nkx_resolver *r);
void nkx_scopes_fini(nkx_resolver *r);

NKX_PRINTF(4, 5)
nkx_diag *nkx_resolve_error(nkx_resolver *r, nkx_code code, nkx_span span, const char *fmt, ...);

#endif
