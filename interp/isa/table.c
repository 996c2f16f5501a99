/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction table, joined from the engine files in the order of the reference, and the enums
 * (isa.md 4.1). Layer isa. */
#include "interp/isa/row.h"

#include <string.h>

#define NKX_ROW(n) &nkx_insn_##n,
const nkx_insn *const nkx_isa_table[] = {
#include "interp/isa/rows.def"
    NULL,
};
#undef NKX_ROW

const nkx_insn *nkx_isa_find(const char *name)
{
    for (size_t i = 0; nkx_isa_table[i] != NULL; i++) {
        if (strcmp(nkx_isa_table[i]->name, name) == 0) return nkx_isa_table[i];
    }
    return NULL;
}

int nkx_isa_param_find(const nkx_insn *row, const char *name)
{
    for (int i = 0; row->params[i].name != NULL; i++) {
        if (strcmp(row->params[i].name, name) == 0) return i;
    }
    return -1;
}

static const nkx_isa_member engine_members[] = {
    {"tensor",  NKX_ENGINE_TENSOR,  NULL},
    {"vector",  NKX_ENGINE_VECTOR,  NULL},
    {"scalar",  NKX_ENGINE_SCALAR,  NULL},
    {"gpsimd",  NKX_ENGINE_GPSIMD,  NULL},
    {"dma",     NKX_ENGINE_DMA,     NULL},
    {"sync",    NKX_ENGINE_SYNC,    NULL},
    {"unknown", NKX_ENGINE_UNKNOWN, NULL},
    {NULL,      0,                  NULL},
};
static const nkx_isa_member reduce_cmd_members[] = {
    {"idle",         NKX_CMD_IDLE,         NULL},
    {"reset",        NKX_CMD_RESET,        NULL},
    {"reduce",       NKX_CMD_REDUCE,       NULL},
    {"reset_reduce", NKX_CMD_RESET_REDUCE, NULL},
    {"load_reduce",  NKX_CMD_LOAD_REDUCE,  NULL},
    {NULL,           0,                    NULL},
};
static const nkx_isa_member dge_mode_members[] = {
    {"unknown", NKX_DGE_UNKNOWN, NULL},
    {"swdge",   NKX_DGE_SWDGE,   NULL},
    {"hwdge",   NKX_DGE_HWDGE,   NULL},
    {"none",    NKX_DGE_NONE,    NULL},
    {NULL,      0,               NULL},
};
static const nkx_isa_member oob_mode_members[] = {
    {"error", NKX_OOB_ERROR, NULL},
    {"skip",  NKX_OOB_SKIP,  NULL},
    {NULL,    0,             NULL},
};
static const nkx_isa_member perf_mode_members[] = {
    {"none",       NKX_PERF_NONE,       "none"      },
    {"double_row", NKX_PERF_DOUBLE_ROW, "double_row"},
    {NULL,         0,                   NULL        },
};
static const nkx_isa_member nc_version_members[] = {
    {"gen2", 2, NULL},
    {"gen3", 3, NULL},
    {"gen4", 4, NULL},
    {NULL,   0, NULL},
};
static const nkx_isa_member dma_engine_members[] = {
    {"dma",        NKX_DMAENG_DMA,    NULL},
    {"gpsimd_dma", NKX_DMAENG_GPSIMD, NULL},
    {NULL,         0,                 NULL},
};
static const nkx_isa_member memory_region_members[] = {
    {"sbuf",        NKX_SPACE_SBUF,       "sbuf"       },
    {"psum",        NKX_SPACE_PSUM,       "psum"       },
    {"private_hbm", NKX_SPACE_HBM,        "private_hbm"},
    {"shared_hbm",  NKX_SPACE_SHARED_HBM, "shared_hbm" },
    {NULL,          0,                    NULL         },
};

const nkx_isa_enum nkx_isa_enums[NKX_N_ISA_ENUMS] = {
    [NKX_ENUM_ENGINE] = {"engine",           engine_members,        "Engines; unknown lets the compiler choose."},
    [NKX_ENUM_REDUCE_CMD] = {"reduce_cmd",       reduce_cmd_members,
                         "What an instruction does with the accumulators of its engine."                        },
    [NKX_ENUM_DGE_MODE] = {"dge_mode",         dge_mode_members,      "Who makes the descriptors of a DMA."       },
    [NKX_ENUM_OOB_MODE] = {"oob_mode",         oob_mode_members,
                         "What a dynamic index out of bounds does."                                             },
    [NKX_ENUM_PERF_MODE] = {"matmul_perf_mode", perf_mode_members,
                         "Performance modes of the tensor engine; strings are accepted too."                    },
    [NKX_ENUM_NC_VERSION] = {"nc_version",       nc_version_members,
                         "Generations of the core; ordered, and comparable with integers."                      },
    [NKX_ENUM_DMA_ENGINE] = {"dma_engine",       dma_engine_members,    "Who moves the data of sendrecv."           },
    [NKX_ENUM_MEMORY_REGION] = {"MemoryRegion",     memory_region_members,
                         "Memories; nl.hbm is private_hbm."                                                     },
};

const char *nkx_isa_member_name(int which, int value)
{
    if (which < 0 || which >= NKX_N_ISA_ENUMS) return "?";
    for (const nkx_isa_member *m = nkx_isa_enums[which].members; m->name != NULL; m++) {
        if (m->value == value) return m->name;
    }
    return "?";
}
