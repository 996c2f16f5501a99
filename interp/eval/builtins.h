/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of builtin functions, methods and library modules share. Private to eval. */
#ifndef NKX_EVAL_BUILTINS_H
#define NKX_EVAL_BUILTINS_H

#include "interp/eval/vm.h"

/* ---- errors by Python's class ---- */
#define nkx_type_error(vm, ...)  nkx_raise((vm), NKX_E210, "TypeError", __VA_ARGS__)
#define nkx_value_error(vm, ...) nkx_raise((vm), NKX_E211, "ValueError", __VA_ARGS__)

/* ---- small answers: each sets *out and returns true ---- */
static inline bool nkx_give(nkx_value *out, nkx_value v)
{
    *out = v;
    return true;
}
static inline bool nkx_give_int(nkx_value *out, int64_t i)
{
    return nkx_give(out, nkx_int(i));
}
static inline bool nkx_give_bool(nkx_value *out, bool b)
{
    return nkx_give(out, nkx_bool(b));
}
static inline bool nkx_given(nkx_value v)
{
    return v.type != NKX_V_UNSET && v.type != NKX_V_NONE;
}

/* Items of a list or tuple, borrowed; false for other types. */
static inline bool nkx_items(nkx_value v, const nkx_value **at, uint32_t *n)
{
    if (v.type == NKX_V_TUPLE) {
        *at = NKX_AS(nkx_tuple, v)->at;
        *n = NKX_AS(nkx_tuple, v)->n;
        return true;
    }
    if (v.type == NKX_V_LIST) {
        *at = NKX_AS(nkx_list, v)->at;
        *n = NKX_AS(nkx_list, v)->n;
        return true;
    }
    return false;
}

/* A keyword of a RAW call: its value, borrowed, or UNSET. */
nkx_value nkx_kw_get(const nkx_args *a, const char *name);
/* TypeError when a RAW call has a keyword that is not in the NULL-ended list. */
NKX_MUST_USE bool nkx_kw_check(nkx_vm *vm, const char *func, const nkx_args *a,
                               const char *const *known);
/* Number of positional arguments of a RAW call within lo..hi; TypeError in CPython's words
 * otherwise. */
NKX_MUST_USE bool nkx_count_check(nkx_vm *vm, const char *func, const nkx_args *a, uint32_t lo,
                                  uint32_t hi);

/* Stable sort in place by key (NONE: the items themselves). */
NKX_MUST_USE bool nkx_sort_values(nkx_vm *vm, nkx_value *at, uint32_t n, nkx_value key,
                                  bool reverse);
/* Python's int(text, base) and float(text); ValueError otherwise. */
NKX_MUST_USE bool nkx_parse_int(nkx_vm *vm, nkx_value text, int64_t base, nkx_value *out);
NKX_MUST_USE bool nkx_parse_float(nkx_vm *vm, nkx_value text, double *out);
/* float -> int as int(f) does: truncates; ValueError for NaN, OverflowError for what does not fit.
 */
NKX_MUST_USE bool nkx_float_to_int(nkx_vm *vm, double f, nkx_value *out);
/* round(v, digits) of floats, half to even on the decimal value. */
double nkx_round_digits(double v, int digits);

/* Constructors in builtins_types.c. */
NKX_MUST_USE bool nkx_int_new(nkx_vm *vm, nkx_value x, nkx_value base, nkx_value *out);
NKX_MUST_USE bool nkx_float_new(nkx_vm *vm, nkx_value x, nkx_value *out);

/* dict.update from a dict or pairs. */
NKX_MUST_USE bool nkx_dict_update(nkx_vm *vm, nkx_value dict, nkx_value from);

/* Constants of a module. Takes the value. */
NKX_MUST_USE bool nkx_module_put(nkx_vm *vm, nkx_value module, const char *name, nkx_value take);

/* ---- builtins_iter.c: rows of the table of builtins.c ---- */
#define NKX_FN(name) bool name(nkx_vm *vm, const nkx_value *in, nkx_value *out);
NKX_FN(nkx_b_enumerate)
NKX_FN(nkx_b_zip)
NKX_FN(nkx_b_map)
NKX_FN(nkx_b_filter)
NKX_FN(nkx_b_reversed)
#undef NKX_FN
bool nkx_b_iter(nkx_vm *vm, const nkx_args *a, nkx_value *out); /* RAW */
bool nkx_b_next(nkx_vm *vm, const nkx_args *a, nkx_value *out); /* RAW */

#endif
