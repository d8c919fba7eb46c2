"""fuse-loops: two adjacent loops become one; the second loop is delayed as far as necessary.

Before, ``fuse-loops loops=i,j``::

    tir.for %i in 16 {
      tir.block "B" (spatial %v_i in 16 = %i) do { ... }
    tir.for %j in 15 {
      tir.block "C" (spatial %v_j in 15 = %j) do { ... B[%v_j + 1] ... }

After::

    tir.for %i_m in 16 {
      tir.block "B" (spatial %v_i in 16 = %i_m) do { ... }
      tir.block "C" (spatial %v_j in 15 = %i_m - 1) where (%i_m >= 1) do { ... }

The delay is the smallest one that completes all dependences of each iteration of the second loop.
The shorter loop gets empty iterations (``shift``); then the two are merged (``merge``).

*Legal when* the shifts and the merge are legal (see ``shift`` and ``merge``); everything is tried
on a copy first, so that a refusal changes nothing. KC3450: two loops are named. KC3498: a constant
delay suffices.

Polyhedral compilers: loop fusion with shifting (Darte and Huard 2000). MLIR:
``affine-loop-fusion``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from kc.analysis import loop_tree
from kc.analysis.accesses.directions import latest_need
from kc.analysis.trust import Undecided
from kc.dialects.tir import ForOp
from kc.support.registry import pass_class
from kc.transforms.schedule.base import Gives, LoopRef, Primitive, Rewritten, Site, on_copy


@dataclass(frozen=True)
class Plan:
    """The loops, and the delay of the second loop in iterations."""

    first: ForOp
    second: ForOp
    delay: int


@dataclass(frozen=True)
class FuseLoops(Primitive):
    """Fuse two adjacent loops, with the second loop delayed as far as necessary."""

    name: ClassVar[str] = "fuse-loops"
    verb = "was fused into"
    gives: ClassVar[Gives] = "loop"

    loops: tuple[LoopRef, ...] = field(
        default=(), metadata={"help": "the two loops, in order", "python": ("first", "second")}
    )

    def check(self, site: Site) -> Plan:
        loops = [site.resolve_loop(ref) for ref in self.loops]
        if len(loops) != 2:
            raise site.refuse(
                "KC3450",
                "1 loop to fuse" if len(loops) == 1 else f"{len(loops)} loops to fuse",
                at=loops[0] if loops else site.function,
                why="fuse-loops fuses exactly two adjacent loops",
                hints=["loops=i,j"],
            )
        first, second = loops
        are_neighbours = first is not second and first.parent is second.parent
        if are_neighbours and second.is_before_in_block(first):
            first, second = second, first
        # otherwise merge reports the rule
        need = latest_need(first, second) if are_neighbours else 0
        if isinstance(need, Undecided):
            raise site.refuse(
                "KC3498",
                f"the number of iterations by which {second.label} must be delayed is unknown",
                at=first,
                mark={first: "to be fused", second: "to be fused"},
                beside=[second],
                why=need,
            )
        plan = Plan(first, second, max(need or 0, 0))
        on_copy(site, lambda copy, twin: self._run(copy, twin(first), twin(second), plan.delay))
        return plan

    def _run(self, site: Site, first: ForOp, second: ForOp, delay: int) -> Rewritten:
        lengths = first.static_extent, second.static_extent
        more = [0, 0]
        if lengths[0] is not None and lengths[1] is not None:
            length = max(lengths[0], lengths[1] + delay)
            more = [length - lengths[0], length - lengths[1] - delay]
        else:
            more[0] = delay  # the sizes are equal, as merge requires
        shift = pass_class("shift")
        parts: list[ForOp] = []
        for loop, by, after in ((first, 0, more[0]), (second, delay, more[1])):
            step = shift(LoopRef(loop), by, after)
            parts.append(step.apply(site).loops[0] if by or after else loop)
        merged = pass_class("merge")(tuple(LoopRef(loop) for loop in parts)).apply(site)
        return Rewritten(merged.loops, {first: merged.loops, second: merged.loops})

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for first in loop_tree.loops(site.function):
            second = first.next_op
            while second is not None and not isinstance(second, ForOp):
                second = second.next_op
            if second is not None:
                yield cls((LoopRef(first), LoopRef(second)))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        return self._run(site, plan.first, plan.second, plan.delay)
