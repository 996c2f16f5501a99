/* SPDX-License-Identifier: Apache-2.0 */
/* Random cases of gathers, searches and random numbers. Generators are judged by their statistics
 * (isa.md 4.7). */
#include "tests/property/prop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- gathers ---- */

static void run_n_gather(prop *p)
{
    int64_t parts = prop_int(p, 1, 128), per = prop_int(p, 1, 60), n = prop_int(p, 1, 60);
    nkx_dtype t = prop_dtype(p, PROP_FLOATS | PROP_INTS);
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, parts, per, t, -90, 90, true),
                *ix = prop_tile(p, NKX_SPACE_SBUF, parts, n, NKX_DT_UINT32, 0, (double)per - 0.5,
                                true),
                *d = prop_tile(p, NKX_SPACE_SBUF, parts, n, t, 0, 1, false);
    double *want = malloc((size_t)(parts * n) * sizeof *want);
    for (int64_t i = 0; i < parts * n; i++)
        want[i] = a->before[i / n * per + (int64_t)ix->before[i]];
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data", a);
    prop_arg_tile(p, "indices", ix);
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
    free(want);
}

static void run_local_gather(prop *p)
{
    int64_t groups = prop_int(p, 1, 8), cols = prop_int(p, 1, 4), e = 1 << prop_int(p, 0, 5),
            parts = groups * 16, valid = prop_int(p, 1, cols * 16), per = prop_int(p, e, 90);
    prop_tensor *a = prop_plain2(p, NKX_SPACE_SBUF, parts, per, prop_dtype(p, PROP_FLOATS), -9, 9),
                *ix = prop_plain2(p, NKX_SPACE_SBUF, parts, cols, NKX_DT_UINT16, 0,
                                  (double)(per - e) + 0.5);
    prop_tensor *d = prop_plain2(p, NKX_SPACE_SBUF, parts, valid * e, (nkx_dtype)a->v->dtype, 0, 1);
    double *want = malloc((size_t)(parts * valid * e) * sizeof *want);
    for (int64_t i = 0; i < parts * valid * e; i++) {
        int64_t r = i / (valid * e), j = i % (valid * e) / e;
        int64_t from = (int64_t)ix->before[(r / 16 * 16 + j % 16) * cols + j / 16];
        want[i] = a->before[r * per + from + i % e];
    }
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "src_buffer", a);
    prop_arg_tile(p, "index", ix);
    prop_arg_int(p, "num_elem_per_idx", e);
    prop_arg_int(p, "num_valid_indices", valid);
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
    free(want);
}

/* ---- searches ---- */

static void run_sequence_bounds(prop *p)
{
    int64_t n = prop_int(p, 1, 60), shape[] = {1, 2, n};
    nkx_dtype t = prop_flip(p) ? NKX_DT_FP32 : NKX_DT_INT32;
    prop_tensor *a = prop_plain2(p, NKX_SPACE_SBUF, 1, n, t, 0, 4),
                *d = prop_plain(p, NKX_SPACE_SBUF, 3, shape, t, 0, 1);
    double ids[64], want[128];
    for (int64_t i = 0; i < n; i++)
        ids[i] = i > 0 && prop_flip(p) ? ids[i - 1] : (double)prop_int(p, 0, 3);
    prop_set(a, ids);
    for (int64_t i = 0; i < n; i++) {
        int64_t b = i, e = i + 1;
        while (b > 0 && ids[b - 1] == ids[i]) b--;
        while (e < n && ids[e] == ids[i]) e++;
        want[i] = ids[i] == 0 ? (double)n : (double)b;
        want[n + i] = ids[i] == 0 ? -1 : (double)e;
    }
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "segment_ids", a);
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
}

static void run_nonzero(prop *p)
{
    int64_t n = prop_int(p, 1, 50), pad = prop_int(p, -3, 3), off = prop_int(p, 0, 9);
    prop_tensor *a = prop_plain2(p, NKX_SPACE_SBUF, 128, n,
                                 prop_flip(p) ? NKX_DT_FP32 : NKX_DT_INT32, 0, 1),
                *d = prop_plain2(p, NKX_SPACE_SBUF, 128, n + 1, NKX_DT_INT32, 5, 9);
    double *want = malloc((size_t)(128 * (n + 1)) * sizeof *want),
           *x = malloc((size_t)(128 * n) * sizeof *x);
    for (int64_t i = 0; i < 128 * n; i++) x[i] = prop_flip(p) ? 0 : (double)prop_int(p, -3, 3);
    prop_set(a, x);
    for (int64_t r = 0; r < 128; r++) {
        double *w = want + r * (n + 1);
        int64_t k = 0;
        for (int64_t i = 0; i <= n; i++) w[i] = d->before[r * (n + 1) + i];
        if (r % 16 != 0) continue;
        for (int64_t i = 0; i < n; i++) {
            if (x[r * n + i] != 0) w[k++] = (double)(i + off);
        }
        for (int64_t i = k; i < n; i++) w[i] = (double)pad;
        w[n] = (double)k;
    }
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "src", a);
    prop_arg_int(p, "index_offset", off);
    prop_arg_int(p, "padding_val", pad);
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
    free(want);
    free(x);
}

/* One sorted list for each group of 16 partitions, on all of them. Distinct values: ties are not
 * documented. */
static void run_topk(prop *p)
{
    int64_t groups = prop_int(p, 1, 4), parts = groups * 16, n = prop_int(p, 8, 120),
            cols = (n + 15) / 16, k = prop_int(p, 1, n);
    prop_tensor *a = prop_plain2(p, NKX_SPACE_SBUF, parts, cols, NKX_DT_BF16, 0, 1),
                *v = prop_plain2(p, NKX_SPACE_SBUF, parts, k, NKX_DT_BF16, 0, 1),
                *ix = prop_plain2(p, NKX_SPACE_SBUF, parts, k, NKX_DT_UINT32, 0, 1);
    double *x = malloc((size_t)(parts * cols) * sizeof *x),
           *wv = malloc((size_t)(parts * k) * sizeof *wv),
           *wi = malloc((size_t)(parts * k) * sizeof *wi);
    for (int64_t i = 0; i < parts * cols; i++) {
        int64_t e = i % cols * 16 + i / cols % 16;
        x[i] = (double)((e * 37 + i / cols / 16) % 128 * 2 -
                        100); /* exact in bf16, distinct in a group */
    }
    prop_set(a, x);
    for (int64_t g = 0; g < groups; g++) {
        for (int64_t e = 0; e < n; e++) {
            double mine = x[(g * 16 + e % 16) * cols + e / 16];
            int64_t larger = 0;
            for (int64_t o = 0; o < n; o++) larger += x[(g * 16 + o % 16) * cols + o / 16] > mine;
            for (int64_t r = 0; larger < k && r < 16; r++) {
                wv[(g * 16 + r) * k + (k - 1 - larger)] = mine;
                wi[(g * 16 + r) * k + (k - 1 - larger)] = (double)e;
            }
        }
    }
    prop_arg_tile(p, "val_dst", v);
    prop_arg_tile(p, "idx_dst", ix);
    prop_arg_tile(p, "src", a);
    prop_arg_int(p, "n", n);
    if (prop_issue(p)) prop_expect(p, v, wv, 0, 0);
    if (!p->failed) prop_expect(p, ix, wi, 0, 0);
    free(x);
    free(wv);
    free(wi);
}

/* ---- random numbers ---- */

static double *values_of(prop_tensor *t)
{
    nkx_dtype dt = (nkx_dtype)t->v->dtype;
    uint8_t *dense = malloc((size_t)(t->n * nkx_dtype_bytes(dt)));
    double *out = malloc((size_t)t->n * sizeof *out);
    nkx_view_read(t->v, dense);
    nkx_to_f64(out, dt, dense, t->n);
    free(dense);
    return out;
}

/* Mean of n numbers uniform in [lo, hi) within six deviations. */
static void expect_uniform(prop *p, const double *x, int64_t n, double lo, double hi)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        if (x[i] < lo || x[i] > hi) prop_fail(p, "value %g outside of %g to %g", x[i], lo, hi);
        sum += x[i];
    }
    double mean = sum / (double)n, sigma = (hi - lo) / sqrt(12.0 * (double)n);
    if (fabs(mean - (lo + hi) / 2) > 6 * sigma)
        prop_fail(p, "mean %g of %lld values from %g to %g", mean, (long long)n, lo, hi);
}

static void run_rng(prop *p)
{
    prop_tensor *d =
        prop_plain2(p, NKX_SPACE_SBUF, 128, 32, prop_flip(p) ? NKX_DT_UINT32 : NKX_DT_UINT8, 0, 1);
    prop_arg_tile(p, "dst", d);
    if (p->gen >= 3 && prop_flip(p)) prop_arg_enum(p, "engine", 3);
    if (!prop_issue(p)) return;
    double *x = values_of(d);
    expect_uniform(p, x, d->n, 0, d->v->dtype == NKX_DT_UINT32 ? 4294967296.0 : 255.0);
    free(x);
}

static void run_rand2(prop *p)
{
    prop_tensor *d = prop_plain2(p, NKX_SPACE_SBUF, 128, 40, NKX_DT_FP32, 0, 1);
    prop_arg_tile(p, "dst", d);
    prop_arg_num(p, "min", -2);
    prop_arg_num(p, "max", 6);
    if (!prop_issue(p)) return;
    double *x = values_of(d);
    expect_uniform(p, x, d->n, -2, 6);
    free(x);
}

static void run_dropout(prop *p)
{
    int64_t parts = prop_int(p, 64, 128), per = prop_int(p, 20, 60), gone = 0;
    nkx_dtype t = prop_dtype(p, PROP_FLOATS);
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, parts, per, t, 1, 9, true),
                *d = prop_tile(p, NKX_SPACE_SBUF, parts, per, t, 0, 1, false);
    double prob = (double)prop_int(p, 0, 4) / 4;
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data", a);
    prop_arg_num(p, "prob", prob);
    if (!prop_issue(p)) return;
    double *x = values_of(d);
    for (int64_t i = 0; i < d->n; i++) {
        gone += x[i] == 0;
        if (x[i] != 0 && x[i] != a->before[i]) prop_fail(p, "a kept element changed");
    }
    double n = (double)d->n, sigma = sqrt(n * prob * (1 - prob));
    if (fabs((double)gone - n * prob) > 6 * sigma)
        prop_fail(p, "%lld of %g dropped with probability %g", (long long)gone, n, prob);
    free(x);
}

/* Draws after the same seed or state are equal. */
static double *draw(prop *p, int engine)
{
    const nkx_insn *was = p->is.row;
    prop_tensor *d = prop_plain2(p, NKX_SPACE_SBUF, 128, 8, NKX_DT_UINT32, 0, 1);
    nkx_issue is = p->is;
    memset(p->is.arg, 0, sizeof p->is.arg);
    p->is.row = nkx_isa_find("rng");
    prop_arg_tile(p, "dst", d);
    prop_arg_enum(p, "engine", engine);
    (void)prop_issue(p);
    p->is = is;
    p->is.row = was;
    return values_of(d);
}

static void expect_same(prop *p, double *a, double *b)
{
    for (int64_t i = 0; i < 128 * 8; i++) {
        if (a[i] != b[i]) prop_fail(p, "draw %lld differs after the same start", (long long)i);
    }
    free(a);
    free(b);
}

static void run_seed(prop *p)
{
    prop_tensor *s = prop_plain2(p, NKX_SPACE_SBUF, 1, 1, NKX_DT_INT32, 1, 1000);
    prop_arg_tile(p, "src_seeds", s);
    nkx_issue again = p->is;
    if (!prop_issue(p)) return;
    double *a = draw(p, 5);
    p->is = again;
    if (prop_issue(p)) expect_same(p, a, draw(p, 5));
}

static void run_state(prop *p)
{
    bool dve = p->gen >= 4 && prop_flip(p);
    prop_tensor *s = prop_plain2(p, NKX_SPACE_SBUF, 128, dve ? 24 : 6, NKX_DT_UINT32, 1, 1e9);
    nkx_issue blank = p->is;
    int engine = dve ? 5 : 3;
    p->is.row = nkx_isa_find("rand_get_state");
    prop_arg_tile(p, "dst", s);
    prop_arg_enum(p, "engine", engine);
    if (!prop_issue(p)) return;
    p->is = blank;
    double *a = draw(p, engine);
    p->is.row = nkx_isa_find("rand_set_state");
    prop_arg_tile(p, "src_seeds", s);
    prop_arg_enum(p, "engine", engine);
    if (prop_issue(p)) {
        p->is = blank;
        expect_same(p, a, draw(p, engine));
    }
}

const prop_row prop_gpsimd_rows[] = {
    {"nc_n_gather",        run_n_gather       },
    {"local_gather",       run_local_gather   },
    {"sequence_bounds",    run_sequence_bounds},
    {"nonzero_with_count", run_nonzero        },
    {"topk",               run_topk           },
    {"rng",                run_rng            },
    {"rand2",              run_rand2          },
    {"dropout",            run_dropout        },
    {"set_rng_seed",       run_seed           },
    {"rand_set_state",     run_state          },
    {"rand_get_state",     run_state          },
    {NULL,                 NULL               },
};
