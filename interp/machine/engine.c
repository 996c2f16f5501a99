/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compute engines in time: issue rule, tensor engine with its utilisation limit, port conflicts
 * (timing.md 6.2, 6.3, 2.1). Layer machine. Engines are in order: one issue time each is all the
 * state a compute engine has.
 */
#include "interp/machine/timeline_private.h"

enum { PE_COLUMNS = 128, FULL = 8 };

static int64_t ps(const nkx_config *c, nkx_param_id p)
{
    return (int64_t)(c->v[p] + 0.5);
}

static void init_classes(nkx_rates *r, const nkx_config *c)
{
    const double *k = r->ps_per_cycle;
    const struct {
        nkx_cost_class cls;
        int engine;
        nkx_param_id overhead, latency;
    } ROWS[] = {
        {NKX_COST_DVE,      NKX_DVE,  NKX_MP_DVE_OVERHEAD,      NKX_MP_DVE_LATENCY     },
        {NKX_COST_DVE_PERF, NKX_DVE,  NKX_MP_DVE_OVERHEAD_PERF, NKX_MP_DVE_LATENCY_PERF},
        {NKX_COST_ACT,      NKX_ACT,  NKX_MP_ACT_OVERHEAD,      NKX_MP_ACT_LATENCY     },
        {NKX_COST_ACT_COPY, NKX_ACT,  NKX_MP_ACT_OVERHEAD_COPY, NKX_MP_ACT_LATENCY_COPY},
        {NKX_COST_POOL,     NKX_POOL, NKX_MP_POOL_OVERHEAD,     NKX_MP_POOL_LATENCY    },
    };
    for (size_t i = 0; i < NKX_COUNT(ROWS); i++) {
        nkx_issue_costs *x = &r->cls[ROWS[i].cls];
        x->overhead = (int64_t)(c->v[ROWS[i].overhead] * k[ROWS[i].engine] + 0.5);
        x->latency = ps(c, ROWS[i].latency);
    }
    r->cls[NKX_COST_DVE].floor = r->cls[NKX_COST_DVE_PERF].floor = ps(c, NKX_MP_DVE_FLOOR);
    r->cls[NKX_COST_POOL].latency += r->cls[NKX_COST_POOL].overhead;
    r->cls[NKX_COST_SEQ] = (nkx_issue_costs){ps(c, NKX_MP_SEQ_COST), ps(c, NKX_MP_SEQ_COST), 0};
}

static void init_pe(nkx_rates *r, const nkx_config *c)
{
    double k = r->ps_per_cycle[NKX_PE];
    r->pe_min_columns = nkx_cfg_i(c, NKX_MP_PE_MIN_COLUMNS);
    r->pe_overhead = nkx_cfg_i(c, NKX_MP_PE_OVERHEAD);
    r->pe_latency = ps(c, NKX_MP_PE_LATENCY);
    r->pe_fp32_passes = nkx_cfg_i(c, NKX_MP_PE_FP32_PASSES);
    r->pe_fp32_cycles = nkx_cfg_i(c, NKX_MP_PE_FP32_CYCLES);
    r->pe_fp32_overhead = nkx_cfg_i(c, NKX_MP_PE_FP32_OVERHEAD);
    r->pe_load = (int64_t)(c->v[NKX_MP_PE_LS_CYCLES] * k + 0.5);
    r->pe_load_fp32 = (int64_t)(c->v[NKX_MP_PE_LS_CYCLES_FP32] * k + 0.5);
    r->pe_load_shown = ps(c, NKX_MP_PE_LS_DURATION);
    r->pe_load_shown_fp32 = ps(c, NKX_MP_PE_LS_DURATION_FP32);
    r->limit = c->v[NKX_MP_PE_LIMIT] > 0;
    r->limit_window = ps(c, NKX_MP_PE_LIMIT_WINDOW);
    r->limit_start = (int)c->v[NKX_MP_PE_LIMIT_START];
    r->limit_raise = c->v[NKX_MP_PE_LIMIT_RAISE];
    r->limit_drop = c->v[NKX_MP_PE_LIMIT_DROP];
}

static void init_dma(nkx_rates *r, const nkx_config *c)
{
    double share = c->v[NKX_MP_HBM_SHARE] / c->v[NKX_MP_DMA_ENGINES]; /* timing.md 6.4 item 7 */
    r->trigger[NKX_DMA_STATIC] = (nkx_trigger_costs){
        ps(c, NKX_MP_STATIC_TRIGGER), ps(c, NKX_MP_STATIC_TRIGGER), ps(c, NKX_MP_STATIC_START), 0};
    r->trigger[NKX_DMA_HWDGE] =
        (nkx_trigger_costs){ps(c, NKX_MP_HWDGE_TRIGGER), ps(c, NKX_MP_HWDGE_INTERVAL),
                            ps(c, NKX_MP_HWDGE_START), ps(c, NKX_MP_HWDGE_SPREAD)};
    r->trigger[NKX_DMA_SWDGE] =
        (nkx_trigger_costs){ps(c, NKX_MP_SWDGE_TRIGGER), ps(c, NKX_MP_SWDGE_INTERVAL),
                            ps(c, NKX_MP_SWDGE_START), ps(c, NKX_MP_SWDGE_SPREAD)};
    r->packet_cost = ps(c, NKX_MP_DMA_PACKET_COST);
    r->packet_bytes = nkx_cfg_i(c, NKX_MP_DMA_PACKET_BYTES);
    r->complete = ps(c, NKX_MP_DMA_COMPLETE);
    r->to_consumer = ps(c, NKX_MP_DMA_TO_CONSUMER);
    r->wait = ps(c, NKX_MP_SWDGE_WAIT);
    r->wait_row = c->v[NKX_MP_SWDGE_WAIT_ROW];
    r->wait_start = ps(c, NKX_MP_SWDGE_WAIT_START);
    r->burst = c->v[NKX_MP_DMA_RATE_BURST];
    r->steady = c->v[NKX_MP_DMA_RATE_STEADY] < share ? c->v[NKX_MP_DMA_RATE_STEADY] : share;
    r->steady_window = c->v[NKX_MP_DMA_STEADY_WINDOW];
    r->steady_share = c->v[NKX_MP_DMA_STEADY_SHARE];
    r->cast = c->v[NKX_MP_DMA_CAST];
    r->cast_below = nkx_cfg_i(c, NKX_MP_DMA_CAST_BELOW);
    r->transpose_hbm = c->v[NKX_MP_DMA_TRANSPOSE_HBM];
    r->transpose_sbuf = c->v[NKX_MP_DMA_TRANSPOSE_SBUF];
    r->accumulate = c->v[NKX_MP_DMA_ACCUMULATE];
    r->ring_depth = (int)c->v[NKX_MP_DMA_RING_DEPTH];
    r->default_trigger = (int)c->v[NKX_MP_DMA_DEFAULT];
    r->dma_engines = (int)c->v[NKX_MP_DMA_ENGINES];
}

void nkx_rates_init(nkx_rates *r, const nkx_config *c)
{
    const struct {
        int engine;
        nkx_param_id clock;
    } CLOCKS[] = {
        {NKX_PE,   NKX_MP_PE_CLOCK  },
        {NKX_DVE,  NKX_MP_DVE_CLOCK },
        {NKX_ACT,  NKX_MP_ACT_CLOCK },
        {NKX_POOL, NKX_MP_POOL_CLOCK},
        {NKX_SP,   NKX_MP_BASE_CLOCK},
        {NKX_DMA,  NKX_MP_BASE_CLOCK},
    };
    *r = (nkx_rates){0};
    for (size_t i = 0; i < NKX_COUNT(CLOCKS); i++) {
        r->ps_per_cycle[CLOCKS[i].engine] = 1000.0 / c->v[CLOCKS[i].clock];
    }
    r->sync = ps(c, NKX_MP_SYNC);
    r->seq = ps(c, NKX_MP_SEQ_COST);
    r->act_table = ps(c, NKX_MP_ACT_TABLE_LOAD);
    r->ports = c->v[NKX_MP_PORT_CONFLICTS] > 0;
    init_classes(r, c);
    init_pe(r, c);
    init_dma(r, c);
}

/* --- tensor engine --- */

/*
 * Closes the window that just ended (timing.md 2.2, 6.3): the busy share of a window decides the
 * limit of the next. Empty windows bring it back, so that many of them are as good as two.
 */
static void close_windows(nkx_timeline *t, int64_t now)
{
    const nkx_rates *r = &t->r;
    while (t->window_end <= now) {
        double share = (double)t->window_busy / (double)r->limit_window;
        if (share >= r->limit_raise) {
            t->limit_k = FULL;
        } else if (share <= r->limit_drop) {
            t->limit_k = r->limit_start;
        }
        t->window_busy = 0;
        t->window_end += r->limit_window;
        if (t->window_end <= now) { /* the next one is empty */
            int64_t skip = (now - t->window_end) / r->limit_window;
            t->limit_k = r->limit_start;
            t->window_end += (skip + 1) * r->limit_window;
        }
    }
}

/*
 * Issue interval of a multiply that starts at `start`: `full` at the full rate; under the limit the
 * data cycles stretch and the fixed ones hide behind them.
 */
static int64_t limited(nkx_timeline *t, int64_t start, int64_t full, int64_t data)
{
    if (!t->r.limit) return full;
    int64_t now = start;
    double left = (double)data;
    close_windows(t, now);
    for (;;) {
        int64_t room = t->window_end - now;
        int64_t need = (int64_t)(left * FULL / t->limit_k + 0.5);
        if (need <= room) {
            now += need;
            break;
        }
        left -= (double)room * t->limit_k / FULL;
        t->window_busy += room;
        now = t->window_end;
        close_windows(t, now);
    }
    int64_t end = nkx_max64(now, start + full);
    int64_t from = nkx_max64(start, t->window_end - t->r.limit_window);
    t->window_busy += (end < t->window_end ? end : t->window_end) - from;
    t->limit_lost += end - start - full;
    t->limit_weight += (double)(end - start);
    t->limit_sum += (double)(end - start) * t->limit_k / FULL;
    return end - start;
}

typedef struct pe_cost {
    int64_t interval, data, load,
        passes; /* passes: multiplies and loads that the profiler counts */
    int64_t load_shown;
} pe_cost;

static pe_cost cost_of(const nkx_timeline *t, const nkx_cost *c)
{
    const nkx_rates *r = &t->r;
    bool fp32 = c->cls == NKX_COST_PE_MM_FP32 || c->cls == NKX_COST_PE_TRANSPOSE_FP32;
    pe_cost x = {.passes = c->cls == NKX_COST_PE_MM_FP32 ? r->pe_fp32_passes : 1};
    int64_t cycles = fp32 ? x.passes * r->pe_fp32_cycles * c->work_cycles : c->work_cycles;
    int64_t fixed = fp32 ? x.passes * r->pe_fp32_overhead : r->pe_overhead;
    int64_t least = nkx_max64(cycles, r->pe_min_columns);
    x.data = nkx_cycles_ps(t, NKX_PE, cycles);
    x.interval = nkx_cycles_ps(t, NKX_PE, least + fixed + c->extra_cycles);
    x.load = (fp32 ? r->pe_load_fp32 : r->pe_load) * c->ls_cycles / PE_COLUMNS;
    x.load_shown = fp32 ? r->pe_load_shown_fp32 : r->pe_load_shown;
    return x;
}

/* Load of the stationary operand beside the previous multiply, then the multiply (timing.md 6.3).
 */
static int64_t place_pe(nkx_timeline *t, const nkx_op *op, const nkx_deps *deps, nkx_event *e)
{
    pe_cost x = cost_of(t, &op->cost);
    int64_t load = nkx_max64(nkx_max64(t->mm_start, t->load_end), deps->load.at);
    int64_t free_at = t->issue_free[NKX_PE];
    int64_t loaded = op->cost.ls_cycles > 0 ? load + x.load : t->load_end;
    int64_t start = nkx_max64(nkx_max64(free_at, loaded), deps->all.at);
    int64_t held = nkx_max64(deps->all.at, deps->load.at);
    e->wait = held > free_at ? start - free_at : 0;
    const nkx_wait *why = deps->load.at > deps->all.at ? &deps->load : &deps->all;
    if (e->wait > 0) {
        e->wait_kind = why->kind;
        e->wait_for = why->id;
    }
    t->after = e->wait > 0 ? why->id : t->turn[NKX_PE];
    t->began = start == loaded && loaded > nkx_max64(free_at, deps->all.at) ? load : start;
    t->turn[NKX_PE] = e->id;
    int64_t interval = limited(t, start, x.interval, x.data);
    t->load_end = loaded;
    t->mm_start = start;
    t->issue_free[NKX_PE] = start + interval;
    e->start = start;
    e->end = start + interval + t->r.pe_latency;
    /* a load that waits for the other operand is not counted twice: F015 */
    nkx_timeline_active(t, NKX_PE, start - (op->cost.ls_cycles > 0 ? x.load : 0), e->end);
    nkx_engine_sum *s = &t->sum[NKX_PE];
    s->count += x.passes * (op->cost.ls_cycles > 0 ? 2 : 1);
    s->instruction_time += interval + x.passes * t->r.pe_latency;
    t->matmul_count += x.passes;
    if (op->cost.ls_cycles > 0) s->instruction_time += x.passes * x.load_shown;
    s->wait_time += e->wait;
    return e->end + t->r.sync;
}

/* --- vector, scalar, gpsimd, sync --- */

static bool touches(const nkx_op *op, nkx_space space)
{
    for (size_t i = 0; i < op->n_regions; i++) {
        if (op->regions[i].st->space == space) return true;
    }
    return false;
}

/* NC-v2: DVE and POOL share the SBUF port, DVE and ACT the PSUM port (timing.md 2.1). One piece
 * each. */
static int64_t grant_ports(nkx_timeline *t, const nkx_op *op, int64_t start, int64_t len)
{
    bool sbuf = (op->engine == NKX_DVE || op->engine == NKX_POOL) && touches(op, NKX_SPACE_SBUF);
    bool psum = (op->engine == NKX_DVE || op->engine == NKX_ACT) && touches(op, NKX_SPACE_PSUM);
    int64_t before, first;
    do {
        before = start;
        if (sbuf) start = nkx_busy_gap(&t->port_sbuf, start, len);
        if (psum) start = nkx_busy_gap(&t->port_psum, start, len);
    } while (start != before && sbuf && psum);
    if (sbuf) (void)nkx_busy_fill(&t->port_sbuf, start, len, &first);
    if (psum) (void)nkx_busy_fill(&t->port_psum, start, len, &first);
    return start;
}

/* A new function's table is loaded while the engine would wait for data (timing.md 2.4). */
static int64_t load_table(nkx_timeline *t, const nkx_cost *c)
{
    if (c->act_function < 0 || c->act_function == t->act_function) return 0;
    int64_t start = t->issue_free[NKX_ACT];
    t->act_function = c->act_function;
    t->issue_free[NKX_ACT] = start + t->r.act_table;
    nkx_timeline_active(t, NKX_ACT, start, start + t->r.act_table);
    t->sum[NKX_ACT].instruction_time += t->r.act_table;
    t->sum[NKX_ACT].count++;
    return t->r.act_table;
}

int64_t nkx_engine_place(nkx_timeline *t, const nkx_op *op, const nkx_deps *deps, nkx_event *e)
{
    if (op->engine == NKX_PE && op->cost.cls != NKX_COST_SEQ) return place_pe(t, op, deps, e);
    const nkx_issue_costs *k = &t->r.cls[op->cost.cls];
    int engine = op->engine;
    int64_t table = engine == NKX_ACT ? load_table(t, &op->cost) : 0;
    int64_t work = nkx_cycles_ps(t, engine, op->cost.work_cycles + op->cost.extra_cycles);
    int64_t interval = k->overhead + work, free_at = t->issue_free[engine];
    int64_t start = nkx_max64(free_at, deps->all.at);
    e->wait = start - free_at;
    if (e->wait > 0) {
        e->wait_kind = deps->all.kind;
        e->wait_for = deps->all.id;
    }
    if (t->r.ports && engine != NKX_SP) {
        int64_t granted = grant_ports(t, op, start, interval);
        if (granted > start) e->wait_kind = NKX_WAIT_RESOURCE;
        start = granted;
    }
    t->after = e->wait > 0 ? deps->all.id : t->turn[engine];
    t->began = e->wait > 0 ? start : start - table;
    t->turn[engine] = e->id;
    e->start = start;
    e->end = start + nkx_max64(k->latency + work, k->floor);
    t->issue_free[engine] = start + interval;
    nkx_timeline_active(t, engine, start, e->end);
    nkx_engine_sum *s = &t->sum[engine];
    s->count++;
    s->instruction_time += e->end - start;
    s->wait_time += e->wait;
    return e->end + t->r.sync;
}
