"""reverse_compute_at: a block is computed inside a loop of its producers, as early as possible.

Before, ``reverse-compute-at block=C loop=i``::

    tir.for %i in 16 {
      tir.for %j in 8 {
        tir.block "B" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j) do { ... }
    tir.for %i in 14 {
      tir.for %j in 8 {
        tir.block "C" ... do { reads %B[%v_i, %v_j] and %B[%v_i + 2, %v_j] }

After::

    tir.for %i in 16 {
      tir.for %j in 8 {
        tir.block "B" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j) do { ... }
      tir.for %j_1 in 8 {
        tir.block "C" (spatial %v_i in 14 = %i - 2, spatial %v_j in 8 = %j_1) where (%i >= 2) do

The new loops run over the elements that the iteration of the loop completes, a box of constant
size. A predicate guards positions outside the block's domain. Each instance of the block runs
exactly once. The block's old loops, including splits, are removed. It may be an output, and a
reduction.

``index`` is the position in the loop: -1 at the end, -2 directly after the last producer, otherwise
after the loop's n-th child. ``preserve-unit-loops`` keeps loops of one iteration.

*Legal when*

1. KC3200: the block computes each element of one buffer independently, or is a reduction; or it
   contains loops and blocks, as for compute_at.
2. KC3230: a block in the loop writes one of its inputs.
3. KC3213, KC3214, KC3212: the block is not already in the loop, and comes after it in the same
   scope.
4. KC3010, KC3011: the block's own loops carry no annotation and are serial. A vectorized or
   unrolled one is accepted if it alone counts a spatial variable: the variable's new loop gets the
   same kind.
5. KC3211: neither the loop nor a loop around it is vectorized.
6. KC3215: the index is a position after the last producer.
7. KC3231, KC3209: the boxes of all iterations together are exactly the block's instances, each
   once; a reduction loop that may have no iteration does not surround all of it.
8. KC3207, KC3208: all its inputs are available and complete at the new place.
9. KC3232: no other operation uses its elements between the new place and the old one.
10. KC3233: a reduction over several iterations is still initialised first.

TVM: ``reverse_compute_at``. Halide: ``compute_with``, in part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.ir import Operation

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Instance, Space, Supply, Witness, is_before
from kc.analysis.accesses.regions import (
    WHOLE,
    BoundIndexValues,
    Interval,
    box,
    loads_of,
    producers,
    stores_to,
)
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.terms import Condition, Term, any_of, equal
from kc.dialects.tir import BlockOp, ForOp, IterType, LoadOp
from kc.transforms.schedule._blocks import (
    Definition,
    Position,
    describe,
    positions,
    require_definition,
    require_unchanged,
    same_scope,
)
from kc.transforms.schedule._radix import variables_in
from kc.transforms.schedule.base import LoopRef, Rewritten, Site
from kc.transforms.schedule.placing._at_loop import AtLoop, Plan
from kc.transforms.schedule.placing._consuming import hoist_output, require_inputs, require_unused
from kc.transforms.schedule.placing._placing import (
    Domain,
    Placing,
    guards_of,
    loop_near,
    old_values,
    require_init_first,
    require_loose,
    require_once,
    require_scalar_place,
)


@dataclass(frozen=True)
class ReverseComputeAt(AtLoop):
    """Compute a block inside a loop of its producers."""

    name: ClassVar[str] = "reverse-compute-at"
    undecidable = True
    neighbours = staticmethod(producers)
    repeats = False
    about_the_loop: ClassVar[tuple[str, ...]] = (
        *("KC3201", "KC3207", "KC3208", "KC3209", "KC3211", "KC3214"),
        *("KC3230", "KC3231", "KC3232", "KC3233", "KC3408", "KC3409"),
    )

    loop: LoopRef = field(metadata={"help": "a loop around its producers"})
    index: int = field(
        default=-1,
        metadata={"help": "the position: -1 last possible one, -2 first, n after child n"},
    )

    def check_block(self, site: Site, block: BlockOp) -> Plan:
        definition = require_definition(site, block, updates=True, loops=True)
        sources = producers(block)
        if not sources:
            raise site.refuse(
                "KC3230",
                f"no block writes an input of block {block.label}",
                at=block,
                why="reverse_compute_at moves a block into a loop around its producers",
            )
        loop = loop_near(site, self.loop, block, sources, "producers")
        self.require_outside(site, block, loop)
        same_scope(site, block, [loop])
        inside = [source for source in sources if loop_tree.is_inside(source, loop)]
        if not inside:
            names = ", ".join(describe(source) for source in sources)
            raise site.refuse(
                "KC3230",
                f"loop {loop.label} contains no producer of block {block.label}",
                at=loop,
                why=f"its inputs are written by {names}",
            )
        if not is_before(loop, block):
            raise site.refuse(
                "KC3214",
                f"loop {loop.label} comes after block {block.label}",
                at=loop,
                mark={loop: "the loop", block: "the block"},
                why="the block reads earlier values, not those that the loop writes later",
            )
        require_scalar_place(site, block.label, loop)
        anchor = self.child(site, loop, inside, before=False)
        loose = require_loose(site, block)
        require_inputs(site, definition, anchor, f"in loop {loop.label}")
        index = BoundIndexValues()
        domain = Domain(_completed(block, loop, index), index)
        prover = _Prover(site, definition, anchor, loop, domain)
        prover.require_iterations()
        prover.require_partition()
        prover.require_init()
        require_once(site, definition, anchor)
        prover.require_order()
        if block.is_reduction:
            require_init_first(site, definition, anchor)
            prover.require_init_first()
        guards = guards_of(block, domain, anchor)
        return Plan(loop, Placing(definition, anchor, domain, guards, loose, behind=True))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        hoist_output(plan.placing.definition, plan.placing.anchor)
        return super().rewrite(site, plan)


def _completed(block: BlockOp, loop: ForOp, index: IndexValues) -> list[Interval]:
    """The values of the block's variables for which an iteration of ``loop`` writes the last of
    their inputs. Indices that the loop bounds determine the variables.
    """
    intervals: list[Interval] = [WHOLE] * len(block.types)
    for buffer in dict.fromkeys(op.buffer for op in block.walk() if isinstance(op, LoadOp)):
        stores = [store for store in stores_to(buffer) if loop_tree.is_inside(store, loop)]
        region = box(stores, loop.body.block, index)
        if region is None:
            continue
        loads = [
            load
            for load in loads_of(buffer)
            if loop_tree.is_inside(load, block) and load.parent_region() is not block.init
        ]
        parts = [variables_in(block, load, region, index) for load in loads]
        for n, extent in enumerate(block.extents):
            if intervals[n].size is not None or block.types[n] is IterType.OPAQUE:
                continue
            place = _last([positions(block, load)[n] for load in loads])
            if place is not None:
                part = place.values(region, index)
            else:  # the part on which all loads agree
                alike = {variables[n] for variables in parts}
                part = alike.pop() if len(alike) == 1 else WHOLE
            if part.size is not None and not (isinstance(extent, int) and extent <= part.size):
                intervals[n] = part
    return intervals


def _last(places: Sequence[Position | None]) -> Position | None:
    """The position with the largest offset; None if the positions are not all in the same
    dimension.
    """
    chosen = [place for place in places if place is not None]
    if len(chosen) < len(places) or len({place.dim for place in chosen}) != 1:
        return None
    return max(chosen, key=lambda place: place.offset)


@dataclass
class _Prover:
    site: Site
    definition: Definition
    anchor: Operation
    loop: ForOp
    domain: Domain

    def _places(self, space: Space) -> tuple[Instance, Instance, list[Condition]]:
        """The new place, an old instance, and the conditions under which their variables have the
        same values.
        """
        block = self.definition.block
        new = space.place(self.anchor)
        values = self.domain.enter(block, space, new)
        old = space.instance(block, self._common(new))
        same = equal(values, old_values(old, block))
        return new, old, same

    def _common(self, instance: Instance) -> dict[ForOp, Term]:
        block, anchor = self.definition.block, self.anchor
        return {
            loop: dim
            for loop, dim in instance.loops.items()
            if loop_tree.is_inside(block, loop) and loop_tree.is_inside(anchor, loop)
        }

    def require_iterations(self) -> None:
        """Refuse (KC3231) loops that never run. (Elsewhere such loops count as the initial value of
        a block.)
        """
        block = self.definition.block
        for loop in loop_tree.loops_around(self.anchor):
            if loop.static_extent == 0 and not loop_tree.is_inside(block, loop):
                raise self.site.refuse(
                    "KC3231",
                    f"block {block.label} does not run exactly once in loop {self.loop.label}",
                    at=block,
                    mark={loop: "never runs", block: "here"},
                    why=f"loop {loop.label} has no iteration",
                )

    def require_init(self) -> None:
        """Refuse (KC3231) a reduction loop that would surround the whole reduction and may never
        run: the initial value would not be stored.
        """
        block, domain = self.definition.block, self.domain
        if not block.has_init:
            return
        bases = [
            interval.base
            for interval, kind in zip(domain.intervals, block.types, strict=True)
            if kind is IterType.REDUCE and interval.size is not None
        ]
        parts = set(domain.index.to_map(bases)[1])
        for loop in loop_tree.loops_around(self.anchor):
            if (
                loop.static_extent
                or IterType.REDUCE not in loop_tree.iter_types(loop, block)
                or parts & set(loop_tree.derived_values(loop.var))
            ):
                continue
            how = "has" if loop.static_extent == 0 else "may have"
            raise self.site.refuse(
                "KC3231",
                f"block {block.label} would not be initialised in loop {self.loop.label}",
                at=block,
                mark={loop: "around the reduction", block: "here"},
                why=f"loop {loop.label} {how} no iteration",
            )

    def require_partition(self) -> None:
        """Require (KC3231) that each instance of the block is in exactly one box, and that the
        boxes contain no other instances.
        """
        block = self.definition.block
        space = Space()
        old = space.instance(block)
        new = space.place(self.anchor, self._common(old))
        values = self.domain.enter(block, space, new)
        self._refuse_part(
            space.uncovered(old, old_values(old, block), [Supply(new, values)]),
            "it would not run for {}",
        )
        space = Space()
        new = space.place(self.anchor)
        values = self.domain.enter(block, space, new)
        old = space.instance(block, self._common(new))
        self._refuse_part(
            space.uncovered(new, values, [Supply(old, old_values(old, block))]),
            "it would run for {}, for which it does not run now",
        )
        space = Space()
        new = space.place(self.anchor)
        second = space.place(self.anchor, self._common(new))
        twice = equal(self.domain.enter(block, space, new), self.domain.enter(block, space, second))
        differs = [
            dim.differs(second.loops[loop])
            for loop, dim in new.loops.items()
            if dim != second.loops[loop]
        ]
        witness = space.find([new, second], [*twice, any_of(differs)])
        if witness is not None:
            raise self.site.refuse(
                "KC3231",
                f"block {block.label} "
                + ("may run" if witness.undecided else "would run")
                + f" more than once in loop {self.loop.label}",
                at=block,
                mark={self.loop: "the loop", block: "here"},
                why=witness.undecided
                or f"for the same values{new.at(witness)} and{second.at(witness)}",
            )

    def _refuse_part(self, witness: Witness | None, text: str) -> None:
        if witness is None:
            return
        block = self.definition.block
        at = ""
        if witness.point:
            at = ", ".join(
                f"{name}={value}" for name, value in zip(block.names, witness.element, strict=False)
            )
        raise self.site.refuse(
            "KC3231",
            f"block {block.label} "
            + ("may not run" if witness.undecided else "does not run")
            + f" exactly once in loop {self.loop.label}",
            at=block,
            mark={self.loop: "the loop", block: "here"},
            why=witness.undecided or text.format(at),
        )

    def require_order(self) -> None:
        """Require that no access to the block's inputs or outputs comes between the new and the old
        place.
        """
        space = Space()
        new, old, same = self._places(space)
        require_unchanged(self.site, self.definition, space, old, new, old, same)
        require_unused(self.site, self.definition, self._places)

    def require_init_first(self) -> None:
        """Require (KC3233) that the instances that initialise an element precede the instances that
        update it.
        """
        block = self.definition.block
        space = Space()
        init = space.place(self.anchor)
        first = self.domain.enter(block, space, init)
        update = space.place(self.anchor, self._common(init))
        updated = self.domain.enter(block, space, update)
        same = [
            x.equals(0) if kind is IterType.REDUCE else x.equals(y)
            for x, y, kind in zip(first, updated, block.types, strict=True)
        ]
        witness = space.find([init, update], [*same, space.may_precede(update, init)])
        if witness is not None:
            raise self.site.refuse(
                "KC3233",
                f"block {block.label} "
                + ("may add" if witness.undecided else "would add")
                + " to an element before it is initialised",
                at=block,
                mark={self.loop: "the loop", block: "here"},
                why=witness.undecided
                or f"the update is{update.at(witness)}, the init{init.at(witness)}",
            )
