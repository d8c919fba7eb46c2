"""Operators whose sizes are elements of operands: Relay's ``dyn.*``.

The sizes of the result are known where these operands are constants. They are borders of fusion, as
what data determines is in Relay.
"""

from __future__ import annotations

import math
from typing import Any

from kc.dialects.graph.declaration import (
    Operator,
    Pattern,
    RelationError,
    operator,
)
from kc.dialects.graph.operators._relations import (
    INTEGERS,
    WORDS,
    checked_dtype,
    normal_axis,
    require_dtype,
    require_rank,
    require_same,
    require_word,
)
from kc.dialects.graph.operators._reshaping import reshaped
from kc.dialects.graph.operators.broadcast import BroadcastTo
from kc.dialects.graph.operators.elementwise import Full
from kc.dialects.graph.operators.gathering import OneHot
from kc.dialects.graph.operators.image import Resize2D, Upsampling, Upsampling3D, image_axes
from kc.dialects.graph.operators.padding import Pad
from kc.dialects.graph.operators.scattering import dense_of
from kc.dialects.graph.operators.shape import ExpandDims, Squeeze, tiled
from kc.dialects.graph.operators.slicing import spans_of
from kc.dialects.graph.operators.sorting import top
from kc.dialects.graph.types import Spec, TensorSpec


def _numbers(operand: TensorSpec, name: str) -> tuple[int, ...] | None:
    """The elements of an operand of one dimension; None if they are not known."""
    require_rank(operand, 1, name)
    require_dtype(operand, INTEGERS, name)
    return None if operand.value is None else tuple(map(int, operand.value))


def _number(operand: TensorSpec, name: str) -> int | None:
    """The element of an operand of one element; None if it is not known."""
    require_dtype(operand, INTEGERS, name)
    if operand.rank > 1 or (operand.rank and operand.shape[0] not in (1, None)):
        raise RelationError(f"{name} is {operand}, but must be one number")
    return None if operand.value is None else int(operand.value.reshape(-1)[0])


def _length(operand: TensorSpec, name: str) -> int:
    """The number of elements of an operand, which is the number of dimensions of the result."""
    (size,) = operand.shape
    if not isinstance(size, int):
        raise RelationError(f"{name} is {operand}, whose size must be a number")
    return size


class Dynamic(Operator):
    """An operator whose sizes are elements of operands."""

    pattern = Pattern.OPAQUE


@operator
class DynReshape(Dynamic):
    """``reshape`` to a shape that is a tensor."""

    name = "dyn.reshape"
    inputs = ("data", "newshape")
    value_inputs = ("newshape",)

    allowzero: bool = False

    def infer(self, data: TensorSpec, newshape: TensorSpec) -> TensorSpec:
        numbers = _numbers(newshape, "newshape")
        if numbers is None:
            return TensorSpec((None,) * _length(newshape, "newshape"), data.dtype)
        return TensorSpec(reshaped(data.shape, numbers, self.allowzero), data.dtype)


@operator
class DynTile(Dynamic):
    """``tile`` by a tensor of numbers."""

    name = "dyn.tile"
    inputs = ("data", "reps")
    value_inputs = ("reps",)

    def infer(self, data: TensorSpec, reps: TensorSpec) -> TensorSpec:
        numbers = _numbers(reps, "reps")
        if numbers is None:
            rank = max(data.rank, _length(reps, "reps"))
            return TensorSpec((None,) * rank, data.dtype)
        if any(count < 0 for count in numbers):
            raise RelationError(f"reps is {numbers}, but its numbers must be at least 0")
        return TensorSpec(tiled(data.shape, numbers), data.dtype)


@operator
class DynBroadcastTo(Dynamic):
    """``broadcast_to`` to a shape that is a tensor."""

    name = "dyn.broadcast_to"
    inputs = ("data", "shape")
    value_inputs = ("shape",)

    def infer(self, data: TensorSpec, shape: TensorSpec) -> TensorSpec:
        numbers = _numbers(shape, "shape")
        if numbers is None:
            return TensorSpec((None,) * _length(shape, "shape"), data.dtype)
        return BroadcastTo(shape=numbers).infer(data)


class DynFilled(Dynamic):
    """A tensor of equal elements, of a shape that is a tensor."""

    value_inputs = ("shape",)

    def filled(self, shape: TensorSpec, dtype: str) -> TensorSpec:
        """The type of the result. Raises RelationError."""
        numbers = _numbers(shape, "shape")
        if numbers is None:
            return TensorSpec((None,) * _length(shape, "shape"), checked_dtype(dtype))
        return Full(shape=numbers, dtype=dtype).infer(TensorSpec((), "int8"))


@operator
class DynFull(DynFilled):
    """``full`` of a shape that is a tensor."""

    name = "dyn.full"
    inputs = ("fill_value", "shape")

    dtype: str = ""

    def infer(self, fill_value: TensorSpec, shape: TensorSpec) -> TensorSpec:
        require_rank(fill_value, 0, "fill_value")
        return self.filled(shape, self.dtype or fill_value.dtype)


@operator
class DynZeros(DynFilled):
    """``zeros`` of a shape that is a tensor."""

    name = "dyn.zeros"
    inputs = ("shape",)

    dtype: str

    def infer(self, shape: TensorSpec) -> TensorSpec:
        return self.filled(shape, self.dtype)


@operator
class DynOnes(DynFilled):
    """``ones`` of a shape that is a tensor."""

    name = "dyn.ones"
    inputs = ("shape",)

    dtype: str

    def infer(self, shape: TensorSpec) -> TensorSpec:
        return self.filled(shape, self.dtype)


@operator
class DynOneHot(Dynamic):
    """``one_hot`` of a depth that is a tensor."""

    name = "dyn.one_hot"
    inputs = ("indices", "on_value", "off_value", "depth")
    value_inputs = ("depth",)

    axis: int
    dtype: str

    def infer(
        self, indices: TensorSpec, on_value: TensorSpec, off_value: TensorSpec, depth: TensorSpec
    ) -> TensorSpec:
        number = _number(depth, "depth")
        own = OneHot(depth=number or 0, axis=self.axis, dtype=self.dtype)
        result = own.infer(indices, on_value, off_value)
        if number is not None:
            return result
        axis = normal_axis(self.axis, indices.rank + 1)
        shape = tuple(None if n == axis else size for n, size in enumerate(result.shape))
        return TensorSpec(shape, result.dtype)


@operator
class DynTopk(Dynamic):
    """``topk`` of a number that is a tensor."""

    name = "dyn.topk"
    inputs = ("data", "k")
    value_inputs = ("k",)
    parameters = ("data", "k", "axis", "ret_type", "is_ascend", "dtype")

    axis: int = -1
    ret_type: str = "both"
    is_ascend: bool = False
    dtype: str = "int32"

    def infer(self, data: TensorSpec, k: TensorSpec) -> Spec:
        return top(data, _number(k, "k"), self.axis, self.ret_type, self.dtype)

    def result_count(self, operands: int) -> int | None:
        return 2 if self.ret_type == "both" else None


@operator
class DynSqueeze(Dynamic):
    """``squeeze`` of dimensions that are a tensor."""

    name = "dyn.squeeze"
    inputs = ("data", "axis")
    value_inputs = ("axis",)

    def infer(self, data: TensorSpec, axis: TensorSpec) -> TensorSpec:
        numbers = _numbers(axis, "axis")
        if numbers is not None:
            return Squeeze(axis=numbers).infer(data)
        rank = data.rank - _length(axis, "axis")
        if rank < 0:
            raise RelationError(f"data is {data}, but axis is {axis}")
        return TensorSpec((None,) * rank, data.dtype)


@operator
class DynExpandDims(Dynamic):
    """``expand_dims`` before a dimension that is a tensor."""

    name = "dyn.expand_dims"
    inputs = ("data", "axis")
    value_inputs = ("axis",)

    num_newaxis: int = 1

    def infer(self, data: TensorSpec, axis: TensorSpec) -> TensorSpec:
        place = _number(axis, "axis")
        result = ExpandDims(axis=place or 0, num_newaxis=self.num_newaxis).infer(data)
        if place is not None:
            return result
        return TensorSpec((None,) * result.rank, data.dtype)


@operator
class DynStridedSlice(Dynamic):
    """``strided_slice`` with bounds that are tensors."""

    name = "dyn.strided_slice"
    inputs = ("data", "begin", "end", "strides")
    value_inputs = ("begin", "end", "strides")

    slice_mode: str = "end"

    def infer(
        self, data: TensorSpec, begin: TensorSpec, end: TensorSpec, strides: TensorSpec
    ) -> TensorSpec:
        require_word(self.slice_mode, ("end", "size"), "slice_mode")
        bounds: dict[str, Any] = {
            name: _numbers(operand, name)
            for name, operand in (("begin", begin), ("end", end), ("strides", strides))
        }
        if any(numbers is None for numbers in bounds.values()):
            count = _length(begin, "begin")
            if count > data.rank:
                raise RelationError(f"data is {data}, but begin is {begin}")
            return TensorSpec((*(None,) * count, *data.shape[count:]), data.dtype)
        spans = spans_of(data, **bounds, of_sizes=self.slice_mode == "size")
        shape = (spans[n][2] if n in spans else size for n, size in enumerate(data.shape))
        return TensorSpec(tuple(shape), data.dtype)


@operator
class DynSparseToDense(Dynamic):
    """``sparse_to_dense`` of a shape that is a tensor."""

    name = "dyn.sparse_to_dense"
    inputs = ("sparse_indices", "output_shape", "sparse_values", "default_value?")
    value_inputs = ("output_shape",)

    def infer(
        self,
        sparse_indices: TensorSpec,
        output_shape: TensorSpec,
        sparse_values: TensorSpec,
        default_value: TensorSpec | None = None,
    ) -> TensorSpec:
        numbers = _numbers(output_shape, "output_shape")
        rank = _length(output_shape, "output_shape")
        return dense_of(
            sparse_indices, sparse_values, default_value, numbers or (None,) * rank, rank
        )


@operator
class DynPad(Dynamic):
    """``nn.pad`` by a tensor (rank, 2) of the numbers of elements before and after.

    The modes are "constant", "edge" and "reflect". Elements are added, not cropped.
    """

    name = "dyn.nn.pad"
    inputs = ("data", "pad_width", "pad_value")
    value_inputs = ("pad_width",)

    pad_mode: str = "constant"

    def infer(self, data: TensorSpec, pad_width: TensorSpec, pad_value: TensorSpec) -> TensorSpec:
        require_word(self.pad_mode, ("constant", "edge", "reflect"), "pad_mode")
        require_rank(pad_width, 2, "pad_width")
        require_dtype(pad_width, INTEGERS, "pad_width")
        require_same(data.rank, pad_width.shape[0], "the dimensions of data and rows of pad_width")
        require_same(2, pad_width.shape[1], "the number 2 and the columns of pad_width")
        if pad_width.value is None:
            return TensorSpec((None,) * data.rank, data.dtype)
        widths = tuple((int(head), int(tail)) for head, tail in pad_width.value)
        if any(min(pair) < 0 for pair in widths):
            raise RelationError(f"pad_width is {widths}, but its numbers must be at least 0")
        return Pad(pad_width=widths, pad_mode=self.pad_mode).infer(data, pad_value)


def _scale(operand: TensorSpec, name: str) -> float | None:
    """The element of an operand of one float; None if it is not known."""
    require_dtype(operand, WORDS, name)
    if operand.rank > 1 or (operand.rank and operand.shape[0] not in (1, None)):
        raise RelationError(f"{name} is {operand}, but must be one number")
    if operand.value is None:
        return None
    factor = float(operand.value.reshape(-1)[0])
    if not 0 < factor < math.inf:
        raise RelationError(f"{name} is {factor}, but must be above 0 and finite")
    return factor


def _unknown_image(data: TensorSpec, layout: str, letters: str) -> TensorSpec:
    """The type of an image whose spatial sizes are not known."""
    axes = image_axes(layout, len(letters))
    require_rank(data, len(axes.axes), "data")
    spatial = {axes.position(letter) for letter in letters}
    shape = (None if n in spatial else size for n, size in enumerate(data.shape))
    return TensorSpec(tuple(shape), data.dtype)


@operator
class DynUpsampling(Dynamic):
    """``nn.upsampling`` by factors that are tensors of one float."""

    name = "dyn.nn.upsampling"
    inputs = ("data", "scale_h", "scale_w")
    value_inputs = ("scale_h", "scale_w")

    layout: str = "NCHW"
    method: str = "nearest_neighbor"
    align_corners: bool = False

    def infer(self, data: TensorSpec, scale_h: TensorSpec, scale_w: TensorSpec) -> TensorSpec:
        high, wide = _scale(scale_h, "scale_h"), _scale(scale_w, "scale_w")
        own = Upsampling(high or 1.0, wide or 1.0, self.layout, self.method, self.align_corners)
        result = own.infer(data)
        return _unknown_image(data, self.layout, "HW") if None in (high, wide) else result


@operator
class DynUpsampling3D(Dynamic):
    """``nn.upsampling3d`` by factors that are tensors of one float."""

    name = "dyn.nn.upsampling3d"
    inputs = ("data", "scale_d", "scale_h", "scale_w")
    value_inputs = ("scale_d", "scale_h", "scale_w")

    layout: str = "NCDHW"
    method: str = "nearest_neighbor"
    coordinate_transformation_mode: str = "half_pixel"

    def infer(self, data: TensorSpec, *scales: TensorSpec) -> TensorSpec:
        factors = [_scale(scale, name) for scale, name in zip(scales, self.inputs[1:], strict=True)]
        deep, high, wide = (factor or 1.0 for factor in factors)
        mode = self.coordinate_transformation_mode
        result = Upsampling3D(deep, high, wide, self.layout, self.method, mode).infer(data)
        return _unknown_image(data, self.layout, "DHW") if None in factors else result


@operator
class DynResize2D(Dynamic):
    """``image.resize2d`` to a tensor of height and width; ``roi`` is a tensor of four floats."""

    name = "dyn.image.resize2d"
    inputs = ("data", "size", "roi")
    value_inputs = ("size",)

    layout: str = "NCHW"
    method: str = "linear"
    coordinate_transformation_mode: str = "half_pixel"
    rounding_method: str = ""
    cubic_alpha: float = -0.5
    cubic_exclude: int = 0
    extrapolation_value: float = 0.0
    out_dtype: str = ""

    def resize(self, size: tuple[int, ...]) -> Resize2D:
        """The operator of a size that is known, which takes the whole image."""
        return Resize2D(
            size, None, self.layout, self.method, self.coordinate_transformation_mode,
            self.rounding_method, self.cubic_alpha, self.cubic_exclude, self.extrapolation_value,
            self.out_dtype,
        )  # fmt: skip

    def infer(self, data: TensorSpec, size: TensorSpec, roi: TensorSpec) -> TensorSpec:
        numbers = _numbers(size, "size")
        require_rank(roi, 1, "roi")
        require_dtype(roi, WORDS, "roi")
        counts = (4, 2 * data.rank)
        if self.coordinate_transformation_mode == "tf_crop_and_resize" and (
            isinstance(roi.shape[0], int) and roi.shape[0] not in counts
        ):
            raise RelationError(f"roi is {roi}, but must have {counts[0]} numbers")
        result = self.resize((1, 1) if numbers is None else numbers).infer(data)
        if numbers is not None:
            return result
        return TensorSpec(_unknown_image(data, self.layout, "HW").shape, result.dtype)
