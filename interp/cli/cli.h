/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program on top of nkx.h, which is all of the project that it sees. Commands and options are
 * rows of two tables (options.c): parsing, help, completion, the manual page and docs/cli.md come
 * from them.
 */
#ifndef NKX_CLI_H
#define NKX_CLI_H

#include "interp/include/nkx.h"

#include <stdbool.h>
#include <stdio.h>

#define NKX_EXIT_USAGE 2
#define NKX_EXIT_FAULT 70

/* Commands an option belongs to. */
#define CMD_RUN     1u
#define CMD_CHECK   2u
#define CMD_PROFILE 4u
#define CMD_LIST    8u
#define CMD_TEST    16u
#define CMD_REPL    32u
#define CMD_DIFF    64u
#define CMD_PARSE   128u
#define CMD_ISA     256u
#define CMD_EXPLAIN 512u
#define CMD_HELP    1024u
#define CMD_CORE    (CMD_RUN | CMD_CHECK | CMD_PROFILE | CMD_LIST | CMD_TEST | CMD_REPL)

typedef enum option_id {
    OPT_TARGET,
    OPT_MACHINE,
    OPT_THREADS,
    OPT_SEED,
    OPT_NKI,
    OPT_PATH,
    OPT_ALLOW,
    OPT_STRICT,
    OPT_LENIENT,
    OPT_FP32,
    OPT_NAN_FILL,
    OPT_FORMAT,
    OPT_MAX_ERRORS,
    OPT_MAX_STEPS,
    OPT_MAX_BYTES,
    OPT_OUTPUT,
    OPT_CHECK,
    OPT_RTOL,
    OPT_ATOL,
    OPT_PRECISION,
    OPT_QUIET,
    OPT_NO_DATA,
    OPT_DATA,
    OPT_JSON_FILE,
    OPT_TRACE,
    OPT_HTML,
    OPT_ANNOTATE,
    OPT_CALLGRIND,
    OPT_ONLY,
    OPT_JSON,
    OPT_NAMES,
    OPT_MARKDOWN,
    OPT_EXAMPLE,
    OPT_WRONG,
    OPT_RIGHT,
    OPT_MACHINES,
    OPT_MAN,
    OPT_COMPLETION,
    OPT_HELP,
    OPT_COUNT,
} option_id;

typedef struct option_row {
    option_id id;
    unsigned commands;  /* CMD_* */
    const char *name;   /* "--target" */
    const char *letter; /* "-o" or NULL */
    const char *value;  /* "TARGET"; NULL: a switch */
    const char
        *choices; /* "trn1 inf2 trn2": completion; "@file", "@dir", "@target" and the like; NULL */
    const char *brief;
} option_row;

typedef struct command_row command_row;

#define MAX_REPEAT 64

/* A command line taken apart. */
typedef struct cli_args {
    const command_row *command;
    bool on[OPT_COUNT];
    const char *value[OPT_COUNT];            /* of options given once */
    const char *list[OPT_COUNT][MAX_REPEAT]; /* of options that may repeat */
    size_t n_list[OPT_COUNT];
    const char **words; /* what is no option, in order */
    size_t n_words;
    const char **argv; /* sys.argv: the first word, and what stands after `--` */
    size_t n_argv;
    long long threads, seed, max_errors, max_steps, max_bytes, nki;
    double rtol, atol;
    bool json; /* --format json */
} cli_args;

struct command_row {
    unsigned bit;
    const char *name, *synopsis, *brief, *doc;
    int (*run)(const cli_args *a);
};

extern const command_row commands[]; /* end with a NULL name */
extern const option_row options[];   /* end with a NULL name */

/* Exit code 0, or 2 after a message on stderr. */
int parse_command_line(int argc, char **argv, cli_args *a);
void free_command_line(cli_args *a);
const command_row *find_command(const char *name);
/* "nkx: ..." on stderr; the exit code of a usage error. */
int usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int write_man(void);
int write_completion(void);
int write_markdown(void);
void write_help(const command_row *c);
void write_overview(FILE *to);

/* ---- shared by commands ---- */
bool colour_of(FILE *f);
/* Fills options from the command line, with output going to stdout and stderr. */
void options_from(const cli_args *a, nkx_options *o);
/* Diagnostics from number `first` on, to stderr. */
void show_diagnostics(const nkx_runtime *rt, size_t first);
int exit_code(nkx_status s);
/* FILE [KERNEL] [NAME=VALUE...] of the command line. 0, or an exit code. */
typedef struct target_words {
    const char *file, *kernel;
    const char *const *args;
    size_t n_args;
} target_words;
int split_words(const cli_args *a, target_words *t);
/* Loads the file and launches what was asked for: a script or a kernel. */
nkx_status load_and_run(nkx_runtime *rt, const cli_args *a, const target_words *t,
                        bool *was_script);
/* A line on stderr once a run passes a second, if stderr is a terminal; Ctrl-C interrupts the run.
 */
void watch_begin(nkx_runtime *rt);
void watch_end(void);

/* ---- JSON, one object to stdout ---- */
typedef struct json_out {
    FILE *to;
    bool comma;
} json_out;
void json_open(json_out *j, const char *key, char bracket);
void json_close(json_out *j, char bracket);
void json_text(json_out *j, const char *key, const char *text);
void json_number(json_out *j, const char *key, double v);
void json_integer(json_out *j, const char *key, long long v);
void json_bool(json_out *j, const char *key, bool v);
void json_raw(json_out *j, const char *key, const char *json); /* already JSON */
/* Results, comparisons, diagnostics and status of a run. */
void json_run(json_out *j, nkx_runtime *rt, const cli_args *a, const target_words *t, nkx_status s);

int cmd_run(const cli_args *a);
int cmd_check(const cli_args *a);
int cmd_profile(const cli_args *a);
int cmd_list(const cli_args *a);
int cmd_test(const cli_args *a);
int cmd_repl(const cli_args *a);
int cmd_diff(const cli_args *a);
int cmd_parse(const cli_args *a);
int cmd_isa(const cli_args *a);
int cmd_explain(const cli_args *a);
int cmd_help(const cli_args *a);

#endif
