/* SPDX-License-Identifier: Apache-2.0 */
/* Selections of the vector engine (isa.md 4.2.6, 4.2.7): range_select, select_reduce. Layer isa. */
#include "interp/isa/example.h"
#include "interp/isa/lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const nkx_alu max_only[] = {NKX_ALU_MAXIMUM, NKX_N_ALU};

/* Accumulator arguments both take: what starts, and whether the row counts (isa.md 2.6). */
typedef struct red {
    nkx_acc acc;
    nkx_access res;
    bool use, add, has_res;
} red;

static void lower_red(nkx_issue *is, red *r, int cmd_arg, int res_arg, int lanes)
{
    int cmd = nkx_enum_of(is, cmd_arg);
    r->add = cmd == NKX_CMD_REDUCE || cmd == NKX_CMD_RESET_REDUCE;
    r->has_res = nkx_has(is, res_arg);
    r->use = cmd != NKX_CMD_IDLE || r->has_res;
    if (r->has_res) nkx_view_access(nkx_tile(is, res_arg), &r->res);
    if (!r->use) return;
    nkx_acc_lower(is, nkx_tile(is, lanes), cmd == NKX_CMD_REDUCE || cmd == NKX_CMD_IDLE, -INFINITY,
                  &r->acc);
    r->acc.keep = cmd != NKX_CMD_IDLE;
}

static void finish_red(const red *r, uint32_t p, float acc)
{
    if (!r->use) return;
    nkx_acc_done(&r->acc, p, acc);
    if (r->has_res) nkx_access_store_f32(&r->res, p, 0, 1, &acc);
}

static bool check_idle(nkx_issue *is, int cmd, int res)
{
    if (nkx_enum_of(is, cmd) != NKX_CMD_IDLE || !nkx_has(is, res)) return true;
    return nkx_isa_fault(is, NKX_E525, res,
                         "Pass reduce_cmd=nisa.reduce_cmd.reset_reduce to reduce this row.",
                         "reduce_res with reduce_cmd.idle gets what earlier instructions left");
}

/* ---- range_select ---- */

enum { RS_DST, RS_TRUE, RS_OP0, RS_OP1, RS_B0, RS_B1, RS_CMD, RS_RES, RS_RED, RS_START, RS_FALSE };

static const nkx_isa_param range_select_params[] = {
    P_DST(.flags = NKX_PF_TILE, .doc = "result"),
    P_IN("on_true_tile", .flags = NKX_PF_TILE, .dtypes = NKX_DTS_FLOAT,
         .doc = "elements taken where the index is in range"),
    P_OP("comp_op0", .doc = "comparison of the index with bound0"),
    P_OP("comp_op1", .doc = "comparison of the index with bound1"),
    P_IN("bound0", .flags = NKX_PF_COLUMN | NKX_PF_LANES, .dtypes = DT(FP32),
         .doc = "(P, 1) tile of fp32"),
    P_IN("bound1", .flags = NKX_PF_COLUMN | NKX_PF_LANES, .dtypes = DT(FP32),
         .doc = "(P, 1) tile of fp32"),
    P_ENUM("reduce_cmd", NKX_ENUM_REDUCE_CMD, NKX_CMD_RESET_REDUCE, "reduce_cmd.reset_reduce",
           .doc = "what the accumulator does"),
    P_OPT("reduce_res", NKX_P_TILE, .dir = NKX_DIR_OUT, .flags = NKX_PF_COLUMN | NKX_PF_LANES,
          .doc = "(P, 1) tile for the maximum"),
    P_ROW(.name = "reduce_op", .accept = NKX_ACCEPT(NKX_ARG_OP), .dflt = "maximum",
          .dv = {.kind = NKX_ARG_OP, .u.op = NKX_ALU_MAXIMUM}, .doc = "maximum"),
    P_ROW(.name = "range_start", .accept = NKX_ACCEPT(NKX_ARG_INT), .dflt = "0",
          .dv = {.kind = NKX_ARG_INT}, .doc = "index of the first element"),
    P_ROW(.name = "on_false_value", .accept = NKX_P_SCALAR, .dflt = "-3.4028235e38",
          .dv = {.kind = NKX_ARG_FLOAT, .u.f = -FLT_MAX},
          .doc = "the least fp32 number; nothing else"),
    P_END,
};

static bool range_select_check(nkx_issue *is)
{
    static const nkx_alu compares[] = {NKX_ALU_EQUAL,   NKX_ALU_LESS,          NKX_ALU_LESS_EQUAL,
                                       NKX_ALU_GREATER, NKX_ALU_GREATER_EQUAL, NKX_N_ALU};
    if (!nkx_check_op_in(is, RS_OP0, compares, "comparison of range_select") ||
        !nkx_check_op_in(is, RS_OP1, compares, "comparison of range_select")) {
        return false;
    }
    if (!nkx_check_op_in(is, RS_RED, max_only, "reduction of this instruction")) return false;
    if (!nkx_check_cmd(is, RS_CMD,
                       1u << NKX_CMD_IDLE | 1u << NKX_CMD_RESET | 1u << NKX_CMD_REDUCE |
                           1u << NKX_CMD_RESET_REDUCE)) {
        return false;
    }
    if ((float)nkx_num_of(is, RS_FALSE) != -FLT_MAX &&
        !nkx_isa_fault(is, NKX_E574, RS_FALSE,
                       "The hardware fills with the least fp32 number, -3.4028235e38: leave "
                       "on_false_value out.",
                       "on_false_value %g", nkx_num_of(is, RS_FALSE))) {
        return false;
    }
    int64_t last = nkx_int_of(is, RS_START) + nkx_n_of(is, RS_DST);
    if ((nkx_int_of(is, RS_START) < 0 || last > 1 << 24) &&
        !nkx_isa_fault(is, NKX_E575, RS_START,
                       "Indices are compared in fp32, which is exact up to 2^24.",
                       "range_start %lld with %lld elements", (long long)nkx_int_of(is, RS_START),
                       (long long)nkx_n_of(is, RS_DST))) {
        return false;
    }
    return true;
}

static void range_select_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, nkx_n_of(is, RS_DST));
    if (nkx_has(is, RS_RES)) out->extra_cycles = NKX_ACC_READ;
}

typedef struct range_job {
    nkx_access dst, on_true;
    nkx_col b0, b1;
    nkx_alu op0, op1;
    int64_t start, n;
    red red;
} range_job;

/* 1 where both comparisons hold. */
static void range_mask(const range_job *j, uint32_t p, int64_t i, int64_t n, float *m)
{
    float idx[NKX_CHUNK], k[NKX_CHUNK];
    for (int64_t e = 0; e < n; e++) idx[e] = (float)(j->start + i + e);
    nkx_alu_rows[j->op0].binary_s(m, idx, nkx_col_at(&j->b0, p), n);
    nkx_alu_rows[j->op1].binary_s(k, idx, nkx_col_at(&j->b1, p), n);
    for (int64_t e = 0; e < n; e++) m[e] *= k[e];
}

static void run_range_select(const void *arg)
{
    const range_job *j = arg;
    float in[NKX_CHUNK], m[NKX_CHUNK], y[NKX_CHUNK];
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        float acc = j->red.use ? j->red.acc.start[p] : 0;
        for (int64_t i = 0; i < j->n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->n - i);
            const float *x = nkx_lanes_in(&j->on_true, p, i, n, in);
            float *d = nkx_lanes_out(&j->dst, p, i, y);
            range_mask(j, p, i, n, m);
            for (int64_t e = 0; e < n; e++) d[e] = m[e] != 0 ? x[e] : -FLT_MAX;
            if (j->red.add) acc = nkx_alu_rows[NKX_ALU_MAXIMUM].fold(acc, d, n);
            nkx_lanes_put(&j->dst, p, i, n, d);
        }
        finish_red(&j->red, p, acc);
    }
}

static bool range_select_lower(nkx_issue *is, nkx_work *out)
{
    range_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, RS_DST), &j->dst);
    nkx_view_access(nkx_tile(is, RS_TRUE), &j->on_true);
    nkx_col_lower(is, RS_B0, 0, &j->b0);
    nkx_col_lower(is, RS_B1, 0, &j->b1);
    j->op0 = nkx_op_of(is, RS_OP0);
    j->op1 = nkx_op_of(is, RS_OP1);
    j->start = nkx_int_of(is, RS_START);
    j->n = nkx_min_n(j->dst.n, j->on_true.n);
    lower_red(is, &j->red, RS_CMD, RS_RES, RS_TRUE);
    nkx_lower_job_two(is, out, run_range_select, j, sizeof *j,
                      j->red.has_res ? offsetof(range_job, red.res) : 0);
    return true;
}

const nkx_insn nkx_insn_range_select = {
    .name = "range_select",
    .engines = NKX_ENG_DVE,
    .min_gen = 3,
    .since = "0.1.0",
    .section = "Copies and fills",
    .params = range_select_params,
    .check = range_select_check,
    .lower = range_select_lower,
    .cost = range_select_cost,
    .brief = "dst[k] = on_true[k] where comp0(k, bound0) and comp1(k, bound1), else the least fp32 "
             "number.",
    .doc = "The index of element k is range_start + k, in fp32. on_false_value is the least fp32 "
           "number (reading 15); narrowed to fp16, "
           "bf16 or fp8 it becomes -inf, so keep reduce_res in fp32. The maximum is taken over the "
           "row with its fills, from -inf, by "
           "default with reset_reduce (reading 16). The accumulators are the vector engine's.",
    .example = NKX_EXAMPLE(
        NKX_EX_TILE("a", "(128, 64)", "float32", "1.0")
            NKX_EX_TILE("lo", "(128, 1)", "float32", "8.0") NKX_EX_TILE(
                "hi", "(128, 1)", "float32",
                "16.0") "    m = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)\n"
                        "    nisa.range_select(dst=a, on_true_tile=a, comp_op0=nl.greater_equal, "
                        "comp_op1=nl.less, bound0=lo, bound1=hi,\n"
                        "                      reduce_res=m)\n" NKX_EX_STORE("a", "(128, 64)",
                                                                             "float32")),
    .cost_doc = "max(64, N), with reduce_res 64 more",
};

/* ---- select_reduce ---- */

enum { SE_DST, SE_PRED, SE_TRUE, SE_FALSE, SE_RES, SE_CMD, SE_RED, SE_REV };

static const nkx_isa_param select_reduce_params[] = {
    P_DST(.flags = NKX_PF_TILE, .doc = "result"),
    P_IN("predicate", .flags = NKX_PF_TILE, .dtypes = NKX_DTS_INT8 | NKX_DTS_INT16,
         .doc = "selects where it is not 0"),
    P_IN("on_true", .flags = NKX_PF_TILE, .dtypes = NKX_DTS_PLAIN & ~(DT(TF32) | NKX_DTS_INT32),
         .doc = "elements taken where selected"),
    P_NUM_FP32("on_false", .doc = "number or (P, 1) tile for the others"),
    P_OPT("reduce_res", NKX_P_TILE, .dir = NKX_DIR_OUT, .flags = NKX_PF_COLUMN | NKX_PF_LANES,
          .dtypes = NKX_DTS_FLOAT, .doc = "(P, 1) tile for the maximum"),
    P_ENUM("reduce_cmd", NKX_ENUM_REDUCE_CMD, NKX_CMD_IDLE, "reduce_cmd.idle",
           .doc = "what the accumulator does"),
    P_ROW(.name = "reduce_op", .accept = NKX_ACCEPT(NKX_ARG_OP), .dflt = "maximum",
          .dv = {.kind = NKX_ARG_OP, .u.op = NKX_ALU_MAXIMUM}, .doc = "maximum"),
    P_BOOL("reverse_pred", .doc = "selects where the predicate is 0"),
    P_END,
};

static bool select_reduce_check(nkx_issue *is)
{
    if (!nkx_check_op_in(is, SE_RED, max_only, "reduction of this instruction")) return false;
    if (!nkx_check_cmd(is, SE_CMD,
                       1u << NKX_CMD_IDLE | 1u << NKX_CMD_RESET | 1u << NKX_CMD_REDUCE |
                           1u << NKX_CMD_RESET_REDUCE)) {
        return false;
    }
    return nkx_check_not_both_psum(is, SE_PRED, SE_TRUE) && check_idle(is, SE_CMD, SE_RES);
}

static void select_reduce_cost(const nkx_issue *is, nkx_cost *out)
{
    bool psum = nkx_in_psum(nkx_tile(is, SE_PRED)) || nkx_in_psum(nkx_tile(is, SE_TRUE));
    int64_t n = nkx_n_of(is, SE_DST);
    nkx_cost_lanes(is, out, psum ? n : 2 * n);
    if (nkx_has(is, SE_RES)) out->extra_cycles = NKX_ACC_READ;
}

typedef struct select_job {
    nkx_access dst, pred, on_true;
    nkx_col on_false;
    bool reverse;
    int64_t n;
    red red;
} select_job;

static void run_select_reduce(const void *arg)
{
    const select_job *j = arg;
    float in[NKX_CHUNK], y[NKX_CHUNK];
    uint32_t m[NKX_CHUNK];
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        float acc = j->red.use ? j->red.acc.start[p] : 0, other = nkx_col_at(&j->on_false, p);
        for (int64_t i = 0; i < j->n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->n - i);
            const float *x = nkx_lanes_in(&j->on_true, p, i, n, in);
            float *d = nkx_lanes_out(&j->dst, p, i, y);
            nkx_bits_in(&j->pred, p, i, n, m);
            for (int64_t e = 0; e < n; e++) d[e] = (m[e] != 0) != j->reverse ? x[e] : other;
            if (j->red.add) acc = nkx_alu_rows[NKX_ALU_MAXIMUM].fold(acc, d, n);
            nkx_lanes_put(&j->dst, p, i, n, d);
        }
        finish_red(&j->red, p, acc);
    }
}

static bool select_reduce_lower(nkx_issue *is, nkx_work *out)
{
    select_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, SE_DST), &j->dst);
    nkx_view_access(nkx_tile(is, SE_PRED), &j->pred);
    nkx_view_access(nkx_tile(is, SE_TRUE), &j->on_true);
    nkx_col_lower(is, SE_FALSE, 0, &j->on_false);
    j->reverse = nkx_bool_of(is, SE_REV);
    j->n = nkx_min_n(j->dst.n, nkx_min_n(j->pred.n, j->on_true.n));
    lower_red(is, &j->red, SE_CMD, SE_RES, SE_TRUE);
    nkx_lower_job_two(is, out, run_select_reduce, j, sizeof *j,
                      j->red.has_res ? offsetof(select_job, red.res) : 0);
    return true;
}

const nkx_insn nkx_insn_select_reduce = {
    .name = "select_reduce",
    .engines = NKX_ENG_DVE,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Copies and fills",
    .params = select_reduce_params,
    .check = select_reduce_check,
    .lower = select_reduce_lower,
    .cost = select_reduce_cost,
    .brief = "dst[k] = on_true[k] where predicate[k] is not 0, else on_false; with an optional "
             "maximum along the row.",
    .doc = "on_false is a number or a (P, 1) tile. reverse_pred selects where the predicate is 0. "
           "predicate and on_true may not both "
           "be in PSUM; ranks may differ. The maximum starts from -inf. With idle the hardware may "
           "clobber the accumulator; here it "
           "keeps its value.",
    .example = NKX_EXAMPLE(NKX_EX_TILE("a", "(128, 64)", "float32", "1.0") NKX_EX_TILE(
        "m", "(128, 64)", "uint8",
        "0") "    nisa.memset(dst=m[:, 0:32], value=1)\n"
             "    nisa.select_reduce(dst=a, predicate=m, on_true=a, on_false=-1.0)\n" NKX_EX_STORE(
                 "a", "(128, 64)", "float32")),
    .cost_doc = "max(64, N) if one input is in PSUM, else max(64, 2N) (estimate)",
};
