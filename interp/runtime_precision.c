/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The precision report: a run in device types is compared with a run in fp32, instruction by
 * instruction, on samples of what each writes. The error of a result is the root of its mean
 * squared difference over that of the reference; what its sources had already is not its own doing,
 * so lines are ranked by the error they add.
 */
#include "interp/runtime.h"

#include "interp/base/diag.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES     32         /* of one result */
#define MAX_SAMPLES (1u << 23) /* of a run: 64 MiB */
#define FP32_WHOLE  16777216   /* 2^24: every smaller integer is an fp32 */
#define SHOWN       12         /* lines of the report */

typedef struct line_loss {
    uint32_t source, line;
    const char *opcode; /* of the table: constant */
    uint8_t dtype;      /* of the result */
    uint64_t count;
    double error, before; /* sums of the result's error and of its worst source's, squared */
    uint32_t begin;       /* place in the text */
} line_loss;

/* Error of the last thing written to a storage; by serial number. */
typedef struct stored_error {
    uint64_t serial;
    double error;
} stored_error;

struct nkx_precision {
    NKX_VEC(double) samples; /* of the reference run, in program order */
    size_t at;               /* of the comparing run */
    bool recorded, comparing, cut, differ;
    uint64_t instructions;
    nkx_runtime *rt;
    NKX_VEC(line_loss) lines;
    stored_error *stored; /* open addressing, a power of two */
    size_t n_stored, cap_stored;
    nkx_issue_listener listener;
};

nkx_precision *nkx_precision_new(void)
{
    return nkx_alloc(sizeof(nkx_precision));
}

void nkx_precision_free(nkx_precision *p)
{
    if (p == NULL) return;
    nkx_vec_fini(&p->samples);
    nkx_vec_fini(&p->lines);
    free(p->stored);
    free(p);
}

/* ---- errors of storages ---- */

static stored_error *find_stored(nkx_precision *p, uint64_t serial)
{
    size_t i = (serial * 0x9e3779b97f4a7c15u) & (p->cap_stored - 1);
    while (p->stored[i].serial != 0 && p->stored[i].serial != serial + 1) {
        i = (i + 1) & (p->cap_stored - 1);
    }
    return &p->stored[i];
}

static void grow_stored(nkx_precision *p)
{
    stored_error *old = p->stored;
    size_t n = p->cap_stored;
    p->cap_stored = n ? n * 2 : 256;
    p->stored = nkx_alloc(p->cap_stored * sizeof *p->stored);
    for (size_t i = 0; i < n; i++) {
        if (old[i].serial != 0) *find_stored(p, old[i].serial - 1) = old[i];
    }
    free(old);
}

static void store_error(nkx_precision *p, const nkx_view *v, double error)
{
    if (p->n_stored * 2 >= p->cap_stored) grow_stored(p);
    stored_error *e = find_stored(p, v->st->serial);
    if (e->serial == 0) p->n_stored++;
    *e = (stored_error){v->st->serial + 1, error};
}

static double error_of(nkx_precision *p, const nkx_view *v)
{
    if (p->cap_stored == 0) return 0;
    const stored_error *e = find_stored(p, v->st->serial);
    return e->serial == 0 ? 0 : e->error;
}

/* ---- samples ---- */

/* Evenly spread elements of a view; 0 where there is nothing to sample (gathers by row, packed
 * types). */
static size_t sample(const nkx_view *v, double out[SAMPLES])
{
    nkx_access a;
    if (v->indirect != NKX_IND_NONE || nkx_dtypes[v->dtype].load_f32 == NULL) return 0;
    nkx_view_access_flat(v, 0, &a);
    size_t n = a.n < SAMPLES ? (size_t)a.n : SAMPLES;
    for (size_t i = 0; i < n; i++) {
        int64_t k = (int64_t)((double)a.n * ((double)i + 0.5) / (double)n);
        out[i] = nkx_load_f64((nkx_dtype)a.dtype, nkx_access_at(&a, 0, k));
    }
    return n;
}

static void record(nkx_precision *p, const nkx_view *v)
{
    double now[SAMPLES];
    if (p->samples.n + SAMPLES > MAX_SAMPLES) {
        p->cut = true;
        return;
    }
    size_t n = sample(v, now);
    for (size_t i = 0; i < n; i++) nkx_push(&p->samples, now[i]);
}

/* Squared relative error of a result against the recorded one; negative: nothing to compare. */
static double compare(nkx_precision *p, const nkx_view *v)
{
    double now[SAMPLES], num = 0, den = 0;
    size_t n = sample(v, now);
    if (n == 0 || p->at + n > p->samples.n) return -1;
    const double *want = p->samples.at + p->at;
    p->at += n;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(now[i]) && !isfinite(want[i])) continue;
        if (!isfinite(now[i]) || !isfinite(want[i])) return INFINITY;
        num += (now[i] - want[i]) * (now[i] - want[i]);
        den += want[i] * want[i];
    }
    if (num == 0) return 0;
    return den > 0 ? num / den : INFINITY;
}

static line_loss *line_of(nkx_precision *p, const nkx_issue *is, const nkx_view *dst)
{
    uint32_t line = 0, col = 0;
    for (size_t i = p->lines.n; i-- > 0;) {
        line_loss *l = &p->lines.at[i];
        if (l->source == is->span.source && l->begin == is->span.begin &&
            l->opcode == is->row->name) {
            return l;
        }
    }
    nkx_source_locate(p->rt->sources, is->span.source, is->span.begin, &line, &col);
    nkx_push(&p->lines, ((line_loss){.source = is->span.source,
                                     .begin = is->span.begin,
                                     .line = line,
                                     .opcode = is->row->name,
                                     .dtype = dst->dtype}));
    return &p->lines.at[p->lines.n - 1];
}

static double worst_source(nkx_precision *p, const nkx_issue *is)
{
    double worst = 0;
    for (int i = 0; is->row->params[i].name != NULL; i++) {
        const nkx_arg *a = &is->arg[i];
        if (a->kind == NKX_ARG_VIEWS) {
            for (int k = 0; k < a->u.views.n; k++) {
                worst = fmax(worst, error_of(p, a->u.views.at[k]));
            }
        }
        if (a->kind == NKX_ARG_VIEW && is->row->params[i].dir != NKX_DIR_OUT) {
            worst = fmax(worst, error_of(p, a->u.view));
        }
    }
    return worst;
}

/* ---- integers through fp32 ---- */

static bool computes_in_fp32(const nkx_issue *is)
{
    const nkx_view *dst = NULL;
    if (is->engine != NKX_DVE && is->engine != NKX_ACT) return false;
    for (int i = 0; is->row->params[i].name != NULL; i++) {
        if (is->arg[i].kind == NKX_ARG_OP &&
            (nkx_alu_rows[is->arg[i].u.op].flags & NKX_OPF_BITVEC)) {
            return false;
        }
        if (is->arg[i].kind == NKX_ARG_VIEW && is->row->params[i].dir != NKX_DIR_IN &&
            dst == NULL) {
            dst = is->arg[i].u.view;
        }
    }
    /* Equal types and no operator: bits are copied. */
    for (int i = 0; is->row->params[i].name != NULL; i++) {
        if (is->arg[i].kind == NKX_ARG_OP) return true;
        const nkx_view *v = is->arg[i].kind == NKX_ARG_VIEW ? is->arg[i].u.view : NULL;
        if (v != NULL && dst != NULL && v->dtype != dst->dtype) return true;
    }
    return false;
}

static void warn_large(nkx_precision *p, const nkx_issue *is, int i)
{
    const nkx_view *v = is->arg[i].u.view;
    nkx_access a;
    if ((v->dtype != NKX_DT_INT32 && v->dtype != NKX_DT_UINT32) || v->indirect != NKX_IND_NONE) {
        return;
    }
    nkx_view_access_flat(v, 0, &a);
    for (int64_t k = 0; k < a.n; k++) {
        int64_t x = nkx_load_i64((nkx_dtype)v->dtype, nkx_access_at(&a, 0, k));
        if (x <= FP32_WHOLE && x >= -FP32_WHOLE) continue;
        nkx_diag *g = nkx_diag_add(&p->rt->diags, NKX_E549, is->span,
                                   "%s: %s holds %" PRId64 ", beyond 2^24, and is computed in fp32",
                                   is->row->name, is->row->params[i].name, x);
        nkx_diag_hint(&p->rt->diags, g,
                      "fp32 holds whole numbers up to 16777216. 32-bit integers are exact in "
                      "tensor_tensor on GpSimd, in "
                      "bit operations, and in copies between equal types.");
        return;
    }
}

/* ---- the listener ---- */

static void issued(void *user, const nkx_issue *is, uint64_t id)
{
    nkx_precision *p = user;
    (void)id;
    nkx_core_flush(is->core);
    p->instructions++;
    double before = p->comparing ? worst_source(p, is) : 0;
    bool fp32 = p->comparing && computes_in_fp32(is);
    for (int i = 0; is->row->params[i].name != NULL; i++) {
        if (is->arg[i].kind != NKX_ARG_VIEW) continue;
        const nkx_view *v = is->arg[i].u.view;
        if (is->row->params[i].dir == NKX_DIR_IN) {
            if (fp32) warn_large(p, is, i);
            continue;
        }
        if (!p->comparing) {
            record(p, v);
            continue;
        }
        double e = compare(p, v);
        if (e < 0) continue;
        line_loss *l = line_of(p, is, v);
        l->count++;
        l->error += e;
        l->before += before;
        store_error(p, v, e);
    }
}

void nkx_rt_precision_begin(nkx_runtime *rt, nkx_core *core)
{
    nkx_precision *p = rt->o.precision;
    if (p->rt != NULL && p->rt != rt) p->comparing = true;
    p->rt = rt;
    p->listener = (nkx_issue_listener){issued, p};
    core->issue_listener = &p->listener;
}

/* ---- the report ---- */

static double added(const line_loss *l)
{
    double e = sqrt(l->error / (double)l->count), b = sqrt(l->before / (double)l->count);
    return e > b ? e - b : 0;
}

static int by_added(const void *a, const void *b)
{
    const line_loss *x = a, *y = b;
    double ex = added(x), ey = added(y);
    if (ex != ey) return ex > ey ? -1 : 1;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return x->begin < y->begin ? -1 : 1;
}

static void report_line(nkx_runtime *rt, const line_loss *l, nkx_buf *out)
{
    const nkx_source *src = nkx_sources_get(rt->sources, l->source);
    const char *name = src != NULL ? strrchr(src->path, '/') : NULL;
    size_t len = 0;
    const char *text = src != NULL ? nkx_source_line(rt->sources, l->source, l->line, &len) : "";
    while (len > 0 && *text == ' ') text++, len--;
    char place[64];
    (void)snprintf(place, sizeof place, "%s:%" PRIu32,
                   name != NULL  ? name + 1
                   : src != NULL ? src->path
                                 : "?",
                   l->line);
    nkx_buf_printf(out, "  %9.2e  %9.2e  %-10s %7" PRIu64 " x  %-24s %.*s\n", added(l),
                   sqrt(l->error / (double)l->count), nkx_dtypes[l->dtype].name, l->count, place,
                   (int)(len < 60 ? len : 60), text);
}

char *nkx_precision_text(const nkx_precision *p, nkx_runtime *rt)
{
    nkx_buf out = {0};
    line_loss *sorted = nkx_alloc((p->lines.n + 1) * sizeof *sorted); /* one more: never empty */
    for (size_t i = 0; i < p->lines.n; i++) sorted[i] = p->lines.at[i];
    qsort(sorted, p->lines.n, sizeof *sorted, by_added);
    nkx_buf_str(&out,
                "precision: device types against fp32, relative error of samples of each result\n"
                "      added      error  type            times  line\n");
    size_t shown = 0;
    for (size_t i = 0; i < p->lines.n && shown < SHOWN; i++) {
        if (added(&sorted[i]) <= 0) break;
        report_line(rt, &sorted[i], &out);
        shown++;
    }
    if (shown == 0) {
        nkx_buf_str(&out,
                    "  no instruction loses accuracy: every sampled result equals that of fp32\n");
    }
    if (p->cut) {
        nkx_buf_str(&out, "  The run is long: only its first instructions were compared.\n");
    }
    free(sorted);
    return nkx_buf_take(&out);
}
