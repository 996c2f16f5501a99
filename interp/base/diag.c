/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of diagnostics and the switches on it. Layer base. How they look is diag_render.c's
 * business. Everything a diagnostic points at lives in the list's arena.
 */
#include "interp/base/diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const nkx_code_row nkx_code_rows[NKX_N_CODES] = {
#define NKX_CODE(id, sev, name, title, source, explain, wrong, right)                              \
    {id, NKX_SEV_##sev, #name, title, source, explain, wrong, right},
#include "interp/base/diag_codes.def"
#undef NKX_CODE
};

nkx_code nkx_code_find(const char *text)
{
    const char *digits = text[0] == 'E' || text[0] == 'e' ? text + 1 : text;
    char *end = NULL;
    long number = strtol(digits, &end, 10);
    bool is_number = end != digits && *end == '\0';
    for (int i = 0; i < NKX_N_CODES; i++) {
        bool same = is_number ? nkx_code_rows[i].number == number
                              : strcmp(nkx_code_rows[i].name, text) == 0;
        if (same) return (nkx_code)i;
    }
    return NKX_N_CODES;
}

void nkx_diags_init(nkx_diags *d, nkx_sources *sources)
{
    *d = (nkx_diags){0};
    nkx_arena_init(&d->arena);
    d->sources = sources;
}

void nkx_diags_fini(nkx_diags *d)
{
    nkx_arena_fini(&d->arena);
    free((void *)d->list);
    free((void *)d->seen);
    *d = (nkx_diags){0};
}

static bool severity_is_error(const nkx_diags *d, nkx_code code)
{
    switch (nkx_code_rows[code].severity) {
    case NKX_SEV_ERROR: return true;
    case NKX_SEV_REFUSE: return !d->lenient;
    case NKX_SEV_WARN: return d->strict;
    case NKX_SEV_HINT: return false;
    }
    return true;
}

/* A text that cannot be read has no meaning that could be let through. */
static bool can_be_allowed(nkx_code code)
{
    const nkx_code_row *row = &nkx_code_rows[code];
    return row->number / 100 != 1 || row->severity != NKX_SEV_ERROR;
}

/* ---- once a place ---- */

/* Where (code, place) stands in the table, or would. */
static size_t seen_slot(const nkx_diags *d, nkx_code code, nkx_span span)
{
    uint32_t h =
        (uint32_t)code * 2654435761u ^ span.begin * 2246822519u ^ span.source * 3266489917u;
    size_t i = (h ^ h >> 15) & (d->cap_seen - 1);
    for (; d->seen[i] != NULL; i = (i + 1) & (d->cap_seen - 1)) {
        const nkx_diag *g = d->seen[i];
        if (g->code == code && g->span.source == span.source && g->span.begin == span.begin &&
            g->span.end == span.end) {
            break;
        }
    }
    return i;
}

/* A loop warns at one place a million times: this is the fast path. */
static bool already_given(const nkx_diags *d, nkx_code code, nkx_span span)
{
    return d->cap_seen > 0 && d->seen[seen_slot(d, code, span)] != NULL;
}

/* It is no error, so it is not to be given again. */
static void remember(nkx_diags *d, nkx_diag *g)
{
    if ((d->n_seen + 1) * 2 > d->cap_seen) {
        nkx_diag **old = d->seen;
        size_t n = d->cap_seen;
        d->cap_seen = n > 0 ? n * 2 : 32;
        d->seen = nkx_alloc(d->cap_seen * sizeof *d->seen);
        for (size_t i = 0; i < n; i++) {
            if (old[i] != NULL) d->seen[seen_slot(d, old[i]->code, old[i]->span)] = old[i];
        }
        free((void *)old);
    }
    d->seen[seen_slot(d, g->code, g->span)] = g;
    d->n_seen++;
}

static char *format(nkx_arena *a, const char *fmt, va_list ap) NKX_PRINTF(2, 0);
static char *format(nkx_arena *a, const char *fmt, va_list ap)
{
    nkx_buf b = {0};
    nkx_buf_vprintf(&b, fmt, ap);
    char *s = nkx_arena_str(a, b.at, b.len);
    nkx_buf_fini(&b);
    return s;
}

static void keep(nkx_diags *d, nkx_diag *g)
{
    if (d->n == d->cap) {
        d->cap = d->cap * 2 + 16;
        d->list = nkx_realloc((void *)d->list, d->cap * sizeof *d->list);
    }
    d->list[d->n++] = g;
}

nkx_diag *nkx_diag_add(nkx_diags *d, nkx_code code, nkx_span span, const char *fmt, ...)
{
    NKX_ASSERT(code < NKX_N_CODES);
    if (d->allowed[code] && can_be_allowed(code)) return NULL;
    bool is_error = severity_is_error(d, code);
    if (!is_error && already_given(d, code, span)) return NULL;

    nkx_diag *g = NKX_ARENA_NEW(&d->arena, nkx_diag);
    g->code = code;
    g->is_error = is_error;
    g->is_syntax = nkx_code_rows[code].number / 100 == 1;
    g->span = span;
    va_list ap;
    va_start(ap, fmt);
    g->message = format(&d->arena, fmt, ap);
    va_end(ap);
    /* Past the limit the fault still stops its caller, but the list stays as it is. */
    if (is_error && d->max_errors != 0 && d->n_errors >= d->max_errors) return g;
    if (d->on_add != NULL) d->on_add(d->user, g);
    keep(d, g);
    if (!is_error) remember(d, g);
    if (is_error) {
        d->n_errors++;
    } else if (nkx_code_rows[code].severity != NKX_SEV_HINT) {
        d->n_warnings++;
    }
    return g;
}

void nkx_diag_hint(nkx_diags *d, nkx_diag *g, const char *fmt, ...)
{
    if (g == NULL) return;
    va_list ap;
    va_start(ap, fmt);
    g->hint = format(&d->arena, fmt, ap);
    va_end(ap);
}

void nkx_diag_note(nkx_diags *d, nkx_diag *g, nkx_span span, const char *fmt, ...)
{
    if (g == NULL) return;
    if (g->n_notes == g->cap_notes) {
        size_t cap = g->cap_notes * 2 + 4;
        nkx_note *notes = NKX_ARENA_ARRAY(&d->arena, nkx_note, cap);
        if (g->n_notes) memcpy(notes, g->notes, g->n_notes * sizeof *notes);
        g->notes = notes;
        g->cap_notes = cap;
    }
    va_list ap;
    va_start(ap, fmt);
    g->notes[g->n_notes++] = (nkx_note){span, format(&d->arena, fmt, ap)};
    va_end(ap);
}

void nkx_diag_detail(nkx_diags *d, nkx_diag *g, const char *text)
{
    if (g == NULL) return;
    g->detail = nkx_arena_str(&d->arena, text, strlen(text));
}

/* ---- did you mean ---- */

enum { NEAR_MAX = 63 };

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

static bool same_letter(char a, char b)
{
    if (a >= 'A' && a <= 'Z') a = (char)(a + 32);
    if (b >= 'A' && b <= 'Z') b = (char)(b + 32);
    return a == b;
}

/* Edits (insert, delete, replace, swap neighbours) from a to b, case ignored. */
static size_t edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][NEAR_MAX + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++) above[j] = j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t cost = same_letter(a[i - 1], b[j - 1]) ? 0 : 1;
            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + cost);
            bool swapped = i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                           same_letter(a[i - 2], b[j - 1]);
            if (swapped && before[j - 2] + 1 < row[j]) row[j] = before[j - 2] + 1;
        }
        size_t *spare = before;
        before = above;
        above = row;
        row = spare;
    }
    return above[m];
}

const char *nkx_nearest(const char *text, const char *const *names, size_t n)
{
    size_t len = strlen(text);
    if (len == 0 || len > NEAR_MAX) return NULL;
    size_t best = len / 3 + 1; /* a third of the letters wrong is no slip any more */
    const char *found = NULL;
    for (size_t i = 0; i < n; i++) {
        if (names[i] == NULL) continue;
        size_t m = strlen(names[i]);
        if (m == 0 || m > NEAR_MAX || m + best < len || len + best < m) continue;
        size_t d = edit_distance(text, len, names[i], m);
        if (d < best || (d == best && found == NULL && d < len)) {
            best = d;
            found = names[i];
        }
    }
    return found;
}
