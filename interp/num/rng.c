/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers: XORWOW, MT19937 with the derived distributions of NumPy's RandomState, and the
 * counter-based normal fill of command-line tensors. Layer num.
 */
#include "interp/num/rng.h"

#include "interp/num/vmath.h"

#include <math.h>

/* ---- XORWOW ---- */

static uint64_t mix64(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void nkx_xorwow_seed(nkx_xorwow *s, uint32_t seed)
{
    uint64_t z = seed;
    uint32_t *words[] = {&s->x, &s->y, &s->z, &s->w, &s->v, &s->d};
    for (size_t i = 0; i < NKX_COUNT(words); i++) {
        z += UINT64_C(0x9e3779b97f4a7c15);
        *words[i] = (uint32_t)(mix64(z) >> 32);
    }
    s->v |= 1; /* the five shifted words must not all be zero */
}

static inline uint32_t xorwow_step(nkx_xorwow *s)
{
    uint32_t t = s->x ^ s->x >> 2;
    s->x = s->y;
    s->y = s->z;
    s->z = s->w;
    s->w = s->v;
    s->v = (s->v ^ s->v << 4) ^ (t ^ t << 1);
    s->d += 362437;
    return s->v + s->d;
}

uint32_t nkx_xorwow_next(nkx_xorwow *s)
{
    return xorwow_step(s);
}

void nkx_xorwow_fill(nkx_xorwow *s, int n_states, uint32_t *out, int64_t n)
{
    int64_t i = 0;
    if (n_states == 4) { /* side by side: no step waits for the one before it */
        nkx_xorwow a = s[0], b = s[1], c = s[2], d = s[3];
        for (; i + 4 <= n; i += 4) {
            out[i] = xorwow_step(&a);
            out[i + 1] = xorwow_step(&b);
            out[i + 2] = xorwow_step(&c);
            out[i + 3] = xorwow_step(&d);
        }
        s[0] = a;
        s[1] = b;
        s[2] = c;
        s[3] = d;
    }
    for (; i < n; i++) out[i] = xorwow_step(&s[i % n_states]);
}

/* ---- MT19937 ---- */

enum { MT_N = 624, MT_M = 397 };

void nkx_mt_seed(nkx_mt *s, uint32_t seed)
{
    s->key[0] = seed;
    for (uint32_t i = 1; i < MT_N; i++) {
        s->key[i] = 1812433253u * (s->key[i - 1] ^ s->key[i - 1] >> 30) + i;
    }
    s->pos = MT_N;
    s->has_gauss = false;
    s->gauss = 0;
}

static void mt_refill(nkx_mt *s)
{
    for (int i = 0; i < MT_N; i++) {
        uint32_t y = (s->key[i] & 0x80000000u) | (s->key[(i + 1) % MT_N] & 0x7fffffffu);
        s->key[i] = s->key[(i + MT_M) % MT_N] ^ y >> 1 ^ ((y & 1) ? 0x9908b0dfu : 0);
    }
    s->pos = 0;
}

uint32_t nkx_mt_next(nkx_mt *s)
{
    if (s->pos >= MT_N) mt_refill(s);
    uint32_t y = s->key[s->pos++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

double nkx_mt_double(nkx_mt *s)
{
    uint32_t a = nkx_mt_next(s) >> 5, b = nkx_mt_next(s) >> 6;
    return (a * 67108864.0 + b) / 9007199254740992.0;
}

/* Marsaglia's polar method; the second value of a pair is kept for the next call. */
double nkx_mt_gauss(nkx_mt *s)
{
    if (s->has_gauss) {
        s->has_gauss = false;
        return s->gauss;
    }
    double x1, x2, r2;
    do {
        x1 = 2.0 * nkx_mt_double(s) - 1.0;
        x2 = 2.0 * nkx_mt_double(s) - 1.0;
        r2 = x1 * x1 + x2 * x2;
    } while (r2 >= 1.0 || r2 == 0.0);
    double f = sqrt(-2.0 * log(r2) / r2);
    s->gauss = f * x1;
    s->has_gauss = true;
    return f * x2;
}

uint64_t nkx_mt_bounded(nkx_mt *s, uint64_t range)
{
    uint64_t mask = range, v;
    if (range == 0) return 0;
    for (int shift = 1; shift < 64; shift *= 2) {
        mask |= mask >> shift;
    }
    do {
        v = nkx_mt_next(s);
        if (range > UINT32_MAX) v = v << 32 | nkx_mt_next(s);
        v &= mask;
    } while (v > range);
    return v;
}

/* ---- fills ---- */

enum { PAIRS = 128 }; /* values made together: two per hash */

/* Box-Muller on two 32-bit halves of a hash of the pair's number. */
static void normal_pairs(float *dst, uint64_t key, uint64_t first)
{
    float radius[PAIRS], turn[PAIRS], c[PAIRS], s[PAIRS];
    for (uint64_t i = 0; i < PAIRS; i++) {
        uint64_t z = mix64(key + (first + i) * UINT64_C(0x9e3779b97f4a7c15));
        radius[i] = ((float)(z >> 40) + 0.5f) * 0x1p-24f; /* (0, 1) */
        turn[i] = (float)(z & 0xffffff) * 0x1p-23f;       /* half turns, [0, 2) */
    }
    nkx_vlog(radius, radius, PAIRS);
    for (int i = 0; i < PAIRS; i++) {
        radius[i] = -2.0f * radius[i];
    }
    nkx_vsqrt(radius, radius, PAIRS);
    nkx_vcospi(c, turn, PAIRS);
    nkx_vsinpi(s, turn, PAIRS);
    for (int i = 0; i < PAIRS; i++) {
        dst[2 * i] = radius[i] * c[i];
        dst[2 * i + 1] = radius[i] * s[i];
    }
}

void nkx_fill_normal(float *dst, int64_t n, uint64_t seed, uint64_t stream)
{
    const uint64_t key = mix64(seed) + mix64(stream + UINT64_C(0x632be59bd9b4e019));
    float block[2 * PAIRS];
    for (int64_t i = 0; i < n; i += 2 * PAIRS) {
        int64_t m = n - i < 2 * PAIRS ? n - i : 2 * PAIRS;
        normal_pairs(block, key, (uint64_t)i / 2);
        for (int64_t j = 0; j < m; j++) {
            dst[i + j] = block[j];
        }
    }
}
