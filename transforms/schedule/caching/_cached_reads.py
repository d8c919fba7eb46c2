"""Reads from an earlier copy: the buffer must keep its values until the reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.ir import Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Instance, Space, Supply, Witness
from kc.analysis.accesses.regions import in_order, loads_of, scope_of, stores_to, unit_of
from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import BlockOp, IterType, LoadOp, StoreOp, ViewOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.schedule._blocks import describe
from kc.transforms.schedule._buffers import uses_of_parts
from kc.transforms.schedule._copies import (
    Part,
    child_at,
    loops_shared,
    part_of,
    same_element,
)
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.caching._caching import (
    Caching,
    Place,
    other_thread,
    undefined_copy,
)
from kc.transforms.schedule.threads._thread_grid import copy_in_grid


def all_readers(block: BlockOp, buffer: SSAValue) -> list[Operation]:
    """``block`` and the other operations of its scope that read ``buffer`` but do not write it, in
    order.
    """
    scope = scope_of(block)
    units = in_order(scope, [unit_of(load, scope) for load in loads_of(buffer)])
    writers = {unit_of(write, scope) for write in (*stores_to(buffer), *_calls_with(buffer))}
    return [unit for unit in units if unit is block or unit not in writers]


def _calls_with(buffer: SSAValue) -> list[Operation]:
    """The operations that use views of ``buffer``."""
    views = [use.operation for use in buffer.uses if isinstance(use.operation, ViewOp)]
    return [use.operation for view in views for use in view.result.uses]


def loads_in(buffer: SSAValue, readers: Sequence[Operation]) -> list[LoadOp]:
    """The loads of ``buffer`` in ``readers``."""
    roots = set(readers)
    return [load for load in loads_of(buffer) if not roots.isdisjoint(loop_tree.path_to(load))]


def _initialised_by(load: LoadOp) -> BlockOp | None:
    """The reduction whose init contains ``load``; None if ``load`` is in no init."""
    region, parent = load.parent_region(), load.parent_op()
    while parent is not None:
        if isinstance(parent, BlockOp) and parent.has_init and region is parent.init:
            return parent
        region, parent = parent.parent_region(), parent.parent_op()
    return None


@dataclass
class CachedReads:
    """The reads of ``buffer`` in ``readers``; the user named ``block``, a reader."""

    site: Site
    block: BlockOp
    buffer: SSAValue
    scope: str
    """The memory scope of the copy."""
    readers: Sequence[Operation]

    def __post_init__(self) -> None:
        self.loads = loads_in(self.buffer, self.readers)

    @cached_property
    def writes(self) -> list[tuple[Operation, StoreOp | ViewOp]]:
        """The stores and calls that write the buffer, each with the written element or view."""
        parts = [
            (use.user, use.view)
            for use in uses_of_parts(self.site, self.block, self.buffer)
            if use.writes
        ]
        return [*((store, store) for store in stores_to(self.buffer)), *parts]

    def caching(self, place: Place) -> Caching:
        """The cache at ``place``."""
        fill = self.copied(place)
        return Caching(self.block, self.buffer, self.loads, place.anchor, fill=fill)

    def copied(self, place: Place) -> Part:
        """The part that is copied at ``place``."""
        return part_of(self.site, self.loads, place.level)

    def objection(self, place: Place) -> ScheduleError | None:
        """The refusal of an element that changes between the copy and the read; None if the place
        is legal.
        """
        return (
            self._changed(place)
            or self._missed_if_empty(place)
            or self._race(place)
            or self._in_grid(place)
            or undefined_copy(self.site, self.block, place, self.copied(place), self.scope)
        )

    def _in_grid(self, place: Place) -> ScheduleError | None:
        """The refusal of a copy that all thread blocks would execute; None if they would not."""
        what, target = f"the copy of {buffer_name(self.buffer)}", ("it", self.scope)
        writes = [write for write, _ in self.writes]
        return copy_in_grid(self.site, self.block, place.anchor, what, target, writes)

    def _changed(self, place: Place) -> ScheduleError | None:
        """The refusal of a write, in one execution of the level, between the copy and a read; None
        if there is no such write.
        """
        level, anchor = place.level, place.anchor
        for store, part in self.writes:
            child = child_at(level, store)
            if child is None or (child is not anchor and child.is_before_in_block(anchor)):
                continue
            for load in self.loads:
                space = Space(within=anchor)
                read = space.instance(load)
                write = space.instance(store, loops_shared(level, read, self.buffer))
                same = same_element(space, load, read, part, write)
                witness = space.find([read, write], [*same, space.may_precede(write, read)])
                if witness is not None:
                    return self._refuse(
                        load, store, witness, write, f"what is read{read.at(witness)}"
                    )
        return None

    def _missed_if_empty(self, place: Place) -> ScheduleError | None:
        """The refusal of a copy in a reduction loop whose init reads the copy: the init also runs
        for an empty reduction, but the loop does not. None for other copies.
        """
        for load in self.loads:
            block = _initialised_by(load)
            if block is None or not any(
                IterType.REDUCE in loop_tree.iter_types(loop, block)
                for loop in loop_tree.all_loops_around(place.anchor)
            ):
                continue
            space = Space()
            read = space.instance(load)
            shared = {loop: read.loops[loop] for loop in loop_tree.all_loops_around(place.anchor)}
            copy = space.place(place.anchor, shared)
            witness = space.uncovered(read, [], [Supply(copy, [])])
            if witness is not None:
                loop = place.anchor.parent_op()
                assert loop is not None
                name = buffer_name(self.buffer)
                return self.site.refuse(
                    "KC3619",
                    f"the reduction of block {block.label} may be empty",
                    at=block,
                    mark={loop: "then does not run", block: f"then still reads {name}"},
                    why=witness.undecided
                    or f"the initial value is computed from {name}, and a copy in {describe(loop)} "
                    "would be skipped",
                )
        return None

    def _race(self, place: Place) -> ScheduleError | None:
        """The refusal of a write by another thread to a copied element, whether read or not; None
        if no thread writes one.
        """
        race = other_thread(self.site, place, self.copied(place), self.writes)
        if race is None:
            return None
        store, write, witness = race
        return self._refuse(self.loads[0], store, witness, write, "what another thread copies")

    def _refuse(
        self, load: LoadOp, store: Operation, witness: Witness, write: Instance, what: str
    ) -> ScheduleError:
        scope = scope_of(self.block)
        reader, writer = unit_of(load, scope), unit_of(store, scope)
        name = buffer_name(self.buffer)
        return self.site.refuse(
            "KC3305",
            f"{name} "
            + ("may change" if witness.undecided else "changes")
            + f" between the copy and what {describe(reader)} reads",
            at=reader,
            mark={writer: f"writes {name}", reader: f"reads {name}"},
            why=witness.undecided or f"{describe(writer)}{write.at(witness)} writes {what}",
        )
