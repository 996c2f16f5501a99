/* SPDX-License-Identifier: Apache-2.0 */
/*
 * typing, abc, collections.abc, __future__: names that annotations use. Annotations are not
 * evaluated, but module-level code builds aliases of them, so each name is a value that can be
 * indexed.
 */
#include "interp/eval/mod_std.h"

#include <string.h>

typedef struct form {
    const char *name; /* static text */
} form;

static bool form_item(nkx_vm *vm, nkx_value self, nkx_value key, nkx_value *out)
{
    (void)vm;
    (void)key;
    return nkx_give(out, nkx_ref(self));
}

static bool form_repr(nkx_vm *vm, nkx_value self, nkx_buf *out)
{
    (void)vm;
    nkx_buf_printf(out, "typing.%s", NKX_PAYLOAD(form, self)->name);
    return true;
}

static bool form_equal(nkx_value a, nkx_value b)
{
    return NKX_PAYLOAD(form, a)->name == NKX_PAYLOAD(form, b)->name;
}

static bool form_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    if (name == vm->id.d_name) return nkx_give(out, nkx_cstr(vm, NKX_PAYLOAD(form, self)->name));
    return true;
}

static const nkx_native_type form_type = {.name = "typing form",
                                          .attr = form_attr,
                                          .item = form_item,
                                          .repr = form_repr,
                                          .equal = form_equal};

static nkx_value form_new(nkx_vm *vm, const char *name)
{
    nkx_value v = nkx_native_new(vm, &form_type, sizeof(form));
    NKX_PAYLOAD(form, v)->name = name;
    return v;
}

static bool put_forms(nkx_vm *vm, nkx_value m, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!nkx_module_put(vm, m, names[i], form_new(vm, names[i]))) return false;
    }
    return true;
}

static bool identity(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give(out, nkx_ref(in[0]));
}

/* cast(type, value), NewType(name, type) */
static bool second(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    return nkx_give(out, nkx_ref(in[1]));
}

static bool type_var(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)in;
    return nkx_give(out, form_new(vm, "TypeVar"));
}

static bool get_type_hints(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)in;
    return nkx_give(out, nkx_dict_new(vm));
}

static const nkx_builtin typing_rows[] = {
    {"cast",              "typ, val",                                                             second,         "the value",                         0},
    {"NewType",           "name, tp",                                                             second,         "the type",                          0},
    {"TypeVar",           "name, *constraints, bound=None, covariant=False, contravariant=False", type_var,
     "a name for a type",                                                                                                                              0},
    {"ParamSpec",         "name",                                                                 type_var,       "a name for parameters",             0},
    {"overload",          "func",                                                                 identity,       "the function",                      0},
    {"final",             "f",                                                                    identity,       "the function or class",             0},
    {"no_type_check",     "arg",                                                                  identity,       "the function or class",             0},
    {"runtime_checkable", "cls",                                                                  identity,       "the class",                         0},
    {"get_type_hints",    "obj",                                                                  get_type_hints, "annotations are not evaluated: {}", 0},
    {NULL,                NULL,                                                                   NULL,           NULL,                                0},
};

static bool typing_init(nkx_vm *vm, nkx_value m)
{
    static const char *const names[] = {
        "Any",
        "AnyStr",
        "Annotated",
        "Awaitable",
        "Callable",
        "ClassVar",
        "Collection",
        "Container",
        "Counter",
        "DefaultDict",
        "Deque",
        "Dict",
        "Final",
        "FrozenSet",
        "Generator",
        "Hashable",
        "Iterable",
        "Iterator",
        "List",
        "Literal",
        "Mapping",
        "MutableMapping",
        "MutableSequence",
        "NoReturn",
        "Optional",
        "OrderedDict",
        "Self",
        "Sequence",
        "Set",
        "Sized",
        "Text",
        "Tuple",
        "Type",
        "TypeAlias",
        "TypedDict",
        "Union",
        "Never",
        "Concatenate",
        "Unpack",
        "SupportsFloat",
        "SupportsInt",
        "SupportsIndex",
    };
    return put_forms(vm, m, names, NKX_COUNT(names)) &&
           nkx_module_put(vm, m, "TYPE_CHECKING", nkx_bool(false)) &&
           nkx_module_put(vm, m, "NamedTuple", nkx_class_value(vm, NKX_CLS_NamedTuple)) &&
           nkx_module_put(vm, m, "Protocol", nkx_class_value(vm, NKX_CLS_Protocol)) &&
           nkx_module_put(vm, m, "Generic", nkx_class_value(vm, NKX_CLS_Generic));
}

static const nkx_builtin abc_rows[] = {
    {"abstractmethod",   "funcobj", identity, "the function", 0},
    {"abstractproperty", "funcobj", identity, "the function", 0},
    {NULL,               NULL,      NULL,     NULL,           0},
};

static bool abc_init(nkx_vm *vm, nkx_value m)
{
    return nkx_module_put(vm, m, "ABC", nkx_class_value(vm, NKX_CLS_ABC)) &&
           nkx_module_put(vm, m, "ABCMeta", form_new(vm, "ABCMeta"));
}

static bool collections_abc_init(nkx_vm *vm, nkx_value m)
{
    static const char *const names[] = {
        "Callable",   "Collection", "Container", "Generator",      "Hashable",
        "Iterable",   "Iterator",   "Mapping",   "MutableMapping", "MutableSequence",
        "MutableSet", "Sequence",   "Set",       "Sized"};
    return put_forms(vm, m, names, NKX_COUNT(names));
}

static bool future_init(nkx_vm *vm, nkx_value m)
{
    static const char *const names[] = {"annotations",     "division",         "print_function",
                                        "absolute_import", "unicode_literals", "generator_stop",
                                        "with_statement"};
    for (size_t i = 0; i < NKX_COUNT(names); i++) {
        if (!nkx_module_put(vm, m, names[i], NKX_NONE)) return false;
    }
    return true;
}

const nkx_module_def nkx_mod_typing = {
    .name = "typing", .functions = typing_rows, .init = typing_init};
const nkx_module_def nkx_mod_abc = {.name = "abc", .functions = abc_rows, .init = abc_init};
const nkx_module_def nkx_mod_collections_abc = {.name = "collections.abc",
                                                .init = collections_abc_init};
const nkx_module_def nkx_mod_future = {.name = "__future__", .init = future_init};
