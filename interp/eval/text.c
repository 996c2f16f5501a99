/* SPDX-License-Identifier: Apache-2.0 */
/* Strings: UTF-8 with a flag for plain ASCII, where characters are bytes. Layer eval. */
#include "interp/eval/vm.h"

#include <stdlib.h>
#include <string.h>

static bool is_ascii(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)text[i] >= 0x80) return false;
    }
    return true;
}

static nkx_value make(nkx_vm *vm, nkx_vtype type, const char *text, size_t len)
{
    nkx_str *s = nkx_obj_new(vm, type, sizeof *s + len + 1);
    s->len = (uint32_t)len;
    if (len > 0) memcpy(s->text, text, len);
    s->ascii = is_ascii(text, len);
    return nkx_of(s);
}

/* Strings of none or one ASCII character are shared. */
nkx_value nkx_str_new(nkx_vm *vm, const char *text, size_t len)
{
    NKX_ASSERT(len < UINT32_MAX);
    if (len > 1 || (len == 1 && (unsigned char)text[0] >= 0x80)) {
        return make(vm, NKX_V_STR, text, len);
    }
    unsigned char c = len == 0 ? 0 : (unsigned char)text[0];
    if (len == 1 && c == 0) return make(vm, NKX_V_STR, text, len);
    if (vm->ascii[c].type == NKX_V_UNSET) vm->ascii[c] = make(vm, NKX_V_STR, text, len);
    return nkx_ref(vm->ascii[c]);
}

nkx_value nkx_bytes_new(nkx_vm *vm, const char *text, size_t len)
{
    NKX_ASSERT(len < UINT32_MAX);
    return make(vm, NKX_V_BYTES, text, len);
}

nkx_value nkx_cstr(nkx_vm *vm, const char *text)
{
    return nkx_str_new(vm, text, strlen(text));
}

nkx_value nkx_str_of_name(nkx_vm *vm, const nkx_name *name)
{
    return nkx_str_new(vm, name->text, name->len);
}

nkx_value nkx_str_take(nkx_vm *vm, nkx_buf *b)
{
    nkx_value v = nkx_str_new(vm, b->at == NULL ? "" : b->at, b->len);
    nkx_buf_fini(b);
    return v;
}

nkx_value nkx_str_printf(nkx_vm *vm, const char *fmt, ...)
{
    nkx_buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    nkx_buf_vprintf(&b, fmt, ap);
    va_end(ap);
    return nkx_str_take(vm, &b);
}

const nkx_name *nkx_name_of(nkx_vm *vm, nkx_value str)
{
    return nkx_names_get(vm->names, nkx_text(str), nkx_text_len(str));
}

const nkx_name *nkx_intern(nkx_vm *vm, const char *text)
{
    return nkx_names_get(vm->names, text, strlen(text));
}

bool nkx_str_is(nkx_value v, const char *text)
{
    if (v.type != NKX_V_STR) return false;
    size_t len = strlen(text);
    return nkx_text_len(v) == len && memcmp(nkx_text(v), text, len) == 0;
}

size_t nkx_str_chars(nkx_value str)
{
    const nkx_str *s = NKX_AS(nkx_str, str);
    if (s->ascii || str.type == NKX_V_BYTES) return s->len;
    size_t n = 0;
    for (uint32_t i = 0; i < s->len; i++) n += ((unsigned char)s->text[i] & 0xC0) != 0x80;
    return n;
}

size_t nkx_str_offset(nkx_value str, size_t i)
{
    const nkx_str *s = NKX_AS(nkx_str, str);
    if (s->ascii || str.type == NKX_V_BYTES) return i;
    size_t at = 0;
    while (at < s->len) {
        if (((unsigned char)s->text[at] & 0xC0) != 0x80 && i-- == 0) return at;
        at++;
    }
    return s->len;
}

uint32_t nkx_str_hash(nkx_str *s)
{
    if (s->hash != 0) return s->hash;
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < s->len; i++) h = (h ^ (unsigned char)s->text[i]) * 16777619u;
    s->hash = h == 0 ? 1 : h;
    return s->hash;
}

/* The character at a byte offset of valid UTF-8; *size bytes. */
static uint32_t decode(const unsigned char *s, size_t len, size_t *size)
{
    uint32_t c = s[0];
    size_t n = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (n > len) n = 1;
    if (n > 1) c &= 0xFFu >> (n + 1);
    for (size_t i = 1; i < n; i++) c = c << 6 | (s[i] & 0x3Fu);
    *size = n;
    return c;
}

void nkx_ascii(const char *text, size_t len, nkx_buf *out)
{
    for (size_t i = 0, size; i < len; i += size) {
        uint32_t c = decode((const unsigned char *)text + i, len - i, &size);
        if (c < 0x80) {
            nkx_buf_char(out, (char)c);
        } else {
            nkx_buf_printf(out, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
        }
    }
}
