/* SPDX-License-Identifier: Apache-2.0 */
/* Insides of nkx_memory, shared by memory.c, place.c and memory_table.c. Private to the machine
 * layer. */
#ifndef NKX_MACHINE_MEMORY_PRIVATE_H
#define NKX_MACHINE_MEMORY_PRIVATE_H

#include "interp/machine/freelist.h"
#include "interp/machine/hazard.h"

/* A storage with what only this layer needs. */
typedef struct nkx_holder {
    nkx_storage st; /* first: a storage is its holder */
    nkx_track track;
    struct nkx_holder *prev,
        *next;  /* live storages of the space, oldest first; next also links spare ones */
    void *host; /* HBM: block of nkx_pages_new, owned */
    size_t host_bytes;
    bool outside;     /* found no room and was allowed to go without */
    int64_t held;     /* on chip: bytes of a partition taken, whole banks in PSUM */
    nkx_piece *piece; /* placed by the allocator: its bytes */
    char type_text[48];
} nkx_holder;

typedef struct nkx_room { /* one of the memories */
    uint8_t *base;        /* on chip, with data: the array */
    size_t mapped;
    int64_t pitch, usable, physical; /* bytes of a partition */
    int64_t touched;                 /* bytes of a partition that a tile ever held */
    nkx_freelist free;
    nkx_holder *first, *last;
    int64_t used, peak, capacity;
    size_t n, n_manual;
} nkx_room;

struct nkx_memory {
    nkx_core *core;
    nkx_room rooms[NKX_SPACE_HBM + 1]; /* both kinds of HBM share one */
    nkx_holder *spare;
    uint64_t serial;
};

static inline nkx_room *nkx_room_of(nkx_memory *m, nkx_space s)
{
    return &m->rooms[s > NKX_SPACE_HBM ? NKX_SPACE_HBM : s];
}

static inline nkx_pool *nkx_memory_pool(const nkx_memory *m)
{
    return m->core->arrays != NULL ? m->core->arrays->pool : NULL;
}

/* "'acc' float32[128,512]", as far as known: for messages. Into the diagnostics' arena. */
const char *nkx_holder_text(const nkx_holder *h);

/* Placement on chip (place.c): fills part0, offset and held of h, and its past into *past. */
NKX_MUST_USE bool nkx_place_auto(nkx_memory *m, nkx_holder *h, nkx_past *past);
NKX_MUST_USE bool nkx_place_manual(nkx_memory *m, nkx_holder *h, nkx_place at, nkx_past *past);
void nkx_place_release(nkx_memory *m, nkx_holder *h);
void nkx_place_address(nkx_memory *m, nkx_holder *h); /* host address from part0 and offset */

#endif
