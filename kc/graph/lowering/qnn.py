"""The computations of :mod:`kc.dialects.graph.operators.qnn`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kc import topi
from kc.dialects.graph.operators.qnn import (
    UNARY,
    Dequantize,
    QnnBatchMatmul,
    QnnBinary,
    QnnConcatenate,
    QnnConv2D,
    QnnConv2DTranspose,
    QnnDense,
    QnnLeakyRelu,
    QnnUnary,
    Quantize,
    Requantize,
    SimulatedDequantize,
    SimulatedQuantize,
    parts_of,
)
from kc.expr import functions as scalar
from kc.expr.constructors import Expr, select
from kc.expr.reducers import max_value, min_value
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering
from kc.graph.lowering.convolution import convolution, transposed_convolution
from kc.te.computes import compute


@lowering("qnn.quantize", rows=["nn.quantize"])
def quantize(op: Quantize, data: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.quantize(data, scale, zero_point, op.axis, 0, op.out_dtype)


@lowering("qnn.dequantize", rows=["nn.dequantize"])
def dequantize(op: Dequantize, data: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.dequantize(data, scale, zero_point, op.axis)


@lowering("qnn.requantize", rows=[])
def requantize(
    op: Requantize,
    data: Tensor,
    input_scale: Tensor,
    input_zero_point: Tensor,
    output_scale: Tensor,
    output_zero_point: Tensor,
) -> Tensor:
    """The definition, in float64, which represents all integers of 32 bits."""
    axis = op.axis % data.ndim if data.ndim else 0

    def body(*at: Any) -> Expr:
        value = data(*at).astype("float64") - _wide(input_zero_point, at, axis)
        value = value * (_wide(input_scale, at, axis) / _wide(output_scale, (), 0))
        value = _rounded(value, op.rounding) + _wide(output_zero_point, (), 0)
        return _limited(value, op.out_dtype)

    return compute(data.shape, body, "T_requantize", tag="broadcast")


def _wide(part: Tensor, at: tuple[Any, ...], axis: int) -> Expr:
    """The element of a scale or a zero point for a place, as float64."""
    if not part.ndim:
        return part().astype("float64")
    is_single = getattr(part.shape[0], "value", part.shape[0]) == 1
    return part(0 if is_single else at[axis]).astype("float64")


def _rounded(value: Expr, rounding: str) -> Expr:
    if rounding == "TONEVEN":
        return scalar.round(value)
    up = scalar.floor(value + 0.5)
    if rounding == "UPWARD":
        return up
    return select(value < 0.0, scalar.ceil(value - 0.5), up)


def _limited(value: Expr, dtype: str) -> Expr:
    low, high = (limit(dtype).astype("float64") for limit in (min_value, max_value))
    return scalar.max(scalar.min(value, high), low).astype(dtype)


def _centred(part: Tensor, zero_point: Tensor, axis: int, dtype: str) -> Tensor:
    """The elements less the zero point of their place along an axis."""

    def body(*at: Any) -> Expr:
        if not zero_point.ndim:
            zero = zero_point()
        else:
            is_single = getattr(zero_point.shape[0], "value", zero_point.shape[0]) == 1
            zero = zero_point(0 if is_single else at[axis])
        return part(*at).astype(dtype) - zero.astype(dtype)

    return compute(part.shape, body, "T_centred", tag="broadcast")


@lowering("qnn.dense", rows=["nn.dense", "reshape"])
def dense(
    op: QnnDense, data: Tensor, weight: Tensor, data_zero: Tensor, weight_zero: Tensor, *_: Tensor
) -> Tensor:
    """Lower to topi's function, of the elements less their zero points."""
    data = _centred(data, data_zero, 0, op.out_dtype)
    weight = _centred(weight, weight_zero, 0, op.out_dtype)
    rows = topi.reshape(data, (-1, data.shape[-1])) if data.ndim != 2 else data
    result = topi.nn.dense(rows, weight, None, op.out_dtype)
    return result if rows is data else topi.reshape(result, (*data.shape[:-1], weight.shape[0]))


@lowering(
    "qnn.conv2d",
    rows=["nn.conv2d_nchw", "nn.conv2d_nhwc", "nn.group_conv2d_nchw", "nn.group_conv2d_nhwc",
          "nn.depthwise_conv2d_nchw", "nn.depthwise_conv2d_nhwc", "reshape", "transpose"],
)  # fmt: skip
def conv2d(
    op: QnnConv2D, data: Tensor, weight: Tensor, data_zero: Tensor, weight_zero: Tensor, *_: Tensor
) -> Tensor:
    """The convolution of the elements less their zero points; padding is 0 then."""
    own = op.convolution()
    data = _centred(data, data_zero, 0, op.out_dtype)
    weight = _centred(weight, weight_zero, own.weight_axes.position("O"), op.out_dtype)
    return convolution(own, data, weight)


@lowering(
    "qnn.add", "qnn.subtract", "qnn.mul",
    rows=["nn.dequantize", "nn.quantize", "add", "subtract", "multiply"],
)  # fmt: skip
def binary(
    op: QnnBinary,
    lhs: Tensor,
    rhs: Tensor,
    lhs_scale: Tensor,
    lhs_zero_point: Tensor,
    rhs_scale: Tensor,
    rhs_zero_point: Tensor,
    output_scale: Tensor,
    output_zero_point: Tensor,
) -> Tensor:
    """The function of the values in float32, quantized."""
    function = {"qnn.add": topi.add, "qnn.subtract": topi.subtract, "qnn.mul": topi.multiply}
    result = function[op.name](
        topi.nn.dequantize(lhs, lhs_scale, lhs_zero_point),
        topi.nn.dequantize(rhs, rhs_scale, rhs_zero_point),
    )
    return topi.nn.quantize(result, output_scale, output_zero_point, -1, 0, lhs.dtype)


@lowering("qnn.simulated_quantize", rows=["nn.simulated_quantize"])
def simulated_quantize(
    op: SimulatedQuantize, data: Tensor, dtype: Tensor, scale: Tensor, zero_point: Tensor
) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.simulated_quantize(data, dtype, scale, zero_point, op.axis)


@lowering("qnn.simulated_dequantize", rows=["nn.simulated_dequantize"])
def simulated_dequantize(
    op: SimulatedDequantize, data: Tensor, dtype: Tensor, scale: Tensor, zero_point: Tensor
) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.simulated_dequantize(data, dtype, scale, zero_point, op.axis)


@lowering("qnn.batch_matmul", rows=["nn.batch_matmul"])
def batch_matmul(
    op: QnnBatchMatmul, x: Tensor, y: Tensor, x_zero: Tensor, y_zero: Tensor, *_: Tensor
) -> Tensor:
    """Lower to topi's function, of the elements less their zero points."""
    x, y = _centred(x, x_zero, 0, op.out_dtype), _centred(y, y_zero, 0, op.out_dtype)
    return topi.nn.batch_matmul(x, y, None, op.out_dtype)


@lowering(
    "qnn.conv2d_transpose",
    rows=["nn.conv2d_transpose_nchw", "nn.group_conv2d_transpose_nchw", "transpose", "nn.dilate"],
)
def conv2d_transpose(
    op: QnnConv2DTranspose, data: Tensor, weight: Tensor, data_zero: Tensor, weight_zero: Tensor,
    *_: Tensor,
) -> Tensor:  # fmt: skip
    """The transposed convolution of the elements less their zero points."""
    own = op.convolution()
    data = _centred(data, data_zero, 0, op.out_dtype)
    weight = _centred(weight, weight_zero, own.weight_axes.position("O"), op.out_dtype)
    return transposed_convolution(own, data, weight)


_UNARY: dict[str, Callable[[Tensor], Tensor]] = {
    "hardswish": lambda x: topi.nn.hardswish(x),
    **{name: lambda x, name=name: getattr(topi, name)(x) for name in UNARY if name != "hardswish"},
}


@lowering(
    *(f"qnn.{name}" for name in UNARY),
    rows=["nn.dequantize", "nn.quantize", "nn.hardswish", *(n for n in UNARY if n != "hardswish")],
)
def unary(
    op: QnnUnary, x: Tensor, scale: Tensor, zero_point: Tensor, output_scale: Tensor,
    output_zero_point: Tensor,
) -> Tensor:  # fmt: skip
    """The function of the values in float32, quantized."""
    value = _UNARY[op.name.removeprefix("qnn.")](topi.nn.dequantize(x, scale, zero_point))
    return topi.nn.quantize(value, output_scale, output_zero_point, -1, 0, x.dtype)


@lowering("qnn.leaky_relu", rows=["nn.dequantize", "nn.quantize", "nn.leaky_relu"])
def leaky_relu(
    op: QnnLeakyRelu, x: Tensor, scale: Tensor, zero_point: Tensor, output_scale: Tensor,
    output_zero_point: Tensor,
) -> Tensor:  # fmt: skip
    """Lower to topi's function, of the values in float32, quantized."""
    value = topi.nn.leaky_relu(topi.nn.dequantize(x, scale, zero_point), op.alpha)
    return topi.nn.quantize(value, output_scale, output_zero_point, -1, 0, x.dtype)


@lowering("qnn.concatenate", rows=["concatenate"])
def concatenate(op: QnnConcatenate, *operands: Tensor) -> Tensor:
    """Lower to topi's function, of tensors that are requantized, as qnn.requantize rounds."""
    parts, scales, zero_points = parts_of(operands)
    own = Requantize(out_dtype=parts[0].dtype)
    moved = [
        requantize(own, part, scale, zero_point, scales[-1], zero_points[-1])
        for part, scale, zero_point in zip(parts, scales[:-1], zero_points[:-1], strict=True)
    ]
    return topi.concatenate(moved, op.axis)
