"""Hoisting of loop-invariant conditions and values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import AffineSetAttr, IntegerAttr, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintExpr
from xdsl.transforms.loop_invariant_code_motion import can_be_hoisted

from kc.analysis.accesses.virtual_threads import needs_lockstep
from kc.analysis.affine.index_values import IndexValues, dimensions
from kc.analysis.loop_tree import defined_inside, has_effects, preorder, touches_memory
from kc.analysis.module_copy import copy_operation
from kc.dialects.tir import BlockOp, DelinearizeOp, ForKind, ForOp, IfOp, LoadOp
from kc.transforms.tir.pipeline._pipeline_notes import is_pipelined
from kc.transforms.tir.vectorize._vector_masks import DIVISIONS


@dataclass(frozen=True)
class Hoisted:
    """The kinds of operations that are moved out of loops."""

    guards: bool = True
    """Conditions of branches without results: ``tir.if``, ``scf.if``."""

    choices: bool = False
    """Conditions of ``scf.if`` with results."""

    booleans: bool = False
    """Values of type i1."""

    operands: bool = False
    """Values that conditions are computed from."""

    values: bool = False
    """All values without effects."""

    past_threads: bool = False
    """True to move conditions out of thread loops, too."""


def hoist(function: FuncOp, hoisted: Hoisted, copied_operations: int) -> None:
    """Move the operations that ``hoisted`` selects out of the loops of ``function``, as far out as
    possible.

    A condition in front of a loop makes two copies of the loop, unless one of them would have no
    effect. The copies have at most ``copied_operations`` operations altogether.
    """
    _Hoisting(hoisted, copied_operations).region(function.body)


class _Hoisting:
    def __init__(self, hoisted: Hoisted, budget: int) -> None:
        self.hoisted = hoisted
        self.budget = budget
        self.index = IndexValues()

    def region(self, region: Region) -> None:
        for block in region.blocks:
            for op in list(block.ops):
                for inner in op.regions:
                    self.region(inner)
                if isinstance(op, ForOp) and self._is_open(op):
                    self._loop(op)

    def _is_open(self, loop: ForOp) -> bool:
        if loop.kind.data is ForKind.THREAD and not self.hoisted.past_threads:
            return False
        if is_pipelined(loop):
            return False  # its annotations count its statements
        return not any(type(inner) is BlockOp for inner in preorder(loop))

    def _loop(self, loop: ForOp) -> None:
        self._move_values(loop)
        branches = _branches(loop)
        effects = _effects(loop) if branches else 0
        size = sum(1 for _ in preorder(loop)) if branches else 0
        for op in branches:
            loops = self._branch(loop, op, effects, size)
            if loops:
                for part in loops:
                    self._loop(part)
                return

    # Values

    def _move_values(self, loop: ForOp) -> None:
        moved = self._wanted(loop)
        block = loop.parent
        assert block is not None
        for op in list(loop.body.block.ops):
            if op in moved and can_be_hoisted(op, loop.body):
                op.detach()
                block.insert_op_before(op, loop)

    def _wanted(self, loop: ForOp) -> set[Operation]:
        """The operations in the body of ``loop`` that ``hoisted`` selects."""
        is_boolean = {
            op for op in loop.body.block.ops if any(_is_boolean(value) for value in op.results)
        }
        if self.hoisted.values:
            roots = set(loop.body.block.ops)
        else:
            roots = is_boolean if self.hoisted.booleans else set()
            if self.hoisted.operands:
                roots = roots | {
                    value.owner
                    for branch in _branches(loop)
                    for value in branch.operands
                    if isinstance(value.owner, Operation)
                }
        hoisted: set[Operation] = set()
        work = [op for op in roots if op.parent is loop.body.block]
        while work:
            op = work.pop()
            if op not in hoisted and _is_free(op):
                hoisted.add(op)
                makers = (value.owner for value in op.operands)
                work += [
                    maker
                    for maker in makers
                    if isinstance(maker, Operation) and maker.parent is loop.body.block
                ]
        return hoisted

    # Branches

    def _branch(self, loop: ForOp, op: IfOp | scf.IfOp, effects: int, size: int) -> Sequence[ForOp]:
        """Move the loop-invariant part of the condition of ``op`` in front of ``loop``.

        ``effects`` is the number of operations in the loop that have effects, ``size`` the number
        of all its operations. Return the loop that runs if the moved condition holds and the loop
        that runs otherwise; nothing if the condition stays.
        """
        if not (self.hoisted.choices if op.results else self.hoisted.guards):
            return ()
        if needs_lockstep(loop):
            return ()  # threads in different branches wait for each other
        outside: list[AffineConstraintExpr] = []
        inside: list[AffineConstraintExpr] = []
        if isinstance(op, IfOp):
            conditions = self.index.conditions(op.condition.data, op.operands_of_set)
            for condition in conditions or ():
                (inside if self._changes(condition, loop) else outside).append(condition)
            if not outside:
                return ()
        elif defined_inside(op.cond, loop):
            return ()
        is_alone = not _has_orelse(op) and _effects(op) == effects
        loops = [loop]
        if not is_alone:
            if size > self.budget:
                return ()
            self.budget -= size
            loops.append(_copy_without(loop, op))
        block = loop.parent
        assert block is not None
        regions = [Region(Block()) for _ in loops]
        if isinstance(op, IfOp):
            space, operands = self.index.to_set(outside)
            guard: Operation = IfOp(space, operands, *regions)
        else:
            for region in regions:
                region.block.add_op(scf.YieldOp())
            guard = scf.IfOp(op.cond, [], regions[0], regions[1] if len(regions) > 1 else None)
        for new in guard.walk():
            new.location = op.location
        if inside and isinstance(op, IfOp):
            space, op.operands = self.index.to_set(inside)
            op.condition = AffineSetAttr(space)
        else:
            _inline(op, op.regions[0])
        block.insert_op_before(guard, loop)
        loop.detach()
        for part, region in zip(loops, regions, strict=True):
            end = region.block.last_op
            if end is None:
                region.block.add_op(part)
            else:
                region.block.insert_op_before(part, end)
        return loops

    def _changes(self, condition: AffineConstraintExpr, loop: ForOp) -> bool:
        roots = (self.index.roots[position] for position in dimensions(condition.lhs))
        return any(root is None or defined_inside(root, loop) for root in roots)


def _branches(loop: ForOp) -> list[IfOp | scf.IfOp]:
    """The branches in the body of ``loop`` that are not in inner loops, outer branches first."""
    branches: list[IfOp | scf.IfOp] = []
    work: list[Operation] = list(reversed(list(loop.body.block.ops)))
    while work:
        op = work.pop()
        if isinstance(op, IfOp | scf.IfOp):
            branches.append(op)
            inner = [op for region in op.regions for block in region.blocks for op in block.ops]
            work += reversed(inner)
    return branches


def _has_orelse(op: IfOp | scf.IfOp) -> bool:
    return bool(op.results) or any(
        not isinstance(inner, scf.YieldOp) for block in op.regions[1].blocks for inner in block.ops
    )


def _effects(root: Operation) -> int:
    """The number of operations in ``root`` that themselves change memory, or may change it."""
    return sum(
        1
        for region in root.regions
        for op in region.walk()
        if touches_memory(op) and not isinstance(op, LoadOp)
    )


def _is_free(op: Operation) -> bool:
    """True if ``op`` may run even if its result is not needed: it has no effect and cannot trap."""
    return bool(op.results) and not op.regions and not has_effects(op) and not _may_trap(op)


def _may_trap(op: Operation) -> bool:
    if isinstance(op, math.IPowIOp):
        return True  # zero to a negative power
    if isinstance(op, DelinearizeOp):
        return not all(_is_positive(size) for size in op.sizes)
    return isinstance(op, DIVISIONS) and not _is_positive(op.rhs)


def _is_positive(value: SSAValue) -> bool:
    maker = value.owner
    number = maker.value if isinstance(maker, arith.ConstantOp) else None
    return isinstance(number, IntegerAttr) and number.value.data > 0


def _is_boolean(value: SSAValue) -> bool:
    return value.type == i1


def _copy_without(loop: ForOp, op: IfOp | scf.IfOp) -> ForOp:
    """A copy of ``loop`` in which the condition of ``op`` is false."""
    copy = copy_operation(loop)
    assert isinstance(copy, ForOp)
    ops = zip(preorder(loop), preorder(copy), strict=True)
    counterpart = next(new for old, new in ops if old is op)
    _inline(counterpart, counterpart.regions[1])
    return copy


def _inline(op: Operation, region: Region) -> None:
    """Replace ``op`` by the content of ``region``, one of its branches."""
    block = op.parent
    assert block is not None
    values: Sequence[SSAValue] = ()
    for inner in [inner for side in region.blocks for inner in side.ops]:
        if isinstance(inner, scf.YieldOp):
            values = inner.operands
        else:
            inner.detach()
            block.insert_op_before(inner, op)
    for old, new in zip(op.results, values, strict=True):
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()
