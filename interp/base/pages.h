/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks for tensors and arrays. Small ones come from the heap; large ones are mapped on their own
 * and backed by large pages where the system has them: the first touch of a page costs more than
 * the work that a kernel does on it. For the same reason a pool keeps some large blocks for the
 * next tensor of their size. A pool is counted: its blocks may outlive who made it. Not for
 * several threads at once.
 */
#ifndef NKX_BASE_PAGES_H
#define NKX_BASE_PAGES_H

#include "interp/base/attr.h"

typedef struct nkx_pool nkx_pool;
nkx_pool *nkx_pool_new(void);
nkx_pool *nkx_pool_ref(nkx_pool *p); /* itself; NULL stays NULL */
void nkx_pool_drop(nkx_pool *p);

/*
 * Zeroed bytes, at a place fit for any type; NULL when there are none. Freed with the same size and
 * pool. Pool NULL: nothing is kept.
 */
void *nkx_pages_new(nkx_pool *p, size_t bytes);
void nkx_pages_free(nkx_pool *p, void *at, size_t bytes);

#endif
