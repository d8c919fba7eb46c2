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
from dataclasses import dataclass, field
from typing import ClassVar, Self

from kc.dialects.tir import ForKind, ForOp
from kc.transforms.schedule.base import LoopRef, Site
from kc.transforms.schedule.loops._concurrent_loop import ConcurrentLoop
from kc.transforms.schedule.loops._loop_kinds import (
    kinds_around,
    kinds_inside,
    real_threads,
    require_concurrent,
)


@dataclass(frozen=True)
class Parallel(ConcurrentLoop):
    """Run the iterations of a loop on several threads."""

    name: ClassVar[str] = "parallel"
    kind = ForKind.PARALLEL
    undecidable = True
    unit_warning = ("KC3045", "there is no work to share between threads")

    loop: LoopRef = field(metadata={"help": "the loop to run in parallel"})

    def check_serial(self, site: Site, loop: ForOp) -> None:
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

    @classmethod
    def defaults(cls, site: Site) -> Iterator[Self]:
        """The outermost spatial loop of every block."""
        for loops in cls.unscheduled_loops(site):
            yield cls(LoopRef(loops[0]))


_INSTEAD = {
    ForKind.PARALLEL: ["only one loop of a nest can be parallel; fuse two of them first"],
    ForKind.THREAD: ["use bind: loops of a kernel are bound to blocks and threads, or serial"],
}
