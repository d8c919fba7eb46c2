"""``qnn-canonicalize``: write operators of quantized tensors as operators of integers and floats.

Before::

    %0 = graph.qnn.dense(%x, %w, %zx, %zw, %sx, %sw) : (tensor<4x8xsi8>, tensor<5x8xsi8>, ...)
    %1 = graph.qnn.requantize(%0, %s, %z, %t, %u) : ...

After, for a zero point of the weights that is 0::

    %0 = graph.nn.dense(%x, %w) <out_dtype = "int32"> : (tensor<4x8xsi8>, tensor<5x8xsi8>)
    %1 = %0 - %zx * sum(%w)                           // of the weights alone: a constant
    %2 = (clip(%1 - %z) * factor + offset) >> shift   // in int64
    %3 = cast(clip(%2 + %u)) : tensor<4x5xsi8>

Relay's pass of this name (``relay.qnn.transform.CanonicalizeOps``). Each value is the same, bit for
bit. Products of 8-bit integers stay such products, for which processors have instructions: what
zero points add to them is computed of sums, modulo the range of the result as the operators do.
Other products are of the elements less their zero points.

A ``qnn.requantize`` whose scales and zero points are constants is a product of integers and a
shift, if these numbers are proven to give the values of its definition
(:mod:`kc.transforms.graph._fixed_point`); another one is computed in float64, as it is defined.
Functions of the values, and sums of tensors with different scales, are computed in float32 between
``qnn.dequantize`` and ``qnn.quantize``. The simulated operators stay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.operators._layouts import pads_of
from kc.dialects.graph.operators.convolution import SPATIAL, Convolution
from kc.dialects.graph.operators.qnn import UNARY, QnnConv2D, QnnConv2DTranspose, parts_of
from kc.dialects.graph.types import TensorSpec
from kc.dialects.graph.values import ConstantOp, numpy_dtype
from kc.transforms.graph._building import Builder, tensor_spec
from kc.transforms.graph._fixed_point import fixed_point
from kc.transforms.graph._rewriting import rewrite_once, tensor_of

_BYTES = ("int8", "uint8")
_SMALL_ZERO = 1 << 22
"""Differences of 16-bit elements and zero points below this are exact in float32."""


@dataclass(frozen=True)
class QnnCanonicalizePass(ModulePass):
    """Replace operators of quantized tensors by operators of integers and floats."""

    name = "qnn-canonicalize"
    opt_level: ClassVar[int] = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        rewrite_once(op, self.name, [CanonicalForm()])


class CanonicalForm(RewritePattern):
    """Replaces an operator of quantized tensors by simpler operators, where it has such a form."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        form = FORMS.get(op.OPERATOR.name) if isinstance(op, OperatorOp) else None
        if form is None or not isinstance(op, OperatorOp):
            return
        if any(tensor_of(value) is None for value in op.inputs):
            return
        new = form(op, op.operator, Builder(op, rewriter))
        rewriter.replace(op, [], [new])


Form = Callable[[OperatorOp, Any, Builder], SSAValue]


def _numbers(value: SSAValue) -> Any:
    """The elements of a constant; None for another value."""
    op = value.owner
    return op.array if isinstance(op, ConstantOp) and not op.is_elided else None


def _is_zero(value: SSAValue) -> bool:
    array = _numbers(value)
    return array is not None and not array.any()


def _limits(dtype: str) -> tuple[int, int]:
    import numpy as np

    limits = np.iinfo(numpy_dtype(dtype))
    return int(limits.min), int(limits.max)


def _number_of(build: Builder, value: SSAValue) -> SSAValue:
    """A value of one element, without dimensions."""
    return build("reshape", value, newshape=()) if tensor_spec(value).rank else value


def _along(build: Builder, value: SSAValue, axis: int, rank: int) -> SSAValue:
    """A scale or a zero point, as it broadcasts to a tensor: one number, or one a place."""
    spec = tensor_spec(value)
    if not spec.rank or spec.shape[0] == 1:
        return _number_of(build, value)
    return build.along(value, axis % rank, rank)


def _dequantized(
    build: Builder, data: SSAValue, scale: SSAValue, zero_point: SSAValue, axis: int
) -> SSAValue:
    """As ``qnn.dequantize`` computes: the product is in float64, unless float32 gives the same."""
    spec, zeros = tensor_spec(data), _numbers(zero_point)
    is_small = spec.dtype != "int32" and zeros is not None and (abs(zeros) < _SMALL_ZERO).all()
    exact, wide = ("int32", "float32") if is_small else ("int64", "float64")
    value = build.cast(data, exact)
    if not _is_zero(zero_point):
        zero = _along(build, build.cast(zero_point, exact), axis, spec.rank)
        value = build("subtract", value, zero)
    factor = _along(build, build.cast(scale, wide), axis, spec.rank)
    return build.cast(build("multiply", build.cast(value, wide), factor), "float32")


def _quantized(
    build: Builder, data: SSAValue, scale: SSAValue, zero_point: SSAValue, axis: int, dtype: str
) -> SSAValue:
    """As ``qnn.quantize`` computes: NaN is the zero point."""
    spec = tensor_spec(data)
    wide = "float64" if dtype == "int32" else "float32"
    factor = _along(build, build.cast(scale, wide), axis, spec.rank)
    ratio = build("round", build("divide", build.cast(data, wide), factor))
    ratio = build("where", build("isnan", ratio), build.constant(0, wide), ratio)
    if not _is_zero(zero_point):
        zero = _along(build, build.cast(zero_point, wide), axis, spec.rank)
        ratio = build("add", ratio, zero)
    return _limited(build, ratio, dtype)


def _limited(build: Builder, value: SSAValue, dtype: str) -> SSAValue:
    low, high = _limits(dtype)
    return build.cast(build("clip", value, a_min=float(low), a_max=float(high)), dtype)


def _quantize(op: OperatorOp, own: Any, build: Builder) -> SSAValue:
    data, scale, zero_point = op.inputs
    return _quantized(build, data, scale, zero_point, own.axis, own.out_dtype)


def _dequantize(op: OperatorOp, own: Any, build: Builder) -> SSAValue:
    data, scale, zero_point = op.inputs
    return _dequantized(build, data, scale, zero_point, own.axis)


def _requantize(op: OperatorOp, own: Any, build: Builder) -> SSAValue:
    data, *scales = op.inputs
    return _requantized(build, data, scales, own.axis, own.rounding, own.out_dtype)


def _requantized(
    build: Builder, data: SSAValue, scales: list[SSAValue], axis: int, rounding: str, dtype: str
) -> SSAValue:
    """As ``qnn.requantize`` computes; ``scales`` are its operands after the data."""
    return _in_integers(build, data, scales, axis, rounding, dtype) or _in_float64(
        build, data, scales, axis, rounding, dtype
    )


def _in_integers(
    build: Builder, data: SSAValue, scales: list[SSAValue], axis: int, rounding: str, dtype: str
) -> SSAValue | None:
    """A product of integers and a shift; None if there are no numbers that are proven."""
    import numpy as np

    scale_in, zero_in, scale_out, zero_out = map(_numbers, scales)
    if scale_in is None or zero_in is None or scale_out is None or zero_out is None:
        return None
    spec = tensor_spec(data)
    wide = scale_in.astype(np.float64) / scale_out.astype(np.float64).reshape(())
    ratio, zeros = np.broadcast_arrays(np.atleast_1d(wide), np.atleast_1d(zero_in))
    plan = fixed_point(
        ratio, _limits(spec.dtype), zeros, _limits(dtype), int(zero_out.reshape(())), rounding
    )
    if plan is None:
        return None

    def number(values: Any) -> SSAValue:
        constant = build.constant(values if values.size > 1 else values.reshape(()), "int64")
        return _along(build, constant, axis, spec.rank)

    value = build.cast(data, "int64")
    if zeros.any():
        value = build("subtract", value, number(zeros.astype(np.int64)))
    value = build("maximum", build("minimum", value, number(plan.high)), number(plan.low))
    value = build("multiply", value, number(plan.factor))
    value = build("right_shift", build("add", value, number(plan.offset)), number(plan.shift))
    if not _is_zero(scales[3]):
        value = build("add", value, build.constant(int(zero_out.reshape(())), "int64"))
    return _limited(build, value, dtype)


def _in_float64(
    build: Builder, data: SSAValue, scales: list[SSAValue], axis: int, rounding: str, dtype: str
) -> SSAValue:
    scale_in, zero_in, scale_out, zero_out = (build.cast(part, "float64") for part in scales)
    rank = tensor_spec(data).rank
    value = build.cast(data, "float64")
    if not _is_zero(scales[1]):
        value = build("subtract", value, _along(build, zero_in, axis, rank))
    ratio = build("divide", scale_in, _number_of(build, scale_out))
    value = build("multiply", value, _along(build, ratio, axis, rank))
    half = build.constant(0.5, "float64")
    if rounding == "TONEVEN":
        value = build("round", value)
    else:
        up = build("floor", build("add", value, half))
        if rounding == "TONEAREST":
            is_negative = build("less", value, build.constant(0, "float64"))
            down = build("ceil", build("subtract", value, half))
            up = build("where", is_negative, down, up)
        value = up
    if not _is_zero(scales[3]):
        value = build("add", value, _number_of(build, zero_out))
    return _limited(build, value, dtype)


def _centred(
    build: Builder, value: SSAValue, zero_point: SSAValue, axis: int, dtype: str
) -> SSAValue:
    """The elements less the zero point of their place along an axis, as integers of a type."""
    wide = build.cast(value, dtype)
    if _is_zero(zero_point):
        return wide
    zero = _along(build, build.cast(zero_point, dtype), axis, tensor_spec(value).rank)
    return build("subtract", wide, zero)


def _are_bytes(*values: SSAValue) -> bool:
    return all(tensor_spec(value).dtype in _BYTES for value in values)


def _total(build: Builder, value: SSAValue, axes: tuple[int, ...], dtype: str) -> SSAValue:
    """The sums of integers along axes, which stay as dimensions of size 1."""
    return build("sum", build.cast(value, dtype), axis=axes, keepdims=True)


def _less(build: Builder, result: SSAValue, zero_point: SSAValue, total: SSAValue) -> SSAValue:
    """A result less a zero point times what it was added to."""
    return build("subtract", result, build("multiply", total, zero_point))


def _dense(op: OperatorOp, own: Any, build: Builder) -> SSAValue:
    data, weight, data_zero, weight_zero, *_ = op.inputs
    dtype, summed = own.out_dtype, tensor_spec(weight).shape[1]
    if not _are_bytes(data, weight) or not isinstance(summed, int):
        data = _centred(build, data, data_zero, 0, dtype)
        weight = _centred(build, weight, weight_zero, 0, dtype)
        return build("nn.dense", data, weight, out_dtype=dtype)
    result = build("nn.dense", data, weight, out_dtype=dtype)
    outputs = build.cast(weight_zero, dtype)
    inputs = _number_of(build, build.cast(data_zero, dtype))
    if not _is_zero(data_zero):
        total = build("squeeze", _total(build, weight, (1,), dtype), axis=(1,))
        if not _is_zero(weight_zero):
            places = build("multiply", outputs, build.constant(summed, dtype))
            total = build("subtract", total, places)
        result = _less(build, result, inputs, total)
    if not _is_zero(weight_zero):
        total = _total(build, data, (tensor_spec(data).rank - 1,), dtype)
        result = _less(build, result, outputs, total)
    return result


def _batch_matmul(op: OperatorOp, own: Any, build: Builder) -> SSAValue:
    x, y, x_zero, y_zero, *_ = op.inputs
    dtype, summed = own.out_dtype, tensor_spec(y).shape[2]
    if not _are_bytes(x, y) or not isinstance(summed, int):
        x = _centred(build, x, x_zero, 0, dtype)
        y = _centred(build, y, y_zero, 0, dtype)
        return build("nn.batch_matmul", x, y, out_dtype=dtype)
    result = build("nn.batch_matmul", x, y, out_dtype=dtype)
    left, right = (_number_of(build, build.cast(zero, dtype)) for zero in (x_zero, y_zero))
    if not _is_zero(x_zero):
        total = _total(build, y, (2,), dtype)
        if not _is_zero(y_zero):
            places = build("multiply", right, build.constant(summed, dtype))
            total = build("subtract", total, places)
        result = _less(build, result, left, build("transpose", total, axes=(0, 2, 1)))
    if not _is_zero(y_zero):
        result = _less(build, result, right, _total(build, x, (2,), dtype))
    return result


def _conv2d(op: OperatorOp, own: QnnConv2D, build: Builder) -> SSAValue:
    data, weight, data_zero, weight_zero, *_ = op.inputs
    conv = own.convolution()
    outputs = conv.weight_axes.position("O")
    if not _is_of_bytes(conv, data, weight, data_zero, weight_zero):
        data = _centred(build, data, data_zero, 0, own.out_dtype)
        weight = _centred(build, weight, weight_zero, outputs, own.out_dtype)
        return build("nn.conv2d", data, weight, **conv.attributes())
    attributes = conv.attributes()
    if not _is_zero(data_zero):
        data = _padded(build, conv, data, data_zero)
        attributes["padding"] = (0, 0)
    result = build("nn.conv2d", data, weight, **attributes)
    dtype = own.out_dtype
    channels = conv.result_axes.position("C")
    rank = tensor_spec(result).rank
    zeros = build.cast(weight_zero, dtype)
    if not _is_zero(data_zero):
        shape = tensor_spec(weight).shape
        axes = tuple(n for n in range(rank) if n != outputs)
        total = build("reshape", _total(build, weight, axes, dtype), newshape=(-1,))
        if not _is_zero(weight_zero):
            taps = 1
            for axis in axes:
                size = shape[axis]
                assert isinstance(size, int)
                taps *= size
            places = build("multiply", zeros, build.constant(taps, dtype))
            total = build("subtract", total, places)
        zero = _number_of(build, build.cast(data_zero, dtype))
        total = build.along(build("multiply", total, zero), channels, rank)
        result = build("subtract", result, total)
    if not _is_zero(weight_zero):
        ones = [1 if n == outputs else size for n, size in enumerate(tensor_spec(weight).shape)]
        import numpy as np

        window = build.constant(np.ones(ones, np.int8), "int8")  # pyright: ignore
        attributes |= {"channels": 1}
        total = build("nn.conv2d", data, window, **attributes)
        result = _less(build, result, _along(build, zeros, channels, rank), total)
    return result


def _is_of_bytes(
    conv: Convolution, data: SSAValue, weight: SSAValue, data_zero: SSAValue, weight_zero: SSAValue
) -> bool:
    """True if a convolution is written as one of bytes, and sums that zero points are added to."""
    spec = tensor_spec(weight)
    layouts = (conv.data_axes, conv.weight_axes, conv.result_axes)
    if not _are_bytes(data, weight) or any(layout.is_blocked for layout in layouts):
        return False
    if None in spec.shape or not all(isinstance(size, int) for size in spec.shape):
        return False
    if not _is_zero(weight_zero) and conv.groups > 1:
        return False
    if _is_zero(data_zero):
        return True
    data_spec = tensor_spec(data)
    if _has_multipliers(conv, data_spec, spec):
        return False
    zeros = _numbers(data_zero)
    low, high = _limits(data_spec.dtype)
    is_inside = zeros is not None and bool(((zeros >= low) & (zeros <= high)).all())
    return is_inside or not any(map(any, pads_of(conv.padding, conv.ndim)))


def _has_multipliers(conv: Convolution, data: TensorSpec, weight: TensorSpec) -> bool:
    """True if a weight has the multipliers of channels as its I."""
    outputs = conv.weight_axes.size(weight.shape, "O")
    return conv.is_depthwise(data, weight) and conv.result_channels(data, weight) != outputs


def _padded(build: Builder, conv: Convolution, data: SSAValue, zero_point: SSAValue) -> SSAValue:
    """The data, padded by the zero point as the convolution pads."""
    pads = pads_of(conv.padding, conv.ndim)
    if not any(map(any, pads)):
        return data
    letters = SPATIAL[conv.ndim]
    widths = [
        pads[letters.index(letter)] if letter in letters else (0, 0)
        for letter, _ in conv.data_axes.axes
    ]
    value = build.cast(_number_of(build, zero_point), tensor_spec(data).dtype)
    return build("nn.pad", data, value, pad_width=tuple(widths))


def _conv2d_transpose(op: OperatorOp, own: QnnConv2DTranspose, build: Builder) -> SSAValue:
    data, weight, data_zero, weight_zero, *_ = op.inputs
    conv = own.convolution()
    data = _centred(build, data, data_zero, 0, own.out_dtype)
    outputs = conv.weight_axes.position("O")
    weight = _centred(build, weight, weight_zero, outputs, own.out_dtype)
    return build("nn.conv2d_transpose", data, weight, **conv.attributes())


def _binary(op: OperatorOp, own: Any, build: Builder) -> SSAValue:
    lhs, rhs, lhs_scale, lhs_zero, rhs_scale, rhs_zero, scale, zero = op.inputs
    function = {"qnn.add": "add", "qnn.subtract": "subtract", "qnn.mul": "multiply"}[own.name]
    value = build(
        function,
        _dequantized(build, lhs, lhs_scale, lhs_zero, -1),
        _dequantized(build, rhs, rhs_scale, rhs_zero, -1),
    )
    return _quantized(build, value, scale, zero, -1, tensor_spec(lhs).dtype)


def _unary(op: OperatorOp, own: Any, build: Builder) -> SSAValue:
    x, scale, zero_point, output_scale, output_zero = op.inputs
    value = _dequantized(build, x, scale, zero_point, -1)
    function = own.name.removeprefix("qnn.")
    if function == "leaky_relu":
        value = build("nn.leaky_relu", value, alpha=own.alpha)
    else:
        value = build(f"nn.{function}" if function == "hardswish" else function, value)
    return _quantized(build, value, output_scale, output_zero, -1, tensor_spec(x).dtype)


def _concatenate(op: OperatorOp, own: Any, build: Builder) -> SSAValue:
    parts, scales, zeros = parts_of(op.inputs)
    dtype = tensor_spec(parts[0]).dtype
    moved = [
        _requantized(build, part, [scale, zero, scales[-1], zeros[-1]], -1, "UPWARD", dtype)
        for part, scale, zero in zip(parts, scales[:-1], zeros[:-1], strict=True)
    ]
    return build("concatenate", *moved, axis=own.axis)


FORMS: dict[str, Form] = {
    "qnn.quantize": _quantize,
    "qnn.dequantize": _dequantize,
    "qnn.requantize": _requantize,
    "qnn.dense": _dense,
    "qnn.batch_matmul": _batch_matmul,
    "qnn.conv2d": _conv2d,
    "qnn.conv2d_transpose": _conv2d_transpose,
    "qnn.leaky_relu": _unary,
    "qnn.concatenate": _concatenate,
    **dict.fromkeys(("qnn.add", "qnn.subtract", "qnn.mul"), _binary),
    **dict.fromkeys((f"qnn.{name}" for name in UNARY), _unary),
}
"""The name of an operator -> its form."""
