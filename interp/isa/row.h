/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the engine files share: words to write rows with, the checks common to all instructions
 * (isa.md 4.0.2), and cost helpers. Not seen outside of isa.
 */
#ifndef NKX_ISA_ROW_H
#define NKX_ISA_ROW_H

#include "interp/isa/isa.h"

/* ---- words for parameter lists ---- */

#define DT(x)         (1u << NKX_DT_##x)
#define NKX_DTS_FP8   (DT(FP8_E4M3) | DT(FP8_E4M3FN) | DT(FP8_E5M2))
#define NKX_DTS_HALF  (DT(FP16) | DT(BF16))
#define NKX_DTS_FLOAT (NKX_DTS_FP8 | NKX_DTS_HALF | DT(TF32) | DT(FP32))
#define NKX_DTS_INT8  (DT(BOOL) | DT(INT8) | DT(UINT8))
#define NKX_DTS_INT16 (DT(INT16) | DT(UINT16))
#define NKX_DTS_INT32 (DT(INT32) | DT(UINT32))
#define NKX_DTS_INT   (NKX_DTS_INT8 | NKX_DTS_INT16 | NKX_DTS_INT32)
#define NKX_DTS_X4    (DT(FP8_E5M2_X4) | DT(FP8_E4M3FN_X4) | DT(FP4_E2M1FN_X4))
#define NKX_DTS_PLAIN (NKX_DTS_INT | NKX_DTS_FLOAT)
#define NKX_DTS_ALL   (NKX_DTS_PLAIN | NKX_DTS_X4 | DT(FP8_E8M0))

#define NKX_PF_TILE (NKX_PF_LANES | NKX_PF_ELEMS)

/* A required tile; the rest (doc, dtypes, spaces, flags) follows by name. */
#define P_DST(...)                                                                                 \
    {                                                                                              \
        .name = "dst", .accept = NKX_P_TILE, .dir = NKX_DIR_OUT, .required = true, __VA_ARGS__     \
    }
#define P_IN(n, ...)                                                                               \
    {                                                                                              \
        .name = n, .accept = NKX_P_TILE, .dir = NKX_DIR_IN, .required = true, __VA_ARGS__          \
    }
#define P_NUM(n, ...)                                                                              \
    {                                                                                              \
        .name = n, .accept = NKX_P_TILE_OR_SCALAR, .dir = NKX_DIR_IN, .required = true,            \
        .flags = NKX_PF_COLUMN | NKX_PF_LANES, __VA_ARGS__                                         \
    }
/* The same where a tile is expected to be fp32, and where None is accepted. */
#define P_NUM_FP32(n, ...)                                                                         \
    {                                                                                              \
        .name = n, .accept = NKX_P_TILE_OR_SCALAR, .dir = NKX_DIR_IN, .required = true,            \
        .flags = NKX_PF_COLUMN | NKX_PF_LANES | NKX_PF_FP32, __VA_ARGS__                           \
    }
#define P_NUM_NONE(n, ...)                                                                         \
    {                                                                                              \
        .name = n, .accept = NKX_P_TILE_OR_SCALAR | NKX_P_OPTIONAL, .dir = NKX_DIR_IN,             \
        .required = true, .flags = NKX_PF_COLUMN | NKX_PF_LANES, __VA_ARGS__                       \
    }
/* Optional number or tile with a default number. */
#define P_NUM_DFLT(n, text, number, ...)                                                           \
    {                                                                                              \
        .name = n, .accept = NKX_P_TILE_OR_SCALAR, .dir = NKX_DIR_IN, .dflt = text,                \
        .dv = {.kind = NKX_ARG_FLOAT, .u.f = number}, __VA_ARGS__                                  \
    }
#define P_OP(n, ...)                                                                               \
    {                                                                                              \
        .name = n, .accept = NKX_ACCEPT(NKX_ARG_OP), .required = true, __VA_ARGS__                 \
    }
#define P_OPT(n, kinds, ...)                                                                       \
    {                                                                                              \
        .name = n, .accept = (kinds) | NKX_P_OPTIONAL, .dflt = "None", __VA_ARGS__                 \
    }
#define P_COL_OPT(n, ...)                                                                          \
    P_OPT(n, NKX_P_TILE_OR_SCALAR, .dir = NKX_DIR_IN, .flags = NKX_PF_COLUMN | NKX_PF_LANES,       \
          __VA_ARGS__)
#define P_COL_OPT_FP32(n, ...)                                                                     \
    P_OPT(n, NKX_P_TILE_OR_SCALAR, .dir = NKX_DIR_IN,                                              \
          .flags = NKX_PF_COLUMN | NKX_PF_LANES | NKX_PF_FP32, __VA_ARGS__)
#define P_OP_NONE(n, ...)                                                                          \
    {                                                                                              \
        .name = n, .accept = NKX_ACCEPT(NKX_ARG_OP) | NKX_P_OPTIONAL, .required = true,            \
        __VA_ARGS__                                                                                \
    }
/* Any other: all fields by name. A macro, since rows of braces among these would be aligned into
 * columns. */
#define P_ROW(...)                                                                                 \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define P_BOOL(n, ...)                                                                             \
    {                                                                                              \
        .name = n, .accept = NKX_ACCEPT(NKX_ARG_BOOL) | NKX_ACCEPT(NKX_ARG_INT), .dflt = "False",  \
        .dv = {.kind = NKX_ARG_BOOL}, __VA_ARGS__                                                  \
    }
#define NKX_ENUM_ARG(E, val)                                                                       \
    {                                                                                              \
        .kind = NKX_ARG_ENUM, .u = {                                                               \
            .e = {E, val}                                                                          \
        }                                                                                          \
    }
#define P_ENUM(n, E, val, text, ...)                                                               \
    {                                                                                              \
        .name = n, .accept = NKX_ACCEPT(NKX_ARG_ENUM), .dflt = text, .dv = NKX_ENUM_ARG(E, val),   \
        __VA_ARGS__                                                                                \
    }
#define P_ENGINE                                                                                   \
    P_ENUM("engine", NKX_ENUM_ENGINE, NKX_ENGINE_UNKNOWN, "engine.unknown",                        \
           .doc = "engine to run on; unknown lets the compiler choose")
#define P_END                                                                                      \
    {                                                                                              \
        .name = NULL                                                                               \
    }

/* Values of the enums of isa.md 4.1. */
enum {
    NKX_ENGINE_UNKNOWN = 0,
    NKX_ENGINE_TENSOR = 1,
    NKX_ENGINE_SCALAR = 2,
    NKX_ENGINE_GPSIMD = 3,
    NKX_ENGINE_DMA = 4,
    NKX_ENGINE_VECTOR = 5,
    NKX_ENGINE_SYNC = 6
};
enum { NKX_CMD_IDLE, NKX_CMD_RESET, NKX_CMD_REDUCE, NKX_CMD_RESET_REDUCE, NKX_CMD_LOAD_REDUCE };
enum { NKX_DGE_UNKNOWN, NKX_DGE_SWDGE, NKX_DGE_HWDGE, NKX_DGE_NONE };
enum { NKX_OOB_ERROR, NKX_OOB_SKIP };
enum { NKX_PERF_NONE, NKX_PERF_DOUBLE_ROW };
enum { NKX_DMAENG_DMA = 1, NKX_DMAENG_GPSIMD = 2 };

/* ---- arguments ---- */

static inline const nkx_arg *nkx_arg_of(const nkx_issue *is, int i)
{
    return &is->arg[i];
}
static inline bool nkx_has(const nkx_issue *is, int i)
{
    return is->arg[i].kind != NKX_ARG_ABSENT;
}
static inline bool nkx_is_tile(const nkx_issue *is, int i)
{
    return is->arg[i].kind == NKX_ARG_VIEW;
}
static inline nkx_view *nkx_tile(const nkx_issue *is, int i)
{
    return is->arg[i].u.view;
}
static inline nkx_alu nkx_op_of(const nkx_issue *is, int i)
{
    return is->arg[i].kind == NKX_ARG_OP ? (nkx_alu)is->arg[i].u.op : NKX_N_ALU;
}
static inline int nkx_enum_of(const nkx_issue *is, int i)
{
    return is->arg[i].kind == NKX_ARG_ENUM ? is->arg[i].u.e.value : (int)is->arg[i].u.i;
}
static inline bool nkx_bool_of(const nkx_issue *is, int i)
{
    return is->arg[i].kind == NKX_ARG_BOOL ? is->arg[i].u.b
                                           : is->arg[i].kind == NKX_ARG_INT && is->arg[i].u.i != 0;
}
double nkx_num_of(const nkx_issue *is, int i);    /* a number; 0 when absent */
int64_t nkx_int_of(const nkx_issue *is, int i);   /* an integer; register values too */
nkx_span nkx_span_of(const nkx_issue *is, int i); /* of the argument, else of the call */
static inline int nkx_gen(const nkx_issue *is)
{
    return is->core->config->gen;
}
/* Do rules hold that are older than those of NKI 0.minor? */
static inline bool nkx_before(const nkx_issue *is, int minor)
{
    return NKX_UNLIKELY(is->core->modes.nki != 0) && is->core->modes.nki < minor;
}
static inline nkx_diags *nkx_isa_diags(const nkx_issue *is)
{
    return is->core->diags;
}

/* ---- diagnostics ---- */

/* Adds a diagnostic at argument i (-1: the call), message and hint; true when it does not stop the
 * instruction. */
bool nkx_isa_fault(const nkx_issue *is, nkx_code code, int i, const char *hint, const char *fmt,
                   ...) NKX_PRINTF(5, 6);

/* ---- shared checks (operand.c) ---- */

/* `what` at argument i came with NKI 0.minor: a fault under older rules. */
bool nkx_check_since(const nkx_issue *is, int i, int minor, const char *what);
/* Operator argument i of tensor_scalar and its like: square and relu came with NKI 0.4. */
bool nkx_check_newer_op(const nkx_issue *is, int i);

bool nkx_operands_fine(const nkx_issue *is); /* nothing for the next four to say */
bool nkx_check_buffers(nkx_issue *is);       /* memories for the chosen engine, indirect forms */
bool nkx_check_partitions(nkx_issue *is);    /* equal and at most 128 */
bool nkx_check_elements(nkx_issue *is);      /* equal free sizes, (P, 1) columns */
bool nkx_check_dtypes(nkx_issue *is);
bool nkx_check_limits(nkx_issue *is); /* start partitions, dims, adjacent partitions */
bool nkx_check_not_both_psum(nkx_issue *is, int a, int b);
bool nkx_check_same_dtype(nkx_issue *is, int a, int b);
/* Engine asked for by argument `i` against the row's; `fallback` for unknown. Sets is->engine. */
bool nkx_pick_engine(nkx_issue *is, int i, nkx_engine fallback, unsigned allowed);
/* Operator argument i must have all of `flags` and run on the chosen engine and target. */
bool nkx_check_op(nkx_issue *is, int i, unsigned flags, const char *what);
/* Operator out of a list that ends with NKX_N_ALU. */
bool nkx_check_op_in(nkx_issue *is, int i, const nkx_alu *list, const char *what);
bool nkx_check_cmd(nkx_issue *is, int i, unsigned allowed); /* reduce_cmd bits */
/* Free dims of a view after merging, without those of one element. */
int nkx_free_dims(const nkx_view *v);
int64_t nkx_start_partition(const nkx_view *v); /* of an on-chip view */
bool nkx_check_start(nkx_issue *is, int i);     /* start partition rule (isa.md 1.5) */
/* False while an index was never written: the hazard check reports that, its value means nothing.
 */
bool nkx_index_written(const nkx_view *index);
bool nkx_is_arith(nkx_alu op);
bool nkx_is_bits(nkx_alu op);

/* ---- costs (cost.c) ---- */

static inline int64_t nkx_n_of(const nkx_issue *is, int i)
{
    return nkx_view_free_size(is->arg[i].u.view);
}
static inline bool nkx_in_psum(const nkx_view *v)
{
    return v->st->space == NKX_SPACE_PSUM;
}
/* Fills class and work from the engine: DVE, ACT, POOL at one cycle an element. */
void nkx_cost_lanes(const nkx_issue *is, nkx_cost *out, int64_t cycles);
/* DVE performance mode of a copy-like instruction from src to dst: 1, 2 or 4 (isa.md 4.0.3). */
int nkx_perf_mode(const nkx_issue *is, const nkx_view *dst, const nkx_view *src);
/* Two data inputs (timing.md 2.3): cycles for N elements, and the 2x mode. */
void nkx_cost_two_inputs(const nkx_issue *is, nkx_cost *out, const nkx_view *dst, const nkx_view *a,
                         const nkx_view *b);
#define NKX_ACC_READ 64 /* cycles of reading an accumulator (isa.md 2.6) */

/* ---- lowering ---- */

/*
 * Every job begins with the access of its destination: when is->overlap, the numbers go to a
 * temporary first and are copied to the destination once all are there.
 */
void nkx_lower_job(nkx_issue *is, nkx_work *out, void (*run)(const void *), const void *job,
                   size_t bytes);
/* The same for a job with a second output, whose access is `second` bytes into it (0: none). */
void nkx_lower_job_two(nkx_issue *is, nkx_work *out, void (*run)(const void *), const void *job,
                       size_t bytes, size_t second);
void *nkx_job_new(nkx_issue *is, size_t bytes); /* zeroed, in scratch */

/* Operand that is a number or a (P, 1) column. */
typedef struct nkx_col {
    bool tile;
    float v;
    uint8_t *base;
    int64_t pstep;
    uint8_t dtype;
} nkx_col;
void nkx_col_lower(const nkx_issue *is, int i, float absent, nkx_col *out);
static inline float nkx_col_at(const nkx_col *c, uint32_t p)
{
    if (!c->tile) return c->v;
    float v;
    nkx_dtypes[c->dtype].load_f32(&v, c->base + (int64_t)p * c->pstep, 1, 4);
    return v;
}

/* ---- accumulators and generators of a core (state.c) ---- */

typedef struct nkx_seen { /* a view that was looked at, by its place */
    uint64_t serial;
    int64_t offset, n;
} nkx_seen;

typedef struct nkx_isa_state {
    nkx_seen one_hot[16]; /* moving operands of transposes */
    size_t n_one_hot;
    float acc_act[128], acc_dve[128]; /* by physical partition (isa.md 2.6) */
    uint64_t turn_act[128], turn_dve[128],
        turns; /* last writer of each in program order (lanes.h) */
    uint32_t rng_dve[128][24], rng_pool[128][6]; /* XORWOW words; DVE has four states */
    uint8_t rng_turn[128];                       /* which of the four DVE states is next */
} nkx_isa_state;
nkx_isa_state *nkx_isa_state_of(nkx_core *core);

/* ---- the rows ---- */
#define NKX_ROW(n) extern const nkx_insn nkx_insn_##n;
#include "interp/isa/rows.def"
#undef NKX_ROW

#endif
