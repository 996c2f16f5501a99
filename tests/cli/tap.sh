# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts of this folder. NKX is the program, NKX_ROOT the repository; each check is
# a TAP line. $dir is a scratch folder that goes at the end.
NKX=${NKX:?the program}
NKX_ROOT=${NKX_ROOT:?the repository}
export NO_COLOR=1
unset NEURON_PLATFORM_TARGET_OVERRIDE NKI_PRECISE_FP
count=0
bad=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# report STATUS NAME: one TAP line; what the program wrote stands below a failure.
report() {
  count=$((count + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $count - $2"
  else
    echo "not ok $count - $2"
    bad=1
    [ ! -s "$dir/out" ] || head -n 20 "$dir/out" | sed 's/^/# out: /'
    [ ! -s "$dir/err" ] || head -n 20 "$dir/err" | sed 's/^/# err: /'
  fi
}

# run EXIT NAME ARGS...: the program ends with that code. Output stays in $dir/out and $dir/err.
run() {
  want=$1
  name=$2
  shift 2
  timeout 120 "$NKX" "$@" >"$dir/out" 2>"$dir/err" </dev/null
  code=$?
  [ "$code" -eq "$want" ]
  report $? "$name (exit $code, wanted $want)"
}

# says FILE REGEX NAME: the output (out or err) has a line that matches.
says() {
  grep -qE -- "$2" "$dir/$1"
  report $? "$3"
}

skip_all() {
  echo "1..0 # SKIP $1"
  exit 0
}

finish() {
  echo "1..$count"
  exit $bad
}
