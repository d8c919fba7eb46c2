"""Updates of a copy that is made before and written back: whether anything notices."""

from __future__ import annotations

from xdsl.ir import SSAValue

from kc.analysis.instances import Instance, Space, Witness
from kc.analysis.loop_tree import buffer_name
from kc.analysis.regions import scope_of, unit_of
from kc.analysis.terms import equal
from kc.dialects.tir import BlockOp, LoadOp, StoreOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.schedule._blocks import describe
from kc.transforms.schedule._copies import Part, child_at, loops_shared, part_of
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.caching._cached_writes import CachedWrites
from kc.transforms.schedule.caching._caching import Caching, Place, other_thread, outermost_place


def plan_update(site: Site, block: BlockOp, buffer: SSAValue, scope: str) -> Caching:
    """The cache in ``scope`` in which ``block`` updates ``buffer``; refuses (KC3307, KC3310,
    KC3408)."""
    updates = _Updates(site, block, buffer, scope)
    place = outermost_place(site, "cache_inplace", block, buffer, [block], updates.objection)
    fill, flush = updates.parts(place)
    return Caching(block, buffer, updates.own, place.anchor, fill, flush)


class _Updates:
    """The accesses of one block to one buffer."""

    def __init__(self, site: Site, block: BlockOp, buffer: SSAValue, scope: str) -> None:
        self.site = site
        self.block = block
        self.buffer = buffer
        self.writes = CachedWrites(site, "cache_inplace", block, buffer, scope)
        self.own = self.writes.own

    def parts(self, place: Place) -> tuple[Part, Part]:
        """What is copied at ``place``, and what is written back."""
        fill = part_of(self.site, self.own, place.level)
        return fill, part_of(self.site, self.writes.stores, place.level)

    def objection(self, place: Place) -> ScheduleError | None:
        """What would see old values, or be overwritten by them."""
        fill, flush = self.parts(place)
        everything = [*self.own, *self.writes.others]
        stores = [one for one in everything if isinstance(one, StoreOp)]
        loads = [one for one in everything if isinstance(one, LoadOp)]
        return (
            self.writes.seen_by_others(place)
            or self._overwritten(place, fill)
            or self._race(place, fill, stores)
            or self._race(place, flush, loads)
            or self.writes.exchanged(place, flush)
            or self.writes.in_grid(place)
        )

    def _overwritten(self, place: Place, fill: Part) -> ScheduleError | None:
        """A write of something else to what was copied, before it is written back."""
        for other in self.writes.others:
            if not isinstance(other, StoreOp) or child_at(place.level, other) is not place.anchor:
                continue
            space = Space()
            copy = space.place(place.anchor)
            element = fill.enter(self.site, space, copy)
            write = space.instance(other, loops_shared(place.level, copy, self.buffer))
            found = space.find([copy, write], equal(element, space.element(other, write)))
            if found is not None:
                return self._refuse(other, write, found, "what was copied")
        return None

    def _race(
        self, place: Place, part: Part, accesses: list[LoadOp] | list[StoreOp]
    ) -> ScheduleError | None:
        """Another thread that writes what is copied, or reads what is written back."""
        found = other_thread(self.site, place, part, accesses)
        if found is None:
            return None
        other, made, witness = found
        return self._refuse(other, made, witness, "what another thread has copied")

    def _refuse(
        self, other: LoadOp | StoreOp, made: Instance, found: Witness, what: str
    ) -> ScheduleError:
        unit = unit_of(other, scope_of(self.block))
        name = buffer_name(self.buffer)
        verb = "reads" if isinstance(other, LoadOp) else "writes"
        mark = {unit: f"{verb} {name}", self.block: f"updates {name}"}
        return self.site.refuse(
            "KC3307",
            f"cache_inplace: {describe(unit)} {verb} {name} before it would be copied back",
            at=unit,
            mark=mark,
            why=found.undecided or f"{describe(unit)}{made.at(found)} {verb} {what}",
        )
