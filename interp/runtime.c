/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Life of a runtime, loading, and launching: the front of the library. Arguments, results,
 * comparisons, reports, the live session and the reference texts stand in the runtime_*.c beside
 * it.
 */
#include "interp/runtime.h"
#include "interp/base/file.h"
#include "interp/num/gemm.h"

#include <string.h>
#include <unistd.h>

#define NKX_MAX_SOURCE ((size_t)64 << 20)
#define NKX_MAX_DEPTH  1000

void nkx_prepare_process(void)
{
    nkx_gemm_prepare_process();
}

const char *nkx_version(void)
{
    return NKX_VERSION;
}

void nkx_string_free(char *s)
{
    free(s);
}

void nkx_options_init(nkx_options *o)
{
    *o = (nkx_options){.size = sizeof *o, .nki_minor = 6, .data = true, .seed = 0};
}

/* ---- life ---- */

static const char *copy_text(nkx_runtime *rt, const char *s)
{
    return s ? nkx_arena_str(&rt->arena, s, strlen(s)) : NULL;
}

static const char *const *copy_list(nkx_runtime *rt, const char *const *list, size_t n)
{
    const char **out = NKX_ARENA_ARRAY(&rt->arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) out[i] = copy_text(rt, list[i]);
    return out;
}

/* Options of an older, shorter struct keep the defaults of what they do not know. */
static void copy_options(nkx_runtime *rt, const nkx_options *from)
{
    nkx_options *o = &rt->o;
    nkx_options_init(o);
    memcpy(o, from, from->size < sizeof *o ? from->size : sizeof *o);
    o->allow = copy_list(rt, o->allow, o->n_allow);
    o->path = copy_list(rt, o->path, o->n_path);
    o->argv = copy_list(rt, o->argv, o->n_argv);
    o->machine = copy_text(rt, o->machine);
    o->trace = copy_text(rt, o->trace);
    o->target = copy_text(rt, o->target);
    if (o->threads <= 0) {
        long n = sysconf(_SC_NPROCESSORS_ONLN);
        o->threads = n > 0 ? (int)n : 1;
    }
}

static const char *default_target(void)
{
    const char *t = getenv("NEURON_PLATFORM_TARGET_OVERRIDE");
    return t && *t ? t : "trn2";
}

static void apply_allow(nkx_runtime *rt)
{
    for (size_t i = 0; i < rt->o.n_allow; i++) {
        nkx_code c = nkx_code_find(rt->o.allow[i]);
        if (c < NKX_N_CODES) {
            rt->diags.allowed[c] = 1;
            continue;
        }
        nkx_span span = nkx_rt_note_text(rt, "<option --allow>", rt->o.allow[i]);
        nkx_diag *g = nkx_diag_add(&rt->diags, NKX_E650, span, "no diagnostic is called '%s'",
                                   rt->o.allow[i]);
        nkx_diag_hint(&rt->diags, g, "Codes look like E312; `nkx explain --names` lists them.");
    }
}

nkx_runtime *nkx_runtime_new(const nkx_options *o)
{
    nkx_runtime *rt = nkx_alloc(sizeof *rt);
    nkx_arena_init(&rt->arena);
    copy_options(rt, o);
    rt->sources = nkx_sources_new();
    nkx_diags_init(&rt->diags, rt->sources);
    rt->diags.strict = rt->o.strict;
    rt->diags.lenient = rt->o.lenient;
    rt->diags.max_errors = rt->o.max_errors;
    rt->module = rt->arg_module = NKX_UNSET;
    pthread_mutex_init(&rt->lock, NULL);
    apply_allow(rt);
    const char *wanted = rt->o.target ? rt->o.target : default_target();
    const char *target = nkx_target_canonical(wanted);
    rt->config_ok =
        nkx_config_load(&rt->config, target ? target : wanted, rt->o.machine, &rt->diags);
    rt->o.target = target;
    if (rt->diags.n_errors > 0) rt->config_ok = false;
    return rt;
}

void nkx_runtime_free(nkx_runtime *rt)
{
    if (rt == NULL) return;
    nkx_rt_args_clear(rt);
    nkx_rt_results_clear(rt);
    nkx_vec_fini(&rt->args);
    nkx_vec_fini(&rt->results);
    nkx_vec_fini(&rt->comparisons);
    nkx_drop(rt->module);
    nkx_drop(rt->arg_module);
    if (rt->vm) nkx_vm_free(rt->vm);
    nkx_rt_trace_close(rt);
    nkx_buf_fini(&rt->live_list);
    nkx_config_fini(&rt->config);
    nkx_diags_fini(&rt->diags);
    nkx_sources_free(rt->sources);
    nkx_arena_fini(&rt->arena);
    pthread_mutex_destroy(&rt->lock);
    free(rt->check);
    free(rt->path);
    free(rt->text);
    free(rt);
}

static void write_output(void *user, int stream, const char *text, size_t len)
{
    nkx_runtime *rt = user;
    if (rt->o.write) rt->o.write(rt->o.user, stream, text, len);
}

nkx_vm *nkx_rt_vm(nkx_runtime *rt)
{
    if (rt->vm || !rt->config_ok) return rt->vm;
    const nkx_options *o = &rt->o;
    nkx_vm_options v = {
        .target = o->target,
        .config = &rt->config,
        .modes = {.exec = o->data,
                  .time = o->time,
                  .hazards = true,
                  .nan_fill = o->nan_fill,
                  .fp32 = o->fp32,
                  .nki = o->nki_minor,
                  .threads = o->threads},
        .nki_minor = o->nki_minor,
        .no_numbers = !o->data,
        .skip_missing = o->skip_missing,
        .seed = o->seed,
        .limits = {o->max_steps, NKX_MAX_DEPTH, o->max_bytes},
        .path = o->path,
        .n_path = o->n_path,
        .write = write_output,
        .user = rt,
        .argv = o->argv,
        .n_argv = o->n_argv,
        .on_launch = nkx_rt_on_launch,
    };
    rt->vm = nkx_vm_new(&v, rt->sources, &rt->diags);
    return rt->vm;
}

/* ---- small helpers of all runtime files ---- */

nkx_span nkx_rt_note_text(nkx_runtime *rt, const char *what, const char *text)
{
    const nkx_source *s = nkx_sources_add(rt->sources, what, text, strlen(text));
    return (nkx_span){s->id, 0, (uint32_t)s->len};
}

nkx_status nkx_rt_status(const nkx_runtime *rt, size_t before)
{
    return rt->diags.n_errors > before ? NKX_WRONG : NKX_OK;
}

nkx_status nkx_rt_failed(nkx_runtime *rt)
{
    if (rt->vm) nkx_vm_report(rt->vm);
    return NKX_WRONG;
}

/* ---- loading ---- */

static bool is_name(const nkx_node *n, const char *text)
{
    return n->kind == NKX_NAME && strcmp(((const nkx_name_node *)n)->id->text, text) == 0;
}

static bool is_main_text(const nkx_node *n)
{
    const nkx_constant *c = (const nkx_constant *)n;
    return n->kind == NKX_CONSTANT && c->what == NKX_CONST_STR && strcmp(c->text, "__main__") == 0;
}

/* if __name__ == "__main__": */
static bool is_main_guard(const nkx_node *n)
{
    if (n->kind != NKX_IF) return false;
    const nkx_node *test = ((const nkx_if *)n)->test;
    if (test->kind != NKX_COMPARE) return false;
    const nkx_compare *c = (const nkx_compare *)test;
    return c->rights.n == 1 && c->ops[0] == NKX_OP_EQ && is_name(c->left, "__name__") &&
           is_main_text(c->rights.at[0]);
}

/* Reads the syntax once ahead, to know what kind of file it is and to show all its errors at once.
 */
static bool survey(nkx_runtime *rt, const char *path, const char *text, size_t len)
{
    const nkx_source *src = nkx_sources_add(rt->sources, path, text, len);
    nkx_arena arena;
    nkx_arena_init(&arena);
    nkx_names *names = nkx_names_new();
    nkx_module_ast *m = nkx_parse(src, &arena, names, &rt->diags);
    rt->has_main = false;
    for (uint32_t i = 0; m && i < m->body.n; i++) {
        if (is_main_guard(m->body.at[i])) rt->has_main = true;
    }
    nkx_names_free(names);
    nkx_arena_fini(&arena);
    return m != NULL;
}

static nkx_status start_load(nkx_runtime *rt)
{
    if (!rt->config_ok) return NKX_WRONG;
    nkx_drop(rt->module);
    rt->module = NKX_UNSET;
    free(rt->path);
    free(rt->text);
    rt->path = rt->text = NULL;
    rt->loaded = rt->broken = false;
    return NKX_OK;
}

nkx_status nkx_load(nkx_runtime *rt, const char *path)
{
    nkx_status s = start_load(rt);
    if (s != NKX_OK) return s;
    nkx_buf text = {0};
    const char *why = NULL;
    if (!nkx_file_read(path, NKX_MAX_SOURCE, &text, &why)) {
        nkx_span span = nkx_rt_note_text(rt, "<command line>", path);
        nkx_diag *g = nkx_diag_add(&rt->diags, NKX_E651, span, "cannot read '%s': %s", path, why);
        nkx_diag_hint(&rt->diags, g, "Give the path of a .nki or .py file that may be read.");
        nkx_buf_fini(&text);
        return NKX_WRONG;
    }
    bool fine = survey(rt, path, text.at ? text.at : "", text.len);
    nkx_buf_fini(&text);
    if (!fine) return NKX_WRONG;
    rt->path = nkx_dup(path, strlen(path) + 1);
    rt->loaded = true;
    return NKX_OK;
}

nkx_status nkx_load_text(nkx_runtime *rt, const char *name, const char *text, size_t len)
{
    nkx_status s = start_load(rt);
    if (s != NKX_OK) return s;
    if (!survey(rt, name, text, len)) return NKX_WRONG;
    rt->path = nkx_dup(name, strlen(name) + 1);
    rt->text = nkx_alloc(len + 1);
    memcpy(rt->text, text, len);
    rt->text_len = len;
    rt->loaded = true;
    return NKX_OK;
}

/* "kernels/matmul.nki" -> "matmul" */
static char *module_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *from = slash ? slash + 1 : path;
    size_t len = strcspn(from, ".");
    char *out = nkx_alloc(len + 1);
    memcpy(out, from, len);
    return out;
}

static bool run_module(nkx_runtime *rt, const char *name)
{
    nkx_vm *vm = nkx_rt_vm(rt);
    if (vm == NULL) return false;
    nkx_drop(rt->module);
    rt->module = NKX_UNSET;
    if (rt->text == NULL) return nkx_vm_load(vm, rt->path, name, &rt->module);
    nkx_value last = NKX_UNSET;
    rt->module = nkx_vm_module_new(vm, name);
    bool fine = nkx_vm_exec_text(vm, rt->module, rt->path, rt->text, rt->text_len, &last);
    nkx_drop(last);
    return fine;
}

bool nkx_rt_module(nkx_runtime *rt)
{
    if (!rt->loaded || rt->broken) return false;
    if (rt->module.type != NKX_V_UNSET) return true;
    /* A file without a __main__ block is its own program: nothing else will run under that name. */
    char *name = rt->has_main ? module_name(rt->path) : nkx_dup("__main__", sizeof "__main__");
    rt->in_script = !rt->has_main;
    bool fine = run_module(rt, name);
    rt->in_script = false;
    free(name);
    if (!fine) {
        rt->broken = true; /* said once */
        nkx_rt_failed(rt);
        nkx_drop(rt->module);
        rt->module = NKX_UNSET;
    }
    return fine;
}

bool nkx_is_script(const nkx_runtime *rt)
{
    return rt->loaded && rt->has_main;
}

nkx_status nkx_run_script(nkx_runtime *rt)
{
    if (!rt->loaded) return NKX_MISUSE;
    size_t before = rt->diags.n_errors;
    if (!rt->has_main) return nkx_rt_module(rt) ? nkx_rt_status(rt, before) : NKX_WRONG;
    rt->in_script = true;
    bool fine = run_module(rt, "__main__");
    rt->in_script = false;
    return fine ? nkx_rt_status(rt, before) : nkx_rt_failed(rt);
}

/* ---- kernels ---- */

static size_t list_kernels(nkx_runtime *rt, nkx_value *out, size_t max)
{
    return nkx_rt_module(rt) ? nkx_module_kernels(rt->vm, rt->module, out, max) : 0;
}

size_t nkx_kernel_count(nkx_runtime *rt)
{
    return list_kernels(rt, NULL, 0);
}

static const char *kernel_name(nkx_value k)
{
    return NKX_AS(nkx_kernel_obj, k)->name->text;
}

/* All kernels as an array of owned values: nkx_drop each, free the array. */
static nkx_value *all_kernels(nkx_runtime *rt, size_t *n)
{
    *n = list_kernels(rt, NULL, 0);
    nkx_value *at = nkx_alloc((*n + 1) * sizeof *at);
    if (*n > 0) *n = list_kernels(rt, at, *n);
    return at;
}

static void drop_kernels(nkx_value *at, size_t n)
{
    for (size_t i = 0; i < n; i++) nkx_drop(at[i]);
    free(at);
}

const char *nkx_kernel_name(nkx_runtime *rt, size_t i)
{
    size_t n;
    nkx_value *at = all_kernels(rt, &n);
    const char *name = i < n ? kernel_name(at[i]) : NULL; /* names live as long as the VM */
    drop_kernels(at, n);
    return name;
}

static void complain_choice(nkx_runtime *rt, const char *wanted, const nkx_value *at, size_t n)
{
    const char **names = nkx_alloc((n + 1) * sizeof *names);
    nkx_buf all = {0};
    for (size_t i = 0; i < n; i++) {
        names[i] = kernel_name(at[i]);
        nkx_buf_printf(&all, "%s%s", i ? ", " : "", names[i]);
    }
    nkx_span span = nkx_rt_note_text(rt, "<command line>", wanted ? wanted : rt->path);
    nkx_diag *g;
    if (wanted == NULL && n > 1) {
        g = nkx_diag_add(&rt->diags, NKX_E652, span, "'%s' has %zu kernels, which one is meant?",
                         rt->path, n);
    } else if (wanted == NULL) {
        g = nkx_diag_add(&rt->diags, NKX_E652, span, "'%s' has no kernel", rt->path);
    } else {
        g = nkx_diag_add(&rt->diags, NKX_E652, span, "'%s' has no kernel '%s'", rt->path, wanted);
    }
    const char *near = wanted ? nkx_nearest(wanted, names, n) : NULL;
    if (near) {
        nkx_diag_hint(&rt->diags, g, "Did you mean '%s'? The kernels are: %s.", near, all.at);
    } else if (n > 0) {
        nkx_diag_hint(&rt->diags, g, "The kernels are: %s.", all.at);
    } else {
        nkx_diag_hint(&rt->diags, g, "A kernel is a function decorated with @nki.jit.");
    }
    nkx_buf_fini(&all);
    free(names);
}

/* Owned kernel value; UNSET after a diagnostic. */
static nkx_value choose_kernel(nkx_runtime *rt, const char *wanted)
{
    size_t n;
    size_t before = rt->diags.n_errors;
    nkx_value *at = all_kernels(rt, &n);
    nkx_value found = NKX_UNSET;
    if (wanted == NULL && n == 1) found = nkx_ref(at[0]);
    for (size_t i = 0; wanted && i < n; i++) {
        if (strcmp(kernel_name(at[i]), wanted) == 0) {
            found = nkx_ref(at[i]);
            break;
        }
    }
    if (found.type == NKX_V_UNSET && rt->diags.n_errors == before) {
        complain_choice(rt, wanted, at, n);
    }
    drop_kernels(at, n);
    return found;
}

/* ---- launching ---- */

static bool launch(nkx_runtime *rt, nkx_value kernel, nkx_value *out)
{
    size_t n = rt->args.n;
    nkx_value *at = nkx_alloc((n + 1) * sizeof *at);
    const nkx_name **kw = nkx_alloc((n + 1) * sizeof *kw);
    nkx_span *spans = nkx_alloc((n + 1) * sizeof *spans);
    for (size_t i = 0; i < n; i++) {
        at[i] = rt->args.at[i].value;
        kw[i] = rt->args.at[i].name;
        spans[i] = rt->args.at[i].span;
    }
    nkx_args a = {.at = at, .n_kw = (uint32_t)n, .kw = kw, .arg_spans = spans};
    a.span = NKX_AS(nkx_kernel_obj, kernel)->span;
    bool fine = nkx_vm_launch(rt->vm, kernel, &a, out);
    free(at);
    free(kw);
    free(spans);
    return fine;
}

size_t nkx_launches(const nkx_runtime *rt)
{
    return rt->n_launches;
}

/* A call that comes from the command line has no place in a source: its faults show the kernel. */
static void place_at_kernel(nkx_runtime *rt, size_t first, nkx_span span)
{
    for (size_t i = first; i < rt->diags.n; i++) {
        if (rt->diags.list[i]->span.source == 0) rt->diags.list[i]->span = span;
    }
}

nkx_status nkx_launch(nkx_runtime *rt, const char *wanted)
{
    if (!rt->loaded) return NKX_MISUSE;
    nkx_rt_results_clear(rt);
    size_t before = rt->diags.n_errors;
    nkx_value kernel = choose_kernel(rt, wanted);
    if (kernel.type == NKX_V_UNSET) return NKX_WRONG;
    nkx_value out = NKX_UNSET;
    nkx_rt_keep_inputs(rt);
    size_t first = rt->diags.n;
    bool fine = launch(rt, kernel, &out);
    if (!fine) nkx_rt_failed(rt);
    place_at_kernel(rt, first, NKX_AS(nkx_kernel_obj, kernel)->span);
    if (fine) fine = nkx_rt_results_take(rt, out);
    if (fine && rt->check && rt->o.data) fine = nkx_rt_compare(rt);
    nkx_drop(out);
    nkx_drop(kernel);
    nkx_rt_args_clear(rt);
    free(rt->check);
    rt->check = NULL;
    return fine ? nkx_rt_status(rt, before) : NKX_WRONG;
}

nkx_status nkx_check_rules(nkx_runtime *rt)
{
    size_t before = rt->diags.n_errors;
    if (!nkx_rt_module(rt)) return NKX_WRONG;
    if (!nkx_vm_check_rules(rt->vm, rt->module)) return nkx_rt_failed(rt);
    return nkx_rt_status(rt, before);
}

void nkx_check_with(nkx_runtime *rt, const char *expression, double rtol, double atol)
{
    free(rt->check);
    rt->check = nkx_dup(expression, strlen(expression) + 1);
    rt->rtol = rtol;
    rt->atol = atol;
}

void nkx_interrupt(nkx_runtime *rt)
{
    if (rt->vm) nkx_vm_interrupt(rt->vm);
}

uint64_t nkx_progress(nkx_runtime *rt)
{
    pthread_mutex_lock(&rt->lock);
    uint64_t n = rt->running ? __atomic_load_n(&rt->running->n_issued, __ATOMIC_RELAXED) : 0;
    pthread_mutex_unlock(&rt->lock);
    return n;
}
