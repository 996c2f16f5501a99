/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which expressions can be assigned to or deleted. Layer syntax. The grammar reads targets as
 * expressions, since one token of lookahead cannot tell them apart; here they are marked, or
 * refused.
 */
#include "grammar/build.h"

#include <string.h>

static const char *constant_word(const nkx_constant *c)
{
    switch (c->what) {
    case NKX_CONST_NONE: return "None";
    case NKX_CONST_TRUE: return "True";
    case NKX_CONST_FALSE: return "False";
    case NKX_CONST_ELLIPSIS: return "ellipsis";
    default: return "literal";
    }
}

static const char *comprehension_word(const nkx_comprehension *c)
{
    switch (c->what) {
    case NKX_COMP_LIST: return "list comprehension";
    case NKX_COMP_SET: return "set comprehension";
    case NKX_COMP_DICT: return "dict comprehension";
    case NKX_COMP_GENERATOR: break;
    }
    return "generator expression";
}

const char *nkx_expression_word(const nkx_node *n)
{
    switch ((nkx_kind)n->kind) {
    case NKX_CALL: return "function call";
    case NKX_CONSTANT: return constant_word((const nkx_constant *)(const void *)n);
    case NKX_BOOL_OP:
    case NKX_BIN_OP:
    case NKX_UNARY_OP: return "expression";
    case NKX_COMPARE: return "comparison";
    case NKX_IF_EXP: return "conditional expression";
    case NKX_LAMBDA: return "lambda";
    case NKX_DICT: return "dict literal";
    case NKX_SET: return "set display";
    case NKX_COMPREHENSION: return comprehension_word((const nkx_comprehension *)(const void *)n);
    case NKX_YIELD:
    case NKX_YIELD_FROM: return "yield expression";
    case NKX_AWAIT: return "await expression";
    case NKX_JOINED_STR:
    case NKX_FORMATTED: return "f-string expression";
    case NKX_NAMED_EXPR: return "named expression";
    case NKX_ATTRIBUTE: return "attribute";
    case NKX_SUBSCRIPT: return "subscript";
    case NKX_STARRED: return "starred";
    case NKX_NAME: return "name";
    case NKX_LIST: return "list";
    case NKX_TUPLE: return "tuple";
    default: return "this";
    }
}

static void refuse(nkx_parser *p, const nkx_node *n, nkx_ctx ctx)
{
    nkx_diag *g = nkx_syntax_error(p, NKX_E115, "SyntaxError", n->span, "cannot %s %s",
                                   ctx == NKX_DEL ? "delete" : "assign to", nkx_expression_word(n));
    if (ctx == NKX_STORE && n->kind != NKX_CONSTANT) {
        nkx_syntax_hint(p, g, "To compare, write '=='.");
    }
}

static void set_elements(nkx_parser *p, nkx_seq *s, nkx_ctx ctx)
{
    uint32_t stars = 0;
    s->ctx = (uint8_t)ctx;
    for (uint32_t i = 0; i < s->elts.n; i++) {
        nkx_node *e = s->elts.at[i];
        if (e->kind != NKX_STARRED) {
            nkx_set_target(p, e, ctx);
            continue;
        }
        if (ctx == NKX_DEL) {
            refuse(p, e, ctx);
        } else if (++stars == 2) {
            (void)nkx_syntax_error(p, NKX_E124, "SyntaxError", e->span,
                                   "multiple starred expressions in assignment");
        }
        nkx_starred *star = (nkx_starred *)(void *)e;
        star->ctx = (uint8_t)ctx;
        nkx_set_target(p, star->value, ctx);
    }
}

void nkx_set_target(nkx_parser *p, nkx_node *n, nkx_ctx ctx)
{
    switch ((nkx_kind)n->kind) {
    case NKX_NAME: ((nkx_name_node *)(void *)n)->ctx = (uint8_t)ctx; break;
    case NKX_ATTRIBUTE: ((nkx_attribute *)(void *)n)->ctx = (uint8_t)ctx; break;
    case NKX_SUBSCRIPT: ((nkx_subscript *)(void *)n)->ctx = (uint8_t)ctx; break;
    case NKX_LIST:
    case NKX_TUPLE: set_elements(p, (nkx_seq *)(void *)n, ctx); break;
    case NKX_STARRED: break; /* a lone one was reported where it was read: nkx_no_star */
    default: refuse(p, n, ctx);
    }
}
