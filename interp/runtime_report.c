/* SPDX-License-Identifier: Apache-2.0 */
/* Around each launch: the listing, the event log, and the reports of its timeline. */
#include "interp/runtime.h"

#include <inttypes.h>
#include <string.h>

/* ---- listing ---- */

/* "    12  Tensor  nc_matmul  dst=..., ...  matmul.nki:62" */
static void list_line(nkx_runtime *rt, const nkx_op *op, uint64_t id, nkx_buf *out)
{
    uint32_t          line = 0, col = 0;
    const nkx_source *src = nkx_sources_get(rt->sources, op->span.source);
    if (src) nkx_source_locate(rt->sources, op->span.source, op->span.begin, &line, &col);
    nkx_buf_printf(out, "%6" PRIu64 "  %-6s  %-20s", id, nkx_engine_label((nkx_engine)op->engine), op->opcode);
    if (op->label && *op->label) nkx_buf_printf(out, " [%s]", op->label);
    if (op->operands_text) nkx_buf_printf(out, " %s", op->operands_text);
    if (src) nkx_buf_printf(out, "  %s:%" PRIu32, src->path, line);
}

static void on_op(void *user, const nkx_op *op, uint64_t id)
{
    nkx_runtime *rt = user;
    nkx_buf      line = {0};
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

static void begin_launch(nkx_runtime *rt, nkx_core *core)
{
    core->want_text = rt->o.want_text || rt->o.trace != NULL;
    if (rt->o.listing || rt->live) {
        core->on_op = on_op;
        core->user = rt;
    }
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
    nkx_rt_trace_close(rt);
    rt->n_launches++;
    if (rt->o.launched) rt->o.launched(rt->o.user, rt, rt->kernel ? rt->kernel : "");
}

void nkx_rt_trace_close(nkx_runtime *rt)
{
    (void)rt;
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
    (void)kind;
    (void)colour;
    return s ? NULL : NULL;
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
