/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields: __init__ of dataclasses and NKIObject classes, the dataclass decorator, and the rest of
 * the module `dataclasses`. Layer eval.
 */
#include "interp/eval/classes.h"

#include <stdlib.h>
#include <string.h>

/* ---- dataclasses.field() ---- */

typedef struct field_spec {
    nkx_value dflt, factory;
    bool init, repr, compare, kw_only;
} field_spec;

static void spec_fini(nkx_obj *o)
{
    field_spec *s = NKX_PAYLOAD(field_spec, nkx_of(o));
    nkx_drop(s->dflt);
    nkx_drop(s->factory);
}

static const nkx_native_type spec_type = {.name = "Field", .fini = spec_fini};

bool nkx_field_from_spec(nkx_value dflt, nkx_field *fd)
{
    if (!nkx_is_native(dflt, &spec_type)) return false;
    const field_spec *s = NKX_PAYLOAD(field_spec, dflt);
    fd->dflt = nkx_ref(s->dflt);
    fd->factory = nkx_ref(s->factory);
    fd->init = s->init;
    fd->repr = s->repr;
    fd->compare = s->compare;
    fd->kw_only |= s->kw_only;
    return true;
}

enum { FI_DEFAULT, FI_FACTORY, FI_INIT, FI_REPR, FI_HASH, FI_COMPARE, FI_METADATA, FI_KW_ONLY };

static bool fn_field(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    bool flags[4];
    int which[4] = {FI_INIT, FI_REPR, FI_COMPARE, FI_KW_ONLY};
    for (int i = 0; i < 4; i++) {
        if (!nkx_truth(vm, in[which[i]], &flags[i])) return false;
    }
    *out = nkx_native_new(vm, &spec_type, sizeof(field_spec));
    field_spec *s = NKX_PAYLOAD(field_spec, *out);
    *s = (field_spec){
        nkx_ref(in[FI_DEFAULT]), nkx_ref(in[FI_FACTORY]), flags[0], flags[1], flags[2], flags[3]};
    return true;
}

/* ---- __init__ from fields ---- */

static int find_field(const nkx_class *c, const nkx_name *kw)
{
    for (uint32_t i = 0; i < c->n_fields; i++) {
        const nkx_field *fd = &c->fields[i];
        if (fd->name == kw && fd->init && !fd->class_var) return (int)i;
    }
    return -1;
}

static bool unknown_keyword(nkx_vm *vm, const nkx_class *c, const nkx_name *kw)
{
    const char **names = nkx_alloc((c->n_fields + 1) * sizeof *names);
    for (uint32_t i = 0; i < c->n_fields; i++) names[i] = c->fields[i].name->text;
    nkx_raise(vm, NKX_E205, "TypeError", "%s.__init__() got an unexpected keyword argument '%s'",
              c->qualname, kw->text);
    const char *near = nkx_nearest(kw->text, names, c->n_fields);
    if (near != NULL) nkx_raise_hint(vm, "Did you mean '%s'?", near);
    free((void *)names);
    return false;
}

/* Positional values go to the fields in order; false when there are more of them. */
static bool take_positional(nkx_vm *vm, nkx_class *c, nkx_attrs *to, const nkx_pass *p)
{
    uint32_t k = 0, i = 0;
    for (; i < c->n_fields && k < p->n; i++) {
        const nkx_field *fd = &c->fields[i];
        if (!fd->init || fd->class_var || fd->kw_only) continue;
        nkx_attrs_set(to, fd->name, p->base[k++]);
    }
    if (k == p->n) return true;
    uint32_t least = 1;
    for (i = 0; i < c->n_fields; i++) {
        const nkx_field *fd = &c->fields[i];
        bool optional = fd->dflt.type != NKX_V_UNSET || fd->factory.type != NKX_V_UNSET;
        least += fd->init && !fd->class_var && !fd->kw_only && !optional;
    }
    if (least == k + 1) {
        return nkx_raise(vm, NKX_E206, "TypeError",
                         "%s.__init__() takes %u positional argument%s but %u were given",
                         c->qualname, least, least == 1 ? "" : "s", p->n + 1);
    }
    return nkx_raise(vm, NKX_E206, "TypeError",
                     "%s.__init__() takes from %u to %u positional arguments but %u were given",
                     c->qualname, least, k + 1, p->n + 1);
}

static bool take_keywords(nkx_vm *vm, nkx_class *c, nkx_attrs *to, const nkx_pass *p)
{
    for (uint32_t i = 0; i < p->n_kw; i++) {
        int k = find_field(c, p->kw[i]);
        if (k < 0) return unknown_keyword(vm, c, p->kw[i]);
        if (nkx_attrs_get(to, p->kw[i]).type != NKX_V_UNSET) {
            return nkx_raise(vm, NKX_E207, "TypeError",
                             "%s.__init__() got multiple values for argument '%s'", c->qualname,
                             p->kw[i]->text);
        }
        nkx_attrs_set(to, p->kw[i], p->base[p->n + i]);
    }
    return true;
}

static bool lacks(const nkx_field *fd, const nkx_attrs *to)
{
    return fd->init && !fd->class_var && fd->dflt.type == NKX_V_UNSET &&
           fd->factory.type == NKX_V_UNSET && nkx_attrs_get(to, fd->name).type == NKX_V_UNSET;
}

/* All fields that are missing, in Python's words. */
static bool missing_fields(nkx_vm *vm, const nkx_class *c, const nkx_attrs *to)
{
    nkx_buf b = {0};
    uint32_t n = 0, seen = 0;
    bool kw = true; /* names that have no position are told when no other is missing */
    for (uint32_t i = 0; i < c->n_fields; i++)
        kw &= !lacks(&c->fields[i], to) || c->fields[i].kw_only;
    for (uint32_t i = 0; i < c->n_fields; i++)
        n += lacks(&c->fields[i], to) && c->fields[i].kw_only == kw;
    for (uint32_t i = 0; i < c->n_fields; i++) {
        if (!lacks(&c->fields[i], to) || c->fields[i].kw_only != kw) continue;
        if (++seen > 1) nkx_buf_str(&b, n == 2 ? " and " : seen == n ? ", and " : ", ");
        nkx_buf_printf(&b, "'%s'", c->fields[i].name->text);
    }
    nkx_raise(vm, NKX_E204, "TypeError", "%s.%s() missing %u required %s argument%s: %s",
              c->qualname, c->flags & NKX_CF_NAMEDTUPLE ? "__new__" : "__init__", n,
              kw ? "keyword-only" : "positional", n == 1 ? "" : "s", b.at);
    nkx_buf_fini(&b);
    return false;
}

static bool fill_field(nkx_vm *vm, const nkx_class *c, const nkx_field *fd, nkx_attrs *to)
{
    if (fd->dflt.type != NKX_V_UNSET) {
        nkx_attrs_set(to, fd->name, fd->dflt);
        return true;
    }
    if (fd->factory.type != NKX_V_UNSET) {
        nkx_value v;
        if (!nkx_call_n(vm, fd->factory, NULL, 0, &v)) return false;
        nkx_attrs_set(to, fd->name, v);
        nkx_drop(v);
        return true;
    }
    if (!fd->init) return true;
    /* The compiler gives an NKIObject None for what is missing, @dataclass or not: public kernels
     * rely on it. */
    if ((c->flags & NKX_CF_NKIOBJECT) && (!c->decorated || vm->kernel > 0)) {
        nkx_attrs_set(to, fd->name, NKX_NONE);
        return true;
    }
    return missing_fields(vm, c, to);
}

/* Fields in their order of declaration, whatever order they were passed in: that is how repr shows
 * them. */
static bool take_all(nkx_vm *vm, nkx_class *c, nkx_attrs *to, const nkx_pass *p)
{
    for (uint32_t i = 0; i < c->n_fields; i++) {
        if (!c->fields[i].class_var) nkx_attrs_slot(to, c->fields[i].name);
    }
    if (!take_positional(vm, c, to, p) || !take_keywords(vm, c, to, p)) return false;
    for (uint32_t i = 0; i < c->n_fields; i++) {
        const nkx_field *fd = &c->fields[i];
        if (fd->class_var || nkx_attrs_get(to, fd->name).type != NKX_V_UNSET) continue;
        if (!fill_field(vm, c, fd, to)) return false;
    }
    return true;
}

bool nkx_init_fields(nkx_vm *vm, nkx_value self, nkx_pass *p)
{
    nkx_instance *x = NKX_AS(nkx_instance, self);
    nkx_value r;
    bool found, ok = take_all(vm, x->cls, &x->attrs, p);
    nkx_pop_to(vm, p->base);
    if (!ok && x->cls->node != NULL && nkx_exception_about_arguments(vm)) {
        nkx_raise_note(vm, x->cls->node->name_span, "'%s' is defined here", x->cls->qualname);
    }
    if (!ok || !nkx_call_special(vm, self, vm->id.d_post_init, NULL, 0, &r, &found)) return false;
    nkx_drop(r);
    return true;
}

nkx_value nkx_fields_tuple(nkx_vm *vm, nkx_value instance)
{
    const nkx_instance *x = NKX_AS(nkx_instance, instance);
    nkx_value l = nkx_list_new(vm, x->cls->n_fields);
    for (uint32_t i = 0; i < x->cls->n_fields; i++) {
        const nkx_field *fd = &x->cls->fields[i];
        nkx_value v = nkx_attrs_get(&x->attrs, fd->name);
        if (!fd->class_var && fd->compare && v.type != NKX_V_UNSET) nkx_list_append(l, v);
    }
    nkx_value t = nkx_tuple_of(vm, NKX_AS(nkx_list, l)->at, NKX_AS(nkx_list, l)->n);
    nkx_drop(l);
    return t;
}

/* ---- @dataclass ---- */

typedef struct dc_options {
    bool init, repr, eq, order, unsafe_hash, frozen, kw_only;
} dc_options;

static bool field_order(nkx_vm *vm, const nkx_class *c)
{
    const char *with_default = NULL;
    for (uint32_t i = 0; i < c->n_all; i++) {
        const nkx_field *fd = &c->fields[i];
        if (fd->class_var || !fd->init || fd->kw_only) continue;
        bool has = fd->dflt.type != NKX_V_UNSET || fd->factory.type != NKX_V_UNSET;
        if (has) {
            with_default = fd->name->text;
        } else if (with_default != NULL) {
            return nkx_raise(vm, NKX_E231, "TypeError",
                             "non-default argument '%s' follows default argument '%s'",
                             fd->name->text, with_default);
        }
    }
    return true;
}

static bool mutable_default(nkx_vm *vm, const nkx_field *fd)
{
    bool is_mutable = fd->dflt.type == NKX_V_LIST || fd->dflt.type == NKX_V_DICT ||
                      (fd->dflt.type == NKX_V_SET && !(fd->dflt.u.o->flags & NKX_OF_FROZEN));
    if (!is_mutable) return true;
    return nkx_raise(
        vm, NKX_E231, "ValueError",
        "mutable default <class '%s'> for field %s is not allowed: use default_factory",
        nkx_type_name(fd->dflt), fd->name->text);
}

/*
 * Fields that came from plain assignments are none in a dataclass, but for NKIObjects (isa.md 6.2:
 * public kernels rely on it); field() objects leave the namespace.
 */
static void settle_fields(nkx_class *c, const dc_options *o)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_all; i++) {
        nkx_field fd = c->fields[i];
        if (i >= c->n_fields || fd.annotated) fd.kw_only |= o->kw_only;
        if (!fd.annotated && !(c->flags & NKX_CF_NKIOBJECT)) {
            nkx_drop(fd.dflt);
            nkx_drop(fd.factory);
            continue;
        }
        uint32_t at = nkx_attrs_find(&c->attrs, fd.name);
        if (at != UINT32_MAX && nkx_is_native(c->attrs.values[at], &spec_type)) {
            nkx_drop(c->attrs.values[at]);
            c->attrs.values[at] = nkx_ref(fd.dflt);
        }
        c->fields[n++] = fd;
    }
    c->n_fields = c->n_all = n;
}

static bool finish(nkx_vm *vm, nkx_class *c, const dc_options *o)
{
    settle_fields(c, o);
    if (!field_order(vm, c)) return false;
    for (uint32_t i = 0; i < c->n_all; i++) {
        if (!c->fields[i].class_var && !mutable_default(vm, &c->fields[i])) return false;
    }
    bool own_eq = nkx_attrs_get(&c->attrs, vm->id.d_eq).type != NKX_V_UNSET;
    bool own_hash = nkx_attrs_get(&c->attrs, vm->id.d_hash).type != NKX_V_UNSET;
    c->decorated = o->init;
    c->flags |= NKX_CF_DATACLASS;
    c->flags &= ~(uint32_t)NKX_CF_NO_REPR;
    if (!o->repr) c->flags |= NKX_CF_NO_REPR;
    if (o->eq && !own_eq) c->flags |= NKX_CF_EQ;
    if (o->order) c->flags |= NKX_CF_ORDER;
    if (o->frozen) c->flags |= NKX_CF_FROZEN;
    if (!own_hash) {
        if (o->unsafe_hash || (o->eq && o->frozen)) {
            c->flags |= NKX_CF_NEWHASH;
            c->flags &= ~(uint32_t)NKX_CF_UNHASHABLE;
        } else if (o->eq) {
            c->flags |= NKX_CF_UNHASHABLE;
        }
    }
    return true;
}

static bool decorate(nkx_vm *vm, const dc_options *o, nkx_value cls, nkx_value *out)
{
    if (cls.type != NKX_V_CLASS) {
        return nkx_raise(vm, NKX_E210, "TypeError",
                         "dataclass() should be used on a class, not '%s'", nkx_type_name(cls));
    }
    if (!finish(vm, NKX_AS(nkx_class, cls), o)) return false;
    *out = nkx_ref(cls);
    return true;
}

static bool decorator_call(nkx_vm *vm, nkx_value self, const nkx_args *a, nkx_value *out)
{
    if (a->n != 1 || a->n_kw != 0) {
        return nkx_raise(vm, NKX_E206, "TypeError", "a dataclass decorator takes one class");
    }
    return decorate(vm, NKX_PAYLOAD(dc_options, self), a->at[0], out);
}

static const nkx_native_type decorator_type = {.name = "dataclass decorator",
                                               .call = decorator_call};

enum { DC_CLS, DC_INIT, DC_REPR, DC_EQ, DC_ORDER, DC_HASH, DC_FROZEN, DC_MATCH, DC_KW_ONLY };

static bool fn_dataclass(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int which[7] = {DC_INIT, DC_REPR, DC_EQ, DC_ORDER, DC_HASH, DC_FROZEN, DC_KW_ONLY};
    bool b[7];
    for (int i = 0; i < 7; i++) {
        if (!nkx_truth(vm, in[which[i]], &b[i])) return false;
    }
    dc_options o = {b[0], b[1], b[2], b[3], b[4], b[5], b[6]};
    if (in[DC_CLS].type != NKX_V_NONE) return decorate(vm, &o, in[DC_CLS], out);
    *out = nkx_native_new(vm, &decorator_type, sizeof o);
    *NKX_PAYLOAD(dc_options, *out) = o;
    return true;
}

/* ---- the rest of the module ---- */

static bool is_dataclass_instance(nkx_value v)
{
    return v.type == NKX_V_INSTANCE && (NKX_AS(nkx_instance, v)->cls->flags & NKX_CF_DATACLASS);
}

static bool need_dataclass(nkx_vm *vm, nkx_value v, const char *what)
{
    if (is_dataclass_instance(v)) return true;
    return nkx_raise(vm, NKX_E210, "TypeError", "%s() should be called on dataclass instances",
                     what);
}

static bool plain_value(nkx_vm *vm, nkx_value v, bool dict, nkx_value *out);

static bool plain_fields(nkx_vm *vm, nkx_value v, bool dict, nkx_value *out)
{
    const nkx_instance *x = NKX_AS(nkx_instance, v);
    nkx_value to = dict ? nkx_dict_new(vm) : nkx_list_new(vm, x->cls->n_fields), item;
    for (uint32_t i = 0; i < x->cls->n_fields; i++) {
        if (x->cls->fields[i].class_var) continue;
        nkx_value field = nkx_attrs_get(&x->attrs, x->cls->fields[i].name);
        if (!plain_value(vm, field, dict, &item)) {
            nkx_drop(to);
            return false;
        }
        if (dict) {
            nkx_dict_put_name(vm, to, x->cls->fields[i].name, item);
        } else {
            nkx_list_append(to, item);
        }
        nkx_drop(item);
    }
    *out = to;
    if (!dict) {
        *out = nkx_tuple_of(vm, NKX_AS(nkx_list, to)->at, NKX_AS(nkx_list, to)->n);
        nkx_drop(to);
    }
    return true;
}

static bool plain_dict(nkx_vm *vm, nkx_value v, bool dict, nkx_value *out)
{
    nkx_value key, value, k = NKX_UNSET, x = NKX_UNSET;
    bool ok = true;
    *out = nkx_dict_new(vm);
    for (uint32_t i = 0; ok && nkx_dict_next(v, &i, &key, &value);) {
        k = x = NKX_UNSET;
        ok = plain_value(vm, key, dict, &k) && plain_value(vm, value, dict, &x) &&
             nkx_dict_set(vm, *out, k, x);
        nkx_drop(k);
        nkx_drop(x);
    }
    if (!ok) nkx_drop(*out);
    return ok;
}

/* asdict and astuple go into lists, tuples and dicts too. */
static bool plain_value(nkx_vm *vm, nkx_value v, bool dict, nkx_value *out)
{
    if (!nkx_stack_check(vm)) return false;
    if (is_dataclass_instance(v)) return plain_fields(vm, v, dict, out);
    if (v.type == NKX_V_DICT) return plain_dict(vm, v, dict, out);
    bool list = v.type == NKX_V_LIST;
    if (!list && v.type != NKX_V_TUPLE) {
        *out = nkx_ref(v);
        return true;
    }
    uint32_t n = list ? NKX_AS(nkx_list, v)->n : NKX_AS(nkx_tuple, v)->n;
    nkx_value to = nkx_list_new(vm, n), item;
    for (uint32_t i = 0; i < n; i++) {
        nkx_value from = list ? NKX_AS(nkx_list, v)->at[i] : NKX_AS(nkx_tuple, v)->at[i];
        if (!plain_value(vm, from, dict, &item)) {
            nkx_drop(to);
            return false;
        }
        nkx_list_append(to, item);
        nkx_drop(item);
    }
    *out = to;
    if (!list) {
        *out = nkx_tuple_of(vm, NKX_AS(nkx_list, to)->at, n);
        nkx_drop(to);
    }
    return true;
}

static bool fn_asdict(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return need_dataclass(vm, in[0], "asdict") && plain_fields(vm, in[0], true, out);
}

static bool fn_astuple(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return need_dataclass(vm, in[0], "astuple") && plain_fields(vm, in[0], false, out);
}

static bool fn_is_dataclass(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    bool cls = in[0].type == NKX_V_CLASS && (NKX_AS(nkx_class, in[0])->flags & NKX_CF_DATACLASS);
    *out = nkx_bool(cls || is_dataclass_instance(in[0]));
    return true;
}

/* replace(x, field=value, ...): a new instance with the other fields as they are. */
/* A new instance with the fields of a->at[0] but for those given by name. */
static bool replaced(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    const nkx_instance *x = NKX_AS(nkx_instance, a->at[0]);
    uint32_t max = x->cls->n_fields + a->n_kw, n = 0;
    const nkx_name **kw = nkx_alloc((max + 1) * sizeof *kw);
    nkx_value *at = nkx_alloc((max + 1) * sizeof *at);
    for (uint32_t i = 0; i < a->n_kw; i++) {
        kw[n] = a->kw[i];
        at[n++] = a->at[1 + i];
    }
    for (uint32_t i = 0; i < x->cls->n_fields; i++) {
        const nkx_field *fd = &x->cls->fields[i];
        bool given = !fd->init || fd->class_var;
        for (uint32_t k = 0; k < a->n_kw; k++) given |= a->kw[k] == fd->name;
        if (given) continue;
        kw[n] = fd->name;
        at[n++] = nkx_attrs_get(&x->attrs, fd->name);
    }
    nkx_args again = {.at = at, .n_kw = n, .kw = kw, .span = a->span};
    bool ok = nkx_call(vm, nkx_of(x->cls), &again, out);
    free((void *)kw);
    free(at);
    return ok;
}

static bool fn_replace(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    if (a->n != 1) return nkx_raise(vm, NKX_E206, "TypeError", "replace() takes one instance");
    return need_dataclass(vm, a->at[0], "replace") && replaced(vm, a, out);
}

typedef struct field_info {
    const nkx_name *name;
    nkx_value dflt;
} field_info;

static void info_fini(nkx_obj *o)
{
    nkx_drop(NKX_PAYLOAD(field_info, nkx_of(o))->dflt);
}

static bool info_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    const field_info *i = NKX_PAYLOAD(field_info, self);
    if (name == vm->id.plain_name) *out = nkx_str_of_name(vm, i->name);
    if (strcmp(name->text, "default") == 0) *out = nkx_ref(i->dflt);
    return true;
}

static const nkx_native_type info_type = {.name = "Field", .fini = info_fini, .attr = info_attr};

static bool fn_fields(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_class *c = NULL;
    if (in[0].type == NKX_V_CLASS) c = NKX_AS(nkx_class, in[0]);
    if (in[0].type == NKX_V_INSTANCE) c = NKX_AS(nkx_instance, in[0])->cls;
    if (c == NULL || !(c->flags & NKX_CF_DATACLASS)) {
        return nkx_raise(vm, NKX_E210, "TypeError",
                         "must be called with a dataclass type or instance");
    }
    nkx_value l = nkx_list_new(vm, c->n_fields);
    for (uint32_t i = 0; i < c->n_fields; i++) {
        if (c->fields[i].class_var) continue;
        nkx_value v = nkx_native_new(vm, &info_type, sizeof(field_info));
        *NKX_PAYLOAD(field_info, v) = (field_info){c->fields[i].name, nkx_ref(c->fields[i].dflt)};
        nkx_list_append(l, v);
        nkx_drop(v);
    }
    *out = nkx_tuple_of(vm, NKX_AS(nkx_list, l)->at, NKX_AS(nkx_list, l)->n);
    nkx_drop(l);
    return true;
}

static const nkx_builtin dataclass_functions[] = {
    {"dataclass",
     "cls=None, /, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False, frozen=False, "
     "match_args=True, kw_only=False, slots=False, weakref_slot=False", fn_dataclass,    "Makes a class of its annotated fields.",   0                                      },
    {"field",
     "*, default=..., default_factory=..., init=True, repr=True, hash=None, compare=True, "
     "metadata=None, kw_only=False",                                    fn_field,        "Describes a field.",                       0                                      },
    {"fields",       "x, /",                                            fn_fields,       "The fields of a dataclass.",               0                                      },
    {"asdict",       "x, /",                                            fn_asdict,       "Fields as a dict.",                        0                                      },
    {"astuple",      "x, /",                                            fn_astuple,      "Fields as a tuple.",                       0                                      },
    {"is_dataclass", "x, /",                                            fn_is_dataclass, "Is it a dataclass or an instance of one?", 0                                      },
    {"replace",      "x, /, **changes",
     (bool (*)(nkx_vm *,                                                                 const nkx_value *,                          nkx_value *))(void (*)(void))fn_replace,
     "A copy with some fields changed.", NKX_BF_RAW},
    {NULL,    NULL,                                                     NULL,                                                                 NULL,                                                                                                    0                                                                                  },
};

/* ---- what a NamedTuple has beyond a tuple ---- */

static bool nt_asdict(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    const nkx_instance *x = NKX_AS(nkx_instance, in[0]);
    *out = nkx_dict_new(vm);
    for (uint32_t i = 0; i < x->cls->n_fields; i++) {
        const nkx_name *name = x->cls->fields[i].name;
        nkx_dict_put_name(vm, *out, name, nkx_attrs_get(&x->attrs, name));
    }
    return true;
}

static bool nt_replace(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    if (a->n != 1) return nkx_raise(vm, NKX_E206, "TypeError", "_replace() takes fields by name");
    return replaced(vm, a, out);
}

static bool nt_make(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value l;
    if (!nkx_list_of(vm, in[1], &l)) return false;
    bool ok = nkx_call_n(vm, in[0], NKX_AS(nkx_list, l)->at, NKX_AS(nkx_list, l)->n, out);
    nkx_drop(l);
    return ok;
}

static const nkx_builtin named_tuple_rows[] = {
    {"_asdict",          "self, /",         nt_asdict,                               "the fields as a dict", NKX_BF_METHOD},
    { "_replace", "self, **fields",
     (bool (*)(nkx_vm *, const nkx_value *,                                                                      nkx_value *))(void (*)(void))nt_replace,
     "a copy with some fields changed", NKX_BF_METHOD | NKX_BF_RAW},
};
static const nkx_builtin named_tuple_make = {"_make", "cls, iterable, /", nt_make,
                                             "one of the items of an iterable", 0};

void nkx_named_tuple_init(nkx_vm *vm, nkx_class *c)
{
    for (size_t i = 0; i < NKX_COUNT(named_tuple_rows); i++) {
        nkx_attrs_set(&c->attrs, nkx_intern(vm, named_tuple_rows[i].name),
                      nkx_builtin_value(&named_tuple_rows[i]));
    }
    nkx_value make = nkx_wrap_new(vm, NKX_V_CLASSMETHOD, nkx_builtin_value(&named_tuple_make));
    nkx_attrs_set(&c->attrs, nkx_intern(vm, "_make"), make);
    nkx_drop(make);
}

void nkx_named_tuple_finish(nkx_vm *vm, nkx_class *c)
{
    nkx_value t = nkx_tuple_new(vm, c->n_fields);
    for (uint32_t i = 0; i < c->n_fields; i++)
        NKX_AS(nkx_tuple, t)->at[i] = nkx_str_of_name(vm, c->fields[i].name);
    nkx_attrs_set(&c->attrs, nkx_intern(vm, "_fields"), t);
    nkx_drop(t);
}

static bool init_dataclasses(nkx_vm *vm, nkx_value module)
{
    return nkx_module_set(vm, module, "FrozenInstanceError",
                          nkx_of(vm->classes[NKX_CLS_FrozenInstanceError])) &&
           nkx_module_set(vm, module, "KW_ONLY", NKX_NONE) &&
           nkx_module_set(vm, module, "MISSING", NKX_NONE) &&
           nkx_module_set(vm, module, "InitVar", nkx_of(vm->classes[NKX_CLS_object]));
}

const nkx_module_def nkx_mod_dataclasses = {"dataclasses", dataclass_functions, init_dataclasses,
                                            NULL};
