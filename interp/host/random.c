/* SPDX-License-Identifier: Apache-2.0 */
/* Random host arrays from either generator; how integers are drawn follows NumPy's per type. Layer
 * host. */
#include "interp/host/random.h"

#include "interp/host/cast.h"
#include "interp/host/shape.h"

#include <math.h>
#include <string.h>

void nkx_random_seed(nkx_random *r, bool modern, uint64_t seed)
{
    memset(r, 0, sizeof *r);
    r->modern = modern;
    if (modern) {
        nkx_pcg64_seed(&r->pcg, seed);
    } else {
        nkx_mt_seed(&r->mt, (uint32_t)seed);
    }
}

uint32_t nkx_random_u32(nkx_random *r)
{
    return r->modern ? nkx_pcg64_next32(&r->pcg) : nkx_mt_next(&r->mt);
}

uint64_t nkx_random_u64(nkx_random *r)
{
    if (r->modern) return nkx_pcg64_next(&r->pcg);
    uint64_t hi = nkx_mt_next(&r->mt);
    return hi << 32 | nkx_mt_next(&r->mt);
}

double nkx_random_double(nkx_random *r)
{
    return r->modern ? (double)(nkx_pcg64_next(&r->pcg) >> 11) * (1.0 / 9007199254740992.0)
                     : nkx_mt_double(&r->mt);
}

double nkx_random_normal(nkx_random *r)
{
    return r->modern ? nkx_pcg64_normal(&r->pcg) : nkx_mt_gauss(&r->mt);
}

double nkx_random_exponential(nkx_random *r)
{
    return -log1p(-nkx_random_double(r));
}

/* ---- bounded integers ---- */

static uint64_t mask_of(uint64_t span)
{
    uint64_t m = span;
    for (unsigned s = 1; s < 64; s *= 2) m |= m >> s;
    return m;
}

static uint32_t lemire32(nkx_random *r, uint32_t span)
{
    uint32_t n = span + 1, left;
    uint64_t m = (uint64_t)nkx_random_u32(r) * n;
    left = (uint32_t)m;
    if (left < n) {
        uint32_t limit = (UINT32_MAX - span) % n;
        while (left < limit) {
            m = (uint64_t)nkx_random_u32(r) * n;
            left = (uint32_t)m;
        }
    }
    return (uint32_t)(m >> 32);
}

__extension__ typedef unsigned __int128 u128;

static uint64_t lemire64(nkx_random *r, uint64_t span)
{
    uint64_t n = span + 1;
    u128 m = (u128)nkx_random_u64(r) * n;
    if ((uint64_t)m < n) {
        uint64_t limit = (UINT64_MAX - span) % n;
        while ((uint64_t)m < limit) m = (u128)nkx_random_u64(r) * n;
    }
    return (uint64_t)(m >> 64);
}

uint64_t nkx_random_interval(nkx_random *r, uint64_t span)
{
    uint64_t v, m = mask_of(span);
    if (span == 0) return 0;
    do {
        v = (span <= UINT32_MAX ? nkx_random_u32(r) : nkx_random_u64(r)) & m;
    } while (v > span);
    return v;
}

uint64_t nkx_random_bounded(nkx_random *r, uint64_t span)
{
    if (span == 0) return 0;
    if (span == UINT32_MAX) return nkx_random_u32(r);
    if (span == UINT64_MAX) return nkx_random_u64(r);
    if (r->modern) return span < UINT32_MAX ? lemire32(r, (uint32_t)span) : lemire64(r, span);
    return nkx_random_interval(r, span);
}

/* Small types share the bits of one 32-bit draw. */
typedef struct pieces {
    uint32_t bits;
    int left, width;
} pieces;

static uint32_t piece(nkx_random *r, pieces *p)
{
    if (p->left == 0) {
        p->bits = nkx_random_u32(r);
        p->left = 32 / p->width - 1;
    } else {
        p->bits >>= p->width;
        p->left--;
    }
    return p->bits & (p->width == 1 ? 1u : p->width == 8 ? 0xffu : 0xffffu);
}

static uint32_t bounded_piece(nkx_random *r, pieces *p, uint32_t span)
{
    uint32_t full = p->width == 1 ? 1u : p->width == 8 ? 0xffu : 0xffffu, v;
    if (span == 0) return 0;
    if (span == full) return piece(r, p);
    if (!r->modern) {
        uint32_t m = (uint32_t)mask_of(span);
        do {
            v = piece(r, p) & m;
        } while (v > span);
        return v;
    }
    uint32_t n = span + 1, m = piece(r, p) * n;
    if ((m & full) < n) {
        uint32_t limit = (full - span) % n;
        while ((m & full) < limit) m = piece(r, p) * n;
    }
    return m >> p->width;
}

static bool range_fits(nkx_dtype t, int64_t lo, int64_t hi, nkx_nd_error *e)
{
    const nkx_dtype_row *row = &nkx_dtypes[t];
    if (!nkx_dtype_is_int(t))
        return nkx_nd_fail(e, "TypeError", "Unsupported dtype dtype('%s') for randint",
                           nkx_nd_type_name(t));
    if (t == NKX_DT_INT64) return true;
    double low = t == NKX_DT_BOOL || row->cls == NKX_CLASS_UINT ? 0 : row->lowest,
           high = t == NKX_DT_BOOL ? 1 : row->max;
    if ((double)lo < low)
        return nkx_nd_fail(e, "ValueError", "low is out of bounds for %s", nkx_nd_type_name(t));
    if ((double)hi > high)
        return nkx_nd_fail(e, "ValueError", "high is out of bounds for %s", nkx_nd_type_name(t));
    return true;
}

nkx_ndarray *nkx_random_integers(nkx_random *r, nkx_dtype t, int64_t lo, int64_t hi, int ndim,
                                 const int64_t *shape, nkx_nd_error *e)
{
    if (lo > hi) return nkx_nd_null(e, "ValueError", "low >= high");
    if (!range_fits(t, lo, hi, e)) return NULL;
    nkx_ndarray *a = nkx_nd_new(t, ndim, shape, e);
    if (a == NULL) return NULL;
    uint64_t span = (uint64_t)hi - (uint64_t)lo;
    int64_t n = nkx_nd_size(a), bytes = nkx_dtype_bytes(t);
    pieces p = {.width = t == NKX_DT_BOOL ? 1 : 8 * (int)bytes};
    for (int64_t i = 0; i < n; i++) {
        uint64_t v =
            p.width < 32 ? bounded_piece(r, &p, (uint32_t)span) : nkx_random_bounded(r, span);
        nkx_nd_put_i64(t, a->at + i * bytes, (int64_t)((uint64_t)lo + v));
    }
    return a;
}

/* ---- floats ---- */

static void fill_f32(nkx_random *r, nkx_distribution d, float *at, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        switch (d) {
        case NKX_RAND_UNIFORM:
            at[i] = (float)(nkx_random_u32(r) >> 8) * (1.0f / 16777216.0f);
            break;
        case NKX_RAND_NORMAL:
            at[i] = r->modern ? nkx_pcg64_normal_f32(&r->pcg) : (float)nkx_mt_gauss(&r->mt);
            break;
        case NKX_RAND_EXPONENTIAL: at[i] = (float)nkx_random_exponential(r); break;
        }
    }
}

nkx_ndarray *nkx_random_fill(nkx_random *r, nkx_distribution d, nkx_dtype t, double a, double b,
                             int ndim, const int64_t *shape, nkx_nd_error *e)
{
    if (t != NKX_DT_FP32 && t != NKX_DT_FP64)
        return nkx_nd_null(e, "TypeError", "Unsupported dtype dtype('%s') for random",
                           nkx_nd_type_name(t));
    nkx_ndarray *out = nkx_nd_new(t, ndim, shape, e);
    if (out == NULL) return NULL;
    int64_t n = nkx_nd_size(out);
    double *at = (double *)(void *)out->at;
    if (t == NKX_DT_FP32) {
        fill_f32(r, d, (float *)(void *)out->at, n);
        return out;
    }
    for (int64_t i = 0; i < n; i++) {
        switch (d) {
        case NKX_RAND_UNIFORM: at[i] = a + (b - a) * nkx_random_double(r); break;
        case NKX_RAND_NORMAL: at[i] = a + b * nkx_random_normal(r); break;
        case NKX_RAND_EXPONENTIAL: at[i] = b * nkx_random_exponential(r); break;
        }
    }
    return out;
}

bool nkx_random_shuffle(nkx_random *r, nkx_ndarray *a, nkx_nd_error *e)
{
    if (a->ndim == 0)
        return nkx_nd_fail(e, "TypeError",
                           "'numpy.ndarray' object does not support a shuffle of no dimensions");
    for (int64_t i = a->shape[0] - 1; i > 0; i--) {
        int64_t j = (int64_t)nkx_random_interval(r, (uint64_t)i);
        if (i == j) continue;
        nkx_ndarray *x = nkx_nd_part(a, 0, i, i + 1), *y = nkx_nd_part(a, 0, j, j + 1),
                    *t = nkx_nd_copy(x);
        bool ok = nkx_nd_assign(x, y, e) && nkx_nd_assign(y, t, e);
        nkx_nd_drop(x);
        nkx_nd_drop(y);
        nkx_nd_drop(t);
        if (!ok) return false;
    }
    return true;
}
