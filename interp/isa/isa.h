/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instruction table: one row says all there is about an instruction (style.md 3). Rows stand in
 * their engine's file beside their functions; table.c joins them. This layer sees operands, never
 * values of the language: eval/bind.c turns call arguments into operands by reading `params`.
 *
 * nkx_isa_issue runs the life of an instruction: defaults, check, engine choice, cost, regions,
 * then nkx_core_issue (hazards, time, numbers).
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
    NKX_ARG_OP,      /* nkx_alu */
    NKX_ARG_DTYPE,
    NKX_ARG_ENUM,    /* member of an isa enum: e.which, e.value */
    NKX_ARG_STR,
    NKX_ARG_REG,
    NKX_ARG_INTS,    /* list or tuple of ints */
    NKX_ARG_PATTERN, /* list of [step, num] pairs */
    NKX_ARG_VIEWS,   /* list of views */
    NKX_ARG_FLOATS,  /* list of numbers (scales) */
} nkx_arg_kind;

/* Kinds a parameter accepts: bits 1 << nkx_arg_kind. A bool is an int to an int parameter; an int is a float. */
#define NKX_ACCEPT(k) (1u << (k))
#define NKX_P_TILE    NKX_ACCEPT(NKX_ARG_VIEW)
#define NKX_P_SCALAR  (NKX_ACCEPT(NKX_ARG_FLOAT) | NKX_ACCEPT(NKX_ARG_INT))
#define NKX_P_TILE_OR_SCALAR (NKX_P_TILE | NKX_P_SCALAR)
#define NKX_P_OPTIONAL NKX_ACCEPT(NKX_ARG_ABSENT) /* None is accepted */

typedef enum nkx_dir { NKX_DIR_NONE, NKX_DIR_IN, NKX_DIR_OUT, NKX_DIR_INOUT } nkx_dir;

typedef struct nkx_isa_param {
    const char *name;
    unsigned    accept;  /* NKX_ACCEPT bits */
    uint8_t     dir;     /* nkx_dir, of views */
    bool        required;
    const char *dflt;    /* default as shown in docs and parsed by the row's defaults: "1.0", "None", "engine.unknown", "False"; NULL when required */
    const char *doc;     /* one line */
} nkx_isa_param;

#define NKX_MAX_PARAMS 18

typedef struct nkx_arg {
    uint8_t kind; /* nkx_arg_kind */
    union {
        nkx_view     *view; /* borrowed for the duration of the issue */
        nkx_register *reg;
        int64_t       i;
        double        f;
        bool          b;
        uint16_t      op;
        uint8_t       dtype;
        const char   *s;
        struct {
            uint8_t which; /* nkx_isa_enum index */
            int     value;
        } e;
        struct {
            const int64_t *at;
            int            n; /* PATTERN: pairs */
        } ints;
        struct {
            nkx_view **at;
            int        n;
        } views;
        struct {
            const double *at;
            int           n;
        } floats;
    } u;
} nkx_arg;

struct nkx_insn;

typedef struct nkx_issue {
    const struct nkx_insn *row;
    nkx_core   *core;
    nkx_span    span;                /* of the call */
    nkx_span    arg_span[NKX_MAX_PARAMS]; /* of each argument; {0} when defaulted */
    nkx_arg     arg[NKX_MAX_PARAMS]; /* in the order of params; defaults filled in */
    uint8_t     engine;              /* nkx_engine, chosen after check */
    uint32_t    function;
    const char *label;
    bool        loose;               /* outside strict mode */
    nkx_arena  *scratch;             /* reset after the issue */
} nkx_issue;

typedef struct nkx_insn {
    const char          *name;
    unsigned             engines;     /* NKX_ENG_* bits, where it may run */
    uint8_t              min_gen;     /* 2, 3, 4 */
    const char          *since;       /* NKI version */
    const nkx_isa_param *params;      /* ends with {0} */
    /* memories, shapes, dtypes, limits -> diagnostics; also chooses is->engine. True: fine. */
    bool (*check)(nkx_issue *is);
    /* Lowers operands into a work item whose run() does the numbers. Called only when core->modes.exec. */
    bool (*lower)(nkx_issue *is, nkx_work *out);
    void (*cost)(const nkx_issue *is, nkx_cost *out); /* pure: shapes and config, never data */
    const char *brief, *doc, *example; /* docs/isa.md; the example is a whole kernel program, run as a test */
    const char *cost_doc;              /* formula as shown to users */
} nkx_insn;

extern const nkx_insn *const nkx_isa_table[]; /* NULL-terminated, in the order of the reference */
const nkx_insn *nkx_isa_find(const char *name);

/* Everything after binding. False after a diagnostic. *id names the instruction for later edges. */
NKX_MUST_USE bool nkx_isa_issue(nkx_issue *is, const uint64_t *after, size_t n_after, uint64_t *id);

/* Registers (isa.md 4.9): not queued instructions, but they wait for memory. */
NKX_MUST_USE bool nkx_isa_register_load(nkx_core *core, nkx_register *dst, nkx_view *src, nkx_span span, uint32_t function);
NKX_MUST_USE bool nkx_isa_register_store(nkx_core *core, nkx_view *dst, nkx_register *src, nkx_span span, uint32_t function);

/* Enums of nki.isa and nki.language (isa.md 4.1, 1.3), a row a member. */
typedef struct nkx_isa_member {
    const char *name;
    int         value;
    const char *text; /* string value ('none', 'double_row') or NULL */
} nkx_isa_member;
typedef enum nkx_isa_enum_id { NKX_ENUM_ENGINE, NKX_ENUM_REDUCE_CMD, NKX_ENUM_DGE_MODE, NKX_ENUM_OOB_MODE, NKX_ENUM_PERF_MODE, NKX_ENUM_NC_VERSION, NKX_ENUM_DMA_ENGINE, NKX_ENUM_MEMORY_REGION, NKX_N_ISA_ENUMS } nkx_isa_enum_id;
typedef struct nkx_isa_enum {
    const char           *name; /* "engine" */
    const nkx_isa_member *members; /* ends with {0} */
    const char           *doc;
} nkx_isa_enum;
extern const nkx_isa_enum nkx_isa_enums[NKX_N_ISA_ENUMS];

/* docs/isa.md, `nkx isa NAME`. */
void nkx_isa_markdown(nkx_buf *out);
void nkx_isa_help(const nkx_insn *row, nkx_buf *out);

#endif
