"""Functions of two tensors, element by element, with numpy's broadcasting."""

from __future__ import annotations

from typing import ClassVar

from kc.dialects.graph.declaration import (
    Operator,
    Pattern,
    RelationError,
    declare_all,
    operator,
)
from kc.dialects.graph.operators._relations import (
    ANY,
    BOOL,
    FLOATS,
    INTEGERS,
    NUMBERS,
    Size,
    broadcast_shapes,
    checked_sizes,
    require_dtype,
    same_dtype,
)
from kc.dialects.graph.sizes import MaybeSize
from kc.dialects.graph.types import TensorSpec


class Binary(Operator):
    """A function of the elements of two tensors of one element type."""

    inputs = ("lhs", "rhs")
    pattern = Pattern.BROADCAST
    dtypes: ClassVar[tuple[str, ...]] = ANY
    """The element types that it takes."""

    def infer(self, lhs: TensorSpec, rhs: TensorSpec) -> TensorSpec:
        require_dtype(lhs, self.dtypes, "lhs")
        dtype = same_dtype((lhs, rhs), self.inputs)
        return TensorSpec(broadcast_shapes(lhs.shape, rhs.shape), dtype)


class Arithmetic(Binary):
    """A function of two numbers."""

    dtypes = NUMBERS


class ArithmeticOfFloats(Binary):
    """A function of two floats."""

    dtypes = FLOATS


class Shift(Binary):
    """A function of an integer and a number of bits."""

    dtypes = INTEGERS


class Logical(Binary):
    """A function of two booleans."""

    dtypes = BOOL


class Bitwise(Binary):
    """A function of the bits of two integers, or of two booleans."""

    dtypes = (*INTEGERS, *BOOL)


class Comparison(Binary):
    """A comparison of the elements of two tensors: a tensor of booleans."""

    def infer(self, lhs: TensorSpec, rhs: TensorSpec) -> TensorSpec:
        return TensorSpec(super().infer(lhs, rhs).shape, "bool")


declare_all(
    Arithmetic,
    {
        "add": "The sum of two tensors.",
        "subtract": "The difference of two tensors.",
        "multiply": "The product of the elements of two tensors.",
        "divide": "The quotient of the elements of two tensors; of integers, rounded towards 0.",
        "floor_divide": "The quotient of the elements of two tensors, rounded down.",
        "trunc_divide": "The quotient of the elements of two tensors, rounded towards 0.",
        "mod": "The remainder of the quotient rounded towards 0; its sign is that of lhs.",
        "floor_mod": "The remainder of the quotient rounded down; its sign is that of rhs.",
        "trunc_mod": "The remainder of the quotient rounded towards 0; its sign is that of lhs.",
        "power": "The elements of the first tensor to the power of those of the second.",
    },
)
declare_all(
    ArithmeticOfFloats,
    {"atan2": "The angle of the point (rhs, lhs) from the first axis; kc's own."},
)
declare_all(
    Binary,
    {
        "maximum": "The larger of the elements of two tensors; NaN if one of them is.",
        "minimum": "The smaller of the elements of two tensors; NaN if one of them is.",
    },
)
declare_all(
    Shift,
    {
        "left_shift": "The bits of lhs, moved up by rhs.",
        "right_shift": "The bits of lhs, moved down by rhs; a sign is copied.",
    },
)
declare_all(
    Logical,
    {
        "logical_and": "True where both elements are.",
        "logical_or": "True where one of the elements is.",
        "logical_xor": "True where exactly one of the elements is.",
    },
)
declare_all(
    Bitwise,
    {
        "bitwise_and": "The bits that both elements have.",
        "bitwise_or": "The bits that one of the elements has.",
        "bitwise_xor": "The bits that exactly one of the elements has.",
    },
)
declare_all(
    Comparison,
    {
        "greater": "True where the first tensor's element is greater.",
        "less": "True where the first tensor's element is less.",
        "greater_equal": "True where the first tensor's element is not less.",
        "less_equal": "True where the first tensor's element is not greater.",
        "equal": "True where the elements are equal.",
        "not_equal": "True where the elements differ.",
    },
)


@operator
class Where(Operator):
    """``x`` where the condition is true, or is not 0; else ``y``. The shapes are broadcast."""

    name = "where"
    inputs = ("condition", "x", "y")
    pattern = Pattern.BROADCAST

    def infer(self, condition: TensorSpec, x: TensorSpec, y: TensorSpec) -> TensorSpec:
        dtype = same_dtype((x, y), ("x", "y"))
        return TensorSpec(broadcast_shapes(condition.shape, x.shape, y.shape), dtype)


def _broadcast_to(data: TensorSpec, shape: tuple[MaybeSize, ...]) -> TensorSpec:
    """The data, broadcast to a shape. Raises RelationError if it does not fit."""
    fits = len(shape) >= data.rank and all(
        size == 1 or not isinstance(size, int) or not isinstance(target, int) or size == target
        for size, target in zip(reversed(data.shape), reversed(shape), strict=False)
    )
    if not fits:
        written = ", ".join("?" if size is None else str(size) for size in shape)
        raise RelationError(f"data is {data}, which does not broadcast to ({written})")
    return TensorSpec(shape, data.dtype)


@operator
class BroadcastTo(Operator):
    """``data``, repeated along its dimensions of 1 and along new ones in front."""

    name = "broadcast_to"
    inputs = ("data",)
    pattern = Pattern.BROADCAST

    shape: tuple[Size, ...]

    def infer(self, data: TensorSpec) -> TensorSpec:
        return _broadcast_to(data, checked_sizes(self.shape))


@operator
class BroadcastToLike(Operator):
    """``data``, broadcast to the shape of ``broadcast_type``."""

    name = "broadcast_to_like"
    inputs = ("data", "broadcast_type")
    pattern = Pattern.BROADCAST

    def infer(self, data: TensorSpec, broadcast_type: TensorSpec) -> TensorSpec:
        return _broadcast_to(data, broadcast_type.shape)


@operator
class CollapseSumLike(Operator):
    """``data``, summed to the shape of ``collapse_type``: what undoes a broadcast."""

    name = "collapse_sum_like"
    inputs = ("data", "collapse_type")
    pattern = Pattern.COMM_REDUCE

    def infer(self, data: TensorSpec, collapse_type: TensorSpec) -> TensorSpec:
        return _collapsed(data, collapse_type.shape)


@operator
class CollapseSumTo(Operator):
    """``data``, summed to a shape that broadcasts to its own."""

    name = "collapse_sum_to"
    inputs = ("data",)
    pattern = Pattern.COMM_REDUCE

    shape: tuple[Size, ...]

    def infer(self, data: TensorSpec) -> TensorSpec:
        return _collapsed(data, checked_sizes(self.shape))


def _collapsed(data: TensorSpec, shape: tuple[MaybeSize, ...]) -> TensorSpec:
    require_dtype(data, NUMBERS, "data")
    _broadcast_to(TensorSpec(shape, data.dtype), data.shape)
    return TensorSpec(shape, data.dtype)
