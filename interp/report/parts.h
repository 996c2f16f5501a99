/* SPDX-License-Identifier: Apache-2.0 */
/* What several reports say in the same way. Private to the report layer. */
#ifndef NKX_REPORT_PARTS_H
#define NKX_REPORT_PARTS_H

#include "interp/report/report.h"

double nkx_share(int64_t part, int64_t whole);      /* 0 when whole is 0 */
void nkx_report_bytes(int64_t bytes, nkx_buf *out); /* "12.3 MiB" */
/* The same, padded on the left to a width. */
void nkx_report_time_in(int64_t ps, int width, nkx_buf *out);
void nkx_report_bytes_in(int64_t bytes, int width, nkx_buf *out);
/* "matmul.nki:62"; "-" for no place. */
void nkx_report_place(nkx_sources *sources, uint32_t source, uint32_t line, nkx_buf *out);
/* Text of a line without the blanks around it; "" for no place. Not NUL-terminated. */
const char *nkx_report_line(nkx_sources *sources, uint32_t source, uint32_t line, size_t *len);
/* Two sentences: model, error, not cycle accurate. */
void nkx_report_model(const nkx_summary *s, nkx_buf *out);

#endif
