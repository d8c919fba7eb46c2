"""versions: a product of bf16 in two versions, one of them with an instruction that is not exact
for all operands.

``vdpbf16ps`` treats subnormal numbers as zero. None occur if the smallest magnitudes of the
operands are large enough (``version_loops``). Computing these magnitudes costs little in comparison
with the product, and needs no additional reads of a packed operand
(:mod:`kc.transforms.auto_schedule.checked_packing`). Each version is then an ordinary block for the
next rules.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from kc.dialects.tir import BlockOp
from kc.transforms.auto_schedule.contraction import contraction_behind, writer_of
from kc.transforms.auto_schedule.dot_products import product_of
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import Nest, is_own, is_untouched, iterations, readers
from kc.transforms.auto_schedule.rule import Rule
from kc.transforms.auto_schedule.tile_products import tile_product_of

REPAID = 16
"""The minimum number of multiplications per checked element for which the check saves time."""


class Versions(Rule):
    """Compute a product in two versions if an instruction is not exact for all operands."""

    name = "versions"
    downward = True

    def apply(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if not nest.block.is_reduction or block in draft.versions:
            return False
        exponent = _exponent(draft, nest)
        if exponent is None:
            return False
        after = _epilogue(draft, nest)
        through = None if after is None else draft.block(after)
        # Try the condition on the product of the magnitudes first: weights may be small if the
        # other factor is not.
        handle = draft.block(block)
        if not draft.attempt("version_loops", handle, 2 * exponent, through, True):
            draft.version_loops(handle, exponent, through)
        draft.versions[block] = exponent
        return True


def _exponent(draft: Draft, nest: Nest) -> int | None:
    """The exponent of the smallest magnitude for which the instruction of a product is exact; None
    if it is exact for all operands, or if checking the operands takes too long.
    """
    tiles = tile_product_of(draft, nest)
    if tiles is not None:
        exponent = tiles.exponent
    else:
        product = product_of(draft, nest)
        exponent = None if product is None else product.instruction.exponent
    elements = sum(
        iterations(loop for loop in nest.loops if load.stride(loop)) for load in nest.loads
    )
    return exponent if iterations(nest.loops) >= REPAID * elements else None


def _epilogue(draft: Draft, nest: Nest) -> str | None:
    """The last of the elementwise blocks that follow a product, which become part of its version;
    None if there is none. A block whose results have several readers is computed at its readers
    (``inline``).
    """
    last: str | None = None
    producer = nest.block
    while True:
        nests = [draft.nest(block.label) for block in draft.blocks() if block is not producer]
        behind = next(
            (candidate for candidate in nests if _goes_on_with(candidate, producer)), None
        )
        if behind is None:
            return last
        results = behind.stores[0].buffer
        users = readers(results) if is_own(results) else []
        if users is None or len(users) > 1:
            return last
        last, producer = behind.name, behind.block


def _goes_on_with(nest: Nest, producer: BlockOp) -> bool:
    """True if a block computes one element from each element that ``producer`` writes, and is the
    only reader of these elements.
    """
    if producer.is_reduction:
        return contraction_behind(nest) is producer
    if nest.reduce or not nest.is_plain or not is_untouched(nest.block) or len(nest.stores) != 1:
        return False
    loads = [load for load in nest.loads if _writers_of(load.buffer) == {producer}]
    return (
        len(loads) == 1
        and set(readers(loads[0].buffer) or ()) == {nest.block}
        and loads[0].regular
        and all(loads[0].stride(loop) for loop in nest.loops)
    )


def _writers_of(buffer: SSAValue) -> set[BlockOp]:
    """The blocks that store to a buffer, if the function allocates it; otherwise an empty set."""
    if not is_own(buffer):
        return set()
    return {writer for use in buffer.uses if (writer := writer_of(use.operation)) is not None}
