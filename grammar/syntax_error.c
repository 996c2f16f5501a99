/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Syntax errors in our own words: what stands there, what could stand there, and for the usual
 * slips what was probably meant. Layer syntax.
 */
#include "grammar/build.h"
#include "grammar/parser.h" /* generated: the kinds */

#include <stdarg.h>
#include <string.h>

nkx_diag *nkx_syntax_error(nkx_parser *p, nkx_code code, const char *cls, nkx_span span,
                           const char *fmt, ...)
{
    if (p->stop) return NULL;
    nkx_buf text = {0};
    va_list ap;
    va_start(ap, fmt);
    nkx_buf_vprintf(&text, fmt, ap);
    va_end(ap);
    nkx_diag *g = nkx_diag_add(p->diags, code, span, "%s: %s", cls, text.at);
    nkx_buf_fini(&text);
    if (!nkx_diag_stops(g)) return g;
    if (++p->n_errors >= NKX_MAX_SYNTAX_ERRORS) p->stop = true;
    return g;
}

void nkx_syntax_hint(nkx_parser *p, nkx_diag *g, const char *fmt, ...)
{
    if (g == NULL) return;
    nkx_buf text = {0};
    va_list ap;
    va_start(ap, fmt);
    nkx_buf_vprintf(&text, fmt, ap);
    va_end(ap);
    nkx_diag_hint(p->diags, g, "%s", text.at);
    nkx_buf_fini(&text);
}

/* ---- names of tokens ---- */

static const struct {
    uint16_t kind;
    const char *name;
} token_names[] = {
    {0,              "the end of the text" },
    {NKX_T_NAME,     "a name"              },
    {NKX_T_NUMBER,   "a number"            },
    {NKX_T_STRING,   "a string"            },
    {NKX_T_NEWLINE,  "the end of the line" },
    {NKX_T_INDENT,   "an indented block"   },
    {NKX_T_DEDENT,   "the end of the block"},
    {NKX_T_MATCH,    "a match statement"   },
    {NKX_T_LPAR,     "'('"                 },
    {NKX_T_WLPAR,    "'('"                 },
    {NKX_T_RPAR,     "')'"                 },
    {NKX_T_LBRACKET, "'['"                 },
    {NKX_T_RBRACKET, "']'"                 },
    {NKX_T_LBRACE,   "'{'"                 },
    {NKX_T_RBRACE,   "'}'"                 },
    {NKX_T_COMMA,    "','"                 },
    {NKX_T_COLON,    "':'"                 },
    {NKX_T_WALRUS,   "':='"                },
    {NKX_T_SEMI,     "';'"                 },
    {NKX_T_DOT,      "'.'"                 },
    {NKX_T_ELLIPSIS, "'...'"               },
    {NKX_T_ARROW,    "'->'"                },
    {NKX_T_EQ,       "'='"                 },
    {NKX_T_STAR,     "'*'"                 },
    {NKX_T_POW,      "'**'"                },
    {NKX_T_SLASH,    "'/'"                 },
    {NKX_T_AT,       "'@'"                 },
    {NKX_T_AS,       "'as'"                },
    {NKX_T_ASYNC,    "'async'"             },
    {NKX_T_DEF,      "'def'"               },
    {NKX_T_CLASS,    "'class'"             },
    {NKX_T_WITH,     "'with'"              },
    {NKX_T_ELIF,     "'elif'"              },
    {NKX_T_ELSE,     "'else'"              },
    {NKX_T_EXCEPT,   "'except'"            },
    {NKX_T_FINALLY,  "'finally'"           },
    {NKX_T_FOR,      "'for'"               },
    {NKX_T_FROM,     "'from'"              },
    {NKX_T_IF,       "'if'"                },
    {NKX_T_IMPORT,   "'import'"            },
    {NKX_T_IN,       "'in'"                },
};

const char *nkx_token_kind_name(unsigned kind)
{
    for (size_t i = 0; i < NKX_COUNT(token_names); i++) {
        if (token_names[i].kind == kind) return token_names[i].name;
    }
    return NULL;
}

/* How the token found is called: its text, or what it stands for. */
static void describe(const nkx_parser *p, nkx_tok t, nkx_buf *out)
{
    enum { LONGEST = 30 };
    uint32_t n = t->end - t->begin;
    if (t->kind == NKX_T_STRING) {
        nkx_buf_str(out, "a string");
    } else if (t->kind == 0 && p->is_field) {
        nkx_buf_str(out, "the end of the field");
    } else if (n == 0 || t->kind == NKX_T_NEWLINE || t->kind == NKX_T_MATCH) {
        const char *name = nkx_token_kind_name(t->kind);
        nkx_buf_str(out, name != NULL ? name : "this");
    } else if (n > LONGEST) {
        nkx_buf_str(out, t->kind == NKX_T_NUMBER ? "a number" : "a name");
    } else {
        nkx_buf_printf(out, "'%.*s'", (int)n, p->src->text + t->begin);
    }
}

/* ---- what could stand there ---- */

/* Kinds that come in one breath when an expression could begin, or go on. */
static bool begins_expression(const uint8_t *accepts)
{
    return accepts[NKX_T_NAME] && accepts[NKX_T_NUMBER] && accepts[NKX_T_LPAR] &&
           accepts[NKX_T_MINUS];
}

static bool continues_expression(const uint8_t *accepts)
{
    return accepts[NKX_T_PLUS] && accepts[NKX_T_PERCENT];
}

static void expect_word(nkx_buf *out, const char *word, int *n)
{
    nkx_buf_printf(out, "%s%s", *n > 0 ? " or " : "", word);
    ++*n;
}

/* "a name, ',' or ')'"; leaves out empty when there is too much that could stand there. */
static void expected(const uint8_t *accepts, size_t n_kinds, nkx_buf *out)
{
    enum { MOST = 4 };
    int n = 0;
    bool expression = begins_expression(accepts), operators = continues_expression(accepts);
    if (expression) expect_word(out, "an expression", &n);
    for (size_t i = 0; i < NKX_COUNT(token_names); i++) {
        unsigned k = token_names[i].kind;
        if (k >= n_kinds || !accepts[k]) continue;
        bool starts = k == NKX_T_NAME || k == NKX_T_NUMBER || k == NKX_T_STRING ||
                      k == NKX_T_LPAR || k == NKX_T_LBRACKET || k == NKX_T_LBRACE ||
                      k == NKX_T_ELLIPSIS;
        bool goes_on = k == NKX_T_DOT || k == NKX_T_LPAR || k == NKX_T_LBRACKET ||
                       k == NKX_T_STAR || k == NKX_T_POW || k == NKX_T_SLASH || k == NKX_T_AT ||
                       k == NKX_T_IF || k == NKX_T_IN || k == NKX_T_STRING || k == NKX_T_SEMI ||
                       k == NKX_T_EQ || k == NKX_T_WALRUS;
        if ((expression && (starts || k == NKX_T_STAR || k == NKX_T_POW)) ||
            (operators && goes_on)) {
            continue;
        }
        expect_word(out, token_names[i].name, &n);
    }
    if (n > MOST) nkx_buf_clear(out);
}

/* ---- usual slips ---- */

static bool is_header(unsigned kind)
{
    return kind == NKX_T_IF || kind == NKX_T_ELIF || kind == NKX_T_ELSE || kind == NKX_T_FOR ||
           kind == NKX_T_WHILE || kind == NKX_T_WITH || kind == NKX_T_TRY || kind == NKX_T_EXCEPT ||
           kind == NKX_T_FINALLY || kind == NKX_T_DEF || kind == NKX_T_CLASS;
}

/* The first token of the line that holds t. All tokens of a text stand in one array. */
static nkx_tok line_head(nkx_tok t, nkx_tok first)
{
    while (t > first && t[-1].kind != NKX_T_NEWLINE && t[-1].kind != NKX_T_INDENT &&
           t[-1].kind != NKX_T_DEDENT && t[-1].kind != NKX_T_SEMI) {
        t--;
    }
    return t;
}

static bool text_is(const nkx_parser *p, nkx_tok t, const char *word)
{
    size_t n = strlen(word);
    return t->end - t->begin == n && memcmp(p->src->text + t->begin, word, n) == 0;
}

static bool begins_operand(unsigned kind)
{
    return kind == NKX_T_NAME || kind == NKX_T_NUMBER || kind == NKX_T_STRING ||
           kind == NKX_T_NONE || kind == NKX_T_TRUE || kind == NKX_T_FALSE;
}

static bool ends_operand(unsigned kind)
{
    return begins_operand(kind) || kind == NKX_T_RPAR || kind == NKX_T_RBRACKET ||
           kind == NKX_T_RBRACE;
}

/* The way out of a slip people often make, or NULL. */
static const char *usual_slip(const nkx_parser *p, nkx_tok t, nkx_tok before,
                              const uint8_t *accepts)
{
    nkx_tok head = line_head(t, p->first);
    bool in_header = is_header(head->kind) && head->kind != NKX_T_DEF;
    if (before != NULL && before->kind == NKX_T_NAME && text_is(p, before, "print") &&
        before == head && begins_operand(t->kind)) {
        return "Put round brackets around what is printed: print(...).";
    }
    if (t->kind == NKX_T_EQ && in_header) {
        return "To compare, write '=='. To assign here, write ':='.";
    }
    if (t->kind == NKX_T_EQ) return "To compare, write '=='.";
    if (before != NULL && before->kind == NKX_T_ELSE && t->kind == NKX_T_IF) return "Write 'elif'.";
    if (head->kind == NKX_T_NAME && t == head + 1 && t->kind == NKX_T_NAME &&
        text_is(p, head, "type")) {
        return "The 'type' statement came with Python 3.12. Assign the type to a name.";
    }
    if (before != NULL && accepts[NKX_T_COMMA] && ends_operand(before->kind) &&
        begins_operand(t->kind)) {
        return "Perhaps a comma or an operator is missing.";
    }
    if ((t->kind == NKX_T_PLUS || t->kind == NKX_T_MINUS) && before != NULL &&
        before->kind == t->kind) {
        return "There is no ++ or --. Write += 1 or -= 1.";
    }
    return NULL;
}

static nkx_diag *complain(nkx_parser *p, nkx_tok t, const uint8_t *accepts, size_t n_kinds)
{
    nkx_span span = NKX_SPAN(p, t->begin, t->end);
    nkx_tok head = line_head(t, p->first);
    if (t->kind == NKX_T_NEWLINE && accepts[NKX_T_COLON] && is_header(head->kind)) {
        return nkx_syntax_error(p, NKX_E113, "SyntaxError", span, "expected ':'");
    }
    if (accepts[NKX_T_EXCEPT] && accepts[NKX_T_FINALLY] && !accepts[NKX_T_NAME]) {
        return nkx_syntax_error(p, NKX_E113, "SyntaxError", span,
                                "expected an 'except' or 'finally' block");
    }
    nkx_buf found = {0}, wanted = {0};
    describe(p, t, &found);
    expected(accepts, n_kinds, &wanted);
    nkx_diag *g;
    if (wanted.len > 0) {
        g = nkx_syntax_error(p, NKX_E113, "SyntaxError", span,
                             "invalid syntax, found %s where %s was expected", found.at, wanted.at);
    } else {
        g = nkx_syntax_error(p, NKX_E113, "SyntaxError", span, "invalid syntax, unexpected %s",
                             found.at);
    }
    nkx_buf_fini(&found);
    nkx_buf_fini(&wanted);
    return g;
}

void nkx_unexpected_token(nkx_parser *p, nkx_tok t, const uint8_t *accepts, size_t n_kinds)
{
    p->error_hit = true;
    if (p->stop) return;
    if (t->kind == 0) p->wants_more = true;
    /* What follows from an error already reported: the blocks of a header that was thrown away. */
    bool follows = t->kind == NKX_T_ELSE || t->kind == NKX_T_ELIF || t->kind == NKX_T_EXCEPT ||
                   t->kind == NKX_T_FINALLY || t->kind == NKX_T_DEDENT || t->kind == 0;
    if (follows && p->n_errors > 0) return;
    nkx_tok before = t > p->first ? t - 1 : NULL;
    nkx_diag *g = complain(p, t, accepts, n_kinds);
    const char *slip = usual_slip(p, t, before, accepts);
    if (slip != NULL) nkx_syntax_hint(p, g, "%s", slip);
}
