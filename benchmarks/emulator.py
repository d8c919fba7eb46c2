"""GPU kernels on this CPU: the times to compile and run them, with and without checks.

    python benchmarks/emulator.py

For each kernel, milliseconds from the schedule to PTX and to machine code. Then for a call: in the
emulator; with its coroutines, which are used if threads do not wait uniformly; in plain loops of
the same expression on one thread, vectorized if possible; and in the emulator with its checks. The
times are medians of several interleaved runs. The last number is that of GPU threads per second.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kc
from kc import te
from kc.runtime import parallel

REPEATS = 7


def axis(name: str) -> Any:
    return te.thread_axis(name)


def add(n: int) -> tuple[list[Any], Any, Any, int]:
    """A sum of vectors, whose threads do not wait for each other."""
    A, B = te.placeholder((n,), name="A"), te.placeholder((n,), name="B")
    C = te.compute((n,), lambda i: A[i] + B[i], name="C")
    s, plain = te.create_schedule(C.op), te.create_schedule(C.op)
    block, thread = s[C].split(C.op.axis[0], 256)
    s[C].bind(block, axis("blockIdx.x"))
    s[C].bind(thread, axis("threadIdx.x"))
    _, inner = plain[C].split(plain[C].op.axis[0], 16)
    plain[C].vectorize(inner)
    return [A, B, C], s, plain, n


def row_sums(n: int) -> tuple[list[Any], Any, Any, int]:
    """Sums of rows, one row per block of 128 threads: shuffles and shared memory."""
    A = te.placeholder((n, n), name="A")
    k = te.reduce_axis((0, n), name="k")
    B = te.compute((n,), lambda i: te.sum(A[i, k], axis=k), name="B")
    s, plain = te.create_schedule(B.op), te.create_schedule(B.op)
    _, inner = s[B].split(B.op.reduce_axis[0], 128)
    s[B].bind(B.op.axis[0], axis("blockIdx.x"))
    s[B].bind(inner, axis("threadIdx.x"))
    return [A, B], s, plain, n * 128


def product(n: int) -> tuple[list[Any], Any, Any, int]:
    """A product in tiles of 64 x 64 by 256 threads, with tiles of 4 x 4 in registers."""
    A, B = te.placeholder((n, n), name="A"), te.placeholder((n, n), name="B")
    k = te.reduce_axis((0, n), name="k")
    C = te.compute((n, n), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    s, plain = te.create_schedule(C.op), te.create_schedule(C.op)
    shared = [s.cache_read(tensor, "shared", [C]) for tensor in (A, B)]
    local = s.cache_write(C, "local")
    by, i = s[C].split(C.op.axis[0], 64)
    bx, j = s[C].split(C.op.axis[1], 64)
    ty, i = s[C].split(i, nparts=16)
    tx, j = s[C].split(j, nparts=16)
    s[C].reorder(by, bx, ty, tx, i, j)
    names = ("blockIdx.y", "blockIdx.x", "threadIdx.y", "threadIdx.x")
    for loop, name in zip((by, bx, ty, tx), names, strict=True):
        s[C].bind(loop, axis(name))
    s[local].compute_at(s[C], tx)
    i, j = s[local].op.axis
    ko, ki = s[local].split(s[local].op.reduce_axis[0], 16)
    s[local].reorder(ko, ki, i, j)
    for stage in shared:
        s[stage].compute_at(s[local], ko)
        _, part = s[stage].split(s[stage].fuse(*s[stage].op.axis), 256)
        ty, tx = s[stage].split(part, 16)
        s[stage].bind(ty, axis("threadIdx.y"))
        s[stage].bind(tx, axis("threadIdx.x"))
    i, j = plain[C].op.axis
    _, inner = plain[C].split(j, 16)
    plain[C].reorder(i, plain[C].op.reduce_axis[0], plain[C].leaf_iter_vars[1], inner)
    plain[C].vectorize(inner)
    return [A, B, C], s, plain, n * n // 16


def milliseconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Print the table."""
    parallel.set_num_threads(1)
    heads = ("to PTX", "to run", "run", "coroutines", "plain loops", "watched", "threads/s")
    print(" " * 18 + "".join(f"{head:>13}" for head in heads))
    for name, (args, s, plain, threads) in {
        "add 1M": add(1 << 20),
        "row sums 1024": row_sums(1024),
        "product 256": product(256),
    }.items():
        build = {
            "ptx": lambda: kc.build(s, args, target="cuda -arch=sm_80"),  # noqa: B023
            "emulator": lambda: kc.build(s, args, target="cuda-emu -arch=sm_80"),  # noqa: B023
        }
        emulated, loops = build["emulator"](), kc.build(plain, args)
        with kc.transform.PassContext(disabled_pass=["gpu-serialize-threads"]):
            coroutines = build["emulator"]()
        build["ptx"]()
        compiled = {
            kind: statistics.median(milliseconds(make) for _ in range(REPEATS))
            for kind, make in build.items()
        }
        shapes = [tuple(int(size) for size in tensor.shape) for tensor in args]
        arrays = [np.random.rand(*shape).astype("float32") for shape in shapes]
        times: dict[str, list[float]] = {"run": [], "coroutines": [], "plain": []}
        for _ in range(REPEATS):
            times["run"].append(milliseconds(lambda: emulated(*arrays)))  # noqa: B023
            times["coroutines"].append(milliseconds(lambda: coroutines(*arrays)))  # noqa: B023
            times["plain"].append(milliseconds(lambda: loops(*arrays)))  # noqa: B023
        assert emulated.watched is not None
        watched_module = emulated.watched()
        from kc.runtime.emulator import watch

        watched = milliseconds(
            lambda: watch(lambda: watched_module.module(*arrays), watched_module.places)  # noqa: B023
        )
        run, of_coroutines, plain_time = map(statistics.median, times.values())
        numbers = (compiled["ptx"], compiled["emulator"], run, of_coroutines, plain_time, watched)
        cells = "".join(f"{number:>10.2f} ms" for number in numbers)
        print(f"{name:18}{cells}{threads / run * 1000 / 1e6:>11.1f} M")


if __name__ == "__main__":
    main()
