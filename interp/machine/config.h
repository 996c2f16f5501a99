/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine files: every size, rate and latency of a target, each with unit and provenance. The
 * built-in ones (machines/trn1.ini, trn2.ini, trn3.ini under this folder) are embedded at build; a
 * user's file may override any parameter. Unknown keys are refused.
 *
 * A file is lines of `key = value unit ; where the value comes from`, and comments after `#`. The
 * keys and units stand in params.def. Once parsed, times are picoseconds; all else keeps the unit
 * of its row: GHz, bytes per nanosecond, bytes, cycles.
 */
#ifndef NKX_MACHINE_CONFIG_H
#define NKX_MACHINE_CONFIG_H

#include "interp/base/diag.h"

typedef enum nkx_param_id {
#define NKX_MPARAM(id, key, unit, lo, hi, doc) NKX_MP_##id,
#include "interp/machine/params.def"
#undef NKX_MPARAM
    NKX_N_MPARAMS,
} nkx_param_id;

typedef struct nkx_mparam_row {
    const char *key, *unit, *doc;
    double lo, hi; /* accepted range */
} nkx_mparam_row;
extern const nkx_mparam_row nkx_mparam_rows[NKX_N_MPARAMS];

typedef struct nkx_config {
    const char *name; /* "trn2" */
    int gen;          /* 2, 3, 4 */
    double v[NKX_N_MPARAMS];
    const char
        *where[NKX_N_MPARAMS]; /* provenance: "measured: ...", "documented: ...", "assumed: ..." */
    nkx_arena arena;
} nkx_config;

static inline double nkx_cfg(const nkx_config *c, nkx_param_id p)
{
    return c->v[p];
}
static inline int64_t nkx_cfg_i(const nkx_config *c, nkx_param_id p)
{
    return (int64_t)c->v[p];
}

/*
 * "trn1", "inf2", "gen2", "trn2", "gen3", "trn3", "gen4"; NULL for an unknown name. The names, in
 * the order shown to users, are all that nkx_target_canonical accepts.
 */
const char *nkx_target_canonical(const char *name);
const char *const *nkx_target_names(size_t *n);
/* Loads the built-in file of a target, then `override_path` (may be NULL) on top. */
NKX_MUST_USE bool nkx_config_load(nkx_config *c, const char *target, const char *override_path,
                                  nkx_diags *diags);
/* Reads a file's text into c, which must have been loaded or zeroed. Keys it does not name keep
 * their value. */
NKX_MUST_USE bool nkx_config_parse(nkx_config *c, const nkx_source *src, nkx_diags *diags);
void nkx_config_fini(nkx_config *c);
/* docs/machine.md: every parameter of every built-in target with unit and provenance. */
void nkx_config_markdown(nkx_buf *out);

#endif
