/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the device language on one function: a walk over its tree. Layer eval. */
#include "interp/eval/rules.h"

#include <string.h>

static void expr(nkx_rules *r, const nkx_node *n);
static void body(nkx_rules *r, const nkx_nodes *b);

static void exprs(nkx_rules *r, const nkx_nodes *l)
{
    for (uint32_t i = 0; i < l->n; i++) expr(r, l->at[i]);
}

/* ---- what names lead to, as far as it is known without running ---- */

static nkx_value static_value(const nkx_rules *r, const nkx_node *n)
{
    if (n->kind == NKX_NAME) {
        const nkx_name_node *name = NKX_NODE(nkx_name_node, n);
        const nkx_module_obj *m = r->fn->module;
        if (name->scope == NKX_SCOPE_GLOBAL && name->slot < m->globals.n) {
            return m->globals.values[name->slot];
        }
        if (name->scope == NKX_SCOPE_FREE && r->nested == NULL && r->fn->cells != NULL &&
            name->slot < r->fn->info->n_free) {
            return NKX_AS(nkx_cell, r->fn->cells[name->slot])->v;
        }
        return NKX_UNSET;
    }
    if (n->kind != NKX_ATTRIBUTE) return NKX_UNSET;
    const nkx_attribute *a = NKX_NODE(nkx_attribute, n);
    nkx_value v = static_value(r, a->value);
    if (v.type == NKX_V_MODULE) return nkx_attrs_get(&NKX_AS(nkx_module_obj, v)->globals, a->attr);
    if (v.type == NKX_V_CLASS) return nkx_class_lookup(NKX_AS(nkx_class, v), a->attr);
    return NKX_UNSET;
}

static const nkx_name *last_name(const nkx_node *n)
{
    if (n->kind == NKX_NAME) return NKX_NODE(nkx_name_node, n)->id;
    if (n->kind == NKX_ATTRIBUTE) return NKX_NODE(nkx_attribute, n)->attr;
    return NULL;
}

static bool called(const nkx_node *n, const char *name)
{
    if (n->kind != NKX_CALL) return false;
    const nkx_name *last = last_name(NKX_NODE(nkx_call_node, n)->func);
    return last != NULL && strcmp(last->text, name) == 0;
}

static bool is_none(const nkx_node *n)
{
    return n->kind == NKX_CONSTANT && NKX_NODE(nkx_constant, n)->what == NKX_CONST_NONE;
}

/* ---- expressions ---- */

static void constant(nkx_rules *r, const nkx_constant *c)
{
    switch (c->what) {
    case NKX_CONST_INT:
        if (c->i <= INT32_MAX) return;
        nkx_rules_add(r, NKX_E824, c->base.span, "The compiler's integers have 32 bits.",
                      "the integer %lld does not fit in 32 bits: the limit is 2147483647",
                      (long long)c->i);
        return;
    case NKX_CONST_BYTES:
        nkx_rules_add(r, NKX_E815, c->base.span, "Use a string.", "a bytes literal in device code");
        return;
    case NKX_CONST_IMAG:
        nkx_rules_add(r, NKX_E815, c->base.span, "Use two floats.",
                      "a complex literal in device code");
        return;
    case NKX_CONST_BIGINT:
    case NKX_CONST_NONE:
    case NKX_CONST_TRUE:
    case NKX_CONST_FALSE:
    case NKX_CONST_ELLIPSIS:
    case NKX_CONST_FLOAT:
    case NKX_CONST_STR: return;
    }
}

static void compare(nkx_rules *r, const nkx_compare *c)
{
    const nkx_node *left = c->left;
    expr(r, left);
    for (uint32_t i = 0; i < c->rights.n; i++) {
        const nkx_node *right = c->rights.at[i];
        bool is = c->ops[i] == NKX_OP_IS || c->ops[i] == NKX_OP_ISNOT;
        if (is && !is_none(left) && !is_none(right)) {
            bool not_op = c->ops[i] == NKX_OP_ISNOT;
            nkx_rules_add(r, NKX_E820, c->base.span, not_op ? "Use !=." : "Use ==.",
                          "'%s' compares with something that is not None",
                          not_op ? "is not" : "is");
        }
        expr(r, right);
        left = right;
    }
}

static bool is_old_namespace(const nkx_rules *r, const nkx_node *func)
{
    nkx_value v = static_value(r, func);
    if (v.type == NKX_V_UNSET && func->kind == NKX_ATTRIBUTE) {
        v = static_value(r, NKX_NODE(nkx_attribute, func)->value);
    }
    if (nkx_is_placeholder(v)) return strncmp(nkx_placeholder_path(v), "neuronxcc", 9) == 0;
    if (v.type == NKX_V_MODULE) {
        return strncmp(NKX_AS(nkx_module_obj, v)->name->text, "neuronxcc", 9) == 0;
    }
    return false;
}

static void call(nkx_rules *r, const nkx_call_node *c)
{
    if (c->has_star) {
        nkx_rules_add(r, NKX_E816, c->base.span, "Pass the arguments one by one.",
                      "a call with *args or **kwargs in device code");
    }
    if (is_old_namespace(r, c->func)) {
        nkx_rules_add(r, NKX_E831, c->func->span, "Import nki, nki.language and nki.isa instead.",
                      "a call of the old neuronxcc.nki namespace in a kernel");
    }
    expr(r, c->func);
    exprs(r, &c->args);
    for (uint32_t i = 0; i < c->n_keywords; i++) expr(r, c->keywords[i].value);
}

static void dict(nkx_rules *r, const nkx_dict_node *d)
{
    for (uint32_t i = 0; i < d->values.n; i++) {
        const nkx_node *key = d->keys.at[i];
        bool is_text = key != NULL && key->kind == NKX_CONSTANT &&
                       NKX_NODE(nkx_constant, key)->what == NKX_CONST_STR;
        if (!is_text) {
            nkx_rules_add(r, NKX_E823, key == NULL ? d->values.at[i]->span : key->span,
                          "Keys of dicts in device code are string literals.",
                          "a dict key that is no string literal");
        }
        if (key != NULL) expr(r, key);
        expr(r, d->values.at[i]);
    }
}

static void comprehension(nkx_rules *r, const nkx_comprehension *c)
{
    static const char *const what[] = {"list comprehension", "set comprehension",
                                       "dict comprehension", "generator expression"};
    nkx_rules_add(r, NKX_E803, c->base.span, "Write a loop with append.", "a %s in device code",
                  what[c->what]);
    expr(r, c->elt);
    if (c->value != NULL) expr(r, c->value);
    for (uint32_t i = 0; i < c->n_fors; i++) {
        expr(r, c->fors[i].iter);
        exprs(r, &c->fors[i].ifs);
    }
}

static void formatted(nkx_rules *r, const nkx_formatted *f)
{
    expr(r, f->value);
    if (f->spec != NULL) {
        nkx_rules_add(r, NKX_E822, f->base.span, "Leave the specification out.",
                      "a format specification, which device builds do not support");
    }
}

static void name(nkx_rules *r, const nkx_node *n)
{
    nkx_rules_reach(r, static_value(r, n));
}

static void attribute(nkx_rules *r, const nkx_attribute *a)
{
    nkx_rules_use(r, a->attr);
    nkx_rules_reach(r, static_value(r, &a->base));
    expr(r, a->value);
}

static void slice(nkx_rules *r, const nkx_slice_node *s)
{
    if (s->lower != NULL) expr(r, s->lower);
    if (s->upper != NULL) expr(r, s->upper);
    if (s->step != NULL) expr(r, s->step);
}

static void binary(nkx_rules *r, const nkx_bin_op *b)
{
    if (b->op == NKX_OP_MATMULT) {
        nkx_rules_add(r, NKX_E821, b->base.span, "Use nl.matmul or nisa.nc_matmul.",
                      "the operator @ in device code");
    }
    expr(r, b->left);
    expr(r, b->right);
}

static void expr(nkx_rules *r, const nkx_node *n)
{
    switch ((nkx_kind)n->kind) {
    case NKX_NAME: name(r, n); return;
    case NKX_CONSTANT: constant(r, NKX_NODE(nkx_constant, n)); return;
    case NKX_ATTRIBUTE: attribute(r, NKX_NODE(nkx_attribute, n)); return;
    case NKX_CALL: call(r, NKX_NODE(nkx_call_node, n)); return;
    case NKX_BIN_OP: binary(r, NKX_NODE(nkx_bin_op, n)); return;
    case NKX_UNARY_OP: expr(r, NKX_NODE(nkx_unary_op, n)->operand); return;
    case NKX_BOOL_OP: exprs(r, &NKX_NODE(nkx_bool_op, n)->values); return;
    case NKX_COMPARE: compare(r, NKX_NODE(nkx_compare, n)); return;
    case NKX_SUBSCRIPT:
        expr(r, NKX_NODE(nkx_subscript, n)->value);
        expr(r, NKX_NODE(nkx_subscript, n)->slice);
        return;
    case NKX_SLICE: slice(r, NKX_NODE(nkx_slice_node, n)); return;
    case NKX_IF_EXP:
        expr(r, NKX_NODE(nkx_if_exp, n)->test);
        expr(r, NKX_NODE(nkx_if_exp, n)->body);
        expr(r, NKX_NODE(nkx_if_exp, n)->orelse);
        return;
    case NKX_LIST:
    case NKX_TUPLE: exprs(r, &NKX_NODE(nkx_seq, n)->elts); return;
    case NKX_SET:
        nkx_rules_add(r, NKX_E814, n->span, "Use a tuple or a list.", "a set in device code");
        exprs(r, &NKX_NODE(nkx_seq, n)->elts);
        return;
    case NKX_DICT: dict(r, NKX_NODE(nkx_dict_node, n)); return;
    case NKX_JOINED_STR: exprs(r, &NKX_NODE(nkx_joined, n)->values); return;
    case NKX_FORMATTED: formatted(r, NKX_NODE(nkx_formatted, n)); return;
    case NKX_STARRED: expr(r, NKX_NODE(nkx_starred, n)->value); return;
    case NKX_COMPREHENSION: comprehension(r, NKX_NODE(nkx_comprehension, n)); return;
    case NKX_LAMBDA:
        nkx_rules_add(r, NKX_E802, n->span, "Define a named function at module level.",
                      "a lambda in device code");
        expr(r, NKX_NODE(nkx_lambda, n)->body);
        return;
    case NKX_NAMED_EXPR:
        nkx_rules_add(r, NKX_E813, n->span, "Assign in a statement of its own.",
                      "an assignment expression in device code");
        expr(r, NKX_NODE(nkx_named_expr, n)->value);
        return;
    case NKX_YIELD:
    case NKX_YIELD_FROM:
    case NKX_AWAIT:
        nkx_rules_add(r, NKX_E804, n->span, "Collect the values in a list and return it.",
                      "a yield in device code");
        return;
    case NKX_FUNCTION_DEF:
    case NKX_CLASS_DEF:
    case NKX_RETURN:
    case NKX_DELETE:
    case NKX_ASSIGN:
    case NKX_AUG_ASSIGN:
    case NKX_ANN_ASSIGN:
    case NKX_FOR:
    case NKX_WHILE:
    case NKX_IF:
    case NKX_WITH:
    case NKX_RAISE:
    case NKX_TRY:
    case NKX_ASSERT_STMT:
    case NKX_IMPORT:
    case NKX_IMPORT_FROM:
    case NKX_GLOBAL:
    case NKX_NONLOCAL:
    case NKX_EXPR_STMT:
    case NKX_PASS:
    case NKX_BREAK:
    case NKX_CONTINUE:
    case NKX_UNSUPPORTED_STMT:
    case NKX_N_KINDS: return;
    }
}

/* ---- statements ---- */

static void target(nkx_rules *r, const nkx_node *t, bool unpacking)
{
    if (t->kind == NKX_TUPLE || t->kind == NKX_LIST) {
        const nkx_nodes *l = &NKX_NODE(nkx_seq, t)->elts;
        for (uint32_t i = 0; i < l->n; i++) target(r, l->at[i], true);
        return;
    }
    if (t->kind == NKX_STARRED) {
        target(r, NKX_NODE(nkx_starred, t)->value, true);
        return;
    }
    if (t->kind == NKX_NAME) return;
    if (unpacking) {
        nkx_rules_add(r, NKX_E828, t->span, "Unpack into names, then assign.", "unpacking into %s",
                      t->kind == NKX_ATTRIBUTE ? "an attribute" : "an item");
    }
    expr(r, t);
}

static void loop_else(nkx_rules *r, const nkx_nodes *orelse, const char *what)
{
    if (orelse->n == 0) return;
    nkx_rules_add(r, NKX_E812, orelse->at[0]->span, "Put the statements behind the loop.",
                  "an else clause of a %s loop in device code", what);
    body(r, orelse);
}

static void for_loop(nkx_rules *r, const nkx_for *s)
{
    if (s->target->kind != NKX_NAME) {
        nkx_rules_add(r, NKX_E811, s->target->span, "Loop over one name and unpack in the body.",
                      "a loop target that is not one name");
    }
    expr(r, s->iter);
    bool dynamic = called(s->iter, "dynamic_range");
    uint32_t loops = r->loops;
    if (dynamic) {
        r->dynamic++;
        r->loops = 0;
    } else {
        r->loops++;
    }
    body(r, &s->body);
    if (dynamic) r->dynamic--;
    r->loops = loops;
    loop_else(r, &s->orelse, "for");
}

static void while_loop(nkx_rules *r, const nkx_if *s)
{
    expr(r, s->test);
    r->loops++;
    body(r, &s->body);
    r->loops--;
    loop_else(r, &s->orelse, "while");
}

static void leave_loop(nkx_rules *r, const nkx_node *n, const char *what)
{
    nkx_rules_add(r, NKX_E830, n->span,
                  "End the loop by its bounds, or use nl.while_loop with a register.",
                  "'%s' inside a dynamic loop", what);
}

static bool is_no_reorder(const nkx_node *n)
{
    return called(n, "no_reorder") && NKX_NODE(nkx_call_node, n)->args.n == 0 &&
           NKX_NODE(nkx_call_node, n)->n_keywords == 0;
}

static void with(nkx_rules *r, const nkx_with *s)
{
    bool fine = s->n_items == 1 && s->items[0].target == NULL && is_no_reorder(s->items[0].context);
    if (!fine) {
        nkx_rules_add(r, NKX_E810, s->items[0].context->span,
                      "Only `with nl.no_reorder():` is known to the compiler.",
                      "a with statement that is not nl.no_reorder()");
    }
    for (uint32_t i = 0; i < s->n_items; i++) expr(r, s->items[i].context);
    body(r, &s->body);
}

static void try_statement(nkx_rules *r, const nkx_try *s)
{
    nkx_rules_add(r, NKX_E806,
                  (nkx_span){s->base.span.source, s->base.span.begin, s->base.span.begin + 3},
                  "Decide with if and else, and use assert condition, message.",
                  "a try statement in device code");
    body(r, &s->body);
    for (uint32_t i = 0; i < s->n_handlers; i++) body(r, &s->handlers[i].body);
    body(r, &s->orelse);
    body(r, &s->finalbody);
}

static void params(nkx_rules *r, const nkx_params *p)
{
    if (p->vararg != NULL) {
        nkx_rules_add(r, NKX_E817, p->vararg->span, "List the parameters, or take a tuple.",
                      "a *%s parameter in device code", p->vararg->name->text);
    } else if (p->n_kwonly > 0) {
        nkx_rules_add(r, NKX_E819, p->at[p->n_pos].span,
                      "Put parameters with defaults last, without the *.",
                      "'%s' is a keyword-only parameter, which NKI does not support since 0.3",
                      p->at[p->n_pos].name->text);
    }
    if (p->kwarg != NULL) {
        nkx_rules_add(r, NKX_E818, p->kwarg->span, "List the parameters.",
                      "a **%s parameter in device code", p->kwarg->name->text);
    }
    for (uint32_t i = 0; i < p->n_pos + p->n_kwonly; i++) {
        if (p->at[i].dflt != NULL) expr(r, p->at[i].dflt);
    }
}

static void nested(nkx_rules *r, const nkx_function_def *d)
{
    if (r->vm->o.nki_minor < 6) {
        nkx_rules_add(r, NKX_E829, d->name_span, "Move the function to module level.",
                      "'%s' is a function inside a function, which NKI refuses before 0.6",
                      d->name->text);
    }
    params(r, &d->params);
    uint32_t dynamic = r->dynamic, loops = r->loops;
    const nkx_nodes *outer = r->nested;
    r->dynamic = r->loops = 0;
    r->nested = &d->body;
    body(r, &d->body);
    r->dynamic = dynamic;
    r->loops = loops;
    r->nested = outer;
}

static void assign(nkx_rules *r, const nkx_assign *s)
{
    expr(r, s->value);
    for (uint32_t i = 0; i < s->targets.n; i++) target(r, s->targets.at[i], false);
}

static void refuse_scope(nkx_rules *r, const nkx_node *s)
{
    nkx_rules_add(r, NKX_E808, s->span,
                  "Return the value, or assign a field of an object that is passed.",
                  "'%s' in device code: a kernel cannot assign outside its scope",
                  s->kind == NKX_GLOBAL ? "global" : "nonlocal");
}

static void statement(nkx_rules *r, const nkx_node *s)
{
    switch ((nkx_kind)s->kind) {
    case NKX_EXPR_STMT:
        if (NKX_NODE(nkx_value_stmt, s)->value->kind != NKX_CONSTANT) {
            expr(r, NKX_NODE(nkx_value_stmt, s)->value);
        }
        return;
    case NKX_ASSIGN: assign(r, NKX_NODE(nkx_assign, s)); return;
    case NKX_AUG_ASSIGN:
        expr(r, NKX_NODE(nkx_aug_assign, s)->value);
        target(r, NKX_NODE(nkx_aug_assign, s)->target, false);
        if (NKX_NODE(nkx_aug_assign, s)->op == NKX_OP_MATMULT) {
            nkx_rules_add(r, NKX_E821, s->span, "Use nl.matmul or nisa.nc_matmul.",
                          "the operator @= in device code");
        }
        return;
    case NKX_ANN_ASSIGN:
        if (NKX_NODE(nkx_ann_assign, s)->value != NULL) expr(r, NKX_NODE(nkx_ann_assign, s)->value);
        target(r, NKX_NODE(nkx_ann_assign, s)->target, false);
        return;
    case NKX_RETURN:
        if (NKX_NODE(nkx_value_stmt, s)->value != NULL) expr(r, NKX_NODE(nkx_value_stmt, s)->value);
        if (r->dynamic > 0) leave_loop(r, s, "return");
        return;
    case NKX_BREAK:
        if (r->dynamic > 0 && r->loops == 0) leave_loop(r, s, "break");
        return;
    case NKX_CONTINUE:
        if (r->dynamic > 0 && r->loops == 0) leave_loop(r, s, "continue");
        return;
    case NKX_FOR: for_loop(r, NKX_NODE(nkx_for, s)); return;
    case NKX_WHILE: while_loop(r, NKX_NODE(nkx_if, s)); return;
    case NKX_IF:
        expr(r, NKX_NODE(nkx_if, s)->test);
        body(r, &NKX_NODE(nkx_if, s)->body);
        body(r, &NKX_NODE(nkx_if, s)->orelse);
        return;
    case NKX_WITH: with(r, NKX_NODE(nkx_with, s)); return;
    case NKX_TRY: try_statement(r, NKX_NODE(nkx_try, s)); return;
    case NKX_RAISE:
        nkx_rules_add(r, NKX_E807, s->span, "Use assert condition, message.",
                      "a raise statement in device code");
        return;
    case NKX_ASSERT_STMT:
        expr(r, NKX_NODE(nkx_assert, s)->test);
        if (NKX_NODE(nkx_assert, s)->msg != NULL) expr(r, NKX_NODE(nkx_assert, s)->msg);
        return;
    case NKX_DELETE:
        nkx_rules_add(r, NKX_E805, s->span, "Bind the name to something else.",
                      "a del statement in device code");
        return;
    case NKX_GLOBAL:
    case NKX_NONLOCAL: refuse_scope(r, s); return;
    case NKX_IMPORT:
    case NKX_IMPORT_FROM:
        nkx_rules_add(r, NKX_E809, s->span, "Move it to the top of the module.",
                      "an import inside a function of device code");
        return;
    case NKX_FUNCTION_DEF: nested(r, NKX_NODE(nkx_function_def, s)); return;
    case NKX_CLASS_DEF:
        nkx_rules_add(r, NKX_E801, NKX_NODE(nkx_class_def, s)->name_span,
                      "Move the class to module level.", "'%s' is a class inside a function",
                      NKX_NODE(nkx_class_def, s)->name->text);
        return;
    case NKX_PASS:
    case NKX_UNSUPPORTED_STMT:
    case NKX_BOOL_OP:
    case NKX_NAMED_EXPR:
    case NKX_BIN_OP:
    case NKX_UNARY_OP:
    case NKX_LAMBDA:
    case NKX_IF_EXP:
    case NKX_DICT:
    case NKX_SET:
    case NKX_COMPREHENSION:
    case NKX_AWAIT:
    case NKX_YIELD:
    case NKX_YIELD_FROM:
    case NKX_COMPARE:
    case NKX_CALL:
    case NKX_JOINED_STR:
    case NKX_FORMATTED:
    case NKX_CONSTANT:
    case NKX_ATTRIBUTE:
    case NKX_SUBSCRIPT:
    case NKX_STARRED:
    case NKX_NAME:
    case NKX_LIST:
    case NKX_TUPLE:
    case NKX_SLICE:
    case NKX_N_KINDS: return;
    }
}

static void body(nkx_rules *r, const nkx_nodes *b)
{
    for (uint32_t i = 0; i < b->n; i++) statement(r, b->at[i]);
}

/* ---- definitions ---- */

static bool listed(const nkx_name *n, const char *const *names, size_t count)
{
    for (size_t i = 0; n != NULL && i < count; i++) {
        if (strcmp(n->text, names[i]) == 0) return true;
    }
    return false;
}

static const nkx_name *decorator_name(const nkx_node *n)
{
    while (n->kind == NKX_CALL) n = NKX_NODE(nkx_call_node, n)->func;
    return last_name(n);
}

/* Of a function that a kernel calls. What decorates a kernel itself is the host's business. */
static void decorators(nkx_rules *r, const nkx_function_def *d)
{
    static const char *const kernels[] = {"jit",     "trace",   "baremetal", "benchmark",
                                          "profile", "nki_jit", "simulate"};
    static const char *const known[] = {"staticmethod",
                                        "classmethod",
                                        "property",
                                        "setter",
                                        "dataclass",
                                        "skip_middle_end_transformations",
                                        "enable_stack_allocator"};
    for (uint32_t i = 0; i < d->decorators.n; i++) {
        if (listed(decorator_name(d->decorators.at[i]), kernels, NKX_COUNT(kernels))) return;
    }
    for (uint32_t i = 0; i < d->decorators.n; i++) {
        const nkx_name *n = decorator_name(d->decorators.at[i]);
        if (listed(n, known, NKX_COUNT(known))) continue;
        nkx_rules_add(r, NKX_E825, d->decorators.at[i]->span,
                      "Functions of device code take nki.jit and staticmethod alone.",
                      "'%s' is decorated with '%s'", d->name->text,
                      n == NULL ? "an expression" : n->text);
    }
}

void nkx_rules_walk(nkx_rules *r, const nkx_function *fn)
{
    r->fn = fn;
    r->dynamic = r->loops = 0;
    r->nested = NULL;
    if (fn->node->kind == NKX_LAMBDA) {
        expr(r, NKX_NODE(nkx_lambda, fn->node)->body);
        return;
    }
    const nkx_function_def *d = NKX_NODE(nkx_function_def, fn->node);
    decorators(r, d);
    params(r, &d->params);
    body(r, &d->body);
}

static bool allowed_in_class(const nkx_node *s)
{
    switch (s->kind) {
    case NKX_ASSIGN:
    case NKX_ANN_ASSIGN:
    case NKX_FUNCTION_DEF:
    case NKX_PASS: return true;
    case NKX_EXPR_STMT: return NKX_NODE(nkx_value_stmt, s)->value->kind == NKX_CONSTANT;
    default: return false;
    }
}

void nkx_rules_class(nkx_rules *r, const nkx_class *c)
{
    const nkx_class_def *d = c->node;
    bool known = (c->flags & (NKX_CF_NKIOBJECT | NKX_CF_ENUM | NKX_CF_NAMEDTUPLE)) != 0;
    if (!known) {
        nkx_rules_add(r, NKX_E826, d->name_span, "Derive it from nl.NKIObject.",
                      "'%s' does not derive from NKIObject or Enum", d->name->text);
    } else if (c->super->node != NULL || c->n_extra > 0) {
        nkx_rules_add(r, NKX_E826, d->name_span, "Derive it from nl.NKIObject directly.",
                      "'%s' derives from another class than NKIObject or Enum", d->name->text);
    }
    if (d->n_keywords > 0) {
        nkx_rules_add(r, NKX_E827, d->keywords[0].span, NULL,
                      "a keyword in the class statement of '%s'", d->name->text);
    }
    for (uint32_t i = 0; i < d->body.n; i++) {
        if (allowed_in_class(d->body.at[i])) continue;
        nkx_rules_add(r, NKX_E827, d->body.at[i]->span,
                      "A class of device code holds fields, methods, a docstring and pass.",
                      "a statement in the body of '%s' that is no field and no method",
                      d->name->text);
    }
}
