/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sums of a run as reports read them (timing.md 7). Layer machine. Everything is computed from
 * the timeline's counters; asking again later gives the later state.
 */
#include "interp/machine/timeline_private.h"

#include <stdlib.h>
#include <string.h>

enum { PE_SIDE = 128, MOST_REMARKS = 16 };

/* --- tables by opcode and by line --- */

static int by_op_time(const void *a, const void *b)
{
    const nkx_op_sum *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? 1 : -1;
    return x->engine != y->engine ? (x->engine > y->engine) - (x->engine < y->engine)
                                  : strcmp(x->opcode, y->opcode);
}

static void sum_ops(nkx_timeline *t, nkx_summary *s)
{
    s->ops = NKX_ARENA_ARRAY(&t->arena, nkx_op_sum, t->n_sites + 1);
    for (size_t i = 0; i < t->n_sites; i++) {
        const nkx_site *x = &t->sites[i];
        size_t k = 0;
        while (k < s->n_ops && (s->ops[k].engine != x->engine || s->ops[k].opcode != x->opcode)) {
            k++;
        }
        if (k == s->n_ops) {
            s->ops[s->n_ops++] = (nkx_op_sum){.engine = x->engine, .opcode = x->opcode};
        }
        s->ops[k].count += x->count;
        s->ops[k].time += x->time;
        s->ops[k].bytes += x->bytes;
        s->ops[k].flops += x->flops;
    }
    if (s->n_ops) qsort(s->ops, s->n_ops, sizeof *s->ops, by_op_time);
}

static int by_place(const void *a, const void *b)
{
    const nkx_site *x = *(const nkx_site *const *)a, *y = *(const nkx_site *const *)b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->function != y->function ? (x->function > y->function) - (x->function < y->function)
                                      : strcmp(x->opcode, y->opcode);
}

static int by_line_time(const void *a, const void *b)
{
    const nkx_line_sum *x = a, *y = b;
    if (x->stall != y->stall) return x->stall < y->stall ? 1 : -1;
    if (x->time != y->time) return x->time < y->time ? 1 : -1;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static void sum_lines(nkx_timeline *t, nkx_summary *s)
{
    const nkx_site **order = NKX_ARENA_ARRAY(&t->arena, const nkx_site *, t->n_sites + 1);
    size_t n = 0;
    for (size_t i = 0; i < t->n_sites; i++) order[n++] = &t->sites[i];
    if (n == 0) return;
    qsort((void *)order, n, sizeof *order, by_place);
    s->lines = NKX_ARENA_ARRAY(&t->arena, nkx_line_sum, n);
    for (size_t i = 0; i < n; i++) {
        const nkx_site *x = order[i];
        uint32_t line = 0, col = 0;
        if (x->source) nkx_source_locate(t->core->diags->sources, x->source, x->begin, &line, &col);
        nkx_line_sum *l = s->n_lines ? &s->lines[s->n_lines - 1] : NULL;
        if (l == NULL || l->source != x->source || l->line != line || l->function != x->function) {
            l = &s->lines[s->n_lines++];
            *l = (nkx_line_sum){
                .source = x->source, .line = line, .function = x->function, .opcode = x->opcode};
        }
        l->count += x->count;
        l->time += x->time;
        l->wait += x->wait;
        l->stall += x->stall;
        l->bytes += x->bytes;
        l->flops += x->flops;
    }
    qsort(s->lines, s->n_lines, sizeof *s->lines, by_line_time);
}

/* --- metrics --- */

static void rates(const nkx_timeline *t, nkx_summary *s)
{
    const nkx_config *c = t->core->config;
    double ns = (double)s->total / 1000.0;
    double peak = 2.0 * PE_SIDE * PE_SIDE * c->v[NKX_MP_PE_CLOCK]; /* flops a nanosecond */
    double hbm = (double)(s->hbm.read + s->hbm.written), top = c->v[NKX_MP_HBM_PEAK];
    s->peak_intensity = peak / top;
    if (ns > 0) {
        s->mfu = (double)s->model_flops / peak / ns;
        s->hfu = (double)s->hardware_flops / peak / ns;
        s->mbu = hbm / ns / top;
    }
    if (hbm > 0) {
        s->arithmetic_intensity = (double)(s->hardware_flops - s->transpose_flops) / hbm;
        s->mfu_max = (double)s->model_flops / hbm / s->peak_intensity;
    } else if (s->model_flops > 0) {
        s->mfu_max = 1;
    }
    if (s->mfu_max > 1) s->mfu_max = 1;
}

static void copy_counters(const nkx_timeline *t, nkx_summary *s)
{
    const nkx_config *c = t->core->config;
    s->config = c;
    s->target = c->name;
    s->span = t->frontier;
    s->total = t->frontier > 0
                   ? t->frontier + (int64_t)(c->v[NKX_MP_FRAME_START] + c->v[NKX_MP_FRAME_STOP])
                   : 0;
    s->instructions = t->instructions;
    s->model_flops = t->model_flops;
    s->hardware_flops = t->hardware_flops;
    s->transpose_flops = t->transpose_flops;
    s->adjusted_flops = t->adjusted_flops;
    memcpy(s->engines, t->sum, sizeof s->engines);
    s->pe_limit_lost = t->limit_lost;
    s->pe_limit_average = t->limit_weight > 0 ? t->limit_sum / t->limit_weight : 1;
    s->dma_active = t->sum[NKX_DMA].active;
    s->dma_packet_time = t->dma_packet_time;
    s->dma_transfers = t->dma_transfers;
    s->dma_bytes = t->dma_bytes;
    s->dma_average_bytes = t->dma_transfers > 0 ? t->dma_bytes / t->dma_transfers : 0;
    memcpy(s->dma_by_kind, t->dma_by_kind, sizeof s->dma_by_kind);
    memcpy(s->dma_bytes_by_kind, t->dma_bytes_by_kind, sizeof s->dma_bytes_by_kind);
    s->total_active = t->total_active;
    s->matmul_count = t->matmul_count;
    s->input_bytes = t->input_bytes;
    s->output_bytes = t->output_bytes;
    s->psum_to_sbuf = t->psum_to_sbuf;
    s->sbuf = t->mem[NKX_SPACE_SBUF];
    s->psum = t->mem[NKX_SPACE_PSUM];
    s->hbm = t->mem[NKX_SPACE_HBM];
    s->min_read_bytes = t->min_read;
    nkx_mem_use use;
    nkx_memory_use(t->core->memory, NKX_SPACE_SBUF, &use);
    s->sbuf_peak = use.peak;
    nkx_memory_use(t->core->memory, NKX_SPACE_PSUM, &use);
    s->psum_peak = use.peak;
    nkx_memory_use(t->core->memory, NKX_SPACE_HBM, &use);
    s->hbm_peak = use.peak;
}

static double *series(nkx_timeline *t, size_t n)
{
    return NKX_ARENA_ARRAY(&t->arena, double, n + 1);
}

static void copy_series(nkx_timeline *t, nkx_summary *s)
{
    double sbuf = 0, psum = 0;
    s->bucket = (int64_t)1 << t->bucket_bits;
    s->n_buckets = (size_t)((t->frontier + s->bucket - 1) / s->bucket);
    if (s->n_buckets > NKX_N_BUCKETS) s->n_buckets = NKX_N_BUCKETS;
    for (int e = 0; e < NKX_N_ENGINES; e++) {
        s->engine_busy[e] = series(t, s->n_buckets);
        for (size_t i = 0; i < s->n_buckets; i++) {
            double share = (double)t->busy[e][i] / (double)s->bucket;
            s->engine_busy[e][i] = share > 1 ? 1 : share;
        }
    }
    s->sbuf_use = series(t, s->n_buckets);
    s->psum_use = series(t, s->n_buckets);
    for (size_t i = 0; i < s->n_buckets;
         i++) { /* a bucket in which nothing began keeps the level */
        if (t->sbuf_use[i] >= 0) {
            sbuf = (double)t->sbuf_use[i] / t->core->config->v[NKX_MP_SBUF_USABLE];
        }
        if (t->psum_use[i] >= 0) {
            psum = (double)t->psum_use[i] / t->core->config->v[NKX_MP_PSUM_BYTES];
        }
        s->sbuf_use[i] = sbuf;
        s->psum_use[i] = psum;
    }
}

/* --- remarks --- */

static void remark(nkx_timeline *t, nkx_summary *s, const char *text)
{
    if (s->n_remarks < MOST_REMARKS) {
        s->remarks[s->n_remarks++] = nkx_arena_str(&t->arena, text, strlen(text));
    }
}

#define REMARK(...)                                                                                \
    do {                                                                                           \
        nkx_buf_clear(&b);                                                                         \
        nkx_buf_printf(&b, __VA_ARGS__);                                                           \
        remark(t, s, b.at);                                                                        \
    } while (0)

/* Thresholds of timing.md 7: of the vendor's own remarks and of kernel authors. */
static void remark_bounds(nkx_timeline *t, nkx_summary *s)
{
    nkx_buf b = {0};
    double span = (double)s->span, dma = (double)s->dma_active / span;
    for (int e = 0; e < NKX_DMA; e++) {
        double share = (double)s->engines[e].active / span;
        if (share >= 0.9) {
            REMARK("%s is active %.0f %% of the time: the kernel is bound by it.",
                   nkx_engine_label((nkx_engine)e), share * 100);
        }
    }
    if (s->mbu >= 0.6) {
        REMARK("MBU is %.0f %%: the kernel is bound by HBM bandwidth.", s->mbu * 100);
    } else if (dma >= 0.9) {
        REMARK(
            "DMA is active %.0f %% of the time at %.0f %% of HBM bandwidth: bound by the rate of "
            "transfers.",
            dma * 100, s->mbu * 100);
    }
    nkx_buf_fini(&b);
}

static void remark_tensor(nkx_timeline *t, nkx_summary *s)
{
    nkx_buf b = {0};
    double clock = s->config->v[NKX_MP_PE_CLOCK] / 1000;
    double able = (double)s->engines[NKX_PE].active * clock * 2 * PE_SIDE * PE_SIDE;
    if (s->hardware_flops == 0) return;
    if ((double)s->transpose_flops > 0.1 * (double)s->hardware_flops) {
        REMARK("Transposes are %.0f %% of the tensor engine's work.",
               100.0 * (double)s->transpose_flops / (double)s->hardware_flops);
    }
    if ((double)s->model_flops < 0.5 * able) {
        REMARK(
            "Model flops are below half of what the tensor engine could do while active: small or "
            "fp32 tiles, or waits between them.");
    }
    if ((double)s->pe_limit_lost > 0.02 * (double)s->span) {
        REMARK(
            "The utilisation limit cost %.1f %% of the time: the tensor engine runs at half rate "
            "until it has been busy for about 3 us.",
            100.0 * (double)s->pe_limit_lost / (double)s->span);
    }
    nkx_buf_fini(&b);
}

static void remark_data(nkx_timeline *t, nkx_summary *s)
{
    nkx_buf b = {0};
    if (s->dma_transfers > 64 && s->dma_average_bytes < 2048) {
        REMARK(
            "DMA descriptors carry %lld bytes on average: below 2048 bytes the fixed cost of each "
            "shows; 4096 or more is the aim.",
            (long long)s->dma_average_bytes);
    }
    if (s->min_read_bytes > 0 && s->hbm.read > s->min_read_bytes * 5 / 4) {
        REMARK("Inputs are read %.1f times over: %lld bytes where %lld would do.",
               (double)s->hbm.read / (double)s->min_read_bytes, (long long)s->hbm.read,
               (long long)s->min_read_bytes);
    }
    nkx_buf_fini(&b);
}

#undef REMARK

const nkx_summary *nkx_timeline_summary(nkx_timeline *t)
{
    nkx_summary *s = &t->summary;
    nkx_arena_reset(&t->arena);
    nkx_timeline_settle(t);
    *s = (nkx_summary){0};
    copy_counters(t, s);
    rates(t, s);
    sum_ops(t, s);
    sum_lines(t, s);
    copy_series(t, s);
    s->functions = nkx_core_functions(t->core, &s->n_functions);
    s->no_data_registers = t->core->no_data_registers;
    s->remarks = NKX_ARENA_ARRAY(&t->arena, const char *, MOST_REMARKS);
    if (s->span > 0) {
        remark_bounds(t, s);
        remark_tensor(t, s);
        remark_data(t, s);
    }
    return s;
}
