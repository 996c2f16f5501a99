/* SPDX-License-Identifier: Apache-2.0 */
/* The program: finds the command and runs it. */
#include "interp/include/nkx.h"

#include <stdio.h>

int main(void)
{
    puts(nkx_version());
    return 0;
}
