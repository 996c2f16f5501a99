/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Index arithmetic and partition reductions of GpSimd (isa.md 4.2.4, 4.2.5, 4.4.5): iota,
 * affine_select, tensor_partition_reduce. Layer isa. Affine values are int32.
 */
#include "interp/isa/example.h"
#include "interp/isa/lanes.h"

#include <math.h>
#include <string.h>

#define AFFINE_DIMS 4

typedef struct affine {
    int64_t step[AFFINE_DIMS], count[AFFINE_DIMS]; /* outermost first */
    int64_t offset, per_partition;
} affine;

/* Pattern argument: pairs, outermost first, padded outside with one element. */
static bool take_affine(nkx_issue *is, int pattern, int offset, int multiplier, affine *a)
{
    const nkx_arg *p = nkx_arg_of(is, pattern);
    int n = p->u.ints.n;
    for (int d = 0; d < AFFINE_DIMS; d++) {
        a->step[d] = 0;
        a->count[d] = 1;
    }
    if (n < 1 || n > AFFINE_DIMS) {
        nkx_isa_fault(is, NKX_E576, pattern, "A pattern is a list of 1 to 4 pairs [step, count].",
                      "a pattern of %d pairs", n);
        return false;
    }
    for (int i = 0; i < n; i++) {
        a->step[AFFINE_DIMS - n + i] = p->u.ints.at[(size_t)i * 2];
        a->count[AFFINE_DIMS - n + i] = p->u.ints.at[(size_t)i * 2 + 1];
    }
    a->offset = nkx_int_of(is, offset);
    a->per_partition = nkx_int_of(is, multiplier);
    return true;
}

static bool check_affine(nkx_issue *is, int pattern, int offset, int multiplier, int dst)
{
    affine a;
    int64_t n = 1;
    if (!take_affine(is, pattern, offset, multiplier, &a)) return false;
    for (int d = 0; d < AFFINE_DIMS; d++) {
        if (a.count[d] < 1 || a.count[d] > 65536) n = 0;
        n *= a.count[d];
    }
    if (n == nkx_n_of(is, dst)) return true;
    nkx_isa_fault(is, NKX_E576, pattern,
                  "The counts multiply to the elements per partition of dst.",
                  "the pattern has %lld elements, dst %lld per partition", (long long)n,
                  (long long)nkx_n_of(is, dst));
    return false;
}

/* n values from v on, a step apart, in int32 arithmetic that wraps around. */
static void steps(int32_t *out, uint32_t v, uint32_t step, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t low = v + (uint32_t)i * step;
        memcpy(&out[i], &low, 4);
    }
}

/* Values first .. first + n of partition p, a run of the innermost pair at a time. */
static void affine_row(const affine *a, uint32_t p, int64_t first, int64_t n, int32_t *out)
{
    enum { LAST = AFFINE_DIMS - 1 };
    int64_t at[AFFINE_DIMS], k = first;
    uint64_t v = (uint64_t)a->offset + (uint64_t)p * (uint64_t)a->per_partition;
    for (int d = LAST; d >= 0; d--) {
        at[d] = k % a->count[d];
        k /= a->count[d];
        v += (uint64_t)at[d] * (uint64_t)a->step[d];
    }
    for (int64_t i = 0, run; i < n; i += run) {
        run = a->count[LAST] - at[LAST] < n - i ? a->count[LAST] - at[LAST] : n - i;
        steps(out + i, (uint32_t)v, (uint32_t)(uint64_t)a->step[LAST], run);
        v += (uint64_t)run * (uint64_t)a->step[LAST];
        at[LAST] += run;
        for (int d = LAST; d > 0 && at[d] == a->count[d]; d--) {
            v += (uint64_t)a->step[d - 1] - (uint64_t)a->count[d] * (uint64_t)a->step[d];
            at[d] = 0;
            at[d - 1]++;
        }
    }
}

/* ---- iota ---- */

enum { IO_DST, IO_PATTERN, IO_OFFSET, IO_MULT };

static const nkx_isa_param iota_params[] = {
    P_DST(.spaces = NKX_IN_SBUF, .flags = NKX_PF_TILE, .doc = "result"),
    P_ROW(.name = "pattern", .accept = NKX_ACCEPT(NKX_ARG_PATTERN), .required = true,
          .doc = "1 to 4 pairs [step, count], outermost first"),
    P_ROW(.name = "offset", .accept = NKX_ACCEPT(NKX_ARG_INT) | NKX_ACCEPT(NKX_ARG_REG),
          .dflt = "0", .dv = {.kind = NKX_ARG_INT}, .doc = "first value; may be a register"),
    P_ROW(.name = "channel_multiplier", .accept = NKX_ACCEPT(NKX_ARG_INT), .dflt = "0",
          .dv = {.kind = NKX_ARG_INT}, .doc = "added for each partition"),
    P_END,
};

static bool iota_check(nkx_issue *is)
{
    return check_affine(is, IO_PATTERN, IO_OFFSET, IO_MULT, IO_DST);
}

static void iota_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, nkx_n_of(is, IO_DST));
}

typedef struct iota_job {
    nkx_access dst;
    affine a;
} iota_job;

static void run_iota(const void *arg)
{
    const iota_job *j = arg;
    int32_t v[NKX_CHUNK];
    float y[NKX_CHUNK];
    bool exact = j->dst.dtype == NKX_DT_INT32 || j->dst.dtype == NKX_DT_UINT32;
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        for (int64_t i = 0; i < j->dst.n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->dst.n - i);
            affine_row(&j->a, p, i, n, v);
            if (exact) {
                nkx_access_store_i32(&j->dst, p, i, n, v);
                continue;
            }
            for (int64_t e = 0; e < n; e++) y[e] = (float)v[e];
            nkx_access_store_f32(&j->dst, p, i, n, y);
        }
    }
}

static bool iota_lower(nkx_issue *is, nkx_work *out)
{
    iota_job *j = nkx_job_new(is, sizeof *j);
    if (!take_affine(is, IO_PATTERN, IO_OFFSET, IO_MULT, &j->a)) return false;
    nkx_view_access(nkx_tile(is, IO_DST), &j->dst);
    nkx_lower_job(is, out, run_iota, j, sizeof *j);
    return true;
}

const nkx_insn nkx_insn_iota = {
    .name = "iota",
    .engines = NKX_ENG_POOL,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "GpSimd",
    .params = iota_params,
    .check = iota_check,
    .lower = iota_lower,
    .cost = iota_cost,
    .brief = "Fills dst with offset + partition * channel_multiplier + an affine pattern of the "
             "free index.",
    .doc = "Values are int32, converted to dst's type. The pattern has up to four pairs [step, "
           "count], outermost first, whose counts "
           "multiply to the elements per partition. Partition 0 is the first of dst.",
    .example = NKX_EXAMPLE(
        "    a = nl.ndarray((128, 64), dtype=nl.int32, buffer=nl.sbuf)\n"
        "    nisa.iota(dst=a, pattern=[[1, 64]], offset=0, channel_multiplier=64)\n" NKX_EX_STORE(
            "a", "(128, 64)", "int32")),
    .cost_doc = "150 + N",
};

/* ---- affine_select ---- */

enum { AS_DST, AS_PATTERN, AS_MULT, AS_TRUE, AS_FALSE, AS_CMP, AS_OFFSET };

static const nkx_isa_param affine_select_params[] = {
    P_DST(.spaces = NKX_IN_SBUF, .flags = NKX_PF_TILE, .doc = "result"),
    P_ROW(.name = "pattern", .accept = NKX_ACCEPT(NKX_ARG_PATTERN), .required = true,
          .doc = "1 to 4 pairs [step, count], outermost first"),
    P_ROW(.name = "channel_multiplier", .accept = NKX_ACCEPT(NKX_ARG_INT), .required = true,
          .doc = "added for each partition"),
    P_IN("on_true_tile", .spaces = NKX_IN_SBUF, .flags = NKX_PF_TILE,
         .doc = "elements taken where the comparison holds"),
    P_ROW(.name = "on_false_value", .accept = NKX_P_SCALAR, .required = true,
          .doc = "number for the others"),
    P_ROW(.name = "cmp_op", .accept = NKX_ACCEPT(NKX_ARG_OP), .dflt = "equal",
          .dv = {.kind = NKX_ARG_OP, .u.op = NKX_ALU_EQUAL},
          .doc = "comparison of the affine value with 0"),
    P_ROW(.name = "offset", .accept = NKX_ACCEPT(NKX_ARG_INT) | NKX_ACCEPT(NKX_ARG_REG),
          .dflt = "0", .dv = {.kind = NKX_ARG_INT}, .doc = "first affine value; may be a register"),
    P_END,
};

static bool affine_select_check(nkx_issue *is)
{
    return nkx_check_op(is, AS_CMP, NKX_OPF_COMPARE, "comparison") &&
           check_affine(is, AS_PATTERN, AS_OFFSET, AS_MULT, AS_DST);
}

static void affine_select_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, nkx_n_of(is, AS_DST));
}

typedef struct affine_job {
    nkx_access dst, on_true;
    affine a;
    nkx_alu cmp;
    float other;
    int64_t n;
} affine_job;

static bool holds(nkx_alu cmp, int32_t v)
{
    switch (cmp) {
    case NKX_ALU_EQUAL: return v == 0;
    case NKX_ALU_NOT_EQUAL: return v != 0;
    case NKX_ALU_GREATER: return v > 0;
    case NKX_ALU_GREATER_EQUAL: return v >= 0;
    case NKX_ALU_LESS: return v < 0;
    default: return v <= 0;
    }
}

/* Equal types keep the bits of what is selected: copied first, then the others are overwritten in
 * runs. */
static void affine_chunk(const affine_job *j, uint32_t p, int64_t first, int64_t n,
                         const int32_t *v, const float *fill)
{
    nkx_access_copy(&j->dst, p, &j->on_true, p, first, n);
    for (int64_t i = 0; i < n;) {
        int64_t k = i;
        while (k < n && !holds(j->cmp, v[k])) k++;
        if (k > i) nkx_access_store_f32(&j->dst, p, first + i, k - i, fill);
        i = k + 1;
    }
}

/* The same for fp32 in place, without a branch an element: a comparison with 0 knows three cases.
 */
static void affine_floats(nkx_alu cmp, const int32_t *v, const float *x, float other, float *d,
                          int64_t n)
{
    const int32_t below = holds(cmp, -1), at = holds(cmp, 0), above = holds(cmp, 1);
    for (int64_t i = 0; i < n; i++) {
        int32_t keep = (v[i] < 0 ? below : 0) | (v[i] == 0 ? at : 0) | (v[i] > 0 ? above : 0);
        d[i] = keep ? x[i] : other;
    }
}

/* Rows apart, or the very same: then elements may be taken in any order. */
static bool same_or_apart(const float *a, const float *b, int64_t n)
{
    return a == b || a + n <= b || b + n <= a;
}

static void run_affine_select(const void *arg)
{
    const affine_job *j = arg;
    int32_t v[NKX_CHUNK];
    float fill[NKX_CHUNK];
    const bool direct = nkx_direct(&j->dst) && nkx_direct(&j->on_true);
    for (int64_t i = 0; i < NKX_CHUNK; i++) fill[i] = j->other;
    for (uint32_t p = 0; p < j->dst.nparts; p++) {
        for (int64_t i = 0; i < j->n; i += NKX_CHUNK) {
            int64_t n = nkx_chunk(j->n - i);
            affine_row(&j->a, p, i, n, v);
            if (direct &&
                same_or_apart(nkx_lane_at(&j->dst, p, i), nkx_lane_at(&j->on_true, p, i), n)) {
                affine_floats(j->cmp, v, nkx_lane_at(&j->on_true, p, i), j->other,
                              nkx_lane_at(&j->dst, p, i), n);
            } else {
                affine_chunk(j, p, i, n, v, fill);
            }
        }
    }
}

static bool affine_select_lower(nkx_issue *is, nkx_work *out)
{
    affine_job *j = nkx_job_new(is, sizeof *j);
    if (!take_affine(is, AS_PATTERN, AS_OFFSET, AS_MULT, &j->a)) return false;
    nkx_view_access(nkx_tile(is, AS_DST), &j->dst);
    nkx_view_access(nkx_tile(is, AS_TRUE), &j->on_true);
    j->cmp = nkx_op_of(is, AS_CMP);
    j->other = (float)nkx_num_of(is, AS_FALSE);
    j->n = nkx_min_n(j->dst.n, j->on_true.n);
    nkx_lower_job(is, out, run_affine_select, j, sizeof *j);
    return true;
}

const nkx_insn nkx_insn_affine_select = {
    .name = "affine_select",
    .engines = NKX_ENG_POOL,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "GpSimd",
    .params = affine_select_params,
    .check = affine_select_check,
    .lower = affine_select_lower,
    .cost = affine_select_cost,
    .brief = "dst[k] = on_true[k] where cmp_op(affine value, 0) holds, else a number.",
    .doc = "The affine value is that of iota. Equal types copy bits, different ones go through "
           "fp32. Masks a causal score tile with "
           "pattern [[-1, N]], channel_multiplier 1, greater_equal; makes an identity out of ones "
           "with pattern [[1, N]], "
           "channel_multiplier -1, equal and 0.",
    .example = NKX_EXAMPLE(
        NKX_EX_TILE("a", "(128, 128)", "float32",
                    "1.0") "    nisa.affine_select(dst=a, pattern=[[1, 128]], "
                           "channel_multiplier=-1, on_true_tile=a, on_false_value=0.0,\n"
                           "                       cmp_op=nl.equal)\n" NKX_EX_STORE(
                               "a", "(128, 128)", "float32")),
    .cost_doc = "150 + N",
};

/* ---- tensor_partition_reduce ---- */

enum { PR_DST, PR_OP, PR_DATA };

static const nkx_isa_param tensor_partition_reduce_params[] = {
    P_DST(.spaces = NKX_IN_SBUF, .flags = NKX_PF_ELEMS, .doc = "(1, F...)"),
    P_OP("op", .doc = "add, average, maximum, bitwise_or or bitwise_and"),
    P_IN("data", .spaces = NKX_IN_SBUF, .flags = NKX_PF_ELEMS, .doc = "(P, F...)"),
    P_END,
};

static bool tensor_partition_reduce_check(nkx_issue *is)
{
    static const nkx_alu ops[] = {NKX_ALU_ADD,        NKX_ALU_AVERAGE,     NKX_ALU_MAXIMUM,
                                  NKX_ALU_BITWISE_OR, NKX_ALU_BITWISE_AND, NKX_N_ALU};
    const nkx_view *d = nkx_tile(is, PR_DST), *s = nkx_tile(is, PR_DATA);
    if (!nkx_check_op_in(is, PR_OP, ops, "reduction over partitions")) return false;
    if (d->shape[0] != 1) {
        nkx_isa_fault(is, NKX_E326, PR_DST, "The result stands in one partition.",
                      "dst has %lld partitions, not 1", (long long)d->shape[0]);
        return false;
    }
    if (!nkx_is_bits(nkx_op_of(is, PR_OP))) return true;
    if (nkx_dtype_is_int((nkx_dtype)d->dtype) && d->dtype == s->dtype) return true;
    nkx_isa_fault(is, NKX_E514, PR_DST, "Bit operations work on raw bits: use one integer type.",
                  "dst is %s, data is %s in a bit operation", nkx_dtypes[d->dtype].name,
                  nkx_dtypes[s->dtype].name);
    return false;
}

static void tensor_partition_reduce_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, nkx_tile(is, PR_DATA)->shape[0] * nkx_n_of(is, PR_DST) / 16);
}

typedef struct part_job {
    nkx_access dst, data;
    nkx_alu op;
    int64_t n;
} part_job;

static void reduce_floats(const part_job *j, int64_t i, int64_t n)
{
    float acc[NKX_CHUNK], x[NKX_CHUNK];
    nkx_alu op = j->op == NKX_ALU_MAXIMUM ? NKX_ALU_MAXIMUM : NKX_ALU_ADD;
    nkx_access_load_f32(&j->data, 0, i, n, acc);
    for (uint32_t p = 1; p < j->data.nparts; p++) {
        nkx_access_load_f32(&j->data, p, i, n, x);
        nkx_alu_rows[op].binary(acc, acc, x, n);
    }
    if (j->op == NKX_ALU_AVERAGE) {
        nkx_alu_rows[NKX_ALU_MULTIPLY].binary_s(acc, acc, 1.0f / (float)j->data.nparts, n);
    }
    nkx_access_store_f32(&j->dst, 0, i, n, acc);
}

static void reduce_bits(const part_job *j, int64_t i, int64_t n)
{
    uint32_t acc[NKX_CHUNK], x[NKX_CHUNK];
    nkx_bits_in(&j->data, 0, i, n, acc);
    for (uint32_t p = 1; p < j->data.nparts; p++) {
        nkx_bits_in(&j->data, p, i, n, x);
        nkx_alu_rows[j->op].bits(acc, acc, x, n, j->data.elem_bytes * 8);
    }
    nkx_bits_out(&j->dst, 0, i, n, acc);
}

static void run_partition_reduce(const void *arg)
{
    const part_job *j = arg;
    for (int64_t i = 0; i < j->n; i += NKX_CHUNK) {
        int64_t n = nkx_chunk(j->n - i);
        if (nkx_is_bits(j->op)) {
            reduce_bits(j, i, n);
        } else {
            reduce_floats(j, i, n);
        }
    }
}

static bool tensor_partition_reduce_lower(nkx_issue *is, nkx_work *out)
{
    part_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, PR_DST), &j->dst);
    nkx_view_access(nkx_tile(is, PR_DATA), &j->data);
    j->op = nkx_op_of(is, PR_OP);
    j->n = nkx_min_n(j->dst.n, j->data.n);
    nkx_lower_job(is, out, run_partition_reduce, j, sizeof *j);
    return true;
}

const nkx_insn nkx_insn_tensor_partition_reduce = {
    .name = "tensor_partition_reduce",
    .engines = NKX_ENG_POOL,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "GpSimd",
    .params = tensor_partition_reduce_params,
    .check = tensor_partition_reduce_check,
    .lower = tensor_partition_reduce_lower,
    .cost = tensor_partition_reduce_cost,
    .brief = "dst (1, F...) = data reduced over its partitions.",
    .doc = "Sums go from partition 0 upwards in fp32; average divides by their number. Bit "
           "operations need one integer type. Slow: a "
           "product with a column of ones on the tensor engine is the usual way.",
    .example = NKX_EXAMPLE(NKX_EX_TILE(
        "a", "(128, 64)", "float32",
        "1.0") "    s = nl.ndarray((1, 64), dtype=nl.float32, buffer=nl.sbuf)\n"
               "    nisa.tensor_partition_reduce(dst=s, op=nl.add, data=a)\n" NKX_EX_STORE(
                   "s", "(1, 64)", "float32")),
    .cost_doc = "150 + P N / 16 (estimate)",
};
