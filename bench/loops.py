# SPDX-License-Identifier: Apache-2.0
"""The loops of loops.nki in CPython, calling empty functions: the unit that budgets are stated in."""
import time


class Tile:
    def __getitem__(self, key):
        return self


def nc_matmul(dst, stationary, moving):
    pass


def loops(n):
    a = Tile()
    b = Tile()
    p = Tile()
    for i in range(n):
        for j in range(n):
            for k in range(n):
                nc_matmul(dst=p, stationary=a[:, (k % 4) * 128:(k % 4 + 1) * 128], moving=b)


def nodes(n):
    x = 0
    for i in range(n):
        x = x + i * 2 - (i % 3)
    return x


def best(f, n, repeat=3):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        f(n)
        times.append(time.perf_counter() - start)
    return min(times)


print("python_loop", best(loops, 100))
print("python_nodes", best(nodes, 1000000))
