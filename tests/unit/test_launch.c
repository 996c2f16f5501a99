/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches from C: arguments by position and name, arrays written in place, results, what binding
 * of an instruction refuses, and that nothing is left behind: no values, no views.
 */
#include "interp/eval/nki.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char program[] =
    "import nki\n"
    "import nki.isa as nisa\n"
    "import nki.language as nl\n"
    "@nki.jit\n"
    "def scaled(x, y, factor=2.0):\n"
    "    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)\n"
    "    nisa.dma_copy(dst=t, src=x)\n"
    "    nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=factor)\n"
    "    nisa.dma_copy(dst=y, src=t)\n"
    "    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
    "    nisa.dma_copy(dst=out, src=t)\n"
    "    return out\n"
    "@nki.jit\n"
    "def misspelt(x):\n"
    "    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)\n"
    "    for i in range(3):\n"
    "        nisa.dma_copy(dst=t, source=x)\n"
    "@nki.jit\n"
    "def three_faults(x):\n"
    "    t = nl.zeros((128, 4), dtype=nl.float32)\n"
    "    u = nl.zeros((128, 5), dtype=nl.float32)\n"
    "    p = nl.zeros((128, 4), dtype=nl.float32, buffer=nl.psum)\n"
    "    nisa.tensor_copy(dst=t, src=u)\n"
    "    nisa.dma_copy(dst=t, src=p)\n"
    "    nisa.tensor_tensor(dst=t, data1=p, data2=p, op=nl.add)\n";

typedef struct world {
    nkx_sources *sources;
    nkx_diags diags;
    nkx_config config;
    nkx_vm *vm;
    nkx_value module;
    size_t launches;
} world;

static void write_nothing(void *user, int stream, const char *text, size_t len)
{
    (void)user;
    (void)stream;
    (void)text;
    (void)len;
}

static void count_launch(void *user, nkx_core *core, const char *kernel, bool begins)
{
    assert_non_null(core);
    assert_non_null(kernel);
    if (begins) ((world *)user)->launches++;
}

static world *begin(bool numbers)
{
    world *w = nkx_alloc(sizeof *w);
    w->sources = nkx_sources_new();
    nkx_diags_init(&w->diags, w->sources);
    assert_true(nkx_config_load(&w->config, "trn2", NULL, &w->diags));
    nkx_vm_options o = {
        .target = "trn2",
        .config = &w->config,
        .modes = {.exec = numbers, .hazards = true, .threads = 1},
        .no_numbers = !numbers,
        .write = write_nothing,
        .on_launch = count_launch,
        .user = w
    };
    w->vm = nkx_vm_new(&o, w->sources, &w->diags);
    w->module = nkx_vm_module_new(w->vm, "kernels");
    nkx_value value = NKX_UNSET;
    assert_true(nkx_vm_exec_text(w->vm, w->module, "<test>", program, sizeof program - 1, &value));
    nkx_drop(value);
    return w;
}

static void end(world *w)
{
    nkx_drop(w->module);
    nkx_vm_free(w->vm);
    nkx_config_fini(&w->config);
    nkx_diags_fini(&w->diags);
    nkx_sources_free(w->sources);
    free(w);
}

static nkx_value array_of(world *w, float first)
{
    nkx_nd_error e = {0};
    nkx_ndarray *a = nkx_nd_new(NKX_DT_FP32, 2, (int64_t[]){128, 4}, &e);
    assert_non_null(a);
    for (int i = 0; i < 128 * 4; i++) {
        float v = first + (float)i;
        memcpy(a->at + (size_t)i * sizeof v, &v, sizeof v);
    }
    return nkx_array_take(w->vm, a);
}

static double at(nkx_value array, int64_t i)
{
    return nkx_nd_get_f64(NKX_AS(nkx_array_obj, array)->a, i);
}

/* Launches a kernel of the program on n arrays and, when `factor` is set, factor=3.0. */
static bool launch(world *w, const char *name, const nkx_value *arrays, uint32_t n, bool factor,
                   nkx_value *out)
{
    nkx_value kernel = NKX_NONE, in[4];
    const nkx_name *kw[1] = {nkx_intern(w->vm, "factor")};
    for (uint32_t i = 0; i < n; i++) in[i] = arrays[i];
    in[n] = nkx_float(3.0);
    assert_true(nkx_module_get(w->vm, w->module, name, &kernel));
    assert_int_equal(kernel.type, NKX_V_KERNEL);
    nkx_args a = {.at = in, .n = n, .n_kw = factor ? 1 : 0, .kw = kw};
    bool ok = nkx_vm_launch(w->vm, kernel, &a, out);
    nkx_drop(kernel);
    return ok;
}

static void test_result_and_in_place(void **state)
{
    (void)state;
    world *w = begin(true);
    nkx_value in[2] = {array_of(w, 1), array_of(w, -1)}, out = NKX_NONE;
    assert_true(launch(w, "scaled", in, 2, false, &out));
    assert_int_equal(out.type, NKX_V_ARRAY);
    assert_true(at(out, 0) == 2.0 && at(out, 511) == 2.0 * 512.0);
    assert_true(at(in[1], 0) == 2.0 && at(in[0], 0) == 1.0);
    assert_true(NKX_AS(nkx_array_obj, in[1])->a->touched);
    nkx_drop(out);
    out = NKX_NONE;
    assert_true(launch(w, "scaled", in, 2, true, &out));
    assert_true(at(out, 1) == 6.0);
    assert_int_equal(w->launches, 2);
    assert_int_equal(nkx_view_live(nkx_vm_core(w->vm)), 0);
    nkx_drop(out);
    nkx_drop(in[0]);
    nkx_drop(in[1]);
    end(w);
}

static void test_keyword_is_reported_once(void **state)
{
    (void)state;
    world *w = begin(true);
    nkx_value in = array_of(w, 1), out = NKX_NONE;
    assert_false(launch(w, "misspelt", &in, 1, false, &out));
    assert_true(nkx_vm_report(w->vm));
    assert_int_equal(w->diags.n, 1);
    assert_int_equal(w->diags.list[0]->code, NKX_E205);
    assert_non_null(strstr(w->diags.list[0]->message, "'source'"));
    nkx_drop(in);
    end(w);
}

/* Without numbers a refused instruction is passed over, so that one run shows all faults. */
static void test_check_goes_on(void **state)
{
    (void)state;
    world *w = begin(false);
    nkx_value in = array_of(w, 1), out = NKX_NONE;
    assert_false(launch(w, "three_faults", &in, 1, false, &out));
    (void)nkx_vm_report(w->vm);
    assert_int_equal(w->diags.n_errors, 3);
    nkx_drop(in);
    end(w);

    w = begin(true);
    in = array_of(w, 1);
    assert_false(launch(w, "three_faults", &in, 1, false, &out));
    (void)nkx_vm_report(w->vm);
    assert_int_equal(w->diags.n_errors, 1);
    nkx_drop(in);
    end(w);
}

static void test_instruction_outside_of_kernels(void **state)
{
    (void)state;
    world *w = begin(true);
    static const char text[] = "nisa.memset(dst=None, value=0)\n";
    nkx_value value = NKX_UNSET;
    assert_false(nkx_vm_exec_text(w->vm, w->module, "<test>", text, sizeof text - 1, &value));
    assert_true(nkx_vm_report(w->vm));
    assert_int_equal(w->diags.list[0]->code, NKX_E235);
    end(w);
}

static void test_live_session(void **state)
{
    (void)state;
    world *w = begin(true);
    static const char text[] = "t = nl.full((2, 3), 1.5, dtype=nl.float32)\n"
                               "u = nl.add(t, t)\n"
                               "assert nl.equal(u, 3.0)\n"
                               "u.shape\n";
    nkx_value value = NKX_UNSET;
    assert_true(nkx_vm_begin_live(w->vm));
    assert_true(nkx_vm_exec_text(w->vm, w->module, "<test>", text, sizeof text - 1, &value));
    assert_int_equal(value.type, NKX_V_TUPLE);
    nkx_drop(value);
    end(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_result_and_in_place),
        cmocka_unit_test(test_keyword_is_reported_once),
        cmocka_unit_test(test_check_goes_on),
        cmocka_unit_test(test_instruction_outside_of_kernels),
        cmocka_unit_test(test_live_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
