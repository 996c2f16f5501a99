/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who holds what: the table shown with capacity errors and by the REPL. Layer machine. Tiles made
 * at one place with one type are one line, since loops make many of them.
 */
#include "interp/machine/memory_private.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 16, LONGEST_NAME = 24 };

typedef struct group {
    const nkx_holder *first;
    int64_t bytes; /* on chip: of a partition */
    size_t n;
} group;

static bool same_group(const nkx_holder *a, const nkx_holder *b)
{
    return a->st.span.source == b->st.span.source && a->st.span.begin == b->st.span.begin &&
           strcmp(a->type_text, b->type_text) == 0 && strcmp(a->st.name, b->st.name) == 0;
}

static int by_bytes(const void *a, const void *b)
{
    const group *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return (x->first->st.serial > y->first->st.serial) -
           (x->first->st.serial < y->first->st.serial);
}

static size_t collect(const nkx_room *r, group *groups)
{
    size_t n = 0;
    for (const nkx_holder *h = r->first; h; h = h->next) {
        size_t i = 0;
        while (i < n && !same_group(groups[i].first, h)) i++;
        if (i == n) groups[n++] = (group){.first = h};
        groups[i].bytes += nkx_space_on_chip((nkx_space)h->st.space) ? h->held : h->st.bytes;
        groups[i].n++;
    }
    return n;
}

static void place_text(const nkx_memory *m, const nkx_storage *st, char *out, size_t cap)
{
    uint32_t line = 0, col = 0;
    const nkx_source *src = nkx_sources_get(m->core->diags->sources, st->span.source);
    nkx_buf b = {0};
    if (src) {
        nkx_source_locate(m->core->diags->sources, st->span.source, st->span.begin, &line, &col);
        const char *slash = strrchr(src->path, '/');
        nkx_buf_printf(&b, "%s:%u", slash ? slash + 1 : src->path, line);
    }
    size_t len = b.len < cap - 1 ? b.len : cap - 1;
    if (len) memcpy(out, b.at, len);
    out[len] = '\0';
    nkx_buf_fini(&b);
}

static void put_group(const nkx_memory *m, const group *g, nkx_buf *out)
{
    const nkx_storage *st = &g->first->st;
    char where[64], address[32] = "-", name[LONGEST_NAME + 1] = "-";
    place_text(m, st, where, sizeof where);
    if (st->name[0]) {
        size_t len = strnlen(st->name, LONGEST_NAME);
        memcpy(name, st->name, len);
        name[len] = '\0';
    }
    nkx_buf b = {0};
    if (nkx_space_on_chip((nkx_space)st->space) && g->n == 1) {
        nkx_buf_printf(&b, "(%u, %u)", st->part0, st->offset);
        memcpy(address, b.at, b.len < sizeof address ? b.len + 1 : sizeof address);
        address[sizeof address - 1] = '\0';
    }
    nkx_buf_fini(&b);
    nkx_buf_printf(out, "%12lld %5zu  %-14s %-24s %-28s %s\n", (long long)g->bytes, g->n, address,
                   name, st->type_text, where);
}

const char *nkx_holder_text(const nkx_holder *h)
{
    nkx_arena *a = &h->st.core->diags->arena;
    if (h->st.name[0] == '\0') return h->type_text[0] ? h->type_text : "a tensor";
    return nkx_arena_printf(a, "'%s' %s", h->st.name, h->type_text);
}

void nkx_memory_table(const nkx_memory *m, nkx_space space, nkx_buf *out)
{
    const nkx_room *r = &m->rooms[space > NKX_SPACE_HBM ? NKX_SPACE_HBM : space];
    if (r->n == 0) return;
    group *groups = nkx_alloc(r->n * sizeof *groups);
    size_t n = collect(r, groups);
    int64_t rest = 0;
    qsort(groups, n, sizeof *groups, by_bytes);
    nkx_buf_printf(out, "%12s %5s  %-14s %-24s %-28s %s\n", "bytes", "count", "address", "name",
                   "type", "line");
    for (size_t i = 0; i < n; i++) {
        if (i < MOST_LINES) {
            put_group(m, &groups[i], out);
        } else {
            rest += groups[i].bytes;
        }
    }
    if (n > MOST_LINES) {
        nkx_buf_printf(out, "%12lld        in %zu more groups\n", (long long)rest, n - MOST_LINES);
    }
    free(groups);
}

void nkx_memory_use(const nkx_memory *m, nkx_space space, nkx_mem_use *out)
{
    const nkx_room *r = &m->rooms[space > NKX_SPACE_HBM ? NKX_SPACE_HBM : space];
    *out = (nkx_mem_use){
        .used = r->used, .peak = r->peak, .capacity = r->capacity, .n_storages = r->n};
    out->free_run =
        nkx_space_on_chip(space) ? nkx_freelist_longest(&r->free) : r->capacity - r->used;
}

int64_t nkx_memory_level(const nkx_memory *m, nkx_space space)
{
    return m->rooms[space > NKX_SPACE_HBM ? NKX_SPACE_HBM : space].used;
}
