"""The operators of scalar expressions: Python's, as in TVM."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING, Any, Union

from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.te.dtypes import bits, is_float, is_signed, vector_of

if TYPE_CHECKING:
    from kc.te.nodes import Expr


ExprLike = Union["Operators", int, float, bool]

NUMPY_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
    "left_shift": operator.lshift,
    "right_shift": operator.rshift,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
}
"""What numpy calls the operators that its scalars and arrays leave to expressions."""

NUMPY_NAMES = {
    "absolute": "abs",
    "arccos": "acos",
    "arcsin": "asin",
    "arctan": "atan",
    "conjugate": None,
    "maximum": "max",
    "minimum": "min",
    "fmax": None,
    "fmin": None,
    "rint": "nearbyint",
}
"""The functions of numpy that have another name in te; None: that it has none of."""


TOPI_OPERATORS = {
    **{
        name: name
        for name in (
            "sum", "max", "min", "prod", "all", "any", "argmax", "argmin", "argsort", "cumsum",
            "cumprod", "transpose", "reshape", "squeeze", "expand_dims", "concatenate", "stack",
            "split", "tile", "repeat", "take", "where", "matmul", "tensordot", "einsum", "clip",
            "flip", "full_like",
        )
    },
    "dot": "matmul",
    "amax": "max",
    "amin": "min",
    "zeros_like": "full_like",
    "ones_like": "full_like",
    "broadcast_to": "broadcast_to",
}  # fmt: skip
"""What numpy does with whole arrays, and the operator of topi that does it with tensors."""

_REDUCTIONS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}
"""The ufuncs by which numpy reduces arrays."""


class NumpyFunctions:
    """What numpy does with an expression: its operators are ours, its functions are refused."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """``np.float32(2) * x`` is ``x`` times 2. Raises TEError KC2009 for ``np.exp(x)``."""
        apply = NUMPY_OPERATORS.get(ufunc.__name__)
        if apply is not None and method == "__call__" and not options:
            left, right = inputs
            reflected = f"__r{apply.__name__.strip('_')}__"
            if isinstance(left, NumpyFunctions):
                return apply(left, right)
            if hasattr(right, reflected):
                return getattr(right, reflected)(left)
            return apply(right, left) if apply in (operator.eq, operator.ne) else NotImplemented
        tensor = next((value for value in inputs if hasattr(value, "ndim")), None)
        name = ufunc.__name__
        if method == "reduce":
            name = _REDUCTIONS.get(name, f"{name}.reduce")
        raise not_of_expressions(f"np.{name}", name, tensor)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        """Raises TEError KC2009 for ``np.sum(X)`` of a tensor; what only looks is numpy's."""
        del types
        name = function.__name__
        if name in TOPI_OPERATORS:
            parts = chain.from_iterable(a if isinstance(a, list | tuple) else [a] for a in args)
            tensor = next((value for value in parts if hasattr(value, "ndim")), None)
            raise not_of_expressions(f"np.{name}", name, tensor)
        return function._implementation(*args, **options)


def not_of_expressions(called: str, name: str, tensor: Any = None) -> TEError:
    """The refusal of a function of numbers that is called with an expression, or a tensor."""
    from kc import te

    own = NUMPY_NAMES.get(name, name)
    known = own is not None and hasattr(te, own)
    hint = f"te.{own} makes the expression" if known else "the functions of te take expressions"
    if tensor is not None and name in TOPI_OPERATORS:
        hint = f"use topi.{TOPI_OPERATORS[name]}({tensor.name}, ...)"
    elif tensor is not None and known:
        each = f"{tensor.name}(*i)" if len(tensor.shape) > 1 else f"{tensor.name}[i]"
        axes = "*i" if len(tensor.shape) > 1 else "i"
        hint = f"te.compute({tensor.name}.shape, lambda {axes}: te.{own}({each}))"
    return TEError(
        "KC2009",
        f"{called} of {'an expression' if tensor is None else f'the tensor {tensor.name}'}",
        location=caller_location(),
        why="it computes with numbers, and the value is known only when the kernel runs",
        hints=[hint],
    )


class Operators(NumpyFunctions):
    """The operators of scalar expressions."""

    def asobject(self) -> Expr:
        """The expression, by TVM's name."""
        from kc.te.expr import as_expr

        return as_expr(self)

    def same_as(self, other: object) -> bool:
        """Whether both are one object."""
        return self is other

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

    def __pos__(self) -> Expr:
        from kc.te.expr import as_expr

        return as_expr(self)

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

    def __rpow__(self, other: ExprLike) -> Expr:
        from kc.te.intrinsics import power

        return power(other, self)

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
        """The value converted to ``dtype``; a float to the integer, truncated, or to the limit of
        the type that it is beyond; NaN to 0.

        Without bits it is of 32, as in TVM: "float", "int", "uint".
        """
        from kc.te.expr import as_expr, cast

        return cast(as_expr(self), dtype)

    def __abs__(self) -> Expr:
        from kc.te.functions import abs as absolute

        return absolute(self)

    def __float__(self) -> float:
        called = _called_here(r"\bmath\.(\w+)\(")
        raise not_of_expressions(f"math.{called}" if called else "float", called or "cast")

    def __int__(self) -> int:
        raise not_of_expressions("int", "cast")

    def __bool__(self) -> bool:
        if (known := _known_truth(self)) is not None:
            return known
        hint = "use te.Select(condition, a, b), or & and | on conditions"
        called = _called_here(r"(?<![\w.])(max|min)\(")
        if called is not None and getattr(self, "op", None) in ("lt", "le", "gt", "ge"):
            hint = f"te.{called}(a, b) is the expression that Python's {called}(a, b) cannot make"
        raise TEError(
            "KC2002",
            "an expression has no truth value while the program is built",
            location=caller_location(),
            why="its value is known only when the kernel runs",
            hints=[hint],
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
        same = _same_constant(self._lhs, self._rhs)
        if same is None:
            if not isinstance(self._rhs, Operators):
                return super().__bool__()  # `if x == 0` is a question about values
            same = self._lhs is self._rhs
        return same == (self._op == "eq")


_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


def _known_truth(condition: Any) -> bool | None:
    """The truth of a comparison of constants; None for what is known only when the kernel runs."""
    from kc.te.nodes import Compare, Const

    if not isinstance(condition, Compare):
        return None
    lhs, rhs = condition.lhs, condition.rhs
    if not (isinstance(lhs, Const) and isinstance(rhs, Const)):
        return None
    return _HOLDS[condition.op](lhs.value, rhs.value)


def _same_constant(lhs: Any, rhs: Any) -> bool | None:
    """Whether two constants, or a constant and a number, are the same; None for anything else.

    Constants of two types are two constants.
    """
    from kc.te.nodes import Const

    if not isinstance(lhs, Const):
        return None
    if isinstance(rhs, Const):
        return lhs.dtype == rhs.dtype and lhs.value == rhs.value
    return lhs.value == rhs if isinstance(rhs, bool | int | float) else None


def _called_here(pattern: str) -> str | None:
    """What the user's line calls, if that is a single function of the pattern's group."""
    import re

    where = caller_location()
    text = where.source_line() if where is not None else ""
    called = set(re.findall(pattern, text))
    return called.pop() if len(called) == 1 else None


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
