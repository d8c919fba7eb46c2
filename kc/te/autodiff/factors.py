"""Move factors that all terms of a sum share out of the sum: they are multiplied once."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

from kc.expr.constructors import Binary, Call, Const, Element, Expr, binary, walk
from kc.te.autodiff.reads import Flow

_FEW = 8
"""A sum of fewer terms is left unchanged: one loop nest is faster than two."""


def factored(flow: Flow) -> tuple[Flow, Callable[[Expr], Expr]]:
    """A sum without the factors that are common to all its terms, and a function that multiplies a
    sum by them.

    Without common factors the first result is ``flow`` itself. A factor's reads must be in bounds
    even if there are no terms, so sums with conditions keep their reads.
    """
    extents = [extent if isinstance(extent, int) else math.inf for _, extent in flow.loops]
    if math.prod(extents) < _FEW:
        return flow, lambda total: total
    inner, outer = _Factors(flow).split(flow.term)
    if inner is None or not outer:
        return flow, lambda total: total

    def put_back(total: Expr) -> Expr:
        for factor in outer:
            total = factor(total)
        return total

    return dataclasses.replace(flow, term=inner), put_back


_Step = Callable[[Expr], Expr]


class _Factors:
    def __init__(self, flow: Flow) -> None:
        self.loops = {axis for axis, _ in flow.loops}
        self.may_read = not flow.conditions

    def _is_common(self, expr: Expr) -> bool:
        """True if ``expr`` is the same in all terms and may be computed outside of them."""
        return not any(
            part in self.loops or (isinstance(part, Element) and not self.may_read)
            for part in walk(expr)
        )

    def split(self, expr: Expr) -> tuple[Expr | None, list[_Step]]:
        """The term without the factor (None if nothing is left), and the steps that apply the
        factor to the sum instead.
        """
        if isinstance(expr, Call) and expr.op == "neg":
            inner, steps = self.split(expr.args[0])
            return inner, [*steps, lambda total: -total]
        if isinstance(expr, Binary) and expr.op in ("mul", "div"):
            lhs, rhs = expr.lhs, expr.rhs
            if self._is_common(rhs):
                inner, steps = self.split(lhs)
                return inner, [*steps, lambda total: binary(expr.op, total, rhs)]
            if expr.op == "mul" and self._is_common(lhs):
                inner, steps = self.split(rhs)
                return inner, [*steps, lambda total: binary("mul", total, lhs)]
            left, steps = self.split(lhs)
            right, more = (rhs, []) if expr.op == "div" else self.split(rhs)
            if left is None or right is None:
                return expr, []
            if not steps and not more:
                return expr, []
            return binary(expr.op, left, right), [*steps, *more]
        # A term that is the same in all iterations would be a product with their number; it is left
        # unchanged.
        return (None if self._is_common(expr) and not isinstance(expr, Const) else expr), []
