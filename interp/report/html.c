/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile as one HTML file: no script, no network. Layer report. Figures, a chart of every
 * engine over time, the roofline, the source lines, the instructions, the remarks.
 */
#include "interp/report/parts.h"

#include <math.h>
#include <string.h>

enum { CHART_WIDTH = 900, ROW_HEIGHT = 34, LABEL_WIDTH = 80, MOST_LINES = 60 };

static const char STYLE[] =
    "body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:1040px;padding:0 "
    "1em;color:#1a1f26;"
    "background:#fff}h1{font-size:1.4em;margin:0 0 .2em}h2{font-size:1.05em;margin:2em 0 .6em}"
    "p.sub,p.model{color:#5a6572;margin:.2em 0}table{border-collapse:collapse;width:100%}"
    "th{font-weight:600;text-align:right;color:#5a6572;border-bottom:1px solid "
    "#c9d1d9;padding:.25em .6em}"
    "td{text-align:right;padding:.22em .6em;border-bottom:1px solid "
    "#eef1f4;font-variant-numeric:tabular-nums}"
    "th.t,td.t{text-align:left}code{font:12.5px ui-monospace,monospace;white-space:pre-wrap}"
    ".tiles{display:flex;flex-wrap:wrap;gap:.8em;margin:1.2em 0}.tile{border:1px solid "
    "#d7dde3;border-radius:6px;"
    "padding:.6em 1em;min-width:7.5em}.tile b{display:block;font-size:1.25em}.tile "
    "span{color:#5a6572}"
    "svg{display:block;max-width:100%}svg text{font:12px system-ui,sans-serif;fill:#5a6572}"
    "@media(prefers-color-scheme:dark){body{background:#11151a;color:#dfe5ec}td{border-color:#"
    "222a33}"
    "th{border-color:#3a4552}.tile{border-color:#3a4552}}";

static void escape(nkx_buf *out, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (s[i] == '<') {
            nkx_buf_str(out, "&lt;");
        } else if (s[i] == '>') {
            nkx_buf_str(out, "&gt;");
        } else if (s[i] == '&') {
            nkx_buf_str(out, "&amp;");
        } else if (s[i] == '"') {
            nkx_buf_str(out, "&quot;");
        } else {
            nkx_buf_char(out, s[i]);
        }
    }
}

static void escape_str(nkx_buf *out, const char *s)
{
    escape(out, s, strlen(s));
}

static void tile(nkx_buf *out, const char *name, const char *value)
{
    nkx_buf_printf(out, "<div class=\"tile\"><b>%s</b><span>%s</span></div>\n", value, name);
}

static void tile_percent(nkx_buf *out, const char *name, double share)
{
    nkx_buf b = {0};
    nkx_buf_printf(&b, "%.1f %%", share * 100);
    tile(out, name, b.at);
    nkx_buf_fini(&b);
}

static void tile_bytes(nkx_buf *out, const char *name, int64_t bytes)
{
    nkx_buf b = {0};
    nkx_report_bytes(bytes, &b);
    tile(out, name, b.at);
    nkx_buf_fini(&b);
}

static void tiles(const nkx_summary *s, nkx_buf *out)
{
    nkx_buf b = {0};
    nkx_buf_str(out, "<div class=\"tiles\">\n");
    nkx_report_time(s->span, &b);
    tile(out, "kernel span", b.at);
    nkx_buf_clear(&b);
    nkx_report_time(s->total, &b);
    tile(out, "with start and stop", b.at);
    nkx_buf_clear(&b);
    nkx_buf_printf(&b, "%lld", (long long)s->instructions);
    tile(out, "instructions", b.at);
    nkx_buf_fini(&b);
    if (s->hardware_flops > 0) {
        tile_percent(out, "MFU", s->mfu);
        tile_percent(out, "HFU", s->hfu);
        tile_percent(out, "MFU at most", s->mfu_max);
    }
    tile_percent(out, "MBU", s->mbu);
    tile_bytes(out, "read from HBM", s->hbm.read);
    tile_bytes(out, "written to HBM", s->hbm.written);
    nkx_buf_str(out, "</div>\n");
}

/* --- chart of activity --- */

static void area(const double *v, size_t n, int y, const char *colour, nkx_buf *out)
{
    if (n == 0) return;
    double step = (double)CHART_WIDTH / (double)n;
    nkx_buf_printf(out, "<path fill=\"%s\" d=\"M%d %d", colour, LABEL_WIDTH, y);
    for (size_t i = 0; i < n; i++) {
        double top = (double)y - v[i] * (ROW_HEIGHT - 6);
        nkx_buf_printf(out, "L%.1f %.1fL%.1f %.1f", LABEL_WIDTH + (double)i * step, top,
                       LABEL_WIDTH + (double)(i + 1) * step, top);
    }
    nkx_buf_printf(out, "L%d %dZ\"/>\n", LABEL_WIDTH + CHART_WIDTH, y);
}

static void chart_row(const char *name, const double *v, size_t n, int row, const char *colour,
                      nkx_buf *out)
{
    int y = (row + 1) * ROW_HEIGHT;
    nkx_buf_printf(out,
                   "<text x=\"0\" y=\"%d\">%s</text><line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" "
                   "stroke=\"#c9d1d9\"/>\n",
                   y - 8, name, LABEL_WIDTH, LABEL_WIDTH + CHART_WIDTH, y, y);
    area(v, n, y, colour, out);
}

static void chart(const nkx_summary *s, nkx_buf *out)
{
    static const char *const COLOURS[NKX_N_ENGINES] = {"#3b6fb6", "#3f8f6b", "#b8862b",
                                                       "#8a5fae", "#7b8794", "#b5524a"};
    int row = 0;
    nkx_buf_str(out, "<h2>Activity over time</h2>\n");
    nkx_buf_printf(out,
                   "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Busy share of each engine "
                   "over time\">\n",
                   LABEL_WIDTH + CHART_WIDTH, 8 * ROW_HEIGHT + 20);
    for (int e = 0; e < NKX_N_ENGINES; e++) {
        if (s->engines[e].count == 0) continue;
        chart_row(nkx_engine_label((nkx_engine)e), s->engine_busy[e], s->n_buckets, row++,
                  COLOURS[e], out);
    }
    chart_row("SBUF use", s->sbuf_use, s->n_buckets, row++, "#9fb3c8", out);
    chart_row("PSUM use", s->psum_use, s->n_buckets, row++, "#9fb3c8", out);
    nkx_buf_printf(
        out, "<text x=\"%d\" y=\"%d\">0</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">",
        LABEL_WIDTH, row * ROW_HEIGHT + 16, LABEL_WIDTH + CHART_WIDTH, row * ROW_HEIGHT + 16);
    nkx_report_time((int64_t)s->n_buckets * s->bucket, out);
    nkx_buf_str(out, "</text></svg>\n");
}

/* --- roofline, both axes logarithmic --- */

static double log_at(double v, double lo, double hi, double from, double to)
{
    if (v < lo) v = lo;
    if (v > hi) v = hi;
    return from + (to - from) * log10(v / lo) / log10(hi / lo);
}

static void roofline(const nkx_summary *s, nkx_buf *out)
{
    enum { X0 = 60, X1 = 560, Y0 = 250, Y1 = 20 };
    const double LO = 1, HI = 1e4, BOTTOM = 1e-3;
    if (s->hardware_flops == 0 || s->arithmetic_intensity <= 0) return;
    double knee = s->peak_intensity;
    double x_knee = log_at(knee, LO, HI, X0, X1), y_left = log_at(LO / knee, BOTTOM, 1, Y0, Y1);
    double x = log_at(s->arithmetic_intensity, LO, HI, X0, X1),
           y = log_at(s->mfu, BOTTOM, 1, Y0, Y1);
    nkx_buf_str(
        out,
        "<h2>Roofline</h2>\n<svg viewBox=\"0 0 620 290\" style=\"max-width:620px\" role=\"img\" "
        "aria-label=\"Roofline\">\n");
    nkx_buf_printf(out, "<path fill=\"none\" stroke=\"#7b8794\" d=\"M%d %dL%d %dM%d %dL%d %d\"/>",
                   X0, Y1, X0, Y0, X0, Y0, X1, Y0);
    nkx_buf_printf(
        out,
        "<path fill=\"none\" stroke=\"#3b6fb6\" stroke-width=\"2\" d=\"M%d %.1fL%.1f %dL%d %d\"/>",
        X0, y_left, x_knee, Y1, X1, Y1);
    nkx_buf_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"#b5524a\"/>", x, y);
    nkx_buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\">%.1f flops a byte, MFU %.1f %%</text>",
                   x < 380 ? x + 9 : x - 200, y + 16, s->arithmetic_intensity, s->mfu * 100);
    nkx_buf_printf(out, "<text x=\"%.1f\" y=\"%d\">balance %.1f</text>", x_knee, Y1 - 6, knee);
    nkx_buf_printf(out,
                   "<text x=\"%d\" y=\"%d\">1</text><text x=\"%d\" y=\"%d\" "
                   "text-anchor=\"end\">10000 flops a byte</text>",
                   X0, Y0 + 18, X1, Y0 + 18);
    nkx_buf_printf(
        out, "<text x=\"4\" y=\"%d\">100 %%</text><text x=\"4\" y=\"%d\">0.1 %%</text></svg>\n",
        Y1 + 5, Y0);
}

/* --- tables --- */

static void cell_time(nkx_buf *out, int64_t ps)
{
    nkx_buf_str(out, "<td>");
    nkx_report_time(ps, out);
    nkx_buf_str(out, "</td>");
}

static void engines(const nkx_summary *s, nkx_buf *out)
{
    nkx_buf_str(out, "<h2>Engines</h2>\n<table><tr><th "
                     "class=\"t\">engine</th><th>active</th><th>share</th><th>instructions"
                     "</th><th>instruction time</th><th>waiting</th></tr>\n");
    for (int e = 0; e < NKX_N_ENGINES; e++) {
        const nkx_engine_sum *x = &s->engines[e];
        if (x->count == 0) continue;
        nkx_buf_printf(out, "<tr><td class=\"t\">%s</td>", nkx_engine_label((nkx_engine)e));
        cell_time(out, x->active);
        nkx_buf_printf(out, "<td>%.1f %%</td><td>%lld</td>", nkx_share(x->active, s->span) * 100,
                       (long long)x->count);
        cell_time(out, x->instruction_time);
        cell_time(out, x->wait_time);
        nkx_buf_str(out, "</tr>\n");
    }
    nkx_buf_str(out, "</table>\n");
}

static void lines(const nkx_report_of *r, nkx_buf *out)
{
    const nkx_summary *s = r->summary;
    nkx_buf_str(out, "<h2>Source lines</h2>\n<p class=\"sub\">Critical: time of the run, charged "
                     "along the chain of what held what.</p>\n"
                     "<table><tr><th>critical</th><th>share</th><th>time</th><th>waits</th>"
                     "<th>count</th><th class=\"t\">line</th><th class=\"t\">source</th></tr>\n");
    for (size_t i = 0; i < s->n_lines && i < MOST_LINES; i++) {
        const nkx_line_sum *l = &s->lines[i];
        size_t len;
        const char *text = nkx_report_line(r->sources, l->source, l->line, &len);
        nkx_buf where = {0};
        nkx_report_place(r->sources, l->source, l->line, &where);
        nkx_buf_str(out, "<tr>");
        cell_time(out, l->stall);
        nkx_buf_printf(out, "<td>%.1f %%</td>", nkx_share(l->stall, s->span) * 100);
        cell_time(out, l->time);
        cell_time(out, l->wait);
        nkx_buf_printf(out, "<td>%lld</td><td class=\"t\">", (long long)l->count);
        escape_str(out, where.at ? where.at : "-");
        nkx_buf_str(out, "</td><td class=\"t\"><code>");
        escape(out, text, len);
        nkx_buf_str(out, "</code></td></tr>\n");
        nkx_buf_fini(&where);
    }
    nkx_buf_str(out, "</table>\n");
}

static void opcodes(const nkx_summary *s, nkx_buf *out)
{
    nkx_buf_str(out, "<h2>Instructions</h2>\n<table><tr><th class=\"t\">instruction</th><th "
                     "class=\"t\">engine</th>"
                     "<th>count</th><th>time</th><th>mean</th></tr>\n");
    for (size_t i = 0; i < s->n_ops; i++) {
        const nkx_op_sum *o = &s->ops[i];
        nkx_buf_printf(out, "<tr><td class=\"t\">%s</td><td class=\"t\">%s</td><td>%lld</td>",
                       o->opcode, nkx_engine_label((nkx_engine)o->engine), (long long)o->count);
        cell_time(out, o->time);
        cell_time(out, o->count > 0 ? o->time / o->count : 0);
        nkx_buf_str(out, "</tr>\n");
    }
    nkx_buf_str(out, "</table>\n");
}

void nkx_report_html(const nkx_report_of *r, nkx_buf *out)
{
    const nkx_summary *s = r->summary;
    const char *kernel = r->kernel ? r->kernel : "kernel";
    nkx_buf_str(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    escape_str(out, kernel);
    nkx_buf_printf(out, " on %s</title>\n<style>%s</style></head><body>\n<h1>", s->target, STYLE);
    escape_str(out, kernel);
    nkx_buf_printf(out, " on %s</h1>\n<p class=\"model\">", s->target);
    nkx_report_model(s, out);
    nkx_buf_str(out, "</p>\n");
    tiles(s, out);
    if (s->n_remarks > 0) nkx_buf_str(out, "<ul>\n");
    for (size_t i = 0; i < s->n_remarks; i++) {
        nkx_buf_str(out, "<li>");
        escape_str(out, s->remarks[i]);
        nkx_buf_str(out, "</li>\n");
    }
    if (s->n_remarks > 0) nkx_buf_str(out, "</ul>\n");
    chart(s, out);
    roofline(s, out);
    engines(s, out);
    lines(r, out);
    opcodes(s, out);
    nkx_buf_str(out, "</body></html>\n");
}
