"""row-blocks: chains of products are computed in blocks of rows.

An attention multiplies queries by keys, passes over the rows of the scores a few times, and
multiplies the weights by values. The scores of all rows take more memory than the inputs and the
result together, and each pass reads or writes all of them. Here the rows are divided into blocks
whose scores stay in the L2 cache, and a block of rows is finished before the next block begins::

    pack the keys, pack the values
    for blocks of rows (parallel):
      scores = queries * keys                          # tiles of registers, as contraction has them
      maxima; weights; sums of weights
      result = weights * values

The arithmetic is that of the program. Rescaling is not needed, as the keys are not divided (unlike
Dao et al., "FlashAttention", NeurIPS 2022, for memories that have no room for a row).
"""

from __future__ import annotations

import math
from collections.abc import Container, Sequence

from xdsl.dialects.builtin import f32, f64

from kc.analysis.reductions.masked_terms import TermReader
from kc.dialects.tir import ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule import pointwise, reduction
from kc.transforms.auto_schedule.contraction import best_tile, perform
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import (
    Access,
    Nest,
    extent,
    is_untouched,
    iterations,
    readers,
)
from kc.transforms.auto_schedule.rows import Group, group_of, is_product
from kc.transforms.auto_schedule.rule import Rule
from kc.transforms.trace.handles import LoopRV

LEAST = 16
"""The minimum number of rows of a block: with fewer rows, a panel of the second operand has too
little reuse.
"""

TILE = 8
"""The factor to which the rows of a block are rounded if the block does not divide all rows: a
multiple of most heights of tiles.
"""

PART = 4
"""The number of vectors of a row that are skipped together if the indices mask them."""

HINT = "pragma_loop_partition_hint"

BLOCKS = 4
"""The number of blocks for each core, so that all cores have work until the end."""

SAVED = 3
"""The minimum ratio of the bytes between the products to the bytes that are packed. The packed
panels of all second operands go through memory, whereas other tiles use one panel while it is in
L1.
"""

SLOWER, SLOWER_IF_MASKED = 1.5, 3
"""The maximum cycles of the tiles in a block, as a multiple of the cycles of the best tiles. Tiles
of a block divide its rows and have no padded columns. Blocks skip masked terms, about half of all
terms.
"""


class RowBlocks(Rule):
    """Compute a chain of products, and the blocks between them, in blocks of rows."""

    name = "row-blocks"

    def apply(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if not is_untouched(nest.block) or not nest.is_plain or len(nest.spatial) < 2:
            return False
        group = group_of(draft, nest, products=True)
        if not _exceeds_caches(draft, group):
            return False
        products = [member for member in (nest, *group.members) if is_product(draft, member)]
        if len(products) < 2 or not all(_is_of_rows(group, product) for product in products):
            return False
        size = _rows(draft, group, products)
        if size is None:
            return False
        _perform(draft, group, [product.name for product in products], size)
        return True


def _is_of_rows(group: Group, product: Nest) -> bool:
    """True if a product of floats has a row of results for each row of a factor."""
    rows = group.shared_by(product)[-1]
    types = {getattr(load.buffer.type, "element_type", None) for load in product.loads}
    return (
        len(product.reduce) == 1
        and product.stores[0].stride(rows) != 1
        and any(load.stride(rows) for load in product.loads)
        and not all(load.stride(rows) for load in product.loads)
        and types <= {f32, f64}
    )


def _between(group: Group) -> int:
    """The bytes that the members store for each other and for the root."""
    return sum(_bytes(store, nest) for nest in group.members for store in nest.stores)


def _exceeds_caches(draft: Draft, group: Group) -> bool:
    """True if the intermediate results between the products may exceed the L2 cache."""
    loops = (loop for nest in (group.root, *group.members) for loop in nest.loops)
    is_known = all(loop.static_extent is not None for loop in loops)
    return not is_known or _between(group) > draft.machine.l2


def _rows(draft: Draft, group: Group, products: list[Nest]) -> int | None:
    """The number of rows of a block; None if blocks save no time, because the second operands
    exceed the caches and each block would read them again, or because the intermediate results are
    small.
    """
    machine = draft.machine
    second = [
        (load, product)
        for product in products
        for load in product.loads
        if not load.stride(group.shared_by(product)[-1])
    ]
    again = sum(_bytes(load, product, group.shared_by(product)) for load, product in second)
    packed = sum(_bytes(load, product) for load, product in second)
    count, all_rows = extent(group.shared[-1]), iterations(group.shared)
    if 2 * again > machine.l3 or _between(group) < SAVED * packed:
        return None
    most = 2 * machine.l2 * all_rows // max(1, _between(group))
    if machine.cores > 1:
        most = min(most, all_rows // (BLOCKS * machine.cores))
    most = min(max(most, LEAST), count // 2)
    if most < LEAST:
        return None
    if group.shared[-1].static_extent is None:
        return most // TILE * TILE
    exact = [size for size in range(LEAST, most + 1) if count % size == 0]
    if exact and 2 * exact[-1] > most:
        return exact[-1]
    # Every block except the last has the same number of rows, a multiple of the tile.
    return math.ceil(count / math.ceil(count / most) / TILE) * TILE


def _bytes(access: Access, nest: Nest, fixed: Sequence[ForOp] = ()) -> int:
    """The bytes that the loops of a nest access, without the ``fixed`` loops."""
    moving = (loop for loop in nest.loops if access.stride(loop) and loop not in fixed)
    counts = (math.ceil(extent(loop) / access.groups.get(loop, 1)) for loop in moving)
    return math.prod(counts) * access.bits // 8


def _perform(draft: Draft, group: Group, products: list[str], size: int) -> None:
    root, machine = group.root, draft.machine
    name = root.name
    nests = (root, *group.members)
    best = {nest.name: best_tile(nest, machine) for nest in nests if nest.name in products}
    work = sum(iterations(nest.loops) * max(1, nest.operations + len(nest.loads)) for nest in nests)
    rows = group.shared[-1].static_extent
    is_ragged = rows is None or rows % size != 0
    is_masked = any(
        TermReader().terms_of(member.block) for member in nests if member.block.is_reduction
    )
    most = SLOWER_IF_MASKED if is_masked else SLOWER
    handles = draft.loops(name)
    outside = [handles[loop] for loop in group.shared]
    inside = [handles[loop] for loop in root.loops if loop not in group.shared]
    place, row = draft.split(outside[-1], [None, size])
    outside[-1] = place
    draft.put_in_order([*outside, row, *inside])
    depth = len(outside)
    for nest in group.members:
        draft.compute_at(draft.block(nest.name), place)
    skipped: list[str] = []
    for nest in nests:
        label = nest.name
        if is_masked and label not in products:
            _cut_rows(draft, label, depth)
        if label in products:
            within = Nest(draft.session.block(draft.block(label)), depth)
            tile = best_tile(within, machine, in_block=True)
            whole, blocks = best[label], iterations(group.shared) // size
            if tile is None or whole is None or tile.cycles * blocks > most * whole.cycles:
                raise ScheduleError("KC3608", "the tiles that divide a block of rows are too slow")
            perform(draft, label, tile, None, within, rows_end=is_ragged)
            stored = draft.nest(label).stores[0].buffer
            if not draft.nest(label).block.has_init and nest is not root:
                finishing = [reader for reader in readers(stored) or () if reader.label != label]
                skipped += [reader.label for reader in finishing]
        elif nest.block.is_reduction:
            reduction.schedule(draft, label, depth, in_place=True)
        else:
            label = pointwise.schedule(draft, label, depth)
            name = label if nest is root else name
        draft.settled.add(label)
        if nest is root or label not in products:
            skipped.append(label)
    if is_masked:
        _skip_masked(draft, skipped, depth)
    if is_ragged:
        for label in [name for name in skipped if name not in products]:
            _hint(draft, list(draft.loops(label).values())[depth])
        _run_ragged_in_parallel(draft, name, depth, work)
        _hint(draft, place)
    else:
        draft.run_in_parallel(name, depth, work)


def _hint(draft: Draft, loop: LoopRV) -> None:
    draft.attempt("pragma", loop, "loop_partition_hint", True)


def _run_ragged_in_parallel(draft: Draft, name: str, depth: int, work: int) -> None:
    """Run blocks of rows in parallel if the last block has fewer rows. Their loop is not fused, so
    that the extents of the other blocks stay constants.
    """
    around = draft.nest(name).loops[: depth - 1]
    if iterations(around) >= BLOCKS * draft.machine.cores or not draft.pays_in_parallel(work):
        draft.run_in_parallel(name, depth - 1, work)
    else:
        draft.attempt("parallel", list(draft.loops(name).values())[depth - 1])


def _cut_rows(draft: Draft, label: str, depth: int) -> None:
    """Split the rows of a block in parts, so that masked parts can be skipped."""
    nest = draft.nest(label)
    size = PART * draft.machine.lanes(nest.bits)
    row = reduction.row_of(draft, nest) if nest.reduce else None
    own = [loop for loop in nest.loops[depth:] if loop in nest.spatial]
    row = row or pointwise.vector_loop(nest, own, draft.machine.lanes(nest.bits))
    if row is not None and extent(row) > size:
        draft.split(draft.loops(label)[row], [None, size])


def _skip_masked(draft: Draft, labels: Sequence[str], depth: int) -> None:
    """Skip the masked parts of rows: first in reductions, from consumers to producers, then in the
    blocks whose results the reductions read.
    """
    before = {block.label for block in draft.blocks()}
    reductions = [label for label in labels if draft.nest(label).block.is_reduction]
    for label in reductions:
        nest = draft.nest(label)
        if TermReader().terms_of(nest.block) is not None:
            loop = draft.loops(label)[nest.reduce[0]]
            draft.decompose(label, loop)
            shorten(draft, label, loop)
    for label in labels:
        loops = list(draft.loops(label).values())
        if label not in reductions:
            any(shorten(draft, label, loop, loops[depth - 1]) for loop in loops[depth:])
    schedule_checks(draft, before)


def schedule_checks(draft: Draft, before: Container[str]) -> None:
    """Schedule the blocks that check for numbers that are not finite: the reductions whose names
    are not in ``before``.
    """
    for block in draft.blocks():
        if block.label not in before and block.is_reduction:
            reduction.schedule(draft, block.label, 0)
            draft.settled.add(block.label)


def shorten(draft: Draft, label: str, loop: LoopRV, *at: LoopRV) -> bool:
    """Skip the masked iterations of a loop, and keep its hint. Returns False if no iteration is
    masked.
    """
    annotations = draft.session.loop(loop).annotations
    is_hinted = annotations is not None and HINT in annotations.data
    if is_hinted:
        draft.unannotate(loop, HINT)
    try:
        shorter = draft.skip_masked(draft.block(label), loop, *at)
    except ScheduleError:
        if is_hinted:
            _hint(draft, loop)
        return False
    if is_hinted or draft.nest(label).block.predicate.data.constraints:
        _hint(draft, shorter)
    return True
