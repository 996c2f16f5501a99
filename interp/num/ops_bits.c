/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bit operations on raw element bits, and exact 32-bit integer arithmetic (isa.md 2.2). Layer num.
 * A shift count at or past the width gives 0; results are cut to the width.
 */
#include "interp/num/kernels.h"
#include "interp/num/simd.h"

#define BITS(name, expr)                                                                           \
    NKX_GLOBAL_CLONES void nkx_bits_##name(uint32_t *dst, const uint32_t *a, const uint32_t *b,    \
                                           int64_t n, int width)                                   \
    {                                                                                              \
        const uint32_t mask = width >= 32 ? UINT32_MAX : (1u << width) - 1,                        \
                       limit = (uint32_t)width;                                                    \
        NKX_IVDEP                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                          \
            dst[i] = (expr)&mask;                                                                  \
        }                                                                                          \
    }
#define IN_WIDTH(shifted) (b[i] < limit ? (shifted) : 0)
BITS(and, ((void)limit, a[i] & b[i]))
BITS(or, ((void)limit, a[i] | b[i]))
BITS(xor, ((void)limit, a[i] ^ b[i]))
BITS(left_shift, IN_WIDTH(a[i] << (b[i] & 31)))
BITS(right_shift, IN_WIDTH((a[i] & mask) >> (b[i] & 31)))
#undef BITS
#undef IN_WIDTH

NKX_GLOBAL_CLONES void nkx_bits_invert(uint32_t *dst, const uint32_t *a, const uint32_t *b,
                                       int64_t n, int width)
{
    const uint32_t mask = width >= 32 ? UINT32_MAX : (1u << width) - 1;
    (void)b;
    NKX_IVDEP
    for (int64_t i = 0; i < n; i++) {
        dst[i] = ~a[i] & mask;
    }
}

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

#define WRAP(name, expr)                                                                           \
    NKX_GLOBAL_CLONES void nkx_int_##name(uint32_t *dst, const uint32_t *a, const uint32_t *b,     \
                                          int64_t n, bool is_signed)                               \
    {                                                                                              \
        const uint32_t bias = is_signed ? 0x80000000u : 0; /* signed order as unsigned order */    \
        NKX_IVDEP                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                          \
            dst[i] = (expr);                                                                       \
        }                                                                                          \
    }
WRAP(add, ((void)bias, a[i] + b[i]))
WRAP(subtract, ((void)bias, a[i] - b[i]))
WRAP(multiply, ((void)bias, a[i] * b[i]))
WRAP(maximum, (a[i] ^ bias) >= (b[i] ^ bias) ? a[i] : b[i])
WRAP(minimum, (a[i] ^ bias) <= (b[i] ^ bias) ? a[i] : b[i])
WRAP(equal, ((void)bias, a[i] == b[i] ? 1 : 0))
WRAP(not_equal, ((void)bias, a[i] != b[i] ? 1 : 0))
WRAP(greater, (a[i] ^ bias) > (b[i] ^ bias) ? 1 : 0)
WRAP(greater_equal, (a[i] ^ bias) >= (b[i] ^ bias) ? 1 : 0)
WRAP(less, (a[i] ^ bias) < (b[i] ^ bias) ? 1 : 0)
WRAP(less_equal, (a[i] ^ bias) <= (b[i] ^ bias) ? 1 : 0)
#undef WRAP
