/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments of a launch: "NAME=VALUE" as on the command line, and arrays of an embedder. VALUE is
 * an array file (@a.npy), a filled tensor (bfloat16[2048,1024]), or a host expression.
 */
#include "interp/num/rng.h"
#include "interp/runtime.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

void nkx_rt_args_clear(nkx_runtime *rt)
{
    for (size_t i = 0; i < rt->args.n; i++) {
        nkx_drop(rt->args.at[i].value);
        if (rt->args.at[i].before) nkx_nd_drop(rt->args.at[i].before);
    }
    rt->args.n = 0;
    nkx_drop(rt->arg_module);
    rt->arg_module = NKX_UNSET;
}

void nkx_rt_keep_inputs(nkx_runtime *rt)
{
    if (!rt->o.data || rt->check == NULL) return;
    for (size_t i = 0; i < rt->args.n; i++) {
        nkx_rt_arg *a = &rt->args.at[i];
        if (a->value.type == NKX_V_ARRAY) {
            a->before = nkx_nd_copy(NKX_AS(nkx_array_obj, a->value)->a);
        }
    }
}

/* ---- host expressions ---- */

static const char scope_text[] = "import math\nimport numpy as np\nimport nki\nimport nki.isa as "
                                 "nisa\nimport nki.language as nl\n";

bool nkx_rt_scope(nkx_runtime *rt, const char *name, nkx_value *out)
{
    nkx_vm *vm = nkx_rt_vm(rt);
    if (vm == NULL) return false;
    nkx_value last = NKX_UNSET;
    *out = nkx_vm_module_new(vm, name);
    bool fine = nkx_vm_exec_text(vm, *out, "<scope>", scope_text, sizeof scope_text - 1, &last);
    nkx_drop(last);
    if (fine) return true;
    nkx_rt_failed(rt);
    nkx_drop(*out);
    *out = NKX_UNSET;
    return false;
}

bool nkx_rt_evaluate(nkx_runtime *rt, nkx_value scope, const char *what, const char *text,
                     nkx_value *out)
{
    *out = NKX_UNSET;
    if (!nkx_vm_exec_text(rt->vm, scope, what, text, strlen(text), out)) {
        nkx_rt_failed(rt);
        return false;
    }
    if (out->type != NKX_V_UNSET) return true;
    nkx_span span = nkx_rt_note_text(rt, what, text);
    nkx_diag_add(&rt->diags, NKX_E654, span,
                 "an expression is wanted, found a statement without a value");
    return false;
}

/* ---- filled tensors ---- */

/* Streams differ by name, so that the order of arguments does not change their numbers. */
static uint64_t stream_of(const char *name)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 0x100000001b3u;
    return h;
}

static void scale_to_ints(float *v, int64_t n, bool is_unsigned)
{
    for (int64_t i = 0; i < n; i++) {
        float x = rintf(4.0f * v[i]);
        v[i] = is_unsigned ? fabsf(x) : x;
    }
}

#define FILL_CHUNK ((int64_t)1 << 16)

/* Standard normal numbers; integers get four times as much, rounded, so that they are small and
 * vary. */
static void fill(nkx_ndarray *a, uint64_t seed, const char *name)
{
    nkx_dtype t = (nkx_dtype)a->dtype;
    int64_t lanes = nkx_dtypes[t].lanes > 1 ? nkx_dtypes[t].lanes : 1;
    int64_t n = nkx_nd_size(a), step = nkx_dtype_bytes(t);
    float *v = nkx_alloc((size_t)(FILL_CHUNK * lanes) * sizeof *v);
    uint64_t stream = stream_of(name);
    for (int64_t at = 0; at < n; at += FILL_CHUNK) {
        int64_t part = n - at < FILL_CHUNK ? n - at : FILL_CHUNK;
        uint8_t *dst = a->at + at * step;
        nkx_fill_normal(v, part * lanes, seed, stream + (uint64_t)(at / FILL_CHUNK));
        if (nkx_dtype_is_int(t)) scale_to_ints(v, part, nkx_dtypes[t].cls == NKX_CLASS_UINT);
        if (nkx_dtypes[t].cls == NKX_CLASS_PACKED) {
            nkx_store_packed_row(t, dst, v, part);
        } else if (nkx_dtypes[t].store_f32) {
            nkx_dtypes[t].store_f32(dst, step, v, part);
        } else {
            for (int64_t i = 0; i < part; i++) nkx_nd_put_f64(t, dst + i * step, (double)v[i]);
        }
    }
    free(v);
}

typedef struct fill_spec {
    nkx_dtype dtype;
    int ndim;
    int64_t shape[NKX_ND_MAX];
} fill_spec;

/* "[2048, 1024]" up to the end of the text. */
static bool parse_dims(const char *p, fill_spec *s)
{
    s->ndim = 0;
    for (p++; *p == ' '; p++) {
    }
    if (*p == ']') return p[1] == '\0';
    for (;;) {
        if (!isdigit((unsigned char)*p) || s->ndim == NKX_ND_MAX) return false;
        char *end;
        long long v = strtoll(p, &end, 10);
        if (v < 0 || v > (int64_t)1 << 48) return false;
        s->shape[s->ndim++] = v;
        for (p = end; *p == ' '; p++) {
        }
        if (*p == ']') return p[1] == '\0';
        if (*p++ != ',') return false;
        while (*p == ' ') p++;
    }
}

/* A type's name followed by '['. */
static bool looks_filled(const char *text, nkx_dtype *t)
{
    char name[40];
    size_t n = strcspn(text, "[");
    if (text[n] != '[' || n == 0 || n >= sizeof name) return false;
    memcpy(name, text, n);
    name[n] = '\0';
    *t = nkx_dtype_find(name);
    return *t != NKX_N_DTYPES;
}

static bool make_filled(nkx_runtime *rt, const char *name, const char *text, nkx_dtype t,
                        nkx_span span, nkx_ndarray **out)
{
    fill_spec s = {.dtype = t};
    if (!parse_dims(strchr(text, '['), &s)) {
        nkx_diag *g =
            nkx_diag_add(&rt->diags, NKX_E653, span, "'%s' is not a type and a shape", text);
        nkx_diag_hint(&rt->diags, g, "Write whole numbers in brackets, up to %d: %s[128,512].",
                      NKX_ND_MAX, nkx_dtypes[t].name);
        return false;
    }
    nkx_nd_error e = {0};
    *out = nkx_nd_new(t, s.ndim, s.shape, &e);
    if (*out == NULL) {
        nkx_diag_add(&rt->diags, NKX_E653, span, "'%s' cannot be made: %s", text, e.text);
        return false;
    }
    if (rt->o.data) fill(*out, rt->o.seed, name);
    return true;
}

/* ---- array files ---- */

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

/* path[:key]; for .npy the key is a type to read the bytes as. */
static bool read_array(char *path, nkx_ndarray **out, nkx_nd_error *e)
{
    char *colon = strrchr(path, ':');
    char *key = NULL;
    if (colon) {
        *colon = '\0';
        if (ends_with(path, ".npz") || ends_with(path, ".safetensors") || ends_with(path, ".npy")) {
            key = colon + 1;
        } else {
            *colon = ':';
        }
    }
    if (ends_with(path, ".npz")) return nkx_npz_load(path, key, -1, out, NULL, e);
    if (ends_with(path, ".safetensors")) {
        return nkx_safetensors_load(path, key ? key : "", out, NULL, e);
    }
    int as = -1;
    if (key) {
        nkx_dtype t = nkx_dtype_find(key);
        if (t == NKX_N_DTYPES) {
            return nkx_nd_fail(e, "ValueError", "'%s' is no type to read the bytes as", key);
        }
        as = (int)t;
    }
    return nkx_npy_load(path, as, out, e);
}

static bool load_array(nkx_runtime *rt, const char *text, nkx_span span, nkx_ndarray **out)
{
    char *path = nkx_dup(text + 1, strlen(text));
    nkx_nd_error e = {0};
    bool fine = read_array(path, out, &e);
    if (!fine) {
        nkx_diag *g =
            nkx_diag_add(&rt->diags, NKX_E655, span, "cannot load '%s': %s", text + 1, e.text);
        nkx_diag_hint(&rt->diags, g,
                      "Arrays come from .npy files, from .npz and .safetensors files with :key "
                      "behind the name.");
    }
    free(path);
    return fine;
}

/* ---- arguments ---- */

static void add_arg(nkx_runtime *rt, const char *name, size_t len, nkx_value v, nkx_span span)
{
    nkx_rt_arg a = {.name = nkx_names_get(rt->vm->names, name, len), .value = v, .span = span};
    nkx_push(&rt->args, a);
}

static bool valid_name(const char *s, size_t len)
{
    if (len == 0 || isdigit((unsigned char)s[0])) return false;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];
        if (!isalnum(c) && c != '_' && c < 0x80) return false;
    }
    return true;
}

/* An expression sees the arguments before it. */
static bool evaluate_arg(nkx_runtime *rt, const char *what, const char *text, nkx_value *out)
{
    if (rt->arg_module.type == NKX_V_UNSET && !nkx_rt_scope(rt, "<arguments>", &rt->arg_module)) {
        return false;
    }
    for (size_t i = 0; i < rt->args.n; i++) {
        const nkx_rt_arg *a = &rt->args.at[i];
        if (!nkx_module_set(rt->vm, rt->arg_module, a->name->text, a->value)) return false;
    }
    return nkx_rt_evaluate(rt, rt->arg_module, what, text, out);
}

static bool argument_value(nkx_runtime *rt, const char *name, const char *what, const char *text,
                           nkx_span span, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    nkx_dtype t;
    if (text[0] == '@') {
        if (!load_array(rt, text, span, &a)) return false;
    } else if (looks_filled(text, &t)) {
        if (!make_filled(rt, name, text, t, span, &a)) return false;
    } else {
        return evaluate_arg(rt, what, text, out);
    }
    *out = nkx_array_take(rt->vm, a);
    return true;
}

nkx_status nkx_argument(nkx_runtime *rt, const char *name_value)
{
    if (nkx_rt_vm(rt) == NULL) return NKX_WRONG;
    const char *eq = strchr(name_value, '=');
    if (eq == NULL || !valid_name(name_value, (size_t)(eq - name_value))) {
        nkx_span span = nkx_rt_note_text(rt, "<command line>", name_value);
        nkx_diag *g =
            nkx_diag_add(&rt->diags, NKX_E653, span, "'%s' is not NAME=VALUE", name_value);
        nkx_diag_hint(
            &rt->diags, g,
            "Kernel arguments are given by name, as in lhs='bfloat16[128,512]' or tile=4.");
        return NKX_WRONG;
    }
    size_t len = (size_t)(eq - name_value);
    char *name = nkx_arena_str(&rt->arena, name_value, len);
    char *what = nkx_arena_printf(&rt->arena, "<argument %s>", name);
    nkx_span span = nkx_rt_note_text(rt, what, eq + 1);
    nkx_value v = NKX_UNSET;
    if (!argument_value(rt, name, what, eq + 1, span, &v)) return NKX_WRONG;
    add_arg(rt, name, len, v, span);
    return NKX_OK;
}

nkx_status nkx_argument_array(nkx_runtime *rt, const nkx_array *a)
{
    if (nkx_rt_vm(rt) == NULL) return NKX_WRONG;
    nkx_dtype t = nkx_dtype_find(a->dtype);
    nkx_span span = nkx_rt_note_text(rt, "<argument>", a->name);
    nkx_nd_error e = {0};
    if (t == NKX_N_DTYPES || a->ndim > NKX_ND_MAX) {
        nkx_diag_add(&rt->diags, NKX_E653, span, "argument '%s' has %s '%s'", a->name,
                     t == NKX_N_DTYPES ? "an unknown type" : "too many dimensions, type", a->dtype);
        return NKX_WRONG;
    }
    nkx_ndarray *nd = nkx_nd_new(t, (int)a->ndim, a->shape, &e);
    if (nd == NULL) {
        nkx_diag_add(&rt->diags, NKX_E653, span, "argument '%s' cannot be made: %s", a->name,
                     e.text);
        return NKX_WRONG;
    }
    size_t bytes = (size_t)(nkx_nd_size(nd) * nkx_dtype_bytes(t));
    if (a->data) memcpy(nd->at, a->data, bytes);
    add_arg(rt, a->name, strlen(a->name), nkx_array_take(rt->vm, nd), span);
    return NKX_OK;
}
