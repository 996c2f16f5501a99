/* SPDX-License-Identifier: Apache-2.0 */
/* What several commands share: options of a runtime, words of the command line, diagnostics,
 * launching. */
#include "interp/cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool colour_of(FILE *f)
{
    const char *no = getenv("NO_COLOR");
    return isatty(fileno(f)) && (no == NULL || *no == '\0');
}

static void write_through(void *user, int stream, const char *text, size_t len)
{
    const cli_args *a = user;
    FILE *to = stream == 1 && !a->json ? stdout : stderr;
    fwrite(text, 1, len, to);
}

void options_from(const cli_args *a, nkx_options *o)
{
    const char *precise = getenv("NKI_PRECISE_FP");
    nkx_options_init(o);
    o->target = a->value[OPT_TARGET];
    o->machine = a->value[OPT_MACHINE];
    o->threads = (int)a->threads;
    o->seed = (uint64_t)a->seed;
    o->nki_minor = (int)a->nki;
    o->nan_fill = a->on[OPT_NAN_FILL];
    o->fp32 = a->on[OPT_FP32] || (precise && strcmp(precise, "0") == 0);
    o->strict = a->on[OPT_STRICT];
    o->lenient = a->on[OPT_LENIENT];
    o->allow = a->list[OPT_ALLOW];
    o->n_allow = a->n_list[OPT_ALLOW];
    o->path = a->list[OPT_PATH];
    o->n_path = a->n_list[OPT_PATH];
    o->argv = a->argv;
    o->n_argv = a->n_argv;
    o->max_errors = (size_t)a->max_errors;
    o->max_steps = (uint64_t)a->max_steps;
    o->max_bytes = (uint64_t)a->max_bytes;
    o->write = write_through;
    memcpy(&o->user, &a, sizeof a); /* given back as const: write_through and others */
}

void show_diagnostics(const nkx_runtime *rt, size_t first)
{
    if (nkx_diagnostic_count(rt) <= first) return;
    fflush(stdout); /* what the program printed comes before what is said about it */
    char *text = nkx_diagnostics_text(rt, first, colour_of(stderr));
    fputs(text, stderr);
    nkx_string_free(text);
}

int exit_code(nkx_status s)
{
    switch (s) {
    case NKX_OK: return 0;
    case NKX_WRONG: return 1;
    case NKX_MISUSE: return NKX_EXIT_USAGE;
    }
    return NKX_EXIT_FAULT;
}

int split_words(const cli_args *a, target_words *t)
{
    *t = (target_words){0};
    if (a->n_words == 0) {
        return usage_error("nkx %s wants a file: nkx %s %s", a->command->name, a->command->name,
                           a->command->synopsis);
    }
    t->file = a->words[0];
    size_t i = 1;
    if (i < a->n_words && strchr(a->words[i], '=') == NULL) t->kernel = a->words[i++];
    t->args = a->words + i;
    t->n_args = a->n_words - i;
    for (size_t k = 0; k < t->n_args; k++) {
        if (strchr(t->args[k], '=') == NULL) {
            return usage_error("'%s' is not NAME=VALUE; kernel arguments are given by name",
                               t->args[k]);
        }
    }
    return 0;
}

static nkx_status launch_kernel(nkx_runtime *rt, const cli_args *a, const target_words *t)
{
    nkx_status s = NKX_OK;
    for (size_t i = 0; i < t->n_args; i++) { /* all wrong arguments are reported */
        if (nkx_argument(rt, t->args[i]) != NKX_OK) s = NKX_WRONG;
    }
    if (s != NKX_OK) return s;
    if (a->on[OPT_CHECK]) nkx_check_with(rt, a->value[OPT_CHECK], a->rtol, a->atol);
    watch_begin(rt);
    s = nkx_launch(rt, t->kernel);
    watch_end();
    return s;
}

nkx_status load_and_run(nkx_runtime *rt, const cli_args *a, const target_words *t, bool *was_script)
{
    nkx_status s = nkx_load(rt, t->file);
    *was_script = false;
    if (s != NKX_OK) return s;
    bool asked = t->kernel != NULL || t->n_args > 0 || a->on[OPT_CHECK];
    if (asked) return launch_kernel(rt, a, t);
    watch_begin(rt);
    bool script = nkx_is_script(rt) || nkx_kernel_count(rt) == 0;
    if (script) s = nkx_run_script(rt);
    /* A module that launched kernels while it was loaded has had its run. */
    script = script || nkx_launches(rt) > 0;
    watch_end();
    *was_script = script;
    return script ? s : launch_kernel(rt, a, t);
}
