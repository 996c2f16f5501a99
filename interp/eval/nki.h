/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the NKI glue share (bind.c, mod_nki.c, mod_nisa.c, mod_nl.c, tensor_methods.c,
 * tensor_index.c, registers.c, launch.c): the state of the running launch, and values <-> operands.
 * Private to eval.
 */
#ifndef NKX_EVAL_NKI_H
#define NKX_EVAL_NKI_H

#include "interp/eval/vm.h"

typedef struct nkx_label {
    const nkx_name *name;
    uint64_t id; /* of the last instruction of that name */
} nkx_label;

typedef struct nkx_nki {
    const nkx_insn *rows[64]; /* by the numbers of mod_nisa.c; NULL until called */
    nkx_issue issue;          /* filled by bind.c, one at a time */
    nkx_arena scratch;
    const void *plan; /* whose spans the issue holds */
    /* Made by this VM; the last one is vm->core. Old ones stay while tensors of theirs live. */
    NKX_VEC(nkx_core *) cores;
    nkx_arrays arrays;             /* of a core that is gone, for the next */
    NKX_VEC(nkx_ndarray *) kept;   /* bytes that tensors of the cores point at */
    nkx_config *configs[3];        /* of other targets (platform_target=); made on demand */
    nkx_value op_fn[NKX_N_ALU][2]; /* functions behind operator tokens; UNSET until called */
    int n_programs, program;
    bool live;          /* a session that stays inside one core */
    bool grid;          /* the launch named a grid: kernel[n] */
    uint32_t dynamic;   /* nesting of dynamic loops */
    nkx_value schedule; /* with_schedule's edges; borrowed from the kernel; UNSET */
    NKX_VEC(nkx_label) labels;
} nkx_nki;

nkx_nki *nkx_nki_of(nkx_vm *vm);
/* The running core; NULL after raising when not inside a kernel. `what` is what needs it. */
nkx_core *nkx_need_core(nkx_vm *vm, const char *what);
const nkx_config *nkx_nki_config(nkx_vm *vm); /* of the running core, else of the VM */

/* ---- bind.c ---- */
NKX_MUST_USE bool nkx_bind_issue(nkx_vm *vm, const nkx_insn *row, const nkx_args *a,
                                 nkx_value *out);
/* From C: arguments by name. `row` is an instruction's name. */
NKX_MUST_USE bool nkx_issue_named(nkx_vm *vm, const char *row, uint32_t n, const char *const *names,
                                  const nkx_value *at);

/*
 * Raises: tensors that a program kept past their launch lie in memories that are gone. False.
 */
bool nkx_foreign(nkx_vm *vm, const char *what);

/* ---- conversions ---- */
NKX_MUST_USE bool nkx_value_dtype(nkx_vm *vm, nkx_value v, const char *what, nkx_dtype *out);
NKX_MUST_USE bool nkx_value_space(nkx_vm *vm, nkx_value v,
                                  nkx_space *out); /* NONE and UNSET: SBUF */
nkx_value nkx_member(int which, int value);
nkx_value nkx_space_value(nkx_space s);
bool nkx_member_on_chip(nkx_value v); /* of a member of MemoryRegion: sbuf or psum */
static inline nkx_value nkx_dtype_value(nkx_dtype t)
{
    return (nkx_value){.type = NKX_V_DTYPE, .u.i = (int64_t)t};
}
static inline nkx_view *nkx_view_of(nkx_value v)
{
    return NKX_AS(nkx_tensor_obj, v)->view;
}
static inline nkx_register *nkx_reg_of(nkx_value v)
{
    return NKX_AS(nkx_register_obj, v)->reg;
}
/* Operator a value stands for, NKX_N_ALU when none: tokens, and NumPy functions of the same names.
 */
nkx_alu nkx_value_op(nkx_vm *vm, nkx_value v);
/* nl.ndarray from C. Owned TENSOR. */
NKX_MUST_USE bool nkx_tile_new(nkx_vm *vm, nkx_space space, int ndim, const int64_t *shape,
                               nkx_dtype dt, nkx_place at, const char *name, nkx_value *out);
/* Makes a host array of a tensor's elements; flushes. */
NKX_MUST_USE bool nkx_tensor_to_array(nkx_vm *vm, nkx_view *v, nkx_value *out);
bool nkx_nd_raise(nkx_vm *vm, nkx_code code, const nkx_nd_error *e);

/* ---- modules (mod_*.c), joined by modules_nki.c ---- */
extern const nkx_module_def nkx_mod_nki, nkx_mod_nki_typing, nkx_mod_nki_dtype,
    nkx_mod_nki_collectives;
extern const nkx_module_def nkx_mod_nisa, nkx_mod_nisa_constants;
extern const nkx_module_def nkx_mod_nl, nkx_mod_nl_elementwise, nkx_mod_nl_composites;
NKX_MUST_USE bool nkx_set_dtypes(nkx_vm *vm, nkx_value module);
NKX_MUST_USE bool nkx_set_enums(nkx_vm *vm, nkx_value module);
nkx_value nkx_enum_value(nkx_vm *vm, int which); /* the enum itself: nisa.engine */
/* Shape of an nt.tensor[shape] annotation, borrowed; false when v is none. */
bool nkx_typing_shape(nkx_value v, nkx_value *shape);
nkx_value nkx_instruction_new(nkx_vm *vm, uint64_t id);
/* Raises at the place of a name that resolves but comes later. */
bool nkx_later(nkx_vm *vm, const char *what);

/* ---- registers.c ---- */
extern const nkx_builtin nkx_register_functions[]; /* nisa.register_* */
extern const nkx_builtin nkx_loop_functions[];     /* nl.dynamic_range, fori_loop, while_loop */

#endif
