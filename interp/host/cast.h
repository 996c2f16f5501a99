/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes of host arrays: every element-wise loop loads a block of elements into float32, float64,
 * int64 or uint64 lanes, computes, and stores the block. Conversions are NumPy's: floats become
 * integers by truncation, integers wrap, small floats round once to nearest even.
 */
#ifndef NKX_HOST_CAST_H
#define NKX_HOST_CAST_H

#include "interp/host/ndarray.h"

typedef enum nkx_lane { NKX_LANE_F32, NKX_LANE_F64, NKX_LANE_I64, NKX_LANE_U64 } nkx_lane;

#define NKX_LANE_BLOCK 1024 /* elements a block: four rows fit in the first-level cache */

static inline int nkx_lane_bytes(nkx_lane l)
{
    return l == NKX_LANE_F32 ? 4 : 8;
}
/* The lane that holds every value of a type; packed types have none and must not come here. */
nkx_lane nkx_lane_of(nkx_dtype t);
static inline bool nkx_nd_is_packed(nkx_dtype t)
{
    return nkx_dtypes[t].cls == NKX_CLASS_PACKED;
}

/* At most NKX_LANE_BLOCK elements of type t, `step` bytes apart, into dense lanes; and back. */
void nkx_lane_load(nkx_lane l, void *dst, nkx_dtype t, const void *src, int64_t step, int64_t n);
void nkx_lane_store(nkx_lane l, nkx_dtype t, void *dst, int64_t step, const void *src, int64_t n);
/* Any number of elements from one type to another. Packed types: only to themselves. */
void nkx_cast_row(nkx_dtype dt, void *dst, int64_t ds, nkx_dtype st, const void *src, int64_t ss,
                  int64_t n);
/* dst and src of one shape; strides in bytes. */
void nkx_cast_nd(nkx_dtype dt, uint8_t *dst, const int64_t *ds, nkx_dtype st, const uint8_t *src,
                 const int64_t *ss, int ndim, const int64_t *shape);

/* NumPy's result type of two arrays (ml_dtypes rules for the small floats). */
nkx_dtype nkx_promote(nkx_dtype a, nkx_dtype b);
/* A Python scalar beside type t is weak: 0 bool, 1 int, 2 float. */
nkx_dtype nkx_promote_weak(nkx_dtype t, int scalar_kind);

/*
 * Walks n operands of one shape row by row: coalesces dimensions, then calls `row` for each inner
 * row with pointers and byte steps. The order is C order of the shape.
 */
#define NKX_WALK_MAX 4
typedef struct nkx_walk {
    int n, ndim;
    int64_t shape[NKX_ND_MAX];
    int64_t stride[NKX_WALK_MAX][NKX_ND_MAX];
    uint8_t *at[NKX_WALK_MAX];
} nkx_walk;
typedef void (*nkx_walk_row)(void *user, uint8_t *const *at, const int64_t *step, int64_t n);
void nkx_walk_run(nkx_walk *w, nkx_walk_row row, void *user);

#endif
