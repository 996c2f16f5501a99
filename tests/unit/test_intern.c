/* SPDX-License-Identifier: Apache-2.0 */
/* Interned names: equal text, equal address; dense ids; growth. */
#include "interp/base/intern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void equal_text_is_one_name(void **state)
{
    (void)state;
    nkx_names *t = nkx_names_new();
    const nkx_name *a = nkx_names_get(t, "alpha", 5), *b = nkx_names_get(t, "beta", 4);
    assert_ptr_equal(a, nkx_names_get(t, "alphabet", 5));
    assert_ptr_not_equal(a, b);
    assert_string_equal(a->text, "alpha");
    assert_int_equal(a->len, 5);
    assert_int_equal(a->id, 0);
    assert_int_equal(b->id, 1);
    assert_int_equal(nkx_names_count(t), 2);
    nkx_names_free(t);
}

static void finding_adds_nothing(void **state)
{
    (void)state;
    nkx_names *t = nkx_names_new();
    assert_null(nkx_names_find(t, "x", 1));
    assert_int_equal(nkx_names_count(t), 0);
    const nkx_name *x = nkx_names_get(t, "x", 1);
    assert_ptr_equal(nkx_names_find(t, "x", 1), x);
    assert_null(nkx_names_find(t, "", 0));
    assert_non_null(nkx_names_get(t, "", 0));
    assert_non_null(nkx_names_find(t, "", 0));
    nkx_names_free(t);
    nkx_names_free(NULL);
}

static void names_stay_where_they_are(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    static const nkx_name *known[MANY];
    nkx_names *t = nkx_names_new();
    char text[32];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++) {
            int n = snprintf(text, sizeof text, "name_%d", i);
            const nkx_name *name = nkx_names_get(t, text, (size_t)n);
            if (round == 0) {
                known[i] = name;
            } else {
                assert_ptr_equal(name, known[i]);
            }
            assert_int_equal(name->id, i);
            assert_string_equal(name->text, text);
        }
    }
    nkx_names_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_text_is_one_name),
        cmocka_unit_test(finding_adds_nothing),
        cmocka_unit_test(names_stay_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
