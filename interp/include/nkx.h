/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NKX_H
#define NKX_H
#define NKX_API __attribute__((visibility("default")))
NKX_API const char *nkx_version(void);
#endif
