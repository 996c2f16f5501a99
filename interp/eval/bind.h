/* SPDX-License-Identifier: Apache-2.0 */
/* Values to operands: between bind.c and bind_value.c. Private to eval. */
#ifndef NKX_EVAL_BIND_H
#define NKX_EVAL_BIND_H

#include "interp/eval/nki.h"

/* Converts v for parameter i of the row. Lists go to the scratch arena. False after raising. */
NKX_MUST_USE bool nkx_bind_value(nkx_vm *vm, const nkx_insn *row, int i, nkx_value v, nkx_span span,
                                 nkx_arg *out);
/* Items of a tuple or list, borrowed; false for anything else. */
bool nkx_sequence(nkx_value v, const nkx_value **at, uint32_t *n);

#endif
