"""Copies of a part of a buffer in a loop nest of their own: where one can stand, and what it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from kc.analysis import loop_tree
from kc.analysis.index_values import IndexValues
from kc.analysis.instances import Instance, Space
from kc.analysis.regions import WHOLE, Interval, box, index_values
from kc.dialects.affine_assembly import at_least_zero
from kc.dialects.tir import (
    INDEX,
    AllocOp,
    BlockOp,
    ForKind,
    ForOp,
    IterType,
    LoadOp,
    StoreOp,
    SymbolOp,
)
from kc.transforms.schedule._sizes import Size, SymbolicSize, size_value, sizes_of
from kc.transforms.schedule.base import Site


@dataclass(frozen=True)
class Part:
    """The part of a buffer that is copied: a box, over the roots of ``index``."""

    buffer: SSAValue
    intervals: list[Interval]
    sizes: list[Size]
    index: IndexValues

    def enter(self, site: Site, space: Space, made: Instance) -> list[str]:
        """One element of the part, as new coordinates of ``made``."""
        found: list[str] = []
        for interval, size in zip(self.intervals, self.sizes, strict=True):
            dim = space.dim(made)
            found.append(dim)
            end = _size_text(site, size, space, made)
            made.constraints.append(f"0 <= {dim} and {dim} < {end}")
            if interval.size is not None:
                map_, operands = self.index.to_map([interval.base])
                base = space.expr(map_.results[0], operands, made)
                made.constraints.append(f"{base} <= {dim} and {dim} < {base} + {interval.size}")
        return found


def part_of(site: Site, accesses: Sequence[LoadOp | StoreOp], level: Block) -> Part:
    """What ``accesses`` of one buffer touch in one execution of ``level``, as a box."""
    buffer = accesses[0].buffer
    index = index_values(site.function)
    region = box(accesses, level, index)
    assert region is not None
    sizes = sizes_of(site, buffer)
    intervals = [_clip(one, size) for one, size in zip(region, sizes, strict=True)]
    return Part(buffer, intervals, sizes, index)


def _clip(interval: Interval, size: Size) -> Interval:
    """``interval`` without what is outside of the buffer for sure."""
    length = interval.size
    if length is None:
        return WHOLE
    if isinstance(size, int) and isinstance(interval.base, AffineConstantExpr):
        start = max(interval.base.value, 0)
        length = min(interval.base.value + length, size) - start
        interval = Interval(AffineExpr.constant(start), length)
    if isinstance(size, int) and length >= size:
        return WHOLE
    return Interval(interval.base, max(length, 0))


def _size_text(site: Site, size: Size, space: Space, made: Instance) -> str:
    if isinstance(size, int | SSAValue):
        return space.size(size, made)
    if isinstance(size, SymbolicSize):
        names = {
            op.symbol.data: op.result
            for op in site.function.body.block.ops
            if isinstance(op, SymbolOp)
        }
        used = [
            size.symbols[one.position] for one in size.expr.dfs() if isinstance(one, AffineSymExpr)
        ]
        if all(name in names for name in used):
            dims = [AffineExpr.dimension(n) for n in range(len(size.symbols))]
            operands = [names.get(name) for name in size.symbols]
            return space.expr(size.expr.replace_dims_and_symbols([], dims), operands, made)  # pyright: ignore[reportArgumentType]
    made.opaque.append("a size of the buffer is known at the call only")
    return space.dim(made)


# Places ---------------------------------------------------------------------------------------


def levels_of(scope: Operation, ops: Sequence[Operation]) -> list[Block]:
    """The bodies in ``scope`` that hold all of ``ops``, outermost first.

    Loops that hold nothing else are not entered: a copy has a nest of its own. Nor are vectorized
    ones: the lanes would share what is there.
    """
    common: list[Block] | None = None
    for op in ops:
        path: list[Block] = []
        child = op
        while child is not scope:
            block, parent = child.parent, child.parent_op()
            assert block is not None
            assert parent is not None
            path.append(block)
            child = parent
        path.reverse()
        if common is None:
            common = path
        common = [one for one, other in zip(common, path, strict=False) if one is other]
    found: list[Block] = []
    for level in common or []:
        parent = level.parent_op()
        assert parent is not None
        if parent is not scope and not _holds_more(parent, ops):
            break
        if not _in_vector_lanes(level):
            found.append(level)
    return found


def _holds_more(root: Operation, ops: Sequence[Operation]) -> bool:
    """Whether there are accesses below ``root`` that are not in ``ops``."""
    return any(
        isinstance(op, LoadOp | StoreOp) and not any(loop_tree.is_inside(op, one) for one in ops)
        for op in root.walk()
    )


def _in_vector_lanes(block: Block) -> bool:
    parent = block.parent_op()
    while parent is not None:
        if isinstance(parent, ForOp) and parent.kind.data is ForKind.VECTORIZED:
            return True
        parent = parent.parent_op()
    return False


def child_at(level: Block, op: Operation) -> Operation | None:
    """The op of ``level`` that ``op`` is, or is in."""
    child: Operation | None = op
    while child is not None and child.parent is not level:
        child = child.parent_op()
    return child


def first_of(level: Block, ops: Sequence[Operation]) -> Operation:
    """The first op of ``level`` that holds one of ``ops``."""
    found = {child_at(level, one) for one in ops}
    return next(one for one in level.ops if one in found)


def loops_shared(level: Block, made: Instance) -> dict[ForOp, str]:
    """The coordinates of ``made`` in the loops around ``level``: one execution of it."""
    parent = level.parent_op()
    assert parent is not None
    return {loop: dim for loop, dim in made.loops.items() if loop_tree.is_inside(parent, loop)}


def same_element(
    space: Space, op: LoadOp | StoreOp, one: Instance, other: LoadOp | StoreOp, two: Instance
) -> list[str]:
    """That two accesses are to the same element, as isl text."""
    pairs = zip(space.element(op, one), space.element(other, two), strict=True)
    return [f"{x} = {y}" for x, y in pairs]


# Building -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Copy:
    """A copy that was made: its outermost op, its loops and its block."""

    top: Operation
    loops: list[ForOp]
    block: BlockOp


def new_alloc(
    name: str, type_: MemRefType, sizes: Sequence[int | SSAValue], like: Operation
) -> AllocOp:
    """An alloc of ``type_``, of which ``sizes`` are the sizes."""
    alloc = AllocOp(name, type_, [one for one in sizes if not isinstance(one, int)])
    alloc.location = like.location
    return alloc


def realize(site: Site, part: Part, like: Operation) -> list[int | SSAValue]:
    """The sizes of the buffer of ``part``, as extents."""
    return [size_value(site, one, like) for one in part.sizes]


def copy_nest(
    site: Site,
    name: str,
    source: SSAValue,
    target: SSAValue,
    part: Part,
    sizes: Sequence[int | SSAValue],
    anchor: Operation,
    like: Operation,
) -> Copy:
    """Loops around a block ``name`` that copies ``part`` of ``source`` into ``target``.

    They have names that are new around ``anchor``, and the location of ``like``.
    """
    index = part.index
    names = [f"ax{n}" for n in range(len(sizes))]
    around = loop_tree.loops_around(anchor)
    if around:
        names = site.fresh_names(names, around[-1], [])
    loops: list[ForOp] = []
    bindings: list[AffineExpr] = []
    conditions: list[AffineConstraintExpr] = []
    for label, interval, size in zip(names, part.intervals, sizes, strict=True):
        loop = ForOp(label, size if interval.size is None else interval.size)
        loops.append(loop)
        expr = index.expr(loop.var)
        if interval.size is not None:
            low, _ = index.bounds(interval.base)
            _, high = index.bounds(interval.base + interval.size)
            expr = index.simplify(interval.base + expr)
            end = AffineExpr.constant(size) if isinstance(size, int) else index.expr(size)
            if low is None or low < 0:
                conditions.append(at_least_zero(expr))
            if not isinstance(size, int) or high is None or high > size:
                conditions.append(at_least_zero(index.simplify(end - expr - 1)))
        bindings.append(expr)
    rank = len(sizes)
    body = Block(arg_types=[INDEX] * rank)
    for n, arg in enumerate(body.args):
        arg.name_hint = f"v{n}"
    load = LoadOp(source, AffineMap.identity(rank), body.args)
    load.result.name_hint = "value"
    body.add_ops([load, StoreOp(load.result, target, AffineMap.identity(rank), body.args)])
    block = BlockOp(
        name,
        [(IterType.SPATIAL, f"v{n}", size) for n, size in enumerate(sizes)],
        *index.to_map(bindings),
        Region(body),
        None,
        *index.to_set(conditions),
    )
    top: Operation = block
    for loop in reversed(loops):
        loop.body.block.add_op(top)
        top = loop
    for op in (*loops, block, *body.ops):
        op.location = like.location
    return Copy(top, loops, block)
