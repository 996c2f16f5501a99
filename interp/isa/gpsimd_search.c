/* SPDX-License-Identifier: Apache-2.0 */
/* Searching and counting on GpSimd (isa.md 4.6.3 to 4.6.5): sequence_bounds, nonzero_with_count,
 * topk. Layer isa. */
#include "interp/isa/lanes.h"

#include <stdlib.h>

static bool refuse(nkx_issue *is, int i, const char *hint, const char *what, int64_t found)
{
    nkx_isa_fault(is, NKX_E544, i, hint, "%s, not %lld", what, (long long)found);
    return false;
}

/* ---- sequence_bounds ---- */

enum { SB_DST, SB_IDS };

static const nkx_isa_param bounds_params[] = {
    P_DST(.doc = "(1, 2, n): starts, then ends", .spaces = NKX_IN_SBUF,
          .dtypes = DT(FP32) | DT(INT32)),
    P_IN("segment_ids", .doc = "(1, n): id of each element, 0 for padding", .spaces = NKX_IN_SBUF,
         .dtypes = DT(FP32) | DT(INT32)),
    P_END,
};

static bool bounds_check(nkx_issue *is)
{
    const nkx_view *dst = nkx_tile(is, SB_DST), *ids = nkx_tile(is, SB_IDS);
    int64_t n = nkx_n_of(is, SB_IDS);
    if (ids->shape[0] != 1) {
        return refuse(is, SB_IDS, "Ids lie in one partition.", "segment_ids must have 1 partition",
                      ids->shape[0]);
    }
    if (dst->shape[0] != 1) {
        return refuse(is, SB_DST, "Bounds lie in one partition.", "dst must have 1 partition",
                      dst->shape[0]);
    }
    if (nkx_n_of(is, SB_DST) != 2 * n) {
        return refuse(is, SB_DST, "Its shape is (1, 2, n): starts, then ends.",
                      "dst must have two values for each id", nkx_n_of(is, SB_DST));
    }
    return nkx_check_same_dtype(is, SB_DST, SB_IDS);
}

typedef struct bounds_job {
    nkx_access dst, ids;
} bounds_job;

static int32_t id_at(const nkx_access *a, int64_t i)
{
    int32_t v;
    float f;
    if (a->dtype == NKX_DT_INT32) {
        nkx_access_load_i32(a, 0, i, 1, &v);
        return v;
    }
    nkx_access_load_f32(a, 0, i, 1, &f);
    return (int32_t)f;
}

static void put_bound(const nkx_access *a, int64_t i, int64_t v)
{
    int32_t k = (int32_t)v;
    float f = (float)v;
    if (a->dtype == NKX_DT_INT32) {
        nkx_access_store_i32(a, 0, i, 1, &k);
    } else {
        nkx_access_store_f32(a, 0, i, 1, &f);
    }
}

/* Runs of equal ids are by adjacency: the same id further on is another sequence. */
static void bounds_run(const void *arg)
{
    const bounds_job *j = arg;
    int64_t n = j->ids.n, end;
    for (int64_t start = 0; start < n; start = end) {
        int32_t id = id_at(&j->ids, start);
        for (end = start + 1; end < n && id_at(&j->ids, end) == id; end++) {
        }
        for (int64_t i = start; i < end; i++) {
            put_bound(&j->dst, i, id == 0 ? n : start);
            put_bound(&j->dst, n + i, id == 0 ? -1 : end);
        }
    }
}

static bool bounds_lower(nkx_issue *is, nkx_work *out)
{
    bounds_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, SB_DST), &j->dst);
    nkx_view_access(nkx_tile(is, SB_IDS), &j->ids);
    nkx_lower_job(is, out, bounds_run, j, sizeof *j);
    return true;
}

static void bounds_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, 2 * nkx_n_of(is, SB_IDS));
}

const nkx_insn nkx_insn_sequence_bounds = {
    .name = "sequence_bounds",
    .engines = NKX_ENG_POOL,
    .min_gen = 2,
    .since = "beta 2.26",
    .params = bounds_params,
    .check = bounds_check,
    .lower = bounds_lower,
    .cost = bounds_cost,
    .section = "4.6.3",
    .brief = "For each element the start and the end of its run of equal ids.",
    .doc = "An element of id 0 gets (n, -1). Runs are by adjacency; the end is one past the last "
           "element.",
    .cost_doc = "150 + 2 n",
    .example = "import numpy as np\n"
               "import nki\n"
               "import nki.isa as nisa\n"
               "import nki.language as nl\n"
               "\n"
               "\n"
               "@nki.jit\n"
               "def kernel(ids):\n"
               "    n = ids.shape[1]\n"
               "    out = nl.ndarray((1, 2, n), dtype=ids.dtype, buffer=nl.shared_hbm)\n"
               "    t = nl.ndarray((1, n), dtype=ids.dtype, buffer=nl.sbuf)\n"
               "    d = nl.ndarray((1, 2, n), dtype=ids.dtype, buffer=nl.sbuf)\n"
               "    nisa.dma_copy(dst=t, src=ids)\n"
               "    nisa.sequence_bounds(dst=d, segment_ids=t)\n"
               "    nisa.dma_copy(dst=out, src=d)\n"
               "    return out\n"
               "\n"
               "\n"
               "if __name__ == \"__main__\":\n"
               "    got = nki.simulate(kernel)(np.array([[0, 1, 1, 2, 2, 2, 0, 3, 3]], np.int32))\n"
               "    assert got[0, 0].tolist() == [9, 1, 1, 3, 3, 3, 9, 7, 7]\n"
               "    assert got[0, 1].tolist() == [-1, 3, 3, 6, 6, 6, -1, 9, 9]\n",
};

/* ---- nonzero_with_count ---- */

enum { NZ_DST, NZ_SRC, NZ_OFFSET, NZ_PAD };

static const nkx_isa_param nonzero_params[] = {
    P_ROW(.name = "dst", .accept = NKX_P_TILE, .dir = NKX_DIR_INOUT, .required = true,
          .flags = NKX_PF_LANES, .spaces = NKX_IN_SBUF, .dtypes = DT(INT32),
          .doc = "(P, T + 1): indices, padding, count last"),
    P_IN("src", .doc = "(P, T)", .flags = NKX_PF_LANES, .spaces = NKX_IN_SBUF,
         .dtypes = DT(FP32) | DT(INT32)),
    P_ROW(.name = "index_offset", .accept = NKX_ACCEPT(NKX_ARG_INT), .dflt = "0",
          .dv = {.kind = NKX_ARG_INT}, .doc = "added to every index"),
    P_ROW(.name = "padding_val", .accept = NKX_ACCEPT(NKX_ARG_INT), .dflt = "-1",
          .dv = {.kind = NKX_ARG_INT, .u.i = -1}, .doc = "fills the slots after the last index"),
    P_END,
};

static bool nonzero_check(nkx_issue *is)
{
    if (nkx_n_of(is, NZ_DST) == nkx_n_of(is, NZ_SRC) + 1) return true;
    return refuse(is, NZ_DST, "One slot for each element of src, and the count last.",
                  "dst must have one element per partition more than src", nkx_n_of(is, NZ_DST));
}

typedef struct nonzero_job {
    nkx_access dst, src;
    int32_t offset, pad;
} nonzero_job;

/* Places of the values other than 0 of partition p; answers how many. */
static int32_t list_nonzero(const nonzero_job *j, uint32_t p)
{
    float x[NKX_CHUNK];
    int32_t at[NKX_CHUNK], count = 0;
    for (int64_t i = 0; i < j->src.n; i += NKX_CHUNK) {
        int64_t n = nkx_chunk(j->src.n - i);
        int32_t found = 0;
        nkx_access_load_f32(&j->src, p, i, n, x);
        for (int64_t e = 0; e < n; e++) {
            at[found] = (int32_t)(i + e) + j->offset;
            found += x[e] != 0;
        }
        nkx_access_store_i32(&j->dst, p, count, found, at);
        count += found;
    }
    return count;
}

/* Only the first partition of each of the eight cores is read and written. */
static void nonzero_run(const void *arg)
{
    const nonzero_job *j = arg;
    int32_t pad[NKX_CHUNK];
    for (int i = 0; i < NKX_CHUNK; i++) pad[i] = j->pad;
    for (uint32_t p = 0; p < j->src.nparts; p += 16) {
        int32_t count = list_nonzero(j, p);
        for (int64_t i = count; i < j->src.n; i += NKX_CHUNK) {
            nkx_access_store_i32(&j->dst, p, i, nkx_chunk(j->src.n - i), pad);
        }
        nkx_access_store_i32(&j->dst, p, j->src.n, 1, &count);
    }
}

static bool nonzero_lower(nkx_issue *is, nkx_work *out)
{
    nonzero_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, NZ_DST), &j->dst);
    nkx_view_access(nkx_tile(is, NZ_SRC), &j->src);
    j->offset = (int32_t)nkx_int_of(is, NZ_OFFSET);
    j->pad = (int32_t)nkx_int_of(is, NZ_PAD);
    nkx_lower_job(is, out, nonzero_run, j, sizeof *j);
    return true;
}

static void nonzero_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, nkx_n_of(is, NZ_SRC));
}

const nkx_insn nkx_insn_nonzero_with_count = {
    .name = "nonzero_with_count",
    .engines = NKX_ENG_POOL,
    .min_gen = 3,
    .since = "0.2.0",
    .params = nonzero_params,
    .check = nonzero_check,
    .lower = nonzero_lower,
    .cost = nonzero_cost,
    .section = "4.6.4",
    .brief = "Indices of the nonzero elements of a row, and how many there are.",
    .doc = "Works on partitions 0, 16, ..., 112 of the tiles; the others are left as they are. "
           "Indices ascend, "
           "index_offset is added to each, padding_val fills up, the last slot holds the count.",
    .cost_doc = "150 + T",
    .example = "import numpy as np\n"
               "import nki\n"
               "import nki.isa as nisa\n"
               "import nki.language as nl\n"
               "\n"
               "\n"
               "@nki.jit\n"
               "def kernel(x):\n"
               "    n = x.shape[1]\n"
               "    out = nl.ndarray((1, n + 1), dtype=nl.int32, buffer=nl.shared_hbm)\n"
               "    t = nl.ndarray((1, n), dtype=x.dtype, buffer=nl.sbuf)\n"
               "    d = nl.ndarray((1, n + 1), dtype=nl.int32, buffer=nl.sbuf)\n"
               "    nisa.dma_copy(dst=t, src=x)\n"
               "    nisa.memset(dst=d, value=0)\n"
               "    nisa.nonzero_with_count(dst=d, src=t)\n"
               "    nisa.dma_copy(dst=out, src=d)\n"
               "    return out\n"
               "\n"
               "\n"
               "if __name__ == \"__main__\":\n"
               "    got = nki.simulate(kernel)(np.array([[0, 5, 0, 7, 1]], np.int32))\n"
               "    assert got.tolist() == [[1, 3, 4, -1, -1, 3]]\n",
};

/* ---- topk ---- */

enum { TK_VAL, TK_IDX, TK_SRC, TK_N };

static const nkx_isa_param topk_params[] = {
    P_ROW(.name = "val_dst", .accept = NKX_P_TILE, .dir = NKX_DIR_OUT, .required = true,
          .flags = NKX_PF_TILE, .spaces = NKX_IN_SBUF, .dtypes = DT(BF16),
          .doc = "(P, K): the K largest, ascending"),
    P_ROW(.name = "idx_dst", .accept = NKX_P_TILE, .dir = NKX_DIR_OUT, .required = true,
          .flags = NKX_PF_TILE, .spaces = NKX_IN_SBUF, .dtypes = DT(UINT32),
          .doc = "(P, K): where they stand in the snake"),
    P_IN("src",
         .doc =
             "(P, X): element e of a group of 16 partitions is in partition e % 16, column e / 16",
         .flags = NKX_PF_LANES, .spaces = NKX_IN_SBUF, .dtypes = DT(BF16)),
    P_ROW(.name = "n", .accept = NKX_ACCEPT(NKX_ARG_INT), .required = true,
          .doc = "valid elements of each group"),
    P_END,
};

static bool topk_check(nkx_issue *is)
{
    int64_t n = nkx_int_of(is, TK_N), k = nkx_n_of(is, TK_VAL), x = nkx_n_of(is, TK_SRC);
    int64_t parts = nkx_tile(is, TK_SRC)->shape[0];
    if (parts % 16 != 0) {
        return refuse(is, TK_SRC, "Elements lie across groups of 16 partitions.",
                      "src must have a multiple of 16 partitions", parts);
    }
    if (n < 8 || n >= 65536) {
        return refuse(is, TK_N, "Split a longer list and join the winners.", "n must be 8 to 65535",
                      n);
    }
    if (k < 1 || k >= 32768 || k > n) {
        return refuse(is, TK_VAL, "K is val_dst's elements per partition.",
                      "K must be 1 to 32767 and at most n", k);
    }
    if (x < (n + 15) / 16) {
        return refuse(is, TK_SRC, "Sixteen elements lie in each column.",
                      "src must have ceil(n / 16) columns or more", x);
    }
    return true;
}

typedef struct topk_job {
    nkx_access val, idx, src;
    int64_t n, k;
} topk_job;

typedef struct ranked {
    float v;
    uint32_t at;
} ranked;

/* Ascending, NaN lowest; of equal values the later one counts as larger (ties are not documented).
 */
static int by_value(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    int nan = (x->v == x->v) - (y->v == y->v);
    if (nan != 0) return nan;
    if (x->v < y->v) return -1;
    if (x->v > y->v) return 1;
    return x->at < y->at ? -1 : 1;
}

static void topk_run(const void *arg)
{
    const topk_job *j = arg;
    ranked *list = nkx_alloc((size_t)j->n * sizeof *list);
    for (uint32_t g = 0; g < j->src.nparts; g += 16) {
        for (int64_t e = 0; e < j->n; e++) {
            nkx_access_load_f32(&j->src, g + (uint32_t)(e % 16), e / 16, 1, &list[e].v);
            list[e].at = (uint32_t)e;
        }
        qsort(list, (size_t)j->n, sizeof *list, by_value);
        for (uint32_t p = g; p < g + 16; p++) {
            for (int64_t i = 0; i < j->k; i++) {
                const ranked *r = &list[j->n - j->k + i];
                int32_t at = (int32_t)r->at;
                nkx_access_store_f32(&j->val, p, i, 1, &r->v);
                nkx_access_store_i32(&j->idx, p, i, 1, &at);
            }
        }
    }
    free(list);
}

static bool topk_lower(nkx_issue *is, nkx_work *out)
{
    topk_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, TK_VAL), &j->val);
    nkx_view_access(nkx_tile(is, TK_IDX), &j->idx);
    nkx_view_access(nkx_tile(is, TK_SRC), &j->src);
    j->n = nkx_int_of(is, TK_N);
    j->k = j->val.n;
    nkx_lower_job_two(is, out, topk_run, j, sizeof *j, offsetof(topk_job, idx));
    return true;
}

static void topk_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, 4 * nkx_int_of(is, TK_N) + nkx_n_of(is, TK_VAL));
}

const nkx_insn nkx_insn_topk = {
    .name = "topk",
    .engines = NKX_ENG_POOL,
    .min_gen = 2,
    .since = "0.6.0",
    .params = topk_params,
    .check = topk_check,
    .lower = topk_lower,
    .cost = topk_cost,
    .section = "4.6.5",
    .brief =
        "The K largest of a list that lies across 16 partitions, ascending, with their places.",
    .doc = "Each group of 16 partitions holds one list in a snake: element e in partition e % 16, "
           "column e / 16. The "
           "text also says that partitions are independent; the reading here is one result a "
           "group, written to all of "
           "its partitions. Of equal values the later one counts as larger (not documented).",
    .cost_doc = "4 n + K",
    .example = "import numpy as np\n"
               "import nki\n"
               "import nki.isa as nisa\n"
               "import nki.language as nl\n"
               "\n"
               "\n"
               "@nki.jit\n"
               "def kernel(x):\n"
               "    vals = nl.ndarray((16, 4), dtype=nl.bfloat16, buffer=nl.shared_hbm)\n"
               "    where = nl.ndarray((16, 4), dtype=nl.uint32, buffer=nl.shared_hbm)\n"
               "    t = nl.ndarray((16, 2), dtype=nl.bfloat16, buffer=nl.sbuf)\n"
               "    v = nl.ndarray((16, 4), dtype=nl.bfloat16, buffer=nl.sbuf)\n"
               "    i = nl.ndarray((16, 4), dtype=nl.uint32, buffer=nl.sbuf)\n"
               "    nisa.dma_copy(dst=t, src=x)\n"
               "    nisa.topk(val_dst=v, idx_dst=i, src=t, n=32)\n"
               "    nisa.dma_copy(dst=vals, src=v)\n"
               "    nisa.dma_copy(dst=where, src=i)\n"
               "    return vals, where\n"
               "\n"
               "\n"
               "if __name__ == \"__main__\":\n"
               "    x = np.arange(32).reshape((2, 16)).transpose((1, 0)).astype(nl.bfloat16)\n"
               "    vals, where = nki.simulate(kernel)(x)\n"
               "    assert where[5].tolist() == [28, 29, 30, 31]\n"
               "    assert vals[5].astype(np.float32).tolist() == [28.0, 29.0, 30.0, 31.0]\n",
};
