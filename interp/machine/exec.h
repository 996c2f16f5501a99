/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the numbers of instructions, independent ones on several threads. Jobs are queued with the
 * jobs they must wait for; a batch runs when it is full or flushed, and the caller works too.
 * Every job computes the same bits whatever thread or order; only order constraints matter.
 *
 * Jobs with an equal fuse key join into one unit when no job queued in between waits for the
 * earlier ones: a chain of matmuls into one tile then runs as one product. What is joined depends
 * on the stream of instructions alone, never on threads or timing, so results do not either.
 */
#ifndef NKX_MACHINE_EXEC_H
#define NKX_MACHINE_EXEC_H

#include "interp/machine/core.h"
#include "interp/machine/past.h"

typedef struct nkx_executor nkx_executor;

nkx_executor *nkx_executor_new(int threads); /* 0: one for each processor */
void nkx_executor_free(nkx_executor *x);     /* runs what is queued first */
/* Queues work after the given jobs (ids of earlier nkx_executor_add calls; finished ones are
 * ignored). */
uint64_t nkx_executor_add(nkx_executor *x, const nkx_work *w, const uint64_t *after,
                          size_t n_after);
/* First id of the batch being filled: older ids are done. Ids begin at 1. */
uint64_t nkx_executor_batch(const nkx_executor *x);
/* True when the batch must be flushed before the next add. */
bool nkx_executor_full(const nkx_executor *x);
void nkx_executor_flush(nkx_executor *x);
/* Frees a block of nkx_pages_new once no queued job can touch it. */
void nkx_executor_free_later(nkx_executor *x, nkx_pool *pool, void *p, size_t bytes);
int nkx_executor_threads(const nkx_executor *x);

/* Lists of jobs of the batch being filled. */
void nkx_jobs_add(nkx_executor *x, nkx_jobs *list, uint64_t job);
void nkx_jobs_join(nkx_executor *x, nkx_jobs *to, const nkx_jobs *from);
/* Puts one job that waits for all in the place of a long list. */
void nkx_jobs_gather(nkx_executor *x, nkx_jobs *list);
/* First node of a list, 0 when it is empty or its batch has run; next node; job of a node. */
uint32_t nkx_jobs_first(const nkx_executor *x, const nkx_jobs *list);
uint32_t nkx_jobs_next(const nkx_executor *x, uint32_t node);
uint64_t nkx_jobs_at(const nkx_executor *x, uint32_t node);

#endif
