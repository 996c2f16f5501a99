/* SPDX-License-Identifier: Apache-2.0 */
/* Statements: one case a node kind; loops. Layer eval. */
#include "interp/eval/walk.h"

/* ---- limits ---- */

enum { LOOK_EVERY = 1 << 16 };

bool nkx_step_slow(nkx_vm *vm)
{
    const nkx_limits *l = &vm->o.limits;
    if (vm->interrupted) {
        vm->interrupted = 0;
        return nkx_raise_fatal(vm, NKX_E226, "KeyboardInterrupt", "interrupted");
    }
    if (l->max_steps != 0 && vm->steps >= l->max_steps) {
        vm->step_stop = 0;
        return nkx_raise_fatal(vm, NKX_E225, "RuntimeError", "more than %llu steps",
                               (unsigned long long)l->max_steps);
    }
    if (l->max_bytes != 0 && vm->bytes > l->max_bytes) {
        return nkx_raise_fatal(vm, NKX_E250, "MemoryError",
                               "%llu bytes of host values pass the limit of %llu",
                               (unsigned long long)vm->bytes, (unsigned long long)l->max_bytes);
    }
    vm->step_stop = vm->steps + LOOK_EVERY;
    if (l->max_steps != 0 && vm->step_stop > l->max_steps) vm->step_stop = l->max_steps;
    return true;
}

/* ---- loops ---- */

static inline bool assign_loop_target(nkx_frame *f, const nkx_node *t, nkx_value take)
{
    if (t->kind == NKX_NAME && NKX_NODE(nkx_name_node, t)->scope == NKX_SCOPE_LOCAL) {
        nkx_value *to = &f->slots[NKX_NODE(nkx_name_node, t)->slot], old = *to;
        *to = take;
        nkx_drop(old);
        return true;
    }
    bool ok = nkx_assign_to(f, t, take);
    nkx_drop(take);
    return ok;
}

nkx_flow nkx_exec_for(nkx_frame *f, const nkx_for *s)
{
    nkx_value v = nkx_eval(f, s->iter), item;
    nkx_cursor c;
    nkx_flow flow = NKX_FLOW_NEXT;
    if (v.type == NKX_V_UNSET) return NKX_FLOW_FAIL;
    f->at = s->iter;
    if (!nkx_cursor_begin(f->vm, v, &c)) return NKX_FLOW_FAIL;
    for (;;) {
        f->at = s->iter;
        if (!nkx_step(f->vm) || !nkx_cursor_next(f->vm, &c, &item)) {
            flow = NKX_FLOW_FAIL;
            break;
        }
        if (item.type == NKX_V_UNSET) {
            flow = nkx_exec(f, &s->orelse);
            break;
        }
        if (!assign_loop_target(f, s->target, item)) {
            flow = NKX_FLOW_FAIL;
            break;
        }
        flow = nkx_exec(f, &s->body);
        if (flow == NKX_FLOW_NEXT || flow == NKX_FLOW_CONTINUE) continue;
        if (flow == NKX_FLOW_BREAK) flow = NKX_FLOW_NEXT;
        break;
    }
    nkx_cursor_end(&c);
    return flow;
}

/* `while reg:` is a device loop: the register decides. */
static bool while_test(nkx_frame *f, const nkx_node *test, int64_t i, bool *on)
{
    nkx_value v = nkx_eval(f, test);
    if (v.type == NKX_V_UNSET) return false;
    f->at = test;
    bool ok =
        v.type == NKX_V_REGISTER ? nkx_register_while(f->vm, v, i, on) : nkx_truth(f->vm, v, on);
    nkx_drop(v);
    return ok;
}

nkx_flow nkx_exec_while(nkx_frame *f, const nkx_if *s)
{
    for (int64_t i = 0;; i++) {
        bool on;
        if (!nkx_step(f->vm) || !while_test(f, s->test, i, &on)) return NKX_FLOW_FAIL;
        if (!on) return nkx_exec(f, &s->orelse);
        nkx_flow flow = nkx_exec(f, &s->body);
        if (flow == NKX_FLOW_NEXT || flow == NKX_FLOW_CONTINUE) continue;
        return flow == NKX_FLOW_BREAK ? NKX_FLOW_NEXT : flow;
    }
}

/* ---- single statements ---- */

static nkx_flow exec_if(nkx_frame *f, const nkx_if *s)
{
    bool b;
    if (!nkx_eval_truth(f, s->test, &b)) return NKX_FLOW_FAIL;
    return nkx_exec(f, b ? &s->body : &s->orelse);
}

static bool exec_expr(nkx_frame *f, const nkx_value_stmt *s)
{
    if (s->value->kind == NKX_CONSTANT) return true; /* docstrings and bare strings */
    nkx_value v = nkx_eval(f, s->value);
    nkx_drop(v);
    return v.type != NKX_V_UNSET;
}

static bool exec_assign(nkx_frame *f, const nkx_assign *s)
{
    nkx_value v = nkx_eval(f, s->value);
    if (v.type == NKX_V_UNSET) return false;
    const nkx_node *t = s->targets.at[0];
    if (s->targets.n == 1 && t->kind == NKX_NAME) {
        const nkx_name_node *n = NKX_NODE(nkx_name_node, t);
        if (v.type == NKX_V_TENSOR) nkx_tensor_bound(v, n->id);
        if (n->scope == NKX_SCOPE_LOCAL) { /* moves instead of counting */
            nkx_value old = f->slots[n->slot];
            f->slots[n->slot] = v;
            nkx_drop(old);
            return true;
        }
    }
    bool ok = true;
    for (uint32_t i = 0; i < s->targets.n && ok; i++) ok = nkx_assign_to(f, s->targets.at[i], v);
    nkx_drop(v);
    return ok;
}

static bool exec_ann_assign(nkx_frame *f, const nkx_ann_assign *s)
{
    nkx_value v = NKX_UNSET;
    if (s->value != NULL) {
        v = nkx_eval(f, s->value);
        if (v.type == NKX_V_UNSET) return false;
    }
    bool ok = true;
    if (f->build != NULL && s->target->kind == NKX_NAME) {
        nkx_build_field(f, NKX_NODE(nkx_name_node, s->target)->id, s->annotation, v, s->base.span);
    }
    if (s->value != NULL) ok = nkx_assign_to(f, s->target, v);
    nkx_drop(v);
    return ok;
}

static nkx_flow exec_return(nkx_frame *f, const nkx_value_stmt *s)
{
    nkx_value v = NKX_NONE;
    if (s->value != NULL) {
        v = nkx_eval(f, s->value);
        if (v.type == NKX_V_UNSET) return NKX_FLOW_FAIL;
    }
    nkx_drop(f->result);
    f->result = v;
    return NKX_FLOW_RETURN;
}

static bool exec_function(nkx_frame *f, const nkx_function_def *s)
{
    nkx_value v = nkx_make_function(f, &s->base);
    if (v.type == NKX_V_UNSET) return false;
    bool ok =
        nkx_decorate(f, &s->decorators, &v) && nkx_assign_name(f, s->scope, s->slot, s->name, v);
    nkx_drop(v);
    return ok;
}

static bool exec_class(nkx_frame *f, const nkx_class_def *s)
{
    nkx_value v = nkx_make_class(f, s);
    if (v.type == NKX_V_UNSET) return false;
    bool ok =
        nkx_decorate(f, &s->decorators, &v) && nkx_assign_name(f, s->scope, s->slot, s->name, v);
    nkx_drop(v);
    return ok;
}

static bool exec_delete(nkx_frame *f, const nkx_delete *s)
{
    for (uint32_t i = 0; i < s->targets.n; i++) {
        if (!nkx_delete_target(f, s->targets.at[i])) return false;
    }
    return true;
}

static bool unsupported(nkx_frame *f, const nkx_unsupported *s)
{
    return nkx_raise(f->vm, NKX_E227, "SyntaxError", "'%s' is not supported", s->what);
}

static inline nkx_flow flow_of(bool ok)
{
    return ok ? NKX_FLOW_NEXT : NKX_FLOW_FAIL;
}

static nkx_flow exec_one(nkx_frame *f, const nkx_node *s)
{
    switch ((nkx_kind)s->kind) {
    case NKX_EXPR_STMT: return flow_of(exec_expr(f, NKX_NODE(nkx_value_stmt, s)));
    case NKX_ASSIGN: return flow_of(exec_assign(f, NKX_NODE(nkx_assign, s)));
    case NKX_FOR: return nkx_exec_for(f, NKX_NODE(nkx_for, s));
    case NKX_IF: return exec_if(f, NKX_NODE(nkx_if, s));
    case NKX_AUG_ASSIGN: return flow_of(nkx_assign_aug(f, NKX_NODE(nkx_aug_assign, s)));
    case NKX_ANN_ASSIGN: return flow_of(exec_ann_assign(f, NKX_NODE(nkx_ann_assign, s)));
    case NKX_RETURN: return exec_return(f, NKX_NODE(nkx_value_stmt, s));
    case NKX_WHILE: return nkx_exec_while(f, NKX_NODE(nkx_if, s));
    case NKX_BREAK: return NKX_FLOW_BREAK;
    case NKX_CONTINUE: return NKX_FLOW_CONTINUE;
    case NKX_PASS:
    case NKX_GLOBAL:
    case NKX_NONLOCAL: return NKX_FLOW_NEXT;
    case NKX_ASSERT_STMT: return flow_of(nkx_exec_assert(f, NKX_NODE(nkx_assert, s)));
    case NKX_WITH: return nkx_exec_with(f, NKX_NODE(nkx_with, s), 0);
    case NKX_TRY: return nkx_exec_try(f, NKX_NODE(nkx_try, s));
    case NKX_RAISE: return flow_of(nkx_exec_raise(f, NKX_NODE(nkx_raise_node, s)));
    case NKX_FUNCTION_DEF: return flow_of(exec_function(f, NKX_NODE(nkx_function_def, s)));
    case NKX_CLASS_DEF: return flow_of(exec_class(f, NKX_NODE(nkx_class_def, s)));
    case NKX_IMPORT: return flow_of(nkx_exec_import(f, NKX_NODE(nkx_import_node, s)));
    case NKX_IMPORT_FROM: return flow_of(nkx_exec_import_from(f, NKX_NODE(nkx_import_node, s)));
    case NKX_DELETE: return flow_of(exec_delete(f, NKX_NODE(nkx_delete, s)));
    case NKX_UNSUPPORTED_STMT: return flow_of(unsupported(f, NKX_NODE(nkx_unsupported, s)));
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
    case NKX_N_KINDS: break;
    }
    nkx_unreachable();
}

nkx_flow nkx_exec(nkx_frame *f, const nkx_nodes *body)
{
    for (uint32_t i = 0; i < body->n; i++) {
        const nkx_node *s = body->at[i];
        f->at = s;
        if (!nkx_step(f->vm)) return NKX_FLOW_FAIL;
        nkx_flow flow = exec_one(f, s);
        if (flow == NKX_FLOW_FAIL && nkx_skip_statement(f, s)) continue;
        if (flow != NKX_FLOW_NEXT) return flow;
    }
    return NKX_FLOW_NEXT;
}
