/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes to tokens. A token is a kind and a byte range; what it means is for others. The kinds are
 * the grammar's terminals (parser.h, generated) and the few below, which never reach the grammar.
 *
 * The lexer knows lines: it drops newlines inside brackets, turns leading blanks into INDENT and
 * DEDENT, and keeps the stack of open brackets. It allocates nothing and reports nothing: a fault
 * comes out as a token whose kind is NKX_TOK_FAULT and whose `aux` says which, and the lexer can go
 * on behind it. The text must end in NUL and hold no other one.
 */
#ifndef NKX_GRAMMAR_LEXER_H
#define NKX_GRAMMAR_LEXER_H

#include "interp/base/attr.h"

enum { NKX_MAX_BRACKETS = 200, NKX_MAX_INDENTS = 100, NKX_TOK_FAULT = 254 };

typedef enum nkx_fault {
    NKX_FAULT_NONE,
    NKX_FAULT_CHARACTER, /* begins no token */
    NKX_FAULT_TABS,      /* tabs and spaces mixed so that the depth depends on the tab width */
    NKX_FAULT_UNINDENT,  /* column that no open block has; the DEDENTs follow */
    NKX_FAULT_TOO_MANY_INDENTS,
    NKX_FAULT_TOO_MANY_BRACKETS,
    NKX_FAULT_UNMATCHED,        /* closing bracket without an opening one */
    NKX_FAULT_MISMATCHED,       /* closes another kind than was opened; taken as closing it */
    NKX_FAULT_STRING,           /* ' or " not closed on its line */
    NKX_FAULT_LONG_STRING,      /* triple quotes not closed at all */
    NKX_FAULT_CONTINUATION,     /* something behind a backslash */
    NKX_FAULT_CONTINUATION_END, /* backslash at the end of the text */
    NKX_FAULT_NUMBER,           /* the rest of a number makes no sense */
    NKX_FAULT_LEADING_ZEROS,
    NKX_FAULT_DIGIT, /* a digit too large for the base */
} nkx_fault;

typedef struct nkx_token {
    uint16_t kind;
    uint16_t aux; /* nkx_fault of a fault; else 1 for the first token of a line inside brackets */
    uint32_t begin, end;
} nkx_token;

typedef struct nkx_bracket {
    char open;
    uint32_t at;
} nkx_bracket;

typedef struct nkx_lexer {
    const char *text;
    uint32_t len, at; /* offsets in text */
    uint32_t shift;   /* added to offsets in tokens: where text stands in its source */
    bool line_start, line_has_tokens, fresh;
    uint32_t n_open;
    nkx_bracket open[NKX_MAX_BRACKETS];
    uint32_t n_indents, n_dedents; /* open blocks; DEDENTs still to hand out */
    uint32_t columns[NKX_MAX_INDENTS + 1],
        alt_columns[NKX_MAX_INDENTS + 1]; /* tabs as 8 and as 1 */
} nkx_lexer;

/* Begins a file; skips a byte order mark. */
void nkx_lexer_init(nkx_lexer *lx, const char *text, uint32_t len);
/* Begins the inside of an f-string field, whose first byte stands at `shift` in its source: no
 * lines. */
void nkx_lexer_init_field(nkx_lexer *lx, const char *text, uint32_t len, uint32_t shift);
/* The next token; kind 0 at the end, for ever. */
nkx_token nkx_lexer_next(nkx_lexer *lx);
/* Forgets the open brackets and reads again from the start of the line that holds `offset`. */
void nkx_lexer_restart_line(nkx_lexer *lx, uint32_t offset);

#endif
