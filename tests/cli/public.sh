#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Public kernels, fetched outside the repository, as they are. NKX_PUBLIC names the folder that holds
# clones of nki-samples, nki-library and aws-neuron-sdk; without it nothing is run.
. "$(dirname "$0")/tap.sh"
[ -d "${NKX_PUBLIC:-/nonexistent}" ] || skip_all "NKX_PUBLIC names no folder of public repositories"
cd "$NKX_PUBLIC" || exit 2

mm=nki-samples/src/nki_samples/tutorials/matrix_multiplication/matrix_multiplication_nki_kernels.py
run 0 "basic matmul" run "$mm" nki_matmul_basic_ 'lhsT=bfloat16[128,64]' 'rhs=bfloat16[128,512]' --check 'lhsT.T @ rhs' -q
for k in nki_matmul_tiled_ nki_matmul_hoist_load_ nki_matmul_block_free_dimension_ nki_matmul_fully_optimized_; do
  run 0 "$k" run "$mm" $k 'lhsT=bfloat16[2048,2048]' 'rhs=bfloat16[2048,2048]' --check 'lhsT.T @ rhs' -q
done
for r in nki-samples/src nki-samples/contributed nki-library/src aws-neuron-sdk/nki/test aws-neuron-sdk/nki/examples; do
  [ -d "$r" ] || continue
  find "$r" -name '*.py' | sort >"$dir/files"
  xargs "$NKX" parse --quiet <"$dir/files" >"$dir/out" 2>"$dir/err"
  n=$(grep -E ': error\[' "$dir/err" | cut -d: -f1 | sort -u | wc -l)
  [ "$n" -le 1 ]
  report $? "$r: $(wc -l <"$dir/files") files parse, $n refused"
done
# Current-dialect files of the kernel library are accepted without arguments. References in torch are
# left out; mlp.py is not valid Python, which its importer says too.
lib=nki-library/src
find "$lib" -name '*.py' ! -name '*torch*' | sort | xargs grep -lE '^(import nki|from nki)' >"$dir/files" 2>/dev/null
while read -r f; do
  case $f in
  */core/mlp/mlp.py | */transformer/transformer_tkg.py) want=1 ;;
  *) want=0 ;;
  esac
  run $want "check $f" check "$f" --path "$lib"
done <"$dir/files"
# Entry kernels of the library on small shapes, against float64.
for f in "$NKX_ROOT"/tests/public/*.nki; do
  run 0 "library: $(basename "$f")" run "$f" --path nki-library/src/nkilib_src
done
# A line for each test function of a file. functions WORD FILE OPTION...
functions() {
  word=$1 f=$2
  shift
  "$NKX" test "$@" >"$dir/out" 2>/dev/null
  grep -E '^(ok|FAILED) ' "$dir/out" >"$dir/forms"
  [ -s "$dir/forms" ] || echo "FAILED $f" >"$dir/forms"
  while read -r state test; do
    [ "$state" = ok ]
    report $? "$word: $(basename "$test")"
  done <"$dir/forms"
}
# The same kernels and their kin in other forms: each test function is one form.
for f in "$NKX_ROOT"/tests/public/forms/*.nki; do
  functions library "$f" --path nki-library/src/nkilib_src
done
# Example files of the documentation: their kernels, and the scripts that compare with NumPy themselves.
ex=aws-neuron-sdk/nki/examples
functions examples "$NKX_ROOT/tests/public/sdk/examples.nki" --path $ex/average_pool2d --path $ex/transpose2d \
  --path $ex/tensor_addition --path $ex/fused_mamba --path $ex/matrix_multiplication
functions examples "$NKX_ROOT/tests/public/sdk/mxfp.nki" --target trn3 \
  --path aws-neuron-sdk/nki/deep-dives/src/mxfp-matmul
for f in average_pool2d/average_pool2d_nki_kernels transpose2d/transpose2d_nki_kernels simulate/nki_simulate_example; do
  run 0 "examples: $f" run "$ex/$f.py" -q
done
run 0 "examples: layout-pass" run "$ex/layout-pass.py" tensor_exp_kernel_ 'in_tensor=float32[128,512]' \
  --check 'np.exp(in_tensor)' -q
run 1 "examples: layout-violation" run "$ex/layout-violation.py" tensor_exp_kernel_ 'in_tensor=float32[256,512]' -q
run 0 "examples: index-case-1" run "$ex/index-case-1.py" tensor_split_kernel_ 'in_tensor=float32[4,5]' \
  --check '(in_tensor[:, 0::2], in_tensor[:, 1::2])' -q
run 0 "examples: index-case-3" run "$ex/index-case-3.py" tensor_maxpool_kernel_ 'in_tensor=float32[2,6,6]' sz_pool=2 \
  --check 'in_tensor.reshape(2, 3, 2, 3, 2).max(axis=(2, 4))' -q
finish
