"""``fold-explicit-padding``: write padding before a convolution or a pool as its attribute.

Before::

    %zero = graph.constant dense<0.0> : tensor<f32>
    %0 = graph.nn.pad(%x, %zero) <pad_width = [[0, 0], [0, 0], [1, 1], [0, 2]]> : ...
    %1 = graph.nn.conv2d(%0, %w) <padding = [1, 0, 1, 0]> : ...

After::

    %1 = graph.nn.conv2d(%x, %w) <padding = [2, 0, 2, 2]> : ...

Relay's pass of this name. Spatial axes alone are padded, with the value that the operator pads
with: 0 for convolutions, the zero point for ``qnn.conv2d``, the smallest number for pools of the
largest element (-inf, or the smallest finite number if each window has an element of the data), 0
for a mean that counts its padding or has none. Pools that round their size up stay.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.dialects.graph.declaration import OperatorOp, RelationError, call
from kc.dialects.graph.operators._layouts import Layout, pads_of, spread
from kc.dialects.graph.operators.convolution import SPATIAL, Convolution
from kc.dialects.graph.operators.padding import Pad
from kc.dialects.graph.operators.pooling import MeanWindows, Windows
from kc.dialects.graph.operators.qnn import QnnConv2D
from kc.dialects.graph.types import TensorSpec
from kc.dialects.graph.values import ConstantOp, numpy_dtype
from kc.transforms.graph._rewriting import rewrite, tensor_of


@dataclass(frozen=True)
class FoldExplicitPaddingPass(ModulePass):
    """Fold padding before a convolution or a pool into the operator's attribute."""

    name = "fold-explicit-padding"
    opt_level: ClassVar[int] = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        rewrite(op, self.name, [PaddingIsAttribute()])


class PaddingIsAttribute(RewritePattern):
    """A convolution or a pool of ``nn.pad`` pads by itself."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        source = op.inputs[0].owner if op.inputs else None
        if not isinstance(source, OperatorOp) or source.OPERATOR is not Pad:
            return
        pad, spec = source.operator, tensor_of(source.result)
        assert isinstance(pad, Pad)
        if spec is None or pad.pad_mode != "constant" or min(map(min, pad.pad_width)) < 0:
            return
        attributes = _padded(op, pad, spec, _pad_value(source))
        if attributes is None:
            return
        operands = [source.inputs[0], *op.inputs[1:]]
        try:
            new = call(op.OPERATOR.name, *operands, **attributes)
        except RelationError:
            return
        if new.result.type == op.result.type:
            rewriter.replace(op, new)


def _padded(op: OperatorOp, pad: Pad, spec: TensorSpec, value: Any) -> dict[str, Any] | None:
    """The attributes of the operator that pads by itself; None if there is none."""
    operator = op.operator
    attributes = operator.attributes()
    own: Convolution | Windows
    match operator:
        case QnnConv2D():
            own = operator.convolution()
            layout = own.data_axes
            if value is None or value != _number(op.inputs[2]):
                return None
        case Convolution() if not operator.is_transposed:
            own, layout = operator, operator.data_axes
            if value != 0:
                return None
        case Windows() if not operator.ceil_mode:
            own, layout = operator, operator.axes_of(operator.layout, "layout")
        case _:
            return None
    if layout.is_blocked:
        return None
    added = _spatial(pad, layout, own.ndim)
    if added is None:
        return None
    pads = pads_of(own.padding, own.ndim)
    if isinstance(operator, MeanWindows):
        if value != 0 or (any(map(any, pads)) and not operator.count_include_pad):
            return None
        attributes["count_include_pad"] = True
    elif isinstance(operator, Windows) and not _is_least(operator, value, spec.dtype, added, pads):
        return None
    heads = [pads[n][0] + added[n][0] for n in range(own.ndim)]
    tails = [pads[n][1] + added[n][1] for n in range(own.ndim)]
    attributes["padding"] = (*heads, *tails)
    return attributes


def _spatial(pad: Pad, layout: Layout, ndim: int) -> list[tuple[int, int]] | None:
    """The elements before and after each spatial axis; None if another axis is padded."""
    if any(any(pad.pad_width[layout.position(letter)]) for letter in "NC"):
        return None
    widths = [pad.pad_width[layout.position(letter)] for letter in SPATIAL[ndim]]
    return [(head, tail) for head, tail in widths]


def _is_least(
    pool: Windows,
    value: Any,
    dtype: str,
    added: list[tuple[int, int]],
    pads: tuple[tuple[int, int], ...],
) -> bool:
    """True if a value is never the largest of a window with an element of the data."""
    if value is None:
        return False
    if value == -math.inf:
        return True
    if dtype.startswith(("int", "uint")):
        import numpy as np

        return value == np.iinfo(numpy_dtype(dtype)).min
    taps = spread(pool.pool_size, pool.ndim, "pool_size")
    is_inside = max(spread(pool.dilation, pool.ndim, "dilation")) == 1 and all(
        max(head + own[0], tail + own[1]) < size
        for (head, tail), own, size in zip(added, pads, taps, strict=True)
    )
    return is_inside and value == _least_finite(dtype)


def _least_finite(dtype: str) -> float:
    import numpy as np

    if dtype == "bfloat16":
        return -float.fromhex("0x1.fep127")
    return float(np.finfo(numpy_dtype(dtype)).min)


def _pad_value(source: OperatorOp) -> Any:
    """The number that is added around the data; None if it is not known."""
    return 0 if len(source.inputs) == 1 else _number(source.inputs[1])


def _number(value: SSAValue) -> Any:
    op = value.owner
    if not isinstance(op, ConstantOp) or op.is_elided or op.array.size != 1:
        return None
    return op.array.astype("float64").item()
