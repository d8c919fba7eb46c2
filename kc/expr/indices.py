"""The conversion between index expressions and affine expressions.

A :class:`Space` numbers the leaves of index expressions: dimension ``n`` is ``leaves[n]``, which is
an axis (relative to its start), a size, or a non-affine part, such as an element of a tensor of
indices.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from kc.analysis.affine.simplify_affine import simplify
from kc.analysis.affine.terms import ALWAYS, NEVER, Condition, Term, all_of, any_of
from kc.dialects.affine_assembly import linear_terms
from kc.expr.constructors import (
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Element,
    Expr,
    IfThenElse,
    IterVar,
    SelectExpr,
    as_expr,
    binary,
    children,
    const,
)
from kc.expr.dtypes import INTS, bits
from kc.expr.nodes import Dim
from kc.expr.relations import add


def keeps_value(expr: Cast) -> bool:
    """True if a conversion of integers preserves every possible value."""
    source, target = expr.value.dtype, expr.dtype
    return expr.is_axis or source in INTS and target in INTS and bits(source) <= bits(target)


def affine(op: str, lhs: AffineExpr, rhs: AffineExpr, source: Binary) -> AffineExpr | None:
    """``lhs op rhs`` when it is affine."""
    if op == "add":
        return lhs + rhs
    if op == "sub":
        return lhs + rhs * -1
    left = int(source.lhs.value) if isinstance(source.lhs, Const) else None
    right = int(source.rhs.value) if isinstance(source.rhs, Const) else None
    if op == "mul" and right is not None:
        return lhs * right
    if op == "mul" and left is not None:
        return rhs * left
    if op == "floordiv" and right is not None and right > 0:
        return lhs // right
    if op == "floormod" and right is not None and right > 0:
        return lhs % right
    return None


def is_affine_step(expr: Binary) -> bool:
    """True if ``expr`` is affine whenever its operands are."""
    if expr.op in ("add", "sub"):
        return True
    if expr.op == "mul":
        return isinstance(expr.lhs, Const) or isinstance(expr.rhs, Const)
    if expr.op not in ("floordiv", "floormod") or not isinstance(expr.rhs, Const):
        return False
    return int(expr.rhs.value) > 0


_OPS = {AffineBinaryOpKind.FloorDiv: "floordiv", AffineBinaryOpKind.Mod: "floormod"}


def from_affine(expr: AffineExpr, leaf: Callable[[int], Expr]) -> Expr:
    """``expr`` as an integer expression; ``leaf(n)`` stands for dimension ``n``."""
    terms, constant = linear_terms(expr)
    total: Expr = const(0)
    # Positive terms come first: a - b reads better than -b + a.
    for atom, factor in sorted(terms.items(), key=lambda term: term[1] < 0):
        part = _atom(atom, leaf)
        scaled = part if abs(factor) == 1 else binary("mul", part, abs(factor))
        if factor > 0:
            total = add(total, scaled)
        else:
            total = binary("sub", total, scaled)
    if constant < 0 and terms:
        return binary("sub", total, _number(-constant))
    return add(total, _number(constant))


def _number(value: int) -> Const:
    return const(value, "int32" if -(2**31) <= value < 2**31 else "int64")


def _atom(atom: AffineExpr, leaf: Callable[[int], Expr]) -> Expr:
    if isinstance(atom, AffineDimExpr):
        return leaf(atom.position)
    assert isinstance(atom, AffineBinaryOpExpr)
    assert isinstance(atom.rhs, AffineConstantExpr)
    by = atom.rhs.value
    if atom.kind is AffineBinaryOpKind.CeilDiv:
        return binary("floordiv", from_affine(atom.lhs + (by - 1), leaf), by)
    return binary(_OPS[atom.kind], from_affine(atom.lhs, leaf), by)


class Space:
    """The leaves of index expressions; equal non-affine parts share a leaf."""

    def __init__(self) -> None:
        self.leaves: list[Expr | None] = []
        """None: a variable that :meth:`fresh` made."""
        self._numbers: dict[Hashable, int] = {}

    def fresh(self) -> int:
        """A new dimension without a leaf."""
        self.leaves.append(None)
        return len(self.leaves) - 1

    def number(self, leaf: Expr) -> int:
        """The dimension of ``leaf``."""
        key = _structure(leaf)
        if key not in self._numbers:
            self.leaves.append(leaf)
            self._numbers[key] = len(self.leaves) - 1
        return self._numbers[key]

    def affine(self, value: Any) -> AffineExpr:
        """``value``, an integer expression, over the dimensions."""
        expr = as_expr(value)
        if isinstance(expr, Const):
            return AffineExpr.constant(int(expr.value))
        if isinstance(expr, IterVar):
            return AffineExpr.dimension(self.number(expr)) + expr.start
        if isinstance(expr, Cast) and keeps_value(expr):
            return self.affine(expr.value)
        if isinstance(expr, Binary):
            combined = affine(expr.op, self.affine(expr.lhs), self.affine(expr.rhs), expr)
            if combined is not None:
                return combined
        return AffineExpr.dimension(self.number(expr))

    def expr(self, affine: AffineExpr) -> Expr:
        """The inverse of :meth:`affine`, for expressions without fresh dimensions."""

        def leaf(n: int) -> Expr:
            atom = self.leaves[n]
            assert atom is not None
            start = atom.start if isinstance(atom, IterVar) else 0
            return binary("sub", atom, start) if start else atom

        return from_affine(affine, leaf)


def simplified(extent: Dim) -> Dim:
    """An extent without divisions that leave no rest: ``m`` for ``(8 * m + 7) // 8``."""
    if not isinstance(extent, Expr):
        return extent
    space = Space()
    before = space.affine(extent)
    after = simplify(before, ())
    return extent if after == before else space.expr(after)


_COMPARISONS: dict[str, Callable[[Term, Term], Condition]] = {
    "eq": Term.equals,
    "ne": Term.differs,
    "lt": Term.__lt__,
    "le": Term.__le__,
    "gt": Term.__gt__,
    "ge": Term.__ge__,
}


def affine_condition(condition: Expr, term: Callable[[Expr], Term | None]) -> Condition | None:
    """``condition`` over the terms that ``term`` returns for the operands of its comparisons. None
    if an operand has no term, or the condition is not about integers.
    """
    if isinstance(condition, Const):
        return ALWAYS if condition.value else NEVER
    if isinstance(condition, Compare) and condition.lhs.dtype in INTS:
        left, right = term(condition.lhs), term(condition.rhs)
        if left is not None and right is not None:
            return _COMPARISONS[condition.op](left, right)
    if isinstance(condition, Binary) and condition.op in ("and", "or"):
        parts = [affine_condition(side, term) for side in (condition.lhs, condition.rhs)]
        conditions = [part for part in parts if part is not None]
        if len(conditions) == len(parts):
            return all_of(conditions) if condition.op == "and" else any_of(conditions)
    return None


def difference(a: Expr, b: Expr) -> int | None:
    """``a - b`` of two integer expressions, if that is a constant."""
    space = Space()
    terms, constant = linear_terms(space.affine(a) - space.affine(b))
    return None if any(terms.values()) else constant


def same_dim(left: Dim, right: Dim) -> bool:
    """True if two dimensions are equal for all sizes, as far as their structure shows."""
    if isinstance(left, Const):
        left = int(left.value)
    if isinstance(right, Const):
        right = int(right.value)
    if left is right or (isinstance(left, int) and isinstance(right, int) and left == right):
        return True
    if isinstance(left, Binary) and isinstance(right, Binary):
        if left.op == right.op and same_dim(left.lhs, right.lhs) and same_dim(left.rhs, right.rhs):
            return True
    if not isinstance(left, Binary) and not isinstance(right, Binary):
        return False
    space = Space()
    return simplify(space.affine(left) - space.affine(right), []) == AffineExpr.constant(0)


def _structure(expr: Expr) -> Hashable:
    """A key that is equal for equal expressions."""
    if isinstance(expr, Const):
        return (expr.value, expr.dtype)
    if not isinstance(expr, Binary | Call | Cast | Compare | Element | SelectExpr | IfThenElse):
        return expr  # a variable, or an expression that may differ at each evaluation
    own: Hashable = expr.tensor if isinstance(expr, Element) else getattr(expr, "op", None)
    return (type(expr), expr.dtype, own, *map(_structure, children(expr)))
