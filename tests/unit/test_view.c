/* SPDX-License-Identifier: Apache-2.0 */
/* Views: indexing, their algebra, what they touch, and elements along them (isa.md 3). */
#include "interp/tensor/view.h"
#include "tests/unit/machine_support.h"

#define AT(...) ((const int64_t[]){__VA_ARGS__})

static mach *start(void **state, const char *target)
{
    mach *m = calloc(1, sizeof *m);
    nkx_modes modes = {.exec = true, .hazards = true, .threads = 1};
    mach_init(m, target, modes);
    *state = m;
    return m;
}

static int setup(void **state)
{
    (void)start(state, "trn3");
    return 0;
}

static int teardown(void **state)
{
    mach *m = *state;
    assert_int_equal(nkx_view_live(&m->core), 0);
    mach_fini(m);
    free(m);
    return 0;
}

static nkx_view *make(mach *m, nkx_space space, int n, const int64_t *shape, nkx_dtype dt)
{
    nkx_view *v = NULL;
    assert_true(
        nkx_view_alloc(&m->core, space, n, shape, dt, (nkx_place){0}, (nkx_span){0}, "t", &v));
    return v;
}

static void shape_is(const nkx_view *v, int n, const int64_t *shape, const int64_t *stride,
                     int64_t offset)
{
    assert_int_equal(v->ndim, n);
    for (int d = 0; d < n; d++) {
        assert_int_equal(v->shape[d], shape[d]);
        if (stride != NULL && shape[d] != 1) assert_int_equal(v->stride[d], stride[d]);
    }
    assert_int_equal(v->offset, offset);
}

static nkx_index number(int64_t i)
{
    return (nkx_index){.kind = NKX_IX_INT, .start = i};
}

static nkx_index range(int64_t a, int64_t b)
{
    return (nkx_index){
        .kind = NKX_IX_SLICE, .has_start = true, .has_stop = true, .start = a, .stop = b};
}

static nkx_index whole(void)
{
    return (nkx_index){.kind = NKX_IX_SLICE};
}

/* The last diagnostic has this code. */
static void said(const mach *m, nkx_code code)
{
    assert_true(m->diags.n > 0);
    assert_int_equal(m->diags.list[m->diags.n - 1]->code, code);
}

static void refused(mach *m, bool ok, nkx_code code)
{
    assert_false(ok);
    said(m, code);
}

static void index_on_chip(void **state)
{
    mach *m = *state;
    nkx_view *t = make(m, NKX_SPACE_SBUF, 3, AT(64, 64, 64), NKX_DT_BF16), *v;
    nkx_index all[] = {number(0), number(0), number(10)}, mid[] = {whole(), number(0)},
              both[] = {whole(), number(0), number(-1)};
    assert_true(nkx_view_index(t, all, 3, (nkx_span){0}, &v));
    shape_is(v, 2, AT(1, 1), NULL, 10);
    nkx_view_drop(v);
    assert_true(nkx_view_index(t, mid, 2, (nkx_span){0}, &v));
    shape_is(v, 2, AT(64, 64), AT(4096, 1), 0);
    nkx_view_drop(v);
    assert_true(nkx_view_index(t, both, 3, (nkx_span){0}, &v));
    shape_is(v, 2, AT(64, 1), AT(4096, 1), 63);
    nkx_view_drop(v);
    nkx_view_drop(t);
}

static void index_hbm(void **state)
{
    mach *m = *state;
    nkx_view *t = make(m, NKX_SPACE_HBM, 3, AT(4, 5, 6), NKX_DT_FP32), *v;
    nkx_index one[] = {number(-1)}, all[] = {number(1), number(2), number(3)};
    nkx_index dots[] =
        {
            {.kind = NKX_IX_ELLIPSIS},
            range(1, 3)
    },
              ds[] = {whole(), {.kind = NKX_IX_DS, .start = 2, .stop = 3}};
    assert_true(nkx_view_index(t, one, 1, (nkx_span){0}, &v));
    shape_is(v, 2, AT(5, 6), AT(6, 1), 90);
    nkx_view_drop(v);
    assert_true(nkx_view_index(t, all, 3, (nkx_span){0}, &v));
    shape_is(v, 1, AT(1), NULL, 45);
    nkx_view_drop(v);
    assert_true(nkx_view_index(t, dots, 2, (nkx_span){0}, &v));
    shape_is(v, 3, AT(4, 5, 2), AT(30, 6, 1), 1);
    nkx_view_drop(v);
    assert_true(nkx_view_index(t, ds, 2, (nkx_span){0}, &v));
    shape_is(v, 3, AT(4, 3, 6), AT(30, 6, 1), 12);
    nkx_view_drop(v);
    nkx_view_drop(t);
}

static void index_faults(void **state)
{
    mach *m = *state;
    nkx_view *t = make(m, NKX_SPACE_SBUF, 2, AT(128, 16), NKX_DT_FP32), *v;
    nkx_index past[] = {whole(), number(16)}, empty[] = {range(128, 256)},
              clip[] = {range(64, 200)}, many[] = {whole(), whole(), whole()};
    nkx_index back[] = {
        {.kind = NKX_IX_SLICE, .has_step = true, .step = -1}
    };
    assert_true(nkx_view_index(t, clip, 1, (nkx_span){0}, &v)); /* clipped, with a warning */
    said(m, NKX_E303);
    shape_is(v, 2, AT(64, 16), AT(16, 1), 64 * 16);
    nkx_view_drop(v);
    refused(m, nkx_view_index(t, past, 2, (nkx_span){0}, &v), NKX_E301);
    refused(m, nkx_view_index(t, empty, 1, (nkx_span){0}, &v), NKX_E302);
    refused(m, nkx_view_index(t, back, 1, (nkx_span){0}, &v), NKX_E305);
    refused(m, nkx_view_index(t, many, 3, (nkx_span){0}, &v), NKX_E306);
    refused(m, nkx_view_slice(t, 0, 64, 200, 1, (nkx_span){0}, &v), NKX_E304);
    refused(m, nkx_view_select(t, 0, 3, (nkx_span){0}, &v), NKX_E307);
    nkx_view_drop(t);
}

static void algebra(void **state)
{
    mach *m = *state;
    nkx_view *t = make(m, NKX_SPACE_SBUF, 3, AT(128, 6, 4), NKX_DT_FP32), *v, *w;
    assert_true(nkx_view_permute(t, AT(0, 2, 1), 3, (nkx_span){0}, &v));
    shape_is(v, 3, AT(128, 4, 6), AT(24, 1, 4), 0);
    assert_false(nkx_view_is_contiguous(v));
    refused(m, nkx_view_reshape(v, AT(128, 24), 2, (nkx_span){0}, &w), NKX_E313);
    assert_true(nkx_view_reshape(v, AT(128, 2, 2, 6), 4, (nkx_span){0}, &w));
    shape_is(w, 4, AT(128, 2, 2, 6), AT(24, 2, 1, 4), 0);
    nkx_view_drop(w);
    nkx_view_drop(v);
    refused(m, nkx_view_permute(t, AT(1, 0, 2), 3, (nkx_span){0}, &v), NKX_E307);
    refused(m, nkx_view_permute(t, AT(0, 1, 1), 3, (nkx_span){0}, &v), NKX_E308);
    assert_true(nkx_view_reshape(t, AT(128, 3, -1, 2), 4, (nkx_span){0}, &v));
    shape_is(v, 4, AT(128, 3, 4, 2), AT(24, 8, 2, 1), 0);
    nkx_view_drop(v);
    refused(m, nkx_view_reshape(t, AT(64, 48), 2, (nkx_span){0}, &v), NKX_E307);
    refused(m, nkx_view_reshape(t, AT(128, 25), 2, (nkx_span){0}, &v), NKX_E311);
    assert_true(nkx_view_flatten_dims(t, 1, 2, (nkx_span){0}, &v));
    shape_is(v, 2, AT(128, 24), AT(24, 1), 0);
    assert_true(nkx_view_reshape_dim(v, 1, AT(-1, 3), 2, (nkx_span){0}, &w));
    shape_is(w, 3, AT(128, 8, 3), AT(24, 3, 1), 0);
    nkx_view_drop(w);
    nkx_view_drop(v);
    assert_true(nkx_view_expand_dim(t, 3, (nkx_span){0}, &v));
    assert_true(nkx_view_broadcast(v, 3, 5, (nkx_span){0}, &w));
    shape_is(w, 4, AT(128, 6, 4, 5), AT(24, 4, 1, 0), 0);
    nkx_view_drop(w);
    refused(m, nkx_view_broadcast(v, 2, 5, (nkx_span){0}, &w), NKX_E309);
    refused(m, nkx_view_squeeze_dim(v, 1, (nkx_span){0}, &w), NKX_E310);
    nkx_view_drop(v);
    nkx_view_drop(t);
}

static void bit_casts(void **state)
{
    mach *m = *state;
    nkx_view *t = make(m, NKX_SPACE_SBUF, 2, AT(128, 16), NKX_DT_FP32), *v, *w;
    nkx_index odd[] = {whole(), range(1, 9)};
    assert_true(nkx_view_bitcast(t, NKX_DT_BF16, (nkx_span){0}, &v));
    shape_is(v, 2, AT(128, 32), AT(32, 1), 0);
    assert_true(nkx_view_index(v, odd, 2, (nkx_span){0}, &w));
    nkx_view *x;
    refused(m, nkx_view_bitcast(w, NKX_DT_INT32, (nkx_span){0}, &x), NKX_E315);
    nkx_view_drop(w);
    nkx_view_drop(v);
    nkx_view_drop(t);
}

static bool ap(nkx_view *t, const int64_t (*pattern)[2], int n, bool has, int64_t offset,
               nkx_view **out)
{
    nkx_ap a = {.pattern = pattern, .n = n, .has_offset = has, .offset = offset, .dtype = -1};
    return nkx_view_ap(t, &a, (nkx_span){0}, out);
}

static void patterns(void **state)
{
    mach *m = *state;
    nkx_view *t = make(m, NKX_SPACE_SBUF, 2, AT(128, 16), NKX_DT_FP32), *v, *w;
    const int64_t some[][2] =
        {
            {16, 32},
            {2,  4 }
    },
                  wide[][2] = {{16, 128}, {1, 17}}, skip[][2] = {{32, 64}, {1, 16}},
                  low[][2] = {{16, 97}, {1, 1}};
    nkx_index from8[] = {whole(), range(8, 16)};
    assert_true(ap(t, some, 2, true, 16 * 32 + 3, &v));
    shape_is(v, 2, AT(32, 4), AT(16, 2), 16 * 32 + 3);
    nkx_view_drop(v);
    assert_true(ap(t, wide, 2, false, 0, &v)); /* no fault until it is used */
    refused(m, nkx_view_in_bounds(v, (nkx_span){0}), NKX_E316);
    refused(m, nkx_view_slice(v, 1, 0, 1, 1, (nkx_span){0}, &w), NKX_E316);
    nkx_view_drop(v);
    refused(m, ap(t, skip, 2, false, 0, &v), NKX_E325);
    assert_true(ap(t, low, 2, true, 16 * 32, &v));
    refused(m, nkx_view_in_bounds(v, (nkx_span){0}), NKX_E316);
    nkx_view_drop(v);
    assert_true(nkx_view_index(t, from8, 2, (nkx_span){0}, &v));
    assert_true(ap(v, some, 2, true, 1,
                   &w)); /* added to the view's own offset, with a warning (reading 1) */
    said(m, NKX_E318);
    assert_int_equal(w->offset, 9);
    nkx_view_drop(w);
    nkx_view_drop(v);
    nkx_view_drop(t);
}

static void regions(void **state)
{
    mach *m = *state;
    nkx_view *t = make(m, NKX_SPACE_SBUF, 2, AT(128, 16), NKX_DT_BF16),
             *h = make(m, NKX_SPACE_HBM, 2, AT(64, 100), NKX_DT_FP32), *v, *w;
    nkx_region r;
    nkx_index block[] = {range(32, 64), range(4, 8)};
    assert_true(nkx_view_index(t, block, 2, (nkx_span){0}, &v));
    nkx_view_region(v, true, "t", &r);
    assert_true(r.exact && r.write);
    assert_int_equal(r.r0, 32);
    assert_int_equal(r.r1, 64);
    assert_int_equal(r.b0, 8);
    assert_int_equal(r.b1, 16);
    nkx_view_drop(v);
    assert_true(nkx_view_slice(t, 1, 1, 16, 2, (nkx_span){0}, &v)); /* every other element */
    nkx_view_region(v, false, "t", &r);
    assert_false(r.exact);
    assert_int_equal(r.b0, 2);
    assert_int_equal(r.b1, 32);
    nkx_view_drop(v);
    assert_true(
        nkx_view_reshape(t, AT(128, 4, 4), 3, (nkx_span){0}, &v)); /* permuted, but every byte */
    assert_true(nkx_view_permute(v, AT(0, 2, 1), 3, (nkx_span){0}, &w));
    nkx_view_region(w, false, "t", &r);
    assert_true(r.exact);
    nkx_view_drop(v);
    nkx_view_drop(w);
    assert_true(nkx_view_index(h, block, 2, (nkx_span){0}, &v)); /* a block of a matrix */
    nkx_view_region(v, false, "h", &r);
    assert_true(r.exact);
    assert_int_equal(r.r0, 32);
    assert_int_equal(r.b1, 32);
    nkx_view_drop(v);
    assert_true(nkx_view_permute(h, AT(1, 0), 2, (nkx_span){0}, &v));
    nkx_view_region(v, false, "h", &r);
    assert_true(r.exact && r.r0 == 0 && r.r1 == 64 && r.b1 == 400);
    nkx_view_drop(v);
    nkx_view_drop(h);
    nkx_view_drop(t);
}

static void elements(void **state)
{
    mach *m = *state;
    nkx_view *h = make(m, NKX_SPACE_HBM, 2, AT(3, 4), NKX_DT_INT32), *v;
    int32_t in[12], out[12];
    for (int32_t i = 0; i < 12; i++) in[i] = i;
    nkx_view_write(h, in);
    assert_true(nkx_view_permute(h, AT(1, 0), 2, (nkx_span){0}, &v));
    nkx_view_read(v, out);
    for (int32_t i = 0; i < 12; i++) assert_int_equal(out[i], i % 3 * 4 + i / 3);
    nkx_view_drop(v);
    nkx_view_drop(h);
}

/* A register moves the start; where it leads outside is told. */
static void dynamic(void **state)
{
    mach *m = *state;
    nkx_view *t = make(m, NKX_SPACE_SBUF, 3, AT(128, 4, 8), NKX_DT_FP32), *v, *w;
    nkx_register *reg = nkx_register_new();
    bool known, oob;
    int64_t index;
    reg->known = reg->init = true;
    reg->value = 3;
    assert_true(nkx_view_select_dynamic(t, 1, NULL, reg, (nkx_span){0}, &v));
    shape_is(v, 2, AT(128, 8), AT(32, 1), 0);
    w = nkx_view_resolve(v, &known, &oob, &index);
    assert_true(known && !oob);
    assert_int_equal(w->offset, 24);
    nkx_view_drop(w);
    reg->value = 4;
    w = nkx_view_resolve(v, &known, &oob, &index);
    assert_true(known && oob && index == 4);
    nkx_view_drop(w);
    refused(m, nkx_view_select_dynamic(v, 1, NULL, reg, (nkx_span){0}, &w), NKX_E320);
    refused(m, nkx_view_select_dynamic(t, 0, NULL, reg, (nkx_span){0}, &w), NKX_E307);
    nkx_view_drop(v);
    nkx_view_drop(t);
    nkx_register_drop(reg);
}

/* Columns by an index tile: a snake over 16 rows of a group (isa.md 3.7). */
static void tile_indirect(void **state)
{
    mach *m = *state;
    nkx_view *t = make(m, NKX_SPACE_SBUF, 2, AT(16, 32), NKX_DT_FP32),
             *ix = make(m, NKX_SPACE_SBUF, 2, AT(16, 2), NKX_DT_INT32), *v;
    float values[16 * 32], row[20];
    int32_t index[32];
    for (int i = 0; i < 16 * 32; i++) values[i] = (float)i;
    for (int i = 0; i < 32; i++) index[i] = (i * 5 + 1) % 32;
    nkx_view_write(t, values);
    nkx_view_write(ix, index);
    assert_true(nkx_view_indirect_tile(t, ix, 20, (nkx_span){0}, &v));
    shape_is(v, 2, AT(16, 20), NULL, 0);
    nkx_access a;
    nkx_view_access(v, &a);
    nkx_access_load_f32(&a, 3, 0, 20, row);
    for (int i = 0; i < 20; i++) {
        int column = index[i % 16 * 2 + i / 16];
        assert_true(row[i] == (float)(3 * 32 + column));
    }
    nkx_view *w;
    refused(m, nkx_view_slice(v, 1, 0, 4, 1, (nkx_span){0}, &w), NKX_E322);
    nkx_view_drop(v);
    nkx_view_drop(ix);
    nkx_view_drop(t);
}

static void bad_tensors(void **state)
{
    mach *m = *state;
    nkx_view *v;
    refused(m,
            nkx_view_alloc(&m->core, NKX_SPACE_SBUF, 2, AT(128, 0), NKX_DT_FP32, (nkx_place){0},
                           (nkx_span){0}, "t", &v),
            NKX_E323);
    refused(m,
            nkx_view_alloc(&m->core, NKX_SPACE_HBM, 2, AT(2, 2), NKX_DT_FP64, (nkx_place){0},
                           (nkx_span){0}, "t", &v),
            NKX_E324);
    assert_false(nkx_view_alloc(&m->core, NKX_SPACE_SBUF, 2, AT(129, 2), NKX_DT_FP32,
                                (nkx_place){0}, (nkx_span){0}, "t", &v));
    assert_false(nkx_view_alloc(&m->core, NKX_SPACE_HBM, 3, AT(1LL << 40, 1LL << 40, 4),
                                NKX_DT_FP32, (nkx_place){0}, (nkx_span){0}, "t", &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(index_on_chip, setup, teardown),
        cmocka_unit_test_setup_teardown(index_hbm, setup, teardown),
        cmocka_unit_test_setup_teardown(index_faults, setup, teardown),
        cmocka_unit_test_setup_teardown(algebra, setup, teardown),
        cmocka_unit_test_setup_teardown(bit_casts, setup, teardown),
        cmocka_unit_test_setup_teardown(patterns, setup, teardown),
        cmocka_unit_test_setup_teardown(regions, setup, teardown),
        cmocka_unit_test_setup_teardown(elements, setup, teardown),
        cmocka_unit_test_setup_teardown(dynamic, setup, teardown),
        cmocka_unit_test_setup_teardown(tile_indirect, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_tensors, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
