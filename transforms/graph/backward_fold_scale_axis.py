"""``backward-fold-scale-axis``: scale weights instead of results.

Before::

    %0 = graph.nn.conv2d(%x, %w) : ...
    %1 = graph.nn.relu(%0) : ...
    %2 = graph.multiply(%1, %s) : (tensor<1x8x5x5xf32>, tensor<8x1x1xf32>) -> ...

After, where the elements of ``%s`` are known to be greater than 0::

    %w2 = graph.multiply(%w, %wide) : ...          // of (O, I, H, W) and (O, 1, 1, 1)
    %0 = graph.nn.conv2d(%x, %w2) : ...
    %2 = graph.nn.relu(%0) : ...

Relay's pass of this name. A value times, or by, one number for each channel, or one for all, is the
result of convolutions and products whose weights are scaled instead. Between these may be sums with
what is scaled too, pools, padding with 0 and transposes; and ``relu``, ``leaky_relu``, ``prelu``
and pools of the largest element, if the factors are known to be greater than 0. Each of these
values must have one use. The rounding differs. Elements are float32, float64 or bfloat16.

A weight that is no constant is scaled whenever the graph runs; so it is only if it has no more
elements than the value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.dialects.graph.declaration import OperatorOp
from kc.transforms.graph._building import Builder
from kc.transforms.graph._rewriting import is_operator, rewrite, tensor_of
from kc.transforms.graph._scaling import (
    Scale,
    is_addend,
    is_before,
    is_known,
    is_worthwhile,
    linear,
    needs_positive,
    passed_axis,
    scale_addend,
    scale_weight,
    scales_of,
)


@dataclass(frozen=True)
class BackwardFoldScaleAxisPass(ModulePass):
    """Scale the weights of convolutions and products instead of their results."""

    name = "backward-fold-scale-axis"
    opt_level: ClassVar[int] = 3

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        rewrite(op, self.name, [ScaleProducers()])


class ScaleProducers(RewritePattern):
    """A value times factors is computed of scaled weights."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        for value, scale in scales_of(op):
            way = _Way(op, rewriter)
            changes = way.changes(value, scale)
            if changes is None:
                continue
            source = scale.factors.owner
            if isinstance(source, Operation) and source.parent is op.parent:
                _move_behind(source, way.visited, op)
            for change in changes:
                change()
            rewriter.replace(op, [], [value])
            return


def _move_behind(source: Operation, ops: list[OperatorOp], last: Operation) -> None:
    """Move operations before ``last``, in their order, if one of them stands before ``source``."""
    if all(is_before(source, op) for op in ops):
        return
    block = last.parent
    assert block is not None
    chosen = set(ops)
    for op in [each for each in block.ops if each in chosen]:
        op.detach()
        block.insert_op_before(op, last)


_Change = Callable[[], None]


class _Way:
    """The operators between a scaled value and the weights that are scaled instead."""

    def __init__(self, op: OperatorOp, rewriter: PatternRewriter) -> None:
        self.op = op
        self.rewriter = rewriter
        self.visited: list[OperatorOp] = []

    def changes(self, value: SSAValue, scale: Scale) -> list[_Change] | None:
        """The changes that make a value the scaled one; None if it cannot be made so."""
        op = value.owner
        if not isinstance(op, OperatorOp) or op.parent is not self.op.parent:
            return None
        if len(list(value.uses)) != 1 or is_known(value):
            return None
        start = len(self.visited)
        self.visited.append(op)
        changes = self._changes(op, scale)
        if changes is None:
            del self.visited[start:]
        return changes

    def _changes(self, op: OperatorOp, scale: Scale) -> list[_Change] | None:
        sums = linear(op)
        if sums is not None:
            weight = op.inputs[1]
            spec = tensor_of(weight)
            if scale.axis not in (None, sums.result_axis) or not is_worthwhile(weight, scale):
                return None
            if spec is None or spec.dtype != scale.dtype:
                return None
            return [lambda: self._scale_weight(op, scale)]
        if is_operator(op, "add", "subtract"):
            return self._both(op, scale)
        if is_operator(op, "nn.bias_add"):
            return self._bias(op, scale)
        if is_operator(op, "multiply", "divide"):
            return self._factor(op, scale)
        axis = passed_axis(op, scale.axis, from_result=True)
        if axis is None or (needs_positive(op) and not scale.is_positive):
            return None
        return self.changes(op.inputs[0], scale.along(*axis))

    def _both(self, op: OperatorOp, scale: Scale) -> list[_Change] | None:
        """Both operands of a sum are scaled; one of them at least by its weights."""
        spec = tensor_of(op.result)
        assert spec is not None
        changes: list[_Change] = []
        ways = 0
        for position, operand in enumerate(op.inputs):
            own = self.changes(operand, scale) if operand.type == op.result.type else None
            if own is not None:
                ways += 1
                changes += own
            elif is_addend(operand, scale, spec.rank):
                changes.append(lambda n=position: self._scale_addend(op, n, scale))
            else:
                return None
        return changes if ways else None

    def _bias(self, op: OperatorOp, scale: Scale) -> list[_Change] | None:
        spec = tensor_of(op.result)
        assert spec is not None
        axis = op.operator.attributes().get("axis", 1) % spec.rank
        changes = self.changes(op.inputs[0], scale)
        if changes is None or scale.axis not in (None, axis):
            return None
        own = scale if scale.axis is None else scale.along(0)
        return [*changes, lambda: self._scale_addend(op, 1, own)]

    def _factor(self, op: OperatorOp, scale: Scale) -> list[_Change] | None:
        """One factor of a product is scaled, or what is divided."""
        for operand in op.inputs[: 2 if is_operator(op, "multiply") else 1]:
            if operand.type == op.result.type:
                changes = self.changes(operand, scale)
                if changes is not None:
                    return changes
        return None

    def _scale_weight(self, op: OperatorOp, scale: Scale) -> None:
        sums = linear(op)
        assert sums is not None
        build = Builder(op, self.rewriter)
        scaled = scale_weight(op.inputs[1], scale, scale.operator, sums.outputs, build)
        self._set(op, 1, scaled)

    def _scale_addend(self, op: OperatorOp, position: int, scale: Scale) -> None:
        operand = op.inputs[position]
        spec = tensor_of(operand if is_operator(op, "nn.bias_add") else op.result)
        assert spec is not None
        build = Builder(op, self.rewriter)
        self._set(op, position, scale_addend(operand, scale, scale.operator, spec.rank, build))

    def _set(self, op: OperatorOp, position: int, value: SSAValue) -> None:
        op.operands[position] = value
        self.rewriter.handle_operation_modification(op)
