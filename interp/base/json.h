/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON into a buffer: commas and escapes are its business, nesting is the caller's. */
#ifndef NKX_BASE_JSON_H
#define NKX_BASE_JSON_H

#include "interp/base/buf.h"

typedef struct nkx_json {
    nkx_buf *out;
    bool comma; /* the next value needs one before it */
} nkx_json;

void nkx_json_begin(nkx_json *j, char open); /* '{' or '[' */
void nkx_json_end(nkx_json *j, char close);
void nkx_json_key(nkx_json *j, const char *key);
void nkx_json_str(nkx_json *j, const char *s);
void nkx_json_strn(nkx_json *j, const char *s, size_t len);
void nkx_json_int(nkx_json *j, int64_t v);
void nkx_json_num(nkx_json *j, double v); /* shortest form that reads back; null for nan and inf */
void nkx_json_bool(nkx_json *j, bool v);
void nkx_json_null(nkx_json *j);

#endif
