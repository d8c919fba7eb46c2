"""versions: a product of bf16 in two versions, one of them for an instruction that is not right for
all numbers.

``vdpbf16ps`` takes subnormal numbers to be zero. Where the smallest operand is large enough, none
occurs (``version_loops``). Looking at the operands costs little beside the product; each version is
then a block like others, which the rules behind this one schedule.
"""

from __future__ import annotations

from kc.transforms.auto_schedule.contraction import contraction_behind
from kc.transforms.auto_schedule.dot_products import product_of
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import Nest, iterations
from kc.transforms.auto_schedule.rule import Rule
from kc.transforms.auto_schedule.tile_products import tile_product_of

REPAID = 16
"""Multiplications for each element that is looked at, from which on that pays."""


class Versions(Rule):
    """Compute a product in two versions, where an instruction is not right for all numbers."""

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
        draft.version_loops(draft.block(block), exponent, through)
        draft.versions[block] = exponent
        return True


def _exponent(draft: Draft, nest: Nest) -> int | None:
    """Of the least magnitude that the instruction for a product is right for, where one is that
    repays the looking at the operands."""
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
    """The block that finishes the sums one by one, if there is one: it is a part of a version."""
    for block in draft.blocks():
        if block is not nest.block and contraction_behind(draft.nest(block.label)) is nest.block:
            return block.label
    return None
