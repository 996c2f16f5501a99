/* SPDX-License-Identifier: Apache-2.0 */
/* Values to host arrays and back: np.array's rules, dtypes, axes, index keys. Layer eval. */
#include "interp/eval/mod_numpy.h"

#include <stdlib.h>
#include <string.h>

/* ---- errors and results ---- */

typedef struct error_map {
    const char *from, *to;
    nkx_code code;
} error_map;

static const error_map error_codes[] = {
    {"ValueError",          "ValueError",          NKX_E261},
    {"AxisError",           "ValueError",          NKX_E261},
    {"IndexError",          "IndexError",          NKX_E212},
    {"TypeError",           "TypeError",           NKX_E210},
    {"UFuncTypeError",      "TypeError",           NKX_E210},
    {"LinAlgError",         "ValueError",          NKX_E261},
    {"OverflowError",       "OverflowError",       NKX_E215},
    {"ZeroDivisionError",   "ZeroDivisionError",   NKX_E214},
    {"MemoryError",         "MemoryError",         NKX_E250},
    {"KeyError",            "KeyError",            NKX_E213},
    {"FileNotFoundError",   "FileNotFoundError",   NKX_E655},
    {"PermissionError",     "PermissionError",     NKX_E655},
    {"IsADirectoryError",   "IsADirectoryError",   NKX_E655},
    {"OSError",             "OSError",             NKX_E655},
    {"NotImplementedError", "NotImplementedError", NKX_E261},
};

bool nkx_np_raise(nkx_vm *vm, const nkx_nd_error *e)
{
    for (size_t i = 0; i < NKX_COUNT(error_codes); i++) {
        if (strcmp(error_codes[i].from, e->exception) == 0)
            return nkx_raise(vm, error_codes[i].code, error_codes[i].to, "%s", e->text);
    }
    return nkx_raise(vm, NKX_E261, "ValueError", "%s", e->text);
}

bool nkx_np_done(nkx_vm *vm, nkx_ndarray *take, const nkx_nd_error *e, nkx_value *out)
{
    if (take == NULL) return nkx_np_raise(vm, e);
    if (take->block != NULL && take->block->refs == 1 && !nkx_reserve(vm, take->block->bytes)) {
        nkx_nd_drop(take);
        return false;
    }
    *out = nkx_array_take(vm, take);
    return true;
}

bool nkx_np_done_out(nkx_vm *vm, nkx_ndarray *take, nkx_nd_error *e, nkx_value dst, nkx_value *out)
{
    if (take == NULL || dst.type != NKX_V_ARRAY) return nkx_np_done(vm, take, e, out);
    bool ok = nkx_nd_assign(nkx_np_of(dst), take, e);
    nkx_nd_drop(take);
    if (!ok) return nkx_np_raise(vm, e);
    *out = nkx_ref(dst);
    return true;
}

nkx_value nkx_np_item(nkx_vm *vm, nkx_dtype t, const void *p)
{
    (void)vm;
    if (t == NKX_DT_BOOL) return nkx_bool(nkx_nd_elem_true(t, p));
    if (nkx_dtype_is_int(t)) return nkx_int(nkx_nd_elem_i64(t, p));
    return nkx_float(nkx_nd_elem_f64(t, p));
}

/* ---- dtypes ---- */

static nkx_dtype dtype_by_code(const char *s)
{
    static const struct {
        const char *code;
        nkx_dtype t;
    } codes[] = {
        {"f",     NKX_DT_FP32  },
        {"d",     NKX_DT_FP64  },
        {"e",     NKX_DT_FP16  },
        {"f2",    NKX_DT_FP16  },
        {"f4",    NKX_DT_FP32  },
        {"f8",    NKX_DT_FP64  },
        {"i1",    NKX_DT_INT8  },
        {"i2",    NKX_DT_INT16 },
        {"i4",    NKX_DT_INT32 },
        {"i8",    NKX_DT_INT64 },
        {"u1",    NKX_DT_UINT8 },
        {"u2",    NKX_DT_UINT16},
        {"u4",    NKX_DT_UINT32},
        {"u8",    NKX_DT_UINT64},
        {"b1",    NKX_DT_BOOL  },
        {"?",     NKX_DT_BOOL  },
        {"b",     NKX_DT_INT8  },
        {"B",     NKX_DT_UINT8 },
        {"h",     NKX_DT_INT16 },
        {"H",     NKX_DT_UINT16},
        {"i",     NKX_DT_INT32 },
        {"I",     NKX_DT_UINT32},
        {"l",     NKX_DT_INT64 },
        {"L",     NKX_DT_UINT64},
        {"q",     NKX_DT_INT64 },
        {"Q",     NKX_DT_UINT64},
        {"int",   NKX_DT_INT64 },
        {"uint",  NKX_DT_UINT64},
        {"float", NKX_DT_FP64  },
        {"bool_", NKX_DT_BOOL  },
        {"byte",  NKX_DT_INT8  },
        {"ubyte", NKX_DT_UINT8 },
        {"intp",  NKX_DT_INT64 },
        {"long",  NKX_DT_INT64 },
    };
    if (*s == '<' || *s == '=' || *s == '|') s++;
    for (size_t i = 0; i < NKX_COUNT(codes); i++) {
        if (strcmp(codes[i].code, s) == 0) return codes[i].t;
    }
    return nkx_dtype_find(s);
}

bool nkx_np_dtype(nkx_vm *vm, nkx_value v, int *out)
{
    *out = -1;
    switch ((int)v.type) {
    case NKX_V_NONE:
    case NKX_V_UNSET: return true;
    case NKX_V_DTYPE: *out = (int)v.u.i; return true;
    case NKX_V_TYPE:
        if (v.u.i == NKX_V_INT) *out = NKX_DT_INT64;
        if (v.u.i == NKX_V_FLOAT) *out = NKX_DT_FP64;
        if (v.u.i == NKX_V_BOOL) *out = NKX_DT_BOOL;
        break;
    case NKX_V_STR: {
        nkx_dtype t = dtype_by_code(nkx_text(v));
        if (t != NKX_N_DTYPES) *out = (int)t;
        break;
    }
    case NKX_V_ARRAY: break;
    default: break;
    }
    if (*out >= 0) return true;
    nkx_buf b = {0};
    if (nkx_repr(vm, v, &b)) nkx_type_error(vm, "data type %s not understood", b.at);
    nkx_buf_fini(&b);
    return false;
}

/* ---- np.array ---- */

/* What nested sequences come to. */
typedef struct shape_of {
    int64_t shape[NKX_ND_MAX];
    int ndim;  /* -1: not known yet */
    int dtype; /* -1: nothing seen */
} shape_of;

static void see_dtype(shape_of *s, nkx_dtype t)
{
    s->dtype = s->dtype < 0 ? (int)t : (int)nkx_promote((nkx_dtype)s->dtype, t);
}

static bool ragged(nkx_vm *vm, const shape_of *s, int depth)
{
    char text[96];
    return nkx_raise(vm, NKX_E261, "ValueError",
                     "setting an array element with a sequence. The requested array has an "
                     "inhomogeneous shape after %d dimensions. "
                     "The detected shape was %s + inhomogeneous part.",
                     depth, nkx_nd_shape_str(text, sizeof text, depth, s->shape));
}

static bool leaf_dtype(nkx_vm *vm, nkx_value v, shape_of *s)
{
    int64_t i;
    if (v.type == NKX_V_BOOL) {
        see_dtype(s, NKX_DT_BOOL);
    } else if (v.type == NKX_V_FLOAT) {
        see_dtype(s, NKX_DT_FP64);
    } else if (nkx_is_int(v, &i)) {
        see_dtype(s, NKX_DT_INT64);
    } else if (v.type == NKX_V_TENSOR) {
        nkx_type_error(vm, "a device tensor cannot become a host array inside a kernel");
        nkx_raise_hint(vm,
                       "Return the tensor from the kernel; the launch gives it back as an array.");
        return false;
    } else {
        return nkx_type_error(vm,
                              "arrays of type object are not supported: an item is of type '%s'",
                              nkx_type_name(v));
    }
    return true;
}

static bool discover(nkx_vm *vm, nkx_value v, int depth, shape_of *s)
{
    const nkx_value *at;
    uint32_t n;
    if (v.type == NKX_V_ARRAY) {
        const nkx_ndarray *a = nkx_np_of(v);
        if (s->ndim >= 0 && s->ndim != depth + a->ndim) return ragged(vm, s, depth);
        if (depth + a->ndim > NKX_ND_MAX)
            return nkx_value_error(vm, "more than %d dimensions", NKX_ND_MAX);
        for (int d = 0; d < a->ndim; d++) {
            if (s->ndim >= 0 && s->shape[depth + d] != a->shape[d]) return ragged(vm, s, depth + d);
            s->shape[depth + d] = a->shape[d];
        }
        s->ndim = depth + a->ndim;
        see_dtype(s, (nkx_dtype)a->dtype);
        return true;
    }
    if (!nkx_items(v, &at, &n)) {
        if (s->ndim >= 0 && s->ndim != depth) return ragged(vm, s, depth);
        s->ndim = depth;
        return leaf_dtype(vm, v, s);
    }
    if (depth >= NKX_ND_MAX) return nkx_value_error(vm, "more than %d dimensions", NKX_ND_MAX);
    if (s->ndim >= 0 && (depth >= s->ndim || s->shape[depth] != n)) return ragged(vm, s, depth);
    if (s->ndim < 0) s->shape[depth] = n;
    if (n == 0 && s->ndim < 0) s->ndim = depth + 1;
    for (uint32_t i = 0; i < n; i++) {
        if (!discover(vm, at[i], depth + 1, s)) return false;
    }
    return true;
}

static bool put_leaf(nkx_vm *vm, nkx_ndarray *a, uint8_t *p, nkx_value v)
{
    nkx_dtype t = (nkx_dtype)a->dtype;
    int64_t i;
    if (v.type == NKX_V_FLOAT) {
        nkx_nd_put_f64(t, p, v.u.f);
        return true;
    }
    if (!nkx_is_int(v, &i))
        return nkx_type_error(vm, "a number is needed, not '%s'", nkx_type_name(v));
    bool small = nkx_dtype_is_int(t) && t != NKX_DT_INT64 && t != NKX_DT_BOOL;
    if (small &&
        (t == NKX_DT_UINT64 ? i < 0
                            : (double)i < nkx_dtypes[t].lowest || (double)i > nkx_dtypes[t].max)) {
        return nkx_raise(vm, NKX_E215, "OverflowError", "Python integer %lld out of bounds for %s",
                         (long long)i, nkx_nd_type_name(t));
    }
    if (t == NKX_DT_BOOL) i = i != 0;
    nkx_nd_put_i64(t, p, i);
    return true;
}

static bool fill(nkx_vm *vm, nkx_ndarray *a, int depth, uint8_t *p, nkx_value v)
{
    const nkx_value *at;
    uint32_t n;
    if (v.type == NKX_V_ARRAY) {
        nkx_ndarray *src = nkx_np_of(v);
        nkx_cast_nd((nkx_dtype)a->dtype, p, a->stride + depth, (nkx_dtype)src->dtype, src->at,
                    src->stride, src->ndim, src->shape);
        return true;
    }
    if (!nkx_items(v, &at, &n)) return put_leaf(vm, a, p, v);
    for (uint32_t i = 0; i < n && depth < a->ndim; i++) {
        if (!fill(vm, a, depth + 1, p + (int64_t)i * a->stride[depth], at[i])) return false;
    }
    return true;
}

static bool from_sequence(nkx_vm *vm, nkx_value v, int dtype, nkx_ndarray **out)
{
    shape_of s = {.ndim = -1, .dtype = -1};
    nkx_nd_error e;
    if (!discover(vm, v, 0, &s)) return false;
    nkx_dtype t = dtype >= 0 ? (nkx_dtype)dtype : s.dtype >= 0 ? (nkx_dtype)s.dtype : NKX_DT_FP64;
    *out = nkx_nd_new(t, s.ndim, s.shape, &e);
    if (*out == NULL) return nkx_np_raise(vm, &e);
    if (fill(vm, *out, 0, (*out)->at, v)) return true;
    nkx_nd_drop(*out);
    return false;
}

bool nkx_np_array(nkx_vm *vm, nkx_value v, int dtype, nkx_ndarray **out)
{
    nkx_value list;
    if (v.type == NKX_V_ARRAY) {
        if (dtype >= 0 &&
            (nkx_nd_is_packed((nkx_dtype)dtype) ||
             nkx_nd_is_packed((nkx_dtype)nkx_np_of(v)->dtype)) &&
            nkx_np_of(v)->dtype != dtype) {
            return nkx_type_error(vm, "arrays of packed types are not converted; use view()");
        }
        *out = dtype >= 0 ? nkx_nd_as(nkx_np_of(v), (nkx_dtype)dtype) : nkx_nd_ref(nkx_np_of(v));
        return true;
    }
    bool walk = v.type == NKX_V_RANGE || v.type == NKX_V_ITER || v.type == NKX_V_DICTVIEW;
    if (!walk) return from_sequence(vm, v, dtype, out);
    if (!nkx_list_of(vm, v, &list)) return false;
    bool ok = from_sequence(vm, list, dtype, out);
    nkx_drop(list);
    return ok;
}

bool nkx_np_can_operand(nkx_value v)
{
    int64_t i;
    return v.type == NKX_V_ARRAY || v.type == NKX_V_FLOAT || v.type == NKX_V_LIST ||
           v.type == NKX_V_TUPLE || nkx_is_int(v, &i);
}

bool nkx_np_operand(nkx_vm *vm, nkx_value v, nkx_uf_arg *out)
{
    int64_t i;
    out->weak = -1;
    if (v.type == NKX_V_BOOL) {
        *out = (nkx_uf_arg){nkx_nd_scalar_i64(NKX_DT_BOOL, v.u.b), 0};
        return true;
    }
    if (v.type == NKX_V_FLOAT) {
        *out = (nkx_uf_arg){nkx_nd_scalar_f64(NKX_DT_FP64, v.u.f), 2};
        return true;
    }
    if (v.type != NKX_V_ARRAY && nkx_is_int(v, &i)) {
        *out = (nkx_uf_arg){nkx_nd_scalar_i64(NKX_DT_INT64, i), 1};
        return true;
    }
    return nkx_np_array(vm, v, -1, &out->a);
}

bool nkx_np_arrays(nkx_vm *vm, nkx_value seq, nkx_nd_vec *out)
{
    const nkx_value *at = NULL;
    uint32_t n = 0;
    nkx_value list = NKX_UNSET;
    bool ok = true;
    if (!nkx_items(seq, &at, &n)) {
        if (!nkx_list_of(vm, seq, &list)) return false;
        nkx_items(list, &at, &n);
    }
    for (uint32_t i = 0; ok && i < n; i++) {
        nkx_ndarray *a = NULL;
        ok = nkx_np_array(vm, at[i], -1, &a);
        if (ok) nkx_push(out, a);
    }
    nkx_drop(list);
    if (!ok) nkx_np_arrays_fini(out);
    return ok;
}

void nkx_np_arrays_fini(nkx_nd_vec *v)
{
    for (size_t i = 0; i < v->n; i++) nkx_nd_drop(v->at[i]);
    nkx_vec_fini(v);
}

/* ---- axes and other small arguments ---- */

bool nkx_np_ints(nkx_vm *vm, nkx_value v, const char *what, int64_t *at, int max, int *n)
{
    const nkx_value *items;
    uint32_t count;
    if (nkx_items(v, &items, &count)) {
        if ((int64_t)count > max)
            return nkx_value_error(vm, "%s: at most %d values, found %u", what, max, count);
        for (uint32_t i = 0; i < count; i++) {
            if (!nkx_as_int(vm, items[i], what, &at[i])) return false;
        }
        *n = (int)count;
        return true;
    }
    if (v.type == NKX_V_ARRAY && nkx_np_of(v)->ndim == 1) {
        const nkx_ndarray *a = nkx_np_of(v);
        if (a->shape[0] > max)
            return nkx_value_error(vm, "%s: at most %d values, found %lld", what, max,
                                   (long long)a->shape[0]);
        *n = (int)a->shape[0];
        for (int i = 0; i < *n; i++) at[i] = nkx_nd_get_i64(a, i);
        return true;
    }
    *n = 1;
    return nkx_as_int(vm, v, what, at);
}

bool nkx_np_axes(nkx_vm *vm, nkx_value axis, nkx_value keepdims, int ndim, nkx_axes *out)
{
    int64_t at[NKX_ND_MAX];
    int n;
    bool keep = false;
    nkx_nd_error e;
    if (nkx_given(keepdims) && !nkx_truth(vm, keepdims, &keep)) return false;
    if (!nkx_given(axis)) {
        *out = (nkx_axes){UINT32_MAX, keep};
        return true;
    }
    if (!nkx_np_ints(vm, axis, "axis", at, NKX_ND_MAX, &n)) return false;
    return nkx_nd_axes(ndim, at, n, keep, out, &e) || nkx_np_raise(vm, &e);
}

bool nkx_np_axis(nkx_vm *vm, nkx_value v, int64_t *axis, bool *given)
{
    *given = nkx_given(v);
    *axis = 0;
    return !*given || nkx_as_int(vm, v, "axis", axis);
}

bool nkx_np_order(nkx_vm *vm, nkx_value v, char *out)
{
    *out = 'C';
    if (!nkx_given(v)) return true;
    if (v.type != NKX_V_STR || nkx_text_len(v) != 1 || strchr("CFAK", nkx_text(v)[0]) == NULL) {
        return nkx_value_error(vm, "order must be one of 'C', 'F', 'A', or 'K'");
    }
    if (nkx_text(v)[0] == 'F') *out = 'F';
    return true;
}

/* ---- index keys ---- */

static bool slice_part(nkx_vm *vm, nkx_value v, bool *given, int64_t *out)
{
    *given = nkx_given(v);
    return !*given || nkx_as_int(vm, v, "slice bound", out);
}

static bool key_slice(nkx_vm *vm, nkx_value v, nkx_nd_index *x)
{
    const nkx_slice_obj *s = NKX_AS(nkx_slice_obj, v);
    bool step;
    *x = (nkx_nd_index){.kind = NKX_NDIX_SLICE, .step = 1};
    if (!slice_part(vm, s->start, &x->has_start, &x->start) ||
        !slice_part(vm, s->stop, &x->has_stop, &x->stop))
        return false;
    if (s->is_ds) { /* nl.ds(start, size) */
        x->stop += x->start;
        return true;
    }
    return slice_part(vm, s->step, &step, &x->step);
}

static bool key_item(nkx_vm *vm, nkx_value v, nkx_np_key *k)
{
    nkx_nd_index *x = &k->item[k->n++];
    int64_t i;
    *x = (nkx_nd_index){.step = 1};
    if (v.type == NKX_V_SLICE) return key_slice(vm, v, x);
    if (v.type == NKX_V_ELLIPSIS) {
        x->kind = NKX_NDIX_ELLIPSIS;
        return true;
    }
    if (v.type == NKX_V_NONE) {
        x->kind = NKX_NDIX_NEWAXIS;
        return true;
    }
    if (v.type != NKX_V_BOOL && v.type != NKX_V_ARRAY && nkx_is_int(v, &i)) {
        x->kind = NKX_NDIX_INT;
        x->start = i;
        return true;
    }
    if (v.type == NKX_V_ARRAY && nkx_np_of(v)->ndim == 0 && nkx_np_of(v)->dtype != NKX_DT_BOOL &&
        nkx_dtype_is_int((nkx_dtype)nkx_np_of(v)->dtype)) {
        x->kind = NKX_NDIX_INT;
        x->start = nkx_nd_get_i64(nkx_np_of(v), 0);
        return true;
    }
    if (v.type != NKX_V_ARRAY && v.type != NKX_V_LIST && v.type != NKX_V_TUPLE &&
        v.type != NKX_V_RANGE && v.type != NKX_V_BOOL) {
        return nkx_raise(vm, NKX_E212, "IndexError",
                         "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) "
                         "and integer or boolean arrays are valid indices");
    }
    nkx_ndarray *a = NULL;
    if (!nkx_np_array(vm, v, -1, &a)) return false;
    if (nkx_nd_size(a) == 0 && v.type != NKX_V_ARRAY) { /* an empty list selects nothing */
        nkx_ndarray *whole = nkx_nd_astype(a, NKX_DT_INT64);
        nkx_nd_drop(a);
        a = whole;
    }
    k->made[k->n_made++] = a;
    x->kind = NKX_NDIX_ARRAY;
    x->array = a;
    return true;
}

bool nkx_np_key_make(nkx_vm *vm, nkx_value key, nkx_np_key *out)
{
    const nkx_value *at = &key;
    uint32_t n = 1;
    out->n = out->n_made = 0;
    if (key.type == NKX_V_TUPLE) nkx_items(key, &at, &n);
    if (n > NKX_COUNT(out->item))
        return nkx_raise(vm, NKX_E212, "IndexError", "too many indices for array: %u", n);
    for (uint32_t i = 0; i < n; i++) {
        if (key_item(vm, at[i], out)) continue;
        nkx_np_key_fini(out);
        return false;
    }
    return true;
}

void nkx_np_key_fini(nkx_np_key *k)
{
    for (int i = 0; i < k->n_made; i++) nkx_nd_drop(k->made[i]);
    k->n_made = 0;
}
