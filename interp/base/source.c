/* SPDX-License-Identifier: Apache-2.0 */
/* Source texts, and offsets turned into lines and columns when something is shown. Layer base. */
#include "interp/base/source.h"
#include "interp/base/vec.h"

#include <stdlib.h>
#include <string.h>

struct nkx_sources {
    NKX_VEC(nkx_source *) list; /* list.at[id - 1] */
};

nkx_sources *nkx_sources_new(void)
{
    return nkx_alloc(sizeof(nkx_sources));
}

void nkx_sources_free(nkx_sources *s)
{
    if (s == NULL) return;
    for (size_t i = 0; i < s->list.n; i++) {
        nkx_source *src = s->list.at[i];
        free(src->path);
        free(src->text);
        free(src->line_starts);
        free(src);
    }
    nkx_vec_fini(&s->list);
    free(s);
}

const nkx_source *nkx_sources_add(nkx_sources *s, const char *path, const char *text, size_t len)
{
    nkx_source *src = nkx_alloc(sizeof *src);
    src->path = nkx_dup(path, strlen(path) + 1);
    src->text = nkx_alloc(len + 1);
    if (len) memcpy(src->text, text, len);
    src->len = len;
    src->id = (uint32_t)s->list.n + 1;
    nkx_push(&s->list, src);
    return src;
}

static nkx_source *get(const nkx_sources *s, uint32_t id)
{
    return id == 0 || id > s->list.n ? NULL : s->list.at[id - 1];
}

const nkx_source *nkx_sources_get(const nkx_sources *s, uint32_t id)
{
    return get(s, id);
}

/* LF, CRLF and a lone CR each end a line, as in the lexer. */
static void index_lines(nkx_source *src)
{
    NKX_VEC(uint32_t) starts = {0};
    nkx_push(&starts, 0);
    for (size_t i = 0; i < src->len; i++) {
        char c = src->text[i];
        if (c != '\n' && c != '\r') continue;
        if (c == '\r' && src->text[i + 1] == '\n') i++;
        nkx_push(&starts, (uint32_t)(i + 1));
    }
    src->line_starts = starts.at;
    src->n_lines = starts.n;
}

void nkx_source_locate(nkx_sources *s, uint32_t id, uint32_t offset, uint32_t *line, uint32_t *col)
{
    *line = *col = 1;
    nkx_source *src = get(s, id);
    if (src == NULL) return;
    if (src->line_starts == NULL) index_lines(src);
    if (offset > src->len) offset = (uint32_t)src->len;
    size_t lo = 0, hi = src->n_lines; /* line_starts[lo] <= offset < line_starts[hi] */
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (src->line_starts[mid] <= offset) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    *line = (uint32_t)lo + 1;
    uint32_t i = src->line_starts[lo];
    if (lo == 0 && src->len >= 3 && memcmp(src->text, "\xEF\xBB\xBF", 3) == 0) i = 3; /* BOM */
    for (; i < offset; i++) {
        if (((unsigned char)src->text[i] & 0xC0) != 0x80) ++*col; /* UTF-8 lead bytes */
    }
}

const char *nkx_source_line(nkx_sources *s, uint32_t id, uint32_t line, size_t *len)
{
    *len = 0;
    nkx_source *src = get(s, id);
    if (src == NULL) return "";
    if (src->line_starts == NULL) index_lines(src);
    if (line == 0 || line > src->n_lines) return "";
    size_t begin = src->line_starts[line - 1];
    if (line == 1 && src->len >= 3 && memcmp(src->text, "\xEF\xBB\xBF", 3) == 0) begin = 3;
    size_t end = line < src->n_lines ? src->line_starts[line] : src->len;
    while (end > begin && (src->text[end - 1] == '\n' || src->text[end - 1] == '\r')) end--;
    *len = end - begin;
    return src->text + begin;
}
