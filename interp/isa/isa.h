/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instruction table: one row says all there is about an instruction (style.md 3). Rows stand in
 * their engine's file beside their functions; table.c joins them. This layer sees operands, never
 * values of the language: eval/bind.c turns call arguments into operands by reading `params`.
 *
 * nkx_isa_issue runs the life of an instruction: defaults, engine choice, checks, cost, regions,
 * then nkx_core_issue (hazards, time, numbers). It empties is->scratch before it returns.
 */
#ifndef NKX_ISA_ISA_H
#define NKX_ISA_ISA_H

#include "interp/machine/core.h"
#include "interp/num/ops.h"
#include "interp/tensor/view.h"

typedef enum nkx_arg_kind {
    NKX_ARG_ABSENT, /* not given and no default, or None where None means absent */
    NKX_ARG_VIEW,
    NKX_ARG_INT,
    NKX_ARG_FLOAT,
    NKX_ARG_BOOL,
    NKX_ARG_OP, /* nkx_alu */
    NKX_ARG_DTYPE,
    NKX_ARG_ENUM, /* member of an isa enum: e.which, e.value */
    NKX_ARG_STR,
    NKX_ARG_REG,
    NKX_ARG_INTS,    /* list or tuple of ints */
    NKX_ARG_PATTERN, /* list of [step, num] pairs */
    NKX_ARG_VIEWS,   /* list of views */
    NKX_ARG_FLOATS,  /* list of numbers (scales) */
} nkx_arg_kind;

/* Kinds a parameter accepts: bits 1 << nkx_arg_kind. A bool is an int to an int parameter; an int
 * is a float. */
#define NKX_ACCEPT(k)        (1u << (k))
#define NKX_P_TILE           NKX_ACCEPT(NKX_ARG_VIEW)
#define NKX_P_SCALAR         (NKX_ACCEPT(NKX_ARG_FLOAT) | NKX_ACCEPT(NKX_ARG_INT))
#define NKX_P_TILE_OR_SCALAR (NKX_P_TILE | NKX_P_SCALAR)
#define NKX_P_OPTIONAL       NKX_ACCEPT(NKX_ARG_ABSENT) /* None is accepted */

#define NKX_MAX_PARAMS 18

typedef struct nkx_arg {
    uint8_t kind; /* nkx_arg_kind */
    union {
        nkx_view *view; /* borrowed for the duration of the issue */
        nkx_register *reg;
        int64_t i;
        double f;
        bool b;
        uint16_t op;
        uint8_t dtype;
        const char *s;
        struct {
            uint8_t which; /* nkx_isa_enum index */
            int value;
        } e;
        struct {
            const int64_t *at;
            int n; /* PATTERN: pairs */
        } ints;
        struct {
            nkx_view **at;
            int n;
        } views;
        struct {
            const double *at;
            int n;
        } floats;
    } u;
} nkx_arg;

typedef enum nkx_dir { NKX_DIR_NONE, NKX_DIR_IN, NKX_DIR_OUT, NKX_DIR_INOUT } nkx_dir;

typedef struct nkx_isa_param {
    const char *name;
    unsigned accept; /* NKX_ACCEPT bits */
    uint8_t dir;     /* nkx_dir, of views */
    bool required;
    const char *dflt; /* default as shown in docs and parsed by the row's defaults: "1.0", "None",
                         "engine.unknown", "False"; NULL when required */
    const char *doc;  /* one line */
    /* what the shared checks of operand.c ask of a view (isa.md 4.0.2) */
    uint8_t spaces;  /* NKX_IN_* bits of allowed memories; 0: SBUF and PSUM */
    uint8_t flags;   /* NKX_PF_* */
    uint32_t dtypes; /* bits 1 << nkx_dtype; 0: every type but the packed ones and e8m0 */
    nkx_arg dv;      /* the default as an argument; ABSENT for None */
} nkx_isa_param;

#define NKX_IN_SBUF (1u << NKX_SPACE_SBUF)
#define NKX_IN_PSUM (1u << NKX_SPACE_PSUM)
#define NKX_IN_HBM  (1u << NKX_SPACE_HBM | 1u << NKX_SPACE_SHARED_HBM)

#define NKX_PF_LANES    1u  /* partitions equal those of the other LANES operands */
#define NKX_PF_ELEMS    2u  /* elements per partition equal those of the other ELEMS operands */
#define NKX_PF_COLUMN   4u  /* a tile here is (P, 1) */
#define NKX_PF_ANYPART  8u  /* start partition rule and row limit do not apply (DMA, MX scales) */
#define NKX_PF_INDIRECT 16u /* may be a .indirect() view (isa.md 3.7) */
#define NKX_PF_VECTOR   32u /* may be a vector-indirect view (isa.md 3.6) */
#define NKX_PF_FP32     64u /* tile of fp32 expected; other types are widened with a warning */

struct nkx_insn;

typedef struct nkx_issue {
    const struct nkx_insn *row;
    nkx_core *core;
    nkx_span span;                     /* of the call */
    nkx_span arg_span[NKX_MAX_PARAMS]; /* of each argument; {0} when defaulted */
    nkx_arg arg[NKX_MAX_PARAMS];       /* in the order of params; defaults filled in */
    uint8_t engine;                    /* nkx_engine, chosen after check */
    uint32_t function;
    const char *label;
    bool loose;         /* outside strict mode */
    bool dynamic;       /* an address comes from a register or an index tile */
    bool overlap;       /* dst overlaps a source without being the same pattern */
    bool skipped;       /* a dynamic place is out of bounds under oob_mode.skip: no numbers */
    uint8_t accumulate; /* nc_matmul: what accumulate= was found to mean (nkx_mm_mode) */
    nkx_arena *scratch; /* reset after the issue */
} nkx_issue;

typedef struct nkx_insn {
    const char *name;
    unsigned engines;            /* NKX_ENG_* bits, where it may run */
    uint8_t min_gen;             /* 2, 3, 4 */
    const char *since;           /* NKI version */
    const nkx_isa_param *params; /* ends with {0} */
    /* Chooses is->engine when several can run it; NULL: the one in `engines`. False after a
     * diagnostic. */
    bool (*pick)(nkx_issue *is);
    /* What the columns of `params` do not say: shapes, limits, combinations -> diagnostics. NULL:
     * nothing. True: fine. */
    bool (*check)(nkx_issue *is);
    /* Lowers operands into a work item whose run() does the numbers. Called only when
     * core->modes.exec. */
    bool (*lower)(nkx_issue *is, nkx_work *out);
    void (*cost)(const nkx_issue *is, nkx_cost *out); /* pure: shapes and config, never data */
    const char *brief, *doc,
        *example;          /* docs/isa.md; the example is a whole kernel program, run as a test */
    const char *cost_doc;  /* formula as shown to users */
    uint8_t max_free_dims; /* free dims of a pattern after merging; 0: 4 */
    uint8_t flags;         /* NKX_ROW_* */
    const char *section;   /* heading in docs/isa.md */
} nkx_insn;

#define NKX_ROW_OVERLAP_OK  1u /* kernels rely on dst overlapping a source: no warning */
#define NKX_ROW_OVERLAP_OWN 2u /* the row handles overlap itself: no staging */

extern const nkx_insn *const nkx_isa_table[]; /* NULL-terminated, in the order of the reference */
const nkx_insn *nkx_isa_find(const char *name);
/* Index of a parameter, -1 for none. `name=` is accepted by every row and goes to nkx_issue.label.
 */
int nkx_isa_param_find(const nkx_insn *row, const char *name);

/* Sees each issued instruction with its operands, dynamic addresses resolved; core->issue_listener.
 */
typedef struct nkx_issue_listener {
    void (*issued)(void *user, const nkx_issue *is, uint64_t id);
    void *user;
} nkx_issue_listener;

/* Everything after binding. False after a diagnostic. *id names the instruction for later edges. */
NKX_MUST_USE bool nkx_isa_issue(nkx_issue *is, const uint64_t *after, size_t n_after, uint64_t *id);

/* Registers (isa.md 4.9): not queued instructions, but they wait for memory. */
NKX_MUST_USE bool nkx_isa_register_load(nkx_core *core, nkx_register *dst, nkx_view *src,
                                        nkx_span span, uint32_t function);
NKX_MUST_USE bool nkx_isa_register_store(nkx_core *core, nkx_view *dst, nkx_register *src,
                                         nkx_span span, uint32_t function);

/* Enums of nki.isa and nki.language (isa.md 4.1, 1.3), a row a member. */
typedef struct nkx_isa_member {
    const char *name;
    int value;
    const char *text; /* string value ('none', 'double_row') or NULL */
} nkx_isa_member;
typedef enum nkx_isa_enum_id {
    NKX_ENUM_ENGINE,
    NKX_ENUM_REDUCE_CMD,
    NKX_ENUM_DGE_MODE,
    NKX_ENUM_OOB_MODE,
    NKX_ENUM_PERF_MODE,
    NKX_ENUM_NC_VERSION,
    NKX_ENUM_DMA_ENGINE,
    NKX_ENUM_MEMORY_REGION,
    NKX_N_ISA_ENUMS
} nkx_isa_enum_id;
typedef struct nkx_isa_enum {
    const char *name;              /* "engine" */
    const nkx_isa_member *members; /* ends with {0} */
    const char *doc;
} nkx_isa_enum;
extern const nkx_isa_enum nkx_isa_enums[NKX_N_ISA_ENUMS];
/* "engine.vector"; "?" for an unknown value. */
const char *nkx_isa_member_name(int which, int value);

/* docs/isa.md, `nkx isa NAME`. */
void nkx_isa_markdown(nkx_buf *out);
void nkx_isa_help(const nkx_insn *row, nkx_buf *out);

#endif
