/* SPDX-License-Identifier: Apache-2.0 */
/* Host arrays: life, casts, promotion, broadcasting, sums in NumPy's order, indexing, products,
 * text. */
#include "interp/host/index.h"
#include "interp/host/linalg.h"
#include "interp/host/print.h"
#include "interp/host/random.h"
#include "interp/host/reduce.h"
#include "interp/host/shape.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static nkx_nd_error err;

static nkx_ndarray *range(nkx_dtype t, int64_t n)
{
    nkx_ndarray *a = nkx_nd_arange_i64(t, 0, n, 1, &err);
    assert_non_null(a);
    return a;
}

static nkx_ndarray *shaped(nkx_dtype t, int ndim, const int64_t *shape)
{
    int64_t n = 1;
    for (int d = 0; d < ndim; d++) n *= shape[d];
    nkx_ndarray *flat = range(t, n), *a = nkx_nd_reshape(flat, ndim, shape, 'C', &err);
    nkx_nd_drop(flat);
    assert_non_null(a);
    return a;
}

static void expect_repr(nkx_ndarray *a, const char *want)
{
    nkx_buf b = {0};
    const nkx_print_options o = NKX_PRINT_DEFAULT;
    nkx_nd_repr(a, &o, &b);
    assert_string_equal(b.at, want);
    nkx_buf_fini(&b);
}

static void test_limits(void **state)
{
    (void)state;
    int64_t huge[3] = {1 << 20, 1 << 20, 1 << 20}, negative = -1, many[20] = {0};
    assert_null(nkx_nd_new(NKX_DT_FP64, 3, huge, &err));
    assert_string_equal(err.exception, "MemoryError");
    assert_null(nkx_nd_new(NKX_DT_FP64, 1, &negative, &err));
    assert_string_equal(err.exception, "ValueError");
    assert_null(nkx_nd_new(NKX_DT_INT8, 20, many, &err));
    int64_t empty[3] = {1 << 20, 0, 1 << 20};
    nkx_ndarray *a = nkx_nd_new(NKX_DT_FP64, 3, empty, &err);
    assert_non_null(a);
    assert_int_equal(nkx_nd_size(a), 0);
    nkx_nd_drop(a);
}

static void test_casts(void **state)
{
    (void)state;
    static const double in[] = {1.9, -1.9, 300.0, -1.0, 3e9, NAN};
    int64_t n = 6;
    nkx_ndarray *a = nkx_nd_external(NKX_DT_FP64, 1, &n, (void *)(uintptr_t)in);
    nkx_ndarray *i32 = nkx_nd_astype(a, NKX_DT_INT32), *u8 = nkx_nd_astype(a, NKX_DT_UINT8);
    nkx_ndarray *b = nkx_nd_astype(a, NKX_DT_BOOL);
    const int32_t *x = (const int32_t *)(const void *)i32->at;
    assert_int_equal(x[0], 1);
    assert_int_equal(x[1], -1);
    assert_int_equal(x[2], 300);
    assert_int_equal(x[4], INT32_MIN); /* as the processor converts what does not fit */
    assert_int_equal(u8->at[2], 44);
    assert_int_equal(u8->at[3], 255);
    assert_int_equal(b->at[0] + b->at[5], 2);
    nkx_nd_drop(a);
    nkx_nd_drop(i32);
    nkx_nd_drop(u8);
    nkx_nd_drop(b);
}

/* A value just above the middle of two float16 values, lost when rounded to float32 first. */
static void test_single_rounding(void **state)
{
    (void)state;
    uint16_t h = 0;
    nkx_nd_put_f64(NKX_DT_FP16, &h, 1.0 + ldexp(1, -11) + ldexp(1, -40));
    assert_int_equal(h, 0x3c01);
    nkx_nd_put_f64(NKX_DT_FP16, &h, 1.0 + ldexp(1, -11));
    assert_int_equal(h, 0x3c00);
    nkx_nd_put_f64(NKX_DT_FP16, &h, 1e9);
    assert_int_equal(h, 0x7c00);
}

static void test_promotion(void **state)
{
    (void)state;
    static const nkx_dtype rows[][3] = {
        {NKX_DT_INT8,     NKX_DT_UINT8,    NKX_DT_INT16   },
        {NKX_DT_INT32,    NKX_DT_UINT32,   NKX_DT_INT64   },
        {NKX_DT_INT64,    NKX_DT_UINT64,   NKX_DT_FP64    },
        {NKX_DT_BOOL,     NKX_DT_INT8,     NKX_DT_INT8    },
        {NKX_DT_FP16,     NKX_DT_INT8,     NKX_DT_FP16    },
        {NKX_DT_FP16,     NKX_DT_INT16,    NKX_DT_FP32    },
        {NKX_DT_FP32,     NKX_DT_INT32,    NKX_DT_FP64    },
        {NKX_DT_BF16,     NKX_DT_FP16,     NKX_DT_FP32    },
        {NKX_DT_BF16,     NKX_DT_FP32,     NKX_DT_FP32    },
        {NKX_DT_BF16,     NKX_DT_INT64,    NKX_DT_FP64    },
        {NKX_DT_BF16,     NKX_DT_FP8_E5M2, NKX_DT_BF16    },
        {NKX_DT_FP8_E4M3, NKX_DT_FP8_E5M2, NKX_DT_FP32    },
        {NKX_DT_FP8_E4M3, NKX_DT_INT8,     NKX_DT_FP8_E4M3},
        {NKX_DT_FP64,     NKX_DT_BF16,     NKX_DT_FP64    },
    };
    for (size_t i = 0; i < NKX_COUNT(rows); i++) {
        assert_int_equal(nkx_promote(rows[i][0], rows[i][1]), rows[i][2]);
        assert_int_equal(nkx_promote(rows[i][1], rows[i][0]), rows[i][2]);
    }
    assert_int_equal(nkx_promote_weak(NKX_DT_FP32, 2), NKX_DT_FP32);
    assert_int_equal(nkx_promote_weak(NKX_DT_INT8, 1), NKX_DT_INT8);
    assert_int_equal(nkx_promote_weak(NKX_DT_INT8, 2), NKX_DT_FP64);
    assert_int_equal(nkx_promote_weak(NKX_DT_BOOL, 1), NKX_DT_INT64);
}

static void test_weak_range(void **state)
{
    (void)state;
    nkx_ndarray *a = range(NKX_DT_UINT8, 3), *s = nkx_nd_scalar_i64(NKX_DT_INT64, 300);
    nkx_uf_call c = {
        .in = {nkx_strong(a), {s, 1}},
          .dtype = -1
    };
    assert_null(nkx_uf_apply(NKX_UF_ADD, &c, &err));
    assert_string_equal(err.exception, "OverflowError");
    nkx_ndarray *r = nkx_uf_apply(NKX_UF_LESS, &c, &err);
    assert_non_null(r);
    assert_int_equal(r->at[2], 1);
    nkx_nd_drop(r);
    nkx_nd_drop(a);
    nkx_nd_drop(s);
}

static void test_broadcast(void **state)
{
    (void)state;
    nkx_ndarray *a = shaped(NKX_DT_INT32, 2, (int64_t[]){2, 3}),
                *b = shaped(NKX_DT_FP32, 2, (int64_t[]){2, 1});
    nkx_ndarray *r = nkx_uf_binary(NKX_UF_ADD, a, b, &err);
    expect_repr(r, "array([[0., 1., 2.],\n       [4., 5., 6.]])");
    nkx_nd_drop(r);
    nkx_nd_drop(b);
    b = shaped(NKX_DT_FP32, 1, (int64_t[]){2});
    assert_null(nkx_uf_binary(NKX_UF_ADD, a, b, &err));
    assert_string_equal(err.text,
                        "operands could not be broadcast together with shapes (2,3) (2,)");
    nkx_nd_drop(a);
    nkx_nd_drop(b);
}

/* out= that overlaps an input in another order is computed aside. */
static void test_overlap(void **state)
{
    (void)state;
    nkx_ndarray *a = range(NKX_DT_INT64, 6);
    nkx_ndarray *lo = nkx_nd_part(a, 0, 0, 5), *hi = nkx_nd_part(a, 0, 1, 6);
    nkx_uf_call c = {
        .in = {nkx_strong(lo), nkx_strong(hi)},
          .out = hi, .dtype = -1
    };
    nkx_ndarray *r = nkx_uf_apply(NKX_UF_ADD, &c, &err);
    assert_ptr_equal(r, hi);
    expect_repr(a, "array([0, 1, 3, 5, 7, 9])");
    nkx_nd_drop(r);
    nkx_ndarray *back = nkx_nd_flip(a, NULL, -1, &err);
    assert_true(nkx_nd_assign(a, back, &err));
    expect_repr(a, "array([9, 7, 5, 3, 1, 0])");
    nkx_nd_drop(back);
    nkx_nd_drop(lo);
    nkx_nd_drop(hi);
    nkx_nd_drop(a);
}

/* Values by NumPy: a pairwise sum of float32 is not the sum from left to right. */
static void test_sums(void **state)
{
    (void)state;
    int64_t n = 1000;
    nkx_ndarray *a = nkx_nd_new(NKX_DT_FP32, 1, &n, &err);
    float *at = (float *)(void *)a->at;
    for (int64_t i = 0; i < n; i++) at[i] = 1.0f / (float)(i + 1);
    nkx_ndarray *s = nkx_nd_sum(a, NKX_AXES_ALL, -1, &err);
    assert_true(s->scalar);
    assert_true((float)nkx_nd_get_f64(s, 0) == 7.4854717f);
    nkx_nd_drop(s);
    nkx_nd_drop(a);
    a = shaped(NKX_DT_INT8, 3, (int64_t[]){2, 3, 4});
    nkx_axes ax;
    assert_true(nkx_nd_axes(3, (int64_t[]){0, -1}, 2, false, &ax, &err));
    s = nkx_nd_sum(a, ax, -1, &err);
    assert_int_equal(s->dtype, NKX_DT_INT64);
    expect_repr(s, "array([ 60,  92, 124])");
    nkx_nd_drop(s);
    assert_false(nkx_nd_axes(3, (int64_t[]){0, 0}, 2, false, &ax, &err));
    assert_false(nkx_nd_axes(3, (int64_t[]){3}, 1, false, &ax, &err));
    nkx_nd_drop(a);
}

static void test_index(void **state)
{
    (void)state;
    nkx_ndarray *a = shaped(NKX_DT_INT64, 3, (int64_t[]){2, 3, 4}), *list = range(NKX_DT_INT64, 2),
                *r;
    nkx_nd_index ix[3] = {
        {.kind = NKX_NDIX_INT,      .start = 1},
        {.kind = NKX_NDIX_ELLIPSIS},
        {.kind = NKX_NDIX_SLICE,               .step = -2          }
    };
    r = nkx_nd_index_get(a, ix, 3, &err);
    expect_repr(r, "array([[15, 13],\n       [19, 17],\n       [23, 21]])");
    assert_true(nkx_nd_overlap(r, a));
    nkx_nd_drop(r);
    nkx_nd_index split[3] = {
        {.kind = NKX_NDIX_ARRAY, .array = list},
        {.kind = NKX_NDIX_SLICE, .step = 1    },
        {.kind = NKX_NDIX_ARRAY, .array = list}
    };
    r = nkx_nd_index_get(a, split, 3, &err);
    assert_int_equal(r->ndim, 2);
    assert_int_equal(r->shape[0], 2);
    expect_repr(r, "array([[ 0,  4,  8],\n       [13, 17, 21]])");
    nkx_nd_drop(r);
    nkx_ndarray *mask = nkx_nd_astype(a, NKX_DT_BOOL), *nine = nkx_nd_scalar_i64(NKX_DT_INT64, 9);
    nkx_nd_index by_mask = {.kind = NKX_NDIX_ARRAY, .array = mask};
    assert_true(nkx_nd_index_set(a, &by_mask, 1, nine, &err));
    assert_int_equal(nkx_nd_get_i64(a, 0), 0);
    assert_int_equal(nkx_nd_get_i64(a, 23), 9);
    nkx_nd_index out = {.kind = NKX_NDIX_INT, .start = 2};
    assert_null(nkx_nd_index_get(a, &out, 1, &err));
    assert_string_equal(err.text, "index 2 is out of bounds for axis 0 with size 2");
    nkx_nd_drop(mask);
    nkx_nd_drop(nine);
    nkx_nd_drop(list);
    nkx_nd_drop(a);
}

static void test_reshape(void **state)
{
    (void)state;
    nkx_ndarray *a = shaped(NKX_DT_INT64, 2, (int64_t[]){2, 3}),
                *t = nkx_nd_transpose(a, NULL, 0, &err);
    nkx_ndarray *r = nkx_nd_reshape(t, 1, (int64_t[]){-1}, 'C', &err);
    expect_repr(r, "array([0, 3, 1, 4, 2, 5])");
    assert_false(nkx_nd_overlap(r, a));
    nkx_nd_drop(r);
    r = nkx_nd_reshape(t, 1, (int64_t[]){-1}, 'F', &err);
    expect_repr(r, "array([0, 1, 2, 3, 4, 5])");
    assert_true(nkx_nd_overlap(r, a));
    nkx_nd_drop(r);
    assert_null(nkx_nd_reshape(a, 2, (int64_t[]){4, -1}, 'C', &err));
    assert_string_equal(err.text, "cannot reshape array of size 6 into shape (4,-1)");
    nkx_nd_drop(t);
    nkx_nd_drop(a);
}

static void test_products(void **state)
{
    (void)state;
    nkx_ndarray *a = shaped(NKX_DT_FP32, 2, (int64_t[]){2, 3}),
                *t = nkx_nd_transpose(a, NULL, 0, &err), *r;
    r = nkx_nd_matmul(a, t, &err);
    expect_repr(r, "array([[ 5., 14.],\n       [14., 50.]], dtype=float32)");
    nkx_nd_drop(r);
    nkx_ndarray *pair[2] = {a, a};
    r = nkx_nd_einsum("ij,kj->ki", 2, pair, &err);
    expect_repr(r, "array([[ 5., 14.],\n       [14., 50.]], dtype=float32)");
    nkx_nd_drop(r);
    r = nkx_nd_einsum("ij->j", 1, pair, &err);
    expect_repr(r, "array([3., 5., 7.], dtype=float32)");
    nkx_nd_drop(r);
    assert_null(nkx_nd_einsum("ij,jk", 1, pair, &err));
    assert_null(nkx_nd_einsum("i1", 1, pair, &err));
    assert_null(nkx_nd_einsum("ijk", 1, pair, &err));
    assert_null(nkx_nd_einsum("ij->k", 1, pair, &err));
    assert_null(nkx_nd_matmul(a, a, &err));
    nkx_nd_drop(t);
    nkx_nd_drop(a);
}

/* Values by NumPy 2. */
static void test_random(void **state)
{
    (void)state;
    nkx_random r;
    nkx_random_seed(&r, false, 0);
    assert_true(nkx_random_double(&r) == 0.5488135039273248);
    nkx_random_seed(&r, true, 0);
    assert_true(nkx_random_double(&r) == 0.6369616873214543);
    nkx_random_seed(&r, true, 0);
    assert_true(nkx_random_normal(&r) == 0.1257302210933933);
    nkx_random_seed(&r, true, 11);
    double sum = 0;
    for (int i = 0; i < 1000; i++) sum += nkx_random_normal(&r);
    assert_true(fabs(sum - 16.35844728678525) < 1e-11);
    assert_null(nkx_random_integers(&r, NKX_DT_UINT8, 0, 300, 0, NULL, &err));
    assert_null(nkx_random_integers(&r, NKX_DT_INT64, 5, 4, 0, NULL, &err));
}

static void test_text(void **state)
{
    (void)state;
    int64_t n = 3;
    static const double in[] = {1.0, 1e-10, -0.5}, odd[] = {NAN, -INFINITY, 2.25};
    nkx_ndarray *a = nkx_nd_external(NKX_DT_FP64, 1, &n, (void *)(uintptr_t)in);
    expect_repr(a, "array([ 1.e+00,  1.e-10, -5.e-01])");
    nkx_nd_drop(a);
    a = nkx_nd_external(NKX_DT_FP64, 1, &n, (void *)(uintptr_t)odd);
    expect_repr(a, "array([ nan, -inf, 2.25])");
    nkx_nd_drop(a);
    a = range(NKX_DT_INT64, 2000);
    expect_repr(a, "array([   0,    1,    2, ..., 1997, 1998, 1999], shape=(2000,))");
    nkx_nd_drop(a);
    int64_t empty[2] = {0, 3};
    a = nkx_nd_new(NKX_DT_FP32, 2, empty, &err);
    expect_repr(a, "array([], shape=(0, 3), dtype=float32)");
    nkx_nd_drop(a);
    a = nkx_nd_scalar_f64(NKX_DT_FP32, 0.1);
    expect_repr(a, "np.float32(0.1)");
    nkx_nd_drop(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_casts),
        cmocka_unit_test(test_single_rounding),
        cmocka_unit_test(test_promotion),
        cmocka_unit_test(test_weak_range),
        cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_index),
        cmocka_unit_test(test_reshape),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
