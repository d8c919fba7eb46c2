"""compute_at: a block is computed inside a loop of its consumers, for the elements needed there.

Before, ``compute-at block=B loop=i``::

    tir.alloc "B" : memref<16x16xf32>
    tir.for %i in 16 {
      tir.for %j in 16 {
        tir.block "B" (spatial %v_i in 16 = %i, spatial %v_j in 16 = %j) do { ... }
    tir.for %i in 14 {
      tir.for %j in 16 {
        tir.block "C" ... do { reads %B[%v_i, %v_j] and %B[%v_i + 2, %v_j] }

After::

    tir.for %i in 14 {
      tir.alloc "B" : memref<16x16xf32>
      tir.for %i_1 in 3 {
        tir.for %j in 16 {
          tir.block "B" (spatial %v_i in 16 = %i + %i_1, spatial %v_j in 16 = %j) do { ... }
      tir.for %j_1 in 16 {
        tir.block "C" ...

The new loops run over a bounding box of constant size of all elements that one iteration of the
loop reads, in the order of the block's variables. A predicate guards positions outside the block's
domain. Reductions are computed whole, with their init. The block's old loops, including splits, are
removed. The buffer becomes private to one iteration of the loop (``compact-buffer-allocation``
reduces it to the size of the box).

``index`` is the position in the loop: -1 directly before the first consumer, -2 at the start,
otherwise before the loop's n-th child. ``preserve-unit-loops`` keeps loops of one iteration.

*Legal when*

1. KC3200: the block computes each element of one buffer independently, or is a reduction (of one or
   several buffers). Or it contains loops and blocks: then no two values of its spatial variables
   write the same element, and it reads only elements that it has written of its own outputs. With
   reduce variables, it only combines into elements that its init has set, by one combiner.
2. KC3202, KC3205: no buffer is an output, and the block is the only writer; the only readers are
   loads, and calls of functions that read parts of the buffers.
3. KC3203, KC3204: there is a reader, and all readers are in the loop.
4. KC3213, KC3214, KC3212: the block is not already in the loop, and comes before it in the same
   scope.
5. KC3010, KC3011: the block's own loops carry no annotation and are serial. A vectorized or
   unrolled one is accepted if it alone counts a spatial variable: the variable's new loop gets the
   same kind.
6. KC3211: neither the loop nor a loop around it is vectorized.
7. KC3215: the index is a place before the first consumer.
8. KC3206: all elements that an iteration of the loop reads are computed earlier in that iteration.
9. KC3209: the block runs for all values in the box, and only once if it is a reduction.
10. KC3207, KC3208: the block's inputs are available and unchanged at the new place. An extent of a
    reduction that depends on the element (a triangle, or a length that is loaded from memory
    without writes in between) is recomputed there, if the loop with that extent contains only loops
    of the reduction.

TVM, Halide: ``compute_at``. Exo: ``fuse`` of the producer's loops and the consumer's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import is_before
from kc.analysis.accesses.regions import consumers
from kc.dialects.tir import BlockOp
from kc.transforms.schedule._blocks import (
    describe,
    require_definition,
    require_private,
    same_scope,
)
from kc.transforms.schedule.base import LoopRef, Site
from kc.transforms.schedule.placing._at_loop import AtLoop, Plan
from kc.transforms.schedule.placing._placing import (
    loop_near,
    plan_placing,
    require_scalar_place,
)


@dataclass(frozen=True)
class ComputeAt(AtLoop):
    """Compute a block inside a loop of its consumers."""

    name: ClassVar[str] = "compute-at"
    undecidable = True
    neighbours = staticmethod(consumers)
    repeats = True
    about_the_loop: ClassVar[tuple[str, ...]] = (
        *("KC3201", "KC3204", "KC3206", "KC3207", "KC3208", "KC3209", "KC3211", "KC3214"),
        *("KC3408", "KC3409", "KC3414"),
    )

    loop: LoopRef = field(metadata={"help": "a loop around all of its consumers"})
    index: int = field(
        default=-1,
        metadata={"help": "the position: -1 last possible one, -2 first, n before child n"},
    )

    def check_block(self, site: Site, block: BlockOp) -> Plan:
        definition = require_definition(
            site, block, updates=True, loops=True, nested_reductions=True
        )
        allocs = require_private(site, definition, vectors=True)
        names = " and ".join(alloc.label for alloc in allocs)
        users = definition.users
        if not users:
            raise site.refuse(
                "KC3203",
                f"nothing reads {names} of block {block.label}",
                at=block,
                why="compute_at moves a block into a loop around its consumers",
            )
        loop = loop_near(site, self.loop, block, users, "consumers")
        self.require_outside(
            site,
            block,
            loop,
            hints=[f"move {block.label} outside all loops with compute_root first"],
        )
        same_scope(site, block, [loop])
        outside = [user for user in users if not loop_tree.is_inside(user, loop)]
        if outside:
            readers = ", ".join(describe(user) for user in outside)
            raise site.refuse(
                "KC3204",
                f"{readers} reads {names} outside loop {loop.label}",
                at=outside[0],
                mark={loop: "the loop", outside[0]: f"reads {names}"},
                why=f"all consumers of block {block.label} must be in the loop at which it is "
                "computed",
            )
        if not is_before(block, loop):
            raise site.refuse(
                "KC3214",
                f"loop {loop.label} comes before block {block.label}",
                at=loop,
                mark={loop: "the loop", block: "the block"},
                why="the loop reads values of an earlier iteration, not those of the "
                f"{block.label} that would be moved",
            )
        require_scalar_place(site, block.label, loop)
        anchor = self.child(site, loop, users, before=True)
        placing = plan_placing(
            site,
            definition,
            anchor,
            loop.body.block,
            f"in loop {loop.label}",
        )
        return Plan(loop, placing, allocs)
