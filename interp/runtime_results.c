/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch gave back: held as dense arrays, shown as text, saved as .npy files. */
#include "interp/host/print.h"
#include "interp/runtime.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void nkx_rt_results_clear(nkx_runtime *rt)
{
    for (size_t i = 0; i < rt->results.n; i++) {
        nkx_rt_result *r = &rt->results.at[i];
        free(r->name);
        free(r->text);
        if (r->array) nkx_nd_drop(r->array);
    }
    rt->results.n = 0;
    for (size_t i = 0; i < rt->comparisons.n; i++) free(rt->comparisons.at[i].name);
    rt->comparisons.n = 0;
}

static bool add_result(nkx_runtime *rt, const char *name, nkx_value v)
{
    nkx_rt_result r = {.name = nkx_dup(name, strlen(name) + 1)};
    if (v.type == NKX_V_ARRAY) {
        r.array = nkx_nd_dense(NKX_AS(nkx_array_obj, v)->a);
        r.dtype = (nkx_dtype)r.array->dtype;
    } else {
        nkx_buf b = {0};
        if (!nkx_repr(rt->vm, v, &b)) {
            nkx_buf_fini(&b);
            free(r.name);
            nkx_rt_failed(rt);
            return false;
        }
        r.text = nkx_buf_take(&b);
    }
    nkx_push(&rt->results, r);
    return true;
}

static bool add_sequence(nkx_runtime *rt, const nkx_value *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "result[%" PRIu32 "]", i);
        if (!add_result(rt, name, at[i])) return false;
    }
    return true;
}

static bool was_written(const nkx_rt_arg *a)
{
    return a->value.type == NKX_V_ARRAY && NKX_AS(nkx_array_obj, a->value)->a->touched;
}

static bool add_written(nkx_runtime *rt)
{
    for (size_t i = 0; i < rt->args.n; i++) {
        const nkx_rt_arg *a = &rt->args.at[i];
        if (was_written(a) && !add_result(rt, a->name->text, a->value)) return false;
    }
    return true;
}

bool nkx_rt_results_take(nkx_runtime *rt, nkx_value v)
{
    if (v.type == NKX_V_NONE || v.type == NKX_V_UNSET) return add_written(rt);
    if (v.type == NKX_V_TUPLE) {
        return add_sequence(rt, NKX_AS(nkx_tuple, v)->at, NKX_AS(nkx_tuple, v)->n);
    }
    if (v.type == NKX_V_LIST) {
        return add_sequence(rt, NKX_AS(nkx_list, v)->at, NKX_AS(nkx_list, v)->n);
    }
    return add_result(rt, "result", v);
}

size_t nkx_result_count(const nkx_runtime *rt)
{
    return rt->results.n;
}

bool nkx_result(nkx_runtime *rt, size_t i, nkx_array *out)
{
    if (i >= rt->results.n || rt->results.at[i].array == NULL) return false;
    const nkx_rt_result *r = &rt->results.at[i];
    const nkx_ndarray *a = r->array;
    *out = (nkx_array){.name = r->name, .dtype = nkx_dtypes[a->dtype].name, .ndim = a->ndim};
    for (int d = 0; d < a->ndim; d++) out->shape[d] = a->shape[d];
    out->bytes = (size_t)(nkx_nd_size(a) * nkx_dtype_bytes((nkx_dtype)a->dtype));
    out->data = rt->o.data ? a->at : NULL;
    return true;
}

/* ---- as text ---- */

static void type_text(const nkx_ndarray *a, nkx_buf *b)
{
    nkx_buf_printf(b, "%s[", nkx_dtypes[a->dtype].name);
    for (int d = 0; d < a->ndim; d++) nkx_buf_printf(b, "%s%" PRId64, d ? "," : "", a->shape[d]);
    nkx_buf_char(b, ']');
}

static void spread_text(nkx_ndarray *a, nkx_buf *b)
{
    nkx_ndarray *f = nkx_nd_as(a, NKX_DT_FP64);
    const double *v = (const double *)(const void *)f->at;
    int64_t n = nkx_nd_size(f), nans = 0;
    double lo = INFINITY, hi = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(v[i])) {
            nans++;
            continue;
        }
        lo = v[i] < lo ? v[i] : lo;
        hi = v[i] > hi ? v[i] : hi;
        sum += v[i];
    }
    if (n > nans) {
        nkx_buf_printf(b, "  min %.6g  max %.6g  mean %.6g", lo, hi, sum / (double)(n - nans));
    }
    if (nans > 0) nkx_buf_printf(b, "  NaN %" PRId64 " of %" PRId64, nans, n);
    nkx_nd_drop(f);
}

char *nkx_result_text(nkx_runtime *rt, size_t i, bool elements)
{
    nkx_buf b = {0};
    if (i >= rt->results.n) return nkx_buf_take(&b);
    const nkx_rt_result *r = &rt->results.at[i];
    nkx_buf_printf(&b, "%s ", r->name);
    if (r->array == NULL) {
        nkx_buf_str(&b, r->text ? r->text : "");
        return nkx_buf_take(&b);
    }
    type_text(r->array, &b);
    if (!rt->o.data) return nkx_buf_take(&b);
    bool packed = nkx_dtypes[r->array->dtype].cls == NKX_CLASS_PACKED;
    if (!packed) spread_text(r->array, &b);
    if (elements && !packed) {
        nkx_print_options o = NKX_PRINT_DEFAULT;
        o.threshold = 200;
        nkx_buf_char(&b, '\n');
        nkx_nd_str(r->array, &o, &b);
    }
    return nkx_buf_take(&b);
}

/* ---- saving ---- */

static const nkx_rt_result *find_result(const nkx_runtime *rt, const char *name, size_t len)
{
    for (size_t i = 0; i < rt->results.n; i++) {
        const nkx_rt_result *r = &rt->results.at[i];
        if (strlen(r->name) == len && memcmp(r->name, name, len) == 0) return r;
    }
    char *end;
    unsigned long i = strtoul(name, &end, 10);
    if (end == name + len && len > 0 && i < rt->results.n) return &rt->results.at[i];
    if (len == 6 && memcmp(name, "result", 6) == 0 && rt->results.n > 0) return &rt->results.at[0];
    return NULL;
}

/* An argument may be saved too: it was perhaps written in place besides a returned result. */
static const nkx_ndarray *find_array(nkx_runtime *rt, const char *name, size_t len)
{
    const nkx_rt_result *r = find_result(rt, name, len);
    return r ? r->array : NULL;
}

static nkx_status missing_result(nkx_runtime *rt, const char *text, const char *name, size_t len)
{
    nkx_span span = nkx_rt_note_text(rt, "<option -o>", text);
    nkx_diag *g = nkx_diag_add(&rt->diags, NKX_E657, span, "there is no result '%.*s' to save",
                               (int)len, name);
    nkx_buf all = {0};
    for (size_t i = 0; i < rt->results.n; i++) {
        nkx_buf_printf(&all, "%s%s", i ? ", " : "", rt->results.at[i].name);
    }
    if (all.len > 0) {
        nkx_diag_hint(&rt->diags, g, "The results are: %s.", all.at);
    } else {
        nkx_diag_hint(&rt->diags, g, "The kernel returned nothing and wrote no argument.");
    }
    nkx_buf_fini(&all);
    return NKX_WRONG;
}

nkx_status nkx_save(nkx_runtime *rt, const char *name_path)
{
    const char *eq = strchr(name_path, '=');
    const char *name = eq ? name_path : "result";
    size_t len = eq ? (size_t)(eq - name_path) : strlen(name);
    const char *path = eq ? eq + 1 : name_path;
    const nkx_ndarray *a = find_array(rt, name, len);
    if (a == NULL && !eq && rt->results.n > 0) a = rt->results.at[0].array;
    if (a == NULL) return missing_result(rt, name_path, name, len);
    nkx_nd_error e = {0};
    if (nkx_npy_save(path, a, &e)) return NKX_OK;
    nkx_span span = nkx_rt_note_text(rt, "<option -o>", name_path);
    nkx_diag_add(&rt->diags, NKX_E660, span, "cannot write '%s': %s", path, e.text);
    return NKX_WRONG;
}
