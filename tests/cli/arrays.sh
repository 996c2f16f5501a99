#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Arguments from files and expressions, results to files, checks against references.
. "$(dirname "$0")/tap.sh"

cat >"$dir/k.nki" <<'END'
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def double(a):
    t = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=a)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=2.0)
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t)
    return out

@nki.jit
def scaled(a, by):
    t = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=a)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=by)
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t)
    return out, out
END

run 1 "several kernels, none named" run "$dir/k.nki" 'a=float32[4,4]'
says err 'double, scaled' "several kernels: listed"
run 0 "filled tensor" run "$dir/k.nki" double 'a=float32[4,4]'
says out '^result float32\[4,4\]' "result line"
cp "$dir/out" "$dir/first"
run 0 "same seed" run "$dir/k.nki" double 'a=float32[4,4]' --threads 1
cmp -s "$dir/out" "$dir/first"
report $? "same seed, same numbers, whatever the threads"
run 0 "other seed" run "$dir/k.nki" double 'a=float32[4,4]' --seed 7
if cmp -s "$dir/out" "$dir/first"; then r=1; else r=0; fi
report $r "other seed, other numbers"
run 0 "expression" run "$dir/k.nki" double 'a=np.arange(8, dtype=np.float32).reshape(2, 4)' --check '2 * a'
says out 'check result: passed' "check passes"
run 1 "check fails" run "$dir/k.nki" double 'a=float32[4,4]' --check '2 * a + 1'
says err 'error\[E658\]' "failed check: coded"
says out 'check result: FAILED' "failed check: figures"
run 0 "tolerance from the command line" run "$dir/k.nki" double 'a=float32[4,4]' --check '2 * a + 1' --atol 1.01
run 1 "reference of another shape" run "$dir/k.nki" double 'a=float32[4,4]' --check 'a[0]'
says err 'error\[E659\]' "reference of another shape: coded"
run 1 "reference that raises" run "$dir/k.nki" double 'a=float32[4,4]' --check 'a @ b'
run 0 "save" run "$dir/k.nki" double 'a=float32[4,4]' -o "$dir/r.npy" -q
run 0 "load what was saved" run "$dir/k.nki" double "a=@$dir/r.npy" --check '2 * a'
run 0 "argument that sees another" run "$dir/k.nki" scaled 'a=float32[4,4]' 'by=1.5' --check '(a * by, a * 1.5)'
run 0 "named result" run "$dir/k.nki" scaled 'a=float32[4,4]' 'by=1.5' -o "result[1]=$dir/s.npy" -o "0=$dir/t.npy"
cmp -s "$dir/s.npy" "$dir/t.npy"
report $? "both results saved"
run 1 "result that is not there" run "$dir/k.nki" double 'a=float32[4,4]' -o "x=$dir/s.npy"
says err 'error\[E657\]' "result that is not there: coded"
run 1 "folder that is not there" run "$dir/k.nki" double 'a=float32[4,4]' -o "$dir/no/s.npy"
says err 'error\[E660\]' "folder that is not there: coded"
for t in bfloat16 float16 int8 uint8 int16 uint16 int32 uint32; do
  run 0 "filled $t" run "$dir/k.nki" double "a=$t[4,6]" -o "$dir/$t.npy"
done
run 0 "bfloat16 from a file" run "$dir/k.nki" double "a=@$dir/bfloat16.npy:bfloat16" --check '2 * a'
run 0 "check: shapes alone" check "$dir/k.nki" double 'a=bfloat16[128,4096]'
run 0 "JSON" run "$dir/k.nki" double 'a=float32[4,4]' --check '2 * a' --format json
says out '"passed":true' "JSON: check"
if command -v python3 >/dev/null; then
  python3 -m json.tool "$dir/out" >/dev/null 2>&1
  report $? "JSON is valid"
  if python3 -c 'import numpy' 2>/dev/null; then
    python3 - "$dir" <<'END'
import sys
import numpy as np
d = sys.argv[1]
a = np.load(d + "/r.npy")
assert a.dtype == np.float32 and a.shape == (4, 4), a
np.save(d + "/f.npy", np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4)))
np.save(d + "/big.npy", np.arange(12).astype(">f4").reshape(3, 4))
np.savez(d + "/z.npz", w=np.ones((3, 4), np.float32), v=np.zeros((2, 2), np.float32))
END
    report $? "arrays that NumPy reads"
    run 0 "Fortran order" run "$dir/k.nki" double "a=@$dir/f.npy" --check '2 * np.arange(12).reshape(3, 4)'
    run 0 "big endian" run "$dir/k.nki" double "a=@$dir/big.npy" --check '2 * np.arange(12).reshape(3, 4)'
    run 0 "npz" run "$dir/k.nki" double "a=@$dir/z.npz:w" --check '2 * np.ones((3, 4))'
    run 1 "npz without the key" run "$dir/k.nki" double "a=@$dir/z.npz:nothing"
  fi
fi
finish
