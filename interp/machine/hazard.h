/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tracker as memory.c and core.c see it: a log of recent uses of a storage, and what an access
 * must wait for because of them. Private to the machine layer; track.h is what others see.
 */
#ifndef NKX_MACHINE_HAZARD_H
#define NKX_MACHINE_HAZARD_H

#include "interp/machine/cells.h"
#include "interp/machine/exec.h"
#include "interp/machine/past.h"

/* One remembered use: a rectangle of bytes, or fewer when `mod` says so. */
/* A cache line: the log is scanned for every operand. */
typedef struct nkx_use {
    int64_t b0, b1;
    uint32_t r0, r1;
    int32_t mod, rem, width; /* mod > 0: only linear bytes x with x % mod in [rem, rem + width) */
    uint8_t engine;
    bool write;
    int64_t at; /* earliest start of a dependent on another engine */
    uint64_t id;
    nkx_jobs jobs;
} nkx_use;

typedef struct nkx_track {
    nkx_cells cells;
    nkx_use *uses;
    uint32_t n_uses, cap_uses, n_writes;
    bool reported; /* an undefined read was diagnosed: once a storage */
    bool was_read; /* of an input: counted for min_read_bytes */
    bool
        in_place; /* of an input: an instruction wrote it, reads are tracked in full from then on */
    bool clobbered;         /* an overlapping storage was written after this one */
    nkx_storage **overlaps; /* other live storages placed by hand over the same bytes */
    uint32_t n_overlaps, cap_overlaps;
    const char *c_name; /* which one clobbered, and where it was allocated */
    nkx_span c_span;
    uint32_t c_r0, c_r1; /* which part */
    int64_t c_b0, c_b1;
} nkx_track;

/* What an access waits for. */
typedef struct nkx_wait {
    int64_t at; /* earliest start */
    uint64_t id;
    uint8_t kind; /* nkx_event.wait_kind */
} nkx_wait;

/* Jobs an instruction must run after: grows, reused from issue to issue. */
typedef struct nkx_job_list {
    uint64_t *at;
    size_t n, cap;
} nkx_job_list;

void nkx_track_init(nkx_storage *st);
void nkx_track_fini(nkx_storage *st); /* keeps its arrays for the next storage */
/* Looks through earlier uses that conflict with a region. jobs may be NULL. */
void nkx_track_wait(const nkx_region *r, uint8_t engine, nkx_wait *wait, nkx_executor *x,
                    nkx_job_list *jobs);
/* Remembers a use. `at`: earliest start of a dependent; job 0: none. Also updates the cells of
 * writes. */
void nkx_track_use(const nkx_region *r, uint8_t engine, int64_t at, uint64_t id, nkx_executor *x,
                   uint64_t job);
/* False after an error: the operand was never written. Warnings go on. */
NKX_MUST_USE bool nkx_track_check_read(const nkx_region *r, const char *opcode, nkx_span span);
/* What the next owner of the bytes must know. */
void nkx_track_past(const nkx_storage *st, nkx_executor *x, nkx_past *past);
/* The reverse: a fresh storage waits for the users before it. */
void nkx_track_inherit(nkx_storage *st, const nkx_past *past);

#endif
