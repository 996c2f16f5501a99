/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversions between fp32 lanes, int32 lanes and the integer types (isa.md 1.2). Layer num.
 *
 * From fp32: nearest, ties to even, then saturation; NaN gives 0; bool is "differs from zero".
 * From int32 lanes: the low bits. A uint32 lives in an int32 lane by its bits.
 */
#include "interp/num/rows.h"
#include "interp/num/simd.h"

/* Ties to even without a library call: 2^23 has no fraction bits left. */
NKX_INLINE float round_even(float x)
{
    float a = nkx_float_of(nkx_bits_of(x) & 0x7fffffffu);
    float r = (a + 8388608.0f) - 8388608.0f;
    r = a < 8388608.0f ? r : a;
    return nkx_float_of(nkx_bits_of(r) | (nkx_bits_of(x) & 0x80000000u));
}

/* Types whose limits are exact in fp32. */
NKX_INLINE int32_t to_small(float x, float lo, float hi)
{
    x = x == x ? x : 0.0f;
    x = x < lo ? lo : x;
    x = x > hi ? hi : x;
    return (int32_t)round_even(x);
}

NKX_INLINE int32_t to_int32(float x)
{
    const float limit = 2147483648.0f;
    bool over = x >= limit, under = x < -limit;
    float safe = ((x == x) & !over & !under) ? x : 0.0f;
    int32_t r = (int32_t)round_even(safe);
    r = over ? INT32_MAX : r;
    return under ? INT32_MIN : r;
}

NKX_INLINE uint32_t to_uint32(float x)
{
    const float half = 2147483648.0f;
    bool over = x >= 2 * half, big = x >= half;
    float safe = ((x > 0) & !over) ? x : 0.0f;
    uint32_t r = (uint32_t)(int32_t)round_even((big & !over) ? safe - half : safe);
    r = big ? r + 0x80000000u : r;
    return over ? UINT32_MAX : r;
}

#define DENSE(name, D, S, expr)                                                                    \
    NKX_CLONES static void name(void *restrict dst, const void *restrict src, int64_t n)           \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            S x;                                                                                   \
            memcpy(&x, (const uint8_t *)src + i * (int64_t)sizeof x, sizeof x);                    \
            D y = (D)(expr);                                                                       \
            memcpy((uint8_t *)dst + i * (int64_t)sizeof y, &y, sizeof y);                          \
        }                                                                                          \
    }
DENSE(bool_f, float, uint8_t, x != 0)
DENSE(f_bool, uint8_t, float, x != 0)
DENSE(bool_i, int32_t, uint8_t, x != 0)
DENSE(i_bool, uint8_t, int32_t, x != 0)
DENSE(int8_f, float, int8_t, x)
DENSE(dense_store_int8, int8_t, float, to_small(x, -128.0f, 127.0f))
DENSE(int8_i, int32_t, int8_t, x)
DENSE(int16_f, float, int16_t, x)
DENSE(dense_store_int16, int16_t, float, to_small(x, -32768.0f, 32767.0f))
DENSE(int16_i, int32_t, int16_t, x)
DENSE(int32_f, float, int32_t, x)
DENSE(dense_store_int32, int32_t, float, to_int32(x))
DENSE(uint8_f, float, uint8_t, x)
DENSE(dense_store_uint8, uint8_t, float, to_small(x, 0.0f, 255.0f))
DENSE(uint8_i, int32_t, uint8_t, x)
DENSE(uint16_f, float, uint16_t, x)
DENSE(dense_store_uint16, uint16_t, float, to_small(x, 0.0f, 65535.0f))
DENSE(uint16_i, int32_t, uint16_t, x)
DENSE(uint32_f, float, uint32_t, x)
DENSE(f_uint32, uint32_t, float, to_uint32(x))
DENSE(i_low8, uint8_t, uint32_t, x & 0xff)
DENSE(i_low16, uint16_t, uint32_t, x & 0xffff)
DENSE(i_same, uint32_t, uint32_t, x)
#undef DENSE

#define PLAIN(name)                                                                                \
    void nkx_plain_##name(void *restrict dst, const void *restrict src, int64_t n)                 \
    {                                                                                              \
        dense_##name(dst, src, n);                                                                 \
    }
PLAIN(store_int8)
PLAIN(store_uint8)
PLAIN(store_int16)
PLAIN(store_uint16)
PLAIN(store_int32)
#undef PLAIN

#define ROWS(t, bytes, load_f, store_f, load_i, store_i)                                           \
    void nkx_load_f32_##t(float *dst, const void *src, int64_t n, int64_t step)                    \
    {                                                                                              \
        nkx_rows_load(dst, src, n, step, bytes, load_f);                                           \
    }                                                                                              \
    void nkx_store_f32_##t(void *dst, int64_t step, const float *src, int64_t n)                   \
    {                                                                                              \
        nkx_rows_store(dst, step, src, n, bytes, store_f);                                         \
    }                                                                                              \
    void nkx_load_i32_##t(int32_t *dst, const void *src, int64_t n, int64_t step)                  \
    {                                                                                              \
        nkx_rows_load(dst, src, n, step, bytes, load_i);                                           \
    }                                                                                              \
    void nkx_store_i32_##t(void *dst, int64_t step, const int32_t *src, int64_t n)                 \
    {                                                                                              \
        nkx_rows_store(dst, step, src, n, bytes, store_i);                                         \
    }
ROWS(bool8, 1, bool_f, f_bool, bool_i, i_bool)
ROWS(int8, 1, int8_f, NKX_BY_MACHINE(store_int8), int8_i, i_low8)
ROWS(int16, 2, int16_f, NKX_BY_MACHINE(store_int16), int16_i, i_low16)
ROWS(int32, 4, int32_f, NKX_BY_MACHINE(store_int32), i_same, i_same)
ROWS(uint8, 1, uint8_f, NKX_BY_MACHINE(store_uint8), uint8_i, i_low8)
ROWS(uint16, 2, uint16_f, NKX_BY_MACHINE(store_uint16), uint16_i, i_low16)
ROWS(uint32, 4, uint32_f, f_uint32, i_same, i_same)
#undef ROWS
