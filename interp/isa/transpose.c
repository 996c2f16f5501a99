/* SPDX-License-Identifier: Apache-2.0 */
/* nc_transpose (isa.md 4.3.3): on the tensor engine into PSUM, or on the vector engine in 32 x 32
 * blocks. Layer isa. */
#include "interp/isa/example.h"
#include "interp/isa/lanes.h"
#include "interp/isa/matmul.h"

enum { NT_DST, NT_DATA, NT_ENGINE };

static const nkx_isa_param nc_transpose_params[] = {
    P_DST(.doc = "(F, P)", .dtypes = NKX_DTS_PLAIN),
    P_IN("data", .doc = "(P, F), free dims flattened", .dtypes = NKX_DTS_PLAIN),
    P_ENGINE,
    P_END,
};

/* Unknown: by the buffer of dst (reading 7); integers have no path through PE. */
static bool nc_transpose_pick(nkx_issue *is)
{
    bool ints =
        nkx_is_tile(is, NT_DATA) && nkx_dtype_is_int((nkx_dtype)nkx_tile(is, NT_DATA)->dtype);
    bool psum = nkx_is_tile(is, NT_DST) && nkx_in_psum(nkx_tile(is, NT_DST));
    return nkx_pick_engine(is, NT_ENGINE, psum && !ints ? NKX_PE : NKX_DVE,
                           NKX_ENG_PE | NKX_ENG_DVE);
}

static bool shape_fault(nkx_issue *is)
{
    const nkx_view *d = nkx_tile(is, NT_DST), *s = nkx_tile(is, NT_DATA);
    nkx_isa_fault(is, NKX_E551, NT_DST, "data (P, F) gives dst (F, P).",
                  "data is %lld by %lld, dst %lld by %lld", (long long)s->shape[0],
                  (long long)nkx_view_free_size(s), (long long)d->shape[0],
                  (long long)nkx_view_free_size(d));
    return false;
}

static bool check_limit(nkx_issue *is, int64_t p, int64_t f)
{
    int64_t limit = is->engine == NKX_PE ? 128 : 32;
    return (p <= limit && f <= limit) ||
           nkx_isa_fault(is, NKX_E552, NT_DATA,
                         "The tensor engine transposes up to 128 by 128 into PSUM, the vector "
                         "engine up to 32 by 32: choose dst's "
                         "buffer or engine accordingly, or loop over tiles.",
                         "%lld by %lld on the %s engine, which takes %lld by %lld", (long long)p,
                         (long long)f, is->engine == NKX_PE ? "tensor" : "vector", (long long)limit,
                         (long long)limit);
}

static bool check_pe(nkx_issue *is)
{
    const nkx_view *d = nkx_tile(is, NT_DST), *s = nkx_tile(is, NT_DATA);
    if (d->st->space != NKX_SPACE_PSUM &&
        !nkx_isa_fault(
            is, NKX_E505, NT_DST,
            "PE writes PSUM: allocate dst with buffer=nl.psum, or let the vector engine transpose.",
            "dst is in %s, out of reach of the tensor engine",
            nkx_space_name((nkx_space)d->st->space))) {
        return false;
    }
    if (s->st->space != NKX_SPACE_SBUF &&
        !nkx_isa_fault(is, NKX_E505, NT_DATA, "PE reads SBUF: copy the tile to SBUF first.",
                       "data is in %s, out of reach of the tensor engine",
                       nkx_space_name((nkx_space)s->st->space))) {
        return false;
    }
    if (nkx_dtype_is_int((nkx_dtype)s->dtype)) {
        return nkx_isa_fault(is, NKX_E327, NT_DATA, "Integers are transposed by the vector engine.",
                             "data is %s", nkx_dtypes[s->dtype].name);
    }
    bool fp8 = NKX_DTS_FP8 >> s->dtype & 1u;
    if (nkx_gen(is) >= 3 && fp8 && d->dtype == s->dtype && d->stride[d->ndim - 1] == 1 &&
        nkx_view_free_size(d) > 1) {
        return nkx_isa_fault(is, NKX_E553, NT_DST,
                             "PE writes fp8 into 16-bit cells: give dst an innermost step of 2 "
                             "elements, ap([[2 * P, F], [2, P]]), or a 2-byte type.",
                             "dst of 1-byte elements without gaps");
    }
    return nkx_check_bank(is, NT_DST);
}

static bool check_types(nkx_issue *is)
{
    nkx_dtype d = (nkx_dtype)nkx_tile(is, NT_DST)->dtype,
              s = (nkx_dtype)nkx_tile(is, NT_DATA)->dtype;
    if (d == s || (is->engine == NKX_PE && nkx_transpose_types(d, s))) return true;
    nkx_isa_fault(is, NKX_E328, NT_DST,
                  "A transpose moves bits: dst has data's type (on PE also fp32 for 16-bit data).",
                  "dst is %s, data is %s", nkx_dtypes[d].name, nkx_dtypes[s].name);
    return false;
}

static bool nc_transpose_check(nkx_issue *is)
{
    const nkx_view *d = nkx_tile(is, NT_DST), *s = nkx_tile(is, NT_DATA);
    int64_t p = s->shape[0], f = nkx_view_free_size(s);
    if (d->shape[0] != f || nkx_view_free_size(d) != p) return shape_fault(is);
    return check_limit(is, p, f) && (is->engine != NKX_PE || check_pe(is)) && check_types(is);
}

static void nc_transpose_cost(const nkx_issue *is, nkx_cost *out)
{
    const nkx_view *s = nkx_tile(is, NT_DATA);
    int64_t p = s->shape[0], f = nkx_view_free_size(s);
    bool fp32 = s->dtype == NKX_DT_FP32;
    if (is->engine != NKX_PE) {
        nkx_cost_lanes(is, out, f);
        return;
    }
    out->cls = fp32 ? NKX_COST_PE_TRANSPOSE_FP32 : NKX_COST_PE_TRANSPOSE;
    if (nkx_gen(is) == 2) out->cls = fp32 ? NKX_COST_PE_MM_FP32 : NKX_COST_PE_MM;
    out->is_transpose = true;
    out->work_cycles = p;
    out->ls_cycles = f;
    out->flops = 2 * p * p * f;
    out->flop_weight = nkx_flop_weight(nkx_gen(is), (nkx_dtype)s->dtype);
}

typedef struct transpose_job {
    nkx_access dst, src;
    int32_t n, m;
    bool product; /* gen2 PE: a real matmul, NaN and infinity spread */
} transpose_job;

/* A sum over k of data[k, m] * identity[k, n]: 0 * NaN and 0 * infinity reach every n but that of
 * an infinity. */
static void spread_row(const transpose_job *j, int32_t f)
{
    float x[128];
    int32_t bad = 0;
    nkx_access_load_f32(&j->dst, (uint32_t)f, 0, j->n, x);
    for (int32_t p = 0; p < j->n; p++) bad += x[p] - x[p] != 0;
    if (bad == 0) return;
    for (int32_t p = 0; p < j->n; p++) {
        if (bad > (x[p] - x[p] != 0)) x[p] = __builtin_nanf("");
    }
    nkx_access_store_f32(&j->dst, (uint32_t)f, 0, j->n, x);
}

static void spread(const transpose_job *j)
{
    for (int32_t f = 0; f < j->m; f++) spread_row(j, f);
}

static void run_nc_transpose(const void *arg)
{
    const transpose_job *j = arg;
    nkx_transpose_move(&j->dst, &j->src, NULL, j->n, j->m);
    if (j->product) spread(j);
}

static bool nc_transpose_lower(nkx_issue *is, nkx_work *out)
{
    transpose_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, NT_DST), &j->dst);
    nkx_view_access(nkx_tile(is, NT_DATA), &j->src);
    j->n = (int32_t)nkx_min_n(nkx_min_n(j->src.nparts, j->dst.n), 128);
    j->m = (int32_t)nkx_min_n(nkx_min_n(j->src.n, j->dst.nparts), 128);
    j->product = is->engine == NKX_PE && nkx_gen(is) == 2;
    nkx_lower_job(is, out, run_nc_transpose, j, sizeof *j);
    return true;
}

const nkx_insn nkx_insn_nc_transpose = {
    .name = "nc_transpose",
    .engines = NKX_ENG_PE | NKX_ENG_DVE,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Tensor engine",
    .params = nc_transpose_params,
    .pick = nc_transpose_pick,
    .check = nc_transpose_check,
    .lower = nc_transpose_lower,
    .cost = nc_transpose_cost,
    .brief = "dst (F, P) = data (P, F) transposed.",
    .doc =
        "With no engine named, the buffer of dst decides (reading 7): PSUM means the tensor "
        "engine, up to 128 by 128; SBUF the "
        "vector engine, up to 32 by 32. Integers go through the vector engine only. Bits are "
        "copied, but on gen2 PE really "
        "multiplies by an identity, so NaN and infinity spread, and dst is fp32 or of data's type. "
        "fp8 on PE lands in 16-bit cells "
        "(reading 8): dst has an innermost step of 2 or a 2-byte type. dst is always overwritten.",
    .example = NKX_EXAMPLE(NKX_EX_TILE(
        "a", "(128, 64)", "float32",
        "1.0") "    p = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.psum)\n"
               "    nisa.nc_transpose(dst=p, data=a)\n"
               "    b = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.sbuf)\n"
               "    nisa.tensor_copy(dst=b, src=p)\n" NKX_EX_STORE("b", "(64, 128)", "float32")),
    .cost_doc = "tensor engine max(P, min(64, F)); vector engine max(64, N)",
};
