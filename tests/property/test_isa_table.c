/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the instruction table: every row must have random cases here, and they must agree with
 * plain float64 loops. NKX_PROP_SEED and NKX_PROP_CASES choose the seed and the number of cases a
 * row and target; NKX_PROP_ROW runs one row.
 */
#include "tests/property/prop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const prop_row *const lists[] = {prop_vector_rows, prop_select_rows, prop_engine_rows,
                                        prop_gpsimd_rows};

/* Rows without numbers of their own. */
static bool no_reference_needed(const char *name)
{
    return strcmp(name, "core_barrier") == 0 || strcmp(name, "sendrecv") == 0;
}

static const prop_row *find(const char *name)
{
    for (size_t i = 0; i < NKX_COUNT(lists); i++) {
        for (const prop_row *r = lists[i]; r->name != NULL; r++) {
            if (strcmp(r->name, name) == 0) return r;
        }
    }
    return NULL;
}

static uint64_t from_env(const char *name, uint64_t dflt)
{
    const char *v = getenv(name);
    return v != NULL ? strtoull(v, NULL, 10) : dflt;
}

static bool run_row(prop *p, const nkx_insn *row, const prop_row *r, uint64_t seed, uint64_t cases)
{
    for (int gen = row->min_gen; gen <= 4; gen++) {
        for (uint64_t i = 0; i < cases; i++) {
            prop_begin(p, row->name, gen, seed + i);
            r->run(p);
            if (!p->failed) continue;
            fprintf(stderr, "# repeat with NKX_PROP_ROW=%s NKX_PROP_SEED=%llu NKX_PROP_CASES=1\n",
                    row->name, (unsigned long long)(seed + i));
            return false;
        }
    }
    return true;
}

int main(void)
{
    prop *p = calloc(1, sizeof *p);
    uint64_t seed = from_env("NKX_PROP_SEED", 20240607), cases = from_env("NKX_PROP_CASES", 25);
    const char *only = getenv("NKX_PROP_ROW");
    int n = 0, failed = 0;
    prop_init(p);
    printf("# seed %llu\n", (unsigned long long)seed);
    for (size_t i = 0; nkx_isa_table[i] != NULL; i++) {
        const nkx_insn *row = nkx_isa_table[i];
        const prop_row *r = find(row->name);
        if (only != NULL && strcmp(only, row->name) != 0) continue;
        bool ok = r != NULL ? run_row(p, row, r, seed, cases) : no_reference_needed(row->name);
        if (r == NULL && !ok) fprintf(stderr, "# %s has no reference\n", row->name);
        printf("%sok %d - %s\n", ok ? "" : "not ", ++n, row->name);
        failed += !ok;
    }
    printf("1..%d\n", n);
    prop_fini(p);
    free(p);
    return failed != 0;
}
