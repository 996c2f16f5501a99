/* SPDX-License-Identifier: Apache-2.0 */
/* numpy: .npy and .npz files. Layer eval. */
#include "interp/eval/mod_numpy.h"

#include <stdlib.h>
#include <string.h>

static bool path_of(nkx_vm *vm, nkx_value v, nkx_buf *out)
{
    if (v.type != NKX_V_STR && v.type != NKX_V_INSTANCE && v.type != NKX_V_NATIVE)
        return nkx_type_error(vm, "expected a path, not '%s'", nkx_type_name(v));
    return nkx_str_of(vm, v, out);
}

static bool has_suffix(const nkx_buf *path, const char *suffix)
{
    size_t n = strlen(suffix);
    return path->len >= n && strcmp(path->at + path->len - n, suffix) == 0;
}

/* ---- NpzFile ---- */

typedef struct npz_file {
    nkx_value path;
    nkx_value files; /* list of names */
} npz_file;

static void npz_fini(nkx_obj *o)
{
    npz_file *f = NKX_PAYLOAD(npz_file, nkx_of(o));
    nkx_drop(f->path);
    nkx_drop(f->files);
}

static bool npz_item(nkx_vm *vm, nkx_value self, nkx_value key, nkx_value *out)
{
    nkx_ndarray *a = NULL;
    nkx_nd_error e;
    if (key.type != NKX_V_STR)
        return nkx_type_error(vm, "names of arrays are strings, not '%s'", nkx_type_name(key));
    if (!nkx_npz_load(nkx_text(NKX_PAYLOAD(npz_file, self)->path), nkx_text(key), -1, &a, NULL, &e))
        return nkx_np_raise(vm, &e);
    return nkx_np_done(vm, a, &e, out);
}

static bool npz_keys(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return nkx_list_of(vm, NKX_PAYLOAD(npz_file, in[0])->files, out);
}

static bool npz_close(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)in;
    (void)out;
    return true;
}

static const nkx_builtin npz_keys_row = {"keys", "self", npz_keys, "names of the arrays",
                                         NKX_BF_METHOD};
static const nkx_builtin npz_close_row = {"close", "self", npz_close, "closes the archive",
                                          NKX_BF_METHOD};

static bool npz_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    if (strcmp(name->text, "files") == 0)
        return nkx_list_of(vm, NKX_PAYLOAD(npz_file, self)->files, out);
    if (strcmp(name->text, "keys") == 0)
        return nkx_give(out, nkx_method_new(vm, self, nkx_builtin_value(&npz_keys_row)));
    if (strcmp(name->text, "close") == 0)
        return nkx_give(out, nkx_method_new(vm, self, nkx_builtin_value(&npz_close_row)));
    return true;
}

static bool npz_enter(nkx_vm *vm, nkx_value self, nkx_value *out)
{
    (void)vm;
    *out = nkx_ref(self);
    return true;
}

static bool npz_exit(nkx_vm *vm, nkx_value self)
{
    (void)vm;
    (void)self;
    return true;
}

static const nkx_native_type npz_type = {.name = "NpzFile",
                                         .fini = npz_fini,
                                         .attr = npz_attr,
                                         .item = npz_item,
                                         .enter = npz_enter,
                                         .exit = npz_exit};

/* Lists the names by asking for one that no archive has. */
static bool open_npz(nkx_vm *vm, const char *path, nkx_value *out)
{
    nkx_buf names = {0};
    nkx_ndarray *a = NULL;
    nkx_nd_error e;
    if (nkx_npz_load(path, "\001", -1, &a, &names, &e)) {
        nkx_nd_drop(a);
    } else if (strcmp(e.exception, "KeyError") != 0) {
        nkx_buf_fini(&names);
        return nkx_np_raise(vm, &e);
    }
    *out = nkx_native_new(vm, &npz_type, sizeof(npz_file));
    npz_file *f = NKX_PAYLOAD(npz_file, *out);
    f->path = nkx_cstr(vm, path);
    f->files = nkx_list_new(vm, 4);
    for (char *s = names.at; s != NULL && *s != '\0';) {
        char *end = strstr(s, ", ");
        nkx_value v = nkx_str_new(vm, s, end != NULL ? (size_t)(end - s) : strlen(s));
        nkx_list_append(f->files, v);
        nkx_drop(v);
        s = end != NULL ? end + 2 : NULL;
    }
    nkx_buf_fini(&names);
    return true;
}

/* ---- functions ---- */

/* file, mmap_mode, allow_pickle */
static bool np_load(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_buf path = {0};
    nkx_ndarray *a = NULL;
    nkx_nd_error e;
    if (!path_of(vm, in[0], &path)) return false;
    bool ok;
    if (has_suffix(&path, ".npz")) {
        ok = open_npz(vm, path.at, out);
    } else {
        ok = nkx_npy_load(path.at, -1, &a, &e) ? nkx_np_done(vm, a, &e, out) : nkx_np_raise(vm, &e);
    }
    nkx_buf_fini(&path);
    return ok;
}

/* file, arr, allow_pickle */
static bool np_save(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_buf path = {0};
    nkx_ndarray *a = NULL;
    nkx_nd_error e;
    (void)out;
    if (!path_of(vm, in[0], &path) || !nkx_np_array(vm, in[1], -1, &a)) {
        nkx_buf_fini(&path);
        return false;
    }
    if (!has_suffix(&path, ".npy")) nkx_buf_str(&path, ".npy");
    bool ok = nkx_npy_save(path.at, a, &e) || nkx_np_raise(vm, &e);
    nkx_nd_drop(a);
    nkx_buf_fini(&path);
    return ok;
}

#define MAX_SAVED 256

/* file, *args, **kwds */
static bool savez(nkx_vm *vm, const nkx_value *in, bool compress)
{
    const nkx_tuple *args = NKX_AS(nkx_tuple, in[1]);
    nkx_ndarray *a[MAX_SAVED];
    char *keys[MAX_SAVED];
    size_t n = 0;
    nkx_buf path = {0};
    nkx_value key, value;
    nkx_nd_error e;
    if (args->n + nkx_dict_len(in[2]) > MAX_SAVED)
        return nkx_value_error(vm, "savez() of more than %d arrays", MAX_SAVED);
    bool ok = path_of(vm, in[0], &path);
    for (uint32_t i = 0; ok && i < args->n; i++) {
        nkx_buf name = {0};
        nkx_buf_printf(&name, "arr_%u", i);
        ok = nkx_np_array(vm, args->at[i], -1, &a[n]);
        if (ok) keys[n++] = nkx_buf_take(&name);
        nkx_buf_fini(&name);
    }
    for (uint32_t i = 0; ok && nkx_dict_next(in[2], &i, &key, &value);) {
        ok = nkx_np_array(vm, value, -1, &a[n]);
        if (ok) keys[n++] = nkx_dup(nkx_text(key), nkx_text_len(key) + 1);
    }
    if (ok) {
        if (!has_suffix(&path, ".npz")) nkx_buf_str(&path, ".npz");
        ok = nkx_npz_save(path.at, n, (const char *const *)keys, a, compress, &e) ||
             nkx_np_raise(vm, &e);
    }
    for (size_t i = 0; i < n; i++) {
        nkx_nd_drop(a[i]);
        free(keys[i]);
    }
    nkx_buf_fini(&path);
    return ok;
}

static bool np_savez(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    return savez(vm, in, false);
}

static bool np_savez_compressed(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    return savez(vm, in, true);
}

const nkx_builtin nkx_np_io_rows[] = {
    {"load",             "file, mmap_mode=None, allow_pickle=False", np_load,
     "an array of a .npy file, or the arrays of a .npz archive",                                                          0},
    {"save",             "file, arr, allow_pickle=False",            np_save,             "writes a .npy file",           0},
    {"savez",            "file, *args, **kwds",                      np_savez,            "writes a .npz archive",        0},
    {"savez_compressed", "file, *args, **kwds",                      np_savez_compressed, "writes a packed .npz archive",
     0                                                                                                                     },
    {NULL,               NULL,                                       NULL,                NULL,                           0},
};
