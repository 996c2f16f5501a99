/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the tensor layer share and nobody else needs: argument checks of view methods.
 */
#ifndef NKX_TENSOR_VIEW_INTERNAL_H
#define NKX_TENSOR_VIEW_INTERNAL_H

#include "interp/tensor/view.h"

/* A dimension number below `limit`, negative ones counted from the end; false after a diagnostic.
 */
NKX_MUST_USE bool nkx_view_dim(nkx_view *v, int64_t dim, int64_t limit, const char *what,
                               nkx_span span, int *out);
/* True unless `dim` is the partition dimension (or the gathered one), which may not be reshaped. */
NKX_MUST_USE bool nkx_view_pinned(nkx_view *v, int dim, const char *what, nkx_span span);
/* True after a diagnostic when the view is tile-indirect and has no strides to work on, or leaves
 * its storage. */
NKX_MUST_USE bool nkx_view_is_opaque(nkx_view *v, const char *what, nkx_span span);
/* An index tile: int32 or uint32 in SBUF, `one` element in all if asked. */
NKX_MUST_USE bool nkx_view_index_tile(nkx_view *v, nkx_view *index, bool one, const char *what,
                                      nkx_span span);

#endif
