/* SPDX-License-Identifier: Apache-2.0 */
/* numpy: choosing, comparing, sets, facts about types, functions along axes, printing options.
 * Layer eval. */
#include "interp/eval/mod_numpy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- choosing ---- */

/* condition, x, y */
static bool np_where(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *c = NULL;
    nkx_uf_arg x = {0}, y = {0};
    nkx_nd_error e;
    if (in[1].type == NKX_V_UNSET && in[2].type == NKX_V_UNSET) return nkx_np_nonzero(vm, in, out);
    if (in[1].type == NKX_V_UNSET || in[2].type == NKX_V_UNSET)
        return nkx_value_error(vm, "either both or neither of x and y should be given");
    if (!nkx_np_array(vm, in[0], -1, &c)) return false;
    bool ok = nkx_np_operand(vm, in[1], &x) && nkx_np_operand(vm, in[2], &y) &&
              nkx_np_done(vm, nkx_nd_where(c, x, y, &e), &e, out);
    nkx_nd_drop(c);
    nkx_nd_drop(x.a);
    nkx_nd_drop(y.a);
    return ok;
}

/* condlist, choicelist, default */
static bool np_select(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_value *cond, *choice;
    uint32_t n, m;
    if (!nkx_items(in[0], &cond, &n) || !nkx_items(in[1], &choice, &m) || n != m)
        return nkx_value_error(vm, "list of cases must be same length as list of conditions");
    nkx_value acc = nkx_ref(in[2]);
    for (uint32_t i = n; i > 0; i--) {
        nkx_value args[3] = {cond[i - 1], choice[i - 1], acc}, next;
        bool ok = np_where(vm, args, &next);
        nkx_drop(acc);
        if (!ok) return false;
        acc = next;
    }
    return nkx_give(out, acc);
}

/* dst, src */
static bool np_copyto(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    if (in[0].type != NKX_V_ARRAY)
        return nkx_type_error(vm, "copyto() argument 1 must be numpy.ndarray, not %s",
                              nkx_type_name(in[0]));
    return nkx_array_set_index(vm, in[0], (nkx_value){.type = NKX_V_ELLIPSIS}, in[1]);
}

/* a, val */
static bool np_fill_diagonal(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_nd_error e;
    (void)out;
    if (in[0].type != NKX_V_ARRAY) return nkx_type_error(vm, "fill_diagonal() needs an array");
    nkx_ndarray *d = nkx_nd_diagonal(nkx_np_of(in[0]), 0, 0, 1, &e), *v = NULL;
    if (d == NULL) return nkx_np_raise(vm, &e);
    bool ok = nkx_np_array(vm, in[1], -1, &v) && (nkx_nd_assign(d, v, &e) || nkx_np_raise(vm, &e));
    nkx_nd_drop(d);
    nkx_nd_drop(v);
    return ok;
}

/* x, copy, nan, posinf, neginf */
static bool np_nan_to_num(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    double nan, hi, lo;
    nkx_nd_error e = {0};
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    nkx_dtype t = (nkx_dtype)a->dtype;
    hi = nkx_dtypes[t].max;
    lo = nkx_dtypes[t].lowest;
    bool ok = nkx_as_float(vm, in[2], "nan", &nan) &&
              (!nkx_given(in[3]) || nkx_as_float(vm, in[3], "posinf", &hi)) &&
              (!nkx_given(in[4]) || nkx_as_float(vm, in[4], "neginf", &lo));
    nkx_ndarray *c = ok ? nkx_nd_copy(a) : NULL;
    int64_t n = ok && nkx_dtype_is_float(t) ? nkx_nd_size(c) : 0, bytes = nkx_dtype_bytes(t);
    for (int64_t i = 0; i < n; i++) {
        double v = nkx_nd_elem_f64(t, c->at + i * bytes);
        if (isfinite(v)) continue;
        nkx_nd_put_f64(t, c->at + i * bytes, isnan(v) ? nan : v > 0 ? hi : lo);
    }
    nkx_nd_drop(a);
    return ok && nkx_np_done(vm, c, &e, out);
}

/* ---- comparing ---- */

static nkx_ndarray *close_mask(nkx_ndarray *a, nkx_ndarray *b, double rtol, double atol,
                               bool equal_nan, nkx_nd_error *e)
{
    nkx_ndarray *pair[2] = {a, b}, *wa, *wb, *fa, *fb, *r;
    int64_t shape[NKX_ND_MAX];
    int ndim;
    if (!nkx_nd_broadcast_shape(2, pair, &ndim, shape, e)) return NULL;
    wa = nkx_nd_broadcast_to(a, ndim, shape, e);
    wb = nkx_nd_broadcast_to(b, ndim, shape, e);
    fa = nkx_nd_astype(wa, NKX_DT_FP64);
    fb = nkx_nd_astype(wb, NKX_DT_FP64);
    r = nkx_nd_new(NKX_DT_BOOL, ndim, shape, e);
    const double *x = (const double *)(const void *)fa->at,
                 *y = (const double *)(const void *)fb->at;
    for (int64_t i = 0, n = r != NULL ? nkx_nd_size(r) : 0; i < n; i++) {
        bool near =
            isfinite(x[i]) && isfinite(y[i]) && fabs(x[i] - y[i]) <= atol + rtol * fabs(y[i]);
        r->at[i] = near || x[i] == y[i] || (equal_nan && isnan(x[i]) && isnan(y[i]));
    }
    nkx_nd_drop(wa);
    nkx_nd_drop(wb);
    nkx_nd_drop(fa);
    nkx_nd_drop(fb);
    return r;
}

/* a, b, rtol, atol, equal_nan */
static bool are_close(nkx_vm *vm, const nkx_value *in, bool all, nkx_value *out)
{
    double rtol, atol;
    bool equal_nan;
    nkx_ndarray *a = NULL, *b = NULL, *r = NULL;
    nkx_nd_error e;
    if (!nkx_as_float(vm, in[2], "rtol", &rtol) || !nkx_as_float(vm, in[3], "atol", &atol) ||
        !nkx_truth(vm, in[4], &equal_nan))
        return false;
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_array(vm, in[1], -1, &b);
    if (ok) {
        r = close_mask(a, b, rtol, atol, equal_nan, &e);
        ok = r != NULL || nkx_np_raise(vm, &e);
    }
    if (ok && all) {
        nkx_ndarray *every = nkx_nd_any(r, NKX_AXES_ALL, true, &e);
        *out = nkx_bool(nkx_nd_elem_true(NKX_DT_BOOL, every->at));
        nkx_nd_drop(every);
        nkx_nd_drop(r);
    } else if (ok) {
        ok = nkx_np_done(vm, nkx_nd_to_scalar_take(r), &e, out);
    }
    nkx_nd_drop(a);
    nkx_nd_drop(b);
    return ok;
}

static bool np_allclose(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return are_close(vm, in, true, out);
}
static bool np_isclose(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return are_close(vm, in, false, out);
}

/* a1, a2, equal_nan */
static bool np_array_equal(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *b = NULL, *r;
    nkx_nd_error e;
    bool equal_nan;
    if (!nkx_truth(vm, in[2], &equal_nan) || !nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_array(vm, in[1], -1, &b);
    *out = nkx_bool(false);
    if (ok && nkx_nd_same_shape(a, b)) {
        r = close_mask(a, b, 0, 0, equal_nan, &e);
        ok = r != NULL || nkx_np_raise(vm, &e);
        if (ok) *out = nkx_bool(memchr(r->at, 0, (size_t)nkx_nd_size(r)) == NULL);
        nkx_nd_drop(r);
    }
    nkx_nd_drop(a);
    nkx_nd_drop(b);
    return ok;
}

/* Is each element of one array among those of another? */
static nkx_ndarray *members(nkx_ndarray *a, nkx_ndarray *set, bool invert, nkx_nd_error *e)
{
    int64_t zero = 0;
    nkx_ndarray *flat = nkx_nd_ravel(set, 'C', false, e),
                *s = flat != NULL ? nkx_nd_sort(flat, &zero, false, e) : NULL;
    nkx_ndarray *at = s != NULL ? nkx_nd_searchsorted(s, a, false, e) : NULL,
                *r = at != NULL ? nkx_nd_new(NKX_DT_BOOL, a->ndim, a->shape, e) : NULL;
    int64_t n = s != NULL ? nkx_nd_size(s) : 0;
    for (int64_t i = 0, m = r != NULL ? nkx_nd_size(r) : 0; i < m; i++) {
        int64_t k = nkx_nd_get_i64(at, i);
        bool in = k < n && nkx_nd_get_f64(s, k) == nkx_nd_get_f64(a, i);
        r->at[i] = in != invert;
    }
    nkx_nd_drop(flat);
    nkx_nd_drop(s);
    nkx_nd_drop(at);
    return r;
}

/* element, test_elements, assume_unique, invert */
static bool np_isin(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *b = NULL;
    nkx_nd_error e;
    bool invert;
    if (!nkx_truth(vm, in[3], &invert) || !nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_array(vm, in[1], -1, &b) &&
              nkx_np_done(vm, nkx_nd_to_scalar_take(members(a, b, invert, &e)), &e, out);
    nkx_nd_drop(a);
    nkx_nd_drop(b);
    return ok;
}

/* Sorted different values of a that are (not) in b; or of both. */
static bool set_op(nkx_vm *vm, const nkx_value *in, int how, nkx_value *out)
{
    nkx_ndarray *a = NULL, *b = NULL, *mask = NULL, *picked = NULL;
    nkx_unique_out u = {0};
    nkx_nd_error e;
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_array(vm, in[1], -1, &b);
    if (ok && how == 0) {
        nkx_ndarray *pair[2] = {nkx_nd_ravel(a, 'C', false, &e), nkx_nd_ravel(b, 'C', false, &e)};
        picked = nkx_nd_concatenate(2, pair, 0, -1, &e);
        nkx_nd_drop(pair[0]);
        nkx_nd_drop(pair[1]);
    } else if (ok) {
        mask = members(a, b, how == 2, &e);
        nkx_nd_index ix = {.kind = NKX_NDIX_ARRAY, .array = mask};
        if (mask != NULL) picked = nkx_nd_index_get(a, &ix, 1, &e);
    }
    ok = ok && ((picked != NULL && nkx_nd_unique(picked, false, false, false, &u, &e)) ||
                nkx_np_raise(vm, &e));
    ok = ok && nkx_np_done(vm, u.values, &e, out);
    nkx_nd_drop(a);
    nkx_nd_drop(b);
    nkx_nd_drop(mask);
    nkx_nd_drop(picked);
    return ok;
}

static bool np_union1d(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return set_op(vm, in, 0, out);
}
static bool np_intersect1d(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return set_op(vm, in, 1, out);
}
static bool np_setdiff1d(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return set_op(vm, in, 2, out);
}

/* x, xp, fp, left, right */
static bool np_interp(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *x = NULL, *xp = NULL, *fp = NULL, *r = NULL;
    nkx_nd_error e = {0};
    double left, right;
    bool ok = nkx_np_array(vm, in[0], NKX_DT_FP64, &x) &&
              nkx_np_array(vm, in[1], NKX_DT_FP64, &xp) &&
              nkx_np_array(vm, in[2], NKX_DT_FP64, &fp);
    int64_t n = ok ? nkx_nd_size(xp) : 0;
    if (ok && n == 0) ok = nkx_value_error(vm, "array of sample points is empty");
    if (ok && nkx_nd_size(fp) != n)
        ok = nkx_value_error(vm, "fp and xp are not of the same length.");
    if (ok) {
        left = nkx_nd_get_f64(fp, 0);
        right = nkx_nd_get_f64(fp, n - 1);
        ok = (!nkx_given(in[3]) || nkx_as_float(vm, in[3], "left", &left)) &&
             (!nkx_given(in[4]) || nkx_as_float(vm, in[4], "right", &right));
        r = nkx_nd_new(NKX_DT_FP64, x->ndim, x->shape, &e);
        for (int64_t i = 0, m = r != NULL ? nkx_nd_size(r) : 0; i < m; i++) {
            double v = nkx_nd_get_f64(x, i), y;
            int64_t lo = 0, hi = n - 1;
            while (hi - lo > 1) {
                int64_t mid = (lo + hi) / 2;
                if (nkx_nd_get_f64(xp, mid) <= v)
                    lo = mid;
                else
                    hi = mid;
            }
            double x0 = nkx_nd_get_f64(xp, lo), x1 = nkx_nd_get_f64(xp, hi),
                   y0 = nkx_nd_get_f64(fp, lo), y1 = nkx_nd_get_f64(fp, hi);
            y = v < nkx_nd_get_f64(xp, 0)       ? left
                : v > nkx_nd_get_f64(xp, n - 1) ? right
                : v == x1                       ? y1
                : x1 == x0                      ? y0
                                                : (y1 - y0) / (x1 - x0) * (v - x0) + y0;
            ((double *)(void *)r->at)[i] = y;
        }
    }
    nkx_nd_drop(x);
    nkx_nd_drop(xp);
    nkx_nd_drop(fp);
    if (!ok) nkx_nd_drop(r);
    return ok && nkx_np_done(vm, nkx_nd_to_scalar_take(r), &e, out);
}

/* a, v, mode */
static bool np_convolve(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *v = NULL, *r = NULL;
    nkx_nd_error e = {0};
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_array(vm, in[1], -1, &v) &&
              ((a->ndim == 1 && v->ndim == 1) ||
               nkx_value_error(vm, "object too deep for desired array"));
    int64_t n = ok ? a->shape[0] : 0, m = ok ? v->shape[0] : 0, len = n + m - 1, lo = 0, hi = len;
    if (ok && (n == 0 || m == 0)) ok = nkx_value_error(vm, "a cannot be empty");
    if (ok && nkx_str_is(in[2], "same")) {
        lo = ((n < m ? n : m) - 1) / 2;
        hi = lo + (n > m ? n : m);
    } else if (ok && nkx_str_is(in[2], "valid")) {
        lo = (n < m ? n : m) - 1;
        hi = len - lo;
    }
    if (ok) {
        nkx_dtype t = nkx_promote((nkx_dtype)a->dtype, (nkx_dtype)v->dtype);
        r = nkx_nd_new(t, 1, (int64_t[]){hi - lo}, &e);
        for (int64_t i = lo; r != NULL && i < hi; i++) {
            double s = 0;
            for (int64_t k = i - m + 1 > 0 ? i - m + 1 : 0; k <= i && k < n; k++)
                s += nkx_nd_get_f64(a, k) * nkx_nd_get_f64(v, i - k);
            nkx_nd_put_f64(t, r->at + (i - lo) * nkx_dtype_bytes(t), s);
        }
    }
    nkx_nd_drop(a);
    nkx_nd_drop(v);
    return ok && nkx_np_done(vm, r, &e, out);
}

/* ---- functions along axes ---- */

/* func1d, axis, arr, *args */
static bool np_apply_along_axis(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *rest = NULL;
    const nkx_tuple *extra = NKX_AS(nkx_tuple, in[3]);
    nkx_nd_error e;
    nkx_nd_vec rows = {0};
    int64_t axis, last = -1;
    int x = 0;
    if (extra->n > 15)
        return nkx_type_error(vm, "apply_along_axis() takes at most 15 extra arguments");
    if (!nkx_as_int(vm, in[1], "axis", &axis) || !nkx_np_array(vm, in[2], -1, &a)) return false;
    bool ok = nkx_nd_axis(axis, a->ndim, &x, &e);
    int64_t from = x;
    nkx_ndarray *moved = ok ? nkx_nd_moveaxis(a, &from, &last, 1, &e) : NULL;
    ok = moved != NULL || nkx_np_raise(vm, &e);
    int64_t n = ok ? nkx_nd_size(moved) /
                         (moved->shape[moved->ndim - 1] > 0 ? moved->shape[moved->ndim - 1] : 1)
                   : 0;
    if (ok) rest = nkx_nd_part(moved, moved->ndim - 1, 0, 1);
    for (int64_t i = 0; ok && i < n; i++) {
        nkx_ndarray *row = nkx_nd_part(moved, 0, 0, moved->shape[0]), *r = NULL;
        nkx_value args[16], got;
        row->at = nkx_nd_at(rest, i);
        row->shape[0] = moved->shape[moved->ndim - 1];
        row->stride[0] = moved->stride[moved->ndim - 1];
        row->ndim = 1;
        args[0] = nkx_array_take(vm, row);
        for (uint32_t k = 0; k < extra->n; k++) args[k + 1] = extra->at[k];
        ok = nkx_call_n(vm, in[0], args, 1 + extra->n, &got);
        nkx_drop(args[0]);
        if (!ok) break;
        ok = nkx_np_array(vm, got, -1, &r);
        nkx_drop(got);
        if (ok) nkx_push(&rows, r);
    }
    if (ok && n == 0)
        ok = nkx_value_error(vm, "Cannot apply_along_axis when any iteration dimensions are 0");
    if (ok) {
        nkx_ndarray *flat = nkx_nd_stack((int)rows.n, rows.at, 0, &e), *shaped = NULL, *r = NULL;
        if (flat != NULL) {
            int64_t shape[NKX_ND_MAX], src[NKX_ND_MAX], dst[NKX_ND_MAX];
            int k = 0, inner = flat->ndim - 1;
            for (int d = 0; d < moved->ndim - 1; d++) shape[k++] = moved->shape[d];
            for (int d = 0; d < inner && k < NKX_ND_MAX; d++) {
                src[d] = k;
                dst[d] = x + d;
                shape[k++] = flat->shape[d + 1];
            }
            shaped = nkx_nd_reshape(flat, k, shape, 'C', &e);
            if (shaped != NULL)
                r = inner > 0 ? nkx_nd_moveaxis(shaped, src, dst, inner, &e) : nkx_nd_ref(shaped);
        }
        ok = nkx_np_done(vm, nkx_nd_to_scalar_take(r), &e, out);
        nkx_nd_drop(flat);
        nkx_nd_drop(shaped);
    }
    for (size_t i = 0; i < rows.n; i++) nkx_nd_drop(rows.at[i]);
    nkx_vec_fini(&rows);
    nkx_nd_drop(rest);
    nkx_nd_drop(moved);
    nkx_nd_drop(a);
    return ok;
}

typedef struct vectorized {
    nkx_value f;
} vectorized;

static void vectorized_fini(nkx_obj *o)
{
    nkx_drop(NKX_PAYLOAD(vectorized, nkx_of(o))->f);
}

static bool vectorized_call(nkx_vm *vm, nkx_value self, const nkx_args *args, nkx_value *out)
{
    nkx_nd_vec in = {0};
    nkx_nd_error e;
    int64_t shape[NKX_ND_MAX];
    int ndim = 0;
    if (args->n == 0 || args->n > 8 || args->n_kw > 0)
        return nkx_type_error(vm, "a vectorized function takes 1 to 8 positional arguments");
    nkx_value seq = nkx_tuple_of(vm, args->at, args->n), list;
    bool ok = nkx_np_arrays(vm, seq, &in);
    nkx_drop(seq);
    if (!ok) return false;
    ok = nkx_nd_broadcast_shape((int)in.n, in.at, &ndim, shape, &e) || nkx_np_raise(vm, &e);
    int64_t n = 1;
    for (int d = 0; d < ndim; d++) n *= shape[d];
    list = nkx_list_new(vm, 0);
    for (size_t k = 0; ok && k < in.n; k++) {
        nkx_ndarray *w = nkx_nd_broadcast_to(in.at[k], ndim, shape, &e);
        nkx_nd_drop(in.at[k]);
        in.at[k] = w;
    }
    for (int64_t i = 0; ok && i < n; i++) {
        nkx_value at[8], got;
        for (size_t k = 0; k < in.n; k++)
            at[k] = nkx_np_item(vm, (nkx_dtype)in.at[k]->dtype, nkx_nd_at(in.at[k], i));
        ok = nkx_call_n(vm, NKX_PAYLOAD(vectorized, self)->f, at, (uint32_t)in.n, &got);
        if (ok) {
            nkx_list_append(list, got);
            nkx_drop(got);
        }
    }
    nkx_ndarray *flat = NULL;
    ok =
        ok && nkx_np_array(vm, list, -1, &flat) &&
        nkx_np_done(vm, nkx_nd_to_scalar_take(nkx_nd_reshape(flat, ndim, shape, 'C', &e)), &e, out);
    nkx_nd_drop(flat);
    nkx_drop(list);
    nkx_np_arrays_fini(&in);
    return ok;
}

static const nkx_native_type vectorized_type = {
    .name = "numpy.vectorize", .fini = vectorized_fini, .call = vectorized_call};

/* pyfunc, otypes */
static bool np_vectorize(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    *out = nkx_native_new(vm, &vectorized_type, sizeof(vectorized));
    NKX_PAYLOAD(vectorized, *out)->f = nkx_ref(in[0]);
    return true;
}

/* ---- text ---- */

static bool np_array2string(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    nkx_buf b = {0};
    int64_t p;
    nkx_print_options o = nkx_np_state_of(vm)->print;
    if (nkx_given(in[1]) && !nkx_as_int(vm, in[1], "precision", &p)) return false;
    if (nkx_given(in[1])) o.precision = (int)(p < 0 ? 0 : p > 100 ? 100 : p);
    if (in[2].type != NKX_V_STR) return nkx_type_error(vm, "separator must be a string");
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    nkx_nd_array2string(a, &o, nkx_text(in[2]), 0, 0, &b);
    nkx_nd_drop(a);
    return nkx_give(out, nkx_str_take(vm, &b));
}

static bool text_of(nkx_vm *vm, const nkx_value *in, bool str, nkx_value *out)
{
    nkx_buf b = {0};
    if (in[0].type != NKX_V_ARRAY)
        return nkx_type_error(vm, "an array is needed, not '%s'", nkx_type_name(in[0]));
    if (!nkx_array_repr(vm, in[0], str, &b)) return false;
    return nkx_give(out, nkx_str_take(vm, &b));
}

static bool np_array_repr(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return text_of(vm, in, false, out);
}
static bool np_array_str(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return text_of(vm, in, true, out);
}

/* precision, threshold, edgeitems, linewidth, suppress */
static bool set_options(nkx_vm *vm, const nkx_value *in, nkx_print_options *o)
{
    int64_t v[4];
    for (int i = 0; i < 4; i++) {
        if (!nkx_given(in[i])) continue;
        double d;
        if (in[i].type == NKX_V_FLOAT && nkx_is_number(in[i], &d) && d > 1e15) {
            v[i] = INT64_MAX;
        } else if (!nkx_as_int(vm, in[i], "print option", &v[i])) {
            return false;
        }
        if (v[i] < 0) return nkx_value_error(vm, "print options cannot be negative");
        int64_t small = v[i] > 1000000 ? 1000000 : v[i];
        if (i == 0) o->precision = (int)(small > 100 ? 100 : small);
        if (i == 1) o->threshold = v[i];
        if (i == 2) o->edgeitems = (int)small;
        if (i == 3) o->linewidth = (int)(small < 2 ? 2 : small);
    }
    return !nkx_given(in[4]) || nkx_truth(vm, in[4], &o->suppress);
}

static bool np_set_printoptions(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    return set_options(vm, in, &nkx_np_state_of(vm)->print);
}

typedef struct options_scope {
    nkx_print_options inner, outer;
} options_scope;

static bool options_enter(nkx_vm *vm, nkx_value self, nkx_value *out)
{
    options_scope *s = NKX_PAYLOAD(options_scope, self);
    s->outer = nkx_np_state_of(vm)->print;
    nkx_np_state_of(vm)->print = s->inner;
    *out = nkx_ref(self);
    return true;
}

static bool options_exit(nkx_vm *vm, nkx_value self)
{
    nkx_np_state_of(vm)->print = NKX_PAYLOAD(options_scope, self)->outer;
    return true;
}

static const nkx_native_type options_type = {
    .name = "numpy.printoptions", .enter = options_enter, .exit = options_exit};

static bool np_printoptions(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_print_options o = nkx_np_state_of(vm)->print;
    if (!set_options(vm, in, &o)) return false;
    *out = nkx_native_new(vm, &options_type, sizeof(options_scope));
    NKX_PAYLOAD(options_scope, *out)->inner = o;
    return true;
}

/* errstate and the like: no warnings are printed here, so there is nothing to switch. */
static bool scope_enter(nkx_vm *vm, nkx_value self, nkx_value *out)
{
    (void)vm;
    *out = nkx_ref(self);
    return true;
}

static bool scope_exit(nkx_vm *vm, nkx_value self)
{
    (void)vm;
    (void)self;
    return true;
}

static const nkx_native_type errstate_type = {
    .name = "numpy.errstate", .enter = scope_enter, .exit = scope_exit};

static bool np_errstate(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)in;
    *out = nkx_native_new(vm, &errstate_type, 1);
    return true;
}

static bool np_seterr(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)in;
    *out = nkx_dict_new(vm);
    return true;
}

static bool np_isscalar(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    double d;
    (void)vm;
    return nkx_give_bool(out, nkx_is_number(in[0], &d) || in[0].type == NKX_V_STR ||
                                  (in[0].type == NKX_V_ARRAY && nkx_np_of(in[0])->scalar));
}

static bool np_shares_memory(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give_bool(out, in[0].type == NKX_V_ARRAY && in[1].type == NKX_V_ARRAY &&
                                  nkx_nd_overlap(nkx_np_of(in[0]), nkx_np_of(in[1])));
}

const nkx_builtin nkx_np_misc_rows[] = {
    {"where",            "condition, x=..., y=...",                                   np_where,            "x where the condition holds, else y",          0},
    {"select",           "condlist, choicelist, default=0",                           np_select,
     "the choice of the first condition that holds",                                                                                                       0},
    {"copyto",           "dst, src",                                                  np_copyto,           "dst[...] = src",                               0},
    {"fill_diagonal",    "a, val",                                                    np_fill_diagonal,    "sets a diagonal",                              0},
    {"nan_to_num",       "x, copy=True, nan=0.0, posinf=None, neginf=None",           np_nan_to_num,
     "NaN and infinities replaced",                                                                                                                        0},
    {"allclose",         "a, b, rtol=1e-05, atol=1e-08, equal_nan=False",             np_allclose,
     "are all elements close?",                                                                                                                            0},
    {"isclose",          "a, b, rtol=1e-05, atol=1e-08, equal_nan=False",             np_isclose,
     "which elements are close?",                                                                                                                          0},
    {"array_equal",      "a1, a2, equal_nan=False",                                   np_array_equal,      "same shape and elements?",                     0},
    {"isin",             "element, test_elements, assume_unique=False, invert=False", np_isin,
     "which elements are among others?",                                                                                                                   0},
    {"union1d",          "ar1, ar2",                                                  np_union1d,          "values of either",                             0},
    {"intersect1d",      "ar1, ar2",                                                  np_intersect1d,      "values of both",                               0},
    {"setdiff1d",        "ar1, ar2",                                                  np_setdiff1d,        "values of the first alone",                    0},
    {"interp",           "x, xp, fp, left=None, right=None",                          np_interp,           "linear interpolation",                         0},
    {"convolve",         "a, v, mode='full'",                                         np_convolve,         "convolution of two vectors",                   0},
    {"apply_along_axis", "func1d, axis, arr, *args",                                  np_apply_along_axis,
     "a function of each row of an axis",                                                                                                                  0},
    {"vectorize",        "pyfunc, otypes=None",                                       np_vectorize,        "a function of each element",                   0},
    {"array2string",     "a, precision=None, separator=' '",                          np_array2string,     "text of an array",                             0},
    {"array_repr",       "arr",                                                       np_array_repr,       "repr() of an array",                           0},
    {"array_str",        "a",                                                         np_array_str,        "str() of an array",                            0},
    {"set_printoptions",
     "precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None", np_set_printoptions, "how arrays print",                             0},
    {"printoptions",
     "precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None", np_printoptions,     "how arrays print in a with block",             0},
    {"errstate",         "**kwargs",                                                  np_errstate,         "a with block without floating-point warnings", 0},
    {"seterr",           "**kwargs",                                                  np_seterr,           "does nothing: no warnings are printed",        0},
    {"isscalar",         "element",                                                   np_isscalar,         "a number or text?",                            0},
    {"shares_memory",    "a, b",                                                      np_shares_memory,    "do they share bytes?",                         0},
    {"may_share_memory", "a, b",                                                      np_shares_memory,    "do they share bytes?",                         0},
    {NULL,               NULL,                                                        NULL,                NULL,                                           0},
};
