"""The number of examples of a property test, and the choice of the cases that get slow checks."""

from collections.abc import Iterable
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


def is_sweep() -> bool:
    """True if all cases run, of which other runs have a slice."""
    return settings.get_current_profile_name() != "kc"
