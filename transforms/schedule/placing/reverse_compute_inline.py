"""reverse_compute_inline: a block is computed in its only producer, and the buffer is removed.

Before, ``reverse-compute-inline block=C``::

    tir.alloc "B" : memref<16x8xf32>
    tir.for %i in 16 {
      tir.for %j in 8 {
        tir.block "B" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j) do {
          ...
          tir.store %b, %B[%v_i, %v_j]
    tir.for %i in 8 {
      tir.for %j in 16 {
        tir.block "C" (spatial %v_i in 8 = %i, spatial %v_j in 16 = %j) do {
          %x = tir.load %B[%v_j, %v_i]
          %c = arith.mulf %x, %x
          tir.store %c, %C[%v_i, %v_j]

After::

    tir.for %i in 16 {
      tir.for %j in 8 {
        tir.block "B" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j) do {
          ...
          %c = arith.mulf %b, %b
          tir.store %c, %C[%v_j, %v_i]

The producer retains its name and its loops. ``compute_inline`` of the producer retains the
consumer's instead.

*Legal when*

1. KC3200, KC3220: the block and its producer each compute each element of one buffer independently.
2. KC3240: exactly one block writes its inputs.
3. KC3202, KC3205, KC3241: the producer's buffer is not an output, and the block is its only reader.
4. KC3242: all loads of it have the same indices, which determine the variables of the block: each
   variable is alone in an index, except for a constant, or the indices are a reshape with an affine
   inverse.
5. KC3243: the read elements are the written ones, in the same iteration of the loops around the
   block's output buffer.
6. KC3214, KC3207, KC3208: the block's inputs are available and unchanged at the producer.
7. KC3232: no other operation uses its elements between the new place and the old one.

TVM: ``reverse_compute_inline``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Instance, Space, Supply, is_before
from kc.analysis.accesses.regions import producers
from kc.analysis.affine.affine_relations import Box, inverse
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.terms import Condition, equal
from kc.analysis.loop_tree import buffer_name
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import AllocOp, BlockOp, LoadOp
from kc.transforms.known_values import rebuild
from kc.transforms.schedule._blocks import (
    Definition,
    captured,
    describe,
    erase_with_loops,
    own_loops,
    positions,
    require_definition,
    require_private,
    require_unchanged,
    witness_text,
)
from kc.transforms.schedule._sizes import shape_from
from kc.transforms.schedule.base import BlockRef, Primitive, Rewritten, Site
from kc.transforms.schedule.placing._consuming import (
    hoist_output,
    require_inputs,
    require_same_iteration,
    require_unused,
)
from kc.transforms.schedule.placing._inlining import arguments_at, insert_body


@dataclass(frozen=True)
class Plan:
    """The block, its producer and the buffer between them."""

    definition: Definition
    source: Definition
    alloc: AllocOp
    loads: list[LoadOp]
    variables: list[AffineExpr]
    """The variables of the block, over the indices of the written element."""


@dataclass(frozen=True)
class ReverseComputeInline(Primitive):
    """Compute a block in its only producer."""

    name: ClassVar[str] = "reverse-compute-inline"
    undecidable = True

    block: BlockRef = field(metadata={"help": "the consumer to inline into its producer"})

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        definition = _require_complete(site, block)
        sources = producers(block)
        if len(sources) != 1:
            names = ", ".join(describe(source) for source in sources)
            raise site.refuse(
                "KC3240",
                f"block {block.label} has {len(sources)} producers",
                at=block,
                why=f"its inputs are written by {names}; it can be inlined into only one of them"
                if sources
                else "no block writes its inputs",
                hints=[f"compute_inline {producer.label} first" for producer in sources[1:]],
            )
        source = _require_complete(site, sources[0])
        (alloc,) = require_private(site, source)
        if source.users != [block]:
            names = ", ".join(describe(user) for user in source.users if user is not block)
            raise site.refuse(
                "KC3241",
                f"{alloc.label} is also read by {names}",
                at=source.block,
                mark={source.block: f"writes {alloc.label}", block: "here"},
                why=f"buffer {alloc.label} would be removed",
            )
        if not is_before(source.block, block):
            raise site.refuse(
                "KC3214",
                f"block {source.block.label} comes after block {block.label}",
                at=block,
                mark={source.block: f"writes {alloc.label}", block: "here"},
                why="it reads values of an earlier iteration",
            )
        loads, variables = self._loads(site, definition, source)
        where = f"in block {source.block.label}"
        require_inputs(site, definition, source.store, where)
        self._require_same_elements(site, definition, source, loads[0])
        require_same_iteration(site, definition, source, loads[0])

        def instances(space: Space) -> tuple[Instance, Instance, list[Condition]]:
            new, old = space.instance(source.block), space.instance(block)
            same = equal(space.element(source.store, new), space.element(loads[0], old))
            return new, old, [*same, *space.same_buffer(source.buffer, new, old)]

        space = Space()
        new, old, same = instances(space)
        require_unchanged(site, definition, space, old, new, old, same)
        require_unused(site, definition, instances)
        return Plan(definition, source, alloc, loads, variables)

    def _loads(
        self, site: Site, definition: Definition, source: Definition
    ) -> tuple[list[LoadOp], list[AffineExpr]]:
        block = definition.block
        loads = source.loads
        first = loads[0]
        name = buffer_name(source.buffer)
        why = None
        for load in loads:
            if load.indices != first.indices or list(load.operands_of_map) != list(
                first.operands_of_map
            ):
                why = f"it reads several elements of {name} at once"
        variables = _variables(site, block, first)
        if variables is None:
            why = why or (
                f"{', '.join(block.names)} do not follow from the read element of {name} "
                "by one affine map"
            )
        if why is not None or variables is None:
            raise site.refuse(
                "KC3242",
                f"block {block.label} does not access {name} element by element",
                at=block,
                why=why,
                hints=[f"compute_inline {source.block.label}"],
            )
        return loads, variables

    def _require_same_elements(
        self, site: Site, definition: Definition, source: Definition, load: LoadOp
    ) -> None:
        name = buffer_name(source.buffer)
        for reads_more in (True, False):
            space = Space()
            read, write = space.instance(definition.block), space.instance(source.block)
            read_at, written = space.element(load, read), space.element(source.store, write)
            together = space.same_buffer(source.buffer, read, write)
            witness = (
                space.uncovered(read, read_at, [Supply(write, written, together)])
                if reads_more
                else space.uncovered(write, written, [Supply(read, read_at, together)])
            )
            if witness is None:
                continue
            less = source.block if reads_more else definition.block
            verb = "write" if reads_more else "read"
            raise site.refuse(
                "KC3243",
                f"blocks {source.block.label} and {definition.block.label} "
                + ("may not access" if witness.undecided else "do not access")
                + f" the same elements of {name}",
                at=definition.block,
                mark={source.block: f"writes {name}", definition.block: f"reads {name}"},
                why=witness.undecided
                or f"block {less.label} does not {verb} {witness_text(space, witness)}",
                hints=[f"compute_inline {source.block.label}"],
            )

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            if not block.is_reduction and len(producers(block)) == 1:
                yield cls(BlockRef(block))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        block, store = plan.definition.block, plan.source.store
        hoist_output(plan.definition, store)
        values: dict[SSAValue, SSAValue] = {}
        for value in captured(block):
            values[value] = rebuild(value, store, values)
        for load in plan.loads:
            values[load.result] = store.value
        insert_body(block, arguments_at(plan.variables, store), store, values, plan.loads)
        what = f"block {block.label} was inlined into block {plan.source.block.label}"
        loops = own_loops(block)
        removed: dict[Operation, str] = {
            loop: f"{loop.label} was removed with block {block.label}: {what}" for loop in loops
        }
        store.detach()
        store.erase()
        erase_with_loops(block)
        plan.alloc.detach()
        plan.alloc.erase()
        return Rewritten(removed={block: what, **removed})


def _variables(site: Site, block: BlockOp, load: LoadOp) -> list[AffineExpr] | None:
    """The variables of the block over the indices of a load in it; None if the indices do not
    determine them.
    """
    places = positions(block, load)
    if all(
        place is not None or extent == 1
        for place, extent in zip(places, block.extents, strict=True)
    ):
        return [
            ZERO if place is None else AffineExpr.dimension(place.dim) - place.offset
            for place in places
        ]
    index = IndexValues()
    exprs = [index.compose(expr, load.operands_of_map) for expr in load.indices.data.results]
    number = {arg: AffineExpr.dimension(n) for n, arg in enumerate(block.body.block.args)}
    roots = [number.get(root) for root in index.roots]  # pyright: ignore[reportArgumentType]
    used = {n for expr in exprs for n in expr.used_dims()}
    if any(roots[n] is None for n in used):
        return None
    over = [expr.replace_dims_and_symbols([root or ZERO for root in roots], ()) for expr in exprs]
    shape = shape_from(site, block.extents)
    back = inverse(over, Box(tuple(shape.sizes), len(shape.parameters)))
    if back is None or any(n >= len(exprs) for expr in back for n in expr.used_dims()):
        return None
    return list(back)


def _require_complete(site: Site, block: BlockOp) -> Definition:
    definition = require_definition(site, block)
    if block.is_reduction:
        raise site.refuse(
            "KC3220",
            f"block {block.label} is a reduction",
            at=block,
            why="an element is the result of many iterations, which a single expression cannot "
            "compute",
            hints=["reverse_compute_at computes a block inside a loop of its producer"],
        )
    return definition
