/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SLEEF over rows; see vmath.h for the choice of family. Layer num: the only file that calls SLEEF.
 * Each function has one row loop per vector width and is chosen by the processor, once a row.
 * SLEEF's functions are declared here: its header hides the wide ones from files that are compiled
 * for the baseline, and gives all of them a qualified type that function pointers do not take.
 */
#include "interp/num/vmath.h"

#include "interp/num/simd.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#else
#error "rows of elementary functions are written for x86-64 and arm64"
#endif

#if defined(__x86_64__)

#define AVX2 __attribute__((target("avx2,fma")))

#define DECLARE(name, ulp)                                                                         \
    AVX2 __m256 Sleef_finz_##name##f8_##ulp##avx2(__m256);                                         \
    __m128      Sleef_cinz_##name##f4_##ulp##sse2(__m128);
DECLARE(exp, u10)
DECLARE(log, u10)
DECLARE(log1p, u10)
DECLARE(sin, u10)
DECLARE(sinpi, u05)
DECLARE(cospi, u05)
DECLARE(atan, u10)
DECLARE(tanh, u10)
DECLARE(erf, u10)
DECLARE(erfc, u15)
#undef DECLARE
AVX2 __m256 Sleef_finz_powf8_u10avx2(__m256, __m256);
__m128      Sleef_cinz_powf4_u10sse2(__m128, __m128);

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

AVX2 NKX_INLINE void row8(float *dst, const float *src, int64_t n, __m256 (*f)(__m256))
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

NKX_INLINE void row4(float *dst, const float *src, int64_t n, __m128 (*f)(__m128))
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        _mm_storeu_ps(dst + i, f(_mm_loadu_ps(src + i)));
    }
    if (i < n) {
        float t[4] = {1, 1, 1, 1};
        memcpy(t, src + i, (size_t)(n - i) * sizeof t[0]);
        _mm_storeu_ps(t, f(_mm_loadu_ps(t)));
        memcpy(dst + i, t, (size_t)(n - i) * sizeof t[0]);
    }
}

AVX2 static __m256 sqrt8(__m256 x) { return _mm256_sqrt_ps(x); }
static __m128 sqrt4(__m128 x) { return _mm_sqrt_ps(x); }

#define ROW(name, wide, narrow)                                                                    \
    AVX2 static void name##_8(float *d, const float *s, int64_t n) { row8(d, s, n, wide); }        \
    static void      name##_4(float *d, const float *s, int64_t n) { row4(d, s, n, narrow); }      \
    void             nkx_v##name(float *dst, const float *src, int64_t n)                          \
    {                                                                                              \
        (has_avx2() ? name##_8 : name##_4)(dst, src, n);                                           \
    }
ROW(exp, Sleef_finz_expf8_u10avx2, Sleef_cinz_expf4_u10sse2)
ROW(log, Sleef_finz_logf8_u10avx2, Sleef_cinz_logf4_u10sse2)
ROW(log1p, Sleef_finz_log1pf8_u10avx2, Sleef_cinz_log1pf4_u10sse2)
ROW(sin, Sleef_finz_sinf8_u10avx2, Sleef_cinz_sinf4_u10sse2)
ROW(sinpi, Sleef_finz_sinpif8_u05avx2, Sleef_cinz_sinpif4_u05sse2)
ROW(cospi, Sleef_finz_cospif8_u05avx2, Sleef_cinz_cospif4_u05sse2)
ROW(atan, Sleef_finz_atanf8_u10avx2, Sleef_cinz_atanf4_u10sse2)
ROW(tanh, Sleef_finz_tanhf8_u10avx2, Sleef_cinz_tanhf4_u10sse2)
ROW(erf, Sleef_finz_erff8_u10avx2, Sleef_cinz_erff4_u10sse2)
ROW(erfc, Sleef_finz_erfcf8_u15avx2, Sleef_cinz_erfcf4_u15sse2)
ROW(sqrt, sqrt8, sqrt4)
#undef ROW

AVX2 static void pow_8(float *dst, const float *a, const float *b, int64_t n)
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

static void pow_4(float *dst, const float *a, const float *b, int64_t n)
{
    for (int64_t i = 0; i < n; i += 4) {
        size_t m = (size_t)(n - i < 4 ? n - i : 4) * sizeof(float);
        float  x[4] = {0}, y[4] = {0};
        memcpy(x, a + i, m);
        memcpy(y, b + i, m);
        _mm_storeu_ps(x, Sleef_cinz_powf4_u10sse2(_mm_loadu_ps(x), _mm_loadu_ps(y)));
        memcpy(dst + i, x, m);
    }
}

void nkx_vpow(float *dst, const float *a, const float *b, int64_t n)
{
    (has_avx2() ? pow_8 : pow_4)(dst, a, b, n);
}

#else /* arm64: fused multiply-add always */

#define DECLARE(name, ulp) float32x4_t Sleef_finz_##name##f4_##ulp##advsimd(float32x4_t);
DECLARE(exp, u10)
DECLARE(log, u10)
DECLARE(log1p, u10)
DECLARE(sin, u10)
DECLARE(sinpi, u05)
DECLARE(cospi, u05)
DECLARE(atan, u10)
DECLARE(tanh, u10)
DECLARE(erf, u10)
DECLARE(erfc, u15)
#undef DECLARE
float32x4_t Sleef_finz_powf4_u10advsimd(float32x4_t, float32x4_t);

NKX_INLINE void row4(float *dst, const float *src, int64_t n, float32x4_t (*f)(float32x4_t))
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        vst1q_f32(dst + i, f(vld1q_f32(src + i)));
    }
    if (i < n) {
        float t[4] = {1, 1, 1, 1};
        memcpy(t, src + i, (size_t)(n - i) * sizeof t[0]);
        vst1q_f32(t, f(vld1q_f32(t)));
        memcpy(dst + i, t, (size_t)(n - i) * sizeof t[0]);
    }
}

static float32x4_t sqrt4(float32x4_t x) { return vsqrtq_f32(x); }

#define ROW(name, f)                                                                               \
    void nkx_v##name(float *dst, const float *src, int64_t n) { row4(dst, src, n, f); }
ROW(exp, Sleef_finz_expf4_u10advsimd)
ROW(log, Sleef_finz_logf4_u10advsimd)
ROW(log1p, Sleef_finz_log1pf4_u10advsimd)
ROW(sin, Sleef_finz_sinf4_u10advsimd)
ROW(sinpi, Sleef_finz_sinpif4_u05advsimd)
ROW(cospi, Sleef_finz_cospif4_u05advsimd)
ROW(atan, Sleef_finz_atanf4_u10advsimd)
ROW(tanh, Sleef_finz_tanhf4_u10advsimd)
ROW(erf, Sleef_finz_erff4_u10advsimd)
ROW(erfc, Sleef_finz_erfcf4_u15advsimd)
ROW(sqrt, sqrt4)
#undef ROW

void nkx_vpow(float *dst, const float *a, const float *b, int64_t n)
{
    for (int64_t i = 0; i < n; i += 4) {
        size_t m = (size_t)(n - i < 4 ? n - i : 4) * sizeof(float);
        float  x[4] = {0}, y[4] = {0};
        memcpy(x, a + i, m);
        memcpy(y, b + i, m);
        vst1q_f32(x, Sleef_finz_powf4_u10advsimd(vld1q_f32(x), vld1q_f32(y)));
        memcpy(dst + i, x, m);
    }
}

#endif
