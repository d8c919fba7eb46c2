"""The choice between a lazy and an eager ``Select``.

A ``Select`` whose values can always be computed computes both, and vectorizes as one instruction.
A ``Select`` with a read that only its condition keeps in bounds becomes lazy, like
``if_then_else``. TVM's pass RewriteUnsafeSelect does so for every load; here, a read with an index
that is proven in bounds leaves the ``Select`` eager.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kc.analysis.affine.isl_sets import is_impossible
from kc.analysis.affine.terms import Condition, Term, all_of, dim, term_of
from kc.expr.constructors import (
    Binary,
    Cast,
    Const,
    Element,
    Expr,
    ExprLike,
    IfThenElse,
    IterVar,
    SelectExpr,
    Var,
    as_expr,
    children,
    walk,
)
from kc.expr.dtypes import bits, is_float, is_signed, lanes
from kc.expr.indices import Space, affine_condition


def is_lazy(expr: Expr) -> bool:
    """True if ``expr`` is a choice that computes only the chosen value."""
    if isinstance(expr, IfThenElse):
        return True
    if not isinstance(expr, SelectExpr) or lanes(expr.condition.dtype) > 1 or lanes(expr.dtype) > 1:
        return False
    return _may_read_outside(expr.on_true) or _may_read_outside(expr.on_false)


def _may_read_outside(expr: Expr) -> bool:
    """True if computing ``expr`` may read an element out of bounds.

    The values of a nested choice are computed only under the conditions of that choice.
    """
    reads = [part for part in walk(expr) if isinstance(part, Element)]
    if all(_is_inside(*pair) for read in reads for pair in _indices(read)):
        return False
    guards = [_Guards(Space(), ())]
    waiting, seen = [(expr, 0)], {(expr, 0)}
    while waiting:
        current, n = waiting.pop()
        if isinstance(current, Element) and not all(
            _is_inside(index, size) or guards[n].keep_inside(index, size)
            for index, size in _indices(current)
        ):
            return True
        parts = [(part, n) for part in children(current)]
        if isinstance(current, IfThenElse | SelectExpr):
            chosen = (
                guards[n].and_where(current.condition, holds=holds) for holds in (True, False)
            )
            parts = [(current.condition, n)]
            for value, guard in zip((current.on_true, current.on_false), chosen, strict=True):
                if guard.facts == guards[n].facts:  # the condition adds no fact
                    parts.append((value, n))
                    continue
                guards.append(guard)
                parts.append((value, len(guards) - 1))
        for part in parts:
            if part not in seen:
                seen.add(part)
                waiting.append(part)
    return False


@dataclass(frozen=True)
class _Guards:
    """The facts about axes and sizes at the computation of a value."""

    space: Space
    facts: tuple[Condition, ...]

    def and_where(self, condition: Expr, *, holds: bool) -> _Guards:
        """The facts, extended by ``condition``, or by its negation if ``holds`` is false."""
        return _Guards(self.space, (*self.facts, *self._facts(condition, holds=holds)))

    def _facts(self, condition: Expr, *, holds: bool) -> list[Condition]:
        if isinstance(condition, Binary) and condition.op == ("and" if holds else "or"):
            return [
                *self._facts(condition.lhs, holds=holds),
                *self._facts(condition.rhs, holds=holds),
            ]
        affine = affine_condition(condition, self._term)
        return [] if affine is None else [affine if holds else ~affine]

    def keep_inside(self, index: Expr, size: ExprLike) -> bool:
        """True if the facts imply ``0 <= index < size``."""
        position, length = self._term(index), self._term(as_expr(size))
        if not self.facts or position is None or length is None:
            return False
        domain: list[Condition] = []
        # Loops over extents add leaves while this loop runs.
        for n, leaf in enumerate(self.space.leaves):
            extent = self._term(as_expr(leaf.extent)) if isinstance(leaf, IterVar) else None
            if extent is not None:
                domain.append(dim(f"d{n}").within(extent))
        names = [f"d{n}" for n in range(len(self.space.leaves))]
        return is_impossible(all_of([*domain, *self.facts, ~position.within(length)]), names)

    def _term(self, expr: Expr) -> Term | None:
        """``expr`` as a term if it consists of axes and sizes. None for other integers, whose
        values may overflow.
        """
        affine = self.space.affine(expr)
        if not all(isinstance(self.space.leaves[n], IterVar | Var) for n in affine.used_dims()):
            return None
        return term_of(affine, lambda n: dim(f"d{n}"))


def _indices(read: Element) -> Iterable[tuple[Expr, ExprLike]]:
    """The indices of a read, with the sizes of their dimensions."""
    # A vector element has an additional index, its lane, after the indices of the tensor.
    return zip(read.indices, read.tensor.shape)  # noqa: B905


def _is_inside(index: Expr, size: ExprLike) -> bool:
    """True if ``0 <= index < size`` is proven."""
    if isinstance(index, IterVar) and index.start == 0 and index.extent is size:
        return True
    bounds = known_range(index)
    last = _number(size)
    return bounds is not None and last is not None and 0 <= bounds[0] and bounds[1] < last


LARGEST_INT8 = 127
"""The largest number that every integer type can represent."""


def is_known_below(expr: Expr, limit: int) -> bool:
    """True if ``0 <= expr < limit`` is proven for an integer of any type, without overflow in its
    parts.
    """
    ranges = [known_range(part) for part in walk(expr)]
    is_small = all(
        bounds is not None and 0 <= bounds[0] and bounds[1] <= LARGEST_INT8 for bounds in ranges
    )
    return is_small and ranges[0] is not None and ranges[0][1] < limit


def known_range(expr: Expr) -> tuple[int, int] | None:
    """The bounds of an index. None if they are unknown, or if the index may wrap in its type."""
    if is_float(expr.dtype):
        return None
    bounds = _bounds(expr)
    return bounds if bounds is not None and _fit(bounds, expr.dtype) else None


def _bounds(expr: Expr) -> tuple[int, int] | None:
    """The range of an integer whose type is wide enough."""
    if isinstance(expr, Const):
        return int(expr.value), int(expr.value)
    if isinstance(expr, IterVar):
        extent = _number(expr.extent)
        return None if extent is None else (expr.start, expr.start + max(extent, 1) - 1)
    if isinstance(expr, Cast):
        return known_range(expr.value)
    if not isinstance(expr, Binary):
        return None
    a, b = known_range(expr.lhs), known_range(expr.rhs)
    if expr.op == "floormod":  # the operand may be any number
        return (0, b[1] - 1) if b is not None and b[0] > 0 else None
    if a is None or b is None:
        return None
    if expr.op == "add":
        return a[0] + b[0], a[1] + b[1]
    if expr.op == "sub":
        return a[0] - b[1], a[1] - b[0]
    if expr.op == "mul":
        corners = [x * y for x in a for y in b]
        return min(corners), max(corners)
    if expr.op == "floordiv" and b[0] == b[1] and b[0] > 0:
        return a[0] // b[0], a[1] // b[0]
    return None


def _fit(bounds: tuple[int, int], dtype: str) -> bool:
    """True if both ``bounds`` fit in ``dtype``."""
    sign = is_signed(dtype)
    limit = 1 << bits(dtype) - sign
    return bounds[0] >= (-limit if sign else 0) and bounds[1] < limit


def _number(size: ExprLike) -> int | None:
    """The value of a constant size. None if it is symbolic."""
    if isinstance(size, Const):
        return int(size.value)
    return int(size) if isinstance(size, int) else None
