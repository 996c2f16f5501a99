/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heap and arena memory, and the one place where the program gives up: out of memory and broken
 * invariants. Layer base. Arena chunks double in size up to a bound, so that a module's tree costs
 * a handful of heap calls.
 */
#include "interp/base/alloc.h"
#include "interp/base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK = 1 << 12, LARGEST_CHUNK = 1 << 20, ARENA_ALIGN = 16 };

/* The header's size is a multiple of the alignment, so the data behind it is aligned too. */
struct nkx_arena_chunk {
    struct nkx_arena_chunk *next;
    size_t cap;
};

static NKX_NORETURN void out_of_memory(size_t size)
{
    (void)fprintf(stderr, "nkx: out of memory: %zu bytes were asked for\n", size);
    abort();
}

NKX_NORETURN void nkx_fatal(const char *file, int line, const char *what)
{
    (void)fprintf(stderr, "nkx: internal fault at %s:%d: %s\n", file, line, what);
    abort();
}

void *nkx_alloc(size_t size)
{
    void *p = calloc(1, size ? size : 1);
    if (p == NULL) out_of_memory(size);
    return p;
}

void *nkx_realloc(void *p, size_t size)
{
    void *q = realloc(p, size ? size : 1);
    if (q == NULL) out_of_memory(size);
    return q;
}

void *nkx_dup(const void *p, size_t size)
{
    void *q = malloc(size ? size : 1);
    if (q == NULL) out_of_memory(size);
    if (size) memcpy(q, p, size);
    return q;
}

void nkx_arena_init(nkx_arena *a)
{
    *a = (nkx_arena){0};
}

static void free_chunks(struct nkx_arena_chunk *c)
{
    while (c != NULL) {
        struct nkx_arena_chunk *next = c->next;
        free(c);
        c = next;
    }
}

void nkx_arena_fini(nkx_arena *a)
{
    free_chunks(a->chunks);
    *a = (nkx_arena){0};
}

void nkx_arena_reset(nkx_arena *a)
{
    if (a->chunks == NULL) return;
    /* The newest chunk is the largest: after a few resets one chunk holds everything. */
    free_chunks(a->chunks->next);
    a->chunks->next = NULL;
    a->used = 0;
}

static void add_chunk(nkx_arena *a, size_t need)
{
    size_t cap = a->chunks ? a->cap * 2 : FIRST_CHUNK;
    if (cap > LARGEST_CHUNK) cap = LARGEST_CHUNK;
    if (cap < need) cap = need;
    struct nkx_arena_chunk *c = malloc(sizeof *c + cap);
    if (c == NULL) out_of_memory(cap);
    c->next = a->chunks;
    c->cap = cap;
    a->chunks = c;
    a->used = 0;
    a->cap = cap;
}

void *nkx_arena_alloc(nkx_arena *a, size_t size)
{
    if (size > SIZE_MAX / 2) out_of_memory(size);
    size_t need = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (a->chunks == NULL || a->cap - a->used < need) add_chunk(a, need);
    char *p = (char *)(a->chunks + 1) + a->used;
    a->used += need;
    /* Zeroed here, not per chunk: a reset arena hands out memory that was used before. */
    return memset(p, 0, need);
}

char *nkx_arena_str(nkx_arena *a, const char *s, size_t len)
{
    char *p = nkx_arena_alloc(a, len + 1);
    if (len) memcpy(p, s, len);
    return p;
}

char *nkx_arena_printf(nkx_arena *a, const char *fmt, ...)
{
    nkx_buf text = {0};
    va_list ap;
    va_start(ap, fmt);
    nkx_buf_vprintf(&text, fmt, ap);
    va_end(ap);
    char *p = nkx_arena_str(a, text.at, text.len);
    nkx_buf_fini(&text);
    return p;
}
