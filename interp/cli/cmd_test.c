/* SPDX-License-Identifier: Apache-2.0 */
/* nkx test: the tests of files and folders, one line each, and a count. */
#include "interp/cli/cli.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct totals {
    const cli_args *args;
    const char *file;
    nkx_test_counts all;
    bool broken; /* a file did not load */
} totals;

static void on_test(void *user, const char *name, int outcome, const char *detail)
{
    static const char *const words[] = {"ok", "FAILED", "skipped"};
    const totals *t = user;
    if (outcome == 1 || !t->args->on[OPT_QUIET]) {
        printf("%-8s %s::%s\n", words[outcome], t->file, name);
    }
    if (detail) {
        fflush(stdout);
        fputs(detail, stderr);
    }
}

static void test_file(totals *t, const char *path)
{
    nkx_options o;
    options_from(t->args, &o);
    nkx_runtime *rt = nkx_runtime_new(&o);
    nkx_test_counts counts = {0};
    t->file = path;
    nkx_status s = nkx_load(rt, path);
    if (s == NKX_OK) {
        watch_begin(rt);
        s = nkx_run_tests(rt, t->args->value[OPT_ONLY], on_test, t, &counts);
        watch_end();
    }
    if (s != NKX_OK && counts.failed == 0) {
        t->broken = true;
        show_diagnostics(rt, 0);
    }
    t->all.passed += counts.passed;
    t->all.failed += counts.failed;
    t->all.skipped += counts.skipped;
    nkx_runtime_free(rt);
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static bool is_test_name(const char *name)
{
    bool source = ends_with(name, ".py") || ends_with(name, ".nki");
    return source && (strncmp(name, "test_", 5) == 0 || ends_with(name, "_test.py") ||
                      ends_with(name, "_test.nki"));
}

static void test_path(totals *t, const char *path, int depth);

static void test_folder(totals *t, const char *path, int depth)
{
    struct dirent **list;
    int n = depth < 32 ? scandir(path, &list, NULL, alphasort) : -1;
    for (int i = 0; i < n; i++) {
        size_t size = strlen(path) + strlen(list[i]->d_name) + 2;
        char *full = malloc(size);
        if (full != NULL && list[i]->d_name[0] != '.') {
            struct stat st;
            snprintf(full, size, "%s/%s", path, list[i]->d_name);
            bool is_dir = stat(full, &st) == 0 && S_ISDIR(st.st_mode);
            if (is_dir || is_test_name(list[i]->d_name)) test_path(t, full, depth + 1);
        }
        free(full);
        free(list[i]);
    }
    if (n >= 0) free(list);
}

static void test_path(totals *t, const char *path, int depth)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        test_folder(t, path, depth);
    } else {
        test_file(t, path);
    }
}

int cmd_test(const cli_args *a)
{
    if (a->n_words == 0) return usage_error("nkx test wants a file or a folder");
    totals t = {.args = a};
    for (size_t i = 0; i < a->n_words; i++) test_path(&t, a->words[i], 0);
    printf("%zu passed, %zu failed", t.all.passed, t.all.failed);
    if (t.all.skipped > 0) printf(", %zu skipped", t.all.skipped);
    putchar('\n');
    return t.all.failed > 0 || t.broken ? 1 : 0;
}
