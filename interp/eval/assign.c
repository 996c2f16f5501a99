/* SPDX-License-Identifier: Apache-2.0 */
/* Targets: assignment, augmented assignment, deletion, unpacking. Layer eval. */
#include "interp/eval/classes.h"

#include <stdlib.h>

static void put(nkx_value *to, nkx_value v)
{
    nkx_value old = *to;
    *to = nkx_ref(v);
    nkx_drop(old);
}

bool nkx_assign_name(nkx_frame *f, uint8_t scope, uint32_t slot, const nkx_name *name, nkx_value v)
{
    switch ((nkx_scope)scope) {
    case NKX_SCOPE_LOCAL: put(&f->slots[slot], v); return true;
    case NKX_SCOPE_CELL: put(&NKX_AS(nkx_cell, f->slots[slot])->v, v); return true;
    case NKX_SCOPE_FREE: put(&NKX_AS(nkx_cell, f->cells[slot])->v, v); return true;
    case NKX_SCOPE_GLOBAL: put(&f->module->globals.values[slot], v); return true;
    case NKX_SCOPE_CLASS:
    case NKX_SCOPE_UNRESOLVED:
        nkx_attrs_set(f->ns, name, v);
        if (f->build != NULL && nkx_is_field_value(name, v)) nkx_build_plain_field(f, name, v);
        return true;
    }
    return true;
}

/* ---- unpacking ---- */

static bool wrong_count(nkx_vm *vm, size_t want, bool star, size_t got, bool more)
{
    if (more) {
        return nkx_raise(vm, NKX_E218, "ValueError", "too many values to unpack (expected %zu)",
                         want);
    }
    return nkx_raise(vm, NKX_E218, "ValueError",
                     "not enough values to unpack (expected %s%zu, got %zu)",
                     star ? "at least " : "", want, got);
}

static bool assign_items(nkx_frame *f, const nkx_nodes *t, const nkx_value *at, uint32_t n)
{
    uint32_t star = t->n;
    for (uint32_t i = 0; i < t->n; i++) {
        if (t->at[i]->kind == NKX_STARRED) star = i;
    }
    if (star == t->n) {
        if (n != t->n) return wrong_count(f->vm, t->n, false, n, n > t->n);
        for (uint32_t i = 0; i < n; i++) {
            if (!nkx_assign_to(f, t->at[i], at[i])) return false;
        }
        return true;
    }
    if (n + 1 < t->n) return wrong_count(f->vm, t->n - 1, true, n, false);
    uint32_t behind = t->n - 1 - star, middle = n - star - behind;
    for (uint32_t i = 0; i < star; i++) {
        if (!nkx_assign_to(f, t->at[i], at[i])) return false;
    }
    nkx_value l = nkx_list_new(f->vm, middle);
    for (uint32_t i = 0; i < middle; i++) nkx_list_append(l, at[star + i]);
    bool ok = nkx_assign_to(f, NKX_NODE(nkx_starred, t->at[star])->value, l);
    nkx_drop(l);
    for (uint32_t i = 0; ok && i < behind; i++) {
        ok = nkx_assign_to(f, t->at[star + 1 + i], at[star + middle + i]);
    }
    return ok;
}

/* Any iterable: its items go through the stack, one more than asked for at most. */
static bool unpack(nkx_frame *f, const nkx_nodes *t, nkx_value v)
{
    nkx_vm *vm = f->vm;
    nkx_value *base = vm->top, item;
    bool star = false;
    for (uint32_t i = 0; i < t->n; i++) star |= t->at[i]->kind == NKX_STARRED;
    nkx_cursor c;
    if (!nkx_iterable(v)) {
        return nkx_raise(vm, NKX_E217, "TypeError", "cannot unpack non-iterable %s object",
                         nkx_type_name(v));
    }
    if (!nkx_cursor_begin(vm, nkx_ref(v), &c)) return false;
    bool ok;
    while ((ok = nkx_cursor_next(vm, &c, &item)) && item.type != NKX_V_UNSET) {
        if (!(ok = nkx_stack_room(vm, 1))) {
            nkx_drop(item);
            break;
        }
        *vm->top++ = item;
        if (!star && vm->top - base > (ptrdiff_t)t->n) break;
    }
    nkx_cursor_end(&c);
    ok = ok && assign_items(f, t, base, (uint32_t)(vm->top - base));
    nkx_pop_to(vm, base);
    return ok;
}

/* ---- targets ---- */

static bool assign_attribute(nkx_frame *f, const nkx_attribute *n, nkx_value v)
{
    nkx_value obj = nkx_eval(f, n->value);
    if (obj.type == NKX_V_UNSET) return false;
    f->at = &n->base;
    bool ok = nkx_set_attr(f->vm, obj, n->attr, v);
    nkx_drop(obj);
    return ok;
}

static bool assign_subscript(nkx_frame *f, const nkx_subscript *n, nkx_value v)
{
    nkx_value obj = nkx_eval(f, n->value);
    if (obj.type == NKX_V_UNSET) return false;
    nkx_value key = nkx_eval_key(f, n->slice);
    bool ok = key.type != NKX_V_UNSET;
    f->at = &n->base;
    ok = ok && nkx_set_item(f->vm, obj, key, v);
    nkx_drop(obj);
    nkx_drop(key);
    return ok;
}

bool nkx_assign_to(nkx_frame *f, const nkx_node *t, nkx_value v)
{
    if (t->kind == NKX_NAME) {
        const nkx_name_node *n = NKX_NODE(nkx_name_node, t);
        if (n->scope == NKX_SCOPE_LOCAL) {
            put(&f->slots[n->slot], v);
            return true;
        }
        return nkx_assign_name(f, n->scope, n->slot, n->id, v);
    }
    if (t->kind == NKX_ATTRIBUTE) return assign_attribute(f, NKX_NODE(nkx_attribute, t), v);
    if (t->kind == NKX_SUBSCRIPT) return assign_subscript(f, NKX_NODE(nkx_subscript, t), v);
    if (t->kind == NKX_STARRED) return nkx_assign_to(f, NKX_NODE(nkx_starred, t)->value, v);
    const nkx_nodes *elts = &NKX_NODE(nkx_seq, t)->elts;
    f->at = t;
    if (v.type == NKX_V_TUPLE) {
        nkx_ref(v);
        bool ok = assign_items(f, elts, NKX_AS(nkx_tuple, v)->at, NKX_AS(nkx_tuple, v)->n);
        nkx_drop(v);
        return ok;
    }
    return unpack(f, elts, v);
}

/* ---- a op= b ---- */

static nkx_value apply(nkx_frame *f, const nkx_aug_assign *s, nkx_value old)
{
    nkx_value b = nkx_eval(f, s->value), out = NKX_UNSET;
    if (b.type == NKX_V_UNSET) return b;
    int64_t r;
    if (old.type == NKX_V_INT && b.type == NKX_V_INT) {
        if (s->op == NKX_OP_ADD && !__builtin_add_overflow(old.u.i, b.u.i, &r)) return nkx_int(r);
        if (s->op == NKX_OP_SUB && !__builtin_sub_overflow(old.u.i, b.u.i, &r)) return nkx_int(r);
    }
    f->at = &s->base;
    bool ok = nkx_binary_inplace(f->vm, s->op, old, b, &out);
    nkx_drop(b);
    return ok ? out : NKX_UNSET;
}

static bool aug_name(nkx_frame *f, const nkx_aug_assign *s)
{
    const nkx_name_node *n = NKX_NODE(nkx_name_node, s->target);
    nkx_value old = nkx_eval(f, s->target);
    if (old.type == NKX_V_UNSET) return false;
    nkx_value v = apply(f, s, old);
    nkx_drop(old);
    if (v.type == NKX_V_UNSET) return false;
    bool ok = nkx_assign_name(f, n->scope, n->slot, n->id, v);
    nkx_drop(v);
    return ok;
}

static bool aug_attribute(nkx_frame *f, const nkx_aug_assign *s)
{
    const nkx_attribute *n = NKX_NODE(nkx_attribute, s->target);
    nkx_value obj = nkx_eval(f, n->value), old, v = NKX_UNSET;
    if (obj.type == NKX_V_UNSET) return false;
    f->at = s->target;
    bool ok = nkx_get_attr(f->vm, obj, n->attr, &old);
    if (ok) {
        v = apply(f, s, old);
        nkx_drop(old);
        f->at = s->target;
        ok = v.type != NKX_V_UNSET && nkx_set_attr(f->vm, obj, n->attr, v);
        nkx_drop(v);
    }
    nkx_drop(obj);
    return ok;
}

static bool aug_subscript(nkx_frame *f, const nkx_aug_assign *s)
{
    const nkx_subscript *n = NKX_NODE(nkx_subscript, s->target);
    nkx_value obj = nkx_eval(f, n->value), key, old, v = NKX_UNSET;
    if (obj.type == NKX_V_UNSET) return false;
    key = nkx_eval_key(f, n->slice);
    f->at = s->target;
    bool ok = key.type != NKX_V_UNSET && nkx_get_item(f->vm, obj, key, &old);
    if (ok) {
        v = apply(f, s, old);
        nkx_drop(old);
        f->at = s->target;
        ok = v.type != NKX_V_UNSET && nkx_set_item(f->vm, obj, key, v);
        nkx_drop(v);
    }
    nkx_drop(obj);
    nkx_drop(key);
    return ok;
}

bool nkx_assign_aug(nkx_frame *f, const nkx_aug_assign *s)
{
    if (s->target->kind == NKX_NAME) return aug_name(f, s);
    if (s->target->kind == NKX_ATTRIBUTE) return aug_attribute(f, s);
    return aug_subscript(f, s);
}

/* ---- del ---- */

static bool delete_value(nkx_frame *f, nkx_value *at, const nkx_name *name)
{
    nkx_value old = *at;
    if (old.type == NKX_V_UNSET) {
        return nkx_raise(f->vm, NKX_E201, "NameError", "name '%s' is not defined", name->text);
    }
    *at = NKX_UNSET;
    nkx_drop(old);
    return true;
}

static bool delete_name(nkx_frame *f, const nkx_name_node *n)
{
    switch ((nkx_scope)n->scope) {
    case NKX_SCOPE_LOCAL: return delete_value(f, &f->slots[n->slot], n->id);
    case NKX_SCOPE_CELL: return delete_value(f, &NKX_AS(nkx_cell, f->slots[n->slot])->v, n->id);
    case NKX_SCOPE_FREE: return delete_value(f, &NKX_AS(nkx_cell, f->cells[n->slot])->v, n->id);
    case NKX_SCOPE_GLOBAL: return delete_value(f, &f->module->globals.values[n->slot], n->id);
    case NKX_SCOPE_CLASS:
    case NKX_SCOPE_UNRESOLVED: break;
    }
    return delete_value(f, &f->ns->values[nkx_attrs_slot(f->ns, n->id)], n->id);
}

bool nkx_delete_target(nkx_frame *f, const nkx_node *t)
{
    f->at = t;
    if (t->kind == NKX_NAME) return delete_name(f, NKX_NODE(nkx_name_node, t));
    if (t->kind == NKX_TUPLE || t->kind == NKX_LIST) {
        const nkx_nodes *elts = &NKX_NODE(nkx_seq, t)->elts;
        for (uint32_t i = 0; i < elts->n; i++) {
            if (!nkx_delete_target(f, elts->at[i])) return false;
        }
        return true;
    }
    nkx_value obj, key;
    bool ok;
    if (t->kind == NKX_ATTRIBUTE) {
        obj = nkx_eval(f, NKX_NODE(nkx_attribute, t)->value);
        f->at = t;
        ok = obj.type != NKX_V_UNSET && nkx_del_attr(f->vm, obj, NKX_NODE(nkx_attribute, t)->attr);
    } else {
        obj = nkx_eval(f, NKX_NODE(nkx_subscript, t)->value);
        if (obj.type == NKX_V_UNSET) return false;
        key = nkx_eval_key(f, NKX_NODE(nkx_subscript, t)->slice);
        f->at = t;
        ok = key.type != NKX_V_UNSET && nkx_del_item(f->vm, obj, key);
        nkx_drop(key);
    }
    nkx_drop(obj);
    return ok;
}
