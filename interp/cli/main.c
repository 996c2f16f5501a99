/* SPDX-License-Identifier: Apache-2.0 */
/* The program: takes the command line apart and runs the command. Nothing below this layer ends the
 * process. */
#include "interp/cli/cli.h"

#include <signal.h>
#include <unistd.h>

/* A broken promise of our own ends in abort(): say so by the exit code. */
static void on_abort(int sig)
{
    (void)sig;
    _exit(NKX_EXIT_FAULT);
}

int main(int argc, char **argv)
{
    struct sigaction sa = {.sa_handler = on_abort};
    sigemptyset(&sa.sa_mask);
    sigaction(SIGABRT, &sa, NULL);
    if (argc == 2 && argv[1][0] == '-' &&
        (argv[1][1] == 'V' || (argv[1][1] == '-' && argv[1][2] == 'v'))) {
        printf("nkx %s\n", nkx_version());
        return 0;
    }
    nkx_prepare_process();
    cli_args a;
    int code = parse_command_line(argc, argv, &a);
    if (code == 0 && a.on[OPT_HELP]) {
        write_help(a.command);
    } else if (code == 0) {
        code = a.command->run(&a);
    }
    free_command_line(&a);
    bool lost = fflush(stdout) != 0 || ferror(stdout);
    if (lost && code == 0) code = 1; /* a full disk is not success */
    return code;
}
