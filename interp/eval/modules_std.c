/* SPDX-License-Identifier: Apache-2.0 */
/* The list of library modules. Those without functions here are NKI source in stdlib. Layer eval.
 */
#include "interp/eval/mod_numpy.h"
#include "interp/eval/mod_std.h"

static const nkx_module_def itertools = {.name = "itertools", .stdlib = "itertools.nki"};
static const nkx_module_def collections = {.name = "collections", .stdlib = "collections.nki"};
static const nkx_module_def copy = {.name = "copy", .stdlib = "copy.nki"};
static const nkx_module_def contextlib = {.name = "contextlib", .stdlib = "contextlib.nki"};
static const nkx_module_def pkgutil = {.name = "pkgutil", .stdlib = "pkgutil.nki"};
static const nkx_module_def unittest = {.name = "unittest", .stdlib = "unittest.nki"};

const nkx_module_def *const nkx_modules_std[] = {
    &nkx_mod_math,
    &nkx_mod_os,
    &nkx_mod_os_path,
    &nkx_mod_sys,
    &nkx_mod_time,
    &nkx_mod_logging,
    &nkx_mod_warnings,
    &nkx_mod_typing,
    &nkx_mod_abc,
    &nkx_mod_collections_abc,
    &nkx_mod_future,
    &nkx_mod_functools,
    &nkx_mod_operator,
    &itertools,
    &collections,
    &copy,
    &contextlib,
    &unittest,
    &pkgutil,
    &nkx_mod_importlib,
    &nkx_mod_importlib_util,
    &nkx_mod_numpy,
    &nkx_mod_numpy_random,
    &nkx_mod_numpy_testing,
    &nkx_mod_numpy_linalg,
    &nkx_mod_ml_dtypes,
    NULL,
};
