/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of memory by address and by age (freelist.h). Layer machine. Free neighbours stay apart
 * while they are few, since each has its own age and past; past a few hundred they are joined.
 */
#include "interp/machine/freelist.h"

#include "interp/machine/exec.h"

#include <stdlib.h>

enum { MOST_FREE = 512 };

static nkx_piece *node_new(nkx_freelist *f)
{
    nkx_piece *p = f->spare;
    if (p == NULL) return nkx_alloc(sizeof *p);
    f->spare = p->next;
    return p;
}

static void unlink_age(nkx_freelist *f, nkx_piece *p)
{
    if (p->older) {
        p->older->newer = p->newer;
    } else {
        f->oldest = p->newer;
    }
    if (p->newer) {
        p->newer->older = p->older;
    } else {
        f->newest = p->older;
    }
    f->n_free--;
}

/* As the next newer of `older` (NULL: the oldest of all). */
static void link_age(nkx_freelist *f, nkx_piece *p, nkx_piece *older)
{
    p->older = older;
    p->newer = older ? older->newer : f->oldest;
    if (older) {
        older->newer = p;
    } else {
        f->oldest = p;
    }
    if (p->newer) {
        p->newer->older = p;
    } else {
        f->newest = p;
    }
    f->n_free++;
}

void nkx_freelist_init(nkx_freelist *f, int64_t bytes, struct nkx_executor *x)
{
    *f = (nkx_freelist){.free_bytes = bytes, .executor = x};
    f->first = node_new(f);
    *f->first = (nkx_piece){.len = bytes};
    link_age(f, f->first, NULL);
}

static void free_nodes(nkx_piece *p)
{
    while (p) {
        nkx_piece *next = p->next;
        free(p);
        p = next;
    }
}

void nkx_freelist_fini(nkx_freelist *f)
{
    free_nodes(f->first);
    free_nodes(f->spare);
    *f = (nkx_freelist){0};
}

/* Cuts p so that a piece begins at `off`, inside it; both keep age and past. Answers the second. */
static nkx_piece *split(nkx_freelist *f, nkx_piece *p, int64_t off)
{
    nkx_piece *rest = node_new(f);
    *rest = *p;
    rest->off = off;
    rest->len = p->off + p->len - off;
    p->len = off - p->off;
    rest->prev = p;
    p->next = rest;
    if (rest->next) rest->next->prev = rest;
    if (!p->taken) link_age(f, rest, p);
    return rest;
}

/* Makes p one with the piece behind it, which vanishes. Ages and pasts are the caller's business.
 */
static void absorb_next(nkx_freelist *f, nkx_piece *p)
{
    nkx_piece *q = p->next;
    p->len += q->len;
    p->next = q->next;
    if (q->next) q->next->prev = p;
    if (!q->taken) unlink_age(f, q);
    q->next = f->spare;
    f->spare = q;
}

static void join_past(nkx_freelist *f, nkx_past *past, nkx_piece *p)
{
    if (f->executor) nkx_jobs_gather(f->executor, &p->past.jobs);
    nkx_past_join(f->executor, past, &p->past);
}

/* Takes [off, off + len), all free, beginning in p. */
static nkx_piece *take_from(nkx_freelist *f, nkx_piece *p, int64_t off, int64_t len, nkx_past *past)
{
    while (p->off + p->len <= off) p = p->next;
    if (p->off < off) p = split(f, p, off);
    join_past(f, past, p);
    while (p->len < len) {
        join_past(f, past, p->next);
        int64_t end = off + len;
        if (p->next->off + p->next->len > end) (void)split(f, p->next, end);
        absorb_next(f, p);
    }
    if (p->len > len) (void)split(f, p, off + len);
    unlink_age(f, p);
    p->taken = true;
    f->free_bytes -= len;
    return p;
}

static int64_t align_up(int64_t x, int64_t align)
{
    return (x + align - 1) / align * align;
}

static bool joins(const nkx_piece *q, const nkx_piece *newest)
{
    return q && !q->taken && q->freed <= newest->freed;
}

/*
 * The run of free bytes around p that holds nothing freed after p, as far as `len` bytes need it.
 * Answers its first piece.
 */
static nkx_piece *run_around(nkx_piece *p, int64_t len, int64_t *begin, int64_t *end)
{
    nkx_piece *first = p;
    const nkx_piece *last = p;
    *begin = p->off;
    *end = p->off + p->len;
    while (*end - *begin < 2 * len && joins(first->prev, p)) {
        first = first->prev;
        *begin = first->off;
    }
    while (*end - *begin < 3 * len && joins(last->next, p)) {
        last = last->next;
        *end = last->off + last->len;
    }
    return first;
}

nkx_piece *nkx_freelist_take(nkx_freelist *f, int64_t len, int64_t align, nkx_past *past)
{
    if (len > f->free_bytes) return NULL;
    for (nkx_piece *p = f->oldest; p; p = p->newer) {
        nkx_piece *from = p;
        int64_t at = align_up(p->off, align), begin, end;
        if (at + len > p->off + p->len) {
            from = run_around(p, len, &begin, &end);
            at = align_up(begin, align);
            if (at + len > end) continue;
        }
        return take_from(f, from, at, len, past);
    }
    return NULL;
}

void nkx_freelist_carve(nkx_freelist *f, int64_t off, int64_t len, nkx_past *past)
{
    int64_t end = off + len;
    for (nkx_piece *p = f->first; p && p->off < end; p = p->next) {
        int64_t from = p->off > off ? p->off : off;
        int64_t to = p->off + p->len < end ? p->off + p->len : end;
        if (!p->taken && from < to) p = take_from(f, p, from, to - from, past);
    }
}

/* Joins free neighbours; a joined piece has the later age. */
static void thin_out(nkx_freelist *f)
{
    for (nkx_piece *p = f->first; p; p = p->next) {
        while (!p->taken && p->next && !p->next->taken) {
            nkx_piece *q = p->next;
            nkx_past_join(f->executor, &p->past, &q->past);
            if (q->freed > p->freed) {
                unlink_age(f, p);
                link_age(f, p, q);
                p->freed = q->freed;
            }
            absorb_next(f, p);
        }
    }
}

static void set_free(nkx_freelist *f, nkx_piece *p, const nkx_past *past)
{
    p->taken = false;
    p->freed = ++f->serial;
    p->past = *past;
    f->free_bytes += p->len;
    link_age(f, p, f->newest);
}

void nkx_freelist_give(nkx_freelist *f, nkx_piece *p, const nkx_past *past)
{
    set_free(f, p, past);
    if (f->n_free > MOST_FREE) thin_out(f);
}

void nkx_freelist_give_range(nkx_freelist *f, int64_t off, int64_t len, const nkx_past *past)
{
    int64_t end = off + len;
    for (nkx_piece *p = f->first; p && p->off < end; p = p->next) {
        if (!p->taken || p->off + p->len <= off) continue;
        if (p->off < off) p = split(f, p, off);
        if (p->off + p->len > end) (void)split(f, p, end);
        set_free(f, p, past);
    }
    if (f->n_free > MOST_FREE) thin_out(f);
}

int64_t nkx_freelist_longest(const nkx_freelist *f)
{
    int64_t longest = 0, run = 0;
    for (const nkx_piece *p = f->first; p; p = p->next) {
        run = p->taken ? 0 : run + p->len;
        if (run > longest) longest = run;
    }
    return longest;
}
