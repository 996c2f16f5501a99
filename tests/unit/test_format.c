/* SPDX-License-Identifier: Apache-2.0 */
/* Digits of floats: shortest forms that read back, Python's repr, scalars of every type. */
#include "interp/host/digits.h"

#include "interp/host/cast.h"
#include "interp/num/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_repr(void **state)
{
    (void)state;
    static const struct {
        double v;
        const char *text;
    } rows[] = {
        {0.0,                    "0.0"                    },
        {-0.0,                   "-0.0"                   },
        {1.0,                    "1.0"                    },
        {0.1,                    "0.1"                    },
        {1e16,                   "1e+16"                  },
        {1e15,                   "1000000000000000.0"     },
        {123456789.123,          "123456789.123"          },
        {1e-5,                   "1e-05"                  },
        {0.0001,                 "0.0001"                 },
        {5e-324,                 "5e-324"                 },
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {1.0 / 3,                "0.3333333333333333"     },
        {2.0 / 3,                "0.6666666666666666"     },
        {0.1 + 0.2,              "0.30000000000000004"    },
        {1e22,                   "1e+22"                  },
        {1e100,                  "1e+100"                 },
        {-2.5e-7,                "-2.5e-07"               },
        {9007199254740993.0,     "9007199254740992.0"     },
    };
    for (size_t i = 0; i < NKX_COUNT(rows); i++) {
        nkx_buf b = {0};
        nkx_repr_float(rows[i].v, &b);
        assert_string_equal(b.at, rows[i].text);
        nkx_buf_fini(&b);
    }
    nkx_buf b = {0};
    nkx_repr_float(-HUGE_VAL, &b);
    nkx_repr_float(NAN, &b);
    assert_string_equal(b.at, "-infnan");
    nkx_buf_fini(&b);
}

/* Random bit patterns read back, and one digit less does not. */
static void test_shortest(void **state)
{
    (void)state;
    nkx_mt r;
    nkx_mt_seed(&r, 5);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = (uint64_t)nkx_mt_next(&r) << 32 | nkx_mt_next(&r);
        double v;
        nkx_digits d;
        char text[1024];
        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v) || v == 0) continue;
        nkx_digits_shortest(v, NKX_DT_FP64, &d);
        snprintf(text, sizeof text, "%s0.%se%d", d.negative ? "-" : "", d.digits, d.point);
        assert_true(strtod(text, NULL) == v);
        if (d.n > 1) {
            snprintf(text, sizeof text, "%.*e", d.n - 2, v);
            assert_true(strtod(text, NULL) != v);
        }
        float f;
        uint32_t half = (uint32_t)bits;
        memcpy(&f, &half, sizeof f);
        if (!isfinite(f) || f == 0) continue;
        nkx_digits_shortest((double)f, NKX_DT_FP32, &d);
        snprintf(text, sizeof text, "%s0.%se%d", d.negative ? "-" : "", d.digits, d.point);
        assert_true(strtof(text, NULL) == f);
        assert_true(d.n <= 9);
    }
}

static void test_counts(void **state)
{
    (void)state;
    nkx_digits d;
    nkx_digits_fixed(1234.5678, 2, &d);
    assert_string_equal(d.digits, "123457");
    assert_int_equal(d.point, 4);
    nkx_digits_fixed(0.00123, 4, &d);
    assert_string_equal(d.digits, "12");
    assert_int_equal(d.point, -2);
    nkx_digits_fixed(0.00001, 2, &d);
    assert_string_equal(d.digits, "0");
    nkx_digits_significant(1234.5678, 3, &d);
    assert_string_equal(d.digits, "123");
    assert_int_equal(d.point, 4);
    nkx_digits_significant(-0.5, 1, &d);
    assert_true(d.negative);
}

static void test_scalars(void **state)
{
    (void)state;
    static const struct {
        nkx_dtype t;
        double v;
        const char *text;
    } rows[] = {
        {NKX_DT_FP32,       0.1,   "0.1"          },
        {NKX_DT_FP16,       0.1,   "0.1"          },
        {NKX_DT_FP16,       65504, "65500.0"      },
        {NKX_DT_FP32,       1e10,  "10000000000.0"},
        {NKX_DT_FP32,       1e-45, "1e-45"        },
        {NKX_DT_BF16,       0.1,   "0.100098"     },
        {NKX_DT_BF16,       3,     "3"            },
        {NKX_DT_INT8,       -5,    "-5"           },
        {NKX_DT_BOOL,       1,     "True"         },
        {NKX_DT_UINT64,     7,     "7"            },
        {NKX_DT_FP8_E4M3FN, 448,   "448"          },
    };
    for (size_t i = 0; i < NKX_COUNT(rows); i++) {
        uint64_t cell = 0;
        nkx_buf b = {0};
        nkx_nd_put_f64(rows[i].t, &cell, rows[i].v);
        nkx_repr_scalar(rows[i].t, &cell, &b);
        assert_string_equal(b.at, rows[i].text);
        nkx_buf_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repr),
        cmocka_unit_test(test_shortest),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_scalars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
