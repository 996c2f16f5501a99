/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check against a reference, independent of the run: the expression is evaluated by the host
 * array library (its products by the BLAS) in float64, on copies of the original arguments. Nothing
 * that the kernel computed takes part in the reference.
 */
#include "interp/runtime.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- tolerances ---- */

/*
 * A handful of units in the last place. Sums in fp32 lose more than their last place to the order
 * of summing, so wide types get room for that instead.
 */
static double default_rtol(nkx_dtype t)
{
    const nkx_dtype_row *row = &nkx_dtypes[t];
    if (nkx_dtype_is_int(t)) return 0;
    if (row->mant_bits > 23) return 1e-9;
    if (row->mant_bits > 16) return 1e-4;
    if (row->mant_bits >= 7) return ldexp(1.0, 2 - row->mant_bits);
    return row->mant_bits > 1 ? ldexp(1.0, 1 - row->mant_bits) : 1.0;
}

/* Distance between neighbours of the type at a value. */
static double ulp_at(nkx_dtype t, double want)
{
    const nkx_dtype_row *row = &nkx_dtypes[t];
    if (row->mant_bits < 0) return 1;
    double m = fabs(want);
    if (!(m > row->min_normal)) m = row->min_normal;
    if (m > row->max) m = row->max;
    return ldexp(1.0, ilogb(m) - row->mant_bits);
}

/* ---- comparing ---- */

typedef struct sums {
    double diff2, want2;
    double rms;   /* of the reference */
    double worst; /* largest excess over the tolerance so far */
    int64_t worst_at;
} sums;

/* Equal, or both NaN, or infinite of the same sign. */
static bool same(double got, double want)
{
    return got == want || (isnan(got) && isnan(want));
}

static void take_pair(nkx_comparison *c, sums *s, nkx_dtype t, int64_t i, double got, double want)
{
    if (isfinite(want)) s->want2 += want * want;
    if (same(got, want)) return;
    double diff = fabs(got - want);
    double excess = diff - (c->atol + c->rtol * fabs(want));
    if (isnan(diff) || isinf(diff)) {
        excess = diff = INFINITY;
    } else {
        s->diff2 += diff * diff;
    }
    if (diff > c->max_abs) c->max_abs = diff;
    /* Where sums cancel, the size of the whole result is the measure, not what is left of it. */
    double size = fabs(want) > s->rms ? fabs(want) : s->rms;
    double rel = size > 0 ? diff / size : INFINITY;
    if (isfinite(want) && rel > c->max_rel) c->max_rel = rel;
    double ulp = diff / ulp_at(t, size);
    if (ulp > c->max_ulp) c->max_ulp = ulp;
    if (excess > 0) c->outside++;
    if (excess > s->worst || s->worst_at < 0) {
        s->worst = excess;
        s->worst_at = i;
    }
}

static double rms(const double *v, int64_t n)
{
    double sum = 0;
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(v[i])) continue;
        sum += v[i] * v[i];
        m++;
    }
    return m > 0 ? sqrt(sum / (double)m) : 0;
}

static void place_of(nkx_comparison *c, const nkx_ndarray *a, int64_t flat)
{
    c->ndim = a->ndim;
    for (int d = a->ndim - 1; d >= 0; d--) {
        int64_t n = a->shape[d] > 0 ? a->shape[d] : 1;
        c->worst[d] = flat % n;
        flat /= n;
    }
}

static void compare_elements(nkx_comparison *c, const nkx_ndarray *a, const double *got,
                             const double *want, double size)
{
    nkx_dtype t = (nkx_dtype)a->dtype;
    sums s = {.worst = -INFINITY, .worst_at = -1, .rms = size};
    for (int64_t i = 0; i < c->elements; i++) take_pair(c, &s, t, i, got[i], want[i]);
    c->rms_rel = s.want2 > 0 ? sqrt(s.diff2 / s.want2) : sqrt(s.diff2);
    c->passed = c->outside == 0;
    int64_t at = s.worst_at < 0 ? 0 : s.worst_at;
    place_of(c, a, at);
    if (c->elements > 0) {
        c->got = got[at];
        c->want = want[at];
    }
}

static void shape_mismatch(nkx_runtime *rt, const char *name, const nkx_ndarray *got,
                           const nkx_ndarray *want, nkx_span span)
{
    char a[160], b[160];
    nkx_diag_add(&rt->diags, NKX_E659, span, "%s has shape %s, the reference %s", name,
                 nkx_nd_shape_str(a, sizeof a, got->ndim, got->shape),
                 nkx_nd_shape_str(b, sizeof b, want->ndim, want->shape));
}

static void report_failure(nkx_runtime *rt, const nkx_comparison *c, nkx_span span)
{
    nkx_diag *g = nkx_diag_add(&rt->diags, NKX_E658, span,
                               "%" PRId64 " of %" PRId64
                               " elements of %s differ from the reference by more than "
                               "%.3g + %.3g * |reference|",
                               c->outside, c->elements, c->name, c->atol, c->rtol);
    nkx_diag_hint(&rt->diags, g,
                  "If the kernel computes in a narrow type on purpose, set --rtol and --atol; "
                  "--fp32 shows whether "
                  "rounding is the cause.");
}

static bool compare_one(nkx_runtime *rt, const nkx_rt_result *r, nkx_ndarray *want, nkx_span span)
{
    if (!nkx_nd_same_shape(r->array, want)) {
        shape_mismatch(rt, r->name, r->array, want, span);
        return false;
    }
    nkx_ndarray *g = nkx_nd_as(r->array, NKX_DT_FP64);
    nkx_ndarray *w64 = nkx_nd_as(want, NKX_DT_FP64);
    nkx_ndarray *w = nkx_nd_dense(w64);
    const double *wv = (const double *)(const void *)w->at;
    nkx_rt_comparison x = {.name = nkx_dup(r->name, strlen(r->name) + 1)};
    x.c = (nkx_comparison){
        .name = x.name, .dtype = nkx_dtypes[r->dtype].name, .elements = nkx_nd_size(w)};
    x.c.rtol = rt->rtol >= 0 ? rt->rtol : default_rtol(r->dtype);
    double size = rms(wv, x.c.elements);
    x.c.atol = rt->atol >= 0 ? rt->atol : 0.25 * x.c.rtol * size;
    compare_elements(&x.c, r->array, (const double *)(const void *)g->at, wv, size);
    nkx_push(&rt->comparisons, x);
    if (!x.c.passed) report_failure(rt, &x.c, span);
    nkx_nd_drop(g);
    nkx_nd_drop(w64);
    nkx_nd_drop(w);
    return x.c.passed;
}

/* ---- the reference ---- */

/* Floats as float64, integers and all else as they are. */
static bool set_input(nkx_runtime *rt, nkx_value scope, const nkx_rt_arg *a)
{
    if (a->before == NULL) return nkx_module_set(rt->vm, scope, a->name->text, a->value);
    nkx_dtype t = (nkx_dtype)a->before->dtype;
    nkx_ndarray *wide =
        nkx_dtype_is_float(t) ? nkx_nd_astype(a->before, NKX_DT_FP64) : nkx_nd_ref(a->before);
    nkx_value v = nkx_array_take(rt->vm, wide);
    bool fine = nkx_module_set(rt->vm, scope, a->name->text, v);
    nkx_drop(v);
    return fine;
}

static bool to_array(nkx_runtime *rt, nkx_value scope, nkx_value v, nkx_span span,
                     nkx_ndarray **out)
{
    if (v.type == NKX_V_ARRAY) {
        *out = nkx_nd_ref(NKX_AS(nkx_array_obj, v)->a);
        return true;
    }
    nkx_value a = NKX_UNSET;
    if (!nkx_module_set(rt->vm, scope, "_reference", v) ||
        !nkx_rt_evaluate(rt, scope, "<option --check>", "np.asarray(_reference)", &a)) {
        return false;
    }
    bool is_array = a.type == NKX_V_ARRAY;
    if (is_array) {
        *out = nkx_nd_ref(NKX_AS(nkx_array_obj, a)->a);
    } else {
        nkx_diag_add(&rt->diags, NKX_E659, span, "the reference is a %s, not an array",
                     nkx_type_name(v));
    }
    nkx_drop(a);
    return is_array;
}

static bool compare_values(nkx_runtime *rt, nkx_value scope, const nkx_value *at, size_t n,
                           nkx_span span)
{
    if (rt->results.n != n) {
        nkx_diag_add(&rt->diags, NKX_E659, span, "the kernel gave %zu results, the reference %zu",
                     rt->results.n, n);
        return false;
    }
    bool fine = true;
    for (size_t i = 0; i < n; i++) {
        nkx_ndarray *want = NULL;
        if (rt->results.at[i].array == NULL) continue;
        if (!to_array(rt, scope, at[i], span, &want)) return false;
        fine = compare_one(rt, &rt->results.at[i], want, span) && fine;
        nkx_nd_drop(want);
    }
    return fine;
}

bool nkx_rt_compare(nkx_runtime *rt)
{
    nkx_value scope = NKX_UNSET, ref = NKX_UNSET;
    bool fine = nkx_rt_scope(rt, "<check>", &scope);
    for (size_t i = 0; fine && i < rt->args.n; i++) fine = set_input(rt, scope, &rt->args.at[i]);
    if (fine) fine = nkx_rt_evaluate(rt, scope, "<option --check>", rt->check, &ref);
    if (fine) {
        nkx_span span = nkx_rt_note_text(rt, "<option --check>", rt->check);
        bool several = ref.type == NKX_V_TUPLE || (ref.type == NKX_V_LIST && rt->results.n > 1);
        if (ref.type == NKX_V_TUPLE) {
            fine = compare_values(rt, scope, NKX_AS(nkx_tuple, ref)->at, NKX_AS(nkx_tuple, ref)->n,
                                  span);
        } else if (several) {
            fine = compare_values(rt, scope, NKX_AS(nkx_list, ref)->at, NKX_AS(nkx_list, ref)->n,
                                  span);
        } else {
            fine = compare_values(rt, scope, &ref, 1, span);
        }
    }
    nkx_drop(ref);
    nkx_drop(scope);
    return fine;
}

/* ---- as text ---- */

size_t nkx_comparison_count(const nkx_runtime *rt)
{
    return rt->comparisons.n;
}

bool nkx_comparison_get(const nkx_runtime *rt, size_t i, nkx_comparison *out)
{
    if (i >= rt->comparisons.n) return false;
    *out = rt->comparisons.at[i].c;
    return true;
}

char *nkx_comparison_text(const nkx_runtime *rt, size_t i)
{
    nkx_buf b = {0};
    nkx_comparison c;
    if (!nkx_comparison_get(rt, i, &c)) return nkx_buf_take(&b);
    nkx_buf_printf(&b, "check %s: %s", c.name, c.passed ? "passed" : "FAILED");
    nkx_buf_printf(
        &b, "  max abs error %.3g, max rel error %.3g, rms error %.3g of rms, %.2f ulp of %s\n",
        c.max_abs, c.max_rel, c.rms_rel, c.max_ulp, c.dtype);
    nkx_buf_printf(&b, "  %.4g %% outside tolerance (atol %.3g, rtol %.3g); worst at (",
                   c.elements > 0 ? 100.0 * (double)c.outside / (double)c.elements : 0.0, c.atol,
                   c.rtol);
    for (size_t d = 0; d < c.ndim; d++) nkx_buf_printf(&b, "%s%" PRId64, d ? ", " : "", c.worst[d]);
    nkx_buf_printf(&b, "%s): got %.7g, reference %.7g", c.ndim == 1 ? "," : "", c.got, c.want);
    return nkx_buf_take(&b);
}
