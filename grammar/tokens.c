/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the lexer's tokens to those of the grammar. Layer syntax. What one token of lookahead cannot
 * decide is decided here, line by line, with the whole line in hand. Lexical faults are reported
 * here too: a line that has one goes to the grammar as a single BADLINE, so that it is not
 * complained about twice.
 */
#include "grammar/build.h"
#include "grammar/parser.h" /* generated: the kinds */

#include <string.h>

typedef struct layout {
    nkx_parser *p;
    nkx_lexer *lx;
    nkx_token_vec *out;
    size_t line;                       /* where the current line begins in out */
    bool bad;                          /* it has a lexical fault */
    bool opens_block;                  /* the line before ended in ':' */
    bool was_bad;                      /* the line before was bad */
    size_t header;                     /* where the line before begins in out */
    uint32_t level;                    /* open blocks */
    bool dropped[NKX_MAX_INDENTS + 2]; /* INDENT of that level was kept from the grammar */
} layout;

static void push(layout *l, unsigned kind, uint32_t begin, uint32_t end)
{
    nkx_token t = {.kind = (uint16_t)kind, .begin = begin, .end = end};
    nkx_push(l->out, t);
}

/* ---- faults ---- */

static nkx_diag *error_at(layout *l, nkx_code code, const char *cls, nkx_token t, const char *msg)
{
    return nkx_syntax_error(l->p, code, cls, NKX_SPAN(l->p, t.begin, t.end), "%s", msg);
}

static void report_character(layout *l, nkx_token t)
{
    const char *s = l->p->src->text + t.begin;
    int n = (int)(t.end - t.begin);
    uint32_t cp = (unsigned char)s[0];
    if (n > 1) cp &= 0x7Fu >> n;
    for (int i = 1; i < n; i++) cp = cp << 6 | ((unsigned char)s[i] & 0x3Fu);
    nkx_span span = NKX_SPAN(l->p, t.begin, t.end);
    nkx_diag *g;
    if (cp < 0x20 || (cp >= 0x7F && cp < 0xA1)) {
        g = nkx_syntax_error(l->p, NKX_E102, "SyntaxError", span,
                             "invalid non-printable character U+%04X", (unsigned)cp);
    } else {
        g = nkx_syntax_error(l->p, NKX_E102, "SyntaxError", span,
                             "invalid character '%.*s' (U+%04X)", n, s, (unsigned)cp);
    }
    if (cp >= 0x2018 && cp <= 0x201F) {
        nkx_syntax_hint(l->p, g, "Write the plain quotes ' or \".");
    } else if (cp == 0xA0) {
        nkx_syntax_hint(l->p, g, "It is a no-break space. Write an ordinary one.");
    } else if (cp == 0x2212 || cp == 0x2013 || cp == 0x2014) {
        nkx_syntax_hint(l->p, g, "Write the plain minus sign -.");
    }
}

static void report_number(layout *l, nkx_token t)
{
    const char *s = l->p->src->text + t.begin;
    const char *base = "decimal";
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) base = "hexadecimal";
    if (s[0] == '0' && (s[1] == 'o' || s[1] == 'O')) base = "octal";
    if (s[0] == '0' && (s[1] == 'b' || s[1] == 'B')) base = "binary";
    nkx_span span = NKX_SPAN(l->p, t.begin, t.end);
    int n = (int)(t.end - t.begin);
    if (t.aux == NKX_FAULT_LEADING_ZEROS) {
        nkx_diag *g = nkx_syntax_error(
            l->p, NKX_E111, "SyntaxError", span,
            "leading zeros in decimal integer literals are not permitted: '%.*s'", n, s);
        nkx_syntax_hint(l->p, g, "Drop the zeros, or write 0o for an octal number.");
    } else if (t.aux == NKX_FAULT_DIGIT) {
        (void)nkx_syntax_error(l->p, NKX_E111, "SyntaxError", span,
                               "invalid digit in %s literal '%.*s'", base, n, s);
    } else {
        (void)nkx_syntax_error(l->p, NKX_E111, "SyntaxError", span, "invalid %s literal '%.*s'",
                               base, n, s);
    }
}

static void report_string(layout *l, nkx_token t)
{
    bool is_long = t.aux == NKX_FAULT_LONG_STRING;
    nkx_diag *g = error_at(l, NKX_E109, "SyntaxError", t,
                           is_long ? "unterminated triple-quoted string literal"
                                   : "unterminated string literal");
    if (!is_long) nkx_syntax_hint(l->p, g, "A string that spans lines needs triple quotes.");
    if (is_long) l->p->wants_more = true;
}

static void report_bracket(layout *l, nkx_token t)
{
    char c = l->p->src->text[t.begin];
    nkx_span span = NKX_SPAN(l->p, t.begin, t.end);
    if (t.aux == NKX_FAULT_UNMATCHED) {
        (void)nkx_syntax_error(l->p, NKX_E108, "SyntaxError", span, "unmatched '%c'", c);
        return;
    }
    nkx_bracket b = l->lx->open[l->lx->n_open]; /* popped by the lexer, still there */
    nkx_diag *g = nkx_syntax_error(
        l->p, NKX_E108, "SyntaxError", span,
        "closing parenthesis '%c' does not match opening parenthesis '%c'", c, b.open);
    if (g != NULL) nkx_diag_note(l->p->diags, g, NKX_SPAN(l->p, b.at, b.at + 1), "opened here");
}

static bool same_line(const layout *l, uint32_t a, uint32_t b)
{
    return memchr(l->p->src->text + a, '\n', b - a) == NULL;
}

/* Of each line the innermost open bracket: which of a line's is meant cannot be known. */
static void report_unclosed(layout *l)
{
    for (uint32_t i = 0; i < l->lx->n_open; i++) {
        nkx_bracket b = l->lx->open[i];
        if (i + 1 < l->lx->n_open && same_line(l, b.at, l->lx->open[i + 1].at)) {
            continue;
        }
        (void)nkx_syntax_error(l->p, NKX_E107, "SyntaxError", NKX_SPAN(l->p, b.at, b.at + 1),
                               "'%c' was never closed", b.open);
    }
}

static void report(layout *l, nkx_token t)
{
    switch ((nkx_fault)t.aux) {
    case NKX_FAULT_NONE: break;
    case NKX_FAULT_CHARACTER: report_character(l, t); break;
    case NKX_FAULT_TABS:
        (void)error_at(l, NKX_E103, "TabError", t,
                       "inconsistent use of tabs and spaces in indentation");
        l->p->stop = true; /* every line after it would say the same */
        break;
    case NKX_FAULT_UNINDENT:
        (void)error_at(l, NKX_E106, "IndentationError", t,
                       "unindent does not match any outer indentation level");
        break;
    case NKX_FAULT_TOO_MANY_INDENTS:
        (void)nkx_syntax_error(l->p, NKX_E114, "IndentationError", NKX_SPAN(l->p, t.begin, t.end),
                               "too many levels of indentation, the limit is %d", NKX_MAX_INDENTS);
        l->p->stop = true;
        break;
    case NKX_FAULT_TOO_MANY_BRACKETS:
        (void)nkx_syntax_error(l->p, NKX_E114, "SyntaxError", NKX_SPAN(l->p, t.begin, t.end),
                               "too many nested parentheses, the limit is %d", NKX_MAX_BRACKETS);
        l->p->stop = true;
        break;
    case NKX_FAULT_UNMATCHED:
    case NKX_FAULT_MISMATCHED: report_bracket(l, t); break;
    case NKX_FAULT_STRING:
    case NKX_FAULT_LONG_STRING: report_string(l, t); break;
    case NKX_FAULT_CONTINUATION:
        (void)error_at(l, NKX_E120, "SyntaxError", t,
                       "unexpected character after line continuation character");
        break;
    case NKX_FAULT_CONTINUATION_END:
        l->p->wants_more = true;
        (void)error_at(l, NKX_E120, "SyntaxError", t,
                       "unexpected end of text after line continuation character");
        break;
    case NKX_FAULT_NUMBER:
    case NKX_FAULT_LEADING_ZEROS:
    case NKX_FAULT_DIGIT: report_number(l, t); break;
    }
}

/* ---- brackets around with-items ---- */

static int bracket_step(unsigned kind)
{
    switch (kind) {
    case NKX_T_LPAR:
    case NKX_T_WLPAR:
    case NKX_T_LBRACKET:
    case NKX_T_LBRACE: return 1;
    case NKX_T_RPAR:
    case NKX_T_RBRACKET:
    case NKX_T_RBRACE: return -1;
    default: return 0;
    }
}

typedef struct item_scan { /* over the inside of a bracket behind `with` */
    int lambdas;           /* whose ':' is still to come: their commas split nothing */
    bool splits;           /* an `as` or a comma between items */
    bool item_start;
} item_scan;

/* One token between the brackets; false when no with-item can hold it. */
static bool may_be_item(item_scan *s, unsigned k)
{
    if (s->item_start && (k == NKX_T_STAR || k == NKX_T_YIELD)) return false;
    if (k == NKX_T_WALRUS) return false;
    s->splits = s->splits || k == NKX_T_AS || k == NKX_T_COMMA;
    if (k == NKX_T_LAMBDA) s->lambdas++;
    if (k == NKX_T_COLON && s->lambdas > 0) s->lambdas--;
    s->item_start = k == NKX_T_COMMA && s->lambdas == 0;
    return true;
}

/*
 * `with (a as b, c):` brackets items; `with (a, b) as c:` and `with (yield):` bracket an
 * expression. The line's tokens from the bracket on tell: nothing but ':' follows the closing one,
 * and inside stand only what items can be made of.
 */
static bool brackets_items(const nkx_token *t, const nkx_token *end)
{
    item_scan s = {.item_start = true};
    int depth = 1;
    for (t++; t < end; t++) {
        int step = bracket_step(t->kind);
        bool inner = step > 0 || depth > 1;
        depth += step;
        if (depth == 0) break;
        if (inner) {
            s.item_start = false;
        } else if (!may_be_item(&s, t->kind)) {
            return false;
        }
    }
    return s.splits && t + 1 < end && t[1].kind == NKX_T_COLON;
}

static void mark_with(layout *l)
{
    nkx_token *t = l->out->at + l->line, *end = l->out->at + l->out->n;
    if (t < end && t->kind == NKX_T_ASYNC) t++;
    if (t + 1 >= end || t[0].kind != NKX_T_WITH || t[1].kind != NKX_T_LPAR) return;
    if (brackets_items(t + 1, end)) t[1].kind = NKX_T_WLPAR;
}

/* ---- lines ---- */

/* "an 'if' statement" for the header that wants a block; NULL if the line is no such header. */
static const char *header_word(unsigned kind)
{
    switch (kind) {
    case NKX_T_IF: return "'if' statement";
    case NKX_T_ELIF: return "'elif' statement";
    case NKX_T_ELSE: return "'else' statement";
    case NKX_T_FOR: return "'for' statement";
    case NKX_T_WHILE: return "'while' statement";
    case NKX_T_WITH: return "'with' statement";
    case NKX_T_TRY: return "'try' statement";
    case NKX_T_EXCEPT: return "'except' statement";
    case NKX_T_FINALLY: return "'finally' statement";
    case NKX_T_DEF: return "function definition";
    case NKX_T_CLASS: return "class definition";
    case NKX_T_ASYNC: return "'async' statement";
    default: return NULL;
    }
}

/* `if x`: a header whose ':' is missing. The grammar says so; its block is no surprise then. */
static bool lacks_colon(const nkx_token *t, const nkx_token *end)
{
    int depth = 0;
    if (t == end || header_word(t->kind) == NULL) return false;
    for (; t < end; t++) {
        unsigned k = t->kind;
        depth += bracket_step(k);
        if (k == NKX_T_COLON && depth == 0) return false;
    }
    return true;
}

static void end_line(layout *l, uint32_t begin, uint32_t end)
{
    nkx_token_vec *out = l->out;
    size_t n = out->n - l->line;
    l->was_bad = l->bad;
    if (l->bad) {
        uint32_t first = n > 0 ? out->at[l->line].begin : begin;
        out->n = l->line;
        push(l, NKX_T_BADLINE, first, begin);
        l->opens_block = false;
    } else {
        mark_with(l);
        l->was_bad = lacks_colon(out->at + l->line, out->at + out->n);
        l->opens_block = n > 0 && out->at[out->n - 1].kind == NKX_T_COLON;
    }
    push(l, NKX_T_NEWLINE, begin, end);
    l->header = l->line;
    l->line = out->n;
    l->bad = false;
}

static bool text_is(const layout *l, nkx_token t, const char *word)
{
    size_t n = strlen(word);
    return t.kind == NKX_T_NAME && t.end - t.begin == n &&
           memcmp(l->p->src->text + t.begin, word, n) == 0;
}

/* A header without its block: reported, and given an empty one so that the rest can be read. */
static void missing_block(layout *l, nkx_token next)
{
    nkx_token head = l->out->at[l->header];
    const char *word = header_word(head.kind);
    l->opens_block = false;
    if (word == NULL) return; /* `x:` and the like: the grammar finds fault with the line itself */
    if (next.kind == 0 || (next.kind == NKX_T_DEDENT && next.begin == l->lx->len)) {
        l->p->wants_more = true;
    }
    uint32_t line, col;
    nkx_source_locate(l->p->diags->sources, l->p->src->id, head.begin, &line, &col);
    (void)nkx_syntax_error(l->p, NKX_E105, "IndentationError", NKX_SPAN(l->p, next.begin, next.end),
                           "expected an indented block after %s on line %u", word, line);
    push(l, NKX_T_INDENT, next.begin, next.begin);
    push(l, NKX_T_PASS, next.begin, next.begin);
    push(l, NKX_T_NEWLINE, next.begin, next.begin);
    push(l, NKX_T_DEDENT, next.begin, next.begin);
    l->line = l->out->n;
}

static void indent(layout *l, nkx_token t)
{
    bool expected = l->opens_block || l->was_bad;
    l->level++;
    l->dropped[l->level] = !expected;
    if (expected) {
        nkx_push(l->out, t);
    } else {
        (void)error_at(l, NKX_E104, "IndentationError", t, "unexpected indent");
    }
    l->opens_block = l->was_bad = false;
    l->line = l->out->n;
}

static void dedent(layout *l, nkx_token t)
{
    if (!l->dropped[l->level]) nkx_push(l->out, t);
    l->level--;
    l->was_bad = false;
    l->line = l->out->n;
}

/* ---- the match statement ---- */

static bool is_match_header(const layout *l)
{
    size_t n = l->line - l->header;
    return l->opens_block && n >= 4 && text_is(l, l->out->at[l->header], "match");
}

static void unclosed_at_end(layout *l)
{
    report_unclosed(l);
    l->p->wants_more = true;
    l->lx->n_open = 0;
    l->bad = true;
}

/* Skips the blocks of a match statement whose first `case` was just read; one MATCH remains. */
static void skip_match(layout *l)
{
    uint32_t begin = l->out->at[l->header].begin, end = begin;
    int depth = 1;
    while (depth > 0 && !l->p->stop) {
        nkx_token t = nkx_lexer_next(l->lx);
        if (t.kind == 0 && l->lx->n_open == 0) break;
        if (t.kind == 0) unclosed_at_end(l);
        if (t.kind == NKX_TOK_FAULT) report(l, t);
        if (t.kind == NKX_T_INDENT) depth++;
        if (t.kind == NKX_T_DEDENT) depth--;
        if (t.end > t.begin && t.kind != NKX_T_NEWLINE) end = t.end;
    }
    l->out->n = l->header;
    push(l, NKX_T_MATCH, begin, end);
    l->line = l->out->n;
    l->bad = l->opens_block = l->was_bad = false;
}

/* ---- tokens within a line ---- */

/* Keywords that no expression holds: at the start of a line inside brackets, one was left open. */
static bool only_begins_statements(unsigned kind)
{
    switch (kind) {
    case NKX_T_ASSERT:
    case NKX_T_BREAK:
    case NKX_T_CLASS:
    case NKX_T_CONTINUE:
    case NKX_T_DEF:
    case NKX_T_DEL:
    case NKX_T_ELIF:
    case NKX_T_EXCEPT:
    case NKX_T_FINALLY:
    case NKX_T_GLOBAL:
    case NKX_T_IMPORT:
    case NKX_T_NONLOCAL:
    case NKX_T_PASS:
    case NKX_T_RAISE:
    case NKX_T_RETURN:
    case NKX_T_TRY:
    case NKX_T_WHILE:
    case NKX_T_WITH: return true;
    default: return false;
    }
}

static void add(layout *l, nkx_token t)
{
    nkx_token *last = l->out->n > l->line ? &l->out->at[l->out->n - 1] : NULL;
    if (last != NULL && t.kind == NKX_T_IN && last->kind == NKX_T_NOT) {
        last->kind = NKX_T_NOTIN;
        last->end = t.end;
    } else if (last != NULL && t.kind == NKX_T_NOT && last->kind == NKX_T_IS) {
        last->kind = NKX_T_ISNOT;
        last->end = t.end;
    } else {
        nkx_push(l->out, t);
    }
}

static void restart(layout *l, nkx_token t)
{
    report_unclosed(l);
    l->bad = true;
    end_line(l, t.begin, t.begin);
    nkx_lexer_restart_line(l->lx, t.begin);
}

static void fault(layout *l, nkx_token t)
{
    report(l, t);
    /* Faults of a line's indentation leave the line itself readable. */
    if (t.aux != NKX_FAULT_TABS && t.aux != NKX_FAULT_UNINDENT) l->bad = true;
}

/* An INDENT; true when it belonged to a match statement, which then is read to its end. */
static bool open_block(layout *l, nkx_token t, nkx_token *next)
{
    bool maybe_match = is_match_header(l);
    indent(l, t);
    *next = nkx_lexer_next(l->lx);
    if (!maybe_match || !text_is(l, *next, "case")) return false;
    l->level--;
    skip_match(l);
    return true;
}

static void take(layout *l, nkx_token t)
{
    if (t.kind == NKX_TOK_FAULT) {
        fault(l, t);
    } else if (t.kind == NKX_T_NEWLINE) {
        end_line(l, t.begin, t.end);
    } else if (t.kind == NKX_T_DEDENT) {
        dedent(l, t);
    } else if (t.aux == 1 && only_begins_statements(t.kind)) {
        restart(l, t);
    } else {
        add(l, t);
    }
}

void nkx_tokenize(nkx_parser *p, nkx_lexer *lx, nkx_token_vec *out)
{
    layout l = {.p = p, .lx = lx, .out = out};
    nkx_vec_reserve(out, lx->len / 4 + 16);
    while (!p->stop) {
        nkx_token t = nkx_lexer_next(lx);
        if (t.kind == NKX_T_INDENT && open_block(&l, t, &t)) continue;
        if (t.kind == 0 && lx->n_open > 0) {
            unclosed_at_end(&l);
            continue;
        }
        if (l.opens_block && out->n == l.line && t.kind != NKX_TOK_FAULT) missing_block(&l, t);
        if (t.kind == 0) break;
        take(&l, t);
    }
    push(&l, 0, lx->len, lx->len);
}

void nkx_tokenize_field(nkx_parser *p, nkx_lexer *lx, uint32_t begin, uint32_t end,
                        nkx_token_vec *out)
{
    layout l = {.p = p, .lx = lx, .out = out};
    push(&l, NKX_T_LPAR, begin - 1, begin);
    while (!p->stop) {
        nkx_token t = nkx_lexer_next(lx);
        if (t.kind == 0) break;
        if (t.kind == NKX_TOK_FAULT) {
            report(&l, t);
        } else {
            add(&l, t);
        }
    }
    push(&l, NKX_T_RPAR, end, end + 1);
    push(&l, 0, end, end);
}
