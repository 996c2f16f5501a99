/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Picking parts of a view: `t[...]`, slice, select and the selections whose place is known only
 * when the instruction runs (isa.md 3.2, 3.3, 3.7). Layer tensor.
 */
#include "interp/tensor/view.h"
#include "interp/tensor/view_internal.h"

#include <string.h>

static bool keep(nkx_view *w, nkx_view **out)
{
    *out = w;
    return true;
}

bool nkx_view_dim(nkx_view *v, int64_t dim, int64_t limit, const char *what, nkx_span span,
                  int *out)
{
    int64_t d = dim < 0 ? dim + limit : dim;
    if (d >= 0 && d < limit) {
        *out = (int)d;
        return true;
    }
    nkx_diag *g =
        nkx_diag_add(v->core->diags, NKX_E306, span, "%s names dimension %lld of a tensor with %d",
                     what, (long long)dim, v->ndim);
    nkx_diag_hint(v->core->diags, g, "Dimensions count from 0; the shape is %s.",
                  nkx_type_text(v->core, v->ndim, v->shape, (nkx_dtype)v->dtype));
    return false;
}

bool nkx_view_pinned(nkx_view *v, int dim, const char *what, nkx_span span)
{
    bool vs = v->indirect == NKX_IND_VECTOR;
    if (dim != 0 || (!nkx_view_on_chip(v) && !vs)) return true;
    nkx_diag *g =
        nkx_diag_add(v->core->diags, NKX_E307, span, "%s on dimension 0, the %s dimension", what,
                     vs ? "gathered" : "partition");
    nkx_diag_hint(v->core->diags, g,
                  vs ? "The rows of a vector_select view stay its outermost dimension."
                     : "Dimension 0 of an SBUF or PSUM tensor is its partitions and stays so: "
                       "work on the free dimensions, or use t[i:i+1] to keep one partition.");
    return false;
}

/* ---- slice and select ---- */

static bool bad_slice(nkx_view *v, int dim, int64_t start, int64_t end, int64_t step, nkx_span span)
{
    nkx_diag *g = nkx_diag_add(v->core->diags, NKX_E304, span,
                               "slice %lld:%lld:%lld of dimension %d, which has %lld elements",
                               (long long)start, (long long)end, (long long)step, dim,
                               (long long)v->shape[dim]);
    nkx_diag_hint(v->core->diags, g,
                  "A slice needs 0 <= start < end <= %lld and a step of at least 1.",
                  (long long)v->shape[dim]);
    return false;
}

static bool indirect_dim_busy(nkx_view *v, int dim, const char *what, nkx_span span)
{
    if (v->indirect != NKX_IND_VECTOR || dim != 0) return false;
    nkx_diag_add(v->core->diags, NKX_E322, span, "%s of dimension 0, whose rows come from an index",
                 what);
    return true;
}

/*
 * A tile-indirect view is an operand and nothing else: its columns have no stride. A pattern that
 * leaves its storage is not even that.
 */
static bool opaque(nkx_view *v, const char *what, nkx_span span)
{
    if (NKX_LIKELY(v->indirect == NKX_IND_NONE)) return false;
    if (!nkx_view_in_bounds(v, span)) return true;
    if (v->indirect != NKX_IND_TILE) return false;
    nkx_diag *g = nkx_diag_add(v->core->diags, NKX_E322, span, "%s of an .indirect() view", what);
    nkx_diag_hint(v->core->diags, g, "Shape the tensor first and call .indirect() last.");
    return true;
}

bool nkx_view_is_opaque(nkx_view *v, const char *what, nkx_span span)
{
    return opaque(v, what, span);
}

bool nkx_view_slice(nkx_view *v, int64_t dim, int64_t start, int64_t end, int64_t step,
                    nkx_span span, nkx_view **out)
{
    int d;
    if (opaque(v, "slice", span) || !nkx_view_dim(v, dim, v->ndim, "slice", span, &d)) return false;
    if (start < 0 || start >= end || end > v->shape[d] || step < 1) {
        return bad_slice(v, d, start, end, step, span);
    }
    if (indirect_dim_busy(v, d, "slice", span)) return false;
    nkx_view *w = nkx_view_clone(v);
    w->shape[d] = (end - start + step - 1) / step;
    w->offset += v->stride[d] * start;
    w->stride[d] *= step;
    return keep(w, out);
}

static void drop_dim(nkx_view *w, int d)
{
    for (int i = d; i + 1 < w->ndim; i++) {
        w->shape[i] = w->shape[i + 1];
        w->stride[i] = w->stride[i + 1];
    }
    w->ndim--;
}

/* The least rank: 2 on chip, 1 in HBM. A scalar keeps one dimension of one element. */
static void least_rank(nkx_view *w)
{
    int least = nkx_view_on_chip(w) ? 2 : 1;
    while (w->ndim < least) {
        w->shape[w->ndim] = 1;
        w->stride[w->ndim] = 1;
        w->ndim++;
    }
}

static bool bad_index(nkx_view *v, int d, int64_t i, nkx_span span)
{
    nkx_diag *g = nkx_diag_add(v->core->diags, NKX_E301, span,
                               "index %lld is out of bounds for axis %d with size %lld",
                               (long long)i, d, (long long)v->shape[d]);
    nkx_diag_hint(v->core->diags, g, "The tensor is %s.",
                  nkx_type_text(v->core, v->ndim, v->shape, (nkx_dtype)v->dtype));
    return false;
}

bool nkx_view_select(nkx_view *v, int64_t dim, int64_t index, nkx_span span, nkx_view **out)
{
    int d;
    if (opaque(v, "select", span) || !nkx_view_dim(v, dim, v->ndim, "select", span, &d)) {
        return false;
    }
    if (!nkx_view_pinned(v, d, "select", span)) return false;
    if (index < 0 || index >= v->shape[d]) return bad_index(v, d, index, span);
    nkx_view *w = nkx_view_clone(v);
    w->offset += v->stride[d] * index;
    drop_dim(w, d);
    least_rank(w);
    return keep(w, out);
}

/* ---- t[...] ---- */

typedef struct picking {
    nkx_view *v, *w;
    nkx_span span;
    int from; /* next dim of v */
    int64_t last_stride;
} picking;

static void put_dim(nkx_view *w, int64_t shape, int64_t stride)
{
    w->shape[w->ndim] = shape;
    w->stride[w->ndim] = stride;
    w->ndim++;
}

static bool pick_int(picking *p, const nkx_index *ix)
{
    int d = p->from++;
    int64_t i = ix->start < 0 ? ix->start + p->v->shape[d] : ix->start;
    if (i < 0 || i >= p->v->shape[d]) return bad_index(p->v, d, ix->start, p->span);
    if (indirect_dim_busy(p->v, d, "index", p->span)) return false;
    p->w->offset += p->v->stride[d] * i;
    p->last_stride = p->v->stride[d];
    if (d == 0 && nkx_view_on_chip(p->v)) put_dim(p->w, 1, p->v->stride[0]);
    return true;
}

static int64_t clip_start(int64_t i, int64_t n)
{
    if (i < 0) i += n;
    return i < 0 ? 0 : i;
}

/* Bounds as NumPy clips them, with a word when that changed anything. */
static int64_t clip_stop(picking *p, int d, int64_t stop)
{
    int64_t n = p->v->shape[d];
    if (stop < 0) return stop + n;
    if (stop <= n) return stop;
    nkx_diag *g = nkx_diag_add(p->v->core->diags, NKX_E303, p->span,
                               "slice end %lld is past the %lld elements of dimension %d",
                               (long long)stop, (long long)n, d);
    nkx_diag_hint(
        p->v->core->diags, g,
        "It is clipped to %lld here; the device compiler may refuse it. Use min(end, %lld).",
        (long long)n, (long long)n);
    return n;
}

static bool bad_step(picking *p, int64_t step)
{
    nkx_diag *g =
        nkx_diag_add(p->v->core->diags, NKX_E305, p->span, "slice step %lld", (long long)step);
    nkx_diag_hint(p->v->core->diags, g, "Views step forward only: the step must be at least 1.");
    return false;
}

static bool empty_slice(picking *p, int d, int64_t start, int64_t stop)
{
    nkx_diag *g = nkx_diag_add(p->v->core->diags, NKX_E302, p->span,
                               "slice %lld:%lld of dimension %d with %lld elements is empty",
                               (long long)start, (long long)stop, d, (long long)p->v->shape[d]);
    nkx_diag_hint(p->v->core->diags, g,
                  "An instruction cannot work on nothing: check the bounds of the loop.");
    return false;
}

static bool pick_slice(picking *p, const nkx_index *ix)
{
    int d = p->from++;
    int64_t n = p->v->shape[d], step = ix->has_step ? ix->step : 1;
    bool ds = ix->kind == NKX_IX_DS;
    if (step < 1) return bad_step(p, step);
    int64_t start = ix->has_start || ds ? clip_start(ix->start, n) : 0;
    int64_t stop = n;
    if (ds) {
        stop = clip_stop(p, d, start + (ix->stop < 0 ? 0 : ix->stop));
    } else if (ix->has_stop) {
        stop = clip_stop(p, d, ix->stop);
    }
    if (start >= stop) return empty_slice(p, d, start, stop);
    if ((start != 0 || stop != n || step != 1) && indirect_dim_busy(p->v, d, "slice", p->span)) {
        return false;
    }
    p->w->offset += p->v->stride[d] * start;
    put_dim(p->w, (stop - start + step - 1) / step, p->v->stride[d] * step);
    p->last_stride = p->v->stride[d];
    return true;
}

static void pick_whole(picking *p, int n)
{
    for (; n > 0; n--, p->from++) {
        put_dim(p->w, p->v->shape[p->from], p->v->stride[p->from]);
        p->last_stride = p->v->stride[p->from];
    }
}

static bool too_many(picking *p, int named)
{
    nkx_diag *g = nkx_diag_add(p->v->core->diags, NKX_E306, p->span,
                               "%d indices for a tensor of %d dimensions", named, p->v->ndim);
    nkx_diag_hint(p->v->core->diags, g, "The tensor is %s.",
                  nkx_type_text(p->v->core, p->v->ndim, p->v->shape, (nkx_dtype)p->v->dtype));
    return false;
}

static bool pick_one(picking *p, const nkx_index *ix, int rest)
{
    switch ((nkx_index_kind)ix->kind) {
    case NKX_IX_INT: return pick_int(p, ix);
    case NKX_IX_SLICE:
    case NKX_IX_DS: return pick_slice(p, ix);
    case NKX_IX_ELLIPSIS: pick_whole(p, rest); return true;
    case NKX_IX_NEWAXIS:
        if (!nkx_view_pinned(p->v, p->from, "a new axis", p->span)) return false;
        put_dim(p->w, 1, p->from < p->v->ndim ? p->v->stride[p->from] * p->v->shape[p->from] : 1);
        return true;
    }
    return false;
}

bool nkx_view_index(nkx_view *v, const nkx_index *ix, int n, nkx_span span, nkx_view **out)
{
    int named = 0, added = 0;
    if (opaque(v, "index", span)) return false;
    for (int i = 0; i < n; i++) {
        named += ix[i].kind != NKX_IX_ELLIPSIS && ix[i].kind != NKX_IX_NEWAXIS;
        added += ix[i].kind == NKX_IX_NEWAXIS;
    }
    picking p = {.v = v, .w = nkx_view_clone(v), .span = span, .last_stride = 1};
    p.w->ndim = 0;
    bool ok = named <= v->ndim || too_many(&p, named);
    ok = ok && (v->ndim + added <= NKX_MAX_RANK || too_many(&p, v->ndim + added));
    int rest = v->ndim - named;
    for (int i = 0; ok && i < n; i++) {
        ok = pick_one(&p, &ix[i], rest);
        if (ix[i].kind == NKX_IX_ELLIPSIS) rest = 0;
    }
    if (!ok) {
        nkx_view_drop(p.w);
        return false;
    }
    pick_whole(&p, v->ndim - p.from);
    least_rank(p.w);
    return keep(p.w, out);
}

/* ---- selections known at run time ---- */

static bool bad_dynamic(nkx_view *v, nkx_span span, const char *why, const char *hint)
{
    nkx_diag *g = nkx_diag_add(v->core->diags, NKX_E320, span, "dynamic select: %s", why);
    nkx_diag_hint(v->core->diags, g, "%s", hint);
    return false;
}

/* Index tiles are one integer a row (or one in all), on SBUF. */
bool nkx_view_index_tile(nkx_view *v, nkx_view *index, bool one, const char *what, nkx_span span)
{
    bool ints = index->dtype == NKX_DT_INT32 || index->dtype == NKX_DT_UINT32;
    bool sbuf = index->st->space == NKX_SPACE_SBUF, size = !one || nkx_view_size(index) == 1;
    if (ints && sbuf && size && index->indirect == NKX_IND_NONE) return true;
    nkx_buf b = {0};
    nkx_view_text(index, &b);
    nkx_diag *g = nkx_diag_add(v->core->diags, NKX_E319, span, "%s is %s", what, b.at);
    nkx_buf_fini(&b);
    nkx_diag_hint(
        v->core->diags, g,
        one ? "A scalar index is one int32 or uint32 element in SBUF, or a register."
            : "An index tile is int32 or uint32 in SBUF, one element a row: shape (n, 1).");
    return false;
}

static void set_index(nkx_view *w, nkx_indirect kind, nkx_view *index, nkx_register *reg,
                      int64_t stride, int64_t extent)
{
    w->indirect = (uint8_t)kind;
    w->index = index != NULL ? nkx_view_ref(index) : NULL;
    w->reg = reg != NULL ? nkx_register_ref(reg) : NULL;
    w->ind_stride = stride;
    w->ind_extent = extent;
}

bool nkx_view_select_dynamic(nkx_view *v, int64_t dim, nkx_view *index, nkx_register *reg,
                             nkx_span span, nkx_view **out)
{
    int d;
    if (!nkx_view_dim(v, dim, v->ndim, "select", span, &d)) return false;
    if (!nkx_view_in_bounds(v, span)) return false;
    if (v->indirect != NKX_IND_NONE) {
        return bad_dynamic(v, span, "the view is indirect already",
                           "A view takes one dynamic index: compute the flat index first.");
    }
    if (!nkx_view_pinned(v, d, "dynamic select", span)) return false;
    if (v->stride[d] == 0) {
        return bad_dynamic(v, span, "the dimension is a broadcast of one element",
                           "Every index reads the same element there: use a static index of 0.");
    }
    if (index != NULL && !nkx_view_index_tile(v, index, true, "the index of select", span)) {
        return false;
    }
    nkx_view *w = nkx_view_clone(v);
    set_index(w, NKX_IND_SCALAR, index, reg, v->stride[d], v->shape[d]);
    drop_dim(w, d);
    least_rank(w);
    return keep(w, out);
}

static bool bad_vector(nkx_view *v, nkx_span span, const char *why, const char *hint)
{
    nkx_diag *g = nkx_diag_add(v->core->diags, NKX_E321, span, "vector_select: %s", why);
    nkx_diag_hint(v->core->diags, g, "%s", hint);
    return false;
}

bool nkx_view_vector_select(nkx_view *v, int64_t dim, nkx_view *index, nkx_span span,
                            nkx_view **out)
{
    if (dim != 0) {
        return bad_vector(v, span, "only dimension 0 can be gathered",
                          "Permute the tensor so that its rows come first.");
    }
    if (nkx_view_on_chip(v)) {
        return bad_vector(v, span, "the tensor is on chip", "Rows are gathered from HBM by DMA.");
    }
    if (!nkx_view_in_bounds(v, span)) return false;
    if (v->indirect != NKX_IND_NONE) {
        return bad_vector(v, span, "the view is indirect already", "A view takes one index.");
    }
    for (int d = 1; d < v->ndim; d++) {
        if (v->stride[0] == 0 || v->stride[d] > v->stride[0]) {
            return bad_vector(v, span, "the stride of dimension 0 is not the largest",
                              "Gather rows of the tensor before permuting or broadcasting it.");
        }
    }
    if (!nkx_view_index_tile(v, index, false, "vector_offset", span)) return false;
    if (nkx_view_free_size(index) != 1) {
        return bad_vector(v, span, "vector_offset has more than one element a row",
                          "Its shape must be (n, 1).");
    }
    nkx_view *w = nkx_view_clone(v);
    set_index(w, NKX_IND_VECTOR, index, NULL, v->stride[0], v->shape[0]);
    w->shape[0] = index->shape[0];
    return keep(w, out);
}

static bool bad_tile(nkx_view *v, nkx_span span, const char *why)
{
    nkx_diag *g = nkx_diag_add(v->core->diags, NKX_E322, span, "indirect: %s", why);
    nkx_diag_hint(
        v->core->diags, g,
        "t.indirect(index) picks free-dimension columns of an on-chip tile by an SBUF tile of "
        "integers with as many partitions as t (gen4).");
    return false;
}

bool nkx_view_indirect_tile(nkx_view *v, nkx_view *index, int64_t num_elem, nkx_span span,
                            nkx_view **out)
{
    if (v->core->config->gen < 4) return bad_tile(v, span, "the target has no tensor indirection");
    if (!nkx_view_in_bounds(v, span)) return false;
    if (v->indirect != NKX_IND_NONE) return bad_tile(v, span, "the view is indirect already");
    if (!nkx_view_on_chip(v)) return bad_tile(v, span, "the tensor is in HBM");
    if (index->st->space != NKX_SPACE_SBUF || !nkx_dtype_is_int((nkx_dtype)index->dtype) ||
        index->ndim != 2) {
        return bad_tile(v, span, "the index is not a 2-D tile of integers in SBUF");
    }
    if (index->shape[0] != v->shape[0]) {
        return bad_tile(v, span, "index and tensor differ in partitions");
    }
    nkx_view *flat = NULL;
    int64_t shape[2] = {v->shape[0], nkx_view_free_size(v)};
    if (!nkx_view_reshape(v, shape, 2, span, &flat)) return false;
    int64_t n = num_elem > 0 ? num_elem : nkx_view_size(index);
    set_index(flat, NKX_IND_TILE, index, NULL, flat->stride[1], flat->shape[1]);
    flat->num_elem = n;
    flat->shape[1] = n;
    return keep(flat, out);
}
