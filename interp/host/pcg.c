/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PCG64 (O'Neill 2014, XSL-RR variant) seeded through a hash of the seed as NumPy's SeedSequence
 * does, and normal numbers by the ziggurat of 256 layers (Marsaglia and Tsang 2000, in the layout
 * of Doornik 2005). Layer host.
 */
#include "interp/host/random.h"

#include <math.h>
#include <pthread.h>

__extension__ typedef unsigned __int128 u128;

#define MULT_HI 0x2360ED051FC65DA4u
#define MULT_LO 0x4385DF649FCCF645u

static u128 join(uint64_t hi, uint64_t lo)
{
    return (u128)hi << 64 | lo;
}

static void step(nkx_pcg64 *p)
{
    u128 s = join(p->state_hi, p->state_lo) * join(MULT_HI, MULT_LO) + join(p->inc_hi, p->inc_lo);
    p->state_hi = (uint64_t)(s >> 64);
    p->state_lo = (uint64_t)s;
}

uint64_t nkx_pcg64_next(nkx_pcg64 *p)
{
    step(p);
    uint64_t x = p->state_hi ^ p->state_lo;
    unsigned rot = (unsigned)(p->state_hi >> 58);
    return x >> rot | x << ((64 - rot) & 63);
}

uint32_t nkx_pcg64_next32(nkx_pcg64 *p)
{
    if (p->has_half) {
        p->has_half = false;
        return p->half;
    }
    uint64_t x = nkx_pcg64_next(p);
    p->has_half = true;
    p->half = (uint32_t)(x >> 32);
    return (uint32_t)x;
}

/* ---- seeding: a pool of four words, each mixed with every other ---- */

static uint32_t hash_in(uint32_t v, uint32_t *c)
{
    v ^= *c;
    *c *= 0x931e8875u;
    v *= *c;
    return v ^ v >> 16;
}

static uint32_t mix(uint32_t x, uint32_t y)
{
    uint32_t r = 0xca01f9ddu * x - 0x4973f715u * y;
    return r ^ r >> 16;
}

void nkx_pcg64_seed(nkx_pcg64 *p, uint64_t seed)
{
    uint32_t entropy[4] = {(uint32_t)seed, (uint32_t)(seed >> 32), 0, 0}, pool[4], c = 0x43b0d7e5u,
             word[8];
    uint64_t v[4];
    for (int i = 0; i < 4; i++) pool[i] = hash_in(entropy[i], &c);
    for (int s = 0; s < 4; s++) {
        for (int d = 0; d < 4; d++) {
            if (s != d) pool[d] = mix(pool[d], hash_in(pool[s], &c));
        }
    }
    c = 0x8b51f9ddu;
    for (int i = 0; i < 8; i++) {
        uint32_t x = pool[i % 4] ^ c;
        c *= 0x58f38dedu;
        x *= c;
        word[i] = x ^ x >> 16;
    }
    for (int i = 0; i < 4; i++) v[i] = (uint64_t)word[2 * i] | (uint64_t)word[2 * i + 1] << 32;
    u128 inc = join(v[2], v[3]) << 1 | 1u;
    *p = (nkx_pcg64){.inc_hi = (uint64_t)(inc >> 64), .inc_lo = (uint64_t)inc};
    step(p);
    u128 s = join(p->state_hi, p->state_lo) + join(v[0], v[1]);
    p->state_hi = (uint64_t)(s >> 64);
    p->state_lo = (uint64_t)s;
    step(p);
}

/* ---- normal numbers ---- */

#define LAYERS  256
#define TAIL    3.6541528853610087963519472518
#define INVTAIL 0.27366123732975827203338247596

typedef struct layers {
    double w[LAYERS],
        f[LAYERS];      /* width of a layer a step of the 52-bit draw; density at its edge */
    uint64_t k[LAYERS]; /* draws below it lie under the curve for sure */
    float w32[LAYERS], f32[LAYERS];
    uint32_t k32[LAYERS];
} layers;

/* Edges in double precision, as NumPy's generator has them: its numbers depend on their last bits.
 */
static const double edge[LAYERS] = {
#include "interp/host/ziggurat.inc"
};

static void make_layers(layers *t)
{
    const double scale = 4503599627370496.0, scale32 = 8388608.0;
    for (int i = 0; i < LAYERS; i++) {
        double inner = i == 0 ? TAIL / edge[0] : i == 1 ? 0.0 : edge[i - 1] / edge[i];
        t->w[i] = edge[i] / scale;
        t->k[i] = (uint64_t)(inner * scale);
        t->f[i] = i == 0 ? 1.0 : exp(-0.5 * edge[i] * edge[i]);
        t->w32[i] = (float)(edge[i] / scale32);
        t->k32[i] = (uint32_t)(inner * scale32);
        t->f32[i] = (float)t->f[i];
    }
}

/* Made once a process, never changed after. */
static layers the_layers;
static pthread_once_t layers_once = PTHREAD_ONCE_INIT;

static void make_once(void)
{
    make_layers(&the_layers);
}

static const layers *table(void)
{
    pthread_once(&layers_once, make_once);
    return &the_layers;
}

static double unit(nkx_pcg64 *p)
{
    return (double)(nkx_pcg64_next(p) >> 11) * (1.0 / 9007199254740992.0);
}

static float unit_f32(nkx_pcg64 *p)
{
    return (float)(nkx_pcg64_next32(p) >> 8) * (1.0f / 16777216.0f);
}

double nkx_pcg64_normal(nkx_pcg64 *p)
{
    const layers *t = table();
    for (;;) {
        uint64_t r = nkx_pcg64_next(p);
        unsigned i = (unsigned)(r & 0xff);
        bool negative = (r >> 8 & 1) != 0;
        uint64_t draw = r >> 9 & 0x000fffffffffffffu;
        double x = (double)draw * t->w[i];
        if (negative) x = -x;
        if (draw < t->k[i]) return x;
        if (i > 0) {
            if ((t->f[i - 1] - t->f[i]) * unit(p) + t->f[i] < exp(-0.5 * x * x)) return x;
            continue;
        }
        for (;;) {
            double xx = -INVTAIL * log1p(-unit(p)), yy = -log1p(-unit(p));
            if (yy + yy > xx * xx) return (draw >> 8 & 1) != 0 ? -(TAIL + xx) : TAIL + xx;
        }
    }
}

float nkx_pcg64_normal_f32(nkx_pcg64 *p)
{
    const layers *t = table();
    for (;;) {
        uint32_t r = nkx_pcg64_next32(p);
        unsigned i = r & 0xffu;
        bool negative = (r >> 8 & 1) != 0;
        uint32_t draw = r >> 9 & 0x007fffffu;
        float x = (float)draw * t->w32[i];
        if (negative) x = -x;
        if (draw < t->k32[i]) return x;
        if (i > 0) {
            if ((t->f32[i - 1] - t->f32[i]) * unit_f32(p) + t->f32[i] <
                (float)exp(-0.5 * (double)x * (double)x))
                return x;
            continue;
        }
        for (;;) {
            float xx = (float)-INVTAIL * log1pf(-unit_f32(p)), yy = -log1pf(-unit_f32(p));
            if (yy + yy > xx * xx)
                return (draw >> 8 & 1) != 0 ? -((float)TAIL + xx) : (float)TAIL + xx;
        }
    }
}
