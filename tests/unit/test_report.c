/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of a small matrix product: what they must name, that JSON balances, that output is the
 * same twice. */
#include "tests/unit/machine_kernels.h"

#include "interp/base/file.h"
#include "interp/report/report.h"

#include <stdio.h>
#include <unistd.h>

/* Places of the instructions are offsets in this text: two characters a line. */
static const char TEXT[] =
    "a\nb\nc\nd\ne\n<&>\"g\nh\ni\nj\nk\nl\nm\nn\no\np\nq\nr\ns\nt\nu\nv\nw\n";

typedef void (*report_fn)(const nkx_report_of *r, nkx_buf *out);

static void table(const nkx_report_of *r, nkx_buf *out)
{
    nkx_report_table(r, false, out);
}

static void table_colour(const nkx_report_of *r, nkx_buf *out)
{
    nkx_report_table(r, true, out);
}

static void annotate(const nkx_report_of *r, nkx_buf *out)
{
    nkx_report_annotate(r, false, out);
}

static void run(report_fn f, const char *trace, bool empty, nkx_buf *out)
{
    mach m;
    mm_problem p;
    const char *why = NULL;
    mach_init(&m, "trn2", (nkx_modes){.time = true, .hazards = true});
    m.source = nkx_sources_add(m.sources, "dir/kernel.nki", TEXT, strlen(TEXT))->id;
    (void)nkx_core_function(&m.core, "matmul_kernel");
    nkx_trace *t = trace ? nkx_trace_open(&m.core, trace, &why) : NULL;
    if (!empty) {
        mm_begin(&p, &m, 256, 512, 1024, 2);
        mm_tiled(&p);
        mm_end(&p);
    }
    nkx_report_of r = {nkx_timeline_summary(m.core.timeline), m.sources, "matmul_kernel"};
    if (f) f(&r, out);
    if (t) assert_true(nkx_trace_close(t, &why));
    mach_fini(&m);
}

/* Brackets and quotes balance; enough of a check beside the readers that use it. */
static void assert_json(const char *s)
{
    int depth = 0;
    bool text = false;
    for (; *s; s++) {
        if (text) {
            if (*s == '\\')
                s++;
            else if (*s == '"')
                text = false;
        } else if (*s == '"')
            text = true;
        else if (*s == '{' || *s == '[')
            depth++;
        else if (*s == '}' || *s == ']')
            assert_true(--depth >= 0);
    }
    assert_int_equal(depth, 0);
    assert_false(text);
}

static void test_same_twice(void **state)
{
    (void)state;
    const report_fn ALL[] = {table,           table_colour,         annotate,
                             nkx_report_json, nkx_report_callgrind, nkx_report_html};
    for (size_t i = 0; i < NKX_COUNT(ALL); i++) {
        nkx_buf a = {0}, b = {0};
        run(ALL[i], NULL, false, &a);
        run(ALL[i], NULL, false, &b);
        assert_string_equal(a.at, b.at);
        nkx_buf_fini(&a);
        nkx_buf_clear(&b);
        run(ALL[i], NULL, true, &b); /* a kernel without instructions */
        nkx_buf_fini(&b);
    }
}

static void test_table(void **state)
{
    (void)state;
    nkx_buf out = {0};
    run(table, NULL, false, &out);
    const char *const WANT[] = {"matmul_kernel on trn2",
                                "MFU",
                                "MBU",
                                "Tensor",
                                "Scalar",
                                "DMA",
                                "HBM",
                                "nc_matmul",
                                "kernel.nki:6",
                                "not cycle accurate",
                                "2 % of single trn2"};
    for (size_t i = 0; i < NKX_COUNT(WANT); i++) assert_non_null(strstr(out.at, WANT[i]));
    assert_null(strstr(out.at, "\033"));
    nkx_buf_fini(&out);
}

static void test_json(void **state)
{
    (void)state;
    nkx_buf out = {0};
    run(nkx_report_json, NULL, false, &out);
    assert_json(out.at);
    const char *const WANT[] = {"\"total_time\":",
                                "\"tensor_engine_active_time_percent\":",
                                "\"hbm_read_bytes\":",
                                "\"mfu_estimated_percent\":",
                                "\"dma_transfer_average_bytes\":",
                                "\"cycle_accurate\":false",
                                "\"matmul_instruction_count\":16",
                                "\"model_flops\":268435456"};
    for (size_t i = 0; i < NKX_COUNT(WANT); i++) assert_non_null(strstr(out.at, WANT[i]));
    nkx_buf_fini(&out);
}

static void test_annotate_and_html(void **state)
{
    (void)state;
    nkx_buf out = {0};
    run(annotate, NULL, false, &out);
    assert_non_null(strstr(out.at, "dir/kernel.nki\n"));
    assert_non_null(strstr(out.at, "|    6  <&>\"g\n"));
    nkx_buf_clear(&out);
    run(nkx_report_html, NULL, false, &out);
    assert_non_null(strstr(out.at, "&lt;&amp;&gt;&quot;g"));
    assert_null(strstr(out.at, "http"));
    nkx_buf_clear(&out);
    run(nkx_report_callgrind, NULL, false, &out);
    assert_non_null(strstr(out.at, "fn=matmul_kernel\n"));
    nkx_buf_fini(&out);
}

static void test_trace(void **state)
{
    (void)state;
    char path[] = "/tmp/nkx_trace_XXXXXX";
    int fd = mkstemp(path);
    nkx_buf out = {0};
    const char *why = NULL;
    assert_true(fd >= 0);
    close(fd);
    run(NULL, path, false, &out);
    assert_true(nkx_file_read(path, 0, &out, &why));
    assert_json(out.at);
    const char *const WANT[] = {"\"traceEvents\"", "\"thread_name\"", "\"ph\":\"X\"",
                                "\"ph\":\"s\"",    "\"ph\":\"f\"",    "\"ph\":\"C\"",
                                "DMA ring stores"};
    for (size_t i = 0; i < NKX_COUNT(WANT); i++) assert_non_null(strstr(out.at, WANT[i]));
    nkx_buf_fini(&out);
    unlink(path);
    mach m;
    mach_init(&m, "trn2", (nkx_modes){.time = true});
    assert_null(nkx_trace_open(&m.core, "/no/such/folder/x.json", &why));
    assert_non_null(why);
    mach_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_twice), cmocka_unit_test(test_table),
        cmocka_unit_test(test_json),       cmocka_unit_test(test_annotate_and_html),
        cmocka_unit_test(test_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
