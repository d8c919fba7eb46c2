"""The patterns for all raised operations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, cf, func, memref
from xdsl.dialects.builtin import IntegerAttr, IntegerType, MemRefType, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion._te_blocks import copy_nest
from kc.conversion.driver import ConversionPattern
from kc.conversion.raise_to_tir import (
    buffer_ops,
    loops,
    memref_views,
    packs,
    parallel_loops,
    tensor_ops,
)
from kc.conversion.raise_to_tir.assertions import ELEMENTS, emit_assertion
from kc.conversion.raise_to_tir.function import FunctionRaiser
from kc.conversion.raise_to_tir.nests import Extent
from kc.conversion.raise_to_tir.structured import STRUCTURED, Structure, identity, structure_of
from kc.conversion.raise_to_tir.tensors import Splat
from kc.dialects import tir
from kc.dialects.linalg import NAMED_OPS, GenericOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

_STRUCTURED = (*STRUCTURED, *NAMED_OPS.values(), GenericOp)


class RaiseStructured(ConversionPattern[FunctionRaiser]):
    """A linalg op, on tensors or on memrefs.

    Requires that the sizes of its operands determine those of its loops (KC4553), that they agree,
    and that windows lie in their operands (KC4556, or the call checks it).
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, _STRUCTURED):
            return
        raiser = self.conversion
        structure = structure_of(op)
        tensors = raiser.tensors
        extents: list[Extent] = []
        for n in range(structure.rank):
            place = structure.dimension_source(n)
            if place is None:
                raise CodegenError(
                    "KC4553",
                    f"raise-to-tir: {op.name} does not define its computation",
                    location=location_of(op),
                    why=f"no operand has the extent of its loop d{n} as a dimension",
                )
            value, at = place
            size = value.type.get_shape()[at]  # pyright: ignore
            extents.append(size if size >= 0 else tensors.sizes(value)[at])
        _relate(raiser, structure, extents)
        is_tensor = bool(op.results)
        if op.name == "linalg.fill" and is_tensor:
            end = structure.body.block.last_op
            assert end is not None
            raiser.values[structure.body.block.args[0]] = raiser.value(op.operands[0])
            raiser.scalar_code(structure.body.block, ())
            scalar = raiser.value(end.operands[0])
            tensors.values[op.results[0]] = Splat(tensors.sizes(structure.outputs[0]), scalar)
            return
        operands = [tensors.operand(operand, op) for operand in structure.inputs]
        starts: list[SSAValue | None] = []
        for n, value in enumerate(structure.outputs):
            is_whole = structure.writes_whole_output(n, extents)
            keeps = structure.reads_output(n) or not is_whole
            start = None
            if is_tensor:
                held = tensors.values[value]
                if isinstance(held, Splat) and is_whole and not any(structure.is_reduced):
                    start, keeps = held.scalar, False
                operands.append(tensors.destination(value, op.results[n], op, keeps))
            else:
                operands.append(raiser.value(value))
            starts.append(start)
        raiser.structured(structure, operands, extents, starts)


def _relate(raiser: FunctionRaiser, structure: Structure, extents: Sequence[Extent]) -> None:
    """Require that the sizes of the operands match the loops, and that windows are in bounds."""
    op, requirements = structure.op, raiser.requirements
    counts = [requirements.expr(extent, op) for extent in extents]
    counted = [count for count in counts if count is not None]
    for value, space in zip(structure.operands, structure.maps, strict=True):
        if not isinstance(value.type, MemRefType | TensorType):
            continue
        for size, expr in zip(raiser.tensors.sizes(value), space.results, strict=True):
            if isinstance(expr, AffineDimExpr):
                what = "takes operands whose sizes agree"
                requirements.equal(size, extents[expr.position], op, what)
                continue
            low, high = requirements.index_range(expr, counts)
            what = "needs operands that contain its windows"
            if low is not None:
                requirements.at_least(low, 0, op, what, counted)
            if high is not None:
                requirements.at_least(size, high + 1, op, what, counted)
    if op.results:
        for value, result in zip(structure.outputs, op.results, strict=True):
            requirements.typed(result, raiser.tensors.sizes(value), op)


class RaiseAlloc(ConversionPattern[FunctionRaiser]):
    """``memref.alloc``, ``memref.alloca``: a buffer of the function.

    Requires elements that a buffer can hold (KC4550), and sizes of at least 0 (the call checks
    them).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: memref.AllocOp | memref.AllocaOp, rewriter: PatternRewriter, /
    ) -> None:
        raiser = self.conversion
        type_ = op.memref.type
        assert isinstance(type_, MemRefType)
        raiser.check_buffer(type_, op)
        rest = iter(op.dynamic_sizes)
        sizes = [
            raiser.extent(next(rest)) if size == tir.DYNAMIC else size for size in type_.get_shape()
        ]
        raiser.requirements.natural(sizes, op)
        name = op.memref.name_hint or "alloc"
        dynamic = [size for size in sizes if not isinstance(size, int)]
        shape = [size if isinstance(size, int) else tir.DYNAMIC for size in sizes]
        if shape != list(type_.get_shape()):
            shape = list(type_.get_shape())
            dynamic = [raiser.value(size) for size in op.dynamic_sizes]
        new = tir.AllocOp(raiser.buffer_label(name), MemRefType(type_.element_type, shape), dynamic)
        raiser.emit(new, op)
        raiser.buffer_sizes[new.buffer] = sizes
        raiser.values[op.memref] = new.buffer


class RaiseDealloc(ConversionPattern[FunctionRaiser]):
    """``memref.dealloc``, which is removed: a buffer lives to the end of its region.

    Requires nothing: a use after it is undefined.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.DeallocOp, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(op)


class RaiseCopy(ConversionPattern[FunctionRaiser]):
    """``memref.copy``: a nest.

    Requires a known rank (KC4552), and equal sizes (KC4556, or the call checks them).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.CopyOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        source, target = (raiser.value(operand) for operand in op.operands)
        for operand in op.operands:
            if not isinstance(operand.type, MemRefType):
                raise CodegenError(
                    "KC4552",
                    f"raise-to-tir: {op.name} of a {operand.type}",
                    location=location_of(op),
                    why="a memref without a rank has no indices",
                    hints=["take a memref of a known rank"],
                )
        shape = raiser.sizes_of(source)

        def element(body: Block) -> None:
            at = identity(len(shape))
            raiser.store(raiser.load(source, at, body.args, op), target, at, body.args, op)

        if raiser.base(source) is raiser.base(target):
            _copy_within(raiser, op, source, target, shape)
        elif source in raiser.views or target in raiser.views:
            raiser.spatial("copy", shape, element, op, [f"c{n}" for n in range(len(shape))])
        else:
            nest = copy_nest(source, target, raiser.label("copy"), shape)
            raiser.emit(nest, op)
        sizes = [raiser.sizes_of(buffer) for buffer in (source, target)]
        for source_size, target_size in zip(*sizes, strict=True):
            raiser.requirements.equal(
                source_size, target_size, op, "copies between buffers of equal sizes"
            )


def _copy_within(
    raiser: FunctionRaiser,
    op: memref.CopyOp,
    source: SSAValue,
    target: SSAValue,
    shape: Sequence[Extent],
) -> None:
    """Copy between parts of the same buffer, which may overlap, through another buffer."""
    assert isinstance(source.type, MemRefType)
    copied = raiser.alloc("copied", source.type, shape, op)
    at = identity(len(shape))
    for first, second in ((source, copied), (copied, target)):

        def element(body: Block, first: SSAValue = first, second: SSAValue = second) -> None:
            raiser.store(raiser.load(first, at, body.args, op), second, at, body.args, op)

        raiser.spatial("copy", shape, element, op)


class RaiseAssert(ConversionPattern[FunctionRaiser]):
    """``cf.assert`` of sizes and integer arguments: a condition that the call checks.

    Requires a condition that certainly holds, or that the call can check: KC4550.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: cf.AssertOp, rewriter: PatternRewriter, /) -> None:
        condition = self.conversion.value(op.operands[0])
        if ELEMENTS in op.attributes:
            emit_assertion(self.conversion, op, condition)
            return
        if not _holds(condition) and not _required(self.conversion, op, condition):
            raise CodegenError(
                "KC4550",
                "raise-to-tir: cf.assert of a condition that is not known to hold has no "
                "counterpart in tir",
                location=location_of(op),
                why="a kernel has no way to fail; sizes and integer arguments are compared before "
                "it is called",
                hints=["remove it if the caller guarantees the condition"],
            )
        rewriter.erase(op)


def _holds(condition: SSAValue) -> bool:
    owner = condition.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data != 0
    if not isinstance(owner, arith.CmpiOp):
        return False
    return owner.predicate.value.data in _WITH_EQUAL and _same(*owner.operands)


def _required(raiser: FunctionRaiser, op: cf.AssertOp, condition: SSAValue) -> bool:
    """Add a condition on the symbols of the function to its requirements. False if the condition is
    no such condition.
    """
    requirements, owner = raiser.requirements, condition.owner
    if isinstance(owner, arith.AndIOp):
        sides = [_comparison(raiser, op, side) for side in owner.operands]
    else:
        sides = [_comparison(raiser, op, condition)]
    what = f"asserts {op.msg}"
    comparisons = [side for side in sides if side is not None]
    if len(comparisons) != len(sides) or requirements.is_conditional(op):
        return False
    for predicate, lhs, rhs in comparisons:
        if predicate == 0:
            requirements.equal(lhs, rhs, op, what)
        elif predicate in (2, 3):
            requirements.at_least(rhs, _plus(lhs, predicate == 2), op, what)
        else:
            requirements.at_least(lhs, _plus(rhs, predicate == 4), op, what)
    return True


def _plus(size: AffineExpr, is_strict: bool) -> AffineExpr:
    return size + 1 if is_strict else size


def _comparison(
    raiser: FunctionRaiser, op: Operation, condition: SSAValue
) -> tuple[int, AffineExpr, AffineExpr] | None:
    """A comparison of symbols by the number of its predicate: eq, slt, sle, sgt, sge."""
    owner = condition.owner
    if not isinstance(owner, arith.CmpiOp) or owner.predicate.value.data not in (0, 2, 3, 4, 5):
        return None
    sides = [raiser.requirements.expr(side, op) for side in owner.operands]
    if sides[0] is None or sides[1] is None:
        return None
    return owner.predicate.value.data, sides[0], sides[1]


_WITH_EQUAL = (0, 3, 5, 7, 9)
"""The predicates eq, sle, sge, ule, uge of ``arith.cmpi``."""


def _same(lhs: SSAValue, rhs: SSAValue) -> bool:
    """True if two values are identical, or equal constants."""
    values = [lhs, rhs]
    for n, value in enumerate(values):
        while isinstance(value.owner, arith.IndexCastOp) and _keeps_value(value.owner):
            value = value.owner.input
        values[n] = value
    owners = [value.owner for value in values]
    if all(isinstance(owner, arith.ConstantOp) for owner in owners):
        return owners[0].value.value == owners[1].value.value  # pyright: ignore
    return values[0] is values[1]


def _keeps_value(cast: arith.IndexCastOp) -> bool:
    """True if a cast keeps every value: an index has 64 bits. torch-mlir compares sizes as i64."""
    types = (cast.input.type, cast.result.type)
    return all(not isinstance(type_, IntegerType) or type_.width.data >= 64 for type_ in types)


class RaiseReturn(ConversionPattern[FunctionRaiser]):
    """The end of the function.

    Requires results whose sizes follow from the arguments: KC4551.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: func.ReturnOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        raiser.return_(op)


PATTERNS: tuple[type[RewritePattern], ...] = (
    RaiseStructured,
    RaiseAlloc,
    RaiseDealloc,
    RaiseCopy,
    RaiseAssert,
    RaiseReturn,
    *loops.PATTERNS,
    *parallel_loops.PATTERNS,
    *memref_views.PATTERNS,
    *buffer_ops.PATTERNS,
    *tensor_ops.PATTERNS,
    *packs.PATTERNS,
)
