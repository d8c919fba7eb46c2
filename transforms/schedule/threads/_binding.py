"""Shared by bind and unroll: the conditions for binding a loop to a thread axis, or to another one.

:mod:`kc.transforms.schedule.threads.bind` lists the refusals.
"""

from __future__ import annotations

from collections.abc import Callable

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import combining_conflict, late_init
from kc.analysis.loop_tree import all_loops_around
from kc.analysis.reductions.combiner_laws import FINITE_START, why_no_empty_parts
from kc.analysis.reductions.reductions import reduction_of
from kc.dialects.tir import BlockOp, ForKind, ForOp, IterType
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES, VIRTUAL_AXES, is_same_axis
from kc.transforms.schedule.base import Site, on_copy
from kc.transforms.schedule.loops._loop_kinds import (
    kinds_inside,
    require_concurrent,
    set_kind,
)
from kc.transforms.schedule.threads._divergence import require_convergence
from kc.transforms.schedule.threads._foreign_values import require_no_exchange
from kc.transforms.schedule.threads._thread_values import require_shared_work, require_visible
from kc.transforms.schedule.threads._threads import (
    Kernel,
    require_known_extents,
    require_limits,
    require_one_extent,
)


def require_bindable(site: Site, loop: ForOp, axis: str) -> None:
    """Refuse to bind a serial loop to ``axis`` if the binding is not legal."""
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
    require_known_extents(site, kernel)
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


def require_rebinding(site: Site, loop: ForOp, axis: str | None) -> None:
    """Refuse to bind ``loop`` to ``axis`` instead of its current axis if this is not legal.

    Without ``axis``, the loop becomes serial. Threads that exchange values must stay on a lane
    axis. Every bound loop of the kernel must remain bindable after the others. If a loop around or
    inside ``loop`` has the same axis, ``loop`` must be bindable to its old axis: currently each
    thread runs one iteration of the pair, and would afterwards run all iterations of the rebound
    loop.
    """

    if axis not in LANE_AXES:  # along lane axes, threads share the memory of their block
        require_no_exchange(site, loop)

    def bind_all(copy: Site, twin: Callable[[ForOp], ForOp]) -> None:
        rebound = twin(loop)
        bound = [
            inner
            for inner in loop_tree.loops(Kernel.of(rebound, rebound.axis or "").root)
            if inner.axis is not None and inner is not rebound
        ]
        old, shares = rebound.axis, _shares_threads(rebound)
        set_kind(rebound, ForKind.SERIAL)
        if old is not None and shares:
            require_bindable(copy, rebound, old)
        if axis is not None:
            require_bindable(copy, rebound, axis)
            set_kind(rebound, ForKind.THREAD, axis)
        for inner in bound:
            inner_axis = inner.axis
            assert inner_axis is not None
            set_kind(inner, ForKind.SERIAL)
            require_bindable(copy, inner, inner_axis)
            set_kind(inner, ForKind.THREAD, inner_axis)

    on_copy(site, bind_all)


def _shares_threads(loop: ForOp) -> bool:
    """True if a loop around or inside ``loop`` is bound to the same threads."""
    beside = [*all_loops_around(loop), *loop_tree.loops(loop)]
    return any(is_same_axis(near.axis, loop.axis) for near in beside if near is not loop)


def _require_no_init(site: Site, loop: ForOp, axis: str) -> None:
    """Refuse (KC3040) to bind a reduction loop with an init to thread blocks."""
    if loop.static_extent == 1:
        return
    for block in loop_tree.blocks(loop):
        if block.has_init and IterType.REDUCE in loop_tree.iter_types(loop, block):
            raise site.refuse(
                "KC3040",
                f"loop {loop.label} is a reduction of {block.label}",
                at=loop,
                why=f"every block along {axis} would run the init of {block.label}, at any time",
                hints=[f"decompose_reduction gives the init of {block.label} its own loops"],
            )


def _require_nesting(site: Site, loop: ForOp, axis: str) -> None:
    """Refuse (KC3402) a bound loop inside a vectorized or parallel loop, or around a
    parallel loop.
    """
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
        hints=[f"reorder so that {conflicting.label} is inside {loop.label}"]
        if is_lane
        else [f"bind {conflicting.label} instead of making it parallel"],
    )


def _reduction(loop: ForOp) -> BlockOp | None:
    """The block with a reduce variable that ``loop`` drives; None if no block has one."""
    for op in loop.walk():
        if isinstance(op, BlockOp) and IterType.REDUCE in loop_tree.iter_types(loop, op):
            return op
    return None


def _require_combining(site: Site, loop: ForOp, block: BlockOp, axis: str) -> None:
    """Refuse (KC3041, KC3407) unless the threads only combine values of ``block``."""
    why = _no_combination(loop, block)
    if why is not None:
        spatial = ", ".join(outer.label for outer in loop_tree.spatial_loops(block))
        raise site.refuse(
            "KC3407",
            f"the threads of {loop.label} cannot combine their values of {block.label}",
            at=loop,
            mark={loop: axis, block: "the reduction"},
            why=why,
            hints=["rfactor creates partial results, whose final reduction has this form"]
            + ([f"bind a spatial loop: {spatial}"] if spatial else []),
        )
    reduction = reduction_of(block)
    for step in reduction.steps if reduction is not None else ():
        why = why_no_empty_parts(step)
        if why is not None:
            raise site.refuse(
                "KC3407",
                f"the threads of {loop.label} cannot combine their values of {block.label}",
                at=loop,
                mark={loop: axis, block: "the reduction"},
                why=f"{why}, which happens if there are more threads than terms",
                hints=[FINITE_START],
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
    """The reason why the iterations of ``loop`` are not values of one reduction; None if they
    are.
    """
    if not block.has_init:
        return f"the init of {block.label} is a separate block; bind before decompose_reduction"
    inside: list[ForOp] = [loop]
    while isinstance(child := loop_tree.only_child(inside[-1]), ForOp):
        inside.append(child)
    if child is not block:
        return f"{loop.label} contains more than {block.label}"
    around = all_loops_around(block)
    outermost = next(o for o in around if IterType.REDUCE in loop_tree.iter_types(o, block))
    late = late_init(block, outermost)
    if late is not None:
        return f"its init may run after some of its terms: {late.explain()}"
    for inner in inside:
        if loop_tree.iter_types(inner, block) - {IterType.REDUCE}:
            return (
                f"{inner.label} drives a spatial variable of {block.label}: it covers several "
                "results"
            )
    return None
