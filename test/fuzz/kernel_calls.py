"""Calls on ``kc.tir.Schedule`` that make kernels: what a schedule for a GPU does, and random ones.

At the end some calls mend what ``verify-gpu-code`` refuses, so that most kernels can be launched.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, cast

from launching import iterations, verify
from schedules import draw, line_of
from xdsl.ir import Operation

from kc import tir
from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_read, buffers_written
from kc.dialects.tir import BlockOp, ForKind, ForOp
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES
from kc.support.diagnostics import KCError
from kc.support.registry import pass_class
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive, Site

AXES = (*BLOCK_AXES[:2], *LANE_AXES[:2], "vthread", BLOCK_AXES[2], LANE_AXES[2], "vthread.x")
LANES_OFTEN = ("threadIdx.x", "threadIdx.x", "threadIdx.y", "vthread", "blockIdx.x")
OFTEN = ("blockIdx.x", "threadIdx.x", "threadIdx.x", "blockIdx.y", "threadIdx.y", "vthread")
SCOPES = ("global", "shared", "local", "warp")
MOST = 3_000
"""Iterations of a nest beyond which nothing is added: each is run several times."""
REMEDIES = 8
ALL_BOUND = 0.8
"""Of the schedules, so many end by making kernels of all nests: a GPU runs no others."""

POOL = (
    *("bind", "bind", "bind", "bind", "split", "split"),
    *("compute-at", "compute-at", "reverse-compute-at"),
    *("cache-read", "cache-write", "set-scope", "set-scope"),
    *("reorder", "fuse", "storage-align", "double-buffer", "decompose-reduction", "rfactor"),
)
RARE = (
    *("compute-inline", "reverse-compute-inline", "read-at", "write-at", "cache-inplace"),
    *("cache-index", "reindex-cache-read", "reindex-cache-write", "reindex", "compute-root"),
    *("unroll", "vectorize", "merge", "loop-partition", "add-unit-loop", "blockize"),
    *("rolling-buffer", "decompose-padding", "fuse-reduction-epilogue"),
    *("transform-layout", "transform-block-layout", "set-store-predicate", "tile"),
)


def calls(random: Random, sch: tir.Schedule, count: int) -> Iterator[str]:
    """About ``count`` calls, as lines of Python; who asks for the next one has made the last."""
    for _ in range(random.randint(count // 4, count)):
        if iterations(sch.module) > MOST:
            break
        step = _step(random, sch) if random.random() < 0.9 else None
        line = draw(random, sch, threads=True) if step is None else line_of(step)
        if line is None:
            break
        yield line
    for _ in range(REMEDIES):
        step = _remedy(random, sch)
        if step is None:
            break
        yield line_of(step)
    if random.random() < ALL_BOUND:
        # A line may mean another loop of the same name, which is not bound: once for each loop.
        for _ in loop_tree.loops(sch.module):
            step = _bind_next(random, sch)
            if step is None:
                break
            yield line_of(step)


def _step(random: Random, sch: tir.Schedule) -> Primitive | None:
    site = sch.session.site(loop_tree.functions(sch.module)[0])
    for _ in range(10):
        if random.random() < 0.5:
            step = _towards_a_kernel(random, site)
            if step is not None:
                return step
        name = random.choice(POOL if random.random() < 0.8 else RARE)
        step = _PROPOSALS.get(name, _any_candidate)(random, site, name)
        if step is not None:
            return step
    return None


def _any_candidate(random: Random, site: Site, name: str) -> Primitive | None:
    cls: Any = pass_class(name)
    choices = list(cls.candidates(site))
    if choices and hasattr(choices[0], "scope"):
        choices = [step for step in choices if step.scope in SCOPES]
    return _legal(random, site, choices)


def _bind(random: Random, site: Site, name: str) -> Primitive | None:
    loops = [loop for loop in loop_tree.loops(site.function) if loop.kind.data is ForKind.SERIAL]
    if not loops:
        return None
    bound = {
        loop.axis: loop.static_extent
        for loop in loop_tree.loops(site.function)
        if loop.axis is not None
    }
    axis = random.choice(OFTEN if random.random() < 0.9 else AXES)
    if axis in bound and random.random() < 0.8:
        loops = [loop for loop in loops if loop.static_extent == bound[axis]] or loops
    return pass_class("bind")(LoopRef(random.choice(loops)), axis)


def _split(random: Random, site: Site, name: str) -> Primitive | None:
    loops = [loop for loop in loop_tree.loops(site.function) if loop.kind.data is ForKind.SERIAL]
    loops = [loop for loop in loops if loop.static_extent not in (None, 1)]
    if not loops:
        return None
    bound = [
        loop.static_extent or 1 for loop in loop_tree.loops(site.function) if loop.axis is not None
    ]
    factor: Any = random.choice([2, 2, 3, 4, *bound])
    factors: Any = (None, factor) if random.random() < 0.6 else (factor, None)
    return pass_class("split")(LoopRef(random.choice(loops)), factors)


def _towards_a_kernel(random: Random, site: Site) -> Primitive | None:
    """The next step of a schedule for a GPU: the producers that the kernel reads move into it, into
    memory of the threads, which share the work.
    """
    loops = loop_tree.loops(site.function)
    bound = {
        loop.axis: loop.static_extent or 1
        for loop in loops
        if loop.axis is not None and "vthread" not in loop.axis
    }
    kernel = [loop for loop in loops if _is_in_kernel(loop)]
    if not bound:
        outer = [loop for loop in loops if not loop_tree.all_loops_around(loop)]
        outer = [loop for loop in outer if loop.static_extent != 1]
        axis = random.choice(("blockIdx.x", "blockIdx.x", "threadIdx.x"))
        return pass_class("bind")(LoopRef(random.choice(outer)), axis) if outer else None
    kind = random.choice(("move", "move", "share", "share", "share", "scope"))
    if kind == "move":
        cls: Any = pass_class(random.choice(("compute-at", "compute-at", "reverse-compute-at")))
        choices = [
            step
            for step in cls.candidates(site)
            if step.loop.target in kernel and not _is_in_kernel(step.block.target)
        ]
        return _legal(random, site, choices)
    if kind == "scope":
        choices = [
            step
            for step in pass_class("set-scope").candidates(site)  # pyright: ignore
            if step.scope in SCOPES and _is_in_kernel(step.block.target)
        ]
        return _legal(random, site, choices)
    serial = [
        loop for loop in kernel if loop.kind.data is ForKind.SERIAL and loop.static_extent != 1
    ]
    lanes = [axis for axis in bound if axis in LANE_AXES]
    if not lanes or random.random() < 0.3:
        lanes = [random.choice(LANES_OFTEN[:3])]
    axis = random.choice(lanes)
    count = bound.get(axis, 0)
    same = [loop for loop in serial if count in (0, loop.static_extent)]
    if same:
        return pass_class("bind")(LoopRef(random.choice(same)), axis)
    if serial:
        return pass_class("split")(LoopRef(random.choice(serial)), (count, None))
    return None


def _is_in_kernel(op: Operation) -> bool:
    around = [*loop_tree.all_loops_around(op), op]
    return any(isinstance(ancestor, ForOp) and ancestor.axis is not None for ancestor in around)


def _legal(random: Random, site: Site, choices: list[Any]) -> Primitive | None:
    """One of some steps, a legal one mostly."""
    random.shuffle(choices)
    for step in choices[: 1 if random.random() < 0.3 else 6]:
        try:
            step.plan(site)
        except KCError:
            continue
        return step
    return choices[0] if choices else None


_PROPOSALS: dict[str, Callable[[Random, Site, str], Primitive | None]] = {
    "bind": _bind,
    "split": _split,
}


def _remedy(random: Random, sch: tir.Schedule) -> Primitive | None:
    """A step that brings a buffer to memory that carries what goes through it, if one does not."""
    try:
        verify(sch.mod)
    except KCError as refusal:
        said = re.search(r"reads (\w+), which|writes to (\w+)", refusal.message)
        if said is None:
            return None
        name = said[1] or said[2]
        site = sch.session.site(loop_tree.functions(sch.module)[0])
        if random.random() < 0.8:
            moves = [
                step
                for move in ("compute-at", "reverse-compute-at")
                for step in cast(Any, pass_class(move)).candidates(site)
                if _is_in_kernel(step.loop.target)
                and name in map(loop_tree.buffer_name, _buffers_of(step.block.target))
            ]
            random.shuffle(moves)
            for step in moves[:10]:
                with contextlib.suppress(KCError):
                    step.plan(site)
                    return step
        for block in loop_tree.blocks(site.function):
            if name in map(loop_tree.buffer_name, buffers_written(block)):
                scope = random.choice(("global", "shared"))
                return pass_class("set-scope")(BlockRef(block), BufferRef(name), scope)
    return None


def _bind_next(random: Random, sch: tir.Schedule) -> Primitive | None:
    """A legal step that makes a kernel of a nest that has none, if there is one."""
    site = sch.session.site(loop_tree.functions(sch.module)[0])
    for root in loop_tree.loops(site.function):
        nest = loop_tree.loops(root)
        if loop_tree.all_loops_around(root) or any(loop.axis is not None for loop in nest):
            continue
        axes = random.sample(("blockIdx.x", "threadIdx.x"), 2)
        for loop in nest:
            for axis in axes:
                step = pass_class("bind")(LoopRef(loop), axis)
                with contextlib.suppress(KCError):
                    step.plan(site)
                    return step
    return None


def _buffers_of(block: BlockOp) -> list[Any]:
    return [*buffers_written(block), *buffers_read(block)]
