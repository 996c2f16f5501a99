/* SPDX-License-Identifier: Apache-2.0 */
/* Random cases of the tensor engine, MX and DMA, against float64 loops. */
#include "tests/property/prop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- products ---- */

static nkx_dtype matmul_type(prop *p, bool wide)
{
    if (wide) return prop_flip(p) ? NKX_DT_FP32 : NKX_DT_TF32;
    return prop_dtype(p, 1u << NKX_DT_BF16 | 1u << NKX_DT_FP16 | 1u << NKX_DT_FP8_E4M3 |
                             1u << NKX_DT_FP8_E5M2);
}

static void product(const prop_tensor *a, const prop_tensor *b, int64_t k, int64_t m, int64_t n,
                    double *out)
{
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) {
            double s = 0;
            for (int64_t q = 0; q < k; q++) s += a->before[q * m + i] * b->before[q * n + j];
            out[i * n + j] = s;
        }
    }
}

/* Two products into one tile: the first overwrites, the second adds (accumulate None or True) or
 * overwrites again (False). */
static void run_matmul(prop *p)
{
    bool wide = prop_flip(p), dr = p->gen >= 3 && prop_int(p, 0, 4) == 0,
         narrow = p->gen >= 4 && prop_int(p, 0, 3) == 0;
    int64_t k = prop_int(p, 1, 128), m = prop_int(p, 1, 128), n = prop_int(p, 1, 150),
            rows = dr ? 2 : 1, mode = prop_int(p, 0, 2);
    nkx_dtype ta = dr ? NKX_DT_FP8_E5M2 : matmul_type(p, wide),
              tb = dr ? NKX_DT_FP8_E4M3 : matmul_type(p, wide);
    int64_t sa[] = {k, 2, m}, sb[] = {k, 2, n};
    prop_tensor *a = dr ? prop_plain(p, NKX_SPACE_SBUF, 3, sa, ta, -2, 2)
                        : prop_tile(p, NKX_SPACE_SBUF, k, m, ta, -2, 2, false);
    prop_tensor *b = dr ? prop_plain(p, NKX_SPACE_SBUF, 3, sb, tb, -2, 2)
                        : prop_tile(p, NKX_SPACE_SBUF, k, n, tb, -2, 2, true);
    int64_t sd[] = {m, n};
    nkx_view *dv = NULL;
    double *want = malloc((size_t)(m * n) * sizeof *want);
    if (!nkx_view_alloc(p->core, NKX_SPACE_PSUM, 2, sd, narrow ? NKX_DT_BF16 : NKX_DT_FP32,
                        (nkx_place){0}, (nkx_span){0}, "d", &dv))
        abort();
    prop_arg_tile(p, "stationary", a);
    prop_arg_tile(p, "moving", b);
    p->is.arg[0] = (nkx_arg){.kind = NKX_ARG_VIEW, .u.view = dv};
    if (dr) prop_arg_enum(p, "perf_mode", 1);
    product(a, b, k * rows, m, n, want);
    nkx_issue again = p->is;
    bool ok = prop_issue(p);
    p->is = again;
    if (mode > 0) prop_arg_bool(p, "accumulate", mode == 1);
    ok = ok && prop_issue(p);
    for (int64_t i = 0; mode < 2 && i < m * n; i++)
        want[i] = narrow ? ref_round(NKX_DT_BF16, want[i]) + want[i] : 2 * want[i];
    prop_tensor d = {.whole = dv, .v = dv, .n = m * n, .parts = m, .per = n};
    d.bytes = calloc((size_t)(m * n), 4);
    nkx_view_read(dv, d.bytes);
    if (ok) prop_expect(p, &d, want, narrow ? 2 : 0, 1e-3);
    free(d.bytes);
    free(want);
    nkx_view_drop(dv);
}

/* A transpose by an identity, or by a selection of rows: bits move (gen3 on). */
static void run_transpose_mode(prop *p)
{
    int64_t k = prop_int(p, 1, 128), m = prop_int(p, 1, 128);
    nkx_dtype t = p->gen == 2
                      ? NKX_DT_FP32
                      : prop_dtype(p, 1u << NKX_DT_FP32 | 1u << NKX_DT_BF16 | 1u << NKX_DT_FP16);
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, k, m, t, -9, 9, false),
                *b = prop_plain2(p, NKX_SPACE_SBUF, k, k, t, 0, 1),
                *d = prop_plain2(p, NKX_SPACE_PSUM, m, k, t, 0, 1);
    double *eye = calloc((size_t)(k * k), sizeof *eye),
           *want = calloc((size_t)(k * m), sizeof *want);
    int64_t turn = prop_int(p, 0, k - 1);
    for (int64_t i = 0; i < k; i++) {
        int64_t from = (i + turn) % k;
        eye[from * k + i] = 1;
        for (int64_t j = 0; j < m; j++) want[j * k + i] = a->before[from * m + j];
    }
    prop_set(b, eye);
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "stationary", a);
    prop_arg_tile(p, "moving", b);
    prop_arg_bool(p, "is_transpose", true);
    prop_arg_bool(p, "accumulate", false);
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
    free(eye);
    free(want);
}

static void run_nc_matmul(prop *p)
{
    if (prop_int(p, 0, 3) == 0) {
        run_transpose_mode(p);
    } else {
        run_matmul(p);
    }
}

static void run_nc_transpose(prop *p)
{
    bool pe = prop_flip(p);
    int64_t r = prop_int(p, 1, pe ? 128 : 32), c = prop_int(p, 1, pe ? 128 : 32);
    nkx_dtype t = pe ? prop_dtype(p, 1u << NKX_DT_FP32 | 1u << NKX_DT_BF16 | 1u << NKX_DT_FP16)
                     : prop_dtype(p, PROP_FLOATS | PROP_INTS);
    nkx_dtype td = pe && prop_flip(p) ? NKX_DT_FP32 : t;
    prop_tensor *a = prop_tile(p, NKX_SPACE_SBUF, r, c, t, -90, 90, false),
                *d = prop_tile(p, pe ? NKX_SPACE_PSUM : NKX_SPACE_SBUF, c, r, td, 0, 1, false);
    double *want = malloc((size_t)(r * c) * sizeof *want);
    for (int64_t i = 0; i < r * c; i++) want[i % c * r + i / c] = a->before[i];
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "data", a);
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
    free(want);
}

/* ---- MX ---- */

static double x4_lane(const prop_tensor *t, int64_t i, int q)
{
    nkx_dtype dt = (nkx_dtype)t->v->dtype;
    return nkx_load_packed(dt, t->bytes + i * nkx_dtype_bytes(dt), q);
}

static double mx_scale(const prop_tensor *t, int64_t k, int64_t cols, int64_t c)
{
    int64_t g = k / 8;
    return ldexp(1.0, (int)t->before[(g / 4 * 32 + g % 4) * cols + c] - 127);
}

static void run_mx(prop *p)
{
    static const uint32_t x4 =
        1u << NKX_DT_FP8_E5M2_X4 | 1u << NKX_DT_FP8_E4M3FN_X4 | 1u << NKX_DT_FP4_E2M1FN_X4;
    int64_t k = prop_int(p, 1, 4) * 32, m = prop_int(p, 1, 32) * 2, n = prop_int(p, 1, 200);
    prop_tensor *a = prop_plain2(p, NKX_SPACE_SBUF, k, m, prop_dtype(p, x4), 0, 0),
                *b = prop_plain2(p, NKX_SPACE_SBUF, k, n, prop_dtype(p, x4), 0, 0);
    prop_tensor *sa = prop_plain2(p, NKX_SPACE_SBUF, 128, m + 3, NKX_DT_UINT8, 122, 130),
                *sb = prop_plain2(p, NKX_SPACE_SBUF, 128, n, NKX_DT_UINT8, 122, 130);
    prop_tensor *d = prop_plain2(p, NKX_SPACE_PSUM, m, n, NKX_DT_FP32, 0, 1);
    double *want = calloc((size_t)(m * n), sizeof *want), big = 0;
    for (int64_t q = 0; q < k; q++) {
        for (int64_t i = 0; i < m; i++) {
            for (int64_t j = 0; j < n; j++) {
                double s = 0;
                for (int l = 0; l < 4; l++)
                    s += x4_lane(a, q * m + i, l) * x4_lane(b, q * n + j, l);
                want[i * n + j] += s * mx_scale(sa, q, m + 3, i) * mx_scale(sb, q, n, j);
                big = fmax(big, fabs(want[i * n + j]));
            }
        }
    }
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "stationary", a);
    prop_arg_tile(p, "moving", b);
    prop_arg_tile(p, "stationary_scale", sa);
    prop_arg_tile(p, "moving_scale", sb);
    prop_arg_bool(p, "accumulate", false);
    if (prop_issue(p)) prop_expect(p, d, want, 4, big * 1e-5);
    free(want);
}

static void run_quantize(prop *p)
{
    int64_t r = prop_int(p, 1, 4) * 32, c = prop_int(p, 1, 16);
    bool e5 = prop_flip(p);
    prop_tensor *a = prop_plain2(p, NKX_SPACE_SBUF, r, c * 4,
                                 prop_flip(p) ? NKX_DT_BF16 : NKX_DT_FP16, -100, 100);
    prop_tensor *d = prop_plain2(p, NKX_SPACE_SBUF, r, c,
                                 e5 ? NKX_DT_FP8_E5M2_X4 : NKX_DT_FP8_E4M3FN_X4, 0, 0),
                *s = prop_plain2(p, NKX_SPACE_SBUF, r, c, NKX_DT_UINT8, 0, 200);
    nkx_dtype lane = e5 ? NKX_DT_FP8_E5M2 : NKX_DT_FP8_E4M3FN;
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "src", a);
    prop_arg_tile(p, "dst_scale", s);
    if (!prop_issue(p)) return;
    uint8_t *packed = malloc((size_t)(r * c) * 4), *scale = malloc((size_t)(r * c));
    nkx_view_read(d->v, packed);
    nkx_view_read(s->v, scale);
    for (int64_t g = 0; g < r / 8; g++) {
        for (int64_t j = 0; j < c; j++) {
            double amax = 0;
            for (int64_t i = 0; i < 32; i++)
                amax = fmax(amax, fabs(a->before[(g * 8 + i / 4) * c * 4 + j * 4 + i % 4]));
            int e = amax == 0 ? -127 : (int)floor(log2(amax)) - ((e5 ? 15 : 8) - 1);
            int64_t at = (g / 4 * 32 + g % 4) * c + j;
            if (scale[at] != e + 127)
                prop_fail(p, "scale of block %lld, %lld is %d, not %d", (long long)g, (long long)j,
                          scale[at], e + 127);
            for (int64_t i = 0; i < 32; i++) {
                int64_t row = g * 8 + i / 4;
                double got = nkx_load_packed((nkx_dtype)d->v->dtype, packed + (row * c + j) * 4,
                                             (int)(i % 4));
                double w = ref_round(lane, ldexp(a->before[row * c * 4 + j * 4 + i % 4], -e));
                if (got != w)
                    prop_fail(p, "value in block %lld, %lld is %g, not %g", (long long)g,
                              (long long)j, got, w);
            }
        }
    }
    free(packed);
    free(scale);
}

/* ---- DMA ---- */

static nkx_space dma_space(prop *p)
{
    return prop_flip(p) ? NKX_SPACE_SBUF : NKX_SPACE_HBM;
}

static void copy_plain(prop *p)
{
    int64_t parts = prop_int(p, 1, 128), per = prop_int(p, 1, 90);
    nkx_dtype a = prop_dtype(p, PROP_FLOATS | PROP_INTS),
              b = prop_flip(p) ? a : prop_dtype(p, PROP_FLOATS | PROP_INTS);
    bool shapes = parts * per % 2 == 0 && prop_flip(p) && parts * 2 <= 128 && per % 2 == 0;
    prop_tensor *src = prop_tile(p, dma_space(p), parts, per, a, -90, 90, true);
    prop_tensor *dst = prop_tile(p, dma_space(p), shapes ? parts * 2 : parts,
                                 shapes ? per / 2 : per, b, 0, 1, false);
    prop_arg_tile(p, "dst", dst);
    prop_arg_tile(p, "src", src);
    if (prop_issue(p)) prop_expect(p, dst, src->before, 0, 0);
}

static prop_tensor *row_index(prop *p, int64_t n, int64_t rows, bool wild, bool distinct)
{
    prop_tensor *t = prop_plain2(p, NKX_SPACE_SBUF, n, 1, NKX_DT_INT32, 0, 1);
    double v[128];
    for (int64_t i = 0; i < n; i++) {
        v[i] = distinct ? (double)((i * 7 + 3) % rows) : (double)prop_int(p, 0, rows - 1);
        if (wild && prop_int(p, 0, 4) == 0) v[i] = prop_flip(p) ? -1 : (double)rows + 5;
    }
    prop_set(t, v);
    return t;
}

static prop_tensor *gathered(prop *p, prop_tensor *h, prop_tensor *ix)
{
    nkx_view *v = NULL;
    if (!nkx_view_vector_select(h->v, 0, ix->v, (nkx_span){0}, &v)) abort();
    return prop_view(p, h, v);
}

static void copy_gather(prop *p)
{
    int64_t n = prop_int(p, 1, 128), rows = prop_int(p, 1, 200), per = prop_int(p, 1, 40);
    bool skip = prop_flip(p);
    nkx_dtype t = prop_dtype(p, PROP_FLOATS);
    prop_tensor *h = prop_plain2(p, NKX_SPACE_HBM, rows, per, t, -9, 9),
                *ix = row_index(p, n, rows, skip, false),
                *d = prop_tile(p, NKX_SPACE_SBUF, n, per, t, 0, 1, false);
    double *want = malloc((size_t)(n * per) * sizeof *want);
    for (int64_t i = 0; i < n * per; i++) {
        double row = ix->before[i / per];
        want[i] =
            row < 0 || row >= (double)rows ? d->before[i] : h->before[(int64_t)row * per + i % per];
    }
    prop_arg_tile(p, "dst", d);
    prop_arg_tile(p, "src", gathered(p, h, ix));
    prop_arg_enum(p, "oob_mode", skip);
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
    free(want);
}

static void copy_scatter(prop *p)
{
    int64_t rows = prop_int(p, 8, 100), n = prop_int(p, 1, 7), per = prop_int(p, 1, 40);
    nkx_dtype t = prop_dtype(p, PROP_FLOATS);
    if (rows % 7 == 0) rows++;
    prop_tensor *h = prop_plain2(p, NKX_SPACE_HBM, rows, per, t, -9, 9),
                *ix = row_index(p, n, rows, false, true),
                *s = prop_tile(p, NKX_SPACE_SBUF, n, per, t, 0, 1, true);
    double *want = malloc((size_t)(rows * per) * sizeof *want);
    memcpy(want, h->before, (size_t)(rows * per) * sizeof *want);
    for (int64_t i = 0; i < n * per; i++)
        want[(int64_t)ix->before[i / per] * per + i % per] = s->before[i];
    prop_arg_tile(p, "dst", gathered(p, h, ix));
    prop_arg_tile(p, "src", s);
    if (prop_issue(p)) prop_expect(p, h, want, 0, 0);
    free(want);
}

static void run_dma_copy(prop *p)
{
    switch (prop_int(p, 0, 3)) {
    case 0: copy_gather(p); break;
    case 1: copy_scatter(p); break;
    default: copy_plain(p); break;
    }
}

/* Rank 2 to 4 by the fixed axes; from HBM also with gathered rows. */
static void run_dma_transpose(prop *p)
{
    static const int axes[3][4] = {
        {1,  0},
        { 2,  1,  0},
        { 3, 1,  2, 0}
    };
    int rank = (int)prop_int(p, 2, 4);
    int64_t s[4], d[4], n = 1, stride[4];
    nkx_dtype t = prop_flip(p) ? NKX_DT_BF16 : NKX_DT_FP32;
    for (int i = 0; i < rank; i++) s[i] = prop_int(p, 1, i == 0 ? 40 : 12);
    for (int i = rank - 1; i >= 0; i--) {
        stride[i] = n;
        n *= s[i];
    }
    for (int i = 0; i < rank; i++) d[i] = s[axes[rank - 2][i]];
    prop_tensor *a = prop_plain(p, dma_space(p), rank, s, t, -9, 9),
                *b = prop_plain(p, NKX_SPACE_SBUF, rank, d, t, 0, 1);
    double *want = malloc((size_t)n * sizeof *want);
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i, at = 0;
        for (int k = rank - 1; k >= 0; k--) {
            at += rest % d[k] * stride[axes[rank - 2][k]];
            rest /= d[k];
        }
        want[i] = a->before[at];
    }
    prop_arg_tile(p, "dst", b);
    prop_arg_tile(p, "src", a);
    if (prop_issue(p)) prop_expect(p, b, want, 0, 0);
    free(want);
}

static void compute_plain(prop *p)
{
    int64_t parts = prop_int(p, 1, 64), per = prop_int(p, 1, 60), k = prop_int(p, 1, 5);
    nkx_view *list[5];
    nkx_dtype td = prop_dtype(p, PROP_FLOATS);
    prop_tensor *d = prop_tile(p, dma_space(p), parts, per, td, -2, 2, false);
    double *want = calloc((size_t)(parts * per), sizeof *want);
    for (int64_t i = 0; i < k; i++) {
        prop_tensor *s = i == 0 ? d
                                : prop_tile(p, dma_space(p), parts, per, prop_dtype(p, PROP_FLOATS),
                                            -2, 2, true);
        list[i] = s->v;
        for (int64_t e = 0; e < parts * per; e++)
            want[e] = i == 0 ? s->before[e] : prop_f32(want[e] + s->before[e]);
    }
    prop_arg_tile(p, "dst", d);
    p->is.arg[1] = (nkx_arg){
        .kind = NKX_ARG_VIEWS, .u.views = {list, (int)k}
    };
    prop_arg_op(p, "reduce_op", NKX_ALU_ADD);
    if (prop_issue(p)) prop_expect(p, d, want, 0, 0);
    free(want);
}

static void compute_scatter(prop *p)
{
    int64_t rows = prop_int(p, 8, 60), n = prop_int(p, 1, 7), per = prop_int(p, 1, 40);
    if (rows % 7 == 0) rows++;
    prop_tensor *h = prop_plain2(p, NKX_SPACE_HBM, rows, per, NKX_DT_FP32, -9, 9),
                *ix = row_index(p, n, rows, false, true),
                *s = prop_tile(p, NKX_SPACE_SBUF, n, per, NKX_DT_BF16, 0, 1, true);
    prop_tensor *g = gathered(p, h, ix);
    nkx_view *list[2] = {g->v, s->v};
    double *want = malloc((size_t)(rows * per) * sizeof *want);
    memcpy(want, h->before, (size_t)(rows * per) * sizeof *want);
    for (int64_t i = 0; i < n * per; i++)
        want[(int64_t)ix->before[i / per] * per + i % per] += s->before[i];
    prop_arg_tile(p, "dst", g);
    p->is.arg[1] = (nkx_arg){
        .kind = NKX_ARG_VIEWS, .u.views = {list, 2}
    };
    prop_arg_op(p, "reduce_op", NKX_ALU_ADD);
    if (prop_issue(p)) prop_expect(p, h, want, 0, 0);
    free(want);
}

static void run_dma_compute(prop *p)
{
    if (prop_flip(p)) {
        compute_plain(p);
    } else {
        compute_scatter(p);
    }
}

const prop_row prop_engine_rows[] = {
    {"nc_matmul",     run_nc_matmul    },
    {"nc_matmul_mx",  run_mx           },
    {"nc_transpose",  run_nc_transpose },
    {"quantize_mx",   run_quantize     },
    {"dma_copy",      run_dma_copy     },
    {"dma_transpose", run_dma_transpose},
    {"dma_compute",   run_dma_compute  },
    {NULL,            NULL             },
};
