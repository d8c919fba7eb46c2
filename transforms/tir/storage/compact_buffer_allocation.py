"""compact-buffer-allocation: a buffer shrinks to the part that is live at one time.

Before::

    %B = tir.alloc "B" : memref<16x16xf32>
    tir.for %i in 14 {
      tir.for %i_1 in 3 {
        tir.for %j in 16 {
          tir.block "B" (spatial %v_i in 16 = %i + %i_1, spatial %v_j in 16 = %j) do {
            tir.store %b, %B[%v_i, %v_j] : memref<16x16xf32>
      tir.for %j in 16 {
        tir.block "C" (spatial %v_i in 14 = %i, spatial %v_j in 16 = %j) do {
          %x = tir.load %B[%v_i + 2, %v_j] : memref<16x16xf32>

After::

    tir.for %i in 14 {
      %B = tir.alloc "B" : memref<3x16xf32>
      tir.for %i_1 in 3 {
        tir.for %j in 16 {
          tir.block "B" (spatial %v_i in 16 = %i + %i_1, spatial %v_j in 16 = %j) do {
            tir.store %b, %B[%v_i - %i, %v_j] : memref<3x16xf32>
      tir.for %j in 16 {
        tir.block "C" (spatial %v_i in 14 = %i, spatial %v_j in 16 = %j) do {
          %x = tir.load %B[%v_i - %i + 2, %v_j] : memref<3x16xf32>

The buffer moves into a loop around all its accesses if every iteration provably reads only elements
that it has written; otherwise it stays. Among these loops, the pass chooses the outermost one in
which the buffer is smallest. Global memory does not move into loops that a kernel executes, as a
kernel cannot allocate it. At its place the buffer shrinks to the bounding box of its accesses, and
indices are rebased.

Requires nothing, but is meant to run after ``lower-init-block``. The result of a reduction that may
be empty and still has its init stays as it is, since ``lower-init-block`` may fill all of it. So do
buffers with users other than ``tir.load``, ``tir.store`` and views for ``tir.call``.

TVM: ``CompactBufferAllocation`` and ``PlanAndUpdateBufferAllocationLocation``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import AffineMapAttr, MemRefType, ModuleOp, NoneAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space, Supply
from kc.analysis.accesses.regions import BoundIndexValues, Elements, Interval
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.loop_tree import all_loops_around, memory_scope, reduce_extents
from kc.dialects.affine_assembly import ZERO, linear_terms
from kc.dialects.tir import (
    DYNAMIC,
    AllocOp,
    BlockOp,
    CallOp,
    ForKind,
    ForOp,
    LoadOp,
    PrefetchOp,
    StoreOp,
    ViewOp,
)
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES, is_shared
from kc.transforms.affine_rewrite import compact

Access = LoadOp | StoreOp | PrefetchOp | ViewOp
"""The users of a buffer. A prefetch moves with the buffer, but does not extend its live range."""


@dataclass(frozen=True)
class CompactBufferAllocationPass(ModulePass):
    """Move buffers into the loops that use them, and shrink them to the part used there."""

    name = "compact-buffer-allocation"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in loop_tree.functions(op):
            allocs = [op for op in loop_tree.preorder(function) if type(op) is AllocOp]
            if allocs:
                index = BoundIndexValues()
                for alloc in allocs:
                    _compact(alloc, index)


@dataclass(frozen=True)
class _Plan:
    """The new place of a buffer, and its remaining part."""

    accesses: list[Access]
    loop: ForOp | None
    """The loop into which the buffer moves; None if the buffer stays."""
    region: list[Interval]


def _compact(alloc: AllocOp, index: IndexValues) -> None:
    plan = _plan(alloc, index)
    if plan is None:
        return
    if plan.loop is not None:
        _move(alloc, plan.accesses, plan.loop.body.block)
    _shrink(alloc, plan.accesses, plan.region, index)


def compacted_type(alloc: AllocOp, index: BoundIndexValues) -> MemRefType:
    """The type that a buffer will have. The IR does not change."""
    type_ = alloc.buffer.type
    assert isinstance(type_, MemRefType)
    plan = _plan(alloc, index)
    return type_ if plan is None else _shrunk(type_, plan.region)


def _plan(alloc: AllocOp, index: IndexValues) -> _Plan | None:
    """The plan for a buffer; None if the buffer is not changed."""
    accesses: list[Access] = []
    for use in alloc.buffer.uses:
        op = use.operation
        if not isinstance(op, Access) or op.buffer is not alloc.buffer:
            return None
        if isinstance(op, ViewOp) and not is_passed_on(op):
            return None
        if _may_be_empty(op):
            return None
        accesses.append(op)
    home = alloc.parent
    touching = [access for access in accesses if not isinstance(access, PrefetchOp)]
    if not touching or home is None:
        return None
    elements, scope = Elements(touching, index), memory_scope(alloc.buffer)
    places: list[tuple[ForOp | None, list[Interval]]] = []
    for loop in (None, *_loops_around_all(accesses, home, scope)):
        inside = home if loop is None else loop.body.block
        region = elements.box(inside, scope)
        assert region is not None
        places.append((loop, _useful(region, alloc)))
    # The smallest part first, of equal parts the outermost loop; a proof is attempted only where
    # the buffer shrinks.
    for loop, region in sorted(places, key=lambda place: _cost(place[1], alloc)):
        if loop is None or not carries_values(accesses, loop):
            return _Plan(accesses, loop, region)
    return None


def is_passed_on(view: ViewOp) -> bool:
    """True if all uses of a view are arguments of calls."""
    return all(isinstance(use.operation, CallOp) for use in view.result.uses)


def _may_be_empty(op: Access) -> bool:
    """True if ``op`` is in the init of a reduction that may be empty."""
    region = op.parent_region()
    block = region.parent_op() if region is not None else None
    if not isinstance(block, BlockOp) or region is block.body:
        return False
    return any(not isinstance(size, int) or size == 0 for size in reduce_extents(block))


def _repeats_in_kernel(loop: ForOp, scope: str) -> bool:
    """True if a kernel executes a loop several times or in each thread, and cannot allocate memory
    of ``scope`` in it.
    """
    return (
        scope == "global"
        and loop.axis is None
        and any(outer.axis in (*BLOCK_AXES, *LANE_AXES) for outer in all_loops_around(loop))
    )


def _loops_around_all(accesses: Sequence[Access], home: Block, scope: str) -> list[ForOp]:
    """The loops below ``home`` around all accesses, outermost first, in which memory of ``scope``
    may be allocated; loops over vector lanes are excluded.
    """
    common: list[ForOp] | None = None
    for access in accesses:
        path: list[ForOp] = []
        child: Operation = access
        while child.parent is not home:
            parent = child.parent_op()
            assert parent is not None, "a use is below its definition"
            if isinstance(parent, BlockOp):
                path.clear()
            elif isinstance(parent, ForOp):
                path.append(parent)
            child = parent
        path.reverse()
        common = path if common is None else [loop for loop in common if loop in path]
    loops: list[ForOp] = []
    for loop in common or []:
        if loop.kind.data is ForKind.VECTORIZED or _repeats_in_kernel(loop, scope):
            break
        loops.append(loop)
    return loops


def _useful(region: Sequence[Interval], alloc: AllocOp) -> list[Interval]:
    """``region``, with each dimension that would not become smaller replaced by the whole
    dimension."""
    type_ = alloc.buffer.type
    assert isinstance(type_, MemRefType)
    whole = Interval(AffineExpr.constant(0), None)
    if not isinstance(type_.layout, NoneAttr):
        return [whole] * len(region)
    return [
        whole if interval.size is None or DYNAMIC != size <= interval.size else interval
        for interval, size in zip(region, type_.get_shape(), strict=True)
    ]


def _cost(region: Sequence[Interval], alloc: AllocOp) -> tuple[int, int]:
    """The number of dynamic dimensions, and the number of elements of the static dimensions."""
    type_ = alloc.buffer.type
    assert isinstance(type_, MemRefType)
    dynamic, elements = 0, 1
    for interval, size in zip(region, type_.get_shape(), strict=True):
        if interval.size is not None:
            elements *= interval.size
        elif size == DYNAMIC:
            dynamic += 1
        else:
            elements *= size
    return dynamic, elements


def carries_values(accesses: Sequence[Access], loop: ForOp) -> bool:
    """True if an iteration of ``loop`` may read an element that it has not written before."""
    uses = [use for access in accesses for use in _uses(access)]
    stores = [(op, access) for op, access, _, writes in uses if writes]
    reads = [(op, access) for op, access, reads, _ in uses if reads]
    for op, load, along, count in _joined(reads, _blocks_around(op for op, _ in stores)):
        space = Space()
        read = space.instance(op)
        element = space.element(load, read)
        if count > 1:
            number = space.dim(read)
            read.constraints.append(number.within(count))
            element[along] += number
        shared = {}
        for around, dim in read.loops.items():
            if not is_shared(memory_scope(load.buffer), around.axis):
                shared[around] = dim
            if around is loop:
                break
        supplies = []
        for writer, store in stores:
            write = space.instance(writer, shared)
            written = space.element(store, write)
            supplies.append(Supply(write, written, [space.before(write, read)]))
        bounds = space.in_bounds(load, element, read)
        if space.uncovered(read, element, supplies, bounds) is not None:
            return True
    return False


def _blocks_around(ops: Iterable[Operation]) -> set[Block]:
    blocks: set[Block] = set()
    for op in ops:
        block = op.parent
        while block is not None and block not in blocks:
            blocks.add(block)
            block = block.parent_block()
    return blocks


def _joined(
    reads: Sequence[tuple[Operation, LoadOp | StoreOp | ViewOp]],
    written_in: Collection[Block],
) -> Iterator[tuple[Operation, LoadOp | StoreOp | ViewOp, int, int]]:
    """The reads, each with the dimension along which merged reads are adjacent, and their number.

    Loads of neighbouring rows in a block that is not in ``written_in`` are merged, as they all run
    together: the transpose of a tile in registers has 16 of them.
    """
    groups: dict[object, dict[tuple[int, ...], LoadOp]] = {}
    for op, access in reads:
        if not isinstance(access, LoadOp) or access.parent is None or access.parent in written_in:
            yield op, access, 0, 1
            continue
        parts = [linear_terms(expr) for expr in access.indices.data.results]
        terms = tuple(frozenset(of_dim.items()) for of_dim, _ in parts)
        key = access.parent, access.buffer, access.operands_of_map, terms
        groups.setdefault(key, {})[tuple(constant for _, constant in parts)] = access
    for group in groups.values():
        first = min(group)
        rows = [[start + n for n in range(len(group))] for start in first]
        along = next(
            (
                n
                for n, row in enumerate(rows)
                if all((*first[:n], place, *first[n + 1 :]) in group for place in row)
            ),
            None,
        )
        if along is not None:
            yield group[first], group[first], along, len(group)
            continue
        for load in group.values():
            yield load, load, 0, 1


def _uses(
    access: Access,
) -> Iterator[tuple[Operation, LoadOp | StoreOp | ViewOp, bool, bool]]:
    """The operations that an access executes, each with the op that has the indices, True if the
    operation reads and True if it writes.
    """
    if isinstance(access, LoadOp | StoreOp):
        is_store = isinstance(access, StoreOp)
        yield access, access, not is_store, is_store
    elif isinstance(access, ViewOp):
        for call in dict.fromkeys(use.operation for use in access.result.uses):
            assert isinstance(call, CallOp)
            for value, reads, writes in call.accesses:
                if value is access.result:
                    yield call, access, reads, writes


def _move(alloc: AllocOp, accesses: Sequence[Access], home: Block) -> None:
    """Move ``alloc`` before the first op of ``home`` that uses the buffer."""
    users: set[Operation] = set()
    for op in accesses:
        child: Operation = op
        while child.parent is not home:
            parent = child.parent_op()
            assert parent is not None, "all accesses are below the new place"
            child = parent
        users.add(child)
    first = next(op for op in home.ops if op in users)
    alloc.detach()
    home.insert_op_before(alloc, first)


def _shrink(
    alloc: AllocOp, accesses: Sequence[Access], region: Sequence[Interval], index: IndexValues
) -> None:
    if all(interval.size is None for interval in region):
        return
    type_ = alloc.buffer.type
    assert isinstance(type_, MemRefType)
    sizes = []
    dynamic = iter(alloc.dynamic_sizes)
    for interval, size in zip(region, type_.get_shape(), strict=True):
        dynamic_size = next(dynamic) if size == DYNAMIC else None
        if interval.size is None and dynamic_size is not None:
            sizes.append(dynamic_size)
    new = AllocOp(alloc.label, _shrunk(type_, region), sizes)
    new.attributes.update(alloc.attributes)
    new.location = alloc.location
    base, base_operands = index.to_map([interval.base for interval in region])
    single = [interval.size == 1 for interval in region]
    for op in accesses:
        _rebase(op, base, base_operands, single)
    home = alloc.parent
    assert home is not None
    home.insert_op_before(new, alloc)
    alloc.buffer.replace_all_uses_with(new.buffer)
    alloc.detach()
    alloc.erase()


def _shrunk(type_: MemRefType, region: Sequence[Interval]) -> MemRefType:
    shape = [
        size if interval.size is None else interval.size
        for interval, size in zip(region, type_.get_shape(), strict=True)
    ]
    return MemRefType(type_.element_type, shape, type_.layout, type_.memory_space)


def _rebase(
    op: Access, base: AffineMap, base_operands: Sequence[SSAValue], single: Sequence[bool]
) -> None:
    """Subtract ``base`` from the indices of ``op``. A ``single`` dimension has only the index 0."""
    operands = list(op.operands_of_map)
    moved = [AffineExpr.dimension(len(operands) + n) for n in range(len(base_operands))]
    exprs = tuple(
        ZERO if is_single else old - by.replace_dims_and_symbols(moved, [])
        for old, by, is_single in zip(op.indices.data.results, base.results, single, strict=True)
    )
    space = AffineMap(len(operands) + len(base_operands), 0, exprs)
    map_, operands = compact(space, [*operands, *base_operands])
    fixed = len(op.operands) - len(op.operands_of_map)
    op.operands = [*list(op.operands)[:fixed], *operands]
    op.indices = AffineMapAttr(map_)
