/* SPDX-License-Identifier: Apache-2.0 */
/* numpy: reductions, running sums, order, rounding. Functions and methods share them. Layer eval.
 */
#include "interp/eval/mod_numpy.h"

#include <math.h>
#include <string.h>

/* ---- sum and its like: a, axis, dtype, out, keepdims, initial, where ---- */

static bool where_arg(nkx_vm *vm, nkx_value v, nkx_ndarray **out)
{
    *out = NULL;
    if (!nkx_given(v) || (v.type == NKX_V_BOOL && v.u.b)) return true;
    return nkx_np_array(vm, v, NKX_DT_BOOL, out);
}

static bool reduce(nkx_vm *vm, nkx_ufunc f, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *r = NULL;
    nkx_axes ax;
    nkx_reduce_opts o = {.dtype = -1};
    nkx_nd_error e;
    if (!nkx_np_dtype(vm, in[2], &o.dtype) || !nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_axes(vm, in[1], in[4], a->ndim, &ax) && where_arg(vm, in[6], &o.where);
    ok = ok && (!nkx_given(in[5]) || nkx_np_array(vm, in[5], -1, &o.initial));
    if (ok) {
        r = nkx_nd_reduce(f, a, ax, &o, &e);
        ok = nkx_np_done_out(vm, r, &e, in[3], out);
    }
    nkx_nd_drop(a);
    nkx_nd_drop(o.where);
    nkx_nd_drop(o.initial);
    return ok;
}

bool nkx_np_sum(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return reduce(vm, NKX_UF_ADD, in, out);
}
bool nkx_np_prod(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return reduce(vm, NKX_UF_MULTIPLY, in, out);
}

/* a, axis, out, keepdims, initial, where */
static bool extreme(nkx_vm *vm, nkx_ufunc f, const nkx_value *in, nkx_value *out)
{
    nkx_value all[7] = {in[0], in[1], NKX_NONE, in[2], in[3], in[4], in[5]};
    return reduce(vm, f, all, out);
}

bool nkx_np_max(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return extreme(vm, NKX_UF_MAXIMUM, in, out);
}
bool nkx_np_min(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return extreme(vm, NKX_UF_MINIMUM, in, out);
}

/* a, axis, dtype, out, keepdims, where */
bool nkx_np_mean(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *where = NULL;
    nkx_axes ax;
    int dtype;
    nkx_nd_error e;
    if (!nkx_np_dtype(vm, in[2], &dtype) || !nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_axes(vm, in[1], in[4], a->ndim, &ax) && where_arg(vm, in[5], &where);
    ok = ok && nkx_np_done_out(vm, nkx_nd_mean(a, ax, dtype, where, &e), &e, in[3], out);
    nkx_nd_drop(a);
    nkx_nd_drop(where);
    return ok;
}

/* a, axis, dtype, out, ddof, keepdims */
static bool spread(nkx_vm *vm, const nkx_value *in, bool root, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    nkx_axes ax;
    int dtype;
    double ddof;
    nkx_nd_error e;
    if (!nkx_as_float(vm, in[4], "ddof", &ddof) || !nkx_np_dtype(vm, in[2], &dtype) ||
        !nkx_np_array(vm, in[0], -1, &a))
        return false;
    bool ok = nkx_np_axes(vm, in[1], in[5], a->ndim, &ax) &&
              nkx_np_done_out(vm, nkx_nd_var(a, ax, dtype, ddof, root, &e), &e, in[3], out);
    nkx_nd_drop(a);
    return ok;
}

bool nkx_np_var(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return spread(vm, in, false, out);
}
bool nkx_np_std(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return spread(vm, in, true, out);
}

/* a, axis, out, keepdims */
static bool truths(nkx_vm *vm, const nkx_value *in, bool all, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    nkx_axes ax;
    nkx_nd_error e;
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_axes(vm, in[1], in[3], a->ndim, &ax) &&
              nkx_np_done_out(vm, nkx_nd_any(a, ax, all, &e), &e, in[2], out);
    nkx_nd_drop(a);
    return ok;
}

bool nkx_np_any(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return truths(vm, in, false, out);
}
bool nkx_np_all(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return truths(vm, in, true, out);
}

/* a, axis, out, keepdims */
static bool arg_extreme(nkx_vm *vm, const nkx_value *in, bool min, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    int64_t axis;
    bool given, keep = false;
    nkx_nd_error e;
    if (!nkx_np_axis(vm, in[1], &axis, &given) ||
        (nkx_given(in[3]) && !nkx_truth(vm, in[3], &keep)) || !nkx_np_array(vm, in[0], -1, &a))
        return false;
    bool ok =
        nkx_np_done_out(vm, nkx_nd_argmax(a, given ? &axis : NULL, keep, min, &e), &e, in[2], out);
    nkx_nd_drop(a);
    return ok;
}

bool nkx_np_argmax(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return arg_extreme(vm, in, false, out);
}
bool nkx_np_argmin(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return arg_extreme(vm, in, true, out);
}

/* a, axis, dtype, out */
static bool running(nkx_vm *vm, nkx_ufunc f, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    int64_t axis;
    int dtype;
    bool given;
    nkx_nd_error e;
    if (!nkx_np_axis(vm, in[1], &axis, &given) || !nkx_np_dtype(vm, in[2], &dtype) ||
        !nkx_np_array(vm, in[0], -1, &a))
        return false;
    bool ok = nkx_np_done_out(vm, nkx_nd_accumulate(f, a, given ? &axis : NULL, dtype, &e), &e,
                              in[3], out);
    nkx_nd_drop(a);
    return ok;
}

bool nkx_np_cumsum(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return running(vm, NKX_UF_ADD, in, out);
}
bool nkx_np_cumprod(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return running(vm, NKX_UF_MULTIPLY, in, out);
}

/* a, axis, out, keepdims */
bool nkx_np_ptp(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value args[6] = {in[0], in[1], NKX_NONE, in[3], NKX_NONE, NKX_NONE}, hi, lo;
    if (!nkx_np_max(vm, args, &hi)) return false;
    bool ok = nkx_np_min(vm, args, &lo);
    if (ok) {
        ok = nkx_binary(vm, NKX_OP_SUB, hi, lo, out);
        nkx_drop(lo);
    }
    nkx_drop(hi);
    return ok;
}

/* ---- order ---- */

/* a, axis, kind, order, stable */
static bool sorted(nkx_vm *vm, const nkx_value *in, bool args, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    int64_t axis;
    bool given;
    nkx_nd_error e;
    if (!nkx_np_axis(vm, in[1], &axis, &given) || !nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_done(vm, nkx_nd_sort(a, given ? &axis : NULL, args, &e), &e, out);
    nkx_nd_drop(a);
    return ok;
}

bool nkx_np_sort(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return sorted(vm, in, false, out);
}
bool nkx_np_argsort(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return sorted(vm, in, true, out);
}

/* a, kth, axis: a sorted array is partitioned everywhere */
static bool np_partition(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value args[2] = {in[0], in[2]};
    return sorted(vm, args, false, out);
}

static bool np_argpartition(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value args[2] = {in[0], in[2]};
    return sorted(vm, args, true, out);
}

/* a, v, side */
bool nkx_np_searchsorted(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *v = NULL;
    nkx_nd_error e;
    if (in[2].type != NKX_V_STR || (!nkx_str_is(in[2], "left") && !nkx_str_is(in[2], "right"))) {
        return nkx_value_error(vm, "search side must be 'left' or 'right'");
    }
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_array(vm, in[1], -1, &v) &&
              nkx_np_done(vm, nkx_nd_searchsorted(a, v, nkx_str_is(in[2], "right"), &e), &e, out);
    nkx_nd_drop(a);
    nkx_nd_drop(v);
    return ok;
}

/* ar, return_index, return_inverse, return_counts, axis */
static bool np_unique(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    bool want[3];
    nkx_unique_out u;
    nkx_nd_error e;
    nkx_value v[4];
    uint32_t n = 0;
    for (int i = 0; i < 3; i++) {
        if (!nkx_truth(vm, in[i + 1], &want[i])) return false;
    }
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    if (nkx_given(in[4]) && a->ndim != 1) {
        nkx_nd_drop(a);
        return nkx_raise(vm, NKX_E261, "NotImplementedError",
                         "unique along an axis is not supported");
    }
    bool ok = nkx_nd_unique(a, want[0], want[1], want[2], &u, &e);
    nkx_nd_drop(a);
    if (!ok) return nkx_np_raise(vm, &e);
    v[n++] = nkx_array_take(vm, u.values);
    if (u.index != NULL) v[n++] = nkx_array_take(vm, u.index);
    if (u.inverse != NULL) v[n++] = nkx_array_take(vm, u.inverse);
    if (u.counts != NULL) v[n++] = nkx_array_take(vm, u.counts);
    if (n == 1) return nkx_give(out, v[0]);
    *out = nkx_tuple_of(vm, v, n);
    for (uint32_t i = 0; i < n; i++) nkx_drop(v[i]);
    return true;
}

static bool quantile(nkx_vm *vm, nkx_value av, nkx_value qv, nkx_value axisv, nkx_value keepv,
                     double scale, nkx_value *out)
{
    nkx_ndarray *a = NULL, *q = NULL, *s = NULL, *p = NULL;
    int64_t axis;
    bool given, keep = false;
    nkx_nd_error e;
    if (!nkx_np_axis(vm, axisv, &axis, &given) ||
        (nkx_given(keepv) && !nkx_truth(vm, keepv, &keep)) || !nkx_np_array(vm, av, -1, &a))
        return false;
    bool ok = nkx_np_array(vm, qv, NKX_DT_FP64, &q);
    if (ok) {
        s = nkx_nd_scalar_f64(NKX_DT_FP64, scale);
        p = nkx_uf_binary(NKX_UF_DIVIDE, q, s, &e);
        ok = nkx_np_done(
            vm, p != NULL ? nkx_nd_quantile(a, p, given ? &axis : NULL, keep, &e) : NULL, &e, out);
    }
    nkx_nd_drop(a);
    nkx_nd_drop(q);
    nkx_nd_drop(s);
    nkx_nd_drop(p);
    return ok;
}

/* a, q, axis, keepdims */
static bool np_quantile(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return quantile(vm, in[0], in[1], in[2], in[3], 1.0, out);
}
static bool np_percentile(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return quantile(vm, in[0], in[1], in[2], in[3], 100.0, out);
}
static bool np_median(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return quantile(vm, in[0], nkx_float(0.5), in[1], in[2], 1.0, out);
}

static bool np_bincount(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *w = NULL;
    int64_t least;
    nkx_nd_error e;
    if (!nkx_as_int(vm, in[2], "minlength", &least) || !nkx_np_array(vm, in[0], -1, &a))
        return false;
    bool ok = (!nkx_given(in[1]) || nkx_np_array(vm, in[1], -1, &w)) &&
              nkx_np_done(vm, nkx_nd_bincount(a, w, least < 0 ? 0 : least, &e), &e, out);
    nkx_nd_drop(a);
    nkx_nd_drop(w);
    return ok;
}

/* a, n, axis */
static bool np_diff(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    int64_t n, axis;
    nkx_nd_error e;
    if (!nkx_as_int(vm, in[1], "n", &n) || !nkx_as_int(vm, in[2], "axis", &axis) ||
        !nkx_np_array(vm, in[0], -1, &a))
        return false;
    bool ok = nkx_np_done(vm,
                          nkx_nd_diff(a,
                                      (int)(n > INT32_MAX ? INT32_MAX
                                            : n < -1      ? -1
                                                          : n),
                                      axis, &e),
                          &e, out);
    nkx_nd_drop(a);
    return ok;
}

static bool np_count_nonzero(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    nkx_axes ax;
    nkx_nd_error e;
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_axes(vm, in[1], in[2], a->ndim, &ax) &&
              nkx_np_done(vm, nkx_nd_count_nonzero(a, ax, &e), &e, out);
    nkx_nd_drop(a);
    return ok;
}

bool nkx_np_nonzero(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *at[NKX_ND_MAX] = {NULL};
    nkx_nd_error e;
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = a->ndim > 0 ? nkx_nd_nonzero(a, at, &e) || nkx_np_raise(vm, &e)
                          : nkx_value_error(vm, "Calling nonzero on 0d arrays is not allowed");
    if (ok) {
        *out = nkx_tuple_new(vm, a->ndim);
        for (int d = 0; d < a->ndim; d++)
            NKX_AS(nkx_tuple, *out)->at[d] = nkx_array_take(vm, at[d]);
    }
    nkx_nd_drop(a);
    return ok;
}

static bool np_argwhere(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *at[NKX_ND_MAX] = {NULL};
    nkx_nd_error e;
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok =
        nkx_nd_nonzero(a, at, &e) && nkx_np_done(vm, nkx_nd_stack(a->ndim, at, 1, &e), &e, out);
    for (int d = 0; d < a->ndim; d++) nkx_nd_drop(at[d]);
    nkx_nd_drop(a);
    return ok;
}

static bool np_flatnonzero(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *flat, *at[1] = {NULL};
    nkx_nd_error e;
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    flat = nkx_nd_ravel(a, 'C', false, &e);
    bool ok = flat != NULL && nkx_nd_nonzero(flat, at, &e) ? nkx_np_done(vm, at[0], &e, out)
                                                           : nkx_np_raise(vm, &e);
    nkx_nd_drop(flat);
    nkx_nd_drop(a);
    return ok;
}

/* ---- rounding and clipping ---- */

/* a, decimals, out */
bool nkx_np_round(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    int64_t digits;
    nkx_nd_error e;
    if (!nkx_as_int(vm, in[1], "decimals", &digits) || !nkx_np_array(vm, in[0], -1, &a))
        return false;
    bool ok = nkx_np_done_out(vm,
                              nkx_nd_round(a,
                                           (int)(digits > 400    ? 400
                                                 : digits < -400 ? -400
                                                                 : digits),
                                           &e),
                              &e, in[2], out);
    nkx_nd_drop(a);
    return ok;
}

/* a, a_min, a_max, out, min, max */
bool nkx_np_clip(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_uf_arg x = {0}, lo = {0}, hi = {0};
    nkx_value lov = nkx_given(in[1]) ? in[1] : in[4], hiv = nkx_given(in[2]) ? in[2] : in[5];
    nkx_nd_error e;
    bool ok = nkx_np_operand(vm, in[0], &x) && (!nkx_given(lov) || nkx_np_operand(vm, lov, &lo)) &&
              (!nkx_given(hiv) || nkx_np_operand(vm, hiv, &hi));
    if (ok && x.weak >= 0) x.weak = -1;
    ok = ok && nkx_np_done_out(vm, nkx_nd_clip(x, lo, hi, &e), &e, in[3], out);
    nkx_nd_drop(x.a);
    nkx_nd_drop(lo.a);
    nkx_nd_drop(hi.a);
    return ok;
}

/* Those that do not see NaN: NaN is replaced by what the function ignores. */
static bool without_nan(nkx_vm *vm, nkx_value v, double by, nkx_value *out)
{
    nkx_ndarray *a = NULL, *mask, *r = NULL;
    nkx_nd_error e;
    if (!nkx_np_array(vm, v, -1, &a)) return false;
    mask = nkx_uf_unary(NKX_UF_ISNAN, a, &e);
    nkx_ndarray *f = nkx_nd_scalar_f64(NKX_DT_FP64, by);
    if (mask != NULL)
        r = nkx_dtype_is_float((nkx_dtype)a->dtype)
                ? nkx_nd_where(mask, (nkx_uf_arg){f, 2}, nkx_strong(a), &e)
                : nkx_nd_ref(a);
    bool ok = nkx_np_done(vm, r, &e, out);
    nkx_nd_drop(mask);
    nkx_nd_drop(f);
    nkx_nd_drop(a);
    return ok;
}

#define NAN_FN(name, by, fn)                                                                       \
    static bool name(nkx_vm *vm, const nkx_value *in, nkx_value *out)                              \
    {                                                                                              \
        nkx_value args[7] = {NKX_NONE, in[1], NKX_NONE, NKX_NONE, in[2], NKX_NONE, NKX_NONE};      \
        if (!without_nan(vm, in[0], by, &args[0])) return false;                                   \
        bool ok = fn(vm, args, out);                                                               \
        nkx_drop(args[0]);                                                                         \
        return ok;                                                                                 \
    }
static bool max_keep(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return reduce(vm, NKX_UF_MAXIMUM, in, out);
}
static bool min_keep(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return reduce(vm, NKX_UF_MINIMUM, in, out);
}
NAN_FN(np_nansum, 0.0, nkx_np_sum)
NAN_FN(np_nanmax, (double)-INFINITY, max_keep)
NAN_FN(np_nanmin, (double)INFINITY, min_keep)
#undef NAN_FN

/* a, axis, keepdims */
static bool np_nanmean(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *mask, *keep = NULL;
    nkx_nd_error e;
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    mask = nkx_uf_unary(NKX_UF_ISNAN, a, &e);
    if (mask != NULL) keep = nkx_uf_unary(NKX_UF_LOGICAL_NOT, mask, &e);
    nkx_axes ax;
    bool ok = keep != NULL || nkx_np_raise(vm, &e);
    ok = ok && nkx_np_axes(vm, in[1], in[2], a->ndim, &ax) &&
         nkx_np_done(vm, nkx_nd_mean(a, ax, -1, keep, &e), &e, out);
    nkx_nd_drop(mask);
    nkx_nd_drop(keep);
    nkx_nd_drop(a);
    return ok;
}

/* a, axis, weights */
static bool np_average(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value plain[6] = {in[0], in[1], NKX_NONE, NKX_NONE, NKX_NONE, NKX_NONE};
    if (!nkx_given(in[2])) return nkx_np_mean(vm, plain, out);
    nkx_ndarray *a = NULL, *w = NULL, *p = NULL, *wb = NULL, *n = NULL, *d = NULL, *r = NULL;
    nkx_axes ax;
    nkx_nd_error e;
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_array(vm, in[2], -1, &w) && nkx_np_axes(vm, in[1], NKX_NONE, a->ndim, &ax);
    if (ok) {
        int64_t shape[NKX_ND_MAX];
        for (int k = 0; k < a->ndim; k++)
            shape[k] = w->ndim == 1 && a->ndim > 1 && !(ax.mask & 1u << k) ? 1 : a->shape[k];
        wb = w->ndim == a->ndim ? nkx_nd_ref(w) : nkx_nd_reshape(w, a->ndim, shape, 'C', &e);
        if (wb != NULL) p = nkx_uf_binary(NKX_UF_MULTIPLY, a, wb, &e);
        if (p != NULL) n = nkx_nd_sum(p, ax, -1, &e);
        nkx_ndarray *full = wb != NULL ? nkx_nd_broadcast_to(wb, a->ndim, a->shape, &e) : NULL;
        if (n != NULL && full != NULL) d = nkx_nd_sum(full, ax, -1, &e);
        if (d != NULL) r = nkx_uf_binary(NKX_UF_DIVIDE, n, d, &e);
        nkx_nd_drop(full);
        ok = nkx_np_done(vm, r, &e, out);
    }
    nkx_nd_drop(a);
    nkx_nd_drop(w);
    nkx_nd_drop(wb);
    nkx_nd_drop(p);
    nkx_nd_drop(n);
    nkx_nd_drop(d);
    return ok;
}

const nkx_builtin nkx_np_reduce_rows[] = {
    {"sum",           "a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None",
     nkx_np_sum,                                                                                                           "sum along axes",                       0},
    {"prod",          "a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None",
     nkx_np_prod,                                                                                                          "product along axes",                   0},
    {"max",           "a, axis=None, out=None, keepdims=False, initial=None, where=None",             nkx_np_max,
     "largest along axes",                                                                                                                                         0},
    {"amax",          "a, axis=None, out=None, keepdims=False, initial=None, where=None",             nkx_np_max,
     "largest along axes",                                                                                                                                         0},
    {"min",           "a, axis=None, out=None, keepdims=False, initial=None, where=None",             nkx_np_min,
     "smallest along axes",                                                                                                                                        0},
    {"amin",          "a, axis=None, out=None, keepdims=False, initial=None, where=None",             nkx_np_min,
     "smallest along axes",                                                                                                                                        0},
    {"mean",          "a, axis=None, dtype=None, out=None, keepdims=False, where=None",               nkx_np_mean,
     "mean along axes",                                                                                                                                            0},
    {"average",       "a, axis=None, weights=None",                                                   np_average,          "weighted mean",                        0},
    {"var",           "a, axis=None, dtype=None, out=None, ddof=0, keepdims=False",                   nkx_np_var,
     "variance along axes",                                                                                                                                        0},
    {"std",           "a, axis=None, dtype=None, out=None, ddof=0, keepdims=False",                   nkx_np_std,
     "standard deviation along axes",                                                                                                                              0},
    {"any",           "a, axis=None, out=None, keepdims=False",                                       nkx_np_any,          "is any element true?",                 0},
    {"all",           "a, axis=None, out=None, keepdims=False",                                       nkx_np_all,          "are all elements true?",               0},
    {"argmax",        "a, axis=None, out=None, keepdims=False",                                       nkx_np_argmax,
     "index of the first largest",                                                                                                                                 0},
    {"argmin",        "a, axis=None, out=None, keepdims=False",                                       nkx_np_argmin,
     "index of the first smallest",                                                                                                                                0},
    {"cumsum",        "a, axis=None, dtype=None, out=None",                                           nkx_np_cumsum,       "running sum",                          0},
    {"cumprod",       "a, axis=None, dtype=None, out=None",                                           nkx_np_cumprod,      "running product",                      0},
    {"ptp",           "a, axis=None, out=None, keepdims=False",                                       nkx_np_ptp,          "largest minus smallest",               0},
    {"sort",          "a, axis=-1, kind=None, order=None, stable=None",                               nkx_np_sort,         "sorted copy",                          0},
    {"argsort",       "a, axis=-1, kind=None, order=None, stable=None",                               nkx_np_argsort,
     "indices that sort",                                                                                                                                          0},
    {"partition",     "a, kth, axis=-1",                                                              np_partition,        "partitioned copy",                     0},
    {"argpartition",  "a, kth, axis=-1",                                                              np_argpartition,     "indices that partition",               0},
    {"searchsorted",  "a, v, side='left'",                                                            nkx_np_searchsorted, "places in a sorted array",             0},
    {"unique",        "ar, return_index=False, return_inverse=False, return_counts=False, axis=None",
     np_unique,                                                                                                            "sorted different values",              0},
    {"quantile",      "a, q, axis=None, keepdims=False",                                              np_quantile,
     "quantiles, linear between neighbours",                                                                                                                       0},
    {"percentile",    "a, q, axis=None, keepdims=False",                                              np_percentile,
     "percentiles, linear between neighbours",                                                                                                                     0},
    {"median",        "a, axis=None, keepdims=False",                                                 np_median,           "median along an axis",                 0},
    {"bincount",      "x, weights=None, minlength=0",                                                 np_bincount,         "how often each integer occurs",        0},
    {"diff",          "a, n=1, axis=-1",                                                              np_diff,             "differences of neighbours",            0},
    {"count_nonzero", "a, axis=None, keepdims=False",                                                 np_count_nonzero,
     "number of elements that are not zero",                                                                                                                       0},
    {"nonzero",       "a",                                                                            nkx_np_nonzero,      "places that are not zero",             0},
    {"argwhere",      "a",                                                                            np_argwhere,         "places that are not zero, a row each", 0},
    {"flatnonzero",   "a",                                                                            np_flatnonzero,      "places in the flat array",             0},
    {"round",         "a, decimals=0, out=None",                                                      nkx_np_round,        "rounded, ties to even",                0},
    {"around",        "a, decimals=0, out=None",                                                      nkx_np_round,        "rounded, ties to even",                0},
    {"clip",          "a, a_min=None, a_max=None, out=None, min=None, max=None",                      nkx_np_clip,
     "limited to a range",                                                                                                                                         0},
    {"nansum",        "a, axis=None, keepdims=False",                                                 np_nansum,           "sum without NaN",                      0},
    {"nanmax",        "a, axis=None, keepdims=False",                                                 np_nanmax,           "largest without NaN",                  0},
    {"nanmin",        "a, axis=None, keepdims=False",                                                 np_nanmin,           "smallest without NaN",                 0},
    {"nanmean",       "a, axis=None, keepdims=False",                                                 np_nanmean,          "mean without NaN",                     0},
    {NULL,            NULL,                                                                           NULL,                NULL,                                   0},
};
