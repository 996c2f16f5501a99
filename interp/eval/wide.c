/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integers between 64 and 127 bits inside one expression: 2**63 - 1, -2**63, (a * b + c) % m. An
 * operation that passes 64 bits raises OverflowError (E215) with its exact value in it; an operator
 * around it takes that back and goes on in 128 bits. Only a value that still does not fit when it
 * is needed (assigned, passed) stays an error. Layer eval.
 */
#include "interp/eval/walk.h"

#include <math.h>

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

static const i128 WIDE_MAX = (i128)(((u128)1 << 127) - 1);

typedef struct operand {
    nkx_value v; /* owned; UNSET: wide */
    i128 wide;
} operand;

static i128 join(const nkx_exc *e)
{
    return (i128)((u128)(uint64_t)e->wide_hi << 64 | e->wide_lo);
}

static void wide_text(i128 v, nkx_buf *out)
{
    char digits[48];
    size_t n = sizeof digits;
    u128 u = v < 0 ? -(u128)v : (u128)v;
    do {
        digits[--n] = (char)('0' + (int)(u % 10));
        u /= 10;
    } while (u != 0);
    if (v < 0) digits[--n] = '-';
    nkx_buf_add(out, digits + n, sizeof digits - n);
}

/* The pending OverflowError carries this value. */
static void attach(nkx_vm *vm, i128 v)
{
    nkx_exc *e = NKX_AS(nkx_instance, vm->exception)->exc;
    e->wide = true;
    e->wide_hi = (int64_t)(v >> 64);
    e->wide_lo = (uint64_t)v;
}

static nkx_value raise_wide(nkx_vm *vm, i128 v)
{
    nkx_buf b = {0};
    wide_text(v, &b);
    nkx_raise(vm, NKX_E215, "OverflowError", "the integer %s does not fit in 64 bits", b.at);
    nkx_buf_fini(&b);
    attach(vm, v);
    return NKX_UNSET;
}

/* ---- 128-bit arithmetic ---- */

static bool multiply(i128 a, i128 b, i128 *r)
{
    if (a != 0 && b != 0) {
        u128 x = a < 0 ? -(u128)a : (u128)a, y = b < 0 ? -(u128)b : (u128)b;
        if (x > (u128)WIDE_MAX / y) return false;
    }
    *r = a * b;
    return true;
}

static bool power(i128 a, i128 b, i128 *r)
{
    i128 base = a;
    *r = 1;
    if (b < 0) return false;
    for (i128 n = b; n > 0; n >>= 1) {
        if ((n & 1) && !multiply(*r, base, r)) return false;
        if (n > 1 && !multiply(base, base, &base)) return false;
    }
    return true;
}

static void divide(i128 a, i128 b, i128 *q, i128 *m)
{
    *q = a / b;
    *m = a % b;
    if (*m != 0 && (*m < 0) != (b < 0)) {
        (*q)--;
        *m += b;
    }
}

/* a OP b; false where it is not to be had in 127 bits. b is not 0 in divisions. */
static bool compute(int op, i128 a, i128 b, i128 *r)
{
    i128 other;
    switch (op) {
    case NKX_OP_ADD: return !__builtin_add_overflow(a, b, r);
    case NKX_OP_SUB: return !__builtin_sub_overflow(a, b, r);
    case NKX_OP_MULT: return multiply(a, b, r);
    case NKX_OP_POW: return power(a, b, r);
    case NKX_OP_FLOORDIV: divide(a, b, r, &other); return true;
    case NKX_OP_MOD: divide(a, b, &other, r); return true;
    case NKX_OP_LSHIFT: return b >= 0 && b < 127 && multiply(a, (i128)1 << b, r);
    case NKX_OP_RSHIFT:
        if (b < 0) return false;
        *r = b > 126 ? (a < 0 ? -1 : 0) : a >> b;
        return true;
    case NKX_OP_BITAND: *r = a & b; return true;
    case NKX_OP_BITOR: *r = a | b; return true;
    case NKX_OP_BITXOR: *r = a ^ b; return true;
    default: return false;
    }
}

void nkx_wide_attach(nkx_vm *vm, int op, int64_t a, int64_t b)
{
    i128 r;
    if (compute(op, a, b, &r)) attach(vm, r);
}

void nkx_wide_attach_text(nkx_vm *vm, const char *digits)
{
    i128 v = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++) {
        if (!multiply(v, 10, &v) || __builtin_add_overflow(v, (i128)(*digits - '0'), &v)) return;
    }
    if (*digits == '\0') attach(vm, v);
}

/* ---- operands ---- */

void nkx_wide_end(nkx_vm *vm)
{
    if (vm->exception.type == NKX_V_INSTANCE)
        NKX_AS(nkx_instance, vm->exception)->exc->wide = false;
}

/*
 * The wide value of an operand that could not be evaluated. False: another exception is pending, or
 * one that a call or a subscript in the operand raised, which is not the operand's value.
 */
static bool take_wide(nkx_vm *vm, const nkx_node *n, operand *o)
{
    if (vm->exception.type != NKX_V_INSTANCE) return false;
    const nkx_exc *e = NKX_AS(nkx_instance, vm->exception)->exc;
    if (!e->wide) return false;
    if (n->kind != NKX_BIN_OP && n->kind != NKX_UNARY_OP && n->kind != NKX_CONSTANT) {
        nkx_wide_end(vm);
        return false;
    }
    o->v = NKX_UNSET;
    o->wide = join(e);
    nkx_exception_clear(vm);
    return true;
}

static bool operand_of(nkx_frame *f, const nkx_node *n, operand *o)
{
    o->v = nkx_eval(f, n);
    return o->v.type != NKX_V_UNSET || take_wide(f->vm, n, o);
}

static bool whole(const operand *o, i128 *v)
{
    int64_t i = 0;
    if (o->v.type == NKX_V_UNSET) {
        *v = o->wide;
        return true;
    }
    if (o->v.type == NKX_V_INSTANCE || !nkx_is_int(o->v, &i)) return false;
    *v = i;
    return true;
}

static nkx_value not_wide(nkx_vm *vm, const operand *a, const operand *b)
{
    raise_wide(vm, a->v.type == NKX_V_UNSET ? a->wide : b->wide);
    nkx_wide_end(vm);
    return NKX_UNSET;
}

static nkx_value binary(nkx_frame *f, int op, const operand *a, const operand *b)
{
    nkx_vm *vm = f->vm;
    i128 x, y, r;
    nkx_value out;
    bool ints = whole(a, &x) && whole(b, &y);
    bool divides = op == NKX_OP_DIV || op == NKX_OP_FLOORDIV || op == NKX_OP_MOD;
    if (ints && divides && y == 0) { /* the error of ordinary integers */
        return nkx_binary(vm, op, nkx_int(1), nkx_int(0), &out) ? out : NKX_UNSET;
    }
    if (ints && op != NKX_OP_DIV && compute(op, x, y, &r)) {
        return r >= INT64_MIN && r <= INT64_MAX ? nkx_int((int64_t)r) : raise_wide(vm, r);
    }
    bool floats = a->v.type == NKX_V_FLOAT || b->v.type == NKX_V_FLOAT;
    if (!ints && floats && (whole(a, &x) || whole(b, &x))) {
        nkx_value l = a->v.type == NKX_V_UNSET ? nkx_float((double)a->wide) : a->v;
        nkx_value m = b->v.type == NKX_V_UNSET ? nkx_float((double)b->wide) : b->v;
        return nkx_binary(vm, op, l, m, &out) ? out : NKX_UNSET;
    }
    return not_wide(vm, a, b);
}

nkx_value nkx_wide_left(nkx_frame *f, const nkx_bin_op *n)
{
    operand a = {0}, b = {0};
    if (!take_wide(f->vm, n->left, &a) || !operand_of(f, n->right, &b)) return NKX_UNSET;
    f->at = &n->base;
    nkx_value r = binary(f, n->op, &a, &b);
    nkx_drop(b.v);
    return r;
}

nkx_value nkx_wide_right(nkx_frame *f, const nkx_bin_op *n, nkx_value left)
{
    operand a = {.v = left}, b = {0};
    if (!take_wide(f->vm, n->right, &b)) return NKX_UNSET;
    f->at = &n->base;
    return binary(f, n->op, &a, &b);
}

nkx_value nkx_wide_unary(nkx_frame *f, const nkx_unary_op *n)
{
    operand a;
    i128 r = 0;
    if (!take_wide(f->vm, n->operand, &a)) return NKX_UNSET;
    f->at = &n->base;
    bool ok = n->op == NKX_OP_USUB ? !__builtin_sub_overflow((i128)0, a.wide, &r) : true;
    if (n->op == NKX_OP_UADD) r = a.wide;
    if (n->op == NKX_OP_INVERT) r = ~a.wide;
    if (!ok) return not_wide(f->vm, &a, &a);
    return r >= INT64_MIN && r <= INT64_MAX ? nkx_int((int64_t)r) : raise_wide(f->vm, r);
}

/* ---- comparisons ---- */

/* -1, 0, 1; 2: not ordered (NaN). */
static int order_float(i128 a, double d)
{
    if (isnan(d)) return 2;
    if (d >= 0x1p127) return -1;
    if (d < -0x1p127) return 1;
    i128 t = (i128)d;
    if (a != t) return a < t ? -1 : 1;
    double rest = d - trunc(d);
    return rest > 0 ? -1 : rest < 0 ? 1 : 0;
}

static bool holds(int op, int order)
{
    switch (op) {
    case NKX_OP_LT: return order == -1;
    case NKX_OP_LTE: return order == -1 || order == 0;
    case NKX_OP_GT: return order == 1;
    case NKX_OP_GTE: return order == 1 || order == 0;
    case NKX_OP_EQ: return order == 0;
    default: return order != 0;
    }
}

static bool compare(nkx_frame *f, int op, const operand *a, const operand *b, nkx_value *out)
{
    i128 x, y;
    bool wide = a->v.type == NKX_V_UNSET || b->v.type == NKX_V_UNSET;
    if (!wide) return nkx_compare_values(f->vm, op, a->v, b->v, out);
    int order;
    if (op > NKX_OP_GTE || op < NKX_OP_EQ) {
        not_wide(f->vm, a, b);
        return false;
    }
    if (whole(a, &x) && whole(b, &y)) {
        order = x < y ? -1 : x > y;
    } else if (b->v.type == NKX_V_FLOAT) {
        order = order_float(a->wide, b->v.u.f);
    } else if (a->v.type == NKX_V_FLOAT) {
        order = order_float(b->wide, a->v.u.f);
        order = order == 2 ? 2 : -order;
    } else {
        not_wide(f->vm, a, b);
        return false;
    }
    *out = nkx_bool(holds(op, order));
    return true;
}

nkx_value nkx_wide_compare(nkx_frame *f, const nkx_compare *n, uint32_t i, nkx_value left)
{
    operand a = {.v = left}, b = {0};
    nkx_value r = NKX_UNSET;
    bool ready = left.type != NKX_V_UNSET; /* then the right side of operator i is the wide one */
    if (!take_wide(f->vm, ready ? n->rights.at[i] : n->left, ready ? &b : &a)) {
        nkx_drop(left);
        return NKX_UNSET;
    }
    for (;; i++) {
        bool on = false;
        if (!ready && !operand_of(f, n->rights.at[i], &b)) {
            nkx_drop(a.v);
            return NKX_UNSET;
        }
        ready = false;
        f->at = &n->base;
        bool ok = compare(f, n->ops[i], &a, &b, &r);
        nkx_drop(a.v);
        a = b;
        bool last = i + 1 == n->rights.n;
        if (ok && !last) ok = nkx_truth(f->vm, r, &on);
        if (!ok || last || !on) {
            nkx_drop(a.v);
            if (ok) return r;
            nkx_drop(r);
            return NKX_UNSET;
        }
        nkx_drop(r);
    }
}
