/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiler attributes and the two ways to state an invariant. NKX_ASSERT guards what our own code
 * promises itself; a user's program must never reach one. It stays on in every build but release.
 */
#ifndef NKX_BASE_ATTR_H
#define NKX_BASE_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NKX_MUST_USE       __attribute__((warn_unused_result))
#define NKX_PRINTF(fmt, a) __attribute__((format(printf, fmt, a)))
#define NKX_NORETURN       __attribute__((noreturn))
#define NKX_LIKELY(x)      __builtin_expect(!!(x), 1)
#define NKX_UNLIKELY(x)    __builtin_expect(!!(x), 0)
#define NKX_COUNT(a)       (sizeof(a) / sizeof((a)[0]))

NKX_NORETURN void nkx_fatal(const char *file, int line, const char *what);

#ifdef NKX_NO_ASSERT
#define NKX_ASSERT(x) ((void)sizeof((x) ? 1 : 0)) /* checked, not evaluated: no unused names */
#else
#define NKX_ASSERT(x) ((x) ? (void)0 : nkx_fatal(__FILE__, __LINE__, #x))
#endif
#define nkx_unreachable() nkx_fatal(__FILE__, __LINE__, "unreachable code was reached")

#endif
