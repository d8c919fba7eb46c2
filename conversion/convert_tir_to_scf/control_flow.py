"""Loops and conditions."""

from __future__ import annotations

from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import BoolAttr, MemRefType, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_tir_to_scf.function import TirToScf, bytes_of
from kc.conversion.driver import ConversionPattern
from kc.dialects import tir
from kc.dialects.gpu import LaunchOp
from kc.dialects.llvm import LoopAnnotationAttr, LoopUnrollAttr
from kc.dialects.scf import ParallelOp, ReduceOp

_FULL: dict[str, Any] = {"disable": False, "full": True}
_UNROLL = LoopAnnotationAttr(unroll=LoopUnrollAttr(**_FULL))
_NOT: dict[str, Any] = {"disable": True}
_AS_IT_IS = LoopAnnotationAttr(unroll=LoopUnrollAttr(**_NOT))
_FEW, _SHORT, _REGISTERS, _CODE = 8, 32, 2048, 64
"""Limits for unrolling by LLVM: the maximum iterations; the maximum iterations of loops that index
small arrays (at most the given bytes), which become registers only if unrolled; and the maximum
operations after unrolling, because more code costs compile time and saves little per iteration.
"""


def _is_short(extent: int | SSAValue, variable: SSAValue, body: Block) -> bool:
    if not isinstance(extent, int) or extent > _SHORT:
        return False
    if extent <= 1 or _indexes_small_arrays(variable):
        return True
    return extent <= _FEW and extent * _size(body, _CODE // extent) <= _CODE


def _size(block: Block, limit: int) -> int:
    """The number of operations in a block after unrolling, including loops that LLVM may unroll.
    Counting stops beyond ``limit``.
    """
    count = 0
    for op in block.ops:
        if isinstance(op, tir.ForOp):
            extent = op.static_extent or 1
            is_written_out = op.kind.data is tir.ForKind.UNROLLED or extent <= _SHORT
            count += (extent if is_written_out else 1) * _size(op.body.block, limit)
        elif op.regions:
            count += sum(_size(inner, limit) for region in op.regions for inner in region.blocks)
        elif not isinstance(op, tir.ApplyOp | arith.ConstantOp):
            count += 1
        if count > limit:
            break
    return count


def _is_in_kernel(op: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, LaunchOp):
        parent = parent.parent_op()
    return parent is not None


def _indexes_small_arrays(index: SSAValue) -> bool:
    for use in index.uses:
        op = use.operation
        if isinstance(op, tir.LoadOp | tir.StoreOp) and isinstance(op.buffer.owner, Operation):
            assert isinstance(type_ := op.buffer.type, MemRefType)
            size = bytes_of(type_)
            if size is not None and size <= _REGISTERS:
                return True
        elif isinstance(op, tir.ApplyOp) and _indexes_small_arrays(op.result):
            return True
    return False


class ConvertFor(ConversionPattern[TirToScf]):
    """A loop. A parallel loop outside of other parallel loops becomes ``scf.parallel``.

    ::

        tir.for %i in 16 { ... }    ->    scf.for %i = %c0 to %c16 step %c1 { ... }
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.ForOp, rewriter: PatternRewriter, /) -> None:
        conversion, values = self.conversion, self.conversion.arith
        if op.kind.data is tir.ForKind.WHILE:
            self._while(op, rewriter)
            return
        extent = op.extent_value
        # Computed before the loop, which defines the range, is replaced.
        conversion.index.expr(op.var)
        is_parallel = op.kind.data is tir.ForKind.PARALLEL and conversion.is_sequential()
        zero, c1 = values.constant(0), values.constant(1)
        upper = values.constant(extent) if isinstance(extent, int) else conversion.value(extent)
        body = op.detach_region(op.body)
        (variable,) = body.block.args
        end: Operation
        new: Operation
        if is_parallel:
            body.block.add_op(end := ReduceOp())
            new = ParallelOp([zero], [upper], [c1], body)
        else:
            body.block.add_op(end := scf.YieldOp())
            new = scf.ForOp(zero, upper, c1, [], body)
        if op.kind.data is tir.ForKind.UNROLLED:
            new.attributes["llvm.loop_annotation"] = _UNROLL
        elif (
            # The number of iterations that a thread runs of a parallel loop is unknown.
            (is_parallel or not _is_short(extent, variable, body.block))
            and conversion.is_decided(op, body.block)
            and not _is_in_kernel(op)
        ):
            new.attributes["llvm.loop_annotation"] = _AS_IT_IS
        end.location = op.location
        rewriter.replace(op, new)
        conversion.convert_next(body.block, is_outlined=is_parallel)

    def _while(self, op: tir.ForOp, rewriter: PatternRewriter) -> None:
        """Build an ``scf.while``, which carries the truth of the condition in the previous
        iteration.
        """
        condition = op.condition
        assert condition is not None  # guaranteed by the verifier
        begins = arith.ConstantOp(BoolAttr.from_bool(True))
        body = op.detach_region(op.body)
        holds = condition.condition
        condition.detach()
        condition.erase()
        body.block.add_op(end := scf.YieldOp(holds))
        body.block.erase_arg(body.block.args[0])
        before = Block(arg_types=[i1])
        before.add_op(goes_on := scf.ConditionOp(before.args[0]))
        loop = scf.WhileOp([begins], [], Region(before), body)
        begins.location = end.location = goes_on.location = op.location
        rewriter.replace(op, [begins, loop], [])
        self.conversion.convert_next(body.block)


class ConvertIf(ConversionPattern[TirToScf]):
    """A guard, without constraints that the ranges of its variables imply; its branch alone if no
    constraint remains.

    ::

        tir.if (%i * 4 < 50) { ... }    ->    %0 = arith.cmpi slt, ...
                                              scf.if %0 { ... }
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tir.IfOp, rewriter: PatternRewriter, /) -> None:
        conversion, values = self.conversion, self.conversion.arith
        conditions = conversion.index.conditions(op.condition.data, op.operands_of_set)
        if conditions is None:
            conditions, taken = [], op.orelse
        else:
            taken = op.then
        if not conditions:
            self._inline(op, [inner for block in taken.blocks for inner in block.ops], rewriter)
            return
        condition = values.condition(conditions[0])
        for constraint in conditions[1:]:
            condition = values.both(condition, values.condition(constraint))
        regions = [op.detach_region(region) for region in (op.then, op.orelse)]
        blocks = [block for region in regions for block in region.blocks]
        for block in blocks:
            block.add_op(end := scf.YieldOp())
            end.location = op.location
        then, otherwise = regions
        rewriter.replace(op, scf.IfOp(condition, [], then, otherwise if otherwise.blocks else None))
        conversion.convert_next(*blocks)

    def _inline(self, op: tir.IfOp, ops: list[Operation], rewriter: PatternRewriter) -> None:
        """Replace ``op`` by ``ops`` from its region, which are converted next."""
        for inner in ops:
            inner.detach()
        rewriter.replace(op, ops, [])
        if ops:
            self.conversion.continue_with(ops[0])


PATTERNS: tuple[type[RewritePattern], ...] = (ConvertFor, ConvertIf)
