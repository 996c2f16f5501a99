/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: XORWOW as the hardware's (isa.md 4.7), and the generators behind host arrays. */
#ifndef NKX_NUM_RNG_H
#define NKX_NUM_RNG_H

#include "interp/base/attr.h"

typedef struct nkx_xorwow {
    uint32_t x, y, z, w, v, d;
} nkx_xorwow;
void nkx_xorwow_seed(nkx_xorwow *s, uint32_t seed);
uint32_t nkx_xorwow_next(nkx_xorwow *s);
/* The next n numbers of several generators taken in turn: out[i] of generator i % n_states. */
void nkx_xorwow_fill(nkx_xorwow *s, int n_states, uint32_t *out, int64_t n);

/* MT19937 with NumPy's legacy seeding and derived distributions (np.random.seed, rand, randn,
 * randint). */
typedef struct nkx_mt {
    uint32_t key[624];
    int pos;
    bool has_gauss;
    double gauss;
} nkx_mt;
void nkx_mt_seed(nkx_mt *s, uint32_t seed);
uint32_t nkx_mt_next(nkx_mt *s);
double nkx_mt_double(nkx_mt *s); /* [0, 1), 53 bits */
double nkx_mt_gauss(nkx_mt *s);
/*
 * Whole number in [0, range], by masking and rejecting, as np.random.randint (int32, int64) and
 * shuffle draw it: randint(lo, hi) is lo + nkx_mt_bounded(s, hi - 1 - lo).
 */
uint64_t nkx_mt_bounded(nkx_mt *s, uint64_t range);

/* Counter-based generator for the fills of command-line tensors: element i of stream s, standard
 * normal. */
void nkx_fill_normal(float *dst, int64_t n, uint64_t seed, uint64_t stream);

#endif
