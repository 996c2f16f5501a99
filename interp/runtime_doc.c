/* SPDX-License-Identifier: Apache-2.0 */
/* Syntax trees and reference texts: all from the tables, nothing is run. */
#include "interp/base/file.h"
#include "interp/isa/isa.h"
#include "interp/runtime.h"

#include <stdio.h>
#include <string.h>

char *nkx_parse_dump(nkx_runtime *rt, const char *path, bool json)
{
    nkx_buf text = {0}, out = {0};
    const char *why = NULL;
    if (!nkx_file_read(path, (size_t)64 << 20, &text, &why)) {
        nkx_span span = nkx_rt_note_text(rt, "<command line>", path);
        nkx_diag_add(&rt->diags, NKX_E651, span, "cannot read '%s': %s", path, why);
        nkx_buf_fini(&text);
        return NULL;
    }
    const nkx_source *src = nkx_sources_add(rt->sources, path, text.at ? text.at : "", text.len);
    nkx_buf_fini(&text);
    nkx_arena arena;
    nkx_arena_init(&arena);
    nkx_names *names = nkx_names_new();
    nkx_global_names globals = {0};
    nkx_module_ast *m = nkx_parse(src, &arena, names, &rt->diags);
    bool fine = m && nkx_resolve(m, &globals, names, &rt->diags);
    if (fine && json) {
        nkx_ast_json(m, &out);
    } else if (fine) {
        nkx_ast_dump(m, &out);
    }
    nkx_vec_fini(&globals);
    nkx_names_free(names);
    nkx_arena_fini(&arena);
    return fine ? nkx_buf_take(&out) : NULL;
}

/* ---- instructions ---- */

const char *nkx_isa_name(size_t i)
{
    for (size_t k = 0; nkx_isa_table[k]; k++) {
        if (k == i) return nkx_isa_table[k]->name;
    }
    return NULL;
}

char *nkx_isa_page(const char *name)
{
    const nkx_insn *row = nkx_isa_find(name);
    if (row == NULL) return NULL;
    nkx_buf out = {0};
    nkx_isa_help(row, &out);
    return nkx_buf_take(&out);
}

const char *nkx_isa_example(const char *name)
{
    const nkx_insn *row = nkx_isa_find(name);
    return row ? row->example : NULL;
}

char *nkx_isa_document(void)
{
    nkx_buf out = {0};
    nkx_isa_markdown(&out);
    return nkx_buf_take(&out);
}

char *nkx_machine_document(void)
{
    nkx_buf out = {0};
    nkx_config_markdown(&out);
    return nkx_buf_take(&out);
}

/* ---- diagnostics ---- */

const char *nkx_code_name(size_t i, char out[8])
{
    if (i >= NKX_N_CODES) return NULL;
    (void)snprintf(out, 8, "E%u", (unsigned)nkx_code_rows[i].number % 1000u);
    return out;
}

const char *nkx_code_example(const char *code, bool right)
{
    nkx_code c = nkx_code_find(code);
    if (c == NKX_N_CODES) return NULL;
    return right ? nkx_code_rows[c].right : nkx_code_rows[c].wrong;
}

static const char *severity_text(nkx_severity s)
{
    switch (s) {
    case NKX_SEV_ERROR: return "error";
    case NKX_SEV_REFUSE: return "error (a warning with --lenient)";
    case NKX_SEV_WARN: return "warning (an error with --strict)";
    case NKX_SEV_HINT: return "hint";
    }
    return "";
}

/* Paragraph folded at 96 columns. */
static void fold(const char *text, nkx_buf *out)
{
    size_t col = 0;
    while (*text) {
        size_t n = strcspn(text, " \n");
        if (col > 0 && col + 1 + n > 96) {
            nkx_buf_char(out, '\n');
            col = 0;
        }
        if (col > 0) nkx_buf_char(out, ' ');
        nkx_buf_add(out, text, n);
        col += n + (col > 0);
        text += n;
        if (*text == '\n') {
            nkx_buf_char(out, '\n');
            col = 0;
        }
        if (*text) text++;
    }
    nkx_buf_char(out, '\n');
}

static void indented(const char *title, const char *text, nkx_buf *out)
{
    if (text == NULL) return;
    nkx_buf_printf(out, "\n%s\n\n", title);
    while (*text) {
        size_t n = strcspn(text, "\n");
        if (n > 0) nkx_buf_printf(out, "    %.*s", (int)n, text);
        nkx_buf_char(out, '\n');
        text += n + (text[n] == '\n');
    }
}

char *nkx_explain(const char *code)
{
    nkx_code c = nkx_code_find(code);
    if (c == NKX_N_CODES) return NULL;
    const nkx_code_row *r = &nkx_code_rows[c];
    nkx_buf out = {0};
    nkx_buf_printf(&out, "E%u %s: %s\n%s; rule from %s\n\n", (unsigned)r->number, r->name, r->title,
                   severity_text(r->severity), r->source);
    fold(r->explain, &out);
    indented("Wrong:", r->wrong, &out);
    indented("Right:", r->right, &out);
    return nkx_buf_take(&out);
}

static void code_block(const char *title, const char *text, nkx_buf *out)
{
    if (text == NULL) return;
    nkx_buf_printf(out, "\n%s\n\n```python\n%s", title, text);
    if (text[0] && text[strlen(text) - 1] != '\n') nkx_buf_char(out, '\n');
    nkx_buf_str(out, "```\n");
}

static const char *area_title(unsigned number)
{
    switch (number / 100) {
    case 1: return "Text and syntax";
    case 2: return "Names and calls";
    case 3: return "Shapes, types and indexing";
    case 4: return "Memory and order";
    case 5: return "Engine limits";
    case 6: return "Files, arguments and machine files";
    case 7: return "Kernels and their launch";
    case 8: return "The device language";
    default: return "Faults of nkx itself";
    }
}

char *nkx_codes_document(void)
{
    nkx_buf out = {0};
    unsigned area = 0;
    nkx_buf_str(&out,
                "# Diagnostics\n\nWritten by `nkx explain --markdown`; do not edit by hand. "
                "`nkx explain E312` prints one entry, `--allow E312` switches one check off.\n");
    for (size_t i = 0; i < NKX_N_CODES; i++) {
        const nkx_code_row *r = &nkx_code_rows[i];
        if (r->number / 100u != area) {
            area = r->number / 100u;
            nkx_buf_printf(&out, "\n## %s\n", area_title(r->number));
        }
        nkx_buf_printf(&out, "\n### E%u `%s`\n\n%s. Severity: %s. Source: %s.\n\n",
                       (unsigned)r->number, r->name, r->title, severity_text(r->severity),
                       r->source);
        fold(r->explain, &out);
        code_block("Wrong:", r->wrong, &out);
        code_block("Right:", r->right, &out);
    }
    return nkx_buf_take(&out);
}

const char *nkx_suggest(const char *word, const char *const *names, size_t n)
{
    return nkx_nearest(word, names, n);
}

const char *const *nkx_targets(size_t *n)
{
    return nkx_target_names(n);
}

const char *nkx_target(const nkx_runtime *rt)
{
    return rt->o.target ? rt->o.target : "";
}

size_t nkx_error_count(const nkx_runtime *rt)
{
    return rt->diags.n_errors;
}

size_t nkx_warning_count(const nkx_runtime *rt)
{
    return rt->diags.n_warnings;
}

size_t nkx_diagnostic_count(const nkx_runtime *rt)
{
    return rt->diags.n;
}

char *nkx_diagnostics_text(const nkx_runtime *rt, size_t first, bool colour)
{
    nkx_buf out = {0};
    for (size_t i = first; i < rt->diags.n; i++) {
        nkx_diag_render(&rt->diags, rt->diags.list[i], colour, &out);
    }
    return nkx_buf_take(&out);
}

char *nkx_diagnostics_json(const nkx_runtime *rt)
{
    nkx_buf out = {0};
    nkx_diags_json(&rt->diags, &out);
    return nkx_buf_take(&out);
}
