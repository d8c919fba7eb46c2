"""few-filters: convolutions of contiguous rows to a few channels are tiled by rows, like windows.

A tile of ``contraction`` is channels of the result times columns. With two channels it has two
sums, which wait for each other in every term, and each of which loads its input separately. Here a
tile is several rows of one channel, as in ``windows``: the rows share the overlap of their windows,
and there are enough of them. The channels of the input are a loop around the terms of a window::

    for images and channels of the result:
      for rows in tiles: for columns in tiles:
        sums = 0                      # local: registers
        for channels of the input:
          for terms of the window (unrolled): for rows of the tile (unrolled): columns (vectors)
        result = epilogue(sums)

The rule applies if, according to the model, the tiles of ``contraction`` take longer.
"""

from __future__ import annotations

from kc.transforms.auto_schedule.contraction import best_tile
from kc.transforms.auto_schedule.machine import Machine
from kc.transforms.auto_schedule.nests import Nest, extent, iterations
from kc.transforms.auto_schedule.windows import (
    TERMS,
    Windows,
    along_of,
    cycles_of,
    is_regular_reduction,
    window_of,
)

MOST_FILTERS = 4
"""The most channels of the result. With more channels, a tile of contraction has enough sums."""


class FewFilters(Windows):
    """Tile convolutions to a few channels by rows."""

    name = "few-filters"

    def takes(self, nest: Nest, machine: Machine) -> bool:
        return has_few_filters(nest, machine)


def has_few_filters(nest: Nest, machine: Machine) -> bool:
    """True if a block is a convolution to a few channels whose rows and columns have known sizes,
    and if tiles of rows are faster in the model than tiles of channels.
    """
    if not is_regular_reduction(nest):
        return False
    if any(loop.static_extent is None for loop in nest.loops) or len(nest.loads) != 2:
        return False
    if nest.bits < 32 or any(access.bits != nest.bits for access in (*nest.stores, *nest.loads)):
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
