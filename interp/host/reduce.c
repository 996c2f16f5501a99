/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions. The accumulator is an array of lanes in the shape of the result; the input is walked
 * with its longest strides outermost, as NumPy walks it. A row along a reduced axis is folded
 * (sums pairwise), a row along a kept axis is combined element by element. Types below float32
 * round after every step that NumPy rounds after.
 */
#include "interp/host/reduce.h"
#include "interp/host/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BUFFERED_CHUNK                                                                             \
    8192 /* elements NumPy converts at a time when types differ: the grain of its sums */

bool nkx_nd_axes(int ndim, const int64_t *axes, int n, bool keepdims, nkx_axes *out,
                 nkx_nd_error *e)
{
    out->mask = 0;
    out->keepdims = keepdims;
    for (int k = 0; k < n; k++) {
        int d;
        if (!nkx_nd_axis(axes[k], ndim, &d, e)) return false;
        if (out->mask & 1u << d) return nkx_nd_fail(e, "ValueError", "duplicate value in 'axis'");
        out->mask |= 1u << d;
    }
    return true;
}

/* ---- folds of dense rows ---- */

#define PAIRWISE(name, T)                                                                          \
    static T name(const T *a, int64_t n)                                                           \
    {                                                                                              \
        if (n < 8) {                                                                               \
            T s = (T)-0.0;                                                                         \
            for (int64_t i = 0; i < n; i++) s += a[i];                                             \
            return s;                                                                              \
        }                                                                                          \
        if (n <= 128) {                                                                            \
            T r[8];                                                                                \
            int64_t i = 8;                                                                         \
            memcpy(r, a, sizeof r);                                                                \
            for (; i < n - n % 8; i += 8) {                                                        \
                for (int k = 0; k < 8; k++) r[k] += a[i + k];                                      \
            }                                                                                      \
            T s = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));               \
            for (; i < n; i++) s += a[i];                                                          \
            return s;                                                                              \
        }                                                                                          \
        int64_t half = n / 2;                                                                      \
        half -= half % 8;                                                                          \
        return name(a, half) + name(a + half, n - half);                                           \
    }
PAIRWISE(pairwise_f32, float)
PAIRWISE(pairwise_f64, double)
#undef PAIRWISE

#define EXTREME(name, T, better)                                                                   \
    static T name(T r, const T *a, int64_t n)                                                      \
    {                                                                                              \
        T v[8];                                                                                    \
        int64_t i = 0;                                                                             \
        for (int k = 0; k < 8; k++) v[k] = r;                                                      \
        for (; i + 8 <= n; i += 8) {                                                               \
            for (int k = 0; k < 8; k++) {                                                          \
                T x = a[i + k];                                                                    \
                v[k] = v[k] better x || v[k] != v[k] ? v[k] : x;                                   \
            }                                                                                      \
        }                                                                                          \
        for (int k = 0; k < 8; k++) r = r better v[k] || r != r ? r : v[k];                        \
        for (; i < n; i++) r = r better a[i] || r != r ? r : a[i];                                 \
        return r;                                                                                  \
    }
EXTREME(max_f32, float, >=)
EXTREME(max_f64, double, >=)
EXTREME(max_i64, int64_t, >=)
EXTREME(min_f32, float, <=)
EXTREME(min_f64, double, <=)
EXTREME(min_i64, int64_t, <=)
#undef EXTREME

typedef struct red_job {
    nkx_ufunc f;
    nkx_uf_row_fn fn;
    nkx_lane lane;
    nkx_dtype in;
    int round;     /* type every step is rounded to; -1: none */
    bool stepwise; /* each single element is a step: ml_dtypes' loops */
    bool cast;     /* NumPy would buffer: sums go by chunks */
    uint64_t *row; /* scratch for a converted row; grows */
    int64_t row_cap;
} red_job;

static void round_to(const red_job *j, float *v, int64_t n)
{
    uint64_t raw[NKX_LANE_BLOCK];
    if (j->round < 0) return;
    const nkx_dtype_row *t = &nkx_dtypes[j->round];
    for (int64_t i = 0; i < n; i += NKX_LANE_BLOCK) {
        int64_t k = n - i < NKX_LANE_BLOCK ? n - i : NKX_LANE_BLOCK;
        t->store_f32(raw, t->bytes, v + i, k);
        t->load_f32(v + i, raw, k, t->bytes);
    }
}

/* One element at a time through the row's kernel. */
static void fold_steps(const red_job *j, void *acc, const void *row, int64_t n)
{
    int width = nkx_lane_bytes(j->lane);
    for (int64_t i = 0; i < n; i++) {
        j->fn(acc, acc, (const uint8_t *)row + i * width, 1);
        if (j->round >= 0) round_to(j, acc, 1);
    }
}

static void fold_f32(const red_job *j, float *acc, const float *row, int64_t n)
{
    switch (j->f) {
    case NKX_UF_ADD: *acc += pairwise_f32(row, n); return;
    case NKX_UF_MAXIMUM: *acc = max_f32(*acc, row, n); return;
    case NKX_UF_MINIMUM: *acc = min_f32(*acc, row, n); return;
    default: fold_steps(j, acc, row, n); return;
    }
}

static void fold_f64(const red_job *j, double *acc, const double *row, int64_t n)
{
    switch (j->f) {
    case NKX_UF_ADD: *acc += pairwise_f64(row, n); return;
    case NKX_UF_MAXIMUM: *acc = max_f64(*acc, row, n); return;
    case NKX_UF_MINIMUM: *acc = min_f64(*acc, row, n); return;
    default: fold_steps(j, acc, row, n); return;
    }
}

static void fold_i64(const red_job *j, int64_t *acc, const int64_t *row, int64_t n)
{
    uint64_t s = 0;
    switch (j->f) {
    case NKX_UF_ADD:
        for (int64_t i = 0; i < n; i++) s += (uint64_t)row[i];
        *acc = (int64_t)((uint64_t)*acc + s);
        return;
    case NKX_UF_MAXIMUM:
        if (j->lane == NKX_LANE_I64) {
            *acc = max_i64(*acc, row, n);
            return;
        }
        break;
    case NKX_UF_MINIMUM:
        if (j->lane == NKX_LANE_I64) {
            *acc = min_i64(*acc, row, n);
            return;
        }
        break;
    default: break;
    }
    fold_steps(j, acc, row, n);
}

static void fold_row(const red_job *j, void *acc, const void *row, int64_t n)
{
    int64_t chunk = j->cast ? BUFFERED_CHUNK : n;
    int width = nkx_lane_bytes(j->lane);
    if (j->stepwise) {
        fold_steps(j, acc, row, n);
        return;
    }
    for (int64_t i = 0; i < n; i += chunk) {
        int64_t k = n - i < chunk ? n - i : chunk;
        const void *from = (const uint8_t *)row + i * width;
        switch (j->lane) {
        case NKX_LANE_F32: fold_f32(j, acc, from, k); break;
        case NKX_LANE_F64: fold_f64(j, acc, from, k); break;
        case NKX_LANE_I64:
        case NKX_LANE_U64: fold_i64(j, acc, from, k); break;
        }
    }
    if (j->round >= 0) round_to(j, acc, 1);
}

/* The row as dense lanes: itself, or converted into scratch. */
static const void *row_lanes(red_job *j, const uint8_t *at, int64_t step, int64_t n)
{
    int width = nkx_lane_bytes(j->lane);
    bool same = j->in == NKX_DT_FP32 ? j->lane == NKX_LANE_F32
                : j->in == NKX_DT_FP64
                    ? j->lane == NKX_LANE_F64
                    : (j->in == NKX_DT_INT64 || j->in == NKX_DT_UINT64) && j->lane >= NKX_LANE_I64;
    if (same && step == width && (uintptr_t)at % (uintptr_t)width == 0) return at;
    if (j->row_cap < n) {
        j->row = nkx_realloc(j->row, (size_t)n * sizeof *j->row);
        j->row_cap = n;
    }
    for (int64_t i = 0; i < n; i += NKX_LANE_BLOCK) {
        int64_t k = n - i < NKX_LANE_BLOCK ? n - i : NKX_LANE_BLOCK;
        nkx_lane_load(j->lane, (uint8_t *)j->row + i * width, j->in, at + i * step, step, k);
    }
    return j->row;
}

static void red_row(void *user, uint8_t *const *at, const int64_t *step, int64_t n)
{
    red_job *j = user;
    int width = nkx_lane_bytes(j->lane);
    if (step[0] == 0) {
        fold_row(j, at[0], row_lanes(j, at[1], step[1], n), n);
        return;
    }
    if (step[0] == width) {
        j->fn(at[0], at[0], row_lanes(j, at[1], step[1], n), n);
        if (j->round >= 0) round_to(j, (float *)(void *)at[0], n);
        return;
    }
    const uint8_t *row = row_lanes(j, at[1], step[1], n);
    for (int64_t i = 0; i < n; i++) {
        j->fn(at[0] + i * step[0], at[0] + i * step[0], row + i * width, 1);
        if (j->round >= 0) round_to(j, (float *)(void *)(at[0] + i * step[0]), 1);
    }
}

/* ---- set-up ---- */

static nkx_dtype lane_type(nkx_lane l)
{
    switch (l) {
    case NKX_LANE_F32: return NKX_DT_FP32;
    case NKX_LANE_F64: return NKX_DT_FP64;
    case NKX_LANE_I64: return NKX_DT_INT64;
    case NKX_LANE_U64: return NKX_DT_UINT64;
    }
    return NKX_DT_FP64;
}

static nkx_dtype result_type(nkx_ufunc f, nkx_dtype t, int asked)
{
    bool sums = f == NKX_UF_ADD || f == NKX_UF_MULTIPLY;
    if (asked >= 0) return (nkx_dtype)asked;
    if (!sums || !nkx_dtype_is_int(t)) return t;
    return nkx_dtypes[t].cls == NKX_CLASS_UINT && t != NKX_DT_BOOL ? NKX_DT_UINT64 : NKX_DT_INT64;
}

static bool is_ml_small(nkx_dtype t)
{
    return nkx_dtype_is_float(t) && t != NKX_DT_FP32 && t != NKX_DT_FP64 && t != NKX_DT_TF32 &&
           t != NKX_DT_FP16;
}

/* Accumulator's shape with the reduced axes at 1, and the walk in order of input strides. */
static void lay_out(nkx_walk *w, const nkx_ndarray *acc, const nkx_ndarray *a, uint32_t mask)
{
    int order[NKX_ND_MAX];
    for (int d = 0; d < a->ndim; d++) order[d] = d;
    for (int i = 1; i < a->ndim; i++) {
        for (int k = i; k > 0; k--) {
            int64_t outer = llabs(a->stride[order[k - 1]]), inner = llabs(a->stride[order[k]]);
            if (outer == 0 || inner == 0 || outer >= inner) break;
            int t = order[k];
            order[k] = order[k - 1];
            order[k - 1] = t;
        }
    }
    w->n = 2;
    w->ndim = a->ndim;
    w->at[0] = acc->at;
    w->at[1] = a->at;
    for (int i = 0; i < a->ndim; i++) {
        int d = order[i];
        w->shape[i] = a->shape[d];
        w->stride[1][i] = a->stride[d];
        w->stride[0][i] = mask & 1u << d ? 0 : acc->stride[d];
    }
}

static int64_t reduced_count(const nkx_ndarray *a, uint32_t mask)
{
    int64_t n = 1;
    for (int d = 0; d < a->ndim; d++) {
        if (mask & 1u << d) n *= a->shape[d];
    }
    return n;
}

static nkx_ndarray *finish(nkx_ndarray *acc, nkx_dtype t, nkx_axes ax, nkx_nd_error *e)
{
    int64_t axes[NKX_ND_MAX];
    int n = 0;
    for (int d = 0; d < acc->ndim; d++) {
        if (ax.mask & 1u << d) axes[n++] = d;
    }
    nkx_ndarray *typed = nkx_nd_as(acc, t);
    nkx_nd_drop(acc);
    if (ax.keepdims) return typed->ndim == 0 ? nkx_nd_to_scalar_take(typed) : typed;
    nkx_ndarray *out = nkx_nd_squeeze(typed, axes, n, e);
    nkx_nd_drop(typed);
    return nkx_nd_to_scalar_take(out);
}

static nkx_ndarray *start(nkx_ufunc f, nkx_lane l, nkx_ndarray *a, uint32_t mask,
                          nkx_ndarray *initial, nkx_nd_error *e)
{
    int64_t shape[NKX_ND_MAX];
    bool empty = reduced_count(a, mask) == 0;
    for (int d = 0; d < a->ndim; d++) shape[d] = mask & 1u << d ? 1 : a->shape[d];
    if (empty && !nkx_uf_rows[f].has_identity && initial == NULL) {
        return nkx_nd_null(e, "ValueError",
                           "zero-size array to reduction operation %s which has no identity",
                           nkx_uf_rows[f].name);
    }
    nkx_ndarray *acc = nkx_nd_new(lane_type(l), a->ndim, shape, e);
    if (acc == NULL) return NULL;
    if (initial != NULL) {
        if (!nkx_nd_assign(acc, initial, e)) {
            nkx_nd_drop(acc);
            return NULL;
        }
    } else if (nkx_uf_rows[f].has_identity) {
        nkx_ndarray *id = nkx_nd_scalar_f64(lane_type(l), nkx_uf_rows[f].identity);
        nkx_nd_fill(acc, id->at);
        nkx_nd_drop(id);
    } else if (nkx_nd_size(a) >
               0) { /* the first slice; folding it in again changes nothing for max and min */
        nkx_ndarray *first = nkx_nd_view(a);
        for (int d = 0; d < a->ndim; d++) first->shape[d] = shape[d];
        bool ok = nkx_nd_assign(acc, first, e);
        NKX_ASSERT(ok);
        nkx_nd_drop(first);
    }
    return acc;
}

static nkx_ndarray *reduce_masked(nkx_ufunc f, nkx_ndarray *a, nkx_axes ax,
                                  const nkx_reduce_opts *o, nkx_nd_error *e)
{
    nkx_reduce_opts rest = {.dtype = o->dtype, .initial = o->initial};
    if (!nkx_uf_rows[f].has_identity && o->initial == NULL) {
        return nkx_nd_null(e, "ValueError",
                           "reduction operation '%s' does not have an identity, so to use a where "
                           "mask one has to specify 'initial'",
                           nkx_uf_rows[f].name);
    }
    nkx_ndarray *fill = o->initial != NULL && !nkx_uf_rows[f].has_identity
                            ? nkx_nd_as(o->initial, (nkx_dtype)a->dtype)
                            : nkx_nd_scalar_f64((nkx_dtype)a->dtype, nkx_uf_rows[f].identity);
    nkx_ndarray *x = nkx_nd_where(o->where, nkx_strong(a), nkx_strong(fill), e);
    nkx_nd_drop(fill);
    nkx_ndarray *r = x != NULL ? nkx_nd_reduce(f, x, ax, &rest, e) : NULL;
    nkx_nd_drop(x);
    return r;
}

nkx_ndarray *nkx_nd_reduce(nkx_ufunc f, nkx_ndarray *a, nkx_axes ax, const nkx_reduce_opts *o,
                           nkx_nd_error *e)
{
    const nkx_uf_row *row = &nkx_uf_rows[f];
    nkx_dtype t;
    if (row->nin != 2)
        return nkx_nd_null(e, "ValueError", "reduce only supported for binary functions");
    if (row->kind == NKX_UK_COMPARE)
        return nkx_nd_null(e, "TypeError", "the reduction of %s is not supported", row->name);
    if (row->kind == NKX_UK_LOGIC && f != NKX_UF_LOGICAL_XOR)
        return nkx_nd_any(a, ax, f == NKX_UF_LOGICAL_AND, e);
    if (o->where != NULL) return reduce_masked(f, a, ax, o, e);
    t = result_type(f, (nkx_dtype)a->dtype, o->dtype);
    if (nkx_nd_is_packed(t) || nkx_nd_is_packed((nkx_dtype)a->dtype)) {
        return nkx_nd_null(e, "TypeError", "%s is not defined for type %s", row->name,
                           nkx_nd_type_name((nkx_dtype)a->dtype));
    }
    if (!row->has_identity && f != NKX_UF_MAXIMUM && f != NKX_UF_MINIMUM && f != NKX_UF_FMAX &&
        f != NKX_UF_FMIN) {
        return nkx_nd_null(
            e, "ValueError",
            "reduction operation '%s' is not reorderable, so at most one axis may be specified",
            row->name);
    }
    red_job j = {.f = f,
                 .lane = nkx_lane_of(t),
                 .in = (nkx_dtype)a->dtype,
                 .round = -1,
                 .cast = a->dtype != t};
    j.fn = j.lane == NKX_LANE_F32                       ? row->f32
           : j.lane == NKX_LANE_F64                     ? row->f64
           : j.lane == NKX_LANE_U64 && row->u64 != NULL ? row->u64
                                                        : row->i64;
    if (j.fn == NULL)
        return nkx_nd_null(e, "TypeError", "ufunc '%s' not supported for the input types",
                           row->name);
    if (t == NKX_DT_FP16 || is_ml_small(t)) j.round = (int)t;
    if (f == NKX_UF_MAXIMUM || f == NKX_UF_MINIMUM) j.round = -1;
    j.stepwise = j.round >= 0 && is_ml_small(t);
    nkx_ndarray *acc = start(f, j.lane, a, ax.mask, o->initial, e);
    if (acc == NULL) return NULL;
    if (nkx_nd_size(a) > 0) {
        nkx_walk w;
        lay_out(&w, acc, a, ax.mask);
        nkx_walk_run(&w, red_row, &j);
    }
    free(j.row);
    return finish(acc, t, ax, e);
}

/* ---- those with a name ---- */

nkx_ndarray *nkx_nd_sum(nkx_ndarray *a, nkx_axes ax, int dtype, nkx_nd_error *e)
{
    return nkx_nd_reduce(NKX_UF_ADD, a, ax, &(nkx_reduce_opts){.dtype = dtype}, e);
}

/* x / n in x's type, n a weak Python number. */
static nkx_ndarray *divide_by(nkx_ndarray *x, double n, nkx_nd_error *e)
{
    nkx_ndarray *s = nkx_nd_scalar_f64(NKX_DT_FP64, n);
    nkx_ndarray *r = nkx_uf_apply(NKX_UF_DIVIDE,
                                  &(nkx_uf_call){
                                      .in = {nkx_strong(x), {s, 2}},
                                        .dtype = -1
    },
                                  e);
    nkx_nd_drop(s);
    nkx_nd_drop(x);
    return r;
}

static nkx_ndarray *typed_take(nkx_ndarray *x, nkx_dtype t)
{
    if (x == NULL || x->dtype == t) return x;
    nkx_ndarray *y = nkx_nd_astype(x, t);
    nkx_nd_drop(x);
    return y;
}

nkx_ndarray *nkx_nd_mean(nkx_ndarray *a, nkx_axes ax, int dtype, nkx_ndarray *where,
                         nkx_nd_error *e)
{
    nkx_dtype t = (nkx_dtype)a->dtype;
    int acc = dtype >= 0            ? dtype
              : nkx_dtype_is_int(t) ? NKX_DT_FP64
              : t == NKX_DT_FP16    ? NKX_DT_FP32
                                    : -1;
    nkx_dtype out = dtype >= 0 ? (nkx_dtype)dtype : nkx_dtype_is_int(t) ? NKX_DT_FP64 : t;
    nkx_ndarray *s =
        nkx_nd_reduce(NKX_UF_ADD, a, ax, &(nkx_reduce_opts){.dtype = acc, .where = where}, e);
    if (s == NULL) return NULL;
    if (where == NULL) return typed_take(divide_by(s, (double)reduced_count(a, ax.mask), e), out);
    nkx_ndarray *mask = nkx_nd_broadcast_to(where, a->ndim, a->shape, e);
    nkx_ndarray *n = mask != NULL ? nkx_nd_count_nonzero(mask, ax, e) : NULL;
    nkx_ndarray *r = NULL;
    if (n != NULL) {
        nkx_ndarray *nt = nkx_nd_as(n, (nkx_dtype)s->dtype);
        r = nkx_uf_binary(NKX_UF_DIVIDE, s, nt, e);
        nkx_nd_drop(nt);
    }
    nkx_nd_drop(mask);
    nkx_nd_drop(n);
    nkx_nd_drop(s);
    return typed_take(r, out);
}

nkx_ndarray *nkx_nd_var(nkx_ndarray *a, nkx_axes ax, int dtype, double ddof, bool root,
                        nkx_nd_error *e)
{
    nkx_dtype t = (nkx_dtype)a->dtype;
    int acc = dtype >= 0            ? dtype
              : nkx_dtype_is_int(t) ? NKX_DT_FP64
              : t == NKX_DT_FP16    ? NKX_DT_FP32
                                    : -1;
    nkx_dtype out = dtype >= 0 ? (nkx_dtype)dtype : nkx_dtype_is_int(t) ? NKX_DT_FP64 : t;
    nkx_axes keep = {ax.mask, true};
    double n = (double)reduced_count(a, ax.mask);
    nkx_ndarray *m = nkx_nd_reduce(NKX_UF_ADD, a, keep, &(nkx_reduce_opts){.dtype = acc}, e),
                *x = NULL, *x2 = NULL, *s = NULL;
    if (m != NULL) m = divide_by(m, n, e);
    if (m != NULL) x = nkx_uf_binary(NKX_UF_SUBTRACT, a, m, e);
    if (x != NULL) x2 = nkx_uf_binary(NKX_UF_MULTIPLY, x, x, e);
    if (x2 != NULL) s = nkx_nd_reduce(NKX_UF_ADD, x2, ax, &(nkx_reduce_opts){.dtype = acc}, e);
    if (s != NULL) s = divide_by(s, n - ddof > 0 ? n - ddof : 0, e);
    if (s != NULL && root) {
        nkx_ndarray *q = nkx_uf_unary(NKX_UF_SQRT, s, e);
        nkx_nd_drop(s);
        s = q;
    }
    nkx_nd_drop(m);
    nkx_nd_drop(x);
    nkx_nd_drop(x2);
    return typed_take(s, out);
}

nkx_ndarray *nkx_nd_any(nkx_ndarray *a, nkx_axes ax, bool all, nkx_nd_error *e)
{
    nkx_ndarray *b = nkx_nd_as(a, NKX_DT_BOOL), *r;
    uint32_t every = a->ndim >= 32 ? UINT32_MAX : (1u << a->ndim) - 1u;
    if ((ax.mask & every) == every && !ax.keepdims && nkx_nd_is_dense(b)) {
        bool found = memchr(b->at, all ? 0 : 1, (size_t)nkx_nd_size(b)) != NULL;
        r = nkx_nd_scalar_i64(NKX_DT_BOOL, all ? !found : found);
    } else {
        nkx_ndarray *id = nkx_nd_scalar_i64(NKX_DT_BOOL, all);
        r = nkx_nd_reduce(all ? NKX_UF_MINIMUM : NKX_UF_MAXIMUM, b, ax,
                          &(nkx_reduce_opts){.dtype = -1, .initial = id}, e);
        nkx_nd_drop(id);
    }
    nkx_nd_drop(b);
    return r;
}

nkx_ndarray *nkx_nd_count_nonzero(nkx_ndarray *a, nkx_axes ax, nkx_nd_error *e)
{
    nkx_ndarray *b = nkx_nd_as(a, NKX_DT_BOOL);
    nkx_ndarray *r = nkx_nd_sum(b, ax, NKX_DT_INT64, e);
    nkx_nd_drop(b);
    return r;
}

/* ---- argmax ---- */

static int64_t arg_row(const nkx_ndarray *a, const uint8_t *at, int64_t step, int64_t n, bool min)
{
    uint64_t buf[NKX_LANE_BLOCK];
    int64_t best = 0, best_i = INT64_MIN;
    double best_f = 0;
    bool whole = nkx_dtype_is_int((nkx_dtype)a->dtype) && a->dtype != NKX_DT_UINT64;
    nkx_lane l = whole ? NKX_LANE_I64 : NKX_LANE_F64;
    for (int64_t i = 0; i < n; i += NKX_LANE_BLOCK) {
        int64_t k = n - i < NKX_LANE_BLOCK ? n - i : NKX_LANE_BLOCK;
        nkx_lane_load(l, buf, (nkx_dtype)a->dtype, at + i * step, step, k);
        for (int64_t m = 0; m < k; m++) {
            if (whole) {
                int64_t v = ((const int64_t *)(const void *)buf)[m];
                if (i + m == 0 || (min ? v < best_i : v > best_i)) {
                    best_i = v;
                    best = i + m;
                }
            } else {
                double v = ((const double *)(const void *)buf)[m];
                if (isnan(v)) return i + m;
                if (i + m == 0 || (min ? v < best_f : v > best_f)) {
                    best_f = v;
                    best = i + m;
                }
            }
        }
    }
    return best;
}

nkx_ndarray *nkx_nd_argmax(nkx_ndarray *a, const int64_t *axis, bool keepdims, bool min,
                           nkx_nd_error *e)
{
    int64_t shape[NKX_ND_MAX], zero = 0, flat_n = nkx_nd_size(a);
    int x = 0;
    if (axis == NULL) {
        if (flat_n == 0)
            return nkx_nd_null(e, "ValueError", "attempt to get %s of an empty sequence",
                               min ? "argmin" : "argmax");
        nkx_ndarray *flat = nkx_nd_ravel(a, 'C', false, e);
        nkx_ndarray *r = flat != NULL ? nkx_nd_argmax(flat, &zero, false, min, e) : NULL;
        nkx_nd_drop(flat);
        if (r == NULL || !keepdims) return r;
        for (int d = 0; d < a->ndim; d++) shape[d] = 1;
        nkx_ndarray *k = nkx_nd_reshape(r, a->ndim, shape, 'C', e);
        nkx_nd_drop(r);
        return k;
    }
    if (!nkx_nd_axis(*axis, a->ndim, &x, e)) return NULL;
    if (a->shape[x] == 0)
        return nkx_nd_null(e, "ValueError", "attempt to get %s of an empty sequence",
                           min ? "argmin" : "argmax");
    for (int d = 0; d < a->ndim; d++) shape[d] = d == x ? 1 : a->shape[d];
    nkx_ndarray *out = nkx_nd_new(NKX_DT_INT64, a->ndim, shape, e);
    if (out == NULL) return NULL;
    nkx_ndarray *first = nkx_nd_part(a, x, 0, 1);
    int64_t n = nkx_nd_size(out);
    for (int64_t i = 0; i < n; i++) {
        ((int64_t *)(void *)out->at)[i] =
            arg_row(a, nkx_nd_at(first, i), a->stride[x], a->shape[x], min);
    }
    nkx_nd_drop(first);
    return finish(out, NKX_DT_INT64, (nkx_axes){1u << x, keepdims}, e);
}

/* ---- running reductions ---- */

#define RUNNING(name, T, expr)                                                                     \
    static void name(T *d, const T *x, int64_t n)                                                  \
    {                                                                                              \
        T acc = x[0];                                                                              \
        d[0] = acc;                                                                                \
        for (int64_t i = 1; i < n; i++) {                                                          \
            T v = x[i];                                                                            \
            acc = (expr);                                                                          \
            d[i] = acc;                                                                            \
        }                                                                                          \
    }
RUNNING(cumsum_f32, float, acc + v)
RUNNING(cumsum_f64, double, acc + v)
RUNNING(cumsum_i64, uint64_t, acc + v)
#undef RUNNING

/* One row of sums, stored as its lane: the common case. */
static bool running_fast(nkx_ufunc f, nkx_lane l, nkx_dtype t, nkx_ndarray *out,
                         const nkx_ndarray *a)
{
    if (f != NKX_UF_ADD || a->ndim != 1 || a->dtype != t || t != lane_type(l) ||
        !nkx_nd_is_dense(a) || a->shape[0] == 0)
        return false;
    switch (l) {
    case NKX_LANE_F32:
        cumsum_f32((float *)(void *)out->at, (const float *)(const void *)a->at, a->shape[0]);
        return true;
    case NKX_LANE_F64:
        cumsum_f64((double *)(void *)out->at, (const double *)(const void *)a->at, a->shape[0]);
        return true;
    case NKX_LANE_I64:
    case NKX_LANE_U64:
        cumsum_i64((uint64_t *)(void *)out->at, (const uint64_t *)(const void *)a->at, a->shape[0]);
        return true;
    }
    return false;
}

nkx_ndarray *nkx_nd_accumulate(nkx_ufunc f, nkx_ndarray *a, const int64_t *axis, int dtype,
                               nkx_nd_error *e)
{
    int x = 0;
    int64_t zero = 0;
    nkx_dtype t = result_type(f, (nkx_dtype)a->dtype, dtype);
    if (axis == NULL) {
        nkx_ndarray *flat = nkx_nd_ravel(a, 'C', false, e);
        nkx_ndarray *r = flat != NULL ? nkx_nd_accumulate(f, flat, &zero, dtype, e) : NULL;
        nkx_nd_drop(flat);
        return r;
    }
    if (nkx_uf_rows[f].nin != 2)
        return nkx_nd_null(e, "ValueError", "accumulate only supported for binary functions");
    if (!nkx_nd_axis(*axis, a->ndim, &x, e)) return NULL;
    nkx_ndarray *out = nkx_nd_new(t, a->ndim, a->shape, e);
    if (out == NULL || running_fast(f, nkx_lane_of(t), t, out, a)) return out;
    for (int64_t i = 0; i < a->shape[x];
         i++) { /* out[i] = f(out[i-1], a[i]), whole slices at a time */
        nkx_ndarray *to = nkx_nd_part(out, x, i, i + 1), *from = nkx_nd_part(a, x, i, i + 1),
                    *r = NULL;
        bool ok;
        if (i == 0) {
            ok = nkx_nd_assign(to, from, e);
        } else {
            nkx_ndarray *before = nkx_nd_part(out, x, i - 1, i), *typed = nkx_nd_as(from, t);
            r = nkx_uf_apply(f,
                             &(nkx_uf_call){
                                 .in = {nkx_strong(before), nkx_strong(typed)},
                                   .dtype = -1
            },
                             e);
            ok = r != NULL && nkx_nd_assign(to, r, e);
            nkx_nd_drop(before);
            nkx_nd_drop(typed);
        }
        nkx_nd_drop(r);
        nkx_nd_drop(to);
        nkx_nd_drop(from);
        if (!ok) {
            nkx_nd_drop(out);
            return NULL;
        }
    }
    return out;
}

nkx_ndarray *nkx_nd_diff(nkx_ndarray *a, int n, int64_t axis, nkx_nd_error *e)
{
    int x;
    if (n < 0) return nkx_nd_null(e, "ValueError", "order must be non-negative but got %d", n);
    if (a->ndim == 0)
        return nkx_nd_null(e, "ValueError", "diff requires input that is at least one dimensional");
    if (!nkx_nd_axis(axis, a->ndim, &x, e)) return NULL;
    nkx_ndarray *cur = nkx_nd_ref(a);
    for (int i = 0; i < n && cur != NULL; i++) {
        int64_t len = cur->shape[x];
        nkx_ndarray *hi = nkx_nd_part(cur, x, len > 0 ? 1 : 0, len),
                    *lo = nkx_nd_part(cur, x, 0, len > 0 ? len - 1 : 0);
        nkx_ndarray *r = nkx_uf_binary(
            cur->dtype == NKX_DT_BOOL ? NKX_UF_NOT_EQUAL : NKX_UF_SUBTRACT, hi, lo, e);
        nkx_nd_drop(hi);
        nkx_nd_drop(lo);
        nkx_nd_drop(cur);
        cur = r;
    }
    return cur;
}
