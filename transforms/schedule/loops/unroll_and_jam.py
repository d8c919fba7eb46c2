"""unroll-and-jam: several iterations of a loop run together, inside its inner loops.

Before, ``unroll-and-jam loop=i factor=4``::

    tir.for %i in 16 {
      tir.for %j in 32 {
        tir.block "C" (...)

After::

    tir.for %i_o in 4 {
      tir.for %j in 32 {
        tir.for %i_i in 4 unrolled {
          tir.block "C" (...)

The four iterations of ``i`` share the loads in ``j``. A loop with several blocks is distributed
over them, and each block gets the iterations in its innermost loop.

If a statement beside an inner loop is not a block, as in ``te.extern``, all statements are repeated
in place. Before and after, ``unroll-and-jam loop=i factor=2``::

    tir.for %i in 5 {                        tir.for %i_o in 2 {
      %total = tir.alloc "total"               (two allocations, two stores)
      tir.store %zero, %total[0]               tir.for %k in 9 {
      tir.for %k in 9 {                          (what k holds, for i_o * 2)
        ...                                      (what k holds, for i_o * 2 + 1)
      }                                        }
    }                                        }
                                             tir.for %i_r in 1 { ... }

Chains of dependent additions then run side by side. The remaining iterations become a separate
loop.

*Legal when* the split by the factor, the distributions and the exchanges of the new loop are legal
(see split, distribute, reorder, unroll); everything is tried on a copy first, so that a refusal
changes nothing. KC3459: the loop contains a loop. KC3041: iterations with repeated statements are
independent.

MLIR: ``affine-loop-unroll-jam``. Allen and Cocke 1972; Exo: ``unroll_and_jam``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.module_copy import copy_region
from kc.dialects.tir import ApplyOp, ForKind, ForOp
from kc.support.registry import pass_class
from kc.transforms.affine_rewrite import replace_with_expr
from kc.transforms.schedule._buffers import name_apart
from kc.transforms.schedule.base import (
    BlockRef,
    Gives,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
    on_copy,
    require_serial,
)
from kc.transforms.schedule.loops._loop_kinds import require_concurrent

DEFAULT = 4
"""The default factor: the rows of the register tile of most matrix products, which share their
loads.
"""


@dataclass(frozen=True)
class Plan:
    """The loop, and the names of the new loops if statements are repeated in place."""

    loop: ForOp
    names: Sequence[str] = ()


@dataclass(frozen=True)
class UnrollAndJam(Primitive):
    """Unroll a loop and merge the copies inside its inner loops."""

    name: ClassVar[str] = "unroll-and-jam"
    verb = "was unrolled and jammed into"
    gives: ClassVar[Gives] = "loops"

    loop: LoopRef = field(metadata={"help": "the loop"})
    factor: int = field(default=DEFAULT, metadata={"help": "iterations that run together"})

    def check(self, site: Site) -> Plan:
        loop = site.resolve_loop(self.loop)
        require_serial(site, loop)
        if not any(isinstance(op, ForOp) for op in loop.body.walk()):
            raise site.refuse(
                "KC3459",
                f"{loop.label} has no inner loop",
                at=loop,
                why="the iterations are moved into an inner loop",
                hints=[f"split {loop.label} and unroll {loop.label}_i"],
            )
        if _holds_statements(loop):
            self._split(loop).plan(site)
            require_concurrent(site, loop)
            names = site.fresh_names([f"{loop.label}_o", f"{loop.label}_r"], loop, [loop])
            return Plan(loop, names)
        on_copy(site, lambda copy, twin: self._run(copy, twin(loop)))
        return Plan(loop)

    def _run(self, site: Site, loop: ForOp) -> Rewritten:
        outer, inner = self._split(loop).apply(site).loops
        jammed = list(_jam(site, inner))
        return Rewritten((outer, *jammed), {loop: (outer, *jammed)})

    def _split(self, loop: ForOp) -> Primitive:
        return pass_class("split")(LoopRef(loop), (None, self.factor))

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            for factor in (2, 4, 8):
                if loop.static_extent is None or factor <= loop.static_extent:
                    yield cls(LoopRef(loop), factor)

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        if plan.names:
            return _repeat(site, plan, self.factor)
        return self._run(site, plan.loop)


def _jam(site: Site, loop: ForOp) -> Iterator[ForOp]:
    """Move ``loop`` into its innermost children, and unroll it there."""
    for part in _distributed(site, loop):
        child = loop_tree.only_child(part)
        if isinstance(child, ForOp):
            exchanged = pass_class("reorder")((LoopRef(child), LoopRef(part))).apply(site)
            yield from _jam(site, exchanged.loops[1])
        else:
            yield from pass_class("unroll")(LoopRef(part)).apply(site).loops


def _distributed(site: Site, loop: ForOp) -> Iterator[ForOp]:
    """``loop`` with its first statement, then new loops with one statement each."""
    while True:
        parts = [op for op in loop.body.block.ops if loop_tree.has_work(op)]
        if len(parts) < 2 or not any(_holds_loop(part) for part in parts):
            yield loop
            return
        block = loop_tree.blocks(parts[1])[0]
        step = pass_class("distribute")(LoopRef(loop), BlockRef(block))
        first, loop = step.apply(site).loops
        yield first


def _holds_loop(op: Operation) -> bool:
    return any(isinstance(inner, ForOp) for inner in op.walk())


# Statements outside blocks ------------------------------------------------------------------


def _holds_statements(loop: ForOp) -> bool:
    """True if ``loop`` has an inner loop beside a statement without blocks."""
    for around in loop_tree.loops(loop):
        parts = [op for op in around.body.block.ops if loop_tree.has_work(op)]
        if len(parts) > 1 and any(map(_holds_loop, parts)):
            if not all(map(loop_tree.blocks, parts)):
                return True
    return False


def _repeat(site: Site, plan: Plan, factor: int) -> Rewritten:
    """Run ``factor`` iterations of the loop side by side, and the remaining ones in a loop."""
    loop = plan.loop
    if loop.static_extent:
        factor = min(factor, loop.static_extent)
    whole, rest = _parts(loop, factor)
    is_left = isinstance(rest, SSAValue) or rest > 0
    bodies = [copy_region(loop.body) for _ in range(factor - 1 + is_left)]
    name_apart(site, bodies)
    bodies.insert(0, loop.detach_region(loop.body))
    loops = [ForOp(plan.names[0], whole)]
    if is_left:
        last = ForOp(plan.names[1], rest, bodies.pop())
        last.var.name_hint = plan.names[1]
        at, operands = AffineExpr.dimension(0), [last.var]
        if isinstance(whole, SSAValue):
            at, operands = at + AffineExpr.dimension(1) * factor, [last.var, whole]
        else:
            at += whole * factor
        replace_with_expr(last.var, at, operands, InsertPoint.at_start(last.body.block))
        loops.append(last)
    for new in loops:
        new.location = loop.location
    Rewriter.replace_op(loop, loops, [])
    together = loops[0]
    variables = [body.block.args[0] for body in bodies]
    together.body.block.add_ops(_side_by_side([body.block for body in bodies]))
    for n, variable in reversed(list(enumerate(variables))):
        at = AffineExpr.dimension(0) * factor + n
        replace_with_expr(variable, at, [together.var], InsertPoint.at_start(together.body.block))
    return Rewritten(tuple(loops), {loop: tuple(loops)})


def _parts(loop: ForOp, factor: int) -> tuple[int | SSAValue, int | SSAValue]:
    """The number of groups of ``factor`` iterations, and the number of remaining iterations."""
    extent = loop.extent_value
    if isinstance(extent, int):
        return divmod(extent, factor)
    if factor == 1:
        return extent, 0
    size = AffineExpr.dimension(0)
    whole = ApplyOp(size // factor, [extent])
    # the remainder is at most the extent
    rest = ApplyOp.of_groups("min", [[size], [size % factor]], [extent])
    for op in (whole, rest):
        op.location = loop.location
        Rewriter.insert_op(op, InsertPoint.before(loop))
    return whole.result, rest.result


def _side_by_side(bodies: Sequence[Block]) -> list[Operation]:
    """The operations of ``bodies``, which are copies of one body, interleaved: the first operation
    of each, the second of each, and so on. Inner loops with equal trip counts are merged.
    """
    merged: list[Operation] = []
    for ops in zip(*[list(body.ops) for body in bodies], strict=True):
        for op in ops:
            op.detach()
        first = ops[0]
        if not isinstance(first, ForOp) or not _run_alike(ops):
            merged += ops
            continue
        blocks = [op.regions[0].block for op in ops]
        inside = _side_by_side(blocks)
        for block in blocks[1:]:
            block.args[0].replace_all_uses_with(blocks[0].args[0])
        blocks[0].add_ops(inside)
        merged.append(first)
        for op in ops[1:]:
            op.erase()
    return merged


def _run_alike(loops: Sequence[Operation]) -> bool:
    """True if loops, copies of one loop, are serial and have the same trip count.

    Software pipelines stay separate, because their annotations have an entry for each statement.
    """
    return all(
        isinstance(loop, ForOp)
        and not (
            loop.annotations and any("software_pipeline" in key for key in loop.annotations.data)
        )
        and loop.kind.data in (ForKind.SERIAL, ForKind.UNROLLED)
        and tuple(loop.operands) == tuple(loops[0].operands)
        for loop in loops
    )
