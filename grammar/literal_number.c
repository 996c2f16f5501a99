/* SPDX-License-Identifier: Apache-2.0 */
/* The values of number literals. Layer syntax. The lexer has seen to it that they are well formed.
 */
#include "grammar/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LIMB = 1000000000, MOST_DIGITS = 4300 }; /* CPython's limit on digits of an int literal */

static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9') return (unsigned)(c - '0');
    return (unsigned)((c | 0x20) - 'a') + 10;
}

/* Decimal digits of a number too large for 64 bits, by schoolbook multiplication. */
static void big_decimal(nkx_parser *p, const char *digits, size_t n, unsigned base,
                        nkx_constant *out)
{
    size_t room = n / 7 + 2, used = 1; /* a hexadecimal digit is less than 9 / 7 decimal ones */
    uint32_t *limbs = NKX_ARENA_ARRAY(p->scratch, uint32_t, room);
    for (size_t i = 0; i < n; i++) {
        uint64_t carry = digit_value(digits[i]);
        for (size_t j = 0; j < used; j++) {
            carry += (uint64_t)limbs[j] * base;
            limbs[j] = (uint32_t)(carry % LIMB);
            carry /= LIMB;
        }
        if (carry != 0) limbs[used++] = (uint32_t)carry;
        NKX_ASSERT(used < room);
    }
    nkx_buf text = {0};
    nkx_buf_printf(&text, "%u", limbs[used - 1]);
    for (size_t j = used - 1; j-- > 0;) nkx_buf_printf(&text, "%09u", limbs[j]);
    out->what = NKX_CONST_BIGINT;
    out->text = nkx_arena_str(p->arena, text.at, text.len);
    out->len = (uint32_t)text.len;
    nkx_buf_fini(&text);
}

/* digits: without prefix, underscores and NUL at its end. */
static bool integer(nkx_parser *p, nkx_tok t, const char *digits, unsigned base, nkx_constant *out)
{
    size_t n = strlen(digits);
    int64_t value = 0;
    out->what = NKX_CONST_INT;
    for (size_t i = 0; i < n; i++) {
        if (nkx_mul_i64(value, base, &value) &&
            nkx_add_i64(value, digit_value(digits[i]), &value)) {
            continue;
        }
        if (n > MOST_DIGITS) {
            (void)nkx_syntax_error(p, NKX_E111, "SyntaxError", NKX_SPAN(p, t->begin, t->end),
                                   "integer literal of %zu digits, the limit is %d", n,
                                   MOST_DIGITS);
            return false;
        }
        big_decimal(p, digits, n, base, out);
        return true;
    }
    out->i = value;
    return true;
}

static unsigned base_of(const char *s)
{
    if (s[0] != '0') return 10;
    switch (s[1]) {
    case 'x':
    case 'X': return 16;
    case 'o':
    case 'O': return 8;
    case 'b':
    case 'B': return 2;
    default: return 10;
    }
}

bool nkx_number_value(nkx_parser *p, nkx_tok t, nkx_constant *out)
{
    const char *s = p->src->text + t->begin;
    size_t n = t->end - t->begin;
    char local[64] = {0};
    char *text = n < sizeof local ? local : nkx_arena_alloc(p->scratch, n + 1);
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        if (s[i] != '_') text[len++] = s[i];
    }
    text[len] = '\0';
    NKX_ASSERT(len > 0);
    unsigned base = base_of(text);
    if (base != 10) return integer(p, t, text + 2, base, out);
    bool imaginary = text[len - 1] == 'j' || text[len - 1] == 'J';
    if (imaginary) text[--len] = '\0';
    if (!imaginary && strpbrk(text, ".eE") == NULL) return integer(p, t, text, 10, out);
    out->what = imaginary ? NKX_CONST_IMAG : NKX_CONST_FLOAT;
    out->f = strtod(text, NULL); /* infinity for what is too large, as in Python */
    return true;
}
