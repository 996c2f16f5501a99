#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of a build folder and ends with "N passed, N failed", counting every subtest.
# Usage: suite.sh BUILD_DIR [meson test arguments]
dir=$1
shift
meson test -C "$dir" --no-rebuild --print-errorlogs "$@"
status=$?
report="$dir/meson-logs/testlog.junit.xml"
[ -f "$report" ] || exit "$status"
count() { grep -oE "$1" "$report" | wc -l; }
total=$(count '<testcase ')
failed=$(count '<(failure|error)[ />]')
skipped=$(count '<skipped')
[ "$status" -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
passed=$((total - failed - skipped))
if [ "$skipped" -gt 0 ]; then
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
exit "$status"
