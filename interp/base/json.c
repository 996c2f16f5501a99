/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer. Layer base. Bytes that are not UTF-8 become U+FFFD, so output always parses. */
#include "interp/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void before_value(nkx_json *j)
{
    if (j->comma) nkx_buf_char(j->out, ',');
    j->comma = true;
}

void nkx_json_begin(nkx_json *j, char open)
{
    before_value(j);
    nkx_buf_char(j->out, open);
    j->comma = false;
}

void nkx_json_end(nkx_json *j, char close)
{
    nkx_buf_char(j->out, close);
    j->comma = true;
}

/* Length of the well-formed UTF-8 sequence at s, 0 if there is none. */
static size_t utf8_length(const unsigned char *s, size_t left)
{
    static const uint32_t lowest[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = s[0] < 0x80   ? 1
               : s[0] < 0xC2 ? 0
               : s[0] < 0xE0 ? 2
               : s[0] < 0xF0 ? 3
               : s[0] < 0xF5 ? 4
                             : 0;
    if (n <= 1) return n;
    if (n > left) return 0;
    uint32_t c = s[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        c = c << 6 | (s[i] & 0x3Fu);
    }
    bool surrogate = c >= 0xD800 && c <= 0xDFFF;
    return c < lowest[n] || surrogate || c > 0x10FFFF ? 0 : n;
}

/* A character that cannot stand in a JSON string as it is. */
static void escaped(nkx_buf *out, unsigned char c)
{
    switch (c) {
    case '"':
    case '\\':
        nkx_buf_char(out, '\\');
        nkx_buf_char(out, (char)c);
        break;
    case '\n': nkx_buf_str(out, "\\n"); break;
    case '\t': nkx_buf_str(out, "\\t"); break;
    case '\r': nkx_buf_str(out, "\\r"); break;
    default: nkx_buf_printf(out, "\\u%04x", c);
    }
}

static void quoted(nkx_buf *out, const char *s, size_t len)
{
    nkx_buf_char(out, '"');
    for (size_t i = 0; i < len;) {
        unsigned char c = (unsigned char)s[i];
        size_t n = utf8_length((const unsigned char *)s + i, len - i);
        if (c == '"' || c == '\\' || c < 0x20 || c == 0x7F) {
            escaped(out, c);
        } else if (n == 0) {
            nkx_buf_str(out, "\\ufffd");
        } else {
            nkx_buf_add(out, s + i, n);
        }
        i += n > 0 ? n : 1;
    }
    nkx_buf_char(out, '"');
}

void nkx_json_key(nkx_json *j, const char *key)
{
    before_value(j);
    quoted(j->out, key, strlen(key));
    nkx_buf_char(j->out, ':');
    j->comma = false;
}

void nkx_json_str(nkx_json *j, const char *s)
{
    nkx_json_strn(j, s, strlen(s));
}

void nkx_json_strn(nkx_json *j, const char *s, size_t len)
{
    before_value(j);
    quoted(j->out, s, len);
}

void nkx_json_int(nkx_json *j, int64_t v)
{
    before_value(j);
    nkx_buf_printf(j->out, "%" PRId64, v);
}

void nkx_json_num(nkx_json *j, double v)
{
    if (!isfinite(v)) {
        nkx_json_null(j);
        return;
    }
    before_value(j);
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v) break;
    }
    nkx_buf_str(j->out, text);
}

void nkx_json_bool(nkx_json *j, bool v)
{
    before_value(j);
    nkx_buf_str(j->out, v ? "true" : "false");
}

void nkx_json_null(nkx_json *j)
{
    before_value(j);
    nkx_buf_str(j->out, "null");
}
