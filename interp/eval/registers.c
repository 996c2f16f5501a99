/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VirtualRegister values and dynamic loops (isa.md 4.9, 6.3; language.md 4.3). Loops run one
 * iteration after the other, since their state lives in memory. Without numbers a register that was
 * loaded from memory has no value: a loop that depends on it is counted once. Layer eval.
 */
#include "interp/eval/nki.h"

#include <limits.h>

/* ---- what a register refuses ---- */

bool nkx_register_binary(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    (void)op;
    (void)a;
    (void)b;
    (void)out;
    nkx_raise(vm, NKX_E725, "TypeError",
              "a register takes part in no arithmetic or comparison of the metaprogram");
    nkx_raise_hint(
        vm,
        "Its value exists on the device alone. Compute in a tile and load the result with "
        "nisa.register_load, or give the register as scalar_offset, select() index or loop bound.");
    return false;
}

bool nkx_register_truth(nkx_vm *vm, nkx_value a, bool *out)
{
    (void)a;
    *out = false;
    nkx_raise(vm, NKX_E727, "TypeError", "a register cannot decide a static condition");
    nkx_raise_hint(vm, "Conditions are decided while the kernel is built. nl.while_loop and `while "
                       "reg:` repeat on a "
                       "register; a single branch can be a loop of zero or one iteration.");
    return false;
}

bool nkx_register_repr(nkx_vm *vm, nkx_value a, nkx_buf *out)
{
    (void)vm;
    const nkx_register *r = nkx_reg_of(a);
    if (r->known && r->init)
        nkx_buf_printf(out, "VirtualRegister(%lld)", (long long)r->value);
    else
        nkx_buf_str(out, "VirtualRegister()");
    return true;
}

static bool own_value(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)vm;
    *out = nkx_bool(nkx_reg_of(in[0])->frozen);
    return true;
}

const nkx_builtin nkx_register_methods[] = {
    {"frozen",   "self", own_value, "True for the variable of a loop, which cannot be written.",
     NKX_BF_METHOD | NKX_BF_GETTER},
    {0},
};

/* ---- nisa.register_* ---- */

static void set_value(nkx_register *r, int64_t v)
{
    r->known = r->init = true;
    r->value = (int64_t)(int32_t)(uint32_t)(uint64_t)v == v ? v : (int64_t)(uint32_t)(uint64_t)v;
}

static bool is_register(nkx_vm *vm, const char *fn, const char *param, nkx_value v)
{
    if (v.type == NKX_V_REGISTER) return true;
    nkx_raise(vm, NKX_E702, "TypeError", "%s(): '%s' must be a register, not %s", fn, param,
              nkx_type_name(v));
    nkx_raise_hint(vm, "nisa.register_alloc() makes one.");
    return false;
}

static bool writable(nkx_vm *vm, const char *fn, nkx_value v)
{
    if (!is_register(vm, fn, "dst", v)) return false;
    if (!nkx_reg_of(v)->frozen) return true;
    nkx_raise(vm, NKX_E726, "AssertionError", "%s(): the variable of a loop cannot be written", fn);
    nkx_raise_hint(vm, "Move it to a register of your own: nisa.register_move(dst, i).");
    return false;
}

static bool is_tile(nkx_vm *vm, const char *fn, const char *param, nkx_value v)
{
    if (v.type == NKX_V_TENSOR) return nkx_view_of(v)->core == vm->core || nkx_foreign(vm, fn);
    return nkx_raise(vm, NKX_E702, "TypeError",
                     "%s(): '%s' must be a tensor of one element, not %s", fn, param,
                     nkx_type_name(v));
}

static bool load_into(nkx_vm *vm, nkx_register *r, nkx_view *v)
{
    nkx_core *core = nkx_need_core(vm, "register_load");
    if (core == NULL) return false;
    return nkx_isa_register_load(core, r, v, nkx_vm_span(vm), nkx_vm_function(vm)) ||
           nkx_raise_diagnosed(vm);
}

static bool register_alloc(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    int64_t i = 0;
    bool tile = in[0].type == NKX_V_TENSOR;
    if (nkx_need_core(vm, "register_alloc") == NULL) return false;
    if (in[0].type != NKX_V_NONE && !tile && !nkx_is_int(in[0], &i)) {
        return nkx_raise(vm, NKX_E702, "TypeError",
                         "register_alloc(): 'x' must be an int or None, not %s",
                         nkx_type_name(in[0]));
    }
    nkx_register *r = nkx_register_new();
    set_value(r, i);
    r->init = in[0].type != NKX_V_NONE;
    if (tile) {
        nkx_diag *g = nkx_diag_add(vm->diags, NKX_E704, nkx_vm_span(vm),
                                   "register_alloc() takes no tensor any more");
        nkx_diag_hint(vm->diags, g,
                      "Write r = nisa.register_alloc() and nisa.register_load(r, tensor).");
        if ((nkx_diag_stops(g) && !nkx_raise_diagnosed(vm)) ||
            !load_into(vm, r, nkx_view_of(in[0]))) {
            nkx_register_drop(r);
            return false;
        }
    }
    *out = nkx_register_value_take(vm, r);
    return true;
}

static bool register_move(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    int64_t i;
    if (!writable(vm, "register_move", in[0])) return false;
    nkx_register *dst = nkx_reg_of(in[0]);
    if (in[1].type == NKX_V_REGISTER) {
        const nkx_register *src = nkx_reg_of(in[1]);
        dst->known = src->known;
        dst->init = src->init;
        dst->value = src->value;
        return true;
    }
    if (!nkx_is_int(in[1], &i)) {
        return nkx_raise(vm, NKX_E702, "TypeError",
                         "register_move(): 'src' must be an int or a register, not %s",
                         nkx_type_name(in[1]));
    }
    set_value(dst, i);
    return true;
}

static bool register_load(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    if (!writable(vm, "register_load", in[0]) || !is_tile(vm, "register_load", "src", in[1]))
        return false;
    return load_into(vm, nkx_reg_of(in[0]), nkx_view_of(in[1]));
}

static bool register_store(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    if (!is_tile(vm, "register_store", "dst", in[0]) ||
        !is_register(vm, "register_store", "src", in[1]))
        return false;
    nkx_core *core = nkx_need_core(vm, "register_store");
    if (core == NULL) return false;
    return nkx_isa_register_store(core, nkx_view_of(in[0]), nkx_reg_of(in[1]), nkx_vm_span(vm),
                                  nkx_vm_function(vm)) ||
           nkx_raise_diagnosed(vm);
}

const nkx_builtin nkx_register_functions[] = {
    {"register_alloc", "x=None", register_alloc,
     "A new 32-bit register, with a value when one is given.", 0},
    {"register_move",  "dst, src", register_move, "dst takes the value of an int or a register.", 0},
    {"register_load",               "dst, src", register_load,
     "dst takes the one element of a tensor, when it has been computed.", 0},
    {"register_store",  "dst, src", register_store,
     "Writes a register to the one element of a tensor.", 0},
    {0  },
};

/* ---- loops ---- */

/* The older forms of dynamic loops; said once a place. */
static void deprecated(nkx_vm *vm, const char *form, const char *instead)
{
    if (vm->o.nki_minor < 6) return;
    nkx_diag *g = nkx_diag_add(vm->diags, NKX_E732, nkx_vm_span(vm), "%s is deprecated", form);
    nkx_diag_hint(vm->diags, g, "Since NKI 0.6 %s takes its place.", instead);
}

static bool goes_on(nkx_vm *vm, nkx_value reg, int64_t i, bool *go_on)
{
    const nkx_register *r = nkx_reg_of(reg);
    if (nkx_need_core(vm, "a loop over a register") == NULL) return false;
    if (r->known) {
        *go_on = r->value != 0;
    } else {
        vm->core->no_data_registers = true;
        *go_on = i == 0;
    }
    return true;
}

bool nkx_register_while(nkx_vm *vm, nkx_value reg, int64_t i, bool *go_on)
{
    if (i == 0) deprecated(vm, "while over a register", "nl.while_loop");
    return goes_on(vm, reg, i, go_on);
}

typedef struct bounds {
    int64_t start, stop, step;
    bool known;
} bounds;

static bool bound_of(nkx_vm *vm, const char *fn, const char *param, nkx_value v, int64_t *out,
                     bool *known)
{
    if (v.type == NKX_V_REGISTER) {
        *out = nkx_reg_of(v)->value;
        *known = *known && nkx_reg_of(v)->known;
        return true;
    }
    if (nkx_is_int(v, out)) return true;
    return nkx_raise(vm, NKX_E702, "TypeError", "%s(): '%s' must be an int or a register, not %s",
                     fn, param, nkx_type_name(v));
}

static bool bounds_of(nkx_vm *vm, const char *fn, nkx_value start, nkx_value stop, nkx_value step,
                      bounds *b)
{
    nkx_core *core = nkx_need_core(vm, fn);
    if (core == NULL) return false;
    if (core->in_order) {
        nkx_raise(vm, NKX_E728, "RuntimeError", "%s(): a dynamic loop inside nl.no_reorder()", fn);
        nkx_raise_hint(vm, "Static loops are fine there. Put no_reorder inside the loop's body.");
        return false;
    }
    b->known = true;
    if (!bound_of(vm, fn, "start", start, &b->start, &b->known)) return false;
    if (!bound_of(vm, fn, "stop", stop, &b->stop, &b->known)) return false;
    if (step.type == NKX_V_REGISTER || !nkx_is_int(step, &b->step) || b->step <= 0) {
        return nkx_raise(vm, NKX_E729, "AssertionError",
                         "%s(): the step must be a positive int known in advance", fn);
    }
    if (!b->known) {
        core->no_data_registers = true;
        b->stop = b->start < INT64_MAX - 1 ? b->start + 1 : b->start;
        b->step = 1;
    }
    return true;
}

static nkx_value loop_variable(nkx_vm *vm, int64_t i, bool known)
{
    nkx_register *r = nkx_register_new();
    set_value(r, i);
    r->known = known;
    r->frozen = true;
    return nkx_register_value_take(vm, r);
}

static bool dynamic_next(nkx_vm *vm, nkx_iter_obj *it, nkx_value *out)
{
    if (it->i >= it->stop) {
        *out = NKX_UNSET;
        return true;
    }
    *out = loop_variable(vm, it->i, it->a.u.b);
    if (!nkx_add_i64(it->i, it->step, &it->i)) it->i = it->stop;
    return true;
}

static const nkx_iter_type dynamic_iter = {.name = "dynamic_range", .next = dynamic_next};

static bool dynamic_range(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    bool one = in[1].type == NKX_V_NONE;
    bounds b;
    deprecated(vm, "nl.dynamic_range", "nl.fori_loop");
    if (!bounds_of(vm, "dynamic_range", one ? nkx_int(0) : in[0], one ? in[0] : in[1], in[2], &b))
        return false;
    *out = nkx_iter_new(vm, &dynamic_iter, nkx_bool(b.known), NKX_NONE);
    nkx_iter_obj *it = NKX_AS(nkx_iter_obj, *out);
    it->i = b.start;
    it->stop = b.stop;
    it->step = b.step;
    return true;
}

static bool run_body(nkx_vm *vm, nkx_value body, nkx_value i, nkx_value *out)
{
    nkx_nki *s = nkx_nki_of(vm);
    s->dynamic++;
    bool ok = nkx_call_n(vm, body, &i, 1, out);
    s->dynamic--;
    return ok;
}

static bool fori_loop(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    bounds b;
    if (!bounds_of(vm, "fori_loop", in[0], in[1], in[3], &b)) return false;
    for (int64_t i = b.start; i < b.stop;) {
        nkx_value var = loop_variable(vm, i, b.known), result = NKX_NONE;
        bool ok = run_body(vm, in[2], var, &result);
        nkx_drop(var);
        nkx_drop(result);
        if (!ok) return false;
        if (!nkx_add_i64(i, b.step, &i)) break;
    }
    return true;
}

static bool while_loop(nkx_vm *vm, const nkx_value *in, nkx_value *out)
{
    (void)out;
    bool go_on;
    if (!is_register(vm, "while_loop", "init", in[0])) return false;
    if (nkx_need_core(vm, "while_loop") == NULL) return false;
    nkx_value r = nkx_ref(in[0]);
    for (int64_t i = 0;; i++) {
        nkx_value next = NKX_NONE;
        bool ok = goes_on(vm, r, i, &go_on);
        if (!ok || !go_on) {
            nkx_drop(r);
            return ok;
        }
        ok = run_body(vm, in[1], r, &next);
        nkx_drop(r);
        r = next;
        if (!ok || r.type != NKX_V_REGISTER) break;
    }
    bool failed = nkx_exception_pending(vm);
    if (!failed) {
        nkx_raise(vm, NKX_E702, "TypeError",
                  "while_loop(): the body must return a register, not %s", nkx_type_name(r));
        nkx_raise_hint(vm, "The body returns the condition of the next iteration.");
    }
    nkx_drop(r);
    return false;
}

const nkx_builtin nkx_loop_functions[] = {
    {"dynamic_range", "start, stop=None, step=1", dynamic_range,
     "Loop on the device over ints or registers; deprecated since NKI 0.6 in favour of fori_loop.", 0},
    {"fori_loop",  "lower, upper, body_fun, step=1", fori_loop,
     "body_fun(i) for i in range(lower, upper, step), on the device; i is a register.", 0},
    {"while_loop",              "init, body_fun", while_loop,
     "While the register is not 0: register = body_fun(register).", 0},
    {0    },
};
