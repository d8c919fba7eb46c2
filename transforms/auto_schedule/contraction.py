"""contraction: products of matrices and convolutions, by a tile of sums in vector registers.

A contraction has a spatial loop on which one operand does not depend, and a spatial loop on which
another operand does not depend: a tile of *rows* times *columns* sums uses each loaded element
several times. The columns are vectors. For each choice of the two loops and of the size of the
tile, the model counts the cycles of the innermost loop (multiply-adds, loads and broadcasts, the
latency of the sums, partial tiles), and adds the costs of packing an operand and of storing sums
that are not contiguous. The number of registers is a hard limit. The shape of the nest is that of
Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (TOMS 2008)::

    for columns in tiles (parallel):
      pack the operand of the columns
      for rows in tiles:
        sums = 0                      # local: registers
        for reduction: for rows of the tile (unrolled): for columns of the tile (vectors): ...
        result = epilogue(sums)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from kc.dialects.affine_assembly import linear_terms
from kc.dialects.tir import BlockOp, ForOp, LoadOp, StoreOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule import pointwise
from kc.transforms.auto_schedule.digits import digits_of, joined_dimensions, merge_dimensions
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.machine import (
    LOAD_COST,
    OPERATIONS,
    PAGE,
    SCALAR_COPY,
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
from kc.transforms.intrinsics.transpose_names import SIZES, transpose_name
from kc.transforms.trace.handles import BlockRV

ALIGNED_REUSE = 8
"""The number of row tiles from which a panel is packed in any case: the caller's array may not be
aligned to vectors, and loads across two cache lines count twice.
"""

UNEVEN = 6
"""The cost, in whole tiles, of a tile whose last vector is not full among tiles with full vectors.
The generated code then has parts of vectors, or blocks of rows, in which such tiles were measured
to be slower.
"""

PANELS = 4
"""The number of column tiles that are packed side by side in one panel."""

LINE = 64
"""Bytes of a cache line."""

L2_BYTES = 16
"""The bytes per cycle from the L2 cache, for an operand of the columns that does not stay in L1."""

LINE_COST, PAGE_COST = 3, 12
"""The cycles for a line in the L2 cache, and for a page that misses the first-level TLB."""

PANEL_REUSE = 2
"""The number of row tiles that must use a packed panel to make up for the packing."""


@dataclass(frozen=True)
class Tile:
    """A tiling of a contraction, and its cost in the model."""

    rows: ForOp
    columns: ForOp
    row_operand: Access
    """A load that depends on the rows but not on the columns."""
    column_operand: Access
    """A load that depends on the columns but not on the rows."""
    height: int
    """The number of rows of the tile."""
    width: int
    """The number of columns of the tile, in elements."""
    packs: bool
    """True if the operand of the columns is packed."""
    pads: bool
    """True if packing pads the operand to whole tiles."""
    cycles: float


class Contraction(Rule):
    """Tile products and convolutions, with operations on their results, for vector registers."""

    name = "contraction"

    def apply(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if nest.block.is_reduction:
            return self._contract(draft, nest, None)
        producer = contraction_behind(nest)
        if producer is None:
            return False
        return self._contract(draft, Nest(producer), block)

    def _contract(self, draft: Draft, nest: Nest, epilogue: str | None) -> bool:
        if not is_untouched(nest.block):
            return False
        mark = draft.mark()
        name, refused = nest.name, None
        for may_pack, may_pad in ((True, True), (True, False), (False, False)):
            tile = best_tile(nest, draft.machine, may_pack=may_pack, may_pad=may_pad)
            if tile is None:
                return False
            if (tile.packs, tile.pads) == refused:
                continue
            try:
                perform(draft, name, tile, epilogue)
            except ScheduleError:
                draft.return_to(mark)
                refused = (tile.packs, tile.pads)
                nest = draft.nest(name)
            else:
                draft.settled.update(filter(None, (name, epilogue)))
                return True
        return False


def contraction_behind(nest: Nest) -> BlockOp | None:
    """The reduction whose results ``nest`` processes element by element, if no other block reads
    them; None if there is no such reduction.
    """
    if not nest.is_plain or not is_untouched(nest.block) or len(nest.stores) != 1:
        return None
    behind = None
    for load in nest.loads:
        if not is_own(load.buffer):
            continue
        writers = {op for use in load.buffer.uses if (op := writer_of(use.operation)) is not None}
        if len(writers) != 1:
            continue
        (writer,) = writers
        if not writer.is_reduction:
            continue
        if set(readers(load.buffer) or ()) - {writer} != {nest.block}:
            continue
        if behind is not None or sum(access.buffer is load.buffer for access in nest.loads) != 1:
            # A load of each factor: one factor would have to be computed before the product.
            return None
        # Each element must be loaded once: every loop with several iterations moves both the load
        # and the store.
        still = (loop for loop in nest.loops if load.stride(loop) == 0)
        if not load.regular or any(loop.static_extent != 1 for loop in still):
            return None
        if iterations(nest.loops) != iterations(Nest(writer).spatial):
            return None
        behind = writer
    return behind


def writer_of(op: object) -> BlockOp | None:
    """The block around a store; None for operations other than stores."""
    if not isinstance(op, StoreOp):
        return None
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, BlockOp):
        parent = parent.parent_op()
    return parent


# The model -----------------------------------------------------------------------------------


def best_tile(
    nest: Nest,
    machine: Machine,
    *,
    may_pack: bool = True,
    may_pad: bool = True,
    in_block: bool = False,
) -> Tile | None:
    """The tile with the fewest cycles; None if ``nest`` is not a contraction.

    ``in_block``: the rows are whole tiles, columns are contiguous in the result, and nothing is
    padded, since other blocks share the loops over rows. Packing costs nothing, as all iterations
    share the packed operand.
    """
    if not _is_sum_of_products(nest):
        return None
    tiles = _tiles(nest, machine, may_pack, may_pad and not in_block, in_block)
    return min(tiles, key=lambda tile: tile.cycles, default=None)


def is_contraction(nest: Nest, machine: Machine) -> bool:
    """True if a tile exists, at any number of cycles; :func:`best_tile` finds the best one."""
    return _is_sum_of_products(nest) and any(_tiles(nest, machine, True, True, False))


def _is_sum_of_products(nest: Nest) -> bool:
    reduction = nest.reduction
    return (
        reduction is not None
        and len(reduction.updates) == 1
        and nest.is_plain
        and reduction.guard is None
        and len(nest.stores) == 1
        and nest.operations <= 16
    )


def _tiles(
    nest: Nest, machine: Machine, may_pack: bool, may_pad: bool, in_block: bool
) -> Iterator[Tile]:
    store = nest.stores[0]
    lanes = machine.lanes(max(store.bits, 32))
    digits = _digits_of_result(nest)
    for columns in nest.spatial:
        if extent(columns) < 2 or (in_block and store.stride(columns) != 1):
            continue
        is_narrow = extent(columns) < lanes // 2
        for rows in nest.spatial:
            if rows is columns or extent(rows) < 2:
                continue
            by_rows = [
                load for load in nest.loads if load.stride(rows) and not load.stride(columns)
            ]
            by_columns = [
                load for load in nest.loads if load.stride(columns) and not load.stride(rows)
            ]
            if not by_rows or not by_columns:
                continue
            column_operand = by_columns[0]
            strange = [load for load in nest.loads if load.stride(columns) not in (0, 1)]
            packable = may_pack and is_packable(nest, column_operand, columns)
            if strange and (strange != [column_operand] or not packable):
                continue
            cycles_of = _cycles(nest, rows, columns, lanes, machine, counts_packing=not in_block)
            for height in range(1, min(extent(rows), machine.registers - 2) + 1):
                if (in_block or rows in digits) and extent(rows) % height:
                    continue
                for vectors in (1, 2, 4):
                    if height * vectors + vectors + 1 >= machine.registers:
                        continue
                    if vectors > 1 and (vectors - 1) * lanes >= extent(columns):
                        continue
                    reuse = extent(rows) // height
                    packs = bool(strange) or (
                        packable
                        and reuse >= PANEL_REUSE
                        and (
                            reuse >= ALIGNED_REUSE
                            or _is_spread(nest, column_operand, vectors * lanes, machine)
                        )
                    )
                    width = vectors * lanes
                    if columns in digits and extent(columns) > width and extent(columns) % width:
                        continue
                    pads = may_pad and packable and _sticks_out(columns, width)
                    packs = packs or pads
                    if is_narrow and not pads:
                        continue
                    cycles = cycles_of(height, vectors, packs, pads)
                    yield Tile(
                        rows,
                        columns,
                        by_rows[0],
                        column_operand,
                        height,
                        width,
                        packs,
                        pads,
                        cycles,
                    )


def _digits_of_result(nest: Nest) -> set[ForOp]:
    """The loops that form an index of the result together with another loop, such as groups and the
    channels of a group. Tiles of such a loop end where the group ends.
    """
    digits: set[ForOp] = set()
    for expr in nest.indices(nest.stores[0]):
        loops = [loop for atom in linear_terms(expr)[0] if (loop := nest.loop_of(atom)) is not None]
        if len(loops) > 1:
            digits.update(loops)
    return digits


def _sticks_out(columns: ForOp, width: int) -> bool:
    """True if the last tile of columns is partial: padding computes it as a whole tile.

    A single tile that is narrower than its vectors is padded, too: sums in parts of vectors do not
    stay in registers.
    """
    size = columns.static_extent
    return size is None or size % width != 0


def _cycles(
    nest: Nest, rows: ForOp, columns: ForOp, lanes: int, machine: Machine, *, counts_packing: bool
) -> Callable[[int, int, bool, bool], float]:
    """The cycles of the nest as a function of its tile: rows, vectors, True if the operand is
    packed, True if the tile is padded.
    """
    operand = next(load for load in nest.loads if load.stride(columns) and not load.stride(rows))
    depth = iterations(loop for loop in nest.reduce if operand.stride(loop))
    moves = [(bool(load.stride(rows)), bool(load.stride(columns))) for load in nest.loads]
    work_of_sum = max(1, nest.operations - 1)
    height_of_all, width_of_all = extent(rows), extent(columns)
    further = iterations(loop for loop in nest.spatial if loop not in (rows, columns))
    terms = iterations(nest.reduce)
    reach = [(load, _reach(nest, load, machine)) for load in nest.loads]
    spread = [(load, cost) for load, cost in reach if cost]
    sums = height_of_all * width_of_all * further
    is_turned = nest.stores[0].stride(columns) != 1
    fma_rate, load_rate = machine.fma_per_cycle, machine.loads_per_cycle
    latency = machine.fma_latency
    packing = iterations(loop for loop in nest.loops if operand.stride(loop)) * (
        SCALAR_COPY if operand.stride(columns) != 1 else 2 / lanes
    )

    def step(tall: int, vectors: int, fetch: float) -> float:
        """The cycles per term of the sums of a tile of ``tall`` rows."""
        loads = 0
        for by_rows, by_columns in moves:
            loads += (tall if by_rows else 1) * (vectors if by_columns else 1)
        work = tall * vectors * work_of_sum
        bound = max(work / fma_rate, loads / load_rate, latency, fetch)
        return bound + LOAD_COST * loads

    def cycles_of(height: int, vectors: int, packs: bool, pads: bool) -> float:
        width = vectors * lanes
        panel = width * operand.bits // 8 * depth
        fetch = width * operand.bits / 8 / L2_BYTES if panel > machine.l1 * 3 // 4 else 0
        full, rest = divmod(height_of_all, height)
        down = full * step(height, vectors, fetch) + (step(rest, vectors, fetch) if rest else 0)
        whole, odd = divmod(width_of_all, width)
        is_exact = not whole and odd % lanes == 0
        partial = machine.cost_of_masks if odd < lanes and counts_packing else UNEVEN
        across = whole + ((1 if pads or is_exact else partial) if odd else 0)
        if columns.static_extent is None:
            across += 0.5  # on average, half a tile at the end is unused
        cycles = down * across * further * terms
        cycles += _rows_beyond_ways(nest, rows, columns, height, machine) * across * further * terms
        # Loads that are not contiguous along the reduction fetch their lines again for each tile.
        tall = math.ceil(height_of_all / height)
        wide = math.ceil(width_of_all / width)
        for load, cost in spread:
            if _goes_on(nest, load, ((rows, height), (columns, width))):
                continue
            times = wide if packs and load is operand else tall * wide
            apart = _lines(load, rows, height) * _lines(load, columns, width)
            cycles += times * further * terms * apart * cost
        # The cost of starting a reduction: the sums are set to 0 and stored, and the loops start.
        cycles += tall * wide * further * 8 + 2 * sums / lanes
        if is_turned:
            cycles += sums * _cycles_to_turn(nest, rows, height, lanes)
        return cycles + packing if packs and counts_packing else cycles

    return cycles_of


def _cycles_to_turn(nest: Nest, rows: ForOp, height: int, lanes: int) -> float:
    """The cycles for storing one sum if the columns are not contiguous in the result."""
    store = nest.stores[0]
    if store.stride(rows) != 1:
        return 2 * SCALAR_COPY
    is_whole = extent(rows) % height == 0 and not joined_dimensions(nest, store)
    part = _part_to_turn(store, height, lanes) if is_whole else None
    return SCALAR_COPY if part is None else (math.log2(lanes) + 1) / part


def _part_to_turn(access: Access, rows: int, lanes: int) -> int | None:
    """The number of ``rows`` that are transposed together in registers; None if registers cannot
    transpose them.
    """
    if lanes not in SIZES.get(_element(access), ()):
        return None
    return next((part for part in range(min(rows, lanes), 1, -1) if rows % part == 0), None)


def _element(access: Access) -> str:
    return str(getattr(access.buffer.type, "element_type", None))


def _rows_beyond_ways(
    nest: Nest, rows: ForOp, columns: ForOp, height: int, machine: Machine
) -> float:
    """The cycles per term, over all rows, that are lost because a tile reads more lines than a set
    of L1 has ways. If the lines are spread over the sets, a few misses occur; if all are in one
    set, every line misses.
    """
    tiles, ways = extent(rows) / height, machine.rates.ways[0]
    # Addresses at this distance map to the same set; L1 has as many lines in a set as it has ways.
    set_bytes = 1 << (machine.l1 // ways - 1).bit_length()
    cycles = 0.0
    for load in nest.loads:
        size = load.bits // 8
        apart, step = load.stride(rows) * size, _step(nest, load)
        if load.stride(columns) or apart < LINE or not 0 < step < LINE:
            continue
        sets = set_bytes if apart % LINE else max(1, set_bytes // math.gcd(apart, set_bytes))
        if height > ways * sets:
            cycles += tiles * height * LINE_COST
        elif height > ways:
            cycles += tiles * (height - ways) * LINE_COST * step / LINE
    return cycles


def _step(nest: Nest, load: Access) -> int:
    """The bytes from one term of the innermost reduction that moves ``load`` to the next term."""
    steps = [load.stride(loop) for loop in nest.reduce if load.stride(loop)]
    return min(steps, default=0) * load.bits // 8


def _goes_on(nest: Nest, load: Access, tile: Sequence[tuple[ForOp, int]]) -> bool:
    """True if a tile of these iterations covers all elements between two consecutive terms. The
    tile then traverses memory in order, as if it read a packed panel.
    """
    along = max((count for loop, count in tile if load.stride(loop) == 1), default=1)
    return along * load.bits // 8 >= _step(nest, load)


def _lines(load: Access, loop: ForOp, count: int) -> int:
    """The cache lines from which ``count`` iterations of ``loop`` load."""
    size = load.stride(loop) * load.bits // 8
    return count if size >= LINE else max(1, math.ceil(count * size / LINE))


def _reach(nest: Nest, load: Access, machine: Machine) -> float:
    """The cycles per term of a sum that are lost because ``load`` moves to a new line or page with
    each term, and returns only after the line has left the cache.
    """
    terms = [loop for loop in nest.reduce if load.stride(loop)]
    if not terms:
        return 0
    size = load.bits // 8
    step = min(load.stride(loop) for loop in terms) * size
    count = iterations(terms)
    if step < LINE or count * LINE <= machine.l1 // 2:
        return 0
    return LINE_COST + (PAGE_COST if step >= PAGE else 0)


def is_packable(nest: Nest, operand: Access, columns: ForOp) -> bool:
    """True if each dimension of the operand is indexed by a separate loop, one of them the
    ``columns``, or by a quotient of a loop, as for heads that share keys. A part of the operand
    that is fixed by outer loops is packed with the rest.
    """
    loops: list[ForOp | None] = []
    shape = _shape(operand)
    for dims, expr in nest.merged_indices(operand):
        loop = nest.loop_of(expr)
        if loop is not None:
            loops.append(loop)
        elif any(shape[dim] != 1 for dim in dims) and not nest.is_fixed(expr):
            group = nest.group(expr)
            loops.append(None if group is None else group[0])
    is_indexed = any(nest.loop_of(expr) is columns for _, expr in nest.merged_indices(operand))
    return is_indexed and None not in loops and len(set(loops)) == len(loops)


def _shape(access: Access) -> Sequence[int]:
    type_ = access.buffer.type
    assert isinstance(type_, MemRefType)
    return type_.get_shape()


def _is_spread(nest: Nest, operand: Access, width: int, machine: Machine) -> bool:
    """True if a panel of ``width`` columns is spread in memory so that caches work poorly: it spans
    more lines than L1 can hold, or its rows are a page or more apart.
    """
    terms = [loop for loop in nest.reduce if operand.stride(loop)]
    size = operand.bits // 8
    lines = iterations(terms) * math.ceil(width * size / 64) * 64
    apart = max((operand.stride(loop) * size for loop in terms), default=0)
    return apart > width * size and (lines > machine.l1 // 2 or (apart >= 1024 and lines >= 4096))


# The schedule --------------------------------------------------------------------------------


def perform(
    draft: Draft,
    block: str,
    tile: Tile,
    epilogue: str | None,
    nest: Nest | None = None,
    *,
    rows_end: bool = False,
) -> None:
    """Schedule the contraction ``block`` by ``tile``. ``epilogue`` is the block that reads its
    results.

    ``nest`` has fewer loops than the block if the outer loops are fixed, whose iterations share the
    packed operand; the rows of one of these may end early (``rows_end``). Raises ScheduleError if a
    primitive is refused.
    """
    outer = len(draft.nest(block).loops) - len((nest or draft.nest(block)).loops)
    tile, epilogue, flat = _without_digits(draft, block, tile, epilogue, nest)
    nest = nest or draft.nest(block)
    rows, columns, terms = tile.rows, tile.columns, nest.reduce
    with_rows, with_columns, shared = _further_loops(nest, tile)
    rows_first = _rows_first(nest, tile, draft.machine, with_rows, with_columns)
    in_loop = extent(columns) > tile.width and not rows_first and not outer
    panels = _panels(nest, tile, draft.machine) if tile.packs and in_loop else 1
    number = nest.read_number(tile.column_operand.buffer)
    at_operand = nest.loads.index(tile.column_operand)
    # If each index of the row operand is one loop, a tile of its rows is a small matrix.
    are_plain = None not in loop_of_dimension(nest, tile.row_operand)
    are_plain = are_plain and len(terms) == 1 and terms[0].static_extent is not None

    # The block has the same variables and loops before and after the primitives below, so numbers
    # identify them.
    order = [nest.loops.index(loop) for loop in (*shared, *with_columns, *with_rows, *terms)]
    at_rows, at_columns = nest.loops.index(rows), nest.loops.index(columns)
    pack = last = None
    if tile.pads:
        padding = [tile.width if loop is columns else 1 for loop in nest.loops]
        pads = draft.pad_einsum(draft.block(block), padding)
        pack, last = pads[0], pads[-1]
        if len(pads) != 2:
            raise ScheduleError("KC3608", "more than the operand of the columns is padded")
        if flat is not None:
            draft.compute_inline(flat)
        if epilogue is not None:
            draft.compute_inline(last)
            last = draft.block(epilogue)
    elif flat is not None:
        pack = flat
    elif tile.packs:
        # A second version of the loops reads the unpacked operand. Other products share a copy that
        # is packed before all loops, but not a copy that is packed inside a product's loops.
        is_shared = (readers(tile.column_operand.buffer) or []) != [nest.block]
        consumers = [draft.block(block)] if draft.versions or (is_shared and in_loop) else []
        pack = draft.cache_read(draft.block(block), number, "global", consumers)
    if pack is not None:
        _widen(draft, pack)
    # The padded block lacks the dimensions that had one element, so the loops are read again.
    nest = Nest(draft.nest(block).block, outer)
    columns, operand = nest.loops[at_columns], nest.loads[at_operand]
    is_turned = nest.stores[0].stride(columns) != 1
    turned = columns_last(nest, columns) if is_turned else None
    dims = loop_of_dimension(nest, operand)
    at_pack = dims.index(columns) if tile.packs else 0
    layout = None
    if tile.packs:
        layout = _pack_layout(nest, operand, columns, None if in_loop else tile.width)
    if layout is not None:
        panels = 1
    loops = draft.loops(block, outer)
    handles, counts = list(loops.values()), [op.static_extent for op in loops]

    lanes = draft.machine.lanes(max(nest.stores[0].bits, 32))

    def cut(at: int, size: int) -> tuple[list[Any], list[Any]]:
        """The outer and the inner part of a loop, each a list of one loop or none."""
        count = counts[at]
        is_partial = at == at_columns and count is not None and count < size and count % lanes
        if count is not None and count <= size and not is_partial:
            return [], [handles[at]]
        outer, inner = draft.split(handles[at], [None, size])
        return [outer], [inner]

    row_outer, row_inner = cut(at_rows, tile.height)
    if panels > 1:
        *column_outer, inner = draft.split(handles[at_columns], [None, panels, tile.width])
        column_inner = [inner]
    else:
        column_outer, column_inner = cut(at_columns, tile.width)
    rest = iter([handles[n] for n in order])
    group, of_columns, of_rows, reduce = (
        list(islice(rest, len(part))) for part in (shared, with_columns, with_rows, terms)
    )
    if rows_first:
        outside = [*group, *row_outer, *of_rows, *of_columns, *column_outer]
    else:
        outside = [*group, *column_outer, *of_columns, *of_rows, *row_outer]
    draft.put_in_order([*outside, *reduce, *row_inner, *column_inner])
    # The nest is still simple here, so proving that iterations are independent is fast.
    place = len(group) + len(row_outer if rows_first else column_outer[:1])
    joined = 0
    if outside and not outer:
        work = int(tile.cycles * OPERATIONS)
        at_most = max(1, min(place, len(outside)))
        joined = draft.run_in_parallel(block, at_most, work, symbolic=False)
    if joined > 1:
        outside[:joined] = list(draft.loops(block).values())[:1]
        place -= joined - 1
    if tile.pads:
        draft.set_scope(draft.block(block), 0, "local")
    elif epilogue is None:
        last = draft.cache_write(draft.block(block), 0, "local")
    else:
        draft.set_scope(draft.block(block), 0, "local")
        last = draft.block(epilogue)
    finish_sums(draft, block, last, outside, turned, outer)
    count = counts[at_columns]
    if count is not None and count % lanes and turned is None:
        # Rows of sums are padded to whole vectors, because partial vectors would not stay in
        # registers.
        draft.attempt("storage_align", draft.block(block), 0, -2, lanes, 0)
    draft.vectorize(column_inner[0])
    draft.unroll(row_inner[0])
    draft.decompose(block, reduce[0])
    if tile.packs and outside and are_plain:
        _widen_rows(draft, block, outside)
    if pack is not None:
        name = draft.session.block(pack).label
        depth = 0
        if in_loop:
            depth = place
            draft.compute_at(pack, outside[depth - 1])
        if layout is not None:
            draft.transform_layout(pack, ("write", 0), layout)
            count = columns.static_extent
            if not in_loop and count is not None and count % tile.width == 0:
                draft.transform_block_layout(pack, digits_of(len(dims), at_pack, tile.width))
        name = pointwise.schedule(draft, name, depth)
        if not in_loop:
            packed = draft.nest(name)
            single = next((n for n, loop in enumerate(packed.loops) if loop.static_extent != 1), 0)
            at_most = min(max(2, single + 1), max(1, len(packed.loops) - 2))
            each = SCALAR_COPY if tile.column_operand.stride(columns) != 1 else 1
            work = iterations(packed.loops) * each * OPERATIONS
            work = None if each == 1 else int(work)
            draft.run_in_parallel(name, at_most, work, symbolic=False)
        draft.settled.add(name)
    for parts, count, size in (
        (row_outer, counts[at_rows], tile.height),
        (column_outer, counts[at_columns], tile.width),
    ):
        ends = rows_end and parts is row_outer
        if parts and parts[0].gone is None and (ends or count is None or count % size):
            draft.attempt("pragma", parts[0], "loop_partition_hint", True)


def _without_digits(
    draft: Draft, block: str, tile: Tile, epilogue: str | None, nest: Nest | None
) -> tuple[Tile, str | None, Any]:
    """Give a contraction separate buffers in place of buffers that it indexes by the digits of a
    loop (``fusing``): a buffer for its result, which another block then copies, and a copy of the
    packed operand that is indexed by the loop itself.

    Returns the tile, the block that finishes the sums, and the copy of the operand or None. Raises
    ScheduleError if outer loops are fixed.
    """
    whole = nest or draft.nest(block)
    stored = joined_dimensions(whole, whole.stores[0]) if epilogue is None else []
    packed = joined_dimensions(whole, tile.column_operand) if tile.packs else []
    if not stored and not packed:
        return tile, epilogue, None
    if nest is not None:
        raise ScheduleError("KC3608", "fused loops cannot be divided into blocks of rows")
    at = [whole.loads.index(load) for load in (tile.row_operand, tile.column_operand)]
    flat = None
    if packed:
        handle = draft.block(block)
        number = whole.read_number(tile.column_operand.buffer)
        flat = draft.cache_read(handle, number, "global", [handle] if draft.versions else [])
        merge_dimensions(draft, flat, flat, _shape(tile.column_operand), packed)
    if stored:
        copy = draft.cache_write(draft.block(block), 0, "global")
        merge_dimensions(draft, draft.block(block), copy, _shape(whole.stores[0]), stored)
        epilogue = draft.session.block(copy).label
    loads = [draft.nest(block).loads[number] for number in at]
    return replace(tile, row_operand=loads[0], column_operand=loads[1]), epilogue, flat


def _panels(nest: Nest, tile: Tile, machine: Machine) -> int:
    """The number of column tiles that are packed side by side. It exceeds 1 only if a panel does
    not fit in L1 anyway: rows of the operand are then read a few lines at a time, and rows that
    begin in the middle of a line share few lines.
    """
    count, operand = tile.columns.static_extent, tile.column_operand
    terms = iterations(loop for loop in nest.reduce if operand.stride(loop))
    panel = terms * tile.width * operand.bits // 8
    if count is None or panel <= machine.l1 or PANELS * panel > machine.l2 // 2:
        return 1
    together = PANELS * tile.width
    return PANELS if count % together == 0 and count // together >= 4 * machine.cores else 1


def _further_loops(nest: Nest, tile: Tile) -> tuple[list[ForOp], list[ForOp], list[ForOp]]:
    """The other spatial loops: loops that move only the rows' operand, only the columns' operand,
    and both or none.
    """
    rows, columns = tile.rows, tile.columns
    row_loads = [load for load in nest.loads if load.stride(rows) and not load.stride(columns)]
    column_loads = [load for load in nest.loads if load.stride(columns) and not load.stride(rows)]
    with_rows, with_columns, shared = [], [], []
    for loop in nest.spatial:
        if loop in (rows, columns):
            continue
        in_rows = any(load.stride(loop) for load in row_loads)
        in_columns = any(load.stride(loop) for load in column_loads)
        if in_rows == in_columns:
            shared.append(loop)
        else:
            (with_rows if in_rows else with_columns).append(loop)
    return with_rows, with_columns, shared


def _rows_first(
    nest: Nest, tile: Tile, machine: Machine, with_rows: list[ForOp], with_columns: list[ForOp]
) -> bool:
    """True if the loop over tiles of rows is outside the loop over tiles of columns.

    Without further loops, this is so if the operand of the columns fits in half of the L1 cache.
    With further loops, only the operand of the columns may depend on them, and either this operand
    fits in the L2 cache, or the operand of the rows exceeds half of it.
    """
    operand = next(
        load for load in nest.loads if load.stride(tile.columns) and not load.stride(tile.rows)
    )
    if with_rows or with_columns:
        return (
            bool(with_columns)
            and not with_rows
            and (
                _bytes(operand, nest.loops) <= machine.l2
                or _bytes(tile.row_operand, nest.loops) > machine.l2 // 2
            )
        )
    return _bytes(operand, (*nest.reduce, tile.columns)) <= machine.l1 // 2


def _bytes(load: Access, loops: Iterable[ForOp]) -> int:
    """The bytes that are loaded in ``loops``."""
    return iterations(loop for loop in loops if load.stride(loop)) * load.bits // 8


def _pack_layout(nest: Nest, operand: Access, columns: ForOp, width: int | None) -> str | None:
    """The layout of a packed operand, as a map: the reduction, then the columns of a tile. None if
    the operand already has this layout.

    With ``width``, all tiles are packed at once, and the tile comes first.
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


def columns_last(nest: Nest, columns: ForOp) -> str:
    """A layout of the sums in which the columns are contiguous, for a result in which they are
    not.
    """
    dims = loop_of_dimension(nest, nest.stores[0])
    names = [f"d{n}" for n in range(len(dims))]
    at = dims.index(columns)
    results = [*names[:at], *names[at + 1 :], names[at]]
    return f"({', '.join(names)})->({', '.join(results)})"


def finish_sums(
    draft: Draft, block: str, last: Any, outside: list[Any], turned: str | None, outer: int
) -> None:
    """Make block ``last`` use the sums, which are in local memory, inside of the loops over tiles.

    ``turned`` is the layout for the sums, None for the layout of the result; ``outer`` loops are
    around the ``outside`` loops.
    """
    name = draft.session.block(last).label
    if outside:
        draft.reverse_compute_at(last, outside[-1])
    if turned is not None:
        draft.transform_layout(draft.block(block), ("write", 0), turned)
        sums = draft.nest(block).stores[0].buffer
        if _turn(draft, name, sums, outer + len(outside)):
            return
        _turn_results(draft, name, sums, turned, outer + len(outside))
    inside = draft.nest(name)
    loops = draft.loops(name)
    own = inside.loops[outer + len(outside) :]
    vector = pointwise.vector_loop(inside, own, draft.machine.lanes(inside.bits))
    if vector is None:
        return
    if own[-1] is not vector:
        draft.put_in_order([*(loops[loop] for loop in own[own.index(vector) + 1 :]), loops[vector]])
    # The loop over the rows is not unrolled: the sums go through the stack once per tile, and an
    # unrolled activation was half of the code that LLVM compiled.
    draft.vectorize(loops[vector])
    draft.settled.add(name)


def _turn_results(draft: Draft, name: str, sums: SSAValue, turned: str, outer: int) -> None:
    """Compute block ``name``, which does more than copy the sums, in the order of the sums, and
    transpose its results in registers, if possible.
    """
    nest = draft.nest(name)
    load = next((load for load in nest.loads if load.buffer is sums), None)
    if load is None or _tile_to_turn(draft, nest, load, nest.stores[0], outer) is None:
        return
    copy = draft.session.block(draft.cache_write(draft.block(name), 0, "local")).label
    if outer:
        loop = list(draft.loops(name).values())[outer - 1]
        draft.reverse_compute_at(draft.block(copy), loop)
    draft.transform_layout(draft.block(name), ("write", 0), turned)
    results = draft.nest(name).stores[0].buffer
    if not _turn(draft, copy, results, outer):
        raise ScheduleError("KC3040", "the results cannot be transposed in tiles")


def _turn(draft: Draft, name: str, sums: SSAValue, outer: int) -> bool:
    """Transpose the sums, whose columns are contiguous, in registers where block ``name`` uses
    them. Returns False, without a change, if this is not possible.
    """
    nest = draft.nest(name)
    load = next((load for load in nest.loads if load.buffer is sums), None)
    if load is None or not all(isinstance(op, LoadOp | StoreOp) for op in nest.body_ops):
        return False
    tile = _tile_to_turn(draft, nest, load, nest.stores[0], outer)
    if tile is None:
        return False
    columns, rows, part = tile
    width, height, lanes = extent(columns), extent(rows), draft.machine.lanes(nest.bits)
    handles = draft.loops(name)
    order = [[handles[columns]], [handles[rows]]]
    for loops, size, count in ((order[0], lanes, width), (order[1], part, height)):
        if count > size:
            loops[:] = draft.split(loops[0], [None, size])
    outside = [*order[0][:-1], *order[1][:-1]]
    draft.put_in_order([*outside, order[0][-1], order[1][-1]])
    tile = draft.blockize(order[0][-1])
    draft.tensorize(tile, transpose_name(_element(load), part, lanes))
    for loop in outside:
        draft.unroll(loop)
    draft.settled.add(draft.session.block(tile).label)
    return True


def _tile_to_turn(
    draft: Draft, nest: Nest, load: Access, store: Access, outer: int
) -> tuple[ForOp, ForOp, int] | None:
    """The loop along which sums are loaded, the loop along which results are stored, and the number
    of results that are transposed in registers together; None if they cannot be transposed.
    """
    own = [loop for loop in nest.loops[outer:] if loop.static_extent != 1]
    lanes = draft.machine.lanes(nest.bits)
    if len(own) != 2 or nest.block.predicate.data.constraints or joined_dimensions(nest, store):
        return None
    columns = next((loop for loop in own if load.stride(loop) == 1), None)
    rows = next((loop for loop in own if store.stride(loop) == 1), None)
    if columns is None or rows is None or columns is rows:
        return None
    width, height = columns.static_extent, rows.static_extent
    if width is None or height is None or width % lanes:
        return None
    part = _part_to_turn(store, height, lanes)
    return None if part is None else (columns, rows, part)


# Narrow floats -------------------------------------------------------------------------------


def _widen(draft: Draft, copy: BlockRV) -> bool:
    """Store a copy of an operand in the type of the sums, if all its loads are extended to it: each
    element is then converted once, and not for each row or column of a tile. Returns False if the
    copy is not changed.
    """
    buffer = draft.nest(draft.session.block(copy).label).stores[0].buffer
    if not is_own(buffer):
        return False
    wide: set[str] = set()
    for use in buffer.uses:
        if isinstance(use.operation, LoadOp):
            users = [second_use.operation for second_use in use.operation.result.uses]
            if not users or any(user.name != "arith.extf" for user in users):
                return False
            wide.update(str(user.results[0].type) for user in users)
    return wide == {"f32"} and draft.attempt("unsafe_set_dtype", copy, 0, "float32")


def _widen_rows(draft: Draft, block: str, outside: list[Any]) -> None:
    """Convert the rows of a tile before its sums: a vector of elements at once, where the sums
    would convert and broadcast one element after the other.
    """
    nest = draft.nest(block)
    narrow = [load for load in nest.loads if load.bits < 32]
    if len(narrow) != 1 or narrow[0].stride(nest.loops[-1]):
        return
    mark = draft.mark()
    try:
        handle = draft.block(block)
        held = draft.cache_read(handle, nest.read_number(narrow[0].buffer), "global", [handle])
        draft.compute_at(held, outside[-1])
        if not _widen(draft, held):
            draft.return_to(mark)
            return
        name = pointwise.schedule(draft, draft.session.block(held).label, len(outside))
        draft.settled.add(name)
    except ScheduleError:
        draft.return_to(mark)
