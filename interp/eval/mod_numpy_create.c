/* SPDX-License-Identifier: Apache-2.0 */
/* numpy: making arrays. Layer eval. */
#include "interp/eval/mod_numpy.h"

#include <math.h>
#include <string.h>

/* np.array(object, dtype, copy=True, order, ndmin) */
static bool np_array(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    int dtype;
    bool copy = true;
    int64_t ndmin;
    char order;
    nkx_nd_error e;
    if (!nkx_np_dtype(vm, in[1], &dtype) || (nkx_given(in[2]) && !nkx_truth(vm, in[2], &copy)) ||
        !nkx_np_order(vm, in[3], &order))
        return false;
    if (in[2].type == NKX_V_NONE) copy = false;
    if (!nkx_as_int(vm, in[4], "ndmin", &ndmin) || !nkx_np_array(vm, in[0], dtype, &a))
        return false;
    if (in[0].type == NKX_V_ARRAY && (a->scalar || (copy && a == nkx_np_of(in[0])))) {
        nkx_ndarray *c = a->scalar ? nkx_nd_reshape(a, 0, NULL, 'C', &e) : nkx_nd_copy(a);
        nkx_nd_drop(a);
        a = c;
    }
    if (a != NULL && order == 'F' && a->ndim > 1) { /* laid out the other way round */
        nkx_ndarray *t = nkx_nd_transpose(a, NULL, 0, &e), *c = nkx_nd_copy(t);
        nkx_nd_drop(t);
        nkx_nd_drop(a);
        a = nkx_nd_transpose(c, NULL, 0, &e);
        nkx_nd_drop(c);
    }
    for (; a != NULL && a->ndim < ndmin && ndmin <= NKX_ND_MAX;) {
        int64_t zero = 0;
        nkx_ndarray *w = nkx_nd_expand_dims(a, &zero, 1, &e);
        nkx_nd_drop(a);
        a = w;
    }
    return nkx_np_done(vm, a, &e, out);
}

/* a, dtype, order: the array itself where nothing has to change */
static bool np_asarray(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    int dtype;
    nkx_nd_error e;
    if (!nkx_np_dtype(vm, in[1], &dtype)) return false;
    if (in[0].type == NKX_V_ARRAY && !nkx_np_of(in[0])->scalar &&
        (dtype < 0 || dtype == nkx_np_of(in[0])->dtype))
        return nkx_give(out, nkx_ref(in[0]));
    if (!nkx_np_array(vm, in[0], dtype, &a)) return false;
    if (a->scalar) {
        nkx_ndarray *c = nkx_nd_reshape(a, 0, NULL, 'C', &e);
        nkx_nd_drop(a);
        a = c;
    }
    return nkx_np_done(vm, a, &e, out);
}

static bool np_ascontiguous(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    int dtype;
    nkx_nd_error e = {0};
    if (!nkx_np_dtype(vm, in[1], &dtype) || !nkx_np_array(vm, in[0], dtype, &a)) return false;
    nkx_ndarray *d = nkx_nd_dense(a);
    nkx_nd_drop(a);
    return nkx_np_done(vm, d, &e, out);
}

/* a, order */
static bool np_copy(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    nkx_nd_error e = {0};
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    nkx_ndarray *c = a->scalar ? nkx_nd_reshape(a, 0, NULL, 'C', &e) : nkx_nd_copy(a);
    nkx_nd_drop(a);
    return nkx_np_done(vm, c, &e, out);
}

/* ---- filled ---- */

static bool filled(nkx_vm *vm, nkx_value shape, nkx_value dtype, nkx_dtype dflt, nkx_value value,
                   nkx_value *out)
{
    int64_t dims[NKX_ND_MAX];
    int n, t;
    nkx_nd_error e;
    if (!nkx_np_ints(vm, shape, "shape", dims, NKX_ND_MAX, &n) || !nkx_np_dtype(vm, dtype, &t))
        return false;
    nkx_ndarray *a = nkx_nd_new(t >= 0 ? (nkx_dtype)t : dflt, n, dims, &e);
    if (a == NULL) return nkx_np_raise(vm, &e);
    if (value.type != NKX_V_UNSET) {
        nkx_ndarray *v = NULL;
        double d;
        bool number = nkx_is_number(value, &d) && value.type != NKX_V_FLOAT;
        bool ok = nkx_np_array(vm, value, number ? (int)a->dtype : -1, &v) &&
                  (nkx_nd_assign(a, v, &e) || nkx_np_raise(vm, &e));
        nkx_nd_drop(v);
        if (!ok) {
            nkx_nd_drop(a);
            return false;
        }
    }
    return nkx_np_done(vm, a, &e, out);
}

/* shape, dtype, order */
static bool np_zeros(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return filled(vm, in[0], in[1], NKX_DT_FP64, NKX_UNSET, out);
}
/* shape, dtype, buffer, offset, strides, order: memory of one's own only */
static bool np_ndarray(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    if (in[2].type != NKX_V_NONE || in[4].type != NKX_V_NONE) {
        return nkx_raise(vm, NKX_E716, "NotImplementedError",
                         "numpy.ndarray() with buffer or strides");
    }
    return filled(vm, in[0], in[1], NKX_DT_FP64, NKX_UNSET, out);
}
static bool np_ones(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return filled(vm, in[0], in[1], NKX_DT_FP64, nkx_int(1), out);
}

static nkx_dtype dtype_of_value(nkx_value v)
{
    int64_t i;
    if (v.type == NKX_V_ARRAY) return (nkx_dtype)nkx_np_of(v)->dtype;
    if (v.type == NKX_V_BOOL) return NKX_DT_BOOL;
    return nkx_is_int(v, &i) ? NKX_DT_INT64 : NKX_DT_FP64;
}

/* shape, fill_value, dtype, order */
static bool np_full(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return filled(vm, in[0], in[2], dtype_of_value(in[1]), in[1], out);
}

static bool filled_like(nkx_vm *vm, nkx_value like, nkx_value dtype, nkx_value shape,
                        nkx_value value, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    if (!nkx_np_array(vm, like, -1, &a)) return false;
    nkx_value dims = nkx_ref(shape);
    if (!nkx_given(shape)) {
        dims = nkx_tuple_new(vm, a->ndim);
        for (int d = 0; d < a->ndim; d++) NKX_AS(nkx_tuple, dims)->at[d] = nkx_int(a->shape[d]);
    }
    bool ok = filled(vm, dims, dtype, (nkx_dtype)a->dtype, value, out);
    nkx_drop(dims);
    nkx_nd_drop(a);
    return ok;
}

/* a, dtype, order, subok, shape */
static bool np_zeros_like(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return filled_like(vm, in[0], in[1], in[4], NKX_UNSET, out);
}
static bool np_ones_like(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return filled_like(vm, in[0], in[1], in[4], nkx_int(1), out);
}
/* a, fill_value, dtype, order, subok, shape */
static bool np_full_like(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return filled_like(vm, in[0], in[2], in[5], in[1], out);
}

/* ---- ranges ---- */

static bool np_arange(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    static const char *const known[] = {"start", "stop", "step", "dtype", NULL};
    nkx_value v[3] = {NKX_UNSET, NKX_UNSET, NKX_UNSET}, dv = nkx_kw_get(a, "dtype");
    int64_t i[3] = {0, 0, 1};
    double f[3] = {0, 0, 1};
    bool ints = true;
    int dtype;
    nkx_nd_error e;
    if (!nkx_kw_check(vm, "arange", a, known) || a->n > 4)
        return a->n > 4 ? nkx_type_error(vm, "arange() takes at most 4 arguments") : false;
    for (uint32_t k = 0; k < a->n && k < 3; k++) v[k] = a->at[k];
    if (a->n == 4) dv = a->at[3];
    for (int k = 0; k < 3; k++) {
        nkx_value kw = nkx_kw_get(a, known[k]);
        if (kw.type != NKX_V_UNSET) v[k] = kw;
    }
    if (!nkx_given(v[1])) { /* arange(stop) */
        v[1] = v[0];
        v[0] = NKX_UNSET;
    }
    if (!nkx_given(v[1])) return nkx_type_error(vm, "arange() requires stop to be specified.");
    if (!nkx_np_dtype(vm, dv, &dtype)) return false;
    for (int k = 0; k < 3; k++) {
        if (!nkx_given(v[k])) continue;
        bool array = v[k].type == NKX_V_ARRAY;
        bool whole =
            array ? nkx_dtype_is_int((nkx_dtype)nkx_np_of(v[k])->dtype) : v[k].type != NKX_V_FLOAT;
        if (whole && !nkx_as_int(vm, v[k], "arange() argument", &i[k])) return false;
        if (!nkx_as_float(vm, v[k], "arange() argument", &f[k])) return false;
        ints = ints && whole;
    }
    nkx_dtype t = dtype >= 0 ? (nkx_dtype)dtype : ints ? NKX_DT_INT64 : NKX_DT_FP64;
    nkx_ndarray *r =
        ints ? nkx_nd_arange_i64(t, i[0], i[1], i[2], &e) : nkx_nd_arange(t, f[0], f[1], f[2], &e);
    return nkx_np_done(vm, r, &e, out);
}

/* start, stop, num, endpoint, retstep, dtype */
static bool np_linspace(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    double start, stop, step = 0;
    int64_t n;
    bool end, ret;
    int dtype;
    nkx_nd_error e;
    if (!nkx_as_float(vm, in[0], "start", &start) || !nkx_as_float(vm, in[1], "stop", &stop) ||
        !nkx_as_int(vm, in[2], "num", &n) || !nkx_truth(vm, in[3], &end) ||
        !nkx_truth(vm, in[4], &ret) || !nkx_np_dtype(vm, in[5], &dtype)) {
        return false;
    }
    nkx_value v;
    if (!nkx_np_done(vm,
                     nkx_nd_linspace(dtype >= 0 ? (nkx_dtype)dtype : NKX_DT_FP64, start, stop, n,
                                     end, &step, &e),
                     &e, &v))
        return false;
    if (!ret) return nkx_give(out, v);
    nkx_value pair[2] = {v, nkx_array_take(vm, nkx_nd_scalar_f64(NKX_DT_FP64, step))};
    *out = nkx_tuple_of(vm, pair, 2);
    nkx_drop(pair[0]);
    nkx_drop(pair[1]);
    return true;
}

/* start, stop, num, endpoint, base, dtype */
static bool np_logspace(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value args[6] = {in[0], in[1], in[2], in[3], nkx_bool(false), NKX_NONE}, x;
    int dtype;
    if (!nkx_np_dtype(vm, in[5], &dtype) || !np_linspace(vm, args, &x)) return false;
    bool ok = nkx_array_binary(vm, NKX_OP_POW, in[4], x, out);
    nkx_drop(x);
    if (!ok || dtype < 0) return ok;
    nkx_value raw = *out;
    *out = nkx_array_take(vm, nkx_nd_astype(nkx_np_of(raw), (nkx_dtype)dtype));
    nkx_drop(raw);
    return true;
}

/* N, M, k, dtype */
static bool np_eye(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t n, m, k;
    int dtype;
    nkx_nd_error e;
    if (!nkx_as_int(vm, in[0], "N", &n) || !nkx_as_int(vm, in[2], "k", &k) ||
        !nkx_np_dtype(vm, in[3], &dtype))
        return false;
    m = n;
    if (nkx_given(in[1]) && !nkx_as_int(vm, in[1], "M", &m)) return false;
    return nkx_np_done(vm, nkx_nd_eye(dtype >= 0 ? (nkx_dtype)dtype : NKX_DT_FP64, n, m, k, &e), &e,
                       out);
}

/* n, dtype */
static bool np_identity(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value args[4] = {in[0], NKX_NONE, nkx_int(0), in[1]};
    return np_eye(vm, args, out);
}

/* v, k: a diagonal matrix of a vector, or the diagonal of a matrix */
static bool np_diag(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *r = NULL;
    int64_t k;
    nkx_nd_error e;
    if (!nkx_as_int(vm, in[1], "k", &k) || !nkx_np_array(vm, in[0], -1, &a)) return false;
    if (a->ndim == 1) {
        int64_t n = a->shape[0] + (k < 0 ? -k : k);
        r = nkx_nd_new((nkx_dtype)a->dtype, 2, (int64_t[]){n, n}, &e);
        nkx_ndarray *d = r != NULL ? nkx_nd_diagonal(r, k, 0, 1, &e) : NULL;
        if (d != NULL && !nkx_nd_assign(d, a, &e)) {
            nkx_nd_drop(r);
            r = NULL;
        }
        nkx_nd_drop(d);
    } else {
        nkx_ndarray *v = nkx_nd_diagonal(a, k, 0, 1, &e);
        r = v != NULL ? nkx_nd_copy(v) : NULL;
        nkx_nd_drop(v);
    }
    nkx_nd_drop(a);
    return nkx_np_done(vm, r, &e, out);
}

static bool triangle(nkx_vm *vm, const nkx_value *in, bool upper, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    int64_t k;
    nkx_nd_error e;
    if (!nkx_as_int(vm, in[1], "k", &k) || !nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_done(vm, nkx_nd_tri(a, k, upper, &e), &e, out);
    nkx_nd_drop(a);
    return ok;
}

/* m, k: zero above (below) the diagonal */
static bool np_triu(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return triangle(vm, in, true, out);
}
static bool np_tril(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return triangle(vm, in, false, out);
}

/* N, M, k, dtype */
static bool np_tri(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value n = in[0], m = nkx_given(in[1]) ? in[1] : in[0], pair[2] = {n, m},
              shape = nkx_tuple_of(vm, pair, 2), ones;
    bool ok = filled(vm, shape, in[3], NKX_DT_FP64, nkx_int(1), &ones);
    nkx_drop(shape);
    if (!ok) return false;
    nkx_value args[2] = {ones, in[2]};
    ok = triangle(vm, args, false, out);
    nkx_drop(ones);
    return ok;
}

/* Indices of a triangle of an n x m matrix as a tuple of two arrays. */
static bool triangle_indices(nkx_vm *vm, int64_t n, int64_t m, int64_t k, bool upper,
                             nkx_value *out)
{
    nkx_ndarray *at[2];
    nkx_nd_error e;
    nkx_ndarray *full = nkx_nd_new(NKX_DT_BOOL, 2, (int64_t[]){n, m}, &e);
    if (full == NULL) return nkx_np_raise(vm, &e);
    if (n * m > 0) memset(full->at, 1, (size_t)(n * m));
    nkx_ndarray *t = nkx_nd_tri(full, k, upper, &e);
    nkx_nd_drop(full);
    bool ok = t != NULL && nkx_nd_nonzero(t, at, &e);
    nkx_nd_drop(t);
    if (!ok) return nkx_np_raise(vm, &e);
    *out = nkx_tuple_new(vm, 2);
    for (int d = 0; d < 2; d++) NKX_AS(nkx_tuple, *out)->at[d] = nkx_array_take(vm, at[d]);
    return true;
}

/* n, k, m */
static bool tri_indices(nkx_vm *vm, const nkx_value *in, bool upper, nkx_value *out)
{
    int64_t n, k, m;
    if (!nkx_as_int(vm, in[0], "n", &n) || !nkx_as_int(vm, in[1], "k", &k)) return false;
    m = n;
    if (nkx_given(in[2]) && !nkx_as_int(vm, in[2], "m", &m)) return false;
    return triangle_indices(vm, n, m, k, upper, out);
}

static bool np_triu_indices(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return tri_indices(vm, in, true, out);
}
static bool np_tril_indices(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return tri_indices(vm, in, false, out);
}

/* arr, k */
static bool tri_from(nkx_vm *vm, const nkx_value *in, bool upper, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    int64_t k;
    if (!nkx_as_int(vm, in[1], "k", &k) || !nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = a->ndim == 2 ? triangle_indices(vm, a->shape[0], a->shape[1], k, upper, out)
                           : nkx_value_error(vm, "input array must be 2-d");
    nkx_nd_drop(a);
    return ok;
}

static bool np_triu_from(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return tri_from(vm, in, true, out);
}
static bool np_tril_from(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return tri_from(vm, in, false, out);
}

/* *xi, indexing */
static bool np_meshgrid(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_nd_vec v = {0};
    nkx_nd_error e;
    int64_t shape[NKX_ND_MAX];
    bool xy = nkx_str_is(in[1], "xy"), ok = true;
    if (!nkx_np_arrays(vm, in[0], &v)) return false;
    int n = (int)v.n;
    if (n > NKX_ND_MAX) ok = nkx_value_error(vm, "meshgrid of more than %d arrays", NKX_ND_MAX);
    for (int k = 0; ok && k < n; k++)
        shape[xy && n > 1 && k < 2 ? 1 - k : k] = nkx_nd_size(v.at[k]);
    *out = nkx_tuple_new(vm, (uint32_t)n);
    for (int k = 0; ok && k < n; k++) {
        int64_t one[NKX_ND_MAX];
        int at = xy && n > 1 && k < 2 ? 1 - k : k;
        for (int d = 0; d < n; d++) one[d] = d == at ? shape[d] : 1;
        nkx_ndarray *col = nkx_nd_reshape(v.at[k], n, one, 'C', &e),
                    *wide = col != NULL ? nkx_nd_broadcast_to(col, n, shape, &e) : NULL;
        nkx_value item;
        ok = nkx_np_done(vm, wide != NULL ? nkx_nd_copy(wide) : NULL, &e, &item);
        if (ok) {
            NKX_AS(nkx_tuple, *out)->at[k] = item;
        }
        nkx_nd_drop(col);
        nkx_nd_drop(wide);
    }
    nkx_np_arrays_fini(&v);
    if (!ok) nkx_drop(*out);
    return ok;
}

/* dimensions, dtype */
static bool np_indices(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t shape[NKX_ND_MAX];
    int n, dtype;
    nkx_ndarray *at[NKX_ND_MAX], *r = NULL;
    nkx_nd_error e;
    if (!nkx_np_ints(vm, in[0], "dimensions", shape, NKX_ND_MAX - 1, &n) ||
        !nkx_np_dtype(vm, in[1], &dtype))
        return false;
    int made = 0;
    for (; made < n; made++) {
        at[made] = nkx_nd_indices(n, shape, made, &e);
        if (at[made] == NULL) break;
    }
    if (made == n) r = nkx_nd_stack(n, at, 0, &e);
    for (int d = 0; d < made; d++) nkx_nd_drop(at[d]);
    if (r != NULL && dtype >= 0) {
        nkx_ndarray *t = nkx_nd_astype(r, (nkx_dtype)dtype);
        nkx_nd_drop(r);
        r = t;
    }
    return nkx_np_done(vm, r, &e, out);
}

/* buffer, dtype, count, offset */
static bool np_frombuffer(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int dtype;
    int64_t count, offset;
    nkx_nd_error e;
    if (in[0].type != NKX_V_BYTES)
        return nkx_type_error(vm, "a bytes-like object is required, not '%s'",
                              nkx_type_name(in[0]));
    if (!nkx_np_dtype(vm, in[1], &dtype) || !nkx_as_int(vm, in[2], "count", &count) ||
        !nkx_as_int(vm, in[3], "offset", &offset))
        return false;
    nkx_dtype t = dtype >= 0 ? (nkx_dtype)dtype : NKX_DT_FP64;
    int64_t len = nkx_text_len(in[0]) - offset, bytes = nkx_dtype_bytes(t);
    if (offset < 0 || len < 0)
        return nkx_value_error(vm, "offset must be non-negative and no greater than buffer length");
    if (count < 0 && len % bytes != 0)
        return nkx_value_error(vm, "buffer size must be a multiple of element size");
    if (count < 0) count = len / bytes;
    if (count > len / bytes) return nkx_value_error(vm, "buffer is smaller than requested size");
    nkx_ndarray *a = nkx_nd_new(t, 1, &count, &e);
    if (a != NULL && count > 0) memcpy(a->at, nkx_text(in[0]) + offset, (size_t)(count * bytes));
    return nkx_np_done(vm, a, &e, out);
}

#define RAW(f) ((bool (*)(nkx_vm *, const nkx_value *, nkx_value *))(void (*)(void))(f))

const nkx_builtin nkx_np_ndarray_row = {
    "ndarray", "shape, dtype=None, buffer=None, offset=0, strides=None, order=None", np_ndarray,
    "an array to be filled (zeros here)", 0};

const nkx_builtin nkx_np_create_rows[] = {
    {"array",             "object, dtype=None, copy=True, order=None, ndmin=0, subok=False", np_array,
     "an array of nested sequences",                                                                                                                0         },
    {"asarray",           "a, dtype=None, order=None",                                       np_asarray,
     "the value as an array, without a copy where possible",                                                                                        0         },
    {"asanyarray",        "a, dtype=None, order=None",                                       np_asarray,      "the value as an array",              0         },
    {"ascontiguousarray", "a, dtype=None",                                                   np_ascontiguous, "the value as a C-contiguous array",  0         },
    {"copy",              "a, order=None",                                                   np_copy,         "a copy",                             0         },
    {"zeros",             "shape, dtype=None, order=None",                                   np_zeros,        "zeros",                              0         },
    {"empty",             "shape, dtype=None, order=None",                                   np_zeros,        "an array to be filled (zeros here)", 0         },
    {"ones",              "shape, dtype=None, order=None",                                   np_ones,         "ones",                               0         },
    {"full",              "shape, fill_value, dtype=None, order=None",                       np_full,         "one value everywhere",               0         },
    {"zeros_like",        "a, dtype=None, order=None, subok=True, shape=None",               np_zeros_like,
     "zeros in the shape of a",                                                                                                                     0         },
    {"empty_like",        "a, dtype=None, order=None, subok=True, shape=None",               np_zeros_like,
     "an array in the shape of a",                                                                                                                  0         },
    {"ones_like",         "a, dtype=None, order=None, subok=True, shape=None",               np_ones_like,
     "ones in the shape of a",                                                                                                                      0         },
    {"full_like",         "a, fill_value, dtype=None, order=None, subok=True, shape=None",   np_full_like,
     "one value in the shape of a",                                                                                                                 0         },
    {"arange",            "*args",                                                           RAW(np_arange),  "arange([start,] stop[, step])",      NKX_BF_RAW},
    {"linspace",          "start, stop, num=50, endpoint=True, retstep=False, dtype=None",   np_linspace,
     "evenly spaced numbers",                                                                                                                       0         },
    {"logspace",          "start, stop, num=50, endpoint=True, base=10.0, dtype=None",       np_logspace,
     "numbers evenly spaced on a log scale",                                                                                                        0         },
    {"eye",               "N, M=None, k=0, dtype=None",                                      np_eye,          "ones on a diagonal",                 0         },
    {"identity",          "n, dtype=None",                                                   np_identity,     "the identity matrix",                0         },
    {"diag",              "v, k=0",                                                          np_diag,         "a diagonal, or a matrix of one",     0         },
    {"tri",               "N, M=None, k=0, dtype=None",                                      np_tri,          "ones at and below a diagonal",       0         },
    {"tril",              "m, k=0",                                                          np_tril,         "zeros above a diagonal",             0         },
    {"triu",              "m, k=0",                                                          np_triu,         "zeros below a diagonal",             0         },
    {"triu_indices",      "n, k=0, m=None",                                                  np_triu_indices, "indices of the upper triangle",      0         },
    {"tril_indices",      "n, k=0, m=None",                                                  np_tril_indices, "indices of the lower triangle",      0         },
    {"triu_indices_from", "arr, k=0",                                                        np_triu_from,    "indices of the upper triangle",      0         },
    {"tril_indices_from", "arr, k=0",                                                        np_tril_from,    "indices of the lower triangle",      0         },
    {"meshgrid",          "*xi, indexing='xy'",                                              np_meshgrid,     "coordinate matrices",                0         },
    {"indices",           "dimensions, dtype=None",                                          np_indices,      "the index of each place",            0         },
    {"frombuffer",        "buffer, dtype=None, count=-1, offset=0",                          np_frombuffer,   "an array of raw bytes",
     0                                                                                                                                                        },
    {NULL,                NULL,                                                              NULL,            NULL,                                 0         },
};
