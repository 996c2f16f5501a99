/* SPDX-License-Identifier: Apache-2.0 */
/* Every command and option of the program, a row each. */
#include "interp/cli/cli.h"

/* clang-format 14 fails on arrays of rows of several lines: kept by hand. */
/* clang-format off */
const command_row commands[] = {
    {CMD_RUN, "run", "FILE [KERNEL] [NAME=VALUE ...]", "run a script, or one kernel on the given arguments",
     "A file with one kernel needs no KERNEL. A file with an `if __name__ == \"__main__\"` block and neither KERNEL "
     "nor arguments runs as a script. VALUE is a host expression with np, nl and math in scope; "
     "bfloat16[2048,1024] is a tensor filled with standard normal numbers; @a.npy, @w.npz:key and "
     "@model.safetensors:key load arrays. What follows `--` is sys.argv of a script.",
     cmd_run},
    {CMD_CHECK, "check", "FILE [KERNEL] [NAME=VALUE ...]", "find all errors, without computing numbers",
     "Without KERNEL and arguments: syntax, module code, and the language rules of every kernel. With them the "
     "kernel is traced, and each instruction is checked against memories, shapes, types and limits of the target.",
     cmd_check},
    {CMD_PROFILE, "profile", "FILE [KERNEL] [NAME=VALUE ...]", "run, and say where the time goes",
     "Times come from a model of the machine; they are not cycle accurate. The report names the model's version.",
     cmd_profile},
    {CMD_LIST, "list", "FILE [KERNEL] [NAME=VALUE ...]", "print the instruction stream, one line each",
     "Numbers are not computed unless --data is given.", cmd_list},
    {CMD_TEST, "test", "PATH ...", "run test functions and unittest classes, as pytest would",
     "PATH is a file, or a folder whose test_*.py, *_test.py and test_*.nki files are taken.", cmd_test},
    {CMD_REPL, "repl", "[FILE]", "try kernel statements one at a time on a live core",
     "With FILE, its names are in scope. `:help` in the session lists its commands.", cmd_repl},
    {CMD_DIFF, "diff", "A.json B.json", "compare two profiles",
     "Both files come from `nkx profile --json`.", cmd_diff},
    {CMD_PARSE, "parse", "FILE ...", "check syntax, and print the tree", NULL, cmd_parse},
    {CMD_ISA, "isa", "[NAME]", "show the instruction table, or one instruction", NULL, cmd_isa},
    {CMD_EXPLAIN, "explain", "CODE", "tell what a diagnostic means and how to mend it", NULL, cmd_explain},
    {CMD_HELP, "help", "[COMMAND]", "show help", NULL, cmd_help},
    {0, NULL, NULL, NULL, NULL, NULL},
};

#define LAUNCH (CMD_RUN | CMD_PROFILE)

const option_row options[] = {
    {OPT_TARGET, CMD_CORE, "--target", NULL, "NAME", "@target",
     "trn1, inf2, trn2, trn3, gen2, gen3 or gen4; default: $NEURON_PLATFORM_TARGET_OVERRIDE, else trn2"},
    {OPT_MACHINE, CMD_CORE, "--machine", NULL, "FILE", "@file", "machine file laid over the target's own"},
    {OPT_THREADS, CMD_CORE, "--threads", NULL, "N", NULL, "threads that compute; default: all cores"},
    {OPT_SEED, CMD_CORE, "--seed", NULL, "N", NULL, "seed of filled tensors and hardware random numbers; default 0"},
    {OPT_NKI, CMD_CORE, "--nki", NULL, "VERSION", "0.3 0.4 0.5 0.6", "compiler version whose rules hold; default 0.6"},
    {OPT_PATH, CMD_CORE, "--path", NULL, "DIR", "@dir", "further folder of modules (may repeat)"},
    {OPT_ALLOW, CMD_CORE, "--allow", NULL, "CODE", "@code", "switch one check off (may repeat)"},
    {OPT_STRICT, CMD_CORE, "--strict", NULL, NULL, NULL, "warnings are errors"},
    {OPT_LENIENT, CMD_CORE, "--lenient", NULL, NULL, NULL, "language refusals are warnings"},
    {OPT_FP32, CMD_CORE, "--fp32", NULL, NULL, NULL, "keep low-precision types in fp32: an algorithm's error without rounding"},
    {OPT_NAN_FILL, CMD_CORE, "--nan-fill", NULL, NULL, NULL, "fill fresh tensors with NaN, integers with 4"},
    {OPT_MAX_ERRORS, CMD_CORE, "--max-errors", NULL, "N", NULL, "stop after so many errors; default: no limit"},
    {OPT_MAX_STEPS, CMD_CORE, "--max-steps", NULL, "N", NULL, "stop after so many statements and calls; default: no limit"},
    {OPT_MAX_BYTES, CMD_CORE, "--max-bytes", NULL, "N", NULL, "most memory of host values; default: no limit"},
    {OPT_OUTPUT, LAUNCH, "--output", "-o", "[NAME=]FILE", "@file", "save a result as .npy (may repeat)"},
    {OPT_CHECK, LAUNCH, "--check", NULL, "EXPR", NULL, "reference over the argument names, evaluated in float64 and compared"},
    {OPT_RTOL, LAUNCH, "--rtol", NULL, "X", NULL, "relative tolerance of --check; default: of the output type"},
    {OPT_ATOL, LAUNCH, "--atol", NULL, "X", NULL, "absolute tolerance of --check; default: of the output type"},
    {OPT_PRECISION, CMD_RUN, "--precision", NULL, NULL, NULL, "run in fp32 too, and show the lines where accuracy is lost"},
    {OPT_NO_DATA, CMD_PROFILE, "--no-data", NULL, NULL, NULL, "time without computing numbers"},
    {OPT_DATA, CMD_LIST, "--data", NULL, NULL, NULL, "compute numbers: for loops steered by tensor contents"},
    {OPT_JSON_FILE, CMD_PROFILE, "--json", NULL, "FILE", "@file", "write the report as JSON, named as in the vendor's profiler"},
    {OPT_TRACE, CMD_PROFILE, "--trace", NULL, "FILE", "@file", "write every event for Perfetto"},
    {OPT_HTML, CMD_PROFILE, "--html", NULL, "FILE", "@file", "write the report as one page that needs no network"},
    {OPT_ANNOTATE, CMD_PROFILE, "--annotate", NULL, NULL, NULL, "print the source with a column of time"},
    {OPT_CALLGRIND, CMD_PROFILE, "--callgrind", NULL, "FILE", "@file", "write the report for kcachegrind"},
    {OPT_ONLY, CMD_TEST, "--only", "-k", "TEXT", NULL, "run the tests whose name contains TEXT"},
    {OPT_FORMAT, CMD_CORE | CMD_DIFF, "--format", NULL, "FORMAT", "text json", "text, or json for results and diagnostics on stdout"},
    {OPT_QUIET, LAUNCH | CMD_PARSE | CMD_TEST, "--quiet", "-q", NULL, NULL, "print no results"},
    {OPT_JSON, CMD_PARSE, "--json", NULL, NULL, NULL, "the tree as JSON, shaped like Python's ast"},
    {OPT_NAMES, CMD_ISA | CMD_EXPLAIN, "--names", NULL, NULL, NULL, "names alone, one a line"},
    {OPT_MARKDOWN, CMD_ISA | CMD_EXPLAIN | CMD_HELP, "--markdown", NULL, NULL, NULL, "the whole reference page"},
    {OPT_EXAMPLE, CMD_ISA, "--example", NULL, NULL, NULL, "the example program of NAME alone"},
    {OPT_WRONG, CMD_EXPLAIN, "--wrong", NULL, NULL, NULL, "the wrong example alone"},
    {OPT_RIGHT, CMD_EXPLAIN, "--right", NULL, NULL, NULL, "the right example alone"},
    {OPT_MACHINES, CMD_HELP, "--machines", NULL, NULL, NULL, "every parameter of every target, as a page"},
    {OPT_MAN, CMD_HELP, "--man", NULL, NULL, NULL, "the manual page"},
    {OPT_COMPLETION, CMD_HELP, "--completion", NULL, NULL, NULL, "the completion script for bash"},
    {OPT_HELP, ~0u, "--help", "-h", NULL, NULL, "show this help"},
    {OPT_COUNT, 0, NULL, NULL, NULL, NULL, NULL},
};
/* clang-format on */
