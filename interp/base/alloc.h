/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heap and arena memory. Out of memory is handled in one place: message and abort; sizes that a
 * user's program chooses are checked against limits before they come here.
 */
#ifndef NKX_BASE_ALLOC_H
#define NKX_BASE_ALLOC_H

#include "interp/base/attr.h"

void *nkx_alloc(size_t size);              /* zeroed; free with free() */
void *nkx_realloc(void *p, size_t size);   /* as realloc, never NULL */
void *nkx_dup(const void *p, size_t size); /* heap copy */

/* Checked size arithmetic: false on overflow, *out then undefined. */
static inline NKX_MUST_USE bool nkx_mul_i64(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}
static inline NKX_MUST_USE bool nkx_add_i64(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

/* Bump allocator: everything in it is freed at once. Blocks are zeroed and 16-byte aligned. */
typedef struct nkx_arena {
    struct nkx_arena_chunk *chunks; /* newest first */
    size_t used, cap;               /* of the newest chunk */
} nkx_arena;

void nkx_arena_init(nkx_arena *a);
void nkx_arena_fini(nkx_arena *a);
void nkx_arena_reset(nkx_arena *a); /* empties; keeps one chunk */
void *nkx_arena_alloc(nkx_arena *a, size_t size);
char *nkx_arena_str(nkx_arena *a, const char *s, size_t len); /* NUL-terminated copy */
char *nkx_arena_printf(nkx_arena *a, const char *fmt, ...) NKX_PRINTF(2, 3);

#define NKX_ARENA_NEW(a, T)      ((T *)nkx_arena_alloc((a), sizeof(T)))
#define NKX_ARENA_ARRAY(a, T, n) ((T *)nkx_arena_alloc((a), sizeof(T) * (size_t)(n)))

#endif
