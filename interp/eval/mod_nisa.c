/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module nki.isa: one builtin an instruction row, target queries, registers (registers.c), and
 * the objects that instructions return. Its enums are in mod_enums.c. Layer eval.
 */
#include "interp/eval/nki.h"

#include <string.h>

typedef bool (*plain_fn)(nkx_vm *, const nkx_value *, nkx_value *);

/* ---- instructions ---- */

/* clang-format off */
#define NKX_CALLS(X) \
    X(nc_matmul) X(nc_matmul_mx) X(nc_transpose) X(activation) X(activation_reduce) X(activate2) \
    X(tensor_reduce) X(tensor_partition_reduce) X(tensor_tensor) X(tensor_tensor_scan) \
    X(scalar_tensor_tensor) X(tensor_scalar) X(tensor_scalar_reduce) X(tensor_scalar_cumulative) \
    X(tensor_copy) X(tensor_copy_predicated) X(exponential) X(reciprocal) X(quantize_mx) X(iota) \
    X(dropout) X(affine_select) X(range_select) X(select_reduce) X(sequence_bounds) X(memset) \
    X(bn_stats) X(bn_aggr) X(local_gather) X(nc_n_gather) X(dma_copy) X(dma_transpose) \
    X(dma_compute) X(max8) X(nc_find_index8) X(nc_match_replace8) X(nc_stream_shuffle) \
    X(core_barrier) X(sendrecv) X(rng) X(rand2) X(rand_set_state) X(rand_get_state) \
    X(set_rng_seed) X(nonzero_with_count) X(topk)
/* clang-format on */

enum {
#define X(n) CALL_##n,
    NKX_CALLS(X)
#undef X
        N_CALLS
};

static const char *const call_names[N_CALLS] = {
#define X(n) #n,
    NKX_CALLS(X)
#undef X
};

/* Rows are looked up by name once a VM. */
static bool issue(nkx_vm *vm, int which, const nkx_args *a, nkx_value *out)
{
    nkx_nki *s = nkx_nki_of(vm);
    _Static_assert(N_CALLS <= NKX_COUNT(s->rows), "room for every instruction");
    if (NKX_UNLIKELY(s->rows[which] == NULL)) {
        s->rows[which] = nkx_isa_find(call_names[which]);
        if (s->rows[which] == NULL) return nkx_later(vm, call_names[which]);
    }
    return nkx_bind_issue(vm, s->rows[which], a, out);
}

#define X(n)                                                                                       \
    static bool call_##n(nkx_vm *vm, const nkx_args *a, nkx_value *out)                            \
    {                                                                                              \
        return issue(vm, CALL_##n, a, out);                                                        \
    }
NKX_CALLS(X)
#undef X

/* ---- what an instruction returns ---- */

typedef struct instruction {
    uint64_t id;
} instruction;

static const nkx_native_type instruction_type;

static bool depends_on(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    for (uint32_t i = 1; i < a->n; i++) {
        if (nkx_is_native(a->at[i], &instruction_type)) continue;
        return nkx_raise(vm, NKX_E702, "TypeError",
                         "depends_on(): argument %u must be an instruction, not %s", i,
                         nkx_type_name(a->at[i]));
    }
    *out = nkx_ref(a->at[0]);
    return true;
}

static const nkx_builtin instruction_methods[] = {
    {"depends_on",          "self, *producers", (plain_fn)depends_on,
     "Orders this instruction after the producers; they come before it in the program already.", NKX_BF_METHOD | NKX_BF_RAW},
    {0},
};

static bool instruction_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    if (strcmp(name->text, "depends_on") == 0) {
        *out = nkx_method_new(vm, self, nkx_builtin_value(&instruction_methods[0]));
    }
    return true;
}

static bool instruction_repr(nkx_vm *vm, nkx_value self, nkx_buf *out)
{
    (void)vm;
    nkx_buf_printf(out, "NkiInstruction(%llu)",
                   (unsigned long long)NKX_PAYLOAD(instruction, self)->id);
    return true;
}

static const nkx_native_type instruction_type = {
    .name = "NkiInstruction", .attr = instruction_attr, .repr = instruction_repr};

nkx_value nkx_instruction_new(nkx_vm *vm, uint64_t id)
{
    nkx_value v = nkx_native_new(vm, &instruction_type, sizeof(instruction));
    NKX_PAYLOAD(instruction, v)->id = id;
    return v;
}

/* The class itself: named in annotations, never called by programs. */
static const nkx_native_type instruction_class = {.name = "NkiInstruction"};

/* ---- target ---- */

static bool get_nc_version(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)in;
    *out = nkx_member(NKX_ENUM_NC_VERSION, nkx_nki_config(vm)->gen);
    return true;
}

static bool get_nc_sub_version(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)in;
    *out = nkx_int(0);
    return true;
}

/* ---- the module ---- */

#define RAW(n) {#n, "*args, **kwargs", (plain_fn)call_##n, "", NKX_BF_RAW},
static const nkx_builtin functions[] = {
    NKX_CALLS(RAW){"get_nc_version", "", get_nc_version,
                   "Generation of the target: compares with nisa.nc_version and ints.", 0},
    {"get_nc_sub_version",  "", get_nc_sub_version, "Silicon revision of the target: 0.", 0},
    {0              },
};
#undef RAW

static bool set_owned(nkx_vm *vm, nkx_value module, const char *name, nkx_value v)
{
    bool ok = nkx_module_set(vm, module, name, v);
    nkx_drop(v);
    return ok;
}

static bool init(nkx_vm *vm, nkx_value module)
{
    for (const nkx_builtin *b = nkx_register_functions; b->name != NULL; b++) {
        if (!nkx_module_set(vm, module, b->name, nkx_builtin_value(b))) return false;
    }
    nkx_value reg = {.type = NKX_V_TYPE, .u.i = NKX_V_REGISTER};
    return nkx_set_enums(vm, module) && nkx_module_set(vm, module, "VirtualRegister", reg) &&
           set_owned(vm, module, "NkiInstruction", nkx_native_new(vm, &instruction_class, 0)) &&
           set_owned(vm, module, "NkiValidationError",
                     nkx_class_value(vm, NKX_CLS_NkiValidationError));
}

const nkx_module_def nkx_mod_nisa = {.name = "nki.isa", .functions = functions, .init = init};
const nkx_module_def nkx_mod_nisa_constants = {.name = "nki.isa.constants", .init = nkx_set_enums};
