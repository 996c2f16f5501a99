/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of tile products; see gemm.h for what they promise. Layer num.
 *
 * A chain is cut into pieces of the contraction. For each piece the stationary operand is packed
 * into strips of six rows that stay in the second cache, the moving one into panels of a few
 * columns, one of which fits the first cache beside a strip; both become fp32 on the way. The
 * memories' rows are far apart: reading them once, in order and asked for ahead, is what keeps
 * address translation and cache misses out of the inner loop. All buffers are on the stack, about
 * 280 KiB.
 */
#include "interp/num/gemm.h"
#include "interp/num/gemm_tile.h"
#include "interp/num/simd.h"

enum {
    ROWS = 128,  /* of the result, packed at a time */
    DEPTH = 256, /* of the contraction, joined at a time: a panel of it fits the first cache */
    COLS = 128,  /* of the moving operand, converted at a time */
    RUNS = 8,    /* steps joined at a time */
    AHEAD = 8,   /* rows asked for before they are read */
    LINE = 64,   /* bytes of a cache line */
    SPILL = 8,   /* floats between strips: rows are copied eight at a time */
    STRIPS = ROWS / 4,
};

/* What is computed at once: some rows of the contraction, all of the result. */
typedef struct piece {
    nkx_gemm_step steps[RUNS];
    int n_steps, depth;
} piece;

typedef struct result {
    float *dst;
    int64_t ldd;
    bool accumulate;
} result;

static bool is_dense_f32(nkx_dtype t, int64_t step)
{
    return t == NKX_DT_FP32 && step == 4;
}

/* Height of the next strip: sixes, and fours where a rest of one or two rows would remain. */
static int strip_height(int left)
{
    if (left == 7 || left == 8) return 4;
    return left < NKX_TILE_ROWS ? left : NKX_TILE_ROWS;
}

/*
 * One row of the contraction, of any alignment, into its place in every strip. Six values are
 * copied as eight: the surplus is overwritten by the next row, or lies in the spill behind the
 * strip.
 */
static void spread_row(float *strips, const uint8_t *row, int m, int depth, int at)
{
    const int64_t full = (int64_t)depth * NKX_TILE_ROWS + SPILL;
    float *to = strips + (int64_t)at * NKX_TILE_ROWS;
    for (; m > SPILL; m -= NKX_TILE_ROWS, row += NKX_TILE_ROWS * 4, to += full) {
        memcpy(to, row, SPILL * sizeof *to);
    }
    strips = to - (int64_t)at * NKX_TILE_ROWS;
    for (int h; m > 0; m -= h, row += h * 4) {
        h = strip_height(m);
        for (int r = 0; r < h; r++) {
            memcpy(strips + at * h + r, row + r * 4, sizeof *strips);
        }
        strips += depth * h + SPILL;
    }
}

/* Asks for the cache lines of a row that is read soon. */
static void fetch_row(const uint8_t *row, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += LINE) {
        __builtin_prefetch(row + i);
    }
}

/*
 * Rows of an operand that are wanted later, asked for a few at a time between strips, so that they
 * are in the second cache when they are packed.
 */
typedef struct reader {
    const nkx_gemm_step *steps;
    int n_steps, i, k;
    bool moving;
    int first, n; /* columns */
} reader;

static void read_ahead(reader *r, int rows)
{
    for (; rows > 0 && r->i < r->n_steps; rows--) {
        const nkx_gemm_step *s = &r->steps[r->i];
        const void *base = r->moving ? s->mv : s->st;
        int64_t pitch = r->moving ? s->mv_pitch : s->st_pitch;
        int64_t step = r->moving ? s->mv_step : s->st_step;
        fetch_row((const uint8_t *)base + r->k * pitch + r->first * step, r->n * step);
        if (++r->k < s->k) continue;
        r->k = 0;
        r->i++;
    }
}

static void pack_stationary(float *strips, const piece *p, int first, int m)
{
    float row[ROWS];
    int at = 0;
    for (int i = 0; i < p->n_steps; i++) {
        const nkx_gemm_step *s = &p->steps[i];
        const bool dense = is_dense_f32(s->st_type, s->st_step);
        const uint8_t *src = (const uint8_t *)s->st + first * s->st_step;
        for (int k = 0; k < s->k; k++, at++, src += s->st_pitch) {
            if (k + AHEAD < s->k) fetch_row(src + AHEAD * s->st_pitch, m * s->st_step);
            if (!dense) nkx_dtypes[s->st_type].load_f32(row, src, m, s->st_step);
            spread_row(strips, dense ? src : (const uint8_t *)row, m, p->depth, at);
        }
    }
}

static const nkx_tile_kernel *best_kernel(void)
{
#if defined(__x86_64__)
    if (nkx_has_avx512()) return &nkx_tile_avx512;
    if (nkx_has_avx2()) return &nkx_tile_avx2;
#endif
    return &nkx_tile_any;
}

/* What a panel is multiplied with. */
typedef struct job {
    const nkx_tile_kernel *kernel;
    const float *strips;
    int m, depth;
    reader later[2]; /* what is packed next */
    int share;       /* rows of each that are asked for with a strip */
} job;

/* A strip against a panel of which n columns are wanted, through a tile of its own. */
static void edge_product(const job *w, int h, const float *strip, const float *panel, result to,
                         int n)
{
    float edge[NKX_TILE_ROWS * NKX_TILE_MAX_COLS] = {0};
    const int cols = w->kernel->cols;
    for (int r = 0; r < h && to.accumulate; r++) {
        memcpy(edge + r * cols, to.dst + r * to.ldd, (size_t)n * sizeof *edge);
    }
    w->kernel->run(h, w->depth, strip, panel, edge, cols, to.accumulate);
    for (int r = 0; r < h; r++) {
        memcpy(to.dst + r * to.ldd, edge + r * cols, (size_t)n * sizeof *edge);
    }
}

static void fetch_result(const float *dst, int64_t ldd, int rows)
{
    for (int r = 0; r < rows; r++) {
        __builtin_prefetch(dst + r * ldd, 1);
    }
}

/* All strips against one panel, of which n columns are wanted. */
static void panel_product(job *w, const float *panel, result to, int n)
{
    const float *strip = w->strips;
    for (int m = w->m, h; m > 0; m -= h) {
        h = strip_height(m);
        read_ahead(&w->later[0], w->share);
        read_ahead(&w->later[1], w->share);
        if (n < w->kernel->cols) {
            edge_product(w, h, strip, panel, to, n);
        } else {
            fetch_result(to.dst + h * to.ldd, to.ldd, m - h < h ? m - h : h);
            w->kernel->run(h, w->depth, strip, panel, to.dst, to.ldd, to.accumulate);
        }
        strip += w->depth * h + SPILL;
        to.dst += h * to.ldd;
    }
}

/* Panels of one depth lie one behind the other, a cache line apart: their sets differ. */
static int64_t panel_floats(int depth, int cols)
{
    return (int64_t)depth * cols + LINE / 4;
}

/* A row of values into panels, `at` its place in them; the last panel is filled up with zeros. */
static void spread_columns(float *panels, const uint8_t *row, int n, int cols, int depth, int at)
{
    float *to = panels + (int64_t)at * cols;
    for (; n >= cols; n -= cols, row += cols * 4, to += panel_floats(depth, cols)) {
        if (cols == 16) {
            memcpy(to, row, 16 * sizeof *to); /* a constant size is two moves */
        } else {
            memcpy(to, row, (size_t)cols * sizeof *to);
        }
    }
    if (n > 0) {
        memcpy(to, row, (size_t)n * sizeof *to);
        memset(to + n, 0, (size_t)(cols - n) * sizeof *to);
    }
}

/* Columns [first, first + n) of all rows of the contraction, as panels. */
static void pack_moving(float *panels, const piece *p, int first, int n, int cols)
{
    float row[COLS];
    int at = 0;
    for (int i = 0; i < p->n_steps; i++) {
        const nkx_gemm_step *s = &p->steps[i];
        const bool dense = is_dense_f32(s->mv_type, s->mv_step);
        const uint8_t *src = (const uint8_t *)s->mv + first * s->mv_step;
        for (int k = 0; k < s->k; k++, at++, src += s->mv_pitch) {
            if (k + AHEAD < s->k) fetch_row(src + AHEAD * s->mv_pitch, n * s->mv_step);
            if (!dense) nkx_dtypes[s->mv_type].load_f32(row, src, n, s->mv_step);
            spread_columns(panels, dense ? src : (const uint8_t *)row, n, cols, p->depth, at);
        }
    }
}

/* After the last columns of a piece comes the next piece: its stationary rows, first columns. */
static void plan_ahead(job *w, const piece *p, const piece *next, int first, int n, int m)
{
    const int cols = w->kernel->cols;
    const int strips = (w->m / NKX_TILE_ROWS + 1) * ((COLS + cols - 1) / cols);
    if (first < n) {
        int wide = n - first < COLS ? n - first : COLS;
        w->later[0] = (reader){p->steps, p->n_steps, 0, 0, true, first, wide};
        w->later[1] = (reader){.n_steps = 0};
        w->share = p->depth / strips + 1;
    } else {
        w->later[0] = (reader){next->steps, next->n_steps, 0, 0, false, 0, m < ROWS ? m : ROWS};
        w->later[1] = (reader){next->steps, next->n_steps, 0, 0, true, 0, n < COLS ? n : COLS};
        w->share = next->depth / strips + 1;
    }
}

/* The strips of w against the whole moving operand. */
static void rows_product(job *w, const piece *p, const piece *next, result to, int n)
{
    _Alignas(LINE) float panels[(DEPTH + 1) * COLS];
    const int cols = w->kernel->cols;
    for (int j = 0; j < n; j += COLS) {
        int wide = n - j < COLS ? n - j : COLS;
        const float *panel = panels;
        pack_moving(panels, p, j, wide, cols);
        plan_ahead(w, p, next, j + COLS, n, w->m);
        for (int i = 0; i < wide; i += cols, panel += panel_floats(p->depth, cols)) {
            int some = wide - i < cols ? wide - i : cols;
            panel_product(w, panel, (result){to.dst + j + i, to.ldd, to.accumulate}, some);
        }
    }
}

static void piece_product(const piece *p, const piece *next, int m, int n, result to)
{
    _Alignas(LINE) float strips[ROWS * DEPTH + STRIPS * SPILL];
    for (int first = 0; first < m; first += ROWS) {
        int h = m - first < ROWS ? m - first : ROWS;
        job w = {.kernel = best_kernel(), .strips = strips, .m = h, .depth = p->depth};
        pack_stationary(strips, p, first, h);
        rows_product(&w, p, next, to, n);
        to.dst += ROWS * to.ldd;
    }
}

/* Where the cutting of a chain into pieces has come to. */
typedef struct cursor {
    const nkx_gemm_step *steps;
    int n_steps, i, done; /* done: rows of the contraction taken from step i */
} cursor;

static void next_piece(piece *p, cursor *c)
{
    p->n_steps = p->depth = 0;
    while (c->i < c->n_steps && p->n_steps < RUNS && p->depth < DEPTH) {
        nkx_gemm_step s = c->steps[c->i];
        int k = s.k - c->done, room = DEPTH - p->depth;
        if (k > room) k = room;
        s.st = (const uint8_t *)s.st + c->done * s.st_pitch;
        s.mv = (const uint8_t *)s.mv + c->done * s.mv_pitch;
        s.k = k;
        c->done += k;
        if (c->done == c->steps[c->i].k) {
            c->i++;
            c->done = 0;
        }
        if (k == 0) continue;
        p->steps[p->n_steps++] = s;
        p->depth += k;
    }
}

void nkx_gemm_chain(int m, int n, const nkx_gemm_step *steps, int n_steps, float *dst, int64_t ldd,
                    bool accumulate)
{
    cursor c = {steps, n_steps, 0, 0};
    result to = {dst, ldd, accumulate};
    piece pieces[2];
    if (m <= 0 || n <= 0) return;
    next_piece(&pieces[0], &c);
    for (int i = 0;; i = !i) { /* an empty chain still clears what is not accumulated */
        next_piece(&pieces[!i], &c);
        piece_product(&pieces[i], &pieces[!i], m, n, to);
        if (pieces[!i].n_steps == 0) return;
        to.accumulate = true;
    }
}

void nkx_gemm_tn_f32(int m, int n, int k, const float *st, int64_t ldst, const float *mv,
                     int64_t ldmv, float *dst, int64_t ldd, bool accumulate)
{
    const nkx_gemm_step step = {
        .k = k,
        .st_type = NKX_DT_FP32,
        .mv_type = NKX_DT_FP32,
        .st = st,
        .mv = mv,
        .st_pitch = ldst * 4,
        .mv_pitch = ldmv * 4,
        .st_step = 4,
        .mv_step = 4,
    };
    nkx_gemm_chain(m, n, &step, 1, dst, ldd, accumulate);
}
