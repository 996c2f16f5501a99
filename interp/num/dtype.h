/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element types, a row each (isa.md 1.1), and their conversions (isa.md 1.2). Every operation is:
 * load a row of elements into fp32 or int32 lanes, compute, store the row. Loads and stores take
 * a byte step, so that strided patterns need no copy; step == bytes is the fast, vectorised case;
 * step 0 broadcasts on loads.
 */
#ifndef NKX_NUM_DTYPE_H
#define NKX_NUM_DTYPE_H

#include "interp/base/attr.h"

typedef enum nkx_dtype {
    NKX_DT_BOOL,
    NKX_DT_INT8,
    NKX_DT_INT16,
    NKX_DT_INT32,
    NKX_DT_UINT8,
    NKX_DT_UINT16,
    NKX_DT_UINT32,
    NKX_DT_FP16,
    NKX_DT_BF16,
    NKX_DT_TF32,
    NKX_DT_FP32,
    NKX_DT_FP8_E4M3,
    NKX_DT_FP8_E4M3FN,
    NKX_DT_FP8_E5M2,
    NKX_DT_FP8_E8M0,
    NKX_DT_FP8_E5M2_X4,
    NKX_DT_FP8_E4M3FN_X4,
    NKX_DT_FP4_E2M1FN_X4,
    /* host arrays only, never on the device */
    NKX_DT_INT64,
    NKX_DT_UINT64,
    NKX_DT_FP64,
    NKX_DT_FP4_E2M1FN,
    NKX_N_DTYPES,
} nkx_dtype;

typedef enum nkx_dtype_class {
    NKX_CLASS_INT,
    NKX_CLASS_UINT,
    NKX_CLASS_FLOAT,
    NKX_CLASS_PACKED
} nkx_dtype_class;

typedef struct nkx_dtype_row {
    const char *name; /* "bfloat16": what str() gives */
    const char *npy;  /* .npy descr, "<f4"; what ml_dtypes writes for its types ("<V2" or "|V1") */
    const char *doc;
    uint8_t bytes, lanes; /* lanes: values packed in one element */
    nkx_dtype_class cls;
    bool device; /* may live in SBUF, PSUM, HBM */
    bool has_inf;
    int8_t mant_bits;       /* explicit mantissa bits; integers and packed types: -1 */
    double max, min_normal; /* largest finite, smallest normal (1 for integers) */
    double lowest;          /* most negative finite; integers: lower limit */
    /* n elements, `step` bytes apart on the element side, dense on the lane side. Packed and 64-bit
     * types: NULL. */
    void (*load_f32)(float *dst, const void *src, int64_t n, int64_t step);
    void (*store_f32)(void *dst, int64_t step, const float *src,
                      int64_t n); /* rounds once, RNE; ints saturate, NaN gives 0 */
    void (*load_i32)(int32_t *dst, const void *src, int64_t n,
                     int64_t step); /* integer types only; else NULL */
    void (*store_i32)(void *dst, int64_t step, const int32_t *src,
                      int64_t n); /* truncates to the width */
} nkx_dtype_row;

extern const nkx_dtype_row nkx_dtypes[NKX_N_DTYPES];

static inline int64_t nkx_dtype_bytes(nkx_dtype t)
{
    return nkx_dtypes[t].bytes;
}
static inline bool nkx_dtype_is_float(nkx_dtype t)
{
    return nkx_dtypes[t].cls == NKX_CLASS_FLOAT;
}
static inline bool nkx_dtype_is_int(nkx_dtype t)
{
    return nkx_dtypes[t].cls <= NKX_CLASS_UINT;
}

/* By any known spelling ("bfloat16", "bool", "float8e4", "float8_e4m3", "float32"); NKX_N_DTYPES if
 * unknown. */
nkx_dtype nkx_dtype_find(const char *name);

/* One element, for indices, registers, printing. float64 carries every device value exactly. */
double nkx_load_f64(nkx_dtype t, const void *src);
void nkx_store_f64(
    nkx_dtype t, void *dst,
    double v); /* floats through fp32, integers exactly, RNE, saturating, NaN gives 0 */
int64_t nkx_load_i64(nkx_dtype t, const void *src);    /* integer types */
void nkx_store_i64(nkx_dtype t, void *dst, int64_t v); /* integer types: truncates to the width */

/*
 * Packed types: value q of an element, lane 0 in the lowest bits. Stores round to nearest even and
 * saturate (isa.md 4.8); fp8 keeps NaN, fp4 has none and stores 0.
 */
float nkx_load_packed(nkx_dtype t, const void *src, int lane);
void nkx_store_packed(nkx_dtype t, void *dst, int lane, float v);
/* n packed elements to lanes*n dense floats, and back. */
void nkx_load_packed_row(nkx_dtype t, float *dst, const void *src, int64_t n);
void nkx_store_packed_row(nkx_dtype t, void *dst, const float *src, int64_t n);
/* Dense fp8 row where infinities and overflow become the largest finite value of that sign. NaN
 * stays. */
void nkx_store_sat_f8(nkx_dtype t, void *dst, const float *src, int64_t n);
/* The type of one value in a packed element of 8-bit floats; fp4 and unpacked types: t itself. */
nkx_dtype nkx_dtype_lane(nkx_dtype t);

/*
 * Conversions in short. To floats: nearest, ties to even; beyond the largest finite value infinity,
 * or NaN in types without one (e4m3fn, e8m0), the largest finite value in e2m1. Subnormals are kept
 * on both sides. NaN: fp16, bf16, tf32 keep sign and leading payload bits and become quiet; fp8 has
 * one NaN of each sign, e8m0 one. e8m0 takes the nearest power of two, ties upward; zero, negatives
 * and overflow give NaN. To integers: nearest even, saturating, NaN gives 0. To bool: 1 where the
 * value is not 0 (NaN: 1).
 *
 * Strided row copy with conversion: n elements from src (step ss bytes) of type st to dst (step ds)
 * of type dt. Equal types: bits are copied. Otherwise through fp32.
 */
void nkx_convert_row(nkx_dtype dt, void *dst, int64_t ds, nkx_dtype st, const void *src, int64_t ss,
                     int64_t n);

/* Whole dense arrays of any type to and from float64: host arrays, references, checks. */
void nkx_to_f64(double *dst, nkx_dtype t, const void *src, int64_t n);
void nkx_from_f64(nkx_dtype t, void *dst, const double *src, int64_t n);

/*
 * Distance of two values in units of the last place that type t has at |b|, the reference, which
 * need not be a value of t. Both NaN or equal: 0; one NaN, or one infinite: infinity. Integers: |a
 * - b|.
 */
double nkx_ulp_distance(nkx_dtype t, double a, double b);

#endif
