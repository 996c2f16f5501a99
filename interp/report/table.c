/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile on a terminal: what it took, how near to the machine's limits, who was busy, which
 * lines cost most, what holds the kernel back. Layer report.
 */
#include "interp/report/parts.h"

#include <string.h>

enum { MOST_LINES = 10, MOST_OPS = 12, LINE_WIDTH = 60, BAR = 20 };

static void bold(nkx_buf *out, bool colour, const char *text)
{
    nkx_buf_printf(out, colour ? "\033[1m%s\033[0m" : "%s", text);
}

static void heading(const nkx_report_of *r, bool colour, nkx_buf *out)
{
    const nkx_summary *s = r->summary;
    nkx_buf title = {0};
    nkx_buf_printf(&title, "%s on %s: ", r->kernel ? r->kernel : "kernel", s->target);
    nkx_report_time(s->span, &title);
    bold(out, colour, title.at);
    nkx_buf_fini(&title);
    nkx_buf_str(out, " (");
    nkx_report_time(s->total, out);
    nkx_buf_printf(out, " with program start and stop), %lld instructions\n",
                   (long long)s->instructions);
    if (s->no_data_registers) {
        nkx_buf_str(out, "Loops bounded by a register were counted once: no values in this run.\n");
    }
}

static void utilisation(const nkx_summary *s, nkx_buf *out)
{
    double tflops = s->peak_intensity * s->config->v[NKX_MP_HBM_PEAK] / 1000;
    nkx_buf_char(out, '\n');
    if (s->hardware_flops > 0) {
        nkx_buf_printf(
            out, "  MFU %5.1f %%   HFU %5.1f %%   of %.1f TFLOPS; data allows at most %.1f %%\n",
            s->mfu * 100, s->hfu * 100, tflops, s->mfu_max * 100);
    }
    nkx_buf_printf(out, "  MBU %5.1f %%   ", s->mbu * 100);
    nkx_buf_printf(out, "            of %.0f GB/s", s->config->v[NKX_MP_HBM_PEAK]);
    if (s->hardware_flops > 0) {
        nkx_buf_printf(out, "; %.1f flops a byte, balance is %.1f", s->arithmetic_intensity,
                       s->peak_intensity);
    }
    nkx_buf_char(out, '\n');
    if (s->pe_limit_lost > 0) {
        nkx_buf_str(out, "  PE utilisation limit: ");
        nkx_report_time(s->pe_limit_lost, out);
        nkx_buf_printf(out, " lost, average rate %.2f\n", s->pe_limit_average);
    }
}

static void bar(double share, nkx_buf *out)
{
    int full = (int)(share * BAR + 0.5);
    for (int i = 0; i < BAR; i++) nkx_buf_char(out, i < full ? '#' : '.');
}

static void engines(const nkx_summary *s, bool colour, nkx_buf *out)
{
    nkx_buf_char(out, '\n');
    bold(out, colour, "  engine       active   share                          count     waiting\n");
    for (int e = 0; e < NKX_N_ENGINES; e++) {
        const nkx_engine_sum *x = &s->engines[e];
        if (x->count == 0) continue;
        double share = nkx_share(x->active, s->span);
        if (share > 1) share = 1;
        nkx_buf_printf(out, "  %-8s ", nkx_engine_label((nkx_engine)e));
        nkx_report_time_in(x->active, 11, out);
        nkx_buf_printf(out, " %5.1f %%  ", share * 100);
        bar(share, out);
        nkx_buf_printf(out, " %9lld", (long long)x->count);
        if (x->wait_time > 0) {
            nkx_buf_str(out, " ");
            nkx_report_time_in(x->wait_time, 11, out);
        }
        nkx_buf_char(out, '\n');
    }
}

static void memory_line(const char *name, const nkx_mem_sum *m, nkx_buf *out)
{
    nkx_buf_printf(out, "  %-8s ", name);
    nkx_report_bytes_in(m->read, 11, out);
    nkx_report_bytes_in(m->written, 12, out);
}

static void peak(int64_t used, double of, nkx_buf *out)
{
    nkx_buf_str(out, "    peak ");
    nkx_report_bytes(used, out);
    nkx_buf_str(out, " of ");
    nkx_report_bytes((int64_t)of, out);
    nkx_buf_str(out, " a partition\n");
}

static void memories(const nkx_summary *s, bool colour, nkx_buf *out)
{
    nkx_buf_char(out, '\n');
    bold(out, colour, "  memory         read     written\n");
    memory_line("HBM", &s->hbm, out);
    if (s->min_read_bytes > 0) {
        nkx_buf_str(out, "    inputs once: ");
        nkx_report_bytes(s->min_read_bytes, out);
    }
    nkx_buf_char(out, '\n');
    memory_line("SBUF", &s->sbuf, out);
    peak(s->sbuf_peak, s->config->v[NKX_MP_SBUF_USABLE], out);
    if (s->psum.read + s->psum.written > 0) {
        memory_line("PSUM", &s->psum, out);
        peak(s->psum_peak, s->config->v[NKX_MP_PSUM_BYTES], out);
    }
    if (s->dma_transfers > 0) {
        nkx_buf_printf(out, "  DMA: %lld copies, %lld descriptors of ",
                       (long long)s->engines[NKX_DMA].count, (long long)s->dma_transfers);
        nkx_report_bytes(s->dma_average_bytes, out);
        nkx_buf_str(out, " on average\n");
    }
}

static void lines(const nkx_report_of *r, bool colour, nkx_buf *out)
{
    const nkx_summary *s = r->summary;
    if (s->n_lines == 0) return;
    nkx_buf_char(out, '\n');
    bold(out, colour,
         "  slowest lines (time of the run, charged along the chain of what held what)\n");
    for (size_t i = 0; i < s->n_lines && i < MOST_LINES; i++) {
        const nkx_line_sum *l = &s->lines[i];
        if (l->stall == 0 && i > 0) break;
        size_t len;
        const char *text = nkx_report_line(r->sources, l->source, l->line, &len);
        nkx_buf where = {0};
        nkx_report_place(r->sources, l->source, l->line, &where);
        nkx_buf_printf(out, "  %5.1f %% ", nkx_share(l->stall, s->span) * 100);
        nkx_report_time_in(l->stall, 10, out);
        nkx_buf_printf(out, " %8lld x  %-20s ", (long long)l->count, where.at ? where.at : "-");
        nkx_buf_fini(&where);
        if (len == 0) nkx_buf_str(out, l->opcode);
        nkx_buf_add(out, text, len > LINE_WIDTH ? LINE_WIDTH : len);
        nkx_buf_str(out, len > LINE_WIDTH ? "...\n" : "\n");
    }
}

static void opcodes(const nkx_summary *s, bool colour, nkx_buf *out)
{
    nkx_buf_char(out, '\n');
    bold(out, colour, "  instruction             engine       count        time        mean\n");
    for (size_t i = 0; i < s->n_ops && i < MOST_OPS; i++) {
        const nkx_op_sum *o = &s->ops[i];
        nkx_buf_printf(out, "  %-23s %-8s %9lld ", o->opcode,
                       nkx_engine_label((nkx_engine)o->engine), (long long)o->count);
        nkx_report_time_in(o->time, 11, out);
        nkx_report_time_in(o->count > 0 ? o->time / o->count : 0, 12, out);
        nkx_buf_char(out, '\n');
    }
    if (s->n_ops > MOST_OPS) nkx_buf_printf(out, "  and %zu more\n", s->n_ops - MOST_OPS);
}

void nkx_report_table(const nkx_report_of *r, bool colour, nkx_buf *out)
{
    const nkx_summary *s = r->summary;
    heading(r, colour, out);
    if (s->instructions > 0) {
        utilisation(s, out);
        engines(s, colour, out);
        memories(s, colour, out);
        lines(r, colour, out);
        opcodes(s, colour, out);
    }
    if (s->n_remarks > 0) nkx_buf_char(out, '\n');
    for (size_t i = 0; i < s->n_remarks; i++) nkx_buf_printf(out, "  * %s\n", s->remarks[i]);
    nkx_buf_char(out, '\n');
    nkx_report_model(s, out);
    nkx_buf_char(out, '\n');
}
