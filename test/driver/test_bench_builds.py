"""``python -m benchmarks.builds``: its tables, of a row and of an operator."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_tables():
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.builds", "add 1K", "hardswish", "--repeat=1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    row, rows, operator, operators = run.stdout.splitlines()
    for line, name in ((row, "add 1K"), (operator, "nn.hardswish")):
        assert line.startswith(f"{name} ")
        assert 0 < float(line.removeprefix(name)) < 10_000
    counts = r"median \d+\.\d ms, \d above 60 ms, \d above 75 ms, \d above 100 ms"
    assert re.fullmatch(f"1 rows of benchmarks/cpu.py: {counts}", rows)
    assert re.fullmatch(f"1 operators of kc.topi: {counts}", operators)
