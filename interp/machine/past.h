/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who used a piece of memory last: for each engine the earliest start that it leaves to a
 * successor on another engine, and the queued jobs that still touch the bytes. Freed bytes carry
 * this to whoever gets them next (timing.md 6.2, reuse rule). Private to the machine layer.
 */
#ifndef NKX_MACHINE_PAST_H
#define NKX_MACHINE_PAST_H

#include "interp/machine/core.h"

/* A list of queued jobs. Lists live in the executor until its batch has run; older ones are empty.
 */
typedef struct nkx_jobs {
    uint32_t batch; /* counts the batches of the executor */
    uint32_t head;  /* 0: empty */
} nkx_jobs;

typedef struct nkx_past {
    int64_t at[NKX_N_ENGINES];  /* picoseconds; 0: never used */
    uint64_t id[NKX_N_ENGINES]; /* instruction that set it */
    nkx_jobs jobs;
} nkx_past;

struct nkx_executor;
/* Adds what `from` knows to `to`. The executor may be NULL. */
void nkx_past_join(struct nkx_executor *x, nkx_past *to, const nkx_past *from);

#endif
