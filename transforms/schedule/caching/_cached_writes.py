"""Writes to a new buffer that is copied back afterwards: no other access may be affected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Instance, Space, Supply, Witness, touched
from kc.analysis.accesses.regions import scope_of, unit_of
from kc.analysis.affine.terms import Condition, Term, equal, number
from kc.analysis.loop_tree import buffer_name
from kc.analysis.trust import Undecided
from kc.dialects.tir import BlockOp, ForOp, IterType, LoadOp, StoreOp, ViewOp
from kc.dialects.tir.threads import is_shared
from kc.support.diagnostics import ScheduleError
from kc.transforms.schedule._blocks import describe, witness_text
from kc.transforms.schedule._buffers import uses_of_parts
from kc.transforms.schedule._copies import (
    Part,
    child_at,
    is_joint,
    loops_shared,
    part_of,
    same_element,
)
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.caching._caching import Caching, Place
from kc.transforms.schedule.threads._thread_grid import copy_in_grid


@dataclass(frozen=True)
class OtherAccess:
    """An access that still uses the old buffer: ``op``, with the accessed element or view."""

    op: Operation
    part: LoadOp | StoreOp | ViewOp
    reads: bool
    writes: bool


@dataclass
class CachedWrites:
    """The writes of ``block`` to ``buffer``, and the reads of ``consumers`` from the new buffer."""

    site: Site
    block: BlockOp
    buffer: SSAValue
    scope: str
    """The memory scope of the new buffer."""
    consumers: Sequence[Operation] = ()
    _redirected: list[LoadOp | StoreOp] = field(init=False, default_factory=list)
    _part: Part | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        accesses = [
            use.operation for use in self.buffer.uses if isinstance(use.operation, LoadOp | StoreOp)
        ]
        self.own = [access for access in accesses if loop_tree.is_inside(access, self.block)]
        self.stores = [access for access in self.own if isinstance(access, StoreOp)]
        self.taken = [
            access
            for access in accesses
            if isinstance(access, LoadOp)
            and access not in self.own
            and any(loop_tree.is_inside(access, consumer) for consumer in self.consumers)
        ]
        self.other_accesses = [
            OtherAccess(access, access, isinstance(access, LoadOp), isinstance(access, StoreOp))
            for access in accesses
            if access not in self.own and access not in self.taken
        ]
        self.other_accesses += [
            OtherAccess(use.user, use.view, use.reads, use.writes)
            for use in uses_of_parts(self.site, self.block, self.buffer)
        ]

    def caching(self, place: Place) -> Caching:
        """The cache at ``place``, after :meth:`objection` has returned None for it."""
        part = self._part
        assert part is not None
        return Caching(self.block, self.buffer, self._redirected, place.anchor, flush=part)

    def copied(self, place: Place) -> Part:
        """The part that is copied at ``place``."""
        return part_of(self.site, self.stores, place.level)

    def objection(self, place: Place) -> ScheduleError | None:
        """The refusal of an access that would get another value or be lost; None if the place is
        legal.
        """
        self._part = self.copied(place)
        self._redirected = [*self.stores]
        return (
            self.lost_if_empty(place)
            or self.seen_by_others(place)
            or self._mixes_reads(place)
            or self._overwritten(place)
            or self._not_all_written(place, self._part)
            or self.exchanged(place, self._part)
            or self.in_grid(place)
        )

    def lost_if_empty(self, place: Place) -> ScheduleError | None:
        """The refusal of a copy in a reduction loop that does not run for an empty reduction; None
        for other copies.
        """
        block = self.block
        empty = [
            name
            for kind, name, extent in block.iters
            if kind is IterType.REDUCE and (not isinstance(extent, int) or extent == 0)
        ]
        if not block.has_init or not empty:
            return None
        for loop in loop_tree.loops_around(place.anchor):
            if IterType.REDUCE in loop_tree.iter_types(loop, block):
                return self.site.refuse(
                    "KC3619",
                    f"the reduction of block {block.label} over {empty[0]} may be empty",
                    at=block,
                    mark={loop: "then does not run", block: "then its initial value"},
                    why="the initial value is stored where the reduction begins, and a copy in "
                    f"{loop.label} would be skipped",
                )
        return None

    def seen_by_others(self, place: Place) -> ScheduleError | None:
        """The refusal of another access to a written element before the element is copied; None if
        there is no such access.
        """
        name = buffer_name(self.buffer)
        for unmoved in self.other_accesses:
            use = unmoved.op
            if child_at(place.level, use) is not place.anchor:
                continue
            for store in self.stores:
                space = Space(within=place.anchor)
                write = space.instance(store)
                access = space.instance(use, loops_shared(place.level, write, self.buffer))
                same = same_element(space, store, write, unmoved.part, access)
                witness = space.find([write, access], [*same, space.may_precede(write, access)])
                if witness is None:
                    continue
                unit = unit_of(use, scope_of(self.block))
                verb = "writes" if unmoved.writes else "reads"
                return self.site.refuse(
                    "KC3307",
                    f"{describe(unit)} {verb} {name} before it would be copied",
                    at=unit,
                    mark={self.block: f"writes {name}", unit: f"{verb} {name}"},
                    why=witness.undecided
                    or f"{describe(unit)}{access.at(witness)} {verb} what "
                    f"{describe(self.block)}{write.at(witness)} writes",
                )
        return None

    def _mixes_reads(self, place: Place) -> ScheduleError | None:
        """The refusal of a read of the block that returns the block's own writes only in some
        instances; None if there is no such read.

        Reads that always return them use the new buffer, like the writes. The reads of the
        consumers must be of this kind.
        """
        for load in [access for access in [*self.own, *self.taken] if isinstance(access, LoadOp)]:
            above = child_at(place.level, load)
            if above is None or (
                above is not place.anchor and above.is_before_in_block(place.anchor)
            ):
                return self._not_written(load, f"it comes before block {self.block.label}")
            space = Space(within=place.anchor)
            read = space.instance(load)
            element = space.element(load, read)
            own = loops_shared(place.level, read)
            writes = [space.instance(store, own) for store in self.stores]
            supplies = [
                Supply(write, space.element(store, write), [space.before(write, read)])
                for store, write in zip(self.stores, writes, strict=True)
            ]
            old = space.uncovered(read, element, supplies, space.in_bounds(load, element, read))
            if old is None:
                self._redirected.append(load)
            elif load in self.taken:
                where = f"element {witness_text(space, old)} is not yet in the new buffer"
                return self._not_written(load, old.undecided or where)
            elif any(self._precedes(space, store, load, read, place) for store in self.stores):
                return self._reads_both(space, old)
        return None

    def _precedes(
        self, space: Space, store: StoreOp, load: LoadOp, read: Instance, place: Place
    ) -> bool:
        """True if a thread may store the element at ``place`` before the read."""
        write = space.instance(store, loops_shared(place.level, read, self.buffer))
        same = same_element(space, load, read, store, write)
        return space.find([read, write], [*same, space.may_precede(write, read)]) is not None

    def _reads_both(self, space: Space, old: Witness) -> ScheduleError:
        name, label = buffer_name(self.buffer), self.block.label
        hints: list[str] = []
        if self.block.is_reduction and not self.block.has_init:
            primitive = self.site.primitive
            hints.append(
                f"{primitive} before decompose_reduction: the init then belongs to the block"
            )
        return self.site.refuse(
            "KC3308",
            f"block {label} reads both old and its own new elements of {name}",
            at=self.block,
            why=old.undecided
            or f"it reads element {witness_text(space, old)} before writing it, and others after",
            hints=hints,
        )

    def _not_written(self, load: LoadOp, why: str | Undecided) -> ScheduleError:
        reader = unit_of(load, scope_of(self.block))
        name = buffer_name(self.buffer)
        return self.site.refuse(
            "KC3600",
            f"{describe(reader)} reads elements of {name} that block "
            f"{self.block.label} "
            + ("may not have written" if isinstance(why, Undecided) else "has not written"),
            at=reader,
            mark={self.block: f"writes {name}", reader: f"reads {name}"},
            why=why,
        )

    def _overwritten(self, place: Place) -> ScheduleError | None:
        """The refusal of another write to an element between the block and a consumer; None if
        there is no such write.
        """
        name = buffer_name(self.buffer)
        for load in self.taken:
            for unmoved in [access for access in self.other_accesses if access.writes]:
                other_store = unmoved.op
                if child_at(place.level, other_store) is None:
                    continue
                space = Space()
                read = space.instance(load)
                element = space.element(load, read)
                own = loops_shared(place.level, read)
                write = space.instance(other_store, loops_shared(place.level, read, self.buffer))
                later = [
                    Supply(
                        own_write,
                        space.element(store, own_write),
                        [space.before(write, own_write), space.before(own_write, read)],
                    )
                    for store in self.stores
                    for own_write in [space.instance(store, own)]
                ]
                names = touched(len(element))
                same = equal(names, element)
                same += same_element(space, load, read, unmoved.part, write)
                same.append(space.may_precede(write, read))
                witness = space.find([read, write], same, names, later)
                if witness is None:
                    continue
                scope = scope_of(self.block)
                reader, writer = unit_of(load, scope), unit_of(other_store, scope)
                return self.site.refuse(
                    "KC3600",
                    f"{describe(reader)} "
                    + ("may read" if witness.undecided else "reads")
                    + f" elements of {name} that {describe(writer)} has written",
                    at=reader,
                    mark={writer: f"writes {name}", reader: f"reads {name}"},
                    why=witness.undecided
                    or f"{describe(writer)}{write.at(witness)} writes the element that is "
                    f"read{read.at(witness)}, which the new buffer does not contain",
                )
        return None

    def _not_all_written(self, place: Place, part: Part) -> ScheduleError | None:
        """The refusal of an element in the copied part that is not written; None if all are
        written.
        """
        space = Space()
        copy = space.place(place.anchor)
        element = part.enter(self.site, space, copy)
        supplies: list[Supply] = []
        for store in self.stores:
            if _updates_nothing(store):
                continue
            shared = loops_shared(place.level, copy)
            write = _start(space, self.block, store, shared) or space.instance(store, shared)
            supplies.append(Supply(write, space.element(store, write)))
        witness = space.uncovered(copy, element, supplies, self._not_empty(place, space, copy))
        if witness is None:
            return None
        name = buffer_name(self.buffer)
        return self.site.refuse(
            "KC3306",
            f"block {self.block.label} "
            + ("may not write" if witness.undecided else "does not write")
            + f" all of {name} that would be copied",
            at=self.block,
            why=witness.undecided
            or f"element {witness_text(space, witness)} is in the bounding box of its writes, but "
            "is not written",
        )

    def in_grid(self, place: Place) -> ScheduleError | None:
        """The refusal of a copy back that all thread blocks would execute; None if they would
        not.
        """
        name = buffer_name(self.buffer)
        what, target = f"the copy of {name}", (name, loop_tree.memory_scope(self.buffer))
        return copy_in_grid(self.site, self.block, place.anchor, what, target, self.stores)

    def exchanged(self, place: Place, part: Part) -> ScheduleError | None:
        """The refusal of an element that one thread writes and another thread reads, or copies back
        with ``part``, if each of them would have a separate buffer. None if there is no such
        element.
        """
        loops = [
            loop
            for loop in loop_tree.all_loops_around(place.anchor)
            if is_joint(loop, self.buffer) and not is_shared(self.scope, loop.axis)
        ]
        loads = [access for access in [*self.own, *self.taken] if isinstance(access, LoadOp)]
        for loop in loops:
            for store in self.stores:
                for load in [*loads, None]:
                    refusal = self._exchange(place, loop, store, load or part)
                    if refusal is not None:
                        return refusal
        return None

    def _exchange(
        self, place: Place, loop: ForOp, store: StoreOp, use: LoadOp | Part
    ) -> ScheduleError | None:
        space = Space()
        if isinstance(use, Part):
            user = space.place(place.anchor)
            element = use.enter(self.site, space, user)
        else:
            user = space.instance(use)
            element = space.element(use, user)
        write = space.instance(store, loops_shared(place.level, user, self.buffer))
        names = touched(len(element))
        written = space.element(store, write)
        reader, writer = user.loops[loop], write.loops[loop]
        conditions = [
            *equal(names, element),
            *equal(names, written),
            reader.differs(writer),
        ]
        if not isinstance(use, Part):
            conditions.append(space.may_precede(write, user))
        # An exception is a thread that has itself written the same value at that time.
        own = space.instance(store, {**write.loops, **loops_shared(place.level, user)})
        alike = [] if self._is_combined(place) else [Supply(own, space.element(store, own))]
        witness = space.find([user, write], conditions, names, alike)
        if witness is None:
            return None
        name, axis = buffer_name(self.buffer), str(loop.axis)
        block, verb, verbs = self.block, "copy back", "copies back"
        title = f"each thread would copy back values that others write to {name}"
        if not isinstance(use, Part):
            block, verb, verbs = unit_of(use, scope_of(self.block)), "read", "reads"
            title = f"{describe(block)} reads a value that another thread writes to {name}"
        return self.site.refuse(
            "KC3408",
            f"{title}",
            at=block,
            mark={loop: axis, block: "here"},
            why=Undecided(
                f"threads cannot be proven not to {verb} values of others: {witness.undecided}"
            )
            if witness.undecided
            else f"{axis} {witness[reader]} {verbs} {name}{witness_text(space, witness)}, which "
            f"{axis} {witness[writer]} writes; threads of {axis} do not share {self.scope} memory",
            hints=["scope=shared: one copy for all threads of a block"],
        )

    def _is_combined(self, place: Place) -> bool:
        """True if threads combine their values in the block."""
        return any(
            is_joint(loop, self.buffer)
            and IterType.REDUCE in loop_tree.iter_types(loop, self.block)
            for loop in loop_tree.all_loops_around(place.anchor)
        )

    def _not_empty(self, place: Place, space: Space, copy: Instance) -> Sequence[Condition]:
        """The conditions that reductions have terms, if initial values of empty reductions are also
        stored.
        """
        if not self.block.has_init or loop_tree.loops_around(place.anchor):
            return ()
        return [
            space.size(extent, copy) >= 1
            for kind, _, extent in self.block.iters
            if kind is IterType.REDUCE
        ]


def _updates_nothing(store: StoreOp) -> bool:
    """True if a store is a step of an empty reduction. :class:`Space` counts one step there, since
    the initial value is stored.
    """
    child, parent = store, store.parent_op()
    while parent is not None:
        if isinstance(parent, BlockOp) and child.parent_region() is parent.body:
            pairs = zip(parent.types, parent.extents, strict=True)
            if any(kind is IterType.REDUCE and extent == 0 for kind, extent in pairs):
                return True
        child, parent = parent, parent.parent_op()
    return False


def _start(
    space: Space, block: BlockOp, store: StoreOp, shared: Mapping[ForOp, Term]
) -> Instance | None:
    """The instance of a ``store`` in the init of ``block`` at the start of an element's reduction.

    It precedes the reduction's loops, and runs once whatever their trip counts. None if the loops
    also drive other variables.
    """
    if store.parent_region() is not block.init or block.predicate.data.constraints:
        return None
    top: Operation = block
    while isinstance(top.parent_op(), ForOp) and loop_tree.only_child(top.parent_op()) is top:  # pyright: ignore[reportArgumentType]
        loop = top.parent_op()
        assert isinstance(loop, ForOp)
        if loop in shared or loop_tree.iter_types(loop, block) != {IterType.REDUCE}:
            break
        top = loop
    if top is block:
        return None
    start = space.place(top, shared)
    bindings = zip(block.types, block.binding_exprs, block.init.block.args, strict=True)
    for kind, expr, arg in bindings:
        if kind is IterType.REDUCE:
            if not isinstance(expr, AffineDimExpr):
                return None  # the binding may never be 0
            start.values[arg] = number(0)
        else:
            start.values[arg] = space.expr(expr, block.binding_operands, start)
    return start
