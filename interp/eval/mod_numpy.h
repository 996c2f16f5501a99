/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the module numpy share: values to arrays and back, dtypes, axes. The arrays
 * themselves are in interp/host; here they get names, signatures and Python's errors. Private to
 * eval.
 */
#ifndef NKX_EVAL_MOD_NUMPY_H
#define NKX_EVAL_MOD_NUMPY_H

#include "interp/eval/builtins.h"
#include "interp/host/index.h"
#include "interp/host/linalg.h"
#include "interp/host/print.h"
#include "interp/host/random.h"
#include "interp/host/reduce.h"
#include "interp/host/shape.h"

/* Raises what a host array function reported. Always false. */
bool nkx_np_raise(nkx_vm *vm, const nkx_nd_error *e);
/* The owned result of a host array function into *out; NULL raises. */
NKX_MUST_USE bool nkx_np_done(nkx_vm *vm, nkx_ndarray *take, const nkx_nd_error *e, nkx_value *out);
/* As np_done, but written into out= when that is an array, which is then the result. */
NKX_MUST_USE bool nkx_np_done_out(nkx_vm *vm, nkx_ndarray *take, nkx_nd_error *e, nkx_value dst,
                                  nkx_value *out);

static inline nkx_ndarray *nkx_np_of(nkx_value v)
{
    return NKX_AS(nkx_array_obj, v)->a;
}

/* np.asarray(v): owned. dtype -1: as found. */
NKX_MUST_USE bool nkx_np_array(nkx_vm *vm, nkx_value v, int dtype, nkx_ndarray **out);
/* An operand: arrays as they are, Python numbers weak. in->a is owned. */
NKX_MUST_USE bool nkx_np_operand(nkx_vm *vm, nkx_value v, nkx_uf_arg *out);
bool nkx_np_can_operand(nkx_value v); /* number, array, list or tuple */
/* A list or tuple of arrays: owned items, NKX_ND_MAX * 16 at most. */
typedef NKX_VEC(nkx_ndarray *) nkx_nd_vec;
NKX_MUST_USE bool nkx_np_arrays(nkx_vm *vm, nkx_value seq, nkx_nd_vec *out);
void nkx_np_arrays_fini(nkx_nd_vec *v);

/* dtype argument: a dtype, its name, int, float, bool; None gives -1. */
NKX_MUST_USE bool nkx_np_dtype(nkx_vm *vm, nkx_value v, int *out);
static inline nkx_value nkx_np_dtype_value(nkx_dtype t)
{
    return (nkx_value){.type = NKX_V_DTYPE, .u.i = t};
}

/* axis argument of a reduction: None (all), an int or a tuple. */
NKX_MUST_USE bool nkx_np_axes(nkx_vm *vm, nkx_value axis, nkx_value keepdims, int ndim,
                              nkx_axes *out);
/* One axis; *given false for None. */
NKX_MUST_USE bool nkx_np_axis(nkx_vm *vm, nkx_value v, int64_t *axis, bool *given);
/* Ints of an int, tuple, list or array into at; count in *n. */
NKX_MUST_USE bool nkx_np_ints(nkx_vm *vm, nkx_value v, const char *what, int64_t *at, int max,
                              int *n);
/* order= argument: 'C', 'F', 'A' or 'K' ('C' and 'F' remain). */
NKX_MUST_USE bool nkx_np_order(nkx_vm *vm, nkx_value v, char *out);

/* Index items of a[...]. Arrays made on the way are kept in `made`. */
typedef struct nkx_np_key {
    nkx_nd_index item[32];
    int n;
    nkx_ndarray *made[32];
    int n_made;
} nkx_np_key;
NKX_MUST_USE bool nkx_np_key_make(nkx_vm *vm, nkx_value key, nkx_np_key *out);
void nkx_np_key_fini(nkx_np_key *k);

/* One element as a Python number. */
nkx_value nkx_np_item(nkx_vm *vm, nkx_dtype t, const void *p);

/* State of the module: printing options, the global random source. */
typedef struct nkx_np_state {
    nkx_print_options print;
    nkx_random random;
    bool seeded;
} nkx_np_state;
nkx_np_state *nkx_np_state_of(nkx_vm *vm);
nkx_random *
nkx_np_global_random(nkx_vm *vm); /* seeded from the run's seed when the program did not */

/* Adds rows of a table to a module. */
NKX_MUST_USE bool nkx_module_rows(nkx_vm *vm, nkx_value module, const nkx_builtin *rows);

/* The ufunc a value stands for (np.add, a NATIVE), or NKX_N_UFUNCS. */
nkx_ufunc nkx_np_ufunc_of(nkx_value v);
nkx_value nkx_np_ufunc_value(nkx_vm *vm, nkx_ufunc f);

/* clang-format off */
#define NKX_FN(name) bool name(nkx_vm *vm, const nkx_value *in, nkx_value *out);
/* Shared by functions and methods: in[0] is the array. mod_numpy_reduce.c */
NKX_FN(nkx_np_sum)
NKX_FN(nkx_np_prod)
NKX_FN(nkx_np_max) NKX_FN(nkx_np_min) NKX_FN(nkx_np_mean) NKX_FN(nkx_np_var) NKX_FN(nkx_np_std)
    NKX_FN(nkx_np_any) NKX_FN(nkx_np_all) NKX_FN(nkx_np_argmax) NKX_FN(nkx_np_argmin)
        NKX_FN(nkx_np_cumsum) NKX_FN(nkx_np_cumprod) NKX_FN(nkx_np_ptp) NKX_FN(nkx_np_argsort)
            NKX_FN(nkx_np_sort) NKX_FN(nkx_np_searchsorted) NKX_FN(nkx_np_round) NKX_FN(nkx_np_clip)
                NKX_FN(nkx_np_nonzero)
    /* mod_numpy_shape.c */
    NKX_FN(nkx_np_take) NKX_FN(nkx_np_repeat) NKX_FN(nkx_np_diagonal) NKX_FN(nkx_np_trace)
        NKX_FN(nkx_np_swapaxes) NKX_FN(nkx_np_squeeze) NKX_FN(nkx_np_dot)
#undef NKX_FN
    /* clang-format on */

    extern const nkx_module_def nkx_mod_numpy,
    nkx_mod_numpy_random, nkx_mod_numpy_testing, nkx_mod_numpy_linalg, nkx_mod_ml_dtypes;

extern const nkx_builtin nkx_np_ndarray_row; /* the type called: numpy.ndarray(shape, dtype) */
extern const nkx_builtin nkx_np_create_rows[], nkx_np_reduce_rows[], nkx_np_shape_rows[],
    nkx_np_linalg_rows[], nkx_np_random_rows[], nkx_np_testing_rows[], nkx_np_io_rows[],
    nkx_np_misc_rows[], nkx_np_linalg_module_rows[];

#endif
