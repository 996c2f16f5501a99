/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about objects share among themselves: clearing, sweeping, tables of operators.
 * Private to eval. */
#ifndef NKX_EVAL_OBJECTS_H
#define NKX_EVAL_OBJECTS_H

#include "interp/eval/vm.h"

/* Drops all that an object holds; its cell stays. Safe to call twice. */
void nkx_obj_clear(nkx_obj *o);
/* Empties what is still alive, rings included; nothing may be made afterwards. */
void nkx_obj_sweep(nkx_vm *vm);
/* Frees all of it. */
void nkx_obj_release_memory(nkx_vm *vm);

nkx_value nkx_cell_new(nkx_vm *vm, nkx_value v);
nkx_value nkx_wrap_new(nkx_vm *vm, nkx_vtype type, nkx_value func);

void nkx_method_index_free(nkx_vm *vm);

/*
 * Attribute of a value without binding: *takes_self says that *out is a function that wants the
 * value as its first argument. UNSET: no such attribute.
 */
NKX_MUST_USE bool nkx_load_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out,
                                bool *takes_self);
bool nkx_no_attr(nkx_vm *vm, nkx_value v, const nkx_name *name); /* raises AttributeError; false */
/* What `object` itself gives: __init__, __setattr__, __eq__, ... (class.c). UNSET: none. */
NKX_MUST_USE bool nkx_object_method(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out,
                                    bool *takes_self);
const nkx_builtin *nkx_property_method(const nkx_name *name); /* setter, getter, deleter; NULL */
NKX_MUST_USE bool nkx_module_load_stdlib(nkx_vm *vm, nkx_module_obj *m);
void nkx_module_set_name(nkx_module_obj *m, const nkx_name *name, nkx_value v);

/* An exception of a class with args (a tuple), not yet raised. Owned. */
nkx_value nkx_exception_make(nkx_vm *vm, nkx_class *c, nkx_value args);
/* The diagnostic that was given for a caught exception is taken back. */
void nkx_exception_withdraw(nkx_vm *vm, nkx_value exc);

void nkx_classes_init(nkx_vm *vm);
void nkx_classes_fini(nkx_vm *vm);

void nkx_vm_set_base(nkx_vm *vm); /* measures the C stack from the caller on */

/* Is the pending exception one of wrong arguments (E204 to E207)? */
bool nkx_exception_about_arguments(const nkx_vm *vm);

/* The pending OverflowError is of this operation: its exact value goes with it. wide.c */
void nkx_wide_attach(nkx_vm *vm, int op, int64_t a, int64_t b);

#endif
