/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions: the order of checks, accumulate modes of PSUM, transposes, accumulators across
 * instructions, dynamic addresses and the texts of the table. Numbers are in tests/property.
 */
#include "interp/isa/isa.h"
#include "tests/unit/machine_support.h"

#include <math.h>

#define AT(...) ((const int64_t[]){__VA_ARGS__})

typedef struct bench {
    mach m;
    nkx_arena scratch;
    nkx_issue is;
    nkx_view *views[64];
    size_t n;
} bench;

static void begin(bench *b, const char *target, bool exec)
{
    nkx_modes modes = {.exec = exec, .hazards = true, .time = true, .threads = 1};
    memset(b, 0, sizeof *b);
    mach_init(&b->m, target, modes);
    nkx_arena_init(&b->scratch);
}

static void end(bench *b)
{
    for (size_t i = 0; i < b->n; i++) nkx_view_drop(b->views[i]);
    assert_int_equal(nkx_view_live(&b->m.core), 0);
    nkx_arena_fini(&b->scratch);
    mach_fini(&b->m);
}

static nkx_view *keep(bench *b, nkx_view *v)
{
    b->views[b->n++] = v;
    return v;
}

static nkx_view *make(bench *b, nkx_space space, int64_t rows, int64_t cols, nkx_dtype dt)
{
    nkx_view *v = NULL;
    assert_true(nkx_view_alloc(&b->m.core, space, 2, AT(rows, cols), dt, (nkx_place){0},
                               (nkx_span){0}, "t", &v));
    return keep(b, v);
}

static nkx_view *cols(bench *b, nkx_view *v, int64_t from, int64_t to)
{
    nkx_view *w = NULL;
    assert_true(nkx_view_slice(v, 1, from, to, 1, (nkx_span){0}, &w));
    return keep(b, w);
}

static void ask(bench *b, const char *row)
{
    memset(&b->is, 0, sizeof b->is);
    b->is.row = nkx_isa_find(row);
    assert_non_null(b->is.row);
    b->is.core = &b->m.core;
    b->is.scratch = &b->scratch;
}

static nkx_arg *arg(bench *b, const char *name)
{
    int i = nkx_isa_param_find(b->is.row, name);
    assert_true(i >= 0);
    return &b->is.arg[i];
}

static void tile(bench *b, const char *name, nkx_view *v)
{
    *arg(b, name) = (nkx_arg){.kind = NKX_ARG_VIEW, .u.view = v};
}

static void num(bench *b, const char *name, double v)
{
    *arg(b, name) = (nkx_arg){.kind = NKX_ARG_FLOAT, .u.f = v};
}

static void op(bench *b, const char *name, nkx_alu o)
{
    *arg(b, name) = (nkx_arg){.kind = NKX_ARG_OP, .u.op = (uint16_t)o};
}

static void member(bench *b, const char *name, int which, int value)
{
    *arg(b, name) = (nkx_arg){
        .kind = NKX_ARG_ENUM, .u.e = {(uint8_t)which, value}
    };
}

static bool issue(bench *b)
{
    bool ok = nkx_isa_issue(&b->is, NULL, 0, NULL);
    nkx_core_flush(&b->m.core);
    return ok;
}

static void run(bench *b)
{
    bool ok = issue(b);
    if (!ok) print_error("%s\n", b->m.diags.list[b->m.diags.n - 1]->message);
    assert_true(ok);
}

static void refused(bench *b, nkx_code code)
{
    assert_false(issue(b));
    assert_int_equal(b->m.diags.list[b->m.diags.n - 1]->code, code);
}

static bool warned(const bench *b, nkx_code code)
{
    for (size_t i = 0; i < b->m.diags.n; i++) {
        if (b->m.diags.list[i]->code == code) return true;
    }
    return false;
}

static void fill(bench *b, nkx_view *v, double value)
{
    ask(b, "memset");
    tile(b, "dst", v);
    num(b, "value", value);
    run(b);
}

static float at(nkx_view *v, int64_t i)
{
    float *x = calloc((size_t)nkx_view_size(v), sizeof *x), r;
    nkx_view_read(v, x);
    r = x[i];
    free(x);
    return r;
}

static void product(bench *b, nkx_view *d, nkx_view *st, nkx_view *mv, int accumulate)
{
    ask(b, "nc_matmul");
    tile(b, "dst", d);
    tile(b, "stationary", st);
    tile(b, "moving", mv);
    if (accumulate >= 0)
        *arg(b, "accumulate") = (nkx_arg){.kind = NKX_ARG_BOOL, .u.b = accumulate != 0};
    run(b);
}

/* None: the first product into an element overwrites, later ones add; per element (isa.md 4.3.1).
 */
static void accumulate_modes(void **state)
{
    (void)state;
    bench b;
    begin(&b, "trn2", true);
    nkx_view *a = make(&b, NKX_SPACE_SBUF, 4, 8, NKX_DT_FP32),
             *x = make(&b, NKX_SPACE_SBUF, 4, 16, NKX_DT_FP32),
             *p = make(&b, NKX_SPACE_PSUM, 8, 16, NKX_DT_FP32);
    fill(&b, a, 1);
    fill(&b, x, 1);
    product(&b, cols(&b, p, 0, 8), a, cols(&b, x, 0, 8), -1);
    assert_true(at(p, 0) == 4);
    product(&b, p, a, x, -1); /* left half adds, right half overwrites: MIXED */
    assert_true(at(p, 0) == 8 && at(p, 8) == 4);
    product(&b, p, a, x, 0);
    assert_true(at(p, 0) == 4);
    product(&b, p, a, x, 1);
    assert_true(at(p, 15) == 8);
    assert_false(warned(&b, NKX_E538) || warned(&b, NKX_E539));
    fill(&b, p, 100); /* a value of another engine: overwritten, with a warning (reading 5) */
    product(&b, p, a, x, -1);
    assert_true(at(p, 0) == 4);
    assert_true(warned(&b, NKX_E539));
    nkx_view *fresh = make(&b, NKX_SPACE_PSUM, 8, 16, NKX_DT_FP32);
    product(&b, fresh, a, x, 1); /* True on nothing: warned of */
    assert_true(warned(&b, NKX_E538));
    end(&b);
}

static void transpose_mode(const char *target, bool exact)
{
    bench b;
    begin(&b, target, true);
    nkx_view *a = make(&b, NKX_SPACE_SBUF, 4, 4, NKX_DT_FP32),
             *eye = make(&b, NKX_SPACE_SBUF, 4, 4, NKX_DT_FP32),
             *p = make(&b, NKX_SPACE_PSUM, 4, 4, NKX_DT_FP32);
    float data[16], id[16] = {0};
    for (int i = 0; i < 16; i++) data[i] = (float)i;
    data[1] = NAN;
    for (int i = 0; i < 4; i++) id[i * 5] = 1;
    fill(&b, a, 0);
    fill(&b, eye, 0);
    nkx_view_write(a, data);
    nkx_view_write(eye, id);
    ask(&b, "nc_matmul");
    tile(&b, "dst", p);
    tile(&b, "stationary", a);
    tile(&b, "moving", eye);
    *arg(&b, "is_transpose") = (nkx_arg){.kind = NKX_ARG_BOOL, .u.b = true};
    run(&b);
    assert_true(isnan(at(p, 4)));           /* a[0, 1] */
    assert_true(isnan(at(p, 5)) == !exact); /* the rest of its sum: gen2 really multiplies */
    assert_true(at(p, 3) == 12);
    ask(&b, "nc_transpose");
    tile(&b, "dst", p);
    tile(&b, "data", a);
    run(&b);
    assert_true(isnan(at(p, 4)) && isnan(at(p, 5)) == !exact && at(p, 3) == 12);
    end(&b);
}

static void transposes(void **state)
{
    (void)state;
    transpose_mode("trn2", true);
    transpose_mode("trn1", false);
}

/* The accumulators of ACT live on between instructions and are apart from those of DVE
 * (isa.md 2.6). */
static void accumulators(void **state)
{
    (void)state;
    bench b;
    begin(&b, "trn2", true);
    nkx_view *x = make(&b, NKX_SPACE_SBUF, 4, 8, NKX_DT_FP32),
             *s = make(&b, NKX_SPACE_SBUF, 4, 1, NKX_DT_FP32);
    fill(&b, x, 2);
    static const int commands[] = {3, 2, 2}; /* reset_reduce, reduce, reduce */
    for (int i = 0; i < 3; i++) {
        ask(&b, "activation");
        tile(&b, "dst", x);
        tile(&b, "data", x);
        op(&b, "op", NKX_ALU_COPY);
        op(&b, "reduce_op", NKX_ALU_ADD);
        member(&b, "reduce_cmd", NKX_ENUM_REDUCE_CMD, commands[i]);
        if (i == 2) tile(&b, "reduce_res", s);
        run(&b);
        if (i > 0) continue;
        ask(&b, "tensor_scalar_reduce");
        tile(&b, "dst", x);
        tile(&b, "data", x);
        op(&b, "op0", NKX_ALU_MULTIPLY);
        num(&b, "operand0", 1);
        op(&b, "reduce_op", NKX_ALU_ADD);
        run(&b);
    }
    assert_true(at(s, 2) == 48);
    end(&b);
}

/* A dynamic index out of bounds is an error at the instruction; skip drops it. */
static void dynamic_bounds(void **state)
{
    (void)state;
    bench b;
    begin(&b, "trn2", true);
    nkx_view *x = make(&b, NKX_SPACE_SBUF, 4, 8, NKX_DT_FP32),
             *h = make(&b, NKX_SPACE_HBM, 16, 8, NKX_DT_FP32), *v = NULL;
    nkx_register *reg = nkx_register_new();
    fill(&b, x, 1);
    const int64_t pattern[][2] = {
        {8, 4},
        {1, 8}
    };
    nkx_ap ap = {.pattern = pattern, .n = 2, .reg_offset = reg, .dtype = -1};
    reg->known = reg->init = true;
    assert_true(nkx_view_ap(h, &ap, (nkx_span){0}, &v));
    keep(&b, v);
    for (int skip = 0; skip < 2; skip++) {
        ask(&b, "dma_copy");
        tile(&b, "dst", v);
        tile(&b, "src", x);
        member(&b, "oob_mode", NKX_ENUM_OOB_MODE, skip);
        reg->value = 12;
        run(&b);
        ask(&b, "dma_copy");
        tile(&b, "dst", v);
        tile(&b, "src", x);
        member(&b, "oob_mode", NKX_ENUM_OOB_MODE, skip);
        reg->value = 13;
        if (skip == 0) {
            refused(&b, NKX_E512);
        } else {
            run(&b);
        }
    }
    nkx_register_drop(reg);
    end(&b);
}

/* The first thing wrong is told: target, memory, partitions, sizes, types, then the rest
 * (isa.md 4.0.2). */
static void check_order(void **state)
{
    (void)state;
    bench b;
    begin(&b, "trn2", false);
    nkx_view *t = make(&b, NKX_SPACE_SBUF, 128, 8, NKX_DT_FP32),
             *h = make(&b, NKX_SPACE_HBM, 128, 8, NKX_DT_FP32),
             *few = make(&b, NKX_SPACE_SBUF, 64, 4, NKX_DT_FP32);
    nkx_view *p = make(&b, NKX_SPACE_PSUM, 128, 8, NKX_DT_FP32), *low = NULL;
    ask(&b, "exponential");
    tile(&b, "dst", t);
    tile(&b, "src", h);
    refused(&b, NKX_E501);
    ask(&b, "tensor_copy");
    tile(&b, "dst", h);
    tile(&b, "src", few);
    refused(&b, NKX_E505);
    ask(&b, "tensor_copy");
    tile(&b, "dst", t);
    tile(&b, "src", few);
    refused(&b, NKX_E326);
    ask(&b, "tensor_copy");
    tile(&b, "dst", t);
    tile(&b, "src", cols(&b, t, 0, 4));
    refused(&b, NKX_E312);
    ask(&b, "tensor_tensor");
    tile(&b, "dst", t);
    tile(&b, "data1", p);
    tile(&b, "data2", p);
    op(&b, "op", NKX_ALU_ADD);
    refused(&b, NKX_E508);
    ask(&b, "tensor_copy");
    tile(&b, "dst", t);
    refused(&b, NKX_E511);
    assert_true(nkx_view_slice(t, 0, 16, 48, 1, (nkx_span){0}, &low));
    ask(&b, "memset");
    tile(&b, "dst", keep(&b, low));
    num(&b, "value", 1);
    refused(&b, NKX_E509);
    end(&b);
}

/* gen4 indirection works in any element-wise instruction: gather, compute, scatter. */
static void indirection(void **state)
{
    (void)state;
    bench b;
    begin(&b, "trn3", true);
    nkx_view *t = make(&b, NKX_SPACE_SBUF, 16, 8, NKX_DT_FP32),
             *d = make(&b, NKX_SPACE_SBUF, 16, 8, NKX_DT_FP32),
             *ix = make(&b, NKX_SPACE_SBUF, 16, 1, NKX_DT_INT32), *g = NULL, *s = NULL;
    float values[128];
    int32_t index[16];
    for (int i = 0; i < 128; i++) values[i] = (float)i;
    for (int i = 0; i < 16; i++) index[i] = 7 - i % 8;
    fill(&b, t, 0);
    fill(&b, d, 0);
    ask(&b, "memset");
    tile(&b, "dst", ix);
    *arg(&b, "value") = (nkx_arg){.kind = NKX_ARG_INT};
    run(&b);
    nkx_view_write(t, values);
    nkx_view_write(ix, index);
    assert_true(nkx_view_indirect_tile(t, ix, 8, (nkx_span){0}, &g));
    assert_true(nkx_view_indirect_tile(d, ix, 8, (nkx_span){0}, &s));
    keep(&b, g);
    keep(&b, s);
    ask(&b, "tensor_scalar");
    tile(&b, "dst", s);
    tile(&b, "data", g);
    op(&b, "op0", NKX_ALU_ADD);
    num(&b, "operand0", 1000);
    run(&b);
    for (int i = 0; i < 8; i++) assert_true(at(d, i) == 1000 + (float)i);
    ask(&b, "reciprocal");
    tile(&b, "dst", d);
    tile(&b, "data", g);
    refused(&b, NKX_E322);
    end(&b);
}

static void registers(void **state)
{
    (void)state;
    bench b;
    begin(&b, "trn2", true);
    nkx_view *x = make(&b, NKX_SPACE_SBUF, 1, 1, NKX_DT_INT32),
             *y = make(&b, NKX_SPACE_SBUF, 1, 1, NKX_DT_INT32),
             *wide = make(&b, NKX_SPACE_SBUF, 1, 2, NKX_DT_INT32);
    nkx_register *reg = nkx_register_new();
    ask(&b, "memset");
    tile(&b, "dst", x);
    *arg(&b, "value") = (nkx_arg){.kind = NKX_ARG_INT, .u.i = -7};
    run(&b);
    assert_true(nkx_isa_register_load(&b.m.core, reg, x, (nkx_span){0}, 0));
    assert_true(reg->known && reg->value == -7);
    reg->value = 41;
    assert_true(nkx_isa_register_store(&b.m.core, y, reg, (nkx_span){0}, 0));
    int32_t got;
    nkx_view_read(y, &got);
    assert_int_equal(got, 41);
    assert_false(nkx_isa_register_load(&b.m.core, reg, wide, (nkx_span){0}, 0));
    nkx_register_drop(reg);
    end(&b);
}

/* Every row is complete, every default is an argument of a kind the parameter takes. */
static void table(void **state)
{
    (void)state;
    nkx_buf text = {0};
    for (size_t i = 0; nkx_isa_table[i] != NULL; i++) {
        const nkx_insn *r = nkx_isa_table[i];
        assert_ptr_equal(nkx_isa_find(r->name), r);
        assert_true(r->brief && r->doc && r->example && r->cost_doc && r->since && r->section &&
                    r->cost && r->lower);
        int n = 0;
        for (; r->params[n].name != NULL; n++) {
            const nkx_isa_param *p = &r->params[n];
            assert_non_null(p->doc);
            assert_true(p->required || p->dflt != NULL);
            if (p->dv.kind != NKX_ARG_ABSENT) assert_true(p->accept & NKX_ACCEPT(p->dv.kind));
        }
        assert_true(n <= NKX_MAX_PARAMS);
        nkx_buf_clear(&text);
        nkx_isa_help(r, &text);
        assert_non_null(strstr(text.at, r->name));
    }
    nkx_buf_clear(&text);
    nkx_isa_markdown(&text);
    assert_non_null(strstr(text.at, "### nc_matmul\n"));
    nkx_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accumulate_modes), cmocka_unit_test(transposes),
        cmocka_unit_test(accumulators),     cmocka_unit_test(dynamic_bounds),
        cmocka_unit_test(check_order),      cmocka_unit_test(indirection),
        cmocka_unit_test(registers),        cmocka_unit_test(table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
