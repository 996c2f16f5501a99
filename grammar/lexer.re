/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lexer; re2c makes C of it. Layer syntax. One block a mode: ordinary text, the end of a
 * number, the four kinds of string. Every rule ends in return, continue or break.
 */
#include "grammar/lexer.h"
#include "grammar/parser.h" /* generated: the kinds */

#include <string.h>

/*!include:re2c "unicode_categories.re" */
/*!re2c
    re2c:define:YYCTYPE  = "unsigned char";
    re2c:define:YYCURSOR = s;
    re2c:define:YYMARKER = mark;
    re2c:yyfill:enable   = 0;
    re2c:encoding:utf8   = 1;

    newline    = "\r\n" | "\n" | "\r";
    blank      = [ \t\f];
    letter     = L | Nl | [_\u2118\u212E\u309B\u309C];
    namechar   = letter | Mn | Mc | Nd | Pc | [\u00B7\u0387\u1369-\u1371\u19DA];
    name       = letter namechar*;
    digits     = [0-9] ("_"? [0-9])*;
    decimal    = "0" ("_"? "0")* | [1-9] ("_"? [0-9])*;
    based      = "0" [xX] ("_"? [0-9a-fA-F])+ | "0" [oO] ("_"? [0-7])+ | "0" [bB] ("_"? [01])+;
    exponent   = [eE] [+-]? digits;
    pointfloat = digits "." digits? | "." digits;
    float      = pointfloat exponent? | digits exponent;
    imaginary  = (float | digits) [jJ];
    prefix     = [rR] | [bB] | [fF] | [uU] | [rR][bB] | [bB][rR] | [rR][fF] | [fF][rR];
*/

typedef unsigned char byte;

static nkx_token token(const nkx_lexer *lx, unsigned kind, uint32_t begin, uint32_t end)
{
    return (nkx_token){.kind = (uint16_t)kind, .begin = begin + lx->shift, .end = end + lx->shift};
}

static nkx_token fault(const nkx_lexer *lx, nkx_fault what, uint32_t begin, uint32_t end)
{
    nkx_token t = token(lx, NKX_TOK_FAULT, begin, end);
    t.aux = (uint16_t)what;
    return t;
}

static void init(nkx_lexer *lx, const char *text, uint32_t len)
{
    /* The stacks are written before they are read, so they need no clearing. */
    lx->text = text;
    lx->len = len;
    lx->at = lx->shift = 0;
    lx->line_start = true;
    lx->line_has_tokens = lx->fresh = false;
    lx->n_open = lx->n_indents = lx->n_dedents = 0;
    lx->columns[0] = lx->alt_columns[0] = 0;
}

void nkx_lexer_init(nkx_lexer *lx, const char *text, uint32_t len)
{
    init(lx, text, len);
    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) lx->at = 3;
}

void nkx_lexer_init_field(nkx_lexer *lx, const char *text, uint32_t len, uint32_t shift)
{
    init(lx, text, len);
    lx->shift = shift;
    lx->line_start = false;
    lx->open[lx->n_open++] = (nkx_bracket){'{', shift};
}

void nkx_lexer_restart_line(nkx_lexer *lx, uint32_t offset)
{
    uint32_t at = offset - lx->shift;
    while (at > 0 && lx->text[at - 1] != '\n' && lx->text[at - 1] != '\r') at--;
    lx->at = at;
    lx->n_open = 0;
    lx->line_start = true;
    lx->line_has_tokens = lx->fresh = false;
}

/* ---- strings ---- */

static nkx_token short_string(nkx_lexer *lx, const byte *s, uint32_t begin, byte quote)
{
    const byte *mark;
    bool        closed;
    if (quote == '\'') {
        /*!re2c
            single = ([^'\\\r\n\x00] | "\\" newline | "\\" [^\r\n\x00])*;
            single "'" { closed = true; goto done; }
            single     { closed = false; goto done; }
        */
    } else {
        /*!re2c
            double = ([^"\\\r\n\x00] | "\\" newline | "\\" [^\r\n\x00])*;
            double ["]  { closed = true; goto done; }
            double      { closed = false; goto done; }
        */
    }
done:
    lx->at = (uint32_t)(s - (const byte *)lx->text);
    return closed ? token(lx, NKX_T_STRING, begin, lx->at)
                  : fault(lx, NKX_FAULT_STRING, begin, lx->at);
}

static nkx_token long_string(nkx_lexer *lx, const byte *s, uint32_t begin, byte quote)
{
    const byte *mark;
    bool        closed;
    for (;;) {
        if (quote == '\'') {
            /*!re2c
                "'''"                    { closed = true; break; }
                "\x00"                   { closed = false; s--; break; }
                [^'\\\x00]+              { continue; }
                "\\" newline             { continue; }
                "\\" [^\r\n\x00]         { continue; }
                *                        { continue; }
            */
        } else {
            /*!re2c
                ["]["]["]                { closed = true; break; }
                "\x00"                   { closed = false; s--; break; }
                [^"\\\x00]+              { continue; }
                "\\" newline             { continue; }
                "\\" [^\r\n\x00]         { continue; }
                *                        { continue; }
            */
        }
    }
    lx->at = (uint32_t)(s - (const byte *)lx->text);
    return closed ? token(lx, NKX_T_STRING, begin, lx->at)
                  : fault(lx, NKX_FAULT_LONG_STRING, begin, begin + 3);
}

/* s stands behind the opening quote. */
static nkx_token string(nkx_lexer *lx, const byte *s, uint32_t begin)
{
    byte quote = s[-1];
    if (s[0] == quote && s[1] == quote) return long_string(lx, s + 2, begin, quote);
    return short_string(lx, s, begin, quote);
}

/* ---- numbers ---- */

/* What stands right behind a number decides whether it is one: `1if` is, `1x` and `1__0` are not. */
static nkx_token number(nkx_lexer *lx, const byte *s, uint32_t begin)
{
    const byte *mark, *end = s;
    bool        good;
    uint32_t    first = begin;
    const char *text = lx->text;
    /*!re2c
        ("and" | "else" | "for" | "if" | "in" | "is" | "or" | "not")  { good = true; goto done; }
        namechar+                                              { good = false; goto done; }
        ""                                                     { good = true; goto done; }
    */
done:
    if (good) {
        lx->at = (uint32_t)(end - (const byte *)text);
        return token(lx, NKX_T_NUMBER, begin, lx->at);
    }
    lx->at = (uint32_t)(s - (const byte *)text);
    if (text[first] == '0' && (text[first + 1] >= '0' && text[first + 1] <= '9')) {
        return fault(lx, NKX_FAULT_LEADING_ZEROS, begin, lx->at);
    }
    bool based = text[first] == '0' && strchr("xXoObB", text[first + 1]) != NULL;
    bool digit = based && *end >= '0' && *end <= '9';
    return fault(lx, digit ? NKX_FAULT_DIGIT : NKX_FAULT_NUMBER, begin, lx->at);
}

/* ---- lines ---- */

/*
 * Measures the blanks at a line's start; false when the line is empty or only a comment (then the
 * position is behind it).
 */
static bool measure(nkx_lexer *lx, uint32_t *column, uint32_t *alt)
{
    const char *text = lx->text;
    uint32_t    at = lx->at, joined = 0, joined_alt = 0;
    bool        is_joined = false;
    *column = *alt = 0;
    for (;; at++) {
        if (text[at] == ' ') {
            ++*column;
            ++*alt;
        } else if (text[at] == '\t') {
            *column = (*column / 8 + 1) * 8;
            ++*alt;
        } else if (text[at] == '\f') {
            *column = *alt = 0;
        } else if (text[at] == '\\' && (text[at + 1] == '\n' || text[at + 1] == '\r')) {
            /* The blanks before the first backslash count. */
            if (!is_joined) {
                joined = *column;
                joined_alt = *alt;
            }
            is_joined = true;
            at += text[at + 1] == '\r' && text[at + 2] == '\n' ? 2 : 1;
        } else {
            break;
        }
    }
    if (is_joined) {
        *column = joined;
        *alt = joined_alt;
    }
    if (text[at] == '#') at += (uint32_t)strcspn(text + at, "\r\n");
    lx->at = at;
    if (text[at] == '\r' || text[at] == '\n') {
        lx->at += text[at] == '\r' && text[at + 1] == '\n' ? 2 : 1;
        return false;
    }
    return text[at] != '\0';
}

/* Compares a line's column with the open blocks. True when *t is to be handed out now. */
static bool indentation(nkx_lexer *lx, uint32_t column, uint32_t alt, nkx_token *t)
{
    uint32_t top = lx->columns[lx->n_indents], alt_top = lx->alt_columns[lx->n_indents];
    if (column == top) {
        if (alt == alt_top) return false;
        *t = fault(lx, NKX_FAULT_TABS, lx->at - alt, lx->at);
        return true;
    }
    if (column > top) {
        if (alt <= alt_top) {
            *t = fault(lx, NKX_FAULT_TABS, lx->at - alt, lx->at);
        } else if (lx->n_indents == NKX_MAX_INDENTS) {
            *t = fault(lx, NKX_FAULT_TOO_MANY_INDENTS, lx->at, lx->at + 1);
        } else {
            lx->n_indents++;
            lx->columns[lx->n_indents] = column;
            lx->alt_columns[lx->n_indents] = alt;
            *t = token(lx, NKX_T_INDENT, lx->at, lx->at);
        }
        return true;
    }
    while (lx->n_indents > 0 && column < lx->columns[lx->n_indents]) {
        lx->n_indents--;
        lx->n_dedents++;
    }
    if (column != lx->columns[lx->n_indents]) {
        /* Taken as if it belonged to the block it ends in, so that the rest can be read. */
        *t = fault(lx, NKX_FAULT_UNINDENT, lx->at, lx->at);
        return true;
    }
    if (alt != lx->alt_columns[lx->n_indents]) {
        *t = fault(lx, NKX_FAULT_TABS, lx->at - alt, lx->at);
        return true;
    }
    lx->n_dedents--;
    *t = token(lx, NKX_T_DEDENT, lx->at, lx->at);
    return true;
}

/* The end of the text closes the last line and every block. */
static nkx_token end_of_text(nkx_lexer *lx)
{
    if (lx->line_has_tokens && lx->n_open == 0) {
        lx->line_has_tokens = false;
        return token(lx, NKX_T_NEWLINE, lx->len, lx->len);
    }
    if (lx->n_indents > 0 && lx->n_open == 0) {
        lx->n_indents--;
        return token(lx, NKX_T_DEDENT, lx->len, lx->len);
    }
    return token(lx, 0, lx->len, lx->len);
}

/* ---- brackets ---- */

static nkx_token open_bracket(nkx_lexer *lx, unsigned kind, uint32_t begin)
{
    lx->at = begin + 1;
    if (lx->n_open == NKX_MAX_BRACKETS) {
        return fault(lx, NKX_FAULT_TOO_MANY_BRACKETS, begin, begin + 1);
    }
    lx->open[lx->n_open++] = (nkx_bracket){lx->text[begin], begin + lx->shift};
    return token(lx, kind, begin, begin + 1);
}

static nkx_token close_bracket(nkx_lexer *lx, unsigned kind, uint32_t begin, char opener)
{
    lx->at = begin + 1;
    if (lx->n_open == 0) return fault(lx, NKX_FAULT_UNMATCHED, begin, begin + 1);
    char found = lx->open[--lx->n_open].open;
    if (found != opener) return fault(lx, NKX_FAULT_MISMATCHED, begin, begin + 1);
    return token(lx, kind, begin, begin + 1);
}

/* ---- ordinary text ---- */

static nkx_token scan(nkx_lexer *lx)
{
    const byte *base = (const byte *)lx->text;
    const byte *s = base + lx->at, *mark;
    unsigned    kind;
    uint32_t    begin;
    for (;;) {
        begin = (uint32_t)(s - base);
        /*!re2c
            blank+           { continue; }
            "#" [^\r\n\x00]* { continue; }
            "\\" newline {
                if (*s != '\0') continue;
                lx->at = (uint32_t)(s - base);
                return fault(lx, NKX_FAULT_CONTINUATION_END, begin, begin + 1);
            }
            "\\" {
                lx->at = (uint32_t)(s - base);
                return fault(lx, NKX_FAULT_CONTINUATION, begin, begin + 1);
            }
            newline {
                lx->at = (uint32_t)(s - base);
                if (lx->n_open > 0) {
                    lx->fresh = true;
                    continue;
                }
                lx->line_start = true;
                lx->line_has_tokens = false;
                return token(lx, NKX_T_NEWLINE, begin, lx->at);
            }
            "\x00" {
                lx->at = lx->len;
                return end_of_text(lx);
            }

            "False"    { kind = NKX_T_FALSE;    break; }
            "None"     { kind = NKX_T_NONE;     break; }
            "True"     { kind = NKX_T_TRUE;     break; }
            "and"      { kind = NKX_T_AND;      break; }
            "as"       { kind = NKX_T_AS;       break; }
            "assert"   { kind = NKX_T_ASSERT;   break; }
            "async"    { kind = NKX_T_ASYNC;    break; }
            "await"    { kind = NKX_T_AWAIT;    break; }
            "break"    { kind = NKX_T_BREAK;    break; }
            "class"    { kind = NKX_T_CLASS;    break; }
            "continue" { kind = NKX_T_CONTINUE; break; }
            "def"      { kind = NKX_T_DEF;      break; }
            "del"      { kind = NKX_T_DEL;      break; }
            "elif"     { kind = NKX_T_ELIF;     break; }
            "else"     { kind = NKX_T_ELSE;     break; }
            "except"   { kind = NKX_T_EXCEPT;   break; }
            "finally"  { kind = NKX_T_FINALLY;  break; }
            "for"      { kind = NKX_T_FOR;      break; }
            "from"     { kind = NKX_T_FROM;     break; }
            "global"   { kind = NKX_T_GLOBAL;   break; }
            "if"       { kind = NKX_T_IF;       break; }
            "import"   { kind = NKX_T_IMPORT;   break; }
            "in"       { kind = NKX_T_IN;       break; }
            "is"       { kind = NKX_T_IS;       break; }
            "lambda"   { kind = NKX_T_LAMBDA;   break; }
            "nonlocal" { kind = NKX_T_NONLOCAL; break; }
            "not"      { kind = NKX_T_NOT;      break; }
            "or"       { kind = NKX_T_OR;       break; }
            "pass"     { kind = NKX_T_PASS;     break; }
            "raise"    { kind = NKX_T_RAISE;    break; }
            "return"   { kind = NKX_T_RETURN;   break; }
            "try"      { kind = NKX_T_TRY;      break; }
            "while"    { kind = NKX_T_WHILE;    break; }
            "with"     { kind = NKX_T_WITH;     break; }
            "yield"    { kind = NKX_T_YIELD;    break; }
            name       { kind = NKX_T_NAME;     break; }

            prefix? ['"] { return string(lx, s, begin); }

            (decimal | based | float | imaginary) { return number(lx, s, begin); }
            digits                                { return number(lx, base + begin, begin); }
            "0" [xXoObB]                          { return number(lx, base + begin + 1, begin); }

            "("   { return open_bracket(lx, NKX_T_LPAR, begin); }
            "["   { return open_bracket(lx, NKX_T_LBRACKET, begin); }
            "{"   { return open_bracket(lx, NKX_T_LBRACE, begin); }
            ")"   { return close_bracket(lx, NKX_T_RPAR, begin, '('); }
            "]"   { return close_bracket(lx, NKX_T_RBRACKET, begin, '['); }
            "}"   { return close_bracket(lx, NKX_T_RBRACE, begin, '{'); }

            ","   { kind = NKX_T_COMMA;     break; }
            ":"   { kind = NKX_T_COLON;     break; }
            ":="  { kind = NKX_T_WALRUS;    break; }
            ";"   { kind = NKX_T_SEMI;      break; }
            "."   { kind = NKX_T_DOT;       break; }
            "..." { kind = NKX_T_ELLIPSIS;  break; }
            "->"  { kind = NKX_T_ARROW;     break; }
            "="   { kind = NKX_T_EQ;        break; }
            "+"   { kind = NKX_T_PLUS;      break; }
            "-"   { kind = NKX_T_MINUS;     break; }
            "*"   { kind = NKX_T_STAR;      break; }
            "/"   { kind = NKX_T_SLASH;     break; }
            "//"  { kind = NKX_T_DSLASH;    break; }
            "%"   { kind = NKX_T_PERCENT;   break; }
            "@"   { kind = NKX_T_AT;        break; }
            "**"  { kind = NKX_T_POW;       break; }
            "&"   { kind = NKX_T_AMP;       break; }
            "|"   { kind = NKX_T_BAR;       break; }
            "^"   { kind = NKX_T_CARET;     break; }
            "~"   { kind = NKX_T_TILDE;     break; }
            "<<"  { kind = NKX_T_LSHIFT;    break; }
            ">>"  { kind = NKX_T_RSHIFT;    break; }
            "<"   { kind = NKX_T_LT;        break; }
            ">"   { kind = NKX_T_GT;        break; }
            "<="  { kind = NKX_T_LE;        break; }
            ">="  { kind = NKX_T_GE;        break; }
            "=="  { kind = NKX_T_EQEQ;      break; }
            "!="  { kind = NKX_T_NE;        break; }
            "+="  { kind = NKX_T_PLUSEQ;    break; }
            "-="  { kind = NKX_T_MINUSEQ;   break; }
            "*="  { kind = NKX_T_STAREQ;    break; }
            "/="  { kind = NKX_T_SLASHEQ;   break; }
            "//=" { kind = NKX_T_DSLASHEQ;  break; }
            "%="  { kind = NKX_T_PERCENTEQ; break; }
            "@="  { kind = NKX_T_ATEQ;      break; }
            "**=" { kind = NKX_T_POWEQ;     break; }
            "&="  { kind = NKX_T_AMPEQ;     break; }
            "|="  { kind = NKX_T_BAREQ;     break; }
            "^="  { kind = NKX_T_CARETEQ;   break; }
            "<<=" { kind = NKX_T_LSHIFTEQ;  break; }
            ">>=" { kind = NKX_T_RSHIFTEQ;  break; }

            [^\x00] {
                lx->at = (uint32_t)(s - base);
                return fault(lx, NKX_FAULT_CHARACTER, begin, lx->at);
            }
            * {
                lx->at = (uint32_t)(s - base);
                return fault(lx, NKX_FAULT_CHARACTER, begin, lx->at);
            }
        */
    }
    lx->at = (uint32_t)(s - base);
    return token(lx, kind, begin, lx->at);
}

nkx_token nkx_lexer_next(nkx_lexer *lx)
{
    nkx_token t;
    if (lx->n_dedents > 0) {
        lx->n_dedents--;
        return token(lx, NKX_T_DEDENT, lx->at, lx->at);
    }
    while (lx->line_start) {
        uint32_t column, alt;
        if (!measure(lx, &column, &alt)) {
            if (lx->text[lx->at] == '\0') break;
            continue;
        }
        lx->line_start = false;
        if (indentation(lx, column, alt, &t)) return t;
    }
    lx->fresh = false;
    t = scan(lx);
    if (t.kind != NKX_TOK_FAULT && t.kind != 0 && t.kind != NKX_T_NEWLINE) {
        /* DEDENT at the end of the text comes by here too, and belongs to no line. */
        lx->line_has_tokens = t.kind != NKX_T_DEDENT;
        if (lx->fresh) t.aux = 1;
    }
    return t;
}
