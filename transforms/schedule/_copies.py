"""Copies of a part of a buffer in a separate loop nest: their legal places and their
construction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Instance, Space
from kc.analysis.accesses.regions import WHOLE, BoundIndexValues, Interval, box
from kc.analysis.affine.index_facts import in_range
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.terms import Condition, Term, equal
from kc.analysis.trust import Undecided
from kc.dialects.affine_assembly import at_least_zero
from kc.dialects.tir import (
    AllocOp,
    BlockOp,
    CallExternOp,
    ForKind,
    ForOp,
    LoadOp,
    StoreOp,
    SymbolOp,
    ViewOp,
)
from kc.dialects.tir.threads import is_in_lockstep, is_shared
from kc.transforms.schedule._nests import Nest, new_body, new_loops, spatial_iters, wrap
from kc.transforms.schedule._sizes import Size, SymbolicSize, size_value, sizes_of
from kc.transforms.schedule.base import Site


@dataclass(frozen=True)
class Part:
    """The copied part of a buffer: a box, over the roots of ``index``."""

    buffer: SSAValue
    intervals: list[Interval]
    sizes: list[Size]
    index: IndexValues

    def enter(self, site: Site, space: Space, copy: Instance) -> list[Term]:
        """An element of the part, as new coordinates of ``copy``."""
        element: list[Term] = []
        for interval, size in zip(self.intervals, self.sizes, strict=True):
            dim = space.dim(copy)
            element.append(dim)
            end = _size(site, size, space, copy)
            copy.constraints.append(dim.within(end))
            if interval.size is not None:
                map_, operands = self.index.to_map([interval.base])
                base = space.expr(map_.results[0], operands, copy)
                copy.constraints += [base <= dim, dim < base + interval.size]
        return element


def part_of(site: Site, accesses: Sequence[LoadOp | StoreOp], level: Block) -> Part:
    """The box of elements that ``accesses`` to one buffer touch in one execution of ``level``."""
    buffer = accesses[0].buffer
    index = BoundIndexValues(level=level)
    region = box(accesses, level, index)
    assert region is not None
    sizes = sizes_of(site, buffer)
    intervals = [_clip(interval, size) for interval, size in zip(region, sizes, strict=True)]
    return Part(buffer, intervals, sizes, index)


def _clip(interval: Interval, size: Size) -> Interval:
    """``interval`` without the positions that are provably outside the buffer."""
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


def _size(site: Site, size: Size, space: Space, copy: Instance) -> Term:
    if isinstance(size, int | SSAValue):
        return space.size(size, copy)
    if isinstance(size, SymbolicSize):
        names = {
            op.symbol.data: op.result
            for op in site.function.body.block.ops
            if isinstance(op, SymbolOp)
        }
        used = [
            size.symbols[symbol.position]
            for symbol in size.expr.dfs()
            if isinstance(symbol, AffineSymExpr)
        ]
        if all(name in names for name in used):
            dims = [AffineExpr.dimension(n) for n in range(len(size.symbols))]
            operands = [names.get(name) for name in size.symbols]
            return space.expr(size.expr.replace_dims_and_symbols([], dims), operands, copy)  # pyright: ignore[reportArgumentType]
    copy.opaque.append(Undecided("a size of the buffer is known only at the call"))
    return space.dim(copy)


# Places ---------------------------------------------------------------------------------------


def levels_of(scope: Operation, ops: Sequence[Operation], *, every: bool = False) -> list[Block]:
    """The bodies in ``scope`` that contain all of ``ops``, outermost first.

    A loop without other accesses is included only with ``every``, since a copy has a separate nest.
    Bodies in vectorized loops are excluded: the lanes would share the copy.
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
        common = [level for level, body in zip(common, path, strict=False) if level is body]
    levels: list[Block] = []
    for level in common or []:
        parent = level.parent_op()
        assert parent is not None
        if parent is not scope and not every and not _holds_more(parent, ops):
            break
        if not _in_vector_lanes(level):
            levels.append(level)
    return levels


def _holds_more(root: Operation, ops: Sequence[Operation]) -> bool:
    """True if an access below ``root`` is outside ``ops``."""
    return any(
        isinstance(op, CallExternOp | LoadOp | StoreOp)
        and not any(loop_tree.is_inside(op, access) for access in ops)
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
    """The operation of ``level`` that is or contains ``op``; None if ``level`` does not contain
    ``op``.
    """
    child: Operation | None = op
    while child is not None and child.parent is not level:
        child = child.parent_op()
    return child


def first_of(level: Block, ops: Sequence[Operation]) -> Operation:
    """The first operation of ``level`` that contains one of ``ops``."""
    children = {child_at(level, op) for op in ops}
    return next(op for op in level.ops if op in children)


def whole_of(site: Site, buffer: SSAValue) -> Part:
    """The part that consists of all of ``buffer``."""
    sizes = sizes_of(site, buffer)
    return Part(buffer, [WHOLE] * len(sizes), sizes, BoundIndexValues())


def loops_shared(
    level: Block, instance: Instance, buffer: SSAValue | None = None
) -> dict[ForOp, Term]:
    """The coordinates of ``instance`` in the loops around ``level``, which fix one execution of
    ``level``.

    With ``buffer``, they fix one execution by all threads that share the buffer: the threads run in
    lockstep, and another thread may access an element in the meantime.
    """
    parent = level.parent_op()
    assert parent is not None
    return {
        loop: dim
        for loop, dim in instance.loops.items()
        if loop_tree.is_inside(parent, loop) and (buffer is None or not is_joint(loop, buffer))
    }


def is_joint(loop: ForOp, buffer: SSAValue) -> bool:
    """True if the threads of ``loop`` run in lockstep and share ``buffer``."""
    if not is_in_lockstep(loop.axis):
        return False
    own = loop_tree.defined_inside(buffer, loop)
    return not own or is_shared(loop_tree.memory_scope(buffer), loop.axis)


def same_element(
    space: Space,
    op: LoadOp | StoreOp,
    instance: Instance,
    other_op: LoadOp | StoreOp | ViewOp,
    other_instance: Instance,
) -> list[Condition]:
    """The conditions that two accesses touch the same element."""
    return equal(space.element(op, instance), space.element(other_op, other_instance))


# Building -------------------------------------------------------------------------------------


def new_alloc(
    name: str, type_: MemRefType, sizes: Sequence[int | SSAValue], like: Operation
) -> AllocOp:
    """An alloc of ``type_`` with the sizes ``sizes``. Constant sizes are part of the type."""
    alloc = AllocOp(name, type_, [size for size in sizes if not isinstance(size, int)])
    alloc.location = like.location
    return alloc


def realize(site: Site, part: Part, like: Operation) -> list[int | SSAValue]:
    """The extents of the buffer of ``part``. Operations compute the symbolic ones."""
    return [size_value(site, size, like) for size in part.sizes]


def copy_nest(
    site: Site,
    name: str,
    source: SSAValue,
    target: SSAValue,
    part: Part,
    sizes: Sequence[int | SSAValue],
    anchor: Operation,
    like: Operation,
    annotations: Mapping[str, Attribute] | None = None,
) -> Nest:
    """Loops around a block ``name`` that copies ``part`` of ``source`` into ``target``.

    The names of the loops are unused around ``anchor``. All operations have the location of
    ``like``; the block has ``annotations``.
    """
    index = part.index
    extents = [
        size if interval.size is None else interval.size
        for interval, size in zip(part.intervals, sizes, strict=True)
    ]
    loops = new_loops(site, extents, anchor)
    bindings: list[AffineExpr] = []
    conditions: list[AffineConstraintExpr] = []
    for loop, interval, size in zip(loops, part.intervals, sizes, strict=True):
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
    body = new_body(rank)
    load = LoadOp(source, AffineMap.identity(rank), body.args)
    load.result.name_hint = "value"
    body.add_ops([load, StoreOp(load.result, target, AffineMap.identity(rank), body.args)])
    block = BlockOp(
        name,
        spatial_iters(sizes),
        *index.to_map(bindings),
        Region(body),
        None,
        *index.to_set([*conditions, *in_range(bindings, index)]),
        annotations,
    )
    return wrap(loops, block, like)
