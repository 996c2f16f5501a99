/* SPDX-License-Identifier: Apache-2.0 */
/* Host arrays made of others: joined, repeated, padded. All copies. Layer host. */
#include "interp/host/shape.h"

#include <string.h>

static bool join_shape(int n, nkx_ndarray *const *in, int axis, int64_t *shape, nkx_nd_error *e)
{
    for (int d = 0; d < in[0]->ndim; d++) shape[d] = in[0]->shape[d];
    for (int k = 1; k < n; k++) {
        if (in[k]->ndim != in[0]->ndim) {
            return nkx_nd_fail(e, "ValueError",
                               "all the input arrays must have same number of dimensions, but "
                               "the array at index 0 has %d dimension(s) and the array at index %d "
                               "has %d dimension(s)",
                               in[0]->ndim, k, in[k]->ndim);
        }
        for (int d = 0; d < in[0]->ndim; d++) {
            if (d == axis || in[k]->shape[d] == shape[d]) continue;
            return nkx_nd_fail(
                e, "ValueError",
                "all the input array dimensions except for the concatenation axis must match "
                "exactly, but along dimension %d, "
                "the array at index 0 has size %lld and the array at index %d has size %lld",
                d, (long long)shape[d], k, (long long)in[k]->shape[d]);
        }
        shape[axis] += in[k]->shape[axis];
    }
    return true;
}

nkx_ndarray *nkx_nd_concatenate(int n, nkx_ndarray *const *in, int64_t axis, int dtype,
                                nkx_nd_error *e)
{
    int64_t shape[NKX_ND_MAX], at = 0;
    int x;
    nkx_dtype t;
    if (n == 0) return nkx_nd_null(e, "ValueError", "need at least one array to concatenate");
    if (in[0]->ndim == 0)
        return nkx_nd_null(e, "ValueError", "zero-dimensional arrays cannot be concatenated");
    if (!nkx_nd_axis(axis, in[0]->ndim, &x, e) || !join_shape(n, in, x, shape, e)) return NULL;
    t = (nkx_dtype)in[0]->dtype;
    for (int k = 1; k < n; k++) t = nkx_promote(t, (nkx_dtype)in[k]->dtype);
    nkx_ndarray *out = nkx_nd_new(dtype >= 0 ? (nkx_dtype)dtype : t, in[0]->ndim, shape, e);
    if (out == NULL) return NULL;
    for (int k = 0; k < n; k++) {
        nkx_ndarray *part = nkx_nd_part(out, x, at, at + in[k]->shape[x]);
        bool ok = nkx_nd_assign(part, in[k], e);
        nkx_nd_drop(part);
        if (!ok) {
            nkx_nd_drop(out);
            return NULL;
        }
        at += in[k]->shape[x];
    }
    return out;
}

nkx_ndarray *nkx_nd_stack(int n, nkx_ndarray *const *in, int64_t axis, nkx_nd_error *e)
{
    int64_t shape[NKX_ND_MAX];
    int x;
    if (n == 0) return nkx_nd_null(e, "ValueError", "need at least one array to stack");
    for (int k = 1; k < n; k++) {
        if (!nkx_nd_same_shape(in[0], in[k]))
            return nkx_nd_null(e, "ValueError", "all input arrays must have the same shape");
    }
    if (in[0]->ndim >= NKX_ND_MAX)
        return nkx_nd_null(e, "ValueError",
                           "maximum supported dimension for an ndarray is currently %d",
                           NKX_ND_MAX);
    if (!nkx_nd_axis(axis, in[0]->ndim + 1, &x, e)) return NULL;
    nkx_dtype t = (nkx_dtype)in[0]->dtype;
    for (int k = 1; k < n; k++) t = nkx_promote(t, (nkx_dtype)in[k]->dtype);
    for (int d = 0; d <= in[0]->ndim; d++)
        shape[d] = d < x ? in[0]->shape[d] : d == x ? n : in[0]->shape[d - 1];
    nkx_ndarray *out = nkx_nd_new(t, in[0]->ndim + 1, shape, e);
    for (int k = 0; out != NULL && k < n; k++) {
        nkx_ndarray *part = nkx_nd_part(out, x, k, k + 1);
        int64_t ax = x;
        nkx_ndarray *slot = nkx_nd_squeeze(part, &ax, 1, e);
        bool ok = slot != NULL && nkx_nd_assign(slot, in[k], e);
        nkx_nd_drop(slot);
        nkx_nd_drop(part);
        if (!ok) {
            nkx_nd_drop(out);
            return NULL;
        }
    }
    return out;
}

nkx_ndarray *nkx_nd_tile(nkx_ndarray *a, int n, const int64_t *reps, nkx_nd_error *e)
{
    int64_t shape[NKX_ND_MAX], wide[2 * NKX_ND_MAX], ashape[2 * NKX_ND_MAX];
    int ndim = a->ndim > n ? a->ndim : n;
    if (ndim * 2 > NKX_ND_MAX)
        return nkx_nd_null(e, "ValueError", "tile of more than %d dimensions", NKX_ND_MAX / 2);
    /* out[r0, a0, r1, a1, ...] = a[a0, a1, ...] */
    for (int d = 0; d < ndim; d++) {
        int64_t len = d < ndim - a->ndim ? 1 : a->shape[d - (ndim - a->ndim)];
        int64_t rep = d < ndim - n ? 1 : reps[d - (ndim - n)];
        if (rep < 0) return nkx_nd_null(e, "ValueError", "negative dimensions are not allowed");
        wide[2 * d] = rep;
        wide[2 * d + 1] = len;
        ashape[2 * d] = 1;
        ashape[2 * d + 1] = len;
        if (!nkx_mul_i64(rep, len, &shape[d]))
            return nkx_nd_null(e, "MemoryError", "the tiled array is too large");
    }
    nkx_ndarray *out = nkx_nd_new((nkx_dtype)a->dtype, ndim, shape, e);
    if (out == NULL) return NULL;
    nkx_ndarray *to = nkx_nd_reshape(out, 2 * ndim, wide, 'C', e);
    nkx_ndarray *from = nkx_nd_reshape(a, 2 * ndim, ashape, 'C', e);
    bool ok = to != NULL && from != NULL && nkx_nd_assign(to, from, e);
    nkx_nd_drop(to);
    nkx_nd_drop(from);
    if (!ok) {
        nkx_nd_drop(out);
        return NULL;
    }
    return out;
}

nkx_ndarray *nkx_nd_repeat(nkx_ndarray *a, int64_t n_counts, const int64_t *counts,
                           const int64_t *axis, nkx_nd_error *e)
{
    int64_t shape[NKX_ND_MAX], total = 0, at = 0;
    int x = 0;
    if (axis == NULL) {
        int64_t zero = 0;
        nkx_ndarray *flat = nkx_nd_ravel(a, 'C', false, e);
        nkx_ndarray *r = flat != NULL ? nkx_nd_repeat(flat, n_counts, counts, &zero, e) : NULL;
        nkx_nd_drop(flat);
        return r;
    }
    if (!nkx_nd_axis(*axis, a->ndim, &x, e)) return NULL;
    if (n_counts != 1 && n_counts != a->shape[x]) {
        return nkx_nd_null(e, "ValueError",
                           "operands could not be broadcast together with shape (%lld,) (%lld,)",
                           (long long)a->shape[x], (long long)n_counts);
    }
    for (int64_t i = 0; i < a->shape[x]; i++) {
        int64_t c = counts[n_counts == 1 ? 0 : i];
        if (c < 0) return nkx_nd_null(e, "ValueError", "repeats may not contain negative values.");
        if (!nkx_add_i64(total, c, &total))
            return nkx_nd_null(e, "MemoryError", "the repeated array is too large");
    }
    for (int d = 0; d < a->ndim; d++) shape[d] = d == x ? total : a->shape[d];
    nkx_ndarray *out = nkx_nd_new((nkx_dtype)a->dtype, a->ndim, shape, e);
    for (int64_t i = 0; out != NULL && i < a->shape[x]; i++) {
        int64_t c = counts[n_counts == 1 ? 0 : i];
        nkx_ndarray *to = nkx_nd_part(out, x, at, at + c), *from = nkx_nd_part(a, x, i, i + 1);
        bool ok = nkx_nd_assign(to, from, e);
        NKX_ASSERT(ok);
        nkx_nd_drop(to);
        nkx_nd_drop(from);
        at += c;
    }
    return out;
}

nkx_ndarray *nkx_nd_roll(nkx_ndarray *a, int64_t shift, const int64_t *axis, nkx_nd_error *e)
{
    int x = 0;
    if (axis == NULL) {
        int64_t zero = 0;
        nkx_ndarray *flat = nkx_nd_ravel(a, 'C', false, e);
        nkx_ndarray *r = flat != NULL ? nkx_nd_roll(flat, shift, &zero, e) : NULL;
        nkx_nd_drop(flat);
        nkx_ndarray *out = r != NULL ? nkx_nd_reshape(r, a->ndim, a->shape, 'C', e) : NULL;
        nkx_nd_drop(r);
        return out;
    }
    if (!nkx_nd_axis(*axis, a->ndim, &x, e)) return NULL;
    nkx_ndarray *out = nkx_nd_copy(a);
    int64_t n = a->shape[x], s = n == 0 ? 0 : ((shift % n) + n) % n;
    if (s == 0) return out;
    for (int part = 0; part < 2; part++) {
        int64_t lo = part == 0 ? 0 : n - s, hi = part == 0 ? n - s : n, to = part == 0 ? s : 0;
        nkx_ndarray *src = nkx_nd_part(a, x, lo, hi), *dst = nkx_nd_part(out, x, to, to + hi - lo);
        bool ok = nkx_nd_assign(dst, src, e);
        NKX_ASSERT(ok);
        nkx_nd_drop(src);
        nkx_nd_drop(dst);
    }
    return out;
}

/* Where index i of the padded axis is read from; -1: the constant. */
static int64_t pad_source(int64_t i, int64_t before, int64_t n, nkx_pad_mode mode)
{
    int64_t k = i - before, p;
    if (k >= 0 && k < n) return k;
    switch (mode) {
    case NKX_PAD_CONSTANT: return -1;
    case NKX_PAD_EDGE: return k < 0 ? 0 : n - 1;
    case NKX_PAD_WRAP: return ((k % n) + n) % n;
    case NKX_PAD_REFLECT:
        if (n == 1) return 0;
        p = 2 * (n - 1);
        k = ((k % p) + p) % p;
        return k < n ? k : p - k;
    case NKX_PAD_SYMMETRIC:
        p = 2 * n;
        k = ((k % p) + p) % p;
        return k < n ? k : p - 1 - k;
    }
    return -1;
}

/* Pads one axis of `out`, whose middle part is already there along all axes before it. */
static void pad_axis(nkx_ndarray *out, int x, int64_t before, int64_t n, nkx_pad_mode mode)
{
    nkx_nd_error e;
    for (int64_t i = 0; i < out->shape[x]; i++) {
        int64_t k = pad_source(i, before, n, mode);
        if (k < 0 || k + before == i) continue;
        nkx_ndarray *dst = nkx_nd_part(out, x, i, i + 1),
                    *src = nkx_nd_part(out, x, before + k, before + k + 1);
        bool ok = nkx_nd_assign(dst, src, &e);
        NKX_ASSERT(ok);
        nkx_nd_drop(dst);
        nkx_nd_drop(src);
    }
}

nkx_ndarray *nkx_nd_pad(nkx_ndarray *a, const int64_t *before, const int64_t *after,
                        nkx_pad_mode mode, const void *value, nkx_nd_error *e)
{
    int64_t shape[NKX_ND_MAX];
    for (int d = 0; d < a->ndim; d++) {
        if (before[d] < 0 || after[d] < 0)
            return nkx_nd_null(e, "ValueError", "index can't contain negative values");
        if (!nkx_add_i64(a->shape[d], before[d], &shape[d]) ||
            !nkx_add_i64(shape[d], after[d], &shape[d])) {
            return nkx_nd_null(e, "MemoryError", "the padded array is too large");
        }
        if (a->shape[d] == 0 && mode != NKX_PAD_CONSTANT && before[d] + after[d] > 0) {
            return nkx_nd_null(
                e, "ValueError",
                "can't extend empty axis %d using modes other than 'constant' or 'empty'", d);
        }
    }
    nkx_ndarray *out = nkx_nd_new((nkx_dtype)a->dtype, a->ndim, shape, e);
    if (out == NULL) return NULL;
    if (mode == NKX_PAD_CONSTANT) nkx_nd_fill(out, value);
    nkx_ndarray *mid = nkx_nd_view(out);
    for (int d = 0; d < a->ndim; d++) {
        mid->at += before[d] * mid->stride[d];
        mid->shape[d] = a->shape[d];
    }
    bool ok = nkx_nd_assign(mid, a, e);
    nkx_nd_drop(mid);
    NKX_ASSERT(ok);
    for (int d = 0; mode != NKX_PAD_CONSTANT && d < a->ndim; d++)
        pad_axis(out, d, before[d], a->shape[d], mode);
    return out;
}
