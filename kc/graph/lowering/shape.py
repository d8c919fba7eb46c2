"""The computations of :mod:`kc.dialects.graph.operators.shape`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc import topi
from kc.dialects.graph.declaration import Operator
from kc.dialects.graph.operators.shape import (
    Arange,
    Concatenate,
    ExpandDims,
    LayoutTransform,
    Meshgrid,
    NdarraySize,
    Repeat,
    Reverse,
    ShapeOf,
    SlidingWindow,
    Split,
    Squeeze,
    Stack,
    Tile,
    Transpose,
)
from kc.dialects.graph.types import Spec, TensorSpec
from kc.expr.constructors import as_expr
from kc.expr.indices import same_dim
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor
from kc.graph.lowering import dims, lowering, result_dims, spec_of_tensor
from kc.te.computes import compute
from kc.topi.arguments import product


@lowering(
    "reshape",
    "reshape_like",
    "contrib_reverse_reshape",
    rows=["reshape"],
    takes_result=True,
)
def reshape(op: Operator, data: Tensor, *like: Tensor, result: Spec) -> Tensor:
    """Lower to topi's function, to the shape of the result."""
    shape = result_dims(op, result)
    moved = topi.reshape(data, shape)
    _require_at_call(moved, product(data.shape), product(shape))
    return moved


def _require_at_call(tensor: Tensor, left: Any, right: Any) -> None:
    """Require that two sizes are equal when a program with a tensor is called."""
    if not same_dim(left, right):
        tensor.op.agreeing.append((left, right, False))


@lowering("transpose")
def transpose(op: Transpose, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.transpose(data, op.order(data.ndim))


@lowering("squeeze")
def squeeze(op: Squeeze, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.squeeze(data, op.axes(spec_of_tensor(data)))


@lowering("expand_dims")
def expand_dims(op: ExpandDims, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.expand_dims(data, op.axis, op.num_newaxis)


@lowering("concatenate")
def concatenate(op: Concatenate, *data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.concatenate(list(data), op.axis)


@lowering("stack")
def stack(op: Stack, *data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.stack(list(data), op.axis)


@lowering("split", takes_result=True)
def split(op: Split, data: Tensor, *, result: Spec) -> Sequence[Tensor]:
    """Lower to topi's function; along a dimension with a name, a slice for each part."""
    axis = op.axis % data.ndim
    if isinstance(data.shape[axis], int):
        return topi.split(data, op.indices_or_sections, op.axis)
    assert isinstance(result, tuple)
    parts: list[Tensor] = []
    begin = as_expr(0)
    for part in result:
        assert isinstance(part, TensorSpec)
        sizes = dims(part.shape, "a part of split")
        parts.append(_part(data, axis, begin, sizes))
        begin = begin + sizes[axis]
    _require_at_call(parts[0], data.shape[axis], begin)
    return parts


def _part(data: Tensor, axis: int, begin: Any, sizes: Sequence[Any]) -> Tensor:
    def body(*at: Any) -> Any:
        return data(*at[:axis], at[axis] + begin, *at[axis + 1 :])

    return compute(sizes, body, "T_split", tag=INJECTIVE)


@lowering("reverse", rows=["flip"])
def reverse(op: Reverse, data: Tensor) -> Tensor:
    """Lower to topi's flip."""
    return topi.flip(data, op.axis)


@lowering("repeat")
def repeat(op: Repeat, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.repeat(data, op.repeats, op.axis)


@lowering("tile")
def tile(op: Tile, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.tile(data, op.reps)


@lowering("layout_transform")
def layout_transform(op: LayoutTransform, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.layout_transform(data, op.src_layout, op.dst_layout)


@lowering("shape_of", rows=["shape"])
def shape_of(op: ShapeOf, data: Tensor) -> Tensor:
    """Lower to topi's shape."""
    return topi.shape(data, op.dtype)


@lowering("ndarray_size")
def ndarray_size(op: NdarraySize, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.ndarray_size(data, op.dtype)


@lowering("meshgrid")
def meshgrid(op: Meshgrid, *data: Tensor) -> Sequence[Tensor]:
    """Lower to topi's function."""
    return topi.meshgrid(list(data), op.indexing)


@lowering("sliding_window")
def sliding_window(op: SlidingWindow, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.sliding_window(data, op.axis, op.window_shape, op.strides)


@lowering("arange", also=["add", "multiply", "cast"], takes_result=True)
def arange(op: Arange, start: Tensor, stop: Tensor, step: Tensor, *, result: Spec) -> Tensor:
    """``start + n * step``, of topi's numbers n, in float64 or int64.

    The elements of the operands are read, so that they may be arguments, if the size is known.
    """
    assert isinstance(result, TensorSpec)
    (size,) = result_dims(op, result)
    within = "float64" if "float" in start.dtype else "int64"
    first, each = topi.cast(start, within), topi.cast(step, within)
    numbers = topi.arange(0, size, 1, within)
    return topi.cast(topi.add(first, topi.multiply(numbers, each)), result.dtype)
