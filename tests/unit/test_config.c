/* SPDX-License-Identifier: Apache-2.0 */
/* Machine files: the built-in targets, overrides, and every way a file can be wrong. */
#include "interp/machine/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

typedef struct ctx {
    nkx_sources *sources;
    nkx_diags diags;
} ctx;

static int setup(void **state)
{
    static ctx c;
    c.sources = nkx_sources_new();
    nkx_diags_init(&c.diags, c.sources);
    *state = &c;
    return 0;
}

static int teardown(void **state)
{
    ctx *c = *state;
    nkx_diags_fini(&c->diags);
    nkx_sources_free(c->sources);
    return 0;
}

static void test_targets(void **state)
{
    ctx *c = *state;
    size_t n;
    const char *const *names = nkx_target_names(&n);
    for (size_t i = 0; i < n; i++) {
        nkx_config k;
        assert_true(nkx_config_load(&k, names[i], NULL, &c->diags));
        assert_string_equal(k.name, nkx_target_canonical(names[i]));
        assert_in_range(k.gen, 2, 4);
        for (int p = 0; p < NKX_N_MPARAMS; p++) {
            assert_non_null(k.where[p]); /* every parameter is given, with provenance */
            assert_true(strlen(k.where[p]) > 5);
        }
        nkx_config_fini(&k);
    }
    assert_string_equal(nkx_target_canonical("gen3"), "trn2");
    assert_null(nkx_target_canonical("trn9"));
}

static void test_units(void **state)
{
    ctx *c = *state;
    nkx_config k;
    assert_true(nkx_config_load(&k, "trn2", NULL, &c->diags));
    assert_int_equal(nkx_cfg_i(&k, NKX_MP_SBUF_BYTES), 229376);
    assert_int_equal(nkx_cfg_i(&k, NKX_MP_SBUF_USABLE), 212984);
    assert_int_equal(nkx_cfg_i(&k, NKX_MP_HWDGE_INTERVAL), 606000);
    assert_int_equal(nkx_cfg_i(&k, NKX_MP_FRAME_START), 14000000);
    assert_true(nkx_cfg(&k, NKX_MP_DVE_CLOCK) > 0.95 && nkx_cfg(&k, NKX_MP_DVE_CLOCK) < 0.97);
    nkx_config_fini(&k);
}

static bool parse(ctx *c, nkx_config *k, const char *text)
{
    const nkx_source *src = nkx_sources_add(c->sources, "x.ini", text, strlen(text));
    return nkx_config_parse(k, src, &c->diags);
}

static void test_override(void **state)
{
    ctx *c = *state;
    nkx_config k;
    assert_true(nkx_config_load(&k, "trn2", NULL, &c->diags));
    assert_true(parse(
        c, &k, "# faster\npe.clock=3 GHz ; what if\r\n\n sync = 0.1 us\nhbm.bytes = 1 GiB;x"));
    assert_true(nkx_cfg(&k, NKX_MP_PE_CLOCK) > 2.99);
    assert_int_equal(nkx_cfg_i(&k, NKX_MP_SYNC), 100000);
    assert_int_equal(nkx_cfg_i(&k, NKX_MP_HBM_BYTES), 1 << 30);
    assert_string_equal(k.where[NKX_MP_PE_CLOCK], "what if");
    assert_string_equal(k.where[NKX_MP_SYNC], "not stated");
    nkx_config_fini(&k);
}

static void test_wrong(void **state)
{
    static const struct {
        const char *text;
        nkx_code code;
    } CASES[] = {
        {"pe.clok = 3 GHz",          NKX_E620},
        {"pe.clock = 3",             NKX_E621},
        {"pe.clock = 3 ns",          NKX_E621},
        {"pe.clock =",               NKX_E621},
        {"pe.clock = 0x10 GHz",      NKX_E621},
        {"pe.clock = inf GHz",       NKX_E621},
        {"pe.clock = 1e9 GHz",       NKX_E622},
        {"sync = -1 ns",             NKX_E622},
        {"dma.engines = 1.5",        NKX_E622},
        {"generation = 7",           NKX_E622},
        {"sync = 1 ns\nsync = 2 ns", NKX_E623},
        {"hello",                    NKX_E624},
        {"hello ; a = b",            NKX_E624},
    };
    for (size_t i = 0; i < NKX_COUNT(CASES); i++) {
        ctx *c = *state;
        nkx_config k;
        size_t before = c->diags.n;
        assert_true(nkx_config_load(&k, "trn1", NULL, &c->diags));
        assert_false(parse(c, &k, CASES[i].text));
        assert_int_equal(c->diags.n, before + 1);
        assert_int_equal(c->diags.list[before]->code, CASES[i].code);
        nkx_config_fini(&k);
    }
}

static void test_unknown(void **state)
{
    ctx *c = *state;
    nkx_config k;
    assert_false(nkx_config_load(&k, "trn7", NULL, &c->diags));
    assert_int_equal(c->diags.list[c->diags.n - 1]->code, NKX_E625);
    nkx_config_fini(&k);
    assert_false(nkx_config_load(&k, "trn1", "/no/such/file.ini", &c->diags));
    assert_int_equal(c->diags.list[c->diags.n - 1]->code, NKX_E626);
    nkx_config_fini(&k);
}

static void test_all_faults_of_a_file(void **state)
{
    ctx *c = *state;
    nkx_config k;
    size_t before = c->diags.n;
    assert_true(nkx_config_load(&k, "trn1", NULL, &c->diags));
    assert_false(parse(c, &k, "a = 1\nb = 2\nsync = x\n"));
    assert_int_equal(c->diags.n, before + 3);
    nkx_config_fini(&k);
}

static void test_markdown(void **state)
{
    (void)state;
    nkx_buf a = {0}, b = {0};
    nkx_config_markdown(&a);
    nkx_config_markdown(&b);
    assert_string_equal(a.at, b.at);
    for (int p = 0; p < NKX_N_MPARAMS; p++) assert_non_null(strstr(a.at, nkx_mparam_rows[p].key));
    nkx_buf_fini(&a);
    nkx_buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_targets, setup, teardown),
        cmocka_unit_test_setup_teardown(test_units, setup, teardown),
        cmocka_unit_test_setup_teardown(test_override, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wrong, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unknown, setup, teardown),
        cmocka_unit_test_setup_teardown(test_all_faults_of_a_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_markdown, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
