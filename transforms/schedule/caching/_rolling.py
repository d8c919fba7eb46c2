"""Buffers that roll: what an iteration leaves in a circular buffer is what the next one needs.

All questions are about the program as it would be: the block skips what an earlier iteration has
computed, and elements share a place when they differ by a multiple of the buffer's length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from kc.analysis import loop_tree
from kc.analysis.instances import Instance, Space, Supply, Witness
from kc.analysis.loop_tree import buffer_name
from kc.analysis.regions import BoundIndexValues, loads_of, stores_to
from kc.dialects.tir import ForOp, IterType, LoadOp, StoreOp
from kc.transforms.schedule._blocks import (
    Definition,
    captured,
    describe,
    witness_text,
)
from kc.transforms.schedule.base import Site


@dataclass(frozen=True)
class Rolling:
    """Dimension ``axis`` of the buffer that ``made`` defines rolls along ``loop``.

    One iteration needs ``length`` elements from ``base`` on (over the roots of ``index``); the
    first ``overlap`` of them are there from the iteration before.
    """

    made: Definition
    loop: ForOp
    axis: int
    base: AffineExpr
    length: int
    overlap: int
    index: BoundIndexValues

    @property
    def buffer(self) -> SSAValue:
        """The buffer."""
        return self.made.buffer

    def offset(self) -> AffineExpr:
        """How far from the base the element is that the block computes, over the roots."""
        store = self.made.store
        place = self.index.compose(store.indices.data.results[self.axis], store.operands_of_map)
        return self.index.simplify(place - self.base)

    def is_new(self, space: Space, made: Instance) -> str:
        """That an instance of the block computes what is not there yet."""
        return f"{made.loops[self.loop]} < 1 or {self._offset_at(space, made)} >= {self.overlap}"

    def is_there(self, space: Space, made: Instance) -> str:
        """That an instance of the block computed what is there."""
        return f"{made.loops[self.loop]} >= 1 and {self._offset_at(space, made)} < {self.overlap}"

    def _offset_at(self, space: Space, made: Instance) -> str:
        map_, operands = self.index.to_map([self.offset()])
        return f"({space.expr(map_.results[0], operands, made)})"


class Prover:
    """Refuses to roll what would not compute the same."""

    def __init__(self, site: Site, rolling: Rolling) -> None:
        self.site = site
        self.rolling = rolling
        self.block = rolling.made.block
        self.loads = loads_of(rolling.buffer)
        self.stores = stores_to(rolling.buffer)
        self.name = buffer_name(rolling.buffer)

    def require_same(self) -> None:
        """Refuse (KC3492, KC3493, KC3494) unless all that is read is what was read before."""
        self._require_repeatable()
        for load in self.loads:
            self._require_written(load)
            for store in self.stores:
                self._require_kept(load, store)
        for load in self.block.walk():
            if isinstance(load, LoadOp) and load.buffer is not self.rolling.buffer:
                for store in stores_to(load.buffer):
                    if loop_tree.is_inside(store, self.rolling.loop):
                        self._require_unchanged(load, store)

    def _require_repeatable(self) -> None:
        """An element is the same whatever iteration computes it."""
        block, loop = self.block, self.rolling.loop
        moving = loop_tree.derived_values(loop.var)
        reason = None
        for value in captured(block):
            if value in moving:
                reason = f"it uses {value.name_hint or 'a value'}, which changes with {loop.label}"
        for around in loop_tree.loops_around(block):
            if not loop_tree.is_inside(around, loop):
                continue
            if IterType.REDUCE in loop_tree.iter_types(around, block) and (
                around is loop or around.dynamic_extent in moving
            ):
                reason = f"what it reduces depends on {loop.label}"
        reduced = {
            value
            for around in loop_tree.loops_around(block)
            if IterType.REDUCE in loop_tree.iter_types(around, block)
            for value in loop_tree.derived_values(around.var)
        }
        for one in block.predicate.data.constraints:
            used = {block.predicate_operands[dim] for dim in one.lhs.used_dims()}
            if used & reduced and used & moving:
                reason = f"what it reduces depends on {loop.label}"
        if reason is not None:
            raise self.site.refuse(
                "KC3494",
                f"rolling_buffer: block {block.label} may compute another element in another "
                f"iteration of {loop.label}",
                at=block,
                mark={loop: "rolls here", block: "the block"},
                why=reason,
            )

    def _instances(self, load: LoadOp) -> tuple[Space, Instance, list[str], Mapping[ForOp, str]]:
        """A read, the conditions under which it is executed, and what is fixed around the loop."""
        space = Space()
        read = space.instance(load)
        for kind, _, extent in self.block.iters:  # a reduction over nothing is its initial value
            if kind is IterType.REDUCE and not isinstance(extent, int):
                space.facts.append(f"{space.value(extent, read)} >= 1")
        conditions = list(space.in_bounds(load, space.element(load, read), read))
        if loop_tree.is_inside(load, self.block):
            conditions.append(self.rolling.is_new(space, read))
        outside: dict[ForOp, str] = {}
        for loop, dim in read.loops.items():
            if loop is self.rolling.loop:
                break
            outside[loop] = dim
        return space, read, conditions, outside

    def _supplies(
        self, space: Space, read: Instance, outside: Mapping[ForOp, str], after: Instance | None
    ) -> list[Supply]:
        """The writes before ``read``, and behind ``after`` if that is given."""
        found: list[Supply] = []
        for store in self.stores:
            write = space.instance(store, outside)
            conditions = [space.before(write, read), self.rolling.is_new(space, write)]
            if after is not None:
                conditions.append(space.before(after, write))
            found.append(Supply(write, space.element(store, write), conditions))
        return found

    def _require_written(self, load: LoadOp) -> None:
        """What is read was written before, in this iteration or an earlier one."""
        space, read, conditions, outside = self._instances(load)
        element = space.element(load, read)
        supplies = self._supplies(space, read, outside, None)
        found = space.uncovered(read, element, supplies, conditions)
        if found is not None:
            raise self._lost(load, space, read, found, "is not written by then")

    def _require_kept(self, load: LoadOp, store: StoreOp) -> None:
        """What is read was not overwritten by another element in its place."""
        rolling = self.rolling
        space, read, conditions, outside = self._instances(load)
        element = space.element(load, read)
        names = [f"e{n}" for n in range(len(element))]
        other = space.instance(store, outside)
        taken = space.element(store, other)
        same = [
            f"(({x}) - ({y})) mod {rolling.length} = 0 and ({x}) != ({y})"
            if n == rolling.axis
            else f"{x} = {y}"
            for n, (x, y) in enumerate(zip(element, taken, strict=True))
        ]
        found = space.find(
            [read, other],
            [
                *(f"{x} = {y}" for x, y in zip(names, element, strict=True)),
                *conditions,
                *same,
                space.may_precede(other, read),
                rolling.is_new(space, other),
            ],
            names,
            self._supplies(space, read, outside, other),
        )
        if found is not None:
            raise self._lost(load, space, read, found, "is overwritten by then")

    def _lost(
        self, load: LoadOp, space: Space, read: Instance, found: Witness, what: str
    ) -> Exception:
        reader = self.rolling.made.unit(load)
        if found.undecided is None:
            where = f"{describe(reader)}{read.at(found)}"
            why = f"{where} reads {witness_text(space, found)}, which {what}"
        else:
            why = found.undecided
        return self.site.refuse(
            "KC3492",
            f"rolling_buffer: {describe(reader)} "
            + ("may not find" if found.undecided else "does not find")
            + f" all that it reads in {self.rolling.length} elements of {self.name}",
            at=reader,
            mark={self.rolling.loop: "rolls here", reader: f"reads {self.name}"},
            why=why,
        )

    def _require_unchanged(self, load: LoadOp, store: StoreOp) -> None:
        """What the block would have read now is what it read when it computed the element."""
        rolling = self.rolling
        space = Space()
        now = space.instance(load)
        outside: dict[ForOp, str] = {}
        for loop, dim in now.loops.items():
            if loop is rolling.loop:
                break
            outside[loop] = dim
        then = space.instance(rolling.made.store, outside)
        write = space.instance(store, outside)
        made = rolling.made.store
        pairs = [
            *zip(space.element(made, now), space.element(made, then), strict=True),
            *zip(space.element(load, now), space.element(store, write), strict=True),
        ]
        found = space.find(
            [now, then, write],
            [
                *(f"{x} = {y}" for x, y in pairs),
                rolling.is_there(space, now),
                rolling.is_new(space, then),
                space.may_precede(then, write),
                space.may_precede(write, now),
            ],
        )
        if found is not None:
            other, read = rolling.made.unit(store), buffer_name(load.buffer)
            raise self.site.refuse(
                "KC3493",
                f"rolling_buffer: {read}, which block {self.block.label} reads, "
                + ("may be" if found.undecided else "is")
                + f" written by {describe(other)} in loop {rolling.loop.label}",
                at=self.block,
                mark={self.block: f"reads {read}", other: f"writes {read}"},
                why=found.undecided
                or f"{describe(other)} writes{write.at(found)}, after the element was computed"
                f"{then.at(found)}, and before it would be again{now.at(found)}",
            )
