/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnostics: one type for every layer. Whoever finds a fault adds the diagnostic; callers add
 * notes at most and pass `false` on. The list belongs to a runtime; messages live in its arena.
 *
 * Severity comes from the code's row and the switches: --allow CODE drops an error to nothing
 * (the check is off; syntax errors, E1xx of severity ERROR, stay), --strict raises warnings to
 * errors, --lenient lowers refusals of style to warnings. nkx_diag_add answers whether the fault
 * stops its caller.
 */
#ifndef NKX_BASE_DIAG_H
#define NKX_BASE_DIAG_H

#include "interp/base/buf.h"
#include "interp/base/source.h"

typedef enum nkx_severity {
    NKX_SEV_ERROR,  /* always refused unless --allow */
    NKX_SEV_REFUSE, /* an error by default, a warning with --lenient */
    NKX_SEV_WARN,   /* a warning by default, an error with --strict */
    NKX_SEV_HINT,   /* shown once, never an error */
} nkx_severity;

typedef enum nkx_code {
#define NKX_CODE(id, sev, name, title, source, explain, wrong, right) NKX_E##id,
#include "interp/base/diag_codes.def"
#undef NKX_CODE
    NKX_N_CODES,
} nkx_code;

typedef struct nkx_code_row {
    uint16_t number; /* 312 for E312 */
    nkx_severity severity;
    const char *name;          /* "free_size_mismatch": a stable short name */
    const char *title;         /* one line */
    const char *source;        /* where the rule comes from */
    const char *explain;       /* what it means and how to mend it; paragraphs of full sentences */
    const char *wrong, *right; /* example programs, run as tests; NULL where none can be given */
} nkx_code_row;

extern const nkx_code_row nkx_code_rows[NKX_N_CODES];
/* By "E312", "312" or short name; NKX_N_CODES when there is none. */
nkx_code nkx_code_find(const char *text);

typedef struct nkx_note {
    nkx_span span;
    const char *text;
} nkx_note;

typedef struct nkx_diag {
    nkx_code code;
    bool is_error; /* after the switches */
    bool is_syntax;
    nkx_span span;
    const char
        *message;       /* one line, lower case, no full stop, with the value found and the limit */
    const char *hint;   /* full sentences, what to do; NULL if nothing is worth saying */
    const char *detail; /* further lines shown as they are (a table of who holds what); NULL */
    nkx_note *notes;
    size_t n_notes, cap_notes;
} nkx_diag;

typedef struct nkx_diags {
    nkx_arena arena;
    nkx_sources *sources; /* borrowed */
    nkx_diag **list;      /* in the order found; pointers stay valid until fini */
    size_t n, cap;
    size_t n_errors, n_warnings;
    size_t max_errors; /* stop after so many; 0: no limit */
    bool strict, lenient;
    uint8_t allowed[NKX_N_CODES];
    nkx_diag **seen; /* hash table of what was given without being an error */
    size_t n_seen, cap_seen;
    void (*on_add)(void *user,
                   nkx_diag *d); /* called before a diagnostic is kept: adds the call stack */
    void *user;
} nkx_diags;

void nkx_diags_init(nkx_diags *d, nkx_sources *sources);
void nkx_diags_fini(nkx_diags *d);

/*
 * Adds a diagnostic. Returns it, or NULL when its code is allowed away or when the same warning
 * was already given for this place. `(nkx_diag_add(...) is an error)` is asked with nkx_diag_stops.
 */
nkx_diag *nkx_diag_add(nkx_diags *d, nkx_code code, nkx_span span, const char *fmt, ...)
    NKX_PRINTF(4, 5);
static inline bool nkx_diag_stops(const nkx_diag *g)
{
    return g != NULL && g->is_error;
}
void nkx_diag_hint(nkx_diags *d, nkx_diag *g, const char *fmt, ...)
    NKX_PRINTF(3, 4); /* g may be NULL */
void nkx_diag_note(nkx_diags *d, nkx_diag *g, nkx_span span, const char *fmt, ...) NKX_PRINTF(4, 5);
void nkx_diag_detail(nkx_diags *d, nkx_diag *g, const char *text);

/* Rendering. Colour only when asked. JSON: one object a diagnostic, in an array. */
void nkx_diag_render(const nkx_diags *d, const nkx_diag *g, bool colour, nkx_buf *out);
void nkx_diags_json(const nkx_diags *d, nkx_buf *out);

/* Nearest of n names to `text` for "did you mean", or NULL when none is near. */
const char *nkx_nearest(const char *text, const char *const *names, size_t n);

#endif
