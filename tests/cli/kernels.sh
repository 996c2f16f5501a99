#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each kernel of kernels/ runs as a script and checks itself against its reference.
. "$(dirname "$0")/tap.sh"
cd "$NKX_ROOT" || exit 2
for f in kernels/*.nki; do
  target=trn2
  sed -n 's/^# target: *//p' "$f" | grep -q trn3 && target=trn3
  run 0 "$f" run "$f" --target $target
done
finish
