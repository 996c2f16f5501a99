/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Array files: every type there and back, both orders, big endian, and damage of every kind, each
 * of which must be an error and never a fault.
 */
#include "interp/host/ndarray.h"
#include "interp/host/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static nkx_nd_error err;

static nkx_ndarray *sample(nkx_dtype t)
{
    int64_t n = 12, shape[2] = {3, 4};
    nkx_ndarray *flat = nkx_nd_arange_i64(NKX_DT_INT64, 0, n, 1, &err),
                *typed = nkx_nd_astype(flat, t);
    nkx_ndarray *a = nkx_nd_reshape(typed, 2, shape, 'C', &err);
    nkx_nd_drop(flat);
    nkx_nd_drop(typed);
    return a;
}

static void expect_same(const nkx_ndarray *a, const nkx_ndarray *b)
{
    assert_true(nkx_nd_same_shape(a, b));
    assert_int_equal(a->dtype, b->dtype);
    for (int64_t i = 0; i < nkx_nd_size(a); i++) {
        double x = nkx_nd_get_f64(a, i), y = nkx_nd_get_f64(b, i);
        assert_true(x == y || (x != x && y != y));
    }
}

static void test_types(void **state)
{
    (void)state;
    for (int t = 0; t < NKX_N_DTYPES; t++) {
        if (nkx_dtypes[t].cls == NKX_CLASS_PACKED) continue;
        nkx_ndarray *a = sample((nkx_dtype)t), *b = NULL,
                    *view = nkx_nd_transpose(a, NULL, 0, &err);
        nkx_buf bytes = {0};
        nkx_npy_write(&bytes, view);
        assert_true((bytes.len - (size_t)(12 * nkx_dtypes[t].bytes)) % 64 == 0);
        assert_true(nkx_npy_parse("x.npy", bytes.at, bytes.len, t, &b, &err));
        expect_same(view, b);
        nkx_nd_drop(b);
        nkx_nd_drop(view);
        nkx_nd_drop(a);
        nkx_buf_fini(&bytes);
    }
}

static void put(nkx_buf *b, int version, const char *dict)
{
    size_t n = strlen(dict);
    nkx_buf_add(b, "\x93NUMPY", 6);
    nkx_buf_char(b, (char)version);
    nkx_buf_char(b, 0);
    nkx_buf_char(b, (char)(n & 0xff));
    nkx_buf_char(b, (char)(n >> 8));
    if (version > 1) nkx_buf_add(b, "\0\0", 2);
    nkx_buf_str(b, dict);
}

static nkx_ndarray *parse(int version, const char *dict, const void *data, size_t len)
{
    nkx_buf b = {0};
    nkx_ndarray *a = NULL;
    put(&b, version, dict);
    nkx_buf_add(&b, data, len);
    bool ok = nkx_npy_parse("x.npy", b.at, b.len, -1, &a, &err);
    assert_int_equal(ok, a != NULL);
    nkx_buf_fini(&b);
    return a;
}

static void test_orders(void **state)
{
    (void)state;
    static const uint8_t f[] = {0, 1, 2, 3, 4, 5}, big[] = {0, 1, 0, 2};
    nkx_ndarray *a = parse(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", f, 6);
    assert_int_equal(nkx_nd_get_i64(a, 1), 2); /* [0, 1] */
    nkx_nd_drop(a);
    a = parse(2, "{'shape': (2,), 'fortran_order': False, 'descr': '>i2'}", big, 4);
    assert_int_equal(nkx_nd_get_i64(a, 0), 1);
    assert_int_equal(nkx_nd_get_i64(a, 1), 2);
    nkx_nd_drop(a);
    a = parse(3, "{'descr': '<V2', 'fortran_order': False, 'shape': ()}", "\x80\x3f", 2);
    assert_int_equal(a->dtype, NKX_DT_BF16);
    assert_true(nkx_nd_get_f64(a, 0) == 1.0);
    nkx_nd_drop(a);
}

static void test_damage(void **state)
{
    (void)state;
    static const char *const dicts[] = {
        "",
        "{",
        "{'descr': '<f4'",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
        "{'descr': 3, 'fortran_order': False, 'shape': (1,)}",
        "{'other': '<f4'}",
        "{'descr': '<f4, 'fortran_order': False}",
    };
    for (size_t i = 0; i < NKX_COUNT(dicts); i++) {
        for (int v = 1; v <= 3; v++) {
            err.text[0] = '\0';
            assert_null(parse(v, dicts[i], "\0\0\0", 3));
            assert_true(err.text[0] != '\0');
        }
    }
    assert_null(parse(4, "{'descr': '<f4', 'fortran_order': False, 'shape': ()}", "\0\0\0\0", 4));
}

/* Every prefix of a good file, and every byte of its header changed. */
static void test_truncation(void **state)
{
    (void)state;
    nkx_ndarray *a = sample(NKX_DT_FP32), *b;
    nkx_buf bytes = {0};
    nkx_npy_write(&bytes, a);
    for (size_t n = 0; n < bytes.len; n++) {
        b = NULL;
        assert_false(nkx_npy_parse("x.npy", bytes.at, n, -1, &b, &err));
        assert_null(b);
    }
    for (size_t i = 0; i < 128; i++) {
        char keep = bytes.at[i];
        for (int c = 0; c < 256; c += 5) {
            bytes.at[i] = (char)c;
            b = NULL;
            if (nkx_npy_parse("x.npy", bytes.at, bytes.len, -1, &b, &err)) nkx_nd_drop(b);
        }
        bytes.at[i] = keep;
    }
    nkx_buf_fini(&bytes);
    nkx_nd_drop(a);
}

static const char *temp(const char *name)
{
    static char path[256];
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/nkx_test_%ld_%s", dir != NULL ? dir : "/tmp", (long)getpid(),
             name);
    return path;
}

static void test_files(void **state)
{
    (void)state;
    nkx_ndarray *a = sample(NKX_DT_BF16), *b = NULL;
    const char *path = temp("a.npy");
    assert_true(nkx_npy_save(path, a, &err));
    assert_true(nkx_npy_load(path, -1, &b, &err));
    expect_same(a, b);
    nkx_nd_drop(b);
    assert_int_equal(unlink(path), 0);
    assert_false(nkx_npy_load(path, -1, &b, &err));
    assert_string_equal(err.exception, "FileNotFoundError");
    path = temp("a.npz");
    const char *keys[2] = {"x", "y"};
    nkx_ndarray *both[2] = {a, a};
    nkx_buf names = {0};
    for (int pack = 0; pack < 2; pack++) {
        assert_true(nkx_npz_save(path, 2, keys, both, pack, &err));
        assert_true(nkx_npz_load(path, "y", -1, &b, NULL, &err));
        expect_same(a, b);
        nkx_nd_drop(b);
    }
    assert_false(nkx_npz_load(path, "z", -1, &b, &names, &err));
    assert_string_equal(err.exception, "KeyError");
    assert_string_equal(names.at, "x, y");
    assert_false(nkx_npz_load(path, NULL, -1, &b, NULL, &err));
    assert_false(nkx_safetensors_load(path, "x", &b, NULL, &err));
    nkx_buf_fini(&names);
    unlink(path);
    assert_false(nkx_npz_load(path, "x", -1, &b, NULL, &err));
    nkx_nd_drop(a);
}

static bool load_tensors(const char *json, const char *data, size_t len, const char *key,
                         nkx_ndarray **out)
{
    const char *path = temp("a.safetensors");
    FILE *f = fopen(path, "wb");
    uint64_t n = strlen(json);
    for (int i = 0; i < 8; i++) fputc((int)(n >> (8 * i) & 0xff), f);
    fwrite(json, 1, (size_t)n, f);
    fwrite(data, 1, len, f);
    fclose(f);
    *out = NULL;
    bool ok = nkx_safetensors_load(path, key, out, NULL, &err);
    unlink(path);
    return ok;
}

static void test_safetensors(void **state)
{
    (void)state;
    nkx_ndarray *a;
    assert_true(load_tensors(
        "{\"w\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]},\"__metadata__\":{}}",
        "\x80\x3f\0\x40", 4, NULL, &a));
    assert_int_equal(a->dtype, NKX_DT_BF16);
    assert_true(nkx_nd_get_f64(a, 1) == 2.0);
    nkx_nd_drop(a);
    assert_false(load_tensors("{\"w\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]}}",
                              "\x80", 1, "w", &a));
    assert_false(load_tensors("{\"w\":{\"dtype\":\"BF16\",\"shape\":[3],\"data_offsets\":[0,4]}}",
                              "1234", 4, "w", &a));
    assert_false(load_tensors("{\"w\":{\"dtype\":\"C64\",\"shape\":[1],\"data_offsets\":[0,4]}}",
                              "1234", 4, "w", &a));
    assert_false(load_tensors("{\"w\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}",
                              "1234", 4, "w", &a));
    assert_false(load_tensors("{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}",
                              "1234", 4, "w", &a));
    assert_false(load_tensors("{\"w\":3}", "1234", 4, "w", &a));
    assert_false(load_tensors("[1]", "1234", 4, "w", &a));
    assert_false(load_tensors("{\"w\":{}}", "1234", 4, "v", &a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),  cmocka_unit_test(test_orders),
        cmocka_unit_test(test_damage), cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_files),  cmocka_unit_test(test_safetensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
