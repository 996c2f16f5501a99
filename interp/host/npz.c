/* SPDX-License-Identifier: Apache-2.0 */
/* .npz archives: zip files of .npy members. Layer host; the only file that uses libzip. */
#include "interp/host/ndarray.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#define READ_PIECE (1u << 20)

static bool open_failed(const char *path, int code, nkx_nd_error *e)
{
    zip_error_t why;
    zip_error_init_with_code(&why, code);
    const char *cls = code == ZIP_ER_NOENT   ? "FileNotFoundError"
                      : code == ZIP_ER_NOZIP ? "ValueError"
                                             : "OSError";
    nkx_nd_fail(e, cls, "%s: %s", path,
                code == ZIP_ER_NOZIP ? "not an .npz archive" : zip_error_strerror(&why));
    zip_error_fini(&why);
    return false;
}

/* Reads by pieces: the size an archive claims is not believed. */
static bool read_member(zip_t *z, zip_uint64_t i, const char *path, nkx_buf *out, nkx_nd_error *e)
{
    zip_file_t *f = zip_fopen_index(z, i, 0);
    if (f == NULL) return nkx_nd_fail(e, "ValueError", "%s: %s", path, zip_strerror(z));
    char *piece = nkx_alloc(READ_PIECE);
    zip_int64_t n;
    bool ok = true;
    while ((n = zip_fread(f, piece, READ_PIECE)) > 0) {
        nkx_buf_add(out, piece, (size_t)n);
        if ((int64_t)out->len > NKX_ND_MAX_BYTES) {
            ok = nkx_nd_fail(e, "MemoryError", "%s: a member is larger than %lld bytes", path,
                             (long long)NKX_ND_MAX_BYTES);
            break;
        }
    }
    if (n < 0)
        ok =
            nkx_nd_fail(e, "ValueError", "%s: a member cannot be unpacked (damaged archive)", path);
    free(piece);
    zip_fclose(f);
    return ok;
}

static size_t stem(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".npy") == 0 ? n - 4 : n;
}

/* Index of the member of that name, with or without .npy; all names go to `list`. */
static bool find_member(zip_t *z, const char *path, const char *key, nkx_buf *list,
                        zip_int64_t *out, nkx_nd_error *e)
{
    zip_int64_t n = zip_get_num_entries(z, 0);
    nkx_buf names = {0};
    bool any = key == NULL || *key == '\0';
    *out = -1;
    for (zip_int64_t i = 0; i < n; i++) {
        const char *name = zip_get_name(z, (zip_uint64_t)i, 0);
        if (name == NULL) continue;
        if (names.len > 0) nkx_buf_str(&names, ", ");
        nkx_buf_add(&names, name, stem(name));
        if (any ? n == 1
                : strcmp(name, key) == 0 ||
                      (strlen(key) == stem(name) && memcmp(name, key, stem(name)) == 0))
            *out = i;
    }
    if (*out < 0 && any)
        nkx_nd_fail(e, "ValueError", "%s: holds %lld arrays, say which: %s", path, (long long)n,
                    names.len > 0 ? names.at : "(none)");
    if (*out < 0 && !any)
        nkx_nd_fail(e, "KeyError", "%s: no array '%s', there are: %s", path, key,
                    names.len > 0 ? names.at : "(none)");
    if (list != NULL && names.len > 0) nkx_buf_str(list, names.at);
    nkx_buf_fini(&names);
    return *out >= 0;
}

bool nkx_npz_load(const char *path, const char *key, int as, nkx_ndarray **out, nkx_buf *names,
                  nkx_nd_error *e)
{
    int code = 0;
    zip_int64_t i;
    nkx_buf data = {0};
    zip_t *z = zip_open(path, ZIP_RDONLY, &code);
    if (z == NULL) return open_failed(path, code, e);
    bool ok =
        find_member(z, path, key, names, &i, e) && read_member(z, (zip_uint64_t)i, path, &data, e);
    ok = ok && nkx_npy_parse(path, data.at != NULL ? data.at : "", data.len, as, out, e);
    nkx_buf_fini(&data);
    zip_discard(z);
    return ok;
}

static bool add_member(zip_t *z, const char *key, const nkx_ndarray *a, bool compress,
                       nkx_nd_error *e)
{
    nkx_buf b = {0}, name = {0};
    nkx_npy_write(&b, a);
    nkx_buf_printf(&name, "%s.npy", key);
    size_t len = b.len;
    zip_source_t *src = zip_source_buffer(z, nkx_buf_take(&b), len, 1); /* libzip frees the bytes */
    zip_int64_t at =
        src != NULL ? zip_file_add(z, name.at, src, ZIP_FL_OVERWRITE | ZIP_FL_ENC_UTF_8) : -1;
    if (at < 0) {
        nkx_nd_fail(e, "OSError", "cannot add '%s' to the archive: %s", key, zip_strerror(z));
        if (src != NULL) zip_source_free(src);
    } else {
        zip_set_file_compression(z, (zip_uint64_t)at, compress ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
        zip_file_set_mtime(z, (zip_uint64_t)at, 315532800, 0); /* 1980: same arrays, same bytes */
    }
    nkx_buf_fini(&name);
    return at >= 0;
}

bool nkx_npz_save(const char *path, size_t n, const char *const *keys, nkx_ndarray *const *arrays,
                  bool compress, nkx_nd_error *e)
{
    int code = 0;
    zip_t *z = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (z == NULL) return open_failed(path, code, e);
    for (size_t i = 0; i < n; i++) {
        if (add_member(z, keys[i], arrays[i], compress, e)) continue;
        zip_discard(z);
        return false;
    }
    if (zip_close(z) == 0) return true;
    nkx_nd_fail(e, "OSError", "cannot write %s: %s", path, zip_strerror(z));
    zip_discard(z);
    return false;
}
