/* SPDX-License-Identifier: Apache-2.0 */
/* Constructors of expressions. Layer syntax. Calls and comprehensions are in build_call.c. */
#include "grammar/build.h"

#include <string.h>

#define DEPTH_SHIFT 4 /* the flags' upper bits hold the depth of the tree below a node */

/* ---- nodes and lists ---- */

void *nkx_node_make(nkx_parser *p, nkx_kind kind, size_t size, uint32_t begin, uint32_t end)
{
    nkx_node *n = nkx_arena_alloc(p->arena, size);
    n->kind = (uint16_t)kind;
    n->span = NKX_SPAN(p, begin, end);
    return n;
}

void nkx_node_adopt(nkx_parser *p, nkx_node *parent, const nkx_node *child)
{
    if (child == NULL) return;
    unsigned depth = ((unsigned)child->flags >> DEPTH_SHIFT) + 1;
    if (depth <= (unsigned)parent->flags >> DEPTH_SHIFT) return;
    if (depth > NKX_MAX_TREE_DEPTH) {
        (void)nkx_syntax_error(p, NKX_E114, "SyntaxError", child->span,
                               "nested too deeply, the limit is %d levels", NKX_MAX_TREE_DEPTH);
        p->stop = true;
        return;
    }
    unsigned low = parent->flags & ((1u << DEPTH_SHIFT) - 1);
    parent->flags = (uint16_t)(depth << DEPTH_SHIFT | low);
}

void nkx_node_adopt_all(nkx_parser *p, nkx_node *parent, const nkx_nodes *children)
{
    for (uint32_t i = 0; i < children->n; i++) nkx_node_adopt(p, parent, children->at[i]);
}

nkx_nodelist *nkx_nodelist_new(nkx_parser *p)
{
    return NKX_ARENA_NEW(p->scratch, nkx_nodelist);
}

nkx_nodelist *nkx_nodelist_node(nkx_parser *p, nkx_nodelist *l, nkx_node *n, uint32_t end)
{
    nkx_cell *c = NKX_ARENA_NEW(p->scratch, nkx_cell);
    c->n = n;
    if (l->last != NULL) {
        l->last->next = c;
    } else {
        l->first = c;
    }
    l->last = c;
    l->n++;
    l->end = end;
    return l;
}

nkx_nodelist *nkx_nodelist_add(nkx_parser *p, nkx_nodelist *l, nkx_ex e)
{
    return nkx_nodelist_node(p, l, e.n, e.end);
}

nkx_nodelist *nkx_nodelist_join(nkx_nodelist *a, nkx_nodelist *b)
{
    if (b->n == 0) return a;
    if (a->n == 0) {
        *a = *b;
        return a;
    }
    a->last->next = b->first;
    a->last = b->last;
    a->n += b->n;
    a->end = b->end;
    return a;
}

nkx_nodes nkx_nodelist_done(nkx_parser *p, const nkx_nodelist *l)
{
    nkx_nodes nodes = {0};
    if (l == NULL || l->n == 0) return nodes;
    nodes.at = NKX_ARENA_ARRAY(p->arena, nkx_node *, l->n);
    for (const nkx_cell *c = l->first; c != NULL; c = c->next) nodes.at[nodes.n++] = c->n;
    return nodes;
}

/* An array grows by doubling; its room is the next power of two, so that need not be stored. */
static bool is_full(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

static void nodes_append(nkx_parser *p, nkx_nodes *nodes, nkx_node *n)
{
    if (nodes->n == 0 || is_full(nodes->n)) {
        nkx_node **at = NKX_ARENA_ARRAY(p->arena, nkx_node *, nodes->n ? (size_t)nodes->n * 2 : 1);
        if (nodes->n) memcpy((void *)at, (const void *)nodes->at, nodes->n * sizeof *at);
        nodes->at = at;
    }
    nodes->at[nodes->n++] = n;
}

static nkx_ex done(nkx_node *n)
{
    return (nkx_ex){n, n->span.begin, n->span.end};
}

/* ---- atoms ---- */

const nkx_name *nkx_tok_name(nkx_parser *p, nkx_tok t)
{
    return nkx_names_get(p->names, p->src->text + t->begin, t->end - t->begin);
}

nkx_ex nkx_ex_name(nkx_parser *p, nkx_tok t)
{
    nkx_name_node *n = nkx_node_make(p, NKX_NAME, sizeof *n, t->begin, t->end);
    n->id = nkx_tok_name(p, t);
    return done(&n->base);
}

nkx_ex nkx_ex_number(nkx_parser *p, nkx_tok t)
{
    nkx_constant *n = nkx_node_make(p, NKX_CONSTANT, sizeof *n, t->begin, t->end);
    nkx_number_value(p, t, n);
    return done(&n->base);
}

nkx_ex nkx_ex_strings(nkx_parser *p, nkx_strings s)
{
    return done(nkx_string_value(p, s));
}

nkx_ex nkx_ex_const(nkx_parser *p, nkx_tok t, nkx_const_kind what)
{
    nkx_constant *n = nkx_node_make(p, NKX_CONSTANT, sizeof *n, t->begin, t->end);
    n->what = what;
    return done(&n->base);
}

nkx_ex nkx_ex_paren(nkx_ex inner, nkx_tok open, nkx_tok close)
{
    inner.n->flags |= NKX_NF_PAREN;
    return (nkx_ex){inner.n, open->begin, close->end};
}

nkx_ex nkx_ex_seq(nkx_parser *p, nkx_kind kind, nkx_nodelist *elts, uint32_t begin, uint32_t end)
{
    nkx_seq *n = nkx_node_make(p, kind, sizeof *n, begin, end);
    n->elts = nkx_nodelist_done(p, elts);
    nkx_node_adopt_all(p, &n->base, &n->elts);
    return done(&n->base);
}

nkx_dictitems nkx_dictitems_add(nkx_parser *p, nkx_dictitems items, nkx_ex key, nkx_ex value)
{
    if (items.keys == NULL) {
        items.keys = nkx_nodelist_new(p);
        items.values = nkx_nodelist_new(p);
    }
    items.keys = nkx_nodelist_add(p, items.keys, key);
    items.values = nkx_nodelist_add(p, items.values, value);
    return items;
}

nkx_ex nkx_ex_dict(nkx_parser *p, nkx_tok open, nkx_dictitems items, nkx_tok close)
{
    nkx_dict_node *n = nkx_node_make(p, NKX_DICT, sizeof *n, open->begin, close->end);
    n->keys = nkx_nodelist_done(p, items.keys);
    n->values = nkx_nodelist_done(p, items.values);
    nkx_node_adopt_all(p, &n->base, &n->keys);
    nkx_node_adopt_all(p, &n->base, &n->values);
    return done(&n->base);
}

/* ---- primaries ---- */

nkx_ex nkx_ex_attribute(nkx_parser *p, nkx_ex value, nkx_tok name)
{
    nkx_attribute *n = nkx_node_make(p, NKX_ATTRIBUTE, sizeof *n, value.begin, name->end);
    n->value = value.n;
    n->attr = nkx_tok_name(p, name);
    n->attr_span = NKX_SPAN(p, name->begin, name->end);
    nkx_node_adopt(p, &n->base, value.n);
    return done(&n->base);
}

nkx_ex nkx_ex_subscript(nkx_parser *p, nkx_ex value, nkx_ex slice, nkx_tok close)
{
    nkx_subscript *n = nkx_node_make(p, NKX_SUBSCRIPT, sizeof *n, value.begin, close->end);
    n->value = value.n;
    n->slice = slice.n;
    nkx_node_adopt(p, &n->base, value.n);
    nkx_node_adopt(p, &n->base, slice.n);
    return done(&n->base);
}

nkx_ex nkx_ex_slice(nkx_parser *p, nkx_ex lower, nkx_tok colon, nkx_ex upper, nkx_tok colon2,
                    nkx_ex step)
{
    uint32_t begin = lower.n != NULL ? lower.begin : colon->begin;
    uint32_t end = step.n != NULL    ? step.end
                   : colon2 != NULL  ? colon2->end
                   : upper.n != NULL ? upper.end
                                     : colon->end;
    nkx_slice_node *n = nkx_node_make(p, NKX_SLICE, sizeof *n, begin, end);
    n->lower = lower.n;
    n->upper = upper.n;
    n->step = step.n;
    nkx_node_adopt(p, &n->base, lower.n);
    nkx_node_adopt(p, &n->base, upper.n);
    nkx_node_adopt(p, &n->base, step.n);
    return done(&n->base);
}

nkx_ex nkx_ex_starred(nkx_parser *p, nkx_tok star, nkx_ex value)
{
    nkx_starred *n = nkx_node_make(p, NKX_STARRED, sizeof *n, star->begin, value.end);
    n->value = value.n;
    nkx_node_adopt(p, &n->base, value.n);
    return done(&n->base);
}

nkx_ex nkx_no_star(nkx_parser *p, nkx_ex e)
{
    if (e.n->kind == NKX_STARRED) {
        nkx_diag *g = nkx_syntax_error(p, NKX_E124, "SyntaxError", e.n->span,
                                       "can't use starred expression here");
        nkx_syntax_hint(p, g,
                        "A starred expression needs a list, tuple or call around it: *a, is one.");
    }
    return e;
}

/* ---- operators ---- */

nkx_ex nkx_ex_await(nkx_parser *p, nkx_tok kw, nkx_ex value)
{
    nkx_yield *n = nkx_node_make(p, NKX_AWAIT, sizeof *n, kw->begin, value.end);
    n->value = value.n;
    nkx_node_adopt(p, &n->base, value.n);
    nkx_refuse_async(p, "await", n->base.span);
    return done(&n->base);
}

nkx_ex nkx_ex_yield(nkx_parser *p, nkx_kind kind, nkx_tok kw, nkx_ex value)
{
    uint32_t end = value.n != NULL ? value.end : kw->end;
    nkx_yield *n = nkx_node_make(p, kind, sizeof *n, kw->begin, end);
    n->value = value.n;
    nkx_node_adopt(p, &n->base, value.n);
    return done(&n->base);
}

nkx_ex nkx_ex_unary(nkx_parser *p, nkx_ast_op op, nkx_tok kw, nkx_ex operand)
{
    nkx_unary_op *n = nkx_node_make(p, NKX_UNARY_OP, sizeof *n, kw->begin, operand.end);
    n->op = (uint8_t)op;
    n->operand = operand.n;
    nkx_node_adopt(p, &n->base, operand.n);
    return done(&n->base);
}

nkx_ex nkx_ex_binary(nkx_parser *p, nkx_ast_op op, nkx_ex left, nkx_ex right)
{
    nkx_bin_op *n = nkx_node_make(p, NKX_BIN_OP, sizeof *n, left.begin, right.end);
    n->op = (uint8_t)op;
    n->left = left.n;
    n->right = right.n;
    nkx_node_adopt(p, &n->base, left.n);
    nkx_node_adopt(p, &n->base, right.n);
    return done(&n->base);
}

/* `a and b and c` is one node of three values; `(a and b) and c` is not. */
nkx_ex nkx_ex_bool(nkx_parser *p, nkx_ast_op op, nkx_ex left, nkx_ex right)
{
    nkx_bool_op *n = (nkx_bool_op *)(void *)left.n;
    bool goes_on = left.n->kind == NKX_BOOL_OP && n->op == op && !(left.n->flags & NKX_NF_PAREN);
    if (!goes_on) {
        n = nkx_node_make(p, NKX_BOOL_OP, sizeof *n, left.begin, right.end);
        n->op = (uint8_t)op;
        nodes_append(p, &n->values, left.n);
        nkx_node_adopt(p, &n->base, left.n);
    }
    nodes_append(p, &n->values, right.n);
    nkx_node_adopt(p, &n->base, right.n);
    n->base.span.end = right.end;
    return done(&n->base);
}

/* `chain`: left is the comparison `a < b` of `a < b < c`, and not one in brackets. */
nkx_ex nkx_ex_compare(nkx_parser *p, nkx_ex left, nkx_ast_op op, nkx_ex right, bool chain)
{
    nkx_compare *n = (nkx_compare *)(void *)left.n;
    if (!chain) {
        n = nkx_node_make(p, NKX_COMPARE, sizeof *n, left.begin, right.end);
        n->left = left.n;
        nkx_node_adopt(p, &n->base, left.n);
    }
    uint32_t count = n->rights.n;
    if (count == 0 || is_full(count)) {
        uint8_t *ops = NKX_ARENA_ARRAY(p->arena, uint8_t, count ? (size_t)count * 2 : 1);
        if (count) memcpy(ops, n->ops, count);
        n->ops = ops;
    }
    n->ops[count] = (uint8_t)op;
    nodes_append(p, &n->rights, right.n);
    nkx_node_adopt(p, &n->base, right.n);
    n->base.span.end = right.end;
    return done(&n->base);
}

nkx_ex nkx_ex_ternary(nkx_parser *p, nkx_ex body, nkx_ex test, nkx_ex orelse)
{
    nkx_if_exp *n = nkx_node_make(p, NKX_IF_EXP, sizeof *n, body.begin, orelse.end);
    n->test = test.n;
    n->body = body.n;
    n->orelse = orelse.n;
    nkx_node_adopt(p, &n->base, test.n);
    nkx_node_adopt(p, &n->base, body.n);
    nkx_node_adopt(p, &n->base, orelse.n);
    return done(&n->base);
}

nkx_ex nkx_ex_walrus(nkx_parser *p, nkx_tok name, nkx_ex value)
{
    nkx_named_expr *n = nkx_node_make(p, NKX_NAMED_EXPR, sizeof *n, name->begin, value.end);
    nkx_ex target = nkx_ex_name(p, name);
    nkx_set_target(p, target.n, NKX_STORE);
    n->target = target.n;
    n->value = value.n;
    nkx_node_adopt(p, &n->base, value.n);
    return done(&n->base);
}

nkx_ex nkx_ex_lambda(nkx_parser *p, nkx_tok kw, nkx_param_cell *params, nkx_ex body)
{
    nkx_lambda *n = nkx_node_make(p, NKX_LAMBDA, sizeof *n, kw->begin, body.end);
    nkx_params_done(p, params, &n->base, &n->params);
    n->body = body.n;
    nkx_node_adopt(p, &n->base, body.n);
    return done(&n->base);
}
