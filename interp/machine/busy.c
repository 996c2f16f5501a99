/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of busy intervals (busy.h). Layer machine. */
#include "interp/machine/busy.h"

#include <stdlib.h>
#include <string.h>

/* Loads may run a few hundred transfers ahead of a store that waits for compute (timing.md 6.1). */
enum { MOST_INTERVALS = 1024 };

void nkx_busy_fini(nkx_busy *b)
{
    free(b->at);
    *b = (nkx_busy){0};
}

void nkx_busy_copy(nkx_busy *to, const nkx_busy *from)
{
    if (to->cap < from->n) {
        to->cap = from->cap;
        to->at = nkx_realloc(to->at, to->cap * sizeof *to->at);
    }
    if (from->n) memcpy(to->at, from->at, from->n * sizeof *to->at);
    to->n = from->n;
    to->floor = from->floor;
}

/* Index of the first interval that ends after t. */
static uint32_t first_after(const nkx_busy *b, int64_t t)
{
    uint32_t lo = 0, hi = b->n;
    if (hi == 0) return 0;
    NKX_ASSERT(b->at != NULL);
    if (b->at[hi - 1].end <= t) return hi;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (b->at[mid].end <= t) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

/* Puts one interval in place of [from, to), joining neighbours that touch. */
static void replace(nkx_busy *b, uint32_t from, uint32_t to, nkx_span_ps v)
{
    if (from > 0 && b->at[from - 1].end == v.begin) v.begin = b->at[--from].begin;
    if (to < b->n && b->at[to].begin == v.end) v.end = b->at[to++].end;
    if (from == to) {
        if (b->n == MOST_INTERVALS) { /* forget the older half */
            uint32_t half = MOST_INTERVALS / 2;
            b->floor = b->at[half - 1].end;
            memmove(b->at, b->at + half, half * sizeof *b->at);
            b->n -= half;
            if (from < half) return; /* older than all that is remembered */
            from -= half;
        }
        if (b->n == b->cap) {
            b->cap = b->cap * 2 + 16;
            b->at = nkx_realloc(b->at, b->cap * sizeof *b->at);
        }
        memmove(b->at + from + 1, b->at + from, (b->n - from) * sizeof *b->at);
        b->n++;
    } else if (to - from > 1) {
        memmove(b->at + from + 1, b->at + to, (b->n - to) * sizeof *b->at);
        b->n -= to - from - 1;
    }
    b->at[from] = v;
}

int64_t nkx_busy_fill(nkx_busy *b, int64_t ready, int64_t len, int64_t *first)
{
    int64_t t = ready > b->floor ? ready : b->floor, begin = -1;
    uint32_t from = first_after(b, t), k = from;
    for (;;) {
        int64_t gap_end = k < b->n ? b->at[k].begin : INT64_MAX;
        if (gap_end > t) {
            if (begin < 0) begin = t;
            int64_t piece = gap_end - t < len ? gap_end - t : len;
            t += piece;
            len -= piece;
            if (len == 0) break;
        }
        t = b->at[k++].end;
    }
    *first = begin;
    nkx_span_ps v = {begin, t};
    if (k > from && b->at[from].begin < begin) v.begin = b->at[from].begin;
    replace(b, from, k, v);
    return t;
}

int64_t nkx_busy_gap(const nkx_busy *b, int64_t ready, int64_t len)
{
    int64_t t = ready > b->floor ? ready : b->floor;
    for (uint32_t k = first_after(b, t); k < b->n && b->at[k].begin < t + len; k++) {
        t = b->at[k].end;
    }
    return t;
}

int64_t nkx_busy_cover(nkx_busy *b, int64_t begin, int64_t end)
{
    if (begin < b->floor) begin = b->floor;
    if (begin >= end) return 0;
    nkx_span_ps *tail = b->n ? &b->at[b->n - 1] : NULL;
    if (tail && begin >= tail->begin && begin <= tail->end) { /* the usual case: it goes on */
        int64_t more = end - tail->end;
        if (more <= 0) return 0;
        tail->end = end;
        return more;
    }
    uint32_t from = first_after(b, begin), k = from;
    nkx_span_ps v = {begin, end};
    int64_t fresh = end - begin;
    for (; k < b->n && b->at[k].begin < end; k++) {
        int64_t x = b->at[k].begin > begin ? b->at[k].begin : begin;
        int64_t y = b->at[k].end < end ? b->at[k].end : end;
        fresh -= y - x;
        if (b->at[k].begin < v.begin) v.begin = b->at[k].begin;
        if (b->at[k].end > v.end) v.end = b->at[k].end;
    }
    replace(b, from, k, v);
    return fresh;
}
