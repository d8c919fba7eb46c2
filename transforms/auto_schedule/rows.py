"""rows: stages that share loops are computed together, one iteration of the shared loops after the
other.

Softmax reads a row for its maximum, for the sum of exponentials, and for the division. The row
stays in the cache if all three stages run before the next row. So the producers of a block move
into the loops over the variables that index all of them (``compute_at``), if the footprint of an
iteration fits in the L2 cache. The shared loops become the outermost ones. If the contiguous loop
is shared (a softmax of columns), it is first split into pieces of a few vectors, so that a loop
remains for vectors.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from kc.analysis.accesses.regions import stores_to, unit_of
from kc.dialects.tir import BlockOp, ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule import pointwise, reduction
from kc.transforms.auto_schedule.contraction import is_contraction
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import (
    Nest,
    extent,
    is_own,
    is_untouched,
    iterations,
    loop_of_dimension,
    readers,
)
from kc.transforms.auto_schedule.rule import Rule
from kc.transforms.trace.handles import LoopRV

COLUMNS = 2
"""The number of vectors of columns in a piece if the shared loop is the contiguous one: at least a
cache line, so that no line is fetched twice.
"""


MOST = 24
"""The maximum number of producers in a group, so that the search takes the same time for chains of
any length.
"""


@dataclass
class Group:
    """A block, the root, and the producers that are computed in its loops."""

    root: Nest
    shared: list[ForOp]
    """The loops of the root that all blocks of the group share."""
    members: list[Nest] = field(default_factory=list)
    """The producers; consumers precede the producers of their operands."""
    axes: dict[str, dict[int, ForOp]] = field(default_factory=dict)
    """For each block, the loops that correspond to loops of the root, by their positions in the
    root.
    """

    def shared_by(self, nest: Nest) -> list[ForOp]:
        """The loops of a block that correspond to the shared loops."""
        axes = self.axes[nest.name]
        numbers = [self.root.spatial.index(loop) for loop in self.shared]
        return [axes[n] for n in numbers if n in axes]


def work_of(group: Group) -> int:
    """The work of all blocks of a group, in additions."""
    return sum(
        iterations(nest.loops) * max(1, nest.operations + len(nest.loads))
        for nest in (group.root, *group.members)
    )


class Rows(Rule):
    """Compute producers in the loops that they share with their consumers."""

    name = "rows"

    def apply(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if not is_untouched(nest.block) or not nest.is_plain or not nest.spatial:
            return False
        group = group_of(draft, nest)
        if not group.members or not _is_worth(draft, group):
            return False
        mark = draft.mark()
        for by_parts in (False, True):
            try:
                _perform(draft, group, by_parts=by_parts)
            except ScheduleError:
                draft.return_to(mark)
                group = group_of(draft, draft.nest(block))
                continue
            return True
        return False


def group_of(draft: Draft, root: Nest, *, products: bool = False) -> Group:
    """The group of a block: the block and the producers that can share loops with it. Products are
    members only with ``products``.
    """
    group = Group(root, list(root.spatial))
    group.axes[root.name] = dict(enumerate(root.spatial))
    nests = {root.name: root}
    place_of = draft.session.site(draft.function).place_of
    end = place_of(root.block)
    pending = _producers(draft, root)
    seen = set(pending)
    # Blocks are visited from last to first, because all readers of a block must be in the group
    # before the block itself.
    while pending and len(group.members) < MOST:
        block = max(pending, key=place_of)
        pending.remove(block)
        place = place_of(block)
        if place >= end:
            continue
        end = place
        if block.label in draft.settled or not is_untouched(block):
            continue
        nest = draft.nest(block.label)
        axes = _axes(nest, nests, group)
        if axes is None or not any(loop in axes for loop in range(len(root.spatial))):
            continue
        if not products and is_product(draft, nest):
            continue  # it is tiled by its own rule
        shared = [loop for n, loop in enumerate(root.spatial) if n in axes and loop in group.shared]
        if not shared:
            continue
        group.shared = shared
        group.axes[nest.name] = axes
        group.members.append(nest)
        nests[nest.name] = nest
        pending |= _producers(draft, nest) - seen
        seen |= pending
    return group


def is_product(draft: Draft, nest: Nest) -> bool:
    """True if a block is a product or a convolution for the rule ``contraction``."""
    if iterations(nest.reduce) <= 16:
        return False
    if "product" not in nest.results:
        nest.results["product"] = is_contraction(nest, draft.machine)
    return nest.results["product"]


def _producers(draft: Draft, nest: Nest) -> set[BlockOp]:
    """The blocks that store to the buffers that a nest loads from."""
    buffers = {load.buffer for load in nest.loads}
    units = {unit_of(store, draft.function) for buffer in buffers for store in stores_to(buffer)}
    return {unit for unit in units if isinstance(unit, BlockOp)}


def _axes(nest: Nest, nests: dict[str, Nest], group: Group) -> dict[int, ForOp] | None:
    """The loops of ``nest`` that correspond to loops of the root; None if a reader is not in the
    group.
    """
    if not nest.is_plain or not nest.stores:
        return None
    axes: dict[int, ForOp] | None = None
    for store in nest.stores:
        if not is_own(store.buffer):
            return None
        consumers = readers(store.buffer)
        if consumers is None:
            return None
        own = loop_of_dimension(nest, store)
        for consumer in consumers:
            if consumer is nest.block:
                continue
            reader = nests.get(consumer.label)
            if reader is None or reader.block is not consumer:
                return None
            of_loop = {loop: n for n, loop in group.axes[reader.name].items()}
            for load in reader.loads:
                if load.buffer is not store.buffer:
                    continue
                along: dict[int, ForOp] = {}
                for loop, mine in zip(loop_of_dimension(reader, load), own, strict=True):
                    if loop is not None and loop in of_loop and mine is not None:
                        along[of_loop[loop]] = mine
                same = axes is None or {n: along.get(n) for n in axes} == axes
                if axes is not None and not same:
                    along = {n: loop for n, loop in axes.items() if along.get(n) is loop}
                axes = along
    return axes


def _is_worth(draft: Draft, group: Group) -> bool:
    """True if the footprint of an iteration of the shared loops fits in the cache, and loops remain
    to vectorize.
    """
    machine = draft.machine
    columns = _columns(draft, group)
    touched: dict[SSAValue, float] = {}
    for nest in (group.root, *group.members):
        shared = group.shared_by(nest)
        along = None
        if columns is not None:
            along = group.axes[nest.name].get(group.root.spatial.index(columns))
        for access in (*nest.loads, *nest.stores):
            inner = [loop for loop in nest.loops if loop not in shared and access.stride(loop)]
            size = iterations(inner) * access.bits / 8
            if along is not None and access.stride(along):
                size *= COLUMNS * machine.lanes(group.root.bits)
            touched[access.buffer] = max(touched.get(access.buffer, 0), size)
    if sum(touched.values()) > machine.l2 or not _saves(group):
        return False
    return columns is not None or all(
        _vector_is_left(draft, nest, group.shared_by(nest)) for nest in (group.root, *group.members)
    )


def _columns(draft: Draft, group: Group) -> ForOp | None:
    """The contiguous loop of the root if it is shared and must be split, because it is the only
    loop with vectors for some reduction; None otherwise.
    """
    vector = pointwise.vector_loop(
        group.root, group.root.spatial, draft.machine.lanes(group.root.bits)
    )
    if vector is None or vector not in group.shared:
        return None
    reductions = [nest for nest in group.members if nest.block.is_reduction]
    if all(reduction.row_of(draft, nest) is not None for nest in reductions):
        return None
    return vector


def _saves(group: Group) -> bool:
    """True if a large part of the data is read more than once or passed between the blocks.
    Otherwise the blocks run one after the other, each with the loops that suit it best.
    """
    moved, again = 0.0, 0.0
    seen: set[SSAValue] = set()
    for nest in (group.root, *group.members):
        for buffer in dict.fromkeys(access.buffer for access in (*nest.loads, *nest.stores)):
            access = next(
                access for access in (*nest.loads, *nest.stores) if access.buffer is buffer
            )
            size = iterations(loop for loop in nest.loops if access.stride(loop)) * access.bits
            moved += size
            if buffer in seen:
                again += size
            seen.add(buffer)
    return again * 5 > moved


def _vector_is_left(draft: Draft, nest: Nest, shared: list[ForOp]) -> bool:
    """True if vectors run along a loop that is not shared."""
    inner = [loop for loop in nest.loops if loop not in shared]
    if iterations(inner) == 1 and all(loop.static_extent is not None for loop in inner):
        return True  # an iteration computes a single number
    vector = pointwise.vector_loop(nest, inner, draft.machine.lanes(nest.bits))
    return vector is not None or all(loop in nest.reduce for loop in inner)


def _perform(draft: Draft, group: Group, *, by_parts: bool) -> None:
    """Move the members into the loops of the root, and schedule all of them there.

    With ``by_parts``, reductions along contiguous memory are computed as partial results
    (``rfactor``), which are created before the blocks move.
    """
    root, machine = group.root, draft.machine
    name = root.name
    handles = draft.loops(name)
    work = work_of(group)
    shared = list(group.shared)
    vector = _columns(draft, group)
    outside: list[LoopRV] = [handles[loop] for loop in shared]
    inside = [handles[loop] for loop in root.loops if loop not in shared]
    along_row = [nest for nest in group.members if reduction.row_of(draft, nest) is not None]
    if vector is not None:
        size = COLUMNS * machine.lanes(root.bits)
        if extent(vector) > size:
            outer, inner = draft.split(handles[vector], [None, size])
            outside[shared.index(vector)] = outer
            inside.append(inner)
        elif len(shared) > 1:
            outside.remove(handles[vector])
            inside.append(handles[vector])
        else:
            raise ScheduleError(
                "KC3203",
                "the only shared loop is the vector loop, and no loop is left for producers",
            )
    draft.put_in_order([*outside, *inside])
    place, depth = outside[-1], len(outside)
    parts: dict[str, list[str]] = {}
    if by_parts:
        for nest in along_row:
            parts[nest.name] = reduction.make_parts(draft, nest.name)
    for nest in group.members:
        draft.compute_at(draft.block(nest.name), place)
        for part in reversed(parts.get(nest.name, ())):
            draft.compute_at(draft.block(part), place)
    for nest in (root, *group.members):
        if nest.name in parts:
            for part in parts[nest.name]:
                reduction.schedule_part(draft, part, depth)
        elif _reduces(draft, nest.name):
            reduction.schedule(draft, nest.name, depth, in_place=True)
        else:
            label = pointwise.schedule(draft, nest.name, depth)
            name = label if nest.name == name else name
        draft.settled.add(nest.name)
    draft.run_in_parallel(name, depth, work)


def _reduces(draft: Draft, name: str) -> bool:
    return draft.session.block(draft.block(name)).is_reduction
