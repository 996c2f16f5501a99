/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random cases for the rows of the instruction table: tiles of random shape, layout and type with
 * known contents, issuing with arguments by name, and comparing with expected values. A case prints
 * its seed when it fails; NKX_PROP_SEED repeats it.
 */
#ifndef NKX_TESTS_PROPERTY_PROP_H
#define NKX_TESTS_PROPERTY_PROP_H

#include "interp/isa/isa.h"
#include "tests/support/ref.h"

typedef struct prop_mach {
    nkx_config config;
    nkx_core core;
} prop_mach;

typedef struct prop_tensor { /* a view, and what its whole storage held before */
    nkx_view *whole, *v;
    double *before;        /* of v, element by element */
    uint8_t *bytes;        /* of whole, dense */
    int64_t n, parts, per; /* elements, partitions, elements per partition */
} prop_tensor;

#define PROP_MAX_TENSORS 32

typedef struct prop {
    nkx_sources *sources;
    nkx_diags diags;
    prop_mach mach[3]; /* gen2, gen3, gen4 */
    nkx_core *core;
    int gen;
    ref_random rnd;
    nkx_arena scratch;
    nkx_issue is;
    prop_tensor tensors[PROP_MAX_TENSORS];
    int n_tensors;
    const char *what; /* of the case, for failures */
    bool failed;
} prop;

void prop_init(prop *p);
void prop_fini(prop *p);
/* Begins a case of a row on a target: forgets the tensors of the one before. */
void prop_begin(prop *p, const char *row, int gen, uint64_t seed);

int64_t prop_int(prop *p, int64_t lo, int64_t hi); /* inclusive */
bool prop_flip(prop *p);
nkx_dtype prop_dtype(prop *p, uint32_t set); /* one of a set of 1 << nkx_dtype */
#define PROP_FLOATS                                                                                \
    (1u << NKX_DT_FP16 | 1u << NKX_DT_BF16 | 1u << NKX_DT_FP32 | 1u << NKX_DT_FP8_E4M3 |           \
     1u << NKX_DT_FP8_E5M2)
#define PROP_INTS                                                                                  \
    (1u << NKX_DT_INT8 | 1u << NKX_DT_INT16 | 1u << NKX_DT_INT32 | 1u << NKX_DT_UINT8 |            \
     1u << NKX_DT_UINT16 | 1u << NKX_DT_UINT32)

/*
 * A tile of `parts` x `per` elements in a random layout: sliced, stepped, permuted, at a random
 * legal start partition; read-only ones may be broadcast. Filled with values from lo to hi
 * (integers for integer types).
 */
prop_tensor *prop_tile(prop *p, nkx_space space, int64_t parts, int64_t per, nkx_dtype dt,
                       double lo, double hi, bool read_only);
/* The same with exactly this shape and no tricks. */
prop_tensor *prop_plain(prop *p, nkx_space space, int ndim, const int64_t *shape, nkx_dtype dt,
                        double lo, double hi);
prop_tensor *prop_plain2(prop *p, nkx_space space, int64_t a, int64_t b, nkx_dtype dt, double lo,
                         double hi);
/* Takes over a view of another tensor's storage. */
prop_tensor *prop_view(prop *p, prop_tensor *of, nkx_view *v);
void prop_set(prop_tensor *t, const double *values); /* new contents of v */

void prop_arg_tile(prop *p, const char *name, prop_tensor *t);
void prop_arg_num(prop *p, const char *name, double v);
void prop_arg_int(prop *p, const char *name, int64_t v);
void prop_arg_bool(prop *p, const char *name, bool v);
void prop_arg_op(prop *p, const char *name, nkx_alu op);
void prop_arg_enum(prop *p, const char *name, int value); /* value of the parameter's enum */
void prop_arg_ints(prop *p, const char *name, const int64_t *at, int n);
void prop_arg_pattern(prop *p, const char *name, const int64_t *pairs, int n);
/* A number or a (parts, 1) tile of fp32, at random; value[i] for each partition. */
void prop_arg_col(prop *p, const char *name, int64_t parts, double lo, double hi, double *value);

bool prop_issue(prop *p); /* false: refused, which fails the case */
/* v against expected fp32 values (rounded here to v's type), within `ulps` of its type or `abs`;
 * the rest of its storage untouched. */
void prop_expect(prop *p, prop_tensor *t, const double *want, double ulps, double abs);
void prop_fail(prop *p, const char *fmt, ...) NKX_PRINTF(2, 3);

double prop_f32(double x); /* rounded to fp32 */

/* One random case of a row; the rows of a file. */
typedef struct prop_row {
    const char *name;
    void (*run)(prop *p);
} prop_row;
extern const prop_row prop_vector_rows[], prop_select_rows[], prop_engine_rows[],
    prop_gpsimd_rows[]; /* end with {NULL} */

#endif
