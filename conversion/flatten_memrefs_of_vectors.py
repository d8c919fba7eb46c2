"""flatten-memrefs-of-vectors: convert memrefs of vectors to memrefs of scalars.

Before::

    %m = memref.alloca() : memref<4xvector<8xf32>>
    memref.store %v, %m[%i] : memref<4xvector<8xf32>>
    %w = vector.type_cast %m : memref<4xvector<8xf32>> to memref<vector<4x8xf32>>
    %x = memref.load %w[] : memref<vector<4x8xf32>>

After::

    %m = memref.alloca() : memref<4x8xf32>
    vector.transfer_write %v, %m[%i, %c0] : vector<8xf32>, memref<4x8xf32>
    %x = vector.transfer_read %m[%c0, %c0], %zero : memref<4x8xf32>, vector<4x8xf32>

Builds and schedules run this pass implicitly. ``mlir-opt -convert-vector-to-scf`` writes such
memrefs. A module in which an unsupported operation uses such a memref stays unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import affine, arith, func, memref, vector
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    BoolAttr,
    FloatAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    TypeConversionPattern,
    attr_type_rewrite_pattern,
    op_type_rewrite_pattern,
)

from kc.analysis.loop_tree import preorder
from kc.dialects.affine import ApplyOp
from kc.dialects.vector import TypeCastOp

_TAKEN = (
    memref.AllocOp, memref.AllocaOp, memref.DeallocOp, memref.LoadOp, memref.StoreOp,
    memref.CopyOp, memref.DimOp, TypeCastOp, func.FuncOp, func.CallOp, func.ReturnOp,
    affine.LoadOp, affine.StoreOp,
)  # fmt: skip


@dataclass(frozen=True)
class FlattenMemrefsOfVectorsPass(ModulePass):
    """Turn memrefs of vectors into memrefs of numbers."""

    name = "flatten-memrefs-of-vectors"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        users = [inner for inner in preorder(op) if _has_vectors(inner)]
        if not users or not all(isinstance(inner, _TAKEN) for inner in users):
            return
        accesses = GreedyRewritePatternApplier([LoadOfVector(), StoreOfVector()])
        PatternRewriteWalker(accesses, apply_recursively=False).rewrite_module(op)
        types = GreedyRewritePatternApplier([_Flatten(recursive=True), CastOfMemref()])
        PatternRewriteWalker(types).rewrite_module(op)


def holds_vectors(type_: Attribute) -> bool:
    """True if a type is a memref whose elements are vectors of constant size."""
    return (
        isinstance(type_, MemRefType)
        and isinstance(type_.layout, NoneAttr)
        and isinstance(type_.element_type, VectorType)
        and not type_.element_type.get_num_scalable_dims()
    )


def _has_vectors(op: Operation) -> bool:
    """True if the op uses, defines or passes a memref of vectors."""
    types = [value.type for value in (*op.operands, *op.results)]
    if isinstance(op, func.FuncOp):
        types = [*op.function_type.inputs, *op.function_type.outputs]
    types += [arg.type for region in op.regions for block in region.blocks for arg in block.args]
    return any(map(holds_vectors, types))


class _Flatten(TypeConversionPattern):
    @attr_type_rewrite_pattern
    def convert_type(self, typ: MemRefType, /) -> MemRefType | None:
        if not holds_vectors(typ):
            return None
        inner = typ.element_type
        assert isinstance(inner, VectorType)
        shape = [*typ.get_shape(), *inner.get_shape()]
        return MemRefType(inner.element_type, shape, NoneAttr(), typ.memory_space)


class LoadOfVector(RewritePattern):
    """Read the elements of a vector for a ``memref.load`` or ``affine.load`` of a vector."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: memref.LoadOp | affine.LoadOp, rewriter: PatternRewriter, /
    ) -> None:
        type_ = op.results[0].type
        if not holds_vectors(op.memref.type):
            return
        assert isinstance(type_, VectorType)
        ops, at, map_, inside = _place(op, type_)
        zero = arith.ConstantOp(_zero(type_.element_type))
        read = vector.TransferReadOp(op.memref, at, zero.result, type_, inside, map_)
        _replace(rewriter, op, [*ops, zero, read])


class StoreOfVector(RewritePattern):
    """Write the elements of a vector for a ``memref.store`` or ``affine.store`` of a vector."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: memref.StoreOp | affine.StoreOp, rewriter: PatternRewriter, /
    ) -> None:
        type_ = op.value.type
        if not holds_vectors(op.memref.type):
            return
        assert isinstance(type_, VectorType)
        ops, at, map_, inside = _place(op, type_)
        write = vector.TransferWriteOp(op.value, op.memref, at, inside, permutation_map=map_)
        _replace(rewriter, op, [*ops, write])


class CastOfMemref(RewritePattern):
    """Remove a ``vector.type_cast`` between memrefs that have the same flattened type."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TypeCastOp, rewriter: PatternRewriter, /) -> None:
        if op.memref.type == op.result.type:
            rewriter.replace(op, [], [op.memref])


def _place(
    op: memref.LoadOp | memref.StoreOp | affine.LoadOp | affine.StoreOp, type_: VectorType
) -> tuple[list[Operation], list[SSAValue], AffineMapAttr, ArrayAttr[BoolAttr]]:
    """The indices of the vector's first element with the ops that compute them, and the transfer's
    map and bounds.
    """
    ops: list[Operation] = []
    indices = [*op.indices]
    if isinstance(op, affine.LoadOp | affine.StoreOp):
        space = op.map.data
        for index in space.results:
            single = AffineMap(space.num_dims, space.num_symbols, (index,))
            ops.append(ApplyOp(op.indices, AffineMapAttr(single)))
        indices = [apply.results[0] for apply in ops]
    rank, inner = len(indices) + type_.get_num_dims(), type_.get_num_dims()
    zero = arith.ConstantOp(IntegerAttr.from_index_int_value(0))
    map_ = AffineMap(rank, 0, AffineMap.identity(rank).results[rank - inner :])
    inside = ArrayAttr([BoolAttr.from_bool(True)] * inner)
    return [*ops, zero], [*indices, *[zero.result] * inner], AffineMapAttr(map_), inside


def _zero(element: Attribute) -> IntegerAttr | FloatAttr:
    if isinstance(element, AnyFloat):
        return FloatAttr(0.0, element)
    return IntegerAttr(0, element)  # pyright: ignore


def _replace(rewriter: PatternRewriter, op: Operation, ops: Sequence[Operation]) -> None:
    for new in ops:
        new.location = op.location
    if op.results:
        ops[-1].results[0].name_hint = op.results[0].name_hint
    rewriter.replace(op, ops, ops[-1].results)
