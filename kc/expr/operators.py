"""The operators of scalar expressions: Python's, as in TVM.

The classes of expressions derive from :class:`Operators`. The functions that create expressions
depend on these classes, hence a higher module installs them (:mod:`kc.expr.arithmetic`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol, Union

from kc.support.diagnostics import TEError
from kc.support.locations import caller_location

if TYPE_CHECKING:
    from kc.expr.nodes import Expr


ExprLike = Union["Operators", int, float, bool]


class Arithmetic(Protocol):
    """The functions that create the expressions of operators."""

    def as_expr(self, value: Any, /) -> Expr:
        """Convert a value to an expression."""
        ...

    def binary(self, op: str, lhs: Any, rhs: Any, /) -> Expr:
        """An arithmetic or bitwise operation."""
        ...

    def compare(self, op: str, lhs: Any, rhs: Any, /) -> Expr:
        """A comparison of numbers."""
        ...

    def equality(self, op: str, lhs: Any, rhs: Any, /) -> Operators:
        """The comparison ``==`` or ``!=``. Python's lists call it too."""
        ...

    def shift(self, op: str, lhs: Any, rhs: Any, /) -> Expr:
        """A shift, "shl" or "shr"."""
        ...

    def power(self, lhs: Any, rhs: Any, /) -> Expr:
        """A power."""
        ...

    def negative(self, value: Any, /) -> Expr:
        """The negated value."""
        ...

    def inverted(self, value: Any, /) -> Expr:
        """The value with all bits exchanged."""
        ...

    def absolute(self, value: Any, /) -> Expr:
        """The magnitude."""
        ...

    def cast(self, value: Any, dtype: str, /) -> Expr:
        """The value converted."""
        ...

    def is_function(self, name: str, /) -> bool:
        """True if ``te`` has a function of numbers with this name."""
        ...


_arithmetic: Arithmetic


def install(arithmetic: Arithmetic) -> None:
    """Install the functions that create expressions, which the operators call."""
    global _arithmetic
    _arithmetic = arithmetic


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
"""numpy's names of the operators that its scalars and arrays delegate to expressions."""

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
"""The functions of numpy that have another name in te; None if te lacks the function."""


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
"""The operators of topi that correspond to numpy's functions of whole arrays."""

_REDUCTIONS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}
"""The ufuncs by which numpy reduces arrays."""


class NumpyFunctions:
    """The interface to numpy: its operators create expressions, its functions are refused."""

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
        """Raise TEError KC2009 for ``np.sum(X)`` of a tensor; let numpy inspect a tensor."""
        del types
        name = function.__name__
        if name in TOPI_OPERATORS:
            parts = chain.from_iterable(a if isinstance(a, list | tuple) else [a] for a in args)
            tensor = next((value for value in parts if hasattr(value, "ndim")), None)
            raise not_of_expressions(f"np.{name}", name, tensor)
        return function._implementation(*args, **options)


def not_of_expressions(called: str, name: str, tensor: Any = None) -> TEError:
    """The diagnostic for a function of numbers that receives an expression or a tensor."""
    own = NUMPY_NAMES.get(name, name)
    is_function = own is not None and _arithmetic.is_function(own)
    hint = (
        f"te.{own} makes the expression" if is_function else "the functions of te take expressions"
    )
    if tensor is not None and name in TOPI_OPERATORS:
        hint = f"use topi.{TOPI_OPERATORS[name]}({tensor.name}, ...)"
    elif tensor is not None and is_function:
        each = f"{tensor.name}(*i)" if len(tensor.shape) > 1 else f"{tensor.name}[i]"
        axes = "*i" if len(tensor.shape) > 1 else "i"
        hint = f"te.compute({tensor.name}.shape, lambda {axes}: te.{own}({each}))"
    return TEError(
        "KC2009",
        f"{called} of {'an expression' if tensor is None else f'the tensor {tensor.name}'}",
        location=caller_location(),
        why="the function needs numbers, but the value is known only when the kernel runs",
        hints=[hint],
    )


class Operators(NumpyFunctions):
    """The operators of scalar expressions."""

    def asobject(self) -> Expr:
        """The expression, by TVM's name."""
        return _arithmetic.as_expr(self)

    def same_as(self, other: object) -> bool:
        """True if both are the same object."""
        return self is other

    def __add__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("add", self, other)

    def __radd__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("add", other, self)

    def __sub__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("sub", self, other)

    def __rsub__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("sub", other, self)

    def __mul__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("mul", self, other)

    def __rmul__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("mul", other, self)

    def __truediv__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("div", self, other)

    def __rtruediv__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("div", other, self)

    def __floordiv__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("floordiv", self, other)

    def __rfloordiv__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("floordiv", other, self)

    def __mod__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("floormod", self, other)

    def __rmod__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("floormod", other, self)

    def __pos__(self) -> Expr:
        return _arithmetic.as_expr(self)

    def __neg__(self) -> Expr:
        return _arithmetic.negative(self)

    def __and__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("and", self, other)

    def __rand__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("and", other, self)

    def __or__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("or", self, other)

    def __ror__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("or", other, self)

    def __xor__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("xor", self, other)

    def __rxor__(self, other: ExprLike) -> Expr:
        return _arithmetic.binary("xor", other, self)

    def __lshift__(self, other: ExprLike) -> Expr:
        return _arithmetic.shift("shl", self, other)

    def __rlshift__(self, other: ExprLike) -> Expr:
        return _arithmetic.shift("shl", other, self)

    def __rshift__(self, other: ExprLike) -> Expr:
        return _arithmetic.shift("shr", self, other)

    def __rrshift__(self, other: ExprLike) -> Expr:
        return _arithmetic.shift("shr", other, self)

    def __pow__(self, other: ExprLike) -> Expr:
        return _arithmetic.power(self, other)

    def __rpow__(self, other: ExprLike) -> Expr:
        return _arithmetic.power(other, self)

    def __invert__(self) -> Expr:
        return _arithmetic.inverted(self)

    def __lt__(self, other: ExprLike) -> Expr:
        return _arithmetic.compare("lt", self, other)

    def __le__(self, other: ExprLike) -> Expr:
        return _arithmetic.compare("le", self, other)

    def __gt__(self, other: ExprLike) -> Expr:
        return _arithmetic.compare("gt", self, other)

    def __ge__(self, other: ExprLike) -> Expr:
        return _arithmetic.compare("ge", self, other)

    def __eq__(self, other: object) -> Operators:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _arithmetic.equality("eq", self, other) if _is_scalar(other) else NotImplemented

    def __ne__(self, other: object) -> Operators:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _arithmetic.equality("ne", self, other) if _is_scalar(other) else NotImplemented

    __hash__ = object.__hash__

    def equal(self, other: ExprLike) -> Expr:
        """The comparison ``==``."""
        return _arithmetic.compare("eq", self, other)

    def astype(self, dtype: str) -> Expr:
        """The value converted to ``dtype``. A float becomes an integer by truncation, clamped to
        the limits of the type; NaN becomes 0.

        A type without a width has 32 bits, as in TVM: "float", "int", "uint".
        """
        return _arithmetic.cast(self, dtype)

    def __abs__(self) -> Expr:
        return _arithmetic.absolute(self)

    def __float__(self) -> float:
        called = _called_here(r"\bmath\.(\w+)\(")
        raise not_of_expressions(f"math.{called}" if called else "float", called or "cast")

    def __int__(self) -> int:
        raise not_of_expressions("int", "cast")

    def __bool__(self) -> bool:
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


def _called_here(pattern: str) -> str | None:
    """The function that the user's line calls. None unless exactly one call matches the pattern."""
    import re

    where = caller_location()
    text = where.source_line() if where is not None else ""
    called = set(re.findall(pattern, text))
    return called.pop() if len(called) == 1 else None


def _is_scalar(value: object) -> bool:
    return isinstance(value, Operators | bool | int | float) or hasattr(value, "item")
