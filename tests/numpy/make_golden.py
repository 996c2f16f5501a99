# SPDX-License-Identifier: Apache-2.0
"""Writes golden cases from the case files, with what CPython and NumPy print as the expectation.

    python3 tests/numpy/make_golden.py

builtins.cases gives one file a builtin function or method in tests/golden/builtins, arrays.cases one
a section in tests/golden/numpy. Cases that compare by tolerance, and those whose values NumPy and nkx
word differently on purpose, stay out.
"""
import ast
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(os.path.dirname(HERE), "golden")
sys.argv = [sys.argv[0]]
SHOW = '''

def show(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__ + ":", str(e).strip())


'''
KIND = {str: "str", int: "int", float: "float", bytes: "bytes"}
MODULES = ("math", "itertools", "functools", "operator", "collections", "copy")


def plain(text):
    for name in ("AxisError", "LinAlgError"):
        text = re.sub(rf"^{name}:", "ValueError:", text, flags=re.M)
    for name in ("UFuncTypeError", "_UFuncOutputCastingError", "_UFuncInputCastingError", "_UFuncNoLoopError", "_UFuncBinaryResolutionError"):
        text = re.sub(rf"^{name}:", "TypeError:", text, flags=re.M)
    return re.sub(r"(?<!dtype=)(?:dtype\('(\w+)'\)|dtype\((\w+)\))", r"\1\2", text)


def key_of(node):
    """File of a case: the function or method that it is about."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("list", "dict", "tuple", "next", "len", "sorted") and node.args \
            and isinstance(node.args[0], ast.Call) and not isinstance(node.args[0].func, ast.Lambda):
        node = node.args[0]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Call):
        return key_of(node.func)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        value = node.func.value
        if isinstance(value, ast.Name) and value.id in MODULES:
            return f"{value.id}_{node.func.attr}" if value.id != "math" else "math"
        if isinstance(value, ast.Constant):
            return f"{KIND.get(type(value.value), 'value')}_{node.func.attr}"
        for t, name in ((ast.List, "list"), (ast.Dict, "dict"), (ast.Set, "set"), (ast.Tuple, "tuple"), (ast.JoinedStr, "str")):
            if isinstance(value, t):
                return f"{name}_{node.func.attr}"
        if isinstance(value, ast.Name):
            return f"{value.id}_{node.func.attr}"
        return "methods"
    if isinstance(node, ast.JoinedStr):
        return "format_spec"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
        return "percent_format"
    if isinstance(node, ast.Subscript):
        return "subscripts"
    if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp)):
        return "operators"
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        return "float_repr"
    if isinstance(node, ast.Attribute):
        return "math" if isinstance(node.value, ast.Name) and node.value.id == "math" else "attributes"
    return "displays"


def expected(setup, cases):
    """What each case prints, by CPython."""
    lines = setup + SHOW.split("\n")
    for text in cases:
        lines += [f"show(lambda: ({text}))", "print('\\x01')"]
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as t:
        t.write("\n".join(lines) + "\n")
    done = subprocess.run([sys.executable, "-W", "ignore", t.name], capture_output=True, text=True, check=True)
    os.unlink(t.name)
    return [plain(x.strip("\n")) for x in done.stdout.split("\x01\n")[:-1]]


def write(path, title, setup, cases):
    out = ["# SPDX-License-Identifier: Apache-2.0", f"# {title}"] + setup
    text = "\n".join(out) + "\n\n" + SHOW.lstrip("\n") if not setup else "\n".join(out) + SHOW
    outputs = expected(setup, cases)
    body = []
    for case, printed in zip(cases, outputs):
        if " at 0x" in printed:
            continue
        body.append(f"show(lambda: {case})" if not is_tuple(case) else f"show(lambda: ({case}))")
        body += [f"#> {line}" if line else "#>" for line in printed.split("\n")]
    if body:
        with open(path, "w") as f:
            f.write(text + "\n".join(body) + "\n")


def is_tuple(text):
    return isinstance(ast.parse(text, mode="eval").body, ast.Tuple)


def builtins():
    groups = {}
    setup = []
    for line in open(os.path.join(HERE, "builtins.cases")):
        line = line.rstrip("\n")
        if not line or line[0] in "#~":
            continue
        if line.startswith("= "):
            setup.append(line[2:])
            continue
        body = ast.parse(line, mode="eval").body
        parts = body.elts if isinstance(body, ast.Tuple) else [body]
        for p in parts:
            text = ast.get_source_segment(line, p)
            if isinstance(p, ast.Tuple):
                text = f"({text.strip('()')})" if not text.startswith("(") else text
            groups.setdefault(key_of(p), []).append(text)
    folder = os.path.join(GOLDEN, "builtins")
    os.makedirs(folder, exist_ok=True)
    for key, cases in sorted(groups.items()):
        need = ["import math"] if any("math." in c for c in cases) else []
        for module in MODULES[1:]:
            if any(f"{module}." in c for c in cases):
                need.append(f"import {module}")
        write(os.path.join(folder, key + ".nki"), key.replace("_", " ") + ": values and errors as CPython has them.", need, cases)


def arrays():
    setup, section, groups, seen = ["import numpy as np", "import ml_dtypes as ml", ""], "arrays", {}, []
    for line in open(os.path.join(HERE, "arrays.cases")):
        line = line.rstrip("\n")
        if line.startswith("# "):
            section = line[2:].replace(" ", "_").replace("-", "_")
        elif line.startswith("= "):
            setup.append(line[2:])
        elif line and line[0] != "~" and line not in seen:
            groups.setdefault(section, []).append(line)
            seen.append(line)
    folder = os.path.join(GOLDEN, "numpy")
    os.makedirs(folder, exist_ok=True)
    for key, cases in groups.items():
        write(os.path.join(folder, key + ".nki"), key.replace("_", " ") + ": host arrays as NumPy has them.", setup, cases)


builtins()
arrays()
