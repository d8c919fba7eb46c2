"""gpu-loops: loops that no other rule understands have a thread for each outermost iteration.

They are those of operators that are written as statements (a sort, a running sum), and of blocks
that other rules refused. Where the iterations depend on each other, or share memory, one thread
runs them all: slow, but what touches memory of the GPU has to be in a kernel.

As other rules it calls primitives, which check and rewrite, and has no rewrite pattern of its own.
"""

from __future__ import annotations

from kc.dialects.tir import ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.gpu.rule import GpuRule
from kc.transforms.auto_schedule.gpu.threads import as_few, threads_for, to_blocks
from kc.transforms.auto_schedule.nests import iterations
from kc.transforms.schedule.threads._foreign_values import require_kernels


class GpuLoops(GpuRule):
    """A thread for each outermost iteration, or one for all of them."""

    name = "gpu-loops"
    leftover = True

    def schedule(self, draft: Draft, block: str) -> bool:
        mark = draft.mark()
        try:
            _bind(draft, block)
        except ScheduleError:
            draft.return_to(mark)
            unit = draft.add_unit_loop(draft.loop(_untouched(draft, block)))
            draft.bind(unit, "threadIdx.x")
        return True


def _untouched(draft: Draft, name: str) -> ForOp:
    return next(loop for loop in draft.untouched_loops() if loop.label == name)


def _bind(draft: Draft, name: str) -> None:
    """Bind a loop, with as many of those that are perfectly nested in it as can be, to blocks and
    threads. Raises ScheduleError where not even the loop itself can."""
    most = len(_perfectly_nested(_untouched(draft, name)))
    mark = draft.mark()
    for depth in range(most, 0, -1):
        nested = _perfectly_nested(_untouched(draft, name))[:depth]
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


def _perfectly_nested(loop: ForOp) -> list[ForOp]:
    """A loop, and those inside it that are all of the loop around them."""
    nested = [loop]
    while True:
        ops = list(nested[-1].body.block.ops)
        if len(ops) != 1 or not isinstance(ops[0], ForOp):
            return nested
        nested.append(ops[0])
