"""windows: poolings and depthwise convolutions, some rows of results in registers at a time.

A result is a sum (or maximum) over a small window of the input. Results that are adjacent in memory
are computed in the lanes of vectors, and the results of a few rows share the input where their
windows overlap::

    for images and channels (parallel):
      pad the plane
      for rows in tiles:
        for columns in tiles:
          sums = 0                      # local: registers
          for terms of the window (unrolled): for rows of the tile (unrolled): columns (vectors)
          result = epilogue(sums)

A term of the window is one vector of weights, or one number, for all rows of the tile. Where
windows overlap, a vector of the input is loaded once for several rows. A row of sums fills whole
vectors of its buffer, even if it has fewer results, because a load cannot take the data of a masked
store from the store buffer. A padding with no other readers is computed for one plane at a time,
while the plane is in the cache. If channels are contiguous, each position of the padding begins
with a vector.
"""

from __future__ import annotations

import math
from typing import Any

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation

from kc.analysis.accesses.regions import stores_to, unit_of
from kc.dialects.tir import BlockOp, ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule import pointwise
from kc.transforms.auto_schedule.contraction import contraction_behind, finish_sums
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.machine import LOAD_COST, Machine
from kc.transforms.auto_schedule.nests import (
    Access,
    Nest,
    extent,
    is_own,
    is_untouched,
    iterations,
    readers,
)
from kc.transforms.auto_schedule.rule import Rule

TERMS = 64
"""The maximum number of terms of an unrolled window."""

WIDEST_STEP = 4
"""The maximum step between windows. Up to this step, vectors of the input are loaded with the
gaps.
"""

NEAR = 16
"""The number of rows among which overlapping windows are searched: windows may have gaps."""

INSTRUCTIONS = 400
"""The maximum number of unrolled multiply-adds for one tile."""

TILE_OVERHEAD = 16
"""The cycles of a tile in addition to those of its terms: for initial values, stores and loops."""


class Windows(Rule):
    """Tile poolings and depthwise convolutions for vector registers."""

    name = "windows"

    def apply(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        epilogue = None
        if not nest.block.is_reduction:
            producer = contraction_behind(nest)
            if producer is None:
                return False
            epilogue, nest = block, draft.nest(producer.label)
        if not self.takes(nest, draft.machine):
            return False
        mark = draft.mark()
        try:
            perform(draft, nest, epilogue)
        except ScheduleError:
            draft.return_to(mark)
            return False
        draft.settled.update(filter(None, (nest.name, epilogue)))
        return True

    def takes(self, nest: Nest, machine: Machine) -> bool:
        """True if the rule tiles this reduction."""
        return is_window(nest, machine)


def is_regular_reduction(nest: Nest) -> bool:
    """True if a block has one unguarded update, its initial value, and only regular accesses."""
    reduction = nest.reduction
    if reduction is None or len(reduction.updates) != 1 or reduction.guard is not None:
        return False
    if not (nest.is_plain and nest.block.has_init and is_untouched(nest.block)):
        return False
    return len(nest.stores) == 1 and all(access.regular for access in (*nest.loads, *nest.stores))


def is_window(nest: Nest, machine: Machine) -> bool:
    """True if a block reduces small windows that move along contiguous memory."""
    if not is_regular_reduction(nest):
        return False
    if not nest.reduce or any(loop.static_extent is None for loop in nest.reduce):
        return False
    along = along_of(nest)
    if along is None or iterations(nest.reduce) > TERMS or nest.operations > 4:
        return False
    # If most lanes of a vector would be idle, another loop is as good.
    if extent(along) * 3 < machine.lanes(nest.bits):
        return False
    # Without overlap, windows share no input, and the vectors of a row are loaded with gaps.
    with_gaps = any(load.stride(along) > 1 for load in nest.loads)
    return with_gaps or any(_moves(nest, loop) for loop in nest.spatial)


def along_of(nest: Nest) -> ForOp | None:
    """The loop over results that are adjacent in memory, if the input moves by a few elements per
    iteration; None otherwise.
    """
    store = nest.stores[0]
    for loop in nest.spatial:
        if store.stride(loop) == 1 and extent(loop) > 1:
            near = all(0 <= load.stride(loop) <= WIDEST_STEP for load in nest.loads)
            return loop if near else None
    return None


def _moves(nest: Nest, loop: ForOp) -> bool:
    """True if the windows move along ``loop`` and overlap: some elements of one iteration are also
    elements of the next ones.
    """
    return any(_overlap(load, loop, term) for load in nest.loads for term in nest.reduce)


def _overlap(load: Access, loop: ForOp, term: ForOp) -> bool:
    """True if a load reads some of the same elements, over all iterations of ``term``, for a few
    iterations of ``loop``.
    """
    if load.stride(loop) <= 0 or load.stride(term) == 0:
        return False
    count = min(extent(loop), NEAR)
    return _places(load, loop, count, term) < count * extent(term)


def window_of(nest: Nest) -> list[ForOp]:
    """The loops over the terms that are unrolled: the loops of the window, without the loops over
    many channels.
    """
    if iterations(nest.reduce) <= TERMS:
        return nest.reduce
    return [
        term
        for term in nest.reduce
        if any(_overlap(load, loop, term) for load in nest.loads for loop in nest.spatial)
    ]


def cycles_of(nest: Nest, machine: Machine) -> float | None:
    """The cycles of the nest as :func:`perform` schedules it; None if no rows share terms."""
    along = along_of(nest)
    rows, height = _rows(nest, along, machine) if along is not None else (None, 1)
    if along is None or rows is None:
        return None
    whole, rest = divmod(extent(rows), height)
    down = whole * _cycles(nest, rows, height, machine)
    down += _cycles(nest, rows, rest, machine) if rest else 0
    across = math.ceil(extent(along) / machine.lanes(nest.bits))
    around = iterations(loop for loop in nest.spatial if loop not in (along, rows))
    window = window_of(nest)
    return down * across * around * iterations(loop for loop in nest.reduce if loop not in window)


def _rows(nest: Nest, along: ForOp, machine: Machine) -> tuple[ForOp | None, int]:
    """The loop over rows that share terms, and the number of rows of a tile; None and 1 if no rows
    share terms.
    """
    own = [loop for loop in nest.spatial if loop is not along and _moves(nest, loop)]
    if not own or own[-1].static_extent is None:
        return None, 1
    rows = own[-1]
    terms = iterations(window_of(nest))
    most = min(extent(rows), machine.registers // 4, max(1, INSTRUCTIONS // terms))
    costs = {
        height: extent(rows) // height * _cycles(nest, rows, height, machine)
        + (_cycles(nest, rows, extent(rows) % height, machine) if extent(rows) % height else 0)
        for height in range(1, most + 1)
    }
    return rows, min(costs, key=lambda height: costs[height])


def _cycles(nest: Nest, rows: ForOp, height: int, machine: Machine) -> float:
    """The cycles of a vector of each of ``height`` rows, in one window."""
    window = window_of(nest)
    terms = iterations(window)
    loads = 0
    for load in nest.loads:
        different = iterations(term for term in window if load.stride(term))
        if not load.stride(rows):
            loads += different
            continue
        loads += min(
            (
                different // extent(term) * _places(load, rows, height, term)
                for term in window
                if _overlap(load, rows, term)
            ),
            default=different * height,
        )
    work = terms * height * max(1, nest.operations - 1)
    bound = max(
        work / machine.fma_per_cycle,
        loads / machine.loads_per_cycle,
        # Consecutive tiles do not depend on each other; consecutive channels do.
        terms * machine.fma_latency / (2 if len(window) == len(nest.reduce) else 1),
    )
    return bound + LOAD_COST * loads + TILE_OVERHEAD


def _places(load: Access, rows: ForOp, height: int, term: ForOp) -> int:
    """The number of different elements that ``height`` rows load in all iterations of ``term``."""
    step, apart = load.stride(rows), load.stride(term)
    return len({r * step + t * apart for r in range(height) for t in range(extent(term))})


def _padding(draft: Draft, nest: Nest) -> list[str]:
    """The elementwise blocks whose results only the windows read."""
    blocks = []
    for load in nest.loads:
        if not is_own(load.buffer):
            continue
        writers: set[Operation] = {
            unit_of(store, draft.function) for store in stores_to(load.buffer)
        }
        if len(writers) != 1 or readers(load.buffer) != [nest.block]:
            continue
        (writer,) = writers
        if not isinstance(writer, BlockOp) or writer.is_reduction or not is_untouched(writer):
            continue
        if writer.label not in draft.settled and draft.nest(writer.label).is_plain:
            blocks.append(writer.label)
    return list(dict.fromkeys(blocks))


def perform(draft: Draft, nest: Nest, epilogue: str | None) -> None:
    """Tile a window. Raises ScheduleError if a primitive is refused."""
    block, machine = nest.name, draft.machine
    along = along_of(nest)
    assert along is not None
    lanes = machine.lanes(nest.bits)
    rows, height = _rows(nest, along, machine)
    handles = draft.loops(block)
    outer = [loop for loop in nest.spatial if loop not in (along, rows)]
    # Windows share rows only within one plane.
    apart = next((n for n, loop in enumerate(outer) if _moves(nest, loop)), len(outer))
    planes = iterations(outer[:apart])
    padded = _padding(draft, nest)
    # If several results read the same plane, as with several filters, the plane is padded once,
    # before all of them.
    of_planes = all(
        any(load.stride(loop) for load in nest.loads if is_own(load.buffer))
        for loop in outer[:apart]
        if extent(loop) > 1
    )
    enough = planes > 1 and (planes >= 8 * machine.cores or machine.cores == 1)
    padding = padded if of_planes and enough else []
    if extent(along) >= 2 * lanes and extent(along) % lanes and not _moves(nest, along):
        # Rows of the padding begin at whole vectors, because a window may begin at any position of
        # a row, but always at its first channel.
        for name in padded:
            draft.attempt("storage_align", draft.block(name), 0, -2, lanes, 0)
    outside: list[Any] = [handles[loop] for loop in outer]
    tiles, inner, hinted = [], [], []
    for loop, size in ((rows, height), (along, lanes)):
        if loop is None:
            continue
        count, handle = loop.static_extent, handles[loop]
        if loop is rows and count is not None and count <= size:
            inner.append(handle)
            continue
        cut, part = draft.split(handle, [None, size])
        tiles.append(cut)
        inner.append(part)
        if count is None or count > size and count % size:
            hinted.append(cut)
    window = window_of(nest)
    channels = [handles[loop] for loop in nest.reduce if loop not in window]
    reduce = [*channels, *(handles[loop] for loop in window)]
    draft.put_in_order([*outside, *tiles, *reduce, *inner])
    together = apart if padding else len(outside) + len(tiles) - 1
    joined = draft.run_in_parallel(block, together)
    around = [*outside, *tiles]
    if joined:
        around[:joined] = list(draft.loops(block).values())[:1]
    depth = max(0, apart - max(0, joined - 1))
    if epilogue is None:
        last = draft.cache_write(draft.block(block), 0, "local")
    else:
        draft.set_scope(draft.block(block), 0, "local")
        last = draft.block(epilogue)
    finish_sums(draft, block, last, around, None, 0)
    shape = nest.stores[0].op.buffer.type
    if isinstance(shape, MemRefType) and len(shape.get_shape()) > 1:
        draft.attempt("storage_align", draft.block(block), 0, -2, lanes, 0)
    for loop in (*reduce[len(channels) :], *inner[:-1]):
        draft.unroll(loop)
    draft.vectorize(inner[-1])
    draft.decompose(block, reduce[0])
    for name in padding:
        if depth and _bytes_of(draft, name) // planes <= machine.l2 // 2:
            draft.compute_at(draft.block(name), around[depth - 1])
            draft.settled.add(pointwise.schedule(draft, name, depth))
            draft.settled.add(name)
    for cut in hinted:
        if cut.gone is None:
            draft.attempt("pragma", cut, "loop_partition_hint", True)


def _bytes_of(draft: Draft, name: str) -> int:
    """The bytes of the results of a block."""
    nest = draft.nest(name)
    return math.ceil(iterations(nest.spatial) * nest.bits / 8)
