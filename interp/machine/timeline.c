/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline: takes instructions in program order, has engine.c and dma.c place them, and keeps
 * the sums that reports show (timing.md 6, 7). Layer machine. Memory is bounded: sums by call site,
 * and series in a fixed number of buckets that widen.
 */
#include "interp/machine/timeline_private.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKET = 18, FIRST_SLOTS = 256 }; /* power of two picoseconds; slots */

nkx_timeline *nkx_timeline_new(nkx_core *core)
{
    nkx_timeline *t = nkx_alloc(sizeof *t);
    t->core = core;
    nkx_rates_init(&t->r, core->config);
    t->act_function = -1;
    t->limit_k = t->r.limit ? t->r.limit_start : 8;
    t->window_end = (int64_t)core->config->v[NKX_MP_PE_LIMIT_PHASE];
    if (t->window_end <= 0) t->window_end = t->r.limit_window;
    t->n_groups = 1;
    t->group[0].e1 = t->r.dma_engines;
    t->bucket_bits = FIRST_BUCKET;
    for (int i = 0; i < NKX_N_BUCKETS; i++) t->sbuf_use[i] = t->psum_use[i] = -1;
    t->n_slots = FIRST_SLOTS;
    t->slots = nkx_alloc(t->n_slots * sizeof *t->slots);
    nkx_arena_init(&t->arena);
    return t;
}

void nkx_timeline_free(nkx_timeline *t)
{
    if (t == NULL) return;
    for (int i = 0; i < NKX_DMA_GROUPS; i++) nkx_busy_fini(&t->group[i].busy);
    nkx_busy_fini(&t->port_sbuf);
    nkx_busy_fini(&t->port_psum);
    nkx_busy_fini(&t->dma_cover);
    nkx_busy_fini(&t->all_cover);
    nkx_arena_fini(&t->arena);
    nkx_critical_fini(&t->critical);
    free(t->sites);
    free(t->slots);
    free(t);
}

void nkx_timeline_sink(nkx_timeline *t, nkx_event_sink sink, void *user)
{
    t->sink = sink;
    t->sink_user = user;
}

void nkx_timeline_last(const nkx_timeline *t, nkx_event *out)
{
    *out = t->last;
}

/* --- series --- */

static void widen(nkx_timeline *t)
{
    for (int i = 0; i < NKX_N_BUCKETS; i++) {
        bool lower = i < NKX_N_BUCKETS / 2;
        int a = 2 * i, b = 2 * i + 1;
        for (int e = 0; e < NKX_N_ENGINES; e++) {
            t->busy[e][i] = lower ? t->busy[e][a] + t->busy[e][b] : 0;
        }
        t->sbuf_use[i] = !lower                            ? -1
                         : t->sbuf_use[a] > t->sbuf_use[b] ? t->sbuf_use[a]
                                                           : t->sbuf_use[b];
        t->psum_use[i] = !lower                            ? -1
                         : t->psum_use[a] > t->psum_use[b] ? t->psum_use[a]
                                                           : t->psum_use[b];
    }
    t->bucket_bits++;
}

static int bucket_of(nkx_timeline *t, int64_t at)
{
    while ((at >> t->bucket_bits) >= NKX_N_BUCKETS) widen(t);
    return (int)(at >> t->bucket_bits);
}

/* Spreads `busy` evenly over [start, end). */
void nkx_timeline_bucket(nkx_timeline *t, int engine, int64_t start, int64_t end, int64_t busy)
{
    if (end <= start) return;
    int last = bucket_of(t, end - 1), i = bucket_of(t, start); /* the later first: it may widen */
    if (i == last) {
        t->busy[engine][i] += busy;
        return;
    }
    double share = (double)busy / (double)(end - start);
    for (; i <= last; i++) {
        int64_t width = (int64_t)1 << t->bucket_bits;
        int64_t from = nkx_max64(start, width * i), to = width * (i + 1);
        if (to > end) to = end;
        t->busy[engine][i] += (int64_t)((double)(to - from) * share);
    }
}

void nkx_timeline_active(nkx_timeline *t, int engine, int64_t start, int64_t end)
{
    if (start < t->shown_to[engine]) start = t->shown_to[engine];
    if (end <= start) return;
    t->shown_to[engine] = end;
    t->sum[engine].active += end - start;
    nkx_timeline_bucket(t, engine, start, end, end - start);
}

static void sample_memory(nkx_timeline *t, int64_t at)
{
    int i = bucket_of(t, at);
    int64_t sbuf = nkx_memory_level(t->core->memory, NKX_SPACE_SBUF);
    int64_t psum = nkx_memory_level(t->core->memory, NKX_SPACE_PSUM);
    if (sbuf > t->sbuf_use[i]) t->sbuf_use[i] = sbuf;
    if (psum > t->psum_use[i]) t->psum_use[i] = psum;
}

/* --- sums --- */

static size_t slot_of(const nkx_timeline *t, const nkx_op *op)
{
    uint64_t h = ((uint64_t)op->span.source << 32 | op->span.begin) * 0x9E3779B97F4A7C15u;
    size_t mask = t->n_slots - 1, i = (size_t)(h >> 32) & mask;
    for (; t->slots[i] != 0; i = (i + 1) & mask) {
        const nkx_site *s = &t->sites[t->slots[i] - 1];
        if (s->begin == op->span.begin && s->source == op->span.source && s->opcode == op->opcode &&
            s->engine == op->engine && s->function == op->function) {
            break;
        }
    }
    return i;
}

static void grow_slots(nkx_timeline *t)
{
    free(t->slots);
    t->n_slots *= 2;
    t->slots = nkx_alloc(t->n_slots * sizeof *t->slots);
    for (size_t i = 0; i < t->n_sites; i++) {
        const nkx_site *s = &t->sites[i];
        nkx_op key = {.opcode = s->opcode, .function = s->function, .engine = s->engine};
        key.span = (nkx_span){s->source, s->begin, s->begin};
        t->slots[slot_of(t, &key)] = (uint32_t)i + 1;
    }
}

static uint32_t site_of(nkx_timeline *t, const nkx_op *op)
{
    size_t slot = slot_of(t, op);
    if (t->slots[slot] != 0) return t->slots[slot] - 1;
    if (t->n_sites == t->cap_sites) {
        t->cap_sites = t->cap_sites * 2 + 64;
        t->sites = nkx_realloc(t->sites, t->cap_sites * sizeof *t->sites);
    }
    t->sites[t->n_sites] = (nkx_site){
        .source = op->span.source,
        .begin = op->span.begin,
        .function = op->function,
        .engine = op->engine,
        .opcode = op->opcode,
    };
    t->slots[slot] = (uint32_t)++t->n_sites;
    if (t->n_sites * 2 > t->n_slots) grow_slots(t);
    return (uint32_t)t->n_sites - 1;
}

static void charge(void *user, uint32_t site, int64_t time)
{
    nkx_timeline *t = user;
    t->sites[site].stall += time;
}

void nkx_timeline_settle(nkx_timeline *t)
{
    nkx_critical_close(&t->critical, charge, t);
}

static void count_site(nkx_timeline *t, const nkx_op *op, const nkx_event *e)
{
    uint32_t site = site_of(t, op);
    nkx_site *s = &t->sites[site];
    s->count++;
    s->time += e->end - e->start;
    s->wait += e->wait;
    s->bytes += e->bytes;
    s->flops += e->flops;
    if (e->end > t->frontier) t->frontier = e->end;
    nkx_link x = {.id = e->id, .after = t->after, .began = t->began, .site = site};
    nkx_critical_add(&t->critical, &x, e->end, charge, t);
}

static int64_t region_bytes(const nkx_region *r)
{
    if (r->exact || r->ndim == 0) return (int64_t)(r->r1 - r->r0) * (r->b1 - r->b0);
    int64_t bytes = r->elem_bytes;
    for (int i = 0; i < r->ndim; i++) bytes *= r->count[i];
    return bytes;
}

static void count_input(nkx_timeline *t, const nkx_op *op, const nkx_region *r)
{
    nkx_storage *st = r->st;
    if (op->engine == NKX_DMA && !nkx_space_on_chip((nkx_space)st->space)) {
        if (r->write) {
            t->output_bytes += st->is_input ? 0 : op->cost.bytes;
        } else {
            t->input_bytes += st->is_input ? op->cost.bytes : 0;
        }
    }
    if (r->write || !st->is_input || st->track->was_read) return;
    st->track->was_read = true;
    t->min_read += st->bytes;
}

static void count_regions(nkx_timeline *t, const nkx_op *op, nkx_event *e)
{
    int64_t from_psum = 0, to_sbuf = 0;
    for (size_t i = 0; i < op->n_regions; i++) {
        const nkx_region *r = &op->regions[i];
        if (r->st->space >= NKX_SPACE_HBM) count_input(t, op, r);
        if (op->engine == NKX_DMA) continue; /* dma.c counts transfers */
        int64_t bytes = region_bytes(r);
        int space = r->st->space > NKX_SPACE_HBM ? NKX_SPACE_HBM : r->st->space;
        if (r->write) {
            t->mem[space].written += bytes;
        } else {
            t->mem[space].read += bytes;
        }
        if (r->write && space == NKX_SPACE_SBUF) to_sbuf += bytes;
        if (!r->write && space == NKX_SPACE_PSUM) from_psum += bytes;
        e->bytes += bytes;
    }
    if (from_psum > 0) t->psum_to_sbuf += to_sbuf;
}

static void count_flops(nkx_timeline *t, const nkx_cost *c)
{
    if (c->flops == 0) return;
    t->hardware_flops += c->flops;
    if (c->is_transpose) {
        t->transpose_flops += c->flops;
    } else {
        t->model_flops += c->flops;
    }
    t->adjusted_flops += (double)c->flops * c->flop_weight;
}

int64_t nkx_timeline_issue(nkx_timeline *t, const nkx_op *op, uint64_t id, const nkx_deps *deps)
{
    nkx_event *e = &t->last;
    e->id = id;
    e->engine = op->engine;
    e->opcode = op->opcode;
    e->label = op->label;
    e->span = op->span;
    e->function = op->function;
    e->flops = op->cost.flops;
    e->perf_mode = op->cost.perf_mode;
    e->operands_text = op->operands_text;
    e->bytes = e->wait = e->trigger_start = e->trigger_end = 0;
    e->wait_for = 0;
    e->wait_kind = e->queue = 0;
    int64_t avail =
        op->engine == NKX_DMA ? nkx_dma_place(t, op, deps, e) : nkx_engine_place(t, op, deps, e);
    t->instructions++;
    count_regions(t, op, e);
    count_flops(t, &op->cost);
    count_site(t, op, e);
    t->total_active += nkx_busy_cover(&t->all_cover, e->start, e->end);
    sample_memory(t, e->start);
    if (t->sink) t->sink(t->sink_user, e);
    return avail;
}
