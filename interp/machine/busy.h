/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Busy time of a shared resource: a sorted list of intervals that merge. Work arrives in program
 * order but is granted in time order: it goes to the first free time at or after its ready moment
 * (timing.md 6.1). The list is bounded; what lies before `floor` counts as busy. Private to the
 * machine layer.
 */
#ifndef NKX_MACHINE_BUSY_H
#define NKX_MACHINE_BUSY_H

#include "interp/base/alloc.h"

typedef struct nkx_span_ps {
    int64_t begin, end;
} nkx_span_ps;

typedef struct nkx_busy {
    nkx_span_ps *at;
    uint32_t n, cap;
    int64_t floor;
} nkx_busy;

void nkx_busy_fini(nkx_busy *b);
void nkx_busy_copy(nkx_busy *to, const nkx_busy *from);
/* Places work that may be split over gaps. Answers its end; *first: when it began. len > 0. */
int64_t nkx_busy_fill(nkx_busy *b, int64_t ready, int64_t len, int64_t *first);
/* Start of the first gap of at least len at or after ready; nothing is placed. */
int64_t nkx_busy_gap(const nkx_busy *b, int64_t ready, int64_t len);
/* Marks [begin, end) busy. Answers how much of it was not before. */
int64_t nkx_busy_cover(nkx_busy *b, int64_t begin, int64_t end);
static inline int64_t nkx_busy_last(const nkx_busy *b)
{
    return b->n ? b->at[b->n - 1].end : b->floor;
}

#endif
