/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows from one type to another, whole arrays to and from float64, and the packed MX types.
 * Layer num: everything here is put together from the rows of dtype.c.
 */
#include "interp/num/dtype.h"
#include "interp/num/rows.h"
#include "interp/num/simd.h"

enum { CHUNK = 512 };

static bool is_wide(nkx_dtype t)
{
    return nkx_dtypes[t].load_f32 == NULL;
}

void nkx_convert_row(nkx_dtype dt, void *dst, int64_t ds, nkx_dtype st, const void *src, int64_t ss,
                     int64_t n)
{
    const nkx_dtype_row *to = &nkx_dtypes[dt], *from = &nkx_dtypes[st];
    if (dt == st) {
        nkx_rows_copy(dst, ds, src, ss, n, to->bytes);
        return;
    }
    float lanes[CHUNK];
    for (int64_t i = 0; i < n; i += CHUNK) {
        int64_t m = n - i < CHUNK ? n - i : CHUNK;
        const uint8_t *s = (const uint8_t *)src + i * ss;
        uint8_t *d = (uint8_t *)dst + i * ds;
        if (is_wide(dt) || is_wide(st)) {
            for (int64_t j = 0; j < m; j++) {
                nkx_store_f64(dt, d + j * ds, nkx_load_f64(st, s + j * ss));
            }
        } else if (dt == NKX_DT_FP32 && ds == 4) {
            from->load_f32((float *)(void *)d, s, m, ss);
        } else {
            from->load_f32(lanes, s, m, ss);
            to->store_f32(d, ds, lanes, m);
        }
    }
}

void nkx_to_f64(double *dst, nkx_dtype t, const void *src, int64_t n)
{
    const nkx_dtype_row *row = &nkx_dtypes[t];
    if (!nkx_dtype_is_float(t) || is_wide(t)) {
        for (int64_t i = 0; i < n; i++) {
            dst[i] = nkx_load_f64(t, (const uint8_t *)src + i * row->bytes);
        }
        return;
    }
    float lanes[CHUNK];
    for (int64_t i = 0; i < n; i += CHUNK) {
        int64_t m = n - i < CHUNK ? n - i : CHUNK;
        row->load_f32(lanes, (const uint8_t *)src + i * row->bytes, m, row->bytes);
        for (int64_t j = 0; j < m; j++) {
            dst[i + j] = lanes[j];
        }
    }
}

void nkx_from_f64(nkx_dtype t, void *dst, const double *src, int64_t n)
{
    const nkx_dtype_row *row = &nkx_dtypes[t];
    if (!nkx_dtype_is_float(t) || is_wide(t)) {
        for (int64_t i = 0; i < n; i++) {
            nkx_store_f64(t, (uint8_t *)dst + i * row->bytes, src[i]);
        }
        return;
    }
    float lanes[CHUNK];
    for (int64_t i = 0; i < n; i += CHUNK) {
        int64_t m = n - i < CHUNK ? n - i : CHUNK;
        for (int64_t j = 0; j < m; j++) {
            lanes[j] = (float)src[i + j];
        }
        row->store_f32((uint8_t *)dst + i * row->bytes, row->bytes, lanes, m);
    }
}

void nkx_store_sat_f8(nkx_dtype t, void *dst, const float *src, int64_t n)
{
    const nkx_dtype_row *row = &nkx_dtypes[t];
    const float top = (float)row->max;
    NKX_ASSERT(row->bytes == 1 && row->store_f32 != NULL);
    float lanes[CHUNK];
    for (int64_t i = 0; i < n; i += CHUNK) {
        int64_t m = n - i < CHUNK ? n - i : CHUNK;
        for (int64_t j = 0; j < m; j++) {
            float v = src[i + j];
            v = v > top ? top : v;
            lanes[j] = v < -top ? -top : v;
        }
        row->store_f32((uint8_t *)dst + i, 1, lanes, m);
    }
}

float nkx_load_packed(nkx_dtype t, const void *src, int lane)
{
    NKX_ASSERT(nkx_dtypes[t].cls == NKX_CLASS_PACKED && lane >= 0 && lane < nkx_dtypes[t].lanes);
    if (t == NKX_DT_FP4_E2M1FN_X4) {
        uint32_t byte = ((const uint8_t *)src)[lane / 2];
        return nkx_e2m1_widen(byte >> (lane % 2 * 4) & 15);
    }
    float v;
    nkx_dtypes[nkx_dtype_lane(t)].load_f32(&v, (const uint8_t *)src + lane, 1, 1);
    return v;
}

void nkx_store_packed(nkx_dtype t, void *dst, int lane, float v)
{
    NKX_ASSERT(nkx_dtypes[t].cls == NKX_CLASS_PACKED && lane >= 0 && lane < nkx_dtypes[t].lanes);
    if (t == NKX_DT_FP4_E2M1FN_X4) {
        uint8_t *byte = (uint8_t *)dst + lane / 2;
        int shift = lane % 2 * 4;
        *byte = (uint8_t)((*byte & ~(15u << shift)) | nkx_e2m1_narrow(v) << shift);
        return;
    }
    nkx_store_sat_f8(nkx_dtype_lane(t), (uint8_t *)dst + lane, &v, 1);
}

void nkx_load_packed_row(nkx_dtype t, float *dst, const void *src, int64_t n)
{
    NKX_ASSERT(nkx_dtypes[t].cls == NKX_CLASS_PACKED);
    if (t != NKX_DT_FP4_E2M1FN_X4) {
        nkx_dtypes[nkx_dtype_lane(t)].load_f32(dst, src, 4 * n, 1);
        return;
    }
    for (int64_t i = 0; i < 4 * n; i++) {
        dst[i] = nkx_e2m1_widen(((const uint8_t *)src)[i / 2] >> (i % 2 * 4) & 15);
    }
}

void nkx_store_packed_row(nkx_dtype t, void *dst, const float *src, int64_t n)
{
    NKX_ASSERT(nkx_dtypes[t].cls == NKX_CLASS_PACKED);
    if (t != NKX_DT_FP4_E2M1FN_X4) {
        nkx_store_sat_f8(nkx_dtype_lane(t), dst, src, 4 * n);
        return;
    }
    for (int64_t i = 0; i < 2 * n; i++) {
        uint32_t pair = nkx_e2m1_narrow(src[2 * i]) | nkx_e2m1_narrow(src[2 * i + 1]) << 4;
        ((uint8_t *)dst)[i] = (uint8_t)pair;
    }
}
