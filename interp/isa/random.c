/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers and dropout (isa.md 4.7). Layer isa. The streams of the hardware are not
 * documented; here both engines run XORWOW, one state a partition on GpSimd and four on the Vector
 * engine (element i of a call takes state i % 4). A job that draws or sets state waits for the ones
 * before it, so the stream does not depend on threads.
 */
#include "interp/isa/lanes.h"

#include "interp/num/rng.h"

#include <string.h>

#define DVE_WORDS  24
#define POOL_WORDS 6

/* First physical partition of a view: generators are by lane. */
static uint32_t first_lane(const nkx_view *v)
{
    int64_t f = v->st->row_bytes / nkx_dtype_bytes((nkx_dtype)v->dtype);
    return (uint32_t)(v->st->part0 + v->offset / f) & 127u;
}

typedef struct draw_job {
    nkx_access dst, data;
    nkx_isa_state *state;
    uint32_t lane0;
    bool pool;
    nkx_col lo, hi; /* rand2: bounds; dropout: lo is the probability */
} draw_job;

/* Bits of the next n elements of partition p, of which the first has an index that is a multiple of
 * four. */
static void draw(const draw_job *j, uint32_t p, uint32_t *out, int64_t n)
{
    const int n_states = j->pool ? 1 : DVE_WORDS / POOL_WORDS;
    uint32_t lane = (j->lane0 + p) & 127u;
    uint32_t *words = j->pool ? j->state->rng_pool[lane] : j->state->rng_dve[lane];
    nkx_xorwow g[DVE_WORDS / POOL_WORDS];
    const uint32_t *w = words;
    for (int i = 0; i < n_states; i++, w += POOL_WORDS) {
        g[i] = (nkx_xorwow){w[0], w[1], w[2], w[3], w[4], w[5]};
    }
    nkx_xorwow_fill(g, n_states, out, n);
    for (int i = 0; i < n_states; i++, words += POOL_WORDS) {
        const uint32_t after[POOL_WORDS] = {g[i].x, g[i].y, g[i].z, g[i].w, g[i].v, g[i].d};
        memcpy(words, after, sizeof after);
    }
}

static draw_job *draw_job_new(nkx_issue *is, int dst)
{
    draw_job *j = nkx_job_new(is, sizeof *j);
    nkx_core_flush(is->core);
    nkx_view_access(nkx_tile(is, dst), &j->dst);
    j->state = nkx_isa_state_of(is->core);
    j->lane0 = first_lane(nkx_tile(is, dst));
    j->pool = is->engine == NKX_POOL;
    return j;
}

static float unit(uint32_t bits)
{
    return (float)(bits >> 8) * 0x1p-24f; /* [0, 1): 24 bits are exact in fp32 */
}

/* ---- rng ---- */

enum { RNG_DST, RNG_ENGINE };

static const nkx_isa_param rng_params[] = {
    P_DST(.doc = "random bits, the low ones of 32", .flags = NKX_PF_TILE,
          .dtypes = NKX_DTS_INT & ~DT(BOOL)),
    P_ENUM("engine", NKX_ENUM_ENGINE, NKX_ENGINE_VECTOR, "engine.vector",
           .doc = "vector, or gpsimd from gen3 on"),
    P_END,
};

static bool rng_pick(nkx_issue *is)
{
    return nkx_pick_engine(is, RNG_ENGINE, NKX_DVE,
                           NKX_ENG_DVE | (nkx_gen(is) >= 3 ? NKX_ENG_POOL : 0));
}

static void rng_run(const void *arg)
{
    const draw_job *j = arg;
    uint32_t bits[NKX_CHUNK];
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        for (int64_t i = 0; i < j->dst.n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->dst.n - i);
            draw(j, p, bits, n);
            nkx_bits_out(&j->dst, p, i, n, bits);
        }
    }
}

static bool rng_lower(nkx_issue *is, nkx_work *out)
{
    nkx_lower_job(is, out, rng_run, draw_job_new(is, RNG_DST), sizeof(draw_job));
    return true;
}

static void rng_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, nkx_n_of(is, RNG_DST));
}

static const char rng_example[] =
    "import numpy as np\n"
    "import nki\n"
    "import nki.isa as nisa\n"
    "import nki.language as nl\n"
    "\n"
    "\n"
    "@nki.jit\n"
    "def kernel(seed):\n"
    "    out = nl.ndarray((2, 128, 64), dtype=nl.uint32, buffer=nl.shared_hbm)\n"
    "    s = nl.ndarray((1, 1), dtype=nl.uint32, buffer=nl.sbuf)\n"
    "    nisa.dma_copy(dst=s, src=seed)\n"
    "    for i in range(2):\n"
    "        nisa.set_rng_seed(src_seeds=s)\n"
    "        t = nl.ndarray((128, 64), dtype=nl.uint32, buffer=nl.sbuf)\n"
    "        nisa.rng(dst=t)\n"
    "        nisa.dma_copy(dst=out[i], src=t)\n"
    "    return out\n"
    "\n"
    "\n"
    "if __name__ == \"__main__\":\n"
    "    got = nki.simulate(kernel)(np.full((1, 1), 7, np.uint32))\n"
    "    assert np.array_equal(got[0], got[1])\n"
    "    assert abs(got.astype(np.float64).mean() / 2.0 ** 32 - 0.5) < 0.02\n";

const nkx_insn nkx_insn_rng = {
    .name = "rng",
    .engines = NKX_ENG_DVE | NKX_ENG_POOL,
    .min_gen = 2,
    .since = "0.1.0",
    .params = rng_params,
    .pick = rng_pick,
    .lower = rng_lower,
    .cost = rng_cost,
    .section = "4.7",
    .brief = "Random bits.",
    .doc = "Each element gets 32 random bits, of which its type keeps the low ones. The bit "
           "streams of the hardware are "
           "not documented: only the statistics of the result carry over to a device.",
    .cost_doc = "max(64, N)",
    .example = rng_example,
};

/* ---- set_rng_seed ---- */

enum { SEED_SRC };

static const nkx_isa_param seed_params[] = {
    P_IN("src_seeds", .doc = "(1, 1): 32-bit seed", .dtypes = NKX_DTS_INT32 | DT(FP32)),
    P_END,
};

static bool seed_check(nkx_issue *is)
{
    const nkx_view *v = nkx_tile(is, SEED_SRC);
    if (nkx_view_size(v) == 1) return true;
    nkx_isa_fault(is, NKX_E546, SEED_SRC, "Its shape is (1, 1): one seed for all partitions.",
                  "src_seeds has %lld elements, not 1", (long long)nkx_view_size(v));
    return false;
}

typedef struct state_job {
    nkx_access data;
    nkx_isa_state *state;
    uint32_t lane0;
    bool pool;
} state_job;

static void seed_run(const void *arg)
{
    const state_job *j = arg;
    uint32_t seed;
    memcpy(&seed, j->data.base, sizeof seed);
    for (uint32_t p = 0; p < 128; p++) {
        for (uint32_t k = 0; k < 4; k++) {
            nkx_xorwow g;
            nkx_xorwow_seed(&g, seed + 0x9e3779b9u * (p * 4 + k));
            uint32_t w[6] = {g.x, g.y, g.z, g.w, g.v, g.d};
            memcpy(j->state->rng_dve[p] + 6 * (size_t)k, w, sizeof w);
        }
    }
}

static state_job *state_job_new(nkx_issue *is, int i)
{
    state_job *j = nkx_job_new(is, sizeof *j);
    nkx_core_flush(is->core);
    nkx_view_access(nkx_tile(is, i), &j->data);
    j->state = nkx_isa_state_of(is->core);
    j->lane0 = first_lane(nkx_tile(is, i));
    j->pool = is->engine == NKX_POOL;
    return j;
}

/* Run at once: a state that is set in the background could be drawn from before it is there. */
static bool state_lower(nkx_issue *is, nkx_work *out, int i, void (*run)(const void *))
{
    out->run = run;
    out->arg = state_job_new(is, i);
    out->arg_bytes = sizeof(state_job);
    return true;
}

static bool seed_lower(nkx_issue *is, nkx_work *out)
{
    return state_lower(is, out, SEED_SRC, seed_run);
}

static void seed_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, 64);
}

const nkx_insn nkx_insn_set_rng_seed = {
    .name = "set_rng_seed",
    .engines = NKX_ENG_DVE,
    .min_gen = 2,
    .since = "0.1.0",
    .params = seed_params,
    .check = seed_check,
    .lower = seed_lower,
    .cost = seed_cost,
    .section = "4.7",
    .brief = "Seeds the Vector engine's generator.",
    .doc = "The same seed gives the same numbers. The state lives for the rest of the kernel.",
    .cost_doc = "64",
    .example = rng_example,
};

/* ---- rand_set_state, rand_get_state ---- */

enum { ST_TILE, ST_ENGINE };

static bool state_pick(nkx_issue *is)
{
    return nkx_pick_engine(is, ST_ENGINE, NKX_POOL,
                           NKX_ENG_POOL | (nkx_gen(is) >= 4 ? NKX_ENG_DVE : 0));
}

static bool state_check(nkx_issue *is)
{
    int64_t n = nkx_n_of(is, ST_TILE), want = is->engine == NKX_POOL ? POOL_WORDS : DVE_WORDS;
    if (n == want) return true;
    nkx_isa_fault(is, NKX_E546, ST_TILE,
                  "GpSimd has one XORWOW state of 6 words a partition, the Vector engine four.",
                  "%s has %lld words per partition, not %lld", is->row->params[ST_TILE].name,
                  (long long)n, (long long)want);
    return false;
}

static void state_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, 64);
}

static uint32_t *words_of(const state_job *j, uint32_t p)
{
    uint32_t lane = (j->lane0 + p) & 127u;
    return j->pool ? j->state->rng_pool[lane] : j->state->rng_dve[lane];
}

static void set_state_run(const void *arg)
{
    const state_job *j = arg;
    for (uint32_t p = 0; p < j->data.nparts; p++) {
        nkx_bits_in(&j->data, p, 0, j->data.n, words_of(j, p));
    }
}

static bool set_state_lower(nkx_issue *is, nkx_work *out)
{
    return state_lower(is, out, ST_TILE, set_state_run);
}

static void get_state_run(const void *arg)
{
    const state_job *j = arg;
    for (uint32_t p = 0; p < j->data.nparts; p++) {
        nkx_bits_out(&j->data, p, 0, j->data.n, words_of(j, p));
    }
}

static bool get_state_lower(nkx_issue *is, nkx_work *out)
{
    return state_lower(is, out, ST_TILE, get_state_run);
}

static const char state_example[] =
    "import numpy as np\n"
    "import nki\n"
    "import nki.isa as nisa\n"
    "import nki.language as nl\n"
    "\n"
    "\n"
    "@nki.jit\n"
    "def kernel():\n"
    "    out = nl.ndarray((2, 128, 16), dtype=nl.uint32, buffer=nl.shared_hbm)\n"
    "    saved = nl.ndarray((128, 6), dtype=nl.uint32, buffer=nl.sbuf)\n"
    "    nisa.rand_get_state(dst=saved)\n"
    "    for i in range(2):\n"
    "        nisa.rand_set_state(src_seeds=saved)\n"
    "        t = nl.ndarray((128, 16), dtype=nl.uint32, buffer=nl.sbuf)\n"
    "        nisa.rng(dst=t, engine=nisa.engine.gpsimd)\n"
    "        nisa.dma_copy(dst=out[i], src=t)\n"
    "    return out\n"
    "\n"
    "\n"
    "if __name__ == \"__main__\":\n"
    "    got = nki.simulate(kernel)()\n"
    "    assert np.array_equal(got[0], got[1])\n";

static const nkx_isa_param set_state_params[] = {
    P_IN("src_seeds", .doc = "(P, 6) words for GpSimd, (P, 24) for the Vector engine",
         .spaces = NKX_IN_SBUF, .dtypes = DT(UINT32)),
    P_ENUM("engine", NKX_ENUM_ENGINE, NKX_ENGINE_GPSIMD, "engine.gpsimd",
           .doc = "gpsimd, or vector on gen4"),
    P_END,
};

const nkx_insn nkx_insn_rand_set_state = {
    .name = "rand_set_state",
    .engines = NKX_ENG_POOL | NKX_ENG_DVE,
    .min_gen = 3,
    .since = "0.1.0",
    .params = set_state_params,
    .pick = state_pick,
    .check = state_check,
    .lower = set_state_lower,
    .cost = state_cost,
    .section = "4.7",
    .brief = "Sets the state of a generator, partition by partition.",
    .doc = "Six XORWOW words a partition in the order x, y, z, w, v, d (the order on the device is "
           "not documented).",
    .cost_doc = "64 to 150",
    .example = state_example,
};

static const nkx_isa_param get_state_params[] = {
    P_DST(.doc = "(P, 6) words of GpSimd, (P, 24) of the Vector engine", .dtypes = DT(UINT32)),
    P_ENUM("engine", NKX_ENUM_ENGINE, NKX_ENGINE_GPSIMD, "engine.gpsimd",
           .doc = "gpsimd, or vector on gen4"),
    P_END,
};

const nkx_insn nkx_insn_rand_get_state = {
    .name = "rand_get_state",
    .engines = NKX_ENG_POOL | NKX_ENG_DVE,
    .min_gen = 3,
    .since = "0.1.0",
    .params = get_state_params,
    .pick = state_pick,
    .check = state_check,
    .lower = get_state_lower,
    .cost = state_cost,
    .section = "4.7",
    .brief = "Reads the state of a generator, partition by partition.",
    .doc = "What rand_set_state takes.",
    .cost_doc = "64 to 150",
    .example = state_example,
};

/* ---- rand2 ---- */

enum { R2_DST, R2_MIN, R2_MAX };

static const nkx_isa_param rand2_params[] = {
    P_DST(.doc = "uniform numbers in [min, max)", .flags = NKX_PF_TILE),
    P_NUM("min", .doc = "lower bound: number or (P, 1) fp32", .dtypes = DT(FP32)),
    P_NUM("max", .doc = "upper bound: number or (P, 1) fp32", .dtypes = DT(FP32)),
    P_END,
};

static bool rand2_check(nkx_issue *is)
{
    if (nkx_is_tile(is, R2_MIN) || nkx_is_tile(is, R2_MAX)) return true;
    double lo = nkx_num_of(is, R2_MIN), hi = nkx_num_of(is, R2_MAX);
    return lo < hi || nkx_isa_fault(is, NKX_E547, R2_MIN, "The range is [min, max).",
                                    "min %g is not below max %g", lo, hi);
}

static void rand2_run(const void *arg)
{
    const draw_job *j = arg;
    uint32_t bits[NKX_CHUNK];
    float x[NKX_CHUNK];
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        float lo = nkx_col_at(&j->lo, p), hi = nkx_col_at(&j->hi, p);
        for (int64_t i = 0; i < j->dst.n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->dst.n - i);
            draw(j, p, bits, n);
            for (int64_t e = 0; e < n; e++) x[e] = lo + (hi - lo) * unit(bits[e]);
            nkx_access_store_f32(&j->dst, p, i, n, x);
        }
    }
}

static bool rand2_lower(nkx_issue *is, nkx_work *out)
{
    draw_job *j = draw_job_new(is, R2_DST);
    nkx_col_lower(is, R2_MIN, 0, &j->lo);
    nkx_col_lower(is, R2_MAX, 1, &j->hi);
    nkx_lower_job(is, out, rand2_run, j, sizeof *j);
    return true;
}

static void rand2_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, (nkx_n_of(is, R2_DST) + 3) / 4);
}

const nkx_insn nkx_insn_rand2 = {
    .name = "rand2",
    .engines = NKX_ENG_DVE,
    .min_gen = 4,
    .since = "0.1.0",
    .params = rand2_params,
    .check = rand2_check,
    .lower = rand2_lower,
    .cost = rand2_cost,
    .section = "4.7",
    .brief = "Uniform random numbers in [min, max).",
    .doc = "XORWOW bits, 24 of them, scaled in fp32 and cast to dst's type.",
    .cost_doc = "max(64, N / 4)",
    .example = "# target: trn3\n"
               "import numpy as np\n"
               "import nki\n"
               "import nki.isa as nisa\n"
               "import nki.language as nl\n"
               "\n"
               "\n"
               "@nki.jit\n"
               "def kernel():\n"
               "    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)\n"
               "    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)\n"
               "    nisa.rand2(dst=t, min=-1.0, max=3.0)\n"
               "    nisa.dma_copy(dst=out, src=t)\n"
               "    return out\n"
               "\n"
               "\n"
               "if __name__ == \"__main__\":\n"
               "    got = nki.simulate(kernel)()\n"
               "    assert got.min() >= -1.0 and got.max() < 3.0 and abs(got.mean() - 1.0) < 0.1\n",
};

/* ---- dropout ---- */

enum { DO_DST, DO_DATA, DO_PROB };

static const nkx_isa_param dropout_params[] = {
    P_DST(.doc = "data with some elements zeroed", .flags = NKX_PF_TILE),
    P_IN("data", .doc = "any type", .flags = NKX_PF_TILE),
    P_NUM("prob", .doc = "probability of zero: number or (P, 1)", .dtypes = NKX_DTS_FLOAT),
    P_END,
};

static bool dropout_check(nkx_issue *is)
{
    if (!nkx_check_same_dtype(is, DO_DST, DO_DATA)) return false;
    if (nkx_is_tile(is, DO_PROB)) {
        nkx_dtype data = (nkx_dtype)nkx_tile(is, DO_DATA)->dtype,
                  prob = (nkx_dtype)nkx_tile(is, DO_PROB)->dtype;
        return nkx_dtype_is_float(data) || prob == NKX_DT_FP32 ||
               nkx_isa_fault(
                   is, NKX_E547, DO_PROB, "With integer data the probability tile must be float32.",
                   "prob is %s for %s data", nkx_dtypes[prob].name, nkx_dtypes[data].name);
    }
    double p = nkx_num_of(is, DO_PROB);
    return (p >= 0 && p <= 1) ||
           nkx_isa_fault(is, NKX_E547, DO_PROB, "It is the share of elements that become zero.",
                         "probability %g is not from 0 to 1", p);
}

/* Zeroes the elements from `first` on whose draw is below prob. */
static void drop(const nkx_access *a, uint32_t p, int64_t first, const uint32_t *bits, float prob,
                 int64_t n)
{
    if (nkx_word_cells(a)) { /* without a branch an element */
        uint32_t *at = (uint32_t *)(void *)nkx_element_at(a, p, first);
        for (int64_t i = 0; i < n; i++) at[i] = unit(bits[i]) < prob ? 0 : at[i];
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        if (unit(bits[i]) >= prob) continue;
        memset(nkx_access_at(a, p, first + i), 0, (size_t)a->elem_bytes);
    }
}

/* 0 keeps all and 1 drops all: a draw is in [0, 1). */
static void dropout_run(const void *arg)
{
    const draw_job *j = arg;
    uint32_t bits[NKX_CHUNK];
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        float prob = nkx_col_at(&j->lo, p);
        nkx_access_copy(&j->dst, p, &j->data, p, 0, j->dst.n);
        for (int64_t i = 0; i < j->dst.n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->dst.n - i);
            draw(j, p, bits, n);
            drop(&j->dst, p, i, bits, prob, n);
        }
    }
}

static bool dropout_lower(nkx_issue *is, nkx_work *out)
{
    draw_job *j = draw_job_new(is, DO_DST);
    nkx_view_access(nkx_tile(is, DO_DATA), &j->data);
    nkx_col_lower(is, DO_PROB, 0, &j->lo);
    nkx_lower_job(is, out, dropout_run, j, sizeof *j);
    return true;
}

static void dropout_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, nkx_n_of(is, DO_DST));
}

const nkx_insn nkx_insn_dropout = {
    .name = "dropout",
    .engines = NKX_ENG_DVE,
    .min_gen = 2,
    .since = "beta 2.20",
    .params = dropout_params,
    .check = dropout_check,
    .lower = dropout_lower,
    .cost = dropout_cost,
    .section = "4.7",
    .brief = "Zeroes elements at random.",
    .doc = "Each element becomes 0 with probability prob; the others keep their bits, without "
           "scaling by 1 / (1 - "
           "prob).",
    .cost_doc = "max(64, N)",
    .example = "import numpy as np\n"
               "import nki\n"
               "import nki.isa as nisa\n"
               "import nki.language as nl\n"
               "\n"
               "\n"
               "@nki.jit\n"
               "def kernel(x):\n"
               "    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
               "    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)\n"
               "    d = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)\n"
               "    nisa.dma_copy(dst=t, src=x)\n"
               "    nisa.dropout(dst=d, data=t, prob=0.25)\n"
               "    nisa.dma_copy(dst=out, src=d)\n"
               "    return out\n"
               "\n"
               "\n"
               "if __name__ == \"__main__\":\n"
               "    got = nki.simulate(kernel)(np.ones((128, 200), np.float32))\n"
               "    assert abs(got.mean() - 0.75) < 0.02\n",
};
