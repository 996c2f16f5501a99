/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One NeuronCore: memories, tracker, timeline, executor. nkx_core_issue takes an instruction that
 * has been checked, finds its hazards, places it in time, and runs or queues its numbers.
 */
#ifndef NKX_MACHINE_CORE_H
#define NKX_MACHINE_CORE_H

#include "interp/machine/memory.h"
#include "interp/machine/track.h"

typedef enum nkx_engine {
    NKX_PE,
    NKX_DVE,
    NKX_ACT,
    NKX_POOL,
    NKX_SP,
    NKX_DMA,
    NKX_N_ENGINES
} nkx_engine;
const char *nkx_engine_name(nkx_engine e); /* "PE" */
const char *nkx_engine_label(
    nkx_engine e); /* vendor's name: "Tensor", "Vector", "Scalar", "GpSimd", "Sync", "DMA" */

/* Cost classes: which overhead and latency parameters of the machine file apply (timing.md 2, 6.6).
 */
typedef enum nkx_cost_class {
    NKX_COST_PE_MM,        /* 16- and 8-bit and MX matmul */
    NKX_COST_PE_MM_FP32,   /* two passes */
    NKX_COST_PE_TRANSPOSE, /* 16-bit transpose mode, or gen2 */
    NKX_COST_PE_TRANSPOSE_FP32,
    NKX_COST_DVE,      /* 1x rate */
    NKX_COST_DVE_PERF, /* 2x, 4x performance modes */
    NKX_COST_ACT,      /* activation function */
    NKX_COST_ACT_COPY,
    NKX_COST_POOL,
    NKX_COST_DMA,
    NKX_COST_SEQ, /* registers, branches */
    NKX_N_COST_CLASSES,
} nkx_cost_class;

typedef enum nkx_dma_trigger {
    NKX_DMA_AUTO,
    NKX_DMA_STATIC,
    NKX_DMA_HWDGE,
    NKX_DMA_SWDGE
} nkx_dma_trigger;

/* Pure function of shapes, types and configuration. Cycles of the executing engine. */
typedef struct nkx_cost {
    uint8_t cls;       /* nkx_cost_class */
    uint8_t perf_mode; /* 1, 2 or 4 */
    bool is_transpose; /* flops count as transpose, not as model flops */
    bool dma_transpose, dma_cast, dma_accumulate;
    uint8_t trigger;      /* nkx_dma_trigger; AUTO: the machine decides (timing.md 6.4) */
    uint8_t queue_engine; /* engine named by the kernel for the trigger; NKX_N_ENGINES: none */
    uint8_t priority;
    int64_t work_cycles;  /* data cycles; PE: moving columns of one pass */
    int64_t ls_cycles;    /* PE: stationary columns */
    int64_t extra_cycles; /* accumulator read and the like */
    int64_t flops;        /* 2 per multiply-add, of PE */
    double flop_weight;   /* adjusted_hardware_flops weight (timing.md 7) */
    int64_t act_function; /* activation function id for table loads, -1: none */
    /* DMA: `rows` runs of `run_bytes` contiguous on both sides; SBUF side for the engine split */
    int64_t bytes, rows, run_bytes;
    uint32_t part0, nparts; /* of the SBUF side; nparts 0: HBM to HBM */
    bool to_hbm, from_hbm;
} nkx_cost;

/* Numbers of one instruction: run(arg) on any thread. arg is copied (arg_bytes) when queued. */
typedef struct nkx_work {
    void (*run)(const void *arg);
    const void *arg;
    size_t arg_bytes;
    /* Matmuls: jobs with the same non-zero fuse key in a row may be run by run_many (args in
     * order). */
    uint64_t fuse_key;
    void (*run_many)(const void *const *args, size_t n);
} nkx_work;

typedef struct nkx_op {
    const char *opcode; /* "nc_matmul" */
    const char *label;  /* name= or NULL */
    nkx_span span;
    uint32_t function; /* index of the source function, nkx_core_function */
    uint8_t engine;
    nkx_cost cost;
    nkx_region *regions; /* reads first or last, any order */
    size_t n_regions;
    const char
        *operands_text; /* "dst=..., src=..." for list and logs; NULL unless core->want_text */
    uint64_t *after;    /* explicit edges: ids returned by earlier issues */
    size_t n_after;
} nkx_op;

typedef struct nkx_modes {
    bool exec;     /* run numbers: memories hold data */
    bool time;     /* keep the timeline */
    bool hazards;  /* undefined reads, order */
    bool nan_fill; /* fill fresh tensors as the vendor's simulator does: NaN, 4 for integers */
    bool fp32;     /* --fp32: low-precision types are kept in fp32 */
    int nki;       /* rules of NKI 0.N hold; 0: the latest */
    int threads;
} nkx_modes;

struct nkx_timeline;
struct nkx_executor;

struct nkx_core {
    const nkx_config *config;
    nkx_diags *diags;
    nkx_modes modes;
    nkx_memory *memory;
    nkx_arrays *arrays;            /* borrowed; may be NULL */
    struct nkx_timeline *timeline; /* NULL unless modes.time */
    struct nkx_executor *executor; /* NULL unless modes.exec */
    uint64_t n_issued;
    bool want_text;
    bool in_order; /* inside nl.no_reorder() */
    /* listener of every issued op (nkx list); may be NULL */
    void (*on_op)(void *user, const nkx_op *op, uint64_t id);
    void *user;
    /* listener that sees operands: an nkx_issue_listener of the isa layer; NULL */
    const void *issue_listener;
    bool no_data_registers; /* set by the evaluator: a dynamic loop was counted once for want of a
                               value */
    struct nkx_core_state *state; /* private to core.c */
    /* accumulator registers, PRNG state, register file and the like belong to the isa layer */
    void *isa_state;
    void (*isa_state_free)(void *);
};

/* Host bytes that stand for a device byte: with modes.fp32 there is room for fp32 in every cell. */
static inline int64_t nkx_host_scale(const nkx_core *core)
{
    return core->modes.fp32 ? 4 : 1;
}

/* `arrays`: those of an earlier core to go on with, and where this one leaves its own; or NULL. */
NKX_MUST_USE bool nkx_core_init(nkx_core *core, const nkx_config *config, nkx_diags *diags,
                                nkx_modes modes, nkx_arrays *arrays);
void nkx_core_fini(nkx_core *core);

/*
 * Issues one instruction. Returns false after an error (undefined read, order violation); the
 * instruction then has no effect. *id (may be NULL) names it for later edges.
 */
NKX_MUST_USE bool nkx_core_issue(nkx_core *core, const nkx_op *op, const nkx_work *work,
                                 uint64_t *id);
/* Waits until all queued numbers are done: before anything reads memory from outside. */
void nkx_core_flush(nkx_core *core);
/* Interns a source function name for aggregation. */
uint32_t nkx_core_function(nkx_core *core, const char *name);
/* Their names by index; valid until the next one is added. */
const char **nkx_core_functions(nkx_core *core, size_t *n);

#endif
