#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every public name of the checklist resolves: modules, functions, enums and their members, types,
# constants, and the attributes and methods of tensors, instructions and kernels.
. "$(dirname "$0")/tap.sh"
list=$NKX_ROOT/../shared/spec/apis.tsv
[ -f "$list" ] || skip_all "the checklist of names is not there"

awk -F '\t' '
function leaf(name) { sub(/.*\./, "", name); return name }
BEGIN {
  print "import nki\nimport nki.collectives\nimport nki.dtype\nimport nki.isa as nisa"
  print "import nki.isa.constants\nimport nki.language as nl\nimport nki.typing\n"
  print "missing = []\n\n\ndef need(holder, attribute, name):"
  print "    if not hasattr(holder, attribute):\n        missing.append(name)\n\n"
  print "@nki.jit\ndef kernel():"
  print "    t = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf, address=(0, 0))"
  print "    i = nisa.memset(dst=t, value=0)"
}
NR == 1 || $1 ~ /__init__$/ { next }
$1 ~ /^nki\.language\.NkiTensor\./ { printf "    need(t, \"%s\", \"%s\")\n", leaf($1), $1; next }
$1 ~ /^nki\.isa\.NkiInstruction\./ { printf "    need(i, \"%s\", \"%s\")\n", leaf($1), $1; next }
$1 ~ /^nki\.Kernel\.__/ { next }
$1 ~ /^nki\.Kernel\./ { later = later sprintf("need(kernel, \"%s\", \"%s\")\n", leaf($1), $1); next }
{
  holder = $1
  sub(/\.[^.]*$/, "", holder)
  later = later sprintf("need(%s, \"%s\", \"%s\")\n", holder, leaf($1), $1)
  n++
}
END { print "\n\nnki.simulate(kernel)()\n" later "print(missing)\nassert not missing" }
' "$list" >"$dir/names.nki"
run 0 "every name of the checklist resolves" run "$dir/names.nki"
says out '^\[\]$' "none is missing"

# Instructions of the table, and functions of nki.isa: the same names.
"$NKX" isa --names >"$dir/rows" 2>"$dir/err"
awk -F '\t' '$1 ~ /^nki\.isa\.[a-z0-9_]*$/ && $2 == "function" { sub(/.*\./, "", $1); print $1 }' "$list" |
  grep -vE '^(get_nc_version|get_nc_sub_version|register_.*)$' | while read -r name; do
    grep -qx "$name" "$dir/rows" || echo "$name"
  done >"$dir/out"
[ ! -s "$dir/out" ]
report $? "every instruction has a row"
finish
