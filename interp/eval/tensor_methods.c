/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TENSOR values: attributes and methods of NkiTensor (isa.md 3). Indexing and
 * operators are in tensor_index.c. The algebra of views is tensor's; here arguments are read. Layer
 * eval.
 */
#include "interp/eval/nki.h"

#include <string.h>

/* Result of a view operation into *out; the diagnostic it left becomes an exception otherwise. */
static bool give(nkx_vm *vm, bool ok, nkx_view **v, nkx_value *out)
{
    if (!ok) return nkx_exception_pending(vm) ? false : nkx_raise_diagnosed(vm);
    *out = nkx_tensor_take(vm, *v);
    return true;
}

static nkx_view *self_of(const nkx_value *in)
{
    return nkx_view_of(in[0]);
}

/* ---- attributes ---- */

static nkx_value int_tuple(nkx_vm *vm, const int64_t *at, int n)
{
    nkx_value t = nkx_tuple_new(vm, (uint32_t)n);
    nkx_tuple *o = NKX_AS(nkx_tuple, t);
    for (int i = 0; i < n; i++) o->at[i] = nkx_int(at[i]);
    return t;
}

static bool get_shape(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    *out = int_tuple(vm, self_of(in)->shape, self_of(in)->ndim);
    return true;
}

static bool get_strides(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    *out = int_tuple(vm, self_of(in)->stride, self_of(in)->ndim);
    return true;
}

static bool get_offset(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    *out = nkx_int(self_of(in)->offset);
    return true;
}

static bool get_ndim(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    *out = nkx_int(self_of(in)->ndim);
    return true;
}

static bool get_size(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    *out = nkx_int(nkx_view_size(self_of(in)));
    return true;
}

static bool get_dtype(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    *out = nkx_dtype_value((nkx_dtype)self_of(in)->dtype);
    return true;
}

static bool get_buffer(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_storage *st = self_of(in)->st;
    (void)vm;
    *out = nkx_space_value((nkx_space)st->space);
    out->aux = st->is_input;
    return true;
}

static bool get_name(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_storage *st = self_of(in)->st;
    *out = nkx_cstr(vm, st->name != NULL && !st->by_variable ? st->name : "");
    return true;
}

/* Where a tile of address= was put: (partition, byte offset). */
static bool get_address(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_view *v = self_of(in);
    if (!v->st->manual) {
        nkx_raise(vm, NKX_E203, "AttributeError",
                  "only tiles that were placed by address= have an address");
        nkx_raise_hint(vm, "The allocator chooses the place of the others.");
        return false;
    }
    int64_t bytes = v->offset * nkx_dtype_bytes((nkx_dtype)v->dtype);
    int64_t at[2] = {v->st->part0 + bytes / v->st->row_bytes,
                     v->st->offset + bytes % v->st->row_bytes};
    *out = int_tuple(vm, at, 2);
    return true;
}

/* ---- views ---- */

static bool m_is_contiguous(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    *out = nkx_bool(nkx_view_is_contiguous(self_of(in)));
    return true;
}

static bool m_is_indirect(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    *out =
        nkx_bool(self_of(in)->indirect != NKX_IND_NONE && self_of(in)->indirect != NKX_IND_BEYOND);
    return true;
}

static bool m_get_pattern(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_view *v = self_of(in);
    *out = nkx_list_new(vm, v->ndim);
    for (int d = 0; d < v->ndim; d++) {
        nkx_value pair = nkx_list_new(vm, 2);
        nkx_list_append(pair, nkx_int(v->stride[d]));
        nkx_list_append(pair, nkx_int(v->shape[d]));
        nkx_list_append(*out, pair);
        nkx_drop(pair);
    }
    return true;
}

/* The sole argument may be a tuple, or the ints stand one by one: permute(1, 0). */
static bool dims_of(nkx_vm *vm, nkx_value star, const char *what, int64_t *dims, int *n)
{
    const nkx_tuple *t = NKX_AS(nkx_tuple, star);
    if (t->n == 1 && t->at[0].type != NKX_V_INT)
        return nkx_as_shape(vm, t->at[0], what, dims, NKX_MAX_RANK, n);
    return nkx_as_shape(vm, star, what, dims, NKX_MAX_RANK, n);
}

static bool m_permute(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t dims[NKX_MAX_RANK];
    int n;
    nkx_view *w = NULL;
    if (!nkx_as_shape(vm, in[1], "permute(): dims", dims, NKX_MAX_RANK, &n)) return false;
    return give(vm, nkx_view_permute(self_of(in), dims, n, nkx_vm_span(vm), &w), &w, out);
}

static bool m_broadcast(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t dim, size;
    nkx_view *w = NULL;
    if (!nkx_as_int(vm, in[1], "broadcast(): dim", &dim) ||
        !nkx_as_int(vm, in[2], "broadcast(): size", &size))
        return false;
    return give(vm, nkx_view_broadcast(self_of(in), dim, size, nkx_vm_span(vm), &w), &w, out);
}

static bool m_broadcast_to(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t dims[NKX_MAX_RANK];
    int n;
    nkx_view *w = NULL;
    if (!dims_of(vm, in[1], "broadcast_to(): shape", dims, &n)) return false;
    return give(vm, nkx_view_broadcast_to(self_of(in), dims, n, nkx_vm_span(vm), &w), &w, out);
}

static bool m_expand_dim(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t dim;
    nkx_view *w = NULL;
    if (!nkx_as_int(vm, in[1], "expand_dim(): dim", &dim)) return false;
    return give(vm, nkx_view_expand_dim(self_of(in), dim, nkx_vm_span(vm), &w), &w, out);
}

static bool m_squeeze_dim(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t dim;
    nkx_view *w = NULL;
    if (!nkx_as_int(vm, in[1], "squeeze_dim(): dim", &dim)) return false;
    return give(vm, nkx_view_squeeze_dim(self_of(in), dim, nkx_vm_span(vm), &w), &w, out);
}

static bool m_reshape_dim(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t dim, shape[NKX_MAX_RANK];
    int n;
    nkx_view *w = NULL;
    if (!nkx_as_int(vm, in[1], "reshape_dim(): dim", &dim)) return false;
    if (!nkx_as_shape(vm, in[2], "reshape_dim(): shape", shape, NKX_MAX_RANK, &n)) return false;
    return give(vm, nkx_view_reshape_dim(self_of(in), dim, shape, n, nkx_vm_span(vm), &w), &w, out);
}

static bool m_flatten_dims(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t a, b;
    nkx_view *w = NULL;
    if (!nkx_as_int(vm, in[1], "flatten_dims(): start_dim", &a)) return false;
    if (!nkx_as_int(vm, in[2], "flatten_dims(): end_dim", &b)) return false;
    return give(vm, nkx_view_flatten_dims(self_of(in), a, b, nkx_vm_span(vm), &w), &w, out);
}

static bool m_reshape(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t dims[NKX_MAX_RANK];
    int n;
    nkx_view *w = NULL;
    if (!dims_of(vm, in[1], "reshape(): shape", dims, &n)) return false;
    return give(vm, nkx_view_reshape(self_of(in), dims, n, nkx_vm_span(vm), &w), &w, out);
}

static bool m_slice(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t a[4];
    nkx_view *w = NULL;
    static const char *const names[] = {"slice(): dim", "slice(): start", "slice(): end",
                                        "slice(): step"};
    for (int i = 0; i < 4; i++) {
        if (!nkx_as_int(vm, in[i + 1], names[i], &a[i])) return false;
    }
    return give(vm, nkx_view_slice(self_of(in), a[0], a[1], a[2], a[3], nkx_vm_span(vm), &w), &w,
                out);
}

static bool m_select(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t dim, i;
    nkx_view *w = NULL;
    bool ok;
    if (!nkx_as_int(vm, in[1], "select(): dim", &dim)) return false;
    if (in[2].type == NKX_V_TENSOR) {
        ok = nkx_view_select_dynamic(self_of(in), dim, nkx_view_of(in[2]), NULL, nkx_vm_span(vm),
                                     &w);
    } else if (in[2].type == NKX_V_REGISTER) {
        ok =
            nkx_view_select_dynamic(self_of(in), dim, NULL, nkx_reg_of(in[2]), nkx_vm_span(vm), &w);
    } else {
        if (!nkx_as_int(vm, in[2], "select(): index", &i)) return false;
        ok = nkx_view_select(self_of(in), dim, i, nkx_vm_span(vm), &w);
    }
    return give(vm, ok, &w, out);
}

/* An index tile as argument; false after raising. */
static bool tile_arg(nkx_vm *vm, nkx_value v, const char *what, nkx_view **out)
{
    if (v.type == NKX_V_TENSOR) {
        *out = nkx_view_of(v);
        return true;
    }
    return nkx_raise(vm, NKX_E702, "TypeError", "%s must be a tile, not %s", what,
                     nkx_type_name(v));
}

static bool m_vector_select(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t dim;
    nkx_view *index = NULL, *w = NULL;
    if (!nkx_as_int(vm, in[1], "vector_select(): dim", &dim)) return false;
    if (!tile_arg(vm, in[2], "vector_select(): vector_offset", &index)) return false;
    return give(vm, nkx_view_vector_select(self_of(in), dim, index, nkx_vm_span(vm), &w), &w, out);
}

static bool m_indirect(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t n;
    nkx_view *index = NULL, *w = NULL;
    if (!tile_arg(vm, in[1], "indirect(): index", &index)) return false;
    n = nkx_view_size(index);
    if (in[2].type != NKX_V_NONE && !nkx_as_int(vm, in[2], "indirect(): num_elem", &n))
        return false;
    return give(vm, nkx_view_indirect_tile(self_of(in), index, n, nkx_vm_span(vm), &w), &w, out);
}

static bool m_view(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_dtype dt;
    nkx_view *w = NULL;
    if (!nkx_value_dtype(vm, in[1], "view(): dtype", &dt)) return false;
    return give(vm, nkx_view_bitcast(self_of(in), dt, nkx_vm_span(vm), &w), &w, out);
}

/* ---- ap ---- */

static bool seq_items(nkx_value v, const nkx_value **at, uint32_t *n)
{
    if (v.type != NKX_V_TUPLE && v.type != NKX_V_LIST) return false;
    *at = v.type == NKX_V_TUPLE ? NKX_AS(nkx_tuple, v)->at : NKX_AS(nkx_list, v)->at;
    *n = v.type == NKX_V_TUPLE ? NKX_AS(nkx_tuple, v)->n : NKX_AS(nkx_list, v)->n;
    return true;
}

static bool ap_pattern(nkx_vm *vm, nkx_value v, int64_t pattern[][2], int *n)
{
    const nkx_value *at, *pair;
    uint32_t n_at, two;
    bool ok = seq_items(v, &at, &n_at) && n_at > 0 && n_at <= NKX_MAX_RANK;
    for (uint32_t i = 0; ok && i < n_at; i++) {
        ok = seq_items(at[i], &pair, &two) && two == 2 && nkx_is_int(pair[0], &pattern[i][0]) &&
             nkx_is_int(pair[1], &pattern[i][1]);
    }
    *n = ok ? (int)n_at : 0;
    if (ok) return true;
    nkx_raise(vm, NKX_E702, "TypeError",
              "ap(): 'pattern' must be a list of 1 to %d [step, num] pairs of ints", NKX_MAX_RANK);
    nkx_raise_hint(vm,
                   "On chip the first pair is [elements in a partition, number of partitions].");
    return false;
}

static bool ap_offsets(nkx_vm *vm, const nkx_value *in, nkx_ap *ap)
{
    if (in[2].type != NKX_V_NONE) {
        ap->has_offset = true;
        if (in[2].type == NKX_V_REGISTER || in[2].type == NKX_V_TENSOR) {
            nkx_raise(vm, NKX_E702, "TypeError", "ap(): 'offset' must be an int, not %s",
                      nkx_type_name(in[2]));
            nkx_raise_hint(
                vm,
                "A place that the device computes is given as scalar_offset= or vector_offset=.");
            return false;
        }
        if (!nkx_as_int(vm, in[2], "ap(): offset", &ap->offset)) return false;
    }
    if (in[3].type == NKX_V_REGISTER) {
        ap->reg_offset = nkx_reg_of(in[3]);
    } else if (in[3].type != NKX_V_NONE &&
               !tile_arg(vm, in[3], "ap(): scalar_offset", &ap->scalar_offset)) {
        return false;
    }
    return in[4].type == NKX_V_NONE ||
           tile_arg(vm, in[4], "ap(): vector_offset", &ap->vector_offset);
}

static bool m_ap(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t pattern[NKX_MAX_RANK][2];
    nkx_ap ap = {.dtype = -1};
    nkx_dtype dt;
    nkx_view *w = NULL;
    if (!ap_pattern(vm, in[1], pattern, &ap.n) || !ap_offsets(vm, in, &ap)) return false;
    if (!nkx_as_int(vm, in[5], "ap(): indirect_dim", &ap.indirect_dim)) return false;
    if (in[6].type != NKX_V_NONE) {
        if (!nkx_value_dtype(vm, in[6], "ap(): dtype", &dt)) return false;
        ap.dtype = (int)dt;
    }
    ap.pattern = (const int64_t(*)[2])pattern;
    return give(vm, nkx_view_ap(self_of(in), &ap, nkx_vm_span(vm), &w), &w, out);
}

/* ---- rearrange (isa.md 3.4): split groups of src, permute, merge groups of dst ---- */

enum { MAX_NAMES = NKX_MAX_RANK };

typedef struct axis_names {
    const char *at[MAX_NAMES];
    int n;
    int group[MAX_NAMES]; /* names in entry i of the pattern */
    int n_groups;
} axis_names;

static bool bad_rearrange(nkx_vm *vm, const char *why, const char *name)
{
    nkx_raise(vm, NKX_E733, "ValueError", "rearrange(): %s%s%s%s", why, *name ? " '" : "", name,
              *name ? "'" : "");
    nkx_raise_hint(vm, "A pattern is a tuple of names and of tuples of names; both patterns hold "
                       "the same names, and "
                       "at most one size in a group may be missing from fixed_sizes.");
    return false;
}

static bool read_names(nkx_vm *vm, nkx_value v, axis_names *out)
{
    const nkx_value *at, *group;
    uint32_t n, m;
    memset(out, 0, sizeof *out);
    if (!seq_items(v, &at, &n) || n > MAX_NAMES)
        return bad_rearrange(vm, "a pattern is no tuple of names", "");
    for (uint32_t i = 0; i < n; i++) {
        if (!seq_items(at[i], &group, &m)) {
            group = &at[i];
            m = 1;
        }
        for (uint32_t k = 0; k < m; k++) {
            if (group[k].type != NKX_V_STR || out->n == MAX_NAMES)
                return bad_rearrange(vm, "a pattern has an entry that is no name, or too many", "");
            out->at[out->n++] = nkx_text(group[k]);
        }
        out->group[out->n_groups++] = (int)m;
    }
    return true;
}

static int name_index(const axis_names *a, const char *name)
{
    for (int i = 0; i < a->n; i++) {
        if (strcmp(a->at[i], name) == 0) return i;
    }
    return -1;
}

/* Sizes of the names of one group, -1 for the one that is not fixed. */
static bool group_sizes(nkx_vm *vm, const axis_names *a, int first, int n, nkx_value fixed,
                        int64_t *sizes)
{
    for (int i = 0; i < n; i++) {
        nkx_value size = NKX_UNSET, key = nkx_cstr(vm, a->at[first + i]);
        bool ok = fixed.type != NKX_V_DICT || nkx_dict_get(vm, fixed, key, &size);
        nkx_drop(key);
        if (!ok) return false;
        sizes[i] = -1;
        if (size.type != NKX_V_UNSET && !nkx_as_int(vm, size, "rearrange(): size", &sizes[i]))
            return false;
    }
    return true;
}

/* *v is replaced by the result of a view operation. */
static bool step(nkx_vm *vm, bool ok, nkx_view **v, nkx_view **next)
{
    if (!ok) return nkx_exception_pending(vm) ? false : nkx_raise_diagnosed(vm);
    nkx_view_drop(*v);
    *v = *next;
    return true;
}

static bool split_groups(nkx_vm *vm, const axis_names *src, nkx_value fixed, nkx_view **v)
{
    int first = 0;
    for (int g = 0; g < src->n_groups; g++) {
        int64_t sizes[MAX_NAMES];
        nkx_view *next = NULL;
        if (!group_sizes(vm, src, first, src->group[g], fixed, sizes)) return false;
        if (src->group[g] != 1) {
            bool ok = nkx_view_reshape_dim(*v, first, sizes, src->group[g], nkx_vm_span(vm), &next);
            if (!step(vm, ok, v, &next)) return false;
        }
        first += src->group[g];
    }
    return true;
}

static bool merge_groups(nkx_vm *vm, const axis_names *dst, nkx_view **v)
{
    for (int g = 0; g < dst->n_groups; g++) {
        nkx_view *next = NULL;
        if (dst->group[g] < 2) continue;
        bool ok = nkx_view_flatten_dims(*v, g, g + dst->group[g] - 1, nkx_vm_span(vm), &next);
        if (!step(vm, ok, v, &next)) return false;
    }
    return true;
}

static bool rearranged(nkx_vm *vm, const axis_names *src, const axis_names *dst, nkx_value fixed,
                       nkx_view **v)
{
    int64_t order[MAX_NAMES];
    nkx_view *next = NULL;
    for (int i = 0; i < dst->n; i++) {
        order[i] = name_index(src, dst->at[i]);
        if (order[i] < 0) return bad_rearrange(vm, "dst names what src does not:", dst->at[i]);
    }
    if (src->n != dst->n)
        return bad_rearrange(vm, "the patterns have different numbers of names", "");
    if (src->n_groups != (*v)->ndim)
        return bad_rearrange(vm, "src has another number of entries than the tensor has dimensions",
                             "");
    if (!split_groups(vm, src, fixed, v)) return false;
    if (!step(vm, nkx_view_permute(*v, order, dst->n, nkx_vm_span(vm), &next), v, &next))
        return false;
    return merge_groups(vm, dst, v);
}

static bool m_rearrange(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    axis_names src, dst;
    if (!read_names(vm, in[1], &src) || !read_names(vm, in[2], &dst)) return false;
    nkx_view *v = nkx_view_ref(self_of(in));
    if (rearranged(vm, &src, &dst, in[3], &v)) {
        *out = nkx_tensor_take(vm, v);
        return true;
    }
    nkx_view_drop(v);
    return false;
}

static bool m_getitem(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return nkx_tensor_index(vm, in[0], in[1], out);
}

static bool m_setitem(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    return nkx_tensor_set_index(vm, in[0], in[1], in[2]);
}

#define GET(n)                                                                                     \
    {                                                                                              \
#n, "self", get_##n, "", NKX_BF_METHOD | NKX_BF_GETTER                                     \
    }
#define M(n, sig, doc)                                                                             \
    {                                                                                              \
#n, sig, m_##n, doc, NKX_BF_METHOD                                                         \
    }
const nkx_builtin nkx_tensor_methods[] = {
    GET(shape),
    GET(strides),
    GET(offset),
    GET(name),
    GET(dtype),
    GET(buffer),
    GET(ndim),
    GET(size),
    GET(address),
    M(is_contiguous, "self", "True when the elements lie in one run."),
    M(is_indirect, "self", "True when places come from a register or an index tile."),
    M(get_pattern, "self", "[[stride, extent], ...] of the dimensions."),
    M(permute, "self, dims", "The dimensions in another order."),
    M(broadcast, "self, dim, size", "A dimension of one element repeated."),
    M(broadcast_to, "self, *shape", "Dimensions of one element repeated up to a shape."),
    M(expand_dim, "self, dim", "A new dimension of one element."),
    M(squeeze_dim, "self, dim", "Without a dimension of one element."),
    M(reshape_dim, "self, dim, shape", "One dimension as several."),
    M(flatten_dims, "self, start_dim, end_dim", "Neighbouring dimensions as one."),
    M(reshape, "self, *shape", "The same elements under another shape."),
    M(rearrange, "self, src_pattern, dst_pattern, fixed_sizes=None",
      "Split, permuted and merged by names."),
    M(slice, "self, dim, start, end, step=1", "Part of one dimension."),
    M(select, "self, dim, index",
      "One place of a dimension, which goes; an int, a register or a 1x1 tile."),
    M(vector_select, "self, dim, vector_offset", "Rows by an index tile, one a partition."),
    M(ap,
      "self, pattern, offset=None, scalar_offset=None, vector_offset=None, indirect_dim=0, "
      "dtype=None",
      "An access pattern on the storage."),
    M(view, "self, dtype", "The same bytes as another type."),
    {"reinterpret_cast", "self, dtype", m_view, "The same as view.", NKX_BF_METHOD},
    M(indirect, "self, index, num_elem=None", "Columns by an index tile (gen4)."),
    {"__getitem__",            "self, key", m_getitem, "t[key]", NKX_BF_METHOD},
    {"__setitem__",     "self, key, value", m_setitem, "t[key] = value", NKX_BF_METHOD},
    {0     },
};
#undef GET
#undef M
