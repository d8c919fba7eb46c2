"""few-rows: products of a few rows with rows of another matrix are dot products.

A layer of a network that is asked for a few inputs at a time, X W^T, reads its weights once, and
along the sums. To tile it, as ``contraction`` does, the weights would be turned first, which takes
longer than the product does. Here each row of the weights is multiplied by all the others while it
is in registers: the sums are vectorized, each lane with a result of its own.
"""

from __future__ import annotations

from kc.dialects.tir import ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import Nest, extent, is_untouched
from kc.transforms.auto_schedule.rule import Rule

MOST_ROWS = 8
"""Rows whose sums are computed at a time; of more, turning the weights pays."""

TOGETHER = (1, 2, 4)
"""How many rows of the weights may share what is loaded of the others."""


class FewRows(Rule):
    """Multiply a few rows by each row of a matrix while that is in registers."""

    name = "few-rows"

    def apply(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        rows = few_rows(draft, nest)
        if rows is None:
            return False
        mark = draft.mark()
        try:
            _perform(draft, nest, rows)
        except ScheduleError:
            draft.return_to(mark)
            return False
        draft.settled.add(block)
        draft.run_in_parallel(block, len(nest.spatial) - 1)
        return True


def few_rows(draft: Draft, nest: Nest) -> ForOp | None:
    """The loop over the few rows of a product whose sums are contiguous in all its operands; None
    for what is no such product."""
    reduction, lanes = nest.reduction, draft.machine.lanes(nest.bits)
    if reduction is None or len(reduction.updates) != 1 or reduction.guard is not None:
        return None
    if not nest.is_plain or not is_untouched(nest.block) or len(nest.stores) != 1:
        return None
    if len(nest.reduce) != 1 or (nest.reduce[0].static_extent or 0) < 2 * lanes:
        return None
    if nest.bits < 32 or any(it.bits != nest.bits for it in (*nest.stores, *nest.loads)):
        return None
    if len(nest.loads) < 2 or any(it.stride(nest.reduce[0]) != 1 for it in nest.loads):
        return None
    counts = {
        loop: loop.static_extent
        for loop in nest.spatial
        if loop.static_extent is not None and 2 <= loop.static_extent <= MOST_ROWS
    }
    candidates = [rows for rows in counts if _columns(nest, rows)]
    return max(candidates, key=lambda rows: counts[rows], default=None)


def _columns(nest: Nest, rows: ForOp) -> list[ForOp]:
    """The loops over what the rows are all multiplied by, which ``rows`` does not move."""
    return [
        loop
        for loop in nest.spatial
        if loop is not rows
        and any(load.stride(loop) and not load.stride(rows) for load in nest.loads)
        and any(load.stride(rows) and not load.stride(loop) for load in nest.loads)
    ]


def _perform(draft: Draft, nest: Nest, rows: ForOp) -> None:
    """A few rows of both, innermost but for a vector of terms, in registers. Raises ScheduleError
    where that is refused."""
    handles = draft.loops(nest.name)
    (terms,) = nest.reduce
    lanes = draft.machine.lanes(nest.bits)
    columns = _columns(nest, rows)[-1]
    most = draft.machine.registers // 2 // extent(rows)
    count = max(it for it in TOGETHER if it <= max(most, 1) and extent(columns) % it == 0)
    outer = [handles[loop] for loop in nest.spatial if loop is not rows]
    inner = [handles[rows]]
    if count > 1:
        at = outer.index(handles[columns])
        outer[at], together = draft.split(handles[columns], [None, count])
        inner.append(together)
        if columns.static_extent is None:
            draft.attempt("pragma", outer[at], "loop_partition_hint", True)
    around, vector = draft.split(handles[terms], [None, lanes])
    draft.put_in_order([*outer, around, *inner, vector])
    for loop in inner:
        draft.unroll(loop)
    draft.vectorize(vector)
    if extent(terms) % lanes:
        draft.attempt("pragma", around, "loop_partition_hint", True)
