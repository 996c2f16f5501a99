/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where builtin modules, builtin functions and the methods of builtin types plug into the
 * evaluator: tables of nkx_builtin rows. Each table belongs to the file that defines it; modules.c
 * only joins them. All arrays of rows end with a row whose name is NULL, all lists of pointers with
 * NULL.
 */
#ifndef NKX_EVAL_MODULES_H
#define NKX_EVAL_MODULES_H

#include "interp/eval/value.h"

/*
 * One importable builtin module. When first imported: a MODULE value is made, each row of
 * `functions` becomes a BUILTIN in it, then init adds the rest with nkx_module_set. `stdlib` names
 * an embedded source ("nl.nki"): it is run into the same module when an attribute is asked for that
 * is not there yet, so that a program that uses none of it does not pay for it. A dotted name
 * ("nki.language") is also set as attribute `language` of its parent.
 */
typedef struct nkx_module_def {
    const char *name;
    const nkx_builtin *functions;               /* or NULL */
    bool (*init)(nkx_vm *vm, nkx_value module); /* or NULL */
    const char *stdlib;                         /* or NULL */
} nkx_module_def;

/* ---- placeholder.c ----
 * What stands at a path of something that is not there ("torch.nn" of "the module" 'torch'). It can
 * be passed on, given attributes of and subclassed; any other use fails with E223 and names both.
 */
bool nkx_is_placeholder(nkx_value v);
bool nkx_is_unknown(nkx_value v); /* any value may stand here: nothing can be said of it */
const char *nkx_placeholder_path(nkx_value v);
nkx_value nkx_placeholder_new(nkx_vm *vm, const char *path, const char *kind, const char *missing);
nkx_value nkx_placeholder_under(nkx_vm *vm, nkx_value up, const char *path); /* of the same thing */
bool nkx_placeholder_used(nkx_vm *vm, nkx_value placeholder);                /* raises; false */
/* After an operation on these values failed: a TypeError becomes E223 when one of them is a
 * placeholder, since that is why. False. */
bool nkx_placeholder_blame(nkx_vm *vm, const nkx_value *at, uint32_t n);
/* The builtin module nearest to a name; NULL. */
const char *nkx_near_module(const char *name, size_t len);

extern const nkx_module_def *const nkx_modules_std[]; /* math, os, sys, numpy, ...: modules_std.c */
extern const nkx_module_def *const nkx_modules_nki[]; /* nki and below: modules_nki.c */
extern const nkx_module_def
    *const nkx_modules_core[]; /* dataclasses, enum: class machinery, modules.c */
const nkx_module_def *nkx_module_find(const char *name); /* or NULL */

/*
 * Builtin functions (print, len, ...): builtins.c. The evaluator's own (super, property, ...) stand
 * in nkx_builtins_core. Type objects (int, str, ...) and exception classes are made by the
 * evaluator.
 */
extern const nkx_builtin nkx_builtins[];
extern const nkx_builtin nkx_builtins_core[];
extern const nkx_builtin nkx_builtins_import[]; /* mod_import.c: exec and its kin */

/* Methods by type. NKX_BF_METHOD rows take self as first parameter. NULL: the type has none. */
const nkx_builtin *nkx_method_table(nkx_vtype t);
extern const nkx_builtin nkx_int_methods[],
    nkx_float_methods[]; /* methods_misc.c (int's serve bool too) */
extern const nkx_builtin nkx_str_methods[], nkx_bytes_methods[], nkx_tuple_methods[];
extern const nkx_builtin nkx_list_methods[], nkx_dict_methods[], nkx_set_methods[];
extern const nkx_builtin nkx_range_methods[], nkx_slice_methods[];
extern const nkx_builtin nkx_array_methods[]; /* mod_numpy*.c */
extern const nkx_builtin nkx_tensor_methods[],
    nkx_register_methods[]; /* tensor_methods.c, registers.c */

/*
 * Constructor of a builtin type: int(x), list(it), ... A row with a signature, like any builtin
 * (no self). NULL where the type cannot be called. builtins.c.
 */
const nkx_builtin *nkx_type_constructor(nkx_vtype t);

/* ---- format.c ---- */
/* format(v, spec): numbers, strings, and str() for the rest when spec is empty. ValueError
 * otherwise. */
NKX_MUST_USE bool nkx_format_value(nkx_vm *vm, nkx_value v, const char *spec, size_t len,
                                   nkx_buf *out);
NKX_MUST_USE bool nkx_str_percent(nkx_vm *vm, nkx_value fmt, nkx_value arg,
                                  nkx_value *out); /* "..." % arg */
void nkx_float_repr(double f, nkx_buf *out); /* shortest that reads back, as Python writes it */
void nkx_str_repr(const char *text, size_t len, nkx_buf *out); /* with quotes and escapes */

/* ---- mod_numpy*.c: ARRAY values; binary and compare are called when either side is an ARRAY ----
 */
/* Attributes and methods are rows of nkx_array_methods (attributes with NKX_BF_GETTER). */
NKX_MUST_USE bool nkx_array_set_attr(nkx_vm *vm, nkx_value a, const nkx_name *name, nkx_value x);
NKX_MUST_USE bool nkx_array_index(nkx_vm *vm, nkx_value a, nkx_value key, nkx_value *out);
NKX_MUST_USE bool nkx_array_set_index(nkx_vm *vm, nkx_value a, nkx_value key, nkx_value x);
NKX_MUST_USE bool nkx_array_binary(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out);
NKX_MUST_USE bool nkx_array_inplace(nkx_vm *vm, int op, nkx_value a, nkx_value b,
                                    nkx_value *out); /* a op= b; out: a again (owned) */
NKX_MUST_USE bool nkx_array_unary(nkx_vm *vm, int op, nkx_value a, nkx_value *out);
NKX_MUST_USE bool nkx_array_compare(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out);
NKX_MUST_USE bool nkx_array_truth(nkx_vm *vm, nkx_value a, bool *out);
NKX_MUST_USE bool nkx_array_repr(nkx_vm *vm, nkx_value a, bool str, nkx_buf *out);
/* DTYPE values, which numpy and nl share: attributes (name, itemsize, type), calling
 * (np.float32(3)). */
NKX_MUST_USE bool nkx_dtype_attr(nkx_vm *vm, nkx_value v, const nkx_name *name,
                                 nkx_value *out); /* UNSET: none */
NKX_MUST_USE bool nkx_dtype_call(nkx_vm *vm, nkx_value v, const nkx_args *a, nkx_value *out);

/* ---- tensor_methods.c: TENSOR values. Attributes and methods are rows of nkx_tensor_methods ----
 */
/* Called with keys that are not plain ints and slices: registers, tensors, nl.ds of registers. */
NKX_MUST_USE bool nkx_tensor_index(nkx_vm *vm, nkx_value t, nkx_value key, nkx_value *out);
NKX_MUST_USE bool nkx_tensor_set_index(nkx_vm *vm, nkx_value t, nkx_value key, nkx_value x);
/* A tensor is bound to a variable: it gives storage without a name= its name in messages. */
void nkx_tensor_bound(nkx_value t, const nkx_name *variable);
/* Either side is a TENSOR (and none an ARRAY). inplace: `a op= b`. */
NKX_MUST_USE bool nkx_tensor_binary(nkx_vm *vm, int op, nkx_value a, nkx_value b, bool inplace,
                                    nkx_value *out);
NKX_MUST_USE bool nkx_tensor_unary(nkx_vm *vm, int op, nkx_value a, nkx_value *out);
/* Not called for == and != with None, which are False and True. */
NKX_MUST_USE bool nkx_tensor_compare(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out);
NKX_MUST_USE bool nkx_tensor_truth(nkx_vm *vm, nkx_value a, bool *out);
/* `assert t`: every element is nonzero, as far as there are numbers; True otherwise. */
NKX_MUST_USE bool nkx_tensor_assert(nkx_vm *vm, nkx_value a, bool *out);
NKX_MUST_USE bool nkx_tensor_repr(nkx_vm *vm, nkx_value a, nkx_buf *out);

/* ---- registers.c: REGISTER values; binary, unary and compare when one side is one ---- */
NKX_MUST_USE bool nkx_register_binary(nkx_vm *vm, int op, nkx_value a, nkx_value b,
                                      nkx_value *out); /* also unary (b UNSET) and comparisons */
NKX_MUST_USE bool nkx_register_truth(nkx_vm *vm, nkx_value a, bool *out); /* `if reg`, `not reg` */
NKX_MUST_USE bool nkx_register_repr(nkx_vm *vm, nkx_value a, nkx_buf *out);
/* `while reg:` before iteration i (from 0): goes on? An unknown value runs the body once. */
NKX_MUST_USE bool nkx_register_while(nkx_vm *vm, nkx_value reg, int64_t i, bool *go_on);

/* ---- launch.c: KERNEL values (nkx_kernel_obj of vm.h) ---- */
NKX_MUST_USE bool nkx_kernel_call(nkx_vm *vm, nkx_value k, const nkx_args *a,
                                  nkx_value *out); /* inside a kernel: a plain call */
NKX_MUST_USE bool nkx_kernel_index(nkx_vm *vm, nkx_value k, nkx_value key, nkx_value *out);
NKX_MUST_USE bool nkx_kernel_attr(nkx_vm *vm, nkx_value k, const nkx_name *name,
                                  nkx_value *out); /* UNSET: none */
/* ---- mod_nl.c, mod_nisa.c ---- */
NKX_MUST_USE bool nkx_op_call(nkx_vm *vm, nkx_value op, const nkx_args *a,
                              nkx_value *out); /* nl.add(x, y) */
NKX_MUST_USE bool nkx_member_attr(nkx_vm *vm, nkx_value m, const nkx_name *name,
                                  nkx_value *out); /* UNSET: none */
void nkx_member_repr(nkx_value m, nkx_buf *out);   /* "engine.vector" */
/* `with nl.no_reorder():` is a NATIVE whose type has enter and exit. */

#endif
