/* SPDX-License-Identifier: Apache-2.0 */
/* Values: counts, strings, containers, equality and hashes, arithmetic, text. */
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
} world;

static int begin(void **state)
{
    world *w = nkx_alloc(sizeof *w);
    w->sources = nkx_sources_new();
    nkx_diags_init(&w->diags, w->sources);
    assert_true(nkx_config_load(&w->config, "trn2", NULL, &w->diags));
    nkx_vm_options o = {.target = "trn2", .config = &w->config};
    w->vm = nkx_vm_new(&o, w->sources, &w->diags);
    *state = w;
    return 0;
}

static int end(void **state)
{
    world *w = *state;
    nkx_vm_free(w->vm);
    nkx_config_fini(&w->config);
    nkx_diags_fini(&w->diags);
    nkx_sources_free(w->sources);
    free(w);
    return 0;
}

static nkx_vm *vm_of(void **state)
{
    return ((world *)*state)->vm;
}

static void assert_repr(nkx_vm *vm, nkx_value v, const char *want)
{
    nkx_buf b = {0};
    assert_true(nkx_repr(vm, v, &b));
    assert_string_equal(b.at, want);
    nkx_buf_fini(&b);
}

static void test_counts(void **state)
{
    nkx_vm *vm = vm_of(state);
    size_t before = nkx_vm_live_objects(vm);
    nkx_value l = nkx_list_new(vm, 0), s = nkx_cstr(vm, "text");
    nkx_list_append(l, s);
    nkx_list_append(l, s);
    assert_int_equal(s.u.o->refs, 3);
    nkx_value t = nkx_tuple_of(vm, (nkx_value[]){l, s, nkx_int(4)}, 3);
    assert_int_equal(l.u.o->refs, 2);
    assert_repr(vm, t, "(['text', 'text'], 'text', 4)");
    nkx_drop(t);
    nkx_drop(l);
    assert_int_equal(s.u.o->refs, 1);
    nkx_drop(s);
    assert_int_equal(nkx_vm_live_objects(vm), before);
}

static void test_large_and_deep(void **state)
{
    nkx_vm *vm = vm_of(state);
    size_t before = nkx_vm_live_objects(vm);
    nkx_value big = nkx_tuple_new(vm, 100000);
    assert_int_equal(NKX_AS(nkx_tuple, big)->n, 100000);
    nkx_drop(big);
    nkx_value chain = nkx_list_new(vm, 1); /* freed without recursion */
    for (int i = 0; i < 200000; i++) {
        nkx_value outer = nkx_list_new(vm, 1);
        nkx_list_append(outer, chain);
        nkx_drop(chain);
        chain = outer;
    }
    nkx_drop(chain);
    assert_int_equal(nkx_vm_live_objects(vm), before);
}

static void test_strings(void **state)
{
    nkx_vm *vm = vm_of(state);
    nkx_value s = nkx_cstr(vm, "a\xc3\xb1"
                               "b");
    assert_int_equal(nkx_text_len(s), 4);
    assert_int_equal(nkx_str_chars(s), 3);
    assert_int_equal(nkx_str_offset(s, 2), 3);
    assert_int_equal(nkx_str_offset(s, 3), 4);
    assert_true(nkx_str_is(s, "a\xc3\xb1"
                              "b"));
    nkx_value one;
    assert_true(nkx_get_item(vm, s, nkx_int(1), &one));
    assert_true(nkx_str_is(one, "\xc3\xb1"));
    nkx_drop(one);
    nkx_drop(s);
    nkx_value e = nkx_cstr(vm, ""), e2 = nkx_str_new(vm, NULL, 0);
    assert_ptr_equal(e.u.o, e2.u.o); /* shared */
    nkx_drop(e);
    nkx_drop(e2);
}

static void test_dict(void **state)
{
    nkx_vm *vm = vm_of(state);
    nkx_value d = nkx_dict_new(vm), v, key;
    for (int64_t i = 0; i < 1000; i++) {
        assert_true(nkx_dict_set(vm, d, nkx_int(i * 7), nkx_int(i)));
    }
    for (int64_t i = 0; i < 1000; i += 2) {
        assert_true(nkx_dict_del(vm, d, nkx_int(i * 7), &v));
        assert_int_equal(v.u.i, i);
    }
    assert_int_equal(nkx_dict_len(d), 500);
    assert_true(nkx_dict_get(vm, d, nkx_float(7.0), &v)); /* 7.0 is the key 7 */
    assert_int_equal(v.u.i, 1);
    assert_true(nkx_dict_get(vm, d, nkx_int(14), &v));
    assert_int_equal(v.type, NKX_V_UNSET);
    for (int64_t i = 0; i < 3000; i++) assert_true(nkx_dict_set(vm, d, nkx_int(-i), nkx_int(i)));
    int64_t last = -1;
    uint32_t at = 0, n = 0;
    while (nkx_dict_next(d, &at, &key, &v) && key.u.i > 0) { /* order of insertion */
        assert_true(key.u.i > last);
        last = key.u.i;
        n++;
    }
    assert_int_equal(n, 500);
    nkx_value bad = nkx_list_new(vm, 0);
    assert_false(nkx_dict_set(vm, d, bad, nkx_int(1)));
    assert_true(nkx_exception_is(vm, NKX_CLS_TypeError));
    nkx_exception_clear(vm);
    nkx_drop(bad);
    nkx_drop(d);
}

static void test_attrs(void **state)
{
    nkx_vm *vm = vm_of(state);
    nkx_attrs a = {0};
    char name[16];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "field%d", i);
        nkx_attrs_set(&a, nkx_intern(vm, name), nkx_int(i));
    }
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "field%d", i);
        assert_int_equal(nkx_attrs_get(&a, nkx_intern(vm, name)).u.i, i);
        assert_int_equal(nkx_attrs_find(&a, nkx_intern(vm, name)), i);
    }
    assert_int_equal(nkx_attrs_get(&a, nkx_intern(vm, "other")).type, NKX_V_UNSET);
    nkx_attrs_fini(&a);
}

static void test_equal_and_hash(void **state)
{
    nkx_vm *vm = vm_of(state);
    nkx_value same[][2] = {
        {nkx_int(1),                                nkx_bool(true)                           },
        {nkx_int(3),                                nkx_float(3.0)                           },
        {nkx_int(-5),                               nkx_int(-5)                              },
        {{.type = NKX_V_DTYPE, .u.i = NKX_DT_BF16}, {.type = NKX_V_DTYPE, .u.i = NKX_DT_BF16}},
    };
    for (size_t i = 0; i < NKX_COUNT(same); i++) {
        bool eq;
        uint64_t x = 0, y = 1;
        assert_true(nkx_equal(vm, same[i][0], same[i][1], &eq));
        assert_true(eq);
        assert_true(nkx_hash(vm, same[i][0], &x) && nkx_hash(vm, same[i][1], &y));
        assert_true(x == y);
    }
    bool eq;
    nkx_value none = NKX_NONE;
    assert_true(nkx_equal(vm, none, nkx_int(0), &eq));
    assert_false(eq);
    nkx_value dt = {.type = NKX_V_DTYPE, .u.i = NKX_DT_FP32}, s = nkx_cstr(vm, "float32");
    assert_true(nkx_equal(vm, dt, s, &eq));
    assert_true(eq);
    nkx_drop(s);
}

static void test_integers(void **state)
{
    nkx_vm *vm = vm_of(state);
    nkx_value out;
    struct {
        int op;
        int64_t a, b, want;
    } fine[] = {
        {NKX_OP_FLOORDIV, -7, 2,   -4                 },
        {NKX_OP_MOD,      -7, 3,   2                  },
        {NKX_OP_MOD,      7,  -3,  -2                 },
        {NKX_OP_POW,      3,  39,  4052555153018976267},
        {NKX_OP_LSHIFT,   1,  62,  (int64_t)1 << 62   },
        {NKX_OP_RSHIFT,   -9, 1,   -5                 },
        {NKX_OP_RSHIFT,   -1, 100, -1                 },
        {NKX_OP_BITXOR,   6,  3,   5                  }
    };
    for (size_t i = 0; i < NKX_COUNT(fine); i++) {
        assert_true(nkx_binary(vm, fine[i].op, nkx_int(fine[i].a), nkx_int(fine[i].b), &out));
        assert_int_equal(out.type, NKX_V_INT);
        assert_true(out.u.i == fine[i].want);
    }
    struct {
        int op;
        int64_t a, b;
        nkx_class_id cls;
    } wrong[] = {
        {NKX_OP_ADD,      INT64_MAX, 1,  NKX_CLS_OverflowError    },
        {NKX_OP_SUB,      INT64_MIN, 1,  NKX_CLS_OverflowError    },
        {NKX_OP_MULT,     INT64_MAX, 2,  NKX_CLS_OverflowError    },
        {NKX_OP_POW,      2,         63, NKX_CLS_OverflowError    },
        {NKX_OP_LSHIFT,   1,         63, NKX_CLS_OverflowError    },
        {NKX_OP_FLOORDIV, INT64_MIN, -1, NKX_CLS_OverflowError    },
        {NKX_OP_DIV,      1,         0,  NKX_CLS_ZeroDivisionError},
        {NKX_OP_MOD,      1,         0,  NKX_CLS_ZeroDivisionError},
        {NKX_OP_LSHIFT,   1,         -1, NKX_CLS_ValueError       }
    };
    for (size_t i = 0; i < NKX_COUNT(wrong); i++) {
        assert_false(nkx_binary(vm, wrong[i].op, nkx_int(wrong[i].a), nkx_int(wrong[i].b), &out));
        assert_true(nkx_exception_is(vm, wrong[i].cls));
        nkx_exception_clear(vm);
    }
    assert_false(nkx_unary(vm, NKX_OP_USUB, nkx_int(INT64_MIN), &out));
    nkx_exception_clear(vm);
}

static void test_slices(void **state)
{
    nkx_vm *vm = vm_of(state);
    struct {
        int64_t n, start, stop, step, want_start, want_count;
        bool has_start, has_stop;
    } rows[] = {
        {10, 2,         8,         2,  2,  3,  true,  true },
        {10, 0,         0,         -1, 9,  10, false, false},
        {10, -3,        0,         1,  7,  3,  true,  false},
        {10, 100,       200,       1,  10, 0,  true,  true },
        {10, -100,      3,         1,  0,  3,  true,  true },
        {10, 8,         2,         -2, 8,  3,  true,  true },
        {0,  0,         0,         1,  0,  0,  false, false},
        {5,  INT64_MAX, INT64_MIN, -1, 4,  5,  true,  true },
    };
    nkx_value none = NKX_NONE;
    for (size_t i = 0; i < NKX_COUNT(rows); i++) {
        int64_t start, step, count;
        nkx_value s =
            nkx_slice_new(vm, rows[i].has_start ? nkx_int(rows[i].start) : none,
                          rows[i].has_stop ? nkx_int(rows[i].stop) : none, nkx_int(rows[i].step));
        assert_true(nkx_slice_resolve(vm, s, rows[i].n, &start, &step, &count));
        assert_true(start == rows[i].want_start);
        assert_true(count == rows[i].want_count);
        nkx_drop(s);
    }
}

static void test_rings_in_text(void **state)
{
    nkx_vm *vm = vm_of(state);
    nkx_value l = nkx_list_new(vm, 1), d = nkx_dict_new(vm), key = nkx_cstr(vm, "k");
    nkx_list_append(l, d);
    assert_true(nkx_dict_set(vm, d, key, l));
    assert_repr(vm, l, "[{'k': [...]}]");
    nkx_drop(l); /* the ring is swept when the VM ends */
    nkx_drop(d);
    nkx_drop(key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_counts, begin, end),
        cmocka_unit_test_setup_teardown(test_large_and_deep, begin, end),
        cmocka_unit_test_setup_teardown(test_strings, begin, end),
        cmocka_unit_test_setup_teardown(test_dict, begin, end),
        cmocka_unit_test_setup_teardown(test_attrs, begin, end),
        cmocka_unit_test_setup_teardown(test_equal_and_hash, begin, end),
        cmocka_unit_test_setup_teardown(test_integers, begin, end),
        cmocka_unit_test_setup_teardown(test_slices, begin, end),
        cmocka_unit_test_setup_teardown(test_rings_in_text, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
