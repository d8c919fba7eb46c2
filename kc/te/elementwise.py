"""Arithmetic on whole tensors: ``A + B`` is a compute, with shapes broadcast as numpy does.

TVM gets this from topi, whose names and tags the tensors have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kc.expr.buffers import Buffer
from kc.expr.constructors import Const, Element, Expr, IterVar, as_expr, walk
from kc.expr.functions import min as least
from kc.expr.indices import same_dim
from kc.expr.nodes import Dim, shape_text
from kc.expr.tags import BROADCAST, ELEMWISE
from kc.expr.tensor import Tensor
from kc.expr.tensor_operators import install
from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.te.computes import compute


def one_by_one(name: str, function: Callable[[Any], Any], tensor: Tensor) -> Tensor:
    """The tensor of ``function`` of the elements of another."""
    if not tensor.ndim:
        return compute((), lambda: function(tensor()), name, tag=ELEMWISE)
    return compute(tensor.shape, lambda *axes: function(tensor(*axes)), name, tag=ELEMWISE)


def combine(name: str, function: Callable[[Any, Any], Any], tensor: Tensor, operand: Any) -> Any:
    """The tensor of ``function`` applied to the elements of a tensor and those of another, or a
    scalar.

    The result of tensors without dimensions and a scalar expression is a scalar.
    """
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
        as_expr(tensor)  # raises: a buffer must be indexed
    return compute(tensor.shape, lambda *axes: function(tensor(*axes), operand), name, tag=ELEMWISE)


def _size(dim: Dim) -> Dim:
    """A dimension, as an int if it is constant."""
    return int(dim.value) if isinstance(dim, Const) else dim


def _is_one(dim: Dim) -> bool:
    dim = _size(dim)
    return isinstance(dim, int) and dim == 1


@dataclass(frozen=True)
class Broadcast:
    """Tensors whose shapes are broadcast to a common shape, aligned at the right."""

    tensors: tuple[Tensor, ...]
    shape: tuple[Dim, ...]
    agreeing: list[tuple[Dim, Dim, bool]]
    """Pairs of sizes that only the call can compare: the second must be equal, or 1 if allowed."""

    @classmethod
    def of(cls, *tensors: Tensor) -> Broadcast:
        """Raises TEError KC2174 for constant sizes that are neither equal nor 1.

        If a dimension has several symbolic sizes and no constant above 1, the first one is its
        size.
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
        """The element of one of the tensors for an index of the result."""
        places: list[Any] = []
        first = len(self.shape) - tensor.ndim
        for size, axis, whole in zip(
            tensor.shape, axes[first : len(self.shape)], self.shape[first:], strict=True
        ):
            if _is_one(size):
                places.append(0)
            elif same_dim(size, whole):
                places.append(axis)
            else:  # the size may be 1, and then the last element is read everywhere
                places.append(least(axis, _size(size) - 1))
        return tensor(*places)

    def compute(self, function: Callable[..., Any], name: str) -> Tensor:
        """The tensor of ``function`` applied to the elements that broadcasting aligns."""
        result = compute(
            self.shape,
            lambda *axes: function(*(self.at(part, axes) for part in self.tensors)),
            name,
            tag=BROADCAST,
        )
        result.op.agreeing += self.agreeing
        return result


def _do_not_fit(left: Tensor, right: Tensor, a: Dim, b: Dim) -> TEError:
    return TEError(
        "KC2174",
        f"{left.name} of the shape {shape_text(left.shape)} and {right.name} of the shape "
        f"{shape_text(right.shape)} in one operation",
        location=caller_location(),
        why=f"{a} and {b} are neither equal, nor is one of them 1",
        hints=["te.compute can combine other elements"],
    )


class TensorArithmetic:
    """The implementation of :class:`kc.expr.tensor_operators.Elementwise` by computes of TE."""

    one_by_one = staticmethod(one_by_one)
    combine = staticmethod(combine)


install(TensorArithmetic())
