/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens: kinds and extents, lines and blocks, faults. */
#include "grammar/lexer.h"
#include "grammar/parser.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Lexes a text and compares the kinds; the list ends in 0. */
static void check_kinds(const char *text, const uint16_t *want)
{
    nkx_lexer lx;
    nkx_lexer_init(&lx, text, (uint32_t)strlen(text));
    for (size_t i = 0;; i++) {
        nkx_token t = nkx_lexer_next(&lx);
        if (t.kind != want[i])
            fail_msg("token %zu of '%s' is %u, not %u", i, text, t.kind, want[i]);
        if (t.kind == 0) break;
    }
    assert_int_equal(nkx_lexer_next(&lx).kind, 0); /* for ever */
}

#define CHECK(text, ...) check_kinds(text, (const uint16_t[]){__VA_ARGS__, 0})

static void check_fault(const char *text, nkx_fault what, uint32_t begin, uint32_t end)
{
    nkx_lexer lx;
    nkx_token t;
    nkx_lexer_init(&lx, text, (uint32_t)strlen(text));
    do {
        t = nkx_lexer_next(&lx);
    } while (t.kind != NKX_TOK_FAULT && t.kind != 0);
    if (t.kind == 0) fail_msg("no fault in '%s'", text);
    assert_int_equal(t.aux, what);
    assert_int_equal(t.begin, begin);
    assert_int_equal(t.end, end);
}

static void names_and_keywords(void **state)
{
    (void)state;
    CHECK("if iffy _x x1 match print", NKX_T_IF, NKX_T_NAME, NKX_T_NAME, NKX_T_NAME, NKX_T_NAME,
          NKX_T_NAME, NKX_T_NEWLINE);
    CHECK("\xC3\xA9t\xC3\xA9", NKX_T_NAME, NKX_T_NEWLINE);
}

static void numbers(void **state)
{
    (void)state;
    static const char *const good[] = {
        "0",           "00", "0_0",  "1_000", "0xFf",  "0x_f", "0o17",
        "0b10",        "1.", "1.5",  ".5",    "1e6",   "1e-6", "1.5E+3",
        "1_0.0_1e1_0", "1j", "1.5J", "1e5j",  "007.5", "09e1", "010j",
    };
    for (size_t i = 0; i < NKX_COUNT(good); i++) CHECK(good[i], NKX_T_NUMBER, NKX_T_NEWLINE);
    CHECK("1if 2else 3", NKX_T_NUMBER, NKX_T_IF, NKX_T_NUMBER, NKX_T_ELSE, NKX_T_NUMBER,
          NKX_T_NEWLINE);
    CHECK("1..real", NKX_T_NUMBER, NKX_T_DOT, NKX_T_NAME, NKX_T_NEWLINE);
    CHECK("0xfor x", NKX_T_NUMBER, NKX_T_OR, NKX_T_NAME, NKX_T_NEWLINE);
    check_fault("1x", NKX_FAULT_NUMBER, 0, 2);
    check_fault("1__0", NKX_FAULT_NUMBER, 0, 4);
    check_fault("1_", NKX_FAULT_NUMBER, 0, 2);
    check_fault("0x", NKX_FAULT_NUMBER, 0, 2);
    check_fault("1.5x", NKX_FAULT_NUMBER, 0, 4);
    check_fault("017", NKX_FAULT_LEADING_ZEROS, 0, 3);
    check_fault("0b12", NKX_FAULT_DIGIT, 0, 4);
    check_fault("0o18", NKX_FAULT_DIGIT, 0, 4);
}

static void strings(void **state)
{
    (void)state;
    static const char *const good[] = {
        "'a'",      "\"a\"",      "''",    "'''a\n'b''c'''", "\"\"\"\"a\"\"\"", "'\\''",
        "'a\\\nb'", "'a\\\r\nb'", "rb'x'", "Rb'x'",          "bR'x'",           "f'{x}'",
        "fr'{x}'",  "rF'{x}'",    "u'x'",  "B'x'",           "r'\\'x'",
    };
    for (size_t i = 0; i < NKX_COUNT(good); i++) CHECK(good[i], NKX_T_STRING, NKX_T_NEWLINE);
    CHECK("ur'x'", NKX_T_NAME, NKX_T_STRING, NKX_T_NEWLINE);
    CHECK("'' 'a'", NKX_T_STRING, NKX_T_STRING, NKX_T_NEWLINE);
    check_fault("'abc\n'", NKX_FAULT_STRING, 0, 4);
    check_fault("x = \"abc", NKX_FAULT_STRING, 4, 8);
    check_fault("'abc\\", NKX_FAULT_STRING, 0, 4);
    check_fault("'''abc", NKX_FAULT_LONG_STRING, 0, 3);
    check_fault("f'''abc\\", NKX_FAULT_LONG_STRING, 0, 3);
}

static void operators_take_the_longest(void **state)
{
    (void)state;
    CHECK("a**=b//=c>>=d<<e->...", NKX_T_NAME, NKX_T_POWEQ, NKX_T_NAME, NKX_T_DSLASHEQ, NKX_T_NAME,
          NKX_T_RSHIFTEQ, NKX_T_NAME, NKX_T_LSHIFT, NKX_T_NAME, NKX_T_ARROW, NKX_T_ELLIPSIS,
          NKX_T_NEWLINE);
    CHECK("a!=b:=c==d", NKX_T_NAME, NKX_T_NE, NKX_T_NAME, NKX_T_WALRUS, NKX_T_NAME, NKX_T_EQEQ,
          NKX_T_NAME, NKX_T_NEWLINE);
    CHECK("....x", NKX_T_ELLIPSIS, NKX_T_DOT, NKX_T_NAME, NKX_T_NEWLINE);
}

static void blocks(void **state)
{
    (void)state;
    CHECK("if x:\n  y\n   # comment\n\n  if z:\n\n        w\nv", NKX_T_IF, NKX_T_NAME, NKX_T_COLON,
          NKX_T_NEWLINE, NKX_T_INDENT, NKX_T_NAME, NKX_T_NEWLINE, NKX_T_IF, NKX_T_NAME, NKX_T_COLON,
          NKX_T_NEWLINE, NKX_T_INDENT, NKX_T_NAME, NKX_T_NEWLINE, NKX_T_DEDENT, NKX_T_DEDENT,
          NKX_T_NAME, NKX_T_NEWLINE);
    CHECK("a:\n  b", NKX_T_NAME, NKX_T_COLON, NKX_T_NEWLINE, NKX_T_INDENT, NKX_T_NAME,
          NKX_T_NEWLINE, NKX_T_DEDENT);
    CHECK("a:\n\tb\n\tc", NKX_T_NAME, NKX_T_COLON, NKX_T_NEWLINE, NKX_T_INDENT, NKX_T_NAME,
          NKX_T_NEWLINE, NKX_T_NAME, NKX_T_NEWLINE, NKX_T_DEDENT);
    CHECK("\fa\n  \fb", NKX_T_NAME, NKX_T_NEWLINE, NKX_T_NAME,
          NKX_T_NEWLINE); /* form feed: column 0 */
    check_fault("a:\n        b\n\tc\n", NKX_FAULT_TABS, 13, 14);
    check_fault("a:\n    b\n  c\n", NKX_FAULT_UNINDENT, 11, 11);
}

static void lines(void **state)
{
    (void)state;
    CHECK("", 0);
    CHECK("\n\n# only\n", 0);
    CHECK("\xEF\xBB\xBFx", NKX_T_NAME, NKX_T_NEWLINE);
    CHECK("a\r\nb\rc", NKX_T_NAME, NKX_T_NEWLINE, NKX_T_NAME, NKX_T_NEWLINE, NKX_T_NAME,
          NKX_T_NEWLINE);
    CHECK("f(a,\n  b)\nc", NKX_T_NAME, NKX_T_LPAR, NKX_T_NAME, NKX_T_COMMA, NKX_T_NAME, NKX_T_RPAR,
          NKX_T_NEWLINE, NKX_T_NAME, NKX_T_NEWLINE);
    CHECK("a + \\\n  b", NKX_T_NAME, NKX_T_PLUS, NKX_T_NAME, NKX_T_NEWLINE);
    CHECK("if a:\n  \\\n      b\n  c", NKX_T_IF, NKX_T_NAME, NKX_T_COLON, NKX_T_NEWLINE,
          NKX_T_INDENT, NKX_T_NAME, NKX_T_NEWLINE, NKX_T_NAME, NKX_T_NEWLINE, NKX_T_DEDENT);
    check_fault("a \\ b", NKX_FAULT_CONTINUATION, 2, 3);
    check_fault("a \\\n", NKX_FAULT_CONTINUATION_END, 2, 3);
}

static void brackets(void **state)
{
    (void)state;
    check_fault("a)", NKX_FAULT_UNMATCHED, 1, 2);
    check_fault("(a]", NKX_FAULT_MISMATCHED, 2, 3);
    char deep[NKX_MAX_BRACKETS + 2];
    memset(deep, '[', sizeof deep);
    deep[NKX_MAX_BRACKETS + 1] = '\0';
    check_fault(deep, NKX_FAULT_TOO_MANY_BRACKETS, NKX_MAX_BRACKETS, NKX_MAX_BRACKETS + 1);
}

static void characters(void **state)
{
    (void)state;
    check_fault("a $ b", NKX_FAULT_CHARACTER, 2, 3);
    check_fault("a ? b", NKX_FAULT_CHARACTER, 2, 3);
    check_fault("a ! b", NKX_FAULT_CHARACTER, 2, 3);
    check_fault("a \xE2\x80\x9C", NKX_FAULT_CHARACTER, 2, 5);
}

static void fields_have_no_lines(void **state)
{
    (void)state;
    nkx_lexer lx;
    const char *text = " a\n + b";
    nkx_lexer_init_field(&lx, text, (uint32_t)strlen(text), 100);
    nkx_token t = nkx_lexer_next(&lx);
    assert_int_equal(t.kind, NKX_T_NAME);
    assert_int_equal(t.begin, 101);
    assert_int_equal(nkx_lexer_next(&lx).kind, NKX_T_PLUS);
    t = nkx_lexer_next(&lx);
    assert_int_equal(t.kind, NKX_T_NAME);
    assert_int_equal(t.end, 107);
    assert_int_equal(nkx_lexer_next(&lx).kind, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_keywords),
        cmocka_unit_test(numbers),
        cmocka_unit_test(strings),
        cmocka_unit_test(operators_take_the_longest),
        cmocka_unit_test(blocks),
        cmocka_unit_test(lines),
        cmocka_unit_test(brackets),
        cmocka_unit_test(characters),
        cmocka_unit_test(fields_have_no_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
