/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modules numpy, numpy.random, numpy.testing, numpy.linalg and ml_dtypes: types, constants,
 * facts about types, and the tables of the other files joined. Layer eval.
 */
#include "interp/eval/mod_numpy.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- state ---- */

static void state_free(nkx_vm *vm)
{
    free(vm->std_state);
    vm->std_state = NULL;
}

nkx_np_state *nkx_np_state_of(nkx_vm *vm)
{
    if (vm->std_state == NULL) {
        nkx_np_state *s = nkx_alloc(sizeof *s);
        s->print = NKX_PRINT_DEFAULT;
        vm->std_state = s;
        vm->std_state_free = state_free;
    }
    return vm->std_state;
}

nkx_random *nkx_np_global_random(nkx_vm *vm)
{
    nkx_np_state *s = nkx_np_state_of(vm);
    if (!s->seeded) nkx_random_seed(&s->random, false, vm->o.seed & UINT32_MAX);
    s->seeded = true;
    return &s->random;
}

bool nkx_module_put(nkx_vm *vm, nkx_value module, const char *name, nkx_value take)
{
    bool ok = nkx_module_set(vm, module, name, take);
    nkx_drop(take);
    return ok;
}

bool nkx_module_rows(nkx_vm *vm, nkx_value module, const nkx_builtin *rows)
{
    for (; rows->name != NULL; rows++) {
        if (!nkx_module_set(vm, module, rows->name, nkx_builtin_value(rows))) return false;
    }
    return true;
}

/* ---- kinds of types: np.floating and its like ---- */

typedef struct kind {
    const char *name;
    bool floats, ints, uints, bools;
} kind;

static const kind kinds[] = {
    {"generic",         true,  true,  true,  true },
    {"number",          true,  true,  true,  false},
    {"inexact",         true,  false, false, false},
    {"floating",        true,  false, false, false},
    {"integer",         false, true,  true,  false},
    {"signedinteger",   false, true,  false, false},
    {"unsignedinteger", false, false, true,  false},
};

typedef struct kind_payload {
    const kind *k;
} kind_payload;

static bool kind_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    if (name == vm->id.d_name)
        return nkx_give(out, nkx_cstr(vm, NKX_PAYLOAD(kind_payload, self)->k->name));
    return true;
}

static bool kind_repr(nkx_vm *vm, nkx_value self, nkx_buf *out)
{
    (void)vm;
    nkx_buf_printf(out, "<class 'numpy.%s'>", NKX_PAYLOAD(kind_payload, self)->k->name);
    return true;
}

static bool kind_equal(nkx_value a, nkx_value b)
{
    return NKX_PAYLOAD(kind_payload, a)->k == NKX_PAYLOAD(kind_payload, b)->k;
}

static const nkx_native_type kind_type = {
    .name = "numpy type", .attr = kind_attr, .repr = kind_repr, .equal = kind_equal};

/* arg1, arg2 */
static bool np_issubdtype(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int a, b;
    if (!nkx_np_dtype(vm, in[0], &a)) return false;
    if (a < 0) return nkx_type_error(vm, "issubdtype() arg 1 must be a type");
    if (!nkx_is_native(in[1], &kind_type)) {
        if (in[1].type == NKX_V_TYPE && in[1].u.i == NKX_V_FLOAT)
            return nkx_give_bool(out, a == NKX_DT_FP64);
        return nkx_np_dtype(vm, in[1], &b) && nkx_give_bool(out, a == b);
    }
    const kind *k = NKX_PAYLOAD(kind_payload, in[1])->k;
    nkx_dtype t = (nkx_dtype)a;
    if (t == NKX_DT_BOOL) return nkx_give_bool(out, k->bools);
    if (nkx_dtype_is_float(t))
        return nkx_give_bool(out, k->floats && (t == NKX_DT_FP16 || t == NKX_DT_FP32 ||
                                                t == NKX_DT_FP64 || k->bools));
    return nkx_give_bool(out, nkx_dtypes[t].cls == NKX_CLASS_INT
                                  ? k->ints
                                  : nkx_dtypes[t].cls == NKX_CLASS_UINT && k->uints);
}

/* ---- facts about types ---- */

typedef struct info {
    nkx_dtype t;
    bool floats;
} info;

static double epsilon(nkx_dtype t)
{
    return t == NKX_DT_FP64 ? DBL_EPSILON : ldexp(1.0, -nkx_dtypes[t].mant_bits);
}

static bool finfo_value(const info *f, const char *name, double *v)
{
    const nkx_dtype_row *row = &nkx_dtypes[f->t];
    if (strcmp(name, "max") == 0)
        *v = row->max;
    else if (strcmp(name, "min") == 0)
        *v = row->lowest;
    else if (strcmp(name, "eps") == 0)
        *v = epsilon(f->t);
    else if (strcmp(name, "epsneg") == 0)
        *v = epsilon(f->t) / 2;
    else if (strcmp(name, "tiny") == 0 || strcmp(name, "smallest_normal") == 0)
        *v = row->min_normal;
    else if (strcmp(name, "smallest_subnormal") == 0)
        *v = row->min_normal * epsilon(f->t);
    else if (strcmp(name, "resolution") == 0)
        *v = pow(10.0, -floor((double)row->mant_bits * log10(2.0)));
    else
        return false;
    return true;
}

static bool info_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    const info *f = NKX_PAYLOAD(info, self);
    const char *n = name->text;
    double v;
    if (strcmp(n, "bits") == 0)
        return nkx_give_int(out, f->t == NKX_DT_FP4_E2M1FN ? 4 : 8 * nkx_dtype_bytes(f->t));
    if (strcmp(n, "dtype") == 0) return nkx_give(out, nkx_np_dtype_value(f->t));
    if (f->floats && strcmp(n, "nmant") == 0)
        return nkx_give_int(out, f->t == NKX_DT_FP64 ? 52 : nkx_dtypes[f->t].mant_bits);
    if (f->floats && strcmp(n, "precision") == 0)
        return nkx_give_int(out, (int64_t)floor((double)nkx_dtypes[f->t].mant_bits * log10(2.0)));
    if (f->floats)
        return finfo_value(f, n, &v) ? nkx_give(out, nkx_array_take(vm, nkx_nd_scalar_f64(f->t, v)))
                                     : true;
    if (strcmp(n, "max") == 0) {
        if (f->t == NKX_DT_UINT64)
            return nkx_give(out, nkx_array_take(vm, nkx_nd_scalar_i64(f->t, -1)));
        return nkx_give_int(out, f->t == NKX_DT_INT64 ? INT64_MAX : (int64_t)nkx_dtypes[f->t].max);
    }
    if (strcmp(n, "min") == 0)
        return nkx_give_int(out,
                            f->t == NKX_DT_INT64 ? INT64_MIN : (int64_t)nkx_dtypes[f->t].lowest);
    return true;
}

static bool info_repr(nkx_vm *vm, nkx_value self, nkx_buf *out)
{
    const info *f = NKX_PAYLOAD(info, self);
    if (!f->floats) {
        nkx_buf_printf(out, "iinfo(min=%.0f, max=%.0f, dtype=%s)", nkx_dtypes[f->t].lowest,
                       nkx_dtypes[f->t].max, nkx_nd_type_name(f->t));
        return true;
    }
    static const char *const names[] = {"resolution", "min", "max"};
    for (int i = 0; i < 3; i++) {
        double v = 0;
        nkx_ndarray *s;
        finfo_value(f, names[i], &v);
        s = nkx_nd_scalar_f64(f->t, v);
        nkx_buf_printf(out, i == 0 ? "finfo(%s=" : ", %s=", names[i]);
        nkx_nd_str(s, &nkx_np_state_of(vm)->print, out);
        nkx_nd_drop(s);
    }
    nkx_buf_printf(out, ", dtype=%s)", nkx_nd_type_name(f->t));
    return true;
}

static const nkx_native_type finfo_type = {.name = "finfo", .attr = info_attr, .repr = info_repr};
static const nkx_native_type iinfo_type = {.name = "iinfo", .attr = info_attr, .repr = info_repr};

static bool make_info(nkx_vm *vm, nkx_value v, bool floats, nkx_value *out)
{
    int t;
    if (v.type == NKX_V_ARRAY) {
        t = nkx_np_of(v)->dtype;
    } else if (v.type == NKX_V_FLOAT || v.type == NKX_V_INT) {
        t = v.type == NKX_V_FLOAT ? NKX_DT_FP64 : NKX_DT_INT64;
    } else if (!nkx_np_dtype(vm, v, &t)) {
        return false;
    }
    if (t < 0) t = NKX_DT_FP64;
    if (floats != nkx_dtype_is_float((nkx_dtype)t) || t == NKX_DT_BOOL) {
        return nkx_value_error(
            vm, floats ? "data type %s not inexact" : "Invalid integer data type '%s'.",
            nkx_nd_type_name((nkx_dtype)t));
    }
    *out = nkx_native_new(vm, floats ? &finfo_type : &iinfo_type, sizeof(info));
    *NKX_PAYLOAD(info, *out) = (info){(nkx_dtype)t, floats};
    return true;
}

static bool np_finfo(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return make_info(vm, in[0], true, out);
}
static bool np_iinfo(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return make_info(vm, in[0], false, out);
}

static bool np_dtype(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int t;
    if (!nkx_np_dtype(vm, in[0], &t)) return false;
    return nkx_give(out, nkx_np_dtype_value(t >= 0 ? (nkx_dtype)t : NKX_DT_FP64));
}

/* *arrays_and_dtypes */
static bool np_result_type(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_tuple *args = NKX_AS(nkx_tuple, in[0]);
    int acc = -1, weak = -1;
    if (args->n == 0) return nkx_value_error(vm, "at least one array or dtype is required");
    for (uint32_t i = 0; i < args->n; i++) {
        nkx_value v = args->at[i];
        double d;
        int t;
        if (nkx_is_number(v, &d)) {
            int k = v.type == NKX_V_BOOL ? 0 : v.type == NKX_V_FLOAT ? 2 : 1;
            weak = k > weak ? k : weak;
            continue;
        }
        if (v.type == NKX_V_ARRAY)
            t = nkx_np_of(v)->dtype;
        else if (!nkx_np_dtype(vm, v, &t))
            return false;
        if (t < 0) t = NKX_DT_FP64;
        acc = acc < 0 ? t : (int)nkx_promote((nkx_dtype)acc, (nkx_dtype)t);
    }
    if (acc < 0)
        acc = weak == 0 ? NKX_DT_BOOL : weak == 1 ? NKX_DT_INT64 : NKX_DT_FP64;
    else if (weak >= 0)
        acc = (int)nkx_promote_weak((nkx_dtype)acc, weak);
    return nkx_give(out, nkx_np_dtype_value((nkx_dtype)acc));
}

/* from_, to, casting */
static bool np_can_cast(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int a, b;
    if (!nkx_np_dtype(vm, in[0], &a) || !nkx_np_dtype(vm, in[1], &b)) return false;
    if (a < 0 || b < 0) return nkx_type_error(vm, "can_cast() needs two types");
    if (nkx_str_is(in[2], "unsafe")) return nkx_give_bool(out, true);
    if (nkx_str_is(in[2], "no") || nkx_str_is(in[2], "equiv")) return nkx_give_bool(out, a == b);
    if (nkx_str_is(in[2], "same_kind"))
        return nkx_give_bool(out, nkx_nd_same_kind((nkx_dtype)a, (nkx_dtype)b));
    return nkx_give_bool(out, nkx_promote((nkx_dtype)a, (nkx_dtype)b) == (nkx_dtype)b);
}

/* ---- mgrid, ogrid, s_ ---- */

typedef struct grid {
    bool open;
} grid;

static bool grid_axis(nkx_vm *vm, nkx_value s, nkx_ndarray **out)
{
    nkx_nd_error e;
    double start = 0, stop = 0, step = 1;
    const nkx_slice_obj *x = NKX_AS(nkx_slice_obj, s);
    if (s.type != NKX_V_SLICE)
        return nkx_type_error(vm, "mgrid is indexed by slices, not '%s'", nkx_type_name(s));
    if ((nkx_given(x->start) && !nkx_as_float(vm, x->start, "start", &start)) ||
        !nkx_as_float(vm, x->stop, "stop", &stop) ||
        (nkx_given(x->step) && !nkx_as_float(vm, x->step, "step", &step))) {
        return false;
    }
    bool ints =
        x->start.type != NKX_V_FLOAT && x->stop.type != NKX_V_FLOAT && x->step.type != NKX_V_FLOAT;
    *out = ints ? nkx_nd_arange_i64(NKX_DT_INT64, (int64_t)start, (int64_t)stop, (int64_t)step, &e)
                : nkx_nd_arange(NKX_DT_FP64, start, stop, step, &e);
    return *out != NULL || nkx_np_raise(vm, &e);
}

static bool grid_item(nkx_vm *vm, nkx_value self, nkx_value key, nkx_value *out)
{
    const nkx_value *at = &key;
    uint32_t n = 1;
    nkx_ndarray *axis[NKX_ND_MAX] = {NULL};
    int64_t shape[NKX_ND_MAX];
    nkx_nd_error e;
    bool open = NKX_PAYLOAD(grid, self)->open, ok = true, tuple = key.type == NKX_V_TUPLE;
    if (tuple) nkx_items(key, &at, &n);
    if (n >= NKX_ND_MAX)
        return nkx_value_error(vm, "a grid of more than %d dimensions", NKX_ND_MAX - 1);
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = grid_axis(vm, at[i], &axis[i]);
        if (ok) shape[i] = axis[i]->shape[0];
    }
    for (uint32_t i = 0; ok && i < n; i++) { /* each along its own dimension */
        int64_t one[NKX_ND_MAX];
        for (uint32_t d = 0; d < n; d++) one[d] = d == i ? shape[d] : 1;
        nkx_ndarray *col = nkx_nd_reshape(axis[i], (int)n, one, 'C', &e),
                    *wide = col != NULL && !open ? nkx_nd_broadcast_to(col, (int)n, shape, &e)
                                                 : nkx_nd_ref(col);
        nkx_nd_drop(axis[i]);
        nkx_nd_drop(col);
        axis[i] = wide;
    }
    if (ok && !tuple) {
        ok = nkx_np_done(vm, nkx_nd_copy(axis[0]), &e, out);
    } else if (ok && open) {
        *out = nkx_tuple_new(vm, n);
        for (uint32_t i = 0; i < n; i++)
            NKX_AS(nkx_tuple, *out)->at[i] = nkx_array_take(vm, nkx_nd_ref(axis[i]));
    } else if (ok) {
        ok = nkx_np_done(vm, nkx_nd_stack((int)n, axis, 0, &e), &e, out);
    }
    for (uint32_t i = 0; i < n; i++) nkx_nd_drop(axis[i]);
    return ok;
}

static bool index_item(nkx_vm *vm, nkx_value self, nkx_value key, nkx_value *out)
{
    (void)vm;
    (void)self;
    return nkx_give(out, nkx_ref(key));
}

static const nkx_native_type grid_type = {.name = "nd_grid", .item = grid_item};
static const nkx_native_type index_type = {.name = "IndexExpression", .item = index_item};

/* ---- the modules ---- */

static const struct {
    const char *name;
    nkx_dtype t;
} type_names[] = {
    {"bool_",    NKX_DT_BOOL  },
    {"bool",     NKX_DT_BOOL  },
    {"int8",     NKX_DT_INT8  },
    {"int16",    NKX_DT_INT16 },
    {"int32",    NKX_DT_INT32 },
    {"int64",    NKX_DT_INT64 },
    {"uint8",    NKX_DT_UINT8 },
    {"uint16",   NKX_DT_UINT16},
    {"uint32",   NKX_DT_UINT32},
    {"uint64",   NKX_DT_UINT64},
    {"float16",  NKX_DT_FP16  },
    {"float32",  NKX_DT_FP32  },
    {"float64",  NKX_DT_FP64  },
    {"half",     NKX_DT_FP16  },
    {"single",   NKX_DT_FP32  },
    {"double",   NKX_DT_FP64  },
    {"int_",     NKX_DT_INT64 },
    {"uint",     NKX_DT_UINT64},
    {"intp",     NKX_DT_INT64 },
    {"longlong", NKX_DT_INT64 },
    {"byte",     NKX_DT_INT8  },
    {"ubyte",    NKX_DT_UINT8 },
    {"short",    NKX_DT_INT16 },
    {"intc",     NKX_DT_INT32 },
    {"uintc",    NKX_DT_UINT32},
};

static const nkx_builtin numpy_rows[] = {
    {"dtype",         "dtype, align=False, copy=False", np_dtype,       "a type by its name",         0},
    {"finfo",         "dtype",                          np_finfo,       "limits of a float type",     0},
    {"iinfo",         "type",                           np_iinfo,       "limits of an integer type",  0},
    {"issubdtype",    "arg1, arg2",                     np_issubdtype,  "is it a type of that kind?", 0},
    {"result_type",   "*arrays_and_dtypes",             np_result_type, "the type they promote to",   0},
    {"promote_types", "*types",                         np_result_type, "the type they promote to",   0},
    {"can_cast",      "from_, to, casting='safe'",      np_can_cast,    "may it be converted?",       0},
    {NULL,            NULL,                             NULL,           NULL,                         0},
};

static bool put_constants(nkx_vm *vm, nkx_value m)
{
    const double pi = 3.14159265358979323846, e = 2.71828182845904523536,
                 gamma = 0.57721566490153286061;
    return nkx_module_put(vm, m, "pi", nkx_float(pi)) && nkx_module_put(vm, m, "e", nkx_float(e)) &&
           nkx_module_put(vm, m, "euler_gamma", nkx_float(gamma)) &&
           nkx_module_put(vm, m, "inf", nkx_float((double)INFINITY)) &&
           nkx_module_put(vm, m, "nan", nkx_float((double)NAN)) &&
           nkx_module_put(vm, m, "newaxis", NKX_NONE) &&
           nkx_module_put(vm, m, "__version__", nkx_cstr(vm, "2.0.0")) &&
           nkx_module_put(vm, m, "ndarray", (nkx_value){.type = NKX_V_TYPE, .u.i = NKX_V_ARRAY});
}

static bool put_objects(nkx_vm *vm, nkx_value m)
{
    for (size_t i = 0; i < NKX_COUNT(kinds); i++) {
        nkx_value k = nkx_native_new(vm, &kind_type, sizeof(kind_payload));
        NKX_PAYLOAD(kind_payload, k)->k = &kinds[i];
        if (!nkx_module_put(vm, m, kinds[i].name, k)) return false;
    }
    nkx_value mgrid = nkx_native_new(vm, &grid_type, sizeof(grid)),
              ogrid = nkx_native_new(vm, &grid_type, sizeof(grid));
    NKX_PAYLOAD(grid, ogrid)->open = true;
    return nkx_module_put(vm, m, "mgrid", mgrid) && nkx_module_put(vm, m, "ogrid", ogrid) &&
           nkx_module_put(vm, m, "s_", nkx_native_new(vm, &index_type, 1)) &&
           nkx_module_put(vm, m, "index_exp", nkx_native_new(vm, &index_type, 1));
}

static bool put_ufuncs(nkx_vm *vm, nkx_value m)
{
    static const char *const aliases[] = {
        "abs",   "mod",     "true_divide", "pow",  "bitwise_not", "bitwise_invert",
        "conj",  "radians", "degrees",     "asin", "acos",        "atan",
        "atan2", "asinh",   "acosh",       "atanh"};
    for (int f = 0; f < NKX_N_UFUNCS; f++) {
        if (f == NKX_UF_ERF) continue; /* scipy's */
        if (!nkx_module_put(vm, m, nkx_uf_rows[f].name, nkx_np_ufunc_value(vm, (nkx_ufunc)f)))
            return false;
    }
    for (size_t i = 0; i < NKX_COUNT(aliases); i++) {
        if (!nkx_module_put(vm, m, aliases[i], nkx_np_ufunc_value(vm, nkx_uf_find(aliases[i]))))
            return false;
    }
    return true;
}

static bool numpy_init(nkx_vm *vm, nkx_value m)
{
    static const nkx_builtin *const tables[] = {nkx_np_create_rows, nkx_np_reduce_rows,
                                                nkx_np_shape_rows,  nkx_np_linalg_rows,
                                                nkx_np_io_rows,     nkx_np_misc_rows};
    static const char *const parts[] = {"numpy.random", "numpy.testing", "numpy.linalg"};
    for (size_t i = 0; i < NKX_COUNT(type_names); i++) {
        if (!nkx_module_put(vm, m, type_names[i].name, nkx_np_dtype_value(type_names[i].t)))
            return false;
    }
    for (size_t i = 0; i < NKX_COUNT(tables); i++) {
        if (!nkx_module_rows(vm, m, tables[i])) return false;
    }
    if (!put_ufuncs(vm, m) || !put_constants(vm, m) || !put_objects(vm, m)) return false;
    for (size_t i = 0; i < NKX_COUNT(parts);
         i++) { /* np.random is there without an import of its own */
        nkx_value part;
        if (!nkx_import(vm, parts[i], &part)) return false;
        if (!nkx_module_put(vm, m, parts[i] + strlen("numpy."), part)) return false;
    }
    return true;
}

static bool linalg_init(nkx_vm *vm, nkx_value m)
{
    return nkx_module_put(vm, m, "LinAlgError", nkx_class_value(vm, NKX_CLS_ValueError));
}

/* The rest of ml_dtypes 0.7 can be named; no engine knows these types, and arrays do not have them.
 */
static bool put_other_ml_types(nkx_vm *vm, nkx_value m)
{
    static const char *const names[] = {"float6_e2m3fn",
                                        "float6_e3m2fn",
                                        "float8_e3m4",
                                        "float8_e4m3b11fnuz",
                                        "float8_e4m3fnuz",
                                        "float8_e5m2fnuz",
                                        "float8_e5m3fnu",
                                        "int1",
                                        "int2",
                                        "int4",
                                        "uint1",
                                        "uint2",
                                        "uint4",
                                        "bcomplex32",
                                        "complex32"};
    for (size_t i = 0; i < NKX_COUNT(names); i++) {
        const char *path = nkx_arena_printf(&vm->arena, "ml_dtypes.%s", names[i]);
        nkx_value v = nkx_placeholder_new(vm, path, "the type", names[i]);
        if (!nkx_module_put(vm, m, names[i], v)) return false;
    }
    return true;
}

static bool ml_dtypes_init(nkx_vm *vm, nkx_value m)
{
    static const struct {
        const char *name;
        nkx_dtype t;
    } types[] = {
        {"bfloat16",       NKX_DT_BF16      },
        {"float8_e4m3",    NKX_DT_FP8_E4M3  },
        {"float8_e4m3fn",  NKX_DT_FP8_E4M3FN},
        {"float8_e5m2",    NKX_DT_FP8_E5M2  },
        {"float8_e8m0fnu", NKX_DT_FP8_E8M0  },
        {"float4_e2m1fn",  NKX_DT_FP4_E2M1FN}
    };
    for (size_t i = 0; i < NKX_COUNT(types); i++) {
        if (!nkx_module_put(vm, m, types[i].name, nkx_np_dtype_value(types[i].t))) return false;
    }
    return put_other_ml_types(vm, m);
}

static const nkx_builtin ml_dtypes_rows[] = {
    {"finfo", "dtype", np_finfo, "limits of a float type",    0},
    {"iinfo", "type",  np_iinfo, "limits of an integer type", 0},
    {NULL,    NULL,    NULL,     NULL,                        0},
};

const nkx_module_def nkx_mod_numpy = {.name = "numpy", .functions = numpy_rows, .init = numpy_init};
const nkx_module_def nkx_mod_numpy_random = {.name = "numpy.random",
                                             .functions = nkx_np_random_rows};
const nkx_module_def nkx_mod_numpy_testing = {.name = "numpy.testing",
                                              .functions = nkx_np_testing_rows};
const nkx_module_def nkx_mod_numpy_linalg = {
    .name = "numpy.linalg", .functions = nkx_np_linalg_module_rows, .init = linalg_init};
const nkx_module_def nkx_mod_ml_dtypes = {
    .name = "ml_dtypes", .functions = ml_dtypes_rows, .init = ml_dtypes_init};
