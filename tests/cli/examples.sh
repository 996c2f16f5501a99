#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example of each instruction runs; the wrong example of each diagnostic gives it, the right one does not.
. "$(dirname "$0")/tap.sh"

"$NKX" isa --names >"$dir/names"
while read -r name; do
  "$NKX" isa "$name" --example >"$dir/case.nki" 2>/dev/null
  if [ -s "$dir/case.nki" ]; then
    target=trn2
    sed -n 's/^# target: *//p' "$dir/case.nki" | grep -q trn3 && target=trn3
    run 0 "isa $name" run "$dir/case.nki" --target $target
  else
    report 1 "isa $name has an example"
  fi
done <"$dir/names"

# A program is checked first; what only shows when it runs, is run. A kernel that takes arguments and
# has no script around it is only checked.
try() {
  timeout 60 "$NKX" check "$1" >"$dir/out" 2>"$dir/err" </dev/null
  timeout 60 "$NKX" run "$1" >"$dir/run" 2>&1 </dev/null
  grep -q 'error\[E204\].*missing [0-9]* required' "$dir/run" || cat "$dir/run" >>"$dir/err"
}
"$NKX" explain --names >"$dir/names"
while read -r code; do
  if "$NKX" explain "$code" --wrong >"$dir/case.nki" 2>/dev/null; then
    try "$dir/case.nki"
    grep -q "\[$code\]" "$dir/err"
    report $? "explain $code: the wrong example gives it"
  fi
  if "$NKX" explain "$code" --right >"$dir/case.nki" 2>/dev/null; then
    try "$dir/case.nki"
    if grep -qE "error\[|\[$code\]" "$dir/err"; then r=1; else r=0; fi
    report $r "explain $code: the right example is clean"
  fi
done <"$dir/names"
finish
