"""few-filters: convolutions of contiguous rows to a few channels go through them like a window.

A tile of ``contraction`` is channels of the result times columns. With two channels it has two
sums, which wait for each other in every term, and each of them loads its input anew. Here a tile is
rows of one channel, as of ``windows``: they share what their windows have in common, and there are
enough of them. The channels of the input are a loop around the terms of a window::

    for images and channels of the result:
      for rows in tiles: for columns in tiles:
        sums = 0                      # local: registers
        for channels of the input:
          for terms of the window (unrolled): for rows of the tile (unrolled): columns (vectors)
        result = epilogue(sums)

That is done if the model says that the tiles of ``contraction`` take longer.
"""

from __future__ import annotations

from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule.contraction import best_tile, contraction_behind
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.machine import Machine
from kc.transforms.auto_schedule.nests import Nest, extent, is_untouched, iterations
from kc.transforms.auto_schedule.rule import Rule
from kc.transforms.auto_schedule.windows import TERMS, along_of, cycles_of, perform, window_of

MOST_FILTERS = 4
"""Channels of the result: of more, a tile of contraction has sums enough."""


class FewFilters(Rule):
    """Tile convolutions to a few channels by rows."""

    name = "few-filters"

    def apply(self, draft: Draft, block: str) -> bool:
        nest, epilogue = draft.nest(block), None
        if not nest.block.is_reduction:
            producer = contraction_behind(nest)
            if producer is None:
                return False
            epilogue, nest = block, draft.nest(producer.label)
        if not has_few_filters(nest, draft.machine):
            return False
        mark = draft.mark()
        try:
            perform(draft, nest, epilogue)
        except ScheduleError:
            draft.return_to(mark)
            return False
        draft.settled.update(filter(None, (nest.name, epilogue)))
        return True


def has_few_filters(nest: Nest, machine: Machine) -> bool:
    """Whether a block is a convolution to a few channels whose rows and columns have known sizes,
    and the model finds tiles of rows faster than tiles of channels."""
    reduction = nest.reduction
    if reduction is None or len(reduction.updates) != 1 or reduction.guard is not None:
        return False
    if not nest.is_plain or not nest.block.has_init or not is_untouched(nest.block):
        return False
    if len(nest.stores) != 1 or not all(it.regular for it in (*nest.loads, *nest.stores)):
        return False
    if any(loop.static_extent is None for loop in nest.loops) or len(nest.loads) != 2:
        return False
    if nest.bits < 32 or any(it.bits != nest.bits for it in (*nest.stores, *nest.loads)):
        return False
    window = window_of(nest)
    if not window or len(window) == len(nest.reduce) or iterations(window) > TERMS:
        return False
    along = along_of(nest)
    images = [load for load in nest.loads if along is not None and load.stride(along)]
    filters = [
        loop
        for loop in nest.spatial
        if extent(loop) > 1 and not any(load.stride(loop) for load in images)
    ]
    if len(filters) != 1 or extent(filters[0]) > MOST_FILTERS:
        return False
    cycles, tile = cycles_of(nest, machine), best_tile(nest, machine)
    return cycles is not None and tile is not None and cycles < tile.cycles
