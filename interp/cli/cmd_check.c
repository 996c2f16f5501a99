/* SPDX-License-Identifier: Apache-2.0 */
/* nkx check: every error at once, no numbers. */
#include "interp/cli/cli.h"

static nkx_status check(nkx_runtime *rt, const target_words *t)
{
    nkx_status s = nkx_load(rt, t->file);
    if (s != NKX_OK) return s;
    if (t->kernel == NULL && t->n_args == 0) return nkx_check_rules(rt);
    for (size_t i = 0; i < t->n_args; i++) {
        if (nkx_argument(rt, t->args[i]) != NKX_OK) s = NKX_WRONG;
    }
    if (s != NKX_OK) return s;
    watch_begin(rt);
    s = nkx_launch(rt, t->kernel);
    watch_end();
    return s;
}

static void print_summary(const nkx_runtime *rt, const target_words *t)
{
    size_t e = nkx_error_count(rt), w = nkx_warning_count(rt);
    unsigned long long n = nkx_instruction_count(rt);
    printf("%s: ", t->file);
    if (e == 0 && w == 0) {
        fputs("no errors", stdout);
    } else {
        printf("%zu error%s, %zu warning%s", e, e == 1 ? "" : "s", w, w == 1 ? "" : "s");
    }
    if (n > 0) printf(", %llu instructions", n);
    putchar('\n');
}

int cmd_check(const cli_args *a)
{
    target_words t;
    int bad = split_words(a, &t);
    if (bad) return bad;
    nkx_options o;
    options_from(a, &o);
    o.data = false;
    o.skip_missing = true;
    nkx_runtime *rt = nkx_runtime_new(&o);
    nkx_status s = check(rt, &t);
    if (a->json) {
        json_out j = {.to = stdout};
        json_open(&j, NULL, '{');
        json_run(&j, rt, a, &t, s);
        json_close(&j, '}');
        putchar('\n');
    } else {
        show_diagnostics(rt, 0);
        print_summary(rt, &t);
    }
    nkx_runtime_free(rt);
    return exit_code(s);
}
