/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers (isa.md 4.9) as far as they touch memory: register_load and register_store. They are
 * not queued: the metaprogram goes on with the value, so a load waits until it is there. Layer isa.
 */
#include "interp/isa/row.h"

#include <string.h>

static bool one_element(nkx_core *core, const nkx_view *v, const char *what, nkx_span span)
{
    bool place = v->st->space != NKX_SPACE_PSUM,
         type = nkx_dtypes[v->dtype].cls != NKX_CLASS_PACKED;
    if (nkx_view_size(v) == 1 && place && type) return true;
    nkx_diag *g = nkx_diag_add(core->diags, NKX_E567, span, "%s of %s in %s", what,
                               nkx_type_text(core, v->ndim, v->shape, (nkx_dtype)v->dtype),
                               nkx_space_name((nkx_space)v->st->space));
    nkx_diag_hint(core->diags, g, "Registers hold one element of up to 32 bits, in HBM or SBUF.");
    return !nkx_diag_stops(g) && nkx_view_size(v) >= 1 && type;
}

static void nothing(const void *arg)
{
    (void)arg;
}

/* A sequencer instruction that reads or writes the element. */
static bool issue(nkx_core *core, const nkx_view *v, bool write, const char *opcode, nkx_span span,
                  uint32_t function)
{
    nkx_region regions[2];
    size_t n = 1;
    nkx_view_region(v, write, write ? "dst" : "src", &regions[0]);
    if (v->index != NULL) nkx_view_region(v->index, false, "index", &regions[n++]);
    nkx_op op = {.opcode = opcode,
                 .span = span,
                 .function = function,
                 .engine = NKX_SP,
                 .regions = regions,
                 .n_regions = n};
    op.cost.cls = NKX_COST_SEQ;
    op.cost.queue_engine = NKX_N_ENGINES;
    op.cost.act_function = -1;
    op.cost.perf_mode = 1;
    nkx_work work = {.run = nothing};
    return nkx_core_issue(core, &op, &work, NULL);
}

/* The view with a dynamic index read, or itself (one more reference). NULL after a diagnostic. */
static nkx_view *resolved(nkx_core *core, nkx_view *v, nkx_span span)
{
    bool known, oob;
    int64_t index;
    if (!nkx_view_in_bounds(v, span)) return NULL;
    if (v->indirect != NKX_IND_SCALAR) return nkx_view_ref(v);
    nkx_core_flush(core);
    nkx_view *w = nkx_view_resolve(v, &known, &oob, &index);
    if (oob && nkx_diag_stops(nkx_diag_add(core->diags, NKX_E512, span,
                                           "index %lld is out of bounds for an axis with size %lld",
                                           (long long)index, (long long)v->ind_extent))) {
        nkx_view_drop(w);
        return NULL;
    }
    return w;
}

/* Integers are extended by their type, floats move their bits (isa.md 4.9). */
static int64_t element_bits(nkx_dtype t, const uint8_t *at)
{
    if (nkx_dtype_is_int(t)) return nkx_load_i64(t, at);
    uint32_t bits = 0;
    memcpy(&bits, at, (size_t)nkx_dtype_bytes(t));
    return (int64_t)bits;
}

bool nkx_isa_register_load(nkx_core *core, nkx_register *dst, nkx_view *src, nkx_span span,
                           uint32_t function)
{
    nkx_access a;
    if (!one_element(core, src, "register_load", span)) return false;
    nkx_view *v = resolved(core, src, span);
    if (v == NULL) return false;
    bool ok = issue(core, v, false, "register_load", span, function);
    dst->init = true;
    dst->known = ok && core->modes.exec && v->st->base != NULL;
    if (dst->known) {
        nkx_core_flush(core);
        nkx_view_access_flat(v, 0, &a);
        dst->value = element_bits((nkx_dtype)a.dtype, a.base);
    }
    nkx_view_drop(v);
    return ok;
}

bool nkx_isa_register_store(nkx_core *core, nkx_view *dst, nkx_register *src, nkx_span span,
                            uint32_t function)
{
    nkx_access a;
    if (!one_element(core, dst, "register_store", span)) return false;
    nkx_view *v = resolved(core, dst, span);
    if (v == NULL) return false;
    bool ok = issue(core, v, true, "register_store", span, function);
    if (ok && core->modes.exec && src->known) {
        nkx_core_flush(core);
        nkx_view_access_flat(v, 0, &a);
        uint64_t bits = (uint64_t)src->value;
        memcpy(a.base, &bits, (size_t)a.elem_bytes);
    }
    nkx_view_drop(v);
    return ok;
}
