/* SPDX-License-Identifier: Apache-2.0 */
/* Time beside the source: annotated text, and callgrind's form for kcachegrind. Layer report. */
#include "interp/report/parts.h"

#include <stdlib.h>
#include <string.h>

static int by_place(const void *a, const void *b)
{
    const nkx_line_sum *x = *(const nkx_line_sum *const *)a, *y = *(const nkx_line_sum *const *)b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return (x->function > y->function) - (x->function < y->function);
}

/* The lines in source order; the caller frees. */
static const nkx_line_sum **in_order(const nkx_summary *s)
{
    const nkx_line_sum **v = nkx_alloc((s->n_lines + 1) * sizeof *v);
    for (size_t i = 0; i < s->n_lines; i++) v[i] = &s->lines[i];
    if (s->n_lines) qsort((void *)v, s->n_lines, sizeof *v, by_place);
    return v;
}

static void columns(const nkx_summary *s, const nkx_line_sum *l, bool colour, nkx_buf *out)
{
    double share = nkx_share(l->stall, s->span);
    bool hot = colour && share >= 0.1;
    if (hot) nkx_buf_str(out, "\033[1m");
    if (l->stall > 0) {
        nkx_buf_printf(out, "%6.1f %% ", share * 100);
    } else {
        nkx_buf_str(out, "         ");
    }
    nkx_report_time_in(l->time, 11, out);
    nkx_report_time_in(l->wait, 11, out);
    nkx_buf_printf(out, " %8lld", (long long)l->count);
    if (hot) nkx_buf_str(out, "\033[0m");
}

/* Sums of one line over the functions it was inlined into. */
static size_t join_line(const nkx_line_sum *const *v, size_t i, size_t n, nkx_line_sum *sum)
{
    *sum = *v[i];
    size_t k = i + 1;
    for (; k < n && v[k]->source == v[i]->source && v[k]->line == v[i]->line; k++) {
        sum->count += v[k]->count;
        sum->time += v[k]->time;
        sum->wait += v[k]->wait;
        sum->stall += v[k]->stall;
    }
    return k;
}

static size_t annotate_file(const nkx_report_of *r, const nkx_line_sum *const *v, size_t i,
                            bool colour, nkx_buf *out)
{
    const nkx_summary *s = r->summary;
    uint32_t source = v[i]->source;
    const nkx_source *src = nkx_sources_get(r->sources, source);
    nkx_buf_printf(out, "%s\n critical        time       waits    count | line\n", src->path);
    for (uint32_t line = 1;; line++) {
        size_t len = 0;
        const char *text = nkx_source_line(r->sources, source, line, &len);
        if (text == NULL || line > src->n_lines) break;
        if (i < s->n_lines && v[i]->source == source && v[i]->line == line) {
            nkx_line_sum sum;
            i = join_line(v, i, s->n_lines, &sum);
            columns(s, &sum, colour, out);
        } else {
            nkx_buf_printf(out, "%40s", "");
        }
        nkx_buf_printf(out, " | %4u  ", line);
        nkx_buf_add(out, text, len);
        nkx_buf_char(out, '\n');
    }
    while (i < s->n_lines && v[i]->source == source) i++;
    return i;
}

void nkx_report_annotate(const nkx_report_of *r, bool colour, nkx_buf *out)
{
    const nkx_summary *s = r->summary;
    const nkx_line_sum **v = in_order(s);
    for (size_t i = 0; i < s->n_lines;) {
        if (nkx_sources_get(r->sources, v[i]->source) == NULL) {
            i++;
            continue;
        }
        i = annotate_file(r, v, i, colour, out);
        nkx_buf_char(out, '\n');
    }
    free((void *)v);
    nkx_report_model(s, out);
    nkx_buf_char(out, '\n');
}

void nkx_report_callgrind(const nkx_report_of *r, nkx_buf *out)
{
    const nkx_summary *s = r->summary;
    const nkx_line_sum **v = in_order(s);
    uint32_t source = UINT32_MAX, function = UINT32_MAX;
    nkx_buf_str(
        out, "# callgrind format\nversion: 1\ncreator: nkx\npositions: line\n"
             "event: Critical : time of the run charged along the chain of waits, ns\nevent: Time "
             ": instruction time, ns\n"
             "event: Wait : wait for operands, ns\nevents: Critical Time Wait Instructions Bytes "
             "Flops\n");
    nkx_buf_printf(out, "desc: Target: %s\ndesc: Model: %s, not cycle accurate\n", s->target,
                   NKX_MODEL_VERSION);
    for (size_t i = 0; i < s->n_lines; i++) {
        const nkx_line_sum *l = v[i];
        const nkx_source *src = nkx_sources_get(r->sources, l->source);
        if (l->source != source) nkx_buf_printf(out, "\nfl=%s\n", src ? src->path : "(unknown)");
        if (l->source != source || l->function != function) {
            nkx_buf_printf(out, "fn=%s\n",
                           l->function < s->n_functions ? s->functions[l->function] : "(kernel)");
        }
        source = l->source;
        function = l->function;
        nkx_buf_printf(out, "%u %lld %lld %lld %lld %lld %lld\n", l->line,
                       (long long)l->stall / 1000, (long long)l->time / 1000,
                       (long long)l->wait / 1000, (long long)l->count, (long long)l->bytes,
                       (long long)l->flops);
    }
    free((void *)v);
}
