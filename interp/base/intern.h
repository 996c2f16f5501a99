/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interned names: equal text has one address, so names compare by pointer. A table belongs to a
 * runtime and lives as long as it. Each name has a small dense id, fit to index arrays by.
 */
#ifndef NKX_BASE_INTERN_H
#define NKX_BASE_INTERN_H

#include "interp/base/alloc.h"

typedef struct nkx_name {
    uint32_t id;   /* 0, 1, 2, ... in order of first use */
    uint32_t hash; /* of the text */
    uint32_t len;
    char text[]; /* NUL-terminated UTF-8 */
} nkx_name;

typedef struct nkx_names nkx_names;

nkx_names *nkx_names_new(void);
void nkx_names_free(nkx_names *t);
const nkx_name *nkx_names_get(nkx_names *t, const char *text, size_t len); /* adds if absent */
const nkx_name *nkx_names_find(const nkx_names *t, const char *text, size_t len); /* or NULL */
size_t nkx_names_count(const nkx_names *t);

#endif
