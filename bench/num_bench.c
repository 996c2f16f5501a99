/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row kernels against memcpy of the bytes they read and write, rows in the first two caches: the
 * time of a conversion, operator or function as a multiple of moving its data. Ratios of one run;
 * the nanoseconds are for orientation. Matrix products: chains of tiles against one BLAS product
 * of the same size, one thread.
 *
 *     num_bench [NAME]        only what has NAME in it
 */
#include "interp/num/gemm.h"
#include "interp/num/ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 4096, ROUNDS = 200, BATCH = 20 };

static float fa[N], fb[N], fy[N];
static uint8_t cells[N * 4], from[N * 6], to[N * 6];
static const char *wanted = "";

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One measured thing: it works on the buffers above. */
typedef struct task {
    void (*run)(const struct task *t);
    int id;
} task;

static double best_of(const task *t)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int i = 0; i < BATCH; i++) {
            t->run(t);
            __asm__ volatile("" ::: "memory"); /* its results count as read */
        }
        double each = (now() - start) / BATCH;
        if (each < best) best = each;
    }
    return best;
}

static void run_copy(const task *t)
{
    memcpy(to, from, (size_t)t->id);
}

static void report(const char *what, const char *name, task t, size_t bytes)
{
    char line[64];
    (void)snprintf(line, sizeof line, "%s %s", what, name);
    if (strstr(line, wanted) == NULL) return;
    task copy = {run_copy, (int)(bytes / 2)}; /* memcpy reads and writes each byte */
    double mine = best_of(&t), base = best_of(&copy);
    printf("%-30s %7.2f x memcpy  %7.3f ns an element\n", line, mine / base, mine * 1e9 / N);
}

static void run_load(const task *t)
{
    nkx_dtypes[t->id].load_f32(fy, cells, N, nkx_dtypes[t->id].bytes);
}

static void run_store(const task *t)
{
    nkx_dtypes[t->id].store_f32(cells, nkx_dtypes[t->id].bytes, fa, N);
}

static void run_binary(const task *t)
{
    nkx_alu_rows[t->id].binary(fy, fa, fb, N);
}
static void run_scalar(const task *t)
{
    nkx_alu_rows[t->id].binary_s(fy, fa, 1.5f, N);
}
static void run_unary(const task *t)
{
    nkx_alu_rows[t->id].unary(fy, fa, N);
}
static void run_fold(const task *t)
{
    fy[0] = nkx_alu_rows[t->id].fold(0, fa, N);
}

static void bench_rows(void)
{
    for (int t = 0; t < NKX_N_DTYPES; t++) {
        const nkx_dtype_row *row = &nkx_dtypes[t];
        if (row->load_f32 == NULL) continue;
        nkx_dtypes[t].store_f32(cells, row->bytes, fa, N);
        report("load", row->name, (task){run_load, t}, N * (4u + row->bytes));
        report("store", row->name, (task){run_store, t}, N * (4u + row->bytes));
    }
    for (int op = 0; op < NKX_N_ALU; op++) {
        const nkx_alu_row *row = &nkx_alu_rows[op];
        if (row->binary != NULL) {
            report("row-row", row->name, (task){run_binary, op}, N * 12);
            report("row-scalar", row->name, (task){run_scalar, op}, N * 8);
        }
        if (row->unary != NULL) report("unary", row->name, (task){run_unary, op}, N * 8);
        if (row->fold != NULL) report("fold", row->name, (task){run_fold, op}, N * 4);
    }
}

/* ---- products ---- */

enum { SIZE = 2048, TILE_M = 128, TILE_N = 512, TILE_K = 128, TILES = SIZE / TILE_K };
enum { SBUF_PITCH = 192 * 1024 + 64, PSUM_PITCH = 16 * 1024 + 64 };

/* Tiles in a memory laid out as SBUF: 128 partitions, stationary tiles first. */
static const uint8_t *tile_at(const uint8_t *sbuf, int64_t bytes, int64_t column)
{
    return sbuf + bytes * column;
}

static void tiled_product(const uint8_t *sbuf, uint8_t *psum, nkx_dtype t, int fused)
{
    const int64_t b = nkx_dtype_bytes(t);
    nkx_gemm_step steps[TILES];
    for (int out = 0; out < SIZE / TILE_M * (SIZE / TILE_N); out++) {
        const int m = out % (SIZE / TILE_M);
        for (int k = 0; k < TILES; k++) {
            steps[k] = (nkx_gemm_step){TILE_K,
                                       t,
                                       t,
                                       tile_at(sbuf, b, k * SIZE + m * TILE_M),
                                       tile_at(sbuf, b, TILES * SIZE + k * TILE_N),
                                       SBUF_PITCH,
                                       SBUF_PITCH,
                                       b,
                                       b};
        }
        float *dst = (float *)(void *)(psum + out % 8 * TILE_N * 4);
        for (int k = 0; k < TILES; k += fused) {
            nkx_gemm_chain(TILE_M, TILE_N, steps + k, fused, dst, PSUM_PITCH / 4, k > 0);
        }
    }
}

static void bench_products(void)
{
    static const nkx_dtype types[] = {NKX_DT_FP32, NKX_DT_BF16, NKX_DT_FP8_E4M3};
    float *a = calloc(SIZE, SIZE * 4), *b = calloc(SIZE, SIZE * 4), *c = calloc(SIZE, SIZE * 4);
    uint8_t *sbuf = aligned_alloc(4096, 128 * SBUF_PITCH);
    uint8_t *psum = aligned_alloc(4096, 128 * PSUM_PITCH);
    if (a == NULL || b == NULL || c == NULL || sbuf == NULL || psum == NULL) exit(70);
    memset(sbuf, 0, 128 * SBUF_PITCH);
    memset(psum, 0, 128 * PSUM_PITCH);
    double whole = 1e9;
    for (size_t i = 0; i < NKX_COUNT(types) * 2; i++) {
        const int fused = i % 2 ? TILES : 1;
        double best = 1e9;
        for (int round = 0; round < 4; round++) {
            double start = now();
            nkx_gemm_f32(SIZE, SIZE, SIZE, a, true, b, false, c, 1);
            double middle = now();
            tiled_product(sbuf, psum, types[i / 2], fused);
            double end = now();
            if (middle - start < whole) whole = middle - start;
            if (end - middle < best) best = end - middle;
        }
        printf("tiles of %-14s %2d at once %5.2f x one product  %6.1f GFLOP/s\n",
               nkx_dtypes[types[i / 2]].name, fused, best / whole,
               2e-9 * SIZE * SIZE * SIZE / best);
    }
    free(a);
    free(b);
    free(c);
    free(sbuf);
    free(psum);
}

int main(int argc, char **argv)
{
    nkx_gemm_prepare_process();
    if (argc > 1) wanted = argv[1];
    for (int i = 0; i < N; i++) {
        fa[i] = (float)(i % 97) * 0.07f - 3.0f;
        fb[i] = (float)(i % 89) * 0.05f + 0.1f;
    }
    bench_rows();
    if (strstr("product", wanted) != NULL) bench_products();
    return 0;
}
