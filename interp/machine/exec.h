/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the numbers of instructions, independent ones on several threads. Jobs are queued with the
 * jobs they must wait for; a batch runs when it is full or flushed, and the caller works too.
 * Every job computes the same bits whatever thread or order; only order constraints matter.
 */
#ifndef NKX_MACHINE_EXEC_H
#define NKX_MACHINE_EXEC_H

#include "interp/machine/core.h"

typedef struct nkx_executor nkx_executor;

nkx_executor *nkx_executor_new(int threads);
void          nkx_executor_free(nkx_executor *x);
/* Queues work after the given jobs (ids of earlier nkx_executor_add calls; finished ones are ignored). */
uint64_t nkx_executor_add(nkx_executor *x, const nkx_work *w, const uint64_t *after, size_t n_after);
uint64_t nkx_executor_batch(const nkx_executor *x); /* first id of the batch being filled: older ids are done */
void     nkx_executor_flush(nkx_executor *x);
/* Frees host memory once no queued job can touch it. */
void nkx_executor_free_later(nkx_executor *x, void *p);

#endif
