/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host arrays: what `numpy` is in a program. N-d, strided views on counted byte blocks, all device
 * types plus int64, uint64, float64. Semantics are NumPy's (broadcasting, weak Python scalars,
 * views for basic slices). This layer knows nothing of the language; eval/mod_numpy*.c gives it
 * names.
 *
 * Parameters are borrowed, results are owned. A function that returns an array returns NULL after
 * filling in *e. Arrays are shared by views: writing through one is seen by all.
 */
#ifndef NKX_HOST_NDARRAY_H
#define NKX_HOST_NDARRAY_H

#include "interp/base/buf.h"
#include "interp/base/pages.h"
#include "interp/num/dtype.h"

#define NKX_ND_MAX 16
/* Largest array of the host library: more is a MemoryError before any byte is asked for. */
#define NKX_ND_MAX_BYTES ((int64_t)1 << 36)

typedef struct nkx_block {
    uint32_t refs;
    size_t bytes;
    uint8_t *at;
    nkx_pool *pool; /* where the bytes are from; may be NULL */
    bool external;  /* bytes are the caller's: never freed here */
} nkx_block;

typedef struct nkx_ndarray {
    uint32_t refs;
    uint8_t dtype, ndim;
    bool scalar;      /* a NumPy scalar: no dimensions, never written */
    bool readonly;    /* result of broadcast_to */
    bool touched;     /* a kernel wrote it in place */
    nkx_block *block; /* NULL: the element lies in `own` */
    uint8_t *at;      /* first element */
    int64_t shape[NKX_ND_MAX], stride[NKX_ND_MAX]; /* stride in bytes */
    uint64_t own;                                  /* bytes of a scalar */
} nkx_ndarray;

/* Errors: exception is Python's name of the class; text is its message. */
typedef struct nkx_nd_error {
    const char *exception;
    char text[240];
} nkx_nd_error;

/* Fills in *e. Both return "failed", fit for return statements. */
bool nkx_nd_fail(nkx_nd_error *e, const char *exception, const char *fmt, ...) NKX_PRINTF(3, 4);
nkx_ndarray *nkx_nd_null(nkx_nd_error *e, const char *exception, const char *fmt, ...)
    NKX_PRINTF(3, 4);

/* ---- life ---- */
nkx_ndarray *nkx_nd_new(nkx_dtype t, int ndim, const int64_t *shape,
                        nkx_nd_error *e);                   /* zeroed; NULL on error (size limit) */
nkx_ndarray *nkx_nd_scalar(nkx_dtype t, const void *bytes); /* a NumPy scalar */
nkx_ndarray *nkx_nd_scalar_f64(nkx_dtype t, double v);
nkx_ndarray *nkx_nd_scalar_i64(nkx_dtype t, int64_t v);
/* Array over bytes of the caller's, which must outlive it. */
nkx_ndarray *nkx_nd_external(nkx_dtype t, int ndim, const int64_t *shape, void *bytes);
/* The same, and the array owns them: made by nkx_pages_new, from the pool, with the array's size.
 */
nkx_ndarray *nkx_nd_adopt(nkx_dtype t, int ndim, const int64_t *shape, void *bytes, nkx_pool *pool);
static inline nkx_ndarray *nkx_nd_ref(nkx_ndarray *a)
{
    a->refs++;
    return a;
}
void nkx_nd_drop(nkx_ndarray *a);

/* ---- facts ---- */
int64_t nkx_nd_size(const nkx_ndarray *a);
bool nkx_nd_is_dense(const nkx_ndarray *a); /* C-contiguous */
bool nkx_nd_is_fortran(const nkx_ndarray *a);
bool nkx_nd_same_shape(const nkx_ndarray *a, const nkx_ndarray *b);
bool nkx_nd_overlap(const nkx_ndarray *a, const nkx_ndarray *b); /* may share bytes */
/* "(2, 3)", as Python writes a tuple. */
void nkx_nd_shape_text(nkx_buf *out, int ndim, const int64_t *shape);
/* As NumPy's own messages write it, "(2,3)", into a fixed field, cut when too long; returns it. */
const char *nkx_nd_shape_str(char *out, size_t size, int ndim, const int64_t *shape);
/* NumPy's name of a type: "float32", "float8_e8m0fnu". */
const char *nkx_nd_type_name(nkx_dtype t);
/* Axis from -ndim..ndim-1 to 0..ndim-1; AxisError otherwise. */
NKX_MUST_USE bool nkx_nd_axis(int64_t axis, int ndim, int *out, nkx_nd_error *e);

/* ---- copies and views ---- */
nkx_ndarray *nkx_nd_dense(nkx_ndarray *a);               /* owned: itself or a C-contiguous copy */
nkx_ndarray *nkx_nd_copy(const nkx_ndarray *a);          /* always a new C-contiguous array */
nkx_ndarray *nkx_nd_astype(nkx_ndarray *a, nkx_dtype t); /* always a copy; owned */
nkx_ndarray *nkx_nd_as(nkx_ndarray *a, nkx_dtype t);     /* itself when it has the type */
nkx_ndarray *nkx_nd_view(const nkx_ndarray *a);          /* same bytes, own header */
/* dst[...] = src with broadcasting and conversion; ValueError when it does not fit. */
NKX_MUST_USE bool nkx_nd_assign(nkx_ndarray *dst, const nkx_ndarray *src, nkx_nd_error *e);
void nkx_nd_fill(nkx_ndarray *dst, const void *element); /* element of dst's type */
nkx_ndarray *nkx_nd_to_scalar_take(nkx_ndarray *a); /* no dimensions: the scalar; else itself */

/* ---- elements ---- */
double nkx_nd_get_f64(const nkx_ndarray *a, int64_t flat); /* flat: C order */
int64_t nkx_nd_get_i64(const nkx_ndarray *a, int64_t flat);
uint8_t *nkx_nd_at(const nkx_ndarray *a, int64_t flat);
double nkx_nd_elem_f64(nkx_dtype t, const void *p);
int64_t nkx_nd_elem_i64(nkx_dtype t, const void *p); /* truncates floats toward zero */
void nkx_nd_put_f64(nkx_dtype t, void *p,
                    double v); /* NumPy's cast: integers truncate toward zero */
void nkx_nd_put_i64(nkx_dtype t, void *p, int64_t v);
bool nkx_nd_elem_true(nkx_dtype t, const void *p);

/* ---- files: interp/host/npy.c, npz.c, safetensors.c ---- */
/* .npy: all types, C and Fortran order, bf16 and friends as ml_dtypes writes them (|V2 with a hint;
 * `as` overrides). */
NKX_MUST_USE bool nkx_npy_load(const char *path, int as_dtype /* -1 */, nkx_ndarray **out,
                               nkx_nd_error *e);
NKX_MUST_USE bool nkx_npy_save(const char *path, const nkx_ndarray *a, nkx_nd_error *e);
/* The same from and to memory; `what` names the file in messages. */
NKX_MUST_USE bool nkx_npy_parse(const char *what, const void *data, size_t len, int as_dtype,
                                nkx_ndarray **out, nkx_nd_error *e);
void nkx_npy_write(nkx_buf *out, const nkx_ndarray *a);
/* One member of an .npz archive; key NULL or "": the only one. Names of all: comma-separated in
 * *names when given. */
NKX_MUST_USE bool nkx_npz_load(const char *path, const char *key, int as_dtype, nkx_ndarray **out,
                               nkx_buf *names, nkx_nd_error *e);
NKX_MUST_USE bool nkx_npz_save(const char *path, size_t n, const char *const *keys,
                               nkx_ndarray *const *arrays, bool compress, nkx_nd_error *e);
/* One tensor of a .safetensors file. */
NKX_MUST_USE bool nkx_safetensors_load(const char *path, const char *key, nkx_ndarray **out,
                                       nkx_buf *names, nkx_nd_error *e);

#endif
