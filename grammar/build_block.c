/* SPDX-License-Identifier: Apache-2.0 */
/* Constructors of compound statements. Layer syntax. Classes are in build_call.c, with arguments.
 */
#include "grammar/build.h"

nkx_block nkx_block_done(nkx_nodelist *stmts, nkx_tok end)
{
    /* After errors a block may have no statement left. */
    return (nkx_block){stmts, stmts->n > 0 ? stmts->end : end->begin};
}

static nkx_nodes adopt_block(nkx_parser *p, nkx_node *owner, const nkx_nodelist *stmts)
{
    nkx_nodes nodes = nkx_nodelist_done(p, stmts);
    nkx_node_adopt_all(p, owner, &nodes);
    return nodes;
}

static uint32_t end_of(nkx_block body, nkx_tail tail)
{
    return tail.end > body.end ? tail.end : body.end;
}

nkx_node *nkx_st_if(nkx_parser *p, nkx_kind kind, nkx_tok kw, nkx_ex test, nkx_block body,
                    nkx_tail tail)
{
    nkx_if *n = nkx_node_make(p, kind, sizeof *n, kw->begin, end_of(body, tail));
    n->test = test.n;
    nkx_node_adopt(p, &n->base, test.n);
    n->body = adopt_block(p, &n->base, body.stmts);
    n->orelse = adopt_block(p, &n->base, tail.orelse);
    return &n->base;
}

nkx_node *nkx_st_for(nkx_parser *p, nkx_tok kw, nkx_ex target, nkx_ex iter, nkx_block body,
                     nkx_tail tail)
{
    nkx_for *n = nkx_node_make(p, NKX_FOR, sizeof *n, kw->begin, end_of(body, tail));
    nkx_set_target(p, target.n, NKX_STORE);
    n->target = target.n;
    n->iter = iter.n;
    nkx_node_adopt(p, &n->base, target.n);
    nkx_node_adopt(p, &n->base, iter.n);
    n->body = adopt_block(p, &n->base, body.stmts);
    n->orelse = adopt_block(p, &n->base, tail.orelse);
    return &n->base;
}

/* ---- try ---- */

nkx_handler_cell *nkx_handler_new(nkx_parser *p, nkx_tok kw, nkx_tok star, nkx_ex type,
                                  nkx_tok name, nkx_block body)
{
    nkx_handler_cell *c = NKX_ARENA_NEW(p->scratch, nkx_handler_cell);
    c->is_star = star != NULL;
    c->handler.type = type.n;
    c->handler.name = name != NULL ? nkx_tok_name(p, name) : NULL;
    c->handler.body = nkx_nodelist_done(p, body.stmts);
    c->handler.span = NKX_SPAN(p, kw->begin, body.end);
    return c;
}

nkx_handler_cell *nkx_handler_add(nkx_parser *p, nkx_handler_cell *last, nkx_handler_cell *one)
{
    if (last != NULL && last->handler.type == NULL) {
        (void)nkx_syntax_error(p, NKX_E125, "SyntaxError", last->handler.span,
                               "default 'except:' must be last");
    }
    if (last != NULL && last->is_star != one->is_star) {
        (void)nkx_syntax_error(p, NKX_E125, "SyntaxError", one->handler.span,
                               "cannot have both 'except' and 'except*' on the same 'try'");
    }
    one->next = last != NULL ? last->next : one;
    if (last != NULL) last->next = one;
    return one;
}

static void set_handlers(nkx_parser *p, nkx_try *n, nkx_handler_cell *last)
{
    nkx_handler_cell *first = last->next, *c = first;
    do {
        n->n_handlers++;
        c = c->next;
    } while (c != first);
    n->is_star = last->is_star;
    n->handlers = NKX_ARENA_ARRAY(p->arena, nkx_handler, n->n_handlers);
    for (uint32_t i = 0; i < n->n_handlers; i++, c = c->next) {
        n->handlers[i] = c->handler;
        nkx_node_adopt(p, &n->base, c->handler.type);
        nkx_node_adopt_all(p, &n->base, &c->handler.body);
    }
}

nkx_node *nkx_st_try(nkx_parser *p, nkx_tok kw, nkx_block body, nkx_handler_cell *handlers,
                     nkx_tail tail)
{
    uint32_t end = end_of(body, tail);
    if (handlers != NULL && handlers->handler.span.end > end) end = handlers->handler.span.end;
    nkx_try *n = nkx_node_make(p, NKX_TRY, sizeof *n, kw->begin, end);
    n->body = adopt_block(p, &n->base, body.stmts);
    if (handlers != NULL) set_handlers(p, n, handlers);
    n->orelse = adopt_block(p, &n->base, tail.orelse);
    n->finalbody = adopt_block(p, &n->base, tail.finalbody);
    return &n->base;
}

/* ---- with ---- */

nkx_with_cell *nkx_with_item_new(nkx_parser *p, nkx_with_cell *last, nkx_ex context, nkx_ex target)
{
    nkx_with_cell *c = NKX_ARENA_NEW(p->scratch, nkx_with_cell);
    c->item.context = context.n;
    c->item.target = target.n;
    if (target.n != NULL) nkx_set_target(p, target.n, NKX_STORE);
    c->next = last != NULL ? last->next : c;
    if (last != NULL) last->next = c;
    return c;
}

nkx_node *nkx_st_with(nkx_parser *p, nkx_tok kw, nkx_with_cell *items, nkx_block body)
{
    nkx_with *n = nkx_node_make(p, NKX_WITH, sizeof *n, kw->begin, body.end);
    const nkx_with_cell *first = items->next, *c = first;
    do {
        n->n_items++;
        c = c->next;
    } while (c != first);
    n->items = NKX_ARENA_ARRAY(p->arena, nkx_with_item, n->n_items);
    for (uint32_t i = 0; i < n->n_items; i++, c = c->next) {
        n->items[i] = c->item;
        nkx_node_adopt(p, &n->base, c->item.context);
        nkx_node_adopt(p, &n->base, c->item.target);
    }
    n->body = adopt_block(p, &n->base, body.stmts);
    return &n->base;
}

/* ---- functions ---- */

nkx_node *nkx_st_function(nkx_parser *p, nkx_tok kw, nkx_tok name, nkx_param_cell *params,
                          nkx_ex returns, nkx_block body)
{
    nkx_function_def *n = nkx_node_make(p, NKX_FUNCTION_DEF, sizeof *n, kw->begin, body.end);
    n->name = nkx_tok_name(p, name);
    n->name_span = NKX_SPAN(p, name->begin, name->end);
    nkx_params_done(p, params, &n->base, &n->params);
    n->returns = returns.n;
    nkx_node_adopt(p, &n->base, returns.n);
    n->body = adopt_block(p, &n->base, body.stmts);
    n->docstring = nkx_docstring(&n->body);
    return &n->base;
}

nkx_node *nkx_st_decorated(nkx_parser *p, nkx_nodelist *decorators, nkx_node *n)
{
    nkx_nodes nodes = nkx_nodelist_done(p, decorators);
    nkx_node_adopt_all(p, n, &nodes);
    if (n->kind == NKX_FUNCTION_DEF) {
        ((nkx_function_def *)(void *)n)->decorators = nodes;
    } else {
        ((nkx_class_def *)(void *)n)->decorators = nodes;
    }
    return n;
}

/* ---- refused by name ---- */

void nkx_refuse_async(nkx_parser *p, const char *what, nkx_span span)
{
    nkx_diag *g = nkx_syntax_error(p, NKX_E118, "SyntaxError", span, "'%s' is not supported", what);
    nkx_syntax_hint(
        p, g,
        "Kernels are built from top to bottom: nothing in them waits. Write an ordinary "
        "function, loop or with statement.");
}

nkx_node *nkx_st_unsupported(nkx_parser *p, const char *what, nkx_tok kw, uint32_t end)
{
    nkx_unsupported *n = nkx_node_make(p, NKX_UNSUPPORTED_STMT, sizeof *n, kw->begin, end);
    n->what = what;
    nkx_span span = NKX_SPAN(p, kw->begin, kw->end);
    if (what[0] == 'a') {
        nkx_refuse_async(p, what, span);
        return &n->base;
    }
    uint32_t word_end = kw->begin + 5; /* only the word is underlined, not the whole statement */
    nkx_diag *g = nkx_syntax_error(p, NKX_E119, "SyntaxError", NKX_SPAN(p, kw->begin, word_end),
                                   "the '%s' statement is not supported", what);
    nkx_syntax_hint(p, g, "Write a chain of if and elif.");
    return &n->base;
}
