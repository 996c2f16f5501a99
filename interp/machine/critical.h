/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the run waited for: every moment of it is charged to one instruction, along a chain from the
 * last to end back through what each had to wait for. Charges are made in windows as the stream
 * goes by, so memory stays bounded; they add up to the length of the run. Private to the machine
 * layer.
 */
#ifndef NKX_MACHINE_CRITICAL_H
#define NKX_MACHINE_CRITICAL_H

#include "interp/base/alloc.h"

enum { NKX_CRITICAL_RING = 1 << 13 };

typedef struct nkx_link {
    uint64_t id, after; /* after: whose end, or turn on an engine, it started from; 0: none */
    int64_t began;      /* when it could start */
    uint32_t site;
} nkx_link;

typedef struct nkx_critical {
    nkx_link *ring;  /* by id; made on first use */
    int64_t charged; /* up to here */
    int64_t end;     /* latest end so far, and whose */
    uint64_t last;
    uint64_t next_walk; /* id at which a window ends */
} nkx_critical;

typedef void (*nkx_charge_fn)(void *user, uint32_t site, int64_t time);

void nkx_critical_fini(nkx_critical *c);
void nkx_critical_add(nkx_critical *c, const nkx_link *x, int64_t end, nkx_charge_fn charge,
                      void *user);
/* Charges what is left up to the latest end. */
void nkx_critical_close(nkx_critical *c, nkx_charge_fn charge, void *user);

#endif
