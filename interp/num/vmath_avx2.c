/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SLEEF over rows in vectors of eight, for x86-64 with AVX2 and fused multiply-add; see vmath.h.
 * Layer num. The build compiles this file with -mavx2 -mfma.
 */
#if !defined(__AVX2__) || !defined(__FMA__)
#error "compile this file with -mavx2 -mfma"
#endif
#include <immintrin.h>

#define VEC         __m256
#define WIDTH       8
#define LOAD        _mm256_loadu_ps
#define STORE       _mm256_storeu_ps
#define SQRT        _mm256_sqrt_ps
#define SLEEF(f, u) Sleef_finz_##f##f8_##u##avx2
#define NAME(f)     nkx_v##f##_avx2

#include "interp/num/vmath_wide.inc"
