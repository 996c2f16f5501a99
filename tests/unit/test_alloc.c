/* SPDX-License-Identifier: Apache-2.0 */
/* Heap and arena memory, vectors. */
#include "interp/base/alloc.h"
#include "interp/base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void heap_memory_is_zeroed(void **state)
{
    (void)state;
    unsigned char *p = nkx_alloc(100);
    for (int i = 0; i < 100; i++) assert_int_equal(p[i], 0);
    p = nkx_realloc(p, 1000);
    memset(p, 7, 1000);
    unsigned char *q = nkx_dup(p, 1000);
    assert_memory_equal(p, q, 1000);
    free(p);
    free(q);
    free(nkx_alloc(0));
}

static void checked_sizes_tell_of_overflow(void **state)
{
    (void)state;
    int64_t v;
    assert_true(nkx_mul_i64(INT64_C(1) << 31, INT64_C(1) << 31, &v));
    assert_int_equal(v, INT64_C(1) << 62);
    assert_false(nkx_mul_i64(INT64_C(1) << 32, INT64_C(1) << 31, &v));
    assert_false(nkx_add_i64(INT64_MAX, 1, &v));
    assert_true(nkx_add_i64(INT64_MAX, -1, &v));
}

static void arena_blocks_are_aligned_zeroed_and_apart(void **state)
{
    (void)state;
    nkx_arena a;
    nkx_arena_init(&a);
    unsigned char *before = NULL;
    for (size_t size = 1; size < 3000; size += 37) {
        unsigned char *p = nkx_arena_alloc(&a, size);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < size; i++) assert_int_equal(p[i], 0);
        memset(p, 0xAA, size);
        assert_ptr_not_equal(p, before);
        before = p;
    }
    assert_non_null(nkx_arena_alloc(&a, 5 << 20)); /* larger than any chunk */
    nkx_arena_fini(&a);
}

static void arena_memory_is_zeroed_again_after_a_reset(void **state)
{
    (void)state;
    nkx_arena a;
    nkx_arena_init(&a);
    nkx_arena_reset(&a);
    for (int round = 0; round < 3; round++) {
        unsigned char *p = nkx_arena_alloc(&a, 10000);
        for (int i = 0; i < 10000; i++) assert_int_equal(p[i], 0);
        memset(p, 0xFF, 10000);
        nkx_arena_reset(&a);
    }
    nkx_arena_fini(&a);
}

static void arena_strings(void **state)
{
    (void)state;
    nkx_arena a;
    nkx_arena_init(&a);
    assert_string_equal(nkx_arena_str(&a, "abcdef", 3), "abc");
    assert_string_equal(nkx_arena_str(&a, NULL, 0), "");
    assert_string_equal(nkx_arena_printf(&a, "%d-%s", 42, "x"), "42-x");
    nkx_arena_fini(&a);
}

static void vectors_grow_and_keep_their_items(void **state)
{
    (void)state;
    NKX_VEC(int) v = {0};
    for (int i = 0; i < 1000; i++) nkx_push(&v, i * i);
    assert_int_equal(v.n, 1000);
    for (int i = 0; i < 1000; i++) assert_int_equal(v.at[i], i * i);
    nkx_vec_fini(&v);
    assert_null(v.at);
    assert_int_equal(v.n + v.cap, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_memory_is_zeroed),
        cmocka_unit_test(checked_sizes_tell_of_overflow),
        cmocka_unit_test(arena_blocks_are_aligned_zeroed_and_apart),
        cmocka_unit_test(arena_memory_is_zeroed_again_after_a_reset),
        cmocka_unit_test(arena_strings),
        cmocka_unit_test(vectors_grow_and_keep_their_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
