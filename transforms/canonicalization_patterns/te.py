"""Canonicalization of ``te``."""

from __future__ import annotations

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.analysis.affine.index_values import IndexValues
from kc.dialects.te import ComputeOp, ConditionOp, ReadOp
from kc.transforms.canonicalization_patterns._affine import simpler_map, simpler_set


class ComposeRead(RewritePattern):
    """Compose the indices of a read with the expressions of their operands.

    ::

        %j = arith.addi %i, %c1
        %v = te.read %A[%j * 2]    ->    %v = te.read %A[%i * 2 + 2]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReadOp, rewriter: PatternRewriter, /) -> None:
        if (simpler := simpler_map(op.indices.data, op.operands_of_map, _axes(op))) is not None:
            space, values = simpler
            op.operands = [op.tensor, *values]
            op.properties["indices"] = AffineMapAttr(space)
            rewriter.notify_op_modified(op)


class SimplifyCondition(RewritePattern):
    """Compose a condition on terms with the expressions of its operands.

    ::

        %j = arith.addi %i, %c1
        te.condition (%j < 9)    ->    te.condition (%i < 8)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConditionOp, rewriter: PatternRewriter, /) -> None:
        simpler = simpler_set(op.condition.data, op.operands_of_set, _axes(op))
        if simpler is None or isinstance(simpler, bool):
            return
        condition, values = simpler
        simplified = ConditionOp(condition, values, op.value)
        simplified.attributes.update(op.attributes)
        rewriter.replace(op, simplified)


class TakeAllTerms(RewritePattern):
    """Remove a condition on terms that always holds.

    ::

        te.compute "C" [%i = 8] reduce sum [%k = 4]
            where { te.condition (%k >= 0) } do { ... }    ->    ... reduce sum [%k = 4] { ... }
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ComputeOp, rewriter: PatternRewriter, /) -> None:
        if not op.has_where:
            return
        condition = op.where.block.last_op
        if not isinstance(condition, ConditionOp) or condition.value is not None:
            return
        operands = condition.operands_of_set
        if simpler_set(condition.condition.data, operands, _axes(condition)) is True:
            op.where.detach_block(op.where.block)
            rewriter.notify_op_modified(op)


def _axes(op: Operation) -> IndexValues:
    """The known ranges of the axes of the ``te.compute`` that contains ``op``."""
    index = IndexValues()
    compute = op.parent_op()
    if isinstance(compute, ComputeOp) and op.parent is not None:
        for axis, extent in zip(op.parent.args, compute.extents, strict=False):
            last = extent - 1 if isinstance(extent, int) and extent > 0 else None
            index.dimension(axis, (0, last))
    return index


PATTERNS: tuple[RewritePattern, ...] = (ComposeRead(), SimplifyCondition(), TakeAllTerms())
"""The patterns, in the order in which they are tried."""
