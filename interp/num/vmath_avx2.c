/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SLEEF over rows in vectors of eight, for x86-64 with AVX2 and fused multiply-add; see vmath.h.
 * Layer num. The build compiles this file alone with -mavx2 -mfma: vectors of eight are passed in
 * registers only where the whole file may use them, and a target attribute does not change that
 * in every compiler.
 */
#include "interp/num/vmath.h"

#include "interp/num/simd.h"

#if !defined(__AVX2__) || !defined(__FMA__)
#error "compile this file with -mavx2 -mfma"
#endif
#include <immintrin.h>

/* SLEEF's header gives these a qualified type that function pointers do not take. */
#define DECLARE(name, ulp) __m256 Sleef_finz_##name##f8_##ulp##avx2(__m256);
NKX_VMATH_LIST(DECLARE)
#undef DECLARE
__m256 Sleef_finz_powf8_u10avx2(__m256, __m256);

NKX_INLINE void row(float *dst, const float *src, int64_t n, __m256 (*f)(__m256))
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        _mm256_storeu_ps(dst + i, f(_mm256_loadu_ps(src + i)));
    }
    if (i < n) {
        float t[8] = {1, 1, 1, 1, 1, 1, 1, 1};
        memcpy(t, src + i, (size_t)(n - i) * sizeof t[0]);
        _mm256_storeu_ps(t, f(_mm256_loadu_ps(t)));
        memcpy(dst + i, t, (size_t)(n - i) * sizeof t[0]);
    }
}

#define ROW(name, ulp)                                                                             \
    void nkx_v##name##_avx2(float *dst, const float *src, int64_t n)                               \
    {                                                                                              \
        row(dst, src, n, Sleef_finz_##name##f8_##ulp##avx2);                                       \
    }
NKX_VMATH_LIST(ROW)
#undef ROW

static __m256 root(__m256 x)
{
    return _mm256_sqrt_ps(x);
}

void nkx_vsqrt_avx2(float *dst, const float *src, int64_t n)
{
    row(dst, src, n, root);
}

void nkx_vpow_avx2(float *dst, const float *a, const float *b, int64_t n)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m256 y = Sleef_finz_powf8_u10avx2(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i));
        _mm256_storeu_ps(dst + i, y);
    }
    if (i < n) {
        float x[8] = {0}, y[8] = {0};
        memcpy(x, a + i, (size_t)(n - i) * sizeof x[0]);
        memcpy(y, b + i, (size_t)(n - i) * sizeof y[0]);
        _mm256_storeu_ps(x, Sleef_finz_powf8_u10avx2(_mm256_loadu_ps(x), _mm256_loadu_ps(y)));
        memcpy(dst + i, x, (size_t)(n - i) * sizeof x[0]);
    }
}
