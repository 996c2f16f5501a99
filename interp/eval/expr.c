/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions: one case a node kind. Locals, constants and 64-bit arithmetic are handled here
 * without a call; the rest is a call each. Layer eval.
 */
#include "interp/eval/walk.h"

#include <stdlib.h>

/* ---- names ---- */

static nkx_value unbound(nkx_frame *f, const nkx_name *name)
{
    nkx_raise(f->vm, NKX_E202, "UnboundLocalError",
              "cannot access local variable '%s' where it is not associated with a value",
              name->text);
    return NKX_UNSET;
}

static void suggest_name(nkx_frame *f, const nkx_name *name)
{
    NKX_VEC(const char *) near = {0};
    if (f->info != NULL) {
        for (uint32_t i = 0; i < f->info->n_slots; i++) {
            const nkx_name *s = f->info->slot_names[i];
            if (s != NULL && f->slots[i].type != NKX_V_UNSET) nkx_push(&near, s->text);
        }
    }
    const nkx_attrs *both[] = {&f->module->globals, &f->vm->builtins->globals, f->ns};
    for (int k = 0; k < 3; k++) {
        for (uint32_t i = 0; both[k] != NULL && i < both[k]->n; i++) {
            if (both[k]->values[i].type != NKX_V_UNSET) nkx_push(&near, both[k]->names[i]->text);
        }
    }
    const char *best = nkx_nearest(name->text, near.at, near.n);
    free((void *)near.at);
    if (best != NULL) nkx_raise_hint(f->vm, "Did you mean '%s'?", best);
}

static nkx_value undefined(nkx_frame *f, const nkx_name *name)
{
    nkx_raise(f->vm, NKX_E201, "NameError", "name '%s' is not defined", name->text);
    suggest_name(f, name);
    return NKX_UNSET;
}

static nkx_value free_unbound(nkx_frame *f, const nkx_name *name)
{
    nkx_raise(f->vm, NKX_E201, "NameError",
              "cannot access free variable '%s' where it is not associated with a value in "
              "enclosing scope",
              name->text);
    return NKX_UNSET;
}

static nkx_value class_name(nkx_frame *f, const nkx_name *name)
{
    nkx_value v = f->ns == NULL ? NKX_UNSET : nkx_attrs_get(f->ns, name);
    if (v.type == NKX_V_UNSET) v = nkx_attrs_get(&f->module->globals, name);
    if (v.type == NKX_V_UNSET) v = nkx_attrs_get(&f->vm->builtins->globals, name);
    return v.type == NKX_V_UNSET ? undefined(f, name) : nkx_ref(v);
}

nkx_value nkx_eval_name(nkx_frame *f, const nkx_name_node *n)
{
    nkx_value v = NKX_UNSET;
    f->at = &n->base;
    switch ((nkx_scope)n->scope) {
    case NKX_SCOPE_LOCAL:
        v = f->slots[n->slot];
        return v.type == NKX_V_UNSET ? unbound(f, n->id) : nkx_ref(v);
    case NKX_SCOPE_CELL:
        v = NKX_AS(nkx_cell, f->slots[n->slot])->v;
        return v.type == NKX_V_UNSET ? unbound(f, n->id) : nkx_ref(v);
    case NKX_SCOPE_FREE:
        v = NKX_AS(nkx_cell, f->cells[n->slot])->v;
        return v.type == NKX_V_UNSET ? free_unbound(f, n->id) : nkx_ref(v);
    case NKX_SCOPE_GLOBAL:
        if (n->slot < f->module->globals.n) v = f->module->globals.values[n->slot];
        if (v.type == NKX_V_UNSET && n->slot < f->module->n_fallback) {
            v = f->module->fallback[n->slot];
        }
        return v.type == NKX_V_UNSET ? undefined(f, n->id) : nkx_ref(v);
    case NKX_SCOPE_CLASS:
    case NKX_SCOPE_UNRESOLVED: return class_name(f, n->id);
    }
    return undefined(f, n->id);
}

/* ---- operators ---- */

static nkx_value binary_slow(nkx_frame *f, const nkx_bin_op *n, nkx_value a, nkx_value b)
{
    nkx_value out = NKX_UNSET;
    f->at = &n->base;
    bool ok = nkx_binary(f->vm, n->op, a, b, &out);
    if (!ok && (a.type > NKX_V_INT || b.type > NKX_V_INT)) nkx_wide_end(f->vm);
    nkx_drop(a);
    nkx_drop(b);
    return ok ? out : NKX_UNSET;
}

static nkx_value eval_binary(nkx_frame *f, const nkx_bin_op *n)
{
    nkx_value a = nkx_eval(f, n->left);
    if (a.type == NKX_V_UNSET) return nkx_wide_left(f, n);
    nkx_value b = nkx_eval(f, n->right);
    if (b.type == NKX_V_UNSET) {
        b = nkx_wide_right(f, n, a);
        nkx_drop(a);
        return b;
    }
    if (a.type == NKX_V_INT && b.type == NKX_V_INT) {
        int64_t r;
        if (n->op == NKX_OP_ADD && !__builtin_add_overflow(a.u.i, b.u.i, &r)) return nkx_int(r);
        if (n->op == NKX_OP_SUB && !__builtin_sub_overflow(a.u.i, b.u.i, &r)) return nkx_int(r);
        if (n->op == NKX_OP_MULT && !__builtin_mul_overflow(a.u.i, b.u.i, &r)) return nkx_int(r);
        if (a.u.i >= 0 && b.u.i > 0) {
            if (n->op == NKX_OP_FLOORDIV) return nkx_int(a.u.i / b.u.i);
            if (n->op == NKX_OP_MOD) return nkx_int(a.u.i % b.u.i);
        }
    }
    return binary_slow(f, n, a, b);
}

static nkx_value eval_unary(nkx_frame *f, const nkx_unary_op *n)
{
    if (n->op == NKX_OP_NOT) {
        bool b;
        return nkx_eval_truth(f, n->operand, &b) ? nkx_bool(!b) : NKX_UNSET;
    }
    nkx_value a = nkx_eval(f, n->operand), out = NKX_UNSET;
    if (a.type == NKX_V_UNSET) return nkx_wide_unary(f, n);
    f->at = &n->base;
    bool ok = nkx_unary(f->vm, n->op, a, &out);
    if (!ok && a.type > NKX_V_INT) nkx_wide_end(f->vm);
    nkx_drop(a);
    return ok ? out : NKX_UNSET;
}

static nkx_value eval_bool_op(nkx_frame *f, const nkx_bool_op *n)
{
    for (uint32_t i = 0;; i++) {
        nkx_value v = nkx_eval(f, n->values.at[i]);
        if (v.type == NKX_V_UNSET || i + 1 == n->values.n) return v;
        bool b;
        f->at = n->values.at[i];
        if (!nkx_truth(f->vm, v, &b)) {
            nkx_drop(v);
            return NKX_UNSET;
        }
        if (b == (n->op == NKX_OP_OR)) return v;
        nkx_drop(v);
    }
}

static inline bool compare_ints(int op, int64_t a, int64_t b, bool *out)
{
    switch (op) {
    case NKX_OP_LT: *out = a < b; return true;
    case NKX_OP_LTE: *out = a <= b; return true;
    case NKX_OP_GT: *out = a > b; return true;
    case NKX_OP_GTE: *out = a >= b; return true;
    case NKX_OP_EQ: *out = a == b; return true;
    case NKX_OP_NOTEQ: *out = a != b; return true;
    default: return false;
    }
}

/* a OP b, borrowed; UNSET after an exception. */
static nkx_value compare_two(nkx_frame *f, const nkx_node *at, int op, nkx_value a, nkx_value b)
{
    bool r;
    nkx_value out = NKX_UNSET;
    if (a.type == NKX_V_INT && b.type == NKX_V_INT && compare_ints(op, a.u.i, b.u.i, &r)) {
        return nkx_bool(r);
    }
    f->at = at;
    return nkx_compare_values(f->vm, op, a, b, &out) ? out : NKX_UNSET;
}

static nkx_value eval_compare(nkx_frame *f, const nkx_compare *n)
{
    nkx_value a = nkx_eval(f, n->left);
    if (a.type == NKX_V_UNSET) return nkx_wide_compare(f, n, 0, a);
    for (uint32_t i = 0;; i++) {
        nkx_value b = nkx_eval(f, n->rights.at[i]);
        if (b.type == NKX_V_UNSET) return nkx_wide_compare(f, n, i, a);
        nkx_value r = compare_two(f, &n->base, n->ops[i], a, b);
        nkx_drop(a);
        a = b;
        bool last = i + 1 == n->rights.n, goes_on = false;
        if (r.type != NKX_V_UNSET && !last && !nkx_truth(f->vm, r, &goes_on)) {
            nkx_drop(r);
            r = NKX_UNSET;
        }
        if (last || !goes_on) {
            nkx_drop(a);
            return r;
        }
        nkx_drop(r);
    }
}

bool nkx_eval_truth(nkx_frame *f, const nkx_node *n, bool *out)
{
    nkx_value v = nkx_eval(f, n);
    if (v.type == NKX_V_BOOL) {
        *out = v.u.i != 0;
        return true;
    }
    if (v.type == NKX_V_UNSET) return false;
    f->at = n;
    bool ok = nkx_truth(f->vm, v, out);
    nkx_drop(v);
    return ok;
}

static nkx_value eval_if_exp(nkx_frame *f, const nkx_if_exp *n)
{
    bool b;
    if (!nkx_eval_truth(f, n->test, &b)) return NKX_UNSET;
    return nkx_eval(f, b ? n->body : n->orelse);
}

static nkx_value eval_named(nkx_frame *f, const nkx_named_expr *n)
{
    nkx_value v = nkx_eval(f, n->value);
    if (v.type == NKX_V_UNSET) return v;
    if (nkx_assign_to(f, n->target, v)) return v;
    nkx_drop(v);
    return NKX_UNSET;
}

static nkx_value refuse(nkx_frame *f, const nkx_node *n, const char *what)
{
    f->at = n;
    nkx_raise(f->vm, NKX_E227, "SyntaxError", "%s is not supported", what);
    return NKX_UNSET;
}

/* The C stack is looked at by whatever can nest. */
static inline bool room(nkx_frame *f, const nkx_node *n)
{
    if (NKX_LIKELY((char *)__builtin_frame_address(0) > f->vm->c_limit)) return true;
    f->at = n;
    return nkx_stack_check(f->vm);
}

nkx_value nkx_eval_nested(nkx_frame *f, const nkx_node *n)
{
    if (!room(f, n)) return NKX_UNSET;
    switch ((nkx_kind)n->kind) {
    case NKX_BIN_OP: return eval_binary(f, NKX_NODE(nkx_bin_op, n));
    case NKX_CALL: return nkx_eval_call(f, NKX_NODE(nkx_call_node, n));
    case NKX_ATTRIBUTE: return nkx_eval_attribute(f, NKX_NODE(nkx_attribute, n));
    case NKX_SUBSCRIPT: return nkx_eval_subscript(f, NKX_NODE(nkx_subscript, n));
    case NKX_COMPARE: return eval_compare(f, NKX_NODE(nkx_compare, n));
    case NKX_BOOL_OP: return eval_bool_op(f, NKX_NODE(nkx_bool_op, n));
    case NKX_UNARY_OP: return eval_unary(f, NKX_NODE(nkx_unary_op, n));
    case NKX_IF_EXP: return eval_if_exp(f, NKX_NODE(nkx_if_exp, n));
    case NKX_LIST:
    case NKX_TUPLE:
    case NKX_SET: return nkx_eval_sequence(f, NKX_NODE(nkx_seq, n));
    case NKX_DICT: return nkx_eval_dict(f, NKX_NODE(nkx_dict_node, n));
    case NKX_JOINED_STR: return nkx_eval_joined(f, NKX_NODE(nkx_joined, n));
    case NKX_FORMATTED: return nkx_eval_formatted(f, NKX_NODE(nkx_formatted, n));
    case NKX_COMPREHENSION: return nkx_eval_comprehension(f, NKX_NODE(nkx_comprehension, n));
    case NKX_LAMBDA: return nkx_make_function(f, n);
    case NKX_NAMED_EXPR: return eval_named(f, NKX_NODE(nkx_named_expr, n));
    case NKX_SLICE: return nkx_eval_key(f, n);
    case NKX_AWAIT: return refuse(f, n, "'await'");
    case NKX_YIELD:
    case NKX_YIELD_FROM: return refuse(f, n, "'yield'");
    case NKX_STARRED: return refuse(f, n, "a starred expression here");
    case NKX_NAME: return nkx_eval_name(f, NKX_NODE(nkx_name_node, n));
    case NKX_CONSTANT: return nkx_eval_constant(f, NKX_NODE(nkx_constant, n));
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
    case NKX_N_KINDS: break;
    }
    nkx_unreachable();
}
