"""add_unit_loop: a loop of one iteration around a block or a loop.

Before, ``add-unit-loop block=C``::

    tir.for %i in 64 {
      tir.block "C" (spatial %v_i in 64 = %i) do { ... }

After::

    tir.for %i in 64 {
      tir.for %u in 1 {
        tir.block "C" (spatial %v_i in 64 = %i) do { ... }

With ``loop=i`` the new loop surrounds a loop. A block without loops gets a loop that other
primitives accept. With ``block=root`` (the whole function), the loop surrounds the first statements
outside all loops, such as those of a hybrid function, and all users of their values: on a GPU they
must be in a bound loop.

*Legal when*

1. KC3342: a loop or a block is named.
2. KC3345: with the root, at least one statement is outside all loops, and no bound, parallel or
   vectorized loop uses its results.

TVM: ``add_unit_loop``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects import func
from xdsl.ir import Operation

from kc.analysis import loop_tree
from kc.dialects.tir import ForOp
from kc.support.fresh_names import fresh_name
from kc.transforms.schedule.base import BlockRef, Gives, LoopRef, Primitive, Rewritten, Site
from kc.transforms.schedule.loops._statements import Statements, first_statements
from kc.transforms.schedule.notes._annotations import Annotated, find_annotated

ROOT = "root"


@dataclass(frozen=True)
class AddUnitLoop(Primitive):
    """Put a loop of one iteration around a block, a loop, or the statements outside all loops."""

    name: ClassVar[str] = "add-unit-loop"
    within_nest: ClassVar[bool] = True
    takes_root: ClassVar[bool] = True
    gives: ClassVar[Gives] = "loop"

    loop: LoopRef | None = field(
        default=None, metadata={"help": "the loop", "python": "block_or_loop"}
    )
    block: BlockRef | None = field(
        default=None,
        metadata={
            "help": "the block to surround, or a block in the loop",
            "python": "block_or_loop",
        },
    )

    def check(self, site: Site) -> Annotated | Statements:
        if self._is_of_root(site):
            return first_statements(site)
        return find_annotated(site, self.loop, self.block)

    def _is_of_root(self, site: Site) -> bool:
        if self.loop is not None or self.block is None:
            return False
        target = self.block.target
        return isinstance(target, func.FuncOp) or (target == ROOT and ROOT not in site.blocks)

    def _named(self, site: Site) -> list[Operation]:
        return [] if self._is_of_root(site) else super()._named(site)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            yield cls(loop=LoopRef(loop))
        for block in loop_tree.blocks(site.function):
            yield cls(block=BlockRef(block))

    def rewrite(self, site: Site, plan: Annotated | Statements) -> Rewritten:
        if isinstance(plan, Statements):
            taken = {loop.label for loop in loop_tree.loops(site.function)}
            return Rewritten((_around(plan.inside, plan.before, fresh_name("u", taken)),))
        around = [*loop_tree.loops_around(plan), *([plan] if isinstance(plan, ForOp) else [])]
        (name,) = site.fresh_names(["u"], around[-1], []) if around else ["u"]
        return Rewritten((_around([plan], [], name),))


def _around(ops: Sequence[Operation], before: Sequence[Operation], name: str) -> ForOp:
    """A loop of one iteration around the consecutive ``ops``. The operations ``before`` move before
    the loop.
    """
    unit = ForOp(name, 1)
    unit.location = ops[0].location
    home = ops[0].parent
    assert home is not None
    home.insert_op_before(unit, ops[0])
    for op in before:
        op.detach()
        home.insert_op_before(op, unit)
    for op in ops:
        op.detach()
        unit.body.block.add_op(op)
    return unit
