/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SLEEF over rows in vectors of sixteen, for x86-64 with AVX-512; see vmath.h. Layer num. The build
 * compiles this file with -mavx512f -mfma.
 */
#if !defined(__AVX512F__) || !defined(__FMA__)
#error "compile this file with -mavx512f -mfma"
#endif
#include <immintrin.h>

#define VEC         __m512
#define WIDTH       16
#define LOAD        _mm512_loadu_ps
#define STORE       _mm512_storeu_ps
#define SQRT        _mm512_sqrt_ps
#define SLEEF(f, u) Sleef_finz_##f##f16_##u##avx512f
#define NAME(f)     nkx_v##f##_avx512

#include "interp/num/vmath_wide.inc"
