/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One argument of an instruction: a value of the language becomes the operand that the row's
 * parameter accepts, or a TypeError says what it should be. Layer eval.
 */
#include "interp/eval/bind.h"

#include <stdio.h>
#include <string.h>

static bool takes(const nkx_isa_param *p, nkx_arg_kind k)
{
    return (p->accept & NKX_ACCEPT(k)) != 0;
}

/* ---- refusal ---- */

static void accepted_text(const nkx_isa_param *p, nkx_buf *b)
{
    static const struct {
        unsigned bits;
        const char *text;
    } words[] = {
        {NKX_P_TILE,                  "a tile"                     },
        {NKX_ACCEPT(NKX_ARG_FLOAT),   "a number"                   },
        {NKX_ACCEPT(NKX_ARG_BOOL),    "True or False"              },
        {NKX_ACCEPT(NKX_ARG_OP),      "an operator such as nl.add" },
        {NKX_ACCEPT(NKX_ARG_DTYPE),   "a type such as nl.float32"  },
        {NKX_ACCEPT(NKX_ARG_REG),     "a register"                 },
        {NKX_ACCEPT(NKX_ARG_INTS),    "a list of ints"             },
        {NKX_ACCEPT(NKX_ARG_PATTERN), "a list of [step, num] pairs"},
        {NKX_ACCEPT(NKX_ARG_VIEWS),   "a list of tiles"            },
        {NKX_ACCEPT(NKX_ARG_FLOATS),  "a list of numbers"          },
    };
    if (takes(p, NKX_ARG_ENUM)) {
        nkx_buf_printf(b, "a member of nisa.%s", nkx_isa_enums[p->dv.u.e.which].name);
        return;
    }
    for (size_t i = 0; i < NKX_COUNT(words); i++) {
        if (p->accept & words[i].bits)
            nkx_buf_printf(b, "%s%s", b->len > 0 ? " or " : "", words[i].text);
    }
    if (takes(p, NKX_ARG_INT) && !takes(p, NKX_ARG_FLOAT) && !takes(p, NKX_ARG_BOOL)) {
        nkx_buf_printf(b, "%san int", b->len > 0 ? " or " : "");
    }
    if (p->accept & NKX_P_OPTIONAL) nkx_buf_str(b, " or None");
}

static bool wrong_kind(nkx_vm *vm, const nkx_insn *row, const nkx_isa_param *p, nkx_value v)
{
    nkx_buf b = {0};
    accepted_text(p, &b);
    nkx_raise(vm, NKX_E702, "TypeError", "%s(): '%s' must be %s, not %s", row->name, p->name,
              b.at != NULL ? b.at : "given", nkx_type_name(v));
    nkx_buf_fini(&b);
    if (v.type == NKX_V_ARRAY) {
        nkx_raise_hint(
            vm,
            "Host arrays are outside of the kernel. Pass the array as a kernel argument, or use "
            "nl.shared_constant.");
    } else if (v.type == NKX_V_REGISTER) {
        nkx_raise_hint(
            vm,
            "A register's value is known on the device alone. Registers serve as loop bounds, as "
            "scalar_offset of ap() and as index of select().");
    }
    return false;
}

bool nkx_foreign(nkx_vm *vm, const char *what)
{
    nkx_raise(vm, NKX_E731, "RuntimeError", "%s is a tensor of another launch", what);
    nkx_raise_hint(vm, "Each launch begins with empty memories. Return the tensor from the kernel "
                       "that makes it and pass the array to the next one.");
    return false;
}

static bool foreign(nkx_vm *vm, const nkx_insn *row, const nkx_isa_param *p)
{
    char what[96];
    snprintf(what, sizeof what, "%s(): '%s'", row->name, p->name);
    return nkx_foreign(vm, what);
}

/* ---- lists ---- */

bool nkx_sequence(nkx_value v, const nkx_value **at, uint32_t *n)
{
    if (v.type == NKX_V_TUPLE) {
        *at = NKX_AS(nkx_tuple, v)->at;
        *n = NKX_AS(nkx_tuple, v)->n;
        return true;
    }
    if (v.type != NKX_V_LIST) return false;
    *at = NKX_AS(nkx_list, v)->at;
    *n = NKX_AS(nkx_list, v)->n;
    return true;
}

static bool bind_views(nkx_nki *s, const nkx_core *core, const nkx_value *at, uint32_t n,
                       nkx_arg *out)
{
    nkx_view **views = NKX_ARENA_ARRAY(&s->scratch, nkx_view *, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (at[i].type != NKX_V_TENSOR) return false;
        views[i] = nkx_view_of(at[i]);
        if (views[i]->core != core) return false;
    }
    out->kind = NKX_ARG_VIEWS;
    out->u.views.n = (int)n;
    out->u.views.at = views;
    return true;
}

static bool bind_pattern(nkx_nki *s, const nkx_value *at, uint32_t n, nkx_arg *out)
{
    int64_t *flat = NKX_ARENA_ARRAY(&s->scratch, int64_t, 2 * n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const nkx_value *pair;
        uint32_t two;
        if (!nkx_sequence(at[i], &pair, &two) || two != 2) return false;
        if (!nkx_is_int(pair[0], &flat[2 * i]) || !nkx_is_int(pair[1], &flat[2 * i + 1]))
            return false;
    }
    out->kind = NKX_ARG_PATTERN;
    out->u.ints.at = flat;
    out->u.ints.n = (int)n;
    return true;
}

static bool bind_ints(nkx_nki *s, const nkx_value *at, uint32_t n, nkx_arg *out)
{
    int64_t *flat = NKX_ARENA_ARRAY(&s->scratch, int64_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (!nkx_is_int(at[i], &flat[i])) return false;
    }
    out->kind = NKX_ARG_INTS;
    out->u.ints.at = flat;
    out->u.ints.n = (int)n;
    return true;
}

static bool bind_floats(nkx_nki *s, const nkx_value *at, uint32_t n, nkx_arg *out)
{
    double *flat = NKX_ARENA_ARRAY(&s->scratch, double, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (!nkx_is_number(at[i], &flat[i])) return false;
    }
    out->kind = NKX_ARG_FLOATS;
    out->u.floats.at = flat;
    out->u.floats.n = (int)n;
    return true;
}

static bool bind_list(nkx_nki *s, const nkx_core *core, const nkx_isa_param *p, nkx_value v,
                      nkx_arg *out)
{
    const nkx_value *at;
    uint32_t n;
    if (!nkx_sequence(v, &at, &n)) return false;
    if (takes(p, NKX_ARG_VIEWS) && bind_views(s, core, at, n, out)) return true;
    if (takes(p, NKX_ARG_PATTERN) && bind_pattern(s, at, n, out)) return true;
    if (takes(p, NKX_ARG_INTS) && bind_ints(s, at, n, out)) return true;
    return takes(p, NKX_ARG_FLOATS) && bind_floats(s, at, n, out);
}

/* ---- scalars ---- */

/* Numbers in place of members were read by position in a table that changed over versions. */
static bool bind_enum_number(nkx_vm *vm, const nkx_insn *row, const nkx_isa_param *p, nkx_value v,
                             int64_t i, nkx_span span, nkx_arg *out)
{
    const nkx_isa_enum *e = &nkx_isa_enums[p->dv.u.e.which];
    for (const nkx_isa_member *m = e->members; m->name != NULL; m++) {
        if (m->value != i) continue;
        nkx_diag *g = nkx_diag_add(vm->diags, NKX_E703, span, "%s(): %s=%lld is read as %s.%s",
                                   row->name, p->name, (long long)i, e->name, m->name);
        nkx_diag_hint(vm->diags, g, "Write nisa.%s.%s: numbers are refused since NKI 0.3.", e->name,
                      m->name);
        if (nkx_diag_stops(g)) return nkx_raise_diagnosed(vm);
        *out = (nkx_arg){
            .kind = NKX_ARG_ENUM, .u.e = {.which = p->dv.u.e.which, .value = (int)i}
        };
        return true;
    }
    return wrong_kind(vm, row, p, v);
}

static bool bind_int(nkx_vm *vm, const nkx_insn *row, const nkx_isa_param *p, nkx_value v,
                     int64_t i, nkx_span span, nkx_arg *out)
{
    if (takes(p, NKX_ARG_ENUM)) return bind_enum_number(vm, row, p, v, i, span, out);
    if (v.type == NKX_V_BOOL && takes(p, NKX_ARG_BOOL)) {
        *out = (nkx_arg){.kind = NKX_ARG_BOOL, .u.b = v.u.b};
    } else if (takes(p, NKX_ARG_INT)) {
        *out = (nkx_arg){.kind = NKX_ARG_INT, .u.i = i};
    } else if (takes(p, NKX_ARG_FLOAT)) {
        *out = (nkx_arg){.kind = NKX_ARG_FLOAT, .u.f = (double)i};
    } else if (takes(p, NKX_ARG_BOOL) && (i == 0 || i == 1)) {
        *out = (nkx_arg){.kind = NKX_ARG_BOOL, .u.b = i != 0};
    } else {
        return wrong_kind(vm, row, p, v);
    }
    return true;
}

static bool bind_text(nkx_vm *vm, const nkx_insn *row, const nkx_isa_param *p, nkx_value v,
                      nkx_arg *out)
{
    if (takes(p, NKX_ARG_ENUM)) {
        for (const nkx_isa_member *m = nkx_isa_enums[p->dv.u.e.which].members; m->name != NULL;
             m++) {
            if (m->text == NULL || !nkx_str_is(v, m->text)) continue;
            *out = (nkx_arg){
                .kind = NKX_ARG_ENUM, .u.e = {.which = p->dv.u.e.which, .value = m->value}
            };
            return true;
        }
        return wrong_kind(vm, row, p, v);
    }
    if (!takes(p, NKX_ARG_STR)) return wrong_kind(vm, row, p, v);
    *out = (nkx_arg){.kind = NKX_ARG_STR, .u.s = nkx_name_of(vm, v)->text};
    return true;
}

/* Scalars of the host array library are numbers. */
static bool bind_array(nkx_vm *vm, const nkx_insn *row, const nkx_isa_param *p, nkx_value v,
                       nkx_span span, nkx_arg *out)
{
    const nkx_ndarray *a = NKX_AS(nkx_array_obj, v)->a;
    if (a->ndim != 0) return wrong_kind(vm, row, p, v);
    if (nkx_dtype_is_int((nkx_dtype)a->dtype))
        return bind_int(vm, row, p, v, nkx_nd_get_i64(a, 0), span, out);
    if (!takes(p, NKX_ARG_FLOAT)) return wrong_kind(vm, row, p, v);
    *out = (nkx_arg){.kind = NKX_ARG_FLOAT, .u.f = nkx_nd_get_f64(a, 0)};
    return true;
}

static bool bind_rare(nkx_vm *vm, const nkx_insn *row, const nkx_isa_param *p, nkx_value v,
                      nkx_span span, nkx_arg *out)
{
    int64_t i;
    if (v.type == NKX_V_ARRAY) return bind_array(vm, row, p, v, span, out);
    if (v.type == NKX_V_STR) return bind_text(vm, row, p, v, out);
    if (takes(p, NKX_ARG_OP) && nkx_value_op(vm, v) != NKX_N_ALU) {
        *out = (nkx_arg){.kind = NKX_ARG_OP, .u.op = (uint16_t)nkx_value_op(vm, v)};
        return true;
    }
    if (v.type == NKX_V_INSTANCE && nkx_is_int(v, &i)) return bind_int(vm, row, p, v, i, span, out);
    if (bind_list(nkx_nki_of(vm), vm->core, p, v, out)) return true;
    return wrong_kind(vm, row, p, v);
}

bool nkx_bind_value(nkx_vm *vm, const nkx_insn *row, int i, nkx_value v, nkx_span span,
                    nkx_arg *out)
{
    const nkx_isa_param *p = &row->params[i];
    switch ((nkx_vtype)v.type) {
    case NKX_V_TENSOR:
        if (!takes(p, NKX_ARG_VIEW)) return wrong_kind(vm, row, p, v);
        if (NKX_UNLIKELY(nkx_view_of(v)->core != vm->core)) return foreign(vm, row, p);
        out->kind = NKX_ARG_VIEW;
        out->u.view = nkx_view_of(v);
        return true;
    case NKX_V_NONE:
        out->kind = NKX_ARG_ABSENT;
        return (p->accept & NKX_P_OPTIONAL) ? true : wrong_kind(vm, row, p, v);
    case NKX_V_BOOL: return bind_int(vm, row, p, v, v.u.b, span, out);
    case NKX_V_INT: return bind_int(vm, row, p, v, v.u.i, span, out);
    case NKX_V_FLOAT:
        if (!takes(p, NKX_ARG_FLOAT)) return wrong_kind(vm, row, p, v);
        *out = (nkx_arg){.kind = NKX_ARG_FLOAT, .u.f = v.u.f};
        return true;
    case NKX_V_OP:
        if (!takes(p, NKX_ARG_OP)) return wrong_kind(vm, row, p, v);
        *out = (nkx_arg){.kind = NKX_ARG_OP, .u.op = (uint16_t)v.u.i};
        return true;
    case NKX_V_MEMBER:
        if (!takes(p, NKX_ARG_ENUM) || p->dv.u.e.which != v.u.m.which)
            return wrong_kind(vm, row, p, v);
        *out = (nkx_arg){
            .kind = NKX_ARG_ENUM, .u.e = {.which = (uint8_t)v.u.m.which, .value = v.u.m.value}
        };
        return true;
    case NKX_V_DTYPE:
        if (!takes(p, NKX_ARG_DTYPE)) return wrong_kind(vm, row, p, v);
        *out = (nkx_arg){.kind = NKX_ARG_DTYPE, .u.dtype = (uint8_t)v.u.i};
        return true;
    case NKX_V_REGISTER:
        if (!takes(p, NKX_ARG_REG)) return wrong_kind(vm, row, p, v);
        *out = (nkx_arg){.kind = NKX_ARG_REG, .u.reg = nkx_reg_of(v)};
        return true;
    default: return bind_rare(vm, row, p, v, span, out);
    }
}
