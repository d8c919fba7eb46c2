"""add_unit_loop: a loop of one iteration around a block or a loop.

Before, ``add-unit-loop block=C``::

    tir.for %i in 64 {
      tir.block "C" (spatial %v_i in 64 = %i) do { ... }

After::

    tir.for %i in 64 {
      tir.for %u in 1 {
        tir.block "C" (spatial %v_i in 64 = %i) do { ... }

With ``loop=i`` the new loop goes around a loop. A block without loops gets one that other
primitives can take.

*Legal when*

1. KC3342: a loop or a block is named.

TVM: ``add_unit_loop``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from kc.analysis import loop_tree
from kc.dialects.tir import ForOp
from kc.transforms.schedule.base import BlockRef, Gives, LoopRef, Primitive, Rewritten, Site
from kc.transforms.schedule.notes._annotations import Annotated, find_annotated


@dataclass(frozen=True)
class AddUnitLoop(Primitive):
    """Put a loop of one iteration around a block or a loop."""

    name: ClassVar[str] = "add-unit-loop"
    within_nest: ClassVar[bool] = True
    gives: ClassVar[Gives] = "loop"

    loop: LoopRef | None = field(
        default=None, metadata={"help": "the loop", "python": "block_or_loop"}
    )
    block: BlockRef | None = field(
        default=None,
        metadata={
            "help": "the block, or the one that the loop is around",
            "python": "block_or_loop",
        },
    )

    def check(self, site: Site) -> Annotated:
        return find_annotated(site, self.loop, self.block)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            yield cls(loop=LoopRef(loop))
        for block in loop_tree.blocks(site.function):
            yield cls(block=BlockRef(block))

    def rewrite(self, site: Site, plan: Annotated) -> Rewritten:
        around = [*loop_tree.loops_around(plan), *([plan] if isinstance(plan, ForOp) else [])]
        (name,) = site.fresh_names(["u"], around[-1], []) if around else ["u"]
        unit = ForOp(name, 1)
        unit.location = plan.location
        home = plan.parent
        assert home is not None
        home.insert_op_before(unit, plan)
        plan.detach()
        unit.body.block.add_op(plan)
        return Rewritten((unit,))
