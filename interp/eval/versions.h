/* SPDX-License-Identifier: Apache-2.0 */
/* Names that came with later NKI versions than the one whose rules hold (--nki). Layer eval. */
#ifndef NKX_EVAL_VERSIONS_H
#define NKX_EVAL_VERSIONS_H

#include "interp/eval/vm.h"

#define NKX_NKI_LATEST 6

/* 0.N that brought an attribute of a module, tensor or other object when the running program may
 * not see it yet; 0 otherwise. */
int nkx_newer_name(const nkx_vm *vm, nkx_value v, const nkx_name *name);
/* Says so: an exception of the kind named. */
void nkx_raise_newer(nkx_vm *vm, const char *kind, nkx_value v, const nkx_name *name);

#endif
