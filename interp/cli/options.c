/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a command line apart by the tables. Usage errors suggest the nearest name. */
#include "interp/cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int usage_error(const char *fmt, ...)
{
    va_list ap;
    fputs("nkx: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    return NKX_EXIT_USAGE;
}

const command_row *find_command(const char *name)
{
    for (const command_row *c = commands; c->name; c++) {
        if (strcmp(c->name, name) == 0) return c;
    }
    return NULL;
}

static int unknown_command(const char *word)
{
    const char *names[16];
    size_t n = 0;
    for (const command_row *c = commands; c->name && n < 16; c++) names[n++] = c->name;
    const char *near = nkx_suggest(word, names, n);
    if (near) return usage_error("there is no command '%s'; did you mean '%s'?", word, near);
    return usage_error("there is no command '%s'; `nkx help` lists them", word);
}

static int unknown_option(const command_row *c, const char *word)
{
    const char *names[OPT_COUNT + 1];
    size_t n = 0;
    for (const option_row *o = options; o->name; o++) {
        if (o->commands & c->bit) names[n++] = o->name;
    }
    const char *near = nkx_suggest(word, names, n);
    if (near) {
        return usage_error("nkx %s has no option '%s'; did you mean '%s'?", c->name, word, near);
    }
    return usage_error("nkx %s has no option '%s'; `nkx help %s` lists them", c->name, word,
                       c->name);
}

static const option_row *find_option(const command_row *c, const char *word, size_t len)
{
    for (const option_row *o = options; o->name; o++) {
        if (!(o->commands & c->bit)) continue;
        if (strlen(o->name) == len && memcmp(o->name, word, len) == 0) return o;
        if (o->letter && strlen(o->letter) == len && memcmp(o->letter, word, len) == 0) return o;
    }
    return NULL;
}

static int take_integer(const option_row *o, const char *text, long long low, long long *out)
{
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    if (*text == '\0' || *end != '\0' || errno != 0 || *out < low) {
        return usage_error("%s wants a whole number from %lld, found '%s'", o->name, low, text);
    }
    return 0;
}

static int take_number(const option_row *o, const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (*text == '\0' || *end != '\0' || !(*out >= 0)) {
        return usage_error("%s wants a number from 0, found '%s'", o->name, text);
    }
    return 0;
}

static int take_nki(const char *text, long long *minor)
{
    if (strncmp(text, "0.", 2) == 0 && text[2] >= '3' && text[2] <= '6' && text[3] == '\0') {
        *minor = text[2] - '0';
        return 0;
    }
    return usage_error("--nki is 0.3, 0.4, 0.5 or 0.6, found '%s'", text);
}

/* Values that have a form of their own; the rest stays text. */
static int interpret(cli_args *a, const option_row *o, const char *text)
{
    switch (o->id) {
    case OPT_THREADS: return take_integer(o, text, 1, &a->threads);
    case OPT_SEED: return take_integer(o, text, 0, &a->seed);
    case OPT_MAX_ERRORS: return take_integer(o, text, 0, &a->max_errors);
    case OPT_MAX_STEPS: return take_integer(o, text, 0, &a->max_steps);
    case OPT_MAX_BYTES: return take_integer(o, text, 0, &a->max_bytes);
    case OPT_RTOL: return take_number(o, text, &a->rtol);
    case OPT_ATOL: return take_number(o, text, &a->atol);
    case OPT_NKI: return take_nki(text, &a->nki);
    case OPT_FORMAT:
        a->json = strcmp(text, "json") == 0;
        if (a->json || strcmp(text, "text") == 0) return 0;
        return usage_error("--format is text or json, found '%s'", text);
    default: return 0;
    }
}

static int set_option(cli_args *a, const option_row *o, const char *value)
{
    a->on[o->id] = true;
    if (value == NULL) return 0;
    a->value[o->id] = value;
    if (a->n_list[o->id] == MAX_REPEAT) {
        return usage_error("%s is given more than %d times", o->name, MAX_REPEAT);
    }
    a->list[o->id][a->n_list[o->id]++] = value;
    return interpret(a, o, value);
}

/* One option with its value; *i moves past what was used. */
static int take_option(cli_args *a, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *eq = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    size_t len = eq ? (size_t)(eq - word) : strlen(word);
    const option_row *o = find_option(a->command, word, len);
    const char *glued = NULL;
    if (o == NULL && word[1] != '-' && strlen(word) > 2) { /* -oFILE */
        o = find_option(a->command, word, 2);
        if (o && o->value) {
            glued = word + 2;
        } else {
            o = NULL;
        }
    }
    if (o == NULL) return unknown_option(a->command, word);
    if (o->value == NULL) {
        if (eq) return usage_error("%s takes no value", o->name);
        return set_option(a, o, NULL);
    }
    const char *value = eq ? eq + 1 : glued;
    if (value == NULL) {
        if (*i + 1 >= argc) return usage_error("%s wants a value: %s", o->name, o->value);
        value = argv[++*i];
    }
    return set_option(a, o, value);
}

int parse_command_line(int argc, char **argv, cli_args *a)
{
    *a = (cli_args){.rtol = -1, .atol = -1, .nki = 6};
    a->words = calloc((size_t)argc + 1, sizeof *a->words);
    a->argv = calloc((size_t)argc + 1, sizeof *a->argv);
    if (a->words == NULL || a->argv == NULL) return usage_error("out of memory");
    a->n_argv = 1; /* the script itself, named below */
    if (argc < 2) {
        write_overview(stderr);
        return NKX_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) word = "help";
    a->command = find_command(word);
    if (a->command == NULL) return unknown_command(word);
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            while (++i < argc) a->argv[a->n_argv++] = argv[i];
            break;
        }
        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            a->words[a->n_words++] = argv[i];
            continue;
        }
        int bad = take_option(a, argc, argv, &i);
        if (bad) return bad;
    }
    a->argv[0] = a->n_words > 0 ? a->words[0] : "";
    return 0;
}

void free_command_line(cli_args *a)
{
    free(a->argv);
    free(a->words);
}
