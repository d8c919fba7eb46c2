"""unroll-and-jam: some iterations of a loop are done together, inside of the loops that it holds.

Before, ``unroll-and-jam loop=i factor=4``::

    tir.for %i in 16 {
      tir.for %j in 32 {
        tir.block "C" (...)

After::

    tir.for %i_o in 4 {
      tir.for %j in 32 {
        tir.for %i_i in 4 unrolled {
          tir.block "C" (...)

What ``j`` loads is used by the four iterations of ``i`` at once. A loop that holds several
statements is distributed over them, each with the iterations in its innermost loop.

*Legal when* the split by the factor is legal, and so are the distributions and exchanges of the new
loop (see split, distribute, reorder, unroll); everything is tried on a copy first, so that a
refusal changes nothing. KC3459: there is a loop inside, and everything that has to be distributed
is a block or contains one.

MLIR: ``affine-loop-unroll-jam``. Allen and Cocke 1972; Exo: ``unroll_and_jam``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import Operation

from kc.analysis import loop_tree
from kc.dialects.tir import ForOp
from kc.support.registry import pass_class
from kc.transforms.schedule._blocks import describe
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

DEFAULT = 4
"""So many rows share what is loaded for them in the register tiles of most products."""


@dataclass(frozen=True)
class UnrollAndJam(Primitive):
    """Unroll a loop and merge the copies inside its inner loops."""

    name: ClassVar[str] = "unroll-and-jam"
    verb = "was unrolled and jammed into"
    gives: ClassVar[Gives] = "loops"

    loop: LoopRef = field(metadata={"help": "the loop"})
    factor: int = field(default=DEFAULT, metadata={"help": "how many iterations come together"})

    def check(self, site: Site) -> ForOp:
        loop = site.resolve_loop(self.loop)
        require_serial(site, loop)
        if not any(isinstance(op, ForOp) for op in loop.body.walk()):
            raise site.refuse(
                "KC3459",
                f"there is no loop in {loop.label}",
                at=loop,
                why="the iterations are jammed into a loop inside",
                hints=[f"split {loop.label} and unroll {loop.label}_i"],
            )
        on_copy(site, lambda copy, twin: self._run(copy, twin(loop)))
        return loop

    def _run(self, site: Site, loop: ForOp) -> Rewritten:
        outer, inner = pass_class("split")(LoopRef(loop), (None, self.factor)).apply(site).loops
        jammed = list(_jam(site, inner))
        return Rewritten((outer, *jammed), {loop: (outer, *jammed)})

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            for factor in (2, 4, 8):
                if loop.static_extent is None or factor <= loop.static_extent:
                    yield cls(LoopRef(loop), factor)

    def rewrite(self, site: Site, plan: ForOp) -> Rewritten:
        return self._run(site, plan)


def _jam(site: Site, loop: ForOp) -> Iterator[ForOp]:
    """Move ``loop`` inside of everything that it holds, and unroll it there."""
    for part in _distributed(site, loop):
        child = loop_tree.only_child(part)
        if isinstance(child, ForOp):
            exchanged = pass_class("reorder")((LoopRef(child), LoopRef(part))).apply(site)
            yield from _jam(site, exchanged.loops[1])
        else:
            yield from pass_class("unroll")(LoopRef(part)).apply(site).loops


def _distributed(site: Site, loop: ForOp) -> Iterator[ForOp]:
    """``loop`` with the first of the statements that it holds, then others with one each."""
    while True:
        parts = [op for op in loop.body.block.ops if loop_tree.has_work(op)]
        if len(parts) < 2 or not any(_holds_loop(part) for part in parts):
            yield loop
            return
        blocks = loop_tree.blocks(parts[1])
        if not blocks:
            raise site.refuse(
                "KC3459",
                f"{describe(parts[1])} in {loop.label} is not a block, and holds none",
                at=loop,
                beside=[parts[1]],
                why=f"{loop.label} would be distributed over what it holds, at a block",
            )
        step = pass_class("distribute")(LoopRef(loop), BlockRef(blocks[0]))
        first, loop = step.apply(site).loops
        yield first


def _holds_loop(op: Operation) -> bool:
    return any(isinstance(inner, ForOp) for inner in op.walk())
