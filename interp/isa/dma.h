/* SPDX-License-Identifier: Apache-2.0 */
/* What the DMA instructions share: streams of elements with gathered rows, their checks and costs.
 * Inside isa only. */
#ifndef NKX_ISA_DMA_H
#define NKX_ISA_DMA_H

#include "interp/isa/row.h"

/* Elements of a view in view order. Gathered views: rows of `row_len` elements at byte offsets of
 * their own. */
typedef struct nkx_stream {
    nkx_access a; /* of everything, or of one row at row number 0 */
    int64_t rows; /* 0: not gathered */
    int64_t row_len;
    int64_t first; /* of its offsets among those behind the job */
} nkx_stream;

#define NKX_ROW_SKIPPED INT64_MIN

/* Argument i is, or holds, a gathered view: its row count, else 0. */
int64_t nkx_stream_rows(const nkx_view *v);
/* Lowers v; offsets of gathered rows go to offs[*n_offs...]. Reads the index: flush before. False
 * after a diagnostic. */
bool nkx_stream_lower(nkx_issue *is, int arg, const nkx_view *v, bool skip, nkx_stream *s,
                      int64_t *offs, int64_t *n_offs);
/* Access of row r of a gathered stream; false when it is skipped. */
bool nkx_stream_row(const nkx_stream *s, const int64_t *offs, int64_t r, nkx_access *out);

bool nkx_stream_check(nkx_issue *is, int arg, const nkx_view *v); /* enough indices for the rows */
bool nkx_dma_priority_ok(nkx_issue *is, int i);
/* dge_mode i against what the form allows (bits 1 << mode). */
bool nkx_dma_mode_ok(nkx_issue *is, int i, unsigned allowed, const char *why);
void nkx_dma_cost(const nkx_view *dst, const nkx_view *src, int mode, nkx_cost *out);
bool nkx_dma_skip(const nkx_issue *is, int oob);

#endif
