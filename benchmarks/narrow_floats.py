"""Addition of narrow floats compared with float32: bound by memory if conversions cost nothing.

    python benchmarks/narrow_floats.py

4,194,304 elements, in parallel and in vectors of 16; milliseconds, median of interleaved calls.
"""

from __future__ import annotations

import statistics
import time

import numpy as np

import kc
from kc import te

SIZE = 1 << 22
ROUNDS = 31
DTYPES = {"float32": "uint32", "bfloat16": "uint16", "float16": "uint16", "float8_e4m3fn": "uint8"}


def kernel(dtype: str):
    """``C = A + B``, and arguments for it."""
    a, b = te.placeholder((SIZE,), dtype, name="A"), te.placeholder((SIZE,), dtype, name="B")
    c = te.compute((SIZE,), lambda i: a[i] + b[i], name="C")
    s = te.create_schedule(c.op)
    outer, inner = s[c].split(c.op.axis[0], factor=16)
    s[c].parallel(outer)
    s[c].vectorize(inner)
    bits = [np.zeros(SIZE, DTYPES[dtype]) for _ in range(3)]
    arrays = [
        kc.nd.array(array.view(dtype) if dtype == "float32" else array, dtype=dtype)
        for array in bits
    ]
    return kc.build(s, [a, b, c]), arrays


def main() -> None:
    """Print the table."""
    kernels = {dtype: kernel(dtype) for dtype in DTYPES}
    times: dict[str, list[float]] = {dtype: [] for dtype in DTYPES}
    for _ in range(ROUNDS):
        for dtype, (function, arrays) in kernels.items():
            started = time.perf_counter()
            function(*arrays)
            times[dtype].append(time.perf_counter() - started)
    whole = statistics.median(times["float32"])
    for dtype, samples in times.items():
        middle = statistics.median(samples)
        print(f"{dtype:<15}{middle * 1e3:7.3f} ms   {middle / whole:.2f} of float32")


if __name__ == "__main__":
    main()
