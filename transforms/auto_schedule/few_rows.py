"""few-rows: products of a few rows with rows of another matrix are dot products.

A layer of a network with a few inputs at a time, X W^T, reads its weights once, along the
reduction. The tiles of ``contraction`` would need transposed weights, and the transposition takes
longer than the product. Here each row of the weights is multiplied by all rows of X while it is in
registers: the sums are vectorized, with a partial result in each lane.

If there are few columns, as in X W with a W of a few columns, or in a convolution of contiguous
channels to a few channels, the vectors of tiles would have few useful lanes. The small W is
transposed, and the product is computed as above, if tiles take longer in the model.
"""

from __future__ import annotations

from dataclasses import dataclass

from kc.dialects.tir import ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule import pointwise
from kc.transforms.auto_schedule.contraction import best_tile, contraction_behind
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.machine import SCALAR_COPY, Machine
from kc.transforms.auto_schedule.nests import (
    Access,
    Nest,
    extent,
    is_untouched,
    iterations,
    loop_of_dimension,
)
from kc.transforms.auto_schedule.rule import Rule

MOST_ROWS = 8
"""The most rows whose sums are computed at a time. With more rows, transposing the weights is
faster.
"""

TOGETHER = (1, 2, 4)
"""The numbers of rows of the weights that may share each vector loaded from the few rows."""

ADD_LANES = 10
"""The cycles to add up the lanes of a sum, and to store it separately."""


@dataclass(frozen=True)
class FewRowsOf:
    """The loops and operands of a product of a few rows."""

    rows: ForOp
    """The loop over the few rows."""
    terms: ForOp
    """The loop along which the operands are contiguous."""
    turned: Access | None
    """The operand of the rows, if it is not contiguous along the terms; else None."""


class FewRows(Rule):
    """Multiply a few rows by each row of a matrix while the latter is in registers."""

    name = "few-rows"

    def apply(self, draft: Draft, block: str) -> bool:
        nest, epilogue = draft.nest(block), None
        if not nest.block.is_reduction:
            producer = contraction_behind(nest)
            if producer is None:
                return False
            epilogue, nest = block, draft.nest(producer.label)
        few = few_rows(nest, draft.machine)
        if few is None:
            return False
        mark, name = draft.mark(), nest.name
        try:
            _perform(draft, nest, few)
        except ScheduleError:
            draft.return_to(mark)
            return False
        draft.settled.add(name)
        draft.run_in_parallel(name, len(nest.spatial) - 1)
        if epilogue is not None:
            pointwise.Pointwise().apply(draft, epilogue)
        return True


def few_rows(nest: Nest, machine: Machine) -> FewRowsOf | None:
    """The loops and operands of a product of a few rows whose terms are contiguous in all operands,
    or become so if the operand of the rows is transposed; None for any other block.
    """
    reduction, lanes = nest.reduction, machine.lanes(nest.bits)
    if reduction is None or len(reduction.updates) != 1 or reduction.guard is not None:
        return None
    if not nest.is_plain or not is_untouched(nest.block) or len(nest.stores) != 1:
        return None
    if nest.bits < 32 or any(access.bits != nest.bits for access in (*nest.stores, *nest.loads)):
        return None
    if len(nest.loads) < 2 or not nest.reduce:
        return None
    counts = {
        loop: loop.static_extent
        for loop in nest.spatial
        if loop.static_extent is not None and 2 <= loop.static_extent <= MOST_ROWS
    }
    candidates = [rows for rows in counts if _columns(nest, rows)]
    for rows in sorted(candidates, key=lambda rows: counts[rows], reverse=True):
        for terms in reversed(nest.reduce):
            if (terms.static_extent or 0) < 2 * lanes:
                continue
            apart = [load for load in nest.loads if load.stride(terms) != 1]
            if not apart and len(nest.reduce) == 1:
                return FewRowsOf(rows, terms, None)
            few = FewRowsOf(rows, terms, apart[0] if apart else None)
            if len(apart) <= 1 and _pays(nest, few, machine):
                return few
    return None


def _pays(nest: Nest, few: FewRowsOf, machine: Machine) -> bool:
    """True if the operand of the rows can be transposed, and tiles would take longer."""
    rows, terms, turned = few.rows, few.terms, few.turned
    if len(nest.loads) != 2 or any(loop.static_extent is None for loop in nest.reduce):
        return False
    cycles = 0.0
    if turned is not None:
        dims = loop_of_dimension(nest, turned)
        if None in dims or terms not in dims or rows not in dims or len(set(dims)) < len(dims):
            return False
        cycles = iterations(loop for loop in dims if loop is not None) * SCALAR_COPY
    tile = best_tile(nest, machine)
    if tile is None:
        return False
    lanes, count = machine.lanes(nest.bits), extent(terms)
    steps = count // lanes + (machine.cost_of_masks if count % lanes else 0)
    steps *= iterations(nest.reduce) // count
    together = _together(nest, few, machine)
    loads = steps * (1 / extent(rows) + 1 / together) / machine.loads_per_cycle
    cycles += iterations(nest.spatial) * (max(steps / machine.fma_per_cycle, loads) + ADD_LANES)
    return cycles < tile.cycles


def _columns(nest: Nest, rows: ForOp) -> list[ForOp]:
    """The loops over the other factor of the product: loops that move a load which ``rows`` does
    not move.
    """
    return [
        loop
        for loop in nest.spatial
        if loop is not rows
        and any(load.stride(loop) and not load.stride(rows) for load in nest.loads)
        and any(load.stride(rows) and not load.stride(loop) for load in nest.loads)
    ]


def _together(nest: Nest, few: FewRowsOf, machine: Machine) -> int:
    """The number of rows of the weights that share each load of the few rows: the largest that fits
    in registers and, if possible, divides their count.
    """
    most = max(1, machine.registers // 2 // extent(few.rows))
    fitting = [count_together for count_together in TOGETHER if count_together <= most]
    count = _columns(nest, few.rows)[-1].static_extent
    exact = [group for group in fitting if count is not None and count % group == 0]
    return max(fitting) if count is None or max(exact) == 1 < count else max(exact)


def _perform(draft: Draft, nest: Nest, few: FewRowsOf) -> None:
    """Schedule the product: put the loops over a few rows of each operand just outside a vectorized
    loop over terms, and unroll them, so that the sums stay in registers. Raises ScheduleError if
    the schedule refuses a step.
    """
    lanes = draft.machine.lanes(nest.bits)
    rows, terms, columns = few.rows, few.terms, _columns(nest, few.rows)[-1]
    count = _together(nest, few, draft.machine)
    reduce = [loop for loop in nest.reduce if loop is not terms]
    spatial = [loop for loop in nest.spatial if loop is not rows]
    numbers = {loop: n for n, loop in enumerate(nest.loops)}
    if few.turned is not None:
        _turn(draft, nest, few.turned, terms)
    of_loops = list(draft.loops(nest.name).values())
    handles = {loop: of_loops[n] for loop, n in numbers.items()}
    outer = [handles[loop] for loop in spatial]
    inner = [handles[rows]]
    if count > 1:
        at, size = outer.index(handles[columns]), columns.static_extent
        outer[at], together = draft.split(handles[columns], [None, count])
        inner.append(together)
        if size is None or size % count:
            draft.attempt("pragma", outer[at], "loop_partition_hint", True)
    around, vector = draft.split(handles[terms], [None, lanes])
    draft.put_in_order([*outer, *(handles[loop] for loop in reduce), around, *inner, vector])
    for loop in inner:
        draft.unroll(loop)
    draft.vectorize(vector)
    if extent(terms) % lanes:
        draft.attempt("pragma", around, "loop_partition_hint", True)


def _turn(draft: Draft, nest: Nest, operand: Access, terms: ForOp) -> None:
    """Copy an operand to a buffer in which the terms are contiguous."""
    names = [f"d{n}" for n in range(len(operand.op.indices.data.results))]
    at = loop_of_dimension(nest, operand).index(terms)
    results = [*names[:at], *names[at + 1 :], names[at]]
    handle = draft.block(nest.name)
    copy = draft.cache_read(handle, nest.read_number(operand.buffer), "global", [handle])
    draft.transform_layout(copy, ("write", 0), f"({', '.join(names)})->({', '.join(results)})")
    name = pointwise.schedule(draft, draft.session.block(copy).label, 0)
    draft.settled.add(name)
