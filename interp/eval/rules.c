/* SPDX-License-Identifier: Apache-2.0 */
#include "interp/eval/walk.h"
bool nkx_rules_function(nkx_vm *vm, const nkx_function *fn) { (void)vm; ((nkx_function*)(uintptr_t)fn)->rules_done = true; return true; }
bool nkx_vm_check_rules(nkx_vm *vm, nkx_value module) { (void)vm;(void)module; return true; }
