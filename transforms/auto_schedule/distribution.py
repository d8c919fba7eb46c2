"""distribution: what shares loops with other statements gets loops of its own.

Programs that are raised from loops have statements beside inner loops; the rules for products and
reductions want a nest for each block. Where a nest has three loops or more, its outer loops become
several (``distribute``), as what is computed then outweighs the memory that is gone through again.
In nests of two loops only the inner ones do, so that a row that several statements use stays in the
cache. A recurrence stays where it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from kc.analysis import loop_tree
from kc.dialects.tir import ForOp, IterType, LoadOp, StoreOp
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.reduction import gain
from kc.transforms.auto_schedule.rule import Rule

DEEP = 3
"""Loops around a block of a nest whose outermost loop is distributed."""


class Distribution(Rule):
    """Give blocks loops of their own."""

    name = "distribution"
    downward = True

    def apply(self, draft: Draft, block: str) -> bool:
        loops = draft.nest(block).loops
        if not loops or block in draft.begun:
            return False
        depth = max(
            len(loop_tree.loops_around(neighbour))
            for neighbour in loop_tree.blocks(draft.function)
            if loop_tree.is_inside(neighbour, loops[0])
        )
        changed = False
        for number in range(0 if depth >= DEEP else 1, len(loops)):
            handles = draft.loops(block)
            loop = list(handles)[number]
            if _pays(draft, block, loop):
                changed |= draft.attempt("distribute", handles[loop], draft.block(block))
        return changed


def _pays(draft: Draft, block: str, loop: ForOp) -> bool:
    """Whether statements of ``loop`` come before the block, and either has inner loops, or it adds
    up terms that are contiguous."""
    nest = draft.nest(block)
    before: list[Operation] = []
    for op in loop.body.block.ops:
        if loop_tree.is_inside(nest.block, op):
            break
        if loop_tree.has_work(op):
            before.append(op)
    if not before or _share_a_number(loop, before):
        return False
    if any(isinstance(op, ForOp) for op in before) or nest.loops[-1] is not loop:
        return True
    is_sum = nest.block.is_reduction and IterType.OPAQUE not in nest.kinds[loop]
    return is_sum and gain(nest, loop) > 0


def _share_a_number(loop: ForOp, before: list[Operation]) -> bool:
    """Whether a variable of one element, of all iterations, is written in one part and used in the
    second: each iteration needs its own. A proof that ``distribute`` is illegal costs much more."""
    first, second = _Numbers(), _Numbers()
    parts = set(before)
    for op in loop.body.block.ops:
        part = first if op in parts else second
        for inner in op.walk():
            if isinstance(inner, LoadOp | StoreOp) and _is_number_outside(inner.buffer, loop):
                part.used.add(inner.buffer)
                if isinstance(inner, StoreOp):
                    part.written.add(inner.buffer)
    return not (first.written.isdisjoint(second.used) and second.written.isdisjoint(first.used))


@dataclass
class _Numbers:
    """Variables of one element that a part of a loop uses."""

    used: set[SSAValue] = field(default_factory=set)
    written: set[SSAValue] = field(default_factory=set)


def _is_number_outside(buffer: SSAValue, loop: ForOp) -> bool:
    shape = buffer.type.get_shape() if isinstance(buffer.type, MemRefType) else (0,)
    owner = buffer.owner
    inside = isinstance(owner, Operation) and loop_tree.is_inside(owner, loop)
    return all(extent == 1 for extent in shape) and not inside
