"""The base of ``parallel`` and ``vectorize``: a loop gets a kind whose iterations run
concurrently.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from kc.analysis import loop_tree
from kc.dialects.tir import ForKind, ForOp
from kc.support.diagnostics import warn
from kc.transforms.schedule.base import CALL_SITE, LoopRef, Primitive, Rewritten, Site
from kc.transforms.schedule.loops._loop_kinds import require_replaceable, set_kind
from kc.transforms.schedule.threads._binding import require_rebinding


@dataclass(frozen=True)
class ConcurrentLoop(Primitive):
    """A primitive that makes the iterations of a loop run concurrently."""

    within_nest: ClassVar[bool] = True
    kind: ClassVar[ForKind]
    """The kind that the loop gets."""
    unit_warning: ClassVar[tuple[str, str]]
    """The code of the warning of a loop of one iteration, and its reason."""

    loop: LoopRef = field(metadata={"help": "the loop"})

    def check(self, site: Site) -> ForOp:
        loop = site.resolve_loop(self.loop)
        if loop.kind.data is self.kind:
            return loop
        if loop.axis is not None:
            require_rebinding(site, loop, None)
        if loop.kind.data is not ForKind.SERIAL:
            require_replaceable(site, loop, lambda copy, twin: replace(self, loop=twin).check(copy))
        else:
            self.check_serial(site, loop)
        return loop

    @abstractmethod
    def check_serial(self, site: Site, loop: ForOp) -> None:
        """Refuse a serial loop that cannot get the kind."""

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            yield cls(LoopRef(loop))

    @classmethod
    def unscheduled_loops(cls, site: Site) -> Iterator[list[ForOp]]:
        """The spatial loops of each block that has spatial loops and is in no loop of the kind."""
        for block in loop_tree.blocks(site.function):
            around = loop_tree.loops_around(block)
            if any(loop.kind.data is cls.kind for loop in around):
                continue
            loops = loop_tree.spatial_loops(block)
            if loops:
                yield loops

    def rewrite(self, site: Site, plan: ForOp) -> Rewritten:
        if plan.static_extent == 1:
            code, why = self.unit_warning
            warn(
                code,
                f"{self.name}: loop {plan.label} has one iteration",
                location=CALL_SITE.get(),
                why=why,
            )
        return set_kind(plan, self.kind)
