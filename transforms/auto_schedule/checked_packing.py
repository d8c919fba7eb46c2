"""Packing loops that also compute the smallest magnitude of the packed operand.

The loops of a product in two versions are preceded by loops that compute the smallest magnitude of
each operand (:mod:`kc.transforms.auto_schedule.versions`). If an operand is packed as a whole, both
kinds of loops traverse it in the same tiles, so that it is loaded from memory once::

    for columns in tiles (parallel):
      for words in tiles:
        least of the columns = min(least of the columns, numbers of the tile)
        pack the tile                                   # which is in L1 now
    least = min(least of the columns)

The loops of the minimum are split like the packing loops. Each iteration of the outermost loop has
a separate partial result (``rfactor``), so that it may run in parallel. Then the loops are merged.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import extent


def look_while_packing(
    draft: Draft, pack: str, at: tuple[int, int], sizes: tuple[int, int]
) -> bool:
    """Merge the loops of ``pack`` with the loops that reduce its operand to the smallest magnitude.
    Returns False if no such loops exist or if they cannot be merged.

    ``pack`` copies a whole operand in tiles of ``sizes`` along its dimensions ``at``. Its loops are
    the loops of the other dimensions, the two loops over tiles, and the two loops in a tile. On
    failure the program is unchanged, but handles of the loops of ``pack`` are invalid.
    """
    nest = draft.nest(pack)
    looks = _looks_at(draft, nest.loads[0].buffer) if len(nest.loads) == 1 else None
    if looks is None or looks in draft.settled:
        return False
    looked = draft.nest(looks)
    outer = extent(nest.loops[0])
    if looked.loops[0].parent is not nest.loops[0].parent or outer < max(
        2, 2 * draft.machine.cores
    ):
        return False
    is_same = looked.block.extents == nest.block.extents
    # Contiguous loops may have been merged, except for the outermost loop that is not a tile.
    if not is_same and (0 in at or looked.block.extents[0] != nest.block.extents[0]):
        return False
    mark = draft.mark()
    try:
        _merge(draft, pack, looks, *((at, sizes) if is_same else ((), ())))
    except ScheduleError:
        draft.return_to(mark)
        return False
    return True


def _looks_at(draft: Draft, buffer: SSAValue) -> str | None:
    """The block that reduces a whole buffer to a number; None if there is none."""
    for block in draft.blocks():
        if not block.is_reduction or block.label in draft.begun:
            continue
        nest = draft.nest(block.label)
        loads = {load.buffer for load in nest.loads}
        if loads == {buffer} and nest.is_plain and not nest.spatial and len(nest.stores) == 1:
            return block.label
    return None


def _merge(draft: Draft, pack: str, looks: str, at: Sequence[int], sizes: Sequence[int]) -> None:
    handles = list(draft.loops(looks).values())
    (load,) = draft.nest(looks).loads
    outside, inner = [loop for n, loop in enumerate(handles) if n not in at], []
    if at:
        for dim, size in zip(at, sizes, strict=True):
            tiles, tile = draft.split(handles[dim], [None, size])
            outside.append(tiles)
            inner.append(tile)
    else:
        *inner, last = outside[1:]
        outside = outside[:1]
        inner += draft.split(last, [None, draft.machine.vector_bits // load.bits])
    inner.sort(key=lambda loop: -load.stride(draft.session.loop(loop)))
    draft.put_in_order([*outside, *inner])
    parts = draft.session.block(draft.rfactor(outside[0], 0)).label
    for n in range(len(outside)):
        first = list(draft.loops(parts).values())[n]
        draft.fuse_loops(first, list(draft.loops(pack).values())[n])
    draft.vectorize(list(draft.loops(parts).values())[-1])
    draft.settled.add(parts)
