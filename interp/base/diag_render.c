/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How diagnostics look: text with source line and underline, or JSON. Layer base.
 *
 *   tile.nki:7:12: error[E312]: operands differ, 128 against 64
 *       7 |     nisa.tensor_tensor(dst=a, data1=b, data2=c)
 *         |            ^^^^^^^^^^^
 *   tile.nki:3:5: note: allocated here
 *       ...
 *     hint: Slice the larger operand.
 */
#include "interp/base/diag.h"
#include "interp/base/json.h"

#include <string.h>

static const char *severity_word(const nkx_diag *g)
{
    if (g->is_error) return "error";
    return nkx_code_rows[g->code].severity == NKX_SEV_HINT ? "hint" : "warning";
}

static void paint(nkx_buf *out, bool colour, const char *sgr)
{
    if (colour) nkx_buf_printf(out, "\x1b[%sm", sgr);
}

static void place(const nkx_diags *d, nkx_span span, nkx_buf *out)
{
    const nkx_source *src = nkx_sources_get(d->sources, span.source);
    if (src == NULL) {
        nkx_buf_str(out, "nkx: ");
        return;
    }
    uint32_t line, col;
    nkx_source_locate(d->sources, span.source, span.begin, &line, &col);
    nkx_buf_printf(out, "%s:%u:%u: ", src->path, line, col);
}

/* Bytes and code point of the UTF-8 character at s; a stray byte stands for itself. */
static size_t decode(const char *s, size_t left, uint32_t *cp)
{
    unsigned char c = (unsigned char)s[0];
    size_t n = c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (n > left) n = 1;
    *cp = n == 1 ? c : c & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) *cp = *cp << 6 | ((unsigned char)s[i] & 0x3Fu);
    return n;
}

/* Terminal columns of a character: 2 for the East Asian wide blocks, 0 for combining marks. */
static int width(uint32_t c)
{
    static const struct {
        uint32_t first, last;
        int width;
    } odd[] = {
        {0x300,   0x36F,   0},
        {0x1100,  0x115F,  2},
        {0x200B,  0x200F,  0},
        {0x2E80,  0xA4CF,  2},
        {0xAC00,  0xD7A3,  2},
        {0xF900,  0xFAFF,  2},
        {0xFE00,  0xFE0F,  0},
        {0xFE30,  0xFE6F,  2},
        {0xFF00,  0xFF60,  2},
        {0x1F300, 0x1FAFF, 2},
        {0x20000, 0x3FFFD, 2},
    };
    if (c < 0x300) return 1;
    for (size_t i = 0; i < NKX_COUNT(odd); i++) {
        if (c >= odd[i].first && c <= odd[i].last) return odd[i].width;
    }
    return 1;
}

/* Writes `mark` for every column that the text takes; tabs stay tabs so that columns line up. */
static void columns(const char *text, size_t len, char mark, nkx_buf *out)
{
    for (size_t i = 0; i < len;) {
        uint32_t cp;
        i += decode(text + i, len - i, &cp);
        if (cp == '\t' && mark == ' ') {
            nkx_buf_char(out, '\t');
            continue;
        }
        for (int w = width(cp); w > 0; w--) nkx_buf_char(out, mark);
    }
}

static void excerpt(const nkx_diags *d, nkx_span span, bool colour, const char *sgr, nkx_buf *out)
{
    const nkx_source *src = nkx_sources_get(d->sources, span.source);
    if (src == NULL) return;
    uint32_t line, col;
    size_t len;
    nkx_source_locate(d->sources, span.source, span.begin, &line, &col);
    const char *text = nkx_source_line(d->sources, span.source, line, &len);
    nkx_buf_printf(out, "%5u | ", line);
    nkx_buf_add(out, text, len);
    nkx_buf_str(out, "\n      | ");
    size_t offset = (size_t)(text - src->text);
    size_t begin = span.begin < offset ? 0 : span.begin - offset;
    size_t end = span.end < offset ? 0 : span.end - offset;
    if (begin > len) begin = len;
    if (end > len) end = len; /* the rest of a longer span is on other lines */
    columns(text, begin, ' ', out);
    paint(out, colour, sgr);
    if (end > begin) {
        columns(text + begin, end - begin, '^', out);
    } else {
        nkx_buf_char(out, '^');
    }
    paint(out, colour, "0");
    nkx_buf_char(out, '\n');
}

/* Further lines of a message, indented as one block. */
static void block(const char *text, const char *indent, nkx_buf *out)
{
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        nkx_buf_str(out, indent);
        nkx_buf_add(out, text, n);
        nkx_buf_char(out, '\n');
        text += n;
        if (*text == '\n') text++;
    }
}

void nkx_diag_render(const nkx_diags *d, const nkx_diag *g, bool colour, nkx_buf *out)
{
    const char *sgr = g->is_error ? "1;31" : "1;35";
    place(d, g->span, out);
    paint(out, colour, sgr);
    nkx_buf_printf(out, "%s[E%u]", severity_word(g), nkx_code_rows[g->code].number);
    paint(out, colour, "0");
    nkx_buf_printf(out, ": %s\n", g->message);
    excerpt(d, g->span, colour, sgr, out);
    for (size_t i = 0; i < g->n_notes; i++) {
        place(d, g->notes[i].span, out);
        paint(out, colour, "1;36");
        nkx_buf_str(out, "note");
        paint(out, colour, "0");
        nkx_buf_printf(out, ": %s\n", g->notes[i].text);
        excerpt(d, g->notes[i].span, colour, "1;36", out);
    }
    if (g->detail != NULL) block(g->detail, "  ", out);
    if (g->hint != NULL) {
        paint(out, colour, "1;32");
        nkx_buf_str(out, "  hint");
        paint(out, colour, "0");
        nkx_buf_printf(out, ": %s\n", g->hint);
    }
}

static void json_place(const nkx_diags *d, nkx_span span, nkx_json *j)
{
    const nkx_source *src = nkx_sources_get(d->sources, span.source);
    if (src == NULL) return;
    uint32_t line, col;
    nkx_json_key(j, "file");
    nkx_json_str(j, src->path);
    nkx_source_locate(d->sources, span.source, span.begin, &line, &col);
    nkx_json_key(j, "line");
    nkx_json_int(j, line);
    nkx_json_key(j, "column");
    nkx_json_int(j, col);
    nkx_source_locate(d->sources, span.source, span.end, &line, &col);
    nkx_json_key(j, "end_line");
    nkx_json_int(j, line);
    nkx_json_key(j, "end_column");
    nkx_json_int(j, col);
}

static void json_text(nkx_json *j, const char *key, const char *text)
{
    if (text == NULL) return;
    nkx_json_key(j, key);
    nkx_json_str(j, text);
}

static void json_diag(const nkx_diags *d, const nkx_diag *g, nkx_json *j)
{
    nkx_json_begin(j, '{');
    nkx_json_key(j, "code");
    nkx_buf number = {0};
    nkx_buf_printf(&number, "E%u", nkx_code_rows[g->code].number);
    nkx_json_str(j, number.at);
    nkx_buf_fini(&number);
    json_text(j, "name", nkx_code_rows[g->code].name);
    json_text(j, "severity", severity_word(g));
    json_place(d, g->span, j);
    json_text(j, "message", g->message);
    json_text(j, "hint", g->hint);
    json_text(j, "detail", g->detail);
    nkx_json_key(j, "notes");
    nkx_json_begin(j, '[');
    for (size_t i = 0; i < g->n_notes; i++) {
        nkx_json_begin(j, '{');
        json_place(d, g->notes[i].span, j);
        json_text(j, "message", g->notes[i].text);
        nkx_json_end(j, '}');
    }
    nkx_json_end(j, ']');
    nkx_json_end(j, '}');
}

void nkx_diags_json(const nkx_diags *d, nkx_buf *out)
{
    nkx_json j = {.out = out};
    nkx_json_begin(&j, '[');
    for (size_t i = 0; i < d->n; i++) json_diag(d, d->list[i], &j);
    nkx_json_end(&j, ']');
}
