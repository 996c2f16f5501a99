/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions of the vector engine along the free dimensions (isa.md 4.4.4, 4.4.6, 4.4.7):
 * tensor_reduce, tensor_scalar_reduce, tensor_scalar_cumulative. Layer isa.
 */
#include "interp/isa/example.h"
#include "interp/isa/lanes.h"

#include <math.h>

/* ---- tensor_reduce ---- */

enum { TR_DST, TR_OP, TR_DATA, TR_AXIS, TR_NEG, TR_KEEP };

static const nkx_isa_param tensor_reduce_params[] = {
    P_DST(.flags = NKX_PF_LANES | NKX_PF_INDIRECT, .doc = "result: what is left after reducing"),
    P_OP("op", .doc = "reduction operator"),
    P_IN("data", .flags = NKX_PF_LANES | NKX_PF_INDIRECT, .doc = "tile to reduce"),
    P_ROW(.name = "axis", .accept = NKX_ACCEPT(NKX_ARG_INT) | NKX_ACCEPT(NKX_ARG_INTS),
          .required = true, .doc = "the last free dimension, or a list of the last ones"),
    P_BOOL("negate", .doc = "multiply the result by -1"),
    P_BOOL("keepdims",
           .doc = "the result is expected to keep the reduced dimensions with one element"),
    P_END,
};

static bool bad_axis(nkx_issue *is, int64_t axis)
{
    const nkx_view *v = nkx_tile(is, TR_DATA);
    nkx_isa_fault(is, NKX_E520, TR_AXIS,
                  "The reduced dimensions are the last ones, without a gap, and never dimension 0: "
                  "partitions are "
                  "reduced by nc_matmul with ones or by tensor_partition_reduce.",
                  "axis %lld of data with %d dimensions", (long long)axis, v->ndim);
    return false;
}

/* Dims to reduce as a bit set; false after a diagnostic. */
static bool reduced_dims(nkx_issue *is, unsigned *set)
{
    const nkx_arg *a = nkx_arg_of(is, TR_AXIS);
    const nkx_view *v = nkx_tile(is, TR_DATA);
    int n = a->kind == NKX_ARG_INTS ? a->u.ints.n : 1;
    *set = 0;
    for (int i = 0; i < n; i++) {
        int64_t axis = a->kind == NKX_ARG_INTS ? a->u.ints.at[i] : a->u.i,
                d = axis < 0 ? axis + v->ndim : axis;
        if (d < 1 || d >= v->ndim) return bad_axis(is, axis);
        *set |= 1u << d;
    }
    unsigned top = 1u << v->ndim;
    bool trailing = *set != 0 && (*set & (top >> 1)) != 0 && ((*set + (*set & -*set)) == top);
    return trailing || bad_axis(is, a->kind == NKX_ARG_INTS && n > 0 ? a->u.ints.at[0] : a->u.i);
}

/* Elements that make one of the result. */
static int64_t group_size(const nkx_view *v, unsigned set)
{
    int64_t n = 1;
    for (int d = 1; d < v->ndim; d++) {
        if (set >> d & 1u) n *= v->shape[d];
    }
    return n;
}

static bool tensor_reduce_check(nkx_issue *is)
{
    unsigned set;
    bool bits = nkx_is_bits(nkx_op_of(is, TR_OP));
    if (!nkx_check_op(is, TR_OP, NKX_OPF_REDUCE, "reduction operator")) return false;
    if (!reduced_dims(is, &set)) return false;
    int64_t want = nkx_n_of(is, TR_DATA) / group_size(nkx_tile(is, TR_DATA), set),
            found = nkx_n_of(is, TR_DST);
    if (want != found) {
        nkx_isa_fault(is, NKX_E312, TR_DST,
                      "dst has one element for each group of reduced elements.",
                      "dst has %lld elements per partition, the reduction leaves %lld",
                      (long long)found, (long long)want);
        return false;
    }
    if (!bits) return true;
    for (int i = TR_DST; i <= TR_DATA; i += 2) {
        nkx_dtype dt = (nkx_dtype)nkx_tile(is, i)->dtype;
        if (nkx_dtype_is_int(dt)) continue;
        nkx_isa_fault(is, NKX_E514, i, "Bit operations work on raw bits: use integer tiles.",
                      "%s is %s in a bit operation", is->row->params[i].name, nkx_dtypes[dt].name);
        return false;
    }
    return !nkx_bool_of(is, TR_NEG) ||
           nkx_isa_fault(is, NKX_E521, TR_NEG, "Only arithmetic results are negated.",
                         "negate with a bit operation");
}

static void tensor_reduce_cost(const nkx_issue *is, nkx_cost *out)
{
    const nkx_view *d = nkx_tile(is, TR_DST), *s = nkx_tile(is, TR_DATA);
    nkx_alu op = nkx_op_of(is, TR_OP);
    int64_t n = nkx_view_free_size(s);
    bool fast = d->dtype == NKX_DT_BF16 && s->dtype == NKX_DT_BF16 &&
                (op == NKX_ALU_ADD || op == NKX_ALU_MAXIMUM);
    nkx_cost_lanes(is, out, fast ? (n + 1) / 2 : n);
}

typedef struct reduce_job {
    nkx_access dst, src;
    nkx_alu op;
    bool negate;
    int64_t group, n_groups;
    uint32_t parts;
} reduce_job;

static float fold_start(nkx_alu op, const float *x, int64_t *first)
{
    *first = op == NKX_ALU_SUBTRACT ? 1 : 0; /* d0 - d1 - d2 ... (reading 13) */
    return op == NKX_ALU_SUBTRACT ? x[0] : nkx_alu_rows[op].identity;
}

/* Groups longer than a chunk are carried from chunk to chunk. */
static float fold_long(const reduce_job *j, uint32_t p, int64_t at)
{
    float buf[NKX_CHUNK], acc = 0;
    int64_t first;
    for (int64_t i = 0; i < j->group; i += NKX_CHUNK) {
        int64_t n = nkx_chunk(j->group - i);
        const float *x = nkx_lanes_in(&j->src, p, at + i, n, buf);
        if (i == 0) {
            acc = fold_start(j->op, x, &first);
            acc = nkx_alu_rows[j->op].fold(acc, x + first, n - first);
        } else {
            acc = nkx_alu_rows[j->op].fold(acc, x, n);
        }
    }
    return acc;
}

static void fold_groups(const reduce_job *j, const float *x, float *d, int64_t n)
{
    for (int64_t g = 0; g < n; g++) {
        int64_t first;
        float acc = fold_start(j->op, x, &first);
        d[g] = nkx_alu_rows[j->op].fold(acc, x + first, j->group - first);
        x += j->group;
    }
}

static void run_tensor_reduce(const void *arg)
{
    const reduce_job *j = arg;
    float in[NKX_CHUNK], out[NKX_CHUNK];
    int64_t some = j->group <= NKX_CHUNK ? NKX_CHUNK / j->group : 1; /* groups in a chunk */
    for (uint32_t p = 0; p < j->parts; p++) {
        for (int64_t g = 0; g < j->n_groups; g += some) {
            int64_t n = nkx_min_n(some, j->n_groups - g);
            if (j->group > NKX_CHUNK) {
                out[0] = fold_long(j, p, g * j->group);
            } else {
                fold_groups(j, nkx_lanes_in(&j->src, p, g * j->group, n * j->group, in), out, n);
            }
            if (j->negate) nkx_alu_rows[NKX_ALU_MULTIPLY].binary_s(out, out, -1.0f, n);
            nkx_access_store_f32(&j->dst, p, g, n, out);
        }
    }
}

static void run_bit_reduce(const void *arg)
{
    const reduce_job *j = arg;
    const nkx_alu_row *r = &nkx_alu_rows[j->op];
    uint32_t in[NKX_CHUNK];
    for (uint32_t p = 0; p < j->parts; p++) {
        for (int64_t g = 0; g < j->n_groups; g++) {
            uint32_t acc = r->bits_identity;
            for (int64_t i = 0; i < j->group; i += NKX_CHUNK) {
                int64_t n = nkx_chunk(j->group - i);
                nkx_bits_in(&j->src, p, g * j->group + i, n, in);
                acc = r->fold_bits(acc, in, n);
            }
            nkx_bits_out(&j->dst, p, g, 1, &acc);
        }
    }
}

static bool tensor_reduce_lower(nkx_issue *is, nkx_work *out)
{
    unsigned set;
    reduce_job *j = nkx_job_new(is, sizeof *j);
    if (!reduced_dims(is, &set)) return false;
    nkx_view_access(nkx_tile(is, TR_DST), &j->dst);
    nkx_view_access(nkx_tile(is, TR_DATA), &j->src);
    j->op = nkx_op_of(is, TR_OP);
    j->negate = nkx_bool_of(is, TR_NEG);
    j->group = group_size(nkx_tile(is, TR_DATA), set);
    j->n_groups = nkx_min_n(j->src.n / j->group, j->dst.n);
    j->parts = j->dst.nparts < j->src.nparts ? j->dst.nparts : j->src.nparts;
    nkx_lower_job(is, out, nkx_is_bits(j->op) ? run_bit_reduce : run_tensor_reduce, j, sizeof *j);
    return true;
}

const nkx_insn nkx_insn_tensor_reduce = {
    .name = "tensor_reduce",
    .engines = NKX_ENG_DVE,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Vector arithmetic",
    .params = tensor_reduce_params,
    .check = tensor_reduce_check,
    .lower = tensor_reduce_lower,
    .cost = tensor_reduce_cost,
    .flags = NKX_ROW_OVERLAP_OK,
    .brief = "Reduces the last free dimensions of data.",
    .doc = "Arithmetic operators work in fp32, bit operators on integers. axis names dimensions of "
           "the tensor as it is, the "
           "last ones without a gap; negative numbers count from the end. subtract folds from the "
           "left, d0 - d1 - d2 ... "
           "(reading 13). negate multiplies the result by -1. keepdims concerns the shape only: "
           "dst needs as many elements "
           "as are left.",
    .example = NKX_EXAMPLE(NKX_EX_TILE(
        "a", "(128, 512)", "float32",
        "1.0") "    s = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)\n"
               "    nisa.tensor_reduce(dst=s, op=nl.add, data=a, axis=1)\n" NKX_EX_STORE(
                   "s", "(128, 1)", "float32")),
    .cost_doc = "max(64, N/2) if data and dst are bf16 and op is add or maximum, else max(64, N); "
                "N elements per partition of data",
};

/* ---- tensor_scalar_reduce ---- */

enum { SR_DST, SR_DATA, SR_OP0, SR_X0, SR_RED, SR_RES, SR_REV, SR_CMD, SR_INIT, SR_NEG };

static const nkx_isa_param tensor_scalar_reduce_params[] = {
    P_DST(.flags = NKX_PF_TILE | NKX_PF_INDIRECT, .doc = "op0(data, operand0)"),
    P_IN("data", .flags = NKX_PF_TILE | NKX_PF_INDIRECT, .doc = "tile to work on"),
    P_OP("op0", .doc = "arithmetic operator"),
    P_NUM_NONE("operand0", .doc = "number or (P, 1) tile"),
    P_OP("reduce_op", .doc = "add, multiply, maximum or minimum"),
    P_OPT("reduce_res", NKX_P_TILE, .dir = NKX_DIR_OUT, .flags = NKX_PF_COLUMN | NKX_PF_LANES,
          .doc = "(P, 1) tile for the reduction"),
    P_BOOL("reverse0", .doc = "not supported: must be False"),
    P_ENUM("reduce_cmd", NKX_ENUM_REDUCE_CMD, NKX_CMD_RESET_REDUCE, "reduce_cmd.reset_reduce",
           .doc = "reset_reduce, reduce or load_reduce"),
    P_COL_OPT_FP32("reduce_init", .doc = "start value of load_reduce"),
    P_BOOL("reduce_res_negate", .doc = "write the negated value; the accumulator keeps its sign"),
    P_END,
};

static const nkx_alu sum_like[] = {NKX_ALU_ADD, NKX_ALU_MULTIPLY, NKX_ALU_MAXIMUM, NKX_ALU_MINIMUM,
                                   NKX_N_ALU};

/* load_reduce and its start value belong together. */
static bool check_init(nkx_issue *is, int cmd, int init)
{
    bool load = nkx_enum_of(is, cmd) == NKX_CMD_LOAD_REDUCE;
    if (load == nkx_has(is, init)) return true;
    return nkx_isa_fault(is, NKX_E522, load ? cmd : init,
                         "The start value is given with reduce_cmd.load_reduce, and only then.",
                         load ? "load_reduce without %s" : "%s without load_reduce",
                         is->row->params[init].name);
}

static bool tensor_scalar_reduce_check(nkx_issue *is)
{
    nkx_alu op = nkx_op_of(is, SR_OP0);
    if (!nkx_check_op(is, SR_OP0, NKX_OPF_ARITH, "arithmetic operator")) return false;
    if (!nkx_check_op_in(is, SR_RED, sum_like, "reduction of this instruction")) return false;
    if (!nkx_check_cmd(is, SR_CMD,
                       1u << NKX_CMD_RESET_REDUCE | 1u << NKX_CMD_REDUCE |
                           1u << NKX_CMD_LOAD_REDUCE)) {
        return false;
    }
    if (nkx_bool_of(is, SR_REV) &&
        !nkx_isa_fault(is, NKX_E521, SR_REV, "Swap the operands in the program.",
                       "reverse0 is not supported yet")) {
        return false;
    }
    bool unary = (nkx_alu_rows[op].flags & NKX_OPF_UNARY) != 0;
    if (unary == nkx_has(is, SR_X0) &&
        !(unary && !nkx_is_tile(is, SR_X0) && nkx_num_of(is, SR_X0) == 0)) {
        nkx_isa_fault(is, NKX_E515, SR_X0,
                      "A binary operator takes a number or a (P, 1) tile, a unary one None or 0.",
                      "%s %s operand0", nkx_alu_rows[op].name,
                      unary ? "is unary and takes no" : "without");
        return false;
    }
    if (!nkx_has(is, SR_RES) && !nkx_check_since(is, -1, 6, "reduce_res=None")) return false;
    return check_init(is, SR_CMD, SR_INIT) && nkx_check_newer_op(is, SR_OP0);
}

static void tensor_scalar_reduce_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, nkx_n_of(is, SR_DST));
    out->extra_cycles = NKX_ACC_READ;
}

typedef struct tsr_job {
    nkx_access dst, data, res;
    nkx_col x0, init;
    nkx_alu op0, red;
    bool has_res, negate, load, rev;
    int64_t n;
    nkx_acc acc;
} tsr_job;

static void run_tensor_scalar_reduce(const void *arg)
{
    const tsr_job *j = arg;
    float in[NKX_CHUNK], y[NKX_CHUNK];
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        float s = nkx_col_at(&j->x0, p), acc = j->load ? nkx_col_at(&j->init, p) : j->acc.start[p];
        for (int64_t i = 0; i < j->n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->n - i);
            const float *x = nkx_lanes_in(&j->data, p, i, n, in);
            float *d = nkx_lanes_out(&j->dst, p, i, y);
            nkx_alu_scalar(j->op0, j->rev, d, x, s, n);
            acc = nkx_alu_rows[j->red].fold(acc, d, n);
            nkx_lanes_put(&j->dst, p, i, n, d);
        }
        nkx_acc_done(&j->acc, p, acc);
        if (j->negate) acc = -acc;
        if (j->has_res) nkx_access_store_f32(&j->res, p, 0, 1, &acc);
    }
}

static bool tensor_scalar_reduce_lower(nkx_issue *is, nkx_work *out)
{
    tsr_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, SR_DST), &j->dst);
    nkx_view_access(nkx_tile(is, SR_DATA), &j->data);
    nkx_col_lower(is, SR_X0, 0, &j->x0);
    nkx_col_lower(is, SR_INIT, 0, &j->init);
    j->op0 = nkx_op_of(is, SR_OP0);
    j->red = nkx_op_of(is, SR_RED);
    j->rev = nkx_bool_of(is, SR_REV);
    j->negate = nkx_bool_of(is, SR_NEG);
    j->load = nkx_enum_of(is, SR_CMD) == NKX_CMD_LOAD_REDUCE;
    j->has_res = nkx_has(is, SR_RES);
    if (j->has_res) nkx_view_access(nkx_tile(is, SR_RES), &j->res);
    j->n = nkx_min_n(j->dst.n, j->data.n);
    nkx_acc_lower(is, nkx_tile(is, SR_DATA), nkx_enum_of(is, SR_CMD) == NKX_CMD_REDUCE,
                  nkx_alu_rows[j->red].identity, &j->acc);
    nkx_lower_job_two(is, out, run_tensor_scalar_reduce, j, sizeof *j,
                      j->has_res ? offsetof(tsr_job, res) : 0);
    return true;
}

const nkx_insn nkx_insn_tensor_scalar_reduce = {
    .name = "tensor_scalar_reduce",
    .engines = NKX_ENG_DVE,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Vector arithmetic",
    .params = tensor_scalar_reduce_params,
    .check = tensor_scalar_reduce_check,
    .lower = tensor_scalar_reduce_lower,
    .cost = tensor_scalar_reduce_cost,
    .brief = "dst = op0(data, operand0), and the reduction of that row by reduce_op.",
    .doc = "The reduction is taken over the fp32 values before they are narrowed to dst. It starts "
           "from the operator's identity "
           "(reset_reduce), from the accumulator (reduce), or from reduce_init (load_reduce). "
           "reduce_res gets the accumulator; "
           "None leaves the value there for a later call. The accumulators belong to the vector "
           "engine's group.",
    .example = NKX_EXAMPLE(NKX_EX_TILE(
        "a", "(128, 256)", "float32",
        "3.0") "    s = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)\n"
               "    nisa.tensor_scalar_reduce(dst=a, data=a, op0=nl.multiply, operand0=2.0, "
               "reduce_op=nl.add, reduce_res=s)\n" NKX_EX_STORE("s", "(128, 1)", "float32")),
    .cost_doc = "max(64, N) + 64",
};

/* ---- tensor_scalar_cumulative ---- */

enum { CU_DST, CU_SRC, CU_OP0, CU_OP1, CU_IMM0, CU_IMM1, CU_CMD };

#define CUMULATIVE_TYPES (NKX_DTS_HALF | DT(FP32) | NKX_DTS_FP8 | NKX_DTS_INT8 | NKX_DTS_INT16)

static const nkx_isa_param tensor_scalar_cumulative_params[] = {
    P_DST(.flags = NKX_PF_TILE | NKX_PF_INDIRECT, .dtypes = CUMULATIVE_TYPES,
          .doc = "running values"),
    P_IN("src", .flags = NKX_PF_TILE | NKX_PF_INDIRECT, .dtypes = CUMULATIVE_TYPES,
         .doc = "tile to work on"),
    P_OP("op0", .doc = "arithmetic operator of src and imm0"),
    P_OP("op1", .doc = "add, subtract, multiply, maximum or minimum"),
    P_NUM_FP32("imm0", .doc = "number or (P, 1) tile"),
    P_COL_OPT_FP32("imm1", .doc = "start value of load_reduce; the other commands do not read it"),
    P_ENUM("reduce_cmd", NKX_ENUM_REDUCE_CMD, NKX_CMD_RESET_REDUCE, "reduce_cmd.reset_reduce",
           .doc = "reset_reduce, reduce or load_reduce"),
    P_END,
};

static bool tensor_scalar_cumulative_check(nkx_issue *is)
{
    static const nkx_alu running[] = {NKX_ALU_ADD,     NKX_ALU_SUBTRACT, NKX_ALU_MULTIPLY,
                                      NKX_ALU_MAXIMUM, NKX_ALU_MINIMUM,  NKX_N_ALU};
    if (!nkx_check_op(is, CU_OP0, NKX_OPF_ARITH | NKX_OPF_BINARY, "binary arithmetic operator")) {
        return false;
    }
    if (!nkx_check_op_in(is, CU_OP1, running, "running operator")) return false;
    if (!nkx_check_cmd(is, CU_CMD,
                       1u << NKX_CMD_RESET_REDUCE | 1u << NKX_CMD_REDUCE |
                           1u << NKX_CMD_LOAD_REDUCE)) {
        return false;
    }
    if (nkx_op_of(is, CU_OP1) == NKX_ALU_SUBTRACT &&
        !nkx_isa_fault(is, NKX_E523, CU_OP1,
                       "Each step is op0(src, imm0) - running value, so the sign alternates. Use "
                       "add with a negated input for a running difference.",
                       "op1=subtract alternates signs")) {
        return false;
    }
    /* imm1 may stand beside the other commands: a chain gives the same arguments to all calls. */
    return nkx_enum_of(is, CU_CMD) != NKX_CMD_LOAD_REDUCE || check_init(is, CU_CMD, CU_IMM1);
}

static void tensor_scalar_cumulative_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, 2 * nkx_n_of(is, CU_DST));
}

typedef struct cumulative_job {
    nkx_access dst, src;
    nkx_col imm0, imm1;
    nkx_alu op0, op1;
    bool load;
    int64_t n;
    nkx_acc acc;
} cumulative_job;

/* By a row kernel, a number at a time. */
static float running_any(nkx_alu op, float r, const float *x, float *d, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        nkx_alu_rows[op].binary(&d[i], x + i, &r, 1);
        r = d[i];
    }
    return r;
}

/* The usual operators keep the running value in a register. */
static float running(nkx_alu op, float r, const float *x, float *d, int64_t n)
{
    switch (op) {
    case NKX_ALU_ADD:
        for (int64_t i = 0; i < n; i++) d[i] = r = x[i] + r;
        return r;
    case NKX_ALU_SUBTRACT:
        for (int64_t i = 0; i < n; i++) d[i] = r = x[i] - r;
        return r;
    case NKX_ALU_MULTIPLY:
        for (int64_t i = 0; i < n; i++) d[i] = r = x[i] * r;
        return r;
    default: return running_any(op, r, x, d, n);
    }
}

static void run_cumulative(const void *arg)
{
    const cumulative_job *j = arg;
    float in[NKX_CHUNK], t[NKX_CHUNK], y[NKX_CHUNK];
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        float s = nkx_col_at(&j->imm0, p), r = j->load ? nkx_col_at(&j->imm1, p) : j->acc.start[p];
        for (int64_t i = 0; i < j->n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->n - i);
            const float *x = nkx_lanes_in(&j->src, p, i, n, in);
            float *d = nkx_lanes_out(&j->dst, p, i, y);
            nkx_alu_scalar(j->op0, false, t, x, s, n);
            r = running(j->op1, r, t, d, n);
            nkx_lanes_put(&j->dst, p, i, n, d);
        }
        nkx_acc_done(&j->acc, p, r);
    }
}

static bool tensor_scalar_cumulative_lower(nkx_issue *is, nkx_work *out)
{
    cumulative_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, CU_DST), &j->dst);
    nkx_view_access(nkx_tile(is, CU_SRC), &j->src);
    nkx_col_lower(is, CU_IMM0, 0, &j->imm0);
    nkx_col_lower(is, CU_IMM1, 0, &j->imm1);
    j->op0 = nkx_op_of(is, CU_OP0);
    j->op1 = nkx_op_of(is, CU_OP1);
    j->load = nkx_enum_of(is, CU_CMD) == NKX_CMD_LOAD_REDUCE;
    j->n = nkx_min_n(j->dst.n, j->src.n);
    float identity = j->op1 == NKX_ALU_SUBTRACT ? 0 : nkx_alu_rows[j->op1].identity;
    nkx_acc_lower(is, nkx_tile(is, CU_SRC), nkx_enum_of(is, CU_CMD) == NKX_CMD_REDUCE, identity,
                  &j->acc);
    nkx_lower_job(is, out, run_cumulative, j, sizeof *j);
    return true;
}

const nkx_insn nkx_insn_tensor_scalar_cumulative = {
    .name = "tensor_scalar_cumulative",
    .engines = NKX_ENG_DVE,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Vector arithmetic",
    .params = tensor_scalar_cumulative_params,
    .check = tensor_scalar_cumulative_check,
    .lower = tensor_scalar_cumulative_lower,
    .cost = tensor_scalar_cumulative_cost,
    .brief = "A running reduction: r = op1(op0(src[k], imm0), r), dst[k] = r.",
    .doc = "Starts from 0 (add, subtract), 1 (multiply), -inf (maximum) or +inf (minimum) with "
           "reset_reduce, from the accumulator "
           "with reduce, from imm1 with load_reduce. The running value stands on the right of op1, "
           "so subtract alternates signs "
           "(reading 12); there is no reverse flag. 32-bit integer tiles are not taken.",
    .example = NKX_EXAMPLE(
        NKX_EX_TILE("a", "(128, 64)", "float32",
                    "1.0") "    nisa.tensor_scalar_cumulative(dst=a, src=a, op0=nl.multiply, "
                           "op1=nl.add, imm0=1.0)\n" NKX_EX_STORE("a", "(128, 64)", "float32")),
    .cost_doc = "max(64, 2N) (estimate)",
};
