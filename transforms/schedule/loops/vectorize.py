"""vectorize: the iterations of a loop become the lanes of vectors.

Before, ``vectorize block=C loop=j_i``::

    tir.for %j_i in 8 { ... }

After::

    tir.for %j_i in 8 vectorized { ... }

The loop may contain serial loops (the reduction of a matrix product), whose iterations then use
vectors. A reduction loop may itself be vectorized: its lanes compute partial results, which are
combined at the end (``lower-lane-reduction``), so that floating-point terms are added in another
order.

*Legal when*

1. KC3010: the loop is not a ``while``. Its old kind is replaced if the other bound loops of its
   kernel remain legal.
2. KC3043: its extent is a constant.
3. KC3044: no loop around or inside it is vectorized, and no loop inside it is parallel, bound to
   threads or a while.
4. KC3041: no two iterations depend on each other. One exception: a later iteration may store an
   element that a loop without inner loops loads before, since all lanes load before any lane
   stores.
5. KC3040: the iterations of a reduction loop contain only its updates, by a combiner that exists on
   vectors; they drive no results, and no other operation in the loop uses the results.

TVM, Halide: ``vectorize``. Exo: ``replace`` with vector instructions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import Conflict, lane_conflict
from kc.analysis.reductions.lane_reductions import lane_reduction, reduced_blocks
from kc.dialects.tir import ForKind, ForOp
from kc.transforms.schedule.base import LoopRef, Site
from kc.transforms.schedule.loops._concurrent_loop import ConcurrentLoop
from kc.transforms.schedule.loops._loop_kinds import (
    instead,
    kinds_around,
    kinds_inside,
    refuse_conflict,
)


@dataclass(frozen=True)
class Vectorize(ConcurrentLoop):
    """Make the iterations of a loop the lanes of vectors."""

    name: ClassVar[str] = "vectorize"
    kind = ForKind.VECTORIZED
    undecidable = True
    unit_warning = ("KC3046", "a vector of one lane is a scalar")

    loop: LoopRef = field(metadata={"help": "the loop to vectorize; its extent is a constant"})

    def check_serial(self, site: Site, loop: ForOp) -> None:
        if loop.static_extent is None:
            raise site.refuse(
                "KC3043",
                f"the extent of {loop.label} is not a constant",
                at=loop,
                why="the number of lanes must be known at compile time",
                hints=[f"split {loop.label} by factors=?,8 and vectorize {loop.label}_i"],
            )
        conflicting_loops = (
            kinds_around(loop, ForKind.VECTORIZED)
            + kinds_inside(loop, ForKind.VECTORIZED)
            + kinds_inside(loop, ForKind.PARALLEL)
            + kinds_inside(loop, ForKind.THREAD)
            + kinds_inside(loop, ForKind.WHILE)
        )
        if conflicting_loops:
            conflicting = conflicting_loops[0]
            where = "inside" if conflicting in loop_tree.loops_around(loop) else "around"
            raise site.refuse(
                "KC3044",
                f"loop {loop.label} is {where} the {conflicting.kind_text} loop "
                f"{conflicting.label}",
                at=loop,
                mark={loop: "here", conflicting: conflicting.kind_text},
                why="a vector lane is a scalar: it cannot hold vectors or start threads"
                if conflicting.kind.data is not ForKind.WHILE
                else "the lanes would leave it after different numbers of iterations",
                hints=[f"reorder, or fuse {conflicting.label} and {loop.label} before vectorizing"]
                if conflicting.kind.data is not ForKind.WHILE
                else [f"use parallel on {loop.label} or on a loop around it"],
            )
        conflict = lane_conflict(loop)
        if conflict is not None and conflict.reduction and conflict.undecided is None:
            conflict = _require_lane_reductions(site, loop, conflict)
        if conflict is not None:
            refuse_conflict(site, loop, conflict)

    @classmethod
    def defaults(cls, site: Site) -> Iterator[Self]:
        """The innermost spatial loop of every block, if its extent is a constant."""
        for loops in cls.unscheduled_loops(site):
            if loops[-1].static_extent is not None:
                yield cls(LoopRef(loops[-1]))


def _require_lane_reductions(site: Site, loop: ForOp, conflict: Conflict) -> Conflict | None:
    """A dependence between lanes of ``loop`` other than the dependence of a reduction; None if
    there is none.

    ``conflict`` is the first dependence. Refuses (KC3040) a reduction for which the lanes cannot
    compute partial results.
    """
    blocks = reduced_blocks(loop)
    for block in blocks:
        reduction = lane_reduction(loop, block)
        if isinstance(reduction, str):
            raise site.refuse(
                "KC3040",
                f"loop {loop.label} is a reduction of {block.label}",
                at=loop,
                why=f"the lanes cannot compute partial results: {reduction}",
                hints=instead(site, loop, block),
            )
    return lane_conflict(loop, blocks) if blocks else conflict
