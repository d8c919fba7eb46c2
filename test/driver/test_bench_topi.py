"""``python -m benchmarks.topi``: its table, of rows that take microseconds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.topi import rows

ROOT = Path(__file__).resolve().parents[2]


def test_rows():
    """Each has a name of its own, in both sizes."""
    for quick in (False, True):
        names = [row.name for row in rows(quick)]
        assert len(names) >= 40
        assert len({*names}) == len(names)


@pytest.mark.slow
def test_a_table():
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.topi", "sum 1K axis 1", "--quick", "--rounds=1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    machine, head, row, mean = run.stdout.splitlines()
    assert ", 1 thread; peak " in machine
    assert head.split()[:6] == ["kc", "ms", "numpy", "torch", "jax", "onnxruntime"]
    ours, numpy, *_, ratio, share, build = row.split()[4:]
    assert row.startswith("sum 1K axis 1")
    for number in (ours, numpy, ratio, share):
        assert float(number) > 0
    assert int(build) >= 0
    assert mean.startswith("geometric mean of best peer / kc over 1 rows: ")
