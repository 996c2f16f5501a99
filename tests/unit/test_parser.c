/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of statements and expressions, syntax errors with their places, completeness for the REPL.
 */
#include "grammar/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    nkx_sources *sources;
    nkx_names *names;
    nkx_diags diags;
    nkx_arena arena;
    nkx_module_ast *m;
} fixture;

static void begin(fixture *f, const char *text, size_t len)
{
    *f = (fixture){.sources = nkx_sources_new(), .names = nkx_names_new()};
    nkx_diags_init(&f->diags, f->sources);
    nkx_arena_init(&f->arena);
    const nkx_source *src = nkx_sources_add(f->sources, "t.nki", text, len);
    f->m = nkx_parse(src, &f->arena, f->names, &f->diags);
}

static void end(fixture *f)
{
    nkx_diags_fini(&f->diags);
    nkx_arena_fini(&f->arena);
    nkx_names_free(f->names);
    nkx_sources_free(f->sources);
}

/* The one statement of a text, as nkx_ast_dump writes it. */
static void check_tree(const char *text, const char *want)
{
    static const char before[] = "(Module\n  body:\n    ";
    fixture f;
    nkx_buf out = {0};
    begin(&f, text, strlen(text));
    if (f.m == NULL) fail_msg("'%s': %s", text, f.diags.list[0]->message);
    nkx_ast_dump(f.m, &out);
    assert_memory_equal(out.at, before, sizeof before - 1);
    out.at[out.len - 2] = '\0'; /* ")\n" */
    assert_string_equal(out.at + sizeof before - 1, want);
    nkx_buf_fini(&out);
    end(&f);
}

static void check_expression(const char *text, const char *want)
{
    nkx_buf wrapped = {0};
    nkx_buf_printf(&wrapped, "(Expr value: %s)", want);
    check_tree(text, wrapped.at);
    nkx_buf_fini(&wrapped);
}

#define NAME(x)  "(Name id: \"" x "\" ctx: Load)"
#define STORE(x) "(Name id: \"" x "\" ctx: Store)"
#define CONST(x) "(Constant value: " x ")"

static void operators_bind_as_in_python(void **state)
{
    (void)state;
    check_expression("a + b * c", "(BinOp left: " NAME("a") " op: \"+\" right: (BinOp left: " NAME(
                                      "b") " op: \"*\" right: " NAME("c") "))");
    check_expression("-a ** -b",
                     "(UnaryOp op: \"-\" operand: (BinOp left: " NAME(
                         "a") " op: \"**\" right: (UnaryOp op: \"-\" operand: " NAME("b") ")))");
    check_expression("a ** b ** c",
                     "(BinOp left: " NAME("a") " op: \"**\" right: (BinOp left: " NAME(
                         "b") " op: \"**\" right: " NAME("c") "))");
    check_expression("not a == b", "(UnaryOp op: \"not\" operand: (Compare left: " NAME(
                                       "a") " ops: [\"==\"] comparators: [" NAME("b") "]))");
    check_expression("a or b and c",
                     "(BoolOp op: \"or\" values: [" NAME("a") " (BoolOp op: \"and\" values: [" NAME(
                         "b") " " NAME("c") "])])");
    check_expression("a and b and c",
                     "(BoolOp op: \"and\" values: [" NAME("a") " " NAME("b") " " NAME("c") "])");
    check_expression("(a and b) and c",
                     "(BoolOp op: \"and\" values: [(BoolOp op: \"and\" values: [" NAME(
                         "a") " " NAME("b") "]) " NAME("c") "])");
}

static void comparisons_chain(void **state)
{
    (void)state;
    check_expression(
        "a < b not in c is not d",
        "(Compare left: " NAME("a") " ops: [\"<\" \"not in\" \"is not\"] comparators: [" NAME(
            "b") " " NAME("c") " " NAME("d") "])");
    check_expression("(a < b) < c",
                     "(Compare left: (Compare left: " NAME("a") " ops: [\"<\"] comparators: [" NAME(
                         "b") "]) ops: [\"<\"] comparators: [" NAME("c") "])");
}

static void numbers_have_values(void **state)
{
    (void)state;
    check_expression("0xff", CONST("255"));
    check_expression("1_000", CONST("1000"));
    check_expression("9223372036854775807", CONST("9223372036854775807"));
    check_expression("9223372036854775808", CONST("int(9223372036854775808)"));
    check_expression("0x1_0000_0000_0000_0000", CONST("int(18446744073709551616)"));
    check_expression("1e3", "(Constant value: 1000 float)");
    check_expression("1e999", "(Constant value: float(inf) float)");
    check_expression("2.5j", CONST("imag(2.5)"));
}

static void strings_have_values(void **state)
{
    (void)state;
    check_expression("'a' \"b\"", CONST("\"ab\""));
    check_expression("'\\n\\x41\\101\\u0042\\U00000043\\'\\\\'", CONST("\"\\nAABC'\\\\\""));
    check_expression("r'\\n'", CONST("\"\\\\n\""));
    check_expression("'\\N{EM DASH}\\N{greek small letter alpha}'",
                     CONST("\"\xE2\x80\x94\xCE\xB1\""));
    check_expression("b'a\\xff\\0'", CONST("bytes(61ff00)"));
    check_expression("'a\\\nb'", CONST("\"ab\""));
    check_expression("'''a\r\nb'''", CONST("\"a\\nb\""));
    check_expression("'\\ud800'", CONST("utf8(eda080)"));
    check_expression("u'x'", "(Constant value: \"x\" kind: \"u\")");
}

#define FIELD(v, c, s) "(FormattedValue value: " v " conversion: " c " format_spec: " s ")"

static void f_strings(void **state)
{
    (void)state;
    check_expression("f''", "(JoinedStr values: [])");
    check_expression("f'{{a}}'", "(JoinedStr values: [" CONST("\"{a}\"") "])");
    check_expression("f'{a}b' 'c'", "(JoinedStr values: [" FIELD(NAME("a"), "-1",
                                                                 "None") " " CONST("\"bc\"") "])");
    check_expression("f'{ a = }'", "(JoinedStr values: [" CONST("\" a = \"") " " FIELD(
                                       NAME("a"), "114", "None") "])");
    check_expression("f'{a=!s}'", "(JoinedStr values: [" CONST("\"a=\"") " " FIELD(NAME("a"), "115",
                                                                                   "None") "])");
    check_expression("f'{a!r:>{b}}'",
                     "(JoinedStr values: [" FIELD(NAME("a"), "114",
                                                  "(JoinedStr values: [" CONST("\">\"") " " FIELD(
                                                      NAME("b"), "-1", "None") "])") "])");
    check_expression("f'{a!=b}'",
                     "(JoinedStr values: [(FormattedValue value: (Compare left: " NAME(
                         "a") " ops: [\"!=\"] comparators: [" NAME("b") "]) conversion: -1 "
                                                                        "format_spec: None)])");
    check_expression("f'{a, b}'",
                     "(JoinedStr values: [(FormattedValue value: (Tuple elts: [" NAME("a") " " NAME(
                         "b") "] ctx: Load) conversion: -1 format_spec: None)])");
    check_expression("f'{(a:=1):2}'",
                     "(JoinedStr values: [(FormattedValue value: (NamedExpr target: " STORE(
                         "a") " value: " CONST("1") ") conversion: -1 format_spec: (JoinedStr "
                                                    "values: [" CONST("\"2\"") "]))])");
    check_expression("rf'\\{a}'", "(JoinedStr values: [" CONST("\"\\\\\"") " " FIELD(
                                      NAME("a"), "-1", "None") "])");
    check_expression("f'{\"}\"}'", "(JoinedStr values: [" FIELD(CONST("\"}\""), "-1", "None") "])");
}

static void soft_words_are_names(void **state)
{
    (void)state;
    check_tree("match = case", "(Assign targets: [" STORE("match") "] value: " NAME("case") ")");
    check_expression("match(x)",
                     "(Call func: " NAME("match") " args: [" NAME("x") "] keywords: [])");
    check_expression("print", NAME("print"));
    check_tree("match[0]: int",
               "(AnnAssign target: (Subscript value: " NAME("match") " slice: " CONST(
                   "0") " ctx: Store) annotation: " NAME("int") " value: None simple: 0)");
    check_tree("type = _", "(Assign targets: [" STORE("type") "] value: " NAME("_") ")");
}

static void with_brackets(void **state)
{
    (void)state;
    static const char item_a[] =
        "(withitem context_expr: " NAME("a") " optional_vars: " STORE("x") ")";
    nkx_buf want = {0};
    nkx_buf_printf(
        &want,
        "(With items: [%s (withitem context_expr: " NAME("b") " optional_vars: None)]\n"
                                                              "      body:\n        (Pass))",
        item_a);
    check_tree("with (a as x, b): pass", want.at);
    check_tree("with (a as x, b,): pass", want.at);
    check_tree("with a as x, b: pass", want.at);
    nkx_buf_fini(&want);
    check_tree(
        "with (a, b) as x: pass",
        "(With items: [(withitem context_expr: (Tuple elts: [" NAME("a") " " NAME(
            "b") "] ctx: Load) optional_vars: " STORE("x") ")]\n      body:\n        (Pass))");
}

/* Text of the source that a node's span covers. */
static void check_span(const char *text, const char *covered)
{
    fixture f;
    begin(&f, text, strlen(text));
    assert_non_null(f.m);
    nkx_span s = f.m->body.at[0]->span;
    assert_int_equal(s.end - s.begin, strlen(covered));
    assert_memory_equal(text + s.begin, covered, strlen(covered));
    end(&f);
}

static void spans_are_exact(void **state)
{
    (void)state;
    check_span("  \n(a) + (b) # c\n", "(a) + (b)");
    check_span("x = (yield)  ; y\n", "x = (yield)");
    check_span("if a:\n  b\n  c;\n\nd", "if a:\n  b\n  c;");
    check_span("@d\ndef f(): pass\n", "def f(): pass");
    check_span("from a import (b,\n c)\n", "from a import (b,\n c)");
    check_span("a = 1,", "a = 1,");
}

typedef struct wrong {
    const char *text;
    nkx_code code;
    uint32_t line, col;
    const char *message; /* its beginning, behind the class name */
} wrong;

static void check_wrong(const wrong *w)
{
    fixture f;
    uint32_t line, col;
    begin(&f, w->text, strlen(w->text));
    if (f.m != NULL || f.diags.n == 0) fail_msg("no error in '%s'", w->text);
    const nkx_diag *g = f.diags.list[0];
    nkx_source_locate(f.sources, 1, g->span.begin, &line, &col);
    if (g->code != w->code || strstr(g->message, w->message) == NULL) {
        fail_msg("'%s': E%u %s", w->text, nkx_code_rows[g->code].number, g->message);
    }
    if (line != w->line || col != w->col) fail_msg("'%s': at %u:%u", w->text, line, col);
    if (f.diags.n != 1) fail_msg("'%s': also %s", w->text, f.diags.list[1]->message);
    end(&f);
}

static void errors_are_placed_and_worded(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"x = \xFF\n",                                    NKX_E101, 1, 5,  "byte 0xff is not UTF-8"                                    },
        {"x = \xE2\x80\x9Cy\n",                           NKX_E102, 1, 5,  "invalid character '\xE2\x80\x9C' (U+201C)"                 },
        {"if 1:\n        x\n\ty\n",                       NKX_E103, 3, 1,  "TabError: inconsistent use of tabs"                        },
        {"x = 1\n  y = 2\nz\n",                           NKX_E104, 2, 3,  "IndentationError: unexpected indent"                       },
        {"if x:\ny = 1\n",                                NKX_E105, 2, 1,
         "IndentationError: expected an indented block after 'if' statement on line 1"                                                 },
        {"def f():\n",                                    NKX_E105, 2, 1,
         "expected an indented block after function definition on line 1"                                                              },
        {"if x:\n    y\n  z\n",                           NKX_E106, 3, 3,
         "unindent does not match any outer indentation level"                                                                         },
        {"x = f(a[1\ny = 2\n",                            NKX_E107, 1, 8,  "'[' was never closed"                                      },
        {"x = f(a\ndef g():\n    return 1\n",             NKX_E107, 1, 6,  "'(' was never closed"                                      },
        {"x = (1]\ny = 2\n",                              NKX_E108, 1, 7,
         "closing parenthesis ']' does not match opening parenthesis '('"                                                              },
        {"x = 1)\n",                                      NKX_E108, 1, 6,  "unmatched ')'"                                             },
        {"x = 'a\ny = 1\n",                               NKX_E109, 1, 5,  "unterminated string literal"                               },
        {"x = '''a\ny = 1\n",                             NKX_E109, 1, 5,  "unterminated triple-quoted string literal"                 },
        {"'\\x4'\n",                                      NKX_E110, 1, 2,  "truncated \\xXX escape"                                    },
        {"'a\\u123'\n",                                   NKX_E110, 1, 3,  "truncated \\uXXXX escape"                                  },
        {"'\\N{NO SUCH THING}'\n",                        NKX_E110, 1, 2,
         "unknown Unicode character name 'NO SUCH THING'"                                                                              },
        {"b'\xC3\xA9'\n",                                 NKX_E110, 1, 3,  "bytes can only contain ASCII"                              },
        {"x = 0123\n",                                    NKX_E111, 1, 5,  "leading zeros"                                             },
        {"x = 12ab\n",                                    NKX_E111, 1, 5,  "invalid decimal literal '12ab'"                            },
        {"x = 0b12\n",                                    NKX_E111, 1, 5,  "invalid digit in binary literal"                           },
        {"f'{}'\n",                                       NKX_E112, 1, 3,  "f-string: empty expression not allowed"                    },
        {"f'{a'\n",                                       NKX_E112, 1, 3,  "f-string: expecting '}'"                                   },
        {"f'a}'\n",                                       NKX_E112, 1, 4,  "f-string: single '}' is not allowed"                       },
        {"f'{a!x}'\n",                                    NKX_E112, 1, 5,  "f-string: invalid conversion character"                    },
        {"f'{a\\n}'\n",                                   NKX_E112, 1, 5,  "f-string: expression part cannot include a backslash"      },
        {"f'{a#}'\n",                                     NKX_E112, 1, 5,  "f-string: expression part cannot include '#'"              },
        {"f'{a)}'\n",                                     NKX_E112, 1, 5,  "f-string: unmatched ')'"                                   },
        {"f'{(a}'\n",                                     NKX_E112, 1, 6,  "f-string: closing parenthesis '}' does not match"          },
        {"f'{a:{b:{c}}}'\n",                              NKX_E112, 1, 9,  "f-string: expressions nested too deeply"                   },
        {"f'{a b}'\n",                                    NKX_E113, 1, 6,  "invalid syntax, found 'b'"                                 },
        {"x = = 3\n",                                     NKX_E113, 1, 5,  "invalid syntax, found '='"                                 },
        {"if x\n    y\n",                                 NKX_E113, 1, 5,  "expected ':'"                                              },
        {"x +\n",                                         NKX_E113, 1, 4,  "found the end of the line where an expression was expected"},
        {"try:\n    x\ny = 1\n",                          NKX_E113, 3, 1,  "expected an 'except' or 'finally' block"                   },
        {"f() = 1\n",                                     NKX_E115, 1, 1,  "cannot assign to function call"                            },
        {"a + 1 = 2\n",                                   NKX_E115, 1, 1,  "cannot assign to expression"                               },
        {"None = 1\n",                                    NKX_E115, 1, 1,  "cannot assign to None"                                     },
        {"for f() in x: pass\n",                          NKX_E115, 1, 5,  "cannot assign to function call"                            },
        {"del f()\n",                                     NKX_E115, 1, 5,  "cannot delete function call"                               },
        {"(a, b) += 1\n",                                 NKX_E115, 1, 1,
         "'tuple' is an illegal expression for augmented assignment"                                                                   },
        {"a, b: int\n",                                   NKX_E115, 1, 1,  "only single target (not tuple) can be annotated"           },
        {"f(a=1, 2)\n",                                   NKX_E116, 1, 8,  "positional argument follows keyword argument"              },
        {"f(**a, *b)\n",                                  NKX_E116, 1, 8,  "iterable argument unpacking follows"                       },
        {"f(a=1, a=2)\n",                                 NKX_E116, 1, 8,  "keyword argument repeated: a"                              },
        {"f(x for x in y, 1)\n",                          NKX_E116, 1, 3,  "generator expression must be parenthesized"                },
        {"def f(a=1, b): pass\n",                         NKX_E117, 1, 12, "non-default argument follows default argument"             },
        {"def f(*): pass\n",                              NKX_E117, 1, 7,  "named arguments must follow bare *"                        },
        {"def f(*a, *b): pass\n",                         NKX_E117, 1, 12, "* argument may appear only once"                           },
        {"def f(/): pass\n",                              NKX_E117, 1, 7,  "at least one argument must precede /"                      },
        {"def f(**a, b): pass\n",                         NKX_E117, 1, 12, "arguments cannot follow var-keyword argument"              },
        {"async def f(): pass\n",                         NKX_E118, 1, 1,  "'async def' is not supported"                              },
        {"def f():\n    async with a: pass\n",            NKX_E118, 2, 5,  "'async with' is not supported"                             },
        {"x = [a async for a in b]\n",                    NKX_E118, 1, 8,  "'async comprehension' is not supported"                    },
        {"x = await y\n",                                 NKX_E118, 1, 5,  "'await' is not supported"                                  },
        {"match x:\n    case [1, *_] if y:\n        z\n", NKX_E119, 1, 1,  "the 'match' statement"                                     },
        {"x = 1 \\ 2\n",                                  NKX_E120, 1, 7,  "unexpected character after line continuation"              },
        {"*a\n",                                          NKX_E124, 1, 1,  "can't use starred expression here"                         },
        {"*a = b\n",                                      NKX_E124, 1, 1,  "can't use starred expression here"                         },
        {"*a, *b = c\n",                                  NKX_E124, 1, 5,  "multiple starred expressions in assignment"                },
        {"try: pass\nexcept: pass\nexcept A: pass\n",     NKX_E125, 2, 1,
         "default 'except:' must be last"                                                                                              },
        {"try: pass\nexcept A: pass\nexcept* B: pass\n",  NKX_E125, 3, 1,  "cannot have both"                                          },
        {"'a' b'b'\n",                                    NKX_E128, 1, 1,  "cannot mix bytes and nonbytes"                             },
    };
    for (size_t i = 0; i < NKX_COUNT(cases); i++) check_wrong(&cases[i]);
}

static void hints_name_the_usual_slips(void **state)
{
    (void)state;
    static const struct {
        const char *text, *hint;
    } cases[] = {
        {"print 'x'\n",                   "print(...)"},
        {"if x = 1: pass\n",              "'=='"      },
        {"f(a b)\n",                      "comma"     },
        {"if x: pass\nelse if y: pass\n", "elif"      },
        {"type X = int\n",                "3.12"      },
    };
    for (size_t i = 0; i < NKX_COUNT(cases); i++) {
        fixture f;
        begin(&f, cases[i].text, strlen(cases[i].text));
        assert_null(f.m);
        const char *hint = f.diags.list[0]->hint;
        if (hint == NULL || strstr(hint, cases[i].hint) == NULL) fail_msg("'%s'", cases[i].text);
        end(&f);
    }
}

static void several_errors_in_one_run(void **state)
{
    (void)state;
    fixture f;
    const char *text = "x = = 1\ndef f(:\n    y = )\n    return 1\nfor in z:\n    w\nv = 1 2\n";
    begin(&f, text, strlen(text));
    assert_null(f.m);
    assert_in_range(f.diags.n_errors, 4, 5);
    for (size_t i = 1; i < f.diags.n; i++) {
        assert_true(f.diags.list[i - 1]->span.begin <= f.diags.list[i]->span.begin);
    }
    end(&f);
}

static void at_most_twenty_errors(void **state)
{
    (void)state;
    fixture f;
    nkx_buf text = {0};
    for (int i = 0; i < 100; i++) nkx_buf_str(&text, "x = = 1\n");
    begin(&f, text.at, text.len);
    assert_int_equal(f.diags.n_errors, 20);
    nkx_buf_fini(&text);
    end(&f);
}

static void repeated(nkx_buf *text, const char *s, int n)
{
    for (int i = 0; i < n; i++) nkx_buf_str(text, s);
}

static void check_too_deep(const char *before, const char *unit, int n, const char *after)
{
    fixture f;
    nkx_buf text = {0};
    nkx_buf_str(&text, before);
    repeated(&text, unit, n);
    nkx_buf_str(&text, after);
    begin(&f, text.at, text.len);
    if (f.m != NULL) fail_msg("%d times '%s'", n, unit);
    assert_int_equal(f.diags.list[0]->code, NKX_E114);
    nkx_buf_fini(&text);
    end(&f);
}

static void deep_nesting_is_an_error_not_a_crash(void **state)
{
    (void)state;
    check_too_deep("x = ", "(", 100000, "");
    check_too_deep("x = ", "-", 100000, "1");
    check_too_deep("x = ", "not ", 100000, "1");
    check_too_deep("x = ", "lambda: ", 100000, "1");
    check_too_deep("x = 1", " + 1", 100000, "");
    check_too_deep("x = 1", " ** 1", 100000, "");
    check_too_deep("x = a", ".a", 100000, "");
    check_too_deep("x = a", "()", 100000, "");
    check_too_deep("x = a", "[1]", 100000, "");
    check_too_deep("x = ", "1 if 1 else ", 100000, "1");
    check_too_deep("if 1: pass\n", "elif 1: pass\n", 100000, "");
    nkx_buf text = {0};
    for (int i = 0; i < 150; i++) {
        repeated(&text, " ", i);
        nkx_buf_str(&text, "if 1:\n");
    }
    check_too_deep(text.at, " ", 150, "pass\n");
    nkx_buf_fini(&text);
}

static void wide_is_not_deep(void **state)
{
    (void)state;
    fixture f;
    nkx_buf text = {0};
    nkx_buf_str(&text, "x = [");
    repeated(&text, "1, ", 50000);
    nkx_buf_str(&text, "]\ny = 1");
    repeated(&text, " and 1", 50000);
    nkx_buf_str(&text, "\nz = 1");
    repeated(&text, " < 1", 50000);
    nkx_buf_str(&text, "\nw = ''");
    repeated(&text, " ''", 50000);
    begin(&f, text.at, text.len);
    assert_non_null(f.m);
    assert_int_equal(f.m->body.n, 4);
    nkx_buf_fini(&text);
    end(&f);
}

static void nul_is_an_error(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "x = 1\0\n", 7);
    assert_null(f.m);
    assert_int_equal(f.diags.list[0]->code, NKX_E101);
    assert_int_equal(f.diags.list[0]->span.begin, 5);
    end(&f);
}

static void a_refusal_can_be_let_through(void **state)
{
    (void)state;
    fixture f = {.sources = nkx_sources_new(), .names = nkx_names_new()};
    const char *text = "async def f(): pass\nmatch x:\n  case 1:\n    y\nz = 1\n";
    nkx_diags_init(&f.diags, f.sources);
    nkx_arena_init(&f.arena);
    f.diags.lenient = true;
    f.m =
        nkx_parse(nkx_sources_add(f.sources, "t", text, strlen(text)), &f.arena, f.names, &f.diags);
    assert_non_null(f.m);
    assert_int_equal(f.m->body.n, 3);
    assert_int_equal(f.m->body.at[0]->kind, NKX_UNSUPPORTED_STMT);
    assert_int_equal(f.m->body.at[1]->kind, NKX_UNSUPPORTED_STMT);
    assert_int_equal(f.diags.n_warnings, 2);
    end(&f);
}

static void an_unknown_escape_is_a_warning(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "x = '\\d\\q'\n", 11);
    assert_non_null(f.m);
    assert_int_equal(f.diags.n_warnings, 1);
    assert_int_equal(f.diags.list[0]->code, NKX_E129);
    end(&f);
}

static void docstrings(void **state)
{
    (void)state;
    fixture f;
    const char *text = "'m'\ndef f():\n    'd'\ndef g():\n    b'x'\n";
    begin(&f, text, strlen(text));
    assert_string_equal(f.m->docstring, "m");
    assert_string_equal(((const nkx_function_def *)(const void *)f.m->body.at[1])->docstring, "d");
    assert_null(((const nkx_function_def *)(const void *)f.m->body.at[2])->docstring);
    end(&f);
}

static void completeness(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        nkx_completeness want;
    } cases[] = {
        {"",                                  NKX_COMPLETE  },
        {"x = 1",                             NKX_COMPLETE  },
        {"x = 1\n",                           NKX_COMPLETE  },
        {"# c\n",                             NKX_COMPLETE  },
        {"x = (1,",                           NKX_INCOMPLETE},
        {"x = (1,\n2",                        NKX_INCOMPLETE},
        {"x = '''a\n",                        NKX_INCOMPLETE},
        {"x = 1 + \\\n",                      NKX_INCOMPLETE},
        {"if x:",                             NKX_INCOMPLETE},
        {"if x:\n",                           NKX_INCOMPLETE},
        {"if x:\n    y",                      NKX_INCOMPLETE},
        {"if x:\n    y\n",                    NKX_INCOMPLETE},
        {"if x:\n    y\n\n",                  NKX_COMPLETE  },
        {"if x: y\n",                         NKX_INCOMPLETE},
        {"if x: y\n\n",                       NKX_COMPLETE  },
        {"try:\n    x\n",                     NKX_INCOMPLETE},
        {"try:\n    x\nexcept A:\n    y\n\n", NKX_COMPLETE  },
        {"@d\n",                              NKX_INCOMPLETE},
        {"@d\ndef f():\n    return 1\n\n",    NKX_COMPLETE  },
        {"x = = 1",                           NKX_INVALID   },
        {"x = 'a\n",                          NKX_INVALID   },
        {"x = (1]",                           NKX_INVALID   },
        {"x +",                               NKX_INVALID   },
        {")",                                 NKX_INVALID   },
    };
    for (size_t i = 0; i < NKX_COUNT(cases); i++) {
        nkx_completeness got = nkx_parse_completeness(cases[i].text, strlen(cases[i].text));
        if (got != cases[i].want) fail_msg("'%s' is %d", cases[i].text, (int)got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_in_python),
        cmocka_unit_test(comparisons_chain),
        cmocka_unit_test(numbers_have_values),
        cmocka_unit_test(strings_have_values),
        cmocka_unit_test(f_strings),
        cmocka_unit_test(soft_words_are_names),
        cmocka_unit_test(with_brackets),
        cmocka_unit_test(spans_are_exact),
        cmocka_unit_test(errors_are_placed_and_worded),
        cmocka_unit_test(hints_name_the_usual_slips),
        cmocka_unit_test(several_errors_in_one_run),
        cmocka_unit_test(at_most_twenty_errors),
        cmocka_unit_test(deep_nesting_is_an_error_not_a_crash),
        cmocka_unit_test(wide_is_not_deep),
        cmocka_unit_test(nul_is_an_error),
        cmocka_unit_test(a_refusal_can_be_let_through),
        cmocka_unit_test(an_unknown_escape_is_a_warning),
        cmocka_unit_test(docstrings),
        cmocka_unit_test(completeness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
