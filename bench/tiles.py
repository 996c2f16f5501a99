# SPDX-License-Identifier: Apache-2.0
"""The steps of the vector kernels in NumPy, tile by tile, one thread: what they are compared with."""
import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"
import time

import numpy as np

P = 128


def best(f, repeat=3):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times)


rng = np.random.default_rng(0)
x = rng.standard_normal((4096, 2048), dtype=np.float32)
gamma = rng.standard_normal(2048, dtype=np.float32)
beta = rng.standard_normal(2048, dtype=np.float32)


def softmax():
    out = np.empty_like(x)
    for r in range(0, x.shape[0], P):
        t = x[r:r + P].copy()
        m = t.max(axis=1, keepdims=True)
        e = np.exp(t - m)
        s = e.sum(axis=1, keepdims=True)
        out[r:r + P] = e * (1 / s)
    return out


def rmsnorm():
    out = np.empty_like(x)
    for r in range(0, x.shape[0], P):
        t = x[r:r + P].copy()
        s = np.square(t).sum(axis=1, keepdims=True)
        inv = 1 / np.sqrt(s / x.shape[1] + 1e-6)
        out[r:r + P] = t * inv * gamma
    return out


def layernorm():
    out = np.empty_like(x)
    for r in range(0, x.shape[0], P):
        t = x[r:r + P].copy()
        mean = t.mean(axis=1, keepdims=True)
        var = t.var(axis=1, keepdims=True)
        inv = 1 / np.sqrt(var + 1e-5)
        out[r:r + P] = (t - mean) * inv * gamma + beta
    return out


channels, seq, states = 256, 2048, 16
delta = np.full((channels, seq), 0.1, np.float32)
u = rng.standard_normal((channels, seq), dtype=np.float32)
A = -np.ones((channels, states), np.float32)
B = rng.standard_normal((states, seq), dtype=np.float32)
C = rng.standard_normal((states, seq), dtype=np.float32)


def scan():
    out = np.empty((channels, seq), np.float32)
    for c in range(0, channels, P):
        d, v = delta[c:c + P].copy(), u[c:c + P].copy()
        y = np.zeros((P, seq), np.float32)
        for s in range(states):
            a = np.exp(d * A[c:c + P, s:s + 1])
            b = d * v * B[s]
            h = np.empty((P, seq), np.float32)
            state = np.zeros(P, np.float32)
            for t in range(seq):
                state = a[:, t] * state + b[:, t]
                h[:, t] = state
            y += h * C[s]
        out[c:c + P] = y
    return out


q = rng.standard_normal((128, 4096), dtype=np.float32)
k = rng.standard_normal((128, 4096), dtype=np.float32)
w = rng.standard_normal((4096, 128), dtype=np.float32)


def attention():
    """Online softmax over blocks of 512 keys, products by the BLAS."""
    out = np.empty((4096, 128), np.float32)
    scale = np.float32(1 / np.sqrt(128))
    for r in range(0, 4096, P):
        qt = q[:, r:r + P]
        m = np.full((P, 1), -np.inf, np.float32)
        total = np.zeros((P, 1), np.float32)
        acc = np.zeros((P, 128), np.float32)
        for c in range(0, 4096, 512):
            s = (qt.T @ k[:, c:c + 512]) * scale
            new = np.maximum(m, s.max(axis=1, keepdims=True))
            e = np.exp(s - new)
            fix = np.exp(m - new)
            total = total * fix + e.sum(axis=1, keepdims=True)
            pv = np.zeros((P, 128), np.float32)
            for j in range(0, 512, P):
                pv += e[:, j:j + P] @ w[c + j:c + j + P]
            acc = acc * fix + pv
            m = new
        out[r:r + P] = acc / total
    return out


for name, f in (("softmax", softmax), ("rmsnorm", rmsnorm), ("layernorm", layernorm), ("scan", scan),
                ("attention", attention)):
    print(f"numpy_{name}", best(f))
