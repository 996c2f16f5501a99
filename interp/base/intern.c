/* SPDX-License-Identifier: Apache-2.0 */
/* The table of interned names: open addressing over arena-held entries. Layer base. */
#include "interp/base/intern.h"

#include <stdlib.h>
#include <string.h>

struct nkx_names {
    nkx_arena arena;
    const nkx_name **slots; /* cap of them, a power of two; NULL where free */
    size_t cap, n;
};

enum { FIRST_CAP = 256 };

nkx_names *nkx_names_new(void)
{
    nkx_names *t = nkx_alloc(sizeof *t);
    nkx_arena_init(&t->arena);
    t->cap = FIRST_CAP;
    t->slots = nkx_alloc(t->cap * sizeof *t->slots);
    return t;
}

void nkx_names_free(nkx_names *t)
{
    if (t == NULL) return;
    nkx_arena_fini(&t->arena);
    free((void *)t->slots);
    free(t);
}

/* FNV-1a: names are short, and the table is small. */
static uint32_t hash_text(const char *text, size_t len)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++) {
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    }
    return h;
}

/* The slot that holds the text, or the free one where it belongs. */
static size_t find_slot(const nkx_names *t, const char *text, size_t len, uint32_t hash)
{
    size_t i = hash & (t->cap - 1);
    for (; t->slots[i] != NULL; i = (i + 1) & (t->cap - 1)) {
        const nkx_name *n = t->slots[i];
        if (n->hash == hash && n->len == len && memcmp(n->text, text, len) == 0) break;
    }
    return i;
}

static void grow(nkx_names *t)
{
    const nkx_name **old = t->slots;
    size_t old_cap = t->cap;
    t->cap *= 2;
    t->slots = nkx_alloc(t->cap * sizeof *t->slots);
    for (size_t i = 0; i < old_cap; i++) {
        if (old[i] == NULL) continue;
        size_t j = old[i]->hash & (t->cap - 1);
        while (t->slots[j] != NULL) j = (j + 1) & (t->cap - 1);
        t->slots[j] = old[i];
    }
    free((void *)old);
}

const nkx_name *nkx_names_get(nkx_names *t, const char *text, size_t len)
{
    uint32_t hash = hash_text(text, len);
    size_t i = find_slot(t, text, len, hash);
    if (t->slots[i] != NULL) return t->slots[i];
    if ((t->n + 1) * 2 > t->cap) {
        grow(t);
        i = find_slot(t, text, len, hash);
    }
    nkx_name *n = nkx_arena_alloc(&t->arena, sizeof *n + len + 1);
    n->id = (uint32_t)t->n++;
    n->hash = hash;
    n->len = (uint32_t)len;
    if (len) memcpy(n->text, text, len);
    t->slots[i] = n;
    return n;
}

const nkx_name *nkx_names_find(const nkx_names *t, const char *text, size_t len)
{
    return t->slots[find_slot(t, text, len, hash_text(text, len))];
}

size_t nkx_names_count(const nkx_names *t)
{
    return t->n;
}
