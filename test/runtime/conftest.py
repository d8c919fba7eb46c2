"""Calls of these tests are by generated code from the first on, except in test_first_calls."""

import pytest

from kc.runtime import call_wrapper


@pytest.fixture(autouse=True)
def _code_from_the_first_call_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_wrapper, "FIRST_CALLS", 0)
