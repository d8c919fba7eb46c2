"""Index values: most are folded into their uses."""

from __future__ import annotations

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.analysis.affine.simplify_affine import UNBOUNDED
from kc.conversion.convert_tir_to_scf.function import TirToScf
from kc.conversion.driver import ConversionPattern
from kc.dialects import tir


class SeeThroughApply(ConversionPattern[TirToScf]):
    """Compute an affine expression at its use, merged with the expression of the use.

    ::

        %a = tir.apply (%i * 4)
        %v = tir.load %A[%a + 1]    ->    %v = memref.load of %i * 4 + 1

    A minimum or maximum is computed::

        %m = tir.apply min(%n, 8)    ->    %m = arith.minsi %n, %c8 : index
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.ApplyOp, rewriter: PatternRewriter, /) -> None:
        conversion = self.conversion
        conversion.defer(op, rewriter)
        if op.extreme is not None:
            exprs = [conversion.index.compose(expr, op.operands) for expr in op.map.data.results]
            values = [conversion.arith.value(expr) for expr in exprs]
            conversion.define_root(op.result, op.combined(values, conversion.arith.extreme))


class ComputeLinearize(ConversionPattern[TirToScf]):
    """Compute a product with sizes that are known only at run time.

    ::

        %f = tir.linearize [%o, %i] by [%m, %n]    ->    %0 = arith.muli %o, %n : index
                                                         %f = arith.addi %0, %i : index
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.LinearizeOp, rewriter: PatternRewriter, /) -> None:
        conversion = self.conversion
        conversion.defer(op, rewriter)
        if conversion.is_root(op.result):
            value = conversion.value
            total = value(op.indices[0])
            for index, size in zip(op.indices[1:], op.sizes[1:], strict=True):
                total = conversion.arith.product_sum(total, value(size), value(index))
            conversion.define_root(op.result, total)


class ComputeDelinearize(ConversionPattern[TirToScf]):
    """Compute quotients and remainders by sizes that are known only at run time.

    ::

        %o, %i = tir.delinearize %f by [%m, %n]    ->    %i = arith.remui %f, %n : index
                                                         %o = arith.divui %f, %n : index
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.DelinearizeOp, rewriter: PatternRewriter, /) -> None:
        conversion = self.conversion
        conversion.defer(op, rewriter)
        if not conversion.is_root(op.indices[0]):
            return  # all relevant sizes are constant: no result is a root
        is_natural = conversion.index.is_natural(conversion.index.expr(op.index))
        rest = conversion.value(op.index)
        for result, size in reversed(list(zip(op.indices, op.sizes, strict=True))[1:]):
            divisor = conversion.value(size)
            if conversion.is_root(result):
                part = conversion.arith.remainder(rest, divisor, is_natural=is_natural)
                conversion.define_root(result, part)
            rest = conversion.arith.quotient(rest, divisor, is_natural=is_natural)
        conversion.define_root(op.indices[0], rest)


class SizeOfArgument(ConversionPattern[TirToScf]):
    """Replace a symbolic size by the dimension of the first argument that has it, or by an argument
    as an index.

    ::

        %n = tir.symbol "n"    ->    %n = memref.dim %A, %c0 : memref<?xf32>
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.SymbolOp, rewriter: PatternRewriter, /) -> None:
        conversion = self.conversion
        number, dim = conversion.symbols[op.symbol.data]
        value: SSAValue = conversion.function.body.block.args[number]
        replacement: list[Operation] = []
        if dim is not None:
            size = memref.DimOp(value, conversion.arith.constant(dim))
            rewriter.replace(op, size)
            conversion.index.dimension(size.result, (0, None))
            return
        if not isinstance(value.type, IndexType):
            replacement = [arith.IndexCastOp(value, IndexType())]
            value = replacement[0].results[0]
        is_size = op.symbol.data in conversion.sized
        conversion.index.dimension(value, (0, None) if is_size else UNBOUNDED)
        rewriter.replace(op, replacement, [value])


PATTERNS: tuple[type[RewritePattern], ...] = (
    SeeThroughApply,
    ComputeLinearize,
    ComputeDelinearize,
    SizeOfArgument,
)
