#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernels of the public kernel library against float64, a line each. Usage: run.sh LIBRARY [NKX],
# LIBRARY being a clone of nki-library. tests/cli/public.sh runs the same and more in the suite.
lib=$1/src/nkilib_src
nkx=${2:-nkx}
here=$(dirname "$0")
[ -d "$lib" ] || { echo "usage: run.sh LIBRARY [NKX]" >&2; exit 2; }
failed=0
for f in "$here"/*.nki; do
  state=ok
  "$nkx" run "$f" --path "$lib" >/dev/null 2>&1 || state=FAILED failed=1
  printf '%-8s %s\n' "$state" "$(basename "$f" .nki)"
done
for f in "$here"/forms/*.nki; do
  out=$("$nkx" test "$f" --path "$lib" 2>/dev/null) || failed=1
  printf "%s\n" "$out" | grep -E "^(ok|FAILED) " | sed "s,$here/,,"
done
exit $failed
