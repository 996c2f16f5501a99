/* SPDX-License-Identifier: Apache-2.0 */
/* Mean and variance on the Vector engine (isa.md 4.4.11): bn_stats, bn_aggr. Layer isa. */
#include "interp/isa/lanes.h"

#define STATS_MAX 512 /* elements per partition of one bn_stats */

enum { BN_DST, BN_DATA };

static bool dst_has(nkx_issue *is, int64_t want)
{
    int64_t n = nkx_n_of(is, BN_DST);
    if (n == want) return true;
    nkx_isa_fault(is, NKX_E545, BN_DST,
                  "bn_stats writes two triples (count, mean, variance * count), bn_aggr a pair "
                  "(mean, variance).",
                  "dst has %lld elements per partition, not %lld", (long long)n, (long long)want);
    return false;
}

/* ---- bn_stats ---- */

static const nkx_isa_param stats_params[] = {
    P_DST(.doc = "(P, 6): count, mean, variance * count of elements with even index, then of odd "
                 "index",
          .flags = NKX_PF_LANES),
    P_IN("data", .doc = "at most 512 elements per partition", .flags = NKX_PF_LANES),
    P_END,
};

static bool stats_check(nkx_issue *is)
{
    int64_t n = nkx_n_of(is, BN_DATA);
    if (n <= STATS_MAX) return dst_has(is, 6);
    nkx_isa_fault(
        is, NKX_E545, BN_DATA,
        "Split the row into chunks of nl.tile_size.bn_stats_fmax and join them with nisa.bn_aggr.",
        "data has %lld elements per partition, more than %d", (long long)n, STATS_MAX);
    return false;
}

typedef struct bn_job {
    nkx_access dst, data;
} bn_job;

static void stats_run(const void *arg)
{
    const bn_job *j = arg;
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        float buf[NKX_CHUNK], out[6];
        nkx_moments_row(nkx_lanes_in(&j->data, p, 0, j->data.n, buf), j->data.n, out);
        nkx_access_store_f32(&j->dst, p, 0, 6, out);
    }
}

static bool bn_lower(nkx_issue *is, nkx_work *out, void (*run)(const void *))
{
    bn_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, BN_DST), &j->dst);
    nkx_view_access(nkx_tile(is, BN_DATA), &j->data);
    nkx_lower_job(is, out, run, j, sizeof *j);
    return true;
}

static bool stats_lower(nkx_issue *is, nkx_work *out)
{
    return bn_lower(is, out, stats_run);
}

static void stats_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, nkx_n_of(is, BN_DATA));
}

static const char bn_example[] =
    "import numpy as np\n"
    "import nki\n"
    "import nki.isa as nisa\n"
    "import nki.language as nl\n"
    "\n"
    "\n"
    "@nki.jit\n"
    "def kernel(x):\n"
    "    rows, cols = x.shape\n"
    "    out = nl.ndarray((rows, 2), dtype=nl.float32, buffer=nl.shared_hbm)\n"
    "    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)\n"
    "    nisa.dma_copy(dst=t, src=x)\n"
    "    chunks = cols // 512\n"
    "    stats = nl.ndarray((rows, 6 * chunks), dtype=nl.float32, buffer=nl.sbuf)\n"
    "    for c in range(chunks):\n"
    "        nisa.bn_stats(dst=stats[:, 6 * c:6 * c + 6], data=t[:, 512 * c:512 * c + 512])\n"
    "    mean_var = nl.ndarray((rows, 2), dtype=nl.float32, buffer=nl.sbuf)\n"
    "    nisa.bn_aggr(dst=mean_var, data=stats)\n"
    "    nisa.dma_copy(dst=out, src=mean_var)\n"
    "    return out\n"
    "\n"
    "\n"
    "if __name__ == \"__main__\":\n"
    "    x = np.random.rand(16, 1024).astype(np.float32)\n"
    "    got = nki.simulate(kernel)(x)\n"
    "    assert np.allclose(got[:, 0], x.mean(axis=1))\n"
    "    assert np.allclose(got[:, 1], x.var(axis=1))\n";

const nkx_insn nkx_insn_bn_stats = {
    .name = "bn_stats",
    .engines = NKX_ENG_DVE,
    .min_gen = 2,
    .since = "beta 2.20",
    .params = stats_params,
    .check = stats_check,
    .lower = stats_lower,
    .cost = stats_cost,
    .section = "4.4.11",
    .brief = "Count, mean and variance * count of the even and the odd elements.",
    .doc = "Variance is the population's; variance * count is the sum of (x - mean)^2. Computed in "
           "fp32. With an odd "
           "number of elements the even half has one more; with one element the odd triple is (0, "
           "0, 0) (a reading).",
    .cost_doc = "max(64, N)",
    .example = bn_example,
};

/* ---- bn_aggr ---- */

static const nkx_isa_param aggr_params[] = {
    P_DST(.doc = "(P, 2): mean, variance", .flags = NKX_PF_LANES),
    P_IN("data", .doc = "triples as bn_stats writes them", .flags = NKX_PF_LANES),
    P_END,
};

static bool aggr_check(nkx_issue *is)
{
    int64_t n = nkx_n_of(is, BN_DATA);
    if (n % 3 != 0) {
        nkx_isa_fault(is, NKX_E545, BN_DATA, "It holds triples (count, mean, variance * count).",
                      "data has %lld elements per partition, not a multiple of 3", (long long)n);
        return false;
    }
    return dst_has(is, 2);
}

/* n / 3 triples: counts and sums of values, or, with the mean of all, sums of squared distances. */
static void add_triples(const float *t, int64_t n, const float *mean, float *count, float *sum)
{
    for (int64_t i = 0; i < n; i += 3) {
        if (mean == NULL) {
            *count += t[i];
            *sum += t[i] * t[i + 1];
        } else {
            *sum += t[i + 2] + t[i] * (t[i + 1] - *mean) * (t[i + 1] - *mean);
        }
    }
}

static void aggr_run(const void *arg)
{
    enum { SOME = NKX_CHUNK / 3 * 3 };
    const bn_job *j = arg;
    float buf[SOME];
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        float count = 0, sum = 0, m2 = 0;
        for (int pass = 0; pass < 2; pass++) {
            float mean = sum / count;
            for (int64_t i = 0; i < j->data.n; i += SOME) {
                int64_t n = j->data.n - i < SOME ? j->data.n - i : SOME;
                const float *t = nkx_lanes_in(&j->data, p, i, n, buf);
                add_triples(t, n, pass ? &mean : NULL, &count, pass ? &m2 : &sum);
            }
        }
        float out[2] = {sum / count, m2 / count};
        nkx_access_store_f32(&j->dst, p, 0, 2, out);
    }
}

static bool aggr_lower(nkx_issue *is, nkx_work *out)
{
    return bn_lower(is, out, aggr_run);
}

static void aggr_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, 13 * nkx_n_of(is, BN_DATA) / 3);
}

const nkx_insn nkx_insn_bn_aggr = {
    .name = "bn_aggr",
    .engines = NKX_ENG_DVE,
    .min_gen = 2,
    .since = "beta 2.20",
    .params = aggr_params,
    .check = aggr_check,
    .lower = aggr_lower,
    .cost = aggr_cost,
    .section = "4.4.11",
    .brief = "Joins triples of bn_stats into mean and variance.",
    .doc =
        "With counts c, means m and v = variance * count: mean = sum(c * m) / sum(c), variance = "
        "(sum(v) + sum(c * (m - mean)^2)) / sum(c). Computed in fp32.",
    .cost_doc = "max(64, 13 * N / 3)",
    .example = bn_example,
};
