"""``python -m benchmarks.cpu``: its table, of a row that takes microseconds."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

import kc
from benchmarks.cpu import ROOT, spread
from kc.target import Target

sys.path.insert(0, str(ROOT / "benchmarks" / "peers"))
from cpu_rows import ROWS  # noqa: E402
from cpu_schedules import SCHEDULES  # noqa: E402


def test_a_spread_is_that_of_the_middle_half():
    assert spread([3.0]) == 0
    assert spread([2.0, 2.0, 2.0]) == 0
    assert spread([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(2 / 3)


@pytest.mark.slow
def test_a_table():
    options = ["add 1K", "--rounds=2", "--threads=1", "--coretype=Haswell"]
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.cpu", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    machine, limits, head, row = run.stdout.splitlines()
    assert machine.endswith("1 thread(s), openblas for Haswell")
    assert re.fullmatch(r"peak [\d.]+ GFLOP/s of f32 a thread, copy [\d.]+ GB/s", limits)
    assert head.split()[:8] == ["kc", "ms", "best", "ms", "numpy", "ms", "openblas", "ms"]
    assert head.endswith("peer/kc   goal  peer/best   goal  spread   rate")
    ours, best, numpy, openblas, *_, ratio, goal, of_best, goal_of_best, part, rate, unit = (
        row.partition(", ")[0].split()[2:]
    )
    assert float(ours) > 0
    assert float(numpy) > 0
    assert (best, openblas) == ("-", "-")  # none is written for it, and it is no product
    assert float(ratio) == float(of_best) > 0
    assert (float(goal), float(goal_of_best), unit) == (1.0, 1.0, "GB/s")
    assert float(part) >= 0
    assert float(rate) > 0


@pytest.mark.sweep
@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules_written_by_hand(name: str):
    """They compute what the schedule that kc chooses does."""
    row = ROWS[name].make()
    if name.startswith("gemm bf16") and not Target.host_cpu().has_feature("avx512bf16"):
        pytest.skip("this CPU has no avx512bf16")
    if name.startswith("gemm u8") and not Target.host_cpu().has_feature("avx512vnni"):
        pytest.skip("this CPU has no avx512vnni")
    chosen, written = kc.build(row.tensors()), kc.build(SCHEDULES[name](row.tensors()))
    np.testing.assert_allclose(written(*row.arrays), chosen(*row.arrays), rtol=1e-3, atol=1e-2)
