/* SPDX-License-Identifier: Apache-2.0 */
/* The library modules that modules_std.c joins. Private to eval. */
#ifndef NKX_EVAL_MOD_STD_H
#define NKX_EVAL_MOD_STD_H

#include "interp/eval/builtins.h"

extern const nkx_module_def nkx_mod_math, nkx_mod_os, nkx_mod_os_path, nkx_mod_sys, nkx_mod_time,
    nkx_mod_logging, nkx_mod_warnings, nkx_mod_typing, nkx_mod_abc, nkx_mod_collections_abc,
    nkx_mod_future, nkx_mod_functools, nkx_mod_operator, nkx_mod_importlib, nkx_mod_importlib_util;

#endif
