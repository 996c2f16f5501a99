/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attribute and call sites. A site remembers where it found its attribute and how the keywords of
 * the last callee map to parameters; a method is called without making a bound method. Layer eval.
 */
#include "interp/eval/versions.h"
#include "interp/eval/walk.h"

#include <stdlib.h>

/* What a cache entry says about its key. */
enum { CACHE_NONE, CACHE_ATTRS, CACHE_ROW };

static nkx_value cached(const nkx_attrs *a, uint32_t pos, const nkx_name *name)
{
    if (pos < a->n && a->names[pos] == name) return a->values[pos];
    return NKX_UNSET;
}

static const nkx_attrs *attrs_of(nkx_value v)
{
    if (v.type == NKX_V_MODULE) return &NKX_AS(nkx_module_obj, v)->globals;
    if (v.type == NKX_V_INSTANCE) return &NKX_AS(nkx_instance, v)->attrs;
    return NULL;
}

/* Modules and instances: the position found last time is most often right. */
static bool from_attrs(struct nkx_cache *c, const nkx_attribute *n, const nkx_attrs *a,
                       nkx_value *out)
{
    *out = cached(a, c->pos, n->attr);
    if (out->type == NKX_V_UNSET) {
        uint32_t pos = nkx_attrs_find(a, n->attr);
        if (pos == UINT32_MAX) return false;
        *out = a->values[pos];
        if (out->type == NKX_V_UNSET) return false;
        c->pos = pos;
    }
    nkx_ref(*out);
    return true;
}

bool nkx_site_attr(nkx_frame *f, const nkx_attribute *n, nkx_value obj, nkx_value *out,
                   bool *takes_self)
{
    struct nkx_cache *c = &f->unit->caches[n->cache];
    const nkx_attrs *a = attrs_of(obj);
    *takes_self = false;
    f->at = &n->base;
    if (NKX_UNLIKELY(f->vm->o.nki_minor < NKX_NKI_LATEST) &&
        nkx_newer_name(f->vm, obj, n->attr) > 0) {
        return nkx_no_attr(f->vm, obj, n->attr);
    }
    if (a != NULL) {
        if (from_attrs(c, n, a, out)) return true;
    } else if (c->kind == CACHE_ROW && c->pos == obj.type) {
        const nkx_builtin *row = c->ptr;
        *out = nkx_builtin_value(row);
        if ((row->flags & NKX_BF_GETTER) == 0) {
            *takes_self = (row->flags & NKX_BF_STATIC) == 0;
            return true;
        }
        *out = NKX_NONE;
        return row->call(f->vm, &obj, out);
    } else if (obj.type >= NKX_V_STR && obj.type != NKX_V_CLASS) {
        const nkx_builtin *row = nkx_find_method(f->vm, (nkx_vtype)obj.type, n->attr);
        if (row != NULL) {
            c->kind = CACHE_ROW;
            c->pos = obj.type;
            c->ptr = (void *)(uintptr_t)row;
        }
    }
    if (!nkx_load_attr(f->vm, obj, n->attr, out, takes_self)) return false;
    return out->type != NKX_V_UNSET || nkx_no_attr(f->vm, obj, n->attr);
}

nkx_value nkx_eval_attribute(nkx_frame *f, const nkx_attribute *n)
{
    nkx_value obj = nkx_eval(f, n->value), out;
    bool takes_self;
    if (obj.type == NKX_V_UNSET) return obj;
    bool ok = nkx_site_attr(f, n, obj, &out, &takes_self);
    if (ok && takes_self) {
        nkx_value func = out;
        out = nkx_method_new(f->vm, obj, func);
        nkx_drop(func);
    }
    nkx_drop(obj);
    return ok ? out : NKX_UNSET;
}

/* ---- calls ---- */

static nkx_site *new_site(nkx_frame *f, const nkx_call_node *n)
{
    nkx_arena *a = &f->unit->arena;
    nkx_site *s = NKX_ARENA_NEW(a, nkx_site);
    s->node = n;
    s->n = n->args.n;
    s->n_kw = n->n_keywords;
    s->kw = NKX_ARENA_ARRAY(a, const nkx_name *, n->n_keywords + 1);
    /* one place more in front: the callee's, which stands for self */
    s->spans = NKX_ARENA_ARRAY(a, nkx_span, n->args.n + n->n_keywords + 1);
    *s->spans++ = n->func->span;
    for (uint32_t i = 0; i < n->args.n; i++) s->spans[i] = n->args.at[i]->span;
    for (uint32_t i = 0; i < n->n_keywords; i++) {
        s->kw[i] = n->keywords[i].name;
        s->spans[n->args.n + i] = n->keywords[i].value->span;
    }
    f->unit->sites[n->cache] = s;
    return s;
}

/* The callee; *self is UNSET or the value to pass first (owned). */
static nkx_value eval_callee(nkx_frame *f, const nkx_node *func, nkx_value *self)
{
    nkx_value out;
    bool takes_self;
    *self = NKX_UNSET;
    if (func->kind != NKX_ATTRIBUTE) return nkx_eval(f, func);
    const nkx_attribute *n = NKX_NODE(nkx_attribute, func);
    nkx_value obj = nkx_eval(f, n->value);
    if (obj.type == NKX_V_UNSET) return obj;
    if (!nkx_site_attr(f, n, obj, &out, &takes_self)) out = NKX_UNSET;
    if (out.type != NKX_V_UNSET && takes_self) {
        *self = obj;
    } else {
        nkx_drop(obj);
    }
    return out;
}

static bool push_keywords(nkx_frame *f, const nkx_call_node *n)
{
    for (uint32_t i = 0; i < n->n_keywords; i++) {
        nkx_value v = nkx_eval(f, n->keywords[i].value);
        if (v.type == NKX_V_UNSET) return false;
        *f->vm->top++ = v;
    }
    return true;
}

static bool push_positional(nkx_frame *f, const nkx_call_node *n)
{
    for (uint32_t i = 0; i < n->args.n; i++) {
        nkx_value v = nkx_eval(f, n->args.at[i]);
        if (v.type == NKX_V_UNSET) return false;
        *f->vm->top++ = v;
    }
    return true;
}

/* ---- calls with *args or **kw ---- */

typedef NKX_VEC(const nkx_name *) names_vec;

static bool push_mapping(nkx_frame *f, nkx_value m, names_vec *names)
{
    nkx_value key, value;
    if (m.type != NKX_V_DICT) {
        if (nkx_is_placeholder(m)) return nkx_placeholder_used(f->vm, m);
        return nkx_raise(f->vm, NKX_E210, "TypeError",
                         "argument after ** must be a mapping, not %s", nkx_type_name(m));
    }
    if (!nkx_stack_room(f->vm, nkx_dict_len(m))) return false;
    for (uint32_t i = 0; nkx_dict_next(m, &i, &key, &value);) {
        if (key.type != NKX_V_STR) {
            return nkx_raise(f->vm, NKX_E210, "TypeError", "keywords must be strings");
        }
        nkx_push(names, nkx_name_of(f->vm, key));
        *f->vm->top++ = nkx_ref(value);
    }
    return true;
}

static bool push_spread_keywords(nkx_frame *f, const nkx_call_node *n, names_vec *names)
{
    for (uint32_t i = 0; i < n->n_keywords; i++) {
        nkx_value v = nkx_eval(f, n->keywords[i].value);
        if (v.type == NKX_V_UNSET) return false;
        f->at = n->keywords[i].value;
        if (n->keywords[i].name != NULL) {
            nkx_push(names, n->keywords[i].name);
            if (!nkx_stack_room(f->vm, 1)) {
                nkx_drop(v);
                return false;
            }
            *f->vm->top++ = v;
            continue;
        }
        bool ok = push_mapping(f, v, names);
        nkx_drop(v);
        if (!ok) return false;
    }
    return true;
}

static bool call_spread(nkx_frame *f, const nkx_call_node *n, nkx_value func, nkx_value *base,
                        nkx_value *out)
{
    names_vec names = {0};
    bool ok = nkx_push_items(f, &n->args);
    nkx_pass p = {.base = base, .n = (uint32_t)(f->vm->top - base), .span = n->base.span};
    ok = ok && push_spread_keywords(f, n, &names);
    if (ok) {
        p.n_kw = (uint32_t)names.n;
        p.kw = names.at;
        f->at = &n->base;
        ok = nkx_call_passed(f->vm, func, &p, out);
    } else {
        nkx_pop_to(f->vm, base);
    }
    nkx_vec_fini(&names);
    return ok;
}

static bool call_plain(nkx_frame *f, const nkx_call_node *n, nkx_value func, nkx_value *base,
                       nkx_value *out)
{
    nkx_site *site = f->unit->sites[n->cache];
    if (site == NULL) site = new_site(f, n);
    uint32_t self = (uint32_t)(f->vm->top - base);
    if (!nkx_stack_room(f->vm, (uint64_t)site->n + site->n_kw) || !push_positional(f, n) ||
        !push_keywords(f, n)) {
        nkx_pop_to(f->vm, base);
        return false;
    }
    nkx_pass p = {.base = base,
                  .n = site->n + self,
                  .n_kw = site->n_kw,
                  .kw = site->kw,
                  .site = site,
                  .arg_spans = site->spans - self,
                  .span = n->base.span};
    f->at = &n->base;
    if (NKX_LIKELY(func.type == NKX_V_BUILTIN)) {
        return nkx_call_builtin(f->vm, func.u.builtin, &p, out);
    }
    return nkx_call_passed(f->vm, func, &p, out);
}

nkx_value nkx_eval_call(nkx_frame *f, const nkx_call_node *n)
{
    nkx_value self, out = NKX_UNSET, func = eval_callee(f, n->func, &self);
    nkx_value *base = f->vm->top;
    bool ok = func.type != NKX_V_UNSET;
    if (ok && self.type != NKX_V_UNSET) {
        ok = nkx_stack_room(f->vm, 1);
        if (ok) {
            *f->vm->top++ = self;
        } else {
            nkx_drop(self);
        }
    }
    if (ok) {
        ok = n->has_star ? call_spread(f, n, func, base, &out) : call_plain(f, n, func, base, &out);
    }
    nkx_drop(func);
    return ok ? out : NKX_UNSET;
}
