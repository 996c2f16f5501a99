/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a machine file over a built-in one; then a few instructions on what came out. */
#include "interp/machine/timeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const nkx_config *config, nkx_diags *diags)
{
    nkx_core core;
    if (!nkx_core_init(&core, config, diags, (nkx_modes){.time = true, .hazards = true}, NULL))
        return;
    nkx_op op = {.opcode = "dma_copy", .engine = NKX_DMA};
    op.cost = (nkx_cost){.cls = NKX_COST_DMA,
                         .from_hbm = true,
                         .rows = 64,
                         .run_bytes = 5000,
                         .bytes = 64 * 5000,
                         .nparts = 64,
                         .queue_engine = NKX_N_ENGINES};
    bool fine = nkx_core_issue(&core, &op, NULL, NULL);
    op = (nkx_op){.opcode = "nc_matmul", .engine = NKX_PE};
    op.cost = (nkx_cost){.work_cycles = 512, .ls_cycles = 128};
    for (int i = 0; i < 50 && fine; i++) fine = nkx_core_issue(&core, &op, NULL, NULL);
    (void)nkx_timeline_summary(core.timeline);
    nkx_core_fini(&core);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nkx_sources *sources = nkx_sources_new();
    nkx_diags diags;
    nkx_config config;
    nkx_diags_init(&diags, sources);
    const nkx_source *src = nkx_sources_add(sources, "fuzz.ini", (const char *)data, size);
    if (nkx_config_load(&config, "trn2", NULL, &diags) && nkx_config_parse(&config, src, &diags) &&
        config.v[NKX_MP_SBUF_USABLE] <= config.v[NKX_MP_SBUF_BYTES]) {
        use(&config, &diags);
    }
    nkx_config_fini(&config);
    nkx_diags_fini(&diags);
    nkx_sources_free(sources);
    return 0;
}
