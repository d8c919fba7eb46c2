"""Updates of a copy that is filled before and written back after: no other access may be
affected.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from kc.analysis.accesses.instances import Instance, Space, Witness
from kc.analysis.accesses.regions import scope_of, unit_of
from kc.analysis.affine.terms import equal
from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import BlockOp, LoadOp, StoreOp, ViewOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.schedule._blocks import describe
from kc.transforms.schedule._copies import Part, child_at, loops_shared, part_of
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.caching._cached_writes import CachedWrites
from kc.transforms.schedule.caching._caching import (
    Caching,
    Place,
    other_thread,
    outermost_place,
    undefined_copy,
)

_Accesses = list[tuple[Operation, LoadOp | StoreOp | ViewOp]]


def plan_update(site: Site, block: BlockOp, buffer: SSAValue, scope: str) -> Caching:
    """The cache in ``scope`` in which ``block`` updates ``buffer``. Refuses KC3307, KC3310 and
    KC3408.
    """
    updates = _Updates(site, block, buffer, scope)
    place = outermost_place(site, block, buffer, [block], updates.objection)
    fill, flush = updates.parts(place)
    return Caching(block, buffer, updates.own, place.anchor, fill, flush)


class _Updates:
    """The accesses of a block to a buffer."""

    def __init__(self, site: Site, block: BlockOp, buffer: SSAValue, scope: str) -> None:
        self.site = site
        self.block = block
        self.buffer = buffer
        self.writes = CachedWrites(site, block, buffer, scope)
        self.own = self.writes.own

    def parts(self, place: Place) -> tuple[Part, Part]:
        """The part that is copied at ``place``, and the part that is written back."""
        fill = part_of(self.site, self.own, place.level)
        return fill, part_of(self.site, self.writes.stores, place.level)

    def objection(self, place: Place) -> ScheduleError | None:
        """The refusal of an access that would see old values or be overwritten by them; None if the
        place is legal.
        """
        fill, flush = self.parts(place)
        unmoved_accesses = self.writes.other_accesses
        stores: _Accesses = [(own, own) for own in self.own if isinstance(own, StoreOp)]
        stores += [(unmoved.op, unmoved.part) for unmoved in unmoved_accesses if unmoved.writes]
        loads: _Accesses = [(own, own) for own in self.own if isinstance(own, LoadOp)]
        loads += [(unmoved.op, unmoved.part) for unmoved in unmoved_accesses if unmoved.reads]
        return (
            self.writes.lost_if_empty(place)
            or self.writes.seen_by_others(place)
            or self._overwritten(place, fill)
            or self._race(place, fill, stores)
            or self._race(place, flush, loads)
            or self.writes.exchanged(place, flush)
            or self.writes.in_grid(place)
            or undefined_copy(self.site, self.block, place, fill, self.writes.scope)
        )

    def _overwritten(self, place: Place, fill: Part) -> ScheduleError | None:
        """The refusal of another write to a copied element before the element is written back; None
        if there is no such write.
        """
        for unmoved in self.writes.other_accesses:
            store = unmoved.op
            if not unmoved.writes or child_at(place.level, store) is not place.anchor:
                continue
            space = Space()
            copy = space.place(place.anchor)
            element = fill.enter(self.site, space, copy)
            write = space.instance(store, loops_shared(place.level, copy, self.buffer))
            same = equal(element, space.element(unmoved.part, write))
            witness = space.find([copy, write], same)
            if witness is not None:
                return self._refuse(store, write, witness, "a copied element")
        return None

    def _race(self, place: Place, part: Part, accesses: _Accesses) -> ScheduleError | None:
        """The refusal of another thread's write to a copied element, or of its read of an element
        that is written back; None if there is no such access.
        """
        race = other_thread(self.site, place, part, accesses)
        if race is None:
            return None
        access, instance, witness = race
        return self._refuse(access, instance, witness, "an element that another thread has copied")

    def _refuse(
        self,
        access: Operation,
        instance: Instance,
        witness: Witness,
        what: str,
    ) -> ScheduleError:
        unit = unit_of(access, scope_of(self.block))
        name = buffer_name(self.buffer)
        verb = {LoadOp: "reads", StoreOp: "writes"}.get(type(access), "uses")
        mark = {unit: f"{verb} {name}", self.block: f"updates {name}"}
        return self.site.refuse(
            "KC3307",
            f"{describe(unit)} {verb} {name} before it would be copied back",
            at=unit,
            mark=mark,
            why=witness.undecided or f"{describe(unit)}{instance.at(witness)} {verb} {what}",
        )
