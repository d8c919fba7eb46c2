"""The number of examples of a property test, and the choice of the cases that get slow checks."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any
from zlib import crc32

import pytest
from hypothesis import settings


def examples(share: int) -> settings:
    """``@examples(20)``: 20 for each 100 that the profile has, for tests whose examples take long.

    ``@settings(max_examples=...)`` would hold whatever the profile says (see conftest.py).
    """
    return settings(max_examples=max(1, settings().max_examples * share // 100))


def is_in_slice(case: str, share: int) -> bool:
    """True if ``case`` gets a slow check: one case in ``share`` does, the same in every run, and
    all do in a sweep.
    """
    return is_sweep() or crc32(case.encode()) % share == 0


def sliced(cases: Iterable[Any], share: int) -> list[Any]:
    """The cases as parameters: one in ``share`` runs in every run, and the others in a sweep.

    The slice depends on the text of a case alone. A tuple is the parameters of one test.
    """
    return [
        case
        if crc32(str(case).encode()) % share == 0
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.sweep)
        for case in cases
    ]


def leave_products_to_sweeps(items: Iterable[pytest.Item]) -> None:
    """Mark cases of tests with the marker ``each_row`` as ``sweep``, except as many as have each
    row of each ``parametrize`` of the test once.

    The cases that stay are the first ones in their order that have most rows that no earlier one
    has: the diagonal of a product of two.
    """
    tests: dict[str, list[pytest.Function]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("each_row"):
            if not item.get_closest_marker("sweep"):
                tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in tests.values():
        for case in _beyond_each_row(cases):
            case.add_marker("sweep")


def _beyond_each_row(cases: Sequence[pytest.Function]) -> list[pytest.Function]:
    """The cases whose rows are all those of cases before them."""
    rows = {case: _rows(case) for case in cases}
    missing, rest = set[Hashable]().union(*rows.values()), list(cases)
    while missing:
        best = max(rest, key=lambda case: len(rows[case] & missing))
        missing -= rows[best]
        rest.remove(best)
    return rest


def _rows(case: pytest.Function) -> set[Hashable]:
    """The rows of a case, one of each ``parametrize``; they are told apart by their objects."""
    rows: set[Hashable] = set()
    for marker in case.iter_markers("parametrize"):
        names = marker.args[0]
        names = names.split(",") if isinstance(names, str) else names
        row = tuple((name.strip(), id(case.callspec.params[name.strip()])) for name in names)
        rows.add(row)
    return rows


def is_sweep() -> bool:
    """True if all cases run, of which other runs have a slice."""
    return settings.get_current_profile_name() != "kc"
