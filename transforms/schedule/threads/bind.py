"""bind: the iterations of a loop become the blocks or threads of a GPU, or virtual threads.

Before, ``bind block=C loop=i_i thread_axis=threadIdx.x``::

    tir.for %i_o in 16 thread "blockIdx.x" {
      tir.for %i_i in 64 { ... }

After::

    tir.for %i_o in 16 thread "blockIdx.x" {
      tir.for %i_i in 64 thread "threadIdx.x" { ... }

What this means is in :mod:`kc.dialects.tir.threads`: threads run in lockstep, and inside a loop of
the same axis each thread runs its own iteration only. A reduction that is bound to ``threadIdx`` is
combined across threads. Limits are those of the target (CUDA's on a CPU); extents that are not
constants are checked when the kernel is launched. A loop that is already bound to the axis stays as
it is, with a warning (KC3410); a loop of a single iteration also gets one (KC3412).

*Legal when*

1. KC3400: there is such an axis. KC3401: the loop is not bound to another one.
2. KC3010, KC3011: the loop is serial and carries no annotation.
3. KC3402: no loop around it is vectorized, none in it is parallel; blocks and threads are in no
   parallel loop.
4. KC3403: all loops of an axis in a kernel have the same extent. KC3406: the extent of a loop of
   virtual threads is a constant.
5. KC3404, KC3405: the target has that many threads.
6. KC3040, KC3041: no two iterations depend on each other, buffers that threads share considered.
   KC3407: only ``threadIdx`` may combine values, where the loop and those in it drive nothing but
   reduce variables of one block with an init. Nor is a reduction with an init bound to blocks of
   threads if one of them does all of it: the init would run in the others, too.
7. KC3411: in a loop of the same axis, the threads together do what each of them did.
8. KC3408: no thread reads what only another one has written, unless they share that memory, and no
   block of threads what another one writes, in whatever memory.
9. KC3409: nothing in the kernel writes global memory in all blocks. KC3417: no two blocks write
   one element of it.
10. KC3418: no thread reads what another one has written in a branch that not all of them take.

TVM: ``bind``. Halide: ``gpu_blocks``, ``gpu_threads``. Exo: ``set_memory`` and custom loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from kc.analysis import loop_tree
from kc.analysis.dependence import combining_conflict
from kc.analysis.loop_tree import all_loops_around
from kc.dialects.tir import BlockOp, ForKind, ForOp, IterType
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES, THREAD_AXES, VIRTUAL_AXES
from kc.support.diagnostics import ScheduleError, suggest, warn
from kc.support.locations import location_of
from kc.transforms.schedule.base import (
    CALL_SITE,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
    require_serial,
)
from kc.transforms.schedule.loops._loop_kinds import (
    kinds_inside,
    require_concurrent,
    set_kind,
)
from kc.transforms.schedule.threads._divergence import require_convergence
from kc.transforms.schedule.threads._thread_values import require_shared_work, require_visible
from kc.transforms.schedule.threads._threads import (
    Kernel,
    remember_binding,
    require_limits,
    require_one_extent,
)


@dataclass(frozen=True)
class Bind(Primitive):
    """Make the iterations of a loop threads."""

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
            raise site.refuse(
                "KC3401",
                f"loop {loop.label} is already bound to {loop.axis}",
                at=loop,
                why="a loop has one axis, and other loops may have been bound to match it",
                hints=[f"split {loop.label} before it is bound, and bind both parts"],
            )
        require_serial(site, loop)
        _require_nesting(site, loop, axis)
        kernel = Kernel.of(loop, axis)
        if axis in VIRTUAL_AXES and loop.static_extent is None:
            raise site.refuse(
                "KC3406",
                f"the number of virtual threads of {loop.label} is not a constant",
                at=loop,
                why="each of them gets its own code and registers",
                hints=[f"split {loop.label} by factors=?,2 and bind {loop.label}_i"],
            )
        require_one_extent(site, kernel)
        require_limits(site, kernel)
        reduction = _reduction(loop) if axis in LANE_AXES else None
        if reduction is None:
            require_concurrent(site, loop, axis)
        else:
            _require_combining(site, loop, reduction, axis)
        if axis in BLOCK_AXES:
            _require_no_init(site, loop, axis)
        require_shared_work(site, kernel)
        require_visible(site, kernel)
        require_convergence(site, kernel)
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
        if plan.static_extent == 1:
            warn(
                "KC3412",
                f"bind: loop {plan.label} has one iteration",
                location=CALL_SITE.get(),
                why=f"there is only one {self.thread_axis}, so no work is shared",
            )
        remember_binding(plan)
        return set_kind(plan, ForKind.THREAD, self.thread_axis)


def _require_no_init(site: Site, loop: ForOp, axis: str) -> None:
    """Refuse (KC3040) blocks of threads among the iterations of a reduction with an init."""
    if loop.static_extent == 1:
        return
    for block in loop_tree.blocks(loop):
        if block.has_init and IterType.REDUCE in loop_tree.iter_types(loop, block):
            raise site.refuse(
                "KC3040",
                f"loop {loop.label} is a reduction of {block.label}",
                at=loop,
                why=f"every block along {axis} would run the init of {block.label}, at any time",
                hints=[f"decompose_reduction gives the init of {block.label} loops of its own"],
            )


def _require_nesting(site: Site, loop: ForOp, axis: str) -> None:
    """Refuse (KC3402) what threads do not stand in, or hold."""
    is_real = axis not in VIRTUAL_AXES
    around = [
        outer
        for outer in all_loops_around(loop)
        if outer.kind.data is ForKind.VECTORIZED
        or (is_real and outer.kind.data is ForKind.PARALLEL)
    ]
    conflicting_loops = around or kinds_inside(loop, ForKind.PARALLEL)
    if not conflicting_loops:
        return
    conflicting = conflicting_loops[0]
    is_lane = conflicting.kind.data is ForKind.VECTORIZED
    raise site.refuse(
        "KC3402",
        f"loop {loop.label} is {'inside' if around else 'around'} the "
        f"{conflicting.kind_text} loop {conflicting.label}",
        at=loop,
        mark={loop: "here", conflicting: conflicting.kind_text},
        why="a vector lane is a scalar: it has no threads"
        if is_lane
        else "a CPU thread cannot launch kernels, and a GPU thread cannot start threads",
        hints=[f"reorder, so that {conflicting.label} is inside {loop.label}"]
        if is_lane
        else [f"bind {conflicting.label} instead of making it parallel"],
    )


def _reduction(loop: ForOp) -> BlockOp | None:
    """The block that ``loop`` drives a reduce variable of, if there is one."""
    for op in loop.walk():
        if isinstance(op, BlockOp) and IterType.REDUCE in loop_tree.iter_types(loop, op):
            return op
    return None


def _require_combining(site: Site, loop: ForOp, block: BlockOp, axis: str) -> None:
    """Refuse (KC3041, KC3407) unless the threads do nothing but combine values of ``block``."""
    why = _no_combination(loop, block)
    if why is not None:
        spatial = ", ".join(outer.label for outer in loop_tree.spatial_loops(block))
        raise site.refuse(
            "KC3407",
            f"the threads of {loop.label} cannot combine their values of {block.label}",
            at=loop,
            mark={loop: axis, block: "the reduction"},
            why=why,
            hints=["rfactor makes partial results, whose final reduction has this form"]
            + ([f"bind a spatial loop: {spatial}"] if spatial else []),
        )
    conflict = combining_conflict(loop, block, axis)
    if conflict is not None:
        raise site.refuse(
            "KC3041",
            f"the iterations of {loop.label} "
            + ("cannot be proven independent" if conflict.undecided else "depend on each other"),
            at=loop,
            why=conflict.explain(),
        )


def _no_combination(loop: ForOp, block: BlockOp) -> str | None:
    """Why the iterations of ``loop`` are not values of one reduction."""
    if not block.has_init:
        return f"the init of {block.label} is a block of its own; bind before decompose_reduction"
    inside: list[ForOp] = [loop]
    while isinstance(child := loop_tree.only_child(inside[-1]), ForOp):
        inside.append(child)
    if child is not block:
        return f"{loop.label} holds more than {block.label}"
    for inner in inside:
        if loop_tree.iter_types(inner, block) - {IterType.REDUCE}:
            return (
                f"{inner.label} drives a spatial variable of {block.label}: it covers several "
                "results"
            )
    return None
