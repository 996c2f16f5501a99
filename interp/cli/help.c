/* SPDX-License-Identifier: Apache-2.0 */
/* Help, manual page, completion script and docs/cli.md: all written from the two tables. */
#include "interp/cli/cli.h"

#include <string.h>

void write_overview(FILE *to)
{
    fprintf(to, "nkx %s: runs, checks and profiles NKI kernels\n\nusage: nkx COMMAND ...\n\n",
            nkx_version());
    for (const command_row *c = commands; c->name; c++) {
        fprintf(to, "  %-8s %-31s %s\n", c->name, c->synopsis, c->brief);
    }
    fputs("\n`nkx help COMMAND` shows its options. Exit codes: 0 fine, 1 the kernel is wrong, 2 "
          "usage, 70 a fault of "
          "nkx.\n",
          to);
}

/* Text folded at 80 columns, each line behind `indent` blanks. */
static void fold(FILE *to, const char *text, size_t indent, size_t col)
{
    size_t start = col;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (col > start && col + 1 + n > 80) {
            fprintf(to, "\n%*s", (int)indent, "");
            col = start = indent;
        }
        if (col > start) {
            fputc(' ', to);
            col++;
        }
        fprintf(to, "%.*s", (int)n, text);
        col += n;
        text += n + (text[n] == ' ');
    }
    fputc('\n', to);
}

static void option_head(const option_row *o, char *out, size_t size)
{
    snprintf(out, size, "%s%s%s%s%s", o->letter ? o->letter : "", o->letter ? ", " : "", o->name,
             o->value ? " " : "", o->value ? o->value : "");
}

void write_help(const command_row *c)
{
    printf("usage: nkx %s [OPTIONS] %s\n\n", c->name, c->synopsis);
    fold(stdout, c->brief, 0, 0);
    if (c->doc) {
        fputc('\n', stdout);
        fold(stdout, c->doc, 0, 0);
    }
    fputs("\noptions:\n", stdout);
    for (const option_row *o = options; o->name; o++) {
        if (!(o->commands & c->bit)) continue;
        char head[80];
        option_head(o, head, sizeof head);
        printf("  %-24s ", head);
        fold(stdout, o->brief, 27, strlen(head) > 24 ? strlen(head) + 3 : 27);
    }
}

int cmd_help(const cli_args *a)
{
    if (a->on[OPT_MAN]) return write_man();
    if (a->on[OPT_COMPLETION]) return write_completion();
    if (a->on[OPT_MARKDOWN]) return write_markdown();
    if (a->on[OPT_MACHINES]) {
        char *page = nkx_machine_document();
        fputs(page, stdout);
        nkx_string_free(page);
        return 0;
    }
    if (a->n_words == 0) {
        write_overview(stdout);
        return 0;
    }
    const command_row *c = find_command(a->words[0]);
    if (c == NULL) {
        return usage_error("there is no command '%s'; `nkx help` lists them", a->words[0]);
    }
    write_help(c);
    return 0;
}

/* ---- manual page ---- */

/* Escapes what troff would take for its own. */
static void roff(const char *s)
{
    for (; *s; s++) {
        if (*s == '\\') {
            fputs("\\e", stdout);
        } else if (*s == '-') {
            fputs("\\-", stdout);
        } else {
            fputc(*s, stdout);
        }
    }
}

static void roff_line(const char *before, const char *s)
{
    fputs(before, stdout);
    roff(s);
    fputc('\n', stdout);
}

int write_man(void)
{
    printf(".TH NKX 1 \"\" \"nkx %s\"\n.SH NAME\nnkx \\- run, check and profile NKI kernels\n.SH "
           "SYNOPSIS\n",
           nkx_version());
    for (const command_row *c = commands; c->name; c++) {
        printf(".B nkx %s\n.RI [ options ]\n", c->name);
        roff_line("", c->synopsis);
        fputs(".br\n", stdout);
    }
    fputs(".SH COMMANDS\n", stdout);
    for (const command_row *c = commands; c->name; c++) {
        printf(".TP\n.B %s\n", c->name);
        roff(c->brief);
        roff_line(".\n", c->doc ? c->doc : "");
    }
    fputs(".SH OPTIONS\n", stdout);
    for (const option_row *o = options; o->name; o++) {
        char head[80];
        option_head(o, head, sizeof head);
        roff_line(".TP\n.B ", head);
        roff_line("", o->brief);
        fputs("(", stdout);
        bool first = true;
        for (const command_row *c = commands; c->name && o->commands != ~0u; c++) {
            if (o->commands & c->bit) printf("%s%s", first ? "" : ", ", c->name);
            if (o->commands & c->bit) first = false;
        }
        fputs(first ? "all commands)\n" : ")\n", stdout);
    }
    fputs(".SH EXIT STATUS\n0 fine, 1 the kernel is wrong, 2 usage, 70 a fault of nkx itself.\n"
          ".SH ENVIRONMENT\n.TP\n.B NEURON_PLATFORM_TARGET_OVERRIDE\nthe default target\n"
          ".TP\n.B NKI_PRECISE_FP\n0: as \\-\\-fp32\n.TP\n.B NO_COLOR\nno colour in diagnostics\n",
          stdout);
    return 0;
}

/* ---- completion ---- */

static void completion_case(const option_row *o)
{
    if (o->value == NULL || o->choices == NULL) return;
    printf("    %s%s%s) ", o->name, o->letter ? "|" : "", o->letter ? o->letter : "");
    if (strcmp(o->choices, "@file") == 0) {
        fputs("COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", stdout);
    } else if (strcmp(o->choices, "@dir") == 0) {
        fputs("COMPREPLY=($(compgen -d -- \"$cur\")); return ;;\n", stdout);
    } else if (strcmp(o->choices, "@code") == 0) {
        fputs("COMPREPLY=($(compgen -W \"$(nkx explain --names)\" -- \"$cur\")); return ;;\n",
              stdout);
    } else if (strcmp(o->choices, "@target") == 0) {
        size_t n;
        const char *const *names = nkx_targets(&n);
        fputs("COMPREPLY=($(compgen -W \"", stdout);
        for (size_t i = 0; i < n; i++) printf("%s%s", i ? " " : "", names[i]);
        fputs("\" -- \"$cur\")); return ;;\n", stdout);
    } else {
        printf("COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n", o->choices);
    }
}

int write_completion(void)
{
    fputs("# bash completion for nkx, written by `nkx help --completion`\n_nkx()\n{\n"
          "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} "
          "command=${COMP_WORDS[1]}\n"
          "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W \"",
          stdout);
    for (const command_row *c = commands; c->name; c++) {
        printf("%s%s", c == commands ? "" : " ", c->name);
    }
    fputs("\" -- \"$cur\"))\n    return\n  fi\n  case $prev in\n", stdout);
    for (const option_row *o = options; o->name; o++) {
        if (o->id != OPT_JSON) completion_case(o);
    }
    fputs("  esac\n  local words=\n  case $command in\n", stdout);
    for (const command_row *c = commands; c->name; c++) {
        printf("    %s) words=\"", c->name);
        for (const option_row *o = options; o->name; o++) {
            if (o->commands & c->bit) printf("%s ", o->name);
        }
        fputs("\" ;;\n", stdout);
    }
    fputs("  esac\n  case $command in\n"
          "    isa) words=\"$words $(nkx isa --names)\" ;;\n"
          "    explain) words=\"$words $(nkx explain --names)\" ;;\n  esac\n"
          "  case $cur in\n    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
          "    *) case $command in\n"
          "        isa|explain) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
          "        *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n      esac ;;\n  esac\n}\n"
          "complete -o filenames -F _nkx nkx\n",
          stdout);
    return 0;
}

/* ---- docs/cli.md ---- */

int write_markdown(void)
{
    fputs("# The program\n\nWritten by `nkx help --markdown`; do not edit by hand.\n", stdout);
    for (const command_row *c = commands; c->name; c++) {
        printf("\n## nkx %s\n\n`nkx %s [OPTIONS] %s`: %s.\n\n", c->name, c->name, c->synopsis,
               c->brief);
        if (c->doc) printf("%s\n\n", c->doc);
        fputs("| option | meaning |\n|---|---|\n", stdout);
        for (const option_row *o = options; o->name; o++) {
            if (!(o->commands & c->bit)) continue;
            char head[80];
            option_head(o, head, sizeof head);
            printf("| `%s` | %s |\n", head, o->brief);
        }
    }
    return 0;
}
