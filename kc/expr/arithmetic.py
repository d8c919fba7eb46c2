"""The expressions of Python's operators, for :mod:`kc.expr.operators`."""

from __future__ import annotations

from typing import Any

from kc.expr import functions, intrinsics
from kc.expr.constructors import (
    Call,
    Compare,
    Const,
    Expr,
    as_expr,
    binary,
    cast,
    compare,
    const,
    match,
)
from kc.expr.dtypes import bits, is_float, is_signed, vector_of
from kc.expr.intrinsics import power, shift_left, shift_right
from kc.expr.operators import Operators, install
from kc.support.locations import caller_location


class Equality(Operators):
    """``a == b`` or ``a != b`` as a condition. In Python its truth value compares constants by
    value, and other expressions by identity.

    (Python asks for the truth of ``==`` in ``x in axes``; TVM answers as here.)
    """

    dtype = "bool"

    def __init__(self, op: str, lhs: Any, rhs: Any) -> None:
        self._op, self._lhs, self._rhs = op, lhs, rhs
        self._location = caller_location()

    def __kc_scalar__(self) -> Expr:
        a, b = match(self._lhs, self._rhs)
        return Compare(self._op, a, b, self._location, vector_of("bool", a.dtype))

    def __bool__(self) -> bool:
        same = _same_constant(self._lhs, self._rhs)
        if same is None:
            if not isinstance(self._rhs, Operators):
                return super().__bool__()  # `if x == 0` is a question about values
            same = self._lhs is self._rhs
        return same == (self._op == "eq")


def _same_constant(lhs: Any, rhs: Any) -> bool | None:
    """True if two constants, or a constant and a number, are equal. None for other operands.

    Constants of different types are different.
    """
    if not isinstance(lhs, Const):
        return None
    if isinstance(rhs, Const):
        return lhs.dtype == rhs.dtype and lhs.value == rhs.value
    return lhs.value == rhs if isinstance(rhs, bool | int | float) else None


class ScalarArithmetic:
    """:class:`kc.expr.operators.Arithmetic` of scalar expressions."""

    as_expr = staticmethod(as_expr)
    binary = staticmethod(binary)
    compare = staticmethod(compare)
    equality = Equality
    power = staticmethod(power)
    absolute = staticmethod(functions.abs)

    @staticmethod
    def shift(op: str, lhs: Any, rhs: Any) -> Expr:
        return (shift_left if op == "shl" else shift_right)(lhs, rhs)

    @staticmethod
    def negative(value: Any) -> Expr:
        value = as_expr(value)
        if is_float(value.dtype):  # 0 - x is not -x: for zero its sign is wrong
            return Call("neg", (value,), value.dtype, caller_location())
        return binary("sub", const(0, value.dtype), value)

    @staticmethod
    def inverted(value: Any) -> Expr:
        value = as_expr(value)
        ones = -1 if is_signed(value.dtype) else (1 << bits(value.dtype)) - 1
        return binary("xor", value, const(ones, value.dtype))

    @staticmethod
    def cast(value: Any, dtype: str) -> Expr:
        return cast(as_expr(value), dtype)

    @staticmethod
    def is_function(name: str) -> bool:
        return name in functions.__all__ or name in intrinsics.__all__ or name in ("all", "any")


install(ScalarArithmetic())
