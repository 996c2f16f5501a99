/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One walk over the tree: notes every use and binding of a name in its scope (scope.c settles them
 * at the end), numbers constants and call sites, and reports statements that stand where they
 * cannot. Layer syntax. The order of the walk is that of CPython's symbol table: defaults,
 * decorators and annotations belong to the scope around a function, the first iterable of a
 * comprehension to the scope around that.
 */
#include "grammar/resolve.h"
#include "grammar/scope.h"

#include <stdarg.h>
#include <string.h>

#define AS(T) ((T *)(void *)n)

nkx_diag *nkx_resolve_error(nkx_resolver *r, nkx_code code, nkx_span span, const char *fmt, ...)
{
    nkx_buf text = {0};
    va_list ap;
    va_start(ap, fmt);
    nkx_buf_vprintf(&text, fmt, ap);
    va_end(ap);
    nkx_diag *g = nkx_diag_add(r->diags, code, span, "SyntaxError: %s", text.at);
    nkx_buf_fini(&text);
    if (nkx_diag_stops(g)) r->failed = true;
    return g;
}

static void expression(nkx_resolver *r, nkx_node *n);
static void statement(nkx_resolver *r, nkx_node *n);

static void expressions(nkx_resolver *r, const nkx_nodes *list)
{
    for (uint32_t i = 0; i < list->n; i++) expression(r, list->at[i]);
}

static void block(nkx_resolver *r, const nkx_nodes *list)
{
    for (uint32_t i = 0; i < list->n; i++) statement(r, list->at[i]);
}

/* ---- names ---- */

static bool is_frame(const nkx_scope_info *s)
{
    return s->kind == NKX_IN_FUNCTION;
}

static nkx_symbol *use(nkx_resolver *r, const nkx_name *name, nkx_span span)
{
    nkx_symbol *sym = nkx_scope_symbol(r, r->scope, name, span);
    sym->used = true;
    return sym;
}

static nkx_symbol *bind(nkx_resolver *r, const nkx_name *name, nkx_span span)
{
    nkx_symbol *sym = nkx_scope_symbol(r, r->scope, name, span);
    nkx_scope_bind(r->scope, sym);
    return sym;
}

/* A name that a statement binds other than by a target: def, class, import, except. */
static void bind_at(nkx_resolver *r, const nkx_name *name, nkx_span span, uint8_t *scope,
                    uint32_t *slot)
{
    nkx_scope_refer(r, bind(r, name, span), scope, slot, NULL);
}

static void name_node(nkx_resolver *r, nkx_name_node *n)
{
    nkx_symbol *sym =
        n->ctx == NKX_LOAD ? use(r, n->id, n->base.span) : bind(r, n->id, n->base.span);
    if (n->ctx == NKX_STORE && r->scope->kind == NKX_IN_COMPREHENSION) sym->is_iteration = true;
    nkx_scope_refer(r, sym, &n->scope, &n->slot, NULL);
}

static void late_declaration(nkx_resolver *r, const nkx_symbol *sym, nkx_span span,
                             const char *what)
{
    if (sym->is_param) {
        (void)nkx_resolve_error(r, NKX_E123, span, "name '%s' is parameter and %s", sym->name->text,
                                what);
    } else if (sym->annotated) {
        (void)nkx_resolve_error(r, NKX_E123, span, "annotated name '%s' can't be %s",
                                sym->name->text, what);
    } else if (sym->used) {
        (void)nkx_resolve_error(r, NKX_E123, span, "name '%s' is used prior to %s declaration",
                                sym->name->text, what);
    } else if (sym->bound) {
        (void)nkx_resolve_error(r, NKX_E123, span, "name '%s' is assigned to before %s declaration",
                                sym->name->text, what);
    }
}

static void declaration(nkx_resolver *r, const nkx_names_stmt *n)
{
    bool is_global = n->base.kind == NKX_GLOBAL;
    const char *what = is_global ? "global" : "nonlocal";
    if (!is_global && r->scope->kind == NKX_IN_MODULE) {
        (void)nkx_resolve_error(r, NKX_E123, n->base.span,
                                "nonlocal declaration not allowed at module level");
        return;
    }
    for (uint32_t i = 0; i < n->n; i++) {
        nkx_symbol *sym = nkx_scope_symbol(r, r->scope, n->names[i], n->base.span);
        late_declaration(r, sym, n->base.span, what);
        if (is_global) {
            sym->is_global = true;
        } else {
            sym->is_nonlocal = true;
        }
        if (sym->is_global && sym->is_nonlocal) {
            (void)nkx_resolve_error(r, NKX_E123, n->base.span, "name '%s' is nonlocal and global",
                                    sym->name->text);
        }
    }
}

/* ---- functions ---- */

static void annotations(nkx_resolver *r, const nkx_params *p)
{
    for (uint32_t i = 0; i < p->n_pos + p->n_kwonly; i++) expression(r, p->at[i].annotation);
    if (p->vararg != NULL) expression(r, p->vararg->annotation);
    if (p->kwarg != NULL) expression(r, p->kwarg->annotation);
}

static void defaults(nkx_resolver *r, const nkx_params *p)
{
    for (uint32_t i = 0; i < p->n_pos + p->n_kwonly; i++) expression(r, p->at[i].dflt);
}

static void param(nkx_resolver *r, nkx_param *p)
{
    nkx_symbol *sym = nkx_scope_symbol(r, r->scope, p->name, p->span);
    if (sym->is_param) {
        (void)nkx_resolve_error(r, NKX_E117, p->span,
                                "duplicate argument '%s' in function definition", p->name->text);
    }
    nkx_scope_bind(r->scope, sym);
    sym->is_param = true;
    nkx_scope_refer(r, sym, NULL, &p->slot, &p->is_cell);
}

static void enter_function(nkx_resolver *r, nkx_params *p, nkx_frame_info *frame)
{
    (void)nkx_scope_enter(r, NKX_IN_FUNCTION, frame);
    for (uint32_t i = 0; i < p->n_pos + p->n_kwonly; i++) param(r, &p->at[i]);
    if (p->vararg != NULL) param(r, p->vararg);
    if (p->kwarg != NULL) param(r, p->kwarg);
}

static void function_def(nkx_resolver *r, nkx_function_def *n)
{
    expressions(r, &n->decorators);
    defaults(r, &n->params);
    annotations(r, &n->params);
    expression(r, n->returns);
    bind_at(r, n->name, n->name_span, &n->scope, &n->slot);
    enter_function(r, &n->params, &n->frame);
    block(r, &n->body);
    nkx_scope_leave(r);
}

static void lambda(nkx_resolver *r, nkx_lambda *n)
{
    defaults(r, &n->params);
    enter_function(r, &n->params, &n->frame);
    expression(r, n->body);
    nkx_scope_leave(r);
}

static void keywords(nkx_resolver *r, const nkx_keyword *k, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) expression(r, k[i].value);
}

static void class_def(nkx_resolver *r, nkx_class_def *n)
{
    expressions(r, &n->decorators);
    expressions(r, &n->bases);
    keywords(r, n->keywords, n->n_keywords);
    bind_at(r, n->name, n->name_span, &n->scope, &n->slot);
    (void)nkx_scope_enter(r, NKX_IN_CLASS, NULL);
    block(r, &n->body);
    nkx_scope_leave(r);
}

/* ---- comprehensions ---- */

static void iterable(nkx_resolver *r, nkx_node *iter)
{
    nkx_scope_info *s = r->scope;
    s->iterables++;
    expression(r, iter);
    s->iterables--;
}

static void comprehension(nkx_resolver *r, nkx_comprehension *n)
{
    /* The first iterable is evaluated outside: nothing of the inner scope is seen there. */
    r->scope->iterables++;
    expression(r, n->fors[0].iter);
    r->scope->iterables--;
    nkx_scope_info *s = nkx_scope_enter(r, NKX_IN_COMPREHENSION, &n->frame);
    const nkx_name *zero = nkx_names_get(r->names, ".0", 2);
    nkx_scope_bind(s, nkx_scope_symbol(r, s, zero, n->base.span));
    for (uint32_t i = 0; i < n->n_fors; i++) {
        if (i > 0) iterable(r, n->fors[i].iter);
        expression(r, n->fors[i].target);
        expressions(r, &n->fors[i].ifs);
    }
    expression(r, n->elt);
    expression(r, n->value);
    nkx_scope_leave(r);
}

/* Inside a comprehension `:=` binds in the scope around all comprehensions. */
static nkx_symbol *walrus_symbol(nkx_resolver *r, const nkx_name_node *n)
{
    nkx_span span = n->base.span;
    nkx_scope_info *s = r->scope;
    for (; s->kind == NKX_IN_COMPREHENSION; s = s->parent) {
        const nkx_symbol *here = nkx_scope_symbol(r, s, n->id, span);
        if (here->is_iteration) {
            (void)nkx_resolve_error(
                r, NKX_E115, span,
                "assignment expression cannot rebind comprehension iteration variable '%s'",
                n->id->text);
            return NULL;
        }
    }
    if (s->kind == NKX_IN_CLASS) {
        (void)nkx_resolve_error(
            r, NKX_E115, span,
            "assignment expression within a comprehension cannot be used in a class body");
        return NULL;
    }
    nkx_symbol *sym = nkx_scope_symbol(r, s, n->id, span);
    nkx_scope_bind(s, sym);
    if (s->kind == NKX_IN_MODULE || sym->is_global) {
        for (nkx_scope_info *c = r->scope; c != s; c = c->parent) {
            nkx_scope_symbol(r, c, n->id, span)->is_global = true;
        }
    }
    return nkx_scope_symbol(r, r->scope, n->id, span);
}

static void named_expr(nkx_resolver *r, nkx_named_expr *n)
{
    nkx_name_node *target = (nkx_name_node *)(void *)n->target;
    expression(r, n->value);
    if (r->scope->iterables > 0) {
        (void)nkx_resolve_error(
            r, NKX_E115, n->base.span,
            "assignment expression cannot be used in a comprehension iterable expression");
    }
    if (r->scope->kind != NKX_IN_COMPREHENSION) {
        expression(r, n->target);
        return;
    }
    nkx_symbol *sym = walrus_symbol(r, target);
    if (sym != NULL) nkx_scope_refer(r, sym, &target->scope, &target->slot, NULL);
}

/* ---- expressions ---- */

static void yield(nkx_resolver *r, nkx_yield *n)
{
    expression(r, n->value);
    if (n->base.kind == NKX_AWAIT) return; /* refused by the parser, or asked to be let through */
    if (r->scope->kind == NKX_IN_COMPREHENSION) {
        (void)nkx_resolve_error(r, NKX_E121, n->base.span, "'yield' inside a comprehension");
    } else if (!is_frame(r->scope)) {
        (void)nkx_resolve_error(r, NKX_E121, n->base.span, "'yield' outside function");
    } else {
        r->scope->frame->is_generator = true;
    }
}

static void call(nkx_resolver *r, nkx_call_node *n)
{
    expression(r, n->func);
    expressions(r, &n->args);
    keywords(r, n->keywords, n->n_keywords);
    n->cache = r->m->n_caches++;
}

static void expression(nkx_resolver *r, nkx_node *n)
{
    if (n == NULL) return;
    switch ((nkx_kind)n->kind) {
    case NKX_NAME: name_node(r, AS(nkx_name_node)); break;
    case NKX_CONSTANT: AS(nkx_constant)->pool = r->m->n_consts++; break;
    case NKX_ATTRIBUTE:
        expression(r, AS(nkx_attribute)->value);
        AS(nkx_attribute)->cache = r->m->n_caches++;
        break;
    case NKX_CALL: call(r, AS(nkx_call_node)); break;
    case NKX_SUBSCRIPT:
        expression(r, AS(nkx_subscript)->value);
        expression(r, AS(nkx_subscript)->slice);
        break;
    case NKX_BIN_OP:
        expression(r, AS(nkx_bin_op)->left);
        expression(r, AS(nkx_bin_op)->right);
        break;
    case NKX_UNARY_OP: expression(r, AS(nkx_unary_op)->operand); break;
    case NKX_BOOL_OP: expressions(r, &AS(nkx_bool_op)->values); break;
    case NKX_COMPARE:
        expression(r, AS(nkx_compare)->left);
        expressions(r, &AS(nkx_compare)->rights);
        break;
    case NKX_IF_EXP:
        expression(r, AS(nkx_if_exp)->test);
        expression(r, AS(nkx_if_exp)->body);
        expression(r, AS(nkx_if_exp)->orelse);
        break;
    case NKX_NAMED_EXPR: named_expr(r, AS(nkx_named_expr)); break;
    case NKX_LAMBDA: lambda(r, AS(nkx_lambda)); break;
    case NKX_COMPREHENSION: comprehension(r, AS(nkx_comprehension)); break;
    case NKX_LIST:
    case NKX_TUPLE:
    case NKX_SET: expressions(r, &AS(nkx_seq)->elts); break;
    case NKX_DICT:
        expressions(r, &AS(nkx_dict_node)->keys);
        expressions(r, &AS(nkx_dict_node)->values);
        break;
    case NKX_SLICE:
        expression(r, AS(nkx_slice_node)->lower);
        expression(r, AS(nkx_slice_node)->upper);
        expression(r, AS(nkx_slice_node)->step);
        break;
    case NKX_STARRED: expression(r, AS(nkx_starred)->value); break;
    case NKX_JOINED_STR: expressions(r, &AS(nkx_joined)->values); break;
    case NKX_FORMATTED:
        expression(r, AS(nkx_formatted)->value);
        expression(r, AS(nkx_formatted)->spec);
        break;
    case NKX_AWAIT:
    case NKX_YIELD:
    case NKX_YIELD_FROM: yield(r, AS(nkx_yield)); break;
    default: nkx_unreachable();
    }
}

/* ---- statements ---- */

static void ann_assign(nkx_resolver *r, nkx_ann_assign *n)
{
    if (n->target->kind == NKX_NAME && (n->simple || n->value != NULL)) {
        nkx_name_node *name = (nkx_name_node *)(void *)n->target;
        nkx_symbol *sym = nkx_scope_symbol(r, r->scope, name->id, name->base.span);
        if ((sym->is_global || sym->is_nonlocal) && r->scope->kind != NKX_IN_MODULE && n->simple) {
            (void)nkx_resolve_error(r, NKX_E123, n->base.span, "annotated name '%s' can't be %s",
                                    name->id->text, sym->is_global ? "global" : "nonlocal");
        }
        sym->annotated = n->simple;
        expression(r, n->target);
    } else if (n->target->kind != NKX_NAME) {
        expression(r, n->target);
    }
    expression(r, n->annotation);
    expression(r, n->value);
}

static void import(nkx_resolver *r, nkx_import_node *n)
{
    for (uint32_t i = 0; i < n->n_names; i++) {
        nkx_alias *a = &n->names[i];
        if (a->name->len == 1 && a->name->text[0] == '*') {
            if (r->scope->kind != NKX_IN_MODULE) {
                (void)nkx_resolve_error(r, NKX_E126, n->base.span,
                                        "import * only allowed at module level");
            }
            continue;
        }
        a->bound = a->asname;
        if (a->bound == NULL) {
            const char *dot = memchr(a->name->text, '.', a->name->len);
            size_t len = dot != NULL ? (size_t)(dot - a->name->text) : a->name->len;
            a->bound = dot != NULL ? nkx_names_get(r->names, a->name->text, len) : a->name;
        }
        bind_at(r, a->bound, a->span, &a->scope, &a->slot);
    }
}

static void loop_body(nkx_resolver *r, const nkx_nodes *body, const nkx_nodes *orelse)
{
    r->scope->loops++;
    block(r, body);
    r->scope->loops--;
    block(r, orelse);
}

static void try_stmt(nkx_resolver *r, nkx_try *n)
{
    block(r, &n->body);
    for (uint32_t i = 0; i < n->n_handlers; i++) {
        nkx_handler *h = &n->handlers[i];
        expression(r, h->type);
        if (h->name != NULL) bind_at(r, h->name, h->span, &h->scope, &h->slot);
        block(r, &h->body);
    }
    block(r, &n->orelse);
    block(r, &n->finalbody);
}

static void with(nkx_resolver *r, nkx_with *n)
{
    for (uint32_t i = 0; i < n->n_items; i++) {
        expression(r, n->items[i].context);
        expression(r, n->items[i].target);
    }
    block(r, &n->body);
}

static void return_stmt(nkx_resolver *r, nkx_value_stmt *n)
{
    expression(r, n->value);
    if (!is_frame(r->scope)) {
        (void)nkx_resolve_error(r, NKX_E121, n->base.span, "'return' outside function");
    }
}

static void loop_exit(nkx_resolver *r, const nkx_node *n)
{
    if (r->scope->loops > 0) return;
    (void)nkx_resolve_error(r, NKX_E122, n->span, "%s",
                            n->kind == NKX_BREAK ? "'break' outside loop"
                                                 : "'continue' not properly in loop");
}

static void statement(nkx_resolver *r, nkx_node *n)
{
    switch ((nkx_kind)n->kind) {
    case NKX_FUNCTION_DEF: function_def(r, AS(nkx_function_def)); break;
    case NKX_CLASS_DEF: class_def(r, AS(nkx_class_def)); break;
    case NKX_RETURN: return_stmt(r, AS(nkx_value_stmt)); break;
    case NKX_EXPR_STMT: expression(r, AS(nkx_value_stmt)->value); break;
    case NKX_DELETE: expressions(r, &AS(nkx_delete)->targets); break;
    case NKX_ASSIGN:
        expression(r, AS(nkx_assign)->value);
        expressions(r, &AS(nkx_assign)->targets);
        break;
    case NKX_AUG_ASSIGN:
        expression(r, AS(nkx_aug_assign)->target);
        expression(r, AS(nkx_aug_assign)->value);
        break;
    case NKX_ANN_ASSIGN: ann_assign(r, AS(nkx_ann_assign)); break;
    case NKX_FOR:
        expression(r, AS(nkx_for)->target);
        expression(r, AS(nkx_for)->iter);
        loop_body(r, &AS(nkx_for)->body, &AS(nkx_for)->orelse);
        break;
    case NKX_WHILE:
        expression(r, AS(nkx_if)->test);
        loop_body(r, &AS(nkx_if)->body, &AS(nkx_if)->orelse);
        break;
    case NKX_IF:
        expression(r, AS(nkx_if)->test);
        block(r, &AS(nkx_if)->body);
        block(r, &AS(nkx_if)->orelse);
        break;
    case NKX_WITH: with(r, AS(nkx_with)); break;
    case NKX_RAISE:
        expression(r, AS(nkx_raise_node)->exc);
        expression(r, AS(nkx_raise_node)->cause);
        break;
    case NKX_TRY: try_stmt(r, AS(nkx_try)); break;
    case NKX_ASSERT_STMT:
        expression(r, AS(nkx_assert)->test);
        expression(r, AS(nkx_assert)->msg);
        break;
    case NKX_IMPORT:
    case NKX_IMPORT_FROM: import(r, AS(nkx_import_node)); break;
    case NKX_GLOBAL:
    case NKX_NONLOCAL: declaration(r, AS(nkx_names_stmt)); break;
    case NKX_BREAK:
    case NKX_CONTINUE: loop_exit(r, n); break;
    case NKX_PASS:
    case NKX_UNSUPPORTED_STMT: break;
    default: nkx_unreachable();
    }
}

/* ---- __future__ ---- */

static bool is_future(const nkx_node *n)
{
    if (n->kind != NKX_IMPORT_FROM) return false;
    const nkx_import_node *m = (const nkx_import_node *)(const void *)n;
    return m->level == 0 && m->module != NULL && strcmp(m->module->text, "__future__") == 0;
}

static void check_features(nkx_resolver *r, const nkx_import_node *m)
{
    static const char *const features[] = {
        "annotations",     "generator_stop", "nested_scopes",  "generators",       "division",
        "absolute_import", "with_statement", "print_function", "unicode_literals",
    };
    for (uint32_t i = 0; i < m->n_names; i++) {
        bool known = false;
        for (size_t j = 0; j < NKX_COUNT(features); j++) {
            known = known || strcmp(features[j], m->names[i].name->text) == 0;
        }
        if (known) continue;
        (void)nkx_resolve_error(r, NKX_E130, m->names[i].span, "future feature %s is not defined",
                                m->names[i].name->text);
    }
}

/* `from __future__` comes first: only the docstring and its like may stand before it. */
static void check_futures(nkx_resolver *r)
{
    bool begun = false, docstring = r->m->docstring != NULL;
    for (uint32_t i = 0; i < r->m->body.n; i++) {
        const nkx_node *n = r->m->body.at[i];
        if (!is_future(n)) {
            begun = begun || i > 0 || !docstring;
            continue;
        }
        check_features(r, (const nkx_import_node *)(const void *)n);
        if (begun) {
            (void)nkx_resolve_error(
                r, NKX_E130, n->span,
                "from __future__ imports must occur at the beginning of the file");
        }
    }
}

/* ---- entry ---- */

uint32_t nkx_global_slot(nkx_global_names *globals, const nkx_name *name)
{
    for (size_t i = 0; i < globals->n; i++) {
        if (globals->at[i] == name) return (uint32_t)i;
    }
    nkx_push(globals, name);
    return (uint32_t)globals->n - 1;
}

bool nkx_resolve(nkx_module_ast *m, nkx_global_names *globals, nkx_names *names, nkx_diags *diags)
{
    nkx_resolver r = {.m = m, .globals = globals, .names = names, .diags = diags};
    nkx_arena_init(&r.scratch);
    size_t n_names = nkx_names_count(names);
    nkx_vec_reserve(&r.slot_of, n_names);
    if (n_names) memset(r.slot_of.at, 0, n_names * sizeof *r.slot_of.at);
    r.slot_of.n = n_names;
    for (size_t i = 0; i < globals->n; i++) r.slot_of.at[globals->at[i]->id] = (uint32_t)i + 1;

    check_futures(&r);
    (void)nkx_scope_enter(&r, NKX_IN_MODULE, NULL);
    block(&r, &m->body);
    nkx_scopes_settle(&r);
    m->n_globals = (uint32_t)globals->n;
    m->global_names = NKX_ARENA_ARRAY(m->arena, const nkx_name *, globals->n);
    for (size_t i = 0; i < globals->n; i++) m->global_names[i] = globals->at[i];
    nkx_scopes_fini(&r);
    return !r.failed;
}
