/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile as JSON. Layer report. `summary` carries the names of the vendor's profiler
 * (profile schema 7.4.0, table Summary: times in seconds, shares in percent), so that scripts
 * written for it read ours; a metric that the model does not have is left out rather than made up.
 */
#include "interp/report/parts.h"

#include "interp/base/json.h"

#include <string.h>

static void put_int(nkx_json *j, const char *key, int64_t v)
{
    nkx_json_key(j, key);
    nkx_json_int(j, v);
}

static void put_num(nkx_json *j, const char *key, double v)
{
    nkx_json_key(j, key);
    nkx_json_num(j, v);
}

static void put_str(nkx_json *j, const char *key, const char *v)
{
    nkx_json_key(j, key);
    nkx_json_str(j, v);
}

static double seconds(int64_t ps)
{
    return (double)ps / 1e12;
}

static void put_seconds(nkx_json *j, const char *key, int64_t ps)
{
    put_num(j, key, seconds(ps));
}

static void totals(nkx_json *j, const nkx_summary *s)
{
    put_seconds(j, "total_time", s->total);
    put_seconds(j, "total_exec_time", s->span);
    put_seconds(j, "total_active_time", s->total_active);
    put_num(j, "total_active_time_percent", 100 * nkx_share(s->total_active, s->total));
    put_int(j, "neuroncore_cycle_count",
            (int64_t)((double)s->total * s->config->v[NKX_MP_BASE_CLOCK] / 1000));
    put_int(j, "model_flops", s->model_flops);
    put_int(j, "hardware_flops", s->hardware_flops);
    put_int(j, "transpose_flops", s->transpose_flops);
    put_int(j, "adjusted_hardware_flops", (int64_t)s->adjusted_flops);
    put_num(j, "mm_arithmetic_intensity", s->arithmetic_intensity);
    put_num(j, "peak_flops_bandwidth_ratio", s->peak_intensity);
    put_num(j, "mfu_estimated_percent", 100 * s->mfu);
    put_num(j, "mfu_max_achievable_estimated_percent", 100 * s->mfu_max);
    put_num(j, "hfu_estimated_percent", 100 * s->hfu);
    put_num(j, "mbu_estimated_percent", 100 * s->mbu);
    double ns = (double)s->total / 1000;
    double least = ns > 0 ? (double)s->min_read_bytes / ns / s->config->v[NKX_MP_HBM_PEAK] : 0;
    put_num(j, "mbu_min_read_util_percent", 100 * least);
    put_int(j, "event_count", s->instructions);
}

static void memory(nkx_json *j, const nkx_summary *s)
{
    put_int(j, "hbm_read_bytes", s->hbm.read);
    put_int(j, "hbm_write_bytes", s->hbm.written);
    put_int(j, "sbuf_read_bytes", s->sbuf.read);
    put_int(j, "sbuf_write_bytes", s->sbuf.written);
    put_int(j, "psum_read_bytes", s->psum.read);
    put_int(j, "psum_write_bytes", s->psum.written);
    put_int(j, "psum_read_sbuf_write_bytes", s->psum_to_sbuf);
    put_int(j, "spill_save_bytes", 0); /* kernels place their own tiles */
    put_int(j, "spill_reload_bytes", 0);
    put_num(j, "useful_read_percent", s->hbm.read > 0 ? 100 : 0);
    put_int(j, "input_queue_bytes", s->input_bytes);
    put_int(j, "output_queue_bytes", s->output_bytes);
    put_int(j, "sbuf_peak_partition_bytes", s->sbuf_peak);
    put_int(j, "psum_peak_partition_bytes", s->psum_peak);
    put_int(j, "hbm_peak_bytes", s->hbm_peak);
}

static void dma(nkx_json *j, const nkx_summary *s)
{
    static const struct {
        nkx_dma_trigger kind;
        const char *size, *percent, *count;
    } KINDS[] = {
        {NKX_DMA_STATIC, "static_dma_size",           "static_dma_size_percent",           "static_dma_copy_count"},
        {NKX_DMA_HWDGE,  "hardware_dynamic_dma_size", "hardware_dynamic_dma_size_percent",
         "hardware_dynamic_dma_copy_count"                                                                        },
        {NKX_DMA_SWDGE,  "software_dynamic_dma_size", "software_dynamic_dma_size_percent",
         "software_dynamic_dma_copy_count"                                                                        },
    };
    put_seconds(j, "dma_active_time", s->dma_active);
    put_num(j, "dma_active_time_percent", 100 * nkx_share(s->dma_active, s->total));
    put_seconds(j, "dma_packet_time", s->dma_packet_time);
    put_seconds(j, "dma_transfer_time", s->engines[NKX_DMA].instruction_time);
    put_int(j, "dma_transfer_count", s->dma_transfers);
    put_int(j, "dma_transfer_total_bytes", s->dma_bytes);
    put_num(j, "dma_transfer_average_bytes",
            s->dma_transfers > 0 ? (double)s->dma_bytes / (double)s->dma_transfers : 0);
    for (size_t i = 0; i < NKX_COUNT(KINDS); i++) {
        put_int(j, KINDS[i].size, s->dma_bytes_by_kind[KINDS[i].kind]);
        put_num(j, KINDS[i].percent,
                100 * nkx_share(s->dma_bytes_by_kind[KINDS[i].kind], s->dma_bytes));
        put_int(j, KINDS[i].count, s->dma_by_kind[KINDS[i].kind]);
    }
}

static void engines(nkx_json *j, const nkx_summary *s)
{
    static const char *const NAMES[] = {"tensor", "vector", "scalar", "gpsimd", "sync"};
    nkx_buf key = {0};
    for (int e = 0; e < NKX_DMA; e++) {
        const nkx_engine_sum *x = &s->engines[e];
        const struct {
            const char *what;
            double v;
        } ROWS[] = {
            {"instruction_time",    seconds(x->instruction_time)},
            {"active_time",         seconds(x->active)          },
            {"active_time_percent", 100 * nkx_share(x->active,    s->total)},
            {"wait_time",                     seconds(x->wait_time)                                      },
        };
        for (size_t i = 0; i < NKX_COUNT(ROWS); i++) {
            nkx_buf_clear(&key);
            nkx_buf_printf(&key, "%s_engine_%s", NAMES[e], ROWS[i].what);
            put_num(j, key.at, ROWS[i].v);
        }
        nkx_buf_clear(&key);
        nkx_buf_printf(&key, "%s_engine_instruction_count", NAMES[e]);
        put_int(j, key.at, x->count);
    }
    nkx_buf_fini(&key);
    int64_t count = 0, time = 0;
    for (size_t i = 0; i < s->n_ops; i++) {
        if (strncmp(s->ops[i].opcode, "activat", 7) != 0) continue;
        count += s->ops[i].count;
        time += s->ops[i].time;
    }
    put_int(j, "matmul_instruction_count", s->matmul_count);
    put_int(j, "activate_instruction_count", count);
    put_seconds(j, "activate_instruction_time", time);
    put_seconds(j, "tensor_engine_throttled_time", s->pe_limit_lost);
    put_num(j, "tensor_engine_average_utilization_limit_percent", 100 * s->pe_limit_average);
}

static void opcodes(nkx_json *j, const nkx_summary *s)
{
    nkx_json_key(j, "opcode_summary");
    nkx_json_begin(j, '[');
    for (size_t i = 0; i < s->n_ops; i++) {
        const nkx_op_sum *o = &s->ops[i];
        nkx_json_begin(j, '{');
        put_str(j, "engine", nkx_engine_label((nkx_engine)o->engine));
        put_str(j, "opcode", o->opcode);
        put_int(j, "instruction_count", o->count);
        put_int(j, "instruction_time_ns", o->time / 1000);
        put_int(j, "bytes", o->bytes);
        put_int(j, "flops", o->flops);
        nkx_json_end(j, '}');
    }
    nkx_json_end(j, ']');
}

static void lines(nkx_json *j, const nkx_report_of *r)
{
    const nkx_summary *s = r->summary;
    nkx_json_key(j, "lines");
    nkx_json_begin(j, '[');
    for (size_t i = 0; i < s->n_lines; i++) {
        const nkx_line_sum *l = &s->lines[i];
        const nkx_source *src = nkx_sources_get(r->sources, l->source);
        size_t len;
        const char *text = nkx_report_line(r->sources, l->source, l->line, &len);
        nkx_json_begin(j, '{');
        put_str(j, "file", src ? src->path : "");
        put_int(j, "line", l->line);
        put_str(j, "function", l->function < s->n_functions ? s->functions[l->function] : "");
        put_str(j, "opcode", l->opcode);
        nkx_json_key(j, "text");
        nkx_json_strn(j, text, len);
        put_int(j, "instruction_count", l->count);
        put_int(j, "instruction_time_ns", l->time / 1000);
        put_int(j, "wait_time_ns", l->wait / 1000);
        put_int(j, "critical_time_ns", l->stall / 1000);
        put_int(j, "bytes", l->bytes);
        put_int(j, "flops", l->flops);
        nkx_json_end(j, '}');
    }
    nkx_json_end(j, ']');
}

static void numbers(nkx_json *j, const char *key, const double *v, size_t n)
{
    nkx_json_key(j, key);
    nkx_json_begin(j, '[');
    for (size_t i = 0; i < n; i++) nkx_json_num(j, (double)(int64_t)(v[i] * 1e4 + 0.5) / 1e4);
    nkx_json_end(j, ']');
}

static void series(nkx_json *j, const nkx_summary *s)
{
    nkx_json_key(j, "series");
    nkx_json_begin(j, '{');
    put_num(j, "interval_ns", (double)s->bucket / 1000);
    for (int e = 0; e < NKX_N_ENGINES; e++) {
        numbers(j, nkx_engine_label((nkx_engine)e), s->engine_busy[e], s->n_buckets);
    }
    numbers(j, "SBUF", s->sbuf_use, s->n_buckets);
    numbers(j, "PSUM", s->psum_use, s->n_buckets);
    nkx_json_end(j, '}');
}

static void model(nkx_json *j, const nkx_summary *s)
{
    nkx_buf text = {0};
    nkx_report_model(s, &text);
    nkx_json_key(j, "model");
    nkx_json_begin(j, '{');
    put_str(j, "version", NKX_MODEL_VERSION);
    put_str(j, "error", NKX_MODEL_ERROR);
    nkx_json_key(j, "cycle_accurate");
    nkx_json_bool(j, false);
    put_str(j, "statement", text.at);
    nkx_json_end(j, '}');
    nkx_buf_fini(&text);
}

void nkx_report_json(const nkx_report_of *r, nkx_buf *out)
{
    const nkx_summary *s = r->summary;
    nkx_json j = {.out = out};
    nkx_json_begin(&j, '{');
    put_str(&j, "kernel", r->kernel ? r->kernel : "");
    put_str(&j, "target", s->target);
    model(&j, s);
    nkx_json_key(&j, "summary");
    nkx_json_begin(&j, '{');
    totals(&j, s);
    memory(&j, s);
    dma(&j, s);
    engines(&j, s);
    nkx_json_end(&j, '}');
    opcodes(&j, s);
    lines(&j, r);
    nkx_json_key(&j, "remarks");
    nkx_json_begin(&j, '[');
    for (size_t i = 0; i < s->n_remarks; i++) nkx_json_str(&j, s->remarks[i]);
    nkx_json_end(&j, ']');
    series(&j, s);
    nkx_json_end(&j, '}');
    nkx_buf_char(out, '\n');
}
