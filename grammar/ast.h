/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The syntax tree, shaped like Python 3.11's `ast` so that the two can be compared node by node.
 * One tagged family: every node begins with nkx_node. Nodes, lists and literals live in the arena
 * of their module and are const once nkx_resolve has run.
 *
 * Resolve (resolve.h) fills the fields marked R: where each name lives. A function's frame is an
 * array of slots; a slot that an inner function reads is a cell.
 * Names: nkx_ast_op, nkx_call_node, nkx_raise_node, nkx_import_node, since nkx_op, nkx_call and
 * nkx_raise are others.
 */
#ifndef NKX_GRAMMAR_AST_H
#define NKX_GRAMMAR_AST_H

#include "interp/base/buf.h"
#include "interp/base/intern.h"
#include "interp/base/source.h"

typedef enum nkx_kind {
    /* statements */
    NKX_FUNCTION_DEF,
    NKX_CLASS_DEF,
    NKX_RETURN,
    NKX_DELETE,
    NKX_ASSIGN,
    NKX_AUG_ASSIGN,
    NKX_ANN_ASSIGN,
    NKX_FOR,
    NKX_WHILE,
    NKX_IF,
    NKX_WITH,
    NKX_RAISE,
    NKX_TRY,
    NKX_ASSERT_STMT,
    NKX_IMPORT,
    NKX_IMPORT_FROM,
    NKX_GLOBAL,
    NKX_NONLOCAL,
    NKX_EXPR_STMT,
    NKX_PASS,
    NKX_BREAK,
    NKX_CONTINUE,
    /* recognised so that they can be refused by name: async def/for/with, match */
    NKX_UNSUPPORTED_STMT,
    /* expressions */
    NKX_BOOL_OP,
    NKX_NAMED_EXPR,
    NKX_BIN_OP,
    NKX_UNARY_OP,
    NKX_LAMBDA,
    NKX_IF_EXP,
    NKX_DICT,
    NKX_SET,
    NKX_COMPREHENSION,
    NKX_AWAIT,
    NKX_YIELD,
    NKX_YIELD_FROM,
    NKX_COMPARE,
    NKX_CALL,
    NKX_JOINED_STR,
    NKX_FORMATTED,
    NKX_CONSTANT,
    NKX_ATTRIBUTE,
    NKX_SUBSCRIPT,
    NKX_STARRED,
    NKX_NAME,
    NKX_LIST,
    NKX_TUPLE,
    NKX_SLICE,
    NKX_N_KINDS,
} nkx_kind;

typedef enum nkx_ast_op {
    NKX_OP_ADD,
    NKX_OP_SUB,
    NKX_OP_MULT,
    NKX_OP_MATMULT,
    NKX_OP_DIV,
    NKX_OP_MOD,
    NKX_OP_POW,
    NKX_OP_LSHIFT,
    NKX_OP_RSHIFT,
    NKX_OP_BITOR,
    NKX_OP_BITXOR,
    NKX_OP_BITAND,
    NKX_OP_FLOORDIV,
    NKX_OP_INVERT,
    NKX_OP_NOT,
    NKX_OP_UADD,
    NKX_OP_USUB, /* unary */
    NKX_OP_AND,
    NKX_OP_OR, /* bool */
    NKX_OP_EQ,
    NKX_OP_NOTEQ,
    NKX_OP_LT,
    NKX_OP_LTE,
    NKX_OP_GT,
    NKX_OP_GTE,
    NKX_OP_IS,
    NKX_OP_ISNOT,
    NKX_OP_IN,
    NKX_OP_NOTIN, /* compare */
} nkx_ast_op;

typedef enum nkx_ctx { NKX_LOAD, NKX_STORE, NKX_DEL } nkx_ctx;

/* Where a name lives (R). */
typedef enum nkx_scope {
    NKX_SCOPE_UNRESOLVED,
    NKX_SCOPE_LOCAL,  /* slot of the frame */
    NKX_SCOPE_CELL,   /* slot of the frame that holds a cell: shared with inner functions */
    NKX_SCOPE_FREE,   /* index into the closure of the running function */
    NKX_SCOPE_GLOBAL, /* index into the globals of the module; builtin of that name if unset */
    NKX_SCOPE_CLASS,  /* class body: by name in the namespace under construction, then global */
} nkx_scope;

typedef struct nkx_node {
    uint16_t kind;  /* nkx_kind */
    uint16_t flags; /* NKX_NF_* */
    nkx_span span;
} nkx_node;

#define NKX_NF_PAREN 1u /* an expression written in parentheses (matters to errors and targets) */

/* A list of nodes in the arena. */
typedef struct nkx_nodes {
    nkx_node **at;
    uint32_t n;
} nkx_nodes;

typedef enum nkx_const_kind {
    NKX_CONST_NONE,
    NKX_CONST_TRUE,
    NKX_CONST_FALSE,
    NKX_CONST_ELLIPSIS,
    NKX_CONST_INT,
    NKX_CONST_BIGINT, /* beyond 64 bits: text keeps the digits */
    NKX_CONST_FLOAT,
    NKX_CONST_IMAG,
    NKX_CONST_STR,
    NKX_CONST_BYTES,
} nkx_const_kind;

typedef struct nkx_constant {
    nkx_node base;
    nkx_const_kind what;
    int64_t i;
    double f;
    const char *text; /* STR/BYTES: decoded; BIGINT: decimal digits */
    uint32_t len;
    uint32_t
        pool; /* R: index into the module's constant pool (the evaluator keeps made values there) */
    bool u_prefix; /* u"..." : ast's Constant.kind */
} nkx_constant;

typedef struct nkx_name_node {
    nkx_node base;
    const nkx_name *id;
    uint8_t ctx, scope; /* nkx_ctx, nkx_scope (R) */
    uint32_t slot;      /* R */
} nkx_name_node;

typedef struct nkx_attribute {
    nkx_node base;
    nkx_node *value;
    const nkx_name *attr;
    uint8_t ctx;
    nkx_span attr_span;
    uint32_t cache; /* R: number of this site in its module, for inline caches */
} nkx_attribute;

typedef struct nkx_subscript {
    nkx_node base;
    nkx_node *value, *slice; /* slice: any expression, NKX_SLICE, or a tuple of them */
    uint8_t ctx;
} nkx_subscript;

typedef struct nkx_slice_node {
    nkx_node base;
    nkx_node *lower, *upper, *step; /* each may be NULL */
} nkx_slice_node;

typedef struct nkx_starred {
    nkx_node base;
    nkx_node *value;
    uint8_t ctx;
} nkx_starred;

typedef struct nkx_seq { /* LIST, TUPLE, SET */
    nkx_node base;
    nkx_nodes elts;
    uint8_t ctx;
} nkx_seq;

typedef struct nkx_dict_node {
    nkx_node base;
    nkx_nodes keys, values; /* keys.at[i] NULL: `**value` */
} nkx_dict_node;

typedef struct nkx_bool_op {
    nkx_node base;
    uint8_t op;
    nkx_nodes values;
} nkx_bool_op;

typedef struct nkx_bin_op {
    nkx_node base;
    uint8_t op;
    nkx_node *left, *right;
} nkx_bin_op;

typedef struct nkx_unary_op {
    nkx_node base;
    uint8_t op;
    nkx_node *operand;
} nkx_unary_op;

typedef struct nkx_compare {
    nkx_node base;
    nkx_node *left;
    uint8_t *ops; /* rights.n of them */
    nkx_nodes rights;
} nkx_compare;

typedef struct nkx_named_expr {
    nkx_node base;
    nkx_node *target, *value;
} nkx_named_expr;

typedef struct nkx_if_exp {
    nkx_node base;
    nkx_node *test, *body, *orelse;
} nkx_if_exp;

typedef struct nkx_keyword {
    const nkx_name *name; /* NULL: `**value` */
    nkx_node *value;
    nkx_span span; /* from the name to the end of the value */
} nkx_keyword;

typedef struct nkx_call_node {
    nkx_node base;
    nkx_node *func;
    nkx_nodes args; /* STARRED for *args */
    nkx_keyword *keywords;
    uint32_t n_keywords;
    bool has_star;  /* any *args or **kw */
    uint32_t cache; /* R: number of this site in its module, for inline caches */
} nkx_call_node;

typedef struct nkx_formatted { /* one {field} of an f-string */
    nkx_node base;
    nkx_node *value;
    int conversion; /* -1, 's', 'r', 'a' */
    nkx_node *spec; /* JOINED_STR or NULL */
    /* `{x=}`: the text up to and including '=' is a separate constant before this node, as in ast
     */
} nkx_formatted;

typedef struct nkx_joined { /* values: CONSTANT strings and FORMATTED */
    nkx_node base;
    nkx_nodes values;
} nkx_joined;

typedef struct nkx_yield { /* YIELD, YIELD_FROM, AWAIT */
    nkx_node base;
    nkx_node *value; /* NULL for a bare yield */
} nkx_yield;

typedef struct nkx_param {
    const nkx_name *name;
    nkx_node *annotation, *dflt; /* NULL when absent */
    nkx_span span;
    uint32_t slot; /* R */
    bool is_cell;  /* R */
} nkx_param;

typedef struct nkx_params {
    nkx_param *at;             /* positional-only, then ordinary, then keyword-only */
    uint32_t n_posonly, n_pos; /* n_pos counts positional-only ones too */
    uint32_t n_kwonly;
    nkx_param *vararg, *kwarg; /* NULL when absent */
    bool bare_star;            /* a lone `*` separator */
    nkx_span star_span;
} nkx_params;

/* What the resolver knows of a function, lambda or comprehension body (R). */
typedef struct nkx_frame_info {
    uint32_t n_slots; /* parameters first, in order; then vararg, kwarg; then locals */
    const nkx_name **slot_names;
    uint8_t *slot_is_cell;
    uint32_t n_free; /* closure: captured from the enclosing frame */
    struct nkx_capture {
        const nkx_name *name;
        bool from_cell; /* true: enclosing frame's cell slot; false: enclosing closure */
        uint32_t index;
    } * captures;
    bool is_generator; /* holds a yield */
} nkx_frame_info;

typedef struct nkx_lambda {
    nkx_node base;
    nkx_params params;
    nkx_node *body;
    nkx_frame_info frame; /* R */
} nkx_lambda;

typedef enum nkx_comp_kind {
    NKX_COMP_LIST,
    NKX_COMP_SET,
    NKX_COMP_DICT,
    NKX_COMP_GENERATOR
} nkx_comp_kind;

typedef struct nkx_comp_for {
    nkx_node *target, *iter;
    nkx_nodes ifs;
    bool is_async;
    nkx_span span;
} nkx_comp_for;

typedef struct nkx_comprehension {
    nkx_node base;
    nkx_comp_kind what;
    nkx_node *elt, *value; /* value: dict comprehension's; else NULL */
    nkx_comp_for *fors;
    uint32_t n_fors;
    nkx_frame_info frame; /* R: own scope; the first iterable is evaluated outside, into slot 0 */
} nkx_comprehension;

/* ---- statements ---- */

typedef struct nkx_function_def {
    nkx_node base;
    const nkx_name *name;
    nkx_span name_span;
    nkx_params params;
    nkx_nodes body, decorators;
    nkx_node *returns;    /* NULL when absent */
    nkx_frame_info frame; /* R */
    uint8_t scope;        /* R: of the name being bound */
    uint32_t slot;        /* R */
    const char *docstring;
} nkx_function_def;

typedef struct nkx_class_def {
    nkx_node base;
    const nkx_name *name;
    nkx_span name_span;
    nkx_nodes bases, body, decorators;
    nkx_keyword *keywords;
    uint32_t n_keywords;
    uint8_t scope; /* R */
    uint32_t slot; /* R */
} nkx_class_def;

typedef struct nkx_value_stmt { /* RETURN, EXPR_STMT */
    nkx_node base;
    nkx_node *value; /* NULL: bare return */
} nkx_value_stmt;

typedef struct nkx_delete {
    nkx_node base;
    nkx_nodes targets;
} nkx_delete;

typedef struct nkx_assign {
    nkx_node base;
    nkx_nodes targets;
    nkx_node *value;
} nkx_assign;

typedef struct nkx_aug_assign {
    nkx_node base;
    uint8_t op;
    nkx_node *target, *value;
} nkx_aug_assign;

typedef struct nkx_ann_assign {
    nkx_node base;
    nkx_node *target, *annotation, *value; /* value may be NULL */
    bool simple;
} nkx_ann_assign;

typedef struct nkx_for {
    nkx_node base;
    nkx_node *target, *iter;
    nkx_nodes body, orelse;
} nkx_for;

typedef struct nkx_if { /* IF and WHILE */
    nkx_node base;
    nkx_node *test;
    nkx_nodes body, orelse;
} nkx_if;

typedef struct nkx_with_item {
    nkx_node *context, *target; /* target may be NULL */
} nkx_with_item;

typedef struct nkx_with {
    nkx_node base;
    nkx_with_item *items;
    uint32_t n_items;
    nkx_nodes body;
} nkx_with;

typedef struct nkx_raise_node {
    nkx_node base;
    nkx_node *exc, *cause; /* each may be NULL */
} nkx_raise_node;

typedef struct nkx_handler {
    nkx_node *type;       /* NULL: bare except */
    const nkx_name *name; /* NULL: no `as` */
    nkx_nodes body;
    nkx_span span;
    uint8_t scope; /* R: of the name */
    uint32_t slot; /* R */
} nkx_handler;

typedef struct nkx_try {
    nkx_node base;
    nkx_nodes body, orelse, finalbody;
    nkx_handler *handlers;
    uint32_t n_handlers;
    bool is_star; /* except* */
} nkx_try;

typedef struct nkx_assert {
    nkx_node base;
    nkx_node *test, *msg; /* msg may be NULL */
} nkx_assert;

typedef struct nkx_alias {
    const nkx_name *name;   /* dotted text; "*" for a star import */
    const nkx_name *asname; /* NULL when absent */
    nkx_span span;
    uint8_t scope;         /* R: of the name that is bound */
    uint32_t slot;         /* R */
    const nkx_name *bound; /* R: asname, or the first part of name */
} nkx_alias;

typedef struct nkx_import_node { /* IMPORT and IMPORT_FROM */
    nkx_node base;
    const nkx_name *module; /* IMPORT_FROM: dotted text, NULL for `from . import x` */
    uint32_t level;         /* number of leading dots */
    nkx_alias *names;
    uint32_t n_names;
} nkx_import_node;

typedef struct nkx_names_stmt { /* GLOBAL, NONLOCAL */
    nkx_node base;
    const nkx_name **names;
    uint32_t n;
} nkx_names_stmt;

typedef struct nkx_unsupported {
    nkx_node base;
    const char *what; /* "match", "async def", "async for", "async with" */
} nkx_unsupported;

typedef struct nkx_module_ast {
    nkx_nodes body;
    const nkx_source *source;
    nkx_arena *arena;              /* holds all of the tree */
    const nkx_name **global_names; /* R: global slot -> name */
    uint32_t n_globals;            /* R */
    uint32_t n_consts;             /* R: size of the constant pool */
    uint32_t n_caches;             /* R: number of inline-cache sites */
    const char *docstring;
} nkx_module_ast;

const char *nkx_kind_name(nkx_kind k);  /* as in Python's ast: "FunctionDef" */
const char *nkx_op_text(nkx_ast_op op); /* "+" */

/* S-expression of a tree, for tests and `nkx parse`; JSON in the shape of Python's ast. */
void nkx_ast_dump(const nkx_module_ast *m, nkx_buf *out);
void nkx_ast_json(const nkx_module_ast *m, nkx_buf *out);

#endif
