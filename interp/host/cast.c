/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversions of host arrays, block by block through lanes, and the row walker that every
 * element-wise operation shares. The 32-bit-and-below types come from num's table; float64 and the
 * 64-bit integers, and NumPy's truncating float-to-integer cast, are added here.
 */
#include "interp/host/cast.h"

#include <math.h>
#include <string.h>

nkx_lane nkx_lane_of(nkx_dtype t)
{
    if (t == NKX_DT_FP64) return NKX_LANE_F64;
    if (t == NKX_DT_UINT64) return NKX_LANE_U64;
    return nkx_dtype_is_int(t) ? NKX_LANE_I64 : NKX_LANE_F32;
}

/* ---- gather and scatter: strided elements to dense bytes ---- */

#define GATHER(name, T)                                                                            \
    static void name(void *dst, int64_t ds, const void *src, int64_t ss, int64_t n)                \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            memcpy((uint8_t *)dst + i * ds, (const uint8_t *)src + i * ss, sizeof(T));             \
        }                                                                                          \
    }
GATHER(copy1, uint8_t)
GATHER(copy2, uint16_t)
GATHER(copy4, uint32_t)
GATHER(copy8, uint64_t)
#undef GATHER

static void copy_strided(void *dst, int64_t ds, const void *src, int64_t ss, int64_t n,
                         int64_t bytes)
{
    if (ds == bytes && ss == bytes) {
        memmove(dst, src, (size_t)(n * bytes));
        return;
    }
    switch (bytes) {
    case 1: copy1(dst, ds, src, ss, n); return;
    case 2: copy2(dst, ds, src, ss, n); return;
    case 4: copy4(dst, ds, src, ss, n); return;
    default: copy8(dst, ds, src, ss, n); return;
    }
}

/* ---- lanes to lanes ---- */

/* As x86 converts: what does not fit gives the most negative value. */
static inline int64_t f64_to_i64(double v)
{
    return v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? (int64_t)v : INT64_MIN;
}

static inline uint64_t f64_to_u64(double v)
{
    if (v >= 9223372036854775808.0 && v < 18446744073709551616.0) return (uint64_t)v;
    return (uint64_t)f64_to_i64(v);
}

#define LANE_LOOP(D, S, expr)                                                                      \
    do {                                                                                           \
        D *d_ = dst;                                                                               \
        const S *s_ = src;                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                          \
            S v = s_[i];                                                                           \
            d_[i] = (expr);                                                                        \
        }                                                                                          \
    } while (0)

static void lane_from_f32(nkx_lane to, void *dst, const void *src, int64_t n)
{
    switch (to) {
    case NKX_LANE_F32: memmove(dst, src, (size_t)n * 4); return;
    case NKX_LANE_F64: LANE_LOOP(double, float, (double)v); return;
    case NKX_LANE_I64: LANE_LOOP(int64_t, float, f64_to_i64((double)v)); return;
    case NKX_LANE_U64: LANE_LOOP(uint64_t, float, f64_to_u64((double)v)); return;
    }
}

static void lane_from_f64(nkx_lane to, void *dst, const void *src, int64_t n)
{
    switch (to) {
    case NKX_LANE_F32: LANE_LOOP(float, double, (float)v); return;
    case NKX_LANE_F64: memmove(dst, src, (size_t)n * 8); return;
    case NKX_LANE_I64: LANE_LOOP(int64_t, double, f64_to_i64(v)); return;
    case NKX_LANE_U64: LANE_LOOP(uint64_t, double, f64_to_u64(v)); return;
    }
}

static void lane_from_i64(nkx_lane to, void *dst, const void *src, int64_t n)
{
    switch (to) {
    case NKX_LANE_F32: LANE_LOOP(float, int64_t, (float)v); return;
    case NKX_LANE_F64: LANE_LOOP(double, int64_t, (double)v); return;
    case NKX_LANE_I64:
    case NKX_LANE_U64: memmove(dst, src, (size_t)n * 8); return;
    }
}

static void lane_from_u64(nkx_lane to, void *dst, const void *src, int64_t n)
{
    switch (to) {
    case NKX_LANE_F32: LANE_LOOP(float, uint64_t, (float)v); return;
    case NKX_LANE_F64: LANE_LOOP(double, uint64_t, (double)v); return;
    case NKX_LANE_I64:
    case NKX_LANE_U64: memmove(dst, src, (size_t)n * 8); return;
    }
}

static void lane_convert(nkx_lane to, void *dst, nkx_lane from, const void *src, int64_t n)
{
    switch (from) {
    case NKX_LANE_F32: lane_from_f32(to, dst, src, n); return;
    case NKX_LANE_F64: lane_from_f64(to, dst, src, n); return;
    case NKX_LANE_I64: lane_from_i64(to, dst, src, n); return;
    case NKX_LANE_U64: lane_from_u64(to, dst, src, n); return;
    }
}

/* ---- integers ---- */

static void load_small_ints(int64_t *dst, nkx_dtype t, const void *src, int64_t step, int64_t n)
{
    int32_t lane[NKX_LANE_BLOCK];
    nkx_dtypes[t].load_i32(lane, src, n, step);
    if (t == NKX_DT_UINT32) {
        for (int64_t i = 0; i < n; i++) dst[i] = (int64_t)(uint32_t)lane[i];
    } else {
        for (int64_t i = 0; i < n; i++) dst[i] = lane[i];
    }
}

static void store_ints(nkx_dtype t, void *dst, int64_t step, const int64_t *src, int64_t n)
{
    int32_t lane[NKX_LANE_BLOCK];
    if (t == NKX_DT_INT64 || t == NKX_DT_UINT64) {
        copy_strided(dst, step, src, 8, n, 8);
        return;
    }
    if (t == NKX_DT_BOOL) {
        for (int64_t i = 0; i < n; i++) lane[i] = src[i] != 0;
    } else {
        for (int64_t i = 0; i < n; i++) lane[i] = (int32_t)(uint32_t)(uint64_t)src[i];
    }
    nkx_dtypes[t].store_i32(dst, step, lane, n);
}

/* Float lanes to an integer type: truncation; what does not fit 32 bits gives the lowest value, as
 * on x86. */
static void store_float_as_int(nkx_dtype t, void *dst, int64_t step, nkx_lane l, const void *src,
                               int64_t n)
{
    int64_t lane[NKX_LANE_BLOCK];
    if (t == NKX_DT_BOOL) {
        for (int64_t i = 0; i < n; i++) {
            lane[i] =
                l == NKX_LANE_F32 ? ((const float *)src)[i] != 0 : ((const double *)src)[i] != 0;
        }
    } else {
        lane_convert(t == NKX_DT_UINT64 ? NKX_LANE_U64 : NKX_LANE_I64, lane, l, src, n);
    }
    if (t == NKX_DT_INT32 || t == NKX_DT_INT16 || t == NKX_DT_INT8 || t == NKX_DT_UINT8 ||
        t == NKX_DT_UINT16) {
        for (int64_t i = 0; i < n; i++) {
            if (lane[i] < INT32_MIN || lane[i] > INT32_MAX) lane[i] = INT32_MIN;
        }
    }
    store_ints(t, dst, step, lane, n);
}

/* ---- float64 to the small floats ---- */

/*
 * To a narrower float in one rounding: round to float32 with the last bit odd when inexact, then to
 * nearest. float32 has more than two bits beyond each small type, so the result is that of rounding
 * once.
 */
static float f64_to_odd_f32(double v)
{
    float f = (float)v;
    uint32_t bits;
    if (isnan(v) || (double)f == v || isinf(v)) return f;
    if (isinf(f)) return f;
    if (fabs((double)f) > fabs(v)) f = nextafterf(f, 0.0f);
    memcpy(&bits, &f, sizeof bits);
    bits |= 1u;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void store_f64_as_small(nkx_dtype t, void *dst, int64_t step, const double *src, int64_t n)
{
    float lane[NKX_LANE_BLOCK];
    if (t == NKX_DT_FP32 ||
        t == NKX_DT_BF16) { /* ml_dtypes narrows float64 to bfloat16 by way of float32 */
        for (int64_t i = 0; i < n; i++) lane[i] = (float)src[i];
    } else {
        for (int64_t i = 0; i < n; i++) lane[i] = f64_to_odd_f32(src[i]);
    }
    nkx_dtypes[t].store_f32(dst, step, lane, n);
}

/* ---- load and store ---- */

static void load_own(void *dst, nkx_dtype t, const void *src, int64_t step, int64_t n)
{
    switch (nkx_lane_of(t)) {
    case NKX_LANE_F32: nkx_dtypes[t].load_f32(dst, src, n, step); return;
    case NKX_LANE_I64:
        if (t != NKX_DT_INT64) {
            load_small_ints(dst, t, src, step, n);
            return;
        }
        copy_strided(dst, 8, src, step, n, 8);
        return;
    case NKX_LANE_F64:
    case NKX_LANE_U64: copy_strided(dst, 8, src, step, n, 8); return;
    }
}

void nkx_lane_load(nkx_lane l, void *dst, nkx_dtype t, const void *src, int64_t step, int64_t n)
{
    uint64_t own[NKX_LANE_BLOCK];
    nkx_lane from = nkx_lane_of(t);
    NKX_ASSERT(n <= NKX_LANE_BLOCK);
    if (from == l) {
        load_own(dst, t, src, step, n);
        return;
    }
    load_own(own, t, src, step, n);
    lane_convert(l, dst, from, own, n);
}

void nkx_lane_store(nkx_lane l, nkx_dtype t, void *dst, int64_t step, const void *src, int64_t n)
{
    NKX_ASSERT(n <= NKX_LANE_BLOCK);
    nkx_lane to = nkx_lane_of(t);
    if (nkx_dtype_is_int(t)) {
        if (l == NKX_LANE_F32 || l == NKX_LANE_F64) {
            store_float_as_int(t, dst, step, l, src, n);
        } else {
            store_ints(t, dst, step, src, n);
        }
        return;
    }
    if (to == NKX_LANE_F32 && l == NKX_LANE_F32) {
        nkx_dtypes[t].store_f32(dst, step, src, n);
        return;
    }
    if (to == NKX_LANE_F32 && l == NKX_LANE_F64) {
        store_f64_as_small(t, dst, step, src, n);
        return;
    }
    uint64_t own[NKX_LANE_BLOCK];
    lane_convert(to, own, l, src, n);
    if (to == NKX_LANE_F32) {
        nkx_dtypes[t].store_f32(dst, step, (const float *)(const void *)own, n);
    } else {
        copy_strided(dst, step, own, 8, n, 8);
    }
}

void nkx_cast_row(nkx_dtype dt, void *dst, int64_t ds, nkx_dtype st, const void *src, int64_t ss,
                  int64_t n)
{
    uint64_t lane[NKX_LANE_BLOCK];
    if (dt == st) {
        copy_strided(dst, ds, src, ss, n, nkx_dtype_bytes(dt));
        return;
    }
    nkx_lane l = nkx_lane_of(st);
    for (int64_t i = 0; i < n; i += NKX_LANE_BLOCK) {
        int64_t k = n - i < NKX_LANE_BLOCK ? n - i : NKX_LANE_BLOCK;
        load_own(lane, st, (const uint8_t *)src + i * ss, ss, k);
        nkx_lane_store(l, dt, (uint8_t *)dst + i * ds, ds, lane, k);
    }
}

typedef struct cast_job {
    nkx_dtype dt, st;
} cast_job;

static void cast_walk_row(void *user, uint8_t *const *at, const int64_t *step, int64_t n)
{
    const cast_job *j = user;
    nkx_cast_row(j->dt, at[0], step[0], j->st, at[1], step[1], n);
}

void nkx_cast_nd(nkx_dtype dt, uint8_t *dst, const int64_t *ds, nkx_dtype st, const uint8_t *src,
                 const int64_t *ss, int ndim, const int64_t *shape)
{
    cast_job job = {dt, st};
    nkx_walk w = {
        .n = 2, .ndim = ndim, .at = {dst, (uint8_t *)(uintptr_t)src}
    };
    for (int d = 0; d < ndim; d++) {
        w.shape[d] = shape[d];
        w.stride[0][d] = ds[d];
        w.stride[1][d] = ss[d];
    }
    nkx_walk_run(&w, cast_walk_row, &job);
}

/* ---- the walker ---- */

static bool can_join(const nkx_walk *w, int outer, int inner)
{
    for (int k = 0; k < w->n; k++) {
        if (w->stride[k][outer] != w->stride[k][inner] * w->shape[inner]) return false;
    }
    return true;
}

/* Drops dimensions of one element and joins neighbours that are one run in all operands. */
static bool coalesce(nkx_walk *w)
{
    int out = 0;
    for (int d = 0; d < w->ndim; d++) {
        if (w->shape[d] == 0) return false;
        if (w->shape[d] == 1) continue;
        w->shape[out] = w->shape[d];
        for (int k = 0; k < w->n; k++) w->stride[k][out] = w->stride[k][d];
        if (out > 0 && can_join(w, out - 1, out)) {
            w->shape[out - 1] *= w->shape[out];
            for (int k = 0; k < w->n; k++) w->stride[k][out - 1] = w->stride[k][out];
        } else {
            out++;
        }
    }
    w->ndim = out;
    return true;
}

void nkx_walk_run(nkx_walk *w, nkx_walk_row row, void *user)
{
    int64_t index[NKX_ND_MAX] = {0}, step[NKX_WALK_MAX] = {0};
    if (!coalesce(w)) return;
    int last = w->ndim - 1;
    int64_t n = last >= 0 ? w->shape[last] : 1;
    for (int k = 0; k < w->n; k++) step[k] = last >= 0 ? w->stride[k][last] : 0;
    for (;;) {
        row(user, w->at, step, n);
        int d = last - 1;
        for (; d >= 0; d--) {
            bool more = ++index[d] < w->shape[d];
            for (int k = 0; k < w->n; k++) {
                w->at[k] += more ? w->stride[k][d] : -w->stride[k][d] * (w->shape[d] - 1);
            }
            if (more) break;
            index[d] = 0;
        }
        if (d < 0) return;
    }
}

/* ---- result types ---- */

static bool is_small_float(nkx_dtype t)
{
    return nkx_dtype_is_float(t) && t != NKX_DT_FP32 && t != NKX_DT_FP64 && t != NKX_DT_TF32 &&
           t != NKX_DT_FP16;
}

/* Narrowest float of float f that also holds integer type i. */
static nkx_dtype promote_float_int(nkx_dtype f, nkx_dtype i)
{
    int bytes = nkx_dtypes[i].bytes;
    if (bytes == 1 || f == NKX_DT_FP64) return f;
    if (bytes == 2) return f == NKX_DT_FP32 || f == NKX_DT_TF32 ? f : NKX_DT_FP32;
    return NKX_DT_FP64;
}

static nkx_dtype promote_floats(nkx_dtype a, nkx_dtype b)
{
    if (a == NKX_DT_FP64 || b == NKX_DT_FP64) return NKX_DT_FP64;
    if (a == NKX_DT_FP4_E2M1FN && is_small_float(b)) return b;
    if (b == NKX_DT_FP4_E2M1FN && is_small_float(a)) return a;
    if (a == NKX_DT_BF16 && is_small_float(b)) return a;
    if (b == NKX_DT_BF16 && is_small_float(a)) return b;
    return NKX_DT_FP32;
}

static nkx_dtype promote_ints(nkx_dtype a, nkx_dtype b)
{
    static const nkx_dtype of_signed[4] = {NKX_DT_INT8, NKX_DT_INT16, NKX_DT_INT32, NKX_DT_INT64};
    bool ua = nkx_dtypes[a].cls == NKX_CLASS_UINT || a == NKX_DT_BOOL;
    bool ub = nkx_dtypes[b].cls == NKX_CLASS_UINT || b == NKX_DT_BOOL;
    int wa = nkx_dtypes[a].bytes, wb = nkx_dtypes[b].bytes;
    if (a == NKX_DT_BOOL) return b;
    if (b == NKX_DT_BOOL) return a;
    if (ua == ub) return wa >= wb ? a : b;
    int wu = ua ? wa : wb;
    int ws = ua ? wb : wa;
    if (wu == 8) return NKX_DT_FP64;
    int want = ws > wu ? ws : wu * 2;
    return of_signed[want == 1 ? 0 : want == 2 ? 1 : want == 4 ? 2 : 3];
}

nkx_dtype nkx_promote(nkx_dtype a, nkx_dtype b)
{
    if (a == b) return a;
    bool fa = nkx_dtype_is_float(a), fb = nkx_dtype_is_float(b);
    if (fa && fb) return promote_floats(a, b);
    if (fa) return promote_float_int(a, b);
    if (fb) return promote_float_int(b, a);
    return promote_ints(a, b);
}

nkx_dtype nkx_promote_weak(nkx_dtype t, int scalar_kind)
{
    if (nkx_dtype_is_float(t) || scalar_kind == 0) return t;
    if (scalar_kind == 2) return NKX_DT_FP64;
    return t == NKX_DT_BOOL ? NKX_DT_INT64 : t;
}
