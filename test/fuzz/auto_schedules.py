"""Default schedules of random programs: ``auto_schedules.py --seed=1 --count=3000``.

A case draws a program of a family of the fuzz tests, or a contraction, convolution, reduction,
normalization, stencil, transpose or gather of sizes that tiles do not divide (:mod:`operators`), or
a network of operators (:mod:`networks`); and a target, whose vectors may be small, so that small
programs have tiles too. The schedule that is chosen has to give what numpy gives, and the printed
script of its trace the same IR. A failure is printed with the number of its case; ``--case=N`` runs
that one again.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), *(str(ROOT / "test" / folder) for folder in ("", "fuzz", "te"))]

from families import FAMILIES, Drawn  # noqa: E402

import kc  # noqa: E402
from kc import tir  # noqa: E402
from kc.target import Target  # noqa: E402
from kc.transforms.auto_schedule import row_blocks  # noqa: E402
from kc.transforms.auto_schedule.machine import Machine  # noqa: E402

SHARES = {
    "operators": 50, "networks": 20, "programs": 10, "shapes": 10, "bindings": 4, "scans": 3,
    "gradients": 3,
}  # fmt: skip
"""Families, and how many of 100 cases are of each."""


GPU = Target("cuda-emu -arch=sm_80")


def run_on_gpu(case: int) -> tuple[str, tir.Schedule]:
    """Run an operator or a network by kernels, watched. Raises whatever goes wrong."""
    random = Random(case)
    family = random.choices(("operators", "networks"), (2, 1))[0]
    program = _drawn(family, random)
    schedule = kc.auto_schedule(program.module, GPU)
    check_replay(schedule, program.module, GPU)
    arrays = program.arrays()
    report = kc.gpu.check(kc.build(schedule, target=GPU), *arrays)
    assert report.ok, str(report)
    program.check(arrays)
    return family, schedule


def _drawn(family: str, random: Random) -> Drawn:
    """A program on which nothing has been done."""
    if family == "operators":
        import operators

        return operators.draw(random)
    if family == "networks":
        import networks

        return networks.unscheduled(random)
    return FAMILIES[family].draw(random, None)


def target_of(random: Random) -> Target:
    """The host, sometimes with smaller vectors or caches, or with more cores than it has."""
    host = Target.host_cpu().export()
    if random.random() < 0.5:
        host["vector-width"] = random.choice((64, 128, 256))
    if random.random() < 0.3:
        host["l1-cache"], host["l2-cache"] = 256, 1024
        host["l3-cache"] = random.choice((1 << 14, 1 << 15, 1 << 20))
    host["num-cores"] = random.choice((1, 2, 4))
    return Target(host)


def draw(case: int) -> tuple[str, Drawn, Random]:
    """The family and the program of a case, and the random numbers that are left for the rest."""
    random = Random(case)
    family = random.choices(list(SHARES), list(SHARES.values()))[0]
    return family, _drawn(family, random), random


def run(case: int) -> tuple[str, tir.Schedule]:
    """Run a case: its family, and its schedule. Raises whatever goes wrong."""
    family, program, random = draw(case)
    target = target_of(random)
    work = random.choice((0, Machine.parallel_work))
    saved, slower = (row_blocks.SAVED, row_blocks.SLOWER) if work else (0, 100)
    with (
        mock.patch.object(Machine, "parallel_work", work),
        mock.patch.multiple(row_blocks, SAVED=saved, SLOWER=slower),
    ):
        schedule = kc.auto_schedule(program.module, target)
    check_replay(schedule, program.module, target)
    function = kc.build(schedule, target=target)
    arrays = program.arrays()
    function(*arrays)
    program.check(arrays)
    return family, schedule


def check_replay(schedule: tir.Schedule, module: kc.IRModule, target: Target) -> None:
    """The printed scripts give the same IR: Python's, and that of the dialect sched."""
    wanted = str(schedule.mod)
    for trace in (
        tir.Trace.from_python(schedule.trace.as_python()),
        tir.Trace.from_mlir(schedule.trace.as_mlir()),
    ):
        again = tir.Schedule(module, target=target)
        trace.apply_to(again)
        assert str(again.mod) == wanted, "the printed schedule gives other loops"


def main() -> int:
    """Run cases, and print those that fail."""
    parser = argparse.ArgumentParser(description="Default schedules of random programs.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--case", type=int)
    parser.add_argument("--gpu", action="store_true", help="kernels, run by the emulator")
    options = parser.parse_args()
    first = options.seed * 1_000_000
    cases = [options.case] if options.case is not None else range(first, first + options.count)
    families: Counter[str] = Counter()
    steps: Counter[str] = Counter()
    failed: list[int] = []
    began = time.monotonic()
    for case in cases:
        try:
            family, schedule = run_on_gpu(case) if options.gpu else run(case)
        except Exception:
            failed.append(case)
            print(f"case {case}:\n{traceback.format_exc()}", flush=True)
            continue
        families[family] += 1
        steps.update(step.kind for step in schedule.trace)
    print(f"{families.total()} programs in {time.monotonic() - began:.0f} s: {dict(families)}")
    print("steps: " + ", ".join(f"{kind} {count}" for kind, count in steps.most_common()))
    print(f"failed: {failed or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
