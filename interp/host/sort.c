/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of host arrays: sorting, unique values, places in sorted arrays, quantiles. Layer host. */
#include "interp/host/reduce.h"
#include "interp/host/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row's keys in a lane that orders all its values: int64, uint64, or float64 with NaN last. */
typedef struct keys {
    nkx_lane lane;
    uint64_t *at;
} keys;

static bool before(const keys *k, int64_t a, int64_t b)
{
    if (k->lane == NKX_LANE_U64) return k->at[a] < k->at[b];
    if (k->lane == NKX_LANE_I64) return (int64_t)k->at[a] < (int64_t)k->at[b];
    double x, y;
    memcpy(&x, &k->at[a], sizeof x);
    memcpy(&y, &k->at[b], sizeof y);
    return x < y || (isnan(y) && !isnan(x));
}

static void load_keys(keys *k, const nkx_ndarray *a, const uint8_t *at, int64_t step, int64_t n)
{
    k->lane = a->dtype == NKX_DT_UINT64               ? NKX_LANE_U64
              : nkx_dtype_is_int((nkx_dtype)a->dtype) ? NKX_LANE_I64
                                                      : NKX_LANE_F64;
    for (int64_t i = 0; i < n; i += NKX_LANE_BLOCK) {
        int64_t m = n - i < NKX_LANE_BLOCK ? n - i : NKX_LANE_BLOCK;
        nkx_lane_load(k->lane, k->at + i, (nkx_dtype)a->dtype, at + i * step, step, m);
    }
}

/* Stable merge sort of indices by key, bottom up. The result stands in idx. */
static void sort_indices(const keys *k, int64_t *idx, int64_t *tmp, int64_t n)
{
    int64_t *from = idx, *to = tmp;
    for (int64_t i = 0; i < n; i++) idx[i] = i;
    for (int64_t w = 1; w < n; w *= 2) {
        for (int64_t lo = 0; lo < n; lo += 2 * w) {
            int64_t mid = lo + w < n ? lo + w : n, hi = lo + 2 * w < n ? lo + 2 * w : n, i = lo,
                    j = mid;
            for (int64_t o = lo; o < hi; o++) {
                bool right = i >= mid || (j < hi && before(k, from[j], from[i]));
                to[o] = right ? from[j++] : from[i++];
            }
        }
        int64_t *t = from;
        from = to;
        to = t;
    }
    if (from != idx) memcpy(idx, from, (size_t)n * sizeof *idx);
}

typedef struct scratch {
    keys k;
    int64_t *idx, *tmp;
} scratch;

static scratch scratch_new(int64_t n)
{
    size_t bytes = (size_t)(n > 0 ? n : 1) * 8;
    return (scratch){
        .k = {.at = nkx_alloc(bytes)}, .idx = nkx_alloc(bytes), .tmp = nkx_alloc(bytes)};
}

static void scratch_free(scratch *s)
{
    free(s->k.at);
    free(s->idx);
    free(s->tmp);
}

nkx_ndarray *nkx_nd_sort(nkx_ndarray *a, const int64_t *axis, bool args, nkx_nd_error *e)
{
    int x = 0;
    int64_t zero = 0;
    if (axis == NULL) {
        nkx_ndarray *flat = nkx_nd_ravel(a, 'C', false, e);
        nkx_ndarray *r = flat != NULL ? nkx_nd_sort(flat, &zero, args, e) : NULL;
        nkx_nd_drop(flat);
        return r;
    }
    if (nkx_nd_is_packed((nkx_dtype)a->dtype))
        return nkx_nd_null(e, "TypeError", "type %s has no order",
                           nkx_nd_type_name((nkx_dtype)a->dtype));
    if (!nkx_nd_axis(*axis, a->ndim, &x, e)) return NULL;
    nkx_ndarray *out = nkx_nd_new(args ? NKX_DT_INT64 : (nkx_dtype)a->dtype, a->ndim, a->shape, e);
    if (out == NULL || nkx_nd_size(a) == 0) return out;
    nkx_ndarray *src = nkx_nd_part(a, x, 0, 1), *dst = nkx_nd_part(out, x, 0, 1);
    int64_t n = a->shape[x], rows = nkx_nd_size(src), bytes = nkx_dtype_bytes((nkx_dtype)a->dtype);
    scratch s = scratch_new(n);
    for (int64_t r = 0; r < rows; r++) {
        const uint8_t *from = nkx_nd_at(src, r);
        uint8_t *to = nkx_nd_at(dst, r);
        load_keys(&s.k, a, from, a->stride[x], n);
        sort_indices(&s.k, s.idx, s.tmp, n);
        for (int64_t i = 0; i < n; i++) {
            const void *v =
                args ? (const void *)&s.idx[i] : (const void *)(from + s.idx[i] * a->stride[x]);
            memcpy(to + i * out->stride[x], v, args ? 8 : (size_t)bytes);
        }
    }
    scratch_free(&s);
    nkx_nd_drop(src);
    nkx_nd_drop(dst);
    return out;
}

bool nkx_nd_unique(nkx_ndarray *a, bool index, bool inverse, bool counts, nkx_unique_out *out,
                   nkx_nd_error *e)
{
    nkx_ndarray *flat = nkx_nd_ravel(a, 'C', false, e);
    memset(out, 0, sizeof *out);
    if (flat == NULL) return false;
    int64_t n = nkx_nd_size(flat), groups = 0, bytes = nkx_dtype_bytes((nkx_dtype)a->dtype);
    scratch s = scratch_new(n);
    int64_t *first = nkx_alloc((size_t)(n + 1) * 8), *group = nkx_alloc((size_t)(n + 1) * 8);
    load_keys(&s.k, flat, flat->at, flat->stride[0], n);
    sort_indices(&s.k, s.idx, s.tmp, n);
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || before(&s.k, s.idx[i - 1], s.idx[i])) first[groups++] = i;
        group[s.idx[i]] = groups - 1;
    }
    first[groups] = n;
    out->values = nkx_nd_new((nkx_dtype)a->dtype, 1, &groups, e);
    if (out->values != NULL && index) out->index = nkx_nd_new(NKX_DT_INT64, 1, &groups, e);
    if (out->values != NULL && counts) out->counts = nkx_nd_new(NKX_DT_INT64, 1, &groups, e);
    if (out->values != NULL && inverse)
        out->inverse = nkx_nd_new(NKX_DT_INT64, a->ndim, a->shape, e);
    bool ok = out->values != NULL;
    for (int64_t g = 0; ok && g < groups; g++) {
        int64_t at = s.idx[first[g]];
        memcpy(out->values->at + g * bytes, flat->at + at * flat->stride[0], (size_t)bytes);
        if (index) ((int64_t *)(void *)out->index->at)[g] = at;
        if (counts) ((int64_t *)(void *)out->counts->at)[g] = first[g + 1] - first[g];
    }
    if (ok && inverse && n > 0) memcpy(out->inverse->at, group, (size_t)n * 8);
    free(first);
    free(group);
    scratch_free(&s);
    nkx_nd_drop(flat);
    return ok;
}

nkx_ndarray *nkx_nd_searchsorted(nkx_ndarray *sorted, nkx_ndarray *v, bool right, nkx_nd_error *e)
{
    if (sorted->ndim != 1) return nkx_nd_null(e, "ValueError", "object too deep for desired array");
    nkx_ndarray *out = v->ndim == 0 ? nkx_nd_scalar_i64(NKX_DT_INT64, 0)
                                    : nkx_nd_new(NKX_DT_INT64, v->ndim, v->shape, e);
    int64_t n = sorted->shape[0], m = nkx_nd_size(v);
    for (int64_t i = 0; out != NULL && i < m; i++) {
        double x = nkx_nd_get_f64(v, i);
        int64_t lo = 0, hi = n;
        while (lo < hi) {
            int64_t mid = lo + (hi - lo) / 2;
            double y = nkx_nd_get_f64(sorted, mid);
            bool go = right ? y <= x : y < x;
            if (go) {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        ((int64_t *)(void *)out->at)[i] = lo;
    }
    return out;
}

/* One quantile of n sorted doubles, linear between neighbours as NumPy interpolates. */
static double quantile_of(const double *x, int64_t n, double q)
{
    double at = q * (double)(n - 1), f = floor(at), g = at - f;
    int64_t i = (int64_t)f;
    if (isnan(x[n - 1])) return (double)NAN;
    if (i >= n - 1) return x[n - 1];
    double d = x[i + 1] - x[i];
    return g >= 0.5 ? x[i + 1] - d * (1.0 - g) : x[i] + d * g;
}

nkx_ndarray *nkx_nd_quantile(nkx_ndarray *a, nkx_ndarray *q, const int64_t *axis, bool keepdims,
                             nkx_nd_error *e)
{
    int64_t zero = 0, shape[NKX_ND_MAX];
    int x = 0;
    nkx_dtype t = nkx_dtype_is_int((nkx_dtype)a->dtype) ? NKX_DT_FP64 : (nkx_dtype)a->dtype;
    if (nkx_nd_size(a) == 0)
        return nkx_nd_null(e, "IndexError", "index -1 is out of bounds for axis 0 with size 0");
    nkx_ndarray *src = axis == NULL ? nkx_nd_ravel(a, 'C', false, e) : nkx_nd_ref(a);
    if (src == NULL || !nkx_nd_axis(axis == NULL ? zero : *axis, src->ndim, &x, e)) {
        nkx_nd_drop(src);
        return NULL;
    }
    int64_t ax = x, n = src->shape[x], nq = nkx_nd_size(q);
    nkx_ndarray *s = nkx_nd_sort(src, &ax, false, e);
    for (int64_t i = 0; s != NULL && i < nq; i++) {
        double v = nkx_nd_get_f64(q, i);
        if (!(v >= 0 && v <= 1)) {
            nkx_nd_drop(s);
            nkx_nd_drop(src);
            return nkx_nd_null(e, "ValueError", "Quantiles must be in the range [0, 1]");
        }
    }
    int ndim = 0;
    for (int d = 0; d < q->ndim; d++) shape[ndim++] = q->shape[d];
    for (int d = 0; d < src->ndim; d++) {
        if (d != x) shape[ndim++] = src->shape[d];
        if (d == x && keepdims) shape[ndim++] = 1;
    }
    nkx_ndarray *out = s != NULL ? nkx_nd_new(t, ndim, shape, e) : NULL;
    if (out != NULL) {
        nkx_ndarray *first = nkx_nd_part(s, x, 0, 1);
        double *row = nkx_alloc((size_t)n * sizeof *row);
        int64_t rows = nkx_nd_size(first), bytes = nkx_dtype_bytes(t);
        for (int64_t r = 0; r < rows; r++) {
            nkx_cast_row(NKX_DT_FP64, row, 8, (nkx_dtype)s->dtype, nkx_nd_at(first, r),
                         s->stride[x], n);
            for (int64_t i = 0; i < nq; i++)
                nkx_nd_put_f64(t, out->at + (i * rows + r) * bytes,
                               quantile_of(row, n, nkx_nd_get_f64(q, i)));
        }
        free(row);
        nkx_nd_drop(first);
    }
    nkx_nd_drop(s);
    nkx_nd_drop(src);
    return nkx_nd_to_scalar_take(out);
}

nkx_ndarray *nkx_nd_bincount(nkx_ndarray *a, nkx_ndarray *weights, int64_t minlength,
                             nkx_nd_error *e)
{
    int64_t n = nkx_nd_size(a), top = minlength;
    if (a->ndim != 1)
        return nkx_nd_null(e, "ValueError", "object of too small depth for desired array");
    if (!nkx_dtype_is_int((nkx_dtype)a->dtype))
        return nkx_nd_null(e, "TypeError",
                           "Cannot cast array data from dtype('%s') to dtype('int64') according to "
                           "the rule 'safe'",
                           nkx_nd_type_name((nkx_dtype)a->dtype));
    if (weights != NULL && nkx_nd_size(weights) != n)
        return nkx_nd_null(e, "ValueError", "The weights and list don't have the same length.");
    for (int64_t i = 0; i < n; i++) {
        int64_t v = nkx_nd_get_i64(a, i);
        if (v < 0)
            return nkx_nd_null(e, "ValueError", "'list' argument must have no negative elements");
        if (v >= top) top = v + 1;
    }
    nkx_ndarray *out = nkx_nd_new(weights != NULL ? NKX_DT_FP64 : NKX_DT_INT64, 1, &top, e);
    for (int64_t i = 0; out != NULL && i < n; i++) {
        int64_t v = nkx_nd_get_i64(a, i);
        if (weights != NULL) {
            ((double *)(void *)out->at)[v] += nkx_nd_get_f64(weights, i);
        } else {
            ((int64_t *)(void *)out->at)[v]++;
        }
    }
    return out;
}
