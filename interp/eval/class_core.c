/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The classes that are always there, what every object answers to, and the builtins that have to
 * do with classes: super, property, staticmethod, classmethod, isinstance's tests. Layer eval.
 */
#include "interp/eval/classes.h"

#include <stdlib.h>
#include <string.h>

/* ---- builtin classes ---- */

void nkx_classes_init(nkx_vm *vm)
{
    static const struct {
        const char *name;
        nkx_class_id base;
    } rows[] = {
#define X(n, b) {#n, NKX_CLS_##b},
        NKX_CLASS_LIST(X)
#undef X
    };
    for (int i = 0; i < NKX_N_BUILTIN_CLASSES; i++) {
        const nkx_name *name = nkx_intern(vm, rows[i].name);
        nkx_class *base = i == 0 ? NULL : vm->classes[rows[i].base];
        nkx_class *c = nkx_class_new(vm, name, name->text, base);
        vm->classes[i] = c;
        c->flags = NKX_CF_BUILTIN | (base == NULL ? 0 : base->flags);
        if (i == NKX_CLS_BaseException) c->flags |= NKX_CF_EXCEPTION;
        if (i == NKX_CLS_NKIObject) c->flags |= NKX_CF_NKIOBJECT;
        if (i == NKX_CLS_Enum || i == NKX_CLS_Flag) c->flags |= NKX_CF_ENUM;
        if (i == NKX_CLS_IntEnum || i == NKX_CLS_IntFlag) c->flags |= NKX_CF_INTENUM;
        if (i == NKX_CLS_Flag || i == NKX_CLS_IntFlag) c->flags |= NKX_CF_FLAG;
        if (i == NKX_CLS_StrEnum) c->flags |= NKX_CF_STRENUM;
        if (i == NKX_CLS_NamedTuple) {
            c->flags |= NKX_CF_NAMEDTUPLE;
            nkx_named_tuple_init(vm, c);
        }
    }
}

void nkx_classes_fini(nkx_vm *vm)
{
    for (int i = NKX_N_BUILTIN_CLASSES; i-- > 0;) {
        nkx_class *c = vm->classes[i];
        vm->classes[i] = NULL;
        if (c != NULL) nkx_drop(nkx_of(c));
    }
}

/* ---- object's own methods ---- */

static bool object_init(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    (void)out;
    if (a->n == 0)
        return nkx_raise(vm, NKX_E204, "TypeError", "object.__init__() needs an argument");
    nkx_value self = a->at[0];
    if (self.type != NKX_V_INSTANCE) return true;
    nkx_instance *x = NKX_AS(nkx_instance, self);
    if (x->exc != NULL) {
        nkx_drop(x->exc->args);
        x->exc->args = nkx_tuple_of(vm, a->at + 1, a->n - 1);
        return true;
    }
    if (x->cls->n_fields == 0) {
        if (a->n == 1 && a->n_kw == 0) return true;
        return nkx_raise(
            vm, NKX_E206, "TypeError",
            "object.__init__() takes exactly one argument (the instance to initialize)");
    }
    uint32_t n = a->n - 1 + a->n_kw;
    if (!nkx_stack_room(vm, n)) return false;
    nkx_pass p = {.base = vm->top, .n = a->n - 1, .n_kw = a->n_kw, .kw = a->kw, .span = a->span};
    for (uint32_t i = 0; i < n; i++) *vm->top++ = nkx_ref(a->at[1 + i]);
    return nkx_init_fields(vm, self, &p);
}

static bool object_setattr(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    if (in[1].type != NKX_V_STR) {
        return nkx_raise(vm, NKX_E210, "TypeError", "attribute name must be string, not '%s'",
                         nkx_type_name(in[1]));
    }
    const nkx_name *name = nkx_name_of(vm, in[1]);
    if (in[0].type != NKX_V_INSTANCE) return nkx_set_attr(vm, in[0], name, in[2]);
    nkx_attrs_set(&NKX_AS(nkx_instance, in[0])->attrs, name, in[2]);
    return true;
}

static bool object_getattribute(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    if (in[1].type != NKX_V_STR)
        return nkx_raise(vm, NKX_E210, "TypeError", "attribute name must be string");
    return nkx_get_attr(vm, in[0], nkx_name_of(vm, in[1]), out);
}

static bool object_delattr(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    if (in[1].type != NKX_V_STR)
        return nkx_raise(vm, NKX_E210, "TypeError", "attribute name must be string");
    return nkx_del_attr(vm, in[0], nkx_name_of(vm, in[1]));
}

static bool object_eq(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    bool same = in[0].type == in[1].type && in[0].u.i == in[1].u.i;
    *out = same ? nkx_bool(true) : (nkx_value){.type = NKX_V_NOT_IMPLEMENTED};
    return true;
}

static bool object_hash(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    *out = nkx_int((int64_t)(in[0].u.i >> 4));
    return true;
}

static bool object_repr(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    *out = nkx_str_printf(vm, "<%s object>", nkx_type_name(in[0]));
    return true;
}

static bool object_new(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    if (a->n == 0 || a->at[0].type != NKX_V_CLASS) {
        return nkx_raise(vm, NKX_E210, "TypeError", "object.__new__(X): X is not a type object");
    }
    *out = nkx_instance_new(vm, NKX_AS(nkx_class, a->at[0]));
    return true;
}

static bool object_none(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    (void)vm, (void)a, (void)out;
    return true;
}

#define RAW(f) ((bool (*)(nkx_vm *, const nkx_value *, nkx_value *))(void (*)(void))(f))

static const nkx_builtin object_methods[] = {
    {"__init__",          "self, /",              RAW(object_init),    NULL, NKX_BF_METHOD | NKX_BF_RAW},
    {"__new__",           "cls, /",               RAW(object_new),     NULL, NKX_BF_RAW                },
    {"__setattr__",       "self, name, value, /", object_setattr,      NULL, NKX_BF_METHOD             },
    {"__getattribute__",  "self, name, /",        object_getattribute, NULL, NKX_BF_METHOD             },
    {"__delattr__",       "self, name, /",        object_delattr,      NULL, NKX_BF_METHOD             },
    {"__eq__",            "self, other, /",       object_eq,           NULL, NKX_BF_METHOD             },
    {"__hash__",          "self, /",              object_hash,         NULL, NKX_BF_METHOD             },
    {"__repr__",          "self, /",              object_repr,         NULL, NKX_BF_METHOD             },
    {"__str__",           "self, /",              object_repr,         NULL, NKX_BF_METHOD             },
    {"__init_subclass__", "",                     RAW(object_none),    NULL, NKX_BF_RAW                },
    {"__post_init__",     "self, /",              RAW(object_none),    NULL, NKX_BF_METHOD | NKX_BF_RAW},
};

bool nkx_object_method(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value *out,
                       bool *takes_self)
{
    (void)vm, (void)v;
    if (name->text[0] != '_' || name->text[1] != '_') return true;
    size_t n = NKX_COUNT(object_methods);
    if (v.type != NKX_V_INSTANCE || !(NKX_AS(nkx_instance, v)->cls->flags & NKX_CF_DATACLASS)) n--;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(object_methods[i].name, name->text) != 0) continue;
        *out = nkx_builtin_value(&object_methods[i]);
        *takes_self = (object_methods[i].flags & NKX_BF_METHOD) != 0;
        return true;
    }
    return true;
}

/* ---- super ---- */

static bool super_of(nkx_vm *vm, nkx_class *from, nkx_value self, nkx_value *out)
{
    const nkx_class *c = self.type == NKX_V_CLASS      ? NKX_AS(nkx_class, self)
                         : self.type == NKX_V_INSTANCE ? NKX_AS(nkx_instance, self)->cls
                                                       : NULL;
    if (c == NULL || !nkx_class_is(c, from)) {
        return nkx_raise(vm, NKX_E233, "TypeError",
                         "super(type, obj): obj must be an instance or subtype of type");
    }
    nkx_super *s = nkx_obj_new(vm, NKX_V_SUPER, sizeof *s);
    s->from = from;
    from->base.refs++;
    s->self = nkx_ref(self);
    *out = nkx_of(s);
    return true;
}

static bool fn_super(nkx_vm *vm, const nkx_args *a, nkx_value *out)
{
    if (a->n == 2 && a->at[0].type == NKX_V_CLASS) {
        return super_of(vm, NKX_AS(nkx_class, a->at[0]), a->at[1], out);
    }
    const nkx_frame *f = vm->frame;
    if (a->n != 0 || f == NULL || f->fn == NULL || f->fn->owner == NULL ||
        f->fn->params->n_pos == 0 || f->info != f->fn->info) {
        return nkx_raise(vm, NKX_E233, "RuntimeError", "super(): no class is known here");
    }
    nkx_value self = f->slots[0];
    if (self.type == NKX_V_CELL) self = NKX_AS(nkx_cell, self)->v;
    if (self.type == NKX_V_UNSET) {
        return nkx_raise(vm, NKX_E233, "RuntimeError", "super(): the first argument was deleted");
    }
    return super_of(vm, f->fn->owner, self, out);
}

/* ---- descriptors ---- */

static bool fn_property(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    *out = nkx_wrap_new(vm, NKX_V_PROPERTY, in[0]);
    if (in[1].type != NKX_V_NONE) NKX_AS(nkx_wrap, *out)->setter = nkx_ref(in[1]);
    if (in[2].type != NKX_V_NONE) NKX_AS(nkx_wrap, *out)->deleter = nkx_ref(in[2]);
    return true;
}

/* p.setter(f): the property with another function in one of its places. */
static bool with_part(nkx_vm *vm, nkx_value p, int part, nkx_value func, nkx_value *out)
{
    const nkx_wrap *old = NKX_AS(nkx_wrap, p);
    *out = nkx_wrap_new(vm, NKX_V_PROPERTY, part == 0 ? func : old->func);
    NKX_AS(nkx_wrap, *out)->setter = nkx_ref(part == 1 ? func : old->setter);
    NKX_AS(nkx_wrap, *out)->deleter = nkx_ref(part == 2 ? func : old->deleter);
    return true;
}

static bool property_getter(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return with_part(vm, in[0], 0, in[1], out);
}

static bool property_setter(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return with_part(vm, in[0], 1, in[1], out);
}

static bool property_deleter(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    return with_part(vm, in[0], 2, in[1], out);
}

static const nkx_builtin property_methods[] = {
    {"getter",  "self, f, /", property_getter,  NULL, NKX_BF_METHOD},
    {"setter",  "self, f, /", property_setter,  NULL, NKX_BF_METHOD},
    {"deleter", "self, f, /", property_deleter, NULL, NKX_BF_METHOD},
};

const nkx_builtin *nkx_property_method(const nkx_name *name)
{
    for (size_t i = 0; i < NKX_COUNT(property_methods); i++) {
        if (strcmp(property_methods[i].name, name->text) == 0) return &property_methods[i];
    }
    return NULL;
}

static bool fn_staticmethod(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    *out = nkx_wrap_new(vm, NKX_V_STATICMETHOD, in[0]);
    return true;
}

static bool fn_classmethod(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    *out = nkx_wrap_new(vm, NKX_V_CLASSMETHOD, in[0]);
    return true;
}

static bool fn_frozenset(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    nkx_value s = nkx_set_new(vm), items, item;
    bool ok = nkx_list_of(vm, in[0], &items);
    for (uint32_t i = 0; ok && i < NKX_AS(nkx_list, items)->n; i++) {
        item = NKX_AS(nkx_list, items)->at[i];
        ok = nkx_set_add(vm, s, item);
    }
    if (items.type == NKX_V_LIST) nkx_drop(items);
    if (!ok) {
        nkx_drop(s);
        return false;
    }
    s.u.o->flags |= NKX_OF_FROZEN;
    *out = s;
    return true;
}

const nkx_builtin nkx_builtins_core[] = {
    {"frozenset",    "iterable=(), /",                            fn_frozenset,    "A set that cannot change.",                 0         },
    {"super",        "",                                          RAW(fn_super),   "The next class in line.",                   NKX_BF_RAW},
    {"property",     "fget=None, fset=None, fdel=None, doc=None", fn_property,     "A computed attribute.",
     0                                                                                                                                    },
    {"staticmethod", "f, /",                                      fn_staticmethod, "A function in a class that takes no self.", 0         },
    {"classmethod",  "f, /",                                      fn_classmethod,  "A function that takes the class.",          0         },
    {NULL,           NULL,                                        NULL,            NULL,                                        0         },
};

/* ---- isinstance, issubclass ---- */

static bool type_fits(nkx_value v, nkx_vtype t)
{
    int64_t i;
    if (t == NKX_V_TYPE) return v.type == NKX_V_CLASS || v.type == NKX_V_TYPE;
    if (t == NKX_V_INT) return nkx_is_int(v, &i);
    if (t == NKX_V_TUPLE && v.type == NKX_V_INSTANCE) {
        return (NKX_AS(nkx_instance, v)->cls->flags & NKX_CF_NAMEDTUPLE) != 0;
    }
    if (t == NKX_V_STR && v.type == NKX_V_INSTANCE) {
        return (NKX_AS(nkx_instance, v)->cls->flags & NKX_CF_STRENUM) != 0;
    }
    return v.type == t;
}

bool nkx_isinstance(nkx_vm *vm, nkx_value v, nkx_value cls, bool *out)
{
    *out = false;
    if (nkx_is_unknown(v)) return nkx_placeholder_used(vm, v);
    if (cls.type == NKX_V_TUPLE) {
        const nkx_tuple *t = NKX_AS(nkx_tuple, cls);
        for (uint32_t i = 0; i < t->n && !*out; i++) {
            if (!nkx_isinstance(vm, v, t->at[i], out)) return false;
        }
        return true;
    }
    if (cls.type == NKX_V_TYPE) {
        *out = type_fits(v, (nkx_vtype)cls.u.i);
        return true;
    }
    if (cls.type == NKX_V_CLASS) {
        const nkx_class *c = NKX_AS(nkx_class, cls);
        *out = c == vm->classes[NKX_CLS_object] ||
               (v.type == NKX_V_INSTANCE && nkx_class_is(NKX_AS(nkx_instance, v)->cls, c));
        return true;
    }
    if (cls.type == NKX_V_NONE) { /* X | None */
        *out = v.type == NKX_V_NONE;
        return true;
    }
    if (cls.type == NKX_V_BUILTIN && cls.u.builtin->call == fn_frozenset) {
        *out = v.type == NKX_V_SET && (v.u.o->flags & NKX_OF_FROZEN);
        return true;
    }
    if (nkx_is_unknown(cls)) return nkx_placeholder_used(vm, cls);
    if (nkx_is_placeholder(cls) || cls.type == NKX_V_NATIVE) return true;
    return nkx_raise(vm, NKX_E210, "TypeError",
                     "isinstance() arg 2 must be a type, a tuple of types, or a union");
}

bool nkx_issubclass(nkx_vm *vm, nkx_value sub, nkx_value cls, bool *out)
{
    *out = false;
    if (cls.type == NKX_V_TUPLE) {
        const nkx_tuple *t = NKX_AS(nkx_tuple, cls);
        for (uint32_t i = 0; i < t->n && !*out; i++) {
            if (!nkx_issubclass(vm, sub, t->at[i], out)) return false;
        }
        return true;
    }
    bool types = (sub.type == NKX_V_TYPE || sub.type == NKX_V_CLASS) &&
                 (cls.type == NKX_V_TYPE || cls.type == NKX_V_CLASS);
    if (!types) return nkx_raise(vm, NKX_E210, "TypeError", "issubclass() arg 1 must be a class");
    if (cls.type == NKX_V_CLASS && NKX_AS(nkx_class, cls) == vm->classes[NKX_CLS_object]) {
        *out = true;
    } else if (sub.type == NKX_V_CLASS && cls.type == NKX_V_CLASS) {
        *out = nkx_class_is(NKX_AS(nkx_class, sub), NKX_AS(nkx_class, cls));
    } else if (sub.type == NKX_V_TYPE && cls.type == NKX_V_TYPE) {
        *out = sub.u.i == cls.u.i || (sub.u.i == NKX_V_BOOL && cls.u.i == NKX_V_INT);
    }
    return true;
}
