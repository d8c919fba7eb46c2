"""versions: a product of bf16 in two versions, one of them for an instruction that is not right for
all numbers.

``vdpbf16ps`` takes subnormal numbers to be zero. Where the smallest operand is large enough, none
occurs (``version_loops``). Looking at the operands costs little beside the product; each version is
then a block like others, which the rules behind this one schedule.
"""

from __future__ import annotations

from kc.transforms.auto_schedule.dot_products import product_of
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import extent
from kc.transforms.auto_schedule.rule import Rule

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
        product = product_of(draft, nest)
        if product is None or product.instruction.exponent is None:
            return False
        rows, columns = extent(product.rows), extent(product.columns)
        if rows * columns < REPAID * (rows + columns):
            return False
        exponent = product.instruction.exponent
        draft.version_loops(draft.block(block), exponent)
        draft.versions[block] = exponent
        return True
