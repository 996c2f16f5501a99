/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What instructions leave in a core besides memory: accumulators of ACT and DVE (isa.md 2.6) and
 * the random generators (isa.md 4.7). Layer isa. Jobs that touch them are ordered by the executor's
 * engine order or run alone; see the instructions concerned.
 */
#include "interp/isa/row.h"

#include "interp/num/rng.h"

#include <stdlib.h>

static void state_free(void *p)
{
    free(p);
}

/* Any fixed start will do: streams of the hardware are not documented (isa.md 4.7). */
static void seed_all(nkx_isa_state *s)
{
    nkx_xorwow g;
    for (uint32_t p = 0; p < 128; p++) {
        for (uint32_t k = 0; k < 4; k++) {
            nkx_xorwow_seed(&g, 0x5eedu + p * 4 + k);
            uint32_t w[6] = {g.x, g.y, g.z, g.w, g.v, g.d};
            for (uint32_t i = 0; i < 6; i++) s->rng_dve[p][k * 6 + i] = w[i];
        }
        for (uint32_t i = 0; i < 6; i++) s->rng_pool[p][i] = s->rng_dve[p][i] ^ 0x9e3779b9u;
    }
}

nkx_isa_state *nkx_isa_state_of(nkx_core *core)
{
    nkx_layer_slot *slot = nkx_tensor_isa_slot(core);
    if (slot->at == NULL) {
        slot->at = nkx_alloc(sizeof(nkx_isa_state));
        slot->fini = state_free;
        seed_all(slot->at);
    }
    return slot->at;
}
