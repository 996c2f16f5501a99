/* SPDX-License-Identifier: Apache-2.0 */
/* Text to tree. Reports up to 20 syntax errors; on any error returns NULL. */
#ifndef NKX_GRAMMAR_PARSE_H
#define NKX_GRAMMAR_PARSE_H

#include "grammar/ast.h"
#include "interp/base/diag.h"

/*
 * Parses a source. The tree lives in `arena` (the caller's; one a module). Names are interned in
 * `names`. Depth of nesting is limited (diagnostic). NULL after errors, all of them in `diags`.
 */
nkx_module_ast *nkx_parse(const nkx_source *src, nkx_arena *arena, nkx_names *names,
                          nkx_diags *diags);

/* For the REPL: is the text a complete statement, does it need more lines, or is it wrong already?
 */
typedef enum nkx_completeness { NKX_COMPLETE, NKX_INCOMPLETE, NKX_INVALID } nkx_completeness;
nkx_completeness nkx_parse_completeness(const char *text, size_t len);

#endif
