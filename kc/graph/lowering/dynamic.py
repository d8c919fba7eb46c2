"""The computations of :mod:`kc.dialects.graph.operators.dynamic`, of results whose type is known.

The operand that determines sizes is not read then; only the bounds of slices are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc import topi
from kc.dialects.graph.declaration import Operator
from kc.dialects.graph.operators.dynamic import (
    DynOneHot,
    DynPad,
    DynResize2D,
    DynStridedSlice,
    DynTopk,
    DynUpsampling,
    DynUpsampling3D,
)
from kc.dialects.graph.operators.image import image_axes
from kc.dialects.graph.types import Spec, TensorSpec
from kc.expr import functions as scalar
from kc.expr.constructors import all_of, as_expr, if_then_else, select
from kc.expr.constructors import cast as convert
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering, result_dims
from kc.graph.lowering.scattering import DENSE_ROWS, dense_tensor
from kc.te.computes import compute
from kc.topi.arguments import inside


@lowering("dyn.reshape", "dyn.squeeze", "dyn.expand_dims", rows=["reshape"], takes_result=True)
def reshape(op: Operator, data: Tensor, shape: Tensor, *, result: Spec) -> Tensor:
    """Lower to topi's reshape, to the shape of the result."""
    return topi.reshape(data, result_dims(op, result))


@lowering("dyn.tile", rows=["tile"], takes_result=True)
def tile(op: Operator, data: Tensor, reps: Tensor, *, result: Spec) -> Tensor:
    """Lower to topi's function, as often as the data is in the result."""
    shape = result_dims(op, result)
    own = [1] * (len(shape) - data.ndim) + list(data.shape)
    counts = [
        0 if whole == 0 else whole if part == 1 else whole // part
        for whole, part in zip(shape, own, strict=True)
    ]
    return topi.tile(data, counts)


@lowering("dyn.broadcast_to", rows=["broadcast_to"], takes_result=True)
def broadcast_to(op: Operator, data: Tensor, shape: Tensor, *, result: Spec) -> Tensor:
    """Lower to topi's function."""
    return topi.broadcast_to(data, result_dims(op, result))


@lowering("dyn.full", rows=["full"], takes_result=True)
def full(op: Operator, fill_value: Tensor, shape: Tensor, *, result: Spec) -> Tensor:
    """Lower to topi's function."""
    assert isinstance(result, TensorSpec)
    return topi.full(result_dims(op, result), result.dtype, fill_value())


@lowering("dyn.zeros", "dyn.ones", rows=["full"], takes_result=True)
def constant(op: Operator, shape: Tensor, *, result: Spec) -> Tensor:
    """Lower to topi's full."""
    assert isinstance(result, TensorSpec)
    return topi.full(result_dims(op, result), result.dtype, 1 if op.name == "dyn.ones" else 0)


@lowering("dyn.one_hot", rows=["one_hot"], takes_result=True)
def one_hot(
    op: DynOneHot, indices: Tensor, on_value: Tensor, off_value: Tensor, depth: Tensor, *,
    result: Spec,
) -> Tensor:  # fmt: skip
    """Lower to topi's function."""
    size = result_dims(op, result)[op.axis % (indices.ndim + 1)]
    return topi.one_hot(indices, on_value(), off_value(), size, op.axis, op.dtype)


@lowering("dyn.topk", rows=["topk"], takes_result=True)
def topk(op: DynTopk, data: Tensor, k: Tensor, *, result: Spec) -> Tensor | Sequence[Tensor]:
    """Lower to topi's function."""
    first = result[0] if isinstance(result, tuple) else result
    count = result_dims(op, first)[op.axis % data.ndim]
    return topi.topk(data, count, op.axis, op.ret_type, op.is_ascend, op.dtype)


@lowering("dyn.strided_slice", rows=[], takes_result=True)
def strided_slice(
    op: DynStridedSlice, data: Tensor, begin: Tensor, end: Tensor, strides: Tensor, *,
    result: Spec,
) -> Tensor:  # fmt: skip
    """The elements from ``begin`` on, ``strides`` apart: as many as the result has."""
    shape = result_dims(op, result)
    count = begin.shape[0]

    def place(n: int, at: Any) -> Any:
        size = convert(as_expr(data.shape[n]), "int64")
        first = convert(begin(n), "int64")
        first = select(first < 0, first + size, first)
        step = as_expr(1).astype("int64")
        if op.slice_mode == "end":
            step = convert(strides(n), "int64")
        first = inside(first, data.shape[n])
        return inside(first + convert(as_expr(at), "int64") * step, data.shape[n])

    def body(*at: Any) -> Any:
        return data(*(place(n, axis) if n < count else axis for n, axis in enumerate(at)))

    return compute(shape, body, "T_dyn_strided_slice", tag=INJECTIVE)


@lowering("dyn.sparse_to_dense", rows=DENSE_ROWS, takes_result=True)
def sparse_to_dense(
    op: Operator, indices: Tensor, shape: Tensor, values: Tensor, default: Tensor | None = None, *,
    result: Spec,
) -> Tensor:  # fmt: skip
    """Lower to topi's function."""
    return dense_tensor(indices, result_dims(op, result), values, default)


@lowering("dyn.nn.pad", rows=[], takes_result=True)
def pad(op: DynPad, data: Tensor, pad_width: Tensor, pad_value: Tensor, *, result: Spec) -> Tensor:
    """The elements behind the first numbers of ``pad_width``, and what the mode puts around."""
    shape = result_dims(op, result)

    def source(n: int, at: Any) -> tuple[Any, Any]:
        """The place in the data along a dimension, and the condition that the data has it."""
        size = convert(as_expr(data.shape[n]), "int64")
        place = convert(as_expr(at), "int64") - convert(pad_width(n, 0), "int64")
        is_inside = all_of(place >= 0, place < size)
        if op.pad_mode == "reflect":
            place = scalar.max(place, -place)
            place = select(place < size, place, 2 * size - 2 - place)
        return inside(place, data.shape[n]), is_inside

    def body(*at: Any) -> Any:
        places = [source(n, axis) for n, axis in enumerate(at)]
        value = data(*(place for place, _ in places))
        if op.pad_mode != "constant" or not places:
            return value
        return if_then_else(all_of(*(is_inside for _, is_inside in places)), value, pad_value())

    return compute(shape, body, "T_dyn_pad", tag=INJECTIVE)


@lowering("dyn.nn.upsampling", rows=["nn.upsampling"], takes_result=True)
def upsampling(op: DynUpsampling, data: Tensor, *_: Tensor, result: Spec) -> Tensor:
    """Lower to topi's function, to the size of the result."""
    size = _image_size(op, result, op.layout, "HW")
    return topi.nn.upsampling(data, 1, 1, op.layout, op.method, op.align_corners, size)


@lowering("dyn.nn.upsampling3d", rows=["nn.upsampling3d"], takes_result=True)
def upsampling3d(op: DynUpsampling3D, data: Tensor, *_: Tensor, result: Spec) -> Tensor:
    """Lower to topi's function, to the size of the result."""
    size = _image_size(op, result, op.layout, "DHW")
    mode = op.coordinate_transformation_mode
    return topi.nn.upsampling3d(data, 1, 1, 1, op.layout, op.method, mode, size)


@lowering("dyn.image.resize2d", rows=["image.resize2d"], takes_result=True)
def resize2d(op: DynResize2D, data: Tensor, size: Tensor, roi: Tensor, *, result: Spec) -> Tensor:
    """Lower to topi's function, to the size of the result."""
    mode = op.coordinate_transformation_mode
    return topi.image.resize2d(
        data,
        roi if mode == "tf_crop_and_resize" else None,
        _image_size(op, result, op.layout, "HW"),
        op.layout,
        op.method,
        mode,
        op.rounding_method,
        op.cubic_alpha,
        op.cubic_exclude,
        op.extrapolation_value,
        op.out_dtype or None,
    )


def _image_size(op: Operator, result: Spec, layout: str, letters: str) -> tuple[Any, ...]:
    """The sizes of the result along the spatial axes of a layout."""
    axes, shape = image_axes(layout, len(letters)), result_dims(op, result)
    return tuple(shape[axes.position(letter)] for letter in letters)
