/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The .npy format, versions 1 to 3 (NumPy's NEP 1): a magic, a header that is a Python dict
 * literal, raw elements. A file is outside data: everything in it is checked before it is used.
 * Layer host.
 */
#include "interp/host/cast.h"
#include "interp/host/ndarray.h"
#include "interp/host/shape.h"

#include "interp/base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HEADER (1u << 20)

typedef struct npy_header {
    nkx_dtype type;
    bool swapped, fortran;
    int ndim;
    int64_t shape[NKX_ND_MAX];
} npy_header;

/* ---- the dict ---- */

typedef struct scan {
    const char *what, *at, *end;
    nkx_nd_error *e;
} scan;

static bool bad(scan *s, const char *why)
{
    return nkx_nd_fail(s->e, "ValueError", "%s: bad .npy header: %s", s->what, why);
}

static void blanks(scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t')) s->at++;
}

static bool take(scan *s, char c)
{
    blanks(s);
    if (s->at >= s->end || *s->at != c) return false;
    s->at++;
    return true;
}

static bool take_text(scan *s, char *out, size_t size)
{
    blanks(s);
    if (s->at >= s->end || (*s->at != '\'' && *s->at != '"')) return false;
    char q = *s->at++;
    const char *close = memchr(s->at, q, (size_t)(s->end - s->at));
    if (close == NULL || (size_t)(close - s->at) >= size) return false;
    memcpy(out, s->at, (size_t)(close - s->at));
    out[close - s->at] = '\0';
    s->at = close + 1;
    return true;
}

static bool take_word(scan *s, const char *word)
{
    size_t n = strlen(word);
    blanks(s);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0) return false;
    s->at += n;
    return true;
}

static bool take_shape(scan *s, npy_header *h)
{
    if (!take(s, '(')) return bad(s, "the shape is not a tuple");
    h->ndim = 0;
    while (!take(s, ')')) {
        int64_t v = 0;
        blanks(s);
        const char *first = s->at;
        for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
            if (!nkx_mul_i64(v, 10, &v) || !nkx_add_i64(v, *s->at - '0', &v))
                return bad(s, "a dimension is too large");
        }
        if (s->at == first) return bad(s, "a dimension is not a number");
        if (s->at < s->end && *s->at == 'L') s->at++; /* written by Python 2 */
        if (h->ndim == NKX_ND_MAX) return bad(s, "more than 16 dimensions");
        h->shape[h->ndim++] = v;
        take(s, ',');
    }
    return true;
}

/* Types by their array-protocol code. Void types of 1, 2 and 4 bytes are what ml_dtypes leaves
 * behind. */
static bool find_type(scan *s, const char *descr, npy_header *h)
{
    static const struct {
        const char *code;
        nkx_dtype type;
    } codes[] = {
        {"b1", NKX_DT_BOOL    },
        {"i1", NKX_DT_INT8    },
        {"i2", NKX_DT_INT16   },
        {"i4", NKX_DT_INT32   },
        {"i8", NKX_DT_INT64   },
        {"u1", NKX_DT_UINT8   },
        {"u2", NKX_DT_UINT16  },
        {"u4", NKX_DT_UINT32  },
        {"u8", NKX_DT_UINT64  },
        {"f1", NKX_DT_FP8_E5M2},
        {"f2", NKX_DT_FP16    },
        {"f4", NKX_DT_FP32    },
        {"f8", NKX_DT_FP64    },
        {"V1", NKX_DT_UINT8   },
        {"V2", NKX_DT_BF16    },
        {"V4", NKX_DT_UINT32  },
        {"?",  NKX_DT_BOOL    },
    };
    const char *code = descr;
    if (*code == '<' || *code == '>' || *code == '|' || *code == '=') code++;
    for (size_t i = 0; i < NKX_COUNT(codes); i++) {
        if (strcmp(codes[i].code, code) != 0) continue;
        h->type = codes[i].type;
        h->swapped = descr[0] == '>';
        return true;
    }
    return nkx_nd_fail(s->e, "ValueError",
                       "%s: element type '%s' is not supported (booleans, integers and floats are)",
                       s->what, descr);
}

static bool read_dict(scan *s, npy_header *h)
{
    bool have_type = false, have_order = false, have_shape = false;
    if (!take(s, '{')) return bad(s, "no dictionary");
    while (!take(s, '}')) {
        char key[32], descr[32];
        if (!take_text(s, key, sizeof key) || !take(s, ':')) return bad(s, "a key is missing");
        if (strcmp(key, "descr") == 0) {
            blanks(s);
            if (s->at < s->end && *s->at == '[')
                return nkx_nd_fail(s->e, "ValueError", "%s: structured types are not supported",
                                   s->what);
            if (!take_text(s, descr, sizeof descr)) return bad(s, "the type is not a string");
            if (!find_type(s, descr, h)) return false;
            have_type = true;
        } else if (strcmp(key, "fortran_order") == 0) {
            h->fortran = take_word(s, "True");
            if (!h->fortran && !take_word(s, "False"))
                return bad(s, "fortran_order is neither True nor False");
            have_order = true;
        } else if (strcmp(key, "shape") == 0) {
            if (!take_shape(s, h)) return false;
            have_shape = true;
        } else {
            return bad(s, "an unknown key");
        }
        take(s, ',');
    }
    if (!have_type || !have_order || !have_shape)
        return bad(s, "descr, fortran_order or shape is missing");
    return true;
}

/* Reads magic and dict from the first `len` bytes; *data is where elements begin. */
static bool read_header(const char *what, const uint8_t *p, size_t len, npy_header *h, size_t *data,
                        nkx_nd_error *e)
{
    size_t at, n;
    if (len < 10 || memcmp(p, "\x93NUMPY", 6) != 0)
        return nkx_nd_fail(e, "ValueError", "%s: not an .npy file", what);
    if (p[6] < 1 || p[6] > 3)
        return nkx_nd_fail(e, "ValueError", "%s: .npy version %d.%d is not supported (1 to 3 are)",
                           what, p[6], p[7]);
    if (p[6] == 1) {
        at = 10;
        n = (size_t)p[8] | (size_t)p[9] << 8;
    } else {
        if (len < 12) return nkx_nd_fail(e, "ValueError", "%s: truncated .npy header", what);
        at = 12;
        n = (size_t)p[8] | (size_t)p[9] << 8 | (size_t)p[10] << 16 | (size_t)p[11] << 24;
    }
    if (n > MAX_HEADER)
        return nkx_nd_fail(e, "ValueError", "%s: .npy header of %zu bytes, the limit is %u", what,
                           n, MAX_HEADER);
    if (at + n > len) return nkx_nd_fail(e, "ValueError", "%s: truncated .npy header", what);
    scan s = {what, (const char *)p + at, (const char *)p + at + n, e};
    *h = (npy_header){0};
    *data = at + n;
    return read_dict(&s, h);
}

/* ---- elements ---- */

static void swap_bytes(nkx_ndarray *a)
{
    int64_t bytes = nkx_dtype_bytes((nkx_dtype)a->dtype), n = nkx_nd_size(a);
    for (int64_t i = 0; i < n; i++) {
        uint8_t *p = a->at + i * bytes;
        for (int64_t k = 0; k < bytes / 2; k++) {
            uint8_t t = p[k];
            p[k] = p[bytes - 1 - k];
            p[bytes - 1 - k] = t;
        }
    }
}

static bool element_bytes(const char *what, const npy_header *h, int64_t *out, nkx_nd_error *e)
{
    *out = nkx_dtype_bytes(h->type);
    for (int d = 0; d < h->ndim; d++) {
        if (!nkx_mul_i64(*out, h->shape[d], out))
            return nkx_nd_fail(e, "ValueError", "%s: the shape is too large", what);
    }
    return true;
}

/* An empty array to read into: dense in file order. Elements land transposed for Fortran order. */
static nkx_ndarray *landing(const npy_header *h, nkx_nd_error *e)
{
    int64_t shape[NKX_ND_MAX];
    for (int d = 0; d < h->ndim; d++) shape[d] = h->shape[h->fortran ? h->ndim - 1 - d : d];
    return nkx_nd_new(h->type, h->ndim, shape, e);
}

static nkx_ndarray *landed_take(nkx_ndarray *a, const npy_header *h, int as, nkx_nd_error *e)
{
    if (h->swapped) swap_bytes(a);
    if (h->fortran) {
        nkx_ndarray *t = nkx_nd_transpose(a, NULL, 0, e);
        nkx_nd_drop(a);
        a = t;
    }
    if (a == NULL || as < 0 || (int)a->dtype == as) return a;
    nkx_dtype want = (nkx_dtype)as;
    bool same_bits = nkx_dtype_bytes(want) == nkx_dtype_bytes(h->type) && !nkx_nd_is_packed(want);
    bool raw = h->type == NKX_DT_BF16 || h->type == NKX_DT_UINT8 || h->type == NKX_DT_FP8_E5M2 ||
               nkx_nd_is_packed(want);
    nkx_ndarray *r = (same_bits || nkx_nd_is_packed(want)) && raw ? nkx_nd_view_as(a, want, e)
                                                                  : nkx_nd_astype(a, want);
    nkx_nd_drop(a);
    return r;
}

bool nkx_npy_parse(const char *what, const void *data, size_t len, int as, nkx_ndarray **out,
                   nkx_nd_error *e)
{
    npy_header h;
    size_t at = 0;
    int64_t bytes;
    if (!read_header(what, data, len, &h, &at, e) || !element_bytes(what, &h, &bytes, e))
        return false;
    if ((uint64_t)bytes > len - at) {
        return nkx_nd_fail(
            e, "ValueError",
            "%s: truncated: the header promises %lld bytes of elements, %zu are there", what,
            (long long)bytes, len - at);
    }
    nkx_ndarray *a = landing(&h, e);
    if (a == NULL) return false;
    memcpy(a->at, (const uint8_t *)data + at, (size_t)bytes);
    *out = landed_take(a, &h, as, e);
    return *out != NULL;
}

static bool os_error(const char *path, nkx_nd_error *e)
{
    const char *cls = errno == ENOENT   ? "FileNotFoundError"
                      : errno == EACCES ? "PermissionError"
                      : errno == EISDIR ? "IsADirectoryError"
                                        : "OSError";
    return nkx_nd_fail(e, cls, "[Errno %d] %s: '%s'", errno, strerror(errno), path);
}

static int64_t rest_of_file(FILE *f)
{
    long here = ftell(f);
    if (here < 0 || fseek(f, 0, SEEK_END) != 0) return -1;
    long end = ftell(f);
    if (fseek(f, here, SEEK_SET) != 0) return -1;
    return end < here ? -1 : (int64_t)(end - here);
}

static bool load_open(FILE *f, const char *path, int as, nkx_ndarray **out, nkx_nd_error *e)
{
    npy_header h;
    size_t at = 0;
    int64_t bytes;
    uint8_t *head = nkx_alloc(MAX_HEADER + 16);
    size_t got = fread(head, 1, MAX_HEADER + 12, f);
    bool ok = !ferror(f) && read_header(path, head, got, &h, &at, e);
    if (ferror(f)) os_error(path, e);
    free(head);
    if (!ok || !element_bytes(path, &h, &bytes, e)) return false;
    if (fseek(f, (long)at, SEEK_SET) != 0) return os_error(path, e);
    int64_t there = rest_of_file(f);
    if (bytes > there) {
        return nkx_nd_fail(
            e, "ValueError",
            "%s: truncated: the header promises %lld bytes of elements, %lld are there", path,
            (long long)bytes, (long long)there);
    }
    nkx_ndarray *a = landing(&h, e);
    if (a == NULL) return false;
    if (fread(a->at, 1, (size_t)bytes, f) != (size_t)bytes) {
        nkx_nd_drop(a);
        return nkx_nd_fail(e, "ValueError", "%s: truncated while it was read", path);
    }
    *out = landed_take(a, &h, as, e);
    return *out != NULL;
}

bool nkx_npy_load(const char *path, int as, nkx_ndarray **out, nkx_nd_error *e)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) return os_error(path, e);
    bool ok = load_open(f, path, as, out, e);
    fclose(f);
    return ok;
}

void nkx_npy_write(nkx_buf *out, const nkx_ndarray *a)
{
    nkx_buf head = {0};
    const char *npy = nkx_dtypes[a->dtype].npy;
    nkx_buf_printf(&head, "{'descr': '%s', 'fortran_order': False, 'shape': ", npy);
    nkx_nd_shape_text(&head, a->ndim, a->shape);
    nkx_buf_str(&head, ", }");
    while ((10 + head.len + 1) % 64 != 0) nkx_buf_char(&head, ' ');
    nkx_buf_char(&head, '\n');
    nkx_buf_add(out, "\x93NUMPY\x01\x00", 8);
    nkx_buf_char(out, (char)(head.len & 0xff));
    nkx_buf_char(out, (char)(head.len >> 8));
    nkx_buf_add(out, head.at, head.len);
    nkx_buf_fini(&head);
    nkx_ndarray *dense = nkx_nd_is_dense(a) ? NULL : nkx_nd_copy(a);
    const nkx_ndarray *from = dense != NULL ? dense : a;
    nkx_buf_add(out, from->at, (size_t)(nkx_nd_size(a) * nkx_dtype_bytes((nkx_dtype)a->dtype)));
    nkx_nd_drop(dense);
}

bool nkx_npy_save(const char *path, const nkx_ndarray *a, nkx_nd_error *e)
{
    nkx_buf b = {0};
    const char *why = NULL;
    nkx_npy_write(&b, a);
    bool ok = nkx_file_write(path, b.at, b.len, &why);
    nkx_buf_fini(&b);
    return ok ? true : nkx_nd_fail(e, "OSError", "cannot write %s: %s", path, why);
}
