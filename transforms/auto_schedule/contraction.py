"""contraction: products of matrices and convolutions, by a tile of sums in vector registers.

A contraction has a spatial loop that one operand does not depend on, and one that another operand
does not depend on: a tile of *rows* times *columns* sums uses each loaded element several times.
The columns are vectors. For each choice of the two loops and of the size of the tile the model
counts the cycles of the innermost loop: multiply-adds, loads and broadcasts, the latency of the
sums, tiles that stick out; then what packing an operand costs, and storing sums that are not
contiguous. The registers are a hard limit. Goto and van de Geijn, "Anatomy of high-performance
matrix multiplication" (TOMS 2008), is where the shape of the nest is from::

    for columns in tiles (parallel):
      pack the operand of the columns
      for rows in tiles:
        sums = 0                      # local: registers
        for reduction: for rows of the tile (unrolled): for columns of the tile (vectors): ...
        result = epilogue(sums)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kc.dialects.tir import BlockOp, ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule import pointwise
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.machine import (
    FMA_LATENCY,
    FMA_PER_CYCLE,
    LOADS_PER_CYCLE,
    Machine,
)
from kc.transforms.auto_schedule.nests import (
    Access,
    Nest,
    extent,
    is_own,
    is_untouched,
    iterations,
    loop_of_dimension,
    readers,
)
from kc.transforms.auto_schedule.rule import Rule

SCALAR_COPY = 2.0
"""Cycles to move an element that is not contiguous where it comes from or where it goes."""

LOAD_COST = 0.05
"""Cycles that a load costs although another bound hides it: of two tiles that are as fast, the one
with fewer loads is less sensitive to what the caches do."""

PANEL_REUSE = 2
"""Tiles of rows that must use a packed panel, so that packing it pays."""


@dataclass(frozen=True)
class Tile:
    """A way to compute a contraction, and what the model says of it."""

    rows: ForOp
    columns: ForOp
    row_operand: Access
    """A load that depends on the rows alone."""
    column_operand: Access
    """A load that depends on the columns alone."""
    height: int
    """Rows of the tile."""
    width: int
    """Columns of the tile, in elements."""
    packs: bool
    """Whether the operand of the columns is packed."""
    cycles: float


class Contraction(Rule):
    """Tile products and convolutions for vector registers, with what is computed of the results."""

    name = "contraction"

    def apply(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if nest.block.is_reduction:
            return self._contract(draft, nest, None)
        producer = _contraction_behind(nest)
        return producer is not None and self._contract(draft, Nest(producer), block)

    def _contract(self, draft: Draft, nest: Nest, epilogue: str | None) -> bool:
        if not is_untouched(nest.block):
            return False
        tile = best_tile(nest, draft.machine)
        if tile is None:
            return False
        mark = draft.mark()
        name = nest.name
        for packs in (True, False) if tile.packs else (False,):
            try:
                perform(draft, name, tile, epilogue, packs=packs)
            except ScheduleError:
                draft.return_to(mark)
                fresh = best_tile(draft.nest(name), draft.machine, may_pack=False)
                if fresh is None:
                    return False
                tile = fresh
                continue
            draft.settled.update(filter(None, (name, epilogue)))
            return True
        return False


def _contraction_behind(nest: Nest) -> BlockOp | None:
    """The reduction whose results this block finishes one by one, if that is all that reads it."""
    if not nest.is_plain or not is_untouched(nest.block) or len(nest.stores) != 1:
        return None
    behind = None
    for load in nest.loads:
        if not is_own(load.buffer):
            continue
        writers = {op for use in load.buffer.uses if (op := _writer(use.operation)) is not None}
        if len(writers) != 1:
            continue
        (writer,) = writers
        if not writer.is_reduction:
            continue
        if set(readers(load.buffer) or ()) - {writer} != {nest.block}:
            continue
        if behind is not None or sum(it.buffer is load.buffer for it in nest.loads) != 1:
            return None  # of two products, one is computed before
        # Each element once: all loops move the load, as they move the store.
        if not load.regular or any(load.stride(loop) == 0 for loop in nest.loops):
            return None
        if iterations(nest.loops) != iterations(Nest(writer).spatial):
            return None
        behind = writer
    return behind


def _writer(op: object) -> BlockOp | None:
    from kc.dialects.tir import StoreOp

    if not isinstance(op, StoreOp):
        return None
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, BlockOp):
        parent = parent.parent_op()
    return parent


# The model -----------------------------------------------------------------------------------


def best_tile(nest: Nest, machine: Machine, *, may_pack: bool = True) -> Tile | None:
    """The tile of fewest cycles; None for what is no contraction."""
    reduction = nest.reduction
    if reduction is None or len(reduction.updates) != 1 or not nest.block.has_init:
        return None
    if not nest.is_plain or reduction.guard is not None or len(nest.stores) != 1:
        return None
    if nest.operations > 16:
        return None
    tiles = _tiles(nest, machine, may_pack)
    return min(tiles, key=lambda tile: tile.cycles, default=None)


def _tiles(nest: Nest, machine: Machine, may_pack: bool) -> Iterator[Tile]:
    store = nest.stores[0]
    lanes = machine.lanes(max(store.bits, 32))
    for columns in nest.spatial:
        for rows in nest.spatial:
            if rows is columns:
                continue
            by_rows = [it for it in nest.loads if it.stride(rows) and not it.stride(columns)]
            by_columns = [it for it in nest.loads if it.stride(columns) and not it.stride(rows)]
            if not by_rows or not by_columns:
                continue
            column_operand = by_columns[0]
            strange = [it for it in nest.loads if it.stride(columns) not in (0, 1)]
            packable = may_pack and _is_packable(nest, column_operand)
            if strange and (strange != [column_operand] or not packable):
                continue
            for height in range(1, min(extent(rows), machine.registers - 2) + 1):
                for vectors in (1, 2, 4):
                    if height * vectors + vectors + 1 >= machine.registers:
                        continue
                    if vectors > 1 and (vectors - 1) * lanes >= extent(columns):
                        continue
                    packs = bool(strange) or (
                        packable
                        and extent(rows) >= PANEL_REUSE * height
                        and _is_spread(nest, column_operand, vectors * lanes, machine)
                    )
                    cycles = _cycles(nest, rows, columns, height, vectors, lanes, packs)
                    yield Tile(
                        rows,
                        columns,
                        by_rows[0],
                        column_operand,
                        height,
                        vectors * lanes,
                        packs,
                        cycles,
                    )


def _cycles(
    nest: Nest, rows: ForOp, columns: ForOp, height: int, vectors: int, lanes: int, packs: bool
) -> float:
    def step(tall: int) -> float:
        """The cycles of one term of the sums of a tile of ``tall`` rows."""
        loads = 0
        for load in nest.loads:
            across = tall if load.stride(rows) else 1
            loads += across * (vectors if load.stride(columns) else 1)
        sums = tall * vectors
        work = sums * max(1, nest.operations - 1)
        bound = max(work / FMA_PER_CYCLE, loads / LOADS_PER_CYCLE, FMA_LATENCY)
        return bound + LOAD_COST * loads

    width = vectors * lanes
    full, rest = divmod(extent(rows), height)
    down = full * step(height) + (step(rest) if rest else 0)
    whole, odd = divmod(extent(columns), width)
    # Masked vectors of the last columns, and the loop around them.
    across = whole + (1.5 if odd else 0)
    further = iterations(loop for loop in nest.spatial if loop not in (rows, columns))
    terms = iterations(nest.reduce)
    cycles = down * across * further * terms
    sums = extent(rows) * extent(columns) * further
    # Between two reductions: sums are set to 0 and stored, and the loops start.
    tiles = math.ceil(extent(rows) / height) * math.ceil(extent(columns) / width) * further
    cycles += tiles * 8 + 2 * sums / lanes
    if nest.stores[0].stride(columns) != 1:
        cycles += sums * SCALAR_COPY
    if packs:
        operand = next(it for it in nest.loads if it.stride(columns) and not it.stride(rows))
        elements = iterations(loop for loop in nest.loops if operand.stride(loop))
        turned = operand.stride(columns) != 1
        cycles += elements * (SCALAR_COPY if turned else 2 / lanes)
    return cycles


def _is_packable(nest: Nest, operand: Access) -> bool:
    """Whether each dimension of the operand is indexed by a loop of its own."""
    loops = loop_of_dimension(nest, operand)
    return None not in loops and len(set(loops)) == len(loops)


def _is_spread(nest: Nest, operand: Access, width: int, machine: Machine) -> bool:
    """Whether a panel of ``width`` columns lies so far apart that caches serve it badly: in more
    lines than L1 has room for, or in rows a page or more from each other."""
    terms = [loop for loop in nest.reduce if operand.stride(loop)]
    size = operand.bits // 8
    lines = iterations(terms) * math.ceil(width * size / 64) * 64
    apart = max((operand.stride(loop) * size for loop in terms), default=0)
    return apart > width * size and (lines > machine.l1 // 2 or (apart >= 1024 and lines >= 4096))


# The schedule --------------------------------------------------------------------------------


def perform(
    draft: Draft, block: str, tile: Tile, epilogue: str | None, *, packs: bool, outer: int = 0
) -> None:
    """Schedule the contraction ``block`` by ``tile``; ``epilogue`` is what reads its results.

    ``outer`` loops around it are fixed. Raises ScheduleError where a primitive is refused.
    """
    nest = draft.nest(block)
    handles = draft.loops(block)
    rows, columns = tile.rows, tile.columns
    further = [loop for loop in nest.spatial if loop not in (rows, columns)][outer:]
    row_loads = [it for it in nest.loads if it.stride(rows) and not it.stride(columns)]
    column_loads = [it for it in nest.loads if it.stride(columns) and not it.stride(rows)]
    shared, with_rows, with_columns = [], [], []
    for loop in further:
        in_rows = any(it.stride(loop) for it in row_loads)
        in_columns = any(it.stride(loop) for it in column_loads)
        if in_rows == in_columns:
            shared.append(loop)
        else:
            (with_rows if in_rows else with_columns).append(loop)
    rows_first = _rows_first(nest, tile, draft.machine, with_rows, with_columns)
    in_loop = extent(columns) > tile.width and not rows_first
    turned = _columns_last(nest, columns) if nest.stores[0].stride(columns) != 1 else None
    terms = nest.reduce

    pack = layout = None
    if packs:
        layout = _pack_layout(nest, column_loads[0], columns, None if in_loop else tile.width)
        number = nest.read_number(column_loads[0].buffer)
        pack = draft.cache_read(draft.block(block), number, "global")

    def cut(loop: ForOp, size: int) -> tuple[list[Any], list[Any]]:
        """The outer and the inner part of a loop, each a list of one loop or none."""
        if loop.static_extent is not None and loop.static_extent <= size:
            return [], [handles[loop]]
        outer_part, inner_part = draft.split(handles[loop], [None, size])
        return [outer_part], [inner_part]

    row_outer, row_inner = cut(rows, tile.height)
    column_outer, column_inner = cut(columns, tile.width)
    group = [handles[loop] for loop in shared]
    by_rows = [*(handles[loop] for loop in with_rows), *row_outer]
    by_columns = [*(handles[loop] for loop in with_columns), *column_outer]
    reduce = [handles[loop] for loop in terms]
    if rows_first:
        outside = [*group, *row_outer, *(handles[loop] for loop in with_rows), *by_columns]
    else:
        outside = [
            *group,
            *column_outer,
            *(handles[loop] for loop in with_columns),
            *by_rows,
        ]
    order = [*outside, *reduce, *row_inner, *column_inner]
    draft.put_in_order(order)
    _results_to_registers(draft, block, epilogue, outside, tile.height, turned)
    draft.vectorize(column_inner[0])
    draft.unroll(row_inner[0])
    draft.decompose_reduction(draft.block(block), reduce[0])
    if pack is not None:
        name = draft.session.block(pack).label
        if in_loop:
            draft.compute_at(pack, column_outer[0])
        if layout is not None:
            draft.transform_layout(pack, ("write", 0), layout)
        if in_loop:
            depth = draft.nest(name).loops.index(draft.session.loop(column_outer[0])) + 1
            pointwise.schedule(draft, name, depth)
        else:
            pointwise.schedule(draft, name, 0)
            draft.run_in_parallel(name, 1)
        draft.settled.add(name)
    if not outer and outside:
        first_inner = len(group) + (len(row_outer) if rows_first else len(column_outer))
        draft.run_in_parallel(block, max(1, min(first_inner, len(outside))))
    for loop, size in ((rows, tile.height), (columns, tile.width)):
        parts = row_outer if loop is rows else column_outer
        if parts and (loop.static_extent is None or loop.static_extent % size):
            draft.attempt("pragma", parts[0], "loop_partition_hint", True)


def _rows_first(
    nest: Nest, tile: Tile, machine: Machine, with_rows: list[ForOp], with_columns: list[ForOp]
) -> bool:
    """Whether tiles of rows are the outer loop: the operand of the columns is small enough to stay
    in the cache, or is the one that other loops run through."""
    if with_rows or with_columns:
        return bool(with_columns) and not with_rows
    operand = next(it for it in nest.loads if it.stride(tile.columns) and not it.stride(tile.rows))
    elements = iterations(
        loop for loop in nest.loops if operand.stride(loop) and loop in (*nest.reduce, tile.columns)
    )
    return elements * operand.bits // 8 <= machine.l1 // 2


def _pack_layout(nest: Nest, operand: Access, columns: ForOp, width: int | None) -> str | None:
    """The layout of a packed operand: the reduction, then the columns of a tile; None: it has it.

    With ``width`` all tiles are packed at once, and the tile comes first.
    """
    dims = loop_of_dimension(nest, operand)
    names = [f"d{n}" for n in range(len(dims))]
    at = dims.index(columns)
    terms = [dims.index(loop) for loop in nest.reduce if loop in dims]
    results = [name for n, name in enumerate(names) if n != at and n not in terms]
    if width is not None:
        results.append(f"d{at} floordiv {width}")
    results += [names[n] for n in terms]
    results.append(names[at] if width is None else f"d{at} mod {width}")
    return None if results == names else f"({', '.join(names)})->({', '.join(results)})"


def _columns_last(nest: Nest, columns: ForOp) -> str:
    """A layout of the sums in which the columns are contiguous, as they are not in the result."""
    dims = loop_of_dimension(nest, nest.stores[0])
    names = [f"d{n}" for n in range(len(dims))]
    at = dims.index(columns)
    results = [*names[:at], *names[at + 1 :], names[at]]
    return f"({', '.join(names)})->({', '.join(results)})"


def _results_to_registers(
    draft: Draft,
    block: str,
    epilogue: str | None,
    outside: list[Any],
    height: int,
    turned: str | None,
) -> None:
    """Keep sums in local memory, and finish them inside of the loops over tiles.

    ``turned`` is another layout for the sums, if there is one.
    """
    handle = draft.block(block)
    if epilogue is None:
        last = draft.cache_write(handle, 0, "local")
    else:
        draft.set_scope(handle, 0, "local")
        last = draft.block(epilogue)
    name = draft.session.block(last).label
    if outside:
        draft.reverse_compute_at(last, outside[-1])
    if turned is not None:
        draft.transform_layout(handle, ("write", 0), turned)
    inside = draft.nest(name)
    loops = draft.loops(name)
    own = inside.loops[len(outside) :]
    vector = pointwise.vector_loop(inside, own, draft.machine.lanes(inside.bits))
    if vector is None:
        return
    rest = [loop for loop in own if loop is not vector]
    if own[-1] is not vector:
        draft.put_in_order([*(loops[loop] for loop in own[own.index(vector) + 1 :]), loops[vector]])
    draft.vectorize(loops[vector])
    for loop in rest:
        if loop.static_extent is not None and loop.static_extent <= height * 4:
            draft.attempt("unroll", loops[loop])
    draft.settled.add(name)
