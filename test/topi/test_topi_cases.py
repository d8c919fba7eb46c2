"""Every operator against numpy: in the interpreter, which checks each access, and natively."""

import importlib
from pathlib import Path

import pytest
from property_tests import is_in_slice
from topi_cases import CASES, Case, check, program

for path in sorted(Path(__file__).parent.glob("cases_*.py")):
    importlib.import_module(path.stem)

BY_NAME: dict[str, list[Case]] = {}
for given in CASES:
    BY_NAME.setdefault(given.name, []).append(given)


@pytest.mark.parametrize("name", BY_NAME)
def test_interpreted(name: str):
    """The first case of each, and every other one; all in a sweep."""
    for n, given in enumerate(BY_NAME[name]):
        if n == 0 or is_in_slice(f"{name} {n}", 2):
            call = program(given.call)
            check(given, call.interpreted(), call.arrays)


@pytest.mark.sweep
@pytest.mark.parametrize("name", BY_NAME)
def test_native(name: str):
    for given in BY_NAME[name]:
        call = program(given.call)
        check(given, call.native(), call.arrays)
