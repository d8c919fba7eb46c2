"""parallel: the iterations of a loop run on several threads.

Before, ``parallel block=C loop=i``::

    tir.for %i in 16 { ... }

After::

    tir.for %i in 16 parallel { ... }

*Legal when*

1. KC3010: the loop is not a ``while``. Its old kind is replaced if the other bound loops of its
   kernel remain legal.
2. KC3042: no loop around or inside it is parallel (a nested parallel loop would run serially) or
   bound to threads of a GPU, and it is not inside a vectorized loop or a loop of virtual threads.
3. KC3040, KC3041: no two iterations depend on each other; those of a reduction loop do.

TVM, Halide: ``parallel``. Exo: ``parallelize_loop``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from kc.analysis import loop_tree
from kc.dialects.tir import ForKind, ForOp
from kc.support.diagnostics import warn
from kc.transforms.schedule.base import (
    CALL_SITE,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
)
from kc.transforms.schedule.loops._loop_kinds import (
    kinds_around,
    kinds_inside,
    real_threads,
    require_concurrent,
    require_replaceable,
    set_kind,
)
from kc.transforms.schedule.threads._binding import require_rebinding


@dataclass(frozen=True)
class Parallel(Primitive):
    """Run the iterations of a loop on several threads."""

    name: ClassVar[str] = "parallel"
    within_nest: ClassVar[bool] = True
    undecidable = True

    loop: LoopRef = field(metadata={"help": "the loop to run in parallel"})

    def check(self, site: Site) -> ForOp:
        loop = site.resolve_loop(self.loop)
        if loop.kind.data is ForKind.PARALLEL:
            return loop
        if loop.axis is not None:
            require_rebinding(site, loop, None)
        if loop.kind.data is not ForKind.SERIAL:
            require_replaceable(site, loop, lambda copy, twin: replace(self, loop=twin).check(copy))
            return loop
        around = [
            *kinds_around(loop, ForKind.PARALLEL),
            *kinds_around(loop, ForKind.VECTORIZED),
            *kinds_around(loop, ForKind.THREAD),
        ]
        threads = real_threads(kinds_inside(loop, ForKind.THREAD))
        concurrent_loops = around or kinds_inside(loop, ForKind.PARALLEL) + threads
        if concurrent_loops:
            concurrent = concurrent_loops[0]
            where = "inside" if around else "around"
            raise site.refuse(
                "KC3042",
                f"loop {loop.label} is {where} the {concurrent.kind_text} loop {concurrent.label}",
                at=loop,
                mark={loop: "here", concurrent: concurrent.kind_text},
                why="a thread or a vector lane cannot start threads",
                hints=_INSTEAD.get(concurrent.kind.data, ["parallelize an outer loop instead"]),
            )
        require_concurrent(site, loop)
        return loop

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            yield cls(LoopRef(loop))

    @classmethod
    def defaults(cls, site: Site) -> Iterator[Self]:
        """The outermost spatial loop of every block."""
        for block in loop_tree.blocks(site.function):
            around = loop_tree.loops_around(block)
            if any(loop.kind.data is ForKind.PARALLEL for loop in around):
                continue
            loops = loop_tree.spatial_loops(block)
            if loops:
                yield cls(LoopRef(loops[0]))

    def rewrite(self, site: Site, plan: ForOp) -> Rewritten:
        if plan.static_extent == 1:
            warn(
                "KC3045",
                f"parallel: loop {plan.label} has one iteration",
                location=CALL_SITE.get(),
                why="there is no work to share between threads",
            )
        return set_kind(plan, ForKind.PARALLEL)


_INSTEAD = {
    ForKind.PARALLEL: ["only one loop of a nest can be parallel; fuse two of them first"],
    ForKind.THREAD: ["use bind: loops of a kernel are bound to blocks and threads, or serial"],
}
