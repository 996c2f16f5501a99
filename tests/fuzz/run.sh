#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a libFuzzer program on its corpus. Usage: run.sh TARGET [SECONDS]
cd "$(dirname "$0")/../.." || exit 2
target=$1
seconds=${2:-60}
new="build/fuzz/found/$target"
mkdir -p "$new"
exec "build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 \
  -artifact_prefix="build/fuzz/found/" "$new" "tests/fuzz/corpus/$target"
