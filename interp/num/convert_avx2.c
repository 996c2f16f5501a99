/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dense conversions in vectors of eight, where the plain loops of convert_float.c and
 * convert_int.c leave much to gain; the same bits. Layer num. The build compiles this file with
 * -mavx2 -mfma -mf16c.
 *
 * The machine's half-precision conversion serves the 8-bit floats too: e5m2 is the upper byte of a
 * half, e4m3 shifted by one bit is a half of 1/256 the value.
 */
#include "interp/num/rows.h"

#include "interp/num/simd.h"

#if !defined(__AVX2__) || !defined(__F16C__)
#error "compile this file with -mavx2 -mfma -mf16c"
#endif
#include <immintrin.h>

/* Eight elements from src to dst. */
typedef void (*eight_fn)(void *dst, const void *src);

/* A rest of fewer than eight goes through a buffer, so that it takes the same way. */
NKX_INLINE void in_eights(void *dst, int dst_bytes, const void *src, int src_bytes, int64_t n,
                          eight_fn f)
{
    uint8_t *to = dst;
    const uint8_t *from = src;
    for (; n >= 8; n -= 8, to += 8 * dst_bytes, from += 8 * src_bytes) {
        f(to, from);
    }
    if (n > 0) {
        uint8_t in[32] = {0}, out[32];
        memcpy(in, from, (size_t)(n * src_bytes));
        f(out, in);
        memcpy(to, out, (size_t)(n * dst_bytes));
    }
}

NKX_INLINE __m256 load_lanes(const void *src)
{
    return _mm256_loadu_ps(src);
}

NKX_INLINE void store_lanes(void *dst, __m256 v)
{
    _mm256_storeu_ps(dst, v);
}

/* Bits of floats as integers and back: no instruction. */
NKX_INLINE __m256i bits(__m256 v)
{
    return _mm256_castps_si256(v);
}

/* The low halves, low bytes, of eight 32-bit integers that fit. */
NKX_INLINE __m128i low_halves(__m256i v)
{
    __m256i packed = _mm256_packus_epi32(v, v);
    return _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08));
}

static void load_fp16(void *dst, const void *src)
{
    store_lanes(dst, _mm256_cvtph_ps(_mm_loadu_si128(src)));
}

static void store_fp16(void *dst, const void *src)
{
    __m128i h = _mm256_cvtps_ph(load_lanes(src), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm_storeu_si128(dst, h);
}

static void store_bf16(void *dst, const void *src)
{
    __m256i u = bits(load_lanes(src));
    __m256i odd = _mm256_and_si256(_mm256_srli_epi32(u, 16), _mm256_set1_epi32(1));
    __m256i round = _mm256_add_epi32(_mm256_add_epi32(u, odd), _mm256_set1_epi32(0x7fff));
    __m256 x = _mm256_castsi256_ps(u), nan = _mm256_cmp_ps(x, x, _CMP_UNORD_Q);
    __m256i quiet = _mm256_or_si256(u, _mm256_set1_epi32(0x400000));
    __m256i r = _mm256_blendv_epi8(round, quiet, bits(nan));
    _mm_storeu_si128(dst, low_halves(_mm256_srli_epi32(r, 16)));
}

NKX_INLINE __m128i load_bytes(const void *src)
{
    return _mm_cvtepu8_epi16(_mm_loadl_epi64(src));
}

static void load_e5m2(void *dst, const void *src)
{
    store_lanes(dst, _mm256_cvtph_ps(_mm_slli_epi16(load_bytes(src), 8)));
}

/* 1-4-3 read as if its top exponent were ordinary. */
NKX_INLINE __m256 widen_143(__m128i b)
{
    __m128i sign = _mm_slli_epi16(_mm_and_si128(b, _mm_set1_epi16(0x80)), 8);
    __m128i rest = _mm_slli_epi16(_mm_and_si128(b, _mm_set1_epi16(0x7f)), 7);
    return _mm256_mul_ps(_mm256_cvtph_ps(_mm_or_si128(sign, rest)), _mm256_set1_ps(256.0f));
}

/* All ones in the lanes whose magnitude code is above `limit`. */
NKX_INLINE __m256i above(__m128i b, short limit)
{
    __m128i magnitude = _mm_and_si128(b, _mm_set1_epi16(0x7f));
    return _mm256_cvtepi16_epi32(_mm_cmpgt_epi16(magnitude, _mm_set1_epi16(limit)));
}

/* Exponent of ones: infinity, or quiet NaN with what payload there is. */
static void load_e4m3(void *dst, const void *src)
{
    __m128i b = load_bytes(src);
    __m256i u = bits(widen_143(b));
    u = _mm256_or_si256(u, _mm256_and_si256(above(b, 0x77), _mm256_set1_epi32(0x7f800000)));
    u = _mm256_or_si256(u, _mm256_and_si256(above(b, 0x78), _mm256_set1_epi32(0x400000)));
    _mm256_storeu_si256(dst, u);
}

static void load_e4m3fn(void *dst, const void *src)
{
    __m128i b = load_bytes(src);
    __m256i sign =
        _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_and_si128(b, _mm_set1_epi16(0x80))), 24);
    __m256i nan = _mm256_or_si256(sign, _mm256_set1_epi32(0x7fc00000));
    _mm256_storeu_si256(dst, _mm256_blendv_epi8(bits(widen_143(b)), nan, above(b, 0x7e)));
}

/* ---- integers: clamp, round to even, NaN to 0 ---- */

NKX_INLINE __m256i clamped(const void *src, float lo, float hi)
{
    __m256 x = load_lanes(src);
    x = _mm256_and_ps(x, _mm256_cmp_ps(x, x, _CMP_ORD_Q));
    x = _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(lo)), _mm256_set1_ps(hi));
    return _mm256_cvtps_epi32(x);
}

/* Low 16 bits of each lane, whatever its sign. */
NKX_INLINE __m128i cut_halves(__m256i v)
{
    return low_halves(_mm256_and_si256(v, _mm256_set1_epi32(0xffff)));
}

NKX_INLINE void store_bytes(void *dst, __m256i v)
{
    __m128i halves = low_halves(_mm256_and_si256(v, _mm256_set1_epi32(0xff)));
    _mm_storel_epi64(dst, _mm_packus_epi16(halves, halves));
}

static void store_int8(void *dst, const void *src)
{
    store_bytes(dst, clamped(src, -128, 127));
}
static void store_uint8(void *dst, const void *src)
{
    store_bytes(dst, clamped(src, 0, 255));
}

static void store_int16(void *dst, const void *src)
{
    _mm_storeu_si128(dst, cut_halves(clamped(src, -32768, 32767)));
}

static void store_uint16(void *dst, const void *src)
{
    _mm_storeu_si128(dst, cut_halves(clamped(src, 0, 65535)));
}

/* The conversion gives the least integer for everything out of range: right below, wrong above. */
static void store_int32(void *dst, const void *src)
{
    __m256 x = load_lanes(src);
    x = _mm256_and_ps(x, _mm256_cmp_ps(x, x, _CMP_ORD_Q));
    __m256 over = _mm256_cmp_ps(x, _mm256_set1_ps(2147483648.0f), _CMP_GE_OQ);
    _mm256_storeu_si256(dst, _mm256_xor_si256(_mm256_cvtps_epi32(x), bits(over)));
}

#define ENTRY(name, dst_bytes, src_bytes)                                                          \
    void nkx_avx2_##name(void *restrict dst, const void *restrict src, int64_t n)                  \
    {                                                                                              \
        in_eights(dst, dst_bytes, src, src_bytes, n, name);                                        \
    }
NKX_MACHINE_LIST(ENTRY)
#undef ENTRY
