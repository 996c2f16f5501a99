/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bit operations on raw element bits, and exact 32-bit integer arithmetic (isa.md 2.2). Layer num.
 * A shift count at or past the width gives 0; results are cut to the width. As in ops_arith.c a
 * scalar function says what an operator is and one loop makes its row kernel.
 */
#include "interp/num/kernels.h"
#include "interp/num/simd.h"

NKX_INLINE uint32_t bit_and(uint32_t a, uint32_t b, uint32_t width)
{
    return (void)width, a & b;
}
NKX_INLINE uint32_t bit_or(uint32_t a, uint32_t b, uint32_t width)
{
    return (void)width, a | b;
}
NKX_INLINE uint32_t bit_xor(uint32_t a, uint32_t b, uint32_t width)
{
    return (void)width, a ^ b;
}
NKX_INLINE uint32_t invert(uint32_t a, uint32_t b, uint32_t width)
{
    return (void)width, (void)b, ~a;
}

NKX_INLINE uint32_t left_shift(uint32_t a, uint32_t b, uint32_t width)
{
    return b < width ? a << (b & 31) : 0;
}

/* Rows are zero-extended: nothing above the width comes down. */
NKX_INLINE uint32_t right_shift(uint32_t a, uint32_t b, uint32_t width)
{
    return b < width ? a >> (b & 31) : 0;
}

typedef uint32_t (*bits_fn)(uint32_t a, uint32_t b, uint32_t width);

NKX_INLINE void loop_bits(uint32_t *dst, const uint32_t *a, const uint32_t *b, int64_t n, int width,
                          bits_fn f)
{
    const uint32_t mask = width >= 32 ? UINT32_MAX : (1u << width) - 1;
    NKX_IVDEP
    for (int64_t i = 0; i < n; i++) {
        dst[i] = f(a[i], b[i], (uint32_t)width) & mask;
    }
}

#define BITS(name, f)                                                                              \
    NKX_CLONES static void row_##f(uint32_t *dst, const uint32_t *a, const uint32_t *b, int64_t n, \
                                   int width)                                                      \
    {                                                                                              \
        loop_bits(dst, a, b, n, width, f);                                                         \
    }                                                                                              \
    void nkx_bits_##name(uint32_t *dst, const uint32_t *a, const uint32_t *b, int64_t n,           \
                         int width)                                                                \
    {                                                                                              \
        row_##f(dst, a, b, n, width);                                                              \
    }
BITS(and, bit_and)
BITS(or, bit_or)
BITS(xor, bit_xor)
BITS(invert, invert)
BITS(left_shift, left_shift)
BITS(right_shift, right_shift)
#undef BITS

#define FOLD(name, op)                                                                             \
    uint32_t nkx_fold_bits_##name(uint32_t acc, const uint32_t *a, int64_t n)                      \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            acc = acc op a[i];                                                                     \
        }                                                                                          \
        return acc;                                                                                \
    }
FOLD(and, &)
FOLD(or, |)
FOLD(xor, ^)
#undef FOLD

/* ---- integers: wrap-around; order after `bias`, which turns signed order into unsigned ---- */

NKX_INLINE uint32_t add(uint32_t a, uint32_t b, uint32_t bias)
{
    return (void)bias, a + b;
}
NKX_INLINE uint32_t subtract(uint32_t a, uint32_t b, uint32_t bias)
{
    return (void)bias, a - b;
}
NKX_INLINE uint32_t multiply(uint32_t a, uint32_t b, uint32_t bias)
{
    return (void)bias, a * b;
}
NKX_INLINE uint32_t equal(uint32_t a, uint32_t b, uint32_t bias)
{
    return (void)bias, a == b;
}
NKX_INLINE uint32_t not_equal(uint32_t a, uint32_t b, uint32_t bias)
{
    return (void)bias, a != b;
}
NKX_INLINE uint32_t less(uint32_t a, uint32_t b, uint32_t bias)
{
    return (a ^ bias) < (b ^ bias);
}
NKX_INLINE uint32_t greater(uint32_t a, uint32_t b, uint32_t bias)
{
    return less(b, a, bias);
}
NKX_INLINE uint32_t less_equal(uint32_t a, uint32_t b, uint32_t bias)
{
    return !less(b, a, bias);
}
NKX_INLINE uint32_t greater_equal(uint32_t a, uint32_t b, uint32_t bias)
{
    return !less(a, b, bias);
}
NKX_INLINE uint32_t maximum(uint32_t a, uint32_t b, uint32_t bias)
{
    return less(a, b, bias) ? b : a;
}
NKX_INLINE uint32_t minimum(uint32_t a, uint32_t b, uint32_t bias)
{
    return less(b, a, bias) ? b : a;
}

NKX_INLINE void loop_int(uint32_t *dst, const uint32_t *a, const uint32_t *b, int64_t n,
                         bool is_signed, bits_fn f)
{
    const uint32_t bias = is_signed ? 0x80000000u : 0;
    NKX_IVDEP
    for (int64_t i = 0; i < n; i++) {
        dst[i] = f(a[i], b[i], bias);
    }
}

#define WRAP(f)                                                                                    \
    NKX_CLONES static void int_##f(uint32_t *dst, const uint32_t *a, const uint32_t *b, int64_t n, \
                                   bool is_signed)                                                 \
    {                                                                                              \
        loop_int(dst, a, b, n, is_signed, f);                                                      \
    }                                                                                              \
    void nkx_int_##f(uint32_t *dst, const uint32_t *a, const uint32_t *b, int64_t n,               \
                     bool is_signed)                                                               \
    {                                                                                              \
        int_##f(dst, a, b, n, is_signed);                                                          \
    }
WRAP(add)
WRAP(subtract)
WRAP(multiply)
WRAP(maximum)
WRAP(minimum)
WRAP(equal)
WRAP(not_equal)
WRAP(greater)
WRAP(greater_equal)
WRAP(less)
WRAP(less_equal)
#undef WRAP
