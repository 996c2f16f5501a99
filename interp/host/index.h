/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indexing of host arrays, NumPy's rules: ints, slices, Ellipsis and None give views; integer and
 * boolean arrays give copies and may be assigned through.
 */
#ifndef NKX_HOST_INDEX_H
#define NKX_HOST_INDEX_H

#include "interp/host/cast.h"

typedef enum nkx_nd_ix_kind {
    NKX_NDIX_INT,
    NKX_NDIX_SLICE,
    NKX_NDIX_ELLIPSIS,
    NKX_NDIX_NEWAXIS,
    NKX_NDIX_ARRAY
} nkx_nd_ix_kind;

typedef struct nkx_nd_index {
    nkx_nd_ix_kind kind;
    bool has_start, has_stop;
    int64_t start, stop, step; /* INT: start. SLICE: step 1 when not given */
    nkx_ndarray *array;        /* ARRAY: integers or bool; borrowed */
} nkx_nd_index;

/* Owned: a view, a scalar where only ints select, a copy where arrays do. */
nkx_ndarray *nkx_nd_index_get(nkx_ndarray *a, const nkx_nd_index *ix, int n, nkx_nd_error *e);
NKX_MUST_USE bool nkx_nd_index_set(nkx_ndarray *a, const nkx_nd_index *ix, int n,
                                   nkx_ndarray *value, nkx_nd_error *e);

typedef enum nkx_take_mode { NKX_TAKE_RAISE, NKX_TAKE_WRAP, NKX_TAKE_CLIP } nkx_take_mode;
nkx_ndarray *nkx_nd_take(nkx_ndarray *a, nkx_ndarray *idx, const int64_t *axis, nkx_take_mode mode,
                         nkx_nd_error *e);
nkx_ndarray *nkx_nd_take_along(nkx_ndarray *a, nkx_ndarray *idx, const int64_t *axis,
                               nkx_nd_error *e);
NKX_MUST_USE bool nkx_nd_put_along(nkx_ndarray *a, nkx_ndarray *idx, nkx_ndarray *values,
                                   const int64_t *axis, nkx_nd_error *e);
/* Places of the elements that are not zero: one int64 array a dimension into out[0..ndim-1]. */
NKX_MUST_USE bool nkx_nd_nonzero(nkx_ndarray *a, nkx_ndarray **out, nkx_nd_error *e);
/* a[idx] op= values where every index counts, also repeated ones: np.add.at. */
NKX_MUST_USE bool nkx_nd_ufunc_at(int ufunc, nkx_ndarray *a, nkx_ndarray *idx, nkx_ndarray *values,
                                  nkx_nd_error *e);

#endif
