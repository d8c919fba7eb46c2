"""compute_inline: a block is computed at the reads of its elements, and removed.

Before, ``compute-inline block=B``::

    tir.alloc "B" : memref<16xf32>
    tir.for %i in 16 {
      tir.block "B" (spatial %v_i in 16 = %i) do {
        %a = tir.load %A[%v_i]
        %b = arith.mulf %a, %two
        tir.store %b, %B[%v_i]
    ...
    tir.for %i in 15 {
      tir.block "C" (spatial %v_i in 15 = %i) do {
        %x = tir.load %B[%v_i + 1]
        ...

After::

    tir.for %i in 15 {
      tir.block "C" (spatial %v_i in 15 = %i) do {
        %a = tir.load %A[%v_i + 1]
        %x = arith.mulf %a, %two
        ...

*Legal when*

1. KC3200: the block computes each element of one buffer independently.
2. KC3220: it is not a reduction.
3. KC3202, KC3205: the buffer is not an output, and only loads use it.
4. KC3221: each index of the store is one variable of the block, plus a constant.
5. KC3206: the block writes every element that is read.
6. KC3207, KC3208: the block's inputs are available and unchanged at the reads.

A block whose buffer is never read is removed.

TVM: ``compute_inline``. Halide: ``compute_inline``. Exo: ``inline_assign``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects import scf
from xdsl.ir import Operation

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space, Supply
from kc.analysis.accesses.regions import buffers_written
from kc.analysis.affine.terms import equal
from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import AllocOp, LoadOp
from kc.transforms.known_values import rebuild
from kc.transforms.schedule._blocks import (
    Definition,
    Position,
    describe,
    erase_with_loops,
    own_loops,
    require_available,
    require_definition,
    require_private,
    require_unchanged,
    witness_text,
)
from kc.transforms.schedule.base import BlockRef, Primitive, Rewritten, Site
from kc.transforms.schedule.placing._inlining import (
    arguments_of,
    combine_guards,
    insert_body,
    move_body,
)


@dataclass(frozen=True)
class Plan:
    """The block, its buffer, the positions of its variables in an index, and the loads."""

    definition: Definition
    alloc: AllocOp
    places: list[Position | None]
    loads: list[LoadOp]


@dataclass(frozen=True)
class ComputeInline(Primitive):
    """Compute a block at the reads of its elements."""

    name: ClassVar[str] = "compute-inline"
    undecidable = True

    block: BlockRef = field(metadata={"help": "the block to inline"})

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        definition = require_definition(site, block)
        if block.is_reduction:
            raise site.refuse(
                "KC3220",
                f"block {block.label} is a reduction",
                at=block,
                why="an element is the result of many iterations, which a single expression cannot "
                "compute",
                hints=["compute_at computes it inside a loop of its consumer"],
            )
        (alloc,) = require_private(site, definition)
        loads = definition.loads
        if not loads:
            return Plan(definition, alloc, [], [])
        places = definition.positions()
        for place, extent, name in zip(places, block.extents, block.names, strict=True):
            if place is None and extent != 1:
                raise site.refuse(
                    "KC3221",
                    f"block {block.label} does not store at its own variables",
                    at=block,
                    why=f"no index of the store is {name} plus a constant, so {name} cannot be "
                    "derived from the element that is read",
                )
        for load in loads:
            self._check_load(site, definition, load)
        return Plan(definition, alloc, places, loads)

    def _check_load(self, site: Site, definition: Definition, load: LoadOp) -> None:
        block, buffer = definition.block, definition.buffer
        reader = definition.unit(load)
        place = f"in {describe(reader)}"
        require_available(site, block, load, place, uses=definition.captured)
        space = Space()
        read, write = space.instance(load), space.instance(block)
        element, written = space.element(load, read), space.element(definition.store, write)
        witness = space.uncovered(
            read,
            element,
            [Supply(write, written, space.same_buffer(buffer, read, write))],
            space.in_bounds(load, element, read),
        )
        name = buffer_name(buffer)
        if witness is not None:
            raise site.refuse(
                "KC3206",
                f"{describe(reader)} reads elements of {name} that block "
                f"{block.label} " + ("may not write" if witness.undecided else "does not write"),
                at=reader,
                mark={block: f"writes {name}", reader: f"reads {name}"},
                why=witness.undecided or f"element {witness_text(space, witness)} is not written",
            )
        same = equal(element, written)
        same += space.same_buffer(buffer, read, write)
        require_unchanged(site, definition, space, write, write, read, same)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            written = buffers_written(block)
            if not block.is_reduction and all(
                isinstance(buffer.owner, AllocOp) for buffer in written
            ):
                yield cls(BlockRef(block))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        block, store = plan.definition.block, plan.definition.store
        readers = plan.definition.users
        for load in plan.loads:
            values = {}
            for value in plan.definition.captured:
                values[value] = rebuild(value, load, values)
            arguments = arguments_of(plan.places, load)
            if load is plan.loads[-1]:
                result = move_body(block, arguments, load, values, store)
            else:
                insert_body(block, arguments, load, values, [store])
                result = values.get(store.value, store.value)
            load.result.replace_all_uses_with(result)
            load.detach()
            load.erase()
            if isinstance(result.owner, scf.IfOp):
                combine_guards(result.owner)
        into = " and ".join(describe(reader) for reader in readers)
        what = f"block {block.label} was " + (
            f"inlined into {into}" if readers else f"removed: nothing read {plan.alloc.label}"
        )
        loops = own_loops(block)
        removed: dict[Operation, str] = {
            loop: f"{loop.label} was removed with block {block.label}: {what}" for loop in loops
        }
        erase_with_loops(block)
        plan.alloc.detach()
        plan.alloc.erase()
        return Rewritten(removed={block: what, **removed})
