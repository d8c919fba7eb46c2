"""reduction: sums, maxima and similar reductions over any axis, without the reuse of elements that
products have.

The form of the loops depends on where memory is contiguous:

- along a spatial loop (a sum of columns): vectors run along it, inside the reduction. A reduction
  of few terms is unrolled, and sums stay in registers. If several rows read the same elements (the
  channels of one group of a convolution), they are reduced together;
- along the reduction (a sum of rows, a dot product): the reduction is vectorized or, if this is
  refused, computed as partial results in the lanes of a few vector registers (``rfactor``), which
  are reduced at the end;
- along neither: the reduction moves outside the innermost spatial loop, if one exists.
"""

from __future__ import annotations

import math

from kc.analysis import loop_tree
from kc.dialects.tir import ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.machine import LOAD_COST, Machine
from kc.transforms.auto_schedule.nests import COSTLY, Nest, extent, is_own, is_untouched, iterations
from kc.transforms.auto_schedule.pointwise import vector_loop, vectorize
from kc.transforms.auto_schedule.rule import Rule

UNROLLED = 32
"""The maximum number of terms of an unrolled reduction: the taps of a small window."""

MOST_INSTRUCTIONS = 1024
"""The maximum number of instructions of an unrolled reduction. An exponential takes many, and LLVM
takes seconds to compile thousands.
"""

VECTORS = 4
"""The number of vector registers of partial results: enough to hide the latency of an addition."""

SEGMENT = 32
"""The number of vectors that a core adds in one step along a long row."""

FEWEST = 8
"""The minimum number of terms of a row for which adding in lanes and combining the lanes is faster
than adding one by one.
"""

TOGETHER = 8
"""The number of rows of a long reduction of columns that are added together. A partial sum is
loaded and stored once for these rows.
"""

SHARES = 4
"""The partial sums of a reduction of columns take the SHARES-th part of L2. Larger parts of rows
are better, because memory is read fastest in its order: 16 KiB of each row took twice the time of
whole rows.
"""


class Reduce(Rule):
    """Vectorize reductions, along a spatial loop or by partial results."""

    name = "reduction"

    def apply(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if not nest.is_plain or nest.reduction is None:
            return False
        if not is_untouched(nest.block):
            return False
        mark = draft.mark()
        try:
            schedule(draft, block, 0)
        except ScheduleError:
            draft.return_to(mark)
            serial(draft, block)
        draft.settled.add(block)
        draft.run_in_parallel(block, len(nest.spatial))
        return True


def schedule(draft: Draft, block: str, outer: int, *, in_place: bool = False) -> None:
    """Schedule a reduction inside its ``outer`` outermost loops, which stay as they are.

    With ``in_place``, other blocks are in these loops, so that partial results are impossible.
    Raises ScheduleError if they would be needed.
    """
    nest = draft.nest(block)
    own = [loop for loop in nest.spatial if nest.loops.index(loop) >= outer]
    along = vector_loop(nest, own, draft.machine.lanes(nest.bits))
    if not nest.reduce:  # the reduction has one term
        if along is not None:
            vectorize(draft, block, along)
        return
    row = row_of(draft, nest)
    if row is not None and (along is None or gain(nest, row) > gain(nest, along)):
        if not in_place and _terms_by_cores(draft, block):
            return
        nest = draft.nest(block)
        row = row_of(draft, nest)
        if row is None or not _lanes_of_row(draft, block, row):
            if in_place:
                raise ScheduleError(
                    "KC3040", "partial results are impossible after blocks have moved"
                )
            partial_results(draft, block)
    elif along is not None:
        at = nest.loops.index(along)
        if in_place or not _rows_by_cores(draft, block):
            # An undone step has replaced the loops, so the loop is looked up again.
            columns(draft, block, draft.nest(block).loops[at])
    else:
        serial(draft, block, outer)


def _lanes_of_row(draft: Draft, block: str, row: ForOp) -> bool:
    """Vectorize the reduce loop itself, with partial results in its lanes. Returns False if this is
    refused.
    """
    nest = draft.nest(block)
    handles = draft.loops(block)
    inside = nest.loops[nest.loops.index(row) + 1 :]
    outer = [loop for loop in nest.reduce if loop is not row and loop not in inside]
    if inside and not draft.attempt("reorder", *map(handles.get, (*outer, *inside, row))):
        return False
    if row.static_extent is not None:
        return draft.attempt("vectorize", handles[row])
    outer, inner = draft.split(handles[row], [None, VECTORS * draft.machine.lanes(nest.bits)])
    if not draft.attempt("vectorize", inner):
        raise ScheduleError(
            "KC3040", "the reduction cannot be vectorized, and its extent is unknown"
        )
    draft.attempt("pragma", outer, "loop_partition_hint", True)
    return True


def gain(nest: Nest, loop: ForOp) -> int:
    """The number of loads that are contiguous along ``loop``, less the number of scattered ones."""
    strides = [load.stride(loop) for load in nest.loads]
    return sum(stride == 1 for stride in strides) - sum(stride not in (0, 1) for stride in strides)


def row_of(draft: Draft, nest: Nest) -> ForOp | None:
    """The reduce loop along which memory is contiguous; None if it is too short for vectors.

    An addition waits for the previous one, so that a few terms in sequence take longer than the
    lanes of a vector. If a term takes much work, or if combining lanes takes many steps as for an
    argmax, rows must have at least two vectors.
    """
    lanes = draft.machine.lanes(nest.bits)
    best = max(nest.reduce, key=lambda loop: gain(nest, loop), default=None)
    if best is None or gain(nest, best) <= 0:
        return None
    is_cheap = nest.operations < COSTLY and len(nest.stores) == 1
    least = min(2 * lanes, max(FEWEST, lanes // 2)) if is_cheap else 2 * lanes
    return best if extent(best) >= least else None


def _rows_by_cores(draft: Draft, block: str) -> bool:
    """Give each core some rows of a reduction of columns, and add the results of the cores. Returns
    True on success.

    This is for few results of many terms. The alternative, some of the columns for each core, reads
    parts of rows.
    """
    nest, cores = draft.nest(block), draft.machine.cores
    terms = nest.reduce[0].static_extent
    if terms is None or terms % cores:
        return False
    results = iterations(nest.spatial)
    work = iterations(nest.loops) * max(1, nest.operations + len(nest.loads))
    if not draft.pays_in_parallel(work) or work < results * cores * UNROLLED:
        return False
    if draft.pays_in_parallel(results):  # there are enough columns for all cores
        return False
    mark = draft.mark()
    try:
        share, _ = draft.split(draft.loops(block)[nest.reduce[0]], [cores, None])
        part = draft.session.block(draft.rfactor(share, 0)).label
    except ScheduleError:
        draft.return_to(mark)
        return False
    handles = list(draft.loops(part).values())
    at = nest.loops.index(nest.reduce[0])
    draft.put_in_order([handles[at], *handles[:at]])
    for name in (part, block):
        inner = draft.nest(name)
        along = vector_loop(inner, inner.spatial, draft.machine.lanes(inner.bits))
        if along is None:
            draft.return_to(mark)
            return False
        columns(draft, name, along)
    draft.run_in_parallel(part, 1)
    draft.settled.add(part)
    return True


def _terms_by_cores(draft: Draft, block: str) -> bool:
    """Give each core some of the terms of a single result, and add the results of the cores.
    Returns True on success.

    This is for a sum over all elements, where the spatial loops have no work for the cores. A
    single row is split in steps of whole vectors; of several loops over terms, the outermost one is
    split.
    """
    nest, machine = draft.nest(block), draft.machine
    row = row_of(draft, nest)
    work = iterations(nest.loops) * max(1, nest.operations + len(nest.loads))
    if row is None or not draft.pays_in_parallel(work) or iterations(nest.spatial) > 1:
        return False
    outer = nest.reduce[0]
    if nest.loops[-1] is not row or nest.loops[-len(nest.reduce) :] != nest.reduce:
        return False
    count, shares = outer.static_extent, SHARES * machine.cores
    size = SEGMENT * machine.lanes(nest.bits) if outer is row else 1
    each = (count or 0) // (shares * size)
    if not each:
        return False
    assert count is not None
    whole = shares * each * size
    mark = draft.mark()
    try:
        # Loops with one iteration go inside, so that the partitioned loop is outermost.
        handles = draft.loops(block)
        terms = handles[outer]
        draft.put_in_order([terms, *(handles[loop] for loop in nest.loops if loop is not outer)])
        if whole < count:
            terms, rest = draft.loop_partition(terms, [whole, None])
            end = loop_tree.blocks(draft.session.loop(rest))[0].label
            _vectorize_row(draft, end, outer is row)
        share, *_ = draft.split(terms, [shares, each, size] if size > 1 else [shares, each])
        part = draft.session.block(draft.rfactor(share, 0)).label
        _vectorize_row(draft, part, outer is row)
        draft.run_in_parallel(part, 1, work)
    except ScheduleError:
        draft.return_to(mark)
        return False
    draft.settled.add(part)
    return True


def _vectorize_row(draft: Draft, block: str, is_cut: bool) -> None:
    """Vectorize the loop along a row inside loops of one iteration: the innermost loop or, if the
    row is split, the innermost reduce loop.
    """
    nest, loops = draft.nest(block), draft.loops(block)
    vector = nest.reduce[-1] if nest.reduce and is_cut else nest.loops[-1]
    draft.put_in_order(
        [*(handle for loop, handle in loops.items() if loop is not vector), loops[vector]]
    )
    draft.vectorize(loops[vector])


def columns(draft: Draft, block: str, along: ForOp) -> None:
    """Vectorize a spatial loop inside the reduction."""
    nest = draft.nest(block)
    machine = draft.machine
    lanes = machine.lanes(nest.bits)
    handles = draft.loops(block)
    reduce = [handles[loop] for loop in nest.reduce]
    count, inner = along.static_extent, handles[along]
    width = machine.registers // 2 * lanes
    if all(loop.static_extent is not None for loop in nest.reduce) and (
        iterations(nest.reduce) <= UNROLLED
        and iterations(nest.reduce) * _instructions(nest, along, width, lanes) <= MOST_INSTRUCTIONS
    ):
        if count is None or count > width:
            _, inner = draft.split(inner, [None, width])
        draft.put_in_order([*reduce, inner])
        for loop in reduce:
            draft.unroll(loop)
        draft.vectorize(inner)
        draft.decompose(block, reduce[0])
        return
    if _rows_of_a_group(draft, block, along):
        return
    # The sums of a part of a row stay in L2; a step adds a few rows to a few vectors.
    part, step = machine.l2 // SHARES // (nest.bits // 8), VECTORS * lanes
    hinted = []
    elsewhere = iterations(loop for loop in nest.spatial if loop is not along)
    if elsewhere < machine.cores and extent(along) >= 2 * step:
        part = min(part, max(step, extent(along) // machine.cores // step * step))
    if count is None or count > part:
        outer, inner = draft.split(inner, [None, part])
        if count is None or count % part:
            hinted.append(outer)
    middle = []
    if count is None or count > step:
        cut, inner = draft.split(inner, [None, step])
        middle.append(cut)
        if count is None or min(count, part) % step:
            hinted.append(cut)
    terms = nest.reduce[-1].static_extent
    together = []
    most = max(1, MOST_INSTRUCTIONS // _instructions(nest, along, step, lanes))
    at_once = min(TOGETHER, 1 << most.bit_length() - 2 if most > 1 else 1)
    if at_once > 1 and (terms is None or terms > at_once):
        reduce[-1], rows = draft.split(reduce[-1], [None, at_once])
        together.append(rows)
        if terms is None or terms % at_once:
            hinted.append(reduce[-1])
    elif at_once > 1 and terms is not None and terms > 1 and len(reduce) > 1:
        together.append(reduce.pop())
    draft.put_in_order([*reduce, *middle, *together, inner])
    for rows in together:
        draft.unroll(rows)
    draft.vectorize(inner)
    draft.decompose(block, reduce[0])
    for loop in hinted:
        draft.attempt("pragma", loop, "loop_partition_hint", True)


def _rows_of_a_group(draft: Draft, block: str, along: ForOp) -> bool:
    """Reduce rows that read the same elements together, so that the elements are loaded once. The
    sums of these rows stay in registers. Returns False if there are no such rows.
    """
    nest, machine = draft.nest(block), draft.machine
    lanes = machine.lanes(nest.bits)
    best = None
    for rows in nest.spatial[: nest.spatial.index(along)]:
        size = math.gcd(*(load.groups.get(rows, 0) for load in nest.loads), rows.static_extent or 1)
        if size < 2 or not any(
            rows in load.groups and load.stride(along) == 1 for load in nest.loads
        ):
            continue
        for height in (
            candidate for candidate in range(2, machine.registers // 2) if size % candidate == 0
        ):
            for vectors in range(1, VECTORS + 1):
                if vectors > 1 and (vectors - 1) * lanes >= extent(along):
                    continue
                if height * vectors + vectors + 1 < machine.registers:
                    count = math.ceil(extent(along) / lanes)
                    cycles = _cycles_of_rows(machine, height, vectors, count)
                    if best is None or cycles < best[0]:
                        best = cycles, height, vectors, rows
    if best is None:
        return False
    _, height, vectors, rows = best
    handles = draft.loops(block)
    count, inner = along.static_extent, handles[along]
    width = vectors * lanes
    outer = [handles[loop] for loop in nest.spatial if loop is not along]
    at = nest.spatial.index(rows)
    outer[at], together = draft.split(outer[at], [None, height])
    if count is None or count > width:
        cut, inner = draft.split(inner, [None, width])
        outer.append(cut)
        if count is None or count % width:
            draft.attempt("pragma", cut, "loop_partition_hint", True)
    reduce = [handles[loop] for loop in nest.reduce]
    draft.put_in_order([*outer, *reduce, together, inner])
    draft.unroll(together)
    draft.vectorize(inner)
    draft.decompose(block, reduce[0])
    return True


def _cycles_of_rows(machine: Machine, height: int, vectors: int, count: int) -> float:
    """The cycles that one term of a row of ``count`` vectors takes, in tiles of rows and vectors.
    Unaligned loads count twice.
    """
    whole, rest = divmod(count, vectors)
    cycles = 0.0
    for number, width in ((whole, vectors), (1, rest)):
        loads = (2 * width + height) / machine.loads_per_cycle
        sums = max(height * width / machine.fma_per_cycle, machine.fma_latency)
        cycles += number * (max(loads, sums) + LOAD_COST * loads) if width else 0
    return cycles / height


def _instructions(nest: Nest, along: ForOp, width: int, lanes: int) -> int:
    """The approximate number of instructions for one term of ``width`` results. A load that is not
    contiguous takes one per lane.
    """
    loads = sum(1 if load.stride(along) in (0, 1) else lanes for load in nest.loads)
    return math.ceil(min(extent(along), width) / lanes) * (nest.operations + loads)


def partial_results(draft: Draft, block: str) -> None:
    """Compute as many partial results as a few vectors have lanes, and reduce them at the end.

    The final reduction also takes the terms that do not fill vectors.
    """
    depth = len(draft.nest(block).spatial)
    parts = make_parts(draft, block)
    loops = list(draft.loops(block).values())
    for part in reversed(parts):
        if depth and draft.nest(part).loops[0] is not draft.session.loop(loops[0]):
            draft.compute_at(draft.block(part), loops[depth - 1])
    for part in parts:
        schedule_part(draft, part, depth)


def make_parts(draft: Draft, block: str) -> list[str]:
    """The blocks of partial results of a reduction, from the most to the fewest results. The caller
    moves them into the loops of the reduction.
    """
    nest = draft.nest(block)
    row = row_of(draft, nest)
    if row is None or row.static_extent is None:
        raise ScheduleError("KC3332", "no reduce loop of known extent is along contiguous memory")
    lanes = draft.machine.lanes(nest.bits)
    width = lanes * VECTORS if extent(row) >= 2 * lanes * VECTORS else lanes
    around = [loop for loop in nest.loops if loop in nest.spatial]
    # A reduce loop outside of a spatial loop would keep the unrolled copies apart, so reduce loops
    # go inside.
    handles = draft.loops(block)
    draft.put_in_order([handles[loop] for loop in (*around, *nest.reduce)])
    terms = handles[row]
    whole = extent(row) // width * width
    if whole != extent(row):
        terms, _ = draft.loop_partition(terms, [whole, None])
    _, inner = draft.split(terms, [None, width])
    parts = [draft.rfactor(inner, len(around))]
    if width > lanes:
        last = list(draft.loops(block).values())[-1]
        _, inner = draft.split(last, [None, lanes])
        parts.append(draft.rfactor(inner, len(around)))
    return [draft.session.block(part).label for part in parts]


def schedule_part(draft: Draft, part: str, depth: int) -> None:
    """Vectorize partial results, inside of ``depth`` loops."""
    nest = draft.nest(part)
    loops = draft.loops(part)
    vector = [loop for loop in nest.spatial if nest.loops.index(loop) >= depth]
    if len(vector) == 1:
        reduce = [loops[loop] for loop in nest.reduce]
        draft.put_in_order([*reduce, loops[vector[0]]])
        draft.vectorize(loops[vector[0]])
        if reduce:
            draft.decompose(part, reduce[0])
    draft.settled.add(part)


def serial(draft: Draft, block: str, outer: int = 0) -> None:
    """Schedule a reduction without contiguous accesses: it moves outside the innermost spatial
    loop, whose results are independent of each other. The ``outer`` outermost loops stay as they
    are.
    """
    nest = draft.nest(block)
    if not nest.spatial or not nest.reduce:
        return
    last = nest.spatial[-1]
    count = last.static_extent
    if (
        count is None
        or count > UNROLLED
        or nest.loops.index(last) < outer
        or nest.loops.index(last) > nest.loops.index(nest.reduce[0])
    ):
        return
    handles = draft.loops(block)
    reduce = [handles[loop] for loop in nest.reduce]
    draft.put_in_order([*reduce, handles[last]])
    if is_own(nest.stores[0].buffer):
        draft.unroll(handles[last])
    draft.decompose(block, reduce[0])
