/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The evaluator: one VM runs one program. It walks the resolved tree (slots, inline caches), calls
 * builtins, and hands instructions to isa. Host code and kernel code share the walker; `vm->kernel`
 * says which rules hold. Limits (steps, depth, memory) are checked here. Nothing is printed: output
 * goes to a callback.
 */
#ifndef NKX_EVAL_EVAL_H
#define NKX_EVAL_EVAL_H

#include "grammar/parse.h"
#include "grammar/resolve.h"
#include "interp/eval/value.h"

typedef struct nkx_limits {
    uint64_t max_steps; /* statements and calls; 0: none */
    uint32_t max_depth; /* nested calls */
    uint64_t max_bytes; /* of host values and arrays */
} nkx_limits;

typedef struct nkx_vm_options {
    const char *target;       /* canonical */
    const nkx_config *config; /* of the target */
    nkx_modes modes;
    int nki_minor;     /* 3..6: --nki 0.6 */
    bool no_numbers;   /* check: instructions are checked only */
    bool skip_missing; /* check: module code that needs what is not available is left out */
    uint64_t seed;
    nkx_limits limits;
    const char *const *path; /* --path entries */
    size_t n_path;
    void (*write)(void *user, int stream /* 1 out, 2 err */, const char *text, size_t len);
    void *user;
    const char *const *argv;
    size_t n_argv;
    /*
     * Around each launch, with its core: begin before the first instruction (to hang a sink or a
     * listener on it), and again when its numbers are done, before the core goes. May be NULL.
     */
    void (*on_launch)(void *user, nkx_core *core, const char *kernel, bool begin);
} nkx_vm_options;

nkx_vm *nkx_vm_new(const nkx_vm_options *o, nkx_sources *sources, nkx_diags *diags);
void nkx_vm_free(nkx_vm *vm);
size_t nkx_vm_live_objects(
    const nkx_vm *vm); /* counted values alive: 0 after a ring-free program's module is gone */

/* Loads a file as a module (`name` is "__main__" for scripts). Owned MODULE value. */
NKX_MUST_USE bool nkx_vm_load(nkx_vm *vm, const char *path, const char *name, nkx_value *module);
/* Source text given by the caller (REPL, --check expressions, NAME=VALUE). The module persists
 * between calls; *value is the last expression's or UNSET. */
NKX_MUST_USE bool nkx_vm_exec_text(nkx_vm *vm, nkx_value module, const char *path, const char *text,
                                   size_t len, nkx_value *value);
nkx_value nkx_vm_module_new(nkx_vm *vm, const char *name);
NKX_MUST_USE bool nkx_module_get(nkx_vm *vm, nkx_value module, const char *name,
                                 nkx_value *out); /* UNSET when absent */
NKX_MUST_USE bool nkx_module_set(nkx_vm *vm, nkx_value module, const char *name, nkx_value v);

/* Kernels of a module in order of definition: names. For choosing one and for `nkx check FILE`. */
size_t nkx_module_kernels(nkx_vm *vm, nkx_value module, nkx_value *out, size_t max);
bool nkx_module_has_main(nkx_vm *vm, nkx_value module); /* an `if __name__ == "__main__"` block */

/*
 * Launches a kernel on arguments (host arrays become HBM tensors). Result: host arrays (owned).
 * Also writes back argument arrays that the kernel wrote. lnc 0: as bound by kernel[n], else 1.
 */
NKX_MUST_USE bool nkx_vm_launch(nkx_vm *vm, nkx_value kernel, const nkx_args *a, nkx_value *out);
/* Language rules of every kernel in a module, without running any (nkx check FILE). */
NKX_MUST_USE bool nkx_vm_check_rules(nkx_vm *vm, nkx_value module);
/* Turns a pending uncaught exception into a diagnostic; true if there was one. */
bool nkx_vm_report(nkx_vm *vm);
/* sys.exit() ended the program (after nkx_vm_report): its code. */
bool nkx_vm_exited(const nkx_vm *vm, int *code);
nkx_core *nkx_vm_core(nkx_vm *vm); /* live core: of the last or running launch, or the REPL's */
/* REPL: statements run as if inside a kernel on a core that stays. */
NKX_MUST_USE bool nkx_vm_begin_live(nkx_vm *vm);
/* Interrupt from a signal handler: the program stops with a diagnostic at the next step. */
void nkx_vm_interrupt(nkx_vm *vm);

#endif
