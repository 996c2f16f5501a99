# SPDX-License-Identifier: Apache-2.0
"""Runs the same expressions in nkx and in CPython with NumPy and compares what they print.

    python3 tests/numpy/compare.py build/release/interp/cli/nkx [cases...]

A case file holds one expression a line; `= text` lines are setup statements for all cases behind
them. A case that begins with `~` compares numbers to a relative 1e-5 (elementary functions differ in the last
place). The result is TAP. Without NumPy and ml_dtypes every case is skipped.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PRELUDE = """
import math
import numpy as np
import ml_dtypes as ml

def show(i, f):
    try:
        print(f"@{i} {f()!r}")
    except Exception as e:
        print(f"@{i} {type(e).__name__}: {str(e).strip()}")
"""
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)")
# NumPy's own subclasses, which are their plain base classes in nkx.
CLASSES = {"AxisError": "ValueError", "UFuncTypeError": "TypeError", "_UFuncOutputCastingError": "TypeError", "_UFuncInputCastingError": "TypeError",
           "LinAlgError": "ValueError", "_UFuncNoLoopError": "TypeError", "_UFuncBinaryResolutionError": "TypeError"}


def read_cases(path):
    setup, cases = [], []
    for line in open(path):
        line = line.rstrip("\n")
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("= "):
            cases.append((None, line[2:]))
        else:
            near = line.startswith("~")
            cases.append((near, line[1:].strip() if near else line))
    return cases


def script(cases):
    out = [PRELUDE]
    for i, (near, text) in enumerate(cases):
        out.append(text if near is None else f"show({i}, lambda: ({text}))")
    return "\n".join(out) + "\n"


def run(command, path):
    done = subprocess.run(command + [path], capture_output=True, text=True)
    found, at = {}, None
    for line in done.stdout.split("\n"):
        m = re.match(r"@(\d+) ?(.*)", line)
        if m:
            at = int(m.group(1))
            found[at] = m.group(2)
        elif at is not None:
            found[at] += "\n" + line
    return {k: v.rstrip() for k, v in found.items()}, done


def plain(text):
    for name, base in CLASSES.items():
        text = re.sub(rf"^{name}:", base + ":", text)
    text = re.sub(r"dtype\('(\w+)'\)|dtype\((\w+)\)", r"\1\2", text)  # a dtype shows as its name here
    return re.sub(r" at 0x[0-9a-f]+>", ">", text)


def same(near, a, b):
    a, b = plain(a), plain(b)
    if a == b:
        return True
    if not near:
        return False
    if "".join(NUMBER.sub("#", a).split()) != "".join(NUMBER.sub("#", b).split()):
        return False
    for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)):
        x, y = float(x), float(y)
        if x != y and not (x != x and y != y) and abs(x - y) > 1e-5 * max(abs(x), abs(y)):
            return False
    return True


def main():
    nkx = sys.argv[1]
    files = sys.argv[2:] or sorted(os.path.join(HERE, f) for f in os.listdir(HERE) if f.endswith(".cases"))
    try:
        import ml_dtypes  # noqa: F401
        import numpy  # noqa: F401
    except ImportError:
        print("1..0 # SKIP NumPy and ml_dtypes are not there")
        return 0
    number = failed = 0
    for f in files:
        cases = read_cases(f)
        with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as t:
            t.write(script(cases))
        ours, done = run([nkx, "run"], t.name)
        theirs, ref = run([sys.executable, "-W", "ignore"], t.name)
        os.unlink(t.name)
        for i, (near, text) in enumerate(cases):
            if near is None:
                continue
            number += 1
            a, b = ours.get(i, "(nothing printed)"), theirs.get(i, "(nothing printed)")
            ok = i in ours and i in theirs and same(near, a, b)
            failed += not ok
            print(f"{'ok' if ok else 'not ok'} {number} - {os.path.basename(f)}: {text}")
            if not ok:
                print("#   nkx:   " + a.replace("\n", "\n#          "))
                print("#   NumPy: " + b.replace("\n", "\n#          "))
        if done.returncode and len(ours) < len(theirs):
            print("# nkx: " + done.stderr.strip().replace("\n", "\n# "))
        if ref.returncode:
            print("# NumPy: " + ref.stderr.strip().replace("\n", "\n# "))
    print(f"1..{number}")
    print(f"# {number - failed} passed, {failed} failed", file=sys.stderr)
    return 1 if failed else 0


sys.exit(main())
