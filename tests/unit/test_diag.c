/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics: switches, limits, repetition, and how they look. */
#include "interp/base/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    nkx_sources *sources;
    nkx_diags d;
} fixture;

static fixture *begin(const char *text)
{
    fixture *f = nkx_alloc(sizeof *f);
    f->sources = nkx_sources_new();
    (void)nkx_sources_add(f->sources, "k.nki", text, strlen(text));
    nkx_diags_init(&f->d, f->sources);
    return f;
}

static void end(fixture *f)
{
    nkx_diags_fini(&f->d);
    nkx_sources_free(f->sources);
    free(f);
}

static nkx_span span(uint32_t b, uint32_t e)
{
    return (nkx_span){1, b, e};
}

static void check_text(fixture *f, const nkx_diag *g, const char *want)
{
    nkx_buf b = {0};
    nkx_diag_render(&f->d, g, false, &b);
    assert_string_equal(b.at, want);
    nkx_buf_fini(&b);
}

static void rows_are_sound(void **state)
{
    (void)state;
    for (int i = 0; i < NKX_N_CODES; i++) {
        const nkx_code_row *row = &nkx_code_rows[i];
        assert_in_range(row->number, 100, 999);
        assert_true(row->title[0] != '\0' && row->title[strlen(row->title) - 1] != '.');
        assert_true(row->explain[strlen(row->explain) - 1] == '.');
        assert_true(row->source[0] != '\0');
        for (int j = 0; j < i; j++) {
            assert_int_not_equal(row->number, nkx_code_rows[j].number);
            assert_string_not_equal(row->name, nkx_code_rows[j].name);
        }
    }
}

static void codes_are_found_by_number_and_name(void **state)
{
    (void)state;
    assert_int_equal(nkx_code_find("E104"), NKX_E104);
    assert_int_equal(nkx_code_find("e104"), NKX_E104);
    assert_int_equal(nkx_code_find("104"), NKX_E104);
    assert_int_equal(nkx_code_find("unexpected_indent"), NKX_E104);
    assert_int_equal(nkx_code_find("E999999"), NKX_N_CODES);
    assert_int_equal(nkx_code_find(""), NKX_N_CODES);
}

static void severities_follow_the_switches(void **state)
{
    (void)state;
    fixture *f = begin("x");
    assert_true(nkx_diag_stops(nkx_diag_add(&f->d, NKX_E104, span(0, 1), "a")));
    assert_true(nkx_diag_stops(nkx_diag_add(&f->d, NKX_E119, span(0, 1), "a")));
    assert_false(nkx_diag_stops(nkx_diag_add(&f->d, NKX_E129, span(0, 1), "a")));
    assert_int_equal(f->d.n_errors, 2);
    assert_int_equal(f->d.n_warnings, 1);
    f->d.lenient = true;
    assert_false(nkx_diag_stops(nkx_diag_add(&f->d, NKX_E119, span(0, 0), "a")));
    f->d.strict = true;
    assert_true(nkx_diag_stops(nkx_diag_add(&f->d, NKX_E129, span(0, 0), "a")));
    f->d.allowed[NKX_E119] = f->d.allowed[NKX_E401] = f->d.allowed[NKX_E104] = 1;
    assert_null(nkx_diag_add(&f->d, NKX_E119, span(0, 1), "a"));
    assert_null(nkx_diag_add(&f->d, NKX_E401, span(0, 1), "a"));
    assert_true(nkx_diag_stops(nkx_diag_add(&f->d, NKX_E104, span(0, 1), "syntax stays")));
    assert_false(nkx_diag_stops(NULL));
    end(f);
}

static void a_warning_is_given_once_a_place(void **state)
{
    (void)state;
    fixture *f = begin("xy");
    assert_non_null(nkx_diag_add(&f->d, NKX_E129, span(0, 1), "a"));
    assert_null(nkx_diag_add(&f->d, NKX_E129, span(0, 1), "b"));
    assert_non_null(nkx_diag_add(&f->d, NKX_E129, span(1, 2), "a"));
    assert_int_equal(f->d.n, 2);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 10; i < 1010; i++) {
            assert_true((nkx_diag_add(&f->d, NKX_E129, span(i, i), "a") != NULL) == (round == 0));
        }
    }
    assert_int_equal(f->d.n_warnings, 1002);
    end(f);
}

static void no_more_errors_than_the_limit(void **state)
{
    (void)state;
    fixture *f = begin("xy");
    f->d.max_errors = 3;
    for (int i = 0; i < 10; i++) {
        assert_true(nkx_diag_stops(nkx_diag_add(&f->d, NKX_E104, span(0, 1), "a %d", i)));
    }
    assert_int_equal(f->d.n, 3);
    end(f);
}

static void add_note(void *user, nkx_diag *g)
{
    fixture *f = user;
    nkx_diag_note(&f->d, g, span(0, 1), "called here");
}

static void the_callback_adds_to_each(void **state)
{
    (void)state;
    fixture *f = begin("xy");
    f->d.on_add = add_note;
    f->d.user = f;
    nkx_diag *g = nkx_diag_add(&f->d, NKX_E104, span(1, 2), "bad");
    for (int i = 0; i < 20; i++) nkx_diag_note(&f->d, g, span(0, 1), "%d", i);
    assert_int_equal(g->n_notes, 21);
    assert_string_equal(g->notes[0].text, "called here");
    assert_string_equal(g->notes[20].text, "19");
    end(f);
}

static void the_text_form(void **state)
{
    (void)state;
    fixture *f = begin("a = 1\n\tb = \xC3\xA9 + long\n");
    nkx_diag *g = nkx_diag_add(&f->d, NKX_E104, span(16, 20), "found %d, the limit is %d", 3, 2);
    nkx_diag_note(&f->d, g, span(0, 1), "made here");
    nkx_diag_detail(&f->d, g, "one\ntwo");
    nkx_diag_hint(&f->d, g, "Do less.");
    check_text(f, g,
               "k.nki:2:10: error[E104]: found 3, the limit is 2\n"
               "    2 | \tb = \xC3\xA9 + long\n"
               "      | \t        ^^^^\n"
               "k.nki:1:1: note: made here\n"
               "    1 | a = 1\n"
               "      | ^\n"
               "  one\n"
               "  two\n"
               "  hint: Do less.\n");
    end(f);
}

static void odd_places(void **state)
{
    (void)state;
    fixture *f = begin("ab\ncd");
    check_text(f, nkx_diag_add(&f->d, NKX_E104, span(1, 5), "over the line end"),
               "k.nki:1:2: error[E104]: over the line end\n    1 | ab\n      |  ^\n");
    check_text(f, nkx_diag_add(&f->d, NKX_E104, span(5, 5), "at the end"),
               "k.nki:2:3: error[E104]: at the end\n    2 | cd\n      |   ^\n");
    check_text(f, nkx_diag_add(&f->d, NKX_E129, (nkx_span){0}, "nowhere"),
               "nkx: warning[E129]: nowhere\n");
    end(f);
}

static void wide_characters_move_the_underline(void **state)
{
    (void)state;
    fixture *f = begin("\xE4\xB8\xAD"
                       "x");
    check_text(f, nkx_diag_add(&f->d, NKX_E104, span(3, 4), "m"),
               "k.nki:1:2: error[E104]: m\n    1 | \xE4\xB8\xADx\n      |   ^\n");
    end(f);
}

static void the_json_form(void **state)
{
    (void)state;
    fixture *f = begin("ab\ncd");
    nkx_buf b = {0};
    nkx_diag *g = nkx_diag_add(&f->d, NKX_E104, span(3, 5), "m \"q\"");
    nkx_diag_hint(&f->d, g, "H.");
    nkx_diags_json(&f->d, &b);
    assert_string_equal(
        b.at, "[{\"code\":\"E104\",\"name\":\"unexpected_indent\",\"severity\":\"error\","
              "\"file\":\"k.nki\",\"line\":2,\"column\":1,\"end_line\":2,\"end_column\":3,"
              "\"message\":\"m \\\"q\\\"\",\"hint\":\"H.\",\"notes\":[]}]");
    nkx_buf_fini(&b);
    end(f);
}

static void did_you_mean(void **state)
{
    (void)state;
    static const char *const names[] = {"tensor_copy", "tensor_scalar", "memset", NULL, "dma_copy"};
    size_t n = NKX_COUNT(names);
    assert_string_equal(nkx_nearest("tensor_cpoy", names, n), "tensor_copy");
    assert_string_equal(nkx_nearest("Memset", names, n), "memset");
    assert_string_equal(nkx_nearest("dmacopy", names, n), "dma_copy");
    assert_null(nkx_nearest("iota", names, n));
    assert_null(nkx_nearest("", names, n));
    assert_null(nkx_nearest("x", names, n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sound),
        cmocka_unit_test(codes_are_found_by_number_and_name),
        cmocka_unit_test(severities_follow_the_switches),
        cmocka_unit_test(a_warning_is_given_once_a_place),
        cmocka_unit_test(no_more_errors_than_the_limit),
        cmocka_unit_test(the_callback_adds_to_each),
        cmocka_unit_test(the_text_form),
        cmocka_unit_test(odd_places),
        cmocka_unit_test(wide_characters_move_the_underline),
        cmocka_unit_test(the_json_form),
        cmocka_unit_test(did_you_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
