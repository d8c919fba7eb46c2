"""From a tensor expression to a function to call: where the time goes.

    python benchmarks/compile_time.py

The 1024 x 1024 matrix product of the demo in two schedules; milliseconds, median of several
builds in one process after the first (which also pays for imports, shown apart).
"""

from __future__ import annotations

import statistics
import sys
import time

import kc
from kc import te

REPEAT = 9


def schedule(register_tile: bool):
    """The matrix product and its arguments."""
    n = 1024
    a = te.placeholder((n, n), name="A")
    b = te.placeholder((n, n), name="B")
    k = te.reduce_axis((0, n), name="k")
    c = te.compute((n, n), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    s = te.create_schedule(c.op)
    if register_tile:
        i, j = s[c].op.axis
        i_o, j_o, i_i, j_i = s[c].tile(i, j, 8, 32)
        s[c].reorder(j_o, i_o, k, i_i, j_i)
        s[c].unroll(i_i)
        s[c].vectorize(j_i)
        s[c].parallel(j_o)
    return s, [a, b, c]


def build(register_tile: bool) -> tuple[float, dict[str, float]]:
    """Seconds of one build from scratch, and of each stage."""
    stages: dict[str, float] = {}
    start = last = time.perf_counter()

    def instrument(name: str, module: object) -> None:
        nonlocal last
        del module
        now = time.perf_counter()
        stages[name] = now - last
        last = now

    kc.build(*schedule(register_tile), instrument=instrument)
    end = time.perf_counter()
    stages["emit, LLVM, link"] = end - last
    return end - start, stages


def main() -> int:
    """Print the table."""
    first, _ = build(False)
    print(f"first build of the process (with imports): {first * 1e3:.0f} ms")
    for register_tile in (False, True):
        runs = [build(register_tile) for _ in range(REPEAT)]
        total = statistics.median(one for one, _ in runs)
        print(
            f"matmul, {'register tile, parallel' if register_tile else 'default'}: "
            f"{total * 1e3:.1f} ms"
        )
        for stage in runs[0][1]:
            took = statistics.median(stages[stage] for _, stages in runs)
            print(f"  {stage:<22}{took * 1e3:>8.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
