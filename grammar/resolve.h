/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides where each name lives (the fields marked R in ast.h), by CPython's rules: assignment
 * makes a local, comprehension has its own scope, class bodies are skipped by inner functions.
 * Also numbers constants, attribute and call sites, and reports misplaced statements (return
 * outside a function, break outside a loop, nonlocal without a binding, bad targets, duplicate
 * parameters).
 *
 * A module's global names are appended to `globals`, which persists between calls so that a REPL
 * can resolve one statement at a time into the same module; slots never move.
 */
#ifndef NKX_GRAMMAR_RESOLVE_H
#define NKX_GRAMMAR_RESOLVE_H

#include "grammar/ast.h"
#include "interp/base/diag.h"
#include "interp/base/vec.h"

typedef NKX_VEC(const nkx_name *) nkx_global_names;

NKX_MUST_USE bool nkx_resolve(nkx_module_ast *m, nkx_global_names *globals, nkx_names *names,
                              nkx_diags *diags);
/* Slot of a global, adding it when new. */
uint32_t nkx_global_slot(nkx_global_names *globals, const nkx_name *name);

#endif
