/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees as text: S-expressions for people and goldens, JSON in the shape of Python's ast. Layer
 * syntax. Both come from one walk; the writer below knows how a node, a field and a list look.
 *
 *   (Assign targets: [(Name id: "x" ctx: Store)] value: (Constant value: 3))
 *   {"_type":"Assign","lineno":1,...,"targets":[{"_type":"Name",...}],...}
 */
#include "grammar/ast.h"
#include "interp/base/json.h"
#include "interp/base/vec.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
    nkx_json json;
    bool is_json;
    nkx_buf *out;
    const nkx_source *source;
    NKX_VEC(uint32_t) lines; /* where each begins; JSON shows places */
    unsigned indent;         /* S-expressions: of the statement being written */
} writer;

/* ---- how things look ---- */

static void field(writer *w, const char *name)
{
    if (w->is_json) {
        nkx_json_key(&w->json, name);
    } else {
        nkx_buf_printf(w->out, " %s: ", name);
    }
}

static void open_list(writer *w)
{
    if (w->is_json) {
        nkx_json_begin(&w->json, '[');
    } else {
        nkx_buf_char(w->out, '[');
    }
}

static void close_list(writer *w)
{
    if (w->is_json) {
        nkx_json_end(&w->json, ']');
    } else {
        nkx_buf_char(w->out, ']');
    }
}

/* Between the items of a list; JSON sees to its commas itself. */
static void separate(writer *w, uint32_t i)
{
    if (!w->is_json && i > 0) nkx_buf_char(w->out, ' ');
}

static void none(writer *w)
{
    if (w->is_json) {
        nkx_json_null(&w->json);
    } else {
        nkx_buf_str(w->out, "None");
    }
}

static void word(writer *w, const char *text)
{
    if (w->is_json) {
        nkx_json_str(&w->json, text);
    } else {
        nkx_buf_str(w->out, text);
    }
}

static void integer(writer *w, int64_t v)
{
    if (w->is_json) {
        nkx_json_int(&w->json, v);
    } else {
        nkx_buf_printf(w->out, "%" PRId64, v);
    }
}

static void text(writer *w, const char *s, size_t len)
{
    if (w->is_json) {
        nkx_json_strn(&w->json, s, len);
        return;
    }
    nkx_json quoted = {.out = w->out};
    nkx_json_strn(&quoted, s, len);
}

static void name(writer *w, const nkx_name *n)
{
    if (n == NULL) {
        none(w);
    } else {
        text(w, n->text, n->len);
    }
}

static void index_lines(writer *w)
{
    const nkx_source *s = w->source;
    bool bom = s->len >= 3 && memcmp(s->text, "\xEF\xBB\xBF", 3) == 0;
    nkx_push(&w->lines, bom ? 3u : 0u);
    for (size_t i = 0; i < s->len; i++) {
        if (s->text[i] != '\n' && s->text[i] != '\r') continue;
        if (s->text[i] == '\r' && s->text[i + 1] == '\n') i++;
        nkx_push(&w->lines, (uint32_t)i + 1);
    }
}

static void place(writer *w, uint32_t offset, const char *line_key, const char *col_key)
{
    size_t lo = 0, hi = w->lines.n;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (w->lines.at[mid] <= offset) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    nkx_json_key(&w->json, line_key);
    nkx_json_int(&w->json, (int64_t)lo + 1);
    nkx_json_key(&w->json, col_key);
    nkx_json_int(&w->json, (int64_t)offset - w->lines.at[lo]); /* bytes, as in Python */
}

static void open_node(writer *w, const char *type, const nkx_span *span)
{
    if (!w->is_json) {
        nkx_buf_printf(w->out, "(%s", type);
        return;
    }
    nkx_json_begin(&w->json, '{');
    nkx_json_key(&w->json, "_type");
    nkx_json_str(&w->json, type);
    if (span == NULL) return;
    place(w, span->begin, "lineno", "col_offset");
    place(w, span->end, "end_lineno", "end_col_offset");
}

static void close_node(writer *w)
{
    if (w->is_json) {
        nkx_json_end(&w->json, '}');
    } else {
        nkx_buf_char(w->out, ')');
    }
}

/* ---- pieces of nodes ---- */

static void node(writer *w, const nkx_node *n);

static void node_field(writer *w, const char *key, const nkx_node *n)
{
    field(w, key);
    if (n == NULL) {
        none(w);
    } else {
        node(w, n);
    }
}

static void nodes_field(writer *w, const char *key, const nkx_nodes *list)
{
    field(w, key);
    open_list(w);
    for (uint32_t i = 0; i < list->n; i++) {
        separate(w, i);
        if (list->at[i] == NULL) {
            none(w);
        } else {
            node(w, list->at[i]);
        }
    }
    close_list(w);
}

/* Statements, in S-expressions each on a line of its own. */
static void block_field(writer *w, const char *key, const nkx_nodes *list)
{
    if (w->is_json) {
        nodes_field(w, key, list);
        return;
    }
    if (list->n == 0) return;
    w->indent++;
    nkx_buf_printf(w->out, "\n%*s%s:", (int)w->indent * 2, "", key);
    w->indent++;
    for (uint32_t i = 0; i < list->n; i++) {
        nkx_buf_printf(w->out, "\n%*s", (int)w->indent * 2, "");
        node(w, list->at[i]);
    }
    w->indent -= 2;
}

static void name_field(writer *w, const char *key, const nkx_name *n)
{
    field(w, key);
    name(w, n);
}

static void ctx_field(writer *w, unsigned ctx)
{
    field(w, "ctx");
    word(w, ctx == NKX_LOAD ? "Load" : ctx == NKX_STORE ? "Store" : "Del");
}

static void op_field(writer *w, unsigned op)
{
    field(w, "op");
    text(w, nkx_op_text((nkx_ast_op)op), strlen(nkx_op_text((nkx_ast_op)op)));
}

static void keywords_field(writer *w, const nkx_keyword *k, uint32_t n)
{
    field(w, "keywords");
    open_list(w);
    for (uint32_t i = 0; i < n; i++) {
        separate(w, i);
        open_node(w, "keyword", &k[i].span);
        name_field(w, "arg", k[i].name);
        node_field(w, "value", k[i].value);
        close_node(w);
    }
    close_list(w);
}

/* ---- literals ---- */

/* A value that JSON has no form for: an object of one key. */
static void special(writer *w, const char *key, const char *value)
{
    if (w->is_json) {
        nkx_json_begin(&w->json, '{');
        nkx_json_key(&w->json, key);
        nkx_json_str(&w->json, value);
        nkx_json_end(&w->json, '}');
    } else {
        nkx_buf_printf(w->out, "%s(%s)", key, value);
    }
}

static void hex(writer *w, const char *key, const char *s, uint32_t len)
{
    nkx_buf digits = {0};
    nkx_buf_str(&digits, "");
    for (uint32_t i = 0; i < len; i++) nkx_buf_printf(&digits, "%02x", (unsigned char)s[i]);
    special(w, key, digits.at);
    nkx_buf_fini(&digits);
}

static void number(writer *w, double v)
{
    if (!isfinite(v)) {
        special(w, "float", v != v ? "nan" : "inf");
    } else if (w->is_json) {
        nkx_json_num(&w->json, v);
    } else {
        nkx_json plain = {.out = w->out};
        nkx_json_num(&plain, v);
    }
}

/* '\ud800' and its like stand in the text as three bytes that are no UTF-8. */
static bool has_surrogate(const nkx_constant *c)
{
    for (uint32_t i = 0; i + 1 < c->len; i++) {
        if ((unsigned char)c->text[i] == 0xED && (unsigned char)c->text[i + 1] >= 0xA0) return true;
    }
    return false;
}

static void constant_value(writer *w, const nkx_constant *c)
{
    switch (c->what) {
    case NKX_CONST_NONE: none(w); break;
    case NKX_CONST_TRUE:
    case NKX_CONST_FALSE:
        if (w->is_json) {
            nkx_json_bool(&w->json, c->what == NKX_CONST_TRUE);
        } else {
            word(w, c->what == NKX_CONST_TRUE ? "True" : "False");
        }
        break;
    case NKX_CONST_ELLIPSIS: special(w, "ellipsis", ""); break;
    case NKX_CONST_INT: integer(w, c->i); break;
    case NKX_CONST_BIGINT: special(w, "int", c->text); break;
    case NKX_CONST_FLOAT: number(w, c->f); break;
    case NKX_CONST_IMAG: {
        char digits[40];
        (void)snprintf(digits, sizeof digits, "%.17g", c->f);
        special(w, "imag", digits);
        break;
    }
    case NKX_CONST_STR:
        if (has_surrogate(c)) {
            hex(w, "utf8", c->text, c->len);
        } else {
            text(w, c->text, c->len);
        }
        break;
    case NKX_CONST_BYTES: hex(w, "bytes", c->text, c->len); break;
    }
}

static void constant(writer *w, const nkx_constant *c)
{
    open_node(w, "Constant", &c->base.span);
    field(w, "value");
    constant_value(w, c);
    if (w->is_json) {
        field(w, "is_float"); /* 1.0 is written as 1 */
        nkx_json_bool(&w->json, c->what == NKX_CONST_FLOAT);
    } else if (c->what == NKX_CONST_FLOAT) {
        nkx_buf_str(w->out, " float");
    }
    if (w->is_json || c->u_prefix) {
        field(w, "kind");
        if (c->u_prefix) {
            text(w, "u", 1);
        } else {
            none(w);
        }
    }
    close_node(w);
}

static void formatted(writer *w, const nkx_formatted *f)
{
    open_node(w, "FormattedValue", &f->base.span);
    node_field(w, "value", f->value);
    field(w, "conversion");
    integer(w, f->conversion);
    node_field(w, "format_spec", f->spec);
    close_node(w);
}

/* ---- functions ---- */

static void param(writer *w, const nkx_param *p)
{
    open_node(w, "arg", &p->span);
    name_field(w, "arg", p->name);
    node_field(w, "annotation", p->annotation);
    close_node(w);
}

static void params_field(writer *w, const char *key, const nkx_param *at, uint32_t n)
{
    field(w, key);
    open_list(w);
    for (uint32_t i = 0; i < n; i++) {
        separate(w, i);
        param(w, &at[i]);
    }
    close_list(w);
}

static void param_field(writer *w, const char *key, const nkx_param *p)
{
    field(w, key);
    if (p == NULL) {
        none(w);
    } else {
        param(w, p);
    }
}

/* Defaults as in Python: of positional ones only those that are there, of keyword-only ones all. */
static void defaults_field(writer *w, const char *key, const nkx_param *at, uint32_t n, bool all)
{
    uint32_t shown = 0;
    field(w, key);
    open_list(w);
    for (uint32_t i = 0; i < n; i++) {
        if (at[i].dflt == NULL && !all) continue;
        separate(w, shown++);
        if (at[i].dflt == NULL) {
            none(w);
        } else {
            node(w, at[i].dflt);
        }
    }
    close_list(w);
}

static void arguments(writer *w, const nkx_params *p)
{
    field(w, "args");
    open_node(w, "arguments", NULL);
    params_field(w, "posonlyargs", p->at, p->n_posonly);
    params_field(w, "args", p->n_pos > 0 ? p->at + p->n_posonly : NULL, p->n_pos - p->n_posonly);
    param_field(w, "vararg", p->vararg);
    params_field(w, "kwonlyargs", p->n_kwonly > 0 ? p->at + p->n_pos : NULL, p->n_kwonly);
    defaults_field(w, "kw_defaults", p->n_kwonly > 0 ? p->at + p->n_pos : NULL, p->n_kwonly, true);
    param_field(w, "kwarg", p->kwarg);
    defaults_field(w, "defaults", p->at, p->n_pos, false);
    close_node(w);
}

static void comprehension(writer *w, const nkx_comprehension *c)
{
    static const char *const types[] = {"ListComp", "SetComp", "DictComp", "GeneratorExp"};
    open_node(w, types[c->what], &c->base.span);
    node_field(w, c->what == NKX_COMP_DICT ? "key" : "elt", c->elt);
    if (c->what == NKX_COMP_DICT) node_field(w, "value", c->value);
    field(w, "generators");
    open_list(w);
    for (uint32_t i = 0; i < c->n_fors; i++) {
        separate(w, i);
        open_node(w, "comprehension", NULL);
        node_field(w, "target", c->fors[i].target);
        node_field(w, "iter", c->fors[i].iter);
        nodes_field(w, "ifs", &c->fors[i].ifs);
        field(w, "is_async");
        integer(w, c->fors[i].is_async);
        close_node(w);
    }
    close_list(w);
    close_node(w);
}

static void compare(writer *w, const nkx_compare *c)
{
    node_field(w, "left", c->left);
    field(w, "ops");
    open_list(w);
    for (uint32_t i = 0; i < c->rights.n; i++) {
        const char *op = nkx_op_text((nkx_ast_op)c->ops[i]);
        separate(w, i);
        text(w, op, strlen(op));
    }
    close_list(w);
    nodes_field(w, "comparators", &c->rights);
}

/* ---- statements that hold more than nodes ---- */

static void function_def(writer *w, const nkx_function_def *f)
{
    name_field(w, "name", f->name);
    arguments(w, &f->params);
    nodes_field(w, "decorator_list", &f->decorators);
    node_field(w, "returns", f->returns);
    block_field(w, "body", &f->body);
}

static void class_def(writer *w, const nkx_class_def *c)
{
    name_field(w, "name", c->name);
    nodes_field(w, "bases", &c->bases);
    keywords_field(w, c->keywords, c->n_keywords);
    nodes_field(w, "decorator_list", &c->decorators);
    block_field(w, "body", &c->body);
}

static void import(writer *w, const nkx_import_node *m)
{
    if (m->base.kind == NKX_IMPORT_FROM) {
        name_field(w, "module", m->module);
        field(w, "level");
        integer(w, m->level);
    }
    field(w, "names");
    open_list(w);
    for (uint32_t i = 0; i < m->n_names; i++) {
        separate(w, i);
        open_node(w, "alias", &m->names[i].span);
        name_field(w, "name", m->names[i].name);
        name_field(w, "asname", m->names[i].asname);
        close_node(w);
    }
    close_list(w);
}

static void with(writer *w, const nkx_with *s)
{
    field(w, "items");
    open_list(w);
    for (uint32_t i = 0; i < s->n_items; i++) {
        separate(w, i);
        open_node(w, "withitem", NULL);
        node_field(w, "context_expr", s->items[i].context);
        node_field(w, "optional_vars", s->items[i].target);
        close_node(w);
    }
    close_list(w);
    block_field(w, "body", &s->body);
}

static void handlers(writer *w, const nkx_try *t)
{
    if (w->is_json) {
        field(w, "handlers");
        open_list(w);
    }
    for (uint32_t i = 0; i < t->n_handlers; i++) {
        if (!w->is_json) nkx_buf_printf(w->out, "\n%*s", (int)w->indent * 2 + 2, "");
        w->indent++;
        open_node(w, "ExceptHandler", &t->handlers[i].span);
        node_field(w, "type", t->handlers[i].type);
        name_field(w, "name", t->handlers[i].name);
        block_field(w, "body", &t->handlers[i].body);
        close_node(w);
        w->indent--;
    }
    if (w->is_json) close_list(w);
}

static void names(writer *w, const nkx_names_stmt *s)
{
    field(w, "names");
    open_list(w);
    for (uint32_t i = 0; i < s->n; i++) {
        separate(w, i);
        name(w, s->names[i]);
    }
    close_list(w);
}

/* ---- the walk ---- */

#define AS(T) ((const T *)(const void *)n)

static void expression(writer *w, const nkx_node *n)
{
    switch ((nkx_kind)n->kind) {
    case NKX_BOOL_OP:
        op_field(w, AS(nkx_bool_op)->op);
        nodes_field(w, "values", &AS(nkx_bool_op)->values);
        break;
    case NKX_NAMED_EXPR:
        node_field(w, "target", AS(nkx_named_expr)->target);
        node_field(w, "value", AS(nkx_named_expr)->value);
        break;
    case NKX_BIN_OP:
        node_field(w, "left", AS(nkx_bin_op)->left);
        op_field(w, AS(nkx_bin_op)->op);
        node_field(w, "right", AS(nkx_bin_op)->right);
        break;
    case NKX_UNARY_OP:
        op_field(w, AS(nkx_unary_op)->op);
        node_field(w, "operand", AS(nkx_unary_op)->operand);
        break;
    case NKX_LAMBDA:
        arguments(w, &AS(nkx_lambda)->params);
        node_field(w, "body", AS(nkx_lambda)->body);
        break;
    case NKX_IF_EXP:
        node_field(w, "test", AS(nkx_if_exp)->test);
        node_field(w, "body", AS(nkx_if_exp)->body);
        node_field(w, "orelse", AS(nkx_if_exp)->orelse);
        break;
    case NKX_DICT:
        nodes_field(w, "keys", &AS(nkx_dict_node)->keys);
        nodes_field(w, "values", &AS(nkx_dict_node)->values);
        break;
    case NKX_SET: nodes_field(w, "elts", &AS(nkx_seq)->elts); break;
    case NKX_AWAIT:
    case NKX_YIELD:
    case NKX_YIELD_FROM: node_field(w, "value", AS(nkx_yield)->value); break;
    case NKX_COMPARE: compare(w, AS(nkx_compare)); break;
    case NKX_CALL:
        node_field(w, "func", AS(nkx_call_node)->func);
        nodes_field(w, "args", &AS(nkx_call_node)->args);
        keywords_field(w, AS(nkx_call_node)->keywords, AS(nkx_call_node)->n_keywords);
        break;
    case NKX_JOINED_STR: nodes_field(w, "values", &AS(nkx_joined)->values); break;
    case NKX_ATTRIBUTE:
        node_field(w, "value", AS(nkx_attribute)->value);
        name_field(w, "attr", AS(nkx_attribute)->attr);
        ctx_field(w, AS(nkx_attribute)->ctx);
        break;
    case NKX_SUBSCRIPT:
        node_field(w, "value", AS(nkx_subscript)->value);
        node_field(w, "slice", AS(nkx_subscript)->slice);
        ctx_field(w, AS(nkx_subscript)->ctx);
        break;
    case NKX_STARRED:
        node_field(w, "value", AS(nkx_starred)->value);
        ctx_field(w, AS(nkx_starred)->ctx);
        break;
    case NKX_NAME:
        name_field(w, "id", AS(nkx_name_node)->id);
        ctx_field(w, AS(nkx_name_node)->ctx);
        break;
    case NKX_LIST:
    case NKX_TUPLE:
        nodes_field(w, "elts", &AS(nkx_seq)->elts);
        ctx_field(w, AS(nkx_seq)->ctx);
        break;
    case NKX_SLICE:
        node_field(w, "lower", AS(nkx_slice_node)->lower);
        node_field(w, "upper", AS(nkx_slice_node)->upper);
        node_field(w, "step", AS(nkx_slice_node)->step);
        break;
    default: break;
    }
}

static void statement(writer *w, const nkx_node *n)
{
    switch ((nkx_kind)n->kind) {
    case NKX_FUNCTION_DEF: function_def(w, AS(nkx_function_def)); break;
    case NKX_CLASS_DEF: class_def(w, AS(nkx_class_def)); break;
    case NKX_RETURN:
    case NKX_EXPR_STMT: node_field(w, "value", AS(nkx_value_stmt)->value); break;
    case NKX_DELETE: nodes_field(w, "targets", &AS(nkx_delete)->targets); break;
    case NKX_ASSIGN:
        nodes_field(w, "targets", &AS(nkx_assign)->targets);
        node_field(w, "value", AS(nkx_assign)->value);
        break;
    case NKX_AUG_ASSIGN:
        node_field(w, "target", AS(nkx_aug_assign)->target);
        op_field(w, AS(nkx_aug_assign)->op);
        node_field(w, "value", AS(nkx_aug_assign)->value);
        break;
    case NKX_ANN_ASSIGN:
        node_field(w, "target", AS(nkx_ann_assign)->target);
        node_field(w, "annotation", AS(nkx_ann_assign)->annotation);
        node_field(w, "value", AS(nkx_ann_assign)->value);
        field(w, "simple");
        integer(w, AS(nkx_ann_assign)->simple);
        break;
    case NKX_FOR:
        node_field(w, "target", AS(nkx_for)->target);
        node_field(w, "iter", AS(nkx_for)->iter);
        block_field(w, "body", &AS(nkx_for)->body);
        block_field(w, "orelse", &AS(nkx_for)->orelse);
        break;
    case NKX_WHILE:
    case NKX_IF:
        node_field(w, "test", AS(nkx_if)->test);
        block_field(w, "body", &AS(nkx_if)->body);
        block_field(w, "orelse", &AS(nkx_if)->orelse);
        break;
    case NKX_WITH: with(w, AS(nkx_with)); break;
    case NKX_RAISE:
        node_field(w, "exc", AS(nkx_raise_node)->exc);
        node_field(w, "cause", AS(nkx_raise_node)->cause);
        break;
    case NKX_TRY:
        block_field(w, "body", &AS(nkx_try)->body);
        handlers(w, AS(nkx_try));
        block_field(w, "orelse", &AS(nkx_try)->orelse);
        block_field(w, "finalbody", &AS(nkx_try)->finalbody);
        break;
    case NKX_ASSERT_STMT:
        node_field(w, "test", AS(nkx_assert)->test);
        node_field(w, "msg", AS(nkx_assert)->msg);
        break;
    case NKX_IMPORT:
    case NKX_IMPORT_FROM: import(w, AS(nkx_import_node)); break;
    case NKX_GLOBAL:
    case NKX_NONLOCAL: names(w, AS(nkx_names_stmt)); break;
    case NKX_UNSUPPORTED_STMT:
        field(w, "what");
        text(w, AS(nkx_unsupported)->what, strlen(AS(nkx_unsupported)->what));
        break;
    default: break; /* pass, break, continue have no fields */
    }
}

static void node(writer *w, const nkx_node *n)
{
    switch ((nkx_kind)n->kind) {
    case NKX_CONSTANT: constant(w, AS(nkx_constant)); return;
    case NKX_FORMATTED: formatted(w, AS(nkx_formatted)); return;
    case NKX_COMPREHENSION: comprehension(w, AS(nkx_comprehension)); return;
    default: break;
    }
    const char *type = nkx_kind_name((nkx_kind)n->kind);
    if (n->kind == NKX_TRY && AS(nkx_try)->is_star) type = "TryStar";
    open_node(w, type, &n->span);
    if (n->kind < NKX_BOOL_OP) {
        statement(w, n);
    } else {
        expression(w, n);
    }
    close_node(w);
}

void nkx_ast_dump(const nkx_module_ast *m, nkx_buf *out)
{
    writer w = {.out = out, .source = m->source};
    open_node(&w, "Module", NULL);
    block_field(&w, "body", &m->body);
    close_node(&w);
    nkx_buf_char(out, '\n');
}

void nkx_ast_json(const nkx_module_ast *m, nkx_buf *out)
{
    writer w = {.json = {.out = out}, .is_json = true, .out = out, .source = m->source};
    index_lines(&w);
    open_node(&w, "Module", NULL);
    nodes_field(&w, "body", &m->body);
    close_node(&w);
    nkx_buf_char(out, '\n');
    nkx_vec_fini(&w.lines);
}
