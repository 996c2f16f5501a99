/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module nki.language: types, memories, operator tokens, creation of tensors, ranges, program
 * structure (isa.md 5.1, 5.5). Functions that are compositions of instructions are written in NKI:
 * stdlib/elementwise.nki and composites.nki. Layer eval.
 */
#include "interp/eval/nki.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- types and memories ---- */

bool nkx_value_dtype(nkx_vm *vm, nkx_value v, const char *what, nkx_dtype *out)
{
    if (v.type == NKX_V_DTYPE) {
        *out = (nkx_dtype)v.u.i;
        return true;
    }
    if (v.type == NKX_V_STR) {
        *out = nkx_dtype_find(nkx_text(v));
        if (*out != NKX_N_DTYPES) return true;
    }
    if (v.type == NKX_V_TYPE && v.u.i == NKX_V_BOOL) {
        *out = NKX_DT_BOOL;
        return true;
    }
    nkx_raise(vm, NKX_E702, "TypeError", "%s must be a type such as nl.float32, not %s%s%s%s", what,
              nkx_type_name(v), v.type == NKX_V_STR ? " '" : "",
              v.type == NKX_V_STR ? nkx_text(v) : "", v.type == NKX_V_STR ? "'" : "");
    return false;
}

nkx_value nkx_space_value(nkx_space s)
{
    const nkx_isa_member *m = nkx_isa_enums[NKX_ENUM_MEMORY_REGION].members;
    const char *name = nkx_space_name(s);
    while (m->name != NULL && strcmp(m->name, name) != 0) m++;
    return nkx_member(NKX_ENUM_MEMORY_REGION, m->name != NULL ? m->value : (int)s);
}

static nkx_space space_of_name(const char *name)
{
    for (int s = 0; s < NKX_N_SPACES; s++) {
        if (strcmp(nkx_space_name((nkx_space)s), name) == 0) return (nkx_space)s;
    }
    return strcmp(name, "hbm") == 0 ? NKX_SPACE_HBM : NKX_N_SPACES;
}

static nkx_space space_of_member(nkx_value v)
{
    const nkx_isa_member *m = nkx_isa_enums[NKX_ENUM_MEMORY_REGION].members;
    while (m->name != NULL && m->value != v.u.m.value) m++;
    return m->name != NULL ? space_of_name(m->name) : NKX_N_SPACES;
}

bool nkx_member_on_chip(nkx_value v)
{
    return nkx_space_on_chip(space_of_member(v));
}

bool nkx_value_space(nkx_vm *vm, nkx_value v, nkx_space *out)
{
    *out = NKX_SPACE_SBUF;
    if (v.type == NKX_V_NONE || v.type == NKX_V_UNSET) return true;
    if (v.type == NKX_V_MEMBER && v.u.m.which == NKX_ENUM_MEMORY_REGION) {
        *out = space_of_member(v);
        return true;
    }
    if (v.type == NKX_V_STR && space_of_name(nkx_text(v)) != NKX_N_SPACES) {
        *out = space_of_name(nkx_text(v));
        nkx_diag *g = nkx_diag_add(vm->diags, NKX_E724, nkx_vm_span(vm),
                                   "a memory named by the string '%s'", nkx_text(v));
        nkx_diag_hint(vm->diags, g, "Write nl.%s: strings are refused since NKI 0.3.", nkx_text(v));
        return nkx_diag_stops(g) ? nkx_raise_diagnosed(vm) : true;
    }
    nkx_raise(vm, NKX_E702, "TypeError", "'buffer' must be a memory, not %s", nkx_type_name(v));
    nkx_raise_hint(vm,
                   "The memories are nl.sbuf, nl.psum, nl.hbm (private_hbm) and nl.shared_hbm.");
    return false;
}

static bool is_space(const nkx_value *in, bool sbuf, bool psum, bool hbm)
{
    nkx_space s = NKX_N_SPACES;
    if (in[0].type == NKX_V_MEMBER && in[0].u.m.which == NKX_ENUM_MEMORY_REGION)
        s = space_of_member(in[0]);
    if (in[0].type == NKX_V_STR) s = space_of_name(nkx_text(in[0]));
    if (in[0].type == NKX_V_TENSOR) s = (nkx_space)nkx_view_of(in[0])->st->space;
    return (sbuf && s == NKX_SPACE_SBUF) || (psum && s == NKX_SPACE_PSUM) ||
           (hbm && (s == NKX_SPACE_HBM || s == NKX_SPACE_SHARED_HBM));
}

#define IS(n, a, b, c)                                                                             \
    static bool n(nkx_vm *vm, const nkx_value *in, nkx_value *out)                                 \
    {                                                                                              \
        (void)vm;                                                                                  \
        *out = nkx_bool(is_space(in, a, b, c));                                                    \
        return true;                                                                               \
    }
IS(is_sbuf, true, false, false)
IS(is_psum, false, true, false)
IS(is_hbm, false, false, true)
IS(is_on_chip, true, true, false)
#undef IS

/* ---- creation ---- */

bool nkx_tile_new(nkx_vm *vm, nkx_space space, int ndim, const int64_t *shape, nkx_dtype dt,
                  nkx_place at, const char *name, nkx_value *out)
{
    nkx_view *v = NULL;
    nkx_core *core = nkx_need_core(vm, "nl.ndarray");
    if (core == NULL) return false;
    if (!nkx_view_alloc(core, space, ndim, shape, dt, at, nkx_vm_span(vm), name, &v))
        return nkx_raise_diagnosed(vm);
    *out = nkx_tensor_take(vm, v);
    return true;
}

static bool place_of(nkx_vm *vm, nkx_value v, nkx_place *out)
{
    *out = (nkx_place){0};
    if (v.type == NKX_V_NONE || v.type == NKX_V_UNSET) return true;
    int64_t at[2];
    int n;
    if (!nkx_as_shape(vm, v, "address", at, 2, &n)) return false;
    if (n != 2) {
        return nkx_raise(vm, NKX_E702, "TypeError",
                         "'address' must be (partition, byte offset), not %d numbers", n);
    }
    *out = (nkx_place){.given = true, .partition = at[0], .offset = at[1]};
    return true;
}

static bool name_arg(nkx_vm *vm, nkx_value v, const char **out)
{
    *out = "";
    if (v.type == NKX_V_NONE || v.type == NKX_V_UNSET) return true;
    if (v.type != NKX_V_STR)
        return nkx_raise(vm, NKX_E702, "TypeError", "'name' must be a str, not %s",
                         nkx_type_name(v));
    if (nkx_text_len(v) > 0) *out = nkx_name_of(vm, v)->text;
    return true;
}

/* in: shape, dtype, buffer, name, address */
static bool create(nkx_vm *vm, nkx_value shape_v, nkx_value dtype_v, nkx_value buffer,
                   nkx_value name_v, nkx_value address, nkx_value *out)
{
    int64_t shape[NKX_MAX_RANK];
    int n;
    nkx_dtype dt;
    nkx_space space;
    nkx_place at;
    const char *name;
    if (!nkx_as_shape(vm, shape_v, "shape", shape, NKX_MAX_RANK, &n)) return false;
    if (!nkx_value_dtype(vm, dtype_v, "'dtype'", &dt) || !nkx_value_space(vm, buffer, &space))
        return false;
    if (!place_of(vm, address, &at) || !name_arg(vm, name_v, &name)) return false;
    return nkx_tile_new(vm, space, n, shape, dt, at, name, out);
}

static bool ndarray(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return create(vm, in[0], in[1], in[2], in[3], in[4], out);
}

/* HBM is filled from a row of SBUF that repeats by a step of 0. */
static bool fill_hbm(nkx_vm *vm, nkx_value t, nkx_value value)
{
    static const char *const memset_names[] = {"dst", "value"}, *const copy_names[] = {"dst",
                                                                                       "src"};
    const nkx_view *v = nkx_view_of(t);
    int64_t row = v->shape[v->ndim - 1];
    int64_t pattern[3][2] = {
        {row, 1                     },
        {0,   nkx_view_size(v) / row},
        {1,   row                   }
    };
    nkx_ap ap = {.pattern = (const int64_t(*)[2])pattern, .n = 3, .dtype = -1};
    nkx_value tile = NKX_NONE, src = NKX_NONE;
    nkx_view *many = NULL;
    if (!nkx_tile_new(vm, NKX_SPACE_SBUF, 2, (int64_t[]){1, row}, (nkx_dtype)v->dtype,
                      (nkx_place){0}, "", &tile)) {
        return false;
    }
    bool ok = nkx_issue_named(vm, "memset", 2, memset_names, (nkx_value[]){tile, value});
    if (ok)
        ok = nkx_view_ap(nkx_view_of(tile), &ap, nkx_vm_span(vm), &many) || nkx_raise_diagnosed(vm);
    if (ok) {
        src = nkx_tensor_take(vm, many);
        ok = nkx_issue_named(vm, "dma_copy", 2, copy_names, (nkx_value[]){t, src});
    }
    nkx_drop(src);
    nkx_drop(tile);
    return ok;
}

static bool fill(nkx_vm *vm, nkx_value t, nkx_value value)
{
    static const char *const names[] = {"dst", "value"};
    if (!nkx_view_on_chip(nkx_view_of(t))) return fill_hbm(vm, t, value);
    return nkx_issue_named(vm, "memset", 2, names, (nkx_value[]){t, value});
}

static bool filled(nkx_vm *vm, bool made, nkx_value value, nkx_value *out)
{
    return made && fill(vm, *out, value);
}

static bool zeros(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return filled(vm, create(vm, in[0], in[1], in[2], in[3], NKX_NONE, out), nkx_int(0), out);
}

static bool ones(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return filled(vm, create(vm, in[0], in[1], in[2], in[3], NKX_NONE, out), nkx_int(1), out);
}

static bool full(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return filled(vm, create(vm, in[0], in[2], in[3], in[4], NKX_NONE, out), in[1], out);
}

/* in: x, dtype, buffer, name */
static bool like(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    if (in[0].type != NKX_V_TENSOR) {
        return nkx_raise(vm, NKX_E702, "TypeError", "'x' must be a tensor, not %s",
                         nkx_type_name(in[0]));
    }
    const nkx_view *v = nkx_view_of(in[0]);
    nkx_dtype dt = (nkx_dtype)v->dtype;
    nkx_space space = (nkx_space)v->st->space;
    const char *name;
    if (in[1].type != NKX_V_NONE && !nkx_value_dtype(vm, in[1], "'dtype'", &dt)) return false;
    if (in[2].type != NKX_V_NONE && !nkx_value_space(vm, in[2], &space)) return false;
    if (!name_arg(vm, in[3], &name)) return false;
    return nkx_tile_new(vm, space, v->ndim, v->shape, dt, (nkx_place){0}, name, out);
}

static bool zeros_like(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return filled(vm, like(vm, in, out), nkx_int(0), out);
}

/* ---- constants in HBM ---- */

bool nkx_nd_raise(nkx_vm *vm, nkx_code code, const nkx_nd_error *e)
{
    return nkx_raise(vm, code, e->exception != NULL ? e->exception : "ValueError", "%s", e->text);
}

static bool shared_constant(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_core *core = nkx_need_core(vm, "nl.shared_constant");
    nkx_ndarray *a = NULL;
    nkx_nd_error e = {0};
    nkx_view *v = NULL;
    if (core == NULL) return false;
    if (in[0].type == NKX_V_STR) {
        if (!nkx_npy_load(nkx_text(in[0]), -1, &a, &e)) return nkx_nd_raise(vm, NKX_E655, &e);
    } else if (in[0].type == NKX_V_ARRAY) {
        a = nkx_nd_copy(NKX_AS(nkx_array_obj, in[0])->a);
    } else {
        return nkx_raise(
            vm, NKX_E702, "TypeError",
            "shared_constant(): 'constant' must be a host array or the path of a .npy file, not %s",
            nkx_type_name(in[0]));
    }
    if (!nkx_dtypes[a->dtype].device || a->ndim < 1 || a->ndim > NKX_MAX_RANK) {
        nkx_raise(vm, NKX_E710, "TypeError",
                  "shared_constant(): an array of type %s and %d dimensions is no constant",
                  nkx_dtypes[a->dtype].name, a->ndim);
        nkx_raise_hint(
            vm, "Convert it first: array.astype(np.float32). One to %d dimensions are possible.",
            NKX_MAX_RANK);
        nkx_nd_drop(a);
        return false;
    }
    nkx_push(&nkx_nki_of(vm)->kept, a);
    if (!nkx_view_external(core, a->at, a->ndim, a->shape, (nkx_dtype)a->dtype, nkx_vm_span(vm),
                           "constant", &v)) {
        return nkx_raise_diagnosed(vm);
    }
    *out = nkx_tensor_take(vm, v);
    return true;
}

/* ---- ranges and program structure ---- */

static bool ds(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    *out = nkx_slice_new(vm, in[0], in[1], NKX_NONE);
    NKX_AS(nkx_slice_obj, *out)->is_ds = true;
    return true;
}

/* affine_range and the others are range. */
static bool range_of(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t a = 0, b, c = 1;
    bool one = in[1].type == NKX_V_NONE;
    for (int i = 0; i < 3; i++) {
        if (in[i].type != NKX_V_REGISTER) continue;
        nkx_raise(vm, NKX_E727, "TypeError", "a register cannot bound a loop that is unrolled");
        nkx_raise_hint(vm, "Use nl.fori_loop, or nl.dynamic_range before NKI 0.6.");
        return false;
    }
    if (!one && !nkx_as_int(vm, in[0], "range start", &a)) return false;
    if (!nkx_as_int(vm, one ? in[0] : in[1], "range stop", &b) ||
        !nkx_as_int(vm, in[2], "range step", &c))
        return false;
    if (c == 0) return nkx_raise(vm, NKX_E211, "ValueError", "range step must not be zero");
    *out = nkx_range_new(vm, a, b, c);
    return true;
}

static bool axis_zero(nkx_vm *vm, const char *fn, nkx_value v)
{
    int64_t axis;
    if (!nkx_as_int(vm, v, fn, &axis)) return false;
    if (axis == 0) return true;
    nkx_raise(vm, NKX_E715, "ValueError", "%s(): there is no axis %lld: grids have one", fn,
              (long long)axis);
    return false;
}

static bool program_id(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    *out = nkx_int(nkx_nki_of(vm)->program);
    return axis_zero(vm, "program_id", in[0]);
}

static bool num_programs(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    *out = nkx_int(nkx_nki_of(vm)->n_programs);
    return axis_zero(vm, "num_programs", in[0]);
}

static bool program_ndim(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)in;
    *out = nkx_int(nkx_nki_of(vm)->grid ? 1 : 0);
    return true;
}

/* ---- no_reorder ---- */

typedef struct reorder {
    bool before;
} reorder;

static bool reorder_enter(nkx_vm *vm, nkx_value self, nkx_value *out)
{
    nkx_core *core = nkx_need_core(vm, "nl.no_reorder");
    if (core == NULL) return false;
    NKX_PAYLOAD(reorder, self)->before = core->in_order;
    core->in_order = true;
    *out = NKX_NONE;
    return true;
}

static bool reorder_exit(nkx_vm *vm, nkx_value self)
{
    if (vm->core != NULL) vm->core->in_order = NKX_PAYLOAD(reorder, self)->before;
    return true;
}

static const nkx_native_type reorder_type = {
    .name = "no_reorder", .enter = reorder_enter, .exit = reorder_exit};

static bool no_reorder(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)in;
    *out = nkx_native_new(vm, &reorder_type, sizeof(reorder));
    return true;
}

/* ---- device_print ---- */

bool nkx_tensor_to_array(nkx_vm *vm, nkx_view *v, nkx_value *out)
{
    nkx_nd_error e = {0};
    if (!nkx_view_in_bounds(v, nkx_vm_span(vm))) return nkx_raise_diagnosed(vm);
    int64_t bytes = nkx_view_size(v) * nkx_dtype_bytes((nkx_dtype)v->dtype);
    if (!nkx_reserve(vm, (uint64_t)bytes)) return false;
    nkx_ndarray *a = nkx_nd_new((nkx_dtype)v->dtype, v->ndim, v->shape, &e);
    if (a == NULL) return nkx_nd_raise(vm, NKX_E250, &e);
    if (v->core->modes.exec) nkx_view_read(v, a->at);
    *out = nkx_array_take(vm, a);
    return true;
}

static bool device_print(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_buf b = {0};
    (void)out;
    if (in[0].type != NKX_V_STR) {
        return nkx_raise(vm, NKX_E702, "TypeError",
                         "device_print(): 'print_prefix' must be a str, not %s",
                         nkx_type_name(in[0]));
    }
    if (in[1].type != NKX_V_TENSOR) {
        return nkx_raise(vm, NKX_E702, "TypeError",
                         "device_print(): 'tensor' must be a tensor, not %s", nkx_type_name(in[1]));
    }
    if (nkx_need_core(vm, "nl.device_print") == NULL) return false;
    if (nkx_view_of(in[1])->core != vm->core) return nkx_foreign(vm, "device_print(): 'tensor'");
    nkx_value shown = nkx_ref(in[1]);
    if (vm->core->modes.exec) {
        nkx_drop(shown);
        shown = NKX_NONE;
        if (!nkx_tensor_to_array(vm, nkx_view_of(in[1]), &shown)) return false;
    }
    nkx_buf_printf(&b, "%s ", nkx_text(in[0]));
    bool ok = nkx_str_of(vm, shown, &b);
    nkx_buf_char(&b, '\n');
    if (ok) nkx_vm_write(vm, 1, b.at, b.len);
    nkx_buf_fini(&b);
    nkx_drop(shown);
    return ok;
}

/* ---- tile_size (isa.md 1.4) ---- */

static bool psum_reserved(void)
{
    const char *e = getenv("NKI_DMA_TRANSPOSE_AS_PE_TRANSPOSE");
    return e != NULL && strcmp(e, "true") == 0;
}

static bool tile_size_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    const nkx_config *c = nkx_nki_config(vm);
    (void)self;
    const int64_t usable = nkx_cfg_i(c, NKX_MP_SBUF_USABLE), bank = nkx_cfg_i(c, NKX_MP_PSUM_BANK);
    const struct {
        const char *name;
        int64_t value;
    } rows[] = {
        {"pmax",                 128     },
        {"psum_fmax",            bank / 4},
        {"psum_bank_fmax",       bank / 4},
        {"psum_bank_fmax_bytes", bank    },
        {"gemm_stationary_fmax", 128     },
        {"gemm_moving_fmax",     512     },
        {"bn_stats_fmax",        512     },
        {"psum_min_align",       4       },
        {"sbuf_min_align",       1       },
        {"psum_num_banks",
         nkx_cfg_i(c,                      NKX_MP_PSUM_BYTES) / bank - (psum_reserved() && c->gen >= 3 ? 1 : 0)},
        {"sbuf_size_bytes",                      128 * nkx_cfg_i(c,              NKX_MP_SBUF_BYTES)},
        {"sbuf_fmax",    usable / 4},
        {"sbuf_fmax_bytes",         usable                  },
        {"total_available_sbuf_size",        usable},
    };
    for (size_t i = 0; i < NKX_COUNT(rows); i++) {
        if (strcmp(rows[i].name, name->text) == 0) *out = nkx_int(rows[i].value);
    }
    return true;
}

static const nkx_native_type tile_size_type = {.name = "_TileSize", .attr = tile_size_attr};

/* ---- operator tokens ---- */

/* Names the token's function has: nl.max and nl.min reduce, though as operators they are maximum
 * and minimum. */
static const char *op_name(nkx_value op)
{
    const nkx_alu_row *row = &nkx_alu_rows[op.u.i];
    return op.aux != 0 && row->alias != NULL ? row->alias : row->name;
}

/* The function behind a token: op_<name> of elementwise.nki or composites.nki; UNSET when there is
 * none. */
static bool find_function(nkx_vm *vm, nkx_value op, nkx_value *out)
{
    static const char *const modules[] = {"nki._elementwise", "nki._composites"};
    char name[64];
    snprintf(name, sizeof name, "op_%s", op_name(op));
    *out = NKX_UNSET;
    for (size_t i = 0; i < NKX_COUNT(modules) && out->type == NKX_V_UNSET; i++) {
        nkx_value module = NKX_NONE;
        if (!nkx_import(vm, modules[i], &module)) return false;
        bool ok = nkx_find_attr(vm, module, nkx_intern(vm, name), out);
        nkx_drop(module);
        if (!ok) return false;
    }
    return true;
}

bool nkx_op_call(nkx_vm *vm, nkx_value op, const nkx_args *a, nkx_value *out)
{
    nkx_nki *s = nkx_nki_of(vm);
    nkx_value *slot = &s->op_fn[op.u.i][op.aux != 0];
    if (slot->type == NKX_V_UNSET && !find_function(vm, op, slot)) return false;
    if (slot->type == NKX_V_UNSET) {
        nkx_raise(vm, NKX_E208, "TypeError", "nl.%s is an operator, not a function", op_name(op));
        nkx_raise_hint(vm, "Give it to an instruction as op=nl.%s.", op_name(op));
        return false;
    }
    return nkx_call(vm, *slot, a, out);
}

nkx_alu nkx_value_op(nkx_vm *vm, nkx_value v)
{
    static const struct {
        const char *np;
        nkx_alu op;
    } numpy[] = {
        {"add",         NKX_ALU_ADD        },
        {"subtract",    NKX_ALU_SUBTRACT   },
        {"multiply",    NKX_ALU_MULTIPLY   },
        {"maximum",     NKX_ALU_MAXIMUM    },
        {"minimum",     NKX_ALU_MINIMUM    },
        {"max",         NKX_ALU_MAXIMUM    },
        {"min",         NKX_ALU_MINIMUM    },
        {"square",      NKX_ALU_SQUARE     },
        {"exp",         NKX_ALU_EXP        },
        {"sum",         NKX_ALU_ADD        },
        {"copy",        NKX_ALU_COPY       },
        {"sqrt",        NKX_ALU_SQRT       },
        {"tanh",        NKX_ALU_TANH       },
        {"power",       NKX_ALU_POWER      },
        {"equal",       NKX_ALU_EQUAL      },
        {"greater",     NKX_ALU_GREATER    },
        {"less",        NKX_ALU_LESS       },
        {"bitwise_and", NKX_ALU_BITWISE_AND},
        {"bitwise_or",  NKX_ALU_BITWISE_OR }
    };
    if (v.type == NKX_V_OP) return (nkx_alu)v.u.i;
    if (v.type != NKX_V_BUILTIN && v.type != NKX_V_NATIVE) return NKX_N_ALU;
    nkx_value name = NKX_UNSET;
    if (v.type == NKX_V_BUILTIN) {
        name = nkx_cstr(vm, v.u.builtin->name);
    } else if (!nkx_find_attr(vm, v, vm->id.d_name, &name) || name.type != NKX_V_STR) {
        nkx_exception_clear(vm);
        nkx_drop(name);
        return NKX_N_ALU;
    }
    nkx_alu op = NKX_N_ALU;
    for (size_t i = 0; i < NKX_COUNT(numpy); i++) {
        if (nkx_str_is(name, numpy[i].np)) op = numpy[i].op;
    }
    nkx_drop(name);
    return op;
}

static bool set_operators(nkx_vm *vm, nkx_value module)
{
    for (int i = 0; i < NKX_N_ALU; i++) {
        nkx_value op = {.type = NKX_V_OP, .u.i = i};
        if (!nkx_module_set(vm, module, nkx_alu_rows[i].name, op)) return false;
        if (nkx_alu_rows[i].alias == NULL) continue;
        op.aux = 1;
        if (!nkx_module_set(vm, module, nkx_alu_rows[i].alias, op)) return false;
    }
    return true;
}

/* ---- the module ---- */

static const nkx_builtin functions[] = {
    {"ndarray",         "shape, dtype, buffer=None, name='', address=None", ndarray,
     "A tensor without values. On chip the first dimension is the partition dimension; "
     "address=(partition, byte offset) places it.", 0},
    {"zeros",          "shape, dtype, buffer=None, name=''", zeros, "A tensor of zeros.", 0},
    {"ones",                "shape, dtype, buffer=None, name=''", ones, "A tensor of ones.", 0},
    {"full",           "shape, fill_value, dtype, buffer=None, name=''", full, "A tensor of one value.", 0},
    {"zeros_like",            "x, dtype=None, buffer=None, name=''", zeros_like,
     "Zeros in the shape of x; type and memory of x unless given.", 0},
    {"empty_like",                "x, dtype=None, buffer=None, name=''", like,
     "No values, in the shape of x; type and memory of x unless given.", 0},
    {"shared_constant",            "constant", shared_constant,
     "A host array, or the path of a .npy file, as a tensor in shared HBM.", 0},
    {"ds",             "start, size", ds, "The slice start : start + size.", 0},
    {"affine_range",                "start, stop=None, step=1", range_of, "range; deprecated.", 0},
    {"sequential_range",            "start, stop=None, step=1", range_of, "range; deprecated.", 0},
    {"static_range",             "start, stop=None, step=1", range_of, "range; deprecated.", 0},
    {"range",                "start, stop=None, step=1", range_of, "range.", 0},
    {"program_id",      "axis=0", program_id, "Which program of the grid runs: 0 without a grid.", 0},
    {"num_programs",       "axes=0", num_programs, "Programs of the grid: 1 without a grid.", 0},
    {"program_ndim",                "", program_ndim, "Dimensions of the grid: 0 without a grid.", 0},
    {"no_reorder",      "", no_reorder, "with nl.no_reorder(): instructions keep their order.", 0},
    {"device_print",             "print_prefix, tensor", device_print, "Prints a tensor's elements.", 0},
    {"is_sbuf",                "buffer", is_sbuf, "Is the memory SBUF?", 0},
    {"is_psum", "buffer", is_psum, "Is the memory PSUM?", 0},
    {"is_hbm",  "buffer", is_hbm, "Is the memory HBM, private or shared?", 0},
    {"is_on_chip",                "buffer", is_on_chip, "Is the memory SBUF or PSUM?", 0},
    {0             },
};

bool nkx_set_dtypes(nkx_vm *vm, nkx_value module)
{
    for (int t = 0; t < NKX_N_DTYPES; t++) {
        const nkx_dtype_row *row = &nkx_dtypes[t];
        if (!row->device) continue;
        if (!nkx_module_set(vm, module, row->name, nkx_dtype_value((nkx_dtype)t))) return false;
    }
    return nkx_module_set(vm, module, "bool_", nkx_dtype_value(NKX_DT_BOOL));
}

static bool set_owned(nkx_vm *vm, nkx_value module, const char *name, nkx_value v)
{
    bool ok = nkx_module_set(vm, module, name, v);
    nkx_drop(v);
    return ok;
}

static bool set_memories(nkx_vm *vm, nkx_value module)
{
    for (int s = 0; s < NKX_N_SPACES; s++) {
        if (!nkx_module_set(vm, module, nkx_space_name((nkx_space)s),
                            nkx_space_value((nkx_space)s)))
            return false;
    }
    return nkx_module_set(vm, module, "hbm", nkx_space_value(NKX_SPACE_HBM)) &&
           set_owned(vm, module, "MemoryRegion", nkx_enum_value(vm, NKX_ENUM_MEMORY_REGION));
}

static bool init(nkx_vm *vm, nkx_value module)
{
    for (const nkx_builtin *b = nkx_loop_functions; b->name != NULL; b++) {
        if (!nkx_module_set(vm, module, b->name, nkx_builtin_value(b))) return false;
    }
    nkx_value tensor = {.type = NKX_V_TYPE, .u.i = NKX_V_TENSOR},
              str = {.type = NKX_V_TYPE, .u.i = NKX_V_STR};
    return set_operators(vm, module) && nkx_set_dtypes(vm, module) && set_memories(vm, module) &&
           nkx_module_set(vm, module, "NkiTensor", tensor) &&
           nkx_module_set(vm, module, "tensor", tensor) &&
           nkx_module_set(vm, module, "DType", str) &&
           set_owned(vm, module, "NKIObject", nkx_class_value(vm, NKX_CLS_NKIObject)) &&
           set_owned(vm, module, "tile_size", nkx_native_new(vm, &tile_size_type, 0));
}

const nkx_module_def nkx_mod_nl = {
    .name = "nki.language", .functions = functions, .init = init, .stdlib = "language.nki"};
const nkx_module_def nkx_mod_nl_elementwise = {.name = "nki._elementwise",
                                               .stdlib = "elementwise.nki"};
const nkx_module_def nkx_mod_nl_composites = {.name = "nki._composites",
                                              .stdlib = "composites.nki"};
