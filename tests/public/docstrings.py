#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the example blocks in the docstrings of the public nki.language and nki.isa, one test each.

NKX_PUBLIC names the folder that holds a clone of aws-neuron-sdk; without it nothing is run. NKX is the
program. A block is a `code-block:: python` of a docstring. Its statements become the body of a kernel;
a block that defines its own kernel is called. Names that a block takes for granted are in GIVEN, results
it does not check itself in the same row. The script prints TAP.
"""
import ast
import os
import re
import subprocess
import sys
import tempfile
import textwrap

MODULES = (("nl", "language"), ("nisa", "isa"))
BLOCK = re.compile(r"\.\. code-block:: python\n((?:[ \t]+:.*\n)*)\n((?:[ \t]+.*(?:\n|$)|\n)+)")
HEAD = "import numpy as np\nimport nki\nimport nki.isa as nisa\nimport nki.language as nl\n"

# Blocks that are no programs, with what is wrong with them.
NOT_RUN = {
    "nisa.VirtualRegister#2": "its copies read from `...`",
    "nisa.tensor_scalar_cumulative#1": "iterates over an int: `for i in len(in_tensor)`",
    "nisa.activation#1": "`<FreeAxis>` is no expression",
    "nisa.activation_reduce#1": "`<FreeAxis>` is no expression",
    "nisa.iota#1": "a sum goes on in the next line without brackets",
    "nisa.affine_select#1": "a sum goes on in the next line without brackets",
    "nisa.exponential#1": "`reduce_cmd` is a command and the list of commands at once",
    "nisa.core_barrier#1": "never defines core_id, and calls core_barrier without its module; for two cores",
    "nisa.sendrecv#1": "calls sendrecv without its module; for two cores",
}

SQUARE_TILES = {
    "args": {"input_tensor": "np.random.rand(128, 1024).astype(np.float32)"},
    "given": "out_tensor = nl.ndarray(input_tensor.shape, dtype=nl.float32, buffer=nl.shared_hbm)",
    "after": "return out_tensor",
    "check": "assert np.array_equal(got, input_tensor * input_tensor)",
}
ONE_SQUARE_TILE = dict(SQUARE_TILES, args={"input_tensor": "np.random.rand(128, 512).astype(np.float32)"})
GEN4 = {"options": ["--target", "trn3"]}


def handed_back(tile, check):
    """A tile the block leaves in SBUF, looked at on the host."""
    return {"after": "out = nl.ndarray(%s.shape, dtype=%s.dtype, buffer=nl.shared_hbm)\nnl.store(out, %s)\nreturn out"
                     % (tile, tile, tile), "check": check}


# What a block takes for granted, and the result that it does not check itself:
#   args     kernel parameters and their host values      given   statements before the block
#   after    statements behind it                         check   host statements; `got` is what the kernel returned
#   kernel   our kernel around a function of the block    host    the block computes on the host what `kernel` does
#   options  of the command
GIVEN = {
    "nl.NkiTensor.__getitem__#1": {"given": "i = 4"},
    "nl.NkiTensor.ap#1": {"given": "idx = nl.zeros((1, 1), dtype=nl.int32, buffer=nl.sbuf)"},
    "nl.abs_max#1": GEN4,
    "nl.abs_max#2": GEN4,
    "nl.abs_min#1": GEN4,
    "nl.abs_min#2": GEN4,
    "nl.copy#1": dict(handed_back("result", "np.testing.assert_allclose(got, x_tensor.T @ y_tensor, rtol=1e-5)"), args={
        "x_tensor": "np.random.rand(128, 64).astype(np.float32)",
        "y_tensor": "np.random.rand(128, 512).astype(np.float32)"}),
    "nl.softmax#1": handed_back("result", "assert np.allclose(got, 1 / 512)"),
    "nl.rms_norm#1": handed_back("result", "assert np.allclose(got, 1)"),
    "nl.rand#1": handed_back("a", "assert np.all((got >= 0) & (got < 1)) and abs(np.mean(got) - 0.5) < 0.02"),
    "nl.gather_flattened#1": {
        "args": {"data_tensor": "np.random.rand(128, 512).astype(np.float32)",
                 "indices_tensor": "np.random.randint(0, 512, (128, 512)).astype(np.uint32)"},
        "given": "actual_tensor = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)",
        "after": "return actual_tensor",
        "check": "places = indices_tensor.astype(np.int64)\n"
                 "assert np.array_equal(got, np.take_along_axis(data_tensor, places, axis=1))"},
    "nl.affine_range#1": SQUARE_TILES,
    "nl.sequential_range#1": SQUARE_TILES,
    "nl.static_range#1": SQUARE_TILES,
    "nl.dynamic_range#1": ONE_SQUARE_TILE,
    "nisa.VirtualRegister#1": ONE_SQUARE_TILE,
    "nl.fori_loop#1": {"given": "lower, upper, step = 1, 9, 3\nseen = []\ndef body_fun(i):\n    seen.append(i)\n",
                       "after": "assert seen == [1, 4, 7]"},
    "nl.fori_loop#2": {
        "args": {"ub_input": "np.array([[5]], np.int32)", "data": "np.random.rand(1, 8).astype(np.float32)"},
        "given": "N = data.shape[1]\noutput = nl.ndarray((1, N), dtype=nl.float32, buffer=nl.shared_hbm)",
        "after": "return output",
        "check": "assert np.array_equal(got[:, :5], data[:, :5]) and np.all(got[:, 5:] == 0)"},
    "nl.while_loop#1": {"given": "init = 3\nseen = []\ndef body_fun(r):\n    seen.append(r)\n    return r - 1\n",
                        "after": "assert seen == [3, 2, 1]"},
    "nl.while_loop#2": dict(handed_back("acc", "assert got[0, 0] == 10"), args={
        "data": "np.array([[2.5]], np.float32)", "count_input": "np.array([[4]], np.int32)"}),
    "nl.shared_identity_matrix#1": {
        "args": {"expected_tensor": "np.eye(128, dtype=np.float32)"},
        "given": "actual_tensor = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)",
        "after": "return actual_tensor",
        "check": "assert np.array_equal(got, expected_tensor)"},
    "nisa.dma_copy#1": {
        "args": {"data": "np.random.rand(200, 96).astype(np.float32)",
                 "indices": "np.random.randint(0, 200, (64, 1)).astype(np.uint32)"},
        "check": "assert np.array_equal(got, data[indices[:, 0].astype(np.int64)])"},
    "nisa.dma_copy#2": {
        "args": {"src_data": "np.random.rand(64, 96).astype(np.float32)",
                 "indices": "(np.arange(64)[::-1] * 3).reshape((64, 1)).astype(np.uint32)",
                 "output": "np.zeros((200, 96), np.float32)"},
        "check": "golden = np.zeros((200, 96), np.float32)\ngolden[indices[:, 0].astype(np.int64)] = src_data\n"
                 "assert np.array_equal(got, golden)"},
    "nisa.nc_matmul#1": {
        "args": {"lhsT": "np.random.rand(512, 128).astype(np.float32)",
                 "rhs": "np.random.rand(512, 256).astype(np.float32)"},
        "check": "np.testing.assert_allclose(got, lhsT.T @ rhs, rtol=1e-5)"},
    "nisa.dma_transpose#1": {
        "args": {"src_hbm": "np.random.rand(300, 128).astype(np.float16)",
                 "idx_hbm": "np.random.randint(0, 300, (128, 1)).astype(np.uint32)"},
        "check": "assert np.array_equal(got, src_hbm[idx_hbm[:, 0].astype(np.int64)].T)"},
    "nisa.dma_transpose#2": {
        "args": {"src_hbm": "np.random.rand(300, 128).astype(np.float16)",
                 "idx_hbm": "np.random.randint(0, 300, (128, 2)).astype(np.uint32)"},
        "check": "assert np.array_equal(got, src_hbm[idx_hbm.T.flatten().astype(np.int64)].T)"},
    "nisa.dma_transpose#3": {
        "args": {"src_hbm": "np.random.rand(40, 1, 3, 64).astype(np.float16)",
                 "idx_hbm": "np.random.randint(0, 40, (128, 2)).astype(np.uint32)"},
        "check": "rows = src_hbm[idx_hbm.T.flatten().astype(np.int64)]\n"
                 "assert np.array_equal(got, np.transpose(rows, (3, 1, 2, 0)))"},
    "nisa.activate2#1": {
        "options": GEN4["options"],
        "args": {"data_tensor": "np.random.randn(128, 64).astype(np.float32)"},
        "check": "import math\nfor i in range(64):\n    v = 2.0 * float(data_tensor[5, i]) + 0.5\n"
                 "    assert abs(float(got[5, i]) - v * 0.5 * (1 + math.erf(v / math.sqrt(2.0)))) < 1e-4"},
    "nisa.activate2#2": {
        "options": GEN4["options"],
        "host": True,
        "kernel": "def kernel(x):\n    t = nl.load(x)\n    s = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)\n"
                  "    nisa.activate2(dst=t, data=t, op=nl.relu, op0=nl.multiply, imm0=3.0, op1=nl.add, imm1=1.0,\n"
                  "                   reduce_op=nl.add, reduce_cmd=nisa.reduce_cmd.reset_reduce, reduce_res=s)\n"
                  "    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
                  "    sums = nl.ndarray((1, 1), dtype=x.dtype, buffer=nl.shared_hbm)\n"
                  "    nl.store(out, t)\n    nl.store(sums, s)\n    return out, sums\n",
        "args": {"x": "np.array([[-4.0, -1.0, 0.0, 2.0, 5.0]], np.float32)"},
        "given": "data, dst = x[0].tolist(), [0.0] * 5\nnum_elements_per_partition, accumulator = 5, 0.0\n"
                 "bypass, reset_reduce, reduce = None, 'reset_reduce', 'reduce'\n"
                 "reduce_cmd, relu_param = reset_reduce, 0.0\n"
                 "imm0, imm1 = 3.0, 1.0\nop0 = lambda a, b: a * b\nop1 = lambda a, b: a + b\nreduce_op = op1\n"
                 "op = lambda v, relu_param: max(v, relu_param)",
        "check": "assert got[0][0].tolist() == dst and got[1][0, 0] == accumulator"},
    "nisa.tensor_tensor_scan#1": {
        "host": True,
        "kernel": "def kernel(data0, data1):\n    a = nl.load(data0)\n    b = nl.load(data1)\n"
                  "    nisa.tensor_tensor_scan(dst=a, data0=a, data1=b, initial=0.5, op0=nl.multiply, op1=nl.add)\n"
                  "    out = nl.ndarray(data0.shape, dtype=data0.dtype, buffer=nl.shared_hbm)\n"
                  "    nl.store(out, a)\n    return out\n",
        "args": {"data0": "np.random.rand(128, 60).astype(np.float32)",
                 "data1": "np.random.rand(128, 60).astype(np.float32)"},
        "given": "initial, op0, op1 = np.float32(0.5), np.multiply, np.add",
        "check": "np.testing.assert_allclose(got, result, rtol=1e-6)"},
    "nisa.range_select#1": {
        "host": True,
        "kernel": "def kernel(x, lo, hi):\n    t = nl.load(x)\n"
                  "    d = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)\n"
                  "    m = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)\n"
                  "    nisa.range_select(dst=d, on_true_tile=t, comp_op0=nl.greater, comp_op1=nl.less_equal,\n"
                  "                      bound0=nl.load(lo), bound1=nl.load(hi), range_start=7,\n"
                  "                      on_false_value=nl.float32.min, reduce_cmd=nisa.reduce_cmd.reset_reduce,\n"
                  "                      reduce_res=m, reduce_op=nl.maximum)\n"
                  "    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
                  "    best = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)\n"
                  "    nl.store(out, d)\n    nl.store(best, m)\n    return out, best\n",
        "args": {"x": "np.random.rand(128, 60).astype(np.float32)",
                 "lo": "np.random.randint(0, 40, (128, 1)).astype(np.float32)",
                 "hi": "np.random.randint(20, 70, (128, 1)).astype(np.float32)"},
        "given": "on_true_tile, bound0, bound1, range_start, on_false_value = x, lo, hi, 7, np.finfo(np.float32).min\n"
                 "comp_op0, comp_op1, reduce_op = np.greater, np.less_equal, np.max",
        "check": "assert np.array_equal(got[0], select_out_tile) and np.array_equal(got[1], reduce_tile)"},
    "nisa.select_reduce#1": {
        "host": True,
        "kernel": "def kernel(p, t, f):\n    d = nl.ndarray(t.shape, dtype=t.dtype, buffer=nl.sbuf)\n"
                  "    m = nl.ndarray((128, 1), dtype=t.dtype, buffer=nl.sbuf)\n"
                  "    nisa.select_reduce(dst=d, predicate=nl.load(p), on_true=nl.load(t), on_false=nl.load(f),\n"
                  "                       reverse_pred=True, reduce_cmd=nisa.reduce_cmd.reset_reduce, reduce_res=m,\n"
                  "                       reduce_op=nl.maximum)\n"
                  "    out = nl.ndarray(t.shape, dtype=t.dtype, buffer=nl.shared_hbm)\n"
                  "    best = nl.ndarray((128, 1), dtype=t.dtype, buffer=nl.shared_hbm)\n"
                  "    nl.store(out, d)\n    nl.store(best, m)\n    return out, best\n",
        "args": {"p": "np.random.rand(128, 60) < 0.5", "t": "np.random.rand(128, 60).astype(np.float32)",
                 "f": "np.random.rand(128, 1).astype(np.float32)"},
        "given": "predicate, on_true, on_false, reverse_pred = p, t, f, True",
        "check": "assert np.array_equal(got[0], result) and np.array_equal(got[1], reduction_result)"},
    "nisa.nonzero_with_count#1": {
        "host": True,
        "kernel": "def kernel(x):\n    d = nl.zeros((16, x.shape[1] + 1), dtype=nl.int32, buffer=nl.sbuf)\n"
                  "    nisa.nonzero_with_count(dst=d, src=nl.load(x), index_offset=16, padding_val=-1)\n"
                  "    out = nl.ndarray(d.shape, dtype=nl.int32, buffer=nl.shared_hbm)\n"
                  "    nl.store(out, d)\n    return out\n",
        "args": {"x": "np.tile(np.array([[0, 1, 1, 0, 0, 1, 0, 0]], np.int32), (16, 1))"},
        "given": "input_array, index_offset, padding_val = x[0].tolist(), 16, -1",
        "check": "assert output == [17, 18, 21, -1, -1, -1, -1, -1, 3] and got[0].tolist() == output"},
    "nisa.nonzero_with_count#2": {
        "args": {"in_tensor": "(np.random.rand(128, 32) < 0.3).astype(np.float32)"},
        "check": "for p in range(0, 128, 16):\n    found = [i for i in range(32) if in_tensor[p, i] != 0]\n"
                 "    assert got[p].tolist() == found + [-1] * (32 - len(found)) + [len(found)]"},
    "nisa.topk#1": {
        "kernel": "def kernel(x):\n    v, i = topk_kernel(x)\n"
                  "    values = nl.ndarray(v.shape, dtype=v.dtype, buffer=nl.shared_hbm)\n"
                  "    places = nl.ndarray(i.shape, dtype=i.dtype, buffer=nl.shared_hbm)\n"
                  "    nl.store(values, v)\n    nl.store(places, i)\n    return values, places\n",
        "args": {"x": "np.random.permutation(48).reshape((16, 3)).astype(nl.bfloat16)"},
        "check": "snake = x.astype(np.float32).T.flatten()[:42]\norder = np.argsort(snake)[-8:]\n"
                 "for p in range(16):\n    assert got[0].astype(np.float32)[p].tolist() == snake[order].tolist()\n"
                 "    assert got[1][p].tolist() == order.tolist()"},
}


def blocks(alias, path):
    """(name, text) of each block of a module's docstrings, in order."""
    with open(path, encoding="utf-8") as f:
        tree = ast.parse(f.read())
    found = []

    def visit(node, prefix):
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                continue
            name = prefix + "." + child.name
            for i, match in enumerate(BLOCK.finditer(ast.get_docstring(child) or "")):
                found.append(("%s#%d" % (name, i + 1), textwrap.dedent(match.group(2)).strip("\n")))
            visit(child, name)

    visit(tree, alias)
    return found


def shapes_checked(line):
    """A view whose shape stands in a comment behind it, as an assertion."""
    match = re.match(r"(\s*)(\w+\.\w+\(.*\))\s+# .*shape (?:becomes|stays) (\([\d, ]+\))", line)
    return "%sassert %s.shape == %s, 'shape'" % match.groups() if match else line


def program(name, text):
    """The kernel file for a block."""
    row = GIVEN.get(name, {})
    args = row.get("args", {})
    lines = [shapes_checked(x) for x in text.split("\n")]
    imports = [x for x in lines if x.startswith("import ") and x + "\n" not in HEAD]
    body = "\n".join(x for x in lines if not x.startswith("import ")).strip("\n") + "\n"
    own = re.search(r"^def (\w+_kernel)\(", body, re.M)
    out = HEAD + "".join(x + "\n" for x in imports) + "\n\n"
    host = row.get("given", "") + "\n" + body if row.get("host") else ""
    kernel = "kernel"
    if "kernel" in row:
        out += (body + "\n\n" if own else "") + "@nki.jit\n" + row["kernel"]
    elif own:
        out += body if "@nki.jit" in body else "@nki.jit\n" + body
        kernel = own.group(1)
    else:
        inner = "\n".join(x for x in (row.get("given"), body.strip("\n"), row.get("after")) if x)
        out += "@nki.jit\ndef kernel(%s):\n" % ", ".join(args) + textwrap.indent(inner, "    ") + "\n"
    out += "\n\nif __name__ == \"__main__\":\n    np.random.seed(0)\n"
    out += "".join("    %s = %s\n" % arg for arg in args.items()) + textwrap.indent(host, "    ")
    out += "    got = nki.simulate(%s)(%s)\n" % (kernel, ", ".join(args))
    return out + textwrap.indent(row.get("check", "") + "\nprint(\"done\")\n", "    ")


def main():
    root = os.path.join(os.environ.get("NKX_PUBLIC", ""), "aws-neuron-sdk", "nki", "api", "nki")
    if not os.environ.get("NKX_PUBLIC") or not os.path.isdir(root):
        print("1..0 # SKIP NKX_PUBLIC names no folder that holds aws-neuron-sdk")
        return 0
    nkx = os.environ.get("NKX", "nkx")
    tests = []
    for alias, module in MODULES:
        tests += blocks(alias, os.path.join(root, module, "__init__.py"))
    print("1..%d" % len(tests))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for i, (name, text) in enumerate(tests, 1):
            if name in NOT_RUN:
                print("ok %d - %s # SKIP %s" % (i, name, NOT_RUN[name]))
                continue
            path = os.path.join(folder, re.sub(r"\W", "_", name) + ".nki")
            with open(path, "w", encoding="utf-8") as f:
                f.write(program(name, text))
            command = [nkx, "run", path] + GIVEN.get(name, {}).get("options", [])
            run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
            good = run.returncode == 0 and run.stdout.endswith("done\n")
            print("%s %d - %s" % ("ok" if good else "not ok", i, name))
            if not good:
                failed += 1
                print(textwrap.indent(run.stdout + run.stderr, "# "))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
