/* SPDX-License-Identifier: Apache-2.0 */
/* Views and rearrangements of host arrays. Layer host. */
#include "interp/host/shape.h"

#include <string.h>

/* ---- reshape ---- */

static bool complete_shape(const nkx_ndarray *a, int ndim, const int64_t *want, int64_t *shape,
                           nkx_nd_error *e)
{
    char text[96];
    int64_t known = 1, size = nkx_nd_size(a);
    int open = -1;
    for (int d = 0; d < ndim; d++) {
        shape[d] = want[d];
        if (want[d] < 0) {
            if (open >= 0)
                return nkx_nd_fail(e, "ValueError", "can only specify one unknown dimension");
            open = d;
        } else if (!nkx_mul_i64(known, want[d], &known)) {
            known = -1;
            break;
        }
    }
    bool fits = open < 0 ? known == size : known > 0 && size % known == 0;
    if (!fits) {
        return nkx_nd_fail(e, "ValueError", "cannot reshape array of size %lld into shape %s",
                           (long long)size, nkx_nd_shape_str(text, sizeof text, ndim, want));
    }
    if (open >= 0) shape[open] = size / known;
    return true;
}

/* Strides of a view with the new shape, C order; false where elements would have to move. */
static bool view_strides(const nkx_ndarray *a, int ndim, const int64_t *shape, int64_t *stride)
{
    int64_t os[NKX_ND_MAX], ot[NKX_ND_MAX];
    int on = 0, oi = 0, oj = 1, ni = 0, nj = 1;
    for (int d = 0; d < a->ndim; d++) {
        if (a->shape[d] == 1) continue;
        os[on] = a->shape[d];
        ot[on++] = a->stride[d];
    }
    while (ni < ndim && oi < on) {
        int64_t np = shape[ni], op = os[oi];
        while (np != op) {
            if (np < op) {
                if (nj >= ndim) return false;
                np *= shape[nj++];
            } else {
                if (oj >= on) return false;
                op *= os[oj++];
            }
        }
        for (int k = oi; k < oj - 1; k++) {
            if (ot[k] != os[k + 1] * ot[k + 1]) return false;
        }
        stride[nj - 1] = ot[oj - 1];
        for (int k = nj - 1; k > ni; k--) stride[k - 1] = stride[k] * shape[k];
        ni = nj++;
        oi = oj++;
    }
    int64_t last = ni >= 1 ? stride[ni - 1] : nkx_dtype_bytes((nkx_dtype)a->dtype);
    for (int k = ni; k < ndim; k++) stride[k] = last;
    return true;
}

static nkx_ndarray *with_shape(const nkx_ndarray *a, int ndim, const int64_t *shape,
                               const int64_t *stride)
{
    nkx_ndarray *v = nkx_nd_view(a);
    v->scalar = false;
    v->ndim = (uint8_t)ndim;
    for (int d = 0; d < ndim; d++) {
        v->shape[d] = shape[d];
        v->stride[d] = stride[d];
    }
    return v;
}

static nkx_ndarray *reshape_c(nkx_ndarray *a, int ndim, const int64_t *shape, nkx_nd_error *e)
{
    int64_t stride[NKX_ND_MAX];
    bool empty = nkx_nd_size(a) == 0;
    if (a->block == NULL || empty) { /* a scalar's bytes are its own; an empty array has none */
        nkx_ndarray *c = nkx_nd_new((nkx_dtype)a->dtype, ndim, shape, e);
        if (c != NULL && !empty) memcpy(c->at, a->at, (size_t)nkx_dtype_bytes((nkx_dtype)a->dtype));
        return c;
    }
    if (view_strides(a, ndim, shape, stride)) return with_shape(a, ndim, shape, stride);
    nkx_ndarray *c = nkx_nd_copy(a);
    bool ok = view_strides(c, ndim, shape, stride);
    NKX_ASSERT(ok);
    nkx_ndarray *v = with_shape(c, ndim, shape, stride);
    nkx_nd_drop(c);
    return v;
}

nkx_ndarray *nkx_nd_reshape(nkx_ndarray *a, int ndim, const int64_t *want, char order,
                            nkx_nd_error *e)
{
    int64_t shape[NKX_ND_MAX], rev[NKX_ND_MAX];
    if (ndim > NKX_ND_MAX)
        return nkx_nd_null(e, "ValueError",
                           "maximum supported dimension for an ndarray is currently %d, found %d",
                           NKX_ND_MAX, ndim);
    if (!complete_shape(a, ndim, want, shape, e)) return NULL;
    if (order != 'F') return reshape_c(a, ndim, shape, e);
    /* Fortran order is C order of the transposes. */
    for (int d = 0; d < ndim; d++) rev[d] = shape[ndim - 1 - d];
    nkx_ndarray *t = nkx_nd_transpose(a, NULL, 0, e);
    if (t == NULL) return NULL;
    nkx_ndarray *r = reshape_c(t, ndim, rev, e);
    nkx_nd_drop(t);
    if (r == NULL) return NULL;
    t = nkx_nd_transpose(r, NULL, 0, e);
    nkx_nd_drop(r);
    return t;
}

/* ---- axes ---- */

nkx_ndarray *nkx_nd_transpose(nkx_ndarray *a, const int64_t *axes, int n, nkx_nd_error *e)
{
    int64_t shape[NKX_ND_MAX], stride[NKX_ND_MAX];
    bool seen[NKX_ND_MAX] = {false};
    if (axes != NULL && n != a->ndim) return nkx_nd_null(e, "ValueError", "axes don't match array");
    for (int d = 0; d < a->ndim; d++) {
        int from = a->ndim - 1 - d;
        if (axes != NULL && !nkx_nd_axis(axes[d], a->ndim, &from, e)) return NULL;
        if (seen[from]) return nkx_nd_null(e, "ValueError", "repeated axis in transpose");
        seen[from] = true;
        shape[d] = a->shape[from];
        stride[d] = a->stride[from];
    }
    return with_shape(a, a->ndim, shape, stride);
}

nkx_ndarray *nkx_nd_swapaxes(nkx_ndarray *a, int64_t x, int64_t y, nkx_nd_error *e)
{
    int64_t axes[NKX_ND_MAX];
    int i, j;
    if (!nkx_nd_axis(x, a->ndim, &i, e) || !nkx_nd_axis(y, a->ndim, &j, e)) return NULL;
    for (int d = 0; d < a->ndim; d++) axes[d] = d == i ? j : d == j ? i : d;
    return nkx_nd_transpose(a, axes, a->ndim, e);
}

nkx_ndarray *nkx_nd_moveaxis(nkx_ndarray *a, const int64_t *from, const int64_t *to, int n,
                             nkx_nd_error *e)
{
    int64_t axes[NKX_ND_MAX];
    int src[NKX_ND_MAX];
    bool moved[NKX_ND_MAX] = {false}, filled[NKX_ND_MAX] = {false};
    for (int d = 0; d < NKX_ND_MAX; d++) axes[d] = -1;
    for (int k = 0; k < n; k++) {
        int dst;
        if (!nkx_nd_axis(from[k], a->ndim, &src[k], e) || !nkx_nd_axis(to[k], a->ndim, &dst, e))
            return NULL;
        if (moved[src[k]] || filled[dst])
            return nkx_nd_null(e, "ValueError",
                               "repeated axis in `source` or `destination` argument");
        moved[src[k]] = filled[dst] = true;
        axes[dst] = src[k];
    }
    for (int d = 0, s = 0; d < a->ndim; d++) {
        if (filled[d]) continue;
        while (moved[s]) s++;
        axes[d] = s++;
    }
    return nkx_nd_transpose(a, axes, a->ndim, e);
}

nkx_ndarray *nkx_nd_squeeze(nkx_ndarray *a, const int64_t *axes, int n, nkx_nd_error *e)
{
    int64_t shape[NKX_ND_MAX], stride[NKX_ND_MAX];
    bool go[NKX_ND_MAX] = {false};
    int out = 0;
    for (int k = 0; k < n; k++) {
        int d;
        if (!nkx_nd_axis(axes[k], a->ndim, &d, e)) return NULL;
        if (a->shape[d] != 1)
            return nkx_nd_null(
                e, "ValueError",
                "cannot select an axis to squeeze out which has size not equal to one");
        go[d] = true;
    }
    for (int d = 0; d < a->ndim; d++) {
        if (n < 0 ? a->shape[d] == 1 : go[d]) continue;
        shape[out] = a->shape[d];
        stride[out++] = a->stride[d];
    }
    return with_shape(a, out, shape, stride);
}

nkx_ndarray *nkx_nd_expand_dims(nkx_ndarray *a, const int64_t *axes, int n, nkx_nd_error *e)
{
    int64_t shape[NKX_ND_MAX], stride[NKX_ND_MAX];
    bool fresh[NKX_ND_MAX] = {false};
    int ndim = a->ndim + n;
    if (ndim > NKX_ND_MAX)
        return nkx_nd_null(e, "ValueError",
                           "maximum supported dimension for an ndarray is currently %d, found %d",
                           NKX_ND_MAX, ndim);
    for (int k = 0; k < n; k++) {
        int d;
        if (!nkx_nd_axis(axes[k], ndim, &d, e)) return NULL;
        if (fresh[d]) return nkx_nd_null(e, "ValueError", "repeated axis");
        fresh[d] = true;
    }
    for (int d = 0, s = 0; d < ndim; d++) {
        shape[d] = fresh[d] ? 1 : a->shape[s];
        stride[d] = fresh[d] ? 0 : a->stride[s++];
    }
    if (a->block != NULL) return with_shape(a, ndim, shape, stride);
    return nkx_nd_reshape(a, ndim, shape, 'C', e);
}

nkx_ndarray *nkx_nd_broadcast_to(nkx_ndarray *a, int ndim, const int64_t *shape, nkx_nd_error *e)
{
    int64_t stride[NKX_ND_MAX];
    char from[96], to[96];
    bool ok = a->ndim <= ndim && ndim <= NKX_ND_MAX;
    for (int d = 0; ok && d < a->ndim; d++) {
        int64_t want = shape[d + ndim - a->ndim];
        ok = a->shape[d] == want || a->shape[d] == 1;
    }
    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 0)
            return nkx_nd_null(e, "ValueError",
                               "all elements of broadcast shape must be non-negative");
    }
    if (!ok) {
        return nkx_nd_null(e, "ValueError",
                           "operands could not be broadcast together with remapped shapes "
                           "[original->remapped]: %s  and requested shape %s",
                           nkx_nd_shape_str(from, sizeof from, a->ndim, a->shape),
                           nkx_nd_shape_str(to, sizeof to, ndim, shape));
    }
    nkx_ndarray *base = a->block == NULL ? nkx_nd_reshape(a, 0, NULL, 'C', e) : nkx_nd_ref(a);
    if (base == NULL) return NULL;
    nkx_nd_broadcast_strides(base, ndim, shape, stride);
    nkx_ndarray *v = with_shape(base, ndim, shape, stride);
    v->readonly = true;
    nkx_nd_drop(base);
    return v;
}

nkx_ndarray *nkx_nd_ravel(nkx_ndarray *a, char order, bool copy, nkx_nd_error *e)
{
    int64_t n = nkx_nd_size(a);
    nkx_ndarray *r = nkx_nd_reshape(a, 1, &n, order, e);
    if (r == NULL || !copy || !nkx_nd_overlap(r, a)) return r;
    nkx_ndarray *c = nkx_nd_copy(r);
    nkx_nd_drop(r);
    return c;
}

nkx_ndarray *nkx_nd_flip(nkx_ndarray *a, const int64_t *axes, int n, nkx_nd_error *e)
{
    nkx_ndarray *v = nkx_nd_view(a);
    for (int k = 0; k < (n < 0 ? a->ndim : n); k++) {
        int d = k;
        if (n >= 0 && !nkx_nd_axis(axes[k], a->ndim, &d, e)) {
            nkx_nd_drop(v);
            return NULL;
        }
        if (v->shape[d] > 0) v->at += v->stride[d] * (v->shape[d] - 1);
        v->stride[d] = -v->stride[d];
    }
    return v;
}

nkx_ndarray *nkx_nd_diagonal(nkx_ndarray *a, int64_t k, int64_t axis1, int64_t axis2,
                             nkx_nd_error *e)
{
    int64_t shape[NKX_ND_MAX], stride[NKX_ND_MAX];
    int x, y, out = 0;
    if (a->ndim < 2)
        return nkx_nd_null(e, "ValueError", "diag requires an array of at least two dimensions");
    if (!nkx_nd_axis(axis1, a->ndim, &x, e) || !nkx_nd_axis(axis2, a->ndim, &y, e)) return NULL;
    if (x == y) return nkx_nd_null(e, "ValueError", "axis1 and axis2 cannot be the same");
    for (int d = 0; d < a->ndim; d++) {
        if (d == x || d == y) continue;
        shape[out] = a->shape[d];
        stride[out++] = a->stride[d];
    }
    int64_t r0 = k < 0 ? -k : 0, c0 = k > 0 ? k : 0;
    int64_t rows = a->shape[x] - r0, cols = a->shape[y] - c0, n = rows < cols ? rows : cols;
    shape[out] = n > 0 ? n : 0;
    stride[out++] = a->stride[x] + a->stride[y];
    nkx_ndarray *v = with_shape(a, out, shape, stride);
    if (n > 0) v->at += r0 * a->stride[x] + c0 * a->stride[y];
    return v;
}

nkx_ndarray *nkx_nd_view_as(nkx_ndarray *a, nkx_dtype t, nkx_nd_error *e)
{
    int64_t from = nkx_dtype_bytes((nkx_dtype)a->dtype), to = nkx_dtype_bytes(t);
    if (from == to) {
        nkx_ndarray *v = nkx_nd_view(a);
        v->dtype = (uint8_t)t;
        v->scalar = a->scalar;
        return v;
    }
    if (a->ndim == 0) {
        return nkx_nd_null(
            e, "ValueError",
            "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
    }
    int last = a->ndim - 1;
    if (a->shape[last] != 1 && a->stride[last] != from && nkx_nd_size(a) != 0) {
        return nkx_nd_null(
            e, "ValueError",
            "To change to a dtype of a different size, the last axis must be contiguous");
    }
    int64_t bytes = a->shape[last] * from;
    if (bytes % to != 0) {
        return nkx_nd_null(e, "ValueError",
                           "When changing to a larger dtype, its size must be a divisor of the "
                           "total size in bytes of the last axis of the array.");
    }
    nkx_ndarray *v = nkx_nd_view(a);
    v->dtype = (uint8_t)t;
    v->shape[last] = bytes / to;
    v->stride[last] = to;
    return v;
}

nkx_ndarray *nkx_nd_part(nkx_ndarray *a, int axis, int64_t lo, int64_t hi)
{
    nkx_ndarray *v = nkx_nd_view(a);
    v->at += lo * v->stride[axis];
    v->shape[axis] = hi - lo;
    return v;
}
