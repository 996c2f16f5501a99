/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of tile products; see gemm.h for what they promise. Layer num.
 *
 * A chain is cut into pieces of the contraction; for each piece and 128 rows of the result the
 * stationary operand is packed into strips of six rows, converted to fp32 if need be. The moving
 * operand is read where it lies when it is dense fp32, else converted in blocks of columns. All
 * buffers are on the stack, about 300 KiB.
 */
#include "interp/num/gemm.h"
#include "interp/num/gemm_tile.h"
#include "interp/num/simd.h"

enum {
    ROWS = 128,   /* of the result, packed at a time */
    DEPTH = 256,  /* of the contraction, joined at a time */
    COLS = 128,   /* of the moving operand, converted at a time */
    RUNS = 8,     /* steps joined at a time */
    AHEAD = 8,    /* rows of the stationary operand asked for before they are packed */
    LINE = 64,    /* bytes of a cache line */
    SHALLOW = 32, /* rows of the contraction that never crowd the cache */
    SPILL = 8,    /* floats between strips: rows are copied eight at a time */
    STRIPS = ROWS / 4,
    /* An odd number of cache lines: the rows of a panel then fall into different sets. */
    BLOCK_PITCH = COLS + 16,
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

/* Dense fp32 whose rows begin at multiples of `align` bytes. */
static bool in_place(nkx_dtype t, const void *base, int64_t pitch, int64_t step, int align)
{
    return t == NKX_DT_FP32 && step == 4 && pitch % align == 0 &&
           (uintptr_t)base % (unsigned)align == 0;
}

/* Height of the next strip: sixes, and fours where a rest of one or two rows would remain. */
static int strip_height(int left)
{
    if (left == 7 || left == 8) return 4;
    return left < NKX_TILE_ROWS ? left : NKX_TILE_ROWS;
}

/*
 * One row of the contraction into its place in every strip. Six values are copied as eight: the
 * surplus is overwritten by the next row, or lies in the spill behind the strip.
 */
static void spread_row(float *strips, const float *row, int m, int depth, int at)
{
    const int64_t full = (int64_t)depth * NKX_TILE_ROWS + SPILL;
    float *to = strips + (int64_t)at * NKX_TILE_ROWS;
    for (; m > SPILL; m -= NKX_TILE_ROWS, row += NKX_TILE_ROWS, to += full) {
        memcpy(to, row, SPILL * sizeof *to);
    }
    strips = to - (int64_t)at * NKX_TILE_ROWS;
    while (m > 0) {
        int h = strip_height(m);
        for (int r = 0; r < h; r++) {
            strips[at * h + r] = row[r];
        }
        strips += depth * h + SPILL;
        row += h;
        m -= h;
    }
}

/* Asks for the cache lines of a row that is read soon. */
static void fetch_row(const uint8_t *row, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += LINE) {
        __builtin_prefetch(row + i);
    }
}

static void pack_stationary(float *strips, const piece *p, int first, int m)
{
    float row[ROWS];
    int at = 0;
    for (int i = 0; i < p->n_steps; i++) {
        const nkx_gemm_step *s = &p->steps[i];
        bool direct = in_place(s->st_type, s->st, s->st_pitch, s->st_step, 4);
        const uint8_t *src = (const uint8_t *)s->st + first * s->st_step;
        for (int k = 0; k < s->k; k++, at++, src += s->st_pitch) {
            if (k + AHEAD < s->k) fetch_row(src + AHEAD * s->st_pitch, m * s->st_step);
            if (!direct) nkx_dtypes[s->st_type].load_f32(row, src, m, s->st_step);
            spread_row(strips, direct ? (const float *)(const void *)src : row, m, p->depth, at);
        }
    }
}

/* Columns [first, first + n) of all rows of the contraction, then zeros up to a whole panel. */
static nkx_tile_run convert_moving(float *block, const piece *p, int first, int n, int width)
{
    float *to = block;
    for (int i = 0; i < p->n_steps; i++) {
        const nkx_gemm_step *s = &p->steps[i];
        const uint8_t *src = (const uint8_t *)s->mv + first * s->mv_step;
        for (int k = 0; k < s->k; k++, src += s->mv_pitch, to += BLOCK_PITCH) {
            if (k + AHEAD < s->k) fetch_row(src + AHEAD * s->mv_pitch, n * s->mv_step);
            nkx_dtypes[s->mv_type].load_f32(to, src, n, s->mv_step);
            memset(to + n, 0, (size_t)(width - n) * sizeof *to);
        }
    }
    return (nkx_tile_run){block, BLOCK_PITCH, p->depth};
}

static const nkx_tile_kernel *best_kernel(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return &nkx_tile_avx512;
    if (nkx_has_avx2()) return &nkx_tile_avx2;
#endif
    return &nkx_tile_any;
}

/* What a panel is multiplied with. */
typedef struct job {
    const nkx_tile_kernel *kernel;
    const float *strips;
    int m, depth;
    nkx_tile_run runs[RUNS];
    int n_runs;
} job;

/* A strip against a panel of fewer columns than a whole one, through a tile of its own. */
static void edge_product(const job *w, int h, const float *strip, result to, int n)
{
    float edge[NKX_TILE_ROWS * NKX_TILE_MAX_COLS] = {0};
    const int cols = w->kernel->cols;
    for (int r = 0; r < h && to.accumulate; r++) {
        memcpy(edge + r * cols, to.dst + r * to.ldd, (size_t)n * sizeof *edge);
    }
    w->kernel->run(h, strip, w->runs, w->n_runs, edge, cols, to.accumulate, false);
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

/* All strips against one panel, of which n columns are wanted; the first fetches the next panel. */
static void panel_product(const job *w, result to, int n, bool more)
{
    const float *strip = w->strips;
    for (int m = w->m, h; m > 0; m -= h) {
        h = strip_height(m);
        if (n < w->kernel->cols) {
            edge_product(w, h, strip, to, n);
        } else {
            bool ahead = more && m == w->m;
            fetch_result(to.dst + h * to.ldd, to.ldd, m - h < h ? m - h : h);
            w->kernel->run(h, strip, w->runs, w->n_runs, to.dst, to.ldd, to.accumulate, ahead);
        }
        strip += w->depth * h + SPILL;
        to.dst += h * to.ldd;
    }
}

/* Panels of the columns that the runs begin at; n may end within a panel. */
static void panels_product(job *w, result to, int n)
{
    const int cols = w->kernel->cols;
    for (int j = 0; j < n; j += cols) {
        int left = n - j, wide = left < cols ? left : cols;
        panel_product(w, to, wide, left >= 2 * cols);
        to.dst += cols;
        for (int i = 0; i < w->n_runs; i++) {
            w->runs[i].mv += cols;
        }
    }
}

/*
 * A row of a panel should be whole cache lines. Rows a multiple of 256 bytes apart share a quarter
 * of the first cache's sets or fewer: a deep panel would not stay there. Either is copied instead.
 */
static bool moving_in_place(const piece *p)
{
    for (int i = 0; i < p->n_steps; i++) {
        const nkx_gemm_step *s = &p->steps[i];
        if (!in_place(s->mv_type, s->mv, s->mv_pitch, s->mv_step, LINE)) return false;
        if (s->mv_pitch % (4 * LINE) == 0 && s->k > SHALLOW) return false;
    }
    return true;
}

/* The strips of w against the whole moving operand. */
static void rows_product(job *w, const piece *p, result to, int n)
{
    _Alignas(LINE) float block[DEPTH * BLOCK_PITCH];
    const int cols = w->kernel->cols;
    int direct = moving_in_place(p) ? n - n % cols : 0;
    if (direct > 0) {
        w->n_runs = p->n_steps;
        for (int i = 0; i < p->n_steps; i++) {
            const nkx_gemm_step *s = &p->steps[i];
            w->runs[i] = (nkx_tile_run){(const float *)s->mv, s->mv_pitch / 4, s->k};
        }
        panels_product(w, to, direct);
    }
    w->n_runs = 1;
    for (int j = direct; j < n; j += COLS) {
        int wide = n - j < COLS ? n - j : COLS;
        w->runs[0] = convert_moving(block, p, j, wide, (wide + cols - 1) / cols * cols);
        panels_product(w, (result){to.dst + j, to.ldd, to.accumulate}, wide);
    }
}

static void piece_product(const piece *p, int m, int n, result to)
{
    _Alignas(LINE) float strips[ROWS * DEPTH + STRIPS * SPILL];
    for (int first = 0; first < m; first += ROWS) {
        int h = m - first < ROWS ? m - first : ROWS;
        job w = {.kernel = best_kernel(), .strips = strips, .m = h, .depth = p->depth};
        pack_stationary(strips, p, first, h);
        rows_product(&w, p, to, n);
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
    piece p;
    if (m <= 0 || n <= 0) return;
    next_piece(&p, &c);
    do { /* an empty chain still clears what is not accumulated */
        piece_product(&p, m, n, to);
        to.accumulate = true;
        next_piece(&p, &c);
    } while (p.n_steps > 0);
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
