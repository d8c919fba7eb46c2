"""statements: loops of operators that are written as statements, such as a running sum.

Their blocks, if they have any, are opaque, so rules for particular computations do not apply. If
the statements of an inner loop read a value that the previous iteration stored in private memory,
each iteration waits for the previous one: a sum for the latency of an addition. A few independent
iterations of the enclosing loop run side by side (``unroll_and_jam``). The outermost loop with
independent iterations and enough work for threads becomes parallel.

As other rules it calls primitives, which check and rewrite, and has no rewrite pattern of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from kc.analysis import loop_tree
from kc.dialects.affine_assembly import linear_terms
from kc.dialects.tir import AllocOp, BlockOp, ForKind, ForOp, LoadOp, StoreOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import element_bits, extent, iterations
from kc.transforms.auto_schedule.rule import Rule
from kc.transforms.trace.handles import LoopRV

TOGETHER = 4
"""The number of iterations that run side by side: the number of additions that begin during the
latency of one. With more iterations, the rows whose distance is a power of two would need more
lines than a set of the L1 cache has.
"""
VECTORS = 2
"""The number of vectors of iterations that run side by side if they access adjacent elements: LLVM
vectorizes their operations.
"""
MOST_OPS = 24
"""The maximum number of operations of the inner loop, which ``unroll_and_jam`` copies."""
MOST_COPIES = 256
"""The most operations that the unrolled copies of the loop body may have in total, if there are
more than ``TOGETHER`` copies.
"""


class Statements(Rule):
    """Run iterations of a loop around a recurrence side by side, and outer loops in parallel."""

    name = "statements"
    whole = True

    def apply(self, draft: Draft, block: str) -> bool:
        del block
        changed = False
        for loop in list(_around_recurrences(draft.function)):
            if loop.parent is not None:
                handle, count = _handle(draft, loop), _together(draft, loop)
                changed |= handle is not None and draft.attempt("unroll_and_jam", handle, count)
        for loop in _outermost(draft.function):
            changed |= _run_in_parallel(draft, loop)
        return changed


def _outermost(function: Operation) -> list[ForOp]:
    """The outermost loops that no primitive has changed and that contain no blocks and no calls."""
    return [
        op
        for op in function.regions[0].block.ops
        if isinstance(op, ForOp) and all(map(_is_plain, loop_tree.preorder(op)))
    ]


def _is_plain(op: Operation) -> bool:
    if isinstance(op, ForOp):
        return op.kind.data in (ForKind.SERIAL, ForKind.WHILE)
    if isinstance(op, BlockOp):
        return False
    return isinstance(op, LoadOp | StoreOp) or not loop_tree.touches_memory(op)


def _handle(draft: Draft, loop: ForOp) -> LoopRV | None:
    """A handle on ``loop``; None if the name of the loop refers to another loop."""
    try:
        handle = draft.loop(loop)
    except ScheduleError:
        return None
    return handle if draft.session.loop(handle) is loop else None


def _around_recurrences(function: Operation) -> Iterator[ForOp]:
    """The loops directly around the loops whose iterations wait for the previous one."""
    for outermost in _outermost(function):
        for loop in loop_tree.loops(outermost):
            inner = [op for op in loop.body.block.ops if isinstance(op, ForOp)]
            if extent(loop) >= TOGETHER and any(_waits(statement, loop) for statement in inner):
                yield loop


def _together(draft: Draft, loop: ForOp) -> int:
    """The number of iterations of ``loop`` that run side by side."""
    inside = [
        op
        for inner in loop.body.block.ops
        if isinstance(inner, ForOp)
        for op in inner.body.block.ops
    ]
    accesses = [
        op
        for op in inside
        if isinstance(op, LoadOp | StoreOp) and not loop_tree.defined_inside(op.buffer, loop)
    ]
    if not accesses or not all(_is_next(op, loop.var) for op in accesses):
        return TOGETHER
    bits = max(
        element_bits(op.buffer.type) for op in accesses if isinstance(op.buffer.type, MemRefType)
    )
    most = min(VECTORS * draft.machine.lanes(bits), extent(loop), MOST_COPIES // len(inside))
    return max(TOGETHER, 1 << most.bit_length() - 1)


def _is_next(op: LoadOp | StoreOp, variable: SSAValue) -> bool:
    """True if the next iteration of a loop accesses the next element."""
    if not op.indices.data.results:
        return False
    *rows, column = op.indices.data.results
    dims = {n for n, value in enumerate(op.operands_of_map) if value is variable}
    if any(dims & row.used_dims() for row in rows):
        return False
    terms, _ = linear_terms(column)
    return [factor for atom, factor in terms.items() if atom.used_dims() & dims] == [1]


def _waits(loop: ForOp, around: ForOp) -> bool:
    """True if an iteration of ``loop`` loads a value that the previous iteration stored, in memory
    that belongs to an iteration of ``around``, and has few other operations.
    """
    ops = list(loop.body.block.ops)
    if extent(loop) < TOGETHER or len(ops) > MOST_OPS or any(op.regions for op in ops):
        return False
    own = {op.results[0] for op in around.body.block.ops if isinstance(op, AllocOp)}
    loaded = {op.buffer for op in ops if isinstance(op, LoadOp)}
    stored = {op.buffer for op in ops if isinstance(op, StoreOp)}
    return not own.isdisjoint(loaded & stored)


def _run_in_parallel(draft: Draft, loop: ForOp) -> bool:
    work = sum(
        iterations(loop_tree.loops_around(op))
        for op in loop_tree.preorder(loop)
        if isinstance(op, LoadOp | StoreOp)
    )
    if not draft.pays_in_parallel(work):
        return False
    while True:
        handle = _handle(draft, loop)
        if handle is None:
            return False
        if extent(loop) > 1 and draft.attempt("parallel", handle):
            return True
        child = loop_tree.only_child(loop)
        if not isinstance(child, ForOp):
            return False
        loop = child
