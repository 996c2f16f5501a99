/* SPDX-License-Identifier: Apache-2.0 */
/* Line editing with libedit: history in ~/.nkx_history, completion of names on Tab, Ctrl-C drops a
 * line. */
#include "interp/cli/line.h"

#include <ctype.h>
#include <histedit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct line_reader {
    nkx_runtime *rt;
    EditLine *el; /* NULL: a pipe */
    History *hist;
    char *history_path;
    bool more, cancelled;
    bool listed; /* the last Tab found several names and stopped */
};

static line_reader *reader_of(EditLine *el)
{
    void *p = NULL;
    el_get(el, EL_CLIENTDATA, &p);
    return p;
}

static char *prompt(EditLine *el)
{
    static char first[] = "nkx> ",
                next[] = "...> "; /* libedit wants char *, and does not write to it */
    return reader_of(el)->more ? next : first;
}

static unsigned char on_cancel(EditLine *el, int key)
{
    (void)key;
    reader_of(el)->cancelled = true;
    return CC_NEWLINE;
}

/* ---- completion ---- */

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || (unsigned char)c >= 0x80;
}

/* Length of what all lines of `names` begin with. */
static size_t common_prefix(const char *names, size_t *n_names)
{
    size_t len = strcspn(names, "\n");
    *n_names = 0;
    for (const char *p = names; *p; p += strcspn(p, "\n") + 1) {
        size_t k = 0;
        while (k < len && p[k] == names[k]) k++;
        len = k;
        (*n_names)++;
        if (p[strcspn(p, "\n")] == '\0') break;
    }
    return len;
}

static void list_names(const char *names)
{
    size_t col = 0;
    putchar('\n');
    for (const char *p = names; *p;) {
        size_t n = strcspn(p, "\n");
        if (col > 0 && col + n > 78) {
            putchar('\n');
            col = 0;
        }
        int width = (int)((n / 20 + 1) * 20);
        printf("%-*.*s", width, (int)n, p);
        col += (size_t)width;
        p += n + (p[n] == '\n');
    }
    putchar('\n');
}

/* Candidates for what stands before the cursor; a first ':' means a command of the session. */
static char *candidates(line_reader *r, const char *start, const char *prefix)
{
    static const char commands[] = ":help\n:isa \n:list\n:mem\n:prof\n:quit\n";
    if (start[0] != ':') return nkx_live_names(r->rt, prefix);
    size_t n = strlen(prefix);
    char *out = calloc(1, sizeof commands);
    for (const char *p = commands; out && *p; p += strcspn(p, "\n") + 1) {
        if (prefix[0] == ':' && strncmp(p, prefix, n) == 0) strncat(out, p, strcspn(p, "\n") + 1);
    }
    return out;
}

/*
 * Ctrl-D typed while a statement runs: the terminal hands it over as NUL, since it is not in the
 * editor's mode then.
 */
static unsigned char on_early_end(EditLine *el, int key)
{
    (void)key;
    const LineInfo *li = el_line(el);
    return li->lastchar == li->buffer ? CC_EOF : CC_ERROR;
}

static unsigned char on_tab(EditLine *el, int key)
{
    (void)key;
    line_reader *r = reader_of(el);
    const LineInfo *li = el_line(el);
    const char *from = li->cursor;
    while (from > li->buffer && name_char(from[-1])) from--;
    if (from > li->buffer && from[-1] == ':' && from - 1 == li->buffer) from--;
    size_t len = (size_t)(li->cursor - from);
    if (len == 0) { /* Tab at the margin indents */
        return el_insertstr(el, "    ") == 0 ? CC_REFRESH : CC_ERROR;
    }
    char prefix[256];
    if (len >= sizeof prefix) return CC_ERROR;
    memcpy(prefix, from, len);
    prefix[len] = '\0';
    char *names = candidates(r, li->buffer, prefix);
    size_t n = 0, common = names && *names ? common_prefix(names, &n) : 0;
    unsigned char result = CC_ERROR;
    if (common > len) {
        names[common] = '\0';
        result = el_insertstr(el, names + len) == 0 ? CC_REFRESH : CC_ERROR;
    } else if (n > 1) {
        list_names(names);
        result = CC_REDISPLAY;
    }
    nkx_string_free(names);
    return result;
}

/* ---- life ---- */

static char *default_history(void)
{
    const char *home = getenv("HOME"), *named = getenv("NKX_HISTORY");
    if (named) return *named ? strdup(named) : NULL;
    if (home == NULL || *home == '\0') return NULL;
    size_t n = strlen(home) + sizeof "/.nkx_history";
    char *path = malloc(n);
    if (path) snprintf(path, n, "%s/.nkx_history", home);
    return path;
}

static void open_terminal(line_reader *r)
{
    HistEvent ev;
    r->el = el_init("nkx", stdin, stdout, stderr);
    if (r->el == NULL) return;
    r->hist = history_init();
    history(r->hist, &ev, H_SETSIZE, 2000);
    history(r->hist, &ev, H_SETUNIQUE, 1);
    r->history_path = default_history();
    if (r->history_path) history(r->hist, &ev, H_LOAD, r->history_path);
    el_set(r->el, EL_CLIENTDATA, r);
    el_set(r->el, EL_PROMPT, prompt);
    el_set(r->el, EL_EDITOR, "emacs");
    el_set(r->el, EL_HIST, history, r->hist);
    el_set(r->el, EL_ADDFN, "nkx-complete", "complete a name", on_tab);
    el_set(r->el, EL_BIND, "^I", "nkx-complete", NULL);
    /* Ctrl-C reaches the editor as a character while a line is edited, and is a signal otherwise.
     */
    el_set(r->el, EL_ADDFN, "nkx-cancel", "drop the line", on_cancel);
    el_set(r->el, EL_SETTY, "-d", "-isig", NULL);
    el_set(r->el, EL_BIND, "^C", "nkx-cancel", NULL);
    el_set(r->el, EL_ADDFN, "nkx-early-end", "leave on an empty line", on_early_end);
    el_set(r->el, EL_BIND, "^@", "nkx-early-end", NULL);
    el_set(r->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(r->el, NULL);
}

line_reader *line_open(nkx_runtime *rt)
{
    line_reader *r = calloc(1, sizeof *r);
    if (r == NULL) abort();
    r->rt = rt;
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) open_terminal(r);
    return r;
}

void line_close(line_reader *r)
{
    HistEvent ev;
    if (r->el) {
        if (r->history_path) history(r->hist, &ev, H_SAVE, r->history_path);
        history_end(r->hist);
        el_end(r->el);
    }
    free(r->history_path);
    free(r);
}

bool line_is_terminal(const line_reader *r)
{
    return r->el != NULL;
}

static char *strip_end(char *line)
{
    size_t n = strlen(line);
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r')) line[--n] = '\0';
    return line;
}

char *line_read(line_reader *r, bool more, bool *cancelled)
{
    *cancelled = false;
    if (r->el == NULL) {
        char *line = NULL;
        size_t cap = 0;
        if (getline(&line, &cap, stdin) >= 0) return strip_end(line);
        free(line);
        return NULL;
    }
    HistEvent ev;
    int n = 0;
    r->more = more;
    r->cancelled = false;
    const char *text = el_gets(r->el, &n);
    if (r->cancelled) {
        fputs("^C\n", stdout);
        *cancelled = true;
        return NULL;
    }
    if (text == NULL || n <= 0) return NULL;
    char *line = strdup(text);
    if (line == NULL) abort();
    strip_end(line);
    if (*line) history(r->hist, &ev, H_ENTER, line);
    return line;
}
