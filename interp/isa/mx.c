/* SPDX-License-Identifier: Apache-2.0 */
/* MX on gen4 (isa.md 4.3.2, 4.8): nc_matmul_mx and quantize_mx. Layer isa. Blocks are 8 partitions
 * by 4 packed values. */
#include "interp/isa/example.h"
#include "interp/isa/lanes.h"
#include "interp/isa/matmul.h"
#include "interp/num/gemm.h"

#include <math.h>
#include <string.h>

#define SCALE_TYPES (DT(FP8_E8M0) | DT(UINT8))

/* Row of a scale view that holds logical row g: four rows in each quadrant of 32. */
static int64_t scale_row(int64_t g)
{
    return g / 4 * 32 + g % 4;
}

/* Rows a scale view needs for K partitions of data. */
static int64_t scale_rows(int64_t k)
{
    return k <= 32 ? (k + 7) / 8 : scale_row(k / 8 - 1) + 1;
}

static float scale_value(uint8_t b)
{
    return b == 0xff ? __builtin_nanf("") : ldexpf(1.0f, (int)b - 127);
}

static bool scale_fault(nkx_issue *is, int i, const char *what, int64_t found, int64_t want)
{
    nkx_isa_fault(is, NKX_E570, i,
                  "One scale covers 8 partitions: logical row g is row (g / 4) * 32 + g % 4 of the "
                  "view, so each quadrant of 32 "
                  "partitions uses 4 rows.",
                  "%s has %lld %s, %lld needed", is->row->params[i].name, (long long)found, what,
                  (long long)want);
    return false;
}

static bool check_scale(nkx_issue *is, int i, int64_t k, int64_t cols, bool exact_cols)
{
    const nkx_view *v = nkx_tile(is, i);
    int64_t n = nkx_view_free_size(v);
    if (v->shape[0] < scale_rows(k)) {
        return scale_fault(is, i, "partitions", v->shape[0], scale_rows(k));
    }
    if (n < cols || (exact_cols && n != cols)) return scale_fault(is, i, "columns", n, cols);
    return true;
}

/* ---- nc_matmul_mx ---- */

enum { MX_DST, MX_ST, MX_MV, MX_ST_SCALE, MX_MV_SCALE, MX_POS, MX_SIZE, MX_ACC };

static const nkx_isa_param nc_matmul_mx_params[] = {
    P_DST(.spaces = NKX_IN_PSUM, .flags = NKX_PF_ANYPART | NKX_PF_INDIRECT,
          .dtypes = DT(FP32) | DT(BF16), .doc = "(M, N) in PSUM, fp32 or bf16"),
    P_IN("stationary", .spaces = NKX_IN_SBUF, .flags = NKX_PF_ANYPART | NKX_PF_INDIRECT,
         .dtypes = NKX_DTS_X4, .doc = "(K, M) of a packed type"),
    P_IN("moving", .spaces = NKX_IN_SBUF, .flags = NKX_PF_ANYPART | NKX_PF_INDIRECT,
         .dtypes = NKX_DTS_X4, .doc = "(K, N) of a packed type"),
    P_IN("stationary_scale", .spaces = NKX_IN_SBUF, .flags = NKX_PF_ANYPART | NKX_PF_INDIRECT,
         .dtypes = SCALE_TYPES, .doc = "scales of stationary"),
    P_IN("moving_scale", .spaces = NKX_IN_SBUF, .flags = NKX_PF_ANYPART | NKX_PF_INDIRECT,
         .dtypes = SCALE_TYPES, .doc = "scales of moving"),
    P_OPT("tile_position", NKX_ACCEPT(NKX_ARG_INTS), .doc = "(row, 0) of the PE tile"),
    P_OPT("tile_size", NKX_ACCEPT(NKX_ARG_INTS), .doc = "(32, 64 or 128, 128)"),
    P_OPT("accumulate", NKX_ACCEPT(NKX_ARG_BOOL), .doc = "as in nc_matmul"),
    P_END,
};

static bool mx_size(nkx_issue *is, int i, const char *what, int64_t n, bool ok)
{
    return ok || nkx_isa_fault(is, NKX_E571, i,
                               "K is a multiple of 32 up to 128, M even up to 128, N up to 4096 "
                               "(8192 with a bf16 dst).",
                               "%s %lld", what, (long long)n);
}

static bool mx_shapes(nkx_issue *is)
{
    const nkx_view *d = nkx_tile(is, MX_DST), *s = nkx_tile(is, MX_ST), *v = nkx_tile(is, MX_MV);
    int64_t k = s->shape[0], m = nkx_view_free_size(s), n = nkx_view_free_size(v);
    if (v->shape[0] != k || d->shape[0] != m || nkx_view_free_size(d) != n) {
        nkx_isa_fault(is, NKX_E534, MX_DST, "stationary is (K, M), moving (K, N), dst (M, N).",
                      "stationary %lld by %lld, moving %lld by %lld, dst %lld by %lld",
                      (long long)k, (long long)m, (long long)v->shape[0], (long long)n,
                      (long long)d->shape[0], (long long)nkx_view_free_size(d));
        return false;
    }
    if (!mx_size(is, MX_ST, "contraction partitions", k, k % 32 == 0 && k <= 128)) return false;
    if (!mx_size(is, MX_ST, "stationary columns", m, m % 2 == 0 && m <= 128)) return false;
    if (!mx_size(is, MX_MV, "moving columns", n, n <= (d->dtype == NKX_DT_BF16 ? 8192 : 4096))) {
        return false;
    }
    if (k == 96 &&
        !nkx_isa_fault(is, NKX_E572, MX_ST,
                       "Pad to 128 partitions: public kernels report that 96 does not work.",
                       "contraction over 96 partitions")) {
        return false;
    }
    return m <= 128 && k <= 128;
}

/* Data and its scale are indirect together, by one index (isa.md 3.7). */
static bool mx_pair(nkx_issue *is, int data, int scale)
{
    const nkx_view *a = nkx_tile(is, data), *b = nkx_tile(is, scale);
    bool x = a->indirect == NKX_IND_TILE, y = b->indirect == NKX_IND_TILE;
    if (x == y) return true;
    nkx_isa_fault(is, NKX_E322, x ? scale : data, "Give both .indirect() with the same index.",
                  "%s is indirect, %s is not", is->row->params[x ? data : scale].name,
                  is->row->params[x ? scale : data].name);
    return false;
}

static bool nc_matmul_mx_check(nkx_issue *is)
{
    int64_t k = nkx_tile(is, MX_ST)->shape[0];
    nkx_mm_mode mode = NKX_MM_OVERWRITE;
    if (!mx_shapes(is) || !nkx_check_bank(is, MX_DST) ||
        !nkx_check_pe_tile(is, MX_POS, MX_SIZE, false)) {
        return false;
    }
    if (!mx_pair(is, MX_ST, MX_ST_SCALE) || !mx_pair(is, MX_MV, MX_MV_SCALE)) return false;
    if (!check_scale(is, MX_ST_SCALE, k, nkx_n_of(is, MX_ST), false) ||
        !check_scale(is, MX_MV_SCALE, k, nkx_n_of(is, MX_MV), false)) {
        return false;
    }
    if (!nkx_matmul_mode(is, MX_DST, MX_ACC, &mode)) return false;
    is->accumulate = (uint8_t)mode;
    return true;
}

static void nc_matmul_mx_cost(const nkx_issue *is, nkx_cost *out)
{
    const nkx_view *s = nkx_tile(is, MX_ST);
    out->cls = NKX_COST_PE_MM;
    out->work_cycles = nkx_n_of(is, MX_MV);
    out->ls_cycles = nkx_view_free_size(s);
    out->flops = 8 * s->shape[0] * nkx_view_free_size(s) * nkx_n_of(is, MX_MV);
    out->flop_weight = 0.25;
}

typedef struct mx_job {
    nkx_access st_scale, mv_scale;
    nkx_mm_job mm; /* last: a mask may follow */
} mx_job;

#define MX_COLS 128 /* moving columns unpacked at a time */

/* Packed values of partition k, in order. */
static void unpack_row(const nkx_access *data, uint32_t k, int64_t col, int64_t n, float *out)
{
    const nkx_dtype type = (nkx_dtype)data->dtype;
    const bool bytes = type == NKX_DT_FP8_E5M2_X4 || type == NKX_DT_FP8_E4M3FN_X4;
    if (bytes && nkx_regular(data) && data->step[0] == 4) {
        nkx_dtype lane = type == NKX_DT_FP8_E5M2_X4 ? NKX_DT_FP8_E5M2 : NKX_DT_FP8_E4M3FN;
        nkx_dtypes[lane].load_f32(out, nkx_element_at(data, k, col), n * 4, 1);
        return;
    }
    for (int64_t c = 0; c < n; c++) {
        const uint8_t *at = nkx_access_at(data, k, col + c);
        for (int q = 0; q < 4; q++) out[c * 4 + q] = nkx_load_packed(type, at, q);
    }
}

/* Unpacked and scaled: row 4 k + q, at most MX_COLS columns from `col`. */
static void unpack(const nkx_access *data, const nkx_access *scale, int64_t col, int64_t n,
                   float *out)
{
    float s[MX_COLS], row[MX_COLS * 4];
    for (uint32_t k = 0; k < data->nparts; k++) {
        for (int64_t c = 0; c < n && k % 8 == 0; c++) {
            s[c] = scale_value(*nkx_access_at(scale, (uint32_t)scale_row(k / 8), col + c));
        }
        unpack_row(data, k, col, n, row);
        for (int q = 0; q < 4; q++) {
            float *to = out + ((int64_t)k * 4 + q) * n;
            for (int64_t c = 0; c < n; c++) to[c] = row[c * 4 + q] * s[c];
        }
    }
}

static void run_mx(const void *arg)
{
    const mx_job *j = arg;
    float st[512 * 128], mv[512 * MX_COLS], r[128 * MX_COLS];
    unpack(&j->mm.st, &j->st_scale, 0, j->mm.m, st);
    for (int64_t col = 0; col < j->mm.n; col += MX_COLS) {
        int64_t n = nkx_min_n(MX_COLS, j->mm.n - col);
        unpack(&j->mm.mv, &j->mv_scale, col, n, mv);
        nkx_gemm_tn_f32(j->mm.m, (int)n, (int)j->mm.st.nparts * 4, st, j->mm.m, mv, n, r, n, false);
        nkx_mm_write(&j->mm, col, n, r, n);
    }
}

static bool nc_matmul_mx_lower(nkx_issue *is, nkx_work *out)
{
    nkx_mm_job *mm = nkx_mm_lower(is, MX_DST, MX_ST, MX_MV, 1, out);
    size_t tail = sizeof *mm + (size_t)mm->mask_len;
    mx_job *j = nkx_job_new(is, offsetof(mx_job, mm) + tail);
    nkx_view_access(nkx_tile(is, MX_ST_SCALE), &j->st_scale);
    nkx_view_access(nkx_tile(is, MX_MV_SCALE), &j->mv_scale);
    if (j->st_scale.group) j->st_scale.group = 32;
    if (j->mv_scale.group) j->mv_scale.group = 32;
    memcpy(&j->mm, mm, tail);
    out->run = run_mx;
    out->arg = j;
    out->arg_bytes = offsetof(mx_job, mm) + tail;
    out->fuse_key = 0;
    return true;
}

const nkx_insn nkx_insn_nc_matmul_mx = {
    .name = "nc_matmul_mx",
    .engines = NKX_ENG_PE,
    .min_gen = 4,
    .since = "0.1.0",
    .section = "Tensor engine",
    .params = nc_matmul_mx_params,
    .check = nc_matmul_mx_check,
    .lower = nc_matmul_mx_lower,
    .cost = nc_matmul_mx_cost,
    .brief = "dst[m, n] = sum over k, q of stationary[k, m].q * moving[k, n].q, each scaled by its "
             "block's power of two.",
    .doc = "Operands are packed types, four values an element, and may differ. A scale is 2^(byte "
           "- 127), as float8_e8m0fnu or uint8 "
           "(reading 26: the same bits), and covers 8 partitions by 4 packed values. Logical scale "
           "row g is row (g / 4) * 32 + g % 4 of "
           "the scale view, which may start 0, 4, 8 or 12 partitions into a quadrant and have more "
           "columns than needed; up to 32 "
           "partitions may have a compact tile. Only rows of PE tiles can be tiled. moving has up "
           "to 4096 columns (8192 with a bf16 dst; reading 4).",
    .example = NKX_EXAMPLE_GEN4(NKX_EX_TILE(
        "a", "(128, 256)", "bfloat16",
        "1.0") "    q = nl.ndarray((128, 64), dtype=nl.float8_e4m3fn_x4, buffer=nl.sbuf)\n"
               "    s = nl.ndarray((128, 64), dtype=nl.uint8, buffer=nl.sbuf)\n"
               "    nisa.memset(dst=s, value=0)\n"
               "    nisa.quantize_mx(dst=q, src=a, dst_scale=s)\n"
               "    p = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum)\n"
               "    nisa.nc_matmul_mx(dst=p, stationary=q, moving=q, stationary_scale=s, "
               "moving_scale=s)\n"
               "    c = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.sbuf)\n"
               "    nisa.tensor_copy(dst=c, src=p)\n" NKX_EX_STORE("c", "(64, 64)", "float32")),
    .cost_doc = "max(min(64, M), N) (estimate), four times the arithmetic of bf16",
};

/* ---- quantize_mx ---- */

enum { QM_DST, QM_SRC, QM_SCALE };

static const nkx_isa_param quantize_mx_params[] = {
    P_DST(.spaces = NKX_IN_SBUF, .flags = NKX_PF_LANES,
          .dtypes = DT(FP8_E5M2_X4) | DT(FP8_E4M3FN_X4), .doc = "(P, F / 4) packed"),
    P_IN("src", .spaces = NKX_IN_SBUF, .flags = NKX_PF_LANES, .dtypes = NKX_DTS_HALF,
         .doc = "(P, F), fp16 or bf16"),
    P_ROW(.name = "dst_scale", .accept = NKX_P_TILE, .dir = NKX_DIR_OUT, .required = true,
          .spaces = NKX_IN_SBUF, .flags = NKX_PF_ANYPART, .dtypes = SCALE_TYPES,
          .doc = "scales, placed as nc_matmul_mx reads them"),
    P_END,
};

static bool quantize_mx_check(nkx_issue *is)
{
    const nkx_view *d = nkx_tile(is, QM_DST), *s = nkx_tile(is, QM_SRC);
    int64_t f = nkx_view_free_size(s);
    bool ok = s->shape[0] % 32 == 0 && f % 4 == 0;
    if (!ok && !nkx_isa_fault(is, NKX_E573, QM_SRC,
                              "P is a multiple of 32, the elements per partition a multiple of 4.",
                              "src of %lld partitions and %lld elements", (long long)s->shape[0],
                              (long long)f)) {
        return false;
    }
    if (nkx_view_free_size(d) != f / 4) {
        nkx_isa_fault(is, NKX_E312, QM_DST,
                      "dst has a fourth of src's elements: four values an element.",
                      "dst has %lld elements per partition, src %lld",
                      (long long)nkx_view_free_size(d), (long long)f);
        return false;
    }
    return check_scale(is, QM_SCALE, s->shape[0], f / 4, true);
}

static void quantize_mx_cost(const nkx_issue *is, nkx_cost *out)
{
    nkx_cost_lanes(is, out, nkx_n_of(is, QM_DST));
    out->cls = NKX_COST_DVE_PERF;
}

typedef struct quantize_job {
    nkx_access dst, src, scale;
    int emax; /* largest exponent of the element type */
    nkx_dtype lane;
} quantize_job;

/* Scale byte of a block from its largest magnitude: floor(log2) - (emax - 1) + 127, at least 0
 * (readings 24, 25). */
static uint8_t scale_byte(float amax, int emax)
{
    uint32_t bits;
    memcpy(&bits, &amax, sizeof bits);
    int e = (int)(bits >> 23 & 0xff) - 127 - (emax - 1) + 127;
    if (amax == 0 || e < 0) return 0;
    return (uint8_t)(e > 254 ? 254 : e);
}

enum { BLOCK_ROWS = 8, BLOCK_COLS = 128 }; /* packed columns quantised together */

/* Scale bytes of n packed columns of eight partitions, whose values are in v. */
static void find_scales(const quantize_job *j, float v[BLOCK_ROWS][BLOCK_COLS * 4], uint32_t p0,
                        int64_t col, int64_t n, float *factor)
{
    const uint32_t row = (uint32_t)scale_row(p0 / BLOCK_ROWS);
    for (int64_t c = 0; c < n; c++) {
        float amax = 0;
        for (int r = 0; r < BLOCK_ROWS; r++) {
            for (int q = 0; q < 4; q++) {
                float x = fabsf(v[r][c * 4 + q]);
                amax = x > amax ? x : amax;
            }
        }
        uint8_t b = scale_byte(amax, j->emax);
        *nkx_access_at(&j->scale, row, col + c) = b;
        for (int q = 0; q < 4; q++) factor[c * 4 + q] = ldexpf(1, 127 - (int)b);
    }
}

static void quantize_columns(const quantize_job *j, uint32_t p0, int64_t col, int64_t n)
{
    float v[BLOCK_ROWS][BLOCK_COLS * 4], factor[BLOCK_COLS * 4];
    uint8_t packed[BLOCK_COLS * 4];
    const float top = (float)nkx_dtypes[j->lane].max;
    for (uint32_t r = 0; r < BLOCK_ROWS; r++) {
        nkx_access_load_f32(&j->src, p0 + r, col * 4, n * 4, v[r]);
    }
    find_scales(j, v, p0, col, n, factor);
    for (uint32_t r = 0; r < BLOCK_ROWS; r++) {
        for (int64_t i = 0; i < n * 4; i++) {
            float y = v[r][i] * factor[i]; /* by a power of two: rounded as division is */
            v[r][i] = y > top ? top : y < -top ? -top : y;
        }
        nkx_dtypes[j->lane].store_f32(packed, 1, v[r], n * 4);
        for (int64_t c = 0; c < n; c++) {
            memcpy(nkx_access_at(&j->dst, p0 + r, col + c), packed + c * 4, 4);
        }
    }
}

static void run_quantize(const void *arg)
{
    const quantize_job *j = arg;
    for (uint32_t p = 0; p + BLOCK_ROWS <= j->src.nparts; p += BLOCK_ROWS) {
        for (int64_t c = 0; c < j->dst.n; c += BLOCK_COLS) {
            quantize_columns(j, p, c, nkx_min_n(BLOCK_COLS, j->dst.n - c));
        }
    }
}

static bool quantize_mx_lower(nkx_issue *is, nkx_work *out)
{
    quantize_job *j = nkx_job_new(is, sizeof *j);
    nkx_view_access(nkx_tile(is, QM_DST), &j->dst);
    nkx_view_access(nkx_tile(is, QM_SRC), &j->src);
    nkx_view_access(nkx_tile(is, QM_SCALE), &j->scale);
    bool e5 = nkx_tile(is, QM_DST)->dtype == NKX_DT_FP8_E5M2_X4;
    j->emax = e5 ? 15 : 8;
    if (nkx_before(is, 5)) j->emax++; /* scales half as large, as OCP's sample has them */
    j->lane = e5 ? NKX_DT_FP8_E5M2 : NKX_DT_FP8_E4M3FN;
    nkx_lower_job(is, out, run_quantize, j, sizeof *j);
    return true;
}

const nkx_insn nkx_insn_quantize_mx = {
    .name = "quantize_mx",
    .engines = NKX_ENG_DVE,
    .min_gen = 4,
    .since = "0.1.0",
    .section = "Vector arithmetic",
    .params = quantize_mx_params,
    .check = quantize_mx_check,
    .lower = quantize_mx_lower,
    .cost = quantize_mx_cost,
    .brief = "Quantises fp16 or bf16 to packed fp8 with a power-of-two scale for each block of 8 "
             "partitions by 4 elements.",
    .doc = "The scale is 2^(floor(log2(amax)) - (Emax - 1)) with Emax 8 (e4m3fn) or 15 (e5m2): one "
           "more than the OCP sample "
           "algorithm (reading 24); its byte is clamped to 0 and above (reading 25), and a block "
           "of zeros has byte 0. Elements are "
           "divided by the scale and rounded to nearest even, saturating. dst_scale has exactly F "
           "/ 4 columns; only the rows of its own "
           "blocks are written.",
    .example = NKX_EXAMPLE_GEN4(NKX_EX_TILE(
        "a", "(128, 64)", "bfloat16",
        "1.5") "    q = nl.ndarray((128, 16), dtype=nl.float8_e4m3fn_x4, buffer=nl.sbuf)\n"
               "    s = nl.ndarray((128, 16), dtype=nl.uint8, buffer=nl.sbuf)\n"
               "    nisa.memset(dst=s, value=0)\n"
               "    nisa.quantize_mx(dst=q, src=a, dst_scale=s)\n" NKX_EX_STORE("s", "(128, 16)",
                                                                                "uint8")),
    .cost_doc = "max(64, F / 4)",
};
