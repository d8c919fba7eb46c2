"""``forward-fold-scale-axis``: scale weights instead of data.

Before::

    %0 = graph.multiply(%x, %s) : (tensor<1x4x5x5xf32>, tensor<4x1x1xf32>) -> ...
    %1 = graph.nn.relu(%0) : ...
    %2 = graph.nn.conv2d(%1, %w) : ...

After, where the elements of ``%s`` are known to be greater than 0::

    %1 = graph.nn.relu(%x) : ...
    %w2 = graph.multiply(%w, %wide) : ...          // of (O, I, H, W) and (I, 1, 1)
    %2 = graph.nn.conv2d(%1, %w2) : ...

Relay's pass of this name. All uses of the product must lead to convolutions and products of
matrices, through the operators that ``backward-fold-scale-axis`` lists. What is added between is
divided by the factors, which therefore must be known, and none of them 0. That pass says which
elements and which weights are meant, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.dialects.graph.declaration import OperatorOp
from kc.transforms.graph._building import Builder
from kc.transforms.graph._rewriting import is_operator, rewrite, tensor_of
from kc.transforms.graph._scaling import (
    Scale,
    is_addend,
    is_worthwhile,
    linear,
    needs_positive,
    passed_axis,
    scale_addend,
    scale_weight,
    scales_of,
)


@dataclass(frozen=True)
class ForwardFoldScaleAxisPass(ModulePass):
    """Scale the weights of convolutions and products instead of their data."""

    name = "forward-fold-scale-axis"
    opt_level: ClassVar[int] = 3

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        rewrite(op, self.name, [ScaleConsumers()])


_Change = Callable[[], None]


class ScaleConsumers(RewritePattern):
    """The consumers of a value times factors have scaled weights."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        for value, scale in scales_of(op):
            changes = _changes(op, op.result, scale, rewriter)
            if changes:
                for change in changes:
                    change()
                rewriter.replace(op, [], [value])
                return


def _changes(
    op: OperatorOp, value: SSAValue, scale: Scale, rewriter: PatternRewriter
) -> list[_Change] | None:
    """The changes by which all uses take a value that is not scaled; None if one cannot."""
    changes: list[_Change] = []
    for use in value.uses:
        user = use.operation
        own: list[_Change] | None = None
        if isinstance(user, OperatorOp) and user.parent is op.parent:
            own = _changes_of(op, user, use, scale, rewriter)
        if own is None:
            return None
        changes += own
    return changes or None


def _changes_of(
    op: OperatorOp, user: OperatorOp, use: Use, scale: Scale, rewriter: PatternRewriter
) -> list[_Change] | None:
    def scaled(operator: str, position: int, rank: int, own: Scale) -> None:
        addend = scale_addend(user.inputs[position], own, operator, rank, Builder(user, rewriter))
        _set(user, position, addend, rewriter)

    def scale_own_weight() -> None:
        sums = linear(user)
        assert sums is not None
        build = Builder(user, rewriter)
        weight = scale_weight(user.inputs[1], scale, scale.operator, sums.summed, build)
        _set(user, 1, weight, rewriter)

    own = user.inputs[use.index]
    partner = user.inputs[1 - use.index] if len(user.inputs) == 2 else None
    result = tensor_of(user.result)
    if result is None:
        return None
    sums = linear(user)
    if sums is not None:
        weight = tensor_of(user.inputs[1])
        if use.index or scale.axis not in (None, sums.data_axis) or weight is None:
            return None
        if weight.dtype != scale.dtype or not is_worthwhile(user.inputs[1], scale):
            return None
        return [scale_own_weight]
    if is_operator(user, "multiply", "divide", "nn.bias_add", "add", "subtract"):
        if partner is None or partner is own or own.type != user.result.type:
            return None
        change: _Change | None = None
        if is_operator(user, "add", "subtract"):
            if not scale.has_no_zero or not is_addend(partner, scale, result.rank):
                return None
            change = partial(scaled, scale.inverse, 1 - use.index, result.rank, scale)
        elif is_operator(user, "nn.bias_add"):
            axis = user.operator.attributes().get("axis", 1) % result.rank
            if use.index or scale.axis not in (None, axis) or not scale.has_no_zero:
                return None
            along = scale if scale.axis is None else scale.along(0)
            change = partial(scaled, scale.inverse, 1, 1, along)
        elif use.index and is_operator(user, "divide"):
            return None
        rest = _changes(op, user.result, scale, rewriter)
        return rest if rest is None or change is None else [*rest, change]
    axis = passed_axis(user, scale.axis, from_result=False)
    if axis is None or use.index or (needs_positive(user) and not scale.is_positive):
        return None
    return _changes(op, user.result, scale.along(*axis), rewriter)


def _set(op: OperatorOp, position: int, value: SSAValue, rewriter: PatternRewriter) -> None:
    op.operands[position] = value
    rewriter.handle_operation_modification(op)
