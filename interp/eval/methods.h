/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of methods: characters of UTF-8 text, and the case functions of str. Private
 * to eval. */
#ifndef NKX_EVAL_METHODS_H
#define NKX_EVAL_METHODS_H

#include "interp/eval/builtins.h"

/* Bytes of the character that begins at s; 1 for a stray byte. */
static inline size_t nkx_char_bytes(const char *s)
{
    uint8_t c = (uint8_t)*s;
    return c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}
uint32_t nkx_char_at(const char *s); /* its code point */
/* A blank as str.split() takes it; s may point at the last byte of a character. */
static inline bool nkx_is_space_at(const char *s)
{
    return *s == ' ' || (*s >= '\t' && *s <= '\r') || (*s >= 0x1c && *s <= 0x1f);
}

#define NKX_STR_METHOD(name) bool nkx_str_##name(nkx_vm *vm, const nkx_value *in, nkx_value *out);
NKX_STR_METHOD(capitalize)
NKX_STR_METHOD(isalnum)
NKX_STR_METHOD(isalpha)
NKX_STR_METHOD(isascii)
NKX_STR_METHOD(isdigit)
NKX_STR_METHOD(isidentifier)
NKX_STR_METHOD(islower)
NKX_STR_METHOD(isprintable)
NKX_STR_METHOD(isspace)
NKX_STR_METHOD(istitle)
NKX_STR_METHOD(isupper)
NKX_STR_METHOD(lower)
NKX_STR_METHOD(swapcase)
NKX_STR_METHOD(title)
NKX_STR_METHOD(upper)
#undef NKX_STR_METHOD

/* format.c: "..." with braces; args a tuple, kwargs a dict. */
NKX_MUST_USE bool nkx_str_format(nkx_vm *vm, nkx_value fmt, nkx_value args, nkx_value kwargs,
                                 nkx_value *out);

#endif
