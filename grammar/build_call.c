/* SPDX-License-Identifier: Apache-2.0 */
/* Constructors of calls, comprehensions and parameter lists: those with rules about order. Layer
 * syntax. */
#include "grammar/build.h"

/*
 * Chains are kept by their last cell, whose `next` is the first: appending needs no search, and
 * one pointer is enough.
 */
#define CHAIN_ADD(last, one)                                                                       \
    do {                                                                                           \
        (one)->next = (last) != NULL ? (last)->next : (one);                                       \
        if ((last) != NULL) (last)->next = (one);                                                  \
    } while (0)

/* ---- arguments ---- */

static nkx_arg_cell *arg_new(nkx_parser *p, nkx_node *value, uint32_t begin, uint32_t end)
{
    nkx_arg_cell *c = NKX_ARENA_NEW(p->scratch, nkx_arg_cell);
    c->value = value;
    c->begin = begin;
    c->end = end;
    return c;
}

nkx_arg_cell *nkx_argcell_plain(nkx_parser *p, nkx_ex value)
{
    return arg_new(p, value.n, value.begin, value.end);
}

nkx_arg_cell *nkx_argcell_generator(nkx_parser *p, nkx_ex elt, nkx_comp_cell *fors)
{
    uint32_t end = fors->f.span.end;
    nkx_ex e = nkx_ex_comprehension(p, NKX_COMP_GENERATOR, elt, NULL, fors, elt.begin, end);
    nkx_arg_cell *c = arg_new(p, e.n, elt.begin, end);
    c->bare_generator = true;
    return c;
}

nkx_arg_cell *nkx_argcell_keyword(nkx_parser *p, nkx_tok name, nkx_ex value)
{
    nkx_arg_cell *c = arg_new(p, value.n, name->begin, value.end);
    c->name = nkx_tok_name(p, name);
    return c;
}

nkx_arg_cell *nkx_argcell_kwargs(nkx_parser *p, nkx_tok stars, nkx_ex value)
{
    nkx_arg_cell *c = arg_new(p, value.n, stars->begin, value.end);
    c->is_kwargs = true;
    return c;
}

nkx_arg_cell *nkx_argcell_add(nkx_parser *p, nkx_arg_cell *last, nkx_arg_cell *one)
{
    (void)p;
    CHAIN_ADD(last, one);
    return one;
}

static bool is_keyword(const nkx_arg_cell *c)
{
    return c->name != NULL || c->is_kwargs;
}

static void check_positional(nkx_parser *p, const nkx_arg_cell *c, bool keyword, bool kwargs)
{
    const char *what = NULL;
    if (c->value->kind == NKX_STARRED) {
        if (kwargs) what = "iterable argument unpacking follows keyword argument unpacking";
    } else if (kwargs) {
        what = "positional argument follows keyword argument unpacking";
    } else if (keyword) {
        what = "positional argument follows keyword argument";
    }
    if (what == NULL) return;
    (void)nkx_syntax_error(p, NKX_E116, "SyntaxError", NKX_SPAN(p, c->begin, c->end), "%s", what);
}

static void check_repeated(nkx_parser *p, const nkx_arg_cell *first, const nkx_arg_cell *c)
{
    for (const nkx_arg_cell *a = first; a != c; a = a->next) {
        if (a->name != c->name) continue;
        (void)nkx_syntax_error(p, NKX_E116, "SyntaxError", NKX_SPAN(p, c->begin, c->end),
                               "keyword argument repeated: %s", c->name->text);
        return;
    }
}

static void check_args(nkx_parser *p, const nkx_arg_cell *first, bool comma)
{
    bool keyword = false, kwargs = false;
    const nkx_arg_cell *c = first;
    do {
        if (c->bare_generator && (c->next != first || c != first || comma)) {
            (void)nkx_syntax_error(p, NKX_E116, "SyntaxError", NKX_SPAN(p, c->begin, c->end),
                                   "generator expression must be parenthesized");
        }
        if (!is_keyword(c)) check_positional(p, c, keyword, kwargs);
        if (c->name != NULL) check_repeated(p, first, c);
        keyword = keyword || c->name != NULL;
        kwargs = kwargs || c->is_kwargs;
        c = c->next;
    } while (c != first);
}

/* Lays a chain out as positional arguments and keywords; true when one is starred. */
static bool lay_out(nkx_parser *p, nkx_arg_cell *last, nkx_node *owner, nkx_nodes *args,
                    nkx_keyword **keywords, uint32_t *n_keywords)
{
    uint32_t n_args = 0, n_keys = 0;
    bool has_star = false;
    if (last == NULL) return false;
    const nkx_arg_cell *first = last->next, *c = first;
    do {
        if (is_keyword(c)) {
            n_keys++;
        } else {
            n_args++;
        }
        has_star = has_star || c->is_kwargs || c->value->kind == NKX_STARRED;
        c = c->next;
    } while (c != first);
    args->at = n_args ? NKX_ARENA_ARRAY(p->arena, nkx_node *, n_args) : NULL;
    *keywords = n_keys ? NKX_ARENA_ARRAY(p->arena, nkx_keyword, n_keys) : NULL;
    do {
        nkx_node_adopt(p, owner, c->value);
        if (is_keyword(c)) {
            (*keywords)[(*n_keywords)++] =
                (nkx_keyword){c->name, c->value, NKX_SPAN(p, c->begin, c->end)};
        } else {
            args->at[args->n++] = c->value;
        }
        c = c->next;
    } while (c != first);
    return has_star;
}

nkx_ex nkx_ex_call(nkx_parser *p, nkx_ex func, nkx_tok open, nkx_arg_cell *args, nkx_tok comma,
                   nkx_tok close)
{
    nkx_call_node *n = nkx_node_make(p, NKX_CALL, sizeof *n, func.begin, close->end);
    n->func = func.n;
    nkx_node_adopt(p, &n->base, func.n);
    if (args != NULL) check_args(p, args->next, comma != NULL);
    if (args != NULL && args->bare_generator) {
        /* The call's brackets are the generator's too. */
        args->value->span.begin = open->begin;
        args->value->span.end = close->end;
    }
    n->has_star = lay_out(p, args, &n->base, &n->args, &n->keywords, &n->n_keywords);
    return (nkx_ex){&n->base, func.begin, close->end};
}

nkx_node *nkx_st_class(nkx_parser *p, nkx_tok kw, nkx_tok name, nkx_arg_cell *args, nkx_block body)
{
    nkx_class_def *n = nkx_node_make(p, NKX_CLASS_DEF, sizeof *n, kw->begin, body.end);
    n->name = nkx_tok_name(p, name);
    n->name_span = NKX_SPAN(p, name->begin, name->end);
    if (args != NULL) {
        check_args(p, args->next, true);
        (void)lay_out(p, args, &n->base, &n->bases, &n->keywords, &n->n_keywords);
    }
    n->body = nkx_nodelist_done(p, body.stmts);
    nkx_node_adopt_all(p, &n->base, &n->body);
    return &n->base;
}

/* ---- comprehensions ---- */

nkx_comp_cell *nkx_comp_for_new(nkx_parser *p, nkx_tok async, nkx_tok kw, nkx_ex target,
                                nkx_ex iter, nkx_nodelist *ifs)
{
    nkx_comp_cell *c = NKX_ARENA_NEW(p->scratch, nkx_comp_cell);
    uint32_t begin = async != NULL ? async->begin : kw->begin;
    uint32_t end = ifs != NULL ? ifs->end : iter.end;
    nkx_set_target(p, target.n, NKX_STORE);
    c->f.target = target.n;
    c->f.iter = iter.n;
    c->f.ifs = nkx_nodelist_done(p, ifs);
    c->f.is_async = async != NULL;
    c->f.span = NKX_SPAN(p, begin, end);
    if (async != NULL) nkx_refuse_async(p, "async comprehension", c->f.span);
    return c;
}

nkx_comp_cell *nkx_comp_add(nkx_parser *p, nkx_comp_cell *last, nkx_comp_cell *one)
{
    (void)p;
    CHAIN_ADD(last, one);
    return one;
}

nkx_ex nkx_ex_comprehension(nkx_parser *p, nkx_comp_kind what, nkx_ex elt, nkx_node *value,
                            nkx_comp_cell *fors, uint32_t begin, uint32_t end)
{
    nkx_comprehension *n = nkx_node_make(p, NKX_COMPREHENSION, sizeof *n, begin, end);
    n->what = what;
    n->elt = elt.n;
    n->value = value;
    nkx_node_adopt(p, &n->base, elt.n);
    nkx_node_adopt(p, &n->base, value);
    nkx_comp_cell *first = fors->next, *c = first;
    do {
        n->n_fors++;
        c = c->next;
    } while (c != first);
    n->fors = NKX_ARENA_ARRAY(p->arena, nkx_comp_for, n->n_fors);
    for (uint32_t i = 0; i < n->n_fors; i++, c = c->next) {
        n->fors[i] = c->f;
        nkx_node_adopt(p, &n->base, c->f.target);
        nkx_node_adopt(p, &n->base, c->f.iter);
        nkx_node_adopt_all(p, &n->base, &c->f.ifs);
    }
    return (nkx_ex){&n->base, begin, end};
}

/* ---- parameters ---- */

nkx_param_cell *nkx_paramcell_new(nkx_parser *p, nkx_param_kind kind, nkx_tok mark, nkx_tok name,
                                  nkx_ex annotation, nkx_ex dflt)
{
    nkx_param_cell *c = NKX_ARENA_NEW(p->scratch, nkx_param_cell);
    c->kind = kind;
    c->param.annotation = annotation.n;
    c->param.dflt = dflt.n;
    if (name == NULL) {
        c->param.span = NKX_SPAN(p, mark->begin, mark->end);
        return c;
    }
    c->param.name = nkx_tok_name(p, name);
    c->param.span = NKX_SPAN(p, name->begin, annotation.n != NULL ? annotation.end : name->end);
    return c;
}

nkx_param_cell *nkx_paramcell_add(nkx_parser *p, nkx_param_cell *last, nkx_param_cell *one)
{
    (void)p;
    CHAIN_ADD(last, one);
    return one;
}

typedef struct param_order {
    nkx_parser *p;
    nkx_params *out;
    bool slash, star, kwargs, dflt, named; /* seen so far; named: one behind a bare star */
} param_order;

static void refuse(param_order *o, const nkx_param_cell *c, const char *what)
{
    (void)nkx_syntax_error(o->p, NKX_E117, "SyntaxError", c->param.span, "%s", what);
}

static void take_slash(param_order *o, const nkx_param_cell *c)
{
    if (o->slash) {
        refuse(o, c, "/ may appear only once");
    } else if (o->star) {
        refuse(o, c, "/ must be ahead of *");
    } else if (o->out->n_pos == 0) {
        refuse(o, c, "at least one argument must precede /");
    }
    o->slash = true;
    o->out->n_posonly = o->out->n_pos;
}

static void take_star(param_order *o, const nkx_param_cell *c)
{
    if (o->star) refuse(o, c, "* argument may appear only once");
    o->star = true;
    if (c->kind == NKX_PARAM_BARE_STAR) {
        o->out->bare_star = true;
        o->out->star_span = c->param.span;
        return;
    }
    o->out->vararg = NKX_ARENA_NEW(o->p->arena, nkx_param);
    *o->out->vararg = c->param;
}

static void take_plain(param_order *o, const nkx_param_cell *c)
{
    nkx_params *out = o->out;
    out->at[out->n_pos + out->n_kwonly] = c->param;
    if (o->star) {
        out->n_kwonly++;
        o->named = true;
        return;
    }
    if (o->dflt && c->param.dflt == NULL) {
        refuse(o, c, "non-default argument follows default argument");
    }
    o->dflt = o->dflt || c->param.dflt != NULL;
    out->n_pos++;
}

static void take(param_order *o, const nkx_param_cell *c)
{
    if (o->kwargs) {
        refuse(o, c, "arguments cannot follow var-keyword argument");
        return;
    }
    switch (c->kind) {
    case NKX_PARAM_PLAIN: take_plain(o, c); break;
    case NKX_PARAM_SLASH: take_slash(o, c); break;
    case NKX_PARAM_BARE_STAR:
    case NKX_PARAM_STAR: take_star(o, c); break;
    case NKX_PARAM_KWARGS:
        o->kwargs = true;
        o->out->kwarg = NKX_ARENA_NEW(o->p->arena, nkx_param);
        *o->out->kwarg = c->param;
        break;
    }
}

void nkx_params_done(nkx_parser *p, nkx_param_cell *last, nkx_node *owner, nkx_params *out)
{
    if (last == NULL) return;
    nkx_param_cell *first = last->next, *c = first;
    size_t n = 0;
    do {
        n++;
        nkx_node_adopt(p, owner, c->param.annotation);
        nkx_node_adopt(p, owner, c->param.dflt);
        c = c->next;
    } while (c != first);
    out->at = NKX_ARENA_ARRAY(p->arena, nkx_param, n);
    param_order o = {.p = p, .out = out};
    do {
        take(&o, c);
        c = c->next;
    } while (c != first);
    if (out->bare_star && !o.named) {
        (void)nkx_syntax_error(p, NKX_E117, "SyntaxError", out->star_span,
                               "named arguments must follow bare *");
    }
}
