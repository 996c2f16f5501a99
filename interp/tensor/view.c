/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views: their pool, making them from nothing, and what they say of themselves. Layer tensor: above
 * machine, below isa. A view is made per operand per instruction, so they come from slabs by a free
 * list that belongs to the core.
 */
#include "interp/tensor/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLAB_VIEWS 64
#define TEXT_SLOTS 256 /* cache of type texts: a power of two */

typedef struct slab {
    struct slab *next;
    nkx_view views[SLAB_VIEWS];
} slab;

typedef struct type_text {
    const char *text; /* NULL: empty slot */
    int64_t shape[NKX_MAX_RANK];
    uint8_t ndim, dtype;
} type_text;

struct nkx_tensor_state {
    nkx_view *free_views; /* linked through `index` */
    slab *slabs;
    size_t live;
    nkx_arena texts;
    type_text cache[TEXT_SLOTS];
    nkx_layer_slot isa;
};

static void state_free(void *p)
{
    nkx_tensor_state *s = p;
    if (s->isa.fini != NULL) s->isa.fini(s->isa.at);
    for (slab *b = s->slabs; b != NULL;) {
        slab *next = b->next;
        free(b);
        b = next;
    }
    nkx_arena_fini(&s->texts);
    free(s);
}

nkx_tensor_state *nkx_tensor_state_of(nkx_core *core)
{
    if (NKX_UNLIKELY(core->isa_state == NULL)) {
        nkx_tensor_state *s = nkx_alloc(sizeof *s);
        nkx_arena_init(&s->texts);
        core->isa_state = s;
        core->isa_state_free = state_free;
    }
    return core->isa_state;
}

nkx_layer_slot *nkx_tensor_isa_slot(nkx_core *core)
{
    return &nkx_tensor_state_of(core)->isa;
}

size_t nkx_view_live(nkx_core *core)
{
    return nkx_tensor_state_of(core)->live;
}

static void slab_add(nkx_tensor_state *s)
{
    slab *b = nkx_alloc(sizeof *b);
    b->next = s->slabs;
    s->slabs = b;
    for (size_t i = 0; i < SLAB_VIEWS; i++) {
        b->views[i].index = s->free_views;
        s->free_views = &b->views[i];
    }
}

nkx_view *nkx_view_new(nkx_core *core)
{
    nkx_tensor_state *s = nkx_tensor_state_of(core);
    if (NKX_UNLIKELY(s->free_views == NULL)) slab_add(s);
    nkx_view *v = s->free_views;
    s->free_views = v->index;
    s->live++;
    v->refs = 1;
    v->indirect = NKX_IND_NONE;
    v->st = NULL;
    v->index = NULL;
    v->reg = NULL;
    v->core = core;
    return v;
}

void nkx_view_free(nkx_view *v)
{
    nkx_tensor_state *s = nkx_tensor_state_of(v->core);
    if (v->index != NULL) nkx_view_drop(v->index);
    if (v->reg != NULL) nkx_register_drop(v->reg);
    nkx_storage_drop(v->st);
    v->index = s->free_views;
    s->free_views = v;
    s->live--;
}

nkx_view *nkx_view_clone(const nkx_view *v)
{
    nkx_view *w = nkx_view_new(v->core);
    w->dtype = v->dtype;
    w->ndim = v->ndim;
    w->offset = v->offset;
    w->st = nkx_storage_ref(v->st);
    for (int d = 0; d < v->ndim; d++) {
        w->shape[d] = v->shape[d];
        w->stride[d] = v->stride[d];
    }
    if (NKX_UNLIKELY(v->indirect != NKX_IND_NONE)) {
        w->indirect = v->indirect;
        w->index = v->index != NULL ? nkx_view_ref(v->index) : NULL;
        w->reg = v->reg != NULL ? nkx_register_ref(v->reg) : NULL;
        w->ind_stride = v->ind_stride;
        w->ind_extent = v->ind_extent;
        w->num_elem = v->num_elem;
    }
    return w;
}

nkx_register *nkx_register_new(void)
{
    nkx_register *r = nkx_alloc(sizeof *r);
    r->refs = 1;
    return r;
}

void nkx_register_drop(nkx_register *r)
{
    if (r != NULL && --r->refs == 0) free(r);
}

int64_t nkx_view_size(const nkx_view *v)
{
    int64_t n = 1;
    for (int d = 0; d < v->ndim; d++) n *= v->shape[d];
    return n;
}

int64_t nkx_view_free_size(const nkx_view *v)
{
    int64_t n = 1;
    for (int d = 1; d < v->ndim; d++) n *= v->shape[d];
    return n;
}

static bool keeps_fp32(nkx_dtype dt)
{
    return nkx_dtype_is_float(dt) && dt != NKX_DT_FP32 && dt != NKX_DT_FP64 &&
           dt != NKX_DT_FP8_E8M0;
}

nkx_dtype nkx_cell_dtype(const nkx_core *core, nkx_dtype dt)
{
    return NKX_UNLIKELY(core->modes.fp32) && keeps_fp32(dt) ? NKX_DT_FP32 : dt;
}

/* ---- texts ---- */

static void type_text_write(nkx_buf *b, int ndim, const int64_t *shape, nkx_dtype dt)
{
    nkx_buf_str(b, nkx_dtypes[dt].name);
    nkx_buf_char(b, '[');
    for (int d = 0; d < ndim; d++) nkx_buf_printf(b, "%s%lld", d ? "," : "", (long long)shape[d]);
    nkx_buf_char(b, ']');
}

static uint64_t type_hash(int ndim, const int64_t *shape, nkx_dtype dt)
{
    uint64_t h = (uint64_t)dt * 0x9e3779b97f4a7c15u + (uint64_t)ndim;
    for (int d = 0; d < ndim; d++) h = (h ^ (uint64_t)shape[d]) * 0x9e3779b97f4a7c15u;
    return h >> 32;
}

static bool type_same(const type_text *t, int ndim, const int64_t *shape, nkx_dtype dt)
{
    return t->text != NULL && t->ndim == ndim && t->dtype == dt &&
           memcmp(t->shape, shape, sizeof *shape * (size_t)ndim) == 0;
}

/* A small cache, one slot a hash: programs make tiles of few types, and a lost text only costs a
 * new one. */
const char *nkx_type_text(nkx_core *core, int ndim, const int64_t *shape, nkx_dtype dt)
{
    nkx_tensor_state *s = nkx_tensor_state_of(core);
    type_text *t = &s->cache[type_hash(ndim, shape, dt) & (TEXT_SLOTS - 1)];
    if (type_same(t, ndim, shape, dt)) return t->text;
    nkx_buf b = {0};
    type_text_write(&b, ndim, shape, dt);
    t->text = nkx_arena_str(&s->texts, b.at, b.len);
    t->ndim = (uint8_t)ndim;
    t->dtype = (uint8_t)dt;
    memcpy(t->shape, shape, sizeof *shape * (size_t)ndim);
    nkx_buf_fini(&b);
    return t->text;
}

/* Partition and byte of the first element of an on-chip view, as the kernel would write an address.
 */
static void place_text(const nkx_view *v, nkx_buf *out)
{
    long long bytes = v->offset * nkx_dtype_bytes((nkx_dtype)v->dtype), row = v->st->row_bytes;
    nkx_buf_printf(out, "(%lld, %lld)", v->st->part0 + bytes / row, v->st->offset + bytes % row);
}

void nkx_view_text(const nkx_view *v, nkx_buf *out)
{
    type_text_write(out, v->ndim, v->shape, (nkx_dtype)v->dtype);
    nkx_buf_printf(out, " %s", nkx_space_name((nkx_space)v->st->space));
    if (nkx_view_on_chip(v)) place_text(v, out);
    if (v->indirect != NKX_IND_NONE) nkx_buf_str(out, " indirect");
}

/* ---- making ---- */

static bool bad_shape(nkx_core *core, nkx_span span, const char *what, int64_t found)
{
    nkx_diag *g = nkx_diag_add(core->diags, NKX_E323, span, "%s is %lld", what, (long long)found);
    nkx_diag_hint(core->diags, g,
                  "A tensor has 1 to %d dimensions, each of at least one element, and fewer than "
                  "2^62 bytes in all.",
                  NKX_MAX_RANK);
    return false;
}

static bool check_dtype(nkx_core *core, nkx_dtype dt, nkx_span span)
{
    if (nkx_dtypes[dt].device) return true;
    nkx_diag *g = nkx_diag_add(core->diags, NKX_E324, span, "no tensor of %s in device memory",
                               nkx_dtypes[dt].name);
    nkx_diag_hint(core->diags, g,
                  "The device holds types of up to 32 bits: use %s and convert on the host.",
                  nkx_dtype_is_float(dt) ? "nl.float32" : "nl.int32");
    return false;
}

/* Fills shape and row-major strides; *total is the byte count. */
static bool row_major(nkx_core *core, nkx_view *v, int ndim, const int64_t *shape, nkx_dtype dt,
                      nkx_span span, int64_t *total)
{
    if (ndim < 1 || ndim > NKX_MAX_RANK) return bad_shape(core, span, "number of dimensions", ndim);
    int64_t run = 1, bytes = 0;
    for (int d = ndim - 1; d >= 0; d--) {
        if (shape[d] < 1) return bad_shape(core, span, "an extent of the shape", shape[d]);
        v->shape[d] = shape[d];
        v->stride[d] = run;
        if (!nkx_mul_i64(run, shape[d], &run) || run > INT64_MAX / 64) {
            return bad_shape(core, span, "an extent of the shape", shape[d]);
        }
    }
    if (!nkx_mul_i64(run, nkx_dtype_bytes(dt), &bytes)) return false;
    v->ndim = (uint8_t)ndim;
    v->dtype = (uint8_t)dt;
    v->offset = 0;
    *total = bytes;
    return true;
}

/* Bytes of a row: partitions on chip, innermost runs in HBM (memory.h). */
static int64_t row_bytes_of(const nkx_view *v, bool on_chip)
{
    int64_t eb = nkx_dtype_bytes((nkx_dtype)v->dtype);
    return (on_chip ? v->stride[0] : v->shape[v->ndim - 1]) * eb;
}

bool nkx_view_alloc(nkx_core *core, nkx_space space, int ndim, const int64_t *shape, nkx_dtype dt,
                    nkx_place at, nkx_span span, const char *name, nkx_view **out)
{
    bool on_chip = nkx_space_on_chip(space);
    int64_t two[2] = {ndim == 1 ? shape[0] : 0, 1}, total = 0;
    if (on_chip && ndim == 1) {
        shape = two;
        ndim = 2;
    }
    if (!check_dtype(core, dt, span)) return false;
    nkx_view *v = nkx_view_new(core);
    if (!row_major(core, v, ndim, shape, dt, span, &total)) goto fail;
    int64_t row = row_bytes_of(v, on_chip);
    if (!nkx_storage_new(core, space, total / row, row, at, span, name,
                         nkx_type_text(core, ndim, shape, dt), &v->st)) {
        goto fail;
    }
    *out = v;
    return true;
fail:
    v->st = NULL;
    nkx_view_drop(v);
    return false;
}

static void mark_all(nkx_view *v)
{
    nkx_region r;
    nkx_view_region(v, true, "argument", &r);
    nkx_track_mark(&r);
}

/* With modes.fp32 the bytes of the caller do not fit the layout of the cells: a copy is made. */
static bool external_copied(nkx_core *core, void *bytes, int ndim, const int64_t *shape,
                            nkx_dtype dt, nkx_span span, const char *name, nkx_view **out)
{
    nkx_place at = {0};
    if (!nkx_view_alloc(core, NKX_SPACE_HBM, ndim, shape, dt, at, span, name, out)) return false;
    if (core->modes.exec && bytes != NULL) nkx_view_write(*out, bytes);
    mark_all(*out);
    return true;
}

bool nkx_view_external(nkx_core *core, void *bytes, int ndim, const int64_t *shape, nkx_dtype dt,
                       nkx_span span, const char *name, nkx_view **out)
{
    if (!check_dtype(core, dt, span)) return false;
    if (core->modes.fp32) return external_copied(core, bytes, ndim, shape, dt, span, name, out);
    int64_t total = 0;
    nkx_view *v = nkx_view_new(core);
    if (!row_major(core, v, ndim, shape, dt, span, &total)) {
        nkx_view_drop(v);
        return false;
    }
    int64_t row = row_bytes_of(v, false);
    v->st = nkx_storage_external(core, bytes, total / row, row, span, name,
                                 nkx_type_text(core, ndim, shape, dt));
    *out = v;
    return true;
}

bool nkx_view_is_contiguous(const nkx_view *v)
{
    int64_t run = 1;
    int last = nkx_view_on_chip(v) ? 1 : 0;
    for (int d = v->ndim - 1; d >= last; d--) {
        if (v->shape[d] != 1 && v->stride[d] != run) return false;
        run *= v->shape[d];
    }
    return true;
}

/* ---- whole views to and from the host ---- */

/* A dense host array of the view's own type and shape. */
static void dense_access(const nkx_view *v, void *bytes, nkx_access *out)
{
    memset(out, 0, sizeof *out);
    out->base = bytes;
    out->dtype = v->dtype;
    out->elem_bytes = (int32_t)nkx_dtype_bytes((nkx_dtype)v->dtype);
    out->nparts = 1;
    out->ndim = 1;
    out->n = out->count[0] = nkx_view_size(v);
    out->step[0] = out->elem_bytes;
    out->dense = true;
}

void nkx_view_read(nkx_view *v, void *dense)
{
    nkx_access src, dst;
    nkx_core_flush(v->core);
    nkx_view_access_flat(v, 0, &src);
    dense_access(v, dense, &dst);
    nkx_access_move(&dst, &src);
}

void nkx_view_write(nkx_view *v, const void *dense)
{
    nkx_access src, dst;
    union {
        const void *in;
        void *out; /* only read through: moves do not write their source */
    } bytes = {.in = dense};
    nkx_core_flush(v->core);
    nkx_view_access_flat(v, 0, &dst);
    dense_access(v, bytes.out, &src);
    nkx_access_move(&dst, &src);
}
