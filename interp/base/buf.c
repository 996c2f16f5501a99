/* SPDX-License-Identifier: Apache-2.0 */
/* Growable byte strings: what messages, reports and JSON are written into. Layer base. */
#include "interp/base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and the NUL. */
static void reserve(nkx_buf *b, size_t more)
{
    size_t want = b->len + more + 1;
    if (want <= b->cap) return;
    size_t cap = b->cap * 2;
    if (cap < want) cap = want;
    if (cap < 64) cap = 64;
    b->at = nkx_realloc(b->at, cap);
    b->cap = cap;
}

void nkx_buf_fini(nkx_buf *b)
{
    free(b->at);
    *b = (nkx_buf){0};
}

void nkx_buf_clear(nkx_buf *b)
{
    b->len = 0;
    if (b->at != NULL) b->at[0] = '\0';
}

void nkx_buf_add(nkx_buf *b, const void *s, size_t len)
{
    reserve(b, len);
    if (len) memcpy(b->at + b->len, s, len);
    b->len += len;
    b->at[b->len] = '\0';
}

void nkx_buf_str(nkx_buf *b, const char *s)
{
    nkx_buf_add(b, s, strlen(s));
}

void nkx_buf_char(nkx_buf *b, char c)
{
    reserve(b, 1);
    b->at[b->len++] = c;
    b->at[b->len] = '\0';
}

void nkx_buf_utf8(nkx_buf *b, uint32_t codepoint)
{
    uint32_t c = codepoint;
    if (c < 0x80) {
        nkx_buf_char(b, (char)c);
        return;
    }
    if (c < 0x800) {
        nkx_buf_char(b, (char)(0xC0 | (c >> 6)));
    } else if (c < 0x10000) {
        nkx_buf_char(b, (char)(0xE0 | (c >> 12)));
        nkx_buf_char(b, (char)(0x80 | ((c >> 6) & 0x3F)));
    } else {
        nkx_buf_char(b, (char)(0xF0 | (c >> 18)));
        nkx_buf_char(b, (char)(0x80 | ((c >> 12) & 0x3F)));
        nkx_buf_char(b, (char)(0x80 | ((c >> 6) & 0x3F)));
    }
    nkx_buf_char(b, (char)(0x80 | (c & 0x3F)));
}

void nkx_buf_printf(nkx_buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    nkx_buf_vprintf(b, fmt, ap);
    va_end(ap);
}

void nkx_buf_vprintf(nkx_buf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    reserve(b, 0);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is the caller's */
    int n = vsnprintf(b->at + b->len, b->cap - b->len, fmt, ap);
    if (n > 0 && (size_t)n >= b->cap - b->len) {
        reserve(b, (size_t)n);
        (void)vsnprintf(b->at + b->len, b->cap - b->len, fmt, again);
    }
    va_end(again);
    if (n > 0) b->len += (size_t)n;
    b->at[b->len] = '\0';
}

char *nkx_buf_take(nkx_buf *b)
{
    reserve(b, 0);
    b->at[b->len] = '\0';
    char *s = b->at;
    *b = (nkx_buf){0};
    return s;
}
