/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the tables of builtin modules and methods. Layer eval. */
#include "interp/eval/classes.h"

#include <string.h>

const nkx_module_def *const nkx_modules_core[] = {&nkx_mod_dataclasses, &nkx_mod_enum, NULL};

const nkx_module_def *nkx_module_find(const char *name)
{
    const nkx_module_def *const *const lists[] = {nkx_modules_core, nkx_modules_std,
                                                  nkx_modules_nki};
    for (size_t k = 0; k < NKX_COUNT(lists); k++) {
        for (const nkx_module_def *const *d = lists[k]; *d != NULL; d++) {
            if (strcmp((*d)->name, name) == 0) return *d;
        }
    }
    return NULL;
}

const nkx_builtin *nkx_method_table(nkx_vtype t)
{
    switch (t) {
    case NKX_V_BOOL:
    case NKX_V_INT: return nkx_int_methods;
    case NKX_V_FLOAT: return nkx_float_methods;
    case NKX_V_STR: return nkx_str_methods;
    case NKX_V_BYTES: return nkx_bytes_methods;
    case NKX_V_TUPLE: return nkx_tuple_methods;
    case NKX_V_LIST: return nkx_list_methods;
    case NKX_V_DICT: return nkx_dict_methods;
    case NKX_V_SET: return nkx_set_methods;
    case NKX_V_RANGE: return nkx_range_methods;
    case NKX_V_SLICE: return nkx_slice_methods;
    case NKX_V_ARRAY: return nkx_array_methods;
    case NKX_V_TENSOR: return nkx_tensor_methods;
    case NKX_V_REGISTER: return nkx_register_methods;
    default: return NULL;
    }
}
