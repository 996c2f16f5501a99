/* SPDX-License-Identifier: Apache-2.0 */
/* The files of stdlib/, embedded at build by stdlib/embed_text.c. */
#ifndef NKX_EVAL_STDLIB_EMBED_H
#define NKX_EVAL_STDLIB_EMBED_H

#include <stddef.h>

typedef struct nkx_stdlib_file {
    const char *name; /* "softmax.nki"; NULL ends the table */
    const char *text; /* NUL-terminated; len excludes the NUL */
    size_t len;
} nkx_stdlib_file;

extern const nkx_stdlib_file nkx_stdlib_files[];

#endif
