/* SPDX-License-Identifier: Apache-2.0 */
/* The device language: between rules.c (reach, report) and rules_walk.c (one function). Private to
 * eval. */
#ifndef NKX_EVAL_RULES_H
#define NKX_EVAL_RULES_H

#include "interp/eval/walk.h"

typedef struct nkx_finding {
    nkx_code code;
    nkx_span span;
    const char *message, *hint; /* in the arena */
} nkx_finding;

typedef struct nkx_rules {
    nkx_vm *vm;
    nkx_arena arena;
    NKX_VEC(nkx_finding) found;
    NKX_VEC(nkx_function *) queue; /* functions to look at; borrowed */
    NKX_VEC(nkx_class *) classes;  /* classes used; borrowed */
    NKX_VEC(uint8_t) used;         /* attribute names used anywhere, by name id */
    /* of the function being walked */
    const nkx_function *fn;
    const nkx_nodes *nested; /* not NULL: inside a nested function */
    uint32_t dynamic;        /* dynamic loops around */
    uint32_t loops;          /* plain loops inside the innermost dynamic one */
} nkx_rules;

void nkx_rules_add(nkx_rules *r, nkx_code code, nkx_span span, const char *hint, const char *fmt,
                   ...) NKX_PRINTF(5, 6);
/* A value that device code refers to: what it leads to is device code too. */
void nkx_rules_reach(nkx_rules *r, nkx_value v);
void nkx_rules_use(nkx_rules *r, const nkx_name *attr);
/* Applies the rules to a function's definition and body. */
void nkx_rules_walk(nkx_rules *r, const nkx_function *fn);
void nkx_rules_class(nkx_rules *r, const nkx_class *c);

#endif
