/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products against plain float64 loops: shapes, pitches, accumulation, threads. */
#include "interp/num/gemm.h"

#include "interp/num/gemm_tile.h"

#include "tests/support/ref.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static float *random_floats(ref_random *r, int64_t n)
{
    float *x = malloc((size_t)n * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++) {
        x[i] = (float)ref_uniform(r, -1, 1);
    }
    return x;
}

static void test_tiles(void **state)
{
    static const int shapes[][3] = {
        {1,   1,   1  },
        {128, 512, 128},
        {7,   33,  5  },
        {128, 1,   128},
        {1,   512, 128},
        {64,  100, 32 },
        {0,   4,   4  },
        {4,   4,   0  }
    };
    ref_random r = {1};
    (void)state;
    for (size_t s = 0; s < NKX_COUNT(shapes); s++) {
        const int m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
        for (int accumulate = 0; accumulate < 2; accumulate++) {
            const int64_t ldst = m + 3, ldmv = n + 5, ldd = n + 2;
            float *st = random_floats(&r, (k + 1) * ldst);
            float *mv = random_floats(&r, (k + 1) * ldmv);
            float *dst = random_floats(&r, (m + 1) * ldd);
            double *want = malloc((size_t)((m + 1) * ldd) * sizeof *want);
            for (int64_t i = 0; i < (m + 1) * ldd; i++) {
                want[i] = (double)dst[i];
            }
            ref_gemm_tn(m, n, k, st, ldst, mv, ldmv, want, ldd, accumulate);
            nkx_gemm_tn_f32(m, n, k, st, ldst, mv, ldmv, dst, ldd, accumulate);
            for (int64_t i = 0; i < (m + 1) * ldd; i++) {
                assert_true(fabs((double)dst[i] - want[i]) <= 1e-6 * (k + 2));
            }
            free(st);
            free(mv);
            free(dst);
            free(want);
        }
    }
}

/* ---- chains ---- */

enum { MAX_STEPS = 5 };

typedef struct chain {
    int m, n, n_steps;
    nkx_gemm_step steps[MAX_STEPS];
    void *owned[2 * MAX_STEPS];
} chain;

static void *random_cells(ref_random *r, nkx_dtype t, int64_t bytes, int64_t step)
{
    uint8_t *cells = calloc(1, (size_t)bytes + 64);
    assert_non_null(cells);
    for (int64_t at = 0; at + nkx_dtype_bytes(t) <= bytes; at += step) {
        nkx_store_f64(t, cells + at, ref_uniform(r, -2, 2));
    }
    return cells;
}

static nkx_gemm_step random_step(ref_random *r, chain *c, int i, nkx_dtype a, nkx_dtype b)
{
    nkx_gemm_step s = {.k = 1 + (int)(ref_next(r) % 300), .st_type = a, .mv_type = b};
    s.st_step = nkx_dtype_bytes(a) * (1 + (int)(ref_next(r) % 8 == 0));
    s.mv_step = nkx_dtype_bytes(b) * (1 + (int)(ref_next(r) % 8 == 0));
    s.st_pitch = c->m * s.st_step + 4 * (int)(ref_next(r) % 9);
    s.mv_pitch = c->n * s.mv_step + 4 * (int)(ref_next(r) % 9);
    s.st = c->owned[2 * i] = random_cells(r, a, s.k * s.st_pitch, s.st_step);
    s.mv = c->owned[2 * i + 1] = random_cells(r, b, s.k * s.mv_pitch, s.mv_step);
    return s;
}

static float value(nkx_dtype t, const void *base, int64_t offset)
{
    return (float)nkx_load_f64(t, (const uint8_t *)base + offset);
}

/* One element by the definition: fused multiply-adds in order. Slack: what unfused ones may add. */
static float chain_element(const chain *c, int i, int j, float start, double *slack)
{
    float sum = start;
    for (int p = 0; p < c->n_steps; p++) {
        const nkx_gemm_step *s = &c->steps[p];
        for (int k = 0; k < s->k; k++) {
            float a = value(s->st_type, s->st, k * s->st_pitch + i * s->st_step);
            float b = value(s->mv_type, s->mv, k * s->mv_pitch + j * s->mv_step);
            sum = fmaf(a, b, sum);
            *slack += fabs((double)a * (double)b) * 0x1p-22;
        }
    }
    return sum;
}

static bool machine_fuses(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

static void check_chain(const chain *c, ref_random *r, bool accumulate)
{
    const int64_t ldd = c->n + (int)(ref_next(r) % 40);
    float *dst = random_floats(r, c->m * ldd), *one_by_one = malloc((size_t)(c->m * ldd) * 4);
    float *before = malloc((size_t)(c->m * ldd) * 4);
    assert_non_null(one_by_one);
    assert_non_null(before);
    memcpy(one_by_one, dst, (size_t)(c->m * ldd) * 4);
    memcpy(before, dst, (size_t)(c->m * ldd) * 4);
    nkx_gemm_chain(c->m, c->n, c->steps, c->n_steps, dst, ldd, accumulate);
    for (int p = 0; p < c->n_steps; p++) {
        nkx_gemm_chain(c->m, c->n, &c->steps[p], 1, one_by_one, ldd, accumulate || p > 0);
    }
    assert_memory_equal(dst, one_by_one, (size_t)(c->m * ldd) * 4);
    for (int i = 0; i < c->m; i++) {
        for (int j = 0; j < ldd; j++) {
            float got = dst[i * ldd + j], start = before[i * ldd + j];
            if (j >= c->n) assert_true(got == start); /* between the rows nothing is touched */
            if (j >= c->n || (i * c->n + j) % 7 != 0) continue;
            double slack = 0;
            float want = chain_element(c, i, j, accumulate ? start : 0.0f, &slack);
            if (machine_fuses()) assert_true(got == want);
            assert_true(fabs((double)got - (double)want) <= slack);
        }
    }
    free(dst);
    free(one_by_one);
    free(before);
}

static void test_chains(void **state)
{
    static const nkx_dtype types[] = {NKX_DT_FP32, NKX_DT_BF16,     NKX_DT_FP16,    NKX_DT_FP32,
                                      NKX_DT_TF32, NKX_DT_FP8_E4M3, NKX_DT_FP8_E5M2};
    ref_random r = {3};
    (void)state;
    for (int round = 0; round < 40; round++) {
        chain c = {.n_steps = 1 + round % MAX_STEPS};
        c.m = 1 + (int)(ref_next(&r) % (round % 10 == 0 ? 300 : 40));
        c.n = 1 + (int)(ref_next(&r) % (round % 10 == 1 ? 600 : 90));
        for (int i = 0; i < c.n_steps; i++) {
            nkx_dtype a = types[ref_next(&r) % NKX_COUNT(types)];
            nkx_dtype b = types[ref_next(&r) % NKX_COUNT(types)];
            if (round % 3 == 0) a = b = NKX_DT_FP32;
            c.steps[i] = random_step(&r, &c, i, a, b);
        }
        check_chain(&c, &r, round % 2);
        for (int i = 0; i < 2 * c.n_steps; i++) {
            free(c.owned[i]);
        }
    }
}

static void test_empty_chain(void **state)
{
    float dst[6] = {1, 2, 3, 4, 5, 6};
    (void)state;
    nkx_gemm_chain(2, 2, NULL, 0, dst, 3, true);
    assert_true(dst[0] == 1 && dst[4] == 5);
    nkx_gemm_chain(2, 2, NULL, 0, dst, 3, false);
    assert_true(dst[0] == 0 && dst[1] == 0 && dst[2] == 3 && dst[3] == 0 && dst[5] == 6);
}

/* The kernel in plain C, which this machine may not choose, by the definition in float64. */
static void test_plain_kernel(void **state)
{
    enum { DEPTH = 37, PITCH = 40 };
    ref_random r = {4};
    (void)state;
    for (int rows = 1; rows <= NKX_TILE_ROWS; rows++) {
        const int cols = nkx_tile_any.cols;
        float *strip = random_floats(&r, DEPTH * rows), *panel = random_floats(&r, DEPTH * cols);
        float *dst = random_floats(&r, rows * PITCH);
        double want[NKX_TILE_ROWS * PITCH];
        for (int i = 0; i < rows * PITCH; i++) {
            want[i] = (double)dst[i];
        }
        ref_gemm_tn(rows, cols, DEPTH, strip, rows, panel, cols, want, PITCH, rows % 2);
        nkx_tile_any.run(rows, DEPTH, strip, panel, dst, PITCH, rows % 2);
        for (int i = 0; i < rows * PITCH; i++) {
            assert_true(fabs((double)dst[i] - want[i]) < 1e-5);
        }
        free(strip);
        free(panel);
        free(dst);
    }
}

/* ---- whole problems ---- */

/* The same bits for every number of threads, in both precisions and all transpositions. */
static void test_whole_problems(void **state)
{
    enum { M = 600, N = 40, K = 90 };
    static float a[M * K], b[K * N], c1[M * N], c2[M * N];
    static double wa[M * K], wb[K * N], w1[M * N], w2[M * N];
    ref_random r = {2};
    (void)state;
    assert_null(nkx_gemm_error());
    for (int i = 0; i < M * K; i++) {
        wa[i] = (double)(a[i] = (float)ref_uniform(&r, -1, 1));
    }
    for (int i = 0; i < K * N; i++) {
        wb[i] = (double)(b[i] = (float)ref_uniform(&r, -1, 1));
    }
    for (int form = 0; form < 4; form++) {
        const bool ta = form & 1, tb = form & 2;
        nkx_gemm_f32(M, N, K, a, ta, b, tb, c1, 1);
        nkx_gemm_f64(M, N, K, wa, ta, wb, tb, w1, 1);
        for (int i = 0; i < M; i++) {
            for (int j = 0; j < N; j++) {
                double want = 0;
                for (int p = 0; p < K; p++) {
                    want += wa[ta ? p * M + i : i * K + p] * wb[tb ? j * K + p : p * N + j];
                }
                assert_true(fabs(w1[i * N + j] - want) < 1e-13 * K);
                assert_true(fabs((double)c1[i * N + j] - want) < 1e-6 * K);
            }
        }
        for (int threads = 2; threads < 6; threads++) {
            nkx_gemm_f32(M, N, K, a, ta, b, tb, c2, threads);
            nkx_gemm_f64(M, N, K, wa, ta, wb, tb, w2, threads);
            assert_memory_equal(c1, c2, sizeof c1);
            assert_memory_equal(w1, w2, sizeof w1);
        }
    }
}

static void test_special_values(void **state)
{
    const float st[2] = {1, 0}, mv[2] = {INFINITY, NAN};
    float dst[1] = {NAN};
    (void)state;
    nkx_gemm_tn_f32(1, 1, 1, st, 1, mv, 1, dst, 1, false); /* what was there is not read */
    assert_true(isinf(dst[0]));
    nkx_gemm_tn_f32(1, 1, 1, st + 1, 1, mv, 1, dst, 1, false);
    assert_true(isnan(dst[0])); /* 0 times infinity */
    assert_non_null(strstr(nkx_gemm_library(), "OpenBLAS"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles),          cmocka_unit_test(test_chains),
        cmocka_unit_test(test_empty_chain),    cmocka_unit_test(test_plain_kernel),
        cmocka_unit_test(test_whole_problems), cmocka_unit_test(test_special_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
