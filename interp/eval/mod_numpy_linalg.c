/* SPDX-License-Identifier: Apache-2.0 */
/* numpy: products and numpy.linalg. Layer eval. */
#include "interp/eval/mod_numpy.h"

#include <math.h>
#include <string.h>

typedef nkx_ndarray *(*product_fn)(nkx_ndarray *a, nkx_ndarray *b, nkx_nd_error *e);

static bool product(nkx_vm *vm, product_fn f, nkx_value x, nkx_value y, nkx_value dst,
                    nkx_value *out)
{
    nkx_ndarray *a = NULL, *b = NULL;
    nkx_nd_error e;
    if (!nkx_np_array(vm, x, -1, &a)) return false;
    bool ok = nkx_np_array(vm, y, -1, &b) && nkx_np_done_out(vm, f(a, b, &e), &e, dst, out);
    nkx_nd_drop(a);
    nkx_nd_drop(b);
    return ok;
}

/* x1, x2, out, dtype */
static bool np_matmul(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int dtype;
    nkx_value x = nkx_ref(in[0]), y = nkx_ref(in[1]);
    bool ok = nkx_np_dtype(vm, in[3], &dtype);
    if (ok && dtype >= 0) {
        nkx_ndarray *a = NULL, *b = NULL;
        ok = nkx_np_array(vm, in[0], dtype, &a) && nkx_np_array(vm, in[1], dtype, &b);
        nkx_drop(x);
        nkx_drop(y);
        x = a != NULL ? nkx_array_take(vm, a) : NKX_NONE;
        y = b != NULL ? nkx_array_take(vm, b) : NKX_NONE;
    }
    ok = ok && product(vm, nkx_nd_matmul, x, y, in[2], out);
    nkx_drop(x);
    nkx_drop(y);
    return ok;
}

/* a, b, out */
bool nkx_np_dot(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return product(vm, nkx_nd_dot, in[0], in[1], in[2], out);
}
static bool np_inner(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return product(vm, nkx_nd_inner, in[0], in[1], NKX_NONE, out);
}
static bool np_outer(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return product(vm, nkx_nd_outer, in[0], in[1], in[2], out);
}
static bool np_solve(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return product(vm, nkx_nd_solve, in[0], in[1], NKX_NONE, out);
}

static bool np_vdot(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *b = NULL, *x = NULL, *y = NULL;
    nkx_nd_error e;
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_array(vm, in[1], -1, &b);
    if (ok) {
        x = nkx_nd_ravel(a, 'C', false, &e);
        y = nkx_nd_ravel(b, 'C', false, &e);
        ok = nkx_np_done(vm, x != NULL && y != NULL ? nkx_nd_dot(x, y, &e) : NULL, &e, out);
    }
    nkx_nd_drop(a);
    nkx_nd_drop(b);
    nkx_nd_drop(x);
    nkx_nd_drop(y);
    return ok;
}

/* a, b, axes: a count or two lists */
static bool np_tensordot(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t xa[NKX_ND_MAX], xb[NKX_ND_MAX], count;
    const nkx_value *at;
    uint32_t m;
    int n = 0, nb = 0;
    nkx_ndarray *a = NULL, *b = NULL;
    nkx_nd_error e;
    if (nkx_items(in[2], &at, &m)) {
        if (m != 2) return nkx_value_error(vm, "axes must be a number or a pair of lists");
        if (!nkx_np_ints(vm, at[0], "axes", xa, NKX_ND_MAX, &n) ||
            !nkx_np_ints(vm, at[1], "axes", xb, NKX_ND_MAX, &nb))
            return false;
        if (n != nb) return nkx_value_error(vm, "shape-mismatch for sum");
    } else {
        if (!nkx_as_int(vm, in[2], "axes", &count)) return false;
        if (count < 0 || count > NKX_ND_MAX)
            return nkx_value_error(vm, "axes must be 0 to %d", NKX_ND_MAX);
        n = (int)count;
        for (int i = 0; i < n; i++) {
            xa[i] = i - n;
            xb[i] = i;
        }
    }
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_array(vm, in[1], -1, &b) &&
              nkx_np_done(vm, nkx_nd_tensordot(a, b, xa, xb, n, &e), &e, out);
    nkx_nd_drop(a);
    nkx_nd_drop(b);
    return ok;
}

/* subscripts, *operands, optimize, dtype, out */
static bool np_einsum(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_nd_vec v = {0};
    nkx_nd_error e;
    if (in[0].type != NKX_V_STR)
        return nkx_type_error(vm, "einsum() takes its subscripts as a string first");
    if (!nkx_np_arrays(vm, in[1], &v)) return false;
    bool ok =
        nkx_np_done_out(vm, nkx_nd_einsum(nkx_text(in[0]), (int)v.n, v.at, &e), &e, in[4], out);
    nkx_np_arrays_fini(&v);
    return ok;
}

static bool np_kron(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *b = NULL, *wa = NULL, *wb = NULL, *p = NULL, *r = NULL;
    nkx_nd_error e;
    int64_t sa[NKX_ND_MAX], sb[NKX_ND_MAX], so[NKX_ND_MAX];
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_array(vm, in[1], -1, &b);
    int n = ok ? (a->ndim > b->ndim ? a->ndim : b->ndim) : 0;
    if (ok && 2 * n > NKX_ND_MAX)
        ok = nkx_value_error(vm, "kron of more than %d dimensions", NKX_ND_MAX / 2);
    if (ok) {
        for (int d = 0; d < n; d++) {
            int64_t la = d < n - a->ndim ? 1 : a->shape[d - (n - a->ndim)],
                    lb = d < n - b->ndim ? 1 : b->shape[d - (n - b->ndim)];
            sa[2 * d] = la;
            sa[2 * d + 1] = sb[2 * d] = 1;
            sb[2 * d + 1] = lb;
            so[d] = la * lb;
        }
        wa = nkx_nd_reshape(a, 2 * n, sa, 'C', &e);
        wb = nkx_nd_reshape(b, 2 * n, sb, 'C', &e);
        if (wa != NULL && wb != NULL) p = nkx_uf_binary(NKX_UF_MULTIPLY, wa, wb, &e);
        if (p != NULL) r = nkx_nd_reshape(p, n, so, 'C', &e);
        ok = nkx_np_done(vm, r, &e, out);
    }
    nkx_nd_drop(a);
    nkx_nd_drop(b);
    nkx_nd_drop(wa);
    nkx_nd_drop(wb);
    nkx_nd_drop(p);
    return ok;
}

/* ---- numpy.linalg ---- */

static nkx_ndarray *root_of_sum(nkx_ndarray *a, nkx_axes ax, nkx_nd_error *e)
{
    nkx_ndarray *f =
        nkx_dtype_is_int((nkx_dtype)a->dtype) ? nkx_nd_astype(a, NKX_DT_FP64) : nkx_nd_ref(a);
    nkx_ndarray *s = nkx_uf_unary(NKX_UF_SQUARE, f, e),
                *t = s != NULL ? nkx_nd_sum(s, ax, -1, e) : NULL;
    nkx_ndarray *r = t != NULL ? nkx_uf_unary(NKX_UF_SQRT, t, e) : NULL;
    nkx_nd_drop(f);
    nkx_nd_drop(s);
    nkx_nd_drop(t);
    return r;
}

/* Sum, largest or smallest of the absolute values. */
static nkx_ndarray *of_abs(nkx_ndarray *a, nkx_ufunc f, nkx_axes ax, nkx_nd_error *e)
{
    nkx_ndarray *m = nkx_uf_unary(NKX_UF_ABSOLUTE, a, e);
    nkx_ndarray *r = m != NULL ? nkx_nd_reduce(f, m, ax, &(nkx_reduce_opts){.dtype = -1}, e) : NULL;
    nkx_nd_drop(m);
    return r;
}

/* x, ord, axis, keepdims */
static bool np_norm(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *r = NULL;
    nkx_axes ax;
    nkx_nd_error e = {0};
    double ord = 2;
    bool fro = !nkx_given(in[1]) || nkx_str_is(in[1], "fro");
    if (!fro && !nkx_as_float(vm, in[1], "ord", &ord)) return false;
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_axes(vm, in[2], in[3], a->ndim, &ax);
    bool vector = a->ndim == 1 || (nkx_given(in[2]) && in[2].type != NKX_V_TUPLE);
    if (ok && (fro || (vector && ord == 2))) {
        r = root_of_sum(a, ax, &e);
    } else if (ok && vector && isinf(ord)) {
        r = of_abs(a, ord > 0 ? NKX_UF_MAXIMUM : NKX_UF_MINIMUM, ax, &e);
    } else if (ok && vector && ord == 1) {
        r = of_abs(a, NKX_UF_ADD, ax, &e);
    } else if (ok) {
        nkx_nd_fail(&e, "ValueError", "norm of order %g is not supported", ord);
    }
    nkx_nd_drop(a);
    return ok && nkx_np_done(vm, r, &e, out);
}

static bool np_inv(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    nkx_nd_error e;
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_np_done(vm, nkx_nd_inv(a, &e), &e, out);
    nkx_nd_drop(a);
    return ok;
}

static bool np_det(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    nkx_nd_error e;
    double d;
    if (!nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = nkx_nd_det(a, &d, &e) || nkx_np_raise(vm, &e);
    if (ok)
        *out = nkx_array_take(
            vm, nkx_nd_scalar_f64(a->dtype == NKX_DT_FP32 ? NKX_DT_FP32 : NKX_DT_FP64, d));
    nkx_nd_drop(a);
    return ok;
}

/* a, n */
static bool np_matrix_power(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *r = NULL, *b = NULL;
    nkx_nd_error e = {0};
    int64_t n;
    if (!nkx_as_int(vm, in[1], "n", &n) || !nkx_np_array(vm, in[0], -1, &a)) return false;
    bool ok = a->ndim == 2 && a->shape[0] == a->shape[1];
    if (!ok) nkx_nd_fail(&e, "LinAlgError", "Last 2 dimensions of the array must be square");
    if (ok) {
        b = n < 0 ? nkx_nd_inv(a, &e) : nkx_nd_ref(a);
        r = nkx_nd_eye((nkx_dtype)(b != NULL ? b->dtype : a->dtype), a->shape[0], a->shape[0], 0,
                       &e);
        for (uint64_t k = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; b != NULL && r != NULL && k > 0;
             k >>= 1) {
            nkx_ndarray *t;
            if (k & 1u) {
                t = nkx_nd_matmul(r, b, &e);
                nkx_nd_drop(r);
                r = t;
            }
            t = nkx_nd_matmul(b, b, &e);
            nkx_nd_drop(b);
            b = t;
        }
        if (b == NULL) {
            nkx_nd_drop(r);
            r = NULL;
        }
    }
    nkx_nd_drop(b);
    nkx_nd_drop(a);
    return nkx_np_done(vm, r, &e, out);
}

const nkx_builtin nkx_np_linalg_rows[] = {
    {"matmul",    "x1, x2, out=None, dtype=None",                                np_matmul,    "matrix product",                 0},
    {"dot",       "a, b, out=None",                                              nkx_np_dot,   "dot product",                    0},
    {"vdot",      "a, b",                                                        np_vdot,      "dot product of the flat arrays", 0},
    {"inner",     "a, b",                                                        np_inner,     "inner product of last axes",     0},
    {"outer",     "a, b, out=None",                                              np_outer,     "outer product",                  0},
    {"tensordot", "a, b, axes=2",                                                np_tensordot, "product over chosen axes",       0},
    {"einsum",    "subscripts, *operands, optimize=False, dtype=None, out=None", np_einsum,
     "Einstein sum",                                                                                                             0},
    {"kron",      "a, b",                                                        np_kron,      "Kronecker product",              0},
    {NULL,        NULL,                                                          NULL,         NULL,                             0},
};

const nkx_builtin nkx_np_linalg_module_rows[] = {
    {"norm",         "x, ord=None, axis=None, keepdims=False", np_norm,         "norm of a vector or matrix", 0},
    {"inv",          "a",                                      np_inv,          "inverse",                    0},
    {"det",          "a",                                      np_det,          "determinant",                0},
    {"solve",        "a, b",                                   np_solve,        "x with a x = b",             0},
    {"matrix_power", "a, n",                                   np_matrix_power, "power of a square matrix",   0},
    {"matmul",       "x1, x2, out=None, dtype=None",           np_matmul,       "matrix product",             0},
    {NULL,           NULL,                                     NULL,            NULL,                         0},
};
