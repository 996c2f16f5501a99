/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal digits of floats: the fewest that read back as the same value of a type, and fixed
 * counts. Python's repr, format specs and NumPy's printing are made of these.
 */
#ifndef NKX_HOST_DIGITS_H
#define NKX_HOST_DIGITS_H

#include "interp/base/buf.h"
#include "interp/num/dtype.h"

/* A finite value as 0.d1d2d3... * 10^point; zero has one digit '0' and point 1. */
typedef struct nkx_digits {
    char digits[800];
    int n, point;
    bool negative;
} nkx_digits;

/* Shortest that reads back as v in type t (v is a value of t). */
void nkx_digits_shortest(double v, nkx_dtype t, nkx_digits *out);
/* Exactly n significant digits, or `decimals` after the point, correctly rounded. */
void nkx_digits_significant(double v, int n, nkx_digits *out);
void nkx_digits_fixed(double v, int decimals, nkx_digits *out);
/* Drops zeros at the end. */
void nkx_digits_strip(nkx_digits *d);

/* As Python writes repr(float): "0.1", "1e+16", "inf", "nan". */
void nkx_repr_float(double v, nkx_buf *out);
/* As NumPy writes a scalar of a type: "0.1", "1e-05", "3.0"; ml_dtypes' types in their own form. */
void nkx_repr_scalar(nkx_dtype t, const void *p, nkx_buf *out);

#endif
