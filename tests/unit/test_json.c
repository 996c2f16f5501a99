/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer: commas, escapes, numbers. */
#include "interp/base/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void commas_and_nesting(void **state)
{
    (void)state;
    nkx_buf b = {0};
    nkx_json j = {.out = &b};
    nkx_json_begin(&j, '{');
    nkx_json_key(&j, "a");
    nkx_json_begin(&j, '[');
    nkx_json_int(&j, 1);
    nkx_json_int(&j, INT64_MIN);
    nkx_json_begin(&j, '{');
    nkx_json_end(&j, '}');
    nkx_json_end(&j, ']');
    nkx_json_key(&j, "b");
    nkx_json_bool(&j, true);
    nkx_json_key(&j, "c");
    nkx_json_null(&j);
    nkx_json_end(&j, '}');
    assert_string_equal(b.at, "{\"a\":[1,-9223372036854775808,{}],\"b\":true,\"c\":null}");
    nkx_buf_fini(&b);
}

static void check_string(const char *s, size_t len, const char *want)
{
    nkx_buf b = {0};
    nkx_json j = {.out = &b};
    nkx_json_strn(&j, s, len);
    assert_string_equal(b.at, want);
    nkx_buf_fini(&b);
}

static void escapes(void **state)
{
    (void)state;
    check_string("a\"b\\c", 5, "\"a\\\"b\\\\c\"");
    check_string("\n\t\r\x01\0", 5, "\"\\n\\t\\r\\u0001\\u0000\"");
    check_string("\xE2\x82\xAC", 3, "\"\xE2\x82\xAC\"");
    check_string("\xFFx", 2, "\"\\ufffdx\"");                     /* no UTF-8 */
    check_string("\xED\xA0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\""); /* a surrogate */
    check_string("\xE2\x82", 2, "\"\\ufffd\\ufffd\"");            /* cut off */
    check_string("\xC0\x80", 2, "\"\\ufffd\\ufffd\"");            /* overlong */
}

static void check_number(double v, const char *want)
{
    nkx_buf b = {0};
    nkx_json j = {.out = &b};
    nkx_json_num(&j, v);
    if (want != NULL) assert_string_equal(b.at, want);
    if (isfinite(v)) assert_true(strtod(b.at, NULL) == v);
    nkx_buf_fini(&b);
}

static void numbers_read_back(void **state)
{
    (void)state;
    check_number(0.1, "0.1");
    check_number(1, "1");
    check_number(NAN, "null");
    check_number(INFINITY, "null");
    check_number(1.0 / 3, NULL);
    check_number(5e-324, NULL);
    check_number(1.7976931348623157e308, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_and_nesting),
        cmocka_unit_test(escapes),
        cmocka_unit_test(numbers_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
