/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions, scans and orders of host arrays. Sums are made in NumPy's order (pairwise along the
 * innermost axis, row by row elsewhere), so that float results agree with NumPy's to the bit.
 */
#ifndef NKX_HOST_REDUCE_H
#define NKX_HOST_REDUCE_H

#include "interp/host/ufunc.h"

/* Which axes: bit d of mask. Made from Python's axis argument by nkx_nd_axes. */
typedef struct nkx_axes {
    uint32_t mask;
    bool keepdims;
} nkx_axes;
#define NKX_AXES_ALL ((nkx_axes){.mask = UINT32_MAX, .keepdims = false})
NKX_MUST_USE bool nkx_nd_axes(int ndim, const int64_t *axes, int n, bool keepdims, nkx_axes *out,
                              nkx_nd_error *e);

typedef struct nkx_reduce_opts {
    int dtype;            /* -1: by NumPy's rule (integers sum in 64 bits) */
    nkx_ndarray *initial; /* 0-d, or NULL */
    nkx_ndarray *where;   /* bool mask, or NULL */
} nkx_reduce_opts;

/* Owned; a NumPy scalar where no dimension is left. */
nkx_ndarray *nkx_nd_reduce(nkx_ufunc f, nkx_ndarray *a, nkx_axes ax, const nkx_reduce_opts *o,
                           nkx_nd_error *e);
nkx_ndarray *nkx_nd_sum(nkx_ndarray *a, nkx_axes ax, int dtype, nkx_nd_error *e);
nkx_ndarray *nkx_nd_mean(nkx_ndarray *a, nkx_axes ax, int dtype, nkx_ndarray *where,
                         nkx_nd_error *e);
nkx_ndarray *nkx_nd_var(nkx_ndarray *a, nkx_axes ax, int dtype, double ddof, bool root,
                        nkx_nd_error *e);
nkx_ndarray *nkx_nd_any(nkx_ndarray *a, nkx_axes ax, bool all, nkx_nd_error *e);
nkx_ndarray *nkx_nd_count_nonzero(nkx_ndarray *a, nkx_axes ax, nkx_nd_error *e);
/* Index of the first largest (smallest) element; axis NULL: of the flattened array. */
nkx_ndarray *nkx_nd_argmax(nkx_ndarray *a, const int64_t *axis, bool keepdims, bool min,
                           nkx_nd_error *e);
/* Running reduction along an axis, NULL: of the flattened array. */
nkx_ndarray *nkx_nd_accumulate(nkx_ufunc f, nkx_ndarray *a, const int64_t *axis, int dtype,
                               nkx_nd_error *e);
nkx_ndarray *nkx_nd_diff(nkx_ndarray *a, int n, int64_t axis, nkx_nd_error *e);

/* ---- sort.c ---- */
nkx_ndarray *nkx_nd_sort(nkx_ndarray *a, const int64_t *axis, bool args,
                         nkx_nd_error *e); /* NaN last, stable */
typedef struct nkx_unique_out {
    nkx_ndarray *values, *index, *inverse, *counts; /* owned; the last three only when asked for */
} nkx_unique_out;
NKX_MUST_USE bool nkx_nd_unique(nkx_ndarray *a, bool index, bool inverse, bool counts,
                                nkx_unique_out *out, nkx_nd_error *e);
nkx_ndarray *nkx_nd_searchsorted(nkx_ndarray *sorted, nkx_ndarray *v, bool right, nkx_nd_error *e);
/* q in 0..1, linear interpolation. */
nkx_ndarray *nkx_nd_quantile(nkx_ndarray *a, nkx_ndarray *q, const int64_t *axis, bool keepdims,
                             nkx_nd_error *e);
nkx_ndarray *nkx_nd_bincount(nkx_ndarray *a, nkx_ndarray *weights, int64_t minlength,
                             nkx_nd_error *e);

#endif
