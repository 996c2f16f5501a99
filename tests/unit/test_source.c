/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and columns of offsets: line ends of all kinds, characters of several bytes, byte order
 * mark. */
#include "interp/base/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    nkx_sources *s;
    uint32_t id;
} fixture;

static fixture begin(const char *text)
{
    nkx_sources *s = nkx_sources_new();
    return (fixture){s, nkx_sources_add(s, "f.nki", text, strlen(text))->id};
}

static void check_place(fixture f, uint32_t offset, uint32_t line, uint32_t col)
{
    uint32_t l, c;
    nkx_source_locate(f.s, f.id, offset, &l, &c);
    assert_int_equal(l, line);
    assert_int_equal(c, col);
}

static void check_line(fixture f, uint32_t line, const char *text)
{
    size_t len;
    const char *s = nkx_source_line(f.s, f.id, line, &len);
    assert_int_equal(len, strlen(text));
    assert_memory_equal(s, text, len);
}

static void line_ends(void **state)
{
    (void)state;
    fixture f = begin("a\nbc\r\nd\re");
    check_place(f, 0, 1, 1);
    check_place(f, 1, 1, 2); /* the line end itself */
    check_place(f, 2, 2, 1);
    check_place(f, 4, 2, 3);
    check_place(f, 6, 3, 1);
    check_place(f, 8, 4, 1);
    check_place(f, 9, 4, 2); /* the end of the text */
    check_place(f, 99, 4, 2);
    check_line(f, 1, "a");
    check_line(f, 2, "bc");
    check_line(f, 3, "d");
    check_line(f, 4, "e");
    check_line(f, 5, "");
    check_line(f, 0, "");
    nkx_sources_free(f.s);
}

static void columns_count_characters(void **state)
{
    (void)state;
    fixture f = begin("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x90\x8Dx");
    check_place(f, 2, 1, 2);
    check_place(f, 5, 1, 3);
    check_place(f, 9, 1, 4);
    nkx_sources_free(f.s);
}

static void byte_order_mark_takes_no_column(void **state)
{
    (void)state;
    fixture f = begin("\xEF\xBB\xBFxy\nz");
    check_place(f, 3, 1, 1);
    check_place(f, 4, 1, 2);
    check_place(f, 6, 2, 1);
    check_line(f, 1, "xy");
    nkx_sources_free(f.s);
}

static void unknown_sources(void **state)
{
    (void)state;
    fixture f = begin("");
    assert_null(nkx_sources_get(f.s, 0));
    assert_null(nkx_sources_get(f.s, 2));
    assert_string_equal(nkx_sources_get(f.s, 1)->path, "f.nki");
    check_place(f, 0, 1, 1);
    check_line(f, 1, "");
    f.id = 7;
    check_place(f, 3, 1, 1);
    check_line(f, 1, "");
    nkx_sources_free(f.s);
    nkx_sources_free(NULL);
}

static void joining_spans(void **state)
{
    (void)state;
    nkx_span s = nkx_span_join((nkx_span){1, 10, 12}, (nkx_span){1, 3, 11});
    assert_int_equal(s.begin, 3);
    assert_int_equal(s.end, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_ends),
        cmocka_unit_test(columns_count_characters),
        cmocka_unit_test(byte_order_mark_takes_no_column),
        cmocka_unit_test(unknown_sources),
        cmocka_unit_test(joining_spans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
