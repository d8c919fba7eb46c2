"""side-by-side: short rows, as a softmax of ten columns has, share vectors.

A row that is shorter than a vector leaves lanes idle, and each of its reductions ends with the sum
of lanes, which takes longer than all other steps for up to two vectors. Here as many rows as a
vector has lanes are computed together, a row in each lane::

    for blocks of rows (parallel):
      copy the rows to local memory, turned      # elements one by one
      for columns (unrolled): maxima of vectors
      for columns (unrolled): powers; sums of powers; quotients
      copy the results from local memory

Moving an element takes two cycles, once on the way in and once on the way out.
"""

from __future__ import annotations

from kc.dialects.tir import ForOp
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import Nest, extent, is_untouched
from kc.transforms.auto_schedule.rows import Group, group_of, work_of
from kc.transforms.auto_schedule.rule import Rule
from kc.transforms.trace.handles import LoopRV


class SideBySide(Rule):
    """Compute rows that are shorter than two vectors together, with a row in each lane."""

    name = "side-by-side"

    def apply(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if not is_untouched(nest.block) or not nest.is_plain or not nest.spatial:
            return False
        group = group_of(draft, nest)
        if not group.members or not is_narrow(draft, group):
            return False
        perform(draft, group)
        return True


def is_narrow(draft: Draft, group: Group) -> bool:
    """True if the blocks of a group have reductions, and rows that are shorter than two vectors and
    adjacent in memory.
    """
    nests = (group.root, *group.members)
    lanes = draft.machine.lanes(group.root.bits)
    rows = group.shared[-1]
    if rows.static_extent is not None and rows.static_extent < 2 * lanes:
        return False
    if not any(nest.block.is_reduction for nest in group.members) or lanes < 4:
        return False
    for nest in nests:
        own = _columns(group, nest)
        if len(own) > 1 or any(
            loop.static_extent is None or extent(loop) >= 2 * lanes for loop in own
        ):
            return False
        if not set(nest.reduce) <= set(own):
            return False
    columns = _columns(group, group.root)
    (store,) = group.root.stores
    if not columns or store.stride(columns[0]) != 1:
        return False
    return store.stride(rows) == extent(columns[0])


def _columns(group: Group, nest: Nest) -> list[ForOp]:
    """The loops of a block inside of the loops that all blocks share."""
    shared = group.shared_by(nest)
    return [loop for loop in nest.loops if loop not in shared]


def perform(draft: Draft, group: Group) -> None:
    """Schedule the blocks of a group, with a row in each lane. Raises ScheduleError if a primitive
    is refused.
    """
    root, lanes = group.root, draft.machine.lanes(group.root.bits)
    work = work_of(group)
    rows = group.shared[-1]
    ragged = rows.static_extent is None or rows.static_extent % lanes != 0
    names = [root.name, *(nest.name for nest in group.members)]
    inputs = _inputs(group)
    handles = draft.loops(root.name)
    outside: list[LoopRV] = [handles[loop] for loop in group.shared]
    inside = [handles[loop] for loop in root.loops if loop not in group.shared]
    outside[-1], row = draft.split(outside[-1], [None, lanes])
    draft.put_in_order([*outside, *inside, row])
    place, depth = outside[-1], len(outside)
    for nest in group.members:
        draft.compute_at(draft.block(nest.name), place)
    copies = []
    for buffer in inputs:
        readers = [name for name in names if _number(draft.nest(name), buffer) is not None]
        first = readers[-1]
        number = _number(draft.nest(first), buffer)
        copy = draft.cache_read(
            draft.block(first), number, "local", [draft.block(name) for name in readers]
        )
        draft.compute_at(copy, place)
        copies.append(draft.session.block(copy).label)
    last = draft.cache_write(draft.block(root.name), 0, "local")
    draft.reverse_compute_at(last, place)
    for name in (*names, *copies):
        rank = len(draft.nest(name).stores[0].op.indices.data.results)
        if _columns_within(draft, name, depth) and not draft.nest(name).block.is_reduction:
            draft.transform_layout(draft.block(name), ("write", 0), _turned(rank))
    for name in names:
        nest = draft.nest(name)
        own = list(draft.loops(name).values())[depth:]
        # The rows are the first loop, except in the root block, where they are the last.
        *columns, lane = own if name == root.name else [*own[1:], own[0]]
        if columns:
            draft.put_in_order([*columns, lane])
        draft.vectorize(lane)
        for loop in columns:
            draft.unroll(loop)
        if nest.block.is_reduction and columns:  # rows of one element have no loop
            draft.decompose(name, columns[0])
        if name != root.name:
            draft.set_scope(draft.block(name), 0, "local")
    moving = [*copies, draft.session.block(last).label]
    for name in moving:
        draft.unroll(list(draft.loops(name).values())[-1])
    draft.settled.update((*names, *moving))
    at_most = depth - 1 if ragged and depth > 1 else depth
    joined = draft.run_in_parallel(root.name, at_most, work)
    if ragged and not (joined > 1 and at_most == depth):
        draft.attempt("pragma", place, "loop_partition_hint", True)


def _columns_within(draft: Draft, name: str, depth: int) -> bool:
    return len(draft.nest(name).loops) - depth > 1


def _turned(rank: int) -> str:
    dims = [f"d{n}" for n in range(rank)]
    return f"({', '.join(dims)})->({', '.join([*dims[:-2], dims[-1], dims[-2]])})"


def _inputs(group: Group) -> list[object]:
    """The input buffers of the group whose rows are read: other blocks write them."""
    buffers: dict[object, None] = {}
    own = {store.buffer for nest in (group.root, *group.members) for store in nest.stores}
    for nest in (group.root, *group.members):
        row = group.shared_by(nest)[-1]
        for load in nest.loads:
            if load.buffer not in own and load.stride(row) not in (0, 1):
                buffers[load.buffer] = None
    return list(buffers)


def _number(nest: Nest, buffer: object) -> int | None:
    is_read = any(load.buffer is buffer for load in nest.loads)
    return nest.read_number(buffer) if is_read else None  # pyright: ignore[reportArgumentType]
