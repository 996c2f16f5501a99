/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of host arrays. float32 and float64 go to the BLAS, small floats through float32,
 * integers through exact 64-bit loops. Small linear systems are solved by elimination in float64.
 */
#ifndef NKX_HOST_LINALG_H
#define NKX_HOST_LINALG_H

#include "interp/host/cast.h"

nkx_ndarray *nkx_nd_matmul(nkx_ndarray *a, nkx_ndarray *b, nkx_nd_error *e);
nkx_ndarray *nkx_nd_dot(nkx_ndarray *a, nkx_ndarray *b, nkx_nd_error *e);
nkx_ndarray *nkx_nd_tensordot(nkx_ndarray *a, nkx_ndarray *b, const int64_t *axa,
                              const int64_t *axb, int n, nkx_nd_error *e);
nkx_ndarray *nkx_nd_inner(nkx_ndarray *a, nkx_ndarray *b, nkx_nd_error *e);
nkx_ndarray *nkx_nd_outer(nkx_ndarray *a, nkx_ndarray *b, nkx_nd_error *e);
/* "ij,jk->ik" on n operands; ellipses allowed. */
nkx_ndarray *nkx_nd_einsum(const char *spec, int n, nkx_ndarray *const *in, nkx_nd_error *e);
/* Square matrices. solve: a x = b. */
nkx_ndarray *nkx_nd_solve(nkx_ndarray *a, nkx_ndarray *b, nkx_nd_error *e);
nkx_ndarray *nkx_nd_inv(nkx_ndarray *a, nkx_nd_error *e);
NKX_MUST_USE bool nkx_nd_det(nkx_ndarray *a, double *out, nkx_nd_error *e);

#endif
