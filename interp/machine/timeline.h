/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time by timing.md 6: in-order engines with issue intervals, dependences by byte range, DMA
 * triggers, queues and packets, PE warm-up. Consumes the stream in program order in bounded
 * memory; keeps sums per engine, opcode, source line and function, and time series in fixed
 * buckets that widen. A full event log goes to a sink when asked. All times are picoseconds.
 */
#ifndef NKX_MACHINE_TIMELINE_H
#define NKX_MACHINE_TIMELINE_H

#include "interp/machine/core.h"

#define NKX_MODEL_VERSION "1"
/* What every report says of itself: how far the model was off on published runs (timing.md 8). */
#define NKX_MODEL_ERROR                                                                            \
    "within 5 % of four published matmul runs that fit SBUF (trn1, trn2) and 2 % of single trn2 "  \
    "instructions; trn3 is not scored"

typedef struct nkx_event {
    uint64_t id;
    uint8_t engine;
    const char *opcode, *label;
    nkx_span span;
    uint32_t function;
    int64_t start, end, wait; /* wait: held back by dependences, not counted in end - start */
    int64_t flops, bytes;
    uint8_t perf_mode;
    uint8_t wait_kind; /* 0 none, 1 flow, 2 anti, 3 output, 4 resource, 5 explicit */
    uint64_t wait_for; /* id of the instruction it waited for */
    int64_t trigger_start, trigger_end; /* DMA */
    uint8_t queue;                      /* DMA */
    const char *operands_text;
} nkx_event;

typedef void (*nkx_event_sink)(void *user, const nkx_event *e);

typedef struct nkx_engine_sum {
    int64_t active, instruction_time, wait_time; /* union of intervals; sum; semaphore waits */
    int64_t count;
} nkx_engine_sum;

typedef struct nkx_op_sum { /* by engine and opcode */
    uint8_t engine;
    const char *opcode;
    int64_t count, time, bytes, flops;
} nkx_op_sum;

typedef struct nkx_line_sum { /* by source line: what an author reads */
    uint32_t source, line, function;
    const char *opcode; /* of its first instruction */
    int64_t count, time, wait, bytes, flops;
    int64_t stall; /* time of the run charged to the line, along the chain of what held what */
} nkx_line_sum;

typedef struct nkx_mem_sum {
    int64_t read, written;
} nkx_mem_sum;

typedef struct nkx_summary {
    const nkx_config *config;
    const char *target;
    int64_t span, total; /* kernel span; with the frame of timing.md 6.5 */
    int64_t instructions;
    int64_t model_flops, hardware_flops, transpose_flops;
    double adjusted_flops, mfu, hfu, mfu_max, mbu, arithmetic_intensity, peak_intensity;
    nkx_engine_sum engines[NKX_N_ENGINES];
    int64_t pe_limit_lost;   /* time lost to the utilisation limit */
    double pe_limit_average; /* mean k/8 while active */
    int64_t dma_active, dma_packet_time, dma_transfers, dma_bytes, dma_average_bytes;
    int64_t dma_by_kind[4]; /* transfers by nkx_dma_trigger */
    int64_t dma_bytes_by_kind[4];
    int64_t total_active;              /* union of all activity */
    int64_t matmul_count;              /* multiplies as the vendor counts them: each fp32 pass */
    int64_t input_bytes, output_bytes; /* DMA from inputs, and to HBM tensors that are none */
    int64_t psum_to_sbuf;              /* bytes of instructions that read PSUM and write SBUF */
    nkx_mem_sum hbm, sbuf, psum;
    int64_t min_read_bytes; /* if every input were read once */
    int64_t sbuf_peak, psum_peak, hbm_peak;
    nkx_op_sum *ops;
    size_t n_ops; /* most time first */
    nkx_line_sum *lines;
    size_t n_lines; /* most time first */
    const char **functions;
    size_t n_functions;
    const char **remarks;
    size_t n_remarks; /* sentences: what holds this kernel back */
    /* equal-width buckets over the span */
    int64_t bucket;
    size_t n_buckets;
    double *engine_busy[NKX_N_ENGINES]; /* 0..1 */
    double *sbuf_use, *psum_use;        /* 0..1 of usable bytes */
    bool no_data_registers;             /* dynamic loops were counted once: no values */
} nkx_summary;

typedef struct nkx_timeline nkx_timeline;

nkx_timeline *nkx_timeline_new(nkx_core *core);
void nkx_timeline_free(nkx_timeline *t);
void nkx_timeline_sink(nkx_timeline *t, nkx_event_sink sink, void *user);
/* Closes open work and computes the sums; owned by the timeline until freed. Can be called again
 * later. */
const nkx_summary *nkx_timeline_summary(nkx_timeline *t);
/* Time the last issued instruction took and when it ended: shown by the REPL. */
void nkx_timeline_last(const nkx_timeline *t, nkx_event *out);

#endif
