#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the reference vectors of the unit tests from NumPy and ml_dtypes.

    python3 tests/vectors/make_vectors.py

Needs numpy >= 2.0 and ml_dtypes >= 0.5; the files are checked in, so that the tests need neither.
narrow.inc  fp32 to every narrower float type: all exponents, mantissas next to rounding points
widen.inc   every 8-bit code to fp32, and a hash over all codes of the 16-bit types
random.inc  NumPy's legacy generator: raw words, doubles, normals, bounded integers
"""
import os

import ml_dtypes
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = "/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by make_vectors.py. */\n"
NARROW = [np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3, ml_dtypes.float8_e4m3fn,
          ml_dtypes.float8_e5m2, ml_dtypes.float8_e8m0fnu, ml_dtypes.float4_e2m1fn]
DENSE = range(127 - 30, 127 + 20)  # exponents where the small types do not just overflow or vanish


def mantissas():
    """Next to every rounding point of 0 to 10 mantissa bits: after even, odd and all-ones digits."""
    found = {0, 1, 0x7FFFFF}
    for bits in range(0, 11):
        half = 1 << (22 - bits)
        for base in (0, 2 * half if bits else 0, 0x7FFFFF ^ (2 * half - 1)):
            found |= {base + half - 1, base + half, base + half + 1}
    few = {0, 1, 0x7FFFFF, 0x400000, 0x3FFFFF, 0x400001, 0x7F8000, 0x7FFFFF - 0xFFF, 0x8000, 0x18000}
    return sorted(found), sorted(few)


def hex_of(values):
    return "".join(f"{int(v):0{2 * values.dtype.itemsize}x}" for v in values)


def bits_of(a):
    return a.view({1: np.uint8, 2: np.uint16, 4: np.uint32}[a.dtype.itemsize])


def write(name, lines):
    with open(os.path.join(HERE, name), "w", encoding="ascii") as f:
        f.write(HEAD + "\n".join(lines) + "\n")


def c_array(kind, name, items, form):
    lines, row = [f"static const {kind} {name}[] = {{"], "   "
    for item in items:
        text = f" {form(item)},"
        if len(row) + len(text) > 98:
            lines.append(row)
            row = "   "
        row += text
    return lines + [row, "};"]


def narrow():
    many, few = mantissas()
    lines = c_array("uint32_t", "narrow_many", many, lambda v: f"0x{v:06x}")
    lines += c_array("uint32_t", "narrow_few", few, lambda v: f"0x{v:06x}")
    lines += [f"enum {{ NARROW_DENSE_BEGIN = {DENSE.start}, NARROW_DENSE_END = {DENSE.stop} }};"]
    for dtype in NARROW:
        lines.append(f"static const char *const narrow_{np.dtype(dtype).name}[] = {{")
        for high in range(512):  # sign and exponent
            column = many if high % 256 in DENSE else few
            x = np.array([high << 23 | m for m in column], np.uint32).view(np.float32)
            with np.errstate(all="ignore"):
                lines.append(f'    "{hex_of(bits_of(x.astype(dtype)))}",')
        lines.append("};")
    write("narrow.inc", lines)


def fnv1a(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


def canonical(bits):
    nan = (bits & 0x7FFFFFFF) > 0x7F800000
    return np.where(nan, 0x7FC00000 | (bits & 0x80000000), bits).astype(np.uint32)


def widen():
    lines = []
    for dtype in NARROW[2:]:
        n = 16 if dtype is ml_dtypes.float4_e2m1fn else 256
        codes = np.arange(n, dtype=np.uint8).view(dtype)
        out = canonical(bits_of(codes.astype(np.float32)))
        lines += c_array("uint32_t", f"widen_{np.dtype(dtype).name}", out, lambda v: f"0x{v:08x}")
    for dtype in NARROW[:2]:
        codes = np.arange(65536, dtype=np.uint16).view(dtype)
        out = canonical(bits_of(codes.astype(np.float32)))
        lines.append(f"static const uint64_t widen_hash_{np.dtype(dtype).name} = "
                     f"0x{fnv1a(out.tobytes()):016x}u;")
    write("widen.inc", lines)


def random():
    lines = []
    double = lambda v: float(v).hex()
    for seed in (0, 42, 4294967295):
        r = np.random.RandomState(seed)
        lines += c_array("uint32_t", f"mt_words_{seed}", r.randint(0, 2**32, 8, np.uint32), lambda v: f"{v}u")
        r = np.random.RandomState(seed)
        lines += c_array("double", f"mt_rand_{seed}", r.rand(700)[[0, 1, 2, 311, 312, 699]], double)
        r = np.random.RandomState(seed)
        lines += c_array("double", f"mt_randn_{seed}", r.randn(9), double)
        r = np.random.RandomState(seed)
        lines += c_array("int64_t", f"mt_randint_{seed}", r.randint(-5, 1000, 12), str)
        lines += c_array("int64_t", f"mt_randint_wide_{seed}", r.randint(0, 2**40 + 3, 6), str)
    write("random.inc", lines)


if __name__ == "__main__":
    narrow()
    widen()
    random()
