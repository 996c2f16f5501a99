/* SPDX-License-Identifier: Apache-2.0 */
/* JSON on stdout for --format json. */
#include "interp/cli/cli.h"

#include <math.h>

static void quoted(FILE *to, const char *s)
{
    fputc('"', to);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') {
            fprintf(to, "\\%c", c);
        } else if (c == '\n') {
            fputs("\\n", to);
        } else if (c < 0x20) {
            fprintf(to, "\\u%04x", c);
        } else {
            fputc(c, to);
        }
    }
    fputc('"', to);
}

static void begin(json_out *j, const char *key)
{
    if (j->comma) fputc(',', j->to);
    if (key) {
        quoted(j->to, key);
        fputc(':', j->to);
    }
    j->comma = true;
}

void json_open(json_out *j, const char *key, char bracket)
{
    begin(j, key);
    fputc(bracket, j->to);
    j->comma = false;
}

void json_close(json_out *j, char bracket)
{
    fputc(bracket, j->to);
    j->comma = true;
}

void json_text(json_out *j, const char *key, const char *text)
{
    begin(j, key);
    if (text) {
        quoted(j->to, text);
    } else {
        fputs("null", j->to);
    }
}

void json_number(json_out *j, const char *key, double v)
{
    begin(j, key);
    if (isfinite(v)) {
        fprintf(j->to, "%.17g", v);
    } else {
        fputs("null", j->to);
    }
}

void json_integer(json_out *j, const char *key, long long v)
{
    begin(j, key);
    fprintf(j->to, "%lld", v);
}

void json_bool(json_out *j, const char *key, bool v)
{
    begin(j, key);
    fputs(v ? "true" : "false", j->to);
}

void json_raw(json_out *j, const char *key, const char *json)
{
    begin(j, key);
    fputs(json, j->to);
}

static void results(json_out *j, nkx_runtime *rt)
{
    json_open(j, "results", '[');
    for (size_t i = 0; i < nkx_result_count(rt); i++) {
        nkx_array a;
        json_open(j, NULL, '{');
        if (nkx_result(rt, i, &a)) {
            json_text(j, "name", a.name);
            json_text(j, "dtype", a.dtype);
            json_open(j, "shape", '[');
            for (size_t d = 0; d < a.ndim; d++) json_integer(j, NULL, a.shape[d]);
            json_close(j, ']');
        }
        char *text = nkx_result_text(rt, i, false);
        json_text(j, "text", text);
        nkx_string_free(text);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void comparisons(json_out *j, const nkx_runtime *rt)
{
    nkx_comparison c;
    if (nkx_comparison_count(rt) == 0) return;
    json_open(j, "checks", '[');
    for (size_t i = 0; nkx_comparison_get(rt, i, &c); i++) {
        json_open(j, NULL, '{');
        json_text(j, "name", c.name);
        json_text(j, "dtype", c.dtype);
        json_bool(j, "passed", c.passed);
        json_integer(j, "elements", c.elements);
        json_integer(j, "outside", c.outside);
        json_number(j, "max_abs", c.max_abs);
        json_number(j, "max_rel", c.max_rel);
        json_number(j, "max_ulp", c.max_ulp);
        json_number(j, "rms_rel", c.rms_rel);
        json_number(j, "rtol", c.rtol);
        json_number(j, "atol", c.atol);
        json_open(j, "worst", '[');
        for (size_t d = 0; d < c.ndim; d++) json_integer(j, NULL, c.worst[d]);
        json_close(j, ']');
        json_number(j, "got", c.got);
        json_number(j, "want", c.want);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void json_run(json_out *j, nkx_runtime *rt, const cli_args *a, const target_words *t, nkx_status s)
{
    json_text(j, "command", a->command->name);
    json_text(j, "file", t->file);
    json_text(j, "kernel", t->kernel);
    json_text(j, "target", nkx_target(rt));
    json_integer(j, "status", exit_code(s));
    json_integer(j, "errors", (long long)nkx_error_count(rt));
    json_integer(j, "warnings", (long long)nkx_warning_count(rt));
    json_integer(j, "instructions", (long long)nkx_instruction_count(rt));
    if (nkx_modelled_ns(rt) > 0) {
        json_integer(j, "modelled_ps", llround(nkx_modelled_ns(rt) * 1000));
    }
    results(j, rt);
    comparisons(j, rt);
    char *d = nkx_diagnostics_json(rt);
    json_raw(j, "diagnostics", d);
    nkx_string_free(d);
}
