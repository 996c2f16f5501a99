/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules: builtin ones, files on disk, packages; placeholder.c has what is not there. A module is
 * run once; a package's __init__ only when a name is taken from the package itself. Layer eval.
 */
#include "interp/base/file.h"
#include "interp/eval/classes.h"
#include "interp/eval/stdlib_embed.h"
#include "interp/eval/versions.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SOURCE = 64 << 20 };

/* ---- the table of loaded modules ---- */

static nkx_module_obj *loaded(nkx_vm *vm, const char *name, const char *path)
{
    for (size_t i = 0; i < vm->modules.n; i++) {
        nkx_module_obj *m = NKX_AS(nkx_module_obj, vm->modules.at[i]);
        if (path != NULL && m->path != NULL && strcmp(m->path, path) == 0) return m;
        if (path != NULL && m->dir != NULL && m->is_package && strcmp(m->dir, path) == 0) return m;
        if (name != NULL && m->def != NULL && strcmp(m->name->text, name) == 0) return m;
    }
    return NULL;
}

/* ---- builtin modules ---- */

static void fill_functions(nkx_vm *vm, nkx_module_obj *m, const nkx_builtin *rows)
{
    for (; rows != NULL && rows->name != NULL; rows++) {
        nkx_module_set_name(m, nkx_intern(vm, rows->name), nkx_builtin_value(rows));
    }
}

static bool load_builtin(nkx_vm *vm, const nkx_module_def *def, nkx_module_obj **out);

/* "nki.language" is also the attribute `language` of nki. */
static bool link_parent(nkx_vm *vm, nkx_module_obj *m)
{
    const char *dot = strrchr(m->name->text, '.');
    if (dot == NULL) return true;
    char *parent = nkx_arena_str(&vm->arena, m->name->text, (size_t)(dot - m->name->text));
    const nkx_module_def *def = nkx_module_find(parent);
    nkx_module_obj *p;
    if (def == NULL) return true;
    if (!load_builtin(vm, def, &p)) return false;
    nkx_module_set_name(p, nkx_intern(vm, dot + 1), nkx_of(m));
    return true;
}

static bool load_builtin(nkx_vm *vm, const nkx_module_def *def, nkx_module_obj **out)
{
    nkx_module_obj *m = loaded(vm, def->name, NULL);
    *out = m;
    if (m != NULL) return true;
    nkx_value v = nkx_module_value_new(vm, def->name);
    m = NKX_AS(nkx_module_obj, v);
    m->def = def;
    nkx_push(&vm->modules, v); /* owned there */
    nkx_dict_put_name(vm, vm->sys_modules, m->name, v);
    fill_functions(vm, m, def->functions);
    *out = m;
    return (def->init == NULL || def->init(vm, v)) && link_parent(vm, m);
}

bool nkx_module_load_stdlib(nkx_vm *vm, nkx_module_obj *m)
{
    const nkx_stdlib_file *file = nkx_stdlib_files;
    m->stdlib_loaded = true;
    while (file->name != NULL && strcmp(file->name, m->def->stdlib) != 0) file++;
    if (file->name == NULL) return true;
    nkx_buf path = {0};
    nkx_buf_printf(&path, "stdlib/%s", file->name);
    nkx_unit *u = nkx_unit_new(vm, m, path.at, file->text, file->len);
    nkx_buf_fini(&path);
    if (u == NULL) return nkx_raise_diagnosed_as(vm, "SyntaxError");
    u->is_stdlib = true;
    int kernel = vm->kernel; /* its module level is host code */
    vm->kernel = 0;
    bool ok = nkx_unit_run(vm, u, NULL);
    vm->kernel = kernel;
    return ok;
}

/* ---- files ---- */

static void set_text(nkx_vm *vm, nkx_module_obj *m, const nkx_name *name, const char *text)
{
    nkx_value v = nkx_cstr(vm, text);
    nkx_module_set_name(m, name, v);
    nkx_drop(v);
}

/* A package: __path__ is the folder of its modules. */
static void set_package(nkx_vm *vm, nkx_module_obj *m, const char *dir)
{
    nkx_value l = nkx_list_new(vm, 1), text = nkx_cstr(vm, dir);
    nkx_list_append(l, text);
    nkx_module_set_name(m, nkx_intern(vm, "__path__"), l);
    set_text(vm, m, vm->id.d_package, m->name->text);
    nkx_drop(text);
    nkx_drop(l);
}

/* Is the file the __init__ of a package? */
static bool is_init(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash == NULL ? path : slash + 1, "__init__.", strlen("__init__.")) == 0;
}

/* A module of a file; shown is the path as the user gave it. The caller runs it. */
static bool new_file_module(nkx_vm *vm, const char *name, char *take_path, nkx_module_obj **out)
{
    nkx_value v = nkx_vm_module_new(vm, name);
    nkx_module_obj *m = NKX_AS(nkx_module_obj, v);
    m->path = take_path;
    set_text(vm, m, vm->id.d_file, take_path);
    set_text(vm, m, vm->id.d_package, "");
    if (is_init(take_path)) {
        char *dir = nkx_path_dir(take_path);
        set_package(vm, m, dir);
        free(dir);
    }
    *out = m;
    nkx_drop(v);
    return true;
}

static bool run_file(nkx_vm *vm, nkx_module_obj *m, const char *path, const char *shown)
{
    nkx_buf text = {0};
    const char *why;
    if (!nkx_file_read(path, MAX_SOURCE, &text, &why)) {
        nkx_buf_fini(&text);
        return nkx_raise(vm, NKX_E220, "ModuleNotFoundError", "cannot read '%s': %s", shown, why);
    }
    nkx_unit *u = nkx_unit_new(vm, m, shown, text.at == NULL ? "" : text.at, text.len);
    nkx_buf_fini(&text);
    if (u == NULL) return nkx_raise_diagnosed_as(vm, "SyntaxError");
    m->loading = true;
    int kernel = vm->kernel;
    vm->kernel = 0;
    bool ok = nkx_unit_run(vm, u, NULL);
    vm->kernel = kernel;
    m->loading = false;
    return ok;
}

static char *real_path(const char *path)
{
    char *r = realpath(path, NULL);
    return r != NULL ? r : nkx_dup(path, strlen(path) + 1);
}

/* Shown paths are relative to where the user's are: the folder of the importer, as written. */
static const char *shown_path(nkx_vm *vm, const char *path)
{
    char cwd[4096];
    if (realpath(".", cwd) == NULL) return path;
    size_t n = strlen(cwd);
    if (strncmp(path, cwd, n) == 0 && path[n] == '/') return path + n + 1;
    (void)vm;
    return path;
}

bool nkx_vm_load(nkx_vm *vm, const char *path, const char *name, nkx_value *module)
{
    nkx_module_obj *m;
    nkx_buf text = {0};
    const char *why;
    *module = NKX_UNSET;
    nkx_vm_set_base(vm);
    if (!nkx_file_read(path, MAX_SOURCE, &text, &why)) {
        nkx_buf_fini(&text);
        nkx_raise(vm, NKX_E220, "FileNotFoundError", "cannot read '%s': %s", path, why);
        return false;
    }
    if (!new_file_module(vm, name, real_path(path), &m)) return false;
    nkx_unit *u = nkx_unit_new(vm, m, path, text.at == NULL ? "" : text.at, text.len);
    nkx_buf_fini(&text);
    if (u == NULL) return nkx_raise_diagnosed_as(vm, "SyntaxError");
    m->loading = true;
    bool ok = nkx_unit_run(vm, u, NULL);
    m->loading = false;
    if (ok) *module = nkx_ref(nkx_of(m));
    return ok;
}

bool nkx_vm_exec_text(nkx_vm *vm, nkx_value module, const char *path, const char *text, size_t len,
                      nkx_value *value)
{
    if (value != NULL) *value = NKX_UNSET;
    nkx_vm_set_base(vm);
    nkx_unit *u = nkx_unit_new(vm, NKX_AS(nkx_module_obj, module), path, text, len);
    if (u == NULL) return nkx_raise_diagnosed_as(vm, "SyntaxError");
    nkx_value last;
    if (!nkx_unit_run(vm, u, value != NULL ? value : &last)) return false;
    if (value == NULL) nkx_drop(last);
    return true;
}

/* ---- finding ---- */

static const char *const suffixes[] = {".py", ".nki"};

static char *join(const char *dir, const char *part, size_t len, const char *suffix)
{
    nkx_buf b = {0};
    nkx_buf_printf(&b, "%s/%.*s%s", dir, (int)len, part, suffix);
    return nkx_buf_take(&b);
}

/* File of a module in a folder: part.py, part.nki; NULL. Owned. */
static char *find_file(const char *dir, const char *part, size_t len)
{
    for (size_t i = 0; i < NKX_COUNT(suffixes); i++) {
        char *p = join(dir, part, len, suffixes[i]);
        if (nkx_file_exists(p) && !nkx_dir_exists(p)) return p;
        free(p);
    }
    return NULL;
}

static char *find_dir(const char *dir, const char *part, size_t len)
{
    char *p = join(dir, part, len, "");
    if (nkx_dir_exists(p)) return p;
    free(p);
    return NULL;
}

/* A folder as a package; its __init__ waits. */
static nkx_module_obj *package_of(nkx_vm *vm, const char *dir, const char *name)
{
    char *real = real_path(dir);
    nkx_module_obj *m = loaded(vm, NULL, real);
    if (m != NULL) {
        free(real);
        return m;
    }
    nkx_value v = nkx_vm_module_new(vm, name);
    m = NKX_AS(nkx_module_obj, v);
    nkx_drop(v);
    m->is_package = true;
    m->dir = real;
    m->init_path = find_file(real, "__init__", strlen("__init__"));
    return m;
}

/* Runs a package's __init__ if it has not run. */
static bool run_init(nkx_vm *vm, nkx_module_obj *m)
{
    char *path = m->init_path;
    if (path == NULL) return true;
    m->init_path = NULL;
    m->path = path;
    set_text(vm, m, vm->id.d_file, path);
    set_package(vm, m, m->dir);
    return run_file(vm, m, path, shown_path(vm, path));
}

static bool load_file(nkx_vm *vm, const char *path, const char *name, nkx_module_obj **out)
{
    char *real = real_path(path);
    *out = loaded(vm, NULL, real);
    if (*out != NULL) {
        free(real);
        return true;
    }
    if (!new_file_module(vm, name, real, out)) return false;
    if (run_file(vm, *out, real, shown_path(vm, path))) return true;
    (*out)->loading = false;
    return false;
}

/* The submodule `part` of a package or folder: *out NULL when there is none. */
static bool find_submodule(nkx_vm *vm, const char *dir, const char *prefix, const char *part,
                           size_t len, nkx_module_obj **out)
{
    char *name = prefix[0] == '\0'
                     ? nkx_arena_str(&vm->arena, part, len)
                     : nkx_arena_printf(&vm->arena, "%s.%.*s", prefix, (int)len, part);
    char *path = find_file(dir, part, len);
    *out = NULL;
    if (path != NULL) {
        bool ok = load_file(vm, path, name, out);
        free(path);
        return ok;
    }
    path = find_dir(dir, part, len);
    if (path != NULL) *out = package_of(vm, path, name);
    free(path);
    return true;
}

/* A folder with an __init__, which has not run or has. */
static bool is_package_tree(const nkx_module_obj *m)
{
    return m->init_path != NULL || m->path != NULL;
}

/* Walks "a.b.c" from a folder. *out NULL when the first part is not there; error when a later one
 * is not. */
static bool walk_path(nkx_vm *vm, const char *dir, const char *prefix, const char *dotted,
                      nkx_module_obj **root, nkx_module_obj **out)
{
    nkx_module_obj *m = NULL, *parent = NULL;
    const char *part = dotted;
    *root = *out = NULL;
    for (;;) {
        size_t len = strcspn(part, ".");
        if (!find_submodule(vm, parent == NULL ? dir : parent->dir,
                            parent == NULL ? prefix : parent->name->text, part, len, &m)) {
            return false;
        }
        if (m == NULL) {
            if (parent == NULL) return true;
            /* A plain folder of that name is no package of it: others may have the module. */
            if (!is_package_tree(parent)) {
                *root = NULL;
                return true;
            }
            return nkx_raise(vm, NKX_E220, "ModuleNotFoundError", "No module named '%s.%.*s'",
                             parent->name->text, (int)len, part);
        }
        if (parent != NULL) {
            nkx_module_set_name(parent, nkx_names_get(vm->names, part, len), nkx_of(m));
        } else {
            *root = m;
        }
        if (part[len] == '\0') break;
        if (!m->is_package) {
            return nkx_raise(vm, NKX_E220, "ModuleNotFoundError",
                             "No module named '%s'; '%s' is not a package", dotted, m->name->text);
        }
        parent = m;
        part += len + 1;
    }
    *out = m;
    return true;
}

/* The folder in which a file's outermost package lies. */
static char *package_root(const char *path)
{
    char *dir = nkx_path_dir(path);
    for (;;) {
        char *init = find_file(dir, "__init__", strlen("__init__"));
        if (init == NULL) return dir;
        free(init);
        char *up = nkx_path_dir(dir);
        bool top = strcmp(up, dir) == 0 || strcmp(up, ".") == 0;
        free(dir);
        dir = up;
        if (top) return dir;
    }
}

/* Absolute names: beside the importing file, above its package, then --path. */
static bool find_absolute(nkx_vm *vm, const nkx_module_obj *from, const char *dotted,
                          nkx_module_obj **root, nkx_module_obj **out)
{
    *root = *out = NULL;
    if (from != NULL && from->path != NULL) {
        char *dirs[2] = {nkx_path_dir(from->path), package_root(from->path)};
        bool ok = true;
        for (int i = 0; i < 2 && ok && *out == NULL; i++) {
            ok = walk_path(vm, dirs[i], "", dotted, root, out);
        }
        free(dirs[0]);
        free(dirs[1]);
        if (!ok || *out != NULL) return ok;
    }
    for (size_t i = 0; i < vm->o.n_path; i++) {
        if (!walk_path(vm, vm->o.path[i], "", dotted, root, out)) return false;
        if (*out != NULL) return true;
    }
    return true;
}

/* Builtin modules, part by part: "nki.language" loads nki first. *out NULL with a root: a part
 * behind it is not there, from *missing characters on. */
static bool find_builtin(nkx_vm *vm, const char *dotted, nkx_module_obj **root,
                         nkx_module_obj **out, size_t *missing)
{
    *root = *out = NULL;
    *missing = 0;
    for (const char *end = dotted;; end++) {
        end += strcspn(end, ".");
        char *name = nkx_arena_str(&vm->arena, dotted, (size_t)(end - dotted));
        const nkx_module_def *def = nkx_module_find(name);
        if (def == NULL) {
            *missing = (size_t)(end - dotted);
            *out = NULL;
            return true;
        }
        if (!load_builtin(vm, def, out)) return false;
        if (*root == NULL) *root = *out;
        if (*end == '\0') return true;
    }
}

static bool no_module(nkx_vm *vm, const char *name, const char *near)
{
    nkx_raise(vm, NKX_E220, "ModuleNotFoundError", "No module named '%s'", name);
    if (near != NULL) nkx_raise_hint(vm, "Did you mean '%s'?", near);
    return false;
}

/*
 * "nki.compiler.driver" where nki.compiler is not part of this program: a placeholder, which is
 * also an attribute of the module above it. What looks like a misspelling is an error.
 */
static bool missing_part(nkx_vm *vm, const nkx_frame *f, const char *dotted, size_t len,
                         nkx_module_obj *root, nkx_value *out)
{
    char *name = nkx_arena_str(&vm->arena, dotted, len);
    const char *near = nkx_near_module(name, len);
    bool below = near != NULL && strchr(near, '.') != NULL && strcmp(near, name) != 0;
    if (f == NULL || f->trying > 0 || below) return no_module(vm, name, below ? near : NULL);
    nkx_module_obj *up = root, *next;
    size_t dot = (size_t)(strrchr(name, '.') - name);
    const nkx_module_def *def = nkx_module_find(nkx_arena_str(&vm->arena, dotted, dot));
    if (def != NULL && load_builtin(vm, def, &next)) up = next;
    nkx_value top = nkx_placeholder_new(vm, name, "the module", name);
    nkx_module_set_name(up, nkx_intern(vm, name + dot + 1), top);
    *out = nkx_placeholder_under(vm, top, dotted);
    nkx_drop(top);
    return true;
}

/* What a program itself has put into sys.modules under a name; borrowed, UNSET: nothing. */
static nkx_value put_by_program(nkx_vm *vm, const char *dotted)
{
    nkx_value key = nkx_cstr(vm, dotted), v;
    if (!nkx_dict_get(vm, vm->sys_modules, key, &v)) nkx_exception_clear(vm);
    nkx_drop(key);
    bool ours =
        v.type == NKX_V_MODULE && strcmp(NKX_AS(nkx_module_obj, v)->name->text, dotted) == 0;
    return ours ? NKX_UNSET : v;
}

/*
 * The module of an absolute dotted name and its outermost package; both owned. A placeholder when
 * nobody has it, an ImportError instead inside a try statement.
 */
static bool import_absolute(nkx_vm *vm, const nkx_frame *f, const char *dotted, nkx_value *root,
                            nkx_value *out)
{
    nkx_module_obj *r, *m;
    const nkx_module_obj *from = f == NULL ? NULL : f->module;
    bool ours = from != NULL && (from->def != NULL);
    size_t missing;
    nkx_value put = put_by_program(vm, dotted);
    if (put.type != NKX_V_UNSET) {
        char *top = nkx_arena_str(&vm->arena, dotted, strcspn(dotted, "."));
        if (put.type == NKX_V_NONE) {
            return nkx_raise(vm, NKX_E220, "ModuleNotFoundError",
                             "import of %s halted; None in sys.modules", dotted);
        }
        nkx_value first = put_by_program(vm, top);
        *root = nkx_ref(first.type == NKX_V_UNSET ? put : first);
        *out = nkx_ref(put);
        return true;
    }
    if (!find_builtin(vm, dotted, &r, &m, &missing)) return false;
    if (m == NULL && r != NULL) {
        *root = nkx_ref(nkx_of(r));
        if (missing_part(vm, f, dotted, missing, r, out)) return true;
        nkx_drop(*root);
        return false;
    }
    if (m == NULL && !ours && !find_absolute(vm, from, dotted, &r, &m)) return false;
    if (m != NULL) {
        *root = nkx_ref(nkx_of(r));
        *out = nkx_ref(nkx_of(m));
        return true;
    }
    if (f == NULL || f->trying > 0) {
        return no_module(vm, dotted, nkx_near_module(dotted, strlen(dotted)));
    }
    char *first = nkx_arena_str(&vm->arena, dotted, strcspn(dotted, "."));
    *root = nkx_placeholder_new(vm, first, "the module", first);
    *out = nkx_placeholder_under(vm, *root, dotted);
    return true;
}

bool nkx_import(nkx_vm *vm, const char *name, nkx_value *out)
{
    nkx_value root;
    if (!import_absolute(vm, NULL, name, &root, out)) return false;
    nkx_drop(root);
    return true;
}

/* ---- relative imports ---- */

/* "a.b.c" with two dots gives "a": the package that the names are relative to; "" when not known.
 */
static char *relative_prefix(nkx_vm *vm, const nkx_module_obj *m, uint32_t level)
{
    size_t len = m->name->len;
    if (m->is_package) level--; /* a package's own __init__ stands one higher */
    for (; level > 0 && len > 0; level--) {
        while (len > 0 && m->name->text[--len] != '.') continue;
    }
    return nkx_arena_str(&vm->arena, m->name->text, len);
}

static bool import_relative(nkx_vm *vm, const nkx_frame *f, const nkx_import_node *s,
                            nkx_value *out)
{
    nkx_module_obj *root, *m = NULL;
    const char *path = f->module->path;
    if (path == NULL) {
        return nkx_raise(vm, NKX_E220, "ImportError",
                         "attempted relative import from a text that is no file");
    }
    char *dir = nkx_path_dir(path);
    for (uint32_t i = 1; i < s->level; i++) {
        char *up = nkx_path_dir(dir);
        free(dir);
        dir = up;
    }
    bool ok = true;
    if (s->module == NULL) {
        const char *slash = strrchr(dir, '/');
        m = package_of(vm, dir, slash == NULL ? dir : slash + 1);
    } else {
        ok = walk_path(vm, dir, relative_prefix(vm, f->module, s->level), s->module->text, &root,
                       &m);
        if (ok && m == NULL) {
            ok = nkx_raise(vm, NKX_E220, "ModuleNotFoundError", "No module named '%.*s%s'",
                           (int)s->level, "....................", s->module->text);
            nkx_raise_hint(vm, "There is no %s.py, %s.nki or folder of that name in %s.",
                           s->module->text, s->module->text, shown_path(vm, dir));
        }
    }
    free(dir);
    if (!ok) return false;
    *out = nkx_ref(nkx_of(m));
    return true;
}

/* ---- importlib ---- */

bool nkx_import_named(nkx_vm *vm, const char *name, const char *package, nkx_value *out)
{
    nkx_value root = NKX_UNSET;
    size_t level = strspn(name, ".");
    *out = NKX_UNSET;
    if (level == 0) {
        if (!import_absolute(vm, vm->frame, name, &root, out)) return false;
        nkx_drop(root);
        return true;
    }
    nkx_module_obj *m = NULL;
    for (size_t i = 0; i < vm->modules.n; i++) {
        nkx_module_obj *k = NKX_AS(nkx_module_obj, vm->modules.at[i]);
        if (strcmp(k->name->text, package) == 0 && (k->path != NULL || k->dir != NULL)) m = k;
    }
    if (m == NULL) {
        return nkx_raise(vm, NKX_E220, "ModuleNotFoundError", "No module named '%s'", package);
    }
    nkx_import_node s = {.level = (uint32_t)level,
                         .module = name[level] == '\0' ? NULL : nkx_intern(vm, name + level)};
    nkx_frame f = {.vm = vm, .module = m};
    return import_relative(vm, &f, &s, out);
}

bool nkx_module_exists(nkx_vm *vm, const char *dotted)
{
    if (put_by_program(vm, dotted).type != NKX_V_UNSET || nkx_module_find(dotted) != NULL)
        return true;
    char *rel = nkx_arena_str(&vm->arena, dotted, strlen(dotted));
    for (char *c = rel; *c != '\0'; c++) {
        if (*c == '.') *c = '/';
    }
    const nkx_module_obj *from = vm->frame == NULL ? NULL : vm->frame->module;
    NKX_VEC(char *) dirs = {0};
    if (from != NULL && from->path != NULL) {
        nkx_push(&dirs, nkx_path_dir(from->path));
        nkx_push(&dirs, package_root(from->path));
    }
    for (size_t i = 0; i < vm->o.n_path; i++)
        nkx_push(&dirs, nkx_dup(vm->o.path[i], strlen(vm->o.path[i]) + 1));
    bool found = false;
    for (size_t i = 0; i < dirs.n; i++) {
        char *file = find_file(dirs.at[i], rel, strlen(rel));
        char *dir = find_dir(dirs.at[i], rel, strlen(rel));
        found |= file != NULL || dir != NULL;
        free(file);
        free(dir);
        free(dirs.at[i]);
    }
    free((void *)dirs.at);
    return found;
}

/* ---- statements ---- */

/* Which of the two dialects a module is written in. */
static void note_dialect(nkx_module_obj *m, const char *name)
{
    if (strcmp(name, "nki") == 0 || strncmp(name, "nki.", 4) == 0) m->new_dialect = true;
    if (strncmp(name, "neuronxcc.nki", 13) == 0 && strcmp(name, "neuronxcc.nki.typing") != 0) {
        m->old_dialect = true;
    }
}

bool nkx_exec_import(nkx_frame *f, const nkx_import_node *s)
{
    for (uint32_t i = 0; i < s->n_names; i++) {
        const nkx_alias *a = &s->names[i];
        nkx_value root, m;
        f->at = &s->base;
        note_dialect(f->module, a->name->text);
        if (!import_absolute(f->vm, f, a->name->text, &root, &m)) return false;
        bool ok = nkx_assign_name(f, a->scope, a->slot, a->bound, a->asname != NULL ? m : root);
        nkx_drop(root);
        nkx_drop(m);
        if (!ok) return false;
    }
    return true;
}

static bool missing_name(nkx_vm *vm, const nkx_module_obj *m, const nkx_name *name)
{
    if (m->loading) {
        nkx_raise(vm, NKX_E222, "ImportError",
                  "cannot import name '%s' from partially initialized module '%s'", name->text,
                  m->name->text);
        nkx_raise_hint(
            vm,
            "'%s' is still being run: it imports, directly or through others, the module that "
            "imports it here.",
            m->path == NULL ? m->name->text : shown_path(vm, m->path));
        return false;
    }
    nkx_raise(vm, NKX_E221, "ImportError", "cannot import name '%s' from '%s'", name->text,
              m->name->text);
    NKX_VEC(const char *) names = {0};
    for (uint32_t i = 0; i < m->globals.n; i++) {
        if (m->globals.values[i].type != NKX_V_UNSET) nkx_push(&names, m->globals.names[i]->text);
    }
    const char *near = nkx_nearest(name->text, names.at, names.n);
    if (near != NULL) nkx_raise_hint(vm, "Did you mean '%s'?", near);
    free((void *)names.at);
    return false;
}

/* A name of a module: what it defines, a submodule, or what its __init__ defines. Owned. */
static bool take_name(nkx_vm *vm, nkx_value mv, const nkx_name *name, nkx_value *out)
{
    nkx_module_obj *sub, *m = NKX_AS(nkx_module_obj, mv);
    if (!nkx_find_attr(vm, mv, name, out)) return false;
    if (out->type != NKX_V_UNSET) return true;
    if (m->def != NULL) { /* `from nki import language` */
        char *dotted = nkx_arena_printf(&vm->arena, "%s.%s", m->name->text, name->text);
        const nkx_module_def *def = nkx_module_find(dotted);
        if (def != NULL) {
            if (!load_builtin(vm, def, &sub)) return false;
            *out = nkx_ref(nkx_of(sub));
            return true;
        }
    }
    if (m->is_package) {
        if (!find_submodule(vm, m->dir, m->name->text, name->text, name->len, &sub)) return false;
        if (sub != NULL) {
            nkx_module_set_name(m, name, nkx_of(sub));
            *out = nkx_ref(nkx_of(sub));
            return true;
        }
        if (!run_init(vm, m) || !nkx_find_attr(vm, mv, name, out)) return false;
        if (out->type != NKX_V_UNSET) return true;
    }
    if (nkx_newer_name(vm, mv, name) > 0) {
        nkx_raise_newer(vm, "ImportError", mv, name);
        return false;
    }
    return missing_name(vm, m, name);
}

static bool is_public(const nkx_module_obj *m, const nkx_vm *vm, uint32_t i)
{
    const nkx_name *name = m->globals.names[i];
    nkx_value all = nkx_attrs_get(&m->globals, vm->id.d_all);
    if (all.type != NKX_V_LIST) return name->text[0] != '_';
    for (uint32_t k = 0; k < NKX_AS(nkx_list, all)->n; k++) {
        if (nkx_str_is(NKX_AS(nkx_list, all)->at[k], name->text)) return true;
    }
    return false;
}

static bool import_star(nkx_frame *f, nkx_value mv)
{
    nkx_vm *vm = f->vm;
    nkx_module_obj *m = NKX_AS(nkx_module_obj, mv);
    if (m->is_package && !run_init(vm, m)) return false;
    if (m->def != NULL && m->def->stdlib != NULL && !m->stdlib_loaded &&
        !nkx_module_load_stdlib(vm, m)) {
        return false;
    }
    for (uint32_t i = 0; i < m->globals.n; i++) {
        if (m->globals.values[i].type == NKX_V_UNSET || !is_public(m, vm, i)) continue;
        nkx_module_set_name(f->module, m->globals.names[i], m->globals.values[i]);
    }
    return true;
}

static bool import_names(nkx_frame *f, const nkx_import_node *s, nkx_value m)
{
    for (uint32_t i = 0; i < s->n_names; i++) {
        const nkx_alias *a = &s->names[i];
        nkx_value v;
        bool ok;
        if (strcmp(a->name->text, "*") == 0) {
            if (nkx_is_placeholder(m)) continue;
            if (!import_star(f, m)) return false;
            continue;
        }
        if (nkx_is_placeholder(m)) {
            ok = nkx_find_attr(f->vm, m, a->name, &v);
        } else {
            ok = take_name(f->vm, m, a->name, &v);
        }
        if (!ok) return false;
        ok = nkx_assign_name(f, a->scope, a->slot, a->bound, v);
        nkx_drop(v);
        if (!ok) return false;
    }
    return true;
}

bool nkx_exec_import_from(nkx_frame *f, const nkx_import_node *s)
{
    nkx_value root = NKX_UNSET, m;
    if (s->level == 0 && strcmp(s->module->text, "__future__") == 0) return true;
    if (s->level == 0) note_dialect(f->module, s->module->text);
    bool ok = s->level > 0 ? import_relative(f->vm, f, s, &m)
                           : import_absolute(f->vm, f, s->module->text, &root, &m);
    if (!ok) return false;
    ok = import_names(f, s, m);
    nkx_drop(root);
    nkx_drop(m);
    return ok;
}
