/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tensor is a view: storage plus access pattern (isa.md 3). Element (i0..ik) lives at virtual
 * linear element `offset + sum(stride[d] * i[d])` of the storage, counted in elements of the view's
 * dtype. On chip, L means partition part0 + L / F and element L % F, F = row_bytes / element bytes.
 * Views are counted, immutable once made, pooled per core, and hold a reference to their storage.
 * All operations are static algebra: no data is touched.
 *
 * With modes.fp32 every device byte takes four host bytes (memory.h lays the arrays out so) and the
 * low-precision floats are kept as fp32 in the first four host bytes of their cell: addresses,
 * capacity and hazards stay those of the declared type, which is what `dtype` says; the type of the
 * cells is nkx_view_cell. A bit cast then sees fp32 bits, which nkx_view_bitcast warns of.
 */
#ifndef NKX_TENSOR_VIEW_H
#define NKX_TENSOR_VIEW_H

#include "interp/machine/core.h"
#include "interp/machine/track.h"
#include "interp/num/dtype.h"

#define NKX_MAX_RANK 8

typedef enum nkx_indirect {
    NKX_IND_NONE,
    NKX_IND_SCALAR, /* start moves by value * ind_stride: value from a register or a 1x1 tile */
    NKX_IND_VECTOR, /* row p of dim 0 starts at value[p] * ind_stride */
    NKX_IND_TILE,   /* gen4: free-dim columns by an index tile (isa.md 3.7) */
    NKX_IND_BEYOND, /* a pattern that leaves its storage: may be made, not used */
} nkx_indirect;

typedef struct nkx_register { /* VirtualRegister: counted */
    uint32_t refs;
    bool known;  /* false: no value in a run without data */
    bool frozen; /* loop induction variable */
    bool init;
    int64_t value;
} nkx_register;
static inline nkx_register *nkx_register_ref(nkx_register *r)
{
    r->refs++;
    return r;
}
void nkx_register_drop(nkx_register *r);
nkx_register *nkx_register_new(void);

typedef struct nkx_view {
    uint32_t refs;
    uint8_t dtype; /* nkx_dtype */
    uint8_t ndim;
    uint8_t indirect; /* nkx_indirect */
    nkx_storage *st;
    int64_t shape[NKX_MAX_RANK], stride[NKX_MAX_RANK], offset;
    /* indirection */
    struct nkx_view *index; /* owned reference; or */
    nkx_register *reg;
    int64_t ind_stride; /* elements per index unit */
    int64_t ind_extent; /* rows that exist: out of bounds beyond */
    int64_t num_elem;   /* NKX_IND_TILE */
    nkx_core *core;
} nkx_view;

/* State of the tensor and isa layers in core->isa_state: pool of views, texts of types, what isa
 * hangs on. */
typedef struct nkx_tensor_state nkx_tensor_state;
nkx_tensor_state *nkx_tensor_state_of(nkx_core *core); /* made on first use, freed with the core */
typedef struct nkx_layer_slot {
    void *at;
    void (*fini)(void *);
} nkx_layer_slot;
nkx_layer_slot *nkx_tensor_isa_slot(nkx_core *core); /* where isa keeps its own state */
size_t nkx_view_live(nkx_core *core);                /* views not yet freed: leak tests */
nkx_view *nkx_view_new(nkx_core *core);              /* one reference, fields not set but core */
nkx_view *nkx_view_clone(const nkx_view *v);         /* fresh view with the same fields */
/* "bfloat16[128,512]"; lives as long as the core. */
const char *nkx_type_text(nkx_core *core, int ndim, const int64_t *shape, nkx_dtype dt);

/* Type of the bytes in memory: fp32 for low-precision floats with modes.fp32, else the view's. */
nkx_dtype nkx_cell_dtype(const nkx_core *core, nkx_dtype dt);
static inline nkx_dtype nkx_view_cell(const nkx_view *v)
{
    return nkx_cell_dtype(v->core, (nkx_dtype)v->dtype);
}

/* Elements of the view's type in a row of its storage: device types are 1, 2 or 4 bytes. */
static inline int64_t nkx_view_row_elems(const nkx_view *v)
{
    return v->st->row_bytes >> __builtin_ctz(nkx_dtypes[v->dtype].bytes);
}
/* a / b and a % b for a >= 0, b > 0, cheap when a is small. */
static inline int64_t nkx_div_rest(int64_t a, int64_t b, int64_t *rest)
{
    int64_t q = 0;
    if (a >= b) q = (a | b) >> 32 == 0 ? (int64_t)((uint32_t)a / (uint32_t)b) : a / b;
    *rest = a - q * b;
    return q;
}

static inline nkx_view *nkx_view_ref(nkx_view *v)
{
    v->refs++;
    return v;
}
void nkx_view_free(nkx_view *v);
static inline void nkx_view_drop(nkx_view *v)
{
    if (v != NULL && --v->refs == 0) nkx_view_free(v);
}

static inline bool nkx_view_on_chip(const nkx_view *v)
{
    return nkx_space_on_chip((nkx_space)v->st->space);
}
int64_t nkx_view_size(const nkx_view *v);      /* product of the shape */
int64_t nkx_view_free_size(const nkx_view *v); /* elements per partition: product of shape[1..] */

/* What is being indexed: one item of `t[...]`. */
typedef enum nkx_index_kind {
    NKX_IX_INT,
    NKX_IX_SLICE,
    NKX_IX_ELLIPSIS,
    NKX_IX_NEWAXIS,
    NKX_IX_DS
} nkx_index_kind;
typedef struct nkx_index {
    uint8_t kind;
    bool has_start, has_stop, has_step;
    int64_t start, stop, step; /* INT: start. DS: start and size in stop */
} nkx_index;

/* All below: result owned by the caller in *out, false after a diagnostic at `span`. */
#define NKX_VIEW_FN NKX_MUST_USE bool

/* Allocates storage and a row-major view: nl.ndarray. dtype must be a device type. rank 1 on chip
 * becomes (n,1). */
NKX_VIEW_FN nkx_view_alloc(nkx_core *core, nkx_space space, int ndim, const int64_t *shape,
                           nkx_dtype dt, nkx_place at, nkx_span span, const char *name,
                           nkx_view **out);
/* HBM view over an array of the caller's (kernel argument). rows follow the innermost dim. */
NKX_VIEW_FN nkx_view_external(nkx_core *core, void *bytes, int ndim, const int64_t *shape,
                              nkx_dtype dt, nkx_span span, const char *name, nkx_view **out);

NKX_VIEW_FN nkx_view_index(nkx_view *v, const nkx_index *ix, int n, nkx_span span,
                           nkx_view **out); /* isa.md 3.2 */
NKX_VIEW_FN nkx_view_slice(nkx_view *v, int64_t dim, int64_t start, int64_t end, int64_t step,
                           nkx_span span, nkx_view **out);
NKX_VIEW_FN nkx_view_select(nkx_view *v, int64_t dim, int64_t index, nkx_span span, nkx_view **out);
NKX_VIEW_FN nkx_view_select_dynamic(nkx_view *v, int64_t dim, nkx_view *index, nkx_register *reg,
                                    nkx_span span, nkx_view **out);
NKX_VIEW_FN nkx_view_vector_select(nkx_view *v, int64_t dim, nkx_view *index, nkx_span span,
                                   nkx_view **out);
NKX_VIEW_FN nkx_view_permute(nkx_view *v, const int64_t *dims, int n, nkx_span span,
                             nkx_view **out);
NKX_VIEW_FN nkx_view_broadcast(nkx_view *v, int64_t dim, int64_t size, nkx_span span,
                               nkx_view **out);
NKX_VIEW_FN nkx_view_broadcast_to(nkx_view *v, const int64_t *shape, int n, nkx_span span,
                                  nkx_view **out);
NKX_VIEW_FN nkx_view_expand_dim(nkx_view *v, int64_t dim, nkx_span span, nkx_view **out);
NKX_VIEW_FN nkx_view_squeeze_dim(nkx_view *v, int64_t dim, nkx_span span, nkx_view **out);
NKX_VIEW_FN nkx_view_reshape_dim(nkx_view *v, int64_t dim, const int64_t *shape, int n,
                                 nkx_span span, nkx_view **out);
NKX_VIEW_FN nkx_view_flatten_dims(nkx_view *v, int64_t start, int64_t end, nkx_span span,
                                  nkx_view **out);
NKX_VIEW_FN nkx_view_reshape(nkx_view *v, const int64_t *shape, int n, nkx_span span,
                             nkx_view **out);
NKX_VIEW_FN nkx_view_bitcast(nkx_view *v, nkx_dtype dt, nkx_span span,
                             nkx_view **out); /* view(dtype) */
typedef struct nkx_ap {
    const int64_t (*pattern)[2]; /* {step, count}, outermost first */
    int n;
    bool has_offset;
    int64_t offset;
    nkx_view *scalar_offset, *vector_offset; /* borrowed; NULL */
    nkx_register *reg_offset;                /* borrowed; NULL */
    int64_t indirect_dim;
    int dtype; /* -1: the view's */
} nkx_ap;
/*
 * A plain pattern that leaves its storage is no fault yet: kernels build one before they test
 * whether the tile exists, and never use it then (isa.md 3.5). Using it is.
 */
NKX_VIEW_FN nkx_view_ap(nkx_view *v, const nkx_ap *ap, nkx_span span, nkx_view **out);
/* False after a diagnostic when the view leaves its storage: before any use of its elements. */
NKX_MUST_USE bool nkx_view_in_bounds(const nkx_view *v, nkx_span span);
NKX_VIEW_FN nkx_view_indirect_tile(nkx_view *v, nkx_view *index, int64_t num_elem, nkx_span span,
                                   nkx_view **out);
bool nkx_view_is_contiguous(const nkx_view *v);

/* "bfloat16[128,512] sbuf(0, 4096)": for messages. */
void nkx_view_text(const nkx_view *v, nkx_buf *out);

/*
 * Lowered for execution: host addresses and byte steps, adjacent dims merged. Dim 0 of an on-chip
 * view is the partition dim and is kept apart; an HBM view has nparts 1 and everything in the free
 * dims unless asked to split its dim 0 (nkx_access_split).
 */
#define NKX_ACCESS_DIMS (NKX_MAX_RANK + 1)
typedef struct nkx_access {
    uint8_t *base; /* of the first element */
    uint8_t dtype;
    uint8_t ndim; /* free dims after merging, outermost first; at least 1 */
    int32_t elem_bytes;
    uint32_t nparts;
    int64_t pstep; /* host bytes between partitions; 0 when broadcast */
    int64_t n;     /* elements per partition */
    int64_t count[NKX_ACCESS_DIMS], step[NKX_ACCESS_DIMS]; /* bytes */
    bool dense; /* one run of adjacent elements a partition, not indirect */
    /* NKX_IND_TILE: column i of a partition is at base + ind_step * index (isa.md 3.7); group 0:
     * not indirect */
    uint8_t group, ix_dtype;
    uint8_t *ix_base;
    int64_t ix_pstep, ix_step, ind_step, ind_extent;
} nkx_access;

/* Largest and smallest element address of the static part relative to `offset`. */
void nkx_view_reach(const nkx_view *v, int from_dim, int64_t *lo, int64_t *hi);

/* Region touched (hazards, written state). Works without data. Scalar-indirect views cover their
 * possible range. */
void nkx_view_region(const nkx_view *v, bool write, const char *param, nkx_region *out);
/*
 * Needs data. Scalar- and vector-indirect views are lowered without their index: resolve the first
 * (nkx_view_resolve), and add row offsets to the second (nkx_view_rows).
 */
void nkx_view_access(const nkx_view *v, nkx_access *out);
/* Everything in the free dims, partitions too: DMA, whole reads. from_dim 1 leaves dim 0 out. */
void nkx_view_access_flat(const nkx_view *v, int from_dim, nkx_access *out);
/*
 * A scalar-indirect view with its index read: a plain view. *known is false when the value is not
 * (no data). Flush before when the index is a tile. *oob: the place is outside the storage; *index:
 * the value.
 */
nkx_view *nkx_view_resolve(nkx_view *v, bool *known, bool *oob, int64_t *index);
/* Row numbers of a vector-indirect view, column-major over the index tile: values as they are.
 * Flush before. */
void nkx_view_rows(const nkx_view *v, int64_t *rows, int64_t n);
/* Iterates rows: calls for each innermost run. Helper for kernels that do not special-case. */
typedef struct nkx_access_iter {
    const nkx_access *a;
    int64_t idx[NKX_ACCESS_DIMS];
    uint8_t *at;       /* start of the current innermost run */
    int64_t run, step; /* elements and byte step of a run */
    bool done;
} nkx_access_iter;
void nkx_access_begin(nkx_access_iter *it, const nkx_access *a, uint32_t part);
void nkx_access_next(nkx_access_iter *it);

/* Reads or writes one partition's elements densely in view order, converting to fp32/int32 lanes.
 */
void nkx_access_load_f32(const nkx_access *a, uint32_t part, int64_t first, int64_t n, float *dst);
void nkx_access_store_f32(const nkx_access *a, uint32_t part, int64_t first, int64_t n,
                          const float *src);
void nkx_access_load_i32(const nkx_access *a, uint32_t part, int64_t first, int64_t n,
                         int32_t *dst);
void nkx_access_store_i32(const nkx_access *a, uint32_t part, int64_t first, int64_t n,
                          const int32_t *src);
/* Bits of elements of equal size: dst and src rows of the same partition index each. */
void nkx_access_copy(const nkx_access *dst, uint32_t dpart, const nkx_access *src, uint32_t spart,
                     int64_t first, int64_t n);
/* One element's address. */
uint8_t *nkx_access_at(const nkx_access *a, uint32_t part, int64_t i);
/* Elements of a flat access one after the other, converting when the types differ. */
void nkx_access_move(const nkx_access *dst, const nkx_access *src);
/* The same from given element numbers on. */
void nkx_access_move_at(const nkx_access *dst, int64_t dfirst, const nkx_access *src,
                        int64_t sfirst, int64_t n);
/* Flat access over n of the dims in the order given (partitions are dim 0); dims left out stand at
 * 0. */
void nkx_view_access_order(const nkx_view *v, const int *order, int n, nkx_access *out);

/* Whole view to and from dense host bytes of the same dtype, in view order: arguments, results,
 * printing. Flushes. */
void nkx_view_read(nkx_view *v, void *dense);
void nkx_view_write(nkx_view *v, const void *dense);

#endif
