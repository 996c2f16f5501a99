/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row conversions of every element type, as the table of dtype.c names them, and the one place
 * that turns strided rows into dense ones. Private to interp/num.
 *
 * A dense kernel sees packed elements on both sides; nkx_rows_load and nkx_rows_store feed it
 * from strided memory through a small buffer on the stack.
 */
#ifndef NKX_NUM_ROWS_H
#define NKX_NUM_ROWS_H

#include "interp/base/attr.h"

/* n packed elements from src to dst; the two never overlap. */
typedef void (*nkx_dense_fn)(void *restrict dst, const void *restrict src, int64_t n);

/* Lanes are 4 bytes wide, elements `bytes` wide and `step` apart; step 0 repeats one element. */
void nkx_rows_load(void *dst, const void *src, int64_t n, int64_t step, int bytes, nkx_dense_fn f);
void nkx_rows_store(void *dst, int64_t step, const void *src, int64_t n, int bytes, nkx_dense_fn f);
/* n elements of `bytes` bytes, bits unchanged, any steps; dense rows may overlap. */
void nkx_rows_copy(void *dst, int64_t ds, const void *src, int64_t ss, int64_t n, int bytes);

#define NKX_ROW_F32(t)                                                                             \
    void nkx_load_f32_##t(float *dst, const void *src, int64_t n, int64_t step);                   \
    void nkx_store_f32_##t(void *dst, int64_t step, const float *src, int64_t n);
#define NKX_ROW_I32(t)                                                                             \
    NKX_ROW_F32(t)                                                                                 \
    void nkx_load_i32_##t(int32_t *dst, const void *src, int64_t n, int64_t step);                 \
    void nkx_store_i32_##t(void *dst, int64_t step, const int32_t *src, int64_t n);

NKX_ROW_I32(bool8)
NKX_ROW_I32(int8)
NKX_ROW_I32(int16)
NKX_ROW_I32(int32)
NKX_ROW_I32(uint8)
NKX_ROW_I32(uint16)
NKX_ROW_I32(uint32)
NKX_ROW_F32(fp16)
NKX_ROW_F32(bf16)
NKX_ROW_F32(tf32)
NKX_ROW_F32(fp32)
NKX_ROW_F32(e4m3)
NKX_ROW_F32(e4m3fn)
NKX_ROW_F32(e5m2)
NKX_ROW_F32(e8m0)
NKX_ROW_F32(e2m1)
#undef NKX_ROW_F32
#undef NKX_ROW_I32

/*
 * Dense kernels that exist twice, F(name, bytes of a result, bytes of a source): nkx_plain_name for
 * any machine, nkx_avx2_name of convert_avx2.c. Both give the same bits, and tests compare them.
 */
#define NKX_MACHINE_LIST(F)                                                                        \
    F(load_fp16, 4, 2)                                                                             \
    F(store_fp16, 2, 4)                                                                            \
    F(store_bf16, 2, 4)                                                                            \
    F(load_e5m2, 4, 1)                                                                             \
    F(load_e4m3, 4, 1)                                                                             \
    F(load_e4m3fn, 4, 1)                                                                           \
    F(store_int8, 1, 4)                                                                            \
    F(store_uint8, 1, 4)                                                                           \
    F(store_int16, 2, 4)                                                                           \
    F(store_uint16, 2, 4)                                                                          \
    F(store_int32, 4, 4)
#define NKX_MACHINE(name, dst_bytes, src_bytes)                                                    \
    void nkx_plain_##name(void *restrict dst, const void *restrict src, int64_t n);                \
    void nkx_avx2_##name(void *restrict dst, const void *restrict src, int64_t n);
NKX_MACHINE_LIST(NKX_MACHINE)
#undef NKX_MACHINE

/* The one for this machine. */
#if defined(__x86_64__)
#define NKX_BY_MACHINE(name) (nkx_has_avx2() ? nkx_avx2_##name : nkx_plain_##name)
#else
#define NKX_BY_MACHINE(name) nkx_plain_##name
#endif

/* One code of the 4-bit float: widened, and narrowed with saturation (it has no infinity, no NaN).
 */
float nkx_e2m1_widen(uint32_t code);
uint32_t nkx_e2m1_narrow(float v);

#endif
