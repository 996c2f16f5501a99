/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From views to host addresses, and moving elements along them. Layer tensor; needs data. Rows are
 * walked run by run: the innermost merged dim goes to the row kernels of num in one call.
 */
#include "interp/tensor/view.h"

#include <string.h>

/* ---- lowering ---- */

static void add_dim(nkx_access *a, int64_t count, int64_t step)
{
    if (count == 1) return;
    if (a->ndim > 0 && a->step[a->ndim - 1] == step * count) {
        a->count[a->ndim - 1] *= count;
        a->step[a->ndim - 1] = step;
        return;
    }
    a->count[a->ndim] = count;
    a->step[a->ndim] = step;
    a->ndim++;
}

static void lower_free(const nkx_view *v, int from_dim, nkx_access *a)
{
    int64_t unit = nkx_dtype_bytes((nkx_dtype)v->dtype) * nkx_host_scale(v->core), n = 1;
    nkx_dtype cell = nkx_view_cell(v);
    a->dtype = (uint8_t)cell;
    a->elem_bytes = (int32_t)nkx_dtype_bytes(cell);
    a->ndim = 0;
    a->group = 0;
    for (int d = from_dim; d < v->ndim; d++) {
        add_dim(a, v->shape[d], v->stride[d] * unit);
        n *= v->shape[d];
    }
    if (a->ndim == 0) {
        a->count[0] = 1;
        a->step[0] = a->elem_bytes;
        a->ndim = 1;
    }
    a->n = n;
    a->dense = a->ndim == 1 && a->step[0] == a->elem_bytes;
}

/* Column offsets of a tile-indirect view are read from its index as the row is walked. */
static void lower_index(const nkx_view *v, nkx_access *a)
{
    nkx_access ix;
    nkx_view_access(v->index, &ix);
    a->group = 16;
    a->ix_dtype = ix.dtype;
    a->ix_base = ix.base;
    a->ix_pstep = ix.pstep;
    a->ix_step = ix.step[0];
    a->ind_step = v->ind_stride * nkx_dtype_bytes((nkx_dtype)v->dtype) * nkx_host_scale(v->core);
    a->ind_extent = v->ind_extent;
    a->dense = false;
}

void nkx_view_access(const nkx_view *v, nkx_access *out)
{
    int64_t eb = nkx_dtype_bytes((nkx_dtype)v->dtype), scale = nkx_host_scale(v->core);
    if (!nkx_view_on_chip(v)) {
        nkx_view_access_flat(v, 0, out);
        return;
    }
    int64_t f = nkx_view_row_elems(v), col, part = nkx_div_rest(v->offset, f, &col);
    lower_free(v, 1, out);
    out->base = v->st->base + part * v->st->pitch + col * eb * scale;
    out->nparts = (uint32_t)v->shape[0];
    out->pstep = v->stride[0] == f ? v->st->pitch : v->stride[0] / f * v->st->pitch;
    if (NKX_UNLIKELY(v->indirect == NKX_IND_TILE)) lower_index(v, out);
}

void nkx_view_access_flat(const nkx_view *v, int from_dim, nkx_access *out)
{
    int64_t eb = nkx_dtype_bytes((nkx_dtype)v->dtype), scale = nkx_host_scale(v->core);
    if (!nkx_view_on_chip(v)) {
        lower_free(v, from_dim, out);
        out->base = v->st->base + v->offset * eb * scale;
        out->nparts = 1;
        out->pstep = 0;
        return;
    }
    nkx_access rows;
    nkx_view_access(v, &rows);
    *out = rows;
    out->nparts = 1;
    out->pstep = 0;
    if (from_dim > 0) return;
    out->ndim = 0;
    add_dim(out, rows.nparts, rows.pstep);
    for (int d = 0; d < rows.ndim; d++) add_dim(out, rows.count[d], rows.step[d]);
    if (out->ndim == 0) {
        out->count[0] = 1;
        out->step[0] = rows.elem_bytes;
        out->ndim = 1;
    }
    out->n = rows.n * rows.nparts;
    out->dense = out->ndim == 1 && out->step[0] == out->elem_bytes && out->group == 0;
}

void nkx_view_access_order(const nkx_view *v, const int *order, int n, nkx_access *out)
{
    int64_t eb = nkx_dtype_bytes((nkx_dtype)v->dtype), scale = nkx_host_scale(v->core);
    int64_t f = v->st->row_bytes / eb;
    bool chip = nkx_view_on_chip(v);
    nkx_view_access_flat(v, 1, out);
    out->ndim = 0;
    out->n = 1;
    for (int i = 0; i < n; i++) {
        int d = order[i];
        int64_t step = chip && d == 0 ? v->stride[0] / f * v->st->pitch : v->stride[d] * eb * scale;
        add_dim(out, v->shape[d], step);
        out->n *= v->shape[d];
    }
    if (out->ndim == 0) {
        out->count[0] = 1;
        out->step[0] = out->elem_bytes;
        out->ndim = 1;
    }
    out->dense = out->ndim == 1 && out->step[0] == out->elem_bytes;
}

/* ---- walking ---- */

typedef struct walk {
    uint8_t *at;
    int64_t left; /* elements left of the current run */
    int64_t idx[NKX_ACCESS_DIMS];
} walk;

static void walk_begin(walk *w, const nkx_access *a, uint8_t *base, int64_t first)
{
    int last = a->ndim - 1;
    w->at = base;
    for (int d = last; d >= 0; d--) {
        int64_t i = d > 0 ? first % a->count[d] : first;
        if (d > 0) first /= a->count[d];
        w->idx[d] = i;
        w->at += i * a->step[d];
    }
    w->left = a->count[last] - w->idx[last];
}

/* After `n` elements of the current run. */
static inline void walk_on(walk *w, const nkx_access *a, int64_t n)
{
    int d = a->ndim - 1;
    w->at += n * a->step[d];
    w->left -= n;
    w->idx[d] += n;
    while (w->idx[d] == a->count[d] && d > 0) {
        w->at -= a->count[d] * a->step[d];
        w->idx[d] = 0;
        d--;
        w->idx[d]++;
        w->at += a->step[d];
    }
    if (w->left == 0) w->left = a->count[a->ndim - 1];
}

void nkx_access_begin(nkx_access_iter *it, const nkx_access *a, uint32_t part)
{
    memset(it->idx, 0, sizeof it->idx);
    it->a = a;
    it->at = a->base + (int64_t)part * a->pstep;
    it->run = a->count[a->ndim - 1];
    it->step = a->step[a->ndim - 1];
    it->done = false;
}

void nkx_access_next(nkx_access_iter *it)
{
    const nkx_access *a = it->a;
    for (int d = a->ndim - 2; d >= 0; d--) {
        it->at += a->step[d];
        if (++it->idx[d] < a->count[d]) return;
        it->at -= a->count[d] * a->step[d];
        it->idx[d] = 0;
    }
    it->done = true;
}

/* Offset of column i of partition `part` from the index tile (isa.md 3.7): a snake over `group`
 * rows. */
static int64_t indirect_column(const nkx_access *a, uint32_t part, int64_t i)
{
    uint32_t row = part / a->group * a->group + (uint32_t)(i % a->group);
    const uint8_t *at = a->ix_base + (int64_t)row * a->ix_pstep + i / a->group * a->ix_step;
    int64_t c = nkx_load_i64((nkx_dtype)a->ix_dtype, at);
    return c < 0 || c >= a->ind_extent ? 0 : c;
}

uint8_t *nkx_access_at(const nkx_access *a, uint32_t part, int64_t i)
{
    uint8_t *base = a->base + (int64_t)part * a->pstep;
    if (a->group != 0) return base + indirect_column(a, part, i) * a->ind_step;
    for (int d = a->ndim - 1; d > 0; d--) {
        base += i % a->count[d] * a->step[d];
        i /= a->count[d];
    }
    return base + i * a->step[0];
}

/* ---- rows to and from lanes ---- */

void nkx_access_load_f32(const nkx_access *a, uint32_t part, int64_t first, int64_t n, float *dst)
{
    const nkx_dtype_row *t = &nkx_dtypes[a->dtype];
    uint8_t *base = a->base + (int64_t)part * a->pstep;
    if (NKX_UNLIKELY(a->group != 0)) {
        for (int64_t i = 0; i < n; i++) {
            t->load_f32(dst + i, nkx_access_at(a, part, first + i), 1, 4);
        }
        return;
    }
    if (a->ndim == 1) {
        t->load_f32(dst, base + first * a->step[0], n, a->step[0]);
        return;
    }
    walk w;
    int64_t step = a->step[a->ndim - 1];
    for (walk_begin(&w, a, base, first); n > 0;) {
        int64_t run = w.left < n ? w.left : n;
        t->load_f32(dst, w.at, run, step);
        dst += run;
        n -= run;
        walk_on(&w, a, run);
    }
}

void nkx_access_store_f32(const nkx_access *a, uint32_t part, int64_t first, int64_t n,
                          const float *src)
{
    const nkx_dtype_row *t = &nkx_dtypes[a->dtype];
    uint8_t *base = a->base + (int64_t)part * a->pstep;
    if (NKX_UNLIKELY(a->group != 0)) {
        for (int64_t i = 0; i < n; i++) {
            t->store_f32(nkx_access_at(a, part, first + i), 4, src + i, 1);
        }
        return;
    }
    if (a->ndim == 1) {
        t->store_f32(base + first * a->step[0], a->step[0], src, n);
        return;
    }
    walk w;
    int64_t step = a->step[a->ndim - 1];
    for (walk_begin(&w, a, base, first); n > 0;) {
        int64_t run = w.left < n ? w.left : n;
        t->store_f32(w.at, step, src, run);
        src += run;
        n -= run;
        walk_on(&w, a, run);
    }
}

void nkx_access_load_i32(const nkx_access *a, uint32_t part, int64_t first, int64_t n, int32_t *dst)
{
    const nkx_dtype_row *t = &nkx_dtypes[a->dtype];
    uint8_t *base = a->base + (int64_t)part * a->pstep;
    if (NKX_UNLIKELY(a->group != 0)) {
        for (int64_t i = 0; i < n; i++) {
            t->load_i32(dst + i, nkx_access_at(a, part, first + i), 1, 4);
        }
        return;
    }
    walk w;
    int64_t step = a->step[a->ndim - 1];
    for (walk_begin(&w, a, base, first); n > 0;) {
        int64_t run = w.left < n ? w.left : n;
        t->load_i32(dst, w.at, run, step);
        dst += run;
        n -= run;
        walk_on(&w, a, run);
    }
}

void nkx_access_store_i32(const nkx_access *a, uint32_t part, int64_t first, int64_t n,
                          const int32_t *src)
{
    const nkx_dtype_row *t = &nkx_dtypes[a->dtype];
    uint8_t *base = a->base + (int64_t)part * a->pstep;
    if (NKX_UNLIKELY(a->group != 0)) {
        for (int64_t i = 0; i < n; i++) {
            t->store_i32(nkx_access_at(a, part, first + i), 4, src + i, 1);
        }
        return;
    }
    walk w;
    int64_t step = a->step[a->ndim - 1];
    for (walk_begin(&w, a, base, first); n > 0;) {
        int64_t run = w.left < n ? w.left : n;
        t->store_i32(w.at, step, src, run);
        src += run;
        n -= run;
        walk_on(&w, a, run);
    }
}

/* ---- elements from pattern to pattern ---- */

/* Short strided runs of one element size: a call of the row kernel each would cost more than the
 * copy. */
static void copy_short(uint8_t *dst, int64_t ds, const uint8_t *src, int64_t ss, int64_t n,
                       int32_t eb)
{
    if (eb == 4) {
        for (; n > 0; n--, dst += ds, src += ss) memcpy(dst, src, 4);
    } else if (eb == 2) {
        for (; n > 0; n--, dst += ds, src += ss) memcpy(dst, src, 2);
    } else {
        for (; n > 0; n--, dst += ds, src += ss) *dst = *src;
    }
}

static void move_runs(const nkx_access *dst, uint8_t *dbase, int64_t dfirst, const nkx_access *src,
                      uint8_t *sbase, int64_t sfirst, int64_t n)
{
    walk d, s;
    int64_t ds = dst->step[dst->ndim - 1], ss = src->step[src->ndim - 1];
    bool bits = dst->dtype == src->dtype;
    walk_begin(&d, dst, dbase, dfirst);
    for (walk_begin(&s, src, sbase, sfirst); n > 0;) {
        int64_t run = d.left < s.left ? d.left : s.left;
        if (run > n) run = n;
        if (bits && run < 16) {
            copy_short(d.at, ds, s.at, ss, run, dst->elem_bytes);
        } else {
            nkx_convert_row((nkx_dtype)dst->dtype, d.at, ds, (nkx_dtype)src->dtype, s.at, ss, run);
        }
        n -= run;
        walk_on(&d, dst, run);
        walk_on(&s, src, run);
    }
}

void nkx_access_copy(const nkx_access *dst, uint32_t dpart, const nkx_access *src, uint32_t spart,
                     int64_t first, int64_t n)
{
    if (NKX_LIKELY(dst->group == 0 && src->group == 0)) {
        move_runs(dst, dst->base + (int64_t)dpart * dst->pstep, first, src,
                  src->base + (int64_t)spart * src->pstep, first, n);
        return;
    }
    for (int64_t i = first; i < first + n; i++) {
        nkx_convert_row((nkx_dtype)dst->dtype, nkx_access_at(dst, dpart, i), 4,
                        (nkx_dtype)src->dtype, nkx_access_at(src, spart, i), 4, 1);
    }
}

void nkx_access_move(const nkx_access *dst, const nkx_access *src)
{
    int64_t n = dst->n < src->n ? dst->n : src->n;
    move_runs(dst, dst->base, 0, src, src->base, 0, n);
}

void nkx_access_move_at(const nkx_access *dst, int64_t dfirst, const nkx_access *src,
                        int64_t sfirst, int64_t n)
{
    move_runs(dst, dst->base, dfirst, src, src->base, sfirst, n);
}

/* ---- indices read at run time ---- */

static bool index_value(const nkx_view *v, int64_t *value)
{
    if (v->reg != NULL) {
        *value = v->reg->value;
        return v->reg->known;
    }
    if (v->index->st->base == NULL || !v->core->modes.exec) return false;
    nkx_access ix;
    nkx_view_access(v->index, &ix);
    *value = nkx_load_i64((nkx_dtype)ix.dtype, ix.base);
    return true;
}

nkx_view *nkx_view_resolve(nkx_view *v, bool *known, bool *oob, int64_t *index)
{
    int64_t value = 0;
    *known = index_value(v, &value);
    *index = value;
    *oob = *known && (value < 0 || value >= v->ind_extent);
    nkx_view *w = nkx_view_new(v->core);
    w->dtype = v->dtype;
    w->ndim = v->ndim;
    w->st = nkx_storage_ref(v->st);
    memcpy(w->shape, v->shape, sizeof w->shape);
    memcpy(w->stride, v->stride, sizeof w->stride);
    w->offset = v->offset + (*known && !*oob ? value * v->ind_stride : 0);
    return w;
}

void nkx_view_rows(const nkx_view *v, int64_t *rows, int64_t n)
{
    nkx_access ix;
    nkx_view_access(v->index, &ix);
    for (int64_t i = 0; i < n; i++) {
        uint32_t part = (uint32_t)(i % ix.nparts);
        rows[i] = nkx_load_i64((nkx_dtype)ix.dtype, nkx_access_at(&ix, part, i / ix.nparts));
    }
}
