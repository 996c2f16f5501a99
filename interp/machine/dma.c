/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DMA in time: triggers, rings, the split over engines, packets (timing.md 6.4). Layer machine.
 *
 * Packets are not events: the work of a transfer on an engine is one sum, placed in the first free
 * time of that engine after the ring's earlier work. Engines that have served the same transfers
 * are one group; a transfer of 128 partitions touches all sixteen alike and costs one placement.
 */
#include "interp/machine/timeline_private.h"

enum { PARTS_PER_ENGINE = 8, PARTITIONS = 128 };

/* The work of one engine: rows x (fixed cost for each packet + bytes at the rate). */
static double row_time(const nkx_timeline *t, const nkx_cost *c, double rate)
{
    const nkx_rates *r = &t->r;
    int64_t packets = (c->run_bytes + r->packet_bytes - 1) / r->packet_bytes;
    double time = (double)(packets > 0 ? packets : 1) * (double)r->packet_cost;
    if (c->dma_transpose) rate *= c->from_hbm ? r->transpose_hbm : r->transpose_sbuf;
    if (c->dma_accumulate) rate *= r->accumulate;
    time += (double)c->run_bytes / rate * 1000.0;
    return c->dma_cast && c->run_bytes < r->cast_below ? time * r->cast : time;
}

/* exp(-x) for x >= 0, good to a few per cent; the same bits on every machine. */
static double decay(double x)
{
    return 1.0 / (1.0 + x * (1.0 + x * (0.5 + x * (1.0 / 6.0))));
}

/* Busy share of the last 20 us at `now`, the engine idle since the last work (timing.md 6.4 item
 * 4). */
static bool steady(const nkx_timeline *t, const nkx_dma_group *g, int64_t now)
{
    double load = now > g->load_at
                      ? g->load * decay((double)(now - g->load_at) / t->r.steady_window)
                      : g->load;
    return load > t->r.steady_share;
}

static void add_load(const nkx_timeline *t, nkx_dma_group *g, int64_t start, int64_t work)
{
    double tau = t->r.steady_window;
    if (start > g->load_at) g->load *= decay((double)(start - g->load_at) / tau);
    g->load = 1.0 - (1.0 - g->load) * decay((double)work / tau);
    g->load_at = nkx_max64(g->load_at, start) + work;
}

/* --- groups of engines --- */

static void split_group(nkx_timeline *t, int e)
{
    int i = 0;
    while (i < t->n_groups && t->group[i].e1 <= e) i++;
    if (i == t->n_groups || t->group[i].e0 == e) return;
    nkx_dma_group spare = t->group[t->n_groups];
    for (int k = t->n_groups; k > i + 1; k--) t->group[k] = t->group[k - 1];
    nkx_dma_group *a = &t->group[i], *b = &t->group[i + 1];
    *b = *a;
    b->busy = spare.busy;
    nkx_busy_copy(&b->busy, &a->busy);
    b->e0 = e;
    a->e1 = e;
    t->n_groups++;
}

/* Partitions of engine e among those that a transfer spans. */
static int64_t parts_of(int64_t part0, int64_t nparts, int e)
{
    int64_t from = (int64_t)e * PARTS_PER_ENGINE, to = from + PARTS_PER_ENGINE;
    if (from < part0) from = part0;
    if (to > part0 + nparts) to = part0 + nparts;
    return to > from ? to - from : 0;
}

typedef struct transfer {
    const nkx_cost *c;
    int64_t ready, first, last; /* packets */
    int64_t packet_time;        /* sum over engines */
    int ring, engines, last_engine;
    bool idle; /* all engines were, when it began */
} transfer;

static void serve(nkx_timeline *t, nkx_dma_group *g, transfer *x, double rows)
{
    int64_t ready = nkx_max64(x->ready, g->ring_end[x->ring]), begin;
    double rate = steady(t, g, ready) ? t->r.steady : t->r.burst;
    int64_t work = (int64_t)(rows * row_time(t, x->c, rate) + 0.5);
    if (work <= 0) work = 1;
    int64_t end = nkx_busy_fill(&g->busy, ready, work, &begin);
    add_load(t, g, begin, work);
    g->ring_end[x->ring] = end;
    if (begin > x->ready) x->idle = false;
    if (x->engines == 0 || begin < x->first) x->first = begin;
    if (end > x->last) x->last = end;
    x->packet_time += work * (g->e1 - g->e0);
    x->engines += g->e1 - g->e0;
    x->last_engine = g->e1 - 1;
}

/* Rows by partition: engine p / 8 (timing.md 6.4 item 3); HBM to HBM: equal chunks. */
static void serve_all(nkx_timeline *t, transfer *x)
{
    const nkx_cost *c = x->c;
    int n = t->r.dma_engines;
    int64_t part0 = c->nparts ? c->part0 : 0, nparts = c->nparts ? c->nparts : PARTITIONS;
    if (n == NKX_DMA_GROUPS && (nparts < PARTITIONS || part0 > 0)) {
        split_group(t, (int)(part0 / PARTS_PER_ENGINE));
        split_group(t, (int)(part0 / PARTS_PER_ENGINE) + 1);
        split_group(t, (int)((part0 + nparts) / PARTS_PER_ENGINE));
        split_group(t, (int)((part0 + nparts - 1) / PARTS_PER_ENGINE) + 1);
    }
    for (int i = 0; i < t->n_groups; i++) {
        nkx_dma_group *g = &t->group[i];
        double share =
            n == NKX_DMA_GROUPS ? (double)parts_of(part0, nparts, g->e0) / (double)nparts : 1.0 / n;
        if (share > 0) serve(t, g, x, (double)c->rows * share);
    }
}

/* --- triggers and rings --- */

static int trigger_kind(const nkx_timeline *t, const nkx_cost *c)
{
    int kind = c->trigger == NKX_DMA_AUTO ? t->r.default_trigger : c->trigger;
    return kind == NKX_DMA_HWDGE && t->core->config->gen == 2 ? NKX_DMA_STATIC
                                                              : kind; /* isa.md 1.4: none there */
}

/*
 * The ring of a transfer: that of the engine the kernel names, POOL's for software descriptors;
 * else loads on SP's and stores on one of their own.
 */
static int ring_of(const nkx_cost *c, int kind)
{
    if (c->queue_engine < NKX_N_ENGINES && c->queue_engine != NKX_DMA) return c->queue_engine;
    if (kind == NKX_DMA_SWDGE) return NKX_POOL;
    return c->to_hbm ? NKX_RING_STORE : NKX_SP;
}

static int64_t *issue_time(nkx_timeline *t, int ring)
{
    return ring == NKX_RING_STORE ? &t->ring[ring].issue_free : &t->issue_free[ring];
}

static void trigger(nkx_timeline *t, const nkx_deps *deps, const nkx_cost *c, int kind, int ring,
                    transfer *x, nkx_event *e)
{
    const nkx_trigger_costs *k = &t->r.trigger[kind];
    nkx_ring *q = &t->ring[ring];
    int64_t *issue_free = issue_time(t, ring), lead = k->start;
    int64_t free_at = nkx_max64(*issue_free, q->next), start = free_at;
    if (deps->all.at > start) {
        start = deps->all.at;
        e->wait_kind = deps->all.kind;
        e->wait_for = deps->all.id;
        if (kind == NKX_DMA_SWDGE) { /* software wakes up late and then starts sooner */
            start += t->r.wait + (int64_t)(t->r.wait_row * (double)c->rows);
            lead = t->r.wait_start;
        }
    }
    uint64_t depth = (uint64_t)t->r.ring_depth;
    if (q->n >= depth) { /* back-pressure */
        int64_t slot = q->done[(q->n - depth) % NKX_RING_MOST];
        if (slot > start) {
            start = slot;
            e->wait_kind = NKX_WAIT_RESOURCE;
        }
    }
    e->wait = start - free_at;
    e->trigger_start = start;
    e->trigger_end = start + k->trigger;
    q->next = start + k->interval;
    /* POOL computes on between its triggers; SP and ACT are held (timing.md 6.4 item 1) */
    *issue_free = kind == NKX_DMA_SWDGE ? e->trigger_end : q->next;
    x->ready = e->trigger_end + lead;
}

static void count_trigger(nkx_timeline *t, const nkx_event *e, int ring)
{
    if (ring >= NKX_N_ENGINES) {
        ring = NKX_SP;
    } else {
        nkx_timeline_active(t, ring, e->trigger_start, e->trigger_end);
    }
    t->sum[ring].count++;
    t->sum[ring].instruction_time += e->trigger_end - e->trigger_start;
    t->sum[ring].wait_time += e->wait;
}

static void count_transfer(nkx_timeline *t, const nkx_cost *c, const transfer *x, int kind,
                           int64_t spread)
{
    int64_t packets = (c->run_bytes + t->r.packet_bytes - 1) / t->r.packet_bytes;
    t->dma_packet_time += x->packet_time;
    t->dma_transfers += c->rows * (packets > 0 ? packets : 1);
    t->dma_bytes += c->bytes;
    t->dma_by_kind[kind]++;
    t->dma_bytes_by_kind[kind] += c->bytes;
    int64_t fresh = nkx_busy_cover(&t->dma_cover, x->first, x->last + spread);
    t->sum[NKX_DMA].active += fresh;
    t->sum[NKX_DMA].instruction_time += x->last - x->first;
    t->sum[NKX_DMA].count++;
    nkx_timeline_bucket(t, NKX_DMA, x->first, x->last, x->packet_time / t->r.dma_engines);
    if (c->from_hbm) {
        t->mem[NKX_SPACE_HBM].read += c->bytes;
    } else {
        t->mem[NKX_SPACE_SBUF].read += c->bytes;
    }
    if (c->to_hbm) {
        t->mem[NKX_SPACE_HBM].written += c->bytes;
    } else {
        t->mem[NKX_SPACE_SBUF].written += c->bytes;
    }
}

/* What held the transfer: its trigger, or the work of earlier transfers on the engines. */
static void set_cause(nkx_timeline *t, const nkx_event *e, const transfer *x)
{
    const nkx_ring *q = &t->ring[x->ring];
    bool shared = x->ring < NKX_N_ENGINES;
    t->began = e->trigger_start;
    t->after = shared ? t->turn[x->ring] : q->turn;
    if (e->wait > 0 && e->wait_for != 0 && e->wait_kind != NKX_WAIT_RESOURCE) {
        t->after = e->wait_for;
    }
    if (x->first > x->ready) {
        bool own = q->n > 0 && q->done[(q->n - 1) % NKX_RING_MOST] > x->ready;
        t->began = x->first;
        t->after = own ? q->turn : t->turn[NKX_DMA];
    }
}

static void take_turn(nkx_timeline *t, int ring, uint64_t id)
{
    t->ring[ring].turn = t->turn[NKX_DMA] = id;
    if (ring < NKX_N_ENGINES) t->turn[ring] = id;
}

int64_t nkx_dma_place(nkx_timeline *t, const nkx_op *op, const nkx_deps *deps, nkx_event *e)
{
    const nkx_cost *c = &op->cost;
    int kind = trigger_kind(t, c), ring = ring_of(c, kind);
    transfer x = {.c = c, .ring = ring, .idle = true};
    trigger(t, deps, c, kind, ring, &x, e);
    serve_all(t, &x);
    /* engines of a ring start one after the other (item 2); on busy engines only the activity shows
     * it */
    int64_t spread = t->r.trigger[kind].spread * x.last_engine / (NKX_DMA_GROUPS - 1);
    int64_t done = x.last + (x.idle ? spread : 0) + t->r.complete;
    set_cause(t, e, &x);
    take_turn(t, ring, e->id);
    t->ring[ring].done[t->ring[ring].n++ % NKX_RING_MOST] = done;
    count_trigger(t, e, ring);
    count_transfer(t, c, &x, kind, spread);
    e->start = x.first;
    e->end = done;
    e->bytes = c->bytes;
    e->queue = (uint8_t)ring;
    return done + t->r.to_consumer;
}
