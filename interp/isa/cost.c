/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Costs that several rows share. Layer isa. A row gives data cycles only; overheads, latencies and
 * floors are parameters of the machine file, applied by machine/timeline (timing.md 6.2, 6.6).
 */
#include "interp/isa/row.h"

void nkx_cost_lanes(const nkx_issue *is, nkx_cost *out, int64_t cycles)
{
    out->work_cycles = cycles;
    switch ((nkx_engine)is->engine) {
    case NKX_ACT: out->cls = NKX_COST_ACT; break;
    case NKX_POOL: out->cls = NKX_COST_POOL; break;
    default: out->cls = NKX_COST_DVE; break;
    }
}

static bool fast_type(const nkx_issue *is, const nkx_view *v)
{
    uint32_t fast = NKX_DTS_HALF | (nkx_gen(is) >= 4 ? NKX_DTS_FP8 : 0);
    return fast >> v->dtype & 1u;
}

static bool innermost_dense(const nkx_view *v)
{
    for (int d = v->ndim - 1; d > 0; d--) {
        if (v->shape[d] != 1) return v->stride[d] == 1;
    }
    return true;
}

/*
 * isa.md 4.0.3 for 16-bit types. fp32 from SBUF to SBUF has 2x as well: measured (timing.md 2.3),
 * and what the width of the data path on gen3 says.
 */
int nkx_perf_mode(const nkx_issue *is, const nkx_view *dst, const nkx_view *src)
{
    if (nkx_gen(is) < 3 || dst->indirect == NKX_IND_TILE || src->indirect == NKX_IND_TILE) return 1;
    bool dense = innermost_dense(dst) && innermost_dense(src);
    int psum = nkx_in_psum(dst) + nkx_in_psum(src);
    if (fast_type(is, dst) && fast_type(is, src)) {
        if (psum == 0) return dense ? 4 : 2;
        return psum == 1 && dense ? 2 : 1;
    }
    return psum == 0 && dense && dst->dtype == NKX_DT_FP32 && src->dtype == NKX_DT_FP32 ? 2 : 1;
}

void nkx_cost_two_inputs(const nkx_issue *is, nkx_cost *out, const nkx_view *dst, const nkx_view *a,
                         const nkx_view *b)
{
    int64_t n = nkx_view_free_size(dst);
    bool psum = nkx_in_psum(a) || nkx_in_psum(b);
    int64_t each = psum ? 1 : nkx_cfg_i(is->core->config, NKX_MP_DVE_TWO_INPUTS);
    nkx_cost_lanes(is, out, n * each);
    if (is->engine != NKX_DVE || psum || nkx_gen(is) < 3) return;
    if (fast_type(is, a) && fast_type(is, b) && fast_type(is, dst)) {
        out->cls = NKX_COST_DVE_PERF;
        out->perf_mode = 2;
        out->work_cycles = (n + 1) / 2;
    }
}
