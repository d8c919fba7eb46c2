"""Sizes of torch's graphs, which sympy prints: sums, products and quotients of symbols.

The text is read by Python's grammar and computed here: nothing of it is executed.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from kc.expr import functions as scalar

LONGEST = 10_000
"""Characters of a size."""
_LARGEST_EXPONENT = 8
_LARGEST = 2**63

_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def _extreme(of_numbers: Callable[..., Any], of_sizes: Callable[[Any, Any], Any]) -> Any:
    def extreme(*values: Any) -> Any:
        if all(isinstance(value, int) for value in values):
            return of_numbers(values)
        return reduce(of_sizes, values)

    return extreme


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Mod": operator.mod,
    "PythonMod": operator.mod,
    "FloorDiv": operator.floordiv,
    "CleanDiv": operator.floordiv,
    "Max": _extreme(max, scalar.max),
    "Min": _extreme(min, scalar.min),
}
"""The names of sympy's functions, and of torch's."""


def size_of(text: str, symbols: Mapping[str, Any]) -> Any:
    """The size that a text denotes: a number, or an expression of the variables of its symbols.

    Raises ValueError for a text that is no such size, or too long.
    """
    if len(text) > LONGEST:
        raise ValueError(f"it has {len(text)} characters, {LONGEST} at most are read")
    try:
        return _value(ast.parse(text, mode="eval").body, symbols)
    except (SyntaxError, RecursionError, MemoryError, ZeroDivisionError, TypeError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error


def _value(node: ast.expr, symbols: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            value: Any = number
        case ast.Name(id=name) if name in symbols:
            return symbols[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = 0 - _value(operand, symbols)
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int(exponent))) if (
            1 <= exponent <= _LARGEST_EXPONENT
        ):
            value = reduce(operator.mul, [_value(base, symbols)] * exponent)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            value = _OPERATORS[type(op)](_value(left, symbols), _value(right, symbols))
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as args, keywords=[]) if (
            name in _FUNCTIONS
        ):
            value = _FUNCTIONS[name](*(_value(part, symbols) for part in args))
        case _:
            raise ValueError(f"it has {ast.unparse(node)}")
    if isinstance(value, int) and abs(value) >= _LARGEST:
        raise ValueError("a number in it has more than 64 bits")
    return value
