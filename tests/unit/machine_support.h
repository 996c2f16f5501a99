/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emits instruction streams to a core without an evaluator: tiles, copies, multiplies and
 * element-wise instructions with the costs that the instruction table would give them. For tests of
 * the machine layer.
 */
#ifndef NKX_TESTS_MACHINE_SUPPORT_H
#define NKX_TESTS_MACHINE_SUPPORT_H

#include "interp/machine/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct mach {
    nkx_sources *sources;
    nkx_diags diags;
    nkx_config config;
    nkx_core core;
    uint32_t source; /* of the instructions' places; 0: none */
} mach;

static inline void mach_init(mach *m, const char *target, nkx_modes modes)
{
    m->source = 0;
    m->sources = nkx_sources_new();
    nkx_diags_init(&m->diags, m->sources);
    assert_true(nkx_config_load(&m->config, target, NULL, &m->diags));
    assert_true(nkx_core_init(&m->core, &m->config, &m->diags, modes, NULL));
}

static inline void mach_fini(mach *m)
{
    nkx_core_fini(&m->core);
    nkx_config_fini(&m->config);
    nkx_diags_fini(&m->diags);
    nkx_sources_free(m->sources);
}

static inline nkx_storage *mach_tile(mach *m, nkx_space space, int64_t rows, int64_t row_bytes,
                                     const char *name)
{
    nkx_storage *st = NULL;
    assert_true(nkx_storage_new(&m->core, space, rows, row_bytes, (nkx_place){0}, (nkx_span){0},
                                name, "", &st));
    return st;
}

static inline nkx_storage *mach_try_at(mach *m, nkx_space space, int64_t rows, int64_t row_bytes,
                                       int64_t part, int64_t offset, const char *name)
{
    nkx_storage *st = NULL;
    nkx_place at = {true, part, offset};
    return nkx_storage_new(&m->core, space, rows, row_bytes, at, (nkx_span){0}, name, "", &st)
               ? st
               : NULL;
}

static inline nkx_region mach_rect(nkx_storage *st, int64_t r0, int64_t r1, int64_t b0, int64_t b1,
                                   bool write, const char *param)
{
    return (nkx_region){.st = st,
                        .r0 = (uint32_t)r0,
                        .r1 = (uint32_t)r1,
                        .b0 = b0,
                        .b1 = b1,
                        .exact = true,
                        .write = write,
                        .elem_bytes = 1,
                        .param = param};
}

static inline nkx_region mach_all(nkx_storage *st, bool write, const char *param)
{
    return mach_rect(st, 0, st->rows, 0, st->row_bytes, write, param);
}

static inline bool mach_issue(mach *m, const char *opcode, nkx_engine engine, nkx_cost cost,
                              nkx_region *regions, size_t n, uint32_t place)
{
    nkx_op op = {
        .opcode = opcode,
        .span = {m->source, place, place},
        .engine = (uint8_t)engine,
        .cost = cost,
        .regions = regions,
        .n_regions = n
    };
    if (cost.flop_weight <= 0) op.cost.flop_weight = 1;
    return nkx_core_issue(&m->core, &op, NULL, NULL);
}

/* One row of the smaller side at a time: `run` bytes contiguous on both sides. */
static inline bool mach_dma(mach *m, nkx_region dst, nkx_region src, uint32_t place)
{
    nkx_region regions[2] = {src, dst};
    bool store = src.st->space == NKX_SPACE_SBUF;
    nkx_region chip = store ? src : dst;
    nkx_cost cost = {
        .cls = NKX_COST_DMA, .queue_engine = NKX_N_ENGINES, .perf_mode = 1, .act_function = -1};
    cost.rows = (int64_t)(chip.r1 - chip.r0);
    cost.run_bytes = chip.b1 - chip.b0;
    cost.bytes = cost.rows * cost.run_bytes;
    cost.part0 = chip.st->part0 + chip.r0;
    cost.nparts = chip.r1 - chip.r0;
    cost.to_hbm = store;
    cost.from_hbm = !store;
    return mach_issue(m, "dma_copy", NKX_DMA, cost, regions, 2, place);
}

static inline bool mach_matmul(mach *m, nkx_region dst, nkx_region st, nkx_region mv, int64_t k,
                               int64_t cols, int64_t n, bool fp32, uint32_t place)
{
    dst.by_pe = true;
    nkx_region regions[3] = {st, mv, dst};
    nkx_cost cost = {.cls = fp32 ? NKX_COST_PE_MM_FP32 : NKX_COST_PE_MM,
                     .perf_mode = 1,
                     .work_cycles = n,
                     .ls_cycles = cols,
                     .flops = 2 * k * cols * n,
                     .flop_weight = fp32 ? 4 : 1,
                     .act_function = -1};
    return mach_issue(m, "nc_matmul", NKX_PE, cost, regions, 3, place);
}

static inline bool mach_work(mach *m, const char *opcode, nkx_engine engine, nkx_cost_class cls,
                             int64_t cycles, nkx_region dst, const nkx_region *src, size_t n_src,
                             uint32_t place)
{
    nkx_region regions[4] = {dst};
    nkx_cost cost = {
        .cls = (uint8_t)cls, .perf_mode = 1, .work_cycles = cycles, .act_function = -1};
    for (size_t i = 0; i < n_src; i++) regions[i + 1] = src[i];
    return mach_issue(m, opcode, engine, cost, regions, n_src + 1, place);
}

#endif
