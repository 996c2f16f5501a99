/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a partition, cut into pieces: free ones and taken ones, in order of address without
 * gaps. A free piece knows when it was freed and who used it last. Taking hands out the bytes that
 * have been idle longest, joining neighbours when one piece is too small: the choice whose newest
 * piece is the oldest possible. Address order would hand out the piece freed a moment ago and make
 * the new tile wait for its readers (timing.md 6.2). Private to the machine layer.
 */
#ifndef NKX_MACHINE_FREELIST_H
#define NKX_MACHINE_FREELIST_H

#include "interp/machine/past.h"

typedef struct nkx_piece {
    int64_t off, len;
    bool taken;
    uint64_t freed;                  /* serial of the freeing; 0: never used */
    struct nkx_piece *prev, *next;   /* by address */
    struct nkx_piece *older, *newer; /* free pieces by age */
    nkx_past past;                   /* of free pieces */
} nkx_piece;

typedef struct nkx_freelist {
    nkx_piece *first, *oldest, *newest;
    nkx_piece *spare; /* unused nodes, linked by next */
    size_t n_free;
    uint64_t serial;
    int64_t free_bytes;
    struct nkx_executor *executor; /* for job lists; may be NULL */
} nkx_freelist;

void nkx_freelist_init(nkx_freelist *f, int64_t bytes, struct nkx_executor *x);
void nkx_freelist_fini(nkx_freelist *f);
/*
 * Takes len bytes (above 0) at a multiple of align; joins their past to *past. NULL when no run of
 * free bytes is that long. The piece is the list's; give it back with nkx_freelist_give.
 */
nkx_piece *nkx_freelist_take(nkx_freelist *f, int64_t len, int64_t align, nkx_past *past);
void nkx_freelist_give(nkx_freelist *f, nkx_piece *p, const nkx_past *past);
/* Takes whatever is free of [off, off + len): placement by hand. Joins its past to *past. */
void nkx_freelist_carve(nkx_freelist *f, int64_t off, int64_t len, nkx_past *past);
/* Frees whatever is taken of [off, off + len), cutting pieces where it must. */
void nkx_freelist_give_range(nkx_freelist *f, int64_t off, int64_t len, const nkx_past *past);
/* Longest run of free bytes. */
int64_t nkx_freelist_longest(const nkx_freelist *f);

#endif
