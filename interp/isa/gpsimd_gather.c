/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers of the GpSimd engine (isa.md 4.6.1, 4.6.2): nc_n_gather, local_gather. Layer isa. */
#include "interp/isa/lanes.h"

#include <string.h>

#define CORE_PARTS 16 /* partitions of one GpSimd core */

enum { G_DST, G_DATA, G_INDEX, G_ELEMS, G_VALID };

/* The first of n indices of partition p that is not below limit, from element i on; -1: none. An
 * index counts when it is among the first `valid` of its group; negative: all do. */
static int64_t find_outside(const uint32_t *index, uint32_t p, int64_t i, int64_t n, int64_t limit,
                            int64_t valid)
{
    uint32_t top = 0;
    for (int64_t k = 0; k < n; k++) top = index[k] > top ? index[k] : top;
    if (top < limit) return -1;
    for (int64_t k = 0; k < n; k++) {
        if (valid >= 0 && (i + k) * CORE_PARTS + p % CORE_PARTS >= valid) break;
        if (index[k] >= limit) return k;
    }
    return -1;
}

/* Indices are data: they are looked at before the job is queued, so that a bad one has a place to
 * be told at. */
static bool index_range_ok(nkx_issue *is, const nkx_view *index, int64_t limit,
                           int64_t valid_per_group)
{
    nkx_access a;
    uint32_t at[NKX_CHUNK];
    nkx_core_flush(is->core);
    nkx_view_access(index, &a);
    for (uint32_t p = 0; p < a.nparts; p++) {
        for (int64_t i = 0; i < a.n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(a.n - i);
            nkx_bits_in(&a, p, i, n, at);
            int64_t k = find_outside(at, p, i, n, limit, valid_per_group);
            if (k < 0) continue;
            return nkx_isa_fault(
                is, NKX_E543, G_INDEX,
                "The device returns whatever stands there. Clamp the indices before the gather.",
                "index %u of partition %u is outside the %lld elements of the source", at[k], p,
                (long long)limit);
        }
    }
    return true;
}

/* ---- nc_n_gather ---- */

static const nkx_isa_param n_gather_params[] = {
    P_DST(.doc = "one element for each index", .flags = NKX_PF_TILE, .spaces = NKX_IN_SBUF),
    P_IN("data", .doc = "where to take from: each partition its own row", .flags = NKX_PF_LANES,
         .spaces = NKX_IN_SBUF),
    P_IN("indices", .doc = "element numbers in the flattened row", .flags = NKX_PF_TILE,
         .spaces = NKX_IN_SBUF, .dtypes = DT(UINT32)),
    P_END,
};

static bool n_gather_check(nkx_issue *is)
{
    return nkx_check_same_dtype(is, G_DST, G_DATA);
}

typedef struct gather_job {
    nkx_access dst, data, index;
    int64_t elems, valid;
} gather_job;

/* Out of range: zero bits, so that a run is repeatable (the device gives garbage). */
static void take(const gather_job *j, uint32_t p, int64_t to, int64_t from)
{
    uint8_t *d = nkx_access_at(&j->dst, p, to);
    if (from < j->data.n) {
        memcpy(d, nkx_access_at(&j->data, p, from), (size_t)j->data.elem_bytes);
    } else {
        memset(d, 0, (size_t)j->data.elem_bytes);
    }
}

/* take() for elements of `bytes`, a constant, at one step on both sides. */
static inline void take_regular(const gather_job *j, uint32_t p, int64_t to, const uint32_t *from,
                                int64_t n, size_t bytes)
{
    uint8_t *d = nkx_element_at(&j->dst, p, to);
    const uint8_t *s = nkx_element_at(&j->data, p, 0);
    for (int64_t i = 0; i < n; i++, d += j->dst.step[0]) {
        if (from[i] < j->data.n) {
            memcpy(d, s + from[i] * j->data.step[0], bytes);
        } else {
            memset(d, 0, bytes);
        }
    }
}

/* Elements to, to + 1, ... of partition p. */
static void take_all(const gather_job *j, uint32_t p, int64_t to, const uint32_t *from, int64_t n)
{
    const bool regular = nkx_regular(&j->dst) && nkx_regular(&j->data);
    if (regular && j->data.elem_bytes == 4) {
        take_regular(j, p, to, from, n, 4);
    } else if (regular && j->data.elem_bytes == 2) {
        take_regular(j, p, to, from, n, 2);
    } else {
        for (int64_t i = 0; i < n; i++) take(j, p, to + i, from[i]);
    }
}

static void n_gather_run(const void *arg)
{
    const gather_job *j = arg;
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        for (int64_t at = 0; at < j->dst.n; at += NKX_CHUNK) {
            uint32_t index[NKX_CHUNK];
            int64_t n = nkx_chunk(j->dst.n - at);
            nkx_bits_in(&j->index, p, at, n, index);
            take_all(j, p, at, index, n);
        }
    }
}

static gather_job *gather_job_new(nkx_issue *is)
{
    gather_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, G_DST), &j->dst);
    nkx_view_access(nkx_tile(is, G_DATA), &j->data);
    nkx_view_access(nkx_tile(is, G_INDEX), &j->index);
    return j;
}

static bool n_gather_lower(nkx_issue *is, nkx_work *out)
{
    if (!index_range_ok(is, nkx_tile(is, G_INDEX), nkx_n_of(is, G_DATA), -1)) return false;
    nkx_lower_job(is, out, n_gather_run, gather_job_new(is), sizeof(gather_job));
    return true;
}

static void n_gather_cost(const nkx_issue *is, nkx_cost *out)
{
    int64_t n = nkx_n_of(is, G_DST);
    nkx_cost_lanes(is, out, n + ((n + 511) / 512 - 1) * 150);
}

const nkx_insn nkx_insn_nc_n_gather = {
    .name = "nc_n_gather",
    .engines = NKX_ENG_POOL,
    .min_gen = 2,
    .since = "0.1.0",
    .params = n_gather_params,
    .check = n_gather_check,
    .lower = n_gather_lower,
    .cost = n_gather_cost,
    .section = "4.6.1",
    .brief = "Each partition takes elements of its row by index.",
    .doc = "dst[k] = data[indices[k]] within a partition, free dimensions flattened. Bits are "
           "copied. An index outside "
           "the row is diagnosed; with that check off the element becomes zero. The device runs "
           "groups of 512 indices.",
    .cost_doc = "150 * ceil(n / 512) + n",
    .example =
        "import numpy as np\n"
        "import nki\n"
        "import nki.isa as nisa\n"
        "import nki.language as nl\n"
        "\n"
        "\n"
        "@nki.jit\n"
        "def kernel(x, where):\n"
        "    out = nl.ndarray(where.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
        "    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)\n"
        "    i = nl.ndarray(where.shape, dtype=nl.uint32, buffer=nl.sbuf)\n"
        "    d = nl.ndarray(where.shape, dtype=x.dtype, buffer=nl.sbuf)\n"
        "    nisa.dma_copy(dst=t, src=x)\n"
        "    nisa.dma_copy(dst=i, src=where)\n"
        "    nisa.nc_n_gather(dst=d, data=t, indices=i)\n"
        "    nisa.dma_copy(dst=out, src=d)\n"
        "    return out\n"
        "\n"
        "\n"
        "if __name__ == \"__main__\":\n"
        "    x = np.random.rand(16, 64).astype(np.float32)\n"
        "    where = np.random.randint(0, 64, (16, 10)).astype(np.uint32)\n"
        "    got = nki.simulate(kernel)(x, where)\n"
        "    assert np.array_equal(got, np.take_along_axis(x, where.astype(np.int64), axis=1))\n",
};

/* ---- local_gather ---- */

static const nkx_isa_param local_params[] = {
    P_DST(.doc = "gathered elements: num_valid_indices * num_elem_per_idx a partition",
          .flags = NKX_PF_LANES, .spaces = NKX_IN_SBUF),
    P_IN("src_buffer", .doc = "where to take from: each partition its own row",
         .flags = NKX_PF_LANES, .spaces = NKX_IN_SBUF),
    P_IN("index",
         .doc = "(P, I): element offsets, one list for each 16 partitions, partition first",
         .flags = NKX_PF_LANES, .spaces = NKX_IN_SBUF, .dtypes = DT(UINT16)),
    P_ROW(.name = "num_elem_per_idx", .accept = NKX_ACCEPT(NKX_ARG_INT), .dflt = "1",
          .dv = {.kind = NKX_ARG_INT, .u.i = 1},
          .doc = "adjacent elements for each index: 1, 2, 4, 8, 16 or 32"),
    P_OPT("num_valid_indices", NKX_ACCEPT(NKX_ARG_INT),
          .doc = "how many indices of each list count; None: all"),
    P_END,
};

static int64_t local_valid(const nkx_issue *is)
{
    return nkx_has(is, G_VALID) ? nkx_int_of(is, G_VALID) : CORE_PARTS * nkx_n_of(is, G_INDEX);
}

static bool local_refused(nkx_issue *is, int i, const char *hint, const char *what, int64_t found)
{
    nkx_isa_fault(is, NKX_E542, i, hint, "%s, not %lld", what, (long long)found);
    return false;
}

static bool local_check(nkx_issue *is)
{
    int64_t parts = nkx_tile(is, G_DATA)->shape[0], e = nkx_int_of(is, G_ELEMS),
            valid = local_valid(is);
    if (!nkx_check_same_dtype(is, G_DST, G_DATA)) return false;
    if (parts % CORE_PARTS != 0) {
        return local_refused(is, G_DATA, "Eight GpSimd cores serve 16 partitions each.",
                             "the partition count must be a multiple of 16", parts);
    }
    if (e < 1 || e > 32 || (e & (e - 1)) != 0) {
        return local_refused(is, G_ELEMS, "Gather more elements by more indices.",
                             "num_elem_per_idx must be 1, 2, 4, 8, 16 or 32", e);
    }
    int64_t most = CORE_PARTS * nkx_n_of(is, G_INDEX);
    if (valid < 1 || valid > 4096 || valid > most) {
        return local_refused(is, G_VALID,
                             "A list holds 16 indices for each column of index, at most 4096.",
                             "num_valid_indices must be 1 to 4096 and fit the list", valid);
    }
    if (valid * e != nkx_n_of(is, G_DST)) {
        return local_refused(
            is, G_DST,
            "The device ignores num_elem_per_idx when the counts differ (known issue of NKI "
            "0.6.0).",
            "dst must have num_valid_indices * num_elem_per_idx elements per partition",
            nkx_n_of(is, G_DST));
    }
    return true;
}

/* The places that a core's list names, an element each, from entry k on. Answers how many entries
 * fit. */
static int64_t local_places(const gather_job *j, uint32_t core, int64_t k, uint32_t *at)
{
    int64_t n = nkx_min_n(j->valid - k, NKX_CHUNK / j->elems);
    for (int64_t i = 0; i < n; i++) {
        uint32_t from;
        int64_t entry = k + i;
        nkx_bits_in(&j->index, core * CORE_PARTS + (uint32_t)(entry % CORE_PARTS),
                    entry / CORE_PARTS, 1, &from);
        for (int64_t e = 0; e < j->elems; e++) at[i * j->elems + e] = from + (uint32_t)e;
    }
    return n;
}

static void local_run(const void *arg)
{
    const gather_job *j = arg;
    uint32_t at[NKX_CHUNK] = {0};
    for (uint32_t core = 0; core < j->dst.nparts / CORE_PARTS; core++) {
        for (int64_t k = 0, n; k < j->valid; k += n) {
            n = local_places(j, core, k, at);
            for (uint32_t p = core * CORE_PARTS; p < (core + 1) * CORE_PARTS; p++) {
                take_all(j, p, k * j->elems, at, n * j->elems);
            }
        }
    }
}

static bool local_lower(nkx_issue *is, nkx_work *out)
{
    int64_t e = nkx_int_of(is, G_ELEMS), valid = local_valid(is);
    if (!index_range_ok(is, nkx_tile(is, G_INDEX), nkx_n_of(is, G_DATA) - e + 1, valid)) {
        return false;
    }
    gather_job *j = gather_job_new(is);
    j->elems = e;
    j->valid = valid;
    nkx_lower_job(is, out, local_run, j, sizeof *j);
    return true;
}

/* The printed formula divides by C where it must multiply (isa.md 7, no. 20): the sensible form. */
static void local_cost(const nkx_issue *is, nkx_cost *out)
{
    int64_t e = nkx_int_of(is, G_ELEMS),
            bytes = nkx_dtype_bytes((nkx_dtype)nkx_tile(is, G_DATA)->dtype);
    int64_t wide = nkx_min_n(4 / bytes > 0 ? 4 / bytes : 1, e);
    nkx_cost_lanes(is, out, local_valid(is) * e * (28 + 4 * e) / (4 * e) / wide);
}

const nkx_insn nkx_insn_local_gather = {
    .name = "local_gather",
    .engines = NKX_ENG_POOL,
    .min_gen = 2,
    .since = "beta 2.20",
    .params = local_params,
    .check = local_check,
    .lower = local_lower,
    .cost = local_cost,
    .section = "4.6.2",
    .brief = "Sixteen partitions at a time take elements of their rows by one list of indices.",
    .doc = "Core c owns partitions 16c to 16c + 15 and one list: index[16c + j % 16, j / 16] for j "
           "= 0, 1, ... Each "
           "of its partitions copies num_elem_per_idx adjacent elements from the offset named by "
           "each index. Offsets "
           "are in elements, not multiplied by num_elem_per_idx. An index outside the row is "
           "diagnosed. The published "
           "cost formula divides by a factor that grows with the overhead; the cost here "
           "multiplies (a reading).",
    .cost_doc = "150 + n * E * ((28 + 4 E) / (4 E)) / min(4 / bytes, E)",
    .example =
        "import numpy as np\n"
        "import nki\n"
        "import nki.isa as nisa\n"
        "import nki.language as nl\n"
        "\n"
        "\n"
        "@nki.jit\n"
        "def kernel(x, where):\n"
        "    out = nl.ndarray((x.shape[0], 16), dtype=x.dtype, buffer=nl.shared_hbm)\n"
        "    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)\n"
        "    i = nl.ndarray(where.shape, dtype=nl.uint16, buffer=nl.sbuf)\n"
        "    d = nl.ndarray((x.shape[0], 16), dtype=x.dtype, buffer=nl.sbuf)\n"
        "    nisa.dma_copy(dst=t, src=x)\n"
        "    nisa.dma_copy(dst=i, src=where)\n"
        "    nisa.local_gather(dst=d, src_buffer=t, index=i)\n"
        "    nisa.dma_copy(dst=out, src=d)\n"
        "    return out\n"
        "\n"
        "\n"
        "if __name__ == \"__main__\":\n"
        "    x = np.random.rand(32, 64).astype(np.float32)\n"
        "    where = np.random.randint(0, 64, (32, 1)).astype(np.uint16)\n"
        "    got = nki.simulate(kernel)(x, where)\n"
        "    for core in range(2):\n"
        "        rows = slice(16 * core, 16 * core + 16)\n"
        "        assert np.array_equal(got[rows], x[rows][:, where[rows, 0].astype(np.int64)])\n",
};
