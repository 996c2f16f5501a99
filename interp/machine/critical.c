/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Critical chain in windows (critical.h). Layer machine. A window is half the ring, so that a chain
 * can be followed back over the whole of it; a link that has left the ring is charged with the
 * rest.
 */
#include "interp/machine/critical.h"

#include <stdlib.h>

void nkx_critical_fini(nkx_critical *c)
{
    free(c->ring);
    *c = (nkx_critical){0};
}

void nkx_critical_close(nkx_critical *c, nkx_charge_fn charge, void *user)
{
    if (c->ring == NULL || c->end <= c->charged) return;
    const nkx_link *x = &c->ring[c->last % NKX_CRITICAL_RING];
    int64_t t = c->end;
    while (t > c->charged) {
        const nkx_link *before = &c->ring[x->after % NKX_CRITICAL_RING];
        bool more = x->after != 0 && before->id == x->after && x->after < x->id;
        int64_t from = !more || x->began < c->charged ? c->charged : x->began;
        if (from < t) {
            charge(user, x->site, t - from);
            t = from;
        }
        if (!more) break;
        x = before;
    }
    c->charged = c->end;
}

void nkx_critical_add(nkx_critical *c, const nkx_link *x, int64_t end, nkx_charge_fn charge,
                      void *user)
{
    if (c->ring == NULL) {
        c->ring = nkx_alloc(NKX_CRITICAL_RING * sizeof *c->ring);
        c->next_walk = x->id + NKX_CRITICAL_RING / 2;
    }
    if (x->id >= c->next_walk) {
        nkx_critical_close(c, charge, user);
        c->next_walk = x->id + NKX_CRITICAL_RING / 2;
    }
    c->ring[x->id % NKX_CRITICAL_RING] = *x;
    if (end > c->end) {
        c->end = end;
        c->last = x->id;
    }
}
