/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scalar engine (isa.md 4.5): activation, activation_reduce, activate2, and the vector engine's
 * exponential (isa.md 4.4.10), which computes in the same way. Layer isa.
 */
#include "interp/isa/example.h"
#include "interp/isa/lanes.h"

#include <math.h>
#include <string.h>

#define ACC_BITS                                                                                   \
    (1u << NKX_CMD_IDLE | 1u << NKX_CMD_RESET | 1u << NKX_CMD_REDUCE | 1u << NKX_CMD_RESET_REDUCE)
#define BIAS_TYPES (NKX_DTS_PLAIN & ~DT(TF32))

typedef struct act_job {
    nkx_access dst, data, res;
    nkx_col scale, bias, relu; /* activate2: imm0, imm1 */
    nkx_alu op, op0, op1, red;
    bool rev0, rev1, has_res, add, use_acc;
    int64_t n;
    nkx_acc acc;
} act_job;

/* reset and reset_reduce begin at the identity; reduce and reset_reduce take the row in
 * (isa.md 2.6). */
static void lower_acc(nkx_issue *is, act_job *j, int cmd, int res, int data)
{
    float identity = j->red < NKX_N_ALU ? nkx_alu_rows[j->red].identity : 0;
    j->add = cmd == NKX_CMD_REDUCE || cmd == NKX_CMD_RESET_REDUCE || cmd == NKX_CMD_LOAD_REDUCE;
    j->has_res = nkx_has(is, res);
    if (j->has_res) nkx_view_access(nkx_tile(is, res), &j->res);
    j->acc.keep = false;
    if (cmd == NKX_CMD_IDLE && !j->has_res) return;
    nkx_acc_lower(is, nkx_tile(is, data), cmd == NKX_CMD_REDUCE || cmd == NKX_CMD_IDLE, identity,
                  &j->acc);
    j->acc.keep = cmd != NKX_CMD_IDLE;
    j->use_acc = true;
}

static float start_acc(const act_job *j, uint32_t p)
{
    return j->use_acc ? j->acc.start[p] : 0;
}

static void finish_acc(const act_job *j, uint32_t p, float acc)
{
    if (j->use_acc) nkx_acc_done(&j->acc, p, acc);
    if (j->has_res) nkx_access_store_f32(&j->res, p, 0, 1, &acc);
}

/* Where reduce_res is a second output of the job. */
static size_t res_place(const act_job *j)
{
    return j->has_res ? offsetof(act_job, res) : 0;
}

/* ---- activation, activation_reduce ---- */

enum { AC_DST, AC_OP, AC_DATA, AC_BIAS, AC_SCALE, AC_RED, AC_RES, AC_CMD };

static const nkx_isa_param activation_params[] = {
    P_DST(.flags = NKX_PF_TILE | NKX_PF_INDIRECT, .doc = "result"),
    P_OP("op", .doc = "activation function"),
    P_IN("data", .flags = NKX_PF_TILE | NKX_PF_INDIRECT, .doc = "tile to work on"),
    P_COL_OPT("bias", .dtypes = BIAS_TYPES,
              .doc = "(P, 1) tile, on gen3 and later also a number; None is 0"),
    P_ROW(.name = "scale", .accept = NKX_P_TILE_OR_SCALAR, .dir = NKX_DIR_IN,
          .flags = NKX_PF_COLUMN | NKX_PF_LANES | NKX_PF_FP32, .dflt = "1.0",
          .dv = {.kind = NKX_ARG_FLOAT, .u.f = 1.0}, .doc = "number or (P, 1) tile of fp32"),
    P_OPT("reduce_op", NKX_ACCEPT(NKX_ARG_OP), .doc = "add"),
    P_OPT("reduce_res", NKX_P_TILE, .dir = NKX_DIR_OUT, .flags = NKX_PF_COLUMN | NKX_PF_LANES,
          .doc = "(P, 1) tile for the accumulator"),
    P_ENUM("reduce_cmd", NKX_ENUM_REDUCE_CMD, NKX_CMD_IDLE, "reduce_cmd.idle",
           .doc = "idle, reset, reduce or reset_reduce"),
    P_END,
};

static bool check_function(nkx_issue *is, int i, bool prelu)
{
    nkx_alu op = nkx_op_of(is, i);
    if (!nkx_check_op(is, i, NKX_OPF_ACTIVATION, "activation function")) return false;
    return op != NKX_ALU_PRELU || prelu ||
           nkx_isa_fault(is, NKX_E503, i, "Use nisa.activate2 (gen4), which takes relu_param.",
                         "prelu is no function of this instruction");
}

/* bias: a number needs gen3; reciprocal takes none on gen2 (isa.md 2.4, 4.5.1). */
static bool check_bias(nkx_issue *is, int bias, nkx_alu op)
{
    if (nkx_gen(is) >= 3 || !nkx_has(is, bias)) return true;
    if (!nkx_is_tile(is, bias) && !(nkx_num_of(is, bias) == 0) &&
        !nkx_isa_fault(is, NKX_E524, bias,
                       "On gen2 the bias is a (P, 1) tile: memset one and pass it.",
                       "bias is the number %g", nkx_num_of(is, bias))) {
        return false;
    }
    return op != NKX_ALU_RECIPROCAL ||
           nkx_isa_fault(is, NKX_E524, bias, "Add it with another instruction first.",
                         "reciprocal takes no bias on gen2");
}

static bool check_reduce(nkx_issue *is, int red, int res, int cmd, const nkx_alu *ops)
{
    bool idle = nkx_enum_of(is, cmd) == NKX_CMD_IDLE;
    if (!nkx_check_cmd(is, cmd, ACC_BITS)) return false;
    if (nkx_has(is, red) && !nkx_check_op_in(is, red, ops, "reduction of this instruction")) {
        return false;
    }
    if (!idle && !nkx_has(is, red) &&
        !nkx_isa_fault(is, NKX_E522, cmd, "Name the operator: reduce_op=nl.add.",
                       "a reduce_cmd without reduce_op")) {
        return false;
    }
    return !idle || !nkx_has(is, res) ||
           nkx_isa_fault(is, NKX_E525, res,
                         "Pass reduce_cmd=nisa.reduce_cmd.reset_reduce to reduce this row.",
                         "reduce_res with reduce_cmd.idle gets what earlier instructions left");
}

static const nkx_alu add_only[] = {NKX_ALU_ADD, NKX_N_ALU};

static bool activation_check(nkx_issue *is)
{
    return check_function(is, AC_OP, false) && check_bias(is, AC_BIAS, nkx_op_of(is, AC_OP)) &&
           check_reduce(is, AC_RED, AC_RES, AC_CMD, add_only);
}

static void act_cost(const nkx_issue *is, nkx_cost *out, int dst, int op, bool read)
{
    nkx_cost_lanes(is, out, nkx_n_of(is, dst));
    out->act_function = nkx_op_of(is, op);
    if (read) out->extra_cycles = NKX_ACC_READ;
    if (nkx_op_of(is, op) != NKX_ALU_COPY) return;
    out->cls = NKX_COST_ACT_COPY;
    out->act_function = -1; /* every table has it */
}

static void activation_cost(const nkx_issue *is, nkx_cost *out)
{
    act_cost(is, out, AC_DST, AC_OP, nkx_has(is, AC_RES));
}

static void run_activation(const void *arg)
{
    const act_job *j = arg;
    float in[NKX_CHUNK], y[NKX_CHUNK];
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        float scale = nkx_col_at(&j->scale, p), bias = nkx_col_at(&j->bias, p),
              acc = start_acc(j, p);
        for (int64_t i = 0; i < j->n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->n - i);
            const float *x = nkx_lanes_in(&j->data, p, i, n, in);
            float *d = nkx_lanes_out(&j->dst, p, i, y);
            nkx_activation_row(j->op, d, x, scale, bias, 0, n);
            if (j->add) acc = nkx_sum_row(acc, d, n);
            nkx_lanes_put(&j->dst, p, i, n, d);
        }
        finish_acc(j, p, acc);
    }
}

static void lower_activation(nkx_issue *is, act_job *j, int op, int scale, int bias, int red)
{
    j->op = nkx_op_of(is, op);
    j->red = red >= 0 ? nkx_op_of(is, red) : NKX_ALU_ADD;
    nkx_col_lower(is, scale, 1, &j->scale);
    nkx_col_lower(is, bias, 0, &j->bias);
    nkx_view_access(nkx_tile(is, AC_DST), &j->dst);
    nkx_view_access(nkx_tile(is, AC_DATA), &j->data);
    j->n = nkx_min_n(j->dst.n, j->data.n);
}

static bool activation_lower(nkx_issue *is, nkx_work *out)
{
    act_job *j = nkx_job_new(is, sizeof *j);
    lower_activation(is, j, AC_OP, AC_SCALE, AC_BIAS, AC_RED);
    lower_acc(is, j, nkx_enum_of(is, AC_CMD), AC_RES, AC_DATA);
    /* without an accumulator the job ends before its lanes: fewer bytes to queue */
    nkx_lower_job_two(is, out, run_activation, j,
                      j->use_acc ? sizeof *j : offsetof(act_job, acc) + offsetof(nkx_acc, start),
                      res_place(j));
    return true;
}

const nkx_insn nkx_insn_activation = {
    .name = "activation",
    .engines = NKX_ENG_ACT,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Scalar engine",
    .params = activation_params,
    .check = activation_check,
    .lower = activation_lower,
    .cost = activation_cost,
    .brief = "dst = op(data * scale + bias), with an optional sum along the row.",
    .doc = "In fp32; scale and bias are two roundings. scale is a number or a (P, 1) tile of fp32. "
           "bias is a (P, 1) tile of any "
           "type but tf32 (reading 11), and from gen3 on also a number. The accumulator: reset and "
           "reset_reduce set it to 0, "
           "reduce and reset_reduce add the row's fp32 results (reading 9: once), reset only sets "
           "it to 0; then reduce_res gets it. "
           "reduce_op is add (reading 10). Hardware uses piecewise polynomials, so its results "
           "differ in the last bits; sin has no "
           "range reduction and is extrapolated outside [-pi, pi].",
    .example = NKX_EXAMPLE(NKX_EX_TILE(
        "a", "(128, 512)", "float32",
        "0.5") "    s = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)\n"
               "    nisa.activation(dst=a, op=nl.exp, data=a, scale=2.0, reduce_op=nl.add, "
               "reduce_res=s,\n"
               "                    reduce_cmd=nisa.reduce_cmd.reset_reduce)\n" NKX_EX_STORE(
                   "s", "(128, 1)", "float32")),
    .cost_doc = "max(64, N) for every function, with reduce_res 64 more",
};

enum { AR_DST, AR_OP, AR_DATA, AR_RED, AR_RES, AR_BIAS, AR_SCALE };

static const nkx_isa_param activation_reduce_params[] = {
    P_DST(.flags = NKX_PF_TILE | NKX_PF_INDIRECT, .doc = "result"),
    P_OP("op", .doc = "activation function"),
    P_IN("data", .flags = NKX_PF_TILE | NKX_PF_INDIRECT, .doc = "tile to work on"),
    P_OP("reduce_op", .doc = "add"),
    P_ROW(.name = "reduce_res", .accept = NKX_P_TILE | NKX_P_OPTIONAL, .dir = NKX_DIR_OUT,
          .required = true, .flags = NKX_PF_COLUMN | NKX_PF_LANES,
          .doc = "(P, 1) tile for the sum"),
    P_COL_OPT("bias", .dtypes = BIAS_TYPES,
              .doc = "(P, 1) tile, on gen3 and later also a number; None is 0"),
    P_ROW(.name = "scale", .accept = NKX_P_TILE_OR_SCALAR, .dir = NKX_DIR_IN,
          .flags = NKX_PF_COLUMN | NKX_PF_LANES | NKX_PF_FP32, .dflt = "1.0",
          .dv = {.kind = NKX_ARG_FLOAT, .u.f = 1.0}, .doc = "number or (P, 1) tile of fp32"),
    P_END,
};

static bool activation_reduce_check(nkx_issue *is)
{
    return check_function(is, AR_OP, false) && check_bias(is, AR_BIAS, nkx_op_of(is, AR_OP)) &&
           nkx_check_op_in(is, AR_RED, add_only, "reduction of this instruction");
}

static void activation_reduce_cost(const nkx_issue *is, nkx_cost *out)
{
    act_cost(is, out, AR_DST, AR_OP, true);
}

static bool activation_reduce_lower(nkx_issue *is, nkx_work *out)
{
    act_job *j = nkx_job_new(is, sizeof *j);
    lower_activation(is, j, AR_OP, AR_SCALE, AR_BIAS, AR_RED);
    lower_acc(is, j, NKX_CMD_RESET_REDUCE, AR_RES, AR_DATA);
    nkx_lower_job_two(is, out, run_activation, j, sizeof *j, res_place(j));
    return true;
}

const nkx_insn nkx_insn_activation_reduce = {
    .name = "activation_reduce",
    .engines = NKX_ENG_ACT,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Scalar engine",
    .params = activation_reduce_params,
    .check = activation_reduce_check,
    .lower = activation_reduce_lower,
    .cost = activation_reduce_cost,
    .brief = "activation with reduce_cmd.reset_reduce: dst = op(data * scale + bias), reduce_res = "
             "its sum along the row.",
    .doc = "Reduces over all free dimensions. reduce_res may be None: the sum then stays in the "
           "accumulator, which is left "
           "changed in any case. reduce_op is add on every target (reading 10).",
    .example = NKX_EXAMPLE(NKX_EX_TILE(
        "a", "(128, 512)", "float32",
        "2.0") "    s = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)\n"
               "    nisa.activation_reduce(dst=a, op=nl.square, data=a, reduce_op=nl.add, "
               "reduce_res=s)\n" NKX_EX_STORE("s", "(128, 1)", "float32")),
    .cost_doc = "max(64, N) + 64",
};

/* ---- activate2 ---- */

enum {
    A2_DST,
    A2_OP,
    A2_DATA,
    A2_IMM0,
    A2_IMM1,
    A2_OP0,
    A2_OP1,
    A2_RELU,
    A2_REV0,
    A2_REV1,
    A2_RED,
    A2_RES,
    A2_CMD
};

static const nkx_isa_param activate2_params[] = {
    P_DST(.flags = NKX_PF_TILE | NKX_PF_INDIRECT, .doc = "result"),
    P_OP("op", .doc = "activation function, prelu included"),
    P_IN("data", .flags = NKX_PF_TILE | NKX_PF_INDIRECT, .doc = "tile to work on"),
    P_NUM_NONE("imm0", .doc = "operand of op0: number or (P, 1) tile"),
    P_NUM_NONE("imm1", .doc = "operand of op1: number or (P, 1) tile"),
    P_OP("op0", .doc = "multiply, add, subtract or bypass"),
    P_OP("op1", .doc = "add, subtract or bypass"),
    P_ROW(.name = "relu_param", .accept = NKX_P_TILE_OR_SCALAR, .dir = NKX_DIR_IN,
          .flags = NKX_PF_COLUMN | NKX_PF_LANES, .dflt = "0.0", .dv = {.kind = NKX_ARG_FLOAT},
          .doc = "slope of prelu below 0: number or (P, 1) tile"),
    P_BOOL("reverse0", .doc = "swap the operands of op0"),
    P_BOOL("reverse1", .doc = "swap the operands of op1"),
    P_OPT("reduce_op", NKX_ACCEPT(NKX_ARG_OP), .doc = "add, maximum, minimum, abs_max or abs_min"),
    P_OPT("reduce_res", NKX_P_TILE, .dir = NKX_DIR_OUT, .flags = NKX_PF_COLUMN | NKX_PF_LANES,
          .doc = "(P, 1) tile for the accumulator"),
    P_ENUM("reduce_cmd", NKX_ENUM_REDUCE_CMD, NKX_CMD_IDLE, "reduce_cmd.idle",
           .doc = "idle, reset, reduce or reset_reduce"),
    P_END,
};

static const nkx_alu activate2_pairs[][2] = {
    {NKX_ALU_MULTIPLY, NKX_ALU_ADD     },
    {NKX_ALU_MULTIPLY, NKX_ALU_SUBTRACT},
    {NKX_ALU_MULTIPLY, NKX_ALU_BYPASS  },
    {NKX_ALU_ADD,      NKX_ALU_BYPASS  },
    {NKX_ALU_SUBTRACT, NKX_ALU_BYPASS  },
    {NKX_ALU_BYPASS,   NKX_ALU_BYPASS  },
};

static bool check_pair(nkx_issue *is)
{
    nkx_alu a = nkx_op_of(is, A2_OP0), b = nkx_op_of(is, A2_OP1);
    for (size_t i = 0; i < NKX_COUNT(activate2_pairs); i++) {
        if (activate2_pairs[i][0] == a && activate2_pairs[i][1] == b) return true;
    }
    return nkx_isa_fault(is, NKX_E526, A2_OP0,
                         "The pairs are: multiply with add, subtract or bypass; add, subtract or "
                         "bypass with bypass.",
                         "op0=%s with op1=%s", a < NKX_N_ALU ? nkx_alu_rows[a].name : "None",
                         b < NKX_N_ALU ? nkx_alu_rows[b].name : "None");
}

static bool check_reverse(nkx_issue *is, int rev, int op)
{
    if (!nkx_bool_of(is, rev) || nkx_op_of(is, op) != NKX_ALU_BYPASS) return true;
    return nkx_isa_fault(is, NKX_E521, rev, "Leave it False: bypass has one operand.",
                         "%s with %s=bypass", is->row->params[rev].name, is->row->params[op].name);
}

static bool activate2_check(nkx_issue *is)
{
    static const nkx_alu ops[] = {NKX_ALU_ADD,     NKX_ALU_MAXIMUM, NKX_ALU_MINIMUM,
                                  NKX_ALU_ABS_MAX, NKX_ALU_ABS_MIN, NKX_N_ALU};
    if (!check_function(is, A2_OP, true) || !check_pair(is)) return false;
    if (!check_reverse(is, A2_REV0, A2_OP0) || !check_reverse(is, A2_REV1, A2_OP1)) return false;
    if (nkx_is_tile(is, A2_IMM0) && nkx_is_tile(is, A2_IMM1) &&
        !nkx_check_same_dtype(is, A2_IMM0, A2_IMM1)) {
        return false;
    }
    return check_reduce(is, A2_RED, A2_RES, A2_CMD, ops);
}

static void activate2_cost(const nkx_issue *is, nkx_cost *out)
{
    act_cost(is, out, A2_DST, A2_OP, nkx_has(is, A2_RES));
}

static void run_activate2(const void *arg)
{
    const act_job *j = arg;
    float in[NKX_CHUNK], t[NKX_CHUNK], y[NKX_CHUNK];
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        float s0 = nkx_col_at(&j->scale, p), s1 = nkx_col_at(&j->bias, p),
              slope = nkx_col_at(&j->relu, p);
        float acc = start_acc(j, p);
        for (int64_t i = 0; i < j->n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->n - i);
            const float *x = nkx_lanes_in(&j->data, p, i, n, in);
            float *d = nkx_lanes_out(&j->dst, p, i, y);
            nkx_alu_scalar(j->op0, j->rev0, t, x, s0, n);
            if (j->op1 != NKX_ALU_BYPASS) nkx_alu_scalar(j->op1, j->rev1, t, t, s1, n);
            nkx_activation_row(j->op, d, t, 1, 0, slope, n);
            if (j->add) acc = nkx_alu_rows[j->red].fold(acc, d, n);
            nkx_lanes_put(&j->dst, p, i, n, d);
        }
        finish_acc(j, p, acc);
    }
}

static bool activate2_lower(nkx_issue *is, nkx_work *out)
{
    act_job *j = nkx_job_new(is, sizeof *j);
    lower_activation(is, j, A2_OP, A2_IMM0, A2_IMM1, A2_RED);
    nkx_col_lower(is, A2_RELU, 0, &j->relu);
    j->op0 = nkx_op_of(is, A2_OP0);
    j->op1 = nkx_op_of(is, A2_OP1);
    j->rev0 = nkx_bool_of(is, A2_REV0);
    j->rev1 = nkx_bool_of(is, A2_REV1);
    if (j->red == NKX_N_ALU) j->red = NKX_ALU_ADD;
    lower_acc(is, j, nkx_enum_of(is, A2_CMD), A2_RES, A2_DATA);
    nkx_lower_job_two(is, out, run_activate2, j, sizeof *j, res_place(j));
    return true;
}

const nkx_insn nkx_insn_activate2 = {
    .name = "activate2",
    .engines = NKX_ENG_ACT,
    .min_gen = 4,
    .since = "0.4.0",
    .section = "Scalar engine",
    .params = activate2_params,
    .check = activate2_check,
    .lower = activate2_lower,
    .cost = activate2_cost,
    .brief = "dst = op(op1(op0(data, imm0), imm1)), with an optional reduction along the row.",
    .doc = "Gen4 (reading 31: the API exists, whatever older guides say). op0 and op1 come in six "
           "pairs. relu_param is the slope of "
           "prelu. The reduction starts from 0 (add, abs_max), -inf (maximum) or +inf (minimum, "
           "abs_min). imm0 and imm1 have one "
           "type when both are tiles. The accumulators are those of activation.",
    .example = NKX_EXAMPLE_GEN4(
        NKX_EX_TILE("a", "(128, 256)", "float32",
                    "-2.0") "    nisa.activate2(dst=a, op=nl.prelu, data=a, imm0=2.0, imm1=1.0, "
                            "op0=nl.multiply, op1=nl.add, relu_param=0.1)\n" NKX_EX_STORE(
                                "a", "(128, 256)", "float32")),
    .cost_doc = "max(64, N), with reduce_res 64 more (estimate)",
};

/* ---- exponential (DVE) ---- */

enum { EX_DST, EX_SRC, EX_MAX, EX_RES, EX_CMD, EX_INIT };

#define EXP_SRC_TYPES (DT(FP8_E4M3) | DT(FP8_E5M2) | NKX_DTS_HALF | DT(FP32) | NKX_DTS_INT)

static const nkx_isa_param exponential_params[] = {
    P_DST(.flags = NKX_PF_TILE | NKX_PF_INDIRECT,
          .dtypes = (EXP_SRC_TYPES & ~DT(UINT32)) | DT(TF32), .doc = "result"),
    P_IN("src", .flags = NKX_PF_TILE | NKX_PF_INDIRECT, .dtypes = EXP_SRC_TYPES,
         .doc = "tile to work on"),
    P_ROW(.name = "max_value", .accept = NKX_P_TILE_OR_SCALAR, .dir = NKX_DIR_IN,
          .flags = NKX_PF_COLUMN | NKX_PF_LANES | NKX_PF_FP32, .dflt = "0.0",
          .dv = {.kind = NKX_ARG_FLOAT}, .doc = "subtracted first: number or (P, 1) tile of fp32"),
    P_OPT("reduce_res", NKX_P_TILE, .dir = NKX_DIR_OUT, .flags = NKX_PF_COLUMN | NKX_PF_LANES,
          .dtypes = NKX_DTS_FLOAT, .doc = "(P, 1) tile for the sum"),
    P_ENUM("reduce_cmd", NKX_ENUM_REDUCE_CMD, NKX_CMD_IDLE, "reduce_cmd.idle",
           .doc = "idle, reset_reduce, reduce or load_reduce"),
    P_ROW(.name = "reduce_init", .accept = NKX_P_TILE_OR_SCALAR, .dir = NKX_DIR_IN,
          .flags = NKX_PF_COLUMN | NKX_PF_LANES | NKX_PF_FP32, .dflt = "0.0",
          .dv = {.kind = NKX_ARG_FLOAT}, .doc = "start value of load_reduce"),
    P_END,
};

static bool exponential_check(nkx_issue *is)
{
    int cmd = nkx_enum_of(is, EX_CMD);
    bool init = nkx_is_tile(is, EX_INIT) || nkx_num_of(is, EX_INIT) != 0;
    if (!nkx_check_cmd(is, EX_CMD,
                       1u << NKX_CMD_IDLE | 1u << NKX_CMD_RESET_REDUCE | 1u << NKX_CMD_REDUCE |
                           1u << NKX_CMD_LOAD_REDUCE)) {
        return false;
    }
    if (init && cmd != NKX_CMD_LOAD_REDUCE &&
        !nkx_isa_fault(is, NKX_E522, EX_INIT,
                       "The start value is given with reduce_cmd.load_reduce, and only then.",
                       "reduce_init without load_reduce")) {
        return false;
    }
    return cmd != NKX_CMD_IDLE || !nkx_has(is, EX_RES) ||
           nkx_isa_fault(is, NKX_E525, EX_RES,
                         "Pass reduce_cmd=nisa.reduce_cmd.reset_reduce to reduce this row.",
                         "reduce_res with reduce_cmd.idle gets what earlier instructions left");
}

static void exponential_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, (nkx_n_of(is, EX_DST) + 3) / 4);
    out->cls = NKX_COST_DVE_PERF;
    if (nkx_has(is, EX_RES)) out->extra_cycles = NKX_ACC_READ;
}

typedef struct exp_job {
    act_job a;
    nkx_col init;
    bool load;
} exp_job;

static void run_exponential(const void *arg)
{
    const exp_job *g = arg;
    const act_job *j = &g->a;
    float in[NKX_CHUNK], y[NKX_CHUNK];
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        float top = nkx_col_at(&j->bias, p),
              acc = g->load ? nkx_col_at(&g->init, p) : start_acc(j, p);
        for (int64_t i = 0; i < j->n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->n - i);
            const float *x = nkx_lanes_in(&j->data, p, i, n, in);
            float *d = nkx_lanes_out(&j->dst, p, i, y);
            nkx_alu_rows[NKX_ALU_SUBTRACT].binary_s(d, x, top, n);
            nkx_alu_rows[NKX_ALU_EXP].unary(d, d, n);
            if (j->add) acc = nkx_sum_row(acc, d, n);
            nkx_lanes_put(&j->dst, p, i, n, d);
        }
        finish_acc(j, p, acc);
    }
}

static bool exponential_lower(nkx_issue *is, nkx_work *out)
{
    exp_job *g = nkx_job_new(is, sizeof *g);
    act_job *j = &g->a;
    j->red = NKX_ALU_ADD;
    nkx_col_lower(is, EX_MAX, 0, &j->bias);
    nkx_col_lower(is, EX_INIT, 0, &g->init);
    nkx_view_access(nkx_tile(is, EX_DST), &j->dst);
    nkx_view_access(nkx_tile(is, EX_SRC), &j->data);
    j->n = nkx_min_n(j->dst.n, j->data.n);
    g->load = nkx_enum_of(is, EX_CMD) == NKX_CMD_LOAD_REDUCE;
    lower_acc(is, j, nkx_enum_of(is, EX_CMD), EX_RES, EX_SRC);
    nkx_lower_job_two(is, out, run_exponential, g, sizeof *g, res_place(j));
    return true;
}

const nkx_insn nkx_insn_exponential = {
    .name = "exponential",
    .engines = NKX_ENG_DVE,
    .min_gen = 4,
    .since = "0.2.0",
    .section = "Vector arithmetic",
    .params = exponential_params,
    .check = exponential_check,
    .lower = exponential_lower,
    .cost = exponential_cost,
    .max_free_dims = 3,
    .brief = "dst = exp(src - max_value), with an optional sum along the row.",
    .doc = "The vector engine's own exponential, four times as fast as the scalar engine's. "
           "reset_reduce starts the sum at 0, reduce "
           "goes on from the accumulator, load_reduce starts at reduce_init. Operands have at most "
           "four dimensions. With idle the "
           "hardware may clobber the accumulator; here it keeps its value.",
    .example = NKX_EXAMPLE_GEN4(
        NKX_EX_TILE("a", "(128, 256)", "float32",
                    "1.0") "    s = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)\n"
                           "    nisa.exponential(dst=a, src=a, max_value=1.0, reduce_res=s, "
                           "reduce_cmd=nisa.reduce_cmd.reset_reduce)\n" NKX_EX_STORE(
                               "s", "(128, 1)", "float32")),
    .cost_doc = "max(64, N/4), with reduce_res 64 more (estimate from the 4x statement)",
};
