/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the grammar's actions call: one constructor a production. The parse state travels as the
 * parser's context. Trees go to the module's arena; lists under construction to a scratch arena.
 *
 * A production's value knows its extent in the text (nkx_ex), which for `(a)` is wider than the
 * node's own span: `(a) + b` begins at the bracket, as in Python's ast.
 */
#ifndef NKX_GRAMMAR_BUILD_H
#define NKX_GRAMMAR_BUILD_H

#include "grammar/ast.h"
#include "grammar/lexer.h"
#include "grammar/parse.h"
#include "interp/base/vec.h"

/* Deeper trees are refused: every later pass walks them by recursion. */
enum { NKX_MAX_TREE_DEPTH = 1000, NKX_MAX_PARSER_STACK = 20000, NKX_MAX_SYNTAX_ERRORS = 20 };

typedef const nkx_token *nkx_tok;

typedef struct nkx_ex { /* an expression and its extent, brackets included */
    nkx_node *n;
    uint32_t begin, end;
} nkx_ex;

typedef struct nkx_cell {
    struct nkx_cell *next;
    nkx_node *n;
} nkx_cell;

typedef struct nkx_nodelist { /* nodes under construction */
    nkx_cell *first, *last;
    uint32_t n, end; /* end: where the last of them ends in the text */
} nkx_nodelist;

typedef struct nkx_dotted {
    const nkx_name *name;
    uint32_t begin, end;
} nkx_dotted;

typedef struct nkx_dictitems {
    nkx_nodelist *keys, *values; /* a key's node may be NULL */
} nkx_dictitems;

typedef enum nkx_param_kind {
    NKX_PARAM_PLAIN,
    NKX_PARAM_SLASH,
    NKX_PARAM_BARE_STAR,
    NKX_PARAM_STAR,
    NKX_PARAM_KWARGS,
} nkx_param_kind;

typedef struct nkx_param_cell {
    struct nkx_param_cell *next;
    nkx_param_kind kind;
    nkx_param param;
} nkx_param_cell;

typedef struct nkx_arg_cell { /* one argument of a call */
    struct nkx_arg_cell *next;
    const nkx_name *name; /* keyword, or NULL */
    nkx_node *value;      /* STARRED for *value */
    bool is_kwargs;       /* **value */
    bool bare_generator;
    uint32_t begin, end;
} nkx_arg_cell;

typedef struct nkx_alias_cell {
    struct nkx_alias_cell *next;
    nkx_alias alias;
} nkx_alias_cell;

typedef struct nkx_with_cell {
    struct nkx_with_cell *next;
    nkx_with_item item;
} nkx_with_cell;

typedef struct nkx_handler_cell {
    struct nkx_handler_cell *next;
    nkx_handler handler;
    bool is_star;
} nkx_handler_cell;

typedef struct nkx_comp_cell {
    struct nkx_comp_cell *next;
    nkx_comp_for f;
} nkx_comp_cell;

/* Chains of cells, kept by their last one: last->next is the first. Made by the CHAIN macros. */
typedef struct nkx_ident_cell {
    struct nkx_ident_cell *next;
    const nkx_name *name;
} nkx_ident_cell;

typedef struct nkx_strings { /* adjacent string tokens; they are neighbours in the token array */
    nkx_tok first;
    uint32_t n;
} nkx_strings;

typedef struct nkx_parser {
    const nkx_source *src;
    nkx_arena *arena;   /* of the module */
    nkx_arena *scratch; /* of this parse */
    nkx_names *names;
    nkx_diags *diags;
    nkx_nodelist *body; /* result of a file */
    nkx_node *field;    /* result of an f-string field */
    nkx_tok first;      /* of the tokens the grammar now reads */
    uint32_t n_errors;
    bool stop;       /* give up: too many errors, or too deep */
    bool error_hit;  /* the grammar reported an error on the token just fed */
    bool wants_more; /* the text ends inside a bracket, a string or a statement */
    bool is_field;   /* inside an f-string field */
} nkx_parser;

#define NKX_SPAN(p, b, e) ((nkx_span){(p)->src->id, (b), (e)})

/* ---- errors (syntax_error.c) ---- */

/* A syntax error; message without class name. `cls`: "SyntaxError", "IndentationError", "TabError".
 */
nkx_diag *nkx_syntax_error(nkx_parser *p, nkx_code code, const char *cls, nkx_span span,
                           const char *fmt, ...) NKX_PRINTF(5, 6);
void nkx_syntax_hint(nkx_parser *p, nkx_diag *g, const char *fmt, ...) NKX_PRINTF(3, 4);
/* From the parser: `t` does not fit; accepts[k] tells of every kind of token whether it would. */
void nkx_unexpected_token(nkx_parser *p, nkx_tok t, const uint8_t *accepts, size_t n_kinds);
/* "a name", "'('", "the end of the line": how a kind of token is called in messages. */
const char *nkx_token_kind_name(unsigned kind);
/* The text of a leading string statement, or NULL. */
const char *nkx_docstring(const nkx_nodes *body);

/* ---- tokens of a text (tokens.c) ---- */

typedef NKX_VEC(nkx_token) nkx_token_vec;

/*
 * All tokens of a text, the last of kind 0, made fit for the grammar: `not in` and `is not` are one
 * token, brackets around with-items are marked, lines with a lexical fault stand as BADLINE,
 * `match` statements as MATCH. Lexical faults are reported on the way.
 */
void nkx_tokenize(nkx_parser *p, nkx_lexer *lx, nkx_token_vec *out);
/* The tokens of a field, with round brackets put around: they stand where the braces do. */
void nkx_tokenize_field(nkx_parser *p, nkx_lexer *lx, uint32_t begin, uint32_t end,
                        nkx_token_vec *out);

/* ---- driver (parse.c) ---- */

/* Parses the expression of an f-string field in src[begin, end); NULL after an error. */
nkx_node *nkx_parse_field(nkx_parser *p, uint32_t begin, uint32_t end);

/* ---- lists ---- */

nkx_nodelist *nkx_nodelist_new(nkx_parser *p);
nkx_nodelist *nkx_nodelist_add(nkx_parser *p, nkx_nodelist *l, nkx_ex e);
nkx_nodelist *nkx_nodelist_node(nkx_parser *p, nkx_nodelist *l, nkx_node *n, uint32_t end);
nkx_nodelist *nkx_nodelist_join(nkx_nodelist *a, nkx_nodelist *b);
nkx_nodes nkx_nodelist_done(nkx_parser *p, const nkx_nodelist *l); /* NULL: an empty list */

/* ---- expressions (build_expr.c) ---- */

const nkx_name *nkx_tok_name(nkx_parser *p, nkx_tok t);
void *nkx_node_make(nkx_parser *p, nkx_kind kind, size_t size, uint32_t begin, uint32_t end);
/* Tells the tree depth of `parent` of a child; refuses trees that are too deep. */
void nkx_node_adopt(nkx_parser *p, nkx_node *parent, const nkx_node *child);

void nkx_node_adopt_all(nkx_parser *p, nkx_node *parent, const nkx_nodes *children);
/* Coroutines are refused by name; `what` is the construct. */
void nkx_refuse_async(nkx_parser *p, const char *what, nkx_span span);

nkx_ex nkx_ex_name(nkx_parser *p, nkx_tok t);
nkx_ex nkx_ex_number(nkx_parser *p, nkx_tok t);
nkx_ex nkx_ex_strings(nkx_parser *p, nkx_strings s);
nkx_ex nkx_ex_const(nkx_parser *p, nkx_tok t, nkx_const_kind what);
nkx_ex nkx_ex_paren(nkx_ex inner, nkx_tok open, nkx_tok close);
nkx_ex nkx_ex_seq(nkx_parser *p, nkx_kind kind, nkx_nodelist *elts, uint32_t begin, uint32_t end);
nkx_ex nkx_ex_dict(nkx_parser *p, nkx_tok open, nkx_dictitems items, nkx_tok close);
nkx_dictitems nkx_dictitems_add(nkx_parser *p, nkx_dictitems items, nkx_ex key, nkx_ex value);
nkx_ex nkx_ex_comprehension(nkx_parser *p, nkx_comp_kind what, nkx_ex elt, nkx_node *value,
                            nkx_comp_cell *fors, uint32_t begin, uint32_t end);
nkx_comp_cell *nkx_comp_add(nkx_parser *p, nkx_comp_cell *last, nkx_comp_cell *one);
nkx_comp_cell *nkx_comp_for_new(nkx_parser *p, nkx_tok async, nkx_tok kw, nkx_ex target,
                                nkx_ex iter, nkx_nodelist *ifs);
nkx_ex nkx_ex_attribute(nkx_parser *p, nkx_ex value, nkx_tok name);
nkx_ex nkx_ex_subscript(nkx_parser *p, nkx_ex value, nkx_ex slice, nkx_tok close);
nkx_ex nkx_ex_slice(nkx_parser *p, nkx_ex lower, nkx_tok colon, nkx_ex upper, nkx_tok colon2,
                    nkx_ex step);
nkx_ex nkx_ex_starred(nkx_parser *p, nkx_tok star, nkx_ex value);
nkx_ex nkx_ex_call(nkx_parser *p, nkx_ex func, nkx_tok open, nkx_arg_cell *args, nkx_tok comma,
                   nkx_tok close);
nkx_arg_cell *nkx_argcell_add(nkx_parser *p, nkx_arg_cell *last, nkx_arg_cell *one);
nkx_arg_cell *nkx_argcell_plain(nkx_parser *p, nkx_ex value);
nkx_arg_cell *nkx_argcell_generator(nkx_parser *p, nkx_ex elt, nkx_comp_cell *fors);
nkx_arg_cell *nkx_argcell_keyword(nkx_parser *p, nkx_tok name, nkx_ex value);
nkx_arg_cell *nkx_argcell_kwargs(nkx_parser *p, nkx_tok stars, nkx_ex value);
nkx_ex nkx_ex_await(nkx_parser *p, nkx_tok kw, nkx_ex value);
nkx_ex nkx_ex_yield(nkx_parser *p, nkx_kind kind, nkx_tok kw, nkx_ex value);
nkx_ex nkx_ex_unary(nkx_parser *p, nkx_ast_op op, nkx_tok kw, nkx_ex operand);
nkx_ex nkx_ex_binary(nkx_parser *p, nkx_ast_op op, nkx_ex left, nkx_ex right);
nkx_ex nkx_ex_bool(nkx_parser *p, nkx_ast_op op, nkx_ex left, nkx_ex right);
nkx_ex nkx_ex_compare(nkx_parser *p, nkx_ex left, nkx_ast_op op, nkx_ex right, bool chain);
nkx_ex nkx_ex_ternary(nkx_parser *p, nkx_ex body, nkx_ex test, nkx_ex orelse);
nkx_ex nkx_ex_walrus(nkx_parser *p, nkx_tok name, nkx_ex value);
nkx_ex nkx_ex_lambda(nkx_parser *p, nkx_tok kw, nkx_param_cell *params, nkx_ex body);

/* ---- parameters (build_call.c) ---- */

nkx_param_cell *nkx_paramcell_add(nkx_parser *p, nkx_param_cell *last, nkx_param_cell *one);
nkx_param_cell *nkx_paramcell_new(nkx_parser *p, nkx_param_kind kind, nkx_tok mark, nkx_tok name,
                                  nkx_ex annotation, nkx_ex dflt);
/* Checks the order and lays the chain out; `last` may be NULL. */
void nkx_params_done(nkx_parser *p, nkx_param_cell *last, nkx_node *owner, nkx_params *out);

/* ---- targets (targets.c) ---- */

/* Makes an expression a target of assignment or of `del`; reports what cannot be one. */
void nkx_set_target(nkx_parser *p, nkx_node *n, nkx_ctx ctx);
/* "function call", "literal": for messages. */
const char *nkx_expression_word(const nkx_node *n);
/* Reports a lone `*a` where only a list of expressions may hold one. */
nkx_ex nkx_no_star(nkx_parser *p, nkx_ex e);

/* ---- literals (literal_number.c, literal_string.c) ---- */

bool nkx_number_value(nkx_parser *p, nkx_tok t, nkx_constant *out);
nkx_node *nkx_string_value(nkx_parser *p, nkx_strings s);

/* ---- statements (build_stmt.c, build_block.c; class: build_call.c) ---- */

typedef struct nkx_block {
    nkx_nodelist *stmts;
    uint32_t end;
} nkx_block;

typedef struct nkx_tail { /* of an if, loop or try: what follows the first block */
    nkx_nodelist *orelse, *finalbody;
    uint32_t end; /* 0: nothing follows */
} nkx_tail;

nkx_node *nkx_st_expr(nkx_parser *p, nkx_ex value);
nkx_node *nkx_st_assign(nkx_parser *p, nkx_nodelist *targets, uint32_t begin, nkx_ex value);
nkx_node *nkx_st_aug_assign(nkx_parser *p, nkx_ex target, nkx_tok op, nkx_ex value);
nkx_node *nkx_st_ann_assign(nkx_parser *p, nkx_ex target, nkx_ex annotation, nkx_ex value);
nkx_node *nkx_st_keyword(nkx_parser *p, nkx_kind kind, nkx_tok kw);
nkx_node *nkx_st_return(nkx_parser *p, nkx_tok kw, nkx_ex value);
nkx_node *nkx_st_raise(nkx_parser *p, nkx_tok kw, nkx_ex exc, nkx_ex cause);
nkx_node *nkx_st_delete(nkx_parser *p, nkx_tok kw, nkx_nodelist *targets);
nkx_node *nkx_st_assert(nkx_parser *p, nkx_tok kw, nkx_ex test, nkx_ex msg);
nkx_node *nkx_st_names(nkx_parser *p, nkx_kind kind, nkx_tok kw, nkx_ident_cell *last,
                       uint32_t end);
nkx_ident_cell *nkx_idents_add(nkx_parser *p, nkx_ident_cell *last, nkx_tok name);
nkx_dotted nkx_dotted_add(nkx_parser *p, nkx_dotted d, nkx_tok name);
nkx_alias_cell *nkx_aliascell_new(nkx_parser *p, nkx_dotted name, nkx_tok asname);
nkx_alias_cell *nkx_aliascell_add(nkx_alias_cell *last, nkx_alias_cell *one);
nkx_node *nkx_st_import(nkx_parser *p, nkx_tok kw, nkx_alias_cell *names);
nkx_node *nkx_st_import_from(nkx_parser *p, nkx_tok kw, uint32_t level, nkx_dotted module,
                             nkx_alias_cell *names, uint32_t end);

nkx_block nkx_block_done(nkx_nodelist *stmts, nkx_tok end);
nkx_node *nkx_st_if(nkx_parser *p, nkx_kind kind, nkx_tok kw, nkx_ex test, nkx_block body,
                    nkx_tail tail);
nkx_node *nkx_st_for(nkx_parser *p, nkx_tok kw, nkx_ex target, nkx_ex iter, nkx_block body,
                     nkx_tail tail);
nkx_node *nkx_st_try(nkx_parser *p, nkx_tok kw, nkx_block body, nkx_handler_cell *handlers,
                     nkx_tail tail);
nkx_handler_cell *nkx_handler_new(nkx_parser *p, nkx_tok kw, nkx_tok star, nkx_ex type,
                                  nkx_tok name, nkx_block body);
nkx_handler_cell *nkx_handler_add(nkx_parser *p, nkx_handler_cell *last, nkx_handler_cell *one);
nkx_with_cell *nkx_with_item_new(nkx_parser *p, nkx_with_cell *last, nkx_ex context, nkx_ex target);
nkx_node *nkx_st_with(nkx_parser *p, nkx_tok kw, nkx_with_cell *items, nkx_block body);
nkx_node *nkx_st_function(nkx_parser *p, nkx_tok kw, nkx_tok name, nkx_param_cell *params,
                          nkx_ex returns, nkx_block body);
nkx_node *nkx_st_class(nkx_parser *p, nkx_tok kw, nkx_tok name, nkx_arg_cell *args, nkx_block body);
nkx_node *nkx_st_decorated(nkx_parser *p, nkx_nodelist *decorators, nkx_node *n);
nkx_node *nkx_st_unsupported(nkx_parser *p, const char *what, nkx_tok kw, uint32_t end);

#endif
