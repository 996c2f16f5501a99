/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of every byte of a storage: never written, written, or written by PE (accumulate state,
 * isa.md 4.3.1). Kept as bands of rows with equal content, each a list of byte runs: exact for any
 * pattern, and one word in the usual case that the whole storage is in one state. Private to the
 * machine layer.
 */
#ifndef NKX_MACHINE_CELLS_H
#define NKX_MACHINE_CELLS_H

#include "interp/machine/track.h"

typedef struct nkx_run {
    int64_t end; /* byte past the run; it begins where the one before ends */
    uint8_t state;
} nkx_run;

typedef struct nkx_band {
    uint32_t r0, r1;
    uint32_t n, cap;
    nkx_run *runs;
} nkx_band;

/* State sets, as answered by queries: bits 1 << nkx_pe_state. */
#define NKX_CELL(state) (1u << (state))

typedef struct nkx_cells {
    uint8_t all; /* nkx_pe_state of every byte; NKX_PE_MIXED: see bands */
    uint32_t rows;
    int64_t row_bytes;
    uint32_t n, cap;
    nkx_band *bands; /* cover all rows in order, neighbours differ */
    nkx_run *spare;  /* run array that the next change writes to */
    uint32_t spare_cap;
} nkx_cells;

void nkx_cells_init(nkx_cells *c, uint32_t rows,
                    int64_t row_bytes); /* keeps room of an earlier use */
void nkx_cells_fini(nkx_cells *c);
void nkx_cells_set(nkx_cells *c, const nkx_region *r, nkx_pe_state state);
/* Set of the states that occur in a region. */
unsigned nkx_cells_query(const nkx_cells *c, const nkx_region *r);
/* States that occur in bytes [b0, b1) of a row. */
unsigned nkx_cells_query_row(const nkx_cells *c, uint32_t row, int64_t b0, int64_t b1);

#endif
