/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes through lexer, parser, resolver, dump and the rendering of what they report. */
#include "grammar/parse.h"
#include "grammar/resolve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nkx_sources *sources = nkx_sources_new();
    nkx_names *names = nkx_names_new();
    nkx_arena arena;
    nkx_diags diags;
    nkx_global_names globals = {0};
    nkx_buf out = {0};
    nkx_arena_init(&arena);
    nkx_diags_init(&diags, sources);

    const nkx_source *src = nkx_sources_add(sources, "fuzz.nki", (const char *)data, size);
    nkx_module_ast *m = nkx_parse(src, &arena, names, &diags);
    if (m != NULL && nkx_resolve(m, &globals, names, &diags)) {
        nkx_ast_dump(m, &out);
        nkx_ast_json(m, &out);
    }
    for (size_t i = 0; i < diags.n; i++) nkx_diag_render(&diags, diags.list[i], true, &out);
    nkx_diags_json(&diags, &out);

    nkx_buf_fini(&out);
    nkx_vec_fini(&globals);
    nkx_diags_fini(&diags);
    nkx_arena_fini(&arena);
    nkx_names_free(names);
    nkx_sources_free(sources);
    return 0;
}
