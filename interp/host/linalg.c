/* SPDX-License-Identifier: Apache-2.0 */
/* Products of host arrays and small systems. Layer host; the BLAS is behind num/gemm.h. */
#include "interp/host/linalg.h"
#include "interp/host/reduce.h"
#include "interp/host/shape.h"
#include "interp/num/gemm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Type the product is computed in: ml_dtypes' small floats give float32, as their matmul does. */
static nkx_dtype product_type(nkx_dtype a, nkx_dtype b)
{
    nkx_dtype t = nkx_promote(a, b);
    bool small = nkx_dtype_is_float(t) && t != NKX_DT_FP16 && t != NKX_DT_FP64;
    return small ? NKX_DT_FP32 : t;
}

static void product_i64(int64_t m, int64_t n, int64_t k, const uint64_t *a, const uint64_t *b,
                        uint64_t *c)
{
    memset(c, 0, (size_t)(m * n) * sizeof *c);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t p = 0; p < k; p++) {
            uint64_t v = a[i * k + p];
            for (int64_t j = 0; j < n; j++) c[i * n + j] += v * b[p * n + j];
        }
    }
}

/* One dense product of lanes. */
static void product(nkx_lane l, int64_t m, int64_t n, int64_t k, const void *a, const void *b,
                    void *c)
{
    if (m == 0 || n == 0) return;
    if (k == 0) {
        memset(c, 0, (size_t)(m * n * nkx_lane_bytes(l)));
        return;
    }
    switch (l) {
    case NKX_LANE_F32: nkx_gemm_f32((int)m, (int)n, (int)k, a, false, b, false, c, 1); return;
    case NKX_LANE_F64: nkx_gemm_f64((int)m, (int)n, (int)k, a, false, b, false, c, 1); return;
    case NKX_LANE_I64:
    case NKX_LANE_U64: product_i64(m, n, k, a, b, c); return;
    }
}

static nkx_dtype lane_dtype(nkx_lane l)
{
    return l == NKX_LANE_F32   ? NKX_DT_FP32
           : l == NKX_LANE_F64 ? NKX_DT_FP64
           : l == NKX_LANE_I64 ? NKX_DT_INT64
                               : NKX_DT_UINT64;
}

static nkx_ndarray *typed_dense(nkx_ndarray *a, nkx_dtype t)
{
    nkx_ndarray *x = nkx_nd_as(a, t);
    nkx_ndarray *d = nkx_nd_dense(x);
    nkx_nd_drop(x);
    return d;
}

/* a (..., m, k) times b (..., k, n), both of two or more dimensions. */
static nkx_ndarray *matmul_nd(nkx_ndarray *a, nkx_ndarray *b, nkx_nd_error *e)
{
    int64_t shape[NKX_ND_MAX], sa[NKX_ND_MAX], sb[NKX_ND_MAX];
    int ndim = 0;
    nkx_dtype t = product_type((nkx_dtype)a->dtype, (nkx_dtype)b->dtype);
    nkx_lane l = nkx_lane_of(t);
    int64_t m = a->shape[a->ndim - 2], k = a->shape[a->ndim - 1], n = b->shape[b->ndim - 1];
    nkx_ndarray *x = typed_dense(a, lane_dtype(l)), *y = typed_dense(b, lane_dtype(l)), *out = NULL;
    nkx_ndarray *xb = nkx_nd_view(x), *yb = nkx_nd_view(y), *pair[2] = {xb, yb};
    xb->ndim = (uint8_t)(xb->ndim - 2); /* headers of the batch dimensions alone */
    yb->ndim = (uint8_t)(yb->ndim - 2);
    if (nkx_nd_broadcast_shape(2, pair, &ndim, shape, e)) {
        nkx_nd_broadcast_strides(xb, ndim, shape, sa);
        nkx_nd_broadcast_strides(yb, ndim, shape, sb);
        shape[ndim] = m;
        shape[ndim + 1] = n;
        out = nkx_nd_new(lane_dtype(l), ndim + 2, shape, e);
    }
    if (out != NULL) {
        int64_t batches = 1;
        for (int d = 0; d < ndim; d++) batches *= shape[d];
        for (int64_t i = 0; i < batches; i++) {
            const uint8_t *pa = x->at, *pb = y->at;
            int64_t r = i;
            for (int d = ndim - 1; d >= 0; d--) {
                pa += r % shape[d] * sa[d];
                pb += r % shape[d] * sb[d];
                r /= shape[d];
            }
            product(l, m, n, k, pa, pb, out->at + i * m * n * nkx_lane_bytes(l));
        }
    }
    nkx_nd_drop(xb);
    nkx_nd_drop(yb);
    nkx_nd_drop(x);
    nkx_nd_drop(y);
    if (out == NULL || out->dtype == t) return out;
    nkx_ndarray *typed = nkx_nd_astype(out, t);
    nkx_nd_drop(out);
    return typed;
}

static nkx_ndarray *with_dim(nkx_ndarray *a, int64_t axis, nkx_nd_error *e)
{
    return nkx_nd_expand_dims(a, &axis, 1, e);
}

nkx_ndarray *nkx_nd_matmul(nkx_ndarray *a, nkx_ndarray *b, nkx_nd_error *e)
{
    if (a->ndim == 0 || b->ndim == 0) {
        return nkx_nd_null(e, "ValueError",
                           "matmul: Input operand %d does not have enough dimensions (has 0, "
                           "gufunc core with signature "
                           "(n?,k),(k,m?)->(n?,m?) requires 1)",
                           a->ndim == 0 ? 0 : 1);
    }
    if (nkx_nd_is_packed((nkx_dtype)a->dtype) || nkx_nd_is_packed((nkx_dtype)b->dtype)) {
        return nkx_nd_null(e, "TypeError", "matmul is not defined for packed types");
    }
    if (nkx_gemm_error() != NULL) return nkx_nd_null(e, "RuntimeError", "%s", nkx_gemm_error());
    int64_t ka = a->shape[a->ndim - 1], kb = b->shape[b->ndim >= 2 ? b->ndim - 2 : 0];
    if (ka != kb) {
        return nkx_nd_null(
            e, "ValueError",
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            "(n?,k),(k,m?)->(n?,m?) (size %lld is different from %lld)",
            (long long)kb, (long long)ka);
    }
    for (int d = 0; d < 2; d++) {
        if (a->shape[a->ndim - 1 - (a->ndim > 1 ? d : 0)] > INT32_MAX ||
            b->shape[b->ndim - 1 - (b->ndim > 1 ? d : 0)] > INT32_MAX) {
            return nkx_nd_null(e, "ValueError", "matmul: a dimension is over %d", INT32_MAX);
        }
    }
    nkx_ndarray *x = a->ndim == 1 ? with_dim(a, 0, e) : nkx_nd_ref(a);
    nkx_ndarray *y = b->ndim == 1 ? with_dim(b, -1, e) : nkx_nd_ref(b);
    nkx_ndarray *r = x != NULL && y != NULL ? matmul_nd(x, y, e) : NULL;
    nkx_nd_drop(x);
    nkx_nd_drop(y);
    int64_t axes[2];
    int n = 0;
    if (a->ndim == 1) axes[n++] = -2;
    if (b->ndim == 1) axes[n++] = -1;
    if (r == NULL || n == 0) return r;
    nkx_ndarray *s = nkx_nd_squeeze(r, axes, n, e);
    nkx_nd_drop(r);
    return nkx_nd_to_scalar_take(s);
}

/* ---- dot, tensordot, inner, outer ---- */

static bool tensordot_axes(nkx_ndarray *a, const int64_t *ax, int n, bool contracted_last,
                           int64_t *order, int64_t *outer, int64_t *inner, nkx_nd_error *e)
{
    int axis[NKX_ND_MAX], at = 0;
    bool used[NKX_ND_MAX] = {false};
    *outer = *inner = 1;
    for (int i = 0; i < n; i++) {
        if (!nkx_nd_axis(ax[i], a->ndim, &axis[i], e)) return false;
        if (used[axis[i]]) return nkx_nd_fail(e, "ValueError", "repeated axis in tensordot");
        used[axis[i]] = true;
        *inner *= a->shape[axis[i]];
    }
    for (int i = 0; !contracted_last && i < n; i++) order[at++] = axis[i];
    for (int d = 0; d < a->ndim; d++) {
        if (used[d]) continue;
        order[at++] = d;
        *outer *= a->shape[d];
    }
    for (int i = 0; contracted_last && i < n; i++) order[at++] = axis[i];
    return true;
}

nkx_ndarray *nkx_nd_tensordot(nkx_ndarray *a, nkx_ndarray *b, const int64_t *axa,
                              const int64_t *axb, int n, nkx_nd_error *e)
{
    int64_t oa[NKX_ND_MAX], ob[NKX_ND_MAX], shape[2 * NKX_ND_MAX], m, k, k2, nn;
    int ndim = 0, d;
    nkx_ndarray *ta = NULL, *tb = NULL, *ma = NULL, *mb = NULL, *r = NULL, *out = NULL;
    for (int i = 0; i < n; i++) {
        int x, y;
        if (!nkx_nd_axis(axa[i], a->ndim, &x, e) || !nkx_nd_axis(axb[i], b->ndim, &y, e))
            return NULL;
        if (a->shape[x] != b->shape[y])
            return nkx_nd_null(e, "ValueError", "shape-mismatch for sum");
    }
    if (!tensordot_axes(a, axa, n, true, oa, &m, &k, e) ||
        !tensordot_axes(b, axb, n, false, ob, &nn, &k2, e))
        return NULL;
    if (a->ndim + b->ndim - 2 * n > NKX_ND_MAX)
        return nkx_nd_null(e, "ValueError", "the product has more than %d dimensions", NKX_ND_MAX);
    for (d = 0; d < a->ndim - n; d++) shape[ndim++] = a->shape[oa[d]];
    for (d = n; d < b->ndim; d++) shape[ndim++] = b->shape[ob[d]];
    ta = nkx_nd_transpose(a, oa, a->ndim, e);
    tb = nkx_nd_transpose(b, ob, b->ndim, e);
    if (ta != NULL && tb != NULL) {
        ma = nkx_nd_reshape(ta, 2, (int64_t[]){m, k}, 'C', e);
        mb = nkx_nd_reshape(tb, 2, (int64_t[]){k2, nn}, 'C', e);
    }
    if (ma != NULL && mb != NULL) r = nkx_nd_matmul(ma, mb, e);
    if (r != NULL) out = nkx_nd_reshape(r, ndim, shape, 'C', e);
    nkx_nd_drop(ta);
    nkx_nd_drop(tb);
    nkx_nd_drop(ma);
    nkx_nd_drop(mb);
    nkx_nd_drop(r);
    return nkx_nd_to_scalar_take(out);
}

/* The result in the promoted type, which for small floats differs from matmul's. */
static nkx_ndarray *as_promoted(nkx_ndarray *r, const nkx_ndarray *a, const nkx_ndarray *b)
{
    nkx_dtype t = nkx_promote((nkx_dtype)a->dtype, (nkx_dtype)b->dtype);
    if (r == NULL || r->dtype == t) return r;
    nkx_ndarray *x = nkx_nd_astype(r, t);
    nkx_nd_drop(r);
    return x;
}

nkx_ndarray *nkx_nd_dot(nkx_ndarray *a, nkx_ndarray *b, nkx_nd_error *e)
{
    if (a->ndim == 0 || b->ndim == 0) return nkx_uf_binary(NKX_UF_MULTIPLY, a, b, e);
    int64_t xa = a->ndim - 1, xb = b->ndim > 1 ? b->ndim - 2 : 0;
    if (a->shape[xa] != b->shape[xb]) {
        char sa[96], sb[96];
        return nkx_nd_null(
            e, "ValueError", "shapes %s and %s not aligned: %lld (dim %lld) != %lld (dim %lld)",
            nkx_nd_shape_str(sa, sizeof sa, a->ndim, a->shape),
            nkx_nd_shape_str(sb, sizeof sb, b->ndim, b->shape), (long long)a->shape[xa],
            (long long)xa, (long long)b->shape[xb], (long long)xb);
    }
    return as_promoted(nkx_nd_tensordot(a, b, &xa, &xb, 1, e), a, b);
}

nkx_ndarray *nkx_nd_inner(nkx_ndarray *a, nkx_ndarray *b, nkx_nd_error *e)
{
    if (a->ndim == 0 || b->ndim == 0) return nkx_uf_binary(NKX_UF_MULTIPLY, a, b, e);
    int64_t xa = a->ndim - 1, xb = b->ndim - 1;
    return as_promoted(nkx_nd_tensordot(a, b, &xa, &xb, 1, e), a, b);
}

nkx_ndarray *nkx_nd_outer(nkx_ndarray *a, nkx_ndarray *b, nkx_nd_error *e)
{
    int64_t na = nkx_nd_size(a), nb = nkx_nd_size(b);
    nkx_ndarray *x = nkx_nd_reshape(a, 2, (int64_t[]){na, 1}, 'C', e),
                *y = nkx_nd_reshape(b, 2, (int64_t[]){1, nb}, 'C', e), *r = NULL;
    if (x != NULL && y != NULL) r = nkx_uf_binary(NKX_UF_MULTIPLY, x, y, e);
    nkx_nd_drop(x);
    nkx_nd_drop(y);
    return r;
}

/* ---- small systems: Gaussian elimination with partial pivoting ---- */

/* Eliminates [a | b] in place; the determinant in *det; false when singular. */
static bool eliminate(double *a, double *b, int64_t n, int64_t nb, double *det)
{
    *det = 1;
    for (int64_t c = 0; c < n; c++) {
        int64_t p = c;
        for (int64_t r = c + 1; r < n; r++) {
            if (fabs(a[r * n + c]) > fabs(a[p * n + c])) p = r;
        }
        if (a[p * n + c] == 0) {
            *det = 0;
            return false;
        }
        if (p != c) {
            for (int64_t k = 0; k < n; k++) {
                double t = a[p * n + k];
                a[p * n + k] = a[c * n + k];
                a[c * n + k] = t;
            }
            for (int64_t k = 0; k < nb; k++) {
                double t = b[p * nb + k];
                b[p * nb + k] = b[c * nb + k];
                b[c * nb + k] = t;
            }
            *det = -*det;
        }
        *det *= a[c * n + c];
        for (int64_t r = c + 1; r < n; r++) {
            double f = a[r * n + c] / a[c * n + c];
            for (int64_t k = c; k < n; k++) a[r * n + k] -= f * a[c * n + k];
            for (int64_t k = 0; k < nb; k++) b[r * nb + k] -= f * b[c * nb + k];
        }
    }
    for (int64_t c = n - 1; c >= 0; c--) {
        for (int64_t k = 0; k < nb; k++) {
            double s = b[c * nb + k];
            for (int64_t j = c + 1; j < n; j++) s -= a[c * n + j] * b[j * nb + k];
            b[c * nb + k] = s / a[c * n + c];
        }
    }
    return true;
}

static bool square(const nkx_ndarray *a, nkx_nd_error *e)
{
    if (a->ndim != 2)
        return nkx_nd_fail(e, "LinAlgError",
                           "%d-dimensional array given. Array must be two-dimensional", a->ndim);
    if (a->shape[0] != a->shape[1])
        return nkx_nd_fail(e, "LinAlgError", "Last 2 dimensions of the array must be square");
    return true;
}

static nkx_dtype solve_type(nkx_dtype t)
{
    return t == NKX_DT_FP32 ? NKX_DT_FP32 : NKX_DT_FP64;
}

nkx_ndarray *nkx_nd_solve(nkx_ndarray *a, nkx_ndarray *b, nkx_nd_error *e)
{
    double det;
    if (!square(a, e)) return NULL;
    if (b->ndim < 1 || b->ndim > 2 || b->shape[0] != a->shape[0])
        return nkx_nd_null(e, "ValueError",
                           "solve: Input operand 1 has a mismatch in its core dimension 0");
    nkx_ndarray *x = nkx_nd_astype(a, NKX_DT_FP64), *y = nkx_nd_astype(b, NKX_DT_FP64), *r = NULL;
    bool ok = eliminate((double *)(void *)x->at, (double *)(void *)y->at, a->shape[0],
                        b->ndim == 2 ? b->shape[1] : 1, &det);
    if (!ok) {
        nkx_nd_fail(e, "LinAlgError", "Singular matrix");
    } else {
        r = nkx_nd_astype(y, solve_type(nkx_promote((nkx_dtype)a->dtype, (nkx_dtype)b->dtype)));
    }
    nkx_nd_drop(x);
    nkx_nd_drop(y);
    return r;
}

nkx_ndarray *nkx_nd_inv(nkx_ndarray *a, nkx_nd_error *e)
{
    if (!square(a, e)) return NULL;
    nkx_ndarray *i = nkx_nd_eye((nkx_dtype)a->dtype, a->shape[0], a->shape[0], 0, e);
    nkx_ndarray *r = i != NULL ? nkx_nd_solve(a, i, e) : NULL;
    nkx_nd_drop(i);
    return r;
}

bool nkx_nd_det(nkx_ndarray *a, double *out, nkx_nd_error *e)
{
    if (!square(a, e)) return false;
    nkx_ndarray *x = nkx_nd_astype(a, NKX_DT_FP64);
    bool ok = eliminate((double *)(void *)x->at, NULL, a->shape[0], 0, out);
    (void)ok; /* singular: the determinant is 0 */
    nkx_nd_drop(x);
    return true;
}
