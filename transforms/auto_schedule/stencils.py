"""stencils: the producers of a stencil are computed for a few of its rows, which fit in the cache.

A blur of rows and then of columns reads each row of its first pass three times, and between the
passes the whole picture goes to memory and back. So the loop over the rows of a block is split into
tiles. Producers from which an iteration reads several rows are computed tile by tile
(``compute_at``). Rows at the edges of tiles are computed twice. A tile has as many rows as fit in
half of the L2 cache. If more than an eighth of the rows would be computed twice, or if the results
of the producers fit in the cache as a whole, the blocks run one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from kc.analysis.accesses.regions import stores_to
from kc.dialects.affine_assembly import linear_terms
from kc.dialects.tir import BlockOp, ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule import pointwise
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import (
    Nest,
    extent,
    is_own,
    is_untouched,
    iterations,
    readers,
)
from kc.transforms.auto_schedule.rule import Rule

REPEATED = 8
"""The minimum number of rows of a tile for each row that is computed twice."""


@dataclass(frozen=True)
class Stage:
    """A block of a stencil. For each tile, the block computes ``span`` rows more than the tile
    has.
    """

    nest: Nest
    rows: ForOp
    span: int


class Stencils(Rule):
    """Compute the producers of a stencil for tiles of its rows."""

    name = "stencils"

    def apply(self, draft: Draft, block: str) -> bool:
        root = draft.nest(block)
        rows = _rows(draft, root)
        if rows is None or rows.static_extent is None:
            return False
        producers = _producers(draft, Stage(root, rows, 0))
        height = _height(draft, Stage(root, rows, 0), producers)
        if height is None:
            return False
        names = [stage.nest.name for stage in producers]
        depth = root.loops.index(rows) + 1
        work = sum(
            iterations(nest.loops) * max(1, nest.operations + len(nest.loads))
            for nest in (root, *(stage.nest for stage in producers))
        )
        mark = draft.mark()
        try:
            outer, _ = draft.split(draft.loops(block)[rows], [None, height])
            for name in names:
                draft.compute_at(draft.block(name), outer)
        except ScheduleError:
            draft.return_to(mark)
            return False
        for name in names:
            draft.settled.add(pointwise.schedule(draft, name, depth))
        name = pointwise.schedule(draft, block, depth)
        draft.run_in_parallel(name, depth, work)
        draft.settled.add(name)
        return True


def _rows(draft: Draft, nest: Nest) -> ForOp | None:
    """The loop over the rows of an elementwise block: the loop around the vector loop. None if the
    block has no such loops, or if primitives have changed it.
    """
    if nest.block.is_reduction or not nest.is_plain or not is_untouched(nest.block):
        return None
    if len(nest.loops) < 2 or nest.spatial != nest.loops:
        return None
    vector = pointwise.vector_loop(nest, nest.loops, draft.machine.lanes(nest.bits))
    return nest.loops[-2] if vector is nest.loops[-1] else None


def _producers(draft: Draft, root: Stage) -> list[Stage]:
    """The producers that can be computed for the rows of a stencil; consumers precede the producers
    of their operands.
    """
    stages = {root.nest.block: root}
    for block in reversed(draft.blocks()):
        if block in stages or block.label in draft.settled:
            continue
        nest = draft.nest(block.label)
        rows = _rows(draft, nest)
        if rows is None or len(nest.stores) != 1 or not is_own(nest.stores[0].buffer):
            continue
        span = _span(nest, rows, stages)
        if span is not None:
            stages[block] = Stage(nest, rows, span)
    return [stage for stage in stages.values() if stage is not root]


def _span(nest: Nest, rows: ForOp, stages: dict[BlockOp, Stage]) -> int | None:
    """The number of rows of a producer that are read beyond the rows of a tile of the root. None if
    a reader is not a stage, or if a reader uses other indices than the row plus a constant.
    """
    (store,) = nest.stores
    if stores_to(store.buffer) != [store.op]:
        return None
    consumers = readers(store.buffer)
    if not consumers or any(block not in stages for block in consumers):
        return None
    dims = _dimensions(nest, store.buffer, rows)
    if dims is None or dims[1:] != (0, 0):
        return None
    span = 0
    for block in consumers:
        stage = stages[block]
        read = _dimensions(stage.nest, store.buffer, stage.rows)
        if read is None or read[0] != dims[0]:
            return None
        span = max(span, stage.span + read[2] - read[1])
    return span


def _dimensions(nest: Nest, buffer: SSAValue, rows: ForOp) -> tuple[int, int, int] | None:
    """The dimension of a buffer that the loop over rows indexes with stride 1, and the smallest and
    the largest offset; None if the accesses differ in the dimension or have another form.
    """
    dims: set[int] = set()
    offsets: list[int] = []
    for access in (*nest.loads, *nest.stores):
        if access.buffer is not buffer:
            continue
        along = []
        for dim, expr in enumerate(nest.indices(access)):
            terms, offset = linear_terms(expr)
            factors = [factor for atom, factor in terms.items() if nest.depends_on(atom, [rows])]
            if factors:
                own = [nest.loop_of(atom) for atom in terms]
                if own != [rows] or factors != [1]:
                    return None
                along.append(dim)
                offsets.append(offset)
        dims.update(along)
        if len(along) != 1:
            return None
    if len(dims) != 1:
        return None
    return dims.pop(), min(offsets), max(offsets)


def _height(draft: Draft, root: Stage, producers: list[Stage]) -> int | None:
    """The number of rows of a tile; None if tiles save no time."""
    span = max((stage.span for stage in producers), default=0)
    if not span:
        return None  # other rules handle producers that are read one row at a time
    machine, whole = draft.machine, 0.0
    row, edge = 0.0, 0.0
    for stage in (root, *producers):
        inner = iterations(stage.nest.loops[stage.nest.loops.index(stage.rows) + 1 :])
        size = inner * stage.nest.bits / 8
        if stage is not root:
            whole += iterations(stage.nest.loops) * stage.nest.bits / 8
        row += size
        edge += size * stage.span
    if whole < machine.l2:
        return None
    total = extent(root.rows)
    most = min((machine.l2 / 2 - edge) / row, total / (2 * machine.cores))
    least = REPEATED * span
    if most < least:
        return None
    heights = [n for n in range(least, int(most) + 1) if total % n == 0]
    return max(heights, default=int(most))
