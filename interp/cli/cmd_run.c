/* SPDX-License-Identifier: Apache-2.0 */
/* nkx run: a script, or one kernel with its results, saved files and check. */
#include "interp/cli/cli.h"

#include <stdlib.h>

static void print_results(nkx_runtime *rt)
{
    for (size_t i = 0; i < nkx_result_count(rt); i++) {
        char *text = nkx_result_text(rt, i, true);
        puts(text);
        nkx_string_free(text);
    }
}

static void print_comparisons(nkx_runtime *rt)
{
    for (size_t i = 0; i < nkx_comparison_count(rt); i++) {
        char *text = nkx_comparison_text(rt, i);
        puts(text);
        nkx_string_free(text);
    }
}

static nkx_status save_results(nkx_runtime *rt, const cli_args *a)
{
    nkx_status s = NKX_OK;
    for (size_t i = 0; i < a->n_list[OPT_OUTPUT]; i++) {
        if (nkx_save(rt, a->list[OPT_OUTPUT][i]) != NKX_OK) s = NKX_WRONG;
    }
    return s;
}

static void no_output(void *user, int stream, const char *text, size_t len)
{
    (void)user, (void)stream, (void)text, (void)len;
}

/* The run that --precision compares with: the same program, low-precision types kept in fp32. */
static bool run_reference(const cli_args *a, const target_words *t, nkx_precision *p)
{
    nkx_options o;
    options_from(a, &o);
    o.fp32 = true;
    o.write = no_output;
    o.precision = p;
    nkx_runtime *rt = nkx_runtime_new(&o);
    bool script;
    nkx_status s = load_and_run(rt, a, t, &script);
    bool compared = nkx_comparison_count(rt) > 0;
    if (compared && !a->json) {
        printf("in fp32 ");
        print_comparisons(rt);
        printf("in device types ");
    }
    /* A check that fails in fp32 is worth knowing; anything else shows again in the run itself. */
    nkx_runtime_free(rt);
    return s == NKX_OK || compared;
}

int cmd_run(const cli_args *a)
{
    target_words t;
    int bad = split_words(a, &t);
    if (bad) return bad;
    nkx_options o;
    options_from(a, &o);
    nkx_precision *precision = a->on[OPT_PRECISION] ? nkx_precision_new() : NULL;
    if (precision != NULL && run_reference(a, &t, precision)) o.precision = precision;
    nkx_runtime *rt = nkx_runtime_new(&o);
    bool script;
    nkx_status s = load_and_run(rt, a, &t, &script);
    if (s == NKX_OK || nkx_comparison_count(rt) > 0) {
        if (save_results(rt, a) != NKX_OK) s = NKX_WRONG;
    }
    if (!a->json) {
        if (!script && !a->on[OPT_QUIET]) print_results(rt);
        print_comparisons(rt);
        if (o.precision != NULL) {
            char *text = nkx_precision_text(precision, rt);
            fputs(text, stdout);
            nkx_string_free(text);
        }
        show_diagnostics(rt, 0);
    } else {
        json_out j = {.to = stdout};
        json_open(&j, NULL, '{');
        json_run(&j, rt, a, &t, s);
        json_close(&j, '}');
        putchar('\n');
    }
    nkx_runtime_free(rt);
    nkx_precision_free(precision);
    return exit_code(s);
}
