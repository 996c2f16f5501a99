/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tensor engine: nc_matmul (isa.md 4.3.1). Layer isa. Products of fp32 tiles are computed in
 * place; other types are widened into panels on the stack first. What accumulate means is decided
 * when the instruction is issued, from the state of the PSUM tensor (machine/track.h).
 */
#include "interp/isa/example.h"
#include "interp/isa/lanes.h"
#include "interp/isa/matmul.h"
#include "interp/num/gemm.h"

#include <string.h>

enum { MM_DST, MM_ST, MM_MV, MM_ST01, MM_MV01, MM_TR, MM_ACC, MM_POS, MM_SIZE, MM_PERF };

#define PE_TYPES (DT(FP8_E4M3) | DT(FP8_E4M3FN) | DT(FP8_E5M2) | NKX_DTS_HALF | DT(TF32) | DT(FP32))

static const nkx_isa_param nc_matmul_params[] = {
    P_DST(.spaces = NKX_IN_PSUM, .flags = NKX_PF_ANYPART | NKX_PF_INDIRECT,
          .doc = "(M, N) in PSUM"),
    P_IN("stationary", .spaces = NKX_IN_SBUF, .flags = NKX_PF_ANYPART | NKX_PF_INDIRECT,
         .dtypes = PE_TYPES, .doc = "(K, M) in SBUF; (K, 2, M) with double_row"),
    P_IN("moving", .spaces = NKX_IN_SBUF, .flags = NKX_PF_ANYPART | NKX_PF_INDIRECT,
         .dtypes = PE_TYPES, .doc = "(K, N) in SBUF; (K, 2, N) with double_row"),
    P_BOOL("is_stationary_onezero", .doc = "hint: fp32 stationary holds 0 and 1 only"),
    P_BOOL("is_moving_onezero", .doc = "hint: fp32 moving holds 0 and 1 only"),
    P_BOOL("is_transpose",
           .doc = "moving is an identity: dst is the transposed stationary, bit by bit (gen3 on)"),
    P_OPT("accumulate", NKX_ACCEPT(NKX_ARG_BOOL),
          .doc = "False overwrites, True adds, None decides for each element"),
    P_ROW(.name = "tile_position", .accept = NKX_ACCEPT(NKX_ARG_INTS) | NKX_P_OPTIONAL,
          .dflt = "()", .doc = "(row, column) of the PE tile"),
    P_ROW(.name = "tile_size", .accept = NKX_ACCEPT(NKX_ARG_INTS) | NKX_P_OPTIONAL, .dflt = "()",
          .doc = "(rows, columns) of the PE tile"),
    P_ENUM("perf_mode", NKX_ENUM_PERF_MODE, NKX_PERF_NONE, "matmul_perf_mode.none",
           .doc = "double_row contracts two rows of fp8 a partition (gen3 on)"),
    P_END,
};

static bool double_row(const nkx_issue *is)
{
    return nkx_enum_of(is, MM_PERF) == NKX_PERF_DOUBLE_ROW;
}

/* Bit-exact transposes exist from gen3 on; on gen2 the flag informs the profiler only. */
static bool true_transpose(const nkx_issue *is)
{
    return nkx_bool_of(is, MM_TR) && nkx_gen(is) >= 3;
}

/* ---- types ---- */

static bool is_wide(nkx_dtype t)
{
    return t == NKX_DT_FP32 || t == NKX_DT_TF32;
}

static bool bad_mix(nkx_issue *is, const char *why)
{
    nkx_dtype a = (nkx_dtype)nkx_tile(is, MM_ST)->dtype, b = (nkx_dtype)nkx_tile(is, MM_MV)->dtype;
    return nkx_isa_fault(is, NKX_E530, MM_MV, why, "stationary is %s, moving is %s",
                         nkx_dtypes[a].name, nkx_dtypes[b].name);
}

static bool check_input_types(nkx_issue *is)
{
    nkx_dtype a = (nkx_dtype)nkx_tile(is, MM_ST)->dtype, b = (nkx_dtype)nkx_tile(is, MM_MV)->dtype;
    for (int i = MM_ST; i <= MM_MV; i++) {
        if (nkx_tile(is, i)->dtype != NKX_DT_FP8_E4M3FN || nkx_gen(is) >= 4) continue;
        if (!nkx_isa_fault(is, NKX_E501, i, "Use nl.float8_e4m3, or run with --target trn3.",
                           "%s of float8_e4m3fn needs gen4, the target is gen%d",
                           is->row->params[i].name, nkx_gen(is))) {
            return false;
        }
    }
    for (int i = MM_ST; i <= MM_MV; i++) {
        if (nkx_tile(is, i)->dtype == NKX_DT_FP8_E4M3FN &&
            !nkx_check_since(is, i, 4, "float8_e4m3fn in nc_matmul")) {
            return false;
        }
    }
    if (is_wide(a) != is_wide(b)) {
        return bad_mix(
            is, "When one operand is float32 or tfloat32 both must be: cast the other first.");
    }
    if ((a == NKX_DT_FP8_E4M3 && b == NKX_DT_FP8_E4M3FN) ||
        (a == NKX_DT_FP8_E4M3FN && b == NKX_DT_FP8_E4M3)) {
        return bad_mix(is, "The two e4m3 formats cannot be mixed: cast one of them.");
    }
    if (double_row(is) && !(NKX_DTS_FP8 >> a & NKX_DTS_FP8 >> b & 1u)) {
        return bad_mix(is, "double_row takes fp8 operands only.");
    }
    return true;
}

static bool check_dst_type(nkx_issue *is)
{
    nkx_dtype d = (nkx_dtype)nkx_tile(is, MM_DST)->dtype, s = (nkx_dtype)nkx_tile(is, MM_ST)->dtype;
    if (d == NKX_DT_FP32 || (d == NKX_DT_BF16 && nkx_gen(is) >= 4)) return true;
    if (true_transpose(is) && nkx_transpose_types(d, s)) return true;
    return nkx_isa_fault(is, NKX_E531, MM_DST,
                         "PSUM results are float32, on gen4 also bfloat16; with is_transpose on "
                         "gen3 and later the type "
                         "of the input. Cast when copying to SBUF.",
                         "dst is %s", nkx_dtypes[d].name);
}

/* ---- sizes ---- */

static bool check_size(nkx_issue *is, int i, const char *what, int64_t n, int64_t limit)
{
    return n <= limit ||
           nkx_isa_fault(is, NKX_E532, i, "Split the product into tiles.", "%s %lld exceeds %lld",
                         what, (long long)n, (long long)limit);
}

static int64_t moving_limit(const nkx_issue *is)
{
    if (nkx_gen(is) < 4) return 512;
    bool narrow = nkx_tile(is, MM_DST)->dtype == NKX_DT_BF16 && !nkx_before(is, 5);
    return narrow ? 8192 : 4096; /* reading 4; 8192 came with NKI 0.5 */
}

static bool check_double_row(nkx_issue *is)
{
    if (!double_row(is)) return true;
    if (nkx_gen(is) < 3 &&
        !nkx_isa_fault(is, NKX_E501, MM_PERF, "It came with gen3: run with --target trn2.",
                       "double_row needs gen3, the target is gen%d", nkx_gen(is))) {
        return false;
    }
    for (int i = MM_ST; i <= MM_MV; i++) {
        const nkx_view *v = nkx_tile(is, i);
        if (v->ndim >= 3 && v->shape[1] == 2) continue;
        nkx_isa_fault(is, NKX_E533, i,
                      "Shape the operand (K, 2, columns): the two rows a partition contracts.",
                      "%s with double_row has shape %s", is->row->params[i].name,
                      nkx_type_text(is->core, v->ndim, v->shape, (nkx_dtype)v->dtype));
        return false;
    }
    return !nkx_bool_of(is, MM_TR) ||
           nkx_isa_fault(is, NKX_E533, MM_TR, "Transpose without double_row.",
                         "double_row with is_transpose");
}

static bool mismatch(nkx_issue *is, int i, const char *what, int64_t found, const char *other,
                     int64_t want)
{
    nkx_isa_fault(is, NKX_E534, i,
                  "stationary is (K, M), moving (K, N), dst (M, N): dst has as many partitions as "
                  "stationary has "
                  "columns, and as many elements as moving has columns.",
                  "%s %lld, %s %lld", what, (long long)found, other, (long long)want);
    return false;
}

static bool check_shapes(nkx_issue *is)
{
    const nkx_view *d = nkx_tile(is, MM_DST), *s = nkx_tile(is, MM_ST), *v = nkx_tile(is, MM_MV);
    int64_t rows = double_row(is) ? 2 : 1, m = nkx_view_free_size(s) / rows,
            n = nkx_view_free_size(v) / rows;
    if (s->shape[0] != v->shape[0]) {
        return mismatch(is, MM_MV, "contraction: moving has partitions", v->shape[0],
                        "stationary has", s->shape[0]);
    }
    if (!check_size(is, MM_ST, "stationary free size", m, 128) ||
        !check_size(is, MM_MV, "moving free size", n, moving_limit(is))) {
        return false;
    }
    if (d->shape[0] != m) {
        return mismatch(is, MM_DST, "dst has partitions", d->shape[0], "stationary has columns", m);
    }
    if (nkx_view_free_size(d) != n) {
        return mismatch(is, MM_DST, "dst has elements per partition", nkx_view_free_size(d),
                        "moving has columns", n);
    }
    return m <= 128;
}

bool nkx_check_bank(nkx_issue *is, int i)
{
    const nkx_view *d = nkx_tile(is, i);
    int64_t bank = nkx_cfg_i(is->core->config, NKX_MP_PSUM_BANK);
    if (d->st->row_bytes <= bank && d->st->offset % bank == 0) return true;
    nkx_region r;
    nkx_view_region(d, true, "dst", &r);
    int64_t a = (d->st->offset + r.b0) / bank, b = (d->st->offset + r.b1 - 1) / bank;
    if (b - a < nkx_cfg_i(is->core->config, NKX_MP_PSUM_TILE_BANKS)) return true;
    return nkx_isa_fault(
        is, NKX_E535, i,
        "One product writes inside one bank of 2 KiB a partition: 512 fp32 values.",
        "dst reaches from bank %lld to bank %lld of psum", (long long)a, (long long)b);
}

/* ---- PE tiles ---- */

static bool bad_tile(nkx_issue *is, int i, const char *why)
{
    return nkx_isa_fault(is, NKX_E536, i,
                         "Rows and columns of a tile are 128, 64 or (gen3 on) 32; its position is "
                         "a multiple of its size, "
                         "inside 128 x 128; give both tile_position and tile_size.",
                         "%s", why);
}

static bool tile_side_ok(const nkx_issue *is, int64_t n)
{
    return n == 128 || n == 64 || (n == 32 && nkx_gen(is) >= 3);
}

/* A manually placed operand must begin where its tile does; the compiler places the others. */
static bool placed_ok(nkx_issue *is, int i, int64_t want)
{
    const nkx_view *v = nkx_tile(is, i);
    if (!v->st->manual || nkx_start_partition(v) == want) return true;
    return nkx_isa_fault(is, NKX_E537, i,
                         "Place the operand at the row, and dst at the column, of tile_position.",
                         "%s starts at partition %lld, its tile at %lld", is->row->params[i].name,
                         (long long)nkx_start_partition(v), (long long)want);
}

bool nkx_check_pe_tile(nkx_issue *is, int pos_arg, int size_arg, bool columns)
{
    const nkx_arg *pos = nkx_arg_of(is, pos_arg), *size = nkx_arg_of(is, size_arg);
    int np = pos->kind == NKX_ARG_INTS ? pos->u.ints.n : 0,
        ns = size->kind == NKX_ARG_INTS ? size->u.ints.n : 0;
    if (np == 0 && ns == 0) {
        return nkx_check_start(is, MM_ST) && nkx_check_start(is, MM_MV) &&
               nkx_check_start(is, MM_DST);
    }
    if (np != 2 || ns != 2) {
        return bad_tile(is, np != 2 ? pos_arg : size_arg,
                        "tile_position and tile_size are not two pairs");
    }
    int64_t r0 = pos->u.ints.at[0], c0 = pos->u.ints.at[1], rows = size->u.ints.at[0],
            cols = size->u.ints.at[1];
    if (!tile_side_ok(is, rows) || !tile_side_ok(is, cols)) {
        return bad_tile(is, size_arg, "tile_size is not of the sizes there are");
    }
    bool inside = r0 >= 0 && c0 >= 0 && r0 % rows == 0 && c0 % cols == 0 && r0 + rows <= 128 &&
                  c0 + cols <= 128;
    if (!inside) return bad_tile(is, pos_arg, "tile_position does not fit tile_size");
    if (cols != 128 && !columns) return bad_tile(is, size_arg, "columns cannot be tiled here");
    if (!check_size(is, MM_ST, "contraction rows", nkx_tile(is, MM_ST)->shape[0], rows)) {
        return false;
    }
    if (!check_size(is, MM_DST, "dst partitions", nkx_tile(is, MM_DST)->shape[0], cols)) {
        return false;
    }
    return placed_ok(is, MM_ST, r0) && placed_ok(is, MM_MV, r0) && placed_ok(is, MM_DST, c0);
}

static bool check_indirect(nkx_issue *is)
{
    bool any = false;
    for (int i = MM_DST; i <= MM_MV; i++) {
        const nkx_view *v = nkx_tile(is, i);
        if (v->indirect != NKX_IND_TILE) continue;
        any = true;
        if (i != MM_DST && !((NKX_DTS_HALF | NKX_DTS_FP8) >> v->dtype & 1u)) {
            nkx_isa_fault(is, NKX_E322, i, "Indirect PE operands are fp16, bf16 or fp8.",
                          "%s is indirect and %s", is->row->params[i].name,
                          nkx_dtypes[v->dtype].name);
            return false;
        }
    }
    if (!any) return true;
    if (nkx_bool_of(is, MM_TR) && nkx_tile(is, MM_MV)->indirect == NKX_IND_TILE) {
        nkx_isa_fault(is, NKX_E322, MM_MV, "Transpose with a plain identity.",
                      "moving is indirect with is_transpose");
        return false;
    }
    const nkx_arg *pos = nkx_arg_of(is, MM_POS);
    if (pos->kind != NKX_ARG_INTS || pos->u.ints.n != 2 ||
        (pos->u.ints.at[0] == 0 && pos->u.ints.at[1] == 0)) {
        return true;
    }
    nkx_isa_fault(is, NKX_E322, MM_POS, "Leave tile_position out.",
                  "indirect operands with a tile_position other than (0, 0)");
    return false;
}

/* ---- accumulation (isa.md 4.3.1) ---- */

static bool warn_uninit(nkx_issue *is, int acc)
{
    return nkx_isa_fault(is, NKX_E538, acc,
                         "The first product into a tile overwrites: pass accumulate=False or leave "
                         "it out. It starts from 0 here.",
                         "accumulate=True on elements of dst that were never written");
}

static bool warn_value(nkx_issue *is, int acc, bool adds)
{
    return nkx_isa_fault(
        is, NKX_E539, acc,
        "Only PE results can be added to for certain: on gen2 and gen3 it is undefined to "
        "accumulate on a "
        "value written by another engine (reading 5). Let the first product overwrite, or add with "
        "tensor_tensor.",
        adds ? "accumulate=True on a value that another engine wrote"
             : "dst holds a value that another engine wrote; it is overwritten");
}

bool nkx_matmul_mode(nkx_issue *is, int dst, int acc, nkx_mm_mode *mode)
{
    nkx_region r;
    bool given = nkx_has(is, acc), add = given && nkx_bool_of(is, acc);
    *mode = NKX_MM_OVERWRITE;
    if (given && !add) return true;
    nkx_view_region(nkx_tile(is, dst), true, "dst", &r);
    r.by_pe = true;
    nkx_pe_state state = nkx_track_pe_state(&r);
    switch (state) {
    case NKX_PE_UNINIT: return !add || warn_uninit(is, acc);
    case NKX_PE_ACCUM: *mode = NKX_MM_ADD; return true;
    case NKX_PE_VALUE:
        if (add) *mode = NKX_MM_ADD;
        if (add && nkx_gen(is) >= 4) return true;
        return warn_value(is, acc, add);
    case NKX_PE_MIXED: break;
    }
    *mode = NKX_MM_MIXED;
    if (add && nkx_track_pe_any(&r, NKX_PE_UNINIT) && !warn_uninit(is, acc)) return false;
    if ((add && nkx_gen(is) >= 4) || !nkx_track_pe_any(&r, NKX_PE_VALUE)) return true;
    return warn_value(is, acc, add);
}

static bool nc_matmul_check(nkx_issue *is)
{
    if (!check_input_types(is) || !check_double_row(is) || !check_dst_type(is) ||
        !check_shapes(is)) {
        return false;
    }
    if (!nkx_check_bank(is, MM_DST) || !nkx_check_pe_tile(is, MM_POS, MM_SIZE, !double_row(is)) ||
        !check_indirect(is)) {
        return false;
    }
    nkx_mm_mode mode = NKX_MM_OVERWRITE;
    if (!true_transpose(is) && !nkx_matmul_mode(is, MM_DST, MM_ACC, &mode)) return false;
    is->accumulate = (uint8_t)mode;
    return true;
}

/* ---- cost ---- */

double nkx_flop_weight(int gen, nkx_dtype dt)
{
    if (dt == NKX_DT_FP32) return 4;
    if (NKX_DTS_FP8 >> dt & 1u) return gen >= 3 ? 0.5 : 1;
    return 1;
}

static void nc_matmul_cost(const nkx_issue *is, nkx_cost *out)
{
    const nkx_view *s = nkx_tile(is, MM_ST), *v = nkx_tile(is, MM_MV);
    int64_t rows = double_row(is) ? 2 : 1, m = nkx_view_free_size(s) / rows,
            n = nkx_view_free_size(v) / rows;
    bool fp32 = s->dtype == NKX_DT_FP32,
         hint = nkx_bool_of(is, MM_ST01) || nkx_bool_of(is, MM_MV01);
    bool fast = true_transpose(is);
    out->cls = fp32 ? NKX_COST_PE_MM_FP32 : NKX_COST_PE_MM;
    if (fast) out->cls = fp32 ? NKX_COST_PE_TRANSPOSE_FP32 : NKX_COST_PE_TRANSPOSE;
    if (fp32 && hint) out->cls = NKX_COST_PE_TRANSPOSE_FP32; /* one pass, as the hint promises */
    out->is_transpose = nkx_bool_of(is, MM_TR);
    out->work_cycles = n;
    out->ls_cycles = m;
    out->flops = 2 * s->shape[0] * rows * m * n;
    out->flop_weight = nkx_flop_weight(nkx_gen(is), (nkx_dtype)s->dtype);
}

/* ---- numbers ---- */

static bool nc_matmul_lower(nkx_issue *is, nkx_work *out)
{
    nkx_mm_job *j = nkx_mm_lower(is, MM_DST, MM_ST, MM_MV, double_row(is) ? 2 : 1, out);
    if (true_transpose(is)) nkx_mm_transpose(is, j, out);
    return true;
}

const nkx_insn nkx_insn_nc_matmul = {
    .name = "nc_matmul",
    .engines = NKX_ENG_PE,
    .min_gen = 2,
    .since = "0.1.0",
    .section = "Tensor engine",
    .params = nc_matmul_params,
    .check = nc_matmul_check,
    .lower = nc_matmul_lower,
    .cost = nc_matmul_cost,
    .brief = "dst[m, n] = sum over k of stationary[k, m] * moving[k, n].",
    .doc = "Products and sums are fp32 (reading 50: in no stated order; compare with a tolerance). "
           "Types may be mixed, but fp32 and "
           "tf32 only with each other, and e4m3 never with e4m3fn (reading 49). dst is fp32, on "
           "gen4 also bf16 (widened, added, "
           "rounded once). accumulate=None decides for each element of the tensor: the first "
           "product overwrites, later ones add; a "
           "value written by another engine is overwritten with a warning (reading 5). moving has "
           "up to 512 columns, on gen4 4096 "
           "(8192 for bf16 dst; reading 4). PE tiles may tile columns (reading 3), not with "
           "double_row. is_transpose copies the bits "
           "of stationary where moving is 1 (gen3 on; reading 6: the data is stationary); a moving "
           "column that is not one-hot is "
           "warned of and multiplied. The onezero hints change the time only. A dynamic address "
           "costs at least 600 cycles.",
    .example = NKX_EXAMPLE(NKX_EX_TILE("a", "(128, 128)", "float32", "1.0") NKX_EX_TILE(
        "b", "(128, 512)", "float32",
        "2.0") "    p = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)\n"
               "    nisa.nc_matmul(dst=p, stationary=a, moving=b)\n"
               "    c = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)\n"
               "    nisa.tensor_copy(dst=c, src=p)\n" NKX_EX_STORE("c", "(128, 512)", "float32")),
    .cost_doc = "max(min(64, M), N), times 4 for fp32; transposes of fp32 and fp32 with a onezero "
                "hint half of that; double_row costs as bf16",
};
