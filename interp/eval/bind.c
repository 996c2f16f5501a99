/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Issues an instruction from the arguments of its call. What is wrong with names and counts of
 * arguments is found once per call site: a plan, which argument goes to which parameter, is kept
 * there. Values become operands at each call (bind_value.c). Layer eval.
 */
#include "interp/eval/bind.h"

#include <stdlib.h>
#include <string.h>

enum { TO_LABEL = 254, TO_NOWHERE = 255, MAX_GIVEN = NKX_MAX_PARAMS + 3, MAX_FAULTS = 20 };

typedef struct bind_plan {
    const nkx_insn *row;
    uint8_t n_params;
    uint8_t to[MAX_GIVEN]; /* value i of the call -> parameter */
    nkx_span span[NKX_MAX_PARAMS];
} bind_plan;

/* ---- plans ---- */

static int count_params(const nkx_insn *row)
{
    int n = 0;
    while (row->params[n].name != NULL) n++;
    return n;
}

/* "It is called as memset(dst, value, engine=engine.unknown, name=None)." */
static void signature_hint(nkx_vm *vm, const nkx_insn *row)
{
    nkx_buf b = {0};
    for (int i = 0; row->params[i].name != NULL; i++) {
        const nkx_isa_param *p = &row->params[i];
        nkx_buf_printf(&b, "%s%s", i > 0 ? ", " : "", p->name);
        if (!p->required) nkx_buf_printf(&b, "=%s", p->dflt != NULL ? p->dflt : "None");
    }
    nkx_raise_hint(vm, "It is called as %s(%s, name=None).", row->name, b.at != NULL ? b.at : "");
    nkx_buf_fini(&b);
}

static bool unknown_keyword(nkx_vm *vm, const nkx_insn *row, const nkx_name *kw)
{
    const char *names[NKX_MAX_PARAMS + 1];
    size_t n = 0;
    for (; row->params[n].name != NULL; n++) names[n] = row->params[n].name;
    names[n++] = "name";
    const char *near = nkx_nearest(kw->text, names, n);
    nkx_raise(vm, NKX_E205, "TypeError", "%s() got an unexpected keyword argument '%s'", row->name,
              kw->text);
    if (strcmp(kw->text, "mask") == 0) {
        nkx_raise_hint(vm,
                       "Instructions take no mask: slice the operands to the elements that exist.");
    } else if (near != NULL) {
        nkx_raise_hint(vm, "Did you mean '%s'?", near);
    } else {
        signature_hint(vm, row);
    }
    return false;
}

/* `dtype=` was a parameter once and still stands in public kernels (isa.md 4.0.1). */
static bool stray_dtype(nkx_vm *vm, const nkx_insn *row, nkx_span span)
{
    nkx_diag *g =
        nkx_diag_add(vm->diags, NKX_E704, span, "%s() takes no dtype: it is dropped", row->name);
    nkx_diag_hint(vm->diags, g, "The type of dst decides.");
    return nkx_diag_stops(g) ? nkx_raise_diagnosed(vm) : true;
}

static bool plan_keyword(nkx_vm *vm, const nkx_args *a, uint32_t k, bind_plan *p, bool *given)
{
    const nkx_name *kw = a->kw[k];
    uint32_t i = a->n + k;
    int to = nkx_isa_param_find(p->row, kw->text);
    p->to[i] = TO_NOWHERE;
    if (to >= 0) {
        if (given[to]) {
            return nkx_raise(vm, NKX_E207, "TypeError",
                             "%s() got multiple values for argument '%s'", p->row->name, kw->text);
        }
        given[to] = true;
        p->to[i] = (uint8_t)to;
        return true;
    }
    if (strcmp(kw->text, "name") == 0) {
        p->to[i] = TO_LABEL;
        return true;
    }
    if (strcmp(kw->text, "dtype") == 0)
        return stray_dtype(vm, p->row, a->arg_spans != NULL ? a->arg_spans[i] : a->span);
    return unknown_keyword(vm, p->row, kw);
}

static bool missing_arguments(nkx_vm *vm, const bind_plan *p, const bool *given)
{
    nkx_buf b = {0};
    int n = 0;
    for (int i = 0; i < p->n_params; i++) {
        if (!p->row->params[i].required || given[i]) continue;
        nkx_buf_printf(&b, "%s'%s'", n++ > 0 ? ", " : "", p->row->params[i].name);
    }
    if (n == 0) return true;
    nkx_raise(vm, NKX_E204, "TypeError", "%s() missing %d required argument%s: %s", p->row->name, n,
              n > 1 ? "s" : "", b.at);
    signature_hint(vm, p->row);
    nkx_buf_fini(&b);
    return false;
}

static bool too_many(nkx_vm *vm, const bind_plan *p, const nkx_args *a)
{
    nkx_raise(vm, NKX_E206, "TypeError", "%s() takes at most %d arguments but %u were given",
              p->row->name, p->n_params + 1, a->n + a->n_kw);
    signature_hint(vm, p->row);
    return false;
}

static bool make_plan(nkx_vm *vm, const nkx_insn *row, const nkx_args *a, bind_plan *p)
{
    bool given[NKX_MAX_PARAMS] = {false};
    memset(p, 0, sizeof *p);
    p->row = row;
    p->n_params = (uint8_t)count_params(row);
    /* `name` comes last and may be given by position, too. */
    if (a->n > p->n_params + 1u || a->n + a->n_kw > MAX_GIVEN) return too_many(vm, p, a);
    for (uint32_t i = 0; i < a->n; i++) {
        p->to[i] = i < p->n_params ? (uint8_t)i : TO_LABEL;
        if (i < p->n_params) given[i] = true;
    }
    for (uint32_t k = 0; k < a->n_kw; k++) {
        if (!plan_keyword(vm, a, k, p, given)) return false;
    }
    for (uint32_t i = 0; a->arg_spans != NULL && i < a->n + a->n_kw; i++) {
        if (p->to[i] < NKX_MAX_PARAMS) p->span[p->to[i]] = a->arg_spans[i];
    }
    return missing_arguments(vm, p, given);
}

/* The plan of the call's site, made when it is not there yet; *local where there is no site. */
static const bind_plan *plan_of(nkx_vm *vm, const nkx_insn *row, const nkx_args *a,
                                bind_plan *local)
{
    if (a->site != NULL && a->site->memo_key == row) return a->site->memo;
    if (!make_plan(vm, row, a, local)) return NULL;
    if (a->site == NULL) return local;
    bind_plan *kept = nkx_dup(local, sizeof *local);
    free(a->site->memo);
    nkx_nki_of(vm)->plan = NULL; /* the address may come back */
    a->site->memo = kept;
    a->site->memo_key = row;
    return kept;
}

static bool bind_label(nkx_vm *vm, const nkx_insn *row, nkx_value v, const char **label)
{
    if (v.type == NKX_V_NONE) return true;
    if (v.type != NKX_V_STR) {
        return nkx_raise(vm, NKX_E702, "TypeError", "%s(): 'name' must be a str, not %s", row->name,
                         nkx_type_name(v));
    }
    *label = nkx_name_of(vm, v)->text;
    return true;
}

static bool bind_all(nkx_vm *vm, nkx_nki *s, const bind_plan *p, const nkx_args *a)
{
    nkx_issue *is = &s->issue;
    memset(is->arg, 0, p->n_params * sizeof is->arg[0]);
    if (s->plan != p) {
        memcpy(is->arg_span, p->span, sizeof p->span);
        s->plan = p;
    }
    for (uint32_t i = 0; i < a->n + a->n_kw; i++) {
        uint8_t to = p->to[i];
        if (NKX_LIKELY(to < NKX_MAX_PARAMS)) {
            if (!nkx_bind_value(vm, p->row, to, a->at[i], p->span[to], &is->arg[to])) return false;
        } else if (to == TO_LABEL && !bind_label(vm, p->row, a->at[i], &is->label)) {
            return false;
        }
    }
    return true;
}

/* ---- edges by name (isa.md 6.4) ---- */

static void note_label(nkx_vm *vm, nkx_nki *s, const char *label, uint64_t id)
{
    nkx_label l = {nkx_intern(vm, label), id};
    for (size_t i = 0; i < s->labels.n; i++) {
        if (s->labels.at[i].name != l.name) continue;
        s->labels.at[i].id = id;
        return;
    }
    nkx_push(&s->labels, l);
}

static size_t edge_to(const nkx_nki *s, nkx_value producer, uint64_t *out)
{
    for (size_t i = 0; producer.type == NKX_V_STR && i < s->labels.n; i++) {
        if (!nkx_str_is(producer, s->labels.at[i].name->text)) continue;
        *out = s->labels.at[i].id;
        return 1;
    }
    return 0;
}

/* Ids of the instructions that with_schedule puts before the one being issued. */
static size_t edges_of(const nkx_nki *s, const char *label, uint64_t *out, size_t max)
{
    const nkx_value *edges, *pair, *producers;
    uint32_t n, two, n_producers;
    size_t found = 0;
    if (label == NULL || !nkx_sequence(s->schedule, &edges, &n)) return 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!nkx_sequence(edges[i], &pair, &two) || two != 2 || !nkx_str_is(pair[0], label))
            continue;
        if (!nkx_sequence(pair[1], &producers, &n_producers)) {
            producers = &pair[1];
            n_producers = 1;
        }
        for (uint32_t k = 0; k < n_producers && found < max; k++)
            found += edge_to(s, producers[k], out + found);
    }
    return found;
}

/* ---- issue ---- */

/*
 * `nkx check` reports all that is wrong: an instruction that was refused counts as done, its
 * results as written, and the kernel goes on.
 */
static bool pass_over(nkx_vm *vm, nkx_nki *s, const bind_plan *p, const nkx_args *a)
{
    if (!vm->o.no_numbers || vm->diags->n_errors >= MAX_FAULTS || !bind_all(vm, s, p, a))
        return false;
    for (int i = 0; i < p->n_params; i++) {
        const nkx_arg *arg = &s->issue.arg[i];
        nkx_region r;
        if (arg->kind != NKX_ARG_VIEW || p->row->params[i].dir == NKX_DIR_IN) continue;
        if (arg->u.view->indirect == NKX_IND_BEYOND) continue;
        nkx_view_region(arg->u.view, true, p->row->params[i].name, &r);
        nkx_track_mark(&r);
    }
    nkx_arena_reset(&s->scratch);
    return true;
}

static bool issue_failed(nkx_vm *vm, nkx_nki *s, const bind_plan *p, const nkx_args *a,
                         nkx_value *out)
{
    if (pass_over(vm, s, p, a)) {
        *out = nkx_instruction_new(vm, 0);
        return true;
    }
    return nkx_exception_pending(vm) ? false : nkx_raise_diagnosed(vm);
}

static void issue_begin(nkx_vm *vm, nkx_nki *s, const nkx_insn *row, const nkx_args *a)
{
    nkx_issue *is = &s->issue;
    is->row = row;
    is->core = vm->core;
    is->span = a->span;
    is->function = nkx_vm_function(vm);
    is->label = NULL;
    is->loose = !vm->diags->strict;
    is->dynamic = false;
    is->overlap = false;
    is->skipped = false;
    is->accumulate = false;
    is->scratch = &s->scratch;
}

bool nkx_bind_issue(nkx_vm *vm, const nkx_insn *row, const nkx_args *a, nkx_value *out)
{
    bind_plan local;
    nkx_nki *s = nkx_nki_of(vm);
    const bind_plan *p = plan_of(vm, row, a, &local);
    if (NKX_UNLIKELY(p == NULL)) return false;
    if (NKX_UNLIKELY(nkx_need_core(vm, row->name) == NULL)) return false;
    issue_begin(vm, s, row, a);
    if (p == &local) s->plan = NULL; /* its address is no identity */
    if (NKX_UNLIKELY(!bind_all(vm, s, p, a))) {
        nkx_arena_reset(&s->scratch);
        s->plan = NULL;
        return false;
    }
    bool scheduled = s->schedule.type != NKX_V_UNSET;
    uint64_t id = 0, after[16];
    const char *label = s->issue.label;
    size_t n_after = scheduled ? edges_of(s, label, after, NKX_COUNT(after)) : 0;
    bool ok = nkx_isa_issue(&s->issue, after, n_after, &id);
    if (p == &local) s->plan = NULL;
    if (NKX_UNLIKELY(!ok)) return issue_failed(vm, s, p, a, out);
    if (scheduled && label != NULL) note_label(vm, s, label, id);
    *out = nkx_instruction_new(vm, id);
    return true;
}

bool nkx_issue_named(nkx_vm *vm, const char *row, uint32_t n, const char *const *names,
                     const nkx_value *at)
{
    const nkx_name *kw[8];
    nkx_args a = {.at = at, .n_kw = n, .kw = kw, .span = nkx_vm_span(vm)};
    nkx_value out = NKX_NONE;
    NKX_ASSERT(n <= NKX_COUNT(kw));
    for (uint32_t i = 0; i < n; i++) kw[i] = nkx_intern(vm, names[i]);
    bool ok = nkx_bind_issue(vm, nkx_isa_find(row), &a, &out);
    nkx_drop(out);
    return ok;
}
