/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which NKI version brought which public name: under --nki 0.N the later ones are not there, for
 * programs; the library written in NKI sees all. Names of 0.3 and before are always there. Layer
 * eval.
 */
#include "interp/eval/versions.h"

#include "interp/eval/nki.h"

#include <string.h>

typedef struct newer {
    const char *of; /* module, or type of an object */
    const char *name;
    int minor; /* 0.minor brought it */
} newer;

static const newer newer_names[] = {
    {"nki.language",    "abs_max",              4},
    {"nki.language",    "abs_min",              4},
    {"nki.language",    "prelu",                4},
    {"nki.language",    "bypass",               4},
    {"nki.language",    "average",              5},
    {"nki.language",    "float8_e8m0fnu",       5},
    {"nki.language",    "fori_loop",            6},
    {"nki.language",    "while_loop",           6},
    {"nki.isa",         "activate2",            4},
    {"nki.isa",         "get_nc_sub_version",   5},
    {"nki.isa",         "topk",                 6},
    {"nki.isa",         "NkiInstruction",       6},
    {"nki.collectives", "all_gather_v",         6},
    {"tensor",          "is_contiguous",        5},
    {"tensor",          "is_indirect",          5},
    {"tensor",          "permute",              5},
    {"tensor",          "broadcast",            5},
    {"tensor",          "expand_dim",           5},
    {"tensor",          "squeeze_dim",          5},
    {"tensor",          "reshape_dim",          5},
    {"tensor",          "flatten_dims",         5},
    {"tensor",          "rearrange",            5},
    {"tensor",          "slice",                5},
    {"tensor",          "select",               5},
    {"tensor",          "vector_select",        5},
    {"tensor",          "indirect",             5},
    {"_TileSize",       "sbuf_size_bytes",      4},
    {"_TileSize",       "sbuf_fmax",            4},
    {"_TileSize",       "sbuf_fmax_bytes",      4},
    {"_TileSize",       "psum_bank_fmax",       4},
    {"_TileSize",       "psum_bank_fmax_bytes", 4},
    {"_TileSize",       "psum_num_banks",       5},
    {"NkiInstruction",  "depends_on",           6},
};

static const char *owner_of(nkx_value v)
{
    switch ((int)v.type) {
    case NKX_V_MODULE: return NKX_AS(nkx_module_obj, v)->name->text;
    case NKX_V_NATIVE: return NKX_AS(nkx_native, v)->type->name;
    case NKX_V_TENSOR: return "tensor";
    default: return "";
    }
}

int nkx_newer_name(const nkx_vm *vm, nkx_value v, const nkx_name *name)
{
    if (NKX_LIKELY(vm->o.nki_minor >= NKX_NKI_LATEST)) return 0;
    if (vm->frame != NULL && vm->frame->unit != NULL && vm->frame->unit->is_stdlib) return 0;
    const char *of = owner_of(v);
    for (size_t i = 0; i < NKX_COUNT(newer_names); i++) {
        const newer *w = &newer_names[i];
        if (w->minor <= vm->o.nki_minor || strcmp(w->name, name->text) != 0) continue;
        if (strcmp(w->of, of) == 0) return w->minor;
    }
    return 0;
}

void nkx_raise_newer(nkx_vm *vm, const char *kind, nkx_value v, const nkx_name *name)
{
    int minor = nkx_newer_name(vm, v, name);
    nkx_raise(vm, NKX_E735, kind, "'%s' of %s came with NKI 0.%d, the rules are those of 0.%d",
              name->text, v.type == NKX_V_TENSOR ? "tensors" : owner_of(v), minor, vm->o.nki_minor);
    nkx_raise_hint(vm, "Run with --nki 0.%d or later, or do without.", minor);
}
