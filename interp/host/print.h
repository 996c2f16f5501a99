/* SPDX-License-Identifier: Apache-2.0 */
/* Host arrays as text, as NumPy prints them: columns, summaries of long arrays, dtype where it is
 * not implied. */
#ifndef NKX_HOST_PRINT_H
#define NKX_HOST_PRINT_H

#include "interp/host/ndarray.h"

typedef struct nkx_print_options {
    int precision, edgeitems, linewidth;
    int64_t threshold;
    bool suppress;
} nkx_print_options;
#define NKX_PRINT_DEFAULT                                                                          \
    ((nkx_print_options){.precision = 8, .edgeitems = 3, .linewidth = 75, .threshold = 1000})

void nkx_nd_str(nkx_ndarray *a, const nkx_print_options *o, nkx_buf *out);
void nkx_nd_repr(nkx_ndarray *a, const nkx_print_options *o, nkx_buf *out);
/* np.array2string's body with a separator and a prefix that later lines are indented by. */
void nkx_nd_array2string(nkx_ndarray *a, const nkx_print_options *o, const char *separator,
                         size_t prefix, size_t suffix, nkx_buf *out);

#endif
