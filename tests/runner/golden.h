/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Golden tests: a case is a .nki file that carries what is expected of it, beside its cause.
 *
 *   #> text          the next line of stdout
 *   #! E312 words    a diagnostic on this line, and words of its text (optional)
 *   #@ args: ...     arguments of the command (default: none)
 *   #@ command: ...  command (default: run)
 *   #@ target: trn1  target
 *   #@ machine: F    machine file, beside the case
 *   #@ env: A=B      a variable of the environment
 *   #@ skip: reason  not run
 *   #@ ps: 1184000   exact modelled time in picoseconds
 *   #@ exit: 1       exit code, when it does not follow from the diagnostics
 *   #| text          a line of the whole rendered stderr
 */
#ifndef NKX_TESTS_GOLDEN_H
#define NKX_TESTS_GOLDEN_H

#include "interp/base/buf.h"
#include "interp/base/vec.h"

typedef struct expected_diag {
    int line;
    char code[8];
    char *words; /* "" when only the code counts */
    bool met;
} expected_diag;

typedef struct golden {
    const char *path;
    nkx_buf text;
    nkx_buf out; /* expected stdout */
    nkx_buf err; /* expected stderr, when `#|` was used */
    bool has_out, has_err, has_ps, has_exit;
    long long ps;
    int exit;
    char *args, *command, *target, *machine, *skip, *env;
    NKX_VEC(expected_diag) diags;
} golden;

typedef struct outcome {
    nkx_buf out, err;
    int exit; /* 128 + signal when it was killed */
} outcome;

typedef struct found_diag {
    int line;
    char code[8];
    bool is_error, met;
    const char *text; /* into stderr: from its header on */
    size_t len;
} found_diag;
typedef NKX_VEC(found_diag) found_diags;

bool golden_read(golden *g, const char *path);
void golden_fini(golden *g);
/* Runs the program on a case. seconds: limit. */
void golden_run(const golden *g, const char *program, int seconds, outcome *out);
void outcome_fini(outcome *o);
/* Diagnostics of stderr that stand in the case's own file. */
void find_diags(const golden *g, const outcome *o, found_diags *out);
/* Compares; what differs is appended to *why. */
bool golden_judge(golden *g, const outcome *o, nkx_buf *why);
/* Rewrites the marks by what came out. */
bool golden_update(const golden *g, const outcome *o);
/* Modelled time in a JSON result, or -1. */
long long modelled_ps(const nkx_buf *out);

#endif
