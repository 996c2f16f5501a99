/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Free bytes by age and by address (freelist.h). Layer machine. Pieces stay apart while few, since
 * each has its own age and past; past a few hundred, neighbours are joined in pairs.
 */
#include "interp/machine/freelist.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PIECES = 512 };

static nkx_piece *node_new(nkx_freelist *f)
{
    nkx_piece *p = f->spare;
    if (p == NULL) return nkx_alloc(sizeof *p);
    f->spare = p->next;
    *p = (nkx_piece){0};
    return p;
}

static void unlink_age(nkx_freelist *f, nkx_piece *p)
{
    if (p->older)
        p->older->newer = p->newer;
    else
        f->oldest = p->newer;
    if (p->newer)
        p->newer->older = p->older;
    else
        f->newest = p->older;
}

/* Index of the first piece at or after an address. */
static size_t index_of(const nkx_freelist *f, int64_t off)
{
    size_t lo = 0, hi = f->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (f->by_address[mid]->off < off)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void remove_piece(nkx_freelist *f, nkx_piece *p)
{
    size_t at = index_of(f, p->off);
    memmove(f->by_address + at, f->by_address + at + 1, (f->n - at - 1) * sizeof(nkx_piece *));
    if (p->prev)
        p->prev->next = p->next;
    else
        f->first = p->next;
    if (p->next) p->next->prev = p->prev;
    unlink_age(f, p);
    p->next = f->spare;
    f->spare = p;
    f->n--;
}

static void link_address(nkx_freelist *f, nkx_piece *p, nkx_piece *prev, size_t at)
{
    if (f->n == f->cap) {
        f->cap = f->cap * 2 + 64;
        f->by_address = nkx_realloc((void *)f->by_address, f->cap * sizeof(nkx_piece *));
    }
    memmove(f->by_address + at + 1, f->by_address + at, (f->n - at) * sizeof(nkx_piece *));
    f->by_address[at] = p;
    p->prev = prev;
    p->next = prev ? prev->next : f->first;
    if (prev)
        prev->next = p;
    else
        f->first = p;
    if (p->next) p->next->prev = p;
    f->n++;
}

/* As the next newer of `older` (NULL: the oldest of all). */
static void link_age(nkx_freelist *f, nkx_piece *p, nkx_piece *older)
{
    p->older = older;
    p->newer = older ? older->newer : f->oldest;
    if (older)
        older->newer = p;
    else
        f->oldest = p;
    if (p->newer)
        p->newer->older = p;
    else
        f->newest = p;
}

void nkx_freelist_init(nkx_freelist *f, int64_t bytes, struct nkx_executor *x)
{
    *f = (nkx_freelist){.free_bytes = bytes, .executor = x};
    nkx_piece *p = node_new(f);
    p->len = bytes;
    link_address(f, p, NULL, 0);
    link_age(f, p, NULL);
}

void nkx_freelist_fini(nkx_freelist *f)
{
    while (f->first) remove_piece(f, f->first);
    while (f->spare) {
        nkx_piece *p = f->spare;
        f->spare = p->next;
        free(p);
    }
    free((void *)f->by_address);
    *f = (nkx_freelist){0};
}

/* Cuts [off, off + len) out of p; what is left of it keeps its age and past. */
static void cut(nkx_freelist *f, nkx_piece *p, int64_t off, int64_t len)
{
    int64_t before = off - p->off, after = p->off + p->len - (off + len);
    f->free_bytes -= len;
    if (before == 0 && after == 0) {
        remove_piece(f, p);
        return;
    }
    if (before > 0 && after > 0) {
        nkx_piece *rest = node_new(f);
        rest->off = off + len;
        rest->len = after;
        rest->freed = p->freed;
        rest->past = p->past;
        link_address(f, rest, p, index_of(f, p->off) + 1);
        link_age(f, rest, p);
        p->len = before;
        return;
    }
    if (before == 0) p->off += len;
    p->len -= len;
}

/* From piece p on. */
static void carve(nkx_freelist *f, nkx_piece *p, int64_t off, int64_t len, nkx_past *past)
{
    int64_t end = off + len;
    for (nkx_piece *next; p && p->off < end; p = next) {
        next = p->next;
        int64_t from = p->off > off ? p->off : off;
        int64_t to = p->off + p->len < end ? p->off + p->len : end;
        if (from >= to) continue;
        nkx_past_join(f->executor, past, &p->past);
        cut(f, p, from, to - from);
    }
}

void nkx_freelist_carve(nkx_freelist *f, int64_t off, int64_t len, nkx_past *past)
{
    carve(f, f->first, off, len, past);
}

static int64_t align_up(int64_t x, int64_t align)
{
    return (x + align - 1) / align * align;
}

/*
 * The run of free bytes around p that holds nothing freed after p, as far as `len` bytes need it.
 * Answers its first piece.
 */
static nkx_piece *run_around(nkx_piece *p, int64_t len, int64_t *begin, int64_t *end)
{
    nkx_piece *first = p;
    *begin = p->off;
    *end = p->off + p->len;
    for (nkx_piece *q = p->prev; q && *end - *begin < 2 * len; q = q->prev) {
        if (q->off + q->len != *begin || q->freed > p->freed) break;
        *begin = q->off;
        first = q;
    }
    for (const nkx_piece *q = p->next; q && *end - *begin < 3 * len; q = q->next) {
        if (q->off != *end || q->freed > p->freed) break;
        *end = q->off + q->len;
    }
    return first;
}

bool nkx_freelist_take(nkx_freelist *f, int64_t len, int64_t align, int64_t *off, nkx_past *past)
{
    if (len > f->free_bytes) return false;
    for (nkx_piece *p = f->oldest; p; p = p->newer) {
        nkx_piece *from = p;
        int64_t at = align_up(p->off, align), begin, end;
        if (at + len > p->off + p->len) {
            from = run_around(p, len, &begin, &end);
            at = align_up(begin, align);
            if (at + len > end) continue;
        }
        carve(f, from, at, len, past);
        *off = at;
        return true;
    }
    return false;
}

static void join_next(nkx_freelist *f, nkx_piece *p)
{
    nkx_piece *q = p->next;
    nkx_past_join(f->executor, &p->past, &q->past);
    p->len += q->len;
    if (q->freed > p->freed) { /* takes the newer one's age, and its place in that order */
        unlink_age(f, p);
        link_age(f, p, q);
        p->freed = q->freed;
    }
    remove_piece(f, q);
}

static void thin_out(nkx_freelist *f)
{
    for (nkx_piece *p = f->first; p && p->next; p = p->next) {
        if (p->off + p->len == p->next->off) join_next(f, p);
    }
}

void nkx_freelist_give(nkx_freelist *f, int64_t off, int64_t len, const nkx_past *past)
{
    nkx_piece *p = node_new(f);
    size_t at = index_of(f, off);
    p->off = off;
    p->len = len;
    p->freed = ++f->serial;
    p->past = *past;
    f->free_bytes += len;
    link_address(f, p, at > 0 ? f->by_address[at - 1] : NULL, at);
    link_age(f, p, f->newest);
    if (f->n > MOST_PIECES) thin_out(f);
}

int64_t nkx_freelist_longest(const nkx_freelist *f)
{
    int64_t longest = 0, run = 0, end = -1;
    for (const nkx_piece *p = f->first; p; p = p->next) {
        run = p->off == end ? run + p->len : p->len;
        end = p->off + p->len;
        if (run > longest) longest = run;
    }
    return longest;
}
