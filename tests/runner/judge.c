/* SPDX-License-Identifier: Apache-2.0 */
/* Compares what came out of a case with its marks, and rewrites the marks with --update. */
#include "interp/base/file.h"
#include "tests/runner/golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const nkx_buf *b)
{
    return b->at ? b->at : "";
}

/* First line where two texts part. */
static void show_difference(const char *what, const char *want, const char *got, nkx_buf *why)
{
    int line = 1;
    while (*want && *want == *got) {
        const char *w = strchr(want, '\n'), *g = strchr(got, '\n');
        if (!w || !g || w - want != g - got || strncmp(want, got, (size_t)(w - want)) != 0) break;
        want = w + 1;
        got = g + 1;
        line++;
    }
    nkx_buf_printf(why, "%s line %d: expected '%.*s', found '%.*s'\n", what, line,
                   (int)strcspn(want, "\n"), want, (int)strcspn(got, "\n"), got);
}

static bool same_text(const char *what, const nkx_buf *want, const nkx_buf *got, nkx_buf *why)
{
    if (strcmp(text_of(want), text_of(got)) == 0) return true;
    show_difference(what, text_of(want), text_of(got), why);
    return false;
}

static bool contains(const found_diag *d, const char *words)
{
    char *text = nkx_dup(d->text, d->len + 1);
    text[d->len] = '\0';
    bool found = strstr(text, words) != NULL;
    free(text);
    return found;
}

static bool match_diags(golden *g, found_diags *found, nkx_buf *why)
{
    bool fine = true;
    for (size_t i = 0; i < g->diags.n; i++) {
        expected_diag *e = &g->diags.at[i];
        for (size_t k = 0; k < found->n && !e->met; k++) {
            found_diag *d = &found->at[k];
            if (d->met || d->line != e->line || strcmp(d->code, e->code) != 0 ||
                !contains(d, e->words))
                continue;
            d->met = e->met = true;
        }
        if (e->met) continue;
        nkx_buf_printf(why, "line %d: expected %s %s\n", e->line, e->code, e->words);
        fine = false;
    }
    for (size_t k = 0; k < found->n; k++) {
        const found_diag *d = &found->at[k];
        if (d->met) continue;
        nkx_buf_printf(why, "line %d: unexpected %.*s\n", d->line, (int)strcspn(d->text, "\n"),
                       d->text);
        fine = false;
    }
    return fine;
}

static int expected_exit(const golden *g, const found_diags *found)
{
    if (g->has_exit) return g->exit;
    for (size_t k = 0; k < found->n; k++) {
        if (found->at[k].is_error) return 1;
    }
    return 0;
}

bool golden_judge(golden *g, const outcome *o, nkx_buf *why)
{
    found_diags found = {0};
    find_diags(g, o, &found);
    bool fine = true;
    if (!g->has_ps || found.n > 0) fine = match_diags(g, &found, why);
    if (g->has_out) fine = same_text("stdout", &g->out, &o->out, why) && fine;
    if (g->has_err) fine = same_text("stderr", &g->err, &o->err, why) && fine;
    if (g->has_ps && modelled_ps(&o->out) != g->ps) {
        nkx_buf_printf(why, "time: expected %lld ps, found %lld ps\n", g->ps, modelled_ps(&o->out));
        fine = false;
    }
    int want = expected_exit(g, &found);
    if (o->exit != want) {
        nkx_buf_printf(why, "exit code: expected %d, found %d\n%s", want, o->exit,
                       text_of(&o->err));
        fine = false;
    }
    nkx_vec_fini(&found);
    return fine;
}

/* ---- update ---- */

typedef struct update {
    const golden *g;
    nkx_buf text;
    const char *out; /* stdout still to be placed */
    bool reuse; /* stdout has as many lines as there are marks: each is replaced in its place */
    found_diags found;
    const outcome *o;
} update;

static size_t count_lines(const char *s)
{
    size_t n = 0;
    for (; *s; s++) n += *s == '\n';
    return n;
}

static const char *mark_in(const char *s, const char *end, char kind)
{
    for (; s + 1 < end; s++) {
        if (s[0] == '#' && s[1] == kind && (s + 2 == end || s[2] == ' ')) return s;
    }
    return NULL;
}

static void put_out_line(update *u)
{
    size_t n = strcspn(u->out, "\n");
    nkx_buf_printf(&u->text, n ? "#> %.*s" : "#>", (int)n, u->out);
    u->out += n + (u->out[n] == '\n');
}

/* Words that were asked for are kept while they still hold. */
static void put_diags(update *u, int line)
{
    for (size_t k = 0; k < u->found.n; k++) {
        const found_diag *d = &u->found.at[k];
        if (d->line != line) continue;
        nkx_buf_printf(&u->text, "  #! %s", d->code);
        for (size_t i = 0; i < u->g->diags.n; i++) {
            const expected_diag *e = &u->g->diags.at[i];
            if (e->line != line || strcmp(e->code, d->code) != 0 || !*e->words ||
                !contains(d, e->words))
                continue;
            nkx_buf_printf(&u->text, " %s", e->words);
            break;
        }
    }
}

static void put_line(update *u, int number, const char *s, const char *end)
{
    const char *err = mark_in(s, end, '|');
    if (err == s) return; /* the block is written anew at the end */
    if (u->g->has_ps && strncmp(s, "#@ ps:", 6) == 0) {
        nkx_buf_printf(&u->text, "#@ ps: %lld\n", modelled_ps(&u->o->out));
        return;
    }
    const char *out = mark_in(s, end, '>'), *diag = mark_in(s, end, '!');
    const char *stop = out && (!diag || out < diag) ? out : diag ? diag : end;
    while (stop > s && stop < end && stop[-1] == ' ') stop--;
    bool only_out = out && stop == s && !diag;
    if (only_out && !u->reuse) return;
    nkx_buf_add(&u->text, s, (size_t)(stop - s));
    put_diags(u, number);
    if (out && u->reuse) {
        nkx_buf_str(&u->text, only_out ? "" : "  ");
        put_out_line(u);
    }
    nkx_buf_char(&u->text, '\n');
}

static void put_block(update *u, const char *mark, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        nkx_buf_printf(&u->text, n ? "%s %.*s\n" : "%s\n", mark, (int)n, text);
        text += n + (text[n] == '\n');
    }
}

bool golden_update(const golden *g, const outcome *o)
{
    update u = {.g = g, .o = o, .out = text_of(&o->out)};
    u.reuse = g->has_out && count_lines(u.out) == count_lines(text_of(&g->out));
    find_diags(g, o, &u.found);
    const char *s = text_of(&g->text), *end = s + g->text.len;
    for (int number = 1; s < end; number++) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));
        if (stop == NULL) stop = end;
        put_line(&u, number, s, stop);
        s = stop + 1;
    }
    if (g->has_out && !u.reuse) put_block(&u, "#>", u.out);
    if (g->has_err) put_block(&u, "#|", text_of(&o->err));
    const char *why = NULL;
    bool fine = nkx_file_write(g->path, u.text.at, u.text.len, &why);
    if (!fine) fprintf(stderr, "%s: %s\n", g->path, why);
    nkx_buf_fini(&u.text);
    nkx_vec_fini(&u.found);
    return fine;
}
