/* SPDX-License-Identifier: Apache-2.0 */
/* Random cases of selections, index arithmetic, statistics and the top-8 family, against float64
 * loops. */
#include "tests/property/prop.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define MAX_N (128 * 128)

static void run_range_select(prop *p)
{
    static const nkx_alu ops[] = {NKX_ALU_EQUAL, NKX_ALU_LESS, NKX_ALU_LESS_EQUAL, NKX_ALU_GREATER,
                                  NKX_ALU_GREATER_EQUAL};
    int64_t parts = prop_int(p, 1, 128), per = prop_int(p, 1, 90), start = prop_int(p, 0, 40);
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, parts, per, prop_dtype(p, PROP_FLOATS), -9, 9,
                               true),
                *d = prop_tile(p, NKX_SPACE_SBUF, parts, per, NKX_DT_FP32, 0, 1, false);
    prop_tensor *lo = prop_tile(p, NKX_SPACE_SBUF, parts, 1, NKX_DT_FP32, 0, 60, true),
                *hi = prop_tile(p, NKX_SPACE_SBUF, parts, 1, NKX_DT_FP32, 20, 120, true),
                *res = prop_tile(p, NKX_SPACE_SBUF, parts, 1, NKX_DT_FP32, 0, 1, false);
    nkx_alu op0 = ops[prop_int(p, 0, 4)], op1 = ops[prop_int(p, 0, 4)];
    double want[MAX_N], top[128];
    for (int64_t i = 0; i < parts; i++) top[i] = -INFINITY;
    for (int64_t i = 0; i < parts * per; i++) {
        int64_t r = i / per;
        double k = (double)(start + i % per);
        want[i] = ref_binary(op0, k, lo->before[r]) != 0 && ref_binary(op1, k, hi->before[r]) != 0
                      ? a->before[i]
                      : -(double)FLT_MAX;
        top[r] = fmax(top[r], want[i]);
    }
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "on_true_tile", a);
    prop_arg_op(p, "comp_op0", op0);
    prop_arg_op(p, "comp_op1", op1);
    prop_arg_tile(p, "bound0", lo);
    prop_arg_tile(p, "bound1", hi);
    prop_arg_tile(p, "reduce_res", res);
    prop_arg_int(p, "range_start", start);
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
    if (!p->failed) prop_expect(p, res, top, 0, 0);
}

static void run_select_reduce(prop *p)
{
    int64_t parts = prop_int(p, 1, 128), per = prop_int(p, 1, 90);
    nkx_dtype tm = prop_dtype(p, 1u << NKX_DT_UINT8 | 1u << NKX_DT_INT8 | 1u << NKX_DT_UINT16 |
                                     1u << NKX_DT_INT16);
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, parts, per, prop_dtype(p, PROP_FLOATS), -9, 9,
                               true),
                *m = prop_tile(p, NKX_SPACE_SBUF, parts, per, tm, 0, 2, true),
                *d = prop_tile(p, NKX_SPACE_SBUF, parts, per, NKX_DT_FP32, 0, 1, false);
    prop_tensor *res = prop_tile(p, NKX_SPACE_SBUF, parts, 1, NKX_DT_FP32, 0, 1, false);
    double want[MAX_N], top[128], other[128];
    bool reverse = prop_flip(p);
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "predicate", m);
    prop_arg_tile(p, "on_true", a);
    prop_arg_col(p, "on_false", parts, -3, 3, other);
    prop_arg_bool(p, "reverse_pred", reverse);
    prop_arg_enum(p, "reduce_cmd", 3);
    prop_arg_tile(p, "reduce_res", res);
    for (int64_t i = 0; i < parts; i++) top[i] = -INFINITY;
    for (int64_t i = 0; i < parts * per; i++) {
        want[i] = (m->before[i] != 0) != reverse ? a->before[i] : other[i / per];
        top[i / per] = fmax(top[i / per], want[i]);
    }
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
    if (!p->failed) prop_expect(p, res, top, 0, 0);
}

/* ---- index arithmetic ---- */

typedef struct affine {
    int64_t pairs[8], n, offset, mult;
} affine;

static affine random_affine(prop *p, int64_t *per)
{
    affine a = {.n = prop_int(p, 1, 4), .offset = prop_int(p, -20, 20), .mult = prop_int(p, -3, 3)};
    *per = 1;
    for (int64_t i = 0; i < a.n; i++) {
        a.pairs[2 * i] = prop_int(p, -5, 5);
        a.pairs[2 * i + 1] = prop_int(p, 1, a.n == 1 ? 60 : 4);
        *per *= a.pairs[2 * i + 1];
    }
    return a;
}

static int64_t affine_at(const affine *a, int64_t part, int64_t k)
{
    int64_t v = a->offset + part * a->mult;
    for (int64_t i = a->n - 1; i >= 0; i--) {
        v += k % a->pairs[2 * i + 1] * a->pairs[2 * i];
        k /= a->pairs[2 * i + 1];
    }
    return v;
}

static void run_iota(prop *p)
{
    int64_t parts = prop_int(p, 1, 128), per;
    affine a = random_affine(p, &per);
    prop_tensor *d = prop_tile(
        p, NKX_SPACE_SBUF, parts, per,
        prop_dtype(p, 1u << NKX_DT_INT32 | 1u << NKX_DT_FP32 | 1u << NKX_DT_INT16), 0, 1, false);
    double *want = malloc((size_t)(parts * per) * sizeof *want);
    for (int64_t i = 0; i < parts * per; i++) want[i] = (double)affine_at(&a, i / per, i % per);
    prop_arg_tile(p, "dst", d);
    prop_arg_pattern(p, "pattern", a.pairs, (int)a.n);
    prop_arg_int(p, "offset", a.offset);
    prop_arg_int(p, "channel_multiplier", a.mult);
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
    free(want);
}

static void run_affine_select(prop *p)
{
    static const nkx_alu ops[] = {NKX_ALU_EQUAL,      NKX_ALU_NOT_EQUAL, NKX_ALU_LESS,
                                  NKX_ALU_LESS_EQUAL, NKX_ALU_GREATER,   NKX_ALU_GREATER_EQUAL};
    int64_t parts = prop_int(p, 1, 128), per;
    affine a = random_affine(p, &per);
    nkx_dtype t = prop_dtype(p, PROP_FLOATS), td = prop_flip(p) ? t : NKX_DT_FP32;
    prop_tensor *src = prop_tile(p, NKX_SPACE_SBUF, parts, per, t, -9, 9, true),
                *d = prop_tile(p, NKX_SPACE_SBUF, parts, per, td, 0, 1, false);
    nkx_alu op = ops[prop_int(p, 0, 5)];
    double *want = malloc((size_t)(parts * per) * sizeof *want),
           other = ref_uniform(&p->rnd, -3, 3);
    for (int64_t i = 0; i < parts * per; i++)
        want[i] = ref_binary(op, (double)affine_at(&a, i / per, i % per), 0) != 0 ? src->before[i]
                                                                                  : other;
    prop_arg_tile(p, "dst", d);
    prop_arg_pattern(p, "pattern", a.pairs, (int)a.n);
    prop_arg_int(p, "offset", a.offset);
    prop_arg_int(p, "channel_multiplier", a.mult);
    prop_arg_tile(p, "on_true_tile", src);
    prop_arg_num(p, "on_false_value", other);
    prop_arg_op(p, "cmp_op", op);
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
    free(want);
}

static void run_partition_reduce(prop *p)
{
    static const nkx_alu ops[] = {NKX_ALU_ADD, NKX_ALU_AVERAGE, NKX_ALU_MAXIMUM};
    int64_t parts = prop_int(p, 1, 128), per = prop_int(p, 1, 60);
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, parts, per, prop_dtype(p, PROP_FLOATS), -2, 2,
                               true),
                *d = prop_tile(p, NKX_SPACE_SBUF, 1, per, NKX_DT_FP32, 0, 1, false);
    nkx_alu op = ops[prop_int(p, 0, 2)];
    double want[64];
    for (int64_t c = 0; c < per; c++) {
        double acc = a->before[c];
        for (int64_t r = 1; r < parts; r++)
            acc = op == NKX_ALU_MAXIMUM ? fmax(acc, a->before[r * per + c])
                                        : acc + a->before[r * per + c];
        want[c] = op == NKX_ALU_AVERAGE ? acc / (double)parts : acc;
    }
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data", a);
    prop_arg_op(p, "op", op);
    if (prop_issue(p)) prop_expect(p, d, want, 16, 1e-4);
}

/* ---- statistics ---- */

static void half(const double *x, int64_t n, int64_t first, double out[3])
{
    double count = 0, sum = 0, m2 = 0;
    for (int64_t i = first; i < n; i += 2) {
        sum += x[i];
        count++;
    }
    double mean = count > 0 ? sum / count : 0;
    for (int64_t i = first; i < n; i += 2) m2 += (x[i] - mean) * (x[i] - mean);
    out[0] = count;
    out[1] = mean;
    out[2] = m2;
}

static void run_bn_stats(prop *p)
{
    int64_t parts = prop_int(p, 1, 128), per = prop_int(p, 1, 100);
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, parts, per, prop_dtype(p, PROP_FLOATS), -2, 2,
                               true),
                *d = prop_tile(p, NKX_SPACE_SBUF, parts, 6, NKX_DT_FP32, 0, 1, false);
    double want[128 * 6];
    for (int64_t r = 0; r < parts; r++) {
        half(a->before + r * per, per, 0, want + r * 6);
        half(a->before + r * per, per, 1, want + r * 6 + 3);
    }
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data", a);
    if (prop_issue(p)) prop_expect(p, d, want, 64, 1e-4);
}

static void run_bn_aggr(prop *p)
{
    int64_t parts = prop_int(p, 1, 128), k = prop_int(p, 1, 12);
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, parts, 3 * k, NKX_DT_FP32, 1, 9, true),
                *d = prop_tile(p, NKX_SPACE_SBUF, parts, 2, NKX_DT_FP32, 0, 1, false);
    double want[256];
    for (int64_t r = 0; r < parts; r++) {
        const double *x = a->before + r * 3 * k;
        double c = 0, mean = 0, var = 0;
        for (int64_t i = 0; i < k; i++) {
            c += x[3 * i];
            mean += x[3 * i] * x[3 * i + 1];
        }
        mean /= c;
        for (int64_t i = 0; i < k; i++)
            var += x[3 * i + 2] + x[3 * i] * (x[3 * i + 1] - mean) * (x[3 * i + 1] - mean);
        want[2 * r] = mean;
        want[2 * r + 1] = var / c;
    }
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data", a);
    if (prop_issue(p)) prop_expect(p, d, want, 64, 1e-4);
}

/* ---- top 8 ---- */

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void run_max8(prop *p)
{
    int64_t parts = prop_int(p, 1, 128), per = prop_int(p, 8, 90);
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, parts, per, prop_dtype(p, PROP_FLOATS), -9, 9,
                               true),
                *d = prop_tile(p, NKX_SPACE_SBUF, parts, 8, NKX_DT_FP32, 0, 1, false);
    double want[1024], row[128];
    for (int64_t r = 0; r < parts; r++) {
        for (int64_t i = 0; i < per; i++) row[i] = a->before[r * per + i];
        qsort(row, (size_t)per, sizeof *row, descending);
        for (int i = 0; i < 8; i++) want[r * 8 + i] = row[i];
    }
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "src", a);
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
}

/* Values to look for: mostly taken from the row, repeats and strangers included. */
static prop_tensor *eight_values(prop *p, const prop_tensor *a)
{
    prop_tensor *v = prop_plain2(p, NKX_SPACE_SBUF, a->parts, 8, NKX_DT_FP32, -9, 9);
    double x[1024];
    for (int64_t i = 0; i < a->parts * 8; i++)
        x[i] = prop_int(p, 0, 5) == 0 ? v->before[i]
                                      : a->before[i / 8 * a->per + prop_int(p, 0, a->per - 1)];
    prop_set(v, x);
    return v;
}

static void run_find8(prop *p)
{
    int64_t parts = prop_int(p, 1, 128), per = prop_int(p, 8, 60);
    prop_tensor *a = prop_plain2(p, NKX_SPACE_SBUF, parts, per, NKX_DT_FP32, 0, 9),
                *v = eight_values(p, a);
    bool wide = prop_flip(p);
    prop_tensor *d =
        prop_plain2(p, NKX_SPACE_SBUF, parts, 8, wide ? NKX_DT_UINT32 : NKX_DT_UINT16, 0, 1);
    double want[1024];
    for (int64_t s = 0; s < parts * 8; s++) {
        const double *row = a->before + s / 8 * per;
        int64_t earlier = 0, found = -1;
        for (int64_t k = s / 8 * 8; k < s; k++) earlier += v->before[k] == v->before[s];
        for (int64_t i = 0; i < per && found < 0; i++) {
            if (row[i] == v->before[s] && earlier-- == 0) found = i;
        }
        want[s] = found >= 0 ? (double)found : wide ? 4294967295.0 : 65535.0;
    }
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data", a);
    prop_arg_tile(p, "vals", v);
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
}

static void run_replace8(prop *p)
{
    int64_t parts = prop_int(p, 1, 128), per = prop_int(p, 8, 60);
    prop_tensor *a = prop_plain2(p, NKX_SPACE_SBUF, parts, per, NKX_DT_FP32, 0, 9),
                *v = eight_values(p, a),
                *d = prop_flip(p) ? a
                                  : prop_plain2(p, NKX_SPACE_SBUF, parts, per, NKX_DT_FP32, 0, 1);
    prop_tensor *ix = prop_plain2(p, NKX_SPACE_SBUF, parts, 8, NKX_DT_UINT32, 0, 1);
    double *want = malloc((size_t)(parts * per) * sizeof *want), at[1024];
    for (int64_t i = 0; i < parts * per; i++) want[i] = a->before[i];
    for (int64_t r = 0; r < parts; r++) {
        bool gone[64] = {false};
        for (int64_t s = 7; s >= 0; s--) {
            at[r * 8 + s] = 4294967295.0;
            for (int64_t i = 0; i < per; i++) {
                if (gone[i] || a->before[r * per + i] != v->before[r * 8 + s]) continue;
                gone[i] = true;
                want[r * per + i] = -77;
                at[r * 8 + s] = (double)i;
                break;
            }
        }
    }
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data", a);
    prop_arg_tile(p, "vals", v);
    prop_arg_num(p, "imm", -77);
    prop_arg_tile(p, "dst_idx", ix);
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
    if (!p->failed) prop_expect(p, ix, at, 0, 0);
    free(want);
}

const prop_row prop_select_rows[] = {
    {"range_select",            run_range_select    },
    {"select_reduce",           run_select_reduce   },
    {"iota",                    run_iota            },
    {"affine_select",           run_affine_select   },
    {"tensor_partition_reduce", run_partition_reduce},
    {"bn_stats",                run_bn_stats        },
    {"bn_aggr",                 run_bn_aggr         },
    {"max8",                    run_max8            },
    {"nc_find_index8",          run_find8           },
    {"nc_match_replace8",       run_replace8        },
    {NULL,                      NULL                },
};
