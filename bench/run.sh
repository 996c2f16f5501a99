#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the ratios that design budgets are stated in, measured in one run on this machine.
# Usage: run.sh BUILD_DIR [matmul|startup|loops|memory|vector|rows]
build=$1
what=${2:-all}
cd "$(dirname "$0")/.." || exit 2
figures=$(mktemp)
trap 'rm -f "$figures"' EXIT

echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores," \
  "$(awk '/MemTotal/ {printf "%.0f GiB", $2 / 1048576}' /proc/meminfo), $(uname -sm)"
"$build/bench/bench" "$build/interp/cli/nkx" "$what" >"$figures" || exit 1
if command -v python3 >/dev/null; then
  python3 --version
  case $what in all | loops) python3 bench/loops.py >>"$figures" ;; esac
  case $what in
  all | vector)
    if python3 -c 'import numpy; print("NumPy", numpy.__version__)' 2>/dev/null; then
      python3 bench/tiles.py >>"$figures"
    else
      echo "NumPy is missing: no vector ratios"
    fi
    ;;
  esac
else
  echo "python3 is missing: no ratios against CPython and NumPy"
fi

awk '
$1 == "blas" { print "against " substr($0, 6) }
/^row_/ { printf "%-28s %9.2f us  %7.3f elements/ns  %7.2f x a copy of as many fp32\n", substr($1, 5), $2 * 1e6, $3 / $2 * 1e-9, $2 / $4 }
{ v[$1] = $2 }
function ratio(name, a, b, limit) {
  if (!(a in v) || !(b in v) || v[b] <= 0) return
  r = v[a] / v[b]
  printf "%-58s %10.3f ms %10.3f ms  ratio %6.3f  (budget %s) %s\n", name, v[a] * 1e3, v[b] * 1e3, r, limit,
         r <= limit ? "ok" : "OVER"
}
END {
  for (n in v) if (n ~ /^sgemm_/) { t = substr(n, 7)
    ratio("2048^3 matmul_blocked, tiles 16 x 1 / one sgemm, " t " thread(s)", "matmul_blocked_" t, "sgemm_" t, 1.10)
    ratio("the same, profiled", "matmul_blocked_profiled_" t, "sgemm_" t, 1.15)
    ratio("2048^3 matmul_full, tiles 16 x 1 x 8 / one sgemm, " t " thread(s)", "matmul_full_" t, "sgemm_" t, 1.10)
    ratio("the same, profiled", "matmul_full_profiled_" t, "sgemm_" t, 1.15) }
  if ("startup" in v) printf "%-46s %10.3f ms  (budget 5) %s; the bare process %.3f ms\n", "start, run and end of a 100-line kernel",
    v["startup"] * 1e3, v["startup"] <= 0.005 ? "ok" : "OVER", v["startup_process"] * 1e3
  if ("check_loop" in v) { n = v["check_instructions"]
    printf "%-46s %10.1f ns\n", "an instruction in check", v["check_loop"] / n * 1e9
    printf "%-46s %10.1f ns\n", "an instruction in profile --no-data", v["profile_loop"] / n * 1e9 }
  ratio("instructions in check / CPython empty calls", "check_loop", "python_loop", 5)
  ratio("instructions in profile / CPython empty calls", "profile_loop", "python_loop", 5)
  ratio("loop without instructions / CPython", "nodes_loop", "python_nodes", 1)
  ratio("softmax 4096x2048 / NumPy by tiles", "softmax_1", "numpy_softmax", 0.5)
  ratio("rmsnorm 4096x2048 / NumPy by tiles", "rmsnorm_1", "numpy_rmsnorm", 0.5)
  ratio("layernorm 4096x2048 / NumPy by tiles", "layernorm_1", "numpy_layernorm", 0.5)
  ratio("selective scan 256x2048x16 / NumPy by tiles", "scan_1", "numpy_scan", 0.5)
  ratio("flash attention 4096x128 bf16 / NumPy by tiles", "attention_1", "numpy_attention", 0.8)
  if (("attention_2" in v) && v["attention_2"] > 0) printf "%-46s %10.2f x  (wanted 1.6)\n", "attention, two threads against one", v["attention_1"] / v["attention_2"]
  if (("matmul_blocked_2" in v) && v["matmul_blocked_2"] > 0) printf "%-46s %10.2f x  (wanted 1.6)\n", "matmul_blocked, two threads against one", v["matmul_blocked_1"] / v["matmul_blocked_2"]
  if ("memory_growth_kib" in v) printf "%-46s %10d KiB; peak %d KiB\n", "memory growth, 8 thousand to 4 million instructions", v["memory_growth_kib"], v["memory_peak_kib"]
}' "$figures"
[ ! -x "$build/bench/num_bench" ] || { [ "$what" != all ] || "$build/bench/num_bench"; }
