"""Control flow of tosa: ``scf.if`` and ``scf.while`` with tensors."""

from __future__ import annotations

from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from kc.conversion.tosa_to_linalg.emitter import INDEX, refused
from kc.dialects.tosa_control import CondIfOp, WhileOp, YieldOp


def _truth(
    condition: SSAValue, op: Operation, rewriter: PatternRewriter, at: Operation
) -> SSAValue:
    """The truth value of a one-element tensor, read before ``at``."""
    type_ = condition.type
    assert isinstance(type_, TensorType)
    if type_.get_element_type() != i1 or any(size != 1 for size in type_.get_shape()):
        raise refused(op, "its condition must be a tensor of one i1", f"its condition is {type_}")
    zeros = [arith.ConstantOp.from_int_and_width(0, INDEX) for _ in type_.get_shape()]
    read = tensor.ExtractOp(condition, [zero.result for zero in zeros], i1)
    rewriter.insert([*zeros, read], InsertPoint.before(at))
    return read.result


def _end(region: Region) -> YieldOp:
    end = region.block.last_op
    assert isinstance(end, YieldOp)
    return end


class ConvertCondIf(RewritePattern):
    """``tosa.cond_if`` -> ``scf.if``, whose branches use the operand tensors directly."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CondIfOp, rewriter: PatternRewriter, /) -> None:
        truth = _truth(op.condition, op, rewriter, op)
        regions: list[Region] = []
        for region in (op.then_graph, op.else_graph):
            block = region.block
            for arg, value in zip(block.args, op.inputs, strict=True):
                arg.replace_all_uses_with(value)
            while block.args:
                block.erase_arg(block.args[-1])
            end = _end(region)
            rewriter.replace(end, scf.YieldOp(*end.inputs))
            regions.append(rewriter.move_region_contents_to_new_regions(region))
        types = [result.type for result in op.outputs]
        choice = scf.IfOp(truth, types, regions[0], regions[1])
        for old, new in zip(op.outputs, choice.results, strict=True):
            new.name_hint = old.name_hint
        rewriter.replace(op, choice)


class ConvertWhile(RewritePattern):
    """``tosa.while_loop`` -> ``scf.while``, whose condition forwards its arguments."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: WhileOp, rewriter: PatternRewriter, /) -> None:
        end = _end(op.cond_graph)
        truth = _truth(end.inputs[0], op, rewriter, end)
        rewriter.replace(end, scf.ConditionOp(truth, *op.cond_graph.block.args))
        end = _end(op.body_graph)
        rewriter.replace(end, scf.YieldOp(*end.inputs))
        regions = [
            rewriter.move_region_contents_to_new_regions(region)
            for region in (op.cond_graph, op.body_graph)
        ]
        loop = scf.WhileOp(op.inputs, [result.type for result in op.outputs], *regions)
        for old, new in zip(op.outputs, loop.results, strict=True):
            new.name_hint = old.name_hint
        rewriter.replace(op, loop)


PATTERNS = (ConvertCondIf, ConvertWhile)
