/* SPDX-License-Identifier: Apache-2.0 */
/*
 * os, os.path, sys, time: what module-level code of kernels asks of its surroundings. The
 * environment is a copy: programs read it, and cannot change the process. Layer eval.
 */
#include "interp/eval/mod_std.h"

#include "interp/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* ---- os ---- */

static nkx_value environment(nkx_vm *vm)
{
    nkx_value d = nkx_dict_new(vm);
    for (char **e = environ; e != NULL && *e != NULL; e++) {
        const char *eq = strchr(*e, '=');
        if (eq == NULL) continue;
        nkx_value k = nkx_str_new(vm, *e, (size_t)(eq - *e)), v = nkx_cstr(vm, eq + 1);
        if (!nkx_dict_set(vm, d, k, v)) nkx_exception_clear(vm);
        nkx_drop(k);
        nkx_drop(v);
    }
    return d;
}

static bool os_getenv(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    if (in[0].type != NKX_V_STR)
        return nkx_type_error(vm, "str expected, not %s", nkx_type_name(in[0]));
    const char *v = getenv(nkx_text(in[0]));
    return nkx_give(out, v != NULL ? nkx_cstr(vm, v) : nkx_ref(in[1]));
}

static bool os_getcwd(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    char path[PATH_MAX];
    (void)in;
    if (getcwd(path, sizeof path) == NULL)
        return nkx_raise(vm, NKX_E260, "OSError", "the current directory cannot be found");
    return nkx_give(out, nkx_cstr(vm, path));
}

static bool os_cpu_count(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)in;
    return nkx_give_int(out, sysconf(_SC_NPROCESSORS_ONLN));
}

static bool os_getpid(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)in;
    return nkx_give_int(out, getpid());
}

static bool os_listdir(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const char *path = nkx_given(in[0]) && in[0].type == NKX_V_STR ? nkx_text(in[0]) : ".";
    DIR *d = opendir(path);
    if (d == NULL)
        return nkx_raise(vm, NKX_E260, "FileNotFoundError", "[Errno %d] %s: '%s'", errno,
                         strerror(errno), path);
    *out = nkx_list_new(vm, 16);
    for (const struct dirent *e; (e = readdir(d)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        nkx_value name = nkx_cstr(vm, e->d_name);
        nkx_list_append(*out, name);
        nkx_drop(name);
    }
    closedir(d);
    return true;
}

static bool os_init(nkx_vm *vm, nkx_value m)
{
    nkx_value path;
    if (!nkx_import(vm, "os.path", &path)) return false;
    return nkx_module_put(vm, m, "path", path) &&
           nkx_module_put(vm, m, "environ", environment(vm)) &&
           nkx_module_put(vm, m, "sep", nkx_cstr(vm, "/")) &&
           nkx_module_put(vm, m, "linesep", nkx_cstr(vm, "\n")) &&
           nkx_module_put(vm, m, "name", nkx_cstr(vm, "posix")) &&
           nkx_module_put(vm, m, "pathsep", nkx_cstr(vm, ":"));
}

static const nkx_builtin os_rows[] = {
    {"getenv",    "key, default=None", os_getenv,    "a variable of the environment", 0},
    {"getcwd",    "",                  os_getcwd,    "the current directory",         0},
    {"cpu_count", "",                  os_cpu_count, "number of processors",          0},
    {"listdir",   "path='.'",          os_listdir,   "the names in a folder",         0},
    {"getpid",    "",                  os_getpid,    "number of the process",         0},
    {NULL,        NULL,                NULL,         NULL,                            0},
};

/* ---- os.path ---- */

static bool path_arg(nkx_vm *vm, nkx_value v, const char **out)
{
    *out = "";
    if (v.type != NKX_V_STR)
        return nkx_type_error(vm, "expected str, bytes or os.PathLike object, not %s",
                              nkx_type_name(v));
    *out = nkx_text(v);
    return true;
}

static bool p_join(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_tuple *t = NKX_AS(nkx_tuple, in[0]);
    nkx_buf b = {0};
    for (uint32_t i = 0; i < t->n; i++) {
        const char *s;
        if (!path_arg(vm, t->at[i], &s)) {
            nkx_buf_fini(&b);
            return false;
        }
        if (*s == '/')
            nkx_buf_clear(&b);
        else if (b.len > 0 && b.at[b.len - 1] != '/')
            nkx_buf_char(&b, '/');
        nkx_buf_str(&b, s);
    }
    return nkx_give(out, nkx_str_take(vm, &b));
}

static bool p_basename(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const char *s;
    if (!path_arg(vm, in[0], &s)) return false;
    const char *slash = strrchr(s, '/');
    return nkx_give(out, nkx_cstr(vm, slash != NULL ? slash + 1 : s));
}

static bool p_dirname(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const char *s;
    if (!path_arg(vm, in[0], &s)) return false;
    const char *slash = strrchr(s, '/');
    size_t n = slash == NULL ? 0 : (size_t)(slash - s);
    while (n > 0 && s[n - 1] == '/') n--;
    return nkx_give(out, nkx_str_new(vm, s, n == 0 && slash != NULL ? 1 : n));
}

static bool p_splitext(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const char *s;
    if (!path_arg(vm, in[0], &s)) return false;
    const char *slash = strrchr(s, '/'), *base = slash != NULL ? slash + 1 : s,
               *dot = strrchr(base, '.');
    while (*base == '.') base++; /* leading dots are part of the name */
    size_t n = dot != NULL && dot > base ? (size_t)(dot - s) : strlen(s);
    nkx_value pair[2] = {nkx_str_new(vm, s, n), nkx_cstr(vm, s + n)};
    *out = nkx_tuple_of(vm, pair, 2);
    nkx_drop(pair[0]);
    nkx_drop(pair[1]);
    return true;
}

/* Without . and .. and doubled slashes. */
static void normalise(const char *s, nkx_buf *out)
{
    bool absolute = *s == '/';
    if (absolute) nkx_buf_char(out, '/');
    size_t floor = out->len; /* what .. cannot take away */
    while (*s != '\0') {
        while (*s == '/') s++;
        size_t n = strcspn(s, "/");
        if (n == 2 && s[0] == '.' && s[1] == '.') {
            if (out->len > floor) {
                while (out->len > floor && out->at[out->len - 1] != '/') out->len--;
                if (out->len > floor) out->len--;
            } else if (!absolute) {
                nkx_buf_str(out, out->len > 0 ? "/.." : "..");
                floor = out->len;
            }
        } else if (n > 0 && !(n == 1 && *s == '.')) {
            if (out->len > 0 && out->at[out->len - 1] != '/') nkx_buf_char(out, '/');
            nkx_buf_add(out, s, n);
        }
        s += n;
    }
    if (out->len == 0) nkx_buf_char(out, '.');
    out->at[out->len] = '\0';
}

static bool p_normpath(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const char *s;
    nkx_buf b = {0};
    if (!path_arg(vm, in[0], &s)) return false;
    normalise(s, &b);
    return nkx_give(out, nkx_str_take(vm, &b));
}

static bool p_abspath(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const char *s;
    char cwd[PATH_MAX];
    nkx_buf whole = {0}, b = {0};
    if (!path_arg(vm, in[0], &s)) return false;
    if (*s != '/' && getcwd(cwd, sizeof cwd) != NULL) nkx_buf_printf(&whole, "%s/", cwd);
    nkx_buf_str(&whole, s);
    normalise(whole.at, &b);
    nkx_buf_fini(&whole);
    return nkx_give(out, nkx_str_take(vm, &b));
}

static bool p_exists(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const char *s;
    return path_arg(vm, in[0], &s) && nkx_give_bool(out, nkx_file_exists(s) || nkx_dir_exists(s));
}

static bool p_isfile(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const char *s;
    return path_arg(vm, in[0], &s) && nkx_give_bool(out, nkx_file_exists(s) && !nkx_dir_exists(s));
}

static bool p_isdir(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const char *s;
    return path_arg(vm, in[0], &s) && nkx_give_bool(out, nkx_dir_exists(s));
}

static bool p_isabs(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const char *s;
    return path_arg(vm, in[0], &s) && nkx_give_bool(out, *s == '/');
}

static bool p_expanduser(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const char *s, *home = getenv("HOME");
    if (!path_arg(vm, in[0], &s)) return false;
    if (s[0] != '~' || (s[1] != '/' && s[1] != '\0') || home == NULL)
        return nkx_give(out, nkx_ref(in[0]));
    return nkx_give(out, nkx_str_printf(vm, "%s%s", home, s + 1));
}

static const nkx_builtin path_rows[] = {
    {"join",       "*paths", p_join,       "parts joined by slashes", 0},
    {"basename",   "p",      p_basename,   "the last part",           0},
    {"dirname",    "p",      p_dirname,    "all but the last part",   0},
    {"splitext",   "p",      p_splitext,   "(path, extension)",       0},
    {"normpath",   "path",   p_normpath,   "without . and ..",        0},
    {"abspath",    "path",   p_abspath,    "from the root",           0},
    {"realpath",   "path",   p_abspath,    "from the root",           0},
    {"exists",     "path",   p_exists,     "is it there?",            0},
    {"isfile",     "path",   p_isfile,     "a file?",                 0},
    {"isdir",      "path",   p_isdir,      "a directory?",            0},
    {"isabs",      "path",   p_isabs,      "from the root?",          0},
    {"expanduser", "path",   p_expanduser, "~ replaced",              0},
    {NULL,         NULL,     NULL,         NULL,                      0},
};

/* ---- sys ---- */

typedef struct stream {
    int number;
} stream;

static bool stream_write(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    if (in[1].type != NKX_V_STR)
        return nkx_type_error(vm, "write() argument must be str, not %s", nkx_type_name(in[1]));
    nkx_vm_write(vm, NKX_PAYLOAD(stream, in[0])->number, nkx_text(in[1]), nkx_text_len(in[1]));
    return nkx_give_int(out, (int64_t)nkx_str_chars(in[1]));
}

static bool stream_flush(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)in;
    (void)out;
    return true;
}

static bool stream_isatty(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)in;
    return nkx_give_bool(out, false);
}

static const nkx_builtin stream_rows[] = {
    {"write",  "self, text, /", stream_write,  "writes text",          NKX_BF_METHOD},
    {"flush",  "self",          stream_flush,  "nothing is held back", NKX_BF_METHOD},
    {"isatty", "self",          stream_isatty, "False",                NKX_BF_METHOD},
};

static bool stream_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    if (strcmp(name->text, "name") == 0)
        return nkx_give(
            out, nkx_cstr(vm, NKX_PAYLOAD(stream, self)->number == 2 ? "<stderr>" : "<stdout>"));
    for (size_t i = 0; i < NKX_COUNT(stream_rows); i++) {
        if (strcmp(stream_rows[i].name, name->text) == 0)
            return nkx_give(out, nkx_method_new(vm, self, nkx_builtin_value(&stream_rows[i])));
    }
    return true;
}

static const nkx_native_type stream_type = {.name = "TextIOWrapper", .attr = stream_attr};

static nkx_value stream_new(nkx_vm *vm, int number)
{
    nkx_value v = nkx_native_new(vm, &stream_type, sizeof(stream));
    NKX_PAYLOAD(stream, v)->number = number;
    return v;
}

static bool sys_exit(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value cls = nkx_class_value(vm, NKX_CLS_SystemExit), e;
    (void)out;
    bool ok = nkx_call_n(vm, cls, in, nkx_given(in[0]) ? 1 : 0, &e);
    nkx_drop(cls);
    if (!ok) return false;
    nkx_raise_value(vm, e);
    nkx_drop(e);
    return false;
}

static bool sys_getrecursionlimit(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)in;
    return nkx_give_int(out, vm->o.limits.max_depth);
}

static bool sys_nothing(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)in;
    (void)out;
    return true;
}

static bool sys_exc_info(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)in;
    *out = nkx_tuple_new(vm, 3);
    if (vm->handling.type != NKX_V_UNSET) {
        NKX_AS(nkx_tuple, *out)->at[0] = nkx_type_of(vm, vm->handling);
        NKX_AS(nkx_tuple, *out)->at[1] = nkx_ref(vm->handling);
    }
    return true;
}

static bool sys_init(nkx_vm *vm, nkx_value m)
{
    nkx_value argv = nkx_list_new(vm, 1), path = nkx_list_new(vm, 1),
              version[5] = {nkx_int(3), nkx_int(11), nkx_int(0), nkx_cstr(vm, "final"), nkx_int(0)};
    for (size_t i = 0; i < vm->o.n_argv; i++) {
        nkx_value v = nkx_cstr(vm, vm->o.argv[i]);
        nkx_list_append(argv, v);
        nkx_drop(v);
    }
    for (size_t i = 0; i < vm->o.n_path; i++) {
        nkx_value v = nkx_cstr(vm, vm->o.path[i]);
        nkx_list_append(path, v);
        nkx_drop(v);
    }
    nkx_value info = nkx_tuple_of(vm, version, 5);
    nkx_drop(version[3]);
    return nkx_module_put(vm, m, "argv", argv) && nkx_module_put(vm, m, "path", path) &&
           nkx_module_put(vm, m, "version_info", info) &&
           nkx_module_put(vm, m, "version", nkx_cstr(vm, "3.11.0 (nkx)")) &&
           nkx_module_put(vm, m, "platform", nkx_cstr(vm, "linux")) &&
           nkx_module_put(vm, m, "maxsize", nkx_int(INT64_MAX)) &&
           nkx_module_put(vm, m, "byteorder", nkx_cstr(vm, "little")) &&
           nkx_module_put(vm, m, "executable", nkx_cstr(vm, "")) &&
           nkx_module_put(vm, m, "modules", nkx_ref(vm->sys_modules)) &&
           nkx_module_put(vm, m, "stdout", stream_new(vm, 1)) &&
           nkx_module_put(vm, m, "stderr", stream_new(vm, 2));
}

static const nkx_builtin sys_rows[] = {
    {"exit",              "status=None, /", sys_exit,              "ends the program",                               0},
    {"getrecursionlimit", "",               sys_getrecursionlimit, "most nested calls",                              0},
    {"setrecursionlimit", "limit, /",       sys_nothing,           "the limit is fixed: nothing happens",            0},
    {"exc_info",          "",               sys_exc_info,          "class and value of the exception being handled", 0},
    {NULL,                NULL,             NULL,                  NULL,                                             0},
};

/* ---- time ---- */

static double clock_seconds(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int64_t clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#define CLOCK(name, id)                                                                            \
    static bool t_##name(nkx_vm *vm, const nkx_value *in, nkx_value *out)                          \
    {                                                                                              \
        (void)vm;                                                                                  \
        (void)in;                                                                                  \
        return nkx_give(out, nkx_float(clock_seconds(id)));                                        \
    }                                                                                              \
    static bool t_##name##_ns(nkx_vm *vm, const nkx_value *in, nkx_value *out)                     \
    {                                                                                              \
        (void)vm;                                                                                  \
        (void)in;                                                                                  \
        return nkx_give_int(out, clock_ns(id));                                                    \
    }
CLOCK(time, CLOCK_REALTIME)
CLOCK(perf_counter, CLOCK_MONOTONIC)
CLOCK(process_time, CLOCK_PROCESS_CPUTIME_ID)
#undef CLOCK

static bool t_sleep(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    double s;
    (void)out;
    if (!nkx_as_float(vm, in[0], "sleep() argument", &s)) return false;
    if (s < 0) return nkx_value_error(vm, "sleep length must be non-negative");
    struct timespec t = {(time_t)(s > 1e6 ? 1e6 : s), (long)((s - (double)(time_t)s) * 1e9)};
    nanosleep(&t, NULL);
    return true;
}

static const nkx_builtin time_rows[] = {
    {"time",            "",           t_time,            "seconds since 1970",            0},
    {"time_ns",         "",           t_time_ns,         "nanoseconds since 1970",        0},
    {"perf_counter",    "",           t_perf_counter,    "seconds of a steady clock",     0},
    {"perf_counter_ns", "",           t_perf_counter_ns, "nanoseconds of a steady clock", 0},
    {"monotonic",       "",           t_perf_counter,    "seconds of a steady clock",     0},
    {"monotonic_ns",    "",           t_perf_counter_ns, "nanoseconds of a steady clock", 0},
    {"process_time",    "",           t_process_time,    "processor seconds",             0},
    {"process_time_ns", "",           t_process_time_ns, "processor nanoseconds",         0},
    {"sleep",           "seconds, /", t_sleep,           "waits",                         0},
    {NULL,              NULL,         NULL,              NULL,                            0},
};

const nkx_module_def nkx_mod_os = {.name = "os", .functions = os_rows, .init = os_init};
const nkx_module_def nkx_mod_os_path = {.name = "os.path", .functions = path_rows};
const nkx_module_def nkx_mod_sys = {.name = "sys", .functions = sys_rows, .init = sys_init};
const nkx_module_def nkx_mod_time = {.name = "time", .functions = time_rows};
