/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tile products in vectors of sixteen, for x86-64 with AVX-512; see gemm_strip.inc.
 * Layer num. The build compiles this file with -mavx512f -mfma.
 */
#if !defined(__AVX512F__) || !defined(__FMA__)
#error "compile this file with -mavx512f -mfma"
#endif
#include <immintrin.h>

#define VEC          __m512
#define WIDTH        16
#define ZERO()       _mm512_setzero_ps()
#define LOAD(p)      _mm512_loadu_ps(p)
#define STORE(p, v)  _mm512_storeu_ps(p, v)
#define SPREAD(p)    _mm512_set1_ps(*(p))
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)

#include "interp/num/gemm_strip.inc"

NKX_TILE_DEFINE(nkx_tile_avx512);
