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

#define ROW_F32(t) .load_f32 = nkx_load_f32_##t, .store_f32 = nkx_store_f32_##t
#define ROW_I32(t) ROW_F32(t), .load_i32 = nkx_load_i32_##t, .store_i32 = nkx_store_i32_##t
#define INTEGER(n, np, d, b, c, dev, lo, hi)                                                       \
    .name = n, .np_name = np, .npy = d, .bytes = b, .lanes = 1, .cls = c, .device = dev,           \
    .mant_bits = -1, .lowest = lo, .max = hi, .min_normal = 1
#define FLOATING(n, np, d, b, dev, inf, mant, top, tiny)                                           \
    .name = n, .np_name = np, .npy = d, .bytes = b, .lanes = 1, .cls = NKX_CLASS_FLOAT,            \
    .device = dev, .has_inf = inf, .mant_bits = mant, .max = top, .lowest = -(top),                \
    .min_normal = tiny
#define PACKED(n, d, b, inf, top, tiny)                                                            \
    .name = n, .npy = d, .bytes = b, .lanes = 4, .cls = NKX_CLASS_PACKED, .device = true,          \
    .has_inf = inf, .mant_bits = -1, .max = top, .lowest = -(top), .min_normal = tiny

const nkx_dtype_row nkx_dtypes[NKX_N_DTYPES] = {
    [NKX_DT_BOOL] = {INTEGER("bool_",               "bool",                             "|b1", 1,                                                              NKX_CLASS_UINT, true,     0,                                           1),                                                                                                                  ROW_I32(bool8),
                     .doc = "Truth value in one byte, 0 or 1."                                                                                                                                                                                                                                                                                                                                                      },
    [NKX_DT_INT8] = {INTEGER("int8",                NULL,                               "|i1", 1,                                                              NKX_CLASS_INT,  true,     -128,                                        127),                                                                                                                ROW_I32(int8),
                     .doc = "8-bit two's complement integer."                                                                                                                                                                                                                                                                                                                                                       },
    [NKX_DT_INT16] = {INTEGER("int16",               NULL,                               "<i2", 2,                                                              NKX_CLASS_INT,  true,     -32768,                                      32767),
                     ROW_I32(int16),                                                                                                                                                                                                                                                                                                                                       .doc = "16-bit two's complement integer."},
    [NKX_DT_INT32] = {INTEGER("int32",               NULL,                               "<i4", 4,                                                              NKX_CLASS_INT,  true,     INT32_MIN,                                   INT32_MAX),
                     ROW_I32(int32),                                                                                                                                                                                                                                                                                                                                       .doc = "32-bit two's complement integer."},
    [NKX_DT_UINT8] = {INTEGER("uint8",               NULL,                               "|u1", 1,                                                              NKX_CLASS_UINT, true,     0,                                           255),
                     ROW_I32(uint8),                                                                                                                                                                                                                                                                                                                                       .doc = "8-bit unsigned integer."         },
    [NKX_DT_UINT16] = {INTEGER("uint16",              NULL,                               "<u2", 2,                                                              NKX_CLASS_UINT, true,     0,                                           65535),
                     ROW_I32(uint16),                                                                                                                                                                                                                                                                                                                                      .doc = "16-bit unsigned integer."        },
    [NKX_DT_UINT32] = {INTEGER("uint32",              NULL,                               "<u4", 4,                                                              NKX_CLASS_UINT, true,     0,                                           UINT32_MAX),
                     ROW_I32(uint32),                                                                                                                                                                                                                                                                                                                                      .doc = "32-bit unsigned integer."        },
    [NKX_DT_FP16] = {FLOATING("float16",            NULL,                               "<f2", 2,                                                              true,           true,     10,                                          65504.0,                                                                                                             0x1p-14),
                     ROW_F32(fp16),                                                                                                                                                                                                                                                                                                                                                                                   .doc = "IEEE half precision, 1-5-10."},
    [NKX_DT_BF16] = {FLOATING("bfloat16",                             NULL,                                             "<V2",                  2,                               true,                           true, 7,              0x1.fep127,                                                                                                                                0x1p-126),
                     ROW_F32(bf16),                        .doc = "Brain float, 1-8-7."},
    [NKX_DT_TF32] = {FLOATING("tfloat32", NULL,                                   "<f4",                      4,                                                                                true,                                                       true,                                         10, 0x1.ffcp127,                                                          0x1p-126),
                     ROW_F32(tf32),                                     .doc = "1-8-10 significant bits in a 4-byte cell."},
    [NKX_DT_FP32] = {FLOATING("float32",                 NULL, "<f4",      4,                                                   true,                                             true,                                                23,                                                                                     FLT_MAX,                                                                                                                                                  FLT_MIN),
                     ROW_F32(fp32),                                                                    .doc = "IEEE single precision, 1-8-23."},
    [NKX_DT_FP8_E4M3] = {FLOATING("float8_e4m3",                     NULL,                                                     "<V1",                   1,                                                                                 true,                                                                          true,                                                          3,                                            240.0,                                                                                                                                            0x1p-6),
                     ROW_F32(e4m3),.doc = "1-4-3 with infinity and NaN as IEEE has them."},
    [NKX_DT_FP8_E4M3FN] = {FLOATING("float8_e4m3fn",                        NULL,                                                   "<V1",                                                            1,                                                                    true,                                                                                  false,                                                                   3,                                                                                   448.0,                                                                                                                                               0x1p-6),
                     ROW_F32(e4m3fn),                                                                                                     .doc = "1-4-3 of the OCP standard: no infinity."},
    [NKX_DT_FP8_E5M2] = {FLOATING("float8_e5m2",                            NULL,                                                         "<f1",                                                       1,                                                                                                                          true,                                                                                        true,                                                                                                2,                                                                                                                      57344.0,                                                                                                                                                                                                          0x1p-14),
                     ROW_F32(e5m2),                                         .doc = "1-5-2 with infinity and NaN."},
    [NKX_DT_FP8_E8M0] = {.name = "float8_e8m0fnu",
                     .npy = "<V1",
                     .bytes = 1,
                     .lanes = 1,
                     .cls = NKX_CLASS_FLOAT,
                     .device = true,
                     .mant_bits = 0,
                     .max = 0x1p127,
                     .lowest = 0x1p-127,
                     .min_normal = 0x1p-127,
                     ROW_F32(e8m0),
                     .doc = "Scale of MX blocks: a power of two, no sign, no zero."},
    [NKX_DT_FP8_E5M2_X4] = {PACKED("float8_e5m2_x4",        "<u4",                                                    4,                                                           true,                                                                                                                           57344.0,                                                                                                                                       0x1p-14),
                     .doc = "Four float8_e5m2 in one element, the first in the low byte."                                                                                                                                                                                                  },
    [NKX_DT_FP8_E4M3FN_X4] = {PACKED("float8_e4m3fn_x4",                            "<u4",       4,false,448.0,                                                                                     0x1p-6),
                     .doc = "Four float8_e4m3fn in one element, the first in the low "
                                     "byte."},
    [NKX_DT_FP4_E2M1FN_X4] = {PACKED("float4_e2m1fn_x4",                      "<u2",                                           2,                                                false,                                                                                      6.0,                                                                          1.0),
                     .doc = "Four 4-bit floats in one element, the first in the low "
                                     "bits."                                                                                                                },
    [NKX_DT_INT64] = {INTEGER("int64",               NULL,                               "<i8", 8,                                                              NKX_CLASS_INT,  false,    -0x1p63,                                     0x1p63),
                     .doc = "64-bit integer of host arrays."                                                                                                                                                                                                                                                                                    },
    [NKX_DT_UINT64] = {INTEGER("uint64",                         NULL,                              "<u8",     8,                                                 NKX_CLASS_UINT,          false,        0,                                     0x1p64),
                     .doc = "64-bit unsigned integer of host arrays."       },
    [NKX_DT_FP64] = {FLOATING("float64",                        NULL,                                                         "<f8", 8,                                                           false,             true,  52,                                    DBL_MAX,                                                                                                                                            DBL_MIN),
                     .doc = "IEEE double precision of host arrays."                                                                                                                                                                                                                                                                                                       },
};
#undef ROW_F32
#undef ROW_I32
#undef INTEGER
#undef FLOATING
#undef PACKED

static const struct {
    const char *name;
    nkx_dtype type;
} spellings[] = {
    {"bool",        NKX_DT_BOOL    },
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
