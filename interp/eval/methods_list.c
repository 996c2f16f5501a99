/* SPDX-License-Identifier: Apache-2.0 */
/* Methods of list, tuple and range. Layer eval. */
#include "interp/eval/methods.h"

#include <stdlib.h>
#include <string.h>

static nkx_list *self_of(const nkx_value *in)
{
    return NKX_AS(nkx_list, in[0]);
}

static bool l_append(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)out;
    nkx_list_append(in[0], in[1]);
    return true;
}

static bool l_extend(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    return nkx_list_extend(vm, in[0], in[1]);
}

static bool l_insert(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t i;
    nkx_list *l = self_of(in);
    (void)out;
    if (!nkx_as_int(vm, in[1], "index", &i)) return false;
    int64_t n = l->n;
    i = i < 0 ? (i + n < 0 ? 0 : i + n) : i > n ? n : i;
    nkx_list_append(in[0], NKX_NONE);
    memmove(&l->at[i + 1], &l->at[i], (size_t)(n - i) * sizeof l->at[0]);
    l->at[i] = nkx_ref(in[2]);
    return true;
}

static bool l_pop(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t i;
    nkx_list *l = self_of(in);
    if (!nkx_as_int(vm, in[1], "index", &i)) return false;
    if (l->n == 0) return nkx_raise(vm, NKX_E212, "IndexError", "pop from empty list");
    int64_t n = l->n, k = i < 0 ? i + n : i;
    if (k < 0 || k >= n) return nkx_raise(vm, NKX_E212, "IndexError", "pop index out of range");
    *out = l->at[k];
    memmove(&l->at[k], &l->at[k + 1], (size_t)(n - k - 1) * sizeof l->at[0]);
    l->n--;
    return true;
}

/* First place of x within lo..hi, -1 if none. The list may change while items are compared. */
static bool place_of(nkx_vm *vm, nkx_value seq, nkx_value x, int64_t lo, int64_t hi, int64_t *out)
{
    const nkx_value *at;
    uint32_t n;
    *out = -1;
    for (int64_t i = lo; nkx_items(seq, &at, &n) && i < hi && i < n; i++) {
        bool same;
        nkx_value item = nkx_ref(at[i]);
        bool ok = nkx_equal(vm, item, x, &same);
        nkx_drop(item);
        if (!ok) return false;
        if (same) {
            *out = i;
            return true;
        }
    }
    return true;
}

static bool seq_index(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t lo = 0, hi = INT64_MAX, n = 0, i;
    if (!nkx_len(vm, in[0], &n)) return false;
    if (nkx_given(in[2]) && !nkx_as_int(vm, in[2], "start", &lo)) return false;
    if (nkx_given(in[3]) && !nkx_as_int(vm, in[3], "stop", &hi)) return false;
    lo = lo < 0 ? (lo + n < 0 ? 0 : lo + n) : lo;
    hi = hi < 0 ? hi + n : hi;
    if (!place_of(vm, in[0], in[1], lo, hi, &i)) return false;
    if (i >= 0) return nkx_give_int(out, i);
    if (in[0].type == NKX_V_TUPLE) return nkx_value_error(vm, "tuple.index(x): x not in tuple");
    nkx_buf b = {0};
    if (nkx_repr(vm, in[1], &b)) nkx_value_error(vm, "%s is not in list", b.at);
    nkx_buf_fini(&b);
    return false;
}

static bool seq_count(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_value *at;
    uint32_t n;
    int64_t found = 0;
    for (uint32_t i = 0; nkx_items(in[0], &at, &n) && i < n; i++) {
        bool same;
        if (!nkx_equal(vm, at[i], in[1], &same)) return false;
        found += same;
    }
    return nkx_give_int(out, found);
}

static bool l_remove(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t i;
    nkx_list *l = self_of(in);
    (void)out;
    if (!place_of(vm, in[0], in[1], 0, INT64_MAX, &i)) return false;
    if (i < 0) return nkx_value_error(vm, "list.remove(x): x not in list");
    nkx_value gone = l->at[i];
    memmove(&l->at[i], &l->at[i + 1], (size_t)(l->n - i - 1) * sizeof l->at[0]);
    l->n--;
    nkx_drop(gone);
    return true;
}

static bool l_clear(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_list *l = self_of(in);
    (void)vm;
    (void)out;
    while (l->n > 0) nkx_drop(l->at[--l->n]);
    return true;
}

static bool l_copy(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return nkx_list_of(vm, in[0], out);
}

static bool l_reverse(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_list *l = self_of(in);
    (void)vm;
    (void)out;
    for (uint32_t i = 0; i < l->n / 2; i++) {
        nkx_value t = l->at[i];
        l->at[i] = l->at[l->n - 1 - i];
        l->at[l->n - 1 - i] = t;
    }
    return true;
}

/* The list is empty to all others while its items are sorted, as in CPython. */
static bool l_sort(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_list *l = self_of(in);
    bool reverse;
    nkx_value *at = l->at;
    uint32_t n = l->n, cap = l->cap;
    (void)out;
    if (!nkx_truth(vm, in[2], &reverse)) return false;
    l->at = NULL;
    l->n = l->cap = 0;
    bool ok = nkx_sort_values(vm, at, n, in[1], reverse);
    bool changed = l->n > 0;
    while (l->n > 0) nkx_drop(l->at[--l->n]);
    free(l->at);
    l->at = at;
    l->n = n;
    l->cap = cap;
    return ok && (!changed || nkx_value_error(vm, "list modified during sort"));
}

/* ---- range ---- */

static int64_t range_count(const nkx_range_obj *r)
{
    if (r->step > 0) return r->stop > r->start ? (r->stop - r->start - 1) / r->step + 1 : 0;
    return r->start > r->stop ? (r->start - r->stop - 1) / -r->step + 1 : 0;
}

static bool range_find(nkx_value range, nkx_value x, int64_t *out)
{
    const nkx_range_obj *r = NKX_AS(nkx_range_obj, range);
    int64_t v;
    if (!nkx_is_int(x, &v) || (v - r->start) % r->step != 0) return false;
    *out = (v - r->start) / r->step;
    return *out >= 0 && *out < range_count(r);
}

static bool r_index(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t i;
    nkx_buf b = {0};
    if (range_find(in[0], in[1], &i)) return nkx_give_int(out, i);
    if (nkx_repr(vm, in[1], &b)) nkx_value_error(vm, "%s is not in range", b.at);
    nkx_buf_fini(&b);
    return false;
}

static bool r_count(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t i;
    (void)vm;
    return nkx_give_int(out, range_find(in[0], in[1], &i));
}

static bool r_start(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give_int(out, NKX_AS(nkx_range_obj, in[0])->start);
}
static bool r_stop(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give_int(out, NKX_AS(nkx_range_obj, in[0])->stop);
}
static bool r_step(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give_int(out, NKX_AS(nkx_range_obj, in[0])->step);
}

#define M NKX_BF_METHOD

const nkx_builtin nkx_list_methods[] = {
    {"append",  "self, object, /",                       l_append,  "adds an item at the end",               M},
    {"clear",   "self",                                  l_clear,   "removes all items",                     M},
    {"copy",    "self",                                  l_copy,    "a new list of the same items",          M},
    {"count",   "self, value, /",                        seq_count, "how often value occurs",                M},
    {"extend",  "self, iterable, /",                     l_extend,  "adds all items of iterable",            M},
    {"index",   "self, value, start=None, stop=None, /", seq_index, "first place of value",                  M},
    {"insert",  "self, index, object, /",                l_insert,  "puts an item before index",             M},
    {"pop",     "self, index=-1, /",                     l_pop,     "removes an item and gives it",          M},
    {"remove",  "self, value, /",                        l_remove,  "removes the first item equal to value", M},
    {"reverse", "self",                                  l_reverse, "reverses in place",                     M},
    {"sort",    "self, *, key=None, reverse=False",      l_sort,    "sorts in place; stable",                M},
    {NULL,      NULL,                                    NULL,      NULL,                                    0},
};

const nkx_builtin nkx_tuple_methods[] = {
    {"count", "self, value, /",                        seq_count, "how often value occurs", M},
    {"index", "self, value, start=None, stop=None, /", seq_index, "first place of value",   M},
    {NULL,    NULL,                                    NULL,      NULL,                     0},
};

static bool slice_indices(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t n, start, step, count;
    if (!nkx_as_int(vm, in[1], "the length", &n)) return false;
    if (n < 0) return nkx_value_error(vm, "length should not be negative");
    if (!nkx_slice_resolve(vm, in[0], n, &start, &step, &count)) return false;
    /* the stop as Python clips it, which an empty or uneven slice does not tell */
    const nkx_slice_obj *s = NKX_AS(nkx_slice_obj, in[0]);
    int64_t stop = step > 0 ? n : -1, low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    if (s->stop.type != NKX_V_NONE) {
        if (!nkx_as_int(vm, s->stop, "a slice index", &stop)) return false;
        if (stop < 0) stop += n;
        stop = stop < low ? low : stop > high ? high : stop;
    }
    nkx_value at[3] = {nkx_int(start), nkx_int(stop), nkx_int(step)};
    *out = nkx_tuple_of(vm, at, 3);
    return true;
}

const nkx_builtin nkx_slice_methods[] = {
    {"indices", "self, len, /", slice_indices, "(start, stop, step) for that length",
     NKX_BF_METHOD                                                                     },
    {NULL,      NULL,           NULL,          NULL,                                  0},
};

const nkx_builtin nkx_range_methods[] = {
    {"count", "self, value, /", r_count, "how often value occurs", M            },
    {"index", "self, value, /", r_index, "place of value",         M            },
    {"start", "self",           r_start, "first number",           NKX_BF_GETTER},
    {"step",  "self",           r_step,  "distance",               NKX_BF_GETTER},
    {"stop",  "self",           r_stop,  "the bound",              NKX_BF_GETTER},
    {NULL,    NULL,             NULL,    NULL,                     0            },
};
