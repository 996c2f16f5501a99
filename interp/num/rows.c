/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strided rows: gathers elements of 1, 2, 4 or 8 bytes into a dense buffer, or scatters them out
 * of one, around the dense conversion kernels. Layer num.
 */
#include "interp/num/rows.h"

#include "interp/num/simd.h"

enum { CHUNK = 512 }; /* elements; 4 KiB of stack at the widest */

#define GATHER(name, T)                                                                            \
    static void name(uint8_t *dst, int64_t ds, const uint8_t *src, int64_t ss, int64_t n)          \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            T v;                                                                                   \
            memcpy(&v, src + i * ss, sizeof v);                                                    \
            memcpy(dst + i * ds, &v, sizeof v);                                                    \
        }                                                                                          \
    }
GATHER(move1, uint8_t)
GATHER(move2, uint16_t)
GATHER(move4, uint32_t)
GATHER(move8, uint64_t)
#undef GATHER

static void move_strided(uint8_t *dst, int64_t ds, const uint8_t *src, int64_t ss, int64_t n,
                         int bytes)
{
    switch (bytes) {
    case 1: move1(dst, ds, src, ss, n); break;
    case 2: move2(dst, ds, src, ss, n); break;
    case 4: move4(dst, ds, src, ss, n); break;
    default: move8(dst, ds, src, ss, n); break;
    }
}

void nkx_rows_copy(void *dst, int64_t ds, const void *src, int64_t ss, int64_t n, int bytes)
{
    if (n <= 0) return;
    if (ds == bytes && ss == bytes) {
        memmove(dst, src, (size_t)n * (size_t)bytes);
    } else {
        move_strided(dst, ds, src, ss, n, bytes);
    }
}

/* One element, repeated: converts it once. */
static void load_repeated(void *dst, const void *src, int64_t n, nkx_dense_fn f)
{
    uint32_t lane;
    f(&lane, src, 1);
    for (int64_t i = 0; i < n; i++) {
        nkx_st32(dst, i, lane);
    }
}

void nkx_rows_load(void *dst, const void *src, int64_t n, int64_t step, int bytes, nkx_dense_fn f)
{
    if (step == bytes) {
        f(dst, src, n);
        return;
    }
    if (n <= 0) return;
    if (step == 0) {
        load_repeated(dst, src, n, f);
        return;
    }
    uint32_t buffer[CHUNK];
    for (int64_t i = 0; i < n; i += CHUNK) {
        int64_t m = n - i < CHUNK ? n - i : CHUNK;
        move_strided((uint8_t *)buffer, bytes, (const uint8_t *)src + i * step, step, m, bytes);
        f((uint8_t *)dst + 4 * i, buffer, m);
    }
}

void nkx_rows_store(void *dst, int64_t step, const void *src, int64_t n, int bytes, nkx_dense_fn f)
{
    if (step == bytes) {
        f(dst, src, n);
        return;
    }
    uint32_t buffer[CHUNK];
    for (int64_t i = 0; i < n; i += CHUNK) {
        int64_t m = n - i < CHUNK ? n - i : CHUNK;
        f(buffer, (const uint8_t *)src + 4 * i, m);
        move_strided((uint8_t *)dst + i * step, step, (const uint8_t *)buffer, bytes, m, bytes);
    }
}
