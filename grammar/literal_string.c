/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of string literals: prefixes, escapes, f-string fields, and neighbours joined. Layer
 * syntax. The rules are those of Python 3.11: an f-string ends at its first matching quote, a field
 * holds no backslash and no comment, and neighbours make one value.
 */
#include "grammar/build.h"
#include "grammar/unicode_name.h"

#include <string.h>

typedef struct literal { /* one string token, taken apart */
    uint32_t begin, end; /* of the contents, in the source */
    bool raw, bytes, formatted, u;
} literal;

typedef struct joiner { /* the value being put together */
    nkx_parser *p;
    nkx_span span; /* of all the neighbours */
    nkx_buf text;  /* literal text since the last field */
    uint32_t text_begin, text_end;
    nkx_nodelist *values; /* f-strings only */
    bool u;
    bool warned; /* an unknown escape is told of once a literal */
} joiner;

static const char *source_text(const joiner *j)
{
    return j->p->src->text;
}

static void bad_escape(joiner *j, uint32_t begin, uint32_t end, const char *what)
{
    (void)nkx_syntax_error(j->p, NKX_E110, "SyntaxError", NKX_SPAN(j->p, begin, end), "%s", what);
}

static void bad_field(joiner *j, uint32_t begin, uint32_t end, const char *what)
{
    (void)nkx_syntax_error(j->p, NKX_E112, "SyntaxError", NKX_SPAN(j->p, begin, end),
                           "f-string: %s", what);
}

static literal take_apart(const nkx_parser *p, nkx_tok t)
{
    const char *s = p->src->text;
    literal l = {.begin = t->begin, .end = t->end};
    for (; s[l.begin] != '\'' && s[l.begin] != '"'; l.begin++) {
        switch (s[l.begin]) {
        case 'r':
        case 'R': l.raw = true; break;
        case 'b':
        case 'B': l.bytes = true; break;
        case 'f':
        case 'F': l.formatted = true; break;
        case 'u': l.u = true; break;
        default: break;
        }
    }
    char q = s[l.begin];
    bool triple = l.end - l.begin >= 6 && s[l.begin + 1] == q && s[l.begin + 2] == q;
    uint32_t quotes = triple ? 3 : 1;
    l.begin += quotes;
    l.end -= quotes;
    return l;
}

/* ---- escapes ---- */

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* A character by number: a byte of a bytes literal, else UTF-8. */
static void put(joiner *j, const literal *l, uint32_t cp)
{
    if (l->bytes) {
        nkx_buf_char(&j->text, (char)(cp & 0xFF));
    } else {
        nkx_buf_utf8(&j->text, cp);
    }
}

/* \xHH, \uHHHH, \UHHHHHHHH; at stands behind the letter. */
static uint32_t hex_escape(joiner *j, const literal *l, uint32_t at, uint32_t n, uint32_t limit)
{
    const char *s = source_text(j);
    uint32_t cp = 0;
    for (uint32_t i = 0; i < n; i++) {
        int d = at + i < limit ? hex_value(s[at + i]) : -1;
        if (d < 0) {
            bad_escape(j, at - 2, at + i,
                       l->bytes ? "(value error) invalid \\x escape"
                       : n == 2 ? "(unicode error) truncated \\xXX escape"
                       : n == 4 ? "(unicode error) truncated \\uXXXX escape"
                                : "(unicode error) truncated \\UXXXXXXXX escape");
            return limit;
        }
        cp = cp << 4 | (uint32_t)d;
    }
    if (cp > 0x10FFFF) {
        bad_escape(j, at - 2, at + n, "(unicode error) illegal Unicode character");
        return limit;
    }
    put(j, l, cp);
    return at + n;
}

/* \N{NAME}; at stands behind the N. */
static uint32_t name_escape(joiner *j, uint32_t at, uint32_t limit)
{
    const char *s = source_text(j);
    const char *close = at < limit && s[at] == '{' ? memchr(s + at, '}', limit - at) : NULL;
    if (close == NULL) {
        bad_escape(j, at - 2, at, "(unicode error) malformed \\N character escape");
        return limit;
    }
    uint32_t end = (uint32_t)(close - s), cp;
    if (!nkx_unicode_by_name(s + at + 1, end - at - 1, &cp)) {
        nkx_diag *g =
            nkx_syntax_error(j->p, NKX_E110, "SyntaxError", NKX_SPAN(j->p, at - 2, end + 1),
                             "(unicode error) unknown Unicode character name '%.*s'",
                             (int)(end - at - 1), s + at + 1);
        nkx_syntax_hint(j->p, g,
                        "Only common names are known here. Write the character itself, or \\u "
                        "and its number.");
        return limit;
    }
    nkx_buf_utf8(&j->text, cp);
    return end + 1;
}

static void unknown_escape(joiner *j, uint32_t at)
{
    if (j->warned) return;
    j->warned = true;
    const char *s = source_text(j);
    nkx_diag *g = nkx_diag_add(j->p->diags, NKX_E129, NKX_SPAN(j->p, at - 1, at + 1),
                               "invalid escape sequence '\\%c'", s[at]);
    nkx_diag_hint(j->p->diags, g, "Write two backslashes, or put r before the string.");
    if (nkx_diag_stops(g)) j->p->n_errors++;
}

static uint32_t octal_escape(joiner *j, const literal *l, uint32_t at, uint32_t limit)
{
    const char *s = source_text(j);
    uint32_t cp = 0;
    for (int i = 0; i < 3 && at < limit && s[at] >= '0' && s[at] <= '7'; i++, at++) {
        cp = cp * 8 + (uint32_t)(s[at] - '0');
    }
    put(j, l, cp);
    return at;
}

/* One escape; at stands behind the backslash. Returns where the text goes on. */
static uint32_t escape(joiner *j, const literal *l, uint32_t at, uint32_t limit)
{
    static const char letters[] = "abfnrtv\\'\"", values[] = "\a\b\f\n\r\t\v\\'\"";
    const char *s = source_text(j);
    char c = s[at];
    const char *simple = c != '\0' ? strchr(letters, c) : NULL;
    if (simple != NULL) {
        nkx_buf_char(&j->text, values[simple - letters]);
        return at + 1;
    }
    if (c == '\n') return at + 1;
    if (c == '\r') return at + (s[at + 1] == '\n' ? 2 : 1);
    if (c >= '0' && c <= '7') return octal_escape(j, l, at, limit);
    if (c == 'x') return hex_escape(j, l, at + 1, 2, limit);
    if (c == 'u' && !l->bytes) return hex_escape(j, l, at + 1, 4, limit);
    if (c == 'U' && !l->bytes) return hex_escape(j, l, at + 1, 8, limit);
    if (c == 'N' && !l->bytes) return name_escape(j, at + 1, limit);
    nkx_buf_char(&j->text, '\\'); /* the character itself follows as ordinary text */
    if ((unsigned char)c < 0x80) unknown_escape(j, at);
    return at;
}

/* ---- literal text ---- */

/* Appends source text [at, end): escapes decoded unless raw, line ends made \n. */
static void add_text(joiner *j, const literal *l, uint32_t at, uint32_t end)
{
    const char *s = source_text(j);
    if (j->text.len == 0) j->text_begin = at;
    j->text_end = end;
    while (at < end) {
        uint32_t run = at;
        while (run < end && (s[run] != '\\' || l->raw) && s[run] != '\r') run++;
        nkx_buf_add(&j->text, s + at, run - at);
        at = run;
        if (at == end) break;
        if (s[at] == '\r') {
            nkx_buf_char(&j->text, '\n');
            at += s[at + 1] == '\n' ? 2 : 1;
        } else {
            at = escape(j, l, at + 1, end);
        }
    }
}

static nkx_node *make_constant(joiner *j, nkx_const_kind what, uint32_t begin, uint32_t end)
{
    nkx_constant *n = nkx_node_make(j->p, NKX_CONSTANT, sizeof *n, begin, end);
    n->what = what;
    n->text = nkx_arena_str(j->p->arena, j->text.at, j->text.len);
    n->len = (uint32_t)j->text.len;
    n->u_prefix = j->u;
    nkx_buf_clear(&j->text);
    return &n->base;
}

/* Literal text so far becomes a value of its own. */
static void flush_text(joiner *j)
{
    if (j->text.len == 0) return;
    nkx_node *n = make_constant(j, NKX_CONST_STR, j->text_begin, j->text_end);
    (void)nkx_nodelist_node(j->p, j->values, n, j->text_end);
}

/* ---- f-string fields ---- */

static uint32_t pieces(joiner *j, const literal *l, uint32_t at, uint32_t end, int depth);

typedef struct field_scan { /* walks over an expression to find where it ends */
    char quote;             /* 0 outside of strings */
    bool triple;
    uint32_t n;
    char open[NKX_MAX_BRACKETS];
} field_scan;

/* Inside a string: steps over it. Returns the index of the last byte handled. */
static uint32_t scan_string(field_scan *f, const char *s, uint32_t at, uint32_t end)
{
    if (s[at] != f->quote) return at;
    if (!f->triple) {
        f->quote = 0;
    } else if (at + 2 < end && s[at + 1] == f->quote && s[at + 2] == f->quote) {
        f->quote = 0;
        return at + 2;
    }
    return at;
}

static uint32_t begin_string(field_scan *f, const char *s, uint32_t at, uint32_t end)
{
    f->quote = s[at];
    f->triple = at + 2 < end && s[at + 1] == f->quote && s[at + 2] == f->quote;
    return f->triple ? at + 2 : at;
}

/* Closing bracket; false when it closes nothing or the wrong thing. */
static bool scan_close(joiner *j, field_scan *f, uint32_t at)
{
    const char *s = source_text(j);
    char c = s[at], want = '{';
    if (c == ')') want = '(';
    if (c == ']') want = '[';
    nkx_span span = NKX_SPAN(j->p, at, at + 1);
    if (f->n == 0) {
        (void)nkx_syntax_error(j->p, NKX_E112, "SyntaxError", span, "f-string: unmatched '%c'", c);
        return false;
    }
    char found = f->open[--f->n];
    if (found == want) return true;
    (void)nkx_syntax_error(
        j->p, NKX_E112, "SyntaxError", span,
        "f-string: closing parenthesis '%c' does not match opening parenthesis '%c'", c, found);
    return false;
}

/* Does the expression end at this byte? `!=`, `==`, `<=`, `>=` are part of it. */
static bool ends_expression(const char *s, uint32_t *at, uint32_t end)
{
    char c = s[*at];
    if (c != '!' && c != ':' && c != '}' && c != '=' && c != '<' && c != '>') return false;
    bool pair = c != ':' && c != '}' && *at + 1 < end && s[*at + 1] == '=';
    if (pair) {
        ++*at;
        return false;
    }
    return c != '<' && c != '>';
}

static bool is_open(char c)
{
    return c == '(' || c == '[' || c == '{';
}

static bool is_close(char c)
{
    return c == ')' || c == ']' || c == '}';
}

/* What no expression of a field may hold. */
static bool refuse_byte(joiner *j, uint32_t at)
{
    char c = source_text(j)[at];
    if (c == '\\') bad_field(j, at, at + 1, "expression part cannot include a backslash");
    if (c == '#') bad_field(j, at, at + 1, "expression part cannot include '#'");
    return c == '\\' || c == '#';
}

static bool scan_over(joiner *j, const field_scan *f, uint32_t begin, uint32_t at, uint32_t end)
{
    if (f->quote != 0) {
        bad_field(j, begin - 1, at, "unterminated string");
    } else if (f->n > 0) {
        (void)nkx_syntax_error(j->p, NKX_E112, "SyntaxError", NKX_SPAN(j->p, begin - 1, at),
                               "f-string: '%c' was never closed", f->open[f->n - 1]);
    } else if (at >= end) {
        bad_field(j, begin - 1, at, "expecting '}'");
    } else {
        return true;
    }
    return false;
}

/* Where the expression that begins at `begin` ends; false after a report. */
static bool scan_expression(joiner *j, uint32_t begin, uint32_t end, uint32_t *out)
{
    const char *s = source_text(j);
    field_scan f = {0};
    uint32_t at = begin;
    for (; at < end; at++) {
        char c = s[at];
        if (c == '\\') break;
        if (f.quote != 0) {
            at = scan_string(&f, s, at, end);
        } else if (c == '\'' || c == '"') {
            at = begin_string(&f, s, at, end);
        } else if (is_open(c)) {
            if (f.n == NKX_MAX_BRACKETS) {
                bad_field(j, at, at + 1, "too many nested parentheses");
                return false;
            }
            f.open[f.n++] = c;
        } else if (c == '#' || (f.n == 0 && ends_expression(s, &at, end))) {
            break;
        } else if (is_close(c) && !scan_close(j, &f, at)) {
            return false;
        }
    }
    if (at < end && refuse_byte(j, at)) return false;
    *out = at;
    return scan_over(j, &f, begin, at, end);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r' || c == '\v';
}

/* `!r` and its like; *at stands on the '!'. */
static bool conversion(joiner *j, uint32_t *at, uint32_t end, int *out)
{
    const char *s = source_text(j);
    unsigned char c = 0;
    if (*at + 1 < end) c = (unsigned char)s[*at + 1];
    if (c != 's' && c != 'r' && c != 'a') {
        bad_field(j, *at, *at + 1, "invalid conversion character: expected 's', 'r', or 'a'");
        return false;
    }
    *out = c;
    *at += 2;
    return true;
}

/* The format spec behind a ':': again text and fields. */
static nkx_node *format_spec(joiner *j, const literal *l, uint32_t *at, uint32_t end, int depth)
{
    joiner inner = {.p = j->p, .u = j->u, .warned = j->warned, .values = nkx_nodelist_new(j->p)};
    uint32_t begin = *at;
    *at = pieces(&inner, l, *at, end, depth + 1);
    flush_text(&inner);
    nkx_buf_fini(&inner.text);
    nkx_joined *n = nkx_node_make(j->p, NKX_JOINED_STR, sizeof *n, begin, *at);
    n->values = nkx_nodelist_done(j->p, inner.values);
    nkx_node_adopt_all(j->p, &n->base, &n->values);
    return &n->base;
}

typedef struct field {
    uint32_t begin, expr_end; /* of the expression */
    bool shows_text;          /* {x=} */
    int conversion;
    nkx_node *value, *spec;
} field;

/* Everything between the braces; *at stands behind the '{', afterwards on the '}'. */
static bool read_field(joiner *j, const literal *l, uint32_t *at, uint32_t end, int depth, field *f)
{
    const char *s = source_text(j);
    uint32_t errors = j->p->n_errors;
    f->begin = *at;
    f->conversion = -1;
    if (!scan_expression(j, *at, end, &f->expr_end)) return false;
    uint32_t first = f->begin;
    while (first < f->expr_end && is_blank(s[first])) first++;
    if (first == f->expr_end) {
        bad_field(j, f->begin - 1, f->expr_end + 1, "empty expression not allowed");
        return false;
    }
    *at = f->expr_end;
    if (s[*at] == '=') {
        f->shows_text = true;
        ++*at;
        while (*at < end && is_blank(s[*at])) ++*at;
        literal plain = {.raw = true};
        add_text(j, &plain, f->begin, *at);
    }
    f->value = nkx_parse_field(j->p, f->begin, f->expr_end);
    if (f->value == NULL) return false;
    if (*at < end && s[*at] == '!' && !conversion(j, at, end, &f->conversion)) return false;
    if (*at < end && s[*at] == ':') {
        ++*at;
        f->spec = format_spec(j, l, at, end, depth);
    }
    if (*at >= end || s[*at] != '}') {
        if (j->p->n_errors == errors) bad_field(j, f->begin - 1, *at, "expecting '}'");
        return false;
    }
    if (f->shows_text && f->spec == NULL && f->conversion < 0) f->conversion = 'r';
    return true;
}

/* at stands on the '{'; returns where the text goes on, `end` after an error. */
static uint32_t add_field(joiner *j, const literal *l, uint32_t at, uint32_t end, int depth)
{
    field f = {0};
    uint32_t begin = at, errors = j->p->n_errors;
    if (depth >= 2) {
        bad_field(j, at, at + 1, "expressions nested too deeply");
        return end;
    }
    at++;
    if (!read_field(j, l, &at, end, depth, &f)) return end;
    if (j->p->n_errors != errors) return end;
    flush_text(j);
    nkx_formatted *n = nkx_node_make(j->p, NKX_FORMATTED, sizeof *n, begin, at + 1);
    n->value = f.value;
    n->conversion = f.conversion;
    n->spec = f.spec;
    nkx_node_adopt(j->p, &n->base, f.value);
    nkx_node_adopt(j->p, &n->base, f.spec);
    (void)nkx_nodelist_node(j->p, j->values, &n->base, at + 1);
    return at + 1;
}

/* `\N{...}`: its braces are no field. Returns where it ends, or 0. */
static uint32_t named_escape_end(const char *s, const literal *l, uint32_t at, uint32_t end)
{
    if (l->raw || at + 2 >= end || s[at] != '\\' || s[at + 1] != 'N' || s[at + 2] != '{') return 0;
    const char *close = memchr(s + at, '}', end - at);
    return close != NULL ? (uint32_t)(close - s) + 1 : 0;
}

/* The end of the literal text that begins at `at`: a brace that means something, or the end. */
static uint32_t text_end(const char *s, const literal *l, uint32_t at, uint32_t end)
{
    while (at < end && s[at] != '{' && s[at] != '}') {
        uint32_t behind = named_escape_end(s, l, at, end);
        if (behind != 0) {
            at = behind;
        } else if (s[at] == '\\' && !l->raw && at + 1 < end && s[at + 1] != '{' &&
                   s[at + 1] != '}') {
            at += 2;
        } else {
            at++;
        }
    }
    return at < end ? at : end;
}

/* Text and fields of an f-string from `at`; in a format spec (depth > 0) a '}' ends it. */
static uint32_t pieces(joiner *j, const literal *l, uint32_t at, uint32_t end, int depth)
{
    const char *s = source_text(j);
    while (at < end && !j->p->stop) {
        uint32_t brace = text_end(s, l, at, end);
        bool doubled = depth == 0 && brace + 1 < end && s[brace + 1] == s[brace];
        add_text(j, l, at, brace < end && doubled ? brace + 1 : brace);
        at = brace;
        if (at == end) break;
        if (doubled) {
            at += 2;
        } else if (s[at] == '{') {
            at = add_field(j, l, at, end, depth);
        } else if (depth > 0) {
            break;
        } else {
            bad_field(j, at, at + 1, "single '}' is not allowed");
            return end;
        }
    }
    return at;
}

/* ---- neighbours ---- */

static bool check_bytes(joiner *j, const literal *l)
{
    const char *s = source_text(j);
    for (uint32_t i = l->begin; i < l->end; i++) {
        if ((unsigned char)s[i] < 0x80) continue;
        bad_escape(j, i, i + 1, "bytes can only contain ASCII literal characters");
        return false;
    }
    return true;
}

static void add_literal(joiner *j, const literal *l)
{
    j->warned = false;
    if (l->bytes && !check_bytes(j, l)) return;
    if (l->formatted) {
        (void)pieces(j, l, l->begin, l->end, 0);
    } else {
        add_text(j, l, l->begin, l->end);
    }
}

/* Bytes and strings do not mix; reports if they do. */
static bool same_sort(nkx_parser *p, nkx_strings strings, bool *formatted)
{
    bool any_bytes = false, any_text = false;
    for (uint32_t i = 0; i < strings.n; i++) {
        literal l = take_apart(p, &strings.first[i]);
        any_bytes = any_bytes || l.bytes;
        any_text = any_text || !l.bytes;
        *formatted = *formatted || l.formatted;
    }
    if (!any_bytes || !any_text) return true;
    nkx_span span = NKX_SPAN(p, strings.first->begin, strings.first[strings.n - 1].end);
    (void)nkx_syntax_error(p, NKX_E128, "SyntaxError", span,
                           "cannot mix bytes and nonbytes literals");
    return false;
}

nkx_node *nkx_string_value(nkx_parser *p, nkx_strings strings)
{
    uint32_t begin = strings.first->begin, end = strings.first[strings.n - 1].end;
    joiner j = {.p = p, .span = NKX_SPAN(p, begin, end)};
    bool formatted = false;
    literal first = take_apart(p, strings.first);
    j.u = first.u;
    bool good = same_sort(p, strings, &formatted);
    if (formatted) j.values = nkx_nodelist_new(p);
    for (uint32_t i = 0; good && i < strings.n; i++) {
        literal l = take_apart(p, &strings.first[i]);
        add_literal(&j, &l);
    }
    nkx_node *n;
    if (formatted) {
        flush_text(&j);
        nkx_joined *joined = nkx_node_make(p, NKX_JOINED_STR, sizeof *joined, begin, end);
        joined->values = nkx_nodelist_done(p, j.values);
        nkx_node_adopt_all(p, &joined->base, &joined->values);
        n = &joined->base;
    } else {
        n = make_constant(&j, first.bytes ? NKX_CONST_BYTES : NKX_CONST_STR, begin, end);
    }
    nkx_buf_fini(&j.text);
    return n;
}
