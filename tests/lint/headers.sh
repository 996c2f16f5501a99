#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every header compiles alone.
cd "$(dirname "$0")/../.." || exit 2
bad=0
for h in $(git ls-files 'grammar/*.h' 'interp/*.h'); do
  [ -e "$h" ] || continue
  grep -q "^#ifndef NKX_" "$h" || continue # a template: its includers give it its types
  printf '#include "%s"\n' "$h" |
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -I. -Ibuild/test/grammar -fsyntax-only -x c - || { echo "$h: does not compile alone"; bad=1; }
done
exit $bad
