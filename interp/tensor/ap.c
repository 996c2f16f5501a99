/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explicit access patterns: t.ap(pattern, ...) (isa.md 3.5). Layer tensor. A pattern addresses the
 * storage itself; what is known before the run is checked here, the rest when the place is known.
 */
#include "interp/tensor/view.h"
#include "interp/tensor/view_internal.h"

#include <string.h>

static bool bad_ap(nkx_view *v, nkx_code code, nkx_span span, const char *hint, const char *why)
{
    nkx_diag *g = nkx_diag_add(v->core->diags, code, span, "ap: %s", why);
    nkx_diag_hint(v->core->diags, g, "%s", hint);
    return false;
}

static bool take_pattern(nkx_view *w, const nkx_ap *ap, nkx_span span)
{
    if (ap->n < 1 || ap->n > NKX_MAX_RANK) {
        nkx_diag_add(w->core->diags, NKX_E323, span,
                     "ap: a pattern of %d pairs; 1 to %d are possible", ap->n, NKX_MAX_RANK);
        return false;
    }
    for (int d = 0; d < ap->n; d++) {
        w->stride[d] = ap->pattern[d][0];
        w->shape[d] = ap->pattern[d][1];
        if (w->shape[d] >= 1) continue;
        nkx_diag_add(w->core->diags, NKX_E323, span,
                     "ap: count %lld of pair %d; at least 1 is needed", (long long)w->shape[d], d);
        return false;
    }
    w->ndim = (uint8_t)ap->n;
    return true;
}

/* Offset in the pattern's element size. */
static bool take_offset(nkx_view *v, nkx_view *w, const nkx_ap *ap, nkx_span span)
{
    int64_t from = nkx_dtype_bytes((nkx_dtype)v->dtype), to = nkx_dtype_bytes((nkx_dtype)w->dtype);
    if (v->offset * from % to != 0) {
        return bad_ap(v, NKX_E315, span, "Begin the view on a multiple of the element size.",
                      "the offset of the view is no multiple of the new element size");
    }
    w->offset = v->offset * from / to;
    if (!ap->has_offset) return true;
    if (v->offset != 0) {
        nkx_diag *g = nkx_diag_add(v->core->diags, NKX_E318, span,
                                   "ap(offset=%lld) on a view that begins at element %lld",
                                   (long long)ap->offset, (long long)v->offset);
        nkx_diag_hint(
            v->core->diags, g,
            "The offset is added to the view's own; older guides say it replaces it. Call ap on "
            "the whole tensor to be sure.");
    }
    w->offset += ap->offset;
    return true;
}

static bool take_index(nkx_view *v, nkx_view *w, const nkx_ap *ap, nkx_span span)
{
    const char *hint =
        "Give scalar_offset or vector_offset, not both, over dimensions of the tensor.";
    bool scalar = ap->scalar_offset != NULL || ap->reg_offset != NULL;
    int d;
    if (!scalar && ap->vector_offset == NULL) return true;
    if (scalar && ap->vector_offset != NULL) {
        return bad_ap(v, NKX_E317, span, hint, "two dynamic offsets");
    }
    if (!nkx_view_dim(v, ap->indirect_dim, v->ndim, "indirect_dim", span, &d)) return false;
    if (ap->scalar_offset != NULL &&
        !nkx_view_index_tile(v, ap->scalar_offset, true, "scalar_offset", span)) {
        return false;
    }
    if (ap->vector_offset != NULL) {
        if (d != 0) {
            return bad_ap(v, NKX_E317, span, "Rows are gathered: permute the tensor instead.",
                          "vector_offset needs indirect_dim 0");
        }
        if (nkx_view_on_chip(v)) {
            return bad_ap(v, NKX_E317, span, "Rows are gathered from HBM by DMA.",
                          "vector_offset of an on-chip tensor");
        }
        if (!nkx_view_index_tile(v, ap->vector_offset, false, "vector_offset", span)) return false;
    }
    int64_t from = nkx_dtype_bytes((nkx_dtype)v->dtype), to = nkx_dtype_bytes((nkx_dtype)w->dtype);
    w->indirect = ap->vector_offset != NULL ? NKX_IND_VECTOR : NKX_IND_SCALAR;
    nkx_view *index = ap->vector_offset != NULL ? ap->vector_offset : ap->scalar_offset;
    w->index = index != NULL ? nkx_view_ref(index) : NULL;
    w->reg = ap->reg_offset != NULL ? nkx_register_ref(ap->reg_offset) : NULL;
    w->ind_stride = v->stride[d] * from / to;
    w->ind_extent = v->shape[d];
    if (w->indirect == NKX_IND_VECTOR) w->stride[0] = w->ind_stride;
    return true;
}

/* What a pattern reaches beyond its storage. */
typedef struct reach {
    int64_t lo, hi, limit;
    const char *unit;
} reach;

static bool inside(reach *r, int64_t lo, int64_t hi, int64_t limit, const char *unit)
{
    *r = (reach){.lo = lo, .hi = hi, .limit = limit, .unit = unit};
    return lo >= 0 && hi < limit;
}

static bool out_of_bounds(const nkx_view *w, nkx_span span, const reach *r)
{
    nkx_diag *g = nkx_diag_add(w->core->diags, NKX_E316, span,
                               "ap reaches %s %lld to %lld of a tensor with %lld", r->unit,
                               (long long)r->lo, (long long)r->hi, (long long)r->limit);
    nkx_diag_hint(w->core->diags, g,
                  "offset + sum(step * (count - 1)) must stay inside the storage.");
    return false;
}

static bool inside_hbm(const nkx_view *w, reach *r)
{
    int64_t lo, hi, total = w->st->bytes / nkx_dtype_bytes((nkx_dtype)w->dtype);
    nkx_view_reach(w, w->indirect == NKX_IND_VECTOR ? 1 : 0, &lo, &hi);
    return inside(r, lo + w->offset, hi + w->offset, total, "elements");
}

static bool inside_chip(const nkx_view *w, reach *r)
{
    int64_t f = w->st->row_bytes / nkx_dtype_bytes((nkx_dtype)w->dtype), lo, hi;
    int64_t part = w->offset >= 0 ? w->offset / f : -1;
    if (!inside(r, part, part + w->shape[0] - 1, w->st->rows, "partitions")) return false;
    nkx_view_reach(w, 1, &lo, &hi);
    return inside(r, lo + w->offset % f, hi + w->offset % f, f, "elements of a partition");
}

static bool is_inside(const nkx_view *w, reach *r)
{
    return nkx_view_on_chip(w) ? inside_chip(w, r) : inside_hbm(w, r);
}

bool nkx_view_in_bounds(const nkx_view *v, nkx_span span)
{
    reach r;
    if (NKX_LIKELY(v->indirect != NKX_IND_BEYOND)) return true;
    return is_inside(v, &r) || out_of_bounds(v, span, &r);
}

/* Partitions follow each other: the first pair of an on-chip pattern says only how many. */
static bool take_partitions(nkx_view *w, nkx_span span)
{
    int64_t f = w->st->row_bytes / nkx_dtype_bytes((nkx_dtype)w->dtype);
    if (w->shape[0] != 1 && w->stride[0] != f) {
        nkx_diag *g = nkx_diag_add(w->core->diags, NKX_E325, span,
                                   "ap steps %lld elements from partition to partition, not %lld",
                                   (long long)w->stride[0], (long long)f);
        nkx_diag_hint(
            w->core->diags, g,
            "The first pair of an on-chip pattern is [elements per partition of the storage, "
            "partitions]; partitions cannot be skipped or repeated.");
        return false;
    }
    w->stride[0] = f;
    return true;
}

/* A pattern with an index is resolved later from here, so its own reach must be right now. */
static bool take_bounds(nkx_view *w, nkx_span span)
{
    reach r;
    if (nkx_view_on_chip(w) && !take_partitions(w, span)) return false;
    if (is_inside(w, &r)) return true;
    if (w->indirect != NKX_IND_NONE) return out_of_bounds(w, span, &r);
    w->indirect = NKX_IND_BEYOND;
    w->ind_stride = w->ind_extent = w->num_elem = 0;
    return true;
}

/* How many values of a scalar offset keep the whole pattern inside the storage. */
static int64_t scalar_extent(const nkx_view *w)
{
    int64_t lo, hi, eb = nkx_dtype_bytes((nkx_dtype)w->dtype), f = w->st->row_bytes / eb;
    if (w->ind_stride <= 0) return w->ind_extent;
    nkx_view_reach(w, nkx_view_on_chip(w) ? 1 : 0, &lo, &hi);
    if (!nkx_view_on_chip(w)) return (w->st->bytes / eb - 1 - w->offset - hi) / w->ind_stride + 1;
    if (w->ind_stride % f != 0) return (f - 1 - w->offset % f - hi) / w->ind_stride + 1;
    return (w->st->rows - w->shape[0] - w->offset / f) / (w->ind_stride / f) + 1;
}

bool nkx_view_ap(nkx_view *v, const nkx_ap *ap, nkx_span span, nkx_view **out)
{
    if (nkx_view_is_opaque(v, "ap", span)) return false;
    nkx_dtype dt = ap->dtype >= 0 ? (nkx_dtype)ap->dtype : (nkx_dtype)v->dtype;
    if (!nkx_dtypes[dt].device) {
        nkx_diag_add(v->core->diags, NKX_E324, span, "ap: no tensor of %s in device memory",
                     nkx_dtypes[dt].name);
        return false;
    }
    nkx_view *w = nkx_view_new(v->core);
    w->dtype = (uint8_t)dt;
    w->st = nkx_storage_ref(v->st);
    bool ok =
        take_pattern(w, ap, span) && take_offset(v, w, ap, span) && take_index(v, w, ap, span);
    if (ok && nkx_view_on_chip(w) && w->ndim == 1) {
        w->shape[1] = w->stride[1] = 1;
        w->ndim = 2;
    }
    if (!ok || !take_bounds(w, span)) {
        nkx_view_drop(w);
        return false;
    }
    if (w->indirect == NKX_IND_SCALAR) w->ind_extent = scalar_extent(w);
    *out = w;
    return true;
}
