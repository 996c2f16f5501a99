/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions between the two cores of a launch (isa.md 4.11). With one core a barrier has nothing
 * to wait for; data exchange needs two and is refused by name. Layer isa.
 */
#include "interp/isa/example.h"
#include "interp/isa/row.h"

enum { CB_DATA, CB_CORES, CB_ENGINE };

static const nkx_isa_param core_barrier_params[] = {
    P_ROW(.name = "data", .accept = NKX_P_TILE, .dir = NKX_DIR_NONE, .required = true,
          .spaces = NKX_IN_SBUF | NKX_IN_HBM, .dtypes = NKX_DTS_ALL, .flags = NKX_PF_ANYPART,
          .doc = "shared_hbm tensor that the cores exchange"),
    P_ROW(.name = "cores", .accept = NKX_ACCEPT(NKX_ARG_INT) | NKX_ACCEPT(NKX_ARG_INTS),
          .required = true, .doc = "(0, 1), or a single core"),
    P_ENUM("engine", NKX_ENUM_ENGINE, NKX_ENGINE_GPSIMD, "engine.gpsimd",
           .doc = "engine that waits"),
    P_END,
};

static bool core_barrier_pick(nkx_issue *is)
{
    return nkx_pick_engine(is, CB_ENGINE, NKX_POOL,
                           NKX_ENG_PE | NKX_ENG_DVE | NKX_ENG_ACT | NKX_ENG_POOL | NKX_ENG_SP);
}

static bool core_barrier_check(nkx_issue *is)
{
    const nkx_arg *a = nkx_arg_of(is, CB_CORES);
    bool single = a->kind == NKX_ARG_INT || a->u.ints.n == 1;
    if (!single &&
        !nkx_isa_fault(is, NKX_E578, CB_CORES,
                       "With one core there is nothing to wait for. Pass cores=(0,) there, or "
                       "guard the barrier by nl.num_programs().",
                       "a barrier between %d cores in a launch on one", a->u.ints.n)) {
        return false;
    }
    return !nkx_view_on_chip(nkx_tile(is, CB_DATA)) ||
           nkx_isa_fault(is, NKX_E569, CB_DATA, "The documents describe shared_hbm tensors only.",
                         "data is an on-chip tile");
}

static void core_barrier_cost(const nkx_issue *is, nkx_cost *out)
{
    (void)is;
    out->cls = NKX_COST_SEQ;
}

static void nothing(const void *arg)
{
    (void)arg;
}

static bool no_numbers(nkx_issue *is, nkx_work *out)
{
    (void)is;
    out->run = nothing;
    return true;
}

const nkx_insn nkx_insn_core_barrier = {
    .name = "core_barrier",
    .engines = NKX_ENG_PE | NKX_ENG_DVE | NKX_ENG_ACT | NKX_ENG_POOL | NKX_ENG_SP,
    .min_gen = 3,
    .since = "0.1.0",
    .section = "Cores",
    .params = core_barrier_params,
    .pick = core_barrier_pick,
    .check = core_barrier_check,
    .lower = no_numbers,
    .cost = core_barrier_cost,
    .brief = "Waits until the cores named have come here.",
    .doc =
        "In a launch on one core there is nothing to wait for; naming both cores there is let pass "
        "with a warning. Launches on two cores come in a later version. data is documented as a "
        "shared_hbm tensor; a counter tile in SBUF is let pass with a warning.",
    .example = NKX_EXAMPLE(NKX_EX_TILE(
        "a", "(128, 64)", "float32",
        "1.0") "    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)\n"
               "    nisa.dma_copy(dst=out, src=a)\n"
               "    nisa.core_barrier(data=out, cores=(0,))\n    return out\n"),
    .cost_doc =
        "a semaphore round trip of about 1300 ns between two cores (estimate); none with one core",
};

enum { SR_SRC, SR_DST };

static const nkx_isa_param sendrecv_params[] = {
    P_ROW(.name = "src", .accept = NKX_P_TILE, .dir = NKX_DIR_IN, .required = true,
          .spaces = NKX_IN_SBUF, .dtypes = NKX_DTS_ALL, .flags = NKX_PF_ANYPART,
          .doc = "tile sent to the other core"),
    P_ROW(.name = "dst", .accept = NKX_P_TILE, .dir = NKX_DIR_OUT, .required = true,
          .spaces = NKX_IN_SBUF, .dtypes = NKX_DTS_ALL, .flags = NKX_PF_ANYPART,
          .doc = "tile received from the other core"),
    P_ROW(.name = "send_to_rank", .accept = NKX_ACCEPT(NKX_ARG_INT) | NKX_ACCEPT(NKX_ARG_REG),
          .required = true, .doc = "0 or 1"),
    P_ROW(.name = "recv_from_rank", .accept = NKX_ACCEPT(NKX_ARG_INT) | NKX_ACCEPT(NKX_ARG_REG),
          .required = true, .doc = "0 or 1"),
    P_ROW(.name = "pipe_id", .accept = NKX_ACCEPT(NKX_ARG_INT), .required = true,
          .doc = "operations of one pipe complete together"),
    P_ENUM("dma_engine", NKX_ENUM_DMA_ENGINE, NKX_DMAENG_DMA, "dma_engine.dma",
           .doc = "dma, or gpsimd_dma for small tiles"),
    P_END,
};

static bool sendrecv_check(nkx_issue *is)
{
    nkx_isa_fault(is, NKX_E568, -1,
                  "Exchange between two cores comes with multi-core launches; in a launch on one "
                  "core there is no partner.",
                  "no second core in this launch");
    return false;
}

static void sendrecv_cost(const nkx_issue *is, nkx_cost *out)
{
    (void)is;
    out->cls = NKX_COST_DMA;
}

const nkx_insn nkx_insn_sendrecv = {
    .name = "sendrecv",
    .engines = NKX_ENG_DMA,
    .min_gen = 3,
    .since = "0.1.0",
    .section = "Cores",
    .params = sendrecv_params,
    .check = sendrecv_check,
    .lower = no_numbers,
    .cost = sendrecv_cost,
    .brief = "Exchanges tiles between the two cores of a launch.",
    .doc = "Resolves, so that kernels load and are checked; running it needs a launch on two "
           "cores, which this version does not have.",
    .example = NKX_EXAMPLE(
        NKX_EX_TILE("a", "(128, 64)", "float32",
                    "1.0") "    if nl.num_programs(axes=0) == 2:\n"
                           "        b = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)\n"
                           "        other = 1 - nl.program_id(0)\n"
                           "        nisa.sendrecv(src=a, dst=b, send_to_rank=other, "
                           "recv_from_rank=other, pipe_id=0)\n"
                           "        a = b\n" NKX_EX_STORE("a", "(128, 64)", "float32")),
    .cost_doc = "as dma_copy and a barrier (estimate)",
};
