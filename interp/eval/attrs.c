/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes by name, in order of creation: instances, classes, modules. Up to eight are searched
 * in a row; more get a hash of positions. Layer eval.
 */
#include "interp/eval/vm.h"

#include <stdlib.h>
#include <string.h>

enum { SEARCHED = 8 };

void nkx_attrs_fini(nkx_attrs *a)
{
    nkx_attrs old = *a;
    *a = (nkx_attrs){0};
    for (uint32_t i = 0; i < old.n; i++) nkx_drop(old.values[i]);
    free((void *)old.names);
    free(old.values);
    free(old.index);
}

/* The place of the name in the hash, or the free one where it belongs. */
static uint32_t probe(const nkx_attrs *a, const nkx_name *name)
{
    uint32_t mask = a->n_index - 1, i = (name->id * 2654435769u) & mask;
    while (a->index[i] != 0 && a->names[a->index[i] - 1] != name) i = (i + 1) & mask;
    return i;
}

uint32_t nkx_attrs_find(const nkx_attrs *a, const nkx_name *name)
{
    if (a->index != NULL) {
        uint32_t at = a->index[probe(a, name)];
        return at == 0 ? UINT32_MAX : at - 1;
    }
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->names[i] == name) return i;
    }
    return UINT32_MAX;
}

static void rehash(nkx_attrs *a)
{
    free(a->index);
    a->n_index = 32;
    while (a->n_index < a->cap * 2) a->n_index *= 2;
    a->index = nkx_alloc(a->n_index * sizeof *a->index);
    for (uint32_t i = 0; i < a->n; i++) a->index[probe(a, a->names[i])] = i + 1;
}

uint32_t nkx_attrs_slot(nkx_attrs *a, const nkx_name *name)
{
    uint32_t i = nkx_attrs_find(a, name);
    if (i != UINT32_MAX) return i;
    if (a->n == a->cap) {
        a->cap = a->cap == 0 ? 4 : a->cap * 2;
        a->names = nkx_realloc((void *)a->names, a->cap * sizeof *a->names);
        a->values = nkx_realloc(a->values, a->cap * sizeof *a->values);
        if (a->cap > SEARCHED) rehash(a);
    }
    a->names[a->n] = name;
    a->values[a->n] = NKX_UNSET;
    if (a->index != NULL) a->index[probe(a, name)] = a->n + 1;
    return a->n++;
}

void nkx_attrs_set(nkx_attrs *a, const nkx_name *name, nkx_value v)
{
    uint32_t i = nkx_attrs_slot(a, name);
    nkx_value old = a->values[i];
    a->values[i] = nkx_ref(v);
    nkx_drop(old);
}
