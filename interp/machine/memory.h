/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HBM, SBUF and PSUM. SBUF and PSUM are real arrays at target size, partition-major with a pitch
 * of (partition bytes + 64); a storage is a rectangle in them (or a block of host memory for HBM).
 * Manually placed storages may overlap: they alias because they are the same bytes.
 *
 * A storage is counted: nkx_storage_ref/drop. Its on-chip bytes return to the allocator when the
 * last reference goes (program order decides, never the progress of execution). The allocator
 * hands out the piece that has been idle longest, joining neighbours when one is too small
 * (timing.md 6.2), so that results and times never depend on host addresses.
 */
#ifndef NKX_MACHINE_MEMORY_H
#define NKX_MACHINE_MEMORY_H

#include "interp/base/pages.h"
#include "interp/machine/config.h"

typedef enum nkx_space {
    NKX_SPACE_SBUF,
    NKX_SPACE_PSUM,
    NKX_SPACE_HBM,
    NKX_SPACE_SHARED_HBM,
    NKX_N_SPACES
} nkx_space;
static inline bool nkx_space_on_chip(nkx_space s)
{
    return s <= NKX_SPACE_PSUM;
}
const char *nkx_space_name(nkx_space s); /* "sbuf", "psum", "private_hbm", "shared_hbm" */

/*
 * The arrays of SBUF and PSUM and the blocks of HBM tensors, kept from one core for the next:
 * making them costs more than a small kernel. For whoever makes cores.
 */
typedef struct nkx_arrays {
    struct {
        uint8_t *base; /* NULL: none kept */
        size_t mapped;
        int64_t pitch, touched; /* host bytes of a partition; how many of them may not be zero */
    } at[2];                    /* by nkx_space */
    nkx_pool *pool;
} nkx_arrays;
void nkx_arrays_init(nkx_arrays *a);
void nkx_arrays_fini(nkx_arrays *a);

typedef struct nkx_memory nkx_memory; /* of one core */
typedef struct nkx_core nkx_core;

/*
 * Bytes are addressed by a virtual linear address L: row L / row_bytes, byte L % row_bytes. Rows
 * are partitions on chip; for HBM a row is one innermost run of the tensor's own shape (so that
 * column blocks of a matrix are rectangles). Host address: base + row * pitch + byte.
 */
typedef struct nkx_storage {
    uint32_t refs;
    uint8_t space;            /* nkx_space */
    bool manual;              /* placed by address= */
    bool is_input, is_output; /* kernel argument; returned or written argument */
    bool external;            /* HBM bytes belong to somebody else (argument arrays) */
    uint8_t *base;            /* NULL when the run holds no data (check, --no-data) */
    int64_t pitch;            /* host bytes between rows */
    uint32_t part0, rows;     /* on chip: start partition and count; HBM: 0 and row count */
    uint32_t offset;          /* on chip: byte offset in the partition */
    int64_t row_bytes, bytes; /* bytes = rows * row_bytes */
    nkx_span span;            /* where it was allocated */
    const char *name;         /* name= or the variable it was first bound to; "". Borrowed */
    bool by_variable;         /* the name is a variable's */
    const char
        *type_text; /* "bfloat16[128,512]": for tables of who holds what; a copy, cut at 47 bytes */
    uint64_t serial; /* order of allocation */
    nkx_core *core;
    struct nkx_track *track; /* written state and hazards (track.h) */
} nkx_storage;

typedef struct nkx_place { /* address=(partition, byte offset) */
    bool given;
    int64_t partition, offset;
} nkx_place;

/*
 * Allocates. `rows` partitions of `row_bytes` each on chip; HBM: rows * row_bytes bytes. Diagnoses:
 * over capacity (with the table of who holds what), more than 128 partitions, PSUM tile over a
 * bank, address outside memory, PSUM address not on a bank boundary. Owned by the caller.
 */
NKX_MUST_USE bool nkx_storage_new(nkx_core *core, nkx_space space, int64_t rows, int64_t row_bytes,
                                  nkx_place at, nkx_span span, const char *name,
                                  const char *type_text, nkx_storage **out);
/* HBM storage over the caller's bytes, which must outlive it. An input: every byte counts as
 * written. */
nkx_storage *nkx_storage_external(nkx_core *core, void *bytes, int64_t rows, int64_t row_bytes,
                                  nkx_span span, const char *name, const char *type_text);
void nkx_storage_free(nkx_storage *s); /* when refs reach 0; called by drop */
/*
 * The bytes of an HBM storage that nobody will look at again, for the caller to free with
 * nkx_pages_free(pool, at, st->bytes); NULL when they are not its own or not as the type says.
 */
void *nkx_storage_take_bytes(nkx_storage *s);
static inline nkx_storage *nkx_storage_ref(nkx_storage *s)
{
    s->refs++;
    return s;
}
static inline void nkx_storage_drop(nkx_storage *s)
{
    if (s != NULL && --s->refs == 0) nkx_storage_free(s);
}

nkx_memory *nkx_memory_new(nkx_core *core);
void nkx_memory_free(nkx_memory *m);
/* For `:mem`, capacity errors and reports. */
typedef struct nkx_mem_use {
    int64_t used, peak, capacity; /* bytes per partition on chip; bytes for HBM */
    int64_t free_run;             /* longest free run: what the next tile can have */
    size_t n_storages;
} nkx_mem_use;
void nkx_memory_use(const nkx_memory *m, nkx_space space, nkx_mem_use *out);
/* Used bytes alone: cheap. */
int64_t nkx_memory_level(const nkx_memory *m, nkx_space space);
/* Table of live storages of a space, largest first: name, type, address, bytes, line. */
void nkx_memory_table(const nkx_memory *m, nkx_space space, nkx_buf *out);

#endif
