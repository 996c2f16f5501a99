#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wrong inputs: each gives a located, coded message and exit code 1, none a crash.
. "$(dirname "$0")/tap.sh"

head='import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl

'
kernel="$head@nki.jit
def k(a):
"
tail='    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    return out
'

# wrong NAME REGEX TEXT [ARGS...]: the program refuses TEXT with a message like REGEX.
wrong() {
  name=$1
  regex=$2
  printf '%s' "$3" >"$dir/case.nki"
  shift 3
  [ $# -gt 0 ] || set -- 'a=float32[128,512]'
  run 1 "$name" run "$dir/case.nki" "$@"
  says err '^.+:[0-9]+:[0-9]+: error\[E[0-9]{3}\]: ' "$name: located and coded"
  says err "$regex" "$name: says what is wrong"
}

wrong "partition 129" '129' "$kernel    t = nl.ndarray((129, 4), dtype=nl.float32, buffer=nl.sbuf)
$tail"
wrong "PSUM tile over a bank" '2048|bank' "$kernel    t = nl.ndarray((128, 600), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(dst=t, value=0.0)
$tail"
wrong "SBUF over capacity" 'sbuf' "$kernel    keep = []
    for i in range(300):
        keep.append(nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf))
$tail"
says err 'float32\[128,512\]' "SBUF over capacity: table of who holds what"
wrong "matmul K mismatch" '64' "$kernel    x = nl.ndarray((128, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
    y = nl.ndarray((64, 512), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.memset(dst=x, value=0.0)
    nisa.memset(dst=y, value=0.0)
    p = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=p, stationary=x, moving=y)
$tail"
wrong "both inputs in PSUM" '(psum|PSUM)' "$kernel    x = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.psum)
    y = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(dst=x, value=0.0)
    nisa.memset(dst=y, value=0.0)
    z = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=z, data1=x, data2=y, op=nl.add)
$tail"
wrong "DMA from PSUM" '(psum|PSUM)' "$kernel    x = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(dst=x, value=0.0)
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out
"
wrong "undefined read" 'written' "$kernel    x = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out
"
wrong "unknown keyword" 'vlaue' "$kernel    x = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=x, vlaue=0.0)
$tail"
says err 'value' "unknown keyword: suggestion"
wrong "wrong dtype" 'int32' "$kernel    x = nl.ndarray((128, 64), dtype=nl.int32, buffer=nl.sbuf)
    y = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=x, value=0)
    nisa.memset(dst=y, value=0)
    p = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=p, stationary=x, moving=y)
$tail"
wrong "out-of-range slice" '512' "$kernel    x = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=x, src=a[0:128, 500:1012])
$tail"
wrong "tab and space mix" '[Tt]ab' "if True:
        x = 1
	y = 2
"
wrong "unclosed bracket" 'never closed' 'x = (1,
y = 2
'
wrong "failing assert" 'rows: 128' "$kernel    assert a.shape[0] == 64, f\"rows: {a.shape[0]}\"
$tail"
wrong "wrong shape argument" 'bfloat16' "$kernel$tail" 'a=bfloat16[12,x]'
wrong "unknown name" 'nisa' "$kernel    nsia.memset(dst=a, value=0)
$tail"
says err "[Dd]id you mean" "unknown name: suggestion"
wrong "division by zero" 'ZeroDivisionError|zero' "$kernel    n = a.shape[0] // 0
$tail"
wrong "endless recursion" 'RecursionError|recursion' "def f(n):
    return f(n + 1)

$kernel    f(0)
$tail"

printf '%s' "$kernel$tail" >"$dir/case.nki"
run 1 "missing file" run "$dir/nothing.nki"
says err 'error\[E651\].*nothing.nki' "missing file: named"
printf '\223NUMPY\001\000v\000{' >"$dir/short.npy"
run 1 "truncated npy" run "$dir/case.nki" "a=@$dir/short.npy"
says err 'error\[E655\]' "truncated npy: coded"
run 1 "array that is not there" run "$dir/case.nki" "a=@$dir/none.npy"
says err 'error\[E655\]' "array that is not there: coded"
run 1 "unknown target" run --target trn9 "$dir/case.nki" 'a=float32[4,4]'
says err 'error\[E625\].*trn9' "unknown target: coded"
run 1 "unknown kernel" run "$dir/case.nki" kk 'a=float32[4,4]'
says err 'error\[E652\]' "unknown kernel: coded"
run 1 "unknown code to allow" run --allow E000 "$dir/case.nki" 'a=float32[4,4]'
says err 'error\[E650\]' "unknown code: coded"
run 1 "argument that the kernel lacks" run "$dir/case.nki" 'b=float32[4,4]'
says err 'error\[E[0-9]+\]' "argument that the kernel lacks: coded"
finish
