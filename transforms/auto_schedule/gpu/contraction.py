"""gpu-contraction: products of matrices and convolutions, by tiles of sums in registers.

A block has a tile of rows times columns, where rows are a loop that one operand does not depend on,
and columns one that another operand does not depend on. Parts of both operands are copied to shared
memory by all threads; each thread has a tile of its own in registers, whose rows and columns are as
far apart as there are threads, so that neighbouring threads read and write neighbours::

    for blocks:
      for threads: sums = 0                     # local: registers
        for parts of the reduction:
          copy parts of the operands            # shared
          for the part: for the tile of a thread: sums += ...
        result = sums
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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

THREADS = 16
"""Threads of a block along each side."""

SIDES = (8, 4, 2, 1)
"""Rows or columns that a thread may have."""

DEPTH = 16
"""Terms of the reduction that are in shared memory at a time."""

SHARED = 32 * 1024
"""Bytes of shared memory that both parts may take."""


@dataclass(frozen=True)
class Sides:
    """The loops of a tile, and what each of them moves."""

    rows: ForOp
    columns: ForOp
    operands: tuple[Access, Access]
    """A load that depends on the rows and not on the columns, and the other way round."""


def sides_of(nest: Nest) -> Iterator[Sides]:
    """The ways to see a reduction as a product."""
    reduction = nest.reduction
    if reduction is None or len(reduction.updates) != 1 or not nest.block.has_init:
        return
    if not nest.is_plain or reduction.guard is not None or len(nest.stores) != 1:
        return
    if len(nest.loads) != 2 or nest.loads[0].buffer is nest.loads[1].buffer:
        return
    for rows in nest.spatial:
        for columns in nest.spatial:
            by_rows = [it for it in nest.loads if it.stride(rows) and not it.stride(columns)]
            by_columns = [it for it in nest.loads if it.stride(columns) and not it.stride(rows)]
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
            # Results of neighbouring threads are neighbours; then the largest tiles.
            key=lambda it: (
                abs(store.stride(it.columns)) != 1,
                -min(extent(it.rows), 128) * min(extent(it.columns), 128),
            ),
        )
        _perform(draft, block, best)
        draft.settled.add(block)
        return True


def _tile(nest: Nest, sides: Sides) -> tuple[int, int]:
    """Rows and columns of a thread: as many as there are, if enough blocks are left."""
    further = iterations(it for it in nest.spatial if it not in (sides.rows, sides.columns))

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
        and down * across <= 32
    ]
    return max(
        choices,
        key=lambda it: (min(blocks(*it), GRID), it[0] * it[1], -abs(it[0] - it[1])),
    )


def _perform(draft: Draft, block: str, sides: Sides) -> None:
    nest = draft.nest(block)
    down, across = _tile(nest, sides)
    handles = draft.loops(block)
    batch = [handles[it] for it in nest.spatial if it not in (sides.rows, sides.columns)]
    terms = [handles[it] for it in nest.reduce]
    longest = max(nest.reduce, key=extent)
    by, it, ty = draft.split(handles[sides.rows], [None, down, THREADS])
    bx, jt, tx = draft.split(handles[sides.columns], [None, across, THREADS])
    depth = min(DEPTH, extent(longest))
    outer, inner = draft.split(handles[longest], [None, depth])
    steps = [outer if handle is handles[longest] else handle for handle in terms]
    draft.reorder(*batch, by, bx, ty, tx, *steps, inner, it, jt)
    if batch:
        by = fused(draft, [*batch, by])
    for loop, axis in ((by, "blockIdx.y"), (bx, "blockIdx.x"), (ty, "threadIdx.y")):
        draft.bind(loop, axis)
    draft.bind(tx, "threadIdx.x")
    operands = [nest.read_number(access.buffer) for access in sides.operands]
    sums = draft.cache_write(draft.block(block), 0, "local")
    draft.reverse_compute_at(sums, tx)
    draft.settled.add(draft.session.block(sums).label)
    for number in operands:
        copy = draft.cache_read(draft.block(block), number, "shared")
        name = draft.session.block(copy).label
        draft.compute_at(copy, steps[-1])
        outside = len(draft.loops(block)) - 3
        copy_together(draft, name, outside, (THREADS, THREADS))
        draft.settled.add(name)
    draft.decompose_reduction(draft.block(block), steps[0])
