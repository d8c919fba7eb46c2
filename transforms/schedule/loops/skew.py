"""skew: a loop starts later in each iteration of a loop around it.

Before, ``skew loops=t,i factor=1``::

    tir.for %t in 4 {
      tir.for %i in 16 {
        tir.block "A" (opaque %v_t in 4 = %t, opaque %v_i in 16 = %i) do { ... }

After::

    tir.for %t in 4 {
      tir.for %i_s in 19 {
        tir.block "A" (opaque %v_t in 4 = %t, opaque %v_i in 16 = %i_s - %t)
            where (%i_s >= %t, %i_s < %t + 16) do { ... }

``i_s`` is ``i + factor * t``; with a negative factor it is counted from its smallest value. The new
loop is long enough for all iterations of the outer one, and a condition restricts its body to the
iterations of the old inner loop. Its extent therefore does not depend on the outer loop, and
``reorder`` and ``tile`` can exchange the two loops unless a dependence points backwards. Time
tiling of stencils needs this exchange.

*Legal when*

1. KC3466: two loops are named, the second inside the first. KC3030: they are distinct.
2. KC3010, KC3011: both are serial and carry no annotation.
3. KC3036: reduction loops have at least one iteration; in an ordered block (of a scan), a loop over
   elements is not skewed by a reduction loop that may have no iteration.
4. KC3467: the factor is not 0, and the new extent fits 64 bits. KC3499: the constants in the inner
   loop's indices fit 64 bits.
5. KC3468: the extent of the inner loop does not depend on the outer one.

The order of the statements does not change, so no dependence forbids it.

Polyhedral compilers: loop skewing (Wolfe 1986).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap, AffineSet
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.dialects.affine_assembly import at_least_zero
from kc.dialects.tir import ApplyOp, ForOp
from kc.transforms.affine_rewrite import compact, replace_with_expr
from kc.transforms.schedule.base import Gives, LoopRef, Primitive, Rewritten, Site, require_serial
from kc.transforms.schedule.loops._chain import size_point
from kc.transforms.schedule.loops._factors import LIMIT, require_index_numbers
from kc.transforms.schedule.loops._guards import (
    guard_body,
    require_counted_elements,
    require_nonempty_reduction,
)


@dataclass(frozen=True)
class Plan:
    """The outer loop, and the loop that is skewed by it."""

    outer: ForOp
    inner: ForOp


@dataclass(frozen=True)
class Skew(Primitive):
    """Start a loop later in each iteration of a loop around it."""

    name: ClassVar[str] = "skew"
    verb = "was skewed as"
    gives: ClassVar[Gives] = "loop"
    within_nest: ClassVar[bool] = True

    loops: tuple[LoopRef, ...] = field(
        default=(), metadata={"help": "the two loops, outer first", "python": ("outer", "inner")}
    )
    factor: int = field(
        default=1, metadata={"help": "the delay of the start from one outer iteration to the next"}
    )

    def check(self, site: Site) -> Plan:
        loops = [site.resolve_loop(ref) for ref in self.loops]
        if len(loops) != 2:
            raise site.refuse(
                "KC3466",
                "1 loop to skew" if len(loops) == 1 else f"{len(loops)} loops to skew",
                at=loops[0] if loops else site.function,
                why="a loop is skewed by one loop around it",
                hints=["loops=t,i factor=1"],
            )
        outer, inner = loops
        if outer is inner:
            raise site.refuse("KC3030", f"loop {outer.label} is named twice", at=outer)
        if not loop_tree.is_inside(inner, outer):
            turned = loop_tree.is_inside(outer, inner)
            raise site.refuse(
                "KC3466",
                f"loop {inner.label} is not inside {outer.label}",
                at=inner,
                why="its start must depend on a loop that surrounds it",
                hints=[f"loops={inner.label},{outer.label}"] if turned else [],
            )
        require_serial(site, outer)
        require_serial(site, inner)
        require_nonempty_reduction(site, inner)
        require_nonempty_reduction(site, outer)
        require_counted_elements(site, [outer, inner])
        extent = self._extent(site, outer, inner)
        if extent is not None and extent > LIMIT:
            raise site.refuse(
                "KC3467",
                f"skewing {inner.label} by {self.factor} gives it {extent} iterations",
                at=inner,
                why=f"there may be at most {LIMIT}",
            )
        count = (outer.static_extent or 1) - 1
        require_index_numbers(site, inner, abs(self.factor) * max(count, 1))
        return Plan(outer, inner)

    def _extent(self, site: Site, outer: ForOp, inner: ForOp) -> int | None:
        """The new extent if it is constant, else None. Refuses (KC3467, KC3468) an illegal factor
        or inner extent.
        """
        if self.factor == 0:
            raise site.refuse(
                "KC3467",
                "factor 0",
                at=inner,
                why=f"{inner.label} already starts at the same place in each iteration of "
                f"{outer.label}",
                hints=["factor=1"],
            )
        if inner.dynamic_extent is not None and loop_tree.defined_inside(
            inner.dynamic_extent, outer
        ):
            raise site.refuse(
                "KC3468",
                f"the extent of {inner.label} depends on {outer.label}",
                at=inner,
                why=f"the skewed loop needs one extent for all iterations of {outer.label}",
            )
        count, size = outer.static_extent, inner.static_extent
        if count is None:
            return None
        # An unknown size is at least 0.
        extent = (size or 0) + abs(self.factor) * max(count - 1, 0)
        return extent if size is not None or extent > LIMIT else None

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for inner in loop_tree.loops(site.function):
            for outer in loop_tree.loops_around(inner):
                for factor in (1, 2, -1):
                    yield cls((LoopRef(outer), LoopRef(inner)), factor)

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        outer, inner = plan.outer, plan.inner
        (name,) = site.fresh_names([f"{inner.label}_s"], inner, [])
        extent, step = self._new_extent(site, outer, inner), self.factor
        values: list[SSAValue] = []

        def expr_of(value: int | SSAValue) -> AffineExpr:
            if isinstance(value, int):
                return AffineExpr.constant(value)
            values.append(value)
            return AffineExpr.dimension(len(values) - 1)

        body = inner.detach_region(inner.body)
        variable = body.block.args[0]
        skewed, start = expr_of(variable), expr_of(outer.var)
        # counted from the last iteration of the outer loop, where the start is smallest
        if step < 0:
            start = expr_of(outer.extent_value) - 1 - start
        index = skewed - start * abs(step)
        last = expr_of(inner.extent_value) - 1
        replace_with_expr(variable, index, values, InsertPoint.at_start(body.block))
        inside = (at_least_zero(index), at_least_zero(last - index))
        condition = compact(AffineSet(len(values), 0, inside), values)
        guard_body(body.block, *condition, of_nothing=True)
        new = ForOp(name, extent, body)
        variable.name_hint = name
        new.attributes.update(inner.attributes)
        new.location = inner.location
        Rewriter.replace_op(inner, new, [])
        return Rewritten((new,), {inner: (new,)})

    def _new_extent(self, site: Site, outer: ForOp, inner: ForOp) -> int | SSAValue:
        """The extent of the skewed loop: ``extent + |factor| * (count - 1)`` for ``count``
        iterations of ``outer``. A dynamic extent is computed as far outside as possible.
        """
        count, size = outer.extent_value, inner.extent_value
        step = abs(self.factor)
        if isinstance(count, int) and isinstance(size, int):
            return size + step * max(count - 1, 0)
        operands = [value for value in (size, count) if isinstance(value, SSAValue)]
        first = AffineExpr.constant(size) if isinstance(size, int) else AffineExpr.dimension(0)
        second = (
            AffineExpr.constant(count)
            if isinstance(count, int)
            else AffineExpr.dimension(len(operands) - 1)
        )
        sum_ = AffineMap(len(operands), 0, (first + (second - 1) * step,))
        map_, operands = compact(sum_, operands)
        apply = ApplyOp(map_.results[0], operands)
        apply.result.name_hint = f"{inner.label}_size"
        apply.location = inner.location
        Rewriter.insert_op(apply, InsertPoint.before(size_point(site, outer, operands)))
        return apply.result
