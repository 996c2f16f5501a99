/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DMA: dma_copy and what its relatives share (isa.md 4.10.1). Layer isa. Elements go in view order
 * from one pattern to the other, converted when the types differ; gathered and scattered rows have
 * offsets read from their index when the instruction is issued.
 */
#include "interp/isa/dma.h"
#include "interp/isa/example.h"

#include <stdlib.h>
#include <string.h>

/* ---- streams ---- */

int64_t nkx_stream_rows(const nkx_view *v)
{
    return v->indirect == NKX_IND_VECTOR ? v->shape[0] : 0;
}

static bool row_fault(nkx_issue *is, int arg, const nkx_view *v, int64_t index)
{
    return nkx_isa_fault(is, NKX_E512, arg,
                         "Dynamic indices are checked when the instruction runs. oob_mode.skip "
                         "drops such rows instead.",
                         "index %lld is out of bounds for axis 0 with size %lld", (long long)index,
                         (long long)v->ind_extent);
}

bool nkx_stream_lower(nkx_issue *is, int arg, const nkx_view *v, bool skip, nkx_stream *s,
                      int64_t *offs, int64_t *n_offs)
{
    s->rows = nkx_stream_rows(v);
    nkx_view_access_flat(v, s->rows > 0 ? 1 : 0, &s->a);
    s->row_len = s->a.n;
    s->first = *n_offs;
    if (s->rows == 0) return true;
    int64_t unit = v->ind_stride * nkx_dtype_bytes((nkx_dtype)v->dtype) * nkx_host_scale(v->core);
    if (nkx_index_written(v->index)) nkx_view_rows(v, offs + *n_offs, s->rows);
    for (int64_t r = 0; r < s->rows; r++) {
        int64_t index = offs[*n_offs + r];
        bool out = index < 0 || index >= v->ind_extent;
        if (out && !skip && !row_fault(is, arg, v, index)) return false;
        offs[*n_offs + r] = out ? NKX_ROW_SKIPPED : index * unit;
    }
    *n_offs += s->rows;
    return true;
}

bool nkx_stream_row(const nkx_stream *s, const int64_t *offs, int64_t r, nkx_access *out)
{
    int64_t off = offs[s->first + r];
    if (off == NKX_ROW_SKIPPED) return false;
    *out = s->a;
    out->base += off;
    return true;
}

/* ---- shared checks and costs ---- */

bool nkx_stream_check(nkx_issue *is, int arg, const nkx_view *v)
{
    if (v->indirect != NKX_IND_VECTOR || v->shape[0] <= nkx_view_size(v->index)) return true;
    nkx_isa_fault(is, NKX_E560, arg, "Give one index for each row.",
                  "%lld rows from an index of %lld elements", (long long)v->shape[0],
                  (long long)nkx_view_size(v->index));
    return false; /* there is nothing to read */
}

bool nkx_dma_priority_ok(nkx_issue *is, int i)
{
    if (!nkx_has(is, i)) return true;
    int64_t p = nkx_int_of(is, i);
    if (p < 0 || p > 3) {
        return nkx_isa_fault(is, NKX_E554, i, "Priorities are 0 (high) to 3.", "priority %lld",
                             (long long)p);
    }
    return nkx_gen(is) >= 4 || nkx_isa_fault(is, NKX_E555, i, "It has no effect before gen4.",
                                             "priority %lld on gen%d", (long long)p, nkx_gen(is));
}

static const char *mode_name(int mode)
{
    static const char *const names[] = {"unknown", "swdge", "hwdge", "none"};
    return mode >= 0 && mode < 4 ? names[mode] : "?";
}

bool nkx_dma_mode_ok(nkx_issue *is, int i, unsigned allowed, const char *why)
{
    int mode = nkx_enum_of(is, i);
    if (mode == NKX_DGE_HWDGE && nkx_gen(is) < 3) {
        return nkx_isa_fault(is, NKX_E501, i, "Leave dge_mode out, or run with --target trn2.",
                             "dge_mode.hwdge needs gen3, the target is gen%d", nkx_gen(is));
    }
    if (allowed >> mode & 1u) return true;
    return nkx_isa_fault(is, NKX_E556, i, why, "dge_mode.%s is not possible here", mode_name(mode));
}

bool nkx_dma_skip(const nkx_issue *is, int oob)
{
    return nkx_enum_of(is, oob) == NKX_OOB_SKIP;
}

/* Elements that lie in one run from the innermost dim outwards; on chip inside a partition. */
static int64_t run_elems(const nkx_view *v)
{
    int64_t run = 1;
    for (int d = v->ndim - 1; d >= (nkx_view_on_chip(v) ? 1 : 0); d--) {
        if (v->shape[d] == 1) continue;
        if (v->stride[d] != run || (d == 0 && v->indirect == NKX_IND_VECTOR)) break;
        run *= v->shape[d];
    }
    return run;
}

void nkx_dma_cost(const nkx_view *dst, const nkx_view *src, int mode, nkx_cost *out)
{
    static const uint8_t triggers[] = {NKX_DMA_AUTO, NKX_DMA_SWDGE, NKX_DMA_HWDGE, NKX_DMA_STATIC};
    const nkx_view *chip = nkx_view_on_chip(dst) ? dst : nkx_view_on_chip(src) ? src : NULL;
    int64_t a = run_elems(dst), b = run_elems(src), run = a < b ? a : b, n = nkx_view_size(src);
    out->cls = NKX_COST_DMA;
    out->trigger = triggers[mode & 3];
    if (src->indirect == NKX_IND_VECTOR || dst->indirect == NKX_IND_VECTOR) {
        out->trigger = NKX_DMA_SWDGE;
    }
    out->bytes = n * nkx_dtype_bytes((nkx_dtype)src->dtype);
    out->run_bytes = run * nkx_dtype_bytes((nkx_dtype)src->dtype);
    out->rows = n / run;
    out->dma_cast = src->dtype != dst->dtype;
    out->from_hbm = !nkx_view_on_chip(src);
    out->to_hbm = !nkx_view_on_chip(dst);
    if (chip != NULL) {
        out->part0 = (uint32_t)nkx_start_partition(chip);
        out->nparts = (uint32_t)chip->shape[0];
    }
}

/* ---- dma_copy ---- */

enum { DC_DST, DC_SRC, DC_PRIO, DC_OOB, DC_DGE, DC_ENGINE };

#define DMA_SPACES (NKX_IN_SBUF | NKX_IN_HBM)

static const nkx_isa_param dma_copy_params[] = {
    P_DST(.spaces = DMA_SPACES, .flags = NKX_PF_VECTOR | NKX_PF_ANYPART, .dtypes = NKX_DTS_ALL,
          .doc = "where to: HBM or SBUF"),
    P_IN("src", .spaces = DMA_SPACES, .flags = NKX_PF_VECTOR | NKX_PF_ANYPART,
         .dtypes = NKX_DTS_ALL, .doc = "where from: HBM or SBUF"),
    P_OPT("priority", NKX_ACCEPT(NKX_ARG_INT), .doc = "0 (high) to 3, gen4"),
    P_ENUM("oob_mode", NKX_ENUM_OOB_MODE, NKX_OOB_ERROR, "oob_mode.error",
           .doc = "what a dynamic index out of bounds does: error, or skip its transfer"),
    P_ENUM("dge_mode", NKX_ENUM_DGE_MODE, NKX_DGE_UNKNOWN, "dge_mode.unknown",
           .doc = "who makes the descriptors: none (static), swdge, hwdge (gen3 on), unknown"),
    P_ENUM("engine", NKX_ENUM_ENGINE, NKX_ENGINE_UNKNOWN, "engine.unknown",
           .doc = "triggering engine, sync or scalar; with hwdge only"),
    P_END,
};

static bool is_gather(const nkx_issue *is)
{
    return nkx_tile(is, DC_DST)->indirect == NKX_IND_VECTOR ||
           nkx_tile(is, DC_SRC)->indirect == NKX_IND_VECTOR;
}

static bool is_dynamic(const nkx_issue *is)
{
    return nkx_tile(is, DC_DST)->indirect != NKX_IND_NONE ||
           nkx_tile(is, DC_SRC)->indirect != NKX_IND_NONE;
}

static bool check_mode(nkx_issue *is)
{
    unsigned all =
        1u << NKX_DGE_UNKNOWN | 1u << NKX_DGE_SWDGE | 1u << NKX_DGE_HWDGE | 1u << NKX_DGE_NONE;
    if (is_gather(is)) {
        return nkx_dma_mode_ok(
            is, DC_DGE, 1u << NKX_DGE_UNKNOWN | 1u << NKX_DGE_SWDGE,
            "Gathers and scatters need software descriptors: dge_mode swdge or unknown.");
    }
    if (is_dynamic(is)) {
        return nkx_dma_mode_ok(
            is, DC_DGE, all & ~(1u << NKX_DGE_NONE),
            "Dynamic addresses have no static descriptors: use unknown, swdge or hwdge.");
    }
    return nkx_dma_mode_ok(is, DC_DGE, all, "");
}

static bool check_trigger(nkx_issue *is)
{
    int e = nkx_enum_of(is, DC_ENGINE);
    if (e == NKX_ENGINE_UNKNOWN) return true;
    bool known = e == NKX_ENGINE_SYNC || e == NKX_ENGINE_SCALAR;
    if (known && nkx_enum_of(is, DC_DGE) == NKX_DGE_HWDGE) return true;
    return nkx_isa_fault(
        is, NKX_E557, DC_ENGINE, "Name engine.sync or engine.scalar, together with dge_mode.hwdge.",
        known ? "engine without dge_mode.hwdge" : "an engine that cannot trigger a DMA");
}

static bool check_copy_types(nkx_issue *is)
{
    nkx_dtype d = (nkx_dtype)nkx_tile(is, DC_DST)->dtype,
              s = (nkx_dtype)nkx_tile(is, DC_SRC)->dtype;
    if (d == s) return true;
    if (!(NKX_DTS_PLAIN >> d & NKX_DTS_PLAIN >> s & 1u)) {
        nkx_isa_fault(
            is, NKX_E328, DC_DST,
            "Packed types and scales are moved as they are: use the same type, or a view of it.",
            "dst is %s, src is %s", nkx_dtypes[d].name, nkx_dtypes[s].name);
        return false;
    }
    return nkx_enum_of(is, DC_DGE) != NKX_DGE_HWDGE ||
           nkx_isa_fault(is, NKX_E558, DC_DGE,
                         "Hardware descriptors move bytes: use equal types, or leave dge_mode out.",
                         "hwdge with dst %s and src %s", nkx_dtypes[d].name, nkx_dtypes[s].name);
}

static bool dma_copy_check(nkx_issue *is)
{
    int64_t d = nkx_view_size(nkx_tile(is, DC_DST)), s = nkx_view_size(nkx_tile(is, DC_SRC));
    if (d != s) {
        (void)nkx_isa_fault(
            is, NKX_E559, DC_SRC,
            "A copy moves as many elements as it finds places for: slice the larger "
            "side. Shapes may differ.",
            "dst has %lld elements, src has %lld", (long long)d, (long long)s);
        return false;
    }
    if (!nkx_stream_check(is, DC_DST, nkx_tile(is, DC_DST)) ||
        !nkx_stream_check(is, DC_SRC, nkx_tile(is, DC_SRC))) {
        return false;
    }
    return check_copy_types(is) && check_mode(is) && check_trigger(is) &&
           nkx_dma_priority_ok(is, DC_PRIO);
}

static void dma_copy_cost(const nkx_issue *is, nkx_cost *out)
{
    int e = nkx_enum_of(is, DC_ENGINE);
    nkx_dma_cost(nkx_tile(is, DC_DST), nkx_tile(is, DC_SRC), nkx_enum_of(is, DC_DGE), out);
    if (e == NKX_ENGINE_SYNC) out->queue_engine = NKX_SP;
    if (e == NKX_ENGINE_SCALAR) out->queue_engine = NKX_ACT;
    if (nkx_has(is, DC_PRIO)) out->priority = (uint8_t)nkx_int_of(is, DC_PRIO);
}

typedef struct copy_job {
    nkx_stream dst, src;
    bool staged;
    int64_t offs[]; /* of gathered rows */
} copy_job;

static void run_rows(const copy_job *j)
{
    const nkx_stream *by = j->src.rows > 0 ? &j->src : &j->dst;
    for (int64_t r = 0; r < by->rows; r++) {
        nkx_access d = j->dst.a, s = j->src.a;
        bool there = true;
        int64_t dfirst = r * by->row_len, sfirst = dfirst;
        if (j->src.rows > 0) {
            there = nkx_stream_row(&j->src, j->offs, r, &s);
            sfirst = 0;
        }
        if (j->dst.rows > 0) {
            there = nkx_stream_row(&j->dst, j->offs, r, &d) && there;
            dfirst = 0;
        }
        if (there) nkx_access_move_at(&d, dfirst, &s, sfirst, by->row_len);
    }
}

/* Source and destination share bytes: everything is read first. */
static void run_copy_staged(const copy_job *j)
{
    const nkx_access *s = &j->src.a;
    nkx_access tmp = {.dtype = s->dtype,
                      .elem_bytes = s->elem_bytes,
                      .ndim = 1,
                      .nparts = 1,
                      .n = s->n,
                      .dense = true};
    tmp.count[0] = s->n;
    tmp.step[0] = s->elem_bytes;
    tmp.base = nkx_alloc((size_t)(s->n * s->elem_bytes));
    nkx_access_move(&tmp, s);
    nkx_access_move(&j->dst.a, &tmp);
    free(tmp.base);
}

static void run_dma_copy(const void *arg)
{
    const copy_job *j = arg;
    if (j->src.rows > 0 || j->dst.rows > 0) {
        run_rows(j);
    } else if (j->staged) {
        run_copy_staged(j);
    } else {
        nkx_access_move(&j->dst.a, &j->src.a);
    }
}

static bool dma_copy_lower(nkx_issue *is, nkx_work *out)
{
    const nkx_view *d = nkx_tile(is, DC_DST), *s = nkx_tile(is, DC_SRC);
    int64_t rows = nkx_stream_rows(d) + nkx_stream_rows(s), used = 0;
    size_t bytes = sizeof(copy_job) + (size_t)rows * sizeof(int64_t);
    copy_job *j = nkx_job_new(is, bytes);
    if (rows > 0) nkx_core_flush(is->core);
    if (!nkx_stream_lower(is, DC_DST, d, nkx_dma_skip(is, DC_OOB), &j->dst, j->offs, &used)) {
        return false;
    }
    if (!nkx_stream_lower(is, DC_SRC, s, nkx_dma_skip(is, DC_OOB), &j->src, j->offs, &used)) {
        return false;
    }
    j->staged = is->overlap;
    nkx_lower_job(is, out, run_dma_copy, j, bytes);
    return true;
}

const nkx_insn nkx_insn_dma_copy = {
    .name = "dma_copy",
    .engines = NKX_ENG_DMA,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "DMA",
    .params = dma_copy_params,
    .check = dma_copy_check,
    .lower = dma_copy_lower,
    .cost = dma_copy_cost,
    .flags = NKX_ROW_OVERLAP_OWN,
    .brief = "Copies between HBM and SBUF in either direction, and inside each.",
    .doc = "Element k of src in view order goes to element k of dst; counts must agree, shapes "
           "need not. Different types are converted "
           "through fp32, but not with hwdge, which moves bytes. PSUM is out of reach. An SBUF "
           "side may start at any partition. "
           "A vector_offset or vector_select view gathers (src) or scatters (dst) rows and needs "
           "swdge; several rows scattered to one "
           "place land in no stated order (here: the last one stays). oob_mode.error reports an "
           "index outside of the tensor when the "
           "instruction runs; skip drops that row and leaves dst as it is; a negative index counts "
           "as outside. Numbers given for "
           "dge_mode are read by the current table, with a warning (reading 36). priority with "
           "static descriptors is let pass (reading 30).",
    .example = NKX_EXAMPLE(NKX_EX_TILE(
        "a", "(128, 512)", "float32",
        "1.0") "    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)\n"
               "    nisa.dma_copy(dst=out, src=a)\n    return out\n"),
    .cost_doc = "trigger and start latency, then bytes over 16 engines (partition p on engine p / "
                "8), packets of contiguous runs; see docs/machine.md",
};
