/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random host arrays. A source is either NumPy's legacy MT19937 (np.random.seed and friends) or
 * its current PCG64 (np.random.default_rng); each gives the values that NumPy gives for that seed.
 */
#ifndef NKX_HOST_RANDOM_H
#define NKX_HOST_RANDOM_H

#include "interp/host/ndarray.h"
#include "interp/num/rng.h"

typedef struct nkx_pcg64 {
    uint64_t state_hi, state_lo, inc_hi, inc_lo;
    bool has_half;
    uint32_t half;
} nkx_pcg64;

typedef struct nkx_random {
    bool modern; /* PCG64; else MT19937 */
    nkx_mt mt;
    nkx_pcg64 pcg;
} nkx_random;

void nkx_random_seed(nkx_random *r, bool modern, uint64_t seed);
uint32_t nkx_random_u32(nkx_random *r);
uint64_t nkx_random_u64(nkx_random *r);
double nkx_random_double(nkx_random *r); /* [0, 1) */
double nkx_random_normal(nkx_random *r); /* standard normal */
double nkx_random_exponential(nkx_random *r);
/* 0..span inclusive by masking, as NumPy shuffles. */
uint64_t nkx_random_interval(nkx_random *r, uint64_t span);
/* 0..span inclusive, drawn as NumPy draws for a 64-bit type. */
uint64_t nkx_random_bounded(nkx_random *r, uint64_t span);

typedef enum nkx_distribution {
    NKX_RAND_UNIFORM,
    NKX_RAND_NORMAL,
    NKX_RAND_EXPONENTIAL
} nkx_distribution;
/* x = a + b * draw for NORMAL, a + (b - a) * draw for UNIFORM, b * draw for EXPONENTIAL; t float32
 * or float64. */
nkx_ndarray *nkx_random_fill(nkx_random *r, nkx_distribution d, nkx_dtype t, double a, double b,
                             int ndim, const int64_t *shape, nkx_nd_error *e);
/* Integers lo..hi inclusive of an integer type. */
nkx_ndarray *nkx_random_integers(nkx_random *r, nkx_dtype t, int64_t lo, int64_t hi, int ndim,
                                 const int64_t *shape, nkx_nd_error *e);
/* Shuffles along axis 0, in place. */
NKX_MUST_USE bool nkx_random_shuffle(nkx_random *r, nkx_ndarray *a, nkx_nd_error *e);

/* pcg.c */
void nkx_pcg64_seed(nkx_pcg64 *p, uint64_t seed);
uint64_t nkx_pcg64_next(nkx_pcg64 *p);
uint32_t nkx_pcg64_next32(nkx_pcg64 *p);
double nkx_pcg64_normal(nkx_pcg64 *p);
float nkx_pcg64_normal_f32(nkx_pcg64 *p);

#endif
