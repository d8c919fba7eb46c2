"""The tour: ``make demo`` or ``python -m kc.demo``.

A vector sum and a matrix product go from a tensor expression through schedule steps to native
code. Every step is checked against numpy and timed beside it; its IR is written to ``out/``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import kc
from kc import te, tir

MATMUL = """
te.func @matmul(%A: tensor<{n}x{n}xf32>, %B: tensor<{n}x{n}xf32>) -> tensor<{n}x{n}xf32> {{
  %C = te.compute "C" [%i = {n}, %j = {n}] reduce sum [%k = {n}] {{
    %a = te.read %A[%i, %k] : tensor<{n}x{n}xf32>
    %b = te.read %B[%k, %j] : tensor<{n}x{n}xf32>
    %product = arith.mulf %a, %b : f32
    te.yield %product : f32
  }} : tensor<{n}x{n}xf32>
  te.return %C : tensor<{n}x{n}xf32>
}}
"""


@dataclass(frozen=True)
class Step:
    """One schedule of a program, and why it is better than the one before."""

    name: str
    reason: str
    make: Callable[[], Any]
    """A function that returns the positional arguments of ``kc.build``."""


@dataclass(frozen=True)
class Program:
    """A program with its schedules and its expected result."""

    name: str
    steps: Sequence[Step]
    arrays: Callable[[], list[np.ndarray]]
    reference: Callable[[Sequence[np.ndarray]], np.ndarray]
    numpy: Callable[[Sequence[np.ndarray]], Any]
    work: float
    """The floating-point operations of a run."""
    bytes: float
    """The smallest number of bytes that a run reads and writes: each element once."""
    tolerance: float
    """The largest absolute error that rounding can explain."""


def vector_add(n: int) -> Program:
    """C = A + B in three schedules."""

    def schedule(shape: Callable[[te.Stage], None]) -> Callable[[], Any]:
        def make() -> Any:
            length = te.var("n")
            a = te.placeholder((length,), name="A")
            b = te.placeholder((length,), name="B")
            c = te.compute((length,), lambda i: a[i] + b[i], name="C")
            s = te.create_schedule(c.op)
            shape(s[c])
            return s, [a, b, c]

        return make

    def parallel(stage: te.Stage) -> None:
        outer, _ = stage.split(stage.op.axis[0], factor=4096)
        stage.parallel(outer)

    def vectorized(stage: te.Stage) -> None:
        outer, inner = stage.split(stage.op.axis[0], factor=4096)
        _, lanes = stage.split(inner, factor=16)
        stage.parallel(outer)
        stage.vectorize(lanes)

    rng = np.random.default_rng(0)
    return Program(
        f"vector add, n = {n:,} (a size known only at the call)",
        [
            Step("serial", "one loop, left to LLVM", schedule(lambda stage: None)),
            Step("parallel", "chunks of 4096 elements on all cores", schedule(parallel)),
            Step("vectorized", "explicit vectors of 16 lanes in each chunk", schedule(vectorized)),
        ],
        lambda: [
            rng.random(n, dtype=np.float32),
            rng.random(n, dtype=np.float32),
            np.empty(n, np.float32),
        ],
        lambda args: args[0] + args[1],
        lambda args: np.add(args[0], args[1], out=args[2]),
        float(n),
        12.0 * n,
        0.0,
    )


def matmul(n: int) -> Program:
    """C = A B in the schedules of the classic tutorial, and a register tile."""

    def scheduled(shape: Callable[[tir.Schedule], object]) -> Callable[[], Any]:
        def make() -> Any:
            sch = tir.Schedule(kc.IRModule.parse(MATMUL.format(n=n), "matmul.mlir"))
            shape(sch)
            return (sch,)

        return make

    def blocked(sch: tir.Schedule) -> list[tir.LoopRV]:
        i, j, k = sch.get_loops(sch.get_block("C"))
        i_o, j_o, i_i, j_i = sch.tile(i, j, 32, 32)
        k_o, k_i = sch.split(k, factors=[None, 4])
        sch.reorder(i_o, j_o, k_o, k_i, i_i, j_i)
        return sch.get_loops(sch.get_block("C"))

    def vectorized(sch: tir.Schedule) -> list[tir.LoopRV]:
        loops = blocked(sch)
        sch.vectorize(loops[-1])
        return loops

    def permuted(sch: tir.Schedule) -> list[tir.LoopRV]:
        i_o, j_o, k_o, k_i, i_i, j_i = blocked(sch)
        sch.reorder(i_o, j_o, k_o, i_i, k_i, j_i)
        sch.vectorize(j_i)
        return sch.get_loops(sch.get_block("C"))

    def registers(sch: tir.Schedule) -> list[tir.LoopRV]:
        i, j, k = sch.get_loops(sch.get_block("C"))
        i_o, j_o, i_i, j_i = sch.tile(i, j, 8, 32)
        sch.reorder(j_o, i_o, k, i_i, j_i)
        sch.unroll(i_i)
        sch.vectorize(j_i)
        return sch.get_loops(sch.get_block("C"))

    def parallel(sch: tir.Schedule) -> None:
        sch.parallel(registers(sch)[0])

    rng = np.random.default_rng(0)
    return Program(
        f"matrix product, {n} x {n} x {n}, f32",
        [
            Step("default", "three loops as written, B read down its columns", scheduled(_as_is)),
            Step("blocked", "32 x 32 tiles stay in the first-level cache", scheduled(blocked)),
            Step("vectorized", "32 columns at a time, as vectors", scheduled(vectorized)),
            Step("permuted", "A is read along its rows inside a tile", scheduled(permuted)),
            Step("registers", "an 8 x 32 tile of C in registers over k", scheduled(registers)),
            Step("parallel", "columns of tiles on all cores", scheduled(parallel)),
        ],
        lambda: [
            rng.random((n, n), dtype=np.float32),
            rng.random((n, n), dtype=np.float32),
            np.empty((n, n), np.float32),
        ],
        lambda args: args[0].astype(np.float64) @ args[1].astype(np.float64),
        lambda args: np.matmul(args[0], args[1], out=args[2]),
        2.0 * n**3,
        12.0 * n**2,
        # Each element is a sum of n products of numbers below 1: n roundings of at most n * eps.
        n * n * float(np.finfo(np.float32).eps),
    )


def _as_is(sch: tir.Schedule) -> None:
    del sch


@dataclass(frozen=True)
class Row:
    """The measured times of one step, in seconds."""

    step: Step
    build: float
    run: float
    numpy: float


def measure(step: Step, program: Program, out: Path, budget: float = 2.0) -> Row:
    """Build, check and time one step; its IR goes to ``out``. The time is the best of the runs
    within ``budget`` seconds, at least one.
    """
    start = time.perf_counter()
    # The step "default" is a TE schedule without calls, so the remark about unscheduled loops is
    # suppressed.
    with kc.transform.PassContext(disabled_pass=["auto-schedule"]):
        module = kc.build(*step.make())
    built = time.perf_counter() - start
    stem = f"{program.name.split(',')[0].replace(' ', '_')}_{step.name}"
    for kind in ("tir", "mlir", "ll", "asm"):
        (out / f"{stem}.{kind}").write_text(module.get_source(kind))
    args = program.arrays()
    args[-1].fill(np.nan)
    start = time.perf_counter()
    module(*args)
    first = time.perf_counter() - start
    error = np.abs(args[-1] - program.reference(args)).max(initial=0.0)
    if not error <= program.tolerance:
        raise SystemExit(f"{stem}: wrong by {error} (allowed: {program.tolerance})")
    evaluate = module.time_evaluator(module.entry_name, kc.cpu(0), number=1, repeat=3)
    ours, theirs = [first], [_best(lambda: program.numpy(args))]
    calls = 4  # of a round: one to warm up, and three
    for _ in range(min(3, int(budget / (calls * first)))):
        # Interleaved, so that both see the same machine.
        ours.append(evaluate(*args).min)
        theirs.append(_best(lambda: program.numpy(args)))
    return Row(step, built, min(ours), min(theirs))


def _best(run: Callable[[], Any]) -> float:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def table(program: Program) -> Iterator[str]:
    """The heading of a program's table; :func:`line` gives the rows."""
    yield program.name
    rates = f"{'GFLOP/s':>10}{'GB/s':>8}"
    yield f"  {'step':<12}{'build':>9}{'run':>13}{rates}{'numpy':>12}{'ratio':>8}  why"


def line(row: Row, program: Program) -> str:
    """One row: ratio is numpy's time by ours, above 1 where kc is faster."""
    rates = f"{program.work / row.run / 1e9:>10.2f}{program.bytes / row.run / 1e9:>8.2f}"
    return (
        f"  {row.step.name:<12}{row.build * 1e3:>6.0f} ms{row.run * 1e3:>10.3f} ms"
        f"{rates}{row.numpy * 1e3:>9.3f} ms"
        f"{row.numpy / row.run:>8.3f}  {row.step.reason}"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tour. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m kc.demo", description=__doc__)
    parser.add_argument("--size", type=int, default=1024, help="rows of the matrices (1024)")
    parser.add_argument("--length", type=int, default=1 << 22, help="length of the vectors")
    parser.add_argument("--out", type=Path, default=Path("out"), help="where the IR goes (out)")
    options = parser.parse_args(argv)
    options.out.mkdir(parents=True, exist_ok=True)
    live = sys.stdout.isatty()
    for program in (vector_add(options.length), matmul(options.size)):
        print(*table(program), sep="\n", flush=True)
        for step in program.steps:
            if live:
                print(f"  {step.name:<12}building and measuring ...", end="\r", flush=True)
            text = line(measure(step, program, options.out), program)
            print(f"\x1b[2K{text}" if live else text, flush=True)
        print()
    print(f"The IR of every step is in {options.out}/ (tir, mlir, ll, asm).")
    print("Next: kc-opt examples/matmul.mlir --split --vectorize")
    return 0


if __name__ == "__main__":
    sys.exit(main())
