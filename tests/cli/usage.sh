#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: help, suggestions, exit codes, and what is written from the tables.
. "$(dirname "$0")/tap.sh"

run 2 "no command"
says err '^usage: nkx' "no command shows the overview"
run 2 "unknown command" chekc x.nki
says err "did you mean 'check'" "unknown command: suggestion"
run 2 "unknown option" run --tagret trn1 x.nki
says err "did you mean '--target'" "unknown option: suggestion"
run 2 "option of another command" check --annotate x.nki
run 2 "option without its value" run x.nki --target
run 2 "value of a switch" run --strict=1 x.nki
run 2 "number that is none" run --threads four x.nki
run 2 "threads below one" run --threads 0 x.nki
run 2 "unknown format" run --format xml x.nki
run 2 "unknown compiler version" run --nki 0.9 x.nki
run 2 "no file" run
run 2 "argument without a name" run x.nki kernel 12
run 2 "explain without a code" explain
run 2 "explain of nothing" explain E000
run 2 "isa of nothing" isa nc_matmull
says err "did you mean 'nc_matmul'" "isa: suggestion"
run 2 "diff of one file" diff a.json
run 1 "diff of files that are not there" diff a.json b.json
run 0 "version" --version
says out '^nkx [0-9]+\.[0-9]+\.[0-9]+$' "version line"
run 0 "help" help
for c in run check profile list test repl diff parse isa explain help; do
  says out "^  $c " "overview names $c"
done
for c in run check profile list test repl diff parse isa explain; do
  run 0 "help $c" help "$c"
  says out "^usage: nkx $c" "help $c: usage"
  run 0 "$c --help" "$c" --help
done
run 0 "manual page" help --man
says out '^\.TH NKX 1' "manual page: title"
if cmp -s "$dir/out" "$NKX_ROOT/docs/nkx.1"; then r=0; else r=1; fi
report $r "docs/nkx.1 is what the tables say"
run 0 "completion" help --completion
if cmp -s "$dir/out" "$NKX_ROOT/docs/nkx.bash"; then r=0; else r=1; fi
report $r "docs/nkx.bash is what the tables say"
if command -v bash >/dev/null; then
  bash -n "$dir/out"
  report $? "completion script is valid"
  printf '%s\nCOMP_WORDS=(nkx pro); COMP_CWORD=1; _nkx; echo "${COMPREPLY[*]}"\n' ". $dir/out" | bash >"$dir/reply" 2>/dev/null
  grep -qx profile "$dir/reply"
  report $? "completion of a command"
fi
run 0 "docs/cli.md" help --markdown
if cmp -s "$dir/out" "$NKX_ROOT/docs/cli.md"; then r=0; else r=1; fi
report $r "docs/cli.md is what the tables say"
finish
