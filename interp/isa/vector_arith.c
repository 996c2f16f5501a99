/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element-wise arithmetic of the vector engine (isa.md 4.4.1 to 4.4.3, 4.4.8, 4.4.9): each row with
 * its checks, cost and numbers. Layer isa.
 */
#include "interp/isa/example.h"
#include "interp/isa/lanes.h"

#include <string.h>

/* How the operators of an instruction compute. */
typedef enum path { PATH_FLOAT, PATH_BITS, PATH_INT32 } path;

static bool all_int32(const nkx_issue *is, const int *args, int n)
{
    for (int i = 0; i < n; i++) {
        if (!nkx_is_tile(is, args[i]) || !(NKX_DTS_INT32 >> nkx_tile(is, args[i])->dtype & 1u)) {
            return false;
        }
        if (nkx_in_psum(nkx_tile(is, args[i]))) return false;
        if (nkx_tile(is, args[i])->indirect == NKX_IND_TILE) return false; /* isa.md 3.7 */
    }
    return true;
}

/* Bit operations need integer tiles of one width. */
static bool bits_types(nkx_issue *is, const int *args, int n)
{
    int64_t bytes = 0;
    for (int i = 0; i < n; i++) {
        if (!nkx_is_tile(is, args[i])) continue;
        nkx_dtype dt = (nkx_dtype)nkx_tile(is, args[i])->dtype;
        if (!nkx_dtype_is_int(dt) || (bytes != 0 && nkx_dtype_bytes(dt) != bytes)) {
            nkx_isa_fault(is, NKX_E514, args[i],
                          "Bit operations work on raw bits: every tile must be an integer type of "
                          "the same width. "
                          "Use view() to look at the bits of a float tile.",
                          "%s is %s in a bit operation", is->row->params[args[i]].name,
                          nkx_dtypes[dt].name);
            return false;
        }
        bytes = nkx_dtype_bytes(dt);
    }
    return true;
}

/* ---- tensor_tensor ---- */

enum { TT_DST, TT_A, TT_B, TT_OP, TT_ENGINE };

static const nkx_isa_param tensor_tensor_params[] = {
    P_DST(.flags = NKX_PF_TILE | NKX_PF_INDIRECT, .doc = "result"),
    P_IN("data1", .flags = NKX_PF_TILE | NKX_PF_INDIRECT, .doc = "first operand"),
    P_IN("data2", .flags = NKX_PF_TILE, .doc = "second operand"),
    P_OP("op", .doc = "binary operator"),
    P_ENGINE,
    P_END,
};

static path tensor_tensor_path(const nkx_issue *is)
{
    static const int tiles[] = {TT_DST, TT_A, TT_B};
    nkx_alu op = nkx_op_of(is, TT_OP);
    if (nkx_is_bits(op)) return PATH_BITS;
    bool exact = op < NKX_N_ALU && nkx_alu_rows[op].int32 != NULL && all_int32(is, tiles, 3);
    return exact && is->engine == NKX_POOL ? PATH_INT32 : PATH_FLOAT;
}

static bool tensor_tensor_pick(nkx_issue *is)
{
    static const int tiles[] = {TT_DST, TT_A, TT_B};
    nkx_alu op = nkx_op_of(is, TT_OP);
    if (op == NKX_ALU_POWER) return nkx_pick_engine(is, TT_ENGINE, NKX_POOL, NKX_ENG_POOL);
    if (nkx_is_bits(op)) return nkx_pick_engine(is, TT_ENGINE, NKX_DVE, NKX_ENG_DVE);
    nkx_engine dflt = all_int32(is, tiles, 3) ? NKX_POOL : NKX_DVE;
    return nkx_pick_engine(is, TT_ENGINE, dflt, NKX_ENG_DVE | NKX_ENG_POOL);
}

static bool tensor_tensor_check(nkx_issue *is)
{
    static const int tiles[] = {TT_DST, TT_A, TT_B};
    if (!nkx_check_op(is, TT_OP, NKX_OPF_BINARY, "binary operator")) return false;
    if (nkx_is_bits(nkx_op_of(is, TT_OP)) && !bits_types(is, tiles, 3)) return false;
    return nkx_check_not_both_psum(is, TT_A, TT_B);
}

/* gen2: all bf16 in SBUF at unit stride with add, multiply or subtract takes N cycles
 * (isa.md 4.4.1). */
static bool bf16_fast(const nkx_issue *is)
{
    nkx_alu op = nkx_op_of(is, TT_OP);
    if (op != NKX_ALU_ADD && op != NKX_ALU_MULTIPLY && op != NKX_ALU_SUBTRACT) return false;
    for (int i = TT_DST; i <= TT_B; i++) {
        const nkx_view *v = nkx_tile(is, i);
        if (v->dtype != NKX_DT_BF16 || nkx_in_psum(v) || v->stride[v->ndim - 1] != 1) return false;
    }
    return true;
}

static void tensor_tensor_cost(const nkx_issue *is, nkx_cost *out)
{
    int64_t n = nkx_n_of(is, TT_DST);
    if (is->engine == NKX_POOL || (nkx_gen(is) == 2 && bf16_fast(is))) {
        nkx_cost_lanes(is, out, n);
        return;
    }
    nkx_cost_two_inputs(is, out, nkx_tile(is, TT_DST), nkx_tile(is, TT_A), nkx_tile(is, TT_B));
}

typedef struct two_job {
    nkx_access dst, a, b;
    nkx_alu op;
    bool is_signed;
    uint32_t parts;
    int64_t n;
} two_job;

static void run_tensor_tensor(const void *arg)
{
    const two_job *j = arg;
    float bufs[3][NKX_CHUNK];
    for (uint32_t p = 0; p < j->parts; p++) {
        for (int64_t i = 0; i < j->n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->n - i);
            const float *a = nkx_lanes_in(&j->a, p, i, n, bufs[0]);
            const float *b = nkx_lanes_in(&j->b, p, i, n, bufs[1]);
            float *d = nkx_lanes_out(&j->dst, p, i, bufs[2]);
            nkx_alu_rows[j->op].binary(d, a, b, n);
            nkx_lanes_put(&j->dst, p, i, n, d);
        }
    }
}

static void run_two_ints(const void *arg)
{
    const two_job *j = arg;
    uint32_t a[NKX_CHUNK], b[NKX_CHUNK];
    bool bits = nkx_is_bits(j->op);
    for (uint32_t p = 0; p < j->parts; p++) {
        for (int64_t i = 0; i < j->n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->n - i);
            nkx_bits_in(&j->a, p, i, n, a);
            nkx_bits_in(&j->b, p, i, n, b);
            if (bits) {
                nkx_alu_rows[j->op].bits(a, a, b, n, j->a.elem_bytes * 8);
            } else {
                nkx_alu_rows[j->op].int32(a, a, b, n, j->is_signed);
            }
            nkx_bits_out(&j->dst, p, i, n, a);
        }
    }
}

static bool tensor_tensor_lower(nkx_issue *is, nkx_work *out)
{
    two_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, TT_DST), &j->dst);
    nkx_view_access(nkx_tile(is, TT_A), &j->a);
    nkx_view_access(nkx_tile(is, TT_B), &j->b);
    j->op = nkx_op_of(is, TT_OP);
    j->is_signed =
        nkx_tile(is, TT_A)->dtype == NKX_DT_INT32 || nkx_tile(is, TT_B)->dtype == NKX_DT_INT32;
    j->parts = j->dst.nparts;
    j->n = nkx_min_n(j->dst.n, nkx_min_n(j->a.n, j->b.n));
    bool ints = tensor_tensor_path(is) != PATH_FLOAT;
    nkx_lower_job(is, out, ints ? run_two_ints : run_tensor_tensor, j, sizeof *j);
    return true;
}

const nkx_insn nkx_insn_tensor_tensor = {
    .name = "tensor_tensor",
    .engines = NKX_ENG_DVE | NKX_ENG_POOL,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Vector arithmetic",
    .params = tensor_tensor_params,
    .pick = tensor_tensor_pick,
    .check = tensor_tensor_check,
    .lower = tensor_tensor_lower,
    .cost = tensor_tensor_cost,
    .brief = "dst[k] = op(data1[k], data2[k]).",
    .doc = "Arithmetic operators widen to fp32 and narrow once. power runs on GpSimd. When all "
           "tiles are int32 or "
           "uint32 in SBUF and no engine is named, GpSimd computes with exact 32-bit integers that "
           "wrap around; "
           "engine=vector goes through fp32 and is exact up to 2^24 only. Bit operators work on "
           "raw bits and need "
           "integer tiles of one width. data1 and data2 may not both be in PSUM. Nothing is "
           "broadcast by itself.",
    .example = NKX_EXAMPLE(NKX_EX_TILE("a", "(128, 512)", "float32", "1.5") NKX_EX_TILE(
        "b", "(128, 512)", "float32",
        "2.0") "    c = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)\n"
               "    nisa.tensor_tensor(dst=c, data1=a, data2=b, op=nl.add)\n" NKX_EX_STORE(
                   "c", "(128, 512)", "float32")),
    .cost_doc =
        "max(64, N) with one input in PSUM, or on gen2 all bf16 in SBUF with add, multiply, "
        "subtract; else "
        "max(64, 2N) on gen2 and N on later targets, N/2 for 16-bit floats in SBUF; GpSimd 150 + N",
};

/* ---- operators with scalar operands ---- */

/* A missing operator is bypass: the clamp helpers of public kernels pass op0=None. */
static nkx_alu op_or_bypass(const nkx_issue *is, int i)
{
    nkx_alu op = nkx_op_of(is, i);
    return op == NKX_N_ALU ? NKX_ALU_BYPASS : op;
}

static bool is_unary(nkx_alu op)
{
    return (nkx_alu_rows[op].flags & NKX_OPF_UNARY) != 0;
}

/* A unary operator takes the data only: its operand is None or 0 (isa.md 2.3). */
static bool check_operand(nkx_issue *is, int op_arg, int operand)
{
    nkx_alu op = nkx_op_of(is, op_arg);
    if (op == NKX_N_ALU) {
        return !nkx_has(is, operand) ||
               nkx_isa_fault(is, NKX_E515, operand, "Name the operator, or leave the operand out.",
                             "%s without %s", is->row->params[operand].name,
                             is->row->params[op_arg].name);
    }
    if (is_unary(op)) {
        bool none =
            !nkx_has(is, operand) || (!nkx_is_tile(is, operand) && nkx_num_of(is, operand) == 0);
        return none ||
               nkx_isa_fault(is, NKX_E515, operand, "It takes the data only: pass None or 0.",
                             "%s is unary and takes no operand", nkx_alu_rows[op].name);
    }
    if (nkx_has(is, operand) || op == NKX_ALU_BYPASS) return true;
    nkx_isa_fault(is, NKX_E515, op_arg, "A binary operator needs a number or a (P, 1) tile.",
                  "%s without %s", nkx_alu_rows[op].name, is->row->params[operand].name);
    return false;
}

/* ---- tensor_scalar ---- */

enum { TS_DST, TS_DATA, TS_OP0, TS_X0, TS_REV0, TS_OP1, TS_X1, TS_REV1, TS_ENGINE };

static const nkx_isa_param tensor_scalar_params[] = {
    P_DST(.flags = NKX_PF_TILE | NKX_PF_INDIRECT, .doc = "result"),
    P_IN("data", .flags = NKX_PF_TILE | NKX_PF_INDIRECT, .doc = "tile to work on"),
    P_OP_NONE("op0", .doc = "first operator"),
    P_NUM_NONE("operand0", .doc = "number or (P, 1) tile; None or 0 for unary operators"),
    P_BOOL("reverse0", .doc = "swap the operands of op0"),
    P_OPT("op1", NKX_ACCEPT(NKX_ARG_OP), .doc = "second operator, of the same class"),
    P_COL_OPT("operand1", .doc = "number or (P, 1) tile for op1"),
    P_BOOL("reverse1", .doc = "swap the operands of op1"),
    P_ENGINE,
    P_END,
};

static bool mul_add_form(nkx_alu op0, nkx_alu op1)
{
    if (op1 == NKX_ALU_BYPASS) {
        return op0 == NKX_ALU_MULTIPLY || op0 == NKX_ALU_ADD || op0 == NKX_ALU_BYPASS;
    }
    return op0 == NKX_ALU_MULTIPLY && op1 == NKX_ALU_ADD;
}

static bool int_operand(const nkx_issue *is, int i)
{
    if (nkx_is_tile(is, i)) return NKX_DTS_INT32 >> nkx_tile(is, i)->dtype & 1u;
    return is->arg[i].kind == NKX_ARG_INT || !nkx_has(is, i);
}

/* The address arithmetic form: 32-bit integers all through, add and multiply only (isa.md 4.4.2).
 */
static bool address_form(const nkx_issue *is)
{
    static const int tiles[] = {TS_DST, TS_DATA};
    nkx_alu a = op_or_bypass(is, TS_OP0), b = op_or_bypass(is, TS_OP1);
    bool ops = (a == NKX_ALU_ADD || a == NKX_ALU_MULTIPLY) &&
               (b == NKX_ALU_ADD || b == NKX_ALU_MULTIPLY || b == NKX_ALU_BYPASS);
    return ops && all_int32(is, tiles, 2) && int_operand(is, TS_X0) && int_operand(is, TS_X1);
}

static bool tensor_scalar_pick(nkx_issue *is)
{
    nkx_alu a = op_or_bypass(is, TS_OP0), b = op_or_bypass(is, TS_OP1);
    if (nkx_is_bits(a) || nkx_is_bits(b)) {
        return nkx_pick_engine(is, TS_ENGINE, NKX_DVE, NKX_ENG_DVE);
    }
    bool pool =
        a == NKX_ALU_RSQRT || b == NKX_ALU_RSQRT || a == NKX_ALU_POWER || b == NKX_ALU_POWER;
    if (pool) return nkx_pick_engine(is, TS_ENGINE, NKX_POOL, NKX_ENG_POOL);
    unsigned allowed = NKX_ENG_DVE;
    bool addr = address_form(is);
    if (addr) allowed |= NKX_ENG_POOL;
    if (nkx_gen(is) >= 3 && mul_add_form(a, b)) allowed |= NKX_ENG_ACT;
    if (nkx_gen(is) >= 4) allowed |= NKX_ENG_ACT; /* tensor_scalar_check warns about other forms */
    return nkx_pick_engine(is, TS_ENGINE, addr ? NKX_POOL : NKX_DVE, allowed);
}

static bool check_gen4_unary(nkx_issue *is, int i)
{
    nkx_alu op = nkx_op_of(is, i);
    if ((op != NKX_ALU_SQUARE && op != NKX_ALU_RELU) || nkx_gen(is) >= 4) return true;
    return nkx_isa_fault(is, NKX_E501, i,
                         "Use nisa.activation, or multiply / maximum with two operands.",
                         "operator %s of tensor_scalar needs gen4, the target is gen%d",
                         nkx_alu_rows[op].name, nkx_gen(is));
}

static bool check_scalar_types(nkx_issue *is, bool bits, bool addr)
{
    static const int all[] = {TS_DST, TS_DATA, TS_X0, TS_X1};
    if (bits) return bits_types(is, all, 4);
    for (int i = 2; !addr && i < 4; i++) {
        if (!nkx_is_tile(is, all[i]) || nkx_tile(is, all[i])->dtype == NKX_DT_FP32) continue;
        if (!nkx_isa_fault(
                is, NKX_E507, all[i],
                "It is widened here; the hardware reads fp32 columns: make the tile float32.",
                "%s is %s where fp32 is expected", is->row->params[all[i]].name,
                nkx_dtypes[nkx_tile(is, all[i])->dtype].name)) {
            return false;
        }
    }
    return true;
}

static bool tensor_scalar_check(nkx_issue *is)
{
    nkx_alu a = op_or_bypass(is, TS_OP0), b = op_or_bypass(is, TS_OP1);
    bool bits = nkx_is_bits(a) || nkx_is_bits(b);
    if (nkx_has(is, TS_OP0) && !nkx_check_op(is, TS_OP0, bits ? NKX_OPF_BITVEC : NKX_OPF_ARITH,
                                             bits ? "bit operator" : "arithmetic operator")) {
        return false;
    }
    if (nkx_has(is, TS_OP1) &&
        !nkx_check_op(is, TS_OP1, bits ? NKX_OPF_BITVEC : NKX_OPF_ARITH,
                      bits ? "bit operator: both must be of one class" : "arithmetic operator")) {
        return false;
    }
    if (!check_operand(is, TS_OP0, TS_X0) || !check_operand(is, TS_OP1, TS_X1)) return false;
    if (!check_gen4_unary(is, TS_OP0) || !check_gen4_unary(is, TS_OP1)) return false;
    if (nkx_has(is, TS_OP0) && !nkx_check_newer_op(is, TS_OP0)) return false;
    if (is->engine == NKX_ACT && !mul_add_form(a, b) &&
        !nkx_isa_fault(is, NKX_E516, TS_ENGINE,
                       "ACT is documented for multiply, add, and multiply then add.",
                       "%s, %s on the scalar engine", nkx_alu_rows[a].name, nkx_alu_rows[b].name)) {
        return false;
    }
    return check_scalar_types(is, bits, is->engine == NKX_POOL && address_form(is));
}

static void tensor_scalar_cost(const nkx_issue *is, nkx_cost *out)
{
    int64_t n = nkx_n_of(is, TS_DST);
    int mode =
        is->engine == NKX_DVE ? nkx_perf_mode(is, nkx_tile(is, TS_DST), nkx_tile(is, TS_DATA)) : 1;
    nkx_cost_lanes(is, out, (n + mode - 1) / mode);
    out->perf_mode = (uint8_t)mode;
    if (mode > 1) out->cls = NKX_COST_DVE_PERF;
    bool rsqrt = nkx_op_of(is, TS_OP0) == NKX_ALU_RSQRT || nkx_op_of(is, TS_OP1) == NKX_ALU_RSQRT;
    if (is->engine == NKX_POOL && rsqrt) out->work_cycles = 4 * n;
    if (is->engine == NKX_ACT) out->cls = NKX_COST_ACT_COPY;
}

typedef struct scalar_job {
    nkx_access dst, data;
    nkx_col x0, x1;
    nkx_alu op0, op1;
    bool rev0, rev1, is_signed;
    uint32_t parts;
    int64_t n;
} scalar_job;

static void run_tensor_scalar(const void *arg)
{
    const scalar_job *j = arg;
    float in[NKX_CHUNK], tmp[NKX_CHUNK];
    for (uint32_t p = 0; p < j->parts; p++) {
        float s0 = nkx_col_at(&j->x0, p), s1 = nkx_col_at(&j->x1, p);
        for (int64_t i = 0; i < j->n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->n - i);
            const float *x = nkx_lanes_in(&j->data, p, i, n, in);
            float *d = nkx_lanes_out(&j->dst, p, i, tmp);
            nkx_alu_scalar(j->op0, j->rev0, d, x, s0, n);
            if (j->op1 != NKX_ALU_BYPASS) nkx_alu_scalar(j->op1, j->rev1, d, d, s1, n);
            nkx_lanes_put(&j->dst, p, i, n, d);
        }
    }
}

/* Operand of the integer forms, by its bits. */
static uint32_t int_at(const nkx_col *c, uint32_t p)
{
    if (!c->tile) return (uint32_t)(int64_t)c->v;
    return (uint32_t)nkx_load_i64((nkx_dtype)c->dtype, c->base + (int64_t)p * c->pstep);
}

static void int_op(const scalar_job *j, nkx_alu op, bool reverse, uint32_t *x, uint32_t s,
                   int64_t n)
{
    uint32_t row[NKX_CHUNK];
    const nkx_alu_row *r = &nkx_alu_rows[op];
    if (op == NKX_ALU_BYPASS) return;
    for (int64_t i = 0; i < n; i++) row[i] = s;
    const uint32_t *a = reverse ? row : x, *b = reverse ? x : row;
    if (r->flags & NKX_OPF_BITVEC) {
        r->bits(x, a, b, n, j->data.elem_bytes * 8);
    } else {
        r->int32(x, a, b, n, j->is_signed);
    }
}

typedef struct int_scalar_job {
    scalar_job s;
    int64_t v0, v1; /* numbers, exact */
} int_scalar_job;

static void run_int_scalar(const void *arg)
{
    const int_scalar_job *g = arg;
    const scalar_job *j = &g->s;
    uint32_t x[NKX_CHUNK];
    for (uint32_t p = 0; p < j->parts; p++) {
        uint32_t s0 = j->x0.tile ? int_at(&j->x0, p) : (uint32_t)(uint64_t)g->v0;
        uint32_t s1 = j->x1.tile ? int_at(&j->x1, p) : (uint32_t)(uint64_t)g->v1;
        for (int64_t i = 0; i < j->n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->n - i);
            nkx_bits_in(&j->data, p, i, n, x);
            int_op(j, j->op0, j->rev0, x, s0, n);
            int_op(j, j->op1, j->rev1, x, s1, n);
            nkx_bits_out(&j->dst, p, i, n, x);
        }
    }
}

static bool tensor_scalar_lower(nkx_issue *is, nkx_work *out)
{
    int_scalar_job *g = nkx_job_new(is, sizeof *g);
    scalar_job *j = &g->s;
    nkx_view_access(nkx_tile(is, TS_DST), &j->dst);
    nkx_view_access(nkx_tile(is, TS_DATA), &j->data);
    nkx_col_lower(is, TS_X0, 0, &j->x0);
    nkx_col_lower(is, TS_X1, 0, &j->x1);
    j->op0 = op_or_bypass(is, TS_OP0);
    j->op1 = op_or_bypass(is, TS_OP1);
    j->rev0 = nkx_bool_of(is, TS_REV0);
    j->rev1 = nkx_bool_of(is, TS_REV1);
    j->is_signed = nkx_tile(is, TS_DATA)->dtype == NKX_DT_INT32;
    j->parts = j->dst.nparts;
    j->n = nkx_min_n(j->dst.n, j->data.n);
    g->v0 = nkx_is_tile(is, TS_X0) ? 0 : nkx_int_of(is, TS_X0);
    g->v1 = nkx_is_tile(is, TS_X1) ? 0 : nkx_int_of(is, TS_X1);
    bool ints =
        nkx_is_bits(j->op0) || nkx_is_bits(j->op1) || (is->engine == NKX_POOL && address_form(is));
    nkx_lower_job(is, out, ints ? run_int_scalar : run_tensor_scalar, g, sizeof *g);
    return true;
}

const nkx_insn nkx_insn_tensor_scalar = {
    .name = "tensor_scalar",
    .engines = NKX_ENG_DVE | NKX_ENG_ACT | NKX_ENG_POOL,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Vector arithmetic",
    .params = tensor_scalar_params,
    .pick = tensor_scalar_pick,
    .check = tensor_scalar_check,
    .lower = tensor_scalar_lower,
    .cost = tensor_scalar_cost,
    .brief = "dst = op1(op0(data, operand0), operand1), operands being numbers or one value a "
             "partition.",
    .doc = "reverse0 and reverse1 swap the operands of an operator. Both operators are of one "
           "class: arithmetic in fp32, "
           "or bit operations on integers. A missing operator passes its input on. Tile operands "
           "of arithmetic are fp32; "
           "other types are widened with a warning. The vector engine runs all forms but rsqrt and "
           "power, which run on "
           "GpSimd (readings 14: engine=gpsimd may be named for these only); the scalar engine "
           "(gen3 on) runs multiply, "
           "add, and multiply then add. With 32-bit integers all through, add and multiply are "
           "exact on GpSimd.",
    .example = NKX_EXAMPLE(NKX_EX_TILE(
        "a", "(128, 512)", "float32",
        "1.5") "    nisa.tensor_scalar(dst=a, data=a, op0=nl.multiply, operand0=2.0, op1=nl.add, "
               "operand1=1.0)\n" NKX_EX_STORE("a", "(128, 512)", "float32")),
    .cost_doc = "max(64, N); two operators cost as one; gen3 on: N/4 or N/2 in the performance "
                "modes; rsqrt on GpSimd 150 + 4N",
};

/* ---- scalar_tensor_tensor ---- */

enum { STT_DST, STT_DATA, STT_OP0, STT_X0, STT_OP1, STT_Y, STT_REV0, STT_REV1 };

static const nkx_isa_param scalar_tensor_tensor_params[] = {
    P_DST(.flags = NKX_PF_TILE, .doc = "result"),
    P_IN("data", .flags = NKX_PF_TILE, .doc = "first tile"),
    P_OP("op0", .doc = "operator of data and operand0"),
    P_NUM_FP32("operand0", .doc = "number or (P, 1) tile"),
    P_OP("op1", .doc = "operator of that and operand1"),
    P_IN("operand1", .flags = NKX_PF_TILE, .doc = "second tile, as large as data"),
    P_BOOL("reverse0", .doc = "swap the operands of op0"),
    P_BOOL("reverse1", .doc = "swap the operands of op1"),
    P_END,
};

static bool scalar_tensor_tensor_check(nkx_issue *is)
{
    if (!nkx_check_op(is, STT_OP0, NKX_OPF_ARITH | NKX_OPF_BINARY, "binary arithmetic operator")) {
        return false;
    }
    if (!nkx_check_op(is, STT_OP1, NKX_OPF_ARITH | NKX_OPF_BINARY, "binary arithmetic operator")) {
        return false;
    }
    return nkx_check_not_both_psum(is, STT_DATA, STT_Y);
}

static void scalar_tensor_tensor_cost(const nkx_issue *is, nkx_cost *out)
{
    const nkx_view *a = nkx_tile(is, STT_DATA), *b = nkx_tile(is, STT_Y);
    int64_t n = nkx_n_of(is, STT_DST);
    bool fast = a->dtype == NKX_DT_BF16 && b->dtype == NKX_DT_BF16 &&
                nkx_op_of(is, STT_OP0) == NKX_ALU_SUBTRACT &&
                nkx_op_of(is, STT_OP1) == NKX_ALU_MULTIPLY && n % 2 == 0;
    nkx_cost_two_inputs(is, out, nkx_tile(is, STT_DST), a, b);
    if (out->perf_mode == 1 && fast && out->work_cycles > n) out->work_cycles = n;
}

typedef struct stt_job {
    nkx_access dst, a, b;
    nkx_col x0;
    nkx_alu op0, op1;
    bool rev0, rev1;
    uint32_t parts;
    int64_t n;
} stt_job;

static void run_scalar_tensor_tensor(const void *arg)
{
    const stt_job *j = arg;
    float bufs[4][NKX_CHUNK];
    for (uint32_t p = 0; p < j->parts; p++) {
        float s = nkx_col_at(&j->x0, p);
        for (int64_t i = 0; i < j->n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->n - i);
            const float *a = nkx_lanes_in(&j->a, p, i, n, bufs[0]);
            const float *b = nkx_lanes_in(&j->b, p, i, n, bufs[1]);
            float *d = nkx_lanes_out(&j->dst, p, i, bufs[2]);
            nkx_alu_scalar(j->op0, j->rev0, bufs[3], a, s, n);
            nkx_alu_rows2(j->op1, j->rev1, d, bufs[3], b, n);
            nkx_lanes_put(&j->dst, p, i, n, d);
        }
    }
}

static bool scalar_tensor_tensor_lower(nkx_issue *is, nkx_work *out)
{
    stt_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, STT_DST), &j->dst);
    nkx_view_access(nkx_tile(is, STT_DATA), &j->a);
    nkx_view_access(nkx_tile(is, STT_Y), &j->b);
    nkx_col_lower(is, STT_X0, 0, &j->x0);
    j->op0 = nkx_op_of(is, STT_OP0);
    j->op1 = nkx_op_of(is, STT_OP1);
    j->rev0 = nkx_bool_of(is, STT_REV0);
    j->rev1 = nkx_bool_of(is, STT_REV1);
    j->parts = j->dst.nparts;
    j->n = nkx_min_n(j->dst.n, nkx_min_n(j->a.n, j->b.n));
    nkx_lower_job(is, out, run_scalar_tensor_tensor, j, sizeof *j);
    return true;
}

const nkx_insn nkx_insn_scalar_tensor_tensor = {
    .name = "scalar_tensor_tensor",
    .engines = NKX_ENG_DVE,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Vector arithmetic",
    .params = scalar_tensor_tensor_params,
    .check = scalar_tensor_tensor_check,
    .lower = scalar_tensor_tensor_lower,
    .cost = scalar_tensor_tensor_cost,
    .brief = "dst = op1(op0(data, operand0), operand1) with a scalar operand0 and a tile operand1.",
    .doc = "Arithmetic operators only; the value between them stays fp32. reverse0 and reverse1 "
           "swap operands. data and "
           "operand1 may not both be in PSUM.",
    .example = NKX_EXAMPLE(NKX_EX_TILE("a", "(128, 256)", "float32", "3.0") NKX_EX_TILE(
        "b", "(128, 256)", "float32",
        "2.0") "    nisa.scalar_tensor_tensor(dst=a, data=a, op0=nl.subtract, operand0=1.0, "
               "op1=nl.multiply, operand1=b)\n" NKX_EX_STORE("a", "(128, 256)", "float32")),
    .cost_doc = "max(64, N) if data and operand1 are bf16, op0=subtract, op1=multiply, N even; "
                "else as tensor_tensor",
};

/* ---- tensor_tensor_scan ---- */

enum { SC_DST, SC_A, SC_B, SC_INIT, SC_OP0, SC_OP1, SC_REV0, SC_REV1 };

static const nkx_isa_param tensor_tensor_scan_params[] = {
    P_DST(.flags = NKX_PF_TILE, .doc = "result"),
    P_IN("data0", .flags = NKX_PF_TILE, .doc = "combined with the previous result by op0"),
    P_IN("data1", .flags = NKX_PF_TILE, .doc = "combined with that by op1"),
    P_NUM_FP32("initial", .doc = "value before the first: number or (P, 1)"),
    P_OP("op0", .doc = "binary arithmetic operator"),
    P_OP("op1", .doc = "binary arithmetic operator"),
    P_BOOL("reverse0", .doc = "previous result on the left of op0"),
    P_BOOL("reverse1", .doc = "data1 on the left of op1"),
    P_END,
};

static bool tensor_tensor_scan_check(nkx_issue *is)
{
    if (!nkx_check_op(is, SC_OP0, NKX_OPF_ARITH | NKX_OPF_BINARY, "binary arithmetic operator")) {
        return false;
    }
    if (!nkx_check_op(is, SC_OP1, NKX_OPF_ARITH | NKX_OPF_BINARY, "binary arithmetic operator")) {
        return false;
    }
    return nkx_check_not_both_psum(is, SC_A, SC_B);
}

/* The scan reads two inputs an element on every target (timing.md 2.3). */
static void tensor_tensor_scan_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, 2 * nkx_n_of(is, SC_DST));
}

typedef struct scan_job {
    nkx_access dst, a, b;
    nkx_col initial;
    nkx_alu op0, op1;
    bool rev0, rev1;
    uint32_t parts;
    int64_t n;
} scan_job;

/* One step of the usual operators without a call. */
static inline float step(nkx_alu op, bool reverse, float x, float y)
{
    float r;
    switch (op) {
    case NKX_ALU_MULTIPLY: return x * y;
    case NKX_ALU_ADD: return x + y;
    case NKX_ALU_SUBTRACT: return reverse ? y - x : x - y;
    default: nkx_alu_rows2(op, reverse, &r, &x, &y, 1); return r;
    }
}

static float scan_row(const scan_job *j, float r, float *d, const float *a, const float *b,
                      int64_t n)
{
    if (j->op0 == NKX_ALU_MULTIPLY && j->op1 == NKX_ALU_ADD) {
        for (int64_t i = 0; i < n; i++) {
            r = a[i] * r + b[i];
            d[i] = r;
        }
        return r;
    }
    for (int64_t i = 0; i < n; i++) {
        r = step(j->op1, j->rev1, step(j->op0, j->rev0, a[i], r), b[i]);
        d[i] = r;
    }
    return r;
}

#define SCAN_LANES                                                                                 \
    8 /* partitions walked together: each step waits for the one before in its own lane only */

static void scan_lanes(float *const *d, const float *const *a, const float *const *b, float *r,
                       int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < SCAN_LANES; k++) {
            r[k] = a[k][i] * r[k] + b[k][i];
            d[k][i] = r[k];
        }
    }
}

/* multiply then add over dense fp32 rows: the selective scan. */
static uint32_t scan_fast(const scan_job *j)
{
    uint32_t p = 0;
    if (j->op0 != NKX_ALU_MULTIPLY || j->op1 != NKX_ALU_ADD || !nkx_direct(&j->dst) ||
        !nkx_direct(&j->a) || !nkx_direct(&j->b)) {
        return 0;
    }
    for (; p + SCAN_LANES <= j->parts; p += SCAN_LANES) {
        float *d[SCAN_LANES], r[SCAN_LANES];
        const float *a[SCAN_LANES], *b[SCAN_LANES];
        for (uint32_t k = 0; k < SCAN_LANES; k++) {
            d[k] = nkx_lane_at(&j->dst, p + k, 0);
            a[k] = nkx_lane_at(&j->a, p + k, 0);
            b[k] = nkx_lane_at(&j->b, p + k, 0);
            r[k] = nkx_col_at(&j->initial, p + k);
        }
        scan_lanes(d, a, b, r, j->n);
    }
    return p;
}

static void run_tensor_tensor_scan(const void *arg)
{
    const scan_job *j = arg;
    float bufs[3][NKX_CHUNK];
    for (uint32_t p = scan_fast(j); p < j->parts; p++) {
        float r = nkx_col_at(&j->initial, p);
        for (int64_t i = 0; i < j->n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->n - i);
            const float *a = nkx_lanes_in(&j->a, p, i, n, bufs[0]);
            const float *b = nkx_lanes_in(&j->b, p, i, n, bufs[1]);
            float *d = nkx_lanes_out(&j->dst, p, i, bufs[2]);
            r = scan_row(j, r, d, a, b, n);
            nkx_lanes_put(&j->dst, p, i, n, d);
        }
    }
}

static bool tensor_tensor_scan_lower(nkx_issue *is, nkx_work *out)
{
    scan_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, SC_DST), &j->dst);
    nkx_view_access(nkx_tile(is, SC_A), &j->a);
    nkx_view_access(nkx_tile(is, SC_B), &j->b);
    nkx_col_lower(is, SC_INIT, 0, &j->initial);
    j->op0 = nkx_op_of(is, SC_OP0);
    j->op1 = nkx_op_of(is, SC_OP1);
    j->rev0 = nkx_bool_of(is, SC_REV0);
    j->rev1 = nkx_bool_of(is, SC_REV1);
    j->parts = j->dst.nparts;
    j->n = nkx_min_n(j->dst.n, nkx_min_n(j->a.n, j->b.n));
    nkx_lower_job(is, out, run_tensor_tensor_scan, j, sizeof *j);
    return true;
}

const nkx_insn nkx_insn_tensor_tensor_scan = {
    .name = "tensor_tensor_scan",
    .engines = NKX_ENG_DVE,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Vector arithmetic",
    .params = tensor_tensor_scan_params,
    .check = tensor_tensor_scan_check,
    .lower = tensor_tensor_scan_lower,
    .cost = tensor_tensor_scan_cost,
    .brief = "r[i] = op1(op0(data0[i], r[i-1]), data1[i]), from r[-1] = initial; dst = r.",
    .doc =
        "The running value is carried in fp32 and narrowed at each element. reverse0 puts the "
        "previous result on the left "
        "of op0, reverse1 puts data1 on the left of op1. data0 and data1 may not both be in PSUM.",
    .example = NKX_EXAMPLE(NKX_EX_TILE("a", "(128, 64)", "float32", "1.0") NKX_EX_TILE(
        "b", "(128, 64)", "float32",
        "1.0") "    c = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)\n"
               "    nisa.tensor_tensor_scan(dst=c, data0=a, data1=b, initial=0.0, op0=nl.multiply, "
               "op1=nl.add)\n" NKX_EX_STORE("c", "(128, 64)", "float32")),
    .cost_doc = "max(64, 2N)",
};

/* ---- reciprocal ---- */

static const nkx_isa_param reciprocal_params[] = {
    P_DST(.flags = NKX_PF_TILE, .doc = "result"),
    P_IN("data", .flags = NKX_PF_TILE, .doc = "tile to invert"),
    P_END,
};

static void reciprocal_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, 8 * nkx_n_of(is, 0));
}

static bool reciprocal_lower(nkx_issue *is, nkx_work *out)
{
    int_scalar_job *g = nkx_job_new(is, sizeof *g);
    scalar_job *j = &g->s;
    nkx_view_access(nkx_tile(is, 0), &j->dst);
    nkx_view_access(nkx_tile(is, 1), &j->data);
    j->op0 = NKX_ALU_RECIPROCAL;
    j->op1 = NKX_ALU_BYPASS;
    j->parts = j->dst.nparts;
    j->n = nkx_min_n(j->dst.n, j->data.n);
    nkx_lower_job(is, out, run_tensor_scalar, g, sizeof *g);
    return true;
}

const nkx_insn nkx_insn_reciprocal = {
    .name = "reciprocal",
    .engines = NKX_ENG_DVE,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Vector arithmetic",
    .params = reciprocal_params,
    .lower = reciprocal_lower,
    .cost = reciprocal_cost,
    .brief = "dst = 1 / data.",
    .doc = "In fp32, more precise than the reciprocal of the scalar engine.",
    .example = NKX_EXAMPLE(NKX_EX_TILE(
        "a", "(128, 64)", "float32",
        "4.0") "    nisa.reciprocal(dst=a, data=a)\n" NKX_EX_STORE("a", "(128, 64)", "float32")),
    .cost_doc = "max(64, 8N)",
};
