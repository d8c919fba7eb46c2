"""A slice of ``make fuzz-auto``: default schedules of random programs, against numpy."""

from __future__ import annotations

import auto_schedules
import pytest

CASES = 15
GROUP = 5


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, CASES, GROUP))
def test_chosen_schedules(first: int):
    for case in range(first, first + GROUP):
        try:
            auto_schedules.run(case)
        except Exception as error:
            error.add_note(f"python test/fuzz/auto_schedules.py --case={case}")
            raise


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.sweep) for n in (5, 10))])
def test_chosen_kernels(first: int):
    for case in range(first, first + GROUP // 2):
        try:
            auto_schedules.run_on_gpu(case)
        except Exception as error:
            error.add_note(f"python test/fuzz/auto_schedules.py --gpu --case={case}")
            raise
