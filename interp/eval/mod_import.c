/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python's own doors to its machinery: importlib, sys.modules, compile, exec, eval, globals. A text
 * runs in a module of its own whose names come from the dict that was given, and go back there.
 * Layer eval.
 */
#include "interp/eval/mod_std.h"

#include "interp/eval/walk.h"

#include <string.h>

/* ---- code objects ---- */

typedef struct code {
    nkx_value text, name; /* str */
    bool expression;
} code;

static void code_fini(nkx_obj *o)
{
    code *c = NKX_PAYLOAD(code, nkx_of(o));
    nkx_drop(c->text);
    nkx_drop(c->name);
}

static bool code_repr(nkx_vm *vm, nkx_value self, nkx_buf *out)
{
    (void)vm;
    nkx_buf_printf(out, "<code object <module>, file \"%s\">",
                   nkx_text(NKX_PAYLOAD(code, self)->name));
    return true;
}

static const nkx_native_type code_type = {.name = "code", .fini = code_fini, .repr = code_repr};

static bool parse_code(nkx_vm *vm, nkx_module_obj *m, const code *c, nkx_unit **out)
{
    nkx_unit *shown = m->unit; /* whose kernels the module is asked for */
    *out = nkx_unit_new(vm, m, nkx_text(c->name), nkx_text(c->text), nkx_text_len(c->text));
    if (shown != NULL) m->unit = shown;
    if (*out == NULL) return nkx_raise_diagnosed_as(vm, "SyntaxError");
    const nkx_nodes *body = &(*out)->ast->body;
    if (!c->expression || (body->n == 1 && body->at[0]->kind == NKX_EXPR_STMT)) return true;
    return nkx_raise(vm, NKX_E211, "SyntaxError", "eval() takes one expression");
}

/* A module that nothing can import. */
static nkx_module_obj *hidden_module(nkx_vm *vm, const char *name)
{
    nkx_value v = nkx_module_value_new(vm, name);
    nkx_push(&vm->modules, v); /* units point at it until the VM ends */
    return NKX_AS(nkx_module_obj, v);
}

static bool code_of(nkx_vm *vm, nkx_value source, bool expression, code *out)
{
    if (nkx_is_native(source, &code_type)) {
        *out = *NKX_PAYLOAD(code, source);
        nkx_ref(out->text);
        nkx_ref(out->name);
        out->expression |= expression;
        return true;
    }
    if (source.type != NKX_V_STR) {
        return nkx_type_error(vm, "%s() arg 1 must be a string, bytes or code object",
                              expression ? "eval" : "exec");
    }
    const char *s = nkx_text(source), *end = s + nkx_text_len(source);
    if (expression) s += strspn(s, " \t");
    *out = (code){nkx_str_new(vm, s, (size_t)(end - s)), nkx_cstr(vm, "<string>"), expression};
    return true;
}

static bool b_compile(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    if (in[0].type != NKX_V_STR || in[1].type != NKX_V_STR || in[2].type != NKX_V_STR)
        return nkx_type_error(vm, "compile() takes a string, a file name and a mode");
    bool eval = nkx_str_is(in[2], "eval");
    if (!eval && !nkx_str_is(in[2], "exec"))
        return nkx_value_error(vm, "compile() mode must be 'exec' or 'eval' here, not '%s'",
                               nkx_text(in[2]));
    code c = {nkx_ref(in[0]), nkx_ref(in[1]), eval};
    nkx_unit *u;
    nkx_value v = nkx_native_new(vm, &code_type, sizeof(code));
    *NKX_PAYLOAD(code, v) = c;
    if (parse_code(vm, hidden_module(vm, "<module>"), &c, &u)) return nkx_give(out, v);
    nkx_drop(v);
    return false;
}

/* ---- where a text runs ---- */

void nkx_module_pull(nkx_vm *vm, nkx_module_obj *m)
{
    nkx_value key, value;
    for (uint32_t i = 0; nkx_dict_next(m->names, &i, &key, &value);) {
        if (key.type == NKX_V_STR) nkx_module_set_name(m, nkx_name_of(vm, key), value);
    }
}

static void add_names(nkx_vm *vm, nkx_module_obj *m, nkx_value dict)
{
    nkx_value key, value;
    for (uint32_t i = 0; nkx_dict_next(dict, &i, &key, &value);) {
        if (key.type == NKX_V_STR) nkx_module_set_name(m, nkx_name_of(vm, key), value);
    }
}

/* Variables of the running functions and of their module. */
static void add_scope(nkx_vm *vm, nkx_module_obj *m, const nkx_frame *f)
{
    const nkx_attrs *g = &f->module->globals;
    for (uint32_t i = 0; i < g->n; i++) {
        if (g->values[i].type != NKX_V_UNSET) nkx_module_set_name(m, g->names[i], g->values[i]);
    }
    for (uint32_t i = 0; f->info != NULL && i < f->info->n_slots; i++) {
        nkx_value v = f->slots[i];
        if (v.type == NKX_V_CELL) v = NKX_AS(nkx_cell, v)->v;
        if (v.type != NKX_V_UNSET && f->info->slot_names[i] != NULL)
            nkx_module_set_name(m, f->info->slot_names[i], v);
    }
    for (uint32_t i = 0; f->info != NULL && f->cells != NULL && i < f->info->n_free; i++) {
        nkx_value v = NKX_AS(nkx_cell, f->cells[i])->v;
        if (v.type != NKX_V_UNSET) nkx_module_set_name(m, f->info->captures[i].name, v);
    }
    (void)vm;
}

static bool give_back(nkx_vm *vm, const nkx_module_obj *m, nkx_value dict)
{
    for (uint32_t i = 0; i < m->globals.n; i++) {
        if (m->globals.values[i].type == NKX_V_UNSET) continue;
        nkx_value key = nkx_str_of_name(vm, m->globals.names[i]), old;
        bool ok = nkx_dict_get(vm, dict, key, &old) &&
                  (old.u.o == m->globals.values[i].u.o && old.type == m->globals.values[i].type
                       ? true
                       : nkx_dict_set(vm, dict, key, m->globals.values[i]));
        nkx_drop(key);
        if (!ok) return false;
    }
    return true;
}

static bool check_scopes(nkx_vm *vm, const nkx_value *in, const char *func)
{
    if (nkx_given(in[1]) && in[1].type != NKX_V_DICT)
        return nkx_type_error(vm, "%s() globals must be a dict, not %s", func,
                              nkx_type_name(in[1]));
    if (nkx_given(in[2]) && in[2].type != NKX_V_DICT)
        return nkx_type_error(vm, "locals must be a mapping");
    return true;
}

static bool run_code(nkx_vm *vm, const code *c, const nkx_value *in, nkx_value *out)
{
    const nkx_frame *f = vm->frame;
    bool dict = nkx_given(in[1]), locals = nkx_given(in[2]);
    bool here = !dict && !locals && f != NULL && f->fn == NULL && f->ns == NULL;
    nkx_module_obj *m = here ? f->module : hidden_module(vm, "builtins");
    nkx_unit *u;
    nkx_value last = NKX_UNSET;
    if (dict) {
        m->names = nkx_ref(in[1]);
        add_names(vm, m, in[1]);
    } else if (!here && f != NULL) {
        add_scope(vm, m, f);
    }
    if (locals) add_names(vm, m, in[2]);
    bool ok = parse_code(vm, m, c, &u) && nkx_unit_run(vm, u, &last);
    if (ok && c->expression) {
        *out = last;
        last = NKX_UNSET;
    }
    nkx_drop(last);
    if (dict) nkx_dict_put_name(vm, in[1], nkx_intern(vm, "__builtins__"), nkx_of(vm->builtins));
    if (dict || locals) ok = give_back(vm, m, locals ? in[2] : in[1]) && ok;
    return ok;
}

static bool run_source(nkx_vm *vm, const nkx_value *in, bool expression, nkx_value *out)
{
    code c;
    if (!check_scopes(vm, in, expression ? "eval" : "exec") || !code_of(vm, in[0], expression, &c))
        return false;
    bool ok = run_code(vm, &c, in, out);
    nkx_drop(c.text);
    nkx_drop(c.name);
    return ok;
}

static bool b_exec(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return run_source(vm, in, false, out);
}

static bool b_eval(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return run_source(vm, in, true, out);
}

static bool b_globals(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)in;
    nkx_module_obj *m = vm->frame == NULL ? vm->builtins : vm->frame->module;
    return nkx_get_attr(vm, nkx_of(m), vm->id.d_dict, out);
}

static bool b_locals(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_frame *f = vm->frame;
    if (f == NULL || (f->fn == NULL && f->ns == NULL)) return b_globals(vm, in, out);
    *out = nkx_dict_new(vm);
    for (uint32_t i = 0; f->fn != NULL && f->info != NULL && i < f->info->n_slots; i++) {
        nkx_value v = f->slots[i];
        if (v.type == NKX_V_CELL) v = NKX_AS(nkx_cell, v)->v;
        if (v.type != NKX_V_UNSET) nkx_dict_put_name(vm, *out, f->info->slot_names[i], v);
    }
    for (uint32_t i = 0; f->fn == NULL && i < f->ns->n; i++) {
        if (f->ns->values[i].type != NKX_V_UNSET)
            nkx_dict_put_name(vm, *out, f->ns->names[i], f->ns->values[i]);
    }
    return true;
}

/* The names of an object, sorted. */
static bool b_dir(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value d = NKX_UNSET, key;
    *out = nkx_list_new(vm, 16);
    bool ok = nkx_given(in[0]) ? nkx_find_attr(vm, in[0], vm->id.d_dict, &d) : b_locals(vm, in, &d);
    for (uint32_t i = 0; ok && d.type == NKX_V_DICT && nkx_dict_next(d, &i, &key, NULL);)
        nkx_list_append(*out, key);
    nkx_drop(d);
    const nkx_class *c = in[0].type == NKX_V_INSTANCE ? NKX_AS(nkx_instance, in[0])->cls
                         : in[0].type == NKX_V_CLASS  ? NKX_AS(nkx_class, in[0])->super
                                                      : NULL;
    nkx_value seen = nkx_set_new(vm);
    for (; ok && c != NULL; c = c->super) {
        for (uint32_t i = 0; i < c->attrs.n; i++) {
            if (c->attrs.values[i].type == NKX_V_UNSET) continue;
            nkx_value name = nkx_str_of_name(vm, c->attrs.names[i]);
            nkx_list_append(*out, name);
            nkx_drop(name);
        }
    }
    const nkx_builtin *rows = nkx_method_table((nkx_vtype)in[0].type);
    for (; ok && rows != NULL && rows->name != NULL; rows++) {
        nkx_value name = nkx_cstr(vm, rows->name);
        nkx_list_append(*out, name);
        nkx_drop(name);
    }
    nkx_list *l = NKX_AS(nkx_list, *out);
    uint32_t n = 0;
    for (uint32_t i = 0; ok && i < l->n; i++) { /* a name stands in several classes */
        bool twice;
        ok = nkx_contains(vm, seen, l->at[i], &twice) && nkx_set_add(vm, seen, l->at[i]);
        if (ok && twice) {
            nkx_drop(l->at[i]);
        } else {
            l->at[n++] = l->at[i];
        }
    }
    if (ok) l->n = n;
    nkx_drop(seen);
    ok = ok && nkx_sort_values(vm, l->at, l->n, NKX_NONE, false);
    if (!ok) nkx_drop(*out);
    return ok;
}

const nkx_builtin nkx_builtins_import[] = {
    {"compile", "source, filename, mode, flags=0, dont_inherit=False, optimize=-1", b_compile,
     "a text as something to exec or eval",                                                                                                      0},
    {"dir",     "obj=None, /",                                                      b_dir,     "the names of an object, sorted",                 0},
    {"eval",    "source, globals=None, locals=None, /",                             b_eval,    "the value of an expression in a text",
     0                                                                                                                                            },
    {"exec",    "source, globals=None, locals=None, /",                             b_exec,    "runs the statements of a text",                  0},
    {"globals", "",                                                                 b_globals, "the variables of the module",                    0},
    {"locals",  "",                                                                 b_locals,  "the variables of the function, as they are now", 0},
    {NULL,      NULL,                                                               NULL,      NULL,                                             0},
};

/* ---- importlib ---- */

static bool i_import_module(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    if (in[0].type != NKX_V_STR) return nkx_type_error(vm, "the name of a module must be a str");
    const char *package = in[1].type == NKX_V_STR ? nkx_text(in[1]) : NULL;
    if (nkx_text(in[0])[0] == '.' && package == NULL)
        return nkx_type_error(vm,
                              "the 'package' argument is required to perform a relative import "
                              "for '%s'",
                              nkx_text(in[0]));
    return nkx_import_named(vm, nkx_text(in[0]), package, out);
}

typedef struct spec {
    const nkx_name *name;
} spec;

static bool spec_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    if (strcmp(name->text, "name") == 0) *out = nkx_str_of_name(vm, NKX_PAYLOAD(spec, self)->name);
    return true;
}

static const nkx_native_type spec_type = {.name = "ModuleSpec", .attr = spec_attr};

static bool i_find_spec(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    if (in[0].type != NKX_V_STR) return nkx_type_error(vm, "the name of a module must be a str");
    *out = NKX_NONE;
    if (!nkx_module_exists(vm, nkx_text(in[0]))) return true;
    *out = nkx_native_new(vm, &spec_type, sizeof(spec));
    NKX_PAYLOAD(spec, *out)->name = nkx_name_of(vm, in[0]);
    return true;
}

static bool importlib_init(nkx_vm *vm, nkx_value m)
{
    nkx_value util;
    (void)m;
    if (!nkx_import(vm, "importlib.util", &util)) return false;
    nkx_drop(util);
    return true;
}

static const nkx_builtin importlib_rows[] = {
    {"import_module", "name, package=None", i_import_module, "a module by its name", 0},
    {NULL,            NULL,                 NULL,            NULL,                   0},
};
static const nkx_builtin util_rows[] = {
    {"find_spec", "name, package=None", i_find_spec, "is there such a module? None otherwise", 0},
    {NULL,        NULL,                 NULL,        NULL,                                     0},
};

const nkx_module_def nkx_mod_importlib = {
    .name = "importlib", .functions = importlib_rows, .init = importlib_init};
const nkx_module_def nkx_mod_importlib_util = {.name = "importlib.util", .functions = util_rows};
