/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Displays, subscripts and f-strings. A subscript on a device tensor whose keys are ints and slices
 * goes straight into nkx_index records: no tuple, no slice object. Layer eval.
 */
#include "interp/eval/walk.h"

#include <string.h>

/* ---- displays ---- */

static bool push(nkx_vm *vm, nkx_value v)
{
    if (NKX_UNLIKELY(vm->top == vm->stack_end) && !nkx_stack_room(vm, 1)) {
        nkx_drop(v);
        return false;
    }
    *vm->top++ = v;
    return true;
}

static bool push_spread(nkx_frame *f, const nkx_node *value)
{
    nkx_value v = nkx_eval(f, value), item;
    nkx_cursor c;
    if (v.type == NKX_V_UNSET) return false;
    f->at = value;
    if (!nkx_cursor_begin(f->vm, v, &c)) return false;
    bool ok;
    while ((ok = nkx_cursor_next(f->vm, &c, &item)) && item.type != NKX_V_UNSET) {
        if (!(ok = push(f->vm, item))) break;
    }
    nkx_cursor_end(&c);
    return ok;
}

bool nkx_push_items(nkx_frame *f, const nkx_nodes *elts)
{
    nkx_value *base = f->vm->top;
    for (uint32_t i = 0; i < elts->n; i++) {
        const nkx_node *e = elts->at[i];
        if (e->kind == NKX_STARRED) {
            if (push_spread(f, NKX_NODE(nkx_starred, e)->value)) continue;
        } else {
            nkx_value v = nkx_eval(f, e);
            if (v.type != NKX_V_UNSET && push(f->vm, v)) continue;
        }
        nkx_pop_to(f->vm, base);
        return false;
    }
    return true;
}

static nkx_value set_of(nkx_frame *f, nkx_value *at, uint32_t n)
{
    nkx_value s = nkx_set_new(f->vm);
    for (uint32_t i = 0; i < n; i++) {
        if (nkx_set_add(f->vm, s, at[i])) continue;
        nkx_drop(s);
        return NKX_UNSET;
    }
    return s;
}

nkx_value nkx_eval_sequence(nkx_frame *f, const nkx_seq *n)
{
    nkx_vm *vm = f->vm;
    nkx_value *base = vm->top, v;
    if (!nkx_push_items(f, &n->elts)) return NKX_UNSET;
    uint32_t count = (uint32_t)(vm->top - base);
    if (n->base.kind == NKX_SET) {
        f->at = &n->base;
        v = set_of(f, base, count);
        nkx_pop_to(vm, base);
        return v;
    }
    if (n->base.kind == NKX_TUPLE) {
        v = nkx_tuple_new(vm, count);
        memcpy(NKX_AS(nkx_tuple, v)->at, base, count * sizeof *base);
    } else {
        v = nkx_list_new(vm, count);
        if (count > 0) memcpy(NKX_AS(nkx_list, v)->at, base, count * sizeof *base);
        NKX_AS(nkx_list, v)->n = count;
    }
    vm->top = base; /* the items moved */
    return v;
}

/* `**m` in a display: a dict, or anything with keys(). */
static bool merge(nkx_frame *f, nkx_value d, nkx_value m)
{
    if (m.type == NKX_V_DICT) return nkx_dict_copy_into(f->vm, d, m);
    if (nkx_is_placeholder(m)) return nkx_placeholder_used(f->vm, m);
    return nkx_raise(f->vm, NKX_E210, "TypeError", "'%s' object is not a mapping",
                     nkx_type_name(m));
}

nkx_value nkx_eval_dict(nkx_frame *f, const nkx_dict_node *n)
{
    nkx_value d = nkx_dict_new(f->vm);
    for (uint32_t i = 0; i < n->values.n; i++) {
        nkx_value key = NKX_UNSET, v;
        bool ok = true;
        if (n->keys.at[i] != NULL) {
            key = nkx_eval(f, n->keys.at[i]);
            ok = key.type != NKX_V_UNSET;
        }
        v = ok ? nkx_eval(f, n->values.at[i]) : NKX_UNSET;
        ok = ok && v.type != NKX_V_UNSET;
        f->at = n->keys.at[i] != NULL ? n->keys.at[i] : n->values.at[i];
        if (ok) ok = key.type == NKX_V_UNSET ? merge(f, d, v) : nkx_dict_set(f->vm, d, key, v);
        nkx_drop(key);
        nkx_drop(v);
        if (!ok) {
            nkx_drop(d);
            return NKX_UNSET;
        }
    }
    return d;
}

/* ---- keys ---- */

static nkx_value optional(nkx_frame *f, const nkx_node *n)
{
    return n == NULL ? NKX_NONE : nkx_eval(f, n);
}

static nkx_value eval_slice(nkx_frame *f, const nkx_slice_node *n)
{
    nkx_value a = optional(f, n->lower), b = NKX_UNSET, c = NKX_UNSET, s = NKX_UNSET;
    if (a.type != NKX_V_UNSET) b = optional(f, n->upper);
    if (b.type != NKX_V_UNSET) c = optional(f, n->step);
    if (c.type != NKX_V_UNSET) s = nkx_slice_new(f->vm, a, b, c);
    nkx_drop(a);
    nkx_drop(b);
    nkx_drop(c);
    return s;
}

nkx_value nkx_eval_key(nkx_frame *f, const nkx_node *n)
{
    return n->kind == NKX_SLICE ? eval_slice(f, NKX_NODE(nkx_slice_node, n)) : nkx_eval(f, n);
}

/* ---- subscripts of device tensors ---- */

/* One bound of a slice: false when it is no plain integer (then v is owned by the caller). */
static bool plain_bound(nkx_frame *f, const nkx_node *n, bool *has, int64_t *out, nkx_value *odd)
{
    *has = false;
    if (n == NULL) return true;
    nkx_value v = nkx_eval(f, n);
    if (v.type == NKX_V_INT || v.type == NKX_V_BOOL) {
        *has = true;
        *out = v.u.i;
        return true;
    }
    if (v.type == NKX_V_NONE) return true;
    *odd = v;
    return false;
}

/* The slice object of bounds of which the k-th turned out odd. */
static nkx_value finish_slice(nkx_frame *f, const nkx_slice_node *n, const nkx_index *ix, int k,
                              nkx_value odd)
{
    nkx_value part[3] = {NKX_NONE, NKX_NONE, NKX_NONE}, s = NKX_UNSET;
    if (odd.type == NKX_V_UNSET) return odd;
    if (k > 0 && ix->has_start) part[0] = nkx_int(ix->start);
    if (k > 1 && ix->has_stop) part[1] = nkx_int(ix->stop);
    part[k] = odd;
    const nkx_node *rest[3] = {n->lower, n->upper, n->step};
    bool ok = true;
    for (int i = k + 1; i < 3 && ok; i++) {
        part[i] = optional(f, rest[i]);
        ok = part[i].type != NKX_V_UNSET;
    }
    if (ok) s = nkx_slice_new(f->vm, part[0], part[1], part[2]);
    for (int i = 0; i < 3; i++) nkx_drop(part[i]);
    return s;
}

/*
 * Evaluates one item of a tensor's key into *ix. False: it is of another kind and *odd holds its
 * value (UNSET after an exception).
 */
static bool tensor_item(nkx_frame *f, const nkx_node *n, nkx_index *ix, nkx_value *odd)
{
    *odd = NKX_UNSET;
    if (n->kind == NKX_SLICE) {
        const nkx_slice_node *s = NKX_NODE(nkx_slice_node, n);
        ix->kind = NKX_IX_SLICE;
        ix->start = ix->stop = 0;
        ix->step = 1;
        int k = !plain_bound(f, s->lower, &ix->has_start, &ix->start, odd) ? 0
                : !plain_bound(f, s->upper, &ix->has_stop, &ix->stop, odd) ? 1
                : !plain_bound(f, s->step, &ix->has_step, &ix->step, odd)  ? 2
                                                                           : 3;
        if (k == 3) return true;
        *odd = finish_slice(f, s, ix, k, *odd);
        return false;
    }
    nkx_value v = nkx_eval(f, n);
    *ix = (nkx_index){0};
    if (v.type == NKX_V_INT) {
        ix->kind = NKX_IX_INT;
        ix->start = v.u.i;
    } else if (v.type == NKX_V_ELLIPSIS) {
        ix->kind = NKX_IX_ELLIPSIS;
    } else if (v.type == NKX_V_NONE) {
        ix->kind = NKX_IX_NEWAXIS;
    } else if (v.type == NKX_V_SLICE && nkx_index_of_slice(v, ix)) {
        nkx_drop(v);
    } else {
        *odd = v;
        return false;
    }
    return true;
}

/* nl.ds(a, n) and slice(a, b) as values. */
bool nkx_index_of_slice(nkx_value v, nkx_index *ix)
{
    const nkx_slice_obj *s = NKX_AS(nkx_slice_obj, v);
    const nkx_value *part = &s->start;
    int64_t at[3] = {0, 0, 1};
    bool has[3];
    for (int i = 0; i < 3; i++) {
        has[i] = part[i].type != NKX_V_NONE && part[i].type != NKX_V_UNSET;
        if (has[i] && !nkx_is_int(part[i], &at[i])) return false;
    }
    *ix = (nkx_index){.kind = s->is_ds ? NKX_IX_DS : NKX_IX_SLICE,
                      .has_start = has[0],
                      .has_stop = has[1],
                      .has_step = has[2],
                      .start = at[0],
                      .stop = at[1],
                      .step = at[2]};
    return true;
}

static nkx_value value_of_index(nkx_vm *vm, const nkx_index *ix)
{
    nkx_value none = NKX_NONE;
    switch ((nkx_index_kind)ix->kind) {
    case NKX_IX_INT: return nkx_int(ix->start);
    case NKX_IX_ELLIPSIS: return (nkx_value){.type = NKX_V_ELLIPSIS};
    case NKX_IX_NEWAXIS: return none;
    case NKX_IX_SLICE:
    case NKX_IX_DS: break;
    }
    nkx_value s = nkx_slice_new(vm, ix->has_start ? nkx_int(ix->start) : none,
                                ix->has_stop ? nkx_int(ix->stop) : none,
                                ix->has_step ? nkx_int(ix->step) : none);
    NKX_AS(nkx_slice_obj, s)->is_ds = ix->kind == NKX_IX_DS;
    return s;
}

/* Item k of the key is no int and no slice: the rest is evaluated the ordinary way. */
static nkx_value odd_key(nkx_frame *f, const nkx_node *const *at, uint32_t n, const nkx_index *ix,
                         uint32_t k, nkx_value odd, bool is_tuple)
{
    if (odd.type == NKX_V_UNSET || !is_tuple) return odd;
    nkx_value t = nkx_tuple_new(f->vm, n);
    nkx_value *to = NKX_AS(nkx_tuple, t)->at;
    for (uint32_t i = 0; i < k; i++) to[i] = value_of_index(f->vm, &ix[i]);
    to[k] = odd;
    for (uint32_t i = k + 1; i < n; i++) {
        nkx_value v = nkx_eval_key(f, at[i]);
        if (v.type == NKX_V_UNSET) {
            nkx_drop(t);
            return v;
        }
        to[i] = v;
    }
    return t;
}

enum { MAX_KEYS = 2 * NKX_MAX_RANK + 2 };

static nkx_value tensor_subscript(nkx_frame *f, const nkx_subscript *n, nkx_value t)
{
    nkx_index ix[MAX_KEYS];
    const nkx_node *one = n->slice;
    const nkx_node *const *at = &one;
    uint32_t count = 1;
    bool is_tuple = one->kind == NKX_TUPLE;
    nkx_value out = NKX_UNSET, key = NKX_UNSET;
    if (is_tuple) {
        const nkx_seq *s = NKX_NODE(nkx_seq, one);
        at = (const nkx_node *const *)s->elts.at;
        count = s->elts.n;
    }
    bool plain = count <= MAX_KEYS;
    for (uint32_t i = 0; i < count && plain; i++) {
        nkx_value odd;
        if (at[i]->kind == NKX_STARRED) {
            plain = false;
        } else if (!tensor_item(f, at[i], &ix[i], &odd)) {
            key = odd_key(f, at, count, ix, i, odd, is_tuple);
            if (key.type == NKX_V_UNSET) return key;
            plain = false;
        }
    }
    f->at = &n->base;
    if (plain) {
        nkx_view *view;
        if (nkx_view_index(NKX_AS(nkx_tensor_obj, t)->view, ix, (int)count, n->base.span, &view)) {
            return nkx_tensor_take(f->vm, view);
        }
        nkx_raise_diagnosed(f->vm);
        return NKX_UNSET;
    }
    if (key.type == NKX_V_UNSET) key = nkx_eval_key(f, n->slice);
    if (key.type == NKX_V_UNSET) return key;
    f->at = &n->base;
    bool ok = nkx_tensor_index(f->vm, t, key, &out);
    nkx_drop(key);
    return ok ? out : NKX_UNSET;
}

nkx_value nkx_eval_subscript(nkx_frame *f, const nkx_subscript *n)
{
    nkx_value v = nkx_eval(f, n->value), out = NKX_UNSET;
    if (v.type == NKX_V_UNSET) return v;
    if (v.type == NKX_V_TENSOR) {
        out = tensor_subscript(f, n, v);
        nkx_drop(v);
        return out;
    }
    nkx_value key = nkx_eval_key(f, n->slice);
    if (key.type == NKX_V_INT && (v.type == NKX_V_LIST || v.type == NKX_V_TUPLE)) {
        bool list = v.type == NKX_V_LIST;
        const nkx_value *at = list ? NKX_AS(nkx_list, v)->at : NKX_AS(nkx_tuple, v)->at;
        int64_t len = list ? NKX_AS(nkx_list, v)->n : NKX_AS(nkx_tuple, v)->n;
        int64_t i = key.u.i < 0 ? key.u.i + len : key.u.i;
        if (i >= 0 && i < len) {
            out = nkx_ref(at[i]);
            nkx_drop(v);
            return out;
        }
    }
    bool ok = key.type != NKX_V_UNSET;
    f->at = &n->base;
    ok = ok && nkx_get_item(f->vm, v, key, &out);
    nkx_drop(v);
    nkx_drop(key);
    return ok ? out : NKX_UNSET;
}

/* ---- f-strings ---- */

static bool convert(nkx_frame *f, int conversion, nkx_value *v)
{
    if (conversion < 0) return true;
    nkx_buf b = {0};
    bool ok = conversion == 's' ? nkx_str_of(f->vm, *v, &b) : nkx_repr(f->vm, *v, &b);
    nkx_drop(*v);
    *v = NKX_UNSET;
    if (!ok) {
        nkx_buf_fini(&b);
        return false;
    }
    if (conversion == 'a') {
        nkx_buf a = {0};
        nkx_ascii(b.at, b.len, &a);
        nkx_buf_fini(&b);
        b = a;
    }
    *v = nkx_str_take(f->vm, &b);
    return true;
}

static bool instance_format(nkx_frame *f, nkx_value v, nkx_value spec, nkx_buf *out, bool *found)
{
    nkx_value r, text = spec.type == NKX_V_UNSET ? nkx_cstr(f->vm, "") : nkx_ref(spec);
    bool ok = nkx_call_special(f->vm, v, f->vm->id.d_format, &text, 1, &r, found);
    nkx_drop(text);
    if (ok && *found) {
        ok = nkx_str_of(f->vm, r, out);
        nkx_drop(r);
    }
    return ok;
}

static bool format_field(nkx_frame *f, const nkx_formatted *n, nkx_buf *out)
{
    nkx_value v = nkx_eval(f, n->value), spec = NKX_UNSET;
    bool ok = v.type != NKX_V_UNSET, done = false;
    if (ok && n->spec != NULL) {
        spec = nkx_eval(f, n->spec);
        ok = spec.type != NKX_V_UNSET;
    }
    f->at = n->value;
    ok = ok && convert(f, n->conversion, &v);
    if (ok && v.type == NKX_V_INSTANCE) ok = instance_format(f, v, spec, out, &done);
    if (ok && !done) {
        if (spec.type == NKX_V_UNSET && v.type != NKX_V_ARRAY) {
            ok = nkx_str_of(f->vm, v, out);
        } else { /* NumPy scalars have a format of their own, even without a spec */
            bool none = spec.type == NKX_V_UNSET;
            ok = nkx_format_value(f->vm, v, none ? "" : nkx_text(spec),
                                  none ? 0 : nkx_text_len(spec), out);
        }
    }
    nkx_drop(v);
    nkx_drop(spec);
    return ok;
}

nkx_value nkx_eval_formatted(nkx_frame *f, const nkx_formatted *n)
{
    nkx_buf b = {0};
    if (format_field(f, n, &b)) return nkx_str_take(f->vm, &b);
    nkx_buf_fini(&b);
    return NKX_UNSET;
}

nkx_value nkx_eval_joined(nkx_frame *f, const nkx_joined *n)
{
    nkx_buf b = {0};
    bool ok = true;
    for (uint32_t i = 0; i < n->values.n && ok; i++) {
        const nkx_node *v = n->values.at[i];
        if (v->kind == NKX_CONSTANT) {
            nkx_buf_add(&b, NKX_NODE(nkx_constant, v)->text, NKX_NODE(nkx_constant, v)->len);
        } else {
            ok = format_field(f, NKX_NODE(nkx_formatted, v), &b);
        }
    }
    if (ok) return nkx_str_take(f->vm, &b);
    nkx_buf_fini(&b);
    return NKX_UNSET;
}
