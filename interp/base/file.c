/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files in and out. Layer base. */
#include "interp/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(const char **why)
{
    *why = strerror(errno);
    return false;
}

static bool read_all(int fd, size_t limit, nkx_buf *out, const char **why)
{
    char *block = nkx_alloc(1 << 16);
    size_t total = 0;
    bool ok = true;
    ssize_t n;
    while ((n = read(fd, block, 1 << 16)) != 0) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            ok = fail(why);
            break;
        }
        total += (size_t)n;
        if (limit != 0 && total > limit) {
            *why = "the file is larger than the limit";
            ok = false;
            break;
        }
        nkx_buf_add(out, block, (size_t)n);
    }
    free(block);
    return ok;
}

bool nkx_file_read(const char *path, size_t limit, nkx_buf *out, const char **why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail(why);
    struct stat st;
    bool ok = fstat(fd, &st) == 0;
    if (!ok) {
        (void)fail(why);
    } else if (S_ISDIR(st.st_mode)) {
        *why = "it is a directory";
        ok = false;
    } else {
        ok = read_all(fd, limit, out, why);
    }
    (void)close(fd);
    return ok;
}

static bool write_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        data += n;
        len -= (size_t)n;
    }
    return true;
}

/* Devices and pipes (/dev/stdout, /dev/null) cannot be renamed onto: they are written as they are.
 */
static bool write_special(const char *path, const void *data, size_t len, const char **why)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return fail(why);
    bool ok = write_all(fd, data, len) || fail(why);
    if (close(fd) != 0 && ok) ok = fail(why);
    return ok;
}

bool nkx_file_write(const char *path, const void *data, size_t len, const char **why)
{
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) {
        *why = "it is a directory";
        return false;
    }
    if (exists && !S_ISREG(st.st_mode)) return write_special(path, data, len, why);

    nkx_buf name = {0};
    nkx_buf_printf(&name, "%s.tmp-%ld", path, (long)getpid());
    mode_t mode = exists ? (st.st_mode & 0777) : 0666;
    int fd = open(name.at, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    bool ok = fd >= 0;
    if (!ok) {
        (void)fail(why);
    } else {
        ok = write_all(fd, data, len) || fail(why);
        if (close(fd) != 0 && ok) ok = fail(why);
        if (ok && rename(name.at, path) != 0) ok = fail(why);
        if (!ok) (void)unlink(name.at);
    }
    nkx_buf_fini(&name);
    return ok;
}

bool nkx_file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

bool nkx_dir_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

char *nkx_path_join(const char *dir, const char *rel)
{
    nkx_buf b = {0};
    if (rel[0] != '/') {
        nkx_buf_str(&b, dir);
        if (b.len > 0 && b.at[b.len - 1] != '/') nkx_buf_char(&b, '/');
    }
    nkx_buf_str(&b, rel);
    return nkx_buf_take(&b);
}

char *nkx_path_dir(const char *path)
{
    const char *slash = strrchr(path, '/');
    nkx_buf b = {0};
    if (slash == NULL) {
        nkx_buf_char(&b, '.');
    } else if (slash == path) {
        nkx_buf_char(&b, '/');
    } else {
        nkx_buf_add(&b, path, (size_t)(slash - path));
    }
    return nkx_buf_take(&b);
}
