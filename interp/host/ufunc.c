/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applying element-wise functions: result types, broadcasting, and the block loop between stored
 * types and lanes. Where operands are dense and stored as their lane is, the kernel runs over
 * them directly.
 */
#include "interp/host/ufunc.h"

#include <math.h>
#include <string.h>

/* ---- broadcasting ---- */

static bool broadcast_fail(int n, nkx_ndarray *const *in, nkx_nd_error *e)
{
    nkx_buf b = {0};
    for (int k = 0; k < n; k++) {
        if (k > 0) nkx_buf_char(&b, ' ');
        nkx_buf_char(&b, '(');
        for (int d = 0; d < in[k]->ndim; d++)
            nkx_buf_printf(&b, d > 0 ? ",%lld" : "%lld", (long long)in[k]->shape[d]);
        if (in[k]->ndim == 1) nkx_buf_char(&b, ',');
        nkx_buf_char(&b, ')');
    }
    nkx_nd_fail(e, "ValueError", "operands could not be broadcast together with shapes %s", b.at);
    nkx_buf_fini(&b);
    return false;
}

bool nkx_nd_broadcast_shape(int n, nkx_ndarray *const *in, int *ndim, int64_t *shape,
                            nkx_nd_error *e)
{
    *ndim = 0;
    for (int k = 0; k < n; k++) *ndim = in[k]->ndim > *ndim ? in[k]->ndim : *ndim;
    for (int d = 0; d < *ndim; d++) shape[d] = 1;
    for (int k = 0; k < n; k++) {
        int skip = *ndim - in[k]->ndim;
        for (int d = 0; d < in[k]->ndim; d++) {
            int64_t have = in[k]->shape[d], *want = &shape[d + skip];
            if (have == 1 || have == *want) continue;
            if (*want != 1) return broadcast_fail(n, in, e);
            *want = have;
        }
    }
    return true;
}

void nkx_nd_broadcast_strides(const nkx_ndarray *a, int ndim, const int64_t *shape, int64_t *stride)
{
    int skip = ndim - a->ndim;
    for (int d = 0; d < ndim; d++) {
        stride[d] =
            d < skip || (a->shape[d - skip] == 1 && shape[d] != 1) ? 0 : a->stride[d - skip];
    }
}

/* ---- types ---- */

bool nkx_nd_same_kind(nkx_dtype from, nkx_dtype to)
{
    if (from == to || from == NKX_DT_BOOL) return true;
    if (nkx_nd_is_packed(from) || nkx_nd_is_packed(to)) return false;
    if (nkx_dtype_is_float(to)) return true;
    if (nkx_dtype_is_float(from) || to == NKX_DT_BOOL) return false;
    return !(nkx_dtypes[from].cls == NKX_CLASS_INT && nkx_dtypes[to].cls == NKX_CLASS_UINT);
}

static nkx_dtype float_of_int(nkx_dtype t)
{
    if (nkx_dtype_is_float(t)) return t;
    int bytes = nkx_dtypes[t].bytes;
    return bytes == 1 ? NKX_DT_FP16 : bytes == 2 ? NKX_DT_FP32 : NKX_DT_FP64;
}

/* Range of the weak integer against the type it takes. */
static bool weak_fits(const nkx_uf_arg *arg, nkx_dtype t)
{
    if (arg->weak != 1 || nkx_dtype_is_float(t) || t == NKX_DT_INT64) return true;
    int64_t v = nkx_nd_elem_i64(NKX_DT_INT64, arg->a->at);
    if (t == NKX_DT_UINT64) return v >= 0;
    if (t == NKX_DT_BOOL) return v == 0 || v == 1;
    return (double)v >= nkx_dtypes[t].lowest && (double)v <= nkx_dtypes[t].max;
}

/* The common type of the operands before the function's own rule. */
static nkx_dtype common_type(nkx_ufunc f, const nkx_uf_call *c)
{
    const nkx_uf_row *row = &nkx_uf_rows[f];
    nkx_dtype ta = (nkx_dtype)c->in[0].a->dtype;
    if (row->nin == 1) return ta;
    nkx_dtype tb = (nkx_dtype)c->in[1].a->dtype;
    int wa = c->in[0].weak, wb = c->in[1].weak;
    if ((wa >= 0) == (wb >= 0)) return nkx_promote(ta, tb);
    nkx_dtype t = wa >= 0 ? nkx_promote_weak(tb, wa) : nkx_promote_weak(ta, wb);
    if (row->kind == NKX_UK_COMPARE && !weak_fits(wa >= 0 ? &c->in[0] : &c->in[1], t))
        return NKX_DT_INT64;
    return t;
}

static bool no_loop(nkx_ufunc f, nkx_dtype t, nkx_nd_error *e)
{
    const char *name = nkx_uf_rows[f].name;
    if (f == NKX_UF_SUBTRACT && t == NKX_DT_BOOL) {
        return nkx_nd_fail(
            e, "TypeError",
            "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, "
            "the `^` operator, or the logical_xor function instead.");
    }
    if (f == NKX_UF_NEGATIVE && t == NKX_DT_BOOL) {
        return nkx_nd_fail(
            e, "TypeError",
            "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator "
            "or the logical_not function instead.");
    }
    return nkx_nd_fail(
        e, "TypeError",
        "ufunc '%s' not supported for the input types, and the inputs could not be safely coerced "
        "to any supported types according to the casting rule ''safe''",
        name);
}

/* Type computed in, by the rule of the row. */
static bool rule_type(nkx_ufunc f, nkx_dtype *t, nkx_nd_error *e)
{
    bool fl = nkx_dtype_is_float(*t);
    if (nkx_nd_is_packed(*t)) return no_loop(f, *t, e);
    switch (nkx_uf_rows[f].kind) {
    case NKX_UK_NO_BOOL:
        if (*t == NKX_DT_BOOL) return no_loop(f, *t, e);
        return true;
    case NKX_UK_INT8:
        if (*t == NKX_DT_BOOL) *t = NKX_DT_INT8;
        return true;
    case NKX_UK_FLOAT: *t = float_of_int(*t); return true;
    case NKX_UK_DIVIDE:
        if (!fl) *t = NKX_DT_FP64;
        return true;
    case NKX_UK_FLOAT64: *t = NKX_DT_FP64; return true;
    case NKX_UK_BITS:
        if (fl) return no_loop(f, *t, e);
        return true;
    case NKX_UK_SHIFT:
        if (fl) return no_loop(f, *t, e);
        if (*t == NKX_DT_BOOL) *t = NKX_DT_INT8;
        return true;
    case NKX_UK_INTEGER:
        if (fl || *t == NKX_DT_BOOL) return no_loop(f, *t, e);
        return true;
    case NKX_UK_ARITH:
    case NKX_UK_COMPARE:
    case NKX_UK_LOGIC:
    case NKX_UK_TEST:
    case NKX_UK_ROUND: return true;
    }
    return true;
}

static bool gives_bool(nkx_ufunc f)
{
    nkx_uf_kind k = nkx_uf_rows[f].kind;
    return k == NKX_UK_COMPARE || k == NKX_UK_LOGIC || k == NKX_UK_TEST;
}

bool nkx_uf_types(nkx_ufunc f, const nkx_uf_call *c, nkx_dtype *in, nkx_dtype *out, nkx_nd_error *e)
{
    nkx_dtype t = c->dtype >= 0 ? (nkx_dtype)c->dtype : common_type(f, c);
    if (!rule_type(f, &t, e)) return false;
    for (int k = 0; k < nkx_uf_rows[f].nin; k++) {
        if (!weak_fits(&c->in[k], t) && nkx_uf_rows[f].kind != NKX_UK_LOGIC) {
            return nkx_nd_fail(e, "OverflowError", "Python integer %lld out of bounds for %s",
                               (long long)nkx_nd_elem_i64(NKX_DT_INT64, c->in[k].a->at),
                               nkx_nd_type_name(t));
        }
        if (c->dtype >= 0 && c->in[k].weak < 0 &&
            !nkx_nd_same_kind((nkx_dtype)c->in[k].a->dtype, t)) {
            return nkx_nd_fail(e, "UFuncTypeError",
                               "Cannot cast ufunc '%s' input %d from dtype('%s') to dtype('%s') "
                               "with casting rule 'same_kind'",
                               nkx_uf_rows[f].name, k,
                               nkx_nd_type_name((nkx_dtype)c->in[k].a->dtype), nkx_nd_type_name(t));
        }
    }
    *in = t;
    *out = gives_bool(f) ? NKX_DT_BOOL : t;
    return true;
}

/* ---- the loop ---- */

typedef struct uf_job {
    nkx_uf_row_fn fn;
    nkx_lane lane;
    nkx_dtype type[4]; /* out, a, b, where */
    int nin;
    bool to_bool, masked;
    uint64_t *buf[4]; /* one block each: out, a, b, scratch for masks */
} uf_job;

static bool stored_as_lane(nkx_dtype t, nkx_lane l)
{
    switch (l) {
    case NKX_LANE_F32: return t == NKX_DT_FP32;
    case NKX_LANE_F64: return t == NKX_DT_FP64;
    case NKX_LANE_I64:
    case NKX_LANE_U64: return t == NKX_DT_INT64 || t == NKX_DT_UINT64;
    }
    return false;
}

static bool direct(const uf_job *j, int k, const uint8_t *at, int64_t step)
{
    if (k == 0 && j->to_bool) return j->type[0] == NKX_DT_BOOL && step == 1;
    return stored_as_lane(j->type[k], j->lane) && step == nkx_lane_bytes(j->lane) &&
           (uintptr_t)at % (uintptr_t)nkx_lane_bytes(j->lane) == 0;
}

static void store_out(const uf_job *j, uint8_t *at, int64_t step, const void *src, int64_t n)
{
    if (j->to_bool) {
        nkx_cast_row(j->type[0], at, step, NKX_DT_BOOL, src, 1, n);
    } else {
        nkx_lane_store(j->lane, j->type[0], at, step, src, n);
    }
}

/* Stores only where the mask is true, run by run. */
static void store_masked(const uf_job *j, uint8_t *at, int64_t step, const void *src, int64_t n,
                         const uint8_t *mask, int64_t mstep)
{
    int64_t width = j->to_bool ? 1 : nkx_lane_bytes(j->lane);
    for (int64_t i = 0; i < n;) {
        int64_t k = i;
        while (k < n && mask[k * mstep] != 0) k++;
        if (k > i) store_out(j, at + i * step, step, (const uint8_t *)src + i * width, k - i);
        i = k + 1;
    }
}

static void uf_row(void *user, uint8_t *const *at, const int64_t *step, int64_t n)
{
    uf_job *j = user;
    bool d[3] = {false, false, false};
    bool all = !j->masked;
    for (int k = 0; k <= j->nin; k++) {
        d[k] = direct(j, k, at[k], step[k]);
        all = all && d[k];
    }
    if (all) {
        j->fn(at[0], at[1], j->nin > 1 ? at[2] : NULL, n);
        return;
    }
    for (int64_t i = 0; i < n; i += NKX_LANE_BLOCK) {
        int64_t m = n - i < NKX_LANE_BLOCK ? n - i : NKX_LANE_BLOCK;
        const void *in[3] = {NULL, NULL, NULL};
        for (int k = 1; k <= j->nin; k++) {
            in[k] = d[k] ? (const void *)(at[k] + i * step[k]) : (const void *)j->buf[k];
            if (!d[k] && (i == 0 || step[k] != 0)) {
                nkx_lane_load(j->lane, j->buf[k], j->type[k], at[k] + i * step[k], step[k], m);
            }
        }
        bool straight = d[0] && !j->masked;
        j->fn(straight ? (void *)(at[0] + i * step[0]) : (void *)j->buf[0], in[1], in[2], m);
        if (j->masked) {
            store_masked(j, at[0] + i * step[0], step[0], j->buf[0], m, at[3] + i * step[3],
                         step[3]);
        } else if (!straight) {
            store_out(j, at[0] + i * step[0], step[0], j->buf[0], m);
        }
    }
}

static nkx_uf_row_fn pick(nkx_ufunc f, nkx_lane l)
{
    const nkx_uf_row *r = &nkx_uf_rows[f];
    switch (l) {
    case NKX_LANE_F32: return r->f32;
    case NKX_LANE_F64: return r->f64;
    case NKX_LANE_I64: return r->i64;
    case NKX_LANE_U64: return r->u64 != NULL ? r->u64 : r->i64;
    }
    return NULL;
}

/* Bool has its own sense of a few functions. */
static nkx_ufunc for_bool(nkx_ufunc f)
{
    if (f == NKX_UF_ADD) return NKX_UF_BITWISE_OR;
    if (f == NKX_UF_MULTIPLY) return NKX_UF_BITWISE_AND;
    if (f == NKX_UF_INVERT) return NKX_UF_LOGICAL_NOT;
    return f;
}

static void run(nkx_ufunc f, const nkx_uf_call *c, nkx_ndarray *const *in, nkx_dtype t,
                nkx_ndarray *out)
{
    uint64_t buf[3][NKX_LANE_BLOCK];
    nkx_ufunc g = t == NKX_DT_BOOL ? for_bool(f) : f;
    uf_job j = {.lane = nkx_lane_of(t),
                .nin = nkx_uf_rows[f].nin,
                .to_bool = gives_bool(g),
                .masked = c->where != NULL};
    nkx_walk w = {.n = c->where != NULL ? 4 : 1 + j.nin, .ndim = out->ndim};
    j.fn = pick(g, j.lane);
    NKX_ASSERT(j.fn != NULL);
    nkx_ndarray *all[4] = {out, in[0], j.nin > 1 ? in[1] : in[0], c->where};
    for (int d = 0; d < out->ndim; d++) w.shape[d] = out->shape[d];
    for (int k = 0; k < w.n; k++) {
        w.at[k] = all[k]->at;
        j.type[k] = (nkx_dtype)all[k]->dtype;
        nkx_nd_broadcast_strides(all[k], out->ndim, out->shape, w.stride[k]);
    }
    for (int k = 0; k < 3; k++) j.buf[k] = buf[k];
    nkx_walk_run(&w, uf_row, &j);
}

/* ---- the call ---- */

static bool check_out(nkx_ufunc f, const nkx_uf_call *c, nkx_dtype out_type, int ndim,
                      const int64_t *shape, nkx_nd_error *e)
{
    bool same = c->out->ndim == ndim;
    for (int d = 0; same && d < ndim; d++) same = c->out->shape[d] == shape[d];
    if (c->out->readonly || c->out->scalar)
        return nkx_nd_fail(e, "ValueError", "output array is read-only");
    if (!same) {
        char have[96], want[96];
        return nkx_nd_fail(
            e, "ValueError",
            "non-broadcastable output operand with shape %s doesn't match the broadcast shape %s",
            nkx_nd_shape_str(have, sizeof have, c->out->ndim, c->out->shape),
            nkx_nd_shape_str(want, sizeof want, ndim, shape));
    }
    if (!nkx_nd_same_kind(out_type, (nkx_dtype)c->out->dtype)) {
        return nkx_nd_fail(e, "UFuncTypeError",
                           "Cannot cast ufunc '%s' output from dtype('%s') to dtype('%s') with "
                           "casting rule 'same_kind'",
                           nkx_uf_rows[f].name, nkx_nd_type_name(out_type),
                           nkx_nd_type_name((nkx_dtype)c->out->dtype));
    }
    return true;
}

static bool check_power(nkx_ufunc f, nkx_dtype t, const nkx_ndarray *b, nkx_nd_error *e)
{
    if (f != NKX_UF_POWER || nkx_dtype_is_float(t)) return true;
    int64_t n = nkx_nd_size(b);
    if (nkx_dtypes[b->dtype].cls != NKX_CLASS_INT) return true;
    for (int64_t i = 0; i < n; i++) {
        if (nkx_nd_get_i64(b, i) < 0) {
            return nkx_nd_fail(e, "ValueError",
                               "Integers to negative integer powers are not allowed.");
        }
    }
    return true;
}

/* Operands that must be rounded to the computing type before they meet: small floats. */
static nkx_ndarray *prepare(const nkx_uf_arg *arg, nkx_dtype t)
{
    bool small = nkx_lane_of(t) == NKX_LANE_F32 && t != NKX_DT_FP32;
    if (arg->a->dtype == t) return nkx_nd_ref(arg->a);
    if (small || arg->weak >= 0) return nkx_nd_astype(arg->a, t);
    return nkx_nd_ref(arg->a);
}

static bool clashes(const nkx_ndarray *out, const nkx_ndarray *in)
{
    if (!nkx_nd_overlap(out, in)) return false;
    if (out->at != in->at || !nkx_nd_same_shape(out, in) || out->dtype != in->dtype) return true;
    return memcmp(out->stride, in->stride, sizeof out->stride[0] * out->ndim) != 0;
}

static nkx_ndarray *into_out(nkx_ufunc f, const nkx_uf_call *c, nkx_ndarray *const *in, nkx_dtype t,
                             nkx_dtype out_type, nkx_nd_error *e)
{
    bool clash = false;
    for (int k = 0; k < nkx_uf_rows[f].nin; k++) clash = clash || clashes(c->out, in[k]);
    /* Writing through a narrower type must still round as the result type does. */
    if (!clash && (c->out->dtype == out_type || c->where != NULL)) {
        run(f, c, in, t, c->out);
        return nkx_nd_ref(c->out);
    }
    nkx_ndarray *tmp = nkx_nd_new(out_type, c->out->ndim, c->out->shape, e);
    if (tmp == NULL) return NULL;
    if (c->where != NULL && !nkx_nd_assign(tmp, c->out, e)) {
        nkx_nd_drop(tmp);
        return NULL;
    }
    run(f, c, in, t, tmp);
    bool ok = nkx_nd_assign(c->out, tmp, e);
    nkx_nd_drop(tmp);
    return ok ? nkx_nd_ref(c->out) : NULL;
}

nkx_ndarray *nkx_uf_apply(nkx_ufunc f, const nkx_uf_call *c, nkx_nd_error *e)
{
    nkx_dtype t, out_type;
    int nin = nkx_uf_rows[f].nin, ndim = 0;
    int64_t shape[NKX_ND_MAX];
    nkx_ndarray *in[2] = {NULL, NULL}, *all[3], *result = NULL;
    if (!nkx_uf_types(f, c, &t, &out_type, e)) return NULL;
    for (int k = 0; k < nin; k++) all[k] = c->in[k].a;
    if (c->where != NULL) all[nin] = c->where;
    if (!nkx_nd_broadcast_shape(nin + (c->where != NULL), all, &ndim, shape, e)) return NULL;
    if (c->out != NULL && !check_out(f, c, out_type, ndim, shape, e)) return NULL;
    if (nin > 1 && !check_power(f, t, c->in[1].a, e)) return NULL;
    nkx_lane lane = nkx_lane_of(t);
    for (int k = 0; k < nin; k++) {
        /* LOGIC looks at truth alone and needs no rounding; a lane of floats serves all float
         * types. */
        in[k] = prepare(&c->in[k], t);
    }
    if (pick(t == NKX_DT_BOOL ? for_bool(f) : f, lane) == NULL) {
        no_loop(f, t, e);
    } else if (c->out != NULL) {
        result = into_out(f, c, in, t, out_type, e);
    } else {
        result = ndim == 0 ? nkx_nd_scalar_i64(out_type, 0) : nkx_nd_new(out_type, ndim, shape, e);
        if (result != NULL) run(f, c, in, t, result);
    }
    for (int k = 0; k < nin; k++) nkx_nd_drop(in[k]);
    return result;
}

nkx_ndarray *nkx_uf_unary(nkx_ufunc f, nkx_ndarray *a, nkx_nd_error *e)
{
    return nkx_uf_apply(f, &(nkx_uf_call){.in = {nkx_strong(a)}, .dtype = -1}, e);
}

nkx_ndarray *nkx_uf_binary(nkx_ufunc f, nkx_ndarray *a, nkx_ndarray *b, nkx_nd_error *e)
{
    return nkx_uf_apply(f,
                        &(nkx_uf_call){
                            .in = {nkx_strong(a), nkx_strong(b)},
                              .dtype = -1
    },
                        e);
}

/* ---- where, clip, round ---- */

typedef struct where_job {
    int64_t bytes;
} where_job;

static void where_row(void *user, uint8_t *const *at, const int64_t *step, int64_t n)
{
    size_t bytes = (size_t)((const where_job *)user)->bytes;
    for (int64_t i = 0; i < n; i++) {
        const uint8_t *from = at[1][i * step[1]] != 0 ? at[2] + i * step[2] : at[3] + i * step[3];
        memcpy(at[0] + i * step[0], from, bytes);
    }
}

nkx_ndarray *nkx_nd_where(nkx_ndarray *cond, nkx_uf_arg a, nkx_uf_arg b, nkx_nd_error *e)
{
    nkx_uf_call c = {
        .in = {a, b},
          .dtype = -1
    };
    nkx_dtype t, out_type;
    int ndim;
    int64_t shape[NKX_ND_MAX];
    nkx_ndarray *all[4] = {NULL, cond, a.a, b.a};
    if (!nkx_uf_types(NKX_UF_MAXIMUM, &c, &t, &out_type, e)) return NULL;
    if (!nkx_nd_broadcast_shape(3, all + 1, &ndim, shape, e)) return NULL;
    nkx_ndarray *out = nkx_nd_new(t, ndim, shape, e);
    if (out == NULL) return NULL;
    nkx_ndarray *mask = nkx_nd_as(cond, NKX_DT_BOOL), *x = nkx_nd_as(a.a, t),
                *y = nkx_nd_as(b.a, t);
    nkx_ndarray *op[4] = {out, mask, x, y};
    nkx_walk w = {.n = 4, .ndim = ndim};
    where_job job = {nkx_dtype_bytes(t)};
    for (int d = 0; d < ndim; d++) w.shape[d] = shape[d];
    for (int k = 0; k < 4; k++) {
        w.at[k] = op[k]->at;
        nkx_nd_broadcast_strides(op[k], ndim, shape, w.stride[k]);
    }
    nkx_walk_run(&w, where_row, &job);
    nkx_nd_drop(mask);
    nkx_nd_drop(x);
    nkx_nd_drop(y);
    return out;
}

static bool is_ml_float(nkx_dtype t)
{
    return nkx_dtype_is_float(t) && t != NKX_DT_FP16 && t != NKX_DT_FP32 && t != NKX_DT_FP64;
}

nkx_ndarray *nkx_nd_clip(nkx_uf_arg a, nkx_uf_arg lo, nkx_uf_arg hi, nkx_nd_error *e)
{
    /* NumPy's clip has no loop for the small floats of ml_dtypes: they come out as float32. */
    int as = is_ml_float((nkx_dtype)a.a->dtype) ? NKX_DT_FP32 : -1;
    nkx_uf_call c = {
        .in = {a, lo},
          .dtype = as
    };
    nkx_ndarray *x = lo.a != NULL ? nkx_uf_apply(NKX_UF_MAXIMUM, &c, e) : nkx_nd_ref(a.a);
    if (x == NULL || hi.a == NULL) return x;
    c = (nkx_uf_call){
        .in = {nkx_strong(x), hi},
          .dtype = as
    };
    nkx_ndarray *y = nkx_uf_apply(NKX_UF_MINIMUM, &c, e);
    nkx_nd_drop(x);
    return y;
}

/* NumPy rounds decimals by scaling, rint, and scaling back. */
nkx_ndarray *nkx_nd_round(nkx_ndarray *a, int decimals, nkx_nd_error *e)
{
    if (!nkx_dtype_is_float((nkx_dtype)a->dtype)) {
        if (decimals >= 0)
            return a->dtype == NKX_DT_BOOL ? nkx_nd_astype(a, NKX_DT_FP16) : nkx_nd_copy(a);
    }
    if (decimals == 0) return nkx_uf_unary(NKX_UF_RINT, a, e);
    double p = pow(10.0, decimals < 0 ? -decimals : decimals);
    bool whole = !nkx_dtype_is_float((nkx_dtype)a->dtype);
    nkx_ndarray *f = nkx_nd_scalar_f64(NKX_DT_FP64, p);
    nkx_uf_arg scale = {f, 2};
    nkx_uf_call c = {
        .in = {nkx_strong(a), scale},
          .dtype = whole ? NKX_DT_FP64 : -1
    };
    nkx_ndarray *x = nkx_uf_apply(decimals < 0 ? NKX_UF_DIVIDE : NKX_UF_MULTIPLY, &c, e);
    nkx_ndarray *y = x != NULL ? nkx_uf_unary(NKX_UF_RINT, x, e) : NULL;
    nkx_ndarray *z = NULL;
    if (y != NULL) {
        c = (nkx_uf_call){
            .in = {nkx_strong(y), scale},
              .dtype = -1
        };
        z = nkx_uf_apply(decimals < 0 ? NKX_UF_MULTIPLY : NKX_UF_DIVIDE, &c, e);
    }
    if (z != NULL && whole) {
        nkx_ndarray *i = nkx_nd_astype(z, (nkx_dtype)a->dtype);
        nkx_nd_drop(z);
        z = i;
    }
    nkx_nd_drop(x);
    nkx_nd_drop(y);
    nkx_nd_drop(f);
    return z;
}
