/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of lanes for the numbers of instructions: fp32 rows come straight from memory when they lie
 * there densely, else through a buffer on the stack. Chunks keep the buffers small; reductions
 * that must see a whole row carry their value from chunk to chunk.
 */
#ifndef NKX_ISA_LANES_H
#define NKX_ISA_LANES_H

#include "interp/isa/row.h"

#define NKX_CHUNK 2048 /* lanes of one buffer */

static inline int64_t nkx_chunk(int64_t left)
{
    return left < NKX_CHUNK ? left : NKX_CHUNK;
}

static inline bool nkx_direct(const nkx_access *a)
{
    return a->dense && a->dtype == NKX_DT_FP32;
}
static inline float *nkx_lane_at(const nkx_access *a, uint32_t p, int64_t first)
{
    void *at = a->base + (int64_t)p * a->pstep;
    return (float *)at + first;
}

/* Elements of a row at one step, none of them indirect. */
static inline bool nkx_regular(const nkx_access *a)
{
    return a->ndim == 1 && a->group == 0;
}
static inline uint8_t *nkx_element_at(const nkx_access *a, uint32_t p, int64_t i)
{
    return a->base + (int64_t)p * a->pstep + i * a->step[0];
}

/* Dense cells of four bytes, aligned to them in every row. */
static inline bool nkx_word_cells(const nkx_access *a)
{
    return nkx_regular(a) && a->elem_bytes == 4 && a->step[0] == 4 && a->pstep % 4 == 0 &&
           (uintptr_t)a->base % 4 == 0;
}

/* n lanes of partition p: in place, or loaded into buf. */
static inline const float *nkx_lanes_in(const nkx_access *a, uint32_t p, int64_t first, int64_t n,
                                        float *buf)
{
    if (NKX_LIKELY(nkx_direct(a))) return nkx_lane_at(a, p, first);
    nkx_access_load_f32(a, p, first, n, buf);
    return buf;
}
/* Where to compute a row: in place, or buf, to be stored by nkx_lanes_put. */
static inline float *nkx_lanes_out(const nkx_access *a, uint32_t p, int64_t first, float *buf)
{
    return NKX_LIKELY(nkx_direct(a)) ? nkx_lane_at(a, p, first) : buf;
}
static inline void nkx_lanes_put(const nkx_access *a, uint32_t p, int64_t first, int64_t n,
                                 const float *at)
{
    if (!nkx_direct(a)) nkx_access_store_f32(a, p, first, n, at);
}

/* Raw bits of integer elements, zero-extended to 32 bits. */
void nkx_bits_in(const nkx_access *a, uint32_t p, int64_t first, int64_t n, uint32_t *dst);
void nkx_bits_out(const nkx_access *a, uint32_t p, int64_t first, int64_t n, const uint32_t *src);

static inline int64_t nkx_min_n(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* One operator over a row with a number or another row as second operand; unary ones ignore it. */
void nkx_alu_scalar(nkx_alu op, bool reverse, float *dst, const float *x, float s, int64_t n);
void nkx_alu_rows2(nkx_alu op, bool reverse, float *dst, const float *x, const float *y, int64_t n);

/* Accumulator of one group (isa.md 2.6) as a job sees it: values read when it was lowered. */
typedef struct nkx_acc {
    float *home;    /* registers, by physical partition */
    uint64_t *turn; /* number of the last writer of each */
    uint64_t seq;   /* of this job */
    uint32_t part0; /* physical partition of lane 0 */
    uint32_t n;
    bool keep; /* registers change */
    float start[128];
} nkx_acc;
/* For a row that writes accumulators of ACT or DVE. `carry`: reads what is there (waits for it). */
void nkx_acc_lower(nkx_issue *is, const nkx_view *lanes, bool carry, float identity, nkx_acc *out);
void nkx_acc_done(const nkx_acc *a, uint32_t lane, float value);

#endif
