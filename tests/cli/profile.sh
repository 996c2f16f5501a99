#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Profiles: every output is written, the same each time, and says what it is.
. "$(dirname "$0")/tap.sh"
cd "$NKX_ROOT" || exit 2
set -- kernels/matmul.nki matmul_full 'lhsT=bfloat16[1024,2048]' 'rhs=bfloat16[1024,1024]'

run 0 "table" profile "$@" --no-data
says out 'cycle accurate' "table: not cycle accurate"
says out '[Mm][Ff][Uu]|utili[sz]ation' "table: utilisation"
says out 'nc_matmul' "table: instructions"
cp "$dir/out" "$dir/table"
run 0 "again" profile "$@" --no-data
cmp -s "$dir/out" "$dir/table"
report $? "the same table each time"
run 0 "all files" profile "$@" --no-data --json "$dir/a.json" --trace "$dir/t.json" --html "$dir/p.html" --callgrind "$dir/c.out" --annotate
for f in a.json t.json p.html c.out; do
  [ -s "$dir/$f" ]
  report $? "$f is written"
done
says out 'matmul.nki' "annotated source"
if grep -qiE '(src|href)="(https?:)?//' "$dir/p.html"; then r=1; else r=0; fi
report $r "page needs no network"
if command -v python3 >/dev/null; then
  python3 -m json.tool "$dir/a.json" >/dev/null
  report $? "report is valid JSON"
  python3 "$NKX_ROOT/tests/cli/trace_check.py" "$dir/t.json" >"$dir/out" 2>"$dir/err"
  report $? "event log is valid: slices of a track nest"
fi
run 0 "with data" profile "$@" --json "$dir/b.json"
run 0 "diff of equal profiles" diff "$dir/a.json" "$dir/a.json"
says out 'no difference' "diff of equal profiles: none"
run 0 "another block size" profile "$@" tiles_m=4 --no-data --json "$dir/b.json"
run 0 "diff" diff "$dir/a.json" "$dir/b.json"
says out '%' "diff: percentages"
run 0 "list" list kernels/matmul.nki matmul_basic 'lhsT=bfloat16[128,64]' 'rhs=bfloat16[128,512]'
says out 'nc_matmul.*matmul.nki:[0-9]+' "list: instruction and place"
[ "$(wc -l <"$dir/out")" -eq 5 ]
report $? "list: one line an instruction"
run 0 "JSON on stdout" profile "$@" --no-data --format json
says out '"modelled_ps":[0-9]+' "JSON: time"
finish
