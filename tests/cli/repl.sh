#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The live session from a pipe, and on a pseudo-terminal when Python is there to make one.
. "$(dirname "$0")/tap.sh"

cat >"$dir/softmax.txt" <<'END'
import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl
x = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
x
nisa.iota(dst=x, pattern=[[1, 512]], offset=0)
m = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
nisa.tensor_reduce(dst=m, op=nl.maximum, data=x, axis=1, negate=True)
e = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
nisa.activation(dst=e, op=nl.exp, data=x, bias=m)
s = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
nisa.tensor_reduce(dst=s, op=nl.add, data=e, axis=1)
nisa.tensor_reduce(dst=s, op=nl.add, data=e, axis=1, nonsense=3)
nisa.reciprocal(dst=s, data=s)
nisa.tensor_scalar(dst=e, data=e, op0=nl.multiply, operand0=s)
e
for i in range(2):
    nisa.memset(dst=m, value=float(i))

n = 3
n + 4
:mem
:list
:prof
:isa memset
:nonsense
:help
:quit
END
"$NKX" repl <"$dir/softmax.txt" >"$dir/out" 2>"$dir/err"
[ $? -eq 1 ]
report $? "a wrong statement shows in the exit code"
says out 'float32\[128,512\].*nothing written yet' "a fresh tile"
says out 'activation  [0-9.]+ us' "cost of an instruction"
says out '2 instructions, ' "cost of a loop"
says err 'error\[E[0-9]+\].*nonsense' "the wrong statement is refused"
says out '^7$' "value of an expression"
says out '^sbuf: [0-9]+ of [0-9]+ bytes' ":mem"
says out '  nc_|  tensor_scalar ' ":list"
says out 'cycle accurate' ":prof"
says out "no command ':nonsense'" "unknown command"
[ "$(grep -c 'error\[' "$dir/err")" -eq 1 ]
report $? "one error, and the rest went on"
if LC_ALL=C grep -q "$(printf '\033')" "$dir/out"; then r=1; else r=0; fi
report $r "no control codes in a pipe"

# The same statements as one kernel take the same time and memory.
{
  sed -n '1,4p' "$dir/softmax.txt"
  echo '@nki.jit'
  echo 'def k():'
  sed -n '5,19p' "$dir/softmax.txt" | grep -v -e nonsense -e '^[xe]$' | sed 's/^/    /'
  echo '    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)'
  echo '    return out'
} >"$dir/k.nki"
live=$(grep -E '^ *[0-9]+ .*activation' "$dir/out" | head -n 1)
"$NKX" list "$dir/k.nki" k --allow output_never_written >"$dir/list" 2>"$dir/err"
batch=$(grep -c . "$dir/list")
ours=$(grep -cE '^ *[0-9]+  (Tensor|Vector|Scalar|GpSimd|Sync|DMA) ' "$dir/out")
[ -n "$live" ] && [ "$batch" -eq "$ours" ]
report $? "as many instructions as the same kernel in one run ($ours, $batch)"

if command -v python3 >/dev/null; then
  NKX_HISTORY="$dir/history" python3 "$NKX_ROOT/tests/cli/repl_pty.py" "$NKX" >"$dir/out" 2>"$dir/err"
  report $? "pseudo-terminal: prompt, history, completion, Ctrl-C, blocks"
fi
finish
