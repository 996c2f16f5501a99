/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source texts and places in them. A span is a half-open byte range of one source; lines and
 * columns are computed only when shown. Source 0 means "no place". Columns count characters.
 */
#ifndef NKX_BASE_SOURCE_H
#define NKX_BASE_SOURCE_H

#include "interp/base/alloc.h"

typedef struct nkx_span {
    uint32_t source, begin, end;
} nkx_span;

typedef struct nkx_source {
    uint32_t id;
    char *path; /* as shown to the user */
    char *text; /* NUL-terminated; len excludes the NUL */
    size_t len;
    uint32_t *line_starts; /* made on first use */
    size_t n_lines;
} nkx_source;

typedef struct nkx_sources nkx_sources;

nkx_sources *nkx_sources_new(void);
void nkx_sources_free(nkx_sources *s);
const nkx_source *nkx_sources_add(nkx_sources *s, const char *path, const char *text,
                                  size_t len);                        /* copies */
const nkx_source *nkx_sources_get(const nkx_sources *s, uint32_t id); /* NULL for 0 or unknown */
/* Line and column, both from 1. */
void nkx_source_locate(nkx_sources *s, uint32_t id, uint32_t offset, uint32_t *line, uint32_t *col);
/* Text of a line (from 1) without its end; valid as long as the source. */
const char *nkx_source_line(nkx_sources *s, uint32_t id, uint32_t line, size_t *len);

static inline nkx_span nkx_span_join(nkx_span a, nkx_span b)
{
    return (nkx_span){a.source, a.begin < b.begin ? a.begin : b.begin,
                      a.end > b.end ? a.end : b.end};
}

#endif
