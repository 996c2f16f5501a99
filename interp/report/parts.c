/* SPDX-License-Identifier: Apache-2.0 */
/* Units, places and the statement about the model. Layer report. */
#include "interp/report/parts.h"

#include <string.h>

double nkx_share(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

void nkx_report_time(int64_t ps, nkx_buf *out)
{
    double ns = (double)ps / 1000;
    if (ns >= 1e9) {
        nkx_buf_printf(out, "%.3f s", ns / 1e9);
    } else if (ns >= 1e6) {
        nkx_buf_printf(out, "%.3f ms", ns / 1e6);
    } else if (ns >= 1e3) {
        nkx_buf_printf(out, "%.2f us", ns / 1e3);
    } else {
        nkx_buf_printf(out, "%.0f ns", ns);
    }
}

void nkx_report_bytes(int64_t bytes, nkx_buf *out)
{
    double b = (double)bytes;
    if (b >= 1024.0 * 1024 * 1024) {
        nkx_buf_printf(out, "%.2f GiB", b / (1024.0 * 1024 * 1024));
    } else if (b >= 1024.0 * 1024) {
        nkx_buf_printf(out, "%.1f MiB", b / (1024.0 * 1024));
    } else if (b >= 1024) {
        nkx_buf_printf(out, "%.1f KiB", b / 1024);
    } else {
        nkx_buf_printf(out, "%.0f B", b);
    }
}

static void pad_from(nkx_buf *out, size_t start, int width)
{
    size_t len = out->len - start;
    if (len >= (size_t)width) return;
    size_t pad = (size_t)width - len;
    for (size_t i = 0; i < pad; i++) nkx_buf_char(out, ' ');
    memmove(out->at + start + pad, out->at + start, len);
    memset(out->at + start, ' ', pad);
}

void nkx_report_time_in(int64_t ps, int width, nkx_buf *out)
{
    size_t start = out->len;
    nkx_report_time(ps, out);
    pad_from(out, start, width);
}

void nkx_report_bytes_in(int64_t bytes, int width, nkx_buf *out)
{
    size_t start = out->len;
    nkx_report_bytes(bytes, out);
    pad_from(out, start, width);
}

void nkx_report_place(nkx_sources *sources, uint32_t source, uint32_t line, nkx_buf *out)
{
    const nkx_source *src = nkx_sources_get(sources, source);
    if (src == NULL || line == 0) {
        nkx_buf_char(out, '-');
        return;
    }
    const char *slash = strrchr(src->path, '/');
    nkx_buf_printf(out, "%s:%u", slash ? slash + 1 : src->path, line);
}

const char *nkx_report_line(nkx_sources *sources, uint32_t source, uint32_t line, size_t *len)
{
    *len = 0;
    if (nkx_sources_get(sources, source) == NULL || line == 0) return "";
    const char *s = nkx_source_line(sources, source, line, len);
    if (s == NULL) return "";
    while (*len > 0 && (*s == ' ' || *s == '\t')) {
        s++;
        (*len)--;
    }
    while (*len > 0 && (s[*len - 1] == ' ' || s[*len - 1] == '\t' || s[*len - 1] == '\r')) (*len)--;
    return s;
}

void nkx_report_model(const nkx_summary *s, nkx_buf *out)
{
    nkx_buf_printf(out, "Timing model %s for %s, not cycle accurate: %s.", NKX_MODEL_VERSION,
                   s->target, NKX_MODEL_ERROR);
}

void nkx_report_event(const nkx_event *e, nkx_sources *sources, nkx_buf *out)
{
    uint32_t line = 0, col = 0;
    nkx_buf_printf(out, "%6llu %-6s ", (unsigned long long)e->id,
                   nkx_engine_label((nkx_engine)e->engine));
    nkx_report_time_in(e->start, 10, out);
    nkx_report_time_in(e->end - e->start, 10, out);
    if (e->wait > 0) {
        nkx_buf_str(out, " waits");
        nkx_report_time_in(e->wait, 10, out);
    } else {
        nkx_buf_printf(out, "%16s", "");
    }
    nkx_buf_printf(out, "  %s", e->opcode);
    if (e->label && *e->label) nkx_buf_printf(out, " [%s]", e->label);
    if (e->operands_text) nkx_buf_printf(out, " %s", e->operands_text);
    if (nkx_sources_get(sources, e->span.source) == NULL) return;
    nkx_source_locate(sources, e->span.source, e->span.begin, &line, &col);
    nkx_buf_str(out, "  ");
    nkx_report_place(sources, e->span.source, line, out);
}
