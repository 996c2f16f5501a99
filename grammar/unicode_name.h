/* SPDX-License-Identifier: Apache-2.0 */
/* Characters by name, for \N{...}: the Latin and Greek letters, digits and common signs. */
#ifndef NKX_GRAMMAR_UNICODE_NAME_H
#define NKX_GRAMMAR_UNICODE_NAME_H

#include "interp/base/attr.h"

/* False when the name is not among those known here. Case does not matter. */
NKX_MUST_USE bool nkx_unicode_by_name(const char *name, size_t len, uint32_t *codepoint);

#endif
