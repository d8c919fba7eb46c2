"""The gradients of convolutions."""

from __future__ import annotations

from typing import Any

from xdsl.ir import SSAValue

from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.operators._layouts import pads_of, spread
from kc.graph.gradients import Emitter, Gradients, gradient, spec
from kc.graph.gradients.differentiation import vjp_of


@gradient("nn.conv2d")
def conv2d(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """A transposed convolution of the head for the data; ``vjp`` for the weight.

    The layouts are NCHW and OIHW. Rows and columns at the end that no window reaches are
    ``output_padding``.
    """
    operator: Any = op.operator
    data, weight = op.inputs
    own, kernel, result = spec(data), spec(weight), spec(head)
    layouts = (operator.data_layout, operator.kernel_layout, operator.out_layout or "NCHW")
    is_plain = layouts == ("NCHW", "OIHW", "NCHW") and own.dtype == result.dtype == kernel.dtype
    if not is_plain or not (own.is_static and kernel.is_static):
        return NotImplemented
    strides = spread(operator.strides, 2, "strides")
    dilation = spread(operator.dilation, 2, "dilation")
    rest: list[int] = []
    for axis, (stride, dilated, pads) in enumerate(
        zip(strides, dilation, pads_of(operator.padding, 2), strict=True), start=2
    ):
        size, taps, count = own.shape[axis], kernel.shape[axis], result.shape[axis]
        assert isinstance(size, int) and isinstance(taps, int) and isinstance(count, int)  # noqa: PT018
        rest.append(size - ((count - 1) * stride + (taps - 1) * dilated + 1 - sum(pads)))
    if any(not 0 <= each < stride for each, stride in zip(rest, strides, strict=True)):
        return NotImplemented
    back = at(
        "nn.conv2d_transpose",
        head,
        weight,
        strides=strides,
        padding=operator.padding,
        dilation=dilation,
        groups=operator.groups,
        output_padding=tuple(rest),
    )
    (of_weight,) = vjp_of(at, op, [head], [1])
    return [back, of_weight]
