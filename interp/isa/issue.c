/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of an instruction after binding (design.md 2): defaults, engine, checks, dynamic
 * addresses, regions, cost, numbers, and on to the machine. Layer isa.
 */
#include "interp/isa/row.h"

#include <stdlib.h>
#include <string.h>

#define MAX_REGIONS  48 /* operands, their indices, up to 16 sources */
#define MAX_RESOLVED 20

typedef struct issuing {
    nkx_issue *is;
    nkx_region regions[MAX_REGIONS];
    uint8_t view_of[MAX_REGIONS]; /* 1: the region of an operand, views[] has it */
    nkx_view *views[MAX_REGIONS];
    size_t n;
    nkx_view *resolved[MAX_RESOLVED]; /* plain views made for this issue */
    size_t n_resolved;
} issuing;

/* Fills in defaults on the way. */
static bool required_given(nkx_issue *is)
{
    const nkx_isa_param *p = is->row->params;
    for (int i = 0; p[i].name != NULL; i++) {
        if (is->arg[i].kind != NKX_ARG_ABSENT) continue;
        if (p[i].dv.kind != NKX_ARG_ABSENT) {
            is->arg[i] = p[i].dv;
        } else if (NKX_UNLIKELY(p[i].required && !(p[i].accept & NKX_P_OPTIONAL))) {
            nkx_isa_fault(is, NKX_E511, -1, "`nkx isa` shows the parameters of each instruction.",
                          "%s is missing", p[i].name);
            return false;
        }
    }
    return true;
}

static bool arch_ok(nkx_issue *is)
{
    if (NKX_LIKELY(nkx_gen(is) >= is->row->min_gen)) return true;
    static const char *const hints[] = {"", "", "", "It came with gen3: run with --target trn2.",
                                        "It came with gen4: run with --target trn3."};
    return nkx_isa_fault(is, NKX_E501, -1, hints[is->row->min_gen & 7u],
                         "needs gen%d, the target %s is gen%d", is->row->min_gen,
                         is->core->config->name, nkx_gen(is));
}

static nkx_engine only_engine(unsigned engines)
{
    return (nkx_engine)__builtin_ctz(engines | 1u << NKX_DMA);
}

/* Diagnostics of later checks stand on what earlier ones have settled, so the first fault ends it.
 */
static bool check_all(nkx_issue *is)
{
    if (!required_given(is) || !arch_ok(is)) return false;
    is->engine = (uint8_t)only_engine(is->row->engines);
    if (is->row->pick != NULL && !is->row->pick(is)) return false;
    if (NKX_UNLIKELY(!nkx_operands_fine(is))) {
        if (!nkx_check_buffers(is) || !nkx_check_partitions(is)) return false;
        if (!nkx_check_elements(is) || !nkx_check_dtypes(is)) return false;
    }
    if (is->row->check != NULL && !is->row->check(is)) return false;
    return nkx_check_limits(is);
}

/* ---- dynamic addresses ---- */

static bool out_of_bounds(nkx_issue *is, int i, const nkx_view *v, int64_t index)
{
    return nkx_isa_fault(is, NKX_E512, i,
                         "Dynamic indices are checked when the instruction runs. oob_mode.skip of "
                         "dma_copy drops such "
                         "transfers instead.",
                         "index %lld of %s is out of bounds for an axis with size %lld",
                         (long long)index, is->row->params[i].name, (long long)v->ind_extent);
}

static bool oob_skips(const nkx_issue *is)
{
    int i = nkx_isa_param_find(is->row, "oob_mode");
    return i >= 0 && nkx_enum_of(is, i) == NKX_OOB_SKIP;
}

/* An index that was never written is reported as such by the hazard check: its value means nothing.
 */
bool nkx_index_written(const nkx_view *index)
{
    nkx_region r;
    int64_t first;
    if (index == NULL || !index->core->modes.hazards) return true;
    nkx_view_region(index, false, "index", &r);
    return nkx_track_unwritten(&r, &first) == 0;
}

static bool resolve_one(issuing *s, int i, nkx_view **slot)
{
    nkx_view *v = *slot;
    bool known, oob;
    int64_t index;
    if (v->indirect != NKX_IND_SCALAR || s->n_resolved == MAX_RESOLVED) return true;
    if (v->index != NULL) {
        if (!s->is->core->modes.exec || !nkx_index_written(v->index)) return true;
        nkx_core_flush(s->is->core);
    }
    nkx_view *w = nkx_view_resolve(v, &known, &oob, &index);
    if (!known) {
        nkx_view_drop(w);
        return true;
    }
    s->resolved[s->n_resolved++] = w;
    if (oob && oob_skips(s->is)) {
        s->is->skipped = true;
    } else if (oob && !out_of_bounds(s->is, i, v, index)) {
        return false;
    }
    *slot = w;
    return true;
}

static void add_region(issuing *s, nkx_view *v, bool write, const char *param)
{
    if (s->n == MAX_REGIONS) return;
    nkx_view_region(v, write, param, &s->regions[s->n]);
    s->views[s->n++] = v;
}

static void add_index(issuing *s, const nkx_view *v)
{
    if (v->index != NULL) add_region(s, v->index, false, "index");
}

static bool resolve_all(issuing *s)
{
    nkx_issue *is = s->is;
    for (int i = 0; is->row->params[i].name != NULL; i++) {
        if (is->arg[i].kind == NKX_ARG_VIEW) {
            add_index(s, is->arg[i].u.view);
            if (!resolve_one(s, i, &is->arg[i].u.view)) return false;
        } else if (is->arg[i].kind == NKX_ARG_VIEWS) {
            for (int k = 0; k < is->arg[i].u.views.n; k++) {
                add_index(s, is->arg[i].u.views.at[k]);
                if (!resolve_one(s, i, &is->arg[i].u.views.at[k])) return false;
            }
        }
    }
    return true;
}

/* ---- regions ---- */

static void operand_regions(issuing *s, const nkx_isa_param *p, nkx_view *v)
{
    if (p->dir != NKX_DIR_OUT) add_region(s, v, false, p->name);
    if (p->dir == NKX_DIR_INOUT) {
        s->regions[s->n - 1].partial_ok = true; /* what is kept may be unwritten */
    }
    if (p->dir == NKX_DIR_IN) return;
    add_region(s, v, true, p->name);
    s->regions[s->n - 1].by_pe = s->is->engine == NKX_PE;
}

static void all_regions(issuing *s)
{
    nkx_issue *is = s->is;
    const nkx_isa_param *p = is->row->params;
    for (int i = 0; p[i].name != NULL; i++) {
        if (is->arg[i].kind == NKX_ARG_VIEW) {
            operand_regions(s, &p[i], is->arg[i].u.view);
        } else if (is->arg[i].kind == NKX_ARG_VIEWS) {
            for (int k = 0; k < is->arg[i].u.views.n; k++) {
                operand_regions(s, &p[i], is->arg[i].u.views.at[k]);
            }
        }
    }
}

static bool same_pattern(const nkx_view *a, const nkx_view *b)
{
    if (a->st != b->st || a->offset != b->offset || a->dtype != b->dtype || a->ndim != b->ndim) {
        return false;
    }
    for (int d = 0; d < a->ndim; d++) {
        if (a->shape[d] != b->shape[d] || (a->stride[d] != b->stride[d] && a->shape[d] != 1)) {
            return false;
        }
    }
    return true;
}

/* Do two rectangles share bytes? On-chip storages are compared by place: manual ones may overlap.
 */
static bool regions_meet(const nkx_region *a, const nkx_region *b)
{
    int64_t ra = a->r0, rb = b->r0, ba = a->b0, bb = b->b0;
    if (a->st != b->st) {
        if (a->st->space != b->st->space || !nkx_space_on_chip((nkx_space)a->st->space)) {
            return false;
        }
        ra += a->st->part0;
        rb += b->st->part0;
        ba += a->st->offset;
        bb += b->st->offset;
    }
    bool rows = ra < rb + (b->r1 - b->r0) && rb < ra + (a->r1 - a->r0);
    return rows && ba < bb + (b->b1 - b->b0) && bb < ba + (a->b1 - a->b0);
}

static void warn_overlap(const issuing *s, const nkx_region *w, const nkx_region *r)
{
    if ((s->is->row->flags & NKX_ROW_OVERLAP_OK) || !w->exact || !r->exact) return;
    (void)nkx_isa_fault(
        s->is, NKX_E513, -1,
        "All sources are read before anything is written here; the device may interleave. Write to "
        "another tile.",
        "%s overlaps %s without being the same elements", w->param, r->param);
}

static void find_overlap(issuing *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (!s->regions[i].write) continue;
        for (size_t k = 0; k < s->n; k++) {
            if (s->regions[k].write || !regions_meet(&s->regions[i], &s->regions[k])) continue;
            if (same_pattern(s->views[i], s->views[k])) continue;
            s->is->overlap = true;
            warn_overlap(s, &s->regions[i], &s->regions[k]);
        }
    }
}

/* ---- texts for lists and logs ---- */

static void view_text(nkx_buf *b, const nkx_view *v)
{
    nkx_view_text(v, b);
}

static void arg_text(nkx_buf *b, const nkx_issue *is, int i)
{
    const nkx_arg *a = &is->arg[i];
    switch ((nkx_arg_kind)a->kind) {
    case NKX_ARG_VIEW: view_text(b, a->u.view); break;
    case NKX_ARG_INT: nkx_buf_printf(b, "%lld", (long long)a->u.i); break;
    case NKX_ARG_FLOAT: nkx_buf_printf(b, "%g", a->u.f); break;
    case NKX_ARG_BOOL: nkx_buf_str(b, a->u.b ? "True" : "False"); break;
    case NKX_ARG_OP: nkx_buf_str(b, nkx_alu_rows[a->u.op].name); break;
    case NKX_ARG_DTYPE: nkx_buf_str(b, nkx_dtypes[a->u.dtype].name); break;
    case NKX_ARG_ENUM: nkx_buf_str(b, nkx_isa_member_name(a->u.e.which, a->u.e.value)); break;
    case NKX_ARG_STR: nkx_buf_printf(b, "'%s'", a->u.s); break;
    case NKX_ARG_REG: nkx_buf_str(b, "register"); break;
    case NKX_ARG_INTS:
    case NKX_ARG_PATTERN:
    case NKX_ARG_FLOATS: nkx_buf_str(b, "[...]"); break;
    case NKX_ARG_VIEWS:
        for (int k = 0; k < a->u.views.n; k++) {
            if (k > 0) nkx_buf_str(b, " + ");
            view_text(b, a->u.views.at[k]);
        }
        break;
    case NKX_ARG_ABSENT: nkx_buf_str(b, "None"); break;
    }
}

/* Arguments that differ from their defaults, in the order of the parameters. */
static const char *operands_text(nkx_issue *is)
{
    nkx_buf b = {0};
    const nkx_isa_param *p = is->row->params;
    for (int i = 0; p[i].name != NULL; i++) {
        const nkx_arg *a = &is->arg[i];
        if (a->kind == NKX_ARG_ABSENT) continue;
        if (a->kind == p[i].dv.kind && memcmp(&a->u, &p[i].dv.u, sizeof a->u.i) == 0) continue;
        nkx_buf_printf(&b, "%s%s=", b.len ? ", " : "", p[i].name);
        arg_text(&b, is, i);
    }
    const char *text = nkx_arena_str(is->scratch, b.at != NULL ? b.at : "", b.len);
    nkx_buf_fini(&b);
    return text;
}

/* ---- cost and numbers ---- */

#define MIN_II_DYNAMIC                                                                             \
    600 /* cycles when an address comes from a register or a tile (isa.md 4.0.3) */

static void find_cost(nkx_issue *is, nkx_cost *c)
{
    memset(c, 0, sizeof *c);
    c->queue_engine = NKX_N_ENGINES;
    c->act_function = -1;
    c->perf_mode = 1;
    c->flop_weight = 1;
    is->row->cost(is, c);
    if (is->dynamic && is->engine != NKX_DMA && c->work_cycles < MIN_II_DYNAMIC) {
        c->work_cycles = MIN_II_DYNAMIC;
    }
}

static void nothing(const void *arg)
{
    (void)arg;
}

static bool issue_checked(issuing *s, const uint64_t *after, size_t n_after, uint64_t *id)
{
    nkx_issue *is = s->is;
    nkx_work work = {.run = nothing};
    if (!resolve_all(s)) return false;
    all_regions(s);
    find_overlap(s);
    nkx_op op = {.opcode = is->row->name,
                 .label = is->label,
                 .span = is->span,
                 .function = is->function,
                 .engine = is->engine,
                 .regions = s->regions,
                 .n_regions = s->n,
                 .n_after = n_after};
    find_cost(is, &op.cost);
    if (n_after > 0) op.after = nkx_arena_alloc(is->scratch, n_after * sizeof *after);
    if (n_after > 0) memcpy(op.after, after, n_after * sizeof *after);
    if (is->core->want_text) op.operands_text = operands_text(is);
    if (is->core->modes.exec && !is->skipped && !is->row->lower(is, &work)) return false;
    return nkx_core_issue(is->core, &op, &work, id);
}

/* A check was allowed away without which there is nothing to run. */
static void not_runnable(const nkx_issue *is)
{
    (void)nkx_isa_fault(
        is, NKX_E577, -1,
        "Some refusals can be turned off, others say that the instruction has no meaning: "
        "take its code out of --allow to see which.",
        "cannot run although the refusal is allowed");
}

bool nkx_isa_issue(nkx_issue *is, const uint64_t *after, size_t n_after, uint64_t *id)
{
    issuing s;
    s.is = is;
    s.n = s.n_resolved = 0;
    size_t errors = is->core->diags->n_errors;
    bool ok = check_all(is) && issue_checked(&s, after, n_after, id);
    if (NKX_UNLIKELY(!ok) && errors == is->core->diags->n_errors) not_runnable(is);
    if (NKX_UNLIKELY(is->core->issue_listener != NULL) && ok) {
        const nkx_issue_listener *l = is->core->issue_listener;
        l->issued(l->user, is, id != NULL ? *id : 0);
    }
    for (size_t i = 0; i < s.n_resolved; i++) nkx_view_drop(s.resolved[i]);
    nkx_arena_reset(is->scratch);
    return ok;
}

/* ---- lowering helpers ---- */

void *nkx_job_new(nkx_issue *is, size_t bytes)
{
    return nkx_arena_alloc(is->scratch, bytes);
}

typedef struct staged {
    void (*run)(const void *);
    size_t bytes;
    size_t second; /* where the job has a second output, 0: none */
    /* the job follows, 16-byte aligned */
} staged;
#define STAGED_HEAD 32

/* Turns an output into a dense temporary with the same elements; returns what it was. */
static nkx_access stage(nkx_access *out)
{
    nkx_access real = *out;
    int64_t row = real.n * real.elem_bytes;
    out->base = nkx_alloc((size_t)(row * real.nparts));
    out->pstep = row;
    out->ndim = 1;
    out->count[0] = real.n;
    out->step[0] = real.elem_bytes;
    out->group = 0;
    out->dense = true;
    for (uint32_t p = 0; p < real.nparts; p++) nkx_access_copy(out, p, &real, p, 0, real.n);
    return real;
}

static void unstage(const nkx_access *real, nkx_access *out)
{
    for (uint32_t p = 0; p < real->nparts; p++) nkx_access_copy(real, p, out, p, 0, real->n);
    free(out->base);
}

/*
 * The job writes temporaries; its outputs get the elements when all are computed, the second one
 * last: it may lie inside the first (a reduction in a column of dst) and stays.
 */
static void run_staged(const void *arg)
{
    const staged *g = arg;
    void *copy = nkx_dup((const uint8_t *)arg + STAGED_HEAD, g->bytes);
    nkx_access *dst = copy, *also = (void *)((uint8_t *)copy + g->second), real, other;
    real = stage(dst);
    if (g->second != 0) other = stage(also);
    g->run(copy);
    unstage(&real, dst);
    if (g->second != 0) unstage(&other, also);
    free(copy);
}

void nkx_lower_job(nkx_issue *is, nkx_work *out, void (*run)(const void *), const void *job,
                   size_t bytes)
{
    nkx_lower_job_two(is, out, run, job, bytes, 0);
}

void nkx_lower_job_two(nkx_issue *is, nkx_work *out, void (*run)(const void *), const void *job,
                       size_t bytes, size_t second)
{
    out->run = run;
    out->arg = job;
    out->arg_bytes = bytes;
    if (NKX_LIKELY(!is->overlap) || (is->row->flags & NKX_ROW_OVERLAP_OWN)) return;
    staged *g = nkx_arena_alloc(is->scratch, STAGED_HEAD + bytes);
    g->run = run;
    g->bytes = bytes;
    g->second = second;
    memcpy((uint8_t *)g + STAGED_HEAD, job, bytes);
    out->run = run_staged;
    out->arg = g;
    out->arg_bytes = STAGED_HEAD + bytes;
}

void nkx_col_lower(const nkx_issue *is, int i, float absent, nkx_col *out)
{
    const nkx_arg *a = &is->arg[i];
    out->tile = a->kind == NKX_ARG_VIEW;
    if (out->tile) {
        nkx_access acc;
        nkx_view_access(a->u.view, &acc);
        out->base = acc.base;
        out->pstep = acc.pstep;
        out->dtype = acc.dtype;
    } else {
        out->v = a->kind == NKX_ARG_ABSENT ? absent : (float)nkx_num_of(is, i);
    }
}
