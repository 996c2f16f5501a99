/* SPDX-License-Identifier: Apache-2.0 */
/* The VM: birth, death, builtins, kernels of a module. Layer eval. */
#include "interp/eval/walk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { STACK_VALUES = 1 << 20, DEFAULT_DEPTH = 1000, C_STACK_RESERVE = 512 << 10 };

/* ---- names ---- */

static void init_ids(nkx_vm *vm)
{
    static const char *const binary[] = {"add", "sub", "mul",     "matmul", "truediv",
                                         "mod", "pow", "lshift",  "rshift", "or",
                                         "xor", "and", "floordiv"};
    nkx_ids *id = &vm->id;
#define X(n) id->d_##n = nkx_intern(vm, "__" #n "__");
    NKX_ID_LIST(X)
#undef X
    id->plain_name = nkx_intern(vm, "name");
    id->plain_value = nkx_intern(vm, "value");
    id->underscore_name = nkx_intern(vm, "_name_");
    id->underscore_value = nkx_intern(vm, "_value_");
    id->plain_args = nkx_intern(vm, "args");
    id->frozen = nkx_intern(vm, "frozen");
    id->eq_kw = nkx_intern(vm, "eq");
    id->order = nkx_intern(vm, "order");
    id->underscore = nkx_intern(vm, "_");
    id->range_name = nkx_intern(vm, "range");
    id->code = nkx_intern(vm, "code");
    id->dunder_class_cell = nkx_intern(vm, "__class__");
    for (int op = 0; op <= NKX_OP_FLOORDIV; op++) {
        nkx_buf b = {0};
        nkx_buf_printf(&b, "__%s__", binary[op]);
        id->binary[op] = nkx_intern(vm, b.at);
        nkx_buf_clear(&b);
        nkx_buf_printf(&b, "__r%s__", binary[op]);
        id->reflected[op] = nkx_intern(vm, b.at);
        nkx_buf_clear(&b);
        nkx_buf_printf(&b, "__i%s__", binary[op]);
        id->inplace[op] = nkx_intern(vm, b.at);
        nkx_buf_fini(&b);
    }
}

/* ---- builtins ---- */

static void add_rows(nkx_vm *vm, const nkx_builtin *rows)
{
    for (; rows->name != NULL; rows++) {
        nkx_module_set_name(vm->builtins, nkx_intern(vm, rows->name), nkx_builtin_value(rows));
    }
}

static void init_builtins(nkx_vm *vm)
{
    static const nkx_vtype types[] = {NKX_V_INT,   NKX_V_FLOAT, NKX_V_BOOL,  NKX_V_STR,
                                      NKX_V_BYTES, NKX_V_TUPLE, NKX_V_LIST,  NKX_V_DICT,
                                      NKX_V_SET,   NKX_V_RANGE, NKX_V_SLICE, NKX_V_TYPE};
    nkx_value m = nkx_module_value_new(vm, "builtins");
    vm->builtins = NKX_AS(nkx_module_obj, m);
    for (size_t i = 0; i < NKX_COUNT(types); i++) {
        nkx_value t = {.type = NKX_V_TYPE, .u.i = types[i]};
        nkx_module_set_name(vm->builtins, nkx_intern(vm, nkx_vtype_name(types[i])), t);
    }
    add_rows(vm, nkx_builtins);
    add_rows(vm, nkx_builtins_core);
    add_rows(vm, nkx_builtins_import);
    for (int i = 0; i < NKX_CLS_NkiValidationError; i++) {
        nkx_module_set_name(vm->builtins, vm->classes[i]->name, nkx_of(vm->classes[i]));
    }
    nkx_module_set_name(vm->builtins, nkx_intern(vm, "NotImplemented"),
                        (nkx_value){.type = NKX_V_NOT_IMPLEMENTED});
    nkx_module_set_name(vm->builtins, nkx_intern(vm, "Ellipsis"),
                        (nkx_value){.type = NKX_V_ELLIPSIS});
    nkx_module_set_name(vm->builtins, nkx_intern(vm, "__debug__"), nkx_bool(true));
    nkx_module_set_name(vm->builtins, nkx_intern(vm, "IOError"),
                        nkx_of(vm->classes[NKX_CLS_OSError]));
    nkx_module_set_name(vm->builtins, nkx_intern(vm, "EnvironmentError"),
                        nkx_of(vm->classes[NKX_CLS_OSError]));
}

/* ---- birth and death ---- */

/* Measures the C stack from here; called wherever C code enters the VM from outside. */
void nkx_vm_set_base(nkx_vm *vm)
{
    if (vm->frame != NULL) return;
    struct rlimit r;
    size_t room = 8u << 20;
    if (getrlimit(RLIMIT_STACK, &r) == 0 && r.rlim_cur != RLIM_INFINITY) room = (size_t)r.rlim_cur;
    if (room > 64u << 20) room = 64u << 20;
    room = room > 4u * C_STACK_RESERVE ? room - 2u * C_STACK_RESERVE : room / 2;
    vm->c_limit = (char *)__builtin_frame_address(0) - room;
}

bool nkx_stack_check(nkx_vm *vm)
{
    if ((char *)__builtin_frame_address(0) > vm->c_limit) return true;
    /* what follows needs some stack of its own */
    char *limit = vm->c_limit;
    vm->c_limit -= C_STACK_RESERVE / 2;
    nkx_raise(vm, NKX_E219, "RecursionError", "maximum recursion depth exceeded");
    vm->c_limit = limit;
    return false;
}

nkx_vm *nkx_vm_new(const nkx_vm_options *o, nkx_sources *sources, nkx_diags *diags)
{
    nkx_vm *vm = nkx_alloc(sizeof *vm);
    vm->o = *o;
    if (vm->o.limits.max_depth == 0) vm->o.limits.max_depth = DEFAULT_DEPTH;
    if (vm->o.nki_minor == 0) vm->o.nki_minor = 6;
    vm->sources = sources;
    vm->diags = diags;
    vm->names = nkx_names_new();
    nkx_arena_init(&vm->arena);
    void *stack = mmap(NULL, STACK_VALUES * sizeof(nkx_value), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) nkx_fatal(__FILE__, __LINE__, "out of memory");
    vm->stack = vm->top = stack;
    vm->stack_end = vm->stack + STACK_VALUES;
    nkx_vm_set_base(vm);
    init_ids(vm);
    nkx_classes_init(vm);
    init_builtins(vm);
    vm->sys_modules = nkx_dict_new(vm);
    diags->on_add = nkx_vm_add_stack;
    diags->user = vm;
    return vm;
}

static void drop_modules(nkx_vm *vm)
{
    /* names first: what modules hold may refer to other modules */
    for (size_t i = vm->modules.n; i-- > 0;) {
        nkx_module_obj *m = NKX_AS(nkx_module_obj, vm->modules.at[i]);
        for (uint32_t k = 0; k < m->globals.n; k++) {
            nkx_value v = m->globals.values[k];
            m->globals.values[k] = NKX_UNSET;
            nkx_drop(v);
        }
    }
    while (vm->modules.n > 0) nkx_drop(vm->modules.at[--vm->modules.n]);
    nkx_vec_fini(&vm->modules);
}

void nkx_vm_free(nkx_vm *vm)
{
    if (vm == NULL) return;
    nkx_exception_clear(vm);
    nkx_pop_to(vm, vm->stack);
    nkx_value listed = vm->sys_modules;
    vm->sys_modules = NKX_UNSET;
    nkx_drop(listed);
    drop_modules(vm);
    nkx_sigs_free(vm);
    for (size_t i = 0; i < NKX_COUNT(vm->ascii); i++) nkx_drop(vm->ascii[i]);
    nkx_module_obj *b = vm->builtins;
    vm->builtins = NULL;
    nkx_drop(nkx_of(b));
    nkx_classes_fini(vm);
    nkx_obj_sweep(vm); /* before the cores go that tensors point into */
    if (vm->std_state_free != NULL) vm->std_state_free(vm);
    if (vm->nki_state_free != NULL) vm->nki_state_free(vm);
    nkx_units_free(vm);
    nkx_obj_release_memory(vm);
    nkx_method_index_free(vm);
    if (vm->diags->user == vm) {
        vm->diags->on_add = NULL;
        vm->diags->user = NULL;
    }
    munmap(vm->stack, STACK_VALUES * sizeof(nkx_value));
    nkx_arena_fini(&vm->arena);
    nkx_names_free(vm->names);
    free(vm);
}

/* Objects a program holds: without what the VM itself keeps. */
size_t nkx_vm_live_objects(const nkx_vm *vm)
{
    return vm->n_live;
}

/* ---- small answers ---- */

void nkx_vm_write(nkx_vm *vm, int stream, const char *text, size_t len)
{
    if (vm->o.write != NULL) vm->o.write(vm->o.user, stream, text, len);
}

void nkx_vm_interrupt(nkx_vm *vm)
{
    vm->interrupted = 1;
}

nkx_core *nkx_vm_core(nkx_vm *vm)
{
    return vm->core;
}

bool nkx_vm_exited(const nkx_vm *vm, int *code)
{
    if (vm->exited) *code = vm->exit_code;
    return vm->exited;
}

uint32_t nkx_vm_function(nkx_vm *vm)
{
    const nkx_frame *f = vm->frame;
    while (f != NULL && f->fn == NULL) f = f->up;
    if (f == NULL || vm->core == NULL) return 0;
    nkx_function *fn = (nkx_function *)(uintptr_t)f->fn;
    if (fn->fid != 0 && fn->fid_serial == vm->core_serial) return fn->fid - 1;
    fn->fid = nkx_core_function(vm->core, fn->qualname) + 1;
    fn->fid_serial = vm->core_serial;
    return fn->fid - 1;
}

/* ---- kernels of a module ---- */

size_t nkx_module_kernels(nkx_vm *vm, nkx_value module, nkx_value *out, size_t max)
{
    const nkx_module_obj *m = NKX_AS(nkx_module_obj, module);
    size_t n = 0;
    (void)vm;
    for (uint32_t i = 0; i < m->globals.n; i++) {
        nkx_value v = m->globals.values[i];
        if (v.type != NKX_V_KERNEL) continue;
        const nkx_kernel_obj *k = NKX_AS(nkx_kernel_obj, v);
        if (k->func.type != NKX_V_FUNCTION || NKX_AS(nkx_function, k->func)->module != m) continue;
        size_t at = 0;
        bool known = false;
        for (; at < n && at < max && !known; at++) known = out[at].u.o == v.u.o;
        if (known) continue;
        for (at = n < max ? n : max; at > 0; at--) { /* in order of definition */
            if (NKX_AS(nkx_kernel_obj, out[at - 1])->span.begin <= k->span.begin) break;
            if (at < max) out[at] = out[at - 1];
        }
        if (at < max) out[at] = v;
        n++;
    }
    for (size_t i = 0; i < n && i < max; i++) nkx_ref(out[i]);
    return n;
}

static bool is_main_test(const nkx_vm *vm, const nkx_node *n)
{
    if (n->kind != NKX_IF) return false;
    const nkx_node *t = NKX_NODE(nkx_if, n)->test;
    if (t->kind != NKX_COMPARE) return false;
    const nkx_compare *c = NKX_NODE(nkx_compare, t);
    return c->rights.n == 1 && c->ops[0] == NKX_OP_EQ && c->left->kind == NKX_NAME &&
           NKX_NODE(nkx_name_node, c->left)->id == vm->id.d_name;
}

bool nkx_module_has_main(nkx_vm *vm, nkx_value module)
{
    const nkx_module_obj *m = NKX_AS(nkx_module_obj, module);
    if (m->unit == NULL) return false;
    const nkx_nodes *body = &m->unit->ast->body;
    for (uint32_t i = 0; i < body->n; i++) {
        if (is_main_test(vm, body->at[i])) return true;
    }
    return false;
}
