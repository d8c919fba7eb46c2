"""The functions that a script may call by name: Python's, and those of TVM's hybrid script."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from kc import te
from kc.expr.constructors import Expr, Operators, as_expr, binary, cast
from kc.expr.dtypes import DTYPES
from kc.expr.tensor import Tensor
from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.support.target import Target


def _fold(op: str, python: Callable[..., Any]) -> Callable[..., Any]:
    def call(*values: Any) -> Any:
        if not any(isinstance(value, Operators | Tensor) for value in values):
            return python(*values)
        result = values[0]
        for value in values[1:]:
            result = binary(op, result, value)
        return result

    call.__name__ = op
    return call


def _either(python: Callable[..., Any], compiled: Callable[..., Any]) -> Callable[..., Any]:
    """``python`` of numbers, ``compiled`` of expressions."""

    def call(*values: Any) -> Any:
        symbolic = any(isinstance(value, Operators | Tensor) for value in values)
        return (compiled if symbolic else python)(*values)

    call.__name__ = getattr(python, "__name__", "call")
    return call


def _convert(dtype: str) -> Callable[[Any], Expr]:
    def call(value: Any) -> Expr:
        return cast(as_expr(value), dtype)

    call.__name__ = dtype
    return call


def _length(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.shape[0] if value.shape else 0
    return len(value)


def _sum(values: Any, start: Any = 0) -> Any:
    """The sum of a list of expressions, for instance of a comprehension."""
    if not isinstance(values, list | tuple):
        raise TEError(
            "KC2110",
            f"kc.script does not have Python's sum of {type(values).__name__}",
            location=caller_location(),
            why="it adds up the expressions of a list",
            hints=["a for adds up: acc += A[i]", "sum([A[i] for i in range(4)])"],
        )
    terms = list(values) if isinstance(start, int) and start == 0 else [start, *values]
    return functools.reduce(operator.add, terms) if terms else start


def ceil_div(a: Any, b: Any) -> Any:
    """The quotient of integers, rounded up."""
    if isinstance(a, int) and isinstance(b, int):
        return -(-a // b)
    return te.ceildiv(a, b)


def max_num_threads(allow_none: bool = True) -> int:
    """The largest number of threads in a block of the current target."""
    target = Target.current()
    if target is None and not allow_none:
        raise TEError(
            "KC2125",
            "max_num_threads: there is no current target",
            location=caller_location(),
            hints=['with kc.Target("cuda"):'],
        )
    chosen = target if target is not None else Target("cuda")
    return int(chosen.limits.get("max_threads_per_block", 1))


_PYTHON: dict[str, Callable[..., Any]] = {
    "min": _fold("min", min),
    "max": _fold("max", max),
    "abs": _either(abs, te.abs),
    "round": _either(round, te.round),
    "pow": _either(pow, te.power),
    "int": _either(int, _convert("int32")),
    "float": _either(float, _convert("float32")),
    "bool": _either(bool, _convert("bool")),
    "len": _length,
    "sum": _sum,
}
"""Python's built-in functions for scripts, in forms that also accept expressions."""

_MATH = (
    "exp", "exp2", "log", "log2", "log10", "sigmoid", "sqrt", "rsqrt", "tanh", "tan", "sin", "cos",
    "erf", "floor", "ceil", "trunc", "power", "popcount", "fmod", "likely", "if_then_else",
    "floordiv", "floormod", "truncdiv", "truncmod",
)  # fmt: skip

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(te, name) for name in _MATH},
    **_PYTHON,
    **{dtype: _convert(dtype) for dtype in DTYPES if dtype != "bool"},
    "ceil_div": ceil_div,
    "max_num_threads": max_num_threads,
}
"""The functions that scripts call by these names, unless the script redefines the names."""


def for_expressions(function: Any) -> Any:
    """The form of a Python built-in that accepts expressions; any other function is unchanged."""
    import builtins

    name = getattr(function, "__name__", "")
    if name in _PYTHON and getattr(builtins, name) is function:
        return _PYTHON[name]
    return function
