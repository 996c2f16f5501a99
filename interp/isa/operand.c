/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that all instructions share, in the order of isa.md 4.0.2, driven by the columns of the
 * parameter lists. Layer isa. The common case must stay cheap: a check looks at the operands and
 * leaves; texts are made only when there is something to say.
 */
#include "interp/isa/row.h"

#include <stdarg.h>

static const char *const engine_names[] = {"tensor", "vector", "scalar", "gpsimd", "sync", "dma"};

static const char *engine_text(unsigned e)
{
    return e < NKX_N_ENGINES ? engine_names[e] : "unknown";
}

nkx_span nkx_span_of(const nkx_issue *is, int i)
{
    return i >= 0 && is->arg_span[i].source != 0 ? is->arg_span[i] : is->span;
}

bool nkx_isa_fault(const nkx_issue *is, nkx_code code, int i, const char *hint, const char *fmt,
                   ...)
{
    nkx_buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    nkx_buf_vprintf(&b, fmt, ap);
    va_end(ap);
    nkx_diag *g =
        nkx_diag_add(nkx_isa_diags(is), code, nkx_span_of(is, i), "%s: %s", is->row->name, b.at);
    nkx_buf_fini(&b);
    if (hint != NULL) nkx_diag_hint(nkx_isa_diags(is), g, "%s", hint);
    return !nkx_diag_stops(g);
}

double nkx_num_of(const nkx_issue *is, int i)
{
    const nkx_arg *a = &is->arg[i];
    if (a->kind == NKX_ARG_FLOAT) return a->u.f;
    if (a->kind == NKX_ARG_INT) return (double)a->u.i;
    if (a->kind == NKX_ARG_BOOL) return a->u.b;
    return 0;
}

int64_t nkx_int_of(const nkx_issue *is, int i)
{
    const nkx_arg *a = &is->arg[i];
    if (a->kind == NKX_ARG_INT) return a->u.i;
    if (a->kind == NKX_ARG_BOOL) return a->u.b;
    if (a->kind == NKX_ARG_REG) return a->u.reg->known ? a->u.reg->value : 0;
    if (a->kind == NKX_ARG_FLOAT) return (int64_t)a->u.f;
    return 0;
}

bool nkx_is_arith(nkx_alu op)
{
    return op < NKX_N_ALU && (nkx_alu_rows[op].flags & NKX_OPF_ARITH);
}

bool nkx_is_bits(nkx_alu op)
{
    return op < NKX_N_ALU && (nkx_alu_rows[op].flags & NKX_OPF_BITVEC);
}

/* ---- engines and operators ---- */

static nkx_engine engine_of_enum(int value)
{
    switch (value) {
    case NKX_ENGINE_TENSOR: return NKX_PE;
    case NKX_ENGINE_VECTOR: return NKX_DVE;
    case NKX_ENGINE_SCALAR: return NKX_ACT;
    case NKX_ENGINE_GPSIMD: return NKX_POOL;
    case NKX_ENGINE_SYNC: return NKX_SP;
    case NKX_ENGINE_DMA: return NKX_DMA;
    default: return NKX_N_ENGINES;
    }
}

bool nkx_pick_engine(nkx_issue *is, int i, nkx_engine fallback, unsigned allowed)
{
    nkx_engine e = engine_of_enum(nkx_enum_of(is, i));
    is->engine = (uint8_t)(e == NKX_N_ENGINES ? fallback : e);
    if (e == NKX_N_ENGINES || allowed >> e & 1u) return true;
    nkx_buf hint = {0};
    nkx_buf_str(&hint, "It runs on: ");
    for (unsigned k = 0, any = 0; k < NKX_N_ENGINES; k++) {
        if (allowed >> k & 1u) nkx_buf_printf(&hint, "%s%s", any++ ? ", " : "", engine_text(k));
    }
    nkx_buf_str(&hint, ". Leave engine out to let the compiler choose.");
    is->engine = (uint8_t)fallback;
    bool ok = nkx_isa_fault(is, NKX_E502, i, hint.at, "the %s engine cannot run this form on gen%d",
                            engine_text(e), nkx_gen(is));
    nkx_buf_fini(&hint);
    return ok;
}

bool nkx_check_op(nkx_issue *is, int i, unsigned flags, const char *what)
{
    nkx_alu op = nkx_op_of(is, i);
    const nkx_alu_row *r = &nkx_alu_rows[op < NKX_N_ALU ? op : 0];
    if (op == NKX_N_ALU) return nkx_isa_fault(is, NKX_E503, i, NULL, "no operator is given");
    if ((r->flags & flags) != flags || (r->flags & NKX_OPF_SIM_ONLY)) {
        return nkx_isa_fault(
            is, NKX_E503, i,
            "`nkx isa` lists which operators each instruction takes; some nl functions of the "
            "same name are compositions, not hardware operators.",
            "%s is no %s", r->name, what);
    }
    if (r->min_gen > nkx_gen(is)) {
        return nkx_isa_fault(
            is, NKX_E501, i, "Run with a newer --target, or compose it from older operators.",
            "operator %s needs gen%d, the target is gen%d", r->name, r->min_gen, nkx_gen(is));
    }
    return true;
}

bool nkx_check_op_in(nkx_issue *is, int i, const nkx_alu *list, const char *what)
{
    nkx_alu op = nkx_op_of(is, i);
    for (const nkx_alu *p = list; *p != NKX_N_ALU; p++) {
        if (*p == op) return true;
    }
    nkx_buf b = {0};
    nkx_buf_str(&b, "It takes: ");
    for (const nkx_alu *p = list; *p != NKX_N_ALU; p++) {
        nkx_buf_printf(&b, "%s%s", p == list ? "" : ", ", nkx_alu_rows[*p].name);
    }
    nkx_buf_char(&b, '.');
    bool ok = nkx_isa_fault(is, NKX_E503, i, b.at, "%s is no %s",
                            op < NKX_N_ALU ? nkx_alu_rows[op].name : "None", what);
    nkx_buf_fini(&b);
    return ok;
}

bool nkx_check_cmd(nkx_issue *is, int i, unsigned allowed)
{
    static const char *const names[] = {"idle", "reset", "reduce", "reset_reduce", "load_reduce"};
    int cmd = nkx_enum_of(is, i);
    if (cmd >= 0 && cmd <= 4 && (allowed >> cmd & 1u)) return true;
    return nkx_isa_fault(
        is, NKX_E504, i, "See the parameter's entry in `nkx isa` for the commands it takes.",
        "reduce_cmd.%s is not available here", cmd >= 0 && cmd <= 4 ? names[cmd] : "?");
}

/* ---- the common case ---- */

static bool operand_fine(const nkx_isa_param *p, const nkx_view *v, bool no_psum)
{
    unsigned spaces = p->spaces != 0 ? p->spaces : NKX_IN_SBUF | NKX_IN_PSUM;
    uint32_t dtypes = p->dtypes != 0 ? p->dtypes : NKX_DTS_PLAIN;
    if (no_psum) spaces &= ~NKX_IN_PSUM;
    if (p->flags & NKX_PF_FP32) dtypes &= DT(FP32);
    bool kinds = spaces >> v->st->space & dtypes >> v->dtype & 1u;
    return kinds && v->indirect == NKX_IND_NONE && (v->shape[0] <= 128 || !nkx_view_on_chip(v));
}

/* Operands that count must agree with those before them; 0: none yet. */
typedef struct counts {
    int64_t parts, elems;
} counts;

static bool agrees(int64_t *so_far, int64_t n)
{
    bool ok = *so_far == 0 || *so_far == n;
    *so_far = n;
    return ok;
}

static bool counts_fine(const nkx_isa_param *p, const nkx_view *v, counts *c)
{
    if ((p->flags & NKX_PF_LANES) && !agrees(&c->parts, v->shape[0])) return false;
    if (p->flags & NKX_PF_COLUMN) return nkx_view_free_size(v) == 1;
    return !(p->flags & NKX_PF_ELEMS) || agrees(&c->elems, nkx_view_free_size(v));
}

/*
 * One pass that says whether buffers, partitions, sizes and types are all in order. When it says
 * no, the checks below run one after the other and tell what is wrong first.
 */
bool nkx_operands_fine(const nkx_issue *is)
{
    const nkx_isa_param *p = is->row->params;
    bool no_psum = is->engine == NKX_POOL || is->engine == NKX_DMA;
    counts c = {0, 0};
    for (int i = 0; p[i].name != NULL; i++) {
        if (is->arg[i].kind != NKX_ARG_VIEW) continue;
        const nkx_view *v = is->arg[i].u.view;
        if (!operand_fine(&p[i], v, no_psum) || !counts_fine(&p[i], v, &c)) return false;
    }
    return true;
}

/* ---- 2. memories ---- */

static unsigned allowed_spaces(const nkx_issue *is, const nkx_isa_param *p)
{
    unsigned s = p->spaces != 0 ? p->spaces : NKX_IN_SBUF | NKX_IN_PSUM;
    if (is->engine == NKX_POOL) s &= ~NKX_IN_PSUM;
    if (is->engine == NKX_DMA) s &= ~NKX_IN_PSUM;
    return s;
}

static bool wrong_space(nkx_issue *is, int i, const nkx_view *v, unsigned allowed)
{
    bool psum = nkx_in_psum(v), hbm = !nkx_view_on_chip(v);
    const char *hint = "Copy it to SBUF first.";
    if (psum && is->engine == NKX_DMA) {
        hint = "DMA does not reach PSUM: copy the tile to SBUF with nisa.tensor_copy first.";
    } else if (psum && is->engine == NKX_POOL) {
        hint = "GpSimd does not reach PSUM: copy the tile to SBUF, or let another engine run it.";
    } else if (hbm) {
        hint = "Engines work on SBUF and PSUM: load the tensor with nisa.dma_copy first.";
    } else if (is->engine == NKX_PE) {
        hint = psum ? "PE reads SBUF: copy the tile to SBUF with nisa.tensor_copy first."
                    : "PE writes PSUM: allocate the tile with buffer=nl.psum.";
    } else if (allowed == NKX_IN_PSUM) {
        hint = "Allocate the tile with buffer=nl.psum.";
    }
    return nkx_isa_fault(is, NKX_E505, i, hint, "%s is in %s, out of reach of the %s engine",
                         is->row->params[i].name, nkx_space_name((nkx_space)v->st->space),
                         engine_text(is->engine));
}

/* Where an index and what it picks from begin (isa.md 3.7): known only of manually placed tiles. */
static bool tile_placed(nkx_issue *is, int i, const nkx_view *v)
{
    const nkx_view *ix = v->index;
    bool out = is->row->params[i].dir != NKX_DIR_IN;
    int64_t at = nkx_start_partition(ix), data = nkx_start_partition(v);
    if (is->engine == NKX_ACT && out && nkx_in_psum(v)) {
        return nkx_isa_fault(is, NKX_E579, i, "Scatter into SBUF, or let the vector engine do it.",
                             "%s is a scattered tile in psum on the scalar engine",
                             is->row->params[i].name);
    }
    if (!ix->st->manual) return true;
    if (at % 32 != 0) {
        return nkx_isa_fault(is, NKX_E579, i, "Place the index on a multiple of 32 partitions.",
                             "the index of %s starts at partition %lld", is->row->params[i].name,
                             (long long)at);
    }
    return out || !v->st->manual || at == data ||
           nkx_isa_fault(is, NKX_E579, i, "Place both on the same partition.",
                         "%s starts at partition %lld, its index at %lld", is->row->params[i].name,
                         (long long)data, (long long)at);
}

static bool indirect_ok(nkx_issue *is, int i, const nkx_view *v)
{
    const nkx_isa_param *p = &is->row->params[i];
    if (!nkx_view_in_bounds(v, nkx_span_of(is, i))) return false;
    if (v->indirect == NKX_IND_SCALAR) {
        is->dynamic = true;
        return true;
    }
    if (v->indirect == NKX_IND_TILE && (p->flags & NKX_PF_INDIRECT)) return tile_placed(is, i, v);
    if (v->indirect == NKX_IND_VECTOR && (p->flags & NKX_PF_VECTOR)) {
        is->dynamic = true;
        return true;
    }
    nkx_isa_fault(
        is, NKX_E322, i,
        v->indirect == NKX_IND_VECTOR
            ? "Gathered rows are operands of dma_copy, dma_transpose and dma_compute only."
            : "isa.md 3.7 lists which operands may be .indirect().",
        "%s cannot be an indirect view", p->name);
    return false;
}

bool nkx_check_buffers(nkx_issue *is)
{
    for (int i = 0; is->row->params[i].name != NULL; i++) {
        if (is->arg[i].kind != NKX_ARG_VIEW) continue;
        const nkx_view *v = is->arg[i].u.view;
        unsigned allowed = allowed_spaces(is, &is->row->params[i]);
        if (NKX_UNLIKELY(!(allowed >> v->st->space & 1u)) && !wrong_space(is, i, v, allowed)) {
            return false;
        }
        if (NKX_UNLIKELY(v->indirect != NKX_IND_NONE) && !indirect_ok(is, i, v)) return false;
    }
    return true;
}

/* ---- 3. partitions, 4. free sizes ---- */

static bool too_many_partitions(nkx_issue *is, int i, const nkx_view *v)
{
    return nkx_isa_fault(is, NKX_E506, i,
                         "A tile has at most 128 partitions (nl.tile_size.pmax): loop over tiles.",
                         "%s partition dimension %lld exceeds maximum 128", is->row->params[i].name,
                         (long long)v->shape[0]);
}

/* First operand that sets the count for the others: dst when it takes part. */
static int leader(const nkx_issue *is, unsigned flag)
{
    for (int i = 0; is->row->params[i].name != NULL; i++) {
        const nkx_isa_param *p = &is->row->params[i];
        if (is->arg[i].kind == NKX_ARG_VIEW && (p->flags & flag) && !(p->flags & NKX_PF_COLUMN)) {
            return i;
        }
    }
    return -1;
}

bool nkx_check_partitions(nkx_issue *is)
{
    int first = leader(is, NKX_PF_LANES);
    for (int i = 0; is->row->params[i].name != NULL; i++) {
        if (is->arg[i].kind != NKX_ARG_VIEW) continue;
        const nkx_isa_param *p = &is->row->params[i];
        const nkx_view *v = is->arg[i].u.view;
        if (!nkx_view_on_chip(v)) continue;
        if (NKX_UNLIKELY(v->shape[0] > 128) && !too_many_partitions(is, i, v)) return false;
        if (first < 0 || !(p->flags & NKX_PF_LANES) ||
            v->shape[0] == is->arg[first].u.view->shape[0]) {
            continue;
        }
        (void)nkx_isa_fault(
            is, NKX_E326, i,
            "Lane i of a source goes to lane i of the destination: slice the larger tile.",
            "%s has %lld partitions, %s has %lld", p->name, (long long)v->shape[0],
            is->row->params[first].name, (long long)is->arg[first].u.view->shape[0]);
        return false; /* allowed or not: there is nothing to compute with */
    }
    return true;
}

bool nkx_check_elements(nkx_issue *is)
{
    int first = -1;
    int64_t n = 0;
    for (int i = 0; is->row->params[i].name != NULL; i++) {
        if (is->arg[i].kind != NKX_ARG_VIEW) continue;
        const nkx_isa_param *p = &is->row->params[i];
        if (!(p->flags & (NKX_PF_ELEMS | NKX_PF_COLUMN))) continue;
        int64_t k = nkx_view_free_size(is->arg[i].u.view);
        if (p->flags & NKX_PF_COLUMN) {
            if (k == 1) continue;
            (void)nkx_isa_fault(is, NKX_E329, i,
                                "Its shape must be (P, 1): one element a partition.",
                                "%s has %lld elements per partition, not 1", p->name, (long long)k);
            return false;
        }
        if (first < 0) {
            first = i;
            n = k;
        }
        if (k == n) continue;
        (void)nkx_isa_fault(
            is, NKX_E312, i,
            "Counts must agree; shapes need not. Nothing is broadcast by itself: use "
            "broadcast() on a dimension of one element.",
            "%s has %lld elements per partition, %s has %lld", p->name, (long long)k,
            is->row->params[first].name, (long long)n);
        return false;
    }
    return true;
}

/* ---- 5. types ---- */

static bool wrong_dtype(nkx_issue *is, int i, nkx_dtype dt, uint32_t allowed)
{
    nkx_buf b = {0};
    nkx_buf_str(&b, "It takes: ");
    bool any = false;
    for (int t = 0; t < NKX_N_DTYPES; t++) {
        if (!(allowed >> t & 1u)) continue;
        nkx_buf_printf(&b, "%s%s", any ? ", " : "", nkx_dtypes[t].name);
        any = true;
    }
    nkx_buf_char(&b, '.');
    bool ok = nkx_isa_fault(is, NKX_E327, i, b.at, "%s is %s", is->row->params[i].name,
                            nkx_dtypes[dt].name);
    nkx_buf_fini(&b);
    return ok;
}

static bool widened(nkx_issue *is, int i, nkx_dtype dt)
{
    return nkx_isa_fault(
        is, NKX_E507, i, "It is widened here; the hardware reads fp32: make the tile float32.",
        "%s is %s where fp32 is expected", is->row->params[i].name, nkx_dtypes[dt].name);
}

bool nkx_check_dtypes(nkx_issue *is)
{
    for (int i = 0; is->row->params[i].name != NULL; i++) {
        if (is->arg[i].kind != NKX_ARG_VIEW) continue;
        const nkx_isa_param *p = &is->row->params[i];
        nkx_dtype dt = (nkx_dtype)is->arg[i].u.view->dtype;
        uint32_t allowed = p->dtypes != 0 ? p->dtypes : NKX_DTS_PLAIN;
        if (NKX_UNLIKELY(!(allowed >> dt & 1u))) {
            wrong_dtype(is, i, dt, allowed);
            return false; /* the row kernels have no form for it */
        }
        if ((p->flags & NKX_PF_FP32) && dt != NKX_DT_FP32 && !widened(is, i, dt)) return false;
    }
    return true;
}

bool nkx_check_same_dtype(nkx_issue *is, int a, int b)
{
    nkx_dtype x = (nkx_dtype)nkx_tile(is, a)->dtype, y = (nkx_dtype)nkx_tile(is, b)->dtype;
    if (x == y) return true;
    nkx_isa_fault(is, NKX_E328, b, "Both must have one type: the instruction moves bits.",
                  "%s is %s, %s is %s", is->row->params[b].name, nkx_dtypes[y].name,
                  is->row->params[a].name, nkx_dtypes[x].name);
    return false;
}

bool nkx_check_not_both_psum(nkx_issue *is, int a, int b)
{
    if (!nkx_is_tile(is, a) || !nkx_is_tile(is, b)) return true;
    if (!nkx_in_psum(nkx_tile(is, a)) || !nkx_in_psum(nkx_tile(is, b))) return true;
    return nkx_isa_fault(is, NKX_E508, b, "Copy one of them to SBUF first with nisa.tensor_copy.",
                         "%s and %s are both in psum", is->row->params[a].name,
                         is->row->params[b].name);
}

/* ---- 7. start partitions and patterns ---- */

static bool start_ok(int64_t start, int64_t parts)
{
    if (parts > 64) return start == 0;
    if (parts > 32) return start % 64 == 0;
    return start % 32 == 0;
}

static bool bad_start(nkx_issue *is, int i, int64_t start, int64_t parts)
{
    return nkx_isa_fault(
        is, NKX_E509, i,
        "1 to 32 partitions may start at 0, 32, 64 or 96; 33 to 64 at 0 or 64; more at 0. "
        "DMA may begin anywhere.",
        "%s starts at partition %lld with %lld partitions", is->row->params[i].name,
        (long long)start, (long long)parts);
}

int64_t nkx_start_partition(const nkx_view *v)
{
    int64_t rest;
    return v->st->part0 + nkx_div_rest(v->offset, nkx_view_row_elems(v), &rest);
}

bool nkx_check_start(nkx_issue *is, int i)
{
    const nkx_view *v = nkx_tile(is, i);
    int64_t start = nkx_start_partition(v);
    return start == 0 || start_ok(start, v->shape[0]) || bad_start(is, i, start, v->shape[0]);
}

int nkx_free_dims(const nkx_view *v)
{
    int n = 0;
    int64_t run = 0;
    for (int d = 1; d < v->ndim; d++) {
        if (v->shape[d] == 1) continue;
        if (n == 0 || run != v->stride[d] * v->shape[d]) n++;
        run = v->stride[d];
    }
    return n;
}

/* Elements of one partition that differ in place: repeats by stride 0 count once (isa.md 1.4). */
static int64_t touched(const nkx_view *v)
{
    int64_t n = 1;
    for (int d = 1; d < v->ndim; d++) {
        if (v->stride[d] != 0) n *= v->shape[d];
    }
    return n;
}

bool nkx_check_since(const nkx_issue *is, int i, int minor, const char *what)
{
    return !nkx_before(is, minor) ||
           nkx_isa_fault(is, NKX_E735, i, "Run with a later --nki, or do without.",
                         "%s came with NKI 0.%d, the rules are those of 0.%d", what, minor,
                         is->core->modes.nki);
}

bool nkx_check_newer_op(const nkx_issue *is, int i)
{
    nkx_alu op = nkx_op_of(is, i);
    return (op != NKX_ALU_SQUARE && op != NKX_ALU_RELU) ||
           nkx_check_since(is, i, 4, "this operator here");
}

/* isa.md 1.4; on gen4 a result of bf16 fills PSUM with 8192 elements. */
static int64_t most_touched(const nkx_issue *is, const nkx_view *v)
{
    if (!nkx_in_psum(v)) return 65536;
    return nkx_gen(is) >= 4 && nkx_dtype_bytes((nkx_dtype)v->dtype) <= 2 ? 8192 : 4096;
}

static bool check_touched(nkx_issue *is, int i, const nkx_view *v)
{
    int64_t n = touched(v), limit = most_touched(is, v);
    return n <= limit ||
           nkx_isa_fault(is, NKX_E510, i, "Split the instruction along the free dimension.",
                         "%s touches %lld elements per partition, more than %lld",
                         is->row->params[i].name, (long long)n, (long long)limit);
}

static bool check_pattern(nkx_issue *is, int i, const nkx_view *v, int limit)
{
    if (NKX_UNLIKELY(v->st->row_bytes > 4096) && !check_touched(is, i, v)) return false;
    if (NKX_UNLIKELY(v->ndim > limit + 1) && nkx_free_dims(v) > limit &&
        !nkx_isa_fault(is, NKX_E330, i, "Merge dimensions, or split the instruction into a loop.",
                       "%s has %d free dimensions, more than %d", is->row->params[i].name,
                       nkx_free_dims(v), limit)) {
        return false;
    }
    int64_t f = nkx_view_row_elems(v);
    if (NKX_UNLIKELY(v->stride[0] != f && v->shape[0] > 1)) {
        if (!nkx_isa_fault(is, NKX_E325, i,
                           "Engines reach adjacent partitions only: move the rows by DMA first.",
                           "%s takes every %lldth partition", is->row->params[i].name,
                           (long long)(v->stride[0] / f))) {
            return false;
        }
    }
    return (is->row->params[i].flags & NKX_PF_ANYPART) || nkx_check_start(is, i);
}

bool nkx_check_limits(nkx_issue *is)
{
    int limit = is->row->max_free_dims != 0 ? is->row->max_free_dims : 4;
    if (is->engine == NKX_DMA) return true;
    for (int i = 0; is->row->params[i].name != NULL; i++) {
        if (is->arg[i].kind != NKX_ARG_VIEW) continue;
        const nkx_view *v = is->arg[i].u.view;
        if (nkx_view_on_chip(v) && !check_pattern(is, i, v, limit)) return false;
    }
    return true;
}
