"""Bounds on the computations at compile time of a script, so that short scripts compile fast.

Python bounds neither numbers nor sequences: ``10 ** 10 ** 8`` and ``max(range(10 ** 12))`` are
short and take hours. Each computation is checked before it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from kc.support.diagnostics import Location, TEError

MAX_BITS = 4096
"""The largest number of bits of a compile-time integer; integers of kernels have 64."""
MAX_LENGTH = 1 << 16
"""The largest number of elements of a sequence, including those of nested sequences."""
MAX_STEPS = 50_000
"""The largest number of expressions that a text evaluates repeatedly: in repeated statements,
comprehensions, and calls of its functions.
"""

_left: ContextVar[list[int] | None] = ContextVar("kc_script_steps", default=None)


def refuse_size(what: str, at: Location, why: str) -> TEError:
    """The diagnostic for a value that is too large or takes too long to compute (KC2135)."""
    return TEError("KC2135", f"{what} while a script is read", location=at, why=why)


@contextmanager
def limited_steps(tree: ast.AST) -> Iterator[None]:
    """Count the steps of reading ``tree``; at :data:`MAX_STEPS` and its own they are refused."""
    token = _left.set([MAX_STEPS + sum(1 for _ in ast.walk(tree))])
    try:
        yield
    finally:
        _left.reset(token)


def count_step(at: Callable[[], Location], *sequences: Any) -> None:
    """Count an expression. Iterating over Python ``sequences`` counts as several expressions."""
    left = _left.get()
    if left is None:
        return
    left[0] -= 1
    for value in sequences:
        if isinstance(value, str | bytes | tuple | list):
            left[0] -= len(value) // 8
        elif isinstance(value, range):
            left[0] -= _length(value) // 8
    if left[0] < 0:
        raise refuse_size(
            "too many expressions are computed",
            at(),
            f"a text has {MAX_STEPS} besides those that it writes; range makes a loop",
        )


def check_value(value: Any, at: Location) -> Any:
    """``value``; raises KC2135 if it is an integer with too many bits."""
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise _too_many_bits(value.bit_length(), at)
    return value


def _too_many_bits(bits: int, at: Location) -> TEError:
    return refuse_size(
        f"a number of {bits} bits is computed", at, f"numbers have at most {MAX_BITS} bits"
    )


def _too_long(length: int, at: Location) -> TEError:
    return refuse_size(
        f"a sequence of {length} elements is computed",
        at,
        f"sequences have at most {MAX_LENGTH} elements",
    )


def check_operands(op: type[ast.operator], lhs: Any, rhs: Any, at: Location) -> None:
    """Refuse an operation on values of Python whose result is too large."""
    count_step(lambda: at, lhs, rhs)
    if isinstance(lhs, int) and isinstance(rhs, int):
        bits, other_bits = lhs.bit_length(), rhs.bit_length()
        size = max(bits, other_bits) + 1
        if op is ast.Pow and rhs > 0:
            size = max(bits - 1, 0) * rhs + 1  # or somewhat more
        elif op is ast.LShift and rhs > 0:
            size = bits + rhs
        elif op is ast.Mult:
            size = bits + other_bits
        if size > MAX_BITS + 1:
            raise _too_many_bits(size, at)
    elif op is ast.Mult:
        for sequence, count in ((lhs, rhs), (rhs, lhs)):
            if isinstance(sequence, str | bytes | tuple | list) and isinstance(count, int):
                if len(sequence) * count > MAX_LENGTH:
                    raise _too_long(len(sequence) * count, at)
    elif op is ast.Mod and isinstance(lhs, str | bytes):  # a format may ask for any width
        raise refuse_size("a formatted string is computed", at, "a kernel knows numbers only")
    elif op is ast.Add and isinstance(lhs, str | bytes | tuple | list):
        if isinstance(rhs, str | bytes | tuple | list) and len(lhs) + len(rhs) > MAX_LENGTH:
            raise _too_long(len(lhs) + len(rhs), at)


def check_arguments(
    function: Any, values: Sequence[Any], named: Mapping[str, Any], at: Location
) -> None:
    """Refuse a call of a Python built-in whose arguments make it too slow."""
    name = getattr(function, "__name__", "")
    arguments = [*values, *named.values()]
    for value in arguments:
        check_value(value, at)
        if function is not range:
            check_range(value, at)
    count_step(lambda: at, *arguments)
    if name == "pow" and len(arguments) == 2:
        check_operands(ast.Pow, arguments[0], arguments[1], at)
    if name == "round" and len(arguments) == 2 and isinstance(arguments[1], int):
        if abs(arguments[1]) > MAX_BITS:
            raise _too_many_bits(abs(arguments[1]), at)


def check_range(value: Any, at: Location) -> None:
    """Refuse a range with too many elements to iterate over."""
    if isinstance(value, range):
        if _length(value) > MAX_LENGTH:
            raise _too_long(_length(value), at)


def _length(numbers: range) -> int:
    """The length of a range. Python's ``len`` fails for long ranges."""
    return max(-((numbers.start - numbers.stop) // numbers.step), 0)


class Weights:
    """The number of elements of tuples, including those of nested tuples."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, int]] = {}

    def check(self, value: Any, at: Location) -> Any:
        """``value``; raises KC2135 if it is a tuple with too many elements."""
        if isinstance(value, tuple):
            weight = sum(self._known.get(id(part), (None, 1))[1] for part in value)
            if weight > MAX_LENGTH:
                raise _too_long(weight, at)
            self._known[id(value)] = value, max(weight, 1)
        return value
