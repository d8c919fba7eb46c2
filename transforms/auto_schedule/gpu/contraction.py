"""gpu-contraction: products of matrices and convolutions, by tiles of sums in registers.

A block has a tile of rows times columns. One operand does not depend on the loop of the rows, and
the second operand does not depend on the loop of the columns. All threads copy parts of both
operands to shared memory; each thread has its own tile in registers. A thread with eight rows or
columns has two runs of four, each adjacent to the runs of its neighbours (virtual threads), so that
neighbouring threads access neighbouring elements::

    for blocks:
      for virtual threads: for threads: sums = 0   # local: registers
        for parts of the reduction:
          copy parts of the operands               # shared
          for the part: for the tile of a thread: sums += ...
        result = sums
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import MemRefType

from kc.dialects.tir import ForOp
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.gpu.rule import GpuRule
from kc.transforms.auto_schedule.gpu.threads import GRID, copy_together, fused
from kc.transforms.auto_schedule.nests import (
    Access,
    Nest,
    extent,
    is_untouched,
    iterations,
)
from kc.transforms.trace.handles import LoopRV

THREADS = 16
"""The number of threads of a block along each side."""

SIDES = (8, 4, 2, 1)
"""The numbers of rows or columns that a thread may have."""

SUMS = 64
"""The maximum number of results that a thread has in registers."""

RUN = 4
"""The number of consecutive rows or columns of a thread: 16 bytes of float32."""

DEPTH = 16
"""The number of reduction terms that are in shared memory at a time."""

SHARED = 32 * 1024
"""The bytes of shared memory that the tiles of both operands may take."""


@dataclass(frozen=True)
class Sides:
    """The loops of a tile, and the accesses that depend on each."""

    rows: ForOp
    columns: ForOp
    operands: tuple[Access, Access]
    """A load that depends on the rows but not on the columns, and a load that depends on the
    columns but not on the rows.
    """


def sides_of(nest: Nest) -> Iterator[Sides]:
    """The possible interpretations of a reduction as a product."""
    reduction = nest.reduction
    if reduction is None or len(reduction.updates) != 1 or not nest.block.has_init:
        return
    if not nest.is_plain or reduction.guard is not None or len(nest.stores) != 1:
        return
    if len(nest.loads) != 2 or nest.loads[0].buffer is nest.loads[1].buffer:
        return
    for rows in nest.spatial:
        for columns in nest.spatial:
            by_rows = [
                load for load in nest.loads if load.stride(rows) and not load.stride(columns)
            ]
            by_columns = [
                load for load in nest.loads if load.stride(columns) and not load.stride(rows)
            ]
            if by_rows and by_columns:
                yield Sides(rows, columns, (by_rows[0], by_columns[0]))


class GpuContraction(GpuRule):
    """Tile products and convolutions for shared memory and registers."""

    name = "gpu-contraction"

    def schedule(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if not nest.block.is_reduction or not is_untouched(nest.block):
            return False
        if iterations(nest.reduce) < DEPTH or not nest.reduce:
            return False
        candidates = [
            sides
            for sides in sides_of(nest)
            if extent(sides.rows) >= THREADS and extent(sides.columns) >= THREADS
        ]
        if not candidates:
            return False
        store = nest.stores[0]
        best = min(
            candidates,
            # Results of neighbouring threads must be adjacent in memory; then larger tiles are
            # preferred.
            key=lambda sides: (
                abs(store.stride(sides.columns)) != 1,
                -min(extent(sides.rows), 128) * min(extent(sides.columns), 128),
            ),
        )
        _perform(draft, block, best)
        draft.settled.add(block)
        return True


def _tile(nest: Nest, sides: Sides) -> tuple[int, int]:
    """The rows and columns of a thread: the largest tile that leaves enough blocks."""
    further = iterations(loop for loop in nest.spatial if loop not in (sides.rows, sides.columns))

    def blocks(down: int, across: int) -> int:
        parts = (
            -(-extent(sides.rows) // (down * THREADS)),
            -(-extent(sides.columns) // (across * THREADS)),
        )
        return parts[0] * parts[1] * further

    choices = [
        (down, across)
        for down in SIDES
        for across in SIDES
        if down * THREADS < 2 * extent(sides.rows)
        and across * THREADS < 2 * extent(sides.columns)
        and down * across <= SUMS
    ]
    return max(
        choices,
        key=lambda tile: (min(blocks(*tile), GRID), tile[0] * tile[1], -abs(tile[0] - tile[1])),
    )


def _lanes(nest: Nest, access: Access, tile: Mapping[ForOp, int]) -> int:
    """The number of elements that a thread copies at once: 16 bytes if each tile of an operand, and
    each of its rows, begins at a multiple of 16 bytes; else 1.
    """
    lanes = 128 // access.bits
    along = nest.loop_of(nest.indices(access)[-1])
    buffer = access.buffer.type
    assert isinstance(buffer, MemRefType)
    if (
        along is None
        or along not in tile
        or not access.regular
        or buffer.get_shape()[-1] % lanes
        or tile[along] % lanes
    ):
        return 1
    elements = prod(tile[loop] for loop in tile if access.stride(loop))
    return lanes if elements % (lanes * THREADS**2) == 0 else 1


def _split(draft: Draft, loop: LoopRV, count: int) -> tuple[LoopRV, list[LoopRV], LoopRV, LoopRV]:
    """Split a loop into blocks, the runs of a thread (if it has several), threads, and the
    iterations of a run. A thread has ``count`` iterations in all.
    """
    run = min(count, RUN)
    if run == count:
        block, thread, own = draft.split(loop, [None, THREADS, run])
        return block, [], thread, own
    block, part, thread, own = draft.split(loop, [None, count // run, THREADS, run])
    return block, [part], thread, own


def _perform(draft: Draft, block: str, sides: Sides) -> None:
    nest = draft.nest(block)
    down, across = _tile(nest, sides)
    handles = draft.loops(block)
    batch = [handles[loop] for loop in nest.spatial if loop not in (sides.rows, sides.columns)]
    terms = [handles[loop] for loop in nest.reduce]
    longest = max(nest.reduce, key=extent)
    by, vy, ty, inner_rows = _split(draft, handles[sides.rows], down)
    bx, vx, tx, inner_columns = _split(draft, handles[sides.columns], across)
    depth = min(DEPTH, extent(longest))
    outer, inner = draft.split(handles[longest], [None, depth])
    steps = [outer if handle is handles[longest] else handle for handle in terms]
    draft.reorder(*batch, by, bx, *vy, *vx, ty, tx, *steps, inner, inner_rows, inner_columns)
    if batch:
        by = fused(draft, [*batch, by])
    for loop, axis in ((by, "blockIdx.y"), (bx, "blockIdx.x")):
        draft.bind(loop, axis)
    for parts, axis in ((vy, "vthread.y"), (vx, "vthread.x")):
        for loop in parts:
            draft.bind(loop, axis)
    draft.bind(ty, "threadIdx.y")
    draft.bind(tx, "threadIdx.x")
    tiles = ((sides.rows, down * THREADS), (sides.columns, across * THREADS))
    copies = [
        (nest.read_number(access.buffer), _lanes(nest, access, {loop: side, longest: depth}))
        for access, (loop, side) in zip(sides.operands, tiles, strict=True)
    ]
    sums = draft.cache_write(draft.block(block), 0, "local")
    draft.reverse_compute_at(sums, tx)
    draft.settled.add(draft.session.block(sums).label)
    for number, lanes in copies:
        copy = draft.cache_read(draft.block(block), number, "shared")
        name = draft.session.block(copy).label
        draft.compute_at(copy, steps[-1])
        outside = len(draft.loops(block)) - 3
        copy_together(draft, name, outside, (THREADS, THREADS), lanes)
        # Rows of A are padded so that the rows that a warp reads begin at different banks.
        draft.attempt("storage_align", copy, 0, -2, DEPTH, RUN)
        draft.settled.add(name)
    draft.decompose_reduction(draft.block(block), steps[0])
