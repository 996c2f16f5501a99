/* SPDX-License-Identifier: Apache-2.0 */
/* What the instructions of the tensor engine share: accumulate modes, products, transposes. Inside
 * isa only. */
#ifndef NKX_ISA_MATMUL_H
#define NKX_ISA_MATMUL_H

#include "interp/isa/row.h"

typedef enum nkx_mm_mode {
    NKX_MM_OVERWRITE,
    NKX_MM_ADD,
    NKX_MM_MIXED /* by element */
} nkx_mm_mode;

typedef struct nkx_mm_job {
    nkx_access dst, st, mv;
    int32_t m, n, k; /* k counts double rows */
    int32_t rows;    /* contraction rows a partition holds: 1, 2 */
    uint8_t mode;    /* nkx_mm_mode */
    bool narrow;     /* dst is not fp32 */
    nkx_core *core;
    nkx_span span;
    int64_t mask_len; /* MIXED: one state an element follows the job, partition by partition */
} nkx_mm_job;

/* What accumulate= means for dst now, with warnings for undefined uses. */
bool nkx_matmul_mode(nkx_issue *is, int dst, int acc, nkx_mm_mode *mode);
bool nkx_check_bank(nkx_issue *is, int i);
/* tile_position and tile_size; operands are arguments 0 (dst), 1 (stationary), 2 (moving). */
bool nkx_check_pe_tile(nkx_issue *is, int pos_arg, int size_arg, bool columns);
double nkx_flop_weight(int gen, nkx_dtype dt);

/* May a transpose of elements of type s on PE have a destination of type d? (isa.md 4.3.1, 4.3.3)
 */
bool nkx_transpose_types(nkx_dtype d, nkx_dtype s);

nkx_mm_job *nkx_mm_lower(nkx_issue *is, int dst, int st, int mv, int rows, nkx_work *out);
/* Turns the job into a copy of bits by a one-hot moving operand. */
void nkx_mm_transpose(nkx_issue *is, nkx_mm_job *j, nkx_work *out);
/* Moves bits: column c of dst is row row[c] (c itself when NULL) of src, m elements. */
void nkx_transpose_move(const nkx_access *dst, const nkx_access *src, const int16_t *row, int32_t n,
                        int32_t m);
/* dst (+)= r, m rows of n fp32 values with pitch ldr, by the job's mode and type; columns from
 * `col`. */
void nkx_mm_write(const nkx_mm_job *j, int64_t col, int64_t n, const float *r, int64_t ldr);

#endif
