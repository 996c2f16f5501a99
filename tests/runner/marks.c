/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the marks of a golden case, and finds diagnostics in what the program wrote. */
#include "interp/base/file.h"
#include "tests/runner/golden.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy(const char *s, size_t len)
{
    char *p = nkx_alloc(len + 1);
    memcpy(p, s, len);
    return p;
}

/* Value of "key: value" when the line has that key. */
static bool setting(const char *s, size_t len, const char *key, char **out)
{
    size_t n = strlen(key);
    if (len <= n || strncmp(s, key, n) != 0 || s[n] != ':') return false;
    for (n++; n < len && s[n] == ' ';) n++;
    free(*out);
    *out = copy(s + n, len - n);
    return true;
}

static void read_setting(golden *g, const char *s, size_t len)
{
    char *number = NULL;
    if (setting(s, len, "args", &g->args) || setting(s, len, "command", &g->command)) return;
    if (setting(s, len, "target", &g->target) || setting(s, len, "machine", &g->machine)) return;
    if (setting(s, len, "skip", &g->skip) || setting(s, len, "env", &g->env)) return;
    if (setting(s, len, "ps", &number)) {
        g->has_ps = true;
        g->ps = atoll(number);
    } else if (setting(s, len, "exit", &number)) {
        g->has_exit = true;
        g->exit = atoi(number);
    } else {
        fprintf(stderr, "%s: unknown setting '#@ %.*s'\n", g->path, (int)len, s);
        g->has_exit = true; /* makes the case fail: a misspelt setting must not pass unseen */
        g->exit = -1;
    }
    free(number);
}

static void read_diag(golden *g, int line, const char *s, size_t len)
{
    expected_diag d = {.line = line};
    size_t n = 0;
    while (n < len && n < sizeof d.code - 1 && !isspace((unsigned char)s[n])) n++;
    memcpy(d.code, s, n);
    while (n < len && s[n] == ' ') n++;
    d.words = copy(s + n, len - n);
    nkx_push(&g->diags, d);
}

static void read_mark(golden *g, int line, char kind, const char *s, size_t len)
{
    if (len > 0 && s[0] == ' ') {
        s++;
        len--;
    }
    switch (kind) {
    case '>':
        g->has_out = true;
        nkx_buf_add(&g->out, s, len);
        nkx_buf_char(&g->out, '\n');
        return;
    case '|':
        g->has_err = true;
        nkx_buf_add(&g->err, s, len);
        nkx_buf_char(&g->err, '\n');
        return;
    case '!': read_diag(g, line, s, len); return;
    case '@': read_setting(g, s, len); return;
    default: return;
    }
}

/* A mark is `#` with one of >!@| behind it; several may stand on a line, each up to the next. */
static const char *next_mark(const char *s, const char *end)
{
    for (; s + 1 < end; s++) {
        if (s[0] == '#' && strchr(">!@|", s[1]) && (s + 2 == end || s[2] == ' ')) return s;
    }
    return end;
}

static void read_line(golden *g, int number, const char *s, const char *end)
{
    for (const char *m = next_mark(s, end); m < end;) {
        const char *next = m[1] == '!' ? next_mark(m + 2, end) : end;
        const char *stop = next;
        while (m[1] == '!' && stop > m + 2 && stop[-1] == ' ') stop--;
        read_mark(g, number, m[1], m + 2, (size_t)(stop - m - 2));
        m = next;
    }
}

bool golden_read(golden *g, const char *path)
{
    const char *why = NULL;
    *g = (golden){.path = path};
    if (!nkx_file_read(path, 0, &g->text, &why)) {
        fprintf(stderr, "%s: %s\n", path, why);
        return false;
    }
    int number = 0;
    const char *s = g->text.at ? g->text.at : "", *end = s + g->text.len;
    while (s < end) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));
        if (stop == NULL) stop = end;
        read_line(g, ++number, s, stop);
        s = stop + 1;
    }
    return true;
}

void golden_fini(golden *g)
{
    for (size_t i = 0; i < g->diags.n; i++) free(g->diags.at[i].words);
    nkx_vec_fini(&g->diags);
    nkx_buf_fini(&g->text);
    nkx_buf_fini(&g->out);
    nkx_buf_fini(&g->err);
    free(g->args);
    free(g->command);
    free(g->target);
    free(g->machine);
    free(g->skip);
    free(g->env);
}

/* "path:12:5: error[E312]: ..." at s: fills in d. */
static bool header(const golden *g, const char *s, const char *end, found_diag *d)
{
    size_t n = strlen(g->path);
    if ((size_t)(end - s) < n + 8 || strncmp(s, g->path, n) != 0 || s[n] != ':') return false;
    char kind[16], code[8];
    int line, col;
    if (sscanf(s + n, ":%d:%d: %15[a-z][%7[E0-9]]", &line, &col, kind, code) != 4) return false;
    *d = (found_diag){.line = line, .is_error = strcmp(kind, "error") == 0, .text = s};
    memcpy(d->code, code, sizeof d->code);
    return true;
}

void find_diags(const golden *g, const outcome *o, found_diags *out)
{
    const char *s = o->err.at ? o->err.at : "", *end = s + o->err.len;
    while (s < end) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));
        found_diag d;
        if (stop == NULL) stop = end;
        if (header(g, s, stop, &d)) nkx_push(out, d);
        if (out->n > 0) out->at[out->n - 1].len = (size_t)(stop - out->at[out->n - 1].text);
        s = stop + 1;
    }
}

long long modelled_ps(const nkx_buf *out)
{
    const char *at = out->at ? strstr(out->at, "\"modelled_ps\":") : NULL;
    return at ? atoll(at + sizeof "\"modelled_ps\":" - 1) : -1;
}
