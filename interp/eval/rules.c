/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device language (language.md 4.3, 4.4): which functions and classes a kernel reaches, and the
 * report of what the rules found, in the order of the source. Reach follows names through modules
 * and classes; a method is reached when its class is and its name is used. What it misses is looked
 * at when it is called. Layer eval.
 */
#include "interp/eval/rules.h"

#include <stdlib.h>
#include <string.h>

void nkx_rules_add(nkx_rules *r, nkx_code code, nkx_span span, const char *hint, const char *fmt,
                   ...)
{
    nkx_buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    nkx_buf_vprintf(&b, fmt, ap);
    va_end(ap);
    nkx_finding f = {code, span, nkx_arena_str(&r->arena, b.at, b.len), hint};
    nkx_push(&r->found, f);
    nkx_buf_fini(&b);
}

/* ---- reach ---- */

static void reach_function(nkx_rules *r, nkx_function *fn)
{
    if (fn->rules_done) return;
    fn->rules_done = true;
    nkx_push(&r->queue, fn);
}

static void reach_class(nkx_rules *r, nkx_class *c)
{
    if (c->node == NULL || (c->flags & NKX_CF_EXCEPTION)) return;
    for (size_t i = 0; i < r->classes.n; i++) {
        if (r->classes.at[i] == c) return;
    }
    nkx_push(&r->classes, c);
    if (c->super != NULL) reach_class(r, c->super);
}

void nkx_rules_reach(nkx_rules *r, nkx_value v)
{
    switch (v.type) {
    case NKX_V_FUNCTION: reach_function(r, NKX_AS(nkx_function, v)); return;
    case NKX_V_CLASS: reach_class(r, NKX_AS(nkx_class, v)); return;
    case NKX_V_KERNEL: nkx_rules_reach(r, NKX_AS(nkx_kernel_obj, v)->func); return;
    case NKX_V_INSTANCE: reach_class(r, NKX_AS(nkx_instance, v)->cls); return;
    case NKX_V_METHOD: nkx_rules_reach(r, NKX_AS(nkx_method, v)->func); return;
    case NKX_V_STATICMETHOD:
    case NKX_V_CLASSMETHOD:
    case NKX_V_PROPERTY: nkx_rules_reach(r, NKX_AS(nkx_wrap, v)->func); return;
    default: return;
    }
}

void nkx_rules_use(nkx_rules *r, const nkx_name *attr)
{
    while (r->used.n <= attr->id) nkx_push(&r->used, 0);
    r->used.at[attr->id] = 1;
}

static bool method_used(const nkx_rules *r, const nkx_name *name)
{
    if (name->text[0] == '_' && name->text[1] == '_') {
        /* printing is host code; operators and construction are not */
        return strcmp(name->text, "__repr__") != 0 && strcmp(name->text, "__str__") != 0 &&
               strcmp(name->text, "__hash__") != 0 && strcmp(name->text, "__format__") != 0;
    }
    return name->id < r->used.n && r->used.at[name->id] != 0;
}

static void reach_methods(nkx_rules *r)
{
    for (size_t k = 0; k < r->classes.n; k++) {
        const nkx_class *c = r->classes.at[k];
        for (uint32_t i = 0; i < c->attrs.n; i++) {
            nkx_value v = c->attrs.values[i];
            if (v.type == NKX_V_CLASS) continue;
            if (method_used(r, c->attrs.names[i])) nkx_rules_reach(r, v);
        }
    }
}

static void run_queue(nkx_rules *r)
{
    size_t done = 0, n_classes = 0;
    do {
        for (; done < r->queue.n; done++) nkx_rules_walk(r, r->queue.at[done]);
        for (; n_classes < r->classes.n; n_classes++) {
            nkx_class *c = r->classes.at[n_classes];
            if (!c->rules_done) nkx_rules_class(r, c);
            c->rules_done = true;
        }
        reach_methods(r);
    } while (done < r->queue.n);
}

/* ---- report ---- */

static int by_place(const void *a, const void *b)
{
    const nkx_finding *x = a, *y = b;
    if (x->span.source != y->span.source) return x->span.source < y->span.source ? -1 : 1;
    if (x->span.begin != y->span.begin) return x->span.begin < y->span.begin ? -1 : 1;
    return (x->code > y->code) - (x->code < y->code);
}

static bool report(nkx_rules *r)
{
    bool fine = true, quiet = r->vm->in_report;
    if (r->found.n > 1) qsort(r->found.at, r->found.n, sizeof *r->found.at, by_place);
    r->vm->in_report = true; /* no call stack: these are about the text */
    for (size_t i = 0; i < r->found.n; i++) {
        const nkx_finding *f = &r->found.at[i];
        nkx_diag *g = nkx_diag_add(r->vm->diags, f->code, f->span, "%s", f->message);
        if (f->hint != NULL) nkx_diag_hint(r->vm->diags, g, "%s", f->hint);
        fine &= !nkx_diag_stops(g);
    }
    r->vm->in_report = quiet;
    return fine;
}

static void fini(nkx_rules *r)
{
    nkx_vec_fini(&r->found);
    nkx_vec_fini(&r->queue);
    nkx_vec_fini(&r->classes);
    nkx_vec_fini(&r->used);
    nkx_arena_fini(&r->arena);
}

/* Kernels of the old dialect have other rules. */
static bool is_old(const nkx_module_obj *m)
{
    return m->old_dialect && !m->new_dialect;
}

bool nkx_rules_function(nkx_vm *vm, const nkx_function *fn)
{
    nkx_rules r = {.vm = vm};
    if (fn->module != NULL && is_old(fn->module)) {
        ((nkx_function *)(uintptr_t)fn)->rules_done = true;
        return true;
    }
    nkx_arena_init(&r.arena);
    reach_function(&r, (nkx_function *)(uintptr_t)fn);
    run_queue(&r);
    bool fine = report(&r);
    fini(&r);
    return fine || nkx_raise_diagnosed(vm);
}

bool nkx_vm_check_rules(nkx_vm *vm, nkx_value module)
{
    const nkx_module_obj *m = NKX_AS(nkx_module_obj, module);
    nkx_rules r = {.vm = vm};
    nkx_arena_init(&r.arena);
    for (uint32_t i = 0; i < m->globals.n; i++) {
        nkx_value v = m->globals.values[i];
        if (v.type == NKX_V_KERNEL && !is_old(m)) nkx_rules_reach(&r, v);
    }
    run_queue(&r);
    bool fine = report(&r);
    fini(&r);
    return fine;
}
