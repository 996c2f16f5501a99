/* SPDX-License-Identifier: Apache-2.0 */
/* numpy: shapes and rearrangements, joining and splitting, taking and putting. Layer eval. */
#include "interp/eval/mod_numpy.h"

#include <stdlib.h>
#include <string.h>

/* The view or copy that f makes of in[0], as a value. */
#define WITH_ARRAY(expr)                                                                           \
    do {                                                                                           \
        nkx_ndarray *a = NULL;                                                                     \
        nkx_nd_error e = {0};                                                                      \
        if (!nkx_np_array(vm, in[0], -1, &a)) return false;                                        \
        nkx_ndarray *r_ = (expr);                                                                  \
        nkx_nd_drop(a);                                                                            \
        return nkx_np_done(vm, r_, &e, out);                                                       \
    } while (0)

/* a, shape, order */
static bool np_reshape(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t shape[NKX_ND_MAX];
    int n;
    char order;
    if (!nkx_np_ints(vm, in[1], "shape", shape, NKX_ND_MAX, &n) || !nkx_np_order(vm, in[2], &order))
        return false;
    WITH_ARRAY(nkx_nd_reshape(a, n, shape, order, &e));
}

/* a, axes */
static bool np_transpose(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t axes[NKX_ND_MAX];
    int n = 0;
    bool given = nkx_given(in[1]);
    if (given && !nkx_np_ints(vm, in[1], "axes", axes, NKX_ND_MAX, &n)) return false;
    WITH_ARRAY(nkx_nd_transpose(a, given ? axes : NULL, n, &e));
}

/* a, axis1, axis2 */
bool nkx_np_swapaxes(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t x, y;
    if (!nkx_as_int(vm, in[1], "axis1", &x) || !nkx_as_int(vm, in[2], "axis2", &y)) return false;
    WITH_ARRAY(nkx_nd_swapaxes(a, x, y, &e));
}

/* a, source, destination */
static bool np_moveaxis(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t from[NKX_ND_MAX], to[NKX_ND_MAX];
    int n, m;
    if (!nkx_np_ints(vm, in[1], "source", from, NKX_ND_MAX, &n) ||
        !nkx_np_ints(vm, in[2], "destination", to, NKX_ND_MAX, &m))
        return false;
    if (n != m)
        return nkx_value_error(
            vm, "`source` and `destination` arguments must have the same number of elements");
    WITH_ARRAY(nkx_nd_moveaxis(a, from, to, n, &e));
}

/* a, axis, start */
static bool np_rollaxis(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t x, start;
    if (!nkx_as_int(vm, in[1], "axis", &x) || !nkx_as_int(vm, in[2], "start", &start)) return false;
    if (x >= 0 && start > x) start--;
    WITH_ARRAY(nkx_nd_moveaxis(a, &x, &start, 1, &e));
}

/* a, axis */
bool nkx_np_squeeze(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t axes[NKX_ND_MAX];
    int n = -1;
    if (nkx_given(in[1]) && !nkx_np_ints(vm, in[1], "axis", axes, NKX_ND_MAX, &n)) return false;
    WITH_ARRAY(nkx_nd_squeeze(a, axes, n, &e));
}

/* a, axis */
static bool np_expand_dims(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t axes[NKX_ND_MAX];
    int n;
    if (!nkx_np_ints(vm, in[1], "axis", axes, NKX_ND_MAX, &n)) return false;
    WITH_ARRAY(nkx_nd_expand_dims(a, axes, n, &e));
}

/* a, shape */
static bool np_broadcast_to(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t shape[NKX_ND_MAX];
    int n;
    if (!nkx_np_ints(vm, in[1], "shape", shape, NKX_ND_MAX, &n)) return false;
    WITH_ARRAY(nkx_nd_broadcast_to(a, n, shape, &e));
}

/* *args */
static bool np_broadcast_arrays(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_nd_vec v = {0};
    nkx_nd_error e;
    int64_t shape[NKX_ND_MAX];
    int ndim = 0;
    if (!nkx_np_arrays(vm, in[0], &v)) return false;
    bool ok = nkx_nd_broadcast_shape((int)v.n, v.at, &ndim, shape, &e) || nkx_np_raise(vm, &e);
    *out = nkx_tuple_new(vm, (uint32_t)v.n);
    for (size_t i = 0; ok && i < v.n; i++)
        ok = nkx_np_done(vm, nkx_nd_broadcast_to(v.at[i], ndim, shape, &e), &e,
                         &NKX_AS(nkx_tuple, *out)->at[i]);
    nkx_np_arrays_fini(&v);
    if (!ok) nkx_drop(*out);
    return ok;
}

/* *shapes */
static bool np_broadcast_shapes(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_tuple *t = NKX_AS(nkx_tuple, in[0]);
    int64_t all[NKX_ND_MAX], one[NKX_ND_MAX];
    int ndim = 0, n;
    for (uint32_t i = 0; i < t->n; i++) {
        if (!nkx_np_ints(vm, t->at[i], "shape", one, NKX_ND_MAX, &n)) return false;
        for (; ndim < n; ndim++) {
            memmove(all + 1, all, (size_t)ndim * sizeof all[0]);
            all[0] = 1;
        }
        for (int d = 0; d < n; d++) {
            int64_t *want = &all[ndim - n + d];
            if (one[d] == 1 || one[d] == *want) continue;
            if (*want != 1)
                return nkx_raise(vm, NKX_E261, "ValueError",
                                 "shape mismatch: objects cannot be broadcast to a single shape");
            *want = one[d];
        }
    }
    *out = nkx_tuple_new(vm, (uint32_t)ndim);
    for (int d = 0; d < ndim; d++) NKX_AS(nkx_tuple, *out)->at[d] = nkx_int(all[d]);
    return true;
}

/* a, order */
static bool np_ravel(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    char order;
    if (!nkx_np_order(vm, in[1], &order)) return false;
    WITH_ARRAY(nkx_nd_ravel(a, order, false, &e));
}

/* m, axis */
static bool np_flip(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t axes[NKX_ND_MAX];
    int n = -1;
    if (nkx_given(in[1]) && !nkx_np_ints(vm, in[1], "axis", axes, NKX_ND_MAX, &n)) return false;
    WITH_ARRAY(nkx_nd_flip(a, axes, n, &e));
}

static bool np_flipud(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t axis = 0;
    WITH_ARRAY(nkx_nd_flip(a, &axis, 1, &e));
}

static bool np_fliplr(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t axis = 1;
    WITH_ARRAY(nkx_nd_flip(a, &axis, 1, &e));
}

/* a, shift, axis */
static bool np_roll(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t shift[NKX_ND_MAX], axis[NKX_ND_MAX];
    int n, m = 0;
    bool given = nkx_given(in[2]);
    if (!nkx_np_ints(vm, in[1], "shift", shift, NKX_ND_MAX, &n) ||
        (given && !nkx_np_ints(vm, in[2], "axis", axis, NKX_ND_MAX, &m)))
        return false;
    if (n == 1 && m <= 1) WITH_ARRAY(nkx_nd_roll(a, shift[0], given ? &axis[0] : NULL, &e));
    if (n != m) return nkx_value_error(vm, "'shift' and 'axis' should be of the same length");
    nkx_ndarray *a = NULL;
    nkx_nd_error e;
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    for (int i = 0; a != NULL && i < n; i++) {
        nkx_ndarray *r = nkx_nd_roll(a, shift[i], &axis[i], &e);
        nkx_nd_drop(a);
        a = r;
    }
    return nkx_np_done(vm, a, &e, out);
}

/* m, k: quarter turns of the first two axes */
static bool np_rot90(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t k, zero = 0, one = 1;
    nkx_ndarray *a = NULL, *f = NULL, *r = NULL;
    nkx_nd_error e;
    if (!nkx_as_int(vm, in[1], "k", &k) || !nkx_np_array(vm, in[0], -1, &a)) return false;
    k = ((k % 4) + 4) % 4;
    if (a->ndim < 2) {
        nkx_nd_drop(a);
        return nkx_value_error(vm, "rot90 needs two dimensions");
    }
    if (k == 0) r = nkx_nd_view(a);
    if (k == 1) f = nkx_nd_flip(a, &one, 1, &e);
    if (k == 2) {
        int64_t both[2] = {0, 1};
        r = nkx_nd_flip(a, both, 2, &e);
    }
    if (k == 3) f = nkx_nd_flip(a, &zero, 1, &e);
    if (f != NULL) r = nkx_nd_swapaxes(f, 0, 1, &e);
    nkx_nd_drop(f);
    nkx_nd_drop(a);
    return nkx_np_done(vm, r, &e, out);
}

/* ---- joining ---- */

/* Every array with at least `least` dimensions, as vstack and its like want them. */
static bool raise_dims(nkx_vm *vm, nkx_nd_vec *v, int least, bool column)
{
    nkx_nd_error e;
    for (size_t i = 0; i < v->n; i++) {
        while (v->at[i]->ndim < least) {
            int64_t axis = v->at[i]->ndim == 0   ? 0
                           : column              ? v->at[i]->ndim
                           : v->at[i]->ndim == 2 ? 2
                                                 : 0;
            nkx_ndarray *w = nkx_nd_expand_dims(v->at[i], &axis, 1, &e);
            if (w == NULL) return nkx_np_raise(vm, &e);
            nkx_nd_drop(v->at[i]);
            v->at[i] = w;
        }
    }
    return true;
}

static bool join(nkx_vm *vm, nkx_value seq, int least, bool column, int64_t axis, int dtype,
                 nkx_value *out)
{
    nkx_nd_vec v = {0};
    nkx_nd_error e;
    if (!nkx_np_arrays(vm, seq, &v)) return false;
    bool ok = raise_dims(vm, &v, least, column);
    if (ok && axis == INT64_MIN) axis = v.n > 0 && v.at[0]->ndim > 1 ? 1 : 0; /* hstack */
    ok = ok && nkx_np_done(vm, nkx_nd_concatenate((int)v.n, v.at, axis, dtype, &e), &e, out);
    nkx_np_arrays_fini(&v);
    return ok;
}

/* arrays, axis, out, dtype */
static bool np_concatenate(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t axis;
    int dtype;
    bool given;
    if (!nkx_np_axis(vm, in[1], &axis, &given) || !nkx_np_dtype(vm, in[3], &dtype)) return false;
    if (given) return join(vm, in[0], 0, false, axis, dtype, out);
    nkx_nd_vec v = {0};
    nkx_nd_error e;
    if (!nkx_np_arrays(vm, in[0], &v)) return false;
    bool ok = true;
    for (size_t i = 0; ok && i < v.n; i++) {
        nkx_ndarray *f = nkx_nd_ravel(v.at[i], 'C', false, &e);
        ok = f != NULL || nkx_np_raise(vm, &e);
        if (!ok) break;
        nkx_nd_drop(v.at[i]);
        v.at[i] = f;
    }
    ok = ok && nkx_np_done(vm, nkx_nd_concatenate((int)v.n, v.at, 0, dtype, &e), &e, out);
    nkx_np_arrays_fini(&v);
    return ok;
}

/* arrays, axis */
static bool np_stack(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_nd_vec v = {0};
    nkx_nd_error e;
    int64_t axis;
    if (!nkx_as_int(vm, in[1], "axis", &axis) || !nkx_np_arrays(vm, in[0], &v)) return false;
    bool ok = nkx_np_done(vm, nkx_nd_stack((int)v.n, v.at, axis, &e), &e, out);
    nkx_np_arrays_fini(&v);
    return ok;
}

static bool np_vstack(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return join(vm, in[0], 2, false, 0, -1, out);
}
static bool np_hstack(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return join(vm, in[0], 1, false, INT64_MIN, -1, out);
}
static bool np_dstack(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return join(vm, in[0], 3, false, 2, -1, out);
}
static bool np_column_stack(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return join(vm, in[0], 2, true, 1, -1, out);
}

/* arr, values, axis */
static bool np_append(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value pair[2] = {in[0], in[1]}, seq = nkx_tuple_of(vm, pair, 2),
              args[4] = {seq, in[2], NKX_NONE, NKX_NONE};
    bool ok = np_concatenate(vm, args, out);
    nkx_drop(seq);
    return ok;
}

/* arr, obj, axis: without some indices of an axis */
static bool np_delete(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *keep = NULL, *r = NULL, *src = NULL;
    nkx_nd_error e;
    int64_t axis, at[256];
    int n, x = 0;
    bool given;
    if (!nkx_np_axis(vm, in[2], &axis, &given) || !nkx_np_ints(vm, in[1], "obj", at, 256, &n) ||
        !nkx_np_array(vm, in[0], -1, &a))
        return false;
    src = given ? nkx_nd_ref(a) : nkx_nd_ravel(a, 'C', false, &e);
    bool ok = src != NULL && nkx_nd_axis(axis, src->ndim, &x, &e);
    if (ok) keep = nkx_nd_new(NKX_DT_BOOL, 1, &src->shape[x], &e);
    if (keep != NULL) {
        memset(keep->at, 1, (size_t)src->shape[x]);
        for (int i = 0; ok && i < n; i++) {
            int64_t k = at[i] < 0 ? at[i] + src->shape[x] : at[i];
            if (k < 0 || k >= src->shape[x]) {
                ok = nkx_nd_fail(&e, "IndexError",
                                 "index %lld is out of bounds for axis %d with size %lld",
                                 (long long)at[i], x, (long long)src->shape[x]);
            } else {
                keep->at[k] = 0;
            }
        }
        nkx_nd_index ix[NKX_ND_MAX];
        for (int d = 0; d < x; d++) ix[d] = (nkx_nd_index){.kind = NKX_NDIX_SLICE, .step = 1};
        ix[x] = (nkx_nd_index){.kind = NKX_NDIX_ARRAY, .array = keep};
        if (ok) r = nkx_nd_index_get(src, ix, x + 1, &e);
    }
    nkx_nd_drop(keep);
    nkx_nd_drop(src);
    nkx_nd_drop(a);
    return nkx_np_done(vm, r, &e, out);
}

/* ---- splitting ---- */

/* Pieces at the given bounds along an axis, as a list of views. */
static bool pieces(nkx_vm *vm, nkx_ndarray *a, int x, const int64_t *bound, int n, nkx_value *out)
{
    int64_t lo = 0, len = a->shape[x];
    *out = nkx_list_new(vm, (uint32_t)n + 1);
    for (int i = 0; i <= n; i++) {
        int64_t hi = i < n ? bound[i] : len;
        hi = hi < 0 ? hi + len : hi;
        hi = hi < 0 ? 0 : hi > len ? len : hi;
        int64_t end = hi < lo ? lo : hi;
        nkx_value v = nkx_array_take(vm, nkx_nd_part(a, x, lo > len ? len : lo, end));
        nkx_list_append(*out, v);
        nkx_drop(v);
        lo = i < n ? hi : lo;
    }
    return true;
}

static bool split(nkx_vm *vm, nkx_value av, nkx_value sections, int64_t axis, bool even,
                  nkx_value *out)
{
    nkx_ndarray *a = NULL;
    nkx_nd_error e;
    const nkx_value *items;
    uint32_t count;
    int x = 0, n = 0;
    int64_t parts = 0, *bound = NULL;
    if (!nkx_np_array(vm, av, -1, &a)) return false;
    bool ok = nkx_nd_axis(axis, a->ndim, &x, &e) || nkx_np_raise(vm, &e);
    if (ok && (nkx_items(sections, &items, &count) ||
               (sections.type == NKX_V_ARRAY && nkx_np_of(sections)->ndim == 1))) {
        int max = sections.type == NKX_V_ARRAY ? (int)nkx_nd_size(nkx_np_of(sections)) : (int)count;
        bound = nkx_alloc((size_t)(max + 1) * sizeof *bound);
        ok = nkx_np_ints(vm, sections, "indices", bound, max, &n);
    } else if (ok) {
        ok = nkx_as_int(vm, sections, "sections", &parts);
        int64_t len = a->shape[x];
        if (ok && (parts <= 0 || parts > 1000000))
            ok = nkx_value_error(vm, "number sections must be larger than 0.");
        if (ok && even && len % parts != 0)
            ok = nkx_value_error(vm, "array split does not result in an equal division");
        if (ok) {
            bound = nkx_alloc((size_t)parts * sizeof *bound);
            for (int64_t i = 1, at = 0; i < parts; i++) {
                at += len / parts + (i <= len % parts ? 1 : 0);
                bound[n++] = at;
            }
        }
    }
    ok = ok && pieces(vm, a, x, bound, n, out);
    free(bound);
    nkx_nd_drop(a);
    return ok;
}

/* ary, indices_or_sections, axis */
static bool np_split(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t axis;
    return nkx_as_int(vm, in[2], "axis", &axis) && split(vm, in[0], in[1], axis, true, out);
}

static bool np_array_split(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t axis;
    return nkx_as_int(vm, in[2], "axis", &axis) && split(vm, in[0], in[1], axis, false, out);
}

static bool np_vsplit(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return split(vm, in[0], in[1], 0, true, out);
}

static bool np_hsplit(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    bool flat = in[0].type == NKX_V_ARRAY && nkx_np_of(in[0])->ndim == 1;
    return split(vm, in[0], in[1], flat ? 0 : 1, true, out);
}

/* ---- repeating ---- */

/* A, reps */
static bool np_tile(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t reps[NKX_ND_MAX];
    int n;
    if (!nkx_np_ints(vm, in[1], "reps", reps, NKX_ND_MAX, &n)) return false;
    WITH_ARRAY(nkx_nd_tile(a, n, reps, &e));
}

/* a, repeats, axis */
bool nkx_np_repeat(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *c = NULL, *counts = NULL;
    nkx_nd_error e;
    int64_t axis;
    bool given;
    if (!nkx_np_axis(vm, in[2], &axis, &given) || !nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_array(vm, in[1], -1, &c);
    if (ok && !nkx_dtype_is_int((nkx_dtype)c->dtype))
        ok = nkx_type_error(vm, "Cannot cast array data from dtype('float64') to dtype('int64') "
                                "according to the rule 'safe'");
    if (ok) {
        counts = nkx_nd_astype(c, NKX_DT_INT64);
        ok = nkx_np_done(vm,
                         nkx_nd_repeat(a, nkx_nd_size(counts),
                                       (const int64_t *)(const void *)counts->at,
                                       given ? &axis : NULL, &e),
                         &e, out);
    }
    nkx_nd_drop(a);
    nkx_nd_drop(c);
    nkx_nd_drop(counts);
    return ok;
}

/* pad_width: n, (b, a), ((b, a),) or a pair a dimension */
static bool pad_widths(nkx_vm *vm, nkx_value v, int ndim, int64_t *before, int64_t *after)
{
    nkx_ndarray *w = NULL, *wide = NULL, *whole = NULL;
    nkx_nd_error e;
    int64_t shape[2] = {ndim, 2};
    if (!nkx_np_array(vm, v, -1, &w)) return false;
    whole = nkx_nd_astype(w, NKX_DT_INT64);
    wide = nkx_nd_broadcast_to(whole, 2, shape, &e);
    bool ok = wide != NULL || nkx_np_raise(vm, &e);
    for (int d = 0; ok && d < ndim; d++) {
        before[d] = nkx_nd_get_i64(wide, 2 * d);
        after[d] = nkx_nd_get_i64(wide, 2 * d + 1);
    }
    nkx_nd_drop(w);
    nkx_nd_drop(whole);
    nkx_nd_drop(wide);
    return ok;
}

/* array, pad_width, mode, constant_values */
static bool np_pad(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    static const char *const names[] = {"constant", "edge", "reflect", "symmetric", "wrap"};
    int64_t before[NKX_ND_MAX], after[NKX_ND_MAX];
    int mode = -1;
    nkx_ndarray *a = NULL, *value = NULL;
    nkx_nd_error e;
    for (int i = 0; i < 5; i++) {
        if (in[2].type == NKX_V_STR && nkx_str_is(in[2], names[i])) mode = i;
    }
    if (mode < 0)
        return nkx_value_error(
            vm, "mode '%s' is not supported (constant, edge, reflect, symmetric, wrap are)",
            in[2].type == NKX_V_STR ? nkx_text(in[2]) : "?");
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = pad_widths(vm, in[1], a->ndim, before, after) &&
              nkx_np_array(vm, in[3], (int)a->dtype, &value);
    if (ok && nkx_nd_size(value) < 1) ok = nkx_value_error(vm, "constant_values is empty");
    ok = ok &&
         nkx_np_done(vm, nkx_nd_pad(a, before, after, (nkx_pad_mode)mode, value->at, &e), &e, out);
    nkx_nd_drop(a);
    nkx_nd_drop(value);
    return ok;
}

/* ---- taking and putting ---- */

/* a, indices, axis, out, mode */
bool nkx_np_take(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *idx = NULL;
    nkx_nd_error e;
    int64_t axis;
    bool given;
    nkx_take_mode mode = NKX_TAKE_RAISE;
    if (in[4].type == NKX_V_STR && nkx_str_is(in[4], "wrap")) mode = NKX_TAKE_WRAP;
    if (in[4].type == NKX_V_STR && nkx_str_is(in[4], "clip")) mode = NKX_TAKE_CLIP;
    if (!nkx_np_axis(vm, in[2], &axis, &given) || !nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok =
        nkx_np_array(vm, in[1], -1, &idx) &&
        nkx_np_done_out(vm, nkx_nd_take(a, idx, given ? &axis : NULL, mode, &e), &e, in[3], out);
    nkx_nd_drop(a);
    nkx_nd_drop(idx);
    return ok;
}

/* arr, indices, axis */
static bool np_take_along(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *idx = NULL;
    nkx_nd_error e;
    int64_t axis;
    bool given;
    if (!nkx_np_axis(vm, in[2], &axis, &given) || !nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_array(vm, in[1], -1, &idx) &&
              nkx_np_done(vm, nkx_nd_take_along(a, idx, given ? &axis : NULL, &e), &e, out);
    nkx_nd_drop(a);
    nkx_nd_drop(idx);
    return ok;
}

/* arr, indices, values, axis */
static bool np_put_along(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *idx = NULL, *values = NULL;
    nkx_nd_error e;
    int64_t axis;
    (void)out;
    if (in[0].type != NKX_V_ARRAY)
        return nkx_type_error(vm, "put_along_axis() needs an array, not '%s'",
                              nkx_type_name(in[0]));
    if (!nkx_as_int(vm, in[3], "axis", &axis) || !nkx_np_array(vm, in[1], -1, &idx)) return false;
    bool ok = nkx_np_array(vm, in[2], -1, &values) &&
              (nkx_nd_put_along(nkx_np_of(in[0]), idx, values, &axis, &e) || nkx_np_raise(vm, &e));
    nkx_nd_drop(idx);
    nkx_nd_drop(values);
    return ok;
}

/* a, offset, axis1, axis2 */
bool nkx_np_diagonal(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t k, x, y;
    if (!nkx_as_int(vm, in[1], "offset", &k) || !nkx_as_int(vm, in[2], "axis1", &x) ||
        !nkx_as_int(vm, in[3], "axis2", &y))
        return false;
    WITH_ARRAY(nkx_nd_diagonal(a, k, x, y, &e));
}

bool nkx_np_trace(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value d;
    if (!nkx_np_diagonal(vm, in, &d)) return false;
    nkx_value args[7] = {d, nkx_int(-1), NKX_NONE, NKX_NONE, NKX_NONE, NKX_NONE, NKX_NONE};
    bool ok = nkx_np_sum(vm, args, out);
    nkx_drop(d);
    return ok;
}

/* arr with at least n dimensions */
static bool at_least(nkx_vm *vm, const nkx_value *in, int n, nkx_value *out)
{
    const nkx_tuple *t = NKX_AS(nkx_tuple, in[0]);
    nkx_nd_vec v = {0};
    nkx_nd_error e = {0};
    if (!nkx_np_arrays(vm, in[0], &v)) return false;
    bool ok = raise_dims(vm, &v, n, false);
    if (ok && t->n == 1) {
        ok = nkx_np_done(vm, nkx_nd_ref(v.at[0]), &e, out);
    } else if (ok) {
        *out = nkx_tuple_new(vm, t->n);
        for (uint32_t i = 0; i < t->n; i++)
            NKX_AS(nkx_tuple, *out)->at[i] = nkx_array_take(vm, nkx_nd_ref(v.at[i]));
    }
    nkx_np_arrays_fini(&v);
    return ok;
}

static bool np_atleast_1d(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return at_least(vm, in, 1, out);
}
static bool np_atleast_2d(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return at_least(vm, in, 2, out);
}
static bool np_atleast_3d(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return at_least(vm, in, 3, out);
}

static bool shape_value(nkx_vm *vm, const nkx_ndarray *a, nkx_value *out)
{
    *out = nkx_tuple_new(vm, a->ndim);
    for (int d = 0; d < a->ndim; d++) NKX_AS(nkx_tuple, *out)->at[d] = nkx_int(a->shape[d]);
    return true;
}

static bool np_shape(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = shape_value(vm, a, out);
    nkx_nd_drop(a);
    return ok;
}

static bool np_ndim(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    *out = nkx_int(a->ndim);
    nkx_nd_drop(a);
    return true;
}

/* a, axis */
static bool np_size(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    nkx_nd_error e;
    int64_t axis;
    int x;
    bool given;
    if (!nkx_np_axis(vm, in[1], &axis, &given) || !nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = !given || nkx_nd_axis(axis, a->ndim, &x, &e) || nkx_np_raise(vm, &e);
    if (ok) *out = nkx_int(given ? a->shape[x] : nkx_nd_size(a));
    nkx_nd_drop(a);
    return ok;
}

const nkx_builtin nkx_np_shape_rows[] = {
    {"reshape",          "a, shape, order='C'",                                  np_reshape,          "the elements in another shape",   0},
    {"transpose",        "a, axes=None",                                         np_transpose,        "axes in another order",           0},
    {"permute_dims",     "a, axes=None",                                         np_transpose,        "axes in another order",           0},
    {"swapaxes",         "a, axis1, axis2",                                      nkx_np_swapaxes,     "two axes exchanged",              0},
    {"moveaxis",         "a, source, destination",                               np_moveaxis,         "axes moved",                      0},
    {"rollaxis",         "a, axis, start=0",                                     np_rollaxis,         "an axis moved before another",    0},
    {"squeeze",          "a, axis=None",                                         nkx_np_squeeze,      "without axes of size 1",          0},
    {"expand_dims",      "a, axis",                                              np_expand_dims,      "with new axes of size 1",         0},
    {"broadcast_to",     "array, shape, subok=False",                            np_broadcast_to,
     "a read-only view in a larger shape",                                                                                               0},
    {"broadcast_arrays", "*args",                                                np_broadcast_arrays, "all in one shape",                0},
    {"broadcast_shapes", "*args",                                                np_broadcast_shapes, "the shape they broadcast to",     0},
    {"ravel",            "a, order='C'",                                         np_ravel,            "one dimension",                   0},
    {"flip",             "m, axis=None",                                         np_flip,             "axes reversed",                   0},
    {"flipud",           "m",                                                    np_flipud,           "rows reversed",                   0},
    {"fliplr",           "m",                                                    np_fliplr,           "columns reversed",                0},
    {"roll",             "a, shift, axis=None",                                  np_roll,             "shifted round an axis",           0},
    {"rot90",            "m, k=1",                                               np_rot90,            "turned by quarters",              0},
    {"concatenate",      "arrays, axis=0, out=None, dtype=None",                 np_concatenate,      "joined along an axis",
     0                                                                                                                                    },
    {"concat",           "arrays, axis=0, out=None, dtype=None",                 np_concatenate,      "joined along an axis",            0},
    {"stack",            "arrays, axis=0",                                       np_stack,            "joined along a new axis",         0},
    {"vstack",           "tup",                                                  np_vstack,           "rows on rows",                    0},
    {"hstack",           "tup",                                                  np_hstack,           "columns beside columns",          0},
    {"dstack",           "tup",                                                  np_dstack,           "joined along the third axis",     0},
    {"column_stack",     "tup",                                                  np_column_stack,     "vectors as columns",              0},
    {"append",           "arr, values, axis=None",                               np_append,           "values at the end",               0},
    {"delete",           "arr, obj, axis=None",                                  np_delete,           "without some indices",            0},
    {"split",            "ary, indices_or_sections, axis=0",                     np_split,            "equal pieces",                    0},
    {"array_split",      "ary, indices_or_sections, axis=0",                     np_array_split,
     "pieces as equal as possible",                                                                                                      0},
    {"vsplit",           "ary, indices_or_sections",                             np_vsplit,           "pieces along the first axis",     0},
    {"hsplit",           "ary, indices_or_sections",                             np_hsplit,           "pieces along the second axis",    0},
    {"tile",             "A, reps",                                              np_tile,             "repeated as a whole",             0},
    {"repeat",           "a, repeats, axis=None",                                nkx_np_repeat,       "every element repeated",          0},
    {"pad",              "array, pad_width, mode='constant', constant_values=0", np_pad,              "with a border",                   0},
    {"take",             "a, indices, axis=None, out=None, mode='raise'",        nkx_np_take,         "elements by index",               0},
    {"take_along_axis",  "arr, indices, axis=-1",                                np_take_along,       "elements by index along an axis",
     0                                                                                                                                    },
    {"put_along_axis",   "arr, indices, values, axis",                           np_put_along,
     "sets elements by index along an axis",                                                                                             0},
    {"diagonal",         "a, offset=0, axis1=0, axis2=1",                        nkx_np_diagonal,     "a diagonal",                      0},
    {"trace",            "a, offset=0, axis1=0, axis2=1",                        nkx_np_trace,        "sum of a diagonal",               0},
    {"atleast_1d",       "*arys",                                                np_atleast_1d,       "one dimension or more",           0},
    {"atleast_2d",       "*arys",                                                np_atleast_2d,       "two dimensions or more",          0},
    {"atleast_3d",       "*arys",                                                np_atleast_3d,       "three dimensions or more",        0},
    {"shape",            "a",                                                    np_shape,            "the shape",                       0},
    {"ndim",             "a",                                                    np_ndim,             "the number of dimensions",        0},
    {"size",             "a, axis=None",                                         np_size,             "the number of elements",          0},
    {NULL,               NULL,                                                   NULL,                NULL,                              0},
};
