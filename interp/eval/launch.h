/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of a launch: between launch.c and launch_args.c. Private to eval. */
#ifndef NKX_EVAL_LAUNCH_H
#define NKX_EVAL_LAUNCH_H

#include "interp/eval/nki.h"

/* A host array that became an HBM tensor. */
typedef struct nkx_launch_array {
    nkx_ndarray *given; /* owned: the caller's */
    nkx_ndarray *bytes; /* owned: what the tensor lies over; given itself when its elements are
                           dense and writable */
    nkx_view *view;     /* owned */
} nkx_launch_array;

typedef struct nkx_launch_args {
    nkx_value *at; /* owned values, as many as the call has */
    uint32_t n;
    NKX_VEC(nkx_launch_array) arrays;
} nkx_launch_args;

/* Converts what a kernel is called with (isa.md 6.1). False after raising; fini in any case. */
NKX_MUST_USE bool nkx_launch_args_make(nkx_vm *vm, const nkx_kernel_obj *k, const nkx_args *a,
                                       nkx_launch_args *out);
/* After the run: arrays that were written in place get their elements back when `done`. False after
 * raising. */
NKX_MUST_USE bool nkx_launch_args_end(nkx_vm *vm, nkx_launch_args *la, bool done);
void nkx_launch_args_fini(nkx_launch_args *la);
/* What `kernel.benchmark_result` gives: the modelled time of the last launch. mod_nki.c. */
NKX_MUST_USE bool nkx_benchmark_result(nkx_vm *vm, nkx_value *out);

#endif
