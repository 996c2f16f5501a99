/* SPDX-License-Identifier: Apache-2.0 */
/* Host arrays as values of the language: operators, indexing, truth, text; dtypes as values. Layer
 * eval. */
#include "interp/eval/mod_numpy.h"

#include "interp/host/digits.h"

#include <string.h>

/* ---- operators ---- */

static nkx_ufunc ufunc_of_op(int op)
{
    switch (op) {
    case NKX_OP_ADD: return NKX_UF_ADD;
    case NKX_OP_SUB: return NKX_UF_SUBTRACT;
    case NKX_OP_MULT: return NKX_UF_MULTIPLY;
    case NKX_OP_DIV: return NKX_UF_DIVIDE;
    case NKX_OP_MOD: return NKX_UF_REMAINDER;
    case NKX_OP_POW: return NKX_UF_POWER;
    case NKX_OP_LSHIFT: return NKX_UF_LEFT_SHIFT;
    case NKX_OP_RSHIFT: return NKX_UF_RIGHT_SHIFT;
    case NKX_OP_BITOR: return NKX_UF_BITWISE_OR;
    case NKX_OP_BITXOR: return NKX_UF_BITWISE_XOR;
    case NKX_OP_BITAND: return NKX_UF_BITWISE_AND;
    case NKX_OP_FLOORDIV: return NKX_UF_FLOOR_DIVIDE;
    case NKX_OP_EQ: return NKX_UF_EQUAL;
    case NKX_OP_NOTEQ: return NKX_UF_NOT_EQUAL;
    case NKX_OP_LT: return NKX_UF_LESS;
    case NKX_OP_LTE: return NKX_UF_LESS_EQUAL;
    case NKX_OP_GT: return NKX_UF_GREATER;
    case NKX_OP_GTE: return NKX_UF_GREATER_EQUAL;
    case NKX_OP_INVERT: return NKX_UF_INVERT;
    case NKX_OP_USUB: return NKX_UF_NEGATIVE;
    case NKX_OP_UADD: return NKX_UF_POSITIVE;
    default: return NKX_N_UFUNCS;
    }
}

static bool unsupported(nkx_vm *vm, int op, nkx_value a, nkx_value b)
{
    return nkx_raise(vm, NKX_E209, "TypeError", "unsupported operand type(s) for %s: '%s' and '%s'",
                     nkx_op_text((nkx_ast_op)op), nkx_type_name(a), nkx_type_name(b));
}

/* x ** 2 is x * x in NumPy, and x ** 0.5 the square root: same bits. */
static nkx_ndarray *power(const nkx_uf_call *c, nkx_nd_error *e)
{
    double p = c->in[1].weak > 0 ? nkx_nd_get_f64(c->in[1].a, 0) : 0;
    bool fl = nkx_dtype_is_float((nkx_dtype)c->in[0].a->dtype);
    if (c->in[0].weak < 0 && c->out == NULL && p == 2.0 && (fl || c->in[1].weak == 1)) {
        return nkx_uf_apply(NKX_UF_SQUARE, &(nkx_uf_call){.in = {c->in[0]}, .dtype = -1}, e);
    }
    if (c->in[0].weak < 0 && c->out == NULL && p == 0.5 && fl)
        return nkx_uf_apply(NKX_UF_SQRT, &(nkx_uf_call){.in = {c->in[0]}, .dtype = -1}, e);
    return nkx_uf_apply(NKX_UF_POWER, c, e);
}

static bool apply2(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_ndarray *dst, nkx_value *out)
{
    nkx_uf_call c = {.dtype = -1, .out = dst};
    nkx_nd_error e;
    nkx_ndarray *r;
    if (!nkx_np_operand(vm, a, &c.in[0])) return false;
    if (!nkx_np_operand(vm, b, &c.in[1])) {
        nkx_nd_drop(c.in[0].a);
        return false;
    }
    if (op == NKX_OP_MATMULT) {
        r = nkx_nd_matmul(c.in[0].a, c.in[1].a, &e);
        if (r != NULL && dst != NULL) {
            bool ok = nkx_nd_assign(dst, r, &e);
            nkx_nd_drop(r);
            r = ok ? nkx_nd_ref(dst) : NULL;
        }
    } else {
        r = op == NKX_OP_POW ? power(&c, &e) : nkx_uf_apply(ufunc_of_op(op), &c, &e);
    }
    nkx_nd_drop(c.in[0].a);
    nkx_nd_drop(c.in[1].a);
    return nkx_np_done(vm, r, &e, out);
}

bool nkx_array_binary(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    if (!nkx_np_can_operand(a) || !nkx_np_can_operand(b)) return unsupported(vm, op, a, b);
    return apply2(vm, op, a, b, NULL, out);
}

bool nkx_array_inplace(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    nkx_value r;
    if (!nkx_np_can_operand(b)) return unsupported(vm, op, a, b);
    if (nkx_np_of(a)->scalar) return apply2(vm, op, a, b, NULL, out);
    if (!apply2(vm, op, a, b, nkx_np_of(a), &r)) return false;
    nkx_drop(r);
    *out = nkx_ref(a);
    return true;
}

bool nkx_array_unary(nkx_vm *vm, int op, nkx_value a, nkx_value *out)
{
    nkx_nd_error e;
    return nkx_np_done(vm, nkx_uf_unary(ufunc_of_op(op), nkx_np_of(a), &e), &e, out);
}

bool nkx_array_compare(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    if (!nkx_np_can_operand(a) || !nkx_np_can_operand(b)) {
        if (op == NKX_OP_EQ || op == NKX_OP_NOTEQ) return nkx_give_bool(out, op == NKX_OP_NOTEQ);
        return nkx_raise(vm, NKX_E209, "TypeError",
                         "'%s' not supported between instances of '%s' and '%s'",
                         nkx_op_text((nkx_ast_op)op), nkx_type_name(a), nkx_type_name(b));
    }
    return apply2(vm, op, a, b, NULL, out);
}

bool nkx_array_truth(nkx_vm *vm, nkx_value v, bool *out)
{
    const nkx_ndarray *a = nkx_np_of(v);
    int64_t n = nkx_nd_size(a);
    if (n > 1) {
        return nkx_raise(vm, NKX_E261, "ValueError",
                         "The truth value of an array with more than one element is ambiguous. Use "
                         "a.any() or a.all()");
    }
    *out = n == 1 && nkx_nd_elem_true((nkx_dtype)a->dtype, a->at);
    return true;
}

bool nkx_array_repr(nkx_vm *vm, nkx_value v, bool str, nkx_buf *out)
{
    const nkx_print_options *o = &nkx_np_state_of(vm)->print;
    if (str) {
        nkx_nd_str(nkx_np_of(v), o, out);
    } else {
        nkx_nd_repr(nkx_np_of(v), o, out);
    }
    return true;
}

/* ---- indexing ---- */

bool nkx_array_index(nkx_vm *vm, nkx_value v, nkx_value key, nkx_value *out)
{
    nkx_np_key k;
    nkx_nd_error e;
    nkx_ndarray *a = nkx_np_of(v);
    if (key.type == NKX_V_INT && a->ndim == 1) { /* one element */
        int64_t i = key.u.i < 0 ? key.u.i + a->shape[0] : key.u.i;
        if (i >= 0 && i < a->shape[0])
            return nkx_give(out, nkx_array_take(vm, nkx_nd_scalar((nkx_dtype)a->dtype,
                                                                  a->at + i * a->stride[0])));
    }
    if (!nkx_np_key_make(vm, key, &k)) return false;
    nkx_ndarray *r = nkx_nd_index_get(a, k.item, k.n, &e);
    nkx_np_key_fini(&k);
    return nkx_np_done(vm, r, &e, out);
}

bool nkx_array_set_index(nkx_vm *vm, nkx_value v, nkx_value key, nkx_value x)
{
    nkx_np_key k;
    nkx_nd_error e;
    nkx_ndarray *a = nkx_np_of(v), *src = NULL;
    int dtype = -1;
    double d;
    if (nkx_is_number(x, &d) && x.type != NKX_V_FLOAT)
        dtype = (int)a->dtype; /* checks the range of ints */
    if (nkx_is_number(x, &d) && nkx_nd_is_packed((nkx_dtype)a->dtype))
        return nkx_type_error(vm, "elements of packed types cannot be assigned numbers");
    if (!nkx_np_array(vm, x, dtype, &src)) return false;
    bool ok = nkx_np_key_make(vm, key, &k);
    if (ok) {
        ok = nkx_nd_index_set(a, k.item, k.n, src, &e) || nkx_np_raise(vm, &e);
        nkx_np_key_fini(&k);
    }
    nkx_nd_drop(src);
    return ok;
}

bool nkx_array_set_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value x)
{
    int64_t shape[NKX_ND_MAX];
    int n;
    nkx_nd_error e;
    if (strcmp(name->text, "shape") != 0) {
        return nkx_raise(vm, NKX_E203, "AttributeError",
                         "'numpy.ndarray' object has no attribute '%s' that can be set",
                         name->text);
    }
    if (!nkx_np_ints(vm, x, "shape", shape, NKX_ND_MAX, &n)) return false;
    nkx_ndarray *r = nkx_nd_reshape(nkx_np_of(v), n, shape, 'C', &e);
    if (r == NULL) return nkx_np_raise(vm, &e);
    if (r->block != nkx_np_of(v)->block) {
        nkx_nd_drop(r);
        return nkx_raise(vm, NKX_E203, "AttributeError",
                         "Incompatible shape for in-place modification. Use `.reshape()` to make a "
                         "copy with the desired shape.");
    }
    nkx_nd_drop(NKX_AS(nkx_array_obj, v)->a);
    NKX_AS(nkx_array_obj, v)->a = r;
    return true;
}

/* ---- dtypes ---- */

static char kind_of(nkx_dtype t)
{
    if (t == NKX_DT_BOOL) return 'b';
    if (t == NKX_DT_FP16 || t == NKX_DT_FP32 || t == NKX_DT_FP64) return 'f';
    if (!nkx_dtype_is_int(t)) return 'V';
    return nkx_dtypes[t].cls == NKX_CLASS_INT ? 'i' : 'u';
}

bool nkx_dtype_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out)
{
    nkx_dtype t = (nkx_dtype)v.u.i;
    const char *n = name->text;
    *out = NKX_UNSET;
    if (strcmp(n, "name") == 0 || strcmp(n, "__name__") == 0)
        return nkx_give(out, nkx_cstr(vm, nkx_nd_type_name(t)));
    if (strcmp(n, "itemsize") == 0) return nkx_give_int(out, nkx_dtype_bytes(t));
    if (strcmp(n, "type") == 0) return nkx_give(out, v);
    if (strcmp(n, "kind") == 0) return nkx_give(out, nkx_str_printf(vm, "%c", kind_of(t)));
    if (strcmp(n, "str") == 0) return nkx_give(out, nkx_cstr(vm, nkx_dtypes[t].npy));
    if (strcmp(n, "min") == 0 || strcmp(n, "max") == 0) { /* nl.fp32.min */
        double f = n[1] == 'i' ? nkx_dtypes[t].lowest : nkx_dtypes[t].max;
        if (!nkx_dtype_is_int(t)) return nkx_give(out, nkx_float(f));
        if (t == NKX_DT_INT64) return nkx_give_int(out, n[1] == 'i' ? INT64_MIN : INT64_MAX);
        return f < 9e18 ? nkx_give_int(out, (int64_t)f) : nkx_give(out, nkx_float(f));
    }
    return true;
}

bool nkx_dtype_call(nkx_vm *vm, nkx_value v, const nkx_args *args, nkx_value *out)
{
    nkx_dtype t = (nkx_dtype)v.u.i;
    nkx_ndarray *a = NULL;
    if (args->n_kw > 0 || args->n > 1)
        return nkx_type_error(vm, "%s() takes at most one value", nkx_nd_type_name(t));
    if (nkx_nd_is_packed(t))
        return nkx_type_error(vm, "%s is a packed type: it has no scalars", nkx_nd_type_name(t));
    if (args->n == 0) return nkx_give(out, nkx_array_take(vm, nkx_nd_scalar_i64(t, 0)));
    if (args->at[0].type == NKX_V_STR) {
        double d;
        if (!nkx_parse_float(vm, args->at[0], &d)) return false;
        return nkx_give(out, nkx_array_take(vm, nkx_nd_scalar_f64(t, d)));
    }
    if (args->at[0].type == NKX_V_FLOAT)
        return nkx_give(out, nkx_array_take(vm, nkx_nd_scalar_f64(t, args->at[0].u.f)));
    if (!nkx_np_array(vm, args->at[0], (int)t, &a)) return false;
    *out = nkx_array_take(vm, nkx_nd_to_scalar_take(a));
    return true;
}
