/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host arrays: life, facts, copies. Storage is a counted block of bytes; headers are views on it.
 * A NumPy scalar carries its element inside the header, so that reading one element of an array
 * costs one allocation.
 */
#include "interp/host/ndarray.h"
#include "interp/host/cast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool nkx_nd_fail(nkx_nd_error *e, const char *exception, const char *fmt, ...)
{
    va_list ap;
    e->exception = exception;
    va_start(ap, fmt);
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    va_end(ap);
    return false;
}

nkx_ndarray *nkx_nd_null(nkx_nd_error *e, const char *exception, const char *fmt, ...)
{
    va_list ap;
    e->exception = exception;
    va_start(ap, fmt);
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    va_end(ap);
    return NULL;
}

/* ---- life ---- */

static void dense_strides(nkx_ndarray *a)
{
    int64_t step = nkx_dtype_bytes((nkx_dtype)a->dtype);
    for (int d = a->ndim - 1; d >= 0; d--) {
        a->stride[d] = step;
        step *= a->shape[d] > 1 ? a->shape[d] : 1;
    }
}

static nkx_ndarray *header(nkx_dtype t, int ndim, const int64_t *shape)
{
    nkx_ndarray *a = nkx_alloc(sizeof *a);
    a->refs = 1;
    a->dtype = (uint8_t)t;
    a->ndim = (uint8_t)ndim;
    for (int d = 0; d < ndim; d++) a->shape[d] = shape[d];
    dense_strides(a);
    return a;
}

nkx_ndarray *nkx_nd_new(nkx_dtype t, int ndim, const int64_t *shape, nkx_nd_error *e)
{
    int64_t bytes = nkx_dtype_bytes(t);
    char text[96];
    bool empty = false;
    if (ndim > NKX_ND_MAX) {
        return nkx_nd_null(e, "ValueError",
                           "maximum supported dimension for an ndarray is currently %d, found %d",
                           NKX_ND_MAX, ndim);
    }
    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 0)
            return nkx_nd_null(e, "ValueError", "negative dimensions are not allowed");
        if (shape[d] == 0) empty = true;
    }
    for (int d = 0; d < ndim; d++) {
        if (shape[d] == 0) continue;
        if (!nkx_mul_i64(bytes, shape[d], &bytes) || (!empty && bytes > NKX_ND_MAX_BYTES)) {
            return nkx_nd_null(
                e, "MemoryError",
                "unable to allocate an array of shape %s and type %s: the limit is %lld bytes",
                nkx_nd_shape_str(text, sizeof text, ndim, shape), nkx_nd_type_name(t),
                (long long)NKX_ND_MAX_BYTES);
        }
    }
    if (empty) bytes = 0;
    uint8_t *at = nkx_pages_new(NULL, (size_t)bytes);
    if (at == NULL) {
        return nkx_nd_null(e, "MemoryError",
                           "unable to allocate %lld bytes for an array of shape %s and type %s",
                           (long long)bytes, nkx_nd_shape_str(text, sizeof text, ndim, shape),
                           nkx_nd_type_name(t));
    }
    return nkx_nd_adopt(t, ndim, shape, at, NULL);
}

nkx_ndarray *nkx_nd_adopt(nkx_dtype t, int ndim, const int64_t *shape, void *bytes, nkx_pool *pool)
{
    nkx_ndarray *a = nkx_nd_external(t, ndim, shape, bytes);
    a->block->external = false;
    a->block->pool = nkx_pool_ref(pool);
    return a;
}

nkx_ndarray *nkx_nd_external(nkx_dtype t, int ndim, const int64_t *shape, void *bytes)
{
    nkx_ndarray *a = header(t, ndim, shape);
    a->block = nkx_alloc(sizeof *a->block);
    a->block->refs = 1;
    a->block->at = bytes;
    a->block->external = true;
    a->block->bytes = (size_t)(nkx_nd_size(a) * nkx_dtype_bytes(t));
    a->at = bytes;
    return a;
}

nkx_ndarray *nkx_nd_scalar(nkx_dtype t, const void *bytes)
{
    nkx_ndarray *a = header(t, 0, NULL);
    a->scalar = true;
    a->at = (uint8_t *)&a->own;
    memcpy(a->at, bytes, (size_t)nkx_dtype_bytes(t));
    return a;
}

nkx_ndarray *nkx_nd_scalar_f64(nkx_dtype t, double v)
{
    uint64_t own = 0;
    nkx_nd_put_f64(t, &own, v);
    return nkx_nd_scalar(t, &own);
}

nkx_ndarray *nkx_nd_scalar_i64(nkx_dtype t, int64_t v)
{
    uint64_t own = 0;
    nkx_nd_put_i64(t, &own, v);
    return nkx_nd_scalar(t, &own);
}

void nkx_nd_drop(nkx_ndarray *a)
{
    if (a == NULL || --a->refs > 0) return;
    if (a->block != NULL && --a->block->refs == 0) {
        if (!a->block->external) {
            nkx_pages_free(a->block->pool, a->block->at, a->block->bytes);
        }
        nkx_pool_drop(a->block->pool);
        free(a->block);
    }
    free(a);
}

/* ---- facts ---- */

int64_t nkx_nd_size(const nkx_ndarray *a)
{
    int64_t n = 1;
    for (int d = 0; d < a->ndim; d++) n *= a->shape[d];
    return n;
}

bool nkx_nd_is_dense(const nkx_ndarray *a)
{
    int64_t step = nkx_dtype_bytes((nkx_dtype)a->dtype);
    for (int d = 0; d < a->ndim; d++) {
        if (a->shape[d] == 0) return true;
    }
    for (int d = a->ndim - 1; d >= 0; d--) {
        if (a->shape[d] != 1 && a->stride[d] != step) return false;
        step *= a->shape[d];
    }
    return true;
}

bool nkx_nd_is_fortran(const nkx_ndarray *a)
{
    int64_t step = nkx_dtype_bytes((nkx_dtype)a->dtype);
    for (int d = 0; d < a->ndim; d++) {
        if (a->shape[d] == 0) return true;
    }
    for (int d = 0; d < a->ndim; d++) {
        if (a->shape[d] != 1 && a->stride[d] != step) return false;
        step *= a->shape[d];
    }
    return true;
}

bool nkx_nd_same_shape(const nkx_ndarray *a, const nkx_ndarray *b)
{
    if (a->ndim != b->ndim) return false;
    for (int d = 0; d < a->ndim; d++) {
        if (a->shape[d] != b->shape[d]) return false;
    }
    return true;
}

/* Lowest and one past the highest byte an array can touch. */
static void extent(const nkx_ndarray *a, const uint8_t **lo, const uint8_t **hi)
{
    const uint8_t *l = a->at;
    const uint8_t *h = a->at + nkx_dtype_bytes((nkx_dtype)a->dtype);
    for (int d = 0; d < a->ndim; d++) {
        int64_t span = a->stride[d] * (a->shape[d] - 1);
        if (a->shape[d] == 0) h = l;
        if (span < 0) {
            l += span;
        } else {
            h += span;
        }
    }
    *lo = l;
    *hi = h;
}

bool nkx_nd_overlap(const nkx_ndarray *a, const nkx_ndarray *b)
{
    if (a->block == NULL || b->block == NULL || a->block->at != b->block->at) return a == b;
    if (nkx_nd_size(a) == 0 || nkx_nd_size(b) == 0) return false;
    const uint8_t *al, *ah, *bl, *bh;
    extent(a, &al, &ah);
    extent(b, &bl, &bh);
    return al < bh && bl < ah;
}

void nkx_nd_shape_text(nkx_buf *out, int ndim, const int64_t *shape)
{
    nkx_buf_char(out, '(');
    for (int d = 0; d < ndim; d++)
        nkx_buf_printf(out, d > 0 ? ", %lld" : "%lld", (long long)shape[d]);
    nkx_buf_str(out, ndim == 1 ? ",)" : ")");
}

const char *nkx_nd_shape_str(char *out, size_t size, int ndim, const int64_t *shape)
{
    nkx_buf b = {0};
    nkx_buf_char(&b, '(');
    for (int d = 0; d < ndim; d++) {
        nkx_buf_printf(&b, d > 0 ? ",%lld" : "%lld", (long long)shape[d]);
    }
    nkx_buf_str(&b, ndim == 1 ? ",)" : ")");
    snprintf(out, size, "%s", b.at);
    nkx_buf_fini(&b);
    return out;
}

const char *nkx_nd_type_name(nkx_dtype t)
{
    return nkx_dtypes[t].name;
}

bool nkx_nd_axis(int64_t axis, int ndim, int *out, nkx_nd_error *e)
{
    if (axis < -ndim || axis >= ndim) {
        return nkx_nd_fail(e, "AxisError", "axis %lld is out of bounds for array of dimension %d",
                           (long long)axis, ndim);
    }
    *out = (int)(axis < 0 ? axis + ndim : axis);
    return true;
}

/* ---- copies and views ---- */

nkx_ndarray *nkx_nd_view(const nkx_ndarray *a)
{
    if (a->block == NULL) return nkx_nd_scalar((nkx_dtype)a->dtype, a->at);
    nkx_ndarray *v = nkx_dup(a, sizeof *a);
    v->refs = 1;
    v->scalar = false;
    v->block->refs++;
    return v;
}

static nkx_ndarray *copy_as(const nkx_ndarray *a, nkx_dtype t)
{
    nkx_nd_error e;
    nkx_ndarray *c = a->scalar ? nkx_nd_scalar_i64(t, 0) : nkx_nd_new(t, a->ndim, a->shape, &e);
    if (c == NULL) nkx_fatal(__FILE__, __LINE__, "out of memory: host array");
    nkx_cast_nd(t, c->at, c->stride, (nkx_dtype)a->dtype, a->at, a->stride, a->ndim, a->shape);
    return c;
}

nkx_ndarray *nkx_nd_copy(const nkx_ndarray *a)
{
    return copy_as(a, (nkx_dtype)a->dtype);
}

nkx_ndarray *nkx_nd_astype(nkx_ndarray *a, nkx_dtype t)
{
    return copy_as(a, t);
}

nkx_ndarray *nkx_nd_as(nkx_ndarray *a, nkx_dtype t)
{
    return a->dtype == t ? nkx_nd_ref(a) : copy_as(a, t);
}

nkx_ndarray *nkx_nd_dense(nkx_ndarray *a)
{
    return nkx_nd_is_dense(a) ? nkx_nd_ref(a) : nkx_nd_copy(a);
}

nkx_ndarray *nkx_nd_to_scalar_take(nkx_ndarray *a)
{
    if (a == NULL || a->ndim > 0 || a->scalar) return a;
    nkx_ndarray *s = nkx_nd_scalar((nkx_dtype)a->dtype, a->at);
    nkx_nd_drop(a);
    return s;
}

void nkx_nd_fill(nkx_ndarray *dst, const void *element)
{
    int64_t zero[NKX_ND_MAX] = {0};
    nkx_cast_nd((nkx_dtype)dst->dtype, dst->at, dst->stride, (nkx_dtype)dst->dtype, element, zero,
                dst->ndim, dst->shape);
}

/* Strides of src seen in the shape of dst: 0 where it is broadcast. Leading ones of src may go. */
static bool fit_strides(const nkx_ndarray *dst, const nkx_ndarray *src, int64_t *ss)
{
    int skip = src->ndim - dst->ndim;
    for (int d = 0; d < skip; d++) {
        if (src->shape[d] != 1) return false;
    }
    for (int d = 0; d < dst->ndim; d++) {
        int s = d + skip;
        if (s < 0) {
            ss[d] = 0;
        } else if (src->shape[s] == dst->shape[d]) {
            ss[d] = src->stride[s];
        } else if (src->shape[s] == 1) {
            ss[d] = 0;
        } else {
            return false;
        }
    }
    return true;
}

bool nkx_nd_assign(nkx_ndarray *dst, const nkx_ndarray *src, nkx_nd_error *e)
{
    int64_t ss[NKX_ND_MAX];
    char from[96], to[96];
    if (dst->readonly || dst->scalar)
        return nkx_nd_fail(e, "ValueError", "assignment destination is read-only");
    if (!fit_strides(dst, src, ss)) {
        return nkx_nd_fail(e, "ValueError",
                           "could not broadcast input array from shape %s into shape %s",
                           nkx_nd_shape_str(from, sizeof from, src->ndim, src->shape),
                           nkx_nd_shape_str(to, sizeof to, dst->ndim, dst->shape));
    }
    if ((nkx_nd_is_packed((nkx_dtype)dst->dtype) || nkx_nd_is_packed((nkx_dtype)src->dtype)) &&
        dst->dtype != src->dtype) {
        return nkx_nd_fail(e, "TypeError", "cannot cast array data from dtype('%s') to dtype('%s')",
                           nkx_nd_type_name((nkx_dtype)src->dtype),
                           nkx_nd_type_name((nkx_dtype)dst->dtype));
    }
    if (nkx_nd_overlap(dst, src)) {
        nkx_ndarray *copy = nkx_nd_copy(src);
        bool ok = fit_strides(dst, copy, ss);
        NKX_ASSERT(ok);
        nkx_cast_nd((nkx_dtype)dst->dtype, dst->at, dst->stride, (nkx_dtype)copy->dtype, copy->at,
                    ss, dst->ndim, dst->shape);
        nkx_nd_drop(copy);
        return ok;
    }
    nkx_cast_nd((nkx_dtype)dst->dtype, dst->at, dst->stride, (nkx_dtype)src->dtype, src->at, ss,
                dst->ndim, dst->shape);
    return true;
}

/* ---- elements ---- */

uint8_t *nkx_nd_at(const nkx_ndarray *a, int64_t flat)
{
    uint8_t *p = a->at;
    for (int d = a->ndim - 1; d >= 0; d--) {
        p += a->stride[d] * (flat % a->shape[d]);
        flat /= a->shape[d];
    }
    return p;
}

double nkx_nd_get_f64(const nkx_ndarray *a, int64_t flat)
{
    return nkx_nd_elem_f64((nkx_dtype)a->dtype, nkx_nd_at(a, flat));
}

int64_t nkx_nd_get_i64(const nkx_ndarray *a, int64_t flat)
{
    return nkx_nd_elem_i64((nkx_dtype)a->dtype, nkx_nd_at(a, flat));
}

double nkx_nd_elem_f64(nkx_dtype t, const void *p)
{
    double v = 0;
    if (nkx_nd_is_packed(t)) return (double)nkx_load_packed(t, p, 0);
    nkx_lane_load(NKX_LANE_F64, &v, t, p, 0, 1);
    return v;
}

int64_t nkx_nd_elem_i64(nkx_dtype t, const void *p)
{
    int64_t v = 0;
    if (nkx_nd_is_packed(t)) return (int64_t)nkx_load_packed(t, p, 0);
    nkx_lane_load(NKX_LANE_I64, &v, t, p, 0, 1);
    return v;
}

void nkx_nd_put_f64(nkx_dtype t, void *p, double v)
{
    if (!nkx_nd_is_packed(t)) nkx_lane_store(NKX_LANE_F64, t, p, 0, &v, 1);
}

void nkx_nd_put_i64(nkx_dtype t, void *p, int64_t v)
{
    if (!nkx_nd_is_packed(t)) nkx_lane_store(NKX_LANE_I64, t, p, 0, &v, 1);
}

bool nkx_nd_elem_true(nkx_dtype t, const void *p)
{
    if (nkx_dtype_is_int(t)) return nkx_nd_elem_i64(t, p) != 0;
    return nkx_nd_elem_f64(t, p) != 0;
}
