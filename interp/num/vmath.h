/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elementary functions over dense fp32 rows, from SLEEF. Private to interp/num. dst may be src.
 *
 * SLEEF's deterministic functions come in two families, each bit-identical on all its targets:
 * with fused multiply-add (finz) and without (cinz). These rows use finz wherever the machine has
 * it, which is every x86-64 since AVX2 and every arm64: same bits there. Older x86-64 gets cinz:
 * the same accuracy, other last bits. Vectors of 16 (AVX-512), 8 (AVX2) or 4; a tail is padded to a
 * whole vector, so that a value's result does not depend on its place in the row. Errors are at
 * most 1.0 ulp (erfc 1.5), square roots are correctly rounded.
 */
#ifndef NKX_NUM_VMATH_H
#define NKX_NUM_VMATH_H

#include "interp/base/attr.h"

/* F(name, SLEEF's spelling of the error bound); the square root and the power stand apart. */
#define NKX_VMATH_LIST(F)                                                                          \
    F(exp, u10)                                                                                    \
    F(log, u10)                                                                                    \
    F(log1p, u10)                                                                                  \
    F(sin, u10)                                                                                    \
    F(sinpi, u05) /* sin(pi x) */                                                                  \
    F(cospi, u05)                                                                                  \
    F(atan, u10)                                                                                   \
    F(tanh, u10)                                                                                   \
    F(erf, u10)                                                                                    \
    F(erfc, u15)

/* nkx_vexp(dst, src, n) and so on; _4, _avx2 and _avx512 are what it chooses from. */
#define NKX_VMATH_ROW(name, ulp)                                                                   \
    void nkx_v##name(float *dst, const float *src, int64_t n);                                     \
    void nkx_v##name##_4(float *dst, const float *src, int64_t n);                                 \
    void nkx_v##name##_avx2(float *dst, const float *src, int64_t n);                              \
    void nkx_v##name##_avx512(float *dst, const float *src, int64_t n);
NKX_VMATH_LIST(NKX_VMATH_ROW)
NKX_VMATH_ROW(sqrt, )
#undef NKX_VMATH_ROW

void nkx_vpow(float *dst, const float *a, const float *b, int64_t n);
void nkx_vpow_4(float *dst, const float *a, const float *b, int64_t n);
void nkx_vpow_avx2(float *dst, const float *a, const float *b, int64_t n);
void nkx_vpow_avx512(float *dst, const float *a, const float *b, int64_t n);

#endif
