"""Tiling of linalg ops: the same op on slices of its operands, in loops over the tiles.

A tile has an offset and a size along each loop of the op. The slice of an operand follows from its
indexing map: with ``d0 * 2 + d1`` it begins at ``offset0 * 2 + offset1``, and ends with the element
of the tile's last iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import arith, linalg, memref, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    ShapedType,
    StridedLayoutAttr,
    TensorType,
    i64,
)
from xdsl.dialects.builtin import DenseArrayBase as Array
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.rewriter import InsertPoint, Rewriter

from kc.conversion.raise_to_tir.structured import Structure
from kc.dialects.affine_accesses import ApplyOp, MinOp
from kc.dialects.memref_views import SubviewOp
from kc.dialects.scf import ForallOp, ForOp, InParallelOp
from kc.dialects.tensor import ExtractSliceOp, InsertSliceOp, ParallelInsertSliceOp

Number = int | SSAValue
"""A constant number, or a value of type index."""


class Untileable(Exception):
    """The reason why an op cannot be tiled this way."""


@dataclass(frozen=True)
class Tile:
    """A tile: its offset and size along each loop."""

    offsets: tuple[Number, ...]
    sizes: tuple[Number, ...]
    is_whole: tuple[bool, ...]
    """For each loop, True if the tile covers its whole extent."""


class Builder:
    """Inserts ops at a fixed point, with the location of the op that they replace."""

    def __init__(self, point: InsertPoint, like: Operation) -> None:
        self.point = point
        self.like = like

    def add(self, op: Operation) -> Operation:
        """Insert ``op``, and return it."""
        op.location = self.like.location
        Rewriter.insert_op(op, self.point)
        return op

    def value(self, number: Number) -> SSAValue:
        """A number as an SSA value."""
        if isinstance(number, SSAValue):
            return number
        return self.add(arith.ConstantOp(IntegerAttr(number, IndexType()))).results[0]

    def apply(self, expr: AffineExpr, numbers: Sequence[Number]) -> Number:
        """An expression over the loops, with a number for each loop."""
        used = sorted({dim.position for dim in expr.dfs() if isinstance(dim, AffineDimExpr)})
        dims: list[AffineExpr] = []
        values: list[SSAValue] = []
        for position, number in enumerate(numbers):
            if isinstance(number, int):
                dims.append(AffineExpr.constant(number))
            elif position in used:
                dims.append(AffineExpr.dimension(len(values)))
                values.append(number)
            else:
                dims.append(AffineExpr.constant(0))
        replaced = expr.replace_dims_and_symbols(dims, [])
        if not values:
            return replaced.eval([], [])
        if replaced == AffineExpr.dimension(0):
            return values[0]
        return self.add(
            ApplyOp(values, AffineMapAttr(AffineMap(len(values), 0, (replaced,))))
        ).results[0]

    def minimum(self, size: int, left: AffineExpr, numbers: Sequence[Number]) -> Number:
        """The minimum of a tile size and the remaining iterations."""
        values = [number for number in numbers if isinstance(number, SSAValue)]
        dims: list[AffineExpr] = []
        for number in numbers:
            is_value = isinstance(number, SSAValue)
            dims.append(
                AffineExpr.dimension(values.index(number))
                if is_value
                else AffineExpr.constant(number)
            )
        rest = left.replace_dims_and_symbols(dims, [])
        space = AffineMap(len(values), 0, (AffineExpr.constant(size), rest))
        op = MinOp.build(
            operands=[values], properties={"map": AffineMapAttr(space)}, result_types=[IndexType()]
        )
        return self.add(op).results[0]

    def size(self, value: SSAValue, dimension: int) -> Number:
        """The size of a dimension of a tensor or memref."""
        assert isinstance(value.type, ShapedType)
        static_size = value.type.get_shape()[dimension]
        if static_size != DYNAMIC_INDEX:
            return static_size
        index = self.value(dimension)
        op: Operation = (
            tensor.DimOp(value, index)
            if isinstance(value.type, TensorType)
            else memref.DimOp.from_source_and_index(value, index)
        )
        return self.add(op).results[0]


def extents(structure: Structure, builder: Builder) -> tuple[Number, ...]:
    """The trip count of each loop. Raises :class:`Untileable` if no operand has it."""
    counts: list[Number] = []
    for loop in range(structure.rank):
        source = structure.dimension_source(loop)
        if source is None:
            raise Untileable(f"no operand has the extent of loop {loop}")
        counts.append(builder.size(*source))
    return tuple(counts)


def require_slices(structure: Structure, tiled: Sequence[bool]) -> None:
    """Raise :class:`Untileable` if an index decreases along a ``tiled`` loop: then the elements of
    a tile are not a slice.
    """
    if any(structure.dimension_source(loop) is None for loop in range(structure.rank)):
        raise Untileable("no operand has the extent of each loop")
    for space in structure.maps:
        for expr in space.results:
            if not _is_whole(expr, [not cut for cut in tiled]) and not _grows(expr):
                raise Untileable(f"an index is {expr}, and the elements of a tile are not a slice")
    for value in structure.operands:
        if isinstance(value.type, MemRefType) and value.type.get_strides() is None:
            raise Untileable(f"{value.type} has no strides")


def _is_whole(expr: AffineExpr, whole: Sequence[bool]) -> bool:
    return all(whole[dim.position] for dim in expr.dfs() if isinstance(dim, AffineDimExpr))


def _grows(expr: AffineExpr) -> bool:
    """True if the expression is a sum of loops and constants with non-negative factors."""
    if isinstance(expr, AffineDimExpr | AffineConstantExpr):
        return True
    if not isinstance(expr, AffineBinaryOpExpr):
        return False
    if expr.kind is AffineBinaryOpKind.Add:
        return _grows(expr.lhs) and _grows(expr.rhs)
    factors = [side for side in (expr.lhs, expr.rhs) if isinstance(side, AffineConstantExpr)]
    return (
        expr.kind is AffineBinaryOpKind.Mul
        and len(factors) >= 1
        and factors[0].value >= 0
        and _grows(expr.lhs)
        and _grows(expr.rhs)
    )


@dataclass(frozen=True)
class Slice:
    """A slice of an operand."""

    offsets: tuple[Number, ...]
    sizes: tuple[Number, ...]

    def parts(self) -> tuple[Any, ...]:
        """Offsets, sizes and strides as in slice ops: values, and numbers with placeholders."""
        columns = (self.offsets, self.sizes, (1,) * len(self.sizes))
        values = [[value for value in column if isinstance(value, SSAValue)] for column in columns]
        numbers = [
            Array.from_list(
                i64, [number if isinstance(number, int) else DYNAMIC_INDEX for number in column]
            )
            for column in columns
        ]
        return (*values, *numbers)


def slice_of(structure: Structure, n: int, source: SSAValue, tile: Tile, builder: Builder) -> Slice:
    """The slice of ``source``, the n-th operand, that a tile uses."""
    offsets: list[Number] = []
    sizes: list[Number] = []
    for dimension, expr in enumerate(structure.maps[n].results):
        if _is_whole(expr, tile.is_whole):
            offsets.append(0)
            sizes.append(builder.size(source, dimension))
            continue
        first = expr.eval([0] * structure.rank, [])
        offsets.append(builder.apply(expr - first, tile.offsets))
        if isinstance(expr, AffineDimExpr):
            sizes.append(tile.sizes[expr.position])
            continue
        last = [AffineExpr.dimension(loop) - 1 for loop in range(structure.rank)]
        sizes.append(builder.apply(expr.replace_dims_and_symbols(last, []) + 1, tile.sizes))
    return Slice(tuple(offsets), tuple(sizes))


def extract(source: SSAValue, part: Slice, builder: Builder) -> SSAValue:
    """The slice of a tensor, or a view of that part of a memref."""
    shape = [size if isinstance(size, int) else DYNAMIC_INDEX for size in part.sizes]
    offsets, sizes, strides, *numbers = part.parts()
    names = ("static_offsets", "static_sizes", "static_strides")
    kind = source.type
    if isinstance(kind, TensorType):
        op_type: Any = ExtractSliceOp
        type_: Attribute = TensorType(kind.get_element_type(), shape)
    else:
        assert isinstance(kind, MemRefType)
        op_type = SubviewOp
        steps = kind.get_strides()
        assert steps is not None
        start = kind.get_offset()
        for offset, step in zip(part.offsets, steps, strict=True):
            is_known = start is not None and step is not None and isinstance(offset, int)
            start = start + offset * step if is_known else 0 if offset == 0 and start == 0 else None  # pyright: ignore
        layout = StridedLayoutAttr(steps, start)
        type_ = MemRefType(kind.element_type, shape, layout, kind.memory_space)
    op = op_type.build(
        operands=[source, offsets, sizes, strides],
        result_types=[type_],
        properties=dict(zip(names, numbers, strict=True)),
    )
    return builder.add(op).results[0]


def insert(
    op_type: type[InsertSliceOp | ParallelInsertSliceOp],
    part: SSAValue,
    whole: SSAValue,
    place: Slice,
    builder: Builder,
) -> Operation:
    """Insert a slice of a tensor at the position from which it was extracted."""
    offsets, sizes, strides, *numbers = place.parts()
    names = ("static_offsets", "static_sizes", "static_strides")
    op = op_type.build(
        operands=[part, whole, offsets, sizes, strides],
        result_types=[whole.type] if op_type is InsertSliceOp else [],
        properties=dict(zip(names, numbers, strict=True)),
    )
    return builder.add(op)


def tiled_op(
    structure: Structure, outputs: Sequence[SSAValue], tile: Tile, builder: Builder
) -> tuple[Operation, list[Slice | None]]:
    """The structured op on a tile, which updates ``outputs``, and the slices of the outputs."""
    operands: list[SSAValue] = []
    slices: list[Slice | None] = []
    for n, source in enumerate((*structure.inputs, *outputs)):
        is_array = isinstance(source.type, ShapedType)
        if not is_array or not source.type.get_shape():  # pyright: ignore
            operands.append(source)
            slices.append(None)
            continue
        part = slice_of(structure, n, source, tile, builder)
        operands.append(extract(source, part, builder))
        slices.append(part)
    written = operands[len(structure.inputs) :]
    op = structure.op
    new = type(op).create(
        operands=operands,
        result_types=[value.type for value in written if isinstance(value.type, TensorType)],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=[region.clone() for region in op.regions],
    )
    builder.add(new)
    _shift_indices(new, tile)
    return new, slices[len(structure.inputs) :]


def _shift_indices(op: Operation, tile: Tile) -> None:
    """Add the offset of the tile to ``linalg.index``, which counts from the start of the tile."""
    for region in op.regions:
        for index in [
            index_op for index_op in region.walk() if isinstance(index_op, linalg.ops.IndexOp)
        ]:
            offset = tile.offsets[index.dim.value.data]
            if index.parent_op() is not op or offset == 0:
                continue
            builder = Builder(InsertPoint.after(index), index)
            expr = AffineExpr.dimension(0) + AffineExpr.dimension(1)
            total = builder.apply(expr, [index.results[0], offset])
            assert isinstance(total, SSAValue)
            index.results[0].replace_uses_with_if(
                total, lambda use, total=total: use.operation is not total.owner
            )


def require_sizes(
    structure: Structure, sizes: Sequence[int], order: Sequence[int], *, parallel: bool = False
) -> None:
    """Raise :class:`Untileable` unless an op can be tiled by these sizes; with ``parallel``, in any
    order, so that no two tiles write the same element.
    """
    if len(sizes) > structure.rank or len(order) > structure.rank:
        most = max(len(sizes), len(order))
        raise Untileable(f"{most} sizes are given; {structure.op.name} has {structure.rank} loops")
    tiled = [loop for loop, size in enumerate(sizes) if size]
    if tiled:
        require_slices(structure, [loop in tiled for loop in range(structure.rank)])
    if not parallel:
        return
    if not tiled:
        raise Untileable("no loop has a tile")
    for loop in tiled:
        if structure.is_reduced[loop]:
            raise Untileable(f"loop {loop} is a reduction, whose iterations share a result")
        for space in structure.maps[len(structure.inputs) :]:
            if AffineExpr.dimension(loop) not in space.results:
                raise Untileable(f"tiles along loop {loop} write the same elements: {space}")


# Loops -------------------------------------------------------------------------------------


def tile_using_for(
    structure: Structure, sizes: Sequence[int], order: Sequence[int]
) -> tuple[Operation, list[Operation]]:
    """Replace an op by ``scf.for`` loops over tiles. Returns the tiled op and the loops.

    ``sizes`` are the tile sizes along the loops of the op, 0 for untiled loops; ``order`` lists the
    outermost loops, and the others follow. :func:`require_sizes` must have accepted them.
    """
    op = structure.op
    sizes = _filled(structure, sizes)
    if not any(sizes):
        return op, []
    rest = [loop for loop in range(structure.rank) if loop not in order]
    tiled = [loop for loop in (*order, *rest) if sizes[loop]]
    builder = Builder(InsertPoint.before(op), op)
    counts = extents(structure, builder)
    tensors = [value for value in structure.outputs if isinstance(value.type, TensorType)]
    carried: list[SSAValue] = list(tensors)
    offsets: list[Number] = [0] * structure.rank
    loops: list[ForOp] = []
    zero = builder.value(0)
    bounds = [(builder.value(counts[loop]), builder.value(sizes[loop])) for loop in tiled]
    for loop, (end, step) in zip(tiled, bounds, strict=True):
        types = [value.type for value in carried]
        body = Block(arg_types=[IndexType(), *types])
        loop_op = ForOp(zero, end, step, carried, Region(body))
        builder.add(loop_op)
        loops.append(loop_op)
        offsets[loop] = body.args[0]
        carried = list(body.args[1:])
        builder = Builder(InsertPoint.at_end(body), op)
    tile = _tile(offsets, sizes, counts, builder)
    destinations = iter(carried)
    outputs = [
        next(destinations) if isinstance(value.type, TensorType) else value
        for value in structure.outputs
    ]
    new, slices = tiled_op(structure, outputs, tile, builder)
    results = iter(new.results)
    yielded: list[SSAValue] = []
    for output, part in zip(outputs, slices, strict=True):
        if isinstance(output.type, TensorType):
            value = next(results)
            if part is not None:
                value = insert(InsertSliceOp, value, output, part, builder).results[0]
            yielded.append(value)
    for loop_op in reversed(loops):
        done = scf.YieldOp(*yielded)
        done.location = op.location
        loop_op.body.block.add_op(done)
        yielded = list(loop_op.results)
    _replace(op, yielded)
    return new, list(loops)


def tile_using_forall(
    structure: Structure, sizes: Sequence[int], mapping: Attribute | None
) -> tuple[Operation, Operation]:
    """Replace an op by one ``scf.forall`` over tiles. Returns the tiled op and the loop.

    :func:`require_sizes` has accepted the sizes for tiles in any order.
    """
    op = structure.op
    sizes = _filled(structure, sizes)
    tiled = [loop for loop in range(structure.rank) if sizes[loop]]
    builder = Builder(InsertPoint.before(op), op)
    counts = extents(structure, builder)
    shared = [value for value in structure.outputs if isinstance(value.type, TensorType)]
    types = [value.type for value in shared]
    body = Block(arg_types=[*([IndexType()] * len(tiled)), *types])
    ends = [counts[loop] for loop in tiled]
    properties: dict[str, Attribute] = {
        "staticLowerBound": Array.from_list(i64, [0] * len(tiled)),
        "staticUpperBound": Array.from_list(
            i64, [end if isinstance(end, int) else DYNAMIC_INDEX for end in ends]
        ),
        "staticStep": Array.from_list(i64, [sizes[loop] for loop in tiled]),
    }
    if mapping is not None:
        properties["mapping"] = mapping
    values = [end for end in ends if isinstance(end, SSAValue)]
    forall = ForallOp.build(
        operands=[[], values, [], shared],
        result_types=[types],
        properties=properties,
        regions=[Region(body)],
    )
    builder.add(forall)
    builder = Builder(InsertPoint.at_end(body), op)
    offsets: list[Number] = [0] * structure.rank
    for loop, index in zip(tiled, body.args, strict=False):
        offsets[loop] = index
    tile = _tile(offsets, sizes, counts, builder)
    destinations = iter(body.args[len(tiled) :])
    outputs = [
        next(destinations) if isinstance(value.type, TensorType) else value
        for value in structure.outputs
    ]
    new, slices = tiled_op(structure, outputs, tile, builder)
    ending = InParallelOp.build(regions=[Region(Block())])
    builder.add(ending)
    inner = Builder(InsertPoint.at_end(ending.region.block), op)
    results = iter(new.results)
    for output, part in zip(outputs, slices, strict=True):
        if isinstance(output.type, TensorType):
            assert part is not None
            insert(ParallelInsertSliceOp, next(results), output, part, inner)
    _replace(op, list(forall.results))
    return new, forall


def _filled(structure: Structure, sizes: Sequence[int]) -> list[int]:
    return [*sizes, *([0] * (structure.rank - len(sizes)))]


def _tile(
    offsets: Sequence[Number], sizes: Sequence[int], counts: Sequence[Number], builder: Builder
) -> Tile:
    lengths: list[Number] = []
    left = AffineExpr.dimension(0) - AffineExpr.dimension(1)
    for offset, size, count in zip(offsets, sizes, counts, strict=True):
        if size == 0 or (isinstance(count, int) and size >= count):
            lengths.append(count)
        elif isinstance(count, int) and count % size == 0:
            lengths.append(size)
        else:
            lengths.append(builder.minimum(size, left, [count, offset]))
    return Tile(tuple(offsets), tuple(lengths), tuple(size == 0 for size in sizes))


def _replace(op: Operation, values: Sequence[SSAValue]) -> None:
    for old, new in zip(op.results, values, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()
