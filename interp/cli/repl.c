/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nkx repl: statements one at a time on a live core. On a terminal libedit reads the lines, with
 * history, completion from the tables, and Ctrl-C that drops the line or stops the statement; from
 * a pipe lines are taken as they are, without prompt or control codes.
 */
#include "interp/cli/cli.h"
#include "interp/cli/line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct session {
    nkx_runtime *rt;
    line_reader *reader;
    char *text; /* lines of the statement being entered */
    size_t len, cap;
    bool tty, quit, failed;
    size_t shown; /* diagnostics already on the screen */
} session;

static const char help_text[] = "Statements run at once, as inside a kernel, on a core that stays. "
                                "A tile's name shows its shape,\n"
                                "type, place and values. An empty line ends a block.\n\n"
                                "  :mem        memory in use, and who holds it\n"
                                "  :list       instructions issued so far\n"
                                "  :prof       profile so far\n"
                                "  :isa NAME   an instruction's page\n"
                                "  :help       this\n"
                                "  :quit       leave (also Ctrl-D)\n";

/* ---- commands ---- */

static void print_owned(char *text, const char *when_empty)
{
    fputs(text && *text ? text : when_empty, stdout);
    size_t n = text ? strlen(text) : 0;
    if (n > 0 && text[n - 1] != '\n') putchar('\n');
    nkx_string_free(text);
}

static void show_isa(const char *name)
{
    if (*name == '\0') {
        for (size_t i = 0; nkx_isa_name(i); i++) puts(nkx_isa_name(i));
        return;
    }
    char *page = nkx_isa_page(name);
    if (page) {
        print_owned(page, "");
    } else {
        printf("there is no instruction '%s'\n", name);
    }
}

static void command(session *s, const char *line)
{
    char name[16] = {0};
    size_t n = strcspn(line + 1, " \t");
    if (n < sizeof name) memcpy(name, line + 1, n);
    const char *arg = line + 1 + n;
    while (isspace((unsigned char)*arg)) arg++;
    if (strcmp(name, "mem") == 0) {
        print_owned(nkx_live_memory(s->rt), "no memory is in use\n");
    } else if (strcmp(name, "list") == 0) {
        print_owned(nkx_live_listing(s->rt), "no instruction was issued yet\n");
    } else if (strcmp(name, "prof") == 0) {
        print_owned(nkx_report(s->rt, NKX_REPORT_TABLE, s->tty && colour_of(stdout)),
                    "no instruction was issued yet\n");
    } else if (strcmp(name, "isa") == 0) {
        show_isa(arg);
    } else if (strcmp(name, "help") == 0 || strcmp(name, "h") == 0) {
        fputs(help_text, stdout);
    } else if (strcmp(name, "quit") == 0 || strcmp(name, "q") == 0) {
        s->quit = true;
    } else {
        printf("there is no command ':%s'; :help lists them\n", name);
    }
}

/* ---- statements ---- */

static void add_line(session *s, const char *line)
{
    size_t n = strlen(line);
    if (s->len + n + 2 > s->cap) {
        size_t cap = (s->len + n + 2) * 2;
        char *p = realloc(s->text, cap);
        if (p == NULL) return;
        s->text = p;
        s->cap = cap;
    }
    memcpy(s->text + s->len, line, n);
    s->len += n;
    s->text[s->len++] = '\n';
    s->text[s->len] = '\0';
}

static void drop_lines(session *s)
{
    s->len = 0;
    if (s->text) s->text[0] = '\0';
}

static bool blank(const char *text)
{
    while (isspace((unsigned char)*text)) text++;
    return *text == '\0' || *text == '#';
}

static void execute(session *s)
{
    if (s->len == 0) return;
    char *shown = NULL;
    watch_begin(s->rt);
    nkx_status status = nkx_live_exec(s->rt, s->text, &shown);
    watch_end();
    if (shown) fputs(shown, stdout);
    nkx_string_free(shown);
    show_diagnostics(s->rt, s->shown);
    s->shown = nkx_diagnostic_count(s->rt);
    if (status != NKX_OK) s->failed = true;
    fflush(stdout);
    drop_lines(s);
}

/* `else:` and its like go on with the block before them. */
static bool continues_block(const char *line)
{
    static const char *const words[] = {"else", "elif", "except", "finally"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t n = strlen(words[i]);
        if (strncmp(line, words[i], n) == 0 && !isalnum((unsigned char)line[n]) && line[n] != '_') {
            return true;
        }
    }
    return false;
}

/* From a pipe, a line at the margin ends the block before it: files have no empty lines there. */
static bool ends_block(session *s, const char *line)
{
    if (s->tty || s->len == 0 || line[0] == '\0' || isspace((unsigned char)line[0])) return false;
    if (line[0] == '#' || continues_block(line)) return false;
    add_line(s, "");
    bool complete = nkx_live_complete(s->text, s->len) == 1;
    if (!complete) s->text[--s->len] = '\0';
    return complete;
}

static void take_line(session *s, const char *line)
{
    if (s->len == 0 && line[0] == ':') {
        command(s, line);
        fflush(stdout);
        return;
    }
    if (s->len == 0 && blank(line)) return;
    if (ends_block(s, line)) execute(s);
    if (s->len == 0 && line[0] == ':') {
        command(s, line);
        return;
    }
    add_line(s, line);
    if (nkx_live_complete(s->text, s->len) != 0) execute(s);
}

static void loop(session *s)
{
    while (!s->quit) {
        bool cancelled = false;
        char *line = line_read(s->reader, s->len > 0, &cancelled);
        if (cancelled) {
            drop_lines(s);
        } else if (line == NULL) {
            if (s->len > 0) execute(s);
            break;
        } else {
            take_line(s, line);
        }
        free(line);
    }
}

int cmd_repl(const cli_args *a)
{
    if (a->n_words > 1) return usage_error("nkx repl takes one file at most");
    nkx_options o;
    options_from(a, &o);
    o.time = true;
    o.want_text = true;
    session s = {.rt = nkx_runtime_new(&o)};
    nkx_status status = NKX_OK;
    if (a->n_words == 1) status = nkx_load(s.rt, a->words[0]);
    if (status == NKX_OK) status = nkx_live_begin(s.rt);
    if (status == NKX_OK) {
        s.reader = line_open(s.rt);
        s.tty = line_is_terminal(s.reader);
        if (s.tty) {
            printf(
                "nkx %s, target %s; np, nl, nisa and nki are in scope; :help shows the commands\n",
                nkx_version(), nkx_target(s.rt));
        }
        loop(&s);
        if (s.tty) putchar('\n');
        line_close(s.reader);
    } else {
        show_diagnostics(s.rt, 0);
        s.failed = true;
    }
    free(s.text);
    bool bad = s.failed && !s.tty;
    nkx_runtime_free(s.rt);
    return bad ? 1 : 0;
}
