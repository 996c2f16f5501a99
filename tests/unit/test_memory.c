/* SPDX-License-Identifier: Apache-2.0 */
/* Memories: placement, reuse of the bytes idle longest, capacity, placement by hand, aliasing. */
#include "tests/unit/machine_support.h"

#include "interp/machine/freelist.h"

static void test_reuse_is_oldest_first(void **state)
{
    (void)state;
    nkx_freelist f;
    nkx_past past = {0};
    nkx_freelist_init(&f, 3072, NULL);
    nkx_piece *a = nkx_freelist_take(&f, 1024, 64, &past);
    nkx_piece *b = nkx_freelist_take(&f, 1024, 64, &past);
    nkx_piece *c = nkx_freelist_take(&f, 1024, 64, &past);
    assert_non_null(c);
    assert_null(nkx_freelist_take(&f, 1, 1, &past));
    past.at[NKX_PE] = 7;
    int64_t b_off = b->off;
    nkx_freelist_give(&f, b, &past);
    past.at[NKX_PE] = 9;
    nkx_freelist_give(&f, a, &past);
    nkx_past got = {0};
    nkx_piece *d = nkx_freelist_take(&f, 512, 64, &got); /* b was freed first */
    assert_int_equal(d->off, b_off);
    assert_int_equal(got.at[NKX_PE], 7);
    assert_null(nkx_freelist_take(&f, 1536, 64, &got)); /* a and the rest of b do not touch */
    assert_int_equal(nkx_freelist_longest(&f), 1024);
    nkx_freelist_fini(&f);
}

static void test_joins_neighbours(void **state)
{
    (void)state;
    nkx_freelist f;
    nkx_past past = {0};
    nkx_piece *at[8];
    nkx_freelist_init(&f, 1024, NULL);
    for (int i = 0; i < 8; i++) at[i] = nkx_freelist_take(&f, 128, 64, &past);
    for (int i = 0; i < 8; i++) {
        past.at[NKX_DVE] = i + 1;
        nkx_freelist_give(&f, at[i], &past);
    }
    nkx_past got = {0};
    nkx_piece *d = nkx_freelist_take(&f, 300, 4, &got);
    assert_int_equal(d->off, 0);
    assert_int_equal(d->len, 300);
    assert_int_equal(got.at[NKX_DVE], 3); /* three oldest pieces */
    assert_int_equal(nkx_freelist_longest(&f), 1024 - 300);
    got = (nkx_past){0};
    assert_non_null(nkx_freelist_take(&f, 724, 4, &got));
    assert_int_equal(got.at[NKX_DVE], 8);
    assert_int_equal(f.free_bytes, 0);
    nkx_freelist_fini(&f);
}

static void test_ranges(void **state)
{
    (void)state;
    nkx_freelist f;
    nkx_past past = {.at = {[NKX_ACT] = 3}}, got = {0};
    nkx_freelist_init(&f, 1000, NULL);
    nkx_piece *a = nkx_freelist_take(&f, 100, 4, &got);
    nkx_freelist_carve(&f, 50, 200, &got); /* [100, 250): a keeps its bytes */
    assert_int_equal(f.free_bytes, 750);
    nkx_freelist_give_range(&f, 120, 100, &past);
    assert_int_equal(f.free_bytes, 850);
    nkx_freelist_give(&f, a, &past);
    nkx_freelist_give_range(&f, 0, 1000, &past);
    assert_int_equal(f.free_bytes, 1000);
    assert_int_equal(nkx_freelist_longest(&f), 1000);
    nkx_piece *all = nkx_freelist_take(&f, 1000, 4, &got);
    assert_int_equal(all->len, 1000);
    assert_int_equal(got.at[NKX_ACT], 3);
    nkx_freelist_fini(&f);
}

/* Random takes and gives: bytes are never handed out twice, and all come back. */
static void test_freelist_random(void **state)
{
    (void)state;
    enum { BYTES = 1 << 14, HELD = 64 };
    static uint8_t owner[BYTES];
    nkx_piece *held[HELD] = {NULL};
    nkx_freelist f;
    uint32_t seed = 12345;
    memset(owner, 0, sizeof owner);
    nkx_freelist_init(&f, BYTES, NULL);
    for (int round = 0; round < 20000; round++) {
        seed = seed * 1664525u + 1013904223u;
        int i = (int)(seed >> 16) % HELD;
        nkx_past past = {0};
        if (held[i]) {
            memset(owner + held[i]->off, 0, (size_t)held[i]->len);
            nkx_freelist_give(&f, held[i], &past);
            held[i] = NULL;
            continue;
        }
        int64_t len = 1 + (int64_t)(seed >> 8) % 700;
        held[i] = nkx_freelist_take(&f, len, 4, &past);
        if (held[i] == NULL) {
            assert_true(nkx_freelist_longest(&f) < len + 4);
            continue;
        }
        assert_int_equal(held[i]->off % 4, 0);
        assert_int_equal(held[i]->len, len);
        for (int64_t b = held[i]->off; b < held[i]->off + len; b++) {
            assert_int_equal(owner[b], 0);
            owner[b] = 1;
        }
    }
    for (int i = 0; i < HELD; i++) {
        nkx_past past = {0};
        if (held[i]) nkx_freelist_give(&f, held[i], &past);
    }
    assert_int_equal(f.free_bytes, BYTES);
    assert_int_equal(nkx_freelist_longest(&f), BYTES);
    nkx_freelist_fini(&f);
}

static int last_code(const mach *m)
{
    return m->diags.n ? (int)m->diags.list[m->diags.n - 1]->code : -1;
}

static void test_capacity(void **state)
{
    (void)state;
    mach m;
    mach_init(&m, "trn2", (nkx_modes){.hazards = true});
    nkx_storage *a = mach_tile(&m, NKX_SPACE_SBUF, 128, 200000, "big"), *b = NULL;
    assert_false(nkx_storage_new(&m.core, NKX_SPACE_SBUF, 128, 20000, (nkx_place){0}, (nkx_span){0},
                                 "more", "uint8[128,20000]", &b));
    assert_int_equal(last_code(&m), NKX_E403);
    assert_non_null(strstr(m.diags.list[0]->detail, "big"));
    assert_non_null(strstr(m.diags.list[0]->message, "12984 of 212984"));
    nkx_storage_drop(a);
    b = mach_tile(&m, NKX_SPACE_SBUF, 128, 212984, "all");
    nkx_mem_use use;
    nkx_memory_use(m.core.memory, NKX_SPACE_SBUF, &use);
    assert_int_equal(use.used, 212984);
    assert_int_equal(use.free_run, 0);
    nkx_storage_drop(b);
    assert_false(nkx_storage_new(&m.core, NKX_SPACE_SBUF, 129, 4, (nkx_place){0}, (nkx_span){0},
                                 "x", "", &b));
    assert_int_equal(last_code(&m), NKX_E406);
    assert_false(nkx_storage_new(&m.core, NKX_SPACE_PSUM, 128, 2052, (nkx_place){0}, (nkx_span){0},
                                 "x", "", &b));
    assert_int_equal(last_code(&m), NKX_E407);
    assert_false(nkx_storage_new(&m.core, NKX_SPACE_HBM, 1 << 20, 1 << 20, (nkx_place){0},
                                 (nkx_span){0}, "x", "", &b));
    assert_int_equal(last_code(&m), NKX_E405);
    assert_false(nkx_storage_new(&m.core, NKX_SPACE_HBM, INT64_MAX / 2, 1 << 20, (nkx_place){0},
                                 (nkx_span){0}, "x", "", &b));
    mach_fini(&m);
}

static void test_banks(void **state)
{
    (void)state;
    mach m;
    mach_init(&m, "trn1", (nkx_modes){.hazards = true});
    nkx_storage *t[8], *more = NULL;
    for (int i = 0; i < 8; i++) {
        t[i] = mach_tile(&m, NKX_SPACE_PSUM, 128, 512 + 64 * i,
                         "p"); /* whole banks whatever the size */
        assert_int_equal(t[i]->offset, 2048 * i);
    }
    assert_false(nkx_storage_new(&m.core, NKX_SPACE_PSUM, 1, 4, (nkx_place){0}, (nkx_span){0}, "x",
                                 "", &more));
    assert_int_equal(last_code(&m), NKX_E404);
    nkx_storage_drop(t[3]);
    t[3] = mach_tile(&m, NKX_SPACE_PSUM, 1, 4, "p");
    assert_int_equal(t[3]->offset, 2048 * 3);
    for (int i = 0; i < 8; i++) nkx_storage_drop(t[i]);
    mach_fini(&m);
}

static void test_allowed_outside(void **state)
{
    (void)state;
    mach m;
    mach_init(&m, "trn2", (nkx_modes){.hazards = true, .exec = true, .threads = 1});
    m.diags.allowed[NKX_E403] = 1;
    nkx_storage *a = mach_tile(&m, NKX_SPACE_SBUF, 128, 212984, "all");
    nkx_storage *b = mach_tile(&m, NKX_SPACE_SBUF, 128, 4096, "outside");
    assert_non_null(b->base);
    memset(b->base + 127 * b->pitch, 1, 4096);
    assert_int_equal(m.diags.n, 0);
    nkx_storage_drop(b);
    nkx_storage_drop(a);
    mach_fini(&m);
}

static void test_manual(void **state)
{
    (void)state;
    mach m;
    mach_init(&m, "trn2", (nkx_modes){.hazards = true, .exec = true, .threads = 1});
    nkx_storage *moved = mach_tile(&m, NKX_SPACE_SBUF, 4, 64, "auto");
    assert_int_equal(moved->offset, 0);
    memset(moved->base + 3 * moved->pitch, 0x5a, 64);
    nkx_storage *a = mach_try_at(&m, NKX_SPACE_SBUF, 128, 256, 0, 0, "a");
    assert_non_null(a);
    assert_int_equal(moved->offset, 256); /* out of the way, with its bytes */
    assert_int_equal(moved->base[3 * moved->pitch + 63], 0x5a);
    nkx_storage *b = mach_try_at(&m, NKX_SPACE_SBUF, 32, 128, 64, 128, "b");
    assert_non_null(b);
    assert_ptr_equal(b->base, a->base + 64 * a->pitch + 128); /* the same bytes */
    nkx_storage *c = mach_tile(&m, NKX_SPACE_SBUF, 128, 256, "c");
    assert_true(c->offset >= 256 + 64 || c->offset >= 256);
    nkx_storage_drop(a); /* b keeps [128, 256) */
    nkx_mem_use use;
    nkx_memory_use(m.core.memory, NKX_SPACE_SBUF, &use);
    assert_int_equal(use.used, 128 + 64 + 256);
    nkx_storage_drop(b);
    nkx_storage_drop(c);
    nkx_storage_drop(moved);
    nkx_memory_use(m.core.memory, NKX_SPACE_SBUF, &use);
    assert_int_equal(use.used, 0);
    assert_int_equal(use.free_run, 212984);
    mach_fini(&m);
}

static void test_manual_wrong(void **state)
{
    (void)state;
    mach m;
    mach_init(&m, "trn2", (nkx_modes){.hazards = true});
    assert_null(mach_try_at(&m, NKX_SPACE_SBUF, 65, 64, 64, 0, "a"));
    assert_int_equal(last_code(&m), NKX_E408);
    assert_null(mach_try_at(&m, NKX_SPACE_SBUF, 64, 64, 0, 229376, "a"));
    assert_int_equal(last_code(&m), NKX_E408);
    assert_null(mach_try_at(&m, NKX_SPACE_SBUF, 64, 64, 0, -1, "a"));
    assert_null(mach_try_at(&m, NKX_SPACE_PSUM, 64, 64, 0, 100, "a"));
    assert_int_equal(last_code(&m), NKX_E409);
    nkx_storage *r =
        mach_try_at(&m, NKX_SPACE_SBUF, 64, 64, 0, 229376 - 64, "a"); /* reserved: a warning */
    assert_non_null(r);
    assert_int_equal(last_code(&m), NKX_E411);
    nkx_storage_drop(r);
    mach_fini(&m);
}

static void test_table_groups(void **state)
{
    (void)state;
    mach m;
    mach_init(&m, "trn2", (nkx_modes){.hazards = true});
    nkx_storage *t[40];
    nkx_buf out = {0};
    for (int i = 0; i < 40; i++)
        t[i] = mach_tile(&m, NKX_SPACE_SBUF, 128, 64, i < 20 ? "left" : "right");
    nkx_memory_table(m.core.memory, NKX_SPACE_SBUF, &out);
    assert_non_null(strstr(out.at, "1280    20"));
    assert_null(strstr(out.at, "   40  "));
    nkx_buf_fini(&out);
    for (int i = 0; i < 40; i++) nkx_storage_drop(t[i]);
    mach_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reuse_is_oldest_first),
        cmocka_unit_test(test_joins_neighbours),
        cmocka_unit_test(test_freelist_random),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_capacity),
        cmocka_unit_test(test_banks),
        cmocka_unit_test(test_allowed_outside),
        cmocka_unit_test(test_manual),
        cmocka_unit_test(test_manual_wrong),
        cmocka_unit_test(test_table_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
