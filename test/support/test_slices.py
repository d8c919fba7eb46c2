"""Of a product of parameters that is too large for every run, each row of each list runs."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TESTS = """
import pytest
from property_tests import leave_products_to_sweeps

@pytest.mark.each_row
@pytest.mark.parametrize("a", "xyz")
@pytest.mark.parametrize(("b", "c"), [(0, 1), (0, 2), pytest.param(3, 4, marks=pytest.mark.sweep)])
def test_marked(a, b, c): pass

@pytest.mark.parametrize("a", "xyz")
@pytest.mark.parametrize("b", [0, 1])
def test_unmarked(a, b): pass
"""


def test_each_row_of_each_list_runs_and_the_whole_product_is_a_sweep(
    pytester: pytest.Pytester,
):
    pytester.makepyfile(test_it=TESTS)
    own = Path(__file__).parents[1]
    pytester.makeconftest((own / "conftest.py").read_text())
    pytester.makeini(
        f"[pytest]\npythonpath = {own} {own.parent}\nmarkers =\n  sweep:\n  each_row:\n"
    )

    def collected(*options: str) -> list[str]:
        output = pytester.runpytest_subprocess("--collect-only", "-q", *options).outlines
        return [line.partition("::")[2] for line in output if "::" in line]

    whole = [f"test_marked[{b}-{a}]" for b in ("0-1", "0-2", "3-4") for a in "xyz"]
    unmarked = [f"test_unmarked[{b}-{a}]" for b in (0, 1) for a in "xyz"]
    assert collected("-m", "not sweep") == [
        "test_marked[0-1-x]",
        "test_marked[0-1-z]",
        "test_marked[0-2-y]",
        *unmarked,
    ]
    assert collected() == whole + unmarked
