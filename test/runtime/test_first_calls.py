"""A function's first calls are checked in Python; then code is generated that checks them."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import kc
from kc import te
from kc.runtime import call_wrapper, function
from kc.runtime.module import Module
from kc.support.diagnostics import CallError

FIRST = 3


@pytest.fixture(autouse=True)
def _few_first_calls(monkeypatch: pytest.MonkeyPatch, _code_from_the_first_call_on: None) -> None:
    monkeypatch.setattr(call_wrapper, "FIRST_CALLS", FIRST)


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """An entry for each call that Python checks."""
    seen: list[int] = []
    bind = function.bind

    def counting(*args):
        seen.append(len(args))
        return bind(*args)

    monkeypatch.setattr(function, "bind", counting)
    return seen


def doubling() -> Module:
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] * 2, name="B")
    return kc.build(te.create_schedule(B.op), [A, B], name="double")


def test_code_checks_what_follows_the_first_calls(checks: list[int]) -> None:
    module = doubling()
    a, b = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    for number in range(2 * FIRST):
        b[:] = -1
        module(a, b)
        assert b.tolist() == [0, 2, 4, 6]
        assert len(checks) == min(number + 1, FIRST)
    # The module and its function are one, however they are called.
    module["double"](a, b)
    assert len(checks) == FIRST
    with pytest.raises(CallError, match="KC51"):
        module(a, b[:3])


def test_a_function_called_by_its_name_makes_the_module_fast_too(checks: list[int]) -> None:
    module = doubling()
    a, b = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    for _ in range(FIRST):
        module["double"](a, b)
    module(a, b)
    assert len(checks) == FIRST


def test_mistakes_in_first_calls_are_diagnosed_alike() -> None:
    module = doubling()
    messages = set()
    for _ in range(2 * FIRST):
        with pytest.raises(CallError) as caught:
            module(np.zeros(4, np.float32), np.zeros(5, np.float32))
        messages.add(str(caught.value))
    assert len(messages) == 1


def test_functions_that_are_called_leave_nothing_behind() -> None:
    module = doubling()
    handles = [weakref.ref(module), weakref.ref(module["double"])]
    module(np.zeros(4, np.float32), np.zeros(4, np.float32))
    gc.disable()
    try:
        del module
        assert [handle() for handle in handles] == [None, None]
    finally:
        gc.enable()
