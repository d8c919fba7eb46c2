"""innermost: blocks that no other rule takes are vectorized along their inner loops.

A block may share outer loops with others (the steps of a stencil in time), or have variables that
are neither spatial nor reduced. Its perfectly nested innermost loops are candidates. The loop
along which most accesses are contiguous or constant becomes the innermost and is vectorized; if the
dependences forbid this, the next candidate is tried. The outermost loop with independent iterations
and enough work for threads becomes parallel.
"""

from __future__ import annotations

from kc.analysis import loop_tree
from kc.dialects.tir import ForKind, ForOp, IterType
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import Nest, extent, is_plain_op, iterations
from kc.transforms.auto_schedule.reduction import gain as gain_of_lanes
from kc.transforms.auto_schedule.rule import Rule

VECTORS = 4
"""The number of vectors in a part of a loop whose extent is not a constant."""


class Innermost(Rule):
    """Vectorize an inner loop of a block, and run an outer one in parallel."""

    name = "innermost"

    def apply(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if block in draft.begun or not nest.loops or not all(map(is_plain_op, nest.body_ops)):
            return False
        lanes = draft.machine.lanes(nest.bits)
        band = _band(nest)
        gains = {nest.loops.index(loop): _gain(nest, loop, lanes) for loop in band}
        vectorized = any(
            gain > 0 and _vectorize(draft, block, number, lanes * VECTORS)
            for number, gain in sorted(gains.items(), key=lambda item: (-item[1], -item[0]))
        )
        parallel = _run_in_parallel(draft, block)
        if vectorized or parallel:
            draft.settled.add(block)
        return vectorized or parallel


def _band(nest: Nest) -> list[ForOp]:
    """The perfectly nested innermost loops around the block, outermost first."""
    band: list[ForOp] = []
    inner = nest.block
    for loop in reversed(nest.loops):
        if loop_tree.only_child(loop) is not inner or loop.kind.data is not ForKind.SERIAL:
            break
        if loop.annotations is not None:
            break
        band.insert(0, loop)
        inner = loop
    return band


def _gain(nest: Nest, loop: ForOp, lanes: int) -> float:
    """The score of a loop by the strides of the accesses along it; stores count three times."""
    if loop.static_extent is not None and loop.static_extent < lanes:
        return 0.0
    if loop not in nest.spatial and not _has_lanes(nest, loop):
        return 0.0
    score = 0.0
    for access in (*nest.stores, *nest.loads):
        stride = access.stride(loop)
        weight = 3 if access in nest.stores else 1
        score += weight * (2 if stride == 1 else 1 if stride == 0 else -2)
    return score


def _has_lanes(nest: Nest, loop: ForOp) -> bool:
    """True if the terms along a reduce loop can be added in lanes, and are contiguous along it."""
    if nest.reduction is None:
        return IterType.OPAQUE in nest.kinds[loop]  # decided by the dependences
    if gain_of_lanes(nest, loop) <= 0:
        return False
    return loop.static_extent is not None or not any(
        IterType.OPAQUE in kinds for kinds in nest.kinds.values()
    )


def _vectorize(draft: Draft, block: str, number: int, part: int) -> bool:
    """Make a loop the innermost one and vectorize it. Returns False, without a change, if its
    dependences forbid this.
    """
    mark = draft.mark()
    handles = draft.loops(block)
    loop = list(handles)[number]
    inside = list(handles.values())[number + 1 :]
    try:
        if inside:
            draft.put_in_order([*inside, handles[loop]])
        handle, outer = handles[loop], None
        if loop.static_extent is None:
            outer, handle = draft.split(handle, [None, part])
        draft.vectorize(handle)
        if outer is not None:
            draft.attempt("pragma", outer, "loop_partition_hint", True)
    except ScheduleError:
        draft.return_to(mark)
        return False
    return True


def _run_in_parallel(draft: Draft, block: str) -> bool:
    nest = draft.nest(block)
    if draft.machine.cores == 1 or any(loop.kind.data is ForKind.PARALLEL for loop in nest.loops):
        return False
    for number, loop in enumerate(nest.loops):
        work = iterations(nest.loops[number:]) * max(1, nest.operations + len(nest.loads))
        if (
            work < draft.machine.parallel_work
            or extent(loop) < 2
            or loop.kind.data is not ForKind.SERIAL
        ):
            return False
        if draft.attempt("parallel", draft.loops(block)[loop]):
            return True
    return False
