/* SPDX-License-Identifier: Apache-2.0 */
/* Where names live, and statements that stand where they cannot. */
#include "grammar/parse.h"
#include "grammar/resolve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define AS(T, n) ((const T *)(const void *)(n))

typedef struct fixture {
    nkx_sources *sources;
    nkx_names *names;
    nkx_diags diags;
    nkx_arena arena;
    nkx_global_names globals;
    nkx_module_ast *m;
    bool good;
} fixture;

static void begin(fixture *f, const char *text)
{
    *f = (fixture){.sources = nkx_sources_new(), .names = nkx_names_new()};
    nkx_diags_init(&f->diags, f->sources);
    nkx_arena_init(&f->arena);
    const nkx_source *src = nkx_sources_add(f->sources, "t.nki", text, strlen(text));
    f->m = nkx_parse(src, &f->arena, f->names, &f->diags);
    assert_non_null(f->m);
    f->good = nkx_resolve(f->m, &f->globals, f->names, &f->diags);
}

static void end(fixture *f)
{
    nkx_vec_fini(&f->globals);
    nkx_diags_fini(&f->diags);
    nkx_arena_fini(&f->arena);
    nkx_names_free(f->names);
    nkx_sources_free(f->sources);
}

static const nkx_function_def *function(const nkx_nodes *body, uint32_t i)
{
    assert_int_equal(body->at[i]->kind, NKX_FUNCTION_DEF);
    return AS(nkx_function_def, body->at[i]);
}

static const nkx_name_node *returned(const nkx_function_def *f)
{
    const nkx_node *last = f->body.at[f->body.n - 1];
    assert_int_equal(last->kind, NKX_RETURN);
    const nkx_node *value = AS(nkx_value_stmt, last)->value;
    assert_int_equal(value->kind, NKX_NAME);
    return AS(nkx_name_node, value);
}

static void parameters_then_locals(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "def f(a, /, b, *c, d=1, **e):\n    x = a\n    return x\n");
    assert_true(f.good);
    const nkx_function_def *d = function(&f.m->body, 0);
    static const char *want[] = {"a", "b", "d", "c", "e", "x"};
    assert_int_equal(d->frame.n_slots, 6);
    for (int i = 0; i < 6; i++) {
        assert_string_equal(d->frame.slot_names[i]->text, want[i]);
        assert_int_equal(d->frame.slot_is_cell[i], 0);
    }
    assert_int_equal(d->params.vararg->slot, 3);
    assert_int_equal(returned(d)->scope, NKX_SCOPE_LOCAL);
    assert_int_equal(returned(d)->slot, 5);
    assert_int_equal(d->scope, NKX_SCOPE_GLOBAL);
    end(&f);
}

static void inner_functions_capture_cells(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "def f(a):\n"
              "    def g():\n"
              "        def h():\n"
              "            return a\n"
              "        return h\n"
              "    return g\n");
    const nkx_function_def *outer = function(&f.m->body, 0);
    const nkx_function_def *g = function(&outer->body, 0);
    const nkx_function_def *h = function(&g->body, 0);
    assert_int_equal(outer->frame.slot_is_cell[0], 1);
    assert_true(outer->params.at[0].is_cell);
    assert_int_equal(g->frame.n_free, 1);
    assert_true(g->frame.captures[0].from_cell);
    assert_int_equal(g->frame.captures[0].index, 0);
    assert_int_equal(h->frame.n_free, 1);
    assert_false(h->frame.captures[0].from_cell);
    assert_int_equal(returned(h)->scope, NKX_SCOPE_FREE);
    assert_int_equal(returned(h)->slot, 0);
    assert_int_equal(returned(g)->scope, NKX_SCOPE_LOCAL);
    end(&f);
}

static void a_name_bound_later_is_captured_too(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "def f():\n    def g():\n        return x\n    x = 1\n    return x\n");
    const nkx_function_def *outer = function(&f.m->body, 0);
    assert_int_equal(returned(function(&outer->body, 0))->scope, NKX_SCOPE_FREE);
    assert_int_equal(returned(outer)->scope, NKX_SCOPE_CELL);
    end(&f);
}

static void global_and_nonlocal(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "def f():\n"
              "    global x\n"
              "    x = 1\n"
              "    y = 2\n"
              "    def g():\n"
              "        nonlocal y\n"
              "        y = 3\n"
              "        return x\n"
              "    return x\n");
    assert_true(f.good);
    const nkx_function_def *outer = function(&f.m->body, 0);
    const nkx_function_def *g = function(&outer->body, 3);
    assert_int_equal(returned(outer)->scope, NKX_SCOPE_GLOBAL);
    assert_int_equal(returned(g)->scope, NKX_SCOPE_GLOBAL);
    assert_int_equal(g->frame.n_slots, 0);
    assert_int_equal(g->frame.n_free, 1);
    assert_string_equal(f.m->global_names[returned(g)->slot]->text, "x");
    end(&f);
}

static void class_bodies_are_skipped_by_their_functions(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "def f(a):\n"
              "    class C:\n"
              "        a = 1\n"
              "        b = a\n"
              "        c = f\n"
              "        def m(self):\n"
              "            return a\n"
              "    return C\n");
    const nkx_function_def *outer = function(&f.m->body, 0);
    const nkx_class_def *c = AS(nkx_class_def, outer->body.at[0]);
    const nkx_assign *b = AS(nkx_assign, c->body.at[1]), *g = AS(nkx_assign, c->body.at[2]);
    assert_int_equal(AS(nkx_name_node, b->value)->scope, NKX_SCOPE_CLASS);
    assert_int_equal(AS(nkx_name_node, g->value)->scope, NKX_SCOPE_GLOBAL);
    const nkx_function_def *m = function(&c->body, 3);
    assert_int_equal(m->scope, NKX_SCOPE_CLASS);
    assert_int_equal(returned(m)->scope, NKX_SCOPE_FREE);
    assert_true(m->frame.captures[0].from_cell);
    assert_int_equal(outer->frame.slot_is_cell[0], 1);
    end(&f);
}

static void a_class_body_runs_in_the_frame_around(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "def f(a):\n    class C:\n        b = a\n    return C\n");
    const nkx_function_def *outer = function(&f.m->body, 0);
    const nkx_class_def *c = AS(nkx_class_def, outer->body.at[0]);
    const nkx_name_node *a = AS(nkx_name_node, AS(nkx_assign, c->body.at[0])->value);
    assert_int_equal(a->scope, NKX_SCOPE_LOCAL);
    assert_int_equal(a->slot, 0);
    end(&f);
}

static void comprehensions_have_a_frame(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "def f(n):\n    y = [(i, n, (z := i)) for i in n for j in i]\n    return z\n");
    assert_true(f.good);
    const nkx_function_def *d = function(&f.m->body, 0);
    const nkx_comprehension *c = AS(nkx_comprehension, AS(nkx_assign, d->body.at[0])->value);
    assert_int_equal(c->frame.n_slots, 3);
    assert_string_equal(c->frame.slot_names[0]->text, ".0");
    assert_string_equal(c->frame.slot_names[1]->text, "i");
    assert_int_equal(c->frame.n_free, 2);                                        /* n and z */
    assert_int_equal(AS(nkx_name_node, c->fors[0].iter)->scope, NKX_SCOPE_CELL); /* outside */
    assert_int_equal(returned(d)->scope, NKX_SCOPE_CELL);
    end(&f);
}

static void generators_are_marked(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "def f():\n    def g():\n        yield 1\n    return g\n");
    const nkx_function_def *outer = function(&f.m->body, 0);
    assert_false(outer->frame.is_generator);
    assert_true(function(&outer->body, 0)->frame.is_generator);
    end(&f);
}

static void global_slots_never_move(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "import a.b as c, d.e\nx = 1\n");
    uint32_t x = AS(nkx_name_node, AS(nkx_assign, f.m->body.at[1])->targets.at[0])->slot;
    assert_string_equal(f.globals.at[0]->text, "c");
    assert_string_equal(f.globals.at[1]->text, "d");
    assert_int_equal(x, 2);
    const nkx_source *src = nkx_sources_add(f.sources, "u.nki", "y = x\n", 6);
    nkx_module_ast *m = nkx_parse(src, &f.arena, f.names, &f.diags);
    assert_true(nkx_resolve(m, &f.globals, f.names, &f.diags));
    const nkx_assign *a = AS(nkx_assign, m->body.at[0]);
    assert_int_equal(AS(nkx_name_node, a->value)->slot, x);
    assert_int_equal(AS(nkx_name_node, a->targets.at[0])->slot, 3);
    assert_int_equal(nkx_global_slot(&f.globals, AS(nkx_name_node, a->value)->id), x);
    assert_int_equal(nkx_global_slot(&f.globals, nkx_names_get(f.names, "new", 3)), 4);
    end(&f);
}

static void sites_are_numbered(void **state)
{
    (void)state;
    fixture f;
    begin(&f, "a.b(1).c\nd(2)\n");
    assert_int_equal(f.m->n_caches, 4);
    assert_int_equal(f.m->n_consts, 2);
    end(&f);
}

static void misplaced_statements(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        nkx_code code;
    } cases[] = {
        {"return 1\n",                                                                NKX_E121},
        {"class C:\n    return 1\n",                                                  NKX_E121},
        {"yield 1\n",                                                                 NKX_E121},
        {"def f():\n    [(yield) for x in y]\n",                                      NKX_E121},
        {"break\n",                                                                   NKX_E122},
        {"while 1:\n    def f():\n        continue\n",                                NKX_E122},
        {"for x in y:\n    pass\nelse:\n    break\n",                                 NKX_E122},
        {"nonlocal x\n",                                                              NKX_E123},
        {"def f():\n    nonlocal x\n",                                                NKX_E123},
        {"x = 1\ndef f():\n    nonlocal x\n",                                         NKX_E123},
        {"def f(x):\n    global x\n",                                                 NKX_E123},
        {"def f():\n    x = 1\n    global x\n",                                       NKX_E123},
        {"def f():\n    print(x)\n    global x\n",                                    NKX_E123},
        {"def f():\n    x: int\n    global x\n",                                      NKX_E123},
        {"def f():\n    x = 1\n    def g():\n        global x\n        nonlocal x\n", NKX_E123},
        {"def f(a, a):\n    pass\n",                                                  NKX_E117},
        {"lambda a, *a: 1\n",                                                         NKX_E117},
        {"def f():\n    from x import *\n",                                           NKX_E126},
        {"[i := 0 for i in x]\n",                                                     NKX_E115},
        {"[x for x in (y := z)]\n",                                                   NKX_E115},
        {"class C:\n    [(y := x) for x in z]\n",                                     NKX_E115},
        {"x = 1\nfrom __future__ import annotations\n",                               NKX_E130},
        {"from __future__ import braces\n",                                           NKX_E130},
    };
    for (size_t i = 0; i < NKX_COUNT(cases); i++) {
        fixture f;
        begin(&f, cases[i].text);
        if (f.good || f.diags.n == 0) fail_msg("no error in '%s'", cases[i].text);
        assert_int_equal(f.diags.list[0]->code, cases[i].code);
        end(&f);
    }
}

/* Parses and resolves an example of a diagnostic; false when something was reported. */
static bool is_clean(const char *text, nkx_code *first)
{
    fixture f = {.sources = nkx_sources_new(), .names = nkx_names_new()};
    nkx_diags_init(&f.diags, f.sources);
    nkx_arena_init(&f.arena);
    const nkx_source *src = nkx_sources_add(f.sources, "t.nki", text, strlen(text));
    f.m = nkx_parse(src, &f.arena, f.names, &f.diags);
    if (f.m != NULL) f.good = nkx_resolve(f.m, &f.globals, f.names, &f.diags);
    bool clean = f.diags.n == 0;
    if (!clean) *first = f.diags.list[0]->code;
    end(&f);
    return clean;
}

static void examples_of_the_rows(void **state)
{
    (void)state;
    for (int i = 0; i < NKX_N_CODES; i++) {
        const nkx_code_row *row = &nkx_code_rows[i];
        nkx_code first = NKX_N_CODES;
        if (row->right != NULL && !is_clean(row->right, &first)) {
            fail_msg("the right example of E%u gives E%u", row->number,
                     nkx_code_rows[first].number);
        }
        if (row->wrong == NULL || row->number / 100 != 1) continue; /* others are found later */
        if (is_clean(row->wrong, &first) || first != (nkx_code)i) {
            fail_msg("the wrong example of E%u does not give it", row->number);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_then_locals),
        cmocka_unit_test(inner_functions_capture_cells),
        cmocka_unit_test(a_name_bound_later_is_captured_too),
        cmocka_unit_test(global_and_nonlocal),
        cmocka_unit_test(class_bodies_are_skipped_by_their_functions),
        cmocka_unit_test(a_class_body_runs_in_the_frame_around),
        cmocka_unit_test(comprehensions_have_a_frame),
        cmocka_unit_test(generators_are_marked),
        cmocka_unit_test(global_slots_never_move),
        cmocka_unit_test(sites_are_numbered),
        cmocka_unit_test(misplaced_statements),
        cmocka_unit_test(examples_of_the_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
