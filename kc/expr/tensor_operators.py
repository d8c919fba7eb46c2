"""The operators of tensors, such as ``A + B``.

:class:`kc.expr.tensor.Tensor` derives from them, and their results are computes of tensors. A
higher module installs the functions that create the computes (:mod:`kc.te.elementwise`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from kc.expr.constructors import Expr, binary, cast, compare, intrinsic, match
from kc.expr.dtypes import check_dtype
from kc.expr.operators import NumpyFunctions
from kc.support.diagnostics import TEError
from kc.support.locations import caller_location

if TYPE_CHECKING:
    from kc.expr.tensor import Tensor


class Elementwise(Protocol):
    """The functions that create tensors element by element."""

    def one_by_one(self, name: str, function: Callable[[Any], Any], tensor: Any, /) -> Tensor:
        """The tensor of ``function`` of the elements of another."""
        ...

    def combine(
        self, name: str, function: Callable[[Any, Any], Any], tensor: Any, operand: Any, /
    ) -> Any:
        """The tensor of ``function`` of the elements of a tensor and of another, or a scalar."""
        ...


_elementwise: Elementwise


def install(elementwise: Elementwise) -> None:
    """Install the functions that create tensors, which the operators call."""
    global _elementwise
    _elementwise = elementwise


def _two(op: str, name: str) -> tuple[Any, Any]:
    """The method of an operator, and that with the operands exchanged."""

    def function(a: Any, b: Any) -> Expr:
        return compare(op, a, b) if op in ("lt", "le", "gt", "ge") else _apply(op, a, b)

    def forward(self: Tensor, operand: Any) -> Any:
        return _elementwise.combine(name, function, self, operand)

    def backward(self: Tensor, operand: Any) -> Any:
        return _elementwise.combine(name, lambda a, b: function(b, a), self, operand)

    forward.__doc__ = f"Elementwise ``{op}``, with the shapes broadcast."
    backward.__doc__ = forward.__doc__
    return forward, backward


def _apply(op: str, a: Any, b: Any) -> Expr:
    if op in ("shl", "shr"):
        a, b = match(a, b)
        return a << b if op == "shl" else a >> b
    if op == "pow":
        return a**b
    return binary(op, a, b)


class TensorOperators(NumpyFunctions):
    """The operators of tensors. ``==`` asks whether two are the same tensor, as in TVM."""

    if TYPE_CHECKING:
        # Type checkers know a method by its definition.
        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __rfloordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __rmod__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __lshift__(self, other: Any) -> Tensor: ...
        def __rlshift__(self, other: Any) -> Tensor: ...
        def __rshift__(self, other: Any) -> Tensor: ...
        def __rrshift__(self, other: Any) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __rand__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __ror__(self, other: Any) -> Tensor: ...
        def __xor__(self, other: Any) -> Tensor: ...
        def __rxor__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
    else:
        __add__, __radd__ = _two("add", "T_add")
        __sub__, __rsub__ = _two("sub", "T_subtract")
        __mul__, __rmul__ = _two("mul", "T_multiply")
        __truediv__, __rtruediv__ = _two("div", "T_divide")
        __floordiv__, __rfloordiv__ = _two("floordiv", "T_floor_divide")
        __mod__, __rmod__ = _two("floormod", "T_floor_mod")
        __pow__, __rpow__ = _two("pow", "T_power")
        __lshift__, __rlshift__ = _two("shl", "T_left_shift")
        __rshift__, __rrshift__ = _two("shr", "T_right_shift")
        __and__, __rand__ = _two("and", "T_bitwise_and")
        __or__, __ror__ = _two("or", "T_bitwise_or")
        __xor__, __rxor__ = _two("xor", "T_bitwise_xor")
        __lt__, _ = _two("lt", "T_less")
        __le__, _ = _two("le", "T_less_equal")
        __gt__, _ = _two("gt", "T_greater")
        __ge__, _ = _two("ge", "T_greater_equal")

    def __matmul__(self, right: Any) -> Any:
        """Raises TEError KC2006: operators of tensors work element by element."""
        del right
        raise TEError(
            "KC2006",
            "@ is not defined for tensors",
            location=caller_location(),
            why="operators of tensors work element by element",
            hints=["topi.matmul(A, B) is the product of matrices"],
        )

    __rmatmul__ = __matmul__

    def __neg__(self) -> Tensor:
        return _elementwise.one_by_one("T_negative", lambda x: -x, self)  # pyright: ignore[reportArgumentType]

    def __pos__(self) -> Tensor:
        return self  # pyright: ignore[reportReturnType]

    def __invert__(self) -> Tensor:
        return _elementwise.one_by_one("T_bitwise_not", lambda x: ~x, self)  # pyright: ignore

    def __abs__(self) -> Tensor:
        return _elementwise.one_by_one("T_abs", intrinsic("abs"), self)  # pyright: ignore

    def astype(self, dtype: str) -> Tensor:
        """The tensor converted to ``dtype``."""
        kind = check_dtype(dtype)
        return _elementwise.one_by_one("T_cast", lambda x: cast(x, kind), self)  # pyright: ignore

    def __kc_elementwise__(self, op: str, operand: Any, *, swapped: bool) -> Any:
        """``self op other``, or with swapped operands."""
        method = getattr(TensorOperators, _METHODS[op][swapped], None) if op in _METHODS else None
        return NotImplemented if method is None else method(self, operand)


_METHODS = {
    "add": ("__add__", "__radd__"),
    "sub": ("__sub__", "__rsub__"),
    "mul": ("__mul__", "__rmul__"),
    "div": ("__truediv__", "__rtruediv__"),
    "floordiv": ("__floordiv__", "__rfloordiv__"),
    "floormod": ("__mod__", "__rmod__"),
    "and": ("__and__", "__rand__"),
    "or": ("__or__", "__ror__"),
    "xor": ("__xor__", "__rxor__"),
}
