"""fuse_reduction_epilogue: a reduction starts from the other operand of its epilogue.

Before, ``fuse-reduction-epilogue reduction-block=C epilogue-block=D``::

    %C = tir.alloc "C" : memref<16xf32>
    tir.for %i in 16 {
      tir.for %k in 8 {
        tir.block "C" (spatial %v_i in 16 = %i, reduce %v_k in 8 = %k)
            init { %C[%v_i] = 0 } do { %C[%v_i] += %A[%v_i, %v_k] }
    tir.for %i in 16 {
      tir.block "D" (spatial %v_i in 16 = %i) do { %D[%v_i] = %C[%v_i] + %bias[%v_i] }

After::

    tir.for %i in 16 {
      tir.for %k in 8 {
        tir.block "C" (spatial %v_i in 16 = %i, reduce %v_k in 8 = %k)
            init { %D[%v_i] = %bias[%v_i] } do { %D[%v_i] += %A[%v_i, %v_k] }

The epilogue applies the combiner of the reduction once more: it adds to a sum, or takes the maximum
of a maximum. The order is then irrelevant, except that a sum of floats is rounded in another order,
which a reduction allows. Other epilogues (a ReLU of a sum, a clip) would be applied to partial
results: ``reverse_compute_at`` computes them as soon as an element is complete.

*Legal when*

1. KC3200, KC3615: one block is a reduction with its init, the other computes each element of its
   buffer independently.
2. KC3202, KC3205, KC3241: the buffer between them is not an output, and has no other uses.
3. KC3616: the epilogue combines its element with another value by the combiner of the reduction.
4. KC3212, KC3214: it comes after the reduction, in the same scope.
5. KC3242, KC3243: both access the same elements, one by one, in the same iteration of the loops
   around the buffer of the epilogue.
6. KC3617: an element is complete when the epilogue reads it.
7. KC3207, KC3208: the other inputs of the epilogue are available and unchanged at the start of the
   reduction.
8. KC3232: no other operation uses the result in between.

TVM: ``fuse_reduction_epilogue``, which also takes a ReLU and a clip, and then changes the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Instance, Space, Supply, is_before
from kc.analysis.accesses.regions import consumers
from kc.analysis.affine.terms import Condition, equal
from kc.analysis.loop_tree import buffer_name
from kc.analysis.reductions.reductions import Update, reduction_of
from kc.dialects.tir import AllocOp, BlockOp, LoadOp, StoreOp
from kc.support.diagnostics import ScheduleError
from kc.support.registry import pass_class
from kc.transforms.known_values import rebuild
from kc.transforms.schedule._blocks import (
    Definition,
    Position,
    captured,
    describe,
    erase_with_loops,
    own_loops,
    positions,
    require_definition,
    require_private,
    require_unchanged,
    same_scope,
    witness_text,
)
from kc.transforms.schedule._combiners import neutral_element
from kc.transforms.schedule.base import BlockRef, Primitive, Rewritten, Site
from kc.transforms.schedule.placing._consuming import (
    assume_terms,
    hoist_output,
    require_inputs,
    require_same_iteration,
    require_unused,
)
from kc.transforms.schedule.placing._inlining import arguments_of, element_at, insert_body

WHAT = "fuse_reduction_epilogue"


@dataclass(frozen=True)
class Plan:
    """The two blocks, the buffer between them, and the epilogue's load from the buffer."""

    reduction: Definition
    epilogue: Definition
    alloc: AllocOp
    load: LoadOp
    places: list[Position | None]


@dataclass(frozen=True)
class FuseReductionEpilogue(Primitive):
    """Start a reduction from the other operand of its epilogue."""

    name: ClassVar[str] = "fuse-reduction-epilogue"

    reduction_block: BlockRef = field(metadata={"help": "the reduction"})
    epilogue_block: BlockRef = field(metadata={"help": "the block that combines its result"})

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.reduction_block)
        after = site.resolve_block(self.epilogue_block)
        reduction = require_definition(site, block)
        epilogue = require_definition(site, after)
        for definition, must_reduce in ((reduction, True), (epilogue, False)):
            if definition.block.is_reduction is not must_reduce:
                raise site.refuse(
                    "KC3615",
                    f"block {definition.block.label} is "
                    + ("not a reduction" if must_reduce else "a reduction"),
                    at=definition.block,
                    why="a reduction can only absorb a block that is not a reduction",
                )
        (alloc,) = require_private(site, reduction)
        if reduction.users != [after]:
            readers = [reader for reader in reduction.users if reader is not after]
            raise site.refuse(
                "KC3241",
                f"{alloc.label} is also read by {' and '.join(map(describe, readers))}"
                if readers
                else f"block {after.label} does not read {alloc.label}",
                at=block,
                mark={block: f"writes {alloc.label}", after: "the epilogue"},
                why=f"buffer {alloc.label} would be removed"
                if readers
                else "the epilogue must combine the result of the reduction with another value",
            )
        same_scope(site, block, [after])
        if not is_before(block, after):
            raise site.refuse(
                "KC3214",
                f"block {block.label} comes after block {after.label}",
                at=after,
                mark={block: f"writes {alloc.label}", after: "the epilogue"},
                why="it reads values of an earlier iteration",
            )
        load = self._require_combination(site, reduction, epilogue)
        places = self._require_elements(site, reduction, epilogue, load)
        self._require_complete(site, reduction, epilogue, load)
        self._require_order(site, reduction, epilogue, load)
        return Plan(reduction, epilogue, alloc, load, places)

    def _require_combination(
        self, site: Site, reduction: Definition, epilogue: Definition
    ) -> LoadOp:
        update = _update(reduction)
        name = buffer_name(reduction.buffer)
        step = update.step.name
        stored = epilogue.store.value.owner
        loads = reduction.loads
        why: str | None = None
        if not isinstance(stored, Operation) or type(stored) is not type(update.step):
            op_name = stored.name if isinstance(stored, Operation) else "nothing"
            why = f"it stores the result of {op_name}; {name} is reduced by {step}"
        elif len(loads) != 1 or list(stored.operands).count(loads[0].result) != 1:
            why = f"it does not combine a single element of {name} with another value"
        elif any(use.operation is not stored for use in loads[0].result.uses):
            why = f"the other operand of {step} also depends on {name}"
        if why is None:
            return loads[0]
        raise site.refuse(
            "KC3616",
            f"block {epilogue.block.label} is not another step of the reduction "
            f"{reduction.block.label}",
            at=epilogue.block,
            mark={reduction.block: "the reduction", epilogue.block: "the epilogue"},
            why=f"{why}; it would be applied to partial results",
            hints=_alternatives(site, epilogue.block),
        )

    def _require_elements(
        self, site: Site, reduction: Definition, epilogue: Definition, load: LoadOp
    ) -> list[Position | None]:
        name, after = buffer_name(reduction.buffer), epilogue.block
        places = positions(after, load)
        for place, extent, variable in zip(places, after.extents, after.names, strict=True):
            if place is None and extent != 1:
                raise site.refuse(
                    "KC3242",
                    f"block {after.label} does not access {name} element by element",
                    at=after,
                    why=f"no index of the load of {name} is {variable} plus a constant, so "
                    f"{variable} cannot be derived from the written element",
                )
        if element_at(epilogue.store, places, load) is None:
            raise site.refuse(
                "KC3242",
                f"block {after.label} does not access {name} element by element",
                at=after,
                why=f"the element of {buffer_name(epilogue.buffer)} that it writes depends on data",
            )
        for reads_more in (True, False):
            space = Space()
            read, write = space.instance(load), space.instance(reduction.block)
            read_at = space.element(load, read)
            written = space.element(reduction.store, write)
            together = space.same_buffer(reduction.buffer, read, write)
            assume_terms(space, reduction.block, write)
            witness = (
                space.uncovered(read, read_at, [Supply(write, written, together)])
                if reads_more
                else space.uncovered(write, written, [Supply(read, read_at, together)])
            )
            if witness is None:
                continue
            less = reduction.block if reads_more else after
            verb = "write" if reads_more else "read"
            raise site.refuse(
                "KC3243",
                f"blocks {reduction.block.label} and {after.label} "
                + ("may not access" if witness.undecided else "do not access")
                + f" the same elements of {name}",
                at=after,
                mark={reduction.block: f"writes {name}", after: f"reads {name}"},
                why=witness.undecided
                or f"block {less.label} does not {verb} {witness_text(space, witness)}",
            )
        require_same_iteration(site, epilogue, reduction, load)
        return places

    def _require_complete(
        self, site: Site, reduction: Definition, epilogue: Definition, load: LoadOp
    ) -> None:
        space = Space()
        new, old, same = _instances(space, reduction, epilogue, load)
        witness = space.find([new, old], [*same, space.may_precede(old, new)])
        if witness is None:
            return
        name = buffer_name(reduction.buffer)
        raise site.refuse(
            "KC3617",
            f"block {epilogue.block.label} "
            + ("may read" if witness.undecided else "reads")
            + f" partial results of {reduction.block.label}",
            at=epilogue.block,
            mark={reduction.block: f"writes {name}", epilogue.block: f"reads {name}"},
            why=witness.undecided
            or f"it reads an element{old.at(witness)} that is updated{new.at(witness)}, later",
        )

    def _require_order(
        self, site: Site, reduction: Definition, epilogue: Definition, load: LoadOp
    ) -> None:
        where = f"in block {reduction.block.label}"
        require_inputs(site, epilogue, reduction.block, where)

        def instances(space: Space) -> tuple[Instance, Instance, list[Condition]]:
            return _instances(space, reduction, epilogue, load)

        space = Space()
        new, old, same = instances(space)
        require_unchanged(site, epilogue, space, old, new, old, same, leave=[reduction.buffer])
        require_unused(site, epilogue, instances)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            if block.is_reduction:
                for after in consumers(block):
                    yield cls(BlockRef(block), BlockRef(after))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        block, after = plan.reduction.block, plan.epilogue.block
        hoist_output(plan.epilogue, block)
        outside: dict[SSAValue, SSAValue] = {}
        for value in captured(after):
            outside[value] = rebuild(value, block, outside)
        self._start(plan, outside)
        self._update(plan, outside)
        what = f"block {after.label} was fused into block {block.label}"
        loops = own_loops(after)
        removed: dict[Operation, str] = {
            loop: f"{loop.label} was removed with block {after.label}: {what}" for loop in loops
        }
        erase_with_loops(after)
        plan.alloc.detach()
        plan.alloc.erase()
        return Rewritten(removed={after: what, **removed})

    def _start(self, plan: Plan, outside: dict[SSAValue, SSAValue]) -> None:
        """Compute the epilogue of the initial value in the init."""
        init = plan.reduction.block.init.block
        (store,) = [op for op in init.ops if isinstance(op, StoreOp)]
        first = store.value
        values = {**outside, plan.load.result: first}
        arguments = arguments_of(plan.places, store)
        insert_body(plan.epilogue.block, arguments, store, values, [plan.load])
        store.detach()
        store.erase()
        combined = values[plan.epilogue.store.value].owner
        assert isinstance(combined, Operation)
        # it now has other operands, and may overflow
        if isinstance(combined, arith.AddiOp | arith.MuliOp):
            combined.overflow_flags = arith.IntegerOverflowAttr("none")
        start = first.owner
        neutral = neutral_element(type(_update(plan.reduction).step), first.type)
        if isinstance(start, arith.ConstantOp) and start.value == neutral:
            (operand,) = [value for value in combined.operands if value is not first]
            combined.results[0].replace_all_uses_with(operand)
            combined.detach()
            combined.erase()
            if not start.result.first_use:
                start.detach()
                start.erase()

    def _update(self, plan: Plan, outside: dict[SSAValue, SSAValue]) -> None:
        """Redirect the updates to the result of the epilogue."""
        target = plan.epilogue.buffer
        for op in list(plan.reduction.block.body.walk()):
            if isinstance(op, LoadOp | StoreOp) and op.buffer is plan.reduction.buffer:
                element = element_at(plan.epilogue.store, plan.places, op)
                assert element is not None
                map_, operands = element
                before = [op.value] if isinstance(op, StoreOp) else []
                op.operands = [
                    *before,
                    target,
                    *(outside.get(operand, operand) for operand in operands),
                ]
                op.properties["indices"] = AffineMapAttr(map_)


def _update(reduction: Definition) -> Update:
    pattern = reduction_of(reduction.block)
    assert pattern is not None, "a definition with reduce variables is an update"
    return pattern.updates[0]


def _instances(
    space: Space, reduction: Definition, epilogue: Definition, load: LoadOp
) -> tuple[Instance, Instance, list[Condition]]:
    """A step of the reduction, an instance of the epilogue, and the conditions that both access one
    element.
    """
    new, old = space.instance(reduction.block), space.instance(epilogue.block)
    same = equal(space.element(reduction.store, new), space.element(load, old))
    return new, old, [*same, *space.same_buffer(reduction.buffer, new, old)]


def _alternatives(site: Site, epilogue: BlockOp) -> list[str]:
    """The hints to compute the epilogue as soon as an element is complete."""
    primitive = pass_class("reverse-compute-at")
    loops: list[str] = []
    for step in primitive.candidates(site):
        if step.block.target is not epilogue:
            continue
        try:
            step.plan(site)
        except ScheduleError:
            continue
        loops.append(str(step.loop))
    return [
        f"reverse_compute_at block={epilogue.label} loop={loop}: an element is complete there"
        for loop in loops[-1:]
    ]
