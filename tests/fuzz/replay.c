/* SPDX-License-Identifier: Apache-2.0 */
/* Main for fuzz targets in ordinary builds: feeds them the files of the folders and files named. */
#include "interp/base/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t replay(const char *path)
{
    if (!nkx_dir_exists(path)) {
        nkx_buf b = {0};
        const char *why = NULL;
        if (!nkx_file_read(path, 0, &b, &why)) return 0;
        (void)LLVMFuzzerTestOneInput((const uint8_t *)(b.at ? b.at : ""), b.len);
        nkx_buf_fini(&b);
        return 1;
    }
    size_t n = 0;
    struct dirent **list;
    int count = scandir(path, &list, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char *full = nkx_path_join(path, list[i]->d_name);
        if (list[i]->d_name[0] != '.') n += replay(full);
        free(full);
        free(list[i]);
    }
    if (count >= 0) free(list);
    return n;
}

int main(int argc, char **argv)
{
    size_t n = 0;
    for (int i = 1; i < argc; i++) n += replay(argv[i]);
    printf("%zu inputs\n", n);
    return n == 0;
}
