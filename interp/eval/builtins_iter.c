/* SPDX-License-Identifier: Apache-2.0 */
/* Builtin functions that make or drive iterators: enumerate, zip, map, filter, reversed, iter,
 * next. Layer eval. */
#include "interp/eval/builtins.h"

static bool next_enumerate(nkx_vm *vm, nkx_iter_obj *it, nkx_value *out)
{
    nkx_value x;
    if (!nkx_next(vm, it->a, &x)) return false;
    if (x.type == NKX_V_UNSET) return nkx_give(out, NKX_UNSET);
    nkx_value pair[2] = {nkx_int(it->i++), x};
    *out = nkx_tuple_of(vm, pair, 2);
    nkx_drop(x);
    return true;
}

static const nkx_iter_type enumerate_type = {"enumerate", next_enumerate, NULL};

bool nkx_b_enumerate(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value it;
    int64_t start;
    if (!nkx_as_int(vm, in[1], "start", &start) || !nkx_iter(vm, in[0], &it)) return false;
    *out = nkx_iter_new(vm, &enumerate_type, it, NKX_UNSET);
    NKX_AS(nkx_iter_obj, *out)->i = start;
    nkx_drop(it);
    return true;
}

/* Next of every iterator of tuple a, into fresh values; *done when one has ended. */
static bool next_of_all(nkx_vm *vm, nkx_iter_obj *it, nkx_value *at, bool *done)
{
    const nkx_tuple *its = NKX_AS(nkx_tuple, it->a);
    for (uint32_t i = 0; i < its->n; i++) {
        bool ok = nkx_next(vm, its->at[i], &at[i]);
        if (ok && at[i].type != NKX_V_UNSET) continue;
        for (uint32_t k = 0; k < i; k++) nkx_drop(at[k]);
        *done = ok;
        if (ok && i > 0 && it->i != 0)
            return nkx_value_error(vm, "zip() argument %u is shorter than argument%s%u", i + 1,
                                   i == 1 ? " " : "s 1-", i);
        if (ok && i == 0 && it->i != 0) {
            for (uint32_t k = 1; k < its->n; k++) {
                if (!nkx_next(vm, its->at[k], &at[k])) return false;
                if (at[k].type == NKX_V_UNSET) continue;
                nkx_drop(at[k]);
                return nkx_value_error(vm, "zip() argument %u is longer than argument%s%u", k + 1,
                                       k == 1 ? " " : "s 1-", k);
            }
        }
        return ok;
    }
    *done = its->n == 0;
    return true;
}

#define MAX_ZIP 64

static bool next_zip(nkx_vm *vm, nkx_iter_obj *it, nkx_value *out)
{
    nkx_value at[MAX_ZIP];
    bool done = false;
    if (!next_of_all(vm, it, at, &done)) return false;
    if (done) return nkx_give(out, NKX_UNSET);
    uint32_t n = NKX_AS(nkx_tuple, it->a)->n;
    *out = nkx_tuple_of(vm, at, n);
    for (uint32_t i = 0; i < n; i++) nkx_drop(at[i]);
    return true;
}

static bool next_map(nkx_vm *vm, nkx_iter_obj *it, nkx_value *out)
{
    nkx_value at[MAX_ZIP];
    bool done = false;
    if (!next_of_all(vm, it, at, &done)) return false;
    if (done) return nkx_give(out, NKX_UNSET);
    uint32_t n = NKX_AS(nkx_tuple, it->a)->n;
    bool ok = nkx_call_n(vm, it->b, at, n, out);
    for (uint32_t i = 0; i < n; i++) nkx_drop(at[i]);
    return ok;
}

static const nkx_iter_type zip_type = {"zip", next_zip, NULL};
static const nkx_iter_type map_type = {"map", next_map, NULL};

/* A tuple of iterators over each item of a tuple of iterables. */
static bool iterators_of(nkx_vm *vm, const nkx_value *at, uint32_t n, const char *what,
                         nkx_value *out)
{
    if (n > MAX_ZIP)
        return nkx_type_error(vm, "%s() takes at most %d iterables, got %u", what, MAX_ZIP, n);
    *out = nkx_tuple_new(vm, n);
    for (uint32_t i = 0; i < n; i++) {
        if (nkx_iter(vm, at[i], &NKX_AS(nkx_tuple, *out)->at[i])) continue;
        NKX_AS(nkx_tuple, *out)->at[i] = NKX_NONE;
        nkx_drop(*out);
        return false;
    }
    return true;
}

bool nkx_b_zip(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_tuple *args = NKX_AS(nkx_tuple, in[0]);
    nkx_value its;
    bool strict;
    if (!nkx_truth(vm, in[1], &strict) || !iterators_of(vm, args->at, args->n, "zip", &its))
        return false;
    *out = nkx_iter_new(vm, &zip_type, its, NKX_UNSET);
    NKX_AS(nkx_iter_obj, *out)->i = strict;
    nkx_drop(its);
    return true;
}

bool nkx_b_map(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_tuple *args = NKX_AS(nkx_tuple, in[1]);
    nkx_value its;
    if (args->n == 0) return nkx_type_error(vm, "map() must have at least two arguments.");
    if (!iterators_of(vm, args->at, args->n, "map", &its)) return false;
    *out = nkx_iter_new(vm, &map_type, its, in[0]);
    nkx_drop(its);
    return true;
}

static bool next_filter(nkx_vm *vm, nkx_iter_obj *it, nkx_value *out)
{
    for (;;) {
        nkx_value r;
        bool keep = false, ok;
        if (!nkx_next(vm, it->a, out)) return false;
        if (out->type == NKX_V_UNSET) return true;
        if (it->b.type == NKX_V_NONE) {
            ok = nkx_truth(vm, *out, &keep);
        } else {
            ok = nkx_call_n(vm, it->b, out, 1, &r);
            if (ok) {
                ok = nkx_truth(vm, r, &keep);
                nkx_drop(r);
            }
        }
        if (ok && keep) return true;
        nkx_drop(*out);
        *out = NKX_UNSET;
        if (!ok) return false;
    }
}

static const nkx_iter_type filter_type = {"filter", next_filter, NULL};

bool nkx_b_filter(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value it;
    if (!nkx_iter(vm, in[1], &it)) return false;
    *out = nkx_iter_new(vm, &filter_type, it, in[0]);
    nkx_drop(it);
    return true;
}

static bool next_reversed(nkx_vm *vm, nkx_iter_obj *it, nkx_value *out)
{
    if (it->i < 0) return nkx_give(out, NKX_UNSET);
    return nkx_get_item(vm, it->a, nkx_int(it->i--), out);
}

static const nkx_iter_type reversed_type = {"reversed", next_reversed, NULL};

bool nkx_b_reversed(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t n;
    nkx_value seq = nkx_ref(in[0]);
    bool found = false;
    if (!nkx_call_special(vm, in[0], nkx_intern(vm, "__reversed__"), NULL, 0, out, &found)) {
        nkx_drop(seq);
        return false;
    }
    if (found) {
        nkx_drop(seq);
        return true;
    }
    if (in[0].type == NKX_V_DICT || in[0].type == NKX_V_DICTVIEW) {
        nkx_drop(seq);
        if (!nkx_list_of(vm, in[0], &seq)) return false;
    } else if (in[0].type == NKX_V_SET || in[0].type == NKX_V_ITER || !nkx_iterable(in[0])) {
        nkx_drop(seq);
        return nkx_type_error(vm, "'%s' object is not reversible", nkx_type_name(in[0]));
    }
    bool ok = nkx_len(vm, seq, &n);
    if (ok) {
        *out = nkx_iter_new(vm, &reversed_type, seq, NKX_UNSET);
        NKX_AS(nkx_iter_obj, *out)->i = n - 1;
    }
    nkx_drop(seq);
    return ok;
}

static bool next_sentinel(nkx_vm *vm, nkx_iter_obj *it, nkx_value *out)
{
    bool same = false;
    if (it->i != 0) return nkx_give(out, NKX_UNSET);
    if (!nkx_call_n(vm, it->a, NULL, 0, out)) return false;
    if (!nkx_equal(vm, *out, it->b, &same)) return false;
    if (!same) return true;
    it->i = 1;
    nkx_drop(*out);
    return nkx_give(out, NKX_UNSET);
}

static const nkx_iter_type sentinel_type = {"callable_iterator", next_sentinel, NULL};

bool nkx_b_iter(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    if (!nkx_count_check(vm, "iter", a, 1, 2)) return false;
    if (a->n == 1) return nkx_iter(vm, a->at[0], out);
    *out = nkx_iter_new(vm, &sentinel_type, a->at[0], a->at[1]);
    return true;
}

bool nkx_b_next(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    if (!nkx_count_check(vm, "next", a, 1, 2)) return false;
    if (a->at[0].type != NKX_V_ITER && a->at[0].type != NKX_V_INSTANCE)
        return nkx_type_error(vm, "'%s' object is not an iterator", nkx_type_name(a->at[0]));
    if (a->at[0].type == NKX_V_INSTANCE) {
        bool found = false;
        bool ok = nkx_call_special(vm, a->at[0], vm->id.d_next, NULL, 0, out, &found);
        if (ok && !found)
            return nkx_type_error(vm, "'%s' object is not an iterator", nkx_type_name(a->at[0]));
        if (ok || a->n == 1 || !nkx_exception_is(vm, NKX_CLS_StopIteration)) return ok;
        nkx_exception_clear(vm);
        return nkx_give(out, nkx_ref(a->at[1]));
    }
    if (!nkx_next(vm, a->at[0], out)) return false;
    if (out->type != NKX_V_UNSET) return true;
    if (a->n == 2) return nkx_give(out, nkx_ref(a->at[1]));
    *out = NKX_NONE;
    nkx_value stop = nkx_class_value(vm, NKX_CLS_StopIteration);
    nkx_raise_value(vm, stop);
    nkx_drop(stop);
    return false;
}
