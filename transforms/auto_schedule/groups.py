"""groups: each group of a grouped convolution becomes a separate product.

A channel c of the result reads the channels of its group, ``X[c floordiv 24 * 24 + r]``. If the
loop over channels is split into one over groups and one over the channels of a group, the strides
of both operands are constants, and ``contraction`` finds tiles of channels and positions. The
result and the weights get new buffers with a dimension for the channels of a group, which may be
padded to tiles. The copies between these buffers and the arrays run tile by tile, or become part of
packing.
"""

from __future__ import annotations

from collections.abc import Iterator

from kc.dialects.tir import ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule.contraction import is_contraction
from kc.transforms.auto_schedule.digits import digits_of
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import Nest, extent, is_untouched, loop_of_dimension
from kc.transforms.auto_schedule.rule import Rule

LEAST_GROUP = 4
"""The minimum number of channels of a group that becomes a separate product, if the channels are
contiguous. The channels of smaller groups are reduced side by side.
"""

LEAST_ROWS = (8, 16)
"""The minimum numbers of channels if the channels are rows of other positions: for short rows, and
for rows of two vectors or more, in which a few channels side by side are as fast.
"""


class Groups(Rule):
    """Split a loop over channels into loops over groups and over the channels of a group."""

    name = "groups"
    downward = True

    def apply(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if nest.reduction is None or not nest.is_plain or not is_untouched(nest.block):
            return False
        if len(nest.stores) != 1:
            return False
        for loop, size in _groups(nest, draft.machine.lanes(nest.bits)):
            _split(draft, nest, loop, size)
            if not is_contraction(draft.nest(block), draft.machine):
                raise ScheduleError(
                    "KC3608", "the loop over groups does not give products of channels"
                )
            return True
        return False


def _groups(nest: Nest, lanes: int) -> Iterator[tuple[ForOp, int]]:
    """The loops over channels in which each group of iterations reads the same elements of an
    operand, with the sizes of the groups.
    """
    store = nest.stores[0]
    row = next((loop for loop in nest.spatial if store.stride(loop) == 1), None)
    for load in nest.loads:
        for loop, size in load.groups.items():
            count = loop.static_extent
            if loop not in nest.spatial or count is None or count % size:
                continue
            if any(load.groups.get(loop, size) != size for load in nest.loads):
                continue
            is_long = row is not None and extent(row) >= 2 * lanes
            # If a few channels have many contiguous terms, the rule few-rows puts the terms in
            # lanes.
            has_terms = any(
                load.stride(term) == 1 and extent(term) >= 2 * lanes for term in nest.reduce
            )
            least = (2 if has_terms else LEAST_GROUP) if row is loop else LEAST_ROWS[is_long]
            if least <= size < count:
                yield loop, size


def _split(draft: Draft, nest: Nest, loop: ForOp, size: int) -> None:
    """Split a loop, and each dimension of the operands that the loop indexes. Raises ScheduleError
    if a primitive is refused, or if an index is not the variable of the loop alone.
    """
    block = nest.name
    stored = loop_of_dimension(nest, nest.stores[0])
    weights = [load for load in nest.loads if load.stride(loop) and loop not in load.groups]
    loaded = [loop_of_dimension(nest, load) for load in weights]
    if any(loop not in dims for dims in (stored, *loaded)):
        raise ScheduleError(
            "KC3608", "an operand has no dimension that is indexed by the channel alone"
        )
    numbers = [nest.read_number(load.buffer) for load in weights]
    at = nest.loops.index(loop)
    draft.transform_block_layout(draft.block(block), digits_of(len(nest.loops), at, size))
    digits = digits_of(len(stored), stored.index(loop), size)
    copy = draft.cache_write(draft.block(block), 0, "global")
    draft.transform_layout(draft.block(block), ("write", 0), digits)
    draft.transform_block_layout(copy, digits)
    for number, dims in zip(numbers, loaded, strict=True):
        digits = digits_of(len(dims), dims.index(loop), size)
        copy = draft.cache_read(draft.block(block), number, "global")
        draft.transform_layout(copy, ("write", 0), digits)
        draft.transform_block_layout(copy, digits)
