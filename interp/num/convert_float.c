/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversions between fp32 and the narrower floating types (isa.md 1.2). Layer num.
 *
 * Two formulas serve all types: widen() rebiases the exponent and renormalises subnormals by an
 * exact subtraction; narrow() rounds to nearest, ties to even, subnormals through an addition
 * that lets the adder round. Both are integer selects, so that compilers vectorise them, and need
 * the default rounding mode and no flushing of subnormals.
 *
 * NaN: 16-bit types and tf32 keep the sign and the leading payload bits and become quiet, as
 * x86's own conversion does; 8-bit types have one NaN of each sign. Beyond the largest finite
 * value: infinity where the type has one, NaN for e4m3fn and e8m0, the largest for e2m1.
 */
#include "interp/num/rows.h"
#include "interp/num/simd.h"

#define F32_INF 0x7f800000u

typedef struct format {
    int mant, bias;     /* explicit mantissa bits, exponent bias */
    uint32_t max_code;  /* largest finite magnitude */
    uint32_t over_code; /* what lies beyond it */
    uint32_t nan_code;  /* magnitude of the canonical NaN */
    bool keeps_payload; /* nan_code is or-ed with the payload's leading bits */
} format;

static const format FP16 = {10, 15, 0x7bff, 0x7c00, 0x7e00, true};
static const format BF16 = {7, 127, 0x7f7f, 0x7f80, 0x7fc0, true};
static const format TF32 = {10, 127, 0x3fbff, 0x3fc00, 0x3fe00, true};
static const format E4M3 = {3, 7, 0x77, 0x78, 0x7c, false};
static const format E4M3FN = {3, 7, 0x7e, 0x7f, 0x7f, false};
static const format E5M2 = {2, 15, 0x7b, 0x7c, 0x7e, false};
static const format E2M1 = {1, 1, 7, 7, 0, false};

/* Magnitude code of |x|; the caller puts the sign where the type has it. */
NKX_INLINE uint32_t narrow(uint32_t u, const format f)
{
    const int shift = 23 - f.mant;
    const uint32_t rebias = (uint32_t)(127 - f.bias) << 23;
    const uint32_t a = u & 0x7fffffffu;
    uint32_t r = (a - rebias + (1u << (shift - 1)) - 1 + ((a >> shift) & 1)) >> shift;
    if (f.bias != 127) {
        /* The adder rounds at the weight of the smallest subnormal. */
        const uint32_t magic = (uint32_t)(127 + 24 - f.bias - f.mant) << 23;
        const uint32_t sub = nkx_bits_of(nkx_float_of(a) + nkx_float_of(magic)) - magic;
        r = a < rebias + (1u << 23) ? sub : r;
    }
    r = r > f.max_code ? f.over_code : r;
    const uint32_t payload = f.keeps_payload ? (a & 0x7fffffu) >> shift : 0;
    return a > F32_INF ? f.nan_code | payload : r;
}

/* Bits of the fp32 for a magnitude code of a type whose top exponent is infinity and NaN. */
NKX_INLINE uint32_t widen(uint32_t code, const format f)
{
    const int shift = 23 - f.mant;
    const uint32_t rebias = (uint32_t)(127 - f.bias) << 23;
    const uint32_t lowest = rebias + (1u << 23);
    const uint32_t u = (code << shift) + rebias;
    const uint32_t sub = nkx_bits_of(nkx_float_of(u + (1u << 23)) - nkx_float_of(lowest));
    return u < lowest ? sub : u;
}

/* IEEE-like specials on top of widen(): exponent all ones. A NaN becomes quiet. */
NKX_INLINE uint32_t widen_ieee(uint32_t code, const format f)
{
    const uint32_t special = F32_INF | code << (23 - f.mant);
    const uint32_t quiet = code > f.over_code ? 0x400000u : 0;
    return code >= f.over_code ? special | quiet : widen(code, f);
}

NKX_INLINE uint32_t sign_of(uint32_t u)
{
    return u & 0x80000000u;
}

NKX_CLONES static void dense_load_fp16(void *restrict dst, const void *restrict src, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t h = nkx_ld16(src, i);
        nkx_st32(dst, i, widen_ieee(h & 0x7fff, FP16) | (h & 0x8000) << 16);
    }
}

NKX_CLONES static void dense_store_fp16(void *restrict dst, const void *restrict src, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t u = nkx_ld32(src, i);
        nkx_st16(dst, i, narrow(u, FP16) | sign_of(u) >> 16);
    }
}

NKX_CLONES static void dense_load_bf16(void *restrict dst, const void *restrict src, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        nkx_st32(dst, i, (uint32_t)nkx_ld16(src, i) << 16);
    }
}

NKX_CLONES static void dense_store_bf16(void *restrict dst, const void *restrict src, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t u = nkx_ld32(src, i);
        nkx_st16(dst, i, narrow(u, BF16) | sign_of(u) >> 16);
    }
}

/* A tf32 cell may hold any fp32 bits (a view, a DMA): reading it drops what the type has not. */
NKX_CLONES static void dense_tf32(void *restrict dst, const void *restrict src, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t u = nkx_ld32(src, i);
        nkx_st32(dst, i, narrow(u, TF32) << 13 | sign_of(u));
    }
}

static void dense_fp32(void *restrict dst, const void *restrict src, int64_t n)
{
    if (n > 0) memcpy(dst, src, (size_t)n * 4);
}

#define DENSE_F8(t, F, widen_code)                                                                 \
    NKX_CLONES static void dense_load_##t(void *restrict dst, const void *restrict src, int64_t n) \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            uint32_t b = ((const uint8_t *)src)[i], code = b & 0x7f;                               \
            nkx_st32(dst, i, (widen_code) | (b & 0x80) << 24);                                     \
        }                                                                                          \
    }                                                                                              \
    NKX_CLONES static void dense_store_##t(void *restrict dst, const void *restrict src,           \
                                           int64_t n)                                              \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            uint32_t u = nkx_ld32(src, i);                                                         \
            ((uint8_t *)dst)[i] = (uint8_t)(narrow(u, F) | sign_of(u) >> 24);                      \
        }                                                                                          \
    }
DENSE_F8(e4m3, E4M3, widen_ieee(code, E4M3))
DENSE_F8(e4m3fn, E4M3FN, code == 0x7f ? 0x7fc00000u : widen(code, E4M3FN))
DENSE_F8(e5m2, E5M2, widen_ieee(code, E5M2))
#undef DENSE_F8

/* Powers of two alone: no sign, no zero; 255 is NaN, 0 is 2^-127, an fp32 subnormal. */
NKX_CLONES static void dense_load_e8m0(void *restrict dst, const void *restrict src, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t b = ((const uint8_t *)src)[i];
        uint32_t u = b == 0 ? 0x400000u : b << 23;
        nkx_st32(dst, i, b == 255 ? 0x7fc00000u : u);
    }
}

/* Nearest power of two, ties upward; zero, negative values and overflow have no code: NaN. */
NKX_CLONES static void dense_store_e8m0(void *restrict dst, const void *restrict src, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t u = nkx_ld32(src, i);
        uint32_t subnormal = u >= 0x600000u ? 1 : 0;
        uint32_t code = u < 0x800000u ? subnormal : (u + 0x400000u) >> 23;
        bool none = (u == 0) | (u >= 0x7f400000u);
        ((uint8_t *)dst)[i] = (uint8_t)(none ? 255 : code);
    }
}

float nkx_e2m1_widen(uint32_t code)
{
    return nkx_float_of(widen(code & 7, E2M1) | (code & 8) << 28);
}

uint32_t nkx_e2m1_narrow(float v)
{
    uint32_t u = nkx_bits_of(v);
    return narrow(u, E2M1) | sign_of(u) >> 28;
}

/* One code to a byte; what lies above the four bits is not looked at. */
static void dense_load_e2m1(void *restrict dst, const void *restrict src, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t code = ((const uint8_t *)src)[i];
        nkx_st32(dst, i, widen(code & 7, E2M1) | (code & 8) << 28);
    }
}

/* No code is left for NaN: it becomes a zero of the other sign, as ml_dtypes has it. */
static void dense_store_e2m1(void *restrict dst, const void *restrict src, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t u = nkx_ld32(src, i), sign = sign_of(u) >> 28;
        bool nan = (u & 0x7fffffffu) > F32_INF;
        ((uint8_t *)dst)[i] = (uint8_t)(narrow(u, E2M1) | (nan ? sign ^ 8 : sign));
    }
}

#define PLAIN(name)                                                                                \
    void nkx_plain_##name(void *restrict dst, const void *restrict src, int64_t n)                 \
    {                                                                                              \
        dense_##name(dst, src, n);                                                                 \
    }
PLAIN(load_fp16)
PLAIN(store_fp16)
PLAIN(store_bf16)
PLAIN(load_e5m2)
PLAIN(load_e4m3)
PLAIN(load_e4m3fn)
#undef PLAIN

#define ROWS(t, bytes, load, store)                                                                \
    void nkx_load_f32_##t(float *dst, const void *src, int64_t n, int64_t step)                    \
    {                                                                                              \
        nkx_rows_load(dst, src, n, step, bytes, load);                                             \
    }                                                                                              \
    void nkx_store_f32_##t(void *dst, int64_t step, const float *src, int64_t n)                   \
    {                                                                                              \
        nkx_rows_store(dst, step, src, n, bytes, store);                                           \
    }
ROWS(fp16, 2, NKX_BY_MACHINE(load_fp16), NKX_BY_MACHINE(store_fp16))
ROWS(bf16, 2, dense_load_bf16, NKX_BY_MACHINE(store_bf16))
ROWS(tf32, 4, dense_tf32, dense_tf32)
ROWS(fp32, 4, dense_fp32, dense_fp32)
ROWS(e4m3, 1, NKX_BY_MACHINE(load_e4m3), dense_store_e4m3)
ROWS(e4m3fn, 1, NKX_BY_MACHINE(load_e4m3fn), dense_store_e4m3fn)
ROWS(e5m2, 1, NKX_BY_MACHINE(load_e5m2), dense_store_e5m2)
ROWS(e8m0, 1, dense_load_e8m0, dense_store_e8m0)
ROWS(e2m1, 1, dense_load_e2m1, dense_store_e2m1)
#undef ROWS
