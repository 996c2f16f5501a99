/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator table (isa.md 2.2, 2.4, 2.5): a row each, read by the checker, the executor, the
 * reference page and the property tests. Layer num. Kernels are in ops_arith.c, ops_bits.c and
 * ops_act.c. Engines are those that may run the operator as an ALU operator.
 */
#include "interp/num/ops.h"

#include "interp/num/kernels.h"
#include "interp/num/vmath.h"

#include <math.h>
#include <string.h>

#define DVE  NKX_ENG_DVE
#define ACT  NKX_ENG_ACT
#define POOL NKX_ENG_POOL

#define ARITH   (NKX_OPF_ARITH | NKX_OPF_BINARY)
#define COMPARE (ARITH | NKX_OPF_COMPARE)
#define FOLDS   (ARITH | NKX_OPF_REDUCE)
#define SIM     (ARITH | NKX_OPF_SIM_ONLY)
#define BITVEC  (NKX_OPF_BITVEC | NKX_OPF_BINARY)
#define BOTH    (NKX_OPF_ARITH | NKX_OPF_UNARY | NKX_OPF_ACTIVATION)
#define FUNC    NKX_OPF_ACTIVATION
#define ALL     .valid_lo = -INFINITY, .valid_hi = INFINITY

/* A row begins with what every operator has; what is particular to it follows the formula. */
#define ROW(id, word, gen, f, e, text, ...)                                                        \
    [NKX_ALU_##id] = {                                                                             \
        .name = word, .min_gen = gen, .flags = (f), .engines = (e), .formula = text, __VA_ARGS__}
#define TWO(op) ALL, .binary = nkx_vv_##op, .binary_s = nkx_vs_##op, .s_binary = nkx_sv_##op

const nkx_alu_row nkx_alu_rows[NKX_N_ALU] = {
    ROW(ADD, "add", 2, FOLDS, DVE | POOL | ACT, "a + b", TWO(add), .fold = nkx_sum_row,
        .int32 = nkx_int_add),
    ROW(SUBTRACT, "subtract", 2, FOLDS, DVE, "a - b", TWO(subtract), .fold = nkx_fold_subtract,
        .int32 = nkx_int_subtract),
    ROW(MULTIPLY, "multiply", 2, FOLDS, DVE | POOL | ACT, "a * b", TWO(multiply), .identity = 1,
        .fold = nkx_fold_multiply, .int32 = nkx_int_multiply),
    ROW(MAXIMUM, "maximum", 2, FOLDS, DVE, "larger of a, b", TWO(maximum), .alias = "max",
        .identity = -INFINITY, .fold = nkx_fold_maximum, .int32 = nkx_int_maximum),
    ROW(MINIMUM, "minimum", 2, FOLDS, DVE, "smaller of a, b", TWO(minimum), .alias = "min",
        .identity = INFINITY, .fold = nkx_fold_minimum, .int32 = nkx_int_minimum),
    ROW(EQUAL, "equal", 2, COMPARE, DVE | POOL, "a == b", TWO(equal), .int32 = nkx_int_equal),
    ROW(NOT_EQUAL, "not_equal", 2, COMPARE, DVE | POOL, "a != b", TWO(not_equal),
        .int32 = nkx_int_not_equal),
    ROW(GREATER, "greater", 2, COMPARE, DVE | POOL, "a > b", TWO(greater),
        .int32 = nkx_int_greater),
    ROW(GREATER_EQUAL, "greater_equal", 2, COMPARE, DVE | POOL, "a >= b", TWO(greater_equal),
        .int32 = nkx_int_greater_equal),
    ROW(LESS, "less", 2, COMPARE, DVE | POOL, "a < b", TWO(less), .int32 = nkx_int_less),
    ROW(LESS_EQUAL, "less_equal", 2, COMPARE, DVE | POOL, "a <= b", TWO(less_equal),
        .int32 = nkx_int_less_equal),
    ROW(LOGICAL_AND, "logical_and", 2, FOLDS, DVE, "a and b, as 1 or 0", TWO(logical_and),
        .identity = 1, .fold = nkx_fold_logical_and),
    ROW(LOGICAL_OR, "logical_or", 2, FOLDS, DVE, "a or b, as 1 or 0", TWO(logical_or),
        .fold = nkx_fold_logical_or),
    ROW(LOGICAL_XOR, "logical_xor", 2, FOLDS, DVE, "one of a and b, as 1 or 0", TWO(logical_xor),
        .fold = nkx_fold_logical_xor),
    ROW(POWER, "power", 2, ARITH, POOL, "a to the power b", TWO(power)),
    ROW(ABS_MAX, "abs_max", 4, ARITH, DVE, "a if |a| > |b| else b", TWO(abs_max),
        .fold = nkx_fold_abs_max),
    ROW(ABS_MIN, "abs_min", 4, ARITH, DVE, "a if |a| < |b| else b", TWO(abs_min),
        .identity = INFINITY, .fold = nkx_fold_abs_min),
    ROW(BITWISE_AND, "bitwise_and", 2, BITVEC | NKX_OPF_REDUCE, DVE, "a & b", ALL,
        .bits = nkx_bits_and, .bits_identity = UINT32_MAX, .fold_bits = nkx_fold_bits_and),
    ROW(BITWISE_OR, "bitwise_or", 2, BITVEC | NKX_OPF_REDUCE, DVE, "a | b", ALL,
        .bits = nkx_bits_or, .fold_bits = nkx_fold_bits_or),
    ROW(BITWISE_XOR, "bitwise_xor", 2, BITVEC | NKX_OPF_REDUCE, DVE, "a ^ b", ALL,
        .bits = nkx_bits_xor, .fold_bits = nkx_fold_bits_xor),
    ROW(INVERT, "invert", 2, NKX_OPF_BITVEC | NKX_OPF_UNARY, DVE, "~a", ALL,
        .bits = nkx_bits_invert),
    ROW(LEFT_SHIFT, "left_shift", 2, BITVEC, DVE, "a << b, cut to the width", ALL,
        .bits = nkx_bits_left_shift),
    ROW(RIGHT_SHIFT, "right_shift", 2, BITVEC, DVE, "a >> b, zeros shifted in", ALL,
        .bits = nkx_bits_right_shift),
    ROW(ABS, "abs", 2, BOTH, DVE | ACT, "|x|", ALL, .unary = nkx_un_abs),
    ROW(SQUARE, "square", 2, BOTH, DVE | ACT, "x * x", ALL, .unary = nkx_un_square),
    ROW(RELU, "relu", 2, BOTH, DVE | ACT, "max(x, 0)", ALL, .unary = nkx_un_relu),
    ROW(RSQRT, "rsqrt", 2, BOTH, POOL | ACT, "1 / sqrt(x)", .valid_lo = 0x1p-87, .valid_hi = 0x1p97,
        .unary = nkx_un_rsqrt),
    ROW(RECIPROCAL, "reciprocal", 2, BOTH, DVE | ACT, "1 / x", .valid_lo = -0x1p42,
        .valid_hi = 0x1p42, .valid_min_abs = 0x1p-42, .unary = nkx_un_reciprocal),
    ROW(AVERAGE, "average", 2, NKX_OPF_ARITH, POOL, "mean over partitions", ALL,
        .fold = nkx_sum_row),
    ROW(BYPASS, "bypass", 2, ARITH, DVE | ACT, "a", TWO(bypass)),

    ROW(DIVIDE, "divide", 2, SIM, 0, "a / b", TWO(divide)),
    ROW(MOD, "mod", 2, SIM, 0, "a - b * floor(a / b)", TWO(mod)),
    ROW(FMOD, "fmod", 2, SIM, 0, "a - b * trunc(a / b)", TWO(fmod)),
    ROW(LOGICAL_NOT, "logical_not", 2, NKX_OPF_ARITH | NKX_OPF_UNARY | NKX_OPF_SIM_ONLY, 0,
        "x == 0", ALL, .unary = nkx_un_logical_not),

    ROW(COPY, "copy", 2, FUNC, 0, "x", ALL, .unary = nkx_un_copy),
    ROW(SIGN, "sign", 2, FUNC, 0, "-1, 0 or 1", ALL, .unary = nkx_un_sign),
    ROW(PRELU, "prelu", 4, FUNC, 0, "x if x >= 0 else relu_param * x", ALL),
    ROW(SIGMOID, "sigmoid", 2, FUNC, 0, "1 / (1 + exp(-x))", ALL, .unary = nkx_un_sigmoid),
    ROW(TANH, "tanh", 2, FUNC, 0, "tanh(x)", ALL, .unary = nkx_vtanh),
    ROW(EXP, "exp", 2, FUNC, 0, "exp(x)", ALL, .unary = nkx_vexp),
    ROW(LOG, "log", 2, FUNC, 0, "ln(x)", .valid_lo = 0x1p-64, .valid_hi = 0x1p64,
        .unary = nkx_vlog),
    ROW(SQRT, "sqrt", 2, FUNC, 0, "sqrt(x)", .valid_lo = 0x1p-116, .valid_hi = 0x1p118,
        .unary = nkx_vsqrt),
    ROW(SIN, "sin", 2, FUNC, 0, "sin(x), without range reduction", .valid_lo = -0x1.921fb6p1,
        .valid_hi = 0x1.921fb6p1, .unary = nkx_un_sin),
    ROW(ARCTAN, "arctan", 2, FUNC, 0, "atan(x)", .valid_lo = -0x1.921fb6p0,
        .valid_hi = 0x1.921fb6p0, .unary = nkx_vatan),
    ROW(ERF, "erf", 2, FUNC, 0, "erf(x)", ALL, .unary = nkx_verf),
    ROW(ERF_DX, "erf_dx", 2, FUNC, 0, "2 / sqrt(pi) * exp(-x^2)", ALL, .unary = nkx_un_erf_dx),
    ROW(GELU, "gelu", 2, FUNC, 0, "x / 2 * (1 + erf(x / sqrt(2)))", ALL, .unary = nkx_un_gelu),
    ROW(GELU_DX, "gelu_dx", 2, FUNC, 0,
        "(1 + erf(x / sqrt(2))) / 2 + x * exp(-x^2 / 2) / sqrt(2 pi)", ALL,
        .unary = nkx_un_gelu_dx),
    ROW(GELU_APPRX_TANH, "gelu_apprx_tanh", 2, FUNC, 0,
        "x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))", ALL,
        .unary = nkx_un_gelu_apprx_tanh),
    ROW(GELU_APPRX_SIGMOID, "gelu_apprx_sigmoid", 2, FUNC, 0, "x * sigmoid(1.702 x)", ALL,
        .unary = nkx_un_gelu_apprx_sigmoid),
    ROW(GELU_APPRX_SIGMOID_DX, "gelu_apprx_sigmoid_dx", 2, FUNC, 0,
        "s * (1 + 1.702 x * (1 - s)), s = sigmoid(1.702 x)", ALL,
        .unary = nkx_un_gelu_apprx_sigmoid_dx),
    ROW(SILU, "silu", 2, FUNC, 0, "x * sigmoid(x)", ALL, .unary = nkx_un_silu),
    ROW(SILU_DX, "silu_dx", 2, FUNC, 0, "s * (1 + x * (1 - s)), s = sigmoid(x)", ALL,
        .unary = nkx_un_silu_dx),
    ROW(SOFTPLUS, "softplus", 2, FUNC, 0, "ln(1 + exp(x))", ALL, .unary = nkx_un_softplus),
    ROW(MISH, "mish", 2, FUNC, 0, "x * tanh(softplus(x))", ALL, .unary = nkx_un_mish),
};

nkx_alu nkx_alu_find(const char *name)
{
    for (int i = 0; i < NKX_N_ALU; i++) {
        const nkx_alu_row *row = &nkx_alu_rows[i];
        if (strcmp(row->name, name) == 0) return (nkx_alu)i;
        if (row->alias != NULL && strcmp(row->alias, name) == 0) return (nkx_alu)i;
    }
    return NKX_N_ALU;
}
