/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Free bytes of a partition. A piece knows when it was freed and who used it last. Taking hands out
 * the bytes that have been idle longest, joining neighbours when one piece is too small: the choice
 * whose newest piece is the oldest possible. Address order would hand out the piece freed a
 * moment ago and make the new tile wait for its readers (timing.md 6.2). Private to the machine
 * layer.
 */
#ifndef NKX_MACHINE_FREELIST_H
#define NKX_MACHINE_FREELIST_H

#include "interp/machine/past.h"

typedef struct nkx_piece {
    int64_t off, len;
    uint64_t freed; /* serial of the freeing; 0: never used */
    nkx_past past;
    struct nkx_piece *prev, *next;   /* by address */
    struct nkx_piece *older, *newer; /* by age */
} nkx_piece;

typedef struct nkx_freelist {
    nkx_piece *first, *oldest, *newest;
    nkx_piece **by_address; /* the same pieces, to search in */
    size_t cap;
    nkx_piece *spare; /* unused nodes, linked by next */
    size_t n;
    uint64_t serial;
    int64_t free_bytes;
    struct nkx_executor *executor; /* for job lists; may be NULL */
} nkx_freelist;

void nkx_freelist_init(nkx_freelist *f, int64_t bytes, struct nkx_executor *x);
void nkx_freelist_fini(nkx_freelist *f);
/* Takes len bytes at a multiple of align. False when no run of free bytes is that long. */
NKX_MUST_USE bool nkx_freelist_take(nkx_freelist *f, int64_t len, int64_t align, int64_t *off,
                                    nkx_past *past);
/* Takes whatever is free of [off, off + len): placement by hand. Joins its past to *past. */
void nkx_freelist_carve(nkx_freelist *f, int64_t off, int64_t len, nkx_past *past);
void nkx_freelist_give(nkx_freelist *f, int64_t off, int64_t len, const nkx_past *past);
/* Longest run of free bytes. */
int64_t nkx_freelist_longest(const nkx_freelist *f);

#endif
