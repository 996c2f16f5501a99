/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TENSOR values: `t[...]`, assignment into tensors, and the refusal of operators with the way out
 * (isa.md 3.2, language.md 4.4). Layer eval.
 */
#include "interp/eval/nki.h"

#include "grammar/ast.h"

#include <string.h>

/* Result of a view operation into *out; the diagnostic it left becomes an exception otherwise. */
static bool give(nkx_vm *vm, bool ok, nkx_view **v, nkx_value *out)
{
    if (!ok) return nkx_exception_pending(vm) ? false : nkx_raise_diagnosed(vm);
    *out = nkx_tensor_take(vm, *v);
    return true;
}

/* ---- indexing ---- */

static bool register_index(nkx_vm *vm, nkx_value v)
{
    nkx_raise(vm, NKX_E723, "TypeError", "a %s cannot stand in the index of a tensor",
              v.type == NKX_V_REGISTER ? "register" : "tensor");
    nkx_raise_hint(vm, "Write t.select(dim, index), or t.ap(pattern, scalar_offset=index), for a "
                       "place that the device "
                       "computes.");
    return false;
}

static bool slice_part(nkx_vm *vm, nkx_value v, bool *has, int64_t *out)
{
    *has = v.type != NKX_V_NONE && v.type != NKX_V_UNSET;
    if (!*has) return true;
    if (v.type == NKX_V_REGISTER || v.type == NKX_V_TENSOR) return register_index(vm, v);
    return nkx_as_int(vm, v, "slice of a tensor", out);
}

static bool index_item(nkx_vm *vm, nkx_value v, nkx_index *ix)
{
    memset(ix, 0, sizeof *ix);
    if (nkx_is_int(v, &ix->start) && v.type != NKX_V_BOOL) {
        ix->kind = NKX_IX_INT;
        return true;
    }
    if (v.type == NKX_V_ELLIPSIS || v.type == NKX_V_NONE) {
        ix->kind = v.type == NKX_V_NONE ? NKX_IX_NEWAXIS : NKX_IX_ELLIPSIS;
        return true;
    }
    if (v.type == NKX_V_REGISTER || v.type == NKX_V_TENSOR) return register_index(vm, v);
    if (v.type != NKX_V_SLICE) {
        return nkx_raise(vm, NKX_E210, "TypeError",
                         "a tensor is indexed by ints, slices and nl.ds, not by %s",
                         nkx_type_name(v));
    }
    const nkx_slice_obj *s = NKX_AS(nkx_slice_obj, v);
    ix->kind = s->is_ds ? NKX_IX_DS : NKX_IX_SLICE;
    return slice_part(vm, s->start, &ix->has_start, &ix->start) &&
           slice_part(vm, s->stop, &ix->has_stop, &ix->stop) &&
           slice_part(vm, s->step, &ix->has_step, &ix->step);
}

enum { MAX_KEY = 2 * NKX_MAX_RANK + 2 };

static bool read_key(nkx_vm *vm, nkx_value key, nkx_index *ix, int *n)
{
    if (key.type != NKX_V_TUPLE) {
        *n = 1;
        return index_item(vm, key, &ix[0]);
    }
    const nkx_tuple *t = NKX_AS(nkx_tuple, key);
    if (t->n > MAX_KEY)
        return nkx_raise(vm, NKX_E212, "IndexError", "%u indices for a tensor", t->n);
    *n = (int)t->n;
    for (uint32_t i = 0; i < t->n; i++) {
        if (!index_item(vm, t->at[i], &ix[i])) return false;
    }
    return true;
}

bool nkx_tensor_index(nkx_vm *vm, nkx_value t, nkx_value key, nkx_value *out)
{
    nkx_index ix[MAX_KEY];
    int n;
    nkx_view *w = NULL;
    if (!read_key(vm, key, ix, &n)) return false;
    return give(vm, nkx_view_index(nkx_view_of(t), ix, n, nkx_vm_span(vm), &w), &w, out);
}

/* `t[key] = x`: not a documented way to write, but public kernels do; lowered to a copy
 * (isa.md 3.2). */
static bool assign_tile(nkx_vm *vm, nkx_value dst, nkx_value x)
{
    double num;
    if (x.type == NKX_V_TENSOR) {
        bool dma = !nkx_view_on_chip(nkx_view_of(dst)) || !nkx_view_on_chip(nkx_view_of(x));
        static const char *const names[] = {"dst", "src"};
        return nkx_issue_named(vm, dma ? "dma_copy" : "tensor_copy", 2, names,
                               (nkx_value[]){dst, x});
    }
    if (!nkx_is_number(x, &num)) {
        nkx_raise(vm, NKX_E209, "TypeError", "a %s cannot be assigned into a tensor",
                  nkx_type_name(x));
        nkx_raise_hint(vm,
                       "Instructions write through dst=; a kernel argument brings host data in.");
        return false;
    }
    static const char *const names[] = {"dst", "value"};
    return nkx_issue_named(vm, "memset", 2, names, (nkx_value[]){dst, x});
}

void nkx_tensor_bound(nkx_value t, const nkx_name *variable)
{
    nkx_storage *st = nkx_view_of(t)->st;
    if (st->name != NULL && *st->name != '\0') return;
    st->name = variable->text;
    st->by_variable = true;
}

bool nkx_tensor_set_index(nkx_vm *vm, nkx_value t, nkx_value key, nkx_value x)
{
    if (nkx_need_core(vm, "assignment into a tensor") == NULL) return false;
    nkx_diag *g = nkx_diag_add(vm->diags, NKX_E722, nkx_vm_span(vm),
                               "assignment into a tensor, done as a copy");
    nkx_diag_hint(vm->diags, g,
                  "The compiler refuses it: write nisa.tensor_copy(dst=t[...], src=x), or "
                  "nisa.dma_copy to HBM.");
    if (nkx_diag_stops(g)) return nkx_raise_diagnosed(vm);
    nkx_value part = NKX_NONE;
    if (!nkx_tensor_index(vm, t, key, &part)) return false;
    bool ok = assign_tile(vm, part, x);
    nkx_drop(part);
    return ok;
}

/* ---- operators ---- */

static bool refuse_operator(nkx_vm *vm, const char *sign, const char *nl_name, const char *what)
{
    nkx_raise(vm, NKX_E720, "TypeError", "operator %s does not apply to tensors%s", sign, what);
    if (nl_name != NULL) {
        nkx_raise_hint(vm,
                       "The metaprogram does not see elements. Write nl.%s(a, b), or an "
                       "instruction with a dst such "
                       "as nisa.tensor_tensor or nisa.tensor_scalar with op=nl.%s.",
                       nl_name, nl_name);
    } else {
        nkx_raise_hint(vm, "The metaprogram does not see elements. Write an nl function or an "
                           "nki.isa instruction.");
    }
    return false;
}

static const struct {
    int op;
    const char *sign, *nl_name;
} operators[] = {
    {NKX_OP_ADD,      "+",  "add"        },
    {NKX_OP_SUB,      "-",  "subtract"   },
    {NKX_OP_MULT,     "*",  "multiply"   },
    {NKX_OP_DIV,      "/",  "divide"     },
    {NKX_OP_MOD,      "%",  "mod"        },
    {NKX_OP_POW,      "**", "power"      },
    {NKX_OP_LSHIFT,   "<<", "left_shift" },
    {NKX_OP_RSHIFT,   ">>", "right_shift"},
    {NKX_OP_BITOR,    "|",  "bitwise_or" },
    {NKX_OP_BITXOR,   "^",  "bitwise_xor"},
    {NKX_OP_BITAND,   "&",  "bitwise_and"},
    {NKX_OP_FLOORDIV, "//", NULL         },
    {NKX_OP_MATMULT,  "@",  "matmul"     },
};

bool nkx_tensor_binary(nkx_vm *vm, int op, nkx_value a, nkx_value b, bool inplace, nkx_value *out)
{
    (void)a;
    (void)b;
    (void)out;
    for (size_t i = 0; i < NKX_COUNT(operators); i++) {
        if (operators[i].op != op) continue;
        return refuse_operator(vm, operators[i].sign, operators[i].nl_name,
                               inplace ? " in place" : "");
    }
    return refuse_operator(vm, "?", NULL, "");
}

bool nkx_tensor_unary(nkx_vm *vm, int op, nkx_value a, nkx_value *out)
{
    (void)a;
    (void)out;
    if (op == NKX_OP_USUB) return refuse_operator(vm, "-", "negative", "");
    if (op == NKX_OP_INVERT) return refuse_operator(vm, "~", "invert", "");
    return refuse_operator(vm, "+", NULL, "");
}

bool nkx_tensor_compare(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out)
{
    static const struct {
        int op;
        const char *sign, *nl_name;
    } compares[] = {
        {NKX_OP_EQ,    "==", "equal"        },
        {NKX_OP_NOTEQ, "!=", "not_equal"    },
        {NKX_OP_LT,    "<",  "less"         },
        {NKX_OP_LTE,   "<=", "less_equal"   },
        {NKX_OP_GT,    ">",  "greater"      },
        {NKX_OP_GTE,   ">=", "greater_equal"}
    };
    /* The same object: what `x in tiles` and dataclass comparison ask. */
    if (a.type == NKX_V_TENSOR && b.type == NKX_V_TENSOR && a.u.o == b.u.o &&
        (op == NKX_OP_EQ || op == NKX_OP_NOTEQ)) {
        *out = nkx_bool(op == NKX_OP_EQ);
        return true;
    }
    for (size_t i = 0; i < NKX_COUNT(compares); i++) {
        if (compares[i].op == op)
            return refuse_operator(vm, compares[i].sign, compares[i].nl_name, "");
    }
    return refuse_operator(vm, "in", NULL, "");
}

bool nkx_tensor_truth(nkx_vm *vm, nkx_value a, bool *out)
{
    (void)a;
    *out = true;
    nkx_diag *g = nkx_diag_add(vm->diags, NKX_E721, nkx_vm_span(vm),
                               "a tensor as a condition is true, whatever its elements");
    nkx_diag_hint(vm->diags, g,
                  "Ask `t is None` or `t is not None` for a tensor that may be missing. Elements "
                  "are chosen by nl.where or nisa.tensor_copy_predicated.");
    return nkx_diag_stops(g) ? nkx_raise_diagnosed(vm) : true;
}

/*
 * The one place where elements reach the metaprogram: assertions on comparisons, which the vendor's
 * examples check themselves with (language.md 5.5). They decide nothing but whether the run goes
 * on.
 */
bool nkx_tensor_assert(nkx_vm *vm, nkx_value a, bool *out)
{
    nkx_value array = NKX_NONE;
    *out = true;
    if (vm->core == NULL || !vm->core->modes.exec) return true;
    if (!nkx_tensor_to_array(vm, nkx_view_of(a), &array)) return false;
    const nkx_ndarray *n = NKX_AS(nkx_array_obj, array)->a;
    for (int64_t i = 0; i < nkx_nd_size(n) && *out; i++)
        *out = nkx_nd_elem_true((nkx_dtype)n->dtype, nkx_nd_at(n, i));
    nkx_drop(array);
    return true;
}

bool nkx_tensor_repr(nkx_vm *vm, nkx_value a, nkx_buf *out)
{
    const nkx_view *v = nkx_view_of(a);
    (void)vm;
    nkx_buf_str(out, "NkiTensor(shape=(");
    for (int d = 0; d < v->ndim; d++)
        nkx_buf_printf(out, "%s%lld", d > 0 ? ", " : "", (long long)v->shape[d]);
    nkx_buf_printf(out, "%s), dtype=%s, buffer=%s)", v->ndim == 1 ? "," : "",
                   nkx_dtypes[v->dtype].name, nkx_space_name((nkx_space)v->st->space));
    return true;
}
