/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures through the public interface and prints "name seconds" lines (or "name value") for
 * run.sh, which makes ratios of them. Each figure is the best of several runs, since the noise of
 * other work only ever adds.
 */
#include "interp/include/nkx.h"

#include <cblas.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

typedef struct job {
    const char *name, *file, *kernel;
    const char *target; /* NULL: trn2 */
    const char *args[6];
    bool data, timed;
    int threads, repeat;
} job;

/* Best time of one launch on a live runtime, as NumPy's are of one call in a live process:
 * arguments are made before, memory kept from the launch before is used again. Instructions of the
 * first launch in *n. */
static double measure(const job *j, uint64_t *n)
{
    double best = 1e9;
    nkx_options o;
    nkx_options_init(&o);
    o.target = j->target ? j->target : "trn2";
    o.threads = j->threads;
    o.data = j->data;
    o.time = j->timed;
    nkx_runtime *rt = nkx_runtime_new(&o);
    nkx_status s = nkx_load(rt, j->file);
    for (int i = 0; s == NKX_OK && i < j->repeat; i++) {
        for (size_t k = 0; s == NKX_OK && k < 6 && j->args[k]; k++)
            s = nkx_argument(rt, j->args[k]);
        if (s == NKX_OK) (void)nkx_kernel_count(rt); /* module code is not part of the launch */
        double start = now();
        if (s == NKX_OK) s = nkx_launch(rt, j->kernel);
        double took = now() - start;
        if (n && i == 0) *n = nkx_instruction_count(rt);
        if (s == NKX_OK && took < best) best = took;
    }
    if (s != NKX_OK) {
        char *text = nkx_diagnostics_text(rt, 0, false);
        fprintf(stderr, "%s: %s", j->name, text);
        nkx_string_free(text);
        best = 1e9;
    }
    nkx_runtime_free(rt);
    return best;
}

static void print_job(const job *j)
{
    double t = measure(j, NULL);
    if (t < 1e8) printf("%s %.6g\n", j->name, t);
    fflush(stdout);
}

/* ---- matmul against one product of the BLAS ---- */

static struct {
    __typeof__(cblas_sgemm) *sgemm;
    __typeof__(openblas_set_num_threads) *set_num_threads;
    __typeof__(openblas_get_config) *get_config;
} blas;

static void find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    if (!symbol) {
        fprintf(stderr, "OpenBLAS: %s\n", dlerror());
        exit(1);
    }
    memcpy(function, &symbol, sizeof symbol);
}

/* The library that nkx checks with, loaded as nkx loads it: with the kernels of this processor. */
static void load_blas(void)
{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    find(library, "cblas_sgemm", &blas.sgemm);
    find(library, "openblas_set_num_threads", &blas.set_num_threads);
    find(library, "openblas_get_config", &blas.get_config);
    printf("blas %s\n", blas.get_config());
}

static double one_sgemm(int n, int threads)
{
    size_t len = (size_t)n * (size_t)n;
    float *a = malloc(len * sizeof *a), *b = malloc(len * sizeof *b), *c = malloc(len * sizeof *c);
    if (!a || !b || !c) abort();
    for (size_t i = 0; i < len; i++) {
        a[i] = (float)(i % 13) - 6.0f;
        b[i] = (float)(i % 11) - 5.0f;
        c[i] = 0;
    }
    blas.set_num_threads(threads);
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        double start = now();
        blas.sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
        double took = now() - start;
        if (took < best) best = took;
    }
    blas.set_num_threads(1);
    free(a);
    free(b);
    free(c);
    return best;
}

/* A whole product that keeps its sums in PSUM, and one that blocks the contraction too and adds in
 * SBUF. */
static void bench_matmul(void)
{
    static const char *const kernels[] = {"matmul_blocked", "matmul_full"};
    const int threads[] = {1, cores()};
    load_blas();
    for (size_t i = 0; i < 2; i++) {
        if (i == 1 && threads[1] == 1) break;
        printf("sgemm_%d %.6g\n", threads[i], one_sgemm(2048, threads[i]));
        for (size_t k = 0; k < 2; k++) {
            job j = {
                .name = "",
                .file = "kernels/matmul.nki",
                .kernel = kernels[k],
                .data = true,
                .args = {"lhsT=float32[2048,2048]", "rhs=float32[2048,2048]",
                         k == 0 ? "tiles_m=16" : NULL, "tiles_n=1"},
                .threads = threads[i],
                .repeat = 5
            };
            printf("%s_%d %.6g\n", kernels[k], threads[i], measure(&j, NULL));
            j.timed = true;
            printf("%s_profiled_%d %.6g\n", kernels[k], threads[i], measure(&j, NULL));
        }
        fflush(stdout);
    }
}

/* ---- start-up ---- */

static double spawn_once(char **argv)
{
    posix_spawn_file_actions_t fa;
    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_addopen(&fa, 1, "/dev/null", O_WRONLY, 0);
    pid_t pid;
    int status = -1;
    double start = now();
    if (posix_spawn(&pid, argv[0], &fa, NULL, argv, environ) == 0) waitpid(pid, &status, 0);
    double took = now() - start;
    posix_spawn_file_actions_destroy(&fa);
    return status == 0 ? took : 1e9;
}

static void bench_startup(char *program)
{
    char *run[] = {program, "run", "bench/start.nki", "-q", NULL};
    char *version[] = {program, "--version", NULL};
    double best = 1e9, load = 1e9;
    for (int i = 0; i < 30; i++) {
        double t = spawn_once(run), v = spawn_once(version);
        if (t < best) best = t;
        if (v < load) load = v;
    }
    printf("startup %.6g\nstartup_process %.6g\n", best, load);
}

/* ---- per instruction and per node ---- */

static void bench_loops(void)
{
    job j = {.name = "loops",
             .file = "bench/loops.nki",
             .kernel = "loops",
             .args = {"n=100"},
             .repeat = 3,
             .threads = 1};
    uint64_t n = 0;
    double t = measure(&j, &n);
    printf("check_instructions %llu\ncheck_loop %.6g\n", (unsigned long long)n, t);
    j.timed = true;
    printf("profile_loop %.6g\n", measure(&j, &n));
    job nodes = {.name = "nodes",
                 .file = "bench/loops.nki",
                 .kernel = "nodes",
                 .args = {"n=1000000"},
                 .repeat = 3,
                 .threads = 1};
    printf("nodes_loop %.6g\n", measure(&nodes, NULL));
    fflush(stdout);
}

/* Memory does not grow with the number of instructions. */
static void bench_memory(void)
{
    struct rusage a, b;
    job j = {.name = "",
             .file = "bench/loops.nki",
             .kernel = "loops",
             .args = {"n=20"},
             .repeat = 1,
             .threads = 1,
             .timed = true};
    measure(&j, NULL);
    getrusage(RUSAGE_SELF, &a);
    j.args[0] = "n=160";
    measure(&j, NULL);
    getrusage(RUSAGE_SELF, &b);
    printf("memory_growth_kib %ld\nmemory_peak_kib %ld\n", b.ru_maxrss - a.ru_maxrss, b.ru_maxrss);
}

/* ---- vector kernels ---- */

static void bench_vector(void)
{
    const job jobs[] = {
        {.name = "softmax_1",
         .file = "kernels/softmax.nki",
         .kernel = "softmax",
         .args = {"x=float32[4096,2048]"}                                                       },
        {.name = "rmsnorm_1",
         .file = "kernels/rmsnorm.nki",
         .kernel = "rmsnorm",
         .args = {"x=float32[4096,2048]", "gamma=float32[2048]"}                                },
        {.name = "layernorm_1",
         .file = "kernels/layernorm.nki",
         .kernel = "layernorm",
         .args = {"x=float32[4096,2048]", "gamma=float32[2048]", "beta=float32[2048]"}          },
        {.name = "scan_1",
         .file = "kernels/selective_scan.nki",
         .kernel = "selective_scan",
         .args = {"delta=np.full((256,2048),0.1,np.float32)", "u=float32[256,2048]",
                  "A=-np.ones((256,16),np.float32)", "B=float32[16,2048]", "C=float32[16,2048]"}},
        {.name = "attention_1",
         .file = "kernels/attention_fwd.nki",
         .kernel = "attention_fwd",
         .args = {"q=bfloat16[128,4096]", "k=bfloat16[128,4096]", "v=bfloat16[4096,128]"}       },
    };
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        job j = jobs[i];
        j.data = true;
        j.threads = 1;
        j.repeat = 3;
        print_job(&j);
    }
    job two = jobs[4];
    two.name = "attention_2";
    two.data = true;
    two.threads = 2;
    two.repeat = 3;
    if (cores() >= 2) print_job(&two);
}

/* ---- rows of the instruction table ---- */

static const struct row {
    const char *name;
    int elements; /* made by one instruction of bench/rows.nki, or taken, where it makes few */
} rows[] = {
    {"nc_matmul",                65536 },
    {"nc_matmul_mx",             65536 },
    {"nc_transpose",             16384 },
    {"activation",               262144},
    {"activation_reduce",        262144},
    {"activate2",                262144},
    {"tensor_reduce",            262144},
    {"tensor_partition_reduce",  262144},
    {"tensor_tensor",            262144},
    {"tensor_tensor_scan",       262144},
    {"scalar_tensor_tensor",     262144},
    {"tensor_scalar",            262144},
    {"tensor_scalar_reduce",     262144},
    {"tensor_scalar_cumulative", 262144},
    {"tensor_copy",              262144},
    {"tensor_copy_predicated",   262144},
    {"exponential",              262144},
    {"reciprocal",               262144},
    {"quantize_mx",              262144},
    {"iota",                     262144},
    {"dropout",                  262144},
    {"affine_select",            262144},
    {"range_select",             262144},
    {"select_reduce",            262144},
    {"sequence_bounds",          4096  },
    {"memset",                   262144},
    {"bn_stats",                 65536 },
    {"bn_aggr",                  30720 },
    {"local_gather",             65536 },
    {"nc_n_gather",              262144},
    {"dma_copy",                 262144},
    {"dma_transpose",            16384 },
    {"dma_compute",              262144},
    {"max8",                     262144},
    {"nc_find_index8",           262144},
    {"nc_match_replace8",        262144},
    {"nc_stream_shuffle",        262144},
    {"rng",                      262144},
    {"rand2",                    262144},
    {"nonzero_with_count",       2048  },
    {"topk",                     16384 },
    {"rand_set_state",           768   },
    {"rand_get_state",           768   },
    {"set_rng_seed",             1     },
};

/* Seconds to copy as many fp32 elements as a row makes, between places that are not in the first
 * cache. */
static double copy_time(int elements)
{
    enum { TIMES = 200 };
    size_t bytes = (size_t)elements * sizeof(float);
    char *a = calloc(2, bytes), *b = a + bytes;
    if (!a) abort();
    double best = 1e9;
    for (int round = 0; round < 5; round++) {
        double start = now();
        for (int i = 0; i < TIMES; i++) {
            memcpy(b, a, bytes);
            __asm__ volatile("" : : "r"(b) : "memory"); /* each copy is made */
        }
        double took = (now() - start) / TIMES;
        if (took < best) best = took;
    }
    free(a);
    return best;
}

static double row_time(const char *name, int n)
{
    char arg[32];
    snprintf(arg, sizeof arg, "n=%d", n);
    job j = {.name = name,
             .file = "bench/rows.nki",
             .kernel = name,
             .target = "trn3",
             .args = {arg},
             .data = true,
             .threads = 1,
             .repeat = 3};
    return measure(&j, NULL);
}

/* What an instruction costs: checks, hazards and numbers, without its kernel. */
static void bench_rows(void)
{
    enum { N = 100 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double t = (row_time(rows[i].name, N) - row_time(rows[i].name, 0)) / N;
        printf("row_%s %.6g %d %.6g\n", rows[i].name, t, rows[i].elements,
               copy_time(rows[i].elements));
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[2] : "all";
    bool all = strcmp(what, "all") == 0;
    if (argc < 2) {
        fprintf(stderr, "usage: bench NKX [matmul|startup|loops|memory|vector|rows]\n");
        return 2;
    }
    nkx_prepare_process();
    if (all || strcmp(what, "matmul") == 0) bench_matmul();
    if (all || strcmp(what, "startup") == 0) bench_startup(argv[1]);
    if (all || strcmp(what, "loops") == 0) bench_loops();
    if (all || strcmp(what, "memory") == 0) bench_memory();
    if (all || strcmp(what, "vector") == 0) bench_vector();
    if (all || strcmp(what, "rows") == 0) bench_rows();
    return 0;
}
