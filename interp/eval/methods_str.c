/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Methods of str: searching, splitting, joining, padding. Text is UTF-8; positions that programs
 * see count characters. Case and classes of characters are in methods_str_case.c. Layer eval.
 */
#include "interp/eval/methods.h"

#include <string.h>

static const char *text_of(nkx_value v, size_t *len)
{
    *len = nkx_text_len(v);
    return nkx_text(v);
}

static bool want_str(nkx_vm *vm, nkx_value v, const char *what)
{
    if (v.type == NKX_V_STR) return true;
    return nkx_type_error(vm, "%s must be str, not %s", what, nkx_type_name(v));
}

static size_t chars_before(const char *s, size_t bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++) n += ((uint8_t)s[i] & 0xc0) != 0x80;
    return n;
}

/* Bytes begin..end that the optional start and end (in characters) select; false when start lies
 * beyond the end. */
static bool window(nkx_vm *vm, nkx_value s, nkx_value start, nkx_value end, size_t *b, size_t *e,
                   bool *empty)
{
    int64_t n = (int64_t)nkx_str_chars(s), lo = 0, hi = n;
    if (nkx_given(start) && !nkx_as_int(vm, start, "start", &lo)) return false;
    if (nkx_given(end) && !nkx_as_int(vm, end, "end", &hi)) return false;
    lo = lo < 0 ? (lo + n < 0 ? 0 : lo + n) : lo;
    hi = hi < 0 ? (hi + n < 0 ? 0 : hi + n) : hi > n ? n : hi;
    *empty = lo > hi;
    *b = *empty ? 0 : nkx_str_offset(s, (size_t)lo);
    *e = *empty ? 0 : nkx_str_offset(s, (size_t)hi);
    return true;
}

static const char *find_last(const char *s, size_t n, const char *x, size_t m)
{
    if (m > n) return NULL;
    for (const char *p = s + (n - m);; p--) {
        if (memcmp(p, x, m) == 0) return p;
        if (p == s) return NULL;
    }
}

static const char *find_first(const char *s, size_t n, const char *x, size_t m)
{
    return m == 0 ? s : memmem(s, n, x, m);
}

/* Position in characters, -1 when absent. */
static bool find(nkx_vm *vm, const nkx_value *in, bool last, int64_t *out)
{
    size_t b, e, m;
    bool empty;
    *out = -1;
    if (!want_str(vm, in[1], "the text to find") ||
        !window(vm, in[0], in[2], in[3], &b, &e, &empty))
        return false;
    const char *s = nkx_text(in[0]), *x = text_of(in[1], &m);
    if (empty) return true;
    const char *p = last ? find_last(s + b, e - b, x, m) : find_first(s + b, e - b, x, m);
    if (p != NULL) *out = (int64_t)chars_before(s, (size_t)(p - s));
    return true;
}

static bool s_find(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t i;
    return find(vm, in, false, &i) && nkx_give_int(out, i);
}

static bool s_rfind(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t i;
    return find(vm, in, true, &i) && nkx_give_int(out, i);
}

static bool s_index(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t i;
    if (!find(vm, in, false, &i)) return false;
    return i < 0 ? nkx_value_error(vm, "substring not found") : nkx_give_int(out, i);
}

static bool s_rindex(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t i;
    if (!find(vm, in, true, &i)) return false;
    return i < 0 ? nkx_value_error(vm, "substring not found") : nkx_give_int(out, i);
}

static bool s_count(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    size_t b, e, m;
    bool empty;
    int64_t n = 0;
    if (!want_str(vm, in[1], "the text to count") ||
        !window(vm, in[0], in[2], in[3], &b, &e, &empty))
        return false;
    const char *s = nkx_text(in[0]) + b, *end = nkx_text(in[0]) + e, *x = text_of(in[1], &m);
    if (empty) return nkx_give_int(out, 0);
    if (m == 0) return nkx_give_int(out, (int64_t)chars_before(s, e - b) + 1);
    while ((s = memmem(s, (size_t)(end - s), x, m)) != NULL) {
        n++;
        s += m;
    }
    return nkx_give_int(out, n);
}

/* startswith and endswith: a str or a tuple of them. */
static bool has_end(nkx_vm *vm, const nkx_value *in, bool start, nkx_value *out)
{
    const nkx_value *at = &in[1];
    uint32_t n = 1;
    size_t b, e, m;
    bool empty;
    const char *name = start ? "startswith" : "endswith";
    if (in[1].type == NKX_V_TUPLE) nkx_items(in[1], &at, &n);
    if (!window(vm, in[0], in[2], in[3], &b, &e, &empty)) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (at[i].type != NKX_V_STR)
            return nkx_type_error(vm, "%s first arg must be str or a tuple of str, not %s", name,
                                  nkx_type_name(at[i]));
        const char *x = text_of(at[i], &m), *s = nkx_text(in[0]);
        if (empty || m > e - b) continue;
        if (memcmp(start ? s + b : s + e - m, x, m) == 0) return nkx_give_bool(out, true);
    }
    return nkx_give_bool(out, false);
}

static bool s_startswith(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return has_end(vm, in, true, out);
}
static bool s_endswith(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return has_end(vm, in, false, out);
}

static bool s_removeprefix(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    size_t n, m;
    if (!want_str(vm, in[1], "removeprefix() argument")) return false;
    const char *s = text_of(in[0], &n), *x = text_of(in[1], &m);
    if (m > n || memcmp(s, x, m) != 0) return nkx_give(out, nkx_ref(in[0]));
    return nkx_give(out, nkx_str_new(vm, s + m, n - m));
}

static bool s_removesuffix(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    size_t n, m;
    if (!want_str(vm, in[1], "removesuffix() argument")) return false;
    const char *s = text_of(in[0], &n), *x = text_of(in[1], &m);
    if (m > n || memcmp(s + n - m, x, m) != 0) return nkx_give(out, nkx_ref(in[0]));
    return nkx_give(out, nkx_str_new(vm, s, n - m));
}

static bool s_replace(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    size_t n, m;
    int64_t left;
    nkx_buf b = {0};
    if (!want_str(vm, in[1], "replace() argument 1") ||
        !want_str(vm, in[2], "replace() argument 2"))
        return false;
    if (!nkx_as_int(vm, in[3], "count", &left)) return false;
    const char *s = text_of(in[0], &n), *end = s + n, *x = text_of(in[1], &m);
    if (left < 0) left = INT64_MAX;
    uint64_t most = m == 0 ? n + 1 : n / m;
    if ((uint64_t)left < most) most = (uint64_t)left;
    if (!nkx_reserve(vm, n + most * nkx_text_len(in[2]))) return false;
    if (m == 0) { /* between all characters */
        for (bool first = true; left > 0; first = false, left--) {
            if (!first && s < end) {
                do nkx_buf_char(&b, *s++);
                while (s < end && ((uint8_t)*s & 0xc0) == 0x80);
            } else if (!first) {
                break;
            }
            nkx_buf_add(&b, nkx_text(in[2]), nkx_text_len(in[2]));
        }
    }
    for (const char *p; m > 0 && left > 0 && (p = memmem(s, (size_t)(end - s), x, m)) != NULL;
         left--) {
        nkx_buf_add(&b, s, (size_t)(p - s));
        nkx_buf_add(&b, nkx_text(in[2]), nkx_text_len(in[2]));
        s = p + m;
    }
    nkx_buf_add(&b, s, (size_t)(end - s));
    return nkx_give(out, nkx_str_take(vm, &b));
}

/* ---- stripping ---- */

static bool in_set(const char *c, size_t len, nkx_value set)
{
    size_t m;
    if (!nkx_given(set)) return nkx_is_space_at(c);
    const char *x = text_of(set, &m);
    for (size_t i = 0; i + len <= m; i++) {
        if (memcmp(x + i, c, len) == 0 && ((uint8_t)x[i] & 0xc0) != 0x80) return true;
    }
    return false;
}

static bool strip(nkx_vm *vm, const nkx_value *in, bool left, bool right, nkx_value *out)
{
    size_t n;
    const char *s = text_of(in[0], &n), *end = s + n;
    if (nkx_given(in[1]) && in[1].type != NKX_V_STR)
        return nkx_type_error(vm, "strip arg must be None or str");
    while (left && s < end) {
        size_t k = nkx_char_bytes(s);
        if (!in_set(s, k, in[1])) break;
        s += k;
    }
    while (right && end > s) {
        const char *p = end - 1;
        while (p > s && ((uint8_t)*p & 0xc0) == 0x80) p--;
        if (!in_set(p, (size_t)(end - p), in[1])) break;
        end = p;
    }
    if ((size_t)(end - s) == n) return nkx_give(out, nkx_ref(in[0]));
    return nkx_give(out, nkx_str_new(vm, s, (size_t)(end - s)));
}

static bool s_strip(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return strip(vm, in, true, true, out);
}
static bool s_lstrip(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return strip(vm, in, true, false, out);
}
static bool s_rstrip(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return strip(vm, in, false, true, out);
}

/* ---- splitting ---- */

static void add_piece(nkx_vm *vm, nkx_value list, const char *s, const char *end)
{
    nkx_value v = nkx_str_new(vm, s, (size_t)(end - s));
    nkx_list_append(list, v);
    nkx_drop(v);
}

static void split_blank(nkx_vm *vm, nkx_value list, const char *s, const char *end, int64_t left)
{
    for (;;) {
        while (s < end && nkx_is_space_at(s)) s += nkx_char_bytes(s);
        if (s == end) return;
        const char *p = s;
        if (left-- == 0) {
            p = end;
            while (p > s && nkx_is_space_at(p - 1)) p--;
            add_piece(vm, list, s, p);
            return;
        }
        while (p < end && !nkx_is_space_at(p)) p += nkx_char_bytes(p);
        add_piece(vm, list, s, p);
        s = p;
    }
}

static void rsplit_blank(nkx_vm *vm, nkx_value list, const char *s, const char *end, int64_t left)
{
    for (;;) {
        while (end > s && nkx_is_space_at(end - 1)) end--;
        if (s == end) break;
        if (left-- == 0) {
            while (s < end && nkx_is_space_at(s)) s++;
            add_piece(vm, list, s, end);
            break;
        }
        const char *p = end;
        while (p > s && !nkx_is_space_at(p - 1)) p--;
        add_piece(vm, list, p, end);
        end = p;
    }
}

static void reverse_list(nkx_value list)
{
    nkx_list *l = NKX_AS(nkx_list, list);
    for (uint32_t i = 0; i < l->n / 2; i++) {
        nkx_value t = l->at[i];
        l->at[i] = l->at[l->n - 1 - i];
        l->at[l->n - 1 - i] = t;
    }
}

static bool split(nkx_vm *vm, const nkx_value *in, bool from_right, nkx_value *out)
{
    size_t n, m;
    int64_t left;
    if (!nkx_as_int(vm, in[2], "maxsplit", &left)) return false;
    if (nkx_given(in[1]) && !want_str(vm, in[1], "sep")) return false;
    if (nkx_given(in[1]) && nkx_text_len(in[1]) == 0) return nkx_value_error(vm, "empty separator");
    const char *s = text_of(in[0], &n), *end = s + n;
    nkx_value list = nkx_list_new(vm, 4);
    if (left < 0) left = INT64_MAX;
    if (!nkx_given(in[1])) {
        if (from_right)
            rsplit_blank(vm, list, s, end, left);
        else
            split_blank(vm, list, s, end, left);
    } else {
        const char *x = text_of(in[1], &m), *p;
        while (left-- > 0) {
            p = from_right ? find_last(s, (size_t)(end - s), x, m)
                           : memmem(s, (size_t)(end - s), x, m);
            if (p == NULL) break;
            if (from_right) {
                add_piece(vm, list, p + m, end);
                end = p;
            } else {
                add_piece(vm, list, s, p);
                s = p + m;
            }
        }
        add_piece(vm, list, s, end);
    }
    if (from_right) reverse_list(list);
    return nkx_give(out, list);
}

static bool s_split(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return split(vm, in, false, out);
}
static bool s_rsplit(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return split(vm, in, true, out);
}

static bool s_splitlines(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    size_t n;
    bool keep;
    const char *s = text_of(in[0], &n), *end = s + n;
    if (!nkx_truth(vm, in[1], &keep)) return false;
    nkx_value list = nkx_list_new(vm, 4);
    while (s < end) {
        const char *p = s;
        while (p < end && *p != '\n' && *p != '\r' && *p != '\v' && *p != '\f') p++;
        const char *next = p < end ? p + (p + 1 < end && p[0] == '\r' && p[1] == '\n' ? 2 : 1) : p;
        add_piece(vm, list, s, keep ? next : p);
        s = next;
    }
    return nkx_give(out, list);
}

static bool partition(nkx_vm *vm, const nkx_value *in, bool last, nkx_value *out)
{
    size_t n, m;
    if (!want_str(vm, in[1], "sep")) return false;
    if (nkx_text_len(in[1]) == 0) return nkx_value_error(vm, "empty separator");
    const char *s = text_of(in[0], &n), *x = text_of(in[1], &m);
    const char *p = last ? find_last(s, n, x, m) : memmem(s, n, x, m);
    nkx_value v[3];
    if (p == NULL) {
        v[last ? 2 : 0] = nkx_ref(in[0]);
        v[1] = nkx_str_new(vm, "", 0);
        v[last ? 0 : 2] = nkx_str_new(vm, "", 0);
    } else {
        v[0] = nkx_str_new(vm, s, (size_t)(p - s));
        v[1] = nkx_ref(in[1]);
        v[2] = nkx_str_new(vm, p + m, (size_t)(s + n - p) - m);
    }
    *out = nkx_tuple_of(vm, v, 3);
    for (int i = 0; i < 3; i++) nkx_drop(v[i]);
    return true;
}

static bool s_partition(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return partition(vm, in, false, out);
}
static bool s_rpartition(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return partition(vm, in, true, out);
}

static bool s_join(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value list;
    nkx_buf b = {0};
    if (!nkx_iterable(in[1])) return nkx_type_error(vm, "can only join an iterable");
    if (!nkx_list_of(vm, in[1], &list)) return false;
    const nkx_list *l = NKX_AS(nkx_list, list);
    bool ok = true;
    for (uint32_t i = 0; ok && i < l->n; i++) {
        if (l->at[i].type != NKX_V_STR) {
            ok = nkx_type_error(vm, "sequence item %u: expected str instance, %s found", i,
                                nkx_type_name(l->at[i]));
            break;
        }
        if (i > 0) nkx_buf_add(&b, nkx_text(in[0]), nkx_text_len(in[0]));
        nkx_buf_add(&b, nkx_text(l->at[i]), nkx_text_len(l->at[i]));
        if ((b.len & 0xfffff) < 64) ok = nkx_reserve(vm, b.len);
    }
    nkx_drop(list);
    if (ok) *out = nkx_str_take(vm, &b);
    nkx_buf_fini(&b);
    return ok;
}

/* ---- padding ---- */

static bool pad(nkx_vm *vm, const nkx_value *in, int where, nkx_value *out)
{
    int64_t width, n = (int64_t)nkx_str_chars(in[0]);
    nkx_buf b = {0};
    if (!nkx_as_int(vm, in[1], "width", &width)) return false;
    if (in[2].type != NKX_V_STR || nkx_str_chars(in[2]) != 1)
        return nkx_type_error(vm, "The fill character must be exactly one character long");
    int64_t room = width > n ? width - n : 0;
    if (!nkx_reserve(vm, (uint64_t)room)) return false;
    int64_t left = where < 0 ? 0 : where > 0 ? room : room / 2 + (room & width & 1);
    for (int64_t i = 0; i < left; i++) nkx_buf_add(&b, nkx_text(in[2]), nkx_text_len(in[2]));
    nkx_buf_add(&b, nkx_text(in[0]), nkx_text_len(in[0]));
    for (int64_t i = left; i < room; i++) nkx_buf_add(&b, nkx_text(in[2]), nkx_text_len(in[2]));
    return nkx_give(out, nkx_str_take(vm, &b));
}

static bool s_ljust(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return pad(vm, in, -1, out);
}
static bool s_rjust(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return pad(vm, in, 1, out);
}
static bool s_center(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return pad(vm, in, 0, out);
}

static bool s_zfill(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t width, n = (int64_t)nkx_str_chars(in[0]);
    nkx_buf b = {0};
    const char *s = nkx_text(in[0]);
    if (!nkx_as_int(vm, in[1], "width", &width) ||
        !nkx_reserve(vm, width > n ? (uint64_t)(width - n) : 0))
        return false;
    bool sign = *s == '+' || *s == '-';
    if (sign) nkx_buf_char(&b, *s);
    for (; n < width; n++) nkx_buf_char(&b, '0');
    nkx_buf_add(&b, s + sign, nkx_text_len(in[0]) - sign);
    return nkx_give(out, nkx_str_take(vm, &b));
}

static bool s_expandtabs(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t tab, col = 0;
    nkx_buf b = {0};
    size_t n;
    if (!nkx_as_int(vm, in[1], "tabsize", &tab)) return false;
    const char *s = text_of(in[0], &n);
    if (!nkx_reserve(vm, n + (tab > 0 ? n * (uint64_t)(tab < 4096 ? tab : 4096) : 0))) return false;
    if (tab > 4096) tab = 4096;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '\t') {
            for (int64_t k = tab > 0 ? tab - col % tab : 0; k > 0; k--, col++)
                nkx_buf_char(&b, ' ');
            continue;
        }
        nkx_buf_char(&b, s[i]);
        col = s[i] == '\n' || s[i] == '\r' ? 0 : col + (((uint8_t)s[i] & 0xc0) != 0x80);
    }
    return nkx_give(out, nkx_str_take(vm, &b));
}

static bool s_encode(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return nkx_give(out, nkx_bytes_new(vm, nkx_text(in[0]), nkx_text_len(in[0])));
}

static bool s_format(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return nkx_str_format(vm, in[0], in[1], in[2], out);
}

static bool s_format_map(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value none = nkx_tuple_new(vm, 0);
    bool ok = nkx_str_format(vm, in[0], none, in[1], out);
    nkx_drop(none);
    return ok;
}

/* Table of str.translate: code point -> code point, text or None. */
static bool s_maketrans(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value d = nkx_dict_new(vm);
    bool ok = true;
    if (in[0].type == NKX_V_STR && in[1].type == NKX_V_STR) {
        if (nkx_str_chars(in[0]) != nkx_str_chars(in[1]))
            ok = nkx_value_error(vm, "the first two maketrans arguments must have equal length");
        const char *a = nkx_text(in[0]), *b = nkx_text(in[1]);
        for (; ok && *a != '\0'; a += nkx_char_bytes(a), b += nkx_char_bytes(b))
            ok = nkx_dict_set(vm, d, nkx_int(nkx_char_at(a)), nkx_int(nkx_char_at(b)));
    } else if (in[0].type == NKX_V_DICT) {
        nkx_value k, v;
        for (uint32_t i = 0; ok && nkx_dict_next(in[0], &i, &k, &v);) {
            ok =
                nkx_dict_set(vm, d, k.type == NKX_V_STR ? nkx_int(nkx_char_at(nkx_text(k))) : k, v);
        }
    } else {
        ok = nkx_type_error(vm, "maketrans() takes two strings or one dict");
    }
    if (in[2].type == NKX_V_STR) {
        for (const char *c = nkx_text(in[2]); ok && *c != '\0'; c += nkx_char_bytes(c))
            ok = nkx_dict_set(vm, d, nkx_int(nkx_char_at(c)), NKX_NONE);
    }
    if (!ok) nkx_drop(d);
    return ok && nkx_give(out, d);
}

static bool s_translate(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_buf b = {0};
    if (in[1].type != NKX_V_DICT)
        return nkx_type_error(vm, "translate() argument must be a dict, not %s",
                              nkx_type_name(in[1]));
    for (const char *c = nkx_text(in[0]); *c != '\0'; c += nkx_char_bytes(c)) {
        nkx_value v;
        if (!nkx_dict_get(vm, in[1], nkx_int(nkx_char_at(c)), &v)) {
            nkx_buf_fini(&b);
            return false;
        }
        if (v.type == NKX_V_UNSET) nkx_buf_add(&b, c, nkx_char_bytes(c));
        if (v.type == NKX_V_INT) nkx_buf_utf8(&b, (uint32_t)v.u.i);
        if (v.type == NKX_V_STR) nkx_buf_add(&b, nkx_text(v), nkx_text_len(v));
    }
    return nkx_give(out, nkx_str_take(vm, &b));
}

#define M NKX_BF_METHOD

const nkx_builtin nkx_str_methods[] = {
    {"capitalize",   "self",                                    nkx_str_capitalize,   "first character upper, the rest lower",   M            },
    {"casefold",     "self",                                    nkx_str_lower,        "lower case, for comparing",               M            },
    {"center",       "self, width, fillchar=' ', /",            s_center,             "padded on both sides",                    M            },
    {"count",        "self, sub, start=None, end=None, /",      s_count,              "how often sub occurs",                    M            },
    {"encode",       "self, encoding='utf-8', errors='strict'", s_encode,             "the text as bytes",                       M            },
    {"endswith",     "self, suffix, start=None, end=None, /",   s_endswith,           "does it end so?",                         M            },
    {"expandtabs",   "self, tabsize=8",                         s_expandtabs,         "tabs as blanks",                          M            },
    {"find",         "self, sub, start=None, end=None, /",      s_find,               "place of sub, or -1",                     M            },
    {"format",       "self, *args, **kwargs",                   s_format,             "fields in braces replaced",               M            },
    {"format_map",   "self, mapping, /",                        s_format_map,         "format() with a dict",                    M            },
    {"index",        "self, sub, start=None, end=None, /",      s_index,              "place of sub",                            M            },
    {"isalnum",      "self",                                    nkx_str_isalnum,      "letters and digits only?",                M            },
    {"isalpha",      "self",                                    nkx_str_isalpha,      "letters only?",                           M            },
    {"isascii",      "self",                                    nkx_str_isascii,      "ASCII only?",                             M            },
    {"isdecimal",    "self",                                    nkx_str_isdigit,      "digits only?",                            M            },
    {"isdigit",      "self",                                    nkx_str_isdigit,      "digits only?",                            M            },
    {"isidentifier", "self",                                    nkx_str_isidentifier, "a name?",                                 M            },
    {"islower",      "self",                                    nkx_str_islower,      "lower case?",                             M            },
    {"isnumeric",    "self",                                    nkx_str_isdigit,      "digits only?",                            M            },
    {"isprintable",  "self",                                    nkx_str_isprintable,  "nothing that repr() escapes?",            M            },
    {"isspace",      "self",                                    nkx_str_isspace,      "blanks only?",                            M            },
    {"istitle",      "self",                                    nkx_str_istitle,      "words capitalised?",                      M            },
    {"isupper",      "self",                                    nkx_str_isupper,      "upper case?",                             M            },
    {"join",         "self, iterable, /",                       s_join,               "the texts of iterable with self between", M            },
    {"ljust",        "self, width, fillchar=' ', /",            s_ljust,              "padded on the right",                     M            },
    {"lower",        "self",                                    nkx_str_lower,        "lower case",                              M            },
    {"lstrip",       "self, chars=None, /",                     s_lstrip,             "without leading blanks",                  M            },
    {"maketrans",    "x, y=None, z=None, /",                    s_maketrans,          "a table for translate()",                 NKX_BF_STATIC},
    {"partition",    "self, sep, /",                            s_partition,          "(before, sep, after) at the first sep",   M            },
    {"removeprefix", "self, prefix, /",                         s_removeprefix,       "without that beginning",                  M            },
    {"removesuffix", "self, suffix, /",                         s_removesuffix,       "without that end",                        M            },
    {"replace",      "self, old, new, count=-1, /",             s_replace,            "old replaced by new",                     M            },
    {"rfind",        "self, sub, start=None, end=None, /",      s_rfind,              "last place of sub, or -1",                M            },
    {"rindex",       "self, sub, start=None, end=None, /",      s_rindex,             "last place of sub",                       M            },
    {"rjust",        "self, width, fillchar=' ', /",            s_rjust,              "padded on the left",                      M            },
    {"rpartition",   "self, sep, /",                            s_rpartition,         "(before, sep, after) at the last sep",    M            },
    {"rsplit",       "self, sep=None, maxsplit=-1",             s_rsplit,             "pieces, counted from the right",          M            },
    {"rstrip",       "self, chars=None, /",                     s_rstrip,             "without trailing blanks",                 M            },
    {"split",        "self, sep=None, maxsplit=-1",             s_split,              "pieces between sep",                      M            },
    {"splitlines",   "self, keepends=False",                    s_splitlines,         "lines",                                   M            },
    {"startswith",   "self, prefix, start=None, end=None, /",   s_startswith,         "does it begin so?",                       M            },
    {"strip",        "self, chars=None, /",                     s_strip,              "without blanks at both ends",             M            },
    {"swapcase",     "self",                                    nkx_str_swapcase,     "upper and lower exchanged",               M            },
    {"title",        "self",                                    nkx_str_title,        "words capitalised",                       M            },
    {"translate",    "self, table, /",                          s_translate,          "characters mapped by a table",            M            },
    {"upper",        "self",                                    nkx_str_upper,        "upper case",                              M            },
    {"zfill",        "self, width, /",                          s_zfill,              "padded with zeros",                       M            },
    {NULL,           NULL,                                      NULL,                 NULL,                                      0            },
};
