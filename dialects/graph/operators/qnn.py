"""Quantized tensors: ``value = (element - zero point) * scale``, and operators of them.

A scale is a float32, a zero point an int32; each is one number, or has one for each place along an
axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, declare_all, operator
from kc.dialects.graph.operators._relations import (
    WORDS,
    broadcast_shapes,
    checked_dtype,
    normal_axis,
    require_dtype,
    require_same,
    require_word,
    same_dtype,
)
from kc.dialects.graph.operators.convolution import Conv2D, Conv2DTranspose
from kc.dialects.graph.operators.dense import BatchMatmul, Dense
from kc.dialects.graph.operators.shape import Concatenate
from kc.dialects.graph.sizes import MaybeSize
from kc.dialects.graph.types import TensorSpec

QUANTIZED = ("int8", "uint8", "int16", "uint16", "int32")
"""The element types of quantized tensors."""


def require_scale(spec: TensorSpec, name: str, along: MaybeSize, dtype: str = "float32") -> None:
    """Require one number, or one for each place along an axis. Raises RelationError."""
    require_dtype(spec, (dtype,), name)
    if spec.rank > 1:
        raise RelationError(f"{name} is {spec}, but must have at most 1 dimension")
    if spec.rank and spec.shape[0] != 1:
        require_same(along, spec.shape[0], f"the places along the axis and of {name}")


def require_scale_of(
    data: TensorSpec, axis: int, scale: TensorSpec, zero_point: TensorSpec, prefix: str
) -> None:
    """Require a scale and a zero point of a tensor, of one shape. Raises RelationError."""
    along = data.shape[normal_axis(axis, data.rank)] if data.rank else 1
    require_scale(scale, f"{prefix}_scale", along)
    require_scale(zero_point, f"{prefix}_zero_point", along, "int32")
    if scale.rank != zero_point.rank:
        raise RelationError(f"{prefix}_scale is {scale}, but {prefix}_zero_point {zero_point}")


@operator
class Quantize(Operator):
    """``round(data / output_scale) + output_zero_point``, limited to ``out_dtype``."""

    name = "qnn.quantize"
    inputs = ("data", "output_scale", "output_zero_point")
    pattern = Pattern.BROADCAST

    axis: int = -1
    out_dtype: str = "int8"

    def infer(
        self, data: TensorSpec, output_scale: TensorSpec, output_zero_point: TensorSpec
    ) -> TensorSpec:
        require_dtype(data, ("float32",), "data")
        require_scale_of(data, self.axis, output_scale, output_zero_point, "output")
        return TensorSpec(data.shape, checked_dtype(self.out_dtype, QUANTIZED, "out_dtype"))


@operator
class Dequantize(Operator):
    """``(data - input_zero_point) * input_scale`` as float32."""

    name = "qnn.dequantize"
    inputs = ("data", "input_scale", "input_zero_point")
    pattern = Pattern.BROADCAST

    axis: int = -1

    def infer(
        self, data: TensorSpec, input_scale: TensorSpec, input_zero_point: TensorSpec
    ) -> TensorSpec:
        require_dtype(data, QUANTIZED, "data")
        require_scale_of(data, self.axis, input_scale, input_zero_point, "input")
        return TensorSpec(data.shape, "float32")


@operator
class Requantize(Operator):
    """The values of ``data`` quantized by another scale and zero point.

    ``rounding`` says where halves go: "UPWARD", "TONEAREST" (away from 0) or "TONEVEN". The
    quotient of the scales is computed in float64, whatever ``compute_dtype`` is.
    """

    name = "qnn.requantize"
    inputs = (
        "data", "input_scale", "input_zero_point", "output_scale", "output_zero_point",
    )  # fmt: skip
    pattern = Pattern.BROADCAST

    axis: int = -1
    rounding: str = "UPWARD"
    compute_dtype: str = "int64"
    out_dtype: str = "int8"

    def infer(
        self,
        data: TensorSpec,
        input_scale: TensorSpec,
        input_zero_point: TensorSpec,
        output_scale: TensorSpec,
        output_zero_point: TensorSpec,
    ) -> TensorSpec:
        require_dtype(data, QUANTIZED, "data")
        require_word(self.rounding, ("UPWARD", "TONEAREST", "TONEVEN"), "rounding")
        along = data.shape[normal_axis(self.axis, data.rank)] if data.rank else 1
        require_scale(input_scale, "input_scale", along)
        require_scale(input_zero_point, "input_zero_point", along, "int32")
        require_scale(output_scale, "output_scale", 1)
        require_scale(output_zero_point, "output_zero_point", 1, "int32")
        return TensorSpec(data.shape, checked_dtype(self.out_dtype, QUANTIZED, "out_dtype"))


_FACTORS = ("input_zero_point", "kernel_zero_point", "input_scale", "kernel_scale")


def _require_factors(
    data: TensorSpec, weight: TensorSpec, outputs: MaybeSize, scales: tuple[TensorSpec, ...]
) -> None:
    require_dtype(data, QUANTIZED, "data")
    require_dtype(weight, QUANTIZED, "weight")
    sizes = (1, outputs, 1, outputs)
    dtypes = ("int32", "int32", "float32", "float32")
    for name, spec, along, dtype in zip(_FACTORS, scales, sizes, dtypes, strict=True):
        require_scale(spec, name, along, dtype)


@operator
class QnnDense(Operator):
    """``(data - input_zero_point) @ (weight - kernel_zero_point).T`` in integers.

    The scale of the result is the product of the scales, which are not used.
    """

    name = "qnn.dense"
    inputs = ("data", "weight", *_FACTORS)
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    units: int | None = None
    out_dtype: str = "int32"

    def infer(self, data: TensorSpec, weight: TensorSpec, *scales: TensorSpec) -> TensorSpec:
        checked_dtype(self.out_dtype, ("int32", "int64"), "out_dtype")
        result = Dense(self.units, self.out_dtype).infer(data, weight)
        _require_factors(data, weight, weight.shape[0], scales)
        return result


@operator
class QnnConv2D(Operator):
    """A convolution of ``data - input_zero_point`` and ``weight - kernel_zero_point`` in integers.

    Padding is the zero point. The scale of the result is the product of the scales, which are not
    used.
    """

    name = "qnn.conv2d"
    inputs = ("data", "weight", *_FACTORS)
    pattern = Pattern.OUT_ELEMWISE_FUSABLE
    parameters = (
        "data", "weight", *_FACTORS, "kernel_size", "channels", "strides", "padding", "dilation",
        "groups", "data_layout", "kernel_layout", "out_layout", "out_dtype",
    )  # fmt: skip

    strides: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0)
    dilation: tuple[int, ...] = (1, 1)
    groups: int = 1
    channels: int | None = None
    kernel_size: tuple[int, ...] | None = None
    data_layout: str = "NCHW"
    kernel_layout: str = "OIHW"
    out_layout: str = ""
    out_dtype: str = "int32"

    def convolution(self) -> Conv2D:
        """The convolution of integers."""
        return Conv2D(
            self.strides, self.padding, self.dilation, self.groups, self.channels,
            self.kernel_size, self.data_layout, self.kernel_layout, self.out_layout, self.out_dtype,
        )  # fmt: skip

    def infer(self, data: TensorSpec, weight: TensorSpec, *scales: TensorSpec) -> TensorSpec:
        checked_dtype(self.out_dtype, ("int32", "int64"), "out_dtype")
        own = self.convolution()
        result = own.infer(data, weight)
        _require_factors(data, weight, own.weight_axes.size(weight.shape, "O"), scales)
        return result


class QnnBinary(Operator):
    """An operator of the values of two quantized tensors, of which the result is quantized."""

    inputs = (
        "lhs", "rhs", "lhs_scale", "lhs_zero_point", "rhs_scale", "rhs_zero_point", "output_scale",
        "output_zero_point",
    )  # fmt: skip
    pattern = Pattern.BROADCAST

    def infer(self, lhs: TensorSpec, rhs: TensorSpec, *scales: TensorSpec) -> TensorSpec:
        dtype = same_dtype((lhs, rhs), self.inputs[:2])
        require_dtype(lhs, QUANTIZED, "lhs")
        for name, spec in zip(self.inputs[2:], scales, strict=True):
            require_scale(spec, name, 1, "int32" if name.endswith("point") else "float32")
        return TensorSpec(broadcast_shapes(lhs.shape, rhs.shape), dtype)


declare_all(
    QnnBinary,
    {
        "qnn.add": "The sum of two quantized tensors, quantized.",
        "qnn.subtract": "The difference of two quantized tensors, quantized.",
        "qnn.mul": "The product of the values of two quantized tensors, quantized.",
    },
)


@operator
class QnnBatchMatmul(Operator):
    """``(x - x_zero_point) @ (y - y_zero_point)`` of the matrices of a batch, y transposed.

    The sums are integers. The scale of the result is the product of the scales, which are not used.
    """

    name = "qnn.batch_matmul"
    inputs = ("x", "y", "x_zero_point", "y_zero_point", "x_scale", "y_scale")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    out_dtype: str = "int32"

    def infer(self, x: TensorSpec, y: TensorSpec, *scales: TensorSpec) -> TensorSpec:
        checked_dtype(self.out_dtype, ("int32", "int64"), "out_dtype")
        require_dtype(x, QUANTIZED, "x")
        require_dtype(y, QUANTIZED, "y")
        for name, spec in zip(self.inputs[2:], scales, strict=True):
            require_scale(spec, name, 1, "int32" if name.endswith("point") else "float32")
        return BatchMatmul(out_dtype=self.out_dtype).infer(x, y)


@operator
class QnnConv2DTranspose(Operator):
    """A transposed convolution of ``data - input_zero_point`` and ``weight - kernel_zero_point``.

    The sums are integers. The scale of the result is the product of the scales, which are not used.
    """

    name = "qnn.conv2d_transpose"
    inputs = ("data", "weight", *_FACTORS)
    pattern = Pattern.OUT_ELEMWISE_FUSABLE
    parameters = (
        "data", "weight", *_FACTORS, "strides", "padding", "dilation", "groups", "channels",
        "kernel_size", "data_layout", "kernel_layout", "out_layout", "output_padding", "out_dtype",
    )  # fmt: skip

    strides: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0)
    dilation: tuple[int, ...] = (1, 1)
    groups: int = 1
    channels: int | None = None
    kernel_size: tuple[int, ...] | None = None
    data_layout: str = "NCHW"
    kernel_layout: str = "IOHW"
    out_layout: str = ""
    output_padding: tuple[int, ...] = (0, 0)
    out_dtype: str = "int32"

    def convolution(self) -> Conv2DTranspose:
        """The transposed convolution of integers."""
        return Conv2DTranspose(
            self.strides, self.padding, self.dilation, self.channels, self.kernel_size,
            self.groups, self.data_layout, self.kernel_layout, self.out_layout,
            self.output_padding, self.out_dtype,
        )  # fmt: skip

    def infer(self, data: TensorSpec, weight: TensorSpec, *scales: TensorSpec) -> TensorSpec:
        checked_dtype(self.out_dtype, ("int32", "int64"), "out_dtype")
        own = self.convolution()
        result = own.infer(data, weight)
        _require_factors(data, weight, own.weight_axes.size(weight.shape, "O"), scales)
        return result


class QnnUnary(Operator):
    """A function of the values of a quantized tensor, of which the result is quantized."""

    inputs = ("x", "scale", "zero_point", "output_scale", "output_zero_point")
    pattern = Pattern.ELEMWISE

    def infer(self, x: TensorSpec, *scales: TensorSpec) -> TensorSpec:
        require_dtype(x, QUANTIZED, "x")
        for name, spec in zip(self.inputs[1:], scales, strict=True):
            require_scale(spec, name, 1, "int32" if name.endswith("point") else "float32")
        return x


UNARY = ("sqrt", "rsqrt", "exp", "erf", "sigmoid", "hardswish", "tanh", "log")
"""The functions of quantized tensors."""

declare_all(
    QnnUnary, {f"qnn.{name}": f"{name} of the values of a quantized tensor." for name in UNARY}
)


@operator
class QnnLeakyRelu(Operator):
    """The values of a quantized tensor; one that is not positive times ``alpha``. Quantized."""

    name = "qnn.leaky_relu"
    inputs = ("x", "input_scale", "input_zero_point", "output_scale", "output_zero_point")
    pattern = Pattern.ELEMWISE
    parameters = (
        "x", "alpha", "input_scale", "input_zero_point", "output_scale", "output_zero_point",
    )  # fmt: skip

    alpha: float

    def infer(self, x: TensorSpec, *scales: TensorSpec) -> TensorSpec:
        require_dtype(x, QUANTIZED, "x")
        for name, spec in zip(self.inputs[1:], scales, strict=True):
            require_scale(spec, name, 1, "int32" if name.endswith("point") else "float32")
        return x


@operator
class QnnConcatenate(Operator):
    """Quantized tensors one behind the other along ``axis``, quantized by one scale.

    The operands are the tensors, their scales, their zero points, and the scale and the zero point
    of the result.
    """

    name = "qnn.concatenate"
    inputs = ("*operands",)
    pattern = Pattern.INJECTIVE
    tuple_parameters: ClassVar = dict.fromkeys(
        ("data", "input_scales", "input_zero_points", "output_scale", "output_zero_point"),
        ("*operands",),
    )

    axis: int = 0

    def infer(self, *operands: TensorSpec) -> TensorSpec:
        parts, scales, zero_points = parts_of(operands)
        for n, part in enumerate(parts):
            require_dtype(part, QUANTIZED, f"data[{n}]")
        for n, (scale, zero_point) in enumerate(zip(scales, zero_points, strict=True)):
            place = f"[{n}]" if n < len(parts) else " of the result"
            require_scale(scale, f"scale{place}", 1)
            require_scale(zero_point, f"zero_point{place}", 1, "int32")
        return Concatenate(self.axis).infer(*parts)


_P = TypeVar("_P")


def parts_of(operands: Sequence[_P]) -> tuple[Sequence[_P], list[_P], list[_P]]:
    """The tensors of ``qnn.concatenate``, the scales and the zero points; the last of these are of
    the result.

    Raises RelationError if their numbers do not fit.
    """
    count, rest = divmod(len(operands) - 2, 3)
    if rest or count < 1:
        raise RelationError(
            f"qnn.concatenate has {len(operands)} operands, but must have 1 or more tensors, as "
            "many scales and zero points, and a scale and a zero point of the result"
        )
    scales = [*operands[count : 2 * count], operands[-2]]
    return operands[:count], scales, [*operands[2 * count : 3 * count], operands[-1]]


class Simulated(Operator):
    """A simulation of quantization in floats; ``dtype`` is the number of a type, from 0: none,
    int8, uint8, int32."""

    pattern = Pattern.BROADCAST
    axis: int

    def infer(
        self, data: TensorSpec, dtype: TensorSpec, scale: TensorSpec, zero_point: TensorSpec
    ) -> TensorSpec:
        require_dtype(data, WORDS, "data")
        if dtype.rank:
            raise RelationError(f"{self.inputs[1]} is {dtype}, but must have 0 dimensions")
        require_dtype(dtype, ("int32",), self.inputs[1])
        along = data.shape[normal_axis(self.axis, data.rank)]
        require_scale(scale, self.inputs[2], along)
        require_scale(zero_point, self.inputs[3], along, "int32")
        return data


@operator
class SimulatedQuantize(Simulated):
    """The values of qnn.quantize in the type of the data; out_dtype 0 leaves the data as it is."""

    name = "qnn.simulated_quantize"
    inputs = ("data", "out_dtype", "output_scale", "output_zero_point")

    axis: int = -1


@operator
class SimulatedDequantize(Simulated):
    """The values of qnn.dequantize in the type of the data; in_dtype 0 leaves the data as it is."""

    name = "qnn.simulated_dequantize"
    inputs = ("data", "in_dtype", "input_scale", "input_zero_point")

    axis: int = -1
