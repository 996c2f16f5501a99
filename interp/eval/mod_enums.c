/* SPDX-License-Identifier: Apache-2.0 */
/* The enums of nki.isa (isa.md 4.1) as values: nisa.engine, its members, and the deprecated names
 * of those. Layer eval. */
#include "interp/eval/nki.h"

#include <string.h>

enum { MAX_MEMBERS = 12 };
typedef struct enum_object {
    int which;
    const nkx_name *names[MAX_MEMBERS];
} enum_object;

nkx_value nkx_member(int which, int value)
{
    return (nkx_value){
        .type = NKX_V_MEMBER, .u.m = {.which = which, .value = value}
    };
}

static bool enum_attr(nkx_vm *vm, nkx_value self, const nkx_name *name, nkx_value *out)
{
    const enum_object *e = NKX_PAYLOAD(enum_object, self);
    for (int i = 0; i < MAX_MEMBERS && e->names[i] != NULL; i++) {
        if (e->names[i] != name) continue;
        *out = nkx_member(e->which, nkx_isa_enums[e->which].members[i].value);
        return true;
    }
    if (strcmp(name->text, "__name__") == 0) *out = nkx_cstr(vm, nkx_isa_enums[e->which].name);
    return true;
}

static bool member_is(const enum_object *e, const nkx_isa_member *m, nkx_value key, bool by_name)
{
    int64_t i;
    if (by_name) return nkx_str_is(key, m->name);
    if (key.type == NKX_V_MEMBER) return key.u.m.which == e->which && key.u.m.value == m->value;
    return m->text != NULL ? nkx_str_is(key, m->text) : nkx_is_int(key, &i) && m->value == i;
}

/* engine["vector"] and engine(5). */
static bool enum_find(nkx_vm *vm, nkx_value self, nkx_value key, bool by_name, nkx_value *out)
{
    const enum_object *e = NKX_PAYLOAD(enum_object, self);
    for (const nkx_isa_member *m = nkx_isa_enums[e->which].members; m->name != NULL; m++) {
        if (!member_is(e, m, key, by_name)) continue;
        *out = nkx_member(e->which, m->value);
        return true;
    }
    nkx_buf b = {0};
    if (nkx_repr(vm, key, &b)) {
        if (by_name)
            nkx_raise(vm, NKX_E213, "KeyError", "%s", b.at);
        else
            nkx_raise(vm, NKX_E211, "ValueError", "%s is not a valid %s", b.at,
                      nkx_isa_enums[e->which].name);
    }
    nkx_buf_fini(&b);
    return false;
}

static bool enum_item(nkx_vm *vm, nkx_value self, nkx_value key, nkx_value *out)
{
    return enum_find(vm, self, key, true, out);
}

static bool enum_call(nkx_vm *vm, nkx_value self, const nkx_args *a, nkx_value *out)
{
    if (a->n != 1 || a->n_kw != 0) {
        return nkx_raise(vm, NKX_E206, "TypeError", "%s() takes one value",
                         nkx_isa_enums[NKX_PAYLOAD(enum_object, self)->which].name);
    }
    return enum_find(vm, self, a->at[0], false, out);
}

static bool enum_repr(nkx_vm *vm, nkx_value self, nkx_buf *out)
{
    (void)vm;
    nkx_buf_printf(out, "<enum '%s'>", nkx_isa_enums[NKX_PAYLOAD(enum_object, self)->which].name);
    return true;
}

static const nkx_native_type enum_type = {
    .name = "EnumType", .attr = enum_attr, .call = enum_call, .item = enum_item, .repr = enum_repr};

nkx_value nkx_enum_value(nkx_vm *vm, int which)
{
    nkx_value v = nkx_native_new(vm, &enum_type, sizeof(enum_object));
    enum_object *e = NKX_PAYLOAD(enum_object, v);
    e->which = which;
    for (int i = 0; i < MAX_MEMBERS && nkx_isa_enums[which].members[i].name != NULL; i++) {
        e->names[i] = nkx_intern(vm, nkx_isa_enums[which].members[i].name);
    }
    return v;
}

bool nkx_member_attr(nkx_vm *vm, nkx_value m, const nkx_name *name, nkx_value *out)
{
    const nkx_isa_member *row = nkx_isa_enums[m.u.m.which].members;
    while (row->name != NULL && row->value != m.u.m.value) row++;
    if (row->name == NULL) return true;
    if (strcmp(name->text, "name") == 0) {
        *out = nkx_cstr(vm, row->name);
    } else if (strcmp(name->text, "value") == 0) {
        *out = row->text != NULL ? nkx_cstr(vm, row->text) : nkx_int(row->value);
    }
    return true;
}

void nkx_member_repr(nkx_value m, nkx_buf *out)
{
    nkx_buf_str(out, nkx_isa_member_name(m.u.m.which, m.u.m.value));
}

/* nisa.vector_engine and its like: deprecated names of members. */
static bool set_aliases(nkx_vm *vm, nkx_value module)
{
    static const char *const aliases[][2] = {
        {"tensor_engine",  "tensor" },
        {"vector_engine",  "vector" },
        {"scalar_engine",  "scalar" },
        {"gpsimd_engine",  "gpsimd" },
        {"unknown_engine", "unknown"}
    };
    for (size_t i = 0; i < NKX_COUNT(aliases); i++) {
        const nkx_isa_member *m = nkx_isa_enums[NKX_ENUM_ENGINE].members;
        while (m->name != NULL && strcmp(m->name, aliases[i][1]) != 0) m++;
        if (m->name == NULL) continue;
        if (!nkx_module_set(vm, module, aliases[i][0], nkx_member(NKX_ENUM_ENGINE, m->value)))
            return false;
    }
    return true;
}

bool nkx_set_enums(nkx_vm *vm, nkx_value module)
{
    for (int which = 0; which < NKX_N_ISA_ENUMS; which++) {
        if (which == NKX_ENUM_MEMORY_REGION) continue;
        nkx_value v = nkx_enum_value(vm, which);
        bool ok = nkx_module_set(vm, module, nkx_isa_enums[which].name, v);
        nkx_drop(v);
        if (!ok) return false;
    }
    return set_aliases(vm, module);
}
