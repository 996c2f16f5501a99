/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Byte states by bands and runs (cells.h). Layer machine. A region becomes a set of rows and a
 * sorted list of byte intervals common to them; patterns whose intervals differ from row to row are
 * taken apart into one piece a run.
 */
#include "interp/machine/cells.h"

#include <stdlib.h>
#include <string.h>

/* Past this many runs in a band, gaps are closed: memory stays bounded, junk may be let pass. */
enum { MOST_RUNS = 1 << 22 };

typedef struct interval {
    int64_t begin, end;
} interval;

typedef struct intervals {
    interval *at;
    size_t n, cap;
    interval few[8];
} intervals;

void nkx_cells_init(nkx_cells *c, uint32_t rows, int64_t row_bytes)
{
    c->all = NKX_PE_UNINIT;
    c->rows = rows;
    c->row_bytes = row_bytes;
    c->n = 0;
}

void nkx_cells_fini(nkx_cells *c)
{
    for (uint32_t i = 0; i < c->cap; i++) free(c->bands[i].runs);
    free(c->bands);
    free(c->spare);
    *c = (nkx_cells){0};
}

static void band_room(nkx_band *b, uint32_t n)
{
    if (b->cap >= n) return;
    b->cap = n + n / 2 + 4;
    b->runs = nkx_realloc(b->runs, b->cap * sizeof *b->runs);
}

/* Room for one more band; unused slots keep their run arrays for the next use. */
static void cells_room(nkx_cells *c, uint32_t n)
{
    if (c->cap >= n) return;
    uint32_t cap = n + n / 2 + 4;
    c->bands = nkx_realloc(c->bands, cap * sizeof *c->bands);
    memset(c->bands + c->cap, 0, (cap - c->cap) * sizeof *c->bands);
    c->cap = cap;
}

static void open_bands(nkx_cells *c)
{
    if (c->n != 0) return;
    cells_room(c, 1);
    nkx_band *b = &c->bands[0];
    band_room(b, 1);
    b->r0 = 0;
    b->r1 = c->rows;
    b->n = 1;
    b->runs[0] = (nkx_run){c->row_bytes, c->all};
    c->n = 1;
}

static uint32_t band_of(const nkx_cells *c, uint32_t row)
{
    uint32_t lo = 0, hi = c->n;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (c->bands[mid].r0 <= row) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    return lo;
}

/* Makes `row` the first row of a band; answers which. */
static uint32_t split_at(nkx_cells *c, uint32_t row)
{
    if (row >= c->rows) return c->n;
    uint32_t i = band_of(c, row);
    if (c->bands[i].r0 == row) return i;
    cells_room(c, c->n + 1);
    nkx_band spare = c->bands[c->n];
    memmove(c->bands + i + 2, c->bands + i + 1, (c->n - i - 1) * sizeof *c->bands);
    nkx_band *a = &c->bands[i], *b = &c->bands[i + 1];
    *b = spare;
    band_room(b, a->n);
    memcpy(b->runs, a->runs, a->n * sizeof *a->runs);
    b->n = a->n;
    b->r0 = row;
    b->r1 = a->r1;
    a->r1 = row;
    c->n++;
    return i + 1;
}

static bool same_content(const nkx_band *a, const nkx_band *b)
{
    if (a->n != b->n) return false;
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->runs[i].end != b->runs[i].end || a->runs[i].state != b->runs[i].state) return false;
    }
    return true;
}

/* Joins equal neighbours among bands [from - 1, to]. */
static void join_bands(nkx_cells *c, uint32_t from, uint32_t to)
{
    if (from > 0) from--;
    if (to >= c->n) to = c->n - 1;
    for (uint32_t i = from; i < to;) {
        if (!same_content(&c->bands[i], &c->bands[i + 1])) {
            i++;
            continue;
        }
        nkx_band gone = c->bands[i + 1];
        c->bands[i].r1 = gone.r1;
        memmove(c->bands + i + 1, c->bands + i + 2, (c->n - i - 2) * sizeof *c->bands);
        c->n--;
        to--;
        c->bands[c->n] = gone; /* keeps its run array */
    }
    if (c->n == 1 && c->bands[0].n == 1) {
        c->all = c->bands[0].runs[0].state;
        c->n = 0;
    } else {
        c->all = NKX_PE_MIXED;
    }
}

static void put_run(nkx_band *b, int64_t end, uint8_t state)
{
    if (b->n > 0 && b->runs[b->n - 1].state == state) {
        b->runs[b->n - 1].end = end;
        return;
    }
    band_room(b, b->n + 1);
    b->runs[b->n++] = (nkx_run){end, state};
}

/* Lays sorted, disjoint intervals of one state over a band. */
static void lay(nkx_cells *c, nkx_band *b, const interval *v, size_t n, uint8_t state)
{
    nkx_band out = {.r0 = b->r0, .r1 = b->r1, .cap = c->spare_cap, .runs = c->spare};
    int64_t at = 0;
    size_t k = 0;
    band_room(&out, b->n + 2);
    for (uint32_t i = 0; i < b->n; i++) {
        while (at < b->runs[i].end) {
            while (k < n && v[k].end <= at) k++;
            bool inside = k < n && v[k].begin <= at;
            int64_t next = k == n ? b->runs[i].end : inside ? v[k].end : v[k].begin;
            if (next > b->runs[i].end) next = b->runs[i].end;
            put_run(&out, next, inside ? state : b->runs[i].state);
            at = next;
        }
    }
    c->spare = b->runs;
    c->spare_cap = b->cap;
    *b = out;
    if (b->n > MOST_RUNS) {
        b->runs[0] = (nkx_run){b->runs[b->n - 1].end, state};
        b->n = 1;
    }
}

static void set_rows(nkx_cells *c, uint32_t r0, uint32_t r1, const interval *v, size_t n,
                     uint8_t state)
{
    open_bands(c);
    uint32_t from = split_at(c, r0), to = split_at(c, r1);
    for (uint32_t i = from; i < to; i++) lay(c, &c->bands[i], v, n, state);
    join_bands(c, from, to);
}

/* --- patterns --- */

static void put_interval(intervals *v, int64_t begin, int64_t end)
{
    if (v->n > 0 && v->at[v->n - 1].end == begin) {
        v->at[v->n - 1].end = end;
        return;
    }
    if (v->n == v->cap) {
        size_t cap = v->cap * 2;
        interval *at = nkx_alloc(cap * sizeof *at);
        memcpy(at, v->at, v->n * sizeof *at);
        if (v->at != v->few) free(v->at);
        v->at = at;
        v->cap = cap;
    }
    v->at[v->n++] = (interval){begin, end};
}

static int by_begin(const void *a, const void *b)
{
    const interval *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Sorted and disjoint: patterns may walk backwards or overlap themselves. */
static void tidy(intervals *v)
{
    size_t n = 0;
    qsort(v->at, v->n, sizeof *v->at, by_begin);
    for (size_t i = 0; i < v->n; i++) {
        if (n > 0 && v->at[i].begin <= v->at[n - 1].end) {
            if (v->at[i].end > v->at[n - 1].end) v->at[n - 1].end = v->at[i].end;
        } else {
            v->at[n++] = v->at[i];
        }
    }
    v->n = n;
}

typedef struct dims {
    int n;
    int64_t count[NKX_REGION_DIMS], step[NKX_REGION_DIMS];
} dims;

/* Dims with more than one element, largest step first. */
static void add_dim(dims *d, int64_t count, int64_t step)
{
    if (count <= 1 || step == 0) return;
    int i = d->n++;
    for (; i > 0 && d->step[i - 1] < step; i--) {
        d->step[i] = d->step[i - 1];
        d->count[i] = d->count[i - 1];
    }
    d->step[i] = step;
    d->count[i] = count;
}

/* Calls put for every element start of the dims, in order of the dims. */
static void walk(const dims *d, int64_t first, int64_t bytes, intervals *v)
{
    int64_t idx[NKX_REGION_DIMS] = {0}, at = first;
    for (;;) {
        put_interval(v, at, at + bytes);
        int k = d->n - 1;
        while (k >= 0 && ++idx[k] == d->count[k]) {
            at -= d->step[k] * (d->count[k] - 1);
            idx[k--] = 0;
        }
        if (k < 0) return;
        at += d->step[k];
    }
}

/* A region as rows times intervals. False: the intervals are linear bytes of the whole storage. */
static bool shape_of(const nkx_cells *c, const nkx_region *r, dims *rows, intervals *v)
{
    dims in = {0};
    int64_t column = r->first % c->row_bytes, bytes = r->elem_bytes, span = 0;
    for (int i = 0; i < r->ndim; i++) {
        if (r->step[i] % c->row_bytes == 0) {
            add_dim(rows, r->count[i], r->step[i] / c->row_bytes);
        } else {
            add_dim(&in, r->count[i], r->step[i]);
        }
        if (r->step[i] % c->row_bytes != 0) span += (r->count[i] - 1) * r->step[i];
    }
    bool by_rows = column + span + bytes <= c->row_bytes && span >= 0;
    if (!by_rows) {
        for (int i = 0; i < rows->n; i++) {
            add_dim(&in, rows->count[i], rows->step[i] * c->row_bytes);
        }
        rows->n = 0;
    }
    while (in.n > 0 && in.step[in.n - 1] == bytes) bytes *= in.count[--in.n];
    walk(&in, by_rows ? column : r->first, bytes, v);
    tidy(v);
    return by_rows;
}

typedef bool (*visit_fn)(void *user, uint32_t r0, uint32_t r1, const interval *v, size_t n);

static bool visit_linear(const nkx_cells *c, const intervals *v, visit_fn f, void *user)
{
    for (size_t i = 0; i < v->n; i++) {
        for (int64_t at = v->at[i].begin; at < v->at[i].end;) {
            int64_t row = at / c->row_bytes, stop = (row + 1) * c->row_bytes;
            interval one = {at - row * c->row_bytes,
                            (v->at[i].end < stop ? v->at[i].end : stop) - row * c->row_bytes};
            if (!f(user, (uint32_t)row, (uint32_t)row + 1, &one, 1)) return false;
            at = stop;
        }
    }
    return true;
}

static bool visit_rows(const dims *rows, int64_t row, const intervals *v, visit_fn f, void *user)
{
    intervals at = {.at = at.few, .cap = NKX_COUNT(at.few)};
    bool go_on = true;
    walk(rows, row, 1, &at);
    tidy(&at);
    for (size_t i = 0; i < at.n && go_on; i++) {
        go_on = f(user, (uint32_t)at.at[i].begin, (uint32_t)at.at[i].end, v->at, v->n);
    }
    if (at.at != at.few) free(at.at);
    return go_on;
}

static void visit(const nkx_cells *c, const nkx_region *r, visit_fn f, void *user)
{
    if (r->exact || r->ndim == 0) {
        interval one = {r->b0, r->b1};
        (void)f(user, r->r0, r->r1, &one, 1);
        return;
    }
    dims rows = {0};
    intervals v = {.at = v.few, .cap = NKX_COUNT(v.few)};
    if (shape_of(c, r, &rows, &v)) {
        (void)visit_rows(&rows, r->first / c->row_bytes, &v, f, user);
    } else {
        (void)visit_linear(c, &v, f, user);
    }
    if (v.at != v.few) free(v.at);
}

typedef struct set_visit {
    nkx_cells *c;
    uint8_t state;
} set_visit;

static bool set_piece(void *user, uint32_t r0, uint32_t r1, const interval *v, size_t n)
{
    const set_visit *s = user;
    set_rows(s->c, r0, r1, v, n, s->state);
    return true;
}

void nkx_cells_set(nkx_cells *c, const nkx_region *r, nkx_pe_state state)
{
    if (c->all == state) return;
    if (r->exact && r->r0 == 0 && r->b0 == 0 && r->r1 == c->rows && r->b1 == c->row_bytes) {
        c->all = (uint8_t)state;
        c->n = 0;
        return;
    }
    set_visit s = {c, (uint8_t)state};
    visit(c, r, set_piece, &s);
}

static unsigned query_band(const nkx_band *b, int64_t b0, int64_t b1)
{
    unsigned bits = 0;
    uint32_t lo = 0, hi = b->n;
    while (lo < hi) { /* first run that ends after b0 */
        uint32_t mid = lo + (hi - lo) / 2;
        if (b->runs[mid].end <= b0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    for (uint32_t i = lo; i < b->n; i++) {
        bits |= NKX_CELL(b->runs[i].state);
        if (b->runs[i].end >= b1) break;
    }
    return bits;
}

unsigned nkx_cells_query_row(const nkx_cells *c, uint32_t row, int64_t b0, int64_t b1)
{
    if (c->n == 0) return NKX_CELL(c->all);
    return query_band(&c->bands[band_of(c, row)], b0, b1);
}

typedef struct query_visit {
    const nkx_cells *c;
    unsigned bits;
} query_visit;

static bool query_piece(void *user, uint32_t r0, uint32_t r1, const interval *v, size_t n)
{
    query_visit *q = user;
    for (uint32_t i = band_of(q->c, r0); i < q->c->n && q->c->bands[i].r0 < r1; i++) {
        for (size_t k = 0; k < n; k++) q->bits |= query_band(&q->c->bands[i], v[k].begin, v[k].end);
    }
    return true;
}

unsigned nkx_cells_query(const nkx_cells *c, const nkx_region *r)
{
    if (c->n == 0) return NKX_CELL(c->all);
    query_visit q = {c, 0};
    visit(c, r, query_piece, &q);
    return q.bits;
}
