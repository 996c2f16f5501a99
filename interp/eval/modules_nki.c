/* SPDX-License-Identifier: Apache-2.0 */
/* The list of NKI's builtin modules. Layer eval. */
#include "interp/eval/nki.h"

const nkx_module_def *const nkx_modules_nki[] = {
    &nkx_mod_nki,
    &nkx_mod_nisa,
    &nkx_mod_nisa_constants,
    &nkx_mod_nl,
    &nkx_mod_nl_elementwise,
    &nkx_mod_nl_composites,
    &nkx_mod_nki_typing,
    &nkx_mod_nki_dtype,
    &nkx_mod_nki_collectives,
    NULL,
};
