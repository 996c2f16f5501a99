/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indexing of host arrays. One pass over the items builds a view of the dimensions that slices and
 * None leave, and a list of the dimensions that arrays select. The arrays are broadcast together to
 * a list of byte offsets; each offset then moves one sub-array. Layer host.
 */
#include "interp/host/index.h"
#include "interp/host/shape.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ITEMS 32

/* What the items come to. */
typedef struct plan {
    nkx_ndarray *base; /* view of the basic dimensions only */
    int n_adv;
    nkx_ndarray *adv[NKX_ND_MAX]; /* int64 arrays, owned */
    int64_t adv_len[NKX_ND_MAX], adv_stride[NKX_ND_MAX];
    int adv_axis[NKX_ND_MAX];
    int adv_at; /* basic dimensions before the selected ones in the result */
    bool any_array, split;
} plan;

static void plan_fini(plan *p)
{
    for (int k = 0; k < p->n_adv; k++) nkx_nd_drop(p->adv[k]);
    nkx_nd_drop(p->base);
}

static bool too_many(const nkx_ndarray *a, int64_t used, nkx_nd_error *e)
{
    return nkx_nd_fail(e, "IndexError",
                       "too many indices for array: array is %d-dimensional, but %lld were indexed",
                       a->ndim, (long long)used);
}

static bool out_of_bounds(int64_t i, int axis, int64_t n, nkx_nd_error *e)
{
    return nkx_nd_fail(e, "IndexError", "index %lld is out of bounds for axis %d with size %lld",
                       (long long)i, axis, (long long)n);
}

/* Start and count of a slice on n items, clipped as Python does. */
static bool clip_slice(const nkx_nd_index *x, int64_t n, int64_t *start, int64_t *count,
                       nkx_nd_error *e)
{
    int64_t s = x->start, t = x->stop, step = x->step;
    if (step == 0) return nkx_nd_fail(e, "ValueError", "slice step cannot be zero");
    int64_t lo = step < 0 ? -1 : 0, hi = step < 0 ? n - 1 : n;
    if (!x->has_start) {
        s = step < 0 ? hi : lo;
    } else {
        s = s < 0 ? s + n : s;
        s = s < lo ? lo : s > hi ? hi : s;
    }
    if (!x->has_stop) {
        t = step < 0 ? -1 : n;
    } else {
        t = t < 0 ? t + n : t;
        t = t < lo ? lo : t > hi ? hi : t;
    }
    *start = s;
    if (step > 0) {
        *count = t > s ? (t - s - 1) / step + 1 : 0;
    } else {
        *count = s > t ? (s - t - 1) / (step == INT64_MIN ? INT64_MAX : -step) + 1 : 0;
    }
    return true;
}

static void add_dim(plan *p, int64_t len, int64_t stride)
{
    p->base->shape[p->base->ndim] = len;
    p->base->stride[p->base->ndim++] = stride;
}

static void add_adv(plan *p, nkx_ndarray *idx_take, int64_t len, int64_t stride, int axis,
                    int *last_item, int item)
{
    if (p->n_adv == 0) {
        p->adv_at = p->base->ndim;
    } else if (*last_item != item && *last_item != item - 1) {
        p->split = true;
    }
    *last_item = item;
    p->adv_len[p->n_adv] = len;
    p->adv_stride[p->n_adv] = stride;
    p->adv_axis[p->n_adv] = axis;
    p->adv[p->n_adv++] = idx_take;
}

/* A bool mask selects as the arrays of its true places do. */
static bool add_mask(plan *p, nkx_ndarray *a, nkx_ndarray *mask, int *dim, int *last, int item,
                     nkx_nd_error *e)
{
    nkx_ndarray *at[NKX_ND_MAX];
    for (int d = 0; d < mask->ndim; d++) {
        if (mask->shape[d] != a->shape[*dim + d]) {
            return nkx_nd_fail(e, "IndexError",
                               "boolean index did not match indexed array along axis %d; size of "
                               "axis is %lld but size of corresponding boolean axis is %lld",
                               *dim + d, (long long)a->shape[*dim + d], (long long)mask->shape[d]);
        }
    }
    if (!nkx_nd_nonzero(mask, at, e)) return false;
    for (int d = 0; d < mask->ndim; d++) {
        add_adv(p, at[d], a->shape[*dim], a->stride[*dim], *dim, last, item);
        (*dim)++;
    }
    return true;
}

static bool plan_item(plan *p, nkx_ndarray *a, const nkx_nd_index *x, int *dim, int *last, int item,
                      nkx_nd_error *e)
{
    int64_t start = 0, count = 0;
    switch (x->kind) {
    case NKX_NDIX_NEWAXIS: add_dim(p, 1, 0); return true;
    case NKX_NDIX_ELLIPSIS: return true; /* the caller adds its dimensions */
    case NKX_NDIX_SLICE:
        if (!clip_slice(x, a->shape[*dim], &start, &count, e)) return false;
        if (count > 0) p->base->at += start * a->stride[*dim];
        add_dim(p, count, a->stride[*dim] * x->step);
        (*dim)++;
        return true;
    case NKX_NDIX_INT:
        if (p->any_array) {
            add_adv(p, nkx_nd_scalar_i64(NKX_DT_INT64, x->start), a->shape[*dim], a->stride[*dim],
                    *dim, last, item);
        } else {
            int64_t i = x->start < 0 ? x->start + a->shape[*dim] : x->start;
            if (i < 0 || i >= a->shape[*dim])
                return out_of_bounds(x->start, *dim, a->shape[*dim], e);
            p->base->at += i * a->stride[*dim];
        }
        (*dim)++;
        return true;
    case NKX_NDIX_ARRAY:
        if (x->array->dtype == NKX_DT_BOOL) return add_mask(p, a, x->array, dim, last, item, e);
        if (!nkx_dtype_is_int((nkx_dtype)x->array->dtype)) {
            return nkx_nd_fail(e, "IndexError",
                               "arrays used as indices must be of integer (or boolean) type");
        }
        add_adv(p, nkx_nd_as(x->array, NKX_DT_INT64), a->shape[*dim], a->stride[*dim], *dim, last,
                item);
        (*dim)++;
        return true;
    }
    return true;
}

static bool make_plan(plan *p, nkx_ndarray *a, const nkx_nd_index *ix, int n, nkx_nd_error *e)
{
    int64_t used = 0, fresh = 0;
    int ellipses = 0, dim = 0, last = -2;
    memset(p, 0, sizeof *p);
    if (n > MAX_ITEMS) return nkx_nd_fail(e, "IndexError", "too many indices for array: %d", n);
    for (int i = 0; i < n; i++) {
        if (ix[i].kind == NKX_NDIX_ELLIPSIS && ++ellipses > 1)
            return nkx_nd_fail(e, "IndexError", "an index can only have a single ellipsis ('...')");
        if (ix[i].kind == NKX_NDIX_NEWAXIS) fresh++;
        if (ix[i].kind == NKX_NDIX_INT || ix[i].kind == NKX_NDIX_SLICE) used++;
        if (ix[i].kind == NKX_NDIX_ARRAY) {
            p->any_array = true;
            used += ix[i].array->dtype == NKX_DT_BOOL ? ix[i].array->ndim : 1;
            if (ix[i].array->dtype == NKX_DT_BOOL && ix[i].array->ndim == 0)
                return nkx_nd_fail(e, "IndexError",
                                   "a single truth value is not supported as an index");
        }
    }
    if (used > a->ndim) return too_many(a, used, e);
    if (a->ndim + fresh > NKX_ND_MAX)
        return nkx_nd_fail(e, "IndexError", "number of dimensions must be within [0, %d]",
                           NKX_ND_MAX);
    int64_t rest = a->ndim - used;
    p->base = a->block == NULL ? nkx_nd_reshape(a, 0, NULL, 'C', e) : nkx_nd_view(a);
    p->base->ndim = 0;
    p->base->scalar = false;
    for (int i = 0; i <= n; i++) {
        bool dots = i < n ? ix[i].kind == NKX_NDIX_ELLIPSIS : ellipses == 0;
        for (int64_t k = 0; dots && k < rest; k++, dim++) add_dim(p, a->shape[dim], a->stride[dim]);
        if (i < n && !plan_item(p, a, &ix[i], &dim, &last, i, e)) {
            plan_fini(p);
            return false;
        }
    }
    if (p->split) p->adv_at = 0;
    return true;
}

/* Byte offset of every selected place, C order over the broadcast index arrays. */
static bool offsets_of(const plan *p, int *bn, int64_t *bshape, int64_t **out, nkx_nd_error *e)
{
    if (!nkx_nd_broadcast_shape(p->n_adv, p->adv, bn, bshape, e)) {
        e->exception = "IndexError";
        char why[sizeof e->text];
        memcpy(why, e->text, sizeof why);
        const char *shapes = strstr(why, "with shapes");
        nkx_nd_fail(e, "IndexError",
                    "shape mismatch: indexing arrays could not be broadcast together %s",
                    shapes != NULL ? shapes : "");
        return false;
    }
    int64_t n = 1;
    for (int d = 0; d < *bn; d++) n *= bshape[d];
    int64_t *off = nkx_alloc((size_t)(n > 0 ? n : 1) * sizeof *off);
    for (int k = 0; k < p->n_adv; k++) {
        nkx_nd_error ignored;
        nkx_ndarray *wide = nkx_nd_broadcast_to(p->adv[k], *bn, bshape, &ignored);
        nkx_ndarray *dense = nkx_nd_dense(wide);
        const int64_t *at = (const int64_t *)(const void *)dense->at;
        bool ok = true;
        for (int64_t i = 0; ok && i < n; i++) {
            int64_t v = at[i] < 0 ? at[i] + p->adv_len[k] : at[i];
            if (v < 0 || v >= p->adv_len[k]) {
                ok = out_of_bounds(at[i], p->adv_axis[k], p->adv_len[k], e);
                break;
            }
            off[i] += v * p->adv_stride[k];
        }
        nkx_nd_drop(dense);
        nkx_nd_drop(wide);
        if (!ok) {
            free(off);
            return false;
        }
    }
    *out = off;
    return true;
}

/* Shape of the result of selecting with arrays: basic dimensions around the broadcast ones. */
static int result_shape(const plan *p, int bn, const int64_t *bshape, int64_t *shape)
{
    int n = 0;
    for (int d = 0; d < p->adv_at; d++) shape[n++] = p->base->shape[d];
    for (int d = 0; d < bn; d++) shape[n++] = bshape[d];
    for (int d = p->adv_at; d < p->base->ndim; d++) shape[n++] = p->base->shape[d];
    return n;
}

/* Single elements gathered into a fresh array: one fixed-size move each. */
static void gather(const plan *p, nkx_ndarray *out, const int64_t *off, int64_t n)
{
    const uint8_t *from = p->base->at;
    int64_t bytes = nkx_dtype_bytes((nkx_dtype)out->dtype);
    switch (bytes) {
    case 1:
        for (int64_t i = 0; i < n; i++) out->at[i] = from[off[i]];
        return;
    case 2:
        for (int64_t i = 0; i < n; i++) memcpy(out->at + 2 * i, from + off[i], 2);
        return;
    case 4:
        for (int64_t i = 0; i < n; i++) memcpy(out->at + 4 * i, from + off[i], 4);
        return;
    default:
        for (int64_t i = 0; i < n; i++) memcpy(out->at + 8 * i, from + off[i], 8);
        return;
    }
}

/* Moves one sub-array a selected place between `whole` (shaped as the result) and the base. */
static void move_all(const plan *p, nkx_ndarray *whole, int bn, const int64_t *bshape,
                     const int64_t *off, bool get)
{
    int64_t ws[NKX_ND_MAX], n = 1, bytes = nkx_dtype_bytes((nkx_dtype)whole->dtype);
    int w = 0;
    for (int d = 0; d < bn; d++) n *= bshape[d];
    if (get && p->base->ndim == 0) {
        gather(p, whole, off, n);
        return;
    }
    for (int d = 0; d < whole->ndim; d++) {
        if (d < p->adv_at || d >= p->adv_at + bn) ws[w++] = whole->stride[d];
    }
    for (int64_t i = 0; i < n; i++) {
        uint8_t *mine = whole->at, *theirs = p->base->at + off[i];
        int64_t r = i;
        for (int d = bn - 1; d >= 0; d--) {
            mine += r % bshape[d] * whole->stride[p->adv_at + d];
            r /= bshape[d];
        }
        if (p->base->ndim == 0 && whole->dtype == p->base->dtype) {
            memcpy(get ? mine : theirs, get ? theirs : mine, (size_t)bytes);
        } else if (get) {
            nkx_cast_nd((nkx_dtype)whole->dtype, mine, ws, (nkx_dtype)p->base->dtype, theirs,
                        p->base->stride, p->base->ndim, p->base->shape);
        } else {
            nkx_cast_nd((nkx_dtype)p->base->dtype, theirs, p->base->stride, (nkx_dtype)whole->dtype,
                        mine, ws, p->base->ndim, p->base->shape);
        }
    }
}

static bool only_ints(const nkx_nd_index *ix, int n)
{
    for (int i = 0; i < n; i++) {
        if (ix[i].kind != NKX_NDIX_INT) return false;
    }
    return true;
}

nkx_ndarray *nkx_nd_index_get(nkx_ndarray *a, const nkx_nd_index *ix, int n, nkx_nd_error *e)
{
    plan p;
    if (!make_plan(&p, a, ix, n, e)) return NULL;
    if (!p.any_array) {
        if (p.base->ndim == 0 && only_ints(ix, n)) return nkx_nd_to_scalar_take(p.base);
        return p.base;
    }
    int64_t bshape[NKX_ND_MAX], shape[NKX_ND_MAX], *off = NULL;
    int bn = 0;
    nkx_ndarray *out = NULL;
    if (offsets_of(&p, &bn, bshape, &off, e)) {
        if (bn + p.base->ndim > NKX_ND_MAX) {
            nkx_nd_fail(e, "IndexError", "number of dimensions must be within [0, %d]", NKX_ND_MAX);
        } else {
            out = nkx_nd_new((nkx_dtype)a->dtype, result_shape(&p, bn, bshape, shape), shape, e);
        }
        if (out != NULL && nkx_nd_size(out) > 0) move_all(&p, out, bn, bshape, off, true);
        free(off);
    }
    plan_fini(&p);
    return nkx_nd_to_scalar_take(out);
}

bool nkx_nd_index_set(nkx_ndarray *a, const nkx_nd_index *ix, int n, nkx_ndarray *value,
                      nkx_nd_error *e)
{
    plan p;
    if (a->readonly || a->scalar)
        return nkx_nd_fail(e, "ValueError", "assignment destination is read-only");
    if (!make_plan(&p, a, ix, n, e)) return false;
    if (!p.any_array) {
        bool ok = nkx_nd_assign(p.base, value, e);
        nkx_nd_drop(p.base);
        return ok;
    }
    int64_t bshape[NKX_ND_MAX], shape[NKX_ND_MAX], *off = NULL;
    int bn = 0;
    bool ok = offsets_of(&p, &bn, bshape, &off, e);
    if (ok) {
        int ndim = result_shape(&p, bn, bshape, shape);
        nkx_nd_error why;
        char from[96], to[96];
        nkx_ndarray *src = nkx_nd_overlap(a, value) ? nkx_nd_copy(value) : nkx_nd_ref(value);
        while (src->ndim > ndim &&
               src->shape[0] == 1) { /* leading ones may go, as in plain assignment */
            int64_t zero = 0;
            nkx_ndarray *s = nkx_nd_squeeze(src, &zero, 1, &why);
            nkx_nd_drop(src);
            src = s;
        }
        nkx_ndarray *wide = nkx_nd_broadcast_to(src, ndim, shape, &why);
        if (wide == NULL) {
            ok = nkx_nd_fail(e, "ValueError",
                             "shape mismatch: value array of shape %s could not be broadcast to "
                             "indexing result of shape %s",
                             nkx_nd_shape_str(from, sizeof from, value->ndim, value->shape),
                             nkx_nd_shape_str(to, sizeof to, ndim, shape));
        } else if (nkx_nd_size(wide) > 0) {
            move_all(&p, wide, bn, bshape, off, false);
        }
        nkx_nd_drop(wide);
        nkx_nd_drop(src);
        free(off);
    }
    plan_fini(&p);
    return ok;
}

/* ---- places that are not zero ---- */

bool nkx_nd_nonzero(nkx_ndarray *a, nkx_ndarray **out, nkx_nd_error *e)
{
    nkx_ndarray *mask = nkx_nd_as(a, NKX_DT_BOOL), *dense = nkx_nd_dense(mask);
    int64_t n = nkx_nd_size(dense), found = 0, index[NKX_ND_MAX] = {0};
    bool ok = true;
    for (int64_t i = 0; i < n; i++) found += dense->at[i] != 0;
    for (int d = 0; d < a->ndim; d++) {
        out[d] = nkx_nd_new(NKX_DT_INT64, 1, &found, e);
        ok = ok && out[d] != NULL;
    }
    if (ok && a->ndim == 1) { /* no odometer needed */
        int64_t *at = (int64_t *)(void *)out[0]->at;
        for (int64_t i = 0, k = 0; i < n; i++) {
            if (dense->at[i] != 0) at[k++] = i;
        }
        n = 0;
    }
    for (int64_t i = 0, k = 0; ok && i < n; i++) {
        if (dense->at[i] != 0) {
            for (int d = 0; d < a->ndim; d++) ((int64_t *)(void *)out[d]->at)[k] = index[d];
            k++;
        }
        for (int d = a->ndim - 1; d >= 0; d--) {
            if (++index[d] < a->shape[d]) break;
            index[d] = 0;
        }
    }
    nkx_nd_drop(dense);
    nkx_nd_drop(mask);
    return ok;
}

/* ---- take ---- */

/* Indices with the mode's correction applied; owned. */
static nkx_ndarray *moded(nkx_ndarray *idx, nkx_take_mode mode, int64_t n)
{
    nkx_ndarray *t = nkx_nd_as(idx, NKX_DT_INT64);
    if (mode == NKX_TAKE_RAISE || n == 0) return t;
    nkx_ndarray *c = nkx_nd_copy(t);
    int64_t k = nkx_nd_size(c), *at = (int64_t *)(void *)c->at;
    nkx_nd_drop(t);
    for (int64_t i = 0; i < k; i++) {
        at[i] = mode == NKX_TAKE_WRAP ? ((at[i] % n) + n) % n
                : at[i] < 0           ? 0
                : at[i] >= n          ? n - 1
                                      : at[i];
    }
    return c;
}

nkx_ndarray *nkx_nd_take(nkx_ndarray *a, nkx_ndarray *idx, const int64_t *axis, nkx_take_mode mode,
                         nkx_nd_error *e)
{
    nkx_nd_index ix[NKX_ND_MAX];
    int x = 0;
    int64_t zero = 0;
    if (axis == NULL) {
        nkx_ndarray *flat = nkx_nd_ravel(a, 'C', false, e);
        nkx_ndarray *r = flat != NULL ? nkx_nd_take(flat, idx, &zero, mode, e) : NULL;
        nkx_nd_drop(flat);
        return r;
    }
    if (!nkx_nd_axis(*axis, a->ndim, &x, e)) return NULL;
    if (!nkx_dtype_is_int((nkx_dtype)idx->dtype)) {
        return nkx_nd_null(e, "TypeError",
                           "Cannot cast array data from dtype('%s') to dtype('int64') according to "
                           "the rule 'safe'",
                           nkx_nd_type_name((nkx_dtype)idx->dtype));
    }
    nkx_ndarray *at = moded(idx, mode, a->shape[x]);
    for (int d = 0; d < x; d++) ix[d] = (nkx_nd_index){.kind = NKX_NDIX_SLICE, .step = 1};
    ix[x] = (nkx_nd_index){.kind = NKX_NDIX_ARRAY, .array = at};
    nkx_ndarray *r = nkx_nd_index_get(a, ix, x + 1, e);
    nkx_nd_drop(at);
    return r;
}

/* Index arrays of a, all in the broadcast shape of idx: idx along the axis, own place elsewhere. */
static bool along(nkx_ndarray *a, nkx_ndarray *idx, int x, nkx_ndarray **arrays, nkx_nd_index *ix,
                  nkx_nd_error *e)
{
    for (int d = 0; d < a->ndim; d++) {
        if (d == x) {
            arrays[d] = nkx_nd_as(idx, NKX_DT_INT64);
        } else {
            int64_t shape[NKX_ND_MAX];
            nkx_ndarray *r = nkx_nd_arange_i64(NKX_DT_INT64, 0, a->shape[d], 1, e);
            for (int k = 0; k < a->ndim; k++) shape[k] = k == d ? a->shape[d] : 1;
            arrays[d] = r != NULL ? nkx_nd_reshape(r, a->ndim, shape, 'C', e) : NULL;
            nkx_nd_drop(r);
        }
        if (arrays[d] == NULL) return false;
        ix[d] = (nkx_nd_index){.kind = NKX_NDIX_ARRAY, .array = arrays[d]};
    }
    return true;
}

static bool along_check(nkx_ndarray *a, nkx_ndarray *idx, const int64_t *axis, int *x,
                        nkx_nd_error *e)
{
    if (!nkx_dtype_is_int((nkx_dtype)idx->dtype))
        return nkx_nd_fail(e, "IndexError", "`indices` must be an integer array");
    if (idx->ndim != a->ndim)
        return nkx_nd_fail(e, "ValueError",
                           "`indices` and `arr` must have the same number of dimensions");
    return nkx_nd_axis(*axis, a->ndim, x, e);
}

nkx_ndarray *nkx_nd_take_along(nkx_ndarray *a, nkx_ndarray *idx, const int64_t *axis,
                               nkx_nd_error *e)
{
    nkx_ndarray *arrays[NKX_ND_MAX] = {NULL}, *r = NULL;
    nkx_nd_index ix[NKX_ND_MAX];
    int x;
    int64_t zero = 0;
    if (axis == NULL) {
        nkx_ndarray *flat = nkx_nd_ravel(a, 'C', false, e);
        r = flat != NULL ? nkx_nd_take_along(flat, idx, &zero, e) : NULL;
        nkx_nd_drop(flat);
        return r;
    }
    if (!along_check(a, idx, axis, &x, e)) return NULL;
    if (along(a, idx, x, arrays, ix, e)) r = nkx_nd_index_get(a, ix, a->ndim, e);
    for (int d = 0; d < a->ndim; d++) nkx_nd_drop(arrays[d]);
    return r;
}

bool nkx_nd_put_along(nkx_ndarray *a, nkx_ndarray *idx, nkx_ndarray *values, const int64_t *axis,
                      nkx_nd_error *e)
{
    nkx_ndarray *arrays[NKX_ND_MAX] = {NULL};
    nkx_nd_index ix[NKX_ND_MAX];
    int x;
    if (!along_check(a, idx, axis, &x, e)) return false;
    bool ok = along(a, idx, x, arrays, ix, e) && nkx_nd_index_set(a, ix, a->ndim, values, e);
    for (int d = 0; d < a->ndim; d++) nkx_nd_drop(arrays[d]);
    return ok;
}

bool nkx_nd_ufunc_at(int ufunc, nkx_ndarray *a, nkx_ndarray *idx, nkx_ndarray *values,
                     nkx_nd_error *e)
{
    nkx_ndarray *at = nkx_nd_as(idx, NKX_DT_INT64);
    nkx_ndarray *wide = nkx_nd_broadcast_to(values, at->ndim, at->shape, e);
    bool ok = wide != NULL;
    int64_t n = nkx_nd_size(at);
    if (a->ndim != 1)
        ok =
            nkx_nd_fail(e, "NotImplementedError", "ufunc.at on an array of %d dimensions", a->ndim);
    for (int64_t i = 0; ok && i < n; i++) {
        int64_t v = nkx_nd_get_i64(at, i), k = v < 0 ? v + a->shape[0] : v;
        if (k < 0 || k >= a->shape[0]) {
            ok = out_of_bounds(v, 0, a->shape[0], e);
            break;
        }
        nkx_ndarray *old = nkx_nd_scalar((nkx_dtype)a->dtype, a->at + k * a->stride[0]);
        nkx_ndarray *arg = nkx_nd_scalar((nkx_dtype)wide->dtype, nkx_nd_at(wide, i));
        nkx_ndarray *r = nkx_uf_binary((nkx_ufunc)ufunc, old, arg, e);
        ok = r != NULL;
        if (ok)
            nkx_cast_row((nkx_dtype)a->dtype, a->at + k * a->stride[0], 0, (nkx_dtype)r->dtype,
                         r->at, 0, 1);
        nkx_nd_drop(old);
        nkx_nd_drop(arg);
        nkx_nd_drop(r);
    }
    nkx_nd_drop(wide);
    nkx_nd_drop(at);
    return ok;
}
