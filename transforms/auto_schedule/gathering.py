"""gathering: an operand that a product loads with gaps is first copied without the gaps.

A convolution of rows (NCHW) with stride 2 loads every second element of its image::

    C[c, y, x] += W[c, k] * A[k, y * 2, x * 2]

The positions are contiguous in the result, but they cannot be the columns of a tile, so the
channels are, and sums are stored one by one. After ``reindex`` and ``transform_layout``, the
positions are contiguous in a copy, with those of all rows in one dimension::

    G[k, y * 51 + x] = A[k, y * 2, x * 2]
    C[c, y, x] += W[c, k] * G[k, y * 51 + x]

``fusing`` fuses the loops over positions, and ``contraction`` uses them as columns. The copy is
made if, according to the model, the product saves more cycles than the copy costs: the copy has
each element once for each tap that reads it, so a convolution from a few channels to many gains
most.

The rule calls primitives, which check and rewrite; it has no rewrite pattern of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from kc.dialects.tir import ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule.contraction import best_tile, is_packable
from kc.transforms.auto_schedule.digits import number_text
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.machine import SCALAR_COPY
from kc.transforms.auto_schedule.nests import Access, Nest, extent, is_untouched, iterations
from kc.transforms.auto_schedule.rule import Rule
from kc.transforms.trace.handles import BlockRV


@dataclass(frozen=True)
class Gaps:
    """An operand that is loaded with gaps along the contiguous dimension of the result."""

    operand: Access
    positions: list[ForOp]
    """The loops that together traverse the result contiguously, outermost first."""


class Gathering(Rule):
    """Copy the operand of a product that is loaded with gaps to a buffer without gaps."""

    name = "gathering"
    prepares = True

    def apply(self, draft: Draft, block: str) -> bool:
        names = [block.label for block in draft.blocks() if is_untouched(block)]
        return any([_gather_if_faster(draft, name) for name in names])


def _gather_if_faster(draft: Draft, name: str) -> bool:
    """Copy the operand of block ``name`` if this takes fewer cycles. Returns False, without a
    change, if it does not.
    """
    nest = draft.nest(name)
    gaps = _gaps(nest)
    before = best_tile(nest, draft.machine) if gaps is not None else None
    if gaps is None or before is None:
        return False
    copied = SCALAR_COPY * iterations(loop for loop in nest.loops if gaps.operand.stride(loop))
    if copied >= before.cycles:
        return False
    mark = draft.mark()
    try:
        _gather(draft, nest, gaps)
        # The loops of the positions are merged only for the estimate of the model; the rule
        # ``fusing`` merges them later, when it knows all uses of the result.
        merged = _loops_as_map(nest.loops, nest.loops, gaps.positions)
        draft.transform_block_layout(draft.block(name), merged)
        after = best_tile(draft.nest(name), draft.machine)
    except ScheduleError:
        after = None
    draft.return_to(mark)
    if after is None or copied + after.cycles >= before.cycles:
        return False
    nest = draft.nest(name)
    gaps = _gaps(nest)
    assert gaps is not None
    _gather(draft, nest, gaps)
    return True


def _gaps(nest: Nest) -> Gaps | None:
    """The operand that is loaded with gaps; None if no operand is, or more than one."""
    if nest.reduction is None or len(nest.stores) != 1 or not nest.is_plain:
        return None
    if any(loop.static_extent is None for loop in nest.loops):
        return None
    if any(access.bits < 32 for access in nest.loads):
        return None  # dot-product packs these in groups of terms for its instructions
    (store,) = nest.stores
    along = next(
        (loop for loop in nest.spatial if store.stride(loop) == 1 and extent(loop) > 1), None
    )
    if along is None:
        return None
    strange = [load for load in nest.loads if load.stride(along) not in (0, 1)]
    if len(strange) != 1 or not strange[0].affine or is_packable(nest, strange[0], along):
        return None
    positions = [along]
    for loop in reversed(nest.spatial[: nest.spatial.index(along)]):
        size = iterations(positions)
        still = all((load in strange) == bool(load.stride(loop)) for load in nest.loads)
        if store.stride(loop) != size or not still:
            break
        positions.insert(0, loop)
    return Gaps(strange[0], positions)


def _gather(draft: Draft, nest: Nest, gaps: Gaps) -> BlockRV:
    """Make the block load from a copy with the terms first and the positions as one dimension."""
    number = nest.read_number(gaps.operand.buffer)
    copy = draft.reindex(draft.block(nest.name), ("read", number))
    moved = [loop for loop in nest.loops if loop in gaps.operand.strides]
    spatial = [loop for loop in moved if loop not in nest.reduce and loop not in gaps.positions]
    terms = [loop for loop in moved if loop in nest.reduce]
    order = [*spatial, *terms, *gaps.positions]
    draft.transform_layout(copy, ("write", 0), _loops_as_map(moved, order, gaps.positions))
    return copy


def _loops_as_map(loops: list[ForOp], order: list[ForOp], positions: list[ForOp]) -> str:
    """The map from the indices of ``loops`` to the indices of ``order``, in which ``positions`` are
    fused to one index.
    """
    names = {loop: f"d{n}" for n, loop in enumerate(loops)}
    number = number_text(
        [names[loop] for loop in positions],
        [extent(loop) for loop in positions],
        range(len(positions)),
    )
    results: list[str] = []
    for loop in order:
        if loop is positions[-1]:
            results.append(number)
        elif loop not in positions:
            results.append(names[loop])
    return f"({', '.join(names.values())})->({', '.join(results)})"
