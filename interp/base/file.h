/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files in and out. Writing goes to a temporary beside the target, then renames: no partial
 * file. */
#ifndef NKX_BASE_FILE_H
#define NKX_BASE_FILE_H

#include "interp/base/buf.h"

/* On failure the reason stands in *why (static or errno text). Limit in bytes; 0: none. */
NKX_MUST_USE bool nkx_file_read(const char *path, size_t limit, nkx_buf *out, const char **why);
NKX_MUST_USE bool nkx_file_write(const char *path, const void *data, size_t len, const char **why);
bool nkx_file_exists(const char *path);
bool nkx_dir_exists(const char *path);
/* dir + "/" + rel, heap string. dir of a path: nkx_path_dir. */
char *nkx_path_join(const char *dir, const char *rel);
char *nkx_path_dir(const char *path);

#endif
