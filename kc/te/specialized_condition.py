"""Conditions that hold in the body of a ``with``, for code that selects an algorithm."""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import Any

from kc.expr.constructors import Expr, condition_of

_current: ContextVar[tuple[SpecializedCondition, ...]] = ContextVar("kc_te_conditions", default=())


class SpecializedCondition:
    """``with te.SpecializedCondition(n > 16):`` the condition, or all of a list, may be relied on.

    :meth:`current` gives the innermost one to functions that choose an implementation by it; no
    pass assumes a condition that is not proven or checked.
    """

    def __init__(self, conditions: Any) -> None:
        """Raises KC2006 for an invalid condition."""
        clauses = conditions if isinstance(conditions, list | tuple) else [conditions]
        self.clauses: list[Expr] = [
            condition_of(clause, "SpecializedCondition", example="n > 16") for clause in clauses
        ]
        self._tokens: list[Token[tuple[SpecializedCondition, ...]]] = []

    def __repr__(self) -> str:
        return f"SpecializedCondition({', '.join(map(str, self.clauses))})"

    @staticmethod
    def current() -> SpecializedCondition | None:
        """The innermost active condition; None outside of all ``with`` statements."""
        return _current.get()[-1] if _current.get() else None

    def __enter__(self) -> SpecializedCondition:
        self._tokens.append(_current.set((*_current.get(), self)))
        return self

    def __exit__(self, *_: object) -> None:
        _current.reset(self._tokens.pop())
