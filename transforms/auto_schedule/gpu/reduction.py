"""gpu-reduction: sums, maxima and similar reductions, with a block, a warp or a thread per result.

If the terms of a result are contiguous in memory, the threads of a block take neighbouring elements
and combine their partial results (``lower-cross-thread-reduction``): a warp for a short row, a
block for a long row. Few results of very many terms are first reduced in parts by many blocks
(``rfactor``). If the results are contiguous instead (a sum of columns, a pooling, a depthwise
convolution), each thread computes one result, and neighbouring threads read neighbouring elements.
"""

from __future__ import annotations

from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.gpu.rule import GpuRule
from kc.transforms.auto_schedule.gpu.threads import (
    AXES,
    GRID,
    THREADS,
    WARP,
    as_few,
    element_each,
    fused,
    spatial_loops,
    threads_for,
)
from kc.transforms.auto_schedule.nests import Nest, is_untouched, iterations

SHORT = 256
"""The number of terms up to which a warp computes a result, with several results per block."""

PART = 1 << 14
"""The number of terms of a part, if there are few results with more terms."""


class GpuReduce(GpuRule):
    """Reduce by the threads of a block, or by one thread per result."""

    name = "gpu-reduction"

    def schedule(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if not nest.is_plain or nest.reduction is None or not nest.block.has_init:
            return False
        if not is_untouched(nest.block):
            return False
        terms, results = iterations(nest.reduce), iterations(nest.spatial)
        mark = draft.mark()
        draft.settled.add(block)
        if terms >= WARP and (_is_along_rows(nest) or results < THREADS * WARP):
            try:
                if results < GRID and terms >= 2 * PART and _by_parts(draft, block):
                    return True
                together(draft, block)
                return True
            except ScheduleError:
                draft.return_to(mark)
                draft.settled.add(block)
        element_each(draft, block)
        return True


def _is_along_rows(nest: Nest) -> bool:
    """True if consecutive terms, and not consecutive results, are adjacent in memory."""
    last = nest.reduce[-1]
    return any(load.stride(last) == 1 for load in nest.loads) and not any(
        load.stride(loop) == 1 for load in nest.loads for loop in nest.spatial
    )


def together(draft: Draft, block: str) -> None:
    """Reduce by the threads of a block, or of a warp if there are few terms."""
    terms = iterations(draft.nest(block).reduce)
    count = iterations(draft.nest(block).spatial)
    *outer, place = as_few(draft, spatial_loops(draft, block))
    threads = threads_for(terms)
    if terms <= SHORT and count >= THREADS // WARP:
        place, row = draft.split(place, [None, THREADS // WARP])
        draft.bind(row, "threadIdx.y")
        threads = WARP
    if len(outer) >= len(AXES):
        raise ScheduleError(
            "KC3040", f"{len(outer) + 1} loops exceed the {len(AXES)} axes of a grid"
        )
    for loop, axis in zip(reversed([*outer, place]), AXES, strict=False):
        draft.bind(loop, f"blockIdx.{axis}")
    nest = draft.nest(block)
    handles = draft.loops(block)
    _, thread = draft.split(fused(draft, [handles[loop] for loop in nest.reduce]), [None, threads])
    draft.bind(thread, "threadIdx.x")


def _by_parts(draft: Draft, block: str) -> bool:
    """Reduce parts by many blocks, then combine their results. Return True on success."""
    mark = draft.mark()
    try:
        nest = draft.nest(block)
        handles = draft.loops(block)
        terms = fused(draft, [handles[loop] for loop in nest.reduce])
        part, _ = draft.split(terms, [None, PART])
        partial = draft.session.block(draft.rfactor(part, 0)).label
        together(draft, partial)
        together(draft, block)
    except ScheduleError:
        draft.return_to(mark)
        return False
    draft.settled.update((block, partial))
    return True
