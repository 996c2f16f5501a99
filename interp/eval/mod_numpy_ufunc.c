/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numpy: element-wise functions as values. np.add is a NATIVE that can be called and has reduce,
 * accumulate, outer and at; instructions accept it as an operator by its name. Layer eval.
 */
#include "interp/eval/mod_numpy.h"

#include <string.h>

typedef struct uf_payload {
    nkx_ufunc f;
} uf_payload;

static nkx_ufunc self_of(nkx_value v)
{
    return NKX_PAYLOAD(uf_payload, v)->f;
}

/* ---- calling ---- */

static bool out_arg(nkx_vm *vm, nkx_value v, nkx_ndarray **out)
{
    const nkx_value *at;
    uint32_t n;
    *out = NULL;
    if (!nkx_given(v)) return true;
    if (v.type == NKX_V_TUPLE && nkx_items(v, &at, &n) && n == 1) v = at[0];
    if (v.type != NKX_V_ARRAY) return nkx_type_error(vm, "return arrays must be of ArrayType");
    *out = nkx_np_of(v);
    return true;
}

static bool uf_call(nkx_vm *vm, nkx_value self, const nkx_args *a, nkx_value *out)
{
    static const char *const known[] = {"out", "where", "dtype", "casting", "order", NULL};
    nkx_ufunc f = self_of(self);
    uint32_t nin = nkx_uf_rows[f].nin;
    nkx_uf_call c = {.dtype = -1};
    nkx_value outv = nkx_kw_get(a, "out"), wherev = nkx_kw_get(a, "where");
    nkx_nd_error e;
    const char *name = nkx_uf_rows[f].name;
    if (!nkx_kw_check(vm, name, a, known) || !nkx_np_dtype(vm, nkx_kw_get(a, "dtype"), &c.dtype))
        return false;
    if (a->n < nin || a->n > nin + 1) {
        return nkx_type_error(vm, "%s() takes from %u to %u positional arguments but %u were given",
                              name, nin, nin + 1, a->n);
    }
    if (a->n == nin + 1) outv = a->at[nin];
    if (!out_arg(vm, outv, &c.out)) return false;
    bool ok = true;
    for (uint32_t k = 0; ok && k < nin; k++) {
        if (!nkx_np_can_operand(a->at[k])) {
            ok =
                nkx_type_error(vm,
                               "ufunc '%s' not supported for the input types, and the inputs could "
                               "not be safely coerced to any supported types according to the "
                               "casting rule ''safe''",
                               name);
        } else {
            ok = nkx_np_operand(vm, a->at[k], &c.in[k]);
        }
    }
    if (ok && nkx_given(wherev) && !(wherev.type == NKX_V_BOOL && wherev.u.b))
        ok = nkx_np_array(vm, wherev, NKX_DT_BOOL, &c.where);
    ok = ok && nkx_np_done(vm, nkx_uf_apply(f, &c, &e), &e, out);
    if (ok && c.out != NULL) {
        nkx_drop(*out);
        *out = nkx_ref(outv.type == NKX_V_TUPLE ? NKX_AS(nkx_tuple, outv)->at[0] : outv);
    }
    nkx_nd_drop(c.in[0].a);
    nkx_nd_drop(c.in[1].a);
    nkx_nd_drop(c.where);
    return ok;
}

/* self, array, axis, dtype, out, keepdims, initial, where */
static bool uf_reduce(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    nkx_axes ax;
    nkx_reduce_opts o = {.dtype = -1};
    nkx_nd_error e;
    if (!nkx_np_dtype(vm, in[3], &o.dtype) || !nkx_np_array(vm, in[1], -1, &a)) return false;
    bool ok = nkx_np_axes(vm, in[2], in[5], a->ndim, &ax);
    if (ok && nkx_given(in[6])) ok = nkx_np_array(vm, in[6], -1, &o.initial);
    if (ok && nkx_given(in[7])) ok = nkx_np_array(vm, in[7], NKX_DT_BOOL, &o.where);
    ok = ok && nkx_np_done_out(vm, nkx_nd_reduce(self_of(in[0]), a, ax, &o, &e), &e, in[4], out);
    nkx_nd_drop(a);
    nkx_nd_drop(o.initial);
    nkx_nd_drop(o.where);
    return ok;
}

/* self, array, axis, dtype, out */
static bool uf_accumulate(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    int64_t axis;
    int dtype;
    nkx_nd_error e;
    if (!nkx_as_int(vm, in[2], "axis", &axis) || !nkx_np_dtype(vm, in[3], &dtype) ||
        !nkx_np_array(vm, in[1], -1, &a))
        return false;
    bool ok =
        nkx_np_done_out(vm, nkx_nd_accumulate(self_of(in[0]), a, &axis, dtype, &e), &e, in[4], out);
    nkx_nd_drop(a);
    return ok;
}

/* self, A, B: shapes side by side */
static bool uf_outer(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *b = NULL, *wide = NULL;
    nkx_nd_error e;
    int64_t shape[2 * NKX_ND_MAX];
    if (nkx_uf_rows[self_of(in[0])].nin != 2)
        return nkx_value_error(vm, "outer product only supported for binary functions");
    if (!nkx_np_array(vm, in[1], -1, &a)) return false;
    bool ok = nkx_np_array(vm, in[2], -1, &b);
    if (ok) {
        int n = 0;
        for (int d = 0; d < a->ndim; d++) shape[n++] = a->shape[d];
        for (int d = 0; d < b->ndim; d++) shape[n++] = 1;
        wide = nkx_nd_reshape(a, n, shape, 'C', &e);
        ok = nkx_np_done(vm, wide != NULL ? nkx_uf_binary(self_of(in[0]), wide, b, &e) : NULL, &e,
                         out);
    }
    nkx_nd_drop(a);
    nkx_nd_drop(b);
    nkx_nd_drop(wide);
    return ok;
}

/* self, a, indices, b */
static bool uf_at(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *idx = NULL, *b = NULL;
    nkx_nd_error e;
    (void)out;
    if (in[1].type != NKX_V_ARRAY) return nkx_type_error(vm, "first operand must be array");
    if (!nkx_np_array(vm, in[2], -1, &idx)) return false;
    bool ok = nkx_np_array(vm, in[3], -1, &b) &&
              (nkx_nd_ufunc_at((int)self_of(in[0]), nkx_np_of(in[1]), idx, b, &e) ||
               nkx_np_raise(vm, &e));
    nkx_nd_drop(idx);
    nkx_nd_drop(b);
    return ok;
}

static const nkx_builtin uf_methods[] = {
    {"reduce",
     "self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None", uf_reduce,     "folds axes",                             NKX_BF_METHOD},
    {"accumulate", "self, array, axis=0, dtype=None, out=None",                             uf_accumulate, "running fold",
     NKX_BF_METHOD                                                                                                                                                },
    {"outer",      "self, A, B",                                                            uf_outer,      "all pairs",                              NKX_BF_METHOD},
    {"at",         "self, a, indices, b",                                                   uf_at,         "in place at indices, repeated ones too", NKX_BF_METHOD},
};

static bool uf_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    const nkx_uf_row *row = &nkx_uf_rows[self_of(self)];
    for (size_t i = 0; i < NKX_COUNT(uf_methods); i++) {
        if (strcmp(uf_methods[i].name, name->text) == 0)
            return nkx_give(out, nkx_method_new(vm, self, nkx_builtin_value(&uf_methods[i])));
    }
    if (strcmp(name->text, "__name__") == 0) return nkx_give(out, nkx_cstr(vm, row->name));
    if (strcmp(name->text, "nin") == 0) return nkx_give_int(out, row->nin);
    if (strcmp(name->text, "nout") == 0) return nkx_give_int(out, 1);
    if (strcmp(name->text, "nargs") == 0) return nkx_give_int(out, row->nin + 1);
    if (strcmp(name->text, "identity") == 0)
        return nkx_give(out, row->has_identity ? nkx_int((int64_t)row->identity) : NKX_NONE);
    return true;
}

static bool uf_repr(nkx_vm *vm, nkx_value self, nkx_buf *out)
{
    (void)vm;
    nkx_buf_printf(out, "<ufunc '%s'>", nkx_uf_rows[self_of(self)].name);
    return true;
}

static bool uf_equal(nkx_value a, nkx_value b)
{
    return self_of(a) == self_of(b);
}

static const nkx_native_type ufunc_type = {
    .name = "numpy.ufunc",
    .attr = uf_attr,
    .call = uf_call,
    .repr = uf_repr,
    .equal = uf_equal,
};

nkx_ufunc nkx_np_ufunc_of(nkx_value v)
{
    return nkx_is_native(v, &ufunc_type) ? self_of(v) : NKX_N_UFUNCS;
}

nkx_value nkx_np_ufunc_value(nkx_vm *vm, nkx_ufunc f)
{
    nkx_value v = nkx_native_new(vm, &ufunc_type, sizeof(uf_payload));
    NKX_PAYLOAD(uf_payload, v)->f = f;
    return v;
}
