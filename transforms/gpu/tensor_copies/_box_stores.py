"""The places at which a thread waits for the boxes that it stores: before they are overwritten.

The copy unit reads shared memory asynchronously, so the thread that has started a store continues.
It waits before that part of shared memory is written again, before the barrier of the writing
threads, and at the end of the kernel, when the shared memory is released::

    for tile:
      products of the tile
      wait for the stores of the last tile          # cp.async.bulk.wait_group.read 0
      barrier
      sums to shared memory; fence; barrier
      store the box
    wait for the stores

If two boxes may be stored to the same elements, the thread waits at once until the first has
arrived, as nothing orders the two. A part of ``lower-tensor-copies``: the place of the wait depends
on all operations after the store, so there is no rewrite pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from kc.analysis.accesses.dependence import base_buffer
from kc.analysis.accesses.instances import Space, touched
from kc.analysis.affine.terms import any_of, equal
from kc.analysis.gpu.shared_memory import OFFSET, share_memory
from kc.dialects import nvvm
from kc.dialects.gpu import BarrierOp
from kc.dialects.tir import AllocOp, ForOp, StoreBoxOp, ViewOp

Place = Callable[[Operation], None]
"""A function that inserts an operation at a place."""


def stored_again(stores: Sequence[StoreBoxOp]) -> bool:
    """True if two of the boxes that a block stores may have an element in common."""
    return any(_overlap(first, second) for n, first in enumerate(stores) for second in stores[n:])


def _overlap(first: StoreBoxOp, second: StoreBoxOp) -> bool:
    views = [op.target.owner for op in (first, second)]
    assert all(isinstance(view, ViewOp) for view in views)
    here_view, there_view = views
    assert isinstance(here_view, ViewOp)
    assert isinstance(there_view, ViewOp)
    if base_buffer(here_view.buffer) is not base_buffer(there_view.buffer):
        return False
    space = Space()
    here, there = (space.place(op) for op in (first, second))
    shared = [loop for loop in here.loops if loop in there.loops]
    constraints = [
        here.loops[loop].equals(there.loops[loop]) for loop in shared if loop.axis is not None
    ]
    if first is second:
        serial = [loop for loop in shared if loop.axis is None]
        if not serial:
            return False
        constraints.append(any_of([here.loops[loop].differs(there.loops[loop]) for loop in serial]))
    elements = [space.element(here_view, here), space.element(there_view, there)]
    names = touched(len(elements[0]))
    constraints += [*equal(names, elements[0]), *equal(names, elements[1])]
    return space.find([here, there], constraints, names) is not None


def waits_for(store: Operation, tiles: Collection[SSAValue], kernel: ForOp) -> list[Place]:
    """The places at which the thread that executes ``store`` waits until ``tiles`` are read.

    A place is before the first operation after the store, in program order, that has a barrier or
    may access the memory of a tile, in this iteration of the loops around the store or in a later
    one.
    """
    offsets: dict[SSAValue, int] = {
        op.buffer: offset.value.data
        for op in kernel.walk()
        if isinstance(op, AllocOp) and isinstance(offset := op.attributes.get(OFFSET), IntegerAttr)
    }

    def ends(op: Operation) -> bool:
        return any(
            isinstance(inner, BarrierOp | nvvm.BarrierOp) or _touches(inner, tiles, offsets)
            for inner in op.walk()
        )

    return list(_places(store, ends))


def _places(store: Operation, ends: Callable[[Operation], bool]) -> Iterator[Place]:
    place = store
    while True:
        after = place.next_op
        while after is not None and not ends(after):
            after = after.next_op
        block, outer = place.parent, place.parent_op()
        assert block is not None
        if after is not None:
            yield _before(block, after)
            return
        if not isinstance(outer, ForOp) or outer.axis is not None:
            yield block.add_op
            return
        again = block.first_op
        while again is not None and again is not place and not ends(again):
            again = again.next_op
        if again is not None and (again is not place or place is not store):
            yield _before(block, again)
        place = outer


def _before(block: Block, op: Operation) -> Place:
    return lambda new: block.insert_op_before(new, op)


def _touches(op: Operation, tiles: Collection[SSAValue], offsets: Mapping[SSAValue, int]) -> bool:
    """True if an operation may access memory of a tile."""
    if isinstance(op, AllocOp | ViewOp):
        return False
    buffers = {base for value in op.operands if (base := base_buffer(value)) is not None}
    return any(
        buffer is tile or share_memory(offsets, buffer, tile)
        for buffer in buffers
        for tile in tiles
    )
