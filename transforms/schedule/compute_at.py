"""compute_at: a block is computed inside a loop of its consumers, as much of it as they need there.

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

The new loops run over a box of constant size around all that is read in one iteration of the loop,
in the order of the block's variables; where it sticks out of the block's domain there is a
predicate. Reductions are computed whole, with their init. The block's old loops go, splits
included. The buffer becomes private to one iteration of the loop (``compact-buffer-allocation``
makes it as small as the box).

``index`` says where in the loop: -1 right before the first consumer, -2 at the start, otherwise in
front of the loop's n-th child. ``preserve-unit-loops`` keeps loops of one iteration.

*Legal when*

1. KC3200: the block computes each element of one buffer by itself, or is a reduction.
2. KC3202, KC3205: the buffer is not an output, the block its only writer, loads its only readers.
3. KC3203, KC3204: something reads it, and all that does is in the loop.
4. KC3213, KC3214, KC3212: the block is not in the loop already, and comes before it, in one scope.
5. KC3010, KC3011: the block's own loops are serial and carry no annotation.
6. KC3211: neither the loop nor one around it is vectorized.
7. KC3215: the index is a place before the first consumer.
8. KC3206: all that is read in an iteration of the loop is computed in it before.
9. KC3209: the block runs, once if it is a reduction, for all that the box contains.
10. KC3207, KC3208: what the block reads is known, and still the same, at the new place.

TVM, Halide: ``compute_at``. Exo: ``fuse`` of the producer's loops and the consumer's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import Operation

from kc.analysis import loop_tree
from kc.analysis.instances import is_before
from kc.analysis.regions import consumers
from kc.dialects.tir import AllocOp, BlockOp, ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.schedule._blocks import (
    describe,
    require_definition,
    require_private,
    same_scope,
)
from kc.transforms.schedule._placing import (
    Placing,
    build,
    loop_near,
    plan_placing,
    require_scalar_place,
    went,
)
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive, Rewritten, Site


@dataclass(frozen=True)
class Plan:
    """Where the block goes, and its buffer."""

    loop: ForOp
    alloc: AllocOp
    placing: Placing


@dataclass(frozen=True)
class ComputeAt(Primitive):
    """Compute a block inside a loop of its consumers."""

    name: ClassVar[str] = "compute-at"

    block: BlockRef = field(metadata={"help": "the block to move"})
    loop: LoopRef = field(metadata={"help": "a loop around all of its consumers"})
    preserve_unit_loops: bool = field(
        default=False, metadata={"help": "keep loops of one iteration"}
    )
    index: int = field(
        default=-1,
        metadata={"help": "where in the loop: -1 last possible place, -2 first, n before child n"},
    )

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        try:
            return self._check(site, block)
        except ScheduleError as error:
            if error.code in _ABOUT_THE_LOOP and not error.hints:
                error.hints = self._legal_loops(site, block)
            raise

    def _check(self, site: Site, block: BlockOp) -> Plan:
        made = require_definition(site, "compute_at", block)
        alloc = require_private(site, "compute_at", made)
        users = made.users
        if not users:
            raise site.refuse(
                "KC3203",
                f"compute_at: nothing reads {alloc.label} of block {block.label}",
                at=block,
                why="a block is computed at a loop of what reads it",
            )
        loop = loop_near(site, "compute_at", self.loop, block, users, "consumers")
        if loop_tree.is_inside(block, loop):
            raise site.refuse(
                "KC3213",
                f"compute_at: block {block.label} is in loop {loop.label} already",
                at=block,
                mark={loop: "the loop", block: "the block"},
                why="a block is moved into a loop that it is not in",
                hints=[f"compute_root puts {block.label} outside of all loops first"],
            )
        same_scope(site, "compute_at", block, [loop])
        outside = [one for one in users if not loop_tree.is_inside(one, loop)]
        if outside:
            names = ", ".join(describe(one) for one in outside)
            raise site.refuse(
                "KC3204",
                f"compute_at: {names} reads {alloc.label} outside of loop {loop.label}",
                at=outside[0],
                mark={loop: "the loop", outside[0]: f"reads {alloc.label}"},
                why=f"all consumers of block {block.label} must be in the loop that it is "
                "computed in",
            )
        if not is_before(block, loop):
            raise site.refuse(
                "KC3214",
                f"compute_at: loop {loop.label} comes before block {block.label}",
                at=loop,
                mark={loop: "the loop", block: "the block"},
                why=f"what is read there was written in an earlier iteration, not by the "
                f"{block.label} that would be moved",
            )
        require_scalar_place(site, "compute_at", block, loop)
        anchor = self._anchor(site, loop, users)
        placing = plan_placing(
            site,
            "compute_at",
            made,
            anchor,
            loop.body.block,
            f"in loop {loop.label}",
        )
        return Plan(loop, alloc, placing)

    def _anchor(self, site: Site, loop: ForOp, users: list[Operation]) -> Operation:
        children = [op for op in loop.body.block.ops if loop_tree.has_work(op)]
        last = next(
            n for n, op in enumerate(children) if any(loop_tree.is_inside(one, op) for one in users)
        )
        place = {-1: last, -2: 0}.get(self.index, self.index)
        if not 0 <= place <= last:
            raise site.refuse(
                "KC3215",
                f"compute_at: index {self.index} in loop {loop.label}",
                at=children[last],
                mark={loop: "the loop", children[last]: f"child {last}, the first consumer"},
                why=f"the block must come before its first consumer: 0 to {last}, -1 or -2",
                hints=["index=-1", f"index={last}"],
            )
        return children[place]

    def _legal_loops(self, site: Site, block: BlockOp) -> tuple[str, ...]:
        found: list[str] = []
        for one in self._choices(block):
            try:
                one._check(site, block)
            except ScheduleError:
                continue
            found.append(str(one.loop))
        if found:
            return (f"legal: loop={' or loop='.join(found)}",)
        return ("there is no loop at which it is legal",)

    @classmethod
    def _choices(cls, block: BlockOp) -> Iterator[Self]:
        seen: set[ForOp] = set()
        for user in consumers(block):
            for loop in loop_tree.loops_around(user):
                if loop not in seen:
                    seen.add(loop)
                    yield cls(BlockRef(block), LoopRef(loop))

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            yield from cls._choices(block)

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        loops = build(
            site, plan.placing, plan.loop, plan.alloc, unit_loops=self.preserve_unit_loops
        )
        removed: dict[Operation, str] = {one: went(one, plan.placing) for one in plan.placing.loose}
        return Rewritten(tuple(loops), removed=removed)


_ABOUT_THE_LOOP = ("KC3201", "KC3204", "KC3206", "KC3207", "KC3208", "KC3209", "KC3211", "KC3214")
