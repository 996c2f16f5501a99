/* SPDX-License-Identifier: Apache-2.0 */
/* DMA that does more than copy: dma_transpose and dma_compute (isa.md 4.10.2, 4.10.3). Layer isa.
 */
#include "interp/isa/dma.h"
#include "interp/isa/example.h"
#include "interp/isa/lanes.h"

#include <string.h>

/* ---- dma_transpose ---- */

enum { DT_DST, DT_SRC, DT_AXES, DT_PRIO, DT_DGE, DT_OOB };

static const nkx_isa_param dma_transpose_params[] = {
    P_DST(.spaces = NKX_IN_SBUF, .flags = NKX_PF_ANYPART, .dtypes = NKX_DTS_ALL,
          .doc = "transposed tile in SBUF"),
    P_IN("src", .spaces = NKX_IN_SBUF | NKX_IN_HBM, .flags = NKX_PF_VECTOR | NKX_PF_ANYPART,
         .dtypes = NKX_DTS_ALL, .doc = "2 to 4 dimensions, HBM or SBUF"),
    P_OPT("axes", NKX_ACCEPT(NKX_ARG_INTS), .doc = "(1, 0), (2, 1, 0) or (3, 1, 2, 0) by rank"),
    P_OPT("priority", NKX_ACCEPT(NKX_ARG_INT), .doc = "0 (high) to 3, gen4"),
    P_ENUM("dge_mode", NKX_ENUM_DGE_MODE, NKX_DGE_UNKNOWN, "dge_mode.unknown",
           .doc = "none, unknown or hwdge; with an indirect src unknown or swdge"),
    P_ENUM("oob_mode", NKX_ENUM_OOB_MODE, NKX_OOB_ERROR, "oob_mode.error",
           .doc = "skip leaves the columns of rows out of bounds as they are; indirect src only"),
    P_END,
};

static const int axes_of[3][4] = {
    {1,  0},
    { 2,  1,  0},
    { 3, 1,  2, 0}
};

static bool check_axes(nkx_issue *is)
{
    const nkx_view *d = nkx_tile(is, DT_DST), *s = nkx_tile(is, DT_SRC);
    const nkx_arg *a = nkx_arg_of(is, DT_AXES);
    if (s->ndim < 2 || s->ndim > 4 || d->ndim != s->ndim) {
        nkx_isa_fault(is, NKX_E561, DT_SRC, "dst and src have the same rank, 2 to 4.",
                      "src has %d dimensions, dst %d", s->ndim, d->ndim);
        return false;
    }
    const int *axes = axes_of[s->ndim - 2];
    for (int i = 0; a->kind == NKX_ARG_INTS && i < s->ndim; i++) {
        if (a->u.ints.n == s->ndim && a->u.ints.at[i] == axes[i]) continue;
        nkx_isa_fault(is, NKX_E561, DT_AXES,
                      "Axes are (1, 0), (2, 1, 0) or (3, 1, 2, 0); no other order exists.",
                      "axes are not those of rank %d", s->ndim);
        return false;
    }
    for (int i = 0; i < s->ndim; i++) {
        if (d->shape[i] == s->shape[axes[i]]) continue;
        nkx_isa_fault(is, NKX_E561, DT_DST,
                      "dst.shape[i] is src.shape[axes[i]] for every dimension.",
                      "dst has %lld elements in dimension %d, src %lld in dimension %d",
                      (long long)d->shape[i], i, (long long)s->shape[axes[i]], axes[i]);
        return false;
    }
    return true;
}

static bool form_fault(nkx_issue *is, int arg, const char *what, int64_t found)
{
    return nkx_isa_fault(is, NKX_E562, arg,
                         "hwdge and indirect transposes take 2-byte types with a last dimension up "
                         "to 128; hwdge takes 16 rows in "
                         "2-D, in 3-D and 4-D 1 to 16 rows (a power of two) with rows times the "
                         "second last dimension a multiple "
                         "of 16; an indirect src takes rows in multiples of 16.",
                         "%s %lld", what, (long long)found);
}

static bool check_narrow(nkx_issue *is)
{
    const nkx_view *s = nkx_tile(is, DT_SRC);
    int64_t bytes = nkx_dtype_bytes((nkx_dtype)s->dtype), last = s->shape[s->ndim - 1];
    if (bytes != 2 && !form_fault(is, DT_SRC, "element bytes", bytes)) return false;
    return last <= 128 || form_fault(is, DT_SRC, "last dimension", last);
}

static bool check_hwdge(nkx_issue *is)
{
    const nkx_view *s = nkx_tile(is, DT_SRC);
    int64_t rows = s->shape[0];
    if (!check_narrow(is)) return false;
    if ((rows != 16 || s->shape[s->ndim - 1] != 128) &&
        !nkx_check_since(is, DT_SRC, 6, "hwdge with other than 16 rows or columns below 128")) {
        return false;
    }
    if (s->ndim == 2) return rows == 16 || form_fault(is, DT_SRC, "rows", rows);
    if ((rows < 1 || rows > 16 || (rows & (rows - 1)) != 0) &&
        !form_fault(is, DT_SRC, "rows", rows)) {
        return false;
    }
    int64_t product = rows * s->shape[s->ndim - 2];
    return product % 16 == 0 || form_fault(is, DT_SRC, "rows times second last dimension", product);
}

static bool check_gathered(nkx_issue *is)
{
    const nkx_view *s = nkx_tile(is, DT_SRC), *ix = s->index;
    int64_t n = ix->shape[0];
    if (nkx_gen(is) < 3 &&
        !nkx_isa_fault(is, NKX_E501, DT_SRC, "It came with gen3: run with --target trn2.",
                       "an indirect dma_transpose needs gen3, the target is gen%d", nkx_gen(is))) {
        return false;
    }
    if (!nkx_dma_mode_ok(is, DT_DGE, 1u << NKX_DGE_UNKNOWN | 1u << NKX_DGE_SWDGE,
                         "With an indirect src: unknown or swdge.")) {
        return false;
    }
    if (!check_narrow(is)) return false;
    if (s->shape[s->ndim - 1] != 128 &&
        !nkx_check_since(is, DT_SRC, 4, "an indirect src with a last dimension below 128")) {
        return false;
    }
    if (s->shape[0] % 16 != 0 && !form_fault(is, DT_SRC, "rows", s->shape[0])) return false;
    if (s->ndim == 4 && s->shape[1] != 1 && s->shape[2] != 1 &&
        !form_fault(is, DT_SRC, "dimensions 1 and 2 hold more than one element:", s->shape[1])) {
        return false;
    }
    bool rows_ok = n >= 16 && n <= 128 && n % 16 == 0 && (nkx_view_free_size(ix) == 1 || n == 128);
    if ((ix->dtype != NKX_DT_UINT32 || !rows_ok) &&
        !nkx_isa_fault(is, NKX_E563, DT_SRC,
                       "The index is uint32 in SBUF with 16 to 128 rows in steps of 16, exactly "
                       "128 when it has several columns.",
                       "index is %s",
                       nkx_type_text(is->core, ix->ndim, ix->shape, (nkx_dtype)ix->dtype))) {
        return false;
    }
    return nkx_stream_check(is, DT_SRC, s);
}

static bool dma_transpose_check(nkx_issue *is)
{
    const nkx_view *s = nkx_tile(is, DT_SRC);
    if (!check_axes(is) || !nkx_check_same_dtype(is, DT_DST, DT_SRC) ||
        !nkx_dma_priority_ok(is, DT_PRIO)) {
        return false;
    }
    if (s->indirect == NKX_IND_VECTOR) return check_gathered(is);
    if (nkx_dma_skip(is, DT_OOB) && s->indirect == NKX_IND_NONE &&
        !nkx_isa_fault(is, NKX_E564, DT_OOB, "Static addresses are checked before the run.",
                       "oob_mode.skip without an indirect operand")) {
        return false;
    }
    if (nkx_dma_skip(is, DT_OOB) &&
        !nkx_check_since(is, DT_OOB, 5, "oob_mode.skip with a scalar offset")) {
        return false;
    }
    if (!nkx_dma_mode_ok(is, DT_DGE,
                         1u << NKX_DGE_UNKNOWN | 1u << NKX_DGE_NONE | 1u << NKX_DGE_HWDGE,
                         "A direct transpose takes none, unknown or hwdge (reading 28).")) {
        return false;
    }
    if (nkx_enum_of(is, DT_DGE) == NKX_DGE_HWDGE) return check_hwdge(is);
    int64_t bytes = nkx_dtype_bytes((nkx_dtype)s->dtype);
    return bytes == 2 || bytes == 4 || form_fault(is, DT_SRC, "element bytes", bytes);
}

static void dma_transpose_cost(const nkx_issue *is, nkx_cost *out)
{
    const nkx_view *d = nkx_tile(is, DT_DST);
    nkx_dma_cost(d, nkx_tile(is, DT_SRC), nkx_enum_of(is, DT_DGE), out);
    out->dma_transpose = true;
    out->run_bytes =
        nkx_view_free_size(d) * nkx_dtype_bytes((nkx_dtype)d->dtype); /* a row of the result */
    out->rows = d->shape[0];
    out->dma_cast = false;
    if (nkx_has(is, DT_PRIO)) out->priority = (uint8_t)nkx_int_of(is, DT_PRIO);
}

typedef struct turn_job {
    nkx_stream src; /* plain: dims in the order of dst; gathered: of one row */
    nkx_access dst; /* plain: all; gathered: without its last dim */
    int64_t last_step;
    int64_t offs[];
} turn_job;

static void run_dma_transpose(const void *arg)
{
    const turn_job *j = arg;
    if (j->src.rows == 0) {
        nkx_access_move(&j->dst, &j->src.a);
        return;
    }
    for (int64_t r = 0; r < j->src.rows; r++) {
        nkx_access s, d = j->dst;
        if (!nkx_stream_row(&j->src, j->offs, r, &s)) continue;
        d.base += r * j->last_step;
        nkx_access_move(&d, &s);
    }
}

static bool dma_transpose_lower(nkx_issue *is, nkx_work *out)
{
    static const int plain[4] = {0, 1, 2, 3};
    const nkx_view *d = nkx_tile(is, DT_DST), *s = nkx_tile(is, DT_SRC);
    const int *axes = axes_of[s->ndim - 2];
    int64_t rows = nkx_stream_rows(s), used = 0;
    size_t bytes = sizeof(turn_job) + (size_t)rows * sizeof(int64_t);
    turn_job *j = nkx_job_new(is, bytes);
    if (rows == 0) {
        nkx_view_access_order(d, plain, d->ndim, &j->dst);
        nkx_view_access_order(s, axes, s->ndim, &j->src.a);
    } else {
        nkx_core_flush(is->core);
        if (!nkx_stream_lower(is, DT_SRC, s, nkx_dma_skip(is, DT_OOB), &j->src, j->offs, &used)) {
            return false;
        }
        nkx_view_access_order(d, plain, d->ndim - 1, &j->dst);
        nkx_view_access_order(s, axes, s->ndim - 1, &j->src.a);
        j->last_step = d->stride[d->ndim - 1] * nkx_dtype_bytes((nkx_dtype)d->dtype) *
                       nkx_host_scale(is->core);
    }
    nkx_lower_job(is, out, run_dma_transpose, j, bytes);
    return true;
}

const nkx_insn nkx_insn_dma_transpose = {
    .name = "dma_transpose",
    .engines = NKX_ENG_DMA,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "DMA",
    .params = dma_transpose_params,
    .check = dma_transpose_check,
    .lower = dma_transpose_lower,
    .cost = dma_transpose_cost,
    .flags = NKX_ROW_OVERLAP_OWN,
    .brief = "Transposes while copying into SBUF: dst.shape[i] = src.shape[axes[i]].",
    .doc = "axes follow from the rank: (1, 0), (2, 1, 0) or (3, 1, 2, 0). Bits are copied, types "
           "are equal: 2 or 4 bytes, 2 bytes with "
           "hwdge or an indirect src (readings 27 and 29). A direct transpose takes dge_mode none, "
           "unknown or hwdge (reading 28). An "
           "indirect src (vector_offset) gathers rows of HBM in column-major order of its index; "
           "oob_mode.skip leaves the columns of "
           "rows that do not exist as they are.",
    .example = NKX_EXAMPLE(NKX_EX_TILE(
        "a", "(128, 64)", "bfloat16",
        "1.0") "    h = nl.ndarray((128, 64), dtype=nl.bfloat16, buffer=nl.private_hbm)\n"
               "    nisa.dma_copy(dst=h, src=a)\n"
               "    b = nl.ndarray((64, 128), dtype=nl.bfloat16, buffer=nl.sbuf)\n"
               "    nisa.dma_transpose(dst=b, src=h)\n" NKX_EX_STORE("b", "(64, 128)", "bfloat16")),
    .cost_doc = "as dma_copy at 0.9 (from HBM) or 0.5 (inside SBUF) of its rate",
};

/* ---- dma_compute ---- */

enum { DP_DST, DP_SRCS, DP_OP, DP_SCALES, DP_UNIQUE, DP_OOB };

#define MAX_SOURCES 16

static const nkx_isa_param dma_compute_params[] = {
    P_DST(.spaces = NKX_IN_SBUF | NKX_IN_HBM, .flags = NKX_PF_VECTOR | NKX_PF_ANYPART,
          .doc = "result; may be one of the sources"),
    P_ROW(.name = "srcs", .accept = NKX_ACCEPT(NKX_ARG_VIEWS), .dir = NKX_DIR_IN, .required = true,
          .spaces = NKX_IN_SBUF | NKX_IN_HBM, .flags = NKX_PF_VECTOR | NKX_PF_ANYPART,
          .doc = "1 to 16 tensors"),
    P_OP("reduce_op", .doc = "add"),
    P_OPT("scales", NKX_ACCEPT(NKX_ARG_FLOATS) | NKX_ACCEPT(NKX_ARG_INTS),
          .doc = "None, or 1.0 for each source"),
    P_ROW(.name = "unique_indices", .accept = NKX_ACCEPT(NKX_ARG_BOOL), .dflt = "True",
          .dv = {.kind = NKX_ARG_BOOL, .u.b = true}, .doc = "must be True with gathered rows"),
    P_ENUM("oob_mode", NKX_ENUM_OOB_MODE, NKX_OOB_ERROR, "oob_mode.error",
           .doc = "skip drops rows out of bounds; with gathered rows only"),
    P_END,
};

static bool check_scales(nkx_issue *is)
{
    const nkx_arg *a = nkx_arg_of(is, DP_SCALES);
    bool ones = true;
    int n = a->kind == NKX_ARG_FLOATS ? a->u.floats.n : a->kind == NKX_ARG_INTS ? a->u.ints.n : 0;
    for (int i = 0; i < n; i++) {
        ones = ones &&
               (a->kind == NKX_ARG_FLOATS ? a->u.floats.at[i] : (double)a->u.ints.at[i]) == 1.0;
    }
    return ones || nkx_isa_fault(is, NKX_E565, DP_SCALES,
                                 "Only 1.0 is available: scale with another instruction.",
                                 "a scale other than 1.0");
}

static bool source_fault(nkx_issue *is, const nkx_view *v)
{
    nkx_isa_fault(is, NKX_E505, DP_SRCS, "DMA does not reach PSUM: copy the tile to SBUF first.",
                  "a source is in %s, out of reach of the dma engine",
                  nkx_space_name((nkx_space)v->st->space));
    return false;
}

static bool check_sources(nkx_issue *is, int *gathered)
{
    const nkx_arg *a = nkx_arg_of(is, DP_SRCS);
    int64_t n = nkx_view_size(nkx_tile(is, DP_DST));
    if (a->u.views.n < 1 || a->u.views.n > MAX_SOURCES) {
        nkx_isa_fault(is, NKX_E565, DP_SRCS, "Give 1 to 16 sources.", "%d sources", a->u.views.n);
        return false;
    }
    for (int i = 0; i < a->u.views.n; i++) {
        const nkx_view *v = a->u.views.at[i];
        if (!nkx_view_in_bounds(v, nkx_span_of(is, DP_SRCS))) return false;
        *gathered += v->indirect == NKX_IND_VECTOR;
        if (nkx_in_psum(v)) return source_fault(is, v);
        if (!(NKX_DTS_PLAIN >> v->dtype & 1u)) {
            return nkx_isa_fault(is, NKX_E327, DP_SRCS, "Packed types are not computed with.",
                                 "a source is %s", nkx_dtypes[v->dtype].name);
        }
        if (nkx_view_size(v) != n) {
            (void)nkx_isa_fault(is, NKX_E559, DP_SRCS, "All sources have as many elements as dst.",
                                "dst has %lld elements, source %d has %lld", (long long)n, i,
                                (long long)nkx_view_size(v));
            return false;
        }
        if (!nkx_stream_check(is, DP_SRCS, v)) return false;
    }
    return true;
}

static bool dma_compute_check(nkx_issue *is)
{
    static const nkx_alu add[] = {NKX_ALU_ADD, NKX_N_ALU};
    bool scatter = nkx_tile(is, DP_DST)->indirect == NKX_IND_VECTOR;
    int gathered = 0;
    if (!nkx_check_op_in(is, DP_OP, add, "operator of dma_compute") || !check_scales(is) ||
        !check_sources(is, &gathered)) {
        return false;
    }
    if (!nkx_stream_check(is, DP_DST, nkx_tile(is, DP_DST))) return false;
    if (nkx_dma_skip(is, DP_OOB) && !nkx_check_since(is, DP_OOB, 4, "oob_mode of dma_compute")) {
        return false;
    }
    if (gathered == 0 && !scatter) {
        return !nkx_dma_skip(is, DP_OOB) ||
               nkx_isa_fault(is, NKX_E564, DP_OOB, "Static addresses are checked before the run.",
                             "oob_mode.skip without an indirect operand");
    }
    if (nkx_arg_of(is, DP_SRCS)->u.views.n != 2 &&
        !nkx_isa_fault(is, NKX_E566, DP_SRCS,
                       "Read, modify and write takes dst itself and one other source.",
                       "%d sources with gathered rows", nkx_arg_of(is, DP_SRCS)->u.views.n)) {
        return false;
    }
    return nkx_bool_of(is, DP_UNIQUE) ||
           nkx_isa_fault(is, NKX_E566, DP_UNIQUE, "Only distinct rows are supported.",
                         "unique_indices=False with gathered rows");
}

static void dma_compute_cost(const nkx_issue *is, nkx_cost *out)
{
    const nkx_arg *a = nkx_arg_of(is, DP_SRCS);
    nkx_dma_cost(nkx_tile(is, DP_DST), a->u.views.at[0], NKX_DGE_UNKNOWN, out);
    for (int i = 1; i < a->u.views.n; i++) {
        nkx_cost one = {0};
        nkx_dma_cost(nkx_tile(is, DP_DST), a->u.views.at[i], NKX_DGE_UNKNOWN, &one);
        out->bytes += one.bytes;
        out->rows += one.rows;
        out->from_hbm = out->from_hbm || one.from_hbm;
        if (one.trigger == NKX_DMA_SWDGE) out->trigger = NKX_DMA_SWDGE;
        if (one.run_bytes < out->run_bytes) out->run_bytes = one.run_bytes;
    }
    out->dma_accumulate = true;
}

typedef struct sum_job {
    nkx_stream dst, src[MAX_SOURCES];
    int n_src;
    int64_t n;
    int64_t offs[];
} sum_job;

/* Access and first element of a stream for elements i...; false when their row is skipped. */
static bool stream_at(const sum_job *j, const nkx_stream *s, int64_t row_len, int64_t i,
                      nkx_access *a, int64_t *first)
{
    *a = s->a;
    *first = i;
    if (s->rows == 0) return true;
    *first = i % row_len;
    return nkx_stream_row(s, j->offs, i / row_len, a);
}

static void sum_chunk(const sum_job *j, int64_t row_len, int64_t i, int64_t n)
{
    float acc[NKX_CHUNK], x[NKX_CHUNK];
    nkx_access a;
    int64_t first;
    for (int k = 0; k < j->n_src; k++) {
        if (!stream_at(j, &j->src[k], row_len, i, &a, &first)) return;
        nkx_access_load_f32(&a, 0, first, n, k == 0 ? acc : x);
        if (k > 0) nkx_alu_rows[NKX_ALU_ADD].binary(acc, acc, x, n);
    }
    if (stream_at(j, &j->dst, row_len, i, &a, &first)) nkx_access_store_f32(&a, 0, first, n, acc);
}

static void run_dma_compute(const void *arg)
{
    const sum_job *j = arg;
    int64_t row_len = j->n;
    if (j->dst.rows > 0) row_len = j->dst.row_len;
    for (int k = 0; k < j->n_src; k++) {
        if (j->src[k].rows > 0) row_len = j->src[k].row_len;
    }
    for (int64_t i = 0; i < j->n;) {
        int64_t n = nkx_chunk(nkx_min_n(j->n - i, row_len - i % row_len));
        sum_chunk(j, row_len, i, n);
        i += n;
    }
}

static bool dma_compute_lower(nkx_issue *is, nkx_work *out)
{
    const nkx_arg *a = nkx_arg_of(is, DP_SRCS);
    bool skip = nkx_dma_skip(is, DP_OOB);
    int64_t rows = nkx_stream_rows(nkx_tile(is, DP_DST)), used = 0;
    for (int i = 0; i < a->u.views.n; i++) rows += nkx_stream_rows(a->u.views.at[i]);
    size_t bytes = sizeof(sum_job) + (size_t)rows * sizeof(int64_t);
    sum_job *j = nkx_job_new(is, bytes);
    if (rows > 0) nkx_core_flush(is->core);
    if (!nkx_stream_lower(is, DP_DST, nkx_tile(is, DP_DST), skip, &j->dst, j->offs, &used)) {
        return false;
    }
    for (int i = 0; i < a->u.views.n; i++) {
        if (!nkx_stream_lower(is, DP_SRCS, a->u.views.at[i], skip, &j->src[i], j->offs, &used)) {
            return false;
        }
    }
    j->n_src = a->u.views.n;
    j->n = nkx_view_size(nkx_tile(is, DP_DST));
    nkx_lower_job(is, out, run_dma_compute, j, bytes);
    return true;
}

const nkx_insn nkx_insn_dma_compute = {
    .name = "dma_compute",
    .engines = NKX_ENG_DMA,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "DMA",
    .params = dma_compute_params,
    .check = dma_compute_check,
    .lower = dma_compute_lower,
    .cost = dma_compute_cost,
    .flags = NKX_ROW_OVERLAP_OK | NKX_ROW_OVERLAP_OWN,
    .brief = "dst = sum of the sources, in fp32, rounded once.",
    .doc = "reduce_op is add and scales are 1.0. dst may be one of the sources. With vector_offset "
           "it reads, modifies and writes rows: "
           "scatter, dst[idx] += src, where dst is in HBM and stands among the sources with its "
           "index; gather, dst += src[idx]. "
           "Then there are exactly two sources and unique_indices is True. oob_mode.skip is for "
           "these forms.",
    .example = NKX_EXAMPLE(NKX_EX_TILE("a", "(128, 64)", "float32", "1.0") NKX_EX_TILE(
        "b", "(128, 64)", "float32", "2.0") "    nisa.dma_compute(dst=a, srcs=[a, b], "
                                            "reduce_op=nl.add)\n" NKX_EX_STORE("a", "(128, 64)",
                                                                               "float32")),
    .cost_doc = "as dma_copy of all sources at half the rate before gen4",
};
