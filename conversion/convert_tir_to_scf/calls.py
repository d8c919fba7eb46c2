"""Calls of functions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion._foreign_calls import declare_callee
from kc.conversion.convert_tir_to_scf.function import TirToScf
from kc.conversion.driver import ConversionPattern
from kc.dialects import tir


class ConvertCall(ConversionPattern[TirToScf]):
    """A call of a function, without the declared effects on its buffers.

    ::

        tir.call @gemm(read %a, update %c)    ->    func.call @gemm(%a, %c)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.CallOp, rewriter: PatternRewriter, /) -> None:
        arguments = [self.conversion.value(argument) for argument in op.arguments]
        rewriter.replace(op, func.CallOp(op.callee, arguments, []))


class ConvertCallExtern(ConversionPattern[TirToScf]):
    """Declare a C or Python function, under a name that states its calling convention.

    ::

        %v = tir.call_extern "f" (%x)    ->    %v = func.call @f(%x)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.CallExternOp, rewriter: PatternRewriter, /) -> None:
        conversion = self.conversion
        arguments: list[SSAValue] = []
        for n, starts in op.passed:
            argument = conversion.value(op.arguments[n])
            if starts:
                indices = [op.arguments[start] for start in starts]
                argument = self._element(argument, indices, rewriter)
            arguments.append(argument)
        symbol = declare_callee(conversion.function, op, conversion.callees[op], arguments)
        rewriter.replace(op, func.CallOp(symbol, arguments, [value.type for value in op.values]))

    def _element(
        self, buffer: SSAValue, starts: Sequence[SSAValue], rewriter: PatternRewriter
    ) -> SSAValue:
        """A view of a single element of a buffer, whose address is passed."""
        source = buffer.type
        assert isinstance(source, MemRefType)
        offsets: list[SSAValue] = []
        for start in starts:
            index = self.conversion.value(start)
            if index.type != IndexType():
                cast = arith.IndexCastOp(index, IndexType())
                rewriter.insert(cast)
                index = cast.result
            offsets.append(index)
        units = [1] * len(offsets)
        part = memref.SubviewOp.infer_result_type(source, offsets, units, units)
        view = memref.SubviewOp.get(buffer, offsets, units, units, part)
        rewriter.insert(view)
        return view.result


PATTERNS: tuple[type[RewritePattern], ...] = (ConvertCall, ConvertCallExtern)
