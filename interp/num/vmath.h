/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elementary functions over dense fp32 rows, from SLEEF. Private to interp/num. dst may be src.
 *
 * SLEEF's deterministic functions come in two families, each bit-identical on all its targets:
 * with fused multiply-add (finz) and without (cinz). These rows use finz wherever the machine has
 * it, which is every x86-64 since AVX2 and every arm64: same bits there. Older x86-64 gets cinz:
 * the same accuracy, other last bits. Vectors of 8 (AVX2) or 4; a tail is padded to a whole
 * vector, so that a value's result does not depend on its place in the row. Errors are at most
 * 1.0 ulp (erfc 1.5), square roots are correctly rounded.
 */
#ifndef NKX_NUM_VMATH_H
#define NKX_NUM_VMATH_H

#include "interp/base/attr.h"

void nkx_vexp(float *dst, const float *src, int64_t n);
void nkx_vlog(float *dst, const float *src, int64_t n);
void nkx_vlog1p(float *dst, const float *src, int64_t n);
void nkx_vsin(float *dst, const float *src, int64_t n);
void nkx_vsinpi(float *dst, const float *src, int64_t n); /* sin(pi x) */
void nkx_vcospi(float *dst, const float *src, int64_t n);
void nkx_vatan(float *dst, const float *src, int64_t n);
void nkx_vtanh(float *dst, const float *src, int64_t n);
void nkx_verf(float *dst, const float *src, int64_t n);
void nkx_verfc(float *dst, const float *src, int64_t n);
void nkx_vsqrt(float *dst, const float *src, int64_t n);
void nkx_vpow(float *dst, const float *a, const float *b, int64_t n);

#endif
