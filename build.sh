#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Front door to the build; Meson does the work. Usage: ./build.sh [COMMAND] [ARGS], see `help` below.
set -eu
cd "$(dirname "$0")"

packages="gcc meson ninja-build pkg-config re2c lemon libopenblas-dev libsleef-dev libedit-dev
libzip-dev libjansson-dev libcmocka-dev"
lint_packages="clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev"

usage() {
  cat <<'END'
usage: ./build.sh [COMMAND]
  (none)    release build in build/release
  run       build, then run and profile kernels/matmul.nki; arguments go to `nkx` instead
  test      build with assertions and run every test; arguments go to `meson test`
  debug     debug build              asan      the tests under address, undefined and leak checks
  coverage  test coverage report     fuzz      libFuzzer programs (clang); args: TARGET SECONDS
  lint      layers, format, clang-tidy, warnings of gcc and clang
  format    apply clang-format       bench     print the benchmark ratios
  docs      rewrite generated pages  install   install (PREFIX=/usr/local)
  clean     remove build/
END
}

# Installs what is missing on Debian and Ubuntu; elsewhere names it.
need() {
  missing=""
  if ! command -v dpkg-query >/dev/null; then
    command -v meson >/dev/null || { echo "please install: $*" >&2; exit 2; }
    return 0
  fi
  for p in "$@"; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
  done
  [ -z "$missing" ] && return 0
  echo "installing:$missing" >&2
  sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  export DEBIAN_FRONTEND=noninteractive
  $sudo apt-get update -qq >&2
  # shellcheck disable=SC2086
  $sudo apt-get install -y -qq --no-install-recommends $missing >&2
}

# build KIND OPTIONS...: configures build/KIND once, then brings it up to date.
build() {
  kind=$1
  shift
  # shellcheck disable=SC2086
  need $packages
  [ -f "build/$kind/build.ninja" ] || meson setup "build/$kind" "$@" >&2
  ninja -C "build/$kind" --quiet >&2
}

release() { build release --buildtype=release -Dasserts=false -Dtests=false "$@"; }

command=${1:-release}
[ $# -eq 0 ] || shift
case $command in
release) release ;;
run)
  release -Dprefix="${PREFIX:-/usr/local}"
  if [ $# -gt 0 ]; then exec build/release/interp/cli/nkx "$@"; fi
  exec build/release/interp/cli/nkx profile kernels/matmul.nki matmul_full \
    'lhsT=bfloat16[2048,2048]' 'rhs=bfloat16[2048,2048]' --check 'lhsT.T @ rhs'
  ;;
test)
  build test --buildtype=debugoptimized
  exec tests/runner/suite.sh build/test "$@"
  ;;
debug) build debug --buildtype=debug ;;
asan)
  build asan --buildtype=debugoptimized -Db_sanitize=address,undefined -Dbench=false
  exec tests/runner/suite.sh build/asan --timeout-multiplier 6 "$@"
  ;;
coverage)
  need gcovr
  build coverage --buildtype=debug -Db_coverage=true
  tests/runner/suite.sh build/coverage "$@" || true
  gcovr -r . --object-directory build/coverage -e tests -e bench --sort-percentage
  ;;
fuzz)
  # shellcheck disable=SC2086
  need $lint_packages
  CC=clang-14 build fuzz --buildtype=debugoptimized -Dfuzz=true -Dbench=false \
    -Db_sanitize=address,undefined -Db_lundef=false
  [ $# -eq 0 ] || exec tests/fuzz/run.sh "$@"
  ;;
lint)
  # shellcheck disable=SC2086
  need $packages $lint_packages
  exec tests/lint/all.sh "$@"
  ;;
format)
  need clang-format-14
  git ls-files '*.c' '*.h' | xargs -n 1 clang-format-14 -i
  ;;
bench)
  release
  exec bench/run.sh build/release "$@"
  ;;
docs)
  release
  exec docs/generate.sh build/release/interp/cli/nkx
  ;;
install)
  release -Dprefix="${PREFIX:-/usr/local}"
  meson install -C build/release
  ;;
clean) rm -rf build ;;
help | -h | --help) usage ;;
*)
  usage >&2
  exit 2
  ;;
esac
