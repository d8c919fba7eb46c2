"""The vector dialect. Its ops are in the neighbouring files, grouped by their effect on lanes."""

from __future__ import annotations

from xdsl.dialects import vector
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_to_llvm import (
    prints,
    vector_reductions,
    vector_shapes,
    vector_transfers,
)
from kc.conversion.convert_to_llvm.function import LlvmPattern
from kc.conversion.convert_to_llvm.types import convert_type
from kc.dialects import llvm


class LowerFma(LlvmPattern):
    """A multiplication and an addition, rounded once.

    ::

        %d = vector.fma %a, %b, %c    ->    %d = llvm.intr.fma(%a, %b, %c)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.FMAOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        s.replace_by(op, llvm.FMAOp, [s.value(operand) for operand in op.operands])


class LowerBitcast(LlvmPattern):
    """The same bits as lanes of another type.

    ::

        %b = vector.bitcast %a : vector<4xf32> to vector<4xi32>    ->    %b = llvm.bitcast %a
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.BitcastOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        value, (result,) = s.value(op.operands[0]), op.results
        if value.type == convert_type(result.type):
            s.define(result, value)
        else:
            s.replace_by(op, llvm.BitcastOp, [value])


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerFma,
    LowerBitcast,
    *vector_shapes.PATTERNS,
    *vector_reductions.PATTERNS,
    *vector_transfers.PATTERNS,
    *prints.PATTERNS,
)
