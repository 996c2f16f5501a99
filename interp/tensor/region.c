/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes a view touches, for hazards and written state (machine/track.h). Layer tensor. The
 * usual view is a rectangle: a partition range times one run of bytes; anything else keeps its
 * pattern.
 */
#include "interp/tensor/view.h"

#include <string.h>

void nkx_view_reach(const nkx_view *v, int from_dim, int64_t *lo, int64_t *hi)
{
    int64_t a = 0, b = 0;
    for (int d = from_dim; d < v->ndim; d++) {
        int64_t span = v->stride[d] * (v->shape[d] - 1);
        if (span < 0) {
            a += span;
        } else {
            b += span;
        }
    }
    *lo = a;
    *hi = b;
}

/* Dims that matter for what is touched: more than one element, not broadcast. */
typedef struct dims {
    int n;
    int64_t count[NKX_MAX_RANK + 1], step[NKX_MAX_RANK + 1];
} dims;

static void dims_add(dims *d, int64_t count, int64_t step)
{
    if (count == 1 || step == 0) return;
    if (d->n > 0 && d->step[d->n - 1] == step * count) {
        d->count[d->n - 1] *= count;
        d->step[d->n - 1] = step;
        return;
    }
    d->count[d->n] = count;
    d->step[d->n] = step;
    d->n++;
}

/* True when the dims, in any order, cover every multiple of `unit` from 0 up without a hole. */
static bool dims_dense(const dims *d, int64_t unit)
{
    if (d->n == 0) return true;
    if (d->n == 1) return d->step[0] == unit;
    unsigned used = 0;
    for (int k = 0; k < d->n; k++) {
        int next = -1;
        for (int i = 0; i < d->n; i++) {
            if (!(used >> i & 1u) && d->step[i] == unit) next = i;
        }
        if (next < 0) return false;
        used |= 1u << next;
        unit *= d->count[next];
    }
    return true;
}

static int64_t dims_reach(const dims *d)
{
    int64_t hi = 0;
    for (int i = 0; i < d->n; i++) hi += d->step[i] * (d->count[i] - 1);
    return hi;
}

/* The pattern in virtual linear bytes: outermost first, merged. */
static void put_pattern(const nkx_view *v, int64_t eb, nkx_region *r)
{
    dims all = {0};
    for (int d = 0; d < v->ndim; d++) dims_add(&all, v->shape[d], v->stride[d]);
    r->elem_bytes = (int32_t)eb;
    r->first = v->offset * eb;
    if (NKX_UNLIKELY(all.n > NKX_REGION_DIMS)) {
        all.n = 0; /* cannot happen with NKX_MAX_RANK dims; keeps the arrays safe */
    }
    r->ndim = (uint8_t)all.n;
    for (int i = 0; i < all.n; i++) {
        r->count[i] = all.count[i];
        r->step[i] = all.step[i] * eb;
    }
}

/* Free dims in order that make one run: their elements; 0 otherwise. */
static int64_t one_run(const nkx_view *v, int from)
{
    int64_t run = 1;
    for (int d = v->ndim - 1; d >= from; d--) {
        if (v->shape[d] == 1) continue;
        if (v->stride[d] != run) return 0;
        run *= v->shape[d];
    }
    return run;
}

static void put_rows(nkx_region *r, int64_t row, int64_t rows, int64_t b0, int64_t b1, bool exact)
{
    r->r0 = (uint32_t)row;
    r->r1 = (uint32_t)(row + rows);
    r->b0 = b0;
    r->b1 = b1;
    r->exact = exact;
}

static void chip_region(const nkx_view *v, int64_t eb, nkx_region *r)
{
    int64_t f = nkx_view_row_elems(v), col, part = nkx_div_rest(v->offset, f, &col);
    int64_t pk = v->stride[0] == f ? 1 : v->stride[0] / f, run = one_run(v, 1);
    if (NKX_LIKELY(run > 0)) {
        put_rows(r, part, pk * (v->shape[0] - 1) + 1, col * eb, (col + run) * eb,
                 pk == 1 || v->shape[0] == 1);
        return;
    }
    dims free = {0};
    int64_t lo = 0, hi = 0;
    for (int d = 1; d < v->ndim; d++) dims_add(&free, v->shape[d], v->stride[d]);
    nkx_view_reach(v, 1, &lo, &hi);
    put_rows(r, part, pk * (v->shape[0] - 1) + 1, (col + lo) * eb, (col + hi + 1) * eb,
             (pk == 1 || v->shape[0] == 1) && lo == 0 && dims_dense(&free, 1));
}

/* Any layout: whole rows from the first to the last element. */
static void hbm_linear(const nkx_view *v, int64_t eb, nkx_region *r)
{
    int64_t rb = v->st->row_bytes, lo, hi;
    dims all = {0};
    nkx_view_reach(v, 0, &lo, &hi);
    for (int d = 0; d < v->ndim; d++) dims_add(&all, v->shape[d], v->stride[d]);
    lo = (v->offset + lo) * eb;
    hi = (v->offset + hi + 1) * eb;
    r->r0 = (uint32_t)(lo / rb);
    r->r1 = (uint32_t)((hi + rb - 1) / rb);
    r->b0 = 0;
    r->b1 = rb;
    r->exact = lo % rb == 0 && hi % rb == 0 && dims_dense(&all, 1);
}

/* Rows times a column range when every dim moves by whole rows or stays inside one. */
static void hbm_rows(const nkx_view *v, int64_t eb, int64_t row, int64_t col, nkx_region *r)
{
    int64_t w = nkx_view_row_elems(v);
    dims rows = {0}, cols = {0};
    bool forward = true;
    for (int d = 0; d < v->ndim; d++) {
        int64_t rest, k = v->stride[d] >= 0 ? nkx_div_rest(v->stride[d], w, &rest) : 0;
        forward = forward && v->stride[d] >= 0;
        if (forward && rest == 0) {
            dims_add(&rows, v->shape[d], k);
        } else {
            dims_add(&cols, v->shape[d], v->stride[d]);
        }
    }
    int64_t reach = forward ? dims_reach(&cols) : w;
    if (v->st->row_bytes % eb != 0 || col + reach >= w) {
        hbm_linear(v, eb, r);
        return;
    }
    put_rows(r, row, dims_reach(&rows) + 1, col * eb, (col + reach + 1) * eb,
             dims_dense(&rows, 1) && dims_dense(&cols, 1));
}

static void hbm_region(const nkx_view *v, int64_t eb, nkx_region *r)
{
    int64_t w = nkx_view_row_elems(v), col, row = nkx_div_rest(v->offset, w, &col);
    bool block = v->ndim == 2 && v->stride[0] == w && (v->stride[1] == 1 || v->shape[1] == 1);
    if (NKX_LIKELY(block && col + v->shape[1] <= w)) {
        put_rows(r, row, v->shape[0], col * eb, (col + v->shape[1]) * eb, true);
    } else {
        hbm_rows(v, eb, row, col, r);
    }
}

/* Where an index not yet read may lead: a view over all places it can name. */
static void widen(const nkx_view *v, nkx_view *w)
{
    *w = *v;
    if (v->indirect == NKX_IND_VECTOR) {
        w->shape[0] = v->ind_extent;
        w->stride[0] = v->ind_stride;
    } else if (v->indirect == NKX_IND_TILE) {
        w->shape[1] = v->ind_extent;
    } else if (w->ndim < NKX_MAX_RANK) {
        w->shape[w->ndim] = v->ind_extent;
        w->stride[w->ndim] = v->ind_stride;
        w->ndim++;
    }
}

void nkx_view_region(const nkx_view *v, bool write, const char *param, nkx_region *out)
{
    nkx_view wide;
    int64_t eb = nkx_dtype_bytes((nkx_dtype)v->dtype);
    bool chip = nkx_view_on_chip(v), indirect = v->indirect != NKX_IND_NONE;
    out->st = v->st;
    out->write = write;
    out->by_pe = false;
    out->partial_ok = indirect && !write;
    out->param = param;
    if (NKX_UNLIKELY(indirect)) {
        widen(v, &wide);
        v = &wide;
    }
    if (chip && !(indirect && v->ind_stride % (v->st->row_bytes / eb) == 0 && v->ind_stride != 0)) {
        chip_region(v, eb, out);
    } else if (chip) { /* partition chosen at run time */
        hbm_linear(v, eb, out);
    } else {
        hbm_region(v, eb, out);
    }
    /* A rectangle says it all, but for PSUM, whose states are asked for element by element. */
    if (out->exact && v->st->space != NKX_SPACE_PSUM) {
        out->ndim = 0;
        out->elem_bytes = (int32_t)eb;
        out->first = v->offset * eb;
    } else {
        put_pattern(v, eb, out);
    }
}
