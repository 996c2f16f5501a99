/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Insides of the timeline, shared by timeline.c (sums), engine.c (compute engines), dma.c
 * (transfers) and summary.c. Private to the machine layer. All times are integer picoseconds from
 * the start of the kernel.
 */
#ifndef NKX_MACHINE_TIMELINE_PRIVATE_H
#define NKX_MACHINE_TIMELINE_PRIVATE_H

#include "interp/machine/busy.h"
#include "interp/machine/critical.h"
#include "interp/machine/hazard.h"
#include "interp/machine/timeline.h"

enum {
    NKX_N_BUCKETS = 1024,
    NKX_DMA_GROUPS = 16,   /* at most one for each DMA engine */
    NKX_WAIT_RESOURCE = 4, /* nkx_event.wait_kind */
    NKX_RING_MOST = 64,    /* largest dma.ring_depth */
};

/*
 * Rings: one for each engine that may trigger, and one for the stores of kernels that name no
 * engine, which blocks neither loads nor a compute engine (timing.md 6.4 item 1).
 */
enum { NKX_RING_STORE = NKX_N_ENGINES, NKX_N_RINGS };

typedef struct nkx_issue_costs { /* of a cost class */
    int64_t overhead;            /* issue interval over the data time */
    int64_t latency;             /* end over the data time */
    int64_t floor;               /* least latency */
} nkx_issue_costs;

typedef struct nkx_trigger_costs { /* of a trigger kind */
    int64_t trigger, interval, start, spread;
} nkx_trigger_costs;

/* Machine parameters, ready for use. */
typedef struct nkx_rates {
    double ps_per_cycle[NKX_N_ENGINES];
    nkx_issue_costs cls[NKX_N_COST_CLASSES];
    nkx_trigger_costs trigger[4];
    int64_t sync, seq, act_table;
    int64_t pe_min_columns, pe_overhead, pe_latency, pe_fp32_passes, pe_fp32_cycles,
        pe_fp32_overhead;
    int64_t pe_load, pe_load_fp32, pe_load_shown, pe_load_shown_fp32; /* of 128 columns */
    int64_t limit_window;
    int limit_start;
    double limit_raise, limit_drop;
    bool limit, ports;
    int64_t packet_cost, packet_bytes, complete, to_consumer, wait, wait_start, cast_below;
    double wait_row, burst, steady, steady_window, steady_share, cast;
    double transpose_hbm, transpose_sbuf, accumulate;
    int ring_depth, default_trigger, dma_engines;
} nkx_rates;

/* Consecutive DMA engines in one state: transfers of 128 partitions keep all sixteen alike. */
typedef struct nkx_dma_group {
    int e0, e1;
    nkx_busy busy;
    int64_t ring_end[NKX_N_RINGS]; /* end of the last work of a ring: rings run in order */
    double load;                   /* busy share, exponentially weighted */
    int64_t load_at;               /* when it was computed */
} nkx_dma_group;

typedef struct nkx_ring {
    int64_t issue_free; /* NKX_RING_STORE alone; others share their engine's */
    int64_t next;       /* earliest next trigger */
    uint64_t turn;      /* previous transfer */
    int64_t done[NKX_RING_MOST];
    uint64_t n;
} nkx_ring;

typedef struct nkx_site { /* sums of one call in the source */
    uint32_t source, begin, function;
    uint8_t engine;
    const char *opcode;
    int64_t count, time, wait, stall, bytes, flops;
} nkx_site;

/* What an instruction waits for: its operands; the stationary operand of PE apart. */
typedef struct nkx_deps {
    nkx_wait all, load;
} nkx_deps;

struct nkx_timeline {
    nkx_core *core;
    nkx_rates r;

    uint64_t turn[NKX_N_ENGINES]; /* previous instruction of the engine */
    int64_t began; /* of the instruction being placed: what held it, and until when */
    uint64_t after;
    int64_t issue_free[NKX_N_ENGINES]; /* earliest issue of the next instruction */
    int64_t shown_to[NKX_N_ENGINES];   /* end of the union of activity so far */
    int64_t act_function;
    /* PE */
    int64_t mm_start, load_end, window_end, window_busy;
    int limit_k; /* eighths */
    double limit_weight, limit_sum;
    int64_t limit_lost;
    /* NC-v2 ports */
    nkx_busy port_sbuf, port_psum;
    /* DMA */
    nkx_dma_group group[NKX_DMA_GROUPS];
    int n_groups;
    nkx_ring ring[NKX_N_RINGS];
    nkx_busy dma_cover;

    /* sums */
    nkx_engine_sum sum[NKX_N_ENGINES];
    int64_t frontier; /* end of all so far */
    int64_t instructions, model_flops, hardware_flops, transpose_flops;
    double adjusted_flops;
    int64_t dma_packet_time, dma_transfers, dma_bytes, dma_by_kind[4], min_read;
    int64_t dma_bytes_by_kind[4], total_active, matmul_count, input_bytes, output_bytes,
        psum_to_sbuf;
    nkx_busy all_cover;
    nkx_mem_sum mem[3]; /* by space; HBM of both kinds together */
    nkx_site *sites;    /* in order of first use */
    uint32_t *slots;    /* hash table over them: index plus one */
    size_t n_sites, cap_sites, n_slots;
    nkx_critical critical;
    int bucket_bits; /* a bucket is 2^bits picoseconds */
    int64_t busy[NKX_N_ENGINES][NKX_N_BUCKETS];
    int64_t sbuf_use[NKX_N_BUCKETS], psum_use[NKX_N_BUCKETS]; /* bytes; negative: nothing seen */

    nkx_event last;
    nkx_event_sink sink;
    void *sink_user;
    nkx_summary summary;
    nkx_arena arena; /* of the summary */
};

void nkx_rates_init(nkx_rates *r, const nkx_config *c);
/* Both place an op and fill e's times; answer the earliest start of a dependent. */
int64_t nkx_engine_place(nkx_timeline *t, const nkx_op *op, const nkx_deps *deps, nkx_event *e);
int64_t nkx_dma_place(nkx_timeline *t, const nkx_op *op, const nkx_deps *deps, nkx_event *e);
/* Whole life of an op in time. Answers the earliest start of a dependent. */
int64_t nkx_timeline_issue(nkx_timeline *t, const nkx_op *op, uint64_t id, const nkx_deps *deps);
/* Charges all time so far to the instructions that took it. */
void nkx_timeline_settle(nkx_timeline *t);
/* Adds activity of an engine: instructions of one engine come in order of their start. */
void nkx_timeline_active(nkx_timeline *t, int engine, int64_t start, int64_t end);
void nkx_timeline_bucket(nkx_timeline *t, int engine, int64_t start, int64_t end, int64_t busy);

static inline int64_t nkx_max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}
static inline int64_t nkx_cycles_ps(const nkx_timeline *t, int engine, int64_t cycles)
{
    return (int64_t)((double)cycles * t->r.ps_per_cycle[engine] + 0.5);
}

#endif
