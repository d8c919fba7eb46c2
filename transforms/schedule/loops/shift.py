"""shift: a loop gets empty iterations before its first and after its last iteration.

Before, ``shift loop=i by=1``::

    tir.for %i in 16 {
      tir.block "B" (spatial %v_i in 16 = %i) do { ... }

After::

    tir.for %i_s in 17 {
      tir.block "B" (spatial %v_i in 16 = %i_s - 1) where (%i_s >= 1) do { ... }

The work of the loop starts ``by`` iterations later; ``after`` empty iterations follow it. Two loops
cannot be merged if the second loop needs results of later iterations of the first. In this case,
shift the second loop by that number of iterations, and lengthen the first by the same number
(``after``).

*Legal when*

1. KC3010, KC3011: the loop is serial and carries no annotation.
2. KC3036: a reduction loop has at least one iteration.
3. KC3458: neither number is negative, at least one is not 0, and the new extent fits 64 bits.
4. KC3499: the constants in its indices fit 64 bits.

The order of the statements does not change, so no dependence forbids it.

Exo: ``shift_loop``. Polyhedral compilers: shifting of statements, loop alignment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineExpr, AffineSet
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.dialects.affine_assembly import at_least_zero
from kc.dialects.tir import ApplyOp, ForOp
from kc.transforms.affine_rewrite import compact, replace_with_expr
from kc.transforms.schedule.base import Gives, LoopRef, Primitive, Rewritten, Site, require_serial
from kc.transforms.schedule.loops._chain import size_point
from kc.transforms.schedule.loops._factors import LIMIT, require_index_numbers
from kc.transforms.schedule.loops._guards import guard_body, require_nonempty_reduction


@dataclass(frozen=True)
class Shift(Primitive):
    """Delay the work of a loop by some iterations."""

    name: ClassVar[str] = "shift"
    verb = "was shifted as"
    gives: ClassVar[Gives] = "loop"
    within_nest: ClassVar[bool] = True

    loop: LoopRef = field(metadata={"help": "the loop"})
    by: int = field(default=0, metadata={"help": "the number of empty iterations before"})
    after: int = field(
        default=0, metadata={"help": "the number of empty iterations after the loop"}
    )

    def check(self, site: Site) -> ForOp:
        loop = site.resolve_loop(self.loop)
        require_serial(site, loop)
        require_nonempty_reduction(site, loop)
        if self.by < 0 or self.after < 0 or not self.by + self.after:
            raise site.refuse(
                "KC3458",
                f"{self.by} iterations before {loop.label} and {self.after} after it",
                at=loop,
                why="a loop starts at 0, so it is shifted by at least 1 empty iteration"
                if self.by + self.after or self.by
                else "this leaves the loop unchanged",
                hints=["by=1", "after=1"],
            )
        extent = loop.static_extent
        if (extent or 0) + self.by + self.after > LIMIT:
            raise site.refuse(
                "KC3458",
                f"{self.by} iterations before {loop.label} and {self.after} after it",
                at=loop,
                why=f"the loop would have more than {LIMIT} iterations",
            )
        require_index_numbers(site, loop, self.by + self.after)
        return loop

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            yield cls(LoopRef(loop), 1, 0)
            yield cls(LoopRef(loop), 0, 1)

    def rewrite(self, site: Site, plan: ForOp) -> Rewritten:
        loop, extent = plan, plan.extent_value
        (name,) = site.fresh_names([f"{loop.label}_s"], loop, [])
        size = self._new_extent(site, loop)
        body = loop.detach_region(loop.body)
        variable = body.block.args[0]
        values: list[SSAValue] = [variable]
        index = AffineExpr.dimension(0) - self.by
        replace_with_expr(variable, index, values, InsertPoint.at_start(body.block))
        inside: list[AffineConstraintExpr] = [at_least_zero(index)] if self.by else []
        if self.after:
            if isinstance(extent, int):
                inside.append(at_least_zero(AffineExpr.constant(extent - 1) - index))
            else:
                values.append(extent)
                inside.append(at_least_zero(AffineExpr.dimension(1) - 1 - index))
        condition = compact(AffineSet(len(values), 0, tuple(inside)), values)
        guard_body(body.block, *condition, of_nothing=True)
        new = ForOp(name, size, body)
        variable.name_hint = name
        new.attributes.update(loop.attributes)
        new.location = loop.location
        Rewriter.replace_op(loop, new, [])
        return Rewritten((new,), {loop: (new,)})

    def _new_extent(self, site: Site, loop: ForOp) -> int | SSAValue:
        more = self.by + self.after
        extent = loop.extent_value
        if isinstance(extent, int):
            return extent + more
        apply = ApplyOp(AffineExpr.dimension(0) + more, [extent])
        apply.result.name_hint = f"{loop.label}_size"
        apply.location = loop.location
        Rewriter.insert_op(apply, InsertPoint.before(size_point(site, loop, [extent])))
        return apply.result
