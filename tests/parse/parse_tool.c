/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses and resolves files, for comparison with CPython and for measuring.
 *
 *   parse_tool --tree FILE     the tree as an S-expression, as `nkx parse`
 *   parse_tool --json FILE     the tree, as `nkx parse --json`
 *   parse_tool --scopes FILE   one line a function: name, line, locals, cells, free names
 *   parse_tool --time FILE...  bytes and processor seconds of parsing and resolving, on stderr
 */
#include "grammar/parse.h"
#include "grammar/resolve.h"
#include "interp/base/file.h"
#include "interp/base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AS(T) ((const T *)(const void *)n)

typedef struct scopes {
    nkx_sources *sources;
    nkx_buf *out;
} scopes;

static void walk(scopes *s, const nkx_node *n);

static void walk_all(scopes *s, const nkx_nodes *list)
{
    for (uint32_t i = 0; i < list->n; i++) walk(s, list->at[i]);
}

static void show_frame(scopes *s, const char *name, nkx_span at, const nkx_frame_info *f)
{
    uint32_t line, col;
    nkx_source_locate(s->sources, at.source, at.begin, &line, &col);
    nkx_json j = {.out = s->out};
    nkx_json_begin(&j, '[');
    nkx_json_str(&j, name);
    nkx_json_int(&j, line);
    for (int cells = 0; cells < 2; cells++) {
        nkx_json_begin(&j, '[');
        for (uint32_t i = 0; i < f->n_slots; i++) {
            if (!cells || f->slot_is_cell[i]) nkx_json_str(&j, f->slot_names[i]->text);
        }
        nkx_json_end(&j, ']');
    }
    nkx_json_begin(&j, '[');
    for (uint32_t i = 0; i < f->n_free; i++) nkx_json_str(&j, f->captures[i].name->text);
    nkx_json_end(&j, ']');
    nkx_json_int(&j, f->is_generator);
    nkx_json_end(&j, ']');
    nkx_buf_char(s->out, '\n');
}

static void walk_params(scopes *s, const nkx_params *p)
{
    for (uint32_t i = 0; i < p->n_pos + p->n_kwonly; i++) walk(s, p->at[i].dflt);
}

static void walk_function(scopes *s, const nkx_function_def *f)
{
    nkx_span at = f->decorators.n > 0 ? f->decorators.at[0]->span : f->base.span;
    walk_all(s, &f->decorators);
    walk_params(s, &f->params);
    show_frame(s, f->name->text, at, &f->frame);
    walk_all(s, &f->body);
}

static void walk_comprehension(scopes *s, const nkx_comprehension *c)
{
    static const char *const names[] = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"};
    show_frame(s, names[c->what], c->base.span, &c->frame);
    walk(s, c->elt);
    walk(s, c->value);
    for (uint32_t i = 0; i < c->n_fors; i++) {
        walk(s, c->fors[i].iter);
        walk_all(s, &c->fors[i].ifs);
    }
}

static void walk_call(scopes *s, const nkx_call_node *c)
{
    walk(s, c->func);
    walk_all(s, &c->args);
    for (uint32_t i = 0; i < c->n_keywords; i++) walk(s, c->keywords[i].value);
}

static void walk_try(scopes *s, const nkx_try *t)
{
    walk_all(s, &t->body);
    for (uint32_t i = 0; i < t->n_handlers; i++) walk_all(s, &t->handlers[i].body);
    walk_all(s, &t->orelse);
    walk_all(s, &t->finalbody);
}

static void walk_with(scopes *s, const nkx_with *w)
{
    for (uint32_t i = 0; i < w->n_items; i++) walk(s, w->items[i].context);
    walk_all(s, &w->body);
}

static void walk_lambda(scopes *s, const nkx_lambda *l)
{
    walk_params(s, &l->params);
    show_frame(s, "<lambda>", l->base.span, &l->frame);
    walk(s, l->body);
}

static void walk_class(scopes *s, const nkx_class_def *c)
{
    walk_all(s, &c->decorators);
    walk_all(s, &c->bases);
    walk_all(s, &c->body);
}

static void walk(scopes *s, const nkx_node *n)
{
    if (n == NULL) return;
    switch ((nkx_kind)n->kind) {
    case NKX_FUNCTION_DEF: walk_function(s, AS(nkx_function_def)); break;
    case NKX_CLASS_DEF: walk_class(s, AS(nkx_class_def)); break;
    case NKX_LAMBDA: walk_lambda(s, AS(nkx_lambda)); break;
    case NKX_COMPREHENSION: walk_comprehension(s, AS(nkx_comprehension)); break;
    case NKX_CALL: walk_call(s, AS(nkx_call_node)); break;
    case NKX_TRY: walk_try(s, AS(nkx_try)); break;
    case NKX_WITH: walk_with(s, AS(nkx_with)); break;
    case NKX_IF:
    case NKX_WHILE:
        walk(s, AS(nkx_if)->test);
        walk_all(s, &AS(nkx_if)->body);
        walk_all(s, &AS(nkx_if)->orelse);
        break;
    case NKX_FOR:
        walk(s, AS(nkx_for)->iter);
        walk_all(s, &AS(nkx_for)->body);
        walk_all(s, &AS(nkx_for)->orelse);
        break;
    case NKX_RETURN:
    case NKX_EXPR_STMT: walk(s, AS(nkx_value_stmt)->value); break;
    case NKX_ASSIGN: walk(s, AS(nkx_assign)->value); break;
    case NKX_ATTRIBUTE: walk(s, AS(nkx_attribute)->value); break;
    case NKX_BIN_OP:
        walk(s, AS(nkx_bin_op)->left);
        walk(s, AS(nkx_bin_op)->right);
        break;
    case NKX_BOOL_OP: walk_all(s, &AS(nkx_bool_op)->values); break;
    case NKX_LIST:
    case NKX_TUPLE: walk_all(s, &AS(nkx_seq)->elts); break;
    default: break; /* what is not looked into is not compared */
    }
}

typedef struct unit {
    nkx_sources *sources;
    nkx_names *names;
    nkx_diags diags;
    nkx_arena arena;
    nkx_global_names globals;
    nkx_module_ast *m;
} unit;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void begin(unit *u, const char *path, const nkx_buf *text)
{
    *u = (unit){.sources = nkx_sources_new(), .names = nkx_names_new()};
    nkx_diags_init(&u->diags, u->sources);
    nkx_arena_init(&u->arena);
    const nkx_source *src = nkx_sources_add(u->sources, path, text->at, text->len);
    u->m = nkx_parse(src, &u->arena, u->names, &u->diags);
    if (u->m != NULL && !nkx_resolve(u->m, &u->globals, u->names, &u->diags)) u->m = NULL;
}

static void end(unit *u)
{
    nkx_vec_fini(&u->globals);
    nkx_diags_fini(&u->diags);
    nkx_arena_fini(&u->arena);
    nkx_names_free(u->names);
    nkx_sources_free(u->sources);
}

static void show(unit *u, const char *mode, nkx_buf *out)
{
    if (u->m == NULL) {
        nkx_buf_str(out, "null\n");
    } else if (strcmp(mode, "--tree") == 0) {
        nkx_ast_dump(u->m, out);
    } else if (strcmp(mode, "--json") == 0) {
        nkx_ast_json(u->m, out);
    } else {
        scopes s = {u->sources, out};
        walk_all(&s, &u->m->body);
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    bool timing = strcmp(mode, "--time") == 0, failed = false;
    double seconds = 0;
    size_t bytes = 0;
    for (int i = 2; i < argc; i++) {
        nkx_buf text = {0}, out = {0};
        const char *why;
        nkx_buf_str(&text, "");
        if (!nkx_file_read(argv[i], 0, &text, &why)) {
            (void)fprintf(stderr, "%s: %s\n", argv[i], why);
            return 2;
        }
        unit u;
        double start = now();
        begin(&u, argv[i], &text);
        seconds += now() - start;
        bytes += text.len;
        failed = failed || u.m == NULL;
        if (!timing) {
            show(&u, mode, &out);
            if (out.len > 0) (void)fwrite(out.at, 1, out.len, stdout);
            nkx_buf_clear(&out);
            for (size_t k = 0; k < u.diags.n; k++) {
                nkx_diag_render(&u.diags, u.diags.list[k], false, &out);
            }
            if (out.len > 0) (void)fwrite(out.at, 1, out.len, stderr);
        }
        end(&u);
        nkx_buf_fini(&out);
        nkx_buf_fini(&text);
    }
    if (timing) {
        (void)fprintf(stderr, "%zu bytes, %.3f s, %.1f MB/s\n", bytes, seconds,
                      (double)bytes / seconds / 1e6);
    }
    return failed ? 1 : 0;
}
