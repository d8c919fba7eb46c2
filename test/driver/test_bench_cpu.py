"""``python -m benchmarks.cpu``: its table, of a row that takes microseconds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.cpu import spread

ROOT = Path(__file__).resolve().parents[2]


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
    assert head.split()[:6] == ["kc", "ms", "numpy", "ms", "openblas", "ms"]
    ours, numpy, openblas, *_, ratio, part, goal, rate, unit, _, _, _, _ = row.split()[2:]
    assert float(ours) > 0
    assert float(numpy) > 0
    assert openblas == "-"  # it is about products
    assert float(ratio) > 0
    assert float(part) >= 0
    assert (float(goal), unit) == (1.0, "GB/s,")
    assert float(rate) > 0
