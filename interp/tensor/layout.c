/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views of another form over the same elements: permute, broadcast, reshape and bit casts
 * (isa.md 3.3 and 3.4). Layer tensor. Nothing is copied: what would need a copy is refused.
 */
#include "interp/tensor/view.h"
#include "interp/tensor/view_internal.h"

#include <string.h>

static bool keep(nkx_view *w, nkx_view **out)
{
    *out = w;
    return true;
}

static bool rank_full(nkx_view *v, int rank, nkx_span span)
{
    if (rank <= NKX_MAX_RANK) return false;
    nkx_diag_add(v->core->diags, NKX_E323, span, "number of dimensions is %d, more than %d", rank,
                 NKX_MAX_RANK);
    return true;
}

bool nkx_view_permute(nkx_view *v, const int64_t *dims, int n, nkx_span span, nkx_view **out)
{
    if (nkx_view_is_opaque(v, "permute", span)) return false;
    unsigned seen = 0;
    int at[NKX_MAX_RANK] = {0};
    for (int i = 0; i < n && i < v->ndim; i++) {
        if (!nkx_view_dim(v, dims[i], v->ndim, "permute", span, &at[i])) return false;
        seen |= 1u << at[i];
    }
    if (n != v->ndim || seen != (1u << v->ndim) - 1) {
        nkx_diag *g = nkx_diag_add(v->core->diags, NKX_E308, span,
                                   "permute names %d dimensions of %d, or one twice", n, v->ndim);
        nkx_diag_hint(v->core->diags, g, "Every dimension stands in the list exactly once.");
        return false;
    }
    if (at[0] != 0 && !nkx_view_pinned(v, 0, "permute", span)) return false;
    nkx_view *w = nkx_view_clone(v);
    for (int i = 0; i < n; i++) {
        w->shape[i] = v->shape[at[i]];
        w->stride[i] = v->stride[at[i]];
    }
    return keep(w, out);
}

static bool bad_broadcast(nkx_view *v, int d, int64_t size, nkx_span span)
{
    nkx_diag *g = nkx_diag_add(v->core->diags, NKX_E309, span,
                               "broadcast of dimension %d from %lld to %lld elements", d,
                               (long long)v->shape[d], (long long)size);
    nkx_diag_hint(v->core->diags, g, "Only a dimension of one element can be repeated.");
    return false;
}

bool nkx_view_broadcast(nkx_view *v, int64_t dim, int64_t size, nkx_span span, nkx_view **out)
{
    int d;
    if (nkx_view_is_opaque(v, "broadcast", span)) return false;
    if (!nkx_view_dim(v, dim, v->ndim, "broadcast", span, &d)) return false;
    if (!nkx_view_pinned(v, d, "broadcast", span)) return false;
    if (v->shape[d] != 1 || size < 1) return bad_broadcast(v, d, size, span);
    nkx_view *w = nkx_view_clone(v);
    w->shape[d] = size;
    w->stride[d] = 0;
    return keep(w, out);
}

bool nkx_view_broadcast_to(nkx_view *v, const int64_t *shape, int n, nkx_span span, nkx_view **out)
{
    if (nkx_view_is_opaque(v, "broadcast_to", span)) return false;
    if (n != v->ndim) {
        nkx_diag *g = nkx_diag_add(v->core->diags, NKX_E311, span,
                                   "broadcast_to %d dimensions of a tensor with %d", n, v->ndim);
        nkx_diag_hint(v->core->diags, g, "Ranks must agree: use expand_dim first.");
        return false;
    }
    nkx_view *w = nkx_view_clone(v);
    for (int d = 0; d < n; d++) {
        if (shape[d] == v->shape[d]) continue;
        if (v->shape[d] != 1 || shape[d] < 1 || !nkx_view_pinned(v, d, "broadcast_to", span)) {
            nkx_view_drop(w);
            return (v->shape[d] == 1 && shape[d] >= 1) ? false
                                                       : bad_broadcast(v, d, shape[d], span);
        }
        w->shape[d] = shape[d];
        w->stride[d] = 0;
    }
    return keep(w, out);
}

bool nkx_view_expand_dim(nkx_view *v, int64_t dim, nkx_span span, nkx_view **out)
{
    int d;
    if (nkx_view_is_opaque(v, "expand_dim", span) || rank_full(v, v->ndim + 1, span)) return false;
    if (!nkx_view_dim(v, dim, v->ndim + 1, "expand_dim", span, &d)) return false;
    if (!nkx_view_pinned(v, d, "expand_dim", span)) return false;
    nkx_view *w = nkx_view_clone(v);
    for (int i = w->ndim; i > d; i--) {
        w->shape[i] = w->shape[i - 1];
        w->stride[i] = w->stride[i - 1];
    }
    w->stride[d] = d < v->ndim ? v->stride[d] * v->shape[d] : 1;
    w->shape[d] = 1;
    w->ndim++;
    return keep(w, out);
}

bool nkx_view_squeeze_dim(nkx_view *v, int64_t dim, nkx_span span, nkx_view **out)
{
    int d;
    if (nkx_view_is_opaque(v, "squeeze_dim", span)) return false;
    if (!nkx_view_dim(v, dim, v->ndim, "squeeze_dim", span, &d)) return false;
    if (!nkx_view_pinned(v, d, "squeeze_dim", span)) return false;
    if (v->shape[d] != 1 || v->ndim == 1) {
        nkx_diag *g = nkx_diag_add(v->core->diags, NKX_E310, span,
                                   "squeeze_dim of dimension %d with %lld elements", d,
                                   (long long)v->shape[d]);
        nkx_diag_hint(v->core->diags, g, "Only a dimension of one element can be removed.");
        return false;
    }
    nkx_view *w = nkx_view_clone(v);
    for (int i = d; i + 1 < w->ndim; i++) {
        w->shape[i] = w->shape[i + 1];
        w->stride[i] = w->stride[i + 1];
    }
    w->ndim--;
    return keep(w, out);
}

/* ---- reshape ---- */

static bool bad_count(nkx_view *v, nkx_span span, const char *what, int64_t found, int64_t want)
{
    nkx_diag *g =
        nkx_diag_add(v->core->diags, NKX_E311, span, "%s: %lld elements into a shape of %lld", what,
                     (long long)want, (long long)found);
    nkx_diag_hint(v->core->diags, g,
                  "A reshape keeps the number of elements; one extent may be -1.");
    return false;
}

/* Replaces one -1 by what is left; false when the product does not fit `total`. */
static bool fill_unknown(nkx_view *v, const int64_t *shape, int n, int64_t total, const char *what,
                         nkx_span span, int64_t *full)
{
    int64_t run = 1;
    int unknown = -1;
    for (int i = 0; i < n; i++) {
        full[i] = shape[i];
        if (shape[i] == -1 && unknown < 0) {
            unknown = i;
        } else if (shape[i] < 1 || !nkx_mul_i64(run, shape[i], &run)) {
            return bad_count(v, span, what, shape[i], total);
        }
    }
    if (unknown >= 0 && total % run == 0) {
        full[unknown] = total / run;
        run = total;
    }
    return run == total || bad_count(v, span, what, run, total);
}

bool nkx_view_reshape_dim(nkx_view *v, int64_t dim, const int64_t *shape, int n, nkx_span span,
                          nkx_view **out)
{
    int d;
    int64_t full[NKX_MAX_RANK];
    if (nkx_view_is_opaque(v, "reshape_dim", span)) return false;
    if (!nkx_view_dim(v, dim, v->ndim, "reshape_dim", span, &d)) return false;
    if (n < 1 || rank_full(v, v->ndim + n - 1, span)) {
        return n < 1 ? bad_count(v, span, "reshape_dim", 0, v->shape[d]) : false;
    }
    if (n != 1 && !nkx_view_pinned(v, d, "reshape_dim", span)) return false;
    if (!fill_unknown(v, shape, n, v->shape[d], "reshape_dim", span, full)) return false;
    nkx_view *w = nkx_view_clone(v);
    for (int i = v->ndim - 1; i > d; i--) {
        w->shape[i + n - 1] = v->shape[i];
        w->stride[i + n - 1] = v->stride[i];
    }
    int64_t run = v->stride[d];
    for (int i = n - 1; i >= 0; i--) {
        w->shape[d + i] = full[i];
        w->stride[d + i] = run;
        run *= full[i];
    }
    w->ndim = (uint8_t)(v->ndim + n - 1);
    return keep(w, out);
}

bool nkx_view_flatten_dims(nkx_view *v, int64_t start, int64_t end, nkx_span span, nkx_view **out)
{
    int a, b;
    if (nkx_view_is_opaque(v, "flatten_dims", span)) return false;
    if (!nkx_view_dim(v, start, v->ndim, "flatten_dims", span, &a) ||
        !nkx_view_dim(v, end, v->ndim, "flatten_dims", span, &b)) {
        return false;
    }
    if (!nkx_view_pinned(v, a, "flatten_dims", span)) return false;
    bool fits = a < b;
    int64_t size = v->shape[a];
    for (int i = a; fits && i < b; i++) {
        fits = v->stride[i] == v->shape[i + 1] * v->stride[i + 1];
        size *= v->shape[i + 1];
    }
    if (!fits) {
        nkx_diag *g =
            nkx_diag_add(v->core->diags, NKX_E314, span,
                         "flatten_dims(%d, %d): the dimensions do not lie in one run", a, b);
        nkx_diag_hint(
            v->core->diags, g,
            "Each stride must be the next extent times the next stride, and start must be "
            "less than end.");
        return false;
    }
    nkx_view *w = nkx_view_clone(v);
    w->shape[a] = size;
    w->stride[a] = v->stride[b];
    for (int i = b + 1; i < v->ndim; i++) {
        w->shape[a + i - b] = v->shape[i];
        w->stride[a + i - b] = v->stride[i];
    }
    w->ndim = (uint8_t)(v->ndim - (b - a));
    return keep(w, out);
}

/* Runs of a view: neighbouring dims merged where they lie in one run (phases 1 and 2 of
 * isa.md 3.4). */
static int merge_runs(const nkx_view *v, int first, int64_t *size, int64_t *stride)
{
    int n = 0;
    for (int d = first; d < v->ndim; d++) {
        if (v->shape[d] == 1) continue;
        if (n > 0 && stride[n - 1] == v->stride[d] * v->shape[d]) {
            size[n - 1] *= v->shape[d];
            stride[n - 1] = v->stride[d];
        } else {
            size[n] = v->shape[d];
            stride[n] = v->stride[d];
            n++;
        }
    }
    return n;
}

static bool needs_copy(nkx_view *v, nkx_span span, int64_t extent)
{
    nkx_diag *g = nkx_diag_add(v->core->diags, NKX_E313, span,
                               "reshape: extent %lld does not fit the strides of the view",
                               (long long)extent);
    nkx_diag_hint(v->core->diags, g,
                  "The elements do not lie so that this shape is a view of them: copy the tensor "
                  "first, or reshape before slicing and permuting.");
    return false;
}

/* Phase 3: the new shape taken from the runs, innermost first. */
static bool cut_runs(nkx_view *v, nkx_view *w, int first, int64_t *size, const int64_t *stride,
                     int n, nkx_span span)
{
    int64_t run = n > 0 ? stride[n - 1] : 1;
    for (int d = w->ndim - 1; d >= first; d--) {
        int64_t e = w->shape[d];
        if (e == 1) {
            w->stride[d] = run;
            continue;
        }
        while (n > 0 && size[n - 1] == 1) {
            n--;
            run = n > 0 ? stride[n - 1] : run;
        }
        if (n == 0 || size[n - 1] % e != 0) return needs_copy(v, span, e);
        w->stride[d] = run;
        run *= e;
        size[n - 1] /= e;
    }
    return true;
}

bool nkx_view_reshape(nkx_view *v, const int64_t *shape, int n, nkx_span span, nkx_view **out)
{
    int64_t full[NKX_MAX_RANK], size[NKX_MAX_RANK], stride[NKX_MAX_RANK];
    bool fixed = nkx_view_on_chip(v) || v->indirect == NKX_IND_VECTOR;
    if (nkx_view_is_opaque(v, "reshape", span) || rank_full(v, n, span)) return false;
    if (n < 1) return bad_count(v, span, "reshape", 0, nkx_view_size(v));
    if (!fill_unknown(v, shape, n, nkx_view_size(v), "reshape", span, full)) return false;
    if (fixed && full[0] != v->shape[0] &&
        !nkx_view_pinned(v, 0, "reshape that changes the extent", span)) {
        return false;
    }
    nkx_view *w = nkx_view_clone(v);
    w->ndim = (uint8_t)n;
    memcpy(w->shape, full, sizeof *full * (size_t)n);
    int first = fixed ? 1 : 0;
    if (!cut_runs(v, w, first, size, stride, merge_runs(v, first, size, stride), span)) {
        nkx_view_drop(w);
        return false;
    }
    if (nkx_view_on_chip(w) && n == 1) {
        w->shape[1] = w->stride[1] = 1;
        w->ndim = 2;
    }
    return keep(w, out);
}

/* ---- bit casts ---- */

static bool bad_cast(nkx_view *v, nkx_dtype dt, const char *why, nkx_span span)
{
    nkx_diag *g = nkx_diag_add(v->core->diags, NKX_E315, span, "view of %s as %s: %s",
                               nkx_dtypes[v->dtype].name, nkx_dtypes[dt].name, why);
    nkx_diag_hint(
        v->core->diags, g,
        "A view of another element size needs adjacent elements in the last dimension, and "
        "extents, strides and offset that are multiples of the ratio.");
    return false;
}

static bool cast_grow(nkx_view *v, nkx_view *w, int64_t r)
{
    int last = w->ndim - 1;
    bool fits = w->shape[last] % r == 0 && w->offset % r == 0;
    w->shape[last] /= r;
    w->offset /= r;
    for (int d = 0; d < last; d++) {
        fits = fits && (v->stride[d] % r == 0 || v->shape[d] == 1);
        w->stride[d] /= r;
    }
    return fits;
}

static void cast_shrink(nkx_view *w, int64_t r)
{
    int last = w->ndim - 1;
    w->shape[last] *= r;
    w->offset *= r;
    for (int d = 0; d < last; d++) w->stride[d] *= r;
}

/* fp32 cells hold no bits of a low-precision type: say so once when a run keeps them (view.h). */
static void warn_fp32(nkx_view *v, nkx_dtype dt, nkx_span span)
{
    if (nkx_cell_dtype(v->core, (nkx_dtype)v->dtype) == v->dtype &&
        nkx_cell_dtype(v->core, dt) == dt) {
        return;
    }
    nkx_diag *g = nkx_diag_add(v->core->diags, NKX_E331, span,
                               "bits of %s seen as %s while --fp32 keeps fp32",
                               nkx_dtypes[v->dtype].name, nkx_dtypes[dt].name);
    nkx_diag_hint(v->core->diags, g, "Kernels that look at bits give other values under --fp32.");
}

bool nkx_view_bitcast(nkx_view *v, nkx_dtype dt, nkx_span span, nkx_view **out)
{
    int64_t from = nkx_dtype_bytes((nkx_dtype)v->dtype), to = nkx_dtype_bytes(dt);
    int last = v->ndim - 1;
    if (nkx_view_is_opaque(v, "view", span)) return false;
    if (!nkx_dtypes[dt].device) return bad_cast(v, dt, "the type cannot be on the device", span);
    if (from != to) {
        if (v->stride[last] != 1 && v->shape[last] != 1) {
            return bad_cast(v, dt, "the last stride is not 1", span);
        }
        if (v->indirect != NKX_IND_NONE) return bad_cast(v, dt, "the view is indirect", span);
    }
    if (dt != (nkx_dtype)v->dtype) warn_fp32(v, dt, span);
    nkx_view *w = nkx_view_clone(v);
    w->dtype = (uint8_t)dt;
    if (to > from && !cast_grow(v, w, to / from)) {
        nkx_view_drop(w);
        return bad_cast(v, dt, "an extent, stride or the offset is no multiple of the ratio", span);
    }
    if (to < from) cast_shrink(w, from / to);
    if (from != to) w->stride[last] = 1;
    return keep(w, out);
}
