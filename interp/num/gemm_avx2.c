/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tile products in vectors of eight, for x86-64 with AVX2 and fused multiply-add; see
 * gemm_strip.inc. Layer num. The build compiles this file with -mavx2 -mfma.
 */
#if !defined(__AVX2__) || !defined(__FMA__)
#error "compile this file with -mavx2 -mfma"
#endif
#include <immintrin.h>

#define VEC          __m256
#define WIDTH        8
#define ZERO()       _mm256_setzero_ps()
#define LOAD(p)      _mm256_loadu_ps(p)
#define STORE(p, v)  _mm256_storeu_ps(p, v)
#define SPREAD(p)    _mm256_broadcast_ss(p)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)

#include "interp/num/gemm_strip.inc"

NKX_TILE_DEFINE(nkx_tile_avx2);
