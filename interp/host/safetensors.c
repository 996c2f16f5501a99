/* SPDX-License-Identifier: Apache-2.0 */
/*
 * .safetensors: eight bytes of header length, a JSON header (name -> dtype, shape, offsets), raw
 * little-endian elements. Layer host; the only file that uses jansson.
 */
#include "interp/host/ndarray.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HEADER (100u << 20) /* the format's own limit */

static nkx_dtype type_of(const char *name)
{
    static const struct {
        const char *name;
        nkx_dtype type;
    } types[] = {
        {"F64",     NKX_DT_FP64      },
        {"F32",     NKX_DT_FP32      },
        {"F16",     NKX_DT_FP16      },
        {"BF16",    NKX_DT_BF16      },
        {"I64",     NKX_DT_INT64     },
        {"I32",     NKX_DT_INT32     },
        {"I16",     NKX_DT_INT16     },
        {"I8",      NKX_DT_INT8      },
        {"U64",     NKX_DT_UINT64    },
        {"U32",     NKX_DT_UINT32    },
        {"U16",     NKX_DT_UINT16    },
        {"U8",      NKX_DT_UINT8     },
        {"BOOL",    NKX_DT_BOOL      },
        {"F8_E4M3", NKX_DT_FP8_E4M3FN},
        {"F8_E5M2", NKX_DT_FP8_E5M2  },
        {"F8_E8M0", NKX_DT_FP8_E8M0  },
    };
    for (size_t i = 0; i < NKX_COUNT(types); i++) {
        if (strcmp(types[i].name, name) == 0) return types[i].type;
    }
    return NKX_N_DTYPES;
}

typedef struct entry {
    nkx_dtype type;
    int ndim;
    int64_t shape[NKX_ND_MAX], begin, bytes;
} entry;

static bool read_shape(const char *path, const char *key, const json_t *shape, entry *t,
                       nkx_nd_error *e)
{
    t->ndim = (int)json_array_size(shape);
    if (!json_is_array(shape) || t->ndim > NKX_ND_MAX)
        return nkx_nd_fail(e, "ValueError", "%s: tensor '%s' has a bad shape", path, key);
    t->bytes = nkx_dtype_bytes(t->type);
    for (int d = 0; d < t->ndim; d++) {
        const json_t *n = json_array_get(shape, (size_t)d);
        t->shape[d] = json_integer_value(n);
        if (!json_is_integer(n) || t->shape[d] < 0 ||
            !nkx_mul_i64(t->bytes, t->shape[d], &t->bytes)) {
            return nkx_nd_fail(e, "ValueError", "%s: tensor '%s' has a bad shape", path, key);
        }
    }
    return true;
}

static bool read_entry(const char *path, const char *key, const json_t *j, int64_t data_len,
                       entry *t, nkx_nd_error *e)
{
    const char *type = json_string_value(json_object_get(j, "dtype"));
    const json_t *off = json_object_get(j, "data_offsets");
    if (type == NULL || json_array_size(off) != 2)
        return nkx_nd_fail(e, "ValueError", "%s: tensor '%s' has a bad header entry", path, key);
    t->type = type_of(type);
    if (t->type == NKX_N_DTYPES)
        return nkx_nd_fail(e, "ValueError", "%s: tensor '%s' has type %s, which is not supported",
                           path, key, type);
    if (!read_shape(path, key, json_object_get(j, "shape"), t, e)) return false;
    t->begin = json_integer_value(json_array_get(off, 0));
    int64_t end = json_integer_value(json_array_get(off, 1));
    if (t->begin < 0 || end < t->begin || end > data_len || end - t->begin != t->bytes) {
        return nkx_nd_fail(e, "ValueError",
                           "%s: tensor '%s' lies at bytes %lld to %lld, its shape wants %lld and "
                           "the file holds %lld (truncated?)",
                           path, key, (long long)t->begin, (long long)end, (long long)t->bytes,
                           (long long)data_len);
    }
    return true;
}

static const json_t *choose(const char *path, const char **key, const json_t *root, nkx_buf *list,
                            nkx_nd_error *e)
{
    nkx_buf names = {0};
    const char *name, *only = NULL;
    const json_t *found = NULL;
    json_t *value;
    size_t n = 0;
    bool any = *key == NULL || **key == '\0';
    json_object_foreach((json_t *)(uintptr_t)root, name, value)
    {
        if (strcmp(name, "__metadata__") == 0) continue;
        if (names.len > 0) nkx_buf_str(&names, ", ");
        nkx_buf_str(&names, name);
        n++;
        only = name;
        if (any || strcmp(name, *key) == 0) found = value;
    }
    if (any && n != 1) {
        found = NULL;
        nkx_nd_fail(e, "ValueError", "%s: holds %zu tensors, say which: %s", path, n,
                    n > 0 ? names.at : "(none)");
    } else if (found == NULL) {
        nkx_nd_fail(e, "KeyError", "%s: no tensor '%s', there are: %s", path, *key,
                    n > 0 ? names.at : "(none)");
    } else if (any) {
        *key = only;
    }
    if (list != NULL && names.len > 0) nkx_buf_str(list, names.at);
    nkx_buf_fini(&names);
    return found;
}

static bool load_open(FILE *f, const char *path, const char *key, nkx_ndarray **out, nkx_buf *names,
                      nkx_nd_error *e)
{
    uint8_t head[8];
    uint64_t n = 0;
    entry t = {0};
    if (fread(head, 1, 8, f) != 8)
        return nkx_nd_fail(e, "ValueError", "%s: not a .safetensors file", path);
    for (int i = 7; i >= 0; i--) n = n << 8 | head[i];
    if (n > MAX_HEADER || n < 2)
        return nkx_nd_fail(e, "ValueError", "%s: not a .safetensors file (header of %llu bytes)",
                           path, (unsigned long long)n);
    if (fseek(f, 0, SEEK_END) != 0) return nkx_nd_fail(e, "OSError", "%s: cannot seek", path);
    int64_t data_len = (int64_t)ftell(f) - 8 - (int64_t)n;
    if (data_len < 0 || fseek(f, 8, SEEK_SET) != 0)
        return nkx_nd_fail(e, "ValueError", "%s: truncated .safetensors header", path);
    char *text = nkx_alloc((size_t)n);
    json_error_t why;
    json_t *root = fread(text, 1, (size_t)n, f) == n
                       ? json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, &why)
                       : NULL;
    free(text);
    if (!json_is_object(root)) {
        json_decref(root);
        return nkx_nd_fail(e, "ValueError", "%s: the .safetensors header is not a JSON object",
                           path);
    }
    const json_t *j = choose(path, &key, root, names, e);
    bool ok = j != NULL && read_entry(path, key, j, data_len, &t, e);
    nkx_ndarray *a = ok ? nkx_nd_new(t.type, t.ndim, t.shape, e) : NULL;
    if (a != NULL && (fseek(f, (long)(8 + (int64_t)n + t.begin), SEEK_SET) != 0 ||
                      fread(a->at, 1, (size_t)t.bytes, f) != (size_t)t.bytes)) {
        nkx_nd_fail(e, "ValueError", "%s: truncated while it was read", path);
        nkx_nd_drop(a);
        a = NULL;
    }
    json_decref(root);
    *out = a;
    return a != NULL;
}

bool nkx_safetensors_load(const char *path, const char *key, nkx_ndarray **out, nkx_buf *names,
                          nkx_nd_error *e)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        const char *cls = errno == ENOENT ? "FileNotFoundError" : "OSError";
        return nkx_nd_fail(e, cls, "[Errno %d] %s: '%s'", errno, strerror(errno), path);
    }
    bool ok = load_open(f, path, key, out, names, e);
    fclose(f);
    return ok;
}
