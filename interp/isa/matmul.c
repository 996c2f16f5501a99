/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of the tensor engine: products by num/gemm.h over rows in place or over widened panels,
 * and transposes that move bits (isa.md 4.3.1). Layer isa. Jobs run on any thread; panels are on
 * the stack.
 */
#include "interp/isa/matmul.h"
#include "interp/isa/lanes.h"
#include "interp/num/gemm.h"

#include <string.h>

#define MAX_M 128
#define MAX_K 256 /* double rows */
#define BLOCK 512 /* columns of one gemm: a PSUM bank of fp32 */

/* ---- lowering ---- */

/* Which elements of a MIXED destination are added to, one byte each behind the job. */
static void find_mask(nkx_issue *is, int dst, uint8_t *mask, int64_t n)
{
    nkx_region r;
    int acc = nkx_isa_param_find(is->row, "accumulate");
    bool add = acc >= 0 && nkx_has(is, acc) && nkx_bool_of(is, acc);
    nkx_view_region(nkx_tile(is, dst), true, "dst", &r);
    r.by_pe = true;
    nkx_track_pe_states(&r, mask, n);
    for (int64_t i = 0; i < n; i++) {
        mask[i] = mask[i] == NKX_PE_ACCUM || (add && mask[i] == NKX_PE_VALUE);
    }
}

static void run_product(const void *arg);
static void run_products(const void *const *args, size_t n);

/* Jobs into the same place have the same key: its place in PSUM. */
static uint64_t fuse_key_of(const nkx_view *d)
{
    return (d->st->serial << 24) + (uint64_t)d->offset + 1;
}

nkx_mm_job *nkx_mm_lower(nkx_issue *is, int dst, int st, int mv, int rows, nkx_work *out)
{
    const nkx_view *d = nkx_tile(is, dst);
    int64_t mask = is->accumulate == NKX_MM_MIXED ? nkx_view_size(d) : 0;
    size_t bytes = sizeof(nkx_mm_job) + (size_t)mask;
    nkx_mm_job *j = nkx_job_new(is, bytes);
    nkx_view_access(d, &j->dst);
    nkx_view_access(nkx_tile(is, st), &j->st);
    nkx_view_access(nkx_tile(is, mv), &j->mv);
    if (j->dst.group) j->dst.group = 32;
    if (j->st.group) j->st.group = 32;
    if (j->mv.group) j->mv.group = 32;
    j->rows = rows;
    j->k = (int32_t)(j->st.nparts < j->mv.nparts ? j->st.nparts : j->mv.nparts) * rows;
    j->m = (int32_t)nkx_min_n(j->st.n / rows, j->dst.nparts);
    j->n = (int32_t)nkx_min_n(j->mv.n / rows, j->dst.n);
    j->mode = is->accumulate;
    j->narrow = j->dst.dtype != NKX_DT_FP32;
    j->mask_len = mask;
    if (mask > 0) find_mask(is, dst, (uint8_t *)(j + 1), mask);
    nkx_lower_job(is, out, run_product, j, bytes);
    if (!is->overlap && mask == 0) {
        out->fuse_key = fuse_key_of(d);
        out->run_many = run_products;
    }
    return j;
}

/* ---- products ---- */

/* An operand as rows of floats: in place when it lies so, else widened into `panel`. */
static const float *operand(const nkx_access *a, int32_t rows, int64_t cols, int64_t col, int64_t n,
                            float *panel, int64_t *ld)
{
    if (nkx_direct(a) && rows == 1 && a->pstep % 4 == 0) {
        *ld = a->pstep / 4;
        return nkx_lane_at(a, 0, col);
    }
    *ld = n;
    for (uint32_t p = 0; p < a->nparts; p++) {
        for (int32_t r = 0; r < rows; r++) {
            nkx_access_load_f32(a, p, r * cols + col, n, panel + ((int64_t)p * rows + r) * n);
        }
    }
    return panel;
}

static void add_row(const nkx_mm_job *j, uint32_t p, int64_t col, int64_t n, const float *r)
{
    float old[BLOCK];
    const uint8_t *mask = (const uint8_t *)(j + 1);
    if (j->mode == NKX_MM_OVERWRITE) {
        nkx_access_store_f32(&j->dst, p, col, n, r);
        return;
    }
    nkx_access_load_f32(&j->dst, p, col, n, old);
    for (int64_t i = 0; i < n; i++) {
        bool add = j->mode == NKX_MM_ADD || mask[p * j->dst.n + col + i];
        old[i] = add ? old[i] + r[i] : r[i];
    }
    nkx_access_store_f32(&j->dst, p, col, n, old);
}

void nkx_mm_write(const nkx_mm_job *j, int64_t col, int64_t n, const float *r, int64_t ldr)
{
    for (int32_t p = 0; p < j->m; p++) add_row(j, (uint32_t)p, col, n, r + p * ldr);
}

static bool dst_in_place(const nkx_mm_job *j)
{
    return nkx_direct(&j->dst) && j->mode != NKX_MM_MIXED && j->dst.pstep % 4 == 0;
}

static void product_block(const nkx_mm_job *j, const float *st, int64_t ldst, int64_t col,
                          int64_t n)
{
    float panel[MAX_K * BLOCK], r[MAX_M * BLOCK];
    int64_t ldmv;
    const float *mv = operand(&j->mv, j->rows, j->n, col, n, panel, &ldmv);
    if (dst_in_place(j)) {
        nkx_gemm_tn_f32(j->m, (int)n, j->k, st, ldst, mv, ldmv, nkx_lane_at(&j->dst, 0, col),
                        j->dst.pstep / 4, j->mode == NKX_MM_ADD);
        return;
    }
    nkx_gemm_tn_f32(j->m, (int)n, j->k, st, ldst, mv, ldmv, r, n, false);
    nkx_mm_write(j, col, n, r, n);
}

static void run_panels(const nkx_mm_job *j)
{
    float panel[MAX_K * MAX_M];
    int64_t ldst;
    const float *st = operand(&j->st, j->rows, j->m, 0, j->m, panel, &ldst);
    for (int64_t col = 0; col < j->n; col += BLOCK) {
        product_block(j, st, ldst, col, nkx_min_n(BLOCK, j->n - col));
    }
}

/* ---- chains ---- */

static bool chainable(const nkx_mm_job *j)
{
    return j->rows == 1 && nkx_regular(&j->st) && nkx_regular(&j->mv) && dst_in_place(j);
}

static nkx_gemm_step step_of(const nkx_mm_job *j)
{
    return (nkx_gemm_step){.k = j->k,
                           .st_type = (nkx_dtype)j->st.dtype,
                           .mv_type = (nkx_dtype)j->mv.dtype,
                           .st = j->st.base,
                           .mv = j->mv.base,
                           .st_pitch = j->st.pstep,
                           .mv_pitch = j->mv.pstep,
                           .st_step = j->st.step[0],
                           .mv_step = j->mv.step[0]};
}

static void run_product(const void *arg)
{
    const nkx_mm_job *j = arg;
    if (!chainable(j)) {
        run_panels(j);
        return;
    }
    nkx_gemm_step step = step_of(j);
    nkx_gemm_chain(j->m, j->n, &step, 1, nkx_lane_at(&j->dst, 0, 0), j->dst.pstep / 4,
                   j->mode == NKX_MM_ADD);
}

static bool same_dst(const nkx_mm_job *a, const nkx_mm_job *b)
{
    return a->dst.base == b->dst.base && a->m == b->m && a->n == b->n;
}

#define CHAIN 64 /* steps handed over at once */

/* Products into one tile, in order: each run of adding ones is a single chain (gemm.h: same bits).
 */
static void run_products(const void *const *args, size_t n)
{
    nkx_gemm_step steps[CHAIN];
    for (size_t i = 0; i < n;) {
        const nkx_mm_job *j = args[i];
        int count = 0;
        if (!chainable(j)) {
            run_panels(j);
            i++;
            continue;
        }
        do {
            steps[count++] = step_of(args[i++]);
        } while (i < n && count < CHAIN && ((const nkx_mm_job *)args[i])->mode == NKX_MM_ADD &&
                 chainable(args[i]) && same_dst(j, args[i]));
        nkx_gemm_chain(j->m, j->n, steps, count, nkx_lane_at(&j->dst, 0, 0), j->dst.pstep / 4,
                       j->mode == NKX_MM_ADD);
    }
}

/* ---- transposes ---- */

bool nkx_transpose_types(nkx_dtype d, nkx_dtype s)
{
    bool fp8 = NKX_DTS_FP8 >> s & 1u;
    return d == s || d == NKX_DT_FP32 || (fp8 && nkx_dtype_bytes(d) == 2);
}

/* Row of `moving` that each of its columns names; false when a column is not one-hot. */
static bool one_hot(const nkx_access *mv, int32_t k, int32_t n, int16_t *row)
{
    float buf[BLOCK];
    bool ok = true;
    memset(row, 0xff, sizeof *row * (size_t)n);
    for (int32_t r = 0; r < k; r++) {
        for (int64_t c = 0; c < n; c += BLOCK) {
            int64_t some = nkx_min_n(BLOCK, n - c);
            nkx_access_load_f32(mv, (uint32_t)r, c, some, buf);
            for (int64_t i = 0; i < some; i++) {
                if (buf[i] == 0) continue;
                ok = ok && buf[i] == 1 && row[c + i] < 0;
                row[c + i] = (int16_t)r;
            }
        }
    }
    for (int32_t c = 0; c < n; c++) ok = ok && row[c] >= 0;
    return ok;
}

/* How an element goes from the source's cell to the destination's. */
typedef enum cell_move { CELL_BITS, CELL_WIDEN, CELL_FP8_PAIR } cell_move;

static cell_move cell_kind(const nkx_access *d, const nkx_access *s)
{
    if (d->dtype == s->dtype) {
        bool pair = s->elem_bytes == 1 && d->ndim == 1 && d->step[0] == 2;
        return pair ? CELL_FP8_PAIR : CELL_BITS;
    }
    return s->elem_bytes == 1 && d->elem_bytes == 2 ? CELL_FP8_PAIR : CELL_WIDEN;
}

static void put_column(uint8_t *at, int64_t pstep, const uint8_t *bits, const float *wide,
                       cell_move kind, int32_t eb, int32_t m)
{
    for (int32_t i = 0; i < m; i++, at += pstep) {
        if (kind == CELL_WIDEN) {
            memcpy(at, wide + i, 4);
        } else if (kind == CELL_FP8_PAIR) {
            at[0] = bits[i];
            at[1] = 0;
        } else if (eb == 4) {
            memcpy(at, bits + (size_t)i * 4, 4);
        } else if (eb == 2) {
            memcpy(at, bits + (size_t)i * 2, 2);
        } else {
            *at = bits[i];
        }
    }
}

void nkx_transpose_move(const nkx_access *dst, const nkx_access *src, const int16_t *row, int32_t n,
                        int32_t m)
{
    uint8_t bits[MAX_M * 8];
    float wide[MAX_M];
    cell_move kind = cell_kind(dst, src);
    nkx_access tmp = {.base = bits,
                      .dtype = src->dtype,
                      .elem_bytes = src->elem_bytes,
                      .ndim = 1,
                      .nparts = 1,
                      .n = m,
                      .dense = true};
    tmp.count[0] = m;
    tmp.step[0] = src->elem_bytes;
    for (int32_t c = 0; c < n; c++) {
        uint32_t k = (uint32_t)(row != NULL ? row[c] : c);
        if (kind == CELL_WIDEN) {
            nkx_access_load_f32(src, k, 0, m, wide);
        } else {
            nkx_access_copy(&tmp, 0, src, k, 0, m);
        }
        if (NKX_LIKELY(dst->group == 0)) {
            put_column(nkx_access_at(dst, 0, c), dst->pstep, bits, wide, kind, src->elem_bytes, m);
        } else {
            for (int32_t i = 0; i < m; i++) {
                put_column(nkx_access_at(dst, (uint32_t)i, c), 0,
                           bits + (size_t)i * (size_t)src->elem_bytes, wide + i, kind,
                           src->elem_bytes, 1);
            }
        }
    }
}

static void run_transpose(const void *arg)
{
    const nkx_mm_job *j = arg;
    int16_t row[8192];
    if (one_hot(&j->mv, j->k, j->n, row)) {
        nkx_transpose_move(&j->dst, &j->st, row, j->n, j->m);
    } else {
        run_product(arg);
    }
}

/*
 * Is `moving` an identity, or a selection of rows? Looking waits for all queued work, so a tile
 * that was found good is remembered by its place; what it holds later is looked at again by the job
 * itself.
 */
static bool looked_at(nkx_isa_state *s, const nkx_view *v)
{
    nkx_seen key = {.serial = v->st->serial, .offset = v->offset, .n = nkx_view_size(v)};
    for (size_t i = 0; i < NKX_COUNT(s->one_hot); i++) {
        nkx_seen *e = &s->one_hot[i];
        if (e->n != 0 && e->serial == key.serial && e->offset == key.offset && e->n == key.n) {
            return true;
        }
    }
    s->one_hot[s->n_one_hot++ % NKX_COUNT(s->one_hot)] = key;
    return false;
}

void nkx_mm_transpose(nkx_issue *is, nkx_mm_job *j, nkx_work *out)
{
    int16_t row[8192];
    int mv = nkx_isa_param_find(is->row, "moving");
    const nkx_view *v = nkx_tile(is, mv);
    nkx_lower_job(is, out, run_transpose, j, sizeof *j);
    out->fuse_key = 0;
    if (looked_at(nkx_isa_state_of(is->core), v)) return;
    nkx_core_flush(is->core);
    if (one_hot(&j->mv, j->k, j->n, row)) return;
    (void)nkx_isa_fault(
        is, NKX_E550, mv,
        "Pass an identity matrix of 0 and 1; the ordinary product is computed here.",
        "is_transpose with a moving operand that is not one-hot in every column");
}
