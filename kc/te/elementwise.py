"""Arithmetic on whole tensors: ``A + B`` is a compute, with shapes broadcast as numpy does.

TVM gets this from topi, whose names and tags the tensors have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.te.dtypes import check_dtype
from kc.te.expr import (
    Const,
    Element,
    Expr,
    IterVar,
    as_expr,
    binary,
    cast,
    compare,
    intrinsic,
    match,
    walk,
)
from kc.te.indices import same_dim
from kc.te.operators import NumpyFunctions
from kc.te.tags import BROADCAST, ELEMWISE

if TYPE_CHECKING:
    from kc.te.tensor import Dim, Tensor


def _two(op: str, name: str) -> tuple[Any, Any]:
    """The method of an operator, and that with the operands exchanged."""

    def function(a: Any, b: Any) -> Expr:
        return compare(op, a, b) if op in ("lt", "le", "gt", "ge") else _apply(op, a, b)

    def forward(self: Tensor, operand: Any) -> Any:
        return combine(name, function, self, operand)

    def backward(self: Tensor, operand: Any) -> Any:
        return combine(name, lambda a, b: function(b, a), self, operand)

    forward.__doc__ = f"Elementwise ``{op}``, with the shapes broadcast."
    backward.__doc__ = forward.__doc__
    return forward, backward


def _apply(op: str, a: Any, b: Any) -> Expr:
    if op in ("shl", "shr"):
        a, b = match(a, b)
        return a << b if op == "shl" else a >> b
    if op == "pow":
        from kc.te.intrinsics import power  # the others need none of these

        return power(a, b)
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
        return one_by_one("T_negative", lambda x: -x, self)  # pyright: ignore[reportArgumentType]

    def __pos__(self) -> Tensor:
        return self  # pyright: ignore[reportReturnType]

    def __invert__(self) -> Tensor:
        return one_by_one("T_bitwise_not", lambda x: ~x, self)  # pyright: ignore

    def __abs__(self) -> Tensor:
        return one_by_one("T_abs", intrinsic("abs"), self)  # pyright: ignore

    def astype(self, dtype: str) -> Tensor:
        """The tensor converted to ``dtype``."""
        kind = check_dtype(dtype)
        return one_by_one("T_cast", lambda x: cast(x, kind), self)  # pyright: ignore

    def __kc_elementwise__(self, op: str, operand: Any, *, swapped: bool) -> Any:
        """``self op other``, or the other way round."""
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


def one_by_one(name: str, function: Callable[[Any], Any], tensor: Tensor) -> Tensor:
    """The tensor of ``function`` of the elements of another."""
    from kc.te.computes import compute

    if not tensor.ndim:
        return compute((), lambda: function(tensor()), name, tag=ELEMWISE)
    return compute(tensor.shape, lambda *axes: function(tensor(*axes)), name, tag=ELEMWISE)


def combine(name: str, function: Callable[[Any, Any], Any], tensor: Tensor, operand: Any) -> Any:
    """The tensor of ``function`` of the elements of a tensor and of another, or of a scalar.

    Of tensors without dimensions, with a scalar expression, it is a scalar.
    """
    from kc.te.buffers import Buffer
    from kc.te.computes import compute
    from kc.te.tensor import Tensor

    if isinstance(tensor, Buffer) or isinstance(operand, Buffer):
        as_expr(tensor)  # elements of buffers are loaded by statements
        as_expr(operand)
        return function(tensor(), as_expr(operand))
    if isinstance(operand, Tensor):
        return Broadcast.of(tensor, operand).compute(function, name)
    value = as_expr(operand, tensor.dtype if not isinstance(operand, Expr) else None)
    inside = any(isinstance(part, Element | IterVar) for part in walk(value))
    if inside and not tensor.ndim:
        return function(tensor(), value)
    if inside:
        as_expr(tensor)  # says that it has to be indexed
    return compute(tensor.shape, lambda *axes: function(tensor(*axes), operand), name, tag=ELEMWISE)


def _size(dim: Dim) -> Dim:
    """A dimension, as a number where it is one."""
    return int(dim.value) if isinstance(dim, Const) else dim


def _is_one(dim: Dim) -> bool:
    dim = _size(dim)
    return isinstance(dim, int) and dim == 1


@dataclass(frozen=True)
class Broadcast:
    """Tensors whose elements meet where their shapes, aligned at the right, are brought to one."""

    tensors: tuple[Tensor, ...]
    shape: tuple[Dim, ...]
    agreeing: list[tuple[Dim, Dim, bool]]
    """Sizes by different names, which only the call tells: the second is equal, or 1."""

    @classmethod
    def of(cls, *tensors: Tensor) -> Broadcast:
        """Raises TEError KC2174 for numbers that are neither equal nor 1.

        Of a dimension that has several names, and no number above 1, the size is the first.
        """
        rank = max(part.ndim for part in tensors)
        shape: list[Dim] = []
        agreeing: list[tuple[Dim, Dim, bool]] = []
        for axis in range(-rank, 0):
            sizes = [
                (part, _size(part.shape[axis]))
                for part in tensors
                if part.ndim >= -axis and not _is_one(part.shape[axis])
            ]
            numbers = [(part, size) for part, size in sizes if isinstance(size, int)]
            for part, size in numbers:
                if size != numbers[0][1]:
                    raise _do_not_fit(numbers[0][0], part, numbers[0][1], size)
            whole = (numbers or sizes or [(None, 1)])[0][1]
            shape.append(whole)
            agreeing += [(whole, size, True) for _, size in sizes if not same_dim(size, whole)]
        return cls(tensors, tuple(shape), agreeing)

    def at(self, tensor: Tensor, axes: Sequence[Any]) -> Expr:
        """The element of one of the tensors for a place of the result."""
        from kc.te.functions import min as least

        places: list[Any] = []
        first = len(self.shape) - tensor.ndim
        for size, axis, whole in zip(
            tensor.shape, axes[first : len(self.shape)], self.shape[first:], strict=True
        ):
            if _is_one(size):
                places.append(0)
            elif same_dim(size, whole):
                places.append(axis)
            else:  # it may be 1, which is read at its last place everywhere
                places.append(least(axis, _size(size) - 1))
        return tensor(*places)

    def compute(self, function: Callable[..., Any], name: str) -> Tensor:
        """The tensor of ``function`` of the elements that meet."""
        from kc.te.computes import compute

        result = compute(
            self.shape,
            lambda *axes: function(*(self.at(part, axes) for part in self.tensors)),
            name,
            tag=BROADCAST,
        )
        result.op.agreeing += self.agreeing
        return result


def _do_not_fit(left: Tensor, right: Tensor, a: Dim, b: Dim) -> TEError:
    from kc.te.tensor import shape_text

    return TEError(
        "KC2174",
        f"{left.name} of the shape {shape_text(left.shape)} and {right.name} of the shape "
        f"{shape_text(right.shape)} in one operation",
        location=caller_location(),
        why=f"{a} and {b} are neither equal, nor is one of them 1",
        hints=["te.compute says which elements belong together"],
    )
