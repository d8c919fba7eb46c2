"""bind: the iterations of a loop become the blocks or threads of a GPU, or virtual threads.

Before, ``bind block=C loop=i_i thread_axis=threadIdx.x``::

    tir.for %i_o in 16 thread "blockIdx.x" {
      tir.for %i_i in 64 { ... }

After::

    tir.for %i_o in 16 thread "blockIdx.x" {
      tir.for %i_i in 64 thread "threadIdx.x" { ... }

The semantics are in :mod:`kc.dialects.tir.threads`: threads run in lockstep, and inside a loop of
the same axis each thread runs only its own iteration. A reduction that is bound to ``threadIdx`` is
combined across threads. Limits are those of the target (CUDA's on a CPU); extents that are not
constants are checked when the kernel is launched. A loop that is already bound to the axis stays
unchanged, with a warning (KC3410); a loop of one iteration also gets a warning (KC3412). A loop
that is bound to another axis is rebound (KC3401, a warning) if all bound loops of its kernel remain
legal.

*Legal when*

1. KC3400: the axis exists.
2. KC3010: the loop is not a ``while``; threads replace any other kind.
3. KC3402: no loop around it is vectorized, no loop inside it is parallel; blocks and threads are
   not inside a parallel loop.
4. KC3403: all loops of an axis in a kernel have the same extent. KC3406: the extent of a loop of
   virtual threads is a constant. KC3443: the number of blocks and threads is known at the launch of
   the kernel.
5. KC3404, KC3405: the target allows that number of threads.
6. KC3040, KC3041: no two iterations depend on each other, with the buffers that threads share.
   KC3407: only ``threadIdx`` may combine values, if the loop and the loops inside it drive only
   reduce variables of one block with an init. A reduction with an init is not bound to thread
   blocks, even if one of them does all of its work: the init would also run in the others.
7. KC3411: inside a loop of the same axis, the threads together do the previous work of each.
8. KC3408: no thread reads a value that only another thread has written, unless they share that
   memory, and no thread block reads a value of another one, in any memory.
9. KC3409: no operation in the kernel writes global memory in all blocks. KC3417: no two blocks
   write one element of it.
10. KC3418: no thread reads a value of another one in a branch that not all threads take.

TVM: ``bind``. Halide: ``gpu_blocks``, ``gpu_threads``. Exo: ``set_memory`` and custom loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from kc.analysis import loop_tree
from kc.dialects.tir import ForKind, ForOp
from kc.dialects.tir.threads import THREAD_AXES
from kc.support.diagnostics import ScheduleError, suggest, warn
from kc.support.locations import location_of
from kc.transforms.schedule.base import (
    CALL_SITE,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
)
from kc.transforms.schedule.loops._loop_kinds import (
    require_replaceable,
    set_kind,
)
from kc.transforms.schedule.threads._binding import require_bindable, require_rebinding
from kc.transforms.schedule.threads._threads import (
    remember_binding,
)


@dataclass(frozen=True)
class Bind(Primitive):
    """Bind the iterations of a loop to threads."""

    name: ClassVar[str] = "bind"
    undecidable = True

    loop: LoopRef = field(metadata={"help": "the loop to bind"})
    thread_axis: str = field(
        metadata={
            "help": "blockIdx.x, .y or .z, threadIdx.x, .y or .z, or vthread",
            "also": {"thread": "*", "axis": "*"},
        }
    )

    def check(self, site: Site) -> ForOp:
        loop, axis = site.resolve_loop(self.loop), self.thread_axis
        if axis not in THREAD_AXES:
            raise ScheduleError(
                "KC3400",
                f"bind: there is no thread axis '{axis}'",
                location=CALL_SITE.get() or location_of(loop),
                hints=suggest(axis, THREAD_AXES, "the axes are"),
            )
        if loop.axis == axis:
            return loop
        if loop.axis is not None:
            require_rebinding(site, loop, axis)
            return loop
        if loop.kind.data is not ForKind.SERIAL:
            require_replaceable(site, loop, lambda copy, twin: replace(self, loop=twin).check(copy))
            return loop
        require_bindable(site, loop, axis)
        return loop

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            for axis in ("blockIdx.x", "blockIdx.y", "threadIdx.x", "threadIdx.y", "vthread"):
                yield cls(LoopRef(loop), axis)

    def rewrite(self, site: Site, plan: ForOp) -> Rewritten:
        if plan.axis == self.thread_axis:
            warn(
                "KC3410",
                f"bind: loop {plan.label} is already bound to {plan.axis}",
                location=CALL_SITE.get(),
                why="nothing changes",
            )
            return Rewritten((plan,))
        if plan.axis is not None:
            warn(
                "KC3401",
                f"bind: loop {plan.label} is bound again",
                location=CALL_SITE.get(),
                why=f"it was bound to {plan.axis}, now it is bound to {self.thread_axis}",
            )
        if plan.static_extent == 1:
            warn(
                "KC3412",
                f"bind: loop {plan.label} has one iteration",
                location=CALL_SITE.get(),
                why=f"there is only one {self.thread_axis}, so no work is shared",
            )
        remember_binding(plan)
        return set_kind(plan, ForKind.THREAD, self.thread_axis)
