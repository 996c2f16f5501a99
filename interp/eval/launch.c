/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launching a kernel (isa.md 6.1): a fresh core, the function run on it as the kernel's
 * metaprogram, results taken off it. Arguments are in launch_args.c. Layer eval.
 */
#include "interp/eval/launch.h"

#include <stdlib.h>
#include <string.h>

/* ---- state ---- */

static void state_free(nkx_vm *vm);

nkx_nki *nkx_nki_of(nkx_vm *vm)
{
    if (NKX_LIKELY(vm->nki_state != NULL)) return vm->nki_state;
    nkx_nki *s = nkx_alloc(sizeof *s);
    nkx_arena_init(&s->scratch);
    for (int i = 0; i < NKX_N_ALU; i++) s->op_fn[i][0] = s->op_fn[i][1] = NKX_UNSET;
    s->schedule = NKX_UNSET;
    s->n_programs = 1;
    nkx_arrays_init(&s->arrays);
    vm->nki_state = s;
    vm->nki_state_free = state_free;
    return s;
}

static void core_free(nkx_core *core)
{
    nkx_core_fini(core);
    free(core);
}

/* Cores go when none of their tensors is left; `all` when the VM ends. */
static void cores_free(nkx_vm *vm, nkx_nki *s, bool all)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->cores.n; i++) {
        nkx_core *core = s->cores.at[i];
        if (!all && nkx_view_live(core) > 0) {
            s->cores.at[kept++] = core;
            continue;
        }
        if (vm->core == core) vm->core = NULL;
        core_free(core);
    }
    s->cores.n = kept;
    if (kept > 0) return;
    for (size_t i = 0; i < s->kept.n; i++) nkx_nd_drop(s->kept.at[i]);
    s->kept.n = 0;
}

static void state_free(nkx_vm *vm)
{
    nkx_nki *s = vm->nki_state;
    for (int i = 0; i < NKX_N_ALU; i++) {
        nkx_drop(s->op_fn[i][0]);
        nkx_drop(s->op_fn[i][1]);
    }
    cores_free(vm, s, true);
    nkx_arrays_fini(&s->arrays);
    nkx_vec_fini(&s->cores);
    nkx_vec_fini(&s->kept);
    nkx_vec_fini(&s->labels);
    for (size_t i = 0; i < NKX_COUNT(s->configs); i++) {
        if (s->configs[i] == NULL) continue;
        nkx_config_fini(s->configs[i]);
        free(s->configs[i]);
    }
    nkx_arena_fini(&s->scratch);
    free(s);
    vm->nki_state = NULL;
}

nkx_core *nkx_need_core(nkx_vm *vm, const char *what)
{
    if (NKX_LIKELY(vm->kernel > 0 && vm->core != NULL)) return vm->core;
    nkx_raise(vm, NKX_E235, "RuntimeError", "%s works inside a kernel only", what);
    nkx_raise_hint(vm, "Put it into a function decorated with @nki.jit and call that function.");
    return NULL;
}

const nkx_config *nkx_nki_config(nkx_vm *vm)
{
    return vm->kernel > 0 && vm->core != NULL ? vm->core->config : vm->o.config;
}

/* ---- cores ---- */

/* The machine a kernel asks for by platform_target=, else the VM's. NULL after a diagnostic. */
static const nkx_config *config_of(nkx_vm *vm, const nkx_kernel_obj *k)
{
    if (k->extra.type != NKX_V_STR) return vm->o.config;
    const char *target = nkx_target_canonical(nkx_text(k->extra));
    if (target == NULL || strcmp(target, vm->o.config->name) == 0) return vm->o.config;
    nkx_nki *s = nkx_nki_of(vm);
    for (size_t i = 0; i < NKX_COUNT(s->configs); i++) {
        if (s->configs[i] != NULL && strcmp(s->configs[i]->name, target) == 0) return s->configs[i];
        if (s->configs[i] != NULL) continue;
        s->configs[i] = nkx_alloc(sizeof *s->configs[i]);
        if (nkx_config_load(s->configs[i], target, NULL, vm->diags)) return s->configs[i];
        nkx_raise_diagnosed(vm);
        return NULL;
    }
    return vm->o.config;
}

/*
 * `numbers`: host code will look at the results, so that a check of a file whose module code
 * launches kernels computes them.
 */
static bool core_begin(nkx_vm *vm, const nkx_config *config, const char *name, bool numbers)
{
    nkx_modes modes = vm->o.modes;
    modes.exec |= numbers && !modes.time;
    nkx_nki *s = nkx_nki_of(vm);
    if (config == NULL) return false;
    cores_free(vm, s, false);
    nkx_core *core = nkx_alloc(sizeof *core);
    if (!nkx_core_init(core, config, vm->diags, modes, &s->arrays)) {
        free(core);
        return nkx_raise_diagnosed(vm);
    }
    nkx_push(&s->cores, core);
    vm->core = core;
    vm->core_serial++;
    s->labels.n = 0;
    s->dynamic = 0;
    s->plan = NULL;
    if (vm->o.on_launch != NULL) vm->o.on_launch(vm->o.user, core, name, true);
    return true;
}

static void core_end(nkx_vm *vm, const char *name)
{
    nkx_core_flush(vm->core);
    if (vm->o.on_launch != NULL) vm->o.on_launch(vm->o.user, vm->core, name, false);
}

bool nkx_vm_begin_live(nkx_vm *vm)
{
    nkx_nki *s = nkx_nki_of(vm);
    if (s->live) return true;
    if (!core_begin(vm, vm->o.config, "live", false)) return false;
    s->live = true;
    vm->kernel = 1;
    return true;
}

/* ---- results ---- */

static bool result_space(nkx_vm *vm, const nkx_view *v)
{
    nkx_space space = (nkx_space)v->st->space;
    if (space == NKX_SPACE_SHARED_HBM || v->st->is_input) return true;
    if (nkx_space_on_chip(space)) {
        nkx_diag *g =
            nkx_diag_add(vm->diags, NKX_E712, v->st->span,
                         "a kernel returns a tensor that lies in %s", nkx_space_name(space));
        nkx_diag_hint(vm->diags, g,
                      "Results lie in nl.shared_hbm: allocate one there and copy the tile to it "
                      "with nisa.dma_copy.");
        return nkx_diag_stops(g) ? nkx_raise_diagnosed(vm) : true;
    }
    nkx_diag *g =
        nkx_diag_add(vm->diags, NKX_E713, v->st->span, "a kernel returns a tensor of private HBM");
    nkx_diag_hint(vm->diags, g,
                  "Allocate it with buffer=nl.shared_hbm: the compiler refuses nl.hbm for results "
                  "since NKI 0.3.");
    return nkx_diag_stops(g) ? nkx_raise_diagnosed(vm) : true;
}

static bool result_written(nkx_vm *vm, const nkx_view *v)
{
    if (!vm->o.modes.hazards || v->st->is_input || nkx_track_any_written(v->st)) return true;
    nkx_diag *g =
        nkx_diag_add(vm->diags, NKX_E714, v->st->span, "the result%s%s %s was never written",
                     v->st->name != NULL && *v->st->name ? " " : "",
                     v->st->name != NULL ? v->st->name : "", v->st->type_text);
    nkx_diag_hint(vm->diags, g,
                  "Write it with nisa.dma_copy(dst=..., src=...) before returning it.");
    return nkx_diag_stops(g) ? nkx_raise_diagnosed(vm) : true;
}

/* A whole tensor that nothing else refers to becomes the array as it lies. */
static bool take_result(nkx_vm *vm, const nkx_view *v, nkx_value *out)
{
    const nkx_storage *st = v->st;
    int64_t bytes = nkx_view_size(v) * nkx_dtype_bytes((nkx_dtype)v->dtype);
    if (v->refs > 1 || st->refs > 1) return false;
    if (nkx_view_on_chip(v) || v->indirect != NKX_IND_NONE || !nkx_view_is_contiguous(v)) {
        return false;
    }
    if (v->offset != 0 || bytes != st->bytes) return false;
    void *at = nkx_storage_take_bytes(v->st);
    if (at == NULL) return false;
    *out = nkx_array_take(
        vm, nkx_nd_adopt((nkx_dtype)v->dtype, v->ndim, v->shape, at, vm->core->arrays->pool));
    return true;
}

/* The array of a returned value; `sole`: nothing but the return value holds what holds it. */
static bool result_of(nkx_vm *vm, nkx_value v, bool sole, nkx_value *out);

static bool results_of(nkx_vm *vm, const nkx_value *at, uint32_t n, bool sole, nkx_value *out)
{
    *out = nkx_tuple_new(vm, n);
    for (uint32_t i = 0; i < n; i++) {
        nkx_value item = NKX_NONE;
        bool ok = result_of(vm, at[i], sole, &item);
        NKX_AS(nkx_tuple, *out)->at[i] = item;
        if (!ok) return false;
    }
    return true;
}

static bool result_of(nkx_vm *vm, nkx_value v, bool sole, nkx_value *out)
{
    if (nkx_is_counted(v) && v.u.o->refs > 1) sole = false;
    switch (v.type) {
    case NKX_V_NONE: *out = NKX_NONE; return true;
    case NKX_V_TUPLE:
        return results_of(vm, NKX_AS(nkx_tuple, v)->at, NKX_AS(nkx_tuple, v)->n, sole, out);
    case NKX_V_LIST:
        return results_of(vm, NKX_AS(nkx_list, v)->at, NKX_AS(nkx_list, v)->n, sole, out);
    case NKX_V_TENSOR: {
        nkx_view *view = nkx_view_of(v);
        if (view->core != vm->core) return nkx_foreign(vm, "the result");
        if (!result_space(vm, view) || !result_written(vm, view)) return false;
        view->st->is_output = true;
        return (sole && take_result(vm, view, out)) || nkx_tensor_to_array(vm, view, out);
    }
    default: break;
    }
    nkx_diag *g = nkx_diag_add(vm->diags, NKX_E718, nkx_vm_span(vm), "a kernel returns a %s",
                               nkx_type_name(v));
    nkx_diag_hint(vm->diags, g,
                  "A kernel returns one tensor or a tuple of tensors; other values are dropped.");
    return nkx_diag_stops(g) ? nkx_raise_diagnosed(vm) : true;
}

/* ---- the launch ---- */

static bool grid_ok(nkx_vm *vm, int lnc)
{
    if (lnc <= 1) return true;
    nkx_raise(vm, NKX_E716, "NotImplementedError",
              "a kernel over %d cores: one core is modelled so far", lnc);
    nkx_raise_hint(vm, "Run it with kernel[1], or without a grid: nl.num_programs() is 1 then.");
    return false;
}

/* The function on its arguments, as the program of the core. */
static bool run_function(nkx_vm *vm, nkx_value func, const nkx_args *a, nkx_value *out)
{
    int before = vm->kernel;
    bool ok;
    vm->kernel = 1;
    ok = nkx_call(vm, func, a, out);
    vm->kernel = before;
    return ok;
}

static bool run_launch(nkx_vm *vm, const nkx_kernel_obj *k, const nkx_args *a, nkx_launch_args *la,
                       nkx_value *out)
{
    nkx_value returned = NKX_NONE;
    size_t errors = vm->diags->n_errors;
    if (!nkx_launch_args_make(vm, k, a, la)) return false;
    nkx_args inner = *a;
    inner.at = la->at;
    inner.site = NULL;
    bool ok = run_function(vm, k->func, &inner, &returned);
    nkx_core_flush(vm->core);
    /* Faults that `check` passed over, not exceptions: what follows from them is not reported. */
    if (ok && vm->diags->n_errors > errors) ok = nkx_raise_diagnosed(vm);
    if (ok) ok = result_of(vm, returned, true, out);
    nkx_drop(returned);
    return nkx_launch_args_end(vm, la, ok) && ok;
}

static bool launch(nkx_vm *vm, nkx_value kernel, const nkx_args *a, bool from_program,
                   nkx_value *out)
{
    const nkx_kernel_obj *k = NKX_AS(nkx_kernel_obj, kernel);
    nkx_nki *s = nkx_nki_of(vm);
    const char *name = k->name != NULL ? k->name->text : "kernel";
    nkx_core *outer = vm->kernel > 0 ? vm->core : NULL;
    int depth = vm->kernel;
    if (!grid_ok(vm, k->lnc)) return false;
    nkx_ref(kernel);
    if (outer == NULL) vm->core = NULL;
    nkx_launch_args la = {0};
    bool ok = core_begin(vm, config_of(vm, k), name, from_program);
    if (ok) {
        nkx_value schedule = s->schedule;
        bool grid = s->grid;
        s->schedule = k->schedule;
        s->grid = k->lnc > 0;
        ok = run_launch(vm, k, a, &la, out);
        s->schedule = schedule;
        s->grid = grid;
        core_end(vm, name);
    }
    nkx_launch_args_fini(&la);
    nkx_drop(kernel);
    vm->kernel = depth;
    if (outer != NULL) vm->core = outer;
    return ok;
}

bool nkx_vm_launch(nkx_vm *vm, nkx_value kernel, const nkx_args *a, nkx_value *out)
{
    return launch(vm, kernel, a, false, out);
}

/* Inside a kernel another one is a plain function; a live session launches when it gets host
 * arrays. */
bool nkx_kernel_call(nkx_vm *vm, nkx_value k, const nkx_args *a, nkx_value *out)
{
    bool host = vm->kernel == 0;
    if (!host && nkx_nki_of(vm)->live && vm->kernel == 1) {
        for (uint32_t i = 0; i < a->n + a->n_kw; i++) host = host || a->at[i].type == NKX_V_ARRAY;
    }
    if (host) return launch(vm, k, a, true, out);
    if (NKX_AS(nkx_kernel_obj, k)->lnc > 0) {
        nkx_raise(vm, NKX_E715, "RuntimeError",
                  "a kernel is called with a grid inside another kernel");
        nkx_raise_hint(vm, "Call it without [n]: it runs as part of the program that calls it.");
        return false;
    }
    return nkx_call(vm, NKX_AS(nkx_kernel_obj, k)->func, a, out);
}

/* ---- kernel[n], attributes ---- */

static nkx_value kernel_copy(nkx_vm *vm, nkx_value k)
{
    const nkx_kernel_obj *from = NKX_AS(nkx_kernel_obj, k);
    nkx_value v = nkx_kernel_new(vm, from->func);
    nkx_kernel_obj *to = NKX_AS(nkx_kernel_obj, v);
    to->schedule = nkx_ref(from->schedule);
    to->extra = nkx_ref(from->extra);
    to->lnc = from->lnc;
    to->flags = from->flags;
    to->name = from->name;
    to->span = from->span;
    return v;
}

bool nkx_kernel_index(nkx_vm *vm, nkx_value k, nkx_value key, nkx_value *out)
{
    int64_t n;
    if (key.type == NKX_V_TUPLE && NKX_AS(nkx_tuple, key)->n == 1)
        key = NKX_AS(nkx_tuple, key)->at[0];
    if (!nkx_is_int(key, &n) || n < 1 || n > 2) {
        nkx_buf b = {0};
        if (!nkx_repr(vm, key, &b)) nkx_exception_clear(vm);
        nkx_raise(vm, NKX_E715, "ValueError", "kernel[%s]: the grid is one number, 1 or 2",
                  b.at != NULL ? b.at : "");
        nkx_raise_hint(vm, "It is the number of cores that run the kernel together (LNC).");
        nkx_buf_fini(&b);
        return false;
    }
    *out = kernel_copy(vm, k);
    NKX_AS(nkx_kernel_obj, *out)->lnc = (int)n;
    return true;
}

static bool with_schedule(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value list = NKX_NONE;
    if (!nkx_list_of(vm, in[1], &list)) return false;
    const nkx_list *l = NKX_AS(nkx_list, list);
    bool ok = true;
    for (uint32_t i = 0; ok && i < l->n; i++) {
        const nkx_tuple *pair = NKX_AS(nkx_tuple, l->at[i]);
        ok = l->at[i].type == NKX_V_TUPLE && pair->n == 2 && pair->at[0].type == NKX_V_STR &&
             (pair->at[1].type == NKX_V_STR || pair->at[1].type == NKX_V_LIST ||
              pair->at[1].type == NKX_V_TUPLE);
    }
    if (ok) {
        *out = kernel_copy(vm, in[0]);
        nkx_drop(NKX_AS(nkx_kernel_obj, *out)->schedule);
        NKX_AS(nkx_kernel_obj, *out)->schedule = nkx_ref(list);
    } else {
        nkx_raise(
            vm, NKX_E702, "TypeError",
            "with_schedule(): 'edges' must be a list of (consumer name, producer name or names)");
    }
    nkx_drop(list);
    return ok;
}

static const nkx_builtin kernel_methods[] = {
    {"with_schedule", "self, edges", with_schedule,
     "The kernel with further edges between instructions, by their names.", NKX_BF_METHOD},
    {0 },
};

bool nkx_kernel_attr(nkx_vm *vm, nkx_value k, const nkx_name *name, nkx_value *out)
{
    const nkx_kernel_obj *o = NKX_AS(nkx_kernel_obj, k);
    if (strcmp(name->text, "with_schedule") == 0) {
        *out = nkx_method_new(vm, k, nkx_builtin_value(&kernel_methods[0]));
    } else if (strcmp(name->text, "func") == 0 || strcmp(name->text, "__wrapped__") == 0) {
        *out = nkx_ref(o->func);
    } else if (strcmp(name->text, "__name__") == 0) {
        *out = nkx_str_of_name(vm, o->name);
    } else if (strcmp(name->text, "benchmark_result") == 0) {
        return nkx_benchmark_result(vm, out);
    } else if (strncmp(name->text, "__", 2) == 0) {
        return nkx_find_attr(vm, o->func, name, out);
    }
    return true;
}
