/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: a whole program, loaded, checked and run under limits of steps and memory. */
#include "interp/include/nkx.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nkx_options o;
    nkx_options_init(&o);
    o.target = "trn2";
    o.threads = 1;
    o.time = true;
    o.max_steps = 20000;
    o.max_bytes = (uint64_t)64 << 20;
    o.max_errors = 20;
    nkx_runtime *rt = nkx_runtime_new(&o);
    if (nkx_load_text(rt, "fuzz.nki", (const char *)data, size) == NKX_OK) {
        (void)nkx_check_rules(rt);
        (void)nkx_run_script(rt);
    }
    nkx_string_free(nkx_diagnostics_text(rt, 0, false));
    nkx_runtime_free(rt);
    return 0;
}
