/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls: functions, builtins, classes, bound methods, callable objects. Arguments stand on the VM's
 * stack; a function's parameters are its first slots, so that a plain call moves nothing. Layer
 * eval.
 */
#include "interp/eval/walk.h"

#include <string.h>

bool nkx_stack_room(nkx_vm *vm, uint64_t n)
{
    if ((uint64_t)(vm->stack_end - vm->top) >= n) return true;
    return nkx_raise_fatal(vm, NKX_E219, "RecursionError", "the stack of values is full");
}

void nkx_pop_to(nkx_vm *vm, nkx_value *base)
{
    while (vm->top > base) nkx_drop(*--vm->top);
}

bool nkx_pass_self(nkx_vm *vm, nkx_pass *p, nkx_value self)
{
    if (!nkx_stack_room(vm, 1)) {
        nkx_pop_to(vm, p->base);
        return false;
    }
    memmove(p->base + 1, p->base, (size_t)(vm->top - p->base) * sizeof *p->base);
    p->base[0] = nkx_ref(self);
    p->n++;
    vm->top++;
    p->arg_spans = NULL;
    return true;
}

/* ---- builtins ---- */

static bool call_raw(nkx_vm *vm, const nkx_builtin *row, nkx_pass *p, nkx_value *out)
{
    nkx_args a = {.at = p->base,
                  .n = p->n,
                  .n_kw = p->n_kw,
                  .kw = p->kw,
                  .span = p->span,
                  .arg_spans = p->arg_spans,
                  .site = p->site};
    bool ok = ((nkx_raw_fn)(void (*)(void))row->call)(vm, &a, out) ||
              nkx_placeholder_blame(vm, p->base, p->n + p->n_kw);
    nkx_pop_to(vm, p->base);
    return ok;
}

bool nkx_call_builtin(nkx_vm *vm, const nkx_builtin *row, nkx_pass *p, nkx_value *out)
{
    *out = NKX_NONE;
    if ((row->flags & NKX_BF_KERNEL) && vm->kernel == 0) {
        nkx_pop_to(vm, p->base);
        return nkx_raise(vm, NKX_E235, "RuntimeError", "%s() works inside a kernel only",
                         row->name);
    }
    if (row->flags & NKX_BF_RAW) return call_raw(vm, row, p, out);
    const nkx_sig *sig = p->site != NULL && p->site->sig != NULL && p->site->sig->row == row
                             ? p->site->sig
                             : nkx_sig_of(vm, row);
    if (p->site != NULL) p->site->sig = sig;
    if (!nkx_bind_sig(vm, sig, p)) return false;
    bool ok = row->call(vm, p->base, out) ||
              nkx_placeholder_blame(vm, p->base, (uint32_t)(vm->top - p->base));
    nkx_pop_to(vm, p->base);
    return ok;
}

/* ---- functions ---- */

static bool make_cells(nkx_vm *vm, const nkx_frame_info *info, nkx_value *slots)
{
    for (uint32_t i = 0; i < info->n_slots; i++) {
        if (!info->slot_is_cell[i]) continue;
        nkx_value v = slots[i];
        slots[i] = nkx_cell_new(vm, v);
        nkx_drop(v);
    }
    return true;
}

static bool enter_depth(nkx_vm *vm)
{
    if (NKX_UNLIKELY(vm->depth >= vm->o.limits.max_depth)) {
        return nkx_raise(vm, NKX_E219, "RecursionError",
                         "maximum recursion depth exceeded: more than %u nested calls",
                         vm->o.limits.max_depth);
    }
    if (!nkx_stack_check(vm)) return false;
    vm->depth++;
    return true;
}

static bool run_body(nkx_frame *f, const nkx_function *fn, nkx_value *out)
{
    if (fn->node->kind == NKX_LAMBDA) {
        *out = nkx_eval(f, NKX_NODE(nkx_lambda, fn->node)->body);
        return out->type != NKX_V_UNSET;
    }
    f->result = NKX_NONE;
    nkx_flow flow = nkx_exec(f, &NKX_NODE(nkx_function_def, fn->node)->body);
    *out = f->result;
    if (flow != NKX_FLOW_FAIL) return true;
    nkx_drop(*out);
    *out = NKX_UNSET;
    return false;
}

static bool refuse_generator(nkx_vm *vm, const nkx_function *fn)
{
    return nkx_raise(vm, NKX_E227, "SyntaxError",
                     "generator functions are not supported: '%s' holds a yield", fn->name->text);
}

bool nkx_call_function(nkx_vm *vm, const nkx_function *fn, nkx_pass *p, nkx_value *out)
{
    const nkx_frame_info *info = fn->info;
    bool simple = p->n_kw == 0 && fn->plain && p->n == fn->params->n_pos &&
                  (size_t)(vm->stack_end - p->base) > info->n_slots;
    *out = NKX_UNSET;
    if (!simple && !nkx_bind_params(vm, fn, p)) return false;
    nkx_value *slots = p->base;
    for (nkx_value *v = vm->top, *end = slots + info->n_slots; v < end; v++) *v = NKX_UNSET;
    vm->top = slots + info->n_slots;
    nkx_frame f = {.vm = vm,
                   .slots = slots,
                   .cells = fn->cells,
                   .unit = fn->unit,
                   .module = fn->module,
                   .at = fn->node,
                   .up = vm->frame,
                   .fn = fn,
                   .info = info,
                   .kernel = vm->kernel};
    if (NKX_UNLIKELY(fn->module->names.type == NKX_V_DICT)) nkx_module_pull(vm, fn->module);
    bool ok = enter_depth(vm);
    if (ok && NKX_UNLIKELY(info->is_generator)) {
        ok = refuse_generator(vm, fn);
        vm->depth--;
    } else if (ok) {
        nkx_value keep =
            nkx_ref(nkx_of((void *)(uintptr_t)fn)); /* the body may rebind its own name */
        if (!fn->plain) make_cells(vm, info, slots);
        vm->frame = &f;
        ok = (fn->rules_done || vm->kernel == 0 || nkx_rules_function(vm, fn)) &&
             run_body(&f, fn, out);
        vm->frame = f.up;
        vm->depth--;
        nkx_drop(keep);
    }
    nkx_pop_to(vm, slots);
    return ok;
}

/* ---- dispatch ---- */

static bool not_callable(nkx_vm *vm, nkx_value f, nkx_pass *p)
{
    nkx_pop_to(vm, p->base);
    if (f.type == NKX_V_MODULE) {
        return nkx_raise(vm, NKX_E208, "TypeError", "'module' object is not callable: '%s'",
                         NKX_AS(nkx_module_obj, f)->name->text);
    }
    return nkx_raise(vm, NKX_E208, "TypeError", "'%s' object is not callable", nkx_type_name(f));
}

static bool call_args(nkx_vm *vm, nkx_value f, nkx_pass *p, nkx_value *out)
{
    nkx_args a = {.at = p->base,
                  .n = p->n,
                  .n_kw = p->n_kw,
                  .kw = p->kw,
                  .span = p->span,
                  .arg_spans = p->arg_spans,
                  .site = p->site};
    bool ok;
    *out = NKX_NONE;
    switch (f.type) {
    case NKX_V_KERNEL: ok = nkx_kernel_call(vm, f, &a, out); break;
    case NKX_V_OP: ok = nkx_op_call(vm, f, &a, out); break;
    case NKX_V_DTYPE: ok = nkx_dtype_call(vm, f, &a, out); break;
    default: ok = NKX_AS(nkx_native, f)->type->call(vm, f, &a, out); break;
    }
    nkx_pop_to(vm, p->base);
    return ok;
}

static bool call_method(nkx_vm *vm, nkx_value f, nkx_pass *p, nkx_value *out)
{
    nkx_value self = NKX_AS(nkx_method, f)->self, func = nkx_ref(NKX_AS(nkx_method, f)->func);
    bool ok = nkx_pass_self(vm, p, self) && nkx_call_passed(vm, func, p, out);
    nkx_drop(func);
    return ok;
}

static bool call_instance(nkx_vm *vm, nkx_value f, nkx_pass *p, nkx_value *out)
{
    nkx_value c = nkx_class_lookup(NKX_AS(nkx_instance, f)->cls, vm->id.d_call);
    if (c.type == NKX_V_UNSET) return not_callable(vm, f, p);
    if (c.type == NKX_V_STATICMETHOD) return nkx_call_passed(vm, NKX_AS(nkx_wrap, c)->func, p, out);
    nkx_ref(c);
    bool ok = nkx_pass_self(vm, p, f) && nkx_call_passed(vm, c, p, out);
    nkx_drop(c);
    return ok;
}

static bool call_type(nkx_vm *vm, nkx_value f, nkx_pass *p, nkx_value *out)
{
    const nkx_builtin *row = nkx_type_constructor((nkx_vtype)f.u.i);
    if (row != NULL) return nkx_call_builtin(vm, row, p, out);
    nkx_pop_to(vm, p->base);
    return nkx_raise(vm, NKX_E208, "TypeError", "cannot create '%s' instances",
                     nkx_vtype_name((nkx_vtype)f.u.i));
}

bool nkx_call_passed(nkx_vm *vm, nkx_value f, nkx_pass *p, nkx_value *out)
{
    *out = NKX_UNSET;
    switch (f.type) {
    case NKX_V_FUNCTION: return nkx_call_function(vm, NKX_AS(nkx_function, f), p, out);
    case NKX_V_BUILTIN: return nkx_call_builtin(vm, f.u.builtin, p, out);
    case NKX_V_METHOD: return call_method(vm, f, p, out);
    case NKX_V_CLASS: return nkx_call_class(vm, NKX_AS(nkx_class, f), p, out);
    case NKX_V_INSTANCE: return call_instance(vm, f, p, out);
    case NKX_V_TYPE: return call_type(vm, f, p, out);
    case NKX_V_STATICMETHOD: return nkx_call_passed(vm, NKX_AS(nkx_wrap, f)->func, p, out);
    case NKX_V_KERNEL:
    case NKX_V_OP:
    case NKX_V_DTYPE: return call_args(vm, f, p, out);
    case NKX_V_NATIVE:
        if (NKX_AS(nkx_native, f)->type->call == NULL) break;
        return call_args(vm, f, p, out);
    default: break;
    }
    return not_callable(vm, f, p);
}

bool nkx_callable(nkx_vm *vm, nkx_value v)
{
    switch (v.type) {
    case NKX_V_FUNCTION:
    case NKX_V_BUILTIN:
    case NKX_V_METHOD:
    case NKX_V_CLASS:
    case NKX_V_TYPE:
    case NKX_V_KERNEL:
    case NKX_V_OP:
    case NKX_V_DTYPE:
    case NKX_V_STATICMETHOD: return true;
    case NKX_V_INSTANCE:
        return nkx_class_lookup(NKX_AS(nkx_instance, v)->cls, vm->id.d_call).type != NKX_V_UNSET;
    case NKX_V_NATIVE: return NKX_AS(nkx_native, v)->type->call != NULL;
    default: return false;
    }
}

/* ---- from C ---- */

bool nkx_call(nkx_vm *vm, nkx_value f, const nkx_args *a, nkx_value *out)
{
    uint32_t n = a->n + a->n_kw;
    *out = NKX_UNSET;
    if (!nkx_stack_room(vm, n)) return false;
    nkx_pass p = {.base = vm->top,
                  .n = a->n,
                  .n_kw = a->n_kw,
                  .kw = a->kw,
                  .span = a->span,
                  .arg_spans = a->arg_spans,
                  .site = a->site};
    for (uint32_t i = 0; i < n; i++) *vm->top++ = nkx_ref(a->at[i]);
    nkx_ref(f);
    bool ok = nkx_call_passed(vm, f, &p, out);
    nkx_drop(f);
    return ok;
}

bool nkx_call_n(nkx_vm *vm, nkx_value f, const nkx_value *at, uint32_t n, nkx_value *out)
{
    nkx_args a = {.at = at, .n = n, .span = nkx_vm_span(vm)};
    return nkx_call(vm, f, &a, out);
}

bool nkx_call_special(nkx_vm *vm, nkx_value self, const nkx_name *name, const nkx_value *at,
                      uint32_t n, nkx_value *out, bool *found)
{
    *found = false;
    *out = NKX_UNSET;
    if (self.type != NKX_V_INSTANCE || name == NULL) return true;
    nkx_value f = nkx_class_lookup(NKX_AS(nkx_instance, self)->cls, name);
    if (f.type == NKX_V_UNSET || f.type == NKX_V_NONE) return true;
    *found = true;
    if (f.type == NKX_V_STATICMETHOD) return nkx_call_n(vm, NKX_AS(nkx_wrap, f)->func, at, n, out);
    if (!nkx_stack_room(vm, n + 1)) return false;
    nkx_pass p = {.base = vm->top, .n = n + 1, .span = nkx_vm_span(vm)};
    *vm->top++ = nkx_ref(self);
    for (uint32_t i = 0; i < n; i++) *vm->top++ = nkx_ref(at[i]);
    nkx_ref(f);
    bool ok = nkx_call_passed(vm, f, &p, out);
    nkx_drop(f);
    return ok;
}

bool nkx_call_method(nkx_vm *vm, nkx_value self, const nkx_name *name, const nkx_value *at,
                     uint32_t n, nkx_value *out)
{
    nkx_value f;
    if (!nkx_get_attr(vm, self, name, &f)) return false;
    bool ok = nkx_call_n(vm, f, at, n, out);
    nkx_drop(f);
    return ok;
}
