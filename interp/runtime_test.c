/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds and runs the tests of a loaded file as pytest would: functions test_*, methods test_* of
 * classes Test* and of those that derive from unittest.TestCase. Each method gets an instance of
 * its own.
 */
#include "interp/runtime.h"

#include <string.h>

typedef struct run {
    nkx_runtime *rt;
    const char *only;
    void (*report)(void *user, const char *name, int outcome, const char *detail);
    void *user;
    nkx_test_counts *counts;
} run;

static void conclude(run *r, const char *name, int outcome, const char *detail)
{
    if (outcome == 0) {
        r->counts->passed++;
    } else if (outcome == 1) {
        r->counts->failed++;
    } else {
        r->counts->skipped++;
    }
    if (r->report) r->report(r->user, name, outcome, detail);
}

/* unittest.SkipTest and pytest.skip raise an exception whose class is named so. */
static bool pending_is_skip(const nkx_vm *vm)
{
    if (vm->exception.type != NKX_V_INSTANCE) return false;
    const char *name = NKX_AS(nkx_instance, vm->exception)->cls->name->text;
    return strcmp(name, "SkipTest") == 0 || strcmp(name, "Skipped") == 0;
}

/* Calls f; what went wrong becomes diagnostics, whose text is the detail. */
static void call_test(run *r, const char *name, nkx_value f)
{
    nkx_vm *vm = r->rt->vm;
    size_t first = r->rt->diags.n;
    nkx_value out = NKX_UNSET;
    bool fine = nkx_call_n(vm, f, NULL, 0, &out);
    nkx_drop(out);
    if (!fine && pending_is_skip(vm)) {
        nkx_exception_clear(vm);
        conclude(r, name, 2, NULL);
        return;
    }
    if (!fine) nkx_vm_report(vm);
    if (fine) {
        conclude(r, name, 0, NULL);
        return;
    }
    char *detail = nkx_diagnostics_text(r->rt, first, false);
    conclude(r, name, 1, detail);
    nkx_string_free(detail);
}

static bool wanted(const run *r, const char *name)
{
    return r->only == NULL || strstr(name, r->only) != NULL;
}

/* ---- classes ---- */

static bool derives_from(const nkx_class *c, const char *name)
{
    for (; c; c = c->super) {
        if (strcmp(c->name->text, name) == 0) return true;
    }
    return false;
}

/* Calls a method without arguments when it is there. False after an exception. */
static bool call_optional(run *r, nkx_value self, const char *method)
{
    nkx_vm *vm = r->rt->vm;
    nkx_value f = NKX_UNSET, out = NKX_UNSET;
    if (!nkx_find_attr(vm, self, nkx_intern(vm, method), &f)) return false;
    if (f.type == NKX_V_UNSET) return true;
    bool fine = nkx_call_n(vm, f, NULL, 0, &out);
    nkx_drop(out);
    nkx_drop(f);
    return fine;
}

static void fail_pending(run *r, const char *name)
{
    size_t first = r->rt->diags.n;
    if (pending_is_skip(r->rt->vm)) {
        nkx_exception_clear(r->rt->vm);
        conclude(r, name, 2, NULL);
        return;
    }
    nkx_vm_report(r->rt->vm);
    char *detail = nkx_diagnostics_text(r->rt, first, false);
    conclude(r, name, 1, detail);
    nkx_string_free(detail);
}

static void run_method(run *r, nkx_value cls, const nkx_name *method, const char *full,
                       bool unittest)
{
    nkx_vm *vm = r->rt->vm;
    nkx_value self = NKX_UNSET, f = NKX_UNSET;
    const char *before = unittest ? "setUp" : "setup_method",
               *after = unittest ? "tearDown" : "teardown_method";
    bool ready = nkx_call_n(vm, cls, NULL, 0, &self) && call_optional(r, self, before) &&
                 nkx_get_attr(vm, self, method, &f);
    if (!ready) {
        fail_pending(r, full);
    } else {
        call_test(r, full, f);
        if (!call_optional(r, self, after)) fail_pending(r, full);
    }
    nkx_drop(f);
    nkx_drop(self);
}

static void run_class(run *r, nkx_value cls)
{
    const nkx_class *c = NKX_AS(nkx_class, cls);
    bool unittest = derives_from(c, "TestCase");
    for (const nkx_class *k = c; k; k = k->super) {
        for (uint32_t i = 0; i < k->attrs.n; i++) {
            const nkx_name *m = k->attrs.names[i];
            if (strncmp(m->text, "test", 4) != 0 || k->attrs.values[i].type != NKX_V_FUNCTION) {
                continue;
            }
            if (k != c && nkx_attrs_find(&c->attrs, m) != UINT32_MAX) continue; /* overridden */
            char *full = nkx_arena_printf(&r->rt->arena, "%s::%s", c->name->text, m->text);
            if (wanted(r, full)) run_method(r, cls, m, full, unittest);
        }
    }
}

static bool is_test_class(const nkx_runtime *rt, nkx_value v)
{
    if (v.type != NKX_V_CLASS) return false;
    const nkx_class *c = NKX_AS(nkx_class, v);
    if (c->module == NULL || nkx_of(c->module).u.o != rt->module.u.o) return false;
    return strncmp(c->name->text, "Test", 4) == 0 || derives_from(c, "TestCase");
}

nkx_status nkx_run_tests(nkx_runtime *rt, const char *only,
                         void (*report)(void *user, const char *name, int outcome,
                                        const char *detail),
                         void *user, nkx_test_counts *out)
{
    *out = (nkx_test_counts){0};
    if (!nkx_rt_module(rt)) return NKX_WRONG;
    run r = {rt, only, report, user, out};
    const nkx_attrs *g = &NKX_AS(nkx_module_obj, rt->module)->globals;
    for (uint32_t i = 0; i < g->n; i++) { /* g may grow while tests run: read afresh each time */
        nkx_value v = nkx_ref(g->values[i]);
        const char *name = g->names[i]->text;
        if (v.type == NKX_V_FUNCTION && strncmp(name, "test", 4) == 0 && wanted(&r, name)) {
            call_test(&r, name, v);
        } else if (is_test_class(rt, v)) {
            run_class(&r, v);
        }
        nkx_drop(v);
    }
    return out->failed > 0 ? NKX_WRONG : NKX_OK;
}
