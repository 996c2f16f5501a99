/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host arrays: what `numpy` is in a program. N-d, strided views on counted byte blocks, all device
 * types plus int64, uint64, float64. Semantics are NumPy's (broadcasting, weak Python scalars, views for
 * basic slices). This layer knows nothing of the language; eval/mod_numpy*.c gives it names.
 */
#ifndef NKX_HOST_NDARRAY_H
#define NKX_HOST_NDARRAY_H

#include "interp/base/buf.h"
#include "interp/num/dtype.h"

#define NKX_ND_MAX 16

typedef struct nkx_block { uint32_t refs; size_t bytes; uint8_t *at; bool external; } nkx_block;

typedef struct nkx_ndarray {
    uint32_t   refs;
    uint8_t    dtype, ndim;
    nkx_block *block;
    uint8_t   *at; /* first element */
    int64_t    shape[NKX_ND_MAX], stride[NKX_ND_MAX]; /* stride in bytes */
} nkx_ndarray;

/* Errors: false with a message in *why (owned by the caller's buf); category is Python's exception name. */
typedef struct nkx_nd_error { const char *exception; char text[240]; } nkx_nd_error;

nkx_ndarray *nkx_nd_new(nkx_dtype t, int ndim, const int64_t *shape, nkx_nd_error *e); /* zeroed; NULL on error (size limit) */
static inline nkx_ndarray *nkx_nd_ref(nkx_ndarray *a) { a->refs++; return a; }
void    nkx_nd_drop(nkx_ndarray *a);
int64_t nkx_nd_size(const nkx_ndarray *a);
bool    nkx_nd_is_dense(const nkx_ndarray *a); /* C-contiguous */
nkx_ndarray *nkx_nd_dense(nkx_ndarray *a);     /* owned: itself or a C-contiguous copy */
nkx_ndarray *nkx_nd_astype(nkx_ndarray *a, nkx_dtype t); /* always a copy; owned */

/* .npy: all types, C and Fortran order, bf16 and friends as ml_dtypes writes them (|V2 with a hint; `as` overrides). */
NKX_MUST_USE bool nkx_npy_load(const char *path, int as_dtype /* -1 */, nkx_ndarray **out, nkx_nd_error *e);
NKX_MUST_USE bool nkx_npy_save(const char *path, const nkx_ndarray *a, nkx_nd_error *e);

#endif
