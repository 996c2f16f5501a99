/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of the bytes of a storage (track.h): the log of recent uses, from which the
 * timeline and the executor learn what an access must wait for, and the cells, which know what was
 * written. Layer machine. Rules: timing.md 6.2 (dependences), isa.md 4.0.2 (junk lanes), 4.3.1
 * (PSUM).
 *
 * The log is exact while short. When it grows past a bound its older half is thinned: rectangles of
 * one engine that make a rectangle together are joined, then all of an engine into their hull. A
 * joined use may make a later access wait for a neighbour's time, never too little.
 */
#include "interp/machine/hazard.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_USES = 48 };

void nkx_track_init(nkx_storage *st)
{
    nkx_track *t = st->track;
    nkx_cells_init(&t->cells, st->rows, st->row_bytes);
    t->n_uses = t->n_writes = t->n_overlaps = 0;
    t->reported = t->was_read = t->clobbered = t->in_place = false;
}

void nkx_track_fini(nkx_storage *st)
{
    nkx_track *t = st->track;
    nkx_cells_fini(&t->cells);
    free(t->uses);
    free(t->overlaps);
    *t = (nkx_track){0};
}

/* --- the log of uses --- */

typedef struct residue {
    int32_t mod, rem, width;
} residue;

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

/*
 * A strided pattern touches runs of `width` bytes, all at one place modulo the steps between them.
 * Two patterns whose places differ do not meet, though their rectangles do (every other column).
 */
static residue residue_of(const nkx_region *r)
{
    int64_t width = r->elem_bytes, mod = 0;
    int n = r->ndim;
    while (n > 0 && (r->count[n - 1] == 1 || r->step[n - 1] == width)) {
        width *= r->count[n - 1];
        n--;
    }
    for (int i = 0; i < n; i++) {
        if (r->count[i] > 1) mod = gcd(mod, r->step[i]);
    }
    if (mod <= 0 || mod <= width || mod > INT32_MAX) return (residue){0}; /* the whole rectangle */
    return (residue){(int32_t)mod, (int32_t)(r->first % mod), (int32_t)width};
}

static bool residues_meet(const nkx_use *a, const nkx_use *b)
{
    if (a->mod == 0 || b->mod == 0) return true;
    int64_t g = a->mod == b->mod ? a->mod : gcd(a->mod, b->mod);
    if (g <= 0 || a->width + b->width > g) return true;
    int64_t d = ((b->rem - a->rem) % g + g) % g; /* b begins d after a, circularly */
    return d < a->width || g - d < b->width;
}

static inline bool rects_meet(const nkx_use *a, const nkx_use *b)
{
    return a->b0 < b->b1 && b->b0 < a->b1 && a->r0 < b->r1 && b->r0 < a->r1;
}

static inline bool covers(const nkx_use *a, const nkx_use *b)
{
    return a->b0 <= b->b0 && a->b1 >= b->b1 && a->r0 <= b->r0 && a->r1 >= b->r1;
}

static inline bool same_bytes(const nkx_use *a, const nkx_use *b)
{
    return a->b0 == b->b0 && a->b1 == b->b1 && a->r0 == b->r0 && a->r1 == b->r1 &&
           a->mod == b->mod && a->rem == b->rem && a->width == b->width;
}

/*
 * The use that a region stands for. Reads of an HBM tensor that no instruction has written are
 * remembered as one of the whole: only a later write in place cares.
 */
static inline nkx_use use_of(const nkx_region *r, uint8_t engine)
{
    const nkx_storage *st = r->st;
    residue x = {0};
    if (!r->exact && r->ndim > 0) x = residue_of(r);
    bool coarse = !r->write && st->is_input && !st->track->in_place &&
                  !nkx_space_on_chip((nkx_space)st->space);
    if (coarse) x = (residue){0};
    return (nkx_use){
        .b0 = coarse ? 0 : r->b0,
        .b1 = coarse ? st->row_bytes : r->b1,
        .r0 = coarse ? 0 : r->r0,
        .r1 = coarse ? st->rows : r->r1,
        .mod = x.mod,
        .rem = x.rem,
        .width = x.width,
        .engine = engine,
        .write = r->write,
    };
}

/* Same engine: in order, so that only a value read back must be waited for; PE adds into PSUM in
 * order. */
static bool engine_orders(const nkx_use *before, const nkx_use *now)
{
    if (before->engine != now->engine || now->engine == NKX_DMA) return false;
    return now->write || now->engine == NKX_PE;
}

static void wait_for(const nkx_use *u, const nkx_use *now, nkx_wait *wait)
{
    enum { FLOW = 1, ANTI = 2, OUTPUT = 3 };
    if (u->at <= wait->at || engine_orders(u, now)) return;
    wait->at = u->at;
    wait->id = u->id;
    wait->kind = !now->write ? FLOW : u->write ? OUTPUT : ANTI;
}

static void push_jobs(const nkx_use *u, nkx_executor *x, nkx_job_list *jobs)
{
    for (uint32_t n = nkx_jobs_first(x, &u->jobs); n; n = nkx_jobs_next(x, n)) {
        if (jobs->n == jobs->cap) {
            jobs->cap = jobs->cap * 2 + 64;
            jobs->at = nkx_realloc(jobs->at, jobs->cap * sizeof *jobs->at);
        }
        jobs->at[jobs->n++] = nkx_jobs_at(x, n);
    }
}

static inline void scan(const nkx_track *t, const nkx_use *now, nkx_wait *wait, nkx_executor *x,
                        nkx_job_list *jobs)
{
    uint32_t writes = t->n_writes;
    for (uint32_t i = 0; i < t->n_uses; i++) {
        const nkx_use *u = &t->uses[i];
        if (!now->write) { /* reads pass reads; the writes mostly stand in front */
            if (writes == 0) break;
            if (!u->write) continue;
            writes--;
        }
        if (!rects_meet(u, now)) continue;
        if ((u->mod | now->mod) != 0 && !residues_meet(u, now)) continue;
        wait_for(u, now, wait);
        if (x) push_jobs(u, x, jobs);
    }
}

/* The same bytes in the rows and columns of another storage that overlaps; false when they do not
 * meet. */
static bool translate(const nkx_storage *from, const nkx_storage *to, const nkx_use *u,
                      nkx_use *out)
{
    int64_t rows = (int64_t)from->part0 - (int64_t)to->part0;
    int64_t bytes = (int64_t)from->offset - (int64_t)to->offset;
    int64_t r0 = (int64_t)u->r0 + rows, r1 = (int64_t)u->r1 + rows;
    *out = *u;
    out->mod = 0; /* strides of another layout: take the whole rectangle */
    out->b0 = u->b0 + bytes > 0 ? u->b0 + bytes : 0;
    out->b1 = u->b1 + bytes < to->row_bytes ? u->b1 + bytes : to->row_bytes;
    out->r0 = (uint32_t)(r0 > 0 ? r0 : 0);
    out->r1 = (uint32_t)(r1 < (int64_t)to->rows ? (r1 > 0 ? r1 : 0) : (int64_t)to->rows);
    return out->b0 < out->b1 && out->r0 < out->r1;
}

static void wait_overlaps(const nkx_region *r, uint8_t engine, nkx_wait *wait, nkx_executor *x,
                          nkx_job_list *jobs)
{
    const nkx_track *t = r->st->track;
    nkx_use now = use_of(r, engine), other;
    for (uint32_t i = 0; i < t->n_overlaps; i++) {
        if (translate(r->st, t->overlaps[i], &now, &other)) {
            scan(t->overlaps[i]->track, &other, wait, x, jobs);
        }
    }
}

void nkx_track_wait(const nkx_region *r, uint8_t engine, nkx_wait *wait, nkx_executor *x,
                    nkx_job_list *jobs)
{
    const nkx_track *t = r->st->track;
    if (t->n_uses > 0) {
        nkx_use now = use_of(r, engine);
        scan(t, &now, wait, x, jobs);
    }
    if (t->n_overlaps > 0) wait_overlaps(r, engine, wait, x, jobs);
}

/* --- thinning --- */

static void absorb(nkx_executor *x, nkx_use *to, const nkx_use *from)
{
    if (from->b0 < to->b0) to->b0 = from->b0;
    if (from->b1 > to->b1) to->b1 = from->b1;
    if (from->r0 < to->r0) to->r0 = from->r0;
    if (from->r1 > to->r1) to->r1 = from->r1;
    if (from->at > to->at) {
        to->at = from->at;
        to->id = from->id;
    }
    to->mod = to->rem = to->width = 0;
    if (x) nkx_jobs_join(x, &to->jobs, &from->jobs);
}

/* Together exactly a rectangle. */
static bool abut(const nkx_use *a, const nkx_use *b)
{
    if (a->mod != 0 || b->mod != 0) return false;
    if (a->r0 == b->r0 && a->r1 == b->r1) return a->b0 <= b->b1 && b->b0 <= a->b1;
    if (a->b0 == b->b0 && a->b1 == b->b1) return a->r0 <= b->r1 && b->r0 <= a->r1;
    return false;
}

/* Joins pairs of one engine and direction among the first n; `any`: into their hull. Answers how
 * many stay. */
static uint32_t join_uses(nkx_track *t, uint32_t n, bool any, nkx_executor *x)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = i + 1; k < n;) {
            nkx_use *a = &t->uses[i], *b = &t->uses[k];
            if (a->engine != b->engine || a->write != b->write || !(any || abut(a, b))) {
                k++;
                continue;
            }
            absorb(x, a, b);
            *b = t->uses[--n];
            k = i + 1;
        }
    }
    return n;
}

static void thin_out(nkx_track *t, nkx_executor *x)
{
    uint32_t old = t->n_uses / 2, kept = join_uses(t, old, false, x);
    if (kept > MOST_USES / 4) kept = join_uses(t, kept, true, x);
    memmove(t->uses + kept, t->uses + old, (t->n_uses - old) * sizeof *t->uses);
    t->n_uses = kept + t->n_uses - old;
}

static void count_writes(nkx_track *t)
{
    t->n_writes = 0;
    for (uint32_t i = 0; i < t->n_uses; i++) t->n_writes += t->uses[i].write;
}

static void make_room(nkx_track *t, nkx_executor *x)
{
    if (t->n_uses == MOST_USES) {
        thin_out(t, x);
        count_writes(t);
    }
    if (t->n_uses < t->cap_uses) return;
    t->cap_uses = t->cap_uses ? MOST_USES : 6;
    t->uses = nkx_realloc(t->uses, t->cap_uses * sizeof *t->uses);
}

static inline nkx_use *append(nkx_track *t, const nkx_use *u, nkx_executor *x)
{
    if (t->n_uses == t->cap_uses || t->n_uses == MOST_USES) make_room(t, x);
    nkx_use *slot = &t->uses[t->n_uses++];
    t->n_writes += u->write;
    *slot = *u;
    return slot;
}

/*
 * Whether a write hides an earlier use: whoever comes later waits for the write, and that waited
 * already. A pattern hides only its like; when the patterns cannot be told apart, one engine's
 * later.
 */
static inline bool hides(const nkx_use *now, const nkx_use *u, bool exact)
{
    if (exact) return covers(now, u);
    return same_bytes(now, u) && (now->mod != 0 || u->engine == now->engine);
}

static inline nkx_use *log_write(nkx_track *t, nkx_use *now, bool exact, nkx_executor *x)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_uses; i++) {
        const nkx_use *u = &t->uses[i];
        if (hides(now, u, exact)) {
            if (!exact && u->at > now->at) now->at = u->at;
            continue;
        }
        if (n != i) t->uses[n] = *u;
        n++;
    }
    if (n != t->n_uses) {
        t->n_uses = n;
        count_writes(t);
    }
    return append(t, now, x);
}

static inline nkx_use *log_read(nkx_track *t, const nkx_use *now, nkx_executor *x)
{
    for (uint32_t i = t->n_uses; i > 0; i--) {
        nkx_use *u = &t->uses[i - 1];
        if (u->write || u->engine != now->engine || !same_bytes(u, now)) continue;
        if (now->at > u->at) {
            u->at = now->at;
            u->id = now->id;
        }
        return u;
    }
    return append(t, now, x);
}

/* A write through one storage spoils what overlapping ones hold. */
static void clobber_others(const nkx_storage *st, const nkx_use *now)
{
    nkx_track *t = st->track;
    for (uint32_t i = 0; i < t->n_overlaps; i++) {
        nkx_storage *o = t->overlaps[i];
        nkx_use part;
        if (!translate(st, o, now, &part) || !nkx_track_any_written(o)) continue;
        nkx_track *ot = o->track;
        ot->clobbered = true;
        ot->c_name = st->name;
        ot->c_span = st->span;
        ot->c_r0 = part.r0;
        ot->c_r1 = part.r1;
        ot->c_b0 = part.b0;
        ot->c_b1 = part.b1;
    }
}

static void after_write(const nkx_region *r, uint8_t engine)
{
    nkx_track *t = r->st->track;
    nkx_cells_set(&t->cells, r, r->by_pe ? NKX_PE_ACCUM : NKX_PE_VALUE);
    if (t->n_overlaps > 0) {
        nkx_use now = use_of(r, engine);
        clobber_others(r->st, &now);
    }
    if (t->clobbered && r->b0 <= t->c_b0 && r->b1 >= t->c_b1 && r->r0 <= t->c_r0 &&
        r->r1 >= t->c_r1) {
        t->clobbered = false;
    }
}

/*
 * The two usual cases, without a copy of the use: a write of the whole storage, which leaves
 * nothing of the log, and a read of bytes that this engine has read before. NULL: neither.
 */
static nkx_use *log_quickly(nkx_track *t, const nkx_region *r, uint8_t engine, int64_t at,
                            uint64_t id)
{
    const nkx_storage *st = r->st;
    if (!r->exact || t->n_uses == 0) return NULL;
    if (r->write) {
        if (r->b0 != 0 || r->r0 != 0 || r->b1 != st->row_bytes || r->r1 != st->rows) return NULL;
        nkx_use *u = &t->uses[0];
        t->n_uses = t->n_writes = 1;
        u->b0 = 0;
        u->b1 = st->row_bytes;
        u->r0 = 0;
        u->r1 = st->rows;
        u->mod = u->rem = u->width = 0;
        u->engine = engine;
        u->write = true;
        u->at = at;
        u->id = id;
        u->jobs.head = 0;
        return u;
    }
    for (uint32_t i = t->n_uses; i > 0; i--) {
        nkx_use *u = &t->uses[i - 1];
        if (u->b0 != r->b0 || u->b1 != r->b1 || u->r0 != r->r0 || u->r1 != r->r1) continue;
        if (u->write || u->engine != engine || u->mod != 0) continue;
        if (at > u->at) {
            u->at = at;
            u->id = id;
        }
        return u;
    }
    return NULL;
}

void nkx_track_use(const nkx_region *r, uint8_t engine, int64_t at, uint64_t id, nkx_executor *x,
                   uint64_t job)
{
    nkx_track *t = r->st->track;
    if (r->write) t->in_place = true;
    if (at > 0 || job) {
        nkx_use *u = log_quickly(t, r, engine, at, id);
        if (u == NULL) {
            nkx_use now = use_of(r, engine);
            now.at = at;
            now.id = id;
            u = r->write ? log_write(t, &now, r->exact, x) : log_read(t, &now, x);
        }
        if (job) nkx_jobs_add(x, &u->jobs, job);
    }
    if (r->write) after_write(r, engine);
}

void nkx_track_past(const nkx_storage *st, nkx_executor *x, nkx_past *past)
{
    const nkx_track *t = st->track;
    for (uint32_t i = 0; i < t->n_uses; i++) {
        const nkx_use *u = &t->uses[i];
        if (u->at > past->at[u->engine]) {
            past->at[u->engine] = u->at;
            past->id[u->engine] = u->id;
        }
        if (x) nkx_jobs_join(x, &past->jobs, &u->jobs);
    }
}

void nkx_track_inherit(nkx_storage *st, const nkx_past *past)
{
    nkx_use u = {.b1 = st->row_bytes, .r1 = st->rows, .jobs = past->jobs};
    bool any = false;
    for (int e = 0; e < NKX_N_ENGINES; e++) {
        if (past->at[e] == 0) continue;
        u.engine = (uint8_t)e;
        u.at = past->at[e];
        u.id = past->id[e];
        (void)append(st->track, &u, NULL);
        u.jobs.head = 0; /* the list of jobs goes with one of them */
        any = true;
    }
    if (!any && past->jobs.head != 0) (void)append(st->track, &u, NULL);
}

/* --- cells --- */

bool nkx_track_any_written(const nkx_storage *st)
{
    return st->track->cells.all != NKX_PE_UNINIT;
}

void nkx_track_mark(const nkx_region *r)
{
    nkx_cells_set(&r->st->track->cells, r, NKX_PE_VALUE);
}

static nkx_pe_state state_of_bits(unsigned bits)
{
    if (bits == NKX_CELL(NKX_PE_UNINIT)) return NKX_PE_UNINIT;
    if (bits == NKX_CELL(NKX_PE_VALUE)) return NKX_PE_VALUE;
    return bits == NKX_CELL(NKX_PE_ACCUM) ? NKX_PE_ACCUM : NKX_PE_MIXED;
}

nkx_pe_state nkx_track_pe_state(const nkx_region *r)
{
    const nkx_cells *c = &r->st->track->cells;
    return c->n == 0 ? (nkx_pe_state)c->all : state_of_bits(nkx_cells_query(c, r));
}

bool nkx_track_pe_any(const nkx_region *r, nkx_pe_state state)
{
    return (nkx_cells_query(&r->st->track->cells, r) & NKX_CELL(state)) != 0;
}

/* Walks the elements of a region in pattern order. */
typedef struct element_walk {
    const nkx_storage *st;
    int n;
    int64_t count[NKX_REGION_DIMS], step[NKX_REGION_DIMS], idx[NKX_REGION_DIMS];
    int64_t at, bytes, left;
} element_walk;

static void walk_begin(element_walk *w, const nkx_region *r)
{
    *w = (element_walk){.st = r->st, .bytes = r->elem_bytes > 0 ? r->elem_bytes : 1, .left = 1};
    if (r->ndim == 0) { /* a rectangle without a pattern: its bytes in order */
        w->n = 2;
        w->at = (int64_t)r->r0 * r->st->row_bytes + r->b0;
        w->count[0] = (int64_t)(r->r1 - r->r0);
        w->step[0] = r->st->row_bytes;
        w->count[1] = (r->b1 - r->b0) / w->bytes;
        w->step[1] = w->bytes;
    } else {
        w->n = r->ndim;
        w->at = r->first;
        memcpy(w->count, r->count, sizeof w->count);
        memcpy(w->step, r->step, sizeof w->step);
    }
    for (int i = 0; i < w->n; i++) w->left *= w->count[i];
}

static void walk_next(element_walk *w)
{
    w->left--;
    for (int k = w->n - 1; k >= 0; k--) {
        w->at += w->step[k];
        if (++w->idx[k] < w->count[k]) return;
        w->at -= w->step[k] * w->count[k];
        w->idx[k] = 0;
    }
}

static unsigned element_bits(const element_walk *w)
{
    int64_t row = w->at / w->st->row_bytes, b = w->at % w->st->row_bytes;
    return nkx_cells_query_row(&w->st->track->cells, (uint32_t)row, b, b + w->bytes);
}

void nkx_track_pe_states(const nkx_region *r, uint8_t *out, int64_t n)
{
    element_walk w;
    walk_begin(&w, r);
    for (int64_t i = 0; i < n && w.left > 0; i++, walk_next(&w)) {
        out[i] = (uint8_t)state_of_bits(element_bits(&w));
    }
}

int64_t nkx_track_unwritten(const nkx_region *r, int64_t *first_index)
{
    const nkx_cells *c = &r->st->track->cells;
    int64_t count = 0, i = 0;
    *first_index = -1;
    if (c->n == 0 && c->all != NKX_PE_UNINIT) return 0;
    element_walk w;
    walk_begin(&w, r);
    if (c->n == 0) {
        *first_index = 0;
        return w.left;
    }
    for (; w.left > 0; i++, walk_next(&w)) {
        if ((element_bits(&w) & NKX_CELL(NKX_PE_UNINIT)) == 0) continue;
        if (count++ == 0) *first_index = i;
    }
    return count;
}

/* --- undefined reads --- */

static const char *name_of(const nkx_storage *st)
{
    return st->name && *st->name ? st->name : "a tensor without name";
}

static void say_where(nkx_diags *d, nkx_diag *g, const nkx_storage *st)
{
    nkx_diag_note(d, g, st->span, "%s %s was allocated here", nkx_space_name((nkx_space)st->space),
                  st->type_text);
}

static bool report_unwritten(const nkx_region *r, const char *opcode, nkx_span span)
{
    nkx_diags *d = r->st->core->diags;
    nkx_diag *g =
        nkx_diag_add(d, NKX_E401, span, "%s reads '%s' as %s, of which no element was written",
                     opcode, name_of(r->st), r->param ? r->param : "operand");
    say_where(d, g, r->st);
    nkx_diag_hint(
        d, g,
        "Allocation does not initialise memory. Write the tensor first, for instance with %s.",
        nkx_space_on_chip((nkx_space)r->st->space) ? "nisa.dma_copy or nisa.memset"
                                                   : "nisa.dma_copy");
    return !nkx_diag_stops(g);
}

/* Index of the first unwritten element, or -1 when it lies far behind. */
static int64_t first_unwritten(const nkx_region *r)
{
    enum { FAR = 1 << 20 };
    element_walk w;
    walk_begin(&w, r);
    for (int64_t i = 0; w.left > 0 && i < FAR; i++, walk_next(&w)) {
        if (element_bits(&w) & NKX_CELL(NKX_PE_UNINIT)) return i;
    }
    return -1;
}

static bool report_partly(const nkx_region *r, const char *opcode, nkx_span span)
{
    nkx_diags *d = r->st->core->diags;
    element_walk w;
    walk_begin(&w, r);
    long long first = (long long)first_unwritten(r), all = (long long)w.left;
    nkx_diag *g =
        nkx_diag_add(d, NKX_E402, span,
                     "%s reads '%s' as %s, which is partly written: element %lld of %lld is not",
                     opcode, name_of(r->st), r->param ? r->param : "operand", first, all);
    say_where(d, g, r->st);
    nkx_diag_hint(d, g, "Slice the operand to the part that was written, or fill the tile first.");
    return !nkx_diag_stops(g);
}

static bool report_clobbered(const nkx_region *r, const char *opcode, nkx_span span)
{
    nkx_diags *d = r->st->core->diags;
    nkx_track *t = r->st->track;
    nkx_diag *g =
        nkx_diag_add(d, NKX_E410, span, "%s reads '%s', over which '%s' was written since", opcode,
                     name_of(r->st), t->c_name && *t->c_name ? t->c_name : "another tensor");
    say_where(d, g, r->st);
    nkx_diag_note(d, g, t->c_span, "this one shares its bytes");
    t->clobbered = false;
    return !nkx_diag_stops(g);
}

/* Another storage placed over the same bytes may have written them. */
static bool alias_written(const nkx_track *t)
{
    for (uint32_t i = 0; i < t->n_overlaps; i++) {
        if (nkx_track_any_written(t->overlaps[i])) return true;
    }
    return false;
}

bool nkx_track_check_read(const nkx_region *r, const char *opcode, nkx_span span)
{
    nkx_track *t = r->st->track;
    if (t->clobbered && r->b0 < t->c_b1 && t->c_b0 < r->b1 && r->r0 < t->c_r1 && t->c_r0 < r->r1) {
        if (!report_clobbered(r, opcode, span)) return false;
    }
    if (t->cells.all != NKX_PE_UNINIT && t->cells.all != NKX_PE_MIXED) return true;
    if (t->reported || r->partial_ok || r->b0 >= r->b1 || r->r0 >= r->r1) return true;
    unsigned bits = nkx_cells_query(&t->cells, r);
    if ((bits & NKX_CELL(NKX_PE_UNINIT)) == 0 || alias_written(t)) return true;
    if (bits == NKX_CELL(NKX_PE_UNINIT)) {
        t->reported = true;
        return report_unwritten(r, opcode, span);
    }
    t->reported = true;
    return report_partly(r, opcode, span);
}
