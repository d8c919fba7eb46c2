"""Scalar semantics applied to scalars and, element by element, to vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects.builtin import VectorType
from xdsl.interpreter import InterpreterFunctions, register_impls
from xdsl.ir import Operation

from kc.analysis.interpreter.engine import Run, prepared
from kc.analysis.interpreter.values import Poison

Scalar = Callable[..., Any]
"""A function of scalars; with several results it returns a tuple."""


def elementwise(op: Operation, function: Scalar, *, strict: bool = True) -> Run:
    """``function`` lifted to the operand types of ``op``.

    A poison operand makes the result poison. With ``strict=False``, ``function`` receives poison
    operands instead.
    """
    scalar = _propagating(function, len(op.operands), len(op.results)) if strict else function
    shape = next(
        (
            operand.type.get_shape()
            for operand in op.operands
            if isinstance(operand.type, VectorType)
        ),
        None,
    )
    if shape is None:
        return scalar
    lanes = np.frompyfunc(scalar, len(op.operands), len(op.results))
    if shape:
        return lanes

    def rank_zero(*args: Any) -> np.ndarray:
        # numpy unpacks arrays of rank 0.
        result = np.empty((), object)
        result[()] = lanes(*args)
        return result

    return rank_zero


def _propagating(function: Scalar, operands: int, results: int) -> Scalar:
    if operands == 1 and results == 1:
        return lambda a: a if type(a) is Poison else function(a)
    if operands == 2 and results == 1:

        def binary(a: Any, b: Any) -> Any:
            if type(a) is Poison:
                return a
            return b if type(b) is Poison else function(a, b)

        return binary

    def general(*args: Any) -> Any:
        for arg in args:
            if type(arg) is Poison:
                return arg if results == 1 else (arg,) * results
        return function(*args)

    return general


def elementwise_functions(
    name: str, table: dict[type[Operation], Callable[[Operation], Scalar]]
) -> InterpreterFunctions:
    """Implementations of pure scalar ops from a table of builders of scalar functions."""

    def method(make: Callable[[Operation], Scalar]) -> Callable[..., Run]:
        return lambda functions, interpreter, op: elementwise(op, make(op))

    members = {kind.__name__: prepared(kind)(method(make)) for kind, make in table.items()}
    return register_impls(type(name, (InterpreterFunctions,), members))()
