"""Questions to isl: affine expressions as its text, and the first point of a set."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

Answer = TypeVar("Answer")

MAX_OPERATIONS = 2_000_000
"""isl gives up after this many internal operations; the answer is then "undecided"."""


def expr_text(expr: AffineExpr, dim: Callable[[int], str], opaque: Callable[[], str]) -> str:
    """``expr`` in isl's syntax; ``dim(n)`` stands for dimension ``n``.

    ``opaque()`` stands for a part that is not affine (a product, a division by no constant).
    """
    if isinstance(expr, AffineConstantExpr):
        return str(expr.value)
    if isinstance(expr, AffineDimExpr):
        return dim(expr.position)
    if not isinstance(expr, AffineBinaryOpExpr):
        return opaque()
    lhs, rhs = expr_text(expr.lhs, dim, opaque), expr_text(expr.rhs, dim, opaque)
    if expr.kind is AffineBinaryOpKind.Add:
        return f"({lhs} + {rhs})"
    divisor = expr.rhs.value if isinstance(expr.rhs, AffineConstantExpr) else None
    if expr.kind is AffineBinaryOpKind.Mul:
        if divisor is not None or isinstance(expr.lhs, AffineConstantExpr):
            return f"({lhs} * {rhs})"
        return opaque()
    if divisor is None or divisor <= 0:
        return opaque()
    if expr.kind is AffineBinaryOpKind.FloorDiv:
        return f"floor(({lhs})/{rhs})"
    if expr.kind is AffineBinaryOpKind.CeilDiv:
        return f"ceil(({lhs})/{rhs})"
    return f"(({lhs}) mod {rhs})"


_CONTEXT = threading.local()


def ask(question: Callable[[Any], Answer]) -> Answer | str:
    """The answer of ``question`` in isl's context of this thread, or why there is none."""
    import islpy as isl

    context = getattr(_CONTEXT, "context", None)
    if context is None:
        context = _CONTEXT.context = isl.Context()
        context.set_max_operations(MAX_OPERATIONS)
    context.reset_operations()
    try:
        return question(context)
    except isl.Error:
        _CONTEXT.context = None  # a context that gave up stays so
        return "the question is too large to decide exactly"


def first_point(text: str, names: Sequence[str]) -> dict[str, int] | str | None:
    """The lexicographically first point of an isl set: None if empty, a reason if undecided."""
    import islpy as isl

    def question(context: Any) -> dict[str, int] | None:
        the_set = isl.Set.read_from_str(context, text)
        if the_set.is_empty():
            return None
        # Parameters become dimensions so that the witness is concrete.
        count = the_set.dim(isl.dim_type.param)
        the_set = the_set.move_dims(isl.dim_type.set, 0, isl.dim_type.param, 0, count)
        lowest = the_set.lexmin() if the_set.is_bounded() else the_set
        point = lowest.sample_point()
        if point.is_void():  # isl's lexmin of a set with divisions is empty at times
            point = the_set.sample_point()
        return {
            name: point.get_coordinate_val(isl.dim_type.set, n).to_python()
            for n, name in enumerate(names)
        }

    return ask(question)
