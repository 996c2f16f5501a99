/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and fills of the vector engine (isa.md 4.2.1 to 4.2.3, 4.2.8): tensor_copy, memset,
 * tensor_copy_predicated, nc_stream_shuffle. Layer isa.
 */
#include "interp/isa/example.h"
#include "interp/isa/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tensor_copy ---- */

enum { TC_DST, TC_SRC, TC_ENGINE };

static const nkx_isa_param tensor_copy_params[] = {
    P_DST(.flags = NKX_PF_TILE | NKX_PF_INDIRECT, .dtypes = NKX_DTS_ALL, .doc = "result"),
    P_IN("src", .flags = NKX_PF_TILE | NKX_PF_INDIRECT, .dtypes = NKX_DTS_ALL,
         .doc = "tile to copy"),
    P_ENGINE,
    P_END,
};

/*
 * The compiler's choice is not documented. Traces show PSUM evictions on ACT and SBUF copies on DVE
 * (timing.md 6.7); on gen2 the former is an activation(copy) of the compiler's own making.
 */
static bool tensor_copy_pick(nkx_issue *is)
{
    bool psum = nkx_is_tile(is, TC_SRC) && nkx_in_psum(nkx_tile(is, TC_SRC));
    nkx_engine dflt = psum ? NKX_ACT : NKX_DVE;
    unsigned allowed = NKX_ENG_DVE | NKX_ENG_POOL | (nkx_gen(is) >= 3 ? NKX_ENG_ACT : 0);
    return nkx_pick_engine(is, TC_ENGINE, dflt, allowed);
}

/* x4 types and e8m0 have no conversion: bits only. */
static bool tensor_copy_check(nkx_issue *is)
{
    nkx_dtype d = (nkx_dtype)nkx_tile(is, TC_DST)->dtype,
              s = (nkx_dtype)nkx_tile(is, TC_SRC)->dtype;
    bool plain = NKX_DTS_PLAIN >> d & NKX_DTS_PLAIN >> s & 1u;
    return plain || nkx_check_same_dtype(is, TC_DST, TC_SRC);
}

static void tensor_copy_cost(const nkx_issue *is, nkx_cost *out)
{
    int64_t n = nkx_n_of(is, TC_DST);
    int mode =
        is->engine == NKX_DVE ? nkx_perf_mode(is, nkx_tile(is, TC_DST), nkx_tile(is, TC_SRC)) : 1;
    nkx_cost_lanes(is, out, (n + mode - 1) / mode);
    out->perf_mode = (uint8_t)mode;
    if (mode > 1) out->cls = NKX_COST_DVE_PERF;
    if (is->engine != NKX_ACT) return;
    out->cls = NKX_COST_ACT_COPY;
    bool fast =
        nkx_gen(is) >= 4 && (NKX_DTS_HALF | NKX_DTS_FP8) >> nkx_tile(is, TC_SRC)->dtype & 1u;
    if (fast) out->work_cycles = (n + 1) / 2;
}

typedef struct copy_job {
    nkx_access dst, src;
    uint32_t parts;
    int64_t n;
} copy_job;

static void run_copy(const void *arg)
{
    const copy_job *j = arg;
    int64_t bytes = j->n * j->dst.elem_bytes;
    bool plain = j->dst.dense && j->src.dense && j->dst.dtype == j->src.dtype;
    for (uint32_t p = 0; p < j->parts; p++) {
        if (plain) {
            memmove(j->dst.base + p * j->dst.pstep, j->src.base + p * j->src.pstep, (size_t)bytes);
        } else {
            nkx_access_copy(&j->dst, p, &j->src, p, 0, j->n);
        }
    }
}

static bool tensor_copy_lower(nkx_issue *is, nkx_work *out)
{
    copy_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, TC_DST), &j->dst);
    nkx_view_access(nkx_tile(is, TC_SRC), &j->src);
    j->parts = j->dst.nparts < j->src.nparts ? j->dst.nparts : j->src.nparts;
    j->n = nkx_min_n(j->dst.n, j->src.n);
    nkx_lower_job(is, out, run_copy, j, sizeof *j);
    return true;
}

const nkx_insn nkx_insn_tensor_copy = {
    .name = "tensor_copy",
    .engines = NKX_ENG_DVE | NKX_ENG_ACT | NKX_ENG_POOL,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Copies and fills",
    .params = tensor_copy_params,
    .pick = tensor_copy_pick,
    .check = tensor_copy_check,
    .lower = tensor_copy_lower,
    .cost = tensor_copy_cost,
    .brief = "dst[k] = src[k].",
    .doc = "Equal types: the bits are copied. Different types: through fp32, rounded once. Evicts "
           "PSUM to SBUF. With no "
           "engine named, a copy out of PSUM is timed on the scalar engine and one from SBUF on "
           "the vector engine. The "
           "scalar engine may be named on gen3 and later (reading 44: not on gen2). A dynamic "
           "address (ap with "
           "scalar_offset, select with a register) replaces the removed tensor_copy_dynamic forms "
           "and costs at least 600 "
           "cycles.",
    .example = NKX_EXAMPLE(NKX_EX_TILE(
        "a", "(128, 512)", "float32",
        "1.5") "    b = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.sbuf)\n"
               "    nisa.tensor_copy(dst=b, src=a)\n" NKX_EX_STORE("b", "(128, 512)", "bfloat16")),
    .cost_doc =
        "max(64, N); dynamic address max(600, N); gen3 on: N/4 or N/2 in the performance modes",
};

/* ---- memset ---- */

enum { MS_DST, MS_VALUE, MS_ENGINE };

static const nkx_isa_param memset_params[] = {
    P_DST(.flags = NKX_PF_TILE, .dtypes = NKX_DTS_ALL, .doc = "tile to fill"),
    P_ROW(.name = "value", .accept = NKX_P_SCALAR | NKX_ACCEPT(NKX_ARG_BOOL), .required = true,
          .doc = "number to fill with; an integer for integer types"),
    P_ENGINE,
    P_END,
};

static bool memset_pick(nkx_issue *is)
{
    return nkx_pick_engine(is, MS_ENGINE, NKX_DVE, NKX_ENG_DVE | NKX_ENG_POOL);
}

static bool memset_check(nkx_issue *is)
{
    nkx_dtype dt = (nkx_dtype)nkx_tile(is, MS_DST)->dtype;
    double v = nkx_num_of(is, MS_VALUE);
    bool is_float = is->arg[MS_VALUE].kind == NKX_ARG_FLOAT;
    if ((NKX_DTS_X4 >> dt & 1u) && v != 0) {
        return nkx_isa_fault(is, NKX_E517, MS_VALUE,
                             "Fill packed tiles with 0, or write them through a view of integers.",
                             "value %g for %s, which takes 0 only", v, nkx_dtypes[dt].name);
    }
    bool ints = nkx_dtype_is_int(dt) || (NKX_DTS_X4 >> dt & 1u);
    if (!ints || !is_float) return true;
    if (v == floor(v) && isfinite(v)) {
        return nkx_isa_fault(is, NKX_E518, MS_VALUE,
                             "Integer tiles take an integer: write 0 for 0.0.",
                             "float value %g for %s", v, nkx_dtypes[dt].name);
    }
    return nkx_isa_fault(is, NKX_E517, MS_VALUE, "Integer tiles take an integer value.",
                         "float value %g for %s", v, nkx_dtypes[dt].name);
}

static void memset_cost(const nkx_issue *is, nkx_cost *out)
{
    int64_t n = nkx_n_of(is, MS_DST);
    bool fast = nkx_num_of(is, MS_VALUE) == 0 && (NKX_DTS_HALF >> nkx_tile(is, MS_DST)->dtype & 1u);
    nkx_cost_lanes(is, out, fast ? (n + 1) / 2 : n);
}

typedef struct fill_job {
    nkx_access dst;
    uint8_t bits[8]; /* one element */
} fill_job;

static void fill_run(uint8_t *at, int64_t n, int64_t step, const uint8_t *bits, int32_t eb)
{
    if (step == eb && eb == 4) {
        uint32_t v;
        void *to = at;
        uint32_t *w = to;
        memcpy(&v, bits, 4);
        for (int64_t i = 0; i < n; i++) w[i] = v;
    } else if (step == eb && eb == 1) {
        memset(at, bits[0], (size_t)n);
    } else if (eb == 2) {
        for (int64_t i = 0; i < n; i++) memcpy(at + i * step, bits, 2);
    } else {
        for (int64_t i = 0; i < n; i++) memcpy(at + i * step, bits, (size_t)eb);
    }
}

static void run_memset(const void *arg)
{
    const fill_job *j = arg;
    nkx_access_iter it;
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        for (nkx_access_begin(&it, &j->dst, p); !it.done; nkx_access_next(&it)) {
            fill_run(it.at, it.run, it.step, j->bits, j->dst.elem_bytes);
        }
    }
}

/* One element of a cell type from a number given in the program: integers exactly, floats through
 * fp32. */
static void element_of(const nkx_issue *is, int i, nkx_dtype cell, uint8_t bits[8])
{
    memset(bits, 0, 8);
    if (nkx_dtypes[cell].cls == NKX_CLASS_PACKED) return;
    if (is->arg[i].kind != NKX_ARG_FLOAT && nkx_dtype_is_int(cell)) {
        int64_t v = nkx_int_of(is, i), lo = (int64_t)nkx_dtypes[cell].lowest,
                hi = (int64_t)nkx_dtypes[cell].max;
        nkx_store_i64(cell, bits, v < lo ? lo : v > hi ? hi : v);
    } else {
        nkx_store_f64(cell, bits, nkx_num_of(is, i));
    }
}

static bool memset_lower(nkx_issue *is, nkx_work *out)
{
    fill_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, MS_DST), &j->dst);
    element_of(is, MS_VALUE, (nkx_dtype)j->dst.dtype, j->bits);
    nkx_lower_job(is, out, run_memset, j, sizeof *j);
    return true;
}

const nkx_insn nkx_insn_memset = {
    .name = "memset",
    .engines = NKX_ENG_DVE | NKX_ENG_POOL,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Copies and fills",
    .params = memset_params,
    .pick = memset_pick,
    .check = memset_check,
    .lower = memset_lower,
    .cost = memset_cost,
    .brief = "Fills dst with a number.",
    .doc =
        "An integer tile takes an integer; a float of integral value is let pass with a warning. "
        "Float tiles take both, "
        "infinities included, rounded once. Packed x4 tiles take 0 only. GpSimd reaches SBUF only.",
    .example = NKX_EXAMPLE(NKX_EX_TILE("a", "(128, 512)", "float32", "0.0")
                               NKX_EX_STORE("a", "(128, 512)", "float32")),
    .cost_doc = "max(64, N/2) if value is 0 and dst is bf16 or fp16, else max(64, N)",
};

/* ---- tensor_copy_predicated ---- */

enum { CP_DST, CP_SRC, CP_PRED, CP_REV };

static const nkx_isa_param tensor_copy_predicated_params[] = {
    P_ROW(.name = "dst", .accept = NKX_P_TILE, .dir = NKX_DIR_INOUT, .required = true,
          .flags = NKX_PF_TILE | NKX_PF_INDIRECT, .doc = "tile to overwrite in part"),
    P_ROW(.name = "src", .accept = NKX_P_TILE_OR_SCALAR, .dir = NKX_DIR_IN, .required = true,
          .flags = NKX_PF_TILE, .doc = "tile of dst's type, or a number"),
    P_IN("predicate", .flags = NKX_PF_TILE | NKX_PF_INDIRECT,
         .dtypes = DT(UINT8) | DT(UINT16) | DT(UINT32) | DT(BOOL),
         .doc = "copies where it is not 0"),
    P_BOOL("reverse_pred", .doc = "copies where the predicate is 0"),
    P_END,
};

static bool tensor_copy_predicated_check(nkx_issue *is)
{
    if (nkx_is_tile(is, CP_SRC) && !nkx_check_same_dtype(is, CP_DST, CP_SRC)) return false;
    return nkx_check_not_both_psum(is, CP_SRC, CP_PRED);
}

static void tensor_copy_predicated_cost(const nkx_issue *is, nkx_cost *out)
{
    bool a = nkx_is_tile(is, CP_SRC) && nkx_in_psum(nkx_tile(is, CP_SRC)),
         b = nkx_in_psum(nkx_tile(is, CP_PRED));
    int64_t n = nkx_n_of(is, CP_DST);
    nkx_cost_lanes(is, out, a != b ? n : 2 * n);
}

typedef struct pred_job {
    nkx_access dst, src, pred;
    bool number, reverse;
    bool words; /* no number, and both rows are dense and of four bytes, aligned */
    uint8_t bits[8];
    uint32_t parts;
    int64_t n;
} pred_job;

/* Runs of selected elements are copied as runs. */
static void pred_row(const pred_job *j, uint32_t p, int64_t first, int64_t n, const uint32_t *m)
{
    for (int64_t i = 0; i < n;) {
        if ((m[i] != 0) == j->reverse) {
            i++;
            continue;
        }
        int64_t k = i + 1;
        while (k < n && (m[k] != 0) != j->reverse) k++;
        if (!j->number) {
            nkx_access_copy(&j->dst, p, &j->src, p, first + i, k - i);
        } else {
            for (int64_t e = i; e < k; e++) {
                memcpy(nkx_access_at(&j->dst, p, first + e), j->bits, (size_t)j->dst.elem_bytes);
            }
        }
        i = k;
    }
}

/* Cells of four bytes, dense: without a branch an element. False: not so. */
static bool pred_words(const pred_job *j, uint32_t p, int64_t first, int64_t n, const uint32_t *m)
{
    if (!j->words) return false;
    uint32_t *d = (uint32_t *)(void *)nkx_element_at(&j->dst, p, first);
    const uint32_t *s = (const uint32_t *)(const void *)nkx_element_at(&j->src, p, first);
    if (s != d && s < d + n && d < s + n) return false; /* shifted over each other */
    for (int64_t i = 0; i < n; i++) d[i] = (m[i] != 0) != j->reverse ? s[i] : d[i];
    return true;
}

static void run_predicated(const void *arg)
{
    const pred_job *j = arg;
    uint32_t m[NKX_CHUNK];
    for (uint32_t p = 0; p < j->parts; p++) {
        for (int64_t i = 0; i < j->n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->n - i);
            nkx_bits_in(&j->pred, p, i, n, m);
            if (!pred_words(j, p, i, n, m)) pred_row(j, p, i, n, m);
        }
    }
}

static bool tensor_copy_predicated_lower(nkx_issue *is, nkx_work *out)
{
    pred_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, CP_DST), &j->dst);
    nkx_view_access(nkx_tile(is, CP_PRED), &j->pred);
    j->number = !nkx_is_tile(is, CP_SRC);
    if (j->number) {
        element_of(is, CP_SRC, (nkx_dtype)j->dst.dtype, j->bits);
        j->src = j->dst;
    } else {
        nkx_view_access(nkx_tile(is, CP_SRC), &j->src);
    }
    j->reverse = nkx_bool_of(is, CP_REV);
    j->words = !j->number && nkx_word_cells(&j->dst) && nkx_word_cells(&j->src);
    j->parts = j->dst.nparts;
    j->n = nkx_min_n(j->dst.n, nkx_min_n(j->src.n, j->pred.n));
    nkx_lower_job(is, out, run_predicated, j, sizeof *j);
    return true;
}

const nkx_insn nkx_insn_tensor_copy_predicated = {
    .name = "tensor_copy_predicated",
    .engines = NKX_ENG_DVE,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Copies and fills",
    .params = tensor_copy_predicated_params,
    .check = tensor_copy_predicated_check,
    .lower = tensor_copy_predicated_lower,
    .cost = tensor_copy_predicated_cost,
    .brief = "dst[k] = src[k] where predicate[k] is not 0; elsewhere dst keeps its value.",
    .doc = "A copy of bits: src is of dst's type, or a number. reverse_pred copies where the "
           "predicate is 0. Ranks may "
           "differ. src and predicate may not both be in PSUM.",
    .example = NKX_EXAMPLE(
        NKX_EX_TILE("a", "(128, 64)", "float32", "1.0")
            NKX_EX_TILE("b", "(128, 64)", "float32", "2.0") NKX_EX_TILE(
                "m", "(128, 64)", "uint8",
                "0") "    nisa.memset(dst=m[:, 0:32], value=1)\n"
                     "    nisa.tensor_copy_predicated(dst=a, src=b, predicate=m)\n" NKX_EX_STORE(
                         "a", "(128, 64)", "float32")),
    .cost_doc = "max(64, N) if exactly one of src and predicate is in PSUM, else max(64, 2N)",
};

/* ---- nc_stream_shuffle ---- */

enum { SH_DST, SH_SRC, SH_MASK };

static const nkx_isa_param nc_stream_shuffle_params[] = {
    P_DST(.flags = NKX_PF_ELEMS | NKX_PF_ANYPART, .dtypes = NKX_DTS_ALL, .doc = "result"),
    P_IN("src", .flags = NKX_PF_ELEMS | NKX_PF_ANYPART, .dtypes = NKX_DTS_ALL,
         .doc = "rows to pick from"),
    P_ROW(.name = "shuffle_mask", .accept = NKX_ACCEPT(NKX_ARG_INTS), .required = true,
          .doc = "32 row numbers of a quadrant; 255 leaves the row of dst alone"),
    P_END,
};

static bool shuffle_start(nkx_issue *is, int i, int64_t quad)
{
    const nkx_view *v = nkx_tile(is, i);
    int64_t f = v->st->row_bytes / nkx_dtype_bytes((nkx_dtype)v->dtype),
            start = v->st->part0 + v->offset / f;
    int64_t step = quad > 64 ? 128 : quad > 32 ? 64 : 32;
    return start % step == 0 ||
           nkx_isa_fault(is, NKX_E509, i,
                         "Shuffles of 1 to 32 rows may start at 0, 32, 64, 96; of 33 to 64 at 0 or "
                         "64; more at 0.",
                         "%s starts at partition %lld with %lld partitions",
                         is->row->params[i].name, (long long)start, (long long)v->shape[0]);
}

static bool shuffle_entry(nkx_issue *is, int64_t row, int64_t from, int64_t rows)
{
    nkx_isa_fault(is, NKX_E519, SH_MASK,
                  "Entries are 0 to 31 within the quadrant and name a row that src has, or 255.",
                  "entry %lld takes row %lld of src, which has %lld", (long long)row,
                  (long long)from, (long long)rows);
    return false;
}

static bool nc_stream_shuffle_check(nkx_issue *is)
{
    const nkx_arg *m = nkx_arg_of(is, SH_MASK);
    const nkx_view *d = nkx_tile(is, SH_DST), *s = nkx_tile(is, SH_SRC);
    if (!nkx_check_same_dtype(is, SH_DST, SH_SRC)) return false;
    if (m->u.ints.n != 32) {
        nkx_isa_fault(is, NKX_E519, SH_MASK, "Give 32 entries, one a row of a quadrant.",
                      "shuffle_mask has %d entries", m->u.ints.n);
        return false;
    }
    for (int64_t r = 0; r < d->shape[0]; r++) {
        int64_t from = m->u.ints.at[r % 32];
        if (from == 255) continue;
        if (from < 0 || from > 31 || r / 32 * 32 + from >= s->shape[0]) {
            return shuffle_entry(is, r % 32, r / 32 * 32 + from, s->shape[0]);
        }
    }
    int64_t rows = d->shape[0] > s->shape[0] ? d->shape[0] : s->shape[0],
            quad = (rows + 31) / 32 * 32;
    return shuffle_start(is, SH_DST, quad) && shuffle_start(is, SH_SRC, quad);
}

static void nc_stream_shuffle_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, nkx_n_of(is, SH_DST));
}

typedef struct shuffle_job {
    nkx_access dst, src;
    uint8_t mask[32];
    int64_t n;
} shuffle_job;

/* All rows of a quadrant are read before one is written: dst may be src. */
static void run_shuffle(const void *arg)
{
    const shuffle_job *j = arg;
    int64_t row = j->n * j->src.elem_bytes;
    nkx_access tmp = {.dtype = j->src.dtype,
                      .elem_bytes = j->src.elem_bytes,
                      .ndim = 1,
                      .nparts = 128,
                      .pstep = row,
                      .n = j->n,
                      .dense = true};
    tmp.count[0] = j->n;
    tmp.step[0] = j->src.elem_bytes;
    tmp.base = nkx_alloc((size_t)(row * 128));
    for (uint32_t p = 0; p < j->src.nparts; p++) nkx_access_copy(&tmp, p, &j->src, p, 0, j->n);
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        uint8_t from = j->mask[p % 32];
        if (from != 255) nkx_access_copy(&j->dst, p, &tmp, p / 32 * 32 + from, 0, j->n);
    }
    free(tmp.base);
}

static bool nc_stream_shuffle_lower(nkx_issue *is, nkx_work *out)
{
    shuffle_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, SH_DST), &j->dst);
    nkx_view_access(nkx_tile(is, SH_SRC), &j->src);
    for (int i = 0; i < 32; i++) j->mask[i] = (uint8_t)nkx_arg_of(is, SH_MASK)->u.ints.at[i];
    j->n = nkx_min_n(j->dst.n, j->src.n);
    nkx_lower_job(is, out, run_shuffle, j, sizeof *j);
    return true;
}

const nkx_insn nkx_insn_nc_stream_shuffle = {
    .name = "nc_stream_shuffle",
    .engines = NKX_ENG_DVE,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Copies and fills",
    .params = nc_stream_shuffle_params,
    .check = nc_stream_shuffle_check,
    .lower = nc_stream_shuffle_lower,
    .cost = nc_stream_shuffle_cost,
    .flags = NKX_ROW_OVERLAP_OK | NKX_ROW_OVERLAP_OWN,
    .brief = "In each quadrant of 32 partitions, row i of dst becomes row shuffle_mask[i] of src.",
    .doc = "Types are equal and bits are copied. Partition counts may differ: one source row with "
           "mask [0]*32 is a broadcast "
           "over 32 partitions. Entry 255 leaves the row of dst as it is; entries for rows that "
           "dst lacks are ignored; a used "
           "entry must name a row that src has. dst may be src.",
    .example = NKX_EXAMPLE(
        NKX_EX_TILE("a", "(32, 64)", "float32",
                    "1.0") "    nisa.memset(dst=a[0:1], value=5.0)\n"
                           "    nisa.nc_stream_shuffle(dst=a, src=a[0:1], shuffle_mask=[0] * "
                           "32)\n" NKX_EX_STORE("a", "(32, 64)", "float32")),
    .cost_doc = "max(64, N)",
};
