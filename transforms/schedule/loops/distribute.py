"""distribute: a loop becomes two loops; the second loop runs the rest of each iteration's
statements.

Before, ``distribute loop=i block=C``::

    tir.for %i in 16 {
      tir.block "B" (spatial %v_i in 16 = %i) do { ... }
      tir.block "C" (spatial %v_i in 16 = %i) do { ... }

After::

    tir.for %i in 16 {
      tir.block "B" (spatial %v_i in 16 = %i) do { ... }
    tir.for %i_d in 16 {
      tir.block "C" (spatial %v_i in 16 = %i_d) do { ... }

The second loop begins with the statement that contains the block. ``merge`` is the inverse. Index
arithmetic that both parts need is computed in both.

*Legal when*

1. KC3010, KC3011: the loop is serial and carries no annotation.
2. KC3463: the block is in the loop, after at least one statement with work.
3. KC3464: no iteration of the first part depends on an earlier iteration of the second part, nor on
   the initial value of a reduction in the second part that may be empty.
4. KC3465: the second part uses no buffer and no loaded value of an iteration of the first part.

Exo: ``fission``. MLIR and polyhedral compilers: loop distribution, loop fission.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import Conflict, Scope, Statement
from kc.analysis.affine.terms import Condition, lexicographic
from kc.analysis.captures import captured_values
from kc.dialects.tir import ForOp
from kc.transforms.schedule._blocks import describe
from kc.transforms.schedule.base import (
    BlockRef,
    Gives,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
    require_serial,
)
from kc.transforms.schedule.loops._early_inits import early_init


@dataclass(frozen=True)
class Plan:
    """The loop, the operations that move to the second loop, and the arithmetic that both loops
    need.
    """

    loop: ForOp
    moved: list[Operation]
    shared: list[Operation]


@dataclass(frozen=True)
class Distribute(Primitive):
    """Distribute the body of a loop over two loops."""

    name: ClassVar[str] = "distribute"
    verb = "was distributed over"
    gives: ClassVar[Gives] = "loops"
    undecidable = True

    loop: LoopRef = field(metadata={"help": "the loop"})
    block: BlockRef = field(metadata={"help": "the first block of the second loop"})

    def check(self, site: Site) -> Plan:
        loop = Site(site.function, site.target, self.block).resolve_loop(self.loop)
        block = site.resolve_block(self.block)
        require_serial(site, loop)
        body = list(loop.body.block.ops)
        start = next((n for n, op in enumerate(body) if loop_tree.is_inside(block, op)), None)
        if start is None or not any(loop_tree.has_work(op) for op in body[:start]):
            raise site.refuse(
                "KC3463",
                f"{loop.label} has no operations before {describe(block)}"
                if start is not None
                else f"{describe(block)} is not in {loop.label}",
                at=loop,
                why="distribute divides the body before the block, and neither part may be empty",
            )
        moved = body[start:]
        shared = self._shared(site, loop, body[:start], moved)
        conflict = _backward(loop, moved)
        why = early_init([loop], moved, body[:start]) if conflict is None else conflict.explain()
        if why is not None:
            raise site.refuse(
                "KC3464",
                f"running the iterations of {loop.label} before {describe(block)} first "
                + ("cannot be proven to keep" if conflict and conflict.undecided else "changes")
                + " the result",
                at=loop,
                beside=[block],
                why=why,
            )
        return Plan(loop, moved, shared)

    @staticmethod
    def _shared(
        site: Site, loop: ForOp, first: list[Operation], moved: list[Operation]
    ) -> list[Operation]:
        """The operations of the first part whose results the second part needs; all are
        arithmetic.
        """
        needed: set[Operation] = set()
        waiting = [value for op in moved for value in _used(op)]
        while waiting:
            owner = waiting.pop().owner
            if not isinstance(owner, Operation) or owner not in first or owner in needed:
                continue
            if not is_side_effect_free(owner):
                raise site.refuse(
                    "KC3465",
                    f"the second part of {loop.label} uses a result of {describe(owner)}",
                    at=loop,
                    beside=[owner],
                    why="the result belongs to one iteration of the first part, and is gone when "
                    "the second part begins",
                    hints=["store the value to a buffer that has an element for each iteration"],
                )
            needed.add(owner)
            waiting += _used(owner)
        return [op for op in first if op in needed]

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            for loop in loop_tree.loops_around(block):
                yield cls(LoopRef(loop), BlockRef(block))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        loop = plan.loop
        (name,) = site.fresh_names([f"{loop.label}_d"], loop, [])
        second = ForOp(name, loop.extent_value)
        second.location = loop.location
        Rewriter.insert_op(second, InsertPoint.after(loop))
        body = second.body.block
        values: dict[SSAValue, SSAValue] = {loop.var: second.var}
        for op in plan.shared:
            copy = op.clone(values)
            copy.location = op.location
            body.add_op(copy)
            for old, new in zip(op.results, copy.results, strict=True):
                values[old] = new
        for op in plan.moved:
            op.detach()
            body.add_op(op)
            for inner in op.walk():
                inner.operands = [values.get(operand, operand) for operand in inner.operands]
        return Rewritten((loop, second), {})


def _used(op: Operation) -> list[SSAValue]:
    """The values from outside that ``op`` and its regions use."""
    return [*op.operands, *captured_values(op)]


def _backward(loop: ForOp, moved: list[Operation]) -> Conflict | None:
    """A dependence of the first part on an earlier iteration of the second part; None if there is
    none.
    """
    scope = Scope(loop)
    second = set(moved)

    def is_second(statement: Statement) -> bool:
        op: Operation | None = statement.op
        while op is not None and op.parent is not loop.body.block:
            op = op.parent_op()
        return op in second

    def breaks(source: Statement, sink: Statement) -> Condition | None:
        if not is_second(source) or is_second(sink):
            return None
        return lexicographic(source.times("s")[:1], sink.times("t")[:1])

    return scope.find(breaks, ignore_reductions=False)
