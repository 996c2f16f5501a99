/* SPDX-License-Identifier: Apache-2.0 */
/* logging and warnings, as far as programs print by them: messages go to stderr. Layer eval. */
#include "interp/eval/mod_std.h"

#include <string.h>

typedef struct level_name {
    const char *name, *method;
    int level;
} level_name;

static const level_name levels[] = {
    {"DEBUG",    "debug",    10},
    {"INFO",     "info",     20},
    {"WARNING",  "warning",  30},
    {"ERROR",    "error",    40},
    {"CRITICAL", "critical", 50},
};

typedef struct logger {
    nkx_value name;
    int64_t level;
    nkx_value handlers;
} logger;

static void logger_fini(nkx_obj *o)
{
    logger *l = NKX_PAYLOAD(logger, nkx_of(o));
    nkx_drop(l->name);
    nkx_drop(l->handlers);
}

static const char *level_text(int64_t level)
{
    for (size_t i = NKX_COUNT(levels); i > 0; i--) {
        if (level >= levels[i - 1].level) return levels[i - 1].name;
    }
    return "NOTSET";
}

/* "WARNING:name:text" on stderr when the level is reached. args is a tuple for `%`. */
static bool emit(nkx_vm *vm, const char *name, int64_t threshold, int64_t level, nkx_value msg,
                 nkx_value args)
{
    nkx_buf line = {0};
    nkx_value text = nkx_ref(msg);
    bool ok = true;
    if (level >= threshold) {
        if (NKX_AS(nkx_tuple, args)->n > 0 && msg.type == NKX_V_STR) {
            nkx_drop(text);
            text = NKX_NONE;
            ok = nkx_str_percent(vm, msg, args, &text);
        }
        nkx_buf_printf(&line, "%s:%s:", level_text(level), name);
        ok = ok && nkx_str_of(vm, text, &line);
        nkx_buf_char(&line, '\n');
        if (ok) nkx_vm_write(vm, 2, line.at, line.len);
    }
    nkx_drop(text);
    nkx_buf_fini(&line);
    return ok;
}

static const char *logger_name(nkx_value self)
{
    return nkx_text(NKX_PAYLOAD(logger, self)->name);
}

static int64_t threshold_of(nkx_value self)
{
    int64_t l = NKX_PAYLOAD(logger, self)->level;
    return l > 0 ? l : 30;
}

#define LOG(method, level)                                                                         \
    static bool l_##method(nkx_vm *vm, const nkx_value *in, nkx_value *out)                        \
    {                                                                                              \
        (void)out;                                                                                 \
        return emit(vm, logger_name(in[0]), threshold_of(in[0]), level, in[1], in[2]);             \
    }                                                                                              \
    static bool root_##method(nkx_vm *vm, const nkx_value *in, nkx_value *out)                     \
    {                                                                                              \
        (void)out;                                                                                 \
        return emit(vm, "root", 30, level, in[0], in[1]);                                          \
    }
LOG(debug, 10)
LOG(info, 20)
LOG(warning, 30)
LOG(error, 40)
LOG(critical, 50)
#undef LOG

static bool level_of(nkx_vm *vm, nkx_value v, int64_t *out)
{
    for (size_t i = 0; i < NKX_COUNT(levels); i++) {
        if (nkx_str_is(v, levels[i].name)) {
            *out = levels[i].level;
            return true;
        }
    }
    return nkx_as_int(vm, v, "level", out);
}

static bool l_log(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t level;
    (void)out;
    return level_of(vm, in[1], &level) &&
           emit(vm, logger_name(in[0]), threshold_of(in[0]), level, in[2], in[3]);
}

static bool l_set_level(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    return level_of(vm, in[1], &NKX_PAYLOAD(logger, in[0])->level);
}

static bool l_enabled(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t level;
    return level_of(vm, in[1], &level) && nkx_give_bool(out, level >= threshold_of(in[0]));
}

static bool l_effective(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give_int(out, threshold_of(in[0]));
}

static bool nothing(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)in;
    (void)out;
    return true;
}

static bool l_add_handler(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    (void)out;
    nkx_list_append(NKX_PAYLOAD(logger, in[0])->handlers, in[1]);
    return true;
}

#define MESSAGE "self, msg, *args, exc_info=None, stacklevel=1, extra=None"

static const nkx_builtin logger_rows[] = {
    {"debug",             MESSAGE,                                                            l_debug,       "a message for finding faults", NKX_BF_METHOD},
    {"info",              MESSAGE,                                                            l_info,        "a message",                    NKX_BF_METHOD},
    {"warning",           MESSAGE,                                                            l_warning,     "a warning",                    NKX_BF_METHOD},
    {"warn",              MESSAGE,                                                            l_warning,     "a warning",                    NKX_BF_METHOD},
    {"error",             MESSAGE,                                                            l_error,       "an error",                     NKX_BF_METHOD},
    {"exception",         MESSAGE,                                                            l_error,       "an error",                     NKX_BF_METHOD},
    {"critical",          MESSAGE,                                                            l_critical,    "a grave error",                NKX_BF_METHOD},
    {"log",               "self, level, msg, *args, exc_info=None, stacklevel=1, extra=None", l_log,
     "a message of a level",                                                                                                                 NKX_BF_METHOD},
    {"setLevel",          "self, level",                                                      l_set_level,   "least level that is shown",    NKX_BF_METHOD},
    {"isEnabledFor",      "self, level",                                                      l_enabled,     "would it be shown?",           NKX_BF_METHOD},
    {"getEffectiveLevel", "self",                                                             l_effective,   "least level that is shown",    NKX_BF_METHOD},
    {"addHandler",        "self, handler",                                                    l_add_handler, "kept, not used",               NKX_BF_METHOD},
    {"removeHandler",     "self, handler",                                                    nothing,       "does nothing",                 NKX_BF_METHOD},
    {"hasHandlers",       "self",                                                             nothing,       "None",                         NKX_BF_METHOD},
};

static bool logger_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    const logger *l = NKX_PAYLOAD(logger, self);
    if (strcmp(name->text, "name") == 0) return nkx_give(out, nkx_ref(l->name));
    if (strcmp(name->text, "level") == 0) return nkx_give_int(out, l->level);
    if (strcmp(name->text, "handlers") == 0) return nkx_give(out, nkx_ref(l->handlers));
    if (strcmp(name->text, "propagate") == 0) return nkx_give_bool(out, true);
    for (size_t i = 0; i < NKX_COUNT(logger_rows); i++) {
        if (strcmp(logger_rows[i].name, name->text) == 0)
            return nkx_give(out, nkx_method_new(vm, self, nkx_builtin_value(&logger_rows[i])));
    }
    return true;
}

static const nkx_native_type logger_type = {
    .name = "Logger", .fini = logger_fini, .attr = logger_attr};

static bool get_logger(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    *out = nkx_native_new(vm, &logger_type, sizeof(logger));
    logger *l = NKX_PAYLOAD(logger, *out);
    l->name = in[0].type == NKX_V_STR ? nkx_ref(in[0]) : nkx_cstr(vm, "root");
    l->handlers = nkx_list_new(vm, 0);
    return true;
}

/* Handlers and formatters: accepted, without effect. */
static bool plain_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    static const nkx_builtin row = {"method", "self, *args, **kwargs", nothing, "does nothing",
                                    NKX_BF_METHOD};
    (void)name;
    return nkx_give(out, nkx_method_new(vm, self, nkx_builtin_value(&row)));
}

static const nkx_native_type plain_type = {.name = "Handler", .attr = plain_attr};

static bool make_plain(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)in;
    return nkx_give(out, nkx_native_new(vm, &plain_type, 1));
}

static bool get_level_name(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t level;
    return level_of(vm, in[0], &level) && nkx_give(out, nkx_cstr(vm, level_text(level)));
}

static bool logging_init(nkx_vm *vm, nkx_value m)
{
    for (size_t i = 0; i < NKX_COUNT(levels); i++) {
        if (!nkx_module_put(vm, m, levels[i].name, nkx_int(levels[i].level))) return false;
    }
    return nkx_module_put(vm, m, "NOTSET", nkx_int(0)) &&
           nkx_module_put(vm, m, "WARN", nkx_int(30)) &&
           nkx_module_put(vm, m, "FATAL", nkx_int(50));
}

#define ROOT "msg, *args, exc_info=None, stacklevel=1, extra=None"

static const nkx_builtin logging_rows[] = {
    {"getLogger",     "name=None",                         get_logger,     "a logger",                            0},
    {"basicConfig",   "**kwargs",                          nothing,        "does nothing: messages go to stderr", 0},
    {"debug",         ROOT,                                root_debug,     "a message for finding faults",        0},
    {"info",          ROOT,                                root_info,      "a message",                           0},
    {"warning",       ROOT,                                root_warning,   "a warning",                           0},
    {"error",         ROOT,                                root_error,     "an error",                            0},
    {"critical",      ROOT,                                root_critical,  "a grave error",                       0},
    {"disable",       "level=50",                          nothing,        "does nothing",                        0},
    {"getLevelName",  "level",                             get_level_name, "name of a level",                     0},
    {"StreamHandler", "stream=None",                       make_plain,     "accepted, not used",                  0},
    {"FileHandler",   "filename, mode='a'",                make_plain,     "accepted, not used",                  0},
    {"NullHandler",   "",                                  make_plain,     "accepted, not used",                  0},
    {"Formatter",     "fmt=None, datefmt=None, style='%'", make_plain,     "accepted, not used",                  0},
    {NULL,            NULL,                                NULL,           NULL,                                  0},
};

/* ---- warnings ---- */

static bool w_warn(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_buf b = {0};
    const char *category =
        in[1].type == NKX_V_CLASS ? NKX_AS(nkx_class, in[1])->name->text : "UserWarning";
    (void)out;
    if (in[0].type == NKX_V_INSTANCE) category = NKX_AS(nkx_instance, in[0])->cls->name->text;
    nkx_buf_printf(&b, "%s: ", category);
    bool ok = nkx_str_of(vm, in[0], &b);
    nkx_buf_char(&b, '\n');
    if (ok) nkx_vm_write(vm, 2, b.at, b.len);
    nkx_buf_fini(&b);
    return ok;
}

static bool catch_enter(nkx_vm *vm, nkx_value self, nkx_value *out)
{
    (void)self;
    return nkx_give(out, nkx_list_new(vm, 0));
}

static bool catch_exit(nkx_vm *vm, nkx_value self)
{
    (void)vm;
    (void)self;
    return true;
}

static const nkx_native_type catch_type = {
    .name = "catch_warnings", .enter = catch_enter, .exit = catch_exit};

static bool w_catch(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)in;
    return nkx_give(out, nkx_native_new(vm, &catch_type, 1));
}

static const nkx_builtin warnings_rows[] = {
    {"warn",           "message, category=None, stacklevel=1, source=None",                    w_warn,  "a warning on stderr", 0},
    {"filterwarnings", "action, message='', category=None, module='', lineno=0, append=False",
     nothing,                                                                                           "does nothing",        0},
    {"simplefilter",   "action, category=None, lineno=0, append=False",                        nothing, "does nothing",        0},
    {"catch_warnings", "record=False, module=None",                                            w_catch, "a with block",        0},
    {NULL,             NULL,                                                                   NULL,    NULL,                  0},
};

const nkx_module_def nkx_mod_logging = {
    .name = "logging", .functions = logging_rows, .init = logging_init};
const nkx_module_def nkx_mod_warnings = {.name = "warnings", .functions = warnings_rows};
