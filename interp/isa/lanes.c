/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of lanes: integer bits, operators with their operand orders, accumulators. Layer isa. */
#include "interp/isa/lanes.h"

#include <stdatomic.h>
#include <string.h>

void nkx_bits_in(const nkx_access *a, uint32_t p, int64_t first, int64_t n, uint32_t *dst)
{
    union {
        uint32_t *bits;
        int32_t *lanes;
    } to = {.bits = dst};
    nkx_access_load_i32(a, p, first, n, to.lanes);
    if (a->elem_bytes == 4) return;
    uint32_t mask = a->elem_bytes == 1 ? 0xffu : 0xffffu;
    for (int64_t i = 0; i < n; i++) dst[i] &= mask;
}

void nkx_bits_out(const nkx_access *a, uint32_t p, int64_t first, int64_t n, const uint32_t *src)
{
    union {
        const uint32_t *bits;
        const int32_t *lanes;
    } from = {.bits = src};
    nkx_access_store_i32(a, p, first, n, from.lanes);
}

void nkx_alu_scalar(nkx_alu op, bool reverse, float *dst, const float *x, float s, int64_t n)
{
    const nkx_alu_row *r = &nkx_alu_rows[op];
    if (r->flags & NKX_OPF_UNARY) {
        r->unary(dst, x, n);
    } else if (reverse) {
        r->s_binary(dst, s, x, n);
    } else {
        r->binary_s(dst, x, s, n);
    }
}

void nkx_alu_rows2(nkx_alu op, bool reverse, float *dst, const float *x, const float *y, int64_t n)
{
    const nkx_alu_row *r = &nkx_alu_rows[op];
    if (r->flags & NKX_OPF_UNARY) {
        r->unary(dst, x, n);
    } else if (reverse) {
        r->binary(dst, y, x, n);
    } else {
        r->binary(dst, x, y, n);
    }
}

/* ---- accumulators ---- */

void nkx_acc_lower(nkx_issue *is, const nkx_view *lanes, bool carry, float identity, nkx_acc *out)
{
    nkx_isa_state *s = nkx_isa_state_of(is->core);
    bool act = is->engine == NKX_ACT;
    int64_t f = lanes->st->row_bytes / nkx_dtype_bytes((nkx_dtype)lanes->dtype);
    out->home = act ? s->acc_act : s->acc_dve;
    out->turn = act ? s->turn_act : s->turn_dve;
    out->part0 = (uint32_t)(lanes->st->part0 + lanes->offset / f) & 127u;
    out->n = (uint32_t)lanes->shape[0];
    out->seq = ++s->turns;
    out->keep = true;
    if (carry) nkx_core_flush(is->core);
    for (uint32_t p = 0; p < out->n; p++) {
        out->start[p] = carry ? out->home[(out->part0 + p) & 127u] : identity;
    }
}

/*
 * Independent jobs may end in any order: the register keeps the value of the last one in program
 * order. One lock for all lanes of all cores would do; this is one for each lane.
 */
void nkx_acc_done(const nkx_acc *a, uint32_t lane, float value)
{
    uint32_t p = (a->part0 + lane) & 127u;
    _Atomic uint64_t *turn = (_Atomic uint64_t *)(void *)&a->turn[p];
    uint64_t seen = atomic_load(turn);
    if (!a->keep) return;
    const uint64_t busy = UINT64_MAX;
    for (;;) {
        if (seen == busy) {
            seen = atomic_load(turn);
        } else if (seen > a->seq) {
            return;
        } else if (atomic_compare_exchange_weak(turn, &seen, busy)) {
            break;
        }
    }
    a->home[p] = value;
    atomic_store(turn, a->seq);
}
