/* SPDX-License-Identifier: Apache-2.0 */
/* Constructors of simple statements. Layer syntax. */
#include "grammar/build.h"
#include "grammar/parser.h" /* generated: the kinds */

#include <string.h>

static nkx_node *value_stmt(nkx_parser *p, nkx_kind kind, uint32_t begin, uint32_t end,
                            nkx_ex value)
{
    nkx_value_stmt *n = nkx_node_make(p, kind, sizeof *n, begin, end);
    n->value = value.n;
    nkx_node_adopt(p, &n->base, value.n);
    return &n->base;
}

nkx_node *nkx_st_expr(nkx_parser *p, nkx_ex value)
{
    return value_stmt(p, NKX_EXPR_STMT, value.begin, value.end, value);
}

nkx_node *nkx_st_return(nkx_parser *p, nkx_tok kw, nkx_ex value)
{
    return value_stmt(p, NKX_RETURN, kw->begin, value.n != NULL ? value.end : kw->end, value);
}

nkx_node *nkx_st_keyword(nkx_parser *p, nkx_kind kind, nkx_tok kw)
{
    return nkx_node_make(p, kind, sizeof(nkx_node), kw->begin, kw->end);
}

nkx_node *nkx_st_assign(nkx_parser *p, nkx_nodelist *targets, uint32_t begin, nkx_ex value)
{
    nkx_assign *n = nkx_node_make(p, NKX_ASSIGN, sizeof *n, begin, value.end);
    n->targets = nkx_nodelist_done(p, targets);
    n->value = value.n;
    for (uint32_t i = 0; i < n->targets.n; i++) nkx_set_target(p, n->targets.at[i], NKX_STORE);
    nkx_node_adopt_all(p, &n->base, &n->targets);
    nkx_node_adopt(p, &n->base, value.n);
    return &n->base;
}

static nkx_ast_op aug_op(unsigned kind)
{
    switch (kind) {
    case NKX_T_PLUSEQ: return NKX_OP_ADD;
    case NKX_T_MINUSEQ: return NKX_OP_SUB;
    case NKX_T_STAREQ: return NKX_OP_MULT;
    case NKX_T_SLASHEQ: return NKX_OP_DIV;
    case NKX_T_DSLASHEQ: return NKX_OP_FLOORDIV;
    case NKX_T_PERCENTEQ: return NKX_OP_MOD;
    case NKX_T_ATEQ: return NKX_OP_MATMULT;
    case NKX_T_POWEQ: return NKX_OP_POW;
    case NKX_T_AMPEQ: return NKX_OP_BITAND;
    case NKX_T_BAREQ: return NKX_OP_BITOR;
    case NKX_T_CARETEQ: return NKX_OP_BITXOR;
    case NKX_T_LSHIFTEQ: return NKX_OP_LSHIFT;
    case NKX_T_RSHIFTEQ: return NKX_OP_RSHIFT;
    default: nkx_unreachable();
    }
}

static bool is_single_target(const nkx_node *n)
{
    return n->kind == NKX_NAME || n->kind == NKX_ATTRIBUTE || n->kind == NKX_SUBSCRIPT;
}

nkx_node *nkx_st_aug_assign(nkx_parser *p, nkx_ex target, nkx_tok op, nkx_ex value)
{
    nkx_aug_assign *n = nkx_node_make(p, NKX_AUG_ASSIGN, sizeof *n, target.begin, value.end);
    n->op = (uint8_t)aug_op(op->kind);
    n->target = target.n;
    n->value = value.n;
    if (is_single_target(target.n)) {
        nkx_set_target(p, target.n, NKX_STORE);
    } else {
        (void)nkx_syntax_error(p, NKX_E115, "SyntaxError", target.n->span,
                               "'%s' is an illegal expression for augmented assignment",
                               nkx_expression_word(target.n));
    }
    nkx_node_adopt(p, &n->base, target.n);
    nkx_node_adopt(p, &n->base, value.n);
    return &n->base;
}

static void check_annotated(nkx_parser *p, const nkx_node *target)
{
    if (is_single_target(target)) return;
    if (target->kind == NKX_TUPLE || target->kind == NKX_LIST) {
        (void)nkx_syntax_error(p, NKX_E115, "SyntaxError", target->span,
                               "only single target (not %s) can be annotated",
                               nkx_expression_word(target));
    } else {
        (void)nkx_syntax_error(p, NKX_E115, "SyntaxError", target->span,
                               "illegal target for annotation");
    }
}

nkx_node *nkx_st_ann_assign(nkx_parser *p, nkx_ex target, nkx_ex annotation, nkx_ex value)
{
    uint32_t end = value.n != NULL ? value.end : annotation.end;
    nkx_ann_assign *n = nkx_node_make(p, NKX_ANN_ASSIGN, sizeof *n, target.begin, end);
    n->target = target.n;
    n->annotation = annotation.n;
    n->value = value.n;
    n->simple = target.n->kind == NKX_NAME && !(target.n->flags & NKX_NF_PAREN);
    check_annotated(p, target.n);
    if (is_single_target(target.n)) nkx_set_target(p, target.n, NKX_STORE);
    nkx_node_adopt(p, &n->base, target.n);
    nkx_node_adopt(p, &n->base, annotation.n);
    nkx_node_adopt(p, &n->base, value.n);
    return &n->base;
}

nkx_node *nkx_st_raise(nkx_parser *p, nkx_tok kw, nkx_ex exc, nkx_ex cause)
{
    uint32_t end = cause.n != NULL ? cause.end : exc.n != NULL ? exc.end : kw->end;
    nkx_raise_node *n = nkx_node_make(p, NKX_RAISE, sizeof *n, kw->begin, end);
    n->exc = exc.n;
    n->cause = cause.n;
    nkx_node_adopt(p, &n->base, exc.n);
    nkx_node_adopt(p, &n->base, cause.n);
    return &n->base;
}

nkx_node *nkx_st_delete(nkx_parser *p, nkx_tok kw, nkx_nodelist *targets)
{
    nkx_delete *n = nkx_node_make(p, NKX_DELETE, sizeof *n, kw->begin, targets->end);
    n->targets = nkx_nodelist_done(p, targets);
    for (uint32_t i = 0; i < n->targets.n; i++) nkx_set_target(p, n->targets.at[i], NKX_DEL);
    nkx_node_adopt_all(p, &n->base, &n->targets);
    return &n->base;
}

nkx_node *nkx_st_assert(nkx_parser *p, nkx_tok kw, nkx_ex test, nkx_ex msg)
{
    uint32_t end = msg.n != NULL ? msg.end : test.end;
    nkx_assert *n = nkx_node_make(p, NKX_ASSERT_STMT, sizeof *n, kw->begin, end);
    n->test = test.n;
    n->msg = msg.n;
    nkx_node_adopt(p, &n->base, test.n);
    nkx_node_adopt(p, &n->base, msg.n);
    return &n->base;
}

/* ---- global, nonlocal ---- */

nkx_ident_cell *nkx_idents_add(nkx_parser *p, nkx_ident_cell *last, nkx_tok name)
{
    nkx_ident_cell *c = NKX_ARENA_NEW(p->scratch, nkx_ident_cell);
    c->name = nkx_tok_name(p, name);
    c->next = last != NULL ? last->next : c;
    if (last != NULL) last->next = c;
    return c;
}

nkx_node *nkx_st_names(nkx_parser *p, nkx_kind kind, nkx_tok kw, nkx_ident_cell *last, uint32_t end)
{
    nkx_names_stmt *n = nkx_node_make(p, kind, sizeof *n, kw->begin, end);
    uint32_t count = 0;
    const nkx_ident_cell *first = last->next, *c = first;
    do {
        count++;
        c = c->next;
    } while (c != first);
    n->names = NKX_ARENA_ARRAY(p->arena, const nkx_name *, count);
    for (; n->n < count; c = c->next) n->names[n->n++] = c->name;
    return &n->base;
}

/* ---- imports ---- */

nkx_dotted nkx_dotted_add(nkx_parser *p, nkx_dotted d, nkx_tok name)
{
    if (d.name == NULL) return (nkx_dotted){nkx_tok_name(p, name), name->begin, name->end};
    nkx_buf text = {0};
    nkx_buf_printf(&text, "%s.", d.name->text);
    nkx_buf_add(&text, p->src->text + name->begin, name->end - name->begin);
    d.name = nkx_names_get(p->names, text.at, text.len);
    d.end = name->end;
    nkx_buf_fini(&text);
    return d;
}

nkx_alias_cell *nkx_aliascell_new(nkx_parser *p, nkx_dotted name, nkx_tok asname)
{
    nkx_alias_cell *c = NKX_ARENA_NEW(p->scratch, nkx_alias_cell);
    c->alias.name = name.name;
    c->alias.asname = asname != NULL ? nkx_tok_name(p, asname) : NULL;
    c->alias.span = NKX_SPAN(p, name.begin, asname != NULL ? asname->end : name.end);
    return c;
}

nkx_alias_cell *nkx_aliascell_add(nkx_alias_cell *last, nkx_alias_cell *one)
{
    one->next = last != NULL ? last->next : one;
    if (last != NULL) last->next = one;
    return one;
}

static void set_aliases(nkx_parser *p, nkx_import_node *n, nkx_alias_cell *last)
{
    const nkx_alias_cell *first = last->next, *c = first;
    do {
        n->n_names++;
        c = c->next;
    } while (c != first);
    n->names = NKX_ARENA_ARRAY(p->arena, nkx_alias, n->n_names);
    for (uint32_t i = 0; i < n->n_names; i++, c = c->next) n->names[i] = c->alias;
}

nkx_node *nkx_st_import(nkx_parser *p, nkx_tok kw, nkx_alias_cell *names)
{
    nkx_import_node *n = nkx_node_make(p, NKX_IMPORT, sizeof *n, kw->begin, names->alias.span.end);
    set_aliases(p, n, names);
    return &n->base;
}

nkx_node *nkx_st_import_from(nkx_parser *p, nkx_tok kw, uint32_t level, nkx_dotted module,
                             nkx_alias_cell *names, uint32_t end)
{
    nkx_import_node *n = nkx_node_make(p, NKX_IMPORT_FROM, sizeof *n, kw->begin, end);
    n->module = module.name;
    n->level = level;
    set_aliases(p, n, names);
    return &n->base;
}
