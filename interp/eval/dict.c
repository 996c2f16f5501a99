/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dicts and sets: entries in order of insertion, and an open-addressed index of their positions.
 * Deleted entries keep their place, without a key, until the next growth. Layer eval.
 */
#include "interp/eval/objects.h"

#include <stdlib.h>
#include <string.h>

enum { FREE = -1, GONE = -2, FIRST_INDEX = 8 };

nkx_value nkx_dict_new(nkx_vm *vm)
{
    return nkx_of(nkx_obj_new(vm, NKX_V_DICT, sizeof(nkx_dict)));
}

nkx_value nkx_set_new(nkx_vm *vm)
{
    return nkx_of(nkx_obj_new(vm, NKX_V_SET, sizeof(nkx_dict)));
}

static bool same_quickly(nkx_value a, nkx_value b)
{
    if (a.type != b.type) return false;
    if (a.type == NKX_V_FLOAT) return false; /* nan is not itself; others go the long way */
    return a.u.i == b.u.i;
}

/* Compares keys; user classes may raise. */
static bool same_key(nkx_vm *vm, nkx_value a, nkx_value b, bool *same)
{
    if (same_quickly(a, b)) {
        *same = true;
        return true;
    }
    if (a.type == NKX_V_STR && b.type == NKX_V_STR) {
        const nkx_str *x = NKX_AS(nkx_str, a), *y = NKX_AS(nkx_str, b);
        *same = x->len == y->len && memcmp(x->text, y->text, x->len) == 0;
        return true;
    }
    return nkx_equal(vm, a, b, same);
}

/* Finds the position of a key among the entries, or -1; *slot is its place in the index, or the
 * free one. */
static bool find(nkx_vm *vm, const nkx_dict *d, nkx_value key, uint64_t hash, int32_t *pos,
                 uint32_t *slot)
{
    *pos = -1;
    *slot = 0;
    if (d->n_index == 0) return true;
    uint32_t mask = d->n_index - 1, i = (uint32_t)(hash ^ (hash >> 32)) & mask, gone = UINT32_MAX;
    for (;; i = (i + 1) & mask) {
        int32_t at = d->index[i];
        if (at == FREE) break;
        if (at == GONE) {
            if (gone == UINT32_MAX) gone = i;
            continue;
        }
        if (d->at[at].hash != hash) continue;
        bool same;
        if (!same_key(vm, d->at[at].key, key, &same)) return false;
        if (same) {
            *pos = at;
            *slot = i;
            return true;
        }
    }
    *slot = gone != UINT32_MAX ? gone : i;
    return true;
}

/* Room for one more entry; squeezes out deleted ones. */
static void grow(nkx_vm *vm, nkx_dict *d)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < d->used; i++) {
        if (d->at[i].key.type != NKX_V_UNSET) d->at[used++] = d->at[i];
    }
    d->used = used;
    uint32_t cap = d->cap;
    if (used + used / 4 + 1 > cap) cap = cap * 2 + 4;
    if (cap != d->cap) {
        vm->bytes += (cap - d->cap) * sizeof *d->at;
        d->at = nkx_realloc(d->at, cap * sizeof *d->at);
        d->cap = cap;
    }
    uint32_t n_index = FIRST_INDEX;
    while (n_index < d->cap * 2) n_index *= 2;
    if (n_index != d->n_index) {
        d->index = nkx_realloc(d->index, n_index * sizeof *d->index);
        d->n_index = n_index;
    }
    memset(d->index, 0xff, n_index * sizeof *d->index);
    for (uint32_t i = 0; i < used; i++) {
        uint64_t hash = d->at[i].hash;
        uint32_t slot = (uint32_t)(hash ^ (hash >> 32)) & (n_index - 1);
        while (d->index[slot] != FREE) slot = (slot + 1) & (n_index - 1);
        d->index[slot] = (int32_t)i;
    }
}

bool nkx_dict_get(nkx_vm *vm, nkx_value dv, nkx_value key, nkx_value *out)
{
    const nkx_dict *d = NKX_AS(nkx_dict, dv);
    uint64_t hash;
    int32_t pos;
    uint32_t slot;
    *out = NKX_UNSET;
    if (!nkx_hash(vm, key, &hash) || !find(vm, d, key, hash, &pos, &slot)) return false;
    if (pos >= 0) *out = dv.type == NKX_V_SET ? d->at[pos].key : d->at[pos].value;
    return true;
}

static bool put(nkx_vm *vm, nkx_dict *d, nkx_value key, nkx_value x)
{
    uint64_t hash;
    int32_t pos;
    uint32_t slot;
    if (!nkx_hash(vm, key, &hash) || !find(vm, d, key, hash, &pos, &slot)) return false;
    if (pos >= 0) {
        nkx_value old = d->at[pos].value;
        d->at[pos].value = nkx_ref(x);
        nkx_drop(old);
        return true;
    }
    if (d->used == d->cap) {
        if (!nkx_reserve(vm, d->cap * sizeof *d->at)) return false;
        grow(vm, d);
        if (!find(vm, d, key, hash, &pos, &slot)) return false;
    }
    d->index[slot] = (int32_t)d->used;
    d->at[d->used++] = (nkx_dict_entry){nkx_ref(key), nkx_ref(x), hash};
    d->n++;
    return true;
}

/* __dict__ is made when it is asked for; what is put there later goes to its object too. */
static void tell_owner(nkx_vm *vm, const nkx_dict *d, nkx_value key, nkx_value x)
{
    if (key.type != NKX_V_STR) return;
    const nkx_name *name = nkx_name_of(vm, key);
    if (d->owner->type == NKX_V_MODULE) {
        nkx_module_set_name((nkx_module_obj *)(void *)d->owner, name, x);
    } else if (d->owner->type == NKX_V_INSTANCE) {
        nkx_attrs_set(&((nkx_instance *)(void *)d->owner)->attrs, name, x);
    }
}

bool nkx_dict_set(nkx_vm *vm, nkx_value d, nkx_value key, nkx_value x)
{
    if (!put(vm, NKX_AS(nkx_dict, d), key, x)) return false;
    if (NKX_UNLIKELY(NKX_AS(nkx_dict, d)->owner != NULL))
        tell_owner(vm, NKX_AS(nkx_dict, d), key, x);
    return true;
}

bool nkx_set_add(nkx_vm *vm, nkx_value set, nkx_value x)
{
    return put(vm, NKX_AS(nkx_dict, set), x, NKX_UNSET);
}

bool nkx_dict_del(nkx_vm *vm, nkx_value dv, nkx_value key, nkx_value *taken)
{
    nkx_dict *d = NKX_AS(nkx_dict, dv);
    uint64_t hash;
    int32_t pos;
    uint32_t slot;
    *taken = NKX_UNSET;
    if (!nkx_hash(vm, key, &hash) || !find(vm, d, key, hash, &pos, &slot)) return false;
    if (pos < 0) return true;
    if (NKX_UNLIKELY(d->owner != NULL)) tell_owner(vm, d, key, NKX_UNSET);
    nkx_value old = d->at[pos].key;
    *taken = dv.type == NKX_V_SET ? nkx_ref(old) : d->at[pos].value;
    d->at[pos].key = d->at[pos].value = NKX_UNSET;
    d->index[slot] = GONE;
    d->n--;
    while (d->used > 0 && d->at[d->used - 1].key.type == NKX_V_UNSET) d->used--;
    nkx_drop(old);
    return true;
}

void nkx_dict_clear(nkx_value dv)
{
    nkx_dict *d = NKX_AS(nkx_dict, dv);
    for (uint32_t i = 0; i < d->used; i++) {
        nkx_dict_entry e = d->at[i];
        d->at[i].key = d->at[i].value = NKX_UNSET;
        nkx_drop(e.key);
        nkx_drop(e.value);
    }
    d->n = d->used = 0;
    if (d->index != NULL) memset(d->index, 0xff, d->n_index * sizeof *d->index);
}

bool nkx_dict_next(nkx_value dv, uint32_t *i, nkx_value *key, nkx_value *value)
{
    const nkx_dict *d = NKX_AS(nkx_dict, dv);
    while (*i < d->used) {
        const nkx_dict_entry *e = &d->at[(*i)++];
        if (e->key.type == NKX_V_UNSET) continue;
        *key = e->key;
        if (value != NULL) *value = e->value;
        return true;
    }
    return false;
}

bool nkx_dict_copy_into(nkx_vm *vm, nkx_value dst, nkx_value src)
{
    nkx_value key, value;
    for (uint32_t i = 0; nkx_dict_next(src, &i, &key, &value);) {
        if (!put(vm, NKX_AS(nkx_dict, dst), key, value)) return false;
        if (NKX_UNLIKELY(NKX_AS(nkx_dict, dst)->owner != NULL))
            tell_owner(vm, NKX_AS(nkx_dict, dst), key, value);
    }
    return true;
}

void nkx_dict_put_name(nkx_vm *vm, nkx_value d, const nkx_name *name, nkx_value x)
{
    nkx_value key = nkx_str_of_name(vm, name);
    if (!put(vm, NKX_AS(nkx_dict, d), key, x))
        nkx_exception_clear(vm); /* the memory limit: seen again soon */
    nkx_drop(key);
}
