/* SPDX-License-Identifier: Apache-2.0 */
/* A growable array of any plain type: `NKX_VEC(int) v = {0}; nkx_push(&v, 3); v.at[0];
 * nkx_vec_fini(&v);` */
#ifndef NKX_BASE_VEC_H
#define NKX_BASE_VEC_H

#include "interp/base/alloc.h"
#include <stdlib.h>

#define NKX_VEC(T)                                                                                 \
    struct {                                                                                       \
        T *at;                                                                                     \
        size_t n, cap;                                                                             \
    }

#define nkx_vec_reserve(v, want)                                                                   \
    ((v)->cap >= (size_t)(want)                                                                    \
         ? (void)0                                                                                 \
         : (void)((v)->cap = (size_t)(want) + (v)->cap / 2 + 4,                                    \
                  (v)->at = nkx_realloc((v)->at, (v)->cap * sizeof *(v)->at)))
#define nkx_push(v, x)  (nkx_vec_reserve((v), (v)->n + 1), (void)((v)->at[(v)->n++] = (x)))
#define nkx_vec_fini(v) (free((v)->at), (void)((v)->at = NULL, (v)->n = (v)->cap = 0))

#endif
