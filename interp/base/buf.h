/* SPDX-License-Identifier: Apache-2.0 */
/* A growable byte string, always NUL-terminated once something was added. Zero-initialise to start.
 */
#ifndef NKX_BASE_BUF_H
#define NKX_BASE_BUF_H

#include "interp/base/alloc.h"
#include <stdarg.h>

typedef struct nkx_buf {
    char *at; /* NULL while empty and never written */
    size_t len, cap;
} nkx_buf;

void nkx_buf_fini(nkx_buf *b);
void nkx_buf_clear(nkx_buf *b);
void nkx_buf_add(nkx_buf *b, const void *s, size_t len);
void nkx_buf_str(nkx_buf *b, const char *s);
void nkx_buf_char(nkx_buf *b, char c);
void nkx_buf_utf8(nkx_buf *b, uint32_t codepoint);
void nkx_buf_printf(nkx_buf *b, const char *fmt, ...) NKX_PRINTF(2, 3);
void nkx_buf_vprintf(nkx_buf *b, const char *fmt, va_list ap) NKX_PRINTF(2, 0);
char *
nkx_buf_take(nkx_buf *b); /* heap string, the caller's to free; b is empty afterwards; never NULL */

#endif
