"""Affine maps and sets compiled to Python functions of their dimensions and symbols."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
    AffineSymExpr,
)

from kc.analysis.interpreter.errors import PoisonError
from kc.analysis.interpreter.values import Poison

KEPT = 4096
"""The most compiled maps, and the most compiled sets, that are cached."""

_OPERATOR = {
    AffineBinaryOpKind.Add: "({} + {})",
    AffineBinaryOpKind.Mul: "({} * {})",
    AffineBinaryOpKind.FloorDiv: "({} // {})",
    AffineBinaryOpKind.CeilDiv: "ceildiv({}, {})",
    AffineBinaryOpKind.Mod: "({} % {})",
}
"""Templates with one pair of parentheses each: Python nests at most 200, and kc's affine
expressions have fewer levels.
"""


def _ceildiv(lhs: Any, rhs: Any) -> Any:
    return -(-lhs // rhs)


def _source(expr: AffineExpr, dims: int) -> str:
    if isinstance(expr, AffineConstantExpr):
        return f"({expr.value})"
    if isinstance(expr, AffineDimExpr):
        return f"x{expr.position}"
    if isinstance(expr, AffineSymExpr):
        return f"x{dims + expr.position}"
    assert isinstance(expr, AffineBinaryOpExpr)
    return _OPERATOR[expr.kind].format(_source(expr.lhs, dims), _source(expr.rhs, dims))


def _function(count: int, body: str) -> Callable[..., object]:
    arguments = ", ".join(f"x{n}" for n in range(count))
    return eval(f"lambda {arguments}: {body}", {"__builtins__": {}, "ceildiv": _ceildiv})


def _positions(constraint: AffineConstraintExpr, dims: int) -> set[int]:
    """The positions in a point on which a constraint depends."""
    parts = (*constraint.lhs.dfs(), *constraint.rhs.dfs())
    return {part.position for part in parts if isinstance(part, AffineDimExpr)} | {
        dims + part.position for part in parts if isinstance(part, AffineSymExpr)
    }


@lru_cache(maxsize=KEPT)
def map_function(affine: AffineMap) -> Callable[..., tuple[int, ...]]:
    """The results of ``affine`` as a function of its dimensions, then its symbols.

    Division and remainder by zero raise ZeroDivisionError.
    """
    results = "".join(f"{_source(expr, affine.num_dims)}, " for expr in affine.results)
    return _function(affine.num_dims + affine.num_symbols, f"({results})")  # pyright: ignore


@lru_cache(maxsize=KEPT)
def set_function(affine: AffineSet) -> Callable[..., bool]:
    """Membership in ``affine`` as a predicate of its dimensions, then its symbols.

    A condition on a poison value counts only if all others hold.
    """
    count = affine.num_dims + affine.num_symbols
    symbol = {
        AffineConstraintKind.ge: ">=",
        AffineConstraintKind.le: "<=",
        AffineConstraintKind.eq: "==",
    }
    dims = affine.num_dims
    conditions = [
        f"{_source(constraint.lhs, dims)} {symbol[constraint.kind]} {_source(constraint.rhs, dims)}"
        for constraint in affine.constraints
    ]
    all_hold = _function(count, " and ".join(conditions) or "True")
    each = [
        (_function(count, condition), _positions(constraint, dims))
        for condition, constraint in zip(conditions, affine.constraints, strict=True)
    ]

    def holds(*point: int) -> bool:
        try:
            return bool(all_hold(*point))
        except PoisonError:
            poison = {n for n, value in enumerate(point) if type(value) is Poison}
            for condition, used in each:
                if poison.isdisjoint(used) and not condition(*point):
                    return False
            raise

    return holds
