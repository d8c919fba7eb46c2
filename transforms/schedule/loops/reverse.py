"""reverse: a loop runs from its last iteration to its first.

Before, ``reverse loop=i``::

    tir.for %i in 16 {
      tir.block "B" (spatial %v_i in 16 = %i) do { ... }

After::

    tir.for %i_r in 16 {
      tir.block "B" (spatial %v_i in 16 = %i_r * -1 + 15) do { ... }

The reversed loop is a new loop, with the suffix ``_r``.

*Legal when*

1. KC3010, KC3011: the loop is serial and carries no annotation.
2. KC3457: no iteration depends on an earlier one. Updates of one reduction may be exchanged (the
   combiner is associative and commutative), its initialisation may not.

Exo: ``reverse_loop``. Polyhedral compilers: loop reversal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import Conflict, Scope, Statement
from kc.analysis.affine.terms import Condition, lexicographic
from kc.dialects.tir import ForOp
from kc.transforms.affine_rewrite import replace_with_expr
from kc.transforms.schedule.base import Gives, LoopRef, Primitive, Rewritten, Site, require_serial


@dataclass(frozen=True)
class Reverse(Primitive):
    """Run a loop backwards."""

    name: ClassVar[str] = "reverse"
    verb = "was reversed as"
    gives: ClassVar[Gives] = "loop"
    undecidable = True

    loop: LoopRef = field(metadata={"help": "the loop"})

    def check(self, site: Site) -> ForOp:
        loop = site.resolve_loop(self.loop)
        require_serial(site, loop)
        conflict = _ordered(loop)
        if conflict is not None:
            raise site.refuse(
                "KC3457",
                f"running {loop.label} backwards "
                + ("cannot be proven to keep" if conflict.undecided else "changes")
                + " the result",
                at=loop,
                why=conflict.explain(),
            )
        return loop

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            yield cls(LoopRef(loop))

    def rewrite(self, site: Site, plan: ForOp) -> Rewritten:
        (name,) = site.fresh_names([f"{plan.label}_r"], plan, [])
        extent = plan.extent_value
        body = plan.detach_region(plan.body)
        variable = body.block.args[0]
        sizes: list[SSAValue] = [] if isinstance(extent, int) else [extent]
        last = (
            AffineExpr.constant(extent - 1)
            if isinstance(extent, int)
            else AffineExpr.dimension(1) - 1
        )
        start = InsertPoint.at_start(body.block)
        replace_with_expr(variable, last - AffineExpr.dimension(0), [variable, *sizes], start)
        new = ForOp(name, extent, body)
        variable.name_hint = name
        new.attributes.update(plan.attributes)
        new.location = plan.location
        Rewriter.replace_op(plan, new, [])
        return Rewritten((new,), {plan: (new,)})


def _ordered(loop: ForOp) -> Conflict | None:
    """A dependence between two iterations of the loop, within one iteration of the loops around it;
    None if there is none.
    """
    scope = Scope(loop)

    def breaks(source: Statement, sink: Statement) -> Condition:
        return lexicographic(source.times("s")[:1], sink.times("t")[:1])

    return scope.find(breaks, ignore_reductions=True)
