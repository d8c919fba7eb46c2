"""resolve-unranked-casts: replace uses of unranked memrefs and tensors by their ranked originals.

Before::

    %u = memref.cast %m : memref<3x4xf32> to memref<*xf32>
    %r = memref.rank %u : memref<*xf32>
    %n = memref.dim %u, %i : memref<*xf32>
    %v = memref.cast %u : memref<*xf32> to memref<?x4xf32>

After::

    %r = arith.constant 2 : index
    %n = memref.dim %m, %i : memref<3x4xf32>
    %v = memref.cast %m : memref<3x4xf32> to memref<?x4xf32>

Builds and schedules run this pass implicitly. A cast that cannot succeed stays, and so does an
unranked value that is passed to a function, returned, or selected by a branch. (MLIR does this in
``-canonicalize``.)
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.builtin import (
    IntegerAttr,
    MemRefType,
    ModuleOp,
    TensorType,
    UnrankedMemRefType,
    UnrankedTensorType,
)
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.utils.exceptions import VerifyException

from kc.dialects.memref_views import ReshapeOp
from kc.dialects.tensor import RankOp


@dataclass(frozen=True)
class ResolveUnrankedCastsPass(ModulePass):
    """Replace casts to unranked types by the ranked memrefs and tensors that they cast."""

    name = "resolve-unranked-casts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        patterns = [CastAgain(), RankOfCast(), OperandOfCast(), DropCast()]
        PatternRewriteWalker(GreedyRewritePatternApplier(patterns)).rewrite_module(op)


def ranked_source(value: SSAValue) -> SSAValue | None:
    """The ranked operand of a cast to an unranked value; None for other values."""
    if not isinstance(value.type, UnrankedMemRefType | UnrankedTensorType):
        return None
    cast = value.owner
    while isinstance(cast, memref.CastOp | tensor.CastOp):
        source = cast.operands[0]
        if isinstance(source.type, MemRefType | TensorType):
            return source
        cast = source.owner
    return None


class CastAgain(RewritePattern):
    """Merge two consecutive casts if the types agree."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: memref.CastOp | tensor.CastOp, rewriter: PatternRewriter, /
    ) -> None:
        source, type_ = ranked_source(op.operands[0]), op.results[0].type
        if source is None or not isinstance(type_, MemRefType | TensorType):
            return
        if source.type == type_:
            rewriter.replace(op, [], [source])
            return
        sizes, target_shape = source.type.get_shape(), type_.get_shape()  # pyright: ignore
        if len(sizes) != len(target_shape):
            return
        new = type(op).create(operands=[source], result_types=[type_])
        new.location = op.location
        new.results[0].name_hint = op.results[0].name_hint
        try:
            new.verify(verify_nested_ops=False)
        except VerifyException:
            new.erase()
            return
        rewriter.replace(op, new)


class RankOfCast(RewritePattern):
    """The rank of a cast ranked value is a constant."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.RankOp | RankOp, rewriter: PatternRewriter, /) -> None:
        source = ranked_source(op.operands[0])
        if source is None:
            return
        assert isinstance(source.type, MemRefType | TensorType)
        rank = arith.ConstantOp(IntegerAttr.from_index_int_value(source.type.get_num_dims()))
        rank.location = op.location
        rank.result.name_hint = op.results[0].name_hint
        rewriter.replace(op, rank)


class OperandOfCast(RewritePattern):
    """Ops that accept any rank use the ranked value."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: memref.DimOp | tensor.DimOp | memref.CopyOp | memref.DeallocOp | ReshapeOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        sources = [ranked_source(operand) for operand in op.operands]
        for n, source in enumerate(sources):
            if source is not None:
                op.operands[n] = source
                rewriter.notify_op_modified(op)


class DropCast(RewritePattern):
    """Erase a cast to an unranked type that has no uses."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: memref.CastOp | tensor.CastOp, rewriter: PatternRewriter, /
    ) -> None:
        result = op.results[0]
        if not result.uses and isinstance(result.type, UnrankedMemRefType | UnrankedTensorType):
            rewriter.erase(op)
