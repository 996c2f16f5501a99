/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators (isa.md 2): one row each with what the checker must know and the row kernel that
 * computes it in fp32 lanes (or int lanes for bit operations). Row kernels run over dense rows,
 * are vectorised (target_clones, SLEEF), allocate nothing, and give the same bits for the same
 * input whatever n or alignment is. dst may be the same row as an input.
 */
#ifndef NKX_NUM_OPS_H
#define NKX_NUM_OPS_H

#include "interp/num/dtype.h"

typedef enum nkx_alu {
    NKX_ALU_ADD,
    NKX_ALU_SUBTRACT,
    NKX_ALU_MULTIPLY,
    NKX_ALU_MAXIMUM,
    NKX_ALU_MINIMUM,
    NKX_ALU_EQUAL,
    NKX_ALU_NOT_EQUAL,
    NKX_ALU_GREATER,
    NKX_ALU_GREATER_EQUAL,
    NKX_ALU_LESS,
    NKX_ALU_LESS_EQUAL,
    NKX_ALU_LOGICAL_AND,
    NKX_ALU_LOGICAL_OR,
    NKX_ALU_LOGICAL_XOR,
    NKX_ALU_POWER,
    NKX_ALU_ABS_MAX,
    NKX_ALU_ABS_MIN,
    NKX_ALU_BITWISE_AND,
    NKX_ALU_BITWISE_OR,
    NKX_ALU_BITWISE_XOR,
    NKX_ALU_INVERT,
    NKX_ALU_LEFT_SHIFT,
    NKX_ALU_RIGHT_SHIFT,
    NKX_ALU_ABS,
    NKX_ALU_SQUARE,
    NKX_ALU_RELU,
    NKX_ALU_RSQRT,
    NKX_ALU_RECIPROCAL,
    NKX_ALU_AVERAGE,
    NKX_ALU_BYPASS,
    /* not hardware operators: nl functions of these names run in the simulator only (isa.md 5.3) */
    NKX_ALU_DIVIDE,
    NKX_ALU_MOD,
    NKX_ALU_FMOD,
    NKX_ALU_LOGICAL_NOT,
    /* activation functions (isa.md 2.4); copy, square, abs, relu, rsqrt, reciprocal stand in both
       families */
    NKX_ALU_COPY,
    NKX_ALU_SIGN,
    NKX_ALU_PRELU,
    NKX_ALU_SIGMOID,
    NKX_ALU_TANH,
    NKX_ALU_EXP,
    NKX_ALU_LOG,
    NKX_ALU_SQRT,
    NKX_ALU_SIN,
    NKX_ALU_ARCTAN,
    NKX_ALU_ERF,
    NKX_ALU_ERF_DX,
    NKX_ALU_GELU,
    NKX_ALU_GELU_DX,
    NKX_ALU_GELU_APPRX_TANH,
    NKX_ALU_GELU_APPRX_SIGMOID,
    NKX_ALU_GELU_APPRX_SIGMOID_DX,
    NKX_ALU_SILU,
    NKX_ALU_SILU_DX,
    NKX_ALU_SOFTPLUS,
    NKX_ALU_MISH,
    NKX_N_ALU,
} nkx_alu;

#define NKX_OPF_ARITH      1u /* arithmetic class */
#define NKX_OPF_BITVEC     2u /* bit operation: integer types, raw bits */
#define NKX_OPF_UNARY      4u /* as an ALU op takes the data only */
#define NKX_OPF_COMPARE    8u
#define NKX_OPF_REDUCE     16u  /* accepted by tensor_reduce */
#define NKX_OPF_ACTIVATION 32u  /* accepted by activation */
#define NKX_OPF_BINARY     64u  /* has a two-operand kernel */
#define NKX_OPF_SIM_ONLY   128u /* no hardware operator */

/* Engine bits, as in machine.h. */
#define NKX_ENG_PE   1u
#define NKX_ENG_DVE  2u
#define NKX_ENG_ACT  4u
#define NKX_ENG_POOL 8u
#define NKX_ENG_SP   16u
#define NKX_ENG_DMA  32u

typedef struct nkx_alu_row {
    const char *name;          /* "add"; the nl name */
    const char *alias;         /* "max" for maximum; or NULL */
    unsigned flags;            /* NKX_OPF_* */
    unsigned engines;          /* where it may run as an ALU op */
    uint8_t min_gen;           /* 2, 3 or 4 */
    const char *formula;       /* for docs */
    double valid_lo, valid_hi; /* activation input range; -inf, inf where all is valid */
    double valid_min_abs;      /* and |x| at least this; 0: no limit */
    float identity;            /* start value of a reduction; subtract: the first element instead */
    uint32_t bits_identity;    /* the same for bit operations */
    /* fp32 lanes; NULL where the op has no such form */
    void (*binary)(float *dst, const float *a, const float *b, int64_t n);
    void (*binary_s)(float *dst, const float *a, float s, int64_t n); /* op(a, s) */
    void (*s_binary)(float *dst, float s, const float *b, int64_t n); /* op(s, b) */
    void (*unary)(float *dst, const float *a, int64_t n);
    float (*fold)(float acc, const float *a, int64_t n); /* reductions; order: nkx_sum_row */
    /* bit operations on int32 lanes of `width` bits (8, 16, 32), zero-extended */
    void (*bits)(uint32_t *dst, const uint32_t *a, const uint32_t *b, int64_t n, int width);
    uint32_t (*fold_bits)(uint32_t acc, const uint32_t *a, int64_t n);
    /* exact wrap-around integer arithmetic (POOL): add, subtract, multiply, max/min, compares; NULL
     * elsewhere. is_signed: compare as int32 */
    void (*int32)(uint32_t *dst, const uint32_t *a, const uint32_t *b, int64_t n, bool is_signed);
} nkx_alu_row;

extern const nkx_alu_row nkx_alu_rows[NKX_N_ALU];

nkx_alu nkx_alu_find(const char *name); /* by name or alias; NKX_N_ALU if unknown */

/* y = f(x * scale + bias) for activation; scale and bias already per row. prelu uses relu_param. */
void nkx_activation_row(nkx_alu f, float *dst, const float *x, float scale, float bias,
                        float relu_param, int64_t n);
/* Linear helpers used by several instructions. */
void nkx_scale_bias_row(float *dst, const float *x, float scale, float bias, int64_t n);
/*
 * acc + sum of x, in the one order used by every reduction but subtract, which goes left to right:
 * element i is added to partial sum i mod 16, each from 0; the sixteen are joined as a tree (j with
 * j+8, then j+4, j+2, j+1), then acc + that. One row gives one result on any machine; a row summed
 * in two calls gives another in the last bits, so callers sum whole rows.
 */
float nkx_sum_row(float acc, const float *x, int64_t n);

/* Count, mean and sum of squared distances from it, of the elements of even index and of those of
 * odd index; two passes. Sums in lanes, as nkx_sum_row's: the same bits on every machine. */
void nkx_moments_row(const float *x, int64_t n, float out[6]);

#endif
