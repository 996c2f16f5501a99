/* SPDX-License-Identifier: Apache-2.0 */
/* Methods of int, float and bytes. int's serve bool too. Layer eval. */
#include "interp/eval/methods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t int_of(nkx_value v)
{
    return v.type == NKX_V_BOOL ? v.u.b : v.u.i;
}

static bool i_bit_length(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t v = int_of(in[0]);
    uint64_t m = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    (void)vm;
    return nkx_give_int(out, m == 0 ? 0 : 64 - __builtin_clzll(m));
}

static bool i_bit_count(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t v = int_of(in[0]);
    (void)vm;
    return nkx_give_int(out, __builtin_popcountll(v < 0 ? 0 - (uint64_t)v : (uint64_t)v));
}

static bool i_self(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give_int(out, int_of(in[0]));
}

static bool i_zero(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)in;
    return nkx_give_int(out, 0);
}

static bool i_one(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)in;
    return nkx_give_int(out, 1);
}

static bool i_is_integer(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)in;
    return nkx_give_bool(out, true);
}

static bool ratio(nkx_vm *vm, int64_t a, int64_t b, nkx_value *out)
{
    nkx_value pair[2] = {nkx_int(a), nkx_int(b)};
    *out = nkx_tuple_of(vm, pair, 2);
    return true;
}

static bool i_as_integer_ratio(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return ratio(vm, int_of(in[0]), 1, out);
}

static bool i_to_bytes(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t n, v = int_of(in[0]);
    bool is_signed, little;
    char b[64];
    if (!nkx_as_int(vm, in[1], "length", &n) || !nkx_truth(vm, in[3], &is_signed)) return false;
    if (in[2].type != NKX_V_STR || (!nkx_str_is(in[2], "little") && !nkx_str_is(in[2], "big")))
        return nkx_value_error(vm, "byteorder must be either 'little' or 'big'");
    little = nkx_str_is(in[2], "little");
    if (n < 0 || n > (int64_t)sizeof b)
        return nkx_value_error(vm, "length must be 0 to %zu, found %lld", sizeof b, (long long)n);
    if (v < 0 && !is_signed)
        return nkx_raise(vm, NKX_E215, "OverflowError", "can't convert negative int to unsigned");
    if (n < 8 && (is_signed ? n == 0 ? v != 0 : v >> (8 * n - 1) != (v < 0 ? -1 : 0)
                            : (uint64_t)v >> (8 * n) != 0)) {
        return nkx_raise(vm, NKX_E215, "OverflowError", "int too big to convert");
    }
    for (int64_t i = 0; i < n; i++)
        b[little ? i : n - 1 - i] = (char)(i < 8   ? (uint64_t)v >> (8 * i) & 0xff
                                           : v < 0 ? 0xff
                                                   : 0);
    return nkx_give(out, nkx_bytes_new(vm, b, (size_t)n));
}

static bool i_from_bytes(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    bool is_signed, little;
    uint64_t v = 0;
    if (in[0].type != NKX_V_BYTES)
        return nkx_type_error(vm, "cannot convert '%s' object to bytes", nkx_type_name(in[0]));
    if (in[1].type != NKX_V_STR || !nkx_truth(vm, in[2], &is_signed)) return false;
    little = nkx_str_is(in[1], "little");
    uint32_t n = nkx_text_len(in[0]);
    const uint8_t *p = (const uint8_t *)nkx_text(in[0]);
    if (n > 8)
        return nkx_raise(vm, NKX_E215, "OverflowError",
                         "an integer of %u bytes does not fit 64 bits", n);
    for (uint32_t i = 0; i < n; i++) v |= (uint64_t)p[little ? i : n - 1 - i] << (8 * i);
    if (is_signed && n > 0 && n < 8 && v >> (8 * n - 1) != 0) v |= ~(uint64_t)0 << (8 * n);
    return nkx_give_int(out, (int64_t)v);
}

/* ---- float ---- */

static bool f_is_integer(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give_bool(out, isfinite(in[0].u.f) && floor(in[0].u.f) == in[0].u.f);
}

static bool f_self(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give(out, in[0]);
}
static bool f_zero(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)in;
    return nkx_give(out, nkx_float(0));
}

static bool f_as_integer_ratio(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    double v = in[0].u.f;
    int e;
    if (isnan(v)) return nkx_value_error(vm, "cannot convert NaN to integer ratio");
    if (isinf(v))
        return nkx_raise(vm, NKX_E215, "OverflowError", "cannot convert Infinity to integer ratio");
    int64_t m = (int64_t)ldexp(frexp(v, &e), 53), d = 1;
    e -= 53;
    while (m != 0 && m % 2 == 0) {
        m /= 2;
        e++;
    }
    if (m == 0) e = 0;
    if (e > 62 || e < -62 || (e > 0 && (m > INT64_MAX >> e || m < INT64_MIN >> e))) {
        return nkx_raise(vm, NKX_E215, "OverflowError", "the ratio does not fit 64 bits");
    }
    if (e > 0) m *= (int64_t)1 << e;
    if (e < 0) d = (int64_t)1 << -e;
    return ratio(vm, m, d, out);
}

static bool f_hex(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    double v = in[0].u.f;
    int e;
    if (!isfinite(v)) return nkx_give(out, nkx_cstr(vm, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf"));
    if (v == 0) return nkx_give(out, nkx_cstr(vm, signbit(v) ? "-0x0.0p+0" : "0x0.0p+0"));
    double m = frexp(fabs(v), &e);
    bool sub = e < -1021;
    uint64_t bits = (uint64_t)ldexp(m, sub ? 53 - (-1021 - e) : 53) & 0xfffffffffffffu;
    return nkx_give(out, nkx_str_printf(vm, "%s0x%d.%013llxp%+d", v < 0 ? "-" : "", sub ? 0 : 1,
                                        (unsigned long long)bits, sub ? -1022 : e - 1));
}

static bool f_fromhex(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    char *end = NULL;
    if (in[0].type != NKX_V_STR) return nkx_type_error(vm, "fromhex() argument must be str");
    double v = strtod(nkx_text(in[0]), &end);
    if (nkx_text_len(in[0]) == 0 || *end != '\0')
        return nkx_value_error(vm, "invalid hexadecimal floating-point string");
    return nkx_give(out, nkx_float(v));
}

/* ---- bytes ---- */

static bool y_decode(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return nkx_give(out, nkx_str_new(vm, nkx_text(in[0]), nkx_text_len(in[0])));
}

static bool y_hex(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_buf b = {0};
    for (uint32_t i = 0; i < nkx_text_len(in[0]); i++)
        nkx_buf_printf(&b, "%02x", (uint8_t)nkx_text(in[0])[i]);
    return nkx_give(out, nkx_str_take(vm, &b));
}

static bool y_startswith(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    if (in[1].type != NKX_V_BYTES)
        return nkx_type_error(vm, "startswith first arg must be bytes, not %s",
                              nkx_type_name(in[1]));
    uint32_t m = nkx_text_len(in[1]);
    return nkx_give_bool(out, m <= nkx_text_len(in[0]) &&
                                  memcmp(nkx_text(in[0]), nkx_text(in[1]), m) == 0);
}

#define M NKX_BF_METHOD
#define G NKX_BF_GETTER

const nkx_builtin nkx_int_methods[] = {
    {"as_integer_ratio", "self",                                          i_as_integer_ratio, "(n, 1)",                     M},
    {"bit_count",        "self",                                          i_bit_count,        "ones in the absolute value", M},
    {"bit_length",       "self",                                          i_bit_length,       "bits of the absolute value", M},
    {"conjugate",        "self",                                          i_self,             "the number",                 M},
    {"denominator",      "self",                                          i_one,              "1",                          G},
    {"from_bytes",       "bytes, byteorder='big', signed=False",          i_from_bytes,       "an integer of bytes",
     NKX_BF_STATIC                                                                                                           },
    {"imag",             "self",                                          i_zero,             "0",                          G},
    {"is_integer",       "self",                                          i_is_integer,       "True",                       M},
    {"numerator",        "self",                                          i_self,             "the number",                 G},
    {"real",             "self",                                          i_self,             "the number",                 G},
    {"to_bytes",         "self, length=1, byteorder='big', signed=False", i_to_bytes,
     "the integer as bytes",                                                                                                M},
    {NULL,               NULL,                                            NULL,               NULL,                         0},
};

const nkx_builtin nkx_float_methods[] = {
    {"as_integer_ratio", "self",      f_as_integer_ratio, "the exact fraction",             M            },
    {"conjugate",        "self",      f_self,             "the number",                     M            },
    {"fromhex",          "string, /", f_fromhex,          "a float from hexadecimal text",  NKX_BF_STATIC},
    {"hex",              "self",      f_hex,              "the exact value in hexadecimal", M            },
    {"imag",             "self",      f_zero,             "0.0",                            G            },
    {"is_integer",       "self",      f_is_integer,       "a whole number?",                M            },
    {"real",             "self",      f_self,             "the number",                     G            },
    {NULL,               NULL,        NULL,               NULL,                             0            },
};

const nkx_builtin nkx_bytes_methods[] = {
    {"decode",     "self, encoding='utf-8', errors='strict'", y_decode,     "the bytes as text",             M},
    {"hex",        "self",                                    y_hex,        "two hexadecimal digits a byte", M},
    {"startswith", "self, prefix, /",                         y_startswith, "do they begin so?",             M},
    {NULL,         NULL,                                      NULL,         NULL,                            0},
};
