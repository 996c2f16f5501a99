/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modules nki, nki.typing, nki.dtype and nki.collectives: making kernels and running them.
 * Collectives resolve and say that they come later. Layer eval.
 */
#include "interp/eval/launch.h"

#include "interp/machine/timeline.h"

#include <string.h>

bool nkx_later(nkx_vm *vm, const char *what)
{
    nkx_raise(vm, NKX_E730, "NotImplementedError",
              "%s needs several cores: one core is modelled so far", what);
    nkx_raise_hint(
        vm, "The name is known, so the file loads; kernels that do not reach this call run.");
    return false;
}

/* ---- jit and simulate ---- */

static bool callable_or_raise(nkx_vm *vm, const char *fn, nkx_value v)
{
    if (v.type == NKX_V_KERNEL || nkx_callable(vm, v)) return true;
    return nkx_raise(vm, NKX_E210, "TypeError", "%s() needs a function, not %s", fn,
                     nkx_type_name(v));
}

/* Options of nki.jit: mode is ignored, platform_target chooses the machine (language.md 4.4). */
static bool jit_options(nkx_vm *vm, nkx_value kernel, nkx_value kwargs)
{
    nkx_value key, value;
    if (kwargs.type != NKX_V_DICT) return true;
    for (uint32_t i = 0; nkx_dict_next(kwargs, &i, &key, &value);) {
        if (!nkx_str_is(key, "platform_target") || value.type != NKX_V_STR) continue;
        if (nkx_target_canonical(nkx_text(value)) == NULL) {
            size_t n;
            const char *const *names = nkx_target_names(&n);
            const char *near = nkx_nearest(nkx_text(value), names, n);
            nkx_raise(vm, NKX_E719, "ValueError", "there is no target '%s'", nkx_text(value));
            nkx_raise_hint(vm, "Did you mean '%s'?", near != NULL ? near : "trn2");
            return false;
        }
        nkx_diag *g = nkx_diag_add(vm->diags, NKX_E719, nkx_vm_span(vm),
                                   "platform_target='%s' of nki.jit", nkx_text(value));
        nkx_diag_hint(vm->diags, g,
                      "It is honoured here, and an error for the compiler since NKI 0.3. Use "
                      "--target or NEURON_PLATFORM_TARGET_OVERRIDE.");
        if (nkx_diag_stops(g)) return nkx_raise_diagnosed(vm);
        NKX_AS(nkx_kernel_obj, kernel)->extra = nkx_ref(value);
    }
    return true;
}

static bool make_kernel(nkx_vm *vm, nkx_value fn, nkx_value kwargs, nkx_value *out)
{
    if (!callable_or_raise(vm, "jit", fn)) return false;
    *out = fn.type == NKX_V_KERNEL ? nkx_ref(fn) : nkx_kernel_new(vm, fn);
    nkx_kernel_obj *k = NKX_AS(nkx_kernel_obj, *out);
    if (fn.type != NKX_V_KERNEL) k->schedule = k->extra = NKX_UNSET;
    return jit_options(vm, *out, kwargs);
}

static bool jit_apply(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return make_kernel(vm, in[1], in[0], out);
}

static const nkx_builtin jit_decorator = {"jit", "self, fn", jit_apply, "", NKX_BF_METHOD};

/* @nki.jit, @nki.jit() and nki.jit(f, ...) */
static bool jit(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    if (in[0].type != NKX_V_NONE) return make_kernel(vm, in[0], in[1], out);
    *out = nkx_method_new(vm, in[1], nkx_builtin_value(&jit_decorator));
    return true;
}

static bool simulate(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return make_kernel(vm, in[0], NKX_NONE, out);
}

static bool simulate_kernel(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    nkx_value k = NKX_NONE;
    if (a->n == 0)
        return nkx_raise(vm, NKX_E204, "TypeError",
                         "simulate_kernel() missing 1 required argument: 'kernel'");
    if (!make_kernel(vm, a->at[0], NKX_NONE, &k)) return false;
    nkx_args rest = *a;
    rest.at++;
    rest.n--;
    rest.site = NULL;
    rest.arg_spans = a->arg_spans != NULL ? a->arg_spans + 1 : NULL;
    bool ok = nkx_kernel_call(vm, k, &rest, out);
    nkx_drop(k);
    return ok;
}

/* ---- benchmark_result: the modelled time in place of a measured one ---- */

static bool percentile(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)in;
    *out = nkx_int(0);
    if (vm->core == NULL || vm->core->timeline == NULL) return true;
    const nkx_summary *s = nkx_timeline_summary(vm->core->timeline);
    *out = nkx_float((double)s->total / 1e6);
    return true;
}

static const nkx_builtin latency_methods[] = {
    {"get_latency_percentile", "self, percentile=50", percentile,
     "Microseconds of the last launch by the timing model; every percentile is the same.", NKX_BF_METHOD},
    {0             },
};

static bool latency_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    if (strcmp(name->text, "nc_latency") == 0) *out = nkx_ref(self);
    if (strcmp(name->text, "get_latency_percentile") == 0)
        *out = nkx_method_new(vm, self, nkx_builtin_value(&latency_methods[0]));
    return true;
}

static const nkx_native_type latency_type = {.name = "BenchmarkResult", .attr = latency_attr};

bool nkx_benchmark_result(nkx_vm *vm, nkx_value *out)
{
    *out = nkx_native_new(vm, &latency_type, 0);
    return true;
}

/* ---- nki ---- */

typedef bool (*plain_fn)(nkx_vm *, const nkx_value *, nkx_value *);

static const nkx_builtin functions[] = {
    {"jit",                      "fn=None, **kwargs", jit, "Makes a kernel of a function.", 0},
    {"simulate",                       "kernel", simulate,
     "A kernel, or a plain function as one, to be called with host arrays.", 0},
    {"simulate_kernel",                         "*args, **kwargs", (plain_fn)simulate_kernel,
     "Runs a kernel on host arrays: simulate_kernel(kernel, a, b).", NKX_BF_RAW},
    {"trace",                 "fn=None, **kwargs", jit, "The same as jit.", 0},
    {"baremetal",                  "fn=None, **kwargs", jit, "The same as jit: there is no device.", 0},
    {"benchmark",                         "fn=None, **kwargs", jit,
     "The same as jit; benchmark_result gives the modelled time.", 0},
    {"profile",          "fn=None, **kwargs", jit, "The same as jit.", 0},
    {0},
};

static bool init_nki(nkx_vm *vm, nkx_value module)
{
    nkx_value kernel = {.type = NKX_V_TYPE, .u.i = NKX_V_KERNEL};
    return nkx_module_set(vm, module, "Kernel", kernel);
}

const nkx_module_def nkx_mod_nki = {.name = "nki", .functions = functions, .init = init_nki};

/* ---- nki.typing ---- */

typedef struct tensor_spec {
    nkx_value shape;
} tensor_spec;

static void spec_fini(nkx_obj *o)
{
    tensor_spec *s = (tensor_spec *)(void *)((nkx_native *)(void *)o + 1);
    nkx_drop(s->shape);
    s->shape = NKX_NONE;
}

static const nkx_native_type spec_type = {.name = "tensor", .fini = spec_fini};

static bool tensor_item(nkx_vm *vm, nkx_value self, nkx_value key, nkx_value *out)
{
    (void)self;
    *out = nkx_native_new(vm, &spec_type, sizeof(tensor_spec));
    NKX_PAYLOAD(tensor_spec, *out)->shape = nkx_ref(key);
    return true;
}

static const nkx_native_type tensor_type = {.name = "tensor", .item = tensor_item};

bool nkx_typing_shape(nkx_value v, nkx_value *shape)
{
    if (!nkx_is_native(v, &spec_type)) return false;
    *shape = NKX_PAYLOAD(tensor_spec, v)->shape;
    return true;
}

static bool init_typing(nkx_vm *vm, nkx_value module)
{
    nkx_value t = nkx_native_new(vm, &tensor_type, 0);
    bool ok =
        nkx_module_set(vm, module, "tensor", t) && nkx_module_set(vm, module, "mutable_tensor", t);
    nkx_drop(t);
    return ok;
}

const nkx_module_def nkx_mod_nki_typing = {.name = "nki.typing", .init = init_typing};
const nkx_module_def nkx_mod_nki_dtype = {.name = "nki.dtype", .init = nkx_set_dtypes};

/* ---- nki.collectives ---- */

/* clang-format off */
#define NKX_COLLECTIVES(X) \
    X(all_reduce) X(all_gather) X(all_gather_v) X(reduce_scatter) X(all_to_all) X(all_to_all_v) \
    X(collective_permute) X(collective_permute_implicit) X(collective_permute_implicit_reduce) \
    X(collective_permute_implicit_current_processing_rank_id) X(rank_id)
/* clang-format on */

#define X(n)                                                                                       \
    static bool coll_##n(nkx_vm *vm, const nkx_args *a, nkx_value *out)                            \
    {                                                                                              \
        (void)a;                                                                                   \
        (void)out;                                                                                 \
        return nkx_later(vm, "nki.collectives." #n);                                               \
    }
NKX_COLLECTIVES(X)
#undef X

/* ReplicaGroup(groups): disjoint lists of rank ids. */
typedef struct replica_group {
    nkx_value groups;
} replica_group;

static void group_fini(nkx_obj *o)
{
    replica_group *g = (replica_group *)(void *)((nkx_native *)(void *)o + 1);
    nkx_drop(g->groups);
    g->groups = NKX_NONE;
}

static bool group_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    (void)vm;
    if (strcmp(name->text, "groups") == 0) *out = nkx_ref(NKX_PAYLOAD(replica_group, self)->groups);
    return true;
}

static const nkx_native_type group_type = {
    .name = "ReplicaGroup", .fini = group_fini, .attr = group_attr};

static bool replica_group_new(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    *out = nkx_native_new(vm, &group_type, sizeof(replica_group));
    NKX_PAYLOAD(replica_group, *out)->groups = nkx_ref(in[0]);
    return true;
}

#define RAW(n)                                                                                     \
    {#n, "*args, **kwargs", (plain_fn)coll_##n, "Between cores; comes later.", NKX_BF_RAW},
static const nkx_builtin collectives[] = {
    NKX_COLLECTIVES(RAW){"ReplicaGroup",     "groups", replica_group_new,
                         "Groups of ranks that work together.", 0},
    {0},
};
#undef RAW

const nkx_module_def nkx_mod_nki_collectives = {.name = "nki.collectives",
                                                .functions = collectives};
