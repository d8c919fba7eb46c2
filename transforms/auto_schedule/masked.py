"""masked: reductions skip the terms that indices mask.

After all blocks are scheduled, this rule shortens loops over terms that a select by indices makes
zero, as in a product with a triangular matrix (``skip_masked``). The rule ``row-blocks`` has
already shortened the loops of its blocks, together with their intermediate results.
"""

from __future__ import annotations

from kc.analysis import loop_tree
from kc.analysis.reductions.masked_terms import TermReader
from kc.dialects.tir import ForKind, ForOp
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import Nest, iterations
from kc.transforms.auto_schedule.row_blocks import schedule_checks, shorten
from kc.transforms.auto_schedule.rule import Rule

REPAID = 8
"""The minimum number of terms per checked element for which skipping terms saves time."""

LEAST = 16
"""The minimum number of iterations for which a shorter range of a loop saves time."""


class Masked(Rule):
    """Shorten the loops of reductions whose terms are masked."""

    name = "masked"
    whole = True

    def apply(self, draft: Draft, block: str) -> bool:
        del block
        if not any(op.name in ("arith.select", "scf.if") for op in draft.function.walk()):
            return False
        before = {block.label for block in draft.blocks()}
        done = False
        for label in [block.label for block in reversed(draft.blocks()) if block.is_reduction]:
            nest = draft.nest(label)
            if nest.reduce and _is_worth(nest, nest.reduce[0]):
                done |= shorten(draft, label, draft.loops(label)[nest.reduce[0]])
        if done:
            schedule_checks(draft, before)
        return done


def _is_worth(nest: Nest, loop: ForOp) -> bool:
    """True if the outermost loop over the terms of a block may have masked terms, and checking the
    factors for numbers that are not finite takes little of the time of the block.
    """
    if loop.kind.data is not ForKind.SERIAL or iterations([loop]) < LEAST:
        return False
    extent = loop.dynamic_extent
    if extent is not None and loop_tree.loops_around(extent.owner):  # pyright: ignore
        return False  # the loop has already been shortened
    terms = TermReader().terms_of(nest.block)
    if terms is None:
        return False
    looked_at = 0
    for buffer in terms.finite:
        loads = [load for load in nest.loads if load.buffer is buffer] or nest.loads
        looked_at += max(
            iterations(loop for loop in nest.loops if load.stride(loop)) for load in loads
        )
    return iterations(nest.loops) >= REPAID * looked_at
