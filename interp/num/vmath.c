/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SLEEF over rows in vectors of four, and the choice between these and the wider ones; see vmath.h
 * for the families. Layer num.
 */
#include "interp/num/vmath.h"

#include "interp/num/simd.h"

#if defined(__x86_64__)
#include <immintrin.h>
typedef __m128 vec4;
#define LOAD        _mm_loadu_ps
#define STORE       _mm_storeu_ps
#define SQRT        _mm_sqrt_ps
#define SLEEF(f, u) Sleef_cinz_##f##f4_##u##sse2
#elif defined(__aarch64__)
#include <arm_neon.h>
typedef float32x4_t vec4;
#define LOAD        vld1q_f32
#define STORE       vst1q_f32
#define SQRT        vsqrtq_f32
#define SLEEF(f, u) Sleef_finz_##f##f4_##u##advsimd
#else
#error "rows of elementary functions are written for x86-64 and arm64"
#endif

/* SLEEF's header gives these a qualified type that function pointers do not take. */
#define DECLARE(name, ulp) vec4 SLEEF(name, ulp)(vec4);
NKX_VMATH_LIST(DECLARE)
#undef DECLARE
vec4 SLEEF(pow, u10)(vec4, vec4);

NKX_INLINE void row(float *dst, const float *src, int64_t n, vec4 (*f)(vec4))
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        STORE(dst + i, f(LOAD(src + i)));
    }
    if (i < n) {
        float t[4] = {1, 1, 1, 1};
        memcpy(t, src + i, (size_t)(n - i) * sizeof t[0]);
        STORE(t, f(LOAD(t)));
        memcpy(dst + i, t, (size_t)(n - i) * sizeof t[0]);
    }
}

#define ROW(name, ulp)                                                                             \
    void nkx_v##name##_4(float *dst, const float *src, int64_t n)                                  \
    {                                                                                              \
        row(dst, src, n, SLEEF(name, ulp));                                                        \
    }
NKX_VMATH_LIST(ROW)
#undef ROW

static vec4 root(vec4 x)
{
    return SQRT(x);
}

void nkx_vsqrt_4(float *dst, const float *src, int64_t n)
{
    row(dst, src, n, root);
}

void nkx_vpow_4(float *dst, const float *a, const float *b, int64_t n)
{
    for (int64_t i = 0; i < n; i += 4) {
        size_t m = (size_t)(n - i < 4 ? n - i : 4) * sizeof(float);
        float x[4] = {0}, y[4] = {0};
        memcpy(x, a + i, m);
        memcpy(y, b + i, m);
        STORE(x, SLEEF(pow, u10)(LOAD(x), LOAD(y)));
        memcpy(dst + i, x, m);
    }
}

#if defined(__x86_64__)
#define CHOICE(name)                                                                               \
    (nkx_has_avx512() ? nkx_v##name##_avx512                                                       \
     : nkx_has_avx2() ? nkx_v##name##_avx2                                                         \
                      : nkx_v##name##_4)
#else
#define CHOICE(name) nkx_v##name##_4
#endif

#define ENTRY(name, ulp)                                                                           \
    void nkx_v##name(float *dst, const float *src, int64_t n)                                      \
    {                                                                                              \
        CHOICE(name)(dst, src, n);                                                                 \
    }
NKX_VMATH_LIST(ENTRY)
ENTRY(sqrt, )
#undef ENTRY

void nkx_vpow(float *dst, const float *a, const float *b, int64_t n)
{
    CHOICE(pow)(dst, a, b, n);
}
