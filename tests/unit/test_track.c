/* SPDX-License-Identifier: Apache-2.0 */
/* Tracker: byte states against a plain map, undefined reads, who waits for whom. */
#include "tests/unit/machine_support.h"

#include "interp/machine/hazard.h"

static uint32_t seed = 1;

static int64_t pick(int64_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (int64_t)((seed >> 8) % (uint64_t)n);
}

/* A random region of a storage: a rectangle, or a pattern of rows and strided columns. */
static nkx_region random_region(nkx_storage *st)
{
    int64_t rows = st->rows, cols = st->row_bytes / 2;
    int64_t r0 = pick(rows), nr = 1 + pick(rows - r0);
    int64_t step = 1 + pick(3), c0 = pick(cols), nc = 1 + pick((cols - c0 + step - 1) / step);
    nkx_region r = {.st = st,
                    .r0 = (uint32_t)r0,
                    .r1 = (uint32_t)(r0 + nr),
                    .b0 = c0 * 2,
                    .b1 = (c0 + (nc - 1) * step + 1) * 2,
                    .exact = step == 1 || nc == 1,
                    .ndim = 2,
                    .elem_bytes = 2,
                    .first = r0 * st->row_bytes + c0 * 2,
                    .param = "data"};
    bool columns_first = pick(2) == 0;
    r.count[columns_first] = nr;
    r.step[columns_first] = st->row_bytes;
    r.count[!columns_first] = nc;
    r.step[!columns_first] = 2 * step;
    return r;
}

static void element(const nkx_region *r, int64_t i, int64_t *at)
{
    *at = r->first + i / r->count[1] * r->step[0] + i % r->count[1] * r->step[1];
}

static void test_cells_random(void **state)
{
    (void)state;
    enum { ROWS = 9, BYTES = 26 };
    mach m;
    mach_init(&m, "trn2", (nkx_modes){.hazards = true});
    for (int round = 0; round < 300; round++) {
        uint8_t map[ROWS * BYTES] = {0}, states[ROWS * BYTES];
        nkx_storage *st = mach_tile(&m, NKX_SPACE_PSUM, ROWS, BYTES, "t");
        for (int k = 0; k < 12; k++) {
            nkx_region r = random_region(st);
            int64_t n = r.count[0] * r.count[1], at, unwritten = 0, first = -1, got_first;
            unsigned bits = 0;
            for (int64_t i = 0; i < n; i++) {
                element(&r, i, &at);
                bits |= NKX_CELL(map[at]);
                if (map[at] == NKX_PE_UNINIT && unwritten++ == 0) first = i;
            }
            assert_int_equal(nkx_cells_query(&st->track->cells, &r), bits);
            assert_int_equal(nkx_track_unwritten(&r, &got_first), unwritten);
            assert_int_equal(got_first, first);
            nkx_track_pe_states(&r, states, n);
            for (int64_t i = 0; i < n; i++) {
                element(&r, i, &at);
                assert_int_equal(states[i], map[at]);
            }
            r.write = true;
            r.by_pe = pick(2) == 0;
            nkx_track_use(&r, NKX_PE, 1, 1, NULL, 0);
            for (int64_t i = 0; i < n; i++) {
                element(&r, i, &at);
                map[at] = map[at + 1] = r.by_pe ? NKX_PE_ACCUM : NKX_PE_VALUE;
            }
        }
        nkx_storage_drop(st);
    }
    mach_fini(&m);
}

static void test_cells_merge(void **state)
{
    (void)state;
    mach m;
    mach_init(&m, "trn2", (nkx_modes){.hazards = true});
    nkx_storage *st = mach_tile(&m, NKX_SPACE_SHARED_HBM, 512, 4096, "out");
    for (int i = 0; i < 16; i++) { /* blocks row by row become one state again */
        nkx_region r = mach_rect(st, i / 4 * 128, i / 4 * 128 + 128, i % 4 * 1024,
                                 i % 4 * 1024 + 1024, true, "dst");
        nkx_track_use(&r, NKX_DMA, 1, 1, NULL, 0);
    }
    assert_int_equal(st->track->cells.all, NKX_PE_VALUE);
    assert_int_equal(st->track->cells.n, 0);
    nkx_storage_drop(st);
    mach_fini(&m);
}

static int code_of(const mach *m, size_t i)
{
    return i < m->diags.n ? (int)m->diags.list[i]->code : -1;
}

static bool copy(mach *m, nkx_region dst, nkx_region src)
{
    return mach_work(m, "tensor_copy", NKX_DVE, NKX_COST_DVE, 64, dst, &src, 1, 1);
}

static void test_undefined(void **state)
{
    (void)state;
    mach m;
    mach_init(&m, "trn2", (nkx_modes){.hazards = true, .time = true});
    nkx_storage *a = mach_tile(&m, NKX_SPACE_SBUF, 128, 256, "a"),
                *b = mach_tile(&m, NKX_SPACE_SBUF, 128, 256, "b");
    assert_false(copy(&m, mach_all(b, true, "dst"), mach_all(a, false, "src")));
    assert_int_equal(code_of(&m, 0), NKX_E401);
    assert_non_null(strstr(m.diags.list[0]->message, "tensor_copy reads 'a' as src"));
    assert_int_equal(m.core.n_issued, 0);
    assert_false(nkx_track_any_written(b));                                     /* no effect */
    assert_true(copy(&m, mach_all(b, true, "dst"), mach_all(a, false, "src"))); /* once a storage */
    assert_int_equal(m.diags.n, 1);
    nkx_storage_drop(a);
    nkx_storage_drop(b);
    mach_fini(&m);
}

static void test_partly_undefined(void **state)
{
    (void)state;
    mach m;
    mach_init(&m, "trn2", (nkx_modes){.hazards = true, .time = true});
    nkx_storage *a = mach_tile(&m, NKX_SPACE_SBUF, 128, 256, "a"),
                *b = mach_tile(&m, NKX_SPACE_SBUF, 128, 256, "b");
    assert_true(mach_work(&m, "memset", NKX_DVE, NKX_COST_DVE, 64,
                          mach_rect(a, 0, 64, 0, 256, true, "dst"), NULL, 0, 1));
    nkx_region junk = mach_all(a, false, "src");
    junk.partial_ok = true;
    assert_true(copy(&m, mach_all(b, true, "dst"), junk));
    assert_int_equal(m.diags.n, 0);
    assert_true(copy(&m, mach_all(b, true, "dst"), mach_rect(a, 0, 64, 0, 256, false, "src")));
    assert_int_equal(m.diags.n, 0);
    assert_true(copy(&m, mach_all(b, true, "dst"), mach_all(a, false, "src"))); /* a warning */
    assert_int_equal(code_of(&m, 0), NKX_E402);
    assert_non_null(strstr(m.diags.list[0]->message, "element 16384 of 32768"));
    m.diags.strict = true;
    nkx_storage *c = mach_tile(&m, NKX_SPACE_SBUF, 128, 256, "c");
    assert_true(mach_work(&m, "memset", NKX_DVE, NKX_COST_DVE, 64,
                          mach_rect(c, 0, 128, 0, 4, true, "dst"), NULL, 0, 1));
    assert_false(mach_work(
        &m, "tensor_copy", NKX_DVE, NKX_COST_DVE, 64, mach_all(b, true, "dst"),
        &(nkx_region){.st = c, .r1 = 128, .b1 = 256, .exact = true, .param = "src"}, 1, 7));
    nkx_storage_drop(a);
    nkx_storage_drop(b);
    nkx_storage_drop(c);
    mach_fini(&m);
}

static void test_alias_and_overwrite(void **state)
{
    (void)state;
    mach m;
    mach_init(&m, "trn2", (nkx_modes){.hazards = true, .time = true});
    nkx_storage *a = mach_try_at(&m, NKX_SPACE_SBUF, 128, 256, 0, 0, "a");
    nkx_storage *b = mach_try_at(&m, NKX_SPACE_SBUF, 128, 256, 0, 128, "b");
    nkx_storage *c = mach_tile(&m, NKX_SPACE_SBUF, 128, 256, "c");
    assert_true(
        mach_work(&m, "memset", NKX_DVE, NKX_COST_DVE, 64, mach_all(a, true, "dst"), NULL, 0, 1));
    assert_true(
        copy(&m, mach_all(c, true, "dst"), mach_all(b, false, "src"))); /* written through a */
    assert_int_equal(m.diags.n, 0);
    assert_true(
        mach_work(&m, "memset", NKX_POOL, NKX_COST_POOL, 64, mach_all(b, true, "dst"), NULL, 0, 1));
    nkx_event e;
    nkx_timeline_last(m.core.timeline, &e);
    assert_int_not_equal(e.wait_for, 0); /* bytes of a and of b itself are in use by DVE */
    assert_true(copy(&m, mach_all(c, true, "dst"),
                     mach_rect(a, 0, 128, 0, 128, false, "src"))); /* untouched half */
    assert_int_equal(m.diags.n, 0);
    assert_true(copy(&m, mach_all(c, true, "dst"), mach_all(a, false, "src")));
    assert_int_equal(code_of(&m, 0), NKX_E410);
    nkx_storage_drop(a);
    nkx_storage_drop(b);
    nkx_storage_drop(c);
    mach_fini(&m);
}

/* Every other column written by one engine does not hold back the rest. */
static void test_interleaved_columns(void **state)
{
    (void)state;
    mach m;
    mach_init(&m, "trn2", (nkx_modes){.hazards = true, .time = true});
    nkx_storage *st = mach_tile(&m, NKX_SPACE_SBUF, 128, 512, "t");
    nkx_region even = {
        .st = st, .r1 = 128, .b1 = 508, .write = true, .ndim = 2, .elem_bytes = 4, .param = "dst"};
    even.count[0] = 128;
    even.step[0] = 512;
    even.count[1] = 64;
    even.step[1] = 8;
    nkx_region odd = even;
    odd.b0 = odd.first = 4;
    odd.b1 = 512;
    nkx_wait w = {0};
    nkx_track_use(&even, NKX_DVE, 500, 1, NULL, 0);
    nkx_track_wait(&odd, NKX_ACT, &w, NULL, NULL);
    assert_int_equal(w.at, 0);
    nkx_track_wait(&even, NKX_ACT, &w, NULL, NULL);
    assert_int_equal(w.at, 500);
    assert_int_equal(w.kind, 3);
    w = (nkx_wait){0};
    nkx_region all = mach_all(st, false, "src");
    nkx_track_wait(&all, NKX_ACT, &w, NULL, NULL);
    assert_int_equal(w.kind, 1);
    nkx_storage_drop(st);
    mach_fini(&m);
}

/* The log stays short and never forgets a time: compared with a list of all accesses. DMA has no
 * order. */
static void test_log_never_early(void **state)
{
    (void)state;
    enum { N = 3000 };
    static nkx_region all[N];
    mach m;
    mach_init(&m, "trn2", (nkx_modes){.hazards = true, .time = true});
    nkx_storage *st = mach_tile(&m, NKX_SPACE_SBUF, 16, 64, "t");
    for (int i = 0; i < N; i++) {
        all[i] = random_region(st);
        all[i].write = pick(3) == 0;
        nkx_wait w = {0};
        nkx_track_wait(&all[i], NKX_DMA, &w, NULL, NULL);
        int64_t want = 0;
        for (int k = 0; k < i; k++) {
            const nkx_region *a = &all[k], *b = &all[i];
            if (!a->write && !b->write) continue;
            if (!a->exact || !b->exact) continue; /* patterns: by the other test */
            if (a->r0 < b->r1 && b->r0 < a->r1 && a->b0 < b->b1 && b->b0 < a->b1) want = k + 1;
        }
        assert_true(w.at >= want);
        nkx_track_use(&all[i], NKX_DMA, i + 1, (uint64_t)i + 1, NULL, 0);
        assert_true(st->track->n_uses <= 48);
    }
    nkx_storage_drop(st);
    mach_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_random),        cmocka_unit_test(test_cells_merge),
        cmocka_unit_test(test_undefined),           cmocka_unit_test(test_partly_undefined),
        cmocka_unit_test(test_alias_and_overwrite), cmocka_unit_test(test_interleaved_columns),
        cmocka_unit_test(test_log_never_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
