/* SPDX-License-Identifier: Apache-2.0 */
/* Large blocks and the pool that keeps them: always zero, bounded, outliving their maker. */
#include "interp/base/pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MIB ((size_t)1 << 20)

static bool all_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] != 0) return false;
    }
    return true;
}

static void test_sizes(void **state)
{
    static const size_t sizes[] = {0, 1, 4096, 4 * MIB - 1, 4 * MIB, 4 * MIB + 1, 9 * MIB};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint8_t *p = nkx_pages_new(NULL, sizes[i]);
        assert_non_null(p);
        assert_true(all_zero(p, sizes[i]));
        memset(p, 0xff, sizes[i]);
        nkx_pages_free(NULL, p, sizes[i]);
    }
    assert_null(nkx_pages_new(NULL, SIZE_MAX));
    nkx_pages_free(NULL, NULL, 5);
}

static void test_reuse(void **state)
{
    (void)state;
    nkx_pool *pool = nkx_pool_new();
    uint8_t *a = nkx_pages_new(pool, 5 * MIB);
    memset(a, 1, 5 * MIB);
    nkx_pages_free(pool, a, 5 * MIB);
    uint8_t *b = nkx_pages_new(pool, 6 * MIB - 1); /* the same count of large pages */
    assert_ptr_equal(a, b);
    assert_true(all_zero(b, 6 * MIB));
    uint8_t *c = nkx_pages_new(pool, 5 * MIB);
    assert_ptr_not_equal(b, c);
    nkx_pool_ref(pool);
    nkx_pool_drop(pool); /* the maker goes, its blocks stay */
    nkx_pages_free(pool, b, 6 * MIB - 1);
    nkx_pages_free(pool, c, 5 * MIB);
    nkx_pool_drop(pool);
}

/* More than a pool keeps goes back to the system: a leak checker sees what is lost. */
static void test_bound(void **state)
{
    (void)state;
    void *at[40];
    nkx_pool *pool = nkx_pool_new();
    for (int i = 0; i < 40; i++) at[i] = nkx_pages_new(pool, 4 * MIB);
    for (int i = 0; i < 40; i++) nkx_pages_free(pool, at[i], 4 * MIB);
    void *big = nkx_pages_new(pool, 100 * MIB);
    nkx_pages_free(pool, big, 100 * MIB);
    nkx_pool_drop(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
