/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libnkx: runs, checks and profiles NKI kernels. This is the only installed header.
 *
 * A runtime loads one file, launches kernels of it on arguments, and holds what came out: results,
 * diagnostics, a profile. Nothing is printed and the process is never ended: text comes back as
 * strings or goes to the callbacks of nkx_options. There are no globals: runtimes do not know of
 * each other. One thread at a time may use a runtime; nkx_interrupt and nkx_progress may be called
 * from any.
 *
 * Strings returned as `char *` are the caller's and are freed with nkx_string_free. Strings
 * returned as `const char *` belong to the runtime (or are constant) and live as long as it.
 */
#ifndef NKX_H
#define NKX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NKX_VERSION_MAJOR 0
#define NKX_VERSION_MINOR 1
#define NKX_VERSION_PATCH 0
#define NKX_VERSION       "0.1.0"

#ifdef NKX_BUILDING
#define NKX_API __attribute__((visibility("default")))
#else
#define NKX_API
#endif

typedef struct nkx_runtime nkx_runtime;

/* What a call came to; the numbers are the program's exit codes. */
typedef enum nkx_status {
    NKX_OK = 0,
    NKX_WRONG = 1,  /* the program is wrong: see the diagnostics */
    NKX_MISUSE = 2, /* the call is wrong: no such kernel, several to choose from */
} nkx_status;

/* ---- options ---- */

typedef struct nkx_options {
    size_t size;         /* sizeof(nkx_options): set by nkx_options_init */
    const char *target;  /* "trn2"; NULL: from the environment, else trn2 */
    const char *machine; /* machine file laid over the target's; NULL */
    int threads;         /* 0: all cores */
    uint64_t seed;       /* fills of "bfloat16[2,3]" arguments, hardware random numbers */
    int nki_minor;       /* compiler version 0.N whose rules hold: 3 to 6 */
    bool data;           /* numbers are computed; off for `check` and `profile --no-data` */
    bool time;           /* the timeline is kept */
    bool skip_missing;   /* `check`: module code that needs a module which is not available is left
                            out with a warning */
    bool nan_fill;       /* fresh tensors are NaN (integers 4) */
    bool fp32;           /* low-precision types are kept in fp32 */
    bool strict, lenient;
    bool want_text;           /* operands of instructions as text, for listings and logs */
    const char *const *allow; /* codes whose checks are off */
    size_t n_allow;
    const char *const *path; /* further folders of modules */
    size_t n_path;
    const char *const *argv; /* sys.argv of a script */
    size_t n_argv;
    size_t max_errors;  /* 0: no limit */
    uint64_t max_steps; /* statements and calls; 0: no limit */
    uint64_t max_bytes; /* of host values; 0: no limit */
    /* Output of the program (print): stream 1 or 2. NULL: dropped. */
    void (*write)(void *user, int stream, const char *text, size_t len);
    /* One line an instruction as it is issued (`nkx list`). NULL: none. */
    void (*listing)(void *user, const char *line);
    /* After each launch that a script makes, while its profile can be asked for. NULL: none. */
    void (*launched)(void *user, nkx_runtime *rt, const char *kernel);
    void *user;
    /* Samples of every result, to compare a run with one in fp32 (see nkx_precision). NULL. */
    struct nkx_precision *precision;
    const char
        *trace; /* file for a full event log (Perfetto), written as instructions are issued; NULL */
} nkx_options;

NKX_API void nkx_options_init(nkx_options *o);
/* Never NULL. A wrong target or machine file shows as an error diagnostic, and loading then fails.
 */
NKX_API nkx_runtime *nkx_runtime_new(const nkx_options *o);
NKX_API void nkx_runtime_free(nkx_runtime *rt);
NKX_API const char *nkx_version(void);
/* For a program of its own, before it starts a thread: arranges the environment so that OpenBLAS,
 * which is loaded when a matrix product of host arrays first needs it, runs as fast here as it
 * can. What the environment says already is left alone. */
NKX_API void nkx_prepare_process(void);
NKX_API void nkx_string_free(char *s);
/* Canonical target of the runtime: "trn2". */
NKX_API const char *nkx_target(const nkx_runtime *rt);
NKX_API const char *const *nkx_targets(size_t *n);

/* ---- loading and running ---- */

/*
 * Reads and parses a file. Module code runs once, on the first call that needs it. A script is a
 * file with an `if __name__ == "__main__"` block: nkx_run_script runs it under that name.
 */
NKX_API nkx_status nkx_load(nkx_runtime *rt, const char *path);
/* The same from text; `name` is shown in diagnostics. */
NKX_API nkx_status nkx_load_text(nkx_runtime *rt, const char *name, const char *text, size_t len);
NKX_API bool nkx_is_script(const nkx_runtime *rt);
NKX_API nkx_status nkx_run_script(nkx_runtime *rt);

/* Kernels of the loaded file, in order of definition. Runs module code. */
NKX_API size_t nkx_kernel_count(nkx_runtime *rt);
NKX_API const char *nkx_kernel_name(nkx_runtime *rt, size_t i);

/* Adds an argument for the next launch from "NAME=VALUE", as on the command line. */
NKX_API nkx_status nkx_argument(nkx_runtime *rt, const char *name_value);

/* An array in memory, C order. dtype by name: "float32", "bfloat16", "int32", ... */
typedef struct nkx_array {
    const char *name;
    const char *dtype;
    size_t ndim;
    int64_t shape[16];
    void *data; /* bytes of the elements, dense; NULL when the run held no data */
    size_t bytes;
} nkx_array;
/* Adds an argument from an array; the bytes are copied. */
NKX_API nkx_status nkx_argument_array(nkx_runtime *rt, const nkx_array *a);

/* Reference for the next launch (see nkx_checked). rtol, atol below 0: defaults of the output type.
 */
NKX_API void nkx_check_with(nkx_runtime *rt, const char *expression, double rtol, double atol);

/* Launches a kernel on the arguments added. NULL: the only kernel of the file. */
NKX_API nkx_status nkx_launch(nkx_runtime *rt, const char *kernel);
/* Launches so far, those of the program itself included. */
NKX_API size_t nkx_launches(const nkx_runtime *rt);
/* Language rules of every kernel of the file, none launched. */
NKX_API nkx_status nkx_check_rules(nkx_runtime *rt);

/* Results of the last launch. An argument written in place is a result when nothing was returned.
 */
NKX_API size_t nkx_result_count(const nkx_runtime *rt);
/* data stays valid until the next launch. False when there is no such result. */
NKX_API bool nkx_result(nkx_runtime *rt, size_t i, nkx_array *out);
/* A result as text: "result float32[4,4]  min ... max ... mean ...", then its elements, abridged.
 */
NKX_API char *nkx_result_text(nkx_runtime *rt, size_t i, bool elements);
/* Saves to .npy: "out.npy" (the first result) or "NAME=out.npy" (argument, "result", or number). */
NKX_API nkx_status nkx_save(nkx_runtime *rt, const char *name_path);

/* How a result compared with its reference. */
typedef struct nkx_comparison {
    const char *name, *dtype;
    int64_t elements, outside; /* outside the tolerance, NaN in one of them included */
    double max_abs;
    double max_rel; /* relative to |want|, or to the reference's rms where that is larger */
    double
        max_ulp; /* units of the output type's last place, there likewise; integers: difference */
    double rms_rel;    /* root of the mean squared error over that of the reference */
    double rtol, atol; /* |got - want| <= atol + rtol * |want| */
    size_t ndim;
    int64_t worst[16]; /* place of the largest excess over the tolerance */
    double got, want;  /* there */
    bool passed;
} nkx_comparison;
NKX_API size_t nkx_comparison_count(const nkx_runtime *rt);
NKX_API bool nkx_comparison_get(const nkx_runtime *rt, size_t i, nkx_comparison *out);
NKX_API char *nkx_comparison_text(const nkx_runtime *rt, size_t i);

/*
 * Where accuracy is lost. The first runtime that is given it (options.precision) records samples of
 * what every instruction writes; a second one, of the same program on the same arguments, compares.
 * Usual: first with options.fp32, then without. Integers that fp32 cannot hold are warned of in
 * the second run.
 */
typedef struct nkx_precision nkx_precision;
NKX_API nkx_precision *nkx_precision_new(void);
NKX_API void nkx_precision_free(nkx_precision *p);
/* Lines by the error they add, worst first. `rt`: the second runtime. */
NKX_API char *nkx_precision_text(const nkx_precision *p, nkx_runtime *rt);

/* Stops the running program with a diagnostic at its next step. Async-signal-safe. */
NKX_API void nkx_interrupt(nkx_runtime *rt);
/* Instructions issued so far by the running launch; 0 between launches. */
NKX_API uint64_t nkx_progress(nkx_runtime *rt);

/* Test functions and classes of a file, as pytest would find them. */
typedef struct nkx_test_counts {
    size_t passed, failed, skipped;
} nkx_test_counts;
/* `report` is called for each test: outcome 0 passed, 1 failed, 2 skipped; detail may be NULL.
 * `only` filters names. */
NKX_API nkx_status nkx_run_tests(nkx_runtime *rt, const char *only,
                                 void (*report)(void *user, const char *name, int outcome,
                                                const char *detail),
                                 void *user, nkx_test_counts *out);

/* ---- diagnostics ---- */

NKX_API size_t nkx_error_count(const nkx_runtime *rt);
NKX_API size_t nkx_warning_count(const nkx_runtime *rt);
NKX_API size_t nkx_diagnostic_count(const nkx_runtime *rt);
/* Diagnostics from number `first` on, rendered with source lines and carets. */
NKX_API char *nkx_diagnostics_text(const nkx_runtime *rt, size_t first, bool colour);
NKX_API char *nkx_diagnostics_json(const nkx_runtime *rt); /* an array */

/* ---- profile of the last launch ---- */

typedef enum nkx_report_kind {
    NKX_REPORT_TABLE,     /* for a terminal */
    NKX_REPORT_JSON,      /* metric names of the vendor's profiler */
    NKX_REPORT_ANNOTATE,  /* source with a column of time */
    NKX_REPORT_CALLGRIND, /* for kcachegrind */
    NKX_REPORT_HTML,      /* one file that needs no network */
} nkx_report_kind;
/* NULL when no launch was timed. */
NKX_API char *nkx_report(nkx_runtime *rt, nkx_report_kind kind, bool colour);
/* Modelled time of the last launch in nanoseconds, and its instructions. 0 without a timed launch.
 */
NKX_API double nkx_modelled_ns(nkx_runtime *rt);
NKX_API uint64_t nkx_instruction_count(const nkx_runtime *rt);
/* Two JSON reports: what changed, as text. NULL and *why when one cannot be read. */
NKX_API char *nkx_profile_diff(const char *path_a, const char *path_b, bool json, char **why);

/* ---- live session (the REPL) ---- */

/* Statements run as if inside a kernel, on a core that stays. Loads nothing; nkx_load may come
 * first. */
NKX_API nkx_status nkx_live_begin(nkx_runtime *rt);
/* 1: complete, 0: needs more lines, -1: wrong already. */
NKX_API int nkx_live_complete(const char *text, size_t len);
/* Runs one statement. *shown (may be NULL out): its value and cost as lines, "" when there is
 * nothing. */
NKX_API nkx_status nkx_live_exec(nkx_runtime *rt, const char *text, char **shown);
NKX_API char *nkx_live_memory(nkx_runtime *rt);
NKX_API char *nkx_live_listing(nkx_runtime *rt);
/* Names that begin with `prefix` (dotted allowed), one a line. */
NKX_API char *nkx_live_names(nkx_runtime *rt, const char *prefix);

/* ---- syntax and reference ---- */

/* Syntax tree of a file as text, or as JSON. NULL after errors, which stand in the runtime. */
NKX_API char *nkx_parse_dump(nkx_runtime *rt, const char *path, bool json);
/* Instruction names in the order of the reference; NULL past the end. */
NKX_API const char *nkx_isa_name(size_t i);
NKX_API char *nkx_isa_page(const char *name); /* NULL: no such instruction */
NKX_API const char *nkx_isa_example(const char *name);
NKX_API char *nkx_isa_document(void); /* docs/isa.md */
/* Diagnostic codes: "E312"; NULL past the end. */
NKX_API const char *nkx_code_name(size_t i, char out[8]);
/* By number or short name. NULL: no such code. */
NKX_API char *nkx_explain(const char *code);
NKX_API const char *nkx_code_example(const char *code, bool right);
NKX_API char *nkx_codes_document(void);   /* docs/errors.md */
NKX_API char *nkx_machine_document(void); /* docs/machine.md */
/* The nearest of `names` to a mistyped word, or NULL. */
NKX_API const char *nkx_suggest(const char *word, const char *const *names, size_t n);

#ifdef __cplusplus
}
#endif

#endif
