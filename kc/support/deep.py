"""Running recursive code on deeply nested IR. xDSL uses some ten frames per nesting level."""

from __future__ import annotations

import contextlib
import contextvars
import re
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from kc.support.diagnostics import ParseError

T = TypeVar("T")

SHALLOW = 40
"""The number of nesting levels that fit on the stack of any thread."""
RECURSION_LIMIT = 120_000
_STACK_BYTES = 512 * 1024 * 1024
_BRACKET = re.compile(r"[\[({]|[\])}]")


def nesting(text: str) -> int:
    """The nesting depth of brackets in ``text``, including those in strings and comments."""
    if sum(map(text.count, "[({")) <= SHALLOW:
        return 0
    depth = deepest = 0
    for bracket in _BRACKET.finditer(text):
        if bracket.group() in "[({":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
    return deepest


@contextlib.contextmanager
def refusing_depth(what: str, source: Callable[[], str]) -> Iterator[None]:
    """Refuse (ParseError KC1003) a module that is nested too deeply for the recursion of ``what``.

    ``source`` gives the text of the module. A RecursionError on a module with few levels is not
    converted: it is a bug of kc.
    """
    try:
        yield
    except RecursionError as error:
        depth = nesting(source())
        if depth <= SHALLOW:
            raise
        raise ParseError(
            "KC1003",
            f"{what}: the module is nested too deeply",
            why=f"it has {depth} levels of brackets",
            hints=["kc-opt, kc-run and kc-translate have room for some thousand levels"],
        ) from error


@contextlib.contextmanager
def recursion_limit(limit: int) -> Iterator[None]:
    """Raise Python's recursion limit inside the block."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, before))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def run_deep(function: Callable[[], T], depth: int) -> T:
    """Run ``function()`` with enough stack for ``depth`` levels of nesting; its result.

    Deep work runs in a thread with a large stack, in the caller's context. An interrupt of the
    caller also interrupts the thread.
    """
    if depth <= SHALLOW:
        with recursion_limit(5_000):
            return function()
    outcome: list[tuple[bool, Any]] = []
    context = contextvars.copy_context()

    def work() -> None:
        try:
            outcome.append((True, context.run(function)))
        except BaseException as error:
            outcome.append((False, error))

    before = threading.stack_size(_STACK_BYTES)
    try:
        thread = threading.Thread(target=work, name="kc-deep", daemon=True)
        with recursion_limit(RECURSION_LIMIT):
            thread.start()
            _join(thread)
    finally:
        threading.stack_size(before)
    done, value = outcome[0]
    if not done:
        raise value
    return value


def _join(thread: threading.Thread) -> None:
    """Wait for a thread; KeyboardInterrupt is passed on to it."""
    import ctypes

    while thread.is_alive():
        try:
            thread.join()
        except KeyboardInterrupt:
            assert thread.ident is not None
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt)
            )
