/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about classes share: class.c, class_fields.c, class_enum.c, class_core.c. Private
 * to eval. */
#ifndef NKX_EVAL_CLASSES_H
#define NKX_EVAL_CLASSES_H

#include "interp/eval/walk.h"

typedef struct nkx_class_build { /* a class body that is running */
    nkx_class *cls;
    bool kw_only; /* behind `_: KW_ONLY` */
} nkx_class_build;

nkx_class *nkx_class_new(nkx_vm *vm, const nkx_name *name, const char *qualname, nkx_class *base);
/* Runs __init__, or fills fields, of a fresh instance; pops what was passed. */
bool nkx_init_instance(nkx_vm *vm, nkx_value self, nkx_pass *p);
bool nkx_init_fields(nkx_vm *vm, nkx_value self, nkx_pass *p);
/* Is the default given by dataclasses.field()? Then takes it apart. */
bool nkx_field_from_spec(nkx_value dflt, nkx_field *fd);
/* A plain assignment in a class body that makes a field of an NKIObject class. */
bool nkx_is_field_value(const nkx_name *name, nkx_value v);
void nkx_build_plain_field(nkx_frame *f, const nkx_name *name, nkx_value v);
/* NamedTuple: _asdict, _replace, _make of the base; _fields of a class. */
void nkx_named_tuple_init(nkx_vm *vm, nkx_class *c);
void nkx_named_tuple_finish(nkx_vm *vm, nkx_class *c);
bool nkx_finish_enum(nkx_vm *vm, nkx_class *c);
bool nkx_call_enum(nkx_vm *vm, nkx_class *c, nkx_pass *p, nkx_value *out);

extern const nkx_module_def nkx_mod_dataclasses, nkx_mod_enum;

#endif
