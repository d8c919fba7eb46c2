"""Calls of functions."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion._foreign_calls import declare_callee
from kc.conversion.convert_tir_to_scf.function import TirToScf
from kc.conversion.driver import ConversionPattern
from kc.dialects import tir


class ConvertCall(ConversionPattern[TirToScf]):
    """A call of a function; what it does with its buffers no longer matters.

    ::

        tir.call @gemm(read %a, update %c)    ->    func.call @gemm(%a, %c)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.CallOp, rewriter: PatternRewriter, /) -> None:
        arguments = [self.conversion.value(argument) for argument in op.arguments]
        rewriter.replace(op, func.CallOp(op.callee, arguments, []))


class ConvertCallExtern(ConversionPattern[TirToScf]):
    """A C or Python function is declared, with a name that says how it is called.

    ::

        %v = tir.call_extern "f" (%x)    ->    %v = func.call @f(%x)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.CallExternOp, rewriter: PatternRewriter, /) -> None:
        conversion = self.conversion
        arguments = [conversion.value(argument) for argument in op.arguments]
        symbol = declare_callee(conversion.function, op, conversion.callees[op], arguments)
        rewriter.replace(op, func.CallOp(symbol, arguments, [value.type for value in op.values]))


PATTERNS: tuple[type[RewritePattern], ...] = (ConvertCall, ConvertCallExtern)
