/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the live session: from a terminal by libedit, from a pipe as they come. */
#ifndef NKX_CLI_LINE_H
#define NKX_CLI_LINE_H

#include "interp/include/nkx.h"

typedef struct line_reader line_reader;

line_reader *line_open(nkx_runtime *rt); /* rt: names for completion */
void line_close(line_reader *r);
bool line_is_terminal(const line_reader *r);
/* One line without its end, heap; NULL at the end of input. *cancelled: Ctrl-C dropped the line. */
char *line_read(line_reader *r, bool more, bool *cancelled);

#endif
