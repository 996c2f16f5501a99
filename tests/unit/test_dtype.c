/* SPDX-License-Identifier: Apache-2.0 */
/* The table of element types: names, limits that agree with the conversions, single values. */
#include "interp/num/dtype.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_rows_are_whole(void **state)
{
    (void)state;
    for (int t = 0; t < NKX_N_DTYPES; t++) {
        const nkx_dtype_row *row = &nkx_dtypes[t];
        assert_non_null(row->name);
        assert_non_null(row->npy);
        assert_non_null(row->doc);
        assert_true(row->bytes > 0 && row->lanes > 0 && row->max > row->lowest);
        assert_int_equal(nkx_dtype_find(row->name), t);
        assert_int_equal(row->load_f32 == NULL, row->store_f32 == NULL);
        assert_int_equal(row->load_i32 != NULL, nkx_dtype_is_int((nkx_dtype)t) && row->bytes <= 4);
        assert_int_equal(row->npy[2] - '0', row->bytes);
    }
}

static void test_spellings(void **state)
{
    (void)state;
    assert_int_equal(nkx_dtype_find("bool"), NKX_DT_BOOL);
    assert_int_equal(nkx_dtype_find("float8e4"), NKX_DT_FP8_E4M3);
    assert_int_equal(nkx_dtype_find("float8_e5m2"), NKX_DT_FP8_E5M2);
    assert_int_equal(nkx_dtype_find("tfloat32"), NKX_DT_TF32);
    assert_int_equal(nkx_dtype_find("float"), NKX_N_DTYPES);
    assert_int_equal(nkx_dtype_find(""), NKX_N_DTYPES);
    assert_int_equal(nkx_dtype_lane(NKX_DT_FP8_E4M3FN_X4), NKX_DT_FP8_E4M3FN);
    assert_int_equal(nkx_dtype_lane(NKX_DT_FP32), NKX_DT_FP32);
}

/* max, lowest and min_normal are values of the type, and nothing finite lies above max. */
static void test_limits(void **state)
{
    (void)state;
    for (int t = 0; t < NKX_N_DTYPES; t++) {
        const nkx_dtype_row *row = &nkx_dtypes[t];
        uint8_t cell[8];
        if (row->cls != NKX_CLASS_FLOAT) continue;
        const double limits[] = {row->max, row->lowest, row->min_normal};
        for (size_t i = 0; i < NKX_COUNT(limits); i++) {
            nkx_store_f64((nkx_dtype)t, cell, limits[i]);
            assert_true(nkx_load_f64((nkx_dtype)t, cell) == limits[i]);
        }
        nkx_store_f64((nkx_dtype)t, cell, row->max * 1.5);
        double beyond = nkx_load_f64((nkx_dtype)t, cell);
        if (t == NKX_DT_FP4_E2M1FN)
            assert_true(beyond == row->max); /* all its codes are finite */
        else
            assert_true(row->has_inf ? isinf(beyond) : isnan(beyond));
    }
}

static void test_single_values(void **state)
{
    uint8_t cell[8];
    (void)state;
    nkx_store_i64(NKX_DT_UINT32, cell, 4000000000);
    assert_true(nkx_load_i64(NKX_DT_UINT32, cell) == 4000000000);
    nkx_store_i64(NKX_DT_INT8, cell, 0x1ff);
    assert_true(nkx_load_i64(NKX_DT_INT8, cell) == -1);
    nkx_store_i64(NKX_DT_BOOL, cell, 256);
    assert_true(nkx_load_i64(NKX_DT_BOOL, cell) == 1);
    nkx_store_i64(NKX_DT_INT64, cell, INT64_MIN);
    assert_true(nkx_load_i64(NKX_DT_INT64, cell) == INT64_MIN);
    nkx_store_f64(NKX_DT_INT32, cell, 16777217);
    assert_true(nkx_load_i64(NKX_DT_INT32, cell) == 16777217);
    nkx_store_f64(NKX_DT_INT64, cell, 1e300);
    assert_true(nkx_load_i64(NKX_DT_INT64, cell) == INT64_MAX);
    nkx_store_f64(NKX_DT_INT64, cell, -INFINITY);
    assert_true(nkx_load_i64(NKX_DT_INT64, cell) == INT64_MIN);
    nkx_store_f64(NKX_DT_UINT64, cell, 0x1.8p63);
    assert_true(nkx_load_f64(NKX_DT_UINT64, cell) == 0x1.8p63);
    nkx_store_f64(NKX_DT_UINT64, cell, 1e300);
    assert_true((uint64_t)nkx_load_i64(NKX_DT_UINT64, cell) == UINT64_MAX);
    nkx_store_f64(NKX_DT_UINT8, cell, 2.5);
    assert_true(nkx_load_i64(NKX_DT_UINT8, cell) == 2);
    nkx_store_f64(NKX_DT_INT16, cell, NAN);
    assert_true(nkx_load_i64(NKX_DT_INT16, cell) == 0);
    nkx_store_f64(NKX_DT_FP64, cell, 0.1);
    assert_true(nkx_load_f64(NKX_DT_FP64, cell) == 0.1);
}

static void test_ulp_distance(void **state)
{
    (void)state;
    assert_true(nkx_ulp_distance(NKX_DT_FP32, 1.0 + 0x1p-23, 1.0) == 1);
    assert_true(nkx_ulp_distance(NKX_DT_FP32, 1.0 - 0x1p-24, 1.0) == 0.5);
    assert_true(nkx_ulp_distance(NKX_DT_BF16, 2.0, 2.0 + 0x1p-6) == 1);
    assert_true(nkx_ulp_distance(NKX_DT_FP8_E4M3, 240, 224) == 1);
    assert_true(nkx_ulp_distance(NKX_DT_FP16, 0x1p-24, 0) == 1); /* subnormals are evenly spaced */
    assert_true(nkx_ulp_distance(NKX_DT_FP16, 3 * 0x1p-24, 0x1p-24) == 2);
    assert_true(nkx_ulp_distance(NKX_DT_INT32, 3, 7) == 4);
    assert_true(nkx_ulp_distance(NKX_DT_FP32, NAN, NAN) == 0);
    assert_true(isinf(nkx_ulp_distance(NKX_DT_FP32, NAN, 1)));
    assert_true(isinf(nkx_ulp_distance(NKX_DT_FP32, INFINITY, 1)));
    assert_true(nkx_ulp_distance(NKX_DT_FP32, INFINITY, INFINITY) == 0);
    assert_true(nkx_ulp_distance(NKX_DT_FP8_E8M0, 4, 2) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_whole), cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_limits),         cmocka_unit_test(test_single_values),
        cmocka_unit_test(test_ulp_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
