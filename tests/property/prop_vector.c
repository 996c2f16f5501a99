/* SPDX-License-Identifier: Apache-2.0 */
/* Random cases of the vector engine's arithmetic and copies, and of the scalar engine, against
 * float64 loops. */
#include "tests/property/prop.h"

#include <math.h>
#include <stdlib.h>

#define MAX_N (128 * 128)

typedef struct sizes {
    int64_t parts, per, n;
} sizes;

static sizes random_sizes(prop *p)
{
    sizes s = {.parts = prop_flip(p) ? prop_int(p, 1, 8) : prop_int(p, 1, 128),
               .per = prop_int(p, 1, 96)};
    s.n = s.parts * s.per;
    return s;
}

static nkx_space chip(prop *p)
{
    return prop_int(p, 0, 3) == 0 ? NKX_SPACE_PSUM : NKX_SPACE_SBUF;
}

/* PSUM tiles are small: 2 KiB a bank, with room for stepped layouts. */
static nkx_space chip_for(prop *p, nkx_dtype dt, int64_t per)
{
    return (per * 3 + 8) * nkx_dtype_bytes(dt) <= 2048 ? chip(p) : NKX_SPACE_SBUF;
}

#define PLAIN (PROP_FLOATS | PROP_INTS)

static const nkx_alu arith[] = {NKX_ALU_ADD,        NKX_ALU_SUBTRACT,   NKX_ALU_MULTIPLY,
                                NKX_ALU_MAXIMUM,    NKX_ALU_MINIMUM,    NKX_ALU_EQUAL,
                                NKX_ALU_NOT_EQUAL,  NKX_ALU_GREATER,    NKX_ALU_GREATER_EQUAL,
                                NKX_ALU_LESS,       NKX_ALU_LESS_EQUAL, NKX_ALU_LOGICAL_AND,
                                NKX_ALU_LOGICAL_OR, NKX_ALU_LOGICAL_XOR};
static const nkx_alu bits[] = {NKX_ALU_BITWISE_AND, NKX_ALU_BITWISE_OR, NKX_ALU_BITWISE_XOR,
                               NKX_ALU_LEFT_SHIFT, NKX_ALU_RIGHT_SHIFT};

static nkx_alu pick(prop *p, const nkx_alu *list, size_t n)
{
    return list[prop_int(p, 0, (int64_t)n - 1)];
}

static double f(nkx_alu op, double a, double b)
{
    return prop_f32(ref_binary(op, a, b));
}

static double swapped(nkx_alu op, bool reverse, double a, double b)
{
    return reverse ? f(op, b, a) : f(op, a, b);
}

/* ---- copies and fills ---- */

static void run_tensor_copy(prop *p)
{
    sizes s = random_sizes(p);
    nkx_dtype a = prop_dtype(p, PLAIN), b = prop_flip(p) ? a : prop_dtype(p, PLAIN);
    prop_tensor *src = prop_tile(p, chip_for(p, a, s.per), s.parts, s.per, a, -90, 90, true);
    prop_tensor *dst = prop_tile(p, chip_for(p, b, s.per), s.parts, s.per, b, 0, 1, false);
    prop_arg_tile(p, "dst", dst);
    prop_arg_tile(p, "src", src);
    if (prop_issue(p)) prop_expect(p, dst, src->before, 0, 0);
}

static void run_memset(prop *p)
{
    sizes s = random_sizes(p);
    nkx_dtype dt = prop_dtype(p, PLAIN);
    prop_tensor *dst = prop_tile(p, chip_for(p, dt, s.per), s.parts, s.per, dt, 0, 1, false);
    double v = nkx_dtype_is_int(dt) ? (double)prop_int(p, -100, 300) : ref_uniform(&p->rnd, -9, 9),
           want[MAX_N];
    prop_arg_tile(p, "dst", dst);
    if (nkx_dtype_is_int(dt)) {
        prop_arg_int(p, "value", (int64_t)v);
    } else {
        prop_arg_num(p, "value", v);
    }
    for (int64_t i = 0; i < s.n; i++) want[i] = v;
    if (prop_issue(p)) prop_expect(p, dst, want, 0, 0);
}

static void run_predicated(prop *p)
{
    sizes s = random_sizes(p);
    nkx_dtype dt = prop_dtype(p, PLAIN);
    prop_tensor *src = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, dt, -90, 90, true);
    prop_tensor *dst = prop_tile(p, chip_for(p, dt, s.per), s.parts, s.per, dt, -9, 9, false);
    prop_tensor *m = prop_tile(
        p, NKX_SPACE_SBUF, s.parts, s.per,
        prop_dtype(p, 1u << NKX_DT_UINT8 | 1u << NKX_DT_UINT16 | 1u << NKX_DT_UINT32), 0, 2, true);
    bool reverse = prop_flip(p), number = prop_flip(p) && !nkx_dtype_is_int(dt);
    double want[MAX_N], v = ref_uniform(&p->rnd, -5, 5);
    prop_arg_tile(p, "dst", dst);
    prop_arg_tile(p, "predicate", m);
    prop_arg_bool(p, "reverse_pred", reverse);
    prop_arg_tile(p, "src", src);
    if (number) prop_arg_num(p, "src", v);
    for (int64_t i = 0; i < s.n; i++)
        want[i] = (m->before[i] != 0) != reverse ? (number ? v : src->before[i]) : dst->before[i];
    if (prop_issue(p)) prop_expect(p, dst, want, 0, 0);
}

static void run_shuffle(prop *p)
{
    int64_t per = prop_int(p, 1, 40), ps = prop_int(p, 1, 128), pd = prop_int(p, 1, ps), mask[32];
    nkx_dtype dt = prop_dtype(p, PLAIN);
    prop_tensor *src = prop_plain2(p, NKX_SPACE_SBUF, ps, per, dt, -90, 90);
    prop_tensor *dst = prop_flip(p) ? NULL : prop_plain2(p, NKX_SPACE_SBUF, pd, per, dt, 0, 1);
    double want[MAX_N];
    int64_t last = ps % 32 == 0 ? 32 : ps % 32;
    if (dst == NULL) dst = src;
    for (int i = 0; i < 32; i++) mask[i] = prop_int(p, 0, 9) == 0 ? 255 : prop_int(p, 0, last - 1);
    prop_arg_tile(p, "dst", dst);
    prop_arg_tile(p, "src", src);
    prop_arg_ints(p, "shuffle_mask", mask, 32);
    for (int64_t r = 0; r < dst->parts; r++) {
        for (int64_t e = 0; e < per; e++) {
            int64_t from = mask[r % 32];
            want[r * per + e] = from == 255 ? dst->before[r * per + e]
                                            : src->before[(r / 32 * 32 + from) * per + e];
        }
    }
    if (prop_issue(p)) prop_expect(p, dst, want, 0, 0);
}

/* ---- arithmetic ---- */

static void tensor_tensor_bits(prop *p, sizes s)
{
    nkx_dtype dt = prop_dtype(p, PROP_INTS);
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, dt, -120, 120, true),
                *b = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, dt, 0, 12, true);
    prop_tensor *d = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, dt, 0, 1, false);
    nkx_alu op = pick(p, bits, NKX_COUNT(bits));
    int width = (int)nkx_dtype_bytes(dt) * 8;
    double want[MAX_N];
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data1", a);
    prop_arg_tile(p, "data2", b);
    prop_arg_op(p, "op", op);
    for (int64_t i = 0; i < s.n; i++) {
        uint32_t r =
            ref_bits(op, (uint32_t)(int64_t)a->before[i], (uint32_t)(int64_t)b->before[i], width);
        bool neg = nkx_dtypes[dt].cls == NKX_CLASS_INT && (r >> (width - 1) & 1u);
        want[i] = neg ? (double)r - ldexp(1, width) : (double)r;
    }
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
}

/* Integers large enough that fp32 would lose bits. */
static void tensor_tensor_int32(prop *p, sizes s)
{
    static const nkx_alu ops[] = {NKX_ALU_ADD, NKX_ALU_SUBTRACT, NKX_ALU_MULTIPLY, NKX_ALU_MAXIMUM,
                                  NKX_ALU_LESS};
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, NKX_DT_INT32, -2e9, 2e9, true),
                *b = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, NKX_DT_INT32, -2e9, 2e9, true);
    prop_tensor *d = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, NKX_DT_INT32, 0, 1, false);
    nkx_alu op = pick(p, ops, NKX_COUNT(ops));
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data1", a);
    prop_arg_tile(p, "data2", b);
    prop_arg_op(p, "op", op);
    if (!prop_issue(p)) return;
    int32_t got[MAX_N];
    nkx_view_read(d->v, got);
    for (int64_t i = 0; i < s.n; i++) {
        uint32_t w =
            ref_int32(op, (uint32_t)(int32_t)a->before[i], (uint32_t)(int32_t)b->before[i], true);
        if ((uint32_t)got[i] != w)
            prop_fail(p, "int32 element %lld is %d, not %d", (long long)i, got[i], (int32_t)w);
    }
}

static void run_tensor_tensor(prop *p)
{
    sizes s = random_sizes(p);
    int kind = (int)prop_int(p, 0, 5);
    if (kind == 0) {
        tensor_tensor_bits(p, s);
        return;
    }
    if (kind == 1) {
        tensor_tensor_int32(p, s);
        return;
    }
    bool power = prop_int(p, 0, 9) == 0;
    nkx_dtype ta = prop_dtype(p, PROP_FLOATS), tb = prop_dtype(p, PLAIN), td = prop_dtype(p, PLAIN);
    prop_tensor *a = prop_tile(p, power ? NKX_SPACE_SBUF : chip_for(p, ta, s.per), s.parts, s.per,
                               ta, power ? 0.5 : -4, 4, true);
    prop_tensor *b = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, tb, -4, 4, true);
    prop_tensor *d = prop_tile(p, power ? NKX_SPACE_SBUF : chip_for(p, td, s.per), s.parts, s.per,
                               td, 0, 1, false);
    nkx_alu op = power ? NKX_ALU_POWER : pick(p, arith, NKX_COUNT(arith));
    double want[MAX_N];
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data1", a);
    prop_arg_tile(p, "data2", b);
    prop_arg_op(p, "op", op);
    for (int64_t i = 0; i < s.n; i++) want[i] = f(op, a->before[i], b->before[i]);
    if (prop_issue(p)) prop_expect(p, d, want, power ? 8 : 0, 0);
}

static void run_tensor_scalar(prop *p)
{
    sizes s = random_sizes(p);
    nkx_dtype ta = prop_dtype(p, PLAIN), td = prop_dtype(p, PLAIN);
    prop_tensor *a = prop_tile(p, chip_for(p, ta, s.per), s.parts, s.per, ta, -4, 4, true);
    prop_tensor *d = prop_tile(p, chip_for(p, td, s.per), s.parts, s.per, td, 0, 1, false);
    nkx_alu op0 = pick(p, arith, NKX_COUNT(arith)), op1 = pick(p, arith, NKX_COUNT(arith));
    bool two = prop_flip(p), r0 = prop_flip(p), r1 = prop_flip(p);
    double want[MAX_N], x0[128], x1[128];
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data", a);
    prop_arg_op(p, "op0", op0);
    prop_arg_col(p, "operand0", s.parts, -3, 3, x0);
    prop_arg_bool(p, "reverse0", r0);
    if (two) {
        prop_arg_op(p, "op1", op1);
        prop_arg_col(p, "operand1", s.parts, -3, 3, x1);
        prop_arg_bool(p, "reverse1", r1);
    }
    for (int64_t i = 0; i < s.n; i++) {
        want[i] = swapped(op0, r0, a->before[i], x0[i / s.per]);
        if (two) want[i] = swapped(op1, r1, want[i], x1[i / s.per]);
    }
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
}

static void run_scalar_tensor_tensor(prop *p)
{
    sizes s = random_sizes(p);
    nkx_dtype ta = prop_dtype(p, PLAIN), tb = prop_dtype(p, PLAIN), td = prop_dtype(p, PLAIN);
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, ta, -4, 4, true),
                *b = prop_tile(p, chip_for(p, tb, s.per), s.parts, s.per, tb, -4, 4, true);
    prop_tensor *d = prop_tile(p, chip_for(p, td, s.per), s.parts, s.per, td, 0, 1, false);
    nkx_alu op0 = pick(p, arith, NKX_COUNT(arith)), op1 = pick(p, arith, NKX_COUNT(arith));
    bool r0 = prop_flip(p), r1 = prop_flip(p);
    double want[MAX_N], x0[128];
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data", a);
    prop_arg_tile(p, "operand1", b);
    prop_arg_op(p, "op0", op0);
    prop_arg_op(p, "op1", op1);
    prop_arg_col(p, "operand0", s.parts, -3, 3, x0);
    prop_arg_bool(p, "reverse0", r0);
    prop_arg_bool(p, "reverse1", r1);
    for (int64_t i = 0; i < s.n; i++)
        want[i] = swapped(op1, r1, swapped(op0, r0, a->before[i], x0[i / s.per]), b->before[i]);
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
}

static void run_scan(prop *p)
{
    static const nkx_alu ops[] = {NKX_ALU_ADD, NKX_ALU_MULTIPLY, NKX_ALU_SUBTRACT, NKX_ALU_MAXIMUM,
                                  NKX_ALU_MINIMUM};
    sizes s = random_sizes(p);
    nkx_dtype ta = prop_dtype(p, PROP_FLOATS), tb = prop_dtype(p, PROP_FLOATS),
              td = prop_dtype(p, 1u << NKX_DT_FP32 | 1u << NKX_DT_BF16);
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, ta, -1, 1, true),
                *b = prop_tile(p, chip_for(p, tb, s.per), s.parts, s.per, tb, -2, 2, true);
    prop_tensor *d = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, td, 0, 1, false);
    nkx_alu op0 = pick(p, ops, NKX_COUNT(ops)), op1 = pick(p, ops, NKX_COUNT(ops));
    bool r0 = prop_flip(p), r1 = prop_flip(p);
    double want[MAX_N], x0[128], r = 0;
    if (prop_flip(p)) {
        op0 = NKX_ALU_MULTIPLY;
        op1 = NKX_ALU_ADD;
    }
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data0", a);
    prop_arg_tile(p, "data1", b);
    prop_arg_op(p, "op0", op0);
    prop_arg_op(p, "op1", op1);
    prop_arg_bool(p, "reverse0", r0);
    prop_arg_bool(p, "reverse1", r1);
    prop_arg_col(p, "initial", s.parts, -3, 3, x0);
    for (int64_t i = 0; i < s.n; i++) {
        if (i % s.per == 0) r = x0[i / s.per];
        r = swapped(op1, r1, swapped(op0, r0, a->before[i], r), b->before[i]);
        want[i] = r;
    }
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
}

static void run_reciprocal(prop *p)
{
    sizes s = random_sizes(p);
    nkx_dtype ta = prop_dtype(p, PROP_FLOATS), td = prop_dtype(p, PROP_FLOATS);
    prop_tensor *a = prop_tile(p, chip_for(p, ta, s.per), s.parts, s.per, ta, 0.5, 4, true),
                *d = prop_tile(p, chip_for(p, td, s.per), s.parts, s.per, td, 0, 1, false);
    double want[MAX_N];
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data", a);
    for (int64_t i = 0; i < s.n; i++) want[i] = 1 / a->before[i];
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
}

/* ---- reductions ---- */

static void run_tensor_reduce(prop *p)
{
    static const nkx_alu ops[] = {NKX_ALU_ADD,       NKX_ALU_MULTIPLY, NKX_ALU_MAXIMUM,
                                  NKX_ALU_MINIMUM,   NKX_ALU_SUBTRACT, NKX_ALU_LOGICAL_AND,
                                  NKX_ALU_LOGICAL_OR};
    int64_t parts = prop_int(p, 1, 128), a = prop_int(p, 1, 9), b = prop_int(p, 1, 12),
            c = prop_int(p, 1, 7), keep = prop_int(p, 0, 1);
    int64_t shape[] = {parts, a, b, c}, group = keep == 0 ? b * c : c, out = keep == 0 ? a : a * b,
            axes[] = {2, 3, 0};
    nkx_dtype dt = prop_dtype(p, PROP_FLOATS);
    prop_tensor *src = prop_plain(p, NKX_SPACE_SBUF, 4, shape, dt, -1.2, 1.2),
                *d = prop_tile(p, NKX_SPACE_SBUF, parts, out, NKX_DT_FP32, 0, 1, false);
    nkx_alu op = pick(p, ops, NKX_COUNT(ops));
    bool negate = prop_flip(p);
    double want[MAX_N];
    if (keep == 1) axes[0] = 3;
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data", src);
    prop_arg_op(p, "op", op);
    prop_arg_bool(p, "negate", negate);
    prop_arg_ints(p, "axis", axes, keep == 0 ? 2 : 1);
    for (int64_t g = 0; g < parts * out; g++) {
        double acc = src->before[g * group];
        if (op == NKX_ALU_LOGICAL_AND || op == NKX_ALU_LOGICAL_OR) acc = acc != 0;
        for (int64_t i = 1; i < group; i++) acc = ref_binary(op, acc, src->before[g * group + i]);
        want[g] = negate ? -acc : acc;
    }
    if (prop_issue(p)) prop_expect(p, d, want, 4, 1e-4);
}

static nkx_alu sum_like(prop *p)
{
    static const nkx_alu ops[] = {NKX_ALU_ADD, NKX_ALU_MULTIPLY, NKX_ALU_MAXIMUM, NKX_ALU_MINIMUM};
    return pick(p, ops, NKX_COUNT(ops));
}

static double identity(nkx_alu op)
{
    return op == NKX_ALU_MULTIPLY  ? 1
           : op == NKX_ALU_MAXIMUM ? -INFINITY
           : op == NKX_ALU_MINIMUM ? INFINITY
                                   : 0;
}

/* reset_reduce, then reduce on top of it. */
static void run_tensor_scalar_reduce(prop *p)
{
    sizes s = random_sizes(p);
    nkx_dtype ta = prop_dtype(p, PROP_FLOATS), td = prop_dtype(p, PROP_FLOATS);
    prop_tensor *a = prop_tile(p, chip_for(p, ta, s.per), s.parts, s.per, ta, -1.1, 1.1, true),
                *d = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, td, 0, 1, false);
    prop_tensor *res = prop_tile(p, NKX_SPACE_SBUF, s.parts, 1, NKX_DT_FP32, 0, 1, false);
    nkx_alu op = NKX_ALU_MULTIPLY, red = sum_like(p);
    double want[MAX_N], total[128], x0[128];
    bool negate = prop_flip(p);
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data", a);
    prop_arg_op(p, "op0", op);
    prop_arg_op(p, "reduce_op", red);
    prop_arg_col(p, "operand0", s.parts, -1.1, 1.1, x0);
    for (int64_t r = 0; r < s.parts; r++) total[r] = identity(red);
    for (int64_t i = 0; i < s.n; i++) {
        want[i] = f(op, a->before[i], x0[i / s.per]);
        total[i / s.per] = ref_binary(red, total[i / s.per], want[i]);
    }
    nkx_issue again = p->is;
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
    for (int64_t i = 0; i < s.n; i++) total[i / s.per] = ref_binary(red, total[i / s.per], want[i]);
    for (int64_t r = 0; negate && r < s.parts; r++) total[r] = -total[r];
    p->is = again;
    prop_arg_enum(p, "reduce_cmd", 2);
    prop_arg_tile(p, "reduce_res", res);
    prop_arg_bool(p, "reduce_res_negate", negate);
    if (!p->failed && prop_issue(p)) prop_expect(p, res, total, 96, 1e-4);
}

static void run_cumulative(prop *p)
{
    sizes s = random_sizes(p);
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, prop_dtype(p, PROP_FLOATS), -1.1,
                               1.1, true),
                *d = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, NKX_DT_FP32, 0, 1, false);
    nkx_alu op1 = sum_like(p);
    double want[MAX_N], x0[128], r = 0;
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "src", a);
    prop_arg_op(p, "op0", NKX_ALU_MULTIPLY);
    prop_arg_op(p, "op1", op1);
    prop_arg_col(p, "imm0", s.parts, -2, 2, x0);
    for (int64_t i = 0; i < s.n; i++) {
        if (i % s.per == 0) r = identity(op1);
        r = f(op1, f(NKX_ALU_MULTIPLY, a->before[i], x0[i / s.per]), r);
        want[i] = r;
    }
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
}

/* ---- the scalar engine ---- */

static nkx_alu random_function(prop *p)
{
    for (;;) {
        nkx_alu op = (nkx_alu)prop_int(p, 0, NKX_N_ALU - 1);
        if ((nkx_alu_rows[op].flags & NKX_OPF_ACTIVATION) && op != NKX_ALU_PRELU) return op;
    }
}

static bool positive_only(nkx_alu op)
{
    return op == NKX_ALU_LOG || op == NKX_ALU_SQRT || op == NKX_ALU_RSQRT ||
           op == NKX_ALU_RECIPROCAL;
}

static void run_activation(prop *p)
{
    sizes s = random_sizes(p);
    nkx_alu op = random_function(p);
    nkx_dtype ta = prop_dtype(p, PROP_FLOATS), td = prop_dtype(p, PROP_FLOATS);
    prop_tensor *a = prop_tile(p, chip_for(p, ta, s.per), s.parts, s.per, ta,
                               positive_only(op) ? 0.5 : -2, 2, true),
                *d = prop_tile(p, chip_for(p, td, s.per), s.parts, s.per, td, 0, 1, false);
    prop_tensor *res = prop_tile(p, NKX_SPACE_SBUF, s.parts, 1, NKX_DT_FP32, 0, 1, false);
    double want[MAX_N], total[128] = {0}, scale[128], bound = 0;
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data", a);
    prop_arg_op(p, "op", op);
    prop_arg_col(p, "scale", s.parts, 0.5, 1.5, scale);
    prop_arg_op(p, "reduce_op", NKX_ALU_ADD);
    if (nkx_isa_param_find(p->is.row, "reduce_cmd") >= 0) prop_arg_enum(p, "reduce_cmd", 3);
    prop_arg_tile(p, "reduce_res", res);
    for (int64_t i = 0; i < s.n; i++) {
        double x = prop_f32(a->before[i] * scale[i / s.per]), slack = ref_ulp_bound(op, x);
        want[i] = ref_unary(op, x, 0);
        total[i / s.per] += want[i];
        bound = slack > bound ? slack : bound;
    }
    if (prop_issue(p)) prop_expect(p, d, want, bound + 2, 2e-6);
    if (!p->failed) prop_expect(p, res, total, 64, 1e-3);
}

static void run_activate2(prop *p)
{
    sizes s = random_sizes(p);
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, prop_dtype(p, PROP_FLOATS), -2, 2,
                               true),
                *d = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, NKX_DT_FP32, 0, 1, false);
    prop_tensor *res = prop_tile(p, NKX_SPACE_SBUF, s.parts, 1, NKX_DT_FP32, 0, 1, false);
    double want[MAX_N], top[128], x0[128], x1[128], slope[128];
    nkx_alu op1 = prop_flip(p) ? NKX_ALU_ADD : NKX_ALU_SUBTRACT;
    bool r1 = prop_flip(p);
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data", a);
    prop_arg_op(p, "op", NKX_ALU_PRELU);
    prop_arg_op(p, "op0", NKX_ALU_MULTIPLY);
    prop_arg_op(p, "op1", op1);
    prop_arg_bool(p, "reverse1", r1);
    prop_arg_col(p, "imm0", s.parts, -2, 2, x0);
    prop_arg_col(p, "imm1", s.parts, -2, 2, x1);
    prop_arg_col(p, "relu_param", s.parts, 0, 1, slope);
    prop_arg_op(p, "reduce_op", NKX_ALU_MAXIMUM);
    prop_arg_enum(p, "reduce_cmd", 3);
    prop_arg_tile(p, "reduce_res", res);
    for (int64_t i = 0; i < s.parts; i++) top[i] = -INFINITY;
    for (int64_t i = 0; i < s.n; i++) {
        int64_t r = i / s.per;
        double x = swapped(op1, r1, f(NKX_ALU_MULTIPLY, a->before[i], x0[r]), x1[r]);
        want[i] = prop_f32(x >= 0 ? x : slope[r] * x);
        top[r] = want[i] > top[r] ? want[i] : top[r];
    }
    if (prop_issue(p)) prop_expect(p, d, want, 1, 0);
    if (!p->failed) prop_expect(p, res, top, 1, 0);
}

static void run_exponential(prop *p)
{
    sizes s = random_sizes(p);
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per, prop_dtype(p, PROP_FLOATS), -2, 2,
                               true),
                *d = prop_tile(p, NKX_SPACE_SBUF, s.parts, s.per,
                               prop_dtype(p, 1u << NKX_DT_FP32 | 1u << NKX_DT_BF16), 0, 1, false);
    prop_tensor *res = prop_tile(p, NKX_SPACE_SBUF, s.parts, 1, NKX_DT_FP32, 0, 1, false);
    double want[MAX_N], total[128] = {0}, top[128];
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "src", a);
    prop_arg_col(p, "max_value", s.parts, -2, 2, top);
    prop_arg_enum(p, "reduce_cmd", 4);
    prop_arg_num(p, "reduce_init", 1.5);
    prop_arg_tile(p, "reduce_res", res);
    for (int64_t i = 0; i < s.parts; i++) total[i] = 1.5;
    for (int64_t i = 0; i < s.n; i++) {
        want[i] = exp(prop_f32(a->before[i] - top[i / s.per]));
        total[i / s.per] += want[i];
    }
    if (prop_issue(p)) prop_expect(p, d, want, 3, 0);
    if (!p->failed) prop_expect(p, res, total, 64, 1e-3);
}

const prop_row prop_vector_rows[] = {
    {"tensor_copy",              run_tensor_copy         },
    {"memset",                   run_memset              },
    {"tensor_copy_predicated",   run_predicated          },
    {"nc_stream_shuffle",        run_shuffle             },
    {"tensor_tensor",            run_tensor_tensor       },
    {"tensor_scalar",            run_tensor_scalar       },
    {"scalar_tensor_tensor",     run_scalar_tensor_tensor},
    {"tensor_tensor_scan",       run_scan                },
    {"reciprocal",               run_reciprocal          },
    {"tensor_reduce",            run_tensor_reduce       },
    {"tensor_scalar_reduce",     run_tensor_scalar_reduce},
    {"tensor_scalar_cumulative", run_cumulative          },
    {"activation",               run_activation          },
    {"activation_reduce",        run_activation          },
    {"activate2",                run_activate2           },
    {"exponential",              run_exponential         },
    {NULL,                       NULL                    },
};
