/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reference results for tests: what isa.md says, in float64 and plain loops, written for
 * clearness and sharing no code with interp/num. Unit and property tests compare against these.
 */
#ifndef NKX_TESTS_SUPPORT_REF_H
#define NKX_TESTS_SUPPORT_REF_H

#include "interp/num/dtype.h"
#include "interp/num/ops.h"

/* The value of device type t nearest to x, ties to even, by the rules of isa.md 1.2. */
double ref_round(nkx_dtype t, double x);

/* One operator on values that are exact in fp32, in float64. NaN for an operator without that form.
 */
double ref_unary(nkx_alu op, double x, double param);
double ref_binary(nkx_alu op, double a, double b);
uint32_t ref_bits(nkx_alu op, uint32_t a, uint32_t b, int width);
uint32_t ref_int32(nkx_alu op, uint32_t a, uint32_t b, bool is_signed);

/* How many last places of fp32 a row kernel may differ from ref_unary or ref_binary at x; 0: exact.
 */
double ref_ulp_bound(nkx_alu op, double x);
/* An absolute error allowed on top, for functions that cross zero by cancellation. */
double ref_slack(nkx_alu op, double x);

/* Left to right in float64: sum, product, extreme value, by the operator's binary form. */
double ref_fold(nkx_alu op, double acc, const float *a, int64_t n);

/* dst(MxN) = st^T(KxM) . mv(KxN) [+ dst], three loops. */
void ref_gemm_tn(int m, int n, int k, const float *st, int64_t ldst, const float *mv, int64_t ldmv,
                 double *dst, int64_t ldd, bool accumulate);

/* Deterministic values for tests: uniform 32-bit words from a counter. */
typedef struct ref_random {
    uint64_t state;
} ref_random;
uint32_t ref_next(ref_random *r);
double ref_uniform(ref_random *r, double lo, double hi);
/* An fp32 with every exponent equally likely, specials now and then. */
float ref_any_float(ref_random *r);

#endif
