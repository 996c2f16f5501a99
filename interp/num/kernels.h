/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The row kernels that the operator table of ops.c points at. Private to interp/num: callers go
 * through nkx_alu_rows. All obey ops.h: dense rows, dst may be an input, no allocation.
 */
#ifndef NKX_NUM_KERNELS_H
#define NKX_NUM_KERNELS_H

#include "interp/base/attr.h"

/* ops_arith.c: two operands in fp32, three forms each, and left folds. */
#define NKX_KERNEL(op)                                                                             \
    void nkx_vv_##op(float *dst, const float *a, const float *b, int64_t n);                       \
    void nkx_vs_##op(float *dst, const float *a, float s, int64_t n);                              \
    void nkx_sv_##op(float *dst, float s, const float *b, int64_t n);
NKX_KERNEL(add)
NKX_KERNEL(subtract)
NKX_KERNEL(multiply)
NKX_KERNEL(maximum)
NKX_KERNEL(minimum)
NKX_KERNEL(equal)
NKX_KERNEL(not_equal)
NKX_KERNEL(greater)
NKX_KERNEL(greater_equal)
NKX_KERNEL(less)
NKX_KERNEL(less_equal)
NKX_KERNEL(logical_and)
NKX_KERNEL(logical_or)
NKX_KERNEL(logical_xor)
NKX_KERNEL(power)
NKX_KERNEL(abs_max)
NKX_KERNEL(abs_min)
NKX_KERNEL(bypass)
NKX_KERNEL(divide)
NKX_KERNEL(mod)
NKX_KERNEL(fmod)
#undef NKX_KERNEL

float nkx_fold_multiply(float acc, const float *a, int64_t n);
float nkx_fold_maximum(float acc, const float *a, int64_t n);
float nkx_fold_minimum(float acc, const float *a, int64_t n);
float nkx_fold_subtract(float acc, const float *a, int64_t n);
float nkx_fold_logical_and(float acc, const float *a, int64_t n);
float nkx_fold_logical_or(float acc, const float *a, int64_t n);
float nkx_fold_logical_xor(float acc, const float *a, int64_t n);
float nkx_fold_abs_max(float acc, const float *a, int64_t n);
float nkx_fold_abs_min(float acc, const float *a, int64_t n);

/* ops_bits.c: raw bits at a width, and wrap-around 32-bit integers. */
#define NKX_KERNEL(op)                                                                             \
    void nkx_bits_##op(uint32_t *dst, const uint32_t *a, const uint32_t *b, int64_t n, int width);
NKX_KERNEL(and)
NKX_KERNEL(or)
NKX_KERNEL(xor)
NKX_KERNEL(invert)
NKX_KERNEL(left_shift)
NKX_KERNEL(right_shift)
#undef NKX_KERNEL
uint32_t nkx_fold_bits_and(uint32_t acc, const uint32_t *a, int64_t n);
uint32_t nkx_fold_bits_or(uint32_t acc, const uint32_t *a, int64_t n);
uint32_t nkx_fold_bits_xor(uint32_t acc, const uint32_t *a, int64_t n);

#define NKX_KERNEL(op)                                                                             \
    void nkx_int_##op(uint32_t *dst, const uint32_t *a, const uint32_t *b, int64_t n,              \
                      bool is_signed);
NKX_KERNEL(add)
NKX_KERNEL(subtract)
NKX_KERNEL(multiply)
NKX_KERNEL(maximum)
NKX_KERNEL(minimum)
NKX_KERNEL(equal)
NKX_KERNEL(not_equal)
NKX_KERNEL(greater)
NKX_KERNEL(greater_equal)
NKX_KERNEL(less)
NKX_KERNEL(less_equal)
#undef NKX_KERNEL

/* ops_act.c: one operand. */
#define NKX_KERNEL(op) void nkx_un_##op(float *dst, const float *a, int64_t n);
NKX_KERNEL(copy)
NKX_KERNEL(square)
NKX_KERNEL(abs)
NKX_KERNEL(sign)
NKX_KERNEL(relu)
NKX_KERNEL(reciprocal)
NKX_KERNEL(rsqrt)
NKX_KERNEL(logical_not)
NKX_KERNEL(sigmoid)
NKX_KERNEL(sin)
NKX_KERNEL(erf_dx)
NKX_KERNEL(gelu)
NKX_KERNEL(gelu_dx)
NKX_KERNEL(gelu_apprx_tanh)
NKX_KERNEL(gelu_apprx_sigmoid)
NKX_KERNEL(gelu_apprx_sigmoid_dx)
NKX_KERNEL(silu)
NKX_KERNEL(silu_dx)
NKX_KERNEL(softplus)
NKX_KERNEL(mish)
#undef NKX_KERNEL
void nkx_un_prelu(float *dst, const float *a, float slope, int64_t n);

#endif
