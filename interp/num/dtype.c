/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of element types (isa.md 1.1) and single elements: finding a type by name, one value
 * in and out, distance in last places. Layer num. Row conversions are in convert_*.c.
 */
#include "interp/num/dtype.h"

#include "interp/num/rows.h"
#include "interp/num/simd.h"

#include <float.h>
#include <math.h>

#define F32(t) .load_f32 = nkx_load_f32_##t, .store_f32 = nkx_store_f32_##t
#define I32(t) F32(t), .load_i32 = nkx_load_i32_##t, .store_i32 = nkx_store_i32_##t
#define HOST   .device = false
#define DEVICE .device = true
#define NO_INF .has_inf = false
#define INF    .has_inf = true

/* name, .npy descr, bytes; then limits, and what is particular to the type. */
#define ROW(id, word, descr, size, kind, text, ...)                                                \
    [NKX_DT_##                                                                                     \
        id] = {.name = word, .npy = descr, .bytes = size, .cls = kind, .doc = text, __VA_ARGS__}
#define RANGE(lo, hi) .lanes = 1, .mant_bits = -1, .lowest = lo, .max = hi, .min_normal = 1
#define FINITE(mant, hi, tiny)                                                                     \
    .lanes = 1, .mant_bits = mant, .lowest = -(hi), .max = hi, .min_normal = tiny
#define FOUR(hi, tiny) .lanes = 4, .mant_bits = -1, .lowest = -(hi), .max = hi, .min_normal = tiny

const nkx_dtype_row nkx_dtypes[NKX_N_DTYPES] = {
    ROW(BOOL, "bool", "|b1", 1, NKX_CLASS_UINT, "Truth value in one byte, 0 or 1.", RANGE(0, 1),
        DEVICE, I32(bool8)),
    ROW(INT8, "int8", "|i1", 1, NKX_CLASS_INT, "8-bit two's complement integer.", RANGE(-128, 127),
        DEVICE, I32(int8)),
    ROW(INT16, "int16", "<i2", 2, NKX_CLASS_INT, "16-bit two's complement integer.",
        RANGE(-32768, 32767), DEVICE, I32(int16)),
    ROW(INT32, "int32", "<i4", 4, NKX_CLASS_INT, "32-bit two's complement integer.",
        RANGE(INT32_MIN, INT32_MAX), DEVICE, I32(int32)),
    ROW(UINT8, "uint8", "|u1", 1, NKX_CLASS_UINT, "8-bit unsigned integer.", RANGE(0, 255), DEVICE,
        I32(uint8)),
    ROW(UINT16, "uint16", "<u2", 2, NKX_CLASS_UINT, "16-bit unsigned integer.", RANGE(0, 65535),
        DEVICE, I32(uint16)),
    ROW(UINT32, "uint32", "<u4", 4, NKX_CLASS_UINT, "32-bit unsigned integer.",
        RANGE(0, UINT32_MAX), DEVICE, I32(uint32)),
    ROW(FP16, "float16", "<f2", 2, NKX_CLASS_FLOAT, "IEEE half precision, 1-5-10.",
        FINITE(10, 65504.0, 0x1p-14), INF, DEVICE, F32(fp16)),
    ROW(BF16, "bfloat16", "<V2", 2, NKX_CLASS_FLOAT, "Brain float, 1-8-7.",
        FINITE(7, 0x1.fep127, 0x1p-126), INF, DEVICE, F32(bf16)),
    ROW(TF32, "tfloat32", "<f4", 4, NKX_CLASS_FLOAT, "1-8-10 significant bits in a 4-byte cell.",
        FINITE(10, 0x1.ffcp127, 0x1p-126), INF, DEVICE, F32(tf32)),
    ROW(FP32, "float32", "<f4", 4, NKX_CLASS_FLOAT, "IEEE single precision, 1-8-23.",
        FINITE(23, FLT_MAX, FLT_MIN), INF, DEVICE, F32(fp32)),
    ROW(FP8_E4M3, "float8_e4m3", "<V1", 1, NKX_CLASS_FLOAT,
        "1-4-3 with infinity and NaN as IEEE has them.", FINITE(3, 240.0, 0x1p-6), INF, DEVICE,
        F32(e4m3)),
    ROW(FP8_E4M3FN, "float8_e4m3fn", "<V1", 1, NKX_CLASS_FLOAT,
        "1-4-3 of the OCP standard: no infinity.", FINITE(3, 448.0, 0x1p-6), NO_INF, DEVICE,
        F32(e4m3fn)),
    ROW(FP8_E5M2, "float8_e5m2", "<f1", 1, NKX_CLASS_FLOAT, "1-5-2 with infinity and NaN.",
        FINITE(2, 57344.0, 0x1p-14), INF, DEVICE, F32(e5m2)),
    ROW(FP8_E8M0, "float8_e8m0fnu", "<V1", 1, NKX_CLASS_FLOAT,
        "Scale of MX blocks: a power of two, no sign, no zero.", .lanes = 1, .mant_bits = 0,
        .lowest = 0x1p-127, .max = 0x1p127, .min_normal = 0x1p-127, NO_INF, DEVICE, F32(e8m0)),
    ROW(FP8_E5M2_X4, "float8_e5m2_x4", "<u4", 4, NKX_CLASS_PACKED,
        "Four float8_e5m2, the first in the low byte.", FOUR(57344.0, 0x1p-14), INF, DEVICE),
    ROW(FP8_E4M3FN_X4, "float8_e4m3fn_x4", "<u4", 4, NKX_CLASS_PACKED,
        "Four float8_e4m3fn, the first in the low byte.", FOUR(448.0, 0x1p-6), NO_INF, DEVICE),
    ROW(FP4_E2M1FN_X4, "float4_e2m1fn_x4", "<u2", 2, NKX_CLASS_PACKED,
        "Four 4-bit floats, the first in the low bits.", FOUR(6.0, 1.0), NO_INF, DEVICE),
    ROW(INT64, "int64", "<i8", 8, NKX_CLASS_INT, "64-bit integer of host arrays.",
        RANGE(-0x1p63, 0x1p63), HOST),
    ROW(UINT64, "uint64", "<u8", 8, NKX_CLASS_UINT, "64-bit unsigned integer of host arrays.",
        RANGE(0, 0x1p64), HOST),
    ROW(FP64, "float64", "<f8", 8, NKX_CLASS_FLOAT, "IEEE double precision of host arrays.",
        FINITE(52, DBL_MAX, DBL_MIN), INF, HOST),
    ROW(FP4_E2M1FN, "float4_e2m1fn", "<V1", 1, NKX_CLASS_FLOAT,
        "4-bit float of host arrays, one to a byte: no infinity, no NaN.", FINITE(1, 6.0, 1.0),
        NO_INF, HOST, F32(e2m1)),
};

static const struct {
    const char *name;
    nkx_dtype type;
} spellings[] = {
    {"tf32",        NKX_DT_TF32    },
    {"bf16",        NKX_DT_BF16    },
    {"fp16",        NKX_DT_FP16    },
    {"fp32",        NKX_DT_FP32    },
    {"half",        NKX_DT_FP16    },
    {"single",      NKX_DT_FP32    },
    {"double",      NKX_DT_FP64    },
    {"float8e4",    NKX_DT_FP8_E4M3},
    {"float8e5",    NKX_DT_FP8_E5M2},
    {"float8_e8m0", NKX_DT_FP8_E8M0},
    {"bool_",       NKX_DT_BOOL    },
};

nkx_dtype nkx_dtype_find(const char *name)
{
    for (int t = 0; t < NKX_N_DTYPES; t++) {
        if (strcmp(nkx_dtypes[t].name, name) == 0) return (nkx_dtype)t;
    }
    for (size_t i = 0; i < NKX_COUNT(spellings); i++) {
        if (strcmp(spellings[i].name, name) == 0) return spellings[i].type;
    }
    return NKX_N_DTYPES;
}

nkx_dtype nkx_dtype_lane(nkx_dtype t)
{
    if (t == NKX_DT_FP8_E5M2_X4) return NKX_DT_FP8_E5M2;
    if (t == NKX_DT_FP8_E4M3FN_X4) return NKX_DT_FP8_E4M3FN;
    return t;
}

int64_t nkx_load_i64(nkx_dtype t, const void *src)
{
    int64_t v = 0;
    if (nkx_dtypes[t].bytes == 8) {
        memcpy(&v, src, sizeof v); /* uint64 by its bits */
        return v;
    }
    NKX_ASSERT(nkx_dtypes[t].load_i32 != NULL);
    int32_t lane;
    nkx_dtypes[t].load_i32(&lane, src, 1, nkx_dtypes[t].bytes);
    return t == NKX_DT_UINT32 ? (int64_t)(uint32_t)lane : lane;
}

void nkx_store_i64(nkx_dtype t, void *dst, int64_t v)
{
    if (nkx_dtypes[t].bytes == 8) {
        memcpy(dst, &v, sizeof v);
        return;
    }
    NKX_ASSERT(nkx_dtypes[t].store_i32 != NULL);
    if (t == NKX_DT_BOOL) v = v != 0;
    uint32_t low = (uint32_t)((uint64_t)v & UINT32_MAX);
    int32_t lane;
    memcpy(&lane, &low, sizeof lane);
    nkx_dtypes[t].store_i32(dst, nkx_dtypes[t].bytes, &lane, 1);
}

double nkx_load_f64(nkx_dtype t, const void *src)
{
    if (t == NKX_DT_FP64) {
        double v;
        memcpy(&v, src, sizeof v);
        return v;
    }
    if (nkx_dtype_is_int(t)) {
        int64_t v = nkx_load_i64(t, src);
        return t == NKX_DT_UINT64 ? (double)(uint64_t)v : (double)v;
    }
    NKX_ASSERT(nkx_dtypes[t].load_f32 != NULL);
    float v;
    nkx_dtypes[t].load_f32(&v, src, 1, nkx_dtypes[t].bytes);
    return v;
}

/* Nearest even and saturated; the limits of the 64-bit types are one above what they hold. */
static int64_t saturate(nkx_dtype t, double v)
{
    const nkx_dtype_row *row = &nkx_dtypes[t];
    if (isnan(v)) return 0;
    if (v <= row->lowest) return t == NKX_DT_INT64 ? INT64_MIN : (int64_t)row->lowest;
    if (v >= row->max) {
        if (t == NKX_DT_INT64) return INT64_MAX;
        return t == NKX_DT_UINT64 ? -1 : (int64_t)row->max; /* -1: all ones */
    }
    if (v >= 0x1p63) return (int64_t)((uint64_t)v); /* an integer already */
    return (int64_t)nearbyint(v);
}

void nkx_store_f64(nkx_dtype t, void *dst, double v)
{
    if (t == NKX_DT_FP64) {
        memcpy(dst, &v, sizeof v);
    } else if (t == NKX_DT_BOOL) {
        *(uint8_t *)dst = v != 0;
    } else if (nkx_dtype_is_int(t)) {
        nkx_store_i64(t, dst, saturate(t, v));
    } else {
        NKX_ASSERT(nkx_dtypes[t].store_f32 != NULL);
        float f = (float)v;
        nkx_dtypes[t].store_f32(dst, nkx_dtypes[t].bytes, &f, 1);
    }
}

double nkx_ulp_distance(nkx_dtype t, double a, double b)
{
    const nkx_dtype_row *row = &nkx_dtypes[t];
    if (a == b || (isnan(a) && isnan(b))) return 0;
    if (!isfinite(a) || !isfinite(b)) return INFINITY;
    if (row->mant_bits < 0) return fabs(a - b);
    int exponent = 0, lowest = 0;
    (void)frexp(fabs(b), &exponent);
    (void)frexp(row->min_normal, &lowest);
    if (b == 0 || exponent < lowest) exponent = lowest;
    return ldexp(fabs(a - b), row->mant_bits + 1 - exponent);
}
