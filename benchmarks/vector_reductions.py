"""Reductions of the rows of a matrix of 1024 x 1024 float32: vectorized, as written, and numpy's.

    python benchmarks/vector_reductions.py

One thread. ``vectorize`` of 32 terms gives each lane a result of its own; without it, each sum is
made term by term. Milliseconds of kc, and how many times as long the others take. Medians of
interleaved calls.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kc
from kc import te

SIZE = 1024
LANES = 32
ROUNDS = 21
argmax = te.comm_reducer(
    lambda x, y: (
        te.Select(te.any(x[1] > y[1], te.all(x[1].equal(y[1]), x[0] < y[0])), x[0], y[0]),
        te.max(x[1], y[1]),
    ),
    lambda i, v: (te.max_value(i), te.min_value(v)),
    name="argmax",
)


def kernel(name: str, *, vectorized: bool) -> Any:
    """A function of a matrix and the reductions of its rows."""
    a = te.placeholder((SIZE, SIZE), name="A")
    k = te.reduce_axis((0, SIZE), name="k")
    if name == "argmax":
        outputs = list(te.compute((SIZE,), lambda i: argmax((k.var, a[i, k]), axis=k), name="B"))
    elif name == "sum of squares":
        outputs = [te.compute((SIZE,), lambda i: te.sum(a[i, k] * a[i, k], axis=k), name="B")]
    else:
        reduce = {"sum": te.sum, "max": te.max, "min": te.min}[name]
        outputs = [te.compute((SIZE,), lambda i: reduce(a[i, k], axis=k), name="B")]
    s = te.create_schedule(outputs[0].op)
    if vectorized:
        stage = s[outputs[0]]
        stage.vectorize(stage.split(outputs[0].op.reduce_axis[0], factor=LANES)[1])
    return kc.build(s, [a, *outputs])


def main() -> None:
    """Print the table."""
    x = np.random.default_rng(0).standard_normal((SIZE, SIZE)).astype(np.float32)
    peers: dict[str, Callable[[], Any]] = {
        "sum": lambda: x.sum(axis=1),
        "sum of squares": lambda: np.einsum("ij,ij->i", x, x),
        "max": lambda: x.max(axis=1),
        "min": lambda: x.min(axis=1),
        "argmax": lambda: x.argmax(axis=1),
    }
    print(f"{'':15}     kc ms   numpy / kc   as written / kc")
    for name, peer in peers.items():
        out: list[Any] = [np.zeros(SIZE, np.float32)]
        if name == "argmax":
            out.insert(0, np.zeros(SIZE, np.int32))
        lanes, written = kernel(name, vectorized=True), kernel(name, vectorized=False)
        calls: dict[str, Callable[[], Any]] = {
            "kc": lambda run=lanes, out=out: run(x, *out),
            "written": lambda run=written, out=out: run(x, *out),
            "numpy": peer,
        }
        times: dict[str, list[float]] = {label: [] for label in calls}
        for _ in range(ROUNDS):
            for label, call in calls.items():
                started = time.perf_counter()
                call()
                times[label].append(time.perf_counter() - started)
        middle = {label: statistics.median(samples) for label, samples in times.items()}
        ours = middle["kc"]
        print(
            f"{name:15}{ours * 1e3:10.3f}   {middle['numpy'] / ours:10.2f}   "
            f"{middle['written'] / ours:15.2f}"
        )


if __name__ == "__main__":
    main()
