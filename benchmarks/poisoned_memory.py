"""Kernels with tails, with ordinary and with poisoned memory.

    python benchmarks/poisoned_memory.py [ROW ...]

Poisoned memory holds subnormal numbers and signalling NaN (``KC_POISON_MEMORY``). A kernel that
computes on uninitialised memory takes longer with poison, far longer on processors that handle such
numbers in microcode. The table has microseconds, medians of interleaved calls in one thread, and
their ratio. The second column includes the time to poison the memory of each call. The third column
is for poisoned memory without ``fill-slack``, where rows are read under masks.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable

import numpy as np

os.environ.setdefault("KC_NUM_THREADS", "1")

import kc
from kc import te, topi

ROUNDS = 15
Program = Callable[[], list[te.Tensor]]


def _conv(channels: int) -> Program:
    def program() -> list[te.Tensor]:
        x = te.placeholder((1, 64, 28, 28), name="X")
        w = te.placeholder((channels, 64, 3, 3), name="W")
        return [x, w, topi.nn.conv2d_nchw(x, w, 1, 1, 1)]

    return program


def _gemm(m: int, k: int, n: int) -> Program:
    def program() -> list[te.Tensor]:
        a, b = te.placeholder((m, k), name="A"), te.placeholder((k, n), name="B")
        return [a, b, topi.matmul(a, b)]

    return program


def _attention(rows: int, width: int) -> Program:
    def program() -> list[te.Tensor]:
        q, k, v = (te.placeholder((1, 4, rows, width), name=name) for name in "QKV")
        return [q, k, v, topi.nn.attention(q, k, v, is_causal=True)]

    return program


ROWS: dict[str, Program] = {
    "conv 96": _conv(96),
    "conv 100": _conv(100),
    "gemm 100x333x77": _gemm(100, 333, 77),
    "gemm 29x233x321": _gemm(29, 233, 321),
    "causal 217x32": _attention(217, 32),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", default=list(ROWS))
    options = parser.parse_args()
    generator = np.random.default_rng(0)
    print(f"{'':18}    fresh   poisoned   ratio   unfilled")
    for name in options.rows:
        tensors = ROWS[name]()
        kernels = [kc.build(tensors)]
        for disabled in ([], ["fill-slack"]):
            config = {"kc.poison_memory": True}
            with kc.transform.PassContext(config=config, disabled_pass=disabled):
                kernels.append(kc.build(tensors))
        arrays = [
            generator.uniform(-1, 1, [int(size) for size in tensor.shape]).astype(tensor.dtype)
            for tensor in tensors
        ]
        times: list[list[float]] = [[] for _ in kernels]
        for _ in range(ROUNDS):
            for kernel, samples in zip(kernels, times, strict=True):
                started = time.perf_counter()
                kernel(*arrays)
                samples.append((time.perf_counter() - started) * 1e6)
        fresh, poisoned, unfilled = map(statistics.median, times)
        ratio = poisoned / fresh
        print(f"{name:18}{fresh:9.0f}{poisoned:11.0f}{ratio:8.2f}{unfilled:11.0f}", flush=True)


if __name__ == "__main__":
    main()
