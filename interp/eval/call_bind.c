/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments to parameters of functions written in the language. Layer eval. */
#include "interp/eval/walk.h"

#include <stdlib.h>
#include <string.h>

/* Wrong arguments: says where the function is defined. Always false. */
static bool defined_here(nkx_vm *vm, const nkx_function *fn)
{
    bool is_def = fn->node->kind == NKX_FUNCTION_DEF;
    if (fn->unit->is_stdlib || !nkx_exception_about_arguments(vm)) return false;
    nkx_raise_note(vm, is_def ? NKX_NODE(nkx_function_def, fn->node)->name_span : fn->node->span,
                   "'%s' is defined here", fn->qualname);
    return false;
}

static uint32_t n_params(const nkx_params *p)
{
    return p->n_pos + p->n_kwonly;
}

static nkx_value dflt(const nkx_function *fn, uint32_t i)
{
    return fn->defaults == NULL ? NKX_UNSET : fn->defaults[i];
}

static bool too_many(nkx_vm *vm, const nkx_function *fn, uint32_t given)
{
    const nkx_params *ps = fn->params;
    uint32_t least = 0;
    for (uint32_t i = 0; i < ps->n_pos; i++) least += dflt(fn, i).type == NKX_V_UNSET;
    if (least == ps->n_pos) {
        return nkx_raise(vm, NKX_E206, "TypeError",
                         "%s() takes %u positional argument%s but %u %s given", fn->qualname,
                         ps->n_pos, ps->n_pos == 1 ? "" : "s", given, given == 1 ? "was" : "were");
    }
    return nkx_raise(vm, NKX_E206, "TypeError",
                     "%s() takes from %u to %u positional arguments but %u were given",
                     fn->qualname, least, ps->n_pos, given);
}

static bool unknown_keyword(nkx_vm *vm, const nkx_function *fn, const nkx_name *kw)
{
    const nkx_params *ps = fn->params;
    uint32_t n = n_params(ps);
    for (uint32_t i = 0; i < ps->n_posonly; i++) {
        if (ps->at[i].name != kw) continue;
        return nkx_raise(
            vm, NKX_E205, "TypeError",
            "%s() got some positional-only arguments passed as keyword arguments: '%s'",
            fn->qualname, kw->text);
    }
    const char **names = nkx_alloc((n + 1) * sizeof *names);
    for (uint32_t i = 0; i < n; i++) names[i] = ps->at[i].name->text;
    nkx_raise(vm, NKX_E205, "TypeError", "%s() got an unexpected keyword argument '%s'",
              fn->qualname, kw->text);
    const char *near = nkx_nearest(kw->text, names, n);
    if (near != NULL) nkx_raise_hint(vm, "Did you mean '%s'?", near);
    free((void *)names);
    return false;
}

static int find_param(const nkx_params *ps, const nkx_name *kw)
{
    for (uint32_t i = ps->n_posonly; i < n_params(ps); i++) {
        if (ps->at[i].name == kw) return (int)i;
    }
    return -1;
}

static bool put_keyword(nkx_vm *vm, const nkx_function *fn, nkx_value *slots, const nkx_name *kw,
                        nkx_value *v)
{
    int i = find_param(fn->params, kw);
    if (i >= 0) {
        if (slots[i].type != NKX_V_UNSET) {
            return nkx_raise(vm, NKX_E207, "TypeError",
                             "%s() got multiple values for argument '%s'", fn->qualname, kw->text);
        }
        slots[i] = *v;
        *v = NKX_UNSET;
        return true;
    }
    if (fn->params->kwarg == NULL) return unknown_keyword(vm, fn, kw);
    nkx_value key = nkx_str_of_name(vm, kw);
    bool ok = nkx_dict_set(vm, slots[fn->params->kwarg->slot], key, *v);
    nkx_drop(key);
    return ok;
}

/* All names that are missing, in Python's words. */
static bool missing(nkx_vm *vm, const nkx_function *fn, const nkx_value *slots, uint32_t from,
                    uint32_t to, const char *kind)
{
    nkx_buf b = {0};
    uint32_t n = 0, seen = 0;
    for (uint32_t i = from; i < to; i++) n += slots[i].type == NKX_V_UNSET;
    for (uint32_t i = from; i < to; i++) {
        if (slots[i].type != NKX_V_UNSET) continue;
        seen++;
        if (seen > 1) nkx_buf_str(&b, n == 2 ? " and " : seen == n ? ", and " : ", ");
        nkx_buf_printf(&b, "'%s'", fn->params->at[i].name->text);
    }
    nkx_raise(vm, NKX_E204, "TypeError", "%s() missing %u required %s argument%s: %s", fn->qualname,
              n, kind, n == 1 ? "" : "s", b.at);
    nkx_buf_fini(&b);
    return false;
}

static bool fill_defaults(nkx_vm *vm, const nkx_function *fn, nkx_value *slots)
{
    const nkx_params *ps = fn->params;
    bool lacks_pos = false, lacks_kw = false;
    for (uint32_t i = 0; i < n_params(ps); i++) {
        if (slots[i].type != NKX_V_UNSET) continue;
        slots[i] = nkx_ref(dflt(fn, i));
        if (slots[i].type == NKX_V_UNSET) *(i < ps->n_pos ? &lacks_pos : &lacks_kw) = true;
    }
    if (lacks_pos) return missing(vm, fn, slots, 0, ps->n_pos, "positional");
    if (lacks_kw) return missing(vm, fn, slots, ps->n_pos, n_params(ps), "keyword-only");
    return true;
}

/* Which parameter each keyword of this site goes to: worked out once a callee. */
static const uint16_t *site_map(nkx_site *site, const nkx_params *ps, const nkx_pass *p)
{
    if (site == NULL || site->n_kw != p->n_kw) return NULL;
    if (site->callee == ps && site->n_bound == p->n) return site->map;
    if (site->map == NULL) site->map = nkx_alloc(p->n_kw * sizeof *site->map);
    site->callee = NULL;
    for (uint32_t i = 0; i < p->n_kw; i++) {
        int k = find_param(ps, p->kw[i]);
        if (k < 0 || (uint32_t)k < p->n) return NULL;
        for (uint32_t j = 0; j < i; j++) {
            if (site->map[j] == k) return NULL;
        }
        site->map[i] = (uint16_t)k;
    }
    site->callee = ps;
    site->n_bound = p->n;
    return site->map;
}

static bool bind_quickly(nkx_vm *vm, const nkx_function *fn, nkx_pass *p, const uint16_t *map)
{
    uint32_t n_slots = fn->info->n_slots;
    nkx_value *slots = p->base, *held = slots + n_slots;
    if (p->n_kw > 0) memmove(held, slots + p->n, p->n_kw * sizeof *slots);
    for (uint32_t i = p->n; i < n_slots; i++) slots[i] = NKX_UNSET;
    for (uint32_t i = 0; i < p->n_kw; i++) slots[map[i]] = held[i];
    vm->top = slots + n_slots;
    if (fill_defaults(vm, fn, slots)) return true;
    nkx_pop_to(vm, p->base);
    return false;
}

/* Slots are filled above the passed values, then moved down onto them. */
static bool bind_slowly(nkx_vm *vm, const nkx_function *fn, nkx_pass *p)
{
    const nkx_params *ps = fn->params;
    uint32_t n_slots = fn->info->n_slots, extra = 0;
    nkx_value *slots = vm->top;
    bool ok = nkx_stack_room(vm, n_slots);
    if (ok) {
        for (uint32_t i = 0; i < n_slots; i++) slots[i] = NKX_UNSET;
        vm->top = slots + n_slots;
        if (p->n > ps->n_pos) extra = p->n - ps->n_pos;
        ok = extra == 0 || ps->vararg != NULL || too_many(vm, fn, p->n);
    }
    if (ok) {
        if (ps->vararg != NULL) {
            slots[ps->vararg->slot] = nkx_tuple_of(vm, p->base + p->n - extra, extra);
        }
        if (ps->kwarg != NULL) slots[ps->kwarg->slot] = nkx_dict_new(vm);
        for (uint32_t i = 0; i < p->n - extra; i++) {
            slots[i] = p->base[i];
            p->base[i] = NKX_UNSET;
        }
    }
    for (uint32_t i = 0; ok && i < p->n_kw; i++) {
        ok = put_keyword(vm, fn, slots, p->kw[i], &p->base[p->n + i]);
    }
    ok = ok && fill_defaults(vm, fn, slots);
    if (!ok) {
        nkx_pop_to(vm, p->base);
        return false;
    }
    for (nkx_value *v = p->base; v < slots; v++) nkx_drop(*v);
    memmove(p->base, slots, n_slots * sizeof *slots);
    vm->top = p->base + n_slots;
    return true;
}

bool nkx_bind_params(nkx_vm *vm, const nkx_function *fn, nkx_pass *p)
{
    const nkx_params *ps = fn->params;
    bool plain = ps->vararg == NULL && ps->kwarg == NULL && p->n <= ps->n_pos;
    const uint16_t *map = NULL;
    if (plain && p->n_kw > 0) {
        map = site_map(p->site, ps, p);
        plain = map != NULL;
    }
    uint64_t room = (uint64_t)fn->info->n_slots + p->n_kw;
    bool quick = plain && (uint64_t)(vm->stack_end - p->base) > room;
    if (quick ? bind_quickly(vm, fn, p, map) : bind_slowly(vm, fn, p)) return true;
    return defined_here(vm, fn);
}
