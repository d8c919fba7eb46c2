"""gpu-pointwise: elementwise blocks, with a thread for each element.

Neighbouring threads have neighbouring results, or four results each if vectors of 16 bytes can be
loaded and stored. If a load is transposed, tiles of 32 x 32 go through shared memory. The rows of a
tile are padded by a word, so that the elements of a column lie in different banks.
"""

from __future__ import annotations

from kc.dialects.tir import ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.gpu.rule import GpuRule
from kc.transforms.auto_schedule.gpu.threads import (
    GRID,
    THREADS,
    copy_together,
    element_each,
    fused,
)
from kc.transforms.auto_schedule.nests import Access, Nest, extent, is_untouched, iterations

TILE, ROWS = 32, 8
"""The side of a tile that is transposed, and the number of its rows that threads copy at a time."""


class GpuPointwise(GpuRule):
    """Bind each element to a thread. If a load is transposed, tiles go through shared memory."""

    name = "gpu-pointwise"

    def schedule(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if nest.block.is_reduction or not nest.is_plain or not is_untouched(nest.block):
            return False
        turned = _turned(nest)
        mark = draft.mark()
        if turned is not None:
            try:
                _transpose(draft, block, *turned)
            except ScheduleError:
                draft.return_to(mark)
            else:
                draft.settled.add(block)
                return True
        nest = draft.nest(block)
        if nest.loops and not nest.spatial:
            return False  # the iterations depend on each other
        lanes = _lanes(nest)
        try:
            element_each(draft, block, lanes)
        except ScheduleError:
            if lanes == 1:
                raise
            draft.return_to(mark)
            element_each(draft, block)
        draft.settled.add(block)
        return True


def _contiguous(nest: Nest) -> ForOp | None:
    """The loop along which all results are contiguous."""
    for loop in nest.spatial:
        if nest.stores and all(store.regular and store.stride(loop) == 1 for store in nest.stores):
            return loop
    return None


def _lanes(nest: Nest) -> int:
    """The number of elements in 16 bytes; 1 if there are too few elements, or if an access is not
    contiguous.
    """
    along = _contiguous(nest)
    lanes = 128 // nest.bits
    if along is None or along.static_extent is None or along.static_extent % lanes:
        return 1
    if iterations(nest.spatial) < THREADS * lanes * GRID:
        return 1
    accesses = (*nest.stores, *nest.loads)
    return (
        lanes
        if all(access.regular and access.stride(along) in (0, 1) for access in accesses)
        else 1
    )


def _turned(nest: Nest) -> tuple[ForOp, ForOp, Access] | None:
    """The loop along which a load is contiguous, the loop along which the results are contiguous,
    and the load; None if no load is transposed.
    """
    along = _contiguous(nest)
    if along is None or extent(along) < TILE:
        return None
    for load in nest.loads:
        if load.regular and load.stride(along) not in (0, 1):
            for loop in nest.spatial:
                if load.stride(loop) == 1 and extent(loop) >= TILE:
                    return loop, along, load
    return None


def _transpose(draft: Draft, block: str, rows: ForOp, columns: ForOp, load: Access) -> None:
    nest = draft.nest(block)
    handles = draft.loops(block)
    batch = [handles[loop] for loop in nest.loops if loop not in (rows, columns)]
    row_tile, row = draft.split(handles[rows], [None, TILE])
    column_tile, column = draft.split(handles[columns], [None, TILE])
    draft.reorder(*batch, row_tile, column_tile, row, column)
    _, row = draft.split(row, [None, ROWS])
    if batch:
        draft.bind(fused(draft, batch), "blockIdx.z")
    for loop, axis in (
        (row_tile, "blockIdx.y"),
        (column_tile, "blockIdx.x"),
        (row, "threadIdx.y"),
        (column, "threadIdx.x"),
    ):
        draft.bind(loop, axis)
    copy = draft.cache_read(draft.block(block), nest.read_number(load.buffer), "shared")
    draft.compute_at(copy, column_tile)
    name = draft.session.block(copy).label
    copy_together(draft, name, 3 if batch else 2, (ROWS, TILE))
    draft.storage_align(copy, 0, -2, TILE, 1)
    draft.settled.add(name)
