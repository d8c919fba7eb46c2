"""``flatten-atrous-conv``: write a convolution between blocks of space as a dilated one.

Before::

    %0 = graph.nn.space_to_batch_nd(%x) <block_shape = [2, 2], paddings = [[2, 3], [2, 3]]> : ...
    %1 = graph.nn.conv2d(%0, %w) <data_layout = "NHWC", kernel_layout = "HWIO"> : ...
    %2 = graph.nn.batch_to_space_nd(%1) <block_shape = [2, 2], crops = [[0, 1], [0, 1]]> : ...

After::

    %2 = graph.nn.conv2d(%x, %w) <padding = [2, 2, 2, 2], dilation = [2, 2], ...> : ...

Relay's pass of this name: TensorFlow writes dilated convolutions so. The convolution has strides
of 1. The blocks before and behind it are the same, of spatial axes alone, and what is added around
the data is 0. The dilation is that of the convolution times the blocks; its padding is what the
crops leave of the paddings, and of its own padding times the blocks. A convolution from which more
is cropped than was added stays, and so does one whose value has another use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.dialects.graph.declaration import OperatorOp, RelationError, call
from kc.dialects.graph.operators._layouts import pads_of, spread
from kc.dialects.graph.operators.convolution import SPATIAL, Convolution
from kc.dialects.graph.operators.space import BatchToSpaceNd, SpaceToBatchNd
from kc.transforms.graph._rewriting import rewrite


@dataclass(frozen=True)
class FlattenAtrousConvPass(ModulePass):
    """Replace a convolution between space_to_batch_nd and its inverse by a dilated one."""

    name = "flatten-atrous-conv"
    opt_level: ClassVar[int] = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        rewrite(op, self.name, [BlocksAreDilation()])


class BlocksAreDilation(RewritePattern):
    """``batch_to_space_nd`` of a convolution of ``space_to_batch_nd`` is a dilated convolution."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        behind = op.operator if op.OPERATOR is BatchToSpaceNd else None
        middle = op.inputs[0].owner if behind is not None else None
        if not isinstance(middle, OperatorOp) or not issubclass(middle.OPERATOR, Convolution):
            return
        source = middle.inputs[0].owner
        if not isinstance(source, OperatorOp) or source.OPERATOR is not SpaceToBatchNd:
            return
        before, conv = source.operator, middle.operator
        assert isinstance(behind, BatchToSpaceNd)
        assert isinstance(before, SpaceToBatchNd)
        assert isinstance(conv, Convolution)
        if len(list(middle.result.uses)) != 1 or conv.is_transposed:
            return
        attributes = _dilated(before, conv, behind)
        if attributes is None:
            return
        try:
            new = call(conv.name, source.inputs[0], middle.inputs[1], **attributes)
        except RelationError:
            return
        if new.result.type == op.result.type:
            rewriter.replace(op, new)


def _dilated(
    before: SpaceToBatchNd, conv: Convolution, behind: BatchToSpaceNd
) -> dict[str, Any] | None:
    """The attributes of the dilated convolution; None if there is none."""
    layout = conv.data_axes
    letters = SPATIAL[conv.ndim]
    if layout.is_blocked or conv.result_axes.text != layout.text or layout.position("N"):
        return None
    if max(spread(conv.strides, conv.ndim, "strides")) > 1:
        return None
    if before.block_shape != behind.block_shape:
        return None
    if before.pad_value != 0 and any(map(any, before.paddings)):
        return None
    blocks = dict.fromkeys(range(1, len(layout.axes)), 1)
    blocks |= dict(enumerate(before.block_shape, 1))
    added = dict(enumerate(before.paddings, 1))
    cropped = dict(enumerate(behind.crops, 1))
    channels = layout.position("C")
    if blocks[channels] != 1 or any(added.get(channels, ())) or any(cropped.get(channels, ())):
        return None
    pads = pads_of(conv.padding, conv.ndim)
    dilation = spread(conv.dilation, conv.ndim, "dilation")
    heads: list[int] = []
    tails: list[int] = []
    factors: list[int] = []
    for n, letter in enumerate(letters):
        axis = layout.position(letter)
        block = blocks[axis]
        factors.append(block * dilation[n])
        for side, into in enumerate((heads, tails)):
            pad = pads[n][side] * block + added.get(axis, (0, 0))[side]
            into.append(pad - cropped.get(axis, (0, 0))[side])
    if min(heads + tails) < 0:
        return None
    return {**conv.attributes(), "padding": (*heads, *tails), "dilation": tuple(factors)}
