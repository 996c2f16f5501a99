/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator table: every row against float64, edge values, in place, every length and place
 * in a row the same bits, reductions in their stated order.
 */
#include "interp/num/ops.h"

#include "interp/num/simd.h"
#include "interp/num/vmath.h"

#include "tests/support/ref.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 1000 };

static bool same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void fill_any(ref_random *r, float *x, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = ref_next(r) % 4 ? (float)ref_uniform(r, -10, 10) : ref_any_float(r);
    }
}

/* Within the row's bound; next to underflow a function's intermediates have few bits left. */
static void expect(nkx_alu op, float got, double want, double x)
{
    double ulps = nkx_ulp_distance(NKX_DT_FP32, got, want);
    if (isnan(got) && isnan(want)) return;
    if (isinf((float)want) && isinf(got) && (got > 0) == (want > 0)) return;
    if (isfinite(want) && fabs(got - want) <= ref_slack(op, x)) return;
    if (isinf((float)want) && (double)fabsf(got) > 0.999999 * (double)FLT_MAX) return;
    if (ulps <= ref_ulp_bound(op, x)) return;
    if (fabs(want) < 64 * (double)FLT_MIN && fabs(got - want) <= 128 * 0x1p-149) return;
    fail_msg("%s(%a) = %a, not %a (%g ulp, bound %g)", nkx_alu_rows[op].name, x, (double)got, want,
             ulps, ref_ulp_bound(op, x));
}

static void test_rows_are_whole(void **state)
{
    (void)state;
    for (int i = 0; i < NKX_N_ALU; i++) {
        const nkx_alu_row *row = &nkx_alu_rows[i];
        assert_non_null(row->name);
        assert_non_null(row->formula);
        assert_int_equal(nkx_alu_find(row->name), i);
        assert_true(row->min_gen >= 2 && row->min_gen <= 4 && row->valid_lo < row->valid_hi);
        bool bitvec = row->flags & NKX_OPF_BITVEC, binary = row->flags & NKX_OPF_BINARY;
        assert_int_equal(bitvec, row->bits != NULL);
        assert_int_equal(!bitvec && binary, row->binary != NULL);
        assert_int_equal(row->binary != NULL, row->binary_s != NULL && row->s_binary != NULL);
        if (row->flags & NKX_OPF_REDUCE) assert_true(row->fold != NULL || row->fold_bits != NULL);
        if (row->flags & NKX_OPF_UNARY) assert_true(row->unary != NULL || bitvec);
        if (row->flags & NKX_OPF_ACTIVATION) assert_true(row->unary != NULL || i == NKX_ALU_PRELU);
    }
    assert_int_equal(nkx_alu_find("max"), NKX_ALU_MAXIMUM);
    assert_int_equal(nkx_alu_find("min"), NKX_ALU_MINIMUM);
    assert_int_equal(nkx_alu_find("mul"), NKX_N_ALU);
}

static void test_binary(void **state)
{
    static float a[N], b[N], y[N];
    ref_random r = {1};
    (void)state;
    for (int op = 0; op < NKX_N_ALU; op++) {
        const nkx_alu_row *row = &nkx_alu_rows[op];
        if (row->binary == NULL) continue;
        for (int round = 0; round < 5; round++) {
            fill_any(&r, a, N);
            fill_any(&r, b, N);
            for (int i = 0; i < N; i += 7) {
                b[i] = a[i];
            }
            row->binary(y, a, b, N);
            for (int i = 0; i < N; i++) {
                expect((nkx_alu)op, y[i], ref_binary((nkx_alu)op, a[i], b[i]), a[i]);
            }
            row->binary_s(y, a, b[0], N);
            for (int i = 0; i < N; i++) {
                expect((nkx_alu)op, y[i], ref_binary((nkx_alu)op, a[i], b[0]), a[i]);
            }
            row->s_binary(y, a[1], b, N);
            for (int i = 0; i < N; i++) {
                expect((nkx_alu)op, y[i], ref_binary((nkx_alu)op, a[1], b[i]), a[1]);
            }
        }
    }
}

static void test_unary(void **state)
{
    static float a[N], y[N];
    ref_random r = {2};
    (void)state;
    for (int op = 0; op < NKX_N_ALU; op++) {
        const nkx_alu_row *row = &nkx_alu_rows[op];
        if (row->unary == NULL) continue;
        for (int round = 0; round < 40; round++) {
            fill_any(&r, a, N);
            row->unary(y, a, N);
            for (int i = 0; i < N; i++) {
                expect((nkx_alu)op, y[i], ref_unary((nkx_alu)op, a[i], 0), a[i]);
            }
        }
    }
}

static float unary1(nkx_alu op, float x)
{
    float y;
    nkx_alu_rows[op].unary(&y, &x, 1);
    return y;
}

static float binary1(nkx_alu op, float a, float b)
{
    float y;
    nkx_alu_rows[op].binary(&y, &a, &b, 1);
    return y;
}

static void test_edges(void **state)
{
    (void)state;
    assert_true(isnan(binary1(NKX_ALU_MAXIMUM, NAN, 1)) && isnan(binary1(NKX_ALU_MAXIMUM, 1, NAN)));
    assert_true(isnan(binary1(NKX_ALU_MINIMUM, NAN, 1)) && isnan(binary1(NKX_ALU_MINIMUM, 1, NAN)));
    assert_true(binary1(NKX_ALU_NOT_EQUAL, NAN, NAN) == 1 && binary1(NKX_ALU_EQUAL, NAN, NAN) == 0);
    assert_true(binary1(NKX_ALU_GREATER_EQUAL, NAN, 1) == 0);
    assert_true(binary1(NKX_ALU_ABS_MAX, -3, 3) == 3 && binary1(NKX_ALU_ABS_MIN, -3, 3) == 3);
    assert_true(binary1(NKX_ALU_ABS_MAX, -4, 3) == -4 && binary1(NKX_ALU_ABS_MIN, -2, 3) == -2);
    assert_true(binary1(NKX_ALU_MOD, -7, 2) == 1 && binary1(NKX_ALU_FMOD, -7, 2) == -1);
    assert_true(binary1(NKX_ALU_MOD, 7, -2) == -1 && isnan(binary1(NKX_ALU_MOD, 1, 0)));
    assert_true(binary1(NKX_ALU_POWER, 0, 0) == 1 && isnan(binary1(NKX_ALU_POWER, -2, 0.5f)));
    assert_true(unary1(NKX_ALU_EXP, -INFINITY) == 0 && isinf(unary1(NKX_ALU_EXP, 1000)));
    assert_true(isinf(unary1(NKX_ALU_LOG, 0)) && isnan(unary1(NKX_ALU_LOG, -1)));
    assert_true(fabsf(unary1(NKX_ALU_SIN, 9.0f) - 27.65f) < 0.01f);
    assert_true(unary1(NKX_ALU_SILU, -INFINITY) == 0 && unary1(NKX_ALU_GELU, -INFINITY) == 0);
    assert_true(unary1(NKX_ALU_MISH, -INFINITY) == 0 && isinf(unary1(NKX_ALU_GELU, INFINITY)));
    assert_true(unary1(NKX_ALU_GELU_DX, -INFINITY) == 0 && unary1(NKX_ALU_GELU_DX, INFINITY) == 1);
    assert_true(unary1(NKX_ALU_SILU_DX, INFINITY) == 1 && unary1(NKX_ALU_ERF_DX, INFINITY) == 0);
    assert_true(unary1(NKX_ALU_GELU_APPRX_TANH, -INFINITY) == 0);
    for (int op = 0; op < NKX_N_ALU; op++) {
        if (nkx_alu_rows[op].unary == NULL || op == NKX_ALU_LOGICAL_NOT) continue;
        if (!isnan(unary1((nkx_alu)op, NAN))) fail_msg("%s loses NaN", nkx_alu_rows[op].name);
    }
}

/* In place on either input, at odd addresses of floats, and value by value: the same bits. */
static void test_place_and_aliasing(void **state)
{
    enum { M = 101 };
    float a[M + 1], b[M + 1], y[M + 1], z[M + 1];
    ref_random r = {3};
    (void)state;
    fill_any(&r, a, M + 1);
    fill_any(&r, b, M + 1);
    for (int op = 0; op < NKX_N_ALU; op++) {
        const nkx_alu_row *row = &nkx_alu_rows[op];
        for (int n = 0; n < M; n += n < 20 ? 1 : 9) {
            if (row->unary != NULL) {
                row->unary(y, a + 1, n);
                memcpy(z, a + 1, sizeof(float) * (size_t)n);
                row->unary(z, z, n);
                for (int i = 0; i < n; i++) {
                    assert_true(same(y[i], z[i]) && same(y[i], unary1((nkx_alu)op, a[i + 1])));
                }
            }
            if (row->binary == NULL) continue;
            row->binary(y, a + 1, b, n);
            memcpy(z, a + 1, sizeof(float) * (size_t)n);
            row->binary(z, z, b, n);
            for (int i = 0; i < n; i++) {
                assert_true(same(y[i], z[i]) && same(y[i], binary1((nkx_alu)op, a[i + 1], b[i])));
            }
            memcpy(z, b, sizeof(float) * (size_t)n);
            row->binary(z, a + 1, z, n);
            for (int i = 0; i < n; i++) {
                assert_true(same(y[i], z[i]));
            }
        }
    }
}

static void test_bits(void **state)
{
    static const int widths[] = {8, 16, 32};
    static uint32_t a[N], b[N], y[N];
    ref_random r = {4};
    (void)state;
    for (int op = 0; op < NKX_N_ALU; op++) {
        const nkx_alu_row *row = &nkx_alu_rows[op];
        if (row->bits == NULL) continue;
        for (size_t w = 0; w < NKX_COUNT(widths); w++) {
            uint32_t mask = UINT32_MAX >> (32 - widths[w]);
            for (int i = 0; i < N; i++) {
                a[i] = ref_next(&r) & mask;
                b[i] = (i % 2 ? ref_next(&r) % 40 : ref_next(&r)) & mask;
            }
            row->bits(y, a, b, N, widths[w]);
            for (int i = 0; i < N; i++) {
                assert_int_equal(y[i], ref_bits((nkx_alu)op, a[i], b[i], widths[w]));
            }
            if (row->fold_bits == NULL) continue;
            uint32_t want = row->bits_identity & mask;
            for (int i = 0; i < 50; i++) {
                want = ref_bits((nkx_alu)op, want, a[i], widths[w]);
            }
            assert_int_equal(row->fold_bits(row->bits_identity, a, 50) & mask, want);
        }
    }
}

static void test_int32(void **state)
{
    static uint32_t a[N], b[N], y[N];
    ref_random r = {5};
    (void)state;
    for (int op = 0; op < NKX_N_ALU; op++) {
        const nkx_alu_row *row = &nkx_alu_rows[op];
        if (row->int32 == NULL) continue;
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            for (int i = 0; i < N; i++) {
                a[i] = ref_next(&r);
                b[i] = i % 5 ? ref_next(&r) : a[i];
            }
            row->int32(y, a, b, N, is_signed);
            for (int i = 0; i < N; i++) {
                assert_int_equal(y[i], ref_int32((nkx_alu)op, a[i], b[i], is_signed));
            }
        }
    }
}

static void test_folds(void **state)
{
    static float x[N];
    ref_random r = {6};
    (void)state;
    for (int op = 0; op < NKX_N_ALU; op++) {
        const nkx_alu_row *row = &nkx_alu_rows[op];
        if (row->fold == NULL) continue;
        for (int n = 0; n < N; n = n < 40 ? n + 1 : n * 2) {
            for (int i = 0; i < n; i++) {
                x[i] =
                    (float)ref_uniform(&r, 0.9, 1.1) * (op == NKX_ALU_ADD && i % 2 ? -1.0f : 1.0f);
            }
            double want = ref_fold((nkx_alu)op, row->identity, x, n);
            float got = row->fold(row->identity, x, n);
            double scale = op == NKX_ALU_MULTIPLY ? fabs(want) : 1;
            assert_true(fabs(got - want) <= 2e-7 * (n + 1) * scale ||
                        (isinf(want) && want == (double)got));
            if (n == 0) assert_true(same(got, row->identity));
        }
        for (int i = 0; i < N; i++) {
            x[i] = 1;
        }
        x[N / 2] = NAN;
        bool keeps = op != NKX_ALU_ABS_MAX && op != NKX_ALU_ABS_MIN && op != NKX_ALU_LOGICAL_AND &&
                     op != NKX_ALU_LOGICAL_OR && op != NKX_ALU_LOGICAL_XOR;
        if (keeps) assert_true(isnan(row->fold(row->identity, x, N)));
    }
}

/* The order of summation as the header states it, to the bit. */
static void test_sum_order(void **state)
{
    static float x[N];
    ref_random r = {8};
    (void)state;
    for (int n = 0; n < N; n += 37) {
        float lane[16] = {0};
        for (int i = 0; i < n; i++) {
            x[i] = (float)ref_uniform(&r, -1, 1);
            lane[i % 16] += x[i];
        }
        for (int half = 8; half > 0; half /= 2) {
            for (int j = 0; j < half; j++) {
                lane[j] += lane[j + half];
            }
        }
        assert_true(same(nkx_sum_row(0.25f, x, n), 0.25f + lane[0]));
    }
}

static void test_activation_row(void **state)
{
    enum { M = 37 };
    float x[M], y[M];
    ref_random r = {9};
    (void)state;
    for (int i = 0; i < M; i++) {
        x[i] = (float)ref_uniform(&r, -3, 3);
    }
    nkx_activation_row(NKX_ALU_PRELU, y, x, 2.0f, -1.0f, 0.125f, M);
    for (int i = 0; i < M; i++) {
        float t = x[i] * 2.0f;
        t = t - 1.0f;
        assert_true(y[i] == (t >= 0 ? t : 0.125f * t));
    }
    nkx_activation_row(NKX_ALU_EXP, y, x, 1.0f, 0.0f, 0, M);
    for (int i = 0; i < M; i++) {
        assert_true(same(y[i], unary1(NKX_ALU_EXP, x[i])));
    }
    nkx_scale_bias_row(y, x, 3.0f, 0.1f, M);
    for (int i = 0; i < M; i++) {
        float t = x[i] * 3.0f;
        assert_true(y[i] == t + 0.1f); /* two roundings */
    }
}

/* Rows for machines without fused multiply-add: other last bits, the same accuracy. */
static void compare_rows(const char *name, void (*wide)(float *, const float *, int64_t),
                         void (*narrow)(float *, const float *, int64_t))
{
    static float x[N], y[N], z[N];
    ref_random r = {10};
    for (int round = 0; round < 20; round++) {
        fill_any(&r, x, N);
        wide(y, x, N);
        narrow(z, x, N);
        for (int i = 0; i < N; i++) {
            double ulps = nkx_ulp_distance(NKX_DT_FP32, (double)y[i], (double)z[i]);
            if (ulps > 3)
                fail_msg("%s(%a): %a and %a", name, (double)x[i], (double)y[i], (double)z[i]);
        }
    }
}

static void test_rows_of_older_machines(void **state)
{
    (void)state;
#if defined(__x86_64__)
#define COMPARE(name, ulp) compare_rows(#name, nkx_v##name##_avx2, nkx_v##name##_4);
    if (!nkx_has_avx2()) return;
    NKX_VMATH_LIST(COMPARE)
    COMPARE(sqrt, )
#undef COMPARE
#endif
}

/* Vectors of sixteen give the bits of vectors of eight, tails included. */
static void same_rows(const char *name, void (*a)(float *, const float *, int64_t),
                      void (*b)(float *, const float *, int64_t))
{
    static float x[N], y[N], z[N];
    ref_random r = {11};
    for (int round = 0; round < 20; round++) {
        int n = N - round;
        fill_any(&r, x, N);
        a(y, x, n);
        b(z, x, n);
        for (int i = 0; i < n; i++) {
            if (!same(y[i], z[i]))
                fail_msg("%s(%a): %a and %a", name, (double)x[i], (double)y[i], (double)z[i]);
        }
    }
}

static void test_rows_of_wider_machines(void **state)
{
    (void)state;
#if defined(__x86_64__)
#define COMPARE(name, ulp) same_rows(#name, nkx_v##name##_avx512, nkx_v##name##_avx2);
    if (!nkx_has_avx512()) return;
    NKX_VMATH_LIST(COMPARE)
    COMPARE(sqrt, )
#undef COMPARE
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_whole),
        cmocka_unit_test(test_binary),
        cmocka_unit_test(test_unary),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_place_and_aliasing),
        cmocka_unit_test(test_int32),
        cmocka_unit_test(test_folds),
        cmocka_unit_test(test_sum_order),
        cmocka_unit_test(test_activation_row),
        cmocka_unit_test(test_rows_of_older_machines),
        cmocka_unit_test(test_rows_of_wider_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
