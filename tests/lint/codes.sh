#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every diagnostic code is raised somewhere, and the version stands everywhere alike.
cd "$(dirname "$0")/../.." || exit 2
bad=0
sources=$(git ls-files 'interp/*.c' 'interp/*.h' 'grammar/*.c' 'grammar/*.h' 'grammar/*.re' 'grammar/*.y')
# shellcheck disable=SC2086
cat $sources >"${TMPDIR:-/tmp}/nkx_lint.$$"
for n in $(cat interp/base/codes/*.def | sed -n 's/^ *NKX_CODE(\([0-9]*\),.*/\1/p'); do
  grep -qE "NKX_E$n([^0-9]|\$)|[^0-9]$n[^0-9]" "${TMPDIR:-/tmp}/nkx_lint.$$" || { echo "E$n is never raised"; bad=1; }
done
rm -f "${TMPDIR:-/tmp}/nkx_lint.$$"
dup=$(cat interp/base/codes/*.def | sed -n 's/^ *NKX_CODE(\([0-9]*\),.*/\1/p' | sort | uniq -d)
[ -z "$dup" ] || { echo "codes given twice: $dup"; bad=1; }
v=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
grep -q "#define NKX_VERSION *\"$v\"" interp/include/nkx.h || { echo "nkx.h and meson.build differ in version"; bad=1; }
grep -q "^## $v" CHANGELOG.md || { echo "CHANGELOG.md has no section $v"; bad=1; }
exit $bad
