/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of the language. An nkx_value is 16 bytes, passed by value. Scalars are inside; the rest
 * is a pointer to a counted object that begins with nkx_obj. One rule of ownership: parameters are
 * borrowed, results are owned; a function that takes ends in _take. Containers own their items.
 * Counts cannot free a ring: the VM lists its live objects and sweeps what is left when it ends.
 */
#ifndef NKX_EVAL_VALUE_H
#define NKX_EVAL_VALUE_H

#include "interp/base/intern.h"
#include "interp/base/vec.h"
#include "interp/host/ndarray.h"
#include "interp/isa/isa.h"

typedef struct nkx_vm nkx_vm;

typedef enum nkx_vtype {
    /* inside the value */
    NKX_V_UNSET, /* no value: an unbound slot, "not given"; never seen by programs */
    NKX_V_NONE,
    NKX_V_BOOL,
    NKX_V_INT,
    NKX_V_FLOAT,
    NKX_V_ELLIPSIS,
    NKX_V_NOT_IMPLEMENTED,
    NKX_V_DTYPE,   /* nl.float32: u.i = nkx_dtype; hashable, str() gives its name */
    NKX_V_OP,      /* nl.add: u.i = nkx_alu; an operator token that is callable too */
    NKX_V_MEMBER,  /* member of an isa enum: u.m.which, u.m.value */
    NKX_V_TYPE,    /* builtin type object (int, str, tuple...): u.i = nkx_vtype it constructs */
    NKX_V_BUILTIN, /* builtin function: u.builtin, a row of a table */
    /* counted */
    NKX_V_STR,
    NKX_V_BYTES,
    NKX_V_TUPLE,
    NKX_V_LIST,
    NKX_V_DICT,
    NKX_V_SET,
    NKX_V_RANGE,
    NKX_V_SLICE,
    NKX_V_ITER,     /* any iterator: zip, enumerate, map, generator expression, dict views... */
    NKX_V_CELL,     /* shared variable of closures */
    NKX_V_FUNCTION, /* def, lambda */
    NKX_V_METHOD,   /* bound: self + callable */
    NKX_V_KERNEL,   /* result of nki.jit */
    NKX_V_CLASS,
    NKX_V_INSTANCE, /* user classes and exceptions; enum members are instances */
    NKX_V_MODULE,
    NKX_V_PROPERTY,
    NKX_V_STATICMETHOD,
    NKX_V_CLASSMETHOD,
    NKX_V_SUPER,
    NKX_V_TENSOR,   /* device tensor: an nkx_view */
    NKX_V_REGISTER, /* VirtualRegister */
    NKX_V_ARRAY,    /* host array: an nkx_ndarray */
    NKX_V_NATIVE,   /* small host objects of builtin modules: NkiInstruction, ReplicaGroup, finfo,
                       RandomState, nl.ds... */
    NKX_V_DICTVIEW, /* keys(), values(), items() */
    NKX_N_VTYPES,
} nkx_vtype;

/* Head of a counted object. Small ones live in slabs of one cell size (obj.c), which name their VM.
 */
typedef struct nkx_obj {
    uint32_t refs; /* 0: a free cell */
    uint8_t type;
    uint8_t flags; /* NKX_OF_* */
    uint16_t cls;  /* size class; 0: a large object of its own */
} nkx_obj;
#define NKX_OF_BUSY   1u /* being printed or compared: guards rings */
#define NKX_OF_FROZEN 2u /* instance whose fields are fixed */

struct nkx_builtin;

typedef struct nkx_value {
    uint8_t type; /* nkx_vtype */
    uint8_t aux;  /* MEMBER: 1 for the memory of an argument, see nkx_equal */
    uint16_t spare;
    uint32_t spare2;
    union {
        bool b;
        int64_t i;
        double f;
        nkx_obj *o;
        const struct nkx_builtin *builtin;
        struct {
            int32_t which, value;
        } m;
    } u;
} nkx_value;

#define NKX_UNSET ((nkx_value){.type = NKX_V_UNSET})
#define NKX_NONE  ((nkx_value){.type = NKX_V_NONE})
static inline nkx_value nkx_int(int64_t i)
{
    return (nkx_value){.type = NKX_V_INT, .u.i = i};
}
static inline nkx_value nkx_bool(bool b)
{
    return (nkx_value){.type = NKX_V_BOOL, .u.i = b};
}
static inline nkx_value nkx_float(double f)
{
    return (nkx_value){.type = NKX_V_FLOAT, .u.f = f};
}
static inline bool nkx_is_counted(nkx_value v)
{
    return v.type >= NKX_V_STR;
}

void nkx_obj_free(nkx_obj *o); /* when refs reach 0 */
static inline nkx_value nkx_ref(nkx_value v)
{
    if (nkx_is_counted(v)) {
        v.u.o->refs++;
    }
    return v;
}
static inline void nkx_drop(nkx_value v)
{
    if (nkx_is_counted(v) && --v.u.o->refs == 0) {
        nkx_obj_free(v.u.o);
    }
}

typedef struct nkx_str {
    nkx_obj base;
    uint32_t len, hash;
    bool ascii;
    char text[];
} nkx_str;
typedef struct nkx_tuple {
    nkx_obj base;
    uint32_t n;
    nkx_value at[];
} nkx_tuple;
typedef struct nkx_list {
    nkx_obj base;
    uint32_t n, cap;
    nkx_value *at;
} nkx_list;
typedef struct nkx_range_obj {
    nkx_obj base;
    int64_t start, stop, step;
} nkx_range_obj;
typedef struct nkx_slice_obj {
    nkx_obj base;
    nkx_value start, stop, step;
    bool is_ds;
} nkx_slice_obj;
typedef struct nkx_cell {
    nkx_obj base;
    nkx_value v;
} nkx_cell;
typedef struct nkx_tensor_obj {
    nkx_obj base;
    nkx_view *view;
} nkx_tensor_obj;
typedef struct nkx_register_obj {
    nkx_obj base;
    nkx_register *reg;
} nkx_register_obj;
typedef struct nkx_array_obj {
    nkx_obj base;
    nkx_ndarray *a;
} nkx_array_obj;
typedef struct nkx_method {
    nkx_obj base;
    nkx_value self, func;
} nkx_method;

/* Insertion-ordered hash table: dict and set (values unset). */
typedef struct nkx_dict_entry {
    nkx_value key, value;
    uint64_t hash;
} nkx_dict_entry;
typedef struct nkx_dict {
    nkx_obj base;
    uint32_t n, used, cap, n_index;
    nkx_dict_entry *at;
    int32_t *index;
    nkx_obj *owner; /* a __dict__: the object whose attributes change with it; NULL; owned */
} nkx_dict;

/* Constructors: owned results. */
nkx_value nkx_str_new(nkx_vm *vm, const char *text, size_t len);
nkx_value nkx_str_printf(nkx_vm *vm, const char *fmt, ...) NKX_PRINTF(2, 3);
nkx_value nkx_tuple_new(nkx_vm *vm, uint32_t n);                        /* items NONE; fill at[] */
nkx_value nkx_tuple_of(nkx_vm *vm, const nkx_value *items, uint32_t n); /* refs the items */
nkx_value nkx_list_new(nkx_vm *vm, uint32_t cap);
void nkx_list_append(nkx_value list, nkx_value item); /* refs item */
nkx_value nkx_dict_new(nkx_vm *vm);
nkx_value nkx_set_new(nkx_vm *vm);
nkx_value nkx_slice_new(nkx_vm *vm, nkx_value start, nkx_value stop, nkx_value step);
nkx_value nkx_range_new(nkx_vm *vm, int64_t start, int64_t stop, int64_t step);
nkx_value nkx_tensor_take(nkx_vm *vm, nkx_view *view); /* takes the reference */
nkx_value nkx_register_value_take(nkx_vm *vm, nkx_register *reg);
nkx_value nkx_array_take(nkx_vm *vm, nkx_ndarray *a);
nkx_value nkx_method_new(nkx_vm *vm, nkx_value self, nkx_value func);

struct nkx_args;
/* A native object: small vtable-carrying host object for builtin modules. */
typedef struct nkx_native_type {
    const char *name;
    void (*fini)(nkx_obj *o);
    bool (*attr)(nkx_vm *vm, nkx_value self, const nkx_name *name,
                 nkx_value *out); /* out UNSET: no such attribute */
    bool (*call)(nkx_vm *vm, nkx_value self, const struct nkx_args *a,
                 nkx_value *out); /* NULL: not callable */
    bool (*item)(nkx_vm *vm, nkx_value self, nkx_value key, nkx_value *out);
    bool (*repr)(nkx_vm *vm, nkx_value self, nkx_buf *out);
    bool (*equal)(nkx_value a, nkx_value b);
    bool (*enter)(nkx_vm *vm, nkx_value self, nkx_value *out); /* context managers */
    bool (*exit)(nkx_vm *vm, nkx_value self);
} nkx_native_type;
typedef struct nkx_native {
    nkx_obj base;
    const nkx_native_type *type;
    size_t bytes;
} nkx_native; /* payload follows */

/* ---- calling builtins ---- */

/* Arguments of a call: positional first, then keywords. Borrowed. */
typedef struct nkx_args {
    const nkx_value *at; /* n positional, then n_kw values */
    uint32_t n, n_kw;
    const nkx_name *const *kw; /* n_kw names */
    nkx_span span;             /* of the call */
    const nkx_span *arg_spans; /* of each value, or NULL */
    struct nkx_site *site; /* of the call in the source (vm.h), or NULL: constant per site are n,
                              n_kw, kw, arg_spans */
} nkx_args;

/*
 * A builtin function or method: one row. `sig` is Python-like ("x, y=None, *args, sep=' '") and is
 * parsed once: the evaluator binds arguments by it before calling, so `in` holds one value a
 * parameter, UNSET where not given without default; a `*args` parameter gets a tuple, `**kw` a
 * dict.
 */
typedef struct nkx_builtin {
    const char *name;
    const char *sig;
    bool (*call)(nkx_vm *vm, const nkx_value *in,
                 nkx_value *out); /* in[0] is self for methods; out starts as NONE. RAW methods:
                                     at[0] is self */
    const char *doc;
    uint32_t flags; /* NKX_BF_* */
} nkx_builtin;
#define NKX_BF_METHOD 1u  /* first parameter is self */
#define NKX_BF_RAW    2u  /* gets nkx_args instead: cast call to nkx_raw_fn */
#define NKX_BF_KERNEL 4u  /* only inside a kernel */
#define NKX_BF_STATIC 8u  /* in a method table: no self, also when reached through a value */
#define NKX_BF_GETTER 16u /* in a method table: an attribute; call gets in[0] = self, at once */
typedef bool (*nkx_raw_fn)(nkx_vm *vm, const nkx_args *a, nkx_value *out);

/* ---- what every value can do (value.c, object.c) ---- */
const char *nkx_type_name(nkx_value v); /* "int", "str", class name, "NkiTensor" */
NKX_MUST_USE bool nkx_truth(nkx_vm *vm, nkx_value v, bool *out);
NKX_MUST_USE bool nkx_equal(nkx_vm *vm, nkx_value a, nkx_value b, bool *out);
NKX_MUST_USE bool nkx_hash(nkx_vm *vm, nkx_value v, uint64_t *out);
NKX_MUST_USE bool nkx_repr(nkx_vm *vm, nkx_value v, nkx_buf *out);
NKX_MUST_USE bool nkx_str_of(nkx_vm *vm, nkx_value v, nkx_buf *out);
NKX_MUST_USE bool nkx_get_attr(nkx_vm *vm, nkx_value v, const nkx_name *name,
                               nkx_value *out); /* AttributeError with suggestion */
NKX_MUST_USE bool nkx_find_attr(nkx_vm *vm, nkx_value v, const nkx_name *name,
                                nkx_value *out); /* UNSET when absent, no error */
NKX_MUST_USE bool nkx_set_attr(nkx_vm *vm, nkx_value v, const nkx_name *name, nkx_value x);
NKX_MUST_USE bool nkx_get_item(nkx_vm *vm, nkx_value v, nkx_value key, nkx_value *out);
NKX_MUST_USE bool nkx_set_item(nkx_vm *vm, nkx_value v, nkx_value key, nkx_value x);
NKX_MUST_USE bool nkx_call(nkx_vm *vm, nkx_value f, const nkx_args *a, nkx_value *out);
NKX_MUST_USE bool nkx_call_n(nkx_vm *vm, nkx_value f, const nkx_value *at, uint32_t n,
                             nkx_value *out);
NKX_MUST_USE bool nkx_iter(nkx_vm *vm, nkx_value v, nkx_value *out);  /* an ITER */
NKX_MUST_USE bool nkx_next(nkx_vm *vm, nkx_value it, nkx_value *out); /* UNSET at the end */
NKX_MUST_USE bool nkx_dict_get(nkx_vm *vm, nkx_value d, nkx_value key,
                               nkx_value *out); /* borrowed; UNSET when absent */
NKX_MUST_USE bool nkx_dict_set(nkx_vm *vm, nkx_value d, nkx_value key, nkx_value x);
NKX_MUST_USE bool nkx_dict_del(nkx_vm *vm, nkx_value d, nkx_value key,
                               nkx_value *taken); /* owned; UNSET when absent */
NKX_MUST_USE bool nkx_binary(nkx_vm *vm, int op /* nkx_ast_op */, nkx_value a, nkx_value b,
                             nkx_value *out);
NKX_MUST_USE bool nkx_unary(nkx_vm *vm, int op, nkx_value a, nkx_value *out);
NKX_MUST_USE bool nkx_compare_values(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out);

/*
 * Raising: creates the Python exception (class name) and remembers the place. If nothing catches
 * it, the top turns it into a diagnostic with the given code, the call stack and the hint. Always
 * returns false, so that `return nkx_raise(...)` reads well.
 */
bool nkx_raise(nkx_vm *vm, nkx_code code, const char *exception, const char *fmt, ...)
    NKX_PRINTF(4, 5);
void nkx_raise_hint(nkx_vm *vm, const char *fmt, ...)
    NKX_PRINTF(2, 3); /* adds to the pending exception */
/* A diagnostic was already given (by isa, tensor, machine): unwind, catchable as
 * NkiValidationError. */
bool nkx_raise_diagnosed(nkx_vm *vm);
bool nkx_raise_diagnosed_as(nkx_vm *vm, const char *exception);

/* Conversions used everywhere; each raises TypeError naming `what`. */
NKX_MUST_USE bool nkx_as_int(nkx_vm *vm, nkx_value v, const char *what, int64_t *out);
NKX_MUST_USE bool nkx_as_float(nkx_vm *vm, nkx_value v, const char *what, double *out);
NKX_MUST_USE bool nkx_as_shape(nkx_vm *vm, nkx_value v, const char *what, int64_t *dims, int max,
                               int *n);

#endif
