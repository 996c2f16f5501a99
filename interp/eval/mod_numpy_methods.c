/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes and methods of host arrays. Those that are functions too are in the other files. Layer
 * eval. */
#include "interp/eval/mod_numpy.h"

#include <string.h>

/* ---- attributes ---- */

static bool m_shape(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_ndarray *a = nkx_np_of(in[0]);
    *out = nkx_tuple_new(vm, a->ndim);
    for (int d = 0; d < a->ndim; d++) NKX_AS(nkx_tuple, *out)->at[d] = nkx_int(a->shape[d]);
    return true;
}

static bool m_strides(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_ndarray *a = nkx_np_of(in[0]);
    *out = nkx_tuple_new(vm, a->ndim);
    for (int d = 0; d < a->ndim; d++) NKX_AS(nkx_tuple, *out)->at[d] = nkx_int(a->stride[d]);
    return true;
}

static bool m_dtype(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give(out, nkx_np_dtype_value((nkx_dtype)nkx_np_of(in[0])->dtype));
}

static bool m_ndim(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give_int(out, nkx_np_of(in[0])->ndim);
}
static bool m_size(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give_int(out, nkx_nd_size(nkx_np_of(in[0])));
}

static bool m_itemsize(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give_int(out, nkx_dtype_bytes((nkx_dtype)nkx_np_of(in[0])->dtype));
}

static bool m_nbytes(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_ndarray *a = nkx_np_of(in[0]);
    (void)vm;
    return nkx_give_int(out, nkx_nd_size(a) * nkx_dtype_bytes((nkx_dtype)a->dtype));
}

static bool m_T(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_nd_error e;
    return nkx_np_done(vm, nkx_nd_transpose(nkx_np_of(in[0]), NULL, 0, &e), &e, out);
}

static bool m_mT(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_nd_error e;
    return nkx_np_done(vm, nkx_nd_swapaxes(nkx_np_of(in[0]), -1, -2, &e), &e, out);
}

static bool m_self(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give(out, nkx_ref(in[0]));
}

static bool m_imag(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_ndarray *a = nkx_np_of(in[0]);
    nkx_nd_error e;
    return nkx_np_done(
        vm, nkx_nd_to_scalar_take(nkx_nd_new((nkx_dtype)a->dtype, a->ndim, a->shape, &e)), &e, out);
}

static bool m_flat(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_nd_error e;
    return nkx_np_done(vm, nkx_nd_ravel(nkx_np_of(in[0]), 'C', false, &e), &e, out);
}

static bool m_base(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)in;
    return nkx_give(out, NKX_NONE);
}

typedef struct flags {
    bool c, f, writeable;
} flags;

static bool flags_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    const flags *f = NKX_PAYLOAD(flags, self);
    (void)vm;
    if (strcmp(name->text, "c_contiguous") == 0 || strcmp(name->text, "contiguous") == 0)
        return nkx_give_bool(out, f->c);
    if (strcmp(name->text, "f_contiguous") == 0) return nkx_give_bool(out, f->f);
    if (strcmp(name->text, "writeable") == 0) return nkx_give_bool(out, f->writeable);
    return true;
}

static bool flags_item(nkx_vm *vm, nkx_value self, nkx_value key, nkx_value *out)
{
    const flags *f = NKX_PAYLOAD(flags, self);
    if (nkx_str_is(key, "C_CONTIGUOUS")) return nkx_give_bool(out, f->c);
    if (nkx_str_is(key, "F_CONTIGUOUS")) return nkx_give_bool(out, f->f);
    if (nkx_str_is(key, "WRITEABLE")) return nkx_give_bool(out, f->writeable);
    return nkx_raise(vm, NKX_E213, "KeyError", "'Unknown flag'");
}

static const nkx_native_type flags_type = {
    .name = "flagsobj", .attr = flags_attr, .item = flags_item};

static bool m_flags(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_ndarray *a = nkx_np_of(in[0]);
    *out = nkx_native_new(vm, &flags_type, sizeof(flags));
    *NKX_PAYLOAD(flags, *out) =
        (flags){nkx_nd_is_dense(a), nkx_nd_is_fortran(a), !a->readonly && !a->scalar};
    return true;
}

/* ---- copies and conversions ---- */

/* self, dtype, order, casting, subok, copy */
static bool m_astype(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int dtype;
    bool copy;
    nkx_ndarray *a = nkx_np_of(in[0]);
    nkx_nd_error e = {0};
    if (!nkx_np_dtype(vm, in[1], &dtype) || !nkx_truth(vm, in[5], &copy)) return false;
    nkx_dtype t = dtype >= 0 ? (nkx_dtype)dtype : NKX_DT_FP64;
    if (a->dtype == t && !copy) return nkx_give(out, nkx_ref(in[0]));
    if ((nkx_nd_is_packed(t) || nkx_nd_is_packed((nkx_dtype)a->dtype)) && a->dtype != t)
        return nkx_type_error(vm, "arrays of packed types are not converted; use view()");
    return nkx_np_done(vm, nkx_nd_astype(a, t), &e, out);
}

static bool m_copy(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_nd_error e = {0};
    return nkx_np_done(vm, nkx_nd_copy(nkx_np_of(in[0])), &e, out);
}

/* self, dtype */
static bool m_view(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int dtype;
    nkx_nd_error e = {0};
    nkx_ndarray *a = nkx_np_of(in[0]);
    if (!nkx_np_dtype(vm, in[1], &dtype)) return false;
    return nkx_np_done(vm, dtype < 0 ? nkx_nd_view(a) : nkx_nd_view_as(a, (nkx_dtype)dtype, &e), &e,
                       out);
}

/* self, *args: no argument, a flat index, or an index a dimension */
static bool m_item(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_tuple *args = NKX_AS(nkx_tuple, in[1]);
    const nkx_ndarray *a = nkx_np_of(in[0]);
    int64_t n = nkx_nd_size(a), flat = 0;
    const nkx_value *at = args->at;
    uint32_t count = args->n;
    if (count == 1 && at[0].type == NKX_V_TUPLE) nkx_items(at[0], &at, &count);
    if (count == 0 && n != 1)
        return nkx_value_error(vm, "can only convert an array of size 1 to a Python scalar");
    if (count > 1 && count != a->ndim)
        return nkx_value_error(vm, "incorrect number of indices for array");
    for (uint32_t d = 0; d < count; d++) {
        int64_t i, len = count == 1 ? n : a->shape[d];
        if (!nkx_as_int(vm, at[d], "index", &i)) return false;
        int64_t k = i < 0 ? i + len : i;
        if (k < 0 || k >= len)
            return nkx_raise(vm, NKX_E212, "IndexError",
                             "index %lld is out of bounds for size %lld", (long long)i,
                             (long long)len);
        flat = flat * len + k;
    }
    if (nkx_nd_is_packed((nkx_dtype)a->dtype))
        return nkx_type_error(vm, "elements of packed types have no Python value");
    return nkx_give(out, nkx_np_item(vm, (nkx_dtype)a->dtype, nkx_nd_at(a, flat)));
}

static nkx_value to_list(nkx_vm *vm, const nkx_ndarray *a, int d, const uint8_t *at)
{
    if (d == a->ndim) return nkx_np_item(vm, (nkx_dtype)a->dtype, at);
    nkx_value list = nkx_list_new(vm, (uint32_t)a->shape[d]);
    for (int64_t i = 0; i < a->shape[d]; i++) {
        nkx_value v = to_list(vm, a, d + 1, at + i * a->stride[d]);
        nkx_list_append(list, v);
        nkx_drop(v);
    }
    return list;
}

static bool m_tolist(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_ndarray *a = nkx_np_of(in[0]);
    if (nkx_nd_size(a) > INT32_MAX ||
        !nkx_reserve(vm, (uint64_t)nkx_nd_size(a) * sizeof(nkx_value)))
        return nkx_value_error(vm, "the array is too large for a list");
    if (nkx_nd_is_packed((nkx_dtype)a->dtype))
        return nkx_type_error(vm, "elements of packed types have no Python value");
    return nkx_give(out, to_list(vm, a, 0, a->at));
}

static bool m_tobytes(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *d = nkx_nd_dense(nkx_np_of(in[0]));
    *out = nkx_bytes_new(vm, (const char *)d->at,
                         (size_t)(nkx_nd_size(d) * nkx_dtype_bytes((nkx_dtype)d->dtype)));
    nkx_nd_drop(d);
    return true;
}

/* self, value */
static bool m_fill(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    return nkx_array_set_index(vm, in[0], (nkx_value){.type = NKX_V_ELLIPSIS}, in[1]);
}

/* ---- shapes ---- */

/* self, *shape, order: reshape(2, 3) and reshape((2, 3)) */
static bool m_reshape(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_tuple *args = NKX_AS(nkx_tuple, in[1]);
    int64_t shape[NKX_ND_MAX];
    int n;
    char order;
    nkx_nd_error e;
    nkx_value dims = args->n == 1 ? args->at[0] : in[1];
    if (args->n == 0) return nkx_type_error(vm, "reshape() takes at least 1 argument (0 given)");
    if (!nkx_np_ints(vm, dims, "shape", shape, NKX_ND_MAX, &n) || !nkx_np_order(vm, in[2], &order))
        return false;
    return nkx_np_done(vm, nkx_nd_reshape(nkx_np_of(in[0]), n, shape, order, &e), &e, out);
}

/* self, *axes */
static bool m_transpose(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_tuple *args = NKX_AS(nkx_tuple, in[1]);
    int64_t axes[NKX_ND_MAX];
    int n = 0;
    nkx_nd_error e;
    nkx_value v = args->n == 1 ? args->at[0] : in[1];
    bool given = args->n > 0 && v.type != NKX_V_NONE;
    if (given && !nkx_np_ints(vm, v, "axes", axes, NKX_ND_MAX, &n)) return false;
    return nkx_np_done(vm, nkx_nd_transpose(nkx_np_of(in[0]), given ? axes : NULL, n, &e), &e, out);
}

static bool flatten(nkx_vm *vm, const nkx_value *in, bool copy, nkx_value *out)
{
    char order;
    nkx_nd_error e;
    return nkx_np_order(vm, in[1], &order) &&
           nkx_np_done(vm, nkx_nd_ravel(nkx_np_of(in[0]), order, copy, &e), &e, out);
}

static bool m_flatten(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return flatten(vm, in, true, out);
}
static bool m_ravel(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return flatten(vm, in, false, out);
}

/* self, axis, kind: in place */
static bool m_sort(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value sorted;
    nkx_nd_error e;
    if (!nkx_np_sort(vm, in, &sorted)) return false;
    bool ok = nkx_nd_assign(nkx_np_of(in[0]), nkx_np_of(sorted), &e) || nkx_np_raise(vm, &e);
    nkx_drop(sorted);
    *out = NKX_NONE;
    return ok;
}

/* self, indices, values, mode: of the flat array, in place */
static bool m_put(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = nkx_np_of(in[0]), *idx = NULL, *v = NULL;
    nkx_nd_error e;
    (void)out;
    if (a->readonly || a->scalar) return nkx_value_error(vm, "assignment destination is read-only");
    if (!nkx_np_array(vm, in[1], NKX_DT_INT64, &idx)) return false;
    bool ok = nkx_np_array(vm, in[2], -1, &v);
    int64_t n = ok ? nkx_nd_size(idx) : 0, m = ok ? nkx_nd_size(v) : 0, size = nkx_nd_size(a);
    for (int64_t i = 0; ok && m > 0 && i < n; i++) {
        int64_t k = nkx_nd_get_i64(idx, i), p = k < 0 ? k + size : k;
        ok = (p >= 0 && p < size) ||
             nkx_nd_fail(&e, "IndexError", "index %lld is out of bounds for axis 0 with size %lld",
                         (long long)k, (long long)size) ||
             nkx_np_raise(vm, &e);
        if (ok)
            nkx_cast_row((nkx_dtype)a->dtype, nkx_nd_at(a, p), 0, (nkx_dtype)v->dtype,
                         nkx_nd_at(v, i % m), 0, 1);
    }
    nkx_nd_drop(idx);
    nkx_nd_drop(v);
    return ok;
}

/* ---- numbers ---- */

static bool m_abs(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_nd_error e;
    return nkx_np_done(vm, nkx_uf_unary(NKX_UF_ABSOLUTE, nkx_np_of(in[0]), &e), &e, out);
}

/* self, ndigits: round(x), which gives an int for a NumPy float without digits */
static bool m_round_builtin(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value args[3] = {in[0], nkx_given(in[1]) ? in[1] : nkx_int(0), NKX_NONE}, r;
    if (!nkx_np_round(vm, args, &r)) return false;
    if (nkx_given(in[1]) || nkx_np_of(r)->ndim > 0) return nkx_give(out, r);
    bool ok = nkx_int_new(vm, r, NKX_NONE, out);
    nkx_drop(r);
    return ok;
}

static bool m_is_integer(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_ndarray *a = nkx_np_of(in[0]);
    (void)vm;
    double v = nkx_nd_elem_f64((nkx_dtype)a->dtype, a->at);
    return nkx_give_bool(out, v == (double)(int64_t)v);
}

#define M NKX_BF_METHOD
#define G NKX_BF_GETTER

const nkx_builtin nkx_array_methods[] = {
    {"T",            "self",                                                                            m_T,                 "axes reversed",                   G},
    {"mT",           "self",                                                                            m_mT,                "last two axes exchanged",         G},
    {"base",         "self",                                                                            m_base,              "None",                            G},
    {"dtype",        "self",                                                                            m_dtype,             "type of the elements",            G},
    {"flags",        "self",                                                                            m_flags,             "facts about the layout",          G},
    {"flat",         "self",                                                                            m_flat,              "the elements in one dimension",   G},
    {"imag",         "self",                                                                            m_imag,              "zeros",                           G},
    {"itemsize",     "self",                                                                            m_itemsize,          "bytes of an element",             G},
    {"nbytes",       "self",                                                                            m_nbytes,            "bytes of all elements",           G},
    {"ndim",         "self",                                                                            m_ndim,              "number of dimensions",            G},
    {"real",         "self",                                                                            m_self,              "the array",                       G},
    {"shape",        "self",                                                                            m_shape,             "sizes of the dimensions",         G},
    {"size",         "self",                                                                            m_size,              "number of elements",              G},
    {"strides",      "self",                                                                            m_strides,           "bytes between neighbours",        G},
    {"__abs__",      "self",                                                                            m_abs,               "absolute values",                 M},
    {"__round__",    "self, ndigits=None",                                                              m_round_builtin,     "rounded",                         M},
    {"all",          "self, axis=None, out=None, keepdims=False",                                       nkx_np_all,          "are all elements true?",          M},
    {"any",          "self, axis=None, out=None, keepdims=False",                                       nkx_np_any,          "is any element true?",            M},
    {"argmax",       "self, axis=None, out=None, keepdims=False",                                       nkx_np_argmax,
     "index of the first largest",                                                                                                                              M},
    {"argmin",       "self, axis=None, out=None, keepdims=False",                                       nkx_np_argmin,
     "index of the first smallest",                                                                                                                             M},
    {"argsort",      "self, axis=-1, kind=None, order=None, stable=None",                               nkx_np_argsort,
     "indices that sort",                                                                                                                                       M},
    {"astype",       "self, dtype, order=None, casting=None, subok=True, copy=True",                    m_astype,
     "converted",                                                                                                                                               M},
    {"clip",         "self, min=None, max=None, out=None, a_min=None, a_max=None",                      nkx_np_clip,
     "limited to a range",                                                                                                                                      M},
    {"conj",         "self",                                                                            m_self,              "the array",                       M},
    {"conjugate",    "self",                                                                            m_self,              "the array",                       M},
    {"copy",         "self, order=None",                                                                m_copy,              "a copy",                          M},
    {"cumprod",      "self, axis=None, dtype=None, out=None",                                           nkx_np_cumprod,      "running product",                 M},
    {"cumsum",       "self, axis=None, dtype=None, out=None",                                           nkx_np_cumsum,       "running sum",                     M},
    {"diagonal",     "self, offset=0, axis1=0, axis2=1",                                                nkx_np_diagonal,     "a diagonal",                      M},
    {"dot",          "self, b, out=None",                                                               nkx_np_dot,          "dot product",                     M},
    {"fill",         "self, value",                                                                     m_fill,              "one value everywhere",            M},
    {"flatten",      "self, order='C'",                                                                 m_flatten,           "a copy in one dimension",         M},
    {"is_integer",   "self",                                                                            m_is_integer,        "a whole number?",                 M},
    {"item",         "self, *args",                                                                     m_item,              "an element as a Python number",   M},
    {"max",          "self, axis=None, out=None, keepdims=False, initial=None, where=None",             nkx_np_max,
     "largest along axes",                                                                                                                                      M},
    {"mean",         "self, axis=None, dtype=None, out=None, keepdims=False, where=None",               nkx_np_mean,
     "mean along axes",                                                                                                                                         M},
    {"min",          "self, axis=None, out=None, keepdims=False, initial=None, where=None",             nkx_np_min,
     "smallest along axes",                                                                                                                                     M},
    {"nonzero",      "self",                                                                            nkx_np_nonzero,      "places that are not zero",        M},
    {"prod",         "self, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None",
     nkx_np_prod,                                                                                                            "product along axes",              M},
    {"put",          "self, indices, values, mode=None",                                                m_put,               "sets elements of the flat array", M},
    {"ravel",        "self, order='C'",                                                                 m_ravel,             "one dimension",                   M},
    {"repeat",       "self, repeats, axis=None",                                                        nkx_np_repeat,       "every element repeated",          M},
    {"reshape",      "self, *shape, order='C'",                                                         m_reshape,           "the elements in another shape",   M},
    {"round",        "self, decimals=0, out=None",                                                      nkx_np_round,        "rounded, ties to even",           M},
    {"searchsorted", "self, v, side='left'",                                                            nkx_np_searchsorted, "places in a sorted array",        M},
    {"sort",         "self, axis=-1, kind=None, order=None",                                            m_sort,              "sorts in place",                  M},
    {"squeeze",      "self, axis=None",                                                                 nkx_np_squeeze,      "without axes of size 1",          M},
    {"std",          "self, axis=None, dtype=None, out=None, ddof=0, keepdims=False",                   nkx_np_std,
     "standard deviation along axes",                                                                                                                           M},
    {"sum",          "self, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None",
     nkx_np_sum,                                                                                                             "sum along axes",                  M},
    {"swapaxes",     "self, axis1, axis2",                                                              nkx_np_swapaxes,     "two axes exchanged",              M},
    {"take",         "self, indices, axis=None, out=None, mode='raise'",                                nkx_np_take,         "elements by index",
     M                                                                                                                                                           },
    {"tobytes",      "self, order='C'",                                                                 m_tobytes,           "the elements as bytes",           M},
    {"tolist",       "self",                                                                            m_tolist,            "nested lists of Python numbers",  M},
    {"trace",        "self, offset=0, axis1=0, axis2=1",                                                nkx_np_trace,        "sum of a diagonal",               M},
    {"transpose",    "self, *axes",                                                                     m_transpose,         "axes in another order",           M},
    {"var",          "self, axis=None, dtype=None, out=None, ddof=0, keepdims=False",                   nkx_np_var,
     "variance along axes",                                                                                                                                     M},
    {"view",         "self, dtype=None",                                                                m_view,              "the same bytes as another type",  M},
    {NULL,           NULL,                                                                              NULL,                NULL,                              0},
};
