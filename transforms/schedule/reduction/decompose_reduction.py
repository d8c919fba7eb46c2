"""decompose_reduction: the initialisation of a reduction becomes a separate block.

Before, ``decompose-reduction block=C loop=k``::

    tir.for %i in 16 {
      tir.for %k in 8 {
        tir.for %j in 32 {
          tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 32 = %j, reduce %v_k in 8 = %k)
              init { ... } do { ... }

After::

    tir.for %i in 16 {
      tir.for %j_init in 32 {
        tir.block "C_init" (spatial %v_i in 16 = %i, spatial %v_j in 32 = %j_init) do { ... }
      }
      tir.for %k in 8 {
        tir.for %j in 32 {
          tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 32 = %j, reduce %v_k in 8 = %k)
              do { ... }

The new block precedes the loop; the inner loops that the init needs are copied, including their
kinds. Lowering does the same at the outermost loop of the reduction. The primitive is for another
place, or for separate schedules of the two blocks.

*Legal when*

1. KC3250: the block has an init.
2. KC3251: the loop is around the block.
3. KC3252: no loop outside the loop drives the reduction.
4. KC3253: the init provably has the same effect there: no other operation in the loop uses the
   buffer, no iteration is repeated, and none comes before the one that initialises.

TVM: ``decompose_reduction``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from kc.analysis import loop_tree
from kc.dialects.tir import BlockOp, ForOp, IterType
from kc.transforms.schedule.base import BlockRef, Gives, LoopRef, Primitive, Rewritten, Site
from kc.transforms.tir.blocks.lower_init_block import Decomposition


@dataclass(frozen=True)
class DecomposeReduction(Primitive):
    """Make the initialisation of a reduction a separate block."""

    name: ClassVar[str] = "decompose-reduction"
    gives: ClassVar[Gives] = "optional block"

    block: BlockRef = field(metadata={"help": "the reduction"})
    loop: LoopRef = field(metadata={"help": "the loop before which the init goes"})

    def check(self, site: Site) -> Decomposition:
        block = site.resolve_block(self.block)
        if not block.has_init:
            raise site.refuse(
                "KC3250",
                f"block {block.label} has no init",
                at=block,
                why="there is nothing to decompose",
            )
        loop = Site(site.function, site.target, self.block).resolve_loop(self.loop)
        around = loop_tree.loops_around(block)
        if loop not in around:
            raise site.refuse(
                "KC3251",
                f"loop {loop.label} is not around block {block.label}",
                at=block,
                mark={loop: "the loop", block: "here"},
                why="the init goes before a loop of the reduction",
                hints=["the loops are " + ", ".join(loop.label for loop in around)],
            )
        outer = _reduction_loops(block)
        if outer and around.index(outer[0]) < around.index(loop):
            raise site.refuse(
                "KC3252",
                f"loop {loop.label} is inside the reduction loop {outer[0].label}",
                at=loop,
                mark={loop: "the loop", outer[0]: f"drives the reduction of {block.label}"},
                why=f"each iteration of {outer[0].label} would initialise again",
                hints=[f"loop={loop.label}" for loop in around[: around.index(outer[0]) + 1]],
            )
        plan = Decomposition.of(block, loop, site.blocks)
        if isinstance(plan, str):
            raise site.refuse(
                "KC3253",
                f"the init of block {block.label} cannot be proven to do the "
                f"same before loop {loop.label}",
                at=block,
                mark={loop: "the loop", block: "here"},
                why=plan,
            )
        return plan

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            if block.has_init:
                for loop in loop_tree.loops_around(block):
                    yield cls(BlockRef(block), LoopRef(loop))

    def rewrite(self, site: Site, plan: Decomposition) -> Rewritten:
        init_block = plan.build()
        return Rewritten(blocks=(init_block,) if init_block is not None else ())


def _reduction_loops(block: BlockOp) -> list[ForOp]:
    """The loops that drive reduce variables of ``block``, outermost first."""
    return [
        loop
        for loop in loop_tree.loops_around(block)
        if IterType.REDUCE in loop_tree.iter_types(loop, block)
    ]
