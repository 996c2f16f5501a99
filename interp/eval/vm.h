/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of the VM, for the files of this folder only. Frames and arguments live on one stack of
 * values; nothing is allocated to evaluate a node. A call in the source has a site: what is
 * constant about it (keyword names, spans) and what was worked out for the last callee (keyword ->
 * parameter).
 */
#ifndef NKX_EVAL_VM_H
#define NKX_EVAL_VM_H

#include "interp/eval/eval.h"
#include "interp/eval/modules.h"
#include <signal.h>

/* ---- names and classes the evaluator knows ---- */

/* clang-format off */
#define NKX_ID_LIST(X)                                                                             \
    X(init) X(post_init) X(new) X(call) X(getitem) X(setitem) X(delitem) X(len) X(bool) X(iter)    \
    X(next) X(contains) X(enter) X(exit) X(eq) X(ne) X(lt) X(le) X(gt) X(ge) X(hash) X(repr)       \
    X(str) X(format) X(getattr) X(setattr) X(delattr) X(name) X(qualname) X(doc) X(dict) X(class)  \
    X(module) X(file) X(self) X(args) X(cause) X(context) X(bases) X(mro) X(members) X(annotations) \
    X(init_subclass) X(class_getitem) X(defaults) X(int) X(float) X(index) X(wrapped) X(all)         \
    X(path) X(package) X(main) X(func) X(slots) X(abs) X(round) X(neg) X(pos) X(invert) X(missing) \
    X(post) X(traceback) X(set_name) X(version) X(mul)
/* clang-format on */

typedef struct nkx_ids { /* d_init is "__init__", ... */
#define X(n) const nkx_name *d_##n;
    NKX_ID_LIST(X)
#undef X
    /* plain names */
    const nkx_name *plain_name, *plain_value, *underscore_name, *underscore_value, *plain_args,
        *frozen, *eq_kw, *order, *underscore, *range_name, *code, *dunder_class_cell;
    const nkx_name *binary[NKX_OP_FLOORDIV + 1], *reflected[NKX_OP_FLOORDIV + 1],
        *inplace[NKX_OP_FLOORDIV + 1];
} nkx_ids;

/* Builtin classes: name, base. Exceptions first, in the order of Python's own tree. */
/* clang-format off */
#define NKX_CLASS_LIST(X)                                                                          \
    X(object, object)                                                                              \
    X(BaseException, object) X(SystemExit, BaseException) X(KeyboardInterrupt, BaseException)      \
    X(GeneratorExit, BaseException)                                                                \
    X(Exception, BaseException) X(StopIteration, Exception) X(ArithmeticError, Exception)          \
    X(FloatingPointError, ArithmeticError) X(OverflowError, ArithmeticError)                       \
    X(ZeroDivisionError, ArithmeticError) X(AssertionError, Exception) X(AttributeError, Exception) X(FrozenInstanceError, AttributeError) \
    X(BufferError, Exception) X(EOFError, Exception) X(ImportError, Exception)                     \
    X(ModuleNotFoundError, ImportError) X(LookupError, Exception) X(IndexError, LookupError)       \
    X(KeyError, LookupError) X(MemoryError, Exception) X(NameError, Exception)                     \
    X(UnboundLocalError, NameError) X(OSError, Exception) X(FileNotFoundError, OSError)            \
    X(FileExistsError, OSError) X(PermissionError, OSError) X(IsADirectoryError, OSError)          \
    X(TimeoutError, OSError) X(ReferenceError, Exception) X(RuntimeError, Exception)               \
    X(NotImplementedError, RuntimeError) X(RecursionError, RuntimeError) X(SyntaxError, Exception) \
    X(IndentationError, SyntaxError) X(TabError, IndentationError) X(SystemError, Exception)       \
    X(TypeError, Exception) X(ValueError, Exception) X(UnicodeError, ValueError)                   \
    X(UnicodeDecodeError, UnicodeError) X(UnicodeEncodeError, UnicodeError)                        \
    X(Warning, Exception) X(DeprecationWarning, Warning) X(UserWarning, Warning)                   \
    X(RuntimeWarning, Warning) X(FutureWarning, Warning)                                           \
    X(NkiValidationError, Exception)                                                               \
    X(NKIObject, object) X(Enum, object) X(IntEnum, Enum) X(Flag, Enum) X(IntFlag, IntEnum) X(StrEnum, Enum)        \
    X(ABC, object) X(Generic, object) X(Protocol, object) X(NamedTuple, object)
/* clang-format on */

typedef enum nkx_class_id {
#define X(n, b) NKX_CLS_##n,
    NKX_CLASS_LIST(X)
#undef X
        NKX_N_BUILTIN_CLASSES,
} nkx_class_id;

/* ---- objects with bodies ---- */

/* Attributes by name in order of creation: of instances, classes, modules. Sites remember
 * positions. */
typedef struct nkx_attrs {
    const nkx_name **names;
    nkx_value *values; /* UNSET: deleted */
    uint32_t n, cap;
    uint32_t *index; /* hash of names, kept past 8 entries: position + 1 */
    uint32_t n_index;
} nkx_attrs;

void nkx_attrs_fini(nkx_attrs *a);
uint32_t nkx_attrs_find(const nkx_attrs *a, const nkx_name *name); /* position, or UINT32_MAX */
uint32_t nkx_attrs_slot(nkx_attrs *a, const nkx_name *name); /* adds an UNSET one when absent */
static inline nkx_value nkx_attrs_get(const nkx_attrs *a,
                                      const nkx_name *name) /* borrowed; UNSET: none */
{
    uint32_t i = nkx_attrs_find(a, name);
    return i == UINT32_MAX ? NKX_UNSET : a->values[i];
}
void nkx_attrs_set(nkx_attrs *a, const nkx_name *name, nkx_value v); /* refs v */

typedef struct nkx_module_obj {
    nkx_obj base;
    const nkx_name *name; /* dotted */
    nkx_attrs globals;    /* positions are the resolver's global slots */
    nkx_value *fallback;  /* of each global slot: the builtin of that name; borrowed */
    uint32_t n_fallback;
    nkx_global_names global_names; /* the same names, for the resolver */
    struct nkx_unit *unit; /* the text it was made of, or the last one that ran in it; borrowed */
    const nkx_module_def *def; /* builtin modules */
    char *path;                /* of the file; NULL */
    char *dir;                 /* packages: folder for submodules; NULL */
    char *init_path;           /* packages: __init__ that has not run; NULL */
    bool stdlib_loaded, loading, is_package;
    bool old_dialect, new_dialect; /* imports neuronxcc.nki; imports nki */
    nkx_value names;               /* of exec: the dict whose variables these are; UNSET */
    nkx_vm *vm;
} nkx_module_obj;

typedef struct nkx_site nkx_site;

/* One parsed text with its constants and caches. Lives as long as the VM: functions point into it.
 */
typedef struct nkx_unit {
    struct nkx_unit *next;
    nkx_arena arena;
    nkx_module_ast *ast;
    nkx_value *consts; /* made on load */
    struct nkx_cache {
        const void *key; /* what the cache is of */
        uint32_t pos, kind;
        void *ptr;
    } * caches;             /* attribute sites */
    nkx_site **sites;       /* call sites; NULL until first run */
    nkx_module_obj *module; /* borrowed */
    bool is_stdlib;
} nkx_unit;

/* A call in the source. Everything but the memo is the evaluator's. */
struct nkx_site {
    const nkx_call_node *node;
    uint32_t n, n_kw;
    const nkx_name **kw;
    nkx_span *spans;    /* n + n_kw */
    const void *callee; /* params of a function or row of a builtin that `map` was made for */
    uint32_t n_bound;   /* positional values then, self included */
    const struct nkx_sig *sig; /* of a builtin callee */
    uint16_t *map;             /* keyword i -> parameter */
    /* For whoever is called (bind.c): kept until the VM ends, freed with free(). */
    const void *memo_key;
    void *memo;
};

typedef struct nkx_class nkx_class;

typedef struct nkx_function {
    nkx_obj base;
    const nkx_node *node; /* FUNCTION_DEF or LAMBDA */
    const nkx_params *params;
    const nkx_frame_info *info;
    const nkx_name *name;
    const char *qualname; /* in the unit's arena */
    nkx_unit *unit;
    nkx_module_obj *module; /* borrowed: modules outlive functions until the VM ends */
    nkx_class *owner;       /* class whose body defined it; borrowed; for super() */
    nkx_value
        *defaults;    /* of parameters, UNSET where none: n_pos + n_kwonly; NULL if none at all */
    nkx_value *cells; /* info->n_free cells */
    nkx_attrs *attrs; /* f.x = 1; NULL */
    uint32_t fid;     /* 1 + nkx_core_function index in the running core, see nkx_vm_function */
    uint32_t fid_serial;
    bool rules_done, plain; /* plain: no cells, no vararg, no kwarg, no keyword-only */
} nkx_function;

#define NKX_CF_EXCEPTION  1u
#define NKX_CF_ENUM       2u
#define NKX_CF_NKIOBJECT  4u /* __init__ from fields when there is none */
#define NKX_CF_DATACLASS  8u
#define NKX_CF_FROZEN     16u
#define NKX_CF_EQ         32u /* structural equality from fields */
#define NKX_CF_ORDER      64u
#define NKX_CF_BUILTIN    128u
#define NKX_CF_INTENUM    256u
#define NKX_CF_NEWHASH    512u /* hash from fields */
#define NKX_CF_UNHASHABLE 1024u
#define NKX_CF_NAMEDTUPLE 2048u
#define NKX_CF_NO_REPR    4096u
#define NKX_CF_FLAG       8192u
#define NKX_CF_STRENUM    16384u

typedef struct nkx_field {
    const nkx_name *name;
    nkx_value dflt;    /* UNSET: none */
    nkx_value factory; /* UNSET: none */
    bool init, repr, compare, kw_only, class_var;
    bool annotated; /* false: a plain assignment, a field of NKIObject classes only */
    nkx_span span;
} nkx_field;

struct nkx_class {
    nkx_obj base;
    const nkx_name *name;
    const char *qualname;
    nkx_class *super;  /* owned reference; NULL for object */
    nkx_class **extra; /* further bases, in order; owned */
    uint32_t n_extra;
    const nkx_class **mro; /* order of lookup where bases branch; NULL: c, its super, and so on */
    uint32_t n_mro;
    nkx_attrs attrs;
    nkx_field *fields; /* of this class and its bases, in order */
    uint32_t n_fields; /* those that make up an instance: all, or the bases' where this class is no
                          dataclass */
    uint32_t n_all, cap_fields;
    bool decorated;            /* is a dataclass itself */
    uint32_t flags;            /* NKX_CF_* */
    nkx_value members;         /* enums: list of members in order */
    const nkx_class_def *node; /* NULL: builtin */
    nkx_unit *unit;
    nkx_module_obj *module;
    nkx_value unit_base; /* unittest and the like: hook of a native base; UNSET */
    bool rules_done;
};

typedef struct nkx_exc nkx_exc;
typedef struct nkx_instance {
    nkx_obj base;
    nkx_class *cls; /* owned reference */
    nkx_attrs attrs;
    nkx_exc *exc; /* exceptions: args, place, code, hint, trace */
} nkx_instance;

struct nkx_exc {
    nkx_value args; /* tuple */
    nkx_value cause, context;
    nkx_code code;
    nkx_span span;
    char *hint;
    char **notes; /* call stack texts, innermost first, with their spans */
    nkx_span *note_spans;
    uint32_t n_notes;
    bool placed;      /* span and stack are set */
    uint64_t wide_lo; /* wide: the exact value of an integer beyond 64 bits, see wide.c */
    int64_t wide_hi;
    bool wide;
    const nkx_name *missing; /* raised for want of this: "the module 'torch'"; NULL */
    bool fatal;              /* limits and interrupts: nothing catches it */
    bool diagnosed;          /* a diagnostic was given already: number diag_index of the list */
    size_t diag_index;
    bool reported;
};

/* nki.jit: launch.c owns the meaning of all but func. */
typedef struct nkx_kernel_obj {
    nkx_obj base;
    nkx_value func;     /* FUNCTION (or any callable) */
    nkx_value schedule; /* with_schedule's list; UNSET */
    nkx_value extra;    /* UNSET, or what launch.c wants kept */
    int lnc;            /* kernel[n]; 0: not given */
    uint32_t flags;
    const nkx_name *name;
    nkx_span span; /* of the definition */
} nkx_kernel_obj;
nkx_value nkx_kernel_new(nkx_vm *vm, nkx_value func);

/* Any iterator. next gives UNSET in *out at the end. Members are for the type's use; values are
 * dropped with it. */
struct nkx_iter_obj;
typedef struct nkx_iter_type {
    const char *name; /* "zip" */
    bool (*next)(nkx_vm *vm, struct nkx_iter_obj *it, nkx_value *out);
    void (*fini)(struct nkx_iter_obj *it); /* or NULL */
} nkx_iter_type;
typedef struct nkx_iter_obj {
    nkx_obj base;
    const nkx_iter_type *type;
    nkx_value a, b, c;
    int64_t i, stop, step;
    void *p;
} nkx_iter_obj;
nkx_value nkx_iter_new(nkx_vm *vm, const nkx_iter_type *type, nkx_value a,
                       nkx_value b); /* refs a, b */

typedef struct nkx_dictview {
    nkx_obj base;
    nkx_value dict;
    int what; /* 0 keys, 1 values, 2 items */
} nkx_dictview;
nkx_value nkx_dictview_new(nkx_vm *vm, nkx_value dict, int what);
typedef struct nkx_super {
    nkx_obj base;
    nkx_class *from;
    nkx_value self;
} nkx_super;
typedef struct nkx_wrap {
    nkx_obj base;
    nkx_value func, setter, deleter;
} nkx_wrap; /* PROPERTY, STATICMETHOD, CLASSMETHOD */

/* Object of a value. */
#define NKX_AS(T, v) ((T *)(void *)(v).u.o)
static inline nkx_value nkx_of(void *o)
{
    return (nkx_value){.type = ((nkx_obj *)o)->type, .u.o = o};
}

/* A zeroed object of a type with one reference. Large ones (over 512 bytes) come from the heap. */
void *nkx_obj_new(nkx_vm *vm, nkx_vtype type, size_t size);
nkx_vm *nkx_obj_vm(const nkx_obj *o);
/* NATIVE with `bytes` of zeroed payload behind the nkx_native head. */
nkx_value nkx_native_new(nkx_vm *vm, const nkx_native_type *type, size_t bytes);
#define NKX_PAYLOAD(T, v) ((T *)(void *)(NKX_AS(nkx_native, v) + 1))
static inline bool nkx_is_native(nkx_value v, const nkx_native_type *t)
{
    return v.type == NKX_V_NATIVE && NKX_AS(nkx_native, v)->type == t;
}
/* Accounts host memory against the limit; false after raising MemoryError. Sizes a program chooses
 * go through this first. */
NKX_MUST_USE bool nkx_reserve(nkx_vm *vm, uint64_t bytes);

/* ---- frames ---- */

typedef struct nkx_frame {
    nkx_vm *vm;
    nkx_value *slots;
    nkx_value *cells; /* closure of the running function */
    nkx_unit *unit;
    nkx_module_obj *module;
    const nkx_node *at; /* being evaluated: the place of errors */
    struct nkx_frame *up;
    const nkx_function *fn; /* NULL: module body */
    const nkx_frame_info *info;
    nkx_attrs *ns;                 /* class body under construction; NULL */
    struct nkx_class_build *build; /* likewise */
    nkx_value result;              /* of return */
    int kernel;                    /* vm->kernel when it was entered */
    int trying;                    /* try statements whose body is running */
} nkx_frame;

struct nkx_vm {
    nkx_vm_options o;
    nkx_sources *sources;
    nkx_diags *diags;
    nkx_names *names;
    nkx_ids id;
    nkx_arena arena; /* texts that live as long as the VM */

    nkx_value *stack, *top, *stack_end; /* values: arguments and slots */
    char *c_limit;                      /* lowest address the C stack may reach */
    nkx_frame *frame;                   /* innermost */
    uint32_t depth;
    uint64_t steps, step_stop; /* step_stop: where the next look at the limits is due */
    volatile sig_atomic_t interrupted;

    nkx_value exception; /* pending: INSTANCE; UNSET: none */
    nkx_value handling;  /* innermost exception being handled; for bare raise and context */

    struct nkx_slab *slabs[33];
    nkx_obj *free[33];
    struct nkx_large *large;
    NKX_VEC(nkx_obj *) to_free; /* objects whose turn comes when the running free is done */
    uint32_t free_depth;
    size_t n_live;
    uint64_t bytes; /* host memory in values and arrays, roughly */

    NKX_VEC(nkx_value) modules; /* loaded, in order; owned */
    nkx_value sys_modules;      /* dict: name -> module, and what programs put there */
    nkx_unit *units;            /* all of them, newest first */
    nkx_module_obj *builtins;
    nkx_class *classes[NKX_N_BUILTIN_CLASSES];           /* owned */
    struct nkx_sigs *sigs;                               /* parsed signatures of builtins */
    struct nkx_method_index *method_index[NKX_N_VTYPES]; /* nkx_find_method; NULL until used */
    nkx_value ascii[128];                                /* one-character strings; "" is ascii[0] */

    /* kernels: set by launch.c */
    int kernel;           /* > 0: inside a kernel; device rules hold */
    nkx_core *core;       /* live or last; NULL before the first launch */
    uint32_t core_serial; /* counts cores: nkx_vm_function */
    void *nki_state;      /* launch.c, bind.c */
    void (*nki_state_free)(nkx_vm *vm);
    void *std_state; /* numpy's random state and the like */
    void (*std_state_free)(nkx_vm *vm);
    bool in_report;
    bool rules_off; /* device rules are not looked at: stdlib is being loaded */
    bool exited;    /* SystemExit was reported */
    int exit_code;
};

/* Place being evaluated, for diagnostics raised by builtins: the call. {0} when nothing runs. */
nkx_span nkx_vm_span(const nkx_vm *vm);
/* Index in the core (nkx_core_function) of the innermost running function: nkx_issue.function.
 * Cached. */
uint32_t nkx_vm_function(nkx_vm *vm);
/* Writes program output. */
void nkx_vm_write(nkx_vm *vm, int stream, const char *text, size_t len);
/* Adds the calls that led here to a diagnostic, inside a kernel only: hook of nkx_diags.on_add. */
void nkx_vm_add_stack(void *vm, nkx_diag *g);

/* ---- values, further ---- */
nkx_value nkx_cstr(nkx_vm *vm, const char *text);
nkx_value nkx_str_of_name(nkx_vm *vm, const nkx_name *name);
nkx_value nkx_str_take(nkx_vm *vm, nkx_buf *b); /* makes a str of the buffer and frees it */
const nkx_name *nkx_name_of(nkx_vm *vm, nkx_value str);
const nkx_name *nkx_intern(nkx_vm *vm, const char *text);
static inline const char *nkx_text(nkx_value str)
{
    return NKX_AS(nkx_str, str)->text;
}
static inline uint32_t nkx_text_len(nkx_value str)
{
    return NKX_AS(nkx_str, str)->len;
}
bool nkx_str_is(nkx_value v, const char *text); /* v is a str and equals text */
size_t nkx_str_chars(nkx_value str);            /* length in characters */
/* Byte offset of character i (0 <= i <= length). */
size_t nkx_str_offset(nkx_value str, size_t i);
nkx_value nkx_bytes_new(nkx_vm *vm, const char *text, size_t len); /* BYTES share nkx_str */
uint32_t nkx_str_hash(nkx_str *s);
void nkx_list_reserve(nkx_list *l, uint32_t cap);
NKX_MUST_USE bool nkx_len(nkx_vm *vm, nkx_value v, int64_t *out); /* len(v) */
NKX_MUST_USE bool nkx_contains(nkx_vm *vm, nkx_value in, nkx_value x, bool *out);
bool nkx_index_of_slice(nkx_value slice, nkx_index *ix); /* of plain ints; false otherwise */
void nkx_ascii(const char *text, size_t len,
               nkx_buf *out); /* characters beyond ASCII become escapes */
NKX_MUST_USE bool nkx_del_item(nkx_vm *vm, nkx_value v, nkx_value key);
NKX_MUST_USE bool nkx_del_attr(nkx_vm *vm, nkx_value v, const nkx_name *name);
NKX_MUST_USE bool nkx_list_of(nkx_vm *vm, nkx_value iterable,
                              nkx_value *out); /* fresh list of the items */
NKX_MUST_USE bool nkx_list_extend(nkx_vm *vm, nkx_value list, nkx_value iterable);
NKX_MUST_USE bool nkx_compare_order(nkx_vm *vm, nkx_value a, nkx_value b,
                                    bool *less); /* a < b, for sorting */
/* start, stop, step of a slice on n items, clipped as Python does; *count items. False after an
 * error. */
NKX_MUST_USE bool nkx_slice_resolve(nkx_vm *vm, nkx_value slice, int64_t n, int64_t *start,
                                    int64_t *step, int64_t *count);
bool nkx_is_int(nkx_value v, int64_t *out);   /* int or bool (or IntEnum member) */
bool nkx_is_number(nkx_value v, double *out); /* int, bool, float */
/* d["name"] = x, for dicts made by C code. */
void nkx_dict_put_name(nkx_vm *vm, nkx_value d, const nkx_name *name, nkx_value x);
NKX_MUST_USE bool nkx_dict_copy_into(nkx_vm *vm, nkx_value dst, nkx_value src);
/* Walks entries: *i from 0; false at the end. Borrowed. */
bool nkx_dict_next(nkx_value d, uint32_t *i, nkx_value *key, nkx_value *value);
static inline uint32_t nkx_dict_len(nkx_value d)
{
    return NKX_AS(nkx_dict, d)->n;
}
void nkx_dict_clear(nkx_value d);
NKX_MUST_USE bool nkx_set_add(nkx_vm *vm, nkx_value set, nkx_value x);
const char *nkx_vtype_name(nkx_vtype t);        /* "int" */
nkx_value nkx_type_of(nkx_vm *vm, nkx_value v); /* type(v); owned */
/* isinstance(v, cls): cls a type, a class or a tuple of them; TypeError otherwise. */
NKX_MUST_USE bool nkx_isinstance(nkx_vm *vm, nkx_value v, nkx_value cls, bool *out);
NKX_MUST_USE bool nkx_issubclass(nkx_vm *vm, nkx_value sub, nkx_value cls, bool *out);
/* Row of a method or getter of a builtin type; NULL. */
const nkx_builtin *nkx_find_method(nkx_vm *vm, nkx_vtype t, const nkx_name *name);
NKX_MUST_USE bool nkx_call_method(nkx_vm *vm, nkx_value self, const nkx_name *name,
                                  const nkx_value *at, uint32_t n, nkx_value *out);
bool nkx_callable(nkx_vm *vm, nkx_value v);
/* a op= b; owned result, which may be a itself. */
NKX_MUST_USE bool nkx_binary_inplace(nkx_vm *vm, int op, nkx_value a, nkx_value b, nkx_value *out);
/* Calls type(self).name(self, at...) when the class of an INSTANCE defines it; *found false
 * otherwise. */
NKX_MUST_USE bool nkx_call_special(nkx_vm *vm, nkx_value self, const nkx_name *name,
                                   const nkx_value *at, uint32_t n, nkx_value *out, bool *found);
nkx_value nkx_fields_tuple(nkx_vm *vm,
                           nkx_value instance); /* compared fields of a dataclass instance */
/* Room left on the C stack? RecursionError otherwise. For anything that recurses over values. */
NKX_MUST_USE bool nkx_stack_check(nkx_vm *vm);
nkx_value nkx_builtin_value(const nkx_builtin *row);
bool nkx_iterable(nkx_value v);

/* ---- classes ---- */
static inline bool nkx_is_class(nkx_value v)
{
    return v.type == NKX_V_CLASS;
}
bool nkx_class_is(const nkx_class *c, const nkx_class *base); /* c is base or derives from it */
nkx_value nkx_class_lookup(const nkx_class *c, const nkx_name *name); /* borrowed; UNSET */
/* class_enum.c: members of Flag and IntFlag. */
bool nkx_flag_bits(nkx_value v, const nkx_class **c, int64_t *bits); /* false: v is none */
int64_t nkx_flag_all(const nkx_vm *vm, const nkx_class *c);
nkx_value nkx_flag_parts(nkx_vm *vm, nkx_value v); /* owned list */
NKX_MUST_USE bool nkx_flag_member(nkx_vm *vm, nkx_class *c, int64_t bits, nkx_value *out);
/* Of the classes behind `from` in the order of c: what super() finds. */
nkx_value nkx_class_lookup_behind(const nkx_class *c, const nkx_class *from, const nkx_name *name);
/* The class behind k in the order of c; *i counts from 0. */
static inline const nkx_class *nkx_class_next(const nkx_class *c, const nkx_class *k, uint32_t *i)
{
    if (c->mro == NULL) return k->super;
    return ++*i < c->n_mro ? c->mro[*i] : NULL;
}
static inline bool nkx_instance_of(const nkx_vm *vm, nkx_value v, nkx_class_id id)
{
    return v.type == NKX_V_INSTANCE && nkx_class_is(NKX_AS(nkx_instance, v)->cls, vm->classes[id]);
}
static inline nkx_value nkx_class_value(nkx_vm *vm, nkx_class_id id)
{
    return nkx_ref(nkx_of(vm->classes[id]));
}
nkx_value nkx_instance_new(nkx_vm *vm, nkx_class *c);
/* A class made by C code (unittest.TestCase, ...): methods are rows whose first parameter is self.
 */
nkx_value nkx_class_make(nkx_vm *vm, const char *name, nkx_class_id base,
                         const nkx_builtin *methods);

/* ---- exceptions ---- */
/* Adds another place to the pending exception: "defined here". */
void nkx_raise_note(nkx_vm *vm, nkx_span span, const char *fmt, ...) NKX_PRINTF(3, 4);
/* Raises an instance (or class) as `raise v` does. Always false. */
bool nkx_raise_value(nkx_vm *vm, nkx_value v);
/* Takes the pending exception: owned INSTANCE; the VM has none afterwards. */
nkx_value nkx_exception_take(nkx_vm *vm);
/* Makes e.args of the pending exception (v,) where its text is made of something else: KeyError. */
void nkx_exception_set_arg(nkx_vm *vm, nkx_value v);
void nkx_exception_clear(nkx_vm *vm); /* drops a pending one */
static inline bool nkx_exception_pending(const nkx_vm *vm)
{
    return vm->exception.type != NKX_V_UNSET;
}
bool nkx_exception_is(const nkx_vm *vm, nkx_class_id id); /* the pending one is of that class */
NKX_MUST_USE bool nkx_exception_text(nkx_vm *vm, nkx_value exc, nkx_buf *out); /* str(e) */

/* ---- calls by signature (signature.c) ---- */
typedef struct nkx_sig {
    const nkx_builtin *row;
    uint16_t n;     /* values in in[] */
    uint16_t n_pos; /* parameters that may be positional (self included) */
    uint16_t n_posonly;
    int16_t star, kwargs; /* position of *args, **kw; -1 */
    const nkx_name **names;
    nkx_value *dflt; /* UNSET: none */
    bool *required;
} nkx_sig;
const nkx_sig *nkx_sig_of(nkx_vm *vm, const nkx_builtin *row);

/* ---- modules ---- */
NKX_MUST_USE bool nkx_import(nkx_vm *vm, const char *name,
                             nkx_value *out); /* the module of that dotted name itself; owned */
nkx_value nkx_module_value_new(nkx_vm *vm, const char *name);

#endif
