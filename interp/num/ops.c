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

#define BINARY(op) .binary = nkx_vv_##op, .binary_s = nkx_vs_##op, .s_binary = nkx_sv_##op
#define ALL        .valid_lo = -INFINITY, .valid_hi = INFINITY
#define ROW_SINCE(gen, n, f, e, text)                                                              \
    .name = n, .flags = (f), .engines = (e), .min_gen = gen, .formula = text
#define ROW(n, f, e, text) ROW_SINCE(2, n, f, e, text)

#define ARITH (NKX_OPF_ARITH | NKX_OPF_BINARY)
#define COMPARE (ARITH | NKX_OPF_COMPARE)
#define BITVEC (NKX_OPF_BITVEC | NKX_OPF_BINARY)
#define UNARY (NKX_OPF_ARITH | NKX_OPF_UNARY)
#define ACTIVATION NKX_OPF_ACTIVATION

const nkx_alu_row nkx_alu_rows[NKX_N_ALU] = {
    [NKX_ALU_ADD] = {ROW("add", ARITH | NKX_OPF_REDUCE, DVE | POOL | ACT, "a + b"), ALL,
                     BINARY(add), .fold = nkx_sum_row, .int32 = nkx_int_add},
    [NKX_ALU_SUBTRACT] = {ROW("subtract", ARITH | NKX_OPF_REDUCE, DVE, "a - b"), ALL,
                          BINARY(subtract), .fold = nkx_fold_subtract,
                          .int32 = nkx_int_subtract},
    [NKX_ALU_MULTIPLY] = {ROW("multiply", ARITH | NKX_OPF_REDUCE, DVE | POOL | ACT, "a * b"), ALL,
                          BINARY(multiply), .identity = 1, .fold = nkx_fold_multiply,
                          .int32 = nkx_int_multiply},
    [NKX_ALU_MAXIMUM] = {ROW("maximum", ARITH | NKX_OPF_REDUCE, DVE, "larger of a, b"), ALL,
                         .alias = "max", BINARY(maximum), .identity = -INFINITY,
                         .fold = nkx_fold_maximum, .int32 = nkx_int_maximum},
    [NKX_ALU_MINIMUM] = {ROW("minimum", ARITH | NKX_OPF_REDUCE, DVE, "smaller of a, b"), ALL,
                         .alias = "min", BINARY(minimum), .identity = INFINITY,
                         .fold = nkx_fold_minimum, .int32 = nkx_int_minimum},
    [NKX_ALU_EQUAL] = {ROW("equal", COMPARE, DVE | POOL, "a == b"), ALL, BINARY(equal),
                       .int32 = nkx_int_equal},
    [NKX_ALU_NOT_EQUAL] = {ROW("not_equal", COMPARE, DVE | POOL, "a != b"), ALL,
                           BINARY(not_equal), .int32 = nkx_int_not_equal},
    [NKX_ALU_GREATER] = {ROW("greater", COMPARE, DVE | POOL, "a > b"), ALL, BINARY(greater),
                         .int32 = nkx_int_greater},
    [NKX_ALU_GREATER_EQUAL] = {ROW("greater_equal", COMPARE, DVE | POOL, "a >= b"), ALL,
                               BINARY(greater_equal), .int32 = nkx_int_greater_equal},
    [NKX_ALU_LESS] = {ROW("less", COMPARE, DVE | POOL, "a < b"), ALL, BINARY(less),
                      .int32 = nkx_int_less},
    [NKX_ALU_LESS_EQUAL] = {ROW("less_equal", COMPARE, DVE | POOL, "a <= b"), ALL,
                            BINARY(less_equal), .int32 = nkx_int_less_equal},
    [NKX_ALU_LOGICAL_AND] = {ROW("logical_and", ARITH | NKX_OPF_REDUCE, DVE, "a and b, as 1 or 0"),
                             ALL, BINARY(logical_and), .identity = 1,
                             .fold = nkx_fold_logical_and},
    [NKX_ALU_LOGICAL_OR] = {ROW("logical_or", ARITH | NKX_OPF_REDUCE, DVE, "a or b, as 1 or 0"),
                            ALL, BINARY(logical_or), .fold = nkx_fold_logical_or},
    [NKX_ALU_LOGICAL_XOR] = {ROW("logical_xor", ARITH | NKX_OPF_REDUCE, DVE,
                                 "one of a and b, as 1 or 0"),
                             ALL, BINARY(logical_xor), .fold = nkx_fold_logical_xor},
    [NKX_ALU_POWER] = {ROW("power", ARITH, POOL, "a to the power b"), ALL, BINARY(power)},
    [NKX_ALU_ABS_MAX] = {ROW_SINCE(4, "abs_max", ARITH, DVE, "a if |a| > |b| else b"), ALL,
                         BINARY(abs_max), .fold = nkx_fold_abs_max},
    [NKX_ALU_ABS_MIN] = {ROW_SINCE(4, "abs_min", ARITH, DVE, "a if |a| < |b| else b"), ALL,
                         BINARY(abs_min), .identity = INFINITY, .fold = nkx_fold_abs_min},
    [NKX_ALU_BITWISE_AND] = {ROW("bitwise_and", BITVEC | NKX_OPF_REDUCE, DVE, "a & b"), ALL,
                             .bits = nkx_bits_and, .bits_identity = UINT32_MAX,
                             .fold_bits = nkx_fold_bits_and},
    [NKX_ALU_BITWISE_OR] = {ROW("bitwise_or", BITVEC | NKX_OPF_REDUCE, DVE, "a | b"), ALL,
                            .bits = nkx_bits_or, .fold_bits = nkx_fold_bits_or},
    [NKX_ALU_BITWISE_XOR] = {ROW("bitwise_xor", BITVEC | NKX_OPF_REDUCE, DVE, "a ^ b"), ALL,
                             .bits = nkx_bits_xor, .fold_bits = nkx_fold_bits_xor},
    [NKX_ALU_INVERT] = {ROW("invert", NKX_OPF_BITVEC | NKX_OPF_UNARY, DVE, "~a"), ALL,
                        .bits = nkx_bits_invert},
    [NKX_ALU_LEFT_SHIFT] = {ROW("left_shift", BITVEC, DVE, "a << b, cut to the width"), ALL,
                            .bits = nkx_bits_left_shift},
    [NKX_ALU_RIGHT_SHIFT] = {ROW("right_shift", BITVEC, DVE, "a >> b, zeros shifted in"), ALL,
                             .bits = nkx_bits_right_shift},
    [NKX_ALU_ABS] = {ROW("abs", UNARY | ACTIVATION, DVE | ACT, "|x|"), ALL, .unary = nkx_un_abs},
    [NKX_ALU_SQUARE] = {ROW("square", UNARY | ACTIVATION, DVE | ACT, "x * x"), ALL,
                        .unary = nkx_un_square},
    [NKX_ALU_RELU] = {ROW("relu", UNARY | ACTIVATION, DVE | ACT, "max(x, 0)"), ALL,
                      .unary = nkx_un_relu},
    [NKX_ALU_RSQRT] = {ROW("rsqrt", UNARY | ACTIVATION, POOL | ACT, "1 / sqrt(x)"),
                       .valid_lo = 0x1p-87, .valid_hi = 0x1p97, .unary = nkx_un_rsqrt},
    [NKX_ALU_RECIPROCAL] = {ROW("reciprocal", UNARY | ACTIVATION, DVE | ACT, "1 / x"),
                            .valid_lo = -0x1p42, .valid_hi = 0x1p42, .valid_min_abs = 0x1p-42,
                            .unary = nkx_un_reciprocal},
    [NKX_ALU_AVERAGE] = {ROW("average", NKX_OPF_ARITH, POOL, "mean over partitions"), ALL,
                         .fold = nkx_sum_row},
    [NKX_ALU_BYPASS] = {ROW("bypass", ARITH, DVE | ACT, "a"), ALL, BINARY(bypass)},

    [NKX_ALU_DIVIDE] = {ROW("divide", ARITH | NKX_OPF_SIM_ONLY, 0, "a / b"), ALL, BINARY(divide)},
    [NKX_ALU_MOD] = {ROW("mod", ARITH | NKX_OPF_SIM_ONLY, 0, "a - b * floor(a / b)"), ALL,
                     BINARY(mod)},
    [NKX_ALU_FMOD] = {ROW("fmod", ARITH | NKX_OPF_SIM_ONLY, 0, "a - b * trunc(a / b)"), ALL,
                      BINARY(fmod)},
    [NKX_ALU_LOGICAL_NOT] = {ROW("logical_not", UNARY | NKX_OPF_SIM_ONLY, 0, "x == 0"), ALL,
                             .unary = nkx_un_logical_not},

    [NKX_ALU_COPY] = {ROW("copy", ACTIVATION, 0, "x"), ALL, .unary = nkx_un_copy},
    [NKX_ALU_SIGN] = {ROW("sign", ACTIVATION, 0, "-1, 0 or 1"), ALL, .unary = nkx_un_sign},
    [NKX_ALU_PRELU] = {ROW_SINCE(4, "prelu", ACTIVATION, 0, "x if x >= 0 else relu_param * x"), ALL},
    [NKX_ALU_SIGMOID] = {ROW("sigmoid", ACTIVATION, 0, "1 / (1 + exp(-x))"), ALL,
                         .unary = nkx_un_sigmoid},
    [NKX_ALU_TANH] = {ROW("tanh", ACTIVATION, 0, "tanh(x)"), ALL, .unary = nkx_vtanh},
    [NKX_ALU_EXP] = {ROW("exp", ACTIVATION, 0, "exp(x)"), ALL, .unary = nkx_vexp},
    [NKX_ALU_LOG] = {ROW("log", ACTIVATION, 0, "ln(x)"), .valid_lo = 0x1p-64,
                     .valid_hi = 0x1p64, .unary = nkx_vlog},
    [NKX_ALU_SQRT] = {ROW("sqrt", ACTIVATION, 0, "sqrt(x)"), .valid_lo = 0x1p-116,
                      .valid_hi = 0x1p118, .unary = nkx_vsqrt},
    [NKX_ALU_SIN] = {ROW("sin", ACTIVATION, 0, "sin(x), without range reduction"),
                     .valid_lo = -0x1.921fb6p1, .valid_hi = 0x1.921fb6p1,
                     .unary = nkx_un_sin},
    [NKX_ALU_ARCTAN] = {ROW("arctan", ACTIVATION, 0, "atan(x)"), .valid_lo = -0x1.921fb6p0,
                        .valid_hi = 0x1.921fb6p0, .unary = nkx_vatan},
    [NKX_ALU_ERF] = {ROW("erf", ACTIVATION, 0, "erf(x)"), ALL, .unary = nkx_verf},
    [NKX_ALU_ERF_DX] = {ROW("erf_dx", ACTIVATION, 0, "2 / sqrt(pi) * exp(-x^2)"), ALL,
                        .unary = nkx_un_erf_dx},
    [NKX_ALU_GELU] = {ROW("gelu", ACTIVATION, 0, "x / 2 * (1 + erf(x / sqrt(2)))"), ALL,
                      .unary = nkx_un_gelu},
    [NKX_ALU_GELU_DX] = {ROW("gelu_dx", ACTIVATION, 0,
                             "(1 + erf(x / sqrt(2))) / 2 + x * exp(-x^2 / 2) / sqrt(2 pi)"),
                         ALL, .unary = nkx_un_gelu_dx},
    [NKX_ALU_GELU_APPRX_TANH] = {ROW("gelu_apprx_tanh", ACTIVATION, 0,
                                     "x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))"),
                                 ALL, .unary = nkx_un_gelu_apprx_tanh},
    [NKX_ALU_GELU_APPRX_SIGMOID] = {ROW("gelu_apprx_sigmoid", ACTIVATION, 0,
                                        "x * sigmoid(1.702 x)"),
                                    ALL, .unary = nkx_un_gelu_apprx_sigmoid},
    [NKX_ALU_GELU_APPRX_SIGMOID_DX] = {ROW("gelu_apprx_sigmoid_dx", ACTIVATION, 0,
                                           "s * (1 + 1.702 x * (1 - s)), s = sigmoid(1.702 x)"),
                                       ALL, .unary = nkx_un_gelu_apprx_sigmoid_dx},
    [NKX_ALU_SILU] = {ROW("silu", ACTIVATION, 0, "x * sigmoid(x)"), ALL, .unary = nkx_un_silu},
    [NKX_ALU_SILU_DX] = {ROW("silu_dx", ACTIVATION, 0, "s * (1 + x * (1 - s)), s = sigmoid(x)"),
                         ALL, .unary = nkx_un_silu_dx},
    [NKX_ALU_SOFTPLUS] = {ROW("softplus", ACTIVATION, 0, "ln(1 + exp(x))"), ALL,
                          .unary = nkx_un_softplus},
    [NKX_ALU_MISH] = {ROW("mish", ACTIVATION, 0, "x * tanh(softplus(x))"), ALL,
                      .unary = nkx_un_mish},
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
