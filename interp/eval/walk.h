/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree walker's own contract, private to eval. nkx_eval returns an owned value in registers;
 * UNSET means that an exception is pending (no program value is UNSET). Statements return a flow.
 * Values between a frame's slots and vm->top are owned by whoever pushed them.
 */
#ifndef NKX_EVAL_WALK_H
#define NKX_EVAL_WALK_H

#include "interp/eval/objects.h"

typedef enum nkx_flow {
    NKX_FLOW_NEXT,
    NKX_FLOW_BREAK,
    NKX_FLOW_CONTINUE,
    NKX_FLOW_RETURN,
    NKX_FLOW_FAIL,
} nkx_flow;

#define NKX_NODE(T, n) ((const T *)(const void *)(n))

nkx_flow nkx_exec(nkx_frame *f, const nkx_nodes *body);

/* ---- expr*.c ---- */
nkx_value nkx_eval_nested(nkx_frame *f, const nkx_node *n); /* any kind */
nkx_value nkx_eval_constant(nkx_frame *f, const nkx_constant *c);
/* Locals that are set and constants that are made need no call. */
static inline nkx_value nkx_eval(nkx_frame *f, const nkx_node *n)
{
    nkx_value v = NKX_UNSET;
    if (n->kind == NKX_NAME) {
        const nkx_name_node *name = NKX_NODE(nkx_name_node, n);
        if (name->scope == NKX_SCOPE_LOCAL) v = f->slots[name->slot];
    } else if (n->kind == NKX_CONSTANT) {
        v = f->unit->consts[NKX_NODE(nkx_constant, n)->pool];
    }
    return NKX_LIKELY(v.type != NKX_V_UNSET) ? nkx_ref(v) : nkx_eval_nested(f, n);
}
nkx_value nkx_eval_name(nkx_frame *f, const nkx_name_node *n); /* every scope but a set local */
nkx_value nkx_eval_attribute(nkx_frame *f, const nkx_attribute *n);
/* As nkx_load_attr, with the cache of the site. obj is borrowed. */
bool nkx_site_attr(nkx_frame *f, const nkx_attribute *n, nkx_value obj, nkx_value *out,
                   bool *takes_self);
nkx_value nkx_eval_subscript(nkx_frame *f, const nkx_subscript *n);
nkx_value nkx_eval_key(nkx_frame *f, const nkx_node *n); /* a subscript's key: slices allowed */
nkx_value nkx_eval_joined(nkx_frame *f, const nkx_joined *n);
nkx_value nkx_eval_formatted(nkx_frame *f, const nkx_formatted *n);
nkx_value nkx_eval_call(nkx_frame *f, const nkx_call_node *n);
nkx_value nkx_eval_comprehension(nkx_frame *f, const nkx_comprehension *n);
nkx_value nkx_eval_sequence(nkx_frame *f, const nkx_seq *n); /* LIST, TUPLE, SET */
nkx_value nkx_eval_dict(nkx_frame *f, const nkx_dict_node *n);
bool nkx_eval_truth(nkx_frame *f, const nkx_node *n, bool *out);
/* Pushes the items of `elts`, stars spread, onto the stack; false with nothing pushed. */
bool nkx_push_items(nkx_frame *f, const nkx_nodes *elts);
/* Room for n more values on the stack; RecursionError otherwise. */
bool nkx_stack_room(nkx_vm *vm, uint64_t n);
void nkx_pop_to(nkx_vm *vm, nkx_value *base);

/* ---- assign.c ---- */
bool nkx_assign_to(nkx_frame *f, const nkx_node *target, nkx_value v); /* v is borrowed */
bool nkx_assign_name(nkx_frame *f, uint8_t scope, uint32_t slot, const nkx_name *name, nkx_value v);
bool nkx_delete_target(nkx_frame *f, const nkx_node *target);
bool nkx_assign_aug(nkx_frame *f, const nkx_aug_assign *s);

/* ---- stmt_*.c ---- */
nkx_flow nkx_exec_try(nkx_frame *f, const nkx_try *s);
nkx_flow nkx_exec_with(nkx_frame *f, const nkx_with *s, uint32_t item);
nkx_flow nkx_exec_for(nkx_frame *f, const nkx_for *s);
nkx_flow nkx_exec_while(nkx_frame *f, const nkx_if *s);
bool nkx_exec_raise(nkx_frame *f, const nkx_raise_node *s);
bool nkx_exec_assert(nkx_frame *f, const nkx_assert *s);
/* Every statement and iteration passes here: limits and interrupts. */
bool nkx_step_slow(nkx_vm *vm);
static inline bool nkx_step(nkx_vm *vm)
{
    return NKX_LIKELY(++vm->steps < vm->step_stop && !vm->interrupted) || nkx_step_slow(vm);
}

/* ---- iteration without objects ---- */
typedef struct nkx_cursor {
    nkx_value seq; /* owned */
    int64_t i, stop, step;
    uint8_t kind; /* RANGE, LIST, TUPLE; ITER for all else */
} nkx_cursor;
bool nkx_cursor_begin(nkx_vm *vm, nkx_value take,
                      nkx_cursor *c); /* takes the value, also on failure */
bool nkx_cursor_next(nkx_vm *vm, nkx_cursor *c, nkx_value *out); /* UNSET at the end */
void nkx_cursor_end(nkx_cursor *c);

/* ---- call*.c ---- */
/* What a call passes: values at base[0..n + n_kw), owned, popped by whoever is called. */
typedef struct nkx_pass {
    nkx_value *base;
    uint32_t n, n_kw;
    const nkx_name *const *kw;
    nkx_site *site;            /* or NULL */
    const nkx_span *arg_spans; /* or NULL */
    nkx_span span;
} nkx_pass;
bool nkx_call_passed(nkx_vm *vm, nkx_value func, nkx_pass *p, nkx_value *out);
/* Puts a value in front of those passed. */
bool nkx_pass_self(nkx_vm *vm, nkx_pass *p, nkx_value self);
bool nkx_call_function(nkx_vm *vm, const nkx_function *fn, nkx_pass *p, nkx_value *out);
bool nkx_call_class(nkx_vm *vm, nkx_class *c, nkx_pass *p, nkx_value *out);
bool nkx_call_builtin(nkx_vm *vm, const nkx_builtin *row, nkx_pass *p, nkx_value *out);
/* Moves passed values into their parameters at base[0..params); false after an exception, popped.
 */
bool nkx_bind_params(nkx_vm *vm, const nkx_function *fn, nkx_pass *p);
bool nkx_bind_sig(nkx_vm *vm, const nkx_sig *sig, nkx_pass *p);
void nkx_sigs_free(nkx_vm *vm);

/* ---- functions and classes ---- */
nkx_value nkx_make_function(nkx_frame *f,
                            const nkx_node *node); /* FUNCTION_DEF (undecorated) or LAMBDA */
nkx_value nkx_make_class(nkx_frame *f, const nkx_class_def *def);
bool nkx_decorate(nkx_frame *f, const nkx_nodes *decorators, nkx_value *v); /* replaces *v */
nkx_value nkx_capture(const nkx_frame *f, const struct nkx_capture *c);     /* owned cell */
/* Annotated field of the class body under construction. */
void nkx_build_field(nkx_frame *f, const nkx_name *name, const nkx_node *annotation, nkx_value dflt,
                     nkx_span span);
bool nkx_finish_dataclass(nkx_vm *vm, nkx_class *c);

/* ---- modules ---- */
bool nkx_exec_import(nkx_frame *f, const nkx_import_node *s);
bool nkx_exec_import_from(nkx_frame *f, const nkx_import_node *s);
/* The module of a name as importlib takes it: with leading dots, relative to a package. Owned. */
bool nkx_import_named(nkx_vm *vm, const char *name, const char *package, nkx_value *out);
bool nkx_module_exists(nkx_vm *vm, const char *dotted); /* without running it */
/* Variables of exec's module from its dict, which may have changed. */
void nkx_module_pull(nkx_vm *vm, nkx_module_obj *m);
/* Parses, resolves and prepares a text for a module. NULL after diagnostics. */
nkx_unit *nkx_unit_new(nkx_vm *vm, nkx_module_obj *m, const char *path, const char *text,
                       size_t len);
bool nkx_unit_run(nkx_vm *vm, nkx_unit *u, nkx_value *last);
void nkx_units_free(nkx_vm *vm);

/* ---- wide.c ----
 * An operand is UNSET and an exception pending. When that is an integer beyond 64 bits, the
 * operator goes on with it; UNSET otherwise. The left operand of compare is taken, of the others
 * borrowed. */
nkx_value nkx_wide_left(nkx_frame *f, const nkx_bin_op *n);
nkx_value nkx_wide_right(nkx_frame *f, const nkx_bin_op *n, nkx_value left);
nkx_value nkx_wide_unary(nkx_frame *f, const nkx_unary_op *n);
nkx_value nkx_wide_compare(nkx_frame *f, const nkx_compare *n, uint32_t i, nkx_value left);
void nkx_wide_end(nkx_vm *vm); /* what is pending did not come from integers themselves */
/* The pending OverflowError is of this literal. */
void nkx_wide_attach_text(nkx_vm *vm, const char *digits);

/* ---- placeholder.c ---- */
/* A statement of module code failed. With skip_missing, when it needs what is not available: it is
 * left out with a warning, what it binds is unknown, and the module goes on. */
bool nkx_skip_statement(nkx_frame *f, const nkx_node *n);

/* ---- rules.c ---- */
/* Device rules of a function about to run in a kernel, and of what it calls. False when refused. */
bool nkx_rules_function(nkx_vm *vm, const nkx_function *fn);

/* ---- errors ---- */
void nkx_exc_place(nkx_vm *vm, nkx_value exc); /* span and call stack, once */
bool nkx_raise_fatal(nkx_vm *vm, nkx_code code, const char *exception, const char *fmt, ...)
    NKX_PRINTF(4, 5);

#endif
