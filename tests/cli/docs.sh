#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Generated pages are what the tables say; code blocks and commands of the others run.
. "$(dirname "$0")/tap.sh"
cd "$NKX_ROOT" || exit 2

# same FILE ARGS...: the page is what the command prints.
same() {
  file=$1
  shift
  "$NKX" "$@" >"$dir/out" 2>"$dir/err"
  cmp -s "$dir/out" "$file"
  report $? "$file is written by nkx $*"
  : >"$dir/out"
}
same docs/isa.md isa --markdown
same docs/errors.md explain --markdown
same docs/machine.md help --machines
same docs/cli.md help --markdown

# Blocks fenced as ```python are programs; lines `$ nkx ...` of ```console blocks are commands, which
# run in a folder where the programs above them stand as their first line `# file: NAME` says.
for page in README.md docs/tutorial.md docs/profiling.md docs/numerics.md docs/testing.md docs/embedding.md; do
  [ -f "$page" ] || continue
  work="$dir/$(basename "$page")"
  mkdir -p "$work"
  ln -s "$NKX_ROOT/kernels" "$work/kernels"
  awk -v work="$work" '
    /^```python/ { n++; file = work "/block" n ".nki"; on = 1; next }
    /^```console/ { cmd = 1; next }
    /^```/ { on = cmd = 0; next }
    on && /^# file: / { print "# named" >file; named = work "/" $3; print file " " named >(work "/names"); next }
    on { print >file }
    cmd && /^\$ (nkx|\.\/build\.sh run)/ { sub(/^\$ /, ""); print >(work "/commands") }
  ' "$page"
  [ ! -f "$work/names" ] || while read -r from to; do mv "$from" "$to"; done <"$work/names"
  for f in "$work"/*.nki; do
    [ -f "$f" ] || continue
    run 0 "$page: $(basename "$f") checks" check "$f"
    if grep -q '__main__' "$f"; then run 0 "$page: $(basename "$f") runs" run "$f"; fi
  done
  [ -f "$work/commands" ] || continue
  while read -r line; do
    case $line in *repl*|*build.sh*) continue ;; esac
    (cd "$work" && PATH="$(dirname "$NKX"):$PATH" timeout 300 sh -c "$line") >"$dir/out" 2>"$dir/err" </dev/null
    report $? "$page: $line"
  done <"$work/commands"
done
finish
