/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversions: every code of the small types, every exponent of fp32 at its rounding points
 * against ml_dtypes, integers at their limits, NaN, strides, packed types.
 */
#include "interp/num/dtype.h"

#include "interp/num/rows.h"
#include "interp/num/simd.h"

#include "tests/support/ref.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/vectors/narrow.inc"
#include "tests/vectors/widen.inc"

static float float_of(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static uint32_t load_bits(nkx_dtype t, const void *src)
{
    float f;
    nkx_dtypes[t].load_f32(&f, src, 1, nkx_dtypes[t].bytes);
    return bits_of(f);
}

static uint32_t store_code(nkx_dtype t, float f)
{
    uint32_t code = 0;
    nkx_dtypes[t].store_f32(&code, nkx_dtypes[t].bytes, &f, 1);
    return code;
}

static bool is_nan_code(nkx_dtype t, uint32_t code)
{
    return isnan(float_of(load_bits(t, &code)));
}

/* ---- narrowing against ml_dtypes ---- */

typedef struct narrow_case {
    const char *name;
    nkx_dtype type; /* the packed type for the 4-bit float */
    int digits;
    const char *const *rows; /* 512: sign and exponent */
} narrow_case;

static const narrow_case narrow_cases[] = {
    {"float16",        NKX_DT_FP16,          4, narrow_float16       },
    {"bfloat16",       NKX_DT_BF16,          4, narrow_bfloat16      },
    {"float8_e4m3",    NKX_DT_FP8_E4M3,      2, narrow_float8_e4m3   },
    {"float8_e4m3fn",  NKX_DT_FP8_E4M3FN,    2, narrow_float8_e4m3fn },
    {"float8_e5m2",    NKX_DT_FP8_E5M2,      2, narrow_float8_e5m2   },
    {"float8_e8m0fnu", NKX_DT_FP8_E8M0,      2, narrow_float8_e8m0fnu},
    {"float4_e2m1fn",  NKX_DT_FP4_E2M1FN_X4, 2, narrow_float4_e2m1fn },
};

static uint32_t expected_code(const narrow_case *c, int high, size_t column)
{
    char digits[5] = {0};
    memcpy(digits, c->rows[high] + column * (size_t)c->digits, (size_t)c->digits);
    return (uint32_t)strtoul(digits, NULL, 16);
}

static uint32_t narrow_code(nkx_dtype t, float x)
{
    uint32_t code = 0;
    if (t != NKX_DT_FP4_E2M1FN_X4) return store_code(t, x);
    nkx_store_packed(t, &code, 0, x);
    return code;
}

static void check_narrow(const narrow_case *c, uint32_t u, uint32_t want)
{
    uint32_t got = narrow_code(c->type, float_of(u));
    bool nan_input = isnan(float_of(u));
    bool same = got == want;
    if (nan_input && c->type == NKX_DT_FP4_E2M1FN_X4) return; /* no NaN in the type; tested below */
    if (nan_input && c->digits == 4) {
        same = is_nan_code(c->type, got) && (got >> 15) == (u >> 31); /* payload: tested below */
    }
    if (!same) fail_msg("%s: %08x gives %x, not %x", c->name, u, got, want);
}

static void test_narrow_vectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < NKX_COUNT(narrow_cases); i++) {
        for (int high = 0; high < 512; high++) {
            int exponent = high % 256;
            bool dense = exponent >= NARROW_DENSE_BEGIN && exponent < NARROW_DENSE_END;
            const uint32_t *column = dense ? narrow_many : narrow_few;
            size_t n = dense ? NKX_COUNT(narrow_many) : NKX_COUNT(narrow_few);
            for (size_t j = 0; j < n; j++) {
                uint32_t u = (uint32_t)high << 23 | column[j];
                check_narrow(&narrow_cases[i], u, expected_code(&narrow_cases[i], high, j));
            }
        }
    }
}

/* The definition in float64 at many more points, tf32 among them. */
static void test_narrow_definition(void **state)
{
    static const nkx_dtype types[] = {
        NKX_DT_FP16,       NKX_DT_BF16,     NKX_DT_TF32,     NKX_DT_FP32,   NKX_DT_FP8_E4M3,
        NKX_DT_FP8_E4M3FN, NKX_DT_FP8_E5M2, NKX_DT_FP8_E8M0, NKX_DT_INT8,   NKX_DT_INT16,
        NKX_DT_UINT8,      NKX_DT_UINT16,   NKX_DT_INT32,    NKX_DT_UINT32, NKX_DT_BOOL};
    ref_random r = {7};
    (void)state;
    for (int i = 0; i < 60000; i++) {
        float x = ref_any_float(&r);
        if (i % 4 == 0) x = (float)(nearbyint(ref_uniform(&r, -700, 700)) / 2);
        for (size_t j = 0; j < NKX_COUNT(types); j++) {
            nkx_dtype t = types[j];
            uint32_t code = store_code(t, x);
            double got = nkx_load_f64(t, &code), want = ref_round(t, x);
            bool same = got == want && (nkx_dtype_is_int(t) || signbit(got) == signbit(want));
            if (t == NKX_DT_INT32 || t == NKX_DT_UINT32) same = fabs(got - want) <= 0;
            if (!same && !(isnan(got) && isnan(want))) {
                fail_msg("%s: %a gives %a, not %a", nkx_dtypes[t].name, x, got, want);
            }
        }
    }
}

static void test_nan(void **state)
{
    (void)state;
    assert_int_equal(store_code(NKX_DT_FP16, float_of(0x7f802000)), 0x7e01); /* made quiet */
    assert_int_equal(store_code(NKX_DT_FP16, float_of(0xffffffff)), 0xffff);
    assert_int_equal(store_code(NKX_DT_FP16, float_of(0x7f800001)), 0x7e00); /* stays a NaN */
    assert_int_equal(store_code(NKX_DT_BF16, float_of(0x7fa10000)), 0x7fe1);
    assert_int_equal(store_code(NKX_DT_BF16, float_of(0xff800001)), 0xffc0);
    assert_int_equal(store_code(NKX_DT_TF32, float_of(0x7f802001)), 0x7fc02000);
    assert_int_equal(store_code(NKX_DT_FP8_E4M3, NAN), 0x7c);
    assert_int_equal(store_code(NKX_DT_FP8_E4M3, -NAN), 0xfc);
    assert_int_equal(store_code(NKX_DT_FP8_E4M3FN, float_of(0x7f800001)), 0x7f);
    assert_int_equal(store_code(NKX_DT_FP8_E5M2, float_of(0xff800001)), 0xfe);
    assert_int_equal(store_code(NKX_DT_FP8_E8M0, -NAN), 0xff);
    assert_int_equal(narrow_code(NKX_DT_FP4_E2M1FN_X4, NAN), 0);
    uint16_t half = 0x7d01; /* a signalling NaN */
    assert_int_equal(load_bits(NKX_DT_FP16, &half), 0x7fe02000 | (0x7d01 & 0x3ff) << 13);
    for (int t = 0; t < NKX_N_DTYPES; t++) {
        if (nkx_dtype_is_int((nkx_dtype)t) && nkx_dtypes[t].store_f32 != NULL && t != NKX_DT_BOOL) {
            assert_int_equal(store_code((nkx_dtype)t, NAN), 0);
        }
    }
    assert_int_equal(store_code(NKX_DT_BOOL, NAN), 1);
}

/* ---- widening ---- */

static void test_widen_8bit(void **state)
{
    static const struct {
        nkx_dtype type;
        const uint32_t *want;
    } cases[] = {
        {NKX_DT_FP8_E4M3,   widen_float8_e4m3   },
        {NKX_DT_FP8_E4M3FN, widen_float8_e4m3fn },
        {NKX_DT_FP8_E5M2,   widen_float8_e5m2   },
        {NKX_DT_FP8_E8M0,   widen_float8_e8m0fnu}
    };
    (void)state;
    for (size_t i = 0; i < NKX_COUNT(cases); i++) {
        for (uint32_t code = 0; code < 256; code++) {
            uint32_t got = load_bits(cases[i].type, &code), want = cases[i].want[code];
            bool nan = isnan(float_of(got)) && isnan(float_of(want));
            if (got != want && !(nan && got >> 31 == want >> 31)) {
                fail_msg("%s: code %x gives %08x, not %08x", nkx_dtypes[cases[i].type].name, code,
                         got, want);
            }
        }
    }
    for (uint32_t code = 0; code < 16; code++) {
        uint32_t want = widen_float4_e2m1fn[code];
        assert_int_equal(bits_of(nkx_load_packed(NKX_DT_FP4_E2M1FN_X4, &code, 0)), want);
    }
}

static uint64_t widen_hash(nkx_dtype t)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t code = 0; code < 65536; code++) {
        uint32_t u = load_bits(t, &code);
        if (isnan(float_of(u))) u = 0x7fc00000u | (u & 0x80000000u);
        for (int byte = 0; byte < 4; byte++) {
            hash = (hash ^ (u >> 8 * byte & 0xff)) * UINT64_C(0x100000001b3);
        }
    }
    return hash;
}

static void test_widen_16bit(void **state)
{
    (void)state;
    assert_true(widen_hash(NKX_DT_FP16) == widen_hash_float16);
    assert_true(widen_hash(NKX_DT_BF16) == widen_hash_bfloat16);
}

/* Every code of every small type comes back from fp32 as itself. */
static void test_round_trip(void **state)
{
    (void)state;
    for (int t = 0; t < NKX_N_DTYPES; t++) {
        const nkx_dtype_row *row = &nkx_dtypes[t];
        if (row->load_f32 == NULL || row->bytes > 2) continue;
        for (uint32_t code = 0; code < 1u << (8 * row->bytes); code++) {
            float x = float_of(load_bits((nkx_dtype)t, &code));
            if (isnan(x)) continue;
            uint32_t back = store_code((nkx_dtype)t, x);
            uint32_t want = t == NKX_DT_BOOL         ? code != 0
                            : t == NKX_DT_FP4_E2M1FN ? code & 15
                                                     : code;
            if (back != want) fail_msg("%s: code %x comes back as %x", row->name, code, back);
        }
    }
}

/* ---- integers ---- */

static void test_integer_limits(void **state)
{
    (void)state;
    assert_int_equal(store_code(NKX_DT_INT8, 127.5f), 127);
    assert_int_equal(store_code(NKX_DT_INT8, -1e30f), 0x80);
    assert_int_equal(store_code(NKX_DT_UINT8, -0.5f), 0);
    assert_int_equal(store_code(NKX_DT_UINT8, 2.5f), 2);
    assert_int_equal(store_code(NKX_DT_UINT8, 3.5f), 4);
    assert_int_equal(store_code(NKX_DT_UINT16, INFINITY), 65535);
    assert_int_equal(store_code(NKX_DT_INT32, 2147483520.0f), 2147483520);
    assert_int_equal(store_code(NKX_DT_INT32, 2147483648.0f), INT32_MAX);
    assert_int_equal(store_code(NKX_DT_INT32, -INFINITY), 0x80000000u);
    assert_int_equal(store_code(NKX_DT_INT32, 8388609.0f), 8388609);
    assert_int_equal(store_code(NKX_DT_UINT32, 4294967040.0f), 4294967040u);
    assert_int_equal(store_code(NKX_DT_UINT32, 4294967296.0f), UINT32_MAX);
    assert_int_equal(store_code(NKX_DT_UINT32, 2147483648.0f), 2147483648u);
    assert_int_equal(store_code(NKX_DT_UINT32, -3.0f), 0);
}

static void test_integer_lanes(void **state)
{
    const int32_t lanes[] = {0, 1, -1, 127, 128, 255, 256, 65535, 65536, INT32_MAX, INT32_MIN};
    (void)state;
    for (int t = 0; t < NKX_N_DTYPES; t++) {
        const nkx_dtype_row *row = &nkx_dtypes[t];
        if (row->store_i32 == NULL) continue;
        for (size_t i = 0; i < NKX_COUNT(lanes); i++) {
            uint8_t cell[4];
            int32_t back;
            row->store_i32(cell, row->bytes, &lanes[i], 1);
            row->load_i32(&back, cell, 1, row->bytes);
            int spare = 32 - 8 * row->bytes;
            uint32_t low = (uint32_t)lanes[i] << spare;
            int32_t want =
                row->cls == NKX_CLASS_INT ? (int32_t)low >> spare : (int32_t)(low >> spare);
            if (t == NKX_DT_BOOL) want = lanes[i] != 0;
            assert_int_equal(back, want);
        }
    }
}

/* ---- strides ---- */

static void test_strides(void **state)
{
    enum { N = 1100 };
    static float x[N], y[N], z[N];
    static uint8_t packed[N * 4], spread[N * 12 + 8];
    ref_random r = {3};
    (void)state;
    for (int i = 0; i < N; i++) {
        x[i] = (float)ref_uniform(&r, -300, 300);
    }
    for (int t = 0; t < NKX_N_DTYPES; t++) {
        const nkx_dtype_row *row = &nkx_dtypes[t];
        if (row->load_f32 == NULL) continue;
        row->store_f32(packed, row->bytes, x, N);
        row->load_f32(y, packed, N, row->bytes);
        for (int64_t step = row->bytes + 1; step < 12; step++) {
            row->store_f32(spread + 1, step, x, N);
            row->load_f32(z, spread + 1, N, step);
            assert_memory_equal(y, z, sizeof y);
            row->load_f32(z, spread + 1 + (N - 1) * step, N, -step); /* backwards */
            assert_int_equal(bits_of(z[0]), bits_of(y[N - 1]));
            assert_int_equal(bits_of(z[N - 1]), bits_of(y[0]));
        }
        row->load_f32(z, packed + 5 * row->bytes, N, 0);
        assert_int_equal(bits_of(z[N - 1]), bits_of(y[5]));
    }
}

/* A value converts alike wherever it stands in a row. */
static void test_place_in_row(void **state)
{
    enum { N = 67 };
    float x[N];
    uint8_t whole[N * 4], cell[4];
    ref_random r = {11};
    (void)state;
    for (int i = 0; i < N; i++) {
        x[i] = ref_any_float(&r);
    }
    for (int t = 0; t < NKX_N_DTYPES; t++) {
        const nkx_dtype_row *row = &nkx_dtypes[t];
        if (row->store_f32 == NULL) continue;
        row->store_f32(whole, row->bytes, x, N);
        for (int i = 0; i < N; i++) {
            row->store_f32(cell, row->bytes, &x[i], 1);
            assert_memory_equal(cell, whole + i * row->bytes, row->bytes);
        }
    }
}

/* ---- rows between types, float64, packed ---- */

static void test_convert_row(void **state)
{
    const uint16_t signalling[] = {0x7f81, 0x3f80, 0xff81};
    uint16_t copy[3] = {0};
    (void)state;
    nkx_convert_row(NKX_DT_BF16, copy, 2, NKX_DT_BF16, signalling, 2, 3);
    assert_memory_equal(copy, signalling, sizeof copy); /* bits, not values */
    const float x[] = {1.5f, -2.5f, 1e9f};
    int8_t small[6] = {9, 9, 9, 9, 9, 9};
    nkx_convert_row(NKX_DT_INT8, small, 2, NKX_DT_FP32, x, 4, 3);
    const int8_t want[] = {2, 9, -2, 9, 127, 9};
    assert_memory_equal(small, want, sizeof want);
    const double wide[] = {0.1, 3e9, -7};
    float narrow[3];
    nkx_convert_row(NKX_DT_FP32, narrow, 4, NKX_DT_FP64, wide, 8, 3);
    assert_true(narrow[0] == 0.1f && narrow[1] == 3e9f && narrow[2] == -7.0f);
    int64_t big[3];
    nkx_convert_row(NKX_DT_INT64, big, 8, NKX_DT_FP64, wide, 8, 3);
    assert_true(big[0] == 0 && big[1] == 3000000000 && big[2] == -7);
}

static void test_whole_arrays(void **state)
{
    enum { N = 1030 };
    static double a[N], b[N];
    static uint8_t cells[N * 8];
    ref_random r = {5};
    (void)state;
    for (int i = 0; i < N; i++) {
        a[i] =
            nearbyint(ref_uniform(&r, 0, 7)); /* in every type of 8 bits and more but the scale's */
    }
    for (int t = 0; t < NKX_N_DTYPES; t++) {
        if (nkx_dtypes[t].cls == NKX_CLASS_PACKED || t == NKX_DT_FP8_E8M0 || t == NKX_DT_FP4_E2M1FN)
            continue;
        nkx_from_f64((nkx_dtype)t, cells, a, N);
        nkx_to_f64(b, (nkx_dtype)t, cells, N);
        for (int i = 0; i < N; i++) {
            assert_true(b[i] == (t == NKX_DT_BOOL ? (double)(a[i] != 0) : a[i]));
        }
    }
    const int32_t exact = 16777217;
    double v = 0;
    nkx_to_f64(&v, NKX_DT_INT32, &exact, 1);
    assert_true(v == 16777217.0);
}

static void test_packed(void **state)
{
    const float x[] = {1, -448, 1000, NAN, 0.25f, -INFINITY, 6, 3e-3f};
    float y[8];
    uint8_t cells[8];
    (void)state;
    nkx_store_packed_row(NKX_DT_FP8_E4M3FN_X4, cells, x, 2);
    nkx_load_packed_row(NKX_DT_FP8_E4M3FN_X4, y, cells, 2);
    assert_true(y[0] == 1 && y[1] == -448 && y[2] == 448 && isnan(y[3]) && y[5] == -448);
    assert_true(nkx_load_packed(NKX_DT_FP8_E4M3FN_X4, cells + 4, 2) == 6);
    nkx_store_packed_row(NKX_DT_FP8_E5M2_X4, cells, x, 2);
    assert_true(nkx_load_packed(NKX_DT_FP8_E5M2_X4, cells + 4, 1) == -57344);
    nkx_store_packed_row(NKX_DT_FP4_E2M1FN_X4, cells, x, 2);
    nkx_load_packed_row(NKX_DT_FP4_E2M1FN_X4, y, cells, 2);
    assert_true(y[0] == 1 && y[1] == -6 && y[2] == 6 && y[3] == 0 && y[4] == 0 && y[6] == 6);
    nkx_store_packed(NKX_DT_FP4_E2M1FN_X4, cells, 3, -1.5f);
    assert_int_equal(cells[1], 0xb7);
    float one = 449;
    nkx_store_sat_f8(NKX_DT_FP8_E4M3, cells, &one, 1);
    assert_int_equal(cells[0], 0x77); /* 240 */
}

/* ---- one kernel for each machine ---- */

typedef struct twin {
    const char *name;
    nkx_dense_fn plain, wide;
    int dst_bytes, src_bytes;
} twin;

/* All codes of a narrow source; of fp32 every 16 upper bits with some lower ones. */
static void compare_twin(const twin *t)
{
    enum { N = 67 };
    uint8_t source[N * 4], a[N * 4], b[N * 4];
    ref_random r = {13};
    for (uint32_t high = 0; high < 65536; high++) {
        for (uint32_t i = 0; i < N; i++) {
            uint32_t u = t->src_bytes == 4 ? high << 16 | (i < 8 ? i * 0x2492 : ref_next(&r) >> 16)
                                           : high * N + i;
            memcpy(source + i * (uint32_t)t->src_bytes, &u, (size_t)t->src_bytes);
        }
        int64_t n = 1 + high % N;
        t->plain(a, source, n);
        t->wide(b, source, n);
        if (memcmp(a, b, (size_t)(n * t->dst_bytes)) != 0) fail_msg("%s differs", t->name);
    }
}

static void test_machines_agree(void **state)
{
    (void)state;
#if defined(__x86_64__)
#define TWIN(name, dst, src) {#name, nkx_plain_##name, nkx_avx2_##name, dst, src},
    static const twin twins[] = {NKX_MACHINE_LIST(TWIN)};
#undef TWIN
    for (size_t i = 0; i < NKX_COUNT(twins) && nkx_has_avx2(); i++) {
        compare_twin(&twins[i]);
    }
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_narrow_vectors),
        cmocka_unit_test(test_narrow_definition),
        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_widen_8bit),
        cmocka_unit_test(test_widen_16bit),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_integer_limits),
        cmocka_unit_test(test_integer_lanes),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_place_in_row),
        cmocka_unit_test(test_convert_row),
        cmocka_unit_test(test_whole_arrays),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_machines_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
