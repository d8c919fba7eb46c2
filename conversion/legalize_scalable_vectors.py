"""legalize-scalable-vectors: fix the size of scalable vectors for vscale 1.

Before::

    %n = vector.vscale
    %p = vector.scalable.extract %v[4] : vector<4xf32> from vector<[8]xf32>
    %s = arith.addf %v, %v : vector<[8]xf32>

After::

    %n = arith.constant 1 : index
    %p = vector.extract_strided_slice %v {offsets = [4], ...} : vector<8xf32> to vector<4xf32>
    %s = arith.addf %v, %v : vector<8xf32>

vscale is a constant of the machine, which a program cannot choose; 1 is the only value that every
machine supports. Builds and schedules run this pass implicitly; arguments of such types are arrays
of these sizes. An access to a part beyond the first multiple is refused (KC4303).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    TensorType,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import Rewriter

from kc.analysis.loop_tree import preorder
from kc.dialects.vector import (
    ExtractStridedSliceOp,
    InsertStridedSliceOp,
    ScalableExtractOp,
    ScalableInsertOp,
    VectorScaleOp,
    is_scalable,
    shape_of,
)
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

_PARTS = (ScalableExtractOp, ScalableInsertOp)


@dataclass(frozen=True)
class LegalizeScalableVectorsPass(ModulePass):
    """Give vectors of scalable size the size for vscale 1."""

    name = "legalize-scalable-vectors"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        ops = [nested for nested in preorder(op) if _has_scalable(nested)]
        for nested in ops:
            if isinstance(nested, _PARTS):
                _require_inside(nested)
        if ops:
            parts = GreedyRewritePatternApplier([FixScale(), FixExtract(), FixInsert()])
            PatternRewriteWalker(parts, apply_recursively=False).rewrite_module(op)
            for nested in preorder(op):
                _fix_sizes(nested)


def _fix_sizes(op: Operation) -> None:
    """Change the types of an op's results, of its block arguments and in its attributes, in
    place.
    """
    blocks = (block for region in op.regions for block in region.blocks)
    for value in (*op.results, *(arg for block in blocks for arg in block.args)):
        if _is_to_fix(value.type):
            Rewriter.replace_value_with_new_type(value, fixed(value.type))
    for attributes in (op.properties, op.attributes):
        attributes.update({name: fixed(attribute) for name, attribute in attributes.items()})


def _fixed_vector(type_: VectorType) -> VectorType:
    return VectorType(type_.element_type, type_.shape)


def fixed(attribute: Attribute) -> Attribute:
    """A type, constant or function type with the sizes for vscale 1."""
    match attribute:
        case VectorType() if is_scalable(attribute):
            return _fixed_vector(attribute)
        case FunctionType():
            return FunctionType.from_lists(
                [fixed(type_) for type_ in attribute.inputs],
                [fixed(type_) for type_ in attribute.outputs],
            )
        case MemRefType():
            return MemRefType(
                fixed(attribute.element_type),
                attribute.shape,
                attribute.layout,
                attribute.memory_space,
            )
        case TensorType():
            return TensorType(fixed(attribute.element_type), attribute.shape, attribute.encoding)
        case DenseIntOrFPElementsAttr(type=VectorType() as type_):
            return DenseIntOrFPElementsAttr.new([_fixed_vector(type_), attribute.data])
        case _:
            return attribute


def _has_scalable(op: Operation) -> bool:
    return (
        isinstance(op, VectorScaleOp)
        or any(_is_to_fix(result.type) for result in op.results)
        or any(
            _is_to_fix(arg.type)
            for region in op.regions
            for block in region.blocks
            for arg in block.args
        )
    )


def _is_to_fix(type_: Attribute) -> bool:
    return is_scalable(type_.element_type if isinstance(type_, MemRefType | TensorType) else type_)


def _require_inside(op: ScalableExtractOp | ScalableInsertOp) -> None:
    part, whole = _part_and_whole(op)
    if op.pos.value.data + shape_of(part)[0] > shape_of(whole)[0]:
        raise CodegenError(
            "KC4303",
            f"legalize-scalable-vectors: the part at {op.pos.value.data} is not in {whole.type}",
            location=location_of(op),
            why="vscale is 1: vectors of scalable size have the size in the brackets",
        )


def _part_and_whole(op: ScalableExtractOp | ScalableInsertOp) -> tuple[SSAValue, SSAValue]:
    if isinstance(op, ScalableExtractOp):
        return op.res, op.source
    return op.value_to_store, op.dest


class FixScale(RewritePattern):
    """``vector.vscale``    ->    ``arith.constant 1 : index``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: VectorScaleOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, arith.ConstantOp(IntegerAttr.from_index_int_value(1)))


def _list(number: int) -> ArrayAttr:
    return ArrayAttr([IntegerAttr(number, i64)])


class FixExtract(RewritePattern):
    """``vector.scalable.extract``    ->    ``vector.extract_strided_slice``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ScalableExtractOp, rewriter: PatternRewriter, /) -> None:
        sizes = shape_of(op.res)
        new = ExtractStridedSliceOp.create(
            operands=[op.source],
            properties={
                "offsets": _list(op.pos.value.data),
                "sizes": _list(sizes[0]),
                "strides": _list(1),
            },
            result_types=[op.res.type],
        )
        rewriter.replace(op, new)


class FixInsert(RewritePattern):
    """``vector.scalable.insert``    ->    ``vector.insert_strided_slice``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ScalableInsertOp, rewriter: PatternRewriter, /) -> None:
        new = InsertStridedSliceOp.create(
            operands=op.operands,
            properties={"offsets": _list(op.pos.value.data), "strides": _list(1)},
            result_types=[op.res.type],
        )
        rewriter.replace(op, new)
