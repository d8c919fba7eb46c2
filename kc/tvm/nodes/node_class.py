"""Classes by the names that TVM has for the nodes of its IR.

An expression here is one of few classes (:mod:`kc.expr.nodes`), where TVM has one for each
operator. A class by TVM's name says which of them are instances of it, and makes them when it is
called: ``isinstance(x, tir.Add)`` and ``tir.Add(a, b)`` both work, and the latter is ``a + b``.
"""

from __future__ import annotations

from typing import Any

from kc.support.diagnostics import TEError
from kc.support.locations import caller_location

_INTERNAL = frozenset(
    (
        *("comes_from", "holds", "join", "make", "node", "numbers", "operation", "operations"),
        "statements",
    )
)
"""What classes of nodes are declared by, which users do not see."""


class NodeClass(type):
    """The class of such classes: ``make`` is what a call does, ``holds`` says what is one."""

    def __call__(cls, *args: Any, **options: Any) -> Any:
        return cls.make(*args, **options)  # pyright: ignore[reportAttributeAccessIssue]

    def __dir__(cls) -> list[str]:
        return sorted({*super().__dir__()} - _INTERNAL)

    def __instancecheck__(cls, instance: Any) -> bool:
        return bool(cls.holds(instance))  # pyright: ignore[reportAttributeAccessIssue]


class Node(metaclass=NodeClass):
    """What is declared by its two functions."""

    __module__ = "kc.tir"

    @classmethod
    def make(cls, *args: Any, **options: Any) -> Any:
        """Refused (KC2177), as nothing is made by the name alone."""
        del args, options
        raise TEError(
            "KC2177",
            f"{cls.__name__}: it is not made by its class",
            location=caller_location(),
            why="the class exists for isinstance; functions make its values",
            hints=[cls.comes_from] if cls.comes_from else (),
        )

    comes_from = ""
    """What makes values of the class, for the message."""

    @classmethod
    def holds(cls, value: Any) -> bool:
        """Whether ``value`` is one."""
        raise NotImplementedError
