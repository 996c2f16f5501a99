/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creation, views and rearrangements of host arrays. Functions return owned arrays, NULL after
 * filling in *e; views share bytes with their argument.
 */
#ifndef NKX_HOST_SHAPE_H
#define NKX_HOST_SHAPE_H

#include "interp/host/ufunc.h"

/* ---- creation ---- */
nkx_ndarray *nkx_nd_arange(nkx_dtype t, double start, double stop, double step, nkx_nd_error *e);
nkx_ndarray *nkx_nd_arange_i64(nkx_dtype t, int64_t start, int64_t stop, int64_t step,
                               nkx_nd_error *e);
nkx_ndarray *nkx_nd_linspace(nkx_dtype t, double start, double stop, int64_t n, bool endpoint,
                             double *step, nkx_nd_error *e);
nkx_ndarray *nkx_nd_eye(nkx_dtype t, int64_t rows, int64_t cols, int64_t k, nkx_nd_error *e);
nkx_ndarray *nkx_nd_tri(nkx_ndarray *a, int64_t k, bool upper,
                        nkx_nd_error *e); /* copy with zeros beyond the diagonal */
nkx_ndarray *nkx_nd_indices(int ndim, const int64_t *shape, int axis,
                            nkx_nd_error *e); /* index along axis at each place */

/* ---- views ---- */
/* One dimension may be -1. order 'C' or 'F'. A view where the layout allows, else a copy. */
nkx_ndarray *nkx_nd_reshape(nkx_ndarray *a, int ndim, const int64_t *shape, char order,
                            nkx_nd_error *e);
nkx_ndarray *nkx_nd_transpose(nkx_ndarray *a, const int64_t *axes /* NULL: reversed */, int n,
                              nkx_nd_error *e);
nkx_ndarray *nkx_nd_swapaxes(nkx_ndarray *a, int64_t x, int64_t y, nkx_nd_error *e);
nkx_ndarray *nkx_nd_moveaxis(nkx_ndarray *a, const int64_t *from, const int64_t *to, int n,
                             nkx_nd_error *e);
nkx_ndarray *nkx_nd_squeeze(nkx_ndarray *a, const int64_t *axes, int n /* -1: all */,
                            nkx_nd_error *e);
nkx_ndarray *nkx_nd_expand_dims(nkx_ndarray *a, const int64_t *axes, int n, nkx_nd_error *e);
nkx_ndarray *nkx_nd_broadcast_to(nkx_ndarray *a, int ndim, const int64_t *shape, nkx_nd_error *e);
nkx_ndarray *nkx_nd_ravel(nkx_ndarray *a, char order, bool copy, nkx_nd_error *e);
nkx_ndarray *nkx_nd_flip(nkx_ndarray *a, const int64_t *axes, int n /* -1: all */, nkx_nd_error *e);
nkx_ndarray *nkx_nd_diagonal(nkx_ndarray *a, int64_t k, int64_t axis1, int64_t axis2,
                             nkx_nd_error *e);
nkx_ndarray *nkx_nd_view_as(nkx_ndarray *a, nkx_dtype t, nkx_nd_error *e); /* a.view(dtype) */
/* a[..., lo:hi, ...] on one axis; bounds are the caller's to check. */
nkx_ndarray *nkx_nd_part(nkx_ndarray *a, int axis, int64_t lo, int64_t hi);

/* ---- joining and repeating: copies ---- */
nkx_ndarray *nkx_nd_concatenate(int n, nkx_ndarray *const *in, int64_t axis, int dtype /* -1 */,
                                nkx_nd_error *e);
nkx_ndarray *nkx_nd_stack(int n, nkx_ndarray *const *in, int64_t axis, nkx_nd_error *e);
nkx_ndarray *nkx_nd_tile(nkx_ndarray *a, int n, const int64_t *reps, nkx_nd_error *e);
/* counts: one for all, or one an index of the axis. axis NULL: of the flattened array. */
nkx_ndarray *nkx_nd_repeat(nkx_ndarray *a, int64_t n_counts, const int64_t *counts,
                           const int64_t *axis, nkx_nd_error *e);
nkx_ndarray *nkx_nd_roll(nkx_ndarray *a, int64_t shift, const int64_t *axis, nkx_nd_error *e);
typedef enum nkx_pad_mode {
    NKX_PAD_CONSTANT,
    NKX_PAD_EDGE,
    NKX_PAD_REFLECT,
    NKX_PAD_SYMMETRIC,
    NKX_PAD_WRAP
} nkx_pad_mode;
/* before and after: one pair a dimension; value: an element of a's type for CONSTANT. */
nkx_ndarray *nkx_nd_pad(nkx_ndarray *a, const int64_t *before, const int64_t *after,
                        nkx_pad_mode mode, const void *value, nkx_nd_error *e);

#endif
