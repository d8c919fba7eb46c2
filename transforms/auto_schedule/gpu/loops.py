"""gpu-loops: loops that no other rule accepts have a thread for each outermost iteration.

Such loops come from operators that are written as statements (a sort, a running sum), and from
blocks that other rules refused. If the iterations depend on each other or share memory, but inner
loops have enough iterations for threads, as in a recurrent network, the host launches the inner
loops once per iteration. Otherwise one thread runs all iterations. This is slow (warning KC4229),
but code that accesses memory of the GPU must be in a kernel. Statements outside loops run in one
thread as well (``gpu-statements``).

Like other rules, these rules call primitives, which check and rewrite, and have no rewrite pattern.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from kc.analysis import loop_tree
from kc.dialects.tir import AllocOp, ForOp
from kc.support.diagnostics import Diagnostic, ScheduleError
from kc.support.locations import location_of
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.gpu.rule import GpuRule
from kc.transforms.auto_schedule.gpu.threads import WARP, as_few, threads_for, to_blocks
from kc.transforms.auto_schedule.nests import iterations
from kc.transforms.schedule.loops._statements import is_statement
from kc.transforms.schedule.threads._foreign_values import require_kernels

ALONE = 32
"""The number of iterations from which a single thread causes a warning: the threads of a warp."""


class GpuStatements(GpuRule):
    """Wrap statements outside loops in loops of one iteration."""

    name: ClassVar[str] = "gpu-statements"
    whole: ClassVar[bool] = True

    def schedule(self, draft: Draft, block: str) -> bool:
        del block
        while any(is_statement(op) for op in draft.function.body.block.ops):
            draft.add_unit_loop(draft.block("root"))
        return True


class GpuLoops(GpuRule):
    """Bind the outermost iterations or those of inner loops to threads, or use one thread."""

    name: ClassVar[str] = "gpu-loops"
    leftover: ClassVar[bool] = True

    def schedule(self, draft: Draft, block: str) -> bool:
        loop = next(loop for loop in draft.untouched_loops() if loop.label == block)
        body = loop.parent
        assert body is not None
        place = (list(body.ops).index(loop),)
        if all(inner.static_extent == 1 for inner in _perfectly_nested(loop)):
            why = "threads share the iterations of a loop, and there is one"
            _bind_one(draft, place, "statements that stand in no loop", why)
            return True
        mark = draft.mark()
        try:
            _bind(draft, place)
        except ScheduleError as refusal:
            draft.return_to(mark)
            if not _bind_inner(draft, place):
                draft.return_to(mark)
                why = f"its iterations cannot be threads: {refusal.why or refusal.message}"
                _bind_one(draft, place, f"loop {block}", why)
        return True


def _at(draft: Draft, place: Sequence[int]) -> ForOp:
    """The loop at a position: the index of an operation in the function, and then in each nested
    loop.
    """
    block = draft.function.body.block
    for n in place[:-1]:
        outer = list(block.ops)[n]
        assert isinstance(outer, ForOp)
        block = outer.body.block
    loop = list(block.ops)[place[-1]]
    assert isinstance(loop, ForOp)
    return loop


def _bind(draft: Draft, place: Sequence[int]) -> None:
    """Bind a loop, and as many loops perfectly nested in it as possible, to blocks and threads.
    Raises ScheduleError if not even the loop itself can be bound.
    """
    most = len(_perfectly_nested(_at(draft, place)))
    mark = draft.mark()
    for depth in range(most, 0, -1):
        nested = _perfectly_nested(_at(draft, place))[:depth]
        count = iterations(nested)
        try:
            *grid, inner = as_few(draft, [draft.loop(loop) for loop in nested])
            blocks, thread = draft.split(inner, [None, threads_for(count)])
            to_blocks(draft, [*grid, blocks])
            draft.bind(thread, "threadIdx.x")
            require_kernels(draft.session.site(draft.function))
        except ScheduleError:
            draft.return_to(mark)
            if depth == 1:
                raise
        else:
            return


def _bind_inner(draft: Draft, place: Sequence[int]) -> bool:
    """Leave a loop to the host, and bind the loops inside it. Returns True if the loop contains
    only loops and allocations, and one of the inner loops has work for a warp. If False, some
    primitives may have been applied.
    """
    ops = list(_at(draft, place).body.block.ops)
    inner = [(*place, n) for n, op in enumerate(ops) if isinstance(op, ForOp)]
    if not all(isinstance(op, ForOp | AllocOp) for op in ops):
        return False
    if not any(_has_work(_at(draft, at)) for at in inner):
        return False
    try:
        for at in inner:
            _bind(draft, at)
    except ScheduleError:
        return False
    return True


def _has_work(loop: ForOp) -> bool:
    nested = _perfectly_nested(loop)
    return any(loop.static_extent is None for loop in nested) or iterations(nested) >= WARP


def _bind_one(draft: Draft, place: Sequence[int], what: str, why: str) -> None:
    """Run a loop in one thread. ``what`` describes the loop, and ``why`` the reason against several
    threads.
    """
    loop = _at(draft, place)
    location, is_long = location_of(loop), _is_long(loop)
    handle = draft.loop(loop)
    draft.bind(handle if loop.static_extent == 1 else draft.add_unit_loop(handle), "threadIdx.x")
    require_kernels(draft.session.site(draft.function))
    if is_long:
        draft.remarks.append(
            Diagnostic(
                "KC4229",
                f"auto_schedule: one thread of the GPU runs {what}",
                kind="warning",
                location=location,
                why=why,
                hints=["one thread is slower than a CPU: schedule the loop, or run it on the host"],
            )
        )


def _is_long(loop: ForOp) -> bool:
    """True if a statement of the loop runs more iterations than one thread should run alone."""
    for inner in loop_tree.loops(loop):
        around = [*loop_tree.all_loops_around(inner), inner]
        within = around[around.index(loop) :]
        if any(loop.static_extent is None for loop in within) or iterations(within) > ALONE:
            return True
    return False


def _perfectly_nested(loop: ForOp) -> list[ForOp]:
    """A loop, and the loops perfectly nested in it."""
    nested = [loop]
    while True:
        ops = list(nested[-1].body.block.ops)
        if len(ops) != 1 or not isinstance(ops[0], ForOp):
            return nested
        nested.append(ops[0])
