/* SPDX-License-Identifier: Apache-2.0 */
/* The top-8 family of the Vector engine (isa.md 4.4.12): max8, nc_find_index8, nc_match_replace8.
 * Layer isa. */
#include "interp/isa/lanes.h"

#include <math.h>

#define TOP_MIN 8
#define TOP_MAX 16384

static bool row_length_ok(nkx_issue *is, int i)
{
    int64_t n = nkx_n_of(is, i);
    if (n >= TOP_MIN && n <= TOP_MAX) return true;
    nkx_isa_fault(is, NKX_E540, i,
                  "Pad a shorter row, or split a longer one and join the winners of its parts.",
                  "%s has %lld elements per partition, not %d to %d", is->row->params[i].name,
                  (long long)n, TOP_MIN, TOP_MAX);
    return false;
}

static bool has_eight(nkx_issue *is, int i)
{
    int64_t n = nkx_n_of(is, i);
    if (n == 8) return true;
    nkx_isa_fault(
        is, NKX_E541, i, "This operand holds one value for each of the eight slots: shape (P, 8).",
        "%s has %lld elements per partition, not 8", is->row->params[i].name, (long long)n);
    return false;
}

/* ---- max8 ---- */

enum { MAX8_DST, MAX8_SRC };

static const nkx_isa_param max8_params[] = {
    P_DST(.doc = "(P, 8): the largest values, descending", .flags = NKX_PF_LANES),
    P_IN("src", .doc = "8 to 16384 elements per partition", .flags = NKX_PF_LANES),
    P_END,
};

static bool max8_check(nkx_issue *is)
{
    return row_length_ok(is, MAX8_SRC) && has_eight(is, MAX8_DST);
}

typedef struct max8_job {
    nkx_access dst, src;
} max8_job;

static void insert_top(float top[8], float x)
{
    int k = 7;
    if (!(x > top[7])) return;
    for (; k > 0 && x > top[k - 1]; k--) top[k] = top[k - 1];
    top[k] = x;
}

static void max8_run(const void *arg)
{
    const max8_job *j = arg;
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        float buf[NKX_CHUNK], top[8];
        for (int k = 0; k < 8; k++) top[k] = -INFINITY;
        for (int64_t at = 0; at < j->src.n; at += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->src.n - at);
            const float *x = nkx_lanes_in(&j->src, p, at, n, buf);
            for (int64_t i = 0; i < n; i++) insert_top(top, x[i]);
        }
        nkx_access_store_f32(&j->dst, p, 0, 8, top);
    }
}

static bool max8_lower(nkx_issue *is, nkx_work *out)
{
    max8_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, MAX8_DST), &j->dst);
    nkx_view_access(nkx_tile(is, MAX8_SRC), &j->src);
    nkx_lower_job(is, out, max8_run, j, sizeof *j);
    return true;
}

static void max8_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, nkx_n_of(is, MAX8_SRC));
}

const nkx_insn nkx_insn_max8 = {
    .name = "max8",
    .engines = NKX_ENG_DVE,
    .min_gen = 2,
    .since = "beta 2.22",
    .params = max8_params,
    .check = max8_check,
    .lower = max8_lower,
    .cost = max8_cost,
    .max_free_dims = 2,
    .section = "4.4.12",
    .brief = "The eight largest values of each partition, descending.",
    .doc = "Duplicates are kept. Values are compared in fp32 and cast to dst's type. src has at "
           "most 3 dimensions. "
           "NaN is never among the largest.",
    .cost_doc = "N",
    .example = "import numpy as np\n"
               "import nki\n"
               "import nki.isa as nisa\n"
               "import nki.language as nl\n"
               "\n"
               "\n"
               "@nki.jit\n"
               "def kernel(x):\n"
               "    out = nl.ndarray((x.shape[0], 8), dtype=x.dtype, buffer=nl.shared_hbm)\n"
               "    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)\n"
               "    nisa.dma_copy(dst=t, src=x)\n"
               "    best = nl.ndarray((x.shape[0], 8), dtype=x.dtype, buffer=nl.sbuf)\n"
               "    nisa.max8(dst=best, src=t)\n"
               "    nisa.dma_copy(dst=out, src=best)\n"
               "    return out\n"
               "\n"
               "\n"
               "if __name__ == \"__main__\":\n"
               "    x = np.random.rand(16, 100).astype(np.float32)\n"
               "    best = nki.simulate(kernel)(x)\n"
               "    assert np.array_equal(best, -np.sort(-x, axis=1)[:, :8])\n",
};

/* ---- nc_find_index8 ---- */

enum { FIND_DST, FIND_DATA, FIND_VALS };

static const nkx_isa_param find_params[] = {
    P_DST(.doc = "(P, 8): index of the first match of each value", .flags = NKX_PF_LANES,
          .dtypes = DT(UINT16) | DT(UINT32)),
    P_IN("data", .doc = "8 to 16384 elements per partition", .flags = NKX_PF_LANES),
    P_IN("vals", .doc = "(P, 8): values to look for", .flags = NKX_PF_LANES),
    P_END,
};

static bool find_check(nkx_issue *is)
{
    return row_length_ok(is, FIND_DATA) && has_eight(is, FIND_DST) && has_eight(is, FIND_VALS);
}

typedef struct find_job {
    nkx_access dst, data, vals;
} find_job;

static void find_row(const float *x, int64_t n, const float vals[8], int32_t out[8])
{
    int64_t next[8] = {0}; /* where the search for slot s goes on */
    for (int s = 0; s < 8; s++) {
        for (int e = 0; e < s; e++) {
            if (vals[e] == vals[s]) next[s] = out[e] < 0 ? n : (int64_t)out[e] + 1;
        }
        out[s] = -1;
        for (int64_t i = next[s]; i < n && out[s] < 0; i++) {
            if (x[i] == vals[s]) out[s] = (int32_t)i;
        }
    }
}

static void find_run(const void *arg)
{
    const find_job *j = arg;
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        float buf[TOP_MAX], vals[8];
        int32_t out[8];
        nkx_access_load_f32(&j->vals, p, 0, 8, vals);
        find_row(nkx_lanes_in(&j->data, p, 0, j->data.n, buf), j->data.n, vals, out);
        nkx_access_store_i32(&j->dst, p, 0, 8, out);
    }
}

static bool find_lower(nkx_issue *is, nkx_work *out)
{
    find_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, FIND_DST), &j->dst);
    nkx_view_access(nkx_tile(is, FIND_DATA), &j->data);
    nkx_view_access(nkx_tile(is, FIND_VALS), &j->vals);
    nkx_lower_job(is, out, find_run, j, sizeof *j);
    return true;
}

static void find_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, nkx_n_of(is, FIND_DATA));
}

const nkx_insn nkx_insn_nc_find_index8 = {
    .name = "nc_find_index8",
    .engines = NKX_ENG_DVE,
    .min_gen = 2,
    .since = "beta 2.22",
    .params = find_params,
    .check = find_check,
    .lower = find_lower,
    .cost = find_cost,
    .max_free_dims = 2,
    .section = "4.4.12",
    .brief = "Where eight values stand in each partition.",
    .doc = "Flattened index of the first occurrence. A value that is given twice takes the next "
           "occurrence in the "
           "later slot. Without a match the slot holds all ones (0xFFFF or 0xFFFFFFFF). Values are "
           "compared in fp32 "
           "(a reading). data and vals have at most 3 dimensions.",
    .cost_doc = "N",
    .example = "import numpy as np\n"
               "import nki\n"
               "import nki.isa as nisa\n"
               "import nki.language as nl\n"
               "\n"
               "\n"
               "@nki.jit\n"
               "def kernel(x):\n"
               "    out = nl.ndarray((x.shape[0], 8), dtype=nl.uint32, buffer=nl.shared_hbm)\n"
               "    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)\n"
               "    nisa.dma_copy(dst=t, src=x)\n"
               "    best = nl.ndarray((x.shape[0], 8), dtype=x.dtype, buffer=nl.sbuf)\n"
               "    nisa.max8(dst=best, src=t)\n"
               "    index = nl.ndarray((x.shape[0], 8), dtype=nl.uint32, buffer=nl.sbuf)\n"
               "    nisa.nc_find_index8(dst=index, data=t, vals=best)\n"
               "    nisa.dma_copy(dst=out, src=index)\n"
               "    return out\n"
               "\n"
               "\n"
               "if __name__ == \"__main__\":\n"
               "    x = np.random.rand(16, 100).astype(np.float32)\n"
               "    index = nki.simulate(kernel)(x)\n"
               "    assert np.array_equal(index.astype(np.int64), np.argsort(-x, axis=1)[:, :8])\n",
};

/* ---- nc_match_replace8 ---- */

enum { REPL_DST, REPL_DATA, REPL_VALS, REPL_IMM, REPL_IDX };

static const nkx_isa_param replace_params[] = {
    P_DST(.doc = "data with the matches replaced; may be data itself", .flags = NKX_PF_TILE),
    P_IN("data", .doc = "at most 16384 elements per partition", .flags = NKX_PF_TILE),
    P_IN("vals", .doc = "(P, 8): values to replace", .flags = NKX_PF_LANES),
    P_ROW(.name = "imm", .accept = NKX_P_SCALAR, .required = true,
          .doc = "what to write over a match"),
    P_OPT("dst_idx", NKX_P_TILE, .dir = NKX_DIR_OUT, .flags = NKX_PF_LANES,
          .dtypes = DT(UINT32) | DT(UINT16), .doc = "(P, 8): index of each replaced element"),
    P_END,
};

static bool replace_check(nkx_issue *is)
{
    if (nkx_n_of(is, REPL_DATA) > TOP_MAX && !row_length_ok(is, REPL_DATA)) return false;
    return has_eight(is, REPL_VALS) && (!nkx_has(is, REPL_IDX) || has_eight(is, REPL_IDX));
}

typedef struct replace_job {
    nkx_access dst, data, vals, idx;
    bool has_idx;
    float imm;
} replace_job;

/* Slots from 7 to 0; each takes the first element not yet replaced. Unmatched: all ones (a
 * reading). */
static void replace_row(const float *x, int64_t n, const float vals[8], int32_t out[8])
{
    for (int s = 7; s >= 0; s--) {
        int64_t from = 0;
        for (int e = 7; e > s; e--) {
            if (vals[e] == vals[s]) from = out[e] < 0 ? n : (int64_t)out[e] + 1;
        }
        out[s] = -1;
        for (int64_t i = from; i < n && out[s] < 0; i++) {
            if (x[i] == vals[s]) out[s] = (int32_t)i;
        }
    }
}

static void replace_run(const void *arg)
{
    const replace_job *j = arg;
    const nkx_dtype_row *dt = &nkx_dtypes[j->dst.dtype];
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        float buf[TOP_MAX], vals[8];
        int32_t out[8];
        nkx_access_load_f32(&j->vals, p, 0, 8, vals);
        nkx_access_load_f32(&j->data, p, 0, j->data.n, buf);
        replace_row(buf, j->data.n, vals, out);
        if (j->dst.dtype == j->data.dtype) {
            nkx_access_copy(&j->dst, p, &j->data, p, 0, j->dst.n);
        } else {
            nkx_access_store_f32(&j->dst, p, 0, j->dst.n, buf);
        }
        for (int s = 0; s < 8; s++) {
            if (out[s] >= 0) {
                dt->store_f32(nkx_access_at(&j->dst, p, out[s]), dt->bytes, &j->imm, 1);
            }
        }
        if (j->has_idx) nkx_access_store_i32(&j->idx, p, 0, 8, out);
    }
}

static bool replace_lower(nkx_issue *is, nkx_work *out)
{
    replace_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, REPL_DST), &j->dst);
    nkx_view_access(nkx_tile(is, REPL_DATA), &j->data);
    nkx_view_access(nkx_tile(is, REPL_VALS), &j->vals);
    j->has_idx = nkx_has(is, REPL_IDX);
    if (j->has_idx) nkx_view_access(nkx_tile(is, REPL_IDX), &j->idx);
    j->imm = (float)nkx_num_of(is, REPL_IMM);
    nkx_lower_job_two(is, out, replace_run, j, sizeof *j,
                      j->has_idx ? offsetof(replace_job, idx) : 0);
    return true;
}

static void replace_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, nkx_n_of(is, REPL_DATA));
}

const nkx_insn nkx_insn_nc_match_replace8 = {
    .name = "nc_match_replace8",
    .engines = NKX_ENG_DVE,
    .min_gen = 2,
    .since = "beta 2.22",
    .params = replace_params,
    .check = replace_check,
    .lower = replace_lower,
    .cost = replace_cost,
    .section = "4.4.12",
    .brief = "Replaces one element for each of eight values.",
    .doc = "dst is a copy of data in which, for slots 7 down to 0, the first element equal to the "
           "slot's value that "
           "is not replaced yet becomes imm. dst_idx gets its index; a slot without a match gets "
           "all ones (a "
           "reading). dst may be data itself. With max8 in a loop it finds the largest values "
           "eight at a time.",
    .cost_doc = "max(64, N)",
    .example = "import numpy as np\n"
               "import nki\n"
               "import nki.isa as nisa\n"
               "import nki.language as nl\n"
               "\n"
               "\n"
               "@nki.jit\n"
               "def kernel(x):\n"
               "    out = nl.ndarray((x.shape[0], 16), dtype=x.dtype, buffer=nl.shared_hbm)\n"
               "    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)\n"
               "    nisa.dma_copy(dst=t, src=x)\n"
               "    best = nl.ndarray((x.shape[0], 16), dtype=x.dtype, buffer=nl.sbuf)\n"
               "    nisa.max8(dst=best[:, 0:8], src=t)\n"
               "    nisa.nc_match_replace8(dst=t, data=t, vals=best[:, 0:8], imm=-1.0)\n"
               "    nisa.max8(dst=best[:, 8:16], src=t)\n"
               "    nisa.dma_copy(dst=out, src=best)\n"
               "    return out\n"
               "\n"
               "\n"
               "if __name__ == \"__main__\":\n"
               "    x = np.random.rand(16, 100).astype(np.float32)\n"
               "    best = nki.simulate(kernel)(x)\n"
               "    assert np.array_equal(best, -np.sort(-x, axis=1)[:, :16])\n",
};
