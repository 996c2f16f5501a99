/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluator from C: texts run in a module, limits, interrupts, reports, nothing left behind. */
#include "interp/eval/vm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

typedef struct world {
    nkx_sources *sources;
    nkx_diags diags;
    nkx_config config;
    nkx_vm *vm;
    nkx_buf out;
    nkx_value module;
} world;

static void keep_output(void *user, int stream, const char *text, size_t len)
{
    (void)stream;
    nkx_buf_add(&((world *)user)->out, text, len);
}

static world *begin(nkx_limits limits)
{
    world *w = nkx_alloc(sizeof *w);
    w->sources = nkx_sources_new();
    nkx_diags_init(&w->diags, w->sources);
    assert_true(nkx_config_load(&w->config, "trn2", NULL, &w->diags));
    nkx_vm_options o = {
        .target = "trn2", .config = &w->config, .limits = limits, .write = keep_output, .user = w};
    w->vm = nkx_vm_new(&o, w->sources, &w->diags);
    w->module = nkx_vm_module_new(w->vm, "__main__");
    return w;
}

static void end(world *w)
{
    nkx_drop(w->module);
    nkx_vm_free(w->vm);
    nkx_config_fini(&w->config);
    nkx_diags_fini(&w->diags);
    nkx_sources_free(w->sources);
    nkx_buf_fini(&w->out);
    free(w);
}

static bool run(world *w, const char *text, nkx_value *value)
{
    return nkx_vm_exec_text(w->vm, w->module, "<test>", text, strlen(text), value);
}

/* The text fails with this code, and the VM goes on afterwards. */
static void assert_fails(world *w, const char *text, nkx_code code)
{
    size_t known = w->diags.n;
    assert_false(run(w, text, NULL));
    assert_true(nkx_vm_report(w->vm));
    assert_int_equal(w->diags.n, known + 1);
    assert_int_equal(w->diags.list[known]->code, code);
    nkx_value v;
    assert_true(run(w, "40 + 2\n", &v));
    assert_int_equal(v.u.i, 42);
}

static void test_text_by_text(void **state)
{
    (void)state;
    world *w = begin((nkx_limits){0});
    nkx_value v;
    assert_true(run(w, "x = 20\n", &v));
    assert_int_equal(v.type, NKX_V_UNSET);
    assert_true(run(w, "def twice(a):\n    return a * 2\n", NULL));
    assert_true(run(w, "x + 1\ntwice(x) + 2\n", &v));
    assert_int_equal(v.u.i, 42);
    assert_true(nkx_module_set(w->vm, w->module, "y", nkx_int(5)));
    assert_true(run(w, "x + y\n", &v));
    assert_int_equal(v.u.i, 25);
    assert_true(nkx_module_get(w->vm, w->module, "x", &v));
    assert_int_equal(v.u.i, 20);
    assert_true(nkx_module_get(w->vm, w->module, "nothing", &v));
    assert_int_equal(v.type, NKX_V_UNSET);
    assert_true(run(w, "print('a', x)\n", NULL));
    assert_string_equal(w->out.at, "a 20\n");
    end(w);
}

static void test_an_error_leaves_the_state(void **state)
{
    (void)state;
    world *w = begin((nkx_limits){0});
    nkx_value v;
    assert_true(run(w, "x = 1\n", NULL));
    assert_fails(w, "x = 2\ny = 1 // 0\n", NKX_E214);
    assert_true(run(w, "x\n", &v));
    assert_int_equal(v.u.i, 2);
    assert_false(run(w, "x = = 3\n", NULL)); /* a syntax error is a diagnostic already */
    assert_true(nkx_vm_report(w->vm));
    assert_int_equal(w->diags.n, 2);
    assert_false(nkx_vm_report(w->vm));
    end(w);
}

static void test_step_limit(void **state)
{
    (void)state;
    world *w = begin((nkx_limits){.max_steps = 10000});
    assert_false(run(w, "while True:\n    pass\n", NULL));
    assert_true(nkx_vm_report(w->vm));
    assert_int_equal(w->diags.list[0]->code, NKX_E225);
    end(w);
    w = begin((nkx_limits){.max_steps = 10000});
    assert_false(
        run(w, "while True:\n    try:\n        x = 1\n    except BaseException:\n        pass\n",
            NULL));
    assert_true(nkx_vm_report(w->vm)); /* nothing catches it */
    assert_int_equal(w->diags.list[0]->code, NKX_E225);
    end(w);
    w = begin((nkx_limits){.max_steps = 10000});
    assert_false(run(w, "sum(i for i in iter(int, 1))\n", NULL));
    assert_true(nkx_exception_pending(w->vm));
    end(w);
}

static void test_depth(void **state)
{
    (void)state;
    world *w = begin((nkx_limits){.max_depth = 100});
    assert_fails(w, "def f(n):\n    return f(n + 1)\nf(0)\n", NKX_E219);
    assert_fails(w, "class A:\n    def __repr__(self):\n        return repr(self)\nrepr(A())\n",
                 NKX_E219);
    end(w);
    w = begin((nkx_limits){.max_depth = 1000000}); /* the C stack decides */
    assert_fails(w, "def f(n):\n    return f(n + 1)\nf(0)\n", NKX_E219);
    assert_fails(w, "def g(n):\n    return [g(n + 1) for i in range(1)]\ng(0)\n", NKX_E219);
    assert_fails(w, "l = []\nfor i in range(200000):\n    l = [l]\nstr(l)\n", NKX_E219);
    assert_fails(w, "m = []\nfor i in range(200000):\n    m = [m]\nl == m\n", NKX_E219);
    assert_fails(w, "class B:\n    def __getattr__(self, n):\n        return self.other\nB().x\n",
                 NKX_E219);
    end(w);
}

static void test_memory_limit(void **state)
{
    (void)state;
    world *w = begin((nkx_limits){.max_bytes = 8 << 20});
    assert_fails(w, "x = [0] * 10000000\n", NKX_E250);
    assert_fails(w, "x = 'ab' * 100000000\n", NKX_E250);
    assert_fails(w, "x = []\nwhile True:\n    x.append((1, 2))\n", NKX_E250);
    end(w);
}

static void test_interrupt(void **state)
{
    (void)state;
    world *w = begin((nkx_limits){0});
    nkx_vm_interrupt(w->vm);
    assert_fails(w, "while True:\n    pass\n", NKX_E226);
    end(w);
}

static void test_nothing_left(void **state)
{
    (void)state;
    world *w = begin((nkx_limits){0});
    const char *text = "class P:\n"
                       "    def __init__(self, a):\n"
                       "        self.a = a\n"
                       "    def get(self):\n"
                       "        return [self.a for i in range(3)]\n"
                       "def outer(n):\n"
                       "    def inner():\n"
                       "        return n\n"
                       "    return inner\n"
                       "d = {'k': P(1), 2: (1, 'x')}\n"
                       "try:\n"
                       "    d['q']\n"
                       "except KeyError as e:\n"
                       "    t = f'{e} {d[2]}'\n"
                       "g = sum(i for i in d['k'].get())\n"
                       "h = outer(3)() + len([*range(4)])\n"
                       "del P, outer, d, t, g, h\n";
    size_t after[2];
    for (int i = 0; i < 2; i++) {
        assert_true(run(w, text, NULL));
        after[i] = nkx_vm_live_objects(w->vm);
        /* constants of the text stay; nothing else may */
    }
    assert_true(run(w, text, NULL));
    assert_int_equal(nkx_vm_live_objects(w->vm) - after[1], after[1] - after[0]);
    size_t constants = after[1] - after[0];
    assert_in_range(constants, 0, 12);
    end(w);
}

static void test_rings_are_swept(void **state)
{
    (void)state;
    world *w = begin((nkx_limits){0});
    assert_true(run(w,
                    "class N:\n    pass\n"
                    "a = N()\nb = N()\na.other = b\nb.other = a\na.me = a\n"
                    "l = []\nl.append(l)\n"
                    "def f():\n    def g(n):\n        return g\n    return g\n"
                    "f()\nit = (x for x in l)\nnext(it)\ndel a, b, l\n",
                    NULL));
    end(w); /* the leak checker has the last word */
}

static void test_did_you_mean(void **state)
{
    (void)state;
    world *w = begin((nkx_limits){0});
    assert_fails(w, "tiles = 3\nprint(tile)\n", NKX_E201);
    assert_string_equal(w->diags.list[0]->hint, "Did you mean 'tiles'?");
    assert_fails(w, "[].apend(3)\n", NKX_E203);
    assert_string_equal(w->diags.list[1]->hint, "Did you mean 'append'?");
    end(w);
}

static void test_exit(void **state)
{
    (void)state;
    world *w = begin((nkx_limits){0});
    int code = 0;
    assert_false(run(w, "raise SystemExit(3)\n", NULL));
    assert_true(nkx_vm_report(w->vm));
    assert_int_equal(w->diags.n, 0);
    assert_true(nkx_vm_exited(w->vm, &code));
    assert_int_equal(code, 3);
    end(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_by_text), cmocka_unit_test(test_an_error_leaves_the_state),
        cmocka_unit_test(test_step_limit),   cmocka_unit_test(test_depth),
        cmocka_unit_test(test_memory_limit), cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_nothing_left), cmocka_unit_test(test_rings_are_swept),
        cmocka_unit_test(test_did_you_mean), cmocka_unit_test(test_exit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
