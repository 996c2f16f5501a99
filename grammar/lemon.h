/* SPDX-License-Identifier: Apache-2.0 */
/* The generated parser's entry points. For parse.c alone. */
#ifndef NKX_GRAMMAR_LEMON_H
#define NKX_GRAMMAR_LEMON_H

#include "grammar/build.h"

void *nkx_lemonAlloc(void *(*alloc)(size_t), nkx_parser *p);
void nkx_lemonFree(void *parser, void (*release)(void *));
void nkx_lemon(void *parser, int kind, nkx_tok token);
void nkx_lemon_line_end(void *parser);
size_t nkx_lemon_depth(void *parser); /* entries on its stack */

#endif
