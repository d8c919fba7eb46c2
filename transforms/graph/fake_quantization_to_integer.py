"""``fake-quantization-to-integer``: compute in integers what stands between quantized values.

Before::

    %0 = graph.qnn.dequantize(%x, %sx, %zx) : ...
    %1 = graph.qnn.dequantize(%w, %sw, %zw) : ...
    %2 = graph.nn.dense(%0, %1) : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
    %3 = graph.qnn.quantize(%2, %s, %z) : ...

After::

    %2 = graph.qnn.dense(%x, %w, %zx, %zw, %sx, %sw) : ... -> tensor<4x5xsi32>
    %4 = graph.multiply(%sx, %sw) : ...
    %3 = graph.qnn.requantize(%2, %4, %zero, %s, %z) : ...

Relay's pass of this name, for models that are trained or exported with simulated quantization. Each
value between has a scale and a zero point, which products multiply, reshapes and maxima keep, and
sums and concatenations of tensors take from the quantization behind. Biases and bounds that are
constants become integers. Results differ from those of floats by the rounding, at most some steps
of the result's scale; sums saturate where they are quantized.

A quantization stays if an operator before it is none of these, if a value between has another use,
or if its scale is one for each channel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.dialects.graph.declaration import OperatorOp, RelationError, call
from kc.dialects.graph.operators.convolution import Conv2D
from kc.dialects.graph.values import ConstantOp, numpy_dtype
from kc.transforms.graph._rewriting import is_operator, rewrite, tensor_of
from kc.transforms.graph._scaling import is_known

BYTES = ("int8", "uint8")


@dataclass(frozen=True)
class FakeQuantizationToIntegerPass(ModulePass):
    """Compute what stands between dequantize and quantize in integers."""

    name = "fake-quantization-to-integer"
    opt_level: ClassVar[int] = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        rewrite(op, self.name, [InIntegers()])


@dataclass(frozen=True)
class Affine:
    """Integers, and what they stand for: ``(value - zero) * scale``."""

    value: SSAValue
    scale: SSAValue
    zero: SSAValue
    axis: int

    @property
    def dtype(self) -> str:
        """The type of the integers."""
        spec = tensor_of(self.value)
        assert spec is not None
        return spec.dtype

    @property
    def is_of_tensor(self) -> bool:
        """True if there is one scale, and one zero point."""
        return all(map(_is_single, (self.scale, self.zero)))


def _is_single(value: SSAValue) -> bool:
    spec = tensor_of(value)
    return spec is not None and (not spec.rank or spec.shape[0] == 1)


def _numbers(value: SSAValue) -> Any:
    """The elements of a constant; None for another value."""
    op = value.owner
    return op.array if isinstance(op, ConstantOp) and not op.is_elided else None


class InIntegers(RewritePattern):
    """``qnn.quantize`` of what is computed of ``qnn.dequantize`` is computed in integers."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        if not is_operator(op, "qnn.quantize") or any(
            tensor_of(each) is None for each in op.inputs
        ):
            return
        data, scale, zero = op.inputs
        dtype = op.operator.attributes().get("out_dtype", "int8")
        if not _is_single(scale) or not _is_single(zero):
            return
        region = _Region(scale, zero, dtype)
        try:
            own = region.affine(data)
            if own is None:
                return
            value = region.requantized(own)
        except RelationError:
            return
        if value.type != op.result.type:
            return
        for each in region.new:
            each.location = op.location
            rewriter.insert(each)
        rewriter.replace(op, [], [value])


class _Region:
    """The operations that compute a quantized value in integers; they are in no block yet."""

    def __init__(self, scale: SSAValue, zero: SSAValue, dtype: str) -> None:
        self.scale = scale
        self.zero = zero
        self.dtype = dtype
        self.new: list[Operation] = []

    def put(self, name: str, *operands: SSAValue, **attributes: Any) -> SSAValue:
        """The result of a new operator. Raises RelationError."""
        self.new.append(call(name, *operands, **attributes))
        return self.new[-1].results[0]

    def constant(self, value: Any, dtype: str) -> SSAValue:
        """A new constant without dimensions."""
        import numpy as np

        self.new.append(ConstantOp.of(np.asarray(value).astype(numpy_dtype(dtype)), dtype))
        return self.new[-1].results[0]

    def number(self, value: SSAValue) -> SSAValue:
        """A value of one element, without dimensions."""
        spec = tensor_of(value)
        assert spec is not None
        return self.put("reshape", value, newshape=()) if spec.rank else value

    def cast(self, value: SSAValue, dtype: str) -> SSAValue:
        """A value with elements of a type."""
        spec = tensor_of(value)
        assert spec is not None
        return value if spec.dtype == dtype else self.put("cast", value, dtype=dtype)

    def requantized(self, own: Affine) -> SSAValue:
        """Integers as the quantization behind has them."""
        is_same = own.scale is self.scale and own.zero is self.zero and own.dtype == self.dtype
        if is_same:
            return own.value
        return self.put(
            "qnn.requantize", own.value, own.scale, own.zero, self.scale, self.zero,
            axis=own.axis, out_dtype=self.dtype,
        )  # fmt: skip

    def affine(self, value: SSAValue) -> Affine | None:
        """A value in integers; None if it cannot be computed so."""
        op = value.owner
        if not isinstance(op, OperatorOp):
            return None
        if is_operator(op, "qnn.dequantize"):
            data, scale, zero = op.inputs
            return Affine(data, scale, zero, op.operator.attributes().get("axis", -1))
        rule = RULES.get(op.OPERATOR.name)
        if rule is None or len(list(value.uses)) != 1 or tensor_of(value) is None:
            return None
        return rule(self, op)

    def of_tensor(self, value: SSAValue) -> Affine | None:
        """A value in integers with one scale."""
        own = self.affine(value)
        return own if own is not None and own.is_of_tensor else None

    def of_bytes(self, value: SSAValue) -> Affine | None:
        """A value in integers of 8 bits with one scale; wider ones are quantized as the result."""
        own = self.affine(value)
        if own is None or (own.dtype in BYTES and own.is_of_tensor):
            return own
        if self.dtype not in BYTES:
            return None
        return Affine(self.requantized(own), self.scale, self.zero, -1)


Rule = Callable[[_Region, OperatorOp], "Affine | None"]


def _kept(region: _Region, op: OperatorOp) -> Affine | None:
    """The operator moves or selects elements."""
    own = region.of_tensor(op.inputs[0])
    if own is None:
        return None
    value = region.put(op.OPERATOR.name, own.value, *op.inputs[1:], **op.operator.attributes())
    return Affine(value, own.scale, own.zero, -1)


def _zero_in(own: Affine) -> int | None:
    """The zero point, if it is a constant that is an element too."""
    import numpy as np

    zeros, limits = _numbers(own.zero), np.iinfo(numpy_dtype(own.dtype))
    if zeros is None or not limits.min <= int(zeros.reshape(())) <= limits.max:
        return None
    return int(zeros.reshape(()))


def _pad(region: _Region, op: OperatorOp) -> Affine | None:
    own = region.of_tensor(op.inputs[0])
    if own is None:
        return None
    attributes = op.operator.attributes()
    if attributes.get("pad_mode", "constant") != "constant":
        return Affine(region.put("nn.pad", own.value, **attributes), own.scale, own.zero, -1)
    padding = _numbers(op.inputs[1]) if len(op.inputs) == 2 else None
    if len(op.inputs) == 2 and (padding is None or padding.any()):
        return None
    zero = _zero_in(own)
    if zero is None:
        return None
    value = region.put("nn.pad", own.value, region.constant(zero, own.dtype), **attributes)
    return Affine(value, own.scale, own.zero, -1)


def _relu(region: _Region, op: OperatorOp) -> Affine | None:
    own = region.affine(op.inputs[0])
    if own is None or not _is_single(own.zero):
        return None
    zero = _zero_in(own)
    if zero is None:
        return None
    value = region.put("maximum", own.value, region.constant(zero, own.dtype))
    return Affine(value, own.scale, own.zero, own.axis)


def _clip(region: _Region, op: OperatorOp) -> Affine | None:
    import numpy as np

    own = region.of_tensor(op.inputs[0])
    if own is None:
        return None
    scale, zero = _numbers(own.scale), _zero_in(own)
    if scale is None or zero is None or not scale.reshape(()) > 0:
        return None
    attributes = op.operator.attributes()
    limits = np.iinfo(numpy_dtype(own.dtype))
    bounds = {
        key: float(np.clip(np.rint(attributes[key] / float(scale.reshape(()))) + zero,
                           limits.min, limits.max))
        for key in ("a_min", "a_max")
    }  # fmt: skip
    return Affine(region.put("clip", own.value, **bounds), own.scale, own.zero, -1)


def _mean(region: _Region, op: OperatorOp) -> Affine | None:
    """The mean of integers less the zero point, of 32 bits."""
    own = region.of_tensor(op.inputs[0])
    if own is None:
        return None
    number = region.number(own.zero)
    value = region.put("subtract", region.cast(own.value, "int32"), number)
    value = region.put(op.OPERATOR.name, value, **op.operator.attributes())
    return Affine(value, own.scale, region.constant(0, "int32"), -1)


def _product(region: _Region, op: OperatorOp) -> Affine | None:
    left, right = (region.affine(operand) for operand in op.inputs)
    spec, weight = tensor_of(op.result), tensor_of(op.inputs[1])
    if left is None or right is None or spec is None or weight is None:
        return None
    if left.dtype not in BYTES or right.dtype not in BYTES or not left.is_of_tensor:
        return None
    operator = op.operator
    attributes = {**operator.attributes(), "out_dtype": "int32"}
    axis, outputs = spec.rank - 1, 0
    if isinstance(operator, Conv2D):
        if operator.data_axes.is_blocked or operator.weight_axes.is_blocked:
            return None
        axis, outputs = operator.result_axes.position("C"), operator.weight_axes.position("O")
        result = operator.result_axes.size(spec.shape, "C")
        if not right.is_of_tensor and weight.shape[outputs] != result:
            return None
    if not right.is_of_tensor and right.axis % weight.rank != outputs:
        return None
    if is_operator(op, "nn.batch_matmul"):
        if not right.is_of_tensor or attributes.keys() - {"out_dtype"}:
            return None
        zeros_first = (left.zero, right.zero, left.scale, right.scale)
        value = region.put("qnn.batch_matmul", left.value, right.value, *zeros_first, **attributes)
    else:
        value = region.put(
            f"qnn.{op.OPERATOR.name.removeprefix('nn.')}", left.value, right.value,
            left.zero, right.zero, left.scale, right.scale, **attributes,
        )  # fmt: skip
    scale = region.put("multiply", region.number(left.scale), right.scale)
    return Affine(value, scale, region.constant(0, "int32"), axis)


def _bias(region: _Region, op: OperatorOp) -> Affine | None:
    """A constant that is added to the sums of a product, as integers of their scale."""
    spec = tensor_of(op.result)
    assert spec is not None
    own, bias = region.affine(op.inputs[0]), op.inputs[1]
    bias_spec = tensor_of(bias)
    if own is None or own.dtype != "int32" or bias_spec is None or not is_known(bias):
        return None
    zeros = _numbers(own.zero)
    if zeros is None or zeros.any():
        return None
    scale = own.scale
    if is_operator(op, "nn.bias_add"):
        along = op.operator.attributes().get("axis", 1) % spec.rank
        if not _is_single(scale) and along != own.axis % spec.rank:
            return None
    elif _is_single(scale):
        scale = region.number(scale)
    else:
        behind = spec.rank - 1 - own.axis % spec.rank
        if behind:
            scale = region.put("expand_dims", scale, axis=1, num_newaxis=behind)
        places = [spec.rank - bias_spec.rank + n for n, s in enumerate(bias_spec.shape) if s != 1]
        if places not in ([], [own.axis % spec.rank]):
            return None
    integers = region.cast(region.put("round", region.put("divide", bias, scale)), "int32")
    value = region.put(op.OPERATOR.name, own.value, integers, **op.operator.attributes())
    return Affine(value, own.scale, own.zero, own.axis)


def _binary(region: _Region, op: OperatorOp) -> Affine | None:
    """The function of two tensors that the quantization behind gives the scale."""
    if is_operator(op, "add") and is_known(op.inputs[1]):
        return _bias(region, op)
    left, right = (region.of_bytes(operand) for operand in op.inputs)
    if left is None or right is None or left.dtype != right.dtype or left.dtype != region.dtype:
        return None
    name = {"add": "qnn.add", "subtract": "qnn.subtract", "multiply": "qnn.mul"}[op.OPERATOR.name]
    value = region.put(
        name, left.value, right.value, left.scale, left.zero, right.scale, right.zero,
        region.scale, region.zero,
    )  # fmt: skip
    return Affine(value, region.scale, region.zero, -1)


def _concatenate(region: _Region, op: OperatorOp) -> Affine | None:
    parts = [region.of_bytes(operand) for operand in op.inputs]
    own = [part for part in parts if part is not None and part.dtype == region.dtype]
    if len(own) != len(parts):
        return None
    value = region.put(
        "qnn.concatenate",
        *(part.value for part in own), *(part.scale for part in own), *(part.zero for part in own),
        region.scale, region.zero, **op.operator.attributes(),
    )  # fmt: skip
    return Affine(value, region.scale, region.zero, -1)


_KEPT = """
    reshape squeeze expand_dims transpose strided_slice repeat tile broadcast_to reverse copy
    nn.batch_flatten nn.depth_to_space nn.space_to_depth nn.max_pool1d nn.max_pool2d nn.max_pool3d
    nn.global_max_pool2d nn.adaptive_max_pool2d layout_transform take max min"""
_MEANS = "nn.avg_pool1d nn.avg_pool2d nn.avg_pool3d nn.global_avg_pool2d nn.adaptive_avg_pool2d"
RULES: dict[str, Rule] = {
    **dict.fromkeys(_KEPT.split(), _kept),
    **dict.fromkeys(_MEANS.split(), _mean),
    **dict.fromkeys(("nn.conv2d", "nn.dense", "nn.batch_matmul"), _product),
    **dict.fromkeys(("add", "subtract", "multiply"), _binary),
    "nn.bias_add": _bias,
    "nn.pad": _pad,
    "nn.relu": _relu,
    "clip": _clip,
    "concatenate": _concatenate,
}
"""The name of an operator -> how it is computed in integers."""
