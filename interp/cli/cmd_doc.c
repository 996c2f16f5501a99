/* SPDX-License-Identifier: Apache-2.0 */
/* nkx parse, isa, explain, diff: commands that run no program. */
#include "interp/cli/cli.h"

#include <stdlib.h>
#include <string.h>

int cmd_parse(const cli_args *a)
{
    if (a->n_words == 0) return usage_error("nkx parse wants a file");
    nkx_options o;
    int code = 0;
    options_from(a, &o);
    for (size_t i = 0; i < a->n_words; i++) {
        nkx_runtime *rt = nkx_runtime_new(&o); /* one a file: memory stays that of the largest */
        char *tree = nkx_parse_dump(rt, a->words[i], a->on[OPT_JSON]);
        if (tree == NULL) {
            code = 1;
        } else if (!a->on[OPT_QUIET]) {
            puts(tree);
        }
        show_diagnostics(rt, 0);
        nkx_string_free(tree);
        nkx_runtime_free(rt);
    }
    return code;
}

static int print_and_free(char *text)
{
    fputs(text, stdout);
    size_t n = strlen(text);
    if (n > 0 && text[n - 1] != '\n') putchar('\n');
    nkx_string_free(text);
    return 0;
}

/* ---- isa ---- */

static int unknown_instruction(const char *word)
{
    const char *names[256];
    size_t n = 0;
    for (; n < 256 && nkx_isa_name(n); n++) names[n] = nkx_isa_name(n);
    const char *near = nkx_suggest(word, names, n);
    if (near) return usage_error("there is no instruction '%s'; did you mean '%s'?", word, near);
    return usage_error("there is no instruction '%s'; `nkx isa --names` lists them", word);
}

int cmd_isa(const cli_args *a)
{
    if (a->on[OPT_MARKDOWN]) return print_and_free(nkx_isa_document());
    if (a->n_words == 0) {
        for (size_t i = 0; nkx_isa_name(i); i++) puts(nkx_isa_name(i));
        return 0;
    }
    if (a->on[OPT_EXAMPLE]) {
        const char *text = nkx_isa_example(a->words[0]);
        if (text == NULL) return unknown_instruction(a->words[0]);
        fputs(text, stdout);
        return 0;
    }
    char *page = nkx_isa_page(a->words[0]);
    if (page == NULL) return unknown_instruction(a->words[0]);
    return print_and_free(page);
}

/* ---- explain ---- */

static int list_codes(void)
{
    char name[8];
    for (size_t i = 0; nkx_code_name(i, name); i++) puts(name);
    return 0;
}

int cmd_explain(const cli_args *a)
{
    if (a->on[OPT_MARKDOWN]) return print_and_free(nkx_codes_document());
    if (a->on[OPT_NAMES]) return list_codes();
    if (a->n_words == 0) {
        return usage_error(
            "nkx explain wants a code, such as E312; `nkx explain --names` lists them");
    }
    const char *code = a->words[0];
    if (a->on[OPT_WRONG] || a->on[OPT_RIGHT]) {
        const char *text = nkx_code_example(code, a->on[OPT_RIGHT]);
        if (text) fputs(text, stdout);
        return text ? 0 : 1;
    }
    char *page = nkx_explain(code);
    if (page == NULL) {
        return usage_error("there is no diagnostic '%s'; `nkx explain --names` lists them", code);
    }
    return print_and_free(page);
}

/* ---- diff ---- */

int cmd_diff(const cli_args *a)
{
    if (a->n_words != 2) return usage_error("nkx diff wants two reports: nkx diff A.json B.json");
    char *why = NULL;
    char *text = nkx_profile_diff(a->words[0], a->words[1], a->json, &why);
    if (text) return print_and_free(text);
    fprintf(stderr, "nkx: %s\n", why);
    nkx_string_free(why);
    return 1;
}
