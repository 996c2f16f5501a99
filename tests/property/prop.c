/* SPDX-License-Identifier: Apache-2.0 */
/* Harness of the property test: see prop.h. */
#include "tests/property/prop.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void mach_init(prop *p, int i, const char *target)
{
    nkx_modes modes = {.exec = true, .hazards = true, .threads = 1};
    modes.fp32 = getenv("NKX_PROP_FP32") != NULL;
    if (!nkx_config_load(&p->mach[i].config, target, NULL, &p->diags) ||
        !nkx_core_init(&p->mach[i].core, &p->mach[i].config, &p->diags, modes, NULL)) {
        fprintf(stderr, "no core for %s\n", target);
        exit(1);
    }
}

void prop_init(prop *p)
{
    memset(p, 0, sizeof *p);
    p->sources = nkx_sources_new();
    nkx_diags_init(&p->diags, p->sources);
    nkx_arena_init(&p->scratch);
    mach_init(p, 0, "trn1");
    mach_init(p, 1, "trn2");
    mach_init(p, 2, "trn3");
}

static void forget(prop *p)
{
    for (int i = 0; i < p->n_tensors; i++) {
        free(p->tensors[i].before);
        free(p->tensors[i].bytes);
        nkx_view_drop(p->tensors[i].v);
        nkx_view_drop(p->tensors[i].whole);
    }
    p->n_tensors = 0;
}

void prop_fini(prop *p)
{
    forget(p);
    for (int i = 0; i < 3; i++) {
        nkx_core_fini(&p->mach[i].core);
        nkx_config_fini(&p->mach[i].config);
    }
    nkx_arena_fini(&p->scratch);
    nkx_diags_fini(&p->diags);
    nkx_sources_free(p->sources);
}

void prop_begin(prop *p, const char *row, int gen, uint64_t seed)
{
    forget(p);
    memset(&p->is, 0, sizeof p->is);
    p->rnd.state = seed;
    p->gen = gen;
    p->core = &p->mach[gen - 2].core;
    p->is.row = nkx_isa_find(row);
    p->is.core = p->core;
    p->is.scratch = &p->scratch;
    p->what = row;
    p->failed = false;
}

int64_t prop_int(prop *p, int64_t lo, int64_t hi)
{
    return lo + (int64_t)(ref_next(&p->rnd) % (uint64_t)(hi - lo + 1));
}

bool prop_flip(prop *p)
{
    return ref_next(&p->rnd) >> 7 & 1u;
}

nkx_dtype prop_dtype(prop *p, uint32_t set)
{
    for (;;) {
        int64_t t = prop_int(p, 0, NKX_DT_FP4_E2M1FN_X4);
        if (set >> t & 1u) return (nkx_dtype)t;
    }
}

double prop_f32(double x)
{
    return (double)(float)x;
}

void prop_fail(prop *p, const char *fmt, ...)
{
    va_list ap;
    if (p->failed) return;
    p->failed = true;
    fprintf(stderr, "# %s gen%d: ", p->what, p->gen);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

/* ---- tensors ---- */

static prop_tensor *keep(prop *p, nkx_view *whole, nkx_view *v)
{
    prop_tensor *t = &p->tensors[p->n_tensors++];
    NKX_ASSERT(p->n_tensors <= PROP_MAX_TENSORS);
    *t = (prop_tensor){.whole = whole, .v = v, .n = nkx_view_size(v)};
    t->parts = v->shape[0];
    t->per = t->n / t->parts;
    return t;
}

static double random_value(prop *p, nkx_dtype dt, double lo, double hi)
{
    double v = ref_uniform(&p->rnd, lo, hi);
    if (nkx_dtype_is_int(dt)) v = floor(v);
    if (nkx_dtype_is_int(dt) && v < nkx_dtypes[dt].lowest) v = -v;
    return ref_round(dt, v);
}

static void snapshot(prop_tensor *t)
{
    nkx_dtype dt = (nkx_dtype)t->v->dtype;
    size_t eb = (size_t)nkx_dtype_bytes(dt),
           whole = (size_t)nkx_view_size(t->whole) *
                   (size_t)nkx_dtype_bytes((nkx_dtype)t->whole->dtype);
    uint8_t *dense = malloc((size_t)t->n * eb);
    free(t->before);
    free(t->bytes);
    t->before = malloc((size_t)t->n * sizeof *t->before);
    t->bytes = malloc(whole);
    nkx_view_read(t->v, dense);
    if (nkx_dtypes[dt].cls == NKX_CLASS_PACKED) {
        memset(t->before, 0, (size_t)t->n * sizeof *t->before);
    } else {
        nkx_to_f64(t->before, dt, dense, t->n);
    }
    nkx_view_read(t->whole, t->bytes);
    free(dense);
}

static void fill(prop *p, nkx_view *whole, double lo, double hi)
{
    nkx_dtype dt = (nkx_dtype)whole->dtype;
    int64_t n = nkx_view_size(whole);
    uint8_t *dense = malloc((size_t)(n * nkx_dtype_bytes(dt)));
    for (int64_t i = 0; i < n; i++) {
        if (nkx_dtypes[dt].cls == NKX_CLASS_PACKED) {
            uint32_t bits = ref_next(&p->rnd) & 0x37373737u;
            memcpy(dense + i * nkx_dtype_bytes(dt), &bits, (size_t)nkx_dtype_bytes(dt));
        } else {
            double v = random_value(p, dt, lo, hi);
            nkx_from_f64(dt, dense + i * nkx_dtype_bytes(dt), &v, 1);
        }
    }
    nkx_view_write(whole, dense);
    free(dense);
    nkx_region r;
    nkx_view_region(whole, true, "", &r);
    nkx_track_mark(&r);
}

static nkx_view *must(prop *p, bool ok, nkx_view *v)
{
    if (ok) return v;
    fprintf(stderr, "# %s: a tensor of the test could not be made: %s\n", p->what,
            p->diags.n > 0 ? p->diags.list[p->diags.n - 1]->message : "?");
    abort();
}

static nkx_view *alloc(prop *p, nkx_space space, int ndim, const int64_t *shape, nkx_dtype dt)
{
    nkx_view *v = NULL;
    bool ok =
        nkx_view_alloc(p->core, space, ndim, shape, dt, (nkx_place){0}, (nkx_span){0}, "t", &v);
    return must(p, ok, v);
}

static nkx_view *slice(prop *p, nkx_view *v, int dim, int64_t a, int64_t b, int64_t step)
{
    nkx_view *w = NULL;
    bool ok = nkx_view_slice(v, dim, a, b, step, (nkx_span){0}, &w);
    nkx_view_drop(v);
    return must(p, ok, w);
}

static int64_t divisor(prop *p, int64_t n)
{
    for (int tries = 0; tries < 20; tries++) {
        int64_t d = prop_int(p, 1, n);
        if (n % d == 0) return d;
    }
    return 1;
}

/* A permuted layout: stored (parts, b, a), seen as (parts, a, b). */
static nkx_view *permuted(prop *p, nkx_view **whole, nkx_space space, int64_t rows, int64_t per,
                          nkx_dtype dt)
{
    static const int64_t order[] = {0, 2, 1};
    int64_t a = divisor(p, per), shape[] = {rows, per / a, a};
    nkx_view *v = NULL;
    *whole = alloc(p, space, 3, shape, dt);
    bool ok = nkx_view_permute(*whole, order, 3, (nkx_span){0}, &v);
    return must(p, ok, v);
}

static nkx_view *sliced(prop *p, nkx_view **whole, nkx_space space, int64_t rows, int64_t per,
                        nkx_dtype dt)
{
    int64_t step = prop_flip(p) ? prop_int(p, 1, 3) : 1, at = prop_int(p, 0, 5),
            shape[] = {rows, at + per * step + prop_int(p, 0, 3)};
    *whole = alloc(p, space, 2, shape, dt);
    return slice(p, nkx_view_ref(*whole), 1, at, at + (per - 1) * step + 1, step);
}

static nkx_view *repeated(prop *p, nkx_view **whole, nkx_space space, int64_t rows, int64_t per,
                          nkx_dtype dt)
{
    int64_t a = divisor(p, per), shape[] = {rows, per / a, 1};
    nkx_view *v = NULL;
    *whole = alloc(p, space, 3, shape, dt);
    bool ok = nkx_view_broadcast(*whole, 2, a, (nkx_span){0}, &v);
    return must(p, ok, v);
}

static int64_t start_partition(prop *p, int64_t parts)
{
    if (parts > 64) return 0;
    if (parts > 32) return prop_int(p, 0, 1) * 64;
    return prop_int(p, 0, 3) * 32;
}

prop_tensor *prop_tile(prop *p, nkx_space space, int64_t parts, int64_t per, nkx_dtype dt,
                       double lo, double hi, bool read_only)
{
    nkx_view *whole, *v;
    int64_t start = nkx_space_on_chip(space) ? start_partition(p, parts) : 0,
            rows = nkx_space_on_chip(space) ? 128 : parts;
    switch (prop_int(p, 0, read_only ? 4 : 3)) {
    case 0:
    case 1: v = sliced(p, &whole, space, rows, per, dt); break;
    case 2: v = permuted(p, &whole, space, rows, per, dt); break;
    case 3:
        whole = alloc(p, space, 2, (const int64_t[]){rows, per}, dt);
        v = nkx_view_ref(whole);
        break;
    default: v = repeated(p, &whole, space, rows, per, dt); break;
    }
    v = slice(p, v, 0, start, start + parts, 1);
    fill(p, whole, lo, hi);
    prop_tensor *t = keep(p, whole, v);
    snapshot(t);
    return t;
}

prop_tensor *prop_plain(prop *p, nkx_space space, int ndim, const int64_t *shape, nkx_dtype dt,
                        double lo, double hi)
{
    nkx_view *whole = alloc(p, space, ndim, shape, dt);
    fill(p, whole, lo, hi);
    prop_tensor *t = keep(p, whole, nkx_view_ref(whole));
    snapshot(t);
    return t;
}

prop_tensor *prop_plain2(prop *p, nkx_space space, int64_t a, int64_t b, nkx_dtype dt, double lo,
                         double hi)
{
    int64_t shape[] = {a, b};
    return prop_plain(p, space, 2, shape, dt, lo, hi);
}

prop_tensor *prop_view(prop *p, prop_tensor *of, nkx_view *v)
{
    prop_tensor *t = keep(p, nkx_view_ref(of->whole), v);
    if (v->indirect == NKX_IND_NONE) snapshot(t);
    return t;
}

void prop_set(prop_tensor *t, const double *values)
{
    nkx_dtype dt = (nkx_dtype)t->v->dtype;
    uint8_t *dense = malloc((size_t)(t->n * nkx_dtype_bytes(dt)));
    nkx_from_f64(dt, dense, values, t->n);
    nkx_view_write(t->v, dense);
    free(dense);
    snapshot(t);
}

/* ---- arguments ---- */

static nkx_arg *arg(prop *p, const char *name)
{
    int i = nkx_isa_param_find(p->is.row, name);
    if (i < 0) {
        fprintf(stderr, "# %s has no parameter %s\n", p->what, name);
        abort();
    }
    return &p->is.arg[i];
}

void prop_arg_tile(prop *p, const char *name, prop_tensor *t)
{
    *arg(p, name) = (nkx_arg){.kind = NKX_ARG_VIEW, .u.view = t->v};
}

void prop_arg_num(prop *p, const char *name, double v)
{
    *arg(p, name) = (nkx_arg){.kind = NKX_ARG_FLOAT, .u.f = v};
}

void prop_arg_int(prop *p, const char *name, int64_t v)
{
    *arg(p, name) = (nkx_arg){.kind = NKX_ARG_INT, .u.i = v};
}

void prop_arg_bool(prop *p, const char *name, bool v)
{
    *arg(p, name) = (nkx_arg){.kind = NKX_ARG_BOOL, .u.b = v};
}

void prop_arg_op(prop *p, const char *name, nkx_alu op)
{
    *arg(p, name) = (nkx_arg){.kind = NKX_ARG_OP, .u.op = (uint16_t)op};
}

void prop_arg_enum(prop *p, const char *name, int value)
{
    int i = nkx_isa_param_find(p->is.row, name);
    nkx_arg a = p->is.row->params[i].dv;
    a.u.e.value = value;
    *arg(p, name) = a;
}

void prop_arg_ints(prop *p, const char *name, const int64_t *at, int n)
{
    *arg(p, name) = (nkx_arg){
        .kind = NKX_ARG_INTS, .u.ints = {at, n}
    };
}

void prop_arg_pattern(prop *p, const char *name, const int64_t *pairs, int n)
{
    *arg(p, name) = (nkx_arg){
        .kind = NKX_ARG_PATTERN, .u.ints = {pairs, n}
    };
}

void prop_arg_col(prop *p, const char *name, int64_t parts, double lo, double hi, double *value)
{
    if (prop_flip(p)) {
        double v = prop_f32(ref_uniform(&p->rnd, lo, hi));
        for (int64_t i = 0; i < parts; i++) value[i] = v;
        prop_arg_num(p, name, v);
        return;
    }
    prop_tensor *t = prop_tile(p, NKX_SPACE_SBUF, parts, 1, NKX_DT_FP32, lo, hi, true);
    for (int64_t i = 0; i < parts; i++) value[i] = t->before[i];
    prop_arg_tile(p, name, t);
}

/* ---- issuing and comparing ---- */

bool prop_issue(prop *p)
{
    size_t before = p->diags.n_errors;
    bool ok = nkx_isa_issue(&p->is, NULL, 0, NULL);
    nkx_core_flush(p->core);
    if (!ok || p->diags.n_errors != before) {
        prop_fail(p, "refused: %s", p->diags.n > 0 ? p->diags.list[p->diags.n - 1]->message : "?");
        return false;
    }
    return true;
}

/* Bytes of the storage that the view does not reach must be as before: put the old elements back
 * and compare. */
static void expect_untouched(prop *p, prop_tensor *t)
{
    size_t eb = (size_t)nkx_dtype_bytes((nkx_dtype)t->v->dtype),
           whole = (size_t)(nkx_view_size(t->whole) * nkx_dtype_bytes((nkx_dtype)t->whole->dtype));
    uint8_t *now = malloc((size_t)t->n * eb), *old = malloc((size_t)t->n * eb),
            *after = malloc(whole);
    nkx_view_read(t->v, now);
    nkx_view_read(t->whole, after);
    uint8_t *changed = malloc(whole);
    memcpy(changed, after, whole);
    nkx_view_write(t->whole, t->bytes);
    nkx_view_write(t->v, now);
    nkx_view_read(t->whole, changed);
    if (memcmp(changed, after, whole) != 0)
        prop_fail(p, "elements outside of the destination changed");
    free(now);
    free(old);
    free(after);
    free(changed);
}

static bool close_to(nkx_dtype dt, double got, double want, double ulps, double abs)
{
    if (isnan(got) || isnan(want)) return isnan(got) && isnan(want);
    if (got == want || fabs(got - want) <= abs) return true;
    if (nkx_dtype_is_int(dt)) return fabs(got - want) <= ulps;
    return nkx_ulp_distance(dt, got, want) <= ulps;
}

void prop_expect(prop *p, prop_tensor *t, const double *want, double ulps, double abs)
{
    nkx_dtype dt = (nkx_dtype)t->v->dtype;
    uint8_t *dense = malloc((size_t)(t->n * nkx_dtype_bytes(dt)));
    double *got = malloc((size_t)t->n * sizeof *got);
    nkx_view_read(t->v, dense);
    nkx_to_f64(got, dt, dense, t->n);
    for (int64_t i = 0; i < t->n && !p->failed; i++) {
        double w = ref_round(dt, nkx_dtype_is_int(dt) ? want[i] : prop_f32(want[i]));
        if (close_to(dt, got[i], w, ulps, abs)) continue;
        prop_fail(p, "%s element %lld (partition %lld of %lld, %lld of %lld) is %.9g, not %.9g",
                  nkx_dtypes[dt].name, (long long)i, (long long)(i / t->per), (long long)t->parts,
                  (long long)(i % t->per), (long long)t->per, got[i], w);
    }
    if (!p->failed) expect_untouched(p, t);
    free(dense);
    free(got);
}
