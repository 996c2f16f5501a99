/* SPDX-License-Identifier: Apache-2.0 */
/* The library's front: what nkx.h promises, on top of every layer. */
#include "interp/include/nkx.h"

const char *nkx_version(void)
{
    return "0.1.0";
}
