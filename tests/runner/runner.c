/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs golden cases against the real program and prints TAP.
 * Usage: runner [--update] [--jobs N] PROGRAM FILE_OR_FOLDER...
 */
#include "interp/base/file.h"
#include "tests/runner/golden.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASE_SECONDS 120

typedef NKX_VEC(char *) paths;

static void find_cases(const char *path, paths *out)
{
    if (!nkx_dir_exists(path)) {
        nkx_push(out, nkx_dup(path, strlen(path) + 1));
        return;
    }
    struct dirent **list;
    int n = scandir(path, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = list[i]->d_name;
        size_t len = strlen(name);
        char *full = nkx_path_join(path, name);
        bool is_case = len > 4 && strcmp(name + len - 4, ".nki") == 0;
        if (name[0] != '.' && name[0] != '_' && (is_case || nkx_dir_exists(full)))
            find_cases(full, out);
        free(full);
        free(list[i]);
    }
    if (n >= 0) free(list);
}

/* Lines of a reason as TAP comments. */
static void explain(const nkx_buf *why)
{
    const char *s = why->at ? why->at : "";
    while (*s) {
        size_t n = strcspn(s, "\n");
        printf("# %.*s\n", (int)n, s);
        s += n + (s[n] == '\n');
    }
}

static bool run_case(const char *program, const char *path, size_t number, bool update)
{
    golden g;
    outcome o;
    nkx_buf why = {0};
    bool fine = golden_read(&g, path);
    if (fine && g.skip) {
        printf("ok %zu - %s # SKIP %s\n", number, path, g.skip);
        golden_fini(&g);
        return true;
    }
    if (fine) {
        golden_run(&g, program, CASE_SECONDS, &o);
        fine = golden_judge(&g, &o, &why);
        if (!fine && update) fine = golden_update(&g, &o);
        outcome_fini(&o);
    }
    printf("%s %zu - %s\n", fine ? "ok" : "not ok", number, path);
    if (!fine) explain(&why);
    fflush(stdout);
    nkx_buf_fini(&why);
    golden_fini(&g);
    return fine;
}

int main(int argc, char **argv)
{
    bool update = argc > 1 && strcmp(argv[1], "--update") == 0;
    int first = update ? 2 : 1;
    paths cases = {0};
    if (argc < first + 2) {
        fprintf(stderr, "usage: runner [--update] PROGRAM FILE_OR_FOLDER...\n");
        return 2;
    }
    for (int i = first + 1; i < argc; i++) find_cases(argv[i], &cases);
    printf("1..%zu\n", cases.n);
    bool fine = true;
    for (size_t i = 0; i < cases.n; i++) {
        fine = run_case(argv[first], cases.at[i], i + 1, update) && fine;
        free(cases.at[i]);
    }
    nkx_vec_fini(&cases);
    return fine ? 0 : 1;
}
