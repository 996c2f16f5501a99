/* SPDX-License-Identifier: Apache-2.0 */
/* Around each launch: the listing, the event log, and the reports of its timeline. */
#include "interp/report/report.h"
#include "interp/runtime.h"

#include <inttypes.h>
#include <string.h>

/* ---- listing ---- */

/* "    12  Tensor  nc_matmul  dst=..., ...  matmul.nki:62" */
static void list_line(nkx_runtime *rt, const nkx_op *op, uint64_t id, nkx_buf *out)
{
    uint32_t line = 0, col = 0;
    const nkx_source *src = nkx_sources_get(rt->sources, op->span.source);
    if (src) nkx_source_locate(rt->sources, op->span.source, op->span.begin, &line, &col);
    nkx_buf_printf(out, "%6" PRIu64 "  %-6s  %-20s", id, nkx_engine_label((nkx_engine)op->engine),
                   op->opcode);
    if (op->label && *op->label) nkx_buf_printf(out, " [%s]", op->label);
    if (op->operands_text) nkx_buf_printf(out, " %s", op->operands_text);
    if (src) nkx_buf_printf(out, "  %s:%" PRIu32, src->path, line);
}

static void on_op(void *user, const nkx_op *op, uint64_t id)
{
    nkx_runtime *rt = user;
    nkx_buf line = {0};
    list_line(rt, op, id, &line);
    if (rt->live) {
        nkx_buf_add(&rt->live_list, line.at, line.len);
        nkx_buf_char(&rt->live_list, '\n');
    } else if (rt->o.listing) {
        rt->o.listing(rt->o.user, line.at);
    }
    nkx_buf_fini(&line);
}

/* ---- launches ---- */

static void set_running(nkx_runtime *rt, nkx_core *core)
{
    pthread_mutex_lock(&rt->lock);
    rt->running = core;
    pthread_mutex_unlock(&rt->lock);
}

static void trace_trouble(nkx_runtime *rt, const char *why)
{
    nkx_span span = nkx_rt_note_text(rt, "<option --trace>", rt->o.trace);
    nkx_diag_add(&rt->diags, NKX_E660, span, "cannot write '%s': %s", rt->o.trace, why);
}

/* The log of a script with several launches is that of the last one. */
static void open_trace(nkx_runtime *rt, nkx_core *core)
{
    const char *why = NULL;
    if (rt->o.trace == NULL || core->timeline == NULL) return;
    nkx_rt_trace_close(rt);
    rt->trace = nkx_trace_open(core, rt->o.trace, &why);
    if (rt->trace == NULL) trace_trouble(rt, why);
}

void nkx_rt_trace_close(nkx_runtime *rt)
{
    const char *why = NULL;
    if (rt->trace && !nkx_trace_close(rt->trace, &why)) trace_trouble(rt, why);
    rt->trace = NULL;
}

static void begin_launch(nkx_runtime *rt, nkx_core *core)
{
    core->want_text = rt->o.want_text || rt->o.trace != NULL;
    if (rt->o.listing || rt->live) {
        core->on_op = on_op;
        core->user = rt;
    }
    if (rt->o.precision) nkx_rt_precision_begin(rt, core);
    open_trace(rt, core);
    set_running(rt, core);
}

void nkx_rt_on_launch(void *user, nkx_core *core, const char *kernel, bool begin)
{
    nkx_runtime *rt = user;
    if (kernel) rt->kernel = nkx_arena_str(&rt->arena, kernel, strlen(kernel));
    if (begin) {
        begin_launch(rt, core);
        return;
    }
    set_running(rt, NULL);
    core->issue_listener = NULL;
    nkx_rt_trace_close(rt);
    rt->n_launches++;
    if (rt->o.launched && rt->in_script) {
        rt->o.launched(rt->o.user, rt, rt->kernel ? rt->kernel : "");
    }
}

/* ---- reports ---- */

static nkx_core *last_core(const nkx_runtime *rt)
{
    return rt->vm ? nkx_vm_core(rt->vm) : NULL;
}

static const nkx_summary *last_summary(nkx_runtime *rt)
{
    nkx_core *core = last_core(rt);
    return core && core->timeline ? nkx_timeline_summary(core->timeline) : NULL;
}

char *nkx_report(nkx_runtime *rt, nkx_report_kind kind, bool colour)
{
    const nkx_summary *s = last_summary(rt);
    if (s == NULL || s->instructions == 0) return NULL;
    nkx_report_of of = {.summary = s, .sources = rt->sources, .kernel = rt->kernel};
    nkx_buf out = {0};
    switch (kind) {
    case NKX_REPORT_TABLE: nkx_report_table(&of, colour, &out); break;
    case NKX_REPORT_JSON: nkx_report_json(&of, &out); break;
    case NKX_REPORT_ANNOTATE: nkx_report_annotate(&of, colour, &out); break;
    case NKX_REPORT_CALLGRIND: nkx_report_callgrind(&of, &out); break;
    case NKX_REPORT_HTML: nkx_report_html(&of, &out); break;
    }
    return nkx_buf_take(&out);
}

double nkx_modelled_ns(nkx_runtime *rt)
{
    const nkx_summary *s = last_summary(rt);
    return s ? (double)s->total * 1e-3 : 0;
}

uint64_t nkx_instruction_count(const nkx_runtime *rt)
{
    nkx_core *core = last_core(rt);
    return core ? core->n_issued : 0;
}
