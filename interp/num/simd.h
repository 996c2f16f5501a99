/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the row kernels need from the compiler, in one place: function multi-versioning, the
 * promise that a loop has no carried dependence (rows are the same row or apart, never shifted),
 * and bit access to floats. Private to interp/num.
 *
 * A loop marked NKX_CLONES is compiled for the baseline and for AVX2 and chosen when the program is
 * loaded; rows are bound by memory, and wider vectors would not help. Contraction is off in the
 * whole build, so that all versions give one result. For static functions alone: a chooser with a
 * global name is visible whatever is asked for (gcc 12), or has another name (clang 14).
 */
#ifndef NKX_NUM_SIMD_H
#define NKX_NUM_SIMD_H

#include "interp/base/attr.h"

#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define NKX_PLAIN_LOOPS 1 /* resolvers run before a sanitizer's runtime is up */
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || !defined(__x86_64__) || !defined(__gnu_linux__)
#define NKX_PLAIN_LOOPS 1
#endif

#if defined(NKX_PLAIN_LOOPS)
#define NKX_CLONES
#else
#define NKX_CLONES __attribute__((target_clones("avx2", "default")))
#endif
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* unoptimised builds cannot honour it */
#define NKX_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define NKX_IVDEP _Pragma("GCC ivdep")
#endif

#define NKX_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
/* What the files compiled with -mavx2 -mfma -mf16c need; no processor has the first two alone. */
NKX_INLINE bool nkx_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/* What the files compiled with -mavx512f need. */
NKX_INLINE bool nkx_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && nkx_has_avx2();
}
#endif

NKX_INLINE uint32_t nkx_bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

NKX_INLINE float nkx_float_of(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* Elements may lie at any byte: the memories promise no alignment. */
NKX_INLINE uint16_t nkx_ld16(const void *base, int64_t i)
{
    uint16_t v;
    memcpy(&v, (const uint8_t *)base + 2 * i, sizeof v);
    return v;
}

NKX_INLINE uint32_t nkx_ld32(const void *base, int64_t i)
{
    uint32_t v;
    memcpy(&v, (const uint8_t *)base + 4 * i, sizeof v);
    return v;
}

NKX_INLINE void nkx_st16(void *base, int64_t i, uint32_t v)
{
    uint16_t h = (uint16_t)v;
    memcpy((uint8_t *)base + 2 * i, &h, sizeof h);
}

NKX_INLINE void nkx_st32(void *base, int64_t i, uint32_t v)
{
    memcpy((uint8_t *)base + 4 * i, &v, sizeof v);
}

#endif
