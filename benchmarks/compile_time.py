"""The phases of the time from a tensor expression to a callable function.

    python benchmarks/compile_time.py [chains]

The 1024 x 1024 matrix product of the demo in two schedules, and a padded convolution. The times are
milliseconds of processor time (a build has one thread): medians of several builds in one process
after the first, whose additional imports are shown separately. "of these, checks" is the time to
verify the result of each primitive and pass (kc/analysis/verify_changes.py), which the times above
include, and the median of its shares.

``chains``: milliseconds per stage of unscheduled programs with many stages, which should hardly
depend on their number: elementwise stages, products of 128 x 128, and products each with a bias, a
relu and a softmax.
"""

from __future__ import annotations

import statistics
import sys
import time

import kc
from kc import te, topi
from kc.analysis import verify_changes

REPEAT = 15
CHECKS = "of these, checks"


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


def convolution():
    """A 3 x 3 convolution with padding, and its arguments."""
    a = te.placeholder((1, 16, 30, 30), name="A")
    w = te.placeholder((32, 16, 3, 3), name="W")
    zero = te.const(0.0, "float32")

    def inside(y, x):
        return te.all(y >= 1, y < 31, x >= 1, x < 31)

    p = te.compute(
        (1, 16, 32, 32),
        lambda n, c, y, x: te.if_then_else(inside(y, x), a[n, c, y - 1, x - 1], zero),
        name="P",
    )
    rc, ry, rx = (te.reduce_axis((0, size), name) for size, name in ((16, "c"), (3, "y"), (3, "x")))
    c = te.compute(
        (1, 32, 30, 30),
        lambda n, f, y, x: te.sum(p[n, rc, y + ry, x + rx] * w[f, rc, ry, rx], axis=[rc, ry, rx]),
        name="C",
    )
    s = te.create_schedule(c.op)
    n, f, y, x = c.op.axis
    x_o, x_i = s[c].split(x, factor=10)
    s[c].reorder(n, f, y, x_o, rc, ry, rx, x_i)
    s[c].vectorize(x_i)
    s[p].compute_at(s[c], y)
    s[c].parallel(f)
    return s, [a, w, c]


PROGRAMS = {
    "matmul, default": lambda: schedule(False),
    "matmul, register tile, parallel": lambda: schedule(True),
    "convolution, vectorized, parallel": convolution,
}


def build(make) -> tuple[float, dict[str, float]]:
    """The processor time in seconds of one build from scratch, of each stage, and of all checks
    together.
    """
    visit = verify_changes._Visit.run
    checks = 0.0

    def timed(self, root):
        nonlocal checks
        began = time.process_time()
        visit(self, root)
        checks += time.process_time() - began

    verify_changes._Visit.run = timed
    try:
        total, stages = _build(make)
    finally:
        verify_changes._Visit.run = visit
    return total, {**stages, CHECKS: checks}


def _build(make) -> tuple[float, dict[str, float]]:
    stages: dict[str, float] = {}
    start = last = time.process_time()

    def instrument(name: str, module: object) -> None:
        nonlocal last
        del module
        now = time.process_time()
        stages[name] = now - last
        last = now

    kc.build(*make(), instrument=instrument)
    end = time.process_time()
    stages["emit, LLVM, link"] = end - last
    return end - start, stages


def elementwise(count: int) -> list[te.Tensor]:
    """A chain of elementwise stages."""
    a = te.placeholder((1024,), name="A")
    last = a
    for _ in range(count):
        last = topi.add(topi.multiply(last, 0.5), 1.0)
    return [a, last]


def products(count: int) -> list[te.Tensor]:
    """A chain of products by the same matrix."""
    a = te.placeholder((128, 128), name="A")
    last = a
    for _ in range(count):
        last = topi.matmul(last, a)
    return [a, last]


def layers(count: int) -> list[te.Tensor]:
    """A chain of layers, each with four kinds of stages."""
    a, b = te.placeholder((64, 64), name="A"), te.placeholder((64,), name="B")
    last = a
    for _ in range(count):
        last = topi.nn.softmax(topi.nn.relu(topi.add(topi.matmul(last, a), b)))
    return [a, b, last]


CHAINS = ((elementwise, (5, 50, 200)), (products, (5, 20, 80)), (layers, (4, 16)))


def chains() -> None:
    """Print the time per stage of a chain, by the number of its stages."""
    for make, counts in CHAINS:
        kc.build(make(2))
        for call in (kc.lower, kc.build):
            times: list[str] = []
            for count in counts:
                tensors = make(count)
                start = time.process_time()
                call(tensors)
                seconds = time.process_time() - start
                times.append(f"{count}: {seconds * 1e3 / count:.1f}")
            print(f"kc.{call.__name__}, {make.__name__}: ms each of {', '.join(times)}", flush=True)


def main() -> int:
    """Print the requested tables."""
    if sys.argv[1:] == ["chains"]:
        chains()
        return 0
    first, _ = build(PROGRAMS["matmul, default"])
    print(f"first build of the process (with imports): {first * 1e3:.0f} ms")
    for name, make in PROGRAMS.items():
        runs = [build(make) for _ in range(REPEAT)]
        total = statistics.median(seconds for seconds, _ in runs)
        print(f"{name}: {total * 1e3:.1f} ms")
        for stage in runs[0][1]:
            took = statistics.median(stages[stage] for _, stages in runs)
            shares = statistics.median(stages[stage] / seconds for seconds, stages in runs)
            share = f"{shares:>7.1%}" if stage == CHECKS else ""
            print(f"  {stage:<24}{took * 1e3:>8.2f} ms{share}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
