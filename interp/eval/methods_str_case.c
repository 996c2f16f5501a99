/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Case and classes of characters: ASCII in full, and the letters of Latin-1, Greek and Cyrillic,
 * which is what names and comments of kernels are written in. Layer eval.
 */
#include "interp/eval/methods.h"

#include <string.h>

uint32_t nkx_char_at(const char *s)
{
    const uint8_t *p = (const uint8_t *)s;
    size_t n = nkx_char_bytes(s);
    uint32_t c = n == 1 ? p[0] : p[0] & (0x3fu >> (n - 1));
    for (size_t k = 1; k < n && (p[k] & 0xc0) == 0x80; k++) c = c << 6 | (p[k] & 0x3fu);
    return c;
}

static bool is_lower(uint32_t c)
{
    if (c < 0x80) return c >= 'a' && c <= 'z';
    return (c >= 0xdf && c <= 0xff && c != 0xf7) || (c >= 0x3b1 && c <= 0x3c9) ||
           (c >= 0x430 && c <= 0x45f);
}

static bool is_upper(uint32_t c)
{
    if (c < 0x80) return c >= 'A' && c <= 'Z';
    return (c >= 0xc0 && c <= 0xde && c != 0xd7) || (c >= 0x391 && c <= 0x3a9) ||
           (c >= 0x400 && c <= 0x42f);
}

static uint32_t to_upper(uint32_t c)
{
    if (!is_lower(c) || c == 0xdf) return c;
    if (c == 0xff) return 0x178;
    if (c == 0x3c2) return 0x3a3;
    if (c >= 0x450) return c - 80;
    return c - 32;
}

static uint32_t to_lower(uint32_t c)
{
    if (!is_upper(c)) return c;
    return c >= 0x400 && c < 0x410 ? c + 80 : c + 32;
}

static bool is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_alpha(uint32_t c)
{
    if (c < 0x80) return is_lower(c) || is_upper(c);
    if (c < 0xc0) return c == 0xaa || c == 0xb5 || c == 0xba;
    if (c == 0xd7 || c == 0xf7) return false;
    return c < 0x2000 || (c >= 0x2c00 && c < 0xe000) ||
           c >= 0xf900; /* letters of all scripts, roughly */
}

typedef uint32_t (*map_fn)(uint32_t c, bool *in_word);

static bool mapped(nkx_vm *vm, const nkx_value *in, map_fn f, nkx_value *out)
{
    nkx_buf b = {0};
    bool in_word = false;
    const char *s = nkx_text(in[0]), *end = s + nkx_text_len(in[0]);
    for (; s < end; s += nkx_char_bytes(s)) {
        uint32_t c = nkx_char_at(s), u = f(c, &in_word);
        if (u == 0)
            nkx_buf_char(&b, '\0');
        else
            nkx_buf_utf8(&b, u);
    }
    return nkx_give(out, nkx_str_take(vm, &b));
}

static uint32_t map_upper(uint32_t c, bool *w)
{
    (void)w;
    return to_upper(c);
}
static uint32_t map_lower(uint32_t c, bool *w)
{
    (void)w;
    return to_lower(c);
}
static uint32_t map_swap(uint32_t c, bool *w)
{
    (void)w;
    return is_lower(c) ? to_upper(c) : to_lower(c);
}

static uint32_t map_title(uint32_t c, bool *in_word)
{
    uint32_t r = *in_word ? to_lower(c) : to_upper(c);
    *in_word = is_alpha(c);
    return r;
}

static uint32_t map_capital(uint32_t c, bool *in_word)
{
    uint32_t r = *in_word ? to_lower(c) : to_upper(c);
    *in_word = true;
    return r;
}

bool nkx_str_upper(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return mapped(vm, in, map_upper, out);
}
bool nkx_str_lower(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return mapped(vm, in, map_lower, out);
}
bool nkx_str_swapcase(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return mapped(vm, in, map_swap, out);
}
bool nkx_str_title(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return mapped(vm, in, map_title, out);
}
bool nkx_str_capitalize(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return mapped(vm, in, map_capital, out);
}

/* All characters are of a class, and there is one. */
static bool all_are(const nkx_value *in, bool (*is)(uint32_t c), nkx_value *out)
{
    const char *s = nkx_text(in[0]), *end = s + nkx_text_len(in[0]);
    bool any = s < end;
    for (; s < end; s += nkx_char_bytes(s)) {
        if (!is(nkx_char_at(s))) return nkx_give_bool(out, false);
    }
    return nkx_give_bool(out, any);
}

static bool is_alnum(uint32_t c)
{
    return is_alpha(c) || is_digit(c);
}
static bool is_space(uint32_t c)
{
    return c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x1f) || c == 0x85 || c == 0xa0 ||
           c == 0x2003 || c == 0x3000;
}

bool nkx_str_isalnum(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return all_are(in, is_alnum, out);
}
bool nkx_str_isalpha(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return all_are(in, is_alpha, out);
}
bool nkx_str_isdigit(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return all_are(in, is_digit, out);
}
bool nkx_str_isspace(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return all_are(in, is_space, out);
}

bool nkx_str_isascii(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give_bool(out, NKX_AS(nkx_str, in[0])->ascii);
}

static bool is_printable(uint32_t c)
{
    return c >= 0x20 && c != 0x7f && !(c >= 0x80 && c < 0xa1) && c != 0xad;
}

bool nkx_str_isprintable(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return all_are(in, is_printable, out) && (nkx_text_len(in[0]) > 0 || nkx_give_bool(out, true));
}

bool nkx_str_isidentifier(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const char *s = nkx_text(in[0]), *end = s + nkx_text_len(in[0]);
    (void)vm;
    for (const char *c = s; c < end; c += nkx_char_bytes(c)) {
        uint32_t u = nkx_char_at(c);
        if (!is_alpha(u) && u != '_' && (c == s || !is_digit(u))) return nkx_give_bool(out, false);
    }
    return nkx_give_bool(out, s < end);
}

static bool cased(const nkx_value *in, bool (*is)(uint32_t), bool (*other)(uint32_t),
                  nkx_value *out)
{
    bool any = false;
    const char *s = nkx_text(in[0]), *end = s + nkx_text_len(in[0]);
    for (; s < end; s += nkx_char_bytes(s)) {
        uint32_t c = nkx_char_at(s);
        if (other(c)) return nkx_give_bool(out, false);
        any = any || is(c);
    }
    return nkx_give_bool(out, any);
}

bool nkx_str_islower(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return cased(in, is_lower, is_upper, out);
}
bool nkx_str_isupper(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return cased(in, is_upper, is_lower, out);
}

bool nkx_str_istitle(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    bool any = false, in_word = false;
    const char *s = nkx_text(in[0]), *end = s + nkx_text_len(in[0]);
    (void)vm;
    for (; s < end; s += nkx_char_bytes(s)) {
        uint32_t c = nkx_char_at(s);
        if ((is_upper(c) && in_word) || (is_lower(c) && !in_word)) return nkx_give_bool(out, false);
        in_word = is_alpha(c);
        any = any || in_word;
    }
    return nkx_give_bool(out, any);
}
