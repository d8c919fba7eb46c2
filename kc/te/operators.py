"""The operators of scalar expressions: Python's, as in TVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.te.dtypes import bits, is_float, is_signed, vector_of

if TYPE_CHECKING:
    from kc.te.nodes import Expr


ExprLike = Union["Operators", int, float, bool]


class Operators:
    """The operators of scalar expressions."""

    # numpy's scalars and arrays leave operations to the methods below.
    __array_ufunc__ = None

    def __add__(self, other: ExprLike) -> Expr:
        return _binary("add", self, other)

    def __radd__(self, other: ExprLike) -> Expr:
        return _binary("add", other, self)

    def __sub__(self, other: ExprLike) -> Expr:
        return _binary("sub", self, other)

    def __rsub__(self, other: ExprLike) -> Expr:
        return _binary("sub", other, self)

    def __mul__(self, other: ExprLike) -> Expr:
        return _binary("mul", self, other)

    def __rmul__(self, other: ExprLike) -> Expr:
        return _binary("mul", other, self)

    def __truediv__(self, other: ExprLike) -> Expr:
        return _binary("div", self, other)

    def __rtruediv__(self, other: ExprLike) -> Expr:
        return _binary("div", other, self)

    def __floordiv__(self, other: ExprLike) -> Expr:
        return _binary("floordiv", self, other)

    def __rfloordiv__(self, other: ExprLike) -> Expr:
        return _binary("floordiv", other, self)

    def __mod__(self, other: ExprLike) -> Expr:
        return _binary("floormod", self, other)

    def __rmod__(self, other: ExprLike) -> Expr:
        return _binary("floormod", other, self)

    def __neg__(self) -> Expr:
        from kc.te.expr import Call, as_expr, const

        value = as_expr(self)
        if is_float(value.dtype):  # 0 - x is not -x: for zero its sign is wrong
            return Call("neg", (value,), value.dtype, caller_location())
        return _binary("sub", const(0, value.dtype), value)

    def __and__(self, other: ExprLike) -> Expr:
        return _binary("and", self, other)

    def __rand__(self, other: ExprLike) -> Expr:
        return _binary("and", other, self)

    def __or__(self, other: ExprLike) -> Expr:
        return _binary("or", self, other)

    def __ror__(self, other: ExprLike) -> Expr:
        return _binary("or", other, self)

    def __xor__(self, other: ExprLike) -> Expr:
        return _binary("xor", self, other)

    def __rxor__(self, other: ExprLike) -> Expr:
        return _binary("xor", other, self)

    def __lshift__(self, other: ExprLike) -> Expr:
        return _shift("shl", self, other)

    def __rlshift__(self, other: ExprLike) -> Expr:
        return _shift("shl", other, self)

    def __rshift__(self, other: ExprLike) -> Expr:
        return _shift("shr", self, other)

    def __rrshift__(self, other: ExprLike) -> Expr:
        return _shift("shr", other, self)

    def __pow__(self, other: ExprLike) -> Expr:
        from kc.te.intrinsics import power

        return power(self, other)

    def __invert__(self) -> Expr:
        from kc.te.expr import as_expr, const

        value = as_expr(self)
        ones = -1 if is_signed(value.dtype) else (1 << bits(value.dtype)) - 1
        return _binary("xor", value, const(ones, value.dtype))

    def __lt__(self, other: ExprLike) -> Expr:
        return _compare("lt", self, other)

    def __le__(self, other: ExprLike) -> Expr:
        return _compare("le", self, other)

    def __gt__(self, other: ExprLike) -> Expr:
        return _compare("gt", self, other)

    def __ge__(self, other: ExprLike) -> Expr:
        return _compare("ge", self, other)

    def __eq__(self, other: object) -> Equality:  # pyright: ignore[reportIncompatibleMethodOverride]
        return Equality("eq", self, other) if _is_scalar(other) else NotImplemented

    def __ne__(self, other: object) -> Equality:  # pyright: ignore[reportIncompatibleMethodOverride]
        return Equality("ne", self, other) if _is_scalar(other) else NotImplemented

    __hash__ = object.__hash__

    def equal(self, other: ExprLike) -> Expr:
        """Whether both are equal, as ``==``."""
        return _compare("eq", self, other)

    def astype(self, dtype: str) -> Expr:
        """The value converted to ``dtype``; floats to integers truncate."""
        from kc.te.expr import as_expr, cast

        return cast(as_expr(self), dtype)

    def __bool__(self) -> bool:
        raise TEError(
            "KC2002",
            "an expression has no truth value while the program is built",
            location=caller_location(),
            why="its value is known only when the kernel runs",
            hints=["use te.Select(condition, a, b), or & and | on conditions"],
        )


class Equality(Operators):
    """``a == b`` or ``a != b``: a condition, and for Python's lists whether a is b.

    (Python asks for the truth of ``==`` in ``x in axes``; TVM answers as here.)
    """

    dtype = "bool"

    def __init__(self, op: str, lhs: Any, rhs: Any) -> None:
        self._op, self._lhs, self._rhs = op, lhs, rhs
        self._location = caller_location()

    def __kc_scalar__(self) -> Expr:
        from kc.te.expr import Compare, match

        a, b = match(self._lhs, self._rhs)
        return Compare(self._op, a, b, self._location, vector_of("bool", a.dtype))

    def __bool__(self) -> bool:
        if not isinstance(self._rhs, Operators):
            return super().__bool__()  # `if x == 0` is a question about values
        return (self._lhs is self._rhs) == (self._op == "eq")


def _is_scalar(value: object) -> bool:
    return isinstance(value, Operators | bool | int | float) or hasattr(value, "item")


# What makes expressions needs their classes, which derive from Operators: imported when called.


def _binary(op: str, lhs: ExprLike, rhs: ExprLike) -> Expr:
    from kc.te.expr import binary

    return binary(op, lhs, rhs)


def _compare(op: str, lhs: ExprLike, rhs: ExprLike) -> Expr:
    from kc.te.expr import compare

    return compare(op, lhs, rhs)


def _shift(op: str, lhs: ExprLike, rhs: ExprLike) -> Expr:
    from kc.te.intrinsics import shift_left, shift_right

    return (shift_left if op == "shl" else shift_right)(lhs, rhs)
