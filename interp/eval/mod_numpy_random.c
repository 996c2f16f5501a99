/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numpy.random: the global source (np.random.seed, rand, ...), RandomState and default_rng. Seeded
 * sources give NumPy's numbers; the global one takes the run's seed where the program sets none, so
 * that a run can be repeated. Layer eval.
 */
#include "interp/eval/mod_numpy.h"

#include <string.h>

typedef bool (*draw_fn)(nkx_vm *vm, nkx_random *r, const nkx_value *in, nkx_value *out);

/* ---- arguments ---- */

typedef struct size_arg {
    bool given;
    int n;
    int64_t dims[NKX_ND_MAX];
} size_arg;

static bool read_size(nkx_vm *vm, nkx_value v, size_arg *s)
{
    s->given = nkx_given(v);
    s->n = 0;
    return !s->given || nkx_np_ints(vm, v, "size", s->dims, NKX_ND_MAX, &s->n);
}

/* A scalar draw is a Python number; an array stays one. */
static bool finish(nkx_vm *vm, nkx_ndarray *a, const nkx_nd_error *e, bool scalar, nkx_value *out)
{
    if (a == NULL || !scalar) return nkx_np_done(vm, a, e, out);
    *out = nkx_np_item(vm, (nkx_dtype)a->dtype, a->at);
    nkx_nd_drop(a);
    return true;
}

static bool drawn(nkx_vm *vm, nkx_random *r, nkx_distribution d, nkx_value dtype, double a,
                  double b, nkx_value size, nkx_value *out)
{
    size_arg s;
    int t;
    nkx_nd_error e;
    if (!read_size(vm, size, &s) || !nkx_np_dtype(vm, dtype, &t)) return false;
    return finish(vm,
                  nkx_random_fill(r, d, t >= 0 ? (nkx_dtype)t : NKX_DT_FP64, a, b, s.n, s.dims, &e),
                  &e, !s.given, out);
}

/* ---- draws: in[] without self ---- */

/* size, dtype */
static bool r_random(nkx_vm *vm, nkx_random *r, const nkx_value *in, nkx_value *out)
{
    return drawn(vm, r, NKX_RAND_UNIFORM, r->modern ? in[1] : NKX_NONE, 0, 1, in[0], out);
}

static bool r_standard_normal(nkx_vm *vm, nkx_random *r, const nkx_value *in, nkx_value *out)
{
    return drawn(vm, r, NKX_RAND_NORMAL, r->modern ? in[1] : NKX_NONE, 0, 1, in[0], out);
}

/* Parameters that are arrays: a + scale * draws of the broadcast shape. */
static bool by_arrays(nkx_vm *vm, nkx_random *r, nkx_distribution d, nkx_value av, nkx_value bv,
                      nkx_value size, nkx_value *out)
{
    nkx_ndarray *a = NULL, *b = NULL, *width = NULL, *draws = NULL, *scaled = NULL;
    nkx_nd_error e = {0};
    size_arg s;
    bool ok = read_size(vm, size, &s) && nkx_np_array(vm, av, NKX_DT_FP64, &a) &&
              nkx_np_array(vm, bv, NKX_DT_FP64, &b);
    if (ok) {
        nkx_ndarray *pair[2] = {a, b};
        ok = s.given || nkx_nd_broadcast_shape(2, pair, &s.n, s.dims, &e) || nkx_np_raise(vm, &e);
    }
    if (ok) {
        draws = nkx_random_fill(r, d, NKX_DT_FP64, 0, 1, s.n, s.dims, &e);
        width = d == NKX_RAND_UNIFORM ? nkx_uf_binary(NKX_UF_SUBTRACT, b, a, &e) : nkx_nd_ref(b);
        if (draws != NULL && width != NULL)
            scaled = nkx_uf_binary(NKX_UF_MULTIPLY, width, draws, &e);
        ok = nkx_np_done(vm, scaled != NULL ? nkx_uf_binary(NKX_UF_ADD, a, scaled, &e) : NULL, &e,
                         out);
    }
    nkx_nd_drop(a);
    nkx_nd_drop(b);
    nkx_nd_drop(width);
    nkx_nd_drop(draws);
    nkx_nd_drop(scaled);
    return ok;
}

static bool is_array(nkx_value v)
{
    return (v.type == NKX_V_ARRAY && nkx_np_of(v)->ndim > 0) || v.type == NKX_V_LIST ||
           v.type == NKX_V_TUPLE;
}

/* low, high, size */
static bool r_uniform(nkx_vm *vm, nkx_random *r, const nkx_value *in, nkx_value *out)
{
    double a, b;
    if (is_array(in[0]) || is_array(in[1]))
        return by_arrays(vm, r, NKX_RAND_UNIFORM, in[0], in[1], in[2], out);
    if (!nkx_as_float(vm, in[0], "low", &a) || !nkx_as_float(vm, in[1], "high", &b)) return false;
    return drawn(vm, r, NKX_RAND_UNIFORM, NKX_NONE, a, b, in[2], out);
}

/* loc, scale, size */
static bool r_normal(nkx_vm *vm, nkx_random *r, const nkx_value *in, nkx_value *out)
{
    double a, b;
    if (is_array(in[0]) || is_array(in[1]))
        return by_arrays(vm, r, NKX_RAND_NORMAL, in[0], in[1], in[2], out);
    if (!nkx_as_float(vm, in[0], "loc", &a) || !nkx_as_float(vm, in[1], "scale", &b)) return false;
    if (b < 0) return nkx_value_error(vm, "scale < 0");
    return drawn(vm, r, NKX_RAND_NORMAL, NKX_NONE, a, b, in[2], out);
}

/* scale, size */
static bool r_exponential(nkx_vm *vm, nkx_random *r, const nkx_value *in, nkx_value *out)
{
    double b;
    if (!nkx_as_float(vm, in[0], "scale", &b)) return false;
    return drawn(vm, r, NKX_RAND_EXPONENTIAL, NKX_NONE, 0, b, in[1], out);
}

static bool integers(nkx_vm *vm, nkx_random *r, nkx_value low, nkx_value high, nkx_value size,
                     nkx_value dtype, bool closed, nkx_value *out)
{
    size_arg s;
    int t;
    int64_t lo = 0, hi;
    nkx_nd_error e;
    if (!nkx_given(high)) {
        if (!nkx_as_int(vm, low, "high", &hi)) return false;
    } else if (!nkx_as_int(vm, low, "low", &lo) || !nkx_as_int(vm, high, "high", &hi)) {
        return false;
    }
    if (!closed && hi == INT64_MIN) return nkx_value_error(vm, "low >= high");
    if (!closed) hi--;
    if (!read_size(vm, size, &s) || !nkx_np_dtype(vm, dtype, &t)) return false;
    nkx_ndarray *a =
        nkx_random_integers(r, t >= 0 ? (nkx_dtype)t : NKX_DT_INT64, lo, hi, s.n, s.dims, &e);
    if (s.given || a == NULL) return nkx_np_done(vm, a, &e, out);
    if (!r->modern && t < 0) return finish(vm, a, &e, true, out);
    return nkx_np_done(vm, nkx_nd_to_scalar_take(a), &e, out);
}

/* low, high, size, dtype */
static bool r_randint(nkx_vm *vm, nkx_random *r, const nkx_value *in, nkx_value *out)
{
    return integers(vm, r, in[0], in[1], in[2], in[3], false, out);
}

/* low, high, size, dtype, endpoint */
static bool r_integers(nkx_vm *vm, nkx_random *r, const nkx_value *in, nkx_value *out)
{
    bool closed;
    return nkx_truth(vm, in[4], &closed) &&
           integers(vm, r, in[0], in[1], in[2], in[3], closed, out);
}

/* *dims */
static bool by_dims(nkx_vm *vm, nkx_random *r, nkx_distribution d, nkx_value dims, nkx_value *out)
{
    bool none = NKX_AS(nkx_tuple, dims)->n == 0;
    return drawn(vm, r, d, NKX_NONE, 0, 1, none ? NKX_NONE : dims, out);
}

static bool r_rand(nkx_vm *vm, nkx_random *r, const nkx_value *in, nkx_value *out)
{
    return by_dims(vm, r, NKX_RAND_UNIFORM, in[0], out);
}
static bool r_randn(nkx_vm *vm, nkx_random *r, const nkx_value *in, nkx_value *out)
{
    return by_dims(vm, r, NKX_RAND_NORMAL, in[0], out);
}

/* x: shuffled in place */
static bool r_shuffle(nkx_vm *vm, nkx_random *r, const nkx_value *in, nkx_value *out)
{
    nkx_nd_error e;
    (void)out;
    if (in[0].type == NKX_V_ARRAY)
        return nkx_random_shuffle(r, nkx_np_of(in[0]), &e) || nkx_np_raise(vm, &e);
    if (in[0].type != NKX_V_LIST)
        return nkx_type_error(vm, "shuffle() needs an array or a list, not '%s'",
                              nkx_type_name(in[0]));
    nkx_list *l = NKX_AS(nkx_list, in[0]);
    for (uint32_t i = l->n; i > 1; i--) {
        uint64_t j = nkx_random_interval(r, i - 1);
        nkx_value t = l->at[i - 1];
        l->at[i - 1] = l->at[j];
        l->at[j] = t;
    }
    return true;
}

/* x: a count or an array */
static bool r_permutation(nkx_vm *vm, nkx_random *r, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *a = NULL, *c;
    nkx_nd_error e;
    int64_t n;
    if (in[0].type != NKX_V_ARRAY && nkx_is_int(in[0], &n)) {
        c = nkx_nd_arange_i64(NKX_DT_INT64, 0, n, 1, &e);
    } else {
        if (!nkx_np_array(vm, in[0], -1, &a)) return false;
        c = nkx_nd_copy(a);
        nkx_nd_drop(a);
    }
    if (c != NULL && !nkx_random_shuffle(r, c, &e)) {
        nkx_nd_drop(c);
        c = NULL;
    }
    return nkx_np_done(vm, c, &e, out);
}

/* Indices drawn with the given weights. */
static nkx_ndarray *weighted(nkx_random *r, nkx_ndarray *p, const size_arg *s, nkx_nd_error *e)
{
    int64_t zero = 0;
    nkx_ndarray *c = nkx_nd_accumulate(NKX_UF_ADD, p, &zero, NKX_DT_FP64, e), *out = NULL;
    if (c == NULL) return NULL;
    double total = nkx_nd_get_f64(c, nkx_nd_size(c) - 1);
    for (int64_t i = 0; i < nkx_nd_size(c); i++) ((double *)(void *)c->at)[i] /= total;
    nkx_ndarray *u = nkx_random_fill(r, NKX_RAND_UNIFORM, NKX_DT_FP64, 0, 1, s->n, s->dims, e);
    if (u != NULL) out = nkx_nd_searchsorted(c, u, true, e);
    nkx_nd_drop(u);
    nkx_nd_drop(c);
    return out;
}

/* a, size, replace, p */
static bool r_choice(nkx_vm *vm, nkx_random *r, const nkx_value *in, nkx_value *out)
{
    nkx_ndarray *pop = NULL, *p = NULL, *idx = NULL, *got = NULL;
    nkx_nd_error e = {0};
    size_arg s;
    bool again;
    int64_t n;
    if (!read_size(vm, in[1], &s) || !nkx_truth(vm, in[2], &again)) return false;
    if (in[0].type != NKX_V_ARRAY && nkx_is_int(in[0], &n)) {
        pop = nkx_nd_arange_i64(NKX_DT_INT64, 0, n, 1, &e);
        if (pop == NULL) return nkx_np_raise(vm, &e);
    } else if (!nkx_np_array(vm, in[0], -1, &pop)) {
        return false;
    }
    bool ok = pop->ndim == 1 || nkx_value_error(vm, "a must be 1-dimensional");
    int64_t want = 1;
    for (int d = 0; d < s.n; d++) want *= s.dims[d];
    n = ok ? pop->shape[0] : 0;
    if (ok && n == 0)
        ok = nkx_value_error(vm, "a must be a positive integer unless no samples are taken");
    if (ok && !again && want > n)
        ok = nkx_value_error(vm,
                             "Cannot take a larger sample than population when replace is False");
    if (ok && nkx_given(in[3])) {
        ok = nkx_np_array(vm, in[3], NKX_DT_FP64, &p) &&
             (nkx_nd_size(p) == n || nkx_value_error(vm, "a and p must have same size"));
        if (ok && !again)
            ok = nkx_raise(vm, NKX_E261, "NotImplementedError",
                           "choice() with p and without replacement is not supported");
        if (ok) idx = weighted(r, p, &s, &e);
    } else if (ok && again) {
        idx = nkx_random_integers(r, NKX_DT_INT64, 0, n - 1, s.n, s.dims, &e);
    } else if (ok) {
        nkx_ndarray *all = nkx_nd_arange_i64(NKX_DT_INT64, 0, n, 1, &e);
        if (all != NULL && nkx_random_shuffle(r, all, &e)) {
            nkx_ndarray *part = nkx_nd_part(all, 0, 0, want);
            idx = nkx_nd_reshape(part, s.n, s.dims, 'C', &e);
            nkx_nd_drop(part);
        }
        nkx_nd_drop(all);
    }
    if (ok && idx != NULL) got = nkx_nd_take(pop, idx, NULL, NKX_TAKE_RAISE, &e);
    nkx_nd_drop(pop);
    nkx_nd_drop(p);
    nkx_nd_drop(idx);
    return ok && nkx_np_done(vm, got, &e, out);
}

/* ---- the global source and the objects ---- */

static bool g_seed(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t seed = 0;
    nkx_np_state *s = nkx_np_state_of(vm);
    (void)out;
    if (nkx_given(in[0]) && !nkx_as_int(vm, in[0], "seed", &seed)) return false;
    if (seed < 0 || seed > UINT32_MAX)
        return nkx_value_error(vm, "Seed must be between 0 and 2**32 - 1");
    nkx_random_seed(&s->random, false, nkx_given(in[0]) ? (uint64_t)seed : vm->o.seed & UINT32_MAX);
    s->seeded = true;
    return true;
}

typedef struct source {
    nkx_random r;
} source;

/* Two rows a draw: one of the module, with the global source, one of the objects, with their own.
 */
#define DRAW(name)                                                                                 \
    static bool g_##name(nkx_vm *vm, const nkx_value *in, nkx_value *out)                          \
    {                                                                                              \
        return r_##name(vm, nkx_np_global_random(vm), in, out);                                    \
    }                                                                                              \
    static bool o_##name(nkx_vm *vm, const nkx_value *in, nkx_value *out)                          \
    {                                                                                              \
        return r_##name(vm, &NKX_PAYLOAD(source, in[0])->r, in + 1, out);                          \
    }
DRAW(random)
DRAW(standard_normal)
DRAW(uniform)
DRAW(normal)
DRAW(exponential)
DRAW(randint)
DRAW(rand)
DRAW(randn)
DRAW(shuffle)
DRAW(permutation)
DRAW(choice)
#undef DRAW
static bool o_integers(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return r_integers(vm, &NKX_PAYLOAD(source, in[0])->r, in + 1, out);
}

#define M NKX_BF_METHOD

static const nkx_builtin source_rows[] = {
    {"random",          "self, size=None, dtype=None",                                 o_random,          "uniform in [0, 1)",      M},
    {"standard_normal", "self, size=None, dtype=None",                                 o_standard_normal, "standard normal",        M},
    {"uniform",         "self, low=0.0, high=1.0, size=None",                          o_uniform,         "uniform in [low, high)", M},
    {"normal",          "self, loc=0.0, scale=1.0, size=None",                         o_normal,          "normal",                 M},
    {"exponential",     "self, scale=1.0, size=None",                                  o_exponential,     "exponential",            M},
    {"shuffle",         "self, x",                                                     o_shuffle,         "shuffles in place",      M},
    {"permutation",     "self, x",                                                     o_permutation,     "a shuffled copy",        M},
    {"choice",          "self, a, size=None, replace=True, p=None",                    o_choice,          "a sample",               M},
 /* default_rng */
    {"integers",        "self, low, high=None, size=None, dtype=None, endpoint=False", o_integers,
     "integers",                                                                                                                    M},
 /* RandomState */
    {"randint",         "self, low, high=None, size=None, dtype=None",                 o_randint,         "integers",               M},
    {"rand",            "self, *dims",                                                 o_rand,            "uniform in [0, 1)",      M},
    {"randn",           "self, *dims",                                                 o_randn,           "standard normal",        M},
    {"random_sample",   "self, size=None",                                             o_random,          "uniform in [0, 1)",      M},
};

static bool source_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    bool modern = NKX_PAYLOAD(source, self)->r.modern;
    for (size_t i = 0; i < NKX_COUNT(source_rows); i++) {
        if (strcmp(source_rows[i].name, name->text) != 0) continue;
        if ((i == 8 && !modern) || (i > 8 && modern)) return true;
        return nkx_give(out, nkx_method_new(vm, self, nkx_builtin_value(&source_rows[i])));
    }
    return true;
}

static bool source_repr(nkx_vm *vm, nkx_value self, nkx_buf *out)
{
    (void)vm;
    nkx_buf_str(out,
                NKX_PAYLOAD(source, self)->r.modern ? "Generator(PCG64)" : "RandomState(MT19937)");
    return true;
}

static const nkx_native_type source_type = {
    .name = "numpy.random.Generator", .attr = source_attr, .repr = source_repr};

static bool new_source(nkx_vm *vm, nkx_value seedv, bool modern, nkx_value *out)
{
    int64_t seed = 0;
    if (nkx_is_native(seedv, &source_type)) return nkx_give(out, nkx_ref(seedv));
    if (nkx_given(seedv) && !nkx_as_int(vm, seedv, "seed", &seed)) return false;
    if (seed < 0) return nkx_value_error(vm, "expected non-negative integer");
    if (!modern && seed > UINT32_MAX)
        return nkx_value_error(vm, "Seed must be between 0 and 2**32 - 1");
    *out = nkx_native_new(vm, &source_type, sizeof(source));
    nkx_random_seed(&NKX_PAYLOAD(source, *out)->r, modern,
                    nkx_given(seedv) ? (uint64_t)seed : vm->o.seed);
    return true;
}

static bool np_default_rng(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return new_source(vm, in[0], true, out);
}
static bool np_random_state(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return new_source(vm, in[0], false, out);
}

const nkx_builtin nkx_np_random_rows[] = {
    {"seed",            "seed=None",                             g_seed,            "seeds the global source",      0},
    {"rand",            "*dims",                                 g_rand,            "uniform in [0, 1)",            0},
    {"randn",           "*dims",                                 g_randn,           "standard normal",              0},
    {"random",          "size=None, dtype=None",                 g_random,          "uniform in [0, 1)",            0},
    {"random_sample",   "size=None, dtype=None",                 g_random,          "uniform in [0, 1)",            0},
    {"ranf",            "size=None, dtype=None",                 g_random,          "uniform in [0, 1)",            0},
    {"sample",          "size=None, dtype=None",                 g_random,          "uniform in [0, 1)",            0},
    {"standard_normal", "size=None, dtype=None",                 g_standard_normal, "standard normal",              0},
    {"uniform",         "low=0.0, high=1.0, size=None",          g_uniform,         "uniform in [low, high)",       0},
    {"normal",          "loc=0.0, scale=1.0, size=None",         g_normal,          "normal",                       0},
    {"exponential",     "scale=1.0, size=None",                  g_exponential,     "exponential",                  0},
    {"randint",         "low, high=None, size=None, dtype=None", g_randint,         "integers",                     0},
    {"shuffle",         "x",                                     g_shuffle,         "shuffles in place",            0},
    {"permutation",     "x",                                     g_permutation,     "a shuffled copy",              0},
    {"choice",          "a, size=None, replace=True, p=None",    g_choice,          "a sample",                     0},
    {"default_rng",     "seed=None",                             np_default_rng,    "a source of the current kind", 0},
    {"RandomState",     "seed=None",                             np_random_state,   "a source of the legacy kind",  0},
    {NULL,              NULL,                                    NULL,              NULL,                           0},
};
