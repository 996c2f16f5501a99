/* SPDX-License-Identifier: Apache-2.0 */
/* nkx profile and nkx list: where the time goes, and what was issued. */
#include "interp/cli/cli.h"

#include <errno.h>
#include <string.h>

/* ---- profile ---- */

static bool write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    bool fine = f != NULL && fputs(text, f) >= 0;
    if (f != NULL && fclose(f) != 0) fine = false;
    if (!fine) fprintf(stderr, "nkx: cannot write '%s': %s\n", path, strerror(errno));
    return fine;
}

static bool write_report(nkx_runtime *rt, const cli_args *a, option_id id, nkx_report_kind kind)
{
    if (!a->on[id]) return true;
    char *text = nkx_report(rt, kind, false);
    bool fine = text != NULL && write_file(a->value[id], text);
    nkx_string_free(text);
    return fine;
}

static void print_report(nkx_runtime *rt, nkx_report_kind kind)
{
    char *text = nkx_report(rt, kind, colour_of(stdout));
    if (text == NULL) return;
    fputs(text, stdout);
    if (*text && text[strlen(text) - 1] != '\n') putchar('\n');
    nkx_string_free(text);
}

static void print_launch(nkx_runtime *rt, const cli_args *a)
{
    print_report(rt, NKX_REPORT_TABLE);
    if (a->on[OPT_ANNOTATE]) print_report(rt, NKX_REPORT_ANNOTATE);
}

/* Each launch of a script is shown as it ends; files keep the last one. */
static void after_launch(void *user, nkx_runtime *rt, const char *kernel)
{
    const cli_args *a = user;
    if (a->json) return;
    printf("-- %s\n", kernel);
    print_launch(rt, a);
}

static bool write_reports(nkx_runtime *rt, const cli_args *a)
{
    bool fine = write_report(rt, a, OPT_JSON_FILE, NKX_REPORT_JSON);
    fine = write_report(rt, a, OPT_HTML, NKX_REPORT_HTML) && fine;
    return write_report(rt, a, OPT_CALLGRIND, NKX_REPORT_CALLGRIND) && fine;
}

static void print_json(nkx_runtime *rt, const cli_args *a, const target_words *t, nkx_status s)
{
    json_out j = {.to = stdout};
    json_open(&j, NULL, '{');
    json_run(&j, rt, a, t, s);
    char *report = nkx_report(rt, NKX_REPORT_JSON, false);
    if (report) json_raw(&j, "profile", report);
    nkx_string_free(report);
    json_close(&j, '}');
    putchar('\n');
}

static void print_text(nkx_runtime *rt, const cli_args *a, bool script)
{
    for (size_t i = 0; i < nkx_result_count(rt) && !a->on[OPT_QUIET]; i++) {
        char *text = nkx_result_text(rt, i, false);
        puts(text);
        nkx_string_free(text);
    }
    for (size_t i = 0; i < nkx_comparison_count(rt); i++) {
        char *text = nkx_comparison_text(rt, i);
        puts(text);
        nkx_string_free(text);
    }
    if (!script) print_launch(rt, a);
    show_diagnostics(rt, 0);
}

int cmd_profile(const cli_args *a)
{
    target_words t;
    int bad = split_words(a, &t);
    if (bad) return bad;
    nkx_options o;
    options_from(a, &o);
    o.time = true;
    o.data = !a->on[OPT_NO_DATA];
    o.trace = a->value[OPT_TRACE];
    o.launched = after_launch;
    nkx_runtime *rt = nkx_runtime_new(&o);
    bool script;
    nkx_status s = load_and_run(rt, a, &t, &script);
    bool timed = nkx_instruction_count(rt) > 0;
    if (timed && !write_reports(rt, a)) s = NKX_WRONG;
    for (size_t i = 0; s == NKX_OK && i < a->n_list[OPT_OUTPUT]; i++) {
        if (nkx_save(rt, a->list[OPT_OUTPUT][i]) != NKX_OK) s = NKX_WRONG;
    }
    if (a->json) {
        print_json(rt, a, &t, s);
    } else {
        print_text(rt, a, script || !timed);
    }
    nkx_runtime_free(rt);
    return exit_code(s);
}

/* ---- list ---- */

static void print_line(void *user, const char *line)
{
    (void)user;
    puts(line);
}

int cmd_list(const cli_args *a)
{
    target_words t;
    int bad = split_words(a, &t);
    if (bad) return bad;
    nkx_options o;
    options_from(a, &o);
    o.data = a->on[OPT_DATA];
    o.want_text = true;
    o.listing = print_line;
    nkx_runtime *rt = nkx_runtime_new(&o);
    bool script;
    nkx_status s = load_and_run(rt, a, &t, &script);
    show_diagnostics(rt, 0);
    nkx_runtime_free(rt);
    return exit_code(s);
}
