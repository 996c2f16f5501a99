#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything that is checked without running the program: layers, codes, format, warnings of both
# compilers, clang-tidy. Usage: all.sh [--quick | --all] (without clang-tidy; clang-tidy on all files)
cd "$(dirname "$0")/../.." || exit 2
status=0
tidy_all=no
[ "${1:-}" != --all ] || tidy_all=yes
step() {
  name=$1
  shift
  if "$@" >"build/lint.$name.log" 2>&1; then
    echo "ok      $name"
    passed=$((passed + 1))
  else
    echo "FAILED  $name"
    tail -n 40 "build/lint.$name.log"
    status=1
    failed=$((failed + 1))
  fi
}
passed=0
failed=0
mkdir -p build

format() {
  git ls-files '*.c' '*.h' | while read -r f; do [ -e "$f" ] && echo "$f"; done |
    xargs -n 1 clang-format-14 --dry-run --Werror
}
# The test build is gcc's own with the same flags: when it is there, it is the check.
warnings() {
  if [ "$1" = gcc ] && [ -f build/test/build.ninja ]; then
    ninja -C build/test
    return
  fi
  [ -f "build/lint-$1/build.ninja" ] ||
    CC=$2 meson setup "build/lint-$1" --buildtype=debugoptimized -Db_lundef=false || return 1
  ninja -C "build/lint-$1"
}
# The analyser needs minutes for all files; a run takes those that changed since the last release
# of its cache, which is kept by content.
# interp/eval, interp/host and interp/num are not clean yet, for braces above all: `--all` shows them.
tidy_files() {
  git ls-files 'grammar/*.c' 'interp/*.c' |
    if [ "$tidy_all" = yes ]; then cat; else grep -vE '^interp/(eval|host|num)/'; fi
}
tidy() {
  mkdir -p build/tidy
  key=$(cat .clang-tidy $(git ls-files '*.h' '*.def') | cksum | cut -d' ' -f1)
  tidy_files | while read -r f; do
    [ -e "$f" ] && echo "$f $key-$(cksum <"$f" | tr ' ' -)"
  done >build/tidy/list
  while read -r f sum; do [ -e "build/tidy/$sum" ] || echo "$f $sum"; done <build/tidy/list |
    xargs -P "$(nproc)" -L 1 sh -c \
      'clang-tidy-14 -quiet -p build/lint-clang "$0" 2>/dev/null && : >"build/tidy/$1"'
}

step layers tests/lint/layers.sh
step codes tests/lint/codes.sh
step format format
step gcc warnings gcc gcc
step clang warnings clang clang-14
step headers tests/lint/headers.sh
[ "${1:-}" = --quick ] || step tidy tidy
echo "$passed passed, $failed failed"
exit $status
