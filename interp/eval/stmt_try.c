/* SPDX-License-Identifier: Apache-2.0 */
/* Statements about exceptions and contexts: try, with, raise, assert. Layer eval. */
#include "interp/eval/walk.h"

/* ---- try ---- */

static bool bad_handler(nkx_vm *vm)
{
    return nkx_raise(vm, NKX_E232, "TypeError",
                     "catching classes that do not inherit from BaseException is not allowed");
}

/* Does the exception match what stands behind except? Placeholders of missing modules match
 * nothing. */
static bool matches(nkx_vm *vm, nkx_value exc, nkx_value type, bool *out)
{
    *out = false;
    if (type.type == NKX_V_TUPLE) {
        for (uint32_t i = 0; i < NKX_AS(nkx_tuple, type)->n && !*out; i++) {
            if (!matches(vm, exc, NKX_AS(nkx_tuple, type)->at[i], out)) return false;
        }
        return true;
    }
    if (nkx_is_placeholder(type)) return true;
    if (type.type != NKX_V_CLASS) return bad_handler(vm);
    const nkx_class *c = NKX_AS(nkx_class, type);
    if ((c->flags & NKX_CF_EXCEPTION) == 0) return bad_handler(vm);
    *out = nkx_class_is(NKX_AS(nkx_instance, exc)->cls, c);
    return true;
}

static nkx_flow run_handler(nkx_frame *f, const nkx_handler *h, nkx_value exc)
{
    nkx_vm *vm = f->vm;
    nkx_value outer = vm->handling;
    nkx_exception_withdraw(vm, exc);
    vm->handling = exc;
    nkx_flow flow = NKX_FLOW_NEXT;
    if (h->name != NULL) nkx_assign_name(f, h->scope, h->slot, h->name, exc);
    flow = nkx_exec(f, &h->body);
    if (h->name != NULL) nkx_assign_name(f, h->scope, h->slot, h->name, NKX_UNSET);
    vm->handling = outer;
    return flow;
}

/* A handler for the pending exception; it stays pending when none fits. */
static nkx_flow handle(nkx_frame *f, const nkx_try *s)
{
    nkx_vm *vm = f->vm;
    nkx_value exc = nkx_exception_take(vm);
    for (uint32_t i = 0; i < s->n_handlers; i++) {
        const nkx_handler *h = &s->handlers[i];
        bool match = true;
        if (h->type != NULL) {
            nkx_value type = nkx_eval(f, h->type);
            f->at = h->type;
            bool ok = type.type != NKX_V_UNSET && matches(vm, exc, type, &match);
            nkx_drop(type);
            if (!ok) {
                nkx_drop(exc);
                return NKX_FLOW_FAIL;
            }
        }
        if (!match) continue;
        nkx_flow flow = run_handler(f, h, exc);
        nkx_drop(exc);
        return flow;
    }
    vm->exception = exc;
    return NKX_FLOW_FAIL;
}

static bool is_fatal(const nkx_vm *vm)
{
    return vm->exception.type == NKX_V_INSTANCE && NKX_AS(nkx_instance, vm->exception)->exc->fatal;
}

static nkx_flow run_finally(nkx_frame *f, const nkx_try *s, nkx_flow flow)
{
    nkx_vm *vm = f->vm;
    nkx_value exc = nkx_exception_take(vm), result = f->result;
    nkx_value outer = vm->handling;
    f->result = NKX_NONE;
    if (exc.type == NKX_V_INSTANCE) vm->handling = exc; /* what it raises has this as context */
    nkx_flow last = nkx_exec(f, &s->finalbody);
    vm->handling = outer;
    if (last == NKX_FLOW_NEXT) {
        nkx_drop(f->result);
        f->result = result;
        vm->exception = exc;
        return flow;
    }
    nkx_drop(result); /* the finally block had the last word */
    nkx_drop(exc);
    return last;
}

nkx_flow nkx_exec_try(nkx_frame *f, const nkx_try *s)
{
    if (s->is_star) {
        nkx_raise(f->vm, NKX_E227, "SyntaxError", "'except*' is not supported");
        return NKX_FLOW_FAIL;
    }
    f->trying++;
    nkx_flow flow = nkx_exec(f, &s->body);
    f->trying--;
    if (flow == NKX_FLOW_FAIL && !is_fatal(f->vm)) {
        flow = handle(f, s);
    } else if (flow == NKX_FLOW_NEXT) {
        flow = nkx_exec(f, &s->orelse);
    }
    if (s->finalbody.n == 0 || is_fatal(f->vm)) return flow;
    return run_finally(f, s, flow);
}

/* ---- with ---- */

static bool enter(nkx_frame *f, nkx_value cm, nkx_value *out)
{
    bool found;
    if (cm.type == NKX_V_NATIVE && NKX_AS(nkx_native, cm)->type->enter != NULL) {
        return NKX_AS(nkx_native, cm)->type->enter(f->vm, cm, out);
    }
    if (!nkx_call_special(f->vm, cm, f->vm->id.d_enter, NULL, 0, out, &found)) return false;
    if (found) return true;
    return nkx_raise(f->vm, NKX_E210, "TypeError",
                     "'%s' object does not support the context manager protocol",
                     nkx_type_name(cm));
}

/* __exit__(type, value, traceback); a true answer swallows the exception. */
static bool exit_instance(nkx_frame *f, nkx_value cm, nkx_flow *flow)
{
    nkx_vm *vm = f->vm;
    nkx_value exc = nkx_exception_take(vm), r;
    nkx_value args[3] = {NKX_NONE, NKX_NONE, NKX_NONE};
    bool found, swallow = false;
    if (exc.type == NKX_V_INSTANCE) {
        args[0] = nkx_of(NKX_AS(nkx_instance, exc)->cls);
        args[1] = exc;
    }
    if (!nkx_call_special(vm, cm, vm->id.d_exit, args, 3, &r, &found)) {
        nkx_drop(exc);
        return false;
    }
    bool ok = !found || nkx_truth(vm, r, &swallow);
    nkx_drop(r);
    if (!ok) {
        nkx_drop(exc);
        return false;
    }
    if (exc.type == NKX_V_INSTANCE && swallow) {
        nkx_exception_withdraw(vm, exc);
        nkx_drop(exc);
        if (*flow == NKX_FLOW_FAIL) *flow = NKX_FLOW_NEXT;
    } else {
        vm->exception = exc;
    }
    return true;
}

static nkx_flow leave(nkx_frame *f, nkx_value cm, nkx_flow flow)
{
    if (is_fatal(f->vm)) return flow;
    if (cm.type == NKX_V_NATIVE) { /* may look at, and take, the pending exception */
        const nkx_native_type *t = NKX_AS(nkx_native, cm)->type;
        if (t->exit != NULL && !t->exit(f->vm, cm)) return NKX_FLOW_FAIL;
        return flow == NKX_FLOW_FAIL && !nkx_exception_pending(f->vm) ? NKX_FLOW_NEXT : flow;
    }
    return exit_instance(f, cm, &flow) ? flow : NKX_FLOW_FAIL;
}

nkx_flow nkx_exec_with(nkx_frame *f, const nkx_with *s, uint32_t item)
{
    if (item == s->n_items) return nkx_exec(f, &s->body);
    const nkx_with_item *it = &s->items[item];
    nkx_value cm = nkx_eval(f, it->context), v = NKX_UNSET;
    if (cm.type == NKX_V_UNSET) return NKX_FLOW_FAIL;
    f->at = it->context;
    nkx_flow flow = NKX_FLOW_FAIL;
    if (enter(f, cm, &v)) {
        bool ok = it->target == NULL || nkx_assign_to(f, it->target, v);
        nkx_drop(v);
        flow = ok ? nkx_exec_with(f, s, item + 1) : NKX_FLOW_FAIL;
        f->at = it->context;
        flow = leave(f, cm, flow);
    }
    nkx_drop(cm);
    return flow;
}

/* ---- raise ---- */

static bool set_cause(nkx_vm *vm, nkx_value exc, nkx_value cause)
{
    nkx_value x = NKX_NONE;
    if (cause.type == NKX_V_CLASS && (NKX_AS(nkx_class, cause)->flags & NKX_CF_EXCEPTION)) {
        if (!nkx_call_n(vm, cause, NULL, 0, &x)) return false;
    } else if (cause.type == NKX_V_INSTANCE && NKX_AS(nkx_instance, cause)->exc != NULL) {
        x = nkx_ref(cause);
    } else if (cause.type != NKX_V_NONE) {
        return nkx_raise(vm, NKX_E232, "TypeError",
                         "exception causes must derive from BaseException");
    }
    nkx_exc *e = NKX_AS(nkx_instance, exc)->exc;
    nkx_drop(e->cause);
    e->cause = x;
    return true;
}

static bool raise_again(nkx_frame *f)
{
    nkx_vm *vm = f->vm;
    if (vm->handling.type == NKX_V_INSTANCE) return nkx_raise_value(vm, vm->handling);
    return nkx_raise(vm, NKX_E232, "RuntimeError", "No active exception to reraise");
}

bool nkx_exec_raise(nkx_frame *f, const nkx_raise_node *s)
{
    nkx_vm *vm = f->vm;
    if (s->exc == NULL) return raise_again(f);
    nkx_value v = nkx_eval(f, s->exc), cause = NKX_UNSET;
    if (v.type == NKX_V_UNSET) return false;
    if (s->cause != NULL) {
        cause = nkx_eval(f, s->cause);
        if (cause.type == NKX_V_UNSET) {
            nkx_drop(v);
            return false;
        }
    }
    f->at = &s->base;
    nkx_raise_value(vm, v);
    nkx_drop(v);
    if (cause.type != NKX_V_UNSET && vm->exception.type == NKX_V_INSTANCE) {
        nkx_value exc = nkx_exception_take(vm);
        if (set_cause(vm, exc, cause)) {
            vm->exception = exc;
        } else {
            nkx_drop(exc);
        }
    }
    nkx_drop(cause);
    return false;
}

/* ---- assert ---- */

/* Evaluating it again changes nothing: no calls. */
static bool is_pure(const nkx_node *n)
{
    switch (n->kind) {
    case NKX_NAME:
    case NKX_CONSTANT: return true;
    case NKX_ATTRIBUTE: return is_pure(NKX_NODE(nkx_attribute, n)->value);
    case NKX_SUBSCRIPT: {
        const nkx_subscript *s = NKX_NODE(nkx_subscript, n);
        return s->slice->kind != NKX_SLICE && is_pure(s->value) && is_pure(s->slice);
    }
    case NKX_BIN_OP:
        return is_pure(NKX_NODE(nkx_bin_op, n)->left) && is_pure(NKX_NODE(nkx_bin_op, n)->right);
    case NKX_UNARY_OP: return is_pure(NKX_NODE(nkx_unary_op, n)->operand);
    default: return false;
    }
}

/* "the left side is 129, the right side is 128": what the failed comparison compared. */
static bool sides(nkx_frame *f, const nkx_node *test, nkx_buf *out)
{
    if (test->kind != NKX_COMPARE) return false;
    const nkx_compare *c = NKX_NODE(nkx_compare, test);
    if (c->rights.n != 1 || !is_pure(c->left) || !is_pure(c->rights.at[0])) return false;
    nkx_value a = nkx_eval(f, c->left), b = NKX_UNSET;
    if (a.type != NKX_V_UNSET) b = nkx_eval(f, c->rights.at[0]);
    bool ok = a.type != NKX_V_UNSET && b.type != NKX_V_UNSET;
    if (ok) {
        nkx_buf_str(out, "The left side is ");
        ok = nkx_repr(f->vm, a, out);
        nkx_buf_str(out, ", the right side is ");
        ok = ok && nkx_repr(f->vm, b, out);
        nkx_buf_str(out, ".");
    }
    nkx_drop(a);
    nkx_drop(b);
    if (!ok) nkx_exception_clear(f->vm);
    return ok && out->len < 160;
}

bool nkx_exec_assert(nkx_frame *f, const nkx_assert *s)
{
    nkx_vm *vm = f->vm;
    bool b;
    nkx_value v = nkx_eval(f, s->test);
    if (v.type == NKX_V_UNSET) return false;
    bool ok = v.type == NKX_V_TENSOR ? nkx_tensor_assert(vm, v, &b) : nkx_truth(vm, v, &b);
    nkx_drop(v);
    if (!ok) return false;
    if (b) return true;
    nkx_value msg = NKX_UNSET;
    if (s->msg != NULL) {
        msg = nkx_eval(f, s->msg);
        if (msg.type == NKX_V_UNSET) return false;
    }
    nkx_buf hint = {0};
    bool has_hint = sides(f, s->test, &hint);
    f->at = &s->base;
    nkx_value args = nkx_tuple_of(vm, &msg, s->msg != NULL ? 1 : 0);
    nkx_value x = nkx_exception_make(vm, vm->classes[NKX_CLS_AssertionError], args);
    NKX_AS(nkx_instance, x)->exc->code = NKX_E216;
    nkx_raise_value(vm, x);
    if (has_hint) nkx_raise_hint(vm, "%s", hint.at);
    nkx_buf_fini(&hint);
    nkx_drop(x);
    nkx_drop(args);
    nkx_drop(msg);
    return false;
}
