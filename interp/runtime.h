/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of nkx_runtime, for the runtime_*.c files. The layer on top of all others: it owns the
 * sources, diagnostics and the VM of one program, and knows neither terminal nor process.
 */
#ifndef NKX_RUNTIME_H
#define NKX_RUNTIME_H

#include "interp/base/vec.h"
#include "interp/eval/eval.h"
#include "interp/eval/vm.h"
#include "interp/host/ndarray.h"
#include "interp/include/nkx.h"
#include "interp/machine/timeline.h"
#include <pthread.h>

/* An argument of the next launch. */
typedef struct nkx_rt_arg {
    const nkx_name *name;
    nkx_value value;     /* owned */
    nkx_span span;       /* of its text */
    nkx_ndarray *before; /* copy of the elements before the launch; NULL unless wanted */
} nkx_rt_arg;

typedef struct nkx_rt_result {
    char *name;
    nkx_ndarray *array; /* dense; NULL: not an array, or a run without data */
    char *text;         /* of what is no array; NULL */
    nkx_dtype dtype;
} nkx_rt_result;

typedef struct nkx_rt_comparison {
    nkx_comparison c;
    char *name;
} nkx_rt_comparison;

struct nkx_runtime {
    nkx_options o;
    nkx_arena arena; /* copies of what the options point at */
    nkx_sources *sources;
    nkx_diags diags;
    nkx_config config;
    bool config_ok;
    nkx_vm *vm; /* made on first need */

    char *path; /* of the loaded file; NULL */
    char *text; /* loaded from text instead */
    size_t text_len;
    bool has_main, loaded, live, in_script;
    bool broken;      /* module code failed */
    nkx_value module; /* UNSET until its code ran */

    nkx_value arg_module; /* scope of NAME=VALUE: np, nl, math, nki */
    NKX_VEC(nkx_rt_arg) args;
    char *check;
    double rtol, atol;
    NKX_VEC(nkx_rt_result) results;
    NKX_VEC(nkx_rt_comparison) comparisons;

    const char *kernel; /* name of the running or last launch */
    size_t n_launches;
    struct nkx_trace *trace;
    size_t n_inputs; /* statements of the live session */
    nkx_buf live_list;

    pthread_mutex_t lock; /* guards running: nkx_progress comes from another thread */
    nkx_core *running;
};

/* The VM with its callbacks in place; NULL when the options were wrong. */
nkx_vm *nkx_rt_vm(nkx_runtime *rt);
/* Adds a source for text that came with a call, and gives the span of all of it. */
nkx_span nkx_rt_note_text(nkx_runtime *rt, const char *what, const char *text);
/* OK, or WRONG when errors were added since `before`. */
nkx_status nkx_rt_status(const nkx_runtime *rt, size_t before);
/* After a failed VM call: turns the exception into a diagnostic. Always WRONG. */
nkx_status nkx_rt_failed(nkx_runtime *rt);
/* Module code has run (as an import, not as a script). */
NKX_MUST_USE bool nkx_rt_module(nkx_runtime *rt);
/* A module with np, nl, nisa, math and nki in scope. False after a diagnostic. */
NKX_MUST_USE bool nkx_rt_scope(nkx_runtime *rt, const char *name, nkx_value *out);
/* One host expression. Owned value. */
NKX_MUST_USE bool nkx_rt_evaluate(nkx_runtime *rt, nkx_value scope, const char *what,
                                  const char *text, nkx_value *out);

void nkx_rt_args_clear(nkx_runtime *rt);
/* Copies argument arrays ahead of a launch that is checked: they may be written in place. */
void nkx_rt_keep_inputs(nkx_runtime *rt);
void nkx_rt_results_clear(nkx_runtime *rt);
/* Takes what a launch returned, or what it wrote in place. */
NKX_MUST_USE bool nkx_rt_results_take(nkx_runtime *rt, nkx_value returned);
/* Compares results with rt->check. False when one is outside its tolerance or the reference fails.
 */
NKX_MUST_USE bool nkx_rt_compare(nkx_runtime *rt);

/* Callback of the VM around each launch. */
void nkx_rt_on_launch(void *user, nkx_core *core, const char *kernel, bool begin);
/* Hangs the sampling of results on a core (runtime_precision.c). */
void nkx_rt_precision_begin(nkx_runtime *rt, nkx_core *core);
/* Ends the event log, if one is open. */
void nkx_rt_trace_close(nkx_runtime *rt);

#endif
