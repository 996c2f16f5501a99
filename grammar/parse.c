/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drives lexer and grammar over a text. Layer syntax. Text is checked to be UTF-8 first, so that
 * everything behind it can rely on that.
 */
#include "grammar/parse.h"
#include "grammar/build.h"
#include "grammar/lemon.h"
#include "grammar/parser.h" /* generated: the kinds */

#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 1 << 30 };

/* ---- the text ---- */

/* Length of the well-formed UTF-8 character at s, 0 if there is none. The text ends in NUL. */
static size_t utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    if (s[0] < 0xC2 || s[0] > 0xF4) return 0;
    size_t n = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
    }
    if (s[0] == 0xE0 && s[1] < 0xA0) return 0;
    if (s[0] == 0xED && s[1] > 0x9F) return 0;
    if (s[0] == 0xF0 && s[1] < 0x90) return 0;
    if (s[0] == 0xF4 && s[1] > 0x8F) return 0;
    return n;
}

/* Offset of the first byte that is NUL or no UTF-8; len when there is none. */
static size_t first_bad_byte(const char *text, size_t len)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t i = 0;
    while (i < len) {
        uint64_t word;
        if (i + 8 <= len) {
            memcpy(&word, s + i, 8);
            /* Eight bytes that are all ASCII and none of them NUL. */
            uint64_t zeros = (word - 0x0101010101010101u) & ~word;
            if (((word | zeros) & 0x8080808080808080u) == 0) {
                i += 8;
                continue;
            }
        }
        size_t n = s[i] == 0 ? 0 : utf8_length(s + i);
        if (n == 0) return i;
        i += n;
    }
    return len;
}

static bool check_text(nkx_parser *p)
{
    const nkx_source *src = p->src;
    if (src->len > LONGEST_TEXT) {
        (void)nkx_syntax_error(p, NKX_E127, "SyntaxError", NKX_SPAN(p, 0, 0),
                               "the text has %zu bytes, the limit is %d", src->len, LONGEST_TEXT);
        return false;
    }
    size_t bad = first_bad_byte(src->text, src->len);
    if (bad == src->len) return true;
    nkx_span span = NKX_SPAN(p, (uint32_t)bad, (uint32_t)bad + 1);
    unsigned byte = (unsigned char)src->text[bad];
    if (byte == 0) {
        (void)nkx_syntax_error(p, NKX_E101, "SyntaxError", span,
                               "source code cannot contain null bytes");
    } else {
        (void)nkx_syntax_error(p, NKX_E101, "SyntaxError", span, "byte 0x%02x is not UTF-8", byte);
    }
    return false;
}

/* ---- the grammar ---- */

static void too_deep(nkx_parser *p, nkx_tok t)
{
    (void)nkx_syntax_error(p, NKX_E114, "SyntaxError", NKX_SPAN(p, t->begin, t->end),
                           "nested too deeply, the limit of the parser is %d symbols",
                           NKX_MAX_PARSER_STACK);
    p->stop = true;
}

static void feed(nkx_parser *p, void *lemon, const nkx_token *tokens, size_t n, int start)
{
    static const nkx_token newline = {.kind = NKX_T_NEWLINE};
    p->first = tokens;
    nkx_lemon(lemon, start, &tokens[0]);
    for (size_t i = 0; i < n && !p->stop; i++) {
        const nkx_token *t = &tokens[i];
        p->error_hit = false;
        nkx_lemon(lemon, t->kind, t);
        if (p->error_hit && p->is_field) return;
        if (t->kind == NKX_T_NEWLINE) nkx_lemon_line_end(lemon);
        if (p->error_hit && t->kind == NKX_T_DEDENT) {
            /* The error took the end of its block with it: close the line, then the block. */
            nkx_lemon(lemon, NKX_T_NEWLINE, &newline);
            nkx_lemon(lemon, NKX_T_DEDENT, t);
        }
        if (nkx_lemon_depth(lemon) > NKX_MAX_PARSER_STACK) too_deep(p, t);
    }
}

static void run(nkx_parser *p, const nkx_token *tokens, size_t n, int start)
{
    void *lemon = nkx_lemonAlloc(nkx_alloc, p);
    feed(p, lemon, tokens, n, start);
    nkx_lemonFree(lemon, free);
}

nkx_node *nkx_parse_field(nkx_parser *p, uint32_t begin, uint32_t end)
{
    nkx_tok outer_first = p->first;
    bool outer_is_field = p->is_field, outer_hit = p->error_hit;
    uint32_t errors = p->n_errors;
    nkx_token_vec tokens = {0};
    nkx_lexer lx;
    /* A copy, so that a token cannot reach over the field's end: `{x+=}` is `x+` and `=`. */
    char *text = nkx_arena_str(p->scratch, p->src->text + begin, end - begin);
    nkx_lexer_init_field(&lx, text, end - begin, begin);
    p->is_field = true;
    p->field = NULL;
    nkx_tokenize_field(p, &lx, begin, end, &tokens);
    if (p->n_errors == errors) run(p, tokens.at, tokens.n, NKX_T_FIELD);
    nkx_node *n = p->n_errors == errors ? p->field : NULL;
    nkx_vec_fini(&tokens);
    p->first = outer_first;
    p->is_field = outer_is_field;
    p->error_hit = outer_hit;
    return n;
}

static void parse_file(nkx_parser *p)
{
    nkx_token_vec tokens = {0};
    nkx_lexer *lx = nkx_alloc(sizeof *lx);
    nkx_lexer_init(lx, p->src->text, (uint32_t)p->src->len);
    nkx_tokenize(p, lx, &tokens);
    free(lx);
    if (!p->stop) run(p, tokens.at, tokens.n, NKX_T_MODULE);
    nkx_vec_fini(&tokens);
}

/* ---- the module ---- */

const char *nkx_docstring(const nkx_nodes *body)
{
    if (body->n == 0 || body->at[0]->kind != NKX_EXPR_STMT) return NULL;
    const nkx_node *value = ((const nkx_value_stmt *)(const void *)body->at[0])->value;
    if (value->kind != NKX_CONSTANT) return NULL;
    const nkx_constant *c = (const nkx_constant *)(const void *)value;
    return c->what == NKX_CONST_STR ? c->text : NULL;
}

/* Lexer and grammar report in two passes; readers want the order of the text. */
static void sort_reports(nkx_diags *d, size_t from)
{
    for (size_t i = from + 1; i < d->n; i++) {
        nkx_diag *g = d->list[i];
        size_t j = i;
        for (; j > from && d->list[j - 1]->span.begin > g->span.begin; j--) {
            d->list[j] = d->list[j - 1];
        }
        d->list[j] = g;
    }
}

static nkx_module_ast *finish(nkx_parser *p)
{
    nkx_module_ast *m = NKX_ARENA_NEW(p->arena, nkx_module_ast);
    m->source = p->src;
    m->arena = p->arena;
    m->body = nkx_nodelist_done(p, p->body);
    m->docstring = nkx_docstring(&m->body);
    return m;
}

static nkx_module_ast *parse(nkx_parser *p)
{
    nkx_arena scratch;
    nkx_arena_init(&scratch);
    p->scratch = &scratch;
    size_t first_report = p->diags->n;
    nkx_module_ast *m = NULL;
    if (check_text(p)) {
        parse_file(p);
        if (p->n_errors == 0 && !p->stop && p->body != NULL) m = finish(p);
    }
    sort_reports(p->diags, first_report);
    nkx_arena_fini(&scratch);
    return m;
}

nkx_module_ast *nkx_parse(const nkx_source *src, nkx_arena *arena, nkx_names *names,
                          nkx_diags *diags)
{
    nkx_parser p = {.src = src, .arena = arena, .names = names, .diags = diags};
    return parse(&p);
}

/* ---- completeness ---- */

/* A compound statement takes further lines until an empty one. */
static bool ends_open(const nkx_module_ast *m, const char *text, size_t len)
{
    if (m->body.n == 0) return false;
    switch ((nkx_kind)m->body.at[m->body.n - 1]->kind) {
    case NKX_FUNCTION_DEF:
    case NKX_CLASS_DEF:
    case NKX_FOR:
    case NKX_WHILE:
    case NKX_IF:
    case NKX_WITH:
    case NKX_TRY:
    case NKX_UNSUPPORTED_STMT: break;
    default: return false;
    }
    size_t newlines = 0;
    while (len > 0 && strchr(" \t\r\n", text[len - 1]) != NULL) {
        if (text[len - 1] == '\n') newlines++;
        len--;
    }
    return newlines < 2;
}

nkx_completeness nkx_parse_completeness(const char *text, size_t len)
{
    nkx_sources *sources = nkx_sources_new();
    nkx_names *names = nkx_names_new();
    nkx_diags diags;
    nkx_arena arena;
    nkx_arena_init(&arena);
    nkx_diags_init(&diags, sources);
    nkx_parser p = {.src = nkx_sources_add(sources, "", text, len),
                    .arena = &arena,
                    .names = names,
                    .diags = &diags};
    nkx_module_ast *m = parse(&p);
    nkx_completeness answer = NKX_COMPLETE;
    if (m == NULL) {
        answer = p.wants_more && diags.n_errors == 1 ? NKX_INCOMPLETE : NKX_INVALID;
    } else if (ends_open(m, text, len)) {
        answer = NKX_INCOMPLETE;
    }
    nkx_diags_fini(&diags);
    nkx_arena_fini(&arena);
    nkx_names_free(names);
    nkx_sources_free(sources);
    return answer;
}
