/* SPDX-License-Identifier: Apache-2.0 */
/* New host arrays with computed contents: ranges, identity, triangles. Layer host. */
#include "interp/host/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Stores n computed doubles or integers in blocks. */
static void put_f64_row(nkx_ndarray *a, int64_t at, const double *src, int64_t n)
{
    int64_t bytes = nkx_dtype_bytes((nkx_dtype)a->dtype);
    nkx_lane_store(NKX_LANE_F64, (nkx_dtype)a->dtype, a->at + at * bytes, bytes, src, n);
}

nkx_ndarray *nkx_nd_arange(nkx_dtype t, double start, double stop, double step, nkx_nd_error *e)
{
    double buf[NKX_LANE_BLOCK], count;
    if (step == 0) return nkx_nd_null(e, "ZeroDivisionError", "division by zero");
    count = ceil((stop - start) / step);
    if (isnan(count) || count > 1e15)
        return nkx_nd_null(e, "ValueError", "Maximum allowed size exceeded");
    int64_t n = count > 0 ? (int64_t)count : 0;
    nkx_ndarray *a = nkx_nd_new(t, 1, &n, e);
    if (a == NULL) return NULL;
    double delta = (start + step) - start; /* NumPy fills from the first difference */
    for (int64_t i = 0; i < n; i += NKX_LANE_BLOCK) {
        int64_t k = n - i < NKX_LANE_BLOCK ? n - i : NKX_LANE_BLOCK;
        for (int64_t j = 0; j < k; j++) buf[j] = start + (double)(i + j) * delta;
        put_f64_row(a, i, buf, k);
    }
    return a;
}

nkx_ndarray *nkx_nd_arange_i64(nkx_dtype t, int64_t start, int64_t stop, int64_t step,
                               nkx_nd_error *e)
{
    int64_t buf[NKX_LANE_BLOCK], n = 0, bytes = nkx_dtype_bytes(t);
    if (step == 0) return nkx_nd_null(e, "ZeroDivisionError", "division by zero");
    uint64_t mag = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    if (step > 0 && stop > start) n = (int64_t)(((uint64_t)stop - (uint64_t)start - 1) / mag + 1);
    if (step < 0 && stop < start) n = (int64_t)(((uint64_t)start - (uint64_t)stop - 1) / mag + 1);
    if (n < 0) return nkx_nd_null(e, "ValueError", "Maximum allowed size exceeded");
    nkx_ndarray *a = nkx_nd_new(t, 1, &n, e);
    if (a == NULL) return NULL;
    for (int64_t i = 0; i < n; i += NKX_LANE_BLOCK) {
        int64_t k = n - i < NKX_LANE_BLOCK ? n - i : NKX_LANE_BLOCK;
        for (int64_t j = 0; j < k; j++)
            buf[j] = (int64_t)((uint64_t)start + (uint64_t)(i + j) * (uint64_t)step);
        nkx_lane_store(NKX_LANE_I64, t, a->at + i * bytes, bytes, buf, k);
    }
    return a;
}

nkx_ndarray *nkx_nd_linspace(nkx_dtype t, double start, double stop, int64_t n, bool endpoint,
                             double *step, nkx_nd_error *e)
{
    double buf[NKX_LANE_BLOCK];
    int64_t div = endpoint ? n - 1 : n;
    if (n < 0)
        return nkx_nd_null(e, "ValueError", "Number of samples, %lld, must be non-negative.",
                           (long long)n);
    nkx_ndarray *a = nkx_nd_new(t, 1, &n, e);
    if (a == NULL) return NULL;
    double delta = stop - start, s = div > 0 ? delta / (double)div : (double)NAN;
    if (step != NULL) *step = s;
    for (int64_t i = 0; i < n; i += NKX_LANE_BLOCK) {
        int64_t k = n - i < NKX_LANE_BLOCK ? n - i : NKX_LANE_BLOCK;
        for (int64_t j = 0; j < k; j++) {
            double at = (double)(i + j);
            double y = div <= 0 ? at * delta : s == 0 ? at / (double)div * delta : at * s;
            buf[j] = endpoint && n > 1 && i + j == n - 1 ? stop : y + start;
            if (nkx_dtype_is_int(t)) buf[j] = floor(buf[j]);
        }
        put_f64_row(a, i, buf, k);
    }
    return a;
}

nkx_ndarray *nkx_nd_eye(nkx_dtype t, int64_t rows, int64_t cols, int64_t k, nkx_nd_error *e)
{
    uint64_t one = 0;
    int64_t shape[2] = {rows, cols}, bytes = nkx_dtype_bytes(t);
    nkx_ndarray *a = nkx_nd_new(t, 2, shape, e);
    if (a == NULL) return NULL;
    nkx_nd_put_i64(t, &one, 1);
    for (int64_t r = 0; r < rows; r++) {
        if (r + k >= 0 && r + k < cols)
            memcpy(a->at + (r * cols + r + k) * bytes, &one, (size_t)bytes);
    }
    return a;
}

nkx_ndarray *nkx_nd_tri(nkx_ndarray *a, int64_t k, bool upper, nkx_nd_error *e)
{
    if (a->ndim < 2)
        return nkx_nd_null(e, "ValueError", "the array must have at least two dimensions, found %d",
                           a->ndim);
    nkx_ndarray *c = nkx_nd_copy(a);
    int64_t rows = c->shape[c->ndim - 2], cols = c->shape[c->ndim - 1],
            bytes = nkx_dtype_bytes((nkx_dtype)c->dtype);
    int64_t size = nkx_nd_size(c), n = size == 0 ? 0 : size / cols;
    for (int64_t r = 0; r < n; r++) {
        int64_t at = r % rows + k, lo = upper ? 0 : at + 1, hi = upper ? at : cols;
        lo = lo < 0 ? 0 : lo > cols ? cols : lo;
        hi = hi < 0 ? 0 : hi > cols ? cols : hi;
        if (hi > lo) memset(c->at + (r * cols + lo) * bytes, 0, (size_t)((hi - lo) * bytes));
    }
    return c;
}

nkx_ndarray *nkx_nd_indices(int ndim, const int64_t *shape, int axis, nkx_nd_error *e)
{
    nkx_ndarray *a = nkx_nd_new(NKX_DT_INT64, ndim, shape, e);
    if (a == NULL) return NULL;
    int64_t inner = 1, n = nkx_nd_size(a), *at = (int64_t *)(void *)a->at;
    for (int d = axis + 1; d < ndim; d++) inner *= shape[d];
    for (int64_t i = 0; i < n; i++) at[i] = i / inner % shape[axis];
    return a;
}
