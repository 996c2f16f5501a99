/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures of builtins: "x, y=None, /, *args, sep=' '" parsed once a row, and arguments put into
 * one value a parameter. Layer eval.
 */
#include "interp/eval/walk.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIG = 64 };

typedef struct nkx_sigs {
    nkx_arena arena;
    const nkx_sig **at; /* open addressing by row */
    uint32_t n, cap;
} nkx_sigs;

/* ---- parsing ---- */

static const char *blanks(const char *s)
{
    while (*s == ' ') s++;
    return s;
}

/* A literal: None, True, False, a number, a quoted string, (), or UNSET for "...". */
static const char *literal(nkx_vm *vm, const char *s, nkx_value *out)
{
    static const struct {
        const char *text;
        nkx_value v;
    } words[] = {
        {"None",  {.type = NKX_V_NONE}          },
        {"True",  {.type = NKX_V_BOOL, .u.i = 1}},
        {"False", {.type = NKX_V_BOOL, .u.i = 0}},
        {"...",   {.type = NKX_V_UNSET}         },
    };
    for (size_t i = 0; i < NKX_COUNT(words); i++) {
        size_t len = strlen(words[i].text);
        if (strncmp(s, words[i].text, len) == 0) {
            *out = words[i].v;
            return s + len;
        }
    }
    if (*s == '\'' || *s == '"') {
        const char *end = strchr(s + 1, *s);
        NKX_ASSERT(end != NULL);
        *out = nkx_str_new(vm, s + 1, (size_t)(end - s) - 1);
        return end + 1;
    }
    if (s[0] == '(' && s[1] == ')') {
        *out = nkx_tuple_new(vm, 0);
        return s + 2;
    }
    char *end_i, *end_f;
    long long i = strtoll(s, &end_i, 10);
    double f = strtod(s, &end_f);
    NKX_ASSERT(end_f != s);
    *out = end_f > end_i ? nkx_float(f) : nkx_int(i);
    return end_f;
}

typedef struct sig_draft {
    nkx_sig sig;
    const nkx_name *names[MAX_SIG];
    nkx_value dflt[MAX_SIG];
    bool required[MAX_SIG], kw_only;
} sig_draft;

static const char *one_param(nkx_vm *vm, sig_draft *d, const char *s)
{
    int stars = 0;
    while (*s == '*') {
        stars++;
        s++;
    }
    const char *start = s;
    while (isalnum((unsigned char)*s) || *s == '_') s++;
    if (stars == 1 && s == start) { /* a bare star */
        d->kw_only = true;
        return s;
    }
    NKX_ASSERT(s > start && d->sig.n < MAX_SIG);
    uint16_t i = d->sig.n++;
    d->names[i] = nkx_names_get(vm->names, start, (size_t)(s - start));
    d->dflt[i] = NKX_UNSET;
    if (stars == 1) {
        d->sig.star = (int16_t)i;
        d->kw_only = true;
        return s;
    }
    if (stars == 2) {
        d->sig.kwargs = (int16_t)i;
        return s;
    }
    s = blanks(s);
    d->required[i] = *s != '=';
    if (*s == '=') s = literal(vm, blanks(s + 1), &d->dflt[i]);
    if (!d->kw_only) d->sig.n_pos = d->sig.n;
    return s;
}

static const nkx_sig *parse_sig(nkx_vm *vm, const nkx_builtin *row)
{
    sig_draft d = {
        .sig = {.row = row, .star = -1, .kwargs = -1}
    };
    const char *s = blanks(row->sig == NULL ? "" : row->sig);
    while (*s != '\0') {
        if (*s == '/') {
            d.sig.n_posonly = d.sig.n;
            s++;
        } else {
            s = one_param(vm, &d, s);
        }
        s = blanks(s);
        if (*s == ',') s = blanks(s + 1);
    }
    nkx_arena *a = &vm->sigs->arena;
    nkx_sig *sig = NKX_ARENA_NEW(a, nkx_sig);
    *sig = d.sig;
    sig->names = NKX_ARENA_ARRAY(a, const nkx_name *, d.sig.n + 1);
    sig->dflt = NKX_ARENA_ARRAY(a, nkx_value, d.sig.n + 1);
    sig->required = NKX_ARENA_ARRAY(a, bool, d.sig.n + 1);
    memcpy((void *)sig->names, (void *)d.names, d.sig.n * sizeof *d.names);
    memcpy(sig->dflt, d.dflt, d.sig.n * sizeof *d.dflt);
    memcpy(sig->required, d.required, d.sig.n * sizeof *d.required);
    return sig;
}

static uint32_t slot_of(const nkx_sigs *t, const nkx_builtin *row)
{
    uint32_t i = (uint32_t)((uintptr_t)row >> 3) * 2654435769u & (t->cap - 1);
    while (t->at[i] != NULL && t->at[i]->row != row) i = (i + 1) & (t->cap - 1);
    return i;
}

static void grow(nkx_sigs *t)
{
    const nkx_sig **old = t->at;
    uint32_t cap = t->cap;
    t->cap = cap == 0 ? 64 : cap * 2;
    t->at = nkx_alloc(t->cap * sizeof *t->at);
    for (uint32_t i = 0; i < cap; i++) {
        if (old[i] != NULL) t->at[slot_of(t, old[i]->row)] = old[i];
    }
    free((void *)old);
}

const nkx_sig *nkx_sig_of(nkx_vm *vm, const nkx_builtin *row)
{
    if (vm->sigs == NULL) {
        vm->sigs = nkx_alloc(sizeof *vm->sigs);
        nkx_arena_init(&vm->sigs->arena);
        grow(vm->sigs);
    }
    nkx_sigs *t = vm->sigs;
    uint32_t i = slot_of(t, row);
    if (t->at[i] != NULL) return t->at[i];
    const nkx_sig *sig = parse_sig(vm, row);
    if (++t->n * 2 > t->cap) grow(t);
    t->at[slot_of(t, row)] = sig;
    return sig;
}

void nkx_sigs_free(nkx_vm *vm)
{
    nkx_sigs *t = vm->sigs;
    if (t == NULL) return;
    for (uint32_t i = 0; i < t->cap; i++) {
        if (t->at[i] == NULL) continue;
        for (uint16_t k = 0; k < t->at[i]->n; k++) nkx_drop(t->at[i]->dflt[k]);
    }
    free((void *)t->at);
    nkx_arena_fini(&t->arena);
    free(t);
    vm->sigs = NULL;
}

/* ---- binding ---- */

static bool is_method(const nkx_builtin *b)
{
    return (b->flags & NKX_BF_METHOD) != 0;
}

static bool too_many(nkx_vm *vm, const nkx_sig *sig, uint32_t n)
{
    uint32_t self = is_method(sig->row), most = sig->n_pos - self, least = 0;
    for (uint16_t i = (uint16_t)self; i < sig->n_pos; i++) least += sig->required[i];
    uint32_t given = n - self;
    if (most == 0) {
        return nkx_raise(vm, NKX_E206, "TypeError", "%s() takes no arguments (%u given)",
                         sig->row->name, given);
    }
    if (most == 1 && least == 1)
        return nkx_raise(vm, NKX_E206, "TypeError", "%s() takes exactly one argument (%u given)",
                         sig->row->name, given);
    return nkx_raise(vm, NKX_E206, "TypeError", "%s() takes %s %u argument%s (%u given)",
                     sig->row->name, least == most ? "exactly" : "at most", most,
                     most == 1 ? "" : "s", given);
}

static bool unknown_keyword(nkx_vm *vm, const nkx_sig *sig, const nkx_name *kw)
{
    const char *names[MAX_SIG];
    size_t n = 0;
    for (uint16_t i = sig->n_posonly; i < sig->n; i++) names[n++] = sig->names[i]->text;
    nkx_raise(vm, NKX_E205, "TypeError", "%s() got an unexpected keyword argument '%s'",
              sig->row->name, kw->text);
    const char *near = nkx_nearest(kw->text, names, n);
    if (near != NULL) nkx_raise_hint(vm, "Did you mean '%s'?", near);
    return false;
}

/* Parameter of a keyword, or -1. */
static int find_param(const nkx_sig *sig, const nkx_name *kw)
{
    for (int i = sig->n_posonly; i < sig->n; i++) {
        if (sig->names[i] == kw && i != sig->star && i != sig->kwargs) return i;
    }
    return -1;
}

static bool put_keyword(nkx_vm *vm, const nkx_sig *sig, nkx_value *in, const nkx_name *kw,
                        nkx_value *v)
{
    int i = find_param(sig, kw);
    if (i >= 0) {
        if (in[i].type != NKX_V_UNSET) {
            return nkx_raise(vm, NKX_E207, "TypeError",
                             "%s() got multiple values for argument '%s'", sig->row->name,
                             kw->text);
        }
        in[i] = *v;
        *v = NKX_UNSET;
        return true;
    }
    if (sig->kwargs < 0) return unknown_keyword(vm, sig, kw);
    nkx_value key = nkx_str_of_name(vm, kw);
    bool ok = nkx_dict_set(vm, in[sig->kwargs], key, *v);
    nkx_drop(key);
    return ok;
}

static bool fill_defaults(nkx_vm *vm, const nkx_sig *sig, nkx_value *in)
{
    for (uint16_t i = 0; i < sig->n; i++) {
        if (in[i].type != NKX_V_UNSET) continue;
        if (sig->required[i]) {
            uint32_t self = is_method(sig->row), known = 0;
            for (uint16_t k = (uint16_t)self; k < sig->n; k++) known += sig->required[k];
            if (known == 1 && sig->n == self + 1 && sig->star < 0)
                return nkx_raise(vm, NKX_E204, "TypeError",
                                 "%s() takes exactly one argument (0 given)", sig->row->name);
            return nkx_raise(vm, NKX_E204, "TypeError", "%s() missing required argument: '%s'",
                             sig->row->name, sig->names[i]->text);
        }
        in[i] = nkx_ref(sig->dflt[i]);
    }
    return true;
}

/* The general case: values move to in[] above those passed, then down to base. */
static bool bind_slowly(nkx_vm *vm, const nkx_sig *sig, nkx_pass *p)
{
    nkx_value *in = vm->top;
    uint32_t extra = 0;
    bool ok = nkx_stack_room(vm, sig->n);
    if (ok) {
        for (uint16_t i = 0; i < sig->n; i++) in[i] = NKX_UNSET;
        vm->top = in + sig->n;
        if (p->n > sig->n_pos) extra = p->n - sig->n_pos;
        ok = extra == 0 || sig->star >= 0 || too_many(vm, sig, p->n);
    }
    if (ok) {
        if (sig->star >= 0) in[sig->star] = nkx_tuple_of(vm, p->base + p->n - extra, extra);
        if (sig->kwargs >= 0) in[sig->kwargs] = nkx_dict_new(vm);
        for (uint32_t i = 0; i < p->n - extra; i++) {
            in[i] = p->base[i];
            p->base[i] = NKX_UNSET;
        }
    }
    for (uint32_t i = 0; ok && i < p->n_kw; i++) {
        ok = put_keyword(vm, sig, in, p->kw[i], &p->base[p->n + i]);
    }
    ok = ok && fill_defaults(vm, sig, in);
    if (!ok) {
        nkx_pop_to(vm, p->base);
        return false;
    }
    for (nkx_value *v = p->base; v < in; v++) nkx_drop(*v);
    memmove(p->base, in, sig->n * sizeof *in);
    vm->top = p->base + sig->n;
    return true;
}

/* Keywords of this site for this row: worked out once. NULL where it is not that simple. */
static const uint16_t *site_map(nkx_site *site, const nkx_sig *sig, const nkx_pass *p)
{
    if (site == NULL || site->n_kw != p->n_kw) return NULL;
    if (site->callee == sig->row && site->n_bound == p->n) return site->map;
    if (site->map == NULL) site->map = nkx_alloc(p->n_kw * sizeof *site->map);
    site->callee = NULL;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < p->n_kw; i++) {
        int k = find_param(sig, p->kw[i]);
        if (k < 0 || (uint32_t)k < p->n || (seen >> k & 1)) return NULL;
        seen |= (uint64_t)1 << k;
        site->map[i] = (uint16_t)k;
    }
    site->callee = sig->row;
    site->n_bound = p->n;
    return site->map;
}

bool nkx_bind_sig(nkx_vm *vm, const nkx_sig *sig, nkx_pass *p)
{
    bool plain = sig->star < 0 && sig->kwargs < 0 && p->n <= sig->n_pos;
    const uint16_t *map = NULL;
    if (plain && p->n_kw > 0) {
        map = site_map(p->site, sig, p);
        plain = map != NULL;
    }
    uint32_t room = sig->n + p->n_kw;
    if (!plain || vm->stack_end - p->base < (ptrdiff_t)room) return bind_slowly(vm, sig, p);
    nkx_value *in = p->base, *held = in + sig->n;
    if (p->n_kw > 0) memmove(held, in + p->n, p->n_kw * sizeof *in);
    for (uint32_t i = p->n; i < sig->n; i++) in[i] = NKX_UNSET;
    for (uint32_t i = 0; i < p->n_kw; i++) in[map[i]] = held[i];
    vm->top = in + sig->n;
    if (fill_defaults(vm, sig, in)) return true;
    nkx_pop_to(vm, p->base);
    return false;
}
