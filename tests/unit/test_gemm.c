/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products against plain float64 loops: shapes, pitches, accumulation, threads. */
#include "interp/num/gemm.h"

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
    nkx_gemm_init();
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

/* The same bits for every number of threads, in both precisions and all transpositions. */
static void test_whole_problems(void **state)
{
    enum { M = 600, N = 40, K = 90 };
    static float a[M * K], b[K * N], c1[M * N], c2[M * N];
    static double wa[M * K], wb[K * N], w1[M * N], w2[M * N];
    ref_random r = {2};
    (void)state;
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
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_whole_problems),
        cmocka_unit_test(test_special_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
