/* SPDX-License-Identifier: Apache-2.0 */
/* Heap blocks, mapped blocks and pools of them (pages.h). Layer base. */
#include "interp/base/pages.h"
#include "interp/base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    LARGE_PAGE = 2 << 20, /* on x86-64 and most of arm64 */
    LEAST_MAPPED = 2 * LARGE_PAGE,
    MOST_KEPT = 64 << 20, /* bytes, of all blocks of a pool */
    KEPT_BLOCKS = 8,
};

struct nkx_pool {
    uint32_t refs, n;
    size_t kept; /* bytes */
    struct {
        void *at;
        size_t size;
    } blocks[KEPT_BLOCKS];
};

/* ---- mapped blocks ---- */

static size_t mapped_size(size_t bytes)
{
    return (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

/* Address space is cheap: a page too much is mapped, so that the rest begins at a large page. */
static void *map(size_t size)
{
    uint8_t *p =
        mmap(NULL, size + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    size_t skew = (size_t)(-(uintptr_t)p % LARGE_PAGE);
    if (skew > 0) munmap(p, skew);
    munmap(p + skew + size, LARGE_PAGE - skew);
#ifdef MADV_HUGEPAGE
    (void)madvise(p + skew, size, MADV_HUGEPAGE);
#endif
    return p + skew;
}

/* ---- pools ---- */

nkx_pool *nkx_pool_new(void)
{
    nkx_pool *p = nkx_alloc(sizeof *p);
    p->refs = 1;
    return p;
}

nkx_pool *nkx_pool_ref(nkx_pool *p)
{
    if (p != NULL) p->refs++;
    return p;
}

void nkx_pool_drop(nkx_pool *p)
{
    if (p == NULL || --p->refs > 0) return;
    for (uint32_t i = 0; i < p->n; i++) munmap(p->blocks[i].at, p->blocks[i].size);
    free(p);
}

static void *take_kept(nkx_pool *p, size_t size)
{
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->blocks[i].size != size) continue;
        void *at = p->blocks[i].at;
        p->blocks[i] = p->blocks[--p->n];
        p->kept -= size;
        return memset(at, 0, size);
    }
    return NULL;
}

static bool keep(nkx_pool *p, void *at, size_t size)
{
    if (p->n == KEPT_BLOCKS || size > MOST_KEPT - p->kept) return false;
    p->blocks[p->n].at = at;
    p->blocks[p->n++].size = size;
    p->kept += size;
    return true;
}

/* ---- blocks ---- */

void *nkx_pages_new(nkx_pool *p, size_t bytes)
{
    if (bytes < LEAST_MAPPED) return calloc(1, bytes > 0 ? bytes : 1);
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t size = mapped_size(bytes);
    void *at = p != NULL ? take_kept(p, size) : NULL;
    return at != NULL ? at : map(size);
}

void nkx_pages_free(nkx_pool *p, void *at, size_t bytes)
{
    if (at == NULL || bytes < LEAST_MAPPED) {
        free(at);
    } else if (p == NULL || !keep(p, at, mapped_size(bytes))) {
        munmap(at, mapped_size(bytes));
    }
}
