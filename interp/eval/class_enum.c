/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerations: members made from the class body, calls by value, the module `enum`. Layer eval. */
#include "interp/eval/classes.h"

#include <string.h>

static const nkx_native_type auto_type = {.name = "auto"};

static bool fn_auto(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)in;
    *out = nkx_native_new(vm, &auto_type, 0);
    return true;
}

/* A new list for the class's members; the class a member belongs to is always the one it stands in.
 */
static bool is_member_value(const nkx_name *name, nkx_value v)
{
    if (name->text[0] == '_') return false;
    return v.type != NKX_V_FUNCTION && v.type != NKX_V_STATICMETHOD &&
           v.type != NKX_V_CLASSMETHOD && v.type != NKX_V_PROPERTY && v.type != NKX_V_UNSET &&
           v.type != NKX_V_CLASS;
}

static nkx_value next_auto(nkx_vm *vm, const nkx_class *c, const nkx_name *name, nkx_value last)
{
    int64_t i;
    if (c->flags & NKX_CF_STRENUM) {
        nkx_buf b = {0};
        for (const char *s = name->text; *s != '\0'; s++) {
            nkx_buf_char(&b, *s >= 'A' && *s <= 'Z' ? (char)(*s - 'A' + 'a') : *s);
        }
        return nkx_str_take(vm, &b);
    }
    if (!nkx_is_int(last, &i)) return nkx_int(1);
    if (!(c->flags & NKX_CF_FLAG)) return nkx_int(i + 1);
    int64_t bit = 1;
    while (bit <= i && bit < (int64_t)1 << 61) bit <<= 1;
    return nkx_int(bit);
}

/* A user __init__ of an enum takes the value, a tuple spread over its parameters. */
static bool run_member_init(nkx_vm *vm, nkx_value m, nkx_value value)
{
    nkx_value init = nkx_class_lookup(NKX_AS(nkx_instance, m)->cls, vm->id.d_init), r;
    bool found;
    if (init.type != NKX_V_FUNCTION) return true;
    bool tuple = value.type == NKX_V_TUPLE;
    const nkx_value *at = tuple ? NKX_AS(nkx_tuple, value)->at : &value;
    uint32_t n = tuple ? NKX_AS(nkx_tuple, value)->n : 1;
    if (!nkx_call_special(vm, m, vm->id.d_init, at, n, &r, &found)) return false;
    nkx_drop(r);
    return true;
}

static bool find_value(nkx_vm *vm, const nkx_class *c, nkx_value value, nkx_value *out)
{
    const nkx_list *l = NKX_AS(nkx_list, c->members);
    *out = NKX_UNSET;
    for (uint32_t i = 0; i < l->n; i++) {
        bool same;
        nkx_value own =
            nkx_attrs_get(&NKX_AS(nkx_instance, l->at[i])->attrs, vm->id.underscore_value);
        if (!nkx_equal(vm, own, value, &same)) return false;
        if (same) {
            *out = l->at[i];
            return true;
        }
    }
    return true;
}

static bool add_member(nkx_vm *vm, nkx_class *c, uint32_t at, nkx_value *last)
{
    const nkx_name *name = c->attrs.names[at];
    nkx_value value = c->attrs.values[at], found;
    c->attrs.values[at] = NKX_UNSET;
    if (nkx_is_native(value, &auto_type)) {
        nkx_drop(value);
        value = next_auto(vm, c, name, *last);
    }
    bool ok = find_value(vm, c, value, &found);
    int64_t i, before;
    if (nkx_is_int(value, &i) &&
        (!(c->flags & NKX_CF_FLAG) || !nkx_is_int(*last, &before) || i > before)) {
        nkx_drop(*last);
        *last = nkx_ref(value); /* auto() goes on from the latest number, flags from the highest */
    }
    if (ok && found.type != NKX_V_UNSET) { /* an alias */
        c->attrs.values[at] = nkx_ref(found);
        nkx_drop(value);
        return true;
    }
    if (ok) {
        nkx_value m = nkx_instance_new(vm, c), text = nkx_str_of_name(vm, name);
        nkx_instance *x = NKX_AS(nkx_instance, m);
        nkx_attrs_set(&x->attrs, vm->id.underscore_name, text);
        nkx_attrs_set(&x->attrs, vm->id.underscore_value, value);
        nkx_drop(text);
        ok = run_member_init(vm, m, value);
        nkx_list_append(c->members, m);
        c->attrs.values[at] = m;
    }
    nkx_drop(value);
    return ok;
}

bool nkx_finish_enum(nkx_vm *vm, nkx_class *c)
{
    nkx_value last = NKX_UNSET;
    bool ok = true;
    nkx_drop(c->members);
    c->members = nkx_list_new(vm, 4);
    c->n_fields = c->n_all;
    uint32_t n = c->attrs.n;
    for (uint32_t i = 0; ok && i < n; i++) {
        if (is_member_value(c->attrs.names[i], c->attrs.values[i]))
            ok = add_member(vm, c, i, &last);
    }
    nkx_drop(last);
    return ok;
}

static bool no_member(nkx_vm *vm, const nkx_class *c, nkx_value value)
{
    nkx_buf b = {0};
    if (nkx_repr(vm, value, &b)) {
        nkx_raise(vm, NKX_E211, "ValueError", "%s is not a valid %s", b.at, c->name->text);
    }
    nkx_buf_fini(&b);
    return false;
}

/* ---- flags ---- */

static int64_t member_bits(const nkx_vm *vm, nkx_value m)
{
    int64_t i = 0;
    nkx_value v = nkx_attrs_get(&NKX_AS(nkx_instance, m)->attrs, vm->id.underscore_value);
    return nkx_is_int(v, &i) ? i : 0;
}

bool nkx_flag_bits(nkx_value v, const nkx_class **c, int64_t *bits)
{
    if (v.type != NKX_V_INSTANCE) return false;
    *c = NKX_AS(nkx_instance, v)->cls;
    if (((*c)->flags & NKX_CF_FLAG) == 0) return false;
    *bits = member_bits(nkx_obj_vm(v.u.o), v);
    return true;
}

int64_t nkx_flag_all(const nkx_vm *vm, const nkx_class *c)
{
    int64_t all = 0;
    const nkx_list *l = NKX_AS(nkx_list, c->members);
    for (uint32_t i = 0; i < l->n; i++) all |= member_bits(vm, l->at[i]);
    return all;
}

nkx_value nkx_flag_parts(nkx_vm *vm, nkx_value v)
{
    const nkx_class *c = NKX_AS(nkx_instance, v)->cls;
    int64_t bits = member_bits(vm, v);
    nkx_value parts = nkx_list_new(vm, 4);
    const nkx_list *l = NKX_AS(nkx_list, c->members);
    for (uint32_t i = 0; i < l->n; i++) {
        int64_t one = member_bits(vm, l->at[i]);
        if (one > 0 && (one & (one - 1)) == 0 && (bits & one)) nkx_list_append(parts, l->at[i]);
    }
    return parts;
}

/* "R|W", with the bits that have no name as a number; None for no bits. */
static nkx_value flag_name(nkx_vm *vm, const nkx_class *c, int64_t bits)
{
    nkx_buf b = {0};
    const nkx_list *l = NKX_AS(nkx_list, c->members);
    for (uint32_t i = 0; i < l->n; i++) {
        int64_t one = member_bits(vm, l->at[i]);
        if (one <= 0 || (one & (one - 1)) != 0 || !(bits & one)) continue;
        nkx_value name =
            nkx_attrs_get(&NKX_AS(nkx_instance, l->at[i])->attrs, vm->id.underscore_name);
        nkx_buf_printf(&b, "%s%s", b.len > 0 ? "|" : "", nkx_text(name));
        bits &= ~one;
    }
    if (bits != 0) nkx_buf_printf(&b, "%s%lld", b.len > 0 ? "|" : "", (long long)bits);
    if (b.len == 0) return NKX_NONE;
    return nkx_str_take(vm, &b);
}

/* A named member of these bits, or one made on demand, always the same and not listed. */
bool nkx_flag_member(nkx_vm *vm, nkx_class *c, int64_t bits, nkx_value *out)
{
    const nkx_name *made = nkx_intern(vm, "_made_");
    int64_t all = nkx_flag_all(vm, c);
    if (bits < 0) bits &= all;
    const nkx_list *l = NKX_AS(nkx_list, c->members);
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < l->n; i++) {
            if (member_bits(vm, l->at[i]) == bits) return *out = nkx_ref(l->at[i]), true;
        }
        if (turn == 1) break;
        if (nkx_attrs_get(&c->attrs, made).type != NKX_V_LIST) {
            nkx_value fresh = nkx_list_new(vm, 4);
            nkx_attrs_set(&c->attrs, made, fresh);
            nkx_drop(fresh);
        }
        l = NKX_AS(nkx_list, nkx_attrs_get(&c->attrs, made));
    }
    if ((bits & ~all) != 0 && !(c->flags & NKX_CF_INTENUM)) {
        return nkx_raise(vm, NKX_E211, "ValueError", "<flag '%s'> invalid value %lld",
                         c->name->text, (long long)bits);
    }
    nkx_value m = nkx_instance_new(vm, c), name = flag_name(vm, c, bits);
    nkx_attrs_set(&NKX_AS(nkx_instance, m)->attrs, vm->id.underscore_name, name);
    nkx_attrs_set(&NKX_AS(nkx_instance, m)->attrs, vm->id.underscore_value, nkx_int(bits));
    nkx_drop(name);
    nkx_list_append(nkx_attrs_get(&c->attrs, made), m);
    *out = m;
    return true;
}

bool nkx_call_enum(nkx_vm *vm, nkx_class *c, nkx_pass *p, nkx_value *out)
{
    nkx_value found = NKX_UNSET;
    int64_t bits;
    bool ok = p->n == 1 && p->n_kw == 0;
    if (!ok) {
        nkx_raise(vm, NKX_E206, "TypeError", "%s() takes one value (%u given)", c->name->text,
                  p->n + p->n_kw);
    } else {
        nkx_value v = p->base[0];
        if (v.type == NKX_V_INSTANCE && NKX_AS(nkx_instance, v)->cls == c) {
            found = v;
        } else {
            ok = find_value(vm, c, v, &found);
        }
        if (ok && found.type == NKX_V_UNSET && (c->flags & NKX_CF_FLAG) && nkx_is_int(v, &bits)) {
            ok = nkx_flag_member(vm, c, bits, out);
            nkx_pop_to(vm, p->base);
            return ok;
        }
        if (ok && found.type == NKX_V_UNSET) ok = no_member(vm, c, v);
    }
    if (ok) *out = nkx_ref(found);
    nkx_pop_to(vm, p->base);
    return ok;
}

/* ---- the module ---- */

static bool fn_same(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    *out = nkx_ref(in[0]);
    return true;
}

static const nkx_builtin enum_functions[] = {
    {"auto",   "",       fn_auto, "The next value.",             0},
    {"unique", "cls, /", fn_same, "Accepts the class as it is.", 0},
    {NULL,     NULL,     NULL,    NULL,                          0},
};

static bool init_enum(nkx_vm *vm, nkx_value module)
{
    static const struct {
        const char *name;
        nkx_class_id id;
    } classes[] = {
        {"Enum",    NKX_CLS_Enum   },
        {"IntEnum", NKX_CLS_IntEnum},
        {"Flag",    NKX_CLS_Flag   },
        {"IntFlag", NKX_CLS_IntFlag},
        {"StrEnum", NKX_CLS_StrEnum}
    };
    for (size_t i = 0; i < NKX_COUNT(classes); i++) {
        if (!nkx_module_set(vm, module, classes[i].name, nkx_of(vm->classes[classes[i].id])))
            return false;
    }
    return true;
}

const nkx_module_def nkx_mod_enum = {"enum", enum_functions, init_enum, NULL};
