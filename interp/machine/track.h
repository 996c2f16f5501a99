/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of the bytes of a storage: were they written (undefined reads), what did PE do to
 * them (PSUM accumulate state, isa.md 4.3.1), and who used them last (hazards: for the timeline
 * and for the executor). Kept as few rectangles (rows x bytes); whole-tile rewrites merge them. A
 * written-state that is not a rectangle (strided writes) falls back to a bitmap made on demand.
 * Storages that overlap by manual placement, and storages that reuse freed bytes, see each
 * other's accesses.
 */
#ifndef NKX_MACHINE_TRACK_H
#define NKX_MACHINE_TRACK_H

#include "interp/machine/memory.h"

#define NKX_REGION_DIMS 8

/* The bytes an operand touches: a rectangle, and the exact pattern when that is less than all of
 * it. */
typedef struct nkx_region {
    nkx_storage *st;
    uint32_t r0, r1; /* rows, half-open */
    int64_t b0, b1;  /* bytes inside a row, half-open */
    bool exact;      /* every byte of the rectangle is touched */
    bool write;
    bool by_pe;      /* written by PE (accumulate state) */
    bool partial_ok; /* reading unwritten elements is let pass (junk lanes, isa.md 4.0.2) */
    uint8_t ndim;    /* pattern in virtual linear bytes: elem_bytes at first + sum(i * step) */
    int32_t elem_bytes;
    int64_t first;
    int64_t count[NKX_REGION_DIMS], step[NKX_REGION_DIMS];
    const char *param; /* name of the operand: for messages */
} nkx_region;

typedef enum nkx_pe_state { NKX_PE_UNINIT, NKX_PE_VALUE, NKX_PE_ACCUM, NKX_PE_MIXED } nkx_pe_state;
/* State of a region of a PSUM storage before an access. MIXED: differs by element; see next. */
nkx_pe_state nkx_track_pe_state(const nkx_region *r);
/* Does an element of the region stand in this state (not MIXED)? */
bool nkx_track_pe_any(const nkx_region *r, nkx_pe_state state);
/* Per-element states of a region in pattern order, one byte each (nkx_pe_state), for MIXED. */
void nkx_track_pe_states(const nkx_region *r, uint8_t *out, int64_t n);
/* Number of unwritten elements of a region; *first_index: index of the first one in pattern order.
 */
int64_t nkx_track_unwritten(const nkx_region *r, int64_t *first_index);
/* Marks written without an instruction (arguments, host fills). */
void nkx_track_mark(const nkx_region *r);
bool nkx_track_any_written(const nkx_storage *st);

#endif
