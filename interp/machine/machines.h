/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in machine files as text: a table that the build writes (embed_ini.c). Private to
 * config.c. */
#ifndef NKX_MACHINE_MACHINES_H
#define NKX_MACHINE_MACHINES_H

#include <stddef.h>

typedef struct nkx_machine_text {
    const char *name; /* "trn2"; NULL ends the table */
    const char *text; /* NUL-terminated */
    size_t len;
} nkx_machine_text;

extern const nkx_machine_text nkx_machine_texts[];

#endif
