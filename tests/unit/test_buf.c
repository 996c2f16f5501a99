/* SPDX-License-Identifier: Apache-2.0 */
/* Growable byte strings, and whole files. */
#include "interp/base/buf.h"
#include "interp/base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void adding(void **state)
{
    (void)state;
    nkx_buf b = {0};
    nkx_buf_str(&b, "abc");
    nkx_buf_char(&b, 'd');
    nkx_buf_add(&b, "\0e", 2);
    assert_int_equal(b.len, 6);
    assert_memory_equal(b.at, "abcd\0e", 7);
    nkx_buf_clear(&b);
    assert_int_equal(b.len, 0);
    assert_string_equal(b.at, "");
    nkx_buf_fini(&b);
    assert_null(b.at);
}

static void printing_longer_than_the_room(void **state)
{
    (void)state;
    nkx_buf b = {0};
    for (int i = 0; i < 200; i++) nkx_buf_printf(&b, "%s%d,", "item", i);
    assert_int_equal(strlen(b.at), b.len);
    assert_memory_equal(b.at, "item0,item1,", 12);
    nkx_buf_clear(&b);
    nkx_buf_printf(&b, "%5000d", 7);
    assert_int_equal(b.len, 5000);
    nkx_buf_fini(&b);
}

static void code_points(void **state)
{
    (void)state;
    nkx_buf b = {0};
    nkx_buf_utf8(&b, 'x');
    nkx_buf_utf8(&b, 0xE9);
    nkx_buf_utf8(&b, 0x20AC);
    nkx_buf_utf8(&b, 0x1F40D);
    assert_string_equal(b.at, "x\xC3\xA9\xE2\x82\xAC\xF0\x9F\x90\x8D");
    nkx_buf_fini(&b);
}

static void taking_the_text(void **state)
{
    (void)state;
    nkx_buf b = {0};
    char *s = nkx_buf_take(&b);
    assert_string_equal(s, "");
    free(s);
    nkx_buf_str(&b, "text");
    s = nkx_buf_take(&b);
    assert_string_equal(s, "text");
    assert_null(b.at);
    free(s);
}

static void files_come_back_as_written(void **state)
{
    (void)state;
    char dir[] = "/tmp/nkx_test_XXXXXX";
    assert_non_null(mkdtemp(dir));
    char *path = nkx_path_join(dir, "a.bin");
    const char *why = NULL;
    nkx_buf in = {0};
    assert_true(nkx_file_write(path, "one\0two", 7, &why));
    assert_true(nkx_file_write(path, "three", 5, &why)); /* replaces */
    assert_true(nkx_file_read(path, 0, &in, &why));
    assert_int_equal(in.len, 5);
    assert_string_equal(in.at, "three");
    assert_false(nkx_file_read(path, 4, &in, &why)); /* over the limit */
    assert_non_null(why);
    assert_true(nkx_file_exists(path));
    assert_false(nkx_dir_exists(path));
    assert_true(nkx_dir_exists(dir));
    assert_false(nkx_file_exists(dir));
    why = NULL;
    assert_false(nkx_file_read(dir, 0, &in, &why));
    assert_non_null(why);
    why = NULL;
    assert_false(nkx_file_write("/nonexistent/x", "", 0, &why));
    assert_non_null(why);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0); /* no temporary is left behind */
    free(path);
    nkx_buf_fini(&in);
}

static void check_paths(const char *dir, const char *rel, const char *joined)
{
    char *s = nkx_path_join(dir, rel);
    assert_string_equal(s, joined);
    free(s);
}

static void check_dir(const char *path, const char *dir)
{
    char *s = nkx_path_dir(path);
    assert_string_equal(s, dir);
    free(s);
}

static void paths(void **state)
{
    (void)state;
    check_paths("a", "b", "a/b");
    check_paths("a/", "b", "a/b");
    check_paths("a", "/b", "/b");
    check_dir("a/b/c", "a/b");
    check_dir("c", ".");
    check_dir("/c", "/");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adding),
        cmocka_unit_test(printing_longer_than_the_room),
        cmocka_unit_test(code_points),
        cmocka_unit_test(taking_the_text),
        cmocka_unit_test(files_come_back_as_written),
        cmocka_unit_test(paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
