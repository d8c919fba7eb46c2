"""compute_root: a block gets a separate nest again, outside all loops.

Before, ``compute-root block=B``::

    tir.for %i in 14 {
      tir.alloc "B" : memref<16xf32>
      tir.for %i_1 in 3 {
        tir.block "B" (spatial %v_i in 16 = %i + %i_1) do { ... }
      tir.block "C" ... do { reads %B[%v_i] and %B[%v_i + 2] }

After::

    tir.alloc "B" : memref<16xf32>
    tir.for %i in 16 {
      tir.block "B" (spatial %v_i in 16 = %i) do { ... }
    tir.for %i in 14 {
      tir.block "C" ...

The inverse of ``compute_at``: the nest precedes the nest of the first consumer, has a loop for each
variable of the block and computes all elements that the consumers read; the block's old loops are
removed. A block that already has such a nest is not changed.

*Legal when*

1. KC3200: the block computes each element of one buffer independently, or is a reduction.
2. KC3202, KC3205: the buffer is not an output, the block its only writer, loads its only readers.
3. KC3203: there is a reader.
4. KC3010, KC3011: the block's own loops carry no annotation and are serial. A vectorized or
   unrolled one is accepted if it alone counts a spatial variable: the variable's new loop gets the
   same kind.
5. KC3206: all elements that are read are computed.
6. KC3209: the block runs (once, if it is a reduction) for all values in the box around the reads.
7. KC3207, KC3208: the block's inputs are available and complete at the root.
8. KC3260: no reader sees an unfinished reduction.

TE, Halide: ``compute_root``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import Operation

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space
from kc.analysis.affine.terms import equal
from kc.dialects.tir import AllocOp
from kc.transforms.known_values import can_rebuild
from kc.transforms.schedule._blocks import (
    Definition,
    describe,
    own_loops,
    require_definition,
    require_private,
)
from kc.transforms.schedule.base import BlockRef, Primitive, Rewritten, Site
from kc.transforms.schedule.placing._placing import Placing, build, plan_placing, went


@dataclass(frozen=True)
class Plan:
    """The buffers, and the new place of the block."""

    allocs: list[AllocOp]
    placing: Placing


@dataclass(frozen=True)
class ComputeRoot(Primitive):
    """Compute a block in a separate nest, outside all loops."""

    name: ClassVar[str] = "compute-root"
    undecidable = True

    block: BlockRef = field(metadata={"help": "the block to move"})

    def check(self, site: Site) -> Plan | None:
        block = site.resolve_block(self.block)
        if own_loops(block) == loop_tree.loops_around(block):
            return None
        definition = require_definition(site, block, updates=True)
        allocs = require_private(site, definition, vectors=True)
        if not definition.users:
            raise site.refuse(
                "KC3203",
                f"nothing reads {' and '.join(alloc.label for alloc in allocs)} of "
                f"block {block.label}",
                at=block,
                why="compute_root computes a block for its consumers",
            )
        if block.is_reduction:
            self._require_finished(site, definition)
        home = next(
            region.block for region in definition.scope.regions if region.is_ancestor(block)
        )
        anchor = next(
            (
                op
                for op in home.ops
                if any(loop_tree.is_inside(user, op) for user in definition.users)
            ),
            None,
        )
        if anchor is None:
            raise site.refuse(
                "KC3208",
                f"block {block.label} cannot be computed at the root",
                at=block,
                mark={definition.users[0]: "reads"},
                why=f"it is in the init of {describe(definition.scope)}, but only the body reads "
                "it",
            )
        placing = plan_placing(site, definition, anchor, home, "at the root")
        for alloc in allocs:
            if not all(can_rebuild(size, anchor) for size in alloc.dynamic_sizes):
                raise site.refuse(
                    "KC3208",
                    f"block {block.label} cannot be computed at the root",
                    at=block,
                    why=f"the size of {alloc.label} is not available there",
                )
        return Plan(allocs, placing)

    def _require_finished(self, site: Site, definition: Definition) -> None:
        for load in definition.reads:
            space = Space()
            read, update = space.instance(load), space.instance(definition.block)
            store = definition.store_to(load.buffer)
            same = equal(space.element(load, read), space.element(store, update))
            same += space.same_buffer(load.buffer, read, update)
            witness = space.find([read, update], [*same, space.may_precede(read, update)])
            if witness is not None:
                reader = definition.unit(load)
                raise site.refuse(
                    "KC3260",
                    f"{describe(reader)} "
                    + ("may read" if witness.undecided else "reads")
                    + f" an unfinished reduction of block {definition.block.label}",
                    at=reader,
                    mark={reader: "reads", definition.block: "updates"},
                    why=witness.undecided
                    or f"{describe(reader)}{read.at(witness)} reads an element that "
                    f"{describe(definition.block)}{update.at(witness)} updates later",
                )

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            if own_loops(block) != loop_tree.loops_around(block):
                yield cls(BlockRef(block))

    def rewrite(self, site: Site, plan: Plan | None) -> Rewritten:
        if plan is None:
            return Rewritten()
        loops = build(site, plan.placing, None, plan.allocs, unit_loops=True)
        removed: dict[Operation, str] = {
            loop: went(loop, plan.placing) for loop in plan.placing.loose
        }
        return Rewritten(tuple(loops), removed=removed)
