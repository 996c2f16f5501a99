/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element-wise functions of host arrays, a row each: NumPy's ufuncs. Each row names its kernels per
 * lane; one walker serves all. Result types follow NumPy 2 (NEP 50): a Python scalar is weak.
 */
#ifndef NKX_HOST_UFUNC_H
#define NKX_HOST_UFUNC_H

#include "interp/host/cast.h"

typedef enum nkx_ufunc {
    NKX_UF_ADD,
    NKX_UF_SUBTRACT,
    NKX_UF_MULTIPLY,
    NKX_UF_DIVIDE,
    NKX_UF_FLOOR_DIVIDE,
    NKX_UF_REMAINDER,
    NKX_UF_FMOD,
    NKX_UF_POWER,
    NKX_UF_FLOAT_POWER,
    NKX_UF_MAXIMUM,
    NKX_UF_MINIMUM,
    NKX_UF_FMAX,
    NKX_UF_FMIN,
    NKX_UF_EQUAL,
    NKX_UF_NOT_EQUAL,
    NKX_UF_LESS,
    NKX_UF_LESS_EQUAL,
    NKX_UF_GREATER,
    NKX_UF_GREATER_EQUAL,
    NKX_UF_LOGICAL_AND,
    NKX_UF_LOGICAL_OR,
    NKX_UF_LOGICAL_XOR,
    NKX_UF_BITWISE_AND,
    NKX_UF_BITWISE_OR,
    NKX_UF_BITWISE_XOR,
    NKX_UF_LEFT_SHIFT,
    NKX_UF_RIGHT_SHIFT,
    NKX_UF_ARCTAN2,
    NKX_UF_HYPOT,
    NKX_UF_COPYSIGN,
    NKX_UF_LOGADDEXP,
    NKX_UF_LOGADDEXP2,
    NKX_UF_NEXTAFTER,
    NKX_UF_HEAVISIDE,
    NKX_UF_GCD,
    NKX_UF_LCM,
    /* one operand from here */
    NKX_UF_NEGATIVE,
    NKX_UF_POSITIVE,
    NKX_UF_ABSOLUTE,
    NKX_UF_FABS,
    NKX_UF_SIGN,
    NKX_UF_SQUARE,
    NKX_UF_RECIPROCAL,
    NKX_UF_CONJUGATE,
    NKX_UF_INVERT,
    NKX_UF_LOGICAL_NOT,
    NKX_UF_FLOOR,
    NKX_UF_CEIL,
    NKX_UF_TRUNC,
    NKX_UF_RINT,
    NKX_UF_SQRT,
    NKX_UF_CBRT,
    NKX_UF_EXP,
    NKX_UF_EXP2,
    NKX_UF_EXPM1,
    NKX_UF_LOG,
    NKX_UF_LOG2,
    NKX_UF_LOG10,
    NKX_UF_LOG1P,
    NKX_UF_SIN,
    NKX_UF_COS,
    NKX_UF_TAN,
    NKX_UF_ARCSIN,
    NKX_UF_ARCCOS,
    NKX_UF_ARCTAN,
    NKX_UF_SINH,
    NKX_UF_COSH,
    NKX_UF_TANH,
    NKX_UF_ARCSINH,
    NKX_UF_ARCCOSH,
    NKX_UF_ARCTANH,
    NKX_UF_DEG2RAD,
    NKX_UF_RAD2DEG,
    NKX_UF_SPACING,
    NKX_UF_ERF,
    NKX_UF_ISNAN,
    NKX_UF_ISINF,
    NKX_UF_ISFINITE,
    NKX_UF_SIGNBIT,
    NKX_N_UFUNCS,
} nkx_ufunc;

/* How operand types become the type computed in and the result type. */
typedef enum nkx_uf_kind {
    NKX_UK_ARITH,   /* any; the promoted type */
    NKX_UK_NO_BOOL, /* as ARITH, but bool is refused */
    NKX_UK_INT8,    /* as ARITH, bool counts as int8 */
    NKX_UK_FLOAT,   /* integers become float16, float32 or float64 by size */
    NKX_UK_DIVIDE,  /* integers become float64 */
    NKX_UK_FLOAT64, /* always float64 */
    NKX_UK_COMPARE, /* promoted type in, bool out */
    NKX_UK_LOGIC,   /* truth values in, bool out */
    NKX_UK_TEST,    /* own type in, bool out */
    NKX_UK_BITS,    /* integers and bool only */
    NKX_UK_SHIFT,   /* integers only, bool counts as int8 */
    NKX_UK_INTEGER, /* integers only */
    NKX_UK_ROUND,   /* integers and bool stay as they are */
} nkx_uf_kind;

typedef void (*nkx_uf_row_fn)(void *dst, const void *a, const void *b, int64_t n);

typedef struct nkx_uf_row {
    const char *name;
    uint8_t nin;
    nkx_uf_kind kind;
    nkx_uf_row_fn f32, f64, i64, u64; /* NULL u64: i64 serves; comparisons write bytes of 0 and 1 */
    bool has_identity;
    double identity; /* of its reduction */
} nkx_uf_row;

extern const nkx_uf_row nkx_uf_rows[NKX_N_UFUNCS];

/* An operand: weak says a Python scalar (0 bool, 1 int, 2 float); -1 an array or NumPy scalar. */
typedef struct nkx_uf_arg {
    nkx_ndarray *a;
    int weak;
} nkx_uf_arg;
static inline nkx_uf_arg nkx_strong(nkx_ndarray *a)
{
    return (nkx_uf_arg){a, -1};
}

typedef struct nkx_uf_call {
    nkx_uf_arg in[2];
    nkx_ndarray *out;   /* or NULL */
    nkx_ndarray *where; /* bool mask or NULL */
    int dtype;          /* type to compute in, or -1 */
} nkx_uf_call;

/* Owned result (c->out again when given); a NumPy scalar when it has no dimensions. */
nkx_ndarray *nkx_uf_apply(nkx_ufunc f, const nkx_uf_call *c, nkx_nd_error *e);
nkx_ndarray *nkx_uf_unary(nkx_ufunc f, nkx_ndarray *a, nkx_nd_error *e);
nkx_ndarray *nkx_uf_binary(nkx_ufunc f, nkx_ndarray *a, nkx_ndarray *b, nkx_nd_error *e);
/* Types of a call: what is computed in, and of the result. */
NKX_MUST_USE bool nkx_uf_types(nkx_ufunc f, const nkx_uf_call *c, nkx_dtype *in, nkx_dtype *out,
                               nkx_nd_error *e);
nkx_ufunc nkx_uf_find(
    const char *name); /* NKX_N_UFUNCS if unknown; aliases included (abs, mod, true_divide) */

/* Shape of operands broadcast together; ValueError in NumPy's words. */
NKX_MUST_USE bool nkx_nd_broadcast_shape(int n, nkx_ndarray *const *in, int *ndim, int64_t *shape,
                                         nkx_nd_error *e);
/* Strides of `a` in a broadcast shape: 0 where it repeats. */
void nkx_nd_broadcast_strides(const nkx_ndarray *a, int ndim, const int64_t *shape,
                              int64_t *stride);
/* May a value of type `from` be stored as `to` under NumPy's rule "same_kind"? */
bool nkx_nd_same_kind(nkx_dtype from, nkx_dtype to);
nkx_ndarray *nkx_nd_where(nkx_ndarray *cond, nkx_uf_arg a, nkx_uf_arg b, nkx_nd_error *e);
/* clip with either bound missing (a NULL) */
nkx_ndarray *nkx_nd_clip(nkx_uf_arg a, nkx_uf_arg lo, nkx_uf_arg hi, nkx_nd_error *e);
nkx_ndarray *nkx_nd_round(nkx_ndarray *a, int decimals, nkx_nd_error *e);

#endif
