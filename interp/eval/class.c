/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes: the class statement, lookup along the bases, making instances, and what `object` gives.
 * A class body runs in the frame around it, with a namespace of its own. Layer eval.
 */
#include "interp/eval/classes.h"

#include <stdlib.h>
#include <string.h>

/* ---- lookup ---- */

bool nkx_class_is(const nkx_class *c, const nkx_class *base)
{
    for (const nkx_class *k = c; k != NULL; k = k->super) {
        if (k == base) return true;
        for (uint32_t i = 0; i < k->n_extra; i++) {
            if (nkx_class_is(k->extra[i], base)) return true;
        }
    }
    return false;
}

nkx_value nkx_class_lookup(const nkx_class *c, const nkx_name *name)
{
    uint32_t i = 0;
    for (const nkx_class *k = c; k != NULL; k = nkx_class_next(c, k, &i)) {
        nkx_value v = nkx_attrs_get(&k->attrs, name);
        if (v.type != NKX_V_UNSET) return v;
    }
    return NKX_UNSET;
}

nkx_value nkx_class_lookup_behind(const nkx_class *c, const nkx_class *from, const nkx_name *name)
{
    uint32_t i = 0;
    bool behind = false;
    for (const nkx_class *k = c; k != NULL; k = nkx_class_next(c, k, &i)) {
        nkx_value v = behind ? nkx_attrs_get(&k->attrs, name) : NKX_UNSET;
        if (v.type != NKX_V_UNSET) return v;
        behind |= k == from;
    }
    return NKX_UNSET;
}

nkx_value nkx_instance_new(nkx_vm *vm, nkx_class *c)
{
    nkx_instance *x = nkx_obj_new(vm, NKX_V_INSTANCE, sizeof *x);
    x->cls = c;
    c->base.refs++;
    if (c->flags & NKX_CF_EXCEPTION) {
        x->exc = nkx_alloc(sizeof *x->exc);
        x->exc->args = nkx_tuple_new(vm, 0);
        x->exc->cause = x->exc->context = NKX_NONE;
        x->exc->code = NKX_E224;
    }
    return nkx_of(x);
}

nkx_class *nkx_class_new(nkx_vm *vm, const nkx_name *name, const char *qualname, nkx_class *base)
{
    nkx_class *c = nkx_obj_new(vm, NKX_V_CLASS, sizeof *c);
    c->name = name;
    c->qualname = qualname;
    c->super = base;
    if (base != NULL) base->base.refs++;
    return c;
}

nkx_value nkx_class_make(nkx_vm *vm, const char *name, nkx_class_id base,
                         const nkx_builtin *methods)
{
    const nkx_name *id = nkx_intern(vm, name);
    nkx_class *c = nkx_class_new(vm, id, id->text, vm->classes[base]);
    c->flags = vm->classes[base]->flags & ~NKX_CF_BUILTIN;
    for (; methods != NULL && methods->name != NULL; methods++) {
        nkx_attrs_set(&c->attrs, nkx_intern(vm, methods->name), nkx_builtin_value(methods));
    }
    return nkx_of(c);
}

/* ---- the class statement: bases ---- */

static bool bad_base(nkx_vm *vm, nkx_value b)
{
    if (b.type == NKX_V_TYPE) {
        return nkx_raise(vm, NKX_E231, "TypeError",
                         "deriving from the builtin type '%s' is not supported",
                         nkx_vtype_name((nkx_vtype)b.u.i));
    }
    return nkx_raise(vm, NKX_E231, "TypeError", "a base of a class must be a class, not '%s'",
                     nkx_type_name(b));
}

/* `class Color(str, Enum)`: the plain type says what members compare as. */
static bool mixin(nkx_value b, uint32_t *flags)
{
    if (b.type != NKX_V_TYPE) return false;
    if (b.u.i == NKX_V_INT) *flags |= NKX_CF_INTENUM;
    if (b.u.i == NKX_V_STR) *flags |= NKX_CF_STRENUM;
    return b.u.i == NKX_V_INT || b.u.i == NKX_V_STR;
}

static void add_base(nkx_class *c, nkx_class *b)
{
    b->base.refs++;
    if (c->super == NULL) {
        c->super = b;
        return;
    }
    c->extra = nkx_realloc((void *)c->extra, (c->n_extra + 1) * sizeof *c->extra);
    c->extra[c->n_extra++] = b;
}

/* ---- order of lookup: Python's C3 ---- */

typedef struct order {
    const nkx_class **at;
    uint32_t n, cap;
} order;

static void order_add(order *o, const nkx_class *c)
{
    if (o->n == o->cap) {
        o->cap = o->cap * 2 + 8;
        o->at = nkx_realloc((void *)o->at, o->cap * sizeof *o->at);
    }
    o->at[o->n++] = c;
}

static void order_of(const nkx_class *c, order *o)
{
    uint32_t i = 0;
    for (const nkx_class *k = c; k != NULL; k = nkx_class_next(c, k, &i)) order_add(o, k);
}

/* Does the class stand behind the head of any list? */
static bool in_a_tail(const order *lists, uint32_t n, const uint32_t *head, const nkx_class *c)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = head[i] + 1; k < lists[i].n; k++) {
            if (lists[i].at[k] == c) return true;
        }
    }
    return false;
}

/* Lists are the orders of the bases and the bases themselves; false where none can be had. */
static bool merge(const order *lists, uint32_t n, order *out)
{
    uint32_t *head = nkx_alloc(n * sizeof *head);
    bool ok = true;
    for (bool left = true; left && ok;) {
        const nkx_class *next = NULL;
        left = false;
        for (uint32_t i = 0; i < n && next == NULL; i++) {
            if (head[i] == lists[i].n) continue;
            left = true;
            if (!in_a_tail(lists, n, head, lists[i].at[head[i]])) next = lists[i].at[head[i]];
        }
        ok = !left || next != NULL;
        if (next == NULL) break;
        order_add(out, next);
        for (uint32_t i = 0; i < n; i++)
            head[i] += head[i] < lists[i].n && lists[i].at[head[i]] == next;
    }
    free(head);
    return ok;
}

static bool make_order(nkx_vm *vm, nkx_class *c)
{
    if (c->n_extra == 0 && c->super->mro == NULL) return true;
    uint32_t n = c->n_extra + 2;
    order *lists = nkx_alloc(n * sizeof *lists), out = {0};
    order_add(&out, c);
    order_of(c->super, &lists[0]);
    order_add(&lists[n - 1], c->super);
    for (uint32_t i = 0; i < c->n_extra; i++) {
        order_of(c->extra[i], &lists[i + 1]);
        order_add(&lists[n - 1], c->extra[i]);
    }
    bool ok = merge(lists, n, &out);
    for (uint32_t i = 0; i < n; i++) free((void *)lists[i].at);
    free(lists);
    if (ok) {
        c->mro = out.at;
        c->n_mro = out.n;
        return true;
    }
    free((void *)out.at);
    nkx_buf b = {0};
    nkx_buf_str(&b, c->super->name->text);
    for (uint32_t i = 0; i < c->n_extra; i++) nkx_buf_printf(&b, ", %s", c->extra[i]->name->text);
    nkx_raise(vm, NKX_E231, "TypeError",
              "Cannot create a consistent method resolution order (MRO) for bases %s", b.at);
    nkx_buf_fini(&b);
    return false;
}

static bool take_bases(nkx_frame *f, nkx_class *c, const nkx_value *at, uint32_t n)
{
    nkx_vm *vm = f->vm;
    uint32_t mixed = 0;
    for (uint32_t i = 0; i < n; i++) {
        nkx_value b = at[i];
        if (nkx_is_placeholder(b) ||
            (b.type == NKX_V_TYPE && n == 1)) { /* cannot be made, only named */
            nkx_drop(c->unit_base);
            c->unit_base = nkx_ref(b);
            continue;
        }
        if (n > 1 && mixin(b, &mixed)) continue;
        if (b.type != NKX_V_CLASS) return bad_base(vm, b);
        nkx_class *base = NKX_AS(nkx_class, b);
        if ((base->flags & NKX_CF_ENUM) && base->members.type == NKX_V_LIST &&
            NKX_AS(nkx_list, base->members)->n > 0) {
            return nkx_raise(vm, NKX_E231, "TypeError", "<enum '%s'> cannot be extended",
                             base->name->text);
        }
        add_base(c, base);
    }
    if (c->super == NULL) add_base(c, vm->classes[NKX_CLS_object]);
    if (!make_order(vm, c)) return false;
    uint32_t inherited = c->super->flags;
    for (uint32_t i = 0; i < c->n_extra; i++) inherited |= c->extra[i]->flags;
    c->flags = inherited & ~(NKX_CF_BUILTIN);
    if (c->flags & NKX_CF_ENUM) c->flags |= mixed;
    if (c->super->unit_base.type != NKX_V_UNSET && c->unit_base.type == NKX_V_UNSET) {
        c->unit_base = nkx_ref(c->super->unit_base);
    }
    return true;
}

static nkx_field *new_field(nkx_class *c, const nkx_name *name)
{
    for (uint32_t i = 0; i < c->n_all; i++) {
        if (c->fields[i].name == name) return &c->fields[i];
    }
    if (c->n_all == c->cap_fields) {
        c->cap_fields = c->cap_fields * 2 + 8;
        c->fields = nkx_realloc(c->fields, c->cap_fields * sizeof *c->fields);
    }
    nkx_field *fd = &c->fields[c->n_all++];
    *fd = (nkx_field){.name = name, .init = true, .repr = true, .compare = true};
    return fd;
}

static void inherit_fields(nkx_class *c)
{
    const nkx_class *b = c->super;
    for (uint32_t i = 0; i < b->n_fields; i++) {
        nkx_field *fd = new_field(c, b->fields[i].name);
        *fd = b->fields[i];
        nkx_ref(fd->dflt);
        nkx_ref(fd->factory);
    }
    c->n_fields = c->n_all;
}

/* ---- the class statement: body ---- */

static bool names_type(const nkx_node *n, const char *what)
{
    if (n == NULL) return false;
    if (n->kind == NKX_SUBSCRIPT) return names_type(NKX_NODE(nkx_subscript, n)->value, what);
    if (n->kind == NKX_NAME) return strcmp(NKX_NODE(nkx_name_node, n)->id->text, what) == 0;
    if (n->kind == NKX_ATTRIBUTE) return strcmp(NKX_NODE(nkx_attribute, n)->attr->text, what) == 0;
    return false;
}

void nkx_build_field(nkx_frame *f, const nkx_name *name, const nkx_node *annotation, nkx_value dflt,
                     nkx_span span)
{
    nkx_class *c = f->build->cls;
    if (names_type(annotation, "KW_ONLY")) {
        f->build->kw_only = true;
        return;
    }
    nkx_field *fd = new_field(c, name);
    nkx_value old = fd->dflt, old_factory = fd->factory;
    fd->span = span;
    fd->annotated = annotation != NULL || fd->annotated;
    fd->class_var = names_type(annotation, "ClassVar");
    fd->kw_only = f->build->kw_only;
    fd->dflt = NKX_UNSET;
    fd->factory = NKX_UNSET;
    if (!nkx_field_from_spec(dflt, fd)) fd->dflt = nkx_ref(dflt);
    nkx_drop(old);
    nkx_drop(old_factory);
}

void nkx_build_plain_field(nkx_frame *f, const nkx_name *name, nkx_value v)
{
    const nkx_class *c = f->build->cls;
    for (uint32_t i = 0; i < c->n_all; i++) {
        const nkx_field *fd = &c->fields[i];
        if (fd->name == name && fd->annotated && i >= c->n_fields)
            return; /* by its annotation already */
    }
    nkx_build_field(f, name, NULL, v, f->at->span);
}

bool nkx_is_field_value(const nkx_name *name, nkx_value v)
{
    switch (v.type) {
    case NKX_V_UNSET:
    case NKX_V_FUNCTION:
    case NKX_V_STATICMETHOD:
    case NKX_V_CLASSMETHOD:
    case NKX_V_PROPERTY:
    case NKX_V_CLASS:
    case NKX_V_BUILTIN:
    case NKX_V_MODULE: return false;
    default: return name->text[0] != '_' || name->text[1] != '_';
    }
}

static void own(nkx_class *c, nkx_value v)
{
    if (v.type == NKX_V_FUNCTION) {
        nkx_function *fn = NKX_AS(nkx_function, v);
        if (fn->owner == NULL && fn->node->span.source == c->node->base.span.source &&
            fn->node->span.begin >= c->node->base.span.begin &&
            fn->node->span.end <= c->node->base.span.end) {
            fn->owner = c;
        }
    } else if (v.type == NKX_V_PROPERTY || v.type == NKX_V_STATICMETHOD ||
               v.type == NKX_V_CLASSMETHOD) {
        own(c, NKX_AS(nkx_wrap, v)->func);
        own(c, NKX_AS(nkx_wrap, v)->setter);
        own(c, NKX_AS(nkx_wrap, v)->deleter);
    }
}

static const char *qualname_of(nkx_frame *f, const nkx_name *name)
{
    if (f->build == NULL) return name->text;
    return nkx_arena_printf(&f->unit->arena, "%s.%s", f->build->cls->qualname, name->text);
}

static void set_doc(nkx_frame *f, nkx_class *c, const nkx_class_def *def)
{
    const nkx_node *s = def->body.at[0];
    if (s->kind != NKX_EXPR_STMT) return;
    const nkx_node *v = NKX_NODE(nkx_value_stmt, s)->value;
    if (v->kind != NKX_CONSTANT || NKX_NODE(nkx_constant, v)->what != NKX_CONST_STR) return;
    nkx_value text =
        nkx_str_new(f->vm, NKX_NODE(nkx_constant, v)->text, NKX_NODE(nkx_constant, v)->len);
    nkx_attrs_set(&c->attrs, f->vm->id.d_doc, text);
    nkx_drop(text);
}

static bool run_body(nkx_frame *f, nkx_class *c, const nkx_class_def *def)
{
    nkx_class_build build = {.cls = c};
    nkx_attrs *ns = f->ns;
    nkx_class_build *outer = f->build;
    f->ns = &c->attrs;
    f->build = &build;
    nkx_flow flow = nkx_exec(f, &def->body);
    f->ns = ns;
    f->build = outer;
    return flow == NKX_FLOW_NEXT;
}

/* Keywords go to __init_subclass__ of the base; metaclass= is accepted and means nothing. */
static bool init_subclass(nkx_frame *f, nkx_class *c)
{
    nkx_vm *vm = f->vm;
    nkx_value hook = nkx_class_lookup_behind(c, c, vm->id.d_init_subclass), r;
    if (hook.type == NKX_V_CLASSMETHOD) hook = NKX_AS(nkx_wrap, hook)->func;
    if (hook.type != NKX_V_FUNCTION) return true;
    const nkx_class_def *def = c->node;
    nkx_value *at = nkx_alloc((def->n_keywords + 1) * sizeof *at);
    const nkx_name **kw = nkx_alloc((def->n_keywords + 1) * sizeof *kw);
    nkx_args a = {.at = at, .n = 1, .kw = kw, .span = def->base.span};
    at[0] = nkx_of(c);
    bool ok = true;
    for (uint32_t i = 0; i < def->n_keywords && ok; i++) {
        const nkx_keyword *k = &def->keywords[i];
        if (k->name == NULL || strcmp(k->name->text, "metaclass") == 0) continue;
        nkx_value v = nkx_eval(f, k->value);
        ok = v.type != NKX_V_UNSET;
        if (!ok) break;
        kw[a.n_kw] = k->name;
        at[1 + a.n_kw++] = v;
    }
    if (ok) ok = nkx_call(vm, hook, &a, &r);
    if (ok) nkx_drop(r);
    for (uint32_t i = 0; i < a.n_kw; i++) nkx_drop(at[1 + i]);
    free(at);
    free((void *)kw);
    return ok;
}

static bool finish(nkx_frame *f, nkx_class *c)
{
    for (uint32_t i = 0; i < c->attrs.n; i++) own(c, c->attrs.values[i]);
    bool eq = nkx_attrs_get(&c->attrs, f->vm->id.d_eq).type != NKX_V_UNSET;
    bool hash = nkx_attrs_get(&c->attrs, f->vm->id.d_hash).type != NKX_V_UNSET;
    if (eq && !hash && !(c->flags & NKX_CF_ENUM)) c->flags |= NKX_CF_UNHASHABLE;
    if (hash) c->flags &= ~(uint32_t)(NKX_CF_UNHASHABLE | NKX_CF_NEWHASH);
    if (c->flags & NKX_CF_ENUM) return nkx_finish_enum(f->vm, c);
    if (c->flags & NKX_CF_NAMEDTUPLE) c->flags |= NKX_CF_EQ | NKX_CF_NEWHASH | NKX_CF_FROZEN;
    if (c->flags & (NKX_CF_NKIOBJECT | NKX_CF_NAMEDTUPLE)) c->n_fields = c->n_all;
    if (c->flags & NKX_CF_NAMEDTUPLE) nkx_named_tuple_finish(f->vm, c);
    return init_subclass(f, c);
}

static bool keywords_fine(nkx_frame *f, const nkx_class_def *def)
{
    for (uint32_t i = 0; i < def->n_keywords; i++) { /* the others: init_subclass() */
        const nkx_name *name = def->keywords[i].name;
        if (name != NULL && strcmp(name->text, "metaclass") != 0) continue;
        nkx_value v = nkx_eval(f, def->keywords[i].value);
        if (v.type == NKX_V_UNSET) return false;
        nkx_drop(v);
    }
    return true;
}

nkx_value nkx_make_class(nkx_frame *f, const nkx_class_def *def)
{
    nkx_vm *vm = f->vm;
    nkx_value *base = vm->top;
    if (!nkx_push_items(f, &def->bases)) return NKX_UNSET;
    nkx_class *c = nkx_class_new(vm, def->name, qualname_of(f, def->name), NULL);
    nkx_value v = nkx_of(c);
    c->node = def;
    c->unit = f->unit;
    c->module = f->module;
    f->at = &def->base;
    bool ok = take_bases(f, c, base, (uint32_t)(vm->top - base)) && keywords_fine(f, def);
    nkx_pop_to(vm, base);
    if (ok) {
        inherit_fields(c);
        set_doc(f, c, def);
        ok = run_body(f, c, def);
        f->at = &def->base;
        ok = ok && finish(f, c);
    }
    if (ok) return v;
    nkx_drop(v);
    return NKX_UNSET;
}

/* ---- instances ---- */

static bool takes_none(nkx_vm *vm, const nkx_class *c, nkx_pass *p)
{
    nkx_pop_to(vm, p->base);
    return nkx_raise(vm, NKX_E206, "TypeError", "%s() takes no arguments", c->name->text);
}

/* What makes instances of c: a function of __init__, or UNSET when the fields do. */
static nkx_value initialiser(const nkx_vm *vm, const nkx_class *c)
{
    uint32_t i = 0;
    for (const nkx_class *k = c; k != NULL; k = nkx_class_next(c, k, &i)) {
        nkx_value v = nkx_attrs_get(&k->attrs, vm->id.d_init);
        if (v.type != NKX_V_UNSET) return v;
        if (k->decorated) return NKX_UNSET;
    }
    return NKX_UNSET;
}

static bool run_init(nkx_vm *vm, nkx_value self, nkx_value init, nkx_pass *p)
{
    nkx_value r;
    nkx_ref(init);
    bool ok = nkx_pass_self(vm, p, self) && nkx_call_passed(vm, init, p, &r);
    nkx_drop(init);
    if (!ok) return false;
    bool none = r.type == NKX_V_NONE;
    if (!none) {
        nkx_raise(vm, NKX_E210, "TypeError", "__init__() should return None, not '%s'",
                  nkx_type_name(r));
    }
    nkx_drop(r);
    return none;
}

bool nkx_init_instance(nkx_vm *vm, nkx_value self, nkx_pass *p)
{
    nkx_instance *x = NKX_AS(nkx_instance, self);
    nkx_class *c = x->cls;
    bool ok = true;
    if (x->exc != NULL) {
        nkx_drop(x->exc->args);
        x->exc->args = nkx_tuple_of(vm, p->base, p->n);
    }
    nkx_value init = initialiser(vm, c);
    if (init.type != NKX_V_UNSET) {
        ok = run_init(vm, self, init, p);
    } else if (c->n_fields > 0 ||
               (c->flags & (NKX_CF_NKIOBJECT | NKX_CF_DATACLASS | NKX_CF_NAMEDTUPLE))) {
        ok = nkx_init_fields(vm, self, p);
    } else if (x->exc == NULL && (p->n > 0 || p->n_kw > 0)) {
        ok = takes_none(vm, c, p);
    } else {
        nkx_pop_to(vm, p->base);
    }
    if (ok && (c->flags & NKX_CF_FROZEN)) x->base.flags |= NKX_OF_FROZEN;
    return ok;
}

/* A user's __new__(cls, ...). */
static bool call_new(nkx_vm *vm, nkx_class *c, nkx_value func, nkx_pass *p, nkx_value *out)
{
    if (func.type == NKX_V_STATICMETHOD) func = NKX_AS(nkx_wrap, func)->func;
    nkx_args a = {.at = p->base, .n = p->n, .n_kw = p->n_kw, .kw = p->kw, .span = p->span};
    nkx_value *at = nkx_alloc((p->n + p->n_kw + 1) * sizeof *at);
    at[0] = nkx_of(c);
    memcpy(at + 1, p->base, (p->n + p->n_kw) * sizeof *at);
    a.at = at;
    a.n++;
    bool ok = nkx_call(vm, func, &a, out);
    free(at);
    if (!ok) {
        nkx_pop_to(vm, p->base);
        return false;
    }
    if (out->type != NKX_V_INSTANCE || !nkx_class_is(NKX_AS(nkx_instance, *out)->cls, c)) {
        nkx_pop_to(vm, p->base);
        return true;
    }
    if (nkx_class_lookup(c, vm->id.d_init).type == NKX_V_UNSET) {
        nkx_pop_to(vm, p->base);
        return true;
    }
    if (nkx_init_instance(vm, *out, p)) return true;
    nkx_drop(*out);
    *out = NKX_UNSET;
    return false;
}

bool nkx_call_class(nkx_vm *vm, nkx_class *c, nkx_pass *p, nkx_value *out)
{
    if (c->unit_base.type != NKX_V_UNSET) {
        nkx_pop_to(vm, p->base);
        if (c->unit_base.type == NKX_V_TYPE) return bad_base(vm, c->unit_base);
        return nkx_placeholder_used(vm, c->unit_base);
    }
    if ((c->flags & NKX_CF_ENUM) && c->members.type == NKX_V_LIST)
        return nkx_call_enum(vm, c, p, out);
    nkx_value make = nkx_class_lookup(c, vm->id.d_new);
    if (make.type != NKX_V_UNSET) return call_new(vm, c, make, p, out);
    *out = nkx_instance_new(vm, c);
    if (nkx_init_instance(vm, *out, p)) return true;
    nkx_drop(*out);
    *out = NKX_UNSET;
    return false;
}
