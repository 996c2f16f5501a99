/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: MT19937 word for word with NumPy, XORWOW's recurrence, the normal fill's law. */
#include "interp/num/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/vectors/random.inc"

typedef struct mt_case {
    uint32_t seed;
    const uint32_t *words;
    const double *doubles, *normals;
    const int64_t *whole, *wide;
} mt_case;

#define CASE(s)                                                                                    \
    {                                                                                              \
        s##u, mt_words_##s, mt_rand_##s, mt_randn_##s, mt_randint_##s, mt_randint_wide_##s         \
    }
static const mt_case cases[] = {CASE(0), CASE(42), CASE(4294967295)};
#undef CASE

static void test_mt_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < NKX_COUNT(cases); i++) {
        nkx_mt s;
        nkx_mt_seed(&s, cases[i].seed);
        for (size_t j = 0; j < NKX_COUNT(mt_words_0); j++) {
            assert_int_equal(nkx_mt_next(&s), cases[i].words[j]);
        }
    }
}

static void test_mt_doubles(void **state)
{
    static const int at[] = {0, 1, 2, 311, 312, 699}; /* over two refills */
    (void)state;
    for (size_t i = 0; i < NKX_COUNT(cases); i++) {
        nkx_mt s;
        size_t next = 0;
        nkx_mt_seed(&s, cases[i].seed);
        for (int j = 0; j < 700; j++) {
            double v = nkx_mt_double(&s);
            if (j == at[next]) assert_true(v == cases[i].doubles[next++]);
        }
        assert_int_equal(next, NKX_COUNT(at));
    }
}

/* log and sqrt are the C library's on both sides; a last place is left to another version of it. */
static void test_mt_normals(void **state)
{
    (void)state;
    for (size_t i = 0; i < NKX_COUNT(cases); i++) {
        nkx_mt s;
        nkx_mt_seed(&s, cases[i].seed);
        for (size_t j = 0; j < NKX_COUNT(mt_randn_0); j++) {
            double v = nkx_mt_gauss(&s), want = cases[i].normals[j];
            assert_true(fabs(v - want) <= 0x1p-51 * fabs(want));
        }
    }
}

static void test_mt_bounded(void **state)
{
    (void)state;
    for (size_t i = 0; i < NKX_COUNT(cases); i++) {
        nkx_mt s;
        nkx_mt_seed(&s, cases[i].seed);
        for (size_t j = 0; j < NKX_COUNT(mt_randint_0); j++) {
            assert_true((int64_t)nkx_mt_bounded(&s, 1004) - 5 == cases[i].whole[j]);
        }
        for (size_t j = 0; j < NKX_COUNT(mt_randint_wide_0); j++) {
            uint64_t range = (UINT64_C(1) << 40) + 2;
            assert_true((int64_t)nkx_mt_bounded(&s, range) == cases[i].wide[j]);
        }
        assert_true(nkx_mt_bounded(&s, 0) == 0);
    }
}

static void test_xorwow(void **state)
{
    /* The published recurrence by hand from a state of ones. */
    nkx_xorwow s = {1, 1, 1, 1, 1, 1};
    (void)state;
    uint32_t t = 1 ^ 1 >> 2, v = (1 ^ 1 << 4) ^ (t ^ t << 1);
    assert_int_equal(nkx_xorwow_next(&s), v + 362438);
    assert_int_equal(s.v, v);
    assert_int_equal(s.w, 1);
    nkx_xorwow a, b;
    nkx_xorwow_seed(&a, 7);
    nkx_xorwow_seed(&b, 8);
    assert_memory_not_equal(&a, &b, sizeof a);
    double mean = 0;
    for (int i = 0; i < 100000; i++) {
        mean += nkx_xorwow_next(&a) * 0x1p-32;
    }
    assert_true(fabs(mean / 100000 - 0.5) < 0.005);
}

/* Several generators taken in turn give what each gives by itself. */
static void test_xorwow_fill(void **state)
{
    (void)state;
    for (int n_states = 1; n_states <= 4; n_states += 3) {
        nkx_xorwow one[4], many[4];
        uint32_t got[23];
        for (int i = 0; i < 4; i++) {
            nkx_xorwow_seed(&one[i], (uint32_t)i + 40);
            many[i] = one[i];
        }
        for (int round = 0; round < 3; round++) {
            nkx_xorwow_fill(many, n_states, got, 23);
            for (int i = 0; i < 23; i++) {
                assert_int_equal(got[i], nkx_xorwow_next(&one[i % n_states]));
            }
        }
        assert_memory_equal(one, many, sizeof one);
    }
}

static void test_fill_normal(void **state)
{
    enum { N = 200001 };
    static float x[N], y[N];
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
    (void)state;
    nkx_fill_normal(x, N, 1, 0);
    for (int i = 0; i < N; i++) {
        double v = x[i];
        m1 += v / N;
        m2 += v * v / N;
        m3 += v * v * v / N;
        m4 += v * v * v * v / N;
    }
    assert_true(fabs(m1) < 0.01 && fabs(m2 - 1) < 0.02 && fabs(m3) < 0.04 && fabs(m4 - 3) < 0.1);
    nkx_fill_normal(y, 1000, 1, 0); /* an element does not depend on the length */
    assert_memory_equal(x, y, 1000 * sizeof x[0]);
    nkx_fill_normal(y, N, 1, 1);
    double cross = 0;
    for (int i = 0; i < N; i++) {
        cross += (double)x[i] * y[i] / N;
    }
    assert_true(fabs(cross) < 0.01);
    nkx_fill_normal(y, 1000, 2, 0);
    assert_memory_not_equal(x, y, 1000 * sizeof x[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mt_words),    cmocka_unit_test(test_mt_doubles),
        cmocka_unit_test(test_mt_normals),  cmocka_unit_test(test_mt_bounded),
        cmocka_unit_test(test_xorwow),      cmocka_unit_test(test_xorwow_fill),
        cmocka_unit_test(test_fill_normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
